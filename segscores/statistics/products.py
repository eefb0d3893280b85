"""Matrix products in the calling thread.

BLAS divides a large product among its own threads. If several threads call it at the same time, those threads wait for each
other, and a product of a few columns takes ten times as much processor time as in one thread. Small products run in the
calling thread.
"""

from __future__ import annotations

__all__ = ["multiply"]

from typing import Any

import numpy as np
import numpy.typing as npt

# OpenBLAS uses one thread for products of at most this many multiplications (65,536 · 4, in its interface/gemm.c).
_MULTIPLICATIONS = 1 << 18
# Rows of the first matrix and columns of the second that are multiplied at a time.
_ROWS, _COLUMNS = 32, 256


def multiply(left: npt.NDArray[Any], right: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """`left @ right`, in the thread that calls it.

    Args:
        left: (n, k), in single or double precision; partial sums have the same precision.
        right: (k, m), of the same type.

    Returns:
        float64 (n, m); the partial sums are added in double precision.
    """
    product = np.zeros((left.shape[0], right.shape[1]))
    rows, columns = min(_ROWS, max(1, left.shape[0])), min(_COLUMNS, max(1, right.shape[1]))
    inner = _MULTIPLICATIONS // (rows * columns)
    for row in range(0, left.shape[0], rows):
        for column in range(0, right.shape[1], columns):
            part = product[row : row + rows, column : column + columns]
            for start in range(0, left.shape[1], inner):
                stop = start + inner
                part += left[row : row + rows, start:stop] @ right[start:stop, column : column + columns]
    return product
