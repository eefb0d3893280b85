"""Inputs: from Python collections of any kind to Arrow columns, one value per utterance.

Conventions
-----------
A column is a `pyarrow.ChunkedArray` without nulls of one of three types: `large_string` (text), `large_list<large_string>`
(words, or tags), `large_list<int64>` (labels). Where every utterance is an empty list the type is `large_list<null>`, and without
utterances it is `null`; both fit any form. Analyses of words are `large_list<large_list<large_string>>`.
`form` has the names of these types.

Accepted: lists, tuples and other iterables; Arrow arrays and objects that export them (polars, pandas); numpy arrays,
also 2-D or of objects; pandas series; torch tensors, one for all utterances or one for each; columns of `datasets`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import chain
from os import PathLike
from os.path import isfile
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from ..kernel import arrow_functions as pc
from ..kernel.arrays import int64_array, large_lists, text_array
from ..options.errors import UtteranceError, warn
from ..options.quoting import described, shortened

Column: TypeAlias = pa.ChunkedArray

TEXT = pa.large_string()
WORDS = pa.large_list(pa.large_string())
LABELS = pa.large_list(pa.int64())
BLANKS = pa.large_list(pa.null())
#: For each utterance, a word, one or more lists of its morphemes; or pairs of a word and its tag.
ANALYSES = pa.large_list(WORDS)
#: Recordings, of which `worlds.times.intervals` makes the columns: intervals in ticks, or the reason why there are none.
CODES = pa.large_list(pa.int32())
RECORDINGS = pa.struct({"problem": TEXT, "duration": pa.int64(), "starts": LABELS, "ends": LABELS, "labels": CODES})

EXPECTED = "expected a string, a list of words, or a list of labels (integers or tags) for each utterance"

#: The end of the error of utterances whose text a tokenizer can't read.
TEXT_APART = (
    "do not say where the text has spaces, which a tokenizer reads: name the plain text as the reference, or in Python pass "
    "segscores.tokenized(tokenizer, texts)."
)

#: The kinds of numpy's types that may be labels: integers, integers without a sign, and booleans.
_LABEL_KINDS = "iub"
#: The kinds of numpy's strings, and of Python objects, which may be strings or lists.
_VALUE_KINDS = "UTO"

_FLOATS = (
    "Labels are integers: take the class ids of logits by argmax(-1), or turn probabilities into labels, and convert with "
    "astype(int)."
)


def is_tokenizer(value: object) -> bool:
    """Return whether a value is a tokenizer, or a function in place of one."""
    is_function = callable(value) and not isinstance(value, type)
    return is_function or any(hasattr(value, name) for name in ("encode_batch", "serialized_model_proto"))


def read_column(values: Any, side: str, first_utterance: int = 0) -> Column:
    """Read one side into a column.

    `first_utterance` is the number of the first utterance, for a TypeError; an `UtteranceError` counts from 0.
    """
    if type(values) is list:
        return _from_list(values, side, first_utterance)
    _refuse_no_collection(values, side)
    if isinstance(values, (pa.Array, pa.ChunkedArray)):
        return _from_arrow(values, side)
    if hasattr(values, "__arrow_c_stream__"):
        column = _from_stream(values)
        if column is not None:
            return _from_arrow(column, side)
        # It holds Python objects: read it as an array or as a list.
    if is_array(type(values)):
        return _from_numpy(as_numpy(values, side), side)
    if not isinstance(values, Iterable):
        raise TypeError(f"{side}: received {described(values)}; {EXPECTED}.")
    return _from_list(list(values), side, first_utterance)


def warn_of_indices(collections: Sequence[Any]) -> None:
    """Warn of Series of pandas, of sides or of ids, that have the same index in different orders, as they pair by position.

    The default index of a Series, a RangeIndex, says nothing: a model returns a list for examples that were shuffled before.
    """
    indices = [values.index for values in collections if hasattr(getattr(values, "index", None), "equals")]
    if not indices:
        return
    first, *others = indices
    for other in others:
        are_named = "RangeIndex" not in (type(first).__name__, type(other).__name__)
        if are_named and not first.equals(other) and _are_reordered(first, other):
            problem = "the Series have the same index in different orders, and pair by position"
            warn(
                f"{problem}: if rows of one index belong together, pass predictions.loc[references.index], or ids.loc[…]."
            )
            return


def _are_reordered(first: Any, other: Any) -> bool:
    """Return whether two indices of pandas have the same labels. With a label twice, `loc` would return rows several times."""
    return len(first) == len(other) and first.is_unique and set(first.tolist()) == set(other.tolist())


def _refuse_no_collection(values: Any, side: str) -> None:
    """Raise an error for a value that is no collection of utterances, though Python or another library may iterate over it."""
    if isinstance(values, (str, bytes, bytearray)):
        received = f"{side}: received one {type(values).__name__}"
        if isinstance(values, str) and isfile(values):
            raise TypeError(f"{received}, the name of a file: to read the file, pass pathlib.Path({values!r}).")
        text = values
        hint = "To read a file, pass a pathlib.Path."
        if not isinstance(values, str):
            text = bytes(values).decode(errors="replace")
            hint = "Decode bytes first: bytes.decode()."
        raise TypeError(f"{received}; {EXPECTED}: did you mean {shortened([text])}? {hint}")
    if isinstance(values, PathLike):
        remedy = "which is not read here: pass it to a function of segscores, such as score."
        raise TypeError(f"{side}: received the file {values}, {remedy}")
    if hasattr(values, "readline"):
        raise TypeError(f"{side}: received an open file; {EXPECTED}: pass list(file) or pathlib.Path(name).")
    if values is None or isinstance(values, (Mapping, Set)):
        raise TypeError(f"{side}: received {described(values)}; {EXPECTED}.")
    if isinstance(values, pa.Table):
        raise TypeError(f"{side}: received a table; {EXPECTED}: pass one of its columns.")
    is_tensor = hasattr(values, "detach")
    if is_tensor and values.is_floating_point() and values.numel():
        raise TypeError(f"{side}: received a tensor of type {values.dtype}; {EXPECTED}. {_FLOATS}")


def check_rows(column: pa.Array, side: str) -> None:
    """Reject missing values, and bytes that are not text, in an array from a file or from Spark, which check neither."""
    if has_views(column.type):
        column = pa.array(column.to_pylist())  # as Arrow can't decode it
    # Dictionaries and lists of one fixed length hide nulls.
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    elif pa.types.is_fixed_size_list(column.type):
        column = column.cast(pa.list_(column.type.value_type))
    if column.null_count:
        raise UtteranceError(_first_null(column), f"received None; {EXPECTED}.", side=side)
    utterance = _first_with_null(column)
    if utterance >= 0:
        raise UtteranceError(utterance, f"received a list with None in it; {EXPECTED}.", side=side)
    try:
        column.validate(full=True)
    except pa.ArrowInvalid as invalid:
        # Read rows only if the texts are damaged: with damaged offsets, a row is outside the array.
        if "UTF8" in str(invalid):
            _refuse_damaged_text(column, side)
        raise


def _refuse_damaged_text(column: pa.Array, side: str) -> None:
    """Raise an error for the first row that is not UTF-8."""
    for row in range(len(column)):
        try:
            column[row].as_py()
        except UnicodeDecodeError as error:
            byte = f"the byte 0x{error.object[error.start]:02x} at offset {error.start}"
            hint = "Expected UTF-8 text: decode it before it is stored, or is it binary?"
            problem = f"{byte} is not valid UTF-8 ({error.reason})."
            raise UtteranceError(row, problem, hint, side, offset=error.start) from None


def _first_null(array: pa.Array | pa.ChunkedArray) -> int:
    """Return the index of the first null of an array that has one."""
    return int(pc.index(pc.is_null(array), True).as_py())


def _first_with_null(lists: pa.Array) -> int:
    """Return the index of the first list with a null in it; -1 if there is none, or the values are no lists."""
    if not (pa.types.is_list(lists.type) or pa.types.is_large_list(lists.type)):
        return -1
    values = lists.flatten()
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    if not values.null_count:
        return -1
    return int(pc.list_parent_indices(lists)[_first_null(values)].as_py())


def _from_stream(values: Any) -> pa.ChunkedArray | None:
    """Return a column of another library, through Arrow; None if it holds Python objects, which are better read as a list."""
    try:
        column = pa.chunked_array(values)
    except (pa.ArrowException, UnicodeEncodeError):
        return None
    target = _canonical_type(column.type)
    # A series with a type of numpy may hold masked arrays, whose masked values Arrow would take for values.
    if target not in (None, TEXT) and isinstance(getattr(values, "dtype", None), np.dtype):
        return None
    # A table is a struct, whose error asks for a column. What else is no utterance may be read as a list.
    if target is None and not pa.types.is_struct(column.type):
        return None
    return column


def _from_list(values: Sequence[Any], side: str, first_utterance: int = 0) -> Column:
    """Return a column of strings, of lists, or of arrays.

    `first_utterance` is the number of the first utterance, for a TypeError; an `UtteranceError` counts from 0.
    """
    kinds = set(map(type, values))
    if not kinds:
        return pa.chunked_array([pa.nulls(0)])
    if all(issubclass(kind, str) for kind in kinds):
        try:
            return pa.chunked_array([text_array(values)])
        except UnicodeEncodeError:
            # The search for the character takes lists of strings: of one string each.
            raise _odd_character([[value] for value in values], side) from None
    if kinds <= {list, tuple}:
        return _from_nested(values, side, first_utterance)
    if any(issubclass(kind, str) or not _holds_utterance(kind) for kind in kinds):
        raise _odd_utterance(values, side, first_utterance)
    return _from_arrays(values, side, first_utterance)


def _from_arrays(values: Sequence[Any], side: str, first_utterance: int) -> Column:
    """Return a column of utterances that are arrays or, some of them, lists."""
    arrays = []
    for number, value in enumerate(values, first_utterance):
        array = value
        if is_array(type(value)):
            array = as_numpy(value, f"{side}, utterance {number}")
        if isinstance(array, np.ndarray) and array.ndim != 1:
            flat = "Pass an array of all utterances as it is, or flatten this one."
            hint = _FLOATS if array.dtype.kind == "f" else flat
            received = f"{side}, utterance {number}: received an array of shape {array.shape}"
            raise TypeError(f"{received}; expected words or labels. {hint}")
        arrays.append(array)
    if all(isinstance(array, np.ndarray) and array.dtype.kind in _LABEL_KINDS for array in arrays):
        return _label_column(np.concatenate(arrays), map(len, arrays))
    lists = [array.tolist() if isinstance(array, np.ndarray) else array for array in arrays]
    return _from_nested(lists, side, first_utterance)


def _from_nested(values: Sequence[Any], side: str, first_utterance: int) -> Column:
    """Return a column of lists: of words or tags, of labels, or of analyses, which are lists of lists of words."""
    try:
        kinds = set(map(type, chain.from_iterable(values)))
    except TypeError:
        raise _odd_utterance(values, side, first_utterance) from None
    if not kinds:
        return pa.chunked_array([_lists_of(map(len, values), pa.nulls(0), BLANKS)])
    if all(issubclass(kind, str) for kind in kinds):
        try:
            return pa.chunked_array([word_lists(values)])
        except UnicodeEncodeError:
            raise _odd_character(values, side) from None
    if all(issubclass(kind, (int, np.integer, np.bool_)) for kind in kinds):
        try:
            labels = np.fromiter(chain.from_iterable(values), np.int64)
        except OverflowError:
            raise _odd_item(values, side, first_utterance) from None
        return _label_column(labels, map(len, values))
    if kinds <= {list, tuple}:
        # The analyses, or pairs of a word and its tag, of all utterances.
        lists = [*chain.from_iterable(values)]
        if all(isinstance(item, str) for item in chain.from_iterable(lists)):
            try:
                return pa.chunked_array([_lists_of(map(len, values), word_lists(lists), ANALYSES)])
            except UnicodeEncodeError:
                raise _odd_character([[*chain.from_iterable(value)] for value in values], side) from None
    raise _odd_item(values, side, first_utterance)


def _from_numpy(array: np.ndarray[Any, Any], side: str) -> Column:
    """Return a column of the rows of an array: labels in two dimensions, or strings or lists in one."""
    if array.ndim == 2 and not array.size:
        # Rows without items are empty, whatever the type of the array is.
        return _from_list([[]] * len(array), side)
    if array.ndim == 2 and array.dtype.kind in _LABEL_KINDS:
        unit_count = array.shape[1]
        return _label_column(array.ravel(), [unit_count] * len(array))
    # One number for each utterance is no list of labels.
    has_numbers = array.ndim == 1 and array.dtype.kind in _LABEL_KINDS + "f"
    if has_numbers and len(array):
        first_item = array[0].item()
        raise TypeError(
            f"{side}, utterance 0: received {described(first_item)}; {EXPECTED}.{_hint_at_kind(first_item)}"
        )
    has_values = array.dtype.kind in _VALUE_KINDS + _LABEL_KINDS
    if array.ndim not in (1, 2) or (array.size and not has_values):
        received = f"{side}: received an array of shape {array.shape} and type {array.dtype}"
        hint = f" {_FLOATS}" if array.dtype.kind == "f" else ""
        expected = "expected one utterance per row: integers of shape (utterances, units), or strings."
        raise TypeError(f"{received}; {expected}{hint}")
    return _from_list(array.tolist(), side)


def _from_arrow(array: pa.Array | pa.ChunkedArray, side: str) -> Column:
    """Return a column with the values of an array, in one of the types of columns."""
    column = array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])
    target = _canonical_type(column.type)
    if target is None:
        hint = " Pass one of its columns." if pa.types.is_struct(column.type) else ""
        raise TypeError(f"{side}: received an Arrow array of type {column.type}; {EXPECTED}.{hint}")
    # Arrow can't decode views, and the check for None below looks into lists, and not into lists of lists.
    if has_views(column.type) or target == ANALYSES:
        return _from_list(column.to_pylist(), side)
    _reject_missing(column, side)
    if pa.types.is_nested(column.type) and pa.types.is_dictionary(column.type.value_type):
        # Copy the slice first: the cast of a slice would decode all values of the whole array.
        column = pa.chunked_array([pa.concat_arrays([chunk]) for chunk in column.chunks], column.type)
    column = column.cast(target, safe=False)  # no scheme has labels of 64 bits without a sign
    _reject_missing(column, side)  # in a dictionary, nulls may be among the values instead of the indices
    utterances_before = 0
    for chunk in column.chunks:
        index = _first_with_null(chunk)
        if index >= 0:
            place = f"{side}, utterance {utterances_before + index}"
            raise TypeError(f"{place}: received a list with None in it; {EXPECTED}.")
        utterances_before += len(chunk)
    return column


def _reject_missing(column: Column, side: str) -> None:
    """Raise an error for an utterance that is null."""
    if column.null_count:
        raise TypeError(f"{side}, utterance {_first_null(column)}: received None; {EXPECTED}.")


def has_views(kind: pa.DataType) -> bool:
    """Return whether a type has a dictionary of string views, which Arrow can't decode."""
    return "dictionary<values=string_view" in str(kind)


def _canonical_type(kind: pa.DataType) -> pa.DataType | None:
    """Return the type of columns to which an Arrow type is cast; None if its values are no utterances.

    >>> _canonical_type(pa.list_(pa.int8())) == LABELS, _canonical_type(pa.float64())
    (True, None)
    """
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_null(kind):
        return pa.null()
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return TEXT
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        inner = kind.value_type
        if pa.types.is_null(inner):
            return BLANKS
        if pa.types.is_integer(inner) or pa.types.is_boolean(inner):
            return LABELS
        # Lists of text are words, and lists of words analyses.
        return {TEXT: WORDS, WORDS: ANALYSES}.get(_canonical_type(inner))
    return None


def word_lists(values: Sequence[Sequence[str]]) -> pa.LargeListArray:
    """Convert lists of words to an Arrow array.

    >>> word_lists([["the", "dog"], []]).to_pylist()
    [['the', 'dog'], []]
    """
    return _lists_of(map(len, values), text_array([*chain.from_iterable(values)]), WORDS)


def _label_column(labels: np.ndarray[Any, Any], lengths: Iterable[int]) -> Column:
    """Return the column of the labels of all utterances; `lengths` are the numbers of labels of the utterances."""
    return pa.chunked_array([_lists_of(lengths, int64_array(labels.astype(np.int64, copy=False)), LABELS)])


def _lists_of(lengths: Iterable[int], values: pa.Array, kind: pa.DataType) -> pa.LargeListArray:
    """Return lists of these lengths, which have the values one after the other."""
    return large_lists(np.cumsum([0, *lengths], dtype=np.int64), values, kind)


def is_array(kind: type) -> bool:
    """Return whether values of a type are arrays of numpy or of another library; numpy scalars are not."""
    has_values = hasattr(kind, "detach") or hasattr(kind, "__array__")
    return has_values and hasattr(kind, "shape") and not issubclass(kind, np.generic)


def as_numpy(value: Any, name: str) -> np.ndarray[Any, Any]:
    """Convert an array of any library to numpy; a torch tensor may be on a device and part of a graph."""
    if isinstance(value, np.ma.MaskedArray):
        # np.asarray would drop the mask, and so count masked values.
        expected = "expected plain arrays: drop masked values, utterance by utterance."
        raise TypeError(f"{name}: received a masked array; {expected}")
    if not hasattr(value, "detach"):
        return np.asarray(value)
    tensor = value.detach().cpu()
    # Convert floats first: numpy has neither bfloat16 nor the other short floats of torch.
    if tensor.is_floating_point():
        tensor = tensor.double()
    return np.asarray(tensor)


def _holds_utterance(kind: type) -> bool:
    """Return whether a value of a type may be an utterance that is no string: a list or an array."""
    return issubclass(kind, (list, tuple)) or is_array(kind)


def _odd_utterance(values: Sequence[Any], side: str, first_utterance: int) -> TypeError:
    """Return the error of the first value that is no utterance, or has another form than the first; called where there is one.

    `first_utterance` is the number of `values[0]` in messages.

    An example is "references, utterance 2: received 5; expected a string, a list of words, …".
    """
    first_value = values[0]
    for number, value in enumerate(values, first_utterance):
        where = f"{side}, utterance {number}"
        if not isinstance(value, str) and not _holds_utterance(type(value)):
            return TypeError(f"{where}: received {described(value)}; {EXPECTED}.{_hint_at_kind(value)}")
        if isinstance(value, str) != isinstance(first_value, str):
            received = f"{where} is {described(value)} and utterance {first_utterance} is {described(first_value)}"
            return TypeError(f"mixed forms: {received}; expected the same form for every utterance.")
    # All are lists or arrays. One of them, such as an array of no dimension, does not let Python iterate over its items.
    return TypeError(f"{side}: {EXPECTED}.")


def _odd_item(values: Sequence[Any], side: str, first_utterance: int) -> TypeError | UtteranceError:
    """Return the error of the first item that is no word and no label of 64 bits, or of another kind than the first item.

    `first_utterance` is the number of the first utterance, for a TypeError. An `UtteranceError` counts from 0: the caller adds
    what is before.
    """
    # The first item, whose place is item 0 of the first utterance that is not empty.
    first_item: Any = None
    first_place = ""
    for index, utterance in enumerate(values):
        for offset, item in enumerate(utterance):
            received = f"{side}, utterance {first_utterance + index}: item {offset} is {described(item)}"
            is_pair = isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], str)
            if is_pair and not isinstance(item[1], str):
                return TypeError(f"{received}; expected a word and its tag, which are strings.")
            if not is_pair and not isinstance(item, (str, int, np.integer, np.bool_)):
                expected = "expected words (strings), tags (strings) or labels (integers)."
                return TypeError(f"{received}; {expected}{_hint_at_kind(item)}")
            if isinstance(item, (int, np.integer)) and not -(1 << 63) <= int(item) < 1 << 63:
                problem = f"the label {item} has more than 63 bits; expected the labels of a scheme."
                return UtteranceError(index, problem, side=side)
            if first_item is None:
                first_item = item
                first_place = f"item {offset} of utterance {first_utterance + index}"
            if isinstance(item, str) != isinstance(first_item, str):
                is_padded = -100 in (item, first_item)
                hint = " Is -100 padding? Drop the masked positions from both sides before." if is_padded else ""
                expected = f"expected only words, only tags or only labels.{hint}"
                return TypeError(f"mixed forms: {received}, and {first_place} is {described(first_item)}; {expected}")
    # No item is odd now, as if a list of a type of its own has other items each time that they are read.
    return TypeError(f"{side}: {EXPECTED}.")


def _odd_character(values: Sequence[Sequence[str]], side: str) -> UtteranceError:
    """Return the error of the first lone surrogate in the texts of utterances."""
    for index, texts in enumerate(values):
        for text in texts:
            try:
                text.encode()
            except UnicodeEncodeError as error:
                surrogate = f"a lone surrogate (U+{ord(text[error.start]):04X}), which is not text"
                problem = f"the character at offset {error.start} is {surrogate}; expected Unicode text."
                hint = "Was the file read with errors='surrogateescape'? Read it with its own encoding."
                return UtteranceError(index, problem, hint, side, offset=error.start)
    raise AssertionError("every string can be encoded by itself, but not together")


def _hint_at_kind(value: object) -> str:
    """Return the remedy for a value that is no utterance and no item, after a space; empty if none is known."""
    if isinstance(value, (float, np.floating)):
        if np.isnan(value):
            return " Is it a missing value?"
        return f" {_FLOATS}"
    if isinstance(value, (int, np.integer)):
        return " A list of labels is one utterance: did you mean a list of such lists, as [[1, 0]]?"
    if isinstance(value, list) and value and isinstance(value[0], float):
        return f" {_FLOATS}"
    if isinstance(value, bytes):
        return " Decode it first: bytes.decode()."
    return ""
