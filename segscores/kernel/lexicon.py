"""Lexicon: the set of word types of one side, collected part by part.

A lexicon is the only statistic here that is not a sum: two lexicons merge by union. A type is a distinct word, as a
sequence of units and so as a sequence of bytes.
"""

from __future__ import annotations

import pyarrow as pa

from . import arrow_functions as pc

# Words are merged when so many more have come; a merge would free less than about 10 MB before.
_WORTH_MERGING = 1 << 19
# Fewer words wait as they come: to find the types of all words at once takes a fifth of the time.
_FEW = 1 << 13

# Not pa.array([]), which imports pandas where it is installed; that takes longer than scoring a small file.
_NO_WORDS: pa.LargeBinaryArray = pa.nulls(0, pa.large_binary())


class Lexicon:
    """A growing set of words.

    >>> lexicon = Lexicon(pa.array([b"the", b"dog", b"the"], pa.large_binary()))
    >>> len(lexicon), lexicon.count_shared(Lexicon(pa.array([b"dog"], pa.large_binary())))
    (2, 1)
    """

    def __init__(self, words: pa.LargeBinaryArray = _NO_WORDS) -> None:
        # After a merge the first array has all types; until the next one, words are repeated within arrays and among them.
        self._arrays: list[pa.LargeBinaryArray] = []
        self._merged = self._count = 0
        if len(words):
            self._arrays.append(words if len(words) < _FEW else pc.unique(words))
            self._count = len(self._arrays[0])

    def update(self, other: Lexicon) -> None:
        """Add the types of `other`.

        They wait until as many words wait as are merged, so that all merges together take linear time.
        """
        self._arrays += other._arrays
        self._count += other._count
        if self._count > 2 * self._merged + _WORTH_MERGING:
            self._merge()

    def __getstate__(self) -> dict[str, object]:
        # Merge before pickling: the receiver would need longer.
        self._merge()
        return self.__dict__

    def copy(self) -> Lexicon:
        """Return an independent lexicon with the same types."""
        other = Lexicon()
        other._arrays = [*self._arrays]
        other._count = self._count
        other._merged = self._merged
        return other

    @property
    def types(self) -> pa.LargeBinaryArray:
        """The distinct words; their order has no meaning."""
        self._merge()
        return self._arrays[0] if self._arrays else _NO_WORDS

    def __len__(self) -> int:
        return len(self.types)

    def count_shared(self, other: Lexicon) -> int:
        """Return the number of types that both have."""
        return int(pc.is_in(self.types, value_set=other.types).true_count)

    def _merge(self) -> None:
        if self._count > self._merged:
            self._arrays = [pc.unique(pa.chunked_array(self._arrays))]
            self._merged = self._count = len(self._arrays[0])
