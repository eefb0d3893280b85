"""Offsets: the character of a text at which a unit begins, so that a page can mark it."""

from __future__ import annotations

import re
from bisect import bisect_right

from .formats.registry import FORMATS
from .normalization import normalize_text, normalized_ends
from .reading import Reading
from .subwords import without_mark


def offset_in_text(text: str, unit: int, reading: Reading, *, joins_units: bool = False) -> int:
    """Return the offset in code points at which a unit of an utterance begins; without such a unit, the end of the last one.

    Units are counted from 0, without subword marks and after normalisation. If one is composed of several characters of the text,
    the first counts. `joins_units` says whether the units of units text are joined, so that units are characters.

    >>> offset_in_text("the dog", 3, Reading(text_format="words"))
    4
    """
    tokens = [(match.start(), match[0]) for match in re.finditer(r"\S+", text)]
    is_units = FORMATS[reading.text_format].has_boundary_token
    if is_units:
        dropped = {reading.word_boundary, *reading.ignored_tokens}
        tokens = [(start, token) for start, token in tokens if token not in dropped]
    elif reading.subword_marks is not None:
        tokens = [_bare(start, token, reading.subword_marks) for start, token in tokens]
    end = tokens[-1][0] + len(tokens[-1][1]) if tokens else 0
    if is_units and not joins_units:
        return _place([start for start, _ in tokens], unit, end)
    places: list[int] = []
    for start, token in tokens:
        places += range(start, start + len(token))
    if reading.normalize is not None:
        characters = [text[place] for place in places]
        whole = normalize_text("".join(characters), reading.normalize)
        begin = len(whole[:unit].encode())
        # Find the boundaries between characters that normalisation keeps.
        stops = normalized_ends(characters, reading.normalize)
        boundaries = [(stop, index) for index, stop in enumerate(stops, 1) if stop >= 0]
        at = bisect_right(boundaries, (begin, len(places)))
        unit = boundaries[at - 1][1] if at else 0
    return _place(places, unit, end)


def _place(places: list[int], unit: int, end: int) -> int:
    """Return the place of a unit; the end if there is no such unit."""
    if unit < len(places):
        return places[unit]
    return end


def _bare(start: int, token: str, mark: str) -> tuple[int, str]:
    bare = without_mark(token, mark)
    if not token.startswith(bare):
        start += len(token) - len(bare)
    return start, bare
