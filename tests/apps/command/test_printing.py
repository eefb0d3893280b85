"""Tests of what the command prints: on any encoding, for terminals and spreadsheets, and where standard output fails."""

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from segscores.apps.command.text import announce_resampling, check_output
from segscores.reading.sources.names import Files
from segscores.reading.trouble import LeftOut
from segscores.results.json_text import as_json
from segscores.results.outputs import csv_cell
from segscores.scoring.observations import Observations
from segscores.scoring.plan import Plan
from segscores.statistics.signing import sign_files

COMMAND = [sys.executable, "-m", "segscores.apps.command.main"]
#: Words with an accent, beyond the first plane, and that steer a terminal or reverse text.
FILES = {
    "café.txt": "café 😀😀\nab\x9bc d\u202ee\n=1+1 x\n",
    **dict.fromkeys(("p.txt", "café 😀.txt"), "ca fé😀 😀\na b\x9bcd\u202e e\n=1 +1x\n"),
}
ERRORS = "errors café.txt p.txt --format"


def run_with(encoding: str, *arguments: str) -> bytes:
    """Standard output of a run whose streams have an encoding."""
    environment = os.environ | {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    done = subprocess.run([*COMMAND, *arguments], capture_output=True, timeout=300, check=False, env=environment)
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "cp1252"])
def test_json_is_the_same_data_on_every_encoding_and_steers_no_terminal(encoding):
    text = run_with(encoding, *ERRORS.split(), "json").decode(encoding)
    assert text.replace("\n", "").isprintable()
    assert ("café" in text) is (encoding == "utf-8")
    found = json.loads(text)
    assert found["reference"] == "café.txt"
    words = {word for error in found["errors"] for word in error["reference"]}
    assert words == {"café", "😀😀", "ab\x9bc", "d\u202ee", "=1+1", "x"}


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_csv_is_utf_8_on_every_encoding(encoding):
    text = run_with(encoding, *ERRORS.split(), "csv", "--table", "words").decode()
    words = [row[0] for row in csv.reader(io.StringIO(text))][1:]
    assert sorted(words) == sorted(["café", "😀😀", "ab\\x9bc", "d\\u202ee", "'=1+1", "x"])


@pytest.mark.parametrize("form", ["table", "markdown"])
def test_columns_are_aligned_on_every_encoding(form):
    text = run_with("ascii", "errors", "café.txt", "café 😀.txt", "--format", form, "--table", "words").decode()
    assert "caf\\xe9" in text.replace("\\\\", "\\")
    assert len(set(map(len, text.partition("\n\n")[0].splitlines()))) == 1


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        *((text, f"'{text}") for text in ("=1+1", "+1+1", "-1+cmd|' /C calc'!A0", "@SUM(1)")),
        # Of wide signs, and after a semicolon, which separates cells where a comma is the decimal sign.
        *((text, f"'{text}") for text in ("＝1+1", "＋1", "－a", "＠x")),
        *((f"{before};{text}", f"{before};'{text}") for text in ("=1+1", "＝1", "@x") for before in ("", "a")),
        ("\tx", "\\tx"),
        ("a\x1b]0;title\x07", "a\\x1b]0;title\\x07"),
        # Numbers and punctuation are not formulas.
        *((same, same) for same in ("-0.25", "-1e-05", "-", "=", "nan", "a-b", "", 3, -0.5, None)),
        *((same, same) for same in (";-0.5", ";eword;=", "＝")),
    ],
)
def test_cells_are_not_formulas(value, cell):
    assert csv_cell(value) == cell


def test_json_has_no_nan():
    value = {"a": [float("nan"), (1.5, float("inf"))], "b": {"c": "\ud800"}}
    assert json.loads(as_json(value)) == {"a": [None, [1.5, None]], "b": {"c": "\ud800"}}


FULL = "segscores: error: standard output: No space left on device.\n"
CLOSED = "segscores: error: standard output is closed: the result cannot be printed.\n"
LINES = ("score café.txt p.txt", "--version", "--help")
SLOW_LINES = (
    f"{ERRORS} json", "groups", "difficulty café.txt --committee p.txt -o -", "curve café.txt 1=p.txt --format csv",
)  # fmt: skip


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the test needs a POSIX shell")
@pytest.mark.parametrize(
    ("line", "to", "expected"),
    [*((line, ">/dev/full", FULL) for line in LINES),
     *(pytest.param(line, ">/dev/full", FULL, marks=pytest.mark.slow) for line in SLOW_LINES),
     *((line, ">&-", CLOSED) for line in (LINES[0], "report café.txt p.txt -o page.html", "--version"))],
)  # fmt: skip
def test_a_standard_output_that_is_full_or_closed_is_an_error(line, to, expected):
    before = sorted(Path().iterdir())
    program = f"'{sys.executable}' -m segscores.apps.command.main {line} {to}"
    done = subprocess.run(["sh", "-c", program], stderr=subprocess.PIPE, text=True, timeout=300, check=False)
    assert (done.returncode, done.stderr) == (2, expected)
    assert sorted(Path().iterdir()) == before


@pytest.mark.parametrize(
    ("left_out", "expected"), [([0, 0], ""), ([2], "skipped:2"), ([0, 3], "skipped:0+3"), ([1, 1], "skipped:1+1")]
)
def test_the_signature_counts_left_out_utterances(left_out, expected):
    observed = Observations(9)
    for number, count in enumerate(left_out, 1):
        observed.trouble.leave_out(number, LeftOut(count, 9))
    signed = sign_files([Files.of("r.txt")], Plan.of(), observed, "words")
    assert "|".join(field for field in signed.split("|") if field.startswith("skipped")) == expected


@pytest.mark.skipif(os.name != "posix", reason="the test needs POSIX permissions and links")
def test_a_folder_that_cannot_be_written_is_named_before_any_work(tmp_path, monkeypatch):
    # A superuser may write anywhere: what the system would say to another user.
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != tmp_path)
    with pytest.raises(ValueError, match=r"new\.csv: no file can be written into its folder"):
        check_output(str(tmp_path / "new.csv"), [])


def test_a_long_resampling_is_announced(capsys):
    announce_resampling(1_000_000, 50_000, 2)
    announce_resampling(1000, 100_000, 1)
    assert "1,000,000 resamples of 50,000 utterances take about 117 minutes." in capsys.readouterr().err
