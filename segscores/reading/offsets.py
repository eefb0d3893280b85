"""Offsets: the character of a text at which a unit begins, so that a page can mark it."""

from __future__ import annotations

import re

from ..kernel.record import record
from .formats.registry import FORMATS
from .normalization import normalize_text, normalized_ends
from .reading import Reading
from .subwords import without_mark


def offset_in_text(text: str, unit: int, reading: Reading, *, joins_units: bool) -> int:
    """Return the offset in code points at which a unit of an utterance begins; without such a unit, the end of the last one.

    Units are counted from 0, without subword marks and after normalisation. If one is composed of several characters of the text,
    the first counts. `joins_units` says whether the units of units text are joined, so that units are characters.

    >>> offset_in_text("the dog", 3, Reading(text_format="words"), joins_units=False)
    4
    """
    tokens = _tokens_of(text, reading)
    tokens_are_units = FORMATS[reading.text_format].has_boundary_token and not joins_units
    # The places of units before normalisation: the offset of each token or, if units are characters, of each character of a
    # token.
    offsets: list[int] = []
    place = unit
    if tokens_are_units:
        offsets = [token.start for token in tokens]
    else:
        for token in tokens:
            offsets += range(token.start, token.end)
        if reading.normalize is not None:
            # The unit may be composed of several characters: its place is that of the first.
            place = _character_of([text[offset] for offset in offsets], unit, reading.normalize)
    if place < len(offsets):
        return offsets[place]
    if not tokens:
        return 0
    return tokens[-1].end


@record
class _Token:
    """A token of a text between spaces, from the offset `start` on."""

    start: int
    text: str

    @property
    def end(self) -> int:
        """The offset of the end."""
        return self.start + len(self.text)

    def without_mark(self, mark: str) -> _Token:
        """Return the token without the mark of a subword, which stands before it or after it."""
        bare = without_mark(self.text, mark)
        if self.text.startswith(bare):
            return _Token(self.start, bare)
        return _Token(self.end - len(bare), bare)


def _tokens_of(text: str, reading: Reading) -> list[_Token]:
    """Return the tokens that have units: without boundary tokens and ignored ones, and without the marks of subwords."""
    tokens = [_Token(match.start(), match[0]) for match in re.finditer(r"\S+", text)]
    if FORMATS[reading.text_format].has_boundary_token:
        dropped = {reading.word_boundary, *reading.ignored_tokens}
        return [token for token in tokens if token.text not in dropped]
    if reading.subword_marks is not None:
        return [token.without_mark(reading.subword_marks) for token in tokens]
    return tokens


def _character_of(characters: list[str], unit: int, form: str) -> int:
    """Return the index of the character with which a unit of the normalised text begins.

    Characters that normalisation composes into one unit begin together: of `e`, U+0301 and `t` in NFC, the unit 1 is `t`, which
    is the character 2.
    """
    before = normalize_text("".join(characters), form)[:unit].encode()
    # For each character the end of its bytes in the normalised text; -1 where the next one is composed with it.
    ends = normalized_ends(characters, form)
    # The unit begins behind the last character that ends at or before its beginning.
    first_character = 0
    for character_count, end in enumerate(ends, 1):
        if 0 <= end <= len(before):
            first_character = character_count
    return first_character
