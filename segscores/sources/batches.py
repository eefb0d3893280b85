"""Batches: consecutive utterances as their source holds them. They are cheap to cut; a thread decodes them.

A batch has one or more columns of equal length, such as those of a table. Three kinds are enough: `Lines` (text, and JSON lines),
`Rows` (Arrow) and `Examples` (lists of Python's values). All have `column`, a decoded column for which messages use the name of
its side and the number of its first utterance, and `raw`, a column as it is. Neighbouring batches of equal `kind` can be joined.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Sized
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, groupby
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..reading.inputs import EXPECTED, Column, check_rows, read_column
from ..support.arrays import byte_count
from ..support.errors import UtteranceError
from .opening import checked_utf8

#: A decoded column: whole lines of valid UTF-8, or a column of one of the types of `reading.inputs`.
Values: TypeAlias = "bytes | Column"
#: Decodes the columns of whole lines of JSON.
Parse: TypeAlias = Callable[[bytes], Sequence[pa.Array]]


class _Block:
    """Bytes that end in LF."""

    def __init__(self, data: bytes, count: int | None = None) -> None:
        self.data = data
        self.codes = np.frombuffer(data, np.uint8)
        self.count = int(np.count_nonzero(self.codes == 0x0A)) if count is None else count

    @cached_property
    def ends(self) -> npt.NDArray[np.int64]:
        """The beginning of each line, and the end of the last; a block that is not cut does without."""
        return np.concatenate(([0], np.flatnonzero(self.codes == 0x0A) + 1))


class Lines:
    """Lines of text or JSON: views of a block of a file, which the thread that decodes them copies.

    Args:
        block: whole lines.
        parse: decodes the columns of JSON lines; None for text, which is its own column.
        first, last: the first line of the block, and the one after the last.
    """

    def __init__(
        self, block: bytes | _Block, parse: Parse | None = None, first: int = 0, last: int | None = None
    ) -> None:
        self._block = _Block(block) if isinstance(block, bytes) else block
        self._first = first
        self._last = self._block.count if last is None else last
        self.kind = parse

    def __len__(self) -> int:
        return self._last - self._first

    def _span(self) -> tuple[int, int]:
        block = self._block
        if len(self) == block.count:
            return 0, len(block.data)
        return int(block.ends[self._first]), int(block.ends[self._last])

    @property
    def nbytes(self) -> int:
        start, stop = self._span()
        return stop - start

    def cut(self, start: int, stop: int) -> Lines:
        return Lines(self._block, self.kind, self._first + start, self._first + stop)

    @cached_property
    def _decoded(self) -> bytes | Sequence[pa.Array]:
        start, stop = self._span()
        text = checked_utf8(self._block.data[start:stop])
        return text if self.kind is None else self.kind(text)

    def column(self, at: int, side: str, first: int) -> Values:
        found = self._decoded
        if isinstance(found, bytes):
            return found
        check_rows(found[at], side)
        return read_column(found[at], side, first)

    def raw(self, at: int) -> pa.Array:
        found = self._decoded
        if isinstance(found, bytes):
            return pa.array(found.decode().split("\n")[:-1], pa.large_string())
        return found[at]

    def join(self, others: Sequence[Any]) -> Lines:
        parts = (self, *others)
        data = b"".join(memoryview(part._block.data)[slice(*part._span())] for part in parts)
        return Lines(_Block(data, sum(map(len, parts))), self.kind)


@dataclass(eq=False)
class Rows:
    """Columns of Arrow. Those of files and of other libraries are validated when they are decoded, `is_checked` ones were."""

    arrays: tuple[pa.Array, ...]
    is_checked: bool = False

    def __len__(self) -> int:
        return len(self.arrays[0])

    @property
    def kind(self) -> object:
        return (self.is_checked, *(array.type for array in self.arrays))

    @cached_property
    def nbytes(self) -> int:
        return 8 * len(self) + max(map(byte_count, self.arrays))

    def cut(self, start: int, stop: int) -> Rows:
        if (start, stop) == (0, len(self)):
            return self
        return Rows(tuple(array.slice(start, stop - start) for array in self.arrays), self.is_checked)

    def column(self, at: int, side: str, first: int) -> Column:
        array = self.arrays[at]
        if self.is_checked:
            return pa.chunked_array([array])
        check_rows(array, side)
        return read_column(array, side, first)

    def raw(self, at: int) -> pa.Array:
        return self.arrays[at]

    def join(self, others: Sequence[Any]) -> Rows:
        parts = [self, *others]
        if not self.is_checked:
            # Joining reads within the first and the last offset, which this checks; `column` checks the others.
            for part in parts:
                for array in part.arrays:
                    array.validate()
        return Rows(tuple(map(pa.concat_arrays, zip(*(part.arrays for part in parts), strict=True))), self.is_checked)


@dataclass(eq=False)
class Examples:
    """Columns of Python's values, as a dataset of Python code has them."""

    lists: tuple[list[Any], ...]
    kind: object = field(default="examples", init=False)

    def __len__(self) -> int:
        return len(self.lists[0])

    @cached_property
    def nbytes(self) -> int:
        return max(sum(map(_size_of, values)) for values in self.lists)

    def cut(self, start: int, stop: int) -> Examples:
        return Examples(tuple(values[start:stop] for values in self.lists))

    def column(self, at: int, side: str, first: int) -> Column:
        for row, value in enumerate(self.lists[at]):
            if value is None:
                raise UtteranceError(row, f"received None; {EXPECTED}.", side=side)
            if isinstance(value, list) and None in value:
                raise UtteranceError(row, f"received a list with None in it; {EXPECTED}.", side=side)
        return read_column(self.lists[at], side, first)

    def raw(self, at: int) -> pa.Array:
        try:
            return pa.array(self.lists[at])
        except (pa.ArrowInvalid, pa.ArrowTypeError, UnicodeError, OverflowError) as error:
            raise TypeError(
                f"clusters: expected ids that are all strings or all integers of 64 bits ({error})."
            ) from None

    def join(self, others: Sequence[Any]) -> Examples:
        parts = [self, *others]
        return Examples(
            tuple(list(chain.from_iterable(lists)) for lists in zip(*(part.lists for part in parts), strict=True))
        )


Batch: TypeAlias = "Lines | Rows | Examples"


def _size_of(value: Any) -> int:
    """About how many bytes an utterance takes, whatever it is."""
    if isinstance(value, str):
        return 8 + len(value)
    if not isinstance(value, list):
        return 8 + 8 * (len(value) if isinstance(value, Sized) else 0)
    return 8 + 8 * len(value) + sum(len(word) for word in value if isinstance(word, str))


def one_array(column: Column) -> pa.Array:
    """A column as one array."""
    if column.num_chunks == 1:
        return column.chunk(0)
    chunks = column.combine_chunks()
    return chunks if isinstance(chunks, pa.Array) else pa.concat_arrays(chunks.chunks)


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
