"""The tab Compare, as a visitor uses it, and its endpoint."""

from __future__ import annotations

import csv
import json
import re
import time
from pathlib import Path
from typing import Any

import pytest

from segscores.statistics.comparison_results import SystemComparison
from segscores.statistics.signing import signature
from segscores.statistics.system_comparison import compare
from segscores.statistics.utterance_scores import per_utterance

from ..optional import AppError, Client, Locator, Page, expect
from .conftest import OpenPage
from .visitor import below, box, choose, click, download, open_tab, panel_of, scores_of, unfold

GROUPS = ["boundary_all", "boundary_noedge", "token", "type", "tnr"]
KEYS = [*(f"{group}_{part}" for group in GROUPS[:4] for part in ("precision", "recall", "fscore")), "token_tnr"]

REFERENCE = "约翰 喜欢 玛丽\n他 笑 了\n<b> 我们 走 吧"
#: What three systems make of it. The second is right everywhere, the third nearly so.
SYSTEMS = {
    "old": "约翰喜欢 玛丽\n他笑了\n<b> 我们走 吧",
    "new": "约翰 喜欢 玛丽\n他 笑 了\n<b> 我们 走 吧",
    "<i>other</i>": "约翰 喜欢 玛 丽\n他 笑 了\n<b> 我们 走 吧",
}


@pytest.fixture
def panel(page: Page) -> Locator:
    """The tab."""
    return open_tab(page, "Compare")


def fill(panel: Locator, reference: str, systems: dict[str, str]) -> None:
    """Type a reference, and names and texts of two or three systems, and compare them."""
    box(panel, "Reference").fill(reference)
    given = [*systems.items(), ("", "")][:3]
    for place, (name, text) in zip("ABC", given, strict=True):
        box(panel, f"Name of {place}").fill(name)
        box(panel, f"Prediction {place}").fill(text)
    click(panel, "Compare")


def typed(panel: Locator) -> tuple[str, dict[str, str]]:
    """The reference and the systems that stand in the boxes."""
    systems = {
        box(panel, f"Name of {place}").input_value(): box(panel, f"Prediction {place}").input_value() for place in "ABC"
    }
    return box(panel, "Reference").input_value(), {name: text for name, text in systems.items() if text}


def compared(reference: str, systems: dict[str, str], **options: Any) -> SystemComparison:
    """What the metric says of words texts."""
    return compare(
        reference.split("\n"),
        {name: text.split("\n") for name, text in systems.items()},
        text_format="words",
        **({"scores": GROUPS} | options),
    )


def signature_of(reference: str, found: SystemComparison, **options: Any) -> str:
    """The signature that the command prints under the comparison: that of the scoring, and the trials of the tests."""
    trials = "exact" if found.is_exact else found.trials
    return signature(reference.split("\n"), text_format="words", **options).replace("|n:", f"|trials:{trials}|n:")


def signed(number: float) -> str:
    return f"{number:+.4f}".replace("-", "−") if round(number, 4) else "0.0000"


def written(found: SystemComparison) -> dict[str, list[str]]:
    """The table of a comparison: by score the cell of each system."""
    table: dict[str, list[str]] = {}
    for key in found.scores[found.baseline]:
        best = max(scores[key] for scores in found.scores.values())
        cells = []
        for name, scores in found.scores.items():
            low, high = found.intervals[name][key]
            cell = f"{scores[key]:.4f} ± {(high - low) / 2:.4f}"
            if scores[key] == best:
                cell = f"★ {cell}best"
            elif name in found.not_worse(key):
                cell = f"≈ {cell}not distinguishable from the best"
            cells.append(cell)
        table[key] = cells
    return table


def detailed(found: SystemComparison) -> list[list[str]]:
    """The table of differences from the baseline."""
    rows = []
    for key in found.scores[found.baseline]:
        for name, differences in found.differences.items():
            low, high = found.intervals[name][key]
            tested = differences[key]
            p = tested.p_randomisation_holm
            verdict = "not distinguishable"
            if p <= 1 - found.confidence + 1e-12 and tested.difference:
                verdict = "better" if tested.difference > 0 else "worse"
            rows.append(
                [
                    *(key, name, f"{found.scores[name][key]:.4f}", f"[{low:.4f}, {high:.4f}]"),
                    *(signed(tested.difference), f"[{signed(tested.low)}, {signed(tested.high)}]", f"{p:.4f}", verdict),
                ]
            )
    return rows


def cells_of(panel: Locator, rows: str) -> list[list[str]]:
    """The cells of the rows, as they stand there."""
    read: list[list[str]] = panel.locator(rows).evaluate_all(
        "rows => rows.map(row => [...row.cells].map(cell => cell.textContent.replaceAll(/\\s+/g, ' ').trim()))"
    )
    return read


def shown(panel: Locator) -> tuple[list[str], dict[str, list[str]]]:
    """The names above the table, and its cells."""
    names = panel.locator(".comparison thead bdi").all_text_contents()
    return names, {key: cells for key, *cells in cells_of(panel, ".compared-score")}


def expect_table(panel: Locator, found: SystemComparison) -> None:
    """Wait until the tables are those of the comparison."""
    unfold(panel, "Details")
    expected = [list(found.scores), written(found), detailed(found)]
    end = time.monotonic() + 60
    while (table := [*shown(panel), cells_of(panel, ".difference")]) != expected and time.monotonic() < end:
        time.sleep(0.05)
    assert table == expected


def test_the_example_is_compared_when_the_tab_is_opened(panel: Locator) -> None:
    reference, systems = typed(panel)
    assert list(systems) == ["unigram", "bigram", "syllables"]
    found = compared(reference, systems)
    expect_table(panel, found)
    assert list(written(found)) == KEYS
    for place, (name, text) in enumerate(systems.items()):
        naive = scores_of(reference, text)
        values = {key: cells[place].lstrip("★≈ ").partition(" ")[0] for key, cells in shown(panel)[1].items()}
        assert values == {key: f"{naive[key]:.4f}" for key in KEYS}, name
    # The example tells a difference that is real from one that is not.
    expect(panel.locator(".headline")).to_have_text(
        "By token_fscore: syllables 0.8921 · not distinguishable: bigram 0.8837 · significantly worse: unigram 0.5641"
    )
    assert found.not_worse("token_fscore") == ["bigram", "syllables"]


def test_what_is_typed_and_set_is_compared(panel: Locator) -> None:
    reference, systems = typed(panel)
    systems = dict(list(systems.items())[:2])
    unfold(panel, "Options")
    panel.get_by_role("radio", name="B", exact=True).check()
    panel.get_by_role("spinbutton", name="Confidence").fill("0.9")
    panel.get_by_role("spinbutton", name="Resamples").fill("200")
    for group in ("boundary_all", "type", "tnr"):
        panel.locator(f".groups input[name={group}]").uncheck()
    fill(panel, reference, systems)
    options = {"scores": ["boundary_noedge", "token"], "confidence": 0.9, "n_resamples": 200}
    found = compared(reference, systems, baseline="bigram", **options)
    expect_table(panel, found)
    expect(panel.locator(".headline")).to_have_text(
        "By token_fscore: bigram 0.8837 · significantly worse: unigram 0.5641"
    )
    expect(panel.get_by_text("half the width of the 90 % interval")).to_be_visible()
    signature = signature_of(reference, found, **options)
    unfold(panel, "Export")
    expect(panel.locator(".copyable", has_text="Copy signature").locator("pre")).to_have_text(signature)
    assert "ci:90-percentile-200-0|trials:exact|n:12" in signature


def test_the_utterances_that_differ_most_are_drawn_first(panel: Locator) -> None:
    fill(panel, REFERENCE, SYSTEMS)
    expect_table(panel, compared(REFERENCE, SYSTEMS))
    expect(panel.get_by_text("3 of 3 utterances differ.")).to_be_visible()
    utterances = panel.locator(".utterances li")
    expect(utterances).to_have_count(9)
    # By token F the second is 0 and 1, the first 2/5 and 1, the third 4/7 and 1.
    assert utterances.locator(".place").all_text_contents() == ["2"] * 3 + ["1"] * 3 + ["3"] * 3
    scores = {
        name: [
            row["token_fscore"]
            for row in per_utterance(REFERENCE.split("\n"), text.split("\n"), text_format="words", scores="token")
        ]
        for name, text in SYSTEMS.items()
    }
    assert utterances.locator("small:first-of-type").all_text_contents() == [
        f"{name}: token_fscore {scores[name][index]:.4f}" for index in (1, 0, 2) for name in SYSTEMS
    ]
    assert utterances.locator("[dir=auto]").all_text_contents() == [
        *("他+笑+了", "他|笑|了", "他|笑|了"),
        *("约翰+喜欢|玛丽", "约翰|喜欢|玛丽", "约翰|喜欢|玛−丽"),
        *("<b>|我们+走|吧", "<b>|我们|走|吧", "<b>|我们|走|吧"),
    ]
    # By another score they are others.
    unfold(panel, "Options")
    choose(panel.get_by_role("combobox", name="Rank by"), "boundary_all_fscore")
    expect(panel.get_by_role("heading", name="Where they differ most by boundary_all_fscore")).to_be_visible()
    expect(panel.locator(".headline")).to_contain_text("By boundary_all_fscore: new 1.0000")


@pytest.mark.parametrize(
    ("reference", "systems", "blamed", "problem"),
    [
        (REFERENCE, SYSTEMS | {"new": "他\n笑\n了"}, "Prediction B", "the units differ at offset"),
        (REFERENCE, SYSTEMS | {"old": "他"}, "Prediction A", "3 references and 1 predictions"),
        ("约翰", {"a": "约翰", "b": "约翰"}, "Reference", "a comparison needs at least two utterances"),
        (REFERENCE, {"x": SYSTEMS["old"], "x ": SYSTEMS["new"]}, "Prediction B", "two systems have the name 'x'"),
    ],
    ids=["other units", "fewer utterances", "one utterance", "one name"],
)
def test_an_error_stands_under_the_box_that_caused_it(
    panel: Locator, reference: str, systems: dict[str, str], blamed: str, problem: str
) -> None:
    fill(panel, reference, systems)
    expect(below(panel, blamed)).to_contain_text(problem)
    expect(below(panel, blamed)).to_have_class("note problem")
    expect(panel.locator(".problem")).to_have_count(1)
    expect(panel.locator(".results :is(table, li, pre, a)")).to_have_count(0)
    fill(panel, REFERENCE, SYSTEMS)
    expect_table(panel, compared(REFERENCE, SYSTEMS))
    expect(panel.locator(".problem")).to_have_count(0)
    expect(below(panel, "Prediction A")).to_have_text(
        "Read as words separated by spaces: 3 utterances, 6 words, 16 characters."
    )
    expect(below(panel, "Reference")).to_contain_text("10 words")


def test_an_error_in_a_setting_stands_below_the_settings(panel: Locator) -> None:
    unfold(panel, "Options")
    box(panel, "Prediction C").fill("")
    panel.get_by_role("radio", name="C", exact=True).check()
    expect(panel.locator(".problem")).to_contain_text("Prediction C is blank")
    panel.get_by_role("radio", name="A", exact=True).check()
    for group in GROUPS:
        panel.locator(f".groups input[name={group}]").uncheck()
    expect(panel.locator(".problem")).to_have_text("choose at least one group of scores.")
    expect(panel.locator(".results table")).to_have_count(0)


def test_one_system_waits_for_another(panel: Locator) -> None:
    fill(panel, REFERENCE, {"old": SYSTEMS["old"], "new": ""})
    expect(panel.locator(".waiting")).to_contain_text("Waiting for two predictions")
    expect(panel.locator(".problem")).to_have_count(0)


def test_as_many_systems_as_the_endpoint_takes(panel: Locator) -> None:
    text = typed(panel)[1]["bigram"]
    places = panel.get_by_role("textbox", name=re.compile("^Prediction "))
    for systems in range(4, 11):
        click(panel, "Add a system")
        expect(places).to_have_count(systems)
        places.last.fill(text)
        expect(panel.locator(".comparison thead bdi")).to_have_count(systems)


def test_a_name_is_text_and_an_empty_one_is_the_letter(panel: Locator) -> None:
    fill(panel, REFERENCE, {"": SYSTEMS["old"], "<img src=x onerror=document.title='run'>": SYSTEMS["new"]})
    expect(panel.locator(".comparison thead bdi")).to_have_text(["A", "<img src=x onerror=document.title='run'>"])
    expect(panel.locator(".results img")).to_have_count(0)
    assert panel.page.title() == "Segmentation scores"


def test_the_downloads_hold_the_numbers(panel: Locator, tmp_path: Path) -> None:
    fill(panel, REFERENCE, SYSTEMS)
    found = compared(REFERENCE, SYSTEMS)
    expect_table(panel, found)
    signature = signature_of(REFERENCE, found, confidence=0.95)
    paths = download(panel, "segmentation_comparison", signature, tmp_path)
    record = json.loads(paths["JSON"].read_text("utf-8"))
    assert record["signature"] == signature
    assert {name: record[name] for name in found.to_dict()} == json.loads(found.to_json())
    with paths["CSV"].open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["score"], row["system"]) for row in rows] == [(key, name) for key in KEYS for name in SYSTEMS]
    for row in rows:
        key, name = row["score"], row["system"]
        low, high = found.intervals[name][key]
        numbers = {"value": found.scores[name][key], "low": low, "high": high}
        if name != "old":
            tested = found.differences[name][key]
            numbers |= {
                "difference": tested.difference,
                "difference_low": tested.low,
                "difference_high": tested.high,
                "p_randomisation": tested.p_randomisation,
                "p_randomisation_holm": tested.p_randomisation_holm,
                "p_randomisation_max_t": tested.p_randomisation_max_t,
            }
        printed = {column: float(number) for column, number in row.items() if column in numbers}
        assert printed == pytest.approx(numbers, rel=0, abs=0, nan_ok=True)
        assert (row["p_randomisation"] == "") == (name == "old")


def test_a_link_brings_back_the_comparison(open_page: OpenPage, address: str) -> None:
    panel = open_tab(open_page(), "Compare")
    unfold(panel, "Options")
    panel.get_by_role("radio", name="B", exact=True).check()
    panel.get_by_role("spinbutton", name="Resamples").fill("300")
    fill(panel, REFERENCE, SYSTEMS)
    found = compared(REFERENCE, SYSTEMS, baseline="new", n_resamples=300)
    expect_table(panel, found)
    click(panel, "Copy a link")
    expect(panel.page).to_have_url(re.compile("#."))
    expect(box(panel, "Link")).to_have_value(panel.page.url)
    other = open_page(hash=panel.page.url.removeprefix(f"{address}/"), ready="body")
    expect(other.get_by_role("tab", name="Compare", exact=True)).to_have_attribute("aria-selected", "true")
    expect_table(panel_of(other), found)
    assert typed(panel_of(other)) == (REFERENCE, SYSTEMS)


@pytest.fixture(scope="module")
def client(address: str) -> Client:
    return Client(address, verbose=False)


def test_the_endpoint_gives_what_the_metric_gives(client: Client) -> None:
    options: dict[str, Any] = {"baseline": "new", "scores": ["token", "type"], "confidence": 0.9, "n_resamples": 150}
    result = client.predict(references=REFERENCE, systems=SYSTEMS, **options, api_name="/compare")
    found = compared(REFERENCE, SYSTEMS, **options)
    assert {name: result[name] for name in found.to_dict()} == json.loads(found.to_json())
    assert result["read_as"] == "words separated by spaces"
    del options["baseline"]
    assert result["signature"] == signature_of(REFERENCE, found, **options)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"systems": {"a": REFERENCE}}, "expected an object with the predictions of two to 10 systems"),
        ({"systems": ["a", "b"]}, "expected an object with the predictions of two to 10 systems"),
        ({"systems": {str(number): REFERENCE for number in range(11)}}, "two to 10 systems"),
        ({"systems": SYSTEMS | {"new": 5}}, "system 'new': expected a text, received int"),
        ({"systems": SYSTEMS | {"new": "x"}}, "system 'new': 3 references and 1 predictions"),
        ({"baseline": "newer"}, "baseline: expected one of 'old', 'new', "),
        ({"baseline": ["new"]}, "baseline: expected one of 'old', 'new', "),
        ({"scores": ["tokens"]}, "scores: expected a list of some of boundary_all"),
        ({"confidence": 1}, "confidence: expected a number between 0 and 1"),
        ({"confidence": "high"}, "confidence: expected a number between 0 and 1"),
        ({"n_resamples": 2001}, "n_resamples: expected a number of resamples up to 2,000, received 2001"),
        ({"n_resamples": True}, "n_resamples: expected a number of resamples up to 2,000"),
        ({"references": "x"}, "a comparison needs at least two utterances"),
    ],
    ids=lambda value: "" if isinstance(value, str) else "-".join(map(str, value)),
)
def test_the_endpoint_refuses_bad_arguments(client: Client, arguments: dict[str, Any], problem: str) -> None:
    with pytest.raises(AppError, match=re.escape(problem)):
        client.predict(**({"references": REFERENCE, "systems": SYSTEMS} | arguments), api_name="/compare")
