"""Delimited text: recognition of tables of CSV and TSV, and of the columns that hold utterances.

Conventions
-----------
- A file is a table if its name ends in .csv, .tsv or .tab, or if columns are named, and each of its rows has as many cells. Cells
  may stand in quotation marks, with separators, newlines and doubled quotes in them. Where quotes don't fit, they are letters.
- A file whose lines show a format with tabs of its own, such as times or SIGMORPHON, is no table.
- The first row is a header if it has the names of usual columns, or no number above a column of numbers; a row with the same text
  twice, as both sides of an utterance have it, is none. Columns without a header are called by their numbers, from 1.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import field, replace
from typing import Any, NamedTuple

from ...kernel.record import record
from ...options.errors import FileError
from ...options.messages import Hint
from ...options.quoting import shortened
from ...options.table import OPTIONS
from .column_names import OF_INPUT, OF_SIDES, OF_TEXT, are_names, is_of, is_of_ids
from .names import Files, Held, ending_of, is_table, shown_name, unpacked_name
from .row_doubts import warn_of_header

DELIMITED = (".csv", ".tsv", ".tab")
_SEPARATORS = ("\t", ";", ",")
#: The number of bytes of a file to inspect.
_HEAD_BYTES = 1 << 16
#: The most bytes of a last cell that may be cut. If more follow the only quote of the inspected bytes, the quote is a letter.
_LONGEST_CELL = 1 << 14
_BYTE_ORDER_MARK = "\ufeff"
#: A number, perhaps with a decimal comma.
_NUMBER = re.compile(r"\s*[-+]?\d+([.,]\d+)?([eE][-+]?\d+)?\s*")


@record
class Delimited:
    """The columns of a table of delimited text, by its first rows."""

    separator: str
    is_quoted: bool  #: whether quotes may enclose cells
    rows: tuple[tuple[str, ...], ...] = field(repr=False)  #: the first rows, without blank lines
    is_whole: bool = False  #: whether these are all

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.rows[0])

    @property
    def _first_row(self) -> tuple[str, ...]:
        """The cells of the first row, without spaces around them."""
        return tuple(cell.strip() for cell in self.rows[0])

    @property
    def _are_distinct(self) -> bool:
        """True if the cells of the first row have different letters, as names have, and two sides of an utterance have not."""
        letters = ["".join(cell.split()) for cell in self._first_row]
        return len(set(letters)) == len(letters)

    @property
    def header(self) -> tuple[str, ...]:
        """The cells of the first row, if it is a header; else nothing."""
        first = self._first_row
        has_number = any(map(_NUMBER.fullmatch, first))
        if has_number or not self._are_distinct:
            return ()
        # The cells of each column below the first row.
        columns = [tuple(row[index] for row in self.rows[1:]) for index in range(self.width)]
        # A name may be blank over the first column, of row numbers, and over the blank column of a separator at each line's end.
        for name, cells in zip(first[1:], columns[1:], strict=True):
            has_cells = any(map(str.strip, cells))
            if not name and has_cells:
                return ()
        # The first row has no numbers. So above a column of numbers it is no row like the others.
        if any(map(_are_numbers, columns)) or are_names(first):
            return first
        return ()

    def has_header(self, asked: Sequence[str] = ()) -> bool:
        """Return whether the first row has the names of the columns, of which some are asked for."""
        return self.names(asked) == self._first_row

    def names(self, asked: Sequence[str] = ()) -> tuple[str, ...]:
        """Return the names of the columns: of the header, or of a first row with a name that is asked for, or else numbers.

        >>> table = Delimited(",", False, (("Satz", "Wort"), ("ab c", "d"), ("e", "f g")))
        >>> table.names(), table.names(["Satz"])
        (('1', '2'), ('Satz', 'Wort'))
        """
        if self.header or any(map(self._is_name, asked)):
            return self._first_row
        return tuple(str(number) for number in range(1, self.width + 1))

    def _is_name(self, asked: str) -> bool:
        """Return whether a column that is asked for is a name in the first row, and not the number of a column.

        A number in a row such as `1,the dog,thedog` is no name; in a header it is one, as in `0,1,2` of pandas.
        """
        first_row = self._first_row
        if asked not in first_row:
            return False
        if not self._is_number_of_column(asked):
            return True
        # The column of row numbers has no name.
        numbers = first_row if first_row[0] else first_row[1:]
        counts_columns = numbers in (_counted_from(0, len(numbers)), _counted_from(1, len(numbers)))
        return counts_columns or (self._are_distinct and are_names(first_row))

    def _is_number_of_column(self, asked: str) -> bool:
        """Return whether a name may be the number of a column, from 1."""
        return asked.isdecimal() and 1 <= int(asked) <= self.width

    def column(self, name: str, asked: Sequence[str] = ()) -> int | None:
        """Return the index of a column by its name or, where no column has the name, its number; None if there is none."""
        names = self.names(asked)
        if name in names:
            return names.index(name)
        if self._is_number_of_column(name):
            return int(name) - 1
        return None

    def cells(self, column: int, asked: Sequence[str] = ()) -> list[str]:
        """Return the cells of a column, by its index, in the first rows, without the header."""
        rows = self.rows
        if self.has_header(asked):
            rows = rows[1:]
        return [row[column] for row in rows]

    def text_columns(self) -> list[str]:
        """Return the names of the columns that may hold utterances: neither numbers nor ids by their name."""
        texts = []
        for column, name in enumerate(self.names()):
            if name and not is_of_ids(name) and not _are_numbers(self.cells(column)):
                texts.append(name)
        return texts

    def shown(self, asked: Sequence[str] = ()) -> str:
        """The columns for messages: their names, `id, text`, or numbers with the first cells, `1 ('u1'), 2 ('the dog')`."""
        names = self.names(asked)
        if self.has_header(asked):
            return ", ".join(names)
        return ", ".join(f"{name} ({shortened(cell)})" for name, cell in zip(names, self.rows[0], strict=True))


class TablePath(str):
    """The path of a file that is read as a table of delimited text."""

    table: Delimited


@record
class HeldTable(Held):
    """A file in memory that is read as a table of delimited text."""

    table: Delimited = field(kw_only=True)


def _counted_from(first: int, count: int) -> tuple[str, ...]:
    """Return so many numbers from the first one, as text."""
    return tuple(map(str, range(first, first + count)))


def delimited_of(path: str | Held) -> Delimited | None:
    """Return the columns of a file that is read as a table of delimited text; None for another file."""
    if isinstance(path, (TablePath, HeldTable)):
        return path.table
    return None


def is_named_delimited(path: str | Held) -> bool:
    """Return whether the name of a file is that of a table of delimited text."""
    return unpacked_name(path).endswith(DELIMITED)


def _are_numbers(cells: Sequence[str]) -> bool:
    """Return whether all cells are numbers but blank ones, and some cell is not blank."""
    filled = [cell for cell in cells if cell.strip()]
    return bool(filled) and all(map(_NUMBER.fullmatch, filled))


def find_table(head: str, *, is_whole: bool) -> Delimited | None:
    """Return the table that a text is, by its first rows; None if they have one cell, or unequal numbers of cells.

    >>> find_table('id;utt\\n1;"a; b"\\n', is_whole=True).rows
    (('id', 'utt'), ('1', 'a; b'))
    """
    head = head.removeprefix(_BYTE_ORDER_MARK)
    has_quotes = '"' in head
    separators = [separator for separator in _SEPARATORS if separator in head]
    for separator in separators:
        # Quotes, if there are any, enclose cells; or else, where that does not fit, they are letters.
        for encloses_cells in (has_quotes, False):
            rows = _rows(head, separator, is_quoted=encloses_cells, is_whole=is_whole)
            widths = {len(row) for row in rows}
            are_rows = len(widths) == 1 and widths.pop() > 1
            if are_rows:
                # If quotes are letters in these rows, they are in all. If there are none here, those of later rows enclose cells.
                is_quoted = encloses_cells or not has_quotes
                return Delimited(separator, is_quoted=is_quoted, rows=tuple(rows), is_whole=is_whole)
    return None


def _is_blank(row: Sequence[str]) -> bool:
    """Return whether a row is a blank line, which has no separator."""
    return len(row) < 2 and not "".join(row).strip()


def _rows(head: str, separator: str, *, is_quoted: bool, is_whole: bool) -> list[tuple[str, ...]]:
    """Return the whole rows, without blank lines; none if quotes do not enclose whole cells."""
    quoting: Any = csv.QUOTE_NONE
    if is_quoted:
        quoting = csv.QUOTE_MINIMAL
        # Text without LF is one row, or has rows that end in CR: `table_rows` checks it, and says what is wrong.
        if "\n" in head and not _quotes_enclose_cells(head, separator, is_whole=is_whole):
            return []
    reader = csv.reader(io.StringIO(head, newline=""), delimiter=separator, quoting=quoting)
    try:
        rows = [tuple(row) for row in reader if not _is_blank(row)]
    except csv.Error:  # a NUL in Python 3.10
        return []
    if is_whole:
        return rows
    return rows[:-1]  # the last one may be cut


def _quotes_enclose_cells(head: str, separator: str, *, is_whole: bool) -> bool:
    """Return whether every quote encloses a cell. If the head is not the whole file, its last cell may lack the second quote.

    >>> _quotes_enclose_cells('gold,pred\\n"a, b","a', ",", is_whole=False), _quotes_enclose_cells('5" pipe', ",", is_whole=False)
    (True, False)
    """
    data = head.encode()
    offset = misplaced_quote(data, separator)
    if offset is None:
        return True
    if is_whole:
        return False
    before = data[:offset]
    last_cell = data[offset:]
    begins_cell = before.endswith((separator.encode(), b"\r", b"\n"))
    has_only_doubled_quotes = re.fullmatch(rb'"[^"]*(?:""[^"]*)*', last_cell) is not None
    # The only quote of the head may be a letter. It more likely begins a cell that is cut, if no more follows it than a cell has.
    is_likely_cut = b'"' in before or len(last_cell) <= _LONGEST_CELL
    return begins_cell and has_only_doubled_quotes and is_likely_cut


def misplaced_quote(block: bytes, separator: str) -> int | None:
    """Return the offset of the first quote that neither encloses a cell nor is one of two within an enclosed one; else None.

    >>> misplaced_quote(b'a,"b, ""c"" d"', ","), misplaced_quote(b'5" pipe,b', ",")
    (None, 1)
    """
    around = re.escape(separator.encode()) + rb"\r\n"
    # A cell in quotes, between separators or ends of lines; or else a quote that is misplaced.
    quotes = rb'(?:\A|(?<=[%b]))"[^"]*(?:""[^"]*)*"(?=[%b]|\Z)|(?P<misplaced>")' % (around, around)
    for match in re.finditer(quotes, block):
        if match["misplaced"]:
            return match.start()
    return None


def as_table(path: str | Held, text_format: str = "", *, is_asked: bool = False, encoding: str = "") -> str | Held:
    """Return the path of a file; if the file is a table of delimited text, as a path that `delimited_of` knows.

    Only files with the name of a table are looked at or, with `is_asked`, because columns are named, all files.

    Raises:
        FileError: the name is that of a table, and rows have different numbers of cells.
    """
    may_be_table = is_asked or is_named_delimited(path)
    if is_table(path) or not may_be_table:
        return path
    from ..formats.registry import FORMATS, recognise

    # The format that an option names, or else the one that the lines show, may have tabs of its own.
    if text_format and not FORMATS[text_format].is_in_cells:
        return path
    head = first_lines(path, encoding)
    if head is None:
        return path
    shown_format, _ = recognise(head.text)
    if not shown_format.is_in_cells:
        return path
    if re.match(r"sep=.\r?\n", head.text):
        problem = (
            "line 1 tells Excel the separator, and is no row of the table: remove it with tail -n +2 < OLD > NEW.csv."
        )
        raise FileError(f"{shown_name(path)}: {problem}")
    table = find_table(head.text, is_whole=head.is_whole) or _of_one_column(head)
    if table is None:
        if is_named_delimited(path):
            _check_ragged(path, head, is_asked=is_asked)
        return path
    # A table of numbers or ids alone has no utterances: it may be text, unless columns are named.
    if not is_asked and not table.text_columns():
        return path
    return _path_of_table(path, table)


def _path_of_table(path: str | Held, table: Delimited) -> str | Held:
    """Return a path that says that its file is read as this table."""
    if isinstance(path, Held):
        return HeldTable(path.name, path.contents, table=table)
    named = TablePath(path)
    named.table = table
    return named


class _Head(NamedTuple):
    """The first lines of a file."""

    text: str
    is_whole: bool  #: whether they are all


def first_lines(path: str | Held, encoding: str = "") -> _Head | None:
    """Return the first lines of a file, without a byte-order mark; None if it can't be read, or is a pipe with a name.

    Such a pipe would wait for its program. The reader of the file says later what is wrong.
    """
    from .opening import first_bytes, refuse_encodings
    from .progress import is_pipe

    if path != "-" and is_pipe(path):
        return None
    try:
        head = first_bytes(path, _HEAD_BYTES, encoding)
    except FileError:
        return None
    if b"\0" in head:  # as in UTF-16, and in no other text
        refuse_encodings(head, shown_name(path))
    is_whole = len(head) < _HEAD_BYTES
    text = head.decode(errors="replace").removeprefix(_BYTE_ORDER_MARK)
    return _Head(text.rstrip("\x1a"), is_whole)  # without Ctrl-Z, the end of a text in DOS


def _of_one_column(head: _Head) -> Delimited | None:
    """Return the table of one column, if its first line is the usual name of a column of text; else None."""
    first, _, rest = head.text.partition("\n")
    name = first.strip().strip('"').lower()
    is_text = name in OF_TEXT or any(name in usual for usual in OF_SIDES.values())
    has_rows_below = rest.strip() != ""
    if not is_text or not has_rows_below:
        return None
    separator = ","  # none stands between cells of one column, but a cell in quotes may have one
    is_quoted = _quotes_enclose_cells(head.text, separator, is_whole=head.is_whole)
    rows = _rows(head.text, separator, is_quoted=is_quoted, is_whole=head.is_whole)
    have_one_cell = {*map(len, rows)} == {1}
    if have_one_cell:
        return Delimited(separator, is_quoted=is_quoted, rows=tuple(rows))
    return None


def check_rows(path: str | Held, encoding: str) -> None:
    """Raise an error if the first lines of a file, of which the user names columns, are rows with different numbers of cells."""
    head = first_lines(path, encoding)
    if head is not None:
        _check_ragged(path, head, is_asked=True)


def _check_ragged(path: str | Held, head: _Head, *, is_asked: bool) -> None:
    """Raise an error if every line has a separator, but not the same number of cells.

    `is_asked` says that the user names columns, so that the file is no text of utterances, whatever its name is.
    """
    lines = [line for line in head.text.split("\n") if line.strip()]
    if not lines:
        return
    for separator in _SEPARATORS:
        # The last line may be cut. It is the first one too if there is no other.
        has_cells = all(separator in line for line in [lines[0], *lines[:-1]])
        if not has_cells:
            continue
        rows = _rows(head.text, separator, is_quoted=False, is_whole=head.is_whole)
        for number, row in enumerate(rows, 1):
            if len(row) == len(rows[0]):
                continue
            name = shown_name(path)
            of_utterances = ""
            if is_named_delimited(path) and not is_asked:
                of_utterances = f" If its lines are utterances, its name should not end in {ending_of(path)}."
            raise FileError(
                f"{name}, row {number}: {len(row)} cells between {separator!r}, and row 1 has {len(rows[0])}. A cell with a "
                f"separator or a quote in it stands in quotes, and each quote in it is doubled.{of_utterances}"
            )


def with_columns(files: Files, column: str, role: str, text_format: str = "", beside: str = "") -> Files:
    """Return the files of a side, as tables if they are, and the column to read.

    `column` is the one that the user names; empty if it is to be found: for `role` by its name, or as the only column of text.
    `beside` is the column of the other side in the same table, or empty.

    Raises:
        FileError: the column of the utterances is unknown.
    """
    if files.tokenizer is not None:
        return files
    paths = tuple(as_table(path, text_format, is_asked=bool(column), encoding=files.encoding) for path in files.paths)
    tables = [path for path in paths if delimited_of(path) is not None]
    if not tables:
        return files
    # The files of a side have the same columns: the first one shows them.
    first_path, *_ = tables
    table = delimited_of(first_path)
    assert table is not None
    is_named = column in table.names([column])
    if not column:
        column = text_column(table, role, beside)
    if not column:
        raise FileError(
            f"{shown_name(first_path)}: this is a table, and the column of the {role} is unknown. The columns are "
            f"{table.shown()}.",
            Hint(
                " Name the column with ",
                OPTIONS["columns"],
                " REFERENCE,PREDICTION: by its name, or by its number from 1.",
            ),
        )
    place = table.column(column, [column])
    if table.header and not is_named and place is not None:
        warn_of_header(shown_name(first_path), table.shown(), table.header[place], table.cells(place))
    return replace(files, paths=paths, column=column)


def text_column(table: Delimited, role: str, beside: str = "") -> str:
    """Return the name of the column of a side; empty if it is unknown. `beside` is the column of the other side, or empty.

    It is the only column with a usual name of the side; else the only one with a usual name of text; else the only one that is
    left beside columns of the other side.

    >>> table = Delimited(",", False, (("id", "gold", "crf"), ("1", "a b", "ab")))
    >>> text_column(table, "reference"), text_column(table, "prediction")
    ('gold', 'crf')
    """
    every_text = table.text_columns()
    # The input of a segmenter is no side, unless it is the only text.
    texts = [name for name in every_text if not is_of(name, OF_INPUT)] or every_text
    texts = [name for name in texts if name != beside]
    of_role = [name for name in texts if is_of(name, OF_SIDES[role])]
    of_text = [name for name in texts if name.lower() in OF_TEXT]
    of_other_side: set[str] = set()
    for side, usual in OF_SIDES.items():
        if side != role:
            of_other_side.update(name for name in texts if is_of(name, usual))
    remaining = [name for name in texts if name not in of_other_side] or texts
    # Beside another column of the same table, a column of text is no more likely than any other.
    candidates = [of_role, remaining] if beside else [of_role, of_text, remaining]
    for names in candidates:
        if len(names) == 1:
            return names[0]
    return ""
