"""Streams: the sources of several sides, read side by side in batches, and the error of sides that do not pair."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from ..options.errors import FileError
from ..options.messages import Hint, Message
from ..options.table import OPTIONS
from ..reading.sources.source import Batch, Side, Source


def rows_within(batch: Batch, limit: int) -> int:
    """Estimate how many utterances of a batch take about `limit` bytes, at least one."""
    size = batch.nbytes
    if size <= limit:
        return len(batch)
    count = max(1, len(batch) * limit // size)
    while count > 1 and batch.cut(0, count).nbytes > 2 * limit:
        count //= 2
    return count


def join_batches(batches: Sequence[Batch]) -> list[Batch]:
    """Join neighbouring batches of one kind; as a rule one batch is left."""
    if len(batches) == 1:
        return list(batches)
    groups = ([*group] for _, group in groupby(batches, key=lambda batch: (type(batch), batch.kind)))
    return [first.join(others) if others else first for first, *others in groups]


#: Stands for the error of unequal numbers of utterances: an earlier error is reported before the longer side is read to its end.
UNEQUAL = FileError("the sides have different numbers of utterances.")


class Pairing:
    """The sources of each side that pair, as streams; all sources of a side, or one."""

    def __init__(self, sides: Sequence[Side], sources: Sequence[tuple[Source, ...]], piece_bytes: int) -> None:
        self.first = 0  #: the number of utterances before the pairing
        self.sides = sides
        self._sources = sources
        distinct = list(dict.fromkeys(sources))
        #: For each side, the number of its stream.
        self.stream_numbers = [distinct.index(sources_of_side) for sources_of_side in sources]
        self._streams = [Stream(sources_of_side, piece_bytes) for sources_of_side in distinct]
        #: The error of a side that can't be read to its end.
        self._broken: Exception | None = None

    def cuts(self) -> Iterator[tuple[list[list[Batch]], int]]:
        """Yield batches of each stream, and the number of their utterances; an error comes after the batches read before it."""
        try:
            while all(counts := [stream.available() for stream in self._streams]):
                count = min(counts)
                yield [stream.take(count) for stream in self._streams], count
        except Exception as problem:
            self._broken = problem
            raise
        if any(counts):
            raise UNEQUAL

    def close(self) -> None:
        """Close what is open."""
        for stream in self._streams:
            stream.close()

    def find(self, number: int, utterance: int) -> tuple[Source, int]:
        """Return the source of an utterance of a side, and its index there."""
        return self._streams[self.stream_numbers[number]].find(utterance - self.first)

    def extents(self) -> list[tuple[Source, int]]:
        """Return the files of the reference, each with the number of its utterances."""
        return self._streams[self.stream_numbers[0]].extents()

    def explained(self, error: Exception, difference: str) -> Exception:
        """Return an error of the pairing, or its likely cause: a file that changed, or unequal numbers of utterances."""
        try:
            for stream in self._streams:
                stream.check()
        except FileError as changed:
            return changed
        if difference or error is UNEQUAL:
            error = self.unequal(difference) or error
        are_files = all(side.is_file for side in self.sides)
        have_equal_numbers = len({len(side.sources) for side in self.sides}) == 1
        if are_files and not have_equal_numbers and isinstance(error, FileError):
            numbers = " and ".join(f"{side.name} {len(side.sources)}" for side in self.sides)
            files = f" The sides have different numbers of files ({numbers}), so each was read as one text: is a file missing?"
            error = FileError(error.plain, files, counting=error.counting)
        return error

    def unequal(self, difference: str = "") -> Exception | None:
        """Return the error of sides that can't be read to their ends, or have unequal numbers of utterances; None without one."""
        try:
            if self._broken is not None:
                raise self._broken
            counts = [self._streams[stream].count_all() for stream in self.stream_numbers]
        except FileError as error:
            return error
        # The first side with another number of utterances than the reference.
        other = next((number for number, count in enumerate(counts) if count != counts[0]), None)
        if other is None:
            return None
        problems = []
        for number in (0, other):
            side = self.sides[number]
            sources = self._sources[number]
            name = sources[0].label(side.column) if len(sources) == 1 else side.name
            plural = "" if counts[number] == 1 else "s"
            problems.append(f"{name} has {counts[number]} {sources[0].noun}{plural}")
        first = Message(" The first that differs is ", difference) if difference else ""
        kind = FileError if self.sides[0].is_file else ValueError
        hint: object = " Blank lines count too, also at the end."
        if self._sources[0][0].noun == "document":
            question = " Do both sides mark the same documents? Otherwise score each file as one document: "
            hint = Hint(question, OPTIONS["whole_files"].set(True), ".")
        elif self._sources[0][0].marks_documents:
            question = " Are the sentences split differently? Then score documents: "
            hint = Hint(question, OPTIONS["documents"].set(True), ".")
        return kind(Message(f"{' and '.join(problems)}: expected equal numbers.", hint, first))


def pairings_of(sides: Sequence[Side], piece_bytes: int) -> list[Pairing]:
    """Return a pairing for each file of the reference if the sides have equal numbers of files, otherwise one for all."""
    numbers = {len(side.sources) for side in sides}
    if len(numbers) > 1:
        return [Pairing(sides, [side.sources for side in sides], piece_bytes)]
    # One source of each side at a time: the first of each, then the second of each.
    pairs = zip(*(side.sources for side in sides), strict=True)
    return [Pairing(sides, [(source,) for source in pair], piece_bytes) for pair in pairs]


class Stream:
    """Takes from sources, one after the other, as many utterances as are asked for; it holds about a piece and a batch."""

    def __init__(self, sources: Sequence[Source], piece_bytes: int) -> None:
        self._next_sources = iter(sources)
        self._piece_bytes = piece_bytes
        #: Sources that were opened, and the number of utterances before each.
        self._opened: list[Source] = []
        self._before: list[int] = []
        self._batches: Iterator[Batch] = iter(())
        self._held: deque[Batch] = deque()
        self._bytes = 0
        self._read = 0
        self._is_read = False
        self._error: Exception | None = None

    def available(self) -> int:
        """Return the number of utterances that make a piece of this stream; 0 at its end."""
        while not self._is_read and (not self._held or self._bytes < self._piece_bytes // 2):
            try:
                batch = self._next()
            except Exception as error:  # batches that were read before come first
                self._error = error
                self._is_read = True
                break
            if batch is not None:
                self._held.append(batch)
                self._bytes += batch.nbytes
        if self._error is not None and not self._held:
            raise self._error
        count = 0
        limit = self._piece_bytes
        for batch in self._held:
            within = rows_within(batch, limit)
            count += within
            limit -= batch.nbytes
            if within < len(batch) or limit <= 0:
                break
        return count

    def take(self, count: int) -> list[Batch]:
        """Return the next `count` utterances, which are available."""
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
        """Return the number of all utterances, after reading to the end."""
        self._held.clear()
        if self._error is not None:
            raise self._error
        while not self._is_read:
            self._next()
        return self._read

    def find(self, utterance: int) -> tuple[Source, int]:
        """Return the source of an utterance, and its index there."""
        number = bisect_right(self._before, utterance) - 1
        return self._opened[number], utterance - self._before[number]

    def extents(self) -> list[tuple[Source, int]]:
        """Return the sources, each with the number of its utterances."""
        bounds = pairwise([*self._before, self._read])
        return [(source, end - start) for source, (start, end) in zip(self._opened, bounds, strict=True)]

    def check(self) -> None:
        """Check that the files that were read have not changed."""
        for source in self._opened:
            source.check()

    def close(self) -> None:
        """Close what is open."""
        if hasattr(self._batches, "close"):
            self._batches.close()

    def _next(self) -> Batch | None:
        """Return the next batch that has utterances; None at the end."""
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
