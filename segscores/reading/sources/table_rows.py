"""Rows of tables of delimited text, which Arrow reads in blocks of whole rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from ...options.errors import FileError, counting_from
from ...options.messages import Hint
from ...options.table import OPTIONS
from .delimited import Delimited, misplaced_quote
from .names import Held, shown_name
from .opening import BYTE_ORDER_MARK, END_MARK, Opens, check_line_ends, open_file, refuse_encodings

_BLOCK_BYTES = 1 << 20
_QUOTE = ord('"')
_NEWLINE = ord("\n")


def read_rows(
    path: str | Held, table: Delimited, columns: Sequence[str], opens: Opens
) -> Iterator[tuple[pa.Array, ...]]:
    """Yield the cells of some columns as strings, in blocks; an error of a row has its number, from 1 with the header."""
    name = shown_name(path)
    places = [_place_of(name, table, column, asked=columns) for column in columns]
    header_rows = 1 if table.has_header(columns) else 0  # of the first block
    rows_before = 0
    lines_before = 0  # more than rows, if newlines stand within cells
    for block in _blocks(name, opens, is_quoted=table.is_quoted):
        if table.is_quoted:
            _check_quotes(name, block, table.separator, lines_before)
        rows = _parse_rows(name, block, table, rows_before)
        is_first_block = rows_before == 0
        below_header = rows.slice(header_rows) if is_first_block else rows
        rows_before += len(rows)
        lines_before += block.count(b"\n")
        yield tuple(below_header.column(place).combine_chunks() for place in places)


def read_cells(path: str | Held, table: Delimited, column: str, encoding: str = "") -> list[str]:
    """Return the cells of one column of a small table."""
    cells: list[str] = []
    for (array,) in read_rows(path, table, [column], partial(open_file, path, encoding=encoding)):
        try:
            cells += array.to_pylist()
        except UnicodeDecodeError:
            raise FileError(f"{shown_name(path)}, column {column}: the text is not valid UTF-8.") from None
    return cells


def _place_of(name: str, table: Delimited, column: str, asked: Sequence[str]) -> int:
    """Return the index of a column; `asked` are all columns to read, which tell whether the first row is a header."""
    place = table.column(column, asked)
    if place is None:
        raise FileError(
            f"{name}: there is no column {column!r}; the columns are {table.shown(asked)}.",
            Hint(
                " Name the column with ",
                OPTIONS["columns"],
                " REFERENCE,PREDICTION: by its name, or by its number from 1",
                Hint(" or, for a committee, with ", OPTIONS["committee_column"]),
                ".",
            ),
        )
    return place


def _blocks(name: str, opens: Opens, *, is_quoted: bool) -> Iterator[bytes]:
    """Yield the bytes in blocks of whole rows."""
    with opens() as file:
        beginning = file.read(4)  # as long as the longest mark of an encoding
        refuse_encodings(beginning, name)
        held = beginning.removeprefix(BYTE_ORDER_MARK)
        size = _BLOCK_BYTES
        is_first = True  # whether no block was yielded before
        while data := file.read(size):
            held += data
            cut = _end_of_rows(held, is_quoted=is_quoted)
            if not cut:
                size = len(held)  # a long row: read twice as much, so that few reads find its end
                continue
            yield held[:cut]
            held = held[cut:]
            size = _BLOCK_BYTES
            is_first = False
    held = held.rstrip(END_MARK)
    if held.strip():
        if is_first:
            # Rows of an earlier block end in LF: a CR is then within a cell.
            check_line_ends(held, name)
        yield held


def _end_of_rows(block: bytes, *, is_quoted: bool) -> int:
    """Return the place after the last newline that ends a row; 0 if none does."""
    if not is_quoted or b'"' not in block:
        return block.rfind(b"\n") + 1
    # Block `a,"b\nc"\nd`: the newline at 4 is after 1 quote, within a cell, and the one at 7 after 2, so that it ends a row.
    data = np.frombuffer(block, np.uint8)
    ends = np.flatnonzero(data == _NEWLINE)
    quotes = np.cumsum(data == _QUOTE)[ends]
    row_ends = ends[quotes % 2 == 0]
    if not len(row_ends):
        return 0
    return int(row_ends[-1]) + 1


def _check_quotes(name: str, block: bytes, separator: str, lines_before: int) -> None:
    """Check that quotes in a block enclose whole cells; `lines_before` are in earlier blocks."""
    offset = misplaced_quote(block, separator)
    if offset is not None:
        line = lines_before + block.count(b"\n", 0, offset) + 1
        raise FileError(
            f"{name}, line {line}: a quote stands within a cell; a cell with a quote in it stands in quotes, and the quote in it "
            f'is doubled, as in "5"" pipe".',
            counting=counting_from("line"),
        )


def _parse_rows(name: str, block: bytes, table: Delimited, rows_before: int) -> pa.Table:
    """Return the rows of a block, with a column of strings for each cell; `rows_before` are in earlier blocks.

    An error is "gold.csv, row 3: 2 cells, and the first row has 3. A cell with ',' in it stands in quotes."
    """
    from pyarrow import csv

    bad_rows: list[Any] = []

    def note_bad_row(row: Any) -> str:
        """Note a row with another number of cells, and let Arrow raise an error."""
        bad_rows.append(row)
        return "error"

    names = [str(index) for index in range(table.width)]
    quote: Any = '"' if table.is_quoted else False
    parse_options = csv.ParseOptions(
        delimiter=table.separator,
        quote_char=quote,
        newlines_in_values=table.is_quoted,
        ignore_empty_lines=table.width > 1,  # in a table of one column, an empty line is an empty cell
        invalid_row_handler=note_bad_row,
    )
    strings = dict.fromkeys(names, pa.large_string())
    convert_options = csv.ConvertOptions(column_types=strings, strings_can_be_null=False, check_utf8=False)
    # One block and no threads: Arrow counts rows only then.
    read_options = csv.ReadOptions(column_names=names, use_threads=False, block_size=len(block) + 1)
    try:
        return csv.read_csv(pa.BufferReader(block), read_options, parse_options, convert_options)
    except pa.ArrowInvalid as error:
        if not bad_rows:
            raise FileError(f"{name}: the table can't be read ({str(error).rstrip('.')}).") from None
        row, *_ = bad_rows
        number_in_block = row.number or 1  # Arrow has none for the first row of some blocks
        problem = f"{row.actual_columns} cells, and the first row has {row.expected_columns}."
        remedy = f"A cell with {table.separator!r} in it stands in quotes."
        raise FileError(f"{name}, row {rows_before + number_in_block}: {problem} {remedy}") from None
