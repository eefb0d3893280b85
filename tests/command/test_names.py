"""What predictions are called, and bounds on their scores."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from segscores.command.main import main

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command in a folder with three systems' outputs of the same name."""
    monkeypatch.chdir(tmp_path)
    texts = {
        "gold/test.txt": "the dog\nis on\na boat\n",
        "out/tp/test.txt": "thedog\nis on\na boat\n",
        "out/jieba/test.txt": "the dog\nison\naboat\n",
        **dict.fromkeys(("out/other.txt", "a=b.txt", "lr=0.1/p.txt"), "the dog\nis on\na boat\n"),
    }
    for name, text in texts.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text, encoding="utf-8")

    def run_command(*arguments: str) -> tuple[int, str, str]:
        status = main(list(arguments))
        return status, *capsys.readouterr()

    return run_command


PATHS = ("out/tp/test.txt", "out/jieba/test.txt", "out/other.txt")


def names_of(output: str) -> list[str]:
    return next(csv.reader(io.StringIO(output)))[1:-1]


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (PATHS, ["tp/test.txt", "jieba/test.txt", "other.txt"]),
        (PATHS[:1], ["tp/test.txt"]),
        (PATHS[2:], ["other.txt"]),
        (("tp=out/tp/test.txt", "out/other.txt"), ["tp", "other.txt"]),
        (("狗 1=out/other.txt",), ["狗 1"]),
        # Files and folders with such names are paths.
        (("a=b.txt", "x=./a=b.txt"), ["a=b.txt", "x"]),
        (("lr=0.1/p.txt", "small=./lr=0.1/p.txt"), ["p.txt", "small"]),
    ],
)
def test_names_are_given_or_the_shortest_ends_of_paths(run: Run, arguments: tuple[str, ...], names: list[str]) -> None:
    status, output, message = run("score", "gold/test.txt", *arguments, "--format", "csv")
    assert (status, message) == (0, "")
    assert names_of(output) == names


def test_json_has_name_and_path(run: Run) -> None:
    _, output, _ = run("score", "gold/test.txt", "tp=out/tp/test.txt", "out/other.txt", "--format", "json")
    found = [(entry["prediction"], entry["path"]) for entry in json.loads(output)["predictions"]]
    assert found == [("tp", "out/tp/test.txt"), ("other.txt", "out/other.txt")]


@pytest.mark.parametrize("baseline", ["jieba", "out/jieba/test.txt"])
def test_compare_takes_names(run: Run, baseline: str) -> None:
    arguments = ("gold/test.txt", "out/tp/test.txt", "jieba=out/jieba/test.txt", "--format", "json")
    status, output, _ = run("compare", *arguments, "--baseline", baseline)
    assert status == 0
    assert list(json.loads(output)["systems"]) == ["jieba", "tp/test.txt"]
    status, _, message = run("compare", *arguments, "--baseline", "jiebaa")
    assert status == 2
    assert "'jiebaa'" in message
    assert "jieba" in message


def test_report_and_errors_take_names(run: Run) -> None:
    status, _, _ = run("report", "gold/test.txt", "tp=out/tp/test.txt", "out/other.txt", "-o", "page.html")
    page = Path("page.html").read_text(encoding="utf-8")
    assert (status, "tp, other.txt against" in page) == (0, True)
    _, output, _ = run("errors", "gold/test.txt", "tp=out/tp/test.txt", "--format", "json")
    assert json.loads(output)["predictions"][0]["prediction"] == "tp"


@pytest.mark.parametrize(
    ("bounds", "failures"),
    [
        (["--min", "token_fscore=1.0"], ["tp/test.txt: token_fscore is 0.7272727272727273, expected at least 1.0"]),
        (["--min", "token_fscore=0.72"], []),
        (["--min=token_fscore=0.5", "--min=token_recall=0.8", "--max", "token_precision=0.8"],
         ["tp/test.txt: token_recall is 0.6666666666666666, expected at least 0.8",
          "other.txt: token_precision is 1.0, expected at most 0.8"]),
        (["--min", "token_fscore=1.0", "--confidence", "0.95"],
         ["tp/test.txt: token_fscore is 0.7272727272727273, expected at least 1.0"]),
    ],
)  # fmt: skip
def test_bounds_give_the_status(run: Run, bounds: list[str], failures: list[str]) -> None:
    arguments = ("score", "gold/test.txt", "out/tp/test.txt", "out/other.txt")
    status, output, message = run(*arguments, *bounds)
    assert status == bool(failures)
    assert output.startswith("score")
    lines = [line.removeprefix("segmentation-scores: ") for line in message.splitlines() if "warning" not in line]
    assert lines == failures


def test_an_undefined_score_keeps_no_bound(run: Run) -> None:
    vocabulary = ("--scores", "oov", "--vocabulary", "gold/test.txt", "--zero-division", "nan")
    status, _, message = run("score", "gold/test.txt", "out/other.txt", *vocabulary, "--min", "oov_recall=0")
    assert status == 1
    assert "other.txt: oov_recall is nan, expected at least 0.0" in message


@pytest.mark.parametrize("option", ["--min", "--max"])
def test_a_bound_has_the_range_of_its_score(run: Run, option: str) -> None:
    files, scores = ("gold/test.txt", "out/other.txt"), ("--scores", "word_error,rand")
    # A word error rate has no largest value; the adjusted Rand index goes below 0.
    for possible in ("word_error_rate=90", "adjusted_rand_index=-0.25"):
        assert run("score", *files, *scores, option, possible)[0] < 2
