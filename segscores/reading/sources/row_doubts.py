"""Doubts about the first and the last row of a table: a header that may be data, and a sum of the rows before it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...options.errors import warn
from .column_names import OF_SUMMARIES, may_be_utterance

#: The kinds of sums and means, before their names.
_KINDS_OF_SUMMARIES = frozenset({"grand", "macro", "micro", "weighted"})


def warn_of_header(table: str, names: str, name: str, cells: Sequence[str]) -> None:
    """Warn of a first row that is read as a header, though its cell above the utterances may be one.

    `table` and `names` are those of the table and of its columns for messages, `name` is of the column of utterances, and `cells`
    are the first of these.
    """
    if may_be_utterance(name, cells):
        received = f"row 1 is read as the names of the columns, which are {names}"
        warn(f"{table}: {received}: if it is data, put a row of names before it.")


def warn_of_summary(table: str, row: Sequence[str], beside: Sequence[str]) -> None:
    """Warn of a last row that sums up the rows before it, by its cells beside the utterances of all sides."""
    if any(map(is_summary, beside)):
        received = f"the last row, {', '.join(row)}, is read as an utterance"
        warn(f"{table}: {received}: if it sums up the rows before it, leave it out.")


def is_summary(cell: str) -> bool:
    """Return whether a cell is the name of a row that sums up others.

    >>> is_summary("Total:"), is_summary("Grand total"), is_summary("macro avg"), is_summary("n=12"), is_summary("total war")
    (True, True, True, True, False)
    """
    if re.fullmatch(r"n ?= ?\d+", cell.strip()):
        return True
    words = re.findall(r"\w+", cell.lower())
    has_kind = len(words) > 1 and words[0] in _KINDS_OF_SUMMARIES
    if has_kind:
        words = words[1:]
    return " ".join(words) in OF_SUMMARIES
