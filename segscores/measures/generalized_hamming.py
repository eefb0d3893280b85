"""Generalized Hamming distance: the least cost of changing the predicted boundaries into those of the reference.

Conventions
-----------
- Boundaries are without edges; positions count units.
- Inserting or deleting a boundary costs 2, moving it costs 1 per unit. Bookstein et al. leave the costs to the user;
  these are NLTK's defaults. With them the distance of an utterance is a whole number.
- The score is the mean distance over utterances that are not blank: 0 is perfect, lower is better, and there is no
  upper bound.

Sources
-------
Bookstein, Kulyukin & Raita (2002), Information Retrieval 5:353-375. The same distance: `nltk.metrics.segmentation.ghd`.
"""

from __future__ import annotations

__all__ = ["GENERALIZED_HAMMING_COLUMNS", "MISS_COST", "tally_generalized_hamming"]

import numpy as np
import numpy.typing as npt

from ..kernel.arrays import lengths_of
from ..kernel.comparison import Comparison
from ..kernel.formulas import Tallied
from ..kernel.segmentation import Positions
from .runs import boundary_units, cut_runs, lockstep, piece_size

GENERALIZED_HAMMING_COLUMNS = ("generalized_hamming_cost", "generalized_hamming_utterances")

#: The cost of inserting or deleting a boundary, where moving it by one unit costs 1.
MISS_COST = 2

# The greatest number of boundaries that can move across a gap: if f cross it, two that pair are at least 2·f − 1 apart.
_MOST_ON_THEIR_WAY = MISS_COST


def tally_generalized_hamming(comparison: Comparison) -> Tallied:
    """The generalized Hamming distance of each utterance.

    Args:
        comparison: of a part of a corpus.

    Returns:
        int64 of shape (n_utterances,) by column, additive: `generalized_hamming_cost`, and `generalized_hamming_utterances`, 1
        where the utterance is not blank.

    The naive equivalent is the edit distance of two lists of positions, which costs 2 for an unpaired position and the
    distance for a pair, in time quadratic in the boundaries. This function takes linear time, in three steps:

    1. A boundary x on both sides is matched with itself, and left out. That never costs more. If the predicted x moved
       to b and a moved to the reference's x, a can move to b for at most the same cost, |a − b| ≤ |a − x| + |x − b|. If
       the predicted x moved to b and the reference's x were inserted, b can be inserted instead; likewise for
       deletions.
    2. No boundary needs to move 4 units, because deleting and inserting it costs the same. So a gap of 4 units splits
       an utterance into runs.
    3. Within a run, from left to right, the state is the number of boundaries that move across the gap, at most 2. The
       least costs of all states follow from those at the boundary before, for all runs at once. Long runs are cut into
       pieces, which are followed from every state and then joined.

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

    stops = np.searchsorted(
        points, ends
    )  # where the points of each utterance end; no point is at the end of an utterance
    begins_run = np.ones(len(points) + 1, bool)
    begins_run[1:-1] = steps[:-1] >= 2 * MISS_COST
    begins_run[stops] = True
    firsts = np.flatnonzero(begins_run[:-1])
    lengths = np.diff(firsts, append=len(points))
    costs = np.zeros(len(points) + 1, np.int64)  # the cost of each run, after its first point
    if len(firsts):
        run_costs = MISS_COST * lengths
        extra = np.add.reduceat(is_extra.view(np.uint8), firsts, dtype=np.int64)
        is_mixed = (extra > 0) & (extra < lengths)  # in the others all boundaries are inserted, or all are deleted
        pairs = np.flatnonzero(is_mixed & (lengths == 2))
        run_costs[pairs] = steps[firsts[pairs]]
        mixed = np.flatnonzero(is_mixed & (lengths > 2))
        most = min(int(np.minimum(extra, lengths - extra).max()), _MOST_ON_THEIR_WAY)
        run_costs[mixed] = _least_costs(is_extra, steps, firsts[mixed], lengths[mixed], most)
        costs[firsts + 1] = run_costs
    sums = np.cumsum(costs)[stops]
    return {
        "generalized_hamming_cost": lengths_of(sums),
        "generalized_hamming_utterances": (units > 0).astype(np.int64),
    }


def _least_costs(
    is_extra: npt.NDArray[np.bool_], steps: Positions, firsts: Positions, lengths: Positions, most: int
) -> Positions:
    """The least cost of each run.

    Args:
        is_extra: for each point of all runs, whether the prediction has it.
        steps: for each point, the distance to the next.
        firsts, lengths: for each run, its first point and the number of its points.
        most: the greatest number of boundaries that can move across a gap.

    The state is the number of predicted boundaries that move to the right; if negative, the number of reference
    boundaries to be reached from the right.
    """
    if not len(firsts):
        return np.zeros(0, np.int64)
    states = 2 * most + 1
    # A piece at least as long as states² keeps the costs of all states at about one number per point.
    piece_firsts, piece_lengths, pieces = cut_runs(firsts, lengths, piece_size(lengths, states**2))
    first_pieces = np.cumsum(pieces) - pieces
    is_first = np.zeros(len(piece_firsts), bool)
    is_first[first_pieces] = True
    # A row follows a piece from one state: from 0 at the beginning of a run, otherwise from each state.
    rows = np.where(is_first, 1, states)
    first_rows = np.cumsum(rows) - rows
    row_pieces = np.repeat(np.arange(len(rows)), rows)
    begin_states = np.where(is_first[row_pieces], most, np.arange(len(row_pieces)) - first_rows[row_pieces])

    impossible = np.int64(1) << 60
    order = np.argsort(-piece_lengths[row_pieces], kind="stable")
    costs = np.full((states + 2, len(order)), impossible)  # with a row above and below, for unreachable states
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
