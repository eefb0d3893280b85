"""Nearest: partners of points within a tolerance, one to one: as many pairs as possible, and of these the nearest.

Conventions
-----------
- The points of both sides are read from left to right. A point that is kept waits until a point of the other side takes it; the
  point that has waited longest is the first to be taken. All points that wait are of one side.
- The points of a pair with a distance d wait for d. So the sum of distances is the number of waiting points, summed over time. A
  point that is left out costs _LEFT_OUT, which exceeds any sum of distances.
- The least cost of the points so far is a convex function of the number of waiting points of a side, and each point keeps it
  convex. So its differences are stored, which are sorted: each point adds one. Memory is linear in the points of both sides. Time
  is, too, but for insertions into a sorted list of at most as many points as are within the tolerance.

Sources
-------
The differences of a convex function, and of the infimal convolution of two, which merges theirs: Rockafellar (1970), Convex
Analysis, Princeton.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from .arrays import Positions

#: The cost of a point without a partner.
_LEFT_OUT = 1 << 60


def reaches(positions: Positions, others: Positions, tolerance: complex) -> tuple[Positions, Positions]:
    """Return for each position the range of others at most `tolerance` away: the index of the first, and the end."""
    return np.searchsorted(others, positions - tolerance), np.searchsorted(others, positions + tolerance, side="right")


def match_nearest(positions: Positions, others: Positions, tolerance: int) -> Positions:
    """Return the index of the partner of each position among the others, or -1: the most pairs, and of these the nearest.

    Both increase. Each position takes its nearest other. Where several would take the same one, the pairs of all positions that
    compete there are found anew. `scipy.optimize.linear_sum_assignment` finds as many pairs and the same sum of distances.

    >>> match_nearest(np.array([10, 20, 23, 60]), np.array([12, 21, 22, 90]), 5)
    array([ 0,  1,  2, -1])
    """
    partners = np.full(len(positions), -1)
    if not len(others) or not len(positions):
        return partners
    nearest = _nearest(positions, others)
    # The indices of the positions that have another one within the tolerance.
    near = np.flatnonzero(np.abs(positions - others[nearest]) <= tolerance)
    partners[near] = nearest[near]
    for run in _competing_runs(positions[near], others, tolerance, partners[near]):
        members = near[run.positions]
        kept, kept_others = _kept(positions[members], others[run.others], tolerance)
        partners[members] = -1
        partners[members[kept]] = run.others.start + kept_others
    return partners


def _nearest(positions: Positions, others: Positions) -> Positions:
    """Return the index of the nearest other of each position: the earlier one if two are equally near."""
    behind = np.searchsorted(others, positions)
    before = np.maximum(behind - 1, 0)
    behind = np.minimum(behind, len(others) - 1)
    is_before = np.abs(positions - others[before]) <= np.abs(others[behind] - positions)
    return np.where(is_before, before, behind)


class _Run(NamedTuple):
    """Neighbouring positions, and all others that they reach, which no position outside the run reaches."""

    positions: slice
    others: slice


def _competing_runs(positions: Positions, others: Positions, tolerance: int, nearest: Positions) -> Iterator[_Run]:
    """Yield the runs in which two positions have the same nearest other; every position reaches another one."""
    # positions 0 to 3 with the nearest others 4 5 5 6: the positions 1 and 2 clash, and `clashes` has the 1.
    clashes = np.flatnonzero(nearest[1:] == nearest[:-1])
    if not len(clashes):
        return
    first, after = reaches(positions, others, tolerance)
    # positions that reach the others 0:2, 1:3 and 3:4: the first two compete, so that runs stop before 2 and 3.
    stops = np.append(np.flatnonzero(first[1:] >= after[:-1]) + 1, len(positions))
    begins = np.append(0, stops[:-1])
    for number in np.unique(np.searchsorted(stops, clashes, side="right")).tolist():
        begin = int(begins[number])
        stop = int(stops[number])
        yield _Run(slice(begin, stop), slice(int(first[begin]), int(after[stop - 1])))


@dataclass
class _Waiting:
    """The points of one side that may wait."""

    times: list[int] = field(default_factory=list)
    expired: int = 0  #: the number of points that no later point can reach
    #: What each waiting point saves, the first one last, and so increasing. Savings shrink by 1 in each unit of time, so they are
    #: stored as they would be at time 0.
    savings: list[int] = field(default_factory=list)

    def expire(self, first: int) -> None:
        """Let no point before the time `first` wait."""
        while self.expired < len(self.times) and self.times[self.expired] < first:
            self.expired += 1
        most = len(self.times) - self.expired
        if len(self.savings) > most:
            del self.savings[: len(self.savings) - most]

    def add(self, time: int, opposite: list[int]) -> int:
        """Add a point; return up to which number of waiting points it is left out, negative where the other side waits.

        The differences of the least cost, for ever more waiting points of its side, are the savings of the other side, and then
        those of its own side, reversed and negated. Keeping the point saves _LEFT_OUT: this joins them as a negative difference.
        """
        self.times.append(time)
        if opposite and opposite[-1] - time > -_LEFT_OUT:
            # -20 5 | 8 25 with -15 is -20 -15 | 5 8 25: at | no point waits, and it moves by one.
            loss = time - _LEFT_OUT
            place = bisect_right(opposite, loss)
            opposite.insert(place, loss)
            self.savings.append(2 * time - opposite.pop())
            return place - len(opposite)
        # -20 | -18 8 with -15 is -20 | -18 -15 8.
        saving = time + _LEFT_OUT
        place = bisect_right(self.savings, saving)
        self.savings.insert(place, saving)
        return len(self.savings) - 1 - place


def _kept(positions: Positions, others: Positions, tolerance: int) -> tuple[Positions, Positions]:
    """Return the indices of the points of both sides that pair: the first with the first, and so on."""
    times = np.concatenate((positions, others))
    order = np.argsort(times, kind="stable")
    is_other = order >= len(positions)
    sides = is_other.tolist()
    waiting = _Waiting(), _Waiting()
    limits = []
    for time, side in zip(times[order].tolist(), sides, strict=True):
        for points in waiting:
            points.expire(time - tolerance)
        limits.append(waiting[side].add(time, waiting[not side].savings))
    is_kept = np.zeros(len(order), bool)
    # Go back from the end, where no point waits. Each point says from which number of waiting points the least cost came.
    waiting_positions = 0  # if it is negative, so many others wait
    for number in range(len(sides) - 1, -1, -1):
        direction = -1 if sides[number] else 1
        if direction * waiting_positions > limits[number]:
            is_kept[number] = True
            waiting_positions -= direction
    return order[is_kept & ~is_other], order[is_kept & is_other] - len(positions)
