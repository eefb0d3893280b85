"""Time drawings: both sides of a recording on one axis of time, with the boundaries that are matched, missed and wrong.

A drawing shows five seconds: the first ones, or those from a second before the first missed or wrong boundary on. Its signs are
those of `differences`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

import numpy as np

from ...kernel.arrays import Mask, Positions
from ...kernel.comparison import Comparison
from ...kernel.marks import MATCHED, MISSED, WRONG
from ...kernel.record import record
from ...kernel.segmentation import Segmentation
from .comparison import labels_of
from .intervals import SECOND

#: The most recordings that a page draws.
MOST_DRAWN = 25
#: The seconds of a drawing.
_SECONDS = 5
#: The seconds of a drawing before its first error.
_BEFORE = 1


class Segment(NamedTuple):
    """A segment of a recording."""

    start: float  #: in seconds, as `end`
    end: float
    label: str | None  #: None for silence
    mark: str  #: the mark of its end; empty at the end of the recording

    def overlaps(self, start: float, stop: float) -> bool:
        """Return True if a part of the segment lies between two times."""
        return self.end > start and self.start < stop


@record
class TimedDifference:
    """Five seconds of a recording: the segments of the reference and of the prediction, and the times of matched boundaries."""

    separator: ClassVar[str] = ""  #: as of `Difference`
    sides: tuple[tuple[Segment, ...], tuple[Segment, ...]]
    matched: tuple[tuple[float, float], ...]  #: the time of each matched boundary on both sides
    #: `start`, `stop`: the times at which the drawing begins and ends, in seconds; `duration` is the whole recording's
    start: float
    stop: float
    duration: float
    #: `missed`, `wrong`: the numbers of missed and wrong boundaries in the whole recording
    missed: int
    wrong: int


def timed_differences_at(comparison: Comparison, is_chosen: Mask) -> list[TimedDifference]:
    """Return the differences of chosen recordings of a comparison of times."""
    return [_difference(comparison, recording) for recording in np.flatnonzero(is_chosen).tolist()]


def _difference(comparison: Comparison, recording: int) -> TimedDifference:
    """Return the difference of a recording of a comparison."""
    _, end = comparison.reference.span(recording)
    # Recordings stand apart on their axis, so that one does not begin where the one before it ends.
    begin = end - int(comparison.reference.utterance_units[recording])
    reference = _segments(comparison.reference, recording, begin, comparison.shared_reference, MISSED)
    prediction = _segments(comparison.prediction, recording, begin, comparison.shared_prediction, WRONG)
    missed = _times_with(MISSED, reference)
    wrong = _times_with(WRONG, prediction)
    duration = max((segment.end for segment in reference + prediction), default=0.0)
    first_error = min(missed + wrong, default=0.0)
    # Begin before the first error, but not so late that the recording ends within the drawing.
    start = max(0.0, min(first_error - _BEFORE, duration - _SECONDS))
    stop = min(start + _SECONDS, duration)
    matched = zip(_times_with(MATCHED, reference), _times_with(MATCHED, prediction), strict=True)
    return TimedDifference(
        sides=(
            tuple(segment for segment in reference if segment.overlaps(start, stop)),
            tuple(segment for segment in prediction if segment.overlaps(start, stop)),
        ),
        matched=tuple(pair for pair in matched if start <= min(pair) <= max(pair) <= stop),
        start=start,
        stop=stop,
        duration=duration,
        missed=len(missed),
        wrong=len(wrong),
    )


def _segments(side: Segmentation, recording: int, begin: int, shared: Positions, unmatched_mark: str) -> list[Segment]:
    """Return the segments of a recording, which begins at the unit `begin`; `shared` are those whose end is on both sides."""
    counts = side.word_counts()
    # Recordings of 2 and 3 segments: the segments of recording 1 are 2 3 4.
    after = int(counts[: recording + 1].sum())
    numbers = np.arange(after - counts[recording], after)
    if not len(numbers):
        return []
    ends = ((side.word_ends[numbers] - begin) / SECOND).tolist()
    starts = [0.0, *ends[:-1]]
    marks = np.where(np.isin(numbers, shared), MATCHED, unmatched_mark).tolist()
    # The end of the recording is on both sides by definition.
    marks[-1] = ""
    labels = labels_of(side)
    names = [labels.names[code].as_py() if code >= 0 else None for code in labels.codes[numbers].tolist()]
    return [Segment(*fields) for fields in zip(starts, ends, names, marks, strict=True)]


def _times_with(mark: str, segments: Sequence[Segment]) -> list[float]:
    """Return the times of the boundaries with a mark."""
    return [segment.end for segment in segments if segment.mark == mark]
