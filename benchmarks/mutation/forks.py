"""Forks that end in time: what the processes that run tests have in common. It needs POSIX."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress

#: Seconds between two looks whether a run has ended.
_PAUSE = 0.01


def fork() -> int:
    """Fork. Return the number of the new process, or 0 in the new process.

    Its own session lets `status_of` end all that it starts.
    """
    process = os.fork()
    if process == 0:
        os.setsid()
    return process


def status_of(process: int, limit: float | None) -> int | None:
    """Wait for a process of `fork`, and return its status; None if it took longer than the limit, in seconds."""
    started = time.monotonic()
    while limit is None or time.monotonic() - started < limit:
        ended, status = os.waitpid(process, os.WNOHANG)
        if ended:
            # Programs that the tests started may still run.
            _end_group(process)
            return os.waitstatus_to_exitcode(status)
        time.sleep(_PAUSE)
    _end_group(process)
    os.waitpid(process, 0)
    return None


def take_standard_streams(log: str) -> None:
    """Read nothing from the standard input, and write the standard output and error to a file."""
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    output = os.open(log, os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
    os.dup2(output, 1)
    os.dup2(output, 2)


def _end_group(process: int) -> None:
    """End a process and those that it started."""
    with suppress(ProcessLookupError):
        os.killpg(process, signal.SIGKILL)
