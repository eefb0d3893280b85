"""Lists of numbers in files, one list a line, such as boundary scores and difficulties."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from ...options.errors import FileError, counting_from
from ...options.quoting import shortened
from ..json_values import json_value
from .names import shown_name
from .opening import read_lines


def read_lists(path: str) -> list[list[float]]:
    """Read the numbers of each line: a JSON list, or numbers separated by spaces or commas."""
    lists = []
    for number, line in enumerate(read_lines(path), 1):
        problem, values = "", None
        try:
            values = json_value(line)
        except ValueError as error:
            if line.lstrip().startswith("["):
                problem = f", which is not JSON ({getattr(error, 'msg', error)})"
        if not isinstance(values, list):
            with suppress(ValueError):
                values = [float(item) for item in line.replace(",", " ").split()]
        if not isinstance(values, list) or not set(map(type, values)) <= {int, float}:
            raise FileError(
                f"{shown_name(path)}, line {number}: received {shortened(line)}{problem}; expected a JSON list of numbers, such "
                f"as [0.0, 0.5], or numbers separated by spaces.",
                counting=counting_from("line"),
            )
        lists.append(values)
    return lists


@contextmanager
def naming_files(**arguments: Any) -> Iterator[None]:
    """Name the file and the line in an error about an argument that is a path."""
    try:
        yield
    except ValueError as error:
        failure: Any = error
        path = arguments.get(getattr(failure, "side", ""))
        if isinstance(path, os.PathLike):
            raise failure.in_file(os.fspath(path)) from None
        raise


def read_scores(values: Any) -> Any:
    """Read the boundary scores in a file; return other values than a path as they are."""
    return read_lists(os.fspath(values)) if isinstance(values, os.PathLike) else values
