"""Every warning of the library names the line of the caller, so that Python reports it once per line."""

import inspect
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from datasets import Dataset

from segscores import (
    SegmentationScores,
    as_compute_metrics,
    compare,
    per_utterance,
    score,
    score_agreement,
    score_alternatives,
    score_dataset,
    tally,
)

LEFT, RIGHT = ["a b", "a b c"] * 5, ["ab", "ab c"] * 5
WORDS: dict[str, Any] = {"text_format": "words", "scores": "token"}
INTERVAL: dict[str, Any] = {**WORDS, "confidence": 0.9}
DATASET = Dataset.from_dict({"reference": LEFT, "prediction": RIGHT})
PLAIN = ["the dog is on the boat"] * 500


def of_metric(**options: Any) -> Callable[[], object]:
    metric = SegmentationScores()
    return lambda: metric.compute(references=LEFT, predictions=RIGHT, **options)


def of_trainer() -> Callable[[], object]:
    compute_metrics = as_compute_metrics(id2label={0: "B", 1: "I"})
    return lambda: compute_metrics((np.full((1, 2, 2), np.nan), np.zeros((1, 2), int)))


CALLS: dict[str, Callable[[], object]] = {
    "score, interval": lambda: score(LEFT, RIGHT, **INTERVAL),
    "score, clusters": lambda: score(LEFT, RIGHT, **INTERVAL, clusters=[0, 1] * 5),
    "score, only a bound": lambda: score(["a b c"] * 60, ["a bc"] * 60, **INTERVAL),
    "score, skipped": lambda: score(["a", "b"], ["a", "c"], **WORDS, on_error="skip"),
    "score, undefined": lambda: score(["a"], ["a"], text_format="words", scores="boundary_noedge"),
    "score, no boundary token": lambda: score(PLAIN, PLAIN),
    "per_utterance": lambda: per_utterance(PLAIN, PLAIN, scores="token"),
    "compare": lambda: compare(LEFT, {"one": RIGHT, "other": LEFT}, **INTERVAL, n_trials=9),
    "tally": lambda: tally(["a", "b"], ["a", "c"], **WORDS, on_error="skip"),
    "score_dataset, interval": lambda: score_dataset(DATASET, **INTERVAL),
    "score_dataset, left out": lambda: score_dataset(
        Dataset.from_dict({"reference": ["a", "b"], "prediction": ["a", "c"]}), **WORDS, on_error="skip"
    ),
    "score_agreement": lambda: score_agreement([PLAIN, PLAIN]),
    "score_alternatives": lambda: score_alternatives([PLAIN], PLAIN, scores="token"),
    "metric": of_metric(**INTERVAL),
    "trainer": of_trainer(),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_warning_names_the_line_of_the_caller(name: str) -> None:
    lines, first = inspect.getsourcelines(CALLS[name])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        CALLS[name]()
    ours = [warning for warning in caught if warning.category in (UserWarning, RuntimeWarning)]
    assert ours
    for warning in ours:
        assert warning.filename == __file__
        assert first <= warning.lineno < first + len(lines)


def test_a_warning_is_shown_once_for_every_line_that_leads_to_it() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(3):
            score(LEFT, RIGHT, **INTERVAL)
        score(LEFT, RIGHT, **INTERVAL)
    assert len(caught) == 2
    assert caught[0].lineno + 1 == caught[1].lineno
