"""Units: the units of two sides as numbers, equal for equal units, with what is counted in units."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from .arrays import Mask, Positions, binary_slices, code_points, lengths_of, numbers_of, starts_of
from .record import record
from .segmentation import Segmentation


@record
class Units:
    """The units of one side as numbers, all utterances concatenated; positions count units."""

    codes: npt.NDArray[np.uint32]  #: uint32, equal for equal units, on both sides
    ends: Positions  #: where each utterance ends
    byte_ends: Positions  #: where each unit ends in the text, in bytes, after a leading 0
    word_ends: Positions  #: where each word ends
    utterance_of_words: Positions  #: for each word, the index of its utterance

    @property
    def starts(self) -> Positions:
        """Where each utterance begins."""
        return starts_of(self.ends)

    @property
    def lengths(self) -> Positions:
        """The number of units of each utterance."""
        return lengths_of(self.ends)

    @property
    def word_starts(self) -> Positions:
        """Where each word begins."""
        return starts_of(self.word_ends)

    def boundaries(self) -> Mask:
        """Return a mask of the positions at which a word begins or ends; an utterance of n units has n + 1 positions."""
        is_boundary = np.zeros(len(self.codes) + len(self.ends), bool)
        # Utterances of 3 and 2 units have the positions 0 to 3 and 4 to 6: each utterance before one adds a position. So a word
        # of utterance 1 that ends after 5 units of the text ends at the position 5 + 1.
        is_boundary[self.starts + np.arange(len(self.ends))] = True
        is_boundary[self.word_ends + self.utterance_of_words] = True
        return is_boundary

    def strings(self, utterances: Positions) -> list[str]:
        """Return utterances as strings of one character per unit, the input that rapidfuzz reads fastest."""
        # The number of a token may be one of a surrogate, which is no character.
        text = self.codes.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
        starts = self.starts[utterances].tolist()
        ends = self.ends[utterances].tolist()
        return [text[start:end] for start, end in zip(starts, ends, strict=True)]


def read_units(reference: Segmentation, prediction: Segmentation) -> tuple[Units, Units]:
    """Return the units of both sides as numbers, equal for equal units."""
    left_text = reference.require_text()
    right_text = prediction.require_text()
    # The units of `狗a` end at the bytes 3 and 4: the ends are 0 3 4.
    left_byte_ends = np.append(0, reference.unit_ends())
    right_byte_ends = np.append(0, prediction.unit_ends())
    if reference.unit == "character":
        left_codes = code_points(left_text)
        right_codes = code_points(right_text)
    else:
        # Number the tokens of both sides together, so that equal tokens have one number. Byte 0 ends no token.
        left_tokens = binary_slices(left_text, left_byte_ends[1:])
        right_tokens = binary_slices(right_text, right_byte_ends[1:])
        tokens = pa.concat_arrays([left_tokens, right_tokens])
        codes = numbers_of(tokens.dictionary_encode().indices).astype(np.uint32)
        left_codes = codes[: len(left_tokens)]
        right_codes = codes[len(left_tokens) :]
    return _units_of(reference, left_byte_ends, left_codes), _units_of(prediction, right_byte_ends, right_codes)


def _units_of(side: Segmentation, byte_ends: Positions, codes: npt.NDArray[np.uint32]) -> Units:
    """Return the units of a side; `byte_ends` are a 0 and the ends of its units in bytes."""
    # The units of `狗 | ab` have the byte_ends 0 3 4 5: the words end at the bytes 3 and 5, which are at the places 1 and 3 of
    # byte_ends. Because of the 0, these places are the numbers of units up to the ends of the words.
    return Units(
        codes=codes,
        ends=np.searchsorted(byte_ends, side.utterance_ends),
        byte_ends=byte_ends,
        word_ends=np.searchsorted(byte_ends, side.word_ends),
        utterance_of_words=side.utterances_of_words(),
    )
