"""`segmentation-scores score` with intervals, averages and the scores of each utterance: as Python says, and whole files."""

from __future__ import annotations

import csv
import json
import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from segscores import score as score_python

from ..naive import DEFAULT_KEYS
from .running import run_command

REFERENCE = ["ab c d", "a bc", "", "a b c", "abc d", "d cb a", "ab"] * 3
PREDICTION = ["a b cd", "a bc", "", "a bc", "ab cd", "d cb a", "a b"] * 3
# Word types of one line alone: without any, type scores have no interval.
REFERENCE[-1], PREDICTION[-1] = "e f g", "ef g"
OTHER = [line if index % 2 else REFERENCE[index] for index, line in enumerate(PREDICTION)]
FILES = {"reference": REFERENCE, "prediction": PREDICTION, "other": OTHER}


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a reference and two predictions."""
    monkeypatch.chdir(tmp_path)
    for name, rows in FILES.items():
        write(name, rows)
    return tmp_path


def write(name: str, rows: Sequence[str]) -> None:
    Path(name).write_text("\n".join(rows) + "\n", encoding="utf-8")


def run(*arguments: str | Path) -> None:
    run_command("score", *arguments)


def printed(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> dict[str, Any]:
    run(*arguments, "--format", "json")
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def read_rows(path: str) -> list[dict[str, Any]]:
    """The rows of either format, numbers read."""
    if path.endswith(".jsonl"):
        return [json.loads(line, parse_constant=pytest.fail) for line in Path(path).read_text("utf-8").splitlines()]
    with Path(path).open(encoding="utf-8", newline="") as file:
        return [
            {name: value if name == "prediction" else float(value or "nan") for name, value in row.items()}
            for row in csv.DictReader(file)
        ]


@pytest.mark.parametrize("path", ["lines.csv", "lines.jsonl", "LINES.CSV"])
def test_each_utterance_scores_as_its_line_alone(files: Path, path: str) -> None:
    run("reference", "prediction", "other", "--per-utterance", path)
    rows = read_rows(path)
    assert list(rows[0]) == ["prediction", "line", *DEFAULT_KEYS]
    assert [row["prediction"] for row in rows] == ["prediction"] * 21 + ["other"] * 21
    assert [row["line"] for row in rows] == [*range(1, 22)] * 2
    for row, left, right in zip(rows, REFERENCE * 2, PREDICTION + OTHER, strict=True):
        expected = score_python([left], [right], text_format="words", zero_division=math.nan)
        # An undefined score is an empty cell, and null in JSON.
        found = {key: math.nan if row[key] is None else row[key] for key in expected}
        assert found == pytest.approx(expected, nan_ok=True)


def test_scores_of_more_utterances_than_are_written_at_once_are_in_order(files: Path) -> None:
    write("p", ["a b"] * 20_003)
    write("r", ["ab" if number % 10_001 == 0 else "a b" for number in range(1, 20_004)])
    run("r", "p", "--scores", "token_recall", "--per-utterance", "lines.csv")
    rows = read_rows("lines.csv")
    assert [row["line"] for row in rows] == list(range(1, 20_004))
    assert [row["line"] for row in rows if row["token_recall"] == 0] == [10_001, 20_002]


@pytest.mark.parametrize("key", ["token_fscore", "word_error_rate"])
def test_the_worst_come_first(files: Path, key: str) -> None:
    write("r", ["a b", "c d", "", "e f g h", "i j k"])
    write("p", ["ab", "c d", "", "ef g h", "ijk"])
    options = ("--scores", "token,word_error", "--zero-division", "nan", "--worst", key)
    run("r", "p", "q=./r", *options, "--per-utterance", "lines.jsonl")
    rows = read_rows("lines.jsonl")
    # Of equal scores the longer utterance comes first, then the earlier; undefined scores, of blank lines, come last.
    order = {"p": [5, 1, 4, 2, 3], "q": [4, 5, 1, 2, 3]}
    assert [(row["prediction"], row["line"]) for row in rows] == [
        (name, line) for name in order for line in order[name]
    ]
    values = {"token_fscore": [0, 0, 4 / 7, 1, None], "word_error_rate": [1, 1, 2 / 4, 0, None]}
    assert [row[key] for row in rows[:5]] == values[key]


@pytest.mark.filterwarnings("ignore:.*have different units on the two sides:UserWarning")
def test_skipped_lines_are_left_out_and_the_others_keep_their_numbers(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write("odd", ["x", *PREDICTION[1:4], "abc", *PREDICTION[5:]])
    found = printed(
        capsys, "reference", "odd", "--on-mismatch", "skip", "--per-utterance", "lines.csv", "--scores", "token"
    )
    assert [row["line"] for row in read_rows("lines.csv")] == [2, 3, 4, *range(6, 22)]
    assert found["predictions"][0]["scores"]["skipped_utterances"] == 2
    assert "|mismatch:skip|" in found["signature"]
    assert "|skipped:2|n:21|" in found["signature"]


def test_conllu_has_sentences(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("r.conllu").write_text("1\tNew York\n2\tis\n\n1\tso\n\n", encoding="utf-8")
    Path("p.conllu").write_text("1\tNew York\n2\tis\n\n1\ts\n2\to\n\n", encoding="utf-8")
    found = printed(capsys, "r.conllu", "p.conllu", "--per-utterance", "s.csv", "--scores", "token")
    rows = read_rows("s.csv")
    assert [(row["sentence"], row["token_recall"]) for row in rows] == [(1, 1.0), (2, 0.0)]
    assert found["signature"].startswith("segscores|text:conllu|")


def test_nothing_is_written_where_a_line_is_wrong(files: Path) -> None:
    write("wrong", [*PREDICTION[:-1], "xx"])
    Path("lines.csv").write_text("as it was", encoding="utf-8")
    before = sorted(os.listdir())
    with pytest.raises(ValueError, match="reference and wrong, line 21: the units differ"):
        run("reference", "wrong", "--per-utterance", "lines.csv")
    assert Path("lines.csv").read_text(encoding="utf-8") == "as it was"
    assert sorted(os.listdir()) == before


@pytest.mark.skipif(os.name != "posix", reason="the test needs POSIX permissions and links")
def test_a_file_that_was_there_keeps_its_permissions_and_links(files: Path) -> None:
    Path("lines.csv").touch(mode=0o640)
    Path("lines.csv").chmod(0o640)
    Path("link.csv").symlink_to("lines.csv")
    run("reference", "prediction", "--per-utterance", "link.csv")
    assert Path("link.csv").is_symlink()
    assert Path("lines.csv").stat().st_mode & 0o777 == 0o640
    assert len(read_rows("lines.csv")) == 21
