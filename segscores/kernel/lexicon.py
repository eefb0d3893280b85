"""Lexicon: the set of word types of one side, collected part by part.

Conventions
-----------
A lexicon is the only statistic here that is not a sum: two lexicons merge by union. A type is a
distinct word, as a sequence of units and so as a sequence of bytes.

Most words are short, and integers are compared, sorted and merged many times as fast as strings. So a word of one to
eight bytes is held as its key: the integer whose last bytes in memory are the word and whose other bytes are NUL, which
no text has. An Arrow array holds longer words, and words with a NUL.
"""

from __future__ import annotations

__all__ = ["Lexicon", "lexicons_of"]

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from . import arrow_functions as pc
from .comparison import Comparison
from .segmentation import Bytes, Positions, Segmentation

Keys = npt.NDArray[np.uint64]

# Fewer waiting words are not merged: a merge would free less than about 20 MB.
_WORTH_MERGING = 1 << 20

_KEY_BYTES = 8
_NO_KEYS: Keys = np.zeros(0, np.uint64)
# Not pa.array([]), which imports pandas where it is installed; that takes longer than scoring a small file.
_NO_WORDS: pa.LargeBinaryArray = pa.nulls(0, pa.large_binary())
# Since this version numpy sorts integers with vector instructions on most processors.
_SORTS_FAST = np.lib.NumpyVersion(np.__version__) >= "2.0.0"


class Lexicon:
    """A growing set of words.

    Args:
        words: large_binary, in any order, with repetitions.

    >>> lexicon = Lexicon(pa.array([b"the", b"dog", b"the"], pa.large_binary()))
    >>> len(lexicon), lexicon.count_shared(Lexicon(pa.array([b"dog"], pa.large_binary())))
    (2, 1)
    """

    def __init__(self, words: pa.LargeBinaryArray | None = None) -> None:
        self._keys, self._long = _NO_KEYS, _NO_WORDS
        self._waiting: list[tuple[Keys, pa.LargeBinaryArray]] = []
        self._waiting_count = 0
        if words is not None and len(words):
            _, offset_buffer, text_buffer = words.buffers()
            offsets = np.frombuffer(offset_buffer, np.int64)[words.offset : words.offset + len(words) + 1]
            text = np.frombuffer(text_buffer or b"", np.uint8)[offsets[0] : offsets[-1]]
            keys = _read_keys(text, offsets[:-1] - offsets[0], offsets[1:] - offsets[0])
            if not text.all():
                nuls = np.flatnonzero(text == 0) + offsets[0]
                keys[np.searchsorted(nuls, offsets[:-1]) < np.searchsorted(nuls, offsets[1:])] = 0
            self._keys, self._long = _distinct(keys), _words_at(words, keys == 0)

    @classmethod
    def _of(cls, parts: list[tuple[Keys, pa.LargeBinaryArray]]) -> Lexicon:
        """A lexicon of parts.

        Keys and longer words are distinct within a part, and may be repeated in others.
        """
        lexicon = Lexicon()
        lexicon._waiting = parts
        lexicon._waiting_count = sum(len(keys) + len(long) for keys, long in parts)
        return lexicon

    def update(self, other: Lexicon) -> None:
        """Add the types of `other`.

        Types are merged once as many wait as are held, so that all merges together take linear time.
        """
        parts = other._parts()
        self._waiting += parts
        self._waiting_count += sum(len(keys) + len(long) for keys, long in parts)
        if self._waiting_count > len(self._keys) + len(self._long) + _WORTH_MERGING:
            self._merge()

    def __getstate__(self) -> dict[str, object]:
        # Merge before pickling: the receiver would need longer.
        self._merge()
        return {"_keys": self._keys, "_long": self._long, "_waiting": [], "_waiting_count": 0}

    def copy(self) -> Lexicon:
        """An independent lexicon with the same types."""
        other = Lexicon()
        other._keys, other._long = self._keys, self._long
        other._waiting, other._waiting_count = list(self._waiting), self._waiting_count
        return other

    @property
    def types(self) -> pa.LargeBinaryArray:
        """The distinct words; their order has no meaning."""
        return self._held_types()

    def _held_types(self) -> pa.LargeBinaryArray:
        self._merge()
        return pa.concat_arrays([_words_of(self._keys), self._long])

    def __len__(self) -> int:
        self._merge()
        return len(self._keys) + len(self._long)

    def count_shared(self, other: Lexicon) -> int:
        """The number of types that both have."""
        self._merge()
        other._merge()
        keys, long = other._parts()[0]
        shared = len(self._keys) + len(keys) - len(_distinct(np.concatenate((self._keys, keys))))
        if len(self._long) and len(long):
            shared += pc.is_in(self._long, value_set=long).true_count
        return shared

    def _parts(self) -> list[tuple[Keys, pa.LargeBinaryArray]]:
        """The merged types and those that wait to be merged: distinct within each part."""
        return [(self._keys, self._long), *self._waiting]

    def _merge(self) -> None:
        if self._waiting:
            keys, long = zip((self._keys, self._long), *self._waiting, strict=True)
            filled = [words for words in long if len(words)]
            self._keys = _distinct(np.concatenate(keys))
            self._long = pc.unique(pa.concat_arrays(filled)) if len(filled) > 1 else [*filled, _NO_WORDS][0]
            self._waiting, self._waiting_count = [], 0


def lexicons_of(comparison: Comparison) -> tuple[Lexicon, Lexicon]:
    """The lexicons of the reference and of the prediction.

    The naive equivalent is `Lexicon(comparison.reference.words()), Lexicon(comparison.prediction.words())`. Matched
    words, which are most words, are the same on both sides; this function reads them once.
    """
    reference, prediction = comparison.reference, comparison.prediction
    # A prediction over other units has other words.
    if reference.text is None or reference.text is not prediction.text or type(prediction) is not Segmentation:
        return Lexicon(reference.words()), Lexicon(prediction.words())
    is_matched = np.zeros(len(reference.word_ends), bool)
    is_matched[comparison.shared_reference] = comparison.matched
    is_other = np.ones(len(prediction.word_ends), bool)
    is_other[comparison.shared_prediction] = ~comparison.matched

    starts = np.concatenate(([0], reference.word_ends))[:-1]
    keys = _read_keys(reference.text, starts, reference.word_ends)
    is_long, words = keys == 0, reference.words()
    both = _distinct(keys.compress(is_matched)), _words_at(words, is_long & is_matched)
    ours = _distinct(keys.compress(~is_matched)), _words_at(words, is_long & ~is_matched)

    others = is_other.nonzero()[0]
    starts, ends = np.concatenate(([0], prediction.word_ends))[others], prediction.word_ends[others]
    keys = _read_keys(reference.text, starts, ends)
    is_other[others] = keys == 0
    theirs = _distinct(keys), _words_at(prediction.words(), is_other)
    return Lexicon._of([both, ours]), Lexicon._of([both, theirs])


def _words_at(words: pa.LargeBinaryArray, is_wanted: npt.NDArray[np.bool_]) -> pa.LargeBinaryArray:
    """The distinct words among the chosen ones."""
    places = is_wanted.nonzero()[0]
    if not len(places):
        return _NO_WORDS
    indices = pa.Array.from_buffers(pa.int64(), len(places), [None, pa.py_buffer(places)])
    return pc.unique(pc.take(words, indices))


def _read_keys(text: Bytes, starts: Positions, ends: Positions) -> Keys:
    """The keys of words; 0 for a word without a key.

    Args:
        text: uint8, without NUL.
        starts, ends: where in the text each word begins and ends.

    The naive equivalent is `[int.from_bytes(word.rjust(8, b"\0"), "little") if 0 < len(word) <= 8 else 0 for word in words]`.
    """
    # Eight bytes are read from the start of each word, and the bytes after the word are shifted out. The text is
    # padded, so that this works at its end. A word that is too long is shifted out as a whole.
    padded = np.concatenate((text, np.zeros(_KEY_BYTES, np.uint8)))
    at_every_byte: Keys = np.ndarray((len(text) + 1,), "<u8", padded, 0, (1,))
    # `take` is faster, but copies its source first.
    keys = at_every_byte.take(starts, mode="clip") if 8 * len(starts) > len(text) else at_every_byte[starts]
    shifts = starts - ends
    shifts *= 8
    shifts += 8 * _KEY_BYTES
    keys <<= shifts.view(np.uint64)
    return keys


def _distinct(keys: Keys) -> Keys:
    """The distinct keys, without 0.

    The naive equivalent is `np.setdiff1d(keys, [0])`, in any order.
    """
    if not len(keys):
        return _NO_KEYS
    if _SORTS_FAST:
        keys = np.sort(keys)
        is_first = np.empty(len(keys), bool)
        is_first[0] = keys[0] != 0
        np.not_equal(keys[1:], keys[:-1], out=is_first[1:])
        return keys.compress(is_first)
    values = pc.unique(pa.Array.from_buffers(pa.uint64(), len(keys), [None, pa.py_buffer(keys)]))
    found: Keys = np.frombuffer(values.buffers()[1], np.uint64, len(values))
    return found.compress(found != 0)


def _words_of(keys: Keys) -> pa.LargeBinaryArray:
    """The words that have these keys."""
    lengths = np.full(len(keys), _KEY_BYTES)
    for size in range(1, _KEY_BYTES):
        lengths -= keys << np.uint64(8 * (_KEY_BYTES - size)) == 0
    letters = keys.astype("<u8", copy=False).view(np.uint8)
    offsets, text = np.concatenate(([0], np.cumsum(lengths))), letters.compress(letters != 0)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(text)]
    return pa.LargeBinaryArray.from_buffers(pa.large_binary(), len(keys), buffers)
