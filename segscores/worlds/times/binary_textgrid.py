"""Binary TextGrids, as Praat saves them: numbers of the most significant byte first, and strings after their lengths.

A short string is a byte with its length, and ASCII. Another string is its length in two bytes, and Latin-1; or two bytes of ones,
the number of characters, and UTF-16.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np

from .intervals import Intervals
from .points import intervals_between
from .tiers import choose_tiers
from .timed_file import TimedFile

#: The beginning of a binary file of Praat.
BINARY_MARK = b"ooBinaryFile"
_WIDE = 0xFFFF
_MASK = 0b1111_1100
_FIRST_OF_TWO = 0b1101_1000
#: The numbers of times of an interval and of a point, before its label.
_TIMES_OF = {"IntervalTier": 2, "TextTier": 1}


@dataclass
class _Reader:
    """The bytes of a file, and the place that is read next."""

    data: bytes
    at: int = len(BINARY_MARK)

    def numbers(self, form: str) -> tuple[float, ...]:
        """Return numbers of a form of `struct`."""
        values = struct.unpack_from(f">{form}", self.data, self.at)
        self.at += struct.calcsize(f">{form}")
        return values

    def count(self, form: str) -> int:
        """Return a whole number of a form of `struct`."""
        return int(self.numbers(form)[0])

    def taken(self, size: int) -> bytes:
        """Return the next bytes, of which there must be as many."""
        taken = self.data[self.at : self.at + size]
        if len(taken) < size:
            raise struct.error
        self.at += size
        return taken

    def short_string(self) -> str:
        return self.taken(self.count("B")).decode("latin-1")

    def string(self) -> str:
        size = self.count("H")
        if size < _WIDE:
            return self.taken(size).decode("latin-1")
        left = self.count("H")
        units = b""
        while left:
            more = self.taken(2 * left)
            # A character of two units counts once: its first unit begins with the bits of _FIRST_OF_TWO.
            left = sum(byte & _MASK == _FIRST_OF_TWO for byte in more[::2])
            units += more
        return units.decode("utf-16-be", "replace")


@dataclass(frozen=True)
class _Tier:
    """A tier: its name, its beginning and end, and the times and the labels of its intervals or points."""

    name: str
    begin: float
    end: float
    times: list[tuple[float, ...]]
    labels: list[str]
    has_intervals: bool

    def intervals(self) -> Intervals:
        """Return the intervals, or those between the points."""
        if not self.has_intervals:
            return intervals_between([time for (time,) in self.times], self.begin, self.end)
        times = np.array(self.times, np.float64).reshape(-1, 2)
        return Intervals(times[:, 0], times[:, 1], self.labels, self.end, begin=self.begin)


def parse_binary_textgrid(data: bytes, tier: str | None = None) -> TimedFile:
    """Read a binary TextGrid: the chosen tier."""
    reader = _Reader(data)
    try:
        kind = reader.short_string()
        if kind.split(" ")[0] != "TextGrid":
            raise ValueError(f"a binary file of Praat with the class {kind!r}; expected a TextGrid.")
        reader.numbers("dd")
        has_tiers = reader.count("B") == 1
        tiers = [_tier(reader) for _ in range(reader.count("i") if has_tiers else 0)]
    except struct.error:
        raise ValueError("a binary TextGrid that ends within a tier. Is the file cut short?") from None
    chosen = choose_tiers(tier, [tier.name for tier in tiers], [tier.has_intervals for tier in tiers])
    recordings = {speaker: tiers[place].intervals() for speaker, place in chosen.places.items()}
    return TimedFile(recordings, "s", speakers=chosen.speakers, has_tiers=True)


def _tier(reader: _Reader) -> _Tier:
    """Return the next tier."""
    kind = reader.short_string()
    count = _TIMES_OF.get(kind)
    if count is None:
        raise ValueError(f"a binary TextGrid with a tier of the class {kind!r}; expected {' or '.join(_TIMES_OF)}.")
    name = reader.string().strip()
    begin, end = reader.numbers("dd")
    times = []
    labels = []
    for _ in range(reader.count("i")):
        times.append(reader.numbers("d" * count))
        labels.append(reader.string().strip())
    return _Tier(name, begin, end, times, labels, count > 1)
