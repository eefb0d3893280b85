"""Points: the intervals between the points of a tier, which are boundaries.

Marks of points are no labels of intervals, so that these have none, and each is a word.
"""

from __future__ import annotations

import numpy as np

from .intervals import Intervals, Times


def intervals_between(points: Times, begin: float, end: float) -> Intervals:
    """Return the intervals between points, with the beginning and the end of the recording among them; all times in seconds.

    >>> intervals = intervals_between([0.5, 1.0], 0.0, 2.0)
    >>> intervals.starts.tolist(), intervals.ends.tolist()
    ([0.0, 0.5, 1.0], [0.5, 1.0, 2.0])
    """
    times = np.unique(np.concatenate(([begin], np.asarray(points, np.float64), [end])))
    return Intervals(times[:-1], times[1:], labels=(), duration=end, begin=begin)
