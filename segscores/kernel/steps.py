"""Steps: how long work reports its progress, and learns that it is to end, without knowing who listens."""

from collections.abc import Callable
from contextvars import ContextVar

#: Called with the number of steps that are done, and the number of new steps to do; an error that it raises ends the work.
on_steps: ContextVar[Callable[[int, int], object]] = ContextVar("on_steps", default=lambda done, new: None)


def announce_steps(count: int) -> None:
    """Report so many new steps to do."""
    on_steps.get()(0, count)


def finish_steps(count: int) -> None:
    """Report that so many of the announced steps are done."""
    on_steps.get()(count, 0)


def let_work_end() -> None:
    """Report nothing: who listens may raise an error, which ends the work."""
    on_steps.get()(0, 0)
