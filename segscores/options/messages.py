"""Messages about options, which each surface shows with its own names: `text_format="words"`, or `--text-format words`.

A message holds options as objects, and values of the user as fragments, never as templates: no text is searched or replaced.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any


class NamedOption:
    """An option that a message names: the base of `options.option.Option`, which describes the attributes."""

    name: str
    flag: str
    flag_value: str
    is_flag: bool
    kind: Any


def merged(texts: Sequence[str]) -> str:
    """Join values of one flag into one value, as `REFERENCE,PREDICTION`.

    A value is for both sides, as "words", or for one, with nothing in the place of the other: "tagged," is for the reference.

    >>> merged(["words", ",separated"]), merged(["tagged,"])
    ('words,separated', 'tagged,')
    """
    if len(texts) == 1:
        (only,) = texts
        return only
    reference = ""
    prediction = ""
    for text in texts:
        # "words" is for both sides, ",separated" for the prediction alone.
        of_reference, comma, of_prediction = text.partition(",")
        if not comma:
            of_prediction = of_reference
        # Nothing for a side leaves the value that an earlier text has for it.
        reference = of_reference or reference
        prediction = of_prediction or prediction
    return f"{reference},{prediction}"


class OptionNames:
    """The names of options in Python. Other surfaces override the methods."""

    def name(self, option: NamedOption) -> str:
        """Return the name of an option: `text_format`."""
        return option.name

    def setting(self, option: NamedOption, value: Any) -> str:
        """Return an option with a value: `text_format="words"`."""
        return f"{option.name}={literal(value)}"

    def settings(self, settings: Sequence[Setting]) -> list[str]:
        """Return options with values; a surface may write several as one."""
        return [self.setting(setting.option, setting.value) for setting in settings]

    def has(self, option: NamedOption) -> bool:
        """Return whether the surface has the option."""
        return not option.is_flag


@dataclass(frozen=True)
class Setting:
    """An option with a value, in a message."""

    option: NamedOption
    value: Any


class Settings(tuple[Setting, ...]):
    """Settings that go together, in a message; `and` stands between them."""

    __slots__ = ()


class Message(str):
    """A sentence of fragments: options, settings, other messages, and texts. As a string it has Python's names.

    >>> from ..options.table import OPTIONS
    >>> Message(OPTIONS["seed"], ": add ", OPTIONS["confidence"].set(0.95), ".")
    'seed: add confidence=0.95.'
    """

    __slots__ = ("fragments",)
    fragments: tuple[object, ...]

    def __new__(cls, *fragments: object) -> Message:
        """Join fragments."""
        message = super().__new__(cls, "".join(_show(fragment, _PYTHON) for fragment in fragments))
        message.fragments = fragments
        return message

    def __reduce__(self) -> tuple[object, ...]:
        """Return what a pickle makes the message of."""
        return type(self), self.fragments

    def shown(self, names: OptionNames) -> str:
        """Return the sentence with the names that options have on a surface, such as the command line."""
        return "".join(_show(fragment, names) for fragment in self.fragments)


class Hint(Message):
    """A fragment of a message that a surface leaves out if it lacks one of the options in the fragment."""

    __slots__ = ()

    def shown(self, names: OptionNames) -> str:
        """Return the fragment with the names of a surface; empty where the surface lacks an option."""
        if not all(map(names.has, _options_in(self))):
            return ""
        return super().shown(names)


def _options_in(message: Message) -> Iterator[NamedOption]:
    """Yield the options in a message, but for its hints, which are left out by themselves."""
    for fragment in message.fragments:
        if isinstance(fragment, Message) and not isinstance(fragment, Hint):
            yield from _options_in(fragment)
        elif isinstance(fragment, Setting):
            yield fragment.option
        elif isinstance(fragment, Settings):
            yield from (setting.option for setting in fragment)
        elif isinstance(fragment, NamedOption):
            yield fragment


_PYTHON = OptionNames()


def _show(fragment: object, names: OptionNames) -> str:
    """Return a fragment as text, with the names that options have on a surface."""
    if isinstance(fragment, Setting):
        return names.setting(fragment.option, fragment.value)
    if isinstance(fragment, Settings):
        return " and ".join(names.settings(fragment))
    if isinstance(fragment, Message):
        return fragment.shown(names)
    if isinstance(fragment, NamedOption):
        return names.name(fragment)
    return str(fragment)


def message_of(error: Exception) -> str:
    """Return the message of an error or warning: a `Message` if it was made of fragments."""
    if isinstance(error, MessageError):
        return error.message
    # A warning, or an error of Python, may be raised with a message.
    if len(error.args) == 1 and isinstance(error.args[0], Message):
        return error.args[0]
    return str(error)


def placed(error: Exception, place: object) -> Exception:
    """Put a place before the message of an error; errors that are neither of options nor TypeErrors become ValueErrors."""
    message = Message(place, ": ", message_of(error))
    if isinstance(error, (OptionError, OptionTypeError)):
        return type(error)(message)
    if isinstance(error, TypeError):
        return TypeError(message)
    return ValueError(message)


class MessageError(Exception):
    """An error with a `Message`, made of fragments."""

    def __init__(self, *fragments: object) -> None:
        super().__init__(Message(*fragments))

    @property
    def message(self) -> Message:
        """The message, which each surface shows with its own names."""
        return self.args[0]  # type: ignore[no-any-return]


class OptionError(MessageError, ValueError):
    """A value that an option cannot have, or options that do not go together."""


class OptionTypeError(MessageError, TypeError):
    """A value of a type that an option cannot have, or an unknown option."""


def literal(value: object) -> str:
    """Write a value as Python code, with double quotes where that is possible.

    >>> literal("a"), literal(("a", "b")), literal(float("nan"))
    ('"a"', '["a", "b"]', 'float("nan")')
    """
    if isinstance(value, str):
        is_plain = value.isprintable() and {*'"\\'}.isdisjoint(value)
        return f'"{value}"' if is_plain else repr(value)
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(literal, value))}]"
    return repr(value)
