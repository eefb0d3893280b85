"""Two scores against one criterion: Williams' test by R's published values, resampling by its definition."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import pytest
from scipy import stats

from segscores.statistics.correlation import correlate, correlate_utterances
from segscores.statistics.score_comparison import boot_both, perm_both, williams, williams_of


def test_williams_of_the_example_of_psych() -> None:
    # The help of r.test in the R package psych: r.test(n = 103, r12 = .4, r13 = .5, r23 = .1), t value -0.89, p < 0.37.
    statistic, p_value = williams_of(0.4, 0.5, 0.1, 103)
    assert round(statistic, 2) == -0.89
    assert round(p_value, 2) == 0.37


def test_williams_of_a_score_and_its_negative_is_the_limit() -> None:
    r, n = Decimal("0.3"), 10
    with localcontext() as context:
        context.prec = 80
        nearly = Decimal("1e-30") - 1
        determinant = 1 - 2 * r**2 - nearly**2 - 2 * r**2 * nearly
        limit = 2 * r * ((n - 1) * (1 + nearly) / (2 * determinant * (n - 1) / (n - 3))).sqrt()
    expected = float(limit), 2 * stats.t.sf(float(limit), n - 3)
    assert williams_of(0.3, -0.3, -1.0, n) == pytest.approx(expected, rel=1e-12)
    assert williams_of(1.0, -1.0, -1.0, n) == (math.inf, 0.0)
    source = np.random.default_rng(0)
    for first in source.normal(size=(100, n)):
        criterion = source.normal(size=n)
        r = np.corrcoef(first, criterion)[0, 1]
        assert williams(first, 1 - first, criterion)[0] == pytest.approx(r * math.sqrt((n - 3) / (1 - r**2)), rel=1e-9)


def naive_williams(first: Any, second: Any, criterion: Any) -> tuple[float, float]:
    """Steiger (1980), Eq. 7, with the determinant of the matrix of correlations."""
    matrix = np.corrcoef([criterion, first, second])
    n, (r12, r13, r23) = len(criterion), (matrix[0, 1], matrix[0, 2], matrix[1, 2])
    below = 2 * (n - 1) / (n - 3) * np.linalg.det(matrix) + ((r12 + r13) / 2) ** 2 * (1 - r23) ** 3
    statistic = (r12 - r13) * math.sqrt((n - 1) * (1 + r23) / below)
    return statistic, 2 * stats.t.sf(abs(statistic), n - 3)


@pytest.mark.parametrize("seed", range(5))
def test_williams_is_its_equation(seed: int) -> None:
    source = np.random.default_rng(seed)
    criterion = source.normal(size=12)
    first, second = (criterion + source.normal(size=12) * noise for noise in (0.5, 1.0))
    assert williams(first, second, criterion) == pytest.approx(naive_williams(first, second, criterion), rel=1e-9)
    assert williams(second, first, criterion)[0] == pytest.approx(-williams(first, second, criterion)[0])


def test_williams_keeps_its_digits_where_all_correlations_are_next_to_1() -> None:
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


def test_the_same_score_twice_does_not_differ() -> None:
    values = [1.0, 2, 4, 3, 7]
    assert williams(values, [2 * value + 1 for value in values], [1, 2, 3, 4, 5]) == (0.0, 1.0)


def test_correlate_has_williams_against_the_best() -> None:
    criterion = [1.0, 2, 3, 4, 5, 6]
    scores = {"good": [1.0, 2, 3, 4, 6, 5], "turned": [-3.0, -1, -4, -2, -6, -7], "flat": [1.0] * 6}
    rows = {row.score: row for row in correlate(scores, criterion)}
    assert math.isnan(rows["good"].williams_p)
    assert math.isnan(rows["flat"].williams_p)
    turned = [-value for value in scores["turned"]]
    assert rows["turned"].williams_p == pytest.approx(naive_williams(scores["good"], turned, criterion)[1])


def matrices(seed: int, systems: int = 8, utterances: int = 40) -> list[Any]:
    source = np.random.default_rng(seed)
    quality = source.normal(size=(systems, 1))
    return [quality + source.normal(size=(systems, utterances)) * noise for noise in (0.5, 4.0, 1.0)]


def test_intervals_over_both_hold_the_correlation_and_are_wider_than_over_systems() -> None:
    score, _, criterion = matrices(3, utterances=10)
    r = np.corrcoef(score.mean(axis=1), criterion.mean(axis=1))[0, 1]
    low, high = boot_both(score, criterion)
    assert low < r < high
    narrow = boot_both(score.mean(axis=1), criterion.mean(axis=1))
    assert high - low > narrow[1] - narrow[0]


def test_intervals_over_systems_equal_scipys_within_monte_carlo_error() -> None:
    values, criterion = (side.mean(axis=1) for side in matrices(4, systems=30)[1:])
    theirs = stats.bootstrap(
        (values, criterion), lambda x, y: np.corrcoef(x, y)[0, 1], paired=True, vectorized=False, n_resamples=3000,
        method="percentile",
    )  # fmt: skip
    found = boot_both(values, criterion, n_resamples=3000)
    assert found == pytest.approx(tuple(theirs.confidence_interval), abs=0.3 * float(theirs.standard_error))


def test_intervals_over_both_are_those_of_nlpstats() -> None:
    # nlpstats 0.0.1, by the author of the method: tests/correlations/bootstrap_test.py, test_bootstrap_regression_random,
    # bootstrap(X, Y, "system", "pearson", "both") with 9,999 resamples.
    source = np.random.RandomState(4)
    first, second = source.rand(25, 50), source.rand(25, 50)
    found = boot_both(first, second, n_resamples=9999)
    # The ends of five seeds differ by up to 0.016.
    assert found == pytest.approx((-0.5297912355172001, 0.5460669817957821), abs=0.02)


def test_intervals_over_both_are_those_of_resampled_matrices() -> None:
    score, _, criterion = matrices(6, systems=7, utterances=30)
    source = np.random.default_rng(11)
    replicates = []
    for _ in range(3000):
        cells = np.ix_(source.integers(0, 7, 7), source.integers(0, 30, 30))
        replicates.append(np.corrcoef(score[cells].mean(axis=1), criterion[cells].mean(axis=1))[0, 1])
    expected = np.quantile(replicates, [0.05, 0.95])
    assert boot_both(score, criterion, confidence=0.9, n_resamples=3000) == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize("criterion_columns", [1, 3])
def test_perm_both_is_the_share_of_all_exchanges(criterion_columns: int) -> None:
    source = np.random.default_rng(4)
    quality = source.normal(size=(4, 1))
    first, second = (quality + source.normal(size=(4, 3)) * noise for noise in (0.2, 2.5))
    criterion = quality + source.normal(size=(4, criterion_columns)) / 5
    sides = [(side - side.mean()) / side.std() for side in (first, 10 * second + 3)]

    def difference(one: Any, other: Any) -> float:
        goal = criterion.mean(axis=1)
        return float(np.subtract(*(np.corrcoef(side.mean(axis=1), goal)[0, 1] for side in (one, other))))

    observed = abs(difference(*sides))
    values = []
    for number in range(2**12):
        swap = np.array([number >> place & 1 for place in range(12)], bool).reshape(4, 3)
        values.append(abs(difference(np.where(swap, *sides[::-1]), np.where(swap, *sides))))
    expected = np.mean(np.array(values) >= observed - 1e-9)
    found = perm_both(first, 10 * second + 3, criterion, n_trials=20_000)
    assert 0.05 < expected < 0.95
    # Four standard errors.
    assert found == pytest.approx(expected, abs=4 * math.sqrt(expected * (1 - expected) / 20_000))


def test_correlations_of_utterances_have_the_means_and_the_tests_over_both() -> None:
    good, bad, criterion = matrices(7, systems=9, utterances=25)
    scores = {"bad": bad, "good": -good, "flat": np.ones((9, 25))}
    rows = correlate_utterances(scores, criterion, n_resamples=200, n_trials=300, seed=5)
    by_system = correlate({name: side.mean(axis=1) for name, side in scores.items()}, criterion.mean(axis=1))
    for row, plain in zip(rows, by_system, strict=True):
        kept = ("score", "pearson", "pearson_p", "spearman_p", "kendall", "williams_p", "n")
        assert [getattr(row, name) for name in kept] == pytest.approx(
            [getattr(plain, name) for name in kept], nan_ok=True
        )
    best, second, flat = rows
    assert (best.score, second.score, flat.score, best.utterances) == ("good", "bad", "flat", 25)
    assert (best.pearson_low, best.pearson_high) == boot_both(-good, criterion, n_resamples=200, seed=5)
    assert second.perm_both_p == perm_both(good, bad * np.sign(second.pearson), criterion, n_trials=300, seed=5)
    assert math.isnan(best.perm_both_p)
    assert math.isnan(flat.pearson_low)
    whole = correlate_utterances(scores, criterion.mean(axis=1), n_resamples=200, seed=5)
    assert [row.pearson for row in whole] == pytest.approx([row.pearson for row in rows], nan_ok=True)


def test_perm_both_tells_a_good_score_from_a_bad_one() -> None:
    good, bad, criterion = matrices(5, systems=12)
    assert perm_both(good, bad * 100, criterion, n_trials=199) <= 0.05
    assert perm_both(good, good, criterion, n_trials=50) == 1.0


def test_perm_both_is_uniform_where_scores_are_alike() -> None:
    p_values = []
    for seed in range(120):
        source = np.random.default_rng(seed)
        quality = source.normal(size=(6, 1))
        first, second, criterion = (quality + source.normal(size=(6, 12)) for _ in range(3))
        p_values.append(perm_both(first, second, criterion, n_trials=79, seed=seed))
    assert stats.kstest(p_values, "uniform").pvalue > 0.01


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (williams, ([1, 2, 3], [1, 2, 3], [1, 2, 3]), "expected a value for each of at least 4 systems"),
        (boot_both, ([1, 2, 3], [1, 2]), r"shapes \(3,\) and \(2,\)"),
        (boot_both, ([1, 2], [1, 2]), "2 systems: expected at least 3"),
        (boot_both, ([1, 2, math.nan], [1, 2, 3]), "expected finite numbers"),
        (perm_both, ([1, 2, 3], [[1, 2], [2, 3], [3, 4]], [1, 2, 3]), "expected one shape"),
        (
            correlate_utterances,
            ({"f": [1, 2, 3]}, [1, 2, 3]),
            r"the score 'f' has the shape \(3,\) and the criterion \(3,\)",
        ),
        (
            correlate_utterances,
            ({"f": [[1, 2]] * 3}, [[1, 2, 3]] * 3),
            r"\(3, 2\) and the criterion \(3, 3\): expected",
        ),
        (correlate_utterances, ({}, [1, 2, 3]), "nothing to correlate"),
    ],
)
def test_bad_input(function: Any, arguments: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        function(*arguments)
