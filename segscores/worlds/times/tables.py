"""Tables of times: CSV with commas or semicolons, and TSV."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from functools import partial
from itertools import pairwise

import numpy as np

from .intervals import Intervals
from .rows import Row, by_name, columns, is_time
from .tiers import choose_tier, is_usual_tier
from .timed_file import Floats, TimedFile, time_names

_LABELS = ("label", "word", "text", "phone", "phoneme", "token", "char", "name", "mark", "annotation")
#: The names of columns with the recording of each row.
_FILES = ("file", "filename", "file_name", "recording", "audio")
#: The names of columns that number rows as often as they name recordings.
_IDS = ("utterance", "utt", "utterance_id", "utt_id", "id", "name")
_TIERS = ("tier", "tiername", "tier_name", "type")
_SPEAKERS = ("speaker", "speaker_id", "speakerid", "participant")
#: The columns in which Raven names the view in which a row is a selection.
_VIEWS = ("view",)
_DELIMITERS = "\t,;"
_DECIMAL_COMMA = re.compile(r"(?<=\d),(?=\d+\s*[;\t])")


def parse_table(text: str, tier: str | None = None) -> TimedFile:
    """Read a table: columns by name (start, end or duration, label, file), or start, end and label."""
    first_line = text.lstrip("\n").partition("\n")[0]
    # 0,5;1,0;dog: the commas are decimal.
    delimiter = max(_DELIMITERS, key=_DECIMAL_COMMA.sub("", first_line).count)
    lines = csv.reader(io.StringIO(text), delimiter=delimiter)
    rows = [(number, row) for number, row in enumerate(lines, 1) if any(map(str.strip, row))]
    if not rows:
        return _of_columns(rows, 0, 1, 2)
    start = _first_pair_of_times(rows[0][1])
    if start is not None:
        # The label stands after the times, or before them.
        label = start + 2 if start == 0 or len(rows[0][1]) > start + 2 else start - 1
        return _of_columns(rows, start, start + 1, label)
    return _with_header(rows[0][1], rows[1:], tier)


def _first_pair_of_times(row: Sequence[str]) -> int | None:
    """Return the place of the first two neighbouring times of a row; None if it has none.

    >>> _first_pair_of_times(["f001", "0.0", "2.7", "dog"]), _first_pair_of_times(["start", "end"])
    (1, None)
    """
    for at, (left, right) in enumerate(pairwise(row)):
        if is_time(left) and is_time(right):
            return at
    return None


def is_table(text: str) -> bool:
    """Return whether the first line has names of columns with times between tabs, or two neighbouring times between commas."""
    first_line = text.lstrip("\n").partition("\n")[0]
    has_names = "\t" in first_line and time_names(name.strip() for name in first_line.split("\t")) is not None
    # Times stand first, or after an id or a label.
    return has_names or _first_pair_of_times(first_line.split(",")[:3]) is not None


def _with_header(header: Sequence[str], rows: list[Row], tier: str | None) -> TimedFile:
    """Read the rows below a header."""
    names = [name.strip() for name in header]
    lower = [name.lower() for name in names]
    times = time_names(names)
    if times is None:
        raise ValueError(f"its columns are {', '.join(lower)}; expected start, and end or duration.")
    start = names.index(times.start)
    last = names.index(times.last)
    rows = _without_other_views(rows, _column(lower, _VIEWS))
    tier_column = _column(lower, _TIERS)
    label = _column(lower, _LABELS)
    has_tiers = False
    if tier_column is not None:
        has_tiers = _has_tiers(rows, tier_column, tier)
    if has_tiers and tier_column is not None:
        rows = _of_tier(rows, tier_column, tier)
    elif tier is not None and tier.lower() in lower:
        label = lower.index(tier.lower())
        has_tiers = True
    file = _column(lower, _FILES)
    is_id = file is None
    if is_id:
        file = _column([name if place != label else "" for place, name in enumerate(lower)], _IDS)
    if times.start == "tmin" and label is not None:
        rows = [(number, _without_question_mark(row, label)) for number, row in rows]
    read = partial(_of_columns, rows, start, last, label, has_duration=not times.end)
    table = read(file=file, is_id=is_id)
    speaker = _column(lower, _SPEAKERS)
    if speaker is not None and [*table.recordings] == [""]:
        table = _by_speaker(table, read(file=speaker), is_by_tier=has_tiers)
    table.unit = times.unit
    table.has_tiers = has_tiers
    return table


def _by_speaker(table: TimedFile, by_speaker: TimedFile, *, is_by_tier: bool) -> TimedFile:
    """Return the recordings of speakers, of one or of several who overlap or are of a tier; else the table as it is."""
    names = [*by_speaker.recordings]
    are_apart = len(names) == 1 or is_by_tier or _overlaps(table.recordings[""])
    if "" in names or not are_apart:
        return table
    by_speaker.speakers = frozenset(names)
    return by_speaker


def _overlaps(intervals: Intervals) -> bool:
    """Return whether an interval begins before another one ends that began earlier."""
    order = np.argsort(intervals.starts, kind="stable")
    starts = np.asarray(intervals.starts)[order]
    ends = np.maximum.accumulate(np.asarray(intervals.ends)[order])
    return bool(np.any(starts[1:] < ends[:-1]))


def _without_other_views(rows: list[Row], column: int | None) -> list[Row]:
    """Return the rows of the first view, where Raven repeats each selection in each view."""
    if column is None:
        return rows
    views = ["".join(row[column : column + 1]).strip() for _, row in rows]
    distinct = [*dict.fromkeys(views)]
    if len({views.count(view) for view in distinct}) != 1:
        return rows
    return [row for row, view in zip(rows, views, strict=True) if view == distinct[0]]


def _of_columns(
    rows: list[Row],
    start: int,
    last: int,
    label: int | None,
    *,
    has_duration: bool = False,
    file: int | None = None,
    is_id: bool = False,
) -> TimedFile:
    """Read columns by their places; `last` is that of the end, or of the duration."""
    for number, row in rows:
        if len(row) <= max(start, last):
            raise ValueError(f"line {number}: received {len(row)} columns; expected a start and an end.")
    starts, ends = columns(rows, start, last)
    if has_duration:
        ends = starts + ends
    labels: list[str] = [""] * len(rows)
    if label is not None:
        # A short row has no label.
        labels = ["".join(row[label : label + 1]).strip() for _, row in rows]
    names = [""] * len(rows)
    if file is not None:
        names = ["".join(row[file : file + 1]).strip() for _, row in rows]
        if is_id and _are_row_numbers(names, starts, ends):
            names = [""] * len(rows)
    recordings = by_name(names, starts, ends, labels)
    if not rows and (file is None or is_id):
        recordings = by_name([""], starts, ends, labels)
    is_whole = all((row[start].strip() + row[last].strip()).isdigit() for _, row in rows)
    return TimedFile(recordings, is_whole=is_whole)


def _without_question_mark(row: list[str], place: int) -> list[str]:
    """Return a row of Praat's with an empty cell in this place where Praat writes a question mark for it."""
    if row[place : place + 1] == ["?"]:
        return [*row[:place], "", *row[place + 1 :]]
    return row


def _are_row_numbers(names: Sequence[str], starts: Floats, ends: Floats) -> bool:
    """Return whether each row has an id of its own, and the rows follow each other as those of one recording do."""
    return len({*names}) == len(names) and bool(np.all(starts[1:] >= ends[:-1]))


def _has_tiers(rows: list[Row], column: int, tier: str | None) -> bool:
    """Return whether the values of a column are tiers: one has the usual name of words, or the name that is asked for."""
    names = {"".join(row[column : column + 1]).strip().lower() for _, row in rows}
    return any(map(is_usual_tier, names)) or (tier is not None and tier.lower() in names)


def _of_tier(rows: list[Row], column: int, tier: str | None) -> list[Row]:
    """Return the rows of the chosen tier."""
    values = ["".join(row[column : column + 1]).strip() for _, row in rows]
    names = [*dict.fromkeys(values)]
    chosen = names[choose_tier(tier, names, [True] * len(names))]
    return [row for row, value in zip(rows, values, strict=True) if value == chosen]


def _column(header: Sequence[str], names: Sequence[str]) -> int | None:
    """Return the place of the first of these names in a header."""
    return next((header.index(name) for name in names if name in header), None)
