"""A segmented corpus in columnar form.

Conventions
-----------
- Positions count bytes of `text`: the UTF-8 of the units without separators, all utterances concatenated. Position 0 is
  before the first unit; a word is the half-open span between two neighbouring ends. Where both sides have the same
  units, positions in bytes are equal and ordered exactly as positions in units are, so no conversion is needed.
- A unit is a character or a token. Where units are tokens, every unit in `text` is followed by one space, so that the
  words `a b` and `ab` differ in bytes. Labels have no text; their positions count units.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Final, Literal

import numpy as np
import pyarrow as pa

from .arrays import Bytes, Mask, Positions, binary_slices, last_of, lengths_of, start_of
from .columns import join_columns, take_columns
from .record import record

NUL = 0x00
NEWLINE = 0x0A
SPACE = 0x20
#: The kind of units that have several characters, such as phones.
TOKEN: Final = "token"


@record
class Segmentation:
    """One segmented corpus, or a part of it, as arrays."""

    text: Bytes | None  #: uint8, the bytes of the units; None for labels
    word_ends: Positions  #: int64, the position at which each word ends, strictly increasing
    #: int64, the position at which each utterance ends; two equal ones enclose a blank utterance
    utterance_ends: Positions
    utterance_units: Positions  #: int64, the number of units of each utterance
    unit: Literal["character", "token", "label", "time"]
    of_words: Mapping[str, Any] = field(
        default_factory=dict
    )  #: further columns with a row for each word, as in `columns`
    of_utterances: Mapping[str, Any] = field(default_factory=dict)  #: the same for each utterance

    def with_word_columns(self, **columns: Any) -> Segmentation:
        """Return the segmentation with further columns of words."""
        return replace(self, of_words={**self.of_words, **columns})

    def with_utterance_columns(self, **columns: Any) -> Segmentation:
        """Return the segmentation with further columns of utterances."""
        return replace(self, of_utterances={**self.of_utterances, **columns})

    def words(self) -> pa.LargeBinaryArray:
        """Return every word as bytes, in order, without copying the text."""
        if self.text is None:
            raise ValueError("labels alone do not say what the words are: pass the words themselves")
        return binary_slices(self.text, self.word_ends)

    def units_before(self, positions: Positions) -> Positions:
        """Return the number of units before each position; positions are ends of units, and so greater than 0."""
        text = self.text
        if text is None or not len(positions):
            return positions  # positions of labels count units
        has_units_of_one_byte = int(self.utterance_units.sum()) == len(text)
        if has_units_of_one_byte:
            return positions
        # `狗a`, of 3 bytes and 1: marks 1 0 0 1, counts 1 1 1 2, so that 1 unit is before the position 3 and 2 before 4.
        marks = marks_of_units(text, self.unit)
        # A sum in 32 bits takes a tenth of the time.
        counts = np.cumsum(marks, dtype=np.int32 if len(text) < 1 << 31 else np.int64)
        return counts[positions - 1].astype(np.int64)

    def utterances_of_words(self) -> Positions:
        """Return the utterance of each word: int64 of shape (n_words,).

        A word that ends where an utterance ends belongs to that utterance, not to a blank one after it.
        """
        return np.searchsorted(self.utterance_ends, self.word_ends, side="left")

    def word_counts(self) -> Positions:
        """Return the number of words, or of segments, of each utterance."""
        return lengths_of(np.searchsorted(self.word_ends, self.utterance_ends, side="right"))

    def unit_ends(self) -> Positions:
        """Return the position at which each unit ends."""
        if self.text is None:
            return np.arange(1, int(self.utterance_units.sum()) + 1)
        marks = np.flatnonzero(marks_of_units(self.text, self.unit))
        if self.unit == TOKEN:
            return marks + 1  # a mark is the space that ends the unit
        # 狗a: the characters begin at 0 and 3, and end at 3 and 4. A text without characters has no ends.
        return np.append(marks[1:], len(self.text))[: len(marks)]

    def require_text(self) -> Bytes:
        """Return the bytes of the units."""
        if self.text is None:
            raise ValueError("labels alone do not say what the units are")
        return self.text

    def span(self, utterance: int) -> tuple[int, int]:
        """Return the positions at which an utterance begins and ends."""
        return start_of(self.utterance_ends, utterance), int(self.utterance_ends[utterance])

    def units(self, utterance: int) -> list[str]:
        """Return the units of one utterance, for messages and displays."""
        start, stop = self.span(utterance)
        text = self.require_text()[start:stop].tobytes().decode(errors="replace")
        if self.unit == TOKEN:
            return text.split(" ")[:-1]  # a space follows the last unit too
        return list(text)


def marks_of_units(text: Bytes, unit: str) -> Mask:
    """Return a mask of one byte of each unit: the first of a character or, in units text, the space that ends a unit."""
    return text == SPACE if unit == TOKEN else begins_character(text)


def begins_character(text: Bytes) -> Mask:
    """Return a mask of the bytes of UTF-8 that begin a character: all but 0x80 to 0xBF, which continue one."""
    # With a sign, these are the numbers from -128 to -65: one comparison finds them.
    return np.asarray(text.view(np.int8) >= -64)


def concatenate(segmentations: Sequence[Segmentation]) -> Segmentation:
    """Return one segmentation of several corpora, in order, which must have the same unit; without any it has no utterance.

    >>> from segscores.reading.readers import from_words_text
    >>> both = concatenate([from_words_text(b"the dog\\n"), from_words_text(b"is on\\n")])
    >>> both.word_ends, both.utterance_ends
    (array([ 3,  6,  8, 10]), array([ 6, 10]))
    """
    if not segmentations:
        nothing = np.zeros(0, np.int64)
        return Segmentation(
            text=np.zeros(0, np.uint8),
            word_ends=nothing,
            utterance_ends=nothing,
            utterance_units=nothing,
            unit="character",
        )
    first, *_ = segmentations
    units = {segmentation.unit for segmentation in segmentations}
    if len(units) > 1:
        raise ValueError(f"mixed forms: some utterances have units of one {' and some of one '.join(sorted(units))}.")
    # Texts of 6 and 4 bytes: the second begins at 6, by which its positions are greater.
    lengths = [last_of(corpus.utterance_ends) for corpus in segmentations]
    starts = np.cumsum([0, *lengths[:-1]])
    shifted = list(zip(starts, segmentations, strict=True))
    texts = [corpus.text for corpus in segmentations if corpus.text is not None]
    word_counts = [len(corpus.word_ends) for corpus in segmentations]
    utterance_counts = [len(corpus.utterance_ends) for corpus in segmentations]
    return Segmentation(
        text=np.concatenate(texts) if texts else None,  # labels have no text
        word_ends=np.concatenate([start + corpus.word_ends for start, corpus in shifted]),
        utterance_ends=np.concatenate([start + corpus.utterance_ends for start, corpus in shifted]),
        utterance_units=np.concatenate([corpus.utterance_units for corpus in segmentations]),
        unit=first.unit,
        of_words=join_columns([corpus.of_words for corpus in segmentations], word_counts),
        of_utterances=join_columns([corpus.of_utterances for corpus in segmentations], utterance_counts),
    )


def with_words(segmentation: Segmentation, word_ends: Positions) -> Segmentation:
    """Return the same units with other words, of which no more is known.

    >>> from segscores.reading.readers import from_words_text
    >>> with_words(from_words_text(b"the dog\\n"), np.array([1, 6])).words().to_pylist()
    [b't', b'hedog']
    """
    return replace(segmentation, word_ends=word_ends, of_words={}, of_utterances={})


def select_words(segmentation: Segmentation, kept: Mask, **changes: Any) -> Segmentation:
    """Return the segmentation of the kept words; `changes` are the attributes that the caller has selected already."""
    return replace(segmentation, **changes, of_words=take_columns(segmentation.of_words, kept))


def select_utterances(segmentation: Segmentation, kept: Mask) -> Segmentation:
    """Return the chosen utterances of a segmentation; `kept` is bool of shape (n_utterances,)."""
    # utterances that end at 3 5 9, of which the second is dropped: kept_ends are 3 3 7, and shifts 0 2 2.
    lengths = lengths_of(segmentation.utterance_ends)
    kept_ends = np.cumsum(lengths * kept)
    shifts = segmentation.utterance_ends - kept_ends
    utterances = segmentation.utterances_of_words()
    is_kept_word = kept[utterances]
    text = segmentation.text
    if text is not None:
        text = text[np.repeat(kept, lengths)]
    return select_words(
        segmentation,
        is_kept_word,
        text=text,
        word_ends=segmentation.word_ends[is_kept_word] - shifts[utterances[is_kept_word]],
        utterance_ends=kept_ends[kept],
        utterance_units=segmentation.utterance_units[kept],
        of_utterances=take_columns(segmentation.of_utterances, kept),
    )


def join_units(segmentation: Segmentation) -> Segmentation:
    """Concatenate the tokens of each word, so that characters are the units.

    The naive equivalent reads the words again, each without the spaces between its units.

    >>> from segscores.reading.readers import from_units_text
    >>> joined = join_units(from_units_text("tʃ ɪ | p\\n".encode(), word_boundary="|"))
    >>> joined.words().to_pylist() == ["tʃɪ".encode(), b"p"], joined.utterance_units
    (True, array([4]))
    """
    assert segmentation.text is not None
    is_space = segmentation.text == SPACE
    text = segmentation.text[~is_space]
    # Both have a count for each position, of what is before it: `a b ` has 0 0 1 1 2 spaces.
    spaces_before = np.concatenate(([0], np.cumsum(is_space)))
    characters_before = np.concatenate(([0], np.cumsum(begins_character(text))))
    utterance_ends = segmentation.utterance_ends - spaces_before[segmentation.utterance_ends]
    return replace(
        segmentation,
        text=text,
        word_ends=segmentation.word_ends - spaces_before[segmentation.word_ends],
        utterance_ends=utterance_ends,
        utterance_units=lengths_of(characters_before[utterance_ends]),
        unit="character",
    )
