"""Workers: processes that do tasks one by one, and whose death is detected.

Conventions
-----------
Results come in the order of the tasks. The result of a task that fails is its error, and the
result of a task whose worker dies is a `WorkerDeath`; the caller decides whether to go on. A worker has one current
task and one waiting, so that it never idles while this process is busy. It reports when it begins a task. If it dies
during a task, that task gets the `WorkerDeath`; if it dies between two tasks, it is only replaced. A death at its start
counts as one during its first task.

Workers are spawned and not forked, because this process has threads. They end with the block that started them, however
it is left. When this process is killed they end at once: a thread in each worker waits for tasks and notices it.
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

#: Tasks that a worker has: a current one and one waiting.
_TASKS = 2
#: Tasks per worker whose results may wait for earlier results.
_WINDOW = 4
#: The message of a worker that begins a task. Results are pickled, and so never equal to it.
_TASK_TAKEN = b"taken"


@dataclass(frozen=True)
class WorkerDeath:
    """The result of a task during which its worker died.

    Attributes:
        exit_code: the exit code of its process; negative for the signal that killed it.
    """

    exit_code: int | None

    @property
    def was_killed(self) -> bool:
        """Whether a signal killed it."""
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
    """A task failed with an unexpected error; the message has the worker's traceback."""


class _Worker(Generic[Task]):
    """A worker and its tasks.

    Until its first message, the first of them counts as the current one.
    """

    def __init__(self, function: Callable[[Any, Task], Any], setup: object) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, self._theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(self._theirs, function, setup), daemon=True)
        self.tasks: deque[tuple[int, Task]] = deque()
        self.has_task_in_hand = True

    def start(self) -> None:
        """Start the process completely, even if an interrupt arrives during the start, so that it can be ended."""
        with ThreadPoolExecutor(1) as starter:
            starter.submit(_start, self.process).result()
        self._theirs.close()

    def give(self, number: int, task: Task) -> None:
        self.tasks.append((number, task))
        # The death of a worker is detected when its results are read.
        with suppress(OSError):
            self.connection.send(task)

    def receive(self) -> tuple[int, Task, Any] | None:
        """The number of the current task, the task, and its result; None where the worker began a task.

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
        # The process is not closed, because multiprocessing joins its processes once more at exit.
        if self.process.pid is not None:
            self.process.kill()
            self.process.join()
        self.connection.close()


def map_in_workers(
    function: Callable[[Any, Task], Result], tasks: Iterable[Task], count: int, setup: object
) -> Generator[tuple[Task, Result | Exception | WorkerDeath], None, None]:
    """The tasks in order, each with the result of a function.

    Args:
        function: a module-level function, called in the workers with `setup` and a task. Errors that it raises are
            results too.
        tasks: read as they are needed.
        count: the greatest number of workers.
        setup: passed to each worker once.
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
    """Start a process, from a thread made for it: the process inherits the blocked signals of that thread."""
    if sys.platform != "win32":
        # It would start with the first process, and unblock the signals that are blocked here.
        resource_tracker.ensure_running()
        # Ctrl-C reaches all processes; the one that started the others ends them.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    process.start()


def _serve(connection: Connection, function: Callable[[Any, Any], Any], setup: object) -> None:
    """Do tasks until the sender is gone."""
    # On Windows no signal is blocked from the start.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    tasks: SimpleQueue[Any] = SimpleQueue()
    Thread(target=_receive, args=(connection, tasks), daemon=True).start()
    with suppress(OSError):
        while True:
            task = tasks.get()
            connection.send_bytes(_TASK_TAKEN)
            connection.send_bytes(_outcome_of(function, setup, task))


def _receive(connection: Connection, tasks: SimpleQueue[Any]) -> None:
    """Receive tasks as they are sent, so that the sender never waits; end this process when the sender ends."""
    try:
        while True:
            tasks.put(connection.recv())
    finally:
        os._exit(1)


def _outcome_of(function: Callable[[Any, Any], Any], setup: object, task: object) -> bytes:
    """The function's result or error, pickled."""
    try:
        try:
            return pickle.dumps(function(setup, task))
        except (ValueError, TypeError, OSError, MemoryError) as error:
            return pickle.dumps(error)
    except Exception:
        return pickle.dumps(TaskError(traceback.format_exc()))
