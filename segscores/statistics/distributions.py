"""Student's t distribution: its tail and its quantiles, without scipy.

The tail is the regularised incomplete beta function, P(|T| > t) = I_x(ν/2, ½) with x = ν / (ν + t²), by its continued
fraction (Abramowitz & Stegun 1964, 26.5.8, evaluated by Lentz's method; 26.7.1 for t). Its relative error is below
10⁻¹² for some thousand degrees of freedom and below 10⁻⁸ for a million.
"""

from __future__ import annotations

__all__ = ["student_quantile", "student_two_sided"]

import math
from functools import lru_cache
from statistics import NormalDist

#: From this number of degrees of freedom, the normal distribution differs by less than one part in 10⁶.
_NEARLY_NORMAL = 1e7
_TINY = 1e-300


def student_two_sided(statistic: float, freedom: float) -> float:
    """P(|T| ≥ |statistic|) for Student's t with the given degrees of freedom; nan for nan.

    >>> round(student_two_sided(2.776445, 4), 6)
    0.05
    """
    if math.isnan(statistic):
        return math.nan
    if math.isinf(statistic):
        return 0.0
    return _incomplete_beta(freedom / 2, 0.5, statistic * statistic / freedom)


@lru_cache(maxsize=64)
def student_quantile(probability: float, freedom: float) -> float:
    """The quantile of Student's t for a probability in (0, 1).

    >>> round(student_quantile(0.975, 4), 6)
    2.776445
    """
    if freedom >= _NEARLY_NORMAL:
        return NormalDist().inv_cdf(probability)
    if probability == 0.5:
        return 0.0
    tail = 2 * min(probability, 1 - probability)
    low, high = 0.0, 1.0
    while student_two_sided(high, freedom) > tail:
        low, high = high, 2 * high
    while high - low > 1e-14 * high:
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if student_two_sided(middle, freedom) > tail else (low, middle)
    value = (low + high) / 2
    return value if probability > 0.5 else -value


def _incomplete_beta(first: float, second: float, odds: float) -> float:
    """I_x(first, second) at x = 1 / (1 + odds)."""
    if odds == 0:
        return 1.0
    x, rest = 1 / (1 + odds), odds / (1 + odds)
    front = math.exp(
        math.lgamma(first + second)
        - math.lgamma(first)
        - math.lgamma(second)
        - first * math.log1p(odds)
        + second * (math.log(odds) - math.log1p(odds))
    )
    # The fraction converges fast on this side of the mean only.
    if x < (first + 1) / (first + second + 2):
        return front * _fraction(first, second, x) / first
    return 1 - front * _fraction(second, first, rest) / second


def _fraction(first: float, second: float, x: float) -> float:
    """The continued fraction of the incomplete beta function."""
    c, d = 1.0, 1 / _away_from_0(1 - (first + second) * x / (first + 1))
    value = d
    for step in range(1, 10_000):
        even = step * (second - step) * x / ((first + 2 * step - 1) * (first + 2 * step))
        d = 1 / _away_from_0(1 + even * d)
        c = _away_from_0(1 + even / c)
        value *= c * d
        odd = -(first + step) * (first + second + step) * x / ((first + 2 * step) * (first + 2 * step + 1))
        d = 1 / _away_from_0(1 + odd * d)
        c = _away_from_0(1 + odd / c)
        value *= c * d
        if abs(c * d - 1) < 1e-16:
            break
    return value


def _away_from_0(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
