"""Vietnamese words with tags, as in the corpora of VLSP: `_` between the syllables of a word, and a tag after the last slash."""

from __future__ import annotations

import re

from ...kernel.segmentation import Segmentation
from ...reading.formats.format import Evidence, Format, Patterns
from ...reading.reading import Reading
from .tagged import from_tagged

#: A joiner between two characters of a word.
_JOINER = rb"(?<=[^\s_/])_(?=[^\s_/])"
#: Letters that Vietnamese has, in either Unicode form, and few other languages.
_VIETNAMESE = "[ăâđêôơưĂÂĐÊÔƠƯ\u0323\u031b\u0309\u1ea0-\u1ef9]"
_SIGNS = Patterns(
    occurs=r"[^\s_/]_[^\s_/]\S*/",
    every_line=r"\s*(\S+/([A-Z][A-Za-z]{0,3}|[^\w\s]{1,3})(\s+|$))+",
    sign="a tag after each word, and _ between Vietnamese syllables",
)


def from_vlsp(block: bytes, reading: Reading) -> Segmentation:
    """Read words with tags, without the joiners between syllables; a unit is a character.

    >>> bytes(from_vlsp("Việt_Nam/Np ./.\\n".encode(), Reading(text_format="vlsp")).text).decode()
    'ViệtNam.'
    """
    return from_tagged(re.sub(_JOINER, b"", block), reading)


def find_evidence(text: str) -> Evidence | None:
    """Find tagged words of Vietnamese letters, some with joiners."""
    if "/" in text and re.search(_VIETNAMESE, text):
        return _SIGNS.find(text)
    return None


FORMAT = Format(
    "vlsp", gives=frozenset({"tags"}), tags_each_word=True, read=from_vlsp, evidence=find_evidence, fits=_SIGNS.fits
)
