"""`--min`, `--max` and `--fail-if-worse`: demands on scores, so that a run can be a check in continuous integration."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...options.errors import warn
from ...options.quoting import is_number
from .printing import say

if TYPE_CHECKING:
    from ...results.scored import Scored
    from ...scoring.measures.group import Key

#: The requirement of each option, in words.
_DEMANDS = {"min": "at least", "max": "at most"}
#: Bounds from here on are doubted: distances in seconds, and error rates.
_LONG = 1
_LARGE = 3


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
            score = group_of(key).keys[key]
            low, high = score.range
            if not low <= value <= high:
                # A share may be given in percent: 74.1 for 0.741.
                share = value / 100
                is_likely_percent = high == 1 and 0 < share <= high
                hint = f" Did you mean {share:g}?" if is_likely_percent else ""
                raise ValueError(
                    f"--{option}: expected a value of {key} from {low:g} to {high:g}, received {text}.{hint}"
                )
            bounds.append(Bound(option, key, value))
            unit_doubt = _doubt_of_unit(score, value)
            if unit_doubt:
                warn(f"--{option} {argument}: {unit_doubt}")
    for bound in bounds:
        direction_doubt = _doubt_of_direction(bound, group_of(bound.key).keys[bound.key].better, bounds)
        if direction_doubt:
            warn(direction_doubt)
    return bounds


def _doubt_of_direction(bound: Bound, better: str, bounds: Sequence[Bound]) -> str:
    """Return a doubt about a bound that only better values break; empty if others break it, or if the score has both bounds."""
    breaking = "lower" if bound.option == "min" else "higher"  # the values that break the bound
    other_option = "max" if bound.option == "min" else "min"
    has_both_bounds = any(other.key == bound.key and other.option == other_option for other in bounds)
    if better != breaking or has_both_bounds:
        return ""
    return f"--{bound.option} {bound.key}={bound.value:g}: {better} values are better: did you mean --{other_option}?"


def _doubt_of_unit(score: Key, value: float) -> str:
    """Return a doubt about a bound that is likely in percent or milliseconds, so that it decides nothing; empty for others."""
    if score.is_in_seconds and value >= _LONG:
        return f"the score is in seconds; is the bound in milliseconds? Then pass {value / 1000:g}."
    if score.is_share and value >= _LARGE:
        return f"the score is a share; is the bound in percent? Then pass {value / 100:g}."
    return ""


def broken(scored: Sequence[Scored], bounds: Sequence[Bound], *, is_value_named: bool) -> list[str]:
    """Return a line for each score that breaks a bound; nan breaks every bound.

    An undefined score, 0/0, breaks every bound too, unless the user has named its value.
    """
    lines = []
    for system in scored:
        for bound in bounds:
            score = system.scores[bound.key]
            if bound.key in system.undefined and not is_value_named:
                lines.append(f"{system.prediction}: {bound.key} is undefined (0/0), expected {bound}")
            elif not bound.holds(score):
                lines.append(f"{system.prediction}: {bound.key} is {score!r}, expected {bound}")
    return lines


def report_failures(failures: Sequence[str]) -> int:
    """Print lines about failures to standard error, and return the exit status."""
    for failure in failures:
        say(failure)
    return 1 if failures else 0
