"""Times: measures of recordings beside `boundary_noedge`, `token` and `rates`, which recordings have too.

Conventions
-----------
- Two times are near each other if they are at most `tolerance` apart.
- Published scores of boundaries follow one of two conventions. One to one (`boundary_noedge`, `rates`): a boundary is found by
  at most one other. Lenient (`lenient`): a boundary is right if any boundary of the other side is near. Lenient scores are never
  lower, and reward over-segmentation: on read speech a boundary every 20 ms has a lenient F-score twice as high.
- Labelled tokens are words that are found by another word with the same label, as it is written.
- Timing is of paired words: words of both sides with the same labels in the same order, as many as possible, and of these the
  nearest in time (`word_pairs`). It compares their starts, and their ends where no paired word begins on both sides. Δ is the
  prediction's time minus the reference's. The median is exact to half a bin: of 1 ms up to 0.2 s, of 10 ms up to 1 s, of 100 ms
  up to 10 s.

Sources
-------
Lenient: Kreuk et al. (2020), Interspeech; Strgar & Harwath (2022), SLT, compare both. Timing: McAuliffe et al. (2017),
Interspeech; midpoints: Mahr et al. (2021), JSLHR.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ...kernel.arrays import Mask, Positions, sum_by_utterance
from ...kernel.comparison import Comparison
from ...kernel.formulas import Count, Score, Tallied, divide, quotients
from ...kernel.nearest import reaches
from ...scoring.measures.group import UNBOUNDED, Key, ScoreGroup, precision_recall_fscore_group
from ...scoring.measures.rates import r_value
from .comparison import TimedComparison, match_words
from .intervals import SECOND
from .word_pairs import Words

#: The distances of the shares of timing, in milliseconds.
WITHIN = (10, 20, 25, 50, 100)
#: The ticks of a millisecond.
_MILLISECOND = SECOND // 1000
#: The bins of distances from which the median is computed, in milliseconds.
_BINS = np.concatenate((np.arange(0, 200), np.arange(200, 1000, 10), np.arange(1000, 10_001, 100)))

#: The beginning of the names of the bins' columns.
_BIN = "timing_bin_"

_LENIENT = ("lenient_predicted_matched", "lenient_predicted", "lenient_reference_matched", "lenient_reference")
_TIMING = (
    *(f"timing_{kind}" for kind in ("boundaries", "late", "early", *(f"within_{limit}" for limit in WITHIN))),
    *(f"{_BIN}{number}" for number in range(len(_BINS))),
    *("timing_midpoints", "timing_paired", "token_reference"),
)
#: The scores of timing that are shares, each with its two columns.
_TIMING_QUOTIENTS = {
    **{f"timing_within_{limit}ms": (f"timing_within_{limit}", "timing_boundaries") for limit in WITHIN},
    "timing_midpoint": ("timing_midpoints", "timing_paired"),
    "timing_words": ("timing_paired", "token_reference"),
}


def tally_lenient(comparison: Comparison) -> Tallied:
    """Count the boundaries without edges, and the boundaries that are near any boundary of the other side."""
    assert isinstance(comparison, TimedComparison)
    reference, prediction = comparison.inner()
    # The end of the last segment of a recording is an edge.
    predicted_counts = np.maximum(comparison.utterance_prediction - 1, 0)
    reference_counts = np.maximum(comparison.utterance_reference - 1, 0)
    return {
        "lenient_predicted_matched": sum_by_utterance(
            _are_near_any(prediction, reference, comparison.tolerance), predicted_counts
        ),
        "lenient_predicted": predicted_counts,
        "lenient_reference_matched": sum_by_utterance(
            _are_near_any(reference, prediction, comparison.tolerance), reference_counts
        ),
        "lenient_reference": reference_counts,
    }


def _are_near_any(boundaries: Positions, others: Positions, tolerance: int) -> Mask:
    """Return which boundaries are near any of the others."""
    first, stop = reaches(boundaries, others, tolerance)
    return np.asarray(first < stop)


def lenient_scores(counts: Mapping[str, Count], zero_division: float) -> dict[str, Score]:
    """Compute precision and recall with matched counts of their own; over-segmentation and R-value follow from them."""
    # The columns of _LENIENT: a boundary may be near one of the other side without a partner of its own.
    predicted_matched, predicted, reference_matched, reference = [counts[column] for column in _LENIENT]
    # nan is a score that is undefined.
    precision = divide(predicted_matched, predicted, np.nan)
    recall = divide(reference_matched, reference, np.nan)
    harmonic_mean = divide(2 * precision * recall, precision + recall, np.nan)
    over_segmentation = divide(recall, precision, np.nan) - 1
    scores = {
        "lenient_precision": precision,
        "lenient_recall": recall,
        "lenient_fscore": np.where(precision + recall == 0, 0.0, harmonic_mean),
        "lenient_over_segmentation": over_segmentation,
        "lenient_r_value": r_value(recall, over_segmentation),
    }
    # `[()]` makes a number of an array without dimensions.
    return {key: np.where(np.isnan(score), zero_division, score)[()] for key, score in scores.items()}


def tally_labelled_token(comparison: Comparison) -> Tallied:
    """Count words with both ends near those of another word with the same label, one to one, as many as possible."""
    assert isinstance(comparison, TimedComparison)
    tokens = comparison.tokens()
    # Times are complex numbers, whose imaginary part is the time: the tolerance is imaginary, too.
    (starts, ends), (other_starts, other_ends) = comparison.times_by_label()
    # `match_words` gets the words of each side in order.
    order = np.argsort(starts)
    other_order = np.argsort(other_starts)
    is_matched = np.zeros(len(order), bool)
    is_matched[order] = match_words(
        starts[order], ends[order], other_starts[other_order], other_ends[other_order], comparison.tolerance * 1j
    )
    return replace(tokens, matched=sum_by_utterance(is_matched, tokens.reference)).columns("labelled_token")


def tally_timing(comparison: Comparison) -> Tallied:
    """Add up the distances between the boundaries of paired words, and count them by size."""
    assert isinstance(comparison, TimedComparison)
    word_counts = comparison.tokens().reference
    recording_count = len(word_counts)
    reference, prediction = comparison.timed_words()
    places, other_places = comparison.pairs
    words = reference[places]
    others = prediction[other_places]
    recordings_of_words = np.repeat(np.arange(recording_count), word_counts)[places]
    delta, recordings = _boundaries_of(words, others, recordings_of_words)
    distance = np.abs(delta)
    # A middle may be half a tick, and twice a middle is a whole number.
    twice_middle = words.starts + words.ends
    covers_middle = (2 * others.starts <= twice_middle) & (twice_middle <= 2 * others.ends)

    def summed(values: Positions | Mask, recordings: Positions = recordings) -> Positions:
        """Return the sum of each recording's values, of boundaries if nothing else is said."""
        # Sums of whole numbers are exact below 2⁵³ ticks.
        return np.bincount(recordings, weights=values, minlength=recording_count).astype(np.int64)

    bins = _counts_of_bins(distance, recordings, recording_count)
    columns = {
        "timing_boundaries": np.bincount(recordings, minlength=recording_count),
        "timing_late": summed(np.maximum(delta, 0)),
        "timing_early": summed(np.maximum(-delta, 0)),
        **{f"timing_within_{limit}": summed(distance <= limit * _MILLISECOND) for limit in WITHIN},
        **{f"{_BIN}{number}": bins[:, number] for number in range(len(_BINS))},
        "timing_midpoints": summed(covers_middle, recordings_of_words),
        "timing_paired": np.bincount(recordings_of_words, minlength=recording_count),
        "token_reference": word_counts,
    }
    # In the order in which the group names its columns.
    return {column: columns[column] for column in _TIMING}


class _Boundaries(NamedTuple):
    """The boundaries of paired words."""

    delta: Positions  #: the prediction's time of each minus the reference's, in ticks
    recordings: Positions  #: the recording of each


def _boundaries_of(words: Words, others: Words, recordings_of_words: Positions) -> _Boundaries:
    """Return the boundaries of pairs of words: every start, and every end but one that is the next start on both sides.

    Words 0–3 3–5 and others 0–4 4–5 have the three boundaries 0 0, 3 4 and 5 5.
    """
    # The last word of a recording has an end of its own too: between recordings there is a gap, so that no start is this end.
    has_own_end = np.ones(len(words), bool)
    has_own_end[:-1] = (words.ends[:-1] != words.starts[1:]) | (others.ends[:-1] != others.starts[1:])
    delta = np.concatenate((others.starts - words.starts, (others.ends - words.ends)[has_own_end]))
    return _Boundaries(delta, np.concatenate((recordings_of_words, recordings_of_words[has_own_end])))


def _counts_of_bins(distance: Positions, recordings: Positions, recording_count: int) -> Positions:
    """Count the distances in each bin: int64 of shape (n_recordings, n_bins). A distance is rounded to milliseconds."""
    milliseconds = (distance + _MILLISECOND // 2) // _MILLISECOND
    bin_numbers = np.minimum(np.searchsorted(_BINS, milliseconds), len(_BINS) - 1)
    # recordings 0 0 1 and bins 2 5 2 of 10: the cells are 2 5 12.
    cells = recordings * len(_BINS) + bin_numbers
    counts = np.bincount(cells, minlength=recording_count * len(_BINS))
    return counts.reshape(recording_count, len(_BINS))


def timing_scores(counts: Mapping[str, Count], zero_division: float) -> dict[str, Score]:
    """Compute the mean and the median of |Δ| and the mean of Δ, in seconds; shares of boundaries, and of words."""
    total = counts["timing_boundaries"]
    late = counts["timing_late"]
    early = counts["timing_early"]
    # The sum of |Δ| is late + early, and that of Δ is late − early.
    return {
        "timing_mean": divide((late + early) / SECOND, total, zero_division),
        "timing_median": _median_of_bins(counts, zero_division),
        "timing_bias": divide((late - early) / SECOND, total, zero_division),
        **quotients(_TIMING_QUOTIENTS, counts, zero_division),
    }


def _median_of_bins(counts: Mapping[str, Count], zero_division: float) -> Score:
    """Return the median of the distances in seconds from the counts of their bins, as a number or with a value for each count."""
    # Counts are numbers, or arrays with a number for each sample of recordings: `bins` has a row for each bin.
    total = np.asarray(counts["timing_boundaries"])
    bins = np.stack(np.broadcast_arrays(*(counts[f"{_BIN}{number}"] for number in range(len(_BINS)))))
    # bins 2 0 3 of 5: the running counts are 2 2 5, and the third distance is in bin 2, the first whose count reaches 3.
    running = np.cumsum(bins, axis=0)
    # The median of an even number is the mean of the two in the middle: of 4 the second and the third; of 5 twice the third.
    low = np.argmax(running >= np.floor(total / 2 + 0.5), axis=0)
    high = np.argmax(running >= np.floor(total / 2 + 1), axis=0)
    milliseconds = (_BINS[low] + _BINS[high]) / 2
    # `[()]` makes a number of an array without dimensions.
    median: Score = np.where(total > 0, milliseconds / 1000, zero_division)[()]
    return median


class _TimingGroup(ScoreGroup):
    """The group of timing, whose counts in bins are for the median alone."""

    @property
    def shown_columns(self) -> tuple[str, ...]:
        """Return the columns without the bins, of which there are hundreds."""
        return tuple(column for column in self.columns if not column.startswith(_BIN))


GROUPS = (
    ScoreGroup(
        "lenient", "boundaries near any other",
        "Boundaries of recordings without edges; one is right if the other side has any at most `tolerance` away.",
        "precision: right / predicted, recall: right / reference boundaries, fscore 2PR / (P + R), "
        "over_segmentation OS = R / P − 1, r_value of R and OS as in `rates`",
        "Kreuk et al. (2020); Strgar & Harwath (2022)",
        _LENIENT,
        {
            "lenient_precision": Key("Boundary precision (near any)"),
            "lenient_recall": Key("Boundary recall (near any)"),
            "lenient_fscore": Key("Boundary F-score (near any)"),
            "lenient_over_segmentation": Key("Over-segmentation (near any)", range=(-1.0, np.inf), better="near 0"),
            "lenient_r_value": Key("R-value (near any)", range=(-np.inf, 1.0)),
        },
        tally_lenient, lenient_scores, needs=frozenset({"times"}), equal_to="UnsupSeg",
    ),
    precision_recall_fscore_group(
        "labelled_token", title="words with their labels", heading="Labelled word {}", source="as tokens, with labels",
        definition="Words of recordings; a match is a word with both ends at most `tolerance` away and the same label.",
        tally=tally_labelled_token, needs=frozenset({"times", "word_labels"}),
    ),
    _TimingGroup(
        "timing", "distances of times",
        "The starts and ends of words that both sides have in the same order, with Δ = predicted − reference time; the reference "
        "words, the paired words, and the paired words whose middle the predicted word covers.",
        "mean and median of |Δ|, bias: mean of Δ, in seconds; within_10ms: boundaries with |Δ| ≤ 10 ms / boundaries, …; "
        "midpoint: covered / paired words; words: paired / reference words",
        "McAuliffe et al. (2017); Mahr et al. (2021)",
        _TIMING,
        {
            "timing_mean": Key("Mean distance (s)", range=UNBOUNDED, better="lower", is_share=False, is_in_seconds=True),
            "timing_median": Key("Median distance (s)", range=UNBOUNDED, better="lower", is_share=False, is_in_seconds=True),
            "timing_bias": Key("Mean delay (s)", range=(-np.inf, np.inf), better="near 0", is_share=False),
            **{f"timing_within_{limit}ms": Key(f"Within {limit} ms") for limit in WITHIN},
            "timing_midpoint": Key("Midpoints covered"),
            "timing_words": Key("Words with the same label"),
        },
        tally_timing, timing_scores, needs=frozenset({"times", "word_labels"}),
    ),
)  # fmt: skip
