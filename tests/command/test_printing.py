"""What the command prints: on any encoding, for terminals and spreadsheets, and where standard output fails."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from segscores.command.main import main
from segscores.sources.outputs import csv_cell
from segscores.support.json_text import as_json

COMMAND = [sys.executable, "-m", "segscores.command.main"]

#: Words with an accent, beyond the first plane, and that steer a terminal or reverse text.
REFERENCE = "café 😀😀\nab\x9bc d\u202ee\n=1+1 x\n"
PREDICTION = "ca fé😀 😀\na b\x9bcd\u202e e\n=1 +1x\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("café.txt").write_text(REFERENCE, encoding="utf-8")
    Path("p.txt").write_text(PREDICTION, encoding="utf-8")
    return tmp_path


def run_with(encoding: str, *arguments: str) -> bytes:
    """Standard output of a run whose streams have an encoding."""
    environment = os.environ | {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    done = subprocess.run([*COMMAND, *arguments], capture_output=True, timeout=300, check=False, env=environment)
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1", "cp1252", "cp437"])
def test_json_is_the_same_data_on_every_encoding(folder: Path, encoding: str) -> None:
    arguments = ("errors", "café.txt", "p.txt", "--format", "json")
    found = json.loads(run_with(encoding, *arguments).decode(encoding))
    assert found["reference"] == "café.txt"
    words = {word for error in found["errors"] for word in error["reference"]}
    assert words == {"café", "😀😀", "ab\x9bc", "d\u202ee", "=1+1", "x"}


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "cp1252"])
def test_csv_is_utf_8_on_every_encoding(folder: Path, encoding: str) -> None:
    text = run_with(encoding, "errors", "café.txt", "p.txt", "--format", "csv", "--table", "words").decode()
    words = [row[0] for row in csv.reader(io.StringIO(text))][1:]
    assert sorted(words) == sorted(["café", "😀😀", "ab\\x9bc", "d\\u202ee", "'=1+1", "x"])


@pytest.mark.parametrize("form", ["table", "markdown"])
def test_columns_are_aligned_on_every_encoding(folder: Path, form: str) -> None:
    os.replace("p.txt", "café 😀.txt")
    text = run_with("ascii", "errors", "café.txt", "café 😀.txt", "--format", form, "--table", "words").decode()
    table = text.partition("\n\n")[0].splitlines()
    assert "caf\\xe9" in text.replace("\\\\", "\\")
    assert len(set(map(len, table))) == 1


def test_columns_of_groups_are_aligned_on_every_encoding() -> None:
    header, _, *rows = run_with("ascii", "groups").decode().splitlines()
    assert any("\\u2212" in row for row in rows)
    for name in ("keys", "range", "better", "source"):
        at = header.index(name)
        assert {(row[at - 1], row[at] == " ") for row in rows} == {(" ", False)}


def test_json_has_no_characters_that_steer_a_terminal(folder: Path) -> None:
    text = run_with("utf-8", "errors", "café.txt", "p.txt", "--format", "json").decode()
    assert "café" in text
    assert text.replace("\n", "").isprintable()


def test_pages_have_no_characters_that_reverse_text(folder: Path) -> None:
    for arguments in (
        ["report", "café.txt", "p.txt", "-o", "page.html"],
        ["difficulty", "café.txt", "--committee", "p.txt"],
    ):
        page = Path("page.html")
        assert main([*arguments, *(["--html", str(page)] if arguments[0] == "difficulty" else [])]) == 0
        assert {"\x9b", "\u202e"} & set(page.read_text(encoding="utf-8")) == set()


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        *((text, f"'{text}") for text in ("=1+1", "+1+1", "-1+cmd|' /C calc'!A0", "@SUM(1)")),
        ("\tx", "\\tx"),
        ("a\x1b]0;title\x07", "a\\x1b]0;title\\x07"),
        # Numbers and punctuation are not formulas.
        *((same, same) for same in ("-0.25", "-1e-05", "-", "=", "--"[:1], "nan", "a-b", "", 3, -0.5, None)),
    ],
)
def test_cells_are_not_formulas(value: object, cell: object) -> None:
    assert csv_cell(value) == cell


def test_json_has_no_nan() -> None:
    value = {"a": [float("nan"), (1.5, float("inf"))], "b": {"c": "\ud800"}}
    assert json.loads(as_json(value)) == {"a": [None, [1.5, None]], "b": {"c": "\ud800"}}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize(
    "arguments",
    [
        ["score", "café.txt", "p.txt"],
        ["errors", "café.txt", "p.txt", "--format", "json"],
        ["groups"],
        ["--version"],
        ["--help"],
        ["difficulty", "café.txt", "--committee", "p.txt", "-o", "-"],
        ["curve", "café.txt", "1=p.txt", "--format", "csv"],
    ],
    ids=lambda arguments: " ".join(arguments[:2]),
)
def test_a_full_standard_output_is_named(folder: Path, arguments: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*COMMAND, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, timeout=300, check=False
        )
    expected = "segmentation-scores: error: standard output: No space left on device.\n"
    assert (done.returncode, done.stderr) == (2, expected)


@pytest.mark.skipif(os.name != "posix", reason="the test needs a POSIX shell")
@pytest.mark.parametrize("arguments", ["score café.txt p.txt", "report café.txt p.txt -o page.html", "--version"])
def test_a_closed_standard_output_is_an_error(folder: Path, arguments: str) -> None:
    done: Any = subprocess.run(
        ["sh", "-c", f"'{sys.executable}' -m segscores.command.main {arguments} >&-"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr == ("segmentation-scores: error: standard output is closed: the result cannot be printed.\n")
    assert sorted(path.name for path in folder.iterdir()) == ["café.txt", "p.txt"]
