"""Matrix products in threads of our own.

BLAS shares a large product among threads of its own. Where several threads call it at once, these wait for each other, and a
product of a few columns takes ten times as much processor time as in one thread. Products below some size it leaves to the
thread that asks for them.
"""

from __future__ import annotations

__all__ = ["multiply"]

from typing import Any

import numpy as np
import numpy.typing as npt

# OpenBLAS takes one thread for products of at most so many multiplications (65,536 · 4, in its interface/gemm.c).
_MULTIPLICATIONS = 1 << 18
# Rows of the first matrix and columns of the second that are multiplied at a time.
_ROWS, _COLUMNS = 32, 256


def multiply(left: npt.NDArray[Any], right: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """`left @ right`, in the thread that calls it.

    Args:
        left: (n, k), in single or double precision, in which parts of the sums are taken.
        right: (k, m), of the same kind.

    Returns:
        float64 (n, m), sums of the parts in double precision.
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
