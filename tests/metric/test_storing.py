"""Storing: added batches are scored unchanged, in any form, and one form at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segscores

#: Utterances of each form, blank ones among them, and the options with which they are read.
TEXTS = ["the dog", "", "狗 叫", "a\u0301 b", "x" * 300]
WORD_LISTS = [["the", "dog"], [], ["狗"], ["a b", "c"], ["x"] * 200]
LABEL_ROWS = [[1, 0, 0], [], [1], [0, 1], [1] * 300]
UTTERANCES: dict[str, list[Any]] = {"text": TEXTS, "words": WORD_LISTS, "labels": LABEL_ROWS}
OPTIONS: dict[str, dict[str, Any]] = {
    "text": {"text_format": "words"},
    "words": {},
    "labels": {"label_scheme": "start"},
}


@pytest.fixture
def metric(tmp_path: Path) -> Any:
    return segscores.load(scores="token", cache_dir=str(tmp_path))


@pytest.mark.parametrize("form", ["words", "labels"])
@pytest.mark.parametrize("places", [[0], [2], [0, 1], [0, 1, 2]], ids=str)
def test_blank_batches_are_of_any_form_that_has_lists(metric: Any, form: str, places: list[int]) -> None:
    filled = UTTERANCES[form][:1]
    batches = [[[]] if place in places else filled for place in range(3)]
    for batch in batches:
        metric.add_batch(references=batch, predictions=batch)
    both = [utterance for batch in batches for utterance in batch]
    options = OPTIONS[form] if len(places) < 3 else {}
    assert metric.compute(**options) == segscores.score(both, both, scores="token", **options)


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
    metric: Any, first: list[Any], second: list[Any], message: str
) -> None:
    metric.add_batch(references=first, predictions=first)
    with pytest.raises(TypeError, match=f"^mixed forms: {message}; expected the same form in every batch"):
        metric.add_batch(references=second, predictions=second)
    metric.add_batch(references=first, predictions=first)
    assert len(metric) == 2 * len(first)


def test_a_form_is_kept_for_one_computation_alone(metric: Any) -> None:
    for form in ("text", "labels", "words"):
        metric.add_batch(references=UTTERANCES[form], predictions=UTTERANCES[form])
        assert metric.compute(**OPTIONS[form])["token_fscore"] == 1.0


def test_the_version_is_that_of_the_package(metric: Any) -> None:
    assert str(metric.version) == segscores.__version__


def test_what_was_added_does_not_change_with_the_array_that_was_given(metric: Any) -> None:
    labels = np.array([[1, 0], [1, 1]])
    metric.add_batch(references=labels, predictions=labels[::-1])
    metric.add_batch(references=labels[:1], predictions=labels[:1])
    labels[:] = 0
    assert metric.compute(label_scheme="start")["token_recall"] == 1 / 4
