"""The Python code and the command that the tabs export, run on the files that they name, give the numbers of the page."""

from __future__ import annotations

import ast
import csv
import html
import io
import json
import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import unquote

import pytest

from segscores.command.main import main

from ..optional import optional
from .visitor import conllu, json_lines

compare, difficulty, score, threshold, tabs, reading, takeaway = (
    optional(f"segscores.demo.{name}")
    for name in ("compare", "difficulty", "score", "threshold", "tabs", "reading", "takeaway")
)
Given, Sides, read_sides = reading.Given, reading.Sides, reading.read_sides
file_names = takeaway.file_names

#: So many utterances that the exported code reads them from files.
PAIRS = 40
REFERENCE, PREDICTION = "the dog is\non the boat\n" * PAIRS, "thedog is\non the bo at\n" * PAIRS
#: Of these by hand: 3 of 6 words, and is, on, the out of 5 types of the reference and 6 of the prediction.
EXPECTED = {
    **dict.fromkeys(("token_precision", "token_recall", "token_fscore"), 0.5),
    "type_precision": 0.5,
    "type_recall": 0.6,
    "type_fscore": 6 / 11,
}
SETTINGS = {
    "form": "recognise",
    "word_boundary": "",
    "ignored_tokens": "",
    "scores": ["token", "type"],
    "intervals": False,
    "order": "as in the text",
    "errors_only": False,
    "search": "",
    "line": "",
}


def given(box: str, text: str, file: str) -> Given:
    return Given(box, text, file, "", (box, f"{box}s"))


def exported(page: str, title: str) -> str:
    """A text to copy."""
    found = re.search(rf"<h3>{title}</h3><pre[^>]*>(.*?)</pre>", page, re.DOTALL)
    assert found
    return html.unescape(found[1])


def output_of(code: str, capsys: pytest.CaptureFixture[str]) -> str:
    """The output of exported Python code or of an exported command, in the working folder."""
    if code.startswith("segmentation-scores "):
        assert main([*shlex.split(code)[1:], "--format", "json"]) == 0
    else:
        exec(code, {})
    return capsys.readouterr().out


def save(sides: Sides, names: dict[str, str]) -> None:
    assert len(set(names.values())) == len(names)
    for box, name in names.items():
        Path(name).write_bytes(sides.given[box].text.encode())


#: The texts and the names of the files that were opened.
FILES = {
    "byte-order marks": (f"\ufeff{REFERENCE}", "r.txt", f"\ufeff{PREDICTION}", "p.txt"),
    "one byte-order mark": (f"\ufeff{REFERENCE}", "r.txt", PREDICTION, "p.txt"),
    "carriage returns": (REFERENCE.replace("the dog", "the\rdog"), "r.txt", PREDICTION.replace("\n", "\r\n"), "p.txt"),
    "one name": (REFERENCE, "test.txt", PREDICTION, "test.txt"),
    "the name of the other box": (REFERENCE, "prediction.txt", PREDICTION, ""),
    "names like options": (REFERENCE, "-r.txt", PREDICTION, "--p.txt"),
    "words named as JSON lines": (REFERENCE, "r.jsonl", PREDICTION, "p.json"),
    "words named as CoNLL-U": (REFERENCE, "r.conllu", PREDICTION, "p.txt"),
    # Read as words, both texts would have the same letters.
    "JSON lines named as text": (json_lines("text", REFERENCE), "r.txt", json_lines("text", PREDICTION), "p.txt"),
    "CoNLL-U named as text": (conllu(REFERENCE), "r.txt", PREDICTION, "p.txt"),
    "CoNLL-U and JSON lines": (conllu(REFERENCE), "", json_lines("prediction", PREDICTION), ""),
    "lists and texts": (json_lines("reference", REFERENCE, as_lists=True), "", json_lines("p", PREDICTION), ""),
    "texts and lists": (json_lines("r", REFERENCE), "", json_lines("p", PREDICTION, as_lists=True), ""),
}


@pytest.mark.parametrize("name", FILES)
def test_exported_code_has_the_scores_of_the_page(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    reference, reference_file, prediction, prediction_file = FILES[name]
    boxes = {
        "reference": given("reference", reference, reference_file),
        "prediction": given("prediction", prediction, prediction_file),
    }
    page = score.show(tabs.Inputs(boxes, SETTINGS)).results[-1]
    sides = read_sides(list(boxes.values()))
    save(sides, file_names(sides))
    assert ast.literal_eval(output_of(exported(page, "Python"), capsys)) == EXPECTED
    commanded = json.loads(output_of(exported(page, "command"), capsys))
    assert commanded["predictions"][0]["scores"] == EXPECTED
    assert commanded["signature"] == exported(page, "signature")


#: A text, its segmentation by a segmenter, and a committee: the first word is missed by one of two members.
COMMITTEES = {
    "words": ("a b", "a b", "a b\n---\nab", "my text.txt"),
    "wordseg": ("a ;eword b ;esyll c ;eword", "a ;eword b c ;eword", "a b c ;eword\n---\na ;eword b c ;eword", ""),
    "CoNLL-U": (conllu("a b"), "a b", "ab\n---\na b", "text.txt"),
}


@pytest.mark.parametrize("name", COMMITTEES)
def test_the_command_of_difficulty_has_the_scores_and_the_signature_of_the_page(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    reference, prediction, committee, file = COMMITTEES[name]
    boxes = {"reference": given("reference", reference, file), "prediction": given("prediction", prediction, "")}
    others = {"committee": Given("committee", committee), "difficulties": Given("difficulties", "")}
    page = difficulty.show(tabs.Inputs(boxes | others, {})).results[-1]
    members = [Given(f"member_{number}", text) for number, text in enumerate(committee.split("\n---\n"), 1)]
    sides = read_sides([*boxes.values(), *members])
    save(sides, file_names(sides))
    expected = dict.fromkeys(
        f"{kind}_{side}" for kind in ("reward", "punishment", "balanced") for side in ("precision", "recall")
    )
    assert ast.literal_eval(output_of(exported(page, "Python"), capsys)).keys() >= expected.keys()
    commanded = json.loads(output_of(exported(page, "command"), capsys))
    found = commanded["predictions"][0]["scores"]
    # The prediction is right, and half of the committee misses both words.
    assert {key: found[key] for key in expected} == dict.fromkeys(expected, 1.0)
    assert commanded["signature"] == exported(page, "signature")


def test_difficulties_are_a_part_of_their_signature() -> None:
    boxes = {"reference": Given("reference", "a b"), "prediction": Given("prediction", "a b")}
    pages = [
        difficulty.show(
            tabs.Inputs(boxes | {"committee": Given("committee", ""), "difficulties": Given("difficulties", rates)}, {})
        ).results[-1]
        for rates in ("0 0.5", "0.5 0.5")
    ]
    assert len({exported(page, "signature") for page in pages}) == len(pages)


@pytest.mark.parametrize("count", [1, PAIRS])
def test_the_export_of_threshold_reads_conllu_of_any_name(
    count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    boxes = {
        "reference": given("reference", conllu("ab cd\n" * count), "text.txt"),
        "scores": Given("scores", "0.1 0.9 0.2\n" * count),
    }
    page = threshold.show(tabs.Inputs(boxes, {"ratio": 0.5})).results[-1]
    sides = read_sides([boxes["reference"]])
    save(sides, file_names(sides))
    Path("scores.jsonl").write_text("[0.1, 0.9, 0.2]\n" * count, "utf-8")
    best = re.search(r"'best': .*'token_fscore': {(.*?)}", output_of(exported(page, "Python"), capsys))
    assert best
    assert best[1].startswith("'threshold': 0.9, ")
    assert best[1].endswith("'score': 1.0")
    commanded = json.loads(output_of(exported(page, "command"), capsys))
    assert commanded["best"]["token_fscore"]["score"] == 1.0
    assert commanded["best"]["token_fscore"]["threshold"] == 0.9
    assert commanded["signature"] == exported(page, "signature")


#: The systems of a comparison.
COMPARED = {
    **{f"name_{place}": "" for place in "ABCDEFGHIJ"},
    "form": "recognise",
    "word_boundary": "",
    "ignored_tokens": "",
    "scores": ["token"],
    "baseline": "A",
    "by": "token_fscore",
    "confidence": 0.95,
    "n_resamples": 100,
}


def compared(reference: str, systems: Mapping[str, str], **settings: Any) -> tuple[list[str], Sides]:
    """The results of the tab Compare, and its texts as they were read."""
    boxes = {"reference": given("reference", reference, "")}
    boxes |= {
        f"prediction_{place}": Given(f"prediction_{place}", systems.get(place, ""), "", "", ("prediction",))
        for place in "ABCDEFGHIJ"
    }
    results = compare.show(tabs.Inputs(boxes, COMPARED | settings)).results
    return list(results), read_sides([box for box in boxes.values() if not box.is_blank])


def test_the_exports_of_compare_have_the_comparison_of_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    systems = {"A": json_lines("output", PREDICTION), "B": json_lines("output", REFERENCE), "C": REFERENCE}
    results, sides = compared(REFERENCE, systems, baseline="B")
    save(sides, file_names(sides))
    commanded = json.loads(output_of(exported(results[-1], "command"), capsys))
    scores = {each["path"]: each["scores"]["token_fscore"] for each in commanded["predictions"]}
    assert list(scores.values()) == [1.0, 0.5, 1.0]
    assert commanded["signature"] == exported(results[-1], "signature")
    printed = ast.literal_eval(output_of(exported(results[-1], "Python"), capsys).replace("nan", "None"))
    assert [each["differences"] for each in printed["systems"].values()] == [
        each["differences"] for each in commanded["systems"].values()
    ]


def test_compare_says_what_is_alike_too_little_too_much_or_not_drawn() -> None:
    # Of 10 words and 6 predicted ones 3 are both; of 8 ways to exchange 3 utterances two are always as extreme.
    old = "abcd ef\ngh\ni jk l"
    results = " ".join(compared("ab cd ef\ng h\ni j k l", {"A": old, "B": old})[0])
    assert "No utterance differs in token_fscore." in results
    assert "No difference can be significant at 0.05: 3 utterances are too few" in results
    with pytest.raises(ValueError, match=r"are resampled up to 750 times here, not 1,000\. Use the command"):
        compared("a\n" * 100_000, dict.fromkeys("AB", "a\n" * 100_000), n_resamples=1000)
    results = compared(REFERENCE, {"A": PREDICTION, "B": REFERENCE})[0]
    assert "the 20 that differ most are drawn" in " ".join(results)


def test_one_utterance_has_no_intervals() -> None:
    boxes = {"reference": given("reference", "a b", ""), "prediction": given("prediction", "ab", "")}
    with pytest.raises(ValueError, match="intervals need at least two utterances"):
        score.show(tabs.Inputs(boxes, SETTINGS | {"intervals": True}))


def test_the_downloads_of_score_have_the_ends_of_intervals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = "thedog is\non the boat\n" + "a b\n" * 9
    boxes = {"reference": given("reference", "the dog is\non the boat\n" + "a b\n" * 9, "")}
    boxes["prediction"] = given("prediction", text, "")
    page = score.show(tabs.Inputs(boxes, SETTINGS | {"intervals": True})).results[-1]
    links = {ending: re.search(rf'\.{ending}" href="data:[^,]*,([^"]*)"', page) for ending in ("json", "csv")}
    record = json.loads(unquote(links["json"][1]))
    sides = read_sides(list(boxes.values()))
    save(sides, file_names(sides))
    commanded = json.loads(output_of(exported(page, "command"), capsys))
    ends = {
        f"{key}_{end}": value
        for key, both in record["intervals"].items()
        for end, value in zip(("low", "high"), both, strict=True)
    }
    assert commanded["predictions"][0]["scores"] == record["scores"] | ends
    assert record["signature"] == commanded["signature"] == exported(page, "signature")
    rows = {row["score"]: row for row in csv.DictReader(io.StringIO(unquote(links["csv"][1])))}
    assert {key: [float(rows[key][end]) for end in ("low", "high")] for key in record["intervals"]} == record[
        "intervals"
    ]


def test_no_command_of_compare_is_offered_for_columns_of_different_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    results, sides = compared(REFERENCE, {"A": json_lines("old", PREDICTION), "B": json_lines("new", REFERENCE)})
    assert "segmentation-scores compare" not in results[-1]
    assert "segmentation-scores report" not in results[-1]
    assert "it takes one column for each prediction, and theirs are old, new." in results[-1]
    save(sides, file_names(sides))
    found = output_of(exported(results[-1], "Python"), capsys)
    assert "'token_fscore': 0.5" in found
    assert "'token_fscore': 1.0" in found


def test_the_command_of_difficulty_names_the_columns_of_the_committee(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    members = [json_lines("member", "a b"), json_lines("member", "ab")]
    boxes = {
        "reference": given("reference", "a b", ""),
        "prediction": given("prediction", json_lines("mine", "a b"), ""),
    }
    others = {"committee": Given("committee", "---\n".join(members)), "difficulties": Given("difficulties", "")}
    page = difficulty.show(tabs.Inputs(boxes | others, {})).results[-1]
    named = [Given(f"member_{number}", text) for number, text in enumerate(members, 1)]
    sides = read_sides([*boxes.values(), *named])
    save(sides, file_names(sides))
    commanded = json.loads(output_of(exported(page, "command"), capsys))
    assert commanded["predictions"][0]["scores"]["reward_recall"] == 1.0
    assert commanded["signature"] == exported(page, "signature")
    others["committee"] = Given("committee", f"{members[0]}---\n{json_lines('other', 'ab')}")
    page = difficulty.show(tabs.Inputs(boxes | others, {})).results[-1]
    assert "segmentation-scores difficulty" not in page
    assert "it takes one column for each committee, and theirs are member, other." in page


def test_no_command_of_threshold_is_offered_for_json_lines() -> None:
    boxes = {
        "reference": given("reference", json_lines("reference", "ab cd"), ""),
        "scores": Given("scores", "0.1 0.9 0.2"),
    }
    page = threshold.show(tabs.Inputs(boxes, {"ratio": 0.5})).results[-1]
    assert "segmentation-scores sweep" not in page
    assert "sweep takes a reference of text, not JSON lines" in page


@pytest.mark.parametrize(
    "committee", ["\na b\n\n---\n\nab\n", "\na b\n\n\n--- \n\nab\n\n\n"], ids=["none", "blank lines around"]
)
def test_a_committee_keeps_blank_utterances_and_may_have_blank_lines_around(committee: str) -> None:
    reference = "\na b\n\n"
    rated = difficulty.rate_texts(Given("reference", reference), Given("prediction", reference), committee, "")
    assert rated.difficulties == [[], [0.5, 0.5], []]
    assert rated.members == 2


#: Words that are whole utterances, so that only a wrong boundary defines a score of boundaries without edges.
WHOLE = "ab\ncd\nef"


def test_the_ranking_is_in_order_where_lower_values_are_better() -> None:
    reference = "ab cd ef gh\nab cd ef"
    # Of 5 windows of 2 gaps the first system has 3 wrong, the second 1.
    systems = {"A": "abcdefgh\nab cd ef", "B": "abcd ef gh\nab cd ef", "C": reference}
    ranking, *_ = compared(reference, systems, scores=["windows"])[0]
    text = " ".join(re.sub(r"<[^>]*>", "", ranking).split())
    assert text.startswith("By pk: C 0.0000 · not distinguishable: B 0.2000, A 0.6000 Each system")
    # All 4 exchanges of 2 utterances.
    assert "by paired randomisation (all 4 exchanges of utterances)" in text


def test_the_name_of_a_system_is_no_formula_of_a_spreadsheet() -> None:
    results, _ = compared(WHOLE, {"A": WHOLE, "B": WHOLE}, name_A="=HYPERLINK(A1)", name_B="-x", scores=["exact"])
    found = re.search(r'\.csv" href="data:[^,]*,([^"]*)"', results[-1])
    rows = list(csv.reader(io.StringIO(unquote(found[1]))))
    assert [row[1] for row in rows] == ["system", "'=HYPERLINK(A1)", "'-x"]
    # Without F-scores the chart shows the others.
    assert unquote(results[-1]).count("utterance_accuracy</text>") == 2


def test_an_undefined_score_is_not_ranked_and_has_no_difference() -> None:
    results, _ = compared(
        WHOLE, {"A": WHOLE, "B": "a b\ncd\nef"}, scores=["boundary_noedge"], by="boundary_noedge_fscore"
    )
    ranking, table, details, utterances, _ = (" ".join(re.sub(r"<[^>]*>", " ", part).split()) for part in results)
    assert "B 0.0000 · undefined: A" in ranking
    assert "worse" not in ranking
    assert "boundary_ noedge_ fscore – ★ 0.0000 ± 0.0000 best" in table.replace("noedge_fscore", "noedge_ fscore")
    assert "– undefined, 0/0." in table
    assert details.count("– – – undefined") == 3
    # Of A nothing is wrong.
    assert "1 of 3 utterances differs." in utterances
    assert "A: boundary_noedge_fscore –" in utterances


def test_the_chart_has_only_scores_on_a_scale_up_to_1() -> None:
    boxes = {"reference": given("reference", "ab c", ""), "prediction": given("prediction", "a bc", "")}
    page = score.show(tabs.Inputs(boxes, SETTINGS | {"scores": ["token", "word_error", "rates"]})).results[-1]
    found = re.search(r'segmentation_scores\.svg" href="data:[^,]*,([^"]*)"', page)
    assert found
    shown = re.findall(r'text-anchor="end"[^>]*>([^<]*)<', unquote(found[1]))
    assert shown == [
        *("token_precision", "token_recall", "token_fscore"),
        *("r_value", "over_segmented", "under_segmented", "mis_segmented"),
    ]


@pytest.mark.parametrize("name", ["the segmenter of 2009 with longer contexts and more text", "分词" * 30])
def test_a_chart_has_room_for_its_names_and_its_title(name: str) -> None:
    signature = "segscores|text:words|avg:micro|zero:0|ci:95-percentile-1000-0|ci_types:jackknife-t|trials:10000|n:10000|v:0.2.0"
    picture = takeaway.chart(f"Comparison, {signature}", [(f"{name}, boundary_noedge_fscore", 0.5, -0.25, 1.25)])
    width = int(re.search(r' width="(\d+)"', picture)[1])
    left = int(re.search(r'<text x="(\d+)"[^>]*text-anchor="end"', picture)[1])
    # Half of the size of the font is more than the mean width of a letter.
    assert width >= 6.5 * len(signature)
    assert left >= (13 if name > "z" else 6.5) * len(name)
    # The interval ends where the scale does.
    ends = re.search(r'<path d="M([\d.]+) \d+H([\d.]+)" stroke="#1f1d26"', picture)
    assert float(ends[2]) - float(ends[1]) == 330


@pytest.mark.parametrize("text", ["a b\n\n", "\n\na b\n", "a b\n", "a b"])
def test_an_opened_file_has_the_utterances_of_its_box(text: str, tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text(text, "utf-8")
    shown: Any = tabs._fill(SimpleNamespace(name="reference", label="Reference"))(str(path))[0]
    # A newline ends each line, so that an empty line is a blank utterance.
    assert read_sides([Given("reference", shown["value"])]).utterances["reference"] == text.splitlines()
