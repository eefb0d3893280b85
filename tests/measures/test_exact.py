"""Utterance accuracy: against lists of words compared one by one."""

from __future__ import annotations

import math

import pytest
from hypothesis import given

from segscores import score
from segscores.kernel.comparison import compare_segmentations
from segscores.kernel.segmentation import Segmentation
from segscores.measures.exact import EXACT_COLUMNS, EXACT_KEYS, exact_scores, tally_exact
from segscores.reading.readers import from_units_text

from ..naive import Corpus, corpus_pairs, units_text


def read(corpus: Corpus) -> Segmentation:
    return from_units_text("".join(f"{line}\n" for line in units_text(corpus)).encode(), "WORD_BOUNDARY")


@given(corpus_pairs())
def test_equals_a_comparison_of_lists(pair: tuple[Corpus, Corpus]) -> None:
    columns = tally_exact(compare_segmentations(*map(read, pair)))
    assert tuple(columns) == EXACT_COLUMNS
    assert columns["exact_matched"].tolist() == [
        int(bool(left) and left == right) for left, right in zip(*pair, strict=True)
    ]
    assert columns["exact_reference"].tolist() == [int(bool(left)) for left in pair[0]]


@pytest.mark.parametrize(("zero_division", "expected"), [(0.0, 0.0), (1.0, 1.0), (math.nan, math.nan)])
def test_blank_utterances_are_not_counted(zero_division: float, expected: float) -> None:
    counts = {
        column: int(values.sum())
        for column, values in tally_exact(compare_segmentations(read([[]]), read([[]]))).items()
    }
    scores = exact_scores(counts, zero_division)
    assert tuple(scores) == EXACT_KEYS
    assert scores["utterance_accuracy"] == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("average", ["micro", "macro"])
@pytest.mark.parametrize("form", [{"text_format": "words"}, {"text_format": "units"}])
def test_words_invented_for_a_blank_reference_are_an_error(average: str, form: dict[str, str]) -> None:
    """Of three utterances with words one is right; the last is blank on both sides."""
    pytest.importorskip("rapidfuzz", reason="on_mismatch='align' needs it, which the extra align brings")
    sides = ["", "a", "b", ""], ["x", "a", "", ""]
    found = score(*sides, scores="exact", on_mismatch="align", average=average, zero_division=1.0, **form)
    assert found["utterance_accuracy"] == 1 / 3
