"""Spilling lexicon: a set of word types that continues on disk if it exceeds its memory.

Conventions
-----------
`memory` is in bytes. The types in memory, and the space to merge them, stay below it. When they
exceed it, they are written to files in a temporary folder, where DuckDB, an extra, counts them. A lexicon that never
exceeds its memory behaves as a `Lexicon`, and does not import DuckDB.

The files, or runs, are sorted by a hash of the words, of `_PARTS` values. DuckDB's aggregation runs out of memory if
there are many more groups than fit in it. So types are counted one range of hashes at a time, and each range fits.

A word of more than `_LONGEST` bytes, such as an unsegmented line, is stored on disk as its SHA-256, after a byte that
does not occur in UTF-8.
"""

from __future__ import annotations

__all__ = ["SpillingLexicon", "parse_memory"]

import hashlib
import os
import re
import shutil
import tempfile
import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..kernel.lexicon import _NO_KEYS, _NO_WORDS, Lexicon
from ..kernel.optional import require

if TYPE_CHECKING:
    import numpy.typing as npt

#: The number of hash values: a power of 2, small enough that reading a part of a run is worth while.
_PARTS = 256
#: Longer words are stored on disk as digests, so that a few rows never take much memory.
_LONGEST = 256
_DIGEST_MARK = b"\xff"
#: The number of words to hash, and of rows of a run to read, at a time.
_ROWS_AT_ONCE = 1 << 14
#: The memory of a merge, as a multiple of the types: a copy of them, a growing hash table, and the merged types.
_MERGING = 10
#: DuckDB fails below about 128 MB per thread, whatever the query.
_LEAST_MEMORY = 256 << 20
_MEMORY_PER_THREAD = 128 << 20
#: The memory of a group in DuckDB besides its letters, including free space in the table and buffers.
_BYTES_PER_GROUP = 128

_UNITS = {"b": 1} | {
    f"{letter}{infix}b": base**power
    for infix, base in (("", 1000), ("i", 1024))
    for power, letter in enumerate("kmgtp", start=1)
}


def parse_memory(text: str) -> int:
    """Read an amount of memory.

    Args:
        text: bytes, or a number and a unit in any case: kB, MB, GB, TB, PB are powers of 1000, KiB, MiB, … of 1024.

    Returns:
        Bytes, 1 or more.

    Raises:
        ValueError: it is not such an amount.

    >>> parse_memory("2GB"), parse_memory("1.5 GiB"), parse_memory("1000000")
    (2000000000, 1610612736, 1000000)
    """
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?) ?([a-z]*)", text.strip().lower())
    unit = _UNITS.get(found[2] or "b") if found else None
    amount = int(Decimal(found[1]) * unit) if found and unit else 0
    if amount < 1:
        raise ValueError(f"unknown amount of memory {text!r}: expected bytes, as 500000000, 500MB or 1.5GiB.")
    return amount


class SpillingLexicon(Lexicon):
    """A lexicon that may exceed its memory.

    It has its own temporary folder, which is removed when the lexicon is closed or no longer used, or when the process
    ends, also by Ctrl-C. A copy has its own folder, and shares files by hard links if the file system supports them.

    Once it has spilled, its types cannot be held in memory: `types`, and operations that need it (a plain lexicon's
    `update` and `count_shared`, and pickling), raise an error. Its own `update` and `count_shared` take lexicons of
    either kind.

    Args:
        memory: the bytes of memory for the types. Counting takes the same amount for each side, at least 256 MiB.
        folder: the parent of the temporary folder; None for the system's default.

    Raises:
        ValueError: DuckDB is not installed, or `memory` is below 1.
        OSError: the folder does not exist or cannot be written to. `update` and the counts raise it too if the disk is
            full; then no type is lost, and the operation can be repeated.

    >>> with SpillingLexicon(memory=1) as lexicon:
    ...     lexicon.update(Lexicon(pa.array([b"the", b"dog", b"the"], pa.large_binary())))
    ...     lexicon.update(Lexicon(pa.array([b"dog", b"on"], pa.large_binary())))
    ...     len(lexicon), lexicon.count_shared(Lexicon(pa.array([b"dog"], pa.large_binary())))
    (3, 1)
    """

    def __init__(self, *, memory: int, folder: str | Path | None = None) -> None:
        super().__init__()
        if memory < 1:
            raise ValueError(f"memory={memory!r}: expected bytes, 1 or more.")
        require("duckdb", "a lexicon that spills")
        self._memory = memory
        self._parent = folder
        try:
            self._folder = Path(tempfile.mkdtemp(prefix="segmentation-scores-types-", dir=folder)).resolve()
        except OSError as error:
            raise _folder_error(error, folder or tempfile.gettempdir()) from None
        self._remove_folder = weakref.finalize(self, _remove, self._folder, os.getpid())
        self._runs: list[Path] = []
        self._waiting_bytes = 0
        #: Of the runs: words, and bytes of their letters, by hash.
        self._sizes = np.zeros((2, _PARTS), np.int64)
        self._length: int | None = None
        #: The sizes of other lexicons, and the numbers of shared types.
        self._shared: weakref.WeakKeyDictionary[Lexicon, tuple[int, int]] = weakref.WeakKeyDictionary()

    def __enter__(self) -> SpillingLexicon:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Remove the temporary folder, after which the lexicon is unusable. It may be closed again."""
        self._remove_folder()
        self._keys, self._long, self._waiting, self._runs = _NO_KEYS, _NO_WORDS, [], []
        self._forget_counts()

    def update(self, other: Lexicon) -> None:
        """Add the types of `other`, and write types that exceed the memory to disk."""
        self._check_open()
        self._forget_counts()
        if isinstance(other, SpillingLexicon):
            other._check_open()
            self._adopt_runs(other)
            other = Lexicon.copy(other)
        before = len(self._waiting)
        super().update(other)
        self._waiting_bytes += sum(map(_bytes_of, self._waiting[before:]))
        budget = self._memory // _MERGING
        if self._held_bytes + self._waiting_bytes > budget:
            self._merge()
            # Merging repeated types may have freed enough memory; with less free memory every update would merge.
            if self._held_bytes > budget // 2:
                self._spill()

    @property
    def _held_bytes(self) -> int:
        return _bytes_of((self._keys, self._long))

    def copy(self) -> SpillingLexicon:
        """An independent lexicon with the same types."""
        other = SpillingLexicon(memory=self._memory, folder=self._parent)
        other.update(self)
        return other

    @property
    def types(self) -> pa.LargeBinaryArray:
        """The distinct words; their order has no meaning.

        Raises:
            ValueError: they are on disk.
        """
        self._check_in_memory()
        return super().types

    def _parts(self) -> list[tuple[npt.NDArray[np.uint64], pa.LargeBinaryArray]]:
        self._check_in_memory()
        return super()._parts()

    def _check_in_memory(self) -> None:
        self._check_open()
        if self._runs:
            raise ValueError(
                f"the types outgrew memory={self._memory} and are on disk, where they can only be counted, alone or with"
                " those of another lexicon; raise memory to have them."
            )

    def __len__(self) -> int:
        self._check_open()
        if not self._runs:
            return super().__len__()
        if self._length is None:
            self._spill()
            self._length, _, _ = _count_types(self)
        return self._length

    def count_shared(self, other: Lexicon) -> int:
        """The number of types that both have. The sizes of both are counted too, and cached until the next update."""
        self._check_open()
        if not self._runs and not (isinstance(other, SpillingLexicon) and other._runs):
            return super().count_shared(other)
        # Lexicons only grow: a lexicon of the same size is unchanged.
        size, shared = self._shared.get(other, (None, 0))
        if size is not None and size == len(other):
            return shared
        ours, theirs = self._on_disk(self), self._on_disk(other)
        ours._length, theirs._length, shared = _count_types(ours, theirs)
        self._shared[other] = len(other), shared
        return shared

    def __reduce__(self) -> tuple[object, ...]:
        if self._runs:
            raise TypeError(f"the types outgrew memory={self._memory} and are on disk: they cannot be pickled.")
        return _rebuild, (self.types, self._memory, self._parent)

    def _merge(self) -> None:
        super()._merge()
        self._waiting_bytes = 0

    def _check_open(self) -> None:
        if not self._remove_folder.alive:
            raise ValueError("the lexicon is closed.")

    def _forget_counts(self) -> None:
        self._length = None
        self._shared.clear()

    def _on_disk(self, lexicon: Lexicon) -> SpillingLexicon:
        """The lexicon with all types on disk: itself if it has spilled; otherwise a copy."""
        if isinstance(lexicon, SpillingLexicon) and lexicon._runs:
            spilled = lexicon
        else:
            spilled = SpillingLexicon(memory=self._memory, folder=self._parent)
            Lexicon.update(spilled, lexicon)
        spilled._spill()
        return spilled

    def _spill(self) -> None:
        """Write the types in memory as a run, and drop them from memory."""
        words = _shorten(self._held_types())
        if not len(words):
            return
        parts = _hash(words)
        run = self._folder / f"{len(self._runs)}.parquet"
        try:
            _write_run(run, words, parts)
        except OSError as error:
            raise _folder_error(error, self._folder.parent) from None
        self._sizes[0] += np.bincount(parts, minlength=_PARTS)
        self._sizes[1] += np.bincount(parts, pc.binary_length(words).to_numpy(), minlength=_PARTS).astype(np.int64)
        self._runs.append(run)
        self._keys, self._long = _NO_KEYS, _NO_WORDS

    def _adopt_runs(self, other: SpillingLexicon) -> None:
        """Add the runs of another lexicon."""
        count = len(self._runs)
        runs = [self._folder / f"{number}.parquet" for number in range(count, count + len(other._runs))]
        try:
            for theirs, run in zip(other._runs, runs, strict=True):
                _link(theirs, run)
        except BaseException as error:
            for run in runs:
                run.unlink(missing_ok=True)
            if isinstance(error, OSError):
                raise _folder_error(error, self._folder.parent) from None
            raise
        self._sizes = self._sizes + other._sizes
        self._runs = self._runs + runs


def _bytes_of(types: tuple[npt.NDArray[np.uint64], pa.LargeBinaryArray]) -> int:
    """The bytes that keys and longer words take."""
    keys, long = types
    return int(keys.nbytes + long.nbytes)


def _rebuild(types: pa.LargeBinaryArray, memory: int, folder: str | Path | None) -> SpillingLexicon:
    lexicon = SpillingLexicon(memory=memory, folder=folder)
    lexicon.update(Lexicon(types))
    return lexicon


def _remove(folder: Path, process: int) -> None:
    """Remove a temporary folder, but only in the process that made it, not in a fork."""
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:  # another file system, or one without links
        shutil.copyfile(source, target)


def _folder_error(error: OSError, folder: str | Path) -> OSError:
    # Arrow's messages have other words before the system's reason.
    reason = os.strerror(error.errno) if error.errno else error
    return OSError(f"{folder}: types that outgrow memory cannot be written there: {reason}.")


def _shorten(words: pa.LargeBinaryArray) -> pa.LargeBinaryArray:
    """The words, with digests in place of those that are too long."""
    too_long = pc.greater(pc.binary_length(words), _LONGEST)
    indices = np.flatnonzero(too_long.to_numpy(zero_copy_only=False))
    if not len(indices):
        return words
    ends, letters = _buffers(words)
    digests = b"".join(
        _DIGEST_MARK + hashlib.sha256(letters[ends[index] : ends[index + 1]].data).digest() for index in indices
    )
    digest_ends = np.linspace(0, len(digests), len(indices) + 1).astype(np.int64)
    replacements = pa.LargeBinaryArray.from_buffers(
        pa.large_binary(), len(indices), [None, pa.py_buffer(digest_ends), pa.py_buffer(digests)]
    )
    return pc.replace_with_mask(words, too_long, replacements)


def _hash(words: pa.LargeBinaryArray) -> npt.NDArray[np.uint8]:
    """A hash of each word, below `_PARTS`: of the polynomial of its bytes modulo 2⁶⁴, the highest bits."""
    weights = np.cumprod(np.full(_LONGEST, 0x9E3779B97F4A7C15, np.uint64))
    parts = np.empty(len(words), np.uint8)
    for start in range(0, len(words), _ROWS_AT_ONCE):
        ends, letters = _buffers(words.slice(start, _ROWS_AT_ONCE))
        places = np.arange(len(letters)) - np.repeat(ends[:-1], np.diff(ends))
        sums = np.zeros(len(letters) + 1, np.uint64)
        np.cumsum(weights[places] * letters, out=sums[1:])
        parts[start : start + _ROWS_AT_ONCE] = (sums[ends[1:]] - sums[ends[:-1]]) >> np.uint64(56)
    return parts


def _buffers(words: pa.LargeBinaryArray) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
    """The ends of words, after a leading 0, and their letters."""
    _, offsets, letters = words.buffers()
    ends = np.frombuffer(offsets, np.int64)[words.offset : words.offset + len(words) + 1]
    known = np.empty(0, np.uint8) if letters is None else np.frombuffer(letters, np.uint8)
    return ends - ends[0], known[ends[0] : ends[-1]]


def _write_run(path: Path, words: pa.LargeBinaryArray, parts: npt.NDArray[np.uint8]) -> None:
    """Write words ordered by hash, completely or not at all."""
    from pyarrow.parquet import ParquetWriter  # noqa: PLC0415 - takes long to import, and few lexicons spill

    order = np.argsort(parts, kind="stable")
    schema = pa.schema([("part", pa.uint8()), ("word", pa.large_binary())])
    try:
        with ParquetWriter(
            path, schema, compression="zstd", use_dictionary=["part"], write_statistics=["part"]
        ) as writer:
            for start in range(0, len(order), _ROWS_AT_ONCE):
                rows = order[start : start + _ROWS_AT_ONCE]
                columns = [_as_arrow(parts[rows], pa.uint8()), words.take(_as_arrow(rows, pa.int64()))]
                writer.write_batch(pa.RecordBatch.from_arrays(columns, schema=schema))
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def _as_arrow(values: npt.NDArray[Any], kind: pa.DataType) -> pa.Array:
    # Not pa.array(values), which imports pandas where it is installed.
    return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(values)])


def _count_types(*lexicons: SpillingLexicon) -> tuple[int, int, int]:
    """The numbers of types of one or two lexicons on disk: of the first, of the second, and of both."""
    import duckdb  # noqa: PLC0415 - an extra

    pa.default_memory_pool().release_unused()
    memory = max(_LEAST_MEMORY, sum(lexicon._memory for lexicon in lexicons))
    folder = lexicons[0]._folder
    overflow = folder / "overflow"
    settings: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": f"{memory}B",
        "threads": min(_cpu_count(), memory // _MEMORY_PER_THREAD),
        "temp_directory": str(overflow),
        "preserve_insertion_order": False,
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }
    counts = np.zeros(3, np.int64)
    try:
        with duckdb.connect(":memory:", config=settings) as connection:
            # In an interactive Python, DuckDB would draw a progress bar on standard output.
            connection.execute("SET enable_progress_bar = false")
            ranges = list(_ranges(np.sum([lexicon._sizes for lexicon in lexicons], axis=0), memory))
            while ranges:
                first, end = ranges.pop()
                try:
                    counts += np.array(_execute(connection, *_query(lexicons, first, end)))
                except duckdb.OutOfMemoryException:
                    if end - first == 1:
                        raise
                    middle = (first + end) // 2
                    ranges += [(first, middle), (middle, end)]
    except duckdb.OutOfMemoryException:
        raise ValueError(
            f"the types cannot be counted in {memory} bytes: raise memory={lexicons[0]._memory}."
        ) from None
    except duckdb.IOException as error:
        raise OSError(f"{folder}: types that outgrew memory cannot be counted: {error}") from None
    finally:
        shutil.rmtree(overflow, ignore_errors=True)
    only_first, only_second, both = map(int, counts)
    return only_first + both, only_second + both, both


def _execute(connection: Any, query: str, parameters: dict[str, list[str]]) -> tuple[int, ...]:
    """The only row of a query's result.

    It runs in a separate thread: in the main thread, DuckDB notices Ctrl-C late and raises a RuntimeError.
    """
    with ThreadPoolExecutor(1) as pool:
        rows = pool.submit(lambda: connection.execute(query, parameters).fetchall())
        try:
            return tuple(rows.result()[0])
        finally:
            if not rows.done():
                connection.interrupt()


def _ranges(sizes: npt.NDArray[np.int64], memory: int) -> Iterator[tuple[int, int]]:
    """Ranges of hashes, each as wide as fits in memory, and at least one hash wide."""
    costs = np.concatenate([[0], np.cumsum(sizes[0] * _BYTES_PER_GROUP + sizes[1])])
    first = 0
    while first < _PARTS:
        end = max(first + 1, int(np.searchsorted(costs, costs[first] + memory, "right")) - 1)
        yield first, end
        first = end


def _query(lexicons: tuple[SpillingLexicon, ...], first: int, end: int) -> tuple[str, dict[str, list[str]]]:
    """The query that counts the types of a range of hashes, and its parameters."""
    runs = {f"runs{side}": [_literal(run) for run in lexicon._runs] for side, lexicon in enumerate(lexicons, start=1)}
    sides = " UNION ALL ".join(
        f"SELECT word, {side}::UTINYINT AS side FROM read_parquet($runs{side}) WHERE part >= {first} AND part < {end}"
        for side, lexicon in enumerate(lexicons, start=1)
        if lexicon._runs
    )
    counted = ", ".join(f"count(*) FILTER (sides = {sides})" for sides in (1, 2, 3))
    query = f"SELECT {counted} FROM (SELECT bit_or(side) AS sides FROM ({sides}) GROUP BY word)"
    return query, {name: paths for name, paths in runs.items() if paths}


def _literal(path: Path) -> str:
    """A path as a pattern that matches only this path."""
    return re.sub(r"([*?[])", r"[\1]", str(path))


def _cpu_count() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
