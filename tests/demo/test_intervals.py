"""Intervals and the signature, on the tab Score and at its endpoint."""

from __future__ import annotations

import re
from typing import Any

import pytest

from segscores.reading.inputs import read_pair
from segscores.scoring.options import Plan
from segscores.statistics.resampling import Resampling
from segscores.statistics.signing import signature
from segscores.statistics.utterance_scores import score_utterances

from ..optional import AppError, Client, Locator, Page, expect
from ..tallies import tally_utterances
from .visitor import box, click, expect_scores, panel_of, scores_of, unfold

REFERENCE = "约翰 喜欢 玛丽\n我们 走 吧\n他 笑 了\n约翰 走 了\n玛丽 喜欢 我们\n吧 走"
PREDICTION = "约翰 喜欢 玛 丽\n我们走 吧\n他 笑了\n约翰走 了\n玛 丽 喜欢 我们\n吧 走"
GROUPS = ("boundary_all", "boundary_noedge", "token", "type", "tnr")


def with_ends(confidence: float = 0.95) -> dict[str, float]:
    """The scores of the texts above and the ends of their intervals."""
    options = Plan.of(text_format="words", scores=GROUPS)
    tally = tally_utterances(*read_pair(REFERENCE.split("\n"), PREDICTION.split("\n")), options)
    return score_utterances(tally, options, Resampling(confidence=confidence))


def shown_numbers() -> dict[str, str]:
    """How they stand in the table."""
    ends = with_ends()
    return {
        key: f"{score:.4f} [{ends[f'{key}_low']:.4f}, {ends[f'{key}_high']:.4f}]"
        for key, score in scores_of(REFERENCE, PREDICTION).items()
        if key in ends
    }


def expect_intervals(panel: Locator) -> None:
    for key, shown in shown_numbers().items():
        row = panel.get_by_role("row", name=re.compile(rf"^{key} "))
        expect(row.locator("td").first).to_have_text(shown)


def score(page: Page, *, intervals: bool) -> Locator:
    panel = panel_of(page)
    box(panel, "Reference").fill(REFERENCE)
    box(panel, "Prediction").fill(PREDICTION)
    unfold(panel, "Options")
    panel.get_by_role("checkbox", name="95 % intervals").set_checked(intervals)
    click(panel, "Score")
    return panel


def test_intervals_stand_beside_the_scores_if_wanted(page: Page) -> None:
    panel = score(page, intervals=False)
    expect_scores(panel, scores_of(REFERENCE, PREDICTION))
    score(page, intervals=True)
    expect_intervals(panel)
    assert len(shown_numbers()) == 13


def test_an_interval_that_cannot_be_estimated_is_a_dash(page: Page) -> None:
    """Each utterance has one of two words right, so that a score without one of them is that with it."""
    panel = score(page, intervals=True)
    expect_intervals(panel)
    box(panel, "Reference").fill("a b c\nd e f")
    box(panel, "Prediction").fill("a bc\nd ef")
    row = panel.get_by_role("row", name=re.compile(r"^token_precision "))
    expect(row.locator("td").first).to_have_text("0.5000 [–, –]")
    expect(panel.get_by_text(re.compile("^No interval for .*token_precision"))).to_be_visible()


@pytest.fixture(scope="module")
def client(address: str) -> Client:
    return Client(address, verbose=False)


def test_the_endpoint_gives_intervals_if_asked_and_the_signature(client: Client) -> None:
    result = client.predict(REFERENCE, PREDICTION, api_name="/score")
    assert "intervals" not in result
    assert result["signature"] == signature(REFERENCE.split("\n"), text_format="words")
    result = client.predict(REFERENCE, PREDICTION, confidence=0.9, api_name="/score")
    ends = with_ends(0.9)
    assert result["intervals"] == {key: [ends[f"{key}_low"], ends[f"{key}_high"]] for key in result["scores"]}
    assert result["signature"] == signature(REFERENCE.split("\n"), text_format="words", confidence=0.9)


@pytest.mark.parametrize("confidence", [0, 1, 95, True, "high", [0.9]])
def test_the_endpoint_refuses_what_is_no_confidence(client: Client, confidence: Any) -> None:
    with pytest.raises(AppError, match="confidence: expected a number between 0 and 1"):
        client.predict(REFERENCE, PREDICTION, confidence=confidence, api_name="/score")
