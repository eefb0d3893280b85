"""Numbers that others printed: the published module's card, and a paper's table."""

from __future__ import annotations

import pytest

from segscores import score, tally

# The metric card of transformersegmentation/segmentation_scores; "boundary" are those without edges, five in the reference.
CARD_REFERENCE, CARD_PREDICTION = ["the dog is on the boat"], ["thedog is on the boat"]
CARD_SCORES = {
    "boundary_noedge_precision": 1.0,
    "boundary_noedge_recall": 0.8,
    "boundary_noedge_fscore": 0.89,
    "token_precision": 0.8,
    "token_recall": 0.67,
    "token_fscore": 0.73,
    "type_precision": 0.8,
    "type_recall": 0.8,
    "type_fscore": 0.8,
}
# What its text counts: "5 word boundaries (7 if you include the edge boundaries), 6 word tokens and 5 word types".
CARD_COUNTS = {"boundary_noedge": 5, "boundary_all": 7, "token": 6, "type": 5}

CARD_USAGE = ["w ɛ ɹ WORD_BOUNDARY ɪ z WORD_BOUNDARY ð ɪ s WORD_BOUNDARY", "l ɪ ɾ əl WORD_BOUNDARY aɪ z WORD_BOUNDARY"]

# Shao et al. (2017), Table 1. For each language the reference, and for each segmenter its output, TP, and P, R, F, TNR.
TABLE_1 = {
    "Chinese": (
        "约翰 喜欢 玛丽",
        {
            "T1": ("约 翰 喜 欢 玛 丽", 0, (0, 0, 0, 0.67)),
            "T2": ("约翰喜欢玛丽", 0, (0, 0, 0, 0.94)),
            "S1": ("约翰 喜欢玛丽", 1, (0.5, 0.33, 0.40, 0.94)),
            "S2": ("约翰 喜 欢 玛 丽", 1, (0.2, 0.33, 0.25, 0.77)),
            "S3": ("约翰 喜欢 玛 丽", 2, (0.5, 0.67, 0.57, 0.89)),
        },
    ),
    "English": (
        "John likes Mary",
        {
            "T1": ("J o h n l i k e s M a r y", 0, (0, 0, 0, 0.85)),
            "T2": ("JohnlikesMary", 0, (0, 0, 0, 0.99)),
            "S1": ("John likesMary", 1, (0.5, 0.33, 0.40, 0.99)),
            "S2": ("John l i k e s M a r y", 1, (0.1, 0.33, 0.15, 0.90)),
            "S3": ("John likes M a r y", 2, (0.33, 0.67, 0.44, 0.95)),
        },
    ),
}
# The one cell whose printed value is not what its own formula gives: printed, and by the formula that stands in the cell.
TABLE_1_CONTRADICTIONS = {("Chinese", "S2", "token_tnr"): (0.77, 1 - 4 / 18)}
# A cell whose two decimals hide the third, by the counts that stand in its column: P 1/10 and R 1/3.
TABLE_1_ROUNDED = {("English", "S2", "token_fscore"): (0.15, 2 / 13)}
TABLE_1_KEYS = ("token_precision", "token_recall", "token_fscore", "token_tnr")


@pytest.mark.parametrize("key", CARD_SCORES)
def test_the_example_of_the_card_has_the_scores_that_the_card_prints(key: str) -> None:
    scores = score(CARD_REFERENCE, CARD_PREDICTION, text_format="words")
    assert round(scores[key], 2) == CARD_SCORES[key]


@pytest.mark.parametrize("group", CARD_COUNTS)
def test_the_reference_of_the_card_has_as_many_boundaries_words_and_types_as_its_text_counts(group: str) -> None:
    counts = tally(CARD_REFERENCE, CARD_PREDICTION, text_format="words").counts()
    assert counts[f"{group}_reference"] == CARD_COUNTS[group]


def test_the_usage_of_the_card_prints_twelve_ones() -> None:
    groups = ["boundary_all", "boundary_noedge", "token", "type"]
    keys = [f"{group}_{kind}" for group in groups for kind in ("precision", "recall", "fscore")]
    assert score(CARD_USAGE, CARD_USAGE, scores=groups) == dict.fromkeys(keys, 1.0)


def table_1_cells() -> list[object]:
    return [
        pytest.param(language, segmenter, key, printed, id=f"Shao2017-{language}-{segmenter}-{key}")
        for language, (_, segmenters) in TABLE_1.items()
        for segmenter, (_, _, cells) in segmenters.items()
        for key, printed in zip(TABLE_1_KEYS, cells, strict=True)
    ]


@pytest.mark.parametrize(("language", "segmenter", "key", "printed"), table_1_cells())
def test_table_1_of_shao_et_al(language: str, segmenter: str, key: str, printed: float) -> None:
    reference, segmenters = TABLE_1[language]
    value = score([reference], [segmenters[segmenter][0]], scores=["token", "tnr"], text_format="words")[key]
    cell = (language, segmenter, key)
    if cell in TABLE_1_CONTRADICTIONS:
        assert printed == TABLE_1_CONTRADICTIONS[cell][0]
        assert value == pytest.approx(TABLE_1_CONTRADICTIONS[cell][1], abs=1e-15)
        assert round(value, 2) != printed, "no contradiction: the printed value is the rounded one"
    else:
        assert round(value, 2) == printed
    if cell in TABLE_1_ROUNDED:
        assert (printed, value) == TABLE_1_ROUNDED[cell]


@pytest.mark.parametrize("language", TABLE_1)
@pytest.mark.parametrize("segmenter", ["T1", "T2", "S1", "S2", "S3"])
def test_true_positives_of_table_1_of_shao_et_al(language: str, segmenter: str) -> None:
    reference, segmenters = TABLE_1[language]
    output, true_positives, _ = segmenters[segmenter]
    counts = tally([reference], [output], text_format="words").counts()
    assert counts["token_matched"] == true_positives
    assert counts["token_spans"] - counts["token_reference"] == {"Chinese": 18, "English": 88}[language]
