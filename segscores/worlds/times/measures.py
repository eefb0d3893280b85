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

import numpy as np

from ...kernel.arrays import Mask, Positions, sum_by_utterance
from ...kernel.comparison import Comparison
from ...kernel.formulas import Count, Score, Tallied, divide, quotients
from ...kernel.nearest import reaches
from ...scoring.measures.group import COUNT, Key, ScoreGroup, precision_recall_fscore_group
from ...scoring.measures.rates import r_value
from .comparison import TimedComparison, match_words
from .intervals import SECOND

#: The distances of the shares of timing, in milliseconds.
WITHIN = (10, 20, 25, 50, 100)
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
    counts = [np.maximum(count - 1, 0) for count in (comparison.utterance_prediction, comparison.utterance_reference)]
    near = (
        np.less(*reaches(prediction, reference, comparison.tolerance)),
        np.less(*reaches(reference, prediction, comparison.tolerance)),
    )
    columns = sum_by_utterance(near[0], counts[0]), counts[0], sum_by_utterance(near[1], counts[1]), counts[1]
    return dict(zip(_LENIENT, columns, strict=True))


def lenient_scores(counts: Mapping[str, Count], zero_division: float) -> dict[str, Score]:
    """Compute precision and recall with matched counts of their own; over-segmentation and R-value follow from them."""
    # The columns of _LENIENT: a boundary may be near one of the other side without a partner of its own.
    matched, predicted, recalled, reference = [counts[column] for column in _LENIENT]
    precision = divide(matched, predicted, np.nan)
    recall = divide(recalled, reference, np.nan)
    product = divide(2 * precision * recall, precision + recall, np.nan)
    over = divide(recall, precision, np.nan) - 1
    scores = {
        "lenient_precision": precision,
        "lenient_recall": recall,
        "lenient_fscore": np.where(precision + recall == 0, 0.0, product),
        "lenient_over_segmentation": over,
        "lenient_r_value": r_value(recall, over),
    }
    # `[()]` makes a number of an array without dimensions.
    return {key: np.where(np.isnan(score), zero_division, score)[()] for key, score in scores.items()}


def tally_labelled_token(comparison: Comparison) -> Tallied:
    """Count words with both ends near those of another word with the same label, one to one, as many as possible."""
    assert isinstance(comparison, TimedComparison)
    tokens = comparison.tokens()
    (starts, ends), (other_starts, other_ends) = comparison.times_by_label()
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
    counts = comparison.tokens().reference
    reference, prediction = comparison.timed_words()
    places, other_places = comparison.pairs
    size = len(counts)
    owners = np.repeat(np.arange(size), counts)[places]
    words = reference[places]
    others = prediction[other_places]
    # Count a boundary once if it is an end and the next start on both sides: words 0–3 3–5 and others 0–4 4–5 have three.
    ends_here = np.ones(len(words), bool)
    ends_here[:-1] = (words.ends[:-1] != words.starts[1:]) | (others.ends[:-1] != others.starts[1:])
    delta = np.concatenate((others.starts - words.starts, (others.ends - words.ends)[ends_here]))
    recordings = np.concatenate((owners, owners[ends_here]))
    distance = np.abs(delta)
    twice_middle = words.starts + words.ends

    def summed(values: Positions | Mask, of: Positions = recordings) -> Positions:
        # Sums of whole numbers are exact below 2⁵³ ticks.
        return np.bincount(of, weights=values, minlength=size).astype(np.int64)

    # recordings 0 0 1 and bins 2 5 2 of 10: the cells are 2 5 12.
    numbers = np.minimum(np.searchsorted(_BINS, (distance + 500) // 1000), len(_BINS) - 1)
    bins = np.bincount(recordings * len(_BINS) + numbers, minlength=size * len(_BINS)).reshape(size, len(_BINS))
    columns = [
        *(np.bincount(recordings, minlength=size), summed(np.maximum(delta, 0)), summed(np.maximum(-delta, 0))),
        *(summed(distance <= limit * 1000) for limit in WITHIN),
        *bins.T,
        *(
            summed((2 * others.starts <= twice_middle) & (twice_middle <= 2 * others.ends), owners),
            np.bincount(owners, minlength=size),
        ),
        counts,
    ]
    return dict(zip(_TIMING, columns, strict=True))


def timing_scores(counts: Mapping[str, Count], zero_division: float) -> dict[str, Score]:
    """Compute the mean and the median of |Δ| and the mean of Δ, in seconds; shares of boundaries, and of words."""
    total = counts["timing_boundaries"]
    late = counts["timing_late"]
    early = counts["timing_early"]
    bins = np.stack(np.broadcast_arrays(*(counts[f"{_BIN}{number}"] for number in range(len(_BINS)))))
    # bins 2 0 3 of 5: the running counts are 2 2 5, and half of the total is 2.5, which bin 2 reaches.
    running = np.cumsum(bins, axis=0)
    half = np.asarray(total) / 2
    # Of an even number, the median is the mean of the two in the middle.
    low = np.argmax(running >= np.floor(half + 0.5), axis=0)
    high = np.argmax(running >= np.floor(half + 1), axis=0)
    median = np.where(np.asarray(total) > 0, (_BINS[low] + _BINS[high]) / 2000, zero_division)[()]
    return {
        "timing_mean": divide((late + early) / SECOND, total, zero_division),
        "timing_median": median,
        "timing_bias": divide((late - early) / SECOND, total, zero_division),
        **quotients(_TIMING_QUOTIENTS, counts, zero_division),
    }


class _TimingGroup(ScoreGroup):
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
            "timing_mean": Key("Mean distance (s)", range=COUNT, better="lower", is_share=False),
            "timing_median": Key("Median distance (s)", range=COUNT, better="lower", is_share=False),
            "timing_bias": Key("Mean delay (s)", range=(-np.inf, np.inf), better="near 0", is_share=False),
            **{f"timing_within_{limit}ms": Key(f"Within {limit} ms") for limit in WITHIN},
            "timing_midpoint": Key("Midpoints covered"),
            "timing_words": Key("Words with the same label"),
        },
        tally_timing, timing_scores, needs=frozenset({"times", "word_labels"}),
    ),
)  # fmt: skip
