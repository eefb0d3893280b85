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

from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from .arrays import Mask, Positions, lengths_of
from .comparison import Comparison, compare_same
from .segmentation import Segmentation, select_utterances, with_words

if TYPE_CHECKING:
    from .edits import Units


@dataclass(frozen=True)
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
        """Return a prediction on the units of a reference."""
        values = {attribute.name: getattr(reference, attribute.name) for attribute in fields(Segmentation)}
        values |= {"of_words": original.of_words, "of_utterances": original.of_utterances}
        return cls(**values | {"word_ends": word_ends}, original=original, word_starts=word_starts)

    @property
    def edited(self) -> Mask:
        """A mask of the words with edits, whose units differ from the aligned units of the reference: bool."""
        return np.asarray(self.word_starts < 0)

    def words(self) -> pa.LargeBinaryArray:
        """Return every word as it was predicted, as bytes, in order."""
        return self.original.words()


@dataclass(frozen=True)
class AlignedComparison(Comparison):
    """A comparison of sides whose units differ in some utterances.

    Each gap has at most one shared boundary: the one that ends a matched word, or else the last of the gap on each
    side. So the last boundary of an utterance is shared unless one side continues after its last matched word.
    """

    #: `insertions`, `deletions`, `substitutions`: int64, per utterance, the edits of its script
    insertions: Positions
    deletions: Positions
    substitutions: Positions


#: The fields of an AlignedComparison that have a value for each utterance.
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
    same = compare_same(select_utterances(reference, ~mismatches), select_utterances(prediction, ~mismatches))
    edited = _compare_edited(select_utterances(reference, mismatches), select_utterances(prediction, mismatches))

    # The words of each comparison, by their index among all words of a side: of utterances of 2, 1 and 3 words, of which the
    # second is edited, `same` has the words 0 1 3 4 5, and `edited` has 2.
    utterances = reference.utterances_of_words()
    same_left = np.flatnonzero(~mismatches[utterances])
    edited_left = np.flatnonzero(mismatches[utterances])
    utterances = prediction.utterances_of_words()
    same_right = np.flatnonzero(~mismatches[utterances])
    edited_right = np.flatnonzero(mismatches[utterances])
    shared_reference = np.concatenate((same_left[same.shared_reference], edited_left[edited.shared_reference]))
    shared_prediction = np.concatenate((same_right[same.shared_prediction], edited_right[edited.shared_prediction]))
    order = np.argsort(shared_reference, kind="stable")

    word_ends = np.zeros(len(prediction.word_ends), np.int64)
    word_starts = np.zeros(len(prediction.word_ends), np.int64)
    same_starts = np.concatenate(([0], same.prediction.word_ends))[:-1]
    shifts = _shifts(reference, ~mismatches, same)
    word_ends[same_right] = same.prediction.word_ends + shifts
    word_starts[same_right] = same_starts + shifts
    assert isinstance(edited.prediction, AlignedPrediction)
    edited_starts = edited.prediction.word_starts
    shifts = _shifts(reference, mismatches, edited)
    word_ends[edited_right] = edited.prediction.word_ends + shifts
    word_starts[edited_right] = np.where(edited_starts < 0, -1, edited_starts + shifts)

    def merge(name: str) -> Positions:
        column = np.zeros(len(mismatches), np.int64)
        column[mismatches] = getattr(edited, name)
        if hasattr(same, name):
            column[~mismatches] = getattr(same, name)
        return column

    return AlignedComparison(
        reference=reference,
        prediction=AlignedPrediction.on(reference, prediction, word_ends=word_ends, word_starts=word_starts),
        shared_reference=shared_reference[order],
        shared_prediction=shared_prediction[order],
        matched=np.concatenate([same.matched, edited.matched])[order],
        **{name: merge(name) for name in _COUNTS},
    )


def _shifts(reference: Segmentation, is_selected: Mask, selected: Comparison) -> Positions:
    """Return for each predicted word of selected utterances how much greater its position in the whole reference is.

    Of utterances of 3, 4 and 2 bytes, the first and last are selected: they begin at 0 and 3, in the whole at 0 and 7.
    """
    starts = reference.utterance_ends - lengths_of(reference.utterance_ends)
    ends = selected.reference.utterance_ends
    selected_starts = ends - lengths_of(ends)
    return np.repeat(starts[is_selected] - selected_starts, selected.utterance_prediction)


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
    is_boundary[0] = False
    ends = np.flatnonzero(is_boundary)
    projected = compare_same(reference, with_words(reference, ends))
    matched = projected.matched & comparison.matched_words()[0][projected.shared_reference]
    utterances = reference.utterances_of_words()[projected.shared_reference[matched]]
    counts = np.bincount(utterances, minlength=len(reference.utterance_ends))
    return replace(projected, matched=matched, utterance_matched=counts)


def _compare_edited(reference: Segmentation, prediction: Segmentation) -> AlignedComparison:
    """Compare utterances whose units all differ. `left` is the reference, `right` the prediction, in positions of units."""
    from .edits import align_units, read_units

    left, right = read_units(reference, prediction)
    partners = align_units(left, right)
    count = len(left.ends)
    is_anchor = partners >= 0
    anchors = np.flatnonzero(is_anchor)
    equal = np.zeros(len(partners), bool)
    equal[anchors] = left.codes[partners[anchors]] == right.codes[anchors]

    is_edited = _is_edited(right, partners, equal)
    matches = _matching_words(left, right, partners, is_edited)
    # A gap is numbered by the anchors and the utterances before it.
    # `the dog` and `the x dog`: the words end in the gaps 3 6 and 3 3 6.
    anchored = np.zeros(len(left.codes), bool)
    anchored[partners[anchors]] = True
    left_gaps = np.cumsum(anchored)[left.word_ends - 1] + left.utterances
    right_gaps = np.cumsum(is_anchor)[right.word_ends - 1] + right.utterances
    gaps = np.intersect1d(left_gaps, right_gaps)
    # The words that end in the gaps 3 6 are 0 1 of `the dog`; of `the x dog` the first ones are 0 2, and the last ones 1 2.
    left_firsts = np.searchsorted(left_gaps, gaps, side="left")
    left_lasts = np.searchsorted(left_gaps, gaps, side="right") - 1
    right_firsts = np.searchsorted(right_gaps, gaps, side="left")
    right_lasts = np.searchsorted(right_gaps, gaps, side="right") - 1
    # A matched word ends directly after an anchor, and so is the first of its gap.
    matched = matches[right_firsts] == left_firsts
    shared_left = np.where(matched, left_firsts, left_lasts)
    shared_right = np.where(matched, right_firsts, right_lasts)

    # A boundary that is not shared is placed after the last anchor.
    behind = np.zeros(len(partners), np.int64)
    behind[anchors] = partners[anchors] + 1
    positions = np.maximum(np.maximum.accumulate(behind)[right.word_ends - 1], left.starts[right.utterances])
    positions[shared_right] = left.word_ends[shared_left]
    last_words = np.flatnonzero(np.diff(right.utterances, append=count))
    positions[last_words] = left.ends[right.utterances[last_words]]

    def count_in(utterances: Positions) -> Positions:
        return np.bincount(utterances, minlength=count)

    utterances_of_units = np.repeat(np.arange(count), right.lengths)
    anchor_counts = count_in(utterances_of_units[anchors])
    return AlignedComparison(
        reference=reference,
        prediction=AlignedPrediction.on(
            reference,
            prediction,
            word_ends=left.byte_ends[positions],
            word_starts=np.where(is_edited, -1, left.byte_ends[partners[right.word_starts]]),
        ),
        shared_reference=shared_left,
        shared_prediction=shared_right,
        matched=matched,
        utterance_shared=count_in(left.utterances[shared_left]),
        utterance_matched=count_in(left.utterances[shared_left[matched]]),
        utterance_reference=count_in(left.utterances),
        utterance_prediction=count_in(right.utterances),
        insertions=right.lengths - anchor_counts,
        deletions=left.lengths - anchor_counts,
        substitutions=count_in(utterances_of_units[anchors[~equal[anchors]]]),
        utterance_edited=count_in(right.utterances[is_edited]),
    )


def _is_edited(right: Units, partners: Positions, equal: Mask) -> Mask:
    starts = right.word_starts
    lasts = right.word_ends - 1
    lengths = right.word_ends - starts
    equal_counts = np.concatenate(([0], np.cumsum(equal)))
    has_equal_units = equal_counts[right.word_ends] - equal_counts[starts] == lengths
    # partners 0 1 3 of a word of three units: 3 - 0 is not 2, so the reference has a unit within the word.
    is_unbroken = partners[lasts] - partners[starts] == lengths - 1
    return np.asarray(~(has_equal_units & is_unbroken))


def _matching_words(left: Units, right: Units, partners: Positions, is_edited: Mask) -> Positions:
    """Return for every predicted word the reference word aligned with exactly its units; -1 if there is no such word."""
    # `the dog`: words[3] is 0 and words[6] is 1.
    words = np.full(len(left.codes) + 1, -1, np.int64)
    words[left.word_ends] = np.arange(len(left.word_ends))
    starts = right.word_starts
    lasts = right.word_ends - 1
    matches = np.where(is_edited, -1, words[partners[lasts] + 1])
    begins_alike = np.append(left.word_starts, -1)[matches] == partners[starts]
    return np.where(begins_alike, matches, -1)
