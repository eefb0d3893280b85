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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ...kernel import arrow_functions as pc
from ...kernel.arrays import Positions, first_true, int64_array, lengths_of, offsets_of
from ...kernel.comparison import Comparison, compare_same, find_mismatches
from ...kernel.formulas import Count, Score, Tallied, divide
from ...kernel.segmentation import Segmentation
from ...options.errors import UtteranceError
from ...options.quoting import shortened
from ...reading.readers import from_word_lists
from ...scoring.measures.group import Key, ScoreGroup
from .analyses import analyses_of

#: A share of 1 as an integer: other shares are multiples of 1 / WHOLE, so that their sums are exact.
WHOLE = math.lcm(*range(1, 29))
_COLUMNS = ("bpr_precision_parts", "bpr_recall_parts", "bpr_words")


def tally_bpr(comparison: Comparison) -> Tallied:
    """Count the best precision and the best recall of each word, as multiples of 1 / WHOLE.

    The naive equivalent compares each pair of analyses of a word as two sets of boundaries.
    """
    sides = [comparison.reference, comparison.prediction]
    is_word = (sides[0].utterance_units > 0).astype(np.int64)
    if any("analyses" in side.of_utterances for side in sides):
        parts = _best_parts([analyses_of(side) for side in sides])
    else:
        parts = _parts_of(comparison)
    return {
        "bpr_precision_parts": parts.precision * is_word,
        "bpr_recall_parts": parts.recall * is_word,
        "bpr_words": is_word,
    }


@dataclass(frozen=True)
class _Parts:
    """The precision and the recall of each word, in parts of WHOLE."""

    precision: Positions
    recall: Positions


def _best_parts(analyses: Sequence[pa.LargeListArray]) -> _Parts:
    """Return the best precision and the best recall of each word, from the analyses of both sides."""
    counts = [lengths_of(offsets_of(lists)[1:] - offsets_of(lists)[0]) for lists in analyses]
    pairs = counts[0] * counts[1]
    starts = np.cumsum(pairs) - pairs
    # The pairs of a word: each analysis of the reference with each of the prediction. For 2 and 3 of them, places are
    # 0 0 0 1 1 1 and 0 1 2 0 1 2.
    places = np.divmod(np.arange(int(pairs.sum())) - np.repeat(starts, pairs), np.repeat(counts[1], pairs))
    firsts = (np.repeat(np.cumsum(count) - count, pairs) for count in counts)
    both = [
        from_word_lists(pc.take(lists.flatten(), int64_array(first + place)))
        for lists, first, place in zip(analyses, firsts, places, strict=True)
    ]
    _check_spelling(both[0], both[1], pairs)
    parts = _parts_of(compare_same(*both))
    # `reduceat` needs a start.
    if not len(starts):
        return parts
    return _Parts(np.maximum.reduceat(parts.precision, starts), np.maximum.reduceat(parts.recall, starts))


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
    # WHOLE is a multiple of every number up to 28; other shares are rounded.
    large = np.flatnonzero(total > 28)
    share[large] = np.rint(matched[large] / total[large] * WHOLE).astype(np.int64)
    return share


def _check_spelling(reference: Segmentation, prediction: Segmentation, pairs: Positions) -> None:
    if (at := first_true(find_mismatches(reference, prediction))) >= 0:
        one, other = (shortened("".join(side.units(at))) for side in (reference, prediction))
        problem = f"one analysis spells {one}, another {other}; expected that all of a word spell it."
        raise UtteranceError(int(np.searchsorted(np.cumsum(pairs), at, side="right")), problem)


def bpr_scores(counts: Mapping[str, Count], zero_division: float) -> dict[str, Score]:
    """Compute means over words, and their harmonic mean (Virpioja et al. 2011)."""
    precision, recall = (divide(counts[column] / WHOLE, counts["bpr_words"], zero_division) for column in _COLUMNS[:2])
    fscore = divide(2 * precision * recall, precision + recall, 0.0)
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
