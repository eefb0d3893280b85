"""A folder of files for each test, and fixtures that run command lines in it."""

import json
import os
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from segscores.apps.command.main import main

from ...command_runs import write_files


def write_all(module) -> None:
    """Write the FILES of a module, and what more it writes."""
    write_files(getattr(module, "FILES", {}))
    getattr(module, "write_more", lambda: None)()


@pytest.fixture(scope="module")
def unchanged(request, tmp_path_factory) -> Path:
    """The working folder of all tests of a module that name this fixture, and leave no trace in it."""
    folder = tmp_path_factory.mktemp("unchanged")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        write_all(request.module)
    return folder


@pytest.fixture(autouse=True)
def folder(request, monkeypatch) -> Iterator[Path]:
    """The working folder, with the FILES of the test's module."""
    is_shared = "unchanged" in request.fixturenames
    folder = request.getfixturevalue("unchanged" if is_shared else "tmp_path")
    monkeypatch.chdir(folder)
    if not is_shared:
        write_all(request.module)
    before = sorted(os.listdir(folder))
    yield folder
    assert not is_shared or sorted(os.listdir(folder)) == before, "leave the fixture out: the test writes files"


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
