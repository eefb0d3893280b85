"""The scores equal what tools of neighbouring fields print for small inputs: `tests/data/printed_figures.json`."""

import re
from typing import Any

import pytest

import segscores

from .printed import FIGURES


def test_boundaries_with_the_start_equal_disrpt() -> None:
    """Its units are tokens."""
    figures = FIGURES["disrpt"]
    sides = [re.findall(r"Seg=(\S+)", figures[name]) for name in ("edu_gold", "edu_pred")]
    labels = [[int(tag == "B-seg") for tag in tags] for tags in sides]
    found = segscores.score([labels[0]], [labels[1]], label_scheme="start", scores="boundary_start")
    for year, names in (("2023", ("prec", "rec", "f_score")), ("2025", ("precision", "recall", "f_score"))):
        assert list(found.values()) == [figures["figures"][f"edu_{year}"][name] for name in names]


@pytest.mark.parametrize("case", FIGURES["wtpsplit"]["cases"], ids=lambda case: "".join(case["predicted"]))
def test_boundaries_with_the_end_equal_wtpsplit(case: dict[str, Any]) -> None:
    """A text is an utterance, its sentences are words, and the space after a sentence belongs to it."""
    between = "" if case["lang"] == "zh" else " "
    *others, last = case["sentences"]
    reference = [*(sentence + between for sentence in others), last]
    found = segscores.score([reference], [case["predicted"]], scores="wtpsplit")
    assert list(found.values()) == [case[name] for name in ("f1", "recall", "precision", "correct_pairwise")]


def test_gaps_equal_ersatz() -> None:
    """The text is one utterance, and its lines are words without spaces."""
    figures = FIGURES["ersatz"]
    sides = [" ".join(figures[name].replace(" ", "").split()) for name in ("gold", "pred")]
    groups = ["boundary_accuracy", "boundary_noedge"]
    scores = segscores.score([sides[0]], [sides[1]], text_format="words", scores=groups)
    found = {key.rpartition("_")[2]: score for key, score in scores.items()}
    printed = dict(re.findall(r"^(\w+) ([\d.]+)$", figures["stdout"], re.MULTILINE))
    names = {"Accuracy": "accuracy", "Recall": "recall", "Precision": "precision", "F1": "fscore"}
    assert {name: f"{100 * found[ours]:.2f}" for name, ours in names.items()} == printed


@pytest.mark.parametrize("pair", FIGURES["pythainlp"]["pairs"], ids=lambda pair: pair["reference"])
def test_tags_spaces_and_separators_are_treated_as_in_pythainlp(pair: dict[str, Any]) -> None:
    """It takes a separator at the beginning of a text for the end of an empty word, which is no word for either tool."""
    counts = segscores.tally([pair["reference"]], [pair["sample"]], scores="pythainlp").counts()
    # What the selection says of strings is no error for lists of words.
    assert segscores.score([["a"]], [["a"]], scores="pythainlp")["token_recall"] == 1
    characters, words = pair["stats"]["char_level"], pair["stats"]["word_level"]
    assert counts["boundary_start_matched"] == characters["tp"]
    assert counts["boundary_start_predicted"] == characters["tp"] + characters["fp"]
    assert counts["boundary_start_reference"] == characters["tp"] + characters["fn"]
    assert [counts[f"token_{kind}"] for kind in ("matched", "predicted", "reference")] == list(words.values())
