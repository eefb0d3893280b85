"""Functions that are in memory, and how a change of a file gives them other code.

A function of the old file and the same one of the changed file are at the same place among the nested code of both files. All
functions in memory that have the old code get the new one: methods, properties, what decorators wrap, and those that a closure
made. A function within a function needs no place of its own: running the outer one makes it of the new code.
"""

from __future__ import annotations

import gc
from collections import defaultdict
from collections.abc import Iterator
from types import CodeType, FunctionType


def functions_of(folder: str) -> dict[str, list[FunctionType]]:
    """Return all functions in memory whose code is in a folder, for each file."""
    functions: dict[str, list[FunctionType]] = defaultdict(list)
    # Frozen objects are hidden from `get_objects`.
    gc.unfreeze()
    for thing in gc.get_objects():
        if type(thing) is FunctionType and thing.__code__.co_filename.startswith(folder):
            functions[thing.__code__.co_filename].append(thing)
    gc.freeze()
    return functions


def replace_code(functions: list[FunctionType], before: str, after: str) -> int:
    """Give the functions of a file the code of the changed file. Return how many functions have other code than before.

    Raises:
        ValueError: if a function cannot have the new code, because it uses other variables of the function around it
    """
    count = 0
    for old, new in _pairs(_compiled(before), _compiled(after)):
        for function in functions:
            if old != new and function.__code__ == old:
                function.__code__ = new
                count += 1
    return count


def _compiled(source: str) -> CodeType:
    return compile(source, "", "exec", dont_inherit=True)


def _pairs(before: CodeType, after: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    """Yield the code at each place within the code before and after a change."""
    nested_before = _nested(before)
    nested_after = _nested(after)
    # If a nested function is gone, the change is in the function around it.
    if len(nested_before) == len(nested_after):
        for old, new in zip(nested_before, nested_after, strict=True):
            yield old, new
            yield from _pairs(old, new)


def _nested(code: CodeType) -> list[CodeType]:
    """Return the code of functions and classes within code, in the order of the file."""
    return [constant for constant in code.co_consts if isinstance(constant, CodeType)]
