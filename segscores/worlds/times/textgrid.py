"""TextGrids, as Praat reads them.

Strings in double quotes and numbers after whitespace are data, `!` begins a comment, all else is comment too. Numbers of
intervals are not trusted. A recording begins and ends with its tier. The points of a tier of points are boundaries.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...kernel.arrays import Mask
from ...options.quoting import shortened
from .intervals import Intervals
from .points import intervals_between
from .tiers import choose_tiers
from .timed_file import TimedFile

Floats = npt.NDArray[np.float64]

_TOKEN = re.compile(r'("(?:[^"]|"")*")|(?<!\S)([-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)|![^\n]*')
_NUMBER = re.compile(r"([-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)(?:(%)|/([-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?))?(?![xX])")
#: The number of data of an interval, and of a point, in a TextGrid.
_TIER_KINDS = {"IntervalTier": 3, "TextTier": 2}


class _Tier(NamedTuple):
    """A tier: its name, the step between its intervals, or points, and the places of its header, its data and its end."""

    name: str
    step: int
    header: int
    first: int
    stop: int


def parse_textgrid(text: str, tier: str | None = None) -> TimedFile:
    """Read a TextGrid of the long or the short form: the chosen tier of intervals."""
    tokens, strings = _praat_data(text)
    if "TextGrid" not in strings[:3]:
        raise ValueError('the first lines lack the class "TextGrid".')
    is_string = np.array([token == '"' for token in tokens], bool)
    numbers = np.cumsum(is_string) - 1  # the number of the string at each place
    next_strings = {step: _NextStrings(is_string, step) for step in _TIER_KINDS.values()}
    tiers: list[_Tier] = []
    # The place of the first string that is a kind of tiers; without one, the end.
    kinds = [place for place in np.flatnonzero(is_string).tolist() if strings[numbers[place]] in _TIER_KINDS]
    at = kinds[0] if kinds else len(tokens)
    while at < len(tokens):
        # "IntervalTier" "words" 0 2.3 2 0 1.1 "the" 1.1 2.3 "dog": two strings, and the data from the sixth place on.
        is_tier = is_string[at : at + 2].all() and strings[numbers[at]] in _TIER_KINDS
        if not is_tier:
            raise ValueError(f"expected a tier after {tiers[-1].name if tiers else 'the header'}.")
        step = _TIER_KINDS[strings[numbers[at]]]
        first = at + 5
        # Where a time of an interval or point is due, a string begins the next tier.
        stop = next_strings[step].find(first)
        tiers.append(_Tier(strings[numbers[at + 1]].strip(), step, at, first, stop))
        at = stop
    names = [tier.name for tier in tiers]
    chosen = choose_tiers(tier, names, [tier.step == 3 for tier in tiers])
    recordings = {}
    for speaker, place in chosen.places.items():
        recordings[speaker] = _intervals_of(tiers[place], tokens, strings, is_string)
    return TimedFile(recordings, "s", speakers=chosen.speakers, has_tiers=True)


def _intervals_of(tier: _Tier, tokens: Sequence[str], strings: Sequence[str], is_string: Mask) -> Intervals:
    """Return the intervals of a tier, or the intervals between its points."""
    run = slice(tier.first, tier.stop)
    # Each interval has three data, a start, an end and a label, and each point has two.
    last = tier.step - 1
    is_whole = (tier.stop - tier.first) % tier.step == 0 and tier.first <= len(tokens)
    if not is_whole or not is_string[run][last :: tier.step].all() or is_string[run][last - 1 :: tier.step].any():
        expected = "expected a start, an end and a label of each interval, and a time and a mark of each point."
        raise ValueError(f"tier {tier.name!r}: {expected} Is the file cut short?")
    begin, duration = _praat_numbers(tokens[tier.header + 2 : tier.header + 4]).tolist()
    starts = _praat_numbers(tokens[tier.first : tier.stop : tier.step])
    if tier.step == _TIER_KINDS["TextTier"]:
        return intervals_between(starts, begin, duration)
    ends = _praat_numbers(tokens[tier.first + 1 : tier.stop : 3])
    before = int(is_string[: tier.first].sum())
    labels = [label.strip() for label in strings[before : before + len(starts)]]
    return Intervals(starts, ends, labels, duration, begin=begin)


class _NextStrings:
    """The places of strings among the data of a TextGrid, by their remainders by a step."""

    def __init__(self, is_string: Mask, step: int) -> None:
        places = np.flatnonzero(is_string)
        self.end = len(is_string)
        self.step = step
        self.places = [places[places % step == remainder] for remainder in range(step)]

    def find(self, first: int) -> int:
        """Return the first place of a string that is a number of steps after `first`, or the end of the data."""
        places = self.places[first % self.step]
        at = int(np.searchsorted(places, first))
        if at == len(places):
            return max(self.end, first)
        return int(places[at])


def _praat_data(text: str) -> tuple[list[str], list[str]]:
    """Return the data of a text file of Praat (numbers as text, and `"` for each string), and the strings."""
    pieces = text.split('"')
    # xmin = 0 "the" xmax = 1 "dog": inside of quotes are `the` and `dog`.
    outside = pieces[::2]
    inside = pieces[1::2]
    if any("!" in piece for piece in outside):
        # A comment may have quotes: look at each sign.
        pairs = [pair for pair in _TOKEN.findall(text) if pair != ("", "")]
        strings = [string[1:-1].replace('""', '"') for string, _ in pairs if string]
        return [number or '"' for _, number in pairs], strings
    if not all(outside[1:-1]):
        # Two strings with nothing between them are one string with a doubled quote.
        parts = [inside[:1]]
        kept = outside[:1]
        for between, string in zip(outside[1:], inside[1:], strict=False):
            if between:
                kept.append(between)
                parts.append([string])
            else:
                parts[-1].append(string)
        outside = [*kept, outside[-1]]
        inside = ['"'.join(strings) for strings in parts]
    return [token for token in ' " '.join(outside).split() if token[0] in '"0123456789+-'], inside


def _praat_numbers(tokens: Sequence[str]) -> Floats:
    """Return numbers, also percents and fractions; what follows one up to the next whitespace is comment, as in `0.5s`."""
    try:
        return np.array(tokens, np.float64)
    except ValueError:
        matches = [_NUMBER.match(token) for token in tokens]
        if None in matches:
            raise ValueError(f"expected a time, received {shortened(tokens[matches.index(None)])}.") from None
        return np.array([_praat_number(match) for match in matches if match], np.float64)


def _praat_number(match: re.Match[str]) -> float:
    """Return the value of a number, a percent or a fraction."""
    number, percent, denominator = match.groups()
    if percent:
        return float(number) / 100
    return float(number) / float(denominator or 1)
