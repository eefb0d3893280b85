"""Fold: the one loop over utterances.

Conventions
-----------
- The calling thread reads batches, and cuts them into parts: the same utterances of every side, at most about PART_BYTES of each.
  Threads run `work` on the parts. Results come in order.
- Sides of the same source are columns of one stream.
- With `skips`, utterances that can't be scored are left out by `Part.compare`.
- What a part finds out beside its result goes into `Facts`, in order.
- The first error is that of the first utterance with which `work` fails, whatever the parts and the threads.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from typing import Generic, TypeAlias, TypeVar

import pyarrow as pa

from ..kernel.errors import UtteranceError, warn
from ..kernel.parallel import map_in_order
from ..reading.parts import FormDoubts
from .batches import Batch, rows_within
from .parts import Facts, Misfit, Part
from .source import Side, Source

Result = TypeVar("Result")
Explain: TypeAlias = Callable[[UtteranceError, Part], Exception]

#: About how many bytes of one side a part holds: so many that they fit in the processor's cache.
PART_BYTES = 1 << 19


def fold(
    sides: Sequence[Side],
    work: Callable[[Part], Result],
    *,
    skips: bool = False,
    ids: Side | None = None,
    facts: Facts | None = None,
    concludes: bool = True,
    part_bytes: int | None = None,
    workers: int | None = None,
    explain: Explain = lambda error, _: error,
) -> Iterator[Result]:
    """The results of `work` for the parts of several sides, in order.

    Args:
        sides: the reference, then the predictions; of equal numbers of utterances.
        work: called in threads; it reads and compares what it needs of a part. For an error it is called again, with fewer
            utterances, to find the first.
        skips: whether to leave out what can't be scored.
        ids: a column of ids of clusters, which is read along.
        facts: collects what the pass finds out; complete at its end.
        concludes: whether `conclude` ends the pass; False for a pass before another one.
        part_bytes: about how many bytes of each side a part has; PART_BYTES if None.
        workers: the number of threads; one per core if None.
        explain: makes the error for the user of that of an utterance, and a part of only this utterance.

    Raises:
        UtteranceError: an utterance can't be scored; it has its index.
        TypeError, ValueError: the form of the input does not fit the options, or there is nothing to score.
    """
    facts = Facts() if facts is None else facts
    doubts = facts.doubts = FormDoubts(sides[0].reading)
    every = sides if ids is None else [*sides, ids]
    items = _parts(every, PART_BYTES if part_bytes is None else part_bytes, skips=skips)
    run = partial(_run, work, explain, None if ids is None else len(sides))
    roles = [side.role for side in every]
    outcomes: Iterator[_Done[Result]] = iter(())
    try:
        # One part needs no thread.
        first = list(islice(items, 2))
        outcomes = map(run, first) if len(first) < 2 else map_in_order(run, chain(first, items), workers)
        for done in outcomes:
            try:
                for found in done.facts:
                    facts.update(found, roles)
                if done.error is not None:
                    raise done.error
            except Exception:
                # The tags of both sides differ, as units do.
                doubts.reject_tags()
                raise
            yield done.result  # type: ignore[misc]
    finally:
        if hasattr(outcomes, "close"):
            outcomes.close()
        items.close()
    doubts.reject_tags()
    if concludes:
        conclude(sides, facts)


def conclude(sides: Sequence[Side], facts: Facts) -> None:
    """Check that something was scored, and warn of what was left out, and of options that seem wrong."""
    if not facts.utterances:
        raise ValueError(f"there is nothing to score: expected at least one {sides[0].source.noun}, received none.")
    for left_out in facts.left_out.values():
        left_out.check()
    if facts.doubts is not None:
        facts.doubts.warn()
    for at, left_out in facts.left_out.items():
        if left_out.utterances:
            warn(f"{sides[at].name}: {left_out.message()}" if sides[at].name else left_out.message())


@dataclass(eq=False)
class _Done(Generic[Result]):
    """What came of a part, without the part, so that results that wait hold no text.

    Attributes:
        facts: of the part; after an error, of the utterances before it, and of the one that has it.
        result: None after an error.
        error: as the user is told it; the forms in `facts` may be an earlier one.
    """

    facts: Sequence[Facts] = ()
    result: Result | None = None
    error: Exception | None = None


def _run(work: Callable[[Part], Result], explain: Explain, ids_at: int | None, item: Part | Exception) -> _Done[Result]:
    """What comes of a part; an error too, which the calling thread raises after the results of the parts before."""
    if isinstance(item, Exception):
        return _Done(error=item)
    try:
        result = work(item)
        if ids_at is not None:
            item.facts.ids.append(item.raw(ids_at))
    except (Misfit, TypeError, ValueError) as error:
        return _first_error(work, explain, item, error)
    except Exception as error:
        return _Done((item.facts,), error=error)
    return _Done((item.facts,), result)


def _first_error(work: Callable[[Part], object], explain: Explain, part: Part, error: Exception) -> _Done[Result]:
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
    error = error_of(good, bad, last) or error
    return _Done((before, last), error=_explained(error, row, explain))


def _explained(error: Exception, row: Part, explain: Explain) -> Exception:
    """The error of a part of one utterance, as the user is told it."""
    if isinstance(error, pa.ArrowInvalid):
        source = row.sides[0].source
        return ValueError(f"{source.name}, {source.noun} {row.first}: the data are damaged from here on: {error}")
    at = error.at if isinstance(error, Misfit) else 0
    found = error.error if isinstance(error, Misfit) else error
    if not isinstance(found, UtteranceError):
        return found
    name = row.sides[at].name
    placed = explain(found.at(row.first), row)
    return ValueError(f"{name}: {placed}") if name and found.side != row.sides[0].role else placed


def _parts(sides: Sequence[Side], part_bytes: int, *, skips: bool) -> Generator[Part | Exception, None, None]:
    """The parts, and the error that ends them if there is one: results of earlier parts come first."""
    sources = list(dict.fromkeys(side.source for side in sides))
    of_sides = [sources.index(side.source) for side in sides]

    def part(batches: Sequence[Sequence[Batch]], first: int, count: int) -> Part:
        return Part(sides, of_sides, batches, first, skips, Facts(count, doubts=FormDoubts(sides[0].reading)))

    small = [source.whole for source in sources if source.whole is not None and source.whole.nbytes <= part_bytes]
    if len(small) == len(sources):
        yield part([[batch] for batch in small], 0, len(small[0]))
        return
    streams = [_Stream(source, part_bytes) for source in sources]
    first = 0
    try:
        while all(counts := [stream.available() for stream in streams]):
            count = min(counts)
            yield part([stream.take(count) for stream in streams], first, count)
            first += count
        if any(counts):
            raise ValueError("the sides have different numbers of utterances.")
    except Exception as error:
        yield error
    finally:
        for stream in streams:
            stream.close()


class _Stream:
    """Takes as many utterances from a source as are asked for; it holds about a part and a batch."""

    def __init__(self, source: Source, part_bytes: int) -> None:
        self._source = source
        self._part_bytes = part_bytes
        self._batches: Iterator[Batch] | None = None
        self._held: deque[Batch] = deque()
        self._bytes = 0
        self._is_read = False
        self._error: Exception | None = None

    def available(self) -> int:
        """How many utterances make a part of this stream; 0 at its end."""
        while not self._is_read and (not self._held or self._bytes < self._part_bytes // 2):
            try:
                if self._batches is None:
                    self._batches = iter(self._source.batches())
                batch = next(self._batches, None)
            except Exception as error:  # what was read before comes first
                self._error, batch = error, None
            if batch is None:
                self._is_read = True
            elif len(batch):
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

    def close(self) -> None:
        """Close what is open."""
        close = getattr(self._batches, "close", None)
        if close is not None:
            close()
