"""Arrays of an evaluation: from the Trainer's arguments to arrays of integers, without an import of torch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ...options.messages import OptionError
from ...options.table import OPTIONS
from .class_tags import listed

#: A question that ends messages on impossible values.
SWAPPED = "Are predictions and labels swapped?"

#: The Trainer's padding of labels; among predictions, the id of a position without a class.
PADDING = -100

Ids: TypeAlias = npt.NDArray[np.integer[Any]]


def preprocess_logits_for_metrics(logits: Any, labels: Any = None) -> Any:  # noqa: ARG001 (the Trainer passes labels)
    """Reduce logits to class ids, so that a large evaluation set fits in memory; for the Trainer's argument of this name.

    Args:
        logits: float (…, n_classes), a torch tensor or a numpy array; or integers, which are class ids and returned
            unchanged; or a tuple of a model's outputs, of which the first is used.
        labels: not read.

    Returns:
        int64 (…): the class with the largest logit, the first of equal ones; -100 where a logit is NaN. The result for
        a tensor is a tensor on the same device.

    >>> preprocess_logits_for_metrics(np.array([[[0.5, 2.0], [1.0, 0.0], [np.nan, 0.0]]]))
    array([[   1,    0, -100]])
    """
    if isinstance(logits, tuple):
        logits = logits[0]
    if _is_tensor(logits):
        if not logits.is_floating_point():
            return logits
        largest, classes = logits.max(dim=-1)  # the largest is NaN where any is
        return classes.masked_fill(largest.isnan(), PADDING)
    logits = np.asarray(logits)
    if logits.dtype.kind != "f":
        return logits
    classes = logits.argmax(axis=-1)
    with np.errstate(invalid="ignore"):
        any_nan = logits.size and np.isnan(logits.max())  # one pass over all is enough if there is none
    if any_nan:
        classes[np.isnan(logits).any(axis=-1)] = PADDING
    return classes


def split_evaluation(eval_prediction: Any) -> tuple[Any, Any, Any]:
    """Split an evaluation into predictions, label ids and inputs."""
    if isinstance(eval_prediction, (tuple, list)) and len(eval_prediction) in (2, 3):
        predictions, label_ids, inputs = (*eval_prediction, None)[:3]
    elif hasattr(eval_prediction, "predictions") and hasattr(eval_prediction, "label_ids"):
        predictions, label_ids = eval_prediction.predictions, eval_prediction.label_ids
        inputs = getattr(eval_prediction, "inputs", None)
    else:
        raise TypeError(
            f"expected an EvalPrediction or a tuple (predictions, label_ids), received {type(eval_prediction).__name__}."
        )
    for name, value in (("predictions", predictions), ("label_ids", label_ids)):
        if value is None:
            raise TypeError(f"{name}: expected an array, received None.")
    return predictions, label_ids, inputs


def batches_of(predictions: Any, label_ids: Any, inputs: Any) -> Iterator[tuple[Any, Any, Any]]:
    """Yield the batches of an evaluation, or the whole as one batch, with only the first of a model's outputs."""
    if isinstance(label_ids, list) and label_ids and getattr(_first(label_ids[0]), "ndim", 0) == 2:
        others = {"predictions": predictions, "inputs": inputs}
        counts = {name: len(value) for name, value in others.items() if value is not None}
        if set(counts.values()) != {len(label_ids)}:
            received = " and ".join(f"{count} of {name}" for name, count in counts.items())
            raise ValueError(f"{len(label_ids)} batches of label_ids and {received}: expected equal numbers.")
        for number, labels in enumerate(label_ids):
            yield from batches_of(predictions[number], labels, None if inputs is None else inputs[number])
        return
    if isinstance(label_ids, tuple) and len(label_ids) != 1:
        raise ValueError(
            f"label_ids are a tuple of {len(label_ids)} arrays: expected one; name it in TrainingArguments(label_names=…)."
        )
    yield _first(predictions), _first(label_ids), _first(inputs)


def _first(outputs: Any) -> Any:
    while isinstance(outputs, tuple) and outputs:
        outputs = outputs[0]
    return outputs


def read_inputs(inputs: Any, shape: tuple[int, ...]) -> Ids:
    """Read the input ids, which have the shape of the labels."""
    if inputs is None:
        needs = ' needs the inputs: pass include_for_metrics=["inputs"] to TrainingArguments, or '
        units = OPTIONS["units"]
        raise OptionError(units.set("input_ids"), needs, units.set("labels"), " to as_compute_metrics.")
    if isinstance(inputs, Mapping) or hasattr(inputs, "keys"):
        if "input_ids" not in inputs:
            raise ValueError(f"inputs have {listed(list(inputs))}: expected input_ids among them.")
        inputs = inputs["input_ids"]
    ids = as_ids(inputs, "inputs")
    if not ids.size and 0 in shape:
        return ids.reshape(shape)
    if ids.shape != shape:
        hint = " With batch_eval_metrics the Trainer does not gather the inputs of other processes: leave it out."
        raise ValueError(
            f"inputs have shape {ids.shape}, label_ids have shape {shape}: expected a label for every input id."
            f"{hint if len(ids) < shape[0] else ''}"
        )
    return ids


def _is_tensor(array: Any) -> bool:
    return hasattr(array, "detach")


def read_predictions(predictions: Any) -> tuple[npt.NDArray[Any], tuple[int, ...], bool]:
    """Return class ids, the original shape of the predictions, and True if the predictions were class ids."""
    if not _is_tensor(predictions):
        array = _as_numpy(predictions, "predictions")
        return array, array.shape, array.dtype.kind != "f"
    shape = tuple(predictions.shape)
    is_ids = not predictions.is_floating_point()
    if not is_ids and shape[-1:] == (0,):
        return np.zeros(shape), shape, False
    # Logits become ids on their device: numpy has no bfloat16, and ids are smaller to move.
    return _as_numpy(preprocess_logits_for_metrics(predictions), "predictions"), shape, is_ids


def _as_numpy(array: Any, name: str) -> npt.NDArray[Any]:
    try:
        values = np.asarray(array.detach().cpu().numpy() if _is_tensor(array) else array)
    except ValueError:
        raise ValueError(
            f"{name}: the rows have different lengths; expected an array, padded with {PADDING}."
        ) from None
    if values.dtype.kind not in "iubf":
        raise ValueError(f"{name} are of type {values.dtype}: expected an array of numbers.")
    return values.view(np.uint8) if values.dtype == bool else values


def as_ids(array: Any, name: str) -> Ids:
    """Convert to an array of integers."""
    # A tensor of floats is not converted: numpy lacks some float types.
    ids = array if _is_tensor(array) and array.is_floating_point() else _as_numpy(array, name)
    shape = tuple(ids.shape)
    if 0 in shape:
        return np.zeros(shape, np.int64)
    if isinstance(ids, np.ndarray) and ids.dtype.kind in "iu":
        return ids
    raise ValueError(
        f"{name} are of type {ids.dtype} and shape {shape}: expected ids, integers."
        + (" To generate text, set predict_with_generate=True." if name == "predictions" else f" {SWAPPED}")
    )


def rows_of(ids: Ids) -> pa.ChunkedArray:
    """Return a column with the bytes of each row of a matrix, without a copy."""
    kind = pa.binary(ids.shape[1] * ids.itemsize)
    data = pa.py_buffer(np.ascontiguousarray(ids))
    return pa.chunked_array([pa.Array.from_buffers(kind, len(ids), [None, data])])
