"""Utterance accuracy: against the official numbers, and against lists of words compared one by one."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from hypothesis import given

from segscores.kernel.comparison import compare
from segscores.kernel.segmentation import Segmentation
from segscores.measures.exact import EXACT_COLUMNS, EXACT_KEYS, exact_scores, tally_exact
from segscores.reading.readers import from_units_text, from_words_text

from ..naive import Corpus, corpus_pairs, units_text

PAIRS = {
    "brent/official_scores_puddle.json": ("brent/reference.txt", "brent/predicted_puddle.txt"),
    "brent/official_scores_tp.json": ("brent/reference.txt", "brent/predicted_tp.txt"),
    "ud/official_scores_zh_gsd_test_jieba.json": ("ud/zh_gsd_test_reference.txt", "ud/zh_gsd_test_jieba.txt"),
}


def read(corpus: Corpus) -> Segmentation:
    return from_units_text("".join(f"{line}\n" for line in units_text(corpus)).encode(), "WORD_BOUNDARY")


@pytest.mark.parametrize("official", PAIRS)
def test_equals_the_official_accuracy(official: str, shared_data: Path) -> None:
    sides = [
        from_words_text(b"\n".join((shared_data / name).read_bytes().splitlines()) + b"\n") for name in PAIRS[official]
    ]
    counts = {column: int(values.sum()) for column, values in tally_exact(compare(*sides)).items()}
    expected = json.loads((shared_data / official).read_text())["utterance_accuracy"]
    assert exact_scores(counts, 0.0) == {"utterance_accuracy": pytest.approx(expected, abs=1e-12)}


@given(corpus_pairs())
def test_equals_a_comparison_of_lists(pair: tuple[Corpus, Corpus]) -> None:
    columns = tally_exact(compare(*map(read, pair)))
    assert tuple(columns) == EXACT_COLUMNS
    assert columns["exact_matched"].tolist() == [
        int(bool(left) and left == right) for left, right in zip(*pair, strict=True)
    ]
    assert columns["exact_reference"].tolist() == [int(bool(left)) for left in pair[0]]


@pytest.mark.parametrize(("zero_division", "expected"), [(0.0, 0.0), (1.0, 1.0), (math.nan, math.nan)])
def test_blank_utterances_are_none(zero_division: float, expected: float) -> None:
    counts = {column: int(values.sum()) for column, values in tally_exact(compare(read([[]]), read([[]]))).items()}
    scores = exact_scores(counts, zero_division)
    assert tuple(scores) == EXACT_KEYS
    assert scores["utterance_accuracy"] == pytest.approx(expected, nan_ok=True)
