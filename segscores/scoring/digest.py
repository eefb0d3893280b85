"""Digest: a number that identifies the text and the boundaries of a reference, however it is read and cut.

The digest of a corpus is the sum of its utterances' digests, modulo 2⁶⁴, so that pieces and shards add up. It tells references
apart that differ by accident; it is no protection against somebody who looks for two with one digest.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..kernel.arrays import Bytes, Positions, last_of, lengths_of
from ..kernel.segmentation import Segmentation
from ..reading.reading import Reading
from ..reading.world import world_of

Sums = npt.NDArray[np.uint32]

#: The base of the polynomials, and its inverse, modulo 2³².
_BASE = 747796405
_INVERSE = pow(_BASE, -1, 1 << 32)
#: The number of powers in the tables, which fit in the processor's cache with the text.
_WINDOW = 1 << 14


def _powers_of(base: int) -> Sums:
    """Return the powers of a base, from 0 on, modulo 2³²."""
    return np.multiply.accumulate(np.array([1, *[base] * (_WINDOW - 1)], np.uint32), dtype=np.uint32)


_POWERS = _powers_of(_BASE)
_INVERSES = _powers_of(_INVERSE)
#: The power of each at the start of the second window. Times this, a power is the one at the same place of the next window.
_POWER_OF_WINDOW = pow(_BASE, _WINDOW, 1 << 32)
_INVERSE_OF_WINDOW = pow(_INVERSE, _WINDOW, 1 << 32)
#: The digest of no utterances: a sum of none.
NO_UTTERANCES = 0
#: The number that is added to the last byte of a word, so that the digest depends on the boundaries: above every byte.
_END = 256
#: The number that SplitMix64 adds in each of its steps.
_INCREMENT = np.uint64(0x9E3779B97F4A7C15)
#: The shifts of the last step of SplitMix64, each with the factor before it; before the first one is none.
_FIRST_SHIFT = np.uint64(30)
_FACTORS_AND_SHIFTS = ((np.uint64(0xBF58476D1CE4E5B9), np.uint64(27)), (np.uint64(0x94D049BB133111EB), np.uint64(31)))


def digest_of(segmentation: Segmentation) -> int:
    """Return the digest of a segmentation, in [0, 2⁶⁴).

    The naive equivalent is the sum over utterances of `mix(hash + (len(bytes) + 1) * 0x9E3779B97F4A7C15)`. There `mix` is
    the last step of SplitMix64 (Steele et al. 2014), and `hash` is `sum(byte * BASE**i for i, byte in enumerate(bytes)) %
    2**32`, where the last byte of each word is 256 larger. Labels have a byte 0 for each unit.

    >>> from segscores.reading.readers import from_words_text
    >>> digest_of(from_words_text(b"the dog\\nis on\\n")) == digest_of(from_words_text(b"is on\\nthe  dog\\n"))
    True
    """
    # The first byte of each utterance, and its number of bytes.
    ends = segmentation.utterance_ends
    lengths = lengths_of(ends)
    starts = ends - lengths
    # In `_sums` the powers count from the beginning of the corpus: divide each sum by the power at the start of its utterance.
    hashes = (_sums(segmentation, starts) * _inverses_at(starts)).astype(np.uint64)
    # Add the increment as often as the utterance has bytes, and once more: utterances with the same sum, but of different
    # lengths, get different numbers.
    hashes += (lengths + 1).astype(np.uint64) * _INCREMENT
    # Sums and products of uint64 are modulo 2⁶⁴.
    hashes ^= hashes >> _FIRST_SHIFT
    for factor, shift in _FACTORS_AND_SHIFTS:
        hashes *= factor
        hashes ^= hashes >> shift
    return int(np.add.reduce(hashes))


def digest_of_reference(segmentation: Segmentation, reading: Reading) -> int:
    """Return the digest of a reference that was read with this reading; a world digests more than the words."""
    world = world_of(reading)
    if world is None:
        return digest_of(segmentation)
    return world.digest(segmentation, digest_of)


def digest_of_text(text: str) -> str:
    """Return the SHA-256 of a text, which stands for a list in tallies and signatures."""
    import hashlib

    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def add_digests(left: int | None, right: int | None) -> int | None:
    """Return the digest of two parts of a corpus together; None if one digest is unknown."""
    if left is None or right is None:
        return None
    return (left + right) % (1 << 64)


def _inverses_at(starts: Positions) -> Sums:
    """Return the inverse of the power of the base at each of these bytes, which are in order."""
    last = last_of(starts)
    if last < _WINDOW:
        return _INVERSES[starts]
    # With windows of 4 bytes, the power at byte 9 is the product of the power at 8, where window 2 starts, and the power at 1.
    factors = [1, *[_INVERSE_OF_WINDOW] * (last // _WINDOW)]
    inverses_of_windows = np.multiply.accumulate(np.array(factors, np.uint32), dtype=np.uint32)
    return _INVERSES[starts % _WINDOW] * inverses_of_windows[starts // _WINDOW]


def _sums(segmentation: Segmentation, starts: Positions) -> Sums:
    """Return for each utterance the sum of its bytes times powers of the base, which count from the first utterance.

    `starts` are the first bytes of the utterances. The text is read in windows, each of which adds to the sums of the utterances
    that have a part in it.
    """
    word_ends = segmentation.word_ends
    size = last_of(segmentation.utterance_ends)
    # Labels have a byte 0 for each unit.
    text = np.zeros(size, np.uint8) if segmentation.text is None else segmentation.text
    # The sum of a blank utterance stays 0: `reduceat`, below, would give an empty slice a value. `filled` has the indices of the
    # other utterances, and the arrays below are of these alone.
    sums = np.zeros(len(starts), np.uint32)
    if not size:
        return sums  # words without bytes are those of recordings in which no word has a label
    (filled,) = (starts < segmentation.utterance_ends).nonzero()
    filled_starts = starts[filled]
    if size <= _WINDOW:
        sums[filled] = _sums_of_window(text, word_ends, filled_starts)
        return sums
    # Example: windows of 4 bytes, and utterances from 0 to 3, 3 to 6 and 6 to 9. The bounds of the windows are 0 4 8 12. Window
    # 1, from 4 to 8, has parts of the utterances 1 and 2: first_utterances[1] is 1, and utterances_after[2] is 3.
    bounds = np.arange(0, size + _WINDOW, _WINDOW)
    first_words = np.searchsorted(word_ends, bounds, side="right")
    first_utterances = np.searchsorted(segmentation.utterance_ends[filled], bounds, side="right")
    utterances_after = np.searchsorted(filled_starts, bounds)
    # The power of the base at the first byte of the window.
    power = 1
    for number, start in enumerate(range(0, size, _WINDOW)):
        window = text[start : start + _WINDOW]
        # The words that end after `start`, and at the end of the window at the latest.
        word_ends_here = word_ends[first_words[number] : first_words[number + 1]]
        here = slice(first_utterances[number], utterances_after[number + 1])
        # An utterance that began in an earlier window goes on at the first byte of this one.
        first_bytes = np.maximum(filled_starts[here] - start, 0)
        sums_here = _sums_of_window(window, word_ends_here - start, first_bytes)
        sums[filled[here]] += sums_here * np.uint32(power)
        power = power * _POWER_OF_WINDOW % (1 << 32)
    return sums


def _sums_of_window(text: Bytes, word_ends: Positions, starts: Positions) -> Sums:
    """Return the sums of the utterances of a window, whose powers count from its first byte.

    `starts` are the first bytes of the utterances in the window, and `word_ends` the ends of words in it.
    """
    window = text.astype(np.uint32)
    window[word_ends - 1] += _END
    window *= _POWERS[: len(window)]
    return np.add.reduceat(window, starts, dtype=np.uint32)
