"""Generalized Hamming distance: the least cost of turning the prediction's boundaries into the reference's.

Conventions
-----------
- Boundaries are without edges; positions count units.
- Inserting or deleting a boundary costs 2, moving it costs 1 per unit. Bookstein et al. leave the costs to the user; these are
  NLTK's defaults. So the distance of an utterance is a whole number.
- The score is the mean distance of the utterances that are not blank: 0 is perfect, lower is better, without an upper bound.

Sources
-------
Bookstein, Kulyukin & Raita (2002), Information Retrieval 5:353-375. The same distance: `nltk.metrics.segmentation.ghd`.
"""

from __future__ import annotations

__all__ = ["GENERALIZED_HAMMING_COLUMNS", "MISS_COST", "tally_generalized_hamming"]

import numpy as np
import numpy.typing as npt

from ..kernel.comparison import Comparison
from ..kernel.formulas import Tallied
from ..kernel.segmentation import Positions
from .runs import boundary_units, cut_runs, lockstep, piece_size

GENERALIZED_HAMMING_COLUMNS = ("generalized_hamming_cost", "generalized_hamming_utterances")

#: What inserting or deleting a boundary costs, where moving it by one unit costs 1.
MISS_COST = 2

# How many boundaries can be on their way across a gap at most: of f that cross it, two can be paired that are 2·f − 1 apart.
_MOST_ON_THEIR_WAY = MISS_COST


def tally_generalized_hamming(comparison: Comparison) -> Tallied:
    """The generalized Hamming distance of each utterance.

    Args:
        comparison: of a part of a corpus.

    Returns:
        int64 of shape (n_utterances,) by column, additive: `generalized_hamming_cost`, and `generalized_hamming_utterances`, 1
        where the utterance is not blank.

    The naive equivalent is the edit distance of two lists of positions, with costs of 2 for a position that is missing or one
    too many and of their distance for a pair, in time quadratic in the boundaries. It is linear here, in three steps:

    1. A boundary x that both sides have is matched with itself, and left out. That is never worse: where the predicted x moves
       to b and a moves to the reference's x, a may move to b for no more, |a − b| ≤ |a − x| + |x − b|; where the predicted x
       moves to b and the reference's x is inserted, b may be inserted instead; and likewise where x is deleted.
    2. No boundary need move 4 units, where deleting and inserting it costs no more: such a gap splits an utterance into runs.
    3. In a run, going from left to right, all that matters of what is before is how many boundaries are on their way across
       the gap, at most 2. The least costs for each such number follow from those one boundary before, for all runs at once.
       Long runs are cut into pieces, each followed from every number, and then joined.

    >>> from segscores.kernel.comparison import compare
    >>> from segscores.reading.readers import from_words_text
    >>> both = compare(from_words_text(b"the dog is on\\n"), from_words_text(b"th edog is on\\n"))
    >>> tally_generalized_hamming(both)["generalized_hamming_cost"]
    array([1])
    """
    units = comparison.reference.utterance_units
    ends = np.cumsum(units)
    total = int(ends[-1]) if len(ends) else 0
    is_end = np.zeros((2, total + 1), bool)
    for side, positions in zip(is_end, boundary_units(comparison), strict=True):
        side[positions] = True
    points = np.flatnonzero(is_end[0] != is_end[1])
    is_extra = is_end[1][points]
    steps = np.diff(points, append=points[-1:])

    stops = np.searchsorted(points, ends)  # where the points of each utterance end: no point is at its end
    begins_run = np.ones(len(points) + 1, bool)
    begins_run[1:-1] = steps[:-1] >= 2 * MISS_COST
    begins_run[stops] = True
    firsts = np.flatnonzero(begins_run[:-1])
    lengths = np.diff(firsts, append=len(points))
    costs = np.zeros(len(points) + 1, np.int64)  # those of each run, after its first point
    if len(firsts):
        run_costs = MISS_COST * lengths
        extra = np.add.reduceat(is_extra.view(np.uint8), firsts, dtype=np.int64)
        is_mixed = (extra > 0) & (extra < lengths)  # in others every boundary is inserted, or every one deleted
        pairs = np.flatnonzero(is_mixed & (lengths == 2))
        run_costs[pairs] = steps[firsts[pairs]]
        mixed = np.flatnonzero(is_mixed & (lengths > 2))
        most = min(int(np.minimum(extra, lengths - extra).max()), _MOST_ON_THEIR_WAY)
        run_costs[mixed] = _least_costs(is_extra, steps, firsts[mixed], lengths[mixed], most)
        costs[firsts + 1] = run_costs
    sums = np.cumsum(costs)[stops]
    return {
        "generalized_hamming_cost": np.diff(sums, prepend=0),
        "generalized_hamming_utterances": (units > 0).astype(np.int64),
    }


def _least_costs(
    is_extra: npt.NDArray[np.bool_], steps: Positions, firsts: Positions, lengths: Positions, most: int
) -> Positions:
    """The least cost of each run.

    Args:
        is_extra: of each point of all runs, whether the prediction has it.
        steps: of each point, the distance to the next.
        firsts, lengths: of each run, its first point and how many it has.
        most: how many boundaries can be on their way at once.

    The state is how many predicted boundaries are on their way right; below 0, how many reference boundaries are waiting
    to be reached from the right.
    """
    if not len(firsts):
        return np.zeros(0, np.int64)
    states = 2 * most + 1
    # A piece no shorter than the square keeps what is held for all states at about one number a point.
    piece_firsts, piece_lengths, pieces = cut_runs(firsts, lengths, piece_size(lengths, states**2))
    first_pieces = np.cumsum(pieces) - pieces
    is_first = np.zeros(len(piece_firsts), bool)
    is_first[first_pieces] = True
    # A row follows a piece from one state: from 0 where it begins a run, else from each.
    rows = np.where(is_first, 1, states)
    first_rows = np.cumsum(rows) - rows
    row_pieces = np.repeat(np.arange(len(rows)), rows)
    begin_states = np.where(is_first[row_pieces], most, np.arange(len(row_pieces)) - first_rows[row_pieces])

    impossible = np.int64(1) << 60
    order = np.argsort(-piece_lengths[row_pieces], kind="stable")
    costs = np.full((states + 2, len(order)), impossible)  # a row of costs above and below, for states out of reach
    costs[begin_states[order] + 1, np.arange(len(order))] = 0
    row_firsts = piece_firsts[row_pieces[order]]
    on_their_way = np.abs(np.arange(-most, most + 1))[:, None]
    for step, active in lockstep(piece_lengths[row_pieces[order]]):
        at = row_firsts[:active] + step
        now = costs[:, :active]
        moved = np.where(is_extra[at], now[:-2], now[2:])
        np.minimum(moved, now[1:-1] + MISS_COST, out=moved)
        now[1:-1] = moved + on_their_way * steps[at]
    result = np.empty((states, len(order)), np.int64)
    result[:, order] = costs[1:-1]
    np.minimum(result, impossible, out=result)

    order = np.argsort(-pieces, kind="stable")
    joined = result[:, first_rows[first_pieces[order]]]
    for step, active in lockstep(pieces[order] - 1):
        next_rows = first_rows[first_pieces[order[:active]] + 1 + step] + np.arange(states)[:, None]
        through = joined[:, :active] + result[:, next_rows]  # to each state, from each
        joined[:, :active] = np.minimum(through.min(axis=1), impossible)
    least = np.empty(len(lengths), np.int64)
    least[order] = joined[most]
    return least
