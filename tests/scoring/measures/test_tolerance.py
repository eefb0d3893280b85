"""Boundaries within a tolerance, against scipy's maximum matching and a plain greedy one."""

import itertools
import random
from collections.abc import Sequence
from typing import Any

import mir_eval
import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import maximum_bipartite_matching

from segscores.scoring.measures.tolerance import GROUP, tally_tolerance

from ...corpora import random_corpus_pair
from ...naive import boundaries, greedy_matching
from ...tallies import compared

TOLERANCES = (0, 1, 2, 5, 1000)


def inner(words: Any) -> list[int]:
    return sorted(boundaries(words, edges=False))


def maximum_matching(reference: Sequence[int], prediction: Sequence[int], tolerance: int) -> int:
    if not reference or not prediction:
        return 0
    in_reach = np.abs(np.subtract.outer(np.array(reference), np.array(prediction))) <= tolerance
    return int(np.count_nonzero(maximum_bipartite_matching(csr_matrix(in_reach)) >= 0))


@pytest.mark.parametrize("tolerance", TOLERANCES)
def test_as_many_are_matched_as_can_be(tolerance: int) -> None:
    pair = random_corpus_pair(300, seed=2009, max_units=30)
    columns = tally_tolerance(compared(*pair), tolerance=tolerance)
    assert tuple(columns) == GROUP.columns
    positions = [[inner(words) for words in side] for side in pair]
    expected = [maximum_matching(left, right, tolerance) for left, right in zip(*positions, strict=True)]
    assert columns["tolerance_matched"].tolist() == expected
    assert columns["tolerance_reference"].tolist() == [len(left) for left in positions[0]]
    assert columns["tolerance_predicted"].tolist() == [len(right) for right in positions[1]]


@pytest.mark.parametrize(("share", "tolerance"), [(0.1, 20), (0.5, 3), (1.0, 1)])
def test_a_long_utterance(share: float, tolerance: int) -> None:
    source = random.Random(7)
    left, right = (sorted(source.sample(range(1, 50_000), int(count))) for count in (30_000, 30_000 * share))
    sides = [np.split(np.array(["a"] * 50_000), positions) for positions in (left, right)]
    both = compared(*([["".join(word) for word in words]] for words in sides))
    assert tally_tolerance(both, tolerance=tolerance)["tolerance_matched"] == [greedy_matching(left, right, tolerance)]


@pytest.mark.parametrize("tolerance", [0, 1, 2])
def test_scores_equal_mir_eval(tolerance: int) -> None:
    for references, predictions in zip(*random_corpus_pair(120, seed=tolerance), strict=True):
        if not inner(references) or not inner(predictions):
            continue  # mir_eval scores nothing as 0, and warns
        sides = [[0, *inner(words), sum(map(len, words))] for words in (references, predictions)]
        intervals = [np.array(list(itertools.pairwise(ends)), float) for ends in sides]
        expected = mir_eval.segment.detection(*intervals, window=tolerance, trim=True)
        tallied = tally_tolerance(compared([references], [predictions]), tolerance=tolerance)
        found = GROUP.formulas({column: int(values[0]) for column, values in tallied.items()}, 0.0)
        assert tuple(map(float, found.values())) == pytest.approx(expected, abs=1e-12)
