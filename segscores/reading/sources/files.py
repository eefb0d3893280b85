"""Sources of files: text, CoNLL-U, JSON lines, Parquet, Arrow files and streams.

The name of a file determines its kind, its first bytes whether it is packed. Text is UTF-8. A line, a sentence or a row is an
utterance. Nothing is opened before a pass begins.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from ...kernel.arrays import byte_count, text_array
from ...options.errors import FileError, UtteranceError
from ...options.messages import Hint
from ...options.quoting import listed_names
from ...options.table import OPTIONS
from ..formats.format import Sentences
from ..formats.registry import FORMATS, PLAIN, has_documents
from ..reading import Reading
from . import source
from .delimited import Delimited, delimited_of
from .json_lines import JsonColumns, first_fields, kind_of_column
from .lines import Lines
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
from .opening import (
    BYTE_ORDER_MARK,
    END_MARK,
    OpenFile,
    Opens,
    check_line_ends,
    checked_utf8,
    open_file,
    refuse_encodings,
)
from .progress import Progress, is_once, is_pipe
from .source import Batch, Rows, Source

_NEW_DOCUMENT = re.compile(rb"\n(?=# newdoc)")
_BLANK_LINES = re.compile(rb"\n(?:[ \t\r\f\v]*\n)+")
_NOTHING = re.compile(rb"(?!)")  #: matches nowhere

# The rows of a batch of Parquet: those that are measured, and the limits of the others.
_FIRST_ROWS = 1 << 5
_FEWEST_ROWS = 1 << 8
_MOST_ROWS = 1 << 13
#: The most bytes of a batch of Parquet or Arrow.
_MOST_BYTES = 1 << 23
#: The bytes at the beginning of an Arrow file; a stream has others.
_ARROW_FILE = b"ARROW1"
_PLAIN = Reading()
#: The bytes at the beginning of JSON lines in which the first value determines the form.
_HEAD_BYTES = 1 << 20


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
    format_of_sentences = sentence_format(path, text_format)
    delimited = delimited_of(path)
    if delimited is not None:
        read = partial(_delimited, path, delimited, columns, opens)
        stream = _Stream(noun="row", first_number=0, read=read)
    elif is_json(path):
        # JSON's empty lists are lists of labels where the scheme has integers.
        read = partial(_json_lines, path, columns, opens, has_labels=reading.has_integers)
        stream = _Stream(noun="line", first_number=1, read=read)
    elif isinstance(path, str) and is_table(path):
        # Parquet and Arrow are left of the tables, which are read from a path alone: no such table is held in memory.
        stream = _Stream(noun="row", first_number=0, read=partial(_table, path, columns, progress))
    elif reading.documents:
        stream = _stream_of_documents(path, format_of_sentences, opens, whole_files=reading.whole_files)
    elif format_of_sentences:
        parser = FORMATS[format_of_sentences].sentences
        assert parser is not None  # of the formats with several lines per utterance
        # The words are the first column. These come after them, always in this order.
        further_columns = [name for name in (DOCUMENT, SENTENCE_TEXT) if name in columns]
        read = partial(
            _sentences, path, parser, reading.tags, opens, format_option=format_option, further_columns=further_columns
        )
        stream = _Stream(noun="sentence", first_number=1, read=read)
    else:
        stream = _Stream(noun="line", first_number=1, read=lambda: map(Lines, _blocks(path, opens)))
    source = Source(
        shown_name(path),
        batches=stream.read,
        noun=stream.noun,
        first_number=stream.first_number,
        is_file=True,
        sentence_format=format_of_sentences,
    )
    source.marks_documents = bool(format_of_sentences) and has_documents(format_of_sentences)
    source.is_once = is_once(path)
    if is_table(path):
        source.columns = tuple(columns)
    if isinstance(path, Held):
        return source  # what is in memory does not change
    return _watched(path, source)


class _Stream(NamedTuple):
    """The utterances of a file, and how messages name them."""

    noun: str  #: for one utterance
    first_number: int
    read: Callable[[], Iterator[Batch]]  #: begins a pass


def _stream_of_documents(path: str | Held, format_of_sentences: str, opens: Opens, *, whole_files: bool) -> _Stream:
    """Return the stream of documents of text or, if `format_of_sentences` is not empty, of this format, which marks them."""
    if format_of_sentences and not has_documents(format_of_sentences):
        problem = f" is for lines of text and CoNLL-U, and this is {format_of_sentences}."
        raise FileError(f"{path}: ", OPTIONS["documents"], problem)
    # CoNLL-U marks a document by a comment, `# newdoc`; in text, a blank line stands between documents.
    read = partial(_documents, path, opens, has_comments=bool(format_of_sentences), whole_files=whole_files)
    return _Stream(noun="document", first_number=1, read=read)


def _watched(path: str, source: Source) -> Source:
    """Return a source of a file that must be the same from the first pass to the end of the last."""
    first_state: tuple[int, ...] | None = None

    def check() -> None:
        """Raise an error if the file is not as it was at the first check; a pipe or a device has no state to compare."""
        nonlocal first_state
        state = state_of(path)
        if state is None:
            return
        if first_state is None:
            first_state = state
        if state != first_state:
            raise FileError(f"{path}: the file changed while it was read.")

    def batches() -> Iterator[Batch]:
        """Yield the batches of the source, between two checks."""
        check()
        yield from source.batches()
        check()

    return replace(source, batches=batches, check=check)


def _blocks(path: str | Held, opens: Opens, end: bytes = b"\n", size: int | None = None) -> Iterator[bytes]:
    """Yield the bytes of a text in blocks that end with `end`; the last block ends with LF.

    The text "a\\nb\\nc", read 4 bytes at a time, makes the blocks "a\\nb\\n" and "c\\n".

    Args:
        end: LF, or what ends a sentence of several lines: LF LF is a blank line.
        size: how many bytes to read at a time; None: as many as a piece has.
    """
    if unpacked_name(path).endswith((*PARQUET, *ARROW)):
        problem = "Parquet and Arrow files, which have their own compression, can't be read packed: unpack it."
        raise FileError(f"{path}: {problem}")
    with opens() as file:
        yield from _blocks_of(file, shown_name(path), end, size or source.PIECE_BYTES)


def _blocks_of(file: OpenFile, name: str, end: bytes, size: int) -> Iterator[bytes]:
    """Yield the blocks of an open file: see `_blocks`."""
    beginning = file.read(4)  # as long as the longest mark of an encoding
    refuse_encodings(beginning, name)
    # The bytes that were read and are in no block yet.
    held = _with_plain_line_ends(beginning.removeprefix(BYTE_ORDER_MARK), end)
    is_first = True  # whether no block was yielded before
    next_size = size
    while data := file.read(next_size):
        if is_first and b"\0" in data:
            refuse_encodings(held + data, name)
        held = _with_plain_line_ends(held + data, end)
        cut = _cut_after_last(end, held)
        has_end = cut > 0
        if not has_end and b"\0" in data:
            # A NUL is in no text. The reader's error names the line, so the rest of the line is not needed.
            yield held + b"\n"
            held = _skip_line(file, size)
            is_first = False
        elif not has_end:
            # A long line or sentence has no end yet. Read as many bytes again as are held, so that few reads find the end.
            next_size = len(held)
        else:
            block = held[:cut]
            held = held[cut:]
            next_size = size
            # The lines of the whole text `a\rb\rc\n` end in CR, which is refused; the block `a\rb\rc\n` of a longer text is one
            # line. One more byte, which the next block begins with, shows which of the two it is.
            may_be_whole = is_first and not held
            if may_be_whole and b"\r" in block:
                held = file.read(1)
                is_whole = not held
                if is_whole:
                    check_line_ends(block, name)
            is_first = False
            yield block
    held = held.rstrip(END_MARK)
    if held:
        if is_first:
            check_line_ends(held, name)
        if not held.endswith(b"\n"):
            held += b"\n"
        yield held


def _with_plain_line_ends(text: bytes, end: bytes) -> bytes:
    """Return a text with LF for CRLF, so that the `end` of a block is found, as "\\n\\n" in "a\\r\\n\\r\\nb"."""
    if end == b"\n":
        return text  # LF is found in CRLF too
    return text.replace(b"\r\n", b"\n")


def _cut_after_last(end: bytes, text: bytes) -> int:
    """Return the offset after the last `end` in a text; 0 if there is none. After the last LF of "a\\nb\\nc" it is 4."""
    last = text.rfind(end)
    if last < 0:
        return 0
    return last + len(end)


def _skip_line(file: OpenFile, size: int) -> bytes:
    """Read to the end of a line, `size` bytes at a time, and return what was read after it."""
    while data := file.read(size):
        if b"\n" in data:
            break
    _, _, rest = data.partition(b"\n")
    return rest


def _sentences(
    path: str | Held, parser: Sentences, tags: str, opens: Opens, *, format_option: str, further_columns: Sequence[str]
) -> Iterator[Batch]:
    """Yield the sentences, and the further columns: the document of each, as each file begins one, and its text.

    `tags` is the column of tags, empty for words alone. The name of a document is the path and its number: "gold.conllu 0".
    """
    lines_before = 0
    document = 0
    # About a quarter of the bytes are words, so that the words of a block are about as large as a piece.
    for block in _blocks(path, opens, parser.end, size=4 * source.PIECE_BYTES):
        parts = [block]
        if DOCUMENT in further_columns:
            parts = _split_at_documents(block)
        for part in parts:
            # The comment before the first sentence of a file begins the document 0, as the file itself does.
            is_first_part = lines_before == 0
            if part.startswith(DOCUMENT.encode()) and not is_first_part:
                document += 1
            texts: list[str] = []
            try:
                utterances = _parse(part, parser, tags)
                if SENTENCE_TEXT in further_columns and parser.texts is not None:
                    texts = parser.texts(part)
            except UtteranceError as error:
                # A hint says to read the file as words text, or to name another file. The remedy says how to set the format then.
                remedy = _format_remedy(path, format_option) if error.hint else ""
                raise error.in_file(shown_name(path), remedy, before=lines_before) from None
            lines_before += part.count(b"\n")
            columns = {DOCUMENT: [f"{path} {document}"] * len(utterances), SENTENCE_TEXT: texts}
            yield Rows((utterances, *(text_array(columns[name]) for name in further_columns)), is_checked=True)


def _split_at_documents(block: bytes) -> list[bytes]:
    """Return the parts of a block, of which each but the first begins with the comment that begins a document.

    The first part begins so too if a document ends with the block before; else it continues that document.
    """
    starts = [0, *(match.end() for match in _NEW_DOCUMENT.finditer(block))]
    stops = [*starts[1:], len(block)]
    return [block[start:stop] for start, stop in zip(starts, stops, strict=True)]


def _format_remedy(path: str | Held, format_option: str) -> Hint:
    """Return the advice to read a file as words text: " Then its name should not end in .conllu." if the name is the reason."""
    named = format_of_name(path)
    if named is None:
        return Hint(" Then use ", OPTIONS[format_option].set(PLAIN.name), ".")
    usual_ending, *_ = named.endings
    return Hint(f" Then its name should not end in {usual_ending}.")


def _parse(block: bytes, parser: Sentences, tags: str) -> pa.Array:
    """Return the utterances of a block of whole sentences; `tags` is the column of tags, empty for words alone."""
    if not parser.checks_utf8:
        block = checked_utf8(block)
    return parser.parse(block, tags)


def _documents(path: str | Held, opens: Opens, *, has_comments: bool, whole_files: bool) -> Iterator[Batch]:
    """Yield the documents as strings, without documents that have no sentence.

    Blank lines separate the documents of text; with comments, as in CoNLL-U, a comment begins a document.
    """
    block_end = b"\n"
    separator = _BLANK_LINES
    content = re.compile(rb"\S")
    if has_comments:
        block_end = b"\n\n"
        separator = _NEW_DOCUMENT
        content = re.compile(rb"^[^#\s]", re.MULTILINE)
    if whole_files:
        separator = _NOTHING

    def rows(documents: Sequence[bytes]) -> Rows:
        """Return a batch of the documents that have a sentence."""
        filled = [document for document in documents if content.search(document)]
        offsets = np.cumsum([0, *map(len, filled)])
        data = pa.py_buffer(b"".join(filled))  # one document alone is not copied
        return Rows((pa.LargeStringArray.from_buffers(len(filled), pa.py_buffer(offsets), data),))

    # The pieces of a document whose end was not read yet.
    held: list[bytes] = []
    for block in _blocks(path, opens, block_end):
        # A separator begins with a newline: add one, so that a block may begin with a separator.
        first, *others = separator.split(b"\n" + block)
        held.append(first[1:])  # without the added newline
        if others:
            *whole, last = others
            yield rows([b"".join(held), *whole])
            held = [last]
    yield rows([b"".join(held)])


def _json_lines(path: str | Held, columns: Sequence[str], opens: Opens, *, has_labels: bool) -> Iterator[Batch]:
    """Yield JSON lines, which the thread that reads a batch parses. The first values determine the types."""
    parse = None
    for block in _blocks(path, opens, size=_HEAD_BYTES):
        if parse is None:
            parse = JsonColumns(tuple((name, _kind_of(path, block, name, has_labels=has_labels)) for name in columns))
        yield Lines(block, parse)


def _kind_of(path: str | Held, block: bytes, column: str, *, has_labels: bool) -> pa.DataType:
    """Return the type of a column of JSON lines; that of strings if no line has any field. Raise if others have fields."""
    kind = kind_of_column(block, column, has_labels=has_labels)
    if kind is not None:
        return kind
    fields = first_fields(block)
    if fields:
        raise _no_column(path, column, fields)
    return pa.string()


def _delimited(path: str | Held, table: Delimited, columns: Sequence[str], opens: Opens) -> Iterator[Batch]:
    """Yield the cells of columns of delimited text, whose readers check that they are UTF-8."""
    from .table_rows import read_rows

    return map(Rows, read_rows(path, table, columns, opens))


def _table(path: str, columns: Sequence[str], progress: Progress) -> Iterator[Batch]:
    """Yield the columns of a file of Parquet or Arrow."""
    if is_pipe(path):
        raise FileError(f"{path}: a table is opened more than once; expected a file, not a pipe.")
    with _explained(path):
        if path.lower().endswith(PARQUET):
            yield from _parquet(path, columns, progress)
        else:
            yield from _arrow(path, columns, progress)


def _parquet(path: str, columns: Sequence[str], progress: Progress) -> Iterator[Batch]:
    """Yield the columns of a file of Parquet, in batches of about as many bytes as a piece has."""
    from pyarrow import parquet

    with closing(parquet.ParquetFile(path, pre_buffer=False)) as file:
        _check_columns(path, columns, file.schema_arrow)
        # Take the bytes of all columns: pyarrow aborts the process at the metadata of a damaged column.
        size = sum(file.metadata.row_group(group).total_byte_size for group in range(file.num_row_groups))
        rows_of_piece = file.metadata.num_rows * source.PIECE_BYTES // max(1, size)
        row_count = min(_MOST_ROWS, max(_FEWEST_ROWS, rows_of_piece))
        # Select columns by name afterwards: "a.b" here selects both a column of this name and the field b of a column a.
        batches = partial(file.iter_batches, columns=list(dict.fromkeys(columns)), use_threads=False)
        # Measure the first rows: repeated values take almost no space in the file, but do in memory.
        first_rows = next(batches(batch_size=_FIRST_ROWS), None)
        if first_rows is None:
            return  # there are none
        bytes_of_largest_column = max(1, *map(byte_count, first_rows.columns))
        rows_in_memory = len(first_rows) * _MOST_BYTES // bytes_of_largest_column
        row_count = min(row_count, max(1, rows_in_memory))
        for batch in batches(batch_size=row_count):
            yield from _validated(batch, columns, progress)


def _arrow(path: str, columns: Sequence[str], progress: Progress) -> Iterator[Batch]:
    """Yield the columns of an Arrow file, which has a list of its batches, or of an Arrow stream."""
    # Do not map the file into memory: its pages would count as memory of this process.
    with closing(pa.OSFile(path)) as file:
        is_file = file.read(len(_ARROW_FILE)) == _ARROW_FILE
        file.seek(0)
        open_ = pa.ipc.open_file if is_file else pa.ipc.open_stream
        schema = open_(file).schema
        _check_columns(path, columns, schema)
        wanted = sorted({schema.get_field_index(name) for name in columns})  # each once: both sides may be one column
        file.seek(0)  # the schema was read
        reader = open_(file, options=pa.ipc.IpcReadOptions(included_fields=wanted, use_threads=False))
        batches = reader
        if is_file:
            batches = (reader.get_batch(number) for number in range(reader.num_record_batches))
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
            # The first half is last in the list, from which it is taken next.
            waiting += [rows.cut(half, len(rows)), rows.cut(0, half)]
        else:
            progress(rows.nbytes)
            yield rows


def _as_bytes(kind: pa.DataType) -> pa.DataType:
    """Return the type with bytes in place of text, where arrays of both types have the same buffers; else the type itself."""
    if pa.types.is_list(kind):
        return pa.list_(_as_bytes(kind.value_type))
    if pa.types.is_large_list(kind):
        return pa.large_list(_as_bytes(kind.value_type))
    return {pa.string(): pa.binary(), pa.large_string(): pa.large_binary()}.get(kind, kind)


def _check_columns(path: str, columns: Sequence[str], schema: pa.Schema) -> None:
    """Check that a table has each column once."""
    for column in columns:
        count = schema.names.count(column)
        if not count:
            raise _no_column(path, column, schema.names)
        if count > 1:
            raise FileError(f"{path}: there are {count} columns {column!r}; expected one.")


def _no_column(path: str | Held, column: str, names: Sequence[str]) -> FileError:
    """Return the error of a column that is not among the names of the columns of a file."""
    return FileError(
        f"{path}: there is no column {column!r}; the columns are {listed_names(names)}.",
        Hint(
            " Name the column with ",
            OPTIONS["columns"],
            " REFERENCE,PREDICTION",
            Hint(" or, for a committee, ", OPTIONS["committee_column"]),
            ".",
        ),
    )


@contextmanager
def _explained(path: str) -> Iterator[None]:
    """Turn Arrow's message on an unreadable file into one line."""
    try:
        yield
    except FileError:
        raise  # a ValueError that says what is wrong
    except FileNotFoundError:
        raise FileError(f"{path}: there is no such file.") from None
    except (OSError, ValueError, pa.ArrowException) as error:
        # The first line of Arrow's message says what is wrong; a message may be empty.
        problem, *_ = str(error).strip().splitlines() or [type(error).__name__]
        hint = "is it damaged, or another kind of file?"
        raise FileError(f"{path}: the table can't be read ({problem.rstrip('.')}): {hint}") from None
