"""Differences: an utterance with the boundaries of both sides, for display.

Conventions
-----------
- The boundaries of both sides together divide an utterance into segments. A mark between two segments shows the
  boundary: `|` on both sides, `+` only in the reference (missed), `−` only in the prediction (wrong).
- So a reference word is the text between two marks `|` or `+`, and a predicted word the text between two marks `|` or
  `−`; the ends of an utterance count as `|`. A segment between two `|` is a word on both sides: it is matched.
- In units text the units of a segment are separated by spaces.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, compress, islice
from typing import NamedTuple

import numpy as np

from ..kernel.aligned import project_boundaries
from ..kernel.arrays import Mask, Positions
from ..kernel.comparison import Comparison
from ..kernel.marks import MATCHED, MISSED, WRONG
from ..kernel.segmentation import select_utterances
from ..reading.sources.source import Side
from ..scoring.map_pieces import map_pieces
from ..scoring.mismatch import compare_segmentations
from ..scoring.piece import Piece
from ..scoring.plan import Plan
from ..scoring.utterance_tally import UtteranceTally


class MarkedText(NamedTuple):
    """A segment, or a part of one, with the mark after it."""

    text: str
    mark: str  #: the mark after the text; empty if there is none
    is_matched: bool  #: True if the segment is a word of both sides


@dataclass(frozen=True)
class Difference:
    """One utterance with the boundaries of both sides.

    Attributes:
        segments: the text between neighbouring boundaries of either side, in order; empty for a blank utterance.
        marks: the marks between the segments, one fewer than the segments.

    >>> difference = Difference(("the", "dog", "is"), ("+", "|"))
    >>> str(difference), difference.matched, difference.missed, difference.wrong
    ('the+dog|is', ('is',), ('the', 'dog'), ('thedog',))
    """

    segments: tuple[str, ...]
    marks: tuple[str, ...]
    separator: str = ""  #: the text between the units of a word

    def __str__(self) -> str:
        return "".join(segment.text + segment.mark for segment in self._marked_segments())

    def _marked_segments(self) -> Iterator[MarkedText]:
        """Yield each segment; the mark after the last one is empty."""
        # A blank utterance yields nothing: `map` ends with the segments, of which there are none.
        return map(MarkedText, self.segments, (*self.marks, ""), self.is_matched)

    @cached_property
    def is_matched(self) -> tuple[bool, ...]:
        """A value per segment, True if the segment is a word on both sides."""
        # the+dog|is: before the segments are | + |, and after them + | |. Only `is` has | on both sides.
        # Not strict: a blank utterance has no segment for the marks of its ends.
        marks_before = (MATCHED, *self.marks)
        marks_after = (*self.marks, MATCHED)
        return tuple(
            before == after == MATCHED
            for _segment, before, after in zip(self.segments, marks_before, marks_after, strict=False)
        )

    def units(self) -> Iterator[MarkedText]:
        """Yield each unit with the mark after it, which is empty where no side has a boundary."""
        for text, mark, is_matched in self._marked_segments():
            # Without a separator, each character is a unit.
            *inner_units, last_unit = text.split(" ") if self.separator else list(text)
            for unit in inner_units:
                yield MarkedText(unit, "", is_matched)
            yield MarkedText(last_unit, mark, is_matched)

    def pieces(self, first: int) -> Iterator[MarkedText]:
        """Yield the first segments, `first` of them; the mark after the last segment of the utterance is empty."""
        return islice(self._marked_segments(), first)

    @property
    def reference(self) -> tuple[tuple[str, bool], ...]:
        """The words of the reference, each with True if the prediction has it."""
        return self._words(MISSED)

    @property
    def prediction(self) -> tuple[tuple[str, bool], ...]:
        """The words of the prediction, each with True if the reference has it."""
        return self._words(WRONG)

    @property
    def matched(self) -> tuple[str, ...]:
        """The words that both sides have."""
        return tuple(compress(self.segments, self.is_matched))

    @property
    def missed(self) -> tuple[str, ...]:
        """The words of the reference that the prediction does not have at the same position."""
        return tuple(word for word, is_matched in self._words(MISSED) if not is_matched)

    @property
    def wrong(self) -> tuple[str, ...]:
        """The words of the prediction that the reference does not have at the same position."""
        return tuple(word for word, is_matched in self._words(WRONG) if not is_matched)

    def _words(self, side_mark: str) -> tuple[tuple[str, bool], ...]:
        """Return the words of a side, each with True if both sides have it; `side_mark` is the mark of that side alone."""
        words: list[tuple[str, bool]] = []
        segments: list[str] = []
        # Not strict: a blank utterance has no segment for the mark of its end.
        for segment, mark, is_matched in zip(self.segments, (*self.marks, MATCHED), self.is_matched, strict=False):
            segments.append(segment)
            if mark in (MATCHED, side_mark):
                words.append((self.separator.join(segments), is_matched))
                segments = []
        return tuple(words)


def differences_of(comparison: Comparison) -> Iterator[Difference]:
    """Yield the difference of every utterance of a comparison."""
    reference = comparison.reference
    prediction = comparison.prediction
    assert reference.text is not None
    separator = " " if reference.unit == "token" else ""
    # `the dog | is` and `thedog | i s`, two utterances: the segments end at the bytes 3 6 7 8, two in each utterance.
    ends = np.union1d(reference.word_ends, prediction.word_ends)
    in_reference = np.isin(ends, reference.word_ends, assume_unique=True)
    in_prediction = np.isin(ends, prediction.word_ends, assume_unique=True)
    marks = np.where(in_reference & in_prediction, MATCHED, np.where(in_reference, MISSED, WRONG)).tolist()
    text = reference.text.tobytes()
    segments = []
    start = 0
    for end in ends.tolist():
        # The last byte of a segment of units text is the space after its last unit.
        segments.append(text[start : end - len(separator)].decode())
        start = end
    first_segment = 0
    # Each stop is the number of segments up to the end of an utterance: 2 and 4 in the example.
    for stop in np.searchsorted(ends, reference.utterance_ends, side="right").tolist():
        # The end of an utterance is a boundary of both sides, which has no mark. A blank utterance has neither segment nor mark.
        yield Difference(tuple(segments[first_segment:stop]), tuple(marks[first_segment : max(stop - 1, 0)]), separator)
        first_segment = stop


def differences_at(comparison: Comparison, good: Mask | None, is_chosen: Mask) -> list[Difference]:
    """Return the differences of chosen utterances of a piece; `good` marks those that the comparison has, None if all."""
    # Where units are aligned, the prediction gets the words into which its boundaries divide the reference's units. So one text
    # shows both sides.
    comparison = project_boundaries(comparison)
    # `is_chosen` has a value for each utterance of the piece, and the comparison has the good ones.
    is_selected = is_chosen if good is None else is_chosen[good]
    reference = select_utterances(comparison.reference, is_selected)
    prediction = select_utterances(comparison.prediction, is_selected)
    # The comparison is of all utterances: compare the chosen ones by themselves.
    return list(differences_of(compare_segmentations(reference, prediction)))


def align_pieces(differences: Sequence[Difference], count: int) -> list[list[MarkedText]]:
    """Return the first `count` pieces of several predictions of one utterance, each as `Difference.pieces`.

    Every prediction is cut where the reference or any prediction has a boundary. A prediction that has no mark there, because
    only others have the boundary, gets a space as its mark.

    >>> differences = Difference(("the", "dog"), ("+",)), Difference(("the", "do", "g"), ("|", "−"))
    >>> [tuple(piece) for piece in align_pieces(differences, 9)[0]]
    [('the', '+', False), ('do', ' ', False), ('g', '', False)]
    >>> align_pieces([Difference((), ())], 9)  # a blank utterance
    [[]]
    """
    pieces: list[list[MarkedText]] = [[] for _ in differences]
    # All predictions have the same units, and are cut after the same ones, so that they share the text of a piece.
    first_difference, *_ = differences
    separator = first_difference.separator
    units_of_piece: list[str] = []
    # `units` is one unit, as each prediction has it: with the same text, and with the mark after it in this prediction.
    for units in zip(*(difference.units() for difference in differences), strict=True):
        first_unit, *_ = units
        units_of_piece.append(first_unit.text)
        is_cut = any(unit.mark for unit in units)
        if is_cut:
            text = separator.join(units_of_piece)
            for pieces_of_prediction, unit in zip(pieces, units, strict=True):
                pieces_of_prediction.append(MarkedText(text, unit.mark or " ", unit.is_matched))
            units_of_piece = []
        first_pieces, *_ = pieces
        if len(first_pieces) == count:
            return pieces
    if units_of_piece:
        # The rest of the utterance, after the last mark.
        text = separator.join(units_of_piece)
        for difference, pieces_of_prediction in zip(differences, pieces, strict=True):
            pieces_of_prediction.append(MarkedText(text, "", difference.is_matched[-1]))
    return pieces


class UtteranceDifferences(NamedTuple):
    """An utterance that predictions score with different values."""

    utterance: int  #: its index
    values: list[float]  #: the score of each prediction
    differences: tuple[Difference, ...]  #: the difference of each prediction from the reference


def differ_most(
    sides: Sequence[Side], tallies: Sequence[UtteranceTally], plan: Plan, key: str, most: int
) -> tuple[int, list[UtteranceDifferences]]:
    """Count the utterances on which the predictions of one reference have different scores, and find where these differ most.

    The `most` utterances with the largest range of values of the score `key` are returned, the largest range first. `tallies` has
    the counts of the utterances of each prediction. An utterance that a prediction leaves out is not compared.
    """
    scored_by_all = np.flatnonzero(np.logical_and.reduce([tally.is_scored for tally in tallies]))
    # A row for each of these utterances, and a column for each prediction.
    values = np.stack(
        [np.asarray(tally.per_utterance([key])[key], np.float64)[scored_by_all] for tally in tallies], axis=1
    )
    # A score is undefined where neither side has anything to count: nothing is wrong there, as if the score were 1.
    ranges = np.ptp(np.where(np.isnan(values), 1.0, values), axis=1)
    differing = int((ranges > 0).sum())
    # The utterances of the corpus in the rows 0 2 of `values` are scored_by_all[[0, 2]].
    worst_rows = np.argsort(-ranges, kind="stable")[: min(most, differing)]
    # Without words, as of labels, there is nothing to show.
    if not plan.compares_words or not len(worst_rows):
        return differing, []
    differences = _differences_of_utterances(sides, plan, np.sort(scored_by_all[worst_rows]))
    utterances = []
    for row in worst_rows.tolist():
        utterance = int(scored_by_all[row])
        utterances.append(UtteranceDifferences(utterance, values[row].tolist(), differences[utterance]))
    return differing, utterances


def _differences_of_utterances(
    sides: Sequence[Side], plan: Plan, utterances: Positions
) -> dict[int, tuple[Difference, ...]]:
    """Return the differences of some utterances, which increase, by utterance: one of each prediction."""

    def find(piece: Piece) -> list[tuple[Difference, ...]]:
        """Return the differences of the utterances of a piece that are among these, one of each prediction."""
        numbers_in_pass = np.arange(piece.utterances_before, piece.utterances_before + len(piece))
        is_chosen = np.isin(numbers_in_pass, utterances)
        of_predictions = []
        for side_number in range(1, len(sides)):
            compared = piece.compare(side_number, plan)
            of_predictions.append(differences_at(compared.comparison, compared.good, is_chosen))
        # From a list for each prediction to a tuple for each utterance.
        return list(zip(*of_predictions, strict=True))

    # The pass that tallied has warned of what was left out: this one does not.
    found = chain.from_iterable(map_pieces(sides, find, concludes=False))
    return dict(zip(utterances.tolist(), found, strict=True))
