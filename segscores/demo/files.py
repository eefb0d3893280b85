"""Files: what visitors upload, as the text that a box can show."""

from __future__ import annotations

__all__ = ["is_arrow_stream", "text_of_file"]

import json
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
from pyarrow import parquet

from ..corpora.names import ARROW, PARQUET
from ..corpora.opening import FileError, checked_utf8, open_file, refuse_encodings
from ..kernel.errors import UtteranceError
from .reading import MAX_CHARACTERS, MAX_FILE_BYTES, BoxError

#: A character takes up to four bytes of UTF-8.
_MOST_BYTES = 4 * MAX_CHARACTERS


def text_of_file(box: str, path: Path) -> str:
    """The text of a file of any kind that the command reads: UTF-8, plain or compressed (gzip, zstd, bz2), or a table.

    Args:
        box: the box that errors are about.
        path: of the file.

    Returns:
        The text. A table (Parquet, Arrow) becomes JSON lines with its columns of texts and lists.

    Raises:
        BoxError: it is too long, or can't be read. Decompression stops at the limit of the page.
    """
    name = path.name
    size = path.stat().st_size
    if size > MAX_FILE_BYTES:
        raise BoxError(box, f"{name} has {size:,} bytes; this page takes {MAX_FILE_BYTES:,}. Use the command for it.")
    try:
        if name.lower().endswith((*PARQUET, *ARROW)):
            return _json_lines(box, path)
        with open_file(str(path)) as file:
            block = file.read(_MOST_BYTES + 1)
        if len(block) > _MOST_BYTES:
            raise BoxError(box, _too_long(name))
        refuse_encodings(block[:4], name)
        text = checked_utf8(block).decode().removeprefix("\ufeff")
    except UtteranceError as error:
        raise BoxError(box, f"{name}, line {error.utterance + 1}: {error.detail}") from None
    except FileError as error:
        # The name of the file on the server is not for visitors.
        raise BoxError(box, str(error).replace(str(path), name)) from None
    if len(text) > MAX_CHARACTERS:
        raise BoxError(box, _too_long(name))
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise BoxError(box, f"{name}, line {line}: there is a NUL character (U+0000), which no text has.")
    return text.replace("\r\n", "\n")


def is_arrow_stream(path: Path) -> bool:
    """Whether a file holds a stream of Arrow, by its name and its first bytes."""
    if not path.name.lower().endswith(ARROW):
        return False
    with path.open("rb") as file:
        return not _is_arrow_file(file)


def _is_arrow_file(file: BinaryIO) -> bool:
    """Whether an opened table of Arrow has the file format, not the stream format."""
    is_file = file.read(6) == b"ARROW1"
    file.seek(0)
    return is_file


def _too_long(name: str) -> str:
    return f"{name} holds more than the {MAX_CHARACTERS:,} characters that this page takes. Use the command for it."


def _json_lines(box: str, path: Path) -> str:
    """The rows of a table as JSON lines."""
    lines: list[str] = []
    length = 0
    try:
        with path.open("rb") as file:
            for batch in _batches(file, path.name.lower()):
                for row in batch.to_pylist():
                    lines.append(json.dumps(row, ensure_ascii=False))
                    length += len(lines[-1]) + 1
                if length > MAX_CHARACTERS:
                    raise BoxError(box, _too_long(path.name))
    except (pa.ArrowException, OSError, ValueError) as error:
        if isinstance(error, BoxError):
            raise
        said = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise BoxError(
            box, f"{path.name}: the table can't be read ({said.rstrip('.')}): is it damaged, or of another kind?"
        ) from None
    return "\n".join(lines)


def _batches(file: Any, name: str) -> Any:
    """The rows of a table in batches, with the columns that hold texts or lists.

    Raises:
        ValueError: the uncompressed table takes too much memory, or it has no such column.
    """
    if name.endswith(PARQUET):
        table = parquet.ParquetFile(file)
        size = sum(table.metadata.row_group(index).total_byte_size for index in range(table.metadata.num_row_groups))
        if size > _MOST_BYTES:
            raise ValueError(f"its columns have {size:,} bytes, this page takes {_MOST_BYTES:,}")
        return table.iter_batches(batch_size=256, columns=_columns(table.schema_arrow))
    is_file = _is_arrow_file(file)
    reader = pa.ipc.open_file(file) if is_file else pa.ipc.open_stream(file)
    names = _columns(reader.schema)
    batches = (reader.get_batch(index) for index in range(reader.num_record_batches)) if is_file else reader
    return (batch.select(names).slice(start, 256) for batch in batches for start in range(0, len(batch), 256))


def _columns(schema: pa.Schema) -> list[str]:
    """The columns that hold texts or lists of texts.

    Raises:
        ValueError: there is no such column.
    """

    def is_text(kind: pa.DataType) -> bool:
        return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))

    def is_read(kind: pa.DataType) -> bool:
        is_list = pa.types.is_list(kind) or pa.types.is_large_list(kind)
        return is_text(kind) or bool(is_list and is_text(kind.value_type))

    names = [field.name for field in schema if is_read(field.type)]
    if not names:
        raise ValueError(f"no column holds texts or lists of words; the columns are {', '.join(schema.names)}")
    return names
