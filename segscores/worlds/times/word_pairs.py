"""Word pairs: words of both sides with the same labels in the same order, as many as possible, and of these the nearest in time.

Conventions
-----------
- The pairs of a recording are a longest common subsequence of the labels. Where there are several, as with words that occur
  twice, it is one with the smallest sum of distances. The distance of two words is that of their starts plus that of their ends.
- A value is a complex number: the number of pairs, and as its imaginary part the negative sum of their distances. NumPy compares
  complex numbers by their real parts, and equal ones by their imaginary parts, so a larger value is a better pairing.

The search is dynamic programming over all words of one side and those of the other that a longest common subsequence can reach.
Recordings with more than AT_ONCE cells are divided, so that memory is linear in the words.

Sources
-------
Division: Hirschberg (1975), Communications of the ACM 18:341-343; the number of pairs, with which the reach is known:
Hyyrö (2004), Australasian Workshop on Combinatorial Algorithms, as in rapidfuzz.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from ...kernel.arrays import Mask, Positions
from ...kernel.steps import on_steps

#: The number of cells, of a byte each, that are searched without division.
AT_ONCE = 1 << 22

Values = npt.NDArray[np.complexfloating[Any, Any]]


@dataclass(frozen=True)
class Words:
    """Words of one side in order: the numbers of their labels, and their times in ticks."""

    labels: Positions
    starts: Positions
    ends: Positions

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, places: slice | Positions) -> Words:
        return Words(self.labels[places], self.starts[places], self.ends[places])

    def distances(self, place: int, others: Words, places: Positions) -> Positions:
        """Return the distances of a word to words of the other side."""
        of_starts: Positions = np.abs(others.starts[places] - self.starts[place])
        of_ends: Positions = np.abs(others.ends[places] - self.ends[place])
        return of_starts + of_ends


def pair_words(sides: tuple[Words, Words], counts: Sequence[Positions]) -> tuple[Positions, Positions]:
    """Return the places of the paired words of both sides; `counts` are the numbers of words of each recording."""
    left, right = sides
    if np.array_equal(counts[0], counts[1]) and np.array_equal(left.labels, right.labels):
        every = np.arange(len(left))
        return every, every
    pairs: list[Positions] = [np.zeros((0, 2), np.int64)]
    begin = other_begin = 0
    for stop, other_stop in zip(np.cumsum(counts[0]).tolist(), np.cumsum(counts[1]).tolist(), strict=True):
        of_recording = nearest_common_subsequence(left[begin:stop], right[other_begin:other_stop])
        pairs.append(of_recording + np.array([begin, other_begin]))
        begin = stop
        other_begin = other_stop
    both = np.concatenate(pairs)
    return both[:, 0], both[:, 1]


def nearest_common_subsequence(left: Words, right: Words) -> Positions:
    """Return the places of the pairs of a recording, int64 of shape (n_pairs, 2): a longest common subsequence, the nearest.

    The naive equivalent looks at all common subsequences of the labels.
    """
    # It takes longer to import than a small file to score.
    similarity = import_module("rapidfuzz.distance.LCSseq").similarity
    pairs: list[Positions] = [np.zeros((0, 2), np.int64)]
    # A piece has its words of the left side and where these begin, and its words of the right side and where these begin.
    pieces = [(0, left, 0, right)]
    while pieces:
        left_start, left, right_start, right = pieces.pop()
        count = similarity(left.labels.tolist(), right.labels.tolist())
        if not count:
            continue
        search = _Search(left, right, count)
        place = np.array([left_start, right_start])
        if count == len(left) == len(right):
            pairs.append(np.arange(count)[:, np.newaxis] + place)
        elif len(left) * search.width <= AT_ONCE or len(left) == 1:
            pairs.append(search.pairs() + place)
        else:
            half = len(left) // 2
            split = search.split(half)
            pieces.append((left_start + half, left[half:], right_start + split, right[split:]))
            pieces.append((left_start, left[:half], right_start, right[:split]))
    return np.concatenate(pairs)


@dataclass(frozen=True)
class _Row:
    """A word of the left side: which values it raised, from the column `first` on, and which words of the right side it took."""

    first: int
    is_better: Mask
    taken: Positions


@dataclass
class _Search:
    """The search for the pairs of a recording, of which the number is known.

    `best[j]` is the value of the best pairs of the first words of the left side with the first j words of the right side. A
    longest common subsequence leaves out len(left) - count words of the left side and len(right) - count of the right side. So
    word i of the left side pairs with no word before i - (len(left) - count), and with none after i + (len(right) - count).
    """

    left: Words
    right: Words
    count: int

    @property
    def width(self) -> int:
        """The number of words of the right side that a word of the left side can reach."""
        return min(len(self.left) + len(self.right) - 2 * self.count + 1, len(self.right))

    def split(self, half: int) -> int:
        """Return how many words of the right side stand before the pairs of all words of the left side from `half` on."""
        before = self._start()
        after = self._start()
        for _ in self._rows(before, half):
            pass
        backwards = slice(None, None, -1)
        reverse = _Search(self.left[backwards], self.right[backwards], self.count)
        for _ in reverse._rows(after, len(self.left) - half):
            pass
        return int(np.argmax(before + after[::-1]))

    def pairs(self) -> Positions:
        """Return the pairs, with a byte of memory for each cell."""
        rows = [*self._rows(self._start(), len(self.left))]
        pairs = []
        column = len(self.right)
        for place in range(len(rows) - 1, -1, -1):
            row = rows[place]
            # Columns beyond the reach of a row have the value of its last column.
            at = min(column - row.first, len(row.is_better) - 1)
            if at >= 0 and row.is_better[at]:
                column = int(row.taken[np.searchsorted(row.taken, column) - 1])
                pairs.append((place, column))
        return np.array(pairs[::-1], np.int64).reshape(-1, 2)

    def _start(self) -> Values:
        return np.zeros(len(self.right) + 1, complex)

    def _rows(self, best: Values, count: int) -> Iterator[_Row]:
        """Take the first `count` words of the left side in turn, with `best` in place."""
        report = on_steps.get()
        # 5 and 6 words, of which 4 pair: word 2 of the left side reaches the words 1 to 4 of the right side.
        before = len(self.left) - self.count
        after = len(self.right) - self.count
        for place in range(count):
            report(0, 0)
            first = max(place - before, 0)
            stop = min(place + after + 1, len(self.right))
            # The words of the right side with the same label. A value has the number of pairs as its real part, and the negative
            # sum of distances as its imaginary part: numpy compares the real parts first.
            same = first + np.flatnonzero(self.right.labels[first:stop] == self.left.labels[place])
            values = best[same] + 1 - 1j * self.left.distances(place, self.right, same)
            reached = best[first : stop + 1]
            old = reached.copy()
            best[same + 1] = np.maximum(best[same + 1], values)
            np.maximum.accumulate(reached, out=reached)
            is_better = reached != old
            # A pair is taken where its value is the best one of its column, and better than the one before.
            is_taken = is_better[same + 1 - first] & (best[same + 1] == values)
            yield _Row(first, is_better, same[is_taken])
