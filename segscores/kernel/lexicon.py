"""Lexicon: the set of word types of one side, collected part by part.

A lexicon is the only statistic here that is not a sum: two lexicons merge by union. A type is a distinct word, as a
sequence of units and so as a sequence of bytes.
"""

from __future__ import annotations

import pyarrow as pa

from . import arrow_functions as pc

#: At least so many words wait for a merge: a merge of fewer would free less than about 10 MB.
_WORTH_MERGING = 1 << 19
#: Fewer words wait as they come: to find the types of all words at once takes a fifth of the time.
_WORTH_FINDING_TYPES = 1 << 13

# Not pa.array([]), which imports pandas where it is installed; that takes longer than scoring a small file.
_NO_WORDS: pa.LargeBinaryArray = pa.nulls(0, pa.large_binary())


class Lexicon:
    """A growing set of words.

    >>> lexicon = Lexicon(pa.array([b"the", b"dog", b"the"], pa.large_binary()))
    >>> len(lexicon), lexicon.count_shared(Lexicon(pa.array([b"dog"], pa.large_binary())))
    (2, 1)
    """

    def __init__(self, words: pa.LargeBinaryArray = _NO_WORDS) -> None:
        #: The words. After a merge there is one array, of all types. Further arrays follow it, in which words are repeated.
        self._arrays: list[pa.LargeBinaryArray] = []
        self._type_count = 0  #: the number of types after the last merge
        self._word_count = 0  #: the number of words in all arrays
        if len(words):
            if len(words) >= _WORTH_FINDING_TYPES:
                words = pc.unique(words)
            self._arrays.append(words)
            self._word_count = len(words)

    def update(self, other: Lexicon) -> None:
        """Add the types of `other`.

        They wait until more words wait than there are types. So all merges together take linear time.
        """
        self._arrays += other._arrays
        self._word_count += other._word_count
        if self._word_count > 2 * self._type_count + _WORTH_MERGING:
            self._merge()

    def __getstate__(self) -> dict[str, object]:
        # Merge before pickling: the receiver would need longer.
        self._merge()
        return self.__dict__

    def copy(self) -> Lexicon:
        """Return an independent lexicon with the same types."""
        other = Lexicon()
        other._arrays = [*self._arrays]
        other._word_count = self._word_count
        other._type_count = self._type_count
        return other

    @property
    def types(self) -> pa.LargeBinaryArray:
        """The distinct words; their order has no meaning."""
        self._merge()
        if not self._arrays:
            return _NO_WORDS
        (types,) = self._arrays
        return types

    def __len__(self) -> int:
        return len(self.types)

    def count_shared(self, other: Lexicon) -> int:
        """Return the number of types that both have."""
        return int(pc.is_in(self.types, value_set=other.types).true_count)

    def _merge(self) -> None:
        """Make one array of the types, if words have come since the last merge."""
        if self._word_count > self._type_count:
            types = pc.unique(pa.chunked_array(self._arrays))
            self._arrays = [types]
            self._type_count = len(types)
            self._word_count = len(types)
