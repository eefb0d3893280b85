"""Numbers: lists of numbers, one per utterance, in any form, such as boundary scores and difficulties.

Every form becomes one float64 array of the numbers of all utterances, concatenated, and the length of each utterance.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..kernel import arrow_functions as pc
from ..kernel.arrays import Floats, Positions, first_true
from ..kernel.record import record
from ..options.errors import UtteranceError
from ..options.quoting import described
from .inputs import as_numpy, is_array

NUMBERS = pa.large_list(pa.float64())
#: The kinds of numpy's types of numbers: integers, integers without a sign, floats, and booleans.
_NUMBER_KINDS = "iufb"
#: The kind of Python's objects.
_OBJECTS = "O"


@record
class Numbers:
    """The numbers of a corpus."""

    values: Floats
    lengths: Positions


def read_numbers(values: Any, side: str, item: str) -> Numbers:
    """Read lists of numbers: lists, tuples or arrays, rows of an array, or an Arrow column, where missing numbers become nan.

    Messages name the argument `side`, and what has a number as `item`, such as "inner gap".
    """
    expected = f"expected a list of numbers for each utterance, one per {item}"
    if values is None or isinstance(values, (str, bytes, bytearray, Mapping, Set)):
        raise TypeError(f"{side}: received {described(values)}; {expected}.")
    if isinstance(values, (pa.Array, pa.ChunkedArray)):
        return _from_arrow(values, side, expected)
    if hasattr(values, "__arrow_c_stream__"):
        try:
            return _from_arrow(pa.chunked_array(values), side, expected)
        except pa.ArrowException:
            pass  # mixed objects: reading them as a list raises an error that names the utterance
    if is_array(type(values)):
        array = as_numpy(values, side)
        if array.ndim == 2 and array.dtype.kind in _NUMBER_KINDS:
            utterance_count, item_count = array.shape
            return Numbers(array.ravel().astype(np.float64), np.full(utterance_count, item_count, np.int64))
        if array.dtype.kind != _OBJECTS:
            raise TypeError(
                f"{side}: received an array of shape {array.shape} and type {array.dtype}; expected one utterance per row: "
                f"numbers of shape (utterances, {item}s)."
            )
        values = array.tolist()
    if not isinstance(values, Iterable):
        raise TypeError(f"{side}: received {described(values)}; {expected}.")
    return _from_utterances(list(values), side, expected)


def _from_arrow(values: pa.Array | pa.ChunkedArray, side: str, expected: str) -> Numbers:
    """Read a column of Arrow; `expected` is the end of messages."""
    column = values if isinstance(values, pa.ChunkedArray) else pa.chunked_array([values])
    kind = column.type
    is_list = pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
    are_numbers = (pa.types.is_floating, pa.types.is_integer, pa.types.is_boolean, pa.types.is_null)
    if not is_list or not any(is_number(kind.value_type) for is_number in are_numbers):
        raise TypeError(f"{side}: received an Arrow array of type {kind}; {expected}.")
    # An array without rows makes the type certain if the column has no chunk.
    lists = pa.concat_arrays([pa.nulls(0, NUMBERS), *column.cast(NUMBERS, safe=False).chunks])
    missing = first_true(np.asarray(pc.is_null(lists)))
    if missing >= 0:
        raise UtteranceError(missing, f"received None; {expected}.", side=side)
    return _from_arrow_lists(lists)


def _from_arrow_lists(lists: pa.LargeListArray) -> Numbers:
    """Return the numbers of lists, in which missing numbers become nan."""
    return Numbers(lists.flatten().to_numpy(zero_copy_only=False), np.asarray(pc.list_value_length(lists)))


def _from_utterances(utterances: list[Any], side: str, expected: str) -> Numbers:
    """Read utterances that are lists, tuples or arrays; `expected` is the end of messages."""
    kinds = set(map(type, utterances))
    # Arrow reads lists of floats at once.
    if kinds <= {list, tuple}:
        try:
            lists = pa.array(utterances, NUMBERS)
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            lists = None  # some item is not a float, perhaps an integer or a boolean: read each utterance
        # An item None is an error, which names its utterance below.
        if lists is not None and not lists.values.null_count:
            return _from_arrow_lists(lists)
    if kinds == {np.ndarray} and all(array.ndim == 1 and array.dtype.kind in _NUMBER_KINDS for array in utterances):
        arrays = utterances
    else:
        arrays = [_utterance_numbers(index, utterance, side, expected) for index, utterance in enumerate(utterances)]
    lengths = np.fromiter(map(len, arrays), np.int64, len(arrays))
    return Numbers(np.concatenate([np.zeros(0), *arrays], dtype=np.float64), lengths)


def _utterance_numbers(index: int, utterance: Any, side: str, expected: str) -> npt.NDArray[Any]:
    """Return the numbers of one utterance, which has this index."""

    def odd(received: str) -> UtteranceError:
        """Return the error of what is no number, or no list of numbers."""
        return UtteranceError(index, f"received {received}; {expected}.", side=side)

    if isinstance(utterance, (list, tuple)):
        for place, value in enumerate(utterance):
            if not isinstance(value, (int, float, np.integer, np.floating, np.bool_)):
                raise odd(f"{described(value)} at index {place}")
        try:
            return np.asarray(utterance, np.float64)
        except OverflowError:
            raise odd("an integer that is too large for a float") from None
    if not is_array(type(utterance)):
        raise odd(described(utterance))
    array = as_numpy(utterance, f"{side}, utterance {index}")
    has_no_numbers = array.size > 0 and array.dtype.kind not in _NUMBER_KINDS
    if array.ndim != 1 or has_no_numbers:
        raise odd(f"an array of shape {array.shape} and type {array.dtype}")
    return array.astype(np.float64, copy=False)
