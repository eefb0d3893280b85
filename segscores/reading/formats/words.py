"""Words text: words separated by whitespace; a unit is a character."""

from __future__ import annotations

from ...kernel.segmentation import Segmentation, join_units
from ..readers import from_words_text
from ..reading import Reading
from .format import Format, TextReader
from .syllables import from_syllables


def from_words(block: bytes, reading: Reading) -> Segmentation:
    """Read words text; joiners within words are dropped, and a unit is a character."""
    if reading.joiner is None:
        return from_words_text(block)
    return join_units(from_syllables(block, reading))


def _text(reading: Reading) -> TextReader | None:
    """Return what turns lines into their text, which they are; None with joiners, which do not say where the text has spaces."""
    return bytes if reading.joiner is None else None


FORMAT = Format("words", title="words separated by spaces", read=from_words, takes_any_line=True, text=_text)
