"""Clusters of utterances in files: the document, speaker or session of each utterance of the reference.

Conventions
-----------
Every utterance of the reference has an id, counted through all of its files in order. Documents
of CoNLL-U begin at comments `# newdoc`. Sentences before the first comment are a separate document, and each file
begins a new document.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..kernel.errors import FileError
from ..sources.names import is_conllu, is_json, is_table
from ..sources.opening import BYTE_ORDER_MARK, open_file, read_lines
from .columns import column_values

_NEW_DOCUMENT = b"# newdoc"
#: The number of bytes of a file in which the first document is looked for.
_HEAD_BYTES = 1 << 20
_BLOCK_BYTES = 1 << 20


def cluster_file(path: str, utterances: int) -> list[str]:
    """The ids of a file, one per line.

    Raises:
        FileError: the file can't be read, has another number of lines, or a blank line.
    """
    ids = [line.strip() for line in read_lines(path)]
    if len(ids) != utterances:
        raise FileError(f"{path}: {len(ids)} ids for {utterances} utterances; expected one line for each.")
    if "" in ids:
        raise FileError(f"{path}, line {ids.index('') + 1}: there is no id; expected one line for each utterance.")
    return ids


def cluster_column(paths: Sequence[str], column: str) -> pa.Array:
    """The ids in a column of tables.

    Raises:
        FileError: a table can't be read, or has no such column.
    """
    arrays: list[pa.Array] = []
    for path in paths:
        if is_json(path):
            arrays.append(pa.array(list(_json_values(path, column))))
        else:
            arrays.extend(column_values(path, column))
    # A file without rows has a column without a type.
    arrays = [array for array in arrays if len(array)]
    if len({array.type for array in arrays}) > 1:
        arrays = [array.cast(pa.string()) for array in arrays]
    return pa.concat_arrays(arrays) if arrays else pa.nulls(0)


def _json_values(path: str, column: str) -> Iterator[Any]:
    for number, line in enumerate(_lines(path), 1):
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise FileError(f"{path}, line {number}: this is not JSON ({error}).") from None
        if isinstance(row, dict) and column not in row:
            raise FileError(f"{path}, line {number}: there is no column {column!r}; the columns are {', '.join(row)}.")
        value = row[column] if isinstance(row, dict) else None
        if not isinstance(value, (str, int)):
            raise FileError(
                f"{path}, line {number}: the column {column!r} has {value!r}; expected an id, a string or an integer."
            )
        yield str(value)


def _lines(path: str) -> Iterator[bytes]:
    """The lines of a file, without their ends and a byte-order mark; the last one needs no end."""
    with open_file(path) as file:
        held = file.read(len(BYTE_ORDER_MARK)).removeprefix(BYTE_ORDER_MARK)
        while block := file.read(_BLOCK_BYTES):
            *lines, held = (held + block).split(b"\n")
            yield from lines
        if held:
            yield held


def cluster_lines(utterances: int, lines: int) -> npt.NDArray[np.int64]:
    """Clusters of a number of consecutive utterances: an approximation for unknown documents."""
    # A number that no array holds makes one cluster too.
    return np.arange(utterances) // max(1, min(lines, utterances))


def cluster_documents(paths: Sequence[str], text_format: str) -> npt.NDArray[np.int64]:
    """The document of each sentence of CoNLL-U.

    Raises:
        FileError: a file is not CoNLL-U, or is standard input, or no file marks documents.
    """
    ids: list[int] = []
    document, found = 0, False
    for path in paths:
        if is_table(path) or not is_conllu(path, text_format):
            raise FileError(
                f"{path}: this is not CoNLL-U, which marks documents; pass --clusters FILE with an id per line, or "
                f"--cluster-lines N."
            )
        if path == "-":
            raise FileError("standard input can be read only once, and documents need a second pass: name a file.")
        document += 1
        in_sentence = False
        for line in _lines(path):
            if line.startswith(_NEW_DOCUMENT):
                document, found = document + 1, True
            elif not line.strip():
                in_sentence = False
            elif not in_sentence and line[:1].isdigit() and b"." not in line.split(b"\t", 1)[0]:
                in_sentence = True
                ids.append(document)
    if not found:
        raise FileError(
            f"{paths[0]}: no comment '# newdoc' marks documents; pass --clusters FILE with an id per line, or "
            f"--cluster-lines N."
        )
    return np.array(ids, np.int64)


def has_documents(paths: Sequence[str], text_format: str) -> bool:
    """Whether a CoNLL-U file marks documents near its beginning; standard input is not read."""
    for path in paths:
        if path != "-" and is_conllu(path, text_format) and not is_table(path):
            with open_file(path) as file:
                head = file.read(_HEAD_BYTES).removeprefix(BYTE_ORDER_MARK)
            if head.startswith(_NEW_DOCUMENT) or b"\n" + _NEW_DOCUMENT in head:
                return True
    return False
