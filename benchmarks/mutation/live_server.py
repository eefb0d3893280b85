"""A process in which pytest has collected tests, and which runs some of them in forks of itself, in each with changed functions.

To collect the tests of a change takes longer than to run them. Here they are collected once: a fork gives the functions in memory
the code of the changed file (`live_code.py`), and goes on with the loop of pytest over the tests that were chosen.

The process writes a line of JSON when the tests are collected: for each file, the lines that ran by then. What these made, such
as a table, is in memory, so that a change of one of them has to be tried in another way. Then it reads a line for each run, and
answers with a line: pytest's status, null if the tests took longer than the limit, or NOT_CHANGED. It needs POSIX.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import FunctionType
from typing import IO

import pytest
from coverage import Coverage
from forks import fork, status_of, take_standard_streams
from live_code import functions_of, replace_code

#: The answer if no function in memory could get the changed code.
NOT_CHANGED = 100


@dataclass(frozen=True)
class Request:
    """A run of some of the tests that were collected, as a line of JSON says it."""

    tests: list[str]  #: as pytest names them
    limit: float | None  #: in seconds
    most_failures: int  #: after which the run ends; 0 for no end
    variables: dict[str, str] = field(default_factory=dict)  #: of the environment
    path: str = ""  #: the file that has changed, from the folder of the checkout; empty if none has
    before: str = ""  #: its text before the change


class Server:
    """A plugin of pytest that answers requests in place of running all tests."""

    def __init__(self, package: Path, requests: IO[str], answers: IO[str]) -> None:
        self._package = package
        self._requests = requests
        self._answers = answers
        self._functions: dict[str, list[FunctionType]] = {}
        self._coverage = Coverage(data_file=None, config_file=False, include=[f"{package}/*"])
        self._coverage.start()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """Answer requests until the input ends. In a fork, leave the tests to the loop of pytest, which is the next plugin."""
        self._coverage.stop()
        self._answer(self._lines_that_ran())
        self._functions = functions_of(str(self._package))
        tests = {item.nodeid: item for item in session.items}
        for line in self._requests:
            request = Request(**json.loads(line))
            process = fork()
            if process == 0:
                self._change(request)
                os.environ.update(request.variables)
                session.items[:] = [tests[test] for test in request.tests]
                session.config.option.maxfail = request.most_failures
                return None
            self._answer(status_of(process, request.limit))
        return True

    def _lines_that_ran(self) -> dict[str, list[int]]:
        """Return the lines of each file, by its path from the folder of the checkout."""
        data = self._coverage.get_data()
        folder = self._package.parent
        return {str(Path(name).relative_to(folder)): data.lines(name) or [] for name in data.measured_files()}

    def _change(self, request: Request) -> None:
        """Give functions in memory their code after the change; end this process if that cannot be.

        What is not in memory will be read from the file, which has changed.
        """
        changed = self._package.parent / request.path
        functions = self._functions.get(str(changed), [])
        if functions and request.path:
            try:
                count = replace_code(functions, request.before, changed.read_text(encoding="utf-8"))
            except ValueError:
                count = 0
            if not count:
                os._exit(NOT_CHANGED)

    def _answer(self, content: object) -> None:
        print(json.dumps(content), file=self._answers, flush=True)


def main(package: str, log: str, *arguments: str) -> None:
    """Run pytest with these arguments, and the server as a plugin."""
    requests = os.fdopen(os.dup(0), encoding="utf-8")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    take_standard_streams(log)
    server = Server(Path(package), requests, answers)
    status = pytest.main(["-q", "-p", "no:cacheprovider", "-n0", "--tb=no", *arguments], plugins=[server])
    # A fork ends without the exit handlers of the process that it comes from.
    os._exit(int(status))


if __name__ == "__main__":
    main(*sys.argv[1:])
