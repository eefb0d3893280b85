"""The tab Alignment: its scores, its links, and that its exports are those of the command."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

from segscores.demo.answers import answer, export

from .answers import check_problem, copied, shown
from .conftest import RunCopied

Bisegments = list[tuple[tuple[int, ...], tuple[int, ...]]]
REFERENCE: Bisegments = [((0,), (0,)), ((1,), (1, 2)), ((2, 3), (3,))]
PREDICTION: Bisegments = [((0,), (0,)), ((1,), (1,)), ((2,), (2, 3)), ((3,), ())]
SOURCES = ["One two.", "Three four five six.", "Seven.", "Eight nine."]
TARGETS = ["Eins zwei.", "Drei vier.", "Fünf sechs.", "Sieben acht neun."]


def written(bisegments: Bisegments) -> str:
    return "\n".join(f"{list(source)}:{list(target)}".replace(" ", "") for source, target in bisegments)


def pairs(bisegments: Bisegments) -> set[tuple[int, int]]:
    return {(s, t) for source, target in bisegments for s in source for t in target}


PLAIN = {"reference": written(REFERENCE), "prediction": written(PREDICTION)}
VALUES = {**PLAIN, "sources": "\n".join(SOURCES), "targets": "\n".join(TARGETS)}


def expected_scores() -> dict[str, float]:
    """ARCADE's scores: precision and recall of sets whose members weigh something."""
    found: dict[str, float] = {}
    levels = {"alignment": None, "sentence": lambda text: 1, "word": lambda text: len(text.split()), "character": len}
    for level, measure in levels.items():
        reference, prediction = (
            {(s, t): measure(SOURCES[s]) * measure(TARGETS[t]) for s, t in pairs(side)} if measure else dict.fromkeys(side, 1)
            for side in (REFERENCE, PREDICTION)
        )  # fmt: skip
        both = sum(weight for member, weight in reference.items() if member in prediction)
        left, right = sum(reference.values()), sum(prediction.values())
        shares = {"precision": both / right, "recall": both / left, "fscore": 2 * both / (left + right)}
        found |= {f"{level}_{name}": share for name, share in shares.items()}
    return found


def test_all_granularities_are_scored_and_the_links_are_drawn() -> None:
    found = answer("alignment", VALUES)
    text = shown(found).replace("_ ", "_")
    assert [key for key, value in expected_scores().items() if f"{key} {value:.4f}" not in text] == []
    assert found.notes == {
        "reference": "3 bisegments",
        "prediction": "4 bisegments",
        "sources": "4 segments",
        "targets": "4 segments",
    }
    both = pairs(REFERENCE) & pairs(PREDICTION)
    for kind, members in (("both", both), ("missed", pairs(REFERENCE) - both), ("wrong", pairs(PREDICTION) - both)):
        assert (found.html or "").count(f'<path class="{kind}"') == len(members)


def test_without_the_texts_there_are_the_scores_of_bisegments_and_segments() -> None:
    text = shown(answer("alignment", PLAIN)).replace("_ ", "_")
    assert "sentence_recall 0.6000" in text
    assert "word_recall" not in text
    many: Bisegments = [((number,), (number,)) for number in range(80)]
    values = {"reference": written(many), "prediction": written(many[:40])}
    text = shown(answer("alignment", values)).replace("_ ", "_")
    assert "these texts have 80. All are scored." in text
    assert "alignment_recall 0.5000" in text
    ElementTree.fromstring(export("alignment", "svg", values))


@pytest.mark.parametrize("values", [PLAIN, VALUES, {**PLAIN, "prediction": "[]:[]", "zero_division": "1"}])
def test_the_command_and_the_code_compute_what_the_page_shows(
    values: dict[str, str], run_copied: RunCopied, capsys: pytest.CaptureFixture[str]
) -> None:
    command, code, _ = copied(answer("alignment", values))
    record = json.loads(export("alignment", "json", values))
    assert record == run_copied("alignment", values, command)
    exec(code)
    assert eval(capsys.readouterr().out) == record["predictions"][0]["scores"]
    ElementTree.fromstring(export("alignment", "svg", values))


@pytest.mark.parametrize(
    ("values", "box", "problem"),
    [
        ({"reference": "[0]:[0]\n[1]-[1]"}, "reference", r"reference.txt, line 2: received '\[1\]-\[1\]'"),
        ({"prediction": "1 to 1"}, "prediction", "line 1: received '1 to 1'"),
        ({"prediction": "[9]:[0]"}, "prediction", "line 1: .*9"),
        ({"sources": ""}, "sources", "the sources are missing"),
        ({"targets": ""}, "targets", "the targets are missing"),
        ({"reference": f"{list(range(1001))}:{list(range(1000))}"}, "reference", "joins 1,001,000 pairs"),
    ],
)
def test_problems_are_reported_at_their_box(values: dict[str, str], box: str, problem: str) -> None:
    check_problem(answer("alignment", VALUES | values), problem, box)
