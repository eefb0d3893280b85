"""Recordings: the sides of times, from files, folders and collections, paired by the names of recordings.

A file is a recording with its own name (`naming`), or has several recordings with names of their own. If each side has one
recording, these pair whatever their names are. The names of a list are its indices.

In a side of which no interval has a label every interval is a word; else intervals with blank labels are silence.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any, TypeVar

import numpy as np

from ...options.errors import FileError, warn
from ...options.messages import Message, OptionError, OptionTypeError, placed
from ...options.quoting import described
from ...options.table import OPTIONS
from ...reading.reading import Reading
from ...reading.sources.names import Files, Held, ending_of, shown_name, stem_of
from ...reading.sources.opening import open_file
from ...reading.sources.progress import Progress
from ...reading.sources.source import Rows, Side, Source
from .folders import FolderFiles, read_folders
from .formats import read_timed_file
from .intervals import (
    ROUNDING,
    SECOND,
    Intervals,
    from_recordings,
    problem_of,
    recordings_columns,
    structure_problem_of,
)
from .names_of_labels import Renaming, doubts_of_case
from .naming import FileName, common_names
from .overlaps import Overlaps, hint_for
from .timed_file import TimedFile
from .units import PER_SECOND, Units, settle_units

_Value = TypeVar("_Value")

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
    #: the files of the recordings that have the names of their files
    file_names: dict[str, FileName] = field(default_factory=dict)
    folders: Mapping[str, FolderFiles] = field(default_factory=dict)  #: the files of the folders of all sides
    units: Units = field(init=False)
    has_labels: bool = False
    lacks_tiers: bool = False  #: whether it has files, and none with tiers
    has_tiers: bool = False

    def __post_init__(self) -> None:
        self.units = Units(self.place, self.intervals)

    def add(self, name: str, intervals: Intervals | str, path: str) -> None:
        if name in self.intervals:
            raise FileError(
                f"{self.paths[name]} and {path}: two recordings are called {name}; expected different names."
            )
        self.intervals[name] = intervals
        self.paths[name] = path
        if isinstance(intervals, Intervals):
            self.intervals[name] = structure_problem_of(intervals) or intervals

    def read(self, value: Any) -> None:
        """Add the recordings of files, or of a collection."""
        if isinstance(value, Files):
            self._read_files(value.paths)
        elif isinstance(value, os.PathLike):
            self._read_files([os.fspath(value)])
        else:
            self._read_collection(value)
        self._settle_blank_labels()

    def _read_files(self, paths: Sequence[str | Held]) -> None:
        root = _common_folder(paths)
        self.lacks_tiers = True
        for path in paths:
            if isinstance(path, str) and os.path.isdir(path):
                for file in self.folders[path].read:
                    self._read_file(file, path)
            else:
                self._read_file(path, root)

    def _read_collection(self, value: Any) -> None:
        if isinstance(value, Intervals):
            raise _odd_times(self.place, value, " Pass a list of recordings, also of one.")
        if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
            raise _odd_times(self.place, value)
        if isinstance(value, Mapping):
            for name, items in value.items():
                self._add_collected(str(name), items, f"{self.place}, recording {name}")
            return
        for number, items in enumerate(value):
            self._add_collected(f"{number:09}", items, f"{self.place}, utterance {number}")

    def _add_collected(self, name: str, items: Any, where: str) -> None:
        intervals = _intervals_of(items, where)
        self.add(name, intervals, self.place)
        self.has_labels |= any(intervals.labels)
        if intervals is not items:
            self.units.open.add(name)

    def _settle_blank_labels(self) -> None:
        """Make all intervals words if none has a label; else give the files without any label blank ones, which are silence."""
        for name, item in self.intervals.items():
            if isinstance(item, str):
                continue
            if not self.has_labels:
                self.intervals[name] = replace(item, labels=())
            elif not len(item.labels):
                self.intervals[name] = replace(item, labels=[""] * len(item.starts))

    def speaker_of(self, name: str) -> str:
        """Return the speaker of a recording; empty if its file names none."""
        file_name = self.file_names.get(name)
        return "" if file_name is None else file_name.speaker

    def rename(self, names: Mapping[str, str]) -> None:
        """Give recordings other names."""
        _rename_keys(self.intervals, names)
        _rename_keys(self.paths, names)
        _rename_keys(self.file_names, names)
        for members in (self.units.open, self.units.whole, self.units.sampled):
            renamed_members = {names.get(old, old) for old in members}
            members.clear()
            members.update(renamed_members)

    def _read_file(self, path: str | Held, root: str) -> None:
        """Read a file, whose folder is within `root`."""
        name = shown_name(path)
        file_name = FileName(_folder_within(path, root), stem_of(path))
        ending = ending_of(path)
        with open_file(path, self.progress) as opened:
            data = opened.read()
        try:
            timed = read_timed_file(data, ending, self.tier)
        except (ValueError, TypeError, KeyError, IndexError, OverflowError, csv.Error) as error:
            if isinstance(error, OptionError) and not self.reading.skips:
                raise placed(error, name) from None
            problem = f"the file has another structure ({error!r})."
            if isinstance(error, ValueError):
                problem = str(error)
            if not self.reading.skips:
                raise FileError(f"{name}: {problem}") from None
            self._add_named(file_name, problem, name)
            self.lacks_tiers = False
            return
        self._add_file(timed, file_name, name)

    def _add_file(self, timed: TimedFile, file_name: FileName, path: str) -> None:
        """Add the recordings of a file."""
        self.has_labels |= timed.has_labels
        self.lacks_tiers &= not timed.has_tiers
        self.has_tiers |= timed.has_tiers
        for note in timed.notes:
            warn(f"{path}: {note}")
        self.units.has_frames |= timed.unit == "frames"
        for key, intervals in timed.recordings.items():
            if key and key not in timed.speakers:
                self.add(key, intervals, path)
                name = key
            else:
                name = self._add_named(replace(file_name, speaker=key), intervals, path)
            if timed.unit in ("samples", "frames"):
                self.units.sampled.add(name)
            elif timed.unit:
                self.units.set_unit({name}, PER_SECOND[timed.unit])
            else:
                self.units.open.add(name)
            if timed.is_whole:
                self.units.whole.add(name)

    def _add_named(self, file_name: FileName, intervals: Intervals | str, path: str) -> str:
        """Add a recording that has the name of its file; return the name."""
        name = file_name.unique
        self.add(name, intervals, path)
        self.file_names[name] = file_name
        return name


def _rename_keys(values: dict[str, _Value], names: Mapping[str, str]) -> None:
    """Replace keys by their new names, in place."""
    renamed = {names.get(old, old): value for old, value in values.items()}
    values.clear()
    values.update(renamed)


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
    folders = _folders_of(inputs)
    rename = Renaming.of(reading)
    sides = []
    for at, (value, name, side_role) in enumerate(zip(inputs, names, roles, strict=True)):
        place = _place_of(value, name or side_role)
        side = _Recordings(place, _of_side(reading.tier, at), reading, progress, folders=folders)
        side.units.named = _of_side(reading.time_unit, at) or ""
        side.read(value)
        sides.append(side)
    _check_tiers(reading.tier, sides)
    order = _paired(sides, reading)
    shown = [side.place for side in sides]
    for message in settle_units([side.units for side in sides], order, reading.sample_rate):
        warn(message)
    recordings = [[_checked(side.intervals[name]) for name in keys] for side, keys in zip(sides, order, strict=True)]
    rename.check(chain.from_iterable(recordings))
    recordings = _with_common_beginnings(recordings)
    for at, side in enumerate(sides):
        overlaps = Overlaps(side.place, reading.overlap == "cut")
        recordings[at] = [overlaps.settle(item) for item in recordings[at]]
        for note in overlaps.notes():
            warn(note)
    columns, labels = recordings_columns(recordings, reading.silence, rename)
    _warn_of_lengths(columns, sides)
    _warn_of_times(columns, shown, order[0])
    if reading.word_labels:
        for doubt in doubts_of_case(columns, labels.to_pylist(), shown):
            warn(doubt)
    opened = []
    for value, side, keys, column, name, side_role in zip(inputs, sides, order, columns, names, roles, strict=True):
        is_file = isinstance(value, (os.PathLike, Files, Mapping))
        batches = partial(iter, [Rows((column,), is_checked=True)])
        source = Source(side.place, batches, "recording", is_file=is_file)
        if is_file:
            source.names = keys
            source.paths = [side.paths[key] for key in keys]
            source.speakers = [side.speaker_of(key) for key in keys]
        reader = partial(from_recordings, names=labels, hint=hint_for(has_tiers=side.has_tiers))
        opened.append(Side(side_role, (source,), reading, name=name, recording_reader=reader))
    return opened


def _place_of(value: Any, name: str) -> str:
    """Return the path of a side, or its name if it has none, for messages."""
    if isinstance(value, os.PathLike):
        return str(os.fspath(value))
    if isinstance(value, Files):
        return value.label
    return name


def _of_side(values: Sequence[str | None] | None, at: int) -> str | None:
    """Return the value of a side, of which the last is that of all further sides."""
    if values is None:
        return None
    return values[min(at, len(values) - 1)]


def _check_tiers(tiers: Sequence[str | None] | None, sides: Sequence[_Recordings]) -> None:
    """Raise an error if a tier is named for files without tiers: for a side, or for both where neither has tiers."""
    if not tiers:
        return
    named = [at for at in range(len(sides)) if _of_side(tiers, at) is not None]
    without = [sides[at] for at in named if sides[at].lacks_tiers]
    if without and (len(tiers) > 1 or len(without) == len(named)):
        problem = f": {without[0].place} has no tiers; expected a format with tiers, such as a TextGrid. Leave it out."
        raise OptionError(OPTIONS["tier"].set(tuple(tiers)), problem)


def _checked(item: Intervals | str) -> Intervals | str:
    """Return a recording, or the reason why it can't be scored."""
    if isinstance(item, str):
        return item
    return problem_of(item) or item


def _with_common_beginnings(sides: Sequence[Sequence[Intervals | str]]) -> list[list[Intervals | str]]:
    """Return recordings that begin at one time on all sides: the time that all sides which know it agree on; otherwise 0."""
    moved: list[list[Intervals | str]] = [[] for _ in sides]
    for items in zip(*sides, strict=True):
        begin = _common_beginning([item for item in items if isinstance(item, Intervals)])
        for side, item in zip(moved, items, strict=True):
            side.append(item if isinstance(item, str) else replace(item, begin=begin * item.per_second))
    return moved


def _common_beginning(items: Sequence[Intervals]) -> float:
    """Return the time in seconds at which a recording begins."""
    known = [item.begin / item.per_second for item in items if item.begin is not None]
    if not known or max(known) - min(known) > ROUNDING / SECOND:
        return 0.0
    begin = min(known)
    firsts = [float(np.min(item.starts)) / item.per_second for item in items if len(item.starts)]
    if begin > 0 and min(firsts, default=begin) < begin - ROUNDING / SECOND:
        # A side counts from another beginning.
        return 0.0
    return begin


def _paired(sides: Sequence[_Recordings], reading: Reading) -> list[list[str]]:
    """Return the names of the recordings of each side in order; sides of one recording each pair."""
    if all(len(side.intervals) == 1 for side in sides):
        return [[*side.intervals] for side in sides]
    named = [{name: side.file_names.get(name, name) for name in side.intervals} for side in sides]
    for side, names in zip(sides, common_names(named), strict=True):
        side.rename(names)
    every = sorted(set().union(*(side.intervals for side in sides)))
    for side in sides:
        missing = [name for name in every if name not in side.intervals]
        if reading.missing == "empty":
            for name in missing:
                side.add(name, Intervals(), side.place)
        elif missing and not reading.skips:
            raise _lacking(side, missing, sides)
        else:
            hint = Message(" ", OPTIONS["missing"].set("empty"), " counts it as one without words.")
            for name in missing:
                side.add(name, f"{side.place} lacks it; recordings pair by name.{hint}", side.place)
    return [every] * len(sides)


def _lacking(side: _Recordings, missing: Sequence[str], sides: Sequence[_Recordings]) -> FileError:
    """Return the error of a side that lacks recordings which another side has."""
    other = next(other for other in sides if missing[0] in other.intervals)
    noun = "recordings" if len(missing) > 1 else "recording"
    listed = f"{noun} {', '.join(missing[:_NAMED])}"
    if len(missing) > _NAMED:
        listed += f" and {len(missing) - _NAMED} more"
    remedy = OPTIONS["missing"].set("empty")
    problem = (
        f"{side.place} lacks the {listed} of {other.place}; recordings pair by name. If it has no words there, add "
    )
    return FileError(problem, remedy, ".")


def _folders_of(inputs: Sequence[Any]) -> dict[str, FolderFiles]:
    """Return the files of the folders of all sides that are read; warn of the others."""
    paths: list[str] = []
    for value in inputs:
        if isinstance(value, Files):
            paths += value.on_disk
        elif isinstance(value, os.PathLike):
            paths.append(str(os.fspath(value)))
    folders = read_folders([path for path in dict.fromkeys(paths) if os.path.isdir(path)])
    for files in folders.values():
        if files.left_out:
            warn(files.note())
    return folders


def _common_folder(paths: Sequence[str | Held]) -> str:
    """Return the folder that holds all of several files; empty if there is none."""
    named = [path for path in paths if isinstance(path, str)]
    folders = [os.path.dirname(os.path.abspath(path)) for path in named if path != "-"]
    try:
        return os.path.commonpath(folders)
    except ValueError:  # there is no path, or they are on several drives
        return ""


def _folder_within(path: str | Held, root: str) -> str:
    """Return the folder of a file within another folder, with `/` between names; empty if it is that folder."""
    if isinstance(path, Held) or not root or path == "-":
        return ""
    folder = os.path.relpath(os.path.dirname(os.path.abspath(path)), os.path.abspath(root))
    return "" if folder == "." else folder.replace(os.sep, "/")


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


def _warn_of_lengths(columns: Sequence[Any], sides: Sequence[_Recordings]) -> None:
    """Warn of sides whose words are so long that their unit is perhaps another one than seconds."""
    are_long = [_median_length(column) > _LONG for column in columns]
    if not any(are_long):
        return
    for side, is_long in zip(sides, are_long, strict=True):
        if is_long:
            problem = (
                f"{side.place}: half of the segments last over a minute: are the times in milliseconds or samples? "
            )
            warn(Message(problem, _remedy_of_lengths(sides, are_long)))


def _remedy_of_lengths(sides: Sequence[_Recordings], are_long: Sequence[bool]) -> Message:
    """Return the option that names the unit of the sides with long words; or advice where their files name a unit."""
    doubted = [side for side, is_long in zip(sides, are_long, strict=True) if is_long]
    if not all(side.units.open for side in doubted):
        return Message("Expected seconds: divide them by 1000, or by the samples per second.")
    if all(are_long):
        units: tuple[str | None, ...] = ("ms",)
    elif are_long[0]:
        units = ("ms", "s" if sides[1].units.open else None)
    else:
        units = ("s" if sides[0].units.open else None, "ms")
    return Message("Name the unit, as with ", OPTIONS["time_unit"].set(units), ".")


def _median_length(column: Any) -> float:
    """Return the median duration of the words of a side, in ticks; 0 if there is none."""
    lengths = np.asarray(column.field("ends").values) - np.asarray(column.field("starts").values)
    words = lengths[np.asarray(column.field("labels").values) >= 0]
    return float(np.median(words)) if len(words) else 0.0


def _warn_of_times(columns: Sequence[Any], shown: Sequence[str], names: Sequence[str]) -> None:
    """Warn of recordings whose known durations differ."""
    reference, *others = (np.asarray(column.field("duration")) for column in columns)
    for other, name in zip(others, shown[1:], strict=True):
        differ = np.flatnonzero((np.abs(other - reference) > _DIFFERENT) & (np.minimum(other, reference) >= 0))
        if len(differ):
            first = f"{names[differ[0]]} ({reference[differ[0]] / SECOND:g} s and {other[differ[0]] / SECOND:g} s)"
            warn(
                f"{shown[0]} and {name}: the durations of {len(differ)} of {len(names)} recordings differ by more than 0.1 s, "
                f"first of {first}: are they of the same audio?"
            )
