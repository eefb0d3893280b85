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
Levenshtein (1966), Soviet Physics Doklady 10:707-710; the band of width d + 1 in which all minimal scripts lie: Ukkonen
(1985), Information and Control 64:100-118; pieces: Hirschberg (1975), Communications of the ACM 18:341-343, with the
distances that Hyyrö (2003), Nordic Journal of Computing 10:29-39, computes for all rows at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, reduce
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from .arrays import Bytes, Mask, Positions, binary_slices, lengths_of, numbers_of
from .segmentation import Segmentation
from .steps import on_steps

#: Above these limits rapidfuzz finds the script of an utterance: it is minimal too, but not chosen for the words it keeps.
MAX_CELLS = 1 << 24
MAX_UNITS = 1 << 16
#: The largest number of cells that rapidfuzz aligns in one call, in some tenths of a second.
AT_ONCE = 1 << 32
#: The number of cells that are searched at once.
_BATCH_CELLS = 1 << 21

# Costs of scripts compare first by edits, then words kept, boundaries kept and substitutions; each fits below the next.
_EDIT = 1 << 48
_WORD = 1 << 32
_BOUNDARY = 1 << 16
_SUBSTITUTION = 1

_IMPOSSIBLE = 1 << 61

# A cell of the search has three states: within a gap that has no shared boundary yet, within a gap that has one, and
# within a word that both sides have and that is unedited so far.
_PLAIN = 0
_SHARED = 1
_WITHIN = 2


@dataclass(frozen=True)
class Units:
    """The units of one side as numbers, all utterances concatenated; positions count units."""

    codes: npt.NDArray[np.uint32]  #: uint32, equal for equal units, on both sides
    ends: Positions
    byte_ends: Positions  #: where each unit ends in the text, in bytes, after a leading 0
    word_ends: Positions
    utterances: Positions  #: the utterance of each word

    @property
    def starts(self) -> Positions:
        """Where each utterance begins."""
        return self.ends - self.lengths

    @property
    def lengths(self) -> Positions:
        """The number of units of each utterance."""
        return lengths_of(self.ends)

    @property
    def word_starts(self) -> Positions:
        """Where each word begins."""
        return np.concatenate((np.zeros(min(1, len(self.word_ends)), np.int64), self.word_ends[:-1]))

    def boundaries(self) -> Mask:
        """Return a mask of the positions at which a word begins or ends; an utterance of n units has n + 1 positions."""
        is_boundary = np.zeros(len(self.codes) + len(self.ends), bool)
        # utterances of 3 and 2 units have the positions 0 to 3 and 4 to 6: each utterance before one adds a position.
        is_boundary[self.starts + np.arange(len(self.ends))] = True
        is_boundary[self.word_ends + self.utterances] = True
        return is_boundary


def read_units(reference: Segmentation, prediction: Segmentation) -> tuple[Units, Units]:
    """Return the units of both sides as numbers, equal for equal units."""
    left = np.append(0, reference.unit_ends())
    right = np.append(0, prediction.unit_ends())
    left_text = reference.require_text()
    right_text = prediction.require_text()
    if reference.unit == "character":
        return _units_of(reference, left, _code_points(left_text)), _units_of(
            prediction, right, _code_points(right_text)
        )
    # Number the tokens of both sides together.
    tokens = pa.concat_arrays([binary_slices(left_text, left[1:]), binary_slices(right_text, right[1:])])
    codes = numbers_of(tokens.dictionary_encode().indices).astype(np.uint32)
    count = len(left) - 1
    return _units_of(reference, left, codes[:count]), _units_of(prediction, right, codes[count:])


def _code_points(text: Bytes) -> npt.NDArray[np.uint32]:
    return np.frombuffer(text.tobytes().decode().encode("utf-32-le"), "<u4")


def _units_of(side: Segmentation, byte_ends: Positions, codes: npt.NDArray[np.uint32]) -> Units:
    return Units(
        codes=codes,
        ends=np.searchsorted(byte_ends, side.utterance_ends),
        byte_ends=byte_ends,
        word_ends=np.searchsorted(byte_ends, side.word_ends),
        utterances=side.utterances_of_words(),
    )


def align_units(left: Units, right: Units) -> Positions:
    """Return for every unit of the prediction the unit of the reference that it equals or replaces; -1 for an inserted one."""
    from rapidfuzz.distance import Levenshtein

    partners = np.full(len(right.codes), -1, np.int64)
    filled = np.flatnonzero((left.lengths > 0) & (right.lengths > 0))
    texts = [_strings(side, filled) for side in (left, right)]
    # The numbers of units of both sides together, and below the distances of the sides, for each utterance in `filled`.
    lengths = (left.lengths + right.lengths)[filled]
    # A greater distance is not computed: its utterance takes too many cells, and goes to rapidfuzz.
    cutoffs = np.where(lengths < MAX_UNITS, np.maximum(MAX_CELLS // lengths - 1, 0), 0)
    limited = zip(*texts, cutoffs.tolist(), strict=True)
    distances = np.array([Levenshtein.distance(*pair, score_cutoff=cutoff) for *pair, cutoff in limited], np.int64)
    is_huge = (lengths >= MAX_UNITS) | (distances > cutoffs)
    for index in np.flatnonzero(is_huge).tolist():
        left_start = left.starts[filled[index]]
        right_start = right.starts[filled[index]]
        for left_unit, right_unit, count in _anchors(texts[0][index], texts[1][index]):
            anchors = np.arange(count)
            partners[right_start + right_unit + anchors] = left_start + left_unit + anchors
    searched = np.flatnonzero(~is_huge)
    boundaries = left.boundaries(), right.boundaries()
    for batch in _batches(lengths[searched], distances[searched]):
        on_steps.get()(0, 0)
        _Search(left, right, filled[searched[batch]], distances[searched[batch]], boundaries).run(partners)
    return partners


def _anchors(left: str, right: str) -> Iterator[tuple[int, int, int]]:
    """Yield the runs of anchors of a minimal script: where a run begins in the left and in the right text, and its length.

    Large pieces are halved: the right one in its middle, the left one where the distances of both halves add up to the least.
    """
    from rapidfuzz.distance import Levenshtein

    report = on_steps.get()
    # Each level of splitting visits half as many cells as the one before.
    report(0, 2 * len(left) * len(right))
    # A piece has its left text and where this begins, and its right text and where this begins.
    pieces = [(0, left, 0, right)]
    while pieces:
        left_start, left, right_start, right = pieces.pop()
        cells = len(left) * len(right)
        half = len(right) // 2
        cutoff = AT_ONCE // max(len(left), len(right), 1)
        if cells > AT_ONCE and half and Levenshtein.distance(left, right, score_cutoff=cutoff) > cutoff:
            before = _distances(left, right[:half])
            after = _distances(left[::-1], right[half:][::-1])
            split = int(np.argmin(before + after[::-1]))
            # The last one is taken first, so that runs come from left to right.
            pieces.append((left_start + split, left[split:], right_start + half, right[half:]))
            pieces.append((left_start, left[:split], right_start, right[:half]))
            continue
        for opcode in Levenshtein.opcodes(left, right, score_hint=cutoff):
            if opcode.tag in ("equal", "replace"):
                count = opcode.dest_end - opcode.dest_start
                yield left_start + opcode.src_start, right_start + opcode.dest_start, count
        report(2 * cells, 0)


def _distances(left: str, right: str) -> Positions:
    """Return the distance of each beginning of a text, from the empty one to the whole, to another text.

    A column of the table of distances is two integers: bits for the rows at which it rises by 1, and at which it falls. The names
    of Hyyrö (2003) for `rises`, `falls`, `is_diagonal` and `increases` are VP, VN, D0, and HP after its shift.
    """
    report = on_steps.get()
    codes = np.frombuffer(left.encode("utf-32-le", "surrogatepass"), "<u4")

    @lru_cache(1 << 10)
    def rows_of(unit: str) -> int:
        return int.from_bytes(np.packbits(codes == ord(unit), bitorder="little").tobytes(), "little")

    rows = (1 << len(left)) - 1
    rises = rows
    falls = 0
    for unit in right:
        equal = rows_of(unit)
        is_diagonal = (((equal & rises) + rises) ^ rises | equal | falls) & rows
        increases = (falls | rows ^ (is_diagonal | rises)) << 1 | 1
        rises = ((is_diagonal & rises) << 1 | ~(is_diagonal | increases)) & rows
        falls = is_diagonal & increases
        report(len(left), 0)
    steps = _bits_of(rises, len(left)) - _bits_of(falls, len(left))
    # The empty beginning is at a distance of all units of the other text.
    return np.cumsum(np.concatenate(([len(right)], steps)))


def _bits_of(number: int, count: int) -> Positions:
    """Return the lowest bits of a number, 0 or 1, the lowest first."""
    packed = np.frombuffer(number.to_bytes(count // 8 + 1, "little"), np.uint8)
    return np.unpackbits(packed, count=count, bitorder="little").astype(np.int64)


def _batches(lengths: Positions, distances: Positions) -> Iterator[Positions]:
    """Yield batches of utterances of similar length and distance, each of about _BATCH_CELLS cells."""
    # Widths of the band are rounded up to powers of two: the distances 0, 1, 3 and 4 have the exponents 0, 1, 2 and 3.
    widths = np.ceil(np.log2(distances + 1)).astype(np.int64)
    order = np.lexsort((lengths, widths))
    start = 0
    while start < len(order):
        same_width = int(np.searchsorted(widths[order], widths[order[start]], side="right"))
        # Lengths rise within a width, so the last utterance of a batch decides how many cells each has.
        counts = np.arange(1, same_width - start + 1)
        columns = (1 << int(widths[order[start]])) + 1
        cells = counts * (lengths[order[start:same_width]] + 1) * columns
        stop = start + max(1, int(np.searchsorted(cells, _BATCH_CELLS, side="right")))
        yield order[start:stop]
        start = stop


class _Ways(NamedTuple):
    """For each cell, which ways lead to its least cost: bool arrays, stored as the bits of a byte."""

    # To the state _PLAIN: by a word of both sides, by a pair of units, or by an edit.
    word: Mask
    pair_after_plain: Mask
    pair_after_shared: Mask
    insertion: Mask
    deletion: Mask
    # To the state _SHARED: from _PLAIN in the same cell, or by an edit.
    newly_shared: Mask
    shared_insertion: Mask
    shared_deletion: Mask


class _Search:
    """The search for the best minimal script of several utterances at once.

    A cell (i, j) stands for i units of the reference and j of the prediction read. All minimal scripts of distance d
    keep j − i between −(d − m + n)/2 and (d + m − n)/2: the band. The search visits all cells of one sum i + j
    together. Cells of even and of odd sums have no offset j − i in common, so they are stored separately.
    """

    def __init__(
        self, left: Units, right: Units, utterances: Positions, distances: Positions, boundaries: tuple[Mask, Mask]
    ) -> None:
        self.codes = left.codes, right.codes
        self.boundaries = boundaries
        self.starts = left.starts[utterances], right.starts[utterances]
        self.lengths = left.lengths[utterances], right.lengths[utterances]
        # An utterance has one more position than it has units.
        self.places = self.starts[0] + utterances, self.starts[1] + utterances
        surplus = self.lengths[1] - self.lengths[0]
        # 5 and 6 units at a distance of 3: offsets from -1 to 2, stored from the even number -2 on, in 3 columns of two.
        lows = -((distances - surplus) // 2)
        self.highs = (distances + surplus) // 2
        self.lows = lows - lows % 2
        self.columns = int((self.highs - self.lows).max()) // 2 + 1
        self.sums = int((self.lengths[0] + self.lengths[1]).max())
        self.ways = np.zeros((self.sums + 1, len(utterances), self.columns), np.uint8)

    def run(self, partners: Positions) -> None:
        """Find the scripts, and write the partner of every anchor."""
        self._find_ways()
        self._follow_ways(partners)

    def _find_ways(self) -> None:
        count = len(self.lows)
        columns = self.columns
        # The costs of the last even sum, and of the last odd sum. A cell of an odd sum is reached from two of the even sum
        # before, by an insertion or a deletion, and from the odd sum before that, by a unit of both sides.
        # An additional column stands for neighbours outside the band.
        costs = [np.full((3, count, columns + 1), _IMPOSSIBLE, np.int64) for _ in range(2)]
        origin = np.arange(count), -self.lows // 2
        costs[0][_SHARED][origin] = costs[0][_WITHIN][origin] = 0
        for total in range(1, self.sums + 1):
            odd = total % 2
            others = costs[1 - odd]
            before = costs[odd][:, :, odd : odd + columns]
            before[:] = self._step(total, before, inserting=others[:, :, :columns], deleting=others[:, :, 1:])

    def _step(self, total: int, before: Positions, inserting: Positions, deleting: Positions) -> npt.NDArray[np.int64]:
        """Return the costs of all cells of a sum, from the costs at sum − 2 (a unit on both sides) and at sum − 1."""
        offsets = self.lows[:, None] + (2 * np.arange(self.columns) + total % 2)
        # i + j is 5 and j - i is 1: i is 2 and j is 3.
        rows = (total - offsets) >> 1
        columns = (total + offsets) >> 1
        inside = (rows >= 0) & (columns >= 0) & (offsets <= self.highs[:, None])
        inside &= (rows <= self.lengths[0][:, None]) & (columns <= self.lengths[1][:, None])
        units = []
        ends = []
        for side, counts in enumerate((rows, columns)):
            unit = np.where(inside & (counts > 0), self.starts[side][:, None] + counts - 1, 0)
            units.append(self.codes[side][unit])
            ends.append(self.boundaries[side][np.where(inside, self.places[side][:, None] + counts, 0)])
        equal = units[0] == units[1]
        either = ends[0] | ends[1]
        both = ends[0] & ends[1]

        substitution = np.where(equal, 0, _EDIT + _SUBSTITUTION)
        word = np.where(equal & both, before[_WITHIN] - _WORD, _IMPOSSIBLE)
        pair_after_plain = before[_PLAIN] + substitution
        pair_after_shared = before[_SHARED] + substitution
        insertion = inserting[_PLAIN] + _EDIT
        deletion = deleting[_PLAIN] + _EDIT
        plain = reduce(np.minimum, (word, pair_after_plain, pair_after_shared, insertion, deletion))
        newly_shared = np.where(both, plain - _BOUNDARY, _IMPOSSIBLE)
        shared_insertion = inserting[_SHARED] + _EDIT
        shared_deletion = deleting[_SHARED] + _EDIT
        shared = reduce(np.minimum, (newly_shared, shared_insertion, shared_deletion))
        ways = _Ways(
            word=word == plain,
            pair_after_plain=pair_after_plain == plain,
            pair_after_shared=pair_after_shared == plain,
            insertion=insertion == plain,
            deletion=deletion == plain,
            newly_shared=newly_shared == shared,
            shared_insertion=shared_insertion == shared,
            shared_deletion=shared_deletion == shared,
        )
        self.ways[total] = np.packbits(ways, axis=0)[0]

        within = np.where(both, shared, np.where(equal & ~either, before[_WITHIN], _IMPOSSIBLE))
        plain = np.where(both, _IMPOSSIBLE, plain)
        costs = np.stack((plain, shared, within))
        return np.where(inside, np.minimum(costs, _IMPOSSIBLE), _IMPOSSIBLE)

    def _follow_ways(self, partners: Positions) -> None:
        """Follow the ways back from the ends, one step at a time for all utterances together.

        A script may be among the best in several states, so all of them are followed.
        """
        rows = self.lengths[0].copy()
        columns = self.lengths[1].copy()
        states = np.zeros((3, len(rows)), bool)
        states[_SHARED] = True
        # The utterances whose script has not reached its beginning.
        going = np.arange(len(rows))
        while len(going):
            row = rows[going]
            column = columns[going]
            packed = self.ways[row + column, going, (column - row - self.lows[going]) >> 1]
            ways = _Ways(*np.unpackbits(packed[None], axis=0).view(bool))
            both = self.boundaries[0][self.places[0][going] + row] & self.boundaries[1][self.places[1][going] + column]
            plain, shared, within = states[:, going]
            shared = shared | (within & both)
            within = within & ~both
            plain = plain | (shared & ways.newly_shared)
            # The states, in the order of _PLAIN, _SHARED and _WITHIN, before each kind of step.
            pair = np.stack(
                (plain & ways.pair_after_plain, plain & ways.pair_after_shared, within | (plain & ways.word))
            )
            inserted = np.stack((plain & ways.insertion, shared & ways.shared_insertion, np.zeros_like(both)))
            deleted = np.stack((plain & ways.deletion, shared & ways.shared_deletion, np.zeros_like(both)))
            is_insertion = inserted.any(axis=0)
            is_pair = ~(is_insertion | deleted.any(axis=0))
            states[:, going] = np.where(is_insertion, inserted, np.where(is_pair, pair, deleted))
            anchor = np.flatnonzero(is_pair)
            aligned = going[anchor]
            partners[self.starts[1][aligned] + column[anchor] - 1] = self.starts[0][aligned] + row[anchor] - 1
            rows[going] -= ~is_insertion
            columns[going] -= is_pair | is_insertion
            going = going[rows[going] + columns[going] > 0]


def _strings(side: Units, utterances: Positions) -> list[str]:
    """Return utterances as strings of one character per unit, the input that rapidfuzz reads fastest."""
    text = side.codes.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
    starts = side.starts[utterances].tolist()
    ends = side.ends[utterances].tolist()
    return [text[start:end] for start, end in zip(starts, ends, strict=True)]
