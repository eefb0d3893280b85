"""Skipping: which utterances of a part cannot be scored, so that the others can.

Conventions
-----------
An utterance is bad if it can't be read, or its units differ on the two sides: whatever raises an `UtteranceError` for it alone.
With `on_error="raise"` the first of a corpus is the error; with `"skip"` bad utterances are left out of both sides, and counted.
Bad ones are rare. So a part is compared whole, and is searched only where that fails.
"""

from __future__ import annotations

__all__ = ["ON_ERROR", "LeftOut", "bad_utterances", "check_on_error"]

from collections.abc import Callable
from dataclasses import dataclass

from .errors import UtteranceError

#: What becomes of utterances that cannot be scored.
ON_ERROR = ("raise", "skip")


@dataclass
class LeftOut:
    """What was left out of a corpus because it cannot be scored.

    Attributes:
        utterances: how many.
        total: how many the corpus has, those among them.
        first: where the first one stands and what is wrong with it; empty where there is none.
    """

    utterances: int = 0
    total: int = 0
    first: str = ""

    def update(self, other: LeftOut) -> None:
        """Add what was left out of the next part of the corpus."""
        self.utterances += other.utterances
        self.total += other.total
        self.first = self.first or other.first

    def message(self) -> str:
        """What to tell the user; empty where nothing was left out."""
        if not self.utterances:
            return ""
        return f"{self.utterances} of {self.total} utterances could not be scored and were left out. The first is {self.first}"


def check_on_error(on_error: object) -> None:
    """Check the option.

    Raises:
        ValueError: there is no such value.
    """
    if not isinstance(on_error, str) or on_error not in ON_ERROR:
        raise ValueError(f"unknown on_error {on_error!r}: expected 'raise' or 'skip'.")


def bad_utterances(check: Callable[[int, int], object], count: int) -> dict[int, UtteranceError]:
    """The utterances of a part that cannot be scored.

    Args:
        check: given the first utterance and the one after the last, counted in the part; raises an `UtteranceError` if one of
            them is bad.
        count: how many the part has.

    Returns:
        The error of each bad one by its place in the part, in order; the errors' own numbers are counted in the part too.

    The naive equivalent calls `check(i, i + 1)` for every utterance. Halving takes a few calls for a few bad ones, and at most
    twice as many as there are utterances.

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
