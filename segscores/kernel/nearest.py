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

from .arrays import Positions, starts_of

#: The cost of a point without a partner.
_LEFT_OUT = 1 << 60


def reaches(positions: Positions, others: Positions, tolerance: complex) -> tuple[Positions, Positions]:
    """Return for each position the range of others at most `tolerance` away: the index of the first, and the end.

    Positions that also have a label may be complex numbers, label + position · j, as numpy sorts them: first by label. Their
    tolerance is then tolerance · j.

    >>> reaches(np.array([10, 20]), np.array([8, 11, 21]), 2)
    (array([0, 2]), array([2, 3]))
    """
    firsts = np.searchsorted(others, positions - tolerance)
    stops = np.searchsorted(others, positions + tolerance, side="right")
    return firsts, stops


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
    # The indices of the positions that have another one within the tolerance. A run is a slice of them.
    near = np.flatnonzero(np.abs(positions - others[nearest]) <= tolerance)
    partners[near] = nearest[near]
    for run in _competing_runs(positions[near], others, tolerance, nearest[near]):
        # The run counts the positions in `near`; `kept` counts in the run.
        members = near[run.positions]
        kept, kept_others = _paired(positions[members], others[run.others], tolerance)
        partners[members] = -1
        partners[members[kept]] = run.others.start + kept_others
    return partners


def _nearest(positions: Positions, others: Positions) -> Positions:
    """Return the index of the nearest other of each position: the earlier one if two are equally near."""
    # The others 12 21 and the position 20, which would be inserted at 1: its neighbours are 0, before it, and 1, behind it. A
    # position before all others, or behind them, has one neighbour twice.
    insertion_places = np.searchsorted(others, positions)
    before = np.maximum(insertion_places - 1, 0)
    behind = np.minimum(insertion_places, len(others) - 1)
    is_before_nearest = np.abs(positions - others[before]) <= np.abs(others[behind] - positions)
    return np.where(is_before_nearest, before, behind)


class _Run(NamedTuple):
    """Neighbouring positions, and all others that they reach, which no position outside the run reaches."""

    positions: slice
    others: slice


def _competing_runs(positions: Positions, others: Positions, tolerance: int, nearest: Positions) -> Iterator[_Run]:
    """Yield the runs in which two positions have the same nearest other.

    `nearest` has the index of the nearest other of each position, which is within the tolerance.
    """
    # positions 0 to 3 with the nearest others 4 5 5 6: the positions 1 and 2 clash, and `clashes` has the 1.
    clashes = np.flatnonzero(nearest[1:] == nearest[:-1])
    if not len(clashes):
        return
    first_others, stop_others = reaches(positions, others, tolerance)
    # positions that reach the others 0:2, 1:3 and 3:4: the first two compete, so that runs of positions stop before 2 and 3.
    stops = np.append(np.flatnonzero(first_others[1:] >= stop_others[:-1]) + 1, len(positions))
    starts = starts_of(stops)
    for run in np.unique(np.searchsorted(stops, clashes, side="right")).tolist():
        start = int(starts[run])
        stop = int(stops[run])
        yield _Run(slice(start, stop), slice(int(first_others[start]), int(stop_others[stop - 1])))


@dataclass
class _Waiting:
    """The points of one side that may wait."""

    times: list[int] = field(default_factory=list)
    expired: int = 0  #: the number of points that no later point can reach
    #: The saving of each waiting point, the first one last, and so increasing. Savings shrink by 1 in each unit of time, so they
    #: are stored as they would be at time 0.
    savings: list[int] = field(default_factory=list)

    def expire(self, first_time: int) -> None:
        """Let no point before this time wait."""
        while self.expired < len(self.times) and self.times[self.expired] < first_time:
            self.expired += 1
        # A saving is not of one point, but of the first point to wait, the second one and so on, whichever points these are. With
        # the savings 5 8 9 and two points that may wait, there is no third one to wait: its saving, 5, goes.
        most_waiting = len(self.times) - self.expired
        surplus = len(self.savings) - most_waiting
        if surplus > 0:
            del self.savings[:surplus]

    def add(self, time: int, opposite: _Waiting) -> int:
        """Add a point, and return its limit: it is kept if more points of its side wait after it than the limit says.

        A negative number counts waiting points of the other side: the limit -2 leaves the point out if two of these wait.

        Let f(k) be the least cost so far if k points of this side wait, and f(-k) if k of the other side do. The differences
        f(k + 1) - f(k) rise with k. In -20 5 | 8 25 those before | have a negative k, and f(1) - f(0) is 8. Before | they are
        the savings of the other side, and after | the savings of this side, reversed and negated.

        With the point f(k) becomes the less of f(k) + _LEFT_OUT, where it is left out, and of f(k - 1), where it is kept. That
        puts one more difference, -_LEFT_OUT, at its place among the others. One more point of this side may wait, so that one
        more difference stands after |.
        """
        self.times.append(time)
        # A point of the other side waits, and to take the first one saves more than to leave both out.
        takes_opposite = bool(opposite.savings) and opposite.savings[-1] - time > -_LEFT_OUT
        if takes_opposite:
            # With -15 for -_LEFT_OUT, -20 5 | 8 25 becomes -20 -15 | 5 8 25. The limit is -1: of the differences before |, -15 is
            # the last one. At time 0 the savings -20 5 and -25 -8 become -20 -15 and -25 -8 -5.
            loss = time - _LEFT_OUT
            place = bisect_right(opposite.savings, loss)
            opposite.savings.insert(place, loss)
            # The last one moves across |. It saves `moved - time` now: negated, and as it would be at time 0, that is:
            moved = opposite.savings.pop()
            self.savings.append(2 * time - moved)
            return place - len(opposite.savings)
        # -20 | -18 8 becomes -20 | -18 -15 8. The limit is 1: a difference, -18, is between | and -15. At time 0 the savings
        # -8 18 become -8 15 18.
        saving = time + _LEFT_OUT
        place = bisect_right(self.savings, saving)
        self.savings.insert(place, saving)
        return len(self.savings) - 1 - place


def _paired(positions: Positions, others: Positions, tolerance: int) -> tuple[Positions, Positions]:
    """Return the indices of the positions and of the others that pair: the first with the first, and so on."""
    # positions 10 20 and others 12, with the tolerance 5: the points are 10 12 20, their order 0 2 1, of which 2 is the first
    # other. 10 and 12 pair.
    times = np.concatenate((positions, others))
    order = np.argsort(times, kind="stable")
    is_other = order >= len(positions)
    waiting_positions = _Waiting()
    waiting_others = _Waiting()
    # For each point, in order, the limit that `add` returns: the point is kept if more points of its side wait after it than its
    # limit. A negative number counts waiting points of the other side. In the example the limits are 0 -1 0.
    limits = []
    for time, point_is_other in zip(times[order].tolist(), is_other.tolist(), strict=True):
        waiting_positions.expire(time - tolerance)
        waiting_others.expire(time - tolerance)
        if point_is_other:
            limits.append(waiting_others.add(time, waiting_positions))
        else:
            limits.append(waiting_positions.add(time, waiting_others))

    is_kept = np.zeros(len(order), bool)
    # Go back from the end, after which no point waits. By its limit, each point was kept or not on the way to the least cost:
    #   20, a position: 0 positions wait after it, no more than its limit, 0. It is left out.
    #   12, an other: 0 others wait after it, more than its limit, -1. It is kept: it takes a position, so 1 waits before it.
    #   10, a position: 1 position waits after it, more than its limit, 0. It is kept: the one that waits. So 0 wait before it.
    waiting_count = 0  # the positions that wait after the point; -1 stands for one other that waits
    for point in reversed(range(len(order))):
        direction = -1 if is_other[point] else 1
        waiting_of_its_side = direction * waiting_count
        if waiting_of_its_side > limits[point]:
            is_kept[point] = True
            # Before a point that is kept, one point less of its side waits, or one more of the other side, which it takes.
            waiting_count -= direction
    return order[is_kept & ~is_other], order[is_kept & is_other] - len(positions)
