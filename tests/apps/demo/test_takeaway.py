# ruff: noqa: E501
"""Tests that what a visitor takes away computes what the page shows: the command, the Python code and the files of every tab."""

from __future__ import annotations

import html
import json
import re
import shlex
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import segscores
from segscores.apps.demo.answers import answer, export
from segscores.apps.demo.tabs import TABS

from ..command.running import run_command
from .answers import (
    ALIGNMENT,
    BOUNDARY_SCORES,
    CONLLU,
    DIFFICULTY,
    SCORE,
    SENTENCES,
    SYSTEMS,
    THRESHOLD,
    compare_values,
    copied,
)
from .conftest import RunCopied

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

TABLE = "".join(
    json.dumps({"reference": reference, "b": b, "a": a}) + "\n"
    for reference, b, a in [("a b", "ab", "a b"), ("c d", "c d", "c d"), ("e f", "ef", "ef")]
)
PLAIN = {"old": SYSTEMS["old"], "new": SYSTEMS["new"], "other": SYSTEMS["<i>other</i>"]}
DIFFERENT = {"p": "the dog\na b\nbc", "q": "the dog\na x\nb c", "r": "t hedog\nax\nbc"}
UNITS = {"reference": "ab c WORD_BOUNDARY d\ne", "prediction": "ab WORD_BOUNDARY c d\ne"}

#: A tab, its fields, and words of its command.
CASES: list[tuple[str, dict[str, str], str]] = [
    ("score", SCORE, ""),
    ("score", {**SCORE, "scores": "token,windows", "window_size": "3", "confidence": "0.9"}, "--scores token,windows --window-size 3"),
    ("score", {"reference": "a b WORD_BOUNDARY c\nd e", "prediction": "a WORD_BOUNDARY b c\nd e"}, ""),
    ("score", {"reference": CONLLU, "prediction": CONLLU}, ""),
    ("score", {"reference": CONLLU, "prediction": "thedog"}, ""),
    ("score", {"reference": '{"gold": ["the", "dog"]}\n', "prediction": '{"a": ["thedog"], "b": ["the", "dog"]}\n', "prediction.column": "b"}, "--columns gold,b"),
    ("score", {"reference": "the dog\na b", "prediction": "the dog\na x", "on_error": "skip"}, "--on-error skip"),
    ("score", {**SCORE, "reference.file": "my test.txt"}, "'my test.txt'"),
    # An opened file has the name of another box.
    ("score", {**SCORE, "reference.file": "prediction.txt"}, "prediction.txt prediction_2.txt"),
    ("compare", compare_values(systems=PLAIN), "old=old.txt"),
    ("compare", compare_values(systems=PLAIN, scores="token,windows", baseline="new", margin="0.05", n_trials="200"), "--margin 0.05"),
    ("compare", compare_values("the dog\na x\nb c", DIFFERENT, on_error="skip"), "skip"),
    ("compare", {"reference": TABLE, "reference.file": "all.jsonl"}, "all.jsonl --columns ,b,a"),
    # A column of the table has the name of a box.
    ("compare", {"reference": TABLE.replace('"a"', '"prediction"').replace('"reference"', '"gold"').replace('"b"', '"reference"'),
                 "reference.column": "gold"}, "reference.jsonl --columns gold,reference,prediction"),
    ("compare", compare_values(CONLLU * 2, {"a": "thedog\nthe dog", "b": "the dog\nthe dog"}), "a=a.txt"),
    # Each system has its own format.
    ("compare", compare_values("the dog\nat her", {"a": "the dog\nather", "b": "t h e d o g\na t WORD_BOUNDARY h e r"}), ""),
    ("threshold", THRESHOLD, ""),
    ("threshold", {**THRESHOLD, "scores": "\n".join(map(json.dumps, BOUNDARY_SCORES)), "scores.file": "out.jsonl"}, ""),
    ("threshold", {"reference": CONLLU, "scores": "0.1 0.2 0.9 0.3 0.4", "ratio": "0.2"}, ""),
    ("threshold", {"reference": UNITS["reference"], "scores": "0.5 0.7\n[]", "ratio": "0.5"}, ""),
    ("threshold", {"reference": "a bc", "scores": "0.1 0.2 0.9", "label_scheme": "start", "zero_division": "1", "ratio": "0.5"}, "start"),
    ("difficulty", DIFFICULTY, "member_4.txt"),
    ("difficulty", {**DIFFICULTY, "zero_division": "1", "prediction.file": "my output.txt"}, "'my output.txt'"),
    ("difficulty", {**UNITS, "committee": "ab WORD_BOUNDARY c WORD_BOUNDARY d\ne"}, ""),
    ("difficulty", {"reference": '{"gold": "a b"}\n', "prediction": '{"out": "ab"}\n', "committee": '{"one": "ab"}\n'}, "--committee-column one"),
    ("difficulty", {"reference": '{"gold": "a b"}\n', "prediction": '{"out": "ab"}\n', "committee": '{"one": "ab", "two": "a b"}\n',
                    "committee.column": "two"}, "--committee-column two"),
    ("difficulty", {"reference": "a b\n\nc", "prediction": "ab\n\nc", "committee": "a b\n\nc\n---\nab\n\nc"}, ""),
    ("alignment", ALIGNMENT, ""),
    ("alignment", ALIGNMENT | SENTENCES, "--sources sources.txt"),
    ("alignment", {**ALIGNMENT, "prediction": "[]:[]", "zero_division": "1"}, "--zero-division"),
]  # fmt: skip


@pytest.mark.parametrize(("tab", "values", "words"), CASES)
def test_the_command_computes_what_the_page_shows(
    tab: str, values: dict[str, str], words: str, run_copied: RunCopied
) -> None:
    found = answer(tab, values)
    assert found.html, found.problem
    command, *others = copied(found)
    assert [word for word in shlex.split(words) if word not in shlex.split(command)] == []
    record = json.loads(export(tab, "json", values))
    printed = run_copied(tab, values, command, *["--counts"] * (tab == "score"))
    printed.pop("record", None)
    if tab == "alignment":
        # The page has texts, and no paths.
        for prediction in printed["predictions"]:
            prediction.pop("path")
    assert printed == {name: value for name, value in record.items() if name not in ("at", "curve")}
    if tab == "threshold":
        at = run_copied(tab, values, others[0])
        assert {key: point["score"] for key, point in at["best"].items()} == {
            key: record["at"][key] for key in at["best"]
        }
    report = command.replace("segscores score ", "segscores report ") if tab == "score" else others[0]
    if tab == "score":
        report += " -o report.html" + " --confidence none" * ("confidence" not in values)
    if tab in ("score", "compare") and "baseline" not in values:
        run_command(*shlex.split(report)[1:])
        assert Path("report.html").read_text("utf-8").split() == export(tab, "html", values).split()


def test_a_name_of_a_system_that_would_be_a_flag_is_left_out_of_the_command() -> None:
    values = compare_values(systems={"-v": SYSTEMS["old"], "new": SYSTEMS["new"]})
    assert copied(answer("compare", values))[0].startswith("segscores compare reference.txt v.txt new=new.txt")


@pytest.mark.parametrize(
    ("tab", "values"),
    [
        ("score", {**SCORE, "scores": "token"}),
        ("score", {"reference": "\ufeffthe dog\u2028the", "prediction": "\ufeffthe do g\u2028the", "scores": "type"}),
        ("compare", compare_values("a b\nc d", {"x": "ab\nc d", "y": "a b\nc d"}, scores="token")),
        ("threshold", {**THRESHOLD, "ratio": "0.25"}),
        *(case[:2] for case in CASES if case[0] in ("difficulty", "alignment")),
    ],
)
def test_the_python_code_computes_what_the_page_shows(
    tab: str, values: dict[str, str], run_copied: RunCopied, monkeypatch: pytest.MonkeyPatch
) -> None:
    command, *_, code, _ = copied(answer(tab, values))
    run_copied(tab, values, command)  # in the folder with the files
    assert "\n)," not in code, "a call within a call is indented"
    printed: list[Any] = []
    exec(code, {"print": printed.append})
    record = json.loads(export(tab, "json", values))
    if tab == "compare":
        assert printed[0].scores["x"].items() <= record["predictions"][0]["scores"].items()
    elif tab == "threshold":
        assert printed[0]["best"]["token_fscore"] == record["best"]["token_fscore"]
        assert printed[1] == export("threshold", "txt", values).splitlines()
    else:
        scores = record["predictions"][0]["scores"]
        assert printed[0] == {key: scores[key] for key in printed[0]}
        assert printed[0]


@pytest.mark.parametrize(("tab", "values"), {case[0]: case[:2] for case in CASES}.values())
def test_every_tab_exports_its_formats(tab: str, values: dict[str, str]) -> None:
    files = {form: export(tab, form, values) for form in TABS[tab].exports}
    ElementTree.fromstring(files["svg"])
    assert files["csv"].count("\n") > 3
    assert files["md"].startswith("| score")
    assert files["tex"].startswith("\\begin{tabular}")
    assert files.get("html", "<!DOCTYPE html>").startswith("<!DOCTYPE html>")
    assert f"version = {{{segscores.__version__}}}" in copied(answer(tab, values))[-1]


@pytest.mark.parametrize(
    ("tab", "values", "problem"),
    [
        ("threshold", {"reference": '{"reference": "a b"}', "scores": "0.5"}, "# None: sweep takes a reference of text"),
        ("compare", compare_values('{"a": "x y"}\n{"a": "z"}', {"p": '{"b": "xy"}\n{"b": "z"}', "q": '{"c": "x y"}\n{"c": "z"}'}),
         "# None: it reads one column of all predictions, and these are b, c."),
    ],
)  # fmt: skip
def test_the_page_says_why_a_command_cannot_read_the_texts(tab: str, values: dict[str, str], problem: str) -> None:
    assert copied(answer(tab, values))[0].startswith(problem)


def test_a_paper_has_a_table_in_latex_and_a_sentence_on_methods() -> None:
    found = html.unescape(answer("score", {"reference": "a b c", "prediction": "a bc"}).html or "")
    folded = dict(re.findall(r'<details class="copyable"><summary>(.*?)</summary><pre[^>]*>(.*?)</pre>', found, re.S))
    # 1 of 2 predicted and of 3 reference words is right; 1 of 1 predicted and of 2 reference boundaries.
    row = "prediction.txt & 1.000 & 0.500 & 0.667 & 0.500 & 0.333 & 0.400 & 0.500 & 0.333 & 0.400 \\\\"
    assert row in folded["This table in LaTeX"].splitlines()
    assert folded["This table in LaTeX"].startswith("% Needs \\usepackage{booktabs}.")
    assert f"segscores {segscores.__version__} \\citep{{segscores}}" in folded["For the section on methods"]
    assert "author = {{The authors of segscores}}" in found
