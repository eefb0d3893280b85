"""Messages about options, which each surface shows with its own names: `text_format="words"`, or `--text-format words`.

A message holds options as objects. What a user gave is a part of it, never a template: no text is searched or replaced.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any


class Named:
    """What a message may name: the base of `options.table.Option`, which describes the attributes."""

    name: str
    flag: str
    flag_value: str
    kind: Any


class Names:
    """What options are called in Python. Other surfaces override the methods."""

    def name(self, option: Named) -> str:
        """An option alone: `text_format`."""
        return option.name

    def setting(self, option: Named, value: Any) -> str:
        """An option with a value: `text_format="words"`."""
        return f"{option.name}={literal(value)}"


@dataclass(frozen=True)
class Setting:
    """An option with a value, in a message."""

    option: Named
    value: Any


class Message:
    """A sentence in parts: options, settings, other messages, and texts.

    >>> from ..options.table import OPTIONS
    >>> str(Message(OPTIONS["seed"], ": add ", OPTIONS["confidence"].set(0.95), "."))
    'seed: add confidence=0.95.'
    """

    def __init__(self, *parts: object) -> None:
        self.parts = parts

    def shown(self, names: Names) -> str:
        """The sentence with the names of a surface."""
        return "".join(_shown(part, names) for part in self.parts)

    def __str__(self) -> str:
        return self.shown(Names())


def _shown(part: object, names: Names) -> str:
    if isinstance(part, Setting):
        return names.setting(part.option, part.value)
    if isinstance(part, Message):
        return part.shown(names)
    return names.name(part) if isinstance(part, Named) else str(part)


class _MessageError(Exception):
    """An error that holds a `Message`, whose parts make it again in another process."""

    def __init__(self, *parts: object) -> None:
        self.message = Message(*parts)
        super().__init__(str(self.message))

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), self.message.parts


class OptionError(_MessageError, ValueError):
    """A value that an option cannot have, or options that do not go together. The parts are those of a `Message`."""


class OptionTypeError(_MessageError, TypeError):
    """A value of a type that an option cannot have, or an unknown option."""


def literal(value: object) -> str:
    """A value as Python code, with double quotes where that is possible.

    >>> literal("a"), literal(("a", "b")), literal(float("nan"))
    ('"a"', '["a", "b"]', 'float("nan")')
    """
    if isinstance(value, str):
        return repr(value) if '"' in value or "\\" in value or not value.isprintable() else f'"{value}"'
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(literal, value))}]"
    return repr(value)
