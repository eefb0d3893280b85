"""Fixtures of tests of `score`: the subcommand, called on files in this process or in a new one."""

import io
import json
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from segscores.apps.command.main import main

Run = Callable[..., tuple[int, str, str]]
Scores = dict[str, float]


def write_files(contents: Mapping[str, Any]) -> None:
    """Write files of text, of bytes or of lines of these, and their folders; None leaves a file as it is."""

    def encoded(text: str | bytes) -> bytes:
        return text.encode() if isinstance(text, str) else text

    for name, content in contents.items():
        if content is not None:
            is_whole = isinstance(content, (str, bytes))
            data = encoded(content) if is_whole else b"".join(encoded(line) + b"\n" for line in content)
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_bytes(data)


@pytest.fixture
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, which is that of the process."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(params=[30, 1 << 20], ids=lambda size: f"parts of {size}")
def piece_bytes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Parts of some bytes, and of the whole."""
    monkeypatch.setattr("segscores.reading.sources.source.PIECE_BYTES", request.param)
    return request.param


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], None]:
    """Have standard input be bytes, or a raw stream."""

    def give(data: Any) -> None:
        raw = io.BytesIO(data) if isinstance(data, bytes) else data
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(raw)))

    return give


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """The subcommand's status, output and messages.

    The first argument may be files to write, which are its inputs unless others are named before the options.
    """

    def run_command(*arguments: Any) -> tuple[int, str, str]:
        contents, line = (arguments[0], arguments[1:]) if isinstance(arguments[0], dict) else ({}, arguments)
        write_files(contents)
        inputs = list(contents) if not line or line[0].startswith("--") else []
        status = main(["score", *inputs, *line])
        return status, *capsys.readouterr()

    return run_command


@pytest.fixture
def scores(run: Run) -> Callable[..., Any]:
    """The scores of a run without a message: of its one prediction, or of each by its name."""

    def score(*arguments: Any) -> Any:
        status, output, message = run(*arguments, "--format", "json")
        assert (status, message) == (0, "")
        found = {entry["prediction"]: entry["scores"] for entry in json.loads(output)["predictions"]}
        return found if len(found) > 1 else next(iter(found.values()))

    return score


@pytest.fixture
def skipping(run: Run) -> Callable[..., tuple[dict[str, Any], str]]:
    """Return what `--on-error skip` gives for the one prediction, and its messages."""

    def skip(*arguments: Any) -> tuple[dict[str, Any], str]:
        status, output, message = run(*arguments, "--on-error", "skip", "--format", "json", "--counts")
        assert status == 0, message
        (found,) = json.loads(output)["predictions"]
        return found, message

    return skip


@pytest.fixture
def error(run: Run) -> Callable[..., str]:
    """The message of a run that must fail: a line on standard error, and nothing on standard output."""

    def fail(*arguments: Any) -> str:
        status, output, message = run(*arguments)
        assert (status, output) == (2, "")
        assert re.fullmatch("segscores: error: [^\n]+\n", message), message
        return message

    return fail


@pytest.fixture
def run_apart() -> Run:
    """As `run`, in a process that is ended if it hangs."""

    def run_command(*arguments: str, **options: Any) -> tuple[int, str, str]:
        command = [sys.executable, "-m", "segscores.apps.command.main", "score", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, **options)
        return done.returncode, done.stdout, done.stderr

    return run_command


_PROGRAM = """
import contextlib, io, json, sys
from segscores.apps.command.main import main
for line in json.loads(sys.argv[1]):
    output, message = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(message):
        status = main(["score", *line])
    print(json.dumps([status, output.getvalue(), message.getvalue()]), flush=True)
"""


@pytest.fixture
def errors_apart() -> Callable[..., list[str]]:
    """The messages of several runs that must fail, one after the other in a process that may crash or hang."""

    def run_commands(*lines: list[str], **options: Any) -> list[str]:
        command = [sys.executable, "-c", _PROGRAM, json.dumps(lines)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, **options)
        found = [json.loads(line) for line in done.stdout.splitlines()]
        assert len(found) == len(lines), done
        assert [(status, output) for status, output, _ in found] == [(2, "")] * len(lines)
        return [message for *_, message in found]

    return run_commands
