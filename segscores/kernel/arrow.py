"""Arrow arrays from numpy arrays and back, without pandas.

`pa.array(numpy_array)` and `np.asarray(arrow_array)` import pandas if it is installed, which takes longer than to score a
small file.
"""

from __future__ import annotations

__all__ = ["binary_slices", "byte_count"]

import numpy as np
import pyarrow as pa

from .segmentation import Bytes, Positions


def binary_slices(text: Bytes, ends: Positions) -> pa.LargeBinaryArray:
    """The bytes up to each end, from the end before; without copying them."""
    buffers = [None, pa.py_buffer(np.concatenate(([0], ends))), pa.py_buffer(np.ascontiguousarray(text))]
    return pa.LargeBinaryArray.from_buffers(pa.large_binary(), len(ends), buffers)


def byte_count(array: pa.Array | pa.ChunkedArray) -> int:
    """How many bytes an array takes: those of its slice of the buffers.

    pyarrow before 19 can count views in whole buffers only.
    """
    try:
        return int(array.nbytes)
    except pa.ArrowTypeError:
        return int(array.get_total_buffer_size())
