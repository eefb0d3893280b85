"""Utterance accuracy: the share of utterances whose words are all correct.

Conventions
-----------
- An utterance is correct if the prediction has exactly the words of the reference, and so the same boundaries.
- An utterance that is blank on both sides has no words, and is left out. Adding or dropping it changes nothing, as with
  every other score here and with wordseg-eval. Words that the prediction invents for a blank reference
  (`on_mismatch="align"`) are an error.
- An utterance of a single unit is always correct. Many of them raise the accuracy. Longer utterances lower it.

Source
------
Chiang, Chang, Lin & Su (1992), Statistical Models for Word Segmentation and Unknown Word Resolution, ROCLING V, 121-146:
the sentence accuracy rate.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ...kernel.comparison import Comparison
from ...kernel.formulas import Tallied, quotients
from .group import Key, ScoreGroup


def tally_exact(comparison: Comparison) -> Tallied:
    """Return the utterances with words, and the utterances whose words are all correct.

    The naive equivalent, for one utterance, is `reference_words == predicted_words`, 0 for one that is blank on both sides.
    """
    reference = comparison.utterance_reference
    predicted = comparison.utterance_prediction
    has_words = (reference > 0) | (predicted > 0)
    # If all reference words match, the prediction may still have more words: words of inserted units.
    is_right = has_words & (comparison.utterance_matched == reference) & (predicted == reference)
    return {"exact_matched": is_right.astype(np.int64), "exact_reference": has_words.astype(np.int64)}


GROUP = ScoreGroup(
    name="exact",
    title="utterances",
    definition="Utterances with words; an utterance is correct if all its words are.",
    formula="correct utterances / utterances",
    source="Chiang et al. (1992)",
    columns=("exact_matched", "exact_reference"),
    keys={"utterance_accuracy": Key()},
    tally=tally_exact,
    is_of_words=True,
    also_called=("accuracy", "exactmatch", "sentenceaccuracy"),
    formulas=partial(quotients, {"utterance_accuracy": ("exact_matched", "exact_reference")}),
    needs=frozenset(),
)
