"""Tests of what each subcommand prints in each format, from one tiny input: values by hand, names for people or programs."""

import csv
import html
import io
import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import jsonschema
import pytest

from segscores.results.rendering import JSON_SCHEMA
from segscores.scoring.measures.registry import GROUPS

from ...naive_groups import TEXT_GROUPS
from .cells import CELLS

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

SCHEMA = json.loads(files("segscores.apps.command").joinpath("output.schema.json").read_text(encoding="utf-8"))

#: "thedog" is wrong in p.txt and "ison" in q.txt: 2 of 3 predicted words are right, and 2 of the 4 of the reference.
FILES = {
    "r.txt": "the dog\nis on\n",
    "p.txt": "thedog\nis on\n",
    "q.txt": "the dog\nison\n",
    "r3.txt": "the dog\nis on\na b\n",
    "p3.txt": "the dog\nison\nab\n",
    "other.txt": "the dog\nis off\nab\n",
    # The two boundaries of the reference have the highest scores: 0.5 and 1, two of the eight gaps.
    "s.jsonl": "[0, 0, 0.5, 0, 0]\n[0, 1, 0]\n",
    "0.jsonl": "[0, 0]\n[0, 0.55]\n",
    "1.jsonl": "[1.0, 1.0]\n[1.0, 1.0]\n",
    # ARCADE's example: of the three predicted bisegments one is right.
    "a.txt": "[0]:[0]\n[1]:[1, 2]\n",
    "b.txt": "[0]:[0]\n[]:[1]\n[1]:[2]\n",
    "none.txt": "[0]:[]\n[]:[0]\n",
    "child.txt": "Adam\nEve\n",
    "ages.csv": "line,age\n1,two\n2,three\n",
    "t.csv": "system,f,p,map,note\nCRF,1,4,0.1,old\n2,2,3,0.2,\njieba,4,2,0.3,new\nrules,3,1,0.4,\n",
    # Of x the systems find 4 and 2 of 6 words, of y 6 and 9 of 12.
    "suite/x/gold.txt": "a b\nc d\ne f\n",
    "suite/x/a.txt": "a b\nc d\nef\n",
    "suite/x/b.txt": "a b\ncd\nef\n",
    "suite/y/gold.txt": "a b c\nd e f\ng h i\nj k l\n",
    "suite/y/a.txt": "abc\ndef\ng h i\nj k l\n",
    "suite/y/b.txt": "a b c\ndef\ng h i\nj k l\n",
    "both.jsonl": '{"reference": "the dog", "p": "thedog"}\n{"reference": "is on", "p": "is on"}\n',
    "t.jsonl": '{"reference": "the dog", "prediction": "thedog"}\n',
}
PRECISION, RECALL, FSCORE = 2 / 3, 2 / 4, 4 / 7
UNDEFINED = "–"

NAMES = {
    "token_precision": "Word precision", "token_recall": "Word recall", "token_fscore": "Word F-score",
    "oov_recall": "OOV recall", "count_token_matched": "Token matched (count)",
    "boundary_all_precision": "Boundary precision (with edges)",
    "balanced_precision": "Balanced precision", "balanced_recall": "Balanced recall", "balanced_fscore": "Balanced F-score",
    "strict_precision": "Strict precision", "strict_recall": "Strict recall", "lax_recall": "Lax recall",
}  # fmt: skip


def by_first_cell(rows: list[dict[str, str]], key: str, column: str) -> str:
    """The cell of a column in the first row that begins with the key."""
    first_column, *_ = rows[0]
    of_key = [row for row in rows if row[first_column] == key]
    return of_key[0][column]


@dataclass(frozen=True)
class Case:
    """A run, and cells of its tables by row and column.

    in_json: a cell in the JSON, by row and column; in_csv: the same among the rows of the CSV, where that has another shape.
    """

    arguments: str
    rows: dict[str, dict[str, Any]]
    in_json: Callable[[Any, str, str], Any]
    in_csv: Callable[[list[dict[str, str]], str, str], str] = by_first_cell


def by_subset_in_json(found: Any, key: str, name: str) -> Any:
    """The score of a subset, or of the prediction, by name."""
    (entry,) = found["predictions"]
    scores = {subset["value"]: subset["scores"] for subset in entry["subsets"]}
    return {**scores, entry["prediction"]: entry["scores"]}[name][key]


def by_subset_in_csv(rows: list[dict[str, str]], key: str, name: str) -> str:
    (row,) = (row for row in rows if row["score"] == key and name == (row["subset"] or row["prediction"]))
    return row["value"]


def by_system_in_csv(rows: list[dict[str, str]], key: str, name: str) -> str:
    (row,) = (row for row in rows if row["score"] == key and row["system"] == name)
    return row["value"]


def of_subset_in_json(found: Any, key: str, name: str) -> Any:
    """The cell of a value, of the mean over values, of the mean ranks, or of all utterances."""
    if key == "mean":
        return found["means"][name]["value"]
    if key == "mean rank":
        return f"{found['means'][name]['rank']:.2f}"
    compared = {subset["value"]: subset for subset in found["subsets"]}.get(key, found)
    return compared["utterances"] if name == "utterances" else compared["systems"][name]["scores"]["token_recall"]


def of_subset_in_csv(rows: list[dict[str, str]], key: str, name: str) -> str:
    parts = {"mean": ("mean", ""), "mean rank": ("mean", ""), "all utterances": ("all", "")}
    part = parts.get(key, ("subset", key))
    of_part = [row for row in rows if (row["of"], row["file"]) == part]
    if name == "utterances":
        return of_part[0]["utterances"]
    (row,) = (row for row in of_part if row["system"] == name)
    return f"{float(row['rank']):.2f}" if key == "mean rank" else row["value"]


def error_in_json(found: Any, words: str, column: str) -> Any:
    """The cell of an error of the reference's words."""
    (error,) = (error for error in found["errors"] if " ".join(error["reference"]) == words)
    cells = {"prediction": " ".join(error["prediction"]), "error": error["kind"], "count": error["count"]}
    return {**cells, "example": error["examples"][0]["place"] + ": [the dog]"}[column]


def of_prediction(found: Any, key: str, name: str) -> Any:
    (entry,) = (each for each in found["predictions"] if name in (each["prediction"], str(each.get("size"))))
    return {**entry["scores"], **{f"count_{name}": count for name, count in entry.get("counts", {}).items()}}[key]


def of_rows(found: Any, key: str, column: str) -> Any:
    return next(row[column] for row in found if row["score"] == key)


TWO = {
    "token_precision": {"p.txt": PRECISION, "a_b": 1.0},
    "token_recall": {"p.txt": RECALL, "a_b": 1.0},
    "token_fscore": {"p.txt": FSCORE, "a_b": 1.0},
}
CASES = {
    "score": Case(
        "r.txt p.txt a_b=r.txt --scores 'token, token' --scores=oov_recall,token --vocabulary r.txt --counts",
        TWO | {"oov_recall": {"p.txt": UNDEFINED, "a_b": UNDEFINED}, "count_token_matched": {"p.txt": 2, "a_b": 4}},
        of_prediction,
    ),
    # Each of two children says one of the utterances.
    "score --by child.txt": Case(
        "r.txt p.txt --scores token",
        {
            key: {"p.txt": values["p.txt"], "Adam": 0.0, "Eve": 1.0}
            for key, values in TWO.items()
        },
        by_subset_in_json,
        by_subset_in_csv,
    ),
    "compare": Case(
        "r.txt p.txt a_b=r.txt --scores token",
        TWO,
        lambda found, key, name: found["systems"][name]["scores"][key],
        by_system_in_csv,
    ),
    "compare --by file": Case(
        "'suite/*/gold.txt' a='suite/*/a.txt' b='suite/*/b.txt' --scores token_recall",
        {
            "x": {"utterances": 3, "a": 4 / 6, "b": 2 / 6},
            "y": {"utterances": 4, "a": 6 / 12, "b": 9 / 12},
            "mean": {"a": (4 / 6 + 6 / 12) / 2, "b": (2 / 6 + 9 / 12) / 2},
            "mean rank": {"a": "1.50", "b": "1.50"},
            "all utterances": {"utterances": 7, "a": 10 / 18, "b": 11 / 18},
        },
        of_subset_in_json,
        of_subset_in_csv,
    ),
    "errors": Case(
        "r.txt p.txt --table errors",
        {"the dog": {"prediction": "thedog", "error": "under", "count": 1, "example": "line 1: [the dog]"}},
        error_in_json,
    ),
    # p.txt has the words of the second line, q.txt those of the first.
    "errors --table words": Case(
        "r.txt p.txt q.txt",
        {"is": {"words": 1, "recall of p.txt": 1.0, "only p.txt": 1, "only q.txt": 0, "difference": -1}},
        lambda found, key, column: next(
            {"words": row["words"], "recall of p.txt": (row["both"] + row["only_first"]) / row["words"],
             "only p.txt": row["only_first"], "only q.txt": row["only_second"],
             "difference": row["only_second"] - row["only_first"]}[column]
            for row in found["word_differences"][0] if row["name"] == key
        ),
    ),
    "curve": Case(
        "r.txt 10=p.txt 2.5=r.txt --scores token",
        {key: {"2.5": values["a_b"], "10": values["p.txt"]} for key, values in TWO.items()},
        of_prediction,
    ),
    "curve --columns ,10=p,2.5=reference": Case(
        "both.jsonl --scores token",
        {key: {"2.5": values["a_b"], "10": values["p.txt"]} for key, values in TWO.items()},
        of_prediction,
    ),
    "sweep": Case(
        "r.txt s.jsonl",
        {
            "token_recall": {"best": 1.0, "ratio": 2 / 8, "threshold": 0.5},
            # Without a boundary no boundary is wrong.
            "boundary_all_precision": {"best": 1.0, "ratio": 0.0, "threshold": math.inf},
        },
        lambda found, key, column: found["best"][key]["score" if column == "best" else column],
        # Every threshold has a row: the best is the first of those with the greatest value.
        lambda rows, key, column: max(rows, key=lambda row: float(row[key]))[key if column == "best" else column],
    ),
    # Of two segmenters one misses every word: all difficulties are 0.5, and the scores those without weights.
    "difficulty": Case(
        "r.txt --committee p.txt q.txt --score p.txt",
        {
            "balanced_precision": {"p.txt": PRECISION},
            "balanced_recall": {"p.txt": RECALL},
            "balanced_fscore": {"p.txt": FSCORE},
        },
        of_prediction,
    ),
    "alignment": Case(
        "a.txt b.txt a.txt",
        {
            "strict_precision": {"b.txt": 1 / 3, "a.txt": 1.0},
            "strict_recall": {"b.txt": 1 / 2, "a.txt": 1.0},
            "lax_recall": {"b.txt": 1.0, "a.txt": 1.0},
        },
        of_prediction,
    ),
    "correlate": Case(
        "t.csv --criterion map",
        {"f": {"pearson": 0.8, "n": 4}, "p": {"pearson": -1.0, "n": 4}},
        of_rows,
    ),
    "identify": Case(
        "r.txt p.txt .571 --scores token_fscore --top 1",
        {"token_fscore": {"value": FSCORE, "agrees": "yes"}},
        of_rows,
    ),
}  # fmt: skip


def tables_of(output: str, form: str) -> list[list[list[str]]]:
    if form == "html":
        rows = [re.findall(r"<tr>(.*?)</tr>", table) for table in re.findall("<table>(.*?)</table>", output, re.DOTALL)]
        return [
            [[html.unescape(cell) for cell in re.findall("<t[hd].*?>(.*?)</t[hd]>", row)] for row in table]
            for table in rows
        ]
    begins = {"table": r"[^\n]+\n-", "markdown": r"\|", "latex": r"\\begin"}[form]
    return [CELLS[form](block) for block in output.rstrip("\n").split("\n\n") if re.match(begins, block)]


def test_identify_says_that_more_definitions_agree_than_it_shows(printed) -> None:
    many = printed("identify r.txt p.txt .6 --top 1")
    assert re.search(
        r"^(\d\d+) definitions agree, of which the table has 1: a number with more decimals", many, re.MULTILINE
    )
    assert "agree, of which" not in printed("identify r.txt p.txt .571428571 --scores token_fscore --top 1")
    assert printed("identify r.txt p.txt .123456789 --top 1").count("no definition agrees") == 1


@pytest.mark.usefixtures("unchanged")
@pytest.mark.parametrize("form", ["table", "markdown", "latex", "html"])
@pytest.mark.parametrize("command", CASES)
def test_people_read_the_values_and_names_in_words(command: str, form: str, printed) -> None:
    case = CASES[command]
    output = printed(f"{command} {case.arguments} --format {form}")
    cells = {
        (row[0], column): cell
        for head, *rows in tables_of(output, form)
        for row in rows
        for column, cell in zip(head, row, strict=True)
    }
    for key, values in case.rows.items():
        for column, value in values.items():
            found = cells[key if form == "table" else NAMES.get(key, key), column]
            if not isinstance(value, str):
                # Without marks and intervals.
                match = re.search(r"inf|[-+]?\d[\d.]*", found.replace("$-$", "-"))
                found = match[0] if match else found
            assert found == (f"{value:.4f}" if isinstance(value, float) else str(value)), (key, column)


@pytest.mark.usefixtures("unchanged")
@pytest.mark.parametrize("command", CASES)
def test_programs_read_every_digit(command: str, printed, monkeypatch) -> None:
    # Each utterance is a piece of its own.
    monkeypatch.setattr("segscores.reading.sources.source.PIECE_BYTES", 1)
    case = CASES[command]
    rows = list(csv.DictReader(io.StringIO(printed(f"{command} {case.arguments} --format csv"))))
    found = json.loads(
        printed(re.sub(r"--table \w+", "", f"{command} {case.arguments} --format json")), parse_constant=pytest.fail
    )
    signatures = {row.get("signature", "") for row in rows}
    assert signatures == ({found["signature"]} if isinstance(found, dict) else {found[0].get("signature", "")})
    for key, values in case.rows.items():
        for column, value in values.items():
            in_csv, in_json = case.in_csv(rows, key, column), case.in_json(found, key, column)
            if isinstance(value, str) and value != UNDEFINED:
                assert (in_csv, in_json) == (value, value)
            else:
                number = 0.0 if value == UNDEFINED else value
                assert float(in_csv) == pytest.approx(number)
                assert in_json == (None if number == math.inf else pytest.approx(number))


OUTPUTS = {"txt": "table", "json": "json", "csv": "csv", "md": "markdown", "tex": "latex", "html": "html"}
#: One subcommand with every ending, the others with the record and one more.
WRITTEN = [("score", ending) for ending in OUTPUTS]
for number, name in enumerate(name for name in CASES if name not in ("score", "difficulty")):
    WRITTEN += [(name, "json"), (name, ("txt", "csv", "md", "tex", "html")[number % 5])]


@pytest.mark.parametrize(("command", "ending"), WRITTEN)
def test_a_file_takes_the_place_of_standard_output_in_the_format_of_its_ending(
    command: str, ending: str, printed, monkeypatch, folder
) -> None:
    """The record of a run has the command line, which names the file."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    line = f"{command} {CASES[command].arguments}"
    if ending == "json":
        line = re.sub(r"--table \w+", "", line)
    expected = printed(f"{line} --format {OUTPUTS[ending]}")
    assert printed(f"{line} -o out.{ending}") == ""
    written = (folder / f"out.{ending}").read_text(encoding="utf-8")
    assert written.replace(f"--output out.{ending}", f"--format {OUTPUTS[ending]}") == expected


def test_an_explicit_format_is_not_that_of_the_ending(printed, folder) -> None:
    expected = printed("score r.txt p.txt --format markdown")
    printed("score r.txt p.txt -o out.csv --format markdown")
    assert (folder / "out.csv").read_text(encoding="utf-8") == expected


def test_after_an_error_the_file_of_the_output_stays(run, folder) -> None:
    (folder / "out.txt").write_text("before")
    assert run("score r.txt other.txt -o out.txt")[0] == 2
    assert (folder / "out.txt").read_text() == "before"


@pytest.mark.usefixtures("unchanged")
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("r.txt p.txt --value token_fscore", [FSCORE]),
        ("r.txt p.txt r.txt --value token_precision", [PRECISION, 1.0]),
        ("r.txt p.txt --value pk", [2 / 6]),
        # Two utterances of equal size that are perfect: [.025^(1/2), 1].
        ("r.txt r.txt --value token_recall_low --confidence 0.95", [0.025**0.5]),
        ("r.txt p.txt --value oov_recall --scores oov --vocabulary r.txt --zero-division nan", [math.nan]),
    ],
)
def test_a_value_is_a_bare_number(line: str, expected: list[float], printed) -> None:
    """The two windows about the boundary of `the dog` are wrong, of six of size 2."""
    found = [float(text) for text in printed(f"score {line}").splitlines()]
    assert found == pytest.approx(expected, nan_ok=True)


def test_programs_read_what_scores_say_about_themselves(printed) -> None:
    rows = json.loads(printed("groups pk r_value --format json"))
    assert [(row["key"], row["low"], row["high"], row["better"]) for row in rows] == [
        ("pk", 0.0, 1.0, "lower"), ("r_value", None, 1.0, "higher"),
    ]  # fmt: skip
    assert rows[0]["options"] == ["window_size", "window_convention"]
    assert rows[0]["bibtex"].startswith("@article{beeferman1999statistical,\n")
    (pk,) = csv.DictReader(printed("groups pk --format csv").splitlines())
    assert (pk["heading"], pk["options"]) == ("Pk", "window_size window_convention")
    keys = [row["key"] for row in json.loads(printed("groups --format json"))]
    assert keys == [key for group in GROUPS.values() for key in group.keys]


@pytest.mark.usefixtures("unchanged")
@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("r.txt p.txt --by child.txt", "child"),
        ("r.txt p.txt --by ages.csv:age", "age"),
        ("r.txt p.txt --by length", "length"),
        ("r.txt p.txt --by every:1", "part"),
        ("both.jsonl --columns reference,p --by column:p", "p"),
    ],
)
def test_the_values_that_divide_utterances_have_a_name(line: str, name: str, printed) -> None:
    assert json.loads(printed(f"score {line} --format json"))["by"] == name


NEEDED = {"dictionary": "--dictionary r.txt", "oov": "--vocabulary r.txt"} | {
    name: "--documents" for name, group in TEXT_GROUPS.items() if "documents" in group.needs
}


@pytest.mark.usefixtures("unchanged")
@pytest.mark.parametrize("name", TEXT_GROUPS)
def test_no_two_scores_and_counts_have_one_name(name: str, printed) -> None:
    line = f"score r.txt p.txt --scores {name} {NEEDED.get(name, '')} --counts --average macro"
    counts = json.loads(printed(f"{line} --format json"))["predictions"][0]["counts"]
    # JSON has the old name of this count too.
    counts.pop("left_out", None)
    names = [*GROUPS[name].keys, *(f"count_{column}" for column in counts)]
    assert [row[0] for row in csv.reader(printed(f"{line} --format csv").splitlines())] == ["score", *names]
    rows = [*csv.DictReader(printed(f"{line} --by every:1 --format csv").splitlines())]
    assert len({(row["score"], row["subset"]) for row in rows}) == len(rows)
    # Scores have keys in the first, and headings in the second.
    for form in ("table", "html"):
        (found,) = tables_of(printed(f"{line} --format {form}"), form)
        assert len({row[0] for row in found}) == 1 + len(names)
        (found,) = tables_of(printed(f"{line} --systems rows --format {form}"), form)
        assert len({*found[0]}) == 1 + len(names)


OOV = "--scores token,oov --vocabulary r.txt"
NO_OOV = ["oov_recall", "oov_precision", "oov_fscore"]
BALANCED = [f"balanced_{name}" for name in ("precision", "recall", "fscore")]
TENTHS = [f"recovered_0.{tenth}_{(tenth + 1) / 10:.1f}" for tenth in range(10)]


@pytest.mark.usefixtures("unchanged")
@pytest.mark.parametrize(
    ("line", "undefined"),
    [
        (f"score r.txt p.txt r.txt {OOV}", [["oov_recall"], NO_OOV]),
        (f"score r.txt p.txt r.txt {OOV} --confidence 0.9", [["oov_recall"], NO_OOV]),
        (f"compare r.txt p.txt r.txt {OOV}", [["oov_recall"], NO_OOV]),
        # Where a score is undefined in every utterance or cluster, so is its mean.
        (f"score r.txt p.txt r.txt {OOV} --average macro", [["oov_recall"], NO_OOV]),
        (f"score r.txt p.txt r.txt {OOV} --average cluster --clusters every:2", [["oov_recall"], NO_OOV]),
        (f"compare r.txt p.txt r.txt {OOV} --average macro", [["oov_recall"], NO_OOV]),
        (f"curve r.txt 1=p.txt {OOV}", [["oov_recall"]]),
        # No word is out of vocabulary, in 0.1–0.5 or above 0.6; and one whose difficulty is 1 has no weight for punishment.
        ("difficulty r.txt --difficulties 0.jsonl --score p.txt", [[key for key in TENTHS if key not in (TENTHS[0], TENTHS[5])]]),
        (
            "difficulty r.txt --difficulties 1.jsonl --score r.txt",
            [["punishment_precision", "punishment_recall", *BALANCED, *TENTHS[:9]]],
        ),
        ("alignment none.txt none.txt --scores strict,lax", [["strict_recall", "strict_fscore", "lax_recall", "lax_fscore"]]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("zero_division", ["0", "1", "nan"])
def test_a_score_of_0_over_0_is_a_dash_for_people_and_listed_for_programs(
    line: str, undefined: list[list[str]], zero_division: str, printed
) -> None:
    line += f" --zero-division {zero_division}"
    entries = json.loads(printed(f"{line} --format json"))["predictions"]
    assert [entry["undefined"] for entry in entries] == undefined
    value = {"0": 0.0, "1": 1.0, "nan": None}[zero_division]
    if not line.startswith("alignment"):  # whose harmonic means are of defined values
        assert {entry["scores"][key] for entry in entries for key in entry["undefined"]} == {value}
    cells = {row[0]: row[1:] for table in tables_of(printed(line), "table") for row in table}
    for key in undefined[0]:
        if not key.startswith("recovered"):
            assert cells[key][0] == UNDEFINED


def test_errors_lists_recalls_of_no_words(printed) -> None:
    line = "errors r.txt p.txt --vocabulary r.txt"
    assert json.loads(printed(f"{line} --format json"))["undefined"] == ["by_vocabulary.out.recall"]
    assert json.loads(printed("errors r.txt p.txt --format json"))["undefined"] == []
    ((_, known, unknown),) = tables_of(printed(f"{line} --table vocabulary"), "table")
    assert (known[-1], unknown[-1]) == ("0.5000", UNDEFINED)


@pytest.mark.usefixtures("unchanged")
@pytest.mark.parametrize(
    "line",
    [
        *(
            f"{name} {case.arguments}"
            for name, case in CASES.items()
            if not name.startswith(("correlate", "errors", "identify"))
        ),
        "score r.txt p.txt --scores type,windows --counts --confidence 0.9 --on-error skip --zero-division nan",
        "score t.jsonl",
        "compare r.txt p.txt r.txt --zero-division nan",
        "compare r3.txt p3.txt other.txt --on-error skip",
        "errors r.txt p.txt --vocabulary r.txt --zero-division nan",
        "errors t.jsonl",
        "errors r3.txt p3.txt other.txt --on-error skip",
        "sweep r.txt s.jsonl --thresholds inf",
        "alignment a.txt b.txt --counts",
    ],
)
def test_json_is_as_the_schema_says(line: str, printed) -> None:
    found = json.loads(printed(f"{line} --format json"), parse_constant=pytest.fail)
    jsonschema.Draft202012Validator(SCHEMA).validate(found)
    assert found["schema"] == JSON_SCHEMA
    # No field is there that the schema does not describe.
    assert set(found) <= set(SCHEMA["properties"])
    described = set(SCHEMA["properties"]["predictions"]["items"]["properties"])
    assert {key for entry in found.get("predictions", ()) for key in entry} <= described


def test_the_schema_is_a_schema_and_has_the_version() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["properties"]["schema"]["const"] == JSON_SCHEMA
