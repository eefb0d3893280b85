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
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
import pyarrow as pa

from ...kernel.arrays import Positions, int64_array, large_lists
from ...kernel.comparison import Comparison
from ...kernel.segmentation import Segmentation
from ...reading.inputs import CODES, LABELS, RECORDINGS
from ...reading.world import Part
from .comparison import TimedComparison, compare_times, is_word, labels_of
from .intervals import from_recordings
from .spans import spans_of
from .word_pairs import Words


def divide_by_label(comparison: Comparison) -> Iterator[Part]:
    """Yield the part of each label, in the order of the labels."""
    assert isinstance(comparison, TimedComparison)
    reference, prediction = comparison.timed_words()
    sides = _Side(comparison.reference, reference), _Side(comparison.prediction, prediction)
    names = labels_of(comparison.reference).names.to_pylist()
    numbers = np.unique(np.concatenate([side.words.labels for side in sides])).tolist()
    for number in sorted(numbers, key=names.__getitem__):
        yield _part(comparison, sides, number, names[number])


def _part(comparison: TimedComparison, sides: tuple[_Side, _Side], number: int, name: str) -> Part:
    """Return the part of the label of this number."""
    places = [side.places_of(number) for side in sides]
    owners = [side.owners[of_label] for side, of_label in zip(sides, places, strict=True)]
    recordings = np.union1d(*owners)
    reference, prediction = (
        side.restricted(of_label, recordings) for side, of_label in zip(sides, places, strict=True)
    )
    part = compare_times(reference, prediction, comparison.tolerance)
    values = {field.name: getattr(part, field.name) for field in fields(part)}
    values["durations"] = comparison.durations[recordings]
    return Part(name, recordings, _OfLabel(**values, whole=comparison, places=(places[0], places[1])))


@dataclass(frozen=True)
class _OfLabel(TimedComparison):
    """The comparison of the words of a label, whose pairs are those of the whole comparison."""

    whole: TimedComparison
    places: tuple[Positions, Positions]  #: the places of the words among all words of each side

    @cached_property
    def pairs(self) -> tuple[Positions, Positions]:
        """The places of the paired words among the words of each side."""
        left, right = self.whole.pairs
        is_of_label = np.isin(left, self.places[0])
        # The words with the label are 2 5 9 of all words, so that the pair of word 5 is that of word 1 of the part.
        return np.searchsorted(self.places[0], left[is_of_label]), np.searchsorted(self.places[1], right[is_of_label])


@dataclass(frozen=True)
class _Side:
    """A side of a comparison, with its words."""

    segmentation: Segmentation
    words: Words

    @cached_property
    def owners(self) -> Positions:
        """The recording of each word."""
        return np.asarray(self.segmentation.utterances_of_words()[is_word(self.segmentation)])

    @cached_property
    def order(self) -> Positions:
        """The places of the words, sorted by their labels."""
        return np.argsort(self.words.labels, kind="stable")

    @cached_property
    def sorted_labels(self) -> Positions:
        """The labels of the words, sorted."""
        return self.words.labels[self.order]

    @cached_property
    def edges(self) -> Positions:
        """The end of the last segment of each recording, counted from its beginning; of one without segments its end."""
        counts = self.segmentation.word_counts()
        begins = self.segmentation.utterance_ends - self.segmentation.utterance_units
        lasts = np.append(self.segmentation.word_ends, 0)[np.cumsum(counts) - 1]
        return np.where(counts > 0, lasts - begins, self.segmentation.utterance_units)

    def places_of(self, number: int) -> Positions:
        """Return the places of the words with a label."""
        start, stop = np.searchsorted(self.sorted_labels, [number, number + 1]).tolist()
        return self.order[start:stop]

    def restricted(self, places: Positions, recordings: Positions) -> Segmentation:
        """Return these recordings with these words, between which there is silence."""
        words = self.words[places]
        owners = self.owners[places]
        begins = (self.segmentation.utterance_ends - self.segmentation.utterance_units)[owners]
        offsets = np.append(np.searchsorted(owners, recordings), len(owners))
        columns = [
            pa.nulls(len(recordings), pa.large_string()),
            int64_array(self.edges[recordings]),
            large_lists(offsets, int64_array(words.starts - begins), LABELS),
            large_lists(offsets, int64_array(words.ends - begins), LABELS),
            large_lists(offsets, pa.array(words.labels.astype(np.int32)), CODES),
        ]
        column = pa.StructArray.from_arrays(columns, fields=list(RECORDINGS))
        return from_recordings(column, labels_of(self.segmentation).names)


def confused_labels(comparison: Comparison) -> Counter[tuple[str, str]]:
    """Return the time for which a reference label and a predicted label overlap, in ticks, by both; blank is silence."""
    assert isinstance(comparison, TimedComparison)
    spans = spans_of(comparison)
    names = ["", *labels_of(comparison.reference).names.to_pylist()]
    # labels -1 0 2 of 3 and -1 1 2: the cells of a table with a row and a column for silence are 0 6 15.
    cells = (spans.reference + 1) * len(names) + spans.prediction + 1
    distinct, places = np.unique(cells, return_inverse=True)
    lengths = np.bincount(places, weights=spans.lengths).astype(np.int64).tolist()
    times: Counter[tuple[str, str]] = Counter()
    for cell, length in zip(distinct.tolist(), lengths, strict=True):
        reference, prediction = divmod(cell, len(names))
        times[names[reference], names[prediction]] += length
    return times
