"""Lists of numbers in files, one list a line, such as boundary scores and difficulties."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from typing import Any

from ..support.errors import FileError, counting_from
from ..support.quoting import shortened
from .names import shown_name
from .opening import read_lines


def read_lists(path: str, *items: type, may_be_plain: bool = False) -> list[list[Any]]:
    """The lists of numbers in JSON lines.

    Args:
        items: the types that the items of a list may have; all if none is given.
        may_be_plain: whether a line may have numbers separated by spaces or commas instead.
    """
    lists = []
    for number, line in enumerate(read_lines(path), 1):
        problem, found = "", None
        try:
            found = json.loads(line)
        except (ValueError, RecursionError) as error:
            if line.lstrip().startswith("[") or not may_be_plain:
                problem = f", which is not JSON ({getattr(error, 'msg', error)})"
        if may_be_plain and not isinstance(found, list):
            with suppress(ValueError):
                found = [float(item) for item in line.replace(",", " ").split()]
        if not isinstance(found, list) or (items and not set(map(type, found)) <= set(items)):
            raise FileError(
                f"{shown_name(path)}, line {number}: received {shortened(line)}{problem}; expected a JSON list of numbers, such "
                f"as [0.0, 0.5], or {'numbers separated by spaces' if may_be_plain else '[] for a blank utterance'}.",
                counting=counting_from("line"),
            )
        lists.append(found)
    return lists


def read_scores(values: Any) -> Any:
    """The boundary scores in a file, if a path is given; anything else as it is."""
    return read_lists(os.fspath(values), may_be_plain=True) if isinstance(values, os.PathLike) else values
