"""The tab Difficulty: its scores, its drawing, and that its exports are those of the command."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import pytest

from segscores.demo.answers import answer, export

from ..naive import Corpus, spans
from ..naive_difficulty import naive_balanced
from .answers import check_problem, copied, shown
from .conftest import RunCopied

REFERENCE, PREDICTION = "the dog is here\nhi her", "thedog is here\nhi h er"
COMMITTEE = ["the dog is here\nhiher", "thedog is here\nhi her", "thedog is he re\nhi her", "the dog ishere\nhi her"]
VALUES = {"reference": REFERENCE, "prediction": PREDICTION, "committee": "\n---\n".join(COMMITTEE)}
GIVEN = [[0.5, 0.25, 1, 0], [0.125, 0.75]]
NUMBERS = {**VALUES, "difficulties": "\n".join(" ".join(map(str, line)) for line in GIVEN)}


def words(text: str) -> Corpus:
    return [[tuple(word) for word in line.split()] for line in text.split("\n")]


def rates() -> list[list[float]]:
    """For each reference word the share of the committee that misses it."""
    others = [[spans(line) for line in words(member)] for member in COMMITTEE]
    return [
        [sum(span not in other[at] for other in others) / len(COMMITTEE) for span in sorted(spans(line))]
        for at, line in enumerate(words(REFERENCE))
    ]


@pytest.mark.parametrize(
    ("values", "rated", "told"),
    [
        (VALUES, rates(), "Difficulties from a committee of 4."),
        ({**VALUES, "committee": "\n" + VALUES["committee"].replace("---", "---  \n") + "\n\n"}, rates(), "committee of 4."),
        (NUMBERS, GIVEN, "Difficulties from your numbers. The committee is not used."),
        ({**NUMBERS, "committee": "another text"}, GIVEN, "The committee is not used."),
    ],
    ids=["committee", "blank lines", "numbers", "unused"],
)  # fmt: skip
def test_words_are_rated_and_scored(values: dict[str, str], rated: list[list[float]], told: str) -> None:
    found = answer("difficulty", values)
    text = shown(found).replace("_ ", "_")
    assert told in text
    assert "2 of 4 words recovered; missed: the , dog" in text
    scores = naive_balanced(words(REFERENCE), words(PREDICTION), rated)
    assert [key for key, value in scores.items() if f"{key} {value:.4f}" not in text] == []
    found_words = [
        [span in spans(side) for span in sorted(spans(line))]
        for line, side in zip(words(REFERENCE), words(PREDICTION), strict=True)
    ]
    expected = [
        f"{rate:.2f} {'✓' if is_found else '✗'}"
        for pair in zip(rated, found_words, strict=True)
        for rate, is_found in zip(*pair, strict=True)
    ]
    assert re.findall("<rt>(.*?)</rt>", found.html or "") == expected


@pytest.mark.parametrize(
    "values",
    [
        VALUES,
        NUMBERS,
        {**VALUES, "zero_division": "1", "prediction.file": "my output.txt"},
        {
            "reference": "ab c WORD_BOUNDARY d\ne",
            "prediction": "ab WORD_BOUNDARY c d\ne",
            "committee": "ab WORD_BOUNDARY c WORD_BOUNDARY d\ne",
        },
        {"reference": '{"gold": "a b"}\n', "prediction": '{"out": "ab"}\n', "committee": '{"one": "ab"}\n'},
        {"reference": "a b\n\nc", "prediction": "ab\n\nc", "committee": "a b\n\nc\n---\nab\n\nc"},
    ],
    ids=["committee", "numbers", "options", "units", "JSON", "blank line"],
)
def test_the_command_and_the_code_compute_what_the_page_shows(
    values: dict[str, str], run_copied: RunCopied, capsys: pytest.CaptureFixture[str]
) -> None:
    command, code, _ = copied(answer("difficulty", values))
    record = json.loads(export("difficulty", "json", values))
    assert record == run_copied("difficulty", values, command)
    exec(code)
    printed = eval(capsys.readouterr().out)
    assert printed == {key: record["predictions"][0]["scores"][key] for key in printed}
    ElementTree.fromstring(export("difficulty", "svg", values))


@pytest.mark.parametrize(
    ("values", "box", "problem"),
    [
        ({"committee": "the cat\nhi her"}, "committee", "the units differ"),
        ({"committee": "a\n---\n" * 101}, "committee", "expected a committee of up to 100, received 102"),
        ({"difficulties": "0.5 0.5\n0.5 0.5"}, "difficulties", "line 1: received 2 difficulties, expected 4"),
        ({"difficulties": "0.5 x"}, "difficulties", "line 1: received .0.5 x.; expected a difficulty"),
        ({"difficulties": "0.5 2 1 0\n0 0"}, "difficulties", "line 1: word 1 has the difficulty 2.0"),
        ({"prediction": "the cat is here\nhi her"}, "", "the units differ at offset 3"),
    ],
)  # fmt: skip
def test_problems_are_reported_at_their_box(values: dict[str, str], box: str, problem: str) -> None:
    check_problem(answer("difficulty", VALUES | values), problem, box)


def test_nothing_that_rates_the_words_waits() -> None:
    assert "and a committee or difficulties" in answer("difficulty", VALUES | {"committee": ""}).problem
