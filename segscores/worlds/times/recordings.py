"""Recordings: the sides of times, from files, folders and collections, paired by the names of recordings.

A file is a recording with its own name up to the first dot, or has several recordings with names of their own. If each side has
one recording, these pair whatever their names are. The names of a list are its indices.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from ...options.errors import FileError, warn
from ...options.messages import OptionError, OptionTypeError, placed
from ...options.quoting import described
from ...options.table import OPTIONS
from ...reading.reading import Reading
from ...reading.sources.names import Files, Held, ending_of, files_in, shown_name
from ...reading.sources.opening import open_file
from ...reading.sources.progress import Progress
from ...reading.sources.source import Rows, Side, Source
from .formats import Recordings, decode, parse_ctm, parse_json, parse_lines, parse_table, parse_textgrid
from .intervals import SECOND, SILENCE, Intervals, from_recordings, problem_of, recordings_columns
from .row import FOLDER

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
#: A longer median word is a sign of other units than seconds, in ticks.
_LONG = 60 * SECOND
#: Known durations that differ by more cause a warning, in ticks.
_DIFFERENT = SECOND // 10
_EXPECTED = "expected for each recording a list of (start, end) or (start, end, label) in seconds, or an Intervals"


@dataclass
class _Recordings:
    """The recordings of one side by name, each with its intervals, or the reason why it can't be scored, and with its file."""

    place: str
    tier: str | None
    reading: Reading
    progress: Progress
    intervals: dict[str, Intervals | str] = field(default_factory=dict)
    paths: dict[str, str] = field(default_factory=dict)

    def add(self, name: str, intervals: Intervals | str, path: str) -> None:
        if name in self.intervals:
            raise FileError(
                f"{self.paths[name]} and {path}: two recordings are called {name}; expected different names."
            )
        self.intervals[name] = intervals
        self.paths[name] = path
        if isinstance(intervals, Intervals):
            self.intervals[name] = problem_of(intervals) or intervals

    def read(self, value: Any) -> None:
        """Add the recordings of files, or of a collection."""
        if isinstance(value, Files):
            self._read_files(value.paths)
        elif isinstance(value, os.PathLike):
            self._read_files([os.fspath(value)])
        else:
            self._read_collection(value)

    def _read_files(self, paths: Iterable[str | Held]) -> None:
        for path in paths:
            if isinstance(path, str) and os.path.isdir(path):
                for file in _files_in(path):
                    self._read_file(file)
            else:
                self._read_file(path)
        self._silence_blank_labels()

    def _read_collection(self, value: Any) -> None:
        if isinstance(value, Intervals):
            raise _odd_times(self.place, value, " Pass a list of recordings, also of one.")
        if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
            raise _odd_times(self.place, value)
        if isinstance(value, Mapping):
            for name, items in value.items():
                self.add(str(name), _intervals_of(items, f"{self.place}, recording {name}"), self.place)
            return
        for number, items in enumerate(value):
            self.add(f"{number:09}", _intervals_of(items, f"{self.place}, utterance {number}"), self.place)

    def _silence_blank_labels(self) -> None:
        """Make the intervals of files without any label silent, if another file of the side has labels."""
        recordings = [item for item in self.intervals.values() if isinstance(item, Intervals)]
        if not any(any(item.labels) for item in recordings):
            return
        for name, item in self.intervals.items():
            if isinstance(item, Intervals) and not len(item.labels):
                self.intervals[name] = replace(item, labels=[""] * len(item.starts))

    def _read_file(self, path: str | Held) -> None:
        name = shown_name(path)
        ending = ending_of(path)
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
            if isinstance(error, OptionError) and not self.reading.skips:
                raise placed(error, name) from None
            problem = f"the file has another structure ({error!r})."
            if isinstance(error, ValueError):
                problem = str(error)
            if not self.reading.skips:
                raise FileError(f"{name}: {problem}") from None
            recordings = {"": problem}
        for key, intervals in recordings.items():
            self.add(key or os.path.basename(name).partition(".")[0], intervals, name)


def recording_sides(
    reading: Reading,
    inputs: Sequence[Any],
    names: Sequence[str],
    *,
    role: str = "references",
    progress: Progress = lambda _: None,
) -> list[Side]:
    """Open the sides of recordings. If it skips, recordings that a side lacks, or that can't be read, become bad utterances."""
    roles = [role, *["predictions"] * (len(inputs) - 1)]
    tiers = reading.tier or (None,)
    sides = []
    for at, (value, name, side_role) in enumerate(zip(inputs, names, roles, strict=True)):
        place = _place_of(value, name or side_role)
        sides.append(_Recordings(place, tiers[min(at, len(tiers) - 1)], reading, progress))
        sides[at].read(value)
    order = _paired(sides, skips=reading.skips)
    recordings = [[side.intervals[name] for name in keys] for side, keys in zip(sides, order, strict=True)]
    columns, labels = recordings_columns(recordings, SILENCE if reading.silence is None else reading.silence)
    _warn_of_times(columns, [side.place for side in sides], order[0])
    opened = []
    for value, side, keys, column, name, side_role in zip(inputs, sides, order, columns, names, roles, strict=True):
        is_file = isinstance(value, (os.PathLike, Files, Mapping))
        batches = partial(iter, [Rows((column,), is_checked=True)])
        source = Source(side.place, batches, "recording", is_file=is_file)
        if is_file:
            source.names = keys
            source.paths = [side.paths[key] for key in keys]
        reader = partial(from_recordings, names=labels)
        opened.append(Side(side_role, (source,), reading, name=name, recording_reader=reader))
    return opened


def _place_of(value: Any, name: str) -> str:
    """Return the path of a side, or its name if it has none, for messages."""
    if isinstance(value, os.PathLike):
        return str(os.fspath(value))
    if isinstance(value, Files):
        return value.label
    return name


def _paired(sides: Sequence[_Recordings], *, skips: bool) -> list[list[str]]:
    """Return the names of the recordings of each side in order; sides of one recording each pair."""
    if all(len(side.intervals) == 1 for side in sides):
        return [[*side.intervals] for side in sides]
    every = sorted(set().union(*(side.intervals for side in sides)))
    for side in sides:
        missing = [name for name in every if name not in side.intervals]
        if missing and not skips:
            raise _lacking(side, missing, sides)
        for name in missing:
            side.add(name, f"{side.place} lacks it; recordings pair by name.", side.place)
    return [every] * len(sides)


def _lacking(side: _Recordings, missing: Sequence[str], sides: Sequence[_Recordings]) -> FileError:
    """Return the error of a side that lacks recordings which another side has."""
    other = next(other for other in sides if missing[0] in other.intervals)
    noun = "recordings" if len(missing) > 1 else "recording"
    listed = f"{noun} {', '.join(missing[:_NAMED])}"
    if len(missing) > _NAMED:
        listed += f" and {len(missing) - _NAMED} more"
    return FileError(f"{side.place} lacks the {listed} of {other.place}; recordings pair by name.")


def _files_in(folder: str) -> Iterator[str]:
    files = files_in(folder)
    if not files:
        expected = f"expected names that end in {', '.join(FOLDER.endings)}"
        raise FileError(f"{folder}: this folder has no files of times; {expected}.")
    yield from files


def _odd_times(where: str, value: Any, hint: str = "") -> OptionTypeError:
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
        columns: list[tuple[Any, ...]] = [(), ()]
        if rows:
            columns = [*zip(*rows, strict=True)]
        if len(columns) == 2:
            columns.append(())
        # Another number of columns is a ValueError.
        starts, ends, labels = columns
        if not {*map(type, labels)} <= {str}:
            raise ValueError
        return Intervals(np.array(starts, np.float64), np.array(ends, np.float64), labels)
    except (TypeError, ValueError, OverflowError):
        is_one = isinstance(items, Sequence) and len(items) in (2, 3) and isinstance(items[0], (int, float))
        hint = ""
        if is_one:
            hint = " Is this one recording? Pass a list of recordings."
        raise _odd_times(where, items, hint) from None


def _warn_of_times(columns: Sequence[Any], shown: Sequence[str], names: Sequence[str]) -> None:
    for column, name in zip(columns, shown, strict=True):
        starts = np.asarray(column.field("starts").values)
        ends = np.asarray(column.field("ends").values)
        labels = np.asarray(column.field("labels").values)
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
