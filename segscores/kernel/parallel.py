"""Work shared among threads, in order."""

from __future__ import annotations

__all__ = ["map_in_order", "usable_cores"]

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def map_in_order(
    function: Callable[[Item], Result], items: Iterable[Item], workers: int | None = None
) -> Iterator[Result]:
    """`map`, in threads: numpy and Arrow let go of the interpreter's lock. The first error in order is raised.

    This thread reads the items, only a few ahead of the results, so that a stream of any length takes little memory.

    Args:
        function: called in the threads.
        items: an error that they raise comes after what was read before it.
        workers: how many threads, one for each core if None; with 1 there is none but this one.
    """
    workers = usable_cores() if workers is None else workers
    if workers < 2 or (isinstance(items, Sequence) and len(items) < 2):
        yield from map(function, items)
        return
    running: deque[Future[Result]] = deque()
    broken: Exception | None = None
    source = iter(items)
    with ThreadPoolExecutor(workers) as executor:
        try:
            while True:
                try:
                    item = next(source)
                except StopIteration:
                    break
                except Exception as error:  # what was read before it comes first
                    broken = error
                    break
                running.append(executor.submit(function, item))
                if len(running) > 2 * workers:
                    yield running.popleft().result()
            while running:
                yield running.popleft().result()
            if broken is not None:
                raise broken
        except BaseException:
            executor.shutdown(wait=False, cancel_futures=True)
            raise


def usable_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
