"""Scores whose denominator is 0, curves of any scores, and resamples that take long."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from segscores.command.main import main
from segscores.command.text import announce_resampling

from ..naive import naive_word_error_scores

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(tmp_path)
    Path("r.txt").write_text("the dog\nis on\n", encoding="utf-8")
    Path("p.txt").write_text("thedog\nis on\n", encoding="utf-8")

    def run_command(*arguments: str) -> tuple[int, str, str]:
        status = main(list(arguments))
        return status, *capsys.readouterr()

    return run_command


OOV = ("score", "r.txt", "p.txt", "--scores", "token,oov", "--vocabulary", "r.txt")


@pytest.mark.parametrize("zero_division", [(), ("--zero-division", "nan"), ("--zero-division", "1")])
@pytest.mark.parametrize("intervals", [(), ("--confidence", "0.9")])
def test_an_undefined_score_is_a_dash_and_is_listed(
    run: Run, zero_division: tuple[str, ...], intervals: tuple[str, ...]
) -> None:
    _, table, _ = run(*OOV, *zero_division, *intervals)
    rows = {line.split()[0]: line.split()[1:] for line in table.splitlines() if line.startswith(("oov", "token"))}
    assert rows["oov_recall"] == ["–"]
    assert rows["oov_rate"][0] == "0.0000"
    _, output, _ = run(*OOV, *zero_division, *intervals, "--format", "json")
    (entry,) = json.loads(output)["predictions"]
    assert entry["undefined"] == ["oov_recall"]
    value = {"nan": None, "1": 1.0}.get(zero_division[-1] if zero_division else "", 0.0)
    assert entry["scores"]["oov_recall"] == value


def test_curve_has_any_scores(run: Run) -> None:
    _, output, _ = run("curve", "r.txt", "1=p.txt", "2=r.txt", "--scores", "word_error,windows", "--format", "csv")
    rows = {row[0]: row[1:3] for row in csv.reader(io.StringIO(output))}
    expected = naive_word_error_scores([["the", "dog"], ["is", "on"]], [["thedog"], ["is", "on"]])
    for key, value in expected.items():
        assert float(rows[key][0]) == pytest.approx(value, rel=1e-12)
    assert rows["pk"][1] == "0.0"
    assert "token_fscore" not in rows


def test_a_picture_of_a_curve_needs_the_token_scores(run: Run) -> None:
    status, _, message = run("curve", "r.txt", "1=p.txt", "--scores", "rand", "--plot", "c.png")
    assert status == 2
    assert "--plot draws the token scores: --scores must have token and tnr, or be left out." in message


@pytest.mark.parametrize("number", ["10000001", "1000000000000", "9" * 30])
@pytest.mark.parametrize(
    "command",
    [("score", "r.txt", "p.txt", "--confidence", "0.9"), ("curve", "r.txt", "1=p.txt", "--confidence", "0.9")],
)
def test_resamples_have_a_limit(run: Run, command: tuple[str, ...], number: str) -> None:
    status, output, message = run(*command, "--resamples", number)
    assert (status, output) == (2, "")
    assert f"--resamples: expected an integer from 1 to 1000000, received {number}." in message


def test_a_long_resampling_is_announced(capsys: pytest.CaptureFixture[str]) -> None:
    announce_resampling(1_000_000, 100_000)
    announce_resampling(1000, 100_000)
    assert "1,000,000 resamples of 100,000 utterances take about 117 minutes." in capsys.readouterr().err


def test_compare_lists_undefined_scores_and_shows_dashes(run: Run) -> None:
    oov = ("compare", "r.txt", "p.txt", "r.txt", *OOV[3:])
    _, output, _ = run(*oov, "--format", "json")
    found = json.loads(output)
    assert [entry["undefined"] for entry in found["predictions"]] == [
        ["oov_recall"],
        ["oov_recall", "oov_precision", "oov_fscore"],
    ]
    assert {name: system["undefined"] for name, system in found["systems"].items()} == {
        "p.txt": ["oov_recall"],
        "r.txt": ["oov_recall", "oov_precision", "oov_fscore"],
    }
    _, table, _ = run(*oov)
    (row,) = [line.split() for line in table.splitlines() if line.startswith("oov_recall")]
    assert row[1:] == ["–"] * 5


def test_errors_lists_recalls_of_no_words_and_shows_dashes(run: Run) -> None:
    _, output, _ = run("errors", "r.txt", "p.txt", "--vocabulary", "r.txt", "--format", "json")
    assert json.loads(output)["undefined"] == ["by_vocabulary.out.recall"]
    _, table, _ = run("errors", "r.txt", "p.txt", "--vocabulary", "r.txt", "--table", "vocabulary")
    rows = {line.split()[0]: line.split()[1:] for line in table.splitlines() if line.startswith(("in", "out"))}
    assert rows["out"][-1] == "–"
    assert rows["in"][-1] == "0.5000"
    _, output, _ = run("errors", "r.txt", "p.txt", "--format", "json")
    assert json.loads(output)["undefined"] == []


def test_tenths_without_words_are_undefined(run: Run) -> None:
    Path("d.jsonl").write_text("[0.0, 0.55]\n[0.0, 0.0]\n", encoding="utf-8")
    _, output, _ = run("difficulty", "r.txt", "--difficulties", "d.jsonl", "--score", "p.txt", "--format", "json")
    (entry,) = json.loads(output)["predictions"]
    tenths = [0, 5]
    assert entry["undefined"] == [f"recovered_0.{n}_{(n + 1) / 10:.1f}" for n in range(10) if n not in tenths]


def test_balanced_scores_without_easy_words_are_undefined(run: Run) -> None:
    # Every word is as hard as can be, so that no word has a weight for a punishment.
    Path("d.jsonl").write_text("[1.0, 1.0]\n[1.0, 1.0]\n", encoding="utf-8")
    arguments = ("difficulty", "r.txt", "--difficulties", "d.jsonl", "--score", "r.txt")
    _, output, _ = run(*arguments, "--format", "json")
    (entry,) = json.loads(output)["predictions"]
    _, output, _ = run(*arguments, "--format", "json", "--zero-division", "nan")
    nan = [key for key, value in json.loads(output)["predictions"][0]["scores"].items() if value is None]
    assert entry["undefined"] == nan
    _, table, _ = run(*arguments)
    dashes = [line.split()[0] for line in table.splitlines() if line.split()[1:] == ["–"]]
    assert dashes == [key for key in nan if not key.startswith("recovered")] != []


def test_alignments_without_pairs_are_undefined(run: Run) -> None:
    Path("a.txt").write_text("[0]:[]\n[]:[0]\n", encoding="utf-8")
    _, output, _ = run("alignment", "a.txt", "a.txt", "--scores", "strict, lax", "--format", "json")
    (entry,) = json.loads(output)["predictions"]
    assert entry["undefined"] == ["strict_recall", "strict_fscore", "lax_recall", "lax_fscore"]
    _, table, _ = run("alignment", "a.txt", "a.txt")
    assert ["lax_recall", "–"] in [line.split() for line in table.splitlines()]


def test_a_curve_lists_undefined_scores(run: Run) -> None:
    arguments = ("--scores", "token,oov", "--vocabulary", "r.txt", "--format", "json")
    _, output, _ = run("curve", "r.txt", "1=p.txt", *arguments)
    assert json.loads(output)["predictions"][0]["undefined"] == ["oov_recall"]
