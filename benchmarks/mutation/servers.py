"""The processes that run tests for `mutate.py`, from its side: each takes a line of JSON for a run, and answers with a line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from code_changes import Change

PARTS = Path(__file__).resolve().parent
#: Without the tests that need more than the extra `test`.
DEFAULT_TESTS = "not browser and not spark and not torch and not frameworks and not slow"
#: pytest's status where all tests passed.
PASSED = 0


def environment(folder: Path) -> dict[str, str]:
    """Return the environment of tests in a checkout, without what an outer run of pytest, coverage or CI has set."""
    left_out = ("PYTEST_", "COV_", "COVERAGE_", "PYTHONDONTWRITEBYTECODE")
    ours = {name: value for name, value in os.environ.items() if not name.startswith(left_out) and name != "CI"}
    return ours | {"PYTHONPATH": os.pathsep.join([str(folder), str(PARTS)])}


class _Server(ABC):
    """A process that runs tests in forks of itself, in the folder of a checkout."""

    def __init__(self, folder: Path, program: str, *arguments: str) -> None:
        self.folder = folder
        self._process = subprocess.Popen(
            [sys.executable, str(PARTS / program), *arguments],
            cwd=folder,
            # With several threads of numpy, a fork may wait for one that it does not have.
            env=environment(folder) | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def passing(self, tests: Sequence[str]) -> set[str]:
        """Run tests without a change, and return those that passed."""
        passed = self.folder / "passed.json"
        self._run_all(tests, {"PASSED_TESTS": str(passed)})
        names = json.loads(passed.read_text(encoding="utf-8")).keys()
        passed.unlink()
        return set(names)

    def end(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    @abstractmethod
    def _run_all(self, tests: Sequence[str], variables: dict[str, str]) -> None:
        """Run tests, also after some have failed, with the plugin `passed_tests`."""

    def _ask(self, **request: object) -> Any:
        """Return the answer to a request."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        return self._read()

    def _read(self) -> Any:
        """Return the next answer."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"mutate.py: error: a process that runs tests in {self.folder} has ended.")
        return json.loads(line)


class ForkServer(_Server):
    """Runs tests in a process that has imported the packages of the tests, and that reads the checkout as it is."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, "fork_server.py")

    def run(self, arguments: Sequence[str], limit: float | None = None, **variables: str) -> int | None:
        """Run pytest, and return its status; None if it took longer than the limit, in seconds."""
        log = str(self.folder.parent / "log")
        status: int | None = self._ask(arguments=[*arguments], limit=limit, log=log, variables=variables)
        return status

    def _run_all(self, tests: Sequence[str], variables: dict[str, str]) -> None:
        self.run(["-p", "passed_tests", *tests], **variables)


class LiveServer(_Server):
    """Runs tests in a process that has collected them, and that gives the functions in memory other code."""

    #: The answer if no function in memory could get the changed code.
    NOT_CHANGED = 100

    def __init__(self, folder: Path, package: str, tests: Sequence[str]) -> None:
        places = [str(folder / package), str(folder.parent / "log-live")]
        # A run begins with an empty folder for temporary files.
        options = ["-p", "passed_tests", f"--basetemp={folder.parent / 'temporary'}", "-m", DEFAULT_TESTS]
        super().__init__(folder, "live_server.py", *places, *options, *tests)

    @cached_property
    def _lines_that_ran(self) -> dict[str, set[int]]:
        """The lines of each file that ran before the tests."""
        return {path: set(lines) for path, lines in self._read().items()}

    def can_try(self, change: Change) -> bool:
        """Return whether a change is within a function, in code that has not run before the tests."""
        place = change.place
        has_run = not self._lines_that_ran.get(change.path, set()).isdisjoint(place.lines)
        return place.in_function and not place.is_default and not has_run

    def run(self, change: Change, source: bytes, tests: Sequence[str], limit: float) -> int | None:
        """Run tests until one fails, with functions of the changed file. `source` is the file before the change.

        Return pytest's status, None if it took longer than the limit, in seconds, or NOT_CHANGED.
        """
        changed = {"path": change.path, "before": source.decode()}
        status: int | None = self._ask(tests=[*tests], limit=limit, most_failures=1, **changed)
        return status

    def _run_all(self, tests: Sequence[str], variables: dict[str, str]) -> None:
        self._ask(tests=[*tests], limit=None, most_failures=0, variables=variables)
