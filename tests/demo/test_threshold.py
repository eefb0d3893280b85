"""The tab Threshold: its scores, its curves, and that its exports are those of the command."""

from __future__ import annotations

import html
import json
import math
import re
from xml.etree import ElementTree

import pytest

from segscores.demo.answers import answer, export

from ..naive import Corpus, cut, naive_scores
from .answers import CONLLU, check_problem, copied, shown
from .conftest import RunCopied

# 20 gaps in all, with a score of their own each, so that λ = k / 20 takes the best k.
REFERENCE = "the dog is here\nlook at her\nhi"
SCORES = [
    [0.11, 0.32, 0.83, 0.04, 0.25, 0.91, 0.16, 0.97, 0.28, 0.39, 0.40],
    [0.51, 0.02, 0.13, 0.74, 0.85, 0.66, 0.07, 0.18],
    [0.99],
]
VALUES = {"reference": REFERENCE, "scores": "\n".join(" ".join(map(str, line)) for line in SCORES)}
SHOWN = ("boundary_noedge", "token")


def scores_at(taken: int) -> dict[str, float]:
    """The naive scores with boundaries at the best gaps."""
    best = sorted((score for line in SCORES for score in line), reverse=True)[:taken]
    words: Corpus = [[tuple(word) for word in line.split()] for line in REFERENCE.split("\n")]
    lines = zip(REFERENCE.split("\n"), SCORES, strict=True)
    return naive_scores(
        words, [cut(line.replace(" ", ""), [score in best for score in scores]) for line, scores in lines]
    )


@pytest.mark.parametrize("share", [0.05, 0.25, 0.5, 1])
def test_scores_are_those_of_the_cut_at_the_share(share: float) -> None:
    expected = scores_at(round(20 * share))
    text = shown(answer("threshold", {**VALUES, "ratio": str(share)})).replace("_ ", "_")
    threshold = sorted((score for line in SCORES for score in line), reverse=True)[round(20 * share) - 1]
    assert f"λ = {share:g}: a gap is a boundary from a score of {threshold:g}" in text
    for group in SHOWN:
        for part in ("precision", "recall", "fscore"):
            assert f"{group}_{part} {expected[f'{group}_{part}']:.4f}" in text


def test_the_best_points_can_be_gone_to() -> None:
    found = answer("threshold", VALUES).html or ""
    every = [scores_at(taken) for taken in range(21)]
    for name, key in {"word precision": "token_precision", "word F-score": "token_fscore"}.items():
        best = max(range(21), key=lambda taken: every[taken][key])
        button = re.search(rf'data-set="ratio=([^"]+)">{name}: (\S+) at', found)
        assert button
        assert float(button[1]) == best / 20
        assert button[2] == f"{every[best][key]:.4f}"
    points = json.loads(html.unescape(re.search('data-points="([^"]*)"', found)[1]))  # type: ignore[index]
    assert points["ratio"] == [taken / 20 for taken in range(21)]
    assert points["word F-score"] == [round(scores["token_fscore"], 4) for scores in every]


@pytest.mark.parametrize(
    "values",
    [
        VALUES,
        {**VALUES, "scores": "\n".join(map(json.dumps, SCORES)), "scores.file": "scores.jsonl"},
        {"reference": CONLLU, "scores": "0.1 0.2 0.9 0.3 0.4", "ratio": "0.2"},
        {"reference": "ab c WORD_BOUNDARY d\ne", "scores": "0.5 0.7\n[]", "ratio": "0.5"},
        {"reference": "a bc", "scores": "0.1 0.2 0.9", "label_scheme": "start", "zero_division": "1", "ratio": "0.5"},
    ],
    ids=["spaces", "JSON", "CoNLL-U", "units", "options"],
)
def test_the_commands_compute_what_the_page_shows(values: dict[str, str], run_copied: RunCopied) -> None:
    found = answer("threshold", values)
    assert found.html, found.problem
    exported = json.loads(export("threshold", "json", values))
    curve, at = copied(found)[:2]
    expected = {name: exported[name] for name in exported if name not in ("at", "curve")}
    assert run_copied("threshold", values, curve) == expected
    printed = run_copied("threshold", values, at)
    assert {key: point["score"] for key, point in printed["best"].items()} == {
        key: exported["at"][key] for key in printed["best"]
    }
    assert printed["signature"] in html.unescape(found.html)
    header, first, *_ = export("threshold", "csv", values).split("\n")
    assert header.startswith("threshold,ratio,boundary_all_precision")
    assert first.startswith("inf,0.0,")


def test_the_python_code_computes_what_the_page_shows(capsys: pytest.CaptureFixture[str]) -> None:
    exec(copied(answer("threshold", {**VALUES, "ratio": "0.25"}))[2], {})
    # The five best of the gaps are .99, .97, .91, .85 and .83.
    assert capsys.readouterr().out.splitlines()[-1] == "['the dog is here', 'looka ther', 'h i']"


@pytest.mark.parametrize(
    ("values", "box", "problem"),
    [
        ({"scores": "0.1 0.2\n0.1\n0.5"}, "scores", "scores.txt, line 1: .*2"),
        ({"scores": "0.1 x"}, "scores", "scores.txt, line 1: received '0.1 x'; expected a score for each gap"),
        ({"scores": "nan " * 11 + "\n" + "0.1 " * 8 + "\n0.1"}, "scores", "nan"),
        ({"ratio": "2"}, "", "λ: expected a share from 0 to 1, received '2'"),
        ({"reference": '{"a": "x", "b": "y"}'}, "reference", "columns a, b: choose the one"),
    ],
    ids=["too few", "no number", "not finite", "share", "columns"],
)
def test_a_problem_says_where_it_is(values: dict[str, str], box: str, problem: str) -> None:
    check_problem(answer("threshold", VALUES | values), problem, box)


def test_a_reference_in_json_lines_has_no_command() -> None:
    found = answer("threshold", {"reference": '{"reference": "a b"}', "scores": "0.5"})
    assert copied(found)[0].startswith("# None: sweep takes a reference of text")


def test_the_picture_has_the_curves_with_their_best_points_and_the_share() -> None:
    picture = ElementTree.fromstring(export("threshold", "svg", {**VALUES, "ratio": "0.25"}))
    assert len(picture.findall(".//{*}circle")) == 4
    (line,) = (each for each in picture.findall(".//{*}path") if each.get("class") == "axis at")
    left, right = (
        float(x) for x in re.findall(r"[\d.]+", picture.findall(".//{*}path[@class='axis']")[0].get("d", ""))[0::3]
    )
    at = float(re.findall(r"[\d.]+", line.get("d", ""))[0])
    assert math.isclose((at - left) / (right - left), 0.25, abs_tol=1e-3)
