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
from .observations import Extent


def rows_within(batch: Batch, limit: int) -> int:
    """Estimate how many utterances of a batch take about `limit` bytes, at least one."""
    size = batch.nbytes
    if size <= limit:
        return len(batch)
    # First as if all utterances were equally long: 10 of 100 for a tenth of the bytes. Then fewer, if the first are much longer.
    count = max(1, len(batch) * limit // size)
    while count > 1 and batch.cut(0, count).nbytes > 2 * limit:
        count //= 2
    return count


def join_batches(batches: Sequence[Batch]) -> list[Batch]:
    """Join neighbouring batches of one kind; as a rule one batch is left."""
    if len(batches) == 1:
        return list(batches)
    joined = []
    for _, neighbours in groupby(batches, key=lambda batch: (type(batch), batch.kind)):
        first, *others = neighbours
        joined.append(first.join(others) if others else first)
    return joined


#: The number of the reference among the sides; predictions count from 1.
REFERENCE = 0

#: Raised where one side ends before another. `Pairing.unequal` makes the error for the user, and for it reads the longer side to
#: its end. So it waits: if an earlier utterance has an error, that is the error.
UNEQUAL = FileError("the sides have different numbers of utterances.")


class Pairing:
    """The sources of each side that pair, as streams.

    These are one source of each side if all sides have as many sources, otherwise all sources of each side.
    A side has a number, REFERENCE or that of a prediction. Sides that are columns of the same sources share a stream.
    """

    def __init__(self, sides: Sequence[Side], sources: Sequence[tuple[Source, ...]], piece_bytes: int) -> None:
        self.utterances_before = 0  #: the number of utterances before the pairing, in the pass
        self.sides = sides
        self._sources = sources  #: for each side
        distinct = list(dict.fromkeys(sources))
        #: For each side, the number of its stream.
        self.stream_numbers = [distinct.index(sources_of_side) for sources_of_side in sources]
        self._streams = [Stream(sources_of_side, piece_bytes) for sources_of_side in distinct]
        #: The error of a side that can't be read to its end.
        self._broken: Exception | None = None

    def cuts(self) -> Iterator[tuple[list[list[Batch]], int]]:
        """Yield batches of each stream with the same utterances, and the number of these utterances.

        An error of reading comes after the batches that were read before it.
        """
        try:
            available = [stream.available() for stream in self._streams]
            while all(available):
                count = min(available)
                yield [stream.take(count) for stream in self._streams], count
                available = [stream.available() for stream in self._streams]
        except Exception as problem:
            self._broken = problem
            raise
        # At least one stream is at its end.
        if any(available):
            raise UNEQUAL

    def close(self) -> None:
        """Close what is open."""
        for stream in self._streams:
            stream.close()

    def find(self, side_number: int, utterance: int) -> tuple[Source, int]:
        """Return the source of an utterance of a side, and its index there; `utterance` counts in the whole pass."""
        return self._streams[self.stream_numbers[side_number]].find(utterance - self.utterances_before)

    def extents(self) -> list[Extent]:
        """Return the files of the reference, each with the number of its utterances."""
        return self._streams[self.stream_numbers[REFERENCE]].extents()

    def explained(self, error: Exception, difference: str) -> Exception:
        """Return an error of the pairing, or its likely cause: a file that changed, or unequal numbers of utterances.

        `difference` is what differs in the first utterance that differs, such as "line 3: the units differ"; empty if none does.
        """
        try:
            for stream in self._streams:
                stream.check()
        except FileError as changed:
            return changed
        # A line that is missing on one side shows as a difference between lines later on.
        may_be_unequal = difference or error is UNEQUAL
        if may_be_unequal:
            error = self.unequal(difference) or error  # the numbers may be equal
        are_files = all(side.is_file for side in self.sides)
        have_equal_numbers = len({len(side.sources) for side in self.sides}) == 1
        if are_files and not have_equal_numbers and isinstance(error, FileError):
            numbers = " and ".join(f"{side.name} {len(side.sources)}" for side in self.sides)
            error = error.with_addition(
                f" The sides have different numbers of files ({numbers}), so each was read as one text: is a file missing?"
            )
        return error

    def unequal(self, difference: str = "") -> Exception | None:
        """Return the error of sides that can't be read to their ends, or have unequal numbers of utterances; None without one.

        `difference` is as in `explained`. An example is "gold.txt has 4 lines and system.txt has 3 lines: expected equal numbers.
        Blank lines count too, also at the end. The first that differs is line 2: the units differ".
        """
        if isinstance(self._broken, FileError):
            return self._broken  # it names a file, and what is wrong with it
        if self._broken is not None:
            # Any other error, of a caller's iterator for example, is not for this module to explain.
            raise self._broken
        try:
            counts = [self._streams[stream_number].count_all() for stream_number in self.stream_numbers]
        except FileError as error:
            return error
        reference_count, *_ = counts
        other = next((number for number, count in enumerate(counts) if count != reference_count), None)
        if other is None:
            return None
        received = f"{self._described(REFERENCE, reference_count)} and {self._described(other, counts[other])}"
        first = Message(" The first that differs is ", difference) if difference else ""
        error_type = FileError if self.sides[REFERENCE].is_file else ValueError
        return error_type(Message(f"{received}: expected equal numbers.", self._hint_at_unequal(), first))

    def _described(self, side_number: int, count: int) -> str:
        """Return the number of utterances of a side in words, such as "gold.txt has 4 lines"."""
        side = self.sides[side_number]
        first_source, *others = self._sources[side_number]
        # A single source tells more than the side, such as a file and its column.
        name = side.name if others else first_source.label(side.column)
        noun = first_source.noun if count == 1 else f"{first_source.noun}s"
        return f"{name} has {count} {noun}"

    def _hint_at_unequal(self) -> object:
        """Return a hint where numbers of utterances are unequal, from what the utterances of the reference are."""
        sources_of_reference, *_ = self._sources
        reference_source, *_ = sources_of_reference
        if reference_source.noun == "document":
            question = " Do both sides mark the same documents? Otherwise score each file as one document: "
            return Hint(question, OPTIONS["whole_files"].set(True), ".")
        if reference_source.marks_documents:
            question = " Are the sentences split differently? Then score documents: "
            return Hint(question, OPTIONS["documents"].set(True), ".")
        return " Blank lines count too, also at the end."


def pairings_of(sides: Sequence[Side], piece_bytes: int) -> list[Pairing]:
    """Return a pairing for each file of the reference if the sides have equal numbers of files, otherwise one for all."""
    have_equal_numbers = len({len(side.sources) for side in sides}) == 1
    if not have_equal_numbers:
        return [Pairing(sides, [side.sources for side in sides], piece_bytes)]
    # One source of each side at a time: the first of each, then the second of each.
    sources_side_by_side = zip(*(side.sources for side in sides), strict=True)
    return [Pairing(sides, [(source,) for source in sources], piece_bytes) for sources in sources_side_by_side]


class Stream:
    """Takes from sources, one after the other, as many utterances as are asked for; it holds about a piece and a batch."""

    def __init__(self, sources: Sequence[Source], piece_bytes: int) -> None:
        self._next_sources = iter(sources)
        self._piece_bytes = piece_bytes
        #: Sources that were opened, and the number of utterances before each of them.
        self._opened: list[Source] = []
        self._utterances_before: list[int] = []
        self._batches: Iterator[Batch] = iter(())
        #: Batches that were read and not taken, and their bytes.
        self._held: deque[Batch] = deque()
        self._held_bytes = 0
        self._read_count = 0  #: the number of utterances that were read, taken or not
        self._is_at_end = False
        #: The error that ended the stream, which is raised when all that was read before it is taken.
        self._error: Exception | None = None

    def available(self) -> int:
        """Return the number of utterances that make a piece of this stream; 0 at its end."""
        # Read on until at least half a piece is held, so that a piece is not much smaller than it may be.
        while not self._is_at_end and (not self._held or self._held_bytes < self._piece_bytes // 2):
            self._hold_next()
        if self._error is not None and not self._held:
            raise self._error
        count = 0
        bytes_left = self._piece_bytes
        for batch in self._held:
            within = rows_within(batch, bytes_left)
            count += within
            bytes_left -= batch.nbytes
            is_full = within < len(batch) or bytes_left <= 0
            if is_full:
                break
        return count

    def _hold_next(self) -> None:
        """Read the next batch and hold it, or hold the error of reading it."""
        try:
            batch = self._next()
        except Exception as error:  # batches that were read before come first
            self._error = error
            self._is_at_end = True
            return
        if batch is not None:
            self._held.append(batch)
            self._held_bytes += batch.nbytes

    def take(self, count: int) -> list[Batch]:
        """Return the next `count` utterances, which are available."""
        taken: list[Batch] = []
        while count:
            batch = self._held.popleft()
            self._held_bytes -= batch.nbytes
            if len(batch) > count:
                # The rest waits for the next piece.
                rest = batch.cut(count, len(batch))
                self._held.appendleft(rest)
                self._held_bytes += rest.nbytes
                batch = batch.cut(0, count)
            taken.append(batch)
            count -= len(batch)
        return taken

    def count_all(self) -> int:
        """Return the number of all utterances, after reading to the end; nothing can be taken afterwards."""
        # A batch that is held is counted already, and only takes memory.
        self._held.clear()
        if self._error is not None:
            raise self._error
        while not self._is_at_end:
            self._next()
        return self._read_count

    def find(self, utterance: int) -> tuple[Source, int]:
        """Return the source of an utterance of the stream, and its index there."""
        # With 0, 3 and 3 utterances before three sources, utterance 3 is in the last: the second has none.
        source_number = bisect_right(self._utterances_before, utterance) - 1
        return self._opened[source_number], utterance - self._utterances_before[source_number]

    def extents(self) -> list[Extent]:
        """Return the sources, each with the number of its utterances."""
        # Sources with 0, 3 and 3 utterances before them, and 5 in all, have 3, 0 and 2.
        counts = [after - before for before, after in pairwise([*self._utterances_before, self._read_count])]
        return list(map(Extent, self._opened, counts))

    def check(self) -> None:
        """Check that the files that were read have not changed."""
        for source in self._opened:
            source.check()

    def close(self) -> None:
        """Close what is open."""
        # A generator holds a file open until it is closed; another iterator has nothing to close.
        if hasattr(self._batches, "close"):
            self._batches.close()

    def _next(self) -> Batch | None:
        """Return the next batch that has utterances, of this source or the next ones; None at the end."""
        while True:
            batch = next(self._batches, None)
            if batch is None:
                # This source is at its end: open the next one.
                self.close()
                source = next(self._next_sources, None)
                if source is None:
                    self._is_at_end = True
                    return None
                self._opened.append(source)
                self._utterances_before.append(self._read_count)
                self._batches = source.batches()
            elif len(batch):
                self._read_count += len(batch)
                return batch
