"""Labelled time: published figures, mir_eval, and a naive count of frames."""

import itertools
import random
from typing import Any

import mir_eval
import numpy as np
import pytest

import segscores
from segscores import Intervals
from tests.recordings import Rows, random_rows

OPTIONS: Any = {"text_format": "times", "silence": ["_"], "scores": "labelled_time"}
FRAMES = 64


def labels_of_frames(rows: Rows) -> list[str]:
    """The label of each frame of 10 ms; blank for silence."""
    labels = [""] * FRAMES
    for start, end, label in rows:
        for frame in range(round(100 * start), round(100 * end)):
            labels[frame] = "" if label == "_" else label
    return labels


def naive(reference: Rows, prediction: Rows) -> dict[str, float]:
    """The scores from the labels of frames."""
    pairs = [*zip(labels_of_frames(reference), labels_of_frames(prediction), strict=True)]
    same = sum(left == right != "" for left, right in pairs)
    predicted = sum(right != "" for _, right in pairs)
    words = sum(left != "" for left, _ in pairs)
    wrong = sum(left != right for left, right in pairs)
    return {
        "labelled_time_precision": same / predicted,
        "labelled_time_recall": same / words,
        "labelled_time_fscore": 2 * same / (predicted + words),
        "labelled_time_accuracy": 1 - wrong / FRAMES,
        "identification_error_rate": wrong / words,
    }


def recording(rows: Rows) -> Intervals:
    columns = [[row[at] for row in rows] for at in range(3)]
    return Intervals(*columns, duration=FRAMES / 100)


def test_scores_equal_those_of_frames() -> None:
    source = random.Random(1)
    for _ in range(120):
        rows = random_rows(source, last=FRAMES), random_rows(source, last=FRAMES)
        if all(any(label for label in labels_of_frames(side)) for side in rows):
            found = segscores.score(*([recording(side)] for side in rows), **OPTIONS)
            assert found == pytest.approx(naive(*rows)), rows


def test_many_recordings_add_up_whatever_the_tolerance() -> None:
    source = random.Random(2)
    sides: Any = [[random_rows(source) for _ in range(40)] for _ in range(2)]
    parts = [segscores.tally([left], [right], **OPTIONS) for left, right in zip(*sides, strict=True)]
    scores = sum(parts[1:], parts[0]).scores()
    for tolerance in (0, 0.02, 0.5):
        assert segscores.score(*sides, tolerance=tolerance, **OPTIONS) == scores


def test_the_accuracy_is_that_of_mir_eval() -> None:
    source = random.Random(3)
    for _ in range(40):
        sides = []
        for _ in range(2):
            times = [0, *sorted(source.sample(range(1, 100), source.randint(1, 9))), 100]
            ends = itertools.pairwise(times)
            sides.append([(start / 10, end / 10, source.choice("abc")) for start, end in ends])
        intervals = [np.array([row[:2] for row in side]) for side in sides]
        labels = [[row[2] for row in side] for side in sides]
        merged, *both = mir_eval.util.merge_labeled_intervals(intervals[0], labels[0], intervals[1], labels[1])
        is_same = np.array([left == right for left, right in zip(*both, strict=True)], float)
        expected = mir_eval.chord.weighted_accuracy(is_same, mir_eval.util.intervals_to_durations(merged))
        found = segscores.score([sides[0]], [sides[1]], **OPTIONS)
        assert found["labelled_time_accuracy"] == pytest.approx(expected)


def test_the_identification_error_of_the_example_of_pyannote() -> None:
    # pyannote.metrics, user guide: of 31 s 22 are right, 2 missed, 7 false alarm and 7 confusion.
    reference = [(0, 10, "A"), (12, 20, "B"), (24, 27, "A"), (30, 40, "C")]
    prediction = [(2, 13, "A"), (13, 14, "D"), (14, 20, "B"), (22, 38, "C"), (38, 40, "D")]
    counts = segscores.tally([reference], [prediction], **OPTIONS).counts()
    assert counts["labelled_time_matched"] == 22_000_000
    scores = segscores.score([reference], [prediction], **OPTIONS)
    assert scores["identification_error_rate"] == pytest.approx((2 + 7 + 7) / 31)
    assert scores["labelled_time_recall"] == pytest.approx(22 / 31)


@pytest.mark.parametrize(
    ("reference", "prediction", "accuracy"),
    [
        # By hand: the later end counts, and a side that ends before is silent.
        ([(0.0, 1.0, "a")], [(0.0, 0.5, "a")], 0.5),
        ([(0.0, 0.5, "a")], [(0.0, 1.0, "a")], 0.5),
        ([(0.5, 1.0, "a")], [], 0.5),
        ([(0.5, 1.0, "a")], [(0.5, 1.0, "b")], 0.5),
        ([(0.0, 1.0)], [(0.0, 0.3), (0.3, 1.0)], 1.0),
    ],
)
def test_ends_and_silence(reference: Any, prediction: Any, accuracy: float) -> None:
    scores = segscores.score([reference], [prediction], **OPTIONS)
    assert scores["labelled_time_accuracy"] == accuracy
