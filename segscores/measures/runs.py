"""Runs: sequences of positions that are processed in parallel, and word ends in units.

A run is a sequence in which each step depends on the one before, such as a chain of boundaries that reach one another.
All runs are processed at once, in one step of numpy per place in a run. Long runs are cut into pieces to keep the
number of steps small.
"""

from __future__ import annotations

__all__ = ["boundary_units", "count_to", "cut_runs", "integer_for", "lockstep", "piece_size"]

import math
from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..kernel.comparison import Comparison
from ..kernel.segmentation import Positions

Integers: TypeAlias = npt.NDArray[np.signedinteger[Any]]

# Cutting runs that are shorter than this would save no time.
_SHORT_RUN = 64


def boundary_units(comparison: Comparison) -> tuple[Positions, Positions]:
    """The position, in units, at which each word of the reference and each of the prediction ends.

    The naive equivalent is `np.cumsum([len(word) for utterance in corpus for word in utterance])`.
    """
    ends = comparison.reference.word_ends, comparison.prediction.word_ends
    # Count once for both sides.
    both = comparison.reference.units_before(np.concatenate(ends))
    return both[: len(ends[0])], both[len(ends[0]) :]


def integer_for(size: int) -> type[np.signedinteger[Any]]:
    """The smallest integer type for numbers up to a size and for sums of two of them; small types take less time."""
    return np.int32 if size < 1 << 30 else np.int64


def count_to(ends: Positions, total: int) -> Integers:
    """How many words end at or before each position from 0 to `total`."""
    is_end = np.zeros(total + 1, bool)
    is_end[ends] = True
    counts: Integers = np.cumsum(is_end, dtype=integer_for(total))
    return counts


def piece_size(lengths: Positions, least: int) -> int:
    """The length of the pieces into which to cut runs, so that few steps lead along a piece and over the pieces.

    Args:
        lengths: int64, the lengths of one or more runs.
        least: the least length that is worth while if pieces are followed from several states.
    """
    return max(_SHORT_RUN, math.isqrt(int(lengths.max())), least)


def cut_runs(firsts: Positions, lengths: Positions, size: int) -> tuple[Positions, Positions, Positions]:
    """Cut runs of consecutive numbers into pieces.

    Args:
        firsts, lengths: int64, the first number of each run, and the length of each, at least 1.
        size: the greatest length of a piece.

    Returns:
        The first number of each piece, and its length; and the number of pieces of each run.

    >>> cut_runs(np.array([0, 10]), np.array([5, 2]), 4)
    (array([ 0,  4, 10]), array([4, 1, 2]), array([2, 1]))
    """
    pieces = (lengths + (size - 1)) // size
    offsets = size * (np.arange(int(pieces.sum())) - np.repeat(np.cumsum(pieces) - pieces, pieces))
    return np.repeat(firsts, pieces) + offsets, np.minimum(np.repeat(lengths, pieces) - offsets, size), pieces


def lockstep(lengths: Positions) -> Iterator[tuple[int, int]]:
    """Process sequences in parallel: for each step, the number of sequences that are long enough.

    Args:
        lengths: int64, never increasing.

    >>> list(lockstep(np.array([3, 1])))
    [(0, 2), (1, 1), (2, 1)]
    """
    longest = int(lengths[0]) if len(lengths) else 0
    yield from enumerate(np.searchsorted(-lengths, -np.arange(longest)).tolist())
