"""`--min`, `--max` and `--fail-if-worse`: demands on scores, so that a run can be a check in continuous integration."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...options.quoting import is_number
from .printing import say

if TYPE_CHECKING:
    from ...results.scored import Scored

#: The requirement of each option, in words.
_DEMANDS = {"min": "at least", "max": "at most"}


class Bound(NamedTuple):
    """The least or the greatest value that one score may have."""

    option: str  #: min or max
    key: str
    value: float

    def holds(self, score: float) -> bool:
        """Return whether a score keeps the bound; nan keeps none."""
        if self.option == "min":
            return score >= self.value
        return score <= self.value

    def __str__(self) -> str:
        return f"{_DEMANDS[self.option]} {self.value!r}"


def read_bounds(arguments: argparse.Namespace, keys: Sequence[str]) -> list[Bound]:
    """Read and check the bounds that `--min` and `--max` set, such as `token_fscore=0.9`."""
    from ...options.table import OPTIONS
    from ...scoring.measures.registry import check_scored, group_of

    bounds = []
    for option in _DEMANDS:
        for argument in getattr(arguments, option):
            key, _, text = argument.partition("=")
            value = float(text) if is_number(text) else math.nan
            if math.isnan(value):
                raise ValueError(f"--{option}: expected SCORE=VALUE, such as token_fscore=0.9, received {argument!r}.")
            check_scored(OPTIONS[option], key, keys)
            low, high = group_of(key).keys[key].range
            if not low <= value <= high:
                # A share may be given in percent: 74.1 for 0.741.
                share = value / 100
                is_likely_percent = high == 1 and 0 < share <= high
                hint = f" Did you mean {share:g}?" if is_likely_percent else ""
                raise ValueError(
                    f"--{option}: expected a value of {key} from {low:g} to {high:g}, received {text}.{hint}"
                )
            bounds.append(Bound(option, key, value))
    return bounds


def broken(scored: Sequence[Scored], bounds: Sequence[Bound]) -> list[str]:
    """Return a line for each score that breaks a bound; nan breaks every bound."""
    lines = []
    for system in scored:
        for bound in bounds:
            score = system.scores[bound.key]
            if not bound.holds(score):
                lines.append(f"{system.prediction}: {bound.key} is {score!r}, expected {bound}")
    return lines


def report_failures(failures: Sequence[str]) -> int:
    """Print lines about failures to standard error, and return the exit status."""
    for failure in failures:
        say(failure)
    return 1 if failures else 0
