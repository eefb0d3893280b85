"""Piece: the same utterances of every side, which a thread reads and compares."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, chain, pairwise
from typing import TypeVar

import numpy as np
import pyarrow as pa

from ..kernel.arrays import Mask
from ..kernel.comparison import Comparison
from ..kernel.segmentation import Segmentation, concatenate
from ..options.errors import UtteranceError
from ..options.messages import Message, OptionError, placed
from ..options.table import OPTIONS, WORLDS
from ..reading.form import EMPTY_LISTS, NOTHING, STRINGS, WORD_LISTS, Form
from ..reading.formats.registry import check_form, reader_for, text_reader
from ..reading.inputs import TEXT_APART, WORDS, Column
from ..reading.labels import drop_ignored
from ..reading.layers import layers_of
from ..reading.proposals import Utterances
from ..reading.readers import lines
from ..reading.sources.source import Batch, Side, Values, one_array
from ..reading.trouble import LeftOut, failures
from .mismatch import compare_matching, compare_segmentations
from .observations import Observations
from .plan import Plan
from .streams import Pairing, join_batches

_Read = TypeVar("_Read")


def good_runs(bad: Iterable[int], count: int) -> list[tuple[int, int]]:
    """Return the runs of utterances that are not bad, half-open; the bad ones are in order.

    >>> good_runs([0, 3], 6)
    [(1, 3), (4, 6)]
    """
    return [(before + 1, after) for before, after in pairwise([-1, *bad, count]) if after - before > 1]


@dataclass(frozen=True)
class GoodUtterances:
    """The utterances of a piece that can be scored."""

    comparison: Comparison
    good: Mask | None = None  #: bool (n_utterances,), which utterances of the piece the comparison has; None if all


@dataclass(frozen=True)
class ReadUtterances:
    """The utterances of a piece that can be read on both sides."""

    reference: Segmentation
    prediction: Segmentation
    good: Mask  #: bool (n_utterances,), which utterances of the piece they are
    errors: dict[int, UtteranceError]  #: the errors of the others, by their numbers in the piece


@dataclass(eq=False)
class Piece:
    """The same utterances of every side. Its sides have numbers: 0 is the reference."""

    pairing: Pairing  #: the sources of its utterances
    batches: Sequence[Sequence[Batch]]  #: for each stream of the pairing, the batches that have its utterances
    first: int  #: the number of utterances before it
    observed: Observations  #: the record of reading and comparing it

    @property
    def sides(self) -> Sequence[Side]:
        """The reference, then the predictions."""
        return self.pairing.sides

    @property
    def skips(self) -> bool:
        """True if utterances that cannot be scored are left out."""
        return self.sides[0].reading.skips

    def __len__(self) -> int:
        return self.observed.utterances

    def form(self, number: int) -> Form:
        """Return the form of the values of a side."""
        return Form.of(self._values(number)[0])

    @property
    def reference(self) -> Segmentation:
        """The reference; with `skips`, its utterances that can be read."""
        if not self.skips:
            return self._reference
        parts, _ = self._read_good(lambda piece: piece._reference)
        return concatenate(parts)

    def comparison(self, number: int) -> Comparison:
        """Compare a prediction with the reference; differing units are an error, and so is a world without units."""
        world = self.sides[0].reading.world
        if world:
            problem = f": this counts units, which {WORLDS[world]} do not have."
            raise OptionError(OPTIONS["text_format"].set(world), problem)
        return self._compare(number, compare_segmentations)

    def compare(self, number: int, plan: Plan) -> GoodUtterances:
        """Compare a prediction with the reference; with `skips`, leave out utterances that can't be scored."""
        if self.skips:
            return self._compare_good(number, plan)
        return GoodUtterances(self._compare(number, plan.compare))

    def _compare(self, number: int, compare: Callable[[Segmentation, Segmentation], Comparison]) -> Comparison:
        try:
            return compare(*self.both(number))
        except UtteranceError as error:
            raise error.but(prediction=number) from None

    def _compare_good(self, number: int, plan: Plan) -> GoodUtterances:
        """Compare the utterances that can be read and compared, and note how many others there are, and the first of them.

        The naive equivalent reads and compares every utterance separately, and then the good ones together.
        """
        read = self.read(number)
        good = read.good
        errors = read.errors
        try:
            comparison = plan.compare(read.reference, read.prediction)
        except UtteranceError as error:
            # Only the first utterance whose units differ has an error. One comparison finds them all.
            numbers = np.flatnonzero(good)
            first = int(numbers[error.utterance])
            errors[first] = error.but(utterance=first)
            comparison, has_same_units = compare_matching(read.reference, read.prediction)
            good[numbers[~has_same_units]] = False
        if not errors:
            self.observed.trouble.leave_out(number, LeftOut(0, len(self)))
            return GoodUtterances(comparison)
        place = self.describe(self.tried(errors[min(errors)], number), number)
        self.observed.trouble.leave_out(number, LeftOut(int((~good).sum()), len(self), place))
        return GoodUtterances(comparison, good)

    def read(self, number: int) -> ReadUtterances:
        """Read the reference and a prediction; if utterances may be left out, those that can be read."""
        good = np.ones(len(self), bool)
        if not self.skips:
            try:
                return ReadUtterances(*self.both(number), good, {})
            except UtteranceError as error:
                raise error.but(prediction=number) from None
        parts, errors = self._read_good(lambda piece: piece.both(number))
        reference, prediction = map(concatenate, zip(*parts, strict=True))
        good[list(errors)] = False
        return ReadUtterances(reference, prediction, good, errors)

    def _read_good(self, read: Callable[[Piece], _Read]) -> tuple[list[_Read], dict[int, UtteranceError]]:
        """Read the runs of utterances that can be read; also return the errors of the others, by their numbers in the piece.

        Such utterances are rare, so that the whole piece is read first.
        """

        def error_of(start: int, stop: int) -> UtteranceError | None:
            try:
                read(self.cut(start, stop))
            except UtteranceError as error:
                return error.at(start)
            return None

        try:
            return [read(self)], {}
        except UtteranceError:
            errors = dict(failures(error_of, 0, len(self), fails=True))
        # Without a good utterance there still are segmentations, of the form of the others.
        runs = good_runs(errors, len(self)) or [(0, 0)]
        return [read(self.cut(*run)) for run in runs], errors

    def raw(self, number: int) -> pa.Array:
        """Return a column without decoding it, such as the ids of clusters."""
        arrays = [batch.raw(self.sides[number].column) for batch in self._joined[self.pairing.stream_numbers[number]]]
        if len(arrays) == 1:
            return arrays[0]
        return one_array(pa.chunked_array(arrays))

    def cut(self, start: int, stop: int, observed: Observations | None = None) -> Piece:
        """Return the utterances from `start` to before `stop`, counted in the piece, with its observations or with others."""
        if observed is None and (start, stop) == (0, len(self)):
            return self
        batches: list[list[Batch]] = [[] for _ in self.batches]
        for cut, stream in zip(batches, self.batches, strict=True):
            if start == stop:
                # A batch without utterances is read in the form of the others.
                cut.append(stream[0].cut(0, 0))
            for before, batch in zip(accumulate(map(len, stream), initial=0), stream, strict=False):
                if before < stop and start < before + len(batch):
                    cut.append(batch.cut(max(start - before, 0), min(stop - before, len(batch))))
        observed = replace(observed or self.observed, utterances=stop - start)
        return replace(self, batches=batches, first=self.first + start, observed=observed)

    @cached_property
    def _reference(self) -> Segmentation:
        side = self.sides[0]
        values = self._values(0)
        if side.reading.ignore_index is not None:
            values = [*drop_ignored([_one_column(values, side)], side.reading.ignore_index)]
        return self._segment(values, 0)

    def both(self, number: int) -> tuple[Segmentation, Segmentation]:
        """Return the reference and a prediction; an `UtteranceError` counts in the piece."""
        ignore_index = self.sides[0].reading.ignore_index
        if ignore_index is None:
            reference = self._reference
            prediction = self._segment(self._values(number), number)
        else:
            # The labels of the reference say which positions are ignored on both sides.
            columns = [_one_column(self._values(side), self.sides[side]) for side in (0, number)]
            left, right = drop_ignored(columns, ignore_index)
            reference = self._segment([left], 0)
            prediction = self._segment([right], number)
        self.observed.trouble.forms.check(self.sides)
        if reference.unit != prediction.unit:
            units = f"the reference is read in units of one {reference.unit}, the prediction in units of one"
            problem = f"{units} {prediction.unit}: expected the same form on both sides."
            raise ValueError(f"{self._places(number, 0)}: {problem}")
        return reference, prediction

    def _values(self, number: int) -> list[Values]:
        """Decode the values of a side; as a rule they are one block or column."""
        side = self.sides[number]
        decoded: list[Values] = []
        before = 0
        for batch in self._joined[self.pairing.stream_numbers[number]]:
            row = self.first + before
            try:
                values = batch.decode(side.column, side.role, row)
            except UtteranceError as error:
                raise error.at(before, side.role) from None
            except TypeError as error:
                if not side.is_file:
                    raise
                problem = str(error).removeprefix(f"{side.role}: ")
                raise TypeError(f"{self._place(number, before)[0]}: {problem}") from None
            self.observed.trouble.look_at(number, side, values, row)
            decoded.append(values)
            before += len(batch)
        return decoded

    def _segment(self, decoded: Sequence[Values], number: int) -> Segmentation:
        side = self.sides[number]
        segmentations: list[Segmentation] = []
        before = 0
        for values in decoded:
            try:
                segmentations.append(_read(values, side))
            except UtteranceError as error:
                raise error.at(before, side.role) from None
            except (TypeError, ValueError) as error:
                if not side.is_file:
                    raise
                raise placed(error, self._place(number, before)[0]) from None
            first_unit = segmentations[0].unit
            unit = segmentations[-1].unit
            if unit != first_unit:
                first, other = (", ".join(self._place(number, utterance)) for utterance in (0, before))
                received = f"mixed forms: units of one {first_unit} in the first, of one {unit} in the second"
                raise ValueError(f"{first} and {other}: {received}; expected the same form everywhere.")
            before += len(segmentations[-1].utterance_ends)
        if len(segmentations) == 1:
            return segmentations[0]
        return concatenate(segmentations)

    @cached_property
    def _joined(self) -> list[list[Batch]]:
        return [join_batches(batches) for batches in self.batches]

    def describe(self, error: UtteranceError, number: int, *, briefly: bool = False) -> str:
        """Return the error of an utterance with its place; `briefly` omits the names of single files."""
        side = self.sides[number]
        if not side.is_file:
            return error.at(self.first).message
        if error.side or not number:
            place = self._place(number if error.side == side.role else 0, error.utterance)
            return Message(", ".join(place), ": ", error.detail)
        return Message(self._places(number, error.utterance, briefly=briefly), ": ", error.detail)

    def tried(self, error: UtteranceError, number: int) -> UtteranceError:
        """Return the error of an utterance with the first of its hints with which both sides have the same units."""
        side = self.sides[number]
        is_of_units = number and not error.side
        if not is_of_units or not (error.proposals or side.remedy):
            return error
        sides = (self.sides[0], side)
        if any(one.reader for one in sides):
            # A tokenizer or a parser of documents reads it, whatever the options of text are.
            return error.but(hint=side.remedy or error.hint)
        row = self.cut(error.utterance, error.utterance + 1)
        values = [row.raw(at).to_pylist() for at in (0, number)]
        utterances = Utterances(values[0], values[1], (sides[0].reading, side.reading))
        if side.remedy and self._remedies(utterances, number):
            return error.but(hint=side.remedy, proposals=())
        for proposal in error.proposals:
            if utterances.agree_with(proposal):
                return error.but(hint=proposal, proposals=())
        # Where nothing makes them equal, the forms of the files show another difference, whose own hint is tried then.
        return error.but(hint=side.remedy, proposals=())

    def _remedies(self, utterances: Utterances, number: int) -> bool:
        """Return whether the remedy of a side makes both sides have the same units, as far as that can be tried."""
        reference = self.sides[0].remedy_reading
        prediction = self.sides[number].remedy_reading
        if reference is None or prediction is None:
            return True
        return replace(utterances, readings=(reference, prediction)).agree()

    def _places(self, number: int, utterance: int, *, briefly: bool = False) -> str:
        """Return the places of an utterance in the reference and a prediction; one number if two single files agree in it."""
        name, where = self._place(0, utterance)
        other_name, other_where = self._place(number, utterance)
        are_single = all(len(self.sides[side].sources) == 1 for side in (0, number))
        if not (are_single and where == other_where):
            return f"{name}, {where} and {other_name}, {other_where}"
        if briefly:
            return where
        return f"{name} and {other_name}, {where}"

    def _place(self, number: int, utterance: int) -> tuple[str, str]:
        """Return the name of a side's source, and the place of an utterance of the piece in it."""
        source, index = self.pairing.find(number, self.first + utterance)
        if source.paths:
            return source.paths[index], source.where(index)
        return source.label(self.sides[number].column), source.where(index)


def _one_column(decoded: Sequence[Values], side: Side) -> Column:
    columns: list[Column] = [values for values in decoded if not isinstance(values, bytes)]
    if len(columns) < len(decoded):
        check_form(STRINGS, side.reading)
    arrays = chain.from_iterable(column.chunks for column in columns)
    return pa.chunked_array([*arrays], columns[0].type)


def _read(values: Values, side: Side) -> Segmentation:
    form = Form.of(values)
    check_form(form, side.reading)
    if isinstance(values, bytes):
        segmentation = (side.reader or text_reader(side.reading))(values)
    elif side.recording_reader:
        return side.recording_reader(one_array(values))
    elif side.reader and form == STRINGS:
        segmentation = side.reader(lines(one_array(values)))
    elif side.reader and form == WORD_LISTS:
        raise TypeError(f"lists of words {TEXT_APART}")
    else:
        read = reader_for(form, side.reading)
        if form in (EMPTY_LISTS, NOTHING):
            # Empty lists and missing values have no type of their own.
            values = values.cast(WORDS)
        segmentation = read(one_array(values))
    for layer in layers_of(side.reading):
        layer.check(segmentation, "" if side.is_file else f"{side.role}: ")
    for stage in side.stages:
        segmentation = stage(segmentation)
    return segmentation
