"""Comparison: the boundaries and words that a reference and a prediction over the same units share.

Conventions
-----------
- Arguments and results name the reference before the prediction. Both are `Segmentation`s, which define positions.
- A boundary is shared where a word ends on both sides. The end of an utterance is always shared, its beginning is
  position 0 or the end of the utterance before it.
- A word is matched where a reference word and a predicted word are the same span. Both ends of a matched word are
  shared boundaries, and neither side has a boundary between them.

A comparison is built once, and every score group reads it. `mismatch` decides what happens where units differ.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from .arrays import Mask, Positions, check_counts, lengths_of, slices_differ
from .formulas import Counts
from .record import record
from .segmentation import Segmentation

#: The number of words of a long text to compare at a time.
_WINDOW = 1 << 16
#: Items are few if even this many times their number is less than the number of all. Then it is faster to look at each of them.
_FEW = 100

#: The number of boundaries of an utterance beside the k ends of its k words: with its beginning k + 1, without its end k − 1.
WITH_BOTH_EDGES = 1
WITH_ONE_EDGE = 0
WITHOUT_EDGES = -1

#: The class of a chunk with one word on each side, and what is added to it for a side with several words.
CORRECT = 0
SEVERAL_PREDICTED = 1
SEVERAL_REFERENCE = 2
#: The class of a chunk whose one word is another word on the other side.
NO_CLASS = 4


@record
class Comparison:
    """A reference and a prediction over the same units.

    Where the units of a prediction were aligned (`aligned.AlignedPrediction`), `prediction` has the reference's units, and
    `prediction.original` the predicted ones.
    """

    reference: Segmentation
    prediction: Segmentation
    #: `shared_reference`, `shared_prediction`: for every shared boundary, the index of the word that ends there on that side
    shared_reference: Positions
    shared_prediction: Positions
    matched: npt.NDArray[np.bool_]  #: bool, for every shared boundary, whether the word that ends there is matched
    #: `utterance_shared`, `utterance_matched`, `utterance_reference`, `utterance_prediction`: int64, per utterance, the number
    #: of shared boundaries (its last included, its first not), matched words, reference words and predicted words
    utterance_shared: Positions
    utterance_matched: Positions
    utterance_reference: Positions
    utterance_prediction: Positions
    #: int64, per utterance, the number of predicted words that are not a span of the reference's units; 0 where both sides have
    #: the same units
    utterance_edited: Positions

    def boundary_units(self) -> tuple[Positions, Positions]:
        """Return the position, in units, at which each word of the reference and each of the prediction ends.

        The naive equivalent is `np.cumsum([len(word) for utterance in corpus for word in utterance])`.
        """
        reference_ends = self.reference.word_ends
        # Count once for both sides.
        units = self.reference.units_before(np.concatenate((reference_ends, self.prediction.word_ends)))
        return units[: len(reference_ends)], units[len(reference_ends) :]

    def tokens(self) -> Counts[Positions]:
        """Return the counts of words of each utterance; silence in recordings is no word."""
        return Counts(self.utterance_matched, self.utterance_prediction, self.utterance_reference)

    def in_words(self) -> Comparison:
        """Return the comparison of words alone: recordings also have silent segments."""
        return self

    def chunk_classes(self) -> tuple[Positions, Positions]:
        """Return the number of reference words, and the class, of each chunk between neighbouring shared boundaries.

        A class is the sum of SEVERAL_PREDICTED and SEVERAL_REFERENCE where they hold. A word that is aligned with another one
        has NO_CLASS.
        """
        # Shared boundaries after the words 0 2 3 of the reference: chunks of 1, 2 and 1 words.
        reference_words = np.diff(self.shared_reference, prepend=-1)
        predicted_words = np.diff(self.shared_prediction, prepend=-1)
        classes = SEVERAL_REFERENCE * (reference_words > 1) + SEVERAL_PREDICTED * (predicted_words > 1)
        is_other_word = (classes == CORRECT) & ~self.matched
        classes[is_other_word] = NO_CLASS
        return reference_words, classes

    def boundaries(self, edges: int, *, of_starts: bool = False) -> Counts[Positions]:  # noqa: ARG002
        """Return the counts of boundaries of each utterance.

        They are the ends of words, and for each utterance with words `edges` more: WITH_BOTH_EDGES, 1, its beginning too, and
        WITHOUT_EDGES, −1, not its end. `of_starts` asks for the starts of words in place of the ends: here they are as many, in
        recordings they are at other times.
        """
        in_reference = self.utterance_reference > 0
        in_prediction = self.utterance_prediction > 0
        return Counts(
            matched=self.utterance_shared + np.where(in_reference & in_prediction, edges, 0),
            predicted=self.utterance_prediction + np.where(in_prediction, edges, 0),
            reference=self.utterance_reference + np.where(in_reference, edges, 0),
        )

    def matched_words(self) -> tuple[Mask, Mask]:
        """Return masks of the matched words of the reference and of the prediction."""
        # `shared_reference` and `shared_prediction` have the index of a word for each shared boundary, and `matched` has a value
        # for each. Words that end at no shared boundary are not matched.
        in_reference = np.zeros(len(self.reference.word_ends), bool)
        in_reference[self.shared_reference] = self.matched
        in_prediction = np.zeros(len(self.prediction.word_ends), bool)
        in_prediction[self.shared_prediction] = self.matched
        return in_reference, in_prediction


def compare_same(reference: Segmentation, prediction: Segmentation) -> Comparison:
    """Compare a prediction with a reference over the same units, which is not checked, in time linear in the text.

    The naive equivalent, for one utterance, is the intersection of two sets of spans:
    `set(spans(reference_words)) & set(spans(predicted_words))`, and likewise of two sets of boundaries.

    >>> from segscores.reading.readers import from_words_text
    >>> both = compare_same(from_words_text(b"the dog is on\\n"), from_words_text(b"thedog is on\\n"))
    >>> both.utterance_shared, both.utterance_matched
    (array([3]), array([2]))
    """
    # Both sides have the same bytes: hold them once.
    prediction = replace(prediction, text=reference.text)
    shared_reference = _find_by_marks(reference.word_ends, prediction.word_ends)
    shared_prediction = _find_by_marks(prediction.word_ends, reference.word_ends)
    matched = _find_matched(shared_reference, shared_prediction)

    # Every utterance ends at a shared boundary, where the running counts are looked up. A blank utterance repeats the last count.
    ends = reference.utterance_ends
    is_filled = lengths_of(ends) > 0
    all_filled = bool(is_filled.all())
    # For each utterance that is not blank, its last word, and the last of its shared boundaries.
    last_words = _find(reference.word_ends, ends if all_filled else ends[is_filled])
    last_shared = _find(shared_reference, last_words)

    def per_utterance(running: Positions) -> Positions:
        """Return the count of each utterance, from the running counts at the ends of those that are not blank."""
        if all_filled:
            return lengths_of(running)
        # running 3 7, and a blank utterance between the two: 3 3 7, so that the counts are 3 0 4.
        return lengths_of(np.concatenate(([0], running))[np.cumsum(is_filled)])

    return Comparison(
        reference=reference,
        prediction=prediction,
        shared_reference=shared_reference,
        shared_prediction=shared_prediction,
        matched=matched,
        # So many come up to and including an index: one more than the index.
        utterance_shared=per_utterance(last_shared + 1),
        utterance_matched=per_utterance(_count_up_to(last_shared, matched)),
        utterance_reference=per_utterance(last_words + 1),
        utterance_prediction=per_utterance(shared_prediction[last_shared] + 1),
        utterance_edited=np.zeros(len(ends), np.int64),
    )


def compare_nothing(reference: Segmentation, prediction: Segmentation) -> Comparison:
    """Pair both sides without comparing their units: for measures of morphemes, which need not spell their word."""
    no_boundaries = np.zeros(0, np.int64)
    no_counts = np.zeros(len(reference.utterance_ends), np.int64)
    return Comparison(
        reference=reference,
        prediction=prediction,
        shared_reference=no_boundaries,
        shared_prediction=no_boundaries,
        matched=np.zeros(0, bool),  # a value for each shared boundary, of which there is none
        utterance_shared=no_counts,
        utterance_matched=no_counts,
        utterance_reference=reference.word_counts(),
        utterance_prediction=prediction.word_counts(),
        utterance_edited=no_counts,
    )


def _find_matched(shared_reference: Positions, shared_prediction: Positions) -> Mask:
    """Return for every shared boundary whether one word of each side ends there and begins at the shared boundary before.

    The arguments are the indexes of the words that end at shared boundaries. With 0 2 3 of the reference and 0 1 2 of the
    prediction the first and the third match.
    """
    matched = np.empty(len(shared_reference), bool)
    if len(matched):
        # The first words begin at 0 on both sides: they match if both are the words 0.
        matched[0] = shared_reference[0] == shared_prediction[0] == 0
    # Temporary arrays of a window stay in the processor's cache.
    for start in range(1, len(matched), _WINDOW):
        # Boundaries 0 to 5 in windows of 3: the boundaries 1 2 3 are compared with 0 1 2, and 4 5, at the end, with 3 4.
        window = slice(start, start + _WINDOW)
        before = slice(start - 1, min(start + _WINDOW, len(matched)) - 1)
        np.equal(shared_reference[window] - shared_reference[before], 1, out=matched[window])
        matched[window] &= shared_prediction[window] - shared_prediction[before] == 1
    return matched


def _find_by_marks(values: Positions, wanted: Positions) -> Positions:
    """Return the indices of the wanted values, of which none is greater than the last value; both arrays increase.

    The naive equivalent is `np.flatnonzero(np.isin(values, wanted))`. Each mark takes one byte, so that the marks of a
    window fit in the processor's cache.
    """
    if len(values) > 2 * _WINDOW:
        return _find_in_windows(values, wanted)
    if not len(values):
        return np.zeros(0, np.int64)
    # values 2 5 7 and wanted 5 7: the marks 0 0 0 0 0 1 0 1, which are 0 1 1 at the values, so that the indices are 1 2.
    is_wanted = np.zeros(int(values[-1]) + 1, bool)
    is_wanted[wanted] = True
    (indices,) = is_wanted.take(values).nonzero()
    return indices


def _find_in_windows(values: Positions, wanted: Positions) -> Positions:
    """Return the same as `_find_by_marks`, window by window.

    Values are ends of words, which are a few bytes apart: a window of _WINDOW values needs marks for a few times as many bytes.
    """
    indices = np.empty(len(values), np.int64)
    found_count = 0
    for start in range(0, len(values), _WINDOW):
        # values 3 5 | 7 9 in windows of 2: the second has the values 0 2, counted from its lowest one.
        window = values[start : start + _WINDOW]
        lowest = window[0]
        first_wanted, after_wanted = np.searchsorted(wanted, [lowest, window[-1] + 1])
        indices_in_window = _find_by_marks(window - lowest, wanted[first_wanted:after_wanted] - lowest)
        indices[found_count : found_count + len(indices_in_window)] = indices_in_window + start
        found_count += len(indices_in_window)
    return indices[:found_count]


def _count_up_to(indices: Positions, mask: Mask) -> Positions:
    """Return how many values are True up to and including each of some indices: they rise, and the last is `len(mask) - 1`."""
    if _FEW * len(indices) >= len(mask):
        return mask.cumsum()[indices]
    # Sums of parts take less time where indices are few. Indices 2 5: the parts are from 0 to 2 and from 3 to 5.
    starts = np.concatenate(([0], indices[:-1] + 1))
    return np.cumsum(np.add.reduceat(mask, starts, dtype=np.int64))


def _find(values: Positions, wanted: Positions) -> Positions:
    """Return the same as `_find_by_marks`, of which a binary search for few wanted values takes less time."""
    if _FEW * len(wanted) < len(values):
        return np.searchsorted(values, wanted)
    return _find_by_marks(values, wanted)


def find_mismatches(reference: Segmentation, prediction: Segmentation) -> Mask:
    """Return a mask of the utterances whose units differ: bool (n_utterances,). Labels, without text, differ in number alone."""
    check_counts(len(reference.utterance_ends), len(prediction.utterance_ends))
    if reference.unit != prediction.unit:
        units = f"the references are read in units of one {reference.unit}, the predictions in units of one {prediction.unit}"
        raise ValueError(f"{units}: expected the same form on both sides.")
    if reference.text is None or prediction.text is None:
        return np.asarray(reference.utterance_units != prediction.utterance_units)
    return slices_differ(reference.text, reference.utterance_ends, prediction.text, prediction.utterance_ends)
