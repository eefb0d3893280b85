"""`segscores compare`: as Python compares, with the best marked, and how the systems were compared."""

import csv
import io
import json
import re
from pathlib import Path

import pytest

from segscores.results.json_text import as_json
from segscores.statistics.system_comparison import compare, runs

from ...command_runs import write_files
from ...corpora import random_corpus_pair, words_text
from ...naive import DEFAULT_KEYS
from .cells import CELLS

REFERENCE, PREDICTION = map(words_text, random_corpus_pair(150, seed=1, units="abc"))
#: Wrong in every utterance that can be, in one, in none, and anywhere.
SYSTEMS = {
    "bad": ["".join(line.split()) for line in REFERENCE],
    "good": [*REFERENCE[:-1], "".join(REFERENCE[-1].split())],
    "perfect": REFERENCE,
    "random": PREDICTION,
}
FILES = {
    "reference": REFERENCE, **SYSTEMS,
    "odd": ["xyz", *PREDICTION[1:]], "other": [*SYSTEMS["good"][:2], "xyz", *SYSTEMS["good"][3:]],
    "few": REFERENCE[:12], "few-good": PREDICTION[:12], "few-bad": SYSTEMS["bad"][:12],
}  # fmt: skip
TESTED = ["difference", "p", "smallest detectable", "won–tied–lost"]


def rows_of(output: str) -> dict[str, list[str]]:
    """The cells of a table by score."""
    return {row[0]: row[1:] for row in CELLS["table"](output.partition("\n\n")[0])}


@pytest.mark.parametrize("piece_bytes", [1 << 20, 16])
@pytest.mark.parametrize(
    ("line", "options"),
    [
        ("", {}),
        ("--confidence 0.8 --seed 7 --baseline good", {"confidence": 0.8, "seed": 7, "baseline": "good"}),
        ("--scores windows,rates,word_error", {"scores": ["windows", "rates", "word_error"]}),
    ],
)
def test_json_has_what_lists_give(found, monkeypatch, piece_bytes, line, options):
    monkeypatch.setattr("segscores.reading.sources.source.PIECE_BYTES", piece_bytes)
    reference, *predictions = (FILES[name][:40] for name in ("reference", "random", "good", "bad"))
    systems = dict(zip(("random", "good", "bad"), predictions, strict=True))
    write_files({"reference": reference, **systems})
    result = found(f"compare reference random good bad {line}")
    assert result.pop("record")["command"].startswith("segscores compare reference random good bad")
    expected = compare(reference, systems, text_format="words", **options).to_dict()
    assert result.pop("reference") == "reference"
    assert result.pop("schema") == 1
    assert [each["prediction"] for each in result.pop("predictions")] == [*expected["systems"]]
    assert result == json.loads(as_json(expected))


def test_a_table_has_a_row_a_score_and_the_columns_of_each_system(found, printed):
    line = "compare reference random good bad --baseline good"
    systems = found(line)["systems"]
    header, *rows = rows_of(printed(line)).items()
    assert header == ("score", ["good", "random", *TESTED, "bad", *TESTED])
    assert [row[0] for row in rows] == list(DEFAULT_KEYS)
    for key, cells in rows:
        expected = []
        for name in ("good", "random", "bad"):
            low, high = systems[name]["intervals"][key]
            is_undefined = key in systems[name]["undefined"]
            expected.append("–" if is_undefined else f"{systems[name]['scores'][key]:.4f} [{low:.4f}, {high:.4f}]")
            if name != "good" and is_undefined:
                expected += ["–", "–", "–", ""]
            elif name != "good":
                difference = systems[name]["differences"][key]
                expected.append("{difference:+.4f} [{low:+.4f}, {high:+.4f}]".format(**difference))
                # Only the p-values of the primary score are corrected.
                p_value = difference["p_corrected" if key == "token_fscore" else "p_value"]
                expected += ["–" if value is None else f"{value:.2g}" for value in (p_value, difference["detectable"])]
                expected.append("{won}–{tied}–{lost}".format(**difference))
        assert [re.sub(r"\*|†", "", cell) for cell in cells] == expected


def test_the_best_is_marked_and_what_is_not_significantly_worse(printed):
    output = printed("compare reference bad good perfect --scores token,tnr --primary token_tnr")
    for key, cells in list(rows_of(output).items())[1:]:
        for cell, mark in zip((cells[0], cells[1], cells[6]), ("", "†", r"\*"), strict=True):
            assert re.fullmatch(rf"\d\.\d{{4}}{mark if key == 'token_tnr' else ''} \[.*", cell), key
    assert "* best by token_tnr, the primary score.\n† not distinguishable from the best by token_tnr (p" in output
    assert "ranks by token_tnr that the significant differences leave possible: bad 3, good 1–2, perfect 1–2" in output


@pytest.mark.parametrize(
    ("line", "legend", "field"),
    [
        ("reference perfect good bad",
         "p: paired randomisation (10,000 trials); of type scores, Student's t alone", "trials:10000-0"),
        ("reference perfect good bad", "Report the p of token_fscore, the primary score, corrected for several systems (Holm).",
         "n:150"),
        ("reference perfect good bad --scores type", "p: Student's t. Report the p of type_fscore", "n:150"),
        ("few few-good few-bad", "p: the larger of paired randomisation (all 4,096 exchanges of utterances) and Student's t",
         "trials:exact"),
        ("reference odd other bad --on-error skip --format latex",
         "all scores: of the 148 utterances that no prediction skips (skipped: 1 of odd, 1 of other, 0 of bad).",
         "skipped:1+1+0|compared:148"),
    ],
)  # fmt: skip
def test_the_legend_says_how_the_systems_were_compared(printed, line, legend, field):
    output = printed(f"compare {line}")
    assert legend in output
    assert f"|{field}|" in output.replace("\\textbar{}", "|").replace("\\_", "_")


@pytest.mark.parametrize(
    ("line", "start", "end"),
    [
        ("bad good", "good is better than bad by token_fscore: +", ""),
        ("good bad --percent", "bad is worse than good by token_fscore: -", ""),
        ("bad good --primary window_diff --scores windows", "good is better than bad by window_diff: -", ""),
        ("perfect good", "No difference between good and perfect is shown by token_fscore: -",
         "; that they are equal is not shown either"),
        ("perfect good --margin 0.05", "No difference between good and perfect is shown by token_fscore: -",
         "; by the margin of 0.05: equivalent"),
    ],
)  # fmt: skip
def test_a_sentence_says_which_of_two_systems_is_better(printed, line, start, end):
    output = printed(f"compare reference {line}")
    answer = output.split("\n\n")[1]
    key = re.search(r"by (\w+):", start)[1]
    difference, p_value = rows_of(output)[key][2:4]
    assert answer == f"{start[:-1]}{difference}, p = {p_value}{end}."
    assert difference[0] == start[-1]
    assert "shown by" not in printed("compare reference perfect good bad")


def test_a_margin_says_what_is_equivalent(found, printed):
    line = "compare reference perfect good bad --margin 0.05 --scores token"
    result, output = found(line), printed(line)
    differences = {name: result["systems"][name]["differences"] for name in ("good", "bad")}
    said = {name: each["token_fscore"]["against_margin"] for name, each in differences.items()}
    assert (result["margin"], said) == (0.05, {"good": "equivalent", "bad": "inferior"})
    assert "against_margin" not in differences["bad"]["token_recall"]
    rows = rows_of(output)
    assert rows["score"] == ["perfect", "good", *TESTED, "margin 0.05", "bad", *TESTED, "margin 0.05"]
    assert (rows["token_fscore"][6], rows["token_fscore"][12]) == ("equivalent", "inferior")
    assert "equivalent if the interval of the difference lies within 0.05 of 0" in output
    rows = list(csv.DictReader(io.StringIO(printed(f"{line} --format csv"))))
    assert {row["against_margin"] for row in rows} <= {"", "equivalent", "inconclusive", "inferior"}
    assert {row["verdict"] for row in rows} <= {"", "worse", "not distinguishable"}


def test_predictions_of_one_name_are_runs(found):
    write_files({"run1": SYSTEMS["random"], "run2": SYSTEMS["bad"]})
    systems = {"a": runs(SYSTEMS["random"], SYSTEMS["bad"]), "good": SYSTEMS["good"]}
    expected = compare(REFERENCE, systems, text_format="words")
    paths = {"a": [Path("run1"), Path("run2")], "good": Path("good")}
    assert compare(Path("reference"), paths, text_format="words").to_json() == expected.to_json()
    for line in ("a=run1 a=run2 good", "a=run* good"):
        result = found(f"compare reference {line}")
        assert result["systems"] == json.loads(expected.to_json())["systems"]
        assert [entry["path"] for entry in result["predictions"]] == ["run1, run2", "good"]
        assert "|runs:2+1|" in result["signature"]
    # If the reference has parts, those of a pattern are the parts of one prediction.
    for name, rows in (("r", REFERENCE), ("p", SYSTEMS["random"]), ("q", SYSTEMS["good"])):
        write_files({f"{name}-1": rows[:50], f"{name}-2": rows[50:]})
    result = found("compare r-* p=p-* q=q-*")
    assert {name: system["runs"] for name, system in result["systems"].items()} == {"p": 1, "q": 1}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(("key", "old", "new"), [("token_fscore", 0.4, (0, 1)), ("word_error_rate", 2 / 3, (1, 0))])
def test_utterances_in_which_a_system_is_worst_against_the_baseline_come_first(printed, key, old, new):
    bad, good = new
    sides = {"old": ["ab c", "d e", "", "f gh", "xy"], "new": ["a b c", "de", "", "f g h", "xyz"]}
    write_files({"r": ["a b c", "d e", "", "f g h", "xy"], **sides})
    line = f"compare r old new --on-error skip --scores token,word_error --primary {key} --per-utterance"
    printed(f"{line} u.csv")
    printed(f"{line} u.jsonl")
    # The last line is skipped, and the score of the blank line is undefined.
    expected = [(2, bad, good, bad - good), (1, good, old, good - old), (4, good, old, good - old), (3, *[None] * 3)]
    names = ["system", "line", key, "baseline", "difference"]
    rows = [json.loads(row) for row in Path("u.jsonl").read_text("utf-8").splitlines()]
    assert rows == [pytest.approx(dict(zip(names, ("new", *row), strict=True))) for row in expected]
    cells = [["" if value is None else str(value) for value in row.values()] for row in rows]
    assert [*csv.reader(Path("u.csv").read_text("utf-8").splitlines())] == [names, *cells]
    first = {name: lines[:4] for name, lines in sides.items()}
    python = compare(
        ["a b c", "d e", "", "f g h"], first, text_format="words", primary=key, scores=["token", "word_error"]
    )
    assert [row["utterance"] + 1 for row in python.per_utterance()] == [row["line"] for row in rows]


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_utterances_of_several_runs_have_mean_scores():
    found = compare(
        ["a b", "c d e"], {"old": ["ab", "c d e"], "new": runs(["a b", "c d e"], ["ab", "cd e"])},
        text_format="words", primary="token_recall",
    )  # fmt: skip
    columns = ("utterance", "token_recall", "baseline")
    assert [tuple(row[name] for name in columns) for row in found.per_utterance()] == [
        (1, pytest.approx((1 + 1 / 3) / 2), 1.0),
        (0, 0.5, 0.0),
    ]
