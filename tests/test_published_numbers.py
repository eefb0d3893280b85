"""Numbers that others printed: the published module's card, and a paper's table."""

import pytest

from segscores import score, tally

from .printed import (
    CARD_COUNTS,
    CARD_PREDICTION,
    CARD_REFERENCE,
    CARD_SCORES,
    TABLE_1,
    TABLE_1_CONTRADICTIONS,
    TABLE_1_KEYS,
    TABLE_1_ROUNDED,
)


@pytest.mark.parametrize("key", CARD_SCORES)
def test_the_example_of_the_card_has_the_scores_that_the_card_prints(key: str) -> None:
    scores = score(CARD_REFERENCE, CARD_PREDICTION, text_format="words")
    assert round(scores[key], 2) == CARD_SCORES[key]


@pytest.mark.parametrize("group", CARD_COUNTS)
def test_the_reference_of_the_card_has_as_many_boundaries_words_and_types_as_its_text_counts(group: str) -> None:
    counts = tally(CARD_REFERENCE, CARD_PREDICTION, text_format="words").counts()
    assert counts[f"{group}_reference"] == CARD_COUNTS[group]


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
