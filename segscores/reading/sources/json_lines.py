"""JSON lines: an object on each line, whose fields are columns.

Arrow reads columns of known types, many lines at once. `null` as a line ends the whole process in its reader, and so do
deeply nested values of unknown types. So `read_columns` alone calls that reader, with types, and checks lines before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from ...options.errors import UtteranceError
from ..json_values import json_object, json_value

_ONE_OBJECT = "expected one JSON object on the line, as on every other."
#: The characters before most values in objects and lists.
_BEFORE_VALUES = (b":", b": ", b",", b", ", b"[")
#: A beginning as of a `null` outside objects, behind an object or on a line of its own; it may be in a string.
_NULL_OUTSIDE = rb"[}\n][ \t\r]*null"
#: Arrow's message on a row that is not JSON or has another type.
_ARROW_ERROR = r"(?s)(?:JSON parse error: )?(.*?) in row (\d+)"


_WORDS = pa.list_(pa.string())
_LABELS = pa.list_(pa.int64())


@dataclass(frozen=True)
class JsonColumns:
    """The parser of columns of JSON lines, by their names and types."""

    kinds: tuple[tuple[str, pa.DataType], ...]

    def __call__(self, block: bytes) -> Sequence[pa.Array]:
        """Return the columns of whole lines; raise an `UtteranceError` if a line is not an object, or has another type."""
        return read_columns(block, dict(self.kinds))

    def column(self, block: bytes, number: int) -> pa.Array:
        """Return one column of whole lines, by its number; raise an `UtteranceError` as for all columns."""
        name, kind = self.kinds[number]
        (column,) = read_columns(block, {name: kind})
        return column


def kind_of_column(block: bytes, column: str, *, has_labels: bool) -> pa.DataType | None:
    """Return the type of a column by its values in a block of lines; None if no line has the column.

    The first string, or list with an item of a known type, decides. If there is none, an empty list goes before numbers: it is of
    labels or of words. A float goes before integers. A column that begins with another value, such as null, is of strings.

    >>> kind_of_column(b'{"age": 2}\\n{"age": 2.5}\\n', "age", has_labels=False)
    DataType(double)
    """
    kind: pa.DataType | None = None  # the type by the values so far
    for fields in _objects_of(block):
        if column not in fields:
            continue
        value = fields[column]
        if isinstance(value, str):
            return pa.string()
        if isinstance(value, list):
            kind_of_list = _kind_of_list(value)
            if kind_of_list is not None:
                return kind_of_list
            # An empty list, or a list whose first item shows nothing.
            kind = _LABELS if has_labels else _WORDS
        elif kind is None:
            kind = _kind_of_number(value)
        elif kind == pa.int64() and isinstance(value, float):
            kind = pa.float64()
    return kind


def _kind_of_list(values: Sequence[object]) -> pa.DataType | None:
    """Return the type of a list by its first item; None if the item does not show it."""
    first = next(iter(values), None)
    if isinstance(first, str):
        return _WORDS
    if isinstance(first, bool):  # before integers, of which they are a kind in Python
        return pa.list_(pa.bool_())
    if isinstance(first, int):
        return _LABELS
    return None


def _kind_of_number(value: object) -> pa.DataType:
    """Return the type of a number, such as an id or an age; for another value that of strings, whose reader refuses it."""
    if isinstance(value, float):
        return pa.float64()
    if isinstance(value, int) and not isinstance(value, bool):
        return pa.int64()
    return pa.string()


def first_fields(block: bytes) -> list[str]:
    """Return the names of the fields of the first object that has any; none if no line has."""
    return list(next(_objects_of(block), {}))


def _objects_of(block: bytes) -> Iterator[dict[str, Any]]:
    """Yield the objects of a block of lines that have fields; other lines are left to the reader, which refuses them."""
    for line in block.split(b"\n"):
        fields = json_object(line)
        if fields:
            yield fields


def read_columns(block: bytes, kinds: Mapping[str, pa.DataType]) -> list[pa.Array]:
    """Return the columns of whole lines; raise an `UtteranceError` if a line is not an object, or has another type.

    >>> read_columns(b'{"gold": "a b"}\\n{"gold": null}\\n', {"gold": pa.string()})[0].to_pylist()
    ['a b', None]
    """
    line_count = block.count(b"\n")
    if not line_count:
        return [pa.nulls(0, kind) for kind in kinds.values()]
    if _may_have_null_outside_objects(block):
        _check_objects(block)
    table = _read_table(block, kinds)
    if len(table) != line_count or not _begin_and_end_with_braces(block, line_count):
        _check_objects(block)
        # No line by itself is to blame, though Arrow does not read them as so many objects: the error names the first.
        raise UtteranceError(0, _ONE_OBJECT)
    return [table.column(name).combine_chunks() for name in kinds]


def read_objects(text: bytes) -> list[dict[str, Any]]:
    """Return the objects of a small text, without its blank lines; a ValueError names the line that is no object.

    >>> read_objects(b'{"f": 1}\\n\\n{"f": 2}')
    [{'f': 1}, {'f': 2}]
    """
    objects = []
    for number, line in enumerate(text.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            value = json_value(line, has_distinct_keys=True)
        except ValueError as error:
            raise ValueError(f"line {number}: the line can't be read: {error}; {_ONE_OBJECT}") from None
        if not isinstance(value, dict):
            raise ValueError(f"line {number}: {_ONE_OBJECT}")
        objects.append(value)
    return objects


def _read_table(block: bytes, kinds: Mapping[str, pa.DataType]) -> pa.Table:
    """Return the columns as Arrow reads them; raise an `UtteranceError` for the line that Arrow refuses."""
    from pyarrow import json as arrow_json

    # Read one block, so that rows count from its beginning, without threads, because blocks are read in parallel.
    whole = arrow_json.ReadOptions(use_threads=False, block_size=len(block) + 1)
    schema = pa.schema(list(kinds.items()))
    parse = arrow_json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore")
    try:
        return arrow_json.read_json(pa.BufferReader(block), read_options=whole, parse_options=parse)
    except pa.ArrowInvalid as error:
        reason, line = _parsed_error(str(error), block)
        expected = " and ".join(f"{_expected(kind)} under {name!r}" for name, kind in kinds.items())
        problem = f"the line can't be read: {reason.rstrip('.')}; expected an object with {expected}."
        raise UtteranceError(line, problem) from None


def _parsed_error(message: str, block: bytes) -> tuple[str, int]:
    """Return what is wrong, and the index of the line, by Arrow's message: "JSON parse error: Invalid value. in row 3"."""
    match = re.search(_ARROW_ERROR, message)
    if match is None:
        # The first line of other messages says what is wrong, and none says where.
        first_line, *_ = message.splitlines()
        return first_line, _line_of_row(0, block)
    reason, row = match.groups()
    # Arrow expects an object on each line, and calls the line itself a column without a name. At the lines `{"a": "x"}` and `5`
    # its message is "JSON parse error: Column() changed from object to number in row 1".
    other_value = re.match(r"Column\(\) changed from object to (\w+)", reason)
    if other_value:
        reason = f"it is no object, but of the type {other_value[1]}"
    return reason, _line_of_row(int(row), block)


def _line_of_row(row: int, block: bytes) -> int:
    """Return the index of the line of a row: Arrow counts rows without blank lines."""
    filled_lines = [index for index, line in enumerate(block.split(b"\n")[:-1]) if line.strip()]
    if not filled_lines:
        return 0
    # The last line stands for a row beyond it, so that an odd count of Arrow's never hides the error.
    return filled_lines[min(row, len(filled_lines) - 1)]


def _expected(kind: pa.DataType) -> str:
    """Return what a value of a column should be, for messages."""
    if pa.types.is_list(kind):
        return "a list of words" if pa.types.is_string(kind.value_type) else "a list of labels"
    # Columns of numbers are of ids or ages.
    if pa.types.is_integer(kind):
        return "an integer of 64 bits"
    if pa.types.is_floating(kind):
        return "a number"
    return "a string, a list of words or a list of labels"


def _may_have_null_outside_objects(block: bytes) -> bool:
    """Return whether a `null` may stand outside the objects, where it would end the process."""
    null_count = block.count(b"null")
    # Counting takes less time than the search.
    nulls_in_objects = sum(block.count(before + b"null") for before in _BEFORE_VALUES)
    return null_count > nulls_in_objects and re.search(_NULL_OUTSIDE, b"\n" + block) is not None


def _check_objects(block: bytes) -> None:
    """Raise an error for the first line that is no object."""
    for index, line in enumerate(block.split(b"\n")[:-1]):
        if json_object(line) is None:
            raise UtteranceError(index, _ONE_OBJECT)


def _begin_and_end_with_braces(block: bytes, line_count: int) -> bool:
    """Return whether every line begins and ends with braces.

    If so, and if the block is valid JSON of `line_count` objects, each line is one object.
    """
    # Counting takes less time than a look at each line, but does not see lines with spaces around the object.
    between = block.count(b"}\n{") + block.count(b"}\r\n{")
    if between == line_count - 1 and block.startswith(b"{") and block.endswith(b"}\n"):
        return True
    lines = (line.strip(b" \t\r") for line in block.split(b"\n")[:-1])
    return all(line.startswith(b"{") and line.endswith(b"}") for line in lines)
