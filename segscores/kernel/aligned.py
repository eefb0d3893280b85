"""Aligned: predictions with other units than the reference, such as the output of language models, OCR and speech recognition.

Conventions
-----------
- `edits` aligns the units. A predicted boundary is shared if the reference has a boundary in the same gap between two
  anchors. A gap has at most one shared boundary: if the prediction has several boundaries where the reference has one,
  as around an invented word, the others are false.
- A word is matched if a predicted word is aligned with exactly the same units, without an edit. A word beside an edit
  can match; a word with an edit within it cannot.
- Each side's words, boundaries and word types are counted on that side. Nothing is left out: words that the prediction
  invents count as predicted words, and words that it omits count as reference words. If one side is blank, all units of
  the other are inserted or deleted.
- Positions are in the reference. A predicted boundary in a gap of deleted units is placed at the boundary that it
  shares, or at the beginning of the gap. A word that has only inserted units is an empty span.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa

from .arrays import Mask, Positions, starts_of
from .comparison import Comparison, compare_same
from .record import record
from .segmentation import Segmentation, select_utterances, with_words

if TYPE_CHECKING:
    from .units import Units


@record
class AlignedPrediction(Segmentation):
    """A prediction with its boundaries placed on the reference's units.

    It has the reference's text, units and ends of utterances, and all predicted words with their predicted text.
    `word_ends` are positions in the reference, so that a word of inserted units ends where the word before it ends.
    """

    original: Segmentation = field(kw_only=True)  #: the prediction with its own units
    #: int64, for every word without an edit, the position at which it begins: it is as long as the original word, and may end
    #: before `word_ends`, where the reference has units that the prediction lacks. −1 for a word with an edit.
    word_starts: Positions = field(kw_only=True)

    @classmethod
    def on(
        cls, reference: Segmentation, original: Segmentation, *, word_ends: Positions, word_starts: Positions
    ) -> AlignedPrediction:
        """Return a prediction on the units of a reference, whose words are at these positions of the reference."""
        # The reference gives the text, the units and the ends of utterances, and the prediction its words and the columns of its
        # words and utterances (`of_words`, `of_utterances`), such as tags.
        values = {attribute.name: getattr(reference, attribute.name) for attribute in fields(Segmentation)}
        values["word_ends"] = word_ends
        values["of_words"] = original.of_words
        values["of_utterances"] = original.of_utterances
        return cls(**values, original=original, word_starts=word_starts)

    @property
    def edited(self) -> Mask:
        """A mask of the words with edits, whose units differ from the aligned units of the reference: bool."""
        return np.asarray(self.word_starts < 0)

    def words(self) -> pa.LargeBinaryArray:
        """Return every word as it was predicted, as bytes, in order."""
        return self.original.words()


@record
class AlignedComparison(Comparison):
    """A comparison of sides whose units differ in some utterances.

    Each gap has at most one shared boundary: the one that ends a matched word, or else the last of the gap on each
    side. So the last boundary of an utterance is shared unless one side continues after its last matched word.
    """

    #: `insertions`, `deletions`, `substitutions`: int64, per utterance, the edits of its script
    insertions: Positions
    deletions: Positions
    substitutions: Positions


#: The fields of an AlignedComparison that have a value for each utterance, such as `utterance_matched` and `insertions`.
_COUNTS = (
    *(name for name in Comparison.__annotations__ if name.startswith("utterance_")),
    *AlignedComparison.__annotations__,
)


def compare_aligned(reference: Segmentation, prediction: Segmentation, mismatches: Mask) -> AlignedComparison:
    """Compare a prediction with a reference, aligning the utterances whose units differ, which `mismatches` marks.

    The naive equivalent, for one utterance, enumerates all minimal edit scripts and takes the one with the greatest
    (matched words, shared boundaries, −substitutions); the module `edits` says which of several.

    >>> from segscores.reading.readers import from_words_text
    >>> from segscores.kernel.comparison import find_mismatches
    >>> sides = from_words_text(b"the dog is on\\n"), from_words_text(b"the hotdog is on\\n")
    >>> both = compare_aligned(*sides, find_mismatches(*sides))
    >>> both.utterance_matched, both.utterance_shared, both.insertions
    (array([3]), array([4]), array([3]))
    """
    # Utterances with the same units need no alignment.
    same = _Part.of(reference, prediction, ~mismatches, compare_same)
    edited = _Part.of(reference, prediction, mismatches, _compare_edited)
    parts = [same, edited]

    word_ends = np.zeros(len(prediction.word_ends), np.int64)
    word_starts = np.zeros(len(prediction.word_ends), np.int64)
    for part in parts:
        word_ends[part.prediction_words] = part.word_ends()
        word_starts[part.prediction_words] = part.word_starts()
    counts = {name: np.zeros(len(mismatches), np.int64) for name in _COUNTS}
    for part in parts:
        for name in _COUNTS:
            # Utterances with the same units have no insertions, for example.
            counts[name][part.is_selected] = getattr(part.comparison, name, 0)

    # The shared boundaries of both parts, in the order of the text.
    shared_reference = np.concatenate([part.shared_reference() for part in parts])
    shared_prediction = np.concatenate([part.shared_prediction() for part in parts])
    matched = np.concatenate([part.comparison.matched for part in parts])
    order = np.argsort(shared_reference, kind="stable")
    return AlignedComparison(
        reference=reference,
        prediction=AlignedPrediction.on(reference, prediction, word_ends=word_ends, word_starts=word_starts),
        shared_reference=shared_reference[order],
        shared_prediction=shared_prediction[order],
        matched=matched[order],
        **counts,
    )


@record
class _Part:
    """The comparison of some of the utterances, and the places of its words in the whole.

    A comparison numbers the words of its own utterances from 0, and its positions begin with its own text.
    """

    comparison: Comparison
    is_selected: Mask  #: which of all utterances it compares
    reference_words: Positions  #: for each of its reference words, the index among all reference words
    prediction_words: Positions  #: for each of its predicted words, the index among all predicted words
    shifts: Positions  #: for each of its predicted words, how much greater its positions in the whole reference are

    @classmethod
    def of(
        cls,
        reference: Segmentation,
        prediction: Segmentation,
        is_selected: Mask,
        compare: Callable[[Segmentation, Segmentation], Comparison],
    ) -> _Part:
        """Compare the selected utterances by a function."""
        comparison = compare(select_utterances(reference, is_selected), select_utterances(prediction, is_selected))
        # Utterances of 3, 4 and 2 bytes, of which the first and last are selected: they begin at 0 and 3 here, and at 0 and 7 in
        # the whole, so that the words of the last are shifted by 4.
        starts_in_whole = starts_of(reference.utterance_ends)[is_selected]
        starts_in_part = starts_of(comparison.reference.utterance_ends)
        return cls(
            comparison=comparison,
            is_selected=is_selected,
            reference_words=np.flatnonzero(is_selected[reference.utterances_of_words()]),
            prediction_words=np.flatnonzero(is_selected[prediction.utterances_of_words()]),
            shifts=np.repeat(starts_in_whole - starts_in_part, comparison.utterance_prediction),
        )

    def shared_reference(self) -> Positions:
        """Return for every shared boundary the index, among all reference words, of the word that ends there."""
        return self.reference_words[self.comparison.shared_reference]

    def shared_prediction(self) -> Positions:
        """Return for every shared boundary the index, among all predicted words, of the word that ends there."""
        return self.prediction_words[self.comparison.shared_prediction]

    def word_ends(self) -> Positions:
        """Return the positions in the whole reference at which the predicted words end."""
        return self.comparison.prediction.word_ends + self.shifts

    def word_starts(self) -> Positions:
        """Return the positions in the whole reference at which the predicted words begin, as `AlignedPrediction` has them."""
        prediction = self.comparison.prediction
        if not isinstance(prediction, AlignedPrediction):
            return starts_of(prediction.word_ends) + self.shifts
        # A word with an edit keeps its -1, which says that it has no start.
        return np.where(prediction.edited, -1, prediction.word_starts + self.shifts)


def project_boundaries(comparison: Comparison) -> Comparison:
    """Return a comparison for measures that read boundary positions and the chunks between them, such as window measures.

    Its prediction has the words into which the predicted boundaries divide the reference's units. So words that have
    only inserted units vanish, and a blank prediction is one word. The result is a Comparison in all but one property:
    a word that spans the same units on both sides is matched only if it is matched in the original comparison. Take
    counts of words and boundaries, and the text of words, from the original comparison.
    """
    if not isinstance(comparison, AlignedComparison):
        return comparison
    reference = comparison.reference
    is_boundary = np.zeros(int(reference.utterance_ends[-1]) + 1, bool)
    is_boundary[comparison.prediction.word_ends] = True
    is_boundary[reference.utterance_ends] = True
    # Words of inserted units alone, at the beginning of the first utterance, end at 0; they vanish.
    is_boundary[0] = False
    word_ends = np.flatnonzero(is_boundary)
    projected = compare_same(reference, with_words(reference, word_ends))
    # A predicted word of the same span may have an edit, so that it was not matched. `matched` and `shared_reference` have an
    # item for each shared boundary; the item of `shared_reference` is the number of the reference word that ends there.
    is_matched_word, _ = comparison.matched_words()
    matched = projected.matched & is_matched_word[projected.shared_reference]
    utterances = reference.utterances_of_words()[projected.shared_reference[matched]]
    matched_counts = np.bincount(utterances, minlength=len(reference.utterance_ends))
    return replace(projected, matched=matched, utterance_matched=matched_counts)


def _compare_edited(reference: Segmentation, prediction: Segmentation) -> AlignedComparison:
    """Compare utterances whose units differ in each. `left` is the reference, `right` the prediction, in positions of units."""
    # Few comparisons need the search of edits, so its modules are imported here.
    from .edits import align_units
    from .units import read_units

    left, right = read_units(reference, prediction)
    partners = align_units(left, right)
    alignment = _Alignment(left, right, partners)
    shared = alignment.shared_words()
    is_edited = alignment.is_edited
    utterance_count = len(left.ends)

    def count_in(utterances: Positions) -> Positions:
        """Count how often each utterance occurs."""
        return np.bincount(utterances, minlength=utterance_count)

    utterances_of_units = np.repeat(np.arange(utterance_count), right.lengths)
    anchors = alignment.anchors
    anchor_counts = count_in(utterances_of_units[anchors])
    substituted = anchors[~alignment.is_equal[anchors]]
    # A word begins where the partner of its first unit begins. `byte_ends` has a leading 0, so that byte_ends[i] is where unit i
    # begins. A word with an edit may have no such partner, and has no start.
    starts_in_bytes = left.byte_ends[partners[right.word_starts]]
    return AlignedComparison(
        reference=reference,
        prediction=AlignedPrediction.on(
            reference,
            prediction,
            word_ends=left.byte_ends[alignment.placed_word_ends(shared)],
            word_starts=np.where(is_edited, -1, starts_in_bytes),
        ),
        shared_reference=shared.left,
        shared_prediction=shared.right,
        matched=shared.is_matched,
        utterance_shared=count_in(left.utterance_of_words[shared.left]),
        utterance_matched=count_in(left.utterance_of_words[shared.left[shared.is_matched]]),
        utterance_reference=count_in(left.utterance_of_words),
        utterance_prediction=count_in(right.utterance_of_words),
        insertions=right.lengths - anchor_counts,
        deletions=left.lengths - anchor_counts,
        substitutions=count_in(utterances_of_units[substituted]),
        utterance_edited=count_in(right.utterance_of_words[is_edited]),
    )


class _SharedWords(NamedTuple):
    """The words that end at shared boundaries: their indices on both sides, and whether they match."""

    left: Positions
    right: Positions
    is_matched: Mask


@record
class _Alignment:
    """The units of both sides, aligned."""

    left: Units  #: of the reference
    right: Units  #: of the prediction
    partners: Positions  #: for each unit of the prediction the unit of the reference that it equals or replaces, or -1

    @cached_property
    def anchors(self) -> Positions:
        """The units of the prediction that have a partner."""
        return np.flatnonzero(self.partners >= 0)

    @cached_property
    def is_equal(self) -> Mask:
        """A mask of the units of the prediction that equal their partners."""
        is_equal = np.zeros(len(self.partners), bool)
        partners_of_anchors = self.partners[self.anchors]
        is_equal[self.anchors] = self.left.codes[partners_of_anchors] == self.right.codes[self.anchors]
        return is_equal

    @cached_property
    def is_edited(self) -> Mask:
        """A mask of the predicted words with an edit."""
        starts = self.right.word_starts
        lasts = self.right.word_ends - 1
        lengths = self.right.word_ends - starts
        # is_equal 1 1 0 1: equal_before is 0 1 2 2 3, and the word of the units 2 and 3 has 3 - 2 equal units, not 2.
        equal_before = np.concatenate(([0], np.cumsum(self.is_equal)))
        has_equal_units = equal_before[self.right.word_ends] - equal_before[starts] == lengths
        # partners 0 1 3 of a word of three units: 3 - 0 is not 2, so the reference has a unit within the word.
        is_unbroken = self.partners[lasts] - self.partners[starts] == lengths - 1
        return np.asarray(~(has_equal_units & is_unbroken))

    def matching_words(self) -> Positions:
        """Return for every predicted word the reference word aligned with exactly its units; -1 if there is no such word."""
        # `the dog`: word_ending_at[3] is 0 and word_ending_at[6] is 1.
        word_ending_at = np.full(len(self.left.codes) + 1, -1, np.int64)
        word_ending_at[self.left.word_ends] = np.arange(len(self.left.word_ends))
        lasts = self.right.word_ends - 1
        words = np.where(self.is_edited, -1, word_ending_at[self.partners[lasts] + 1])
        # The index -1, of no word, reads the last item of an array: an own start, which is appended. Whatever it equals, the
        # result is -1.
        starts = np.append(self.left.word_starts, -1)[words]
        begins_alike = starts == self.partners[self.right.word_starts]
        return np.where(begins_alike, words, -1)

    def shared_words(self) -> _SharedWords:
        """Return the words that end at the shared boundary of each gap that has one."""
        is_anchored = np.zeros(len(self.left.codes), bool)
        is_anchored[self.partners[self.anchors]] = True
        # A gap is numbered by the anchors and the utterances before it.
        # `the dog` and `the x dog`: the words end in the gaps 3 6 and 3 3 6.
        left_gaps = np.cumsum(is_anchored)[self.left.word_ends - 1] + self.left.utterance_of_words
        right_gaps = np.cumsum(self.partners >= 0)[self.right.word_ends - 1] + self.right.utterance_of_words
        gaps = np.intersect1d(left_gaps, right_gaps)
        # The words that end in the gaps 3 6 are 0 1 of `the dog`; of `the x dog` the first ones are 0 2, and the last ones 1 2.
        left_firsts = np.searchsorted(left_gaps, gaps, side="left")
        left_lasts = np.searchsorted(left_gaps, gaps, side="right") - 1
        right_firsts = np.searchsorted(right_gaps, gaps, side="left")
        right_lasts = np.searchsorted(right_gaps, gaps, side="right") - 1
        # A matched word ends directly after an anchor, and so is the first of its gap.
        is_matched = self.matching_words()[right_firsts] == left_firsts
        return _SharedWords(
            left=np.where(is_matched, left_firsts, left_lasts),
            right=np.where(is_matched, right_firsts, right_lasts),
            is_matched=is_matched,
        )

    def placed_word_ends(self, shared: _SharedWords) -> Positions:
        """Return the positions of the reference, in units, at which the predicted words end."""
        # A boundary that is not shared is placed after the last anchor: for the partners 0 -1 2 `after_anchors` is 1 0 3, where 0
        # says that a unit is no anchor, and its running maximum is 1 1 3.
        after_anchors = np.zeros(len(self.partners), np.int64)
        after_anchors[self.anchors] = self.partners[self.anchors] + 1
        after_last_anchor = np.maximum.accumulate(after_anchors)[self.right.word_ends - 1]
        # If there is no anchor before it in its utterance, it is placed at the beginning of the utterance.
        positions = np.maximum(after_last_anchor, self.left.starts[self.right.utterance_of_words])
        positions[shared.right] = self.left.word_ends[shared.left]
        # The last word of an utterance ends where the utterance ends. Words of the utterances 0 0 1 1: the last ones are 1 3.
        last_words = np.flatnonzero(np.diff(self.right.utterance_of_words, append=len(self.left.ends)))
        positions[last_words] = self.left.ends[self.right.utterance_of_words[last_words]]
        return positions
