"""Predictions whose units differ from the reference's, as those of language models, OCR and speech recognition do.

Conventions
-----------
- An edit inserts a unit (the prediction has it, the reference does not), deletes one (the other way round) or substitutes
  one for another. A minimal edit script has as few edits as can be: their number is the Levenshtein distance of the units.
- Several scripts may be minimal. Taken is one that keeps most words, of those one that keeps most boundaries, and of those
  one with the fewest substitutions. So all counts are settled, and the same, with insertions and deletions exchanged,
  where the two sides change places.
- Units that are equal or substituted are anchors, and the gaps between them hold what was inserted or what was deleted
  (a minimal script has never both in one gap). A boundary of the prediction is shared where the reference has one in the
  same gap. A gap has one shared boundary at most: where the prediction has two words and more in the place of one
  boundary, as around a word that it made up, the others are false.
- A word is matched where a predicted word has the same units, one for one, unedited. Words beside an edit count as ever;
  one with an edit within it does not, whatever its ends.
- The counts of words and boundaries are each side's own, and so are its word types. Nothing is left out: words that the
  prediction makes up count as predicted, words that it leaves out as reference words. Where one side is blank, all of the
  other's units are inserted or deleted.
- Positions are the reference's. A predicted boundary in a gap of deleted units is at the boundary that it shares, or at the
  gap's beginning; words of inserted units alone are empty spans.

Time and memory grow with (n + m)·(d + 1) for sides of n and m units and a distance of d. An utterance for which that
exceeds `MAX_CELLS`, or n + m reaches `MAX_UNITS`, gets the minimal script that rapidfuzz happens to find.

Sources
-------
Levenshtein (1966), Soviet Physics Doklady 10:707-710; the band of width d + 1 in which all minimal scripts lie: Ukkonen
(1985), Information and Control 64:100-118.
"""

from __future__ import annotations

__all__ = [
    "MAX_CELLS",
    "MAX_UNITS",
    "MISMATCH_RULES",
    "AlignedComparison",
    "AlignedPrediction",
    "check_on_mismatch",
    "compare_aligned",
    "compare_mismatched",
    "find_mismatches",
    "project_boundaries",
    "select_utterances",
]

from collections.abc import Iterator
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from .comparison import Comparison, compare
from .segmentation import Bytes, Positions, Segmentation

Mask = npt.NDArray[np.bool_]

#: The values of the option `on_mismatch`.
MISMATCH_RULES = ("error", "skip", "align")

#: Above these an utterance's script is one of rapidfuzz's, minimal too, but not chosen for the words that it keeps.
MAX_CELLS = 1 << 24
MAX_UNITS = 1 << 16

#: How many cells are searched at once.
_BATCH_CELLS = 1 << 21

# Costs of scripts compare first by edits, then words kept, boundaries kept and substitutions; each fits below the next.
_EDIT, _WORD, _BOUNDARY, _SUBSTITUTION = 1 << 48, 1 << 32, 1 << 16, 1
_IMPOSSIBLE = 1 << 61

# A cell of the search has three states: within a gap without a shared boundary so far, within one that has its own, and
# within a word that both sides have, so far unedited.
_PLAIN, _SHARED, _WITHIN = 0, 1, 2
# The best way to a cell. In bits 0 and 1 the step to the plain state: …
_STEP, _WORD_END, _INSERT, _DELETE = 0, 1, 2, 3
# … in the others where a step came from, and what the other states come from.
_FROM_SHARED, _SHARED_BY_DELETION, _NEWLY_SHARED, _WORD_BEGINS = 4, 8, 16, 32


@dataclass(frozen=True)
class AlignedPrediction(Segmentation):
    """A prediction laid over the reference's units.

    Its text, its units and the ends of its utterances are the reference's. It has the words that were predicted, as many
    and with their own text, but `word_ends` are the reference's positions, so that a word of inserted units ends where the
    one before it does.

    Attributes:
        own: the prediction as it was read.
        edited: bool, for every word, whether its units are other than those of the reference that it was aligned with.
    """

    own: Segmentation
    edited: Mask

    def words(self) -> pa.LargeBinaryArray:
        """Every word as it was predicted, as bytes, in order."""
        return self.own.words()


@dataclass(frozen=True)
class AlignedComparison(Comparison):
    """A comparison of sides whose units differ in some utterances.

    It has no more than one shared boundary a gap: the one that ends a matched word if one does, otherwise the last of the
    gap on each side. So an utterance's last boundary is among the shared ones unless one side goes on after its last
    matched word.

    Attributes:
        insertions, deletions, substitutions: int64, per utterance, the edits of its script.
    """

    insertions: Positions
    deletions: Positions
    substitutions: Positions


def check_on_mismatch(on_mismatch: object, words_known: bool = True) -> None:
    """Check the option `on_mismatch`, and that what it needs is there.

    Args:
        on_mismatch: one of MISMATCH_RULES.
        words_known: whether the input has text; labels have none.

    Raises:
        TypeError: it is no string.
        ValueError: an unknown rule, `"align"` where there is no text, or `"align"` without rapidfuzz; the message says how to
            install it.

    >>> check_on_mismatch("ignore")
    Traceback (most recent call last):
    ...
    ValueError: unknown on_mismatch 'ignore': expected error, skip or align.
    """
    if not isinstance(on_mismatch, str):
        raise TypeError(
            f"on_mismatch: expected error, skip or align, received {on_mismatch!r} ({type(on_mismatch).__name__})."
        )
    if on_mismatch not in MISMATCH_RULES:
        raise ValueError(f"unknown on_mismatch {on_mismatch!r}: expected error, skip or align.")
    if on_mismatch == "align":
        if not words_known:
            raise ValueError(
                "on_mismatch='align' is for text, and labels do not say what it is: use 'skip', or pass the words."
            )
        _levenshtein()


def compare_mismatched(
    reference: Segmentation, prediction: Segmentation, on_mismatch: str
) -> tuple[Comparison, Mask | None]:
    """Compare a prediction with a reference under a rule for utterances whose units differ.

    Args:
        reference, prediction: with the same number of utterances, in units of one kind.
        on_mismatch: `"error"` refuses them, `"skip"` leaves them out on both sides, `"align"` aligns them.

    Returns:
        The comparison; and bool of shape (n_utterances,), which utterances are in it, None where all are.

    Raises:
        UtteranceError: the units differ, under `"error"`.
        ValueError: the numbers of utterances or the kinds of units differ; under `"align"`, labels that differ in number.

    >>> from segscores.reading.readers import from_words_text
    >>> sides = from_words_text(b"the dog\\nis on\\n"), from_words_text(b"thedog\\nisnt on\\n")
    >>> both, kept = compare_mismatched(*sides, "skip")
    >>> both.utterance_reference, kept
    (array([2]), array([ True, False]))
    >>> compare_mismatched(*sides, "align")[0].utterance_matched
    array([0, 1])
    """
    if on_mismatch == "align":
        return compare_aligned(reference, prediction), None
    if on_mismatch == "error":
        return compare(reference, prediction), None
    mismatches = find_mismatches(reference, prediction)
    if not mismatches.any():
        return compare(reference, prediction), None
    kept = ~mismatches
    return compare(select_utterances(reference, kept), select_utterances(prediction, kept)), kept


def find_mismatches(reference: Segmentation, prediction: Segmentation) -> Mask:
    """Which utterances differ in their units: bool of shape (n_utterances,). Labels differ in number alone.

    Raises:
        ValueError: the numbers of utterances or the kinds of units differ.
    """
    if len(reference.utterance_ends) != len(prediction.utterance_ends) or reference.unit != prediction.unit:
        compare(reference, prediction)  # which has the message
    if reference.text is None or prediction.text is None:
        return np.asarray(reference.utterance_units != prediction.utterance_units)
    if np.array_equal(reference.utterance_ends, prediction.utterance_ends) and np.array_equal(
        reference.text, prediction.text
    ):
        return np.zeros(len(reference.utterance_ends), bool)
    utterances = [_slices(side.text, side.utterance_ends) for side in (reference, prediction) if side.text is not None]
    # As bytes: booleans of Arrow become numpy's by way of pandas, which takes long to import.
    differs = pc.not_equal(*utterances).cast(pa.uint8())
    return np.frombuffer(differs.buffers()[1], np.bool_, len(differs), differs.offset)


def select_utterances(segmentation: Segmentation, kept: Mask) -> Segmentation:
    """Some of a segmentation's utterances.

    Args:
        kept: bool of shape (n_utterances,).
    """
    lengths = np.diff(segmentation.utterance_ends, prepend=0)
    kept_ends = np.cumsum(lengths * kept)
    utterances = _utterances_of_words(segmentation)
    shifts = segmentation.utterance_ends - kept_ends
    words = kept[utterances]
    return replace(
        segmentation,
        text=None if segmentation.text is None else segmentation.text[np.flatnonzero(np.repeat(kept, lengths))],
        word_ends=segmentation.word_ends[words] - shifts[utterances[words]],
        utterance_ends=kept_ends[kept],
        utterance_units=segmentation.utterance_units[kept],
    )


def compare_aligned(reference: Segmentation, prediction: Segmentation) -> Comparison:
    """Compare a prediction with a reference, aligning the utterances whose units differ.

    Returns:
        Where no utterance differs, what `compare` gives; otherwise an AlignedComparison, whose prediction is an
        AlignedPrediction. Utterances whose units are the same have there what `compare` gives them.

    Raises:
        ValueError: the numbers of utterances or the kinds of units differ; labels that differ in number; rapidfuzz is not
            installed, and units differ.

    The naive equivalent, for one utterance, takes of all minimal edit scripts the one whose counts of matched words, shared
    boundaries and substitutions, the last negative, are the greatest in this order.

    >>> from segscores.reading.readers import from_words_text
    >>> both = compare_aligned(from_words_text(b"the dog is on\\n"), from_words_text(b"the hotdog is on\\n"))
    >>> both.utterance_matched, both.utterance_shared, both.insertions
    (array([3]), array([4]), array([3]))
    """
    mismatches = find_mismatches(reference, prediction)
    if not mismatches.any():
        return compare(reference, prediction)
    if reference.text is None or prediction.text is None:
        compare(reference, prediction)  # labels alone cannot be aligned: the message says which utterance's differ
    same = compare(select_utterances(reference, ~mismatches), select_utterances(prediction, ~mismatches))
    edited = _compare_edited(select_utterances(reference, mismatches), select_utterances(prediction, mismatches))

    utterances = [_utterances_of_words(side) for side in (reference, prediction)]
    # From words of the utterances that differ to words of all, and likewise of those that do not.
    words = [[np.flatnonzero(chosen[of]) for of in utterances] for chosen in (~mismatches, mismatches)]
    parts = (same, edited)
    shared_reference = np.concatenate([of[0][part.shared_reference] for of, part in zip(words, parts, strict=True)])
    shared_prediction = np.concatenate([of[1][part.shared_prediction] for of, part in zip(words, parts, strict=True)])
    order = np.argsort(shared_reference, kind="stable")

    starts = reference.utterance_ends - np.diff(reference.utterance_ends, prepend=0)
    word_ends = np.zeros(len(prediction.word_ends), np.int64)
    for part, chosen, of in zip(parts, (~mismatches, mismatches), words, strict=True):
        part_ends = part.reference.utterance_ends
        shifts = starts[chosen] - (part_ends - np.diff(part_ends, prepend=0))
        word_ends[of[1]] = part.prediction.word_ends + np.repeat(shifts, part.utterance_prediction)
    is_edited = np.zeros(len(word_ends), bool)
    is_edited[words[1][1]] = edited.prediction.edited  # type: ignore[attr-defined]

    def merge(name: str) -> Positions:
        column = np.zeros(len(mismatches), np.int64)
        column[mismatches] = getattr(edited, name)
        if hasattr(same, name):
            column[~mismatches] = getattr(same, name)
        return column

    return AlignedComparison(
        reference=reference,
        prediction=AlignedPrediction(
            text=reference.text,
            word_ends=word_ends,
            utterance_ends=reference.utterance_ends,
            utterance_units=reference.utterance_units,
            unit=reference.unit,
            own=prediction,
            edited=is_edited,
        ),
        shared_reference=shared_reference[order],
        shared_prediction=shared_prediction[order],
        matched=np.concatenate([same.matched, edited.matched])[order],
        utterance_shared=merge("utterance_shared"),
        utterance_matched=merge("utterance_matched"),
        utterance_reference=merge("utterance_reference"),
        utterance_prediction=merge("utterance_prediction"),
        insertions=merge("insertions"),
        deletions=merge("deletions"),
        substitutions=merge("substitutions"),
        utterance_edited=merge("utterance_edited"),
    )


def project_boundaries(comparison: Comparison) -> Comparison:
    """A comparison for measures of where boundaries are and of the chunks between them, as those by windows of units.

    The prediction becomes the words that its boundaries make of the reference's units. So words of inserted units alone
    vanish, and a blank prediction is one word. Every property of a Comparison holds, but that a word that spans the same
    units on both sides is matched only if it is matched in the comparison given. Counts of words and boundaries, and
    the words' text, are those of the comparison given, not of this one.

    Args:
        comparison: one without an AlignedPrediction comes back itself.
    """
    if not isinstance(comparison, AlignedComparison):
        return comparison
    reference = comparison.reference
    found = np.zeros(int(reference.utterance_ends[-1]) + 1, bool)
    found[comparison.prediction.word_ends] = True
    found[reference.utterance_ends] = True
    found[0] = False
    projected = compare(reference, replace(reference, word_ends=np.flatnonzero(found)))
    recovered = np.zeros(len(reference.word_ends), bool)
    recovered[comparison.shared_reference[comparison.matched]] = True
    matched = projected.matched & recovered[projected.shared_reference]
    utterances = _utterances_of_words(reference)[projected.shared_reference[matched]]
    return replace(
        projected, matched=matched, utterance_matched=np.bincount(utterances, minlength=len(reference.utterance_ends))
    )


@dataclass(frozen=True)
class _Units:
    """The units of one side as numbers, those of all utterances end to end; positions count units.

    Attributes:
        codes: uint32, equal where units are, on either side.
        ends: where each utterance ends.
        byte_ends: where each unit ends in the text, in bytes, with 0 before.
        word_ends: where each word ends.
        utterances: which utterance each word is in.
    """

    codes: npt.NDArray[np.uint32]
    ends: Positions
    byte_ends: Positions
    word_ends: Positions
    utterances: Positions

    @property
    def starts(self) -> Positions:
        """Where each utterance begins."""
        return self.ends - self.lengths

    @property
    def lengths(self) -> Positions:
        """How many units each utterance has."""
        return np.diff(self.ends, prepend=0)

    @property
    def word_starts(self) -> Positions:
        """Where each word begins."""
        return np.concatenate((np.zeros(min(1, len(self.word_ends)), np.int64), self.word_ends[:-1]))

    def boundaries(self) -> Mask:
        """For the positions of each utterance, one more than it has units, whether a word begins or ends there."""
        found = np.zeros(len(self.codes) + len(self.ends), bool)
        found[self.starts + np.arange(len(self.ends))] = True
        found[self.word_ends + self.utterances] = True
        return found


def _compare_edited(reference: Segmentation, prediction: Segmentation) -> AlignedComparison:
    """Compare utterances that differ, all of them."""
    left, right = _read_units(reference, prediction)
    partners = _align(left, right)
    count = len(left.ends)
    is_anchor = partners >= 0
    anchors = np.flatnonzero(is_anchor)
    equal = np.zeros(len(partners), bool)
    equal[anchors] = left.codes[partners[anchors]] == right.codes[anchors]

    matches = _matching_words(left, right, partners, equal)
    # The number of anchors before a position, and of utterances, numbers the gaps.
    anchored = np.zeros(len(left.codes), bool)
    anchored[partners[anchors]] = True
    left_gaps = np.cumsum(anchored)[left.word_ends - 1] + left.utterances
    right_gaps = np.cumsum(is_anchor)[right.word_ends - 1] + right.utterances
    gaps = np.intersect1d(left_gaps, right_gaps)
    firsts, lasts = (
        [np.searchsorted(side, gaps, side="left") for side in (left_gaps, right_gaps)],
        [np.searchsorted(side, gaps, side="right") - 1 for side in (left_gaps, right_gaps)],
    )
    # A matched word ends right behind an anchor, and so is the first of its gap.
    matched = matches[firsts[1]] == firsts[0]
    shared_left, shared_right = (np.where(matched, first, last) for first, last in zip(firsts, lasts, strict=True))

    # A boundary is behind the last anchor, if it is not shared.
    behind = np.zeros(len(partners), np.int64)
    behind[anchors] = partners[anchors] + 1
    positions = np.maximum(np.maximum.accumulate(behind)[right.word_ends - 1], left.starts[right.utterances])
    positions[shared_right] = left.word_ends[shared_left]
    last_words = np.flatnonzero(np.diff(right.utterances, append=count))
    positions[last_words] = left.ends[right.utterances[last_words]]
    is_edited = _is_edited(right, partners, equal)

    def tally(utterances: Positions) -> Positions:
        return np.bincount(utterances, minlength=count)

    utterances_of_units = np.repeat(np.arange(count), right.lengths)
    anchor_counts = tally(utterances_of_units[anchors])
    return AlignedComparison(
        reference=reference,
        prediction=AlignedPrediction(
            text=reference.text,
            word_ends=left.byte_ends[positions],
            utterance_ends=reference.utterance_ends,
            utterance_units=reference.utterance_units,
            unit=reference.unit,
            own=prediction,
            edited=is_edited,
        ),
        shared_reference=shared_left,
        shared_prediction=shared_right,
        matched=matched,
        utterance_shared=tally(left.utterances[shared_left]),
        utterance_matched=tally(left.utterances[shared_left[matched]]),
        utterance_reference=tally(left.utterances),
        utterance_prediction=tally(right.utterances),
        insertions=right.lengths - anchor_counts,
        deletions=left.lengths - anchor_counts,
        substitutions=tally(utterances_of_units[anchors[~equal[anchors]]]),
        utterance_edited=tally(right.utterances[is_edited]),
    )


def _is_edited(right: _Units, partners: Positions, equal: Mask) -> Mask:
    """Which predicted words have an edit within them."""
    starts, lasts = right.word_starts, right.word_ends - 1
    equal_counts = np.concatenate(([0], np.cumsum(equal)))
    lengths = right.word_ends - starts
    whole = equal_counts[right.word_ends] - equal_counts[starts] == lengths
    return np.asarray(~(whole & (partners[lasts] - partners[starts] == lengths - 1)))


def _matching_words(left: _Units, right: _Units, partners: Positions, equal: Mask) -> Positions:
    """For every predicted word the reference word of the same units, -1 where there is none."""
    words = np.full(len(left.codes) + 1, -1, np.int64)
    words[left.word_ends] = np.arange(len(left.word_ends))
    starts, lasts = right.word_starts, right.word_ends - 1
    found = np.where(_is_edited(right, partners, equal), -1, words[partners[lasts] + 1])
    begins_alike = np.append(left.word_starts, -1)[found] == partners[starts]
    return np.where(begins_alike, found, -1)


def _read_units(reference: Segmentation, prediction: Segmentation) -> tuple[_Units, _Units]:
    texts = [_text(side) for side in (reference, prediction)]
    if reference.unit == "character":
        codes = [np.frombuffer(text.tobytes().decode().encode("utf-32-le"), "<u4") for text in texts]
        byte_ends = [np.append(np.flatnonzero(text.view(np.int8) >= -64), len(text)) for text in texts]
    else:
        byte_ends = [np.concatenate(([0], np.flatnonzero(text == ord(" ")) + 1)) for text in texts]
        tokens = pa.concat_arrays([_slices(text, ends[1:]) for text, ends in zip(texts, byte_ends, strict=True)])
        numbers = tokens.dictionary_encode().indices
        numbered = np.frombuffer(numbers.buffers()[1], np.int32, len(numbers)).astype(np.uint32)
        codes = np.split(numbered, [len(byte_ends[0]) - 1])
    left, right = (
        _Units(
            codes=code,
            ends=np.searchsorted(ends, side.utterance_ends),
            byte_ends=ends,
            word_ends=np.searchsorted(ends, side.word_ends),
            utterances=_utterances_of_words(side),
        )
        for side, code, ends in zip((reference, prediction), codes, byte_ends, strict=True)
    )
    return left, right


def _align(left: _Units, right: _Units) -> Positions:
    """For every unit of the prediction the unit of the reference that it is or that it replaces, -1 where it is inserted."""
    levenshtein = _levenshtein()
    partners = np.full(len(right.codes), -1, np.int64)
    filled = np.flatnonzero((left.lengths > 0) & (right.lengths > 0))
    texts = [_strings(side, filled) for side in (left, right)]
    distances = np.fromiter(map(levenshtein.distance, *texts), np.int64, len(filled))
    lengths = (left.lengths + right.lengths)[filled]
    is_huge = (lengths >= MAX_UNITS) | (lengths * (distances + 1) > MAX_CELLS)
    for index in np.flatnonzero(is_huge).tolist():
        starts = left.starts[filled[index]], right.starts[filled[index]]
        for opcode in levenshtein.opcodes(texts[0][index], texts[1][index]):
            if opcode.tag in ("equal", "replace"):
                columns = np.arange(opcode.dest_start, opcode.dest_end)
                partners[starts[1] + columns] = starts[0] + opcode.src_start + columns - opcode.dest_start
    chosen = np.flatnonzero(~is_huge)
    boundaries = left.boundaries(), right.boundaries()
    for batch in _batches(lengths[chosen], distances[chosen]):
        _Search(left, right, filled[chosen[batch]], distances[chosen[batch]], boundaries).run(partners)
    return partners


def _batches(lengths: Positions, distances: Positions) -> Iterator[Positions]:
    """Utterances alike in length and distance, about as many cells at a time as _BATCH_CELLS."""
    widths = np.ceil(np.log2(distances + 1)).astype(np.int64)
    order = np.lexsort((lengths, widths))
    start = 0
    while start < len(order):
        same_width = int(np.searchsorted(widths[order], widths[order[start]], side="right"))
        # Lengths rise within a width, so that the last utterance of a batch decides its size.
        counts = np.arange(1, same_width - start + 1)
        cells = counts * (lengths[order[start:same_width]] + 1) * ((2 << int(widths[order[start]])) // 2 + 1)
        stop = start + max(1, int(np.searchsorted(cells, _BATCH_CELLS, side="right")))
        yield order[start:stop]
        start = stop


class _Search:
    """The search for the best minimal script of several utterances at once.

    A cell (i, j) stands for i units of the reference and j of the prediction read. All minimal scripts of distance d keep
    j − i between −(d − m + n)/2 and (d + m − n)/2: the band. Cells are visited by i + j, all of one sum together; those of
    an even sum and those of an odd one have no offset j − i in common, and are kept apart.
    """

    def __init__(
        self, left: _Units, right: _Units, utterances: Positions, distances: Positions, boundaries: tuple[Mask, Mask]
    ) -> None:
        self.codes = left.codes, right.codes
        self.boundaries = boundaries
        self.starts = left.starts[utterances], right.starts[utterances]
        self.lengths = left.lengths[utterances], right.lengths[utterances]
        # Positions have one more place an utterance than units.
        self.places = self.starts[0] + utterances, self.starts[1] + utterances
        surplus = self.lengths[1] - self.lengths[0]
        lows, self.highs = -((distances - surplus) // 2), (distances + surplus) // 2
        self.lows = lows - lows % 2
        self.columns = int((self.highs - self.lows).max()) // 2 + 1
        self.sums = int((self.lengths[0] + self.lengths[1]).max())
        self.ways = np.zeros((self.sums + 1, len(utterances), self.columns), np.uint8)

    def run(self, partners: Positions) -> None:
        """Find the scripts, and write the partner of every anchor."""
        self._find_ways()
        self._follow_ways(partners)

    def _find_ways(self) -> None:
        count, columns = len(self.lows), self.columns
        # One column more on the side where a neighbour lies outside.
        costs = [np.full((3, count, columns + 1), _IMPOSSIBLE, np.int64) for _ in range(2)]
        origin = np.arange(count), -self.lows // 2
        costs[0][_SHARED][origin] = costs[0][_WITHIN][origin] = 0
        self.ways[0][origin] = _WORD_BEGINS
        for total in range(1, self.sums + 1):
            odd = total % 2
            others = costs[1 - odd]
            before = costs[odd][:, :, odd : odd + columns]
            costs[odd][:, :, odd : odd + columns] = self._step(
                total, before, inserting=others[:, :, :columns], deleting=others[:, :, 1:]
            )

    def _step(self, total: int, before: Positions, inserting: Positions, deleting: Positions) -> npt.NDArray[np.int64]:
        """The costs of all cells of a sum, from those of two sums less (a unit on both sides) and of one less."""
        offsets = self.lows[:, None] + (2 * np.arange(self.columns) + total % 2)
        rows, columns = (total - offsets) >> 1, (total + offsets) >> 1
        inside = (rows >= 0) & (columns >= 0) & (offsets <= self.highs[:, None])
        inside &= (rows <= self.lengths[0][:, None]) & (columns <= self.lengths[1][:, None])
        units, ends = [], []
        for side, at in enumerate((rows, columns)):
            unit = np.where(inside & (at > 0), self.starts[side][:, None] + at - 1, 0)
            units.append(self.codes[side][unit])
            ends.append(self.boundaries[side][np.where(inside, self.places[side][:, None] + at, 0)])
        equal = units[0] == units[1]
        either, both = ends[0] | ends[1], ends[0] & ends[1]

        from_shared = before[_SHARED] < before[_PLAIN]
        step = np.minimum(before[_PLAIN], before[_SHARED]) + np.where(equal, 0, _EDIT + _SUBSTITUTION)
        word = np.where(equal & both, before[_WITHIN] - _WORD, _IMPOSSIBLE)
        inserted, deleted = inserting[_PLAIN] + _EDIT, deleting[_PLAIN] + _EDIT
        plain = np.minimum(np.minimum(step, word), np.minimum(inserted, deleted))
        shared_inserted, shared_deleted = inserting[_SHARED] + _EDIT, deleting[_SHARED] + _EDIT
        shared = np.minimum(shared_inserted, shared_deleted)
        newly = both & (plain - _BOUNDARY < shared)
        ways = np.where(
            plain == word, _WORD_END, np.where(plain == step, _STEP, np.where(plain == inserted, _INSERT, _DELETE))
        )
        ways += from_shared * _FROM_SHARED + (shared_deleted < shared_inserted) * _SHARED_BY_DELETION
        ways += newly * _NEWLY_SHARED + both * _WORD_BEGINS
        self.ways[total] = ways

        shared = np.where(newly, plain - _BOUNDARY, shared)
        within = np.where(both, shared, np.where(equal & ~either, before[_WITHIN], _IMPOSSIBLE))
        plain = np.where(both, _IMPOSSIBLE, plain)
        costs = np.stack((plain, shared, within))
        return np.where(inside, np.minimum(costs, _IMPOSSIBLE), _IMPOSSIBLE)

    def _follow_ways(self, partners: Positions) -> None:
        """Go back from the ends, all utterances a step at a time."""
        rows, columns = self.lengths[0].copy(), self.lengths[1].copy()
        states = np.full(len(rows), _SHARED)
        going = np.arange(len(rows))
        while len(going):
            row, column = rows[going], columns[going]
            way = self.ways[row + column, going, (column - row - self.lows[going]) >> 1]
            state = states[going]
            state = np.where((state == _WITHIN) & (way & _WORD_BEGINS > 0), _SHARED, state)
            state = np.where((state == _SHARED) & (way & _NEWLY_SHARED > 0), _PLAIN, state)
            sideways = np.where(way & _SHARED_BY_DELETION, _DELETE, _INSERT)
            move = np.where(state == _PLAIN, way & 3, np.where(state == _SHARED, sideways, _STEP))
            came_plainly = np.where(
                move == _WORD_END, _WITHIN, np.where((move == _STEP) & (way & _FROM_SHARED > 0), _SHARED, _PLAIN)
            )
            states[going] = np.where(state == _PLAIN, came_plainly, state)
            anchor = np.flatnonzero(move <= _WORD_END)
            at = going[anchor]
            partners[self.starts[1][at] + column[anchor] - 1] = self.starts[0][at] + row[anchor] - 1
            rows[going] -= move != _INSERT
            columns[going] -= move != _DELETE
            going = going[rows[going] + columns[going] > 0]


def _strings(side: _Units, utterances: Positions) -> list[str]:
    """Utterances as strings, one character a unit, which rapidfuzz takes fastest. Tokens are numbered below its last one."""
    text = side.codes.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
    starts, ends = side.starts[utterances].tolist(), side.ends[utterances].tolist()
    return [text[start:end] for start, end in zip(starts, ends, strict=True)]


def _slices(text: Bytes, ends: Positions) -> pa.LargeBinaryArray:
    buffers = [None, pa.py_buffer(np.concatenate(([0], ends))), pa.py_buffer(np.ascontiguousarray(text))]
    return pa.LargeBinaryArray.from_buffers(pa.large_binary(), len(ends), buffers)


def _text(side: Segmentation) -> Bytes:
    assert side.text is not None
    return side.text


def _utterances_of_words(segmentation: Segmentation) -> Positions:
    """Which utterance each word is in: an end equal to an utterance's is of that one, not of a blank one after it."""
    return np.searchsorted(segmentation.utterance_ends, segmentation.word_ends, side="left")


def _levenshtein() -> ModuleType | Any:
    try:
        from rapidfuzz.distance import Levenshtein  # noqa: PLC0415 - optional
    except ModuleNotFoundError:
        raise ValueError(
            "on_mismatch='align' needs rapidfuzz: install it with pip install 'segmentation-scores[align]', or leave the "
            "utterances out with on_mismatch='skip'."
        ) from None
    return Levenshtein
