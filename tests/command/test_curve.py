"""`segmentation-scores curve`: what is printed and written, and bad arguments."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from ..naive import naive_scores
from .running import run_command

REFERENCE = "the dog is on the boat\n"
PREDICTIONS = {200: "thedogisontheboat\n", 400: "thedog is on the boat\n", 1000: "the dog is on the boat\n"}


@pytest.fixture
def files(tmp_path, monkeypatch) -> Path:
    """A working folder with a reference and a prediction for each size."""
    monkeypatch.chdir(tmp_path)
    Path("reference").write_text(REFERENCE, encoding="utf-8")
    for size, text in PREDICTIONS.items():
        Path(f"out{size}=x.txt").write_text(text, encoding="utf-8")
    return tmp_path


def run(*arguments: str) -> None:
    run_command("curve", *arguments)


#: Not by size, so that the order of the curve is not that of the arguments.
ARGUMENTS = ("reference", "1000=out1000=x.txt", "200=out200=x.txt", "400=out400=x.txt")


def expected(size: int) -> dict[str, float]:
    return naive_scores([REFERENCE.split()], [PREDICTIONS[size].split()])


def test_scores_by_rising_size(files, capsys):
    run(*ARGUMENTS, "--format", "json")
    printed = json.loads(capsys.readouterr().out)
    assert printed["reference"] == "reference"
    assert [(entry["size"], entry["prediction"]) for entry in printed["predictions"]] == [
        (size, f"out{size}=x.txt") for size in PREDICTIONS
    ]
    for entry in printed["predictions"]:
        assert entry["scores"] == expected(entry["size"])


def test_table_has_a_column_a_size(files, capsys):
    run(*ARGUMENTS)
    header, *lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert header == ["score", "200", "400", "1000"]
    # The card's example is the prediction of size 400.
    assert ["token_precision", "0.0000", "0.8000", "1.0000"] in lines
    assert ["token_recall", "0.0000", "0.6667", "1.0000"] in lines


def test_curve_as_csv(files, capsys):
    run(*ARGUMENTS, "--format", "csv")
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert list(rows[0]) == ["score", "200", "400", "1000", "signature"]
    for size in PREDICTIONS:
        assert {row["score"]: float(row[str(size)]) for row in rows} == expected(size)


@pytest.mark.parametrize(("name", "start"), [("curve.png", b"\x89PNG"), ("curve.svg", b"<?xml")])
def test_picture(files, capsys, name, start):
    run(*ARGUMENTS, "--plot", name)
    assert Path(name).read_bytes().startswith(start)


def test_undefined_scores(files, capsys):
    for name in ("reference", "out"):
        Path(name).write_text("\n", encoding="utf-8")
    run("reference", "0.5=out", "--zero-division", "nan", "--format", "json")
    (entry,) = json.loads(capsys.readouterr().out)["predictions"]
    assert entry["size"] == 0.5
    assert set(entry["scores"].values()) == {None}


@pytest.mark.parametrize("form", ["table", "markdown", "latex"])
def test_undefined_scores_are_dashes_in_tables(files, capsys, form):
    for name in ("reference", "out"):
        Path(name).write_text("a\nb\n", encoding="utf-8")
    run("reference", "1=out", "--scores", "boundary_noedge", "--format", form)
    rows = [line for line in capsys.readouterr().out.splitlines() if "edge" in line]
    assert len(rows) == 3
    assert all("–" in row and "0.0000" not in row for row in rows)


@pytest.mark.parametrize("argument", ["out", "=out", "200=", "x=out", "nan=out", "inf=out"])
def test_bad_sizes(files, argument):
    with pytest.raises(ValueError, match=r"expected SIZE=PREDICTION, such as 200=out200\.txt, received"):
        run("reference", argument)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["reference", "200=a", "2e2=b"], "the size 2e2 is given twice"),
        (["reference", "200=missing"], "missing: there is no such file"),
        (["-", "200=-"], "standard input .* can be read only once"),
        (["reference", "200=reference", "--plot", "x"], r"--plot x: expected a name that ends in \.png or \.svg"),
        (["reference", "200=reference", "--ignored-tokens", "x"], "add --text-format units"),
        (["reference", "200=reference", "--plot", "none/x.svg"], "none/x.svg: expected a file in a folder that exists"),
    ],
)
def test_bad_arguments(files, arguments, message):
    before = {path.name: path.read_bytes() for path in files.iterdir()}
    with pytest.raises(ValueError, match=message):
        run(*arguments)
    assert {path.name: path.read_bytes() for path in files.iterdir()} == before


def test_no_picture_goes_over_an_input(files):
    """An input may have the name of a picture."""
    Path("out200=x.txt").rename("p.svg")
    with pytest.raises(ValueError, match=r"p\.svg: this is an input too, and would be overwritten"):
        run("reference", "200=p.svg", "--plot", "p.svg")
    assert Path("p.svg").read_text(encoding="utf-8") == PREDICTIONS[200]
