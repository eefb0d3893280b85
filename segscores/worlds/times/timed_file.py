"""Timed files: what is read from a file of times, and the names that columns and keys have."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from .intervals import Intervals

Floats = npt.NDArray[np.float64]
Recordings = dict[str, Intervals]

#: The names of columns and of keys, without their units and signs such as `_`, the best first. No name is of two kinds.
_NAMES = {
    "start": ("start", "onset", "begin", "tmin", "xmin", "starttime", "begintime", "startoffset", "ts"),
    "end": ("end", "offset", "stop", "tmax", "xmax", "endtime", "stoptime", "endoffset", "endts"),
    "duration": ("duration", "dur"),
}
#: The last part of a name that is a unit of time, and the unit.
_UNITS_IN_NAMES = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), "s"),
    **dict.fromkeys(("ms", "msec", "millis", "millisecond", "milliseconds"), "ms"),
    **dict.fromkeys(("us", "microseconds"), "us"),
    "ticks": "100ns",
    **dict.fromkeys(("sample", "samples"), "samples"),
    **dict.fromkeys(("frame", "frames"), "frames"),
}
#: The units of times in columns of one table, the best first: "" is a column that names none.
_UNITS = ("s", "", "ms", "us", "100ns", "samples", "frames")
#: A part of a name, and the place before a capital letter within it: the parts of startMs are start and ms.
_PARTS = re.compile(r"[a-z0-9]+")
_NEW_WORD = re.compile(r"(?<=[a-z])(?=[A-Z])")


@dataclass
class TimedFile:
    """The recordings of a file by name, "" for the one that the file is, and what the file says about its times.

    Attributes:
        recordings: their times are in the unit of the file.
        unit: `s`, `ms`, `us`, `100ns`, `samples` or `frames`; empty if the file names none.
        is_whole: whether every time is a whole number, so that its unit may be another one than seconds.
        has_labels: whether an interval has a label.
        notes: what a person has to know about the reading.
        speakers: the names of recordings that are speakers of the file.
        has_tiers: whether the option `tier` chooses what is read.
    """

    recordings: Recordings
    unit: str = ""
    is_whole: bool = False
    has_labels: bool = False
    notes: list[str] = field(default_factory=list)
    speakers: frozenset[str] = frozenset()
    has_tiers: bool = False

    def __post_init__(self) -> None:
        """Find out whether an interval has a label, if the parser has not said that one had."""
        if not self.has_labels:
            self.has_labels = any(any(intervals.labels) for intervals in self.recordings.values())


@dataclass(frozen=True)
class TimeNames:
    """The names of the columns or keys with times, and their unit; empty if they name none."""

    start: str
    end: str  #: empty if there is a duration in its place
    duration: str  #: empty if there is an end
    unit: str  #: as of `TimedFile`

    @property
    def last(self) -> str:
        """The name of the end, or of the duration."""
        return self.end or self.duration


def time_names(names: Iterable[str]) -> TimeNames | None:
    """Return which names are those of times; None if there is no start with an end or a duration.

    >>> time_names(["label", "Begin Time (s)", "End Time (s)"])
    TimeNames(start='Begin Time (s)', end='End Time (s)', duration='', unit='s')
    >>> time_names(["startMs", "durationMs"])
    TimeNames(start='startMs', end='', duration='durationMs', unit='ms')
    """
    by_base_and_unit: dict[tuple[str, str], str] = {}
    for name in names:
        # The first of several names that mean the same counts.
        by_base_and_unit.setdefault(_base_and_unit(name), name)
    for unit in _UNITS:
        start = _first_of(by_base_and_unit, "start", unit)
        end = _first_of(by_base_and_unit, "end", unit)
        duration = _first_of(by_base_and_unit, "duration", unit)
        if start and end:
            return TimeNames(start, end=end, duration="", unit=unit)
        if start and duration:
            return TimeNames(start, end="", duration=duration, unit=unit)
        if end and duration:
            # As Azure has it, with `Offset` and `Duration`: here the name `offset` is that of a start.
            return TimeNames(start=end, end="", duration=duration, unit=unit)
    return None


def is_name_of_time(name: str) -> bool:
    """Return whether a name is one of times, in whatever unit."""
    base, _ = _base_and_unit(name)
    return any(base in bases for bases in _NAMES.values())


def _base_and_unit(name: str) -> tuple[str, str]:
    """Return the base of a name, as in _NAMES, and its unit, empty if it names none.

    >>> _base_and_unit("Begin Time (s)"), _base_and_unit("startMs"), _base_and_unit("end_in_samples")
    (('begintime', 's'), ('start', 'ms'), ('end', 'samples'))
    """
    parts = _PARTS.findall(_NEW_WORD.sub("_", name).lower())
    unit = ""
    if len(parts) > 1 and parts[-1] in _UNITS_IN_NAMES:
        unit = _UNITS_IN_NAMES[parts.pop()]
    if len(parts) > 1 and parts[-1] == "in":
        parts.pop()
    return "".join(parts), unit


def _first_of(by_base_and_unit: Mapping[tuple[str, str], str], kind: str, unit: str) -> str:
    """Return the name of this kind and unit whose base comes first in _NAMES; empty if there is none.

    >>> _first_of({("begin", "ms"): "beginMs", ("onset", "ms"): "onset_ms"}, "start", "ms")
    'onset_ms'
    """
    for base in _NAMES[kind]:
        if (base, unit) in by_base_and_unit:
            return by_base_and_unit[base, unit]
    return ""
