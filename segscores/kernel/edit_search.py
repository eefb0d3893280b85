"""Search: the best of the minimal edit scripts of several utterances at once, by dynamic programming over a band.

Conventions
-----------
- `left` is the reference, `right` the prediction. `edits` says which script is the best.
- The search computes the costs of all cells in the band, and keeps which ways lead to the least cost of each. Then it follows
  the ways back from the end of each utterance.

Source: the band of width d + 1 in which all minimal scripts lie: Ukkonen (1985), Information and Control 64:100-118.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .arrays import Mask, Positions
from .record import record
from .units import Units

#: The number of cells that are searched at once.
_BATCH_CELLS = 1 << 21

# The cost of a script is one number, which compares first by edits, then by words kept, by boundaries kept, and by substitutions:
# all items of a smaller constant together are less than one of the next larger constant.
_EDIT = 1 << 48
_WORD = 1 << 32
_BOUNDARY = 1 << 16
_SUBSTITUTION = 1

#: More than any cost: an utterance of at most `edits.MAX_CELLS` cells has fewer than 2¹² edits. Costs are added to it, so that it
#: is less than the largest int64.
_IMPOSSIBLE = 1 << 61

# The states in which a script may be at a cell of the search. They are the first axis of arrays of costs and of states. A gap
# is a run of inserted or of deleted units between two units that are equal or substituted: see `edits`.
_PLAIN = 0  #: in a gap that has no shared boundary so far
_SHARED = 1  #: in a gap that has a shared boundary: the beginning of an utterance is one
_WITHIN = 2  #: in a word that both sides have, and that is unedited so far
_STATE_COUNT = 3


def batches_of(unit_counts: Positions, distances: Positions) -> Iterator[Positions]:
    """Yield the indices of utterances of similar length and distance, in batches of about _BATCH_CELLS cells."""
    # Widths of the band are rounded up to powers of two: the distances 0, 1, 3 and 4 have the exponents 0, 1, 2 and 3.
    exponents = np.ceil(np.log2(distances + 1)).astype(np.int64)
    order = np.lexsort((unit_counts, exponents))
    # From here on utterances are in this order: by width, and within a width by length.
    exponents = exponents[order]
    unit_counts = unit_counts[order]
    start = 0
    while start < len(order):
        stop_of_width = int(np.searchsorted(exponents, exponents[start], side="right"))
        band_width = (1 << int(exponents[start])) + 1
        # The longest utterance of a batch, which is the last, decides how many cells each one has.
        batch_sizes = np.arange(1, stop_of_width - start + 1)
        cells = batch_sizes * (unit_counts[start:stop_of_width] + 1) * band_width
        stop = start + max(1, int(np.searchsorted(cells, _BATCH_CELLS, side="right")))
        yield order[start:stop]
        start = stop


@record
class SearchedSide:
    """One side of the utterances of a search."""

    codes: npt.NDArray[np.uint32]  #: of the units of all utterances, also of those that are not searched
    is_boundary: Mask  #: for the positions of all utterances, as `Units.boundaries` has them
    #: `starts`, `first_positions`, `lengths`: of each searched utterance, the index of its first unit in `codes` and of its first
    #: position in `is_boundary`, and the number of its units
    starts: Positions
    first_positions: Positions
    lengths: Positions

    @classmethod
    def of(cls, units: Units, is_boundary: Mask, utterances: Positions) -> SearchedSide:
        """Return the side of some utterances."""
        starts = units.starts[utterances]
        # Each utterance before one has a position more than it has units.
        return cls(units.codes, is_boundary, starts, starts + utterances, units.lengths[utterances])

    def codes_of(self, counts: Positions, is_inside: Mask) -> npt.NDArray[np.uint32]:
        """Return the last of the first `counts` units of each utterance, as a number; any unit where there is none.

        `counts` and `is_inside` are of shape (n_utterances, n_columns), a column for each cell of an utterance in a sum.
        `is_inside` is False for a cell outside the band or the table, whose count may be of no unit.
        """
        units = np.where(is_inside & (counts > 0), self.starts[:, None] + counts - 1, 0)
        return self.codes[units]

    def boundaries_after(self, counts: Positions, is_inside: Mask) -> Mask:
        """Return a mask of boundaries after the first `counts` units of each utterance; any value outside: see `codes_of`."""
        return self.is_boundary[np.where(is_inside, self.first_positions[:, None] + counts, 0)]


class _Cells(NamedTuple):
    """The cells of one sum of the search: masks of shape (n_utterances, n_columns)."""

    is_inside: Mask  #: whether a cell is in the band and in the table
    is_equal: Mask  #: whether the last unit of both sides is the same
    has_both: Mask  #: whether both sides have a boundary
    has_either: Mask  #: whether any side has a boundary


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

    def packed(self) -> npt.NDArray[np.uint8]:
        """Return the eight ways of each cell as the bits of a byte."""
        # The eight masks are stacked along a first axis, of which packing leaves one row of bytes.
        packed: npt.NDArray[np.uint8]
        (packed,) = np.packbits(self, axis=0)
        return packed

    @classmethod
    def unpacked(cls, packed: npt.NDArray[np.uint8]) -> _Ways:
        """Return the ways that are packed."""
        # The first axis, of one byte for each cell, becomes an axis of eight masks.
        return cls(*np.unpackbits(packed[None], axis=0).view(bool))


def _costs_before_boundary(
    cells: _Cells, before: Positions, inserting: Positions, deleting: Positions
) -> dict[str, Positions]:
    """Return what each way to the state _PLAIN costs at each cell, by its name in `_Ways`; a boundary of the cell counts later.

    `before`, `inserting` and `deleting` are as in `Search._step`.
    """
    pair_cost = np.where(cells.is_equal, 0, _EDIT + _SUBSTITUTION)
    # Both sides have kept a word that ends here: the script was _WITHIN it, and its cost falls by _WORD.
    ends_word = cells.is_equal & cells.has_both
    return {
        "word": np.where(ends_word, before[_WITHIN] - _WORD, _IMPOSSIBLE),
        "pair_after_plain": before[_PLAIN] + pair_cost,
        "pair_after_shared": before[_SHARED] + pair_cost,
        "insertion": inserting[_PLAIN] + _EDIT,
        "deletion": deleting[_PLAIN] + _EDIT,
    }


class _StepsBack(NamedTuple):
    """The last step of the script of each utterance, and the states before it."""

    is_insertion: Mask
    is_deletion: Mask
    is_pair: Mask
    states: Mask  #: of shape (3, n_utterances)


class Search:
    """The search for the best minimal script of several utterances at once.

    A cell (i, j) stands for i units of the reference and j of the prediction read. All minimal scripts of distance d
    keep j − i between −(d − m + n)/2 and (d + m − n)/2: the band. The search visits all cells of one sum i + j
    together. Cells of even and of odd sums have no offset j − i in common, so they are stored separately.
    """

    def __init__(self, left: SearchedSide, right: SearchedSide, distances: Positions) -> None:
        self.left = left
        self.right = right
        surplus = right.lengths - left.lengths
        # 5 and 6 units at a distance of 3: offsets from -1 to 2. They are stored from the even number -2 on: column 0 has the
        # offset -2 in even sums and -1 in odd ones, column 1 has 0 and 1, and column 2 has 2 and 3.
        lows = -((distances - surplus) // 2)
        self.highs = (distances + surplus) // 2
        self.lows = lows - lows % 2
        self.columns = int((self.highs - self.lows).max()) // 2 + 1
        self.sums = int((left.lengths + right.lengths).max())
        #: by sum, utterance and column: the ways of each cell, packed
        self.ways = np.zeros((self.sums + 1, len(distances), self.columns), np.uint8)

    def run(self, partners: Positions) -> None:
        """Find the scripts, and write the partner of every anchor."""
        self._find_ways()
        self._follow_ways(partners)

    def _find_ways(self) -> None:
        """Compute the costs of all cells, sum by sum, and keep the ways that lead to them.

        A cell of an odd sum is reached from two of the even sum before, by an insertion or a deletion, and from the odd sum
        before that, by a unit of both sides. So the costs of two sums are enough.
        """
        utterance_count = len(self.lows)
        # Both parities have one more column, outside of the band, whose costs stay impossible. With 3 columns and offsets from -2
        # on, the stored offsets are:
        #     even sums  -2  0  2  outside
        #     odd sums   outside  -1  1  3
        # An insertion raises the offset by 1, and a deletion lowers it by 1. The cells -2 0 2 of an even sum are reached from
        # outside, -1, 1 by an insertion, and from -1 1 3 by a deletion: the odd costs without the last column, and without the
        # first one. The cells -1 1 3 of an odd sum are reached from -2 0 2 by an insertion, and from 0, 2, outside by a deletion:
        # the even costs without the last column, and without the first one, too.
        shape = (_STATE_COUNT, utterance_count, self.columns + 1)
        even_costs = np.full(shape, _IMPOSSIBLE, np.int64)
        odd_costs = np.full(shape, _IMPOSSIBLE, np.int64)
        of_even_cells = even_costs[:, :, :-1]
        of_odd_cells = odd_costs[:, :, 1:]
        # Every script begins at the offset 0, in two states: the beginning of an utterance is a shared boundary, and a word of
        # both sides may begin there.
        for state in (_SHARED, _WITHIN):
            columns_of_offset_0 = -self.lows // 2
            of_even_cells[state, np.arange(utterance_count), columns_of_offset_0] = 0
        for total in range(1, self.sums + 1):
            if total % 2:
                costs_of_cells = of_odd_cells
                costs_one_before = even_costs
            else:
                costs_of_cells = of_even_cells
                costs_one_before = odd_costs
            # The cells have the costs of the sum two before, until those of this sum replace them. `_step` keeps the ways.
            costs_of_cells[:] = self._step(
                total, before=costs_of_cells, inserting=costs_one_before[:, :, :-1], deleting=costs_one_before[:, :, 1:]
            )

    def _cells(self, total: int) -> _Cells:
        """Return the cells of a sum."""
        # The offsets j - i: from -2 on, -2 0 2 in even sums and -1 1 3 in odd ones.
        offsets = self.lows[:, None] + (2 * np.arange(self.columns) + total % 2)
        # i + j is 5 and j - i is 1: i is 2 and j is 3.
        rows = (total - offsets) >> 1
        columns = (total + offsets) >> 1
        is_inside = (rows >= 0) & (columns >= 0) & (offsets <= self.highs[:, None])
        is_inside &= (rows <= self.left.lengths[:, None]) & (columns <= self.right.lengths[:, None])
        is_equal = self.left.codes_of(rows, is_inside) == self.right.codes_of(columns, is_inside)
        ends_left = self.left.boundaries_after(rows, is_inside)
        ends_right = self.right.boundaries_after(columns, is_inside)
        return _Cells(is_inside, is_equal, has_both=ends_left & ends_right, has_either=ends_left | ends_right)

    def _step(self, total: int, before: Positions, inserting: Positions, deleting: Positions) -> npt.NDArray[np.int64]:
        """Return the costs of all cells of a sum, and keep the ways that lead to them.

        The costs are of shape (3 states, n_utterances, n_columns), and so are the costs from which a step leads to the cells:
        `before` at sum − 2, by a unit on both sides; `inserting` and `deleting` at sum − 1, by an edit.
        """
        cells = self._cells(total)
        plain_costs = _costs_before_boundary(cells, before, inserting, deleting)
        plain = reduce(np.minimum, plain_costs.values())
        # Where both sides have a boundary, it counts as kept: the state becomes _SHARED, and the cost falls by _BOUNDARY.
        shared_costs = {
            "newly_shared": np.where(cells.has_both, plain - _BOUNDARY, _IMPOSSIBLE),
            "shared_insertion": inserting[_SHARED] + _EDIT,
            "shared_deletion": deleting[_SHARED] + _EDIT,
        }
        shared = reduce(np.minimum, shared_costs.values())
        # All ways of the least cost are kept.
        plain_ways = {way: costs == plain for way, costs in plain_costs.items()}
        shared_ways = {way: costs == shared for way, costs in shared_costs.items()}
        self.ways[total] = _Ways(**plain_ways, **shared_ways).packed()

        # A word begins at a shared boundary, and goes on over equal units while no side has a boundary.
        word_goes_on = cells.is_equal & ~cells.has_either
        within = np.where(cells.has_both, shared, np.where(word_goes_on, before[_WITHIN], _IMPOSSIBLE))
        # At a boundary of both sides _SHARED costs less than _PLAIN, and can go on in every way that _PLAIN can: _PLAIN is left
        # out.
        plain = np.where(cells.has_both, _IMPOSSIBLE, plain)
        costs = np.stack((plain, shared, within))
        # An impossible cost stays at _IMPOSSIBLE, whatever was added to it.
        return np.where(cells.is_inside, np.minimum(costs, _IMPOSSIBLE), _IMPOSSIBLE)

    def _follow_ways(self, partners: Positions) -> None:
        """Follow the ways back from the ends, one step at a time for all utterances together, and fill in `partners`.

        `partners[unit of the right side] = unit of the left side` is written for each pair. A script may be among the best in
        several of the three states of the class, so all of them are followed. For one utterance this is:

            while row or column:
                step, states = the last step to (row, column) in one of the states, and the states before it
                if step is a pair: partners[column - 1] = row - 1
                row -= step is a pair or a deletion
                column -= step is a pair or an insertion
        """
        rows = self.left.lengths.copy()
        columns = self.right.lengths.copy()
        states = np.zeros((_STATE_COUNT, len(rows)), bool)
        states[_SHARED] = True  # the end of an utterance is a shared boundary
        # The indices of the utterances whose script has not reached its beginning.
        going = np.arange(len(rows))
        while len(going):
            row = rows[going]
            column = columns[going]
            steps = self._steps_back(going, row, column, states[:, going])
            states[:, going] = steps.states
            paired = going[steps.is_pair]
            left_units = self.left.starts[paired] + row[steps.is_pair] - 1
            right_units = self.right.starts[paired] + column[steps.is_pair] - 1
            partners[right_units] = left_units
            rows[going] = row - (steps.is_pair | steps.is_deletion).astype(np.int64)
            columns[going] = column - (steps.is_pair | steps.is_insertion).astype(np.int64)
            going = going[rows[going] + columns[going] > 0]

    def _steps_back(self, going: Positions, row: Positions, column: Positions, states: Mask) -> _StepsBack:
        """Return the preferred last step to a cell of each utterance in `going`, of the steps that lead to one of its states.

        `row` and `column` have the cell of each of these utterances, and `states`, of shape (3, n), its states.
        """
        # The offsets of the cells. Every second one occurs in a sum: from the lowest one on, these have the columns 0 1 2.
        stored_columns = (column - row - self.lows[going]) >> 1
        ways = _Ways.unpacked(self.ways[row + column, going, stored_columns])
        ends_left = self.left.is_boundary[self.left.first_positions[going] + row]
        ends_right = self.right.is_boundary[self.right.first_positions[going] + column]
        has_both = ends_left & ends_right
        plain, shared, within = states
        # Go back through what takes no step: a word that begins in this cell was _SHARED before it was _WITHIN, and a newly
        # shared boundary was _PLAIN before.
        shared = shared | (within & has_both)
        within = within & ~has_both
        plain = plain | (shared & ways.newly_shared)
        nowhere = np.zeros_like(has_both)
        # The states, in the order of _PLAIN, _SHARED and _WITHIN, before each kind of step.
        before_pair = np.stack(
            (plain & ways.pair_after_plain, plain & ways.pair_after_shared, within | (plain & ways.word))
        )
        before_insertion = np.stack((plain & ways.insertion, shared & ways.shared_insertion, nowhere))
        before_deletion = np.stack((plain & ways.deletion, shared & ways.shared_deletion, nowhere))
        # An insertion is preferred to a deletion, and both to a pair: see `edits`.
        is_insertion = np.asarray(before_insertion.any(axis=0))
        is_deletion = np.asarray(before_deletion.any(axis=0) & ~is_insertion)
        is_pair = np.asarray(~(is_insertion | is_deletion))
        # The states that lead to the chosen step.
        states_before = np.where(is_insertion, before_insertion, np.where(is_deletion, before_deletion, before_pair))
        return _StepsBack(is_insertion, is_deletion, is_pair, states_before)
