"""Doubts about rows beside other rows: sums of them, the same utterances for each model, and ids in another order."""

from __future__ import annotations

import csv
import os
from collections.abc import Collection, Sequence

from ...options.errors import warn
from ...options.quoting import shortened
from ..json_values import json_object
from .column_names import is_of_ids, is_of_runs
from .delimited import delimited_of
from .names import Files, Held, ending_of, shown_name
from .opening import first_bytes
from .row_doubts import warn_of_summary

#: The number of bytes of a file of JSON lines that are looked at.
_HEAD_BYTES = 1 << 16
_JSON_LINES = ".jsonl"
#: The number of bytes at the end of a longer file, of which the last line is looked at.
_END_BYTES = 1 << 12
#: The fewest rows of a run whose references are those of another run by no chance.
_FEWEST = 2

#: The text of each cell, by the name of its column.
_Row = dict[str, str]


def warn_of_rows(files: Sequence[Files], columns_of_options: Collection[str]) -> None:
    """Warn of rows that likely do not pair, that are of several runs, or that sum up others."""
    _warn_of_sums(files)
    reference, *predictions = files
    if len(reference.paths) != 1 or not reference.column:
        return
    (path,) = reference.paths
    rows = _first_rows(path)
    if not rows:
        return
    _warn_of_runs(shown_name(path), rows, reference.column, columns_of_options)
    for prediction in predictions:
        if len(prediction.paths) == 1 and prediction.paths != reference.paths:
            other = prediction.paths[0]
            _warn_of_order((shown_name(path), shown_name(other)), rows, _first_rows(other))


def _warn_of_sums(files: Sequence[Files]) -> None:
    """Warn of a last row that sums up the rows before it, in the first table of each side."""
    sides = [side for side in files if side.column]
    for number, side in enumerate(sides):
        path = side.paths[0]
        # Sides that are columns of one table have one last row.
        if any(path == other.paths[0] for other in sides[:number]):
            continue
        columns = [other.column for other in sides if other.paths[0] == path]
        if ending_of(path) == _JSON_LINES:
            _warn_of_sum_in_objects(path, columns)
        else:
            _warn_of_sum_in_table(path, columns)


def _warn_of_sum_in_objects(path: str | Held, columns: Collection[str]) -> None:
    """Warn of a last object of JSON lines that sums up those before it; `columns` are its keys with utterances."""
    head = first_bytes(path, _HEAD_BYTES)
    is_whole = len(head) < _HEAD_BYTES
    rows = _rows_of_objects(head if is_whole else _last_line(path).encode())
    if rows:
        last = rows[-1]
        beside = [cell for name, cell in last.items() if name not in columns]
        warn_of_summary(shown_name(path), [*last.values()], beside)


def _warn_of_sum_in_table(path: str | Held, columns: Collection[str]) -> None:
    """Warn of a last row of delimited text that sums up those before it; `columns` are those of utterances."""
    table = delimited_of(path)
    if table is None:
        return
    last: Sequence[str] = table.rows[-1]
    if not table.is_whole:
        # A row may have several lines: such a one has other cells than the table has columns.
        last = next(csv.reader([_last_line(path)], delimiter=table.separator), [])
    if len(last) == table.width:
        places = {table.column(column, [column]) for column in columns}
        beside = [cell for place, cell in enumerate(last) if place not in places]
        warn_of_summary(shown_name(path), last, beside)


def _last_line(path: str | Held) -> str:
    """Return the last line of a file of UTF-8 on a disk that is not blank; empty if there is none that is short."""
    is_on_disk = isinstance(path, str) and os.path.isfile(path)
    if not is_on_disk:
        return ""
    with open(str(path), "rb") as file:
        file.seek(max(0, os.path.getsize(str(path)) - _END_BYTES))
        _, newline, line = file.read().rstrip().rpartition(b"\n")
    is_text = newline and b"\0" not in line
    try:
        return line.decode() if is_text else ""
    except UnicodeDecodeError:
        return ""


def _rows_of_objects(head: bytes) -> list[_Row]:
    """Return the rows of the beginning of a file of JSON lines."""
    objects = [json_object(line) for line in head.split(b"\n")]  # None for a last line that is cut
    return [{name: str(value) for name, value in fields.items()} for fields in objects if fields]


def _first_rows(path: str | Held) -> list[_Row]:
    """Return the first rows of a table whose columns have names; none if it is no such table."""
    if ending_of(path) == _JSON_LINES:
        return _rows_of_objects(first_bytes(path, _HEAD_BYTES))
    table = delimited_of(path)
    if table is None:
        return []
    # To find the header takes a look at all rows.
    header = table.header
    if not header:
        return []
    return [dict(zip(header, row, strict=False)) for row in table.rows[1:]]


def _warn_of_runs(name: str, rows: Sequence[_Row], reference_column: str, columns_of_options: Collection[str]) -> None:
    """Warn of a table of several runs: a column, such as one of models, has the same references for each of its values."""
    for column in rows[0]:
        if not is_of_runs(column) or column in columns_of_options:
            continue
        references_of_runs: dict[str, list[str]] = {}
        for row in rows:
            references_of_runs.setdefault(row.get(column, ""), []).append(row.get(reference_column, ""))
        if _are_same(list(references_of_runs.values())):
            runs = ", ".join(map(shortened, [*references_of_runs][:3]))
            received = (
                f"{name}: each {column}, such as {runs}, has the same references, and all rows are scored as one corpus"
            )
            apart = f"with --by column:{column} in the command, or with score_by in Python"
            warn(f"{received}: if that is wrong, make a table of each {column}, or score them apart, {apart}.")
            return


def _are_same(references_of_runs: Sequence[Sequence[str]]) -> bool:
    """Return whether several runs have the same references. The last run may lack some, as the first rows end within it.

    >>> _are_same([["a", "b", "c"], ["a", "b"]]), _are_same([["a", "b", "c"], ["a", "b"], ["a", "b", "c"]])
    (True, False)
    """
    first, *others = references_of_runs
    if not others:
        return False
    *whole, last = others
    return len(last) >= _FEWEST and last == first[: len(last)] and all(run == first for run in whole)


def _warn_of_order(names: tuple[str, str], rows: Sequence[_Row], other_rows: Sequence[_Row]) -> None:
    """Warn of two tables that have the same distinct ids in different orders."""
    columns = set(rows[0]).intersection(*other_rows[:1]) if other_rows else set()
    for column in filter(is_of_ids, sorted(columns)):
        ids = [row.get(column, "") for row in rows]
        other_ids = [row.get(column, "") for row in other_rows]
        are_distinct = len(set(ids)) == len(ids)
        if are_distinct and ids != other_ids and sorted(ids) == sorted(other_ids):
            received = f"{' and '.join(names)}: the values of {column} are the same in different orders, "
            warn(f"{received}and rows pair by position: sort both tables by {column}.")
            return
