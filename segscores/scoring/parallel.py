"""Work shared among threads, in order."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Found = TypeVar("Found")


def map_in_order(
    function: Callable[[Item], Found], items: Iterable[Item], workers: int | None = None
) -> Iterator[Found]:
    """`map` in threads, with results in order; numpy and Arrow release the interpreter's lock.

    The calling thread reads the items, a few ahead of the results, so that a stream of any length takes little memory.
    The first error in the order of the items is raised.

    Args:
        items: an error that iteration raises comes after the results of the items before it.
        workers: the number of threads; one per core if None. With 1 the calling thread does the work.
    """
    workers = usable_cores() if workers is None else workers
    if workers < 2 or (isinstance(items, Sequence) and len(items) < 2):
        yield from map(function, items)
        return
    running: deque[Future[Found]] = deque()
    broken: Exception | None = None
    source = iter(items)
    with ThreadPoolExecutor(workers) as executor:
        try:
            while True:
                try:
                    item = next(source)
                except StopIteration:
                    break
                except Exception as error:  # results of earlier items come first
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
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
