"""Rows: the fields of lines and tables, with the numbers of their lines, which errors name."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from ...options.quoting import is_number, shortened
from .intervals import Intervals
from .timed_file import Floats, Recordings

#: The number of a line, and its fields.
Row = tuple[int, list[str]]
#: A number with a comma before its decimals.
_CLOCK = re.compile(r"\s*(\d+):(\d\d):(\d\d(?:[.,]\d+)?)\s*")
_DECIMAL_COMMA = re.compile(r"\s*([-+]?\d*),(\d+(?:[eE][-+]?\d+)?)\s*\Z")


def split_lines(text: str, least: int, expected: str, comments: tuple[str, ...]) -> list[Row]:
    """Return the fields of each line with its number, without blank lines and comments."""
    rows = []
    for number, line in enumerate(text.split("\n"), 1):
        fields = line.split()
        if not fields or line.startswith(comments):
            continue
        if len(fields) < least:
            raise ValueError(f"line {number}: received {shortened(' '.join(fields))}; expected {expected}.")
        rows.append((number, fields))
    return rows


def is_time(field: str) -> bool:
    """Return whether a field is a number, perhaps with a decimal comma, or a time of hours, minutes and seconds.

    >>> is_time("0,5"), is_time("0.5"), is_time("1,2,3"), is_time("00:01:02.5")
    (True, True, False, True)
    """
    return is_number(_in_seconds(field))


def _in_seconds(field: str) -> str:
    """Return a field with a decimal point for a decimal comma, and without hours and minutes.

    >>> _in_seconds("0,5"), _in_seconds("00:01:02.5")
    ('0.5', '62.5')
    """
    clock = _CLOCK.fullmatch(field)
    if clock is None:
        return _DECIMAL_COMMA.sub(r"\1.\2", field)
    hours, minutes, seconds = clock.groups()
    return str(3600 * int(hours) + 60 * int(minutes) + float(seconds.replace(",", ".")))


def columns(rows: Sequence[Row], *places: int) -> list[Floats]:
    """Return the times in these places of each row, which may have decimal commas."""
    try:
        return [np.array([fields[at] for _, fields in rows], np.float64) for at in places]
    except (ValueError, IndexError):
        _require_times(rows, places)
        return [np.array([_in_seconds(fields[at]) for _, fields in rows], np.float64) for at in places]


def _require_times(rows: Sequence[Row], places: Sequence[int]) -> None:
    """Raise an error for the first field that is no time."""
    for number, fields in rows:
        for at in places:
            received = "nothing"
            if at < len(fields):
                received = fields[at]
            if not is_time(received):
                raise ValueError(f"line {number}: expected a time, received {shortened(received)}.") from None


def by_name(names: Sequence[str], starts: Floats, ends: Floats, labels: Sequence[str]) -> Recordings:
    """Return the intervals of each recording by name; the rows of a recording need not be consecutive."""
    distinct, owners = np.unique(np.array(names, object), return_inverse=True)
    if not len(starts):
        return {name: Intervals(starts, ends) for name in distinct.tolist()}
    order = np.argsort(owners, kind="stable")
    # names b a b: the order is 1 0 2, and the rows of a and b stop before 1 and 3.
    stops = np.cumsum(np.bincount(owners, minlength=len(distinct))).tolist()
    ordered = [labels[at] for at in order.tolist()]
    return {
        name: Intervals(starts[order[first:stop]], ends[order[first:stop]], ordered[first:stop])
        for name, first, stop in zip(distinct.tolist(), [0, *stops], stops, strict=False)
    }
