"""Spans: the time of recordings, cut wherever a word begins or ends on one of the sides.

Within a span each side has one label, or silence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...kernel.arrays import Mask, Positions
from ...kernel.record import record

if TYPE_CHECKING:
    from .comparison import TimedComparison
    from .word_pairs import Words


@record
class Spans:
    """The spans of recordings, in order.

    Attributes:
        recordings: the recording of each span.
        lengths: in ticks.
        reference, prediction: the number of the label of each side, -1 for silence.
        size: the number of recordings.
    """

    recordings: Positions
    lengths: Positions
    reference: Positions
    prediction: Positions
    size: int

    def sums(self, is_counted: Mask) -> Positions:
        """Return the time of the counted spans of each recording, in ticks."""
        # Sums of whole numbers are exact below 2⁵³ ticks.
        lengths = np.bincount(self.recordings, weights=self.lengths * is_counted, minlength=self.size)
        return lengths.astype(np.int64)


def spans_of(comparison: TimedComparison) -> Spans:
    """Return the spans of a comparison, up to the later end of each recording.

    The naive equivalent looks at each tick. Ticks count from the beginning of the first recording. Recordings may have a gap
    between them: the units of a recording are its duration and the gap.
    """
    side = comparison.reference
    begins = side.utterance_ends - side.utterance_units
    ends = begins + comparison.durations
    reference, prediction = comparison.timed_words()
    # words 0–3 3–5 and 0–4 of a recording of 6: the edges are 0 3 4 5 6, and the spans 0–3 3–4 4–5 5–6.
    edges_of_words = (reference.starts, reference.ends, prediction.starts, prediction.ends)
    edges = np.unique(np.concatenate((begins, ends, *edges_of_words)))
    starts = edges[:-1]
    lengths = np.diff(edges)
    recordings = np.searchsorted(begins, starts, side="right") - 1
    # The spans from the end of a recording to the beginning of the next one belong to none.
    is_inside = starts < ends[recordings]
    return Spans(
        recordings=recordings[is_inside],
        lengths=lengths[is_inside],
        reference=_labels_at(starts[is_inside], reference),
        prediction=_labels_at(starts[is_inside], prediction),
        size=len(begins),
    )


def _labels_at(times: Positions, words: Words) -> Positions:
    """Return the label of the word at each time, -1 for none."""
    # Before the first word stands one without a length, so that every time is after the start of a word.
    starts = np.concatenate(([-1], words.starts))
    ends = np.concatenate(([-1], words.ends))
    labels = np.concatenate(([-1], words.labels))
    last_started = np.searchsorted(starts, times, side="right") - 1
    return np.where(times < ends[last_started], labels[last_started], -1)
