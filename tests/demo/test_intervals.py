"""Intervals and the signature, on the tab Score and at its endpoint."""

from __future__ import annotations

import csv
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from segscores.reading.inputs import read_pair
from segscores.scoring.options import Plan
from segscores.scoring.utterance_tally import tally_utterances
from segscores.statistics.signing import sign_scoring
from segscores.statistics.utterance_scores import Resampling, score_utterances

from ..optional import AppError, Client, Locator, Page, expect
from .conftest import NARROW, OpenPage
from .visitor import box, click, download, expect_scores, panel_of, scores_of, unfold

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


def test_the_signature_stands_under_the_scores_and_is_copied(page: Page) -> None:
    panel = score(page, intervals=False)
    unfold(panel, "Export")
    line = panel.locator("pre").first
    expect(line).to_have_text(sign_scoring(REFERENCE.split("\n"), text_format="words"))
    expect(line).to_have_text(re.compile(r"^segscores\|text:words\|avg:micro\|zero:0\|n:6\|v:"))
    score(page, intervals=True)
    signature = sign_scoring(REFERENCE.split("\n"), text_format="words", confidence=0.95)
    expect(line).to_have_text(signature)
    click(panel, "Copy signature")
    expect(panel.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == signature


def test_one_utterance_has_no_intervals(page: Page) -> None:
    panel = score(page, intervals=True)
    expect_intervals(panel)
    box(panel, "Reference").fill("a b")
    box(panel, "Prediction").fill("ab")
    click(panel, "Score")
    expect(panel.get_by_role("alert")).to_contain_text("intervals need at least two utterances")
    expect(panel.locator(".results table")).to_have_count(0)


def test_the_downloads_and_the_command_have_them(page: Page, tmp_path: Path) -> None:
    panel = score(page, intervals=True)
    expect_intervals(panel)
    ends = with_ends()
    signature = sign_scoring(REFERENCE.split("\n"), text_format="words", confidence=0.95)
    paths = download(panel, "segmentation_scores", signature, tmp_path)
    record = json.loads(paths["JSON"].read_text("utf-8"))
    keys = [key for key in ends if not key.endswith(("_low", "_high"))]
    assert record["scores"] == {key: ends[key] for key in keys}
    assert record["intervals"] == {key: [ends[f"{key}_low"], ends[f"{key}_high"]] for key in keys}
    assert record["signature"] == signature
    with paths["CSV"].open(encoding="utf-8", newline="") as file:
        rows = {row["score"]: row for row in csv.DictReader(file)}
    assert {key: (float(rows[key]["low"]), float(rows[key]["high"])) for key in keys} == {
        key: (ends[f"{key}_low"], ends[f"{key}_high"]) for key in keys
    }
    click(panel, "Copy command")
    expect(panel.get_by_role("button", name="Copied")).to_be_visible()
    name, *arguments = shlex.split(page.evaluate("navigator.clipboard.readText()"))
    script = shutil.which(name, path=str(Path(sys.executable).parent))
    assert script, "install the package: pip install ."
    for file, text in (("reference.txt", REFERENCE), ("prediction.txt", PREDICTION)):
        (tmp_path / file).write_text(f"{text}\n", "utf-8")
    done = subprocess.run(
        [script, *arguments, "--format", "json"],
        cwd=tmp_path,
        env=os.environ,
        check=True,
        capture_output=True,
        text=True,
    )
    assert json.loads(done.stdout)["predictions"][0]["scores"] == ends


def test_a_link_keeps_whether_intervals_are_wanted(open_page: OpenPage, address: str) -> None:
    panel = score(open_page(), intervals=True)
    expect_intervals(panel)
    click(panel, "Copy a link")
    expect(panel.page).to_have_url(re.compile("#."))
    expect(box(panel, "Link")).to_have_value(panel.page.url)
    other = panel_of(open_page(hash=panel.page.url.removeprefix(f"{address}/")))
    expect_intervals(other)
    unfold(other, "Options")
    expect(other.get_by_role("checkbox", name="95 % intervals")).to_be_checked()


def test_intervals_fit_on_a_phone(open_page: OpenPage) -> None:
    panel = score(open_page(size=NARROW), intervals=True)
    expect_intervals(panel)
    for wide in panel.locator(".wide").all():
        assert wide.evaluate("element => element.scrollWidth <= element.clientWidth")


@pytest.fixture(scope="module")
def client(address: str) -> Client:
    return Client(address, verbose=False)


def test_the_endpoint_gives_intervals_if_asked_and_the_signature(client: Client) -> None:
    result = client.predict(REFERENCE, PREDICTION, api_name="/score")
    assert "intervals" not in result
    assert result["signature"] == sign_scoring(REFERENCE.split("\n"), text_format="words")
    result = client.predict(REFERENCE, PREDICTION, confidence=0.9, api_name="/score")
    ends = with_ends(0.9)
    assert result["intervals"] == {key: [ends[f"{key}_low"], ends[f"{key}_high"]] for key in result["scores"]}
    assert result["signature"] == sign_scoring(REFERENCE.split("\n"), text_format="words", confidence=0.9)


@pytest.mark.parametrize("confidence", [0, 1, 95, True, "high", [0.9]])
def test_the_endpoint_refuses_what_is_no_confidence(client: Client, confidence: Any) -> None:
    with pytest.raises(AppError, match="confidence: expected a number between 0 and 1"):
        client.predict(REFERENCE, PREDICTION, confidence=confidence, api_name="/score")
