"""Parts: the same utterances of every side, which one thread reads and compares."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import pyarrow as pa

from ..kernel.comparison import Comparison, compare_segmentations
from ..kernel.segmentation import Segmentation, concatenate, join_units
from ..options.table import OPTIONS
from ..reading.inputs import BLANKS, FORM_NAMES, LABELS, TEXT, WORDS, Column, form_name
from ..reading.labels import drop_ignored
from ..reading.offsets import offset_in_text
from ..reading.readers import FormDoubts, check_form, lines, reader_for, text_reader
from ..scoring.options import Plan
from ..scoring.pipeline import compare_sides, normalized
from ..scoring.skipping import GoodUtterances, LeftOut, bad_utterances, compare_good, good_runs
from ..support.errors import UtteranceError
from ..support.messages import Hint, Message, OptionTypeError, message_of, placed
from .batches import Batch, Values, join_batches, one_array
from .source import Side, Source


class Misfit(Exception):  # noqa: N818 - an error of a part, which `fold` turns into one of the input
    """An utterance of a part can't be read, or those of two sides can't be compared.

    Attributes:
        error: counted in the part; its `side` says which of the two it is, and is empty for both.
        at: the number of the prediction; 0 where only the reference was read.
    """

    def __init__(self, error: UtteranceError, at: int) -> None:
        super().__init__(message_of(error))
        self.error = error
        self.at = at


@dataclass
class Facts:
    """What a part, or a pass, finds out beside its results.

    Attributes:
        utterances: how many were read, with those that were left out.
        forms: by side, the type of its values, one of those in `reading.inputs`, and the first utterance that has it.
        left_out: by side, what was left out.
        ids: of each part, the columns of ids of its utterances.
        doubts: signs that options are wrong.
        extents: the files of the reference in order, each with the number of its utterances.
        failures: why files were left out, an entry for each.
    """

    utterances: int = 0
    forms: dict[int, tuple[pa.DataType, int]] = field(default_factory=dict)
    left_out: dict[int, LeftOut] = field(default_factory=dict)
    ids: list[list[pa.Array]] = field(default_factory=list)
    doubts: FormDoubts | None = None
    extents: list[tuple[Source, int]] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    def add_form(self, at: int, side: Side, form: pa.DataType, first: int) -> None:
        """Add the form of the values of a side from the utterance `first` on, which must be that of those before.

        Files may have several forms, if their units are of one kind.
        """
        known, since = self.forms.get(at, (pa.null(), first))
        joined = _joined(known, form)
        if joined is None and side.is_file:
            joined = known
        if joined is None:
            raise TypeError(
                f"mixed forms: the {side.role} from row {first} are {form_name(form)}, earlier ones are {form_name(known)}; "
                f"expected the same form for every row."
            )
        self.forms[at] = joined, since if joined == known else first

    def update(self, other: Facts, sides: Sequence[Side]) -> None:
        """Add what the next part found out."""
        # A part has checked the forms of its own sides.
        if not self.forms:
            self.forms = dict(other.forms)
        elif other.forms:
            for at, form in sorted(other.forms.items(), key=lambda item: item[1][1]):
                self.add_form(at, sides[at], *form)
                self.check_forms(sides)
        for at, left_out in other.left_out.items():
            self.left_out.setdefault(at, LeftOut()).update(left_out)
        self.utterances += other.utterances
        self.ids += other.ids
        if self.doubts is not None and other.doubts is not None:
            self.doubts.add(other.doubts.found())

    def form_name(self, sides: Sequence[Side]) -> str | None:
        """The form of the references, as tallies and signatures name it; None if they are empty lists or there are none."""
        if all(side.is_conllu for side in sides):
            return "conllu"
        return FORM_NAMES.get(self.forms.get(0, (None, 0))[0])

    def check_forms(self, sides: Sequence[Side]) -> None:
        """Check that the reference and the predictions have the same form, where no file and no format of a side is given."""
        if any(side.is_file for side in sides):
            return
        left = self.forms.get(0, (pa.null(), 0))[0]
        for at, (right, _) in self.forms.items():
            may_pair = sides[0].reading.has_formats and LABELS not in (left, right)
            if at and _joined(left, right) is None and not may_pair:
                name = f"{sides[at].name}: " if sides[at].name else ""
                options = Hint(
                    ", or ", OPTIONS["reference_format"], " or ", OPTIONS["prediction_format"], " for the strings"
                )
                raise OptionTypeError(
                    f"{name}mixed forms: the references are {form_name(left)} and the predictions {form_name(right)}; expected "
                    f"the same form on both sides",
                    "" if LABELS in (left, right) else options,
                    ".",
                )


def _joined(left: pa.DataType, right: pa.DataType) -> pa.DataType | None:
    """The form of values of two forms, of which empty lists may be words or labels; None if there is none."""
    if left is right or left == right or right == pa.null():
        return left
    if left == pa.null():
        return right
    if BLANKS in (left, right) and TEXT not in (left, right):
        return left if right == BLANKS else right
    return None


@dataclass(eq=False)
class Part:
    """The same utterances of every side.

    Attributes:
        sides: the reference, then the predictions.
        streams: for each side, which of `batches` it is a column of.
        batches: for each stream.
        first: the number of utterances before it.
        skips: whether utterances that can't be scored are left out.
        facts: what reading and comparing it finds out.
        find: the source of an utterance of a side, by their numbers, and its index there.
    """

    sides: Sequence[Side]
    streams: Sequence[int]
    batches: Sequence[Sequence[Batch]]
    first: int
    skips: bool
    facts: Facts
    find: Callable[[int, int], tuple[Source, int]]

    @property
    def count(self) -> int:
        """How many utterances it has."""
        return self.facts.utterances

    def form(self, at: int) -> pa.DataType:
        """The type of the values of a side, one of those in `reading.inputs`."""
        values = self._values(at)[0]
        return TEXT if isinstance(values, bytes) else values.type

    @property
    def reference(self) -> Segmentation:
        """The reference; with `skips`, its utterances that can be read. An error is a `Misfit`."""
        try:
            return self._reference
        except UtteranceError as error:
            if not self.skips:
                raise Misfit(error, 0) from None
        bad = bad_utterances(lambda *run: self.cut(*run)._reference, self.count)
        return concatenate([self.cut(*run)._reference for run in good_runs(bad, self.count)])

    def comparison(self, at: int) -> Comparison:
        """A prediction compared with the reference as they are read, both normalized. An error is a `Misfit`."""
        try:
            return compare_segmentations(*(normalized(side, self.sides[0].reading) for side in self.both(at)))
        except UtteranceError as error:
            raise Misfit(error, at) from None

    def compare(self, at: int, plan: Plan) -> GoodUtterances:
        """Compare a prediction with the reference; leave out what can't be scored if that was asked for."""
        may_differ = plan.on_mismatch == "skip"
        if self.skips:
            found = compare_good(lambda *run: self.cut(*run).both(at, may_differ=may_differ), self.count, plan)
            first = "" if found.first_error is None else self.described(found.first_error, at)
            self.facts.left_out[at] = LeftOut(found.count_bad, self.count, first)
            return found
        try:
            both = self.both(at, may_differ=may_differ)
            return GoodUtterances(both[0], *compare_sides(*both, plan))
        except UtteranceError as error:
            raise Misfit(error, at) from None

    def described(self, error: UtteranceError, at: int, *, briefly: bool = False) -> str:
        """What is wrong with an utterance of the part, and its place; `briefly` without the names of single files."""
        if not self.sides[at].is_file:
            return error.at(self.first).message
        if error.side or not at:
            place = ", ".join(self._place(at if error.side == self.sides[at].role else 0, error.utterance))
            return Message(place, ": ", error.detail)
        message = error.but(hint=self.sides[at].remedy or error.hint).detail
        return Message(self._places(at, error.utterance, briefly=briefly), ": ", message)

    def _places(self, at: int, utterance: int, *, briefly: bool = False) -> str:
        """The places of an utterance in the reference and a prediction; one number if it is the same in two single files."""
        (name, where), right = self._place(0, utterance), self._place(at, utterance)
        if where == right[1] and all(len(self.sides[side].sources) == 1 for side in (0, at)):
            return where if briefly else f"{name} and {', '.join(right)}"
        return f"{name}, {where} and {', '.join(right)}"

    def _place(self, at: int, utterance: int) -> tuple[str, str]:
        """The name of a side's source, and the place of an utterance of the part in it."""
        source, index = self.find(at, self.first + utterance)
        return source.label(self.sides[at].at), source.where(index)

    def with_offsets(self, error: UtteranceError, at: int) -> UtteranceError:
        """The error of a part of one utterance, with the place in the text of each side at which the units differ."""
        if error.offset is None or error.side or not at:
            return error
        offsets: dict[str, int | None] = {}
        first = self.sides[0].reading
        for name, side in (("reference_offset", self.sides[0]), ("prediction_offset", self.sides[at])):
            text = self.raw(0 if side is self.sides[0] else at)[0].as_py()
            reading = replace(side.reading, normalize=first.normalize, subword_marks=first.subword_marks)
            is_text = isinstance(text, str) and side.reader is None
            offsets[name] = (
                offset_in_text(text, error.offset, reading, joins_units=side.joins_units) if is_text else None
            )
        return error.but(**offsets)

    def raw(self, at: int) -> pa.Array:
        """A column as it is, such as the ids of clusters."""
        arrays = [batch.raw(self.sides[at].at) for batch in self._joined[self.streams[at]]]
        return arrays[0] if len(arrays) == 1 else one_array(pa.chunked_array(arrays))

    def cut(self, start: int, stop: int, facts: Facts | None = None) -> Part:
        """The utterances from `start` to before `stop`, counted in the part; what they find out goes into `facts`, or to that of
        the part.
        """
        if facts is None and (start, stop) == (0, self.count):
            return self
        batches = [
            [
                batch.cut(max(start - before, 0), min(stop - before, len(batch)))
                for before, batch in _numbered(some)
                if before < stop and start < before + len(batch)
            ]
            for some in self.batches
        ]
        facts = replace(self.facts if facts is None else facts, utterances=stop - start)
        return replace(self, batches=batches, first=self.first + start, facts=facts)

    @cached_property
    def _reference(self) -> Segmentation:
        side, values = self.sides[0], self._values(0)
        ignored = side.reading.ignore_index
        return self._segment(values if ignored is None else drop_ignored([_one_column(values, side)], ignored), 0)

    def both(self, at: int, *, may_differ: bool = False) -> tuple[Segmentation, Segmentation]:
        """The reference and a prediction. An error is an `UtteranceError`, counted in the part."""
        ignored = self.sides[0].reading.ignore_index
        if ignored is None:
            both = self._reference, self._segment(self._values(at), at)
        else:
            columns = [_one_column(self._values(side), self.sides[side]) for side in (0, at)]
            left, right = drop_ignored(columns, ignored, may_differ=may_differ)
            both = self._segment([left], 0), self._segment([right], at)
        self.facts.check_forms(self.sides)
        if both[0].unit != both[1].unit:
            raise ValueError(
                f"{self._places(at, 0)}: the reference is read in units of one {both[0].unit}, the prediction in units of one "
                f"{both[1].unit}: expected the same form on both sides."
            )
        return both

    def _values(self, at: int) -> list[Values]:
        """The decoded values of a side; as a rule one block or column."""
        found: list[Values] = []
        side, before = self.sides[at], 0
        for batch in self._joined[self.streams[at]]:
            row = self.first + before
            try:
                values = batch.column(side.at, side.role, row)
            except UtteranceError as error:
                raise error.at(before, side.role) from None
            except TypeError as error:
                if not side.is_file:
                    raise
                problem = str(error).removeprefix(f"{side.role}: ")
                raise TypeError(f"{self._place(at, before)[0]}: {problem}") from None
            self.facts.add_form(at, side, TEXT if isinstance(values, bytes) else values.type, row)
            is_like_first = side.reading.text_format == self.sides[0].reading.text_format
            if self.facts.doubts is not None and is_like_first and not side.reader and not isinstance(values, bytes):
                self.facts.doubts.look_at(values)
            found.append(values)
            before += len(batch)
        return found

    def _segment(self, found: Sequence[Values], at: int) -> Segmentation:
        side, before = self.sides[at], 0
        segmentations: list[Segmentation] = []
        for values in found:
            try:
                segmentations.append(_read(values, side))
            except UtteranceError as error:
                raise error.at(before, side.role) from None
            except (TypeError, ValueError) as error:
                if not side.is_file:
                    raise
                raise placed(error, self._place(at, before)[0]) from None
            if segmentations[0].unit != segmentations[-1].unit:
                raise ValueError(
                    f"{', '.join(self._place(at, 0))} and {', '.join(self._place(at, before))}: mixed forms: units of one "
                    f"{segmentations[0].unit} in the first, of one {segmentations[-1].unit} in the second; expected the same "
                    f"form everywhere."
                )
            before += len(segmentations[-1].utterance_ends)
        return segmentations[0] if len(segmentations) == 1 else concatenate(segmentations)

    @cached_property
    def _joined(self) -> list[list[Batch]]:
        return [join_batches(batches) for batches in self.batches]


def _numbered(batches: Sequence[Batch]) -> Iterator[tuple[int, Batch]]:
    before = 0
    for batch in batches:
        yield before, batch
        before += len(batch)


def _one_column(found: Sequence[Values], side: Side) -> Column:
    """Columns of labels as one; `ignore_index` is for labels."""
    columns: list[Column] = []
    for values in found:
        if isinstance(values, bytes):
            check_form(TEXT, side.reading)
        else:
            columns.append(values)
    return pa.chunked_array([chunk for column in columns for chunk in column.chunks], columns[0].type)


def _read(values: Values, side: Side) -> Segmentation:
    check_form(TEXT if isinstance(values, bytes) else values.type, side.reading)
    if isinstance(values, bytes):
        read = (side.reader or text_reader(side.reading))(values)
    elif side.reader and values.type == TEXT:
        read = side.reader(lines(one_array(values)))
    else:
        column = values.cast(WORDS) if values.type in (BLANKS, pa.null()) else values
        read = reader_for(values.type, side.reading)(one_array(column))
    return join_units(read) if side.joins_units and read.unit == "token" else read
