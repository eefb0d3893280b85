"""The tab Learn: windows, formulas, the segmenters of Table 1, and the questions."""

from __future__ import annotations

import json
import math
import random
import re
from xml.etree import ElementTree

import pytest

from segscores.apps.demo.answers import answer, export
from segscores.apps.demo.assets import shell
from segscores.apps.demo.lessons import QUESTIONS
from segscores.scoring.measures.registry import heading_of

from ...naive import naive_scores, naive_windows_scores
from .answers import copied, shown, words


def naive_of(name: str) -> dict[str, dict[str, float]]:
    """The naive scores of each prediction of a question."""
    asked = QUESTIONS[name]
    sides = {each: (words(asked.reference), words(text)) for each, text in asked.predictions.items()}
    k = int(asked.window_sizes[0] or 2)
    return {each: naive_scores(*pair) | naive_windows_scores(*pair, k) for each, pair in sides.items()}


def test_the_windows_that_are_drawn_add_up_to_the_scores() -> None:
    draw = random.Random(7)
    for _ in range(40):
        units = [draw.choice("abcd字") for _ in range(draw.randint(2, 30))]
        sides = ["".join(unit + " " * (draw.random() < 0.4) for unit in units).strip() for _ in range(2)]
        size = draw.choice([draw.randint(1, len(units) + 1), "utterance"])
        k = size if isinstance(size, int) else max(2, round(len(units) / (2 * len(sides[0].split()))))
        values = {"reference": sides[0], "prediction": sides[1], "window_size": str(size)}
        found = answer("learn", values)
        windows = re.findall(
            r'<li title="(\d+) boundar(?:y|ies) in the reference, (\d+) in the prediction[^"]*"( data-pk)?( data-window_diff)?>',
            found.html or "",
        )
        expected = naive_windows_scores(words(sides[0]), words(sides[1]), k, math.nan)
        assert len(windows) == max(0, len(units) - k)
        for key, marked in (("pk", 2), ("window_diff", 3)):
            share = sum(bool(window[marked]) for window in windows) / len(windows) if windows else math.nan
            assert share == pytest.approx(expected[key], nan_ok=True)
        assert [bool(left != right) for left, right, *_ in windows] == [bool(window[3]) for window in windows]


def test_table_1_has_its_segmenters_and_exports_all_of_them() -> None:
    """The texts of Table 1 of Shao, Hardmeier & Nivre (2017), in which T1 and T2 cut everywhere and nowhere."""
    question = QUESTIONS["table-1"]
    assert [*question.predictions.values()][2:] == ["John likesMary", "John l i k e s M a r y", "John likes M a r y"]
    record = json.loads(export("learn", "json", {"question": "table-1"}))
    assert [each["prediction"] for each in record["predictions"]] == ["T1", "T2", "S1", "S2", "S3"]
    ElementTree.fromstring(export("learn", "svg", {"question": "table-1"}))


@pytest.mark.parametrize("name", [name for name, question in QUESTIONS.items() if not question.goal])
def test_a_question_is_answered_with_computed_numbers(name: str) -> None:
    question = QUESTIONS[name]
    assert f'href="#learn/{name}"' in shell()
    text = shown("learn", {"question": name})
    assert question.title in text
    numbers = [{key: f"{scores[key]:.3f}" for key in question.keys} for scores in naive_of(name).values()]
    told = question.answer.format(*numbers)
    assert told != question.answer
    assert " ".join(told.split()) in text
    # Only the citation can be copied: a command could name only one of the predictions.
    assert len(copied(answer("learn", {"question": name}))) == 1


#: What a question asks: an F-score if it is about one, of several predictions one score, of one prediction two.
ASKED = {
    **dict.fromkeys(["one-cut", "table-1", "table-1-chinese"], "which has the highest Word F-score?"),
    "precision-recall": "which has the highest Boundary F-score (without edges)?",
    "near-miss": "which has the highest Boundary F-score (without edges)?",
    "everywhere": "which has the highest Boundary F-score (without edges)?",
    "edges": "which has the highest Boundary F-score (without edges)?",
    "windows": "which is higher, Pk or WindowDiff?",
    "window-size": "which is higher, Pk or WindowDiff?",
    "types": "which is higher, Word F-score or Word type F-score?",
}


def test_each_question_asks_something() -> None:
    assert ASKED.keys() == {name for name, question in QUESTIONS.items() if not question.goal}


@pytest.mark.parametrize("name", ASKED)
def test_the_guess_is_judged_by_the_naive_scores(name: str) -> None:
    question = QUESTIONS[name]
    scores = naive_of(name)
    if len(scores) > 1:
        (key,) = question.guessed_keys
        values = {each: round(scores[each][key], 3) for each in scores}
    else:
        (only,) = scores.values()
        values = {heading_of(key): round(only[key], 3) for key in question.guessed_keys}
    highest = [each for each, value in values.items() if value == max(values.values())]
    right = highest[0] if len(highest) == 1 else "several are equal"
    assert "Guess before you see the numbers" in shown("learn", {"question": name})
    for guess in (*values, "several are equal"):
        told = "✓ Right:" if guess == right else "✗ Not so:"
        text = shown("learn", {"question": name, "guess": guess})
        assert told in text
        assert f"{ASKED[name]} {right} ." in text


#: A question, the prediction with the higher score, the other one, and the score.
HIGHER = [
    ("one-cut", "one too many", "one too few", "token_fscore"),
    ("one-cut", "one too few", "one too many", "token_precision"),
    ("one-cut", "one too many", "one too few", "boundary_noedge_fscore"),
    ("one-cut", "one too few", "one too many", "type_fscore"),
    ("near-miss", "no boundary", "one character off", "boundary_noedge_fscore"),
    ("table-1", "T2", "T1", "token_tnr"),
    ("table-1", "S1", "S2", "token_precision"),
]


def test_the_answers_say_what_the_numbers_show() -> None:
    for question, higher, lower, key in HIGHER:
        assert naive_of(question)[higher][key] > naive_of(question)[lower][key], (question, key)
    of_edges, extra = naive_of("edges")["nowhere"], naive_of("windows")["an extra cut"]
    rare = naive_of("types")["rare words cut"]
    assert len({scores["window_diff"] for scores in naive_of("one-cut").values()}) == 1
    assert {scores["token_fscore"] for scores in naive_of("everywhere").values()} == {0}
    assert of_edges["boundary_all_fscore"] > of_edges["boundary_noedge_fscore"] == 0
    assert extra["pk"] == 0 < extra["window_diff"]
    assert rare["token_recall"] > 0.5 > rare["type_recall"]
    english, chinese = naive_of("table-1"), naive_of("table-1-chinese")
    assert english["S1"]["token_recall"] == english["S2"]["token_recall"]
    assert english["S3"]["token_recall"] == pytest.approx(2 / 3)
    assert english["S1"]["token_tnr"] == english["T2"]["token_tnr"]
    near, none = naive_of("near-miss").values()
    assert near["pk"] == near["window_diff"] == none["pk"] == none["window_diff"]
    much, little = naive_of("precision-recall").values()
    assert much["boundary_noedge_recall"] == little["boundary_noedge_precision"] == 1
    assert much["token_precision"] < much["token_recall"]
    assert little["token_precision"] > little["token_recall"]
    everywhere, nowhere = naive_of("everywhere").values()
    assert (everywhere["pk"] < nowhere["pk"], everywhere["window_diff"]) == (True, 1)
    assert chinese["S2"]["token_precision"] > english["S2"]["token_precision"]


def test_a_larger_window_sees_fewer_errors_with_pk_and_more_with_windowdiff() -> None:
    question = QUESTIONS["window-size"]
    sides = words(question.reference), words(*question.predictions.values())
    for size in question.window_sizes:
        expected = naive_windows_scores(*sides, int(size))
        text = shown("learn", {"question": "window-size", "window_size": size})
        assert f"With the k above, Pk is {expected['pk']:.3f} and WindowDiff {expected['window_diff']:.3f}." in text
    few, many = (naive_windows_scores(*sides, size) for size in (2, 8))
    assert few["pk"] > many["pk"]
    assert few["window_diff"] < many["window_diff"]
    # Of another question the size is its own.
    assert "so 5 characters" in shown("learn", {"question": "windows", "window_size": "8"})


@pytest.mark.parametrize("name", [name for name, question in QUESTIONS.items() if question.goal])
def test_a_challenge_holds_where_the_naive_scores_say_so(name: str) -> None:
    question = QUESTIONS[name]
    (start,) = question.predictions.values()
    letters, cuts = (
        start.replace(" ", ""),
        {len(start[:at].replace(" ", "")) for at, sign in enumerate(start) if sign == " "},
    )
    sides = (words(question.reference), words(start))
    k = int(question.window_sizes[0] or 2)
    before = naive_scores(*sides) | naive_windows_scores(*sides, k)
    found = []
    for gap in range(len(letters)):
        boundaries = cuts ^ {gap} if gap else cuts
        text = "".join(" " * (at in boundaries) + letter for at, letter in enumerate(letters))
        after = naive_scores(sides[0], words(text)) | naive_windows_scores(sides[0], words(text), k)
        order = {"lower": -1, "the same": 0, "higher": 1}
        holds = gap > 0 and all(
            after[key] == wanted if isinstance(wanted, float)
            else (after[key] > before[key]) - (after[key] < before[key]) == order[wanted]
            for key, wanted in question.goal.items()
        )  # fmt: skip
        assert ("✓ Solved." in shown("learn", {"question": name, "prediction": text})) == holds, text
        found.append(holds)
    assert 0 < sum(found) < len(found) - 1
    # Two clicks are too many, and what has other letters is no answer.
    assert "✗ 2 of 1 gap changed" in shown("learn", {"question": name, "prediction": " ".join(letters[:3]) + start[3:]})
    assert "✗ 0 of 1 gap changed" in shown("learn", {"question": name, "prediction": "other text"})
