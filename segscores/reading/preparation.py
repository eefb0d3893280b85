"""Preparation: what happens to a side after it is read, by the options of reading, once and in one order; also to lists of words.

`map_pieces` prepares each side where it becomes a `Segmentation`. Whatever reads a side later, such as a lexicon that several
predictions share, a window size or a difficulty, has the same units.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from ..kernel.arrays import large_lists, text_array
from ..kernel.segmentation import TOKEN, Segmentation, join_units
from ..options.messages import OptionError
from ..options.table import OPTIONS
from .formats.registry import PLAIN, UNITS
from .inputs import WORDS
from .normalization import normalize_units
from .readers import from_marked_units, from_word_lists, narrow_whitespace
from .reading import Reading
from .subwords import strip_marks

#: A step that keeps the number of utterances.
Stage: TypeAlias = Callable[[Segmentation], Segmentation]


@lru_cache(maxsize=64)
def stages_of(reading: Reading, *, joins_units: bool) -> tuple[Stage, ...]:
    """Return the stages of a side in order; `joins_units` joins the units of its words, because another side has no such units.

    >>> from segscores.reading.readers import from_words_text
    >>> (strip,) = stages_of(Reading.of(text_format="words", subword_marks="strip"), joins_units=False)
    >>> strip(from_words_text("▁ ▁the ▁dog\\n".encode())).word_ends
    array([3, 6])
    """
    stages: list[Stage] = []
    if joins_units:
        stages.append(_join)
    if reading.subword_marks is not None:
        stages.append(partial(_strip, marks=reading.subword_marks))
    if reading.normalize is not None:
        stages.append(partial(_normalize, form=reading.normalize))
    return tuple(stages)


def segments_in_text(segments: Sequence[str], unit: str, stages: Sequence[Stage]) -> pa.LargeBinaryArray:
    """Return words or segments as they occur in a text of this unit, each prepared as an utterance of one word.

    >>> segments_in_text(["the", "a  b"], "token", ()).to_pylist()
    [b'the ', b'a b ']
    """
    if unit == TOKEN:
        # A line for each segment, without marks between words: it is one word.
        block = "".join(segment.replace("\n", " ") + "\n" for segment in segments).encode()
        segmentation = from_marked_units(narrow_whitespace(block))
    else:
        # A list of one word for each segment: the offsets 0 1 2 of the segments "the" "a  b".
        offsets = np.arange(len(segments) + 1)
        segmentation = from_word_lists(large_lists(offsets, text_array(segments), WORDS))
    for stage in stages:
        segmentation = stage(segmentation)
    return segmentation.words()


def _join(segmentation: Segmentation) -> Segmentation:
    """Join the units of each word, so that characters are the units; a segmentation of other units stays as it is."""
    if segmentation.unit == TOKEN:
        return join_units(segmentation)
    return segmentation


def _strip(segmentation: Segmentation, marks: str) -> Segmentation:
    """Strip the marks of subwords, which only words of characters have."""
    if segmentation.unit != "character":
        option = OPTIONS["subword_marks"].set(marks)
        why = [" is for words, and not for ", UNITS.setting, ", in which each token is a unit"]
        raise OptionError(option, *why, ": did you mean ", PLAIN.setting, "?")
    return strip_marks(segmentation, marks)


def _normalize(segmentation: Segmentation, form: str) -> Segmentation:
    """Normalize the units by a form of Unicode, such as NFC."""
    normalized, _ = normalize_units(segmentation, form)
    return normalized
