"""Parts: the same utterances of every side, which one thread reads and compares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import pyarrow as pa

from ..kernel.errors import UtteranceError
from ..kernel.segmentation import Segmentation, concatenate
from ..reading.inputs import BLANKS, TEXT, WORDS, Column, form_name
from ..reading.parts import FormDoubts, check_form, drop_ignored, reader_for
from ..scoring.options import Plan
from ..scoring.pipeline import compare_sides
from ..scoring.skipping import GoodUtterances, LeftOut, bad_utterances, compare_good, good_runs
from .batches import Batch, join_batches
from .memory import one_array
from .source import Side


class Misfit(Exception):  # noqa: N818 - an error of a part, which `fold` turns into one of the input
    """An utterance of a part can't be read, or those of two sides can't be compared.

    Attributes:
        error: counted in the part; its `side` says which of the two it is, and is empty for both.
        at: the number of the prediction; 0 where only the reference was read.
    """

    def __init__(self, error: UtteranceError, at: int) -> None:
        super().__init__(str(error))
        self.error = error
        self.at = at


@dataclass
class Facts:
    """What a part, or a pass, finds out beside its results.

    Attributes:
        utterances: how many were read, with those that were left out.
        forms: by side, the type of its values, one of those in `reading.inputs`, and the first utterance that has it.
        left_out: by side, what was left out.
        ids: the ids of clusters.
        doubts: signs that options are wrong.
    """

    utterances: int = 0
    forms: dict[int, tuple[pa.DataType, int]] = field(default_factory=dict)
    left_out: dict[int, LeftOut] = field(default_factory=dict)
    ids: list[pa.Array] = field(default_factory=list)
    doubts: FormDoubts | None = None

    def add_form(self, at: int, role: str, form: pa.DataType, first: int) -> None:
        """Add the form of the values of a side from the utterance `first` on, which must be that of those before."""
        known, since = self.forms.get(at, (pa.null(), first))
        joined = _joined(known, form)
        if joined is None:
            raise TypeError(
                f"mixed forms: the {role} from row {first} are {form_name(form)}, earlier ones are {form_name(known)}; expected "
                f"the same form for every row."
            )
        self.forms[at] = joined, since if joined == known else first

    def update(self, other: Facts, roles: Sequence[str]) -> None:
        """Add what the next part found out."""
        # A part has checked the forms of its own sides.
        if not self.forms:
            self.forms = dict(other.forms)
        elif other.forms:
            for at, form in sorted(other.forms.items(), key=lambda item: item[1][1]):
                self.add_form(at, roles[at], *form)
                self.check_forms()
        for at, left_out in other.left_out.items():
            self.left_out.setdefault(at, LeftOut()).update(left_out)
        self.utterances += other.utterances
        self.ids += other.ids
        if self.doubts is not None and other.doubts is not None:
            self.doubts.add(other.doubts.found())

    def check_forms(self) -> None:
        """Check that the reference and the predictions have the same form."""
        left = self.forms.get(0, (pa.null(), 0))[0]
        for at, (right, _) in self.forms.items():
            if at and _joined(left, right) is None:
                raise TypeError(
                    f"mixed forms: the references are {form_name(left)} and the predictions {form_name(right)}; expected the "
                    f"same form on both sides."
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
    """

    sides: Sequence[Side]
    streams: Sequence[int]
    batches: Sequence[Sequence[Batch]]
    first: int
    skips: bool
    facts: Facts

    @property
    def count(self) -> int:
        """How many utterances it has."""
        return self.facts.utterances

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

    def read(self, at: int) -> Segmentation:
        """A side. An error is an `UtteranceError`, counted in the part."""
        if not at:
            return self._reference
        if self.sides[0].reading.ignore_index is None:
            return _segment(self._values(at), self.sides[at])
        return self._without_ignored(at)[1]

    def compare(self, at: int, plan: Plan) -> GoodUtterances:
        """Compare a prediction with the reference; leave out what can't be scored if that was asked for."""
        if self.skips:
            found = compare_good(lambda *run: self.cut(*run)._both(at, plan), self.count, plan)
            first = "" if found.first_error is None else str(found.first_error.at(self.first))
            self.facts.left_out[at] = LeftOut(found.count_bad, self.count, first)
            return found
        try:
            both = self._both(at, plan)
            return GoodUtterances(both[0], *compare_sides(*both, plan))
        except UtteranceError as error:
            raise Misfit(error, at) from None

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
        return _segment(values if ignored is None else drop_ignored([_one_column(values)], ignored), side)

    def _without_ignored(self, at: int, *, may_differ: bool = False) -> tuple[Segmentation, Segmentation]:
        """The reference and a prediction, without the positions to drop, which the reference has."""
        columns = [_one_column(self._values(side)) for side in (0, at)]
        ignored = self.sides[0].reading.ignore_index
        assert ignored is not None
        left, right = drop_ignored(columns, ignored, may_differ=may_differ)
        return _segment([left], self.sides[0]), _segment([right], self.sides[at])

    def _both(self, at: int, plan: Plan) -> tuple[Segmentation, Segmentation]:
        if plan.reading.ignore_index is None:
            both = self._reference, self.read(at)
        else:
            both = self._without_ignored(at, may_differ=plan.on_mismatch == "skip")
        self.facts.check_forms()
        return both

    def _values(self, at: int) -> list[Column]:
        """The decoded values of a side; as a rule one column."""
        found: list[Column] = []
        side, before = self.sides[at], 0
        for batch in self._joined[self.streams[at]]:
            row = self.first + before
            try:
                values = batch.column(side.at, side.role, row)
            except UtteranceError as error:
                raise error.at(before, side.role) from None
            self.facts.add_form(at, side.role, values.type, row)
            if self.facts.doubts is not None and side.reader is None:
                self.facts.doubts.look_at(values)
            found.append(values)
            before += len(batch)
        return found

    @cached_property
    def _joined(self) -> list[list[Batch]]:
        return [join_batches(batches) for batches in self.batches]


def _numbered(batches: Sequence[Batch]) -> Iterator[tuple[int, Batch]]:
    before = 0
    for batch in batches:
        yield before, batch
        before += len(batch)


def _segment(columns: Sequence[Column], side: Side) -> Segmentation:
    segmentations: list[Segmentation] = []
    before = 0
    for column in columns:
        check_form(column.type, side.reading)
        values = column.cast(WORDS) if column.type in (BLANKS, pa.null()) else column
        try:
            segmentations.append((side.reader or reader_for(column.type, side.reading))(one_array(values)))
        except UtteranceError as error:
            raise error.at(before, side.role) from None
        before += len(column)
    return segmentations[0] if len(segmentations) == 1 else concatenate(segmentations)


def _one_column(columns: Sequence[Column]) -> Column:
    """Columns of labels as one; `ignore_index` is for labels."""
    return pa.chunked_array([chunk for column in columns for chunk in column.chunks], columns[0].type)
