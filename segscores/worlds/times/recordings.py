"""Recordings: the sides of times, from files, folders and collections, paired by the names of recordings.

A file is a recording with its own name up to the first dot, or has several recordings with names of their own. If each side has
one recording, these pair whatever their names are. The names of a list are its indices.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from ...options.errors import FileError, warn
from ...options.messages import OptionError, OptionTypeError, placed
from ...options.quoting import described
from ...options.table import OPTIONS
from ...reading.reading import Reading
from ...reading.sources.names import TIMED, Files, Held, ending_of, shown_name, timed_files
from ...reading.sources.opening import open_file
from ...reading.sources.progress import Progress
from ...reading.sources.source import Rows, Side, Source
from .formats import Recordings, decode, parse_ctm, parse_json, parse_lines, parse_table, parse_textgrid
from .intervals import SECOND, SILENCE, Intervals, from_recordings, problem_of, recordings_columns

#: The reader of files by the ends of their names; others have lines.
_PARSERS: dict[str, Callable[[str, str | None], Recordings]] = {
    ".textgrid": parse_textgrid,
    ".ctm": parse_ctm,
    ".csv": parse_table,
    ".tsv": parse_table,
    ".json": parse_json,
}
_SAMPLED = (".phn", ".wrd")
_NAMED = 3
#: Ticks: a longer median word is a sign of other units than seconds; known durations that differ by more cause a warning.
_LONG, _DIFFERENT = 60 * SECOND, SECOND // 10
_EXPECTED = "expected for each recording a list of (start, end) or (start, end, label) in seconds, or an Intervals"


@dataclass
class _Recordings:
    """The recordings of one side by name, each with its intervals, or the reason why it can't be scored, and with its file."""

    place: str
    tier: str | None
    reading: Reading
    skips: bool  #: whether a file that can't be read is a recording that can't be scored, and no error
    progress: Progress
    intervals: dict[str, Intervals | str] = field(default_factory=dict)
    paths: dict[str, str] = field(default_factory=dict)

    def add(self, name: str, intervals: Intervals | str, path: str) -> None:
        if name in self.intervals:
            raise FileError(
                f"{self.paths[name]} and {path}: two recordings are called {name}; expected different names."
            )
        problem = problem_of(intervals) if isinstance(intervals, Intervals) else intervals
        self.intervals[name] = problem or intervals
        self.paths[name] = path

    def read(self, value: Any) -> None:
        """Add the recordings of files, or of a collection."""
        if isinstance(value, (os.PathLike, Files)):
            for path in value.paths if isinstance(value, Files) else [os.fspath(value)]:
                is_folder = isinstance(path, str) and os.path.isdir(path)
                for file in _files_in(str(path)) if is_folder else [path]:
                    self._read_file(file)
            self._silence_blank_labels()
            return
        if isinstance(value, (str, bytes, Intervals)) or not hasattr(value, "__iter__"):
            hint = " Pass a list of recordings, also of one." if isinstance(value, Intervals) else ""
            raise _odd_times(self.place, value, hint)
        has_names = isinstance(value, Mapping)
        for key, items in value.items() if has_names else enumerate(value):
            where = f"{self.place}, {'recording' if has_names else 'utterance'} {key}"
            self.add(str(key) if has_names else f"{key:09}", _intervals_of(items, where), self.place)

    def _silence_blank_labels(self) -> None:
        """Make the intervals of files without any label silent, if another file of the side has labels."""
        recordings = [item for item in self.intervals.values() if isinstance(item, Intervals)]
        if not any(any(item.labels) for item in recordings):
            return
        for name, item in self.intervals.items():
            if isinstance(item, Intervals) and not len(item.labels):
                self.intervals[name] = replace(item, labels=[""] * len(item.starts))

    def _read_file(self, path: str | Held) -> None:
        name, ending = shown_name(path), ending_of(path)
        with open_file(path, self.progress) as opened:
            data = opened.read()
        is_textgrid = b"TextGrid" in data[:200].replace(b"\0", b"")
        parse = parse_textgrid if is_textgrid else _PARSERS.get(ending, parse_lines)
        if ending in _SAMPLED:
            parse = partial(parse_lines, samples=self.reading.sample_rate)
        recordings: Mapping[str, Intervals | str]
        try:
            recordings = parse(decode(data), self.tier)
        except (ValueError, TypeError, KeyError, IndexError, OverflowError, csv.Error) as error:
            problem = str(error) if isinstance(error, ValueError) else f"the file has another structure ({error!r})."
            if not self.skips:
                is_of_option = isinstance(error, OptionError)
                raise (placed(error, name) if is_of_option else FileError(f"{name}: {problem}")) from None
            recordings = {"": problem}
        for key, intervals in recordings.items():
            self.add(key or os.path.basename(name).partition(".")[0], intervals, name)


def recording_sides(
    reading: Reading,
    inputs: Sequence[Any],
    names: Sequence[str],
    *,
    role: str = "references",
    skips: bool = False,
    progress: Progress = lambda _: None,
) -> list[Side]:
    """Open the sides of recordings. With `skips`, recordings that a side lacks, or that can't be read, become bad utterances."""
    roles = [role, *["predictions"] * (len(inputs) - 1)]
    tiers = reading.tier or (None,)
    sides = []
    for at, (value, name, side_role) in enumerate(zip(inputs, names, roles, strict=True)):
        named = value.label if isinstance(value, Files) else name or side_role
        place = os.fspath(value) if isinstance(value, os.PathLike) else named
        sides.append(_Recordings(place, tiers[min(at, len(tiers) - 1)], reading, skips, progress))
        sides[at].read(value)
    order = _paired(sides, skips=skips)
    recordings = [[side.intervals[name] for name in keys] for side, keys in zip(sides, order, strict=True)]
    columns, labels = recordings_columns(recordings, SILENCE if reading.silence is None else reading.silence)
    _warn_of_times(columns, [side.place for side in sides], order[0])
    opened = []
    for value, side, keys, column, name, side_role in zip(inputs, sides, order, columns, names, roles, strict=True):
        is_file = isinstance(value, (os.PathLike, Files, Mapping))
        batches = partial(iter, [Rows((column,), is_checked=True)])
        source = Source(side.place, batches, "recording", is_file=is_file)
        if is_file:
            source.names, source.paths = keys, [side.paths[key] for key in keys]
        reader = partial(from_recordings, names=labels)
        opened.append(Side(side_role, (source,), reading, name=name, recording_reader=reader))
    return opened


def _paired(sides: Sequence[_Recordings], *, skips: bool) -> list[list[str]]:
    """Return the names of the recordings of each side in order; sides of one recording each pair."""
    if all(len(side.intervals) == 1 for side in sides):
        return [[*side.intervals] for side in sides]
    every = sorted(set().union(*(side.intervals for side in sides)))
    for side in sides:
        missing = [name for name in every if name not in side.intervals]
        other = next((other for other in sides if missing and missing[0] in other.intervals), side)
        if missing and not skips:
            more = f" and {len(missing) - _NAMED} more" if len(missing) > _NAMED else ""
            listed = f"recording{'s' * (len(missing) > 1)} {', '.join(missing[:_NAMED])}{more}"
            raise FileError(f"{side.place} lacks the {listed} of {other.place}; recordings pair by name.")
        for name in missing:
            side.add(name, f"{side.place} lacks it; recordings pair by name.", side.place)
    return [every] * len(sides)


def _files_in(folder: str) -> Iterator[str]:
    files = timed_files(folder)
    if not files:
        raise FileError(f"{folder}: this folder has no files of times; expected names that end in {', '.join(TIMED)}.")
    yield from files


def _odd_times(where: str, value: Any, hint: str) -> OptionTypeError:
    received = f", {where}: received {described(value)}; {_EXPECTED}.{hint}"
    return OptionTypeError(OPTIONS["text_format"].set("times"), received)


def _intervals_of(items: Any, where: str) -> Intervals:
    if isinstance(items, Intervals):
        if len(items.starts) != len(items.ends) or len(items.labels) not in (0, len(items.starts)):
            counts = f"{len(items.starts)} starts, {len(items.ends)} ends and {len(items.labels)} labels"
            raise ValueError(f"{where}: received {counts}; expected equal numbers.")
        return items
    if isinstance(items, np.ndarray) and items.ndim == 2 and items.shape[1] == 2:
        return Intervals(items[:, 0], items[:, 1])
    try:
        rows = list(items)
        columns = [*zip(*rows, strict=True)] if rows else [(), ()]
        if len(columns) not in (2, 3) or not {*map(type, [*columns[2:], ()][0])} <= {str}:
            raise ValueError
        starts, ends = (np.array(times, np.float64) for times in columns[:2])
        return Intervals(starts, ends, [*columns[2:], ()][0])
    except (TypeError, ValueError, OverflowError):
        is_one = isinstance(items, Sequence) and len(items) in (2, 3) and isinstance(items[0], (int, float))
        raise _odd_times(where, items, " Is this one recording? Pass a list of recordings." if is_one else "") from None


def _warn_of_times(columns: Sequence[Any], shown: Sequence[str], names: Sequence[str]) -> None:
    for column, name in zip(columns, shown, strict=True):
        starts, ends, labels = (np.asarray(column.field(key).values) for key in ("starts", "ends", "labels"))
        lengths = (ends - starts)[labels >= 0]
        if len(lengths) and np.median(lengths) > _LONG:
            warn(
                f"{name}: half of the segments last over a minute: are the times in milliseconds or samples? Expected seconds: "
                f"divide them by 1000, or by the samples per second."
            )
    reference, *others = (np.asarray(column.field("duration")) for column in columns)
    for other, name in zip(others, shown[1:], strict=True):
        differ = np.flatnonzero((np.abs(other - reference) > _DIFFERENT) & (np.minimum(other, reference) >= 0))
        if len(differ):
            first = f"{names[differ[0]]} ({reference[differ[0]] / SECOND:g} s and {other[differ[0]] / SECOND:g} s)"
            warn(
                f"{shown[0]} and {name}: the durations of {len(differ)} of {len(names)} recordings differ by more than 0.1 s, "
                f"first of {first}: are they of the same audio?"
            )
