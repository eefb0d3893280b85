"""The doubt that the boundary scores of a segmenter are low where a boundary is, as transitional probabilities are."""

from __future__ import annotations

import numpy as np

from ..kernel.arrays import Floats, Positions
from ..options.errors import warn

#: The first gaps that are looked at, and the fewest with a boundary and without one.
_FIRST_GAPS = 1 << 15
_FEWEST = 50
#: The largest share of pairs of a boundary and another gap in which the boundary has the higher score.
_MOST_HIGHER = 0.3


def warn_of_low_scores(utterance_units: Positions, word_ends: Positions, scores: Floats) -> None:
    """Warn if the scores of most boundaries are lower than those of other inner gaps.

    `word_ends` counts units, and `scores` has a score for each inner gap.
    """
    is_boundary = _inner_boundaries(utterance_units, word_ends)[:_FIRST_GAPS]
    of_boundaries = scores[:_FIRST_GAPS][is_boundary]
    of_others = np.sort(scores[:_FIRST_GAPS][~is_boundary])
    if min(len(of_boundaries), len(of_others)) < _FEWEST:
        return
    # Half of the equal scores count as higher.
    lower_others = np.searchsorted(of_others, of_boundaries, side="left")
    others_up_to = np.searchsorted(of_others, of_boundaries, side="right")
    share_higher = float((lower_others + others_up_to).mean() / (2 * len(of_others)))
    if share_higher <= _MOST_HIGHER:
        received = (
            f"{share_higher:.0%} of pairs of a reference boundary and another gap, the boundary has the higher score"
        )
        warn(f"in {received}: if low scores are boundaries, change the signs of the scores.")


def _inner_boundaries(utterance_units: Positions, word_ends: Positions) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return for each inner gap whether a word ends there.

    The words `ab c` and `d e` are utterances of 3 and 2 units, whose word ends are 2, 3, 4 and 5, and whose inner gaps are 3.
    """
    utterance_ends = np.cumsum(utterance_units)
    inner_ends = word_ends[~np.isin(word_ends, utterance_ends)]
    utterances = np.searchsorted(utterance_ends, inner_ends)
    gap_counts = np.maximum(utterance_units - 1, 0)
    gaps_before = np.cumsum(gap_counts) - gap_counts
    units_before = utterance_ends - utterance_units
    is_boundary = np.zeros(int(gap_counts.sum()), bool)
    is_boundary[gaps_before[utterances] + inner_ends - units_before[utterances] - 1] = True
    return is_boundary
