"""Meta-evaluation: correlations against scipy and by hand."""

from __future__ import annotations

import math
import random
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from segscores.statistics.correlation import Agreement, agreement_of_tallies, correlate


def pearson(left: list[float], right: list[float]) -> float:
    """Pearson's r by its definition, nan if a side is constant."""
    means = statistics.fmean(left), statistics.fmean(right)
    products = [(x - means[0]) * (y - means[1]) for x, y in zip(left, right, strict=True)]
    squares = [sum((x - mean) ** 2 for x in values) for values, mean in zip((left, right), means, strict=True)]
    return sum(products) / math.sqrt(squares[0] * squares[1]) if all(squares) else math.nan


@pytest.mark.parametrize(
    ("values", "criterion", "r", "rho"),
    [
        # Σxy = 4, Σx² = Σy² = 5; ranks are the values.
        ([1, 2, 4, 3], [1, 2, 3, 4], 0.8, 0.8),
        # A straight line upside down.
        ([0.9, 0.7, 0.5], [10, 20, 30], -1, -1),
        # In order but not in line: Σxy = 7, Σx² = 26, Σy² = 2.
        ([0, 2, 7], [1, 2, 3], 7 / math.sqrt(52), 1),
        # Ties share ranks 1.5 and 1.5: Σxy = 1.5, Σx² = 1.5, Σy² = 2.
        ([5, 5, 9], [1, 2, 3], 3 / math.sqrt(12), 1.5 / math.sqrt(3)),
    ],
)
def test_small_cases_by_hand(values, criterion, r, rho):
    (row,) = correlate({"score": values}, criterion)
    assert (row.pearson, row.spearman, row.n) == (pytest.approx(r), pytest.approx(rho), len(values))


def test_p_value_of_a_case_by_hand():
    # n = 4 and r = 0.8: r is uniform on [-1, 1] under the hypothesis, so that p = 1 - 0.8.
    (row,) = correlate({"score": [1, 2, 4, 3]}, [1, 2, 3, 4])
    assert row.pearson_p == pytest.approx(0.2)


@given(
    st.lists(st.tuples(st.integers(-50, 50), st.integers(-50, 50)), min_size=3, max_size=12).filter(
        lambda pairs: all(len(set(column)) > 1 for column in zip(*pairs, strict=True))
    )
)
def test_equals_the_definitions(pairs):
    values, criterion = map(list, zip(*pairs, strict=True))
    (row,) = correlate({"score": values}, criterion)
    assert row.pearson == pytest.approx(pearson(values, criterion), abs=1e-12)
    ranks = [list(stats.rankdata(column)) for column in (values, criterion)]
    assert row.spearman == pytest.approx(pearson(*ranks), abs=1e-12)
    assert 0 <= row.pearson_p <= 1
    assert 0 <= row.spearman_p <= 1


def test_largest_correlation_of_either_sign_comes_first_and_constants_last():
    scores = {"constant": [1, 1, 1, 1], "weak": [1, 3, 2, 2], "down": [4, 3, 2, 1], "strong": [1, 2, 4, 3]}
    rows = correlate(scores, [1, 2, 3, 4])
    assert [row.score for row in rows] == ["down", "strong", "weak", "constant"]


@pytest.mark.parametrize("constant", [[0.3, 0.3, 0.3], [0.1 * 3, 0.3, 0.3], [0, 0, 0]])
@pytest.mark.parametrize("swap", [False, True])
def test_constants_have_no_correlation(constant, swap):
    sides = [[1, 2, 4], constant] if swap else [constant, [1, 2, 4]]
    (row,) = correlate({"score": sides[0]}, sides[1])
    assert all(math.isnan(value) for value in (row.pearson, row.pearson_p, row.spearman, row.spearman_p))


@pytest.mark.parametrize(
    ("scores", "criterion", "message"),
    [
        ({}, [1, 2, 3], "nothing to correlate"),
        ({"a": [1, 2]}, [1, 2], "2 systems: expected at least 3"),
        ({"a": [1]}, [1], "1 system: expected at least 3"),
        ({"a": [1, 2, 3, 4]}, [1, 2, 3], "the score 'a' has 4 values and the criterion 3"),
        ({"a": [1, math.nan, 3]}, [1, 2, 3], "the score 'a' is nan for system 1"),
        ({"a": [1, 2, 3]}, [1, 2, math.inf], "the criterion is inf for system 2"),
        ({"a": ["x", 2, 3]}, [1, 2, 3], "the score 'a': expected a number per system"),
        ({"a": [[1], [2], [3]]}, [1, 2, 3], r"the score 'a': .* shape \(3, 1\)"),
    ],
)
def test_bad_tables_are_refused(scores, criterion, message):
    with pytest.raises(ValueError, match=message):
        correlate(scores, criterion)


@pytest.mark.parametrize("n", [3, 4, 5, 6, 7])
def test_p_values_of_few_systems_are_those_of_scipys_permutations(n):
    source = random.Random(n)
    values, criterion = ([source.choice(range(2 * n)) for _ in range(n)] for _ in range(2))
    (row,) = correlate({"score": values}, criterion)
    for function, found, p_value in (
        (stats.spearmanr, row.spearman, row.spearman_p),
        (stats.kendalltau, row.kendall, row.kendall_p),
    ):
        theirs = stats.permutation_test(
            (values,),
            lambda x, function=function: abs(function(x, criterion).statistic),
            permutation_type="pairings",
            n_resamples=10_000,
            alternative="greater",
        )
        assert found == pytest.approx(function(values, criterion).statistic)
        assert p_value == pytest.approx(theirs.pvalue)


def test_p_values_by_hand():
    # A perfect order of three systems and its reverse, of six; of five with two neighbours exchanged: 10 of 120 are as large.
    assert correlate({"score": [1, 2, 3]}, [1, 2, 3])[0].spearman_p == pytest.approx(2 / 6)
    assert correlate({"score": [1, 2, 3, 5, 4]}, [1, 2, 3, 4, 5])[0].spearman_p == pytest.approx(10 / 120)


def test_without_ties_kendalls_p_value_is_scipys_exact_one():
    values = [3, 1, 2, 5, 4, 8, 6, 9, 7]
    (row,) = correlate({"score": values}, range(9))
    assert row.kendall_p == pytest.approx(stats.kendalltau(values, range(9), method="exact").pvalue)


def test_many_systems_are_permuted_at_random():
    source = random.Random(3)
    values = [source.gauss(0, 1) for _ in range(14)]
    criterion = [value + source.gauss(0, 2) for value in values]
    (row,) = correlate({"score": values}, criterion)
    assert row.spearman_p == pytest.approx(stats.spearmanr(values, criterion).pvalue, abs=0.02)
    assert row.kendall_p == pytest.approx(stats.kendalltau(values, criterion).pvalue, abs=0.02)
    assert row.pearson_p == pytest.approx(stats.pearsonr(values, criterion).pvalue, rel=1e-9)


def test_formulas_of_other_families_do():
    # Two utterances a system: every split puts one into each half. Halves rise together over the systems.
    tallies = [{"right": np.array([k, 2 * k]), "all": np.array([10, 20])} for k in (1, 2, 4)]
    (row,) = agreement_of_tallies(tallies, lambda sums: {"share": sums["right"] / sums["all"]}, n_splits=3)
    assert row == Agreement("share", pytest.approx(1.0), pytest.approx(0.0, abs=1e-12), splits=3, systems=3)


@pytest.mark.parametrize("swap", [False, True])
def test_values_that_differ_by_rounding_are_ties_of_the_ranks(swap):
    values, rounded, criterion = [0.3, 0.3, 0.5, 0.6, -0.2], [0.1 + 0.2, 0.3, 0.5, 0.6, -0.2], [1, 2, 3, 4, 5]
    (row,) = correlate({"score": criterion}, rounded) if swap else correlate({"score": rounded}, criterion)
    assert row.spearman == pytest.approx(stats.spearmanr(values, criterion).statistic, abs=1e-12)
    assert row.kendall == pytest.approx(stats.kendalltau(values, criterion).statistic, abs=1e-12)
    (exact,) = correlate({"score": values}, criterion)
    assert (row.spearman_p, row.kendall_p) == (exact.spearman_p, exact.kendall_p)
