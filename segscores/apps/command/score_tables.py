"""Tables of scores that `correlate` reads, in CSV, TSV or JSON lines: a row per system.

CSV has commas between its cells, or semicolons, and then perhaps commas in decimals, as Excel writes it in much of Europe.
A column has numbers if every cell is a number, and names if no cell is. The first column may mix the two: its cells are names
then, because systems may be called `2` and `CRF`. Rows count from 1, without the header.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import pyarrow as pa
from pyarrow import csv

from ...options.errors import warn
from ...options.quoting import is_number, shortened
from ...reading.sources.json_lines import read_objects
from ...reading.sources.row_doubts import is_summary

#: A cell between semicolons that is a number with a decimal comma.
_DECIMAL_COMMA = re.compile(rb"(^|;)\s*-?\d*,\d+([eE][-+]?\d+)?\s*(;|$)", re.MULTILINE)


def read_scores(data: bytes, criterion: str, *, is_json: bool = False) -> tuple[dict[str, list[float]], list[float]]:
    """Read a table: the columns of numbers by name, and the criterion.

    >>> read_scores(b"system,f,map\\nCRF,0.9,2\\nrules,0.8,1\\n", "map")
    ({'f': [0.9, 0.8]}, [2.0, 1.0])
    """
    table = _read(data, is_json=is_json)
    numbers: dict[str, list[float]] = {}
    names: dict[str, list[Any]] = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        values = _numbers(name, column)
        if values is None:
            names[name] = column.to_pylist()
        else:
            numbers[name] = values
    # The first column may have names that are numbers.
    _, *other_columns = table.column_names
    for name in other_columns:
        if name in names:
            _check_names(name, names[name])
    if criterion in numbers:
        _check_systems(names)
        _warn_of_summary(names)
        criterion_values = numbers.pop(criterion)
        return numbers, criterion_values
    if criterion in names:
        raise ValueError(f"the column {criterion!r} does not consist of numbers: the criterion must.")
    known = "no column has numbers"
    if numbers:
        known = f"the columns of numbers are {', '.join(numbers)}"
    raise ValueError(f"there is no column {criterion!r}: {known}.")


def _read(data: bytes, *, is_json: bool) -> pa.Table:
    """Read a table with a header and rows, whose columns have distinct names."""
    if not data.strip():
        raise ValueError("the table is empty: expected a header and a row per system.")
    has_odd_quotes = data.count(b'"') % 2 == 1
    if not is_json and has_odd_quotes:
        raise ValueError("a quotation mark is not closed: the cell that it begins would hold the rest of the table.")
    header, _, _ = data.partition(b"\n")
    delimiter = next((sign for sign in ("\t", ",", ";") if sign.encode() in header), ",")
    has_decimal_commas = delimiter == ";" and _DECIMAL_COMMA.search(data) is not None
    try:
        if is_json:
            table = _table_of(read_objects(data))
        else:
            table = csv.read_csv(
                pa.BufferReader(data),
                read_options=csv.ReadOptions(use_threads=False),  # for the number of a bad row
                parse_options=csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
                # Nothing fits %Q: names that look like times stay text.
                convert_options=csv.ConvertOptions(
                    null_values=[""], timestamp_parsers=["%Q"], decimal_point="," if has_decimal_commas else "."
                ),
            )
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError) as error:
        raise ValueError(f"this is no table with a header and equal rows ({error}).") from None
    names = [name.strip() for name in table.column_names]
    for number, name in enumerate(names, 1):
        if not name:
            raise ValueError(f"column {number} has no name.")
        if names.count(name) > 1:
            raise ValueError(f"two columns are called {name!r}.")
    if not len(table):
        raise ValueError("the table has a header only: expected a row per system.")
    return table.rename_columns(names)


def _table_of(rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Return the table of JSON lines; a row may lack a column."""
    columns: dict[str, list[Any]] = {}
    for name in dict.fromkeys(chain.from_iterable(rows)):
        columns[name] = [row.get(name) for row in rows]
        _check_values(name, columns[name])
    return pa.table(columns)


def _check_values(name: str, values: Sequence[Any]) -> None:
    """Check that a column of JSON lines has no list or object, and no true or false among numbers, which Arrow reads as 1 and 0.

    `name` is the heading of the column, for messages.
    """
    has_numbers = any(type(value) in (int, float) for value in values)
    for row, value in enumerate(values, 1):
        is_truth_value = isinstance(value, bool)
        if isinstance(value, (list, dict)) or (is_truth_value and has_numbers):
            raise ValueError(
                f"row {row}: {shortened(value)} in the column {name!r}; expected a number or a text, as in a cell of CSV."
            )


def _numbers(name: str, column: pa.ChunkedArray) -> list[float] | None:
    """Return the numbers of a column; None if it has names. `name` is the heading of the column, for messages."""
    if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
        return None
    values: list[Any] = column.to_pylist()
    for row, value in enumerate(values, 1):
        if value is None or not math.isfinite(value):
            cell = "" if value is None else value
            raise ValueError(
                f"row {row}: {cell!r} in the column {name!r}; expected a finite number, as in its other rows. Leave the row or "
                f"the column out."
            )
    return [float(value) for value in values]


def _check_names(name: str, cells: Sequence[Any]) -> None:
    """Check that no cell of a column of names is a number, such as a score in a column that has `n/a` too."""
    for row, cell in enumerate(cells, 1):
        # Python reads 1_000 as a number; here it is a name.
        is_text = isinstance(cell, str) and "_" not in cell
        if is_text and is_number(cell) and math.isfinite(float(cell)):
            others = "whose other cells are names; expected numbers alone, or names"
            raise ValueError(f"row {row}: {cell!r} in the column {name!r}, {others}.")


def _check_systems(names: Mapping[str, Sequence[Any]]) -> None:
    """Check that no two rows have the same names, as the utterances of one system do.

    `names` has the columns of names, by heading; a table without any has no systems to compare.
    """
    row_of: dict[tuple[Any, ...], int] = {}
    for row, cells in enumerate(zip(*names.values(), strict=True), 1):
        if cells in row_of:
            system = ", ".join(str(cell) for cell in cells if cell)
            raise ValueError(
                f"rows {row_of[cells]} and {row}: both are of the system {system!r}; expected a row per system. Scores of "
                f"utterances are no systems: correlate the scores of whole predictions."
            )
        row_of[cells] = row


def _warn_of_summary(names: Mapping[str, Sequence[Any]]) -> None:
    """Warn of a last row that sums up the systems before it, as their mean does."""
    for cells in names.values():
        *_, last = cells
        if isinstance(last, str) and is_summary(last):
            warn(f"row {len(cells)}: {last!r} counts as a system: if the row sums up the others, leave it out.")
            return
