"""Files with the bytes of the reference, which a user may have named by mistake: predictions, and a vocabulary."""

from __future__ import annotations

import filecmp
import os.path
from collections.abc import Sequence

from ...options.errors import warn
from ...reading.sources.names import Files, is_table, shown_name
from .printing import say


def note_identical(files: Sequence[Files]) -> None:
    """Say which predictions have the same bytes as the reference."""
    reference, *predictions = files
    for side in predictions:
        # A table may have a column for each side.
        are_one_column = not is_table(reference.paths[0]) or reference.column == side.column
        if side.tokenizer is None and are_one_column and _are_same(reference.paths, side.paths):
            say(f"{shown_name(reference.label)} and {shown_name(side.label)} are identical.")


def warn_of_vocabulary(reference: Files, vocabulary: str | None) -> None:
    """Warn if the vocabulary has the same bytes as the reference, so that no reference word is outside it."""
    if vocabulary is not None and _are_same(reference.paths, [vocabulary]):
        received = f"{vocabulary} is the vocabulary, and has the text of the reference: no word of the reference is outside it. "
        warn(f"{received}Expected the words of the training text.")


def _are_same(left: Sequence[object], right: Sequence[object]) -> bool:
    """Return whether files on disk have the same bytes, file by file."""
    if len(left) != len(right):
        return False
    return all(map(_have_same_bytes, left, right))


def _have_same_bytes(left: object, right: object) -> bool:
    """Return whether two files have the same bytes; False of what is no file on disk."""
    if not (isinstance(left, str) and isinstance(right, str)):
        # Files in memory are no strings.
        return False
    if not (os.path.isfile(left) and os.path.isfile(right)):
        return False
    return filecmp.cmp(left, right, shallow=False)
