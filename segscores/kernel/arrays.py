"""Types of numpy arrays, small functions over them, and Arrow arrays from numpy arrays and back, without pandas.

`pa.array`, `pa.scalar` and `np.asarray(arrow_array)` import pandas if it is installed, which takes longer than to score a small
file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from . import arrow_functions as pc

Bytes = npt.NDArray[np.uint8]
Positions = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
_TEXT = pa.large_string()
Integers: TypeAlias = npt.NDArray[np.signedinteger[Any]]
#: The length of the first part of a column that is looked at.
_FIRST_PART = 64


def lengths_of(ends: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the lengths of consecutive pieces from their ends.

    The naive equivalent is `np.diff(ends, prepend=0)`, which takes five times as long for a few pieces.

    >>> lengths_of(np.array([2, 2, 5]))
    array([2, 0, 3])
    """
    lengths = ends.copy()
    lengths[1:] -= ends[:-1]
    return lengths  # type: ignore[no-any-return]


def starts_of(ends: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return where consecutive pieces begin, from their ends.

    >>> starts_of(np.array([2, 2, 5]))
    array([0, 2, 2])
    """
    starts = np.zeros_like(ends)
    starts[1:] = ends[:-1]
    return starts


def last_of(ends: npt.NDArray[Any]) -> int:
    """Return the last of running ends, which is the number of all items; 0 if there are no ends."""
    if not len(ends):
        return 0
    return int(ends[-1])


def start_of(ends: npt.NDArray[Any], piece: int) -> int:
    """Return the start of a piece among consecutive pieces, by their ends.

    >>> start_of(np.array([2, 2, 5]), 0), start_of(np.array([2, 2, 5]), 2)
    (0, 2)
    """
    if piece == 0:
        return 0
    return int(ends[piece - 1])


def integer_for(size: int) -> type[np.signedinteger[Any]]:
    """Return the smallest integer type for numbers up to a size and for sums of two of them; small types take less time."""
    # Two numbers below 2³⁰ add up to less than 2³¹, which int32 holds.
    return np.int32 if size < 1 << 30 else np.int64


def first_true(mask: Mask) -> int:
    """Return the index of the first True of a mask; -1 if there is none."""
    return int(mask.argmax()) if mask.any() else -1


def count_to(ends: npt.NDArray[np.int64], total: int) -> Integers:
    """Count the words that end at or before each position from 0 to `total`.

    >>> count_to(np.array([2, 3]), 4).tolist()
    [0, 0, 1, 2, 2]
    """
    is_end = np.zeros(total + 1, bool)
    is_end[ends] = True
    counts: Integers = np.cumsum(is_end, dtype=integer_for(total))
    return counts


def sum_by_utterance(values: Positions | Mask, counts: Positions) -> Positions:
    """Return the sum of each utterance's values; `counts` are the numbers of values that the utterances have.

    >>> sum_by_utterance(np.array([1, 2, 4]), np.array([2, 0, 1]))
    array([3, 0, 4])
    """
    # values 1 2 4: running 0 1 3 7, at the ends 2 2 3 of utterances 3 3 7.
    running = np.concatenate(([0], np.cumsum(values, dtype=np.int64)))
    return lengths_of(running[np.cumsum(counts)])


def binary_slices(text: Bytes, ends: Positions) -> pa.LargeBinaryArray:
    """Return the slices of a text between consecutive ends, without copying the bytes.

    >>> binary_slices(np.frombuffer(b"thedog", np.uint8), np.array([3, 6])).to_pylist()
    [b'the', b'dog']
    """
    offsets = np.concatenate(([0], ends))
    # Arrow's buffers of strings: which are null (None: no string is), the offsets, and the bytes.
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(np.ascontiguousarray(text))]
    return pa.LargeBinaryArray.from_buffers(pa.large_binary(), len(ends), buffers)


def code_points(text: Bytes) -> npt.NDArray[np.uint32]:
    """Return the code point of each character of a text in UTF-8.

    >>> code_points(np.frombuffer("a狗".encode(), np.uint8))
    array([   97, 29399], dtype=uint32)
    """
    return np.frombuffer(text.tobytes().decode().encode("utf-32-le"), "<u4")


def slices_differ(left: Bytes, left_ends: Positions, right: Bytes, right_ends: Positions) -> Mask:
    """Return which slices between neighbouring ends differ in two texts: a mask with a value for each slice."""
    # Most texts are equal: to see that takes less time than to compare each slice. To count what differs takes half the time of
    # `np.array_equal` for a few items.
    have_same_ends = len(left_ends) == len(right_ends) and not np.count_nonzero(left_ends != right_ends)
    have_same_text = len(left) == len(right) and not np.count_nonzero(left != right)
    if have_same_ends and have_same_text:
        return np.zeros(len(left_ends), bool)
    return bools_of(pc.not_equal(binary_slices(left, left_ends), binary_slices(right, right_ends)))


def byte_count(array: pa.Array) -> int:
    """Count the bytes that an array takes of its buffers. A text of a dictionary or of views counts as often as it occurs."""
    kind = str(array.type)
    if "dictionary<" in kind or "view" in kind:
        return _count_repeated_bytes(array)
    return int(array.nbytes)


def _count_repeated_bytes(array: pa.Array) -> int:
    """Count the bytes of the texts of an array, or of an array of lists, each text as often as it occurs."""
    if pa.types.is_list(array.type) or pa.types.is_large_list(array.type) or pa.types.is_fixed_size_list(array.type):
        return _count_repeated_bytes(array.flatten())
    if not pa.types.is_dictionary(array.type):
        return int(_text_lengths(array).sum())
    # dictionary "the", "is" with the indices 0 0 1: lengths 3 2, and 3 3 2 of the texts.
    # At an index that is null, `take` writes 0.
    lengths = int64_array(_text_lengths(array.dictionary))
    return int(numbers_of(pc.take(lengths, array.indices)).sum())


#: The types of the offsets of texts, by the name of the type of an array.
_OFFSET_TYPES = {"string": np.int32, "binary": np.int32, "large_string": np.int64, "large_binary": np.int64}


def _text_lengths(array: pa.Array) -> Positions:
    """Count the bytes of each text; 0 for null, and for other values."""
    kind = str(array.type)
    if kind in ("string_view", "binary_view"):
        # A view takes 16 bytes, which are four numbers, of which the first is the length. At a null any number may stand.
        _, views, *_ = array.buffers()
        numbers = np.frombuffer(views or b"", np.int32)
        lengths = numbers[4 * array.offset :: 4][: len(array)]
        return np.where(bools_of(pc.is_valid(array)), lengths, 0).astype(np.int64)
    offset_type = _OFFSET_TYPES.get(kind)
    if offset_type is None or not len(array):
        return np.zeros(len(array), np.int64)
    _, offset_buffer, _ = array.buffers()
    offsets = np.frombuffer(offset_buffer, offset_type)[array.offset : array.offset + len(array) + 1]
    return np.diff(offsets).astype(np.int64)


def int64_array(values: Positions) -> pa.Int64Array:
    """Return an Arrow array of numbers, without copying them."""
    return pa.Int64Array.from_buffers(pa.int64(), len(values), [None, pa.py_buffer(np.ascontiguousarray(values))])


def text_array(texts: Sequence[str], kind: pa.DataType = _TEXT) -> pa.LargeStringArray | pa.LargeBinaryArray:
    """Convert strings to an Arrow array of large strings, or of large binary values.

    The naive equivalent is `pa.array(texts, pa.large_string()).cast(kind)`.

    >>> text_array(["狗", "", "dog"]).to_pylist()
    ['狗', '', 'dog']
    """
    if not len(texts):
        return pa.nulls(0, kind)
    block = "\0".join(texts).encode()
    nuls = np.flatnonzero(np.frombuffer(block, np.uint8) == 0)
    if len(nuls) >= len(texts):
        # One NUL stands between two strings. If there are more, a string has one, which no text has: a reader rejects it later.
        return pa.array(texts, _TEXT).cast(kind)
    # a NUL bc NUL d, with NULs at 1 and 4: 0 1 4 6, less the NULs before each, 0 0 1 2, are the offsets 0 1 3 4.
    offsets = np.concatenate(([0], nuls, [len(block)])) - np.concatenate(([0], np.arange(len(texts))))
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(block.replace(b"\0", b""))]
    return pa.Array.from_buffers(kind, len(texts), buffers)


def places_in(values: pa.Array, known: pa.Array) -> npt.NDArray[np.int32]:
    """Return the place of each value among the known ones, -1 for others.

    >>> places_in(text_array(["b", "x"]), text_array(["a", "b"]))
    array([ 1, -1], dtype=int32)
    """
    places = pc.index_in(values, value_set=known)
    # The place of a value that is not known is null, at which `numbers_of` has any number.
    return np.where(bools_of(pc.is_valid(places)), numbers_of(places), np.int32(-1))


def offsets_of(array: pa.LargeListArray | pa.LargeStringArray) -> Positions:
    """Return where each list or string of an array begins among the values or bytes, and where the last one ends.

    >>> offsets_of(pa.array(["a", "bc"], pa.large_string()))
    array([0, 1, 3])
    """
    if not len(array):
        return np.zeros(1, np.int64)  # Arrow may leave the buffer out.
    _, offsets, *_ = array.buffers()
    return np.frombuffer(offsets, np.int64)[array.offset : array.offset + len(array) + 1]


def bytes_of(array: pa.LargeStringArray | pa.LargeBinaryArray) -> pa.Buffer:
    """Return the bytes of the strings of an array, one after the other, to which `offsets_of` refers."""
    _, _, data = array.buffers()
    return data or pa.py_buffer(b"")


def large_lists(offsets: Positions, values: pa.Array, kind: pa.DataType) -> pa.LargeListArray:
    """Return an Arrow array of lists: the values between consecutive offsets."""
    buffers = [None, pa.py_buffer(np.ascontiguousarray(offsets, np.int64))]
    return pa.Array.from_buffers(kind, len(offsets) - 1, buffers, children=[values])


def numbers_of(array: pa.Array) -> npt.NDArray[Any]:
    """Return the numbers of an Arrow array, without copying them; at a null stands any number.

    >>> numbers_of(pa.array([7, 8, 9], pa.int32()).slice(1))
    array([8, 9], dtype=int32)
    """
    kind = np.dtype(str(array.type))
    _, numbers = array.buffers()
    return np.frombuffer(numbers or b"", kind)[array.offset : array.offset + len(array)]


def bools_of(array: pa.BooleanArray) -> Mask:
    """Return the values of an Arrow array without nulls.

    >>> bools_of(pa.array([True, False, True]).slice(1))
    array([False,  True])
    """
    _, packed = array.buffers()
    bits = np.frombuffer(packed or b"", np.uint8)
    unpacked = np.unpackbits(bits, count=array.offset + len(array), bitorder="little")
    return unpacked[array.offset :].astype(bool)


def check_counts(references: int, predictions: int) -> None:
    """Check that there are as many predictions as references."""
    if references != predictions:
        received = f"{references} references and {predictions} predictions"
        raise ValueError(f"{received}: expected one prediction for each reference.")


class ArrayJoiner:
    """A joiner of arrays. The arrays of each name wait in a list, so that joining them takes the memory of one array."""

    def __init__(self) -> None:
        self.waiting: dict[str, list[npt.NDArray[Any]]] = {}  #: the arrays of each name, in order

    def add(self, name: str, values: npt.NDArray[Any]) -> None:
        """Add the next array of a name."""
        if name not in self.waiting:
            self.waiting[name] = []
        # Copy a view, which would hold a larger array in memory.
        self.waiting[name].append(values if values.base is None else values.copy())

    def join(self, name: str) -> npt.NDArray[Any]:
        """Concatenate the waiting arrays of a name, keep the result in their place, and return it."""
        arrays = self.waiting[name]
        if len(arrays) > 1:
            arrays[:] = [np.concatenate(arrays)]
        (joined,) = arrays
        return joined


def growing_slices(column: pa.ChunkedArray) -> Iterator[pa.ChunkedArray]:
    """Yield consecutive parts of a column, each four times as long as the one before: the first ones often tell enough.

    >>> [len(part) for part in growing_slices(pa.chunked_array([int64_array(np.arange(500))]))]
    [64, 256, 180]
    """
    start = 0
    size = _FIRST_PART
    while start < len(column):
        yield column.slice(start, size)
        start += size
        size *= 4
