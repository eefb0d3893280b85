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
    if table is None or (len(table.rows) < _FEWEST_ROWS and not _are_two_rows(table)):
        return None
    has_quotes = table.is_quoted and '"' in head
    # Sentences may have as many commas as each other, and so may numbers, such as 1,000.
    has_numbers = re.search(r"\d,\d", head) is not None
    may_be_sentences = has_numbers or not _has_ids(table)
    if table.separator == "," and not has_quotes and may_be_sentences:
        return None
    # A tab at the beginning or end of each line is whitespace alone.
    filled = [column for column in zip(*table.rows, strict=True) if any(map(str.strip, column))]
    is_mark = _is_mark_at_ends(table) or (table.separator == ";" and re.search(_GREEK, head) is not None)
    if len(filled) == 1 and (table.separator == "\t" or is_mark):
        return None
    return table


def _is_mark_at_ends(table: Delimited) -> bool:
    """Return whether the separator at the ends of a few lines is a mark of tokenised text, before which is a space: `21 ;`."""
    return len(table.rows) < _FEWEST_WITH_MARK and any(row[0].endswith(" ") for row in table.rows)


def _are_two_rows(table: Delimited) -> bool:
    """Return whether two lines have an id, or a text without spaces, a tab, and words behind it."""
    cells = [(row[0], row[-1]) for row in table.rows]
    have_words = all(" " not in first and " " in last.strip() for first, last in cells)
    return table.separator == "\t" and len(cells) > 1 and have_words


def _has_ids(table: Delimited) -> bool:
    """Return whether no space is beside a separator, as in text, and a column has a number or an id in each row but the first."""
    columns = [*zip(*table.rows, strict=True)]
    cells = chain.from_iterable(columns)
    if any(cell != cell.strip() for cell in cells):
        return False
    return any(all(re.fullmatch(r"\S*\d\S*", cell) for cell in column[1:]) for column in columns)
