"""Rand: the adjusted Rand index of two segmentations, read as two clusterings of the units.

Conventions
-----------
- Every occurrence of a word is a cluster, and every unit of the corpus is in one cluster on each side. The N units of
  the corpus make T = N(N−1)/2 pairs. P_B pairs are in one word on both sides, P_R pairs in one reference word, and P_P
  pairs in one predicted word.
- Pairs across utterances count only in T: they are in one word on neither side.

Score
-----
The index compares P_B with E = P_R·P_P / T, the expected P_B of random clusters of the same sizes. It is 1 where the words are
the same, about 0 for random clusters, and may be negative. Random segmentations score above 0, because their clusters are
contiguous.

P_B, P_R, P_P and N add up over utterances, and the formula reads their sums. The index is not linear in the sums: T grows with
the square of N. So the index of a corpus is not an average over utterances, and doubling a corpus changes it slightly.

0/0 is `zero_division` (1 in scikit-learn). It occurs if there is at most one unit, if all words of both sides are
single units, or if both sides have one word.

Sources
-------
Hubert & Arabie (1985), Comparing Partitions, Journal of Classification 2:193-218. Over the units of a segmented
corpus: wordseg-eval (Bernard et al., 2020, Behavior Research Methods 52:264-278), with `adjusted_rand_score` of
scikit-learn, whose version 0.24 overflows from some 100,000 units on
(https://github.com/scikit-learn/scikit-learn/issues/20305); the products here are floats.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...kernel.arrays import Positions, last_of, lengths_of, sum_by_utterance
from ...kernel.comparison import Comparison
from ...kernel.formulas import Count, Score, Tallied, divide
from .group import Key, ScoreGroup

RAND_COLUMNS = ("rand_matched", "rand_predicted", "rand_reference", "units")
#: The bits of the sides that have a boundary.
_REFERENCE = 1
_PREDICTION = 2


def tally_rand(comparison: Comparison) -> Tallied:
    """Count pairs of units that are in one word, P_B, P_P and P_R, and units.

    The naive equivalent, for one utterance and the sets of spans of its words in units, with `pairs(n) = n * (n - 1) // 2`:
    `sum(pairs(end - start) for start, end in spans)` of a side, and of both
    `sum(pairs(max(0, min(e, f) - max(s, t))) for s, e in reference for t, f in prediction)`.
    """
    reference = comparison.reference
    # The words of both sides divide the text into pieces, which a reference word and a predicted word share.
    # `the dog is` and `thedog is`: sides is 1 at the byte 3, and 3, both bits, at 6 and 8. So the pieces end at 3 6 8, the words
    # of the reference too, and the predicted ones at 6 8.
    sides = np.zeros(last_of(reference.utterance_ends) + 1, np.uint8)
    sides[reference.word_ends] = _REFERENCE
    sides[comparison.prediction.word_ends] |= _PREDICTION
    ends = np.flatnonzero(sides != 0)
    sides_of_pieces = sides[ends]
    ends_in_units = reference.units_before(ends)
    ends_of_reference = ends_in_units[(sides_of_pieces & _REFERENCE) != 0]
    ends_of_prediction = ends_in_units[(sides_of_pieces & _PREDICTION) != 0]
    # An end that both sides share is the end of one piece.
    piece_counts = comparison.utterance_reference + comparison.utterance_prediction - comparison.utterance_shared
    return {
        "rand_matched": _count_pairs(ends_in_units, piece_counts),
        "rand_predicted": _count_pairs(ends_of_prediction, comparison.utterance_prediction),
        "rand_reference": _count_pairs(ends_of_reference, comparison.utterance_reference),
        "units": reference.utterance_units,
    }


def _count_pairs(ends: Positions, counts: Positions) -> Positions:
    """Count the pairs of units within one word, in each utterance.

    `ends` has the ends of the words of all utterances, in units, and `counts` the number of words of each utterance. With the
    ends 3 6 8 and the counts 2 1, the words have 3 3 2 units and 3 3 1 pairs, and the utterances 6 and 1.
    """
    units_of_words = lengths_of(ends)
    return sum_by_utterance(units_of_words * (units_of_words - 1) // 2, counts)


def rand_scores(counts: Mapping[str, Count], zero_division: float) -> dict[str, Score]:
    """Compute the adjusted Rand index (Hubert & Arabie 1985): (P_B − E) / ((P_R + P_P) / 2 − E), E = P_R·P_P / T.

    Both sides of the fraction are multiplied by 2·T, which makes them products of counts, exactly 0 where the index is undefined:
    2·(P_B·T − P_R·P_P), and P_R·(T − P_P) + P_P·(T − P_R).
    """
    both = np.asarray(counts["rand_matched"], np.float64)
    predicted = np.asarray(counts["rand_predicted"], np.float64)
    reference = np.asarray(counts["rand_reference"], np.float64)
    units = np.asarray(counts["units"], np.float64)
    apart_in_reference = units * (units - 1) * 0.5 - reference
    apart_in_prediction = units * (units - 1) * 0.5 - predicted
    reference_alone = reference - both
    prediction_alone = predicted - both
    # P_B·T − P_R·P_P is a difference of two large products that may be nearly equal: it would lose digits. Of the same value,
    # with smaller products, is P_B·D − (P_R − P_B)·(P_P − P_B), for the D pairs that are apart on both sides.
    apart_on_both = apart_in_prediction - reference_alone
    above_chance = both * apart_on_both - reference_alone * prediction_alone
    # Twice what `above_chance` is where P_B is (P_R + P_P) / 2.
    twice_the_most = reference * apart_in_prediction + predicted * apart_in_reference
    return {"adjusted_rand_index": divide(2 * above_chance, twice_the_most, zero_division)}


GROUP = ScoreGroup(
    name="rand",
    title="pairs of units",
    definition="Pairs of units of an utterance that are in the same word: P_R in the reference, P_P in the prediction, P_B "
    "in both; T is the number of all pairs of units in the corpus.",
    formula="(P_B − E) / ((P_R + P_P) / 2 − E), E = P_R·P_P / T",
    source="Hubert & Arabie (1985)",
    columns=RAND_COLUMNS,
    keys={"adjusted_rand_index": Key("Adjusted Rand index", range=(-1.0, 1.0))},
    tally=tally_rand,
    formulas=rand_scores,
    reads_positions=True,
    also_called=("ari",),
    equal_to="wordseg-eval, scikit-learn",
)
