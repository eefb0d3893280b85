# ruff: noqa: E501
"""Tests that an error is shown where it is (at a box, a line or a control), and that the last results stay."""

from __future__ import annotations

import base64
import gzip
import html
import re

import pytest

from segscores.apps.demo.answers import answer

from .answers import ALIGNMENT, COMPARED, CONLLU, DIFFICULTY, SCORE, SENTENCES, SYSTEMS, THRESHOLD, compare_values

COMPARE = compare_values()
TWO_COLUMNS = '{"a": "x", "b": "y"}'


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    ("tab", "values", "box", "problem"),
    [
        ("score", {**SCORE, "window_size": "0"}, "window_size", "Window size: expected .* received 0"),
        ("score", {**SCORE, "scores": "tokens"}, "", "tokens.*token"),
        ("score", {"reference": "ผม|ไม่", "prediction": "ผมไม่", "text_format": "units"}, "", r"(?s)did you mean Text format: separated,words and Separator: \|\?.*"
         r"data-set=.text_format=separated,words."),
        ("score", {**SCORE, "reference.file": "a.parquet"}, "reference", "a.parquet is a table.*segscores score a.parquet PREDICTION"),
        ("score", {**SCORE, "reference.bytes": base64.b64encode(b"a \xff").decode()}, "", "line 1: the byte 0xff at offset 2 is not valid UTF-8"),
        ("compare", {**COMPARE, "prediction.file": "a.parquet"}, "prediction", "a.parquet is a table.*segscores compare REFERENCE a.parquet PREDICTION_B<"),
        ("compare", {**COMPARE, "prediction_b.file": "a.parquet"}, "prediction_b", "segscores compare REFERENCE PREDICTION a.parquet<"),
        ("score", {**SCORE, "reference": TWO_COLUMNS}, "reference", "columns a, b: choose the one"),
        ("score", {**SCORE, "prediction": "the dog is on the boat"}, "", "reference.txt has 2 lines and prediction.txt has 1 line"),
        ("compare", compare_values(systems={"a": SYSTEMS["old"], "b": "他\n笑\n了"}), "", "b.txt, line 1: the units differ at offset 0"),
        ("compare", compare_values(systems={"a": "他", "b": COMPARED}), "", "reference.txt has 3 lines and a.txt has 1 line"),
        ("compare", compare_values("约翰", {"a": "约翰", "b": "约翰"}), "", "at least two utterances"),
        ("compare", compare_values(systems={"x": COMPARED, "x ": COMPARED}), "prediction_b", "two systems have the name 'x'"),
        ("compare", {"reference": '{"reference": "a b", ' + ", ".join(f'"s{number}": "ab"' for number in range(11)) + "}\n"}, "reference", "11 columns beside reference, and the page compares up to 10 systems: leave some out"),
        ("compare", {**COMPARE, "baseline": "newer"}, "", "unknown baseline 'newer'"),
        ("score", {"reference": "ok\n" + "a" * 10_001, "prediction": "ok\n" + "b" * 10_001, "on_mismatch": "align"}, "", "line 2: 100,020,001 pairs of units to align, in all 100,020,001; .* takes 100,000,000.*: segscores score reference.txt prediction.txt --on-mismatch align"),
        ("compare", compare_values("a" * 9_000, {"x": "b" * 9_000, "y": "a b" * 3_000}, on_mismatch="align"), "", "line 1: 135,000,000 pairs .*: segscores compare .* --on-mismatch align"),
        ("compare", compare_values(systems={"a": COMPARED}), "", "Waiting for the reference and two predictions"),
        ("threshold", {**THRESHOLD, "scores": "0.1 0.2\n0.1\n0.5"}, "scores", "scores.txt, line 1: .*2"),
        ("threshold", {**THRESHOLD, "scores": "0.1 x"}, "scores", "scores.txt, line 1: received '0.1 x'; expected a JSON list of numbers, such as .* or numbers separated by spaces"),
        ("threshold", {**THRESHOLD, "scores": "nan " * 11 + "\n" + "0.1 " * 8 + "\n0.1"}, "scores", "nan"),
        ("threshold", {**THRESHOLD, "ratio": "2"}, "", "λ: expected a share from 0 to 1, received '2'"),
        ("threshold", {**THRESHOLD, "reference": TWO_COLUMNS}, "reference", "columns a, b: choose the one"),
        ("difficulty", {**DIFFICULTY, "committee": "the cat\nhi her"}, "committee", "the units differ"),
        ("difficulty", {**DIFFICULTY, "committee": "a\n---\n" * 101}, "committee", "expected a committee of up to 100, received 102"),
        ("difficulty", {**DIFFICULTY, "prediction": "the cat is here\nhi her"}, "", "the units differ at offset 3"),
        ("difficulty", {**DIFFICULTY, "committee": ""}, "", "Waiting for committee"),
        ("alignment", {**ALIGNMENT, "reference": "[0]:[0]\n[1]-[1]"}, "reference", r"reference.txt, line 2: received '\[1\]-\[1\]'"),
        ("alignment", {**ALIGNMENT, "prediction": "1 to 1"}, "prediction", "line 1: received '1 to 1'"),
        ("alignment", {**ALIGNMENT, **SENTENCES, "prediction": "[9]:[0]"}, "prediction", "line 1: .*9"),
        ("alignment", {**ALIGNMENT, "targets": "a"}, "sources", "the sources are missing"),
        ("alignment", {**ALIGNMENT, "sources": "a"}, "targets", "the targets are missing"),
        ("alignment", {**ALIGNMENT, "reference": f"{list(range(1001))}:{list(range(1000))}"}, "reference", "joins 1,001,000 pairs"),
        ("try", {"reference": "a b\nc", "prediction": "ab\nc"}, "reference", "one sentence of up to 80 characters, received 2 lines"),
        ("try", {"reference": "a " * 81, "prediction": "a" * 81}, "reference", "received 81"),
        ("learn", {"reference": "a b\nc", "prediction": "ab\nc"}, "reference", "expected one sentence of up to 200 units, received 2 utterances"),
        ("learn", {"reference": "a " * 201, "prediction": "a" * 201}, "reference", "received one of 201 units"),
        ("learn", {"reference": '{"reference": ""}', "prediction": '{"prediction": ""}'}, "reference", "received one of 0 units"),
        ("learn", {"reference": "a b", "prediction": "ab", "question": "none"}, "", "no question 'none': expected one of one-cut"),
    ],
)  # fmt: skip
def test_a_problem_says_where_it_is(tab: str, values: dict[str, str], box: str, problem: str) -> None:
    found = answer(tab, values)
    assert found.html is None
    assert re.search(problem, html.unescape(found.problem)), found.problem
    assert re.findall('data-at="(.*?)"', found.problem) == [box] * bool(box)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_morphemes_that_do_not_spell_their_word_are_compared() -> None:
    systems = {"a": "accura cy\ncats", "b": "accurate cy\ncats"}
    found = answer("compare", {**compare_values("accurate cy\ncat s", systems), "scores": "morpheme"})
    assert found.problem == ""
    assert "0.5714" in found.html  # b has 2 of 3 predicted and 4 reference morphemes: 2 · 2 / 7
    assert "<mark" not in found.html


@pytest.mark.parametrize("sections", ["", "scores,errors,baselines"])
def test_morphemes_alone_are_scored_without_errors_of_words(sections: str) -> None:
    values = {"reference": "play ed\ndog s", "prediction": "play ed\ndogs", "scores": "morpheme", "sections": sections}
    found = answer("score", values)
    assert found.problem == ""
    assert "0.5714" in found.html  # 2 of 3 predicted and 4 reference morphemes: 2 · 2 / 7
    assert "morphemes are compared by themselves" in found.html
    assert "over-segmented" not in found.html


GOOD = "the dog"
BAD = "thx dog"
#: A file in two boxes, packed.
PACKED = {
    name: base64.b64encode(gzip.compress(text.encode())).decode() for name, text in (("good", GOOD), ("bad", BAD))
}
SENTENCE = {"reference": CONLLU, "prediction": "thedoy"}
TABLES = {"reference": "id,text\n1,the dog\n", "prediction": "id,text\n1,the cat\n"}
OF_B = ["reference 0 2", "prediction_b 0 2"]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    ("tab", "values", "shown", "marked", "problem"),
    [
        ("score", {"reference": "the dog\nlittle cat", "prediction": "the dog\nlitxle cat"},
         ["reference 1 3", "prediction 1 3"], ["lit<mark>t</mark>le cat", "lit<mark>x</mark>le cat"], "line 2: the units differ"),
        ("desk", {"reference": GOOD, "prediction": GOOD, "prediction_b": BAD}, OF_B, ["<mark>e</mark>", "<mark>x</mark>"], ""),
        ("desk", {"reference": GOOD, "prediction": GOOD, "prediction_b": BAD, "only": "prediction_b"}, OF_B, ["<mark>x</mark>"], ""),
        ("desk", {"reference": GOOD, "prediction": " ", "prediction_b": GOOD, "prediction_c": BAD},
         ["reference 0 2", "prediction_c 0 2"], ["<mark>e</mark>", "<mark>x</mark>"], ""),
        ("desk", {"reference": GOOD, "prediction.bytes": PACKED["good"], "prediction.file": "p.gz", "prediction_b": BAD}, OF_B,
         ["<mark>e</mark>", "<mark>x</mark>"], ""),
        # A box with a packed file has no text, so that nothing is shown, and no box in its place.
        ("desk", {"reference": GOOD, "prediction.bytes": PACKED["bad"], "prediction.file": "p.gz", "prediction_b": GOOD}, [], [], ""),
        ("desk", {"reference.bytes": PACKED["good"], "reference.file": "r.gz", "prediction": BAD, "prediction_b": GOOD}, [], [], ""),
        # A sentence has several lines, and so may a row of a table.
        ("score", SENTENCE, [], [], "reference.txt, sentence 1 and prediction.txt, line 1: the units differ"),
        ("score", {"reference": "thedoy", "prediction": CONLLU}, [], [], "reference.txt, line 1 and prediction.txt, sentence 1: "),
        ("score", TABLES, ["reference 1 6", "prediction 1 6"], ["<mark>d</mark>", "<mark>c</mark>"], ""),
        ("score", TABLES | {"reference.file": "a.csv", "prediction.file": "a.csv"}, [], [], ""),
        ("score", TABLES | {"reference.column": "text", "prediction.column": "text"}, [], [], ""),
    ],
)  # fmt: skip
def test_a_line_that_differs_is_shown_in_its_own_boxes(
    tab: str, values: dict[str, str], shown: list[str], marked: list[str], problem: str
) -> None:
    found = answer(tab, values)
    assert found.html is None
    assert (problem or "the units differ") in found.problem
    places = re.findall(r'data-box="(\w+)" data-line="(\d)" data-start="(\d)"', found.problem)
    assert [" ".join(place) for place in places] == shown
    assert [mark for mark in marked if mark not in found.problem] == []
    assert ("<mark>" in found.problem, 'class="places"' in found.problem) == (bool(shown), bool(shown))
    assert 'data-set="on_error=skip"' in found.problem
