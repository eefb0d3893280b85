"""Meta-evaluation: correlations and their intervals against scipy and by hand, Williams' test by published values."""

import math
import random
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import pytest
from scipy import stats

from segscores.statistics.correlation import correlate, williams

pytestmark = pytest.mark.filterwarnings("ignore:.*fewer than 10 is very uncertain")


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


THREE = [1, 2, 3]
NAMED = {"token_fscore": range(5), "other": range(5)}


@pytest.mark.parametrize(
    ("scores", "criterion", "options", "error", "message"),
    [
        ({}, THREE, {}, ValueError, "nothing to correlate"),
        ({"a": [1, 2]}, [1, 2], {}, ValueError, "2 systems: expected at least 3"),
        ({"a": [1]}, [1], {}, ValueError, "1 system: expected at least 3"),
        ({"a": [1, 2, 3, 4]}, THREE, {}, ValueError, "the score 'a' has 4 values and the criterion 3"),
        ({"a": [1, math.nan, 3]}, THREE, {}, ValueError, "the score 'a' is nan for system 1"),
        ({"a": THREE}, [1, 2, math.inf], {}, ValueError, "the criterion is inf for system 2"),
        ({"a": ["x", 2, 3]}, THREE, {}, ValueError, "the score 'a': expected a number per system"),
        ({"a": [[1], [2], [3]]}, THREE, {}, ValueError, r"the score 'a': expected a number per system, received \[\[1\]"),
        ({"a": [10**400, 2, 3]}, THREE, {}, ValueError, r"the score 'a': expected a number per system, received \[1000"),
        ([THREE], THREE, {}, TypeError, r"^scores: expected a dict from names to values, received \[\[1, 2, 3\]\] \(list\)"),
        ({"a": THREE}, THREE, {"against": ["a"]}, TypeError, r"^against: expected .* received \['a'\]"),
        (NAMED, range(5), {"against": "token_fscor"}, ValueError,
         r"against: expected one of .* token_fscore, other; .* Did you mean 'token_fscore'\?"),
        ({"token_fscore": THREE, "other": THREE}, THREE, {"against": "token_fscore"}, ValueError,
         "Williams' test: expected a value for each of at least 4 systems"),
    ],
)  # fmt: skip
def test_bad_tables_are_refused(scores, criterion, options, error, message):
    with pytest.raises(error, match=message):
        correlate(scores, criterion, **options)


def test_p_values_by_hand():
    # n = 4 and r = 0.8: r is uniform on [-1, 1] under the hypothesis, so that p = 1 - 0.8.
    assert correlate({"score": [1, 2, 4, 3]}, [1, 2, 3, 4])[0].pearson_p == pytest.approx(0.2)
    # A perfect order of three systems and its reverse, of six; of five with two neighbours exchanged: 10 of 120 are as large.
    (perfect,) = correlate({"score": [1, 2, 3]}, [1, 2, 3])
    assert (perfect.spearman_p, perfect.kendall_p) == (pytest.approx(2 / 6), pytest.approx(2 / 6))
    assert correlate({"score": [1, 2, 3, 5, 4]}, [1, 2, 3, 4, 5])[0].spearman_p == pytest.approx(10 / 120)


def test_p_values_and_the_interval_of_r_are_scipys():
    source = random.Random(3)
    values = [source.gauss(0, 1) for _ in range(14)]
    criterion = [value + source.gauss(0, 2) for value in values]
    (row,) = correlate({"score": values}, criterion, confidence=0.9)
    for function, found in (
        (stats.pearsonr, (row.pearson, row.pearson_p)),
        (stats.spearmanr, (row.spearman, row.spearman_p)),
        (stats.kendalltau, (row.kendall, row.kendall_p)),
    ):
        theirs = function(values, criterion)
        assert found == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-9)
    assert (row.pearson_low, row.pearson_high) == pytest.approx(
        stats.pearsonr(values, criterion).confidence_interval(0.9)
    )


def test_intervals_by_hand():
    # n = 12 and r = rho = 0.8: artanh 0.8 = ln(9) / 2 = 1.09861, give or take 1.95996 / 3 for r, and √1.32 times as much for rho.
    (row,) = correlate({"score": [1, 2, 4, 3] * 3}, [1, 2, 3, 4] * 3)
    ends = [math.tanh(1.09861 + side * 0.65332 * factor) for factor in (1, math.sqrt(1.32)) for side in (-1, 1)]
    assert [row.pearson_low, row.pearson_high, row.spearman_low, row.spearman_high] == pytest.approx(ends, abs=1e-5)


@pytest.mark.parametrize(
    ("n", "of_r", "of_rho"), [(3, False, False), (4, True, False), (7, True, False), (8, True, True)]
)
def test_intervals_need_systems(n, of_r, of_rho):
    (row,) = correlate({"score": [2, 1, *range(3, n + 1)]}, range(1, n + 1))
    assert [math.isfinite(end) for end in (row.pearson_low, row.pearson_high)] == [of_r] * 2
    assert [math.isfinite(end) for end in (row.spearman_low, row.spearman_high)] == [of_rho] * 2


def test_a_perfect_correlation_has_no_interval():
    (row,) = correlate({"score": [-value for value in range(12)]}, range(12))
    ends = row.pearson_low, row.pearson_high, row.spearman_low, row.spearman_high
    assert (row.pearson, row.spearman, *map(math.isnan, ends)) == (-1, -1, True, True, True, True)


@pytest.mark.parametrize("factor", [2.0**1000, 2.0**-1000])
def test_the_scale_of_values_changes_nothing(factor):
    values, others, criterion = [1, 2, 4, 3, 7, 5, 6, 8], [1, 3, 2, 4, 5, 8, 7, 6], list(range(8))
    expected = correlate({"a": values, "b": others}, criterion, against="a")
    larger = [factor * value for value in values]
    assert correlate({"a": larger, "b": others}, criterion, against="a") == expected
    assert correlate({"a": values, "b": others}, [factor * value for value in criterion], against="a") == expected


def with_correlations(r_first: float, r_second: float, r_between: float, n: int) -> Any:
    """Two scores and a criterion that have these correlations exactly."""
    raw = np.random.default_rng(0).normal(size=(n, 3))
    plain = np.linalg.qr(raw - raw.mean(axis=0))[0].T
    return np.linalg.cholesky([[1, r_between, r_first], [r_between, 1, r_second], [r_first, r_second, 1]]) @ plain


@pytest.mark.parametrize(
    ("correlations", "n", "statistic", "p_value"),
    [
        # The help of r.test in the R package psych: t value -0.89, p < 0.37.
        ((0.4, 0.5, 0.1), 103, "-0.89", "0.37"),
        # The R package cocor, in the vignette of the R package rmcorr: t = 9.3823, df = 174, p-value = 0.0000.
        ((0.8066, 0.2383, 0.2255), 177, "9.38", "0.00"),
    ],
)
def test_williams_has_published_values(correlations, n, statistic, p_value):
    first, second, criterion = with_correlations(*correlations, n)
    found = williams(first, second, criterion)
    assert (f"{found[0]:.2f}", f"{found[1]:.2f}") == (statistic, p_value)
    # A score of errors falls as the criterion rises.
    assert williams(-first, second, criterion) == pytest.approx(found)
    assert williams(second, first, criterion) == pytest.approx((-found[0], found[1]))


def test_williams_keeps_its_digits_where_all_correlations_are_next_to_1():
    source = np.random.default_rng(1)
    criterion = source.normal(size=10)
    first, second = (criterion + 1e-4 * source.normal(size=10) for _ in range(2))
    found = williams(first, second, criterion)
    with localcontext() as context:
        context.prec = 60
        n = Decimal(10)

        def correlation(left: Any, right: Any) -> Decimal:
            sides = [[Decimal(float(value)) for value in side] for side in (left, right)]
            left, right = ([value - sum(side) / n for value in side] for side in sides)
            products = [
                sum(a * b for a, b in zip(*each, strict=True)) for each in ((left, right), (left, left), (right, right))
            ]
            return products[0] / (products[1] * products[2]).sqrt()

        r12, r13, r23 = (correlation(*pair) for pair in ((criterion, first), (criterion, second), (first, second)))
        determinant = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
        below = 2 * (n - 1) / (n - 3) * determinant + ((r12 + r13) / 2) ** 2 * (1 - r23) ** 3
        statistic = float((r12 - r13) * ((n - 1) * (1 + r23) / below).sqrt())
    assert found == pytest.approx((statistic, 2 * stats.t.sf(abs(statistic), 7)), rel=1e-6)


def test_a_score_does_not_differ_from_a_linear_function_of_it():
    values = [1.0, 2, 4, 3, 7]
    assert williams(values, [1 - 2 * value for value in values], [1, 2, 3, 4, 5]) == (0.0, 1.0)


def test_others_are_tested_against_the_named_score_with_holm():
    source = np.random.default_rng(0)
    criterion = source.normal(size=12)
    scores = {name: criterion + noise * source.normal(size=12) for name, noise in {"a": 0.5, "b": 0.2, "c": 3}.items()}
    scores["flat"] = np.ones(12)
    found = {row.score: row.williams_p for row in correlate(scores, criterion, against="a")}
    p_values = {name: williams(scores["a"], scores[name], criterion)[1] for name in "bc"}
    least, most = sorted(p_values, key=p_values.get)
    assert found[least] == pytest.approx(min(1, 2 * p_values[least]))
    assert found[most] == pytest.approx(max(2 * p_values[least], p_values[most]))
    assert [name for name, p_value in found.items() if math.isnan(p_value)] == ["a", "flat"]
    assert all(math.isnan(row.williams_p) for row in correlate(scores, criterion))
    # Equal on every Python, undefined or not.
    assert correlate(scores, criterion) == correlate(scores, criterion) != correlate(scores, criterion, against="a")


@pytest.mark.parametrize("swap", [False, True])
def test_values_that_differ_by_rounding_are_ties_of_the_ranks(swap):
    values, rounded, criterion = [0.3, 0.3, 0.5, 0.6, -0.2], [0.1 + 0.2, 0.3, 0.5, 0.6, -0.2], [1, 2, 3, 4, 5]
    (row,) = correlate({"score": criterion}, rounded) if swap else correlate({"score": rounded}, criterion)
    assert row.spearman == pytest.approx(stats.spearmanr(values, criterion).statistic, abs=1e-12)
    assert row.kendall == pytest.approx(stats.kendalltau(values, criterion).statistic, abs=1e-12)
    (exact,) = correlate({"score": values}, criterion)
    assert (row.spearman_p, row.kendall_p) == (exact.spearman_p, exact.kendall_p)
