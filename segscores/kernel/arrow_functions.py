"""Arrow's functions under their names in `pyarrow.compute`, without importing that module.

`pyarrow.compute` makes and documents some 300 functions when it is imported, which takes longer than scoring a small file. The
functions that are defined here call Arrow directly; any other name imports `pyarrow.compute`. Methods of arrays, such as `unique`
and `take`, import it too: in code that scores small files, call these functions instead.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

try:
    from pyarrow._compute import ReplaceSubstringOptions, SetLookupOptions, call_function
except ImportError:  # not public: another version may hold them elsewhere
    from pyarrow.compute import ReplaceSubstringOptions, SetLookupOptions, call_function


def binary_join(strings: Any, separator: Any) -> Any:
    """Return the strings of each list, joined."""
    return call_function("binary_join", [strings, separator])


def dictionary_encode(values: Any) -> Any:
    """Return the values as indices of their distinct values, which are in the order of their first occurrence."""
    return call_function("dictionary_encode", [values])


def is_in(values: Any, value_set: Any) -> Any:
    """Return whether each value is in the set; null is if the set has it."""
    return call_function("is_in", [values], SetLookupOptions(value_set))


def replace_substring(strings: Any, pattern: bytes | str, replacement: bytes | str) -> Any:
    """Return the strings with every match of the pattern replaced."""
    return call_function("replace_substring", [strings], ReplaceSubstringOptions(pattern, replacement))


def take(values: Any, indices: Any) -> Any:
    """Return the values at the indices."""
    return call_function("take", [values, indices])


def unique(values: Any) -> Any:
    """Return the distinct values, in the order of their first occurrence."""
    return call_function("unique", [values])


def utf8_length(strings: Any) -> Any:
    """Return the number of characters of each string."""
    return call_function("utf8_length", [strings])


def __getattr__(name: str) -> Any:
    # Python asks for the names that are not defined here.
    return getattr(import_module("pyarrow.compute"), name)
