"""Tables of scores that `correlate` reads: a row per system, or a row per system and utterance.

Conventions
-----------
- A table is CSV, TSV if its header has a tab, or JSON lines if its name ends in `.jsonl`, `.ndjson` or `.json` (also before `.gz`
  and the like), such as `score --per-utterance` writes.
- A column has numbers if one of its cells is a number, otherwise names. A missing value is an empty cell, `nan`, or null.
- In a table of utterances, the rows may be in any order: systems and utterances are sorted by name, numbers by value.
- Lines count from 1, the header included; a row of several lines has the number of the first.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
#: The name of a system and, in a table of utterances, the cells that name an utterance.
Place: TypeAlias = tuple[str, tuple[str, ...]]


@dataclass(frozen=True)
class Rows:
    """The cells of a table."""

    header: Sequence[str]
    cells: Mapping[int, Sequence[str]]

    def column(self, name: str) -> dict[int, str]:
        """The cells of a column, by line."""
        if name not in self.header:
            raise ValueError(f"there is no column {name!r}: the columns are {', '.join(self.header)}.")
        place = self.header.index(name)
        return {line: row[place] for line, row in self.cells.items()}


@dataclass(frozen=True)
class Table:
    """A row per system.

    Attributes:
        numbers: the columns of numbers, by name, in order.
        names: the names of the other columns.
    """

    numbers: dict[str, list[float]]
    names: tuple[str, ...]


@dataclass(frozen=True)
class Criteria:
    """A criterion from a table of its own."""

    values: dict[Place, float]
    judges_systems: bool


@dataclass(frozen=True)
class UtteranceTable:
    """Scores of utterances.

    Attributes:
        scores: by name, float64 (n_systems, n_utterances).
        criterion: float64 (n_systems, n_utterances), or (n_systems,).
        utterances: the number of utterances before any was left out.
    """

    scores: dict[str, Floats]
    criterion: Floats
    utterances: int


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


def read_table(rows: Rows) -> Table:
    """Read a table of systems.

    A column has numbers if every cell is a number, and names if no cell is. The first column may mix the two: its cells
    are names then, because systems may be called `2` and `CRF`.

    >>> read_table(read_rows(["system,f", "CRF,0.9", "rules,0.8"]))
    Table(numbers={'f': [0.9, 0.8]}, names=('system',))
    """
    numbers = {}
    for index, column in enumerate(rows.header):
        values = _read_column(column, rows.column(column), may_mix=index == 0)
        if values is not None:
            numbers[column] = values
    return Table(numbers, tuple(column for column in rows.header if column not in numbers))


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


def read_utterances(
    rows: Rows, criteria: Criteria | None, *, system: str, utterance: Sequence[str], criterion: str, skips: bool
) -> UtteranceTable:
    """Read a table with a row for each system and utterance.

    Args:
        criteria: the criterion from another table; None if it is a column of this one.
        skips: whether utterances without a value for each system, score and criterion are left out for all systems.
    """
    places = _places(rows, system, utterance)
    columns = [name for name in rows.header if name not in (system, *utterance)]
    numbers = {name: cells for name in columns if (cells := _cells_of(rows, name)) is not None}
    systems = sorted({name for name, _ in places}, key=_order)
    if criteria is None:
        if criterion not in numbers:
            raise ValueError(
                missing_criterion(criterion, columns, list(numbers), " Or name its file with --criterion-table.")
            )
    else:
        _check_systems(systems, [name for name, _ in criteria.values])
        if criterion in columns:
            raise ValueError(
                f"the criterion {criterion!r} is a column here and in the criterion table: expected one of them."
            )
    if not numbers.keys() - {criterion}:
        raise ValueError(
            "there is nothing to correlate: expected a column of numbers beside the criterion, received none."
        )
    by_place = {name: {place: cells[line] for place, line in places.items()} for name, cells in numbers.items()}
    if criteria is not None and not criteria.judges_systems:
        by_place[criterion] = criteria.values
    known = dict.fromkeys(number for values in by_place.values() for _, number in values)
    utterances = sorted(known, key=lambda each: tuple(map(_order, each)))
    tables = {name: _table_of(values, systems, utterances) for name, values in by_place.items()}
    lacks = np.logical_or.reduce([*map(np.isnan, tables.values())])
    if lacks.any() and not skips:
        row, column = np.argwhere(lacks)[0].tolist()
        without = [name for name, table in tables.items() if np.isnan(table[row, column])]
        place = systems[row], utterances[column]
        raise ValueError(_lacking(place, places.get(place), without, utterance, int(lacks.any(axis=0).sum())))
    kept = ~lacks.any(axis=0)
    if not kept.any():
        raise ValueError(
            f"none of {len(utterances)} utterances has a number for every system, every score and the criterion."
        )
    scores = {name: table[:, kept] for name, table in tables.items()}
    target = scores.pop(criterion, None)
    if target is None:
        assert criteria is not None, "the criterion is one of the columns"
        target = np.array([criteria.values[name, ()] for name in systems])
    return UtteranceTable(scores, target, len(utterances))


def _places(rows: Rows, system: str, utterance: Sequence[str]) -> dict[Place, int]:
    """The line of each system and utterance."""
    names = [rows.column(column) for column in (system, *utterance)]
    places: dict[Place, int] = {}
    for line in rows.cells:
        first, *others = (column[line].strip() for column in names)
        if not first:
            raise ValueError(f"line {line}: the column {system!r} is blank; expected the name of a system.")
        place = first, tuple(others)
        if place in places:
            shown = _shown(utterance, place[1]) if utterance else ""
            raise ValueError(
                f"lines {places[place]} and {line}: both are of the system {first!r}{shown and f', {shown}'}; expected one row."
            )
        places[place] = line
    return places


def _cells_of(rows: Rows, column: str) -> dict[int, float] | None:
    """The numbers of a column by line, nan where there is none; None if no cell is a number."""
    cells = rows.column(column)
    values = {line: math.nan if not cell.strip() else _number(cell) for line, cell in cells.items()}
    if all(value is None or math.isnan(value) for value in values.values()):
        return None
    found = {}
    for line, value in values.items():
        if value is None or math.isinf(value):
            raise ValueError(
                f"line {line}: {cells[line]!r} in the column {column!r}; expected a finite number, as in its other rows."
            )
        found[line] = value
    return found


def read_criteria(rows: Rows, *, system: str, utterance: Sequence[str], criterion: str) -> Criteria:
    """Read a table with the criterion: a row for each system, or for each system and utterance."""
    named = [column for column in utterance if column in rows.header]
    if named and len(named) < len(utterance):
        raise ValueError(
            f"the table has the column {named[0]!r} only; expected {', '.join(utterance)}, or none of them."
        )
    places = _places(rows, system, named)
    columns = [name for name in rows.header if name not in (system, *named)]
    values = _cells_of(rows, criterion) if criterion in columns else None
    if values is None:
        raise ValueError(
            missing_criterion(criterion, columns, [name for name in columns if _cells_of(rows, name) is not None])
        )
    if not named:
        for line, value in values.items():
            if math.isnan(value):
                raise ValueError(f"line {line}: the column {criterion!r} has no number; expected one for each system.")
    return Criteria({place: values[line] for place, line in places.items()}, not named)


def _check_systems(systems: Sequence[str], judged: Sequence[str]) -> None:
    without = [name for name in systems if name not in set(judged)]
    if without:
        raise ValueError(
            f"there is no criterion for the system {without[0]!r}, only for {', '.join(dict.fromkeys(judged))}. "
            f"Delete its rows, or rename it."
        )
    unscored = [name for name in dict.fromkeys(judged) if name not in set(systems)]
    if unscored:
        raise ValueError(
            f"the system {unscored[0]!r} has a criterion but no scores: expected the systems {', '.join(systems)}. "
            f"Delete its rows."
        )


def _table_of(values: Mapping[Place, float], systems: Sequence[str], utterances: Sequence[tuple[str, ...]]) -> Floats:
    """The values as float64 (n_systems, n_utterances), nan where there is none."""
    rows, columns = ({name: index for index, name in enumerate(names)} for names in (systems, utterances))
    table = np.full((len(systems), len(utterances)), np.nan)
    for (name, number), value in values.items():
        table[rows[name], columns[number]] = value
    return table


def _order(name: str) -> tuple[int, int, str]:
    """A key that sorts numbers by value, before other names."""
    return (0, int(name), "") if name.isdecimal() else (1, 0, name)


def _shown(columns: Sequence[str], cells: Sequence[str]) -> str:
    return ", ".join(f"{column} {cell}" for column, cell in zip(columns, cells, strict=True))


def _lacking(place: Place, line: int | None, without: Sequence[str], utterance: Sequence[str], count: int) -> str:
    """The message for an utterance that lacks a value."""
    where = f"the system {place[0]!r} has no row for {_shown(utterance, place[1])}"
    if line is not None:
        where = f"line {line}: {', '.join(map(repr, without))} has no number there"
    return (
        f"{where}; expected a number for each system and utterance. {count} utterance{'s lack' if count > 1 else ' lacks'} one: "
        f"--on-error skip leaves {'them' if count > 1 else 'it'} out for every system."
    )


def missing_criterion(criterion: str, columns: Sequence[str], numbers: Sequence[str], hint: str = "") -> str:
    """The message for a criterion that is not a column of numbers."""
    if criterion in columns:
        return f"the column {criterion!r} does not consist of numbers: the criterion must."
    known = f"the columns of numbers are {', '.join(numbers)}" if numbers else "no column has numbers"
    return f"there is no column {criterion!r}: {known}.{hint}"
