"""Skipping: with `on_error="skip"`, the utterances of a piece that cannot be scored are left out on both sides, and counted.

An utterance is bad if scoring it alone raises an `UtteranceError`: it can't be read, or its units differ on the two sides. Bad
utterances are rare. So a piece is compared as a whole first. Only if that fails, bisection finds utterances that can't be read,
and one comparison finds all utterances whose units differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..kernel.arrays import Mask
from ..kernel.comparison import Comparison
from ..kernel.segmentation import Segmentation, concatenate
from ..options.errors import UtteranceError
from ..options.messages import Message
from .mismatch import compare_by_rule
from .plan import Plan


@dataclass
class LeftOut:
    """The utterances that were left out of a corpus because they cannot be scored."""

    utterances: int = 0
    total: int = 0
    first: str = ""  #: the place and the problem of the first one; empty if there is none

    def update(self, other: LeftOut) -> None:
        """Add the utterances that were left out of the next piece of the corpus."""
        self.utterances += other.utterances
        self.total += other.total
        self.first = self.first or other.first

    def check(self) -> None:
        """Check that not all utterances were left out."""
        if self.utterances and self.utterances == self.total:
            start = f"none of the {self.total} utterances can be scored. The first problem: "
            raise ValueError(Message(start, self.first))

    def message(self) -> str:
        """Return a sentence for the user; empty if nothing was left out."""
        if not self.utterances:
            return ""
        start = f"{self.utterances} of {self.total} utterances could not be scored and were left out. The first is "
        return Message(start, self.first)


def bad_utterances(check: Callable[[int, int], object], count: int) -> dict[int, UtteranceError]:
    """Return the error of each utterance of a piece that cannot be scored, by its index in the piece, in order.

    The naive equivalent calls `check(i, i + 1)`, which raises an UtteranceError for a bad utterance. Bisection takes few calls
    for few bad utterances, and at most twice as many calls as there are utterances.

    >>> def check(start, stop):
    ...     if start <= 3 < stop:
    ...         raise UtteranceError(3 - start, "it is odd.")
    >>> bad_utterances(check, 10)
    {3: UtteranceError(3, 'it is odd.', '', '')}
    """
    bad: dict[int, UtteranceError] = {}
    waiting = [(0, count)]
    while waiting:
        start, stop = waiting.pop()
        try:
            check(start, stop)
        except UtteranceError as error:
            if stop - start == 1:
                bad[start] = error.at(start)
            else:
                middle = (start + stop) // 2
                waiting += [(middle, stop), (start, middle)]
    return bad


def good_runs(bad: Iterable[int], count: int) -> list[tuple[int, int]]:
    """Return the runs of utterances that are not bad, half-open.

    >>> good_runs([0, 3], 6)
    [(1, 3), (4, 6)]
    """
    return [(before + 1, after) for before, after in pairwise([-1, *bad, count]) if after - before > 1]


@dataclass(frozen=True)
class GoodUtterances:
    """The utterances of a piece that can be scored."""

    #: `comparison`, `is_compared`: the result of `compare_by_rule` for them
    comparison: Comparison
    is_compared: Mask | None
    good: Mask | None = None  #: bool (n_utterances,), which utterances of the piece are good; None if all are
    #: the error of the first bad utterance, counted in the piece; None if there is none
    first_error: UtteranceError | None = None

    @property
    def count_bad(self) -> int:
        """The number of bad utterances of the piece."""
        return 0 if self.good is None else int((~self.good).sum())

    @property
    def skipped(self) -> int:
        """The number of good utterances that the comparison leaves out."""
        return 0 if self.is_compared is None else int((~self.is_compared).sum())


def compare_good(
    read: Callable[[int, int], tuple[Segmentation, Segmentation]], count: int, plan: Plan
) -> GoodUtterances:
    """Compare the utterances of a piece that can be read and compared; `read` gets the first one and the one after the last.

    The naive equivalent reads and compares every utterance separately, and then the good ones together.
    """
    bad: dict[int, UtteranceError] = {}
    try:
        reference, prediction = read(0, count)
    except UtteranceError:
        bad = bad_utterances(read, count)
        sides = [read(*run) for run in good_runs(bad, count) or [(0, 0)]]
        reference, prediction = (concatenate([both[side] for both in sides]) for side in (0, 1))
    good = np.ones(count, bool)
    good[list(bad)] = False
    try:
        comparison, is_compared = plan.compare(reference, prediction)
    except UtteranceError as error:
        places = np.flatnonzero(good)
        first = int(places[error.utterance])
        bad[first] = error.but(utterance=first)
        comparison, same = compare_by_rule(reference, prediction, "skip")
        is_compared = None
        good[places[~same]] = False  # type: ignore[operator]
    is_whole = bool(good.all())
    return GoodUtterances(comparison, is_compared, None if is_whole else good, bad[min(bad)] if bad else None)
