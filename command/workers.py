"""Workers: processes that do tasks one by one, and whose death is noticed.

Conventions
-----------
Results come in the order of the tasks. A task that fails gives its error as the result, and one whose worker dies a
`WorkerDeath`; the caller decides what becomes of the others. A worker has one task in hand and one waiting: it never idles
while this process is busy, and when it dies it is the one in hand that it died of.

Workers are started afresh and not forked, for this process has threads. They end with the block that they were started in, on
every way out of it, and when this process is killed: then there is nobody to take a result from, nor to send a task.
"""

from __future__ import annotations

__all__ = ["TaskError", "WorkerDeath", "map_in_workers"]

import multiprocessing
import signal
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")

#: Tasks that a worker has: one in hand and one waiting.
_TASKS = 2
#: Results may wait for those before them, for as many tasks as this for each worker.
_WINDOW = 4


@dataclass(frozen=True)
class WorkerDeath:
    """A worker died of a task.

    Attributes:
        exit_code: of its process; the negative number of the signal that killed it.
    """

    exit_code: int | None

    def __str__(self) -> str:
        code = self.exit_code
        if code is not None and code < 0:
            try:
                name = signal.Signals(-code).name
            except ValueError:
                name = f"signal {-code}"
            return f"was killed ({name})"
        return f"ended with status {code}"


class TaskError(RuntimeError):
    """A task failed in a way that nobody foresaw; the message has the worker's own trace."""


class _Worker(Generic[Task]):
    """A worker, and the tasks that it has."""

    def __init__(self, function: Callable[[Any, Task], Any], setup: object) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, function, setup), daemon=True)
        self.process.start()
        theirs.close()
        self.tasks: deque[tuple[int, Task]] = deque()

    def give(self, number: int, task: Task) -> None:
        self.tasks.append((number, task))
        # A worker that has died is noticed when its results are asked for.
        with suppress(OSError):
            self.connection.send(task)

    def death(self) -> WorkerDeath:
        self.process.join()
        exit_code = self.process.exitcode
        self.end()
        return WorkerDeath(exit_code)

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.process.close()
        self.connection.close()


def map_in_workers(
    function: Callable[[Any, Task], Result], tasks: Iterable[Task], count: int, setup: object
) -> Generator[tuple[Task, Result | Exception | WorkerDeath], None, None]:
    """What a function gives for each task, in order, with the task.

    Args:
        function: of a module, called in the workers with `setup` and a task. The errors that it raises are results too.
        tasks: read as they are needed.
        count: how many workers at most.
        setup: handed to each worker once.
    """
    workers: list[_Worker[Task]] = []
    numbered = enumerate(tasks)
    returned: deque[tuple[int, Task]] = deque()
    done: dict[int, tuple[Task, Result | Exception | WorkerDeath]] = {}
    begun = ended = 0
    is_last = False
    try:
        while True:
            while len(workers) < count or any(len(worker.tasks) < _TASKS for worker in workers):
                if returned:
                    number, task = returned.popleft()
                elif is_last or begun - ended >= _WINDOW * count:
                    break
                else:
                    following = next(numbered, None)
                    if following is None:
                        is_last = True
                        break
                    number, task = following
                    begun += 1
                worker = min(workers, key=lambda worker: len(worker.tasks), default=None)
                if worker is None or (worker.tasks and len(workers) < count):
                    worker = _Worker(function, setup)
                    workers.append(worker)
                worker.give(number, task)
            while ended in done:
                yield done.pop(ended)
                ended += 1
            busy = {worker.connection: worker for worker in workers if worker.tasks}
            if not busy and is_last:
                return
            for connection in wait(list(busy)) if busy else ():
                worker = busy[connection]  # type: ignore[index]
                number, task = worker.tasks[0]
                try:
                    done[number] = task, worker.connection.recv()
                    worker.tasks.popleft()
                except (EOFError, OSError):
                    done[number] = task, worker.death()
                    worker.tasks.popleft()
                    returned += worker.tasks
                    workers.remove(worker)
    finally:
        for worker in workers:
            worker.end()


def _serve(connection: Connection, function: Callable[[Any, Any], Any], setup: object) -> None:
    """Do tasks until there is nobody to send any."""
    # Ctrl-C reaches all processes; the one that started this ends it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(EOFError, OSError):
        while True:
            task = connection.recv()
            outcome: object
            try:
                outcome = function(setup, task)
            except (ValueError, TypeError, OSError) as error:
                outcome = error
            except Exception:
                outcome = TaskError(traceback.format_exc())
            connection.send(outcome)
