"""Arrays of an evaluation: from the Trainer's arguments to arrays of integers, without an import of torch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ...options.messages import OptionError
from ...options.table import OPTIONS
from ...reading.class_tags import listed

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
        logits, *_ = logits
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
        any_nan = logits.size > 0 and np.isnan(logits.max())  # one pass over all is enough if there is none
    if any_nan:
        classes[np.isnan(logits).any(axis=-1)] = PADDING
    return classes


class Evaluation(NamedTuple):
    """The arrays that a Trainer passes: of an evaluation, or of one batch of it."""

    predictions: Any
    label_ids: Any
    inputs: Any = None


def split_evaluation(eval_prediction: Any) -> Evaluation:
    """Read the argument of `compute_metrics`."""
    if isinstance(eval_prediction, (tuple, list)) and len(eval_prediction) in (2, 3):
        evaluation = Evaluation(*eval_prediction)
    elif hasattr(eval_prediction, "predictions") and hasattr(eval_prediction, "label_ids"):
        inputs = getattr(eval_prediction, "inputs", None)
        evaluation = Evaluation(eval_prediction.predictions, eval_prediction.label_ids, inputs)
    else:
        raise TypeError(
            f"expected an EvalPrediction or a tuple (predictions, label_ids), received {type(eval_prediction).__name__}."
        )
    for name in ("predictions", "label_ids"):
        if getattr(evaluation, name) is None:
            raise TypeError(f"{name}: expected an array, received None.")
    return evaluation


def batches_of(evaluation: Evaluation) -> Iterator[Evaluation]:
    """Yield the batches of an evaluation, or the whole as one batch, with only the first of a model's outputs."""
    predictions, label_ids, inputs = evaluation
    # With eval_do_concat_batches=False there is a list of matrices, one for each batch. A list of lists is itself a matrix.
    has_list = isinstance(label_ids, list) and len(label_ids) > 0
    if has_list and getattr(_first_output(label_ids[0]), "ndim", 0) == 2:
        others = {"predictions": predictions, "inputs": inputs}
        counts = {name: len(value) for name, value in others.items() if value is not None}
        if set(counts.values()) != {len(label_ids)}:
            received = " and ".join(f"{count} of {name}" for name, count in counts.items())
            raise ValueError(f"{len(label_ids)} batches of label_ids and {received}: expected equal numbers.")
        for number, labels in enumerate(label_ids):
            inputs_of_batch = None if inputs is None else inputs[number]
            # Each batch has a matrix of labels, and becomes one evaluation, with the first output of tuples.
            yield from batches_of(Evaluation(predictions[number], labels, inputs_of_batch))
        return
    if isinstance(label_ids, tuple) and len(label_ids) != 1:
        raise ValueError(
            f"label_ids are a tuple of {len(label_ids)} arrays: expected one; name it in TrainingArguments(label_names=…)."
        )
    yield Evaluation(_first_output(predictions), _first_output(label_ids), _first_output(inputs))


def _first_output(outputs: Any) -> Any:
    """Return the first of a model's outputs, which may be tuples within tuples."""
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
    # Empty arrays may differ in the number of dimensions, as (0,) and (0, 5) do.
    if not ids.size and 0 in shape:
        return ids.reshape(shape)
    if ids.shape != shape:
        problem = f"inputs have shape {ids.shape}, label_ids have shape {shape}: expected a label for every input id."
        if len(ids) < shape[0]:
            problem += (
                " With batch_eval_metrics the Trainer does not gather the inputs of other processes: leave it out."
            )
        raise ValueError(problem)
    return ids


def _is_tensor(array: Any) -> bool:
    """Return whether an array is a tensor of torch, which this module does not import."""
    return hasattr(array, "detach")


class Predictions(NamedTuple):
    """The predictions of a batch."""

    array: npt.NDArray[Any]  #: class ids, or the logits of an array of numpy
    shape: tuple[int, ...]  #: of the predictions as they were received
    are_ids: bool  #: True if they were class ids


def read_predictions(predictions: Any) -> Predictions:
    """Read class ids or logits; logits of a tensor become class ids."""
    if not _is_tensor(predictions):
        array = _as_numpy(predictions, "predictions")
        return Predictions(array, array.shape, array.dtype.kind != "f")
    shape = tuple(predictions.shape)
    are_ids = not predictions.is_floating_point()
    if not are_ids and shape[-1:] == (0,):
        # Logits of no class have no largest one.
        return Predictions(np.zeros(shape), shape, are_ids=False)
    # Logits become ids on their device: numpy has no bfloat16, and ids are smaller to move.
    ids = _as_numpy(preprocess_logits_for_metrics(predictions), "predictions")
    return Predictions(ids, shape, are_ids)


def _as_numpy(array: Any, name: str) -> npt.NDArray[Any]:
    """Convert to an array of numpy; `name` is that of the argument, for messages."""
    try:
        values = np.asarray(array.detach().cpu().numpy() if _is_tensor(array) else array)
    except ValueError:
        raise ValueError(
            f"{name}: the rows have different lengths; expected an array, padded with {PADDING}."
        ) from None
    if values.dtype.kind not in "iubf":
        raise ValueError(f"{name} are of type {values.dtype}: expected an array of numbers.")
    # Two classes may be False and True: they become 0 and 1.
    return values.view(np.uint8) if values.dtype == bool else values


def as_ids(array: Any, name: str) -> Ids:
    """Convert to an array of integers."""
    ids = array
    # A tensor of floats stays as it is, because numpy lacks some types of floats. It is an error below, unless it is empty.
    if not (_is_tensor(array) and array.is_floating_point()):
        ids = _as_numpy(array, name)
    shape = tuple(ids.shape)
    if 0 in shape:
        return np.zeros(shape, np.int64)
    if isinstance(ids, np.ndarray) and ids.dtype.kind in "iu":
        return ids
    hint = "To generate text, set predict_with_generate=True." if name == "predictions" else SWAPPED
    raise ValueError(f"{name} are of type {ids.dtype} and shape {shape}: expected ids, integers. {hint}")


def rows_of(ids: Ids) -> pa.ChunkedArray:
    """Return a column with the bytes of each row of a matrix, without a copy if the matrix is contiguous."""
    # A type with a number of bytes has values of this length, which need no offsets.
    row_type = pa.binary(ids.shape[1] * ids.itemsize)
    data = pa.py_buffer(np.ascontiguousarray(ids))
    return pa.chunked_array([pa.Array.from_buffers(row_type, len(ids), [None, data])])
