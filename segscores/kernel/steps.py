"""Steps: how long work reports its progress, and learns that it is to end, without knowing who listens."""

from collections.abc import Callable
from contextvars import ContextVar

#: Called with the number of steps that are done, and the number of new steps to do; an error that it raises ends the work.
on_steps: ContextVar[Callable[[int, int], object]] = ContextVar("on_steps", default=lambda done, new: None)
