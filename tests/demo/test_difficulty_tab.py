"""The tab Difficulty, as a visitor uses it."""

from __future__ import annotations

import pytest

from ..naive import spans
from ..naive_difficulty import naive_balanced
from ..optional import Locator, Page, expect
from .visitor import below, box, click, expect_scores, open_tab, words

REFERENCE, PREDICTION = "the dog is here\nhi her", "thedog is here\nhi h er"
COMMITTEE = ["the dog is here\nhiher", "thedog is here\nhi her", "thedog is he re\nhi her", "the dog ishere\nhi her"]


def rates() -> list[list[float]]:
    """For each reference word the share of the committee that misses it."""
    rated = []
    for index, sentence in enumerate(words(REFERENCE)):
        others = [spans(words(member)[index]) for member in COMMITTEE]
        start, line = 0, []
        for word in sentence:
            span = (start, start + len(word))
            line.append(sum(span not in other for other in others) / len(COMMITTEE))
            start += len(word)
        rated.append(line)
    return rated


def balanced(rated: list[list[float]]) -> dict[str, float]:
    return naive_balanced(words(REFERENCE), words(PREDICTION), rated)


@pytest.fixture
def panel(page: Page) -> Locator:
    """The tab, with the texts above."""
    panel = open_tab(page, "Difficulty")
    texts = (REFERENCE, PREDICTION, "\n---\n".join(COMMITTEE))
    for label, text in zip(("Reference", "Prediction", "Committee"), texts, strict=True):
        box(panel, label).fill(text)
    return panel


def drawn(panel: Locator) -> list[list[str]]:
    """Under each word its difficulty and whether it is found."""
    return [utterance.locator("rt").all_text_contents() for utterance in panel.locator(".utterances li").all()]


def expected_drawing(rated: list[list[float]]) -> list[list[str]]:
    lines = []
    for index, rates_of_line in enumerate(rated):
        both = spans(words(PREDICTION)[index])
        start, line = 0, []
        for word, rate in zip(words(REFERENCE)[index], rates_of_line, strict=True):
            line.append(f"{rate:.2f} {'✓' if (start, start + len(word)) in both else '✗'}")
            start += len(word)
        lines.append(line)
    return lines


def test_a_committee_rates_the_words(panel: Locator) -> None:
    click(panel, "Score")
    expect_scores(panel, balanced(rates()), only=True)
    assert drawn(panel) == expected_drawing(rates())
    expect(below(panel, "Committee")).to_have_text("Difficulties from a committee of 4.")
    expect(panel.locator(".utterances li").first).to_contain_text("2 of 4 words recovered; missed: the, dog")
    # The harder, the stronger the colour.
    alphas = panel.locator(".utterances b").evaluate_all(
        "words => words.map(word => +(getComputedStyle(word).backgroundColor.match(/[\\d.]+(?=\\))/)?.[0]))"
    )
    assert alphas == pytest.approx([0.75 * rate for line in rates() for rate in line], abs=0.01)


def test_difficulties_can_be_given_instead(panel: Locator) -> None:
    given = [[0.5, 0.25, 1, 0], [0.125, 0.75]]
    box(panel, "Difficulties").fill("\n".join(" ".join(map(str, line)) for line in given))
    click(panel, "Score")
    expect_scores(panel, balanced(given), only=True)
    assert drawn(panel) == expected_drawing(given)
    expect(below(panel, "Difficulties")).to_have_text("Difficulties from your numbers.")
    expect(below(panel, "Committee")).to_have_text("Not used, because difficulties are given.")
    # Its text may then be anything.
    box(panel, "Committee").fill("another text")
    expect(below(panel, "Committee")).to_have_text("Not used, because difficulties are given.")
    expect_scores(panel, balanced(given), only=True)


@pytest.mark.parametrize(
    ("label", "text", "problem"),
    [
        ("Committee", "the cat\nhi her", "the units differ"),
        ("Committee", "", "give a committee or difficulties"),
        ("Prediction", "the cat is here\nhi her", "the units differ at offset 3"),
        ("Difficulties", "0.5 0.5\n0.5 0.5", "utterance 1"),
    ],
    ids=["another text", "none", "other units", "too few"],
)
def test_an_error_stands_under_the_box_that_caused_it_and_the_old_results_are_gone(
    panel: Locator, label: str, text: str, problem: str
) -> None:
    click(panel, "Score")
    expect_scores(panel, balanced(rates()))
    box(panel, label).fill(text)
    click(panel, "Score")
    problems = column_of_problem(panel, label)
    expect(problems).to_have_count(1)
    expect(problems).to_contain_text(problem)
    expect(panel.locator(".problem")).to_have_count(1)
    expect(panel.locator(".results :is(table, li)")).to_have_count(0)


def column_of_problem(panel: Locator, label: str) -> Locator:
    return below(panel, label).and_(panel.locator(".problem"))
