"""`segmentation-scores correlate`: what a table may look like, what comes out, and bad tables."""

from __future__ import annotations

import gzip
import json
import math
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

import segscores
from segscores.command import score_tables
from segscores.command.main import main
from segscores.statistics.correlation import correlate_utterances
from segscores.support.json_text import as_json

from .running import run_command

#: Against map: f has r = 0.8 (see test_meta), p falls as it rises.
TABLE = "system,f,p,map,note\nCRF,1,4,0.1,old\n2,2,3,0.2,\njieba,4,2,0.3,new\nrules,3,1,0.4,\n"


def run(*arguments: str) -> None:
    run_command("correlate", *arguments)


@pytest.mark.parametrize("change", [str, lambda text: text.replace(",", "\t"), lambda text: "\ufeff" + text + "\n\n"])
def test_columns_of_numbers_are_correlated(tmp_path, capsys, change):
    path = tmp_path / "table"
    path.write_text(change(TABLE), encoding="utf-8")
    run(str(path), "--criterion", "map", "--format", "json")
    rows = json.loads(capsys.readouterr().out)
    assert [row["score"] for row in rows] == ["p", "f"]
    assert [row["pearson"] for row in rows] == pytest.approx([-1, 0.8])
    assert [row["n"] for row in rows] == [4, 4]


@pytest.mark.parametrize("form", ["table", "json", "csv", "markdown", "latex"])
def test_every_format_has_every_score(tmp_path, capsys, form):
    Path(tmp_path / "table.csv").write_text(TABLE, encoding="utf-8")
    run(str(tmp_path / "table.csv"), "--criterion", "map", "--format", form)
    output = capsys.readouterr().out
    assert "spearman" in output
    assert len([line for line in output.splitlines() if "0.8" in line or "0.79" in line]) >= 1


def test_quoted_cells_and_numbers_in_any_notation():
    table = score_tables.read_table(score_tables.read_rows(['name,"a, b"', '"x, y",1e-3', "z, .5 "]))
    assert table == score_tables.Table({"a, b": [0.001, 0.5]}, ("name",))


def test_a_name_of_digits_is_no_number():
    table = score_tables.read_table(score_tables.read_rows(["name,f", "1_0,1", "2_0,2"]))
    assert table == score_tables.Table({"f": [1.0, 2.0]}, ("name",))


def test_a_cell_may_have_several_lines():
    rows = score_tables.read_rows(["name,f", '"a', 'b",1', "ab,2"])
    assert rows.cells == {2: ["a\nb", "1"], 4: ["ab", "2"]}


@pytest.mark.parametrize("ending", [".jsonl", ".ndjson", ".jsonl.gz", ".json"])
def test_json_lines_of_any_name_are_those_of_the_sides(tmp_path, capsys, ending):
    rows = [("a", 1, 2), ("b", 2, 3), ("c", 3, 1)]
    lines = "".join(json.dumps(dict(zip(("s", "f", "map"), row, strict=True))) + "\n" for row in rows).encode()
    path = tmp_path / f"table{ending}"
    path.write_bytes(gzip.compress(lines) if ending.endswith(".gz") else lines)
    run(str(path), "--criterion", "map", "--format", "json")
    (row,) = json.loads(capsys.readouterr().out)
    assert row["pearson"] == pytest.approx(-0.5)


def test_json_nested_too_deeply_names_the_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("table.jsonl").write_text("\n" + "[" * 100_000 + "\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"table\.jsonl: line 2: this is not JSON"):
        run("table.jsonl", "--criterion", "map")


@pytest.mark.parametrize(
    ("text", "criterion", "message"),
    [
        (TABLE, "ndcg", "no column 'ndcg': the columns of numbers are f, p, map"),
        (TABLE, "note", "the column 'note' does not consist of numbers"),
        ("", "map", "the table is empty"),
        ("system,map\n", "map", "header only"),
        ("system,map\na,1\nb,2\n", "map", "nothing to correlate"),
        ("system,f,map\na,1,2\nb,2,3\n", "map", "2 systems: expected at least 3"),
        ("s,f,map\na,1,2\n\nb,3\nc,1,2\n", "map", "line 4: 2 cells; expected 3"),
        ("s,f,map\na,1,2\nb,,3\nc,1,2\n", "map", "line 3: '' in the column 'f'; expected a finite number"),
        ("s,f,map\na,1,2\nb,3,3\nc,nan,2\n", "map", "line 4: 'nan' in the column 'f'; expected a finite number"),
        ("s,f,f\na,1,2\n", "f", "line 1: two columns are called 'f'"),
        ("s,,f\na,1,2\n", "f", "line 1: column 2 has no name"),
        (TABLE.replace("\n", "\r"), "map", r"its lines end in CR alone, as on old Macs"),
        ("system,f,map\na,1,1\nb,2\r3,2\n", "map", r"line 3: this is not a row of a table"),
        ("system,f\rg,map\na,1,1\n", "map", r"line 1: this is not a row of a table"),
        # A quotation mark that nothing closes would hold the rest of the file.
        ('f,map,s\n1,2,a\n2,3,"b\n3,1,c\n4,5,d\n5,4,e\n', "map", r"line 3: this is not a row of a table"),
        ('s,f,map\n"a\n1",1,2\nb,3\n', "map", "line 4: 2 cells; expected 3"),
    ],
)
def test_bad_tables_name_the_file_and_the_place(tmp_path, monkeypatch, text, criterion, message):
    monkeypatch.chdir(tmp_path)
    Path("table.csv").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=f"table.csv: .*{message}"):
        run("table.csv", "--criterion", criterion)


def test_constant_score_comes_last_without_a_correlation(tmp_path, capsys):
    path = tmp_path / "table.csv"
    path.write_text("s,same,f,map\na,1,1,1\nb,1,2,3\nc,1,3,2\n", encoding="utf-8")
    run(str(path), "--criterion", "map", "--format", "csv")
    last = capsys.readouterr().out.splitlines()[-1].split(",")
    assert last[0] == "same"
    assert math.isnan(float(last[1]))


#: Scores of utterances, in no order; the system 10 comes after 2.
UTTERANCES = (
    "system,line,f,p,judged,note\n2,1,.5,4,1,x\n2,2,.6,3,2,\n2,10,.4,3,1,\n10,2,.7,2,3,\n10,10,.9,1,2,\n10,1,.5,2,2,\n"
    "CRF,1,.9,0,4,\nCRF,2,.8,1,3,y\nCRF,10,.9,1,4,\nb,10,.2,5,1,\nb,2,.1,4,2,\nb,1,.3,4,1,\n"
)
MATRICES = {
    "f": [[0.5, 0.6, 0.4], [0.5, 0.7, 0.9], [0.9, 0.8, 0.9], [0.3, 0.1, 0.2]],
    "p": [[4, 3, 3], [2, 2, 1], [0, 1, 1], [4, 4, 5]],
}
JUDGED = [[1, 2, 1], [2, 3, 2], [4, 3, 4], [1, 2, 1]]
LONG = ("--system", "system", "--utterance", "line")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def printed(capsys, *arguments):
    run(*arguments, "--format", "json")
    return json.loads(capsys.readouterr().out)


def expected_rows(criterion, **options):
    rows = correlate_utterances({name: np.array(table) for name, table in MATRICES.items()}, criterion, **options)
    return json.loads(as_json([asdict(row) for row in rows]))


def test_scores_of_utterances_are_correlated(folder, capsys):
    Path("u.csv").write_text(UTTERANCES, encoding="utf-8")
    assert printed(capsys, "u.csv", "--criterion", "judged", *LONG) == expected_rows(np.array(JUDGED))
    options = ("--resamples", "50", "--trials", "70", "--seed", "3", "--confidence", "0.8")
    asked = {"n_resamples": 50, "n_trials": 70, "seed": 3, "confidence": 0.8}
    assert printed(capsys, "u.csv", "--criterion", "judged", *LONG, *options) == expected_rows(
        np.array(JUDGED), **asked
    )


def test_the_criterion_may_stand_in_another_table(folder, capsys):
    header, *rows = [line.split(",") for line in UTTERANCES.splitlines()]
    Path("u.csv").write_text("".join(",".join(row[:4]) + "\n" for row in (header, *rows)), encoding="utf-8")
    Path("j.tsv").write_text(
        "".join(f"{row[4]}\t{row[1]}\t{row[0]}\n" for row in (header, *rows[::-1])), encoding="utf-8"
    )
    of_utterances = ("u.csv", *LONG, "--criterion", "judged", "--criterion-table")
    assert printed(capsys, *of_utterances, "j.tsv") == expected_rows(np.array(JUDGED))
    Path("whole.csv").write_text("system,judged\nCRF,9\nb,1\n2,4\n10,6\n", encoding="utf-8")
    assert printed(capsys, *of_utterances, "whole.csv") == expected_rows(np.array([4.0, 6, 9, 1]))


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_what_score_writes_is_read(folder, capsys, ending):
    Path("r.txt").write_text("the dog is on\nthe boat\na little cat\n", encoding="utf-8")
    systems = {"a": "the dog is on\nthe boat\na lit tle cat\n", "b": "thedog is on\nthe boat\nalittle cat\n"}
    systems["c"] = "thedogison\nt he boat\na l i t t l e cat\n"
    for name, text in systems.items():
        Path(f"{name}.txt").write_text(text, encoding="utf-8")
    sides = ["r.txt", *(f"{name}={name}.txt" for name in systems)]
    assert main(["score", *sides, "--scores", "token_fscore", "--per-utterance", f"u.{ending}"]) == 0
    capsys.readouterr()
    Path("j.csv").write_text("prediction,judged\na,3\nb,2\nc,1\n", encoding="utf-8")
    columns = ("--system", "prediction", "--utterance", "line", "--criterion", "judged", "--criterion-table", "j.csv")
    (row,) = printed(capsys, f"u.{ending}", *columns)
    table = [[each["token_fscore"] for each in per_utterance(*read_lines("r.txt", f"{name}.txt"))] for name in systems]
    assert row["pearson"] == pytest.approx(np.corrcoef(np.mean(table, axis=1), [3, 2, 1])[0, 1])
    assert (row["n"], row["utterances"]) == (3, 3)


def read_lines(*names):
    return [Path(name).read_text(encoding="utf-8").splitlines() for name in names]


def per_utterance(*sides):
    return segscores.per_utterance(*sides, text_format="words", scores="token_fscore")


def test_utterances_without_a_number_are_left_out_on_request(folder, capsys):
    lines = UTTERANCES.replace("b,2,.1,4,2,\n", "").replace("CRF,10,.9,1,4", "CRF,10,nan,1,4")
    Path("u.csv").write_text(lines, encoding="utf-8")
    columns = ("u.csv", "--criterion", "judged", *LONG)
    with pytest.raises(
        ValueError, match=r"^u\.csv: line 10: 'f' has no number there; .* 2 utterances lack one: --on-error skip"
    ):
        run(*columns)
    Path("u.csv").write_text(UTTERANCES.replace("b,2,.1,4,2,\n", ""), encoding="utf-8")
    with pytest.raises(
        ValueError, match=r"the system 'b' has no row for line 2; .* 1 utterance lacks one: --on-error skip"
    ):
        run(*columns)
    with pytest.warns(UserWarning, match="left out for every system: 1 of 3 utterances"):
        rows = printed(capsys, *columns, "--on-error", "skip")
    kept = correlate_utterances(
        {name: np.array(table)[:, [0, 2]] for name, table in MATRICES.items()}, np.array(JUDGED)[:, [0, 2]]
    )
    assert [row["pearson"] for row in rows] == [row.pearson for row in kept]
    assert [row["utterances"] for row in rows] == [2, 2]


@pytest.mark.parametrize(
    ("change", "arguments", "message"),
    [
        (("", ""), ("--system", "system"), r"^--system and --utterance go together.*: add --utterance\.$"),
        (("", ""), ("--trials", "9"), r"^--trials is for a table of utterances: add --system COLUMN --utterance COLUMN\.$"),
        (("", ""), ("--on-error", "skip"), "^--on-error is for a table of utterances"),
        (("", ""), ("--confidence", "95"), r"confidence: expected a number between 0 and 1.*Did you mean 0\.95"),
        (("", ""), (*LONG[:3], "number"), "^u.csv: there is no column 'number': the columns are system, line, f"),
        (("", ""), (*LONG, "--criterion", "x"), "there is no column 'x': .* Or name its file with --criterion-table"),
        (("", ""), (*LONG, "--criterion", "note"), "the column 'note' does not consist of numbers"),
        (("b,2,", "b,1,"), LONG, r"^u\.csv: lines 12 and 13: both are of the system 'b', line 1; expected one row"),
        ((".8,1,3", "high,1,3"), LONG, r"^u\.csv: line 9: 'high' in the column 'f'; expected a finite number"),
        (("", ""), (*LONG, "--criterion-table", "j.csv", "--criterion", "g"), "there is no criterion for the system 'b', only"),
        (("", ""), (*LONG, "--criterion-table", "k.csv", "--criterion", "g"), r"the system 'z' has a criterion but no scores"),
        (("", ""), (*LONG, "--criterion-table", "k.csv", "--criterion", "f"), r"^k\.csv: there is no column 'f'"),
        (("", ""), (*LONG, "--criterion-table", "l.csv", "--criterion", "g"), r"^l\.csv: line 3: .*'g' has no number"),
        (("", ""), (*LONG, "--criterion-table", "m.csv", "--criterion", "judged"), "'judged' is a column here and in the"),
    ],
)  # fmt: skip
def test_bad_tables_of_utterances_name_the_place(folder, change, arguments, message):
    Path("u.csv").write_text(UTTERANCES.replace(*change) if change[0] else UTTERANCES, encoding="utf-8")
    Path("j.csv").write_text("system,g\n2,1\n10,2\nCRF,3\n", encoding="utf-8")
    Path("k.csv").write_text("system,g\n2,1\n10,2\nCRF,3\nb,4\nz,1\n", encoding="utf-8")
    Path("l.csv").write_text("system,g\n2,1\n10,\nCRF,3\nb,4\n", encoding="utf-8")
    Path("m.csv").write_text("system,judged\n2,1\n10,2\nCRF,3\nb,4\n", encoding="utf-8")
    criterion = () if "--criterion" in arguments else ("--criterion", "judged")
    with pytest.raises(ValueError, match=message):
        run("u.csv", *criterion, *arguments)


def test_rows_of_utterances_are_not_taken_for_systems_silently(folder, capsys):
    Path("u.csv").write_text(UTTERANCES.replace("CRF", "7").replace("b,", "a,"), encoding="utf-8")
    with pytest.warns(UserWarning, match="several rows are called '2', and each counts as a system.* --system system"):
        run("u.csv", "--criterion", "judged")
