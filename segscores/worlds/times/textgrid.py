"""TextGrids, as Praat reads them.

Strings in double quotes and numbers after whitespace are data, `!` begins a comment, all else is comment too. Numbers of
intervals are not trusted. A recording begins and ends with its tier. The points of a tier of points are boundaries.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...options.quoting import shortened
from .intervals import Intervals
from .points import intervals_between
from .tiers import choose_tiers
from .timed_file import TimedFile

Floats = npt.NDArray[np.float64]

#: Matches a string (group 1), a number (group 2), or a comment.
_TOKEN = re.compile(r'("(?:[^"]|"")*")|(?<!\S)([-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)|![^\n]*')
#: Matches a number with a percent sign, a denominator, or neither; no hexadecimal number.
_NUMBER = re.compile(r"([-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)(?:(%)|/([-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?))?(?![xX])")
#: Matches a number with a decimal comma, of which Praat reads the part before the comma.
_DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d+")
#: Stands for a string among the tokens.
_STRING = '"'
#: The number of data of an interval, and of a point, in a TextGrid.
_TIER_KINDS = {"IntervalTier": 3, "TextTier": 2}
#: The number of data before the first interval or point of a tier: its kind, its name, its beginning, its end, and how many
#: intervals or points it has.
_HEADER_LENGTH = 5


class _Tier(NamedTuple):
    """A tier of a TextGrid, and the places of its data.

    The tier `"IntervalTier" "words" 0 2.3 2 0 1.1 "the" 1.1 2.3 "dog"` begins with a header of five data: its kind, its name, its
    beginning and its end, and the number of its intervals. Their data follow.
    """

    name: str
    step: int  #: the number of data of each interval, or point
    header: int  #: the place of its header
    first: int  #: the place of the first datum of its intervals, or points
    stop: int  #: the place after the last one

    @property
    def has_intervals(self) -> bool:
        """True if it has intervals; else it has points."""
        return self.step == _TIER_KINDS["IntervalTier"]


class _Data:
    """The data of a text file of Praat.

    Attributes:
        tokens: numbers as text, and `"` in place of each string.
        strings: the strings, in order.
        places: the place of each string among the tokens.
    """

    def __init__(self, text: str) -> None:
        self.tokens, self.strings = _tokens_and_strings(text)
        self.places = [place for place, token in enumerate(self.tokens) if token == _STRING]
        #: By a step, and the remainder of places by it: with a step of 3 and strings at 2, 5 and 6, the remainder 2 has 2 and 5.
        self._places_by_remainder: dict[tuple[int, int], list[int]] = {}

    def strings_before(self, place: int) -> int:
        """Return the number of strings before a place."""
        return bisect_left(self.places, place)

    def string(self, place: int) -> str:
        """Return the string at a place."""
        return self.strings[self.strings_before(place)]

    def times(self, first: int, stop: int, step: int = 1) -> Floats:
        """Return the numbers at the places from `first` to `stop`, one in each step."""
        return _praat_numbers(self.tokens[first:stop:step])

    def string_count(self, first: int, stop: int, step: int) -> int:
        """Return the number of strings at the places from `first` to `stop`, of which one in each step is looked at."""
        return self.tokens[first:stop:step].count(_STRING)

    def is_tier(self, place: int) -> bool:
        """Return whether a tier begins at a place: two strings, its kind and its name."""
        are_strings = set(self.tokens[place : place + 2]) == {_STRING}
        return are_strings and self.string(place) in _TIER_KINDS

    def find_first_kind(self) -> int:
        """Return the place of the first string that is a kind of tiers; the end of the data if there is none."""
        for place, string in zip(self.places, self.strings, strict=True):
            if string in _TIER_KINDS:
                return place
        return len(self.tokens)

    def find_string(self, first: int, step: int) -> int:
        """Return the place of the first string at `first` or a number of steps after it; without one the end of the data."""
        remainder = first % step
        if (step, remainder) not in self._places_by_remainder:
            self._places_by_remainder[step, remainder] = [place for place in self.places if place % step == remainder]
        places = self._places_by_remainder[step, remainder]
        number = bisect_left(places, first)
        if number == len(places):
            # In a file that is cut short, `first` may lie behind the end.
            return max(len(self.tokens), first)
        return places[number]


def parse_textgrid(text: str, tier: str | None = None) -> TimedFile:
    """Read a TextGrid of the long or the short form: the chosen tier of intervals."""
    data = _Data(text)
    if "TextGrid" not in data.strings[:3]:
        raise ValueError('the first lines lack the class "TextGrid".')
    tiers = _find_tiers(data)
    chosen = choose_tiers(tier, [tier.name for tier in tiers], [tier.has_intervals for tier in tiers])
    recordings = {speaker: _intervals_of(tiers[index], data) for speaker, index in chosen.index_of_speaker.items()}
    notes = []
    for speaker, index in chosen.index_of_speaker.items():
        notes += _note_of_cut(tiers[index], data, recordings[speaker])
    return TimedFile(recordings, unit="s", speakers=chosen.speakers, has_tiers=True, notes=notes)


def _note_of_cut(tier: _Tier, data: _Data, intervals: Intervals) -> list[str]:
    """Return a note if a tier has fewer intervals than its header says, and they end before the tier does."""
    if not tier.has_intervals:
        return []
    ends = intervals.ends
    end = intervals.duration
    assert end is not None  # the header of a tier has it
    declared = _praat_number(data.tokens[tier.first - 1])  # the last number of the header
    if not 0 < len(ends) < declared or ends[-1] >= end:
        return []
    found = f"{len(ends)} of {declared:g} intervals, which end at {ends[-1]:g} of {end:g} s"
    return [f"the tier {tier.name!r} has {found}: is the file cut short?"]


def _find_tiers(data: _Data) -> list[_Tier]:
    """Return the tiers of a TextGrid."""
    tiers: list[_Tier] = []
    place = data.find_first_kind()
    while place < len(data.tokens):
        if not data.is_tier(place):
            raise ValueError(f"expected a tier after {tiers[-1].name if tiers else 'the header'}.")
        step = _TIER_KINDS[data.string(place)]
        first = place + _HEADER_LENGTH
        # Where a time of an interval or point is due, a string begins the next tier.
        stop = data.find_string(first, step)
        tiers.append(_Tier(data.string(place + 1).strip(), step, header=place, first=first, stop=stop))
        place = stop
    return tiers


def _intervals_of(tier: _Tier, data: _Data) -> Intervals:
    """Return the intervals of a tier, or the intervals between its points."""
    # Each interval has three data, a start, an end and a label, and each point has two: only the last one is a string. The first
    # one, a start or the time of a point, is never a string: `_find_tiers` ends the tier at one. If a file is cut short within
    # the header of a tier, the first datum lies behind its end.
    is_complete = (tier.stop - tier.first) % tier.step == 0 and tier.first <= len(data.tokens)
    first_label = tier.first + tier.step - 1
    string_count = data.string_count(first_label, tier.stop, tier.step)
    are_labels = string_count == len(range(first_label, tier.stop, tier.step))
    are_times = data.string_count(first_label - 1, tier.stop, tier.step) == 0
    if not (is_complete and are_labels and are_times):
        expected = "expected a start, an end and a label of each interval, and a time and a mark of each point."
        raise ValueError(f"tier {tier.name!r}: {expected} Is the file cut short?")
    if data.string_count(tier.header + 2, tier.first, 1):
        expected = "expected its beginning, its end and the number of its intervals or points after its name"
        raise ValueError(f"tier {tier.name!r}: {expected}, received a string.")
    begin, end, _ = data.times(tier.header + 2, tier.first).tolist()
    starts = data.times(tier.first, tier.stop, tier.step)
    if not tier.has_intervals:
        return intervals_between(starts, begin, end)
    ends = data.times(tier.first + 1, tier.stop, tier.step)
    strings_before = data.strings_before(tier.first)
    labels = [label.strip() for label in data.strings[strings_before : strings_before + len(starts)]]
    return Intervals(starts, ends, labels, duration=end, begin=begin)


def _tokens_and_strings(text: str) -> tuple[list[str], list[str]]:
    """Return the tokens of a text file of Praat and its strings.

    >>> _tokens_and_strings('xmin = 0 text = "the" xmax = 1')
    (['0', '"', '1'], ['the'])
    """
    # xmin = 0 "the" xmax = 1 "dog": inside quotes are `the` and `dog`.
    pieces = text.split('"')
    outside = pieces[::2]
    inside = pieces[1::2]
    if "!" in text and any("!" in piece for piece in outside):
        return _without_comments(text)
    if len(outside) == len(inside):
        raise ValueError("a quotation mark opens a string, which nothing closes. Is the file cut short?")
    if not all(outside[1:-1]):
        # Nothing stands between two strings: the quotes are one that is doubled within a string.
        outside, inside = _with_doubled_quotes(outside, inside)
    # Text that is neither the mark of a string nor a number is comment.
    tokens = ' " '.join(outside).split()
    return [token for token in tokens if token[0] in '"0123456789+-'], inside


def _without_comments(text: str) -> tuple[list[str], list[str]]:
    """Return the tokens and strings of a text with comments, which may have quotes, so that each sign is looked at."""
    strings = []
    tokens = []
    for string, number in _TOKEN.findall(text):
        if string:
            strings.append(string[1:-1].replace('""', '"'))
            tokens.append('"')
        elif number:
            tokens.append(number)
    return tokens, strings


def _with_doubled_quotes(outside: list[str], inside: list[str]) -> tuple[list[str], list[str]]:
    """Join strings with nothing between them: in a TextGrid, `"a""b" 1` has the one string `a"b`.

    Return the text outside quotes, before, between and after the strings, so that it has one item more; and the text inside.

    >>> _with_doubled_quotes(["", "", " 1"], ["a", "b"])
    (['', ' 1'], ['a"b'])
    """
    before_first, *after_strings = outside
    first, *others = inside
    joined_outside = [before_first]
    # The parts of each string, which are joined at once: adding them one by one would take quadratic time.
    parts_of_strings = [[first]]
    # The text after the last string has no string after it.
    for between, string in zip(after_strings, others, strict=False):
        if between:
            joined_outside.append(between)
            parts_of_strings.append([string])
        else:
            parts_of_strings[-1].append(string)
    return [*joined_outside, after_strings[-1]], ['"'.join(parts) for parts in parts_of_strings]


def _praat_numbers(tokens: Sequence[str]) -> Floats:
    """Return numbers, also percents and fractions; what follows one up to the next whitespace is comment, as in `0.5s`."""
    try:
        return np.array(tokens, np.float64)
    except ValueError:
        return np.array([_praat_number(token) for token in tokens], np.float64)


def _praat_number(token: str) -> float:
    """Return the value of a number, a percent or a fraction.

    >>> _praat_number("0.5s"), _praat_number("50%"), _praat_number("1/2")
    (0.5, 0.5, 0.5)
    """
    match = _NUMBER.match(token)
    if match is None or _DECIMAL_COMMA.fullmatch(token):
        raise ValueError(f"expected a time, received {shortened(token)}.")
    number, percent, denominator = match.groups()
    if percent:
        return float(number) / 100
    # A number that is no fraction has no denominator.
    return float(number) / float(denominator or 1)
