"""Absent marks: an option names a mark within words or between them that no side has, so that the text likely has another one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from ..options.messages import Message
from ..options.table import OPTIONS
from .formats.registry import FORMATS
from .sources.source import Side

#: The fewest tokens without a mark that show that the text does not have it.
_FEWEST_TOKENS = 20


def doubts_of_absent_marks(
    lines_of_sides: Mapping[int, list[str]], lists_of_sides: Mapping[int, list[list[str]]], sides: Sequence[Side]
) -> Iterator[Message]:
    """Yield the doubt that no side has a mark that an option names, by the first lines or lists of words of each side.

    An example is "joiner='##': none of the first utterances has this mark: name the mark of the text, or leave the option out."
    """
    marks: dict[str, str] = {}
    for side in sides:
        marks |= side.reading.named_marks
    # A tokenizer writes marks of its own.
    if not marks or any(side.has_own_reader for side in sides):
        return
    lines = [*chain.from_iterable(lines_of_sides.values())]
    tokens = " ".join(lines).split()
    # Where lines have several tokens, there is a warning of text without the mark between words.
    is_said = len(tokens) > len(lines) and FORMATS[sides[0].reading.text_format].mark is not None
    tokens += chain.from_iterable(chain.from_iterable(lists_of_sides.values()))
    if is_said or len(tokens) < _FEWEST_TOKENS:
        return
    for name, mark in marks.items():
        if not any(mark in token for token in tokens):
            received = ": none of the first utterances has this mark: "
            yield Message(OPTIONS[name].set(mark), received, "name the mark of the text, or leave the option out.")
