"""Preparation: what happens to a side after it is read, by the options of reading, once and in one order.

`map_pieces` prepares each side where it becomes a `Segmentation`. Whatever reads a side later, such as a lexicon that several
predictions share, a window size or a difficulty, has the same units.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from ..options.messages import OptionError
from ..options.table import OPTIONS
from .normalization import normalize_units
from .readers import Reading
from .segmentation import Segmentation, join_units
from .subwords import strip_marks

#: A step that keeps the number of utterances.
Stage: TypeAlias = Callable[[Segmentation], Segmentation]


def stages_of(reading: Reading, *, joins_units: bool) -> tuple[Stage, ...]:
    """Return the stages of a side in order; `joins_units` joins the units of its words, because another side has no such units.

    >>> from segscores.reading.readers import from_words_text
    >>> (strip,) = stages_of(Reading.of(text_format="words", subword_marks="strip"), joins_units=False)
    >>> strip(from_words_text("▁ ▁the ▁dog\\n".encode())).word_ends
    array([3, 6])
    """
    stages: list[Stage] = [_join] if joins_units else []
    if reading.subword_marks is not None:
        stages.append(partial(_strip, marks=reading.subword_marks))
    if reading.normalize is not None:
        stages.append(partial(_normalize, form=reading.normalize))
    return tuple(stages)


def _join(segmentation: Segmentation) -> Segmentation:
    return join_units(segmentation) if segmentation.unit == "token" else segmentation


def _strip(segmentation: Segmentation, marks: str) -> Segmentation:
    if segmentation.unit != "character":
        option, text_format = OPTIONS["subword_marks"].set(marks), OPTIONS["text_format"]
        why = [" is for words, and not for ", text_format.set("units"), ", in which each token is a unit"]
        raise OptionError(option, *why, ": did you mean ", text_format.set("words"), "?")
    return strip_marks(segmentation, marks)


def _normalize(segmentation: Segmentation, form: str) -> Segmentation:
    return normalize_units(segmentation, form)[0]
