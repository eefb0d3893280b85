"""`segmentation-scores sweep` and its pictures: printed and written output, and bad files."""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path

import pytest

from segscores import __version__

from .running import run_command

REFERENCE = "ab c\n\nde\n"
SCORES = "[0.1, 0.8]\n[]\n[0.5]\n"

#: The token scores by hand. No boundary: abc, de; at 0.8: ab c, de; at 0.5: ab c, d e; at 0.1: a b c, d e.
RECALLS = {"inf": 1 / 3, "0.8": 3 / 3, "0.5": 2 / 3, "0.1": 1 / 3}
PRECISIONS = {"inf": 1 / 2, "0.8": 3 / 3, "0.5": 2 / 4, "0.1": 1 / 5}


@pytest.fixture
def files(tmp_path, monkeypatch) -> Path:
    """A working folder with a reference and boundary scores."""
    monkeypatch.chdir(tmp_path)
    Path("reference").write_text(REFERENCE, encoding="utf-8")
    Path("scores.jsonl").write_text(SCORES, encoding="utf-8")
    return tmp_path


def run(*arguments: str) -> None:
    run_command("sweep", *arguments)


def best(capsys, *arguments: str) -> dict:
    run("reference", "scores.jsonl", *arguments, "--format", "json")
    return json.loads(capsys.readouterr().out)["best"]


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_curve_as_csv(files, capsys):
    run("reference", "scores.jsonl", "--format", "csv")
    curve = rows(capsys.readouterr().out)
    assert {row["signature"] for row in curve} == {f"segscores|text:words|avg:micro|zero:0|n:3|v:{__version__}"}
    assert {row["threshold"]: float(row["token_recall"]) for row in curve} == RECALLS
    assert {row["threshold"]: float(row["token_precision"]) for row in curve} == PRECISIONS
    assert [float(row["ratio"]) for row in curve] == [0, 1 / 3, 2 / 3, 1]


@pytest.mark.parametrize("form", ["table", "markdown", "latex", "html"])
def test_readers_learn_that_the_threshold_is_chosen_on_the_test_set(files, capsys, form):
    run("reference", "scores.jsonl", "--format", form)
    assert "best: with the threshold chosen on this test set" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("scheme", "lines"), [("start", "[9, 0.1, 0.8]\n[]\n[9, 0.5]"), ("end", "[0.1, 0.8, 9]\n[]\n[0.5, 9]")]
)
def test_scores_a_unit(files, capsys, scheme, lines):
    expected = best(capsys)
    Path("scores.jsonl").write_text(lines, encoding="utf-8")
    assert best(capsys, "--label-scheme", scheme) == expected


@pytest.mark.parametrize(
    ("name", "start"), [("curve.png", b"\x89PNG"), ("curve.svg", b"<?xml"), ("CURVE.PNG", b"\x89PNG")]
)
def test_picture(files, capsys, name, start):
    sweep = "sweep reference scores.jsonl"
    points = ("", "--ratios 0:1:0.05", "--thresholds 0.5 --zero-division nan")
    for line in ("curve reference 1=reference", *(f"{sweep} {each}" for each in points)):
        run_command(*line.split(), "--plot", name)
        assert Path(name).read_bytes().startswith(start)
        Path(name).unlink()


def test_picture_of_many_points_is_small_and_marks_the_best(files, capsys):
    count = 20_000
    values = [at / count for at in range(count - 1)]
    Path("reference").write_text("ab" * (count // 2 - 1) + " ab\n", encoding="utf-8")
    Path("scores.jsonl").write_text(json.dumps(values), encoding="utf-8")
    run("reference", "scores.jsonl", "--plot", "curve.svg")
    assert Path("curve.svg").stat().st_size < 500_000


def test_missing_matplotlib_says_what_to_install(files, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ValueError, match=r'matplotlib, which is not installed: pip install "matplotlib>=3\.7"'):
        run("reference", "scores.jsonl", "--plot", "curve.png")


def test_scores_may_be_separated_by_spaces_or_commas(files, capsys):
    Path("plain.txt").write_text("0.1 0.8\n\n.5\n")
    Path("commas.csv").write_text("0.1, 8e-1\n[]\n[0.5]\n")
    Path("lists.jsonl").write_text("[0.1, 0.8]\n[]\n[0.5]\n")
    printed = []
    for name in ("lists.jsonl", "plain.txt", "commas.csv"):
        run("reference", name)
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1] == printed[2]


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ("[0.1, 0.8]\n[]\n[0.5, 1, 2]\n", r"scores\.jsonl, line 3: received 3 boundary scores; expected 1"),
        ("[0.1, 0.8]\n[]\n[0.5, 1]\n", r"line 3: received 2 .*label_scheme"),
        ("[0.1, 0.8]\n[]\n[NaN]\n", r"scores\.jsonl, line 3: the score of gap 0 is nan"),
        ('[0.1, 0.8]\n[]\n["0.5"]\n', r"scores\.jsonl, line 3: received '0\.5' \(str\) at index 0"),
        ("[0.1, 0.8]\n[]\n[null]\n", r"scores\.jsonl, line 3: received None"),
        ("0.1 0.8\n\n0,5 x\n", r"scores\.jsonl, line 3: received '0,5 x'.*; expected .* separated by spaces"),
        ("[0.1, 0.8]\n[]\n[0.5\n", r"scores\.jsonl, line 3: received '\[0\.5'.*; expected a JSON list"),
        ("[" * 100_000, r"scores\.jsonl, line 1: received '\[\[.*…'.*; expected a JSON list"),
        ("[0.1, 0.8]\n[]\n", "3 references and 2 lists of boundary scores"),
        ("", "3 references and 0 lists of boundary scores"),
        (b"[0.1, 0.8]\n\xff", r"scores\.jsonl, line 2: the byte 0xff"),
    ],
)
def test_bad_scores_are_named_by_line(files, scores, message):
    Path("scores.jsonl").write_bytes(scores if isinstance(scores, bytes) else scores.encode())
    with pytest.raises(ValueError, match=message):
        run("reference", "scores.jsonl")


@pytest.mark.parametrize(
    ("option", "text", "points"),
    [
        ("threshold", "0:1:0.25", [0, 0.25, 0.5, 0.75, 1]),
        ("threshold", "0:1:0.4", [0, 0.4, 0.8]),
        ("threshold", "0.5", [0.5]),
        ("threshold", "0.15,inf", [0.15, float("inf")]),
        # The numbers that decimals have.
        ("threshold", "0:1e-13:1e-14", [0.0, *(float(f"{digit}e-14") for digit in range(1, 10)), 1e-13]),
        ("threshold", "-0.3:0.3:0.1", [-0.3, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3]),
        # The paper's twenty-one.
        ("ratio", "0:1:0.05", [hundredths / 100 for hundredths in range(0, 101, 5)]),
    ],
)
def test_points_are_read(files, capsys, option, text, points):
    run("reference", "scores.jsonl", f"--{option}s={text}", "--format", "csv")
    assert sorted(float(row[option]) for row in rows(capsys.readouterr().out)) == points


@pytest.mark.parametrize("form", ["units", "wordseg", "conllu"])
def test_the_form_of_the_reference_is_recognised(files, capsys, form):
    expected = best(capsys)
    words = [line.split() for line in ("ab c", "de")]
    lines = {
        "units": [" WORD_BOUNDARY ".join(map(" ".join, each)) for each in words],
        "wordseg": [" ;eword ".join([*map(" ".join, each), ""]) for each in words],
        "conllu": ["".join(f"{at}\t{word}" + "\t_" * 8 + "\n" for at, word in enumerate(each, 1)) for each in words],
    }
    Path("reference").write_text("".join(f"{line}\n" for line in lines[form]), encoding="utf-8")
    Path("scores.jsonl").write_text(SCORES.replace("[]\n", ""), encoding="utf-8")
    run("reference", "scores.jsonl", "--format", "json")
    printed = capsys.readouterr()
    assert json.loads(printed.out)["best"] == expected
    assert printed.err.startswith("segmentation-scores: reference: read as ")
