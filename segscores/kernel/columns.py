"""Columns: what is known of each word or of each utterance beside where it ends, such as tags.

A column is an array of numpy or Arrow, or an object with `take` and `join`. The reader of a form of text gives it a name, and the
measures of that form read it by this name. No other code knows the name: columns are cut and joined by the functions here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from . import arrow_functions as pc
from .arrays import Mask, int64_array


class ComposedColumn(Protocol):
    """A column of several arrays."""

    def take(self, kept: Mask) -> Any:
        """Return the column of the kept rows."""

    def join(self, others: Sequence[Any]) -> Any:
        """Return the column of these rows and the rows of the others, in order."""


Column: TypeAlias = npt.NDArray[Any] | pa.Array | ComposedColumn


def take_columns(columns: Mapping[str, Any], kept: Mask) -> dict[str, Any]:
    """Return the columns of the kept rows; `kept` is bool of shape (n_rows,).

    >>> take_columns({"is_long": np.array([True, False, False])}, np.array([True, False, True]))
    {'is_long': array([ True, False])}
    """
    return {name: _take(column, kept) for name, column in columns.items()}


def _take(column: Any, kept: Mask) -> Any:
    """Return a column of the kept rows."""
    if isinstance(column, np.ndarray):
        return column[kept]
    if isinstance(column, pa.Array):
        return pc.take(column, int64_array(np.flatnonzero(kept)))
    return column.take(kept)


def join_columns(parts: Sequence[Mapping[str, Any]], row_counts: Sequence[int]) -> dict[str, Any]:
    """Return the columns of several parts, in order; `row_counts` are the numbers of rows of the parts.

    Where a part has rows and lacks a column, the rows are null if the column is of Arrow. Other columns have no null, so that the
    whole lacks them too.

    >>> parts = [{"tag": pa.array(["NN"])}, {}, {"is_long": np.array([True])}]
    >>> {name: column.to_pylist() for name, column in join_columns(parts, [1, 0, 1]).items()}
    {'tag': ['NN', None]}
    """
    joined: dict[str, Any] = {}
    names = dict.fromkeys(chain.from_iterable(parts))  # in the order in which they come, each once
    for name in names:
        column = _join([columns.get(name) for columns in parts], row_counts)
        if column is not None:
            joined[name] = column
    return joined


def _join(columns: Sequence[Any], row_counts: Sequence[int]) -> Any:
    """Return one column of the columns of all parts; None if rows would have no value.

    `columns` has None for a part that lacks the column; at least one part has it.
    """
    first, *others = [column for column in columns if column is not None]
    if isinstance(first, pa.Array):
        filled = []
        for column, row_count in zip(columns, row_counts, strict=True):
            filled.append(pa.nulls(row_count, first.type) if column is None else column)
        return pa.concat_arrays(filled)
    # A part without rows needs no column.
    has_rows_without = any(
        column is None and row_count > 0 for column, row_count in zip(columns, row_counts, strict=True)
    )
    if has_rows_without:
        return None
    if isinstance(first, np.ndarray):
        return np.concatenate([first, *others])
    return first.join(others)
