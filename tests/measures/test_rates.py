"""Over-segmentation, R-value and classes of words: against printed numbers and plain Python."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from segscores import score
from segscores.kernel.comparison import compare_segmentations
from segscores.kernel.segmentation import Segmentation
from segscores.measures.rates import RATES_COLUMNS, RATES_KEYS, rates_scores, tally_rates
from segscores.reading.readers import from_units_text, from_words_text

from ..naive import Corpus, corpus_pairs, naive_classes, naive_counts, naive_r_value, random_corpus_pair, units_text

CLASSES = {"over_segmented": "over", "under_segmented": "under", "mis_segmented": "mis"}


def read(corpus: Corpus) -> Segmentation:
    return from_units_text("".join(f"{line}\n" for line in units_text(corpus)).encode(), "WORD_BOUNDARY")


def totals(columns: dict[str, np.ndarray]) -> dict[str, int]:
    return {column: int(values.sum()) for column, values in columns.items()}


@given(corpus_pairs())
def test_counts_equal_those_of_sets_of_spans(pair: tuple[Corpus, Corpus]) -> None:
    columns = tally_rates(compare_segmentations(*map(read, pair)))
    assert tuple(columns) == RATES_COLUMNS
    for name in CLASSES:
        assert columns[name].tolist() == [naive_classes(*sides)[name] for sides in zip(*pair, strict=True)]
    naive = naive_counts(*pair)
    assert {column: int(values.sum()) for column, values in columns.items() if column not in CLASSES} == {
        column: naive[column] for column in RATES_COLUMNS if column not in CLASSES
    }


@pytest.mark.parametrize("seed", range(10))
def test_scores_equal_the_printed_formulas(seed: int) -> None:
    pair = random_corpus_pair(200, seed=seed)
    naive = naive_counts(*pair)
    hit_rate, over = (
        naive["boundary_noedge_matched"] / naive["boundary_noedge_reference"],
        naive["boundary_noedge_predicted"] / naive["boundary_noedge_reference"] - 1,
    )
    scores = rates_scores(totals(tally_rates(compare_segmentations(*map(read, pair)))), 0.0)
    assert tuple(scores) == RATES_KEYS
    assert scores["over_segmentation"] == pytest.approx(over, abs=1e-12)
    assert scores["r_value"] == pytest.approx(naive_r_value(hit_rate, over), abs=1e-12)


def counts_of(matched: int, predicted: int, reference: int) -> dict[str, int]:
    return dict.fromkeys((*CLASSES, "token_reference"), 0) | {
        "boundary_noedge_matched": matched,
        "boundary_noedge_predicted": predicted,
        "boundary_noedge_reference": reference,
    }


@pytest.mark.parametrize(
    ("counts", "over", "r_value"),
    [
        ((10, 10, 10), 0.0, 1.0),
        ((0, 0, 10), -1.0, 1 - math.sqrt(2) / 2),
        ((10, 20, 10), 1.0, 1 - (1 + math.sqrt(0.5)) / 2),
        ((0, 10, 10), 0.0, 1 - (1 + math.sqrt(0.5)) / 2),
        ((10, 60, 10), 5.0, 1 - (5 + 5 * math.sqrt(0.5)) / 2),
    ],
    ids=["perfect", "no_boundary", "twice_as_many", "all_wrong", "below_zero"],
)
def test_the_corners_of_the_r_value(counts: tuple[int, int, int], over: float, r_value: float) -> None:
    scores = rates_scores(counts_of(*counts), 0.0)
    assert scores["over_segmentation"] == pytest.approx(over, abs=1e-12)
    assert scores["r_value"] == pytest.approx(r_value, abs=1e-12)


def test_boundaries_around_an_invented_word_are_predicted_boundaries() -> None:
    """RB = 1, PB = 2 and TB = 1, whether the boundary scores are asked for too or not."""
    pytest.importorskip("rapidfuzz", reason="aligning needs rapidfuzz, which the extra align brings")
    options: dict[str, Any] = {"text_format": "words", "on_mismatch": "align"}
    for scores in (["rates"], ["rates", "boundary_noedge"]):
        found = score(["ab cd"], ["ab x cd"], scores=scores, **options)
        assert found["over_segmentation"] == 2 / 1 - 1
        assert found["r_value"] == pytest.approx(naive_r_value(1.0, 1.0), abs=1e-12)


@pytest.mark.parametrize("predicted", [0, 3])
@pytest.mark.parametrize("zero_division", [0.0, 1.0, math.nan])
def test_without_reference_boundaries_they_are_undefined(predicted: int, zero_division: float) -> None:
    scores = rates_scores(counts_of(0, predicted, 0), zero_division)
    assert scores["over_segmentation"] == pytest.approx(zero_division, nan_ok=True)
    assert scores["r_value"] == pytest.approx(zero_division, nan_ok=True)


def test_an_utterance_of_a_million_words_needs_no_recursion() -> None:
    size = 1_000_000
    reference = from_words_text(b"ab cd " * (size // 2) + b"\n")
    prediction = from_words_text(b"a b cd " * (size // 2) + b"\n")
    counts = totals(tally_rates(compare_segmentations(reference, prediction)))
    assert [counts[name] for name in CLASSES] == [size // 2, 0, 0]
