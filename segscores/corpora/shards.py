"""Shards: files of any size in pairs of pieces, which are scored separately.

Conventions
-----------
- A shard has a piece of each side, with the same utterances. Plain text and JSON lines can be divided by bytes, Parquet
  and Arrow files by rows. Packed files, CoNLL-U and standard input are one piece, which is read from beginning to end.
- Lines pair by number, so that dividing text requires counting newlines, which takes about a fiftieth of the scoring
  time.
- Shards are scored by threads of this process, or by worker processes. In both cases their tallies add up to those of
  the whole.

Failure
-------
With `on_error="raise"` the first shard in order that fails ends the run. With `"skip"` bad utterances
are left out, and files that can't be read or don't pair are left out completely. If a worker dies, only its piece of a
file is left out.
"""

from __future__ import annotations

__all__ = ["Outcome", "Piece", "Shard", "run_shards", "with_window_size"]

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from io import FileIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from ..measures.windows import default_window_size
from .columns import row_group_ends
from .file_tallies import window_lengths
from .memory import keep_freed_memory
from .names import is_conllu, is_json, is_own, is_table
from .opening import BYTE_ORDER_MARK, FileError, is_packed
from .progress import Progress, ProgressBar, file_size, is_pipe
from .side_sources import hint_at_numbers, open_source
from .sides import Side, Sides
from .sources import ChainedSource, Source

if TYPE_CHECKING:
    from ..kernel.workers import WorkerDeath

#: About how many bytes of the reference a piece has: a worker's answer, which has the types, is small in comparison.
SHARD_BYTES = 1 << 25

# The number of bytes in which newlines are counted at a time.
_READ_BYTES = 1 << 19


#: Such as `file_tallies.tally_parts`: called with the reference, the predictions, the plan, `skips` and `workers`, it yields
#: the result for each part.
Work = Callable[..., Iterator[Any]]


@dataclass(frozen=True)
class Piece:
    """A piece of a file.

    Attributes:
        path: of the file.
        start, stop: bytes of lines, or rows of a table; to the end if None.
        first: the number of utterances before it.
    """

    path: str
    start: int = 0
    stop: int | None = None
    first: int = 0


@dataclass(frozen=True)
class Shard:
    """Pieces that pair.

    Attributes:
        group: the number of its group of files.
        sides: for each side, its pieces in order.
        count: the number of its utterances; None if they were not counted.
        first: the number of utterances of these files before it.
    """

    group: int
    sides: tuple[tuple[Piece, ...], ...]
    count: int | None = None
    first: int = 0

    def __str__(self) -> str:
        pieces = [piece for side in self.sides for piece in side[:1]]
        names = dict.fromkeys(piece.path for piece in pieces)
        if self.count is None:
            return " and ".join(names)
        first = pieces[0].first
        noun = "row" if is_table(pieces[0].path) and not is_json(pieces[0].path) else "line"
        shift = 0 if noun == "row" else 1
        return f"{' and '.join(names)}, {noun}s {first + shift} to {first + self.count - 1 + shift}"


@dataclass
class Outcome:
    """The results of shards.

    Attributes:
        found: the sum of the results; None if there was none.
        extents: the files of the reference in order, each with its first utterance and number of utterances.
        noun, first_number: the name of an utterance in the reference's files, and the number of the first.
        form: the form of the reference's utterances, a type of `inputs`; None without any.
        shards: the number of scored shards.
        failures: what was left out besides bad utterances, and why.
    """

    found: Any = None
    extents: list[tuple[str, int, int]] = field(default_factory=list)
    noun: str = "line"
    first_number: int = 1
    form: pa.DataType | None = None
    shards: int = 0
    failures: list[str] = field(default_factory=list)

    def update(self, other: Outcome) -> None:
        """Add the results of the next shards."""
        if not other.shards:
            return
        self.add(other.found)
        self.shards += other.shards
        self.extents.extend(other.extents)
        self.noun, self.first_number = other.noun, other.first_number
        self.form = other.form if self.form is None else self.form

    def add(self, part: Any) -> None:
        """Add the result for a part; None adds nothing."""
        if self.found is None:
            self.found = part
        elif part is not None:
            self.found.update(part)


@dataclass(frozen=True)
class _Setup:
    """The settings that all shards share.

    Attributes:
        work: the function to call.
        sides: the sides to read.
        skips: whether to leave out bad input.
        threads: the number for each shard; one per core if None.
    """

    work: Work
    sides: Sides
    skips: bool
    threads: int | None


def run_shards(
    work: Work,
    sides: Sides,
    *,
    skips: bool = False,
    jobs: int | None = None,
) -> Outcome:
    """Call `work` for every shard, and add up the results.

    Args:
        work: a module-level function.
        sides: the sides to read.
        skips: whether to leave out bad input.
        jobs: the number of worker processes; None for threads in this process, one per core. For a single file that can't be
            divided it is the number of threads.

    Raises:
        FileError: a file can't be read, the sides don't pair, or an utterance is bad; with `skips`, no file can be scored.
        OSError: a worker died.
    """
    groups = _pair_files(sides)
    can_cut = len(groups) > 1 or _are_lines(groups[0], sides) or _are_rows(groups[0])
    can_share = can_cut and not any(map(is_own, sides.paths))
    workers = jobs if jobs is not None and jobs > 1 and can_share else 0
    setup = _Setup(work, sides, skips, 1 if workers else jobs)
    total = _Total(skips=skips, waits=skips and len(groups) > 1)
    with ProgressBar(sides.paths) as progress, hint_at_numbers(sides):
        if workers:
            shards = (shard for group in groups for shard in _cut(group, sides))
            _score_in_workers(setup, shards, workers, progress, total)
        else:
            for group in groups:
                try:
                    _score_shard(setup, group, progress, total.of(group))
                except FileError as error:
                    total.leave_out(group, error)
    outcome = total.finish()
    if not outcome.shards:
        raise FileError(f"nothing could be scored. The first problem: {outcome.failures[0]}")
    return outcome


def with_window_size(sides: Sides, *, skips: bool = False, jobs: int | None = None) -> Sides:
    """The sides with the window size computed from the reference, if no option gives it.

    Args:
        sides: what is read.
        skips: as in `run_shards`; the window size then comes from the utterances that are scored for every prediction.
        jobs: as in `run_shards`.

    Raises:
        ValueError: what is read is standard input or a pipe, which can't be read twice.
        FileError: it can't be read.
    """
    if not sides.plan.needs_window_size:
        return sides
    read = sides if skips else replace(sides, sides=sides.sides[:1])
    for path in (path for side in read.sides for path in side.paths):
        if path == "-" or is_pipe(path):
            name = "standard input" if path == "-" else path
            whole = "all utterances that can be scored" if skips else "the whole reference"
            raise ValueError(
                f"the default window size needs {whole} first, and {name} can be read only once: pass "
                f"--window-size with a number "
                'of gaps, or "utterance".'
            )
    found = run_shards(window_lengths, read, skips=skips, jobs=jobs).found
    counts = {"units": 0, "words": 0, "utterances": 0} if found is None else found.tallies[0].counts
    size = int(default_window_size(**counts, window_convention=sides.plan.values["window_convention"]))
    return replace(sides, plan=sides.plan.with_window_size(size))


class _Total:
    """The sum of the results of all shards.

    Args:
        skips: whether to leave out what fails.
        waits: whether to add a group of files only when it is complete: the results of files that fail midway are dropped.
    """

    def __init__(self, *, skips: bool, waits: bool) -> None:
        self._whole = Outcome()
        self._skips = skips
        self._waits = waits
        self._group, self._waiting, self._is_failed = -1, Outcome(), False

    def of(self, shard: Shard) -> Outcome:
        """The sum to which the results of a shard are added; shards come group by group."""
        if shard.group != self._group:
            self.finish()
            self._group, self._waiting, self._is_failed = shard.group, Outcome(), False
        # What is added for files that failed is dropped.
        return Outcome() if self._is_failed else self._waiting if self._waits else self._whole

    def leave_out(self, shard: Shard, error: FileError) -> None:
        """Leave out the files of a shard that can't be read or don't pair.

        Raises:
            FileError: the error, if it ends the run.
        """
        self.of(shard)
        if not self._waits:
            raise error
        if not self._is_failed:
            self._whole.failures.append(str(error))
        self._waiting, self._is_failed = Outcome(), True

    def leave_out_piece(self, shard: Shard, death: WorkerDeath) -> None:
        """Leave out the shard whose worker died.

        Raises:
            OSError: that ends the run.
        """
        problem = f"{shard}: the worker that scored this {death}"
        problem += (
            "; was it ended, or out of memory?"
            if death.was_killed
            else '; a script that calls this needs if __name__ == "__main__".'
        )
        if not self._skips:
            advice = "Fewer --jobs take less memory. " if death.was_killed else ""
            raise OSError(f"{problem} {advice}Nothing was written: it can be run again.")
        self._whole.failures.append(problem)

    def finish(self) -> Outcome:
        """Add the last group, and return the sum."""
        self._whole.update(self._waiting)
        self._waiting = Outcome()
        return self._whole


def _score_in_workers(setup: _Setup, shards: Iterator[Shard], jobs: int, progress: Progress, total: _Total) -> None:
    """Score shards in worker processes, and add their results to `total`."""
    from ..kernel.workers import WorkerDeath, map_in_workers

    # Closing ends the workers after any error.
    with closing(map_in_workers(_score_in_worker, shards, jobs, setup)) as results:
        for shard, result in results:
            progress(sum(_size(piece) for side in shard.sides for piece in side))
            if isinstance(result, WorkerDeath):
                total.leave_out_piece(shard, result)
            elif isinstance(result, FileError):
                total.leave_out(shard, result)
            elif isinstance(result, Exception):
                raise result
            else:
                total.of(shard).update(result)


def _score_in_worker(setup: _Setup, shard: Shard) -> Outcome:
    keep_freed_memory()
    outcome = Outcome()
    _score_shard(setup, shard, lambda _: None, outcome)
    return outcome


def _score_shard(setup: _Setup, shard: Shard, progress: Progress, outcome: Outcome) -> None:
    """Do the work on a shard, and add the results of its parts to an outcome.

    Raises:
        FileError: a file can't be read, the sides don't pair, or an utterance is bad.
    """
    with ExitStack() as stack:
        reference, *predictions = [
            stack.enter_context(closing(_open_pieces(side, pieces, shard.first, setup.sides, progress)))
            for side, pieces in zip(setup.sides.sides, shard.sides, strict=True)
        ]
        for part in setup.work(reference, predictions, setup.sides.plan, skips=setup.skips, workers=setup.threads):
            outcome.add(part)
        extents = _extents(reference, shard.sides[0])
        form = reference.form if reference.taken > reference.first else None
        outcome.update(Outcome(None, extents, reference.noun, reference.first_number, form, shards=1))


def _extents(source: Source, pieces: Sequence[Piece]) -> list[tuple[str, int, int]]:
    """The files that were read, each with its first utterance and number of utterances."""
    read = source.opened if isinstance(source, ChainedSource) else [source]
    return [(piece.path, each.first, each.taken - each.first) for piece, each in zip(pieces, read, strict=False)]


def _size(piece: Piece) -> int:
    """The bytes of a piece, about."""
    if is_table(piece.path) and not is_json(piece.path):
        return 0
    return ((file_size(piece.path) or 0) if piece.stop is None else piece.stop) - piece.start


def _open_pieces(side: Side, pieces: Sequence[Piece], first: int, sides: Sides, progress: Progress) -> Source:
    """Pieces of a side as one source.

    Args:
        side, pieces: the side, and the pieces of its files to read.
        first: the number of utterances before them, in all files that pair as one.
        sides, progress: as in `run_shards`.

    Raises:
        FileError: a file can't be opened.
    """
    openers = [
        (
            piece.path,
            partial(
                open_source,
                *(piece.path, side, sides, progress),
                start=piece.start,
                stop=piece.stop,
                first=piece.first,
            ),
        )
        for piece in pieces
    ]
    if len(side.paths) > 1 and not sides.pair_by_file:
        return ChainedSource(side.label, openers, first)
    return openers[0][1]()


def _pair_files(sides: Sides) -> list[Shard]:
    """A shard for each file of the reference if the sides have equal numbers of files; otherwise one for all."""
    whole = [tuple(Piece(path) for path in side.paths) for side in sides.sides]
    if not sides.pair_by_file:
        return [Shard(0, tuple(whole))]
    return [Shard(group, tuple((pieces[group],) for pieces in whole)) for group in range(len(sides.sides[0].paths))]


def _are_lines(group: Shard, sides: Sides) -> bool:
    formats = [
        (piece.path, sides.format_of(side))
        for side, pieces in zip(sides.sides, group.sides, strict=True)
        for piece in pieces
    ]
    return all(
        (is_json(path) or not (is_table(path) or is_conllu(path, text_format))) and not is_packed(path)
        for path, text_format in formats
    )


def _are_rows(group: Shard) -> bool:
    return all(len(side) == 1 and is_table(side[0].path) and not is_json(side[0].path) for side in group.sides)


def _cut(group: Shard, sides: Sides, size: int = SHARD_BYTES) -> Iterator[Shard]:
    """The shards of paired files, of about `size` bytes; whole files where they can't be divided or read."""
    if _are_lines(group, sides):
        return _cut_lines(group, size)
    return _cut_rows(group, size) if _are_rows(group) else iter([group])


def _cut_rows(group: Shard, piece_bytes: int) -> Iterator[Shard]:
    try:
        ends = [row_group_ends(side[0].path) for side in group.sides]
        size = Path(group.sides[0][0].path).stat().st_size
    except (FileError, OSError):
        yield group
        return
    # Different lengths, and streams, are detected when the files are read. Groups of rows are read whole, so that a
    # shard ends where a group ends on every side.
    shared = set.intersection(*map(set, ends))
    if any(not own or own[-1] != ends[0][-1] for own in ends) or not ends[0][-1]:
        yield group
        return
    rows = max(1, ends[0][-1] * piece_bytes // max(1, size))
    start = 0
    for end in sorted(shared):
        if end > start and (end - start >= rows or end == ends[0][-1]):
            sides = tuple((Piece(side[0].path, start, end, start),) for side in group.sides)
            yield Shard(group.group, sides, end - start, start)
            start = end


def _cut_lines(group: Shard, size: int) -> Iterator[Shard]:
    """Shards of lines. The last extends to the ends of the files, so that different lengths are detected there."""
    rest = group
    held: Shard | None = None
    first = 0
    with ExitStack() as stack, suppress(OSError):
        cutters = [stack.enter_context(closing(_LineCutter([piece.path for piece in side]))) for side in group.sides]
        while True:
            following = Shard(group.group, tuple(cutter.rest() for cutter in cutters), first=first)
            block = cutters[0].take_block(size)
            if block is None:
                break
            if held is not None:
                yield held
            rest, held = following, None
            piece, count = block
            others = [cutter.take_lines(count) for cutter in cutters[1:]]
            complete = [other for other in others if other is not None]
            if len(complete) < len(others):
                break
            held = Shard(group.group, ((piece,), *complete), count, first)
            rest = replace(rest, count=count)
            first += count
    # The reader reports files that can't be read or don't pair.
    yield rest


class _LineCutter:
    """Divides files of lines, as if they were one file, at line ends.

    It reuses one buffer, so that newlines are counted in the processor's cache.

    Raises:
        OSError: a file can't be read.
    """

    def __init__(self, paths: Sequence[str]) -> None:
        self._next = list(paths)[::-1]
        self._file: FileIO | None = None
        self._path = ""
        # Bytes and lines of the file that were taken.
        self._at = self._lines = 0
        self._buffer = bytearray(_READ_BYTES)
        self._codes = np.frombuffer(self._buffer, np.uint8)
        self._is_newline = np.empty(_READ_BYTES, bool)
        self._advance()

    def close(self) -> None:
        """Close the file that is open."""
        if self._file is not None:
            self._file.close()

    def rest(self) -> tuple[Piece, ...]:
        """All remaining bytes."""
        return Piece(self._path, self._at, None, self._lines), *(Piece(path) for path in self._next[::-1])

    def take_block(self, size: int) -> tuple[Piece, int] | None:
        """A piece of `size` bytes and the rest of the line there, with its number of lines; None at the end of all
        files.
        """
        while True:
            start, first = self._at, self._lines
            if self._skip_bytes(size):
                self._skip_lines(1, is_open=True)
            if self._at > start:
                return Piece(self._path, start, self._at, first), self._lines - first
            if not self._advance():
                return None

    def take_lines(self, count: int) -> tuple[Piece, ...] | None:
        """Pieces with the next `count` lines; None if fewer are left."""
        pieces = []
        while True:
            start, first = self._at, self._lines
            self._skip_lines(count)
            count -= self._lines - first
            if self._at > start:
                pieces.append(Piece(self._path, start, self._at, first))
            if not count:
                return tuple(pieces)
            if not self._advance():
                return None

    def _skip_bytes(self, size: int) -> bool:
        """Advance by `size` bytes, or to the end of the file; return whether that is within a line."""
        is_open = False
        while size and (read := self._read(size)):
            size -= read
            self._at += read
            self._lines += int(np.count_nonzero(self._is_newline[:read]))
            is_open = not self._is_newline[read - 1]
        return is_open

    def _skip_lines(self, count: int, *, is_open: bool = False) -> None:
        """Advance by `count` lines, or to the end of the file, where the last line needs no newline.

        Args:
            count: the number of lines.
            is_open: whether the first line began before.
        """
        while count and (read := self._read(_READ_BYTES)):
            found = int(np.count_nonzero(self._is_newline[:read]))
            if found >= count:
                read = int(np.flatnonzero(self._is_newline[:read])[count - 1]) + 1
                found = count
            count -= found
            self._at += read
            self._lines += found
            is_open = not self._is_newline[read - 1]
        if count and is_open:
            self._lines += 1

    def _read(self, size: int) -> int:
        """Read into the buffer from the current position; return the number of bytes, 0 at the end of the file."""
        assert self._file is not None
        self._file.seek(self._at)
        read = self._file.readinto(memoryview(self._buffer)[: min(size, _READ_BYTES)])
        np.equal(self._codes[:read], 0x0A, out=self._is_newline[:read])
        return read

    def _advance(self) -> bool:
        """Advance to the next file; False if there is none."""
        if not self._next:
            return False
        self.close()
        self._path = self._next.pop()
        self._file = FileIO(self._path)
        # In a file with nothing else, a byte-order mark is not a line.
        self._at = len(BYTE_ORDER_MARK) if self._file.read(len(BYTE_ORDER_MARK)) == BYTE_ORDER_MARK else 0
        self._lines = 0
        return True
