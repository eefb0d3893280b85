"""Signs around all lines but one, which may be a title before a list, or a line that a program has written among them."""

from __future__ import annotations

from collections.abc import Sequence

from .format import Evidence
from .frames import find_end_marks, find_frame
from .signs import SENTENCE_ENDS, Line, first_lines, first_rows
from .surroundings import find_ids, find_ids_at_ends, find_marks, find_scores, shape_of

#: The fewest lines with signs that show them, below a title and around any other line.
_FEWEST_BELOW = 5
_FEWEST_AROUND = 11
_FIND_IN_ALL_LINES = (find_marks, find_end_marks, find_scores, find_ids, find_ids_at_ends, find_frame)


def find_all_but_one(text: str) -> Evidence | None:
    """Find marks, ids or scores around all lines but one.

    >>> find_all_but_one("My data\\n- the dog\\n- a cat\\n- it is\\n- so\\n- no it is\\n").sign
    "line 2 is '- the dog'"
    """
    lines = first_lines(text)
    if len(lines) <= _FEWEST_BELOW:
        return None
    rows = first_rows(text)
    others = _all_but_one(lines, [row[0] for row in rows]) or _all_but_one(lines, [row[-1] for row in rows])
    if not others:
        return None
    # Blank lines keep the numbers of lines.
    text_of_line = {line.number: line.text for line in others}
    text_of_others = "\n".join(text_of_line.get(number, "") for number in range(1, lines[-1].number + 1))
    found = (find(text_of_others) for find in _FIND_IN_ALL_LINES)
    return next((evidence for evidence in found if evidence is not None), None)


def _all_but_one(lines: Sequence[Line], tokens: Sequence[str]) -> Sequence[Line]:
    """Return the lines whose token, the first or the last one, has one shape, if a single line's has another; or no line.

    No line is returned either if the shape is ordinary.
    """
    first, second, third = map(shape_of, tokens[:3])
    usual = first if first in (second, third) else second
    # Most texts are ordinary: few need a look at all lines.
    if usual.isalpha() or usual in SENTENCE_ENDS:
        return []
    apart = [line for line, token in zip(lines, tokens, strict=True) if shape_of(token) != usual]
    if len(apart) != 1:
        return []
    others = [line for line in lines if line not in apart]
    fewest = _FEWEST_BELOW if apart[0] is lines[0] else _FEWEST_AROUND
    return others if len(others) >= fewest else []
