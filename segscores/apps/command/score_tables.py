"""Tables of scores that `correlate` reads: a row per system.

Conventions
-----------
- A table is CSV, TSV if its header has a tab, or JSON lines if its name ends in `.jsonl`, `.ndjson` or `.json` (also before `.gz`
  and the like).
- A column has numbers if every cell is a number, and names if no cell is. The first column may mix the two: its cells are names
  then, because systems may be called `2` and `CRF`.
- Lines count from 1, the header included; a row of several lines has the number of the first.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Rows:
    """The cells of a table, by line."""

    header: Sequence[str]
    cells: Mapping[int, Sequence[str]]


def read_scores(
    lines: Sequence[str], criterion: str, *, is_json: bool = False
) -> tuple[dict[str, list[float]], list[float]]:
    """The columns of numbers of a table, by name, and its criterion.

    >>> read_scores(["system,f,map", "CRF,0.9,2", "rules,0.8,1"], "map")
    ({'f': [0.9, 0.8]}, [2.0, 1.0])
    """
    rows = read_rows(lines, is_json=is_json)
    numbers = {}
    for index, column in enumerate(rows.header):
        cells = {line: row[index] for line, row in rows.cells.items()}
        values = _read_column(column, cells, may_mix=index == 0)
        if values is not None:
            numbers[column] = values
    if criterion in numbers:
        _check_systems(rows, [index for index, column in enumerate(rows.header) if column not in numbers])
        return numbers, numbers.pop(criterion)
    if criterion in rows.header:
        raise ValueError(f"the column {criterion!r} does not consist of numbers: the criterion must.")
    known = f"the columns of numbers are {', '.join(numbers)}" if numbers else "no column has numbers"
    raise ValueError(f"there is no column {criterion!r}: {known}.")


def _check_systems(rows: Rows, names: Sequence[int]) -> None:
    """Check that no two rows have the same names, as those of the utterances of one system."""
    seen: dict[tuple[str, ...], int] = {}
    for line, row in rows.cells.items():
        found = tuple(row[index] for index in names)
        if found and found in seen:
            raise ValueError(
                f"lines {seen[found]} and {line}: both are of the system {', '.join(filter(None, found))!r}; expected a row per "
                f"system. Scores of utterances are no systems: correlate the scores of whole predictions."
            )
        seen[found] = line


def read_rows(lines: Sequence[str], *, is_json: bool = False) -> Rows:
    """Read the cells of a table."""
    if not lines:
        raise ValueError("the table is empty: expected a header and a row per system.")
    if is_json:
        return _read_json(lines)
    rows = dict(_split_rows(lines, "\t" if "\t" in lines[0] else ","))
    header = [cell.strip() for cell in rows.pop(1, [])]
    for index, column in enumerate(header):
        if not column:
            raise ValueError(f"line 1: column {index + 1} has no name.")
        if column in header[:index]:
            raise ValueError(f"line 1: two columns are called {column!r}.")
    for line, row in rows.items():
        if len(row) != len(header):
            raise ValueError(f"line {line}: {len(row)} cells; expected {len(header)}, as in the header.")
    if not rows:
        raise ValueError("the table has a header only: expected a row per system.")
    return Rows(header, rows)


def _split_rows(lines: Sequence[str], delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """The cells of each row that is not blank, with the number of its first line."""
    # Strict, because otherwise a cell whose quotation mark nothing closes would hold the rest of the file.
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=delimiter, strict=True)
    line = 1
    try:
        for row in reader:
            if row:
                yield line, row
            line = reader.line_num + 1
    except csv.Error as error:
        raise ValueError(f"line {line}: this is not a row of a table ({error}).") from None


def _read_json(lines: Sequence[str]) -> Rows:
    header: list[str] = []
    rows = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"line {number}: this is not JSON ({error}).") from None
        if not isinstance(row, dict):
            raise ValueError(f"line {number}: expected a JSON object with a value for each column.")
        header = header or list(row)
        if row.keys() != set(header):
            raise ValueError(f"line {number}: the columns are {', '.join(row)}; expected {', '.join(header)}.")
        rows[number] = ["" if row[name] is None else str(row[name]) for name in header]
    return Rows(header, rows)


def _read_column(column: str, cells: Mapping[int, str], may_mix: bool) -> list[float] | None:
    """The numbers of a column; None if they are names."""
    values = {line: _number(cell) for line, cell in cells.items()}
    known = {line: value for line, value in values.items() if value is not None}
    if not known or (may_mix and len(known) < len(values)):
        return None
    for line, value in values.items():
        if value is None or not math.isfinite(value):
            raise ValueError(
                f"line {line}: {cells[line]!r} in the column {column!r}; expected a finite number, as in its other rows. "
                f"Leave the row or the column out."
            )
    return list(known.values())


def _number(cell: str) -> float | None:
    try:
        # Python reads 1_0 as 10.
        return None if "_" in cell else float(cell)
    except ValueError:
        return None
