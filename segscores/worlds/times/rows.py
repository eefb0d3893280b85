"""Rows: the fields of lines and tables, with the numbers of their lines, which errors name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...options.quoting import is_number, shortened
from .intervals import Intervals
from .timed_file import Floats, Recordings

#: A time of hours, minutes and seconds; or of minutes, and seconds with decimals: 1:02 may be of hours.
_CLOCK = re.compile(r"\s*(?:(\d{1,9}):(?=\d\d:)|(?=\d+:\d\d[.,]))(\d{1,9}):(\d\d(?:[.,]\d+)?)\s*")
#: A number with a comma before its decimals.
_DECIMAL_COMMA = re.compile(r"\s*([-+]?\d*),(\d+(?:[eE][-+]?\d+)?)\s*")


class Row(NamedTuple):
    """The fields of a line."""

    number: int  #: the number of the line, from 1
    fields: list[str]

    def field(self, place: int) -> str:
        """Return the field at a place; empty if the line has fewer fields."""
        if place >= len(self.fields):
            return ""
        return self.fields[place]


def split_lines(text: str, least: int, expected: str, comments: tuple[str, ...]) -> list[Row]:
    """Return the rows of the lines that are neither blank nor comments, which begin with one of `comments`.

    A line with fewer than `least` fields is an error, which says what is `expected`.
    """
    rows = []
    for number, line in enumerate(text.split("\n"), 1):
        fields = line.split()
        if not fields or line.startswith(comments):
            continue
        if len(fields) < least:
            raise ValueError(f"line {number}: received {shortened(' '.join(fields))}; expected {expected}.")
        rows.append(Row(number, fields))
    return rows


def is_time(field: str) -> bool:
    """Return whether a field is a number, perhaps with a decimal comma, or a time of hours, minutes and seconds.

    >>> is_time("0,5"), is_time("0.5"), is_time("1,2,3"), is_time("1 2,5"), is_time("00:01:02.5")
    (True, True, False, False, True)
    """
    return is_number(in_seconds(field))


def in_seconds(field: str) -> str:
    """Return a field with a decimal point for a decimal comma, and without hours and minutes.

    >>> in_seconds("0,5"), in_seconds("01:01:02.5"), in_seconds("1:02.5"), in_seconds("1:02")
    ('0.5', '3662.5', '62.5', '1:02')
    """
    clock = _CLOCK.fullmatch(field)
    if clock is not None:
        hours, minutes, seconds = clock.groups()
        return str(3600 * int(hours or 0) + 60 * int(minutes) + float(seconds.replace(",", ".")))
    decimal = _DECIMAL_COMMA.fullmatch(field)
    return field if decimal is None else f"{decimal[1]}.{decimal[2]}"


def columns(rows: Sequence[Row], *places: int) -> list[Floats]:
    """Return the times in these places of each row, which may have decimal commas."""
    try:
        return [np.array([row.fields[place] for row in rows], np.float64) for place in places]
    except (ValueError, IndexError):
        # A field is missing, no time, or a time with a decimal comma or colons.
        _require_times(rows, places)
        return [np.array([in_seconds(row.fields[place]) for row in rows], np.float64) for place in places]


def _require_times(rows: Sequence[Row], places: Sequence[int]) -> None:
    """Raise an error for the first field in these places that is missing or no time.

    The error of NumPy, which is handled where this is called, says no line, and is left out of the traceback (`from None`).
    """
    for row in rows:
        for place in places:
            is_missing = place >= len(row.fields)
            received = "nothing" if is_missing else row.fields[place]
            if is_missing or not is_time(received):
                raise ValueError(f"line {row.number}: expected a time, received {shortened(received)}.") from None


def are_whole(rows: Sequence[Row], first: int, second: int) -> bool:
    """Return whether the times in two places of each row are whole numbers, of digits alone."""
    # Two fields have digits alone if both together have.
    return all((row.fields[first].strip() + row.fields[second].strip()).isdigit() for row in rows)


def by_name(names: Sequence[str], starts: Floats, ends: Floats, labels: Sequence[str]) -> Recordings:
    """Return the intervals of each recording by its name, from the recording, the times and the label of each row.

    The rows of a recording need not be consecutive. Where there are names and no rows, their recordings are empty.
    """
    distinct, owners = np.unique(np.array(names, object), return_inverse=True)
    if not len(starts):
        return {name: Intervals(starts, ends) for name in distinct.tolist()}
    # names b a b: the rows sorted by recording are 1 0 2, of which 1 belongs to a, and 0 2 to b.
    by_recording = np.argsort(owners, kind="stable")
    counts = np.bincount(owners, minlength=len(distinct))
    recordings = {}
    for name, rows in zip(distinct.tolist(), np.split(by_recording, np.cumsum(counts)[:-1]), strict=True):
        recordings[name] = Intervals(starts[rows], ends[rows], [labels[row] for row in rows.tolist()])
    return recordings
