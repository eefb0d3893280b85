"""Stored counts: checks of values that a stored tally should have, and may lack where it is damaged or of another version."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ..options.quoting import described, shortened

#: The largest count that is read: products of several such counts are floats.
LARGEST_COUNT = 1 << 128


def check_keys(name: str, values: object, expected: Collection[str], *, may_lack: bool = False) -> None:
    """Check that values are a dict with these keys alone, and with all of them unless some may be missing.

    `name` is the subject of the errors: "the tally lacks 'counts'; expected format, form, options, counts."
    """
    if not isinstance(values, Mapping):
        raise ValueError(f"{name}: expected a dict, received {described(values)}.")
    lacking = [key for key in expected if key not in values]
    if lacking and not may_lack:
        received = f"{name} lacks {', '.join(map(shortened, lacking))}"
        raise ValueError(f"{received}; expected {', '.join(expected)}.")
    unknown = [key for key in values if key not in expected]
    if unknown:
        received = f"{name} has unknown {', '.join(map(shortened, unknown))}"
        newer = " Did a newer version write the tally? Then read it with that version."
        raise ValueError(f"{received}; expected {', '.join(expected)}.{newer}")


def read_counts(values: Any, columns: Collection[str]) -> dict[str, int]:
    """Return the counts of columns, whole numbers."""
    check_keys("counts", values, columns)
    for column in columns:
        # True is no count, though it is an int.
        is_whole_number = type(values[column]) is int
        if not is_whole_number or not 0 <= values[column] <= LARGEST_COUNT:
            expected = "expected a whole number from 0 to 2**128."
            raise ValueError(f"counts: {column} is {described(values[column])}; {expected}")
    return {column: values[column] for column in columns}
