"""`segmentation-scores correlate`: what a table may look like, what comes out, and bad tables."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path

import pytest

from segscores.command import score_tables

from .running import run_command

pytestmark = pytest.mark.filterwarnings("ignore:.*fewer than 10 is very uncertain")

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


def test_quoted_cells_and_numbers_in_any_notation():
    lines = ['name,"a, b",map', '"x, y",1e-3,1', "z, .5 ,2"]
    assert score_tables.read_scores(lines, "map") == ({"a, b": [0.001, 0.5]}, [1, 2])


def test_a_name_of_digits_is_no_number():
    assert score_tables.read_scores(["name,f", "1_0,1", "2_0,2"], "f") == ({}, [1.0, 2.0])


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


def test_constant_score_comes_last_without_a_correlation_and_families_may_repeat(tmp_path, capsys):
    path = tmp_path / "table.csv"
    path.write_text("family,s,same,f,map\nCRF,a,1,1,1\nCRF,b,1,2,3\nrules,c,1,3,2\n", encoding="utf-8")
    run(str(path), "--criterion", "map", "--format", "json")
    first, last = json.loads(capsys.readouterr().out)
    assert (first["score"], first["n"], last["score"], last["pearson"]) == ("f", 3, "same", None)


def test_the_named_score_is_compared_with_the_others(tmp_path, capsys):
    path = tmp_path / "table.csv"
    path.write_text(TABLE.replace("CRF,1,4", "CRF,1,3.5"), encoding="utf-8")
    run(str(path), "--criterion", "map", "--against", "f", "--confidence", "0.8", "--format", "json")
    rows = {row["score"]: row for row in json.loads(capsys.readouterr().out)}
    assert rows["f"]["williams_p"] is None
    assert 0 < rows["p"]["williams_p"] < 1
    # artanh 0.8 = 1.09861; the 90 % quantile of the normal distribution is 1.28155; n - 3 = 1.
    assert rows["f"]["pearson_high"] == pytest.approx(math.tanh(1.09861 + 1.28155), abs=1e-5)
    with pytest.raises(ValueError, match=r"^--against: expected one of the scores f, p; received 'q'\."):
        run(str(path), "--criterion", "map", "--against", "q")


@pytest.mark.parametrize("names", ["a", "a,old", ","])
def test_rows_of_utterances_are_not_systems(tmp_path, monkeypatch, names):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{names},{line},0.{line}\n" for line in range(1, 4))
    Path("u.csv").write_text("system" + ",note" * names.count(",") + ",line,f\n" + rows, encoding="utf-8")
    with pytest.raises(
        ValueError, match=r"u\.csv: lines 2 and 3: both are of the system .*; expected a row per system\."
    ):
        run("u.csv", "--criterion", "f")
