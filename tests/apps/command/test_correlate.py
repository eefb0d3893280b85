"""`segscores correlate`: what a table may look like, and what comes out."""

import gzip
import math
from dataclasses import asdict

import pytest

import segscores
from segscores.apps.command import score_tables

from ...command_runs import write_files

#: Against map: f has r = 0.8 (see test_meta), p falls as it rises.
TABLE = "system,f,p,map,note\nCRF,1,4,0.1,old\n2,2,3,0.2,\njieba,4,2,0.3,new\nrules,3,1,0.4,\n"
LINE = "correlate t.csv --criterion map"
JSON_LINES = '{"s": "a", "f": 1, "map": 2}\n{"s": "b", "f": 2, "map": 3}\n{"s": "c", "f": 3, "map": 1}\n'


SEMICOLONS = TABLE.replace(",", ";")
EUROPEAN = SEMICOLONS.replace(".", ",")


@pytest.mark.parametrize(
    "text",
    [
        *(TABLE, TABLE.replace(",", "\t"), f"\ufeff{TABLE}\n\n", SEMICOLONS, EUROPEAN, EUROPEAN.replace("\n", "\r\n")),
        *(SEMICOLONS.replace("rules", "rules, old"), EUROPEAN.replace("rules", "rules 1.2, old")),
    ],
)
def test_columns_of_numbers_are_correlated(found, text):
    write_files({"t.csv": text})
    rows = found(LINE)
    assert [(row["score"], row["n"]) for row in rows] == [("p", 4), ("f", 4)]
    assert [row["pearson"] for row in rows] == pytest.approx([-1, 0.8])


def test_cells_may_be_quoted_and_names_have_digits_or_several_lines():
    lines = b'name,"a, b",map\n"x, y",1e-3,1\nz, .5 ,2\n'
    assert score_tables.read_scores(lines, "map") == ({"a, b": [0.001, 0.5]}, [1, 2])
    assert score_tables.read_scores(b"name,f\n1_0,1\n2_0,2\n", "f") == ({}, [1.0, 2.0])
    assert score_tables.read_scores(b'name,f\n"a\nb",1\nab,2\n', "f") == ({}, [1.0, 2.0])


@pytest.mark.parametrize("ending", [".jsonl", ".ndjson", ".jsonl.gz", ".json"])
def test_json_lines_of_any_name_belong_to_the_sides(found, ending):
    write_files({f"t{ending}": gzip.compress(JSON_LINES.encode()) if ending.endswith(".gz") else JSON_LINES})
    (row,) = found(f"correlate t{ending} --criterion map")
    assert row["pearson"] == pytest.approx(-0.5)


@pytest.mark.parametrize(
    ("name", "is_summary"), [("mean", True), ("Total:", True), ("mean field", False), ("rules 2", False)]
)
def test_a_last_row_that_sums_up_the_others_is_said(run, name, is_summary):
    write_files({"t.csv": f"{TABLE}{name},2.5,2.5,0.25,\n"})
    status, _, problem = run(LINE)
    assert (status, f"row 5: '{name}' counts as a system" in problem) == (0, is_summary)


def test_constant_score_comes_last_without_a_correlation_and_families_may_repeat(found):
    write_files({"t.csv": "family,s,same,f,map\nCRF,a,1,1,1\nCRF,b,1,2,3\nrules,c,1,3,2\n"})
    first, last = found(LINE)
    assert (first["score"], first["n"], last["score"], last["pearson"]) == ("f", 3, "same", None)


def test_the_named_score_is_compared_with_the_others(found, message):
    write_files({"t.csv": TABLE.replace("CRF,1,4", "CRF,1,3.5")})
    rows = {row["score"]: row for row in found(f"{LINE} --against f --confidence 0.8")}
    assert rows["f"]["williams_p"] is None
    scores = {"f": [1, 2, 4, 3], "p": [3.5, 3, 2, 1]}
    with pytest.warns(UserWarning, match="^4 systems"):
        in_python = segscores.correlate(scores, [0.1, 0.2, 0.3, 0.4], against="f", confidence=0.8)
    assert {row.score: list(asdict(row).values()) for row in in_python} == {
        name: pytest.approx([math.nan if value is None else value for value in row.values()], nan_ok=True)
        for name, row in rows.items()
    }
    assert 0 < rows["p"]["williams_p"] < 1
    # artanh 0.8 = 1.09861; the 90 % quantile of the normal distribution is 1.28155; n - 3 = 1.
    assert rows["f"]["pearson_high"] == pytest.approx(math.tanh(1.09861 + 1.28155), abs=1e-5)
    assert "--against: expected one of the scores f, p; received 'q'." in message(f"{LINE} --against q")
