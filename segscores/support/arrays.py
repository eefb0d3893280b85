"""Types of numpy arrays, and small functions over them that several measures share."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]
Positions = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Integers: TypeAlias = npt.NDArray[np.signedinteger[Any]]


def lengths_of(ends: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The lengths of pieces that follow each other, from where each ends.

    The naive equivalent is `np.diff(ends, prepend=0)`, which takes five times as long for a few pieces.

    >>> lengths_of(np.array([2, 2, 5]))
    array([2, 0, 3])
    """
    lengths = ends.copy()
    lengths[1:] -= ends[:-1]
    return lengths  # type: ignore[no-any-return]


def integer_for(size: int) -> type[np.signedinteger[Any]]:
    """The smallest integer type for numbers up to a size and for sums of two of them; small types take less time."""
    return np.int32 if size < 1 << 30 else np.int64


def count_to(ends: npt.NDArray[np.int64], total: int) -> Integers:
    """How many words end at or before each position from 0 to `total`."""
    is_end = np.zeros(total + 1, bool)
    is_end[ends] = True
    counts: Integers = np.cumsum(is_end, dtype=integer_for(total))
    return counts


def sum_by_utterance(
    values: npt.NDArray[np.int64] | npt.NDArray[np.bool_], counts: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """The sum of each utterance's values.

    >>> sum_by_utterance(np.array([1, 2, 4]), np.array([2, 0, 1]))
    array([3, 0, 4])
    """
    running = np.concatenate(([0], np.cumsum(values, dtype=np.int64)))
    return lengths_of(running[np.cumsum(counts)])
