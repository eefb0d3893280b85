"""Units text: units separated by whitespace, with a boundary token between words."""

from __future__ import annotations

import re

from ...kernel.segmentation import Segmentation
from ..readers import from_units_text
from ..reading import DEFAULT_WORD_BOUNDARY, Reading
from .format import Evidence, Format

_WORDSEG_WORD = ";eword"
_WORDSEG_SYLLABLE = ";esyll"


def from_units(block: bytes, reading: Reading) -> Segmentation:
    """Read units text."""
    return from_units_text(block, reading.word_boundary, reading.ignored_tokens)


def find_evidence(text: str) -> Evidence | None:
    """Find the boundary token of wordseg, or the default one.

    >>> find_evidence("ð ə ;eword d ɔ g").word_boundary
    ';eword'
    """
    if _has_token(text, _WORDSEG_WORD):
        ignored = (_WORDSEG_SYLLABLE,) if _has_token(text, _WORDSEG_SYLLABLE) else ()
        return Evidence(sign=_WORDSEG_WORD, word_boundary=_WORDSEG_WORD, ignored_tokens=ignored)
    if _has_token(text, DEFAULT_WORD_BOUNDARY):
        return Evidence(sign=DEFAULT_WORD_BOUNDARY)
    return None


def _has_token(text: str, token: str) -> bool:
    """Return whether a token stands between whitespace in a text."""
    return token in text and re.search(rf"(?<!\S){re.escape(token)}(?!\S)", text) is not None


FORMAT = Format(
    "units",
    title="units separated by spaces, {word_boundary} between words",
    read=from_units,
    takes_any_line=True,
    tokens_are_units=True,
    mark=lambda reading: reading.word_boundary,
    evidence=find_evidence,
)
