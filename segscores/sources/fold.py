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

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from typing import Generic, TypeAlias, TypeVar

import pyarrow as pa

from ..reading.readers import FormDoubts
from ..support.errors import FileError, UtteranceError, counting_from, warn
from ..support.messages import Message, placed
from ..support.parallel import map_in_order
from .batches import Batch, rows_within
from .parts import Facts, Misfit, Part
from .source import Side, Source

Found = TypeVar("Found")
Explain: TypeAlias = Callable[[UtteranceError, Part], Exception]

#: A pairing, and a part of it or what ends it.
_Item: TypeAlias = "tuple[_Pairing, Part | Exception | None]"

#: The number of files that are left out whose problems are reported one by one.
_FAILURES_TOLD = 10

#: Stands for the error of unequal numbers of utterances: an earlier error is reported before the longer side is read to its end.
_UNEQUAL = FileError("the sides have different numbers of utterances.")

#: About how many bytes of one side a part holds: so many that they fit in the processor's cache.
PART_BYTES = 1 << 19


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
        part_bytes: about how many bytes of each side a part has; PART_BYTES if None.
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
    pairings = _pairings(every, PART_BYTES if part_bytes is None else part_bytes)
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

    pairing: _Pairing
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
    work: Callable[[Part], object], explain: Explain, pairing: _Pairing, part: Part, error: Exception
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


def _pairings(sides: Sequence[Side], part_bytes: int) -> list[_Pairing]:
    """A pairing for each file of the reference if the sides have equal numbers of files, otherwise one for all."""
    numbers = {len(side.sources) for side in sides}
    if len(numbers) > 1:
        return [_Pairing(sides, [side.sources for side in sides], part_bytes, pairs_files=False)]
    return [
        _Pairing(sides, [side.sources[number : number + 1] for side in sides], part_bytes) for number in range(*numbers)
    ]


def _items(pairings: Sequence[_Pairing], *, skips: bool, needs_end: bool) -> Iterator[_Item]:
    """The parts of all pairings, in order."""
    first = 0
    for pairing in pairings:
        pairing.first = first
        for part in pairing.parts(skips=skips, needs_end=needs_end):
            first += part.count if isinstance(part, Part) else 0
            yield pairing, part


class _Pairing:
    """The sources of each side that pair, as streams.

    Attributes:
        first: the number of utterances before it.
        failure: why it is left out; empty if it is not.
    """

    def __init__(
        self, sides: Sequence[Side], sources: Sequence[tuple[Source, ...]], part_bytes: int, *, pairs_files: bool = True
    ) -> None:
        self.first = 0
        self.failure = ""
        self._sides, self._sources, self._part_bytes, self._pairs_files = sides, sources, part_bytes, pairs_files
        distinct = list(dict.fromkeys(sources))
        self._of_sides = [distinct.index(each) for each in sources]
        self._streams = [_Stream(each, part_bytes) for each in distinct]
        #: Why a side can't be read to its end.
        self._broken: Exception | None = None

    def parts(self, *, skips: bool, needs_end: bool) -> Iterator[Part | Exception | None]:
        """The parts of the pairing, and then the error that ends it, or None if its end is needed."""
        first = self.first

        def part(batches: Sequence[Sequence[Batch]], count: int) -> Part:
            facts = Facts(count, doubts=FormDoubts(self._sides[0].reading))
            return Part(self._sides, self._of_sides, batches, first, skips, facts, self.find)

        small = [stream.whole for stream in self._streams if stream.whole is not None]
        if len(small) == len(self._streams):
            yield part([[batch] for batch in small], len(small[0]))
            return
        error: Exception | None = None
        try:
            while not self.failure and all(counts := [stream.available() for stream in self._streams]):
                count = min(counts)
                yield part([stream.take(count) for stream in self._streams], count)
                first += count
            if not self.failure and any(counts):
                error = _UNEQUAL
        except Exception as problem:  # results of earlier parts come first
            error = self._broken = problem
        if error is not _UNEQUAL:
            self.close()
        if error is not None or needs_end:
            yield error

    def close(self) -> None:
        """Close what is open."""
        for stream in self._streams:
            stream.close()

    def find(self, at: int, utterance: int) -> tuple[Source, int]:
        """The source of an utterance of a side, and its index there."""
        return self._streams[self._of_sides[at]].find(utterance - self.first)

    def extents(self) -> list[tuple[Source, int]]:
        """The files of the reference, each with the number of its utterances."""
        return self._streams[self._of_sides[0]].extents()

    def explained(self, error: Exception, difference: str) -> Exception:
        """An error of the pairing, or that from which it may come: a file that changed, or unequal numbers of utterances."""
        try:
            for stream in self._streams:
                stream.check()
        except FileError as changed:
            return changed
        if difference or error is _UNEQUAL:
            error = self.unequal(difference) or error
        are_files = all(side.is_file for side in self._sides)
        if are_files and isinstance(error, FileError) and not self._pairs_files:
            numbers = " and ".join(f"{side.name} {len(side.sources)}" for side in self._sides)
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
            counts = [self._streams[stream].count_all() for stream in self._of_sides]
        except FileError as error:
            return error
        other = next((at for at, count in enumerate(counts) if count != counts[0]), None)
        if other is None:
            return None
        counts_of_both = " and ".join(f"{self._name(at)} has {self._counted(at, counts[at])}" for at in (0, other))
        first = Message(" The first that differs is ", difference) if difference else ""
        kind = FileError if self._sides[0].is_file else ValueError
        return kind(
            Message(f"{counts_of_both}: expected equal numbers. Blank lines count too, also at the end.", first)
        )

    def _name(self, at: int) -> str:
        side, sources = self._sides[at], self._sources[at]
        return sources[0].label(side.at) if len(sources) == 1 else side.name

    def _counted(self, at: int, count: int) -> str:
        return f"{count} {self._sources[at][0].noun}{'' if count == 1 else 's'}"


class _Stream:
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
