"""The subcommand `score`: counts, several files and predictions, and options that are checked before any file is read."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ..naive import naive_counts, naive_scores, random_corpus_pair, words_text

CORPUS = random_corpus_pair(60, seed=11, units="abcdé狗叫")
#: Lines of the files of the reference and of the prediction: they pair as one text, or file by file.
CUTS = [(0, 20), (20, 21), (21, 60)]

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The corpus whole as r.txt and p.txt, and in pieces as r-1.txt, p-1.txt and so on."""
    for name, corpus in zip("rp", CORPUS, strict=True):
        lines = words_text(corpus)
        (tmp_path / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        for number, (start, stop) in enumerate(CUTS, 1):
            piece = "".join(f"{line}\n" for line in lines[start:stop])
            (tmp_path / f"{name}-{number}.txt").write_text(piece, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def predictions_of(done: tuple[int, str, str]) -> list[dict[str, Any]]:
    status, output, _ = done
    assert status == 0
    return json.loads(output)["predictions"]


def test_files_that_a_pattern_names_pair_in_order(run: Run, folder: Path) -> None:
    (found,) = predictions_of(run("r-*.txt", "p-*.txt", "--counts", "--format", "json"))
    assert found["counts"] == naive_counts(*CORPUS)


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_scores_of_utterances_name_the_file_and_the_line_in_it(run: Run, folder: Path, ending: str) -> None:
    out = folder / f"scores.{ending}"
    asked = ("--scores", "token", "--zero-division", "0", "--format", "json")
    predictions_of(run("r-*.txt", "p-*.txt", "--per-utterance", str(out), *asked))
    with out.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file)) if ending == "csv" else [json.loads(line) for line in file]
    places = [
        ("p-*.txt", f"r-{number}.txt", line) for number, (a, b) in enumerate(CUTS, 1) for line in range(1, b - a + 1)
    ]
    assert [(row["prediction"], row["file"], int(row["line"])) for row in rows] == places
    for row, reference, prediction in zip(rows, *CORPUS, strict=True):
        assert float(row["token_fscore"]) == naive_scores([reference], [prediction])["token_fscore"]


@pytest.mark.parametrize(
    ("reference", "predictions"),
    [
        ("r-*.txt", ["p-*.txt", "q-*.txt", "r-*.txt"]),
        ("r.txt", ["p-*.txt", "q.txt", "r.txt"]),
        ("r-*.txt", ["p.txt", "q.txt", "r.txt"]),
    ],
)
def test_an_utterance_has_the_same_place_for_every_prediction(
    run: Run, folder: Path, reference: str, predictions: list[str]
) -> None:
    for path in folder.glob("r*.txt"):
        lines = ["".join(line.split()) for line in path.read_text("utf-8").splitlines()]
        (folder / path.name.replace("r", "q", 1)).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    predictions_of(run(reference, *predictions, "--scores", "token", "--per-utterance", "u.jsonl", "--format", "json"))
    rows = [json.loads(line) for line in Path("u.jsonl").read_text("utf-8").splitlines()]
    places = [(row.get("file"), row["line"]) for row in rows]
    assert len(set(places[:60])) == 60
    assert places == places[:60] * 3
    several = [(f"r-{number}.txt", line) for number, (a, b) in enumerate(CUTS, 1) for line in range(1, b - a + 1)]
    assert places[:60] == (several if "*" in reference else [(None, line) for line in range(1, 61)])


def test_scores_of_utterances_name_the_column_of_several_tables(run: Run, folder: Path) -> None:
    for number, (start, stop) in enumerate(CUTS, 1):
        sides = [words_text(side[start:stop]) for side in CORPUS]
        rows = [{"reference": left, "same": left, "other": right} for left, right in zip(*sides, strict=True)]
        Path(f"both-{number}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    columns = ("--columns", ",same,other", "--zero-division", "0")
    predictions_of(run("both-*.jsonl", *columns, "--scores", "token", "--per-utterance", "u.jsonl", "--format", "json"))
    rows = [json.loads(line) for line in Path("u.jsonl").read_text("utf-8").splitlines()]
    assert [row["prediction"] for row in rows] == ["same"] * 60 + ["other"] * 60
    assert {row["file"] for row in rows} == {f"both-{number}.jsonl" for number in (1, 2, 3)}
    for row, reference, prediction in zip(rows[60:], *CORPUS, strict=True):
        assert row["token_fscore"] == naive_scores([reference], [prediction])["token_fscore"]


def test_left_out_utterances_are_counted_with_a_warning(run: Run, folder: Path) -> None:
    lines = (folder / "p.txt").read_text(encoding="utf-8").splitlines()
    bad = next(index for index, line in enumerate(lines) if line)
    lines[bad] += "?"
    (folder / "p.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    status, output, message = run("r.txt", "p.txt", "--on-error", "skip", "--counts", "--format", "json")
    assert re.search(rf"1 of 60 .*line {bad + 1}", message), message
    (found,) = predictions_of((status, output, message))
    kept = [[*side[:bad], *side[bad + 1 :]] for side in CORPUS]
    assert found["counts"] == naive_counts(*kept) | {"left_out": 1}
    assert found["scores"] == naive_scores(*kept)


def test_nothing_that_can_be_scored_is_an_error_with_the_first_reason(error: Callable[..., str], folder: Path) -> None:
    (folder / "other.txt").write_text("zz\n" * 60, encoding="utf-8")
    assert "none of the 60 utterances can be scored. The first problem: " in error(
        "r.txt", "other.txt", "--on-error", "skip"
    )
