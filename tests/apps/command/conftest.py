"""A folder of files for each test, and fixtures that run command lines in it."""

import json
import shlex
from pathlib import Path

import pytest

from segscores.apps.command.main import main

from ...command_runs import write_files


@pytest.fixture(autouse=True)
def folder(request, tmp_path, monkeypatch) -> Path:
    """The working folder, with the FILES of the test's module."""
    monkeypatch.chdir(tmp_path)
    write_files(getattr(request.module, "FILES", {}))
    return tmp_path


@pytest.fixture
def run(capsys):
    """Status, output and messages of a command line."""

    def run_line(line: str) -> tuple[int, str, str]:
        try:
            status = main(shlex.split(line))
        except SystemExit as ended:
            status = int(ended.code or 0)
        return status, *capsys.readouterr()

    return run_line


@pytest.fixture
def printed(run):
    """Return what a command line that goes well prints."""

    def run_line(line: str) -> str:
        status, output, messages = run(line)
        assert status == 0, messages
        return output

    return run_line


@pytest.fixture
def found(printed):
    """The JSON of a command line."""
    return lambda line: json.loads(printed(f"{line} --format json"), parse_constant=pytest.fail)


@pytest.fixture
def message(run):
    """The message of a command line that fails: a line, without output, and without a trace in the folder."""

    def run_line(line: str) -> str:
        before = sorted(Path().iterdir())
        status, output, messages = run(line)
        assert (status, output) == (2, ""), messages
        assert sorted(Path().iterdir()) == before
        (text,) = messages.splitlines()
        return text

    return run_line
