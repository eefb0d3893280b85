"""Syllables separated by whitespace, or within words by a joiner, as in Vietnamese. `_` may be a letter: it is no sign."""

from __future__ import annotations

import re

from ...kernel.segmentation import Segmentation
from ..readers import from_marked_units, narrow_whitespace, refuse_nul
from ..reading import Reading
from .blocks import MARK_SPACES
from .format import Format

_JOINER = "_"


def from_syllables(block: bytes, reading: Reading) -> Segmentation:
    """Read syllables separated by whitespace, or within a word by a joiner; a unit is a syllable.

    The naive equivalent, for a word, is `word.split("_")`, but a joiner at an end of a word belongs to a syllable.

    >>> read = from_syllables("Việt_Nam là\\n".encode(), Reading(text_format="syllables"))
    >>> read.text.tobytes().decode(), read.word_ends, read.utterance_units
    ('Việt Nam là ', array([11, 15]), array([3]))
    """
    refuse_nul(block)
    # "a_b c" becomes "a_b\\0c", then "a b\\0c", and then "a b \\0c".
    marked = narrow_whitespace(block).translate(MARK_SPACES)
    joiner = re.escape((reading.joiner or _JOINER).encode())
    units = re.sub(rb"(?<=[^\0\n])%b(?=[^\0\n])" % joiner, b" ", marked)
    return from_marked_units(units.replace(b"\0", b" \0"))


FORMAT = Format("syllables", read=from_syllables, takes_any_line=True, tokens_are_units=True, usual={"joiner": _JOINER})
