"""Small files: the lines of two plain files, where nothing about the files or in their first lines needs a look.

All else (a table, a packed file, a pipe, another encoding, a form that is not the named one, a doubt, an error) is for `sides`,
which says what is wrong. So this module writes no message.
"""

from __future__ import annotations

import os
from typing import Any

from ..formats.binary import LONGEST_BEGINNING, binary_form
from ..formats.messages import may_end_with_message
from ..formats.registry import FORMATS, recognise
from ..quick_look import may_be_doubtful
from ..readers import has_boundary
from ..reading import Reading
from .likely_tables import doubtful_columns
from .opening import END_MARK

#: Larger files take more than a piece.
_MOST_BYTES = 1 << 19
#: The endings of names that say nothing about what is in a file.
_PLAIN_ENDINGS = ("", ".txt")
#: Parts of the names of most files with references.
_WORDS_OF_REFERENCES = ("gold", "ref", "true", "truth", "target")


def small_blocks(references: Any, predictions: Any, reading: Reading) -> tuple[bytes, bytes] | None:
    """Return the lines of the file of each side, each with its newline; None if `sides` must look at them.

    The naive equivalent is the text of the files, as `open_inputs` opens them.
    """
    if not (_is_plain_path(references) and _is_plain_path(predictions)):
        return None
    # A prediction with the name of a reference may be in its place by mistake.
    name = os.fspath(predictions).lower()
    for word in _WORDS_OF_REFERENCES:
        if word in name:
            return None
    blocks = []
    for path in (references, predictions):
        if os.path.getsize(path) > _MOST_BYTES:
            return None
        with open(path, "rb") as file:
            block = file.read()
        if not _is_ordinary(block, reading):
            return None
        blocks.append(block if block.endswith(b"\n") else block + b"\n")
    reference, prediction = blocks
    if reference.count(b"\n") != prediction.count(b"\n"):
        return None
    return reference, prediction


def _is_plain_path(value: Any) -> bool:
    """Return whether a value is the path of a regular file whose name says nothing about what is in it."""
    if not isinstance(value, os.PathLike):
        return False
    path = os.fspath(value)
    _, ending = os.path.splitext(path)
    is_input = path == "-"  # standard input, though a file may be called so
    return not is_input and ending in _PLAIN_ENDINGS and os.path.isfile(path)


def _is_ordinary(block: bytes, reading: Reading) -> bool:
    """Return whether the lines have the named form, and nothing in them makes `sides` warn or stop.

    An encoding other than UTF-8 raises an error, as a NUL does in the readers: the caller then asks `sides`, which says what is
    wrong.
    """
    has_other_ends = b"\r" in block or block.endswith(END_MARK)
    if not block or has_other_ends:
        return False
    text = block.decode()
    row, evidence = recognise(text)
    if evidence is not None and row.name != reading.text_format:
        return False
    mark = FORMATS[reading.text_format].mark
    if mark is not None:
        # `sides` warns where the mark between words never occurs. In any text the end may be a message; the other doubts
        # below are of words text.
        return has_boundary(text, mark(reading)) and not may_end_with_message(block)
    has_columns = doubtful_columns(text, is_whole=True) is not None
    return not (has_columns or may_be_doubtful(block) or binary_form(block[:LONGEST_BEGINNING]))
