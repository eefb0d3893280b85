"""Piece: the same utterances of every side, which a thread reads and compares."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, pairwise
from typing import NamedTuple, TypeVar

import numpy as np
import pyarrow as pa

from ..kernel.arrays import Mask
from ..kernel.comparison import Comparison
from ..kernel.record import record
from ..kernel.segmentation import Segmentation, concatenate
from ..options.errors import UtteranceError
from ..options.messages import Message, placed
from ..reading.form import EMPTY_LISTS, NOTHING, STRINGS, WORD_LISTS, Form
from ..reading.formats.registry import check_form, reader_for, text_reader
from ..reading.inputs import TEXT_APART, WORDS, Column
from ..reading.labels import drop_ignored
from ..reading.layers import layers_of
from ..reading.proposals import Utterances, settings_in, with_other_scores
from ..reading.readers import lines
from ..reading.sources.source import Batch, Side, Values, one_array
from ..reading.trouble import LeftOut, failures
from ..reading.world import check_counts_units
from .mismatch import compare_matching, compare_segmentations
from .observations import Observations
from .plan import Plan
from .streams import REFERENCE, Pairing, join_batches

_Read = TypeVar("_Read")
#: The first utterances of a piece with which hints are tried too.
_LOOKED_AT = 64


def good_runs(bad: Iterable[int], count: int) -> list[tuple[int, int]]:
    """Return the runs of `count` utterances that are not bad, half-open; the bad ones are in order.

    >>> good_runs([0, 3], 6)
    [(1, 3), (4, 6)]
    """
    # A run lies between two neighbours of -1, 0, 3, 6 that are not next to each other.
    return [
        (bad_before + 1, bad_after)
        for bad_before, bad_after in pairwise([-1, *bad, count])
        if bad_after - bad_before > 1
    ]


@record
class GoodUtterances:
    """The utterances of a piece that can be scored."""

    comparison: Comparison
    good: Mask | None = None  #: bool (n_utterances,), which utterances of the piece the comparison has; None if all


@record
class ReadUtterances:
    """The utterances of a piece that can be read on both sides."""

    reference: Segmentation
    prediction: Segmentation
    good: Mask  #: bool (n_utterances,), which utterances of the piece they are
    errors: dict[int, UtteranceError]  #: the errors of the others, by their numbers in the piece


@dataclass(eq=False)
class Piece:
    """The same utterances of every side. A side has a number: REFERENCE is 0, and 1 is the first prediction.

    Utterances count from 0 in the piece, and in the whole pass: utterance 2 of a piece is number 102 there if
    100 are before it.
    """

    pairing: Pairing  #: the sources of its utterances
    batches: Sequence[Sequence[Batch]]  #: for each stream of the pairing, the batches that have its utterances
    utterances_before: int  #: the number of utterances before it, in the pass
    observed: Observations  #: the record of reading and comparing it

    @property
    def sides(self) -> Sequence[Side]:
        """The reference, then the predictions."""
        return self.pairing.sides

    @property
    def skips(self) -> bool:
        """True if utterances that cannot be scored are left out."""
        return self.sides[REFERENCE].reading.skips

    def __len__(self) -> int:
        return self.observed.utterances

    def form(self, side_number: int) -> Form:
        """Return the form of the first values of a side."""
        first_values, *_ = self._values(side_number)
        return Form.of(first_values)

    @property
    def reference(self) -> Segmentation:
        """The reference; with `skips`, its utterances that can be read."""
        if not self.skips:
            return self._reference
        references_of_runs, _errors = self._read_good(lambda piece: piece._reference)
        return concatenate(references_of_runs)

    def comparison(self, side_number: int) -> Comparison:
        """Compare a prediction with the reference; differing units are an error, and so is a world without units."""
        check_counts_units(self.sides[REFERENCE].reading)
        return self._compare(side_number, compare_segmentations)

    def compare(self, side_number: int, plan: Plan) -> GoodUtterances:
        """Compare a prediction with the reference; with `skips`, leave out utterances that can't be scored."""
        if self.skips:
            compared = self._compare_good(side_number, plan)
        else:
            compared = GoodUtterances(self._compare(side_number, plan.compare))
        if plan.ignored_words is not None:
            self.observed.trouble.listed_words.add(plan.ignored_words.look_at(compared.comparison.reference))
        return compared

    def _compare(self, side_number: int, compare: Callable[[Segmentation, Segmentation], Comparison]) -> Comparison:
        """Compare a prediction with the reference by a function; an error has the number of the prediction."""
        try:
            return compare(*self.read_both(side_number))
        except UtteranceError as error:
            raise error.but(prediction=side_number) from None

    def _compare_good(self, side_number: int, plan: Plan) -> GoodUtterances:
        """Compare the utterances that can be read and compared, and note how many others there are, and the first of them.

        The naive equivalent reads and compares every utterance separately, and then the good ones together.
        """
        read = self.read(side_number)
        good = read.good
        errors = read.errors
        try:
            comparison = plan.compare(read.reference, read.prediction)
        except UtteranceError as error:
            # The error is of the first utterance whose units differ; `compare_matching` finds the others. Both count only the
            # utterances that can be read, while `errors` and `good` count all of the piece. If 1, 2 and 4 can be read, their
            # indices are 0, 1 and 2: the index 2 is the utterance 4.
            numbers_in_piece = np.flatnonzero(good)
            differing = int(numbers_in_piece[error.utterance])
            errors[differing] = error.but(utterance=differing)
            comparison, has_same_units = compare_matching(read.reference, read.prediction)
            good[numbers_in_piece[~has_same_units]] = False
        if not errors:
            # The pass counts all utterances of which some may be left out, so a piece without one is noted too.
            self.observed.trouble.leave_out(side_number, LeftOut(utterances=0, total=len(self)))
            return GoodUtterances(comparison)
        first_error = errors[min(errors)]
        first_problem = self.describe(self.with_tried_hint(first_error, side_number), side_number)
        left_out = LeftOut(utterances=int((~good).sum()), total=len(self), first=first_problem)
        self.observed.trouble.leave_out(side_number, left_out)
        return GoodUtterances(comparison, good)

    def read(self, side_number: int) -> ReadUtterances:
        """Read the reference and a prediction; if utterances may be left out, those that can be read."""
        good = np.ones(len(self), bool)
        if not self.skips:
            try:
                reference, prediction = self.read_both(side_number)
            except UtteranceError as error:
                raise error.but(prediction=side_number) from None
            return ReadUtterances(reference, prediction, good, errors={})
        both_of_runs, errors = self._read_good(lambda piece: piece.read_both(side_number))
        reference = concatenate([reference_of_run for reference_of_run, _ in both_of_runs])
        prediction = concatenate([prediction_of_run for _, prediction_of_run in both_of_runs])
        good[list(errors)] = False
        return ReadUtterances(reference, prediction, good, errors)

    def _read_good(self, read: Callable[[Piece], _Read]) -> tuple[list[_Read], dict[int, UtteranceError]]:
        """Read the runs of utterances that can be read; also return the errors of the others, by their numbers in the piece.

        Utterances that cannot be read are rare, so that the whole piece is tried first. `read` reads the piece, or a run of it.
        """

        def error_of(start: int, stop: int) -> UtteranceError | None:
            """Return the error of the first utterance from `start` to before `stop` that cannot be read; None if all can."""
            try:
                read(self.cut(start, stop))
            except UtteranceError as error:
                return error.at(start)
            return None

        try:
            return [read(self)], {}
        except UtteranceError:
            # `fails`: the whole fails, and need not be tried again.
            errors = dict(failures(error_of, start=0, stop=len(self), fails=True))
        # Without a good utterance, read the empty run from 0 to before 0: a segmentation without utterances, of the form that
        # other pieces have.
        runs = good_runs(errors, len(self)) or [(0, 0)]
        return [read(self.cut(start, stop)) for start, stop in runs], errors

    def raw(self, side_number: int) -> pa.Array:
        """Return a column without decoding it, such as the ids of clusters."""
        arrays = [batch.raw(self.sides[side_number].column) for batch in self._batches_of(side_number)]
        if len(arrays) == 1:
            return arrays[0]
        return one_array(pa.chunked_array(arrays))

    def cut(self, start: int, stop: int, observed: Observations | None = None) -> Piece:
        """Return the utterances from `start` to before `stop`, counted in the piece.

        What is observed of them is noted in the record of the piece, or in `observed` in place of it.
        """
        is_whole = (start, stop) == (0, len(self))
        if observed is None and is_whole:
            return self  # another piece would read its reference again
        batches = [_cut_batches(batches_of_stream, start, stop) for batches_of_stream in self.batches]
        observed = replace(observed or self.observed, utterances=stop - start)
        return replace(self, batches=batches, utterances_before=self.utterances_before + start, observed=observed)

    @cached_property
    def _reference(self) -> Segmentation:
        """The reference, all of whose utterances have to be read."""
        side = self.sides[REFERENCE]
        values = self._values(REFERENCE)
        if side.reading.ignore_index is not None:
            # The labels of the reference say themselves which positions are ignored.
            values = [*drop_ignored([_one_column(values, side)], side.reading.ignore_index)]
        return self._segment(values, REFERENCE)

    def read_both(self, side_number: int) -> tuple[Segmentation, Segmentation]:
        """Return the reference and a prediction; an `UtteranceError` counts in the piece."""
        ignore_index = self.sides[REFERENCE].reading.ignore_index
        if ignore_index is None:
            reference = self._reference
            prediction = self._segment(self._values(side_number), side_number)
        else:
            # The labels of the reference say which positions are ignored on both sides.
            columns = [_one_column(self._values(number), self.sides[number]) for number in (REFERENCE, side_number)]
            reference_labels, prediction_labels = drop_ignored(columns, ignore_index)
            reference = self._segment([reference_labels], REFERENCE)
            prediction = self._segment([prediction_labels], side_number)
        # Reading has noted the forms. An error of sides whose forms do not pair explains more than one of their units.
        self.observed.trouble.forms.check(self.sides)
        if reference.unit != prediction.unit:
            units = f"the reference is read in units of one {reference.unit}, the prediction in units of one"
            problem = f"{units} {prediction.unit}: expected the same form on both sides."
            raise ValueError(f"{self._places(side_number, utterance=0)}: {problem}")
        if self.utterances_before == 0:
            self.observed.trouble.look_at_pair(self.sides[side_number], reference, prediction)
        return reference, prediction

    def _values(self, side_number: int) -> list[Values]:
        """Decode the values of a side; as a rule they are one block or column."""
        side = self.sides[side_number]
        decoded: list[Values] = []
        batch_start = 0  # the number, in the piece, of the first utterance of the batch
        for batch in self._batches_of(side_number):
            number_in_pass = self.utterances_before + batch_start  # for a TypeError, which is shown as it is
            try:
                values = batch.decode(side.column, side.role, number_in_pass)
            except UtteranceError as error:
                # It counts in the batch; callers expect the number in the piece.
                raise error.at(batch_start, side.role) from None
            except TypeError as error:
                if not side.is_file:
                    raise  # it names the side, and values have no other place
                # A message about a file begins with the name of the file, not with the side.
                problem = str(error).removeprefix(f"{side.role}: ")
                raise TypeError(f"{self._place(side_number, batch_start).name}: {problem}") from None
            self.observed.trouble.look_at(side_number, side, values, number_in_pass)
            decoded.append(values)
            batch_start += len(batch)
        return decoded

    def _segment(self, decoded: Sequence[Values], side_number: int) -> Segmentation:
        """Read the decoded values of a side, and join their segmentations."""
        side = self.sides[side_number]
        segmentations: list[Segmentation] = []
        batch_start = 0  # the number, in the piece, of the first utterance of the batch
        for values in decoded:
            try:
                segmentation = _read(values, side)
            except UtteranceError as error:
                # It counts in the batch; callers expect the number in the piece.
                raise error.at(batch_start, side.role) from None
            except (TypeError, ValueError) as error:
                if not side.is_file:
                    raise  # values have no place to name
                raise placed(error, self._place(side_number, batch_start).name) from None
            if side_number == 0:
                self.observed.trouble.look_at_utterances(segmentation, self.utterances_before + batch_start)
            segmentations.append(segmentation)
            first_unit = segmentations[0].unit
            if segmentation.unit != first_unit:
                first_place = self._place(side_number, utterance=0).text
                second_place = self._place(side_number, batch_start).text
                received = (
                    f"mixed forms: units of one {first_unit} in the first, of one {segmentation.unit} in the second"
                )
                raise ValueError(f"{first_place} and {second_place}: {received}; expected the same form everywhere.")
            batch_start += len(segmentation.utterance_ends)
        if len(segmentations) == 1:
            return segmentations[0]
        return concatenate(segmentations)

    def _batches_of(self, side_number: int) -> list[Batch]:
        """Return the batches that have the utterances of a side; sides of the same sources share a stream."""
        return self._joined[self.pairing.stream_numbers[side_number]]

    @cached_property
    def _joined(self) -> list[list[Batch]]:
        """For each stream of the pairing, its batches, joined where they can be."""
        return [join_batches(batches) for batches in self.batches]

    def describe(self, error: UtteranceError, side_number: int, *, briefly: bool = False) -> str:
        """Return the error of an utterance with its place; `briefly` omits the names of single files.

        `side_number` is the prediction that is compared, or 0 if the reference alone is read. `error.side` is the role of the
        side to blame, empty if both are. An example is "gold.txt and system.txt, line 3: the units differ".
        """
        side = self.sides[side_number]
        if not side.is_file:
            # Values have no place but their index: "utterance 2: the units differ".
            return error.at(self.utterances_before).message
        if error.side == side.role:
            place = self._place(side_number, error.utterance).text
        elif error.side or side_number == REFERENCE:
            # The reference is to blame, or there is no prediction.
            place = self._place(REFERENCE, error.utterance).text
        else:
            place = self._places(side_number, error.utterance, briefly=briefly)
        return Message(place, ": ", error.detail)

    def with_tried_hint(self, error: UtteranceError, side_number: int, around: Piece | None = None) -> UtteranceError:
        """Return the error of an utterance with the first of its hints with which both sides have the same units.

        The hints are the remedy of the prediction, such as another format of its file, then the proposals of the error. One that
        makes the first utterances `around` equal too comes before the others.
        """
        reference = self.sides[REFERENCE]
        side = self.sides[side_number]
        # An error that names no side of a pair is one of units that differ.
        is_of_units = side_number != REFERENCE and not error.side
        has_hints = error.proposals or side.remedy
        if not is_of_units or not has_hints:
            return error
        if reference.has_own_reader or side.has_own_reader:
            # A tokenizer or a parser of documents reads the text, whatever its options are: a proposal of options changes
            # nothing.
            return error.but(hint=side.remedy or error.hint)
        utterances = self._received(side_number, error.utterance, error.utterance + 1)
        if side.remedy and self._may_remedy(utterances, side_number):
            return error.but(hint=side.remedy, proposals=())
        fitting = [proposal for proposal in error.proposals if utterances.agree_with(proposal)]
        of_options = [proposal for proposal in fitting if settings_in(proposal)]
        if around is not None and len(around) > 1 and of_options:
            fitting = around._fitting_first_ones(of_options, side_number) or fitting
        if fitting:
            return error.but(hint=with_other_scores(fitting[0], reference.reading.scores), proposals=())
        # Nothing makes the units equal. The remedy, if there is one, comes first all the same: the file looks like another
        # format. Read in this format, the utterance still differs, and gets the hint for that.
        return error.but(hint=side.remedy, proposals=())

    def _received(self, side_number: int, start: int, stop: int) -> Utterances:
        """Return utterances of the reference and a prediction as they were received."""
        part = self.cut(start, stop)
        readings = (self.sides[REFERENCE].reading, self.sides[side_number].reading)
        return Utterances(part.raw(REFERENCE).to_pylist(), part.raw(side_number).to_pylist(), readings)

    def _fitting_first_ones(self, proposals: Sequence[str], side_number: int) -> list[str]:
        """Return the proposals with which the first utterances have the same units; none if one of these can't be read."""
        try:
            first_ones = self._received(side_number, 0, min(len(self), _LOOKED_AT))
        except UtteranceError:
            return []
        return [proposal for proposal in proposals if first_ones.agree_with(proposal)]

    def _may_remedy(self, utterances: Utterances, side_number: int) -> bool:
        """Return whether both sides have the same units if the remedies are followed; True if that cannot be tried."""
        reference = self.sides[REFERENCE].remedy_reading
        prediction = self.sides[side_number].remedy_reading
        if reference is None or prediction is None:
            # A remedy that is no option, such as to convert a file, cannot be tried: it is written as it is.
            return True
        return replace(utterances, readings=(reference, prediction)).agree()

    def _places(self, side_number: int, utterance: int, *, briefly: bool = False) -> str:
        """Return the places of an utterance in the reference and a prediction; one number if two single files agree in it.

        Examples are "gold.txt and system.txt, line 3", briefly "line 3", and "gold.txt, line 3 and system-2.txt, line 1".
        """
        reference = self._place(REFERENCE, utterance)
        prediction = self._place(side_number, utterance)
        are_single = all(len(self.sides[number].sources) == 1 for number in (REFERENCE, side_number))
        if not are_single or reference.where != prediction.where:
            return f"{reference.text} and {prediction.text}"
        if briefly:
            return reference.where
        return f"{reference.name} and {prediction.name}, {reference.where}"

    def _place(self, side_number: int, utterance: int) -> _Place:
        """Return the name of a side's source, and the place of an utterance of the piece in it."""
        source, index = self.pairing.find(side_number, self.utterances_before + utterance)
        if source.paths:
            # A folder of recordings has a file for each utterance: this one is named, and not the folder.
            path_of_utterance = source.paths[index]
            return _Place(path_of_utterance, source.where(index))
        return _Place(source.label(self.sides[side_number].column), source.where(index))


class _Place(NamedTuple):
    """The place of an utterance: `gold.txt` and `line 3`."""

    name: str
    where: str

    @property
    def text(self) -> str:
        """The place in words: "gold.txt, line 3"."""
        return f"{self.name}, {self.where}"


def _cut_batches(batches: Sequence[Batch], start: int, stop: int) -> list[Batch]:
    """Return the utterances from `start` to before `stop`, counted over batches that follow each other."""
    if start == stop:
        # One batch stays, without utterances, so that it is read in the form of the others.
        first_batch, *_ = batches
        return [first_batch.cut(0, 0)]
    cut = []
    batch_start = 0
    for batch in batches:
        # From 2 to before 5 of batches of 3 and 4 utterances: 2 to 3 of the first, 0 to 2 of the second.
        first_row = max(start - batch_start, 0)
        row_after = min(stop - batch_start, len(batch))
        if first_row < row_after:
            cut.append(batch.cut(first_row, row_after))
        batch_start += len(batch)
    return cut


def _one_column(decoded: Sequence[Values], side: Side) -> Column:
    """Return the labels of a side as one column, of which some are to be ignored; text is an error."""
    columns: list[Column] = [values for values in decoded if not isinstance(values, bytes)]
    if len(columns) < len(decoded):
        check_form(STRINGS, side.reading)  # which raises the error for text in place of labels
    arrays = chain.from_iterable(column.chunks for column in columns)
    first_column, *_ = columns
    return pa.chunked_array([*arrays], first_column.type)


def _read(values: Values, side: Side) -> Segmentation:
    """Return the segmentation of values, by the reader of their form, after the stages of the side's preparation.

    The forms are text as bytes, recordings, strings or lists of words for a tokenizer, and other columns.
    """
    form = Form.of(values)
    check_form(form, side.reading)
    if isinstance(values, bytes):
        # A side has a reader of its own if the options of text do not say how it is read, such as a tokenizer's.
        read_text = side.reader or text_reader(side.reading)
        segmentation = read_text(values)
    elif side.recording_reader:
        # Recordings have neither layers nor stages, which are of text.
        return side.recording_reader(one_array(values))
    elif side.reader and form == STRINGS:
        segmentation = side.reader(lines(one_array(values)))
    elif side.reader and form == WORD_LISTS:
        # A tokenizer needs the text with its spaces, which lists of words do not have.
        raise TypeError(f"lists of words {TEXT_APART}")
    else:
        read = reader_for(form, side.reading)
        if form in (EMPTY_LISTS, NOTHING):
            # Empty lists and missing values have no type of their own.
            values = values.cast(WORDS)
        segmentation = read(one_array(values))
    # A layer is what the side should have beside its words, such as tags: raise an error if the side lacks them. The place in a
    # file is added to this error later; values have no place but their side.
    place = "" if side.is_file else f"{side.role}: "
    for layer in layers_of(side.reading):
        layer.check(segmentation, place)
    # A stage changes the text that was read, such as normalisation.
    for stage in side.stages:
        segmentation = stage(segmentation)
    return segmentation
