"""Recognition of tables in words text, of which nothing says that it is a table."""

from __future__ import annotations

import re
from itertools import chain

from .delimited import Delimited, find_table

#: The fewest rows that show a table in a file whose name does not say that it is one.
_FEWEST_ROWS = 3
#: The fewest lines of which each one ends with a separator that is no mark of ordinary text.
_FEWEST_WITH_MARK = 5
#: Letters of Greek, in which a semicolon ends a question.
_GREEK = "[\u0370-\u03ff\u1f00-\u1fff]"


def doubtful_columns(head: str, *, is_whole: bool) -> Delimited | None:
    """Return the table that words text may be, though nothing says that it is one; None if its lines do not look like rows.

    `is_whole` says that the head of the file is all of it.
    """
    table = find_table(head, is_whole=is_whole)
    if table is None:
        return None
    are_enough = len(table.rows) >= _FEWEST_ROWS or _have_ids_and_words(table)
    if not are_enough or _may_be_commas_of_text(table, head) or _is_one_column(table, head):
        return None
    return table


def _have_ids_and_words(table: Delimited) -> bool:
    """Return whether each of several rows has an id, or a text without spaces, and in the last cell words, as `u1→the dog`."""
    has_several_rows = len(table.rows) > 1
    have_words = all(" " not in row[0] and " " in row[-1].strip() for row in table.rows)
    return table.separator == "\t" and has_several_rows and have_words


def _may_be_commas_of_text(table: Delimited, head: str) -> bool:
    """Return whether the separator may be a comma of sentences, which may have equally many, or of numbers, such as 1,000."""
    has_quotes = table.is_quoted and '"' in head
    if table.separator != "," or has_quotes:
        return False
    has_numbers = re.search(r"\d,\d", head) is not None
    return has_numbers or not _has_ids(table)


def _has_ids(table: Delimited) -> bool:
    """Return whether no space is beside a separator, as in text, and a column has a number or an id in each row but the first."""
    columns = [*zip(*table.rows, strict=True)]
    cells = chain.from_iterable(columns)
    if any(cell != cell.strip() for cell in cells):
        return False
    return any(all(re.fullmatch(r"\S*\d\S*", cell) for cell in column[1:]) for column in columns)


def _is_one_column(table: Delimited, head: str) -> bool:
    """Return whether one column alone has text, beside which the separator is whitespace or a mark of the text."""
    columns = zip(*table.rows, strict=True)
    with_text = [column for column in columns if any(map(str.strip, column))]
    if len(with_text) != 1:
        return False
    if table.separator == "\t":
        return True
    ends_questions = table.separator == ";" and re.search(_GREEK, head) is not None
    return ends_questions or _is_mark_at_ends(table)


def _is_mark_at_ends(table: Delimited) -> bool:
    """Return whether the separator at the ends of a few lines is a mark of tokenised text, before which is a space: `21 ;`."""
    return len(table.rows) < _FEWEST_WITH_MARK and any(row[0].endswith(" ") for row in table.rows)
