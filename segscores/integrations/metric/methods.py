"""Methods: functions of the library as methods of a metric.

Methods take their inputs by name, because `evaluate` puts predictions first and this library references first. The options of
a loaded metric are the defaults of every function that has these options.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import wraps
from inspect import signature
from typing import Any, Generic, ParamSpec, TypeVar, overload

from ...scoring.functions import options_of
from ...scoring.plan import useful_defaults

P = ParamSpec("P")
R = TypeVar("R")


class LibraryMethod(Generic[P, R]):
    """A function as a method, with its own signature and docstring.

    Attributes:
        unnamed: the number of inputs that may be passed by position.
        without: options that do not take the metric's defaults, though they have the same names.
    """

    def __init__(self, function: Callable[P, R], unnamed: int = 0, without: Collection[str] = ()) -> None:
        self.function = function
        self.unnamed = unnamed
        self.without = without

    @overload
    def __get__(self, metric: None, kind: type) -> Callable[P, R]: ...
    @overload
    def __get__(self, metric: object, kind: type) -> Callable[P, R]: ...
    def __get__(self, metric: Any, kind: type) -> Callable[P, R]:
        function = self.function
        if metric is None:
            return function

        @wraps(function)
        def method(*unnamed: P.args, **named: P.kwargs) -> R:
            if len(unnamed) > self.unnamed:
                names = ", ".join(f"{name}=…" for name in list(signature(function).parameters)[: len(unnamed)])
                raise TypeError(f"pass the inputs by name: {names}.")
            taken = set(options_of(function)).difference(self.without) if metric.defaults else ()
            defaults = {name: value for name, value in metric.defaults.items() if name in taken}
            if "scores" in taken:
                defaults = useful_defaults(defaults, named)
            return function(*unnamed, **{**defaults, **named})

        return method
