"""Helpers for processes that a test started."""

import os
from contextlib import suppress

import psutil


def processes_of_session(session: int) -> list[int]:
    """Those that run; one that has ended, and lost its parent, is there until the system clears it away."""
    found = []
    for pid in psutil.pids():
        with suppress(ProcessLookupError, psutil.NoSuchProcess):
            if os.getsid(pid) == session and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
                found.append(pid)
    return found
