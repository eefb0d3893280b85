"""Boundary scores: a segmenter's score for each gap, read from any form and checked against the utterances.

Conventions
-----------
- An utterance of N units has N − 1 inner gaps, the positions between two neighbouring units. It has one boundary score
  per inner gap, in order. Under a label scheme it has one score per unit instead: that of the unit as the start or the
  end of a word. Then the score of the first unit (start) or of the last (end) belongs to no inner gap, and may be any
  value.
- The scores of inner gaps are finite: logits, probabilities or any other numbers, higher where a boundary is more likely.
- Every form becomes one float64 array of the scores of all utterances, concatenated, and the length of each utterance.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..kernel import arrow_functions as pc
from ..kernel.errors import UtteranceError
from ..kernel.quoting import described
from ..kernel.segmentation import Positions
from .inputs import reject_masked

Floats: TypeAlias = npt.NDArray[np.float64]

UNIT_SCHEMES = ("start", "end")

_NUMBERS = pa.large_list(pa.float64())
_EXPECTED = "expected a list of numbers for each utterance, one per inner gap"


@dataclass(frozen=True)
class BoundaryScores:
    """The boundary scores of a corpus."""

    values: Floats
    lengths: Positions


def read_boundary_scores(values: Any) -> BoundaryScores:
    """Read boundary scores.

    >>> read_boundary_scores([[0.5, 2], []]).lengths
    array([2, 0])
    """
    if values is None or isinstance(values, (str, bytes, bytearray, Mapping, Set)):
        raise TypeError(f"boundary_scores: received {described(values)}; {_EXPECTED}.")
    if isinstance(values, (pa.Array, pa.ChunkedArray)):
        return _from_arrow(values)
    if _is_array(values):
        reject_masked(values, "boundary_scores")
        array = as_numpy(values)
        if array.ndim == 2 and array.dtype.kind in "iufb":
            return BoundaryScores(array.ravel().astype(np.float64), np.full(len(array), array.shape[1], np.int64))
        if array.dtype.kind != "O":
            raise TypeError(
                f"boundary_scores: received an array of shape {array.shape} and type {array.dtype}; expected one "
                f"utterance per row: numbers of shape (utterances, gaps)."
            )
        values = array.tolist()
    if not isinstance(values, Iterable):
        raise TypeError(f"boundary_scores: received {described(values)}; {_EXPECTED}.")
    return _from_utterances(values if isinstance(values, list) else list(values))


def _from_arrow(values: pa.Array | pa.ChunkedArray) -> BoundaryScores:
    column = values if isinstance(values, pa.ChunkedArray) else pa.chunked_array([values])
    kind = column.type
    is_list = pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
    numbers = (pa.types.is_floating, pa.types.is_integer, pa.types.is_boolean, pa.types.is_null)
    if not is_list or not any(check(kind.value_type) for check in numbers):
        raise TypeError(f"boundary_scores: received an Arrow array of type {kind}; {_EXPECTED}.")
    column = column.cast(_NUMBERS)
    chunks = [_from_arrow_lists(chunk) for chunk in column.chunks]
    lengths = np.concatenate([np.zeros(0, np.int64), *(chunk.lengths for chunk in chunks)])
    nulls = np.concatenate([np.zeros(0, bool), *(np.asarray(pc.is_null(chunk)) for chunk in column.chunks)])
    if nulls.any():
        raise _odd_scores(int(np.argmax(nulls)), "None")
    return BoundaryScores(np.concatenate([np.zeros(0), *(chunk.values for chunk in chunks)]), lengths)


def _from_arrow_lists(lists: pa.LargeListArray) -> BoundaryScores:
    """The scores of large_list<float64>. A missing number becomes nan, which is rejected later."""
    values = lists.flatten()
    return BoundaryScores(
        values.to_numpy(zero_copy_only=False), np.asarray(pc.fill_null(pc.list_value_length(lists), 0), np.int64)
    )


def _from_utterances(utterances: list[Any]) -> BoundaryScores:
    kinds = set(map(type, utterances))
    if kinds <= {list, tuple}:
        try:
            lists = pa.array(utterances, _NUMBERS)
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            lists = None  # some item is not a float, perhaps an integer or a boolean: read each utterance
        if lists is not None and not lists.values.null_count:
            return _from_arrow_lists(lists)
    if kinds == {np.ndarray} and all(array.ndim == 1 and array.dtype.kind in "iufb" for array in utterances):
        arrays = utterances
    else:
        arrays = [_utterance_scores(index, utterance) for index, utterance in enumerate(utterances)]
    lengths = np.fromiter(map(len, arrays), np.int64, len(arrays))
    return BoundaryScores(np.concatenate([np.zeros(0), *arrays], dtype=np.float64), lengths)


def _utterance_scores(index: int, utterance: Any) -> npt.NDArray[Any]:
    if isinstance(utterance, (list, tuple)):
        for at, value in enumerate(utterance):
            if not isinstance(value, (int, float, np.integer, np.floating, np.bool_)):
                raise _odd_scores(index, f"{described(value)} at index {at}")
        try:
            return np.asarray(utterance, np.float64)
        except OverflowError:
            raise _odd_scores(index, "an integer that is too large for a float") from None
    if not _is_array(utterance):
        raise _odd_scores(index, f"{described(utterance)}")
    reject_masked(utterance, f"boundary_scores, utterance {index}")
    array = as_numpy(utterance)
    if array.ndim != 1 or (array.dtype.kind not in "iufb" and array.size):
        raise _odd_scores(index, f"an array of shape {array.shape} and type {array.dtype}")
    return array.astype(np.float64, copy=False)


def _odd_scores(index: int, received: str) -> UtteranceError:
    return UtteranceError(index, f"received {received}; {_EXPECTED}.", side="boundary_scores")


def check_unit_scheme(label_scheme: str | None) -> None:
    """Check the option `label_scheme` of boundary scores."""
    if label_scheme is not None and label_scheme not in UNIT_SCHEMES:
        raise ValueError(
            f"label_scheme={label_scheme!r}: boundary scores are one per inner gap (None), or one per unit, as the "
            f'"start" or the "end" of a word.'
        )


def inner_scores(units: Positions, scores: BoundaryScores, label_scheme: str | None) -> Floats:
    """The scores of the inner gaps of a corpus, checked.

    Args:
        label_scheme: `"start"` or `"end"` for one score per unit; None for one per inner gap.
    """
    lengths = scores.lengths
    if len(units) != len(lengths):
        raise ValueError(
            f"{len(units)} references and {len(lengths)} lists of boundary scores: expected one list for each reference."
        )
    if not len(units):
        raise ValueError("there is nothing to score: expected at least one utterance, received none.")
    expected = np.maximum(units - 1, 0) if label_scheme is None else units
    if not np.array_equal(expected, lengths):
        at = int(np.argmax(expected != lengths))
        raise _length_error(at, int(lengths[at]), int(units[at]), label_scheme)
    values = scores.values
    ends = np.cumsum(lengths)
    is_inner = np.ones(len(values), bool)
    if label_scheme is not None:
        filled = np.flatnonzero(lengths)
        is_inner[(ends - lengths)[filled] if label_scheme == "start" else ends[filled] - 1] = False
    bad = ~np.isfinite(values) & is_inner
    if bad.any():
        at = int(np.argmax(bad))
        utterance = int(np.searchsorted(ends, at, side="right"))
        index = at - int(ends[utterance] - lengths[utterance])
        what = "gap" if label_scheme is None else "unit"
        raise UtteranceError(
            utterance,
            f"the score of {what} {index} is {float(values[at])!r}; expected a finite number.",
            hint="" if np.isnan(values[at]) else "Is it the logarithm of 0? Clip it, or pass probabilities.",
            side="boundary_scores",
        )
    return values if label_scheme is None else values[is_inner]


def _length_error(utterance: int, received: int, units: int, label_scheme: str | None) -> UtteranceError:
    if label_scheme is None:
        expected = f"expected {max(units - 1, 0)}, one for each inner gap of its {units} units."
        hint = (
            'Is there one per unit? Then pass label_scheme="start" or "end".'
            if received == units
            else "Do the scores include the two ends of the utterance? Drop those."
            if received == units + 1
            else ""
        )
    else:
        expected = f"expected {units}, one for each unit."
        hint = "Is there one per inner gap? Then leave label_scheme out." if received == units - 1 else ""
    if not hint and received > units:
        hint = "Drop padding before scoring."
    return UtteranceError(
        utterance, f"received {received} boundary scores; {expected}", hint=hint, side="boundary_scores"
    )


def _is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray) or hasattr(value, "detach") or hasattr(value, "__array_interface__")


def as_numpy(value: Any) -> npt.NDArray[Any]:
    """A numpy array.

    A torch tensor may be on a device, part of a graph, or of a type that numpy lacks (bfloat16).
    """
    return np.asarray(value.detach().cpu().double() if hasattr(value, "detach") else value)
