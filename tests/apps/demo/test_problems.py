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
        ("score", {"reference": "a b\n" + "a" * 12_000, "prediction": "a b\n" + "b" * 12_000, "on_mismatch": "align"}, "", "line 2: 144,000,000 pairs .* takes 100,000,000.*: segscores score reference.txt prediction.txt --on-mismatch align"),
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
@pytest.mark.parametrize(
    ("key", "value", "shows"),
    [("", "", True), ("file", "a.csv", False), ("column", "text", False)],
    ids=["text", "a table by its name", "a table by its column"],
)
def test_lines_that_differ_are_shown_and_rows_are_not(key: str, value: str, shows: bool) -> None:
    """A row of a table may have several lines."""
    values = {"reference": "id,text\n1,the dog\n", "prediction": "id,text\n1,the cat\n"}
    problem = answer("score", values | {f"{box}.{key}": value for box in ("reference", "prediction")}).problem
    assert ("the units differ" in problem, 'class="places"' in problem) == (True, shows)


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


def test_a_line_that_differs_is_shown_on_both_sides() -> None:
    found = answer("score", {"reference": "the dog\nlittle cat", "prediction": "the dog\nlitxle cat"})
    assert found.html is None
    marked = re.findall(r'data-box="(\w+)" data-line="1" data-start="(\d)"', found.problem)
    assert marked == [("reference", "3"), ("prediction", "3")]
    assert "lit<mark>t</mark>le cat" in found.problem
    assert "lit<mark>x</mark>le cat" in found.problem


@pytest.mark.parametrize(
    ("values", "place"),
    [
        ({"reference": CONLLU, "prediction": "thedoy"}, "reference.txt, sentence 1 and prediction.txt, line 1"),
        ({"reference": "thedoy", "prediction": CONLLU}, "reference.txt, line 1 and prediction.txt, sentence 1"),
    ],
)
def test_a_sentence_of_several_lines_is_not_shown_as_a_line(values: dict[str, str], place: str) -> None:
    found = answer("score", values)
    assert f"{place}: the units differ" in found.problem
    assert "<mark>" not in found.problem
    assert 'data-set="on_error=skip"' in found.problem


GOOD = "the dog"
BAD = "thx dog"


def packed(text: str) -> str:
    """Return the field of a box that holds a text as a packed file."""
    return base64.b64encode(gzip.compress(text.encode())).decode()


@pytest.mark.parametrize(
    ("values", "boxes"),
    [
        ({"reference": GOOD, "prediction": GOOD, "prediction_b": BAD}, ["reference", "prediction_b"]),
        (
            {"reference": GOOD, "prediction": GOOD, "prediction_b": BAD, "only": "prediction_b"},
            ["reference", "prediction_b"],
        ),
        (
            {"reference": GOOD, "prediction": " ", "prediction_b": GOOD, "prediction_c": BAD},
            ["reference", "prediction_c"],
        ),
        ({"reference": GOOD, "prediction.bytes": packed(GOOD), "prediction_b": BAD}, ["reference", "prediction_b"]),
        # A box with a packed file has no text, so that nothing is shown, and no box in its place.
        ({"reference": GOOD, "prediction.bytes": packed(BAD), "prediction_b": GOOD}, []),
        ({"reference.bytes": packed(GOOD), "prediction": BAD, "prediction_b": GOOD}, []),
    ],
)
def test_a_line_that_differs_is_shown_in_its_own_boxes(values: dict[str, str], boxes: list[str]) -> None:
    names = {name.replace(".bytes", ".file"): f"{name}.gz" for name in values if name.endswith(".bytes")}
    found = answer("desk", {**values, **names})
    assert "line 1: the units differ at offset 2" in found.problem
    assert re.findall(r'data-box="(\w+)" data-line', found.problem) == boxes
    marked = ["e", "x"] if boxes else []
    assert re.findall(r"<mark>(\w)</mark>", found.problem) == marked


def test_lines_that_would_take_long_to_align_are_refused_with_the_command() -> None:
    """10,001 units of each side are 100,020,001 pairs."""
    values = {"reference": "ok\n" + "a" * 10_001, "prediction": "ok\n" + "b" * 10_001, "on_mismatch": "align"}
    found = answer("score", values)
    assert found.html is None
    assert re.search(
        r"line 2: 100,020,001 pairs of units to align, in all 100,020,001; .* 100,000,000\.", found.problem
    )
    assert "segscores score" in found.problem
