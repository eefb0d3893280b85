"""Time drawings: both sides of a recording on one axis of time, with the boundaries that are matched, missed and wrong.

A drawing shows five seconds: the first ones, or those from a second before the first missed or wrong boundary on. Its signs are
those of `differences`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from ..kernel.arrays import Mask
from ..kernel.comparison import Comparison
from ..reading.times import SECOND
from .differences import MATCHED, MISSED, WRONG

#: The most recordings that a page draws, the seconds of a drawing, and the seconds before its first error.
MOST_DRAWN, _SECONDS, _BEFORE = 25, 5, 1


class Segment(NamedTuple):
    """A segment: its times in seconds, its label, None for silence, and the mark of its end, "" for the end of the recording."""

    start: float
    end: float
    label: str | None
    mark: str


@dataclass(frozen=True)
class TimedDifference:
    """Five seconds of a recording: the segments of the reference and of the prediction, and the times of matched boundaries."""

    separator: ClassVar[str] = ""  #: as of `Difference`
    sides: tuple[tuple[Segment, ...], tuple[Segment, ...]]
    matched: tuple[tuple[float, float], ...]
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
    sides = (comparison.reference, comparison.shared_reference), (comparison.prediction, comparison.shared_prediction)
    begin, stop = sides[0][0].span(recording)
    begin = stop - int(sides[0][0].utterance_units[recording])
    tiers: list[list[Segment]] = []
    for (side, shared), other_mark in zip(sides, (MISSED, WRONG), strict=True):
        last = np.cumsum(side.word_counts())[recording]
        places = np.arange(last - side.word_counts()[recording], last)
        ends = ((side.word_ends[places] - begin) / SECOND).tolist()
        marks = np.where(np.isin(places, shared), MATCHED, other_mark).tolist()
        names, codes = side.label_names, np.asarray(side.labels)[places].tolist()
        labels = [names[code].as_py() if names is not None and code >= 0 else None for code in codes]
        marks[-1:] = [""] if marks else []
        tiers.append([Segment(*cells) for cells in zip([0.0, *ends[:-1]], ends, labels, marks, strict=True)])
    errors = [[segment.end for segment in tier if segment.mark in (MISSED, WRONG)] for tier in tiers]
    matched = zip(*([segment.end for segment in tier if segment.mark == MATCHED] for tier in tiers), strict=True)
    duration = max((segment.end for tier in tiers for segment in tier), default=0.0)
    start = max(0.0, min(min(map(min, filter(None, errors)), default=0.0) - _BEFORE, duration - _SECONDS))
    stop_shown = min(start + _SECONDS, duration)
    shown = [tuple(segment for segment in tier if segment.end > start and segment.start < stop_shown) for tier in tiers]
    joined = tuple(pair for pair in matched if start <= min(pair) and max(pair) <= stop_shown)
    return TimedDifference((shown[0], shown[1]), joined, start, stop_shown, duration, len(errors[0]), len(errors[1]))
