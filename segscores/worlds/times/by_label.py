"""By label: what a comparison of recordings says about the words of one label, as if all else were silence.

Conventions
-----------
- The part of a label has the recordings in which a side has a word with this label. Its words are those words, and its boundaries
  are their starts and ends.
- Words are paired before the division, so that `timing` compares the same pairs as in the whole comparison.
- Labels are those with which words are compared: the classes of a map of labels, if there is one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import fields
from functools import cached_property

import numpy as np
import pyarrow as pa

from ...kernel.arrays import Positions, int64_array, large_lists
from ...kernel.comparison import Comparison
from ...kernel.record import record
from ...kernel.segmentation import Segmentation
from ...reading.inputs import CODES, LABELS, RECORDINGS
from ...reading.world import Part
from .comparison import TimedComparison, begins_of, compare_times, is_word, labels_of
from .intervals import from_recordings
from .spans import spans_of
from .word_pairs import Words


def divide_by_label(comparison: Comparison) -> Iterator[Part]:
    """Yield the part of each label, in the order of the labels."""
    assert isinstance(comparison, TimedComparison)
    words, other_words = comparison.timed_words()
    reference = _Side(comparison.reference, words)
    prediction = _Side(comparison.prediction, other_words)
    # Both sides have the same list of labels, by which their words have numbers.
    names = labels_of(comparison.reference).names.to_pylist()
    used = np.unique(np.concatenate((words.labels, other_words.labels))).tolist()
    for number in sorted(used, key=names.__getitem__):
        yield _part(comparison, reference, prediction, number, names[number])


def _part(comparison: TimedComparison, reference: _Side, prediction: _Side, number: int, name: str) -> Part:
    """Return the part of the label with this number and name."""
    places = reference.places_of(number)
    other_places = prediction.places_of(number)
    recordings = np.union1d(reference.recordings[places], prediction.recordings[other_places])
    part = compare_times(
        reference.restricted(places, recordings), prediction.restricted(other_places, recordings), comparison.tolerance
    )
    # The same comparison, of a class whose pairs are those of the whole.
    values = {field.name: getattr(part, field.name) for field in fields(part)}
    # A recording is as long as it is with all its words.
    values["durations"] = comparison.durations[recordings]
    return Part(name, recordings, _OfLabel(**values, whole=comparison, places=places, other_places=other_places))


@record
class _OfLabel(TimedComparison):
    """The comparison of the words of a label, whose pairs are those of the whole comparison."""

    whole: TimedComparison
    places: Positions  #: the places of the words of the reference among all its words
    other_places: Positions  #: the same for the prediction

    @cached_property
    def pairs(self) -> tuple[Positions, Positions]:
        """The places of the paired words among the words of each side."""
        paired, other_paired = self.whole.pairs
        # Both words of a pair have the same label.
        is_of_label = np.isin(paired, self.places)
        # The words with the label are 2 5 9 of all words: word 5 of all is word 1 of the part.
        return (
            np.searchsorted(self.places, paired[is_of_label]),
            np.searchsorted(self.other_places, other_paired[is_of_label]),
        )


@record
class _Side:
    """A side of a comparison, with its words."""

    segmentation: Segmentation
    words: Words

    @cached_property
    def recordings(self) -> Positions:
        """The recording of each word."""
        return np.asarray(self.segmentation.utterances_of_words()[is_word(self.segmentation)])

    @cached_property
    def by_label(self) -> Positions:
        """The places of the words, sorted by their labels."""
        return np.argsort(self.words.labels, kind="stable")

    @cached_property
    def sorted_labels(self) -> Positions:
        """The labels of the words, sorted."""
        return self.words.labels[self.by_label]

    @cached_property
    def last_ends(self) -> Positions:
        """The end of the last segment of each recording, counted from its beginning; of one without segments its duration."""
        counts = self.segmentation.word_counts()
        # `where` leaves out what is taken for recordings without segments, which have no last one.
        last_ends = np.append(self.segmentation.word_ends, 0)[np.cumsum(counts) - 1]
        return np.where(counts > 0, last_ends - begins_of(self.segmentation), self.segmentation.utterance_units)

    def places_of(self, label: int) -> Positions:
        """Return the places of the words with the label of this number, in order."""
        # Labels 1 0 1: by label the places are 1 0 2, with the labels 0 1 1. Those of label 1 are from 1 to 3: 0 2.
        start, stop = np.searchsorted(self.sorted_labels, [label, label + 1]).tolist()
        return self.by_label[start:stop]

    def restricted(self, places: Positions, recordings: Positions) -> Segmentation:
        """Return these recordings with the words at these places alone, between which there is silence."""
        words = self.words[places]
        recordings_of_words = self.recordings[places]
        # The words of recording i are from offsets[i] up to offsets[i + 1].
        offsets = np.append(np.searchsorted(recordings_of_words, recordings), len(places))
        begins = begins_of(self.segmentation)[recordings_of_words]
        columns = [
            pa.nulls(len(recordings), pa.large_string()),  # No recording has a problem.
            int64_array(self.last_ends[recordings]),
            large_lists(offsets, int64_array(words.starts - begins), LABELS),
            large_lists(offsets, int64_array(words.ends - begins), LABELS),
            large_lists(offsets, pa.array(words.labels.astype(np.int32)), CODES),
        ]
        column = pa.StructArray.from_arrays(columns, fields=list(RECORDINGS))
        return from_recordings(column, labels_of(self.segmentation).names)


def confused_labels(comparison: Comparison) -> Counter[tuple[str, str]]:
    """Return the time for which a reference label and a predicted label overlap, in ticks, by both labels; blank is silence."""
    assert isinstance(comparison, TimedComparison)
    spans = spans_of(comparison)
    # Both sides number their labels by one list of names. Silence, whose number is -1, is the first row and the first column of
    # the table of labels.
    names = ["", *labels_of(comparison.reference).names.to_pylist()]
    # Labels -1 0 2 of the reference and -1 1 2 of the prediction, of 3: the cells of a table of 4 by 4 are 0 6 15.
    cells = (spans.reference + 1) * len(names) + spans.prediction + 1
    distinct_cells, cell_numbers = np.unique(cells, return_inverse=True)
    lengths = np.bincount(cell_numbers, weights=spans.lengths).astype(np.int64).tolist()
    times: Counter[tuple[str, str]] = Counter()
    for cell, length in zip(distinct_cells.tolist(), lengths, strict=True):
        row, column = divmod(cell, len(names))
        # Two labels may have one name: a blank label is that of silence, too.
        times[names[row], names[column]] += length
    return times
