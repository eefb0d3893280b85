"""Streams: the sources of several sides read side by side, and what a pass over them records beside its results."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

import pyarrow as pa

from ..options.errors import FileError, warn
from ..options.messages import Hint, Message, OptionTypeError
from ..options.table import OPTIONS
from ..reading.doubts import FormDoubts
from ..reading.inputs import BLANKS, FORM_NAMES, LABELS, TEXT, form_name
from ..reading.sources.source import Batch, Side, Source
from .skipping import LeftOut


def place_in(extents: Sequence[tuple[Source, int]], utterance: int) -> str:
    """The place of an utterance in sources with numbers of utterances; with the name of its source if there are several."""
    before = 0
    for source, count in extents:
        if utterance < before + count:
            where = source.where(utterance - before)
            return where if len(extents) == 1 else f"{source.name}, {where}"
        before += count
    raise IndexError(utterance)


def rows_within(batch: Batch, limit: int) -> int:
    """How many utterances of a batch take about `limit` bytes, at least one: an estimate, halved until it fits."""
    size = batch.nbytes
    if size <= limit:
        return len(batch)
    count = max(1, len(batch) * limit // size)
    while count > 1 and batch.cut(0, count).nbytes > 2 * limit:
        count //= 2
    return count


def join_batches(batches: Sequence[Batch]) -> list[Batch]:
    """Batches with neighbours of one kind joined; as a rule one is left."""
    if len(batches) == 1:
        return list(batches)
    groups = ([*group] for _, group in groupby(batches, key=lambda batch: (type(batch), batch.kind)))
    return [first.join(others) if others else first for first, *others in groups]


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
        formats = {side.sentences for side in sides}
        if formats != {""} and len(formats) == 1:
            return formats.pop()
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


#: Stands for the error of unequal numbers of utterances: an earlier error is reported before the longer side is read to its end.
UNEQUAL = FileError("the sides have different numbers of utterances.")


class Pairing:
    """The sources of each side that pair, as streams.

    Attributes:
        sides: that are read.
        of_sides: for each of them, the number of its stream.
        first: the number of utterances before it.
        failure: why it is left out; empty if it is not.
    """

    def __init__(
        self, sides: Sequence[Side], sources: Sequence[tuple[Source, ...]], part_bytes: int, *, pairs_files: bool = True
    ) -> None:
        self.first = 0
        self.failure = ""
        self.sides, self._sources, self._part_bytes, self._pairs_files = sides, sources, part_bytes, pairs_files
        distinct = list(dict.fromkeys(sources))
        self.of_sides = [distinct.index(each) for each in sources]
        self._streams = [Stream(each, part_bytes) for each in distinct]
        #: Why a side can't be read to its end.
        self._broken: Exception | None = None

    def cuts(self, *, needs_end: bool) -> Iterator[tuple[list[list[Batch]], int] | Exception | None]:
        """Batches of each stream and how many utterances they have; then the error that ends it, or None if its end is needed."""
        small = [stream.whole for stream in self._streams if stream.whole is not None]
        if len(small) == len(self._streams):
            yield [[batch] for batch in small], len(small[0])
            return
        error: Exception | None = None
        try:
            while not self.failure and all(counts := [stream.available() for stream in self._streams]):
                count = min(counts)
                yield [stream.take(count) for stream in self._streams], count
            if not self.failure and any(counts):
                error = UNEQUAL
        except Exception as problem:  # results of earlier parts come first
            error = self._broken = problem
        if error is not UNEQUAL:
            self.close()
        if error is not None or needs_end:
            yield error

    def close(self) -> None:
        """Close what is open."""
        for stream in self._streams:
            stream.close()

    def find(self, at: int, utterance: int) -> tuple[Source, int]:
        """The source of an utterance of a side, and its index there."""
        return self._streams[self.of_sides[at]].find(utterance - self.first)

    def extents(self) -> list[tuple[Source, int]]:
        """The files of the reference, each with the number of its utterances."""
        return self._streams[self.of_sides[0]].extents()

    def explained(self, error: Exception, difference: str) -> Exception:
        """An error of the pairing, or that from which it may come: a file that changed, or unequal numbers of utterances."""
        try:
            for stream in self._streams:
                stream.check()
        except FileError as changed:
            return changed
        if difference or error is UNEQUAL:
            error = self.unequal(difference) or error
        are_files = all(side.is_file for side in self.sides)
        if are_files and isinstance(error, FileError) and not self._pairs_files:
            numbers = " and ".join(f"{side.name} {len(side.sources)}" for side in self.sides)
            files = f" The sides have different numbers of files ({numbers}), so each was read as one text: is a file missing?"
            error = FileError(error.plain, files, counting=error.counting)
        return error

    def unequal(self, difference: str = "") -> Exception | None:
        """The error for sides of which one can't be read to its end, or that have different numbers of utterances; None if there
        is none.
        """
        try:
            if self._broken is not None:
                raise self._broken
            counts = [self._streams[stream].count_all() for stream in self.of_sides]
        except FileError as error:
            return error
        other = next((at for at, count in enumerate(counts) if count != counts[0]), None)
        if other is None:
            return None
        counts_of_both = " and ".join(f"{self._name(at)} has {self._counted(at, counts[at])}" for at in (0, other))
        first = Message(" The first that differs is ", difference) if difference else ""
        kind = FileError if self.sides[0].is_file else ValueError
        why: object = " Blank lines count too, also at the end."
        if self._sources[0][0].noun == "document":
            whole = OPTIONS["whole_files"].set(True)
            why = Hint(" Do both sides mark the same ones? Otherwise score each file as one document: ", whole, ".")
        elif self._sources[0][0].sentences == "conllu":
            why = Hint(
                " Are the sentences split differently? Then score documents: ", OPTIONS["documents"].set(True), "."
            )
        return kind(Message(f"{counts_of_both}: expected equal numbers.", why, first))

    def _name(self, at: int) -> str:
        side, sources = self.sides[at], self._sources[at]
        return sources[0].label(side.at) if len(sources) == 1 else side.name

    def _counted(self, at: int, count: int) -> str:
        return f"{count} {self._sources[at][0].noun}{'' if count == 1 else 's'}"


def pairings_of(sides: Sequence[Side], part_bytes: int) -> list[Pairing]:
    """A pairing for each file of the reference if the sides have equal numbers of files, otherwise one for all."""
    numbers = {len(side.sources) for side in sides}
    if len(numbers) > 1:
        return [Pairing(sides, [side.sources for side in sides], part_bytes, pairs_files=False)]
    return [
        Pairing(sides, [side.sources[number : number + 1] for side in sides], part_bytes) for number in range(*numbers)
    ]


class Stream:
    """Takes from sources, one after the other, as many utterances as are asked for; it holds about a part and a batch."""

    def __init__(self, sources: Sequence[Source], part_bytes: int) -> None:
        self._sources = sources
        self._next_sources = iter(sources)
        self._part_bytes = part_bytes
        #: Sources that were opened, and the number of utterances before each.
        self._opened: list[Source] = []
        self._before: list[int] = []
        self._batches: Iterator[Batch] = iter(())
        self._held: deque[Batch] = deque()
        self._bytes = 0
        self._read = 0
        self._is_read = False
        self._error: Exception | None = None
        whole = sources[0].whole if len(sources) == 1 else None
        #: The only batch, if it is small.
        self.whole = whole if whole is not None and whole.nbytes <= part_bytes else None

    def available(self) -> int:
        """How many utterances make a part of this stream; 0 at its end."""
        while not self._is_read and (not self._held or self._bytes < self._part_bytes // 2):
            try:
                batch = self._next()
            except Exception as error:  # what was read before comes first
                self._error, self._is_read = error, True
                break
            if batch is not None:
                self._held.append(batch)
                self._bytes += batch.nbytes
        if self._error is not None and not self._held:
            raise self._error
        count, limit = 0, self._part_bytes
        for batch in self._held:
            within = rows_within(batch, limit)
            count += within
            limit -= batch.nbytes
            if within < len(batch) or limit <= 0:
                break
        return count

    def take(self, count: int) -> list[Batch]:
        """The next `count` utterances, which are available."""
        taken: list[Batch] = []
        while count:
            batch = self._held.popleft()
            self._bytes -= batch.nbytes
            size = len(batch)
            if size > count:
                rest = batch.cut(count, size)
                self._held.appendleft(rest)
                self._bytes += rest.nbytes
                batch = batch.cut(0, count)
            taken.append(batch)
            count -= len(batch)
        return taken

    def count_all(self) -> int:
        """The number of all utterances, after reading to the end."""
        self._held.clear()
        if self._error is not None:
            raise self._error
        while not self._is_read:
            self._next()
        return self._read

    def find(self, utterance: int) -> tuple[Source, int]:
        """The source of an utterance, and its index there."""
        if self.whole is not None:
            return self._sources[0], utterance
        at = bisect_right(self._before, utterance) - 1
        return self._opened[at], utterance - self._before[at]

    def extents(self) -> list[tuple[Source, int]]:
        """The sources, each with the number of its utterances."""
        if self.whole is not None:
            return [(self._sources[0], len(self.whole))]
        ends = [*self._before[1:], self._read] if self._before else []
        return [(source, end - start) for source, start, end in zip(self._opened, self._before, ends, strict=True)]

    def check(self) -> None:
        """Check that the files that were read have not changed."""
        for source in self._opened:
            source.check()

    def close(self) -> None:
        """Close what is open."""
        if hasattr(self._batches, "close"):
            self._batches.close()

    def _next(self) -> Batch | None:
        """The next batch that has utterances; None at the end."""
        while True:
            batch = next(self._batches, None)
            if batch is None:
                self.close()
                source = next(self._next_sources, None)
                if source is None:
                    self._is_read = True
                    return None
                self._opened.append(source)
                self._before.append(self._read)
                self._batches = source.batches()
            elif len(batch):
                self._read += len(batch)
                return batch


#: The number of files that are left out whose problems are reported one by one.
_FAILURES_TOLD = 10


def conclude(sides: Sequence[Side], facts: Facts) -> None:
    """Check that something was scored, and warn of what was left out, and of options that seem wrong."""
    source = sides[0].sources[0]
    if not facts.utterances and source.is_file:
        raise FileError(
            f"{sides[0].name or source.label(sides[0].at)}: the file is empty; expected at least one {source.noun}."
        )
    if not facts.utterances:
        raise ValueError(f"there is nothing to score: expected at least one {source.noun}, received none.")
    for left_out in facts.left_out.values():
        left_out.check()
    if facts.doubts is not None:
        facts.doubts.warn()
    for problem in facts.failures[:_FAILURES_TOLD]:
        warn(Message("left out: ", problem))
    if len(facts.failures) > _FAILURES_TOLD:
        warn(f"{len(facts.failures) - _FAILURES_TOLD} more such files were left out.")
    for at, left_out in facts.left_out.items():
        if left_out.utterances:
            named = sides[at].name and not sides[at].is_file
            warn(Message(f"{sides[at].name}: " if named else "", left_out.message()))
