"""Side ends: the first and the last values of a side, which show its form and what stands around its text."""

from __future__ import annotations

from dataclasses import dataclass, field

import pyarrow as pa

from ..kernel import arrow_functions as pc
from .formats.messages import last_lines
from .inputs import TEXT, WORDS, Column
from .list_doubts import FIRST_LISTS
from .quick_look import BEGINNING, CONFLICT
from .sources.source import Values

_FIRST_STRINGS = 128
_LAST_STRINGS = 4
_NEWLINE = b"\n"


@dataclass(kw_only=True)
class SideEnds:
    """The first and the last values of a side or of a piece of it."""

    first_lines: list[str] = field(default_factory=list)  #: the first strings; none if the values are no strings
    first_lists: list[list[str]] = field(
        default_factory=list
    )  #: the first lists of words; none if the values are no such lists
    last_lines: list[str]  #: some of the last strings; none if the values are no strings
    has_conflict: bool  #: whether any line begins with a mark of a conflict of Git

    @classmethod
    def of(cls, values: Values, *, is_first: bool) -> SideEnds:
        """Return the ends of a piece; if it is not the first one of its side, it has no first values."""
        ends = cls(last_lines=_last_lines_of(values), has_conflict=_has_conflict(values))
        if is_first:
            ends.first_lines = _first_lines_of(values)
            ends.first_lists = _first_lists_of(values)
        return ends

    def with_next(self, other: SideEnds) -> SideEnds:
        """Return the ends of this piece and the next one."""
        return SideEnds(
            first_lines=self.first_lines or other.first_lines,
            first_lists=self.first_lists or other.first_lists,
            last_lines=other.last_lines,
            has_conflict=self.has_conflict or other.has_conflict,
        )


def _first_lines_of(values: Values) -> list[str]:
    """Return the first utterances of a side as lines; none if they are no strings."""
    if isinstance(values, bytes):
        # To the end of the line that goes beyond the limit; all lines, if none does.
        newline = values.find(_NEWLINE, BEGINNING)
        beginning = values if newline < 0 else values[: newline + 1]
        *lines, _ = beginning.split(_NEWLINE)  # what follows the last newline is no line
        return [*map(_cut, lines)]
    if values.type == TEXT:
        return _first_strings(values)
    return []


def _first_strings(strings: Column) -> list[str]:
    """Return the first strings, until they have more than `BEGINNING` bytes; longer ones are cut."""
    lines: list[str] = []
    byte_count = 0
    for string in strings.slice(0, _FIRST_STRINGS):
        encoded = string.as_buffer()
        lines.append(_cut(encoded))
        byte_count += len(encoded)
        if byte_count > BEGINNING:
            break
    return lines


def _first_lists_of(values: Values) -> list[list[str]]:
    """Return the first lists of words of a side; none if its values are no such lists."""
    if isinstance(values, bytes) or values.type != WORDS:
        return []
    lists: list[list[str]] = values.slice(0, FIRST_LISTS).to_pylist()
    return lists


def _last_lines_of(values: Values) -> list[str]:
    """Return some of the last utterances of a side as lines; none if they are no strings."""
    if isinstance(values, bytes):
        return last_lines(values)
    if values.type == TEXT:
        last_strings = values.slice(max(0, len(values) - _LAST_STRINGS))
        return [_cut(string.as_buffer()) for string in last_strings]
    return []


def _has_conflict(values: Values) -> bool:
    """Return whether a line begins with a mark of a conflict of Git, anywhere in the values of a side."""
    if isinstance(values, bytes):
        return CONFLICT in values
    return values.type == TEXT and bool(pc.any(pc.starts_with(values, CONFLICT.decode().lstrip())).as_py())


def _cut(line: bytes | pa.Buffer) -> str:
    """Return a line, or the first `BEGINNING` bytes of a longer one, without a character that is cut."""
    return str(line[:BEGINNING], errors="ignore")
