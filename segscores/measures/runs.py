"""Runs: sequences of positions that are followed side by side, and word ends counted in units.

A run is a sequence in which each step depends on the one before, such as a chain of boundaries that reach one another. All runs
are followed at once, a step of numpy for each place in a run; long runs are cut into pieces, so that the steps are few.
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

# In runs shorter than this numpy's own cost of a step is little, and cutting them would not save any.
_SHORT_RUN = 64


def boundary_units(comparison: Comparison) -> tuple[Positions, Positions]:
    """The position, in units, at which each word of the reference and each of the prediction ends.

    The naive equivalent is `np.cumsum([len(word) for utterance in corpus for word in utterance])`.
    """
    ends = comparison.reference.word_ends, comparison.prediction.word_ends
    # Counted once for both sides.
    both = comparison.reference.units_before(np.concatenate(ends))
    return both[: len(ends[0])], both[len(ends[0]) :]


def integer_for(size: int) -> type[np.signedinteger[Any]]:
    """The type of numbers up to a size, and of the sum of two; the smaller ones take less time."""
    return np.int32 if size < 1 << 30 else np.int64


def count_to(ends: Positions, total: int) -> Integers:
    """How many words end at or before each position from 0 to `total`."""
    is_end = np.zeros(total + 1, bool)
    is_end[ends] = True
    counts: Integers = np.cumsum(is_end, dtype=integer_for(total))
    return counts


def piece_size(lengths: Positions, least: int) -> int:
    """How long the pieces should be that runs are cut into, so that the steps along a piece and over pieces are few.

    Args:
        lengths: int64, of the runs; one at least.
        least: what following pieces from several states makes worth while.
    """
    return max(_SHORT_RUN, math.isqrt(int(lengths.max())), least)


def cut_runs(firsts: Positions, lengths: Positions, size: int) -> tuple[Positions, Positions, Positions]:
    """Cut runs of consecutive numbers into pieces.

    Args:
        firsts, lengths: int64, of each run, its first number and how many it has, from 1.
        size: of a piece, at most.

    Returns:
        The first number of each piece, and its length; and the number of pieces of each run.

    >>> cut_runs(np.array([0, 10]), np.array([5, 2]), 4)
    (array([ 0,  4, 10]), array([4, 1, 2]), array([2, 1]))
    """
    pieces = (lengths + (size - 1)) // size
    offsets = size * (np.arange(int(pieces.sum())) - np.repeat(np.cumsum(pieces) - pieces, pieces))
    return np.repeat(firsts, pieces) + offsets, np.minimum(np.repeat(lengths, pieces) - offsets, size), pieces


def lockstep(lengths: Positions) -> Iterator[tuple[int, int]]:
    """Go through sequences side by side: for each step how many are that long.

    Args:
        lengths: int64, never increasing.

    >>> list(lockstep(np.array([3, 1])))
    [(0, 2), (1, 1), (2, 1)]
    """
    longest = int(lengths[0]) if len(lengths) else 0
    yield from enumerate(np.searchsorted(-lengths, -np.arange(longest)).tolist())
