"""Generalized Hamming distance: the least cost of changing the predicted boundaries into the reference boundaries.

Conventions
-----------
- Boundaries are without edges; positions count units.
- Inserting or deleting a boundary costs 2, moving it costs 1 per unit. Bookstein et al. leave the costs to the user;
  these are NLTK's defaults. With them the distance of an utterance is a whole number.
- The score is the mean distance over utterances that are not blank: 0 is perfect, lower is better, and there is no upper bound.

Sources
-------
Bookstein, Kulyukin & Raita (2002), Information Retrieval 5:353-375. The same distance: `nltk.metrics.segmentation.ghd`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

import numpy as np

from ...kernel.arrays import Mask, Positions, last_of, lengths_of
from ...kernel.comparison import Comparison
from ...kernel.formulas import Tallied

GENERALIZED_HAMMING_COLUMNS = ("generalized_hamming_cost", "generalized_hamming_utterances")

#: The cost of inserting or deleting a boundary, where moving it by one unit costs 1.
MISS_COST = 2


def tally_generalized_hamming(comparison: Comparison) -> Tallied:
    """Return the generalized Hamming distance of each utterance.

    The naive equivalent is the edit distance of two lists of positions, which costs 2 for an unpaired position and the
    distance for a pair, in time quadratic in the boundaries. This function takes linear time, in three steps:

    1. A boundary x on both sides is matched with itself, and left out; boundaries of one side only are the points. That never
       costs more. Let x be 5 on both sides, a a predicted point 4, and b a point 7 of the reference. If a moved to x and the
       predicted x moved to b, a can move to b for at most the same cost, |a − b| ≤ |a − x| + |x − b|, here 3 ≤ 1 + 2. If the
       predicted x moved to b and the reference's x were inserted, b can be inserted instead; likewise for deletions.
    2. No boundary needs to move 4 units, because deleting and inserting it costs the same. So where neighbouring points are 4
       units apart or more, the utterance is split: the points between two such places are a run.
    3. Within a run, from left to right, the state is the number of boundaries that move across the space before a point. It is at
       most 2: see `_least_cost`. The least costs of all states follow from those at the point before. Runs of one or two points
       need no loop.
    """
    units = comparison.reference.utterance_units
    ends = np.cumsum(units)
    total = last_of(ends)
    reference_ends, prediction_ends = comparison.boundary_units()
    in_reference = np.zeros(total + 1, bool)
    in_reference[reference_ends] = True
    in_prediction = np.zeros(total + 1, bool)
    in_prediction[prediction_ends] = True
    # Points are the boundaries of one side only; extra ones are the prediction's. A step is the distance to the next point.
    points = np.flatnonzero(in_reference != in_prediction)
    is_extra = in_prediction[points]
    steps = np.diff(points, append=points[-1:])  # 0 after the last point

    # The number of points up to the end of each utterance. No point is at an end: in `boundary_units` both sides have it. The
    # points 3 4 9 10 of an utterance have the steps 1 5 1 0, and are runs of 2 and 2 points.
    stops = np.searchsorted(points, ends)
    # The first point of the next utterance begins a run. There is one place more than points, because the last utterance stops
    # behind all points.
    begins_run = np.ones(len(points) + 1, bool)
    begins_run[1:-1] = steps[:-1] >= 2 * MISS_COST
    begins_run[stops] = True
    firsts = np.flatnonzero(begins_run[:-1])
    lengths = np.diff(firsts, append=len(points))
    # The cost of each run stands one place after its first point, so that the sum up to a stop has all runs before it.
    costs = np.zeros(len(points) + 1, np.int64)
    if len(firsts):
        costs[firsts + 1] = _costs_of_runs(firsts, lengths, is_extra, steps)
    sums = np.cumsum(costs)[stops]
    return {
        "generalized_hamming_cost": lengths_of(sums),
        "generalized_hamming_utterances": (units > 0).astype(np.int64),
    }


def _costs_of_runs(firsts: Positions, lengths: Positions, is_extra: Mask, steps: Positions) -> Positions:
    """Return the least cost of each run of points.

    `firsts` are the indexes of the first points of the runs, and `lengths` the numbers of their points. `is_extra` and `steps`
    are of all points.
    """
    costs = MISS_COST * lengths  # if every boundary is inserted or deleted
    extra_counts = np.add.reduceat(is_extra.view(np.uint8), firsts, dtype=np.int64)
    # A run of one side alone has nothing to move: its cost stays.
    is_mixed = (extra_counts > 0) & (extra_counts < lengths)
    # Two points of a mixed run are less than 2 * MISS_COST units apart, or the second would begin a run: moving one to the other
    # costs less than deleting and inserting.
    pairs = np.flatnonzero(is_mixed & (lengths == 2))
    costs[pairs] = steps[firsts[pairs]]
    longer_runs = np.flatnonzero(is_mixed & (lengths > 2))
    extra_points = is_extra.tolist()
    all_steps = steps.tolist()
    for run in longer_runs.tolist():
        first = int(firsts[run])
        stop = first + int(lengths[run])
        costs[run] = _least_cost(extra_points[first:stop], all_steps[first:stop])
    return costs


def _least_cost(is_extra: Sequence[bool], steps: Sequence[int]) -> float:
    """Return the least cost of a run, from the points that are extra and the steps to the next points.

    A state says how many boundaries still wait for a partner on the right, and of which side they are: one or two of the
    reference, none, or one or two of the prediction. Each point is inserted or deleted, or takes a boundary of the other side
    that waits, or waits itself. A boundary that waits moves by each step. More than two never wait: of three that wait, one has a
    partner at least 5 units away, which is too far.
    """
    two_reference = one_reference = one_predicted = two_predicted = inf
    none = 0.0
    for extra, step in zip(is_extra, steps, strict=True):
        # The first cost in each minimum is of inserting or deleting the point. With the second it waits, or takes a boundary of
        # the other side. Each line reads costs from before this point, so that a state changes only after it was read.
        if extra:
            two_predicted = min(two_predicted + MISS_COST, one_predicted)
            one_predicted = min(one_predicted + MISS_COST, none)
            none = min(none + MISS_COST, one_reference)
            one_reference = min(one_reference + MISS_COST, two_reference)
            two_reference += MISS_COST
        else:
            two_reference = min(two_reference + MISS_COST, one_reference)
            one_reference = min(one_reference + MISS_COST, none)
            none = min(none + MISS_COST, one_predicted)
            one_predicted = min(one_predicted + MISS_COST, two_predicted)
            two_predicted += MISS_COST
        # Boundaries that wait move to the next point.
        two_reference += 2 * step
        one_reference += step
        one_predicted += step
        two_predicted += 2 * step
    return none
