"""Calls of public functions: errors of inputs that are missing, unknown or too many."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, signature
from typing import Any, TypeVar, cast

from .option import check_options

Function = TypeVar("Function", bound=Callable[..., Any])

#: What to try where one argument takes several predictions.
_SEVERAL = {
    "systems": ', and the predictions as one dict: systems={"NAME": …}',
    "annotators": ", and the annotators as one list",
    "committee": ", and the segmenters of the committee as one list",
}


def with_inputs(function: Function) -> Function:
    """The function with errors that name it and say what to do, where a call has too many inputs, lacks one, or has an unknown
    name; a function with `**options` checks names itself.
    """
    parameters = signature(function).parameters
    inputs = [each for each in parameters.values() if each.kind is Parameter.POSITIONAL_OR_KEYWORD]
    has_options = any(each.kind is Parameter.VAR_KEYWORD for each in parameters.values())

    @wraps(function)
    def call(*positional: Any, **named: Any) -> Any:
        """Call the function."""
        names = [each.name for each in inputs]
        taken, count = ", ".join(name for name in names if name != "self"), len(positional) - names.count("self")
        if len(positional) > len(names):
            several = "".join(hint for name, hint in _SEVERAL.items() if name in names)
            raise TypeError(
                f"{function.__name__}({taken}) received {count} argument{'s' * (count > 1)} without names: pass "
                f"{'options' if taken else 'inputs and options'} by name{several}."
            )
        for each in inputs[len(positional) :]:
            if each.default is Parameter.empty and each.name not in named:
                raise TypeError(f"{function.__name__}({taken}) received no {each.name}: pass all of its inputs.")
        check_options(named, dict.fromkeys(named if has_options else parameters))
        return function(*positional, **named)

    return cast("Function", call)
