"""`segmentation-scores curve`: what is printed and written, and bad arguments."""

from __future__ import annotations

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
    run(*ARGUMENTS, "--format", "csv")
    assert capsys.readouterr().out.startswith("score,200,400,1000,signature\n")
    run(*ARGUMENTS, "--format", "json")
    printed = json.loads(capsys.readouterr().out)
    assert printed["reference"] == "reference"
    assert [(entry["size"], entry["prediction"]) for entry in printed["predictions"]] == [
        (size, f"out{size}=x.txt") for size in PREDICTIONS
    ]
    for entry in printed["predictions"]:
        assert entry["scores"] == expected(entry["size"])


@pytest.mark.parametrize(("name", "start"), [("curve.png", b"\x89PNG"), ("curve.svg", b"<?xml")])
def test_picture(files, capsys, name, start):
    run(*ARGUMENTS, "--plot", name)
    assert Path(name).read_bytes().startswith(start)
