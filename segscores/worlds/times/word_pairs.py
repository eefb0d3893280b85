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
from ...kernel.record import record
from ...kernel.steps import let_work_end

#: With more matches, a piece of a recording is divided before their ranks are found.
_MOST_MATCHES = 1 << 24
#: With more matches that are in longest common subsequences, the piece is divided before the nearest of them are chosen.
_MOST_IN_LONGEST = 1 << 21

Ranks = npt.NDArray[np.int32]
Values = npt.NDArray[np.complexfloating[Any, Any]]


@record
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


def pair_words(sides: tuple[Words, Words], counts: tuple[Positions, Positions]) -> tuple[Positions, Positions]:
    """Return the places of the paired words among the words of each side; `counts` are the words of each recording and side.

    Of recordings with 2 and 3 words on the left, the words of the second one are at the places 2 3 4.
    """
    left, right = sides
    left_counts, right_counts = counts
    if np.array_equal(left_counts, right_counts) and np.array_equal(left.labels, right.labels):
        # The labels of all recordings are equal: every word pairs with that at the same place.
        every_place = np.arange(len(left))
        return every_place, every_place
    pairs: list[Positions] = [np.zeros((0, 2), np.int64)]
    left_start = 0
    right_start = 0
    for left_count, right_count in zip(left_counts.tolist(), right_counts.tolist(), strict=True):
        left_stop = left_start + left_count
        right_stop = right_start + right_count
        of_recording = nearest_common_subsequence(left[left_start:left_stop], right[right_start:right_stop])
        pairs.append(of_recording + np.array([left_start, right_start]))
        left_start = left_stop
        right_start = right_stop
    left_places, right_places = np.concatenate(pairs).T
    return left_places, right_places


@record
class _Piece:
    """The words of both sides of a part of a recording, and the places at which they begin in the recording."""

    left_start: int
    left: Words
    right_start: int
    right: Words

    def in_recording(self, pairs: Positions) -> Positions:
        """Return pairs of places of the piece as pairs of places of the recording."""
        in_recording: Positions = pairs + np.array([self.left_start, self.right_start])
        return in_recording

    def divided(self, left_split: int, right_split: int) -> tuple[_Piece, _Piece]:
        """Return the pieces before and from two places on, one of each side."""
        first = _Piece(self.left_start, self.left[:left_split], self.right_start, self.right[:right_split])
        second = _Piece(
            self.left_start + left_split,
            self.left[left_split:],
            self.right_start + right_split,
            self.right[right_split:],
        )
        return first, second


def nearest_common_subsequence(left: Words, right: Words) -> Positions:
    """Return the places of the pairs of a recording, int64 of shape (n_pairs, 2): a longest common subsequence, the nearest.

    The naive equivalent looks at all common subsequences of the labels.
    """
    # To import it here saves time where no sides differ: it takes longer than to score a small file.
    similarity = import_module("rapidfuzz.distance.LCSseq").similarity
    pairs: list[Positions] = [np.zeros((0, 2), np.int64)]
    waiting = [_Piece(left_start=0, left=left, right_start=0, right=right)]  # the next piece is the last one
    while waiting:
        piece = waiting.pop()
        count = similarity(piece.left.labels.tolist(), piece.right.labels.tolist())
        if not count:
            continue
        if count == len(piece.left) == len(piece.right):
            # All words pair: 0 with 0, 1 with 1, and so on.
            places = np.arange(count)
            pairs.append(piece.in_recording(np.stack((places, places), axis=1)))
            continue
        search = _Search(piece.left, piece.right, count)
        found = search.pairs()
        if found is not None:
            pairs.append(piece.in_recording(found))
            continue
        # There are too many matches to look at: divide the piece into two, whose best pairs are those of the piece.
        half = len(piece.left) // 2
        first, second = piece.divided(half, search.split(half))
        waiting += [second, first]
    return np.concatenate(pairs)


@record
class _Matches:
    """Matches of longest common subsequences, sorted by their ranks, those of a rank by their places: left up, right down.

    A match after another one on both sides has a greater rank, so that matches of a rank never follow each other on both sides.

    Attributes:
        left, right: the places of the two words of each match.
        ranks: the number of pairs that can stand before each match.
    """

    left: Positions
    right: Positions
    ranks: Ranks

    @property
    def bounds(self) -> list[int]:
        """The index of the first match of each rank, and the number of matches: 0 2 3 for the ranks 0 0 1."""
        first_of_ranks = np.flatnonzero(np.diff(self.ranks, prepend=-1))
        return [*first_of_ranks.tolist(), len(self.ranks)]

    def nearest_chain(self, distances: Positions) -> list[int]:
        """Return the indices of matches of all ranks that follow each other on both sides, with the least sum of distances.

        `distances` are those of the two words of each match.
        """
        # The least sum of distances of a chain up to each match, and the match before it in that chain.
        sums = distances.copy()
        previous = np.zeros(len(sums), np.int64)
        bounds = self.bounds
        for first, stop, end in zip(bounds[:-2], bounds[1:-1], bounds[2:], strict=True):
            # The matches from `first` on are of one rank, those from `stop` to `end` of the next.
            nearest: int | Positions = first
            if stop - first > 1:
                # Matches 1-9 4-6 7-2 of a rank, whose left places go up and whose right places go down, and 6-8 of the next rank.
                # On the right side those from index 1 on stand before the 8, on the left side those before index 2 before the 6.
                # On both sides these are the indices from low 1 to before high 2.
                lows = np.searchsorted(-self.right[first:stop], -self.right[stop:end], side="right")
                highs = np.searchsorted(self.left[first:stop], self.left[stop:end])
                nearest = first + _least_within(sums[first:stop], lows, highs)
            previous[stop:end] = nearest
            sums[stop:end] += sums[nearest]
        # Go back from the best match of the last rank.
        first_of_last_rank = bounds[-2]
        match = first_of_last_rank + int(np.argmin(sums[first_of_last_rank:]))
        backwards = [match]
        # The ranks before the last one have a match each; `bounds` has one entry more than there are ranks.
        for _ in bounds[2:]:
            match = int(previous[match])
            backwards.append(match)
        return backwards[::-1]


def _least_within(values: Positions, lows: Positions, highs: Positions) -> Positions:
    """Return the index of the least value in each range, which is not empty.

    The naive equivalent is `low + np.argmin(values[low:high])` for each range.

    >>> _least_within(np.array([3, 1, 2]), np.array([0, 2]), np.array([2, 3]))
    array([1, 2])
    """
    lengths = highs - lows
    found: Positions = lows.copy()
    # least[i] is the index of the least of the `width` values from i on: values 3 1 2, width 2, least 1 1.
    least = np.arange(len(values))
    width = 1
    while True:
        # A range of 5 is covered by two of the width 4: one from its beginning, and one up to its end.
        covered = np.flatnonzero((width <= lengths) & (lengths < 2 * width))
        first = least[lows[covered]]
        second = least[highs[covered] - width]
        found[covered] = np.where(values[second] < values[first], second, first)
        if 2 * width > len(values):
            return found
        # Two neighbours of this width make one of twice the width.
        left = least[: len(least) - width]
        right = least[width:]
        least = np.where(values[right] < values[left], right, left)
        width *= 2


@record
class _Row:
    """The matches of a word of the left side: its place, and the places of the words of the right side, which increase."""

    place: int
    columns: Positions


@dataclass
class _Search:
    """The search for the pairs of a recording, of which the number is known.

    A longest common subsequence leaves out len(left) - count words of the left side and len(right) - count of the right side. So
    word i of the left side pairs with no word before i - (len(left) - count), and with none after i + (len(right) - count).
    """

    left: Words
    right: Words
    count: int  #: the number of pairs

    @property
    def is_divisible(self) -> bool:
        """True if the search may be divided at words of the left side: a single word is not."""
        return len(self.left) > 1

    def pairs(self) -> Positions | None:
        """Return the pairs, of shape (n_pairs, 2); None if there are too many matches of words with one label."""
        # A row has a word of the left side, and in its columns the words of the right side that match it.
        rows = self._reached_words()
        if self.is_divisible and sum(len(row.columns) for row in rows) > _MOST_MATCHES:
            return None
        matches = self._longest_matches(rows, self._ranks_of(rows))
        if matches is None:
            # There are too many even of those in a longest common subsequence.
            return None
        left = self.left[matches.left]
        right = self.right[matches.right]
        chain = matches.nearest_chain(np.abs(left.starts - right.starts) + np.abs(left.ends - right.ends))
        return np.stack((matches.left[chain], matches.right[chain]), axis=1)

    def _reached_words(self) -> list[_Row]:
        """Return the rows of the words of the left side that reach a word with their label."""
        size = len(self.right)
        places = np.arange(len(self.left))
        # 5 and 6 words, of which 4 pair: word 2 of the left side reaches the words 1 to 4 of the right side, from 1 to before 5.
        reach_begins = np.clip(places - (len(self.left) - self.count), 0, size)
        reach_ends = np.clip(places + (size - self.count) + 1, 0, size)
        # Labels b a b of the right side: its words sorted by label and place are 1 0 2.
        by_label = np.argsort(self.right.labels, kind="stable")
        # A key is the label and the place of a word in one number, so that the keys of `by_label` increase. A place is at most
        # `size`, where a reach ends behind the last word.
        keys = self.right.labels[by_label] * (size + 1) + by_label
        left_keys = self.left.labels * (size + 1)
        firsts = np.searchsorted(keys, left_keys + reach_begins)
        stops = np.searchsorted(keys, left_keys + reach_ends)
        reaching = np.flatnonzero(firsts < stops)
        return [
            _Row(place, by_label[first:stop])
            for place, first, stop in zip(
                reaching.tolist(), firsts[reaching].tolist(), stops[reaching].tolist(), strict=True
            )
        ]

    def _ranks_of(self, rows: Sequence[_Row]) -> list[Ranks]:
        """Return the ranks of the matches of each row: how many pairs can stand before each match."""
        # The least place of the right side at which 1, 2 … pairs can end; behind the last place until there is one.
        least = np.full(self.count, len(self.right))
        ranks = []
        for row in rows:
            let_work_end()  # an interruption may raise an error here
            ranks_of_row = least.searchsorted(row.columns)
            ranks.append(ranks_of_row.astype(np.int32))
            _lower(least, ranks_of_row, row.columns)
        return ranks

    def _longest_matches(self, rows: Sequence[_Row], ranks: Sequence[Ranks]) -> _Matches | None:
        """Return the matches of longest common subsequences, from the matches of each row and their ranks; None if too many.

        With 5 pairs in such a subsequence, a match of it that has 3 pairs before it has 1 after it. The pairs after a match are
        counted as `_ranks_of` counts those before it, but from the last row to the first, and with negative places: so the last
        place is the least.
        """
        # The least negative place at which the last 1, 2 … pairs can begin; 1, which is more than any, until there is one.
        least = np.full(self.count, 1)
        lefts: list[Positions] = []
        rights: list[Positions] = []
        ranks_of_longest: list[Ranks] = []
        total = 0
        for row, ranks_of_row in zip(reversed(rows), reversed(ranks), strict=True):
            let_work_end()
            columns = row.columns[::-1]
            pairs_before = ranks_of_row[::-1]
            pairs_after = least.searchsorted(-columns)
            is_longest = pairs_before + 1 + pairs_after == self.count
            longest_columns = columns[is_longest]
            # The pairs after a match of a longest subsequence are such matches, too, so that no others are needed.
            _lower(least, pairs_after[is_longest], -longest_columns)
            lefts.append(np.full(len(longest_columns), row.place))
            rights.append(longest_columns)
            ranks_of_longest.append(pairs_before[is_longest])
            total += len(longest_columns)
            if total > _MOST_IN_LONGEST and self.is_divisible:
                return None
        # The rows were collected from the last to the first; within a row the right side goes down already.
        left = np.concatenate(lefts[::-1])
        right = np.concatenate(rights[::-1])
        rank_of_match = np.concatenate(ranks_of_longest[::-1])
        # Matches of one rank stay in this order.
        order = np.argsort(rank_of_match, kind="stable")
        return _Matches(left[order], right[order], rank_of_match[order])

    def split(self, half: int) -> int:
        """Return the place that divides the right side where the left side is divided at `half`, so that as many words pair.

        The best pairs before the two places and the best pairs from them on are those of both sides as wholes. The latter are
        found as the former are, with all words in reverse order.
        """
        in_reverse = _Search(self.left[::-1], self.right[::-1], self.count)
        before = self._best(half)
        after = in_reverse._best(len(self.left) - half)
        # before[i] is the best of the first i words of the right side, after[i] that of the last i.
        return int(np.argmax(before + after[::-1]))

    def _best(self, count: int) -> Values:
        """Return the value of the best pairs of the first `count` words of the left side with the first 0, 1 … of the right side.

        A value is a complex number: the number of pairs, and as its imaginary part the negative sum of their distances. NumPy
        compares complex numbers by their real parts, and equal ones by their imaginary parts.

        Only the numbers of right words that the last left word reaches have their values: the other values are too small, and the
        right side is not divided there.
        """
        best = np.zeros(len(self.right) + 1, complex)
        left_out = len(self.left) - self.count
        right_out = len(self.right) - self.count
        for place in range(count):
            let_work_end()
            # The words of the right side that this word of the left side reaches, and those with its label.
            first = max(place - left_out, 0)
            stop = min(place + right_out + 1, len(self.right))
            same = first + np.flatnonzero(self.right.labels[first:stop] == self.left.labels[place])
            # If the word pairs with word i of the right side, the pairs before it are of the first i words.
            values = best[same] + 1 - 1j * self.left.distances(place, self.right, same)
            best[same + 1] = np.maximum(best[same + 1], values)
            # With more words of the right side the best pairs are as good, or better: take the greatest value so far. Beyond
            # `stop` no value is needed yet, because only the next left word reaches one word further.
            reached = best[first : stop + 1]
            np.maximum.accumulate(reached, out=reached)
        return best


def _lower(least: Positions, ranks: Positions, places: Positions) -> None:
    """Lower, in place, the least place of each rank to the first place with this rank; ranks and places increase."""
    # ranks 0 0 1 of the places 4 7 9: the least place of rank 0 is 4, and that of rank 1 is 9.
    is_first = np.ones(len(ranks), bool)
    np.not_equal(ranks[1:], ranks[:-1], out=is_first[1:])
    least[ranks[is_first]] = places[is_first]
