"""The tab Threshold, as a visitor uses it."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from ..naive import Corpus, cut, naive_scores
from ..optional import Axe, Locator, Page, expect
from .conftest import WIDE, ContextOf
from .visitor import below, box, click, column, expect_scores, group, open_tab, unfold, words

# 20 gaps in all, with a score of their own each, so that λ = k / 20 takes the best k.
REFERENCE = "the dog is here\nlook at her\nhi"
SCORES = [
    [0.11, 0.32, 0.83, 0.04, 0.25, 0.91, 0.16, 0.97, 0.28, 0.39, 0.40],
    [0.51, 0.02, 0.13, 0.74, 0.85, 0.66, 0.07, 0.18],
    [0.99],
]
GROUPS = ("boundary_noedge", "token", "tnr")
CURVES = {
    "precision": "token_precision",
    "recall": "token_recall",
    "F-score": "token_fscore",
    "true negative rate": "token_tnr",
}


def segmented(taken: int) -> Corpus:
    """The text with boundaries at the best gaps."""
    best = sorted((score for line in SCORES for score in line), reverse=True)[:taken]
    lines = zip(REFERENCE.split("\n"), SCORES, strict=True)
    return [cut(line.replace(" ", ""), [score in best for score in scores]) for line, scores in lines]


def scores_at(taken: int, zero_division: float = 0.0) -> dict[str, float]:
    """What the naive scorer says of it."""
    return naive_scores(words(REFERENCE), segmented(taken), zero_division)


@pytest.fixture
def panel(page: Page) -> Locator:
    """The tab, with the text above."""
    panel = open_tab(page, "Threshold")
    box(panel, "Reference").fill(REFERENCE)
    box(panel, "Boundary scores").fill("\n".join(" ".join(map(str, line)) for line in SCORES))
    click(panel, "Show")
    expect(below(panel, "Boundary scores")).to_contain_text("Read as numbers: 20 scores.")
    return panel


def expect_share(panel: Locator, share: float) -> None:
    """Wait until table, drawing and line are at λ = k / 20."""
    expect(panel.get_by_role("heading", name=f"At λ = {share:g}", exact=True)).to_be_visible()
    taken = round(20 * share)
    expect_scores(panel, group(scores_at(taken, math.nan), *GROUPS), only=True)
    drawn = panel.locator(".utterances [dir=auto]").all_text_contents()
    # A predicted boundary is | or −, and + is none.
    assert [re.split("[|−]", line.replace("+", "")) for line in drawn] == [
        ["".join(word) for word in line] for line in segmented(taken)
    ]
    line, axes = (
        panel.locator("svg .axis")
        .nth(number)
        .evaluate("e => [e.getBoundingClientRect().x, e.getBoundingClientRect().width]")
        for number in (1, 0)
    )
    assert (line[0] + line[1] / 2 - axes[0]) / axes[1] == pytest.approx(share, abs=0.01)


def test_the_curves_have_the_best_points_marked(panel: Locator) -> None:
    every = [scores_at(taken) for taken in range(21)]
    legend = panel.locator(".legend", has_text="the best point of each")
    for name, key in CURVES.items():
        best = max(scores[key] for scores in every)
        expect(legend).to_contain_text(re.compile(rf"{name} is best at 0\.\d\d: {best:.4f}"))
    expect(panel.locator("svg .line")).to_have_count(2 * len(CURVES))
    expect(panel.locator("svg circle")).to_have_count(len(CURVES))
    expect(panel.locator("svg")).to_have_accessible_name(re.compile("precision is best at"))


def test_the_slider_moves_the_cut_with_the_mouse_and_with_the_keyboard(panel: Locator) -> None:
    page = panel.page
    slider = panel.get_by_role("slider")
    expect_share(panel, 0.25)
    slider.press("End")
    expect_share(panel, 1)
    slider.press("Home")
    expect_share(panel, 0)
    expect(below(panel, "Boundary scores")).to_contain_text("At λ = 0: no boundary at all.")
    for _ in range(5):
        slider.press("ArrowRight")
    expect_share(panel, 0.05)
    expect(below(panel, "Boundary scores")).to_contain_text("At λ = 0.05: a boundary from a score of 0.99.")
    place = slider.bounding_box()
    assert place
    page.mouse.move(place["x"] + 0.05 * place["width"], place["y"] + place["height"] / 2)
    page.mouse.down()
    page.mouse.move(place["x"] + 0.5 * place["width"], place["y"] + place["height"] / 2, steps=5)
    page.mouse.up()
    expect(panel.get_by_role("heading", name=re.compile(r"^At λ = 0\.(4\d|5\d?)$"))).to_be_visible()
    panel.get_by_role("spinbutton").fill("0.5")
    panel.get_by_role("spinbutton").press("Enter")
    expect_share(panel, 0.5)


@pytest.mark.parametrize(
    ("scores", "problem"),
    [("0.1 0.2\n0.1\n0.5", "utterance 1"), ("0.1 x", "x"), ("nan " * 11 + "\n" + "0.1 " * 8 + "\n0.1", "nan")],
    ids=["too few", "no number", "not finite"],
)
def test_an_error_in_the_scores_stands_under_them_and_the_old_results_are_gone(
    panel: Locator, scores: str, problem: str
) -> None:
    box(panel, "Boundary scores").fill(scores)
    click(panel, "Show")
    expect(below(panel, "Boundary scores")).to_have_class("note problem")
    expect(below(panel, "Boundary scores")).to_contain_text(problem)
    expect(below(panel, "Reference")).to_have_count(0)
    expect(panel.locator(".results :is(table, li, svg)")).to_have_count(0)


def test_scores_come_from_a_file(panel: Locator) -> None:
    turned = [[1 - score for score in line] for line in SCORES]
    text = "\n".join(" ".join(f"{score:.2f}" for score in line) for line in turned)
    column(panel, "Boundary scores").locator("input[type=file]").set_input_files(
        {"name": "scores.txt", "mimeType": "text/plain", "buffer": text.encode()}
    )
    best = sorted((score for line in turned for score in line), reverse=True)[:5]
    lines = zip(REFERENCE.split("\n"), turned, strict=True)
    predicted = [cut(line.replace(" ", ""), [score in best for score in scores]) for line, scores in lines]
    expect_scores(panel, group(naive_scores(words(REFERENCE), predicted), *GROUPS), only=True)
    assert not any(math.isclose(score, 0.5) for score in best)


def test_the_downloaded_page_stands_by_itself(panel: Locator, context_of: ContextOf, tmp_path: Path) -> None:
    expect_share(panel, 0.25)
    unfold(panel, "Export")
    with panel.page.expect_download() as started:
        click(panel, "Download HTML")
    assert started.value.suggested_filename == "boundary_score_curve.html"
    started.value.save_as(tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text("utf-8")
    assert text.startswith("<!doctype html>")
    assert re.findall(r"(?:src|@import|url\()\W*http", text) == []
    saved = context_of(False, True).new_page()
    saved.set_viewport_size({"width": WIDE[0], "height": WIDE[1]})
    saved.goto((tmp_path / "page.html").as_uri())
    expect(saved).to_have_title("Segmentation scores: Threshold")
    expect(saved.locator(".utterances li")).to_have_count(len(REFERENCE.split("\n")))
    expect_scores(saved.locator("body"), group(scores_at(5, math.nan), *GROUPS), only=True)
    expect(saved.get_by_text(panel.locator(".copyable pre").first.inner_text())).to_be_visible()
    saved.screenshot(path=tmp_path / "page.png", full_page=True)
    found = Axe().run(saved, options={"resultTypes": ["violations"]}).response["violations"]
    assert [each["id"] for each in found if each["impact"] in ("serious", "critical")] == []
    saved.close()
