"""Morphemes: figures of the official script, by category, and definitions on random words."""

import json
import re
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from segscores import score, score_by

from ...apps.command.running import run_command
from ...corpora import Corpus
from ...naive import levenshtein, ratio

#: Of sigmorphon/2022SegmentationST, evaluation/evaluate.py (ac161e11): gold and guess, and what it prints.
GOLD = """inaccuracies\tin @@accurate @@cy @@s\t110
dictionary\tdictionary\t000
screwdriver\tscrew @@drive @@er\t011
played\tplay @@ed\t100
bananana\tba @@na @@na @@na\t100
wheelbands\twheel @@band @@s\t101
"""
GUESS = """inaccuracies\tin @@accura @@cies
dictionary\tdiction @@ary
screwdriver\tscrew @@er @@drive
played\tplay @@ed
bananana\tna @@ba @@na @@nana
wheelbands\twheel @@band @@s
"""
#: By category: precision, recall, F-score in percent, and the distance.
FIGURES = {
    "all": (58.82, 58.82, 58.82, 2.50), "000": (0, 0, 0, 1), "011": (66.67, 66.67, 66.67, 6),
    "100": (66.67, 66.67, 66.67, 2), "101": (100, 100, 100, 0), "110": (33.33, 25, 28.57, 4),
}  # fmt: skip
FORMAT: dict[str, Any] = {"text_format": "sigmorphon", "scores": "sigmorphon"}


def in_percent(scores: dict[str, float]) -> tuple[float, ...]:
    *shares, distance = scores.values()
    return (*(round(100 * share, 2) for share in shares), round(distance, 2))


def common(left: Any, right: Any) -> int:
    """The length of the longest common subsequence."""
    row = [0] * (len(right) + 1)
    for item in left:
        above, row = row, [0]
        for column, other in enumerate(right, 1):
            row.append(above[column - 1] + 1 if item == other else max(above[column], row[-1]))
    return row[-1]


def naive_scores(references: Corpus, predictions: Corpus, zero_division: float = 0.0) -> dict[str, float]:
    pairs = [*zip(references, predictions, strict=True)]
    matched = sum(common([*map(tuple, left)], [*map(tuple, right)]) for left, right in pairs)
    predicted, reference = (sum(map(len, side)) for side in (predictions, references))
    # Units with a sign between words.
    signed = [[[unit for word in side for unit in ("|", *word)][1:] for side in pair] for pair in pairs]
    edits = sum(levenshtein(*pair) for pair in signed)
    return {
        "morpheme_precision": ratio(matched, predicted, zero_division),
        "morpheme_recall": ratio(matched, reference, zero_division),
        "morpheme_fscore": ratio(2 * matched, predicted + reference, zero_division),
        "morpheme_distance": ratio(edits, sum(bool(left or right) for left, right in pairs), zero_division),
    }


@pytest.mark.parametrize("category", FIGURES)
def test_figures_of_the_official_script(category: str) -> None:
    pairs = [*zip(GOLD.splitlines(), GUESS.splitlines(), strict=True)]
    chosen = [pair for pair in pairs if category in ("all", pair[0].split("\t")[2])]
    assert in_percent(score(*map(list, zip(*chosen, strict=True)), **FORMAT)) == FIGURES[category]


def test_figures_by_category_in_one_call(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = tmp_path / "gold.tsv", tmp_path / "guess.tsv"
    for path, text in zip(paths, (GOLD, GUESS), strict=True):
        path.write_text(text, encoding="utf-8")
    expected = {category: figures for category, figures in FIGURES.items() if category != "all"}
    for sides in (paths, (GOLD.splitlines(), GUESS.splitlines())):
        (system,) = score_by(*sides, "category", **FORMAT).systems
        assert {subset.value: in_percent(subset.scores) for subset in system.subsets} == expected
    run_command("score", *paths, "--scores", "sigmorphon", "--by", "category", "--format", "json")
    (system,) = json.loads(capsys.readouterr().out)["predictions"]
    printed = {subset["value"]: in_percent(subset["scores"]) for subset in system["subsets"]}
    assert printed == expected
    with pytest.raises(ValueError, match="line 1: there is no category; expected a word, a tab, its morphs"):
        run_command("score", paths[1], paths[1], "--scores", "sigmorphon", "--by", "category")


def test_figures_of_sentences(shared_data: Path) -> None:
    """An empty morpheme of ` @@` counts, as in the official script."""
    figures = json.loads((shared_data / "neighbours" / "sigmorphon2022.json").read_text(encoding="utf-8"))["tiny"]
    sides = figures["sentence_gold"].splitlines(), figures["sentence_guess"].splitlines()
    distance, fscore, precision, recall = map(float, re.findall(r"\d+\.\d+", figures["sentence_stdout"]))
    assert in_percent(score(*sides, **FORMAT)) == (precision, recall, fscore, distance)


@pytest.mark.parametrize(
    ("gold", "guess", "expected"),
    [
        # An empty guess is one wrong morpheme, and so are the empty ones of two spaces.
        ("ab\ta @@b", "ab\t", (0, 0, 0, 3)),
        ("ab\ta @@b", "ab\ta  @@b", (66.67, 100, 80, 1)),
        ("ab\ta @@b\t100\r", "ab\ta @@b\r", (100, 100, 100, 0)),
        # The first of several analyses counts.
        ([["a", "b"], ["ab"]], ["ab"], (0, 0, 0, 1)),
    ],
)
def test_rules(gold: Any, guess: Any, expected: tuple[float, ...]) -> None:
    assert in_percent(score([gold], [guess], **FORMAT)) == expected


def test_a_comment_and_a_blank_line_are_no_words() -> None:
    sides = (["# gold", "undo un do", ""], ["# guess", "undo undo", ""])
    scores = score(
        *sides, text_format="alternatives", scores=("morpheme_recall", "morpheme_precision", "morpheme_distance")
    )
    assert scores == {"morpheme_recall": 0, "morpheme_precision": 0, "morpheme_distance": 1}


def test_many_distinct_morphemes() -> None:
    """More than there are characters below the surrogates."""
    # In one utterance, so that no cut divides them.
    morphemes = ["".join(letters) for letters in product("0123456789abcdefghijklmnopqrstuvwxyzäöü+", repeat=3)]
    scores = score([morphemes], [[*morphemes[:-1], "***"]], scores="morpheme")
    share = (len(morphemes) - 1) / len(morphemes)
    expected = dict.fromkeys(["morpheme_precision", "morpheme_recall", "morpheme_fscore"], share)
    assert scores == {**expected, "morpheme_distance": 3}


def test_a_line_without_morphemes_is_an_error() -> None:
    with pytest.raises(
        ValueError, match="predictions, utterance 1: received 'ab'; expected a word, a tab and its morphs"
    ):
        score(["ab\tab"] * 2, ["ab\tab", "ab"], **FORMAT)
    with pytest.raises(ValueError, match='on_mismatch="align": morphemes need not spell the word'):
        score(["ab\tab"], ["ab\tab"], on_mismatch="align", **FORMAT)
