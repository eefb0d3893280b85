"""Lexicon: the set of word types of one side, gathered part by part.

It is the one statistic here that is not a sum: two lexicons merge by union. A type is a distinct word as a sequence of
units, held as bytes in an Arrow array, so that millions of types cost little more than their letters.
"""

from __future__ import annotations

__all__ = ["Lexicon"]

import pyarrow as pa
import pyarrow.compute as pc

# Below this many waiting words a merge costs more than the memory that it frees is worth, some 20 MB.
_WORTH_MERGING = 1 << 20


class Lexicon:
    """A growing set of words.

    Args:
        words: large_binary, in any order, with repetitions.

    >>> lexicon = Lexicon(pa.array([b"the", b"dog", b"the"], pa.large_binary()))
    >>> len(lexicon), lexicon.count_shared(Lexicon(pa.array([b"dog"], pa.large_binary())))
    (2, 1)
    """

    def __init__(self, words: pa.LargeBinaryArray | None = None) -> None:
        # Not pa.array([]): where pandas is installed that imports it, which takes longer than scoring a small file.
        self._types: pa.LargeBinaryArray = pa.nulls(0, pa.large_binary()) if words is None else words.unique()
        self._waiting: list[pa.LargeBinaryArray] = []
        self._waiting_count = 0

    def update(self, other: Lexicon) -> None:
        """Add the types of `other`.

        Merging waits until as many types came in as are held, so that all merges together stay linear.
        """
        self._waiting.append(other.types)
        self._waiting_count += len(other.types)
        if self._waiting_count > len(self._types) + _WORTH_MERGING:
            self._merge()

    def __getstate__(self) -> dict[str, object]:
        # What waits is merged first: a lexicon is sent to where merging would take longer.
        return {"_types": self.types, "_waiting": [], "_waiting_count": 0}

    def copy(self) -> Lexicon:
        """A lexicon with the same types, that grows apart from this one."""
        other = Lexicon()
        other._types, other._waiting, other._waiting_count = self._types, list(self._waiting), self._waiting_count
        return other

    @property
    def types(self) -> pa.LargeBinaryArray:
        """The distinct words, in order of appearance."""
        if self._waiting:
            self._merge()
        return self._types

    def __len__(self) -> int:
        return len(self.types)

    def count_shared(self, other: Lexicon) -> int:
        """How many types both have."""
        if not len(self) or not len(other):
            return 0
        return int(pc.sum(pc.is_in(self.types, value_set=other.types)).as_py())

    def _merge(self) -> None:
        self._types = pa.concat_arrays([self._types, *self._waiting]).unique()
        self._waiting, self._waiting_count = [], 0
