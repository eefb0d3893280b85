"""Numbers that others printed: the published module's card, a paper's table, and tools of neighbouring fields."""

import re
from typing import Any

import pytest

import segscores
from segscores import score, tally

from .printed import (
    CARD_COUNTS,
    CARD_PREDICTION,
    CARD_REFERENCE,
    CARD_SCORES,
    FIGURES,
    TABLE_1,
    TABLE_1_CONTRADICTIONS,
    TABLE_1_KEYS,
    TABLE_1_ROUNDED,
)


def test_the_example_of_the_card_has_the_scores_that_the_card_prints_and_the_counts_of_its_text() -> None:
    sides = CARD_REFERENCE, CARD_PREDICTION
    scores, counts = score(*sides, text_format="words"), tally(*sides, text_format="words").counts()
    assert {key: round(scores[key], 2) for key in CARD_SCORES} == CARD_SCORES
    assert {group: counts[f"{group}_reference"] for group in CARD_COUNTS} == CARD_COUNTS


SEGMENTERS = [(language, segmenter) for language, (_, segmenters) in TABLE_1.items() for segmenter in segmenters]


@pytest.mark.parametrize(("language", "segmenter"), SEGMENTERS)
def test_table_1_of_shao_et_al(language: str, segmenter: str) -> None:
    reference, segmenters = TABLE_1[language]
    output, true_positives, cells = segmenters[segmenter]
    part = tally([reference], [output], scores=["token", "tnr"], text_format="words")
    assert part.counts()["token_matched"] == true_positives
    assert part.counts()["token_spans"] - part.counts()["token_reference"] == {"Chinese": 18, "English": 88}[language]
    for key, printed in zip(TABLE_1_KEYS, cells, strict=True):
        value, cell = part.scores()[key], (language, segmenter, key)
        if cell in TABLE_1_CONTRADICTIONS:
            assert printed == TABLE_1_CONTRADICTIONS[cell][0]
            assert value == pytest.approx(TABLE_1_CONTRADICTIONS[cell][1], abs=1e-15)
            assert round(value, 2) != printed, "no contradiction: the printed value is the rounded one"
        else:
            assert round(value, 2) == printed, key
        if cell in TABLE_1_ROUNDED:
            assert (printed, value) == TABLE_1_ROUNDED[cell]


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
