"""Functions that take `**options: Unpack[ScoringOptions]`: their signatures and docstrings show every option."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from inspect import Parameter, cleandoc, signature
from typing import Any, cast

from ..options.functions import Function, with_inputs
from ..options.kinds import Choice
from ..options.messages import literal
from ..options.option import Option
from ..options.table import OPTIONS, SELECTIONS, options_of_set
from .measures.registry import GROUPS


def describe(option: Option) -> str:
    """Return the meaning of an option, as a docstring says it.

    >>> describe(OPTIONS["vocabulary"])  # doctest: +ELLIPSIS
    'the training words, as a word list or a segmented corpus. For the scores "oov", which are among the default scores if ...'
    """
    text = option.help
    if option.name == "scores":
        groups = ", ".join(map(literal, GROUPS))
        selections = ", ".join(map(literal, [*SELECTIONS, "all"]))
        text += f": {groups}; {selections} select several"
    elif isinstance(option.kind, Choice) and not all(choice in text for choice in option.kind.choices):
        # The help does not explain each choice: list them.
        text += f": {option.kind.expected}"
    if option.groups:
        text += f". For the scores {' and '.join(map(literal, option.groups))}"
    if option.groups and option.adds:
        text += ", which are among the default scores if it is given"
    # `need.when` lists the values that need the other option. If only some do, the help of the option says so already.
    if option.need is not None and not option.need.when:
        text += f"; needs `{option.need.other}`"
    if option.default_help:
        return f"{text}. Default: {option.default_help}."
    if option.default in (None, ()):
        return f"{text}."
    return f"{text}. Default {literal(option.default)}."


def with_options(function: Function) -> Function:
    """Show the options that a function unpacks: in its signature, and in its docstring in place of the entry `**options`.

    The result also raises the errors of `with_inputs`, for calls with too many inputs, a missing one or an unknown name.

    >>> from segscores import tally
    >>> list(signature(tally).parameters)[:5]
    ['references', 'predictions', 'scores', 'text_format', 'reference_format']
    """
    declared = signature(function)
    # The parameter `**options` is the last.
    *parameters, unpacked = declared.parameters.values()
    options = _unpacked(unpacked.annotation)
    for name, option in options.items():
        parameters.append(Parameter(name, Parameter.KEYWORD_ONLY, default=option.default, annotation=option.annotation))
    call: Any = with_inputs(function)  # a function of its own, so that the attributes of `function` stay as they are
    call.__signature__ = declared.replace(parameters=parameters)
    entries = "\n".join(
        textwrap.fill(f"{option.name}: {describe(option)}", 120, initial_indent=" " * 4, subsequent_indent=" " * 8)
        for option in options.values()
    )
    # The entry of `**options` in the section Args, with its further lines, which are indented by 8.
    entry = r"^    \*\*options: .*(\n {8}.*)*"
    docstring = cleandoc(function.__doc__ or "")
    # A function, because a string could have backslashes that `re` reads.
    text, count = re.subn(entry, lambda _: entries, docstring, flags=re.M)
    assert count == 1, f"{function.__qualname__} has no entry for **options"
    call.__doc__ = text
    return cast("Function", call)


def options_of(function: Callable[..., Any]) -> dict[str, Option | None]:
    """Return the options of a function by name; None for one that only this function has, which it checks itself.

    >>> from segscores.analysis.thresholds import segment_at
    >>> list(options_of(segment_at))
    ['threshold', 'ratio', 'label_scheme', 'text_format', 'word_boundary', 'ignored_tokens']
    """
    options: dict[str, Option | None] = {}
    for parameter in signature(function).parameters.values():
        if parameter.kind is Parameter.KEYWORD_ONLY:
            options[parameter.name] = OPTIONS.get(parameter.name)
        elif parameter.kind is Parameter.VAR_KEYWORD:
            options |= _unpacked(parameter.annotation)
    return options


def _unpacked(annotation: str) -> dict[str, Option]:
    """Return the options of "Unpack[ScoringOptions]"; annotations are text in this package."""
    return options_of_set(annotation.removeprefix("Unpack[").removesuffix("]"))
