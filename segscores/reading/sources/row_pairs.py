"""Doubts about rows beside other rows: ids of two tables in different orders, and the same utterances for each model."""

from __future__ import annotations

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
#: The fewest utterances that show that they are the same for each run.
_FEWEST = 2

_Row = dict[str, str]


def warn_of_rows(files: Sequence[Files], named: Collection[str]) -> None:
    """Warn of rows that likely do not pair, or that are of several runs; `named` are the columns that options name."""
    reference, *predictions = files
    if len(reference.paths) != 1 or not reference.column:
        return
    (path,) = reference.paths
    rows = _first_rows(path)
    if not rows:
        return
    _warn_of_runs(shown_name(path), rows, reference.column, named)
    if ending_of(path) == _JSON_LINES:
        # The last row of tables of other kinds is looked at where they are opened.
        texts = {side.column for side in files}
        cells = [cell for name, cell in rows[-1].items() if name not in texts]
        warn_of_summary(shown_name(path), cells, None)
    for prediction in predictions:
        if len(prediction.paths) == 1 and prediction.paths != reference.paths:
            other = prediction.paths[0]
            _warn_of_order((shown_name(path), shown_name(other)), rows, _first_rows(other))


def _first_rows(path: str | Held) -> list[_Row]:
    """Return the first rows of a table with names, each as its cells by name; none if it is no such table."""
    if ending_of(path) == _JSON_LINES:
        head = first_bytes(path, _HEAD_BYTES)
        objects = [json_object(line) for line in head.split(b"\n")]  # None for a last line that is cut
        return [{name: str(value) for name, value in fields.items()} for fields in objects if fields]
    table = delimited_of(path)
    if table is None or not table.header:
        return []
    return [dict(zip(table.header, row, strict=False)) for row in table.rows[1:]]


def _warn_of_runs(name: str, rows: Sequence[_Row], text: str, named: Collection[str]) -> None:
    """Warn of a column of models or the like, each of which has the same references, which are in the column `text`."""
    for column in rows[0]:
        if not is_of_runs(column) or column in named:
            continue
        texts_of_run: dict[str, list[str]] = {}
        for row in rows:
            texts_of_run.setdefault(row.get(column, ""), []).append(row.get(text, ""))
        first, *others = texts_of_run.values()
        # The rows of the last run may be cut.
        are_same = [len(texts) >= _FEWEST and texts == first[: len(texts)] for texts in others]
        if are_same and all(are_same):
            runs = ", ".join(map(shortened, [*texts_of_run][:3]))
            received = (
                f"{name}: each {column}, such as {runs}, has the same references, and all rows are scored as one corpus"
            )
            warn(f"{received}: if that is wrong, make a table of each {column}, or name the column with by.")
            return


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
