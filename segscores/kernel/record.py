"""The decorator of the package's inner values: a dataclass that costs little where a program starts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_: object) -> Callable[[Callable], Callable]:
        """Return a decorator that does nothing: only type checkers need the one of `typing_extensions`."""
        return lambda decorator: decorator


Class = TypeVar("Class")


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
def record(cls: type[Class]) -> type[Class]:
    """Make a dataclass whose fields type checkers hold to be frozen, and whose objects are equal to themselves alone.

    `dataclass(frozen=True)` generates seven methods in a millisecond, and `record` generates one in a fifth of it. The command
    makes some fifty such classes at each start. What users get, and what is compared, is `dataclass(frozen=True)`.
    """
    return dataclass(eq=False, repr=False)(cls)
