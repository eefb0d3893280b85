# ruff: noqa: E501
"""The tab Score: what it answers, that its exports are those of the command, and a visit in a browser."""

from __future__ import annotations

import base64
import gzip
import json
import re
import shlex

import pytest

from segscores.demo.answers import answer, export

from .answers import CONLLU, check_problem, copied, shown
from .conftest import RunCopied

TEXT = {
    "reference": "the dog is on the boat\nlook at the little dog",
    "prediction": "thedog is on the boat\nlook at the lit tle dog",
}


def test_scores_show_what_is_divided() -> None:
    text = shown(answer("score", {**TEXT, "scores": "token,windows,word_error"}))
    # thedog and lit, tle are wrong: 8 of 11 predicted and of 11 reference words are right.
    assert "8 of 11 words found · word F 0.73" in text
    assert "token_ precision 0.7273 8 / 11" in text
    assert "word_ deletions lower is better 1 " in text


@pytest.mark.parametrize(
    ("values", "options"),
    [
        (TEXT, []),
        ({**TEXT, "scores": "token,windows", "window_size": "3", "confidence": "0.9"}, ["--scores", "token,windows", "--window-size", "3"]),
        ({"reference": "a b WORD_BOUNDARY c\nd e", "prediction": "a WORD_BOUNDARY b c\nd e"}, []),
        ({"reference": CONLLU, "prediction": CONLLU}, []),
        ({"reference": CONLLU, "prediction": "thedog"}, []),
        ({"reference": '{"gold": ["the", "dog"]}\n', "prediction": '{"a": ["thedog"], "b": ["the", "dog"]}\n', "prediction.column": "b"}, ["--columns", "gold,b"]),
        ({"reference": "the dog\na b", "prediction": "the dog\na x", "on_mismatch": "skip"}, ["--on-mismatch", "skip"]),
        ({**TEXT, "reference.file": "my test.txt"}, ["my test.txt"]),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_command_computes_what_the_page_shows(
    values: dict[str, str], options: list[str], run_copied: RunCopied
) -> None:
    command = copied(answer("score", values))[0]
    assert [word for word in options if word not in shlex.split(command)] == []
    assert json.loads(export("score", "json", values)) == run_copied("score", values, command, "--counts")


def test_the_python_code_computes_what_the_page_shows() -> None:
    _, code, citation = copied(answer("score", {**TEXT, "scores": "token"}))
    names: dict = {}
    exec(code.removesuffix("print(found)"), names)
    assert names["found"]["token_precision"] == pytest.approx(8 / 11)
    assert citation.startswith("@software{segscores,")


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_line_that_differs_is_shown_on_both_sides_and_can_be_left_out() -> None:
    values = {"reference": "the dog\nlittle cat", "prediction": "the dog\nlitxle cat"}
    found = answer("score", values)
    assert found.html is None
    assert re.findall(r'data-box="(\w+)" data-line="1" data-start="(\d)"', found.problem) == [
        ("reference", "3"),
        ("prediction", "3"),
    ]
    assert "lit<mark>t</mark>le cat" in found.problem
    assert "lit<mark>x</mark>le cat" in found.problem
    assert "1 of 2 lines left out" in shown(answer("score", {**values, "on_mismatch": "skip"}))


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"window_size": "0"}, "data-at=\"window_size\".*window_size: expected .* received 0"),
        ({"scores": "tokens"}, "tokens.*token"),
        ({"reference.file": "a.parquet", "reference.bytes": "UEFSMQ=="}, "a.parquet is a table.*segmentation-scores score a.parquet PREDICTION"),
        ({"reference.bytes": base64.b64encode(b"a \xff").decode()}, "line 1: the byte 0xff at offset 2 is not valid UTF-8"),
        ({"reference": "a\0b"}, "line 1: .*NUL character"),
        ({"reference": '{"a": "x", "b": "y"}'}, "columns a, b: choose the one"),
        ({"prediction": "the dog is on the boat"}, "reference.txt has 2 lines and prediction.txt has 1 line"),
    ],
)  # fmt: skip
def test_problems_keep_the_results(values: dict[str, str], problem: str) -> None:
    check_problem(answer("score", TEXT | values), problem)


def test_a_packed_file_is_read() -> None:
    packed = {
        "reference.bytes": base64.b64encode(gzip.compress(TEXT["reference"].encode())).decode(),
        "reference.file": "gold.txt.gz",
    }
    assert shown(answer("score", {"prediction": TEXT["prediction"]} | packed)).startswith("8 of 11 words found")
