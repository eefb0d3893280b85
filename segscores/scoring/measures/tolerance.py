"""Tolerance: boundaries that are found at their position or near it.

Conventions
-----------
- Boundaries are within an utterance, as in the group `boundary_noedge`. Positions count units.
- A reference boundary and a predicted one of the same utterance are in reach of each other if they are at most
  `tolerance` units apart. Boundaries in reach are matched one to one: the matched count is the size of a maximum
  matching. With a tolerance of 0 all counts equal the counts of `boundary_noedge`; but where the units differ
  (`on_mismatch="align"`), a boundary needs a place among the reference's units, which only one of the two around an
  invented word has.
- Precision, recall and F-score are in [0, 1], higher is better.

Scorers of speech segmentation differ in how they treat a boundary in reach of two others (Strgar & Harwath 2022,
arXiv:2211.01461). Some count every boundary that has another in reach, without a one-to-one matching; their precision
and recall are never lower than here.

Sources
-------
Speech segmentation, with reaches in ms: Räsänen, Laine & Altosaar (2009), Interspeech, pp. 1851-1854.
The same matching, with times in place of units: `mir_eval.segment.detection` (with `trim=True`).
"""

from __future__ import annotations

import numpy as np

from ...reading.arrays import Integers, Positions, count_to, sum_by_utterance
from ..comparison import Comparison
from ..formulas import Tallied
from ..times import match_first
from .group import precision_recall_fscore_group


def tally_tolerance(comparison: Comparison, *, tolerance: float) -> Tallied:
    """Boundaries within an utterance, matched one to one within a tolerance.

    The naive equivalent gives each reference boundary, from left to right, the first predicted boundary in reach that
    is still free. That is a maximum matching (`match_first`).

    Time is linear in the units. Only boundaries that reach the same predicted one as a neighbour compete; the others
    take the first one in reach.

    >>> from segscores.scoring.mismatch import compare_segmentations
    >>> from segscores.reading.readers import from_words_text
    >>> both = compare_segmentations(from_words_text(b"the dog is on\\n"), from_words_text(b"th edog is on\\n"))
    >>> {column: count.item() for column, count in tally_tolerance(both, tolerance=1).items()}
    {'tolerance_matched': 3, 'tolerance_predicted': 3, 'tolerance_reference': 3}
    """
    filled = comparison.utterance_reference > 0
    first, after, words = _reaches(comparison, int(tolerance))
    is_matched = np.zeros(len(comparison.reference.word_ends), bool)
    is_matched[words[match_first(first, after)]] = True
    return {
        "tolerance_matched": sum_by_utterance(is_matched, comparison.utterance_reference),
        "tolerance_predicted": comparison.utterance_prediction - filled,
        "tolerance_reference": comparison.utterance_reference - filled,
    }


def _reaches(comparison: Comparison, tolerance: int) -> tuple[Integers, Integers, Positions]:
    """Return the predicted boundaries in reach of each inner reference boundary that has any, and the words that end there."""
    reference, prediction = comparison.boundary_units()
    units = comparison.reference.utterance_units
    ends = np.cumsum(units)
    total = int(ends[-1]) if len(ends) else 0
    predicted = count_to(prediction, total)
    reach = min(tolerance, total)
    small = predicted.dtype  # half the memory takes half the time
    positions = reference.astype(small)
    starts = np.repeat((ends - units).astype(small), comparison.utterance_reference)
    stops = np.repeat(ends.astype(small), comparison.utterance_reference)
    before = predicted[np.maximum(positions - (reach + 1), starts)]
    last = predicted[np.minimum(positions + reach, stops - 1)]
    has_any = np.flatnonzero((before < last) & (positions < stops))  # without the last word of an utterance
    return before[has_any], last[has_any], has_any


GROUP = precision_recall_fscore_group(
    "tolerance",
    title="boundaries within a tolerance",
    heading="Boundary {} (within a tolerance)",
    definition="Boundaries without edges, in a maximum one-to-one matching of boundaries at most `tolerance` units "
    "apart.",
    source="speech segmentation; Räsänen et al. (2009)",
    tally=tally_tolerance,
    reads_positions=True,
    defaults={"tolerance": 1},
    equal_to="mir_eval.segment.detection",
)
