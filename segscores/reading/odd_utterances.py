"""Odd utterances of a side that was read: missing values, and characters that were taken for utterances or for words.

Conventions
-----------
- What both sides have is no error. The units of both sides are equal, so that the reference shows it; each piece is asked, as a
  text may have it anywhere. To ask takes some microseconds.
- A missing value is odd only where others have several words, as `nan` may be a word of a list of words.
"""

from __future__ import annotations

import string
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ..kernel.arrays import Positions
from ..kernel.record import record
from ..kernel.segmentation import Segmentation
from ..options.messages import Message
from ..options.table import OPTIONS
from .formats.registry import UNITS

#: The texts that programs write where a value is missing, such as `astype(str)` of pandas and spreadsheets.
_MISSING = frozenset({b"nan", b"NaN", b"NaT", b"<NA>", b"None", b"NULL", b"N/A", b"#N/A", b"#REF!"})
_MOST_UNITS = 5
#: Masks of the bytes that are the first one of a missing value, and of the last ones.
_BEGINS_MISSING = np.isin(np.arange(256), [value[0] for value in _MISSING])
_ENDS_MISSING = np.isin(np.arange(256), [value[-1] for value in _MISSING])
#: The fewest utterances of a character each that show that a string was cut into them.
_FEWEST_CHARACTERS = 7
#: The fewest words of a character each that show that words were cut into them.
_FEWEST_WORDS = 20
#: The fewest distinct bytes of these words: text has more, and a few letters may be names.
_FEWEST_DISTINCT = 10
#: The fewest utterances without a boundary on both sides that show another sign between words: a batch may have single words.
FEWEST_WITHOUT_BOUNDARY = 20
_IS_SIGN = np.isin(np.arange(256), [*string.punctuation.encode()])
#: The most bytes of a character.
_LONGEST_CHARACTER = 4


@record
class OddUtterances:
    """Signs that the utterances of a piece, or of several, show."""

    has_several_units: bool = True  #: whether some utterance has several units
    has_several_words: bool = False  #: the same of words
    has_long_words: bool = True  #: whether some word has several units
    words: int = 0  #: how many words there are, of pieces that are looked at as utterances are
    utterances: int = 0  #: how many were looked at, of pieces whose utterances are not all long
    missing: int = 0  #: how many utterances are missing values, such as `nan`
    first_missing: int = 0  #: the number of the first utterance that is one
    value: str = ""  #: this utterance itself

    @classmethod
    def of(cls, segmentation: Segmentation, first_utterance: int = 0) -> OddUtterances:
        """Return what the utterances of a segmentation show, of which the first has this number."""
        units = segmentation.utterance_units
        if segmentation.unit != "character" or not len(units):
            return _ORDINARY
        text = segmentation.text
        assert text is not None  # characters have a text
        word_count = len(segmentation.word_ends)
        has_several_words = word_count > len(units)
        # Most texts have too many bytes for words of a character each: to count units takes longer.
        has_few_bytes = 0 < text.size <= _LONGEST_CHARACTER * word_count
        has_short_words = has_few_bytes and int(units.sum()) == word_count and np.unique(text).size >= _FEWEST_DISTINCT
        if not has_short_words and (units.min() > _MOST_UNITS or not word_count):
            return _WITH_WORDS if has_several_words else _ORDINARY
        shown = cls(bool(units.max() > 1), has_several_words, not has_short_words, word_count, len(units))
        places = _missing_values(segmentation)
        if not places:
            return shown
        index, value = min(places)
        return replace(shown, missing=len(places), first_missing=first_utterance + index, value=value.decode())

    def with_next(self, other: OddUtterances) -> OddUtterances:
        """Return what these utterances and the next ones show."""
        with_first_missing = self if self.missing else other
        return OddUtterances(
            has_several_units=self.has_several_units or other.has_several_units,
            has_several_words=self.has_several_words or other.has_several_words,
            has_long_words=self.has_long_words or other.has_long_words,
            words=self.words + other.words,
            utterances=self.utterances + other.utterances,
            missing=self.missing + other.missing,
            first_missing=with_first_missing.first_missing,
            value=with_first_missing.value,
        )

    def doubts(self, name: str, place: str, *, has_other_doubts: bool) -> Iterator[Message]:
        """Yield the doubts about the utterances of a side; `place` is that of the first missing value.

        Other doubts about the text say more than that its words are characters.
        """
        if self.missing and self.has_several_words:
            others = f", and {self.missing - 1} more are missing values" if self.missing > 1 else ""
            received = f"{name}: {place} is {self.value!r}, as of a missing value{others}, and is read as a word: "
            yield Message(received, "leave these utterances out on both sides, or make them blank.")
        if not self.has_several_units and self.utterances >= _FEWEST_CHARACTERS:
            received = f"{name}: each of the {self.utterances} utterances is one character, in which no word can end: "
            yield Message(received, "pass a list of strings, as [text], and not the characters of a string.")
        elif not self.has_long_words and self.words >= _FEWEST_WORDS and not has_other_doubts:
            received = f"{name}: each of the {self.words} words is one character: "
            yield Message(received, "if these are units, a mark between words is needed, and ", UNITS.setting, ".")


def lack_boundaries(segmentation: Segmentation) -> bool:
    """Return whether no utterance of several has two words, and half of them have a sign, which may stand between words."""
    utterance_count = len(segmentation.utterance_ends)
    has_boundaries = len(segmentation.word_ends) > utterance_count
    if has_boundaries or utterance_count < FEWEST_WITHOUT_BOUNDARY or segmentation.unit != "character":
        return False
    assert segmentation.text is not None  # characters have a text
    return 2 * int(np.count_nonzero(_IS_SIGN[segmentation.text])) >= utterance_count


def doubt_of_boundaries(reference: str, prediction: str) -> Message:
    """Return the doubt about two sides whose first utterances have no boundary within, by their names."""
    received = f"{reference} and {prediction}: none of the first utterances has several words, so that no boundary is compared: "
    remedy = "if a sign other than whitespace stands between words, name the format with "
    return Message(received, remedy, OPTIONS["text_format"], ", and the sign with ", OPTIONS["separator"], ".")


_ORDINARY = OddUtterances()
_WITH_WORDS = OddUtterances(has_several_words=True)


def _missing_values(segmentation: Segmentation) -> list[tuple[int, bytes]]:
    """Return the utterances of one word that are missing values, by their indices."""
    text = segmentation.text
    assert text is not None  # characters have a text
    units = segmentation.utterance_units
    (indices,) = (units <= _MOST_UNITS).nonzero()
    ends = segmentation.utterance_ends[indices]
    starts = ends - units[indices]  # of ASCII, as missing values are
    # Few utterances begin and end as a missing value does. A blank one may be at the beginning of the text.
    fits = _BEGINS_MISSING[text[np.minimum(starts, len(text) - 1)]] & _ENDS_MISSING[text[ends - 1]]
    places: list[tuple[int, bytes]] = []
    for index, start, end in zip(indices[fits].tolist(), starts[fits].tolist(), ends[fits].tolist(), strict=True):
        value = text[start:end].tobytes()
        # The first word of `na n` ends before the utterance does.
        if value in _MISSING and _is_one_word(start, end, segmentation.word_ends):
            places.append((index, value))
    return places


def _is_one_word(start: int, end: int, word_ends: Positions) -> bool:
    """Return whether no word ends within an utterance from `start` to `end`."""
    first_word = int(np.searchsorted(word_ends, start, side="right"))
    return bool(word_ends[first_word] == end)
