"""Poisson bootstrap: resamples that are drawn row by row, wherever the rows are.

Conventions
-----------
A resample contains each utterance Poisson(1) times, so the number of utterances varies. Each worker can then draw its rows
in the same pass, with a generator for each row that is seeded by `seed` and the number of the row. The sums are the same
integers for any distribution of the rows. If utterances belong to clusters (see `statistics.clusters`), the number of the
cluster takes the place of the number of the row: a resample then contains each cluster Poisson(1) times, and all of its
utterances as often, wherever they are. The varying number of utterances hardly affects ratios, but scores that are
counts have intervals for a Poisson number of utterances. Resamples without any utterance are left out. Type scores are not
sums (see `resampling`) and have no interval on Spark: theirs needs the utterances (or clusters) of each type.

Sources
-------
Hanley & MacGibbon (2006), Computer Methods and Programs in Biomedicine 83:57-62; Chamandy, Muralidharan, Najmi & Naidu (2012),
Estimating Uncertainty for Massive Data Streams, Google. The generator is SplitMix64: Steele, Lea & Flood (2014), OOPSLA.
"""

from __future__ import annotations

__all__ = ["add_resamples", "poisson_weights"]

import math
from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Integers: TypeAlias = npt.NDArray[np.int64]
Mask: TypeAlias = npt.NDArray[np.bool_]

# The number of weights to draw at a time, which fit in the processor's cache.
_WEIGHTS_AT_ONCE = 1 << 18

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
#: P(Poisson(1) ≤ k) for k = 0, 1, …, of 2³².
_POISSON = np.rint(np.cumsum([math.exp(-1) / math.factorial(k) for k in range(12)]) * 2.0**32).astype(np.uint32)


def poisson_weights(seed: int, rows: Integers, n_resamples: int) -> npt.NDArray[np.uint8]:
    """The number of times that each resample has each row: independent Poisson(1) numbers.

    Args:
        seed: an integer from 0.
        rows: int64 (n_rows,), the numbers of the rows, or of their clusters.
        n_resamples: the number of resamples.

    Returns:
        uint8 (n_rows, n_resamples). A row's values depend only on the seed and its own number; the first ones do not
        depend on n_resamples. Each value is the quantile of 32 random bits.

    >>> weights = poisson_weights(0, np.arange(1000), 100)
    >>> weights.shape, round(float(weights.mean()), 1), round(float(weights.var()), 1)
    ((1000, 100), 1.0, 1.0)
    """
    # Mix a number of the seed and the number of the row: together they seed the stream of the row.
    key = np.random.SeedSequence(seed).generate_state(1, np.uint64)
    starts = _mixed(key + rows.astype(np.int64).view(np.uint64) * _GAMMA)
    steps = np.arange(1, (n_resamples + 1) // 2 + 1, dtype=np.uint64) * _GAMMA
    uniform = _mixed(starts[:, None] + steps).astype("<u8").view("<u4")[:, :n_resamples]
    weights = np.zeros(uniform.shape, np.uint8)
    for threshold in _POISSON:
        weights += uniform >= threshold
    return weights


def _mixed(numbers: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """The finalizer of SplitMix64."""
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: npt.NDArray[np.uint64] = numbers ^ (numbers >> np.uint64(31))
    return mixed


def add_resamples(
    sums: Integers, columns: Mapping[str, Integers], rows: Integers, kept: Mask | None, seed: int
) -> None:
    """Add the utterances of a part to the sums of resamples, (n_resamples, n_columns).

    Args:
        sums: the sums, changed in place.
        columns: the columns of the kept utterances.
        rows: the numbers of all utterances, or of their clusters; equal numbers have equal weights.
        kept: which utterances were kept.
        seed: the seed of the resamples.
    """
    table = np.stack(list(columns.values()), axis=1).astype(np.float64)
    if kept is not None:
        spread = np.zeros((len(kept), table.shape[1]))
        spread[kept] = table
        spread[~kept, list(columns).index("skipped_utterances")] = 1
        table = spread
    # Few weights are drawn for many utterances of a cluster.
    order = np.argsort(rows, kind="stable")
    numbers, firsts = np.unique(rows[order], return_index=True)
    table = np.add.reduceat(table[order], firsts, axis=0)
    at_once = max(1, _WEIGHTS_AT_ONCE // len(sums))
    for start in range(0, len(numbers), at_once):
        weights = poisson_weights(seed, numbers[start : start + at_once], len(sums)).astype(np.float64)
        # Sums of products of integers over so few rows are exact, because they are below 2⁵³.
        sums += (weights.T @ table[start : start + at_once]).astype(np.int64)
