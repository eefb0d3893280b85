"""With `--on-error skip` utterances that cannot be scored are left out on both sides, without effect on the others."""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from segscores.command.main import main
from segscores.kernel.segmentation import Segmentation
from segscores.reading.readers import from_words_text
from segscores.scoring.pipeline import Plan
from segscores.scoring.skipping import LeftOut, bad_utterances, compare_good
from segscores.support.errors import UtteranceError

from ..naive import naive_counts, naive_scores, random_corpus_pair, words_text

Run = Callable[..., tuple[int, str, str]]


def checker(bad: set[int], calls: list[tuple[int, int]]) -> Callable[[int, int], None]:
    """A check that finds the first bad utterance of a range, as the kernel's do."""

    def check(start: int, stop: int) -> None:
        calls.append((start, stop))
        for place in range(start, stop):
            if place in bad:
                raise UtteranceError(place - start, f"number {place} is bad.")

    return check


@pytest.mark.parametrize("count", [1, 2, 3, 1000, 1 << 16])
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_few_calls_find_one_bad_utterance(count: int, share: float) -> None:
    bad = int((count - 1) * share)
    calls: list[tuple[int, int]] = []
    assert list(bad_utterances(checker({bad}, calls), count)) == [bad]
    assert len(calls) <= 2 * math.ceil(math.log2(count)) + 1


def test_left_out_utterances_add_up_and_keep_the_first() -> None:
    total = LeftOut()
    assert total.message() == ""
    for part in (LeftOut(total=10), LeftOut(2, 10, "line 13: bad."), LeftOut(1, 5, "line 21: worse.")):
        total.update(part)
    assert total == LeftOut(3, 25, "line 13: bad.")
    message = "3 of 25 utterances could not be scored and were left out. The first is line 13: bad."
    assert total.message() == message


# What is compared.


@pytest.mark.parametrize("count", [1, 2, 2000])
def test_units_that_differ_take_two_readings_however_many_they_are(count: int) -> None:
    calls: list[tuple[int, int]] = []
    lines = [("a b", "a c" if place % 2 else "a b") for place in range(count)]

    def read(start: int, stop: int) -> tuple[Segmentation, Segmentation]:
        calls.append((start, stop))
        reference, prediction = ("".join(f"{pair[side]}\n" for pair in lines[start:stop]) for side in (0, 1))
        return from_words_text(reference.encode()), from_words_text(prediction.encode())

    assert compare_good(read, count, Plan.of(text_format="words")).count_bad == count // 2
    assert calls == [(0, count)]


# The command.

COUNT = 120
REFERENCE, PREDICTION = random_corpus_pair(COUNT, seed=38, units="ab狗叫é𠮷", max_units=9)
BAD: dict[str, tuple[bytes | None, bytes | None]] = {
    "reference no UTF-8": (b"a \xff b", None),
    "prediction no UTF-8": (None, b"\x80"),
    "both no UTF-8": (b"caf\xe9", b"\xc0\xaf"),
    "NUL in the reference": (b"a\0", b"a"),
    "NUL in the prediction": (b"a", b"a \0"),
    "NUL on both sides": (b"a\0", b"a\0"),
    "other units": (b"the dog", b"the cat"),
    "units more": (b"the dog", b"the dogs"),
    "blank reference": (b"", b"a"),
    "blank prediction": (b"a", b"  "),
}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Score files of the given lines, in order. Gives status, output and messages."""
    monkeypatch.chdir(tmp_path)

    def run_command(contents: dict[str, list[bytes]], *options: str) -> tuple[int, str, str]:
        for name, lines in contents.items():
            Path(name).write_bytes(b"".join(line + b"\n" for line in lines))
        status = main(["score", *contents, *options])
        return status, *capsys.readouterr()

    return run_command


@pytest.fixture(params=[60, 1 << 20], ids=lambda size: f"parts of {size}")
def part_bytes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr("segscores.sources.source.PART_BYTES", request.param)
    return request.param


def lines_of(corpus: Any) -> list[bytes]:
    return [line.encode() for line in words_text(corpus)]


def spoilt(places: dict[int, str], reference: list[bytes], prediction: list[bytes]) -> tuple[list[bytes], list[bytes]]:
    """The lines of both sides, some of them bad."""
    sides = list(reference), list(prediction)
    for place, name in places.items():
        for side, bad in zip(sides, BAD[name], strict=True):
            if bad is not None:
                side[place] = bad
    return sides


def without(places: Any, corpus: Any) -> list[Any]:
    return [utterance for place, utterance in enumerate(corpus) if place not in places]


def check_result(prediction: dict[str, Any], reference: Any, predicted: Any, left_out: int) -> None:
    """Check scores and counts against those of the utterances that are left."""
    assert prediction["scores"] == naive_scores(reference, predicted)
    expected = naive_counts(reference, predicted)
    assert {key: prediction["counts"][key] for key in expected} == expected
    assert prediction["counts"]["left_out"] == left_out


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("places", [[0], [COUNT - 1], [5, 6, 7, 40, 99]], ids=str)
def test_bad_utterances_are_left_out(run: Run, part_bytes: int, name: str, places: list[int]) -> None:
    reference, prediction = spoilt(dict.fromkeys(places, name), lines_of(REFERENCE), lines_of(PREDICTION))
    options = ("--on-error", "skip", "--format", "json", "--counts")
    status, output, message = run({"r.txt": reference, "p.txt": prediction}, *options)
    assert status == 0
    (found,) = json.loads(output)["predictions"]
    check_result(found, without(places, REFERENCE), without(places, PREDICTION), len(places))
    told = f"{len(places)} of {COUNT} utterances could not be scored and were left out. The first is "
    assert re.fullmatch(
        rf"segmentation-scores: warning: {told}(r\.txt|p\.txt|r\.txt and p\.txt), line {places[0] + 1}: [^\n]+\n",
        message,
    )


def test_a_prediction_without_a_good_utterance_is_an_error(run: Run) -> None:
    contents = {"r.txt": [b"a"] * 3, "p.txt": [b"a"] * 3, "q.txt": [b"b"] * 3}
    status, output, message = run(contents, "--on-error", "skip")
    assert (status, output) == (2, "")
    assert "error: none of the 3 utterances can be scored. The first problem: r.txt and q.txt, line 1: " in message


UNREADABLE = {8: "reference no UTF-8", 9: "prediction no UTF-8", 77: "NUL on both sides"}


@pytest.mark.parametrize(
    "options",
    [
        ["--confidence", "0.9"],
        ["--confidence", "0.9", "--interval-method", "percentile", "--resamples", "200", "--seed", "3"],
        ["--average", "macro"],
        ["--average", "macro", "--confidence", "0.9"],
        ["--scores", "windows,similarity,rand", "--window-size", "2"],
        ["--scores", "windows", "--window-size", "utterance"],
        ["--scores", "unit_error,token,type", "--on-mismatch", "skip"],
        ["--scores", "unit_error,token", "--on-mismatch", "align"],
        [
            "--scores",
            "unit_error,token",
            "--on-mismatch",
            "skip",
            "--confidence",
            "0.9",
            "--interval-method=percentile",
            "--resamples=200",
            "--seed=1",
        ],
        ["--text-format", "units"],
        ["--vocabulary", "words", "--scores", "oov"],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize(
    "unreadable", [UNREADABLE, {8: "reference no UTF-8", 9: "NUL in the reference"}], ids=["any", "reference"]
)
def test_the_others_score_as_if_the_bad_ones_had_never_been(
    run: Run, part_bytes: int, options: list[str], unreadable: dict[int, str]
) -> None:
    reference, prediction = lines_of(REFERENCE), lines_of(PREDICTION)
    if "units" in options:
        reference, prediction = ([b"x WORD_BOUNDARY " + b" ".join(line.split()) for line in reference],) * 2
    if "--on-mismatch" in options:
        prediction[30] += b"x"
        prediction[31] = prediction[31][1:] + b"yy"
    if "--vocabulary" in options:
        words = {word for line in reference for word in line.split()}
        Path("words").write_bytes(b"\n".join(sorted(words)[::2]))
    expected_lines = without(unreadable, reference), without(unreadable, prediction)
    json_options = (*options, "--counts", "--format", "json")
    status, expected, message = run(dict(zip(("r.txt", "p.txt"), expected_lines, strict=True)), *json_options)
    assert status == 0
    # Those of other units are skipped, which is said with and without bad ones.
    skipped = f"p.txt: 2 of {len(expected_lines[0])} utterances have different units" if "skip" in options else ""
    # So are the scores that are undefined on blank and short lines, by means.
    assert message.count("\n") == bool(skipped) + ("macro" in options)
    assert skipped in message
    spoilt_lines = spoilt(unreadable, reference, prediction)
    status, output, message = run(
        dict(zip(("r.txt", "p.txt"), spoilt_lines, strict=True)), *json_options, "--on-error", "skip"
    )
    assert status == 0
    assert f"{len(unreadable)} of {COUNT} utterances could not be scored" in message
    assert skipped in message
    (found,), (want,) = (json.loads(text)["predictions"] for text in (output, expected))
    assert found["counts"].pop("left_out") == len(unreadable)
    assert ("token_fscore_low" in want["scores"]) == ("--confidence" in options)
    assert found == want


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
@pytest.mark.parametrize("name", ["both no UTF-8", "other units", "prediction no UTF-8"])
def test_bad_utterances_are_absent_and_the_others_keep_their_numbers(
    run: Run, part_bytes: int, ending: str, name: str
) -> None:
    bad = {0, 1, 60, COUNT - 1}
    reference, prediction = spoilt(dict.fromkeys(bad, name), lines_of(REFERENCE), lines_of(PREDICTION))
    contents = {"r.txt": reference, "p.txt": prediction}
    options = ("--on-error", "skip", "--scores", "token", "--per-utterance", f"out.{ending}")
    assert run(contents, *options)[0] == 0
    with Path(f"out.{ending}").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file)) if ending == "csv" else [json.loads(line) for line in file]
    good = without(bad, range(COUNT))
    assert [int(row["line"]) for row in rows] == [place + 1 for place in good]
    expected = [naive_scores([REFERENCE[place]], [PREDICTION[place]], math.nan)["token_fscore"] for place in good]
    # An undefined score is an empty cell, and null in JSON.
    found = [math.nan if row["token_fscore"] in ("", None) else float(row["token_fscore"]) for row in rows]
    assert found == pytest.approx(expected, nan_ok=True)
