"""Requests: what is asked of a task, and its two inverses: the command line and the Python code that ask for the same."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..support.messages import Named, literal
from .option import Switch
from .tasks import Task


@dataclass(frozen=True)
class Request:
    """A task, its inputs and the options that were given; nothing is filled in.

    Attributes:
        task: one of `tasks.COMMANDS`.
        inputs: by the names of the parameters: a file, `NAME=FILE`, or several.
        given: values by the names of the options.
    """

    task: Task
    inputs: Mapping[str, str | Sequence[str]]
    given: Mapping[str, Any] = field(default_factory=dict)


def flag_of(option: Named) -> str:
    """The flag of an option on the command line."""
    return option.flag or f"--{option.name.replace('_', '-')}"


def command_line(request: Request) -> str:
    """The command that does what is asked. `command.flags.read_request` reads it again.

    >>> from .tasks import COMMANDS
    >>> command_line(Request(COMMANDS["score"], {"reference": "r.txt", "predictions": ["p q.txt"]}, {"scores": ("token",)}))
    "segmentation-scores score r.txt 'p q.txt' --scores token"
    """
    words = ["segmentation-scores", request.task.name]
    for value in request.inputs.values():
        paths = [value] if isinstance(value, str) else value
        words += [f"./{path}" if path.startswith("-") and path != "-" else path for path in paths]
    for name, value in request.given.items():
        option = request.task.options[name]
        for text in option.kind.write(value):
            if isinstance(option.kind, Switch):
                words.append(flag_of(option))
            else:
                words += [f"{flag_of(option)}={text}"] if text.startswith("-") else [flag_of(option), text]
    return shlex.join(words)


def python_call(name: str, inputs: Mapping[str, str], given: Mapping[str, Any]) -> str:
    """Python code that calls a function of the package, a line for each argument.

    Args:
        inputs: for each input the code that reads it.
        given: values by the names of the options.

    >>> print(python_call("score", {"references": "gold"}, {"confidence": 0.95, "scores": ("token",)}))
    segscores.score(
        references=gold,
        confidence=0.95,
        scores=["token"],
    )
    """
    arguments = {**inputs, **{option: literal(value) for option, value in given.items()}}
    lines = "".join(f"    {argument}={value},\n" for argument, value in arguments.items())
    return f"segscores.{name}(\n{lines})"
