"""`segmentation-scores correlate`: correlations of scores with an outside criterion, one row per score."""

from __future__ import annotations

__all__ = ["Table", "add_arguments", "read_table", "run"]

import argparse
import csv
import math
from collections.abc import Sequence
from dataclasses import dataclass

from .printing import print_out
from .tables import add_format_argument, format_rows


@dataclass(frozen=True)
class Table:
    """A row per system.

    Attributes:
        numbers: the columns of numbers, by name, in order.
        names: the names of the other columns.
    """

    numbers: dict[str, list[float]]
    names: tuple[str, ...]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the description and the arguments to the subcommand's parser."""
    parser.description = (
        "Correlate scores with an external criterion, such as human judgement or retrieval quality. The table has a header and "
        "a row per system; columns of numbers are scores, other columns are names. Prints a row per score, the largest |r| "
        "first: Pearson's r with its 95 % interval, Spearman's rho and Kendall's tau, each with a two-sided p-value (by "
        "permutation for rho and tau), and the p-value of Williams' test, which compares the score with the first row. A "
        "constant column gives nan."
    )
    parser.add_argument(
        "table", metavar="TABLE", help="a CSV file, or TSV if its header has a tab; - reads standard input"
    )
    parser.add_argument("--criterion", metavar="COLUMN", required=True, help="the column with the criterion")
    add_format_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    """Correlate the columns and print a row for each."""
    from ..corpora.opening import FileError
    from ..statistics.correlation import correlate

    name = "standard input" if arguments.table == "-" else arguments.table
    try:
        table = read_table(_read_lines(arguments.table))
        scores = dict(table.numbers)
        if arguments.criterion not in scores:
            raise ValueError(_missing_criterion(arguments.criterion, table))
        criterion = scores.pop(arguments.criterion)
        rows = correlate(scores, criterion)
    except FileError:
        raise
    except ValueError as error:
        raise FileError(f"{name}: {error}") from None
    print_out(format_rows(rows, arguments.format), arguments.format)


def _read_lines(path: str) -> list[str]:
    """The lines of a table. A cell at the end of the last one may be blank, and a tab before it counts."""
    from ..corpora.opening import decode_file

    text = decode_file(path)
    return text.replace("\r\n", "\n").split("\n") if text.strip() else []


def read_table(lines: Sequence[str]) -> Table:
    """Read a table of systems.

    A column has numbers if every cell is a number, and names if no cell is. The first column may mix the two: its cells
    are names then, because systems may be called `2` and `CRF`.

    Raises:
        ValueError: no row, a row of another length than the header, a column without a name or named twice, a cell that
            is not a number, or not finite, among numbers; the message has the line.

    >>> read_table(["system,f", "CRF,0.9", "rules,0.8"])
    Table(numbers={'f': [0.9, 0.8]}, names=('system',))
    """
    if not lines:
        raise ValueError("the table is empty: expected a header and a row per system.")
    reader = csv.reader(lines, delimiter="\t" if "\t" in lines[0] else ",")
    header = [cell.strip() for cell in next(reader)]
    for index, column in enumerate(header):
        if not column:
            raise ValueError(f"line 1: column {index + 1} has no name.")
        if column in header[:index]:
            raise ValueError(f"line 1: two columns are called {column!r}.")
    rows = {}
    try:
        for row in reader:
            if row and len(row) != len(header):
                raise ValueError(f"line {reader.line_num}: {len(row)} cells; expected {len(header)}, as in the header.")
            if row:
                rows[reader.line_num] = row
    except csv.Error as error:
        raise ValueError(f"line {reader.line_num}: this is not a row of a table ({error}).") from None
    if not rows:
        raise ValueError("the table has a header only: expected a row per system.")
    numbers = {}
    for index, column in enumerate(header):
        values = _read_column(column, {line: row[index] for line, row in rows.items()}, may_mix=index == 0)
        if values is not None:
            numbers[column] = values
    return Table(numbers, tuple(column for column in header if column not in numbers))


def _read_column(column: str, cells: dict[int, str], may_mix: bool) -> list[float] | None:
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
        return float(cell)
    except ValueError:
        return None


def _missing_criterion(criterion: str, table: Table) -> str:
    if criterion in table.names:
        return f"the column {criterion!r} does not consist of numbers: the criterion must."
    known = f"the columns of numbers are {', '.join(table.numbers)}" if table.numbers else "no column has numbers"
    return f"there is no column {criterion!r}: {known}."
