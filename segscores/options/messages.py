"""Messages about options, which each surface shows with its own names: `text_format="words"`, or `--text-format words`.

A message holds options as objects. What a user gave is a part of it, never a template: no text is searched or replaced.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


class Named:
    """What a message may name: the base of `options.option.Option`, which describes the attributes."""

    name: str
    flag: str
    flag_value: str
    is_flag: bool
    kind: Any


class Names:
    """What options are called in Python. Other surfaces override the methods."""

    def name(self, option: Named) -> str:
        """An option alone: `text_format`."""
        return option.name

    def setting(self, option: Named, value: Any) -> str:
        """An option with a value: `text_format="words"`."""
        return f"{option.name}={literal(value)}"

    def has(self, option: Named) -> bool:
        """Whether the surface has the option."""
        return not option.is_flag


@dataclass(frozen=True)
class Setting:
    """An option with a value, in a message."""

    option: Named
    value: Any


class Message(str):
    """A sentence in parts: options, settings, other messages, and texts. As a string it has Python's names.

    >>> from ..options.table import OPTIONS
    >>> Message(OPTIONS["seed"], ": add ", OPTIONS["confidence"].set(0.95), ".")
    'seed: add confidence=0.95.'
    """

    __slots__ = ("parts",)
    parts: tuple[object, ...]

    def __new__(cls, *parts: object) -> Message:
        """The sentence of these parts."""
        message = super().__new__(cls, "".join(_shown(part, _PYTHON) for part in parts))
        message.parts = parts
        return message

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), self.parts

    def shown(self, names: Names) -> str:
        """The sentence with the names of a surface."""
        return "".join(_shown(part, names) for part in self.parts)


class Hint(Message):
    """A part of a message that a surface leaves out if it lacks one of the options in it."""

    __slots__ = ()

    def shown(self, names: Names) -> str:
        """The part with the names of a surface; empty where it lacks an option."""
        return super().shown(names) if all(map(names.has, _options_in(self))) else ""


def _options_in(message: Message) -> Iterator[Named]:
    for part in message.parts:
        if isinstance(part, Message) and not isinstance(part, Hint):
            yield from _options_in(part)
        elif isinstance(part, (Named, Setting)):
            yield part.option if isinstance(part, Setting) else part


_PYTHON = Names()


def _shown(part: object, names: Names) -> str:
    if isinstance(part, Setting):
        return names.setting(part.option, part.value)
    if isinstance(part, Message):
        return part.shown(names)
    return names.name(part) if isinstance(part, Named) else str(part)


def message_of(error: Exception) -> str:
    """The message of an error or warning: a `Message` where it has parts."""
    if isinstance(error, MessageError):
        return error.message
    return error.args[0] if len(error.args) == 1 and isinstance(error.args[0], Message) else str(error)


def placed(error: Exception, place: object) -> Exception:
    """The error with a place before its message: of the same kind, a TypeError, or otherwise a ValueError."""
    plain = TypeError if isinstance(error, TypeError) else ValueError
    kind = type(error) if isinstance(error, (OptionError, OptionTypeError)) else plain
    return kind(Message(place, ": ", message_of(error)))


class MessageError(Exception):
    """An error with a `Message`, made of its parts."""

    def __init__(self, *parts: object) -> None:
        super().__init__(Message(*parts))

    @property
    def message(self) -> Message:
        """What each surface shows with its own names."""
        return self.args[0]  # type: ignore[no-any-return]


class OptionError(MessageError, ValueError):
    """A value that an option cannot have, or options that do not go together. The parts are those of a `Message`."""


class OptionTypeError(MessageError, TypeError):
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
