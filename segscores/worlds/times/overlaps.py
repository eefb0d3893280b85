"""Overlaps: intervals of a recording that begin before the one before them ends.

Conventions
-----------
- Times that are rounded to two decimals overlap by at most ROUNDED: the second interval then begins where the first ends.
- Longer overlaps are errors, or are cut in the same way if an option says so. Of an interval that lies within earlier ones
  nothing is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...kernel.arrays import Positions
from ...options.messages import Message
from ...options.table import OPTIONS
from .intervals import ROUNDING, SECOND, Intervals

#: The longest overlap that is taken for one of rounded times, in ticks.
ROUNDED = SECOND // 100


@dataclass
class Overlaps:
    """The overlaps that were settled in the recordings of one side, by their numbers."""

    place: str  #: the name of the side, for messages
    cuts: bool  #: whether overlaps of all lengths are cut
    rounded: int = 0  #: the number of intervals that began earlier than the one before them ended, by rounding
    cut: int = 0  #: the number of intervals that began earlier by more
    left_out: int = 0  #: the number of intervals that lay within earlier ones

    def settle(self, item: Intervals | str) -> Intervals | str:
        """Return a recording in which intervals begin where the ones before them end, if they may; a problem as it is."""
        if isinstance(item, str) or len(item.starts) < 2:
            return item
        starts = item.ticks(item.starts)
        ends = item.ticks(item.ends)
        if (starts[:-1] <= starts[1:]).all() and (ends[:-1] <= starts[1:]).all():
            # Every interval ends before the next one begins.
            return item
        # The places of the intervals that have a length, sorted by their starts, and then by their ends.
        order = np.lexsort((ends, starts))
        order = order[ends[order] > starts[order]]
        starts_in_order = starts[order]
        ends_in_order = ends[order]
        # 0–10, 2–4, 9–12: the end before the second and the third is 10, so that the second lies within the first, and the third
        # begins at 10.
        ends_before = _ends_before(starts_in_order, ends_in_order)
        overlaps = ends_before - starts_in_order
        # An interval with an overlap lies within those before it, or it overlaps them by rounding, or by more. What is no
        # rounding is changed only if overlaps are cut; else reading reports an error.
        is_within = (ends_in_order <= ends_before) & (overlaps > 0)
        is_rounded = (overlaps > 0) & (overlaps <= ROUNDED) & ~is_within
        is_cut = (overlaps > ROUNDED) & ~is_within & self.cuts
        is_left_out = is_within & self.cuts
        if not (is_rounded | is_cut | is_left_out).any():
            return item
        # Overlaps up to ROUNDING need no note: reading settles them in every recording.
        self.rounded += int((is_rounded & (overlaps > ROUNDING)).sum())
        self.cut += int(is_cut.sum())
        self.left_out += int(is_left_out.sum())
        starts[order] = np.where(is_rounded | is_cut, ends_before, starts_in_order)
        kept = order[~is_left_out]
        labels: Sequence[str] = ()
        if len(item.labels):
            labels = [item.labels[place] for place in kept.tolist()]
        return _in_ticks(replace(item, starts=starts[kept].astype(float), ends=ends[kept].astype(float), labels=labels))

    def notes(self) -> list[str]:
        """Return what a person has to know about the overlaps: a sentence on rounded ones, and one on those that were cut."""
        notes = []
        if self.rounded:
            notes.append(
                f"{self.place}: {_overlapping(self.rounded)} by at most 10 ms, as rounded times do; each then begins where the "
                f"one before ends."
            )
        if self.cut or self.left_out:
            left_out = f", and {self.left_out} that lie within earlier ones are left out" if self.left_out else ""
            notes.append(
                f"{self.place}: {_overlapping(self.cut)}; each then begins where the one before ends{left_out}."
            )
        return notes


def _overlapping(number: int) -> str:
    """Return the beginning of a sentence on intervals, such as `1 interval overlaps the one before it`."""
    if number == 1:
        return "1 interval overlaps the one before it"
    return f"{number} intervals overlap the one before them"


def _ends_before(starts: Positions, ends: Positions) -> Positions:
    """Return the latest end of all intervals before each one; before the first, its own start.

    >>> _ends_before(np.array([-2, 2, 9]), np.array([10, 4, 12])).tolist()
    [-2, 10, 10]
    """
    return np.concatenate([starts[:1], np.maximum.accumulate(ends)[:-1]])


def _in_ticks(intervals: Intervals) -> Intervals:
    """Return a recording whose starts and ends are in ticks from its beginning already, with all else in ticks from there."""
    # The duration of a recording is the time of its end: if a part of a file keeps its times, and begins at 10 s and ends at
    # 12 s, its end is 2 s from its beginning.
    end = intervals.duration
    if end is not None:
        end = float(intervals.ticks(end))
    # A second has SECOND ticks, and a recording without a beginning begins at 0.
    return replace(intervals, duration=end, per_second=SECOND, begin=None)


def hint_for(*, has_tiers: bool) -> Message:
    """Return what to try with intervals that overlap."""
    cut = OPTIONS["overlap"].set("cut")
    if has_tiers:
        return Message("Choose the tier of one speaker with ", OPTIONS["tier"], ", or cut overlaps with ", cut, ".")
    return Message("Cut overlaps with ", cut, ".")
