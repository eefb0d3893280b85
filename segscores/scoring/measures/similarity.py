"""Similarity: the boundary edit distance, and the similarities S and B that follow from it.

Conventions
-----------
- Boundaries exclude edges. They are in gaps, positions between two neighbouring units; an utterance of N units has N −
  1 gaps. A boundary on both sides is a match; any other is a miss of one side.
- Two misses of opposite sides that are d units apart, 1 ≤ d < n_t, may pair up as one transposition, a near miss. n_t
  is `transposition_span`: how many gaps a transposition spans, both its ends included. 2 pairs neighbouring gaps, 1
  pairs none. Unpaired misses are full misses: a deletion is only in the reference, an insertion only in the prediction.
- Pairs are formed greedily: first those of distance 1, then of distance 2, and so on; those of one distance from left
  to right. Each miss is in at most one pair. Boundaries between the two do not matter.
- A full miss costs 1, a transposition of distance d costs d / n_t. With M matches, I insertions, D deletions, T
  transpositions and G gaps:

      distance   E = I + D + Σ d / n_t
      similarity S = 1 − E / G,   B = 1 − E / (M + I + D + T)

  S is near 1 where boundaries are rare, because an empty gap on both sides counts as correct; B compares only
  boundaries. Both are symmetric in the two sides.
- Costs are counted in units of 1/n_t, so that columns are whole numbers and add up exactly.

How pairs are found
-------------------
Once the pairs of all smaller distances are taken, two unpaired misses of opposite sides that are d apart have no unpaired miss
between them: it would be of the opposite side to one of the two, nearer, and taken. So only neighbours in the list of unpaired
misses need to be considered. Where pairs of one distance form a chain, forming pairs from the left takes every second one.

Sources
-------
S: Fournier & Inkpen (2012), NAACL-HLT, 152-161. B and boundary edit distance: Fournier (2013), ACL,
1702-1712. Fournier's segeval 2.0.11 computes the same S, B and edits wherever either side has a boundary. The cost d /
n_t and the order of pairing come from segeval (`weight_t_scale`, `__transpositions__`). Differences and open points:

- Where neither side has a boundary, segeval raises ValueError (`max` of no boundary types). Here S is then 1 and B
  undefined; without a gap S is undefined too.
- In segeval 1, which accompanied the paper of 2012 and is tested on its figures, a transposition of neighbours costs 1
  and not 1/2 in S. That S is 1 − (I + D + T) / G, lower by T / (2G) at n_t = 2.
- The credit of a near miss, 1 − d / n_t, falls with the distance. Only in segeval's confusion matrix is it d / n_t and rises with
  the distance, which is the same only at n_t = 2 (github.com/cfournie/segmentation.evaluation, pull request 4).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...kernel.arrays import Positions
from ...kernel.comparison import Comparison
from ...kernel.formulas import Count, Score, Tallied, as_score, divide
from .group import COUNT, Key, ScoreGroup

_EDITS = ("boundary_matches", "boundary_insertions", "boundary_deletions", "boundary_transpositions")
_COSTS = ("similarity_cost", "similarity_cost_boundaries", "similarity_cost_gaps")
SIMILARITY_COLUMNS = (*_EDITS, "boundary_gaps", *_COSTS)


def tally_similarity(comparison: Comparison, *, transposition_span: int = 2) -> Tallied:
    """Count M, I, D, T and G, and three costs in units of 1/n_t: E, E if every boundary (M + I + D + T) were a full miss, and
    E if every gap were one.

    Time is linear in the text, with one pass over the unpaired misses for each distance below `transposition_span` that
    occurs. The naive equivalent, for an utterance with the sets `reference` and `prediction` of inner boundaries, is

        missed = reference ^ prediction
        for distance in range(1, transposition_span):
            for left in range(1, units - distance):
                pair = {left, left + distance}
                if pair <= missed and len(pair & reference) == 1:
                    missed -= pair
                    transposed, cost = transposed + 1, cost + distance
    """
    units = comparison.reference.utterance_units
    gaps = units - (units > 0)
    missing = comparison.utterance_reference - comparison.utterance_shared
    extra = comparison.utterance_prediction - comparison.utterance_shared
    matched = comparison.utterance_shared - (comparison.utterance_reference > 0)
    utterances, distances = _transpositions(comparison, missing + extra, transposition_span)
    transposed = np.bincount(utterances, minlength=len(units))
    # bincount adds in floating point, which is exact up to 2 ** 53 units.
    total_distance = np.bincount(utterances, distances, minlength=len(units)).astype(np.int64)
    deleted = missing - transposed
    inserted = extra - transposed
    full_misses = deleted + inserted
    return {
        "boundary_matches": matched,
        "boundary_insertions": inserted,
        "boundary_deletions": deleted,
        "boundary_transpositions": transposed,
        "boundary_gaps": gaps,
        "similarity_cost": transposition_span * full_misses + total_distance,
        "similarity_cost_boundaries": transposition_span * (matched + full_misses + transposed),
        "similarity_cost_gaps": transposition_span * gaps,
    }


def _transpositions(comparison: Comparison, misses: Positions, span: int) -> tuple[Positions, Positions]:
    """Return the utterance of each transposition, and the distance between its two ends in units."""
    positions, in_prediction = _misses(comparison)
    units = comparison.reference.units_before(positions)
    utterance = np.repeat(np.arange(len(misses)), misses)
    none = np.zeros(0, np.int64)
    utterances = [none]
    distances = [none]
    distance = 0
    while distance < span - 1:
        # Units 2 5 6 9 of the sides 0 1 0 0: the misses at 2 and 5, and at 5 and 6, may pair, at the distances 3 and 1.
        may_pair = (in_prediction[1:] != in_prediction[:-1]) & (utterance[1:] == utterance[:-1])
        lefts = np.flatnonzero(may_pair)
        lengths = units[lefts + 1] - units[lefts]
        distance = int(lengths.min(initial=span))
        if distance >= span:
            break
        paired = _every_second_of_runs(lefts[lengths == distance])
        utterances.append(utterance[paired])
        distances.append(np.full(len(paired), distance))
        is_unpaired = np.ones(len(units), bool)
        is_unpaired[paired] = is_unpaired[paired + 1] = False
        units = units[is_unpaired]
        in_prediction = in_prediction[is_unpaired]
        utterance = utterance[is_unpaired]
    return np.concatenate(utterances), np.concatenate(distances)


def _misses(comparison: Comparison) -> tuple[Positions, Positions]:
    """Return the positions of boundaries that only one side has, in order, and 1 where the side is the prediction, else 0."""
    ends = comparison.reference.word_ends, comparison.prediction.word_ends
    codes = []
    for side, shared in enumerate((comparison.shared_reference, comparison.shared_prediction)):
        is_miss = np.ones(len(ends[side]), bool)
        is_miss[shared] = False
        # Misses at 3 and 7 of the reference and at 4 of the prediction: the codes are 6 14 and 9, sorted 6 9 14.
        codes.append(2 * ends[side][is_miss] + side)
    # A stable sort merges two sorted runs in linear time.
    both = np.sort(np.concatenate(codes), kind="stable")
    return both >> 1, both & 1


def _every_second_of_runs(indices: Positions) -> Positions:
    """Return the first, third, fifth … of every run of successive indices.

    >>> _every_second_of_runs(np.array([2, 3, 4, 7, 8])).tolist()
    [2, 4, 7]
    """
    places = np.arange(len(indices))
    run_starts = np.maximum.accumulate(np.where(np.diff(indices, prepend=-2) == 1, 0, places))
    chosen: Positions = indices[(places - run_starts) % 2 == 0]
    return chosen


def similarity_scores(counts: Mapping[str, Count], zero_division: float) -> dict[str, Score]:
    """Compute S, B, the boundary edit distance E and its edits.

    >>> counts = dict(zip(SIMILARITY_COLUMNS, (2, 0, 0, 1, 8, 1, 6, 16), strict=True))
    >>> {key: round(float(value), 3) for key, value in similarity_scores(counts, 0.0).items()}  # doctest: +ELLIPSIS
    {'segmentation_similarity': 0.938, 'boundary_similarity': 0.833, 'boundary_edit_distance': 0.5, ...}
    """
    cost, of_boundaries, of_gaps = (counts[column] for column in _COSTS)
    span = divide(of_gaps, counts["boundary_gaps"], 1.0)
    return {
        "segmentation_similarity": divide(of_gaps - cost, of_gaps, zero_division),
        "boundary_similarity": divide(of_boundaries - cost, of_boundaries, zero_division),
        "boundary_edit_distance": divide(cost, span, 0.0),  # without gaps it is 0, not undefined
        **{key: as_score(counts[key]) for key in _EDITS},
    }


GROUP = ScoreGroup(
    name="similarity",
    title="boundary edit distance",
    definition="Matches M, insertions I, deletions D and transpositions T of boundaries. A near miss over d gaps is one "
    "transposition if d < `transposition_span`. E = I + D + Σ d / `transposition_span`; G is the number of gaps.",
    formula="segmentation_similarity 1 − E / G, boundary_similarity 1 − E / (M + I + D + T)",
    source="Fournier & Inkpen (2012); Fournier (2013)",
    columns=SIMILARITY_COLUMNS,
    keys={
        "segmentation_similarity": Key(),
        "boundary_similarity": Key(),
        "boundary_edit_distance": Key(range=COUNT, better="lower", is_share=False),
        "boundary_matches": Key(range=COUNT, is_share=False),
        "boundary_insertions": Key(range=COUNT, better="lower", is_share=False),
        "boundary_deletions": Key(range=COUNT, better="lower", is_share=False),
        "boundary_transpositions": Key(range=COUNT, better="lower", is_share=False),
    },
    tally=tally_similarity,
    formulas=similarity_scores,
    reads_positions=True,
    equal_to="segeval",
)
