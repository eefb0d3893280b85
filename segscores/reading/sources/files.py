"""Sources of files: text, CoNLL-U, JSON lines, Parquet, Arrow files and streams.

The name of a file determines its kind, its first bytes whether it is packed. Text is UTF-8. A line, a sentence or a row is an
utterance. Nothing is opened before a pass begins.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ...kernel.arrays import byte_count, start_of, text_array
from ...kernel.segmentation import NEWLINE
from ...options.errors import FileError, UtteranceError
from ...options.messages import Hint
from ...options.quoting import listed_names
from ...options.table import OPTIONS
from ..formats.format import Sentences
from ..formats.registry import FORMATS, PLAIN, has_documents
from ..inputs import check_rows, read_column
from ..json_values import json_object
from ..reading import Reading
from . import source
from .delimited import Delimited, delimited_of
from .json_lines import read_columns
from .names import (
    ARROW,
    DOCUMENT,
    PARQUET,
    SENTENCE_TEXT,
    Held,
    format_of_name,
    is_json,
    is_table,
    sentence_format,
    shown_name,
    state_of,
    unpacked_name,
)
from .opening import BYTE_ORDER_MARK, Opens, check_line_ends, checked_utf8, open_file, refuse_encodings
from .progress import Progress, is_once, is_pipe
from .source import Batch, Rows, Source, Values

_NEW_DOCUMENT = re.compile(rb"\n(?=# newdoc)")
_BLANK_LINES = re.compile(rb"\n(?:[ \t\r\f\v]*\n)+")
_NOTHING = re.compile(rb"\n(?!)")

# The rows of a batch of Parquet: those that are measured, and the limits of the others.
_FIRST_ROWS = 1 << 5
_FEWEST_ROWS = 1 << 8
_MOST_ROWS = 1 << 13
#: The most bytes of a batch of Parquet or Arrow.
_MOST_BYTES = 1 << 23
_PLAIN = Reading()
#: The bytes at the beginning of JSON lines in which the first value determines the form.
_HEAD_BYTES = 1 << 20
_WORDS = pa.list_(pa.string())


def file_source(
    path: str | Held,
    columns: Sequence[str] = (),
    text_format: str = "words",
    *,
    reading: Reading = _PLAIN,
    format_option: str = "text_format",
    progress: Progress = lambda _: None,
    encoding: str = "",
) -> Source:
    """Return the source of a file, or of standard input for `-`.

    With `reading.documents` an utterance of text or CoNLL-U is a document, as a string; with `whole_files` too the whole file. Of
    a table only the columns are read. `format_option` is the option that gave the text format, for messages. The
    content of text and JSON lines is converted from `encoding`, if it is not empty.
    """
    opens = partial(open_file, path, progress, encoding=encoding)
    sentences = sentence_format(path, text_format)
    row = FORMATS.get(sentences)
    noun = "line"
    first_number = 1
    read: Callable[[], Iterator[Batch]] = lambda: map(Lines, _blocks(path, opens))  # noqa: E731
    delimited = delimited_of(path)
    if delimited is not None:
        noun = "row"
        first_number = 0
        read = partial(_delimited, path, delimited, columns, opens)
    elif is_json(path):
        # JSON's empty lists are lists of labels where the scheme has integers.
        read = partial(_json_lines, path, columns, opens, has_labels=reading.has_integers)
    elif isinstance(path, str) and is_table(path):
        noun = "row"
        first_number = 0
        read = partial(_table, path, columns, progress)
    elif reading.documents and sentences and not has_documents(sentences):
        problem = f" is for lines of text and CoNLL-U, and this is {sentences}."
        raise FileError(f"{path}: ", OPTIONS["documents"], problem)
    elif reading.documents:
        noun = "document"
        read = partial(_documents, path, opens, has_comments=bool(sentences), whole_files=reading.whole_files)
    elif row is not None and row.sentences is not None:
        noun = "sentence"
        further = [name for name in (DOCUMENT, SENTENCE_TEXT) if name in columns]
        columns_of = partial(_sentences, format_option=format_option, further=further)
        read = partial(columns_of, path, row.sentences, reading.tags, opens)
    source = Source(shown_name(path), read, noun, first_number, is_file=True, sentences=sentences)
    source.marks_documents = bool(sentences) and has_documents(sentences)
    source.is_once = is_once(path)
    if is_table(path):
        source.columns = tuple(columns)
    if isinstance(path, Held):
        return source
    return _watched(path, source)


def _watched(path: str, source: Source) -> Source:
    """Return a source of a file that must be the same from the first pass to the end of the last."""
    states: list[tuple[int, ...]] = []

    def check() -> None:
        state = state_of(path)
        if state is not None:
            states.append(state)
            if states[-1] != states[0]:
                raise FileError(f"{path}: the file changed while it was read.")

    def batches() -> Iterator[Batch]:
        check()
        yield from source.batches()
        check()

    return replace(source, batches=batches, check=check)


def _blocks(path: str | Held, opens: Opens, end: bytes = b"\n", size: int | None = None) -> Iterator[bytes]:
    """Yield the bytes of a text in blocks that end with `end`; the last ends with LF."""
    name = shown_name(path)
    if unpacked_name(path).endswith((*PARQUET, *ARROW)):
        problem = "Parquet and Arrow files, which have their own compression, can't be read packed: unpack it."
        raise FileError(f"{path}: {problem}")

    def with_lf(data: bytes) -> bytes:
        if end == b"\n":
            return data
        return data.replace(b"\r\n", b"\n")

    with opens() as file:
        held = file.read(4)
        refuse_encodings(held, name)
        held = with_lf(held.removeprefix(BYTE_ORDER_MARK))
        size = size or source.PIECE_BYTES
        is_first = True
        more = size
        while data := file.read(more):
            if is_first and b"\0" in data:
                refuse_encodings(held + data, name)
            held = with_lf(held + data)
            # Text "a\nb\nc": cut 4, after the last end. Text "abc" without an end: cut 0, less than the end is long.
            cut = held.rfind(end) + len(end)
            if cut < len(end) and b"\0" in data:
                # A NUL is in no text: the reader's error names the line, so its rest is skipped.
                yield held + b"\n"
                while (data := file.read(size)) and b"\n" not in data:
                    pass
                held = data.partition(b"\n")[2]
                is_first = False
                continue
            if cut < len(end):
                more = len(held)  # a long line, or document
                continue
            block = held[:cut]
            held = held[cut:]
            more = size
            if is_first and not held and b"\r" in block:
                held = file.read(1)
                if not held:
                    check_line_ends(block, name)
            is_first = False
            yield block
        if held:
            if is_first:
                check_line_ends(held, name)
            if not held.endswith(b"\n"):
                held += b"\n"
            yield held


def _sentences(
    path: str | Held, form: Sentences, tags: str, opens: Opens, *, format_option: str, further: Sequence[str]
) -> Iterator[Batch]:
    """Yield the sentences, and the further columns: the document of each, as each file begins one, and its text."""
    line = 0
    document = 0
    for block in _blocks(path, opens, form.end, 4 * source.PIECE_BYTES):
        starts = [0]
        if DOCUMENT in further:
            starts += [match.end() for match in _NEW_DOCUMENT.finditer(block)]
        for at, (start, stop) in enumerate(zip(starts, [*starts[1:], len(block)], strict=True)):
            document += at > 0
            texts: list[str] = []
            try:
                utterances = _parse(block[start:stop], form, tags)
                if SENTENCE_TEXT in further and form.texts is not None:
                    texts = form.texts(block[start:stop])
            except UtteranceError as error:
                named = format_of_name(path)
                remedy: tuple[object, ...] = "use ", OPTIONS[format_option].set(PLAIN.name)
                if named is not None:
                    remedy = (f"its name should not end in {named.endings[0]}",)
                then = Hint(" Then ", *remedy, ".") if error.hint else ""
                raise error.in_file(shown_name(path), then, before=line) from None
            line += block.count(b"\n", start, stop)
            columns = {DOCUMENT: [f"{path} {document}"] * len(utterances), SENTENCE_TEXT: texts}
            yield Rows((utterances, *(text_array(columns[name]) for name in further)), is_checked=True)


def _parse(block: bytes, form: Sentences, tags: str) -> pa.Array:
    """Return the utterances of a block of whole sentences."""
    if not form.checks_utf8:
        block = checked_utf8(block)
    return form.parse(block, tags)


def _documents(path: str | Held, opens: Opens, *, has_comments: bool, whole_files: bool) -> Iterator[Batch]:
    """Yield the documents as strings, without documents that have no sentence."""
    end = b"\n"
    separator = _BLANK_LINES
    sentence = re.compile(rb"\S")
    if has_comments:
        end = b"\n\n"
        separator = _NEW_DOCUMENT
        sentence = re.compile(rb"^[^#\s]", re.MULTILINE)
    if whole_files:
        separator = _NOTHING

    def rows(documents: Sequence[bytes]) -> Rows:
        filled = [document for document in documents if sentence.search(document)]
        ends = np.cumsum([0, *map(len, filled)])
        data = pa.py_buffer(b"".join(filled))  # one document alone is not copied
        return Rows((pa.LargeStringArray.from_buffers(len(filled), pa.py_buffer(ends), data),))

    held: list[bytes] = []
    for block in _blocks(path, opens, end):
        # A separator begins with a newline: add one, so that a block may begin with a separator.
        first, *others = separator.split(b"\n" + block)
        held.append(first[1:])
        if others:
            yield rows([b"".join(held), *others[:-1]])
            held = others[-1:]
    yield rows([b"".join(held)])


def _json_lines(path: str | Held, columns: Sequence[str], opens: Opens, *, has_labels: bool) -> Iterator[Batch]:
    """Yield JSON lines, which the thread that reads a batch parses. The first values determine the types."""
    parse = None
    for block in _blocks(path, opens, size=_HEAD_BYTES):
        if parse is None:
            parse = _JsonColumns(tuple((name, _kind_of(path, block, name, has_labels=has_labels)) for name in columns))
        yield Lines(block, parse)


@dataclass(frozen=True)
class _JsonColumns:
    """The parser of columns of JSON lines, by their names and types."""

    kinds: tuple[tuple[str, pa.DataType], ...]

    def __call__(self, block: bytes) -> Sequence[pa.Array]:
        """Return the columns of whole lines; raise an `UtteranceError` if a line is not an object, or has another type."""
        return read_columns(block, dict(self.kinds))


def _kind_of(path: str | Held, block: bytes, column: str, *, has_labels: bool) -> pa.DataType:
    """Return the type of a column, by its first value that has one; if no line has any, a FileError."""
    kind = names = None
    for line in block.split(b"\n"):
        fields = json_object(line)
        names = names or fields
        value = (fields or {}).get(column, ...)
        if value is ...:
            continue
        if isinstance(value, str):
            return pa.string()
        if isinstance(value, int) and not isinstance(value, bool):
            kind = kind or pa.int64()  # an id, unless other lines have utterances
        if isinstance(value, float) and kind in (None, pa.int64()):
            kind = pa.float64()  # such as an age
        if isinstance(value, list):
            kind = pa.list_(pa.int64()) if has_labels else _WORDS
            first = next(iter(value), None)
            if isinstance(first, str):
                return _WORDS
            if isinstance(first, bool):
                return pa.list_(pa.bool_())
            if isinstance(first, int):
                return pa.list_(pa.int64())
        kind = kind or pa.string()
    if kind is None and names:
        raise _no_column(path, column, list(names))
    return kind or pa.string()


def _delimited(path: str | Held, table: Delimited, columns: Sequence[str], opens: Opens) -> Iterator[Batch]:
    """Yield the cells of columns of delimited text, whose readers check that they are UTF-8."""
    from .table_rows import read_rows

    return map(Rows, read_rows(path, table, columns, opens))


def _table(path: str, columns: Sequence[str], progress: Progress) -> Iterator[Batch]:
    if is_pipe(path):
        raise FileError(f"{path}: a table is opened more than once; expected a file, not a pipe.")
    with _explained(path):
        if path.lower().endswith(PARQUET):
            yield from _parquet(path, columns, progress)
        else:
            yield from _arrow(path, columns, progress)


def _parquet(path: str, columns: Sequence[str], progress: Progress) -> Iterator[Batch]:
    from pyarrow import parquet

    with closing(parquet.ParquetFile(path, pre_buffer=False)) as file:
        _check_columns(path, columns, file.schema_arrow)
        # Take the bytes of all columns: pyarrow aborts the process at the metadata of a damaged column.
        size = sum(file.metadata.row_group(group).total_byte_size for group in range(file.num_row_groups))
        rows = min(_MOST_ROWS, max(_FEWEST_ROWS, file.metadata.num_rows * source.PIECE_BYTES // max(1, size)))
        # Select columns by name afterwards: "a.b" here selects both a column of this name and the field b of a column a.
        batches = partial(file.iter_batches, columns=list(dict.fromkeys(columns)), use_threads=False)
        # Measure the first rows: repeated values take almost no space in the file, but do in memory.
        first = next(batches(batch_size=_FIRST_ROWS), file.schema_arrow.empty_table())
        rows = min(rows, max(1, len(first) * _MOST_BYTES // max(1, *map(byte_count, first.columns))))
        for batch in batches(batch_size=rows):
            yield from _validated(batch, columns, progress)


def _arrow(path: str, columns: Sequence[str], progress: Progress) -> Iterator[Batch]:
    # Do not map the file into memory: its pages would count as memory of this process.
    with closing(pa.OSFile(path)) as file:
        is_file = file.read(6) == b"ARROW1"
        file.seek(0)
        open_ = pa.ipc.open_file if is_file else pa.ipc.open_stream
        schema = open_(file).schema
        _check_columns(path, columns, schema)
        wanted = sorted({schema.get_field_index(name) for name in columns})
        file.seek(0)
        reader = open_(file, options=pa.ipc.IpcReadOptions(included_fields=wanted, use_threads=False))
        batches = reader
        if is_file:
            batches = map(reader.get_batch, range(reader.num_record_batches))
        for batch in batches:
            yield from _validated(batch, columns, progress)


def _validated(batch: pa.RecordBatch, columns: Sequence[str], progress: Progress) -> Iterator[Rows]:
    """Yield the columns, whose offsets stay within the data, in batches that take little memory when they are decoded."""
    arrays = tuple(batch.column(name) for name in columns)
    for array in arrays:
        # Validate texts as bytes, because the reader of text names the row that is not UTF-8.
        array.view(_as_bytes(array.type)).validate(full=True)
    waiting = [Rows(arrays)]
    while waiting:
        rows = waiting.pop()
        if rows.nbytes > _MOST_BYTES and len(rows) > 1:
            half = len(rows) // 2
            waiting += [rows.cut(half, len(rows)), rows.cut(0, half)]
        else:
            progress(rows.nbytes)
            yield rows


def _as_bytes(kind: pa.DataType) -> pa.DataType:
    """Return the type with bytes in place of text, if its arrays have the same buffers."""
    if pa.types.is_list(kind):
        return pa.list_(_as_bytes(kind.value_type))
    if pa.types.is_large_list(kind):
        return pa.large_list(_as_bytes(kind.value_type))
    return {pa.string(): pa.binary(), pa.large_string(): pa.large_binary()}.get(kind, kind)


def _check_columns(path: str, columns: Sequence[str], schema: pa.Schema) -> None:
    for column in columns:
        count = schema.names.count(column)
        if not count:
            raise _no_column(path, column, schema.names)
        if count > 1:
            raise FileError(f"{path}: there are {count} columns {column!r}; expected one.")


def _no_column(path: str | Held, column: str, names: Sequence[str]) -> FileError:
    return FileError(
        f"{path}: there is no column {column!r}; the columns are {listed_names(names)}.",
        Hint(" Name the column with ", OPTIONS["columns"], " REFERENCE,PREDICTION"),
        Hint(" or, for a committee, ", OPTIONS["committee_column"]),
        ".",
    )


@contextmanager
def _explained(path: str) -> Iterator[None]:
    """Turn Arrow's message on an unreadable file into one line."""
    try:
        yield
    except FileError:
        raise
    except FileNotFoundError:
        raise FileError(f"{path}: there is no such file.") from None
    except (OSError, ValueError, pa.ArrowException) as error:
        problem, *_ = str(error).strip().splitlines() or [type(error).__name__]
        hint = "is it damaged, or another kind of file?"
        raise FileError(f"{path}: the table can't be read ({problem.rstrip('.')}): {hint}") from None


#: Decodes the columns of whole lines of JSON.
Parse: TypeAlias = Callable[[bytes], Sequence[pa.Array]]


class Lines:
    """Lines of text or JSON: bytes of a file, which are not copied until a thread decodes them.

    `parse` decodes the columns of JSON lines; text is its own column. The ends of lines are computed when they are cut.
    """

    def __init__(
        self, data: bytes | memoryview, parse: Parse | None = None, ends: npt.NDArray[np.int64] | None = None
    ) -> None:
        self._data = data
        self.kind = parse
        self._ends = ends
        self._count = int(np.count_nonzero(self._is_end)) if ends is None else len(ends)

    @property
    def _is_end(self) -> npt.NDArray[np.bool_]:
        return np.asarray(np.frombuffer(self._data, np.uint8) == NEWLINE)

    def __len__(self) -> int:
        return self._count

    @property
    def nbytes(self) -> int:
        return len(self._data)

    def cut(self, start: int, stop: int) -> Lines:
        if self._ends is None:
            self._ends = np.flatnonzero(self._is_end) + 1
        # Text "a\nb\nc\n": ends 2, 4, 6; the lines from 1 to before 3 are the bytes from 2 to before 6, with ends 2, 4
        first = start_of(self._ends, start)
        last = start_of(self._ends, stop)
        return Lines(memoryview(self._data)[first:last], self.kind, self._ends[start:stop] - first)

    @cached_property
    def _decoded(self) -> bytes | Sequence[pa.Array]:
        text = checked_utf8(bytes(self._data))
        if self.kind is None:
            return text
        return self.kind(text)

    def decode(self, at: int, side: str, first: int) -> Values:
        decoded = self._decoded
        if isinstance(decoded, bytes):
            return decoded
        check_rows(decoded[at], side)
        return read_column(decoded[at], side, first)

    def raw(self, at: int) -> pa.Array:
        decoded = self._decoded
        if isinstance(decoded, bytes):
            return pa.array(decoded.decode().split("\n")[:-1], pa.large_string())
        return decoded[at]

    def join(self, others: Sequence[Any]) -> Lines:
        return Lines(b"".join(batch._data for batch in (self, *others)), self.kind)
