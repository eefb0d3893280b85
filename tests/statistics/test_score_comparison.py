"""Two scores against one criterion: Williams' test by R's published values, resampling by its definition."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from segscores.statistics.correlation import correlate
from segscores.statistics.score_comparison import boot_both, perm_both, williams, williams_of


def test_williams_of_the_example_of_psych() -> None:
    # The help of r.test in the R package psych: r.test(n = 103, r12 = .4, r13 = .5, r23 = .1), t value -0.89, p < 0.37.
    statistic, p_value = williams_of(0.4, 0.5, 0.1, 103)
    assert round(statistic, 2) == -0.89
    assert round(p_value, 2) == 0.37


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
    ],
)
def test_bad_input(function: Any, arguments: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        function(*arguments)
