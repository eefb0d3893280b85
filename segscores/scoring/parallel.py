"""Work shared among threads, in order."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextvars import copy_context
from itertools import chain, islice
from threading import Event
from typing import TYPE_CHECKING, TypeVar

from ..kernel.steps import on_steps

if TYPE_CHECKING:
    from concurrent.futures import Future

Item = TypeVar("Item")
Result = TypeVar("Result")


def map_in_order(
    function: Callable[[Item], Result], items: Iterable[Item], workers: int | None = None
) -> Generator[Result, None, None]:
    """Apply a function to items in threads, and yield the results in order; numpy and Arrow release the interpreter's lock.

    The calling thread reads the items, a few ahead of the results, so that a stream of any length takes little memory. With one
    worker (the default is one per core), or for one item, it does the work. The first error in the order of the items is raised,
    also one of reading an item. Then, or if the results are not wanted any more, work that calls `on_steps` ends at once.
    """
    if workers is None:
        workers = usable_cores()
    # The error of reading an item, if there was one.
    reading_errors: list[Exception] = []

    def readable() -> Iterator[Item]:
        """Yield the items, up to the one that cannot be read."""
        try:
            yield from items
        except Exception as error:  # results of earlier items come first
            reading_errors.append(error)

    # The first two items tell whether there is more than one.
    source = readable()
    ahead = list(islice(source, 2))
    all_items = chain(ahead, source)
    if workers < 2 or len(ahead) < 2:
        yield from map(function, all_items)
    else:
        yield from _map_in_threads(function, all_items, workers)
    for error in reading_errors:
        raise error


def _map_in_threads(
    function: Callable[[Item], Result], items: Iterable[Item], workers: int
) -> Generator[Result, None, None]:
    """Apply a function to items in threads, and yield the results in order; an error ends the running work at its next step."""
    # One item needs no threads, whose import takes longer than scoring a short text.
    from concurrent.futures import CancelledError, ThreadPoolExecutor

    ended = Event()

    def run(item: Item) -> Result:
        """Apply the function to an item; where it reports its next steps, end it if the results are not wanted any more."""
        report = on_steps.get()

        def report_or_end(done: int, new: int) -> None:
            """Report steps to who listens outside, or raise an error if the results are not wanted any more."""
            if ended.is_set():
                raise CancelledError
            report(done, new)

        on_steps.set(report_or_end)
        return function(item)

    running: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(workers) as executor:
        try:
            for item in items:
                # Each item has a context of its own, in which `run` sets `on_steps`.
                running.append(executor.submit(copy_context().run, run, item))
                if len(running) > 2 * workers:  # enough items are ahead
                    yield running.popleft().result()
            while running:
                yield running.popleft().result()
        except BaseException:  # also where the caller closes this generator
            ended.set()
            executor.shutdown(wait=False, cancel_futures=True)
            raise


def usable_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1  # None: unknown
