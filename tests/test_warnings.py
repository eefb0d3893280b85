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
    analyse_errors,
    as_compute_metrics,
    compare,
    compare_errors,
    correlate,
    per_utterance,
    score,
    score_agreement,
    score_alternatives,
    score_by,
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
    "score, interval, skipped": lambda: score([*LEFT, "a"], [*RIGHT, "c"], **INTERVAL, on_error="skip"),
    "score, undefined": lambda: score(["a"], ["a"], text_format="words", scores="boundary_noedge"),
    "score, no boundary token": lambda: score(PLAIN, PLAIN),
    "per_utterance": lambda: per_utterance(PLAIN, PLAIN, scores="token"),
    "compare": lambda: compare(LEFT, {"one": RIGHT, "other": LEFT}, **INTERVAL, n_trials=9),
    "tally": lambda: tally(["a", "b"], ["a", "c"], **WORDS, on_error="skip"),
    "score_dataset, interval": lambda: score_dataset(DATASET, **INTERVAL),
    "score_dataset, left out": lambda: score_dataset(
        Dataset.from_dict({"reference": ["a", "b"], "prediction": ["a", "c"]}), **WORDS, on_error="skip"
    ),
    "analyse_errors, skipped": lambda: analyse_errors(["a", "b"], ["a", "c"], text_format="words", on_error="skip"),
    "compare, skipped": lambda: compare(
        ["a b", "b"] * 12, {"one": ["a b", "c"] * 12, "other": ["ab", "b"] * 12}, **WORDS, on_error="skip", n_trials=9
    ),
    "compare_errors, skipped": lambda: compare_errors(
        ["a", "b"], {"one": ["a", "c"], "other": ["a", "b"]}, text_format="words", on_error="skip"
    ),
    "per_utterance, skipped": lambda: per_utterance(["a", "b"], ["a", "c"], **WORDS, on_error="skip"),
    "score_by, skipped": lambda: score_by(["a", "b"], ["a", "c"], by=["x", "x"], **WORDS, on_error="skip"),
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
    assert len({str(warning.message) for warning in ours}) == len(ours)
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


def of_lines(count: int, **options: Any) -> object:
    """An interval of so many utterances, of which every third is wrong."""
    predictions = ["abc d", "ab c d", "ab c d"] * count
    return score(["ab c d"] * count, predictions[:count], **INTERVAL | options)


#: Calls with a number, the last number of which there is a warning, its beginning, and the first without one.
EDGES: dict[str, tuple[Callable[[int], object], int, str, int]] = {
    "systems": (lambda count: correlate({"f": [at * at % 7 for at in range(count)]}, [*range(count)]), 9,
        "9 systems: a correlation over fewer than 10 is very uncertain", 10),
    "utterances": (of_lines, 11, "11 utterances: intervals from fewer than 12 contain the true score less often", 12),
    "clusters": (lambda count: of_lines(30, clusters=[min(at, count - 1) for at in range(30)]), 11,
        "11 clusters: intervals from fewer than 12 contain", 30),
    "resamples": (lambda count: of_lines(40, interval_method="percentile", n_resamples=count), 99,
        "99 resamples are few for this confidence: .* Pass n_resamples=100 or more", 100),
    "the level of confidence": (lambda percent: of_lines(40, confidence=percent / 100), 49,
        r"confidence=0\.49: an interval has the true value .*did you mean 0\.51", 50),
    "words in the vocabulary": (
        lambda count: score(["ab cd ef gh"], ["ab cd ef gh"], text_format="words", scores="oov_rate", vocabulary=
        ["ab", "cd", "ef"][:count]), 1, "75.0% of the reference words are outside the vocabulary, where more than 50%", 2),
    "words in the vocabulary, with means over utterances": (
        lambda count: score(["ab cd ef gh"], ["ab cd ef gh"], text_format="words", scores="oov_rate", vocabulary=
        ["ab", "cd", "ef"][:count], average="macro"), 1, "75.0% of the reference words are outside the vocabulary", 2),
    # An utterance with more than 3 / 12 of the text.
    "units of the longest utterance": (
        lambda count: score(["a b c"] * 11 + ["a " * count], ["ab c"] * 11 + ["a " * count], **INTERVAL), 12,
        "utterance 11 has 27 % of the text: intervals and tests depend on it", 11),
}  # fmt: skip


@pytest.mark.parametrize("name", EDGES)
def test_a_warning_ends_at_its_number(name: str) -> None:
    call, warned, message, quiet = EDGES[name]
    with pytest.warns(UserWarning, match=f"^{message}"):
        call(warned)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call(quiet)
    assert not [
        str(warning.message) for warning in caught if "each utterance has a cluster" not in str(warning.message)
    ]
