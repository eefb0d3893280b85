"""Spans: the time of recordings, cut wherever a word begins or ends on one of the sides.

Within a span each side has one label, or silence.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...kernel.arrays import Mask, Positions

if TYPE_CHECKING:
    from .comparison import TimedComparison
    from .word_pairs import Words


@dataclass(frozen=True)
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

    The naive equivalent looks at each tick.
    """
    begins = comparison.reference.utterance_ends - comparison.reference.utterance_units
    ends = begins + comparison.durations
    sides = comparison.timed_words()
    # words 0–3 3–5 and 0–4 of a recording of 6: the edges are 0 3 4 5 6, and the spans 0–3 3–4 4–5 5–6.
    edges = np.unique(
        np.concatenate((begins, ends, *(words.starts for words in sides), *(words.ends for words in sides)))
    )
    starts = edges[:-1]
    recordings = np.searchsorted(begins, starts, side="right") - 1
    is_inside = starts < ends[recordings]
    starts = starts[is_inside]
    return Spans(
        recordings[is_inside],
        np.diff(edges)[is_inside],
        _labels_at(starts, sides[0]),
        _labels_at(starts, sides[1]),
        len(begins),
    )


def _labels_at(times: Positions, words: Words) -> Positions:
    """Return the label of the word at each time, -1 for none."""
    # Before the first word stands one without a length.
    starts = np.concatenate(([-1], words.starts))
    ends = np.concatenate(([-1], words.ends))
    labels = np.concatenate(([-1], words.labels))
    at = np.searchsorted(starts, times, side="right") - 1
    return np.where(times < ends[at], labels[at], -1)
