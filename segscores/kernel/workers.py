"""Workers: processes that do tasks one by one, and whose death is noticed.

Conventions
-----------
Results come in the order of the tasks. A task that fails gives its error as the result, and one whose worker dies a
`WorkerDeath`; the caller decides what happens to the others. A worker has one task in hand and one waiting: it never idles
while this process is busy, and when it dies it is the one in hand that it died of. It says when it takes one in hand, so that
one that dies between two tasks is replaced, and no more. Of its start it dies as of its first task.

Workers are started afresh and not forked, for this process has threads. They end with the block that they were started in, on
every way out of it, and at once when this process is killed: a thread of theirs waits for tasks, and sees it.
"""

from __future__ import annotations

__all__ = ["TaskError", "WorkerDeath", "map_in_workers"]

import multiprocessing
import os
import pickle
import signal
import sys
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from queue import SimpleQueue
from threading import Thread
from typing import Any, Generic, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")

#: Tasks that a worker has: one in hand and one waiting.
_TASKS = 2
#: Results may wait for those before them, for as many tasks as this for each worker.
_WINDOW = 4
#: What a worker sends when it takes a task in hand. What comes of it is pickled, and never this.
_TASK_TAKEN = b"taken"


@dataclass(frozen=True)
class WorkerDeath:
    """A worker died of a task.

    Attributes:
        exit_code: of its process; the negative number of the signal that killed it.
    """

    exit_code: int | None

    @property
    def was_killed(self) -> bool:
        """Whether a signal ended it."""
        return self.exit_code is not None and self.exit_code < 0

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
    """A worker, and the tasks that it has; until it is heard of, the first of them counts as in hand."""

    def __init__(self, function: Callable[[Any, Task], Any], setup: object) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, self._theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(self._theirs, function, setup), daemon=True)
        self.tasks: deque[tuple[int, Task]] = deque()
        self.has_task_in_hand = True

    def start(self) -> None:
        """Start the process: if this is interrupted it has been started all the same, whole, so that it can be ended."""
        with ThreadPoolExecutor(1) as starter:
            starter.submit(_start, self.process).result()
        self._theirs.close()

    def give(self, number: int, task: Task) -> None:
        self.tasks.append((number, task))
        # A worker that has died is noticed when its results are asked for.
        with suppress(OSError):
            self.connection.send(task)

    def receive(self) -> tuple[int, Task, Any] | None:
        """The number of the task in hand, the task, and what came of it; None where one was taken in hand.

        Raises:
            EOFError, OSError: the worker has died.
        """
        message = self.connection.recv_bytes()
        self.has_task_in_hand = message == _TASK_TAKEN
        return None if self.has_task_in_hand else (*self.tasks.popleft(), pickle.loads(message))

    def death(self) -> WorkerDeath:
        self.process.join()
        exit_code = self.process.exitcode
        self.end()
        return WorkerDeath(exit_code)

    def end(self) -> None:
        # Not closed: multiprocessing joins its processes once more at the exit.
        if self.process.pid is not None:
            self.process.kill()
            self.process.join()
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
                    worker.start()
                worker.give(number, task)
            while ended in done:
                yield done.pop(ended)
                ended += 1
            busy = {worker.connection: worker for worker in workers if worker.tasks}
            if not busy and is_last:
                return
            for connection in wait(list(busy)) if busy else ():
                worker = busy[connection]  # type: ignore[index]
                try:
                    answer = worker.receive()
                    if answer is not None:
                        number, task, outcome = answer
                        done[number] = task, outcome
                except (EOFError, OSError):
                    death = worker.death()
                    if worker.has_task_in_hand:
                        number, task = worker.tasks.popleft()
                        done[number] = task, death
                    returned += worker.tasks
                    workers.remove(worker)
    finally:
        for worker in workers:
            worker.end()


def _start(process: BaseProcess) -> None:
    """Start a process, from a thread that does nothing else, for the process inherits the signals that are blocked in it."""
    if sys.platform != "win32":
        # It starts along with the first process, and would let through what is blocked here.
        resource_tracker.ensure_running()
        # Ctrl-C reaches all processes; the one that started the others ends them.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    process.start()


def _serve(connection: Connection, function: Callable[[Any, Any], Any], setup: object) -> None:
    """Do tasks until there is nobody to send any."""
    # As on Windows nothing is blocked from the start.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    tasks: SimpleQueue[Any] = SimpleQueue()
    Thread(target=_receive, args=(connection, tasks), daemon=True).start()
    with suppress(OSError):
        while True:
            task = tasks.get()
            connection.send_bytes(_TASK_TAKEN)
            connection.send_bytes(_outcome_of(function, setup, task))


def _receive(connection: Connection, tasks: SimpleQueue[Any]) -> None:
    """Take in tasks as they are sent, so that nobody waits to send one; end this process with the one that sends them."""
    try:
        while True:
            tasks.put(connection.recv())
    finally:
        os._exit(1)


def _outcome_of(function: Callable[[Any, Any], Any], setup: object, task: object) -> bytes:
    """What the function gives, or its error, as it is sent."""
    try:
        try:
            return pickle.dumps(function(setup, task))
        except (ValueError, TypeError, OSError, MemoryError) as error:
            return pickle.dumps(error)
    except Exception:
        return pickle.dumps(TaskError(traceback.format_exc()))
