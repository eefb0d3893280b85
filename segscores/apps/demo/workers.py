"""Workers: processes that compute the answers, each of which ends with its process if it takes too long.

A computation in a thread can't be ended, and an error in a library's compiled code ends its whole process. A worker computes
one answer after the other, and is replaced when an answer has ended it.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

from anyio import CapacityLimiter, fail_after, to_thread

from ..allocation import return_freed_memory
from .answers import answer, bundle, export
from .examples import EXAMPLES

if TYPE_CHECKING:
    from multiprocessing.context import ForkServerContext, SpawnContext

#: The number of workers, and so of answers that are computed at a time.
_WORKERS = 4
#: The seconds that an answer waits for a worker, and for the start of one.
_PATIENCE = 60
#: The seconds between two looks at who waits.
_LOOK = 0.1
#: The functions that a worker computes, by name.
_TASKS: dict[str, Callable[..., Any]] = {"answer": answer, "export": export, "bundle": bundle}

_BUSY = "The page is busy: try again."
_BROKEN = "This answer ended with an error of a library: use the command."


class AnswerError(ValueError):
    """An answer that can't be given: its inputs are wrong, or it takes too long."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status  #: of HTTP


def _context() -> SpawnContext | ForkServerContext:
    """Return how processes start: as forks of a server that has imported this module once, or else anew."""
    # A fork of this process would copy the locks of its threads.
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    return context


class Workers:
    """The workers of a server: an answer has `seconds`, or `seconds_of_many` while another waits for a worker."""

    def __init__(self, *, seconds: float = 30, seconds_of_many: float = 5) -> None:
        self._seconds = seconds
        self._seconds_of_many = seconds_of_many
        #: A turn for each worker: who has one finds a free worker.
        self._turns = CapacityLimiter(_WORKERS)
        self._context = _context()
        self._free = deque(_Worker(self._context) for _ in range(_WORKERS))
        #: when the answer of each worker began, by the monotonic clock
        self._begun: dict[_Worker, float] = {}

    async def compute(self, task: str, *arguments: str | Mapping[str, str]) -> Any:
        """Return the result of a task; raise an `AnswerError` if its inputs are wrong, or it takes too long.

        An example is `await workers.compute("answer", "score", {"reference": "a b", "prediction": "ab"})`.
        """
        turn = object()  # of this call alone, for the limiter to count
        try:
            with fail_after(_PATIENCE):
                await self._turns.acquire_on_behalf_of(turn)
        except TimeoutError:
            raise AnswerError(_BUSY, 503) from None
        try:
            return await to_thread.run_sync(self._compute, task, arguments)
        finally:
            self._turns.release_on_behalf_of(turn)

    def _compute(self, task: str, arguments: tuple[Any, ...]) -> Any:
        """Return the result of a task, from a free worker; another takes the place of a worker that has ended."""
        worker = self._free.popleft()
        try:
            worker.wait_until_started()
            self._begun[worker] = time.monotonic()
            return worker.compute(task, arguments, lambda: self._must_end(worker))
        except TimeoutError:
            limits = f"{self._seconds} seconds, and {self._seconds_of_many} while others wait"
            problem = f"This answer takes longer than the page allows ({limits}):"
            raise AnswerError(f"{problem} try fewer scores or a shorter text, or use the command.", 503) from None
        finally:
            self._begun.pop(worker, None)
            if not worker.is_alive():
                worker = _Worker(self._context)
            self._free.append(worker)

    def _must_end(self, worker: _Worker) -> bool:
        """Return whether an answer has taken all its time. The oldest answer has less time while another waits for a worker."""
        begun = self._begun[worker]
        # A copy, because other threads change the dict.
        is_oldest = begun == min(list(self._begun.values()))
        others_wait = self._turns.statistics().tasks_waiting > 0
        seconds = self._seconds_of_many if is_oldest and others_wait else self._seconds
        return time.monotonic() - begun > seconds


class _Worker:
    """A process, and the connection to it."""

    def __init__(self, context: SpawnContext | ForkServerContext) -> None:
        self._is_ready = False  # True once the process has said that it has its modules
        self._connection, other = context.Pipe()
        self._process = context.Process(target=_work, args=(other,), daemon=True)
        self._process.start()
        # Only the process has the other end, so that its death ends the connection.
        other.close()

    def is_alive(self) -> bool:
        return self._process.is_alive()

    def wait_until_started(self) -> None:
        """Wait until the process has its modules. The time of an answer begins after that."""
        if self._is_ready:
            return
        if not self._connection.poll(_PATIENCE):
            self._end()
            raise AnswerError(_BUSY, 503)
        # The first message says that it is ready, or why it is not.
        self._receive()
        self._is_ready = True

    def compute(self, task: str, arguments: tuple[Any, ...], must_end: Callable[[], bool]) -> Any:
        """Return the result of a task; a TimeoutError says that `must_end` has ended the process."""
        try:
            self._connection.send((task, arguments))
        except OSError:
            self._end()
            raise AnswerError(_BROKEN, 500) from None
        while not self._connection.poll(_LOOK):
            if must_end():
                self._end()
                raise TimeoutError
        result, problem = self._receive()
        if problem is not None:
            raise AnswerError(problem)
        return result

    def _receive(self) -> Any:
        """Return the next message of the process; raise an `AnswerError` if it has died."""
        try:
            return self._connection.recv()
        except (EOFError, OSError):
            self._end()
            raise AnswerError(_BROKEN, 500) from None

    def _end(self) -> None:
        """End the process, and the connection."""
        self._process.kill()
        self._process.join()
        self._connection.close()


def _work(connection: Connection) -> None:
    """Compute one task after the other until the server ends."""
    return_freed_memory()
    # The page itself shows the facts behind these warnings.
    warnings.simplefilter("ignore", UserWarning)
    threading.Thread(target=_end_with_server, daemon=True).start()
    # Load what any answer needs.
    answer("score", EXAMPLES["desk"]["English"])
    connection.send(None)  # ready, see `wait_until_started`
    # Each message from here on has a result, or a problem.
    while True:
        try:
            task, arguments = connection.recv()
        except (EOFError, OSError):
            return
        try:
            connection.send((_TASKS[task](*arguments), None))
        except (TypeError, ValueError, OverflowError) as error:
            connection.send((None, str(error)))


def _end_with_server() -> None:
    """Wait until the server ends, however it does, and end this process too, also in the middle of an answer."""
    server = multiprocessing.parent_process()
    if server is not None:
        server.join()
    os._exit(0)
