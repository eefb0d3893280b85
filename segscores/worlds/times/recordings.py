"""Recordings: the sides of times, from files, folders and collections, paired by the names of recordings.

A file is a recording with its own name (`naming`), or has several recordings with names of their own. If each side has one
recording, these pair whatever their names are. The names of a list are its indices.

In a side of which no interval has a label every interval is a word; else intervals with blank labels are silence.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from ...options.errors import FileError, warn
from ...options.messages import Message, OptionError, placed
from ...options.table import OPTIONS
from ...reading.reading import Reading
from ...reading.sources.names import Files, Held, ending_of, shown_name, stem_of
from ...reading.sources.opening import open_file
from ...reading.sources.progress import Progress
from ...reading.sources.source import Rows, Side, Source
from .collected import intervals_of, odd_times
from .doubts import warn_of_rounded_times, warn_of_times
from .folders import FolderFiles, common_folder, folder_within, read_folders
from .formats import UNREADABLE, read_timed_file
from .intervals import (
    ROUNDING,
    SECOND,
    Intervals,
    beginning_at,
    from_recordings,
    problem_of,
    recordings_columns,
    structure_problem_of,
)
from .label_doubts import NamedSilence, labelled_sides, warn_of_labels
from .names_of_labels import Renaming
from .naming import FileName, pairing_names
from .overlaps import Overlaps, hint_for
from .timed_file import TimedFile
from .units import PER_SECOND, Units, settle_units

_Value = TypeVar("_Value")

#: The recordings that a message names.
_NAMED = 3


@dataclass
class _Recordings:
    """The recordings of one side by name, each with its intervals, or the reason why it can't be scored, and with its file."""

    place: str  #: the path or the name of the side, for messages
    name: str  #: the name of the side; empty if it has none
    role: str  #: such as `references`
    has_files: bool  #: whether its recordings have names of their own, which outputs show
    tier: str | None  #: the tier that the user has named
    reading: Reading
    progress: Progress
    intervals: dict[str, Intervals | str] = field(default_factory=dict)
    paths: dict[str, str] = field(default_factory=dict)
    #: the files of the recordings that have the names of their files
    file_names: dict[str, FileName] = field(default_factory=dict)
    folders: Mapping[str, FolderFiles] = field(default_factory=dict)  #: the files of the folders of all sides
    is_collection: bool = False  #: whether its recordings are values of Python, and not of files
    units: Units = field(init=False)  #: the units of time of its recordings, such as milliseconds
    has_labels: bool = False  #: whether an interval of it has a label
    has_tiers: bool = False  #: whether a file of it has tiers
    #: whether the option `tier` may concern it: a file of it has tiers, or can't be read
    may_have_tiers: bool = False

    def __post_init__(self) -> None:
        self.units = Units(self.place, self.intervals)

    def add(self, name: str, intervals: Intervals | str, path: str) -> None:
        """Add a recording, or the reason why it can't be scored; `path` is its file, or the place of a collection."""
        if name in self.intervals:
            raise FileError(
                f"{self.paths[name]} and {path}: two recordings are called {name}; expected different names."
            )
        if isinstance(intervals, Intervals):
            # A problem takes the place of the recording.
            intervals = structure_problem_of(intervals) or intervals
        self.intervals[name] = intervals
        self.paths[name] = path

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
        """Add the recordings of files, and of the files of folders."""
        root = common_folder(paths)
        for path in paths:
            if isinstance(path, str) and os.path.isdir(path):
                for file in self.folders[path].read:
                    self._read_file(file, path)
            else:
                self._read_file(path, root)

    def _read_collection(self, value: Any) -> None:
        """Add the recordings of a list, or of a mapping from their names."""
        self.is_collection = True
        if isinstance(value, Intervals):
            raise odd_times(self.place, value, " Pass a list of recordings, also of one.")
        if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
            raise odd_times(self.place, value)
        if isinstance(value, Mapping):
            for name, items in value.items():
                self._add_collected(str(name), items, f"{self.place}, recording {name}")
            return
        for number, items in enumerate(value):
            # Names of nine digits are in the order of the numbers when they are sorted.
            self._add_collected(f"{number:09}", items, f"{self.place}, utterance {number}")

    def _add_collected(self, name: str, items: Any, where: str) -> None:
        """Add a recording of a collection; `where` is its place for messages, such as `references, utterance 3`."""
        intervals = intervals_of(items, where)
        self.add(name, intervals, self.place)
        self.has_labels |= any(intervals.labels)
        if not isinstance(items, Intervals):
            # Unlike Intervals, a list of times does not say its unit.
            self.units.without_unit.add(name)

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

    def shown(self, names: Sequence[str]) -> Sequence[str]:
        """Return names of recordings for a message: of a list, whose names are indices with zeros before them, the indices."""
        if self.has_files:
            return names
        return [str(int(name)) for name in names]

    def rename(self, names: Mapping[str, str]) -> None:
        """Give recordings other names; `names` has the new name of each by its present one."""
        _rename_keys(self.intervals, names)
        _rename_keys(self.paths, names)
        _rename_keys(self.file_names, names)
        for members in (self.units.without_unit, self.units.in_whole_numbers, self.units.in_samples):
            renamed_members = {names.get(old, old) for old in members}
            members.clear()
            members.update(renamed_members)

    def _read_file(self, path: str | Held, root: str) -> None:
        """Add the recordings of a file, whose folder is within `root`; or, if bad ones are skipped, why it can't be read."""
        name = shown_name(path)
        file_name = FileName(folder_within(path, root), stem_of(path))
        ending = ending_of(path)
        with open_file(path, self.progress) as opened:
            data = opened.read()
        try:
            timed = read_timed_file(data, ending, self.tier)
        except UNREADABLE as error:
            problem = str(error) if isinstance(error, ValueError) else f"the file has another structure ({error!r})."
            if self.reading.skips:
                self._add_named(file_name, problem, name)
                self.may_have_tiers = True
                return
            if isinstance(error, OptionError):
                raise placed(error, name) from None
            raise FileError(f"{name}: {problem}") from None
        self._add_file(timed, file_name, name)

    def _add_file(self, timed: TimedFile, file_name: FileName, path: str) -> None:
        """Add the recordings of a file that was read, and what it says about tiers and units; warn of its notes."""
        self.has_labels |= timed.has_labels
        self.has_tiers |= timed.has_tiers
        self.may_have_tiers |= timed.has_tiers
        for note in timed.notes:
            warn(Message(f"{path}: ", note))
        self.units.has_frames |= timed.unit == "frames"
        for key, intervals in timed.recordings.items():
            # The key of a recording is its own name, or a speaker, or "" for the recording that the whole file is.
            has_own_name = key != "" and key not in timed.speakers
            if has_own_name:
                name = key
                self.add(name, intervals, path)
            else:
                # A recording without a name of its own has that of the file, with its speaker if there is one.
                own_file_name = replace(file_name, speaker=key) if key else file_name
                name = self._add_named(own_file_name, intervals, path)
            self._add_unit(name, timed)

    def _add_unit(self, name: str, timed: TimedFile) -> None:
        """Note what a file says about the unit of a recording."""
        if timed.unit in ("samples", "frames"):
            # The option `sample_rate` says how many of either a second has.
            self.units.in_samples.add(name)
        elif timed.unit:
            self.units.set_unit({name}, PER_SECOND[timed.unit])
        else:
            self.units.without_unit.add(name)
        if timed.is_whole:
            self.units.in_whole_numbers.add(name)

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
    """Open the sides of recordings, the reference first: `inputs` are files, folders or collections, with the names of systems.

    If the reading skips bad utterances, recordings that a side lacks, or that can't be read, become such utterances.
    """
    roles = [role, *["predictions"] * (len(inputs) - 1)]
    folders = _folders_of(inputs)
    rename = Renaming.of(reading)
    sides = []
    for side_number, (value, name, side_role) in enumerate(zip(inputs, names, roles, strict=True)):
        side = _Recordings(
            place=_place_of(value, name or side_role),
            name=name,
            role=side_role,
            has_files=isinstance(value, (os.PathLike, Files, Mapping)),
            tier=_value_of_side(reading.tier, side_number),
            reading=reading,
            progress=progress,
            folders=folders,
        )
        # The field is empty where the option names no unit.
        side.units.named = _value_of_side(reading.time_unit, side_number) or ""
        side.read(value)
        sides.append(side)
    return _paired_sides(sides, reading, rename)


def _paired_sides(sides: Sequence[_Recordings], reading: Reading, rename: Renaming) -> list[Side]:
    """Return the sides of recordings that were read, after they are paired, checked and brought to one unit.

    Each side becomes a column of its recordings. The columns of all sides number their labels by one list, `labels`.
    """
    _check_tiers(reading.tier, sides)
    names_of_sides = _paired(sides)
    unit_messages = settle_units([side.units for side in sides], names_of_sides, reading.sample_rate)
    for message in unit_messages:
        warn(message)
    recordings = _comparable_recordings(sides, names_of_sides, rename)
    columns, labels = recordings_columns(recordings, reading.silence, rename)
    units = [side.units for side in sides]
    places = [side.place for side in sides]
    # Messages name a recording as the reference does.
    reference, *_ = sides
    names_of_reference = reference.shown(names_of_sides[0])
    warn_of_times(columns, units, names_of_reference, are_units_doubted=bool(unit_messages))
    warn_of_rounded_times(columns, places, reading.reach)
    sides_of_labels = labelled_sides(columns, labels.to_pylist(), places)
    silence = NamedSilence.of(reading.silence, labels.to_pylist(), rename)
    warn_of_labels(sides_of_labels, labels.to_pylist(), silence, are_compared=reading.word_labels)
    return [
        _opened(side, names_of_side, column, labels)
        for side, names_of_side, column in zip(sides, names_of_sides, columns, strict=True)
    ]


def _comparable_recordings(
    sides: Sequence[_Recordings], names_of_sides: Sequence[Sequence[str]], rename: Renaming
) -> list[list[Intervals | str]]:
    """Return the recordings of each side in the order in which they pair, with one beginning and without overlaps.

    A string is the reason why a recording can't be scored. The labels that `rename` names have to occur.
    """
    recordings = []
    for side, names_of_side in zip(sides, names_of_sides, strict=True):
        recordings.append([_checked(side.intervals[name]) for name in names_of_side])
    rename.check(chain.from_iterable(recordings))
    moved = _with_common_beginnings(recordings)
    return [_without_overlaps(side, items) for side, items in zip(sides, moved, strict=True)]


def _without_overlaps(side: _Recordings, items: Sequence[Intervals | str]) -> list[Intervals | str]:
    """Return the recordings of a side without the overlaps that may be settled; warn of what was changed."""
    overlaps = Overlaps(side.place, cuts=side.reading.overlap == "cut")
    settled = [overlaps.settle(item) for item in items]
    for note in overlaps.notes():
        warn(note)
    return settled


def _opened(side: _Recordings, names: Sequence[str], column: pa.StructArray, labels: pa.LargeStringArray) -> Side:
    """Return a side whose source is a column of recordings with these names; `labels` are those of all columns."""
    # A call of `batches` begins a pass over the side, whose recordings are all in one batch.
    batches = partial(iter, [Rows((column,), is_checked=True)])
    source = Source(side.place, batches, "recording", is_file=side.has_files)
    if side.has_files:
        source.names = names
        source.paths = [side.paths[name] for name in names]
        source.speakers = [side.speaker_of(name) for name in names]
    reader = partial(from_recordings, names=labels, hint=hint_for(has_tiers=side.has_tiers))
    return Side(side.role, (source,), side.reading, name=side.name, recording_reader=reader)


def _place_of(value: Any, name: str) -> str:
    """Return the path of a side, or its name if it has none, for messages."""
    if isinstance(value, os.PathLike):
        return str(os.fspath(value))
    if isinstance(value, Files):
        return value.label
    return name


def _value_of_side(values: Sequence[str | None] | None, side_number: int) -> str | None:
    """Return the value of an option that may have one for each side: the last value is that of all further sides, too.

    `values` is None if the option was not given, and a value is None if it is none for this side.
    """
    if values is None:
        return None
    return values[min(side_number, len(values) - 1)]


def _check_tiers(tiers: Sequence[str | None] | None, sides: Sequence[_Recordings]) -> None:
    """Raise an error if a tier is named for files without tiers: for a side, or for all sides where none has tiers."""
    if not tiers:
        return
    with_named_tier = [side for side in sides if side.tier is not None]
    without_tiers = [side for side in with_named_tier if not side.may_have_tiers]
    # One tier for all sides is right where some have tiers.
    is_for_some = len(tiers) == 1 and len(without_tiers) < len(with_named_tier)
    if without_tiers and not is_for_some:
        first_without, *_ = without_tiers
        problem = f": there are no tiers in {first_without.place}; expected a format with tiers, such as a TextGrid."
        raise OptionError(OPTIONS["tier"].set(tuple(tiers)), problem, " Leave it out.")


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
            if isinstance(item, str):
                side.append(item)
            else:
                # From seconds to the unit of the recording.
                side.append(beginning_at(item, begin * item.per_second))
    return moved


def _common_beginning(items: Sequence[Intervals]) -> float:
    """Return the time in seconds at which a recording begins, from the same recording on all sides."""
    rounding = ROUNDING / SECOND
    known = [item.begin / item.per_second for item in items if item.begin is not None]
    if not known or max(known) - min(known) > rounding:
        return 0.0
    begin = min(known)
    if begin <= 0:
        # A side that counts from 0 has no earlier time.
        return begin
    first_starts = [float(np.min(item.starts)) / item.per_second for item in items if len(item.starts)]
    if min(first_starts, default=begin) < begin - rounding:
        # An interval stands before this beginning: its side counts from another one, such as 0.
        return 0.0
    return begin


def _paired(sides: Sequence[_Recordings]) -> list[list[str]]:
    """Return the names of the recordings of each side in the order in which they pair; what a side lacks is added to it."""
    if all(len(side.intervals) == 1 for side in sides):
        # Sides of one recording each pair, whatever its names are.
        return [[*side.intervals] for side in sides]
    file_names = [{name: side.file_names.get(name, name) for name in side.intervals} for side in sides]
    for side, new_names in zip(sides, pairing_names(file_names), strict=True):
        side.rename(new_names)
    _check_shared_names(sides)
    names = sorted(set().union(*(side.intervals for side in sides)))
    for side in sides:
        missing = [name for name in names if name not in side.intervals]
        if missing:
            _add_missing(side, missing, sides)
    return [names] * len(sides)


def _check_shared_names(sides: Sequence[_Recordings]) -> None:
    """Raise an error if a prediction has no recording of the reference, so that each would be lacking on one of the two sides.

    A side that has no recording at all may have found no words.
    """
    reference, *predictions = sides
    for prediction in predictions:
        have_names = bool(reference.intervals and prediction.intervals)
        if have_names and reference.intervals.keys().isdisjoint(prediction.intervals):
            raise _without_common_names(reference, prediction)


def _add_missing(side: _Recordings, missing: Sequence[str], sides: Sequence[_Recordings]) -> None:
    """Add the recordings that a side lacks: without words, or with the problem if bad ones are skipped; else raise an error."""
    if side.reading.missing == "empty":
        for name in missing:
            side.add(name, Intervals(), side.place)
        return
    if not side.reading.skips:
        raise _lacking(side, missing, sides)
    hint = Message(" ", OPTIONS["missing"].set("empty"), " counts it as one without words.")
    for name in missing:
        side.add(name, f"{side.place} lacks it; recordings pair by name.{hint}", side.place)


def _lacking(side: _Recordings, missing: Sequence[str], sides: Sequence[_Recordings]) -> FileError:
    """Return the error of a side that lacks recordings which another side has.

    `b lacks the recordings r1, r2 of a; recordings pair by name. If it has no words there, add --missing empty.`
    """
    first_missing, *_ = missing
    other = next(other for other in sides if first_missing in other.intervals)
    noun = "recordings" if len(missing) > 1 else "recording"
    listed = f"{noun} {', '.join(other.shown(missing[:_NAMED]))}"
    if len(missing) > _NAMED:
        listed += f" and {len(missing) - _NAMED} more"
    remedy = OPTIONS["missing"].set("empty")
    problem = (
        f"{side.place} lacks the {listed} of {other.place}; recordings pair by name. If it has no words there, add "
    )
    return FileError(problem, remedy, ".")


def _without_common_names(*sides: _Recordings) -> FileError:
    """Return the error of two sides of which no recording has the name of one of the other side.

    `g and p have no recording in common: g has a, b, and p has a_words, b_words; recordings pair by name. Rename them.`
    """
    named = []
    hint = ""
    for side in sides:
        shown = side.shown(sorted(side.intervals)[:_NAMED])
        more = f" and {len(side.intervals) - _NAMED} more" if len(side.intervals) > _NAMED else ""
        named.append(f"{side.place} has {', '.join(shown)}{more}")
        recordings = [item for item in side.intervals.values() if isinstance(item, Intervals)]
        is_one_file = len({*side.paths.values()}) == 1 and not side.is_collection
        if is_one_file and len(recordings) > 1 and all(len(item.starts) == 1 for item in recordings):
            # Each line has a name of its own, and is likely no recording.
            hint = f" Does each line of {side.place} begin with a label or an id? Expected a start, an end and a label."
    places = " and ".join(side.place for side in sides)
    problem = f"{places} have no recording in common: {', and '.join(named)}; recordings pair by name."
    return FileError(problem, hint or " Rename them.")


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
