"""With `--on-error skip` utterances that cannot be scored are left out on both sides, without effect on the others."""

import csv
import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import segscores
from segscores.reading.inputs import read_column
from segscores.reading.sources.source import Rows, Side, Source
from segscores.reading.trouble import failures
from segscores.scoring.passes import sum_tallies
from segscores.scoring.plan import Plan

from ..command_runs import Run
from ..corpora import random_corpus_pair, words_text
from ..naive import naive_scores


@pytest.mark.parametrize("count", [1, 2, 3, 1000, 1 << 16])
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("is_prefix", [False, True])
def test_few_calls_find_one_failure(count: int, share: float, is_prefix: bool) -> None:
    bad = int((count - 1) * share)
    calls: list[tuple[int, int]] = []

    def error_of(start: int, stop: int) -> ValueError | None:
        calls.append((start, stop))
        if is_prefix:
            return ValueError() if bad < stop else None
        return ValueError() if start <= bad < stop else None

    found = failures(error_of, 0, count)
    if is_prefix:
        # All longer beginnings fail too: take the first.
        first, _ = next(found)
        assert first == bad
    else:
        assert [place for place, _ in found] == [bad]
    assert len(calls) <= 2 * math.ceil(math.log2(count)) + 1
    if bad == count - 1:
        # A second half is not asked if the first half has no error.
        assert len(calls) <= math.ceil(math.log2(count)) + 2


@given(bad=st.sets(st.integers(0, 40)), more=st.integers(0, 9), fails=st.booleans())
def test_every_failure_is_found_in_order_with_its_error(bad: set[int], more: int, fails: bool) -> None:
    count = max(bad, default=0) + 1 + more

    def error_of(start: int, stop: int) -> ValueError | None:
        within = sorted(bad.intersection(range(start, stop)))
        return ValueError(f"{within[0]} in {stop - start}") if within else None

    found = [(place, str(error)) for place, error in failures(error_of, 0, count, fails=fails and bool(bad))]
    assert found == [(place, f"{place} in 1") for place in sorted(bad)]


@pytest.mark.parametrize("count", [2, 2000])
def test_units_that_differ_take_one_reading_however_many_they_are(count: int) -> None:
    decoded: list[int] = []

    class Counted(Rows):
        def decode(self, at: int, side: str, first: int) -> Any:
            decoded.append(len(self))
            return super().decode(at, side, first)

    def side(role: str, texts: list[str]) -> Side:
        batch = Counted((read_column(texts, role).chunk(0),), is_checked=True)
        return Side(role, (Source(role, lambda: iter([batch])),), plan.reading)

    plan = Plan.of(text_format="words", on_error="skip")
    sides = [side("references", ["a b"] * count), side("predictions", ["a b", "a c"] * (count // 2))]
    with pytest.warns(UserWarning, match="could not be scored"):
        _, observed = sum_tallies(sides, plan)
    assert observed.trouble.skipped == [count // 2]
    assert decoded == [count, count]


COUNT = 40
REFERENCE, PREDICTION = random_corpus_pair(COUNT, seed=38, units="ab狗叫é𠮷", max_units=9)
BAD: dict[str, tuple[bytes | None, bytes | None]] = {
    "reference no UTF-8": (b"a \xff b", None), "prediction no UTF-8": (None, b"\x80"),
    "both no UTF-8": (b"caf\xe9", b"\xc0\xaf"), "NUL in the reference": (b"a\0", b"a"),
    "NUL in the prediction": (b"a", b"a \0"), "NUL on both sides": (b"a\0", b"a\0"),
    "other units": (b"the dog", b"the cat"), "units more": (b"the dog", b"the dogs"), "blank reference": (b"", b"a"),
    "blank prediction": (b"a", b"  "),
}  # fmt: skip


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


def test_a_prediction_without_a_good_utterance_is_an_error(in_folder: Path, error: Any) -> None:
    contents = {"r.txt": [b"a"] * 3, "p.txt": [b"a"] * 3, "q.txt": [b"b"] * 3}
    told = "error: none of the 3 utterances can be scored. The first problem: r.txt and q.txt, line 1: "
    assert told in error(contents, "--on-error", "skip")


UNREADABLE = {8: "reference no UTF-8", 9: "prediction no UTF-8", 27: "NUL on both sides"}


PERCENTILES = "--confidence 0.9 --interval-method percentile --resamples 200 --seed 3"
OPTIONS = [
    *("--confidence 0.9", PERCENTILES, "--average macro", "--average macro --confidence 0.9", "--text-format units"),
    *("--scores windows,similarity,rand --window-size 2", "--scores windows --window-size utterance"),
    *("--scores unit_error_rate,token --on-mismatch align", "--vocabulary words --scores oov"),
]


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.usefixtures("in_folder", "piece_bytes")
def test_the_others_score_as_if_the_bad_ones_had_never_been(run: Run, options: str) -> None:
    reference, prediction = lines_of(REFERENCE), lines_of(PREDICTION)
    if "units" in options:
        reference, prediction = ([b"x WORD_BOUNDARY " + b" ".join(line.split()) for line in reference],) * 2
    if "--on-mismatch" in options:
        prediction[30] += b"x"
        prediction[31] = prediction[31][1:] + b"yy"
    if "--vocabulary" in options:
        Path("words").write_bytes(b"\n".join(sorted({word for line in reference for word in line.split()})[::2]))
    line = (*options.split(), "--counts", "--format", "json")
    good = without(UNREADABLE, reference), without(UNREADABLE, prediction)
    status, expected, message = run(dict(zip(("r.txt", "p.txt"), good, strict=True)), *line)
    assert status == 0
    # The scores that are undefined on blank and short lines are said, by means, and that units text is the same on both sides.
    assert message.count("\n") == ("macro" in options) + ("units" in options)
    bad = spoilt(UNREADABLE, reference, prediction)
    status, output, message = run(dict(zip(("r.txt", "p.txt"), bad, strict=True)), *line, "--on-error", "skip")
    assert status == 0
    assert f"{len(UNREADABLE)} of {COUNT} utterances could not be scored" in message
    (found,), (want,) = (json.loads(text)["predictions"] for text in (output, expected))
    for name in ("skipped_utterances", "left_out"):
        want["counts"].pop(name, 0)
    # The second is the old name of the first.
    assert [found["counts"].pop(name) for name in ("skipped_utterances", "left_out")] == [len(UNREADABLE)] * 2
    assert ("token_fscore_low" in want["scores"]) == ("--confidence" in options)
    assert found == want


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
@pytest.mark.parametrize("name", ["both no UTF-8", "other units", "prediction no UTF-8"])
@pytest.mark.usefixtures("in_folder", "piece_bytes")
def test_bad_utterances_are_absent_and_the_others_keep_their_numbers(run: Run, ending: str, name: str) -> None:
    bad = {0, 1, 20, COUNT - 1}
    sides = spoilt(dict.fromkeys(bad, name), lines_of(REFERENCE), lines_of(PREDICTION))
    options = ("--on-error", "skip", "--scores", "token", "--per-utterance", f"out.{ending}")
    assert run(dict(zip(("r.txt", "p.txt"), sides, strict=True)), *options)[0] == 0
    with Path(f"out.{ending}").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file)) if ending == "csv" else [json.loads(line) for line in file]
    good = without(bad, range(COUNT))
    assert [int(row["line"]) for row in rows] == [place + 1 for place in good]
    expected = [naive_scores([REFERENCE[place]], [PREDICTION[place]], math.nan)["token_fscore"] for place in good]
    # An undefined score is an empty cell, and null in JSON.
    found = [math.nan if row["token_fscore"] in ("", None) else float(row["token_fscore"]) for row in rows]
    assert found == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("average", ["micro", "macro"])
@pytest.mark.filterwarnings("ignore:1 of 3 utterances could not be scored")
def test_skipped_utterances_are_counted_in_sums_and_means(average: str) -> None:
    sides = ["the dog", "a cat", "it is"], ["thedog", "a bat", "it is"]
    options = {"text_format": "words", "on_error": "skip", "average": average}
    assert segscores.score(*sides, scores="skipped_utterances", **options) == {"skipped_utterances": 1}
