"""Scores by label: as if all other labels were silence, with the pairs of words of the whole recordings."""

import random
from typing import Any

import pytest

import segscores
from segscores import Intervals
from tests.recordings import Rows, random_rows

GROUPS = ["boundary_noedge", "token", "rates", "lenient", "labelled_token", "labelled_time"]
LABELS = "abc"
OPTIONS: Any = {"text_format": "times"}


def recordings(source: random.Random, count: int) -> list[Intervals]:
    """Recordings of a known duration, which end with silence."""
    found = []
    for _ in range(count):
        columns: Any = [*zip(*random_rows(source, labels=LABELS), strict=True)] or [(), (), ()]
        found.append(Intervals(*columns, duration=0.8))
    return found


@pytest.mark.parametrize("confidence", [None, 0.9])
@pytest.mark.filterwarnings("ignore:undefined:UserWarning", "ignore:subsets of fewer:UserWarning")
def test_each_label_is_scored_as_if_all_others_were_silence(confidence: float | None) -> None:
    source = random.Random(1)
    sides = recordings(source, 30), recordings(source, 30)
    options: Any = {**OPTIONS, "scores": GROUPS, "confidence": confidence}
    found = segscores.score_by(*sides, "label", **options).scores["prediction"]
    assert [*found] == [*LABELS]
    for label, scores in found.items():
        chosen = [both for both in zip(*sides, strict=True) if any(label in side.labels for side in both)]
        alone = segscores.score(
            *map(list, zip(*chosen, strict=True)), silence=[other for other in LABELS if other != label], **options
        )
        assert scores == pytest.approx(alone, nan_ok=True), label


def test_pairs_are_those_of_the_whole_recording() -> None:
    # The predicted "a" at 3 s is no pair of the one at 0 s, because "b" and "c" pair.
    reference: Rows = [(0.0, 0.4, "a"), (1.0, 1.4, "b"), (2.0, 2.4, "c")]
    prediction: Rows = [(1.0, 1.4, "b"), (2.01, 2.41, "c"), (3.0, 3.4, "a")]
    by_label = segscores.score_by([reference], [prediction], "label", scores="timing", **OPTIONS)
    found = {
        label: (scores["timing_mean"], scores["timing_words"])
        for label, scores in by_label.scores["prediction"].items()
    }
    assert found == {"a": (0.0, 0.0), "b": (0.0, 1.0), "c": (pytest.approx(0.01), 1.0)}


@pytest.mark.parametrize(
    ("reference", "options", "words"),
    [
        (["a b"], {"text_format": "words"}, ('by="label"', 'text_format="times"')),
        ([[(0.0, 1.0)]], OPTIONS, ('by="label"', "no labels")),
    ],
)
def test_what_has_no_labels_is_refused(reference: Any, options: Any, words: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="label") as raised:
        segscores.score_by(reference, reference, "label", **options)
    assert all(word in str(raised.value) for word in words), raised.value


@pytest.mark.parametrize(
    ("reference", "prediction", "expected"),
    [
        # By hand: ends within the tolerance are one moment, which is an edge and no boundary of "b".
        ([(0.0, 0.5, "a"), (0.5, 1.0, "b")], [(0.0, 0.5, "a"), (0.5, 1.015, "b")], (1.0, 1.0, 1.0 / 1.015)),
        # Ends that differ are boundaries, and the recording lasts up to the later one.
        ([(0.0, 0.5, "a")], [(0.0, 0.5, "a"), (0.5, 1.5, "b")], (0.0, 0.0, 0.5 / 1.5)),
    ],
)
@pytest.mark.filterwarnings("ignore:undefined:UserWarning")
def test_a_part_ends_where_its_recordings_end(reference: Rows, prediction: Rows, expected: tuple[float, ...]) -> None:
    keys = ["boundary_noedge_precision", "boundary_noedge_recall", "labelled_time_accuracy"]
    found = segscores.score_by([reference], [prediction], "label", scores=keys, **OPTIONS).scores["prediction"]["b"]
    assert [found[key] for key in keys] == pytest.approx([*expected])
