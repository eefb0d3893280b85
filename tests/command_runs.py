"""Helpers for tests of `score`: the subcommand, called in this process or in a new one."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from segscores.command.main import main


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """The subcommand's status, output and messages."""

    def run_command(*arguments: str) -> tuple[int, str, str]:
        status = main(["score", *arguments])
        return status, *capsys.readouterr()

    return run_command


@pytest.fixture
def error(run: Any) -> Callable[..., str]:
    """The message of a run that must fail: a line on standard error, and nothing on standard output."""

    def fail(*arguments: Any) -> str:
        status, output, message = run(*arguments)
        assert (status, output) == (2, "")
        assert re.fullmatch("segmentation-scores: error: [^\n]+\n", message), message
        return message

    return fail


@pytest.fixture
def run_apart() -> Callable[..., tuple[int, str, str]]:
    """As `run`, in a process that is ended if it hangs."""

    def run_command(*arguments: str, **options: Any) -> tuple[int, str, str]:
        command = [sys.executable, "-m", "segscores.command.main", "score", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, **options)
        return done.returncode, done.stdout, done.stderr

    return run_command
