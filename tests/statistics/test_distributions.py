"""Student's t against scipy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from segscores.statistics.distributions import student_quantile, student_two_sided

FREEDOMS = (1, 1.27, 2, 3, 5.5, 10, 29, 100, 1e3, 1e5, 1e6)


@pytest.mark.parametrize("freedom", FREEDOMS)
def test_the_tail_is_scipys(freedom: float) -> None:
    tolerance = 1e-11 if freedom <= 1e3 else 1e-8
    for statistic in (0.0, 1e-3, 0.5, 1.0, 2.0, 5.0, 12.7, 40.0, -2.0):
        expected = 2 * stats.t.sf(abs(statistic), freedom)
        assert student_two_sided(statistic, freedom) == pytest.approx(expected, rel=tolerance, abs=1e-300)


@pytest.mark.parametrize("freedom", [*FREEDOMS, 1e7, 1e9, math.inf])
def test_quantiles_are_scipys(freedom: float) -> None:
    for probability in (1e-6, 0.005, 0.025, 0.3, 0.5, 0.6, 0.95, 0.975, 0.9995):
        expected = stats.t.ppf(probability, freedom) if math.isfinite(freedom) else stats.norm.ppf(probability)
        assert student_quantile(probability, freedom) == pytest.approx(
            expected, rel=1e-6 if freedom > 1e6 else 1e-8, abs=1e-12
        )


def test_the_ends() -> None:
    assert math.isnan(student_two_sided(math.nan, 3))
    assert student_two_sided(math.inf, 3) == student_two_sided(-math.inf, 3) == 0
    assert student_two_sided(0, 3) == 1


def test_published_quantiles() -> None:
    """The table of Abramowitz & Stegun (1964), 26.10, to its digits."""
    published = {1: 12.706, 2: 4.303, 5: 2.571, 10: 2.228, 30: 2.042, 120: 1.980}
    found = {freedom: round(student_quantile(0.975, freedom), 3) for freedom in published}
    assert found == published
    assert np.all(np.diff(list(found.values())) < 0)
