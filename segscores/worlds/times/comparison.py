"""Times: comparisons of recordings, in which a shared boundary is one that is matched within a tolerance.

Conventions
-----------
- A boundary is the end of a segment, a word or silence, that is no edge of the recording. Times of two people or systems are
  never equal. So a boundary is shared if the other side has one at most `tolerance` away, one to one: as many pairs as possible,
  with the smallest sum of distances.
- The beginning of a recording is 0. Its two ends are one moment if they are at most `tolerance` apart. If they are not, a side of
  unknown duration is silent up to the known end of the other. Other ends that differ are no edges, and both count, if words end
  there.
- Silent segments are no words: their ends are boundaries, but they match no token.
- A token is matched if another word has both ends at most `tolerance` away, one to one, as many as possible. Each end counts for
  itself, as in published scores: two neighbours may be matched though the boundary between them is near two others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ...kernel import arrow_functions as pc
from ...kernel.arrays import Mask, Positions, int64_array, lengths_of, offsets_of, sum_by_utterance
from ...kernel.comparison import NO_CLASS, SEVERAL_PREDICTED, SEVERAL_REFERENCE, Comparison
from ...kernel.formulas import Counts
from ...kernel.nearest import reaches
from ...kernel.segmentation import Segmentation
from ...scoring.near import marks_last, match_boundaries, match_first
from .intervals import Labels
from .word_pairs import Words, pair_words

Sides = tuple[Segmentation, Segmentation]


def labels_of(side: Segmentation) -> Labels:
    """Return the labels of the segments of one side."""
    labels: Labels = side.of_words["labels"]
    return labels


def is_word(side: Segmentation) -> Mask:
    """Return a mask of the segments that are words; the others are silence."""
    return np.asarray(labels_of(side).codes >= 0)


def intervals(side: Segmentation) -> tuple[Positions, Positions]:
    """Return the starts and the ends of the words of one side."""
    counts = side.word_counts()
    # word_ends 3 5 | 9 12 of recordings from 0 and from 6: the starts are 0 3 | 6 9.
    starts = np.concatenate(([0], side.word_ends[:-1]))[: len(side.word_ends)]
    filled = counts > 0
    starts[(np.cumsum(counts) - counts)[filled]] = (side.utterance_ends - side.utterance_units)[filled]
    words = np.flatnonzero(is_word(side))
    return starts[words], side.word_ends[words]


@dataclass(frozen=True)
class ComparisonWithSilence(Comparison):
    """A comparison of recordings: between two words, a side may have silence."""

    def chunk_classes(self) -> tuple[Positions, Positions]:
        """Return the number of reference words and the class of each chunk.

        One word that is displaced beside silence, missing or invented is in the class of several words on both sides.
        """
        words, classes = super().chunk_classes()
        predicted = np.diff(self.shared_prediction, prepend=-1)
        is_displaced = (classes == NO_CLASS) & (words + predicted > 0)
        classes[is_displaced] = SEVERAL_PREDICTED + SEVERAL_REFERENCE
        return words, classes


@dataclass(frozen=True)
class TimedComparison(ComparisonWithSilence):
    """A comparison of recordings. Positions of both sides are on one axis, where recordings are out of each other's reach."""

    tolerance: int  #: in ticks
    durations: Positions  #: the later end of each recording, counted from its beginning, in ticks
    token_counts: Counts[Positions]  #: the counts of words of each recording, without silence
    matched_tokens: Mask

    @cached_property
    def pairs(self) -> tuple[Positions, Positions]:
        """The places of the paired words among the words of each side."""
        counts = self.token_counts
        return pair_words(self.timed_words(), (counts.reference, counts.predicted))

    def tokens(self) -> Counts[Positions]:
        """Return the counts of words of each recording, without silence."""
        return self.token_counts

    def matched_words(self) -> tuple[Mask, Mask]:
        """Return masks of the matched words of the reference, and of no words of the prediction."""
        return self.matched_tokens, np.zeros(0, bool)

    def inner(self) -> Iterator[Positions]:
        """Return the boundaries of each side that are no edges."""
        return (side.word_ends[~marks_last(side.word_counts())] for side in (self.reference, self.prediction))

    def timed_words(self) -> tuple[Words, Words]:
        """Return the words of each side with the numbers of their labels, which are of one list."""
        return _words_of(self.reference), _words_of(self.prediction)

    def times_by_label(self) -> list[tuple[Any, Any]]:
        """Return the starts and ends of the words of each side, with words of other recordings or labels out of reach.

        NumPy compares complex numbers by their real parts, and equal ones by their imaginary parts. Here the real part numbers
        recordings and labels, and the imaginary part is the time from the beginning of the recording.
        """
        keys = []
        for side, words in zip((self.reference, self.prediction), self.timed_words(), strict=True):
            counts = sum_by_utterance(is_word(side), side.word_counts())
            recordings = np.repeat(np.arange(len(counts)), counts)
            begins = (side.utterance_ends - side.utterance_units)[recordings]
            numbers = recordings * len(labels_of(side).names) + words.labels
            keys.append((numbers + 1j * (words.starts - begins), numbers + 1j * (words.ends - begins)))
        return keys

    def in_words(self) -> Comparison:
        """Return the comparison of the words without silence: their text is their labels, their positions are in it."""
        shared = (self.reference, self.shared_reference), (self.prediction, self.shared_prediction)
        last_words = [np.cumsum(is_word(side))[ends] - 1 for side, ends in shared]
        return replace(
            ComparisonWithSilence(**{name: getattr(self, name) for name in Comparison.__dataclass_fields__}),
            reference=labels_as_text(self.reference),
            prediction=labels_as_text(self.prediction),
            shared_reference=last_words[0],
            shared_prediction=last_words[1],
            matched=self.matched & is_word(self.reference)[self.shared_reference],
            utterance_reference=self.token_counts.reference,
            utterance_prediction=self.token_counts.predicted,
        )


def labels_as_text(side: Segmentation) -> Segmentation:
    """Return the words of a side as text: their labels; no text if none has a label."""
    labels = labels_of(side)
    words = pc.take(labels.names, int64_array(labels.codes[is_word(side)]))
    ends = offsets_of(words)
    utterance_ends = ends[np.cumsum(sum_by_utterance(is_word(side), side.word_counts()))]
    text = np.frombuffer(words.buffers()[2] or b"", np.uint8)
    return Segmentation(
        text=text if len(text) else None,
        word_ends=ends[1:],
        utterance_ends=utterance_ends,
        utterance_units=lengths_of(utterance_ends),
        unit="time" if len(text) else "label",
    )


def compare_times(reference: Segmentation, prediction: Segmentation, tolerance: int) -> TimedComparison:
    """Compare recordings within a tolerance in ticks.

    The naive equivalent, for one recording, takes of all sets of pairs of inner boundaries that are at most `tolerance` apart and
    have no boundary twice one with the most pairs, and of these one with the smallest sum of distances.
    """
    # No tolerance reaches further than the longest recording, and a larger one would leave the range of integers.
    longest = max(int(side.utterance_units.max(initial=0)) for side in (reference, prediction))
    tolerance = min(tolerance, longest)
    durations = np.maximum(reference.utterance_units, prediction.utterance_units)
    sides = left, right = _on_one_axis((reference, prediction), tolerance)
    counts = [side.word_counts() for side in sides]
    words = [is_word(side) for side in sides]
    of_words = [sum_by_utterance(*pair) for pair in zip(words, counts, strict=True)]
    matched_tokens = match_words(*intervals(left), *intervals(right), tolerance)
    return TimedComparison(
        reference=left,
        prediction=right,
        utterance_reference=counts[0],
        utterance_prediction=counts[1],
        utterance_edited=np.zeros(len(counts[0]), np.int64),
        tolerance=tolerance,
        durations=durations,
        token_counts=Counts(sum_by_utterance(matched_tokens, of_words[0]), of_words[1], of_words[0]),
        matched_tokens=matched_tokens,
        **match_boundaries([side.word_ends for side in sides], counts, words, tolerance),
    )


def _on_one_axis(sides: Sides, tolerance: int) -> Sides:
    """Return both sides with the same ends of recordings, which are so far apart that no boundary reaches over one."""
    ends = [side.utterance_units for side in sides]  # counted from the beginning of each recording
    known: Any = [side.of_utterances["ends_known"] for side in sides]
    whole = np.maximum(*ends)
    agree = np.abs(ends[0] - ends[1]) <= tolerance
    # A side that ends early is silent up to the known end of the other. Other ends that differ are no edges.
    shorter = [(ends[at] < whole) & ~agree & ~known[at] & known[1 - at] for at in (0, 1)]
    both_count = ~agree & ~shorter[0] & ~shorter[1]
    gap = 2 * tolerance + 2
    whole = whole + np.where(both_count, gap, 0)
    # recordings of 10 and 20 ticks with a gap of 6: they start at 0 and 16.
    starts = np.cumsum(whole + gap) - gap - whole
    moved = []
    for side, is_shorter in zip(sides, shorter, strict=True):
        is_silent_to_end = is_shorter | both_count | (side.word_counts() == 0)
        moved.append(_moved(side, starts, whole, is_silent_to_end & (whole > 0)))
    return moved[0], moved[1]


def _words_of(side: Segmentation) -> Words:
    """Return the words of a side, without silence."""
    starts, ends = intervals(side)
    return Words(labels_of(side).codes[is_word(side)], starts, ends)


def _moved(side: Segmentation, starts: Positions, whole: Positions, is_silent_to_end: Mask) -> Segmentation:
    """Return a side with other starts and durations of recordings, of which some end with silence.

    A last silent segment is made longer, a last word is followed by one. Words keep their times.
    """
    counts = side.word_counts()
    word_ends = side.word_ends + np.repeat(starts - (side.utterance_ends - side.utterance_units), counts)
    after = np.cumsum(counts)
    labels = labels_of(side).codes
    ends_silent = (counts > 0) & (np.append(labels, 0)[after - 1] < 0)
    stretched = np.flatnonzero(is_silent_to_end & ends_silent)
    word_ends[after[stretched] - 1] = (starts + whole)[stretched]
    longer = np.flatnonzero(is_silent_to_end & ~ends_silent)
    if len(longer):
        word_ends = np.insert(word_ends, after[longer], (starts + whole)[longer])
        labels = np.insert(labels, after[longer], -1)
    moved = replace(side, word_ends=word_ends, utterance_ends=starts + whole, utterance_units=whole)
    return moved.with_word_columns(labels=Labels(labels, labels_of(side).names))


def match_words(
    starts: Positions, ends: Positions, other_starts: Positions, other_ends: Positions, tolerance: complex
) -> Mask:
    """Return a mask of the words that match one to one, as many as possible: both ends are at most `tolerance` apart.

    The words of a side follow each other, so the words that are near both ends of another word are consecutive.
    """
    first_of_starts, stop_of_starts = reaches(starts, other_starts, tolerance)
    first_of_ends, stop_of_ends = reaches(ends, other_ends, tolerance)
    return match_first(np.maximum(first_of_starts, first_of_ends), np.minimum(stop_of_starts, stop_of_ends))
