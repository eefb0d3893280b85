"""Helpers for processes that a test starts."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

import psutil
import pytest


def processes_of_session(session: int) -> list[int]:
    """Those that run; one that has ended, and lost its parent, is there until the system clears it away."""
    found = []
    for pid in psutil.pids():
        with suppress(ProcessLookupError, psutil.NoSuchProcess):
            if os.getsid(pid) == session and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
                found.append(pid)
    return found


class Run:
    """The command as it runs in the working folder, in a session of its own, with a folder for its temporary files."""

    def __init__(self, line: str, prepare: Callable[[], None] = lambda: None) -> None:
        Path("tmp").mkdir(exist_ok=True)
        self.before = sorted(Path().rglob("*"))

        def prepare_all() -> None:
            # Tests that run in a shell's background, or under nohup, ignore a signal, and so would what they start.
            for number in (signal.SIGINT, signal.SIGHUP):
                signal.signal(number, signal.SIG_DFL)
            prepare()

        self.process = subprocess.Popen(
            [sys.executable, "-m", "segscores.apps.command.main", *line.split()],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
            env=os.environ | {"TMPDIR": str(Path("tmp").resolve())}, preexec_fn=prepare_all,  # noqa: PLW1509 - no thread runs
        )  # fmt: skip

    def wait_until_it_reads(self, file: Path) -> None:
        """Wait until the run has read some of a file; it must not end before."""
        while self.process.poll() is None:
            with suppress(psutil.NoSuchProcess):
                files = psutil.Process(self.process.pid).open_files()
                if any(each.position for each in files if Path(each.path) == file):
                    return
            time.sleep(0.002)
        pytest.fail(f"the run has ended: {self.process.communicate()}")

    def end(self) -> tuple[int, str, str, list[Path]]:
        """Status, standard output, standard error and new files, once all that was started has ended."""
        printed = self.process.communicate(timeout=120)
        start = time.monotonic()
        while processes_of_session(self.process.pid):
            assert time.monotonic() - start < 300, processes_of_session(self.process.pid)
            time.sleep(0.01)
        return self.process.returncode, *printed, [path for path in Path().rglob("*") if path not in self.before]


def run_together(
    commands: Sequence[Sequence[str]], environments: Sequence[Mapping[str, str]], seconds: int
) -> list[str]:
    """Return what processes print that need each other, and must all end well; if one does not, the others are ended."""
    with ExitStack() as stack:
        processes = []
        for command, environment in zip(commands, environments, strict=True):
            process = subprocess.Popen(
                command, env=os.environ | environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
            processes.append(stack.enter_context(process))
            stack.callback(process.kill)
        printed = [process.communicate(timeout=seconds) for process in processes]
    assert {process.returncode for process in processes} == {0}, "\n".join(errors for _, errors in printed)
    return [output for output, _ in printed]
