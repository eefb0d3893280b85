"""Calls of public functions: errors of inputs that are missing, unknown or too many."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from functools import wraps
from inspect import Parameter, signature
from typing import Any, TypeVar, cast

from .option import check_options
from .quoting import listed_names
from .table import OPTIONS

Function = TypeVar("Function", bound=Callable[..., Any])

#: Remedies for too many inputs, by the argument that takes several predictions.
_REMEDIES = {
    "systems": ', and the predictions as one dict: systems={"NAME": …}',
    "annotators": ", and the annotators as one list",
    "committee": ", and the segmenters of the committee as one list",
}


def with_inputs(function: Function) -> Function:
    """Make a function raise errors, with hints, for calls with too many inputs, a missing one or an unknown name."""
    parameters = signature(function).parameters
    # The inputs, such as ["references", "predictions"], before which a method has "self".
    names = [name for name, parameter in parameters.items() if parameter.kind is Parameter.POSITIONAL_OR_KEYWORD]
    # As messages show the call: `score(references, predictions)`.
    expected = ", ".join(name for name in names if name != "self")
    has_options = any(parameter.kind is Parameter.VAR_KEYWORD for parameter in parameters.values())

    @wraps(function)
    def call(*positional: Any, **named: Any) -> Any:
        """Call the function."""  # The package `evaluate` copies this function and adds to its docstring, so it needs one.
        if len(positional) > len(names):
            # Options are taken by name alone. The object of a method is no argument that a person passes.
            count = len(positional) - names.count("self")
            plural = "s" if count > 1 else ""
            # A function may take no value by position: its inputs have names too.
            takes_positions = expected != ""
            named_inputs = "options" if takes_positions else "inputs and options"
            remedy = "".join(hint for name, hint in _REMEDIES.items() if name in names)
            raise TypeError(
                f"{function.__name__}({expected}) received {count} argument{plural} without names: pass {named_inputs} by "
                f"name{remedy}."
            )
        # The inputs without a value by position need one by name.
        for name in names[len(positional) :]:
            is_required = parameters[name].default is Parameter.empty
            if is_required and name not in named:
                raise TypeError(
                    f"{function.__name__}({expected}) received no {name}{_other_names(named, names)}: pass all of its inputs."
                )
        # A function with `**options` checks their names itself.
        if not has_options:
            # Check the names alone: None leaves the value of each to the function.
            check_options(named, dict.fromkeys(parameters, None))
        return function(*positional, **named)

    return cast("Function", call)


def _other_names(named: Iterable[str], inputs: Collection[str]) -> str:
    """Return, for a message, the names of a call that are neither its inputs nor options: `, but hypotheses`; empty for none."""
    known = {*inputs, *OPTIONS}
    others = [name for name in named if name not in known]
    return f", but {listed_names(others)}" if others else ""
