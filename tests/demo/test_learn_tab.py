"""The tab Learn, as a visitor uses it."""

from __future__ import annotations

import math

import pytest

from ..naive import naive_scores
from ..optional import Page, expect
from .visitor import expect_scores, open_tab, words

#: Table 1 of Shao, Hardmeier & Nivre (2017), without its scores.
SEGMENTERS = {
    "English": (
        "John likes Mary",
        {
            "T1": "J o h n l i k e s M a r y",
            "T2": "JohnlikesMary",
            "S1": "John likesMary",
            "S2": "John l i k e s M a r y",
            "S3": "John likes M a r y",
        },
    ),
    "Chinese": (
        "约翰 喜欢 玛丽",
        {
            "T1": "约 翰 喜 欢 玛 丽",
            "T2": "约翰喜欢玛丽",
            "S1": "约翰 喜欢玛丽",
            "S2": "约翰 喜 欢 玛 丽",
            "S3": "约翰 喜欢 玛 丽",
        },
    ),
}
COLUMNS = ("token_precision", "token_recall", "token_fscore", "token_tnr")


@pytest.mark.parametrize("language", SEGMENTERS)
def test_each_segmenter_of_the_table_comes_with_one_click(page: Page, language: str) -> None:
    panel = open_tab(page, "Learn")
    panel.get_by_role("radio", name=language, exact=True).check()
    reference, outputs = SEGMENTERS[language]
    expected = {name: naive_scores(words(reference), words(output), math.nan) for name, output in outputs.items()}
    for name in outputs:
        panel.get_by_role("radio", name=name, exact=True).check()
        expect(panel.get_by_role("heading", name=name, exact=True)).to_be_visible()
        expect_scores(panel, expected[name])
        drawn = panel.locator(".utterances [dir=auto]").text_content() or ""
        assert drawn.replace("+", "").replace("|", " ").replace("−", " ") == outputs[name]
        table = panel.get_by_role("region", name="Table 1")
        expect(table.locator("[aria-current]")).to_contain_text(name)
    rows = table.locator("tbody tr").evaluate_all(
        "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))"
    )
    for (name, output), row in zip(outputs.items(), rows, strict=True):
        assert row[0].startswith(name)
        assert row[0].endswith(output)
        # In brackets stands what the paper prints where it rounds otherwise.
        assert [cell.partition(" (")[0] for cell in row[1:]] == [f"{expected[name][key]:.2f}" for key in COLUMNS]


def test_each_score_has_its_definition_beside_it(page: Page) -> None:
    panel = open_tab(page, "Learn")
    groups = panel.locator("tr.group")
    for title, formula in (
        ("word tokens", "2·TP / (PP + RP)"),
        ("true negative rate", "1 − (PP − TP) / (TW − RP)"),
        ("word types", "Distinct words"),
        ("boundaries without edges", "Positions between two words"),
    ):
        expect(groups.filter(has_text=title)).to_contain_text(formula)
    expect(groups.filter(has_text="true negative rate")).to_contain_text("Shao et al. (2017)")
