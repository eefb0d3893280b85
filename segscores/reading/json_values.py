"""JSON values: one reader of JSON from outside, which may be damaged or forged."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

_SPACE = re.compile(r"\s+")


def json_value(text: str | bytes | bytearray, *, has_distinct_keys: bool = False) -> Any:
    """Return the value of a text in JSON; a ValueError says that it is none, or is nested too deeply for Python.

    With `has_distinct_keys` an object that has a key twice is an error; by default the last value of the key counts.
    """
    try:
        return json.loads(text, object_pairs_hook=_distinct if has_distinct_keys else None)
    except RecursionError:
        raise ValueError("lists or objects are nested too deeply") from None


def json_values(text: str) -> list[Any] | None:
    """Return the values of JSON that stand one after the other, as in JSON lines; None if a text is anything else.

    >>> json_values('{"a": 1}\\n[2]\\n'), json_values('{"a": 1}\\nno')
    ([{'a': 1}, [2]], None)
    """
    values = []
    decoder = json.JSONDecoder()
    start = _end_of_space(text, 0)
    while start < len(text):
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            return None  # no JSON; or a number of more digits, or more levels, than Python reads
        values.append(value)
        start = _end_of_space(text, end)
    return values


def _end_of_space(text: str, start: int) -> int:
    """Return where the whitespace at a place of a text ends."""
    space = _SPACE.match(text, start)
    return start if space is None else space.end()


def _distinct(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return the fields of an object of JSON, of which no two may have one key."""
    fields: dict[str, Any] = {}
    for name, value in pairs:
        if name in fields:
            raise ValueError(f"the key {name!r} occurs twice in an object")
        fields[name] = value
    return fields


def json_object(text: str | bytes) -> dict[str, Any] | None:
    """Return the object of a text in JSON; None if it is anything else."""
    try:
        value = json_value(text)
    except ValueError:
        return None
    if isinstance(value, dict):
        return value
    return None
