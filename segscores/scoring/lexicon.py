"""Lexicon: the set of word types of one side, collected part by part.

A lexicon is the only statistic here that is not a sum: two lexicons merge by union. A type is a distinct word, as a
sequence of units and so as a sequence of bytes.
"""

from __future__ import annotations

import pyarrow as pa

from ..reading import arrow_functions as pc

# Fewer waiting words are not merged: a merge would free less than about 10 MB.
_WORTH_MERGING = 1 << 19

# Not pa.array([]), which imports pandas where it is installed; that takes longer than scoring a small file.
_NO_WORDS: pa.LargeBinaryArray = pa.nulls(0, pa.large_binary())


class Lexicon:
    """A growing set of words.

    >>> lexicon = Lexicon(pa.array([b"the", b"dog", b"the"], pa.large_binary()))
    >>> len(lexicon), lexicon.count_shared(Lexicon(pa.array([b"dog"], pa.large_binary())))
    (2, 1)
    """

    def __init__(self, words: pa.LargeBinaryArray = _NO_WORDS) -> None:
        self._types = pc.unique(words) if len(words) else words
        # Each array has distinct words, which may be repeated in others.
        self._waiting: list[pa.LargeBinaryArray] = []
        self._waiting_count = 0

    def update(self, other: Lexicon) -> None:
        """Add the types of `other`.

        The types wait until as many wait as are merged, so that all merges together take linear time.
        """
        self._waiting += [other._types, *other._waiting]
        self._waiting_count += len(other._types) + other._waiting_count
        if self._waiting_count > len(self._types) + _WORTH_MERGING:
            self._merge()

    def __getstate__(self) -> dict[str, object]:
        # Merge before pickling: the receiver would need longer.
        self._merge()
        return self.__dict__

    def copy(self) -> Lexicon:
        """Return an independent lexicon with the same types."""
        other = Lexicon()
        other.update(self)
        return other

    @property
    def types(self) -> pa.LargeBinaryArray:
        """The distinct words; their order has no meaning."""
        self._merge()
        return self._types

    def __len__(self) -> int:
        return len(self.types)

    def count_shared(self, other: Lexicon) -> int:
        """Return the number of types that both have."""
        return int(pc.is_in(self.types, value_set=other.types).true_count)

    def _merge(self) -> None:
        if self._waiting:
            self._types = pc.unique(pa.concat_arrays([self._types, *self._waiting]))
            self._waiting, self._waiting_count = [], 0
