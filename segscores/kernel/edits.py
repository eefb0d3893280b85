"""Edits: among the minimal edit scripts between the units of two sides, the one that keeps most words.

Conventions
-----------
- An edit inserts a unit (only the prediction has it), deletes a unit (only the reference has it) or substitutes one unit for
  another. A minimal edit script has as few edits as possible: their number is the Levenshtein distance of the units.
- Several scripts may be minimal. The search prefers, in this order, the script that keeps most words, that keeps most boundaries,
  and that has the fewest substitutions. Ties: it compares scripts from the end, and at the first difference prefers an insertion,
  then a deletion, then a pair of units. So the script, and with it every count, is determined. Exchanging the two sides exchanges
  insertions and deletions, and changes neither the number of kept words nor the number of kept boundaries.
- Units that are equal or substituted are anchors. The gaps between anchors hold inserted or deleted units. A minimal
  script never has both kinds in one gap.

Time and memory grow with (n + m)·(d + 1) for sides of n and m units and a distance of d. An utterance for which this product
exceeds `MAX_CELLS`, or n + m reaches `MAX_UNITS`, gets the minimal script that rapidfuzz finds: of its counts only the number of
edits is determined. rapidfuzz holds the interpreter's lock, so it gets utterances of more than `AT_ONCE` cells in pieces that
minimal scripts align, and other threads and Ctrl-C have their turn.

Sources
-------
Levenshtein (1966), Soviet Physics Doklady 10:707-710; pieces: Hirschberg (1975), Communications of the ACM 18:341-343, with the
distances that Hyyrö (2003), Nordic Journal of Computing 10:29-39, computes for all rows at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from .arrays import Positions
from .edit_search import Search, SearchedSide, batches_of
from .record import record
from .steps import announce_steps, finish_steps, let_work_end
from .units import Units

#: Above these limits rapidfuzz finds the script of an utterance: it is minimal too, but not chosen for the words it keeps.
MAX_CELLS = 1 << 24
MAX_UNITS = 1 << 16
#: The largest number of cells that rapidfuzz aligns in one call, in some tenths of a second.
AT_ONCE = 1 << 32


def align_units(left: Units, right: Units) -> Positions:
    """Return for every unit of the prediction the unit of the reference that it equals or replaces; -1 for an inserted one.

    `left` is the reference, `right` the prediction.
    """
    from rapidfuzz.distance import Levenshtein

    partners = np.full(len(right.codes), -1, np.int64)
    # The utterances that have units on both sides. The arrays below have a value for each of them.
    filled = np.flatnonzero((left.lengths > 0) & (right.lengths > 0))
    left_texts = left.strings(filled)
    right_texts = right.strings(filled)
    unit_counts = (left.lengths + right.lengths)[filled]
    # The search takes (n + m)·(d + 1) cells: the cutoff is the largest d for which these are at most MAX_CELLS. A greater
    # distance is not computed: its utterance goes to rapidfuzz.
    cutoffs = np.where(unit_counts < MAX_UNITS, np.maximum(MAX_CELLS // unit_counts - 1, 0), 0)
    limited = zip(left_texts, right_texts, cutoffs.tolist(), strict=True)
    distances = np.array(
        [Levenshtein.distance(left_text, right_text, score_cutoff=cutoff) for left_text, right_text, cutoff in limited],
        np.int64,
    )
    is_huge = (unit_counts >= MAX_UNITS) | (distances > cutoffs)

    # Utterances that take too many cells get the script of rapidfuzz; the best script of the others is searched for.
    for index in np.flatnonzero(is_huge).tolist():
        left_start = left.starts[filled[index]]
        right_start = right.starts[filled[index]]
        for run in _anchors(left_texts[index], right_texts[index]):
            steps = np.arange(run.length)
            partners[right_start + run.right_start + steps] = left_start + run.left_start + steps
    _search(left, right, filled[~is_huge], distances[~is_huge], partners)
    return partners


def _search(left: Units, right: Units, utterances: Positions, distances: Positions, partners: Positions) -> None:
    """Write the partners of the anchors in the best scripts of some utterances.

    `distances` has a value for each of these utterances. `partners` has for each unit of the right side the unit of the left one
    that it equals or replaces, or −1, as `align_units` returns them.
    """
    unit_counts = left.lengths[utterances] + right.lengths[utterances]
    left_boundaries = left.boundaries()
    right_boundaries = right.boundaries()
    for batch in batches_of(unit_counts, distances):
        # Who listens to the progress, such as the page, may raise an error here: it ends a search that nobody waits for.
        let_work_end()
        left_side = SearchedSide.of(left, left_boundaries, utterances[batch])
        right_side = SearchedSide.of(right, right_boundaries, utterances[batch])
        Search(left_side, right_side, distances[batch]).run(partners)


class _Run(NamedTuple):
    """A run of anchors: units of two texts that are equal or substituted, one after the other."""

    left_start: int
    right_start: int
    length: int


@record
class _Piece:
    """Parts of two texts to align with each other, and where they begin in their texts."""

    left: str
    left_start: int
    right: str
    right_start: int

    @property
    def cell_count(self) -> int:
        """The number of cells of the table of distances."""
        return len(self.left) * len(self.right)

    def halves(self) -> tuple[_Piece, _Piece]:
        """Return two pieces whose minimal scripts together are a minimal script of this one."""
        half = len(self.right) // 2
        # For the left text `abc` the distances of "", a, ab, abc from the first half of the right text, and of abc, bc, c, ""
        # from the second half. Read backwards, ends are beginnings, from the shortest one on, so that their order is reversed.
        of_beginnings = _distances(self.left, self.right[:half])
        of_ends = _distances(self.left[::-1], self.right[half:][::-1])[::-1]
        # The left text is split where the beginning and the rest together have the least distance.
        split = int(np.argmin(of_beginnings + of_ends))
        first = _Piece(self.left[:split], self.left_start, self.right[:half], self.right_start)
        second = _Piece(self.left[split:], self.left_start + split, self.right[half:], self.right_start + half)
        return first, second


def _anchors(left: str, right: str) -> Iterator[_Run]:
    """Yield the runs of anchors of a minimal script, from left to right.

    Large pieces are halved: the right one in its middle, the left one where the distances of both halves add up to the least.
    """
    from rapidfuzz.distance import Levenshtein

    # Each level of splitting visits half as many cells as the one before: all levels together at most twice as many as the first.
    announce_steps(2 * len(left) * len(right))
    pieces = [_Piece(left, left_start=0, right=right, right_start=0)]
    while pieces:
        piece = pieces.pop()
        # With at most so many edits a piece is aligned within the limit of time, however long it is.
        cutoff = AT_ONCE // max(len(piece.left), len(piece.right), 1)
        may_be_halved = piece.cell_count > AT_ONCE and len(piece.right) > 1
        # A greater distance than the cutoff is not computed: rapidfuzz returns the cutoff and 1.
        if may_be_halved and Levenshtein.distance(piece.left, piece.right, score_cutoff=cutoff) > cutoff:
            first, second = piece.halves()
            # The last one is taken first, so that runs come from left to right.
            pieces += [second, first]
            continue
        # The hint, at which distance to look first, changes the time alone.
        for opcode in Levenshtein.opcodes(piece.left, piece.right, score_hint=cutoff):
            if opcode.tag in ("equal", "replace"):
                length = opcode.dest_end - opcode.dest_start
                # Opcodes count from the beginning of the piece, runs from the beginnings of the texts.
                left_start = piece.left_start + opcode.src_start
                right_start = piece.right_start + opcode.dest_start
                yield _Run(left_start, right_start, length)
        # As many steps as further splitting would take.
        finish_steps(2 * piece.cell_count)


def _distances(left: str, right: str) -> Positions:
    """Return the distance of each beginning of the left text, from the empty one to the whole, to the right text.

    A column of the table of distances is two integers. The lowest bit of an integer stands for the row of the first unit of the
    left text. In `rises` a bit is set if the distance is 1 more than in the row above, and in `falls` if it is 1 less. The names
    of Hyyrö (2003) for these, `is_diagonal`, `increases` and `decreases` are VP, VN, D0, and HP and HN after their shift.
    """
    codes = np.frombuffer(left.encode("utf-32-le", "surrogatepass"), "<u4")

    @lru_cache(1 << 10)
    def rows_of(unit: str) -> int:
        """Return the rows of a unit of the left text, as bits: 0b101 for `a` in `aba`."""
        return int.from_bytes(np.packbits(codes == ord(unit), bitorder="little").tobytes(), "little")

    all_rows = (1 << len(left)) - 1
    rises = all_rows
    falls = 0
    for unit in right:
        equal = rows_of(unit)
        # `rises` and `falls` are still those of the column before. The rows whose distance is that of the row above in the column
        # before: their units are equal, or the column before falls to the row. So is the row below such a row, if the column
        # before rises to that one: the addition carries this from row to row.
        carried = ((equal & rises) + rises) ^ rises
        is_diagonal = (carried | equal | falls) & all_rows
        # The rows below a row with a distance of 1 more, or 1 less, than in the column before. The top row, of the empty
        # beginning, is 1 more after each unit.
        is_neither = all_rows ^ (is_diagonal | rises)
        increases = ((falls | is_neither) << 1) | 1
        decreases = (is_diagonal & rises) << 1
        rises = (decreases | ~(is_diagonal | increases)) & all_rows
        falls = is_diagonal & increases
        finish_steps(len(left))
    steps = _bits_of(rises, len(left)) - _bits_of(falls, len(left))
    # The empty beginning is at a distance of all units of the other text.
    return np.cumsum(np.concatenate(([len(right)], steps)))


def _bits_of(number: int, bit_count: int) -> Positions:
    """Return the lowest bits of a number, 0 or 1, the lowest first."""
    packed = np.frombuffer(number.to_bytes(bit_count // 8 + 1, "little"), np.uint8)
    return np.unpackbits(packed, count=bit_count, bitorder="little").astype(np.int64)
