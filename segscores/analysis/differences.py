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
from typing import NamedTuple, TypeAlias

import numpy as np

from ..kernel.aligned import project_boundaries
from ..kernel.arrays import Mask
from ..kernel.comparison import Comparison
from ..kernel.marks import MATCHED, MISSED, WRONG
from ..kernel.segmentation import select_utterances
from ..reading.sources.source import Side
from ..scoring.map_pieces import map_pieces
from ..scoring.mismatch import compare_segmentations
from ..scoring.piece import Piece
from ..scoring.plan import Plan
from ..scoring.utterance_tally import UtteranceTally

_MARKS = np.array([MATCHED, MISSED, WRONG])

#: A text, the mark after it, and True if it is a word of both sides, or a part of one.
MarkedText: TypeAlias = tuple[str, str, bool]


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
        # The last segment has no mark after it.
        marked = chain.from_iterable(zip(self.segments, self.marks, strict=False))
        return "".join(marked) + "".join(self.segments[-1:])

    @cached_property
    def is_matched(self) -> tuple[bool, ...]:
        """A value per segment, True if the segment is a word on both sides."""
        around = (MATCHED, *self.marks, MATCHED)
        return tuple(around[index] == around[index + 1] == MATCHED for index in range(len(self.segments)))

    def units(self) -> Iterator[MarkedText]:
        """Yield each unit; the mark is empty where no side has a boundary."""
        for segment, mark, is_matched in zip(self.segments, (*self.marks, ""), self.is_matched, strict=False):
            *inner_units, last_unit = segment.split(" ") if self.separator else list(segment)
            yield from ((unit, "", is_matched) for unit in inner_units)
            yield last_unit, mark, is_matched

    def pieces(self, first: int) -> Iterator[MarkedText]:
        """Yield the first segments; the mark after the last of all is empty."""
        return islice(zip(self.segments, (*self.marks, ""), self.is_matched, strict=False), first)

    @property
    def reference(self) -> tuple[tuple[str, bool], ...]:
        """The words of the reference, each with True if the prediction has it."""
        return self._words(MISSED)

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
    ends = np.union1d(reference.word_ends, prediction.word_ends)
    in_reference = np.isin(ends, reference.word_ends, assume_unique=True)
    in_prediction = np.isin(ends, prediction.word_ends, assume_unique=True)
    # The indexes of _MARKS.
    codes = np.where(in_reference & in_prediction, 0, np.where(in_reference, 1, 2))
    marks = iter(_MARKS[codes].tolist())
    text = reference.text.tobytes()
    starts = [0, *ends[:-1].tolist()]
    separator = " " if reference.unit == "token" else ""
    # The last byte of units text is the space after the last unit.
    segments = (text[start : end - len(separator)].decode() for start, end in zip(starts, ends.tolist(), strict=True))
    counts = np.diff(np.searchsorted(ends, reference.utterance_ends, side="right"), prepend=0)
    for count in counts.tolist():
        yield Difference(
            # The end of an utterance is a boundary of both sides, which has no mark.
            segments=tuple(islice(segments, count)),
            marks=tuple(islice(marks, count))[:-1],
            separator=separator,
        )


def differences_at(comparison: Comparison, good: Mask | None, is_chosen: Mask) -> list[Difference]:
    """Return the differences of chosen utterances of a piece; `good` marks those that the comparison has, None if all."""
    comparison = project_boundaries(comparison)
    is_selected = is_chosen if good is None else is_chosen[good]
    reference = select_utterances(comparison.reference, is_selected)
    prediction = select_utterances(comparison.prediction, is_selected)
    return list(differences_of(compare_segmentations(reference, prediction)))


def align_pieces(differences: Sequence[Difference], first: int) -> list[list[MarkedText]]:
    """Return the first pieces of several predictions of one utterance, each as `Difference.pieces`.

    Every prediction is cut where the reference or any prediction has a boundary. Where only other predictions have one, the mark
    is a space.

    >>> differences = Difference(("the", "dog"), ("+",)), Difference(("the", "do", "g"), ("|", "−"))
    >>> align_pieces(differences, 9)[0]
    [('the', '+', False), ('do', ' ', False), ('g', '', False)]
    >>> align_pieces([Difference((), ())], 9)  # a blank utterance
    [[]]
    """
    pieces: list[list[MarkedText]] = [[] for _ in differences]
    texts: list[list[str]] = [[] for _ in differences]
    for units in zip(*(difference.units() for difference in differences), strict=True):
        is_cut = any(mark for _, mark, _ in units)
        for difference, side, text, (unit, mark, is_matched) in zip(differences, pieces, texts, units, strict=True):
            text.append(unit)
            if is_cut:
                side.append((difference.separator.join(text), mark or " ", is_matched))
                text.clear()
        if len(pieces[0]) == first:
            return pieces
    for difference, side, text in zip(differences, pieces, texts, strict=True):
        if text:
            side.append((difference.separator.join(text), "", difference.is_matched[-1]))
    return pieces


class UtteranceDifferences(NamedTuple):
    """An utterance that predictions score with different values."""

    utterance: int  #: its index
    values: list[float]  #: the score of each prediction
    differences: tuple[Difference, ...]  #: the difference of each prediction from the reference


def differ_most(
    sides: Sequence[Side], tallies: Sequence[UtteranceTally], plan: Plan, key: str, most: int
) -> tuple[int, list[UtteranceDifferences]]:
    """Count the utterances that all predictions of one reference score with different values, and find where they differ most.

    The `most` utterances with the largest range of values are returned, the largest range first.
    """
    common = np.flatnonzero(np.logical_and.reduce([tally.is_scored for tally in tallies]))
    values = np.stack([np.asarray(tally.per_utterance([key])[key], np.float64)[common] for tally in tallies], axis=1)
    # A score is undefined where neither side has anything to count: nothing is wrong there.
    spreads = np.ptp(np.where(np.isnan(values), 1.0, values), axis=1)
    differing = int((spreads > 0).sum())
    # These are rows of `values`; the utterances of the corpus are `common[worst]`.
    worst = np.argsort(-spreads, kind="stable")[: min(most, differing)]
    if not plan.compares_words or not len(worst):
        return differing, []
    chosen = np.sort(common[worst])

    def find(piece: Piece) -> list[tuple[Difference, ...]]:
        """Return the differences of the chosen utterances of a piece, one of each prediction."""
        is_chosen = np.isin(np.arange(piece.first, piece.first + len(piece)), chosen)
        of_predictions = []
        for side in range(1, len(sides)):
            both = piece.compare(side, plan)
            of_predictions.append(differences_at(both.comparison, both.good, is_chosen))
        return list(zip(*of_predictions, strict=True))

    # The pass that tallied has said what was left out.
    found = chain.from_iterable(map_pieces(sides, find, concludes=False))
    differences = dict(zip(chosen.tolist(), found, strict=True))
    utterances = []
    for row, index in zip(worst.tolist(), common[worst].tolist(), strict=True):
        utterances.append(UtteranceDifferences(index, values[row].tolist(), differences[index]))
    return differing, utterances
