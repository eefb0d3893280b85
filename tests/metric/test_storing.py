"""Storing: added batches are read unchanged, in any form, from one process or two, and are removed afterwards."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import evaluate
import pyarrow as pa
import pytest

from segscores import __version__
from segscores.metric.cards import card
from segscores.metric.storing import PairStoringMetric, features_of_pairs, pair_of
from segscores.reading.inputs import BLANKS, read_pair

#: Utterances of each form, blank ones among them.
TEXTS = ["the dog", "", "狗 叫", "a\u0301 b", "x" * 300]
WORD_LISTS = [["the", "dog"], [], ["狗"], ["a b", "c"], ["x"] * 200]
LABEL_ROWS = [[1, 0, 0], [], [1], [0, 1], [1] * 300]
UTTERANCES: dict[str, list[Any]] = {"text": TEXTS, "words": WORD_LISTS, "labels": LABEL_ROWS}


class Keeping(PairStoringMetric):
    """Gives back what was added."""

    def _info(self) -> evaluate.MetricInfo:
        return card("", type(self).take, *features_of_pairs())

    def _check_options(self, options: Mapping[str, Any]) -> None:
        assert not options

    def add_pair(self, references: list[Any], predictions: list[Any], **options: Any) -> None:
        self._store_pair(*read_pair(references, predictions), **options)

    def take(self) -> tuple[list[Any], list[Any]] | None:
        """What was added, and what the other processes added."""
        return self._score_stored(None, lambda rows: tuple(side.to_pylist() for side in pair_of(rows)))  # type: ignore[return-value, arg-type]


@pytest.fixture(params=[False, True], ids=["in a file", "in memory"])
def metric(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Keeping]:
    keeping = Keeping(keep_in_memory=request.param, **({} if request.param else {"cache_dir": str(tmp_path)}))
    yield keeping
    keeping.reset()


def arrow_files(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.arrow"))


def in_batches(count: int, seed: int) -> Iterator[slice]:
    """Slices of `count` utterances, some of one and some of none."""
    source, start = random.Random(seed), 0
    while start < count:
        size = source.choice([0, 1, 1, 2, 3])
        yield slice(start, start + size)
        start += size


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("form", UTTERANCES)
def test_added_examples_are_read_in_order(metric: Keeping, form: str, seed: int) -> None:
    references = UTTERANCES[form] * 3
    predictions = references[::-1]
    for batch in in_batches(len(references), seed):
        metric.add_pair(references[batch], predictions[batch])
    assert metric.take() == (references, predictions)


@pytest.mark.parametrize("form", ["words", "labels"])
@pytest.mark.parametrize("places", [[0], [2], [0, 1], [0, 1, 2]], ids=str)
def test_blank_batches_are_of_any_form_that_has_lists(metric: Keeping, form: str, places: list[int]) -> None:
    filled = UTTERANCES[form][:1]
    batches = [[[]] if place in places else filled for place in range(3)]
    for batch in batches:
        metric.add_pair(batch, batch)
    both = [utterance for batch in batches for utterance in batch]
    assert metric.take() == (both, both)


def test_blank_batches_alone_stay_blank(metric: Keeping) -> None:
    metric.add_pair([[], []], [[], []])
    assert metric._stored_form == BLANKS
    assert metric.take() == ([[], []], [[], []])


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        (TEXTS, WORD_LISTS, "this batch has lists of strings and the ones before have strings"),
        (TEXTS, [[]], "this batch has empty lists and the ones before have strings"),
        (WORD_LISTS, TEXTS, "this batch has strings and the ones before have lists of strings"),
        (WORD_LISTS, LABEL_ROWS, "this batch has lists of integers and the ones before have lists of strings"),
        (LABEL_ROWS, TEXTS, "this batch has strings and the ones before have lists of integers"),
        ([[]], TEXTS, "this batch has strings and the ones before have empty lists"),
    ],
    ids=["text, words", "text, blank", "words, text", "words, labels", "labels, text", "blank, text"],
)
def test_a_batch_of_another_form_is_rejected_and_not_added(
    metric: Keeping, first: list[Any], second: list[Any], message: str
) -> None:
    metric.add_pair(first, first)
    with pytest.raises(TypeError, match=f"^mixed forms: {message}; expected the same form in every batch"):
        metric.add_pair(second, second)
    metric.add_pair(first, first)
    assert metric.take() == (first * 2, first * 2)


def test_a_form_is_kept_for_one_computation_alone(metric: Keeping) -> None:
    for utterances in (TEXTS, LABEL_ROWS, WORD_LISTS):
        metric.add_pair(utterances, utterances)
        assert metric.take() == (utterances, utterances)
        assert metric._stored_form == pa.null()
        assert metric._scores_at_once


def test_columns_beside_the_sides_are_kept(metric: Keeping, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Keeping, "stored_columns", {**PairStoringMetric.stored_columns, "weight": pa.float64()})
    for weights in ([0.5, 1.0], [0.25]):
        column = pa.chunked_array([pa.array(weights, pa.float64())])
        metric.add_pair(TEXTS[: len(weights)], TEXTS[: len(weights)], weight=column)
    assert metric._score_stored(None, lambda rows: rows.column("weight").to_pylist()) == [0.5, 1.0, 0.25]  # type: ignore[arg-type, return-value]


def test_nothing_added_is_nothing_stored(metric: Keeping) -> None:
    metric.add_pair([], [])
    assert metric._scores_at_once
    with pytest.raises(ValueError, match=r"^there is nothing to score: pass "):
        metric.take()


def test_the_cache_file_is_removed_after_scoring(tmp_path: Path) -> None:
    metric = Keeping(cache_dir=str(tmp_path))
    metric.add_pair(TEXTS, TEXTS)
    assert metric.take() == (TEXTS, TEXTS)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_after_an_error_added_examples_stay_until_scored_or_reset(metric: Keeping, tmp_path: Path) -> None:
    def fail(rows: pa.Table) -> dict[str, float]:
        raise ValueError("the third utterance is bad")

    metric.add_pair(TEXTS, TEXTS)
    with pytest.raises(ValueError, match="the third utterance is bad"):
        metric._score_stored(None, fail)
    assert len(metric) == len(TEXTS)
    metric.add_pair(["more"], ["more"])
    assert metric.take() == ([*TEXTS, "more"],) * 2
    metric.add_pair(TEXTS, TEXTS)
    with pytest.raises(ValueError, match="the third utterance is bad"):
        metric._score_stored(None, fail)
    metric.reset()
    assert (len(metric), arrow_files(tmp_path)) == (0, [])
    metric.add_pair(LABEL_ROWS, LABEL_ROWS)
    assert metric.take() == (LABEL_ROWS, LABEL_ROWS)


def test_two_metrics_of_one_name_keep_apart(tmp_path: Path) -> None:
    metrics = [Keeping(cache_dir=str(tmp_path)) for _ in range(2)]
    for metric, utterances in zip(metrics, (TEXTS, LABEL_ROWS), strict=True):
        metric.add_pair(utterances, utterances)
    assert [metric.take() for metric in metrics] == [(TEXTS, TEXTS), (LABEL_ROWS, LABEL_ROWS)]


def of_two_processes(folder: Path, *shares: list[Any]) -> list[Any]:
    """What each of two processes gets, or the error that it raises; threads stand for processes, for all meet in files."""

    def run(number: int) -> Any:
        metric = Keeping(num_process=2, process_id=number, experiment_id="both", cache_dir=str(folder), timeout=300)
        try:
            metric.add_pair(shares[number], shares[number])
            return metric.take()
        except TypeError as error:
            return str(error)

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(run, range(2)))


@pytest.mark.parametrize("form", UTTERANCES)
def test_the_first_of_two_processes_scores_the_examples_of_both(form: str, tmp_path: Path) -> None:
    shares = UTTERANCES[form][:3], UTTERANCES[form][3:]
    assert of_two_processes(tmp_path, *shares) == [(shares[0] + shares[1],) * 2, None]
    assert arrow_files(tmp_path) == []


@pytest.mark.parametrize("form", ["words", "labels"])
def test_a_process_with_blank_utterances_alone_fits_the_other(form: str, tmp_path: Path) -> None:
    shares = [[], []], UTTERANCES[form]
    assert of_two_processes(tmp_path, *shares) == [(shares[0] + shares[1],) * 2, None]


@pytest.mark.parametrize(
    ("shares", "kinds"),
    [
        ((TEXTS, WORD_LISTS), "strings and lists of strings"),
        ((LABEL_ROWS, WORD_LISTS), "lists of strings and lists of integers"),
        ((TEXTS, [[]]), "strings and empty lists"),
    ],
    ids=["text, words", "labels, words", "text, blank"],
)
def test_processes_of_different_forms_are_an_error_of_the_first(
    shares: tuple[list[Any], list[Any]], kinds: str, tmp_path: Path
) -> None:
    first, second = of_two_processes(tmp_path, *shares)
    assert first == f"mixed forms: the processes have {kinds}; expected the same form in all."
    assert second is None


def test_the_features_are_those_of_each_form_and_the_version_is_the_packages() -> None:
    forms = [pa.string(), pa.list_(pa.string()), pa.list_(pa.int64())]
    expected = [{"predictions": form, "references": form, "weight": pa.float64()} for form in forms]
    assert features_of_pairs(weight=pa.float64()) == expected
    assert Keeping(keep_in_memory=True).version == __version__


def test_every_process_takes_another_form_after_the_first_has_scored(tmp_path: Path) -> None:
    is_read = Barrier(2)

    def run(number: int) -> list[Any]:
        metric = Keeping(num_process=2, process_id=number, experiment_id="both", cache_dir=str(tmp_path), timeout=300)
        found = []
        for utterances in (TEXTS, LABEL_ROWS):
            metric.add_pair(utterances, utterances)
            found.append(metric.take())
            # As between two evaluations, none begins before the first process has read.
            is_read.wait(300)
        return found

    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(run, range(2))
    assert first == [(TEXTS * 2, TEXTS * 2), (LABEL_ROWS * 2, LABEL_ROWS * 2)]
    assert second == [None, None]


FORKED = """
import os, sys
import segscores

for keep_in_memory in (False, True):
    for action in ("reset", "compute", "add", "nothing"):
        metric = segscores.load(
            cache_dir=sys.argv[1], keep_in_memory=keep_in_memory, text_format="words", scores="token"
        )
        metric.add_batch(references=["a b"] * 3, predictions=["a b"] * 3)
        metric.add(reference="a b", prediction="ab")  # waits to be written with others
        receive, send = os.pipe()
        child = os.fork()
        if not child:
            os.read(receive, 1)  # until the parent has added more
            if action == "reset":
                metric.reset()
            elif action == "compute":
                assert metric.compute()["token_recall"] == 3 / 4
            elif action == "add":
                metric.add_batch(references=["c d"] * 4, predictions=["cd"] * 4)
                assert metric.compute()["token_recall"] == 3 / 8
            assert len(metric) == (4 if action == "nothing" else 0)
            metric.add_batch(references=["a", "b"], predictions=["a", "b"])
            assert len(metric) == (6 if action == "nothing" else 2)
            sys.exit()
        metric.add_batch(references=["a b"] * 4, predictions=["ab"] * 4)
        os.write(send, b".")
        assert os.waitpid(child, 0)[1] == 0, action
        metric.add_batch(references=["a b"] * 2, predictions=["a b"] * 2)
        assert len(metric) == 10, action
        assert metric.compute()["token_recall"] == 5 / 10, action
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only some systems fork")
def test_a_forked_process_has_its_own_rows(tmp_path: Path) -> None:
    command = [sys.executable, "-c", FORKED, str(tmp_path)]
    ran = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stderr
