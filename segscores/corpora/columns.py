"""Columns of tables, as sources: Parquet, Arrow files and streams, JSON lines.

Conventions
-----------
The name of a file determines its kind. A row is an utterance: a string, a list of words, or a
list of labels. From Parquet and Arrow only the column is read; rows are counted from 0, as in pandas and `datasets`. In
JSON lines a row is a line with an object, and lines are counted from 1.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from ..kernel.arrow import byte_count
from ..kernel.errors import FileError, UtteranceError
from ..kernel.segmentation import Segmentation, join_units
from ..reading.inputs import check_rows, read_column
from ..reading.options import Reading
from ..reading.parts import check_form, reader_for
from ..reading.parts import read_part as read_slice
from ..sources.fold import PART_BYTES
from ..sources.names import PARQUET, is_json
from ..sources.opening import open_file
from ..sources.progress import Progress, is_pipe
from .sources import ArraySource

#: The least and the greatest number of rows of a Parquet file to read at a time.
_FEWEST_ROWS, _MOST_ROWS = 1 << 8, 1 << 13

#: The number of bytes of JSON lines in which the first value is looked for, which determines the form.
_HEAD_BYTES = 1 << 20

_WORDS = pa.list_(pa.string())

#: Arrow's message on a row that is not JSON or has another type.
_JSON_ERROR = re.compile(r"(?:JSON parse error: )?(.*?) in row (\d+)", re.DOTALL)


class TableSource(ArraySource):
    """A column of a Parquet or Arrow file.

    Raises:
        FileError: the file can't be read, or has no such column.
        TypeError, ValueError: the form of the column does not fit the options.
    """

    noun = "row"
    first_number = 0

    def __init__(
        self,
        path: str,
        column: str,
        reading: Reading,
        progress: Progress,
        *,
        joins_units: bool = False,
    ) -> None:
        with _explained(path):
            table = _open_table(path)
        try:
            kind = table.type_of(column)
            form = _form_of_type(path, column, kind)
            check_form_of(f"{path}, column {column}", form, reading)
        except (TypeError, ValueError):
            table.close()
            raise
        super().__init__(f"{path}, column {column}", pa.nulls(0, kind))
        self.form = form
        self._reading = reading
        self._joins_units = joins_units
        self._table = table
        self._path = path
        self._progress = progress
        self._batches = table.batches(column)

    def close(self) -> None:
        """Close the file."""
        self._table.close()

    def _next_array(self) -> pa.Array | None:
        with _explained(self._path):
            array = next(self._batches, None)
        if array is not None:
            self._progress(byte_count(array))
        return array

    def _read_array(self, array: pa.Array) -> Segmentation:
        return _read_rows(array, self._reading, joins_units=self._joins_units)


class JsonColumn:
    """Reads the values that lines with JSON objects have under a name.

    Args:
        path: the file, whose first value determines the form.
        column: the name.
        reading: how values are read.
        joins_units: as in `Side`.

    Attributes:
        form: the form of the values, a type of `inputs`.

    Raises:
        FileError: the file can't be read.
        TypeError, ValueError: the form of the column does not fit the options.
    """

    def __init__(self, path: str, column: str, reading: Reading, *, joins_units: bool = False) -> None:
        self._column = column
        self._reading = reading
        self._joins_units = joins_units
        # A file without values can have any form.
        self._kind = _json_kind(path, column) or (_WORDS if reading.label_scheme else pa.string())
        if pa.types.is_list(self._kind) and reading.label_scheme in ("start", "end"):
            # Empty lists have no form.
            self._kind = pa.list_(pa.int64()) if self._kind == _WORDS else self._kind
        self.form = _form_of_type(path, column, self._kind)
        check_form_of(f"{path}, column {column}", self.form, reading)

    def __call__(self, block: bytes) -> Segmentation:
        """The segmentation of whole lines.

        Raises:
            UtteranceError: a line is not an object, or has no such value.
        """
        kind = self._kind
        if not block:
            return _read_rows(pa.nulls(0, kind), self._reading, joins_units=self._joins_units)
        count = block.count(b"\n")
        try:
            rows = _parse_json(block, self._column, kind)
        except pa.ArrowInvalid as error:
            found = _JSON_ERROR.search(str(error))
            problem, row = (found[1], int(found[2])) if found else (str(error).splitlines()[0], 0)
            # Arrow counts rows without blank lines.
            lines = [index for index, line in enumerate(block.split(b"\n")[:-1]) if line.strip()]
            raise UtteranceError(
                lines[min(row, len(lines) - 1)] if lines else 0,
                f"the line can't be read: {problem.rstrip('.')}; expected an object with {_expected(kind)} under "
                f"{self._column!r}.",
            ) from None
        if len(rows) != count or not _begin_and_end_with_braces(block, count):
            texts = block.split(b"\n")[:-1]
            odd = next((index for index, text in enumerate(texts) if _object_of(text) is None), 0)
            raise UtteranceError(odd, "expected one JSON object on the line, as on every other.")
        missing = f"there is nothing under {self._column!r}"
        return _read_rows(rows, self._reading, missing, joins_units=self._joins_units)


def _read_rows(array: pa.Array, reading: Reading, missing: str = "", *, joins_units: bool) -> Segmentation:
    try:
        check_rows(array, "")
    except UtteranceError as error:
        if missing and error.problem.startswith("received None"):
            raise UtteranceError(error.utterance, error.problem.replace("received None", missing)) from None
        raise
    column = read_column(array, "")
    check_form(column.type, reading)
    read = read_slice(reader_for(column.type, reading), column, slice(0, len(array)), "")
    return join_units(read) if joins_units and read.unit == "token" else read


def _parse_json(block: bytes, column: str, kind: pa.DataType) -> pa.Array:
    from pyarrow import json as arrow_json

    # One block, so that rows are counted from its beginning. No threads, because parts are read in parallel.
    table = arrow_json.read_json(
        pa.BufferReader(block),
        read_options=arrow_json.ReadOptions(use_threads=False, block_size=len(block) + 1),
        parse_options=arrow_json.ParseOptions(
            explicit_schema=pa.schema([(column, kind)]), unexpected_field_behavior="ignore"
        ),
    )
    return table.column(column).combine_chunks()


def _begin_and_end_with_braces(block: bytes, count: int) -> bool:
    """Whether every line does, apart from blanks: then no object extends over lines, and with as many objects as lines each
    line has one.
    """
    if block.count(b"}\n{") + block.count(b"}\r\n{") == count - 1 and block[:1] == b"{" and block[-2:] == b"}\n":
        return True
    lines = (line.strip(b" \t\r") for line in block.split(b"\n")[:-1])
    return all(line[:1] == b"{" and line[-1:] == b"}" for line in lines)


def _kind_of(block: bytes, column: str) -> pa.DataType | None:
    """The type of a column, by its first value that has one; strings if none has; None without values."""
    kind = None
    for line in block.split(b"\n"):
        try:
            value = json.loads(line)[column]
        except (ValueError, LookupError, TypeError, RecursionError):
            continue
        if isinstance(value, str):
            return pa.string()
        if isinstance(value, list):
            kind = _WORDS
            first = value[0] if value else None
            if isinstance(first, str):
                return kind
            if isinstance(first, int):
                return pa.list_(pa.bool_() if isinstance(first, bool) else pa.int64())
        kind = kind or pa.string()
    return kind


def _object_of(line: bytes) -> dict[str, Any] | None:
    """The JSON object on a line; None if there is none."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _expected(kind: pa.DataType) -> str:
    if pa.types.is_list(kind):
        return "a list of words" if pa.types.is_string(kind.value_type) else "a list of labels"
    return "a string, a list of words or a list of labels"


def check_form_of(name: str, form: pa.DataType, reading: Reading) -> None:
    """`check_form`, with errors that name the input.

    Raises:
        TypeError, ValueError: the form does not fit the options.
    """
    try:
        check_form(form, reading)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name}: {error}") from None


def first_rows(path: str, column: str) -> pa.Array | None:
    """The first rows of a column of a table; None if it has none, or not all of them can be read."""
    try:
        if not is_json(path):
            return next(column_values(path, column), None)
        head = _json_head(path)
        return _parse_json(head[: head.rfind(b"\n") + 1] or head, column, _kind_of(head, column) or pa.string())
    except (OSError, ValueError, LookupError):
        return None


def _json_kind(path: str, column: str) -> pa.DataType | None:
    """The type of a column of JSON lines, by their first megabyte or first line; None if they have no object."""
    head = _json_head(path)
    kind = _kind_of(head, column)
    if kind is None:
        names = next((list(line) for line in map(_object_of, head.split(b"\n")) if line), [])
        if names:
            raise FileError(_no_column(path, column, names))
    return kind


def _json_head(path: str) -> bytes:
    """The first megabyte of a file, or its first line if that is longer."""
    _refuse_pipe(path)
    with open_file(path) as file:
        head: bytes = file.read(_HEAD_BYTES)
        while b"\n" not in head and (more := file.read(len(head))):
            head += more
    return head


def _form_of_type(path: str, column: str, kind: pa.DataType) -> pa.DataType:
    try:
        return read_column(pa.nulls(0, kind), "").type
    except TypeError:
        raise FileError(
            f"{path}: the column {column!r} is of {kind}; expected strings, lists of words, or lists of labels."
        ) from None


class _Parquet:
    """A Parquet file."""

    def __init__(self, path: str) -> None:
        from pyarrow import parquet

        self._path = path
        self._file = parquet.ParquetFile(path, pre_buffer=False)

    def type_of(self, column: str) -> pa.DataType:
        schema = self._file.schema_arrow
        _check_column(self._path, column, schema.names)
        return schema.field(column).type

    def batches(self, column: str) -> Iterator[pa.Array]:
        metadata = self._file.metadata
        # The bytes of all columns: pyarrow aborts the process at the metadata of a damaged column.
        size = sum(metadata.row_group(group).total_byte_size for group in range(metadata.num_row_groups))
        # Repeated values take almost no space in the file.
        rows = min(_MOST_ROWS, max(_FEWEST_ROWS, metadata.num_rows * PART_BYTES // max(1, size)))
        for batch in self._file.iter_batches(batch_size=rows, columns=[column], use_threads=False):
            # By name: "a.b" selects a column of this name, and the field b of a column a.
            yield from _cut(batch.column(column))

    def close(self) -> None:
        self._file.close()


class _Arrow:
    """An Arrow file (IPC), or a stream, as `datasets` keeps its data."""

    def __init__(self, path: str, *, is_stream: bool) -> None:
        self._path = path
        self._is_stream = is_stream
        # No memory map: pages of the file would count as memory of this process.
        self._source = pa.OSFile(path)
        self._open = pa.ipc.open_stream if is_stream else pa.ipc.open_file
        self._schema = self._open(self._source).schema

    def type_of(self, column: str) -> pa.DataType:
        _check_column(self._path, column, self._schema.names)
        return self._schema.field(column).type

    def batches(self, column: str) -> Iterator[pa.Array]:
        self._source.seek(0)
        field = self._schema.get_field_index(column)
        reader = self._open(self._source, options=pa.ipc.IpcReadOptions(included_fields=[field], use_threads=False))
        for batch in reader if self._is_stream else map(reader.get_batch, range(reader.num_record_batches)):
            yield from _cut(batch.column(0))

    def close(self) -> None:
        self._source.close()


def _cut(array: pa.Array) -> Iterator[pa.Array]:
    """An array in slices of PART_BYTES each, about."""
    # As bytes, because the reader of text names the row that is not UTF-8.
    array.view(_as_bytes(array.type)).validate(full=True)
    count = max(1, len(array) * PART_BYTES // max(1, byte_count(array)))
    for start in range(0, len(array), count):
        yield array.slice(start, count)


def _as_bytes(kind: pa.DataType) -> pa.DataType:
    """The type with bytes in place of text, if its arrays have the same buffers."""
    if pa.types.is_list(kind):
        return pa.list_(_as_bytes(kind.value_type))
    if pa.types.is_large_list(kind):
        return pa.large_list(_as_bytes(kind.value_type))
    return {pa.string(): pa.binary(), pa.large_string(): pa.large_binary()}.get(kind, kind)


def column_values(path: str, column: str) -> Iterator[pa.Array]:
    """All values of a column of a Parquet or Arrow file.

    Raises:
        FileError: the file can't be read, or has no such column.
    """
    with _explained(path):
        table = _open_table(path)
        try:
            table.type_of(column)
            yield from table.batches(column)
        finally:
            table.close()


def _open_table(path: str) -> Any:
    if not Path(path).exists():
        raise FileError(f"{path}: there is no such file.")
    _refuse_pipe(path)
    if path.lower().endswith(PARQUET):
        return _Parquet(path)
    with Path(path).open("rb") as file:
        is_stream = file.read(6) != b"ARROW1"
    return _Arrow(path, is_stream=is_stream)


def _refuse_pipe(path: str) -> None:
    if is_pipe(path):
        raise FileError(f"{path}: a table is opened more than once; expected a file, not a pipe.")


def _check_column(path: str, column: str, names: list[str]) -> None:
    if column not in names:
        raise FileError(_no_column(path, column, names))
    if names.count(column) > 1:
        raise FileError(f"{path}: there are {names.count(column)} columns {column!r}; expected one.")


def _no_column(path: str, column: str, names: list[str]) -> str:
    return (
        f"{path}: there is no column {column!r}; the columns are {', '.join(names)}. Name the column with "
        f"--reference-column, --prediction-column or, for a committee, --committee-column."
    )


@contextmanager
def _explained(path: str) -> Iterator[None]:
    """Turn Arrow's message on an unreadable file into one line."""
    try:
        yield
    except FileError:
        raise
    except (OSError, ValueError, pa.ArrowException) as error:
        said = str(error).strip().splitlines() or [type(error).__name__]
        raise FileError(
            f"{path}: the table can't be read ({said[0].rstrip('.')}): is it damaged, or another kind of file?"
        ) from None
