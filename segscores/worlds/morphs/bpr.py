"""Boundaries within words that may have several analyses, by the rules of Morpho Challenge.

Conventions
-----------
- An utterance is a word. Either side may have several analyses of it, all of which spell the word.
- The precision of a word is the share of the predicted boundaries within it that the reference has, its recall the share of the
  reference's boundaries that are predicted; 1 where there is no boundary to find.
- Of several analyses, the pair of a reference and a prediction with the greatest precision counts, and likewise the pair with the
  greatest recall, which may be another one.
- Precision and recall are means over the words, and F is the harmonic mean of these two. Blank utterances are no words.

The shares of words are counted in parts of `WHOLE`, a multiple of every number of boundaries up to 28, so that sums of them are
whole numbers and add up in any order.

Deviations: morphoeval and Morfessor leave words of one letter out of the sums, which have 1 and 1 here; Morfessor still divides
by their number. Morfessor draws samples of words; here `compare` has intervals and tests.

Source
------
Virpioja, Turunen, Spiegler, Kohonen & Kurimo (2011), Empirical Comparison of Evaluation Methods for Unsupervised Learning of
Morphology, TAL 52(2):45-90: BPR.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from ...kernel import arrow_functions as pc
from ...kernel.arrays import Positions, first_true, int64_array, offsets_of
from ...kernel.comparison import Comparison, compare_same, find_mismatches
from ...kernel.formulas import Count, Score, Tallied, divide
from ...kernel.record import record
from ...kernel.segmentation import Segmentation
from ...options.errors import UtteranceError
from ...options.quoting import shortened
from ...reading.readers import from_word_lists
from ...scoring.measures.group import Key, ScoreGroup
from .analyses import analyses_of

#: The largest number of boundaries whose shares are exact.
_LARGEST_EXACT = 28
#: A share of 1 as an integer: other shares are multiples of 1 / WHOLE, so that their sums are exact.
WHOLE = math.lcm(*range(1, _LARGEST_EXACT + 1))
_COLUMNS = ("bpr_precision_parts", "bpr_recall_parts", "bpr_words")


def tally_bpr(comparison: Comparison) -> Tallied:
    """Count the best precision and the best recall of each word, as multiples of 1 / WHOLE.

    The naive equivalent compares each pair of analyses of a word as two sets of boundaries.
    """
    reference = comparison.reference
    prediction = comparison.prediction
    # 1 for a word, and 0 for a blank utterance, which adds nothing.
    is_word = (reference.utterance_units > 0).astype(np.int64)
    if "analyses" in reference.of_utterances or "analyses" in prediction.of_utterances:
        parts = _best_parts(analyses_of(reference), analyses_of(prediction))
    else:
        parts = _parts_of(comparison)
    return {
        "bpr_precision_parts": parts.precision * is_word,
        "bpr_recall_parts": parts.recall * is_word,
        "bpr_words": is_word,
    }


@record
class _Parts:
    """The precision and the recall of each word, in parts of WHOLE."""

    precision: Positions
    recall: Positions


def _best_parts(reference: pa.LargeListArray, prediction: pa.LargeListArray) -> _Parts:
    """Return the best precision and the best recall of each word, from the analyses of both sides."""
    counts = np.diff(offsets_of(reference))
    other_counts = np.diff(offsets_of(prediction))
    # The pairs of a word: each analysis of the reference with each of the prediction. For 2 and 3 of them, the pairs 0 to 5 have
    # the analyses 0 0 0 1 1 1 and 0 1 2 0 1 2 of the word.
    pair_counts = counts * other_counts
    first_pairs = np.cumsum(pair_counts) - pair_counts
    pairs_in_word = np.arange(int(pair_counts.sum())) - np.repeat(first_pairs, pair_counts)
    analyses, other_analyses = np.divmod(pairs_in_word, np.repeat(other_counts, pair_counts))
    paired = _take_analyses(reference, counts, pair_counts, analyses)
    other_paired = _take_analyses(prediction, other_counts, pair_counts, other_analyses)
    _check_spelling(paired, other_paired, pair_counts)
    parts = _parts_of(compare_same(paired, other_paired))
    # Each word has an analysis on both sides, and so a pair, as `reduceat` needs. Without a word there is nothing to reduce.
    if not len(first_pairs):
        return parts
    return _Parts(np.maximum.reduceat(parts.precision, first_pairs), np.maximum.reduceat(parts.recall, first_pairs))


def _take_analyses(
    lists: pa.LargeListArray, counts: Positions, pair_counts: Positions, analyses: Positions
) -> Segmentation:
    """Return an analysis of one side for each pair, as an utterance.

    `counts` and `pair_counts` are the numbers of analyses and of pairs of each word, and `analyses` the analysis of each pair
    among those of its word.
    """
    # Words with 2 and 3 analyses: those of the second word begin at 2.
    first_analyses = np.repeat(np.cumsum(counts) - counts, pair_counts)
    return from_word_lists(pc.take(lists.flatten(), int64_array(first_analyses + analyses)))


def _parts_of(comparison: Comparison) -> _Parts:
    """Return the shares of matched boundaries among the predicted ones, and among those of the reference."""
    # The last boundary of a word is its end, which is not within it.
    matched = np.maximum(comparison.utterance_shared - 1, 0)
    predicted = np.maximum(comparison.utterance_prediction - 1, 0)
    reference = np.maximum(comparison.utterance_reference - 1, 0)
    return _Parts(_share(matched, predicted), _share(matched, reference))


def _share(matched: Positions, total: Positions) -> Positions:
    """Return matched / total in parts of WHOLE; WHOLE where there is nothing to match."""
    share = np.where(total > 0, matched * (WHOLE // np.maximum(total, 1)), WHOLE)
    # Shares of more boundaries than _LARGEST_EXACT may be no whole numbers of parts, and are rounded.
    large = np.flatnonzero(total > _LARGEST_EXACT)
    share[large] = np.rint(matched[large] / total[large] * WHOLE).astype(np.int64)
    return share


def _check_spelling(reference: Segmentation, prediction: Segmentation, pair_counts: Positions) -> None:
    """Raise an error if the analyses of a pair spell different words; `pair_counts` are the numbers of pairs of each word."""
    pair = first_true(find_mismatches(reference, prediction))
    if pair >= 0:
        spelt = shortened("".join(reference.units(pair)))
        other_spelt = shortened("".join(prediction.units(pair)))
        problem = f"one analysis spells {spelt}, another {other_spelt}; expected that all of a word spell it."
        word = int(np.searchsorted(np.cumsum(pair_counts), pair, side="right"))
        raise UtteranceError(word, problem)


def bpr_scores(counts: Mapping[str, Count], zero_division: float) -> dict[str, Score]:
    """Compute means over words, and their harmonic mean (Virpioja et al. 2011)."""
    words = counts["bpr_words"]
    precision = divide(counts["bpr_precision_parts"] / WHOLE, words, zero_division)
    recall = divide(counts["bpr_recall_parts"] / WHOLE, words, zero_division)
    fscore = divide(2 * precision * recall, precision + recall, 0.0)  # 0 if both are 0, whatever `zero_division` is
    return {"bpr_precision": precision, "bpr_recall": recall, "bpr_fscore": fscore}


GROUP = ScoreGroup(
    name="bpr",
    title="boundaries within words",
    definition="Each utterance is a word, and of several analyses the best counts. P and R of a word: the shares of its "
    "predicted and of its reference boundaries that are matched, 1 where there are none.",
    formula="precision and recall the means of P and R over words, fscore their harmonic mean",
    source="Virpioja et al. (2011)",
    columns=_COLUMNS,
    keys={"bpr_precision": Key("BPR precision"), "bpr_recall": Key("BPR recall"), "bpr_fscore": Key("BPR F-score")},
    tally=tally_bpr,
    formulas=bpr_scores,
    needs=frozenset({"units", "morphs", "equal_units"}),
    equal_to="morphoeval's bpr, but for words of one letter",
)
