"""Fold: the one loop over utterances.

Conventions
-----------
- The calling thread reads batches, and cuts them into parts: the same utterances of every side, at most about PART_BYTES of each.
  Threads run `work` on the parts. Results come in order.
- Sides of the same sources are columns of one stream. Sides with equal numbers of files pair file by file.
- A line that is missing on one side shows as a difference between lines later on. So after a difference both sides are read to
  their ends, and if their numbers differ, that is the error.
- With `skips`, utterances that can't be scored are left out by `Part.compare`. Of several pairings of files, one that can't be
  read, or whose sides have different numbers of utterances, is left out as a whole.
- What a part finds out beside its result goes into `Facts`, in order.
- The first error is that of the first utterance with which `work` fails, whatever the parts and the threads.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain, islice
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..options.errors import FileError, UtteranceError, counting_from
from ..options.messages import Message, OptionError, message_of, placed
from ..options.table import OPTIONS
from ..reading.documents import from_documents
from ..reading.doubts import FormDoubts
from ..reading.inputs import BLANKS, LABELS, TEXT, WORDS, Column, read_column
from ..reading.labels import drop_ignored
from ..reading.offsets import offset_in_text
from ..reading.readers import DEFAULT_WORD_BOUNDARY, Reading, check_form, joins_units, lines, reader_for, text_reader
from ..reading.segmentation import Segmentation, concatenate
from ..reading.sources import source
from ..reading.sources.names import Files
from ..reading.sources.recognition import recognise_sides
from ..reading.sources.sides import open_sides, open_source
from ..reading.sources.source import Batch, Side, Source, Values, collection_source, one_array
from .comparison import Comparison
from .lexicon import Lexicon
from .measures.windows import default_window_size
from .mismatch import compare_segmentations, compare_sides
from .parallel import map_in_order
from .plan import Plan
from .skipping import GoodUtterances, LeftOut, bad_utterances, compare_good, good_runs
from .streams import Facts, Pairing, conclude, join_batches, pairings_of
from .tally import Tally, tally_comparison

Found = TypeVar("Found")
Explain: TypeAlias = "Callable[[UtteranceError, Part], Exception]"

#: A pairing, and a part of it or what ends it.
_Item: TypeAlias = "tuple[Pairing, Part | Exception | None]"


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
        """A prediction compared with the reference. An error is a `Misfit`."""
        try:
            return compare_segmentations(*self.both(at))
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
            return GoodUtterances(*compare_sides(*both, plan.on_mismatch))
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
            in_text = reading.text_format in ("units", "words") and reading.joiner is None and not reading.documents
            is_text = isinstance(text, str) and side.reader is None and in_text
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
    elif side.reading.documents and values.type == TEXT:
        read = from_documents(one_array(values), side.reading)
    elif side.reader and values.type == TEXT:
        read = side.reader(lines(one_array(values)))
    else:
        column = values.cast(WORDS) if values.type in (BLANKS, pa.null()) else values
        read = reader_for(values.type, side.reading)(one_array(column))
    for stage in side.stages:
        read = stage(read)
    return read


def fold(
    sides: Sequence[Side],
    work: Callable[[Part], Found],
    *,
    skips: bool = False,
    ids: Sequence[Side] = (),
    facts: Facts | None = None,
    concludes: bool = True,
    part_bytes: int | None = None,
    workers: int | None = None,
    explain: Explain = lambda error, _: error,
) -> Iterator[Found]:
    """The results of `work` for the parts of several sides, in order.

    Args:
        sides: the reference, then the predictions; of equal numbers of utterances.
        work: called in threads; it reads and compares what it needs of a part. For an error it is called again, with fewer
            utterances, to find the first.
        skips: whether to leave out what can't be scored.
        ids: columns of ids of the utterances, which are read along.
        facts: collects what the pass finds out; complete at its end.
        concludes: whether `conclude` ends the pass; False for a pass before another one.
        part_bytes: about how many bytes of each side a part has; `source.PART_BYTES` if None.
        workers: the number of threads; one per core if None.
        explain: makes the error for the user of that of an utterance, and a part of only this utterance.

    Raises:
        UtteranceError: an utterance of a collection can't be scored; it has its index.
        FileError: a file can't be read, or an utterance of it can't be scored, or the sides have different numbers of utterances.
        TypeError, ValueError: the form of the input does not fit the options, or there is nothing to score.
    """
    facts = Facts() if facts is None else facts
    doubts = facts.doubts = FormDoubts(sides[0].reading)
    every = [*sides, *ids]
    pairings = pairings_of(every, part_bytes or source.PART_BYTES)
    waits = skips and len(pairings) > 1
    items = _items(pairings, skips=skips, needs_end=waits)
    run = partial(_run, partial(_with_ids, work, len(sides)) if ids else work, explain)
    outcomes: Iterator[_Done[Found]] = iter(())
    waiting: list[_Done[Found]] = []
    try:
        # One part needs no thread.
        first = list(islice(items, 2))
        outcomes = map(run, first) if len(first) < 2 else map_in_order(run, chain(first, items), workers)
        for done in outcomes:
            pairing = done.pairing
            if pairing.failure:
                continue
            error = done.error
            if error is not None:
                error = pairing.explained(error, done.difference)
                if waits and isinstance(error, FileError):
                    pairing.failure = error.plain
                    facts.failures.append(pairing.failure)
                    waiting.clear()
                    continue
            waiting.append(done)
            if waits and error is None and not done.is_end:
                continue  # the pairing may fail
            for each in waiting:
                try:
                    for found in each.facts:
                        facts.update(found, every)
                    if each.error is not None:
                        raise error or each.error
                except Exception:
                    # The tags of both sides differ, as units do.
                    doubts.reject_tags()
                    raise
                if not each.is_end:
                    yield each.result  # type: ignore[misc]
            waiting.clear()
    finally:
        if hasattr(outcomes, "close"):
            outcomes.close()
        for pairing in pairings:
            pairing.close()
    doubts.reject_tags()
    facts.extents = [extent for pairing in pairings if not pairing.failure for extent in pairing.extents()]
    if len(facts.failures) == len(pairings):
        raise FileError("nothing could be scored. The first problem: ", facts.failures[0])
    if concludes:
        conclude(sides, facts)


@dataclass(eq=False)
class _Done(Generic[Found]):
    """What came of a part, without the part, so that results that wait hold no text.

    Attributes:
        pairing: that it is a part of.
        facts: of the part; after an error, of the utterances before it, and of the one that has it.
        result: None after an error.
        error: as it is raised for the user; the forms in `facts` may be an earlier one.
        difference: the error in short, if utterances of files differ.
        is_end: whether it is the end of the pairing, which has no result.
    """

    pairing: Pairing
    facts: Sequence[Facts] = ()
    result: Found | None = None
    error: Exception | None = None
    difference: str = ""
    is_end: bool = False


def _with_ids(work: Callable[[Part], Found], at: int, part: Part) -> Found:
    result, columns = work(part), []
    for number, side in enumerate(part.sides[at:], at):
        ids = part.raw(number)
        if side.is_file and ids.null_count:
            row = ids.is_null().to_pylist().index(True)
            raise Misfit(
                UtteranceError(row, "there is no id; expected one for each utterance.", side=side.role), number
            )
        columns.append(ids)
    part.facts.ids.append(columns)
    return result


def _run(work: Callable[[Part], Found], explain: Explain, item: _Item) -> _Done[Found]:
    """What comes of a part; an error too, which the calling thread raises after the results of the parts before."""
    pairing, part = item
    if not isinstance(part, Part):
        return _Done(pairing, error=part, is_end=True)
    try:
        result = work(part)
    except (Misfit, TypeError, ValueError) as error:
        return _first_error(work, explain, pairing, part, error)
    except Exception as error:
        return _Done(pairing, (part.facts,), error=error)
    return _Done(pairing, (part.facts,), result)


def _first_error(
    work: Callable[[Part], object], explain: Explain, pairing: Pairing, part: Part, error: Exception
) -> _Done[Found]:
    """The error of the first utterance with which `work` fails; with all of a part it may find a later one."""

    def error_of(start: int, stop: int, facts: Facts) -> Exception | None:
        try:
            work(part.cut(start, stop, facts))
        except (Misfit, TypeError, ValueError) as found:
            return found
        return None

    def new_facts() -> Facts:
        return Facts(doubts=FormDoubts(part.sides[0].reading))

    good, bad = 0, part.count
    while True:
        found = error.error if isinstance(error, Misfit) else error
        is_placed = isinstance(found, UtteranceError)
        if isinstance(found, UtteranceError):
            bad = min(bad, found.utterance + 1)
        if bad - good <= 1:
            break
        middle = bad - 1 if is_placed else (good + bad) // 2
        earlier = error_of(0, middle, new_facts())
        if earlier is None:
            good = middle
        else:
            bad, error = middle, earlier
    before, last = new_facts(), new_facts()
    if good:
        error_of(0, good, before)
    # If it is good by itself, it has another form than those before, and the facts say so.
    row = part.cut(good, bad, last)
    alone = error_of(good, bad, last) or error
    around, found = (each.error if isinstance(each, Misfit) else each for each in (error, alone))
    if isinstance(around, UtteranceError) and isinstance(found, UtteranceError) and around.problem == found.problem:
        # On an encoding, which the lines around tell.
        found = found.but(hint=around.hint)
        alone = Misfit(found, alone.at) if isinstance(alone, Misfit) else found
    explained, difference = _explained(alone, row, explain)
    return _Done(pairing, (before, last), error=explained, difference=difference)


def _explained(error: Exception, row: Part, explain: Explain) -> tuple[Exception, str]:
    """The error of a part of one utterance, as it is raised for the user; in short too, if utterances of files differ."""
    if isinstance(error, pa.ArrowInvalid):
        source, index = row.find(0, row.first)
        return ValueError(f"{source.name}, {source.where(index)}: the data are damaged from here on: {error}"), ""
    at = error.at if isinstance(error, Misfit) else 0
    found = error.error if isinstance(error, Misfit) else error
    if not isinstance(found, UtteranceError):
        return found, ""
    side = row.sides[at]
    if side.is_file:
        difference = "" if found.side or not at else row.described(found, at, briefly=True)
        noun = (side if found.side == side.role or not row.sides[0].is_file else row.sides[0]).sources[0].noun
        in_file = FileError(row.described(found, at), counting=counting_from(noun, found))
        in_file.found, in_file.at = row.with_offsets(found, at).at(row.first), at
        return in_file, difference
    error = explain(row.with_offsets(found, at).at(row.first), row)
    return placed(error, side.name) if side.name and found.side != row.sides[0].role else error, ""


def _items(pairings: Sequence[Pairing], *, skips: bool, needs_end: bool) -> Iterator[_Item]:
    """The parts of all pairings, in order."""
    first = 0
    for pairing in pairings:
        pairing.first = first
        for cut in pairing.cuts(needs_end=needs_end):
            if isinstance(cut, tuple):
                batches, count = cut
                facts = Facts(count, doubts=FormDoubts(pairing.sides[0].reading))
                yield pairing, Part(pairing.sides, pairing.of_sides, batches, first, skips, facts, pairing.find)
                first += count
            else:
                yield pairing, cut


def sides_of(
    reading: Reading, references: Any, *predictions: Any, names: Sequence[str] = (), role: str = "references"
) -> list[Side]:
    """The sides of references and predictions, each a collection or a file, as `fold` takes them."""
    given, names = [references, *predictions], ["", *(names or [""] * len(predictions))]
    roles = [role, *["predictions"] * len(predictions)]
    formats = [reading.formats[min(at, 1)] for at in range(len(given))]
    files = {at: _files_of(each, at) for at, each in enumerate(given) if isinstance(each, (os.PathLike, Files))}
    sides: dict[int, Side] = {}
    if files:
        found = [*files.values()]
        if any(each.form is None for each in found):
            found = recognise_sides(
                found,
                [formats[at] for at in files],
                word_boundary=None if reading.word_boundary == DEFAULT_WORD_BOUNDARY else reading.word_boundary,
                ignored_tokens=reading.ignored_tokens,
                separator=reading.separator,
            )
        sides = dict(zip(files, open_sides(found, reading, reading.text_format), strict=True))
        formats = [found.pop(0).format_in("") if at in files else each for at, each in enumerate(formats)]
    columns = _read_columns({at: each for at, each in enumerate(given) if at not in files}, roles, names)
    for at, column in columns.items():
        if column.type == WORDS and reading.has_formats:
            formats[at] = "words"
        source = collection_source(column, roles[at])
        sides[at] = Side(roles[at], (source,), reading.of_side(formats[at]), name=names[at])
    joined = joins_units(formats)
    ordered = [replace(sides[at], role=roles[at], joins_units=joined[at]) for at in range(len(given))]
    Facts(forms={at: (column.type, 0) for at, column in columns.items()}).check_forms(ordered)
    return ordered


def _files_of(given: Files | os.PathLike[str], at: int) -> Files:
    files = given if isinstance(given, Files) else open_source(given)
    return replace(files, column=files.column or ("prediction" if at else "reference"))


def _read_columns(given: Mapping[int, Any], roles: Sequence[str], names: Sequence[str]) -> dict[int, Column]:
    """The collections among the sides, by their numbers. Lists that are all empty get the form of the others."""
    columns: dict[int, Column] = {}
    for at, each in given.items():
        try:
            columns[at] = column = read_column(each, roles[at])
            if len(column) != len(columns.get(0, column)):
                raise ValueError(
                    f"{len(columns[0])} references and {len(column)} predictions: expected one prediction for each reference."
                )
        except (TypeError, ValueError) as error:
            if not names[at]:
                raise
            raise placed(error, names[at]) from None
    form = next((column.type for column in columns.values() if column.type in (WORDS, LABELS)), BLANKS)
    return {at: column.cast(form) if column.type == BLANKS else column for at, column in columns.items()}


def sum_tallies(sides: Sequence[Side], plan: Plan, **how: Any) -> tuple[list[Tally], Facts]:
    """The tally of each prediction. `how`: arguments of `fold`."""
    # What is left out, and so the lexicon, differs between predictions.
    is_shared = len(sides) > 2 and plan.needs_lexicons and plan.on_mismatch != "skip" and not how.get("skips")

    def work(part: Part) -> list[Tally]:
        shared = Lexicon(part.reference.words()) if is_shared else None
        found = []
        for at in range(1, len(sides)):
            both = part.compare(at, plan)
            tally = tally_comparison(both.comparison, both.kept, plan, reference_lexicon=shared)
            found.append(replace(tally, reference_lexicon=None) if is_shared and at > 1 else tally)
        return found

    facts = Facts()
    total: list[Tally] = []
    for found in fold(sides, work, facts=facts, **how):
        for tally, added in zip(total, found, strict=False):
            tally.update(added)
        total = total or found
    total = total or [Tally() for _ in sides[1:]]
    if is_shared:
        total = [replace(tally, reference_lexicon=total[0].reference_lexicon) for tally in total]
    return total, facts


def with_window_size(reference: Side, plan: Plan, **how: Any) -> tuple[Plan, Facts | None]:
    """The plan with the default window size, if it needs it, found in a pass over the whole reference.

    It never depends on predictions: with `skips`, only utterances of the reference that can't be read are left out. Returned with
    what the pass found out, or None if there was no need of it.
    """
    if not plan.needs_window_size:
        return plan, None
    once = next((source.name for source in reference.sources if source.is_once), None)
    if once is not None:
        raise OptionError(
            f"the default window size needs the whole reference first, and {once} can be read only once: pass ",
            OPTIONS["window_size"],
            ' with a number of gaps, or "utterance".',
        )

    lengths, facts = count_lengths(reference, **how)
    size = default_window_size(**lengths, window_convention=plan.values["window_convention"])
    return plan.with_window_size(int(size)), facts


def count_lengths(reference: Side, **how: Any) -> tuple[dict[str, int], Facts]:
    """The counts of the reference that the default window size is computed from, by their names there."""

    def work(part: Part) -> npt.NDArray[np.int64]:
        units = part.reference.utterance_units
        return np.array([units.sum(), len(part.reference.word_ends), np.count_nonzero(units)])

    facts = Facts()
    counts = sum(fold([reference], work, facts=facts, **{**how, "concludes": False}), np.zeros(3, np.int64))
    return dict(zip(("units", "words", "utterances"), map(int, counts), strict=True)), facts


def check_same(first_pass: Facts | None, facts: Facts) -> None:
    """Check that a dataset gave the same number of rows as in the pass before, for the window size."""
    if first_pass is not None and first_pass.utterances != facts.utterances:
        raise OptionError(
            f"the dataset gave {first_pass.utterances} rows when it was read for the window size, and {facts.utterances} when it "
            f"was read again; expected the same: pass ",
            OPTIONS["window_size"],
            ', a number of gaps or "utterance", for it to be read once.',
        )
