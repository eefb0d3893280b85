"""Trouble: what is wrong with utterances, from the form of the text to what is left out, and what is said about it.

While the utterances of a corpus are read, the `Trouble` of each piece collects signs. Trouble of pieces is added up in their
order. The code that reads and counts writes no message, unless there is trouble: `failures` finds the utterances with errors,
and `Trouble.conclude` has the checks and warnings at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeVar

from ..kernel.segmentation import Segmentation
from ..options.errors import FileError, warn
from ..options.messages import Message
from .absent_marks import doubts_of_absent_marks
from .doubts import doubts_of, doubts_of_conflicts, doubts_of_ends, doubts_of_forms
from .form import Form
from .inputs import TEXT, WORDS, Column
from .item_signs import ItemSigns
from .label_hints import doubt_of_labels
from .list_doubts import doubts_of_lists
from .listed_words import ListedWords
from .missing_boundaries import BoundarySigns
from .moved_labels import MovedLabels
from .odd_utterances import OddUtterances, doubt_of_boundaries, lack_boundaries
from .reading import Reading
from .side_ends import SideEnds
from .sources.forms import Forms
from .sources.source import Side, Values

Error = TypeVar("Error", bound=Exception)


def failures(
    error_of: Callable[[int, int], Error | None], start: int, stop: int, *, fails: bool = False
) -> Iterator[tuple[int, Error]]:
    """Yield the index of each utterance from `start` to before `stop` that has an error, and the error, in order.

    `error_of(i, j)` returns an error of the utterances from i to before j, or None; `fails` says that the whole range is known to
    have one. The naive equivalent calls `error_of(i, i + 1)` for each utterance. Bisection takes few calls for few errors: one
    among n utterances is found in at most 2 log2(n) + 1 calls.

    >>> list(failures(lambda i, j: ValueError(f"{i} to {j}") if i <= 3 < j else None, 0, 10))
    [(3, ValueError('3 to 4'))]

    If `error_of` ignores i, and so looks at all utterances before j, the first index is that of the utterance that adds an error.
    This utterance need not have an error alone: it may have another form than those before.

    >>> next(failures(lambda _, j: ValueError(f"up to {j}") if j > 3 else None, 0, 10))
    (3, ValueError('up to 4'))
    """
    is_single = stop - start == 1
    # A range that is known to have an error is halved at once; a single utterance is asked all the same, for the error itself.
    if is_single or not fails:
        error = error_of(start, stop)
        if error is None:
            return
        if is_single:
            yield start, error
            return
    middle = (start + stop) // 2
    # If the first half has no error, the second one has: it need not be asked as a whole.
    fails_before = False
    for failure in failures(error_of, start, middle):
        fails_before = True
        yield failure
    yield from failures(error_of, middle, stop, fails=not fails_before)


@dataclass
class LeftOut:
    """The utterances of a prediction that were left out because they cannot be scored."""

    utterances: int = 0
    total: int = 0
    first: str = ""  #: the place and the problem of the first one; empty if there is none

    def add(self, other: LeftOut) -> None:
        """Add the utterances that were left out of the next piece of the corpus."""
        self.utterances += other.utterances
        self.total += other.total
        self.first = self.first or other.first

    def check(self, name: str = "") -> None:
        """Check that not all utterances were left out; `name` is of the prediction, or empty."""
        if self.utterances and self.utterances == self.total:
            start = f"{name}: " if name else ""
            problem = f"none of the {self.total} utterances can be scored."
            raise ValueError(Message(start, problem, " The first problem: " if self.first else "", self.first))

    def warn(self, name: str) -> None:
        """Warn of the utterances that were left out, if there are any; `name` is of the prediction, or empty."""
        if self.utterances:
            start = f"{self.utterances} of {self.total} utterances could not be scored and were left out. The first is "
            warn(Message(f"{name}: " if name else "", start, self.first))


class Trouble:
    """The problems of the utterances of a piece or a corpus.

    Attributes:
        forms: the form of the values of each side.
        left_out: the utterances that were left out, by the number of a prediction.
        listed_words: the signs that the words of a list have another form in the reference.
        item_signs: the signs that the items of lists are tags.
        boundary_signs: the signs that strings have another mark between words than their format.
    """

    def __init__(self, reading: Reading) -> None:
        self.forms = Forms()
        self.left_out: dict[int, LeftOut] = {}
        self.listed_words = ListedWords()
        self.item_signs = ItemSigns(reading)
        self.boundary_signs = BoundarySigns(reading)
        #: The first and the last values of each side.
        self._ends: dict[int, SideEnds] = {}
        #: Signs that utterances of the reference are missing values, or single characters.
        self._odd: OddUtterances | None = None
        #: The predictions that, as the reference, have no boundary within an utterance.
        self._without_boundaries: list[str] = []
        #: The doubt about the labels of each side that has one, by its name.
        self._doubts_of_labels: dict[str, Message] = {}
        self._text_format = reading.text_format

    def look_at(self, side_number: int, side: Side, values: Values, first_utterance: int) -> None:
        """Collect the form of a piece of a side, and signs of trouble in it. `first_utterance` is the number of its first value.

        Lines of files have no signs to look for: `sources.recognition` has looked at the beginning of each file.
        """
        self.forms.add(side_number, side, Form.of(values), first_utterance)
        self._add_ends(side_number, SideEnds.of(values, is_first=first_utterance == 0))
        if isinstance(values, bytes):
            return
        # A prediction may have any label where that of the reference is ignored, as at padding.
        has_ignored = side_number != 0 and side.reading.ignore_index is not None
        if first_utterance == 0 and not has_ignored:
            self._look_at_labels(side, values, is_reference=side_number == 0)
        # The signs are of the format that all sides have: a tokenizer, or a side with a format of its own, reads otherwise.
        if side.has_own_reader or side.reading.text_format != self._text_format:
            return
        if values.type == WORDS:
            self.item_signs.collect(values)
        elif values.type == TEXT:
            self.boundary_signs.collect(values)

    def look_at_utterances(self, reference: Segmentation, first_utterance: int) -> None:
        """Collect what utterances of the reference show, of which the first has this number."""
        self._add_odd(OddUtterances.of(reference, first_utterance))

    def look_at_pair(self, side: Side, reference: Segmentation, prediction: Segmentation) -> None:
        """Collect the doubts about a prediction beside the reference, by the first utterances: no boundaries, or moved labels."""
        if lack_boundaries(reference) and lack_boundaries(prediction):
            self._without_boundaries.append(side.name or f"the {side.role}")
        moved = MovedLabels.of(reference, prediction)
        if moved is not None:
            self._doubts_of_labels.setdefault(side.name or f"the {side.role}", moved.doubt())

    def _add_odd(self, odd: OddUtterances | None) -> None:
        """Add what the next utterances of the reference show; None stands for none."""
        if odd is not None:
            self._odd = odd if self._odd is None else self._odd.with_next(odd)

    def _look_at_labels(self, side: Side, values: Column, *, is_reference: bool) -> None:
        """Collect the doubt whether the first labels of a side mark starts or ends; there is none if they are no labels."""
        doubt = doubt_of_labels(values, side.reading, is_reference=is_reference)
        if doubt is not None:
            self._doubts_of_labels[side.name or f"the {side.role}"] = doubt

    def _add_ends(self, side_number: int, ends: SideEnds) -> None:
        """Add the ends of the next piece of a side."""
        before = self._ends.get(side_number)
        self._ends[side_number] = ends if before is None else before.with_next(ends)

    def leave_out(self, number: int, left_out: LeftOut) -> None:
        """Note the utterances of a piece that were left out of a comparison with a prediction, by its number."""
        self.left_out[number] = left_out

    def add(self, other: Trouble, sides: Sequence[Side]) -> None:
        """Add the trouble of the next piece; another form than before is an error."""
        # In the order of their utterances, so that the error is of the first one with another form.
        for number in sorted(other.forms, key=lambda side_number: other.forms[side_number].since):
            noted = other.forms[number]
            self.forms.add(number, sides[number], noted.form, noted.since)
        for number, left_out in other.left_out.items():
            self.left_out.setdefault(number, LeftOut()).add(left_out)
        self.listed_words.add(other.listed_words)
        for number, ends in other._ends.items():
            self._add_ends(number, ends)
        self._without_boundaries += other._without_boundaries
        self._add_odd(other._odd)
        # The first one of the doubts about a side is kept.
        self._doubts_of_labels = other._doubts_of_labels | self._doubts_of_labels
        self.item_signs.add(other.item_signs)
        self.boundary_signs.add(other.boundary_signs)

    def conclude(self, sides: Sequence[Side], utterances: int, *, is_part: bool = False) -> None:
        """Check that something was scored, and warn of what was left out, and of options that seem wrong.

        All utterances may be left out of a part of a corpus, and a part need not have the words of a list as the others do.
        """
        if not utterances:
            raise _nothing(sides[0])
        # A message names the prediction. The place of an utterance of a file has the name of the file already.
        names = {number: "" if sides[number].is_file else sides[number].name for number in self.left_out}
        if not is_part:
            for number, left_out in self.left_out.items():
                left_out.check(names[number])
            for doubt in self.listed_words.doubts():
                warn(doubt)
        first_lines = self._first_lines()
        first_lists = self._first_lists()
        of_boundaries = self.boundary_signs.warning([*chain.from_iterable(first_lines.values())])
        if of_boundaries is not None:
            warn(of_boundaries)
        last_lines = {number: ends.last_lines for number, ends in self._ends.items()}
        doubts = [
            *doubts_of_conflicts([number for number, ends in self._ends.items() if ends.has_conflict], sides),
            *doubts_of(first_lines, sides),
            *doubts_of_lists(first_lists, sides),
            *doubts_of_absent_marks(first_lines, first_lists, sides),
            *doubts_of_ends(first_lines, last_lines, sides),
        ]
        if self._odd is not None:
            place = _place_of(self._odd.first_missing, sides[0])
            doubts += self._odd.doubts(*place, has_other_doubts=bool(doubts))
        if self._without_boundaries and not doubts:
            doubts.append(doubt_of_boundaries(sides[0].name or "the references", self._without_boundaries[0]))
        for doubt in doubts:
            warn(doubt)
        for name, doubt in self._doubts_of_labels.items():
            warn(Message(f"{name}: ", doubt))
        for number, left_out in self.left_out.items():
            left_out.warn(names[number])

    def doubt_of_form(self, sides: Sequence[Side], *, may_be_weak: bool) -> Message | None:
        """Return the first doubt that values have another form than the one they are read in; None if there is none."""
        of_strings = doubts_of_forms(self._first_lines(), sides, may_be_weak=may_be_weak)
        return next(chain(of_strings, doubts_of_lists(self._first_lists(), sides)), None)

    def _first_lines(self) -> dict[int, list[str]]:
        """Return the first lines of each side, by its number."""
        return {number: ends.first_lines for number, ends in self._ends.items()}

    def _first_lists(self) -> dict[int, list[list[str]]]:
        """Return the first lists of words of each side, by its number."""
        return {number: ends.first_lists for number, ends in self._ends.items()}

    @property
    def skipped(self) -> list[int]:
        """The number of utterances that were left out of each prediction, in order; empty if none may be."""
        return [left_out.utterances for _, left_out in sorted(self.left_out.items())]


def _place_of(utterance: int, side: Side) -> tuple[str, str]:
    """Return the name of a side, and the place of an utterance, such as "line 3"."""
    source = side.first_source
    place = f"utterance {utterance}"
    if source.is_file and len(side.sources) == 1:
        place = f"{source.noun} {utterance + source.first_number}"
    return side.name or f"the {side.role}", place


def _nothing(reference: Side) -> ValueError:
    """Return the error of a reference without an utterance."""
    source = reference.first_source
    if source.is_file:
        name = reference.name or source.label(reference.column)
        return FileError(f"{name}: the file has no {source.noun}; expected at least one.")
    return ValueError(f"there is nothing to score: expected at least one {source.noun}, received none.")
