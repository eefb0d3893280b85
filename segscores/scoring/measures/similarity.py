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

from ...kernel.arrays import Mask, Positions
from ...kernel.comparison import Comparison
from ...kernel.formulas import Count, Score, Tallied, as_score, divide
from ...kernel.record import record
from .group import UNBOUNDED, Key, ScoreGroup

_EDITS = ("boundary_matches", "boundary_insertions", "boundary_deletions", "boundary_transpositions")
_COSTS = ("similarity_cost", "similarity_cost_boundaries", "similarity_cost_gaps")
SIMILARITY_COLUMNS = (*_EDITS, "boundary_gaps", *_COSTS)


def tally_similarity(comparison: Comparison, *, transposition_span: int = 2) -> Tallied:
    """Count the edits of boundaries M, I, D and T, and the gaps G, of each utterance, and three costs in units of 1/n_t.

    The costs are those of the edits (E), of M + I + D + T full misses, and of G full misses: the numerators and denominators of
    S and B.

    Time is linear in the text, with one pass over the unpaired misses for each distance below `transposition_span` that
    occurs. The naive equivalent, for an utterance with the sets `reference` and `prediction` of inner boundaries, is

        missed = reference ^ prediction
        for distance in range(1, transposition_span):
            for left in range(1, units - distance):
                pair = {left, left + distance}
                if pair <= missed and len(pair & reference) == 1:
                    missed -= pair
                    transposed += 1
                    total_distance += distance
    """
    gaps = np.maximum(comparison.reference.utterance_units - 1, 0)
    missing = comparison.utterance_reference - comparison.utterance_shared
    extra = comparison.utterance_prediction - comparison.utterance_shared
    # The last shared boundary is the utterance's end, which is no gap.
    matched = np.maximum(comparison.utterance_shared - 1, 0)
    utterances, distances = _transpositions(_misses(comparison, missing + extra), transposition_span)
    transposed = np.bincount(utterances, minlength=len(gaps))
    # bincount adds in floating point, which is exact up to 2 ** 53 units.
    total_distance = np.bincount(utterances, distances, minlength=len(gaps)).astype(np.int64)
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


@record
class _Misses:
    """The boundaries that only one side has, in the order of the text, a value for each in every array."""

    utterances: Positions
    units: Positions  #: the number of units before the boundary
    in_prediction: Mask  #: False if the boundary is in the reference

    def take(self, chosen: Mask) -> _Misses:
        """Return the chosen misses."""
        return _Misses(self.utterances[chosen], self.units[chosen], self.in_prediction[chosen])


def _misses(comparison: Comparison, counts: Positions) -> _Misses:
    """Return the misses of a comparison; `counts` has the number of misses of each utterance."""
    # Positions in the text, in bytes.
    of_reference = np.delete(comparison.reference.word_ends, comparison.shared_reference)
    of_prediction = np.delete(comparison.prediction.word_ends, comparison.shared_prediction)
    of_both = np.concatenate([of_reference, of_prediction])
    # A stable sort merges two sorted runs in linear time.
    order = np.argsort(of_both, kind="stable")
    return _Misses(
        utterances=np.repeat(np.arange(len(counts)), counts),
        units=comparison.reference.units_before(of_both[order]),
        in_prediction=order >= len(of_reference),
    )


def _transpositions(misses: _Misses, span: int) -> tuple[Positions, Positions]:
    """Return the utterance of each transposition, and the distance between its two ends in units, which is below `span`."""
    none = np.zeros(0, np.int64)
    utterances = [none]
    distances = [none]
    distance = 0
    # Pairs of distance 1 first, then of the next distance that occurs.
    while distance < span - 1:  # the largest distance of a pair is span - 1
        # Misses after 2 5 6 9 units, of reference, prediction, reference and reference: the first and second may pair, at a
        # distance of 3, and the second and third, at 1. So `lefts` are 0 and 1.
        are_opposite = misses.in_prediction[1:] != misses.in_prediction[:-1]
        are_of_one_utterance = misses.utterances[1:] == misses.utterances[:-1]
        lefts = np.flatnonzero(are_opposite & are_of_one_utterance)
        lengths = misses.units[lefts + 1] - misses.units[lefts]
        distance = int(lengths.min(initial=span))
        if distance >= span:
            break  # no two misses are near enough, or none are left: the least of no lengths is `span`
        paired = _every_second_of_runs(lefts[lengths == distance])
        utterances.append(misses.utterances[paired])
        distances.append(np.full(len(paired), distance))
        is_unpaired = np.ones(len(misses.units), bool)
        is_unpaired[paired] = False
        is_unpaired[paired + 1] = False
        misses = misses.take(is_unpaired)
    return np.concatenate(utterances), np.concatenate(distances)


def _every_second_of_runs(indices: Positions) -> Positions:
    """Return the first, third, fifth … of every run of successive numbers: the pairs (n, n + 1) that have no miss in common.

    >>> _every_second_of_runs(np.array([2, 3, 4, 7, 8])).tolist()
    [2, 4, 7]
    """
    places = np.arange(len(indices))
    begins_run = np.diff(indices, prepend=-2) != 1  # -2: the first index, which may be 0, does not follow it
    # 2 3 4 7 8: runs begin at the places 0 and 3, so that each place belongs to the run that begins at 0 0 0 3 3.
    run_starts = np.maximum.accumulate(np.where(begins_run, places, 0))
    is_chosen = (places - run_starts) % 2 == 0
    chosen: Positions = indices[is_chosen]
    return chosen


def similarity_scores(counts: Mapping[str, Count], zero_division: float) -> dict[str, Score]:
    """Compute S, B, the boundary edit distance E and its edits.

    >>> counts = dict(zip(SIMILARITY_COLUMNS, (2, 0, 0, 1, 8, 1, 6, 16), strict=True))
    >>> {key: round(float(value), 3) for key, value in similarity_scores(counts, 0.0).items()}  # doctest: +ELLIPSIS
    {'segmentation_similarity': 0.938, 'boundary_similarity': 0.833, 'boundary_edit_distance': 0.5, ...}
    """
    cost = counts["similarity_cost"]
    cost_of_boundaries = counts["similarity_cost_boundaries"]
    cost_of_gaps = counts["similarity_cost_gaps"]
    # A full miss of every gap costs n_t for each: so the counts say what n_t is, and the formula needs no option.
    span = divide(cost_of_gaps, counts["boundary_gaps"], 1.0)
    return {
        "segmentation_similarity": divide(cost_of_gaps - cost, cost_of_gaps, zero_division),
        "boundary_similarity": divide(cost_of_boundaries - cost, cost_of_boundaries, zero_division),
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
        "boundary_edit_distance": Key(range=UNBOUNDED, better="lower", is_share=False),
        "boundary_matches": Key(range=UNBOUNDED, is_share=False),
        "boundary_insertions": Key(range=UNBOUNDED, better="lower", is_share=False),
        "boundary_deletions": Key(range=UNBOUNDED, better="lower", is_share=False),
        "boundary_transpositions": Key(range=UNBOUNDED, better="lower", is_share=False),
    },
    tally=tally_similarity,
    formulas=similarity_scores,
    reads_positions=True,
    equal_to="segeval",
)
