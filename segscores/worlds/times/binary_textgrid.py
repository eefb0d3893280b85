"""Binary TextGrids, as Praat saves them: numbers of the most significant byte first, and strings after their lengths.

A short string is a byte with its length, and ASCII. Another string is its length in two bytes, and Latin-1; or two bytes of ones,
the number of characters, and UTF-16.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np

from ...kernel.record import record
from .intervals import Intervals
from .points import intervals_between
from .tiers import choose_tiers
from .timed_file import TimedFile

#: The beginning of a binary file of Praat.
BINARY_MARK = b"ooBinaryFile"
#: A length of a string that is none: a length in characters of UTF-16 follows.
_WIDE = 0xFFFF
#: The first byte of the first half of a surrogate pair is 0b1101_10xx: the mask leaves out the last two bits.
_SURROGATE_MASK = 0b1111_1100
_FIRST_SURROGATE = 0b1101_1000
#: The numbers of times of an interval and of a point, before its label.
_TIMES_OF = {"IntervalTier": 2, "TextTier": 1}


@dataclass
class _Reader:
    """The bytes of a file, which are read from the beginning to the end."""

    data: bytes
    position: int = len(BINARY_MARK)  #: of the byte that is read next

    def doubles(self, count: int) -> tuple[float, ...]:
        """Read numbers of eight bytes each."""
        return struct.unpack(f">{count}d", self.read(8 * count))

    def byte(self) -> int:
        """Read a whole number of one byte."""
        return int.from_bytes(self.read(1), "big")

    def unsigned_short(self) -> int:
        """Read a whole number of two bytes."""
        return int.from_bytes(self.read(2), "big")

    def integer(self) -> int:
        """Read a whole number of four bytes, which may be negative."""
        return int.from_bytes(self.read(4), "big", signed=True)

    def read(self, size: int) -> bytes:
        """Read bytes; raise a `struct.error` if so many are not left."""
        taken = self.data[self.position : self.position + size]
        if len(taken) < size:
            raise struct.error
        self.position += size
        return taken

    def short_string(self) -> str:
        """Read a string whose length stands before it in one byte."""
        return self.read(self.byte()).decode("latin-1")

    def string(self) -> str:
        """Read a string whose length stands before it in two bytes."""
        length = self.unsigned_short()
        if length != _WIDE:
            return self.read(length).decode("latin-1")
        characters = self.unsigned_short()
        text = b""
        while characters:
            more = self.read(2 * characters)
            text += more
            # A surrogate pair is one character of four bytes: of each first half in these bytes, the second half is left.
            characters = sum((byte & _SURROGATE_MASK) == _FIRST_SURROGATE for byte in more[::2])
        return text.decode("utf-16-be", "replace")


@record
class _Tier:
    """A tier: its name, its beginning and end, and the times and the labels of its intervals or points."""

    name: str
    begin: float
    end: float
    times: list[tuple[float, ...]]  #: the start and the end of each interval, or the time of each point
    labels: list[str]
    has_intervals: bool

    def intervals(self) -> Intervals:
        """Return the intervals, or those between the points."""
        if not self.has_intervals:
            return intervals_between([time for (time,) in self.times], self.begin, self.end)
        # Also without an interval, the array has two columns.
        times = np.array(self.times, np.float64).reshape(-1, 2)
        return Intervals(times[:, 0], times[:, 1], self.labels, duration=self.end, begin=self.begin)


def parse_binary_textgrid(data: bytes, tier: str | None = None) -> TimedFile:
    """Read a binary TextGrid: the chosen tier."""
    reader = _Reader(data)
    try:
        kind = reader.short_string()
        name_of_kind, _, _ = kind.partition(" ")  # a version may follow: "TextGrid 2"
        if name_of_kind != "TextGrid":
            raise ValueError(f"a binary file of Praat with the class {kind!r}; expected a TextGrid.")
        reader.doubles(2)  # The beginning and the end of all tiers, which each tier has too.
        tiers_follow = reader.byte() == 1
        tier_count = reader.integer() if tiers_follow else 0
        tiers = [_read_tier(reader) for _ in range(tier_count)]
    except struct.error:
        raise ValueError("a binary TextGrid that ends within a tier. Is the file cut short?") from None
    chosen = choose_tiers(tier, [tier.name for tier in tiers], [tier.has_intervals for tier in tiers])
    recordings = {speaker: tiers[index].intervals() for speaker, index in chosen.index_of_speaker.items()}
    return TimedFile(recordings, unit="s", speakers=chosen.speakers, has_tiers=True)


def _read_tier(reader: _Reader) -> _Tier:
    """Read the next tier."""
    kind = reader.short_string()
    if kind not in _TIMES_OF:
        raise ValueError(f"a binary TextGrid with a tier of the class {kind!r}; expected {' or '.join(_TIMES_OF)}.")
    name = reader.string().strip()
    begin, end = reader.doubles(2)
    times = []
    labels = []
    for _ in range(reader.integer()):
        times.append(reader.doubles(_TIMES_OF[kind]))
        labels.append(reader.string().strip())
    return _Tier(name, begin, end, times, labels, has_intervals=kind == "IntervalTier")
