"""JSON lines: an object on each line, whose fields are columns.

Arrow reads columns of known types, many lines at once. `null` as a line ends the whole process in its reader, and so do
deeply nested values of unknown types. So `read_columns` alone calls that reader, with types, and checks lines before it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from ...options.errors import UtteranceError
from ..json_values import json_object, json_value

_ONE_OBJECT = "expected one JSON object on the line, as on every other."
#: What stands before most values in objects and lists.
_BEFORE_VALUES = (b":", b": ", b",", b", ", b"[")
#: What begins as a `null` outside objects does, behind an object or on a line of its own; it may be in a string.
_NULL_OUTSIDE = re.compile(rb"[}\n][ \t\r]*null")
#: Arrow's message on a row that is not JSON or has another type.
_ARROW_ERROR = re.compile(r"(?:JSON parse error: )?(.*?) in row (\d+)", re.DOTALL)


def read_columns(block: bytes, kinds: Mapping[str, pa.DataType]) -> list[pa.Array]:
    """Return the columns of whole lines; raise an `UtteranceError` if a line is not an object, or has another type.

    >>> read_columns(b'{"gold": "a b"}\\n{"gold": null}\\n', {"gold": pa.string()})[0].to_pylist()
    ['a b', None]
    """
    count = block.count(b"\n")
    if not count:
        return [pa.nulls(0, kind) for kind in kinds.values()]
    if _may_have_null_outside_objects(block):
        _check_objects(block)
    table = _read_table(block, kinds)
    if len(table) != count or not _begin_and_end_with_braces(block, count):
        _check_objects(block)
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
    from pyarrow import json as arrow_json

    # Read one block, so that rows count from its beginning, without threads, because blocks are read in parallel.
    whole = arrow_json.ReadOptions(use_threads=False, block_size=len(block) + 1)
    schema = pa.schema(list(kinds.items()))
    parse = arrow_json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore")
    try:
        return arrow_json.read_json(pa.BufferReader(block), read_options=whole, parse_options=parse)
    except pa.ArrowInvalid as error:
        match = _ARROW_ERROR.search(str(error))
        problem, row = (match[1], int(match[2])) if match else (str(error).splitlines()[0], 0)
        # Arrow counts rows without blank lines.
        lines = [index for index, line in enumerate(block.split(b"\n")[:-1]) if line.strip()]
        expected = " and ".join(f"{_expected(kind)} under {name!r}" for name, kind in kinds.items())
        problem = f"the line can't be read: {problem.rstrip('.')}; expected an object with {expected}."
        raise UtteranceError(lines[min(row, len(lines) - 1)] if lines else 0, problem) from None


def _expected(kind: pa.DataType) -> str:
    if pa.types.is_list(kind):
        return "a list of words" if pa.types.is_string(kind.value_type) else "a list of labels"
    return "a string, a list of words or a list of labels"


def _may_have_null_outside_objects(block: bytes) -> bool:
    if b"null" not in block:
        return False
    # Counting takes less time than the search.
    of_fields = sum(block.count(before + b"null") for before in _BEFORE_VALUES)
    return block.count(b"null") > of_fields and _NULL_OUTSIDE.search(b"\n" + block) is not None


def _check_objects(block: bytes) -> None:
    """Raise an error for the first line that is no object."""
    for index, line in enumerate(block.split(b"\n")[:-1]):
        if json_object(line) is None:
            raise UtteranceError(index, _ONE_OBJECT)


def _begin_and_end_with_braces(block: bytes, count: int) -> bool:
    """Return whether every line begins and ends with braces: then valid JSON with as many objects has one on each line."""
    if block.count(b"}\n{") + block.count(b"}\r\n{") == count - 1 and block[:1] == b"{" and block[-2:] == b"}\n":
        return True
    lines = (line.strip(b" \t\r") for line in block.split(b"\n")[:-1])
    return all(line[:1] == b"{" and line[-1:] == b"}" for line in lines)
