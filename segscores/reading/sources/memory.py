"""Sources of tables and datasets, of which columns are read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, TypeVar

import pyarrow as pa

from ...options.errors import UtteranceError
from ..inputs import EXPECTED, Column, read_column
from .source import Batch, Rows, Source, one_array

#: The bytes of the offset at which an utterance or a word begins, and of a label.
_OFFSET_BYTES = 8
_LABEL_BYTES = 8

Rowed = TypeVar("Rowed", bound="Mapping[str, list[Any]] | pa.Table | pa.RecordBatch")


def dataset_source(dataset: Any, columns: Sequence[str], batch_size: int) -> Source:
    """Return the source of columns of a `datasets.Dataset`, an `IterableDataset`, or an object that exports an Arrow stream."""
    if hasattr(dataset, "with_format") and hasattr(dataset, "iter"):
        return Source("the dataset", lambda: _datasets(dataset, columns, batch_size), noun="row")
    if not isinstance(dataset, Mapping) and hasattr(dataset, "__arrow_c_stream__"):
        return _exported(dataset, columns)
    expected = "expected a datasets.Dataset, a datasets.IterableDataset or an Arrow table"
    if isinstance(dataset, Mapping):
        splits = ", ".join(map(str, dataset))
        raise TypeError(f"received a {type(dataset).__name__}; {expected}: pass one of its splits: {splits}.")
    raise TypeError(f"received a value of type {type(dataset).__name__}; {expected}.")


def _exported(table: Any, columns: Sequence[str]) -> Source:
    """Return the source of columns of an object that exports an Arrow stream: pyarrow, polars, pandas 2.2, duckdb."""

    def batches() -> Iterator[Batch]:
        """Yield the columns of each batch of the stream."""
        try:
            reader = pa.RecordBatchReader.from_stream(table)
        except (pa.ArrowException, UnicodeEncodeError) as error:
            # The values are of pandas, whose columns of objects are converted here: its errors have several messages.
            problem = ", ".join(map(str, error.args)) if isinstance(error, pa.ArrowException) else str(error)
            expected = "expected values of one kind in each column, such as strings."
            raise TypeError(f"the table can't be read through Arrow ({problem}); {expected}") from None
        _check_names(columns, reader.schema.names)
        for batch in _noting(reader):
            yield Rows(tuple(batch.column(name) for name in columns))

    return Source("the table", batches, noun="row", is_once=isinstance(table, pa.RecordBatchReader))


def _datasets(dataset: Any, columns: Sequence[str], batch_size: int) -> Iterator[Batch]:
    """Yield columns of a `Dataset` or an `IterableDataset`: of Arrow, or Python's values if Python code makes them."""
    known = dataset.column_names  # None if only a batch shows the columns
    if known is not None:
        _check_names(columns, known)
    # Only the internals of an IterableDataset show whether Python code makes its examples: a table of each would be slow.
    examples = getattr(dataset, "_ex_iterable", None)
    is_arrow = examples is None or getattr(examples, "iter_arrow", None) is not None
    plain = dataset.with_format("arrow" if is_arrow else None)
    if known is not None:
        plain = plain.select_columns(list(dict.fromkeys(columns)))

    for batch in _noting(plain.iter(batch_size)):
        if isinstance(batch, pa.Table):
            _check_names(columns, batch.column_names)
            # If rows were selected, each is a chunk of its own, which makes every access slow: make one chunk.
            yield Rows(tuple(one_array(batch[name]) for name in columns))
        else:
            _check_names(columns, list(batch))
            yield Examples(tuple(batch[name] for name in columns))


def _noting(batches: Iterable[Rowed]) -> Iterator[Rowed]:
    """Yield the batches; add a note of the rows before them to errors of the dataset itself."""
    row_count = 0
    try:
        for batch in batches:
            if isinstance(batch, Mapping):
                row_count += max(map(len, batch.values()), default=0)  # examples may have no columns
            else:
                row_count += len(batch)
            yield batch
    except Exception as error:
        if hasattr(error, "add_note"):  # from Python 3.11 on
            error.add_note(f"{row_count} rows of the dataset were read before.")
        raise


def _check_names(columns: Iterable[str], known: Sequence[str]) -> None:
    """Check that a dataset with these known columns has each of the columns to read once."""
    for name in columns:
        if name not in known:
            names = ", ".join(map(repr, known)) or "no columns"
            raise ValueError(f"there is no column {name!r}: the dataset has {names}.")
        if list(known).count(name) > 1:
            raise ValueError(f"there are {list(known).count(name)} columns {name!r}; expected one.")


@dataclass(eq=False)
class Examples:
    """Columns of Python's values, as a dataset of Python code has them."""

    lists: tuple[list[Any], ...]
    kind: object = field(default="examples", init=False)  #: one for all, so that any two can be joined

    def __len__(self) -> int:
        return len(self.lists[0])

    @cached_property
    def nbytes(self) -> int:
        """The bytes of the largest column: a piece is measured by one side."""
        return max(sum(map(_size_of, values)) for values in self.lists)

    def cut(self, start: int, stop: int) -> Examples:
        """Return the rows from `start` to before `stop`."""
        return Examples(tuple(values[start:stop] for values in self.lists))

    def decode(self, column: int, side: str, first_utterance: int) -> Column:
        """Return a column, by its number, after a check that no value is missing."""
        for row, value in enumerate(self.lists[column]):
            if value is None:
                raise UtteranceError(row, f"received None; {EXPECTED}.", side=side)
            if isinstance(value, list) and any(item is None for item in value):  # `in` would compare arrays
                raise UtteranceError(row, f"received a list with None in it; {EXPECTED}.", side=side)
        return read_column(self.lists[column], side, first_utterance)

    def raw(self, column: int) -> pa.Array:
        """Return the ids in a column, by its number."""
        try:
            return pa.array(self.lists[column])
        except (pa.ArrowInvalid, pa.ArrowTypeError, UnicodeError, OverflowError) as error:
            expected = "expected ids that are all strings or all integers of 64 bits"
            raise TypeError(f"clusters: {expected} ({error}).") from None

    def join(self, others: Sequence[Any]) -> Examples:
        """Return the rows of these examples and of others, in order."""
        batches = [self, *others]
        joined = []
        for column in range(len(self.lists)):
            joined.append(list(chain.from_iterable(batch.lists[column] for batch in batches)))
        return Examples(tuple(joined))


def _size_of(value: Any) -> int:
    """Return about how many bytes an utterance takes as an Arrow array, whatever its form."""
    if isinstance(value, str):
        return _OFFSET_BYTES + len(value)
    if isinstance(value, list):
        # A word has an offset, and a label as many bytes.
        characters = sum(len(word) for word in value if isinstance(word, str))
        return _OFFSET_BYTES + _OFFSET_BYTES * len(value) + characters
    if isinstance(value, Sized):  # such as an array of labels
        return _OFFSET_BYTES + _LABEL_BYTES * len(value)
    return _OFFSET_BYTES
