"""The Python code and the command that the tabs export, run on the files that they name, give the numbers of the page."""

from __future__ import annotations

import ast
import html
import json
import re
import shlex
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from segscores.command.main import main

from ..optional import optional

difficulty, score, threshold, tabs, reading, takeaway = (
    optional(f"segscores.demo.{name}") for name in ("difficulty", "score", "threshold", "tabs", "reading", "takeaway")
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


def as_json(text: str, column: str, *, as_lists: bool = False) -> str:
    return "".join(json.dumps({column: line.split() if as_lists else line}) + "\n" for line in text.splitlines())


def as_conllu(text: str) -> str:
    lines = (
        [f"{number}\t{word}" + "\t_" * 8 for number, word in enumerate(line.split(), 1)] for line in text.splitlines()
    )
    return "".join("\n".join(sentence) + "\n\n" for sentence in lines)


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
    "JSON lines named as text": (as_json(REFERENCE, "text"), "r.txt", as_json(PREDICTION, "text"), "p.txt"),
    "CoNLL-U named as text": (as_conllu(REFERENCE), "r.txt", PREDICTION, "p.txt"),
    "CoNLL-U and JSON lines": (as_conllu(REFERENCE), "", as_json(PREDICTION, "prediction"), ""),
    "lists and texts": (as_json(REFERENCE, "reference", as_lists=True), "", as_json(PREDICTION, "p"), ""),
    "texts and lists": (as_json(REFERENCE, "r"), "", as_json(PREDICTION, "p", as_lists=True), ""),
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
    "CoNLL-U": (as_conllu("a b"), "a b", "ab\n---\na b", "text.txt"),
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
    save(sides, file_names(sides, recognised=False))
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
        "reference": given("reference", as_conllu("ab cd\n" * count), "text.txt"),
        "scores": Given("scores", "0.1 0.9 0.2\n" * count),
    }
    page = threshold.show(tabs.Inputs(boxes, {"ratio": 0.5})).results[-1]
    sides = read_sides([boxes["reference"]])
    save(sides, file_names(sides, recognised=False))
    Path("scores.jsonl").write_text("[0.1, 0.9, 0.2]\n" * count, "utf-8")
    best = re.search(r"'best': .*'token_fscore': {(.*?)}", output_of(exported(page, "Python"), capsys))
    assert best
    assert best[1].startswith("'threshold': 0.9, ")
    assert best[1].endswith("'score': 1.0")
    commanded = json.loads(output_of(exported(page, "command"), capsys))
    assert commanded["best"]["token_fscore"]["score"] == 1.0
    assert commanded["best"]["token_fscore"]["threshold"] == 0.9
    assert commanded["signature"] == exported(page, "signature")


@pytest.mark.parametrize("text", ["a b\n\n", "\n\na b\n", "a b\n", "a b"])
def test_an_opened_file_has_the_utterances_of_its_box(text: str, tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text(text, "utf-8")
    shown: Any = tabs._fill(SimpleNamespace(name="reference", label="Reference"))(str(path))[0]
    # A newline ends each line, so that an empty line is a blank utterance.
    assert read_sides([Given("reference", shown["value"])]).utterances["reference"] == text.splitlines()
