"""Utterance accuracy: the share of utterances whose words are all right.

Conventions
-----------
- An utterance is right where the prediction has the words of the reference and no others: the same boundaries.
- A blank utterance has no words to be right or wrong, and counts neither as right nor as an utterance. Added or dropped
  on both sides it changes nothing, as with every other score here and with wordseg-eval.
- An utterance of a single unit has no choice and is right always. Where there are many, the accuracy flatters.

It is in [0, 1], higher is better, and falls with the length of the utterances.

Source
------
Chiang, Chang, Lin & Su (1992), Statistical Models for Word Segmentation and Unknown Word Resolution, ROCLING V, 121-146:
the sentence accuracy rate.
"""

from __future__ import annotations

__all__ = ["EXACT_COLUMNS", "EXACT_KEYS", "GROUP", "exact_scores", "tally_exact"]

from collections.abc import Mapping

import numpy as np

from ..kernel.comparison import Comparison
from ..kernel.formulas import Count, Score, Tallied, divide
from .group import ScoreGroup

#: The counts that `exact_scores` reads.
EXACT_COLUMNS = ("exact_matched", "exact_reference")
#: The scores, in order.
EXACT_KEYS = ("utterance_accuracy",)


def tally_exact(comparison: Comparison) -> Tallied:
    """Whether each utterance has words, and whether they are all right.

    Returns:
        int64 of shape (n_utterances,) by column, each 0 or 1, additive: `exact_matched` and `exact_reference`.

    The naive equivalent, for one utterance, is `reference_words == predicted_words`, 0 for a blank one.

    >>> from segscores.kernel.comparison import compare
    >>> from segscores.reading.readers import from_words_text
    >>> counts = tally_exact(compare(from_words_text(b"a b\\n\\na b\\n"), from_words_text(b"ab\\n\\na b\\n")))
    >>> counts["exact_matched"], counts["exact_reference"]
    (array([0, 0, 1]), array([1, 0, 1]))
    """
    filled = comparison.utterance_reference > 0
    # Where the units differ the prediction may have words besides.
    right = (
        filled
        & (comparison.utterance_matched == comparison.utterance_reference)
        & (comparison.utterance_prediction == comparison.utterance_reference)
    )
    return {"exact_matched": right.astype(np.int64), "exact_reference": filled.astype(np.int64)}


def exact_scores(counts: Mapping[str, Count], zero_division: float) -> dict[str, Score]:
    """Right utterances over utterances with words (Chiang et al. 1992)."""
    return {"utterance_accuracy": divide(counts["exact_matched"], counts["exact_reference"], zero_division)}


GROUP = ScoreGroup(
    name="exact",
    title="utterances",
    definition="Utterances with words, and those of them whose words are all right.",
    formula="right utterances / utterances",
    source="Chiang et al. (1992)",
    columns=EXACT_COLUMNS,
    keys=EXACT_KEYS,
    tally=tally_exact,
    formulas=exact_scores,
)
