"""Word pairs: words of both sides with the same labels in the same order, as many as possible, and of these the nearest in time.

Conventions
-----------
- The pairs of a recording are a longest common subsequence of the labels. Where there are several, as with words that occur
  twice, it is one with the smallest sum of distances. The distance of two words is that of their starts plus that of their ends.
- A match is a word of each side with the same label. Its rank is the number of pairs that can stand before it. The matches of
  longest common subsequences have as many pairs before and after them as such a subsequence has, and each of these has one match
  of each rank. Most ranks have a single match, so that little is left to choose.

The ranks are found row by row with the least place of the right side at which a number of pairs can end. Recordings with too many
matches are divided, so that memory is bounded.

Sources
-------
Ranks: Hunt & Szymanski (1977), Communications of the ACM 20:350-353. Division: Hirschberg (1975), Communications of the ACM
18:341-343. The number of pairs, with which the reach of a word is known: Hyyrö (2004), Australasian Workshop on Combinatorial
Algorithms, as in rapidfuzz.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from ...kernel.arrays import Positions
from ...kernel.steps import on_steps

#: The most matches of which the ranks, and the most matches of longest common subsequences that are looked at without division.
_MOST_MATCHES = 1 << 24
_MOST_IN_LONGEST = 1 << 21

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
        place = np.array([left_start, right_start])
        if count == len(left) == len(right):
            pairs.append(np.arange(count)[:, np.newaxis] + place)
            continue
        search = _Search(left, right, count)
        found = search.pairs()
        if found is not None:
            pairs.append(found + place)
            continue
        half = len(left) // 2
        split = search.split(half)
        pieces.append((left_start + half, left[half:], right_start + split, right[split:]))
        pieces.append((left_start, left[:half], right_start, right[:split]))
    return np.concatenate(pairs)


@dataclass(frozen=True)
class _Matches:
    """Matches of longest common subsequences, sorted by their ranks, those of a rank by their places: left up, right down.

    A match after another one on both sides has a greater rank, so that matches of a rank never follow each other on both sides.
    """

    left: Positions
    right: Positions
    ranks: Positions

    @property
    def bounds(self) -> list[int]:
        """The index of the first match of each rank, and the number of matches."""
        first_of_ranks = np.flatnonzero(np.diff(self.ranks, prepend=-1))
        return [*first_of_ranks.tolist(), len(self.ranks)]

    def nearest_chain(self, distances: Positions) -> list[int]:
        """Return the indices of matches of all ranks that follow each other on both sides, with the least sum of distances."""
        sums = distances.copy()
        befores = np.zeros(len(sums), np.int64)
        bounds = self.bounds
        for first, stop, end in zip(bounds, bounds[1:], bounds[2:], strict=False):
            # The matches from `first` on are of one rank, those from `stop` to `end` of the next.
            nearest: int | Positions = first
            if stop - first > 1:
                lows = np.searchsorted(-self.right[first:stop], -self.right[stop:end], side="right")
                highs = np.searchsorted(self.left[first:stop], self.left[stop:end])
                nearest = first + _least_within(sums[first:stop], lows, highs)
            befores[stop:end] = nearest
            sums[stop:end] += sums[nearest]
        chain = [bounds[-2] + int(np.argmin(sums[bounds[-2] :]))]
        for _ in range(len(bounds) - 2):
            chain.append(int(befores[chain[-1]]))
        chain.reverse()
        return chain


def _least_within(values: Positions, lows: Positions, highs: Positions) -> Positions:
    """Return the index of the least value in each range, which is not empty.

    The naive equivalent is `low + np.argmin(values[low:high])` for each range.

    >>> _least_within(np.array([3, 1, 2]), np.array([0, 2]), np.array([2, 3]))
    array([1, 2])
    """
    lengths = highs - lows
    found: Positions = lows.copy()
    # Ranges of 1, 2 and 5 are covered by two of the length 1, 2 and 4, of which all least values are known.
    least = np.arange(len(values))
    width = 1
    while True:
        is_covered = np.flatnonzero((width <= lengths) & (lengths < 2 * width))
        first = least[lows[is_covered]]
        second = least[highs[is_covered] - width]
        found[is_covered] = np.where(values[second] < values[first], second, first)
        if 2 * width > len(values):
            return found
        left = least[: len(least) - width]
        right = least[width:]
        least = np.where(values[right] < values[left], right, left)
        width *= 2


@dataclass
class _Search:
    """The search for the pairs of a recording, of which the number is known.

    A longest common subsequence leaves out len(left) - count words of the left side and len(right) - count of the right side. So
    word i of the left side pairs with no word before i - (len(left) - count), and with none after i + (len(right) - count).
    """

    left: Words
    right: Words
    count: int

    def pairs(self) -> Positions | None:
        """Return the pairs; None if there are too many matches."""
        # The words of the right side sorted by their labels, and by their places.
        places = np.argsort(self.right.labels, kind="stable")
        firsts, stops = self._reaches(places)
        # A single word is never divided.
        is_divisible = len(self.left) > 1
        if is_divisible and int((stops - firsts).sum()) > _MOST_MATCHES:
            return None
        matches = self._matches(places, firsts, stops)
        if matches is None:
            return None
        left = self.left[matches.left]
        right = self.right[matches.right]
        chain = matches.nearest_chain(np.abs(left.starts - right.starts) + np.abs(left.ends - right.ends))
        return np.stack((matches.left[chain], matches.right[chain]), axis=1)

    def _reaches(self, places: Positions) -> tuple[Positions, Positions]:
        """Return for each word of the left side where the words that it reaches, with its label, begin and end in `places`."""
        size = len(self.right)
        rows = np.arange(len(self.left))
        # 5 and 6 words, of which 4 pair: word 2 of the left side reaches the words 1 to 4 of the right side.
        lowest = np.clip(rows - (len(self.left) - self.count), 0, size)
        highest = np.clip(rows + (size - self.count) + 1, 0, size)
        # A key has the label, and the place of a word.
        keys = self.right.labels[places] * (size + 1) + places
        labels = self.left.labels * (size + 1)
        return np.searchsorted(keys, labels + lowest), np.searchsorted(keys, labels + highest)

    def _matches(self, places: Positions, firsts: Positions, stops: Positions) -> _Matches | None:
        """Return the matches of longest common subsequences; None if there are too many."""
        report = on_steps.get()
        rows = np.flatnonzero(firsts < stops)
        runs = [*zip(rows.tolist(), firsts[rows].tolist(), stops[rows].tolist(), strict=True)]
        # The least place of the right side at which 1, 2 … pairs can end.
        least = np.full(self.count, len(self.right))
        ranks = []
        for _, first, stop in runs:
            report(0, 0)
            columns = places[first:stop]
            of_row = least.searchsorted(columns)
            ranks.append(of_row.astype(np.int32))
            _lower(least, of_row, columns)
        # The negative of the greatest place at which the last 1, 2 … pairs can begin.
        least = np.full(self.count, 1)
        found: list[tuple[int, Positions, Positions]] = []
        total = 0
        for (row, first, stop), ranks_of_row in zip(reversed(runs), reversed(ranks), strict=True):
            report(0, 0)
            columns = places[first:stop][::-1]
            before = ranks_of_row[::-1]
            after = least.searchsorted(-columns)
            is_longest = before + after + 1 == self.count
            _lower(least, after[is_longest], -columns[is_longest])
            found.append((row, columns[is_longest][::-1], before[is_longest][::-1]))
            total += len(found[-1][1])
            if total > _MOST_IN_LONGEST and len(self.left) > 1:
                return None
        # From the last row to the first, and within a row from left to right, as collected: reverse both.
        left = np.repeat([row for row, _, _ in found], [len(columns) for _, columns, _ in found])[::-1]
        right = np.concatenate([columns for _, columns, _ in found])[::-1]
        of_all = np.concatenate([before for _, _, before in found])[::-1]
        order = np.argsort(of_all, kind="stable")
        return _Matches(left[order], right[order], of_all[order])

    def split(self, half: int) -> int:
        """Return how many words of the right side stand before the pairs of all words of the left side from `half` on."""
        backwards = slice(None, None, -1)
        reverse = _Search(self.left[backwards], self.right[backwards], self.count)
        before = self._best(half)
        after = reverse._best(len(self.left) - half)
        return int(np.argmax(before + after[::-1]))

    def _best(self, count: int) -> Values:
        """Return the value of the best pairs of the first `count` words of the left side with each beginning of the right side.

        A value is a complex number: the number of pairs, and as its imaginary part the negative sum of their distances. NumPy
        compares complex numbers by their real parts, and equal ones by their imaginary parts.
        """
        report = on_steps.get()
        best = np.zeros(len(self.right) + 1, complex)
        before = len(self.left) - self.count
        after = len(self.right) - self.count
        for place in range(count):
            report(0, 0)
            first = max(place - before, 0)
            stop = min(place + after + 1, len(self.right))
            same = first + np.flatnonzero(self.right.labels[first:stop] == self.left.labels[place])
            values = best[same] + 1 - 1j * self.left.distances(place, self.right, same)
            reached = best[first : stop + 1]
            best[same + 1] = np.maximum(best[same + 1], values)
            np.maximum.accumulate(reached, out=reached)
        return best


def _lower(least: Positions, ranks: Positions, places: Positions) -> None:
    """Lower the least place of each rank to the first one of these places, which increase."""
    is_first = np.ones(len(ranks), bool)
    np.not_equal(ranks[1:], ranks[:-1], out=is_first[1:])
    least[ranks[is_first]] = places[is_first]
