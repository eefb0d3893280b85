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
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from ...kernel import arrow_functions as pc
from ...kernel.arrays import Mask, Positions, bytes_of, int64_array, lengths_of, offsets_of, starts_of, sum_by_utterance
from ...kernel.comparison import NO_CLASS, SEVERAL_PREDICTED, SEVERAL_REFERENCE, Comparison
from ...kernel.formulas import Counts
from ...kernel.nearest import reaches
from ...kernel.record import record
from ...kernel.segmentation import Segmentation
from ...scoring.near import marks_last, match_boundaries, match_first
from .intervals import Labels
from .word_pairs import Words, pair_words


def labels_of(side: Segmentation) -> Labels:
    """Return the labels of the segments of one side."""
    labels: Labels = side.of_words["labels"]
    return labels


def is_word(side: Segmentation) -> Mask:
    """Return a mask of the segments that are words; the others are silence."""
    return np.asarray(labels_of(side).codes >= 0)


def begins_of(side: Segmentation) -> Positions:
    """Return the position at which each recording begins: its end minus its duration, since a tick is a unit."""
    return side.utterance_ends - side.utterance_units


def intervals(side: Segmentation) -> tuple[Positions, Positions]:
    """Return the starts and the ends of the words of one side."""
    counts = side.word_counts()
    # word_ends 3 5 | 9 12 of recordings from 0 and from 6: the starts are 0 3 | 6 9.
    starts = starts_of(side.word_ends)
    has_segments = counts > 0
    first_segments = np.cumsum(counts) - counts
    starts[first_segments[has_segments]] = begins_of(side)[has_segments]
    words = np.flatnonzero(is_word(side))
    return starts[words], side.word_ends[words]


@record
class ComparisonWithSilence(Comparison):
    """A comparison of recordings: between two words, a side may have silence."""

    def chunk_classes(self) -> tuple[Positions, Positions]:
        """Return the number of reference words and the class of each chunk.

        One word that is displaced beside silence, missing or invented is in the class of several words on both sides. A chunk of
        silence has no class.
        """
        reference_words, classes = super().chunk_classes()
        # Chunks that end with the words 0 0 2 of the prediction have 1 0 2 of its words.
        predicted_words = np.diff(self.shared_prediction, prepend=-1)
        has_words = reference_words + predicted_words > 0
        classes[has_words & (classes == NO_CLASS)] = SEVERAL_PREDICTED + SEVERAL_REFERENCE
        return reference_words, classes


@record
class TimedComparison(ComparisonWithSilence):
    """A comparison of recordings. Positions of both sides are on one axis, where recordings are out of each other's reach."""

    tolerance: int  #: in ticks
    durations: Positions  #: the later end of each recording, counted from its beginning, in ticks
    token_counts: Counts[Positions]  #: the counts of words of each recording, without silence
    matched_tokens: Mask  #: which words of the reference are matched

    @cached_property
    def pairs(self) -> tuple[Positions, Positions]:
        """The places of the paired words among the words of each side."""
        counts = self.token_counts
        return pair_words(self.timed_words(), (counts.reference, counts.predicted))

    def tokens(self) -> Counts[Positions]:
        """Return the counts of words of each recording, without silence."""
        return self.token_counts

    def matched_words(self) -> tuple[Mask, Mask]:
        """Return a mask of the matched words of the reference, and an empty one: only measures of text use the prediction's."""
        return self.matched_tokens, np.zeros(0, bool)

    def inner(self) -> Iterator[Positions]:
        """Return the boundaries of the reference that are no edges, and those of the prediction."""
        return (side.word_ends[~marks_last(side.word_counts())] for side in (self.reference, self.prediction))

    def timed_words(self) -> tuple[Words, Words]:
        """Return the words of each side; both number their labels by one list."""
        return _words_of(self.reference), _words_of(self.prediction)

    def times_by_label(self) -> list[tuple[Any, Any]]:
        """Return the starts and ends of the words of each side, with words of other recordings or labels out of reach.

        NumPy compares complex numbers by their real parts, and equal ones by their imaginary parts. Here the real part numbers
        recordings and labels, and the imaginary part is the time from the beginning of the recording.
        """
        keys = []
        for side, words in zip((self.reference, self.prediction), self.timed_words(), strict=True):
            # An utterance is a recording, and its segments are words and silence: count the words.
            words_of_recordings = sum_by_utterance(is_word(side), side.word_counts())
            recordings = np.repeat(np.arange(len(words_of_recordings)), words_of_recordings)
            begins = begins_of(side)[recordings]
            # Both sides number their labels by one list. Recording 2 and label 1 of 10 labels: 21.
            numbers = recordings * len(labels_of(side).names) + words.labels
            keys.append((numbers + 1j * (words.starts - begins), numbers + 1j * (words.ends - begins)))
        return keys

    def in_words(self) -> Comparison:
        """Return the comparison of the words without silence: their text is their labels, their positions are in it."""
        # The fields that any comparison has: those of times are of no use for words.
        without_times = ComparisonWithSilence(**{name: getattr(self, name) for name in Comparison.__dataclass_fields__})
        return replace(
            without_times,
            reference=labels_as_text(self.reference),
            prediction=labels_as_text(self.prediction),
            shared_reference=_words_of_segments(self.reference, self.shared_reference),
            shared_prediction=_words_of_segments(self.prediction, self.shared_prediction),
            # A segment that is matched may be silence.
            matched=self.matched & is_word(self.reference)[self.shared_reference],
            utterance_reference=self.token_counts.reference,
            utterance_prediction=self.token_counts.predicted,
        )


def _words_of_segments(side: Segmentation, segments: Positions) -> Positions:
    """Return the number of the last word up to each segment, -1 if there is none.

    Of the segments silence, a, b the word of the first is -1, and that of the last is 1.
    """
    words_up_to_segments = np.cumsum(is_word(side))
    return words_up_to_segments[segments] - 1


def labels_as_text(side: Segmentation) -> Segmentation:
    """Return the words of a side as text: their labels; no text if none has a label.

    Positions are bytes of the labels. The unit `time` says that these are words of recordings: error analysis shows them as such.
    """
    labels = labels_of(side)
    words = pc.take(labels.names, int64_array(labels.codes[is_word(side)]))
    # Words "a" "bc" in recordings of 1 and 1 words: byte_offsets 0 1 3, utterance_ends 1 3.
    byte_offsets = offsets_of(words)
    utterance_ends = byte_offsets[np.cumsum(sum_by_utterance(is_word(side), side.word_counts()))]
    text = np.frombuffer(bytes_of(words), np.uint8)
    return Segmentation(
        text=text if len(text) else None,
        word_ends=byte_offsets[1:],
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
    reference, prediction = _on_one_axis(reference, prediction, tolerance)
    sides = (reference, prediction)
    # Segments are words and silence.
    segments_of_reference, segments_of_prediction = (side.word_counts() for side in sides)
    words_of_reference = sum_by_utterance(is_word(reference), segments_of_reference)
    words_of_prediction = sum_by_utterance(is_word(prediction), segments_of_prediction)
    matched_tokens = match_words(*intervals(reference), *intervals(prediction), tolerance)
    # The fields of the comparison on shared boundaries and matched segments.
    of_boundaries = match_boundaries(
        [side.word_ends for side in sides],
        [segments_of_reference, segments_of_prediction],
        [is_word(side) for side in sides],
        tolerance,
    )
    return TimedComparison(
        reference=reference,
        prediction=prediction,
        utterance_reference=segments_of_reference,
        utterance_prediction=segments_of_prediction,
        utterance_edited=np.zeros(len(segments_of_reference), np.int64),  # recordings have no units that differ
        tolerance=tolerance,
        durations=durations,
        token_counts=Counts(
            matched=sum_by_utterance(matched_tokens, words_of_reference),
            predicted=words_of_prediction,
            reference=words_of_reference,
        ),
        matched_tokens=matched_tokens,
        **of_boundaries,
    )


def _on_one_axis(
    reference: Segmentation, prediction: Segmentation, tolerance: int
) -> tuple[Segmentation, Segmentation]:
    """Return both sides with the same ends of recordings, which are so far apart that no boundary reaches over one."""
    end = reference.utterance_units  # counted from the beginning of each recording
    other_end = prediction.utterance_units
    is_known: Mask = reference.of_utterances["ends_known"]
    other_is_known: Mask = prediction.of_utterances["ends_known"]
    agree = np.abs(end - other_end) <= tolerance
    # A side of unknown duration that ends early is silent up to the known end of the other.
    is_silent_to_end = (end < other_end) & ~agree & ~is_known & other_is_known
    other_is_silent_to_end = (other_end < end) & ~agree & ~other_is_known & is_known
    # Other ends that differ are no edges: both count, and the recording ends with silence on both sides.
    both_count = ~agree & ~is_silent_to_end & ~other_is_silent_to_end
    # With more than twice the tolerance, the reaches of the last boundary and of the next recording's first stay apart.
    gap = 2 * tolerance + 2
    durations = np.maximum(end, other_end) + np.where(both_count, gap, 0)
    # Recordings of 10 and 20 ticks with a gap of 6: they begin at 0 and 16.
    begins = np.cumsum(durations + gap) - gap - durations
    return (
        _moved(reference, begins, durations, is_silent_to_end | both_count),
        _moved(prediction, begins, durations, other_is_silent_to_end | both_count),
    )


def _words_of(side: Segmentation) -> Words:
    """Return the words of a side, without silence."""
    starts, ends = intervals(side)
    return Words(labels_of(side).codes[is_word(side)], starts, ends)


def _moved(side: Segmentation, begins: Positions, durations: Positions, is_silent_to_end: Mask) -> Segmentation:
    """Return a side with other begins and durations of its recordings, in which words keep their times.

    Recordings of `is_silent_to_end`, and those without segments, are silent from their last word to their end. If the last
    segment is silence, it is made longer; if it is a word, a silent segment follows it.
    """
    counts = side.word_counts()
    ends = begins + durations
    word_ends = side.word_ends + np.repeat(begins - begins_of(side), counts)
    # Recordings of 2 and 3 segments: the last segments are 1 and 4, and the stops 2 and 5.
    stops = np.cumsum(counts)
    labels = labels_of(side).codes
    # A recording without segments is silent, too. One without a duration has no segment.
    gets_silence = (is_silent_to_end | (counts == 0)) & (durations > 0)
    # A first recording without segments has the stop 0, for which the last number of the array is taken; it is not used.
    ends_with_silence = (counts > 0) & (np.append(labels, 0)[stops - 1] < 0)
    with_longer_silence = np.flatnonzero(gets_silence & ends_with_silence)
    word_ends[stops[with_longer_silence] - 1] = ends[with_longer_silence]
    with_new_silence = np.flatnonzero(gets_silence & ~ends_with_silence)
    if len(with_new_silence):
        word_ends = np.insert(word_ends, stops[with_new_silence], ends[with_new_silence])
        labels = np.insert(labels, stops[with_new_silence], -1)
    moved = replace(side, word_ends=word_ends, utterance_ends=ends, utterance_units=durations)
    return moved.with_word_columns(labels=Labels(labels, labels_of(side).names))


def match_words(
    starts: Positions, ends: Positions, other_starts: Positions, other_ends: Positions, tolerance: complex
) -> Mask:
    """Return a mask of the words that match one to one, as many as possible: both ends are at most `tolerance` apart.

    The words of a side follow each other, so the words that are near both ends of another word are consecutive. Times may be
    complex numbers, as of `times_by_label`, with a tolerance that is imaginary.
    """
    first_of_starts, stop_of_starts = reaches(starts, other_starts, tolerance)
    first_of_ends, stop_of_ends = reaches(ends, other_ends, tolerance)
    return match_first(np.maximum(first_of_starts, first_of_ends), np.minimum(stop_of_starts, stop_of_ends))
