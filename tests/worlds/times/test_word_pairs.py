"""Pairs of words: the timing of recordings against an exhaustive search, scipy's assignment, and what must hold."""

import itertools
import random
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

import segscores
from tests.recordings import Rows

# Random words may be as short as those of times in minutes.
pytestmark = pytest.mark.filterwarnings("ignore:.*half of the segments last less:UserWarning")


def timing(reference: Rows, prediction: Rows) -> dict[str, float]:
    return segscores.score([reference], [prediction], text_format="times", scores="timing")


def random_words(source: random.Random, count: int, labels: str = "abc") -> Rows:
    """Words with gaps between them, in milliseconds."""
    times = sorted(source.sample(range(1, 3000), 2 * count))
    pairs = zip(times[::2], times[1::2], strict=True)
    return [(start / 1000, end / 1000, source.choice(labels)) for start, end in pairs]


def exhaustive(reference: Rows, prediction: Rows) -> tuple[int, float]:
    """The size of the longest common subsequences, and the least sum of distances among all of them."""
    for size in range(min(len(reference), len(prediction)), 0, -1):
        sums = [
            sum(abs(start - first) + abs(end - last) for (start, end, _), (first, last, _) in zip(*both, strict=True))
            for both in itertools.product(
                itertools.combinations(reference, size), itertools.combinations(prediction, size)
            )
            if [label for *_, label in both[0]] == [label for *_, label in both[1]]
        ]
        if sums:
            return size, min(sums)
    return 0, 0.0


def test_the_nearest_of_equal_words_pairs() -> None:
    reference: Any = [(at, at + 1, word) for at, word in enumerate(["the", "dog", "saw", "the", "cat"])]
    for kept in ([3, 4], [0, 4], [1, 3], [0, 1, 2, 4]):
        scores = timing(reference, [reference[at] for at in kept])
        assert (scores["timing_mean"], scores["timing_within_10ms"], scores["timing_midpoint"]) == (0, 1, 1)
        assert scores["timing_words"] == len(kept) / 5


def test_timing_equals_an_exhaustive_search() -> None:
    source = random.Random(60)
    for _ in range(50):
        reference = random_words(source, source.randint(1, 6))
        prediction = random_words(source, source.randint(1, 6))
        if source.random() < 0.5:
            prediction = [(start, end + 0.0001, label) for start, end, label in reference if source.random() < 0.7]
        size, distances = exhaustive(reference, prediction)
        scores = timing(reference, prediction)
        assert scores["timing_words"] == size / len(reference)
        # No word touches another, so that each pair has two boundaries.
        assert scores["timing_mean"] * 2 * size == pytest.approx(distances, abs=2e-6), (reference, prediction)


def test_a_long_recording_of_one_word_pairs_as_an_assignment() -> None:
    # Of one label, the nearest pairs in order are an assignment. The search divides so long a recording.
    source = np.random.default_rng(1)
    times, others = (np.sort(source.choice(1_000_000, count, replace=False)) for count in (3000, 1500))
    sides: Any = [
        [(10 * time / 1000, (10 * time + 5) / 1000, "w") for time in side.tolist()] for side in (times, others)
    ]
    distances = np.abs(np.subtract.outer(times, others))
    nearest = distances[linear_sum_assignment(distances)].sum() / 100
    assert timing(*sides)["timing_mean"] == pytest.approx(nearest / 1500)


def test_a_long_recording_with_errors_pairs_every_word_that_both_sides_have() -> None:
    # A word of 8,000 has a name of its own if it is no word of the vocabulary, and is then on one side alone.
    source = random.Random(5)
    vocabulary = range(2000)
    reference: Rows = []
    prediction: Rows = []
    for place in range(8000):
        times = place / 10, place / 10 + 0.05
        label = str(min(int(source.paretovariate(0.5)), len(vocabulary)))
        kind = source.random()
        if kind < 0.9:
            reference.append((*times, label))
            prediction.append((*times, label))
        elif kind < 0.95:
            reference.append((*times, f"reference {place}"))
        else:
            prediction.append((*times, f"prediction {place}"))
    scores = timing(reference, prediction)
    common = sum(label.isdigit() for *_, label in reference)
    assert scores["timing_words"] == common / len(reference)
    assert scores["timing_mean"] == 0


def test_words_left_out_on_one_side_leave_exact_times_exact() -> None:
    source = random.Random(2)
    for _ in range(10):
        words = random_words(source, 40, labels="abcd")
        kept = [word for word in words if source.random() < 0.8]
        for scores in (timing(words, kept), timing(kept, words)):
            assert scores["timing_mean"] == 0


def test_a_constant_that_is_added_to_the_times_of_a_side_is_added_to_the_bias() -> None:
    source = random.Random(3)
    for _ in range(8):
        words = [(start, end, str(at)) for at, (start, end, _) in enumerate(random_words(source, 20))]
        other = [
            (start + source.choice([0, 0.0003]), end, label) for start, end, label in words if source.random() < 0.7
        ]
        later = [(start + 5, end + 5, label) for start, end, label in other]
        bias = timing(words, other)["timing_bias"]
        assert timing(words, later)["timing_bias"] == pytest.approx(bias + 5, abs=2e-6)


def test_many_recordings_pair_each_by_itself() -> None:
    source = random.Random(4)
    sides: list[list[Rows]] = [[random_words(source, source.randint(0, 8)) for _ in range(20)] for _ in range(2)]
    options: Any = {"text_format": "times", "scores": "timing"}
    parts = [segscores.tally([left], [right], **options) for left, right in zip(*sides, strict=True)]
    assert sum(parts[1:], parts[0]) == segscores.tally(*sides, **options)
