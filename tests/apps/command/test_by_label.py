"""`score --by label`: scores and confusions of labels, by hand, and as in Python."""

import json
from pathlib import Path
from typing import Any

import pytest

import segscores
from tests.recordings import Rows, write_folder

OPTIONS: Any = {"text_format": "times"}

#: By hand: "a" is 10 ms late at both ends once, "b" ends 40 ms late once, and one "b" is called "a".
GOLD: dict[str, Rows] = {
    "x": [(0.0, 0.4, "a"), (0.5, 0.9, "b"), (0.9, 1.2, "")],
    "y": [(0.0, 0.3, "b"), (0.3, 0.5, "b"), (0.5, 1.0, "")],
}
SYSTEM: dict[str, Rows] = {
    "x": [(0.01, 0.41, "a"), (0.5, 0.94, "b"), (0.94, 1.2, "")],
    "y": [(0.0, 0.3, "b"), (0.3, 0.5, "a"), (0.5, 1.0, "")],
}


def test_the_command_gives_the_numbers_of_python(folder, found, printed) -> None:
    write_folder(folder / "gold", GOLD)
    write_folder(folder / "mfa", SYSTEM)
    line = "score gold mfa --scores timing_bias,labelled_token_recall --by label"
    (prediction,) = found(line)["predictions"]
    scores = {subset["value"]: subset["scores"] for subset in prediction["subsets"]}
    # By hand: of "a" both ends are 10 ms late, of "b" one of the four times of paired words is 40 ms late.
    assert scores["a"] == pytest.approx({"timing_bias": 0.01, "labelled_token_recall": 1.0})
    assert scores["b"] == pytest.approx({"timing_bias": 0.01, "labelled_token_recall": 1 / 3})
    by_label = segscores.score_by(
        folder / "gold", folder / "mfa", "label", scores=["timing_bias", "labelled_token_recall"], **OPTIONS
    )
    assert by_label.scores["prediction"] == scores
    confusion = {(pair["reference"], pair["prediction"]): pair["seconds"] for pair in prediction["confusion"]}
    assert confusion == pytest.approx(
        {("", ""): 0.85, ("a", "a"): 0.39, ("b", "b"): 0.7, ("b", "a"): 0.2, ("", "b"): 0.04, ("", "a"): 0.01, ("a", ""): 0.01},
        abs=1e-9,
    )  # fmt: skip
    assert next(iter(confusion)) == ("", "")
    assert json.loads(by_label.to_json())["predictions"][0]["confusion"] == prediction["confusion"]
    table = printed(line)
    assert "predicted label" in table
    assert "(silence)" in table
    assert printed(f"{line} --plot shifts.svg").startswith("score")
    assert "<svg" in Path("shifts.svg").read_text(encoding="utf-8")


def test_labels_are_classes_and_clusters_are_speakers(folder, found) -> None:
    write_folder(folder / "gold", GOLD)
    write_folder(folder / "mfa", SYSTEM)
    Path("classes.txt").write_text("a vowel\nb vowel\n", encoding="utf-8")
    (prediction,) = found("score gold mfa --scores labelled_time --by label --label-map classes.txt")["predictions"]
    assert [subset["value"] for subset in prediction["subsets"]] == ["vowel"]
    assert prediction["subsets"][0]["scores"] == prediction["scores"]
    Path("speakers.txt").write_text("x ann\ny bob\n", encoding="utf-8")
    line = "score gold mfa --scores labelled_time --by label --confidence 0.9 --clusters speakers.txt"
    (prediction,) = found(line)["predictions"]
    lows = {subset["value"]: subset["scores"]["labelled_time_recall_low"] for subset in prediction["subsets"]}
    assert 0 < lows["b"] < 1


def test_recordings_that_are_left_out_are_in_no_part(folder, found) -> None:
    write_folder(folder / "gold", GOLD)
    write_folder(folder / "mfa", {"y": SYSTEM["y"]})
    Path("ids.txt").write_text("x ann\ny bob\n", encoding="utf-8")
    line = (
        "score gold mfa --scores labelled_time_recall --by label --on-error skip --average cluster --clusters ids.txt"
    )
    (prediction,) = found(line)["predictions"]
    subsets = {subset["value"]: (subset["scores"], subset["counts"]) for subset in prediction["subsets"]}
    assert subsets["b"][0] == pytest.approx({"labelled_time_recall": 0.6})
    assert subsets["b"][1]["utterances"] == 1
