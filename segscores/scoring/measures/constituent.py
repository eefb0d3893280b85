"""Constituent: scores against a reference of two levels, words and the morphemes inside them.

Conventions
-----------
- The reference has two segmentations of the same units: its words, and its morphemes. Every word is made of whole
  morphemes, one or more, so that every word boundary is a morpheme boundary. A bracket is the span of a word or a morpheme
  of the reference, or of a predicted word.
- A predicted bracket crosses if it overlaps a word or a morpheme of the reference and neither contains the other. It divides if
  it is a proper part of a morpheme. Otherwise it is compatible: it is one or more whole morphemes within a word, or one or more
  whole words. No bracket both crosses and divides, because a part of a morpheme is a part of its word.

With `[data base] [system]`, the morphemes `data`, `base` and `system`: in the prediction `data | basesystem` the second
bracket crosses, because it overlaps `database`; in `database | sys | tem` the last two divide; all brackets of `data |
base | system` and of `database | system` are compatible.

Scores
------
- Compatible brackets rate: compatible brackets / predicted words, a precision. Crossing rate and dividing rate: the
  same for the other two kinds; the three rates add up to 1.
- All-compatible brackets rate: the share of utterances all of whose brackets are compatible, without blank utterances.
- Morpheme precision, recall and F-score: the token scores with the reference's morphemes in place of its words.

A prediction without any boundary inside an utterance is fully compatible, and so is the prediction of the morphemes. The rates
distinguish neither from the reference; precision and recall do, so report both.

Source
------
Ando & Lee (2003), Mostly-unsupervised Statistical Segmentation of Japanese Kanji Sequences, Natural Language Engineering
9(2):127-149, which reports compatible brackets rates with word and morpheme precision, recall and F.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...kernel.arrays import Mask, count_to, first_true, last_of, starts_of, sum_by_utterance
from ...kernel.comparison import Comparison
from ...kernel.formulas import Count, Score, Tallied, precision_recall_fscore, quotients
from ...kernel.segmentation import Segmentation
from ...options.errors import UtteranceError
from ..mismatch import compare_segmentations

_RATES = {
    "compatible_brackets_rate": ("brackets_compatible", "brackets_predicted"),
    "all_compatible_brackets_rate": ("brackets_all_compatible", "brackets_utterances"),
    "crossing_brackets_rate": ("brackets_crossing", "brackets_predicted"),
    "dividing_brackets_rate": ("brackets_dividing", "brackets_predicted"),
}
CONSTITUENT_KEYS = (*_RATES, "morpheme_precision", "morpheme_recall", "morpheme_fscore")


def tally_constituent(comparison: Comparison, morphemes: Segmentation) -> Tallied:
    """Count predicted words by how they fit the words and morphemes of the reference.

    The naive equivalent, for one utterance and the sets of spans of its words and morphemes, of every predicted span
    (s, e): crossing is `any(a < s < b < e or s < a < e < b for a, b in words | morphemes)`, dividing is
    `any(a <= s and e <= b and (a, b) != (s, e) for a, b in morphemes)`.
    """
    prediction = comparison.prediction
    by_morpheme = compare_segmentations(morphemes, prediction)
    _check_levels(comparison.reference, morphemes)
    # For each predicted word: both its ends are ends of words, or of morphemes; or it is within one of these.
    at_words = _has_shared_ends(comparison)
    at_morphemes = _has_shared_ends(by_morpheme)
    in_word = _within_one(comparison.reference, prediction)
    in_morpheme = _within_one(morphemes, prediction)
    is_compatible = at_morphemes & (at_words | in_word)
    is_dividing = in_morpheme & ~at_morphemes
    words = comparison.utterance_prediction
    compatible = sum_by_utterance(is_compatible, words)
    dividing = sum_by_utterance(is_dividing, words)
    has_words = words > 0
    return {
        "brackets_compatible": compatible,
        "brackets_crossing": words - compatible - dividing,
        "brackets_dividing": dividing,
        "brackets_predicted": words,
        "brackets_all_compatible": (has_words & (compatible == words)).astype(np.int64),
        "brackets_utterances": has_words.astype(np.int64),
        **by_morpheme.tokens().columns("morpheme"),
    }


def constituent_scores(counts: Mapping[str, Count], zero_division: float) -> dict[str, Score]:
    """Compute rates of compatible brackets, and morpheme precision, recall and F-score (Ando & Lee 2003)."""
    rates = quotients(_RATES, counts, zero_division)
    return rates | precision_recall_fscore("morpheme", counts, zero_division)


def _has_shared_ends(comparison: Comparison) -> Mask:
    """Return for every predicted word whether it begins and ends at boundaries of the reference."""
    # `shared_prediction` has the indexes of the predicted words that end at a boundary of the reference.
    ends_shared = np.zeros(len(comparison.prediction.word_ends), bool)
    ends_shared[comparison.shared_prediction] = True
    # A word begins where the word before it ends. The word 0 begins at 0, and the first word of another utterance where the
    # utterance before ends: both sides have a boundary there.
    is_between_shared: Mask = ends_shared.copy()
    is_between_shared[1:] &= ends_shared[:-1]
    return is_between_shared


def _within_one(reference: Segmentation, prediction: Segmentation) -> Mask:
    """Return for every predicted word whether one bracket of the reference contains it: no bracket ends inside it."""
    ends = prediction.word_ends
    # Brackets end at 3 and 7: up to the positions 3 and 5, before the first and the last byte of the word from 3 to 6, there are
    # 1 and 1 ends; up to 2 and 4, of the word from 2 to 5, there are 0 and 1.
    ends_before = count_to(reference.word_ends, last_of(reference.utterance_ends))
    starts = starts_of(ends)
    return np.asarray(ends_before[ends - 1] == ends_before[starts])


def _check_levels(words: Segmentation, morphemes: Segmentation) -> None:
    """Check that each word of the reference ends where a morpheme ends."""
    first_bad = first_true(np.isin(words.word_ends, morphemes.word_ends, invert=True))
    if first_bad >= 0:
        utterance = int(words.utterances_of_words()[first_bad])
        words_before = int(words.word_counts()[:utterance].sum())
        number = first_bad - words_before
        problem = f"word {number} of the reference ends inside a morpheme; expected words made of whole morphemes."
        raise UtteranceError(utterance, problem, hint="Are the two levels swapped?")
