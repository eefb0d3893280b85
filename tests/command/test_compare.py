"""`segmentation-scores compare`: as Python compares, in every format, with the best marked; and bad input."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas
import pytest

from segscores.statistics.system_comparison import compare, runs
from segscores.support.json_text import as_json

from ..naive import DEFAULT_KEYS, random_corpus_pair, words_text
from .cells import CELLS
from .running import run_command

REFERENCE, PREDICTION = map(words_text, random_corpus_pair(150, seed=1, units="abc"))
#: Wrong in every utterance that can be, in one, and in none.
SYSTEMS = {
    "bad": ["".join(line.split()) for line in REFERENCE],
    "good": [*REFERENCE[:-1], "".join(REFERENCE[-1].split())],
    "perfect": REFERENCE,
    "random": PREDICTION,
}
DIFFERENCES = ("difference", "low", "high", "p_value", "detectable", "won", "tied", "lost")


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a reference and the systems."""
    monkeypatch.chdir(tmp_path)
    for name, rows in ({"reference": REFERENCE} | SYSTEMS).items():
        write(name, rows)
    return tmp_path


def write(name: str, rows: Sequence[str]) -> None:
    Path(name).write_text("\n".join(rows) + "\n", encoding="utf-8")


def run(*arguments: str | Path) -> None:
    run_command("compare", *arguments)


def printed(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> dict[str, Any]:
    run(*arguments, "--format", "json")
    found: dict[str, Any] = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    return found


def rows_of(output: str, form: str = "table") -> dict[str, list[str]]:
    """The cells of a table by score."""
    table = output.partition("\n% " if form == "latex" else "\n\n")[0]
    header, *rows = CELLS[form](table.rstrip("\n"))
    return {row[0]: row[1:] for row in [header, *rows]}


@pytest.mark.parametrize("part_bytes", [1 << 20, 16])
@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ([], {}),
        (
            ["--confidence", "0.8", "--seed", "7", "--baseline", "good"],
            {"confidence": 0.8, "seed": 7, "baseline": "good"},
        ),
        (
            ["--scores", "windows,rates,word_error"],
            {"scores": ["windows", "rates", "word_error"]},
        ),
    ],
    ids=" ".join,
)
def test_json_lines_score_as_lists_do(
    *,
    files: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    part_bytes: int,
    arguments: list[str],
    options: dict[str, Any],
) -> None:
    monkeypatch.setattr("segscores.sources.source.PART_BYTES", part_bytes)
    found = printed(capsys, "reference", "random", "good", "bad", *arguments)
    systems = {name: SYSTEMS[name] for name in ("random", "good", "bad")}
    expected = compare(REFERENCE, systems, text_format="words", **options).to_dict()
    assert (found.pop("reference"), found.pop("signature").split("|")[0]) == ("reference", "segscores")
    assert found.pop("schema") == 1
    assert [entry["prediction"] for entry in found.pop("predictions")] == list(expected["systems"])
    assert found == json.loads(as_json(expected))


def test_a_table_has_a_row_a_score_and_the_columns_of_each_system(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["reference", "random", "good", "bad", "--baseline", "good"]
    found = printed(capsys, *arguments)
    run(*arguments)
    header, *rows = rows_of(capsys.readouterr().out).items()
    tested = ["difference", "p", "detectable", "won–tied–lost"]
    assert header == ("score", ["good", "random", *tested, "bad", *tested])
    assert [row[0] for row in rows] == list(DEFAULT_KEYS)
    for key, cells in rows:
        expected = []
        for name in ("good", "random", "bad"):
            system = found["systems"][name]
            low, high = system["intervals"][key]
            is_undefined = key in system["undefined"]
            expected.append("–" if is_undefined else f"{system['scores'][key]:.4f} [{low:.4f}, {high:.4f}]")
            if name != "good" and is_undefined:
                expected += ["–", "–", "–", ""]
            elif name != "good":
                difference = system["differences"][key]
                expected.append("{difference:+.4f} [{low:+.4f}, {high:+.4f}]".format(**difference))
                # Only the p-values of the score that decides are corrected.
                p_value = difference["p_corrected" if key == "boundary_all_fscore" else "p_value"]
                expected += [f"{p_value:.2g}", f"{difference['detectable']:.2g}"]
                expected.append("{won}–{tied}–{lost}".format(**difference))
        assert [re.sub(r"\*|†", "", cell) for cell in cells] == expected


def test_the_best_is_marked_and_what_is_not_significantly_worse(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("reference", "bad", "good", "perfect", "--scores", "token,tnr", "--decide-by", "token_tnr")
    output = capsys.readouterr().out
    for key, cells in list(rows_of(output).items())[1:]:
        good, perfect = ("†", r"\*") if key == "token_tnr" else ("", "")
        assert re.fullmatch(r"\d\.\d{4} \[.*", cells[0]), key
        assert re.fullmatch(rf"\d\.\d{{4}}{good} \[.*", cells[1]), key
        assert re.fullmatch(rf"\d\.\d{{4}}{perfect} \[.*", cells[6]), key
    assert "* best by token_tnr, which decides; † not distinguishable from the best by token_tnr (p > 0.05" in output
    assert "ranks by token_tnr that the significant differences leave possible: bad 3, good 1–2, perfect 1–2" in output


@pytest.mark.filterwarnings("ignore:.*have different units on the two sides:UserWarning")
@pytest.mark.parametrize(
    ("line", "legend", "field"),
    [
        ("reference perfect good bad",
         "p: paired randomisation (10,000 trials); of type scores, Student's t alone", "trials:10000-0"),
        ("reference perfect good bad", "is the one to report, corrected for several systems (Holm)", "n:150"),
        ("reference perfect good bad --scores type", "p: Student's t. That of type_fscore is the one to report", "n:150"),
        ("few few-good few-bad", "p: the larger of paired randomisation (all 4,096 exchanges of utterances) and Student's t",
         "trials:exact"),
        ("reference odd other bad --on-mismatch skip --format latex",
         "all scores: of the 148 utterances that no prediction skips (skipped: 1 of odd, 1 of other, 0 of bad).",
         "skipped:1+1+0|compared:148|n:150"),
    ],
)  # fmt: skip
def test_the_legend_says_how_the_systems_were_compared(
    files: Path, capsys: pytest.CaptureFixture[str], line: str, legend: str, field: str
) -> None:
    write("odd", ["xyz", *PREDICTION[1:]])
    write("other", [*SYSTEMS["good"][:2], "xyz", *SYSTEMS["good"][3:]])
    for name, rows in (("few", REFERENCE), ("few-good", PREDICTION), ("few-bad", SYSTEMS["bad"])):
        write(name, rows[:12])
    run(*line.split())
    output = capsys.readouterr().out
    assert legend in output
    assert f"|{field}|" in output.replace("\\textbar{}", "|").replace("\\_", "_")


def test_csv_has_a_row_for_each_score_and_system(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["reference", "random", "good", "perfect"]
    found = printed(capsys, *arguments)
    run(*arguments, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [(row["score"], row["system"]) for row in rows] == [
        (key, name) for key in DEFAULT_KEYS for name in ("random", "good", "perfect")
    ]
    for row in rows:
        system, key = found["systems"][row["system"]], row["score"]
        assert [float(row[name]) for name in ("value", "low", "high")] == [
            system["scores"][key],
            *system["intervals"][key],
        ]
        names = {"low": "difference_low", "high": "difference_high"}
        if row["system"] == "random":
            assert {row[names.get(name, name)] for name in DIFFERENCES} == {""}
        else:
            differences = system["differences"][key]
            assert [float(row[names.get(name, name)]) for name in DIFFERENCES] == pytest.approx(
                [math.nan if differences[name] is None else differences[name] for name in DIFFERENCES], nan_ok=True
            )
        # Of equal values each is the best.
        best = found["best"].get(key, {"system": "", "not_worse": []})
        is_best = bool(best["system"]) and system["scores"][key] == found["systems"][best["system"]]["scores"][key]
        assert row["best"] == str(is_best)
        assert row["not_worse"] == str(row["system"] in best["not_worse"])
        assert row["signature"] == found["signature"]


def test_a_margin_says_what_is_equivalent(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["reference", "perfect", "good", "bad", "--margin", "0.05", "--scores", "token"]
    found = printed(capsys, *arguments)
    assert found["margin"] == 0.05
    said = {name: found["systems"][name]["differences"]["token_fscore"]["against_margin"] for name in ("good", "bad")}
    assert said == {"good": "equivalent", "bad": "inferior"}
    assert "against_margin" not in found["systems"]["bad"]["differences"]["token_recall"]
    run(*arguments)
    output = capsys.readouterr().out
    rows = rows_of(output)
    tested = ["difference", "p", "detectable", "won–tied–lost", "margin 0.05"]
    assert rows["score"] == ["perfect", "good", *tested, "bad", *tested]
    assert (rows["token_fscore"][6], rows["token_fscore"][12]) == ("equivalent", "inferior")
    assert "equivalent if the interval of the difference lies within 0.05 of 0" in output
    run(*arguments, "--format", "csv")
    table = pandas.read_csv(io.StringIO(capsys.readouterr().out), keep_default_na=False)
    assert set(table["against_margin"]) <= {"", "equivalent", "inconclusive", "inferior"}
    assert set(table["verdict"]) <= {"", "worse", "not distinguishable"}


def test_predictions_of_one_name_are_runs(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("run1", SYSTEMS["random"])
    write("run2", SYSTEMS["bad"])
    systems = {"a": runs(SYSTEMS["random"], SYSTEMS["bad"]), "good": SYSTEMS["good"]}
    expected = compare(REFERENCE, systems, text_format="words")
    paths = {"a": [Path("run1"), Path("run2")], "good": Path("good")}
    assert compare(Path("reference"), paths, text_format="words").to_json() == expected.to_json()
    for arguments in (["a=run1", "a=run2", "good"], ["a=run*", "good"]):
        found = printed(capsys, "reference", *arguments)
        assert found["systems"] == json.loads(expected.to_json())["systems"]
        assert [entry["path"] for entry in found["predictions"]] == ["run1, run2", "good"]
        assert "|runs:2+1|" in found["signature"]
    # If the reference has parts, those of a pattern are the parts of one prediction.
    for name, rows in (("r", REFERENCE), ("p", SYSTEMS["random"]), ("q", SYSTEMS["good"])):
        write(f"{name}-1", rows[:50])
        write(f"{name}-2", rows[50:])
    found = printed(capsys, "r-*", "p=p-*", "q=q-*")
    assert {name: system["runs"] for name, system in found["systems"].items()} == {"p": 1, "q": 1}
