"""`segmentation-scores compare`: as Python compares, in every format, with the best marked; and bad input."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas
import pytest

from segscores import __version__, score
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
        (["--average", "macro"], {"average": "macro"}),
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
    monkeypatch.setattr("segscores.sources.fold.PART_BYTES", part_bytes)
    found = printed(capsys, "reference", "random", "good", "bad", *arguments)
    systems = {name: SYSTEMS[name] for name in ("random", "good", "bad")}
    expected = compare(REFERENCE, systems, text_format="words", **options).to_dict()
    assert (found.pop("reference"), found.pop("signature").split("|")[0]) == ("reference", "segscores")
    assert found.pop("schema") == 1
    assert [entry["prediction"] for entry in found.pop("predictions")] == list(expected["systems"])
    assert found == json.loads(as_json(expected))


def test_values_are_the_official_scores(shared_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = shared_data / "brent"
    paths = [folder / f"predicted_{name}.txt" for name in ("tp", "puddle")]
    found = printed(capsys, folder / "reference.txt", *paths)["systems"]
    official = [
        json.loads((folder / f"official_scores_{name}.json").read_text(encoding="utf-8")) for name in ("tp", "puddle")
    ]
    for path, expected in zip(paths, official, strict=True):
        scores = found[Path(path).name]["scores"]
        assert scores == pytest.approx(expected["wordseg"] | {"token_tnr": expected["token_tnr"]}, rel=0, abs=1e-12)
    for key, value in official[1]["wordseg"].items():
        difference = found[paths[1].name]["differences"][key]
        assert difference["difference"] == pytest.approx(value - official[0]["wordseg"][key], rel=0, abs=1e-12)
        assert difference["low"] < difference["difference"] < difference["high"]


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


def test_where_lower_is_better_the_lowest_is_marked(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("reference", "bad", "perfect", "--scores", "word_error")
    rows = rows_of(capsys.readouterr().out)
    assert rows["word_error_rate"][1].startswith("0.0000* ")
    assert "*" not in rows["word_error_rate"][0]


def test_where_no_value_is_better_nothing_is_marked(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("words", ["a", "b", "ab", "bc"] + [word for line in REFERENCE[:75] for word in line.split()])
    arguments = ["reference", "bad", "perfect", "--vocabulary", "words", "--scores", "oov", "--decide-by", "oov_rate"]
    run(*arguments)
    assert all(not set("*†") & set(cell) for cell in rows_of(capsys.readouterr().out)["oov_rate"])
    assert printed(capsys, *arguments)["best"]["oov_rate"] == {
        "system": None,
        "not_worse": [],
        "p_values": {},
        "ranks": {},
    }


def test_identical_systems_do_not_differ_and_are_both_the_best(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("again", SYSTEMS["random"])
    found = printed(capsys, "reference", "random", "again")["systems"]["again"]["differences"]
    for difference in found.values():
        low, high = (difference[f"{name}"] for name in ("low", "high"))
        assert 0 < high == -low < 0.05, "what 150 utterances without a difference exclude"
        assert [difference[name] for name in DIFFERENCES if name[:3] in ("dif", "p_v", "won", "los")] == [
            0.0,
            1.0,
            0,
            0,
        ]
    run("reference", "random", "again")
    for key, cells in list(rows_of(capsys.readouterr().out).items())[1:]:
        assert cells[0] == cells[1]
        assert ("*" in cells[0]) == (key == "boundary_all_fscore")
        assert cells[2].startswith("+0.0000 [-0.0")
        assert cells[3:] == ["1", "0", "0–150–0"]


def test_a_baseline_may_be_chosen_and_changes_signs_alone(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = printed(capsys, "reference", "random", "good")
    second = printed(capsys, "reference", "random", "good", "--baseline", "good")
    assert (first["baseline"], second["baseline"]) == ("random", "good")
    assert list(second["systems"]) == ["good", "random"]
    for key, difference in first["systems"]["good"]["differences"].items():
        other = second["systems"]["random"]["differences"][key]
        assert other["difference"] == -difference["difference"]
        assert (other["low"], other["high"]) == pytest.approx((-difference["high"], -difference["low"]), abs=1e-12)
        for name, turned in (("p_value", "p_value"), ("won", "lost"), ("tied", "tied"), ("lost", "won")):
            assert other[turned] == difference[name]
        if key == first["decide_by"]:
            assert {difference["verdict"], other["verdict"]} in ({"better", "worse"}, {"not distinguishable"})
    for key, best in first["best"].items():
        assert best == second["best"][key]


def naive_holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """The largest of the multiplied p-values up to and with each."""
    ordered = sorted(p_values, key=p_values.__getitem__)
    multiplied = {name: (len(ordered) - rank) * p_values[name] for rank, name in enumerate(ordered)}
    return {
        name: min(1.0, max(multiplied[other] for other in ordered[: rank + 1])) for rank, name in enumerate(ordered)
    }


def test_p_values_of_several_systems_are_corrected(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["reference", "perfect", "good", "random", "bad"]
    found = printed(capsys, *arguments)["systems"]
    others = [name for name in found if name != "perfect"]
    assert len(others) == 3
    raw, corrected = (
        {name: found[name]["differences"]["boundary_all_fscore"][test] for name in others}
        for test in ("p_value", "p_corrected")
    )
    assert corrected == pytest.approx(naive_holm(raw))
    run(*arguments)
    legend = capsys.readouterr().out
    assert (
        "p: the larger of paired randomisation (10,000 trials) and Student's t; of type scores, Student's t" in legend
    )
    assert "is the one to report, corrected for several systems (Holm)" in legend
    run(*arguments, "--scores", "type")
    assert "p: Student's t. That of type_fscore is the one to report" in capsys.readouterr().out


@pytest.mark.filterwarnings("ignore:.*have different units on the two sides:UserWarning")
def test_utterances_that_one_system_skips_are_left_out_for_all(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("odd", ["xyz", *PREDICTION[1:]])
    write("other", [*SYSTEMS["good"][:2], "xyz", *SYSTEMS["good"][3:]])
    arguments = ["reference", "odd", "other", "bad", "--on-mismatch", "skip"]
    found = printed(capsys, *arguments)
    kept = [index for index in range(len(REFERENCE)) if index not in {0, 2}]
    for name, lines in (("odd", PREDICTION), ("other", SYSTEMS["good"]), ("bad", SYSTEMS["bad"])):
        expected = score([REFERENCE[index] for index in kept], [lines[index] for index in kept], text_format="words")
        scores = found["systems"][name]["scores"]
        assert {key: scores[key] for key in expected} == expected
        for key, difference in found["systems"][name]["differences"].items():
            assert difference["score"] == scores[key]
    assert {name: system["skipped"] for name, system in found["systems"].items()} == {"odd": 1, "other": 1, "bad": 0}
    assert found["utterances"] == len(REFERENCE) - 2
    assert (
        f"|mismatch:skip|avg:micro|zero:0|ci:95-jackknife|trials:10000-0|skipped:1+1+0|compared:148|n:{len(REFERENCE)}|"
        in found["signature"]
    )
    for form in ("table", "latex"):
        run(*arguments, "--format", form)
        legend = "all scores: of the 148 utterances that no prediction skips (skipped: 1 of odd, 1 of other, 0 of bad)."
        assert legend in capsys.readouterr().out


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


def test_few_utterances_are_exchanged_in_every_way(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("reference", "random", "bad"):
        write(name, Path(name).read_text(encoding="utf-8").split("\n")[:12])
    found = printed(capsys, "reference", "random", "bad")
    assert (found["trials"], found["exact"]) == (4096, True)
    assert "|trials:exact|" in found["signature"]
    run("reference", "random", "bad")
    assert (
        "p: the larger of paired randomisation (all 4,096 exchanges of utterances) and Student's t"
        in capsys.readouterr().out
    )


def test_the_signature_has_the_options(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--confidence", "0.9", "--seed", "5"]
    assert (
        f"segscores|text:words|avg:micro|zero:0|ci:90-jackknife|trials:10000-5|n:150|v:{__version__}"
        == printed(capsys, "reference", "random", "good", *options)["signature"]
    )


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
