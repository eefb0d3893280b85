"""`segmentation-scores correlate`: what a table may look like, what comes out, and bad tables."""

from __future__ import annotations

import io
import json
import math
import sys
from pathlib import Path

import pytest

from segscores.command import correlate
from segscores.command.cli import build_parser

#: Against map: f has r = 0.8 (see test_meta), p falls as it rises.
TABLE = "system,f,p,map,note\nCRF,1,4,0.1,old\n2,2,3,0.2,\njieba,4,2,0.3,new\nrules,3,1,0.4,\n"


def run(*arguments: str) -> None:
    parser = build_parser()
    options = parser.parse_args(["correlate", *arguments])
    options.run(options)


@pytest.mark.parametrize("change", [str, lambda text: text.replace(",", "\t"), lambda text: "\ufeff" + text + "\n\n"])
def test_columns_of_numbers_are_correlated(tmp_path, capsys, change):
    path = tmp_path / "table"
    path.write_text(change(TABLE), encoding="utf-8")
    run(str(path), "--criterion", "map", "--format", "json")
    rows = json.loads(capsys.readouterr().out)
    assert [row["score"] for row in rows] == ["p", "f"]
    assert [row["pearson"] for row in rows] == pytest.approx([-1, 0.8])
    assert [row["n"] for row in rows] == [4, 4]


def test_standard_input(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TABLE.encode())))
    run("-", "--criterion", "map")
    header, _, first, _ = capsys.readouterr().out.splitlines()
    assert header.split()[:2] == ["score", "pearson"]
    assert first.split()[:2] == ["p", "-1.0000"]


@pytest.mark.parametrize("form", ["table", "json", "csv", "markdown", "latex"])
def test_every_format_has_every_score(tmp_path, capsys, form):
    Path(tmp_path / "table.csv").write_text(TABLE, encoding="utf-8")
    run(str(tmp_path / "table.csv"), "--criterion", "map", "--format", form)
    output = capsys.readouterr().out
    assert "spearman" in output
    assert len([line for line in output.splitlines() if "0.8" in line or "0.79" in line]) >= 1


def test_quoted_cells_and_numbers_in_any_notation():
    table = correlate.read_table(['name,"a, b"', '"x, y",1e-3', "z, .5 "])
    assert table == correlate.Table({"a, b": [0.001, 0.5]}, ("name",))


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
    ],
)
def test_bad_tables_name_the_file_and_the_place(tmp_path, monkeypatch, text, criterion, message):
    monkeypatch.chdir(tmp_path)
    Path("table.csv").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=f"table.csv: .*{message}"):
        run("table.csv", "--criterion", criterion)


def test_missing_file_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=r"^none\.csv: there is no such file"):
        run("none.csv", "--criterion", "map")


def test_bytes_that_are_not_text_are_rejected(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("table.csv").write_bytes(b"s,f\na,\xff\n")
    with pytest.raises(ValueError, match=r"table\.csv, line 2: the byte 0xff"):
        run("table.csv", "--criterion", "f")


def test_constant_score_comes_last_without_a_correlation(tmp_path, capsys):
    path = tmp_path / "table.csv"
    path.write_text("s,same,f,map\na,1,1,1\nb,1,2,3\nc,1,3,2\n", encoding="utf-8")
    run(str(path), "--criterion", "map", "--format", "csv")
    last = capsys.readouterr().out.splitlines()[-1].split(",")
    assert last[0] == "same"
    assert math.isnan(float(last[1]))
