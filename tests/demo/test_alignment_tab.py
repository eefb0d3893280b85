"""The tab Alignment, as a visitor uses it."""

from __future__ import annotations

import re

import pytest

from ..optional import Locator, Page, expect
from .visitor import below, box, click, expect_scores, open_tab

REFERENCE = [((0,), (0,)), ((1,), (1, 2)), ((2, 3), (3,))]
PREDICTION = [((0,), (0,)), ((1,), (1,)), ((2,), (2, 3)), ((3,), ())]
SOURCES = ["One two.", "Three four five six.", "Seven.", "Eight nine."]
TARGETS = ["Eins zwei.", "Drei vier.", "Fünf sechs.", "Sieben acht neun."]

Bisegments = list[tuple[tuple[int, ...], tuple[int, ...]]]


def written(bisegments: Bisegments) -> str:
    """As a visitor types them."""
    return "\n".join(f"{list(source)}:{list(target)}".replace(" ", "") for source, target in bisegments)


def pairs(bisegments: Bisegments) -> set[tuple[int, int]]:
    """The segments that they join."""
    return {(s, t) for source, target in bisegments for s in source for t in target}


def expected_scores() -> dict[str, float]:
    """ARCADE's scores: precision and recall of sets whose members weigh something."""

    def scores(level: str, reference: dict[object, int], prediction: dict[object, int]) -> dict[str, float]:
        both = sum(weight for member, weight in reference.items() if member in prediction)
        left, right = sum(reference.values()), sum(prediction.values())
        return {
            f"{level}_precision": both / right,
            f"{level}_recall": both / left,
            f"{level}_fscore": 2 * both / (left + right),
        }

    found = scores("alignment", dict.fromkeys(REFERENCE, 1), dict.fromkeys(PREDICTION, 1))
    for level, measure in (("sentence", lambda text: 1), ("word", lambda text: len(text.split())), ("character", len)):
        weighed = [
            {(s, t): measure(SOURCES[s]) * measure(TARGETS[t]) for s, t in pairs(side)}
            for side in (REFERENCE, PREDICTION)
        ]
        found |= scores(level, *weighed)
    return found


@pytest.fixture
def panel(page: Page) -> Locator:
    """The tab, with the bitext above."""
    panel = open_tab(page, "Alignment")
    box(panel, "Reference").fill(written(REFERENCE))
    box(panel, "Prediction").fill(written(PREDICTION))
    box(panel, "Source segments").fill("\n".join(SOURCES))
    box(panel, "Target segments").fill("\n".join(TARGETS))
    click(panel, "Score")
    return panel


def test_all_granularities_are_scored_and_the_links_are_drawn(panel: Locator) -> None:
    expect_scores(panel, expected_scores())
    expect(below(panel, "Reference")).to_have_text("Read as bisegments: 3.")
    expect(below(panel, "Prediction")).to_have_text("Read as bisegments: 4.")
    both = pairs(REFERENCE) & pairs(PREDICTION)
    missed, wrong = pairs(REFERENCE) - both, pairs(PREDICTION) - both
    drawing = panel.get_by_role("img")
    for kind, members, sign in (("both", both, "|"), ("missed", missed, "+"), ("wrong", wrong, "−")):
        expect(drawing.locator(f"path.{kind}")).to_have_count(len(members))
        expect(drawing.locator("text").filter(has_text=sign)).to_have_count(len(members))
        told = ", ".join(f"{source} to {target}" for source, target in sorted(members))
        expect(drawing).to_have_accessible_name(re.compile(re.escape(told)))
    expect(drawing.locator("circle")).to_have_count(len(SOURCES) + len(TARGETS))


def test_without_the_texts_there_are_the_scores_of_bisegments_and_segments(panel: Locator) -> None:
    expect_scores(panel, expected_scores())
    box(panel, "Source segments").fill("")
    box(panel, "Target segments").fill("")
    click(panel, "Score")
    expect(panel.locator("tr", has_text="word_recall")).to_have_count(0)
    expect(panel.locator("tr", has_text="character_recall")).to_have_count(0)
    scores = {key: score for key, score in expected_scores().items() if key.startswith(("alignment", "sentence"))}
    expect_scores(panel, scores)


@pytest.mark.parametrize(
    ("label", "text", "problem"),
    [
        ("Reference", "[0]:[0]\n[1]-[1]", "[1]-[1]"),
        ("Prediction", "[0]:[0]\n1 to 1", "1 to 1"),
        ("Source segments", "", "the sources are missing"),
        ("Target segments", "", "the targets are missing"),
    ],
)
def test_an_error_stands_under_the_box_that_caused_it_and_the_old_results_are_gone(
    panel: Locator, label: str, text: str, problem: str
) -> None:
    expect_scores(panel, expected_scores())
    box(panel, label).fill(text)
    click(panel, "Score")
    expect(below(panel, label)).to_contain_text(problem)
    expect(below(panel, label)).to_have_class("note problem")
    expect(panel.locator(".problem")).to_have_count(1)
    expect(panel.locator(".results :is(table, svg)")).to_have_count(0)


def test_many_segments_are_scored_and_the_page_says_that_they_are_not_drawn(panel: Locator) -> None:
    many: Bisegments = [((number,), (number,)) for number in range(80)]
    box(panel, "Reference").fill(written(many))
    box(panel, "Prediction").fill(written(many[:40]))
    box(panel, "Source segments").fill("")
    box(panel, "Target segments").fill("")
    click(panel, "Score")
    expect(panel.get_by_text("these texts have 80. All are scored.")).to_be_visible()
    expect_scores(panel, {"alignment_precision": 1.0, "alignment_recall": 0.5, "sentence_recall": 0.5})
