"""Quantiles of Student's t, for the default intervals.

`scipy.special.stdtrit` has the same values, and the tests compare them. The import of scipy takes longer than to score a small
file.

Sources
-------
The central probability as an integral over the angle with tan θ = t/√ν: Abramowitz & Stegun (1972), 26.7.3 and 26.7.4. The ratio
of gamma functions: NIST Digital Library of Mathematical Functions, 5.11.13. Takahasi & Mori (1974), Publications of the RIMS
9:721-741.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

#: The nodes of the integral, as shares of its range, and their weights: the rule of Takahasi & Mori, whose nodes are dense at
#: both ends, where a function may be steep.
_STEPS = np.arange(-65, 66) / 20
_SHARES = 0.5 + 0.5 * np.tanh(math.pi / 2 * np.sinh(_STEPS))
_WEIGHTS = math.pi / 80 * np.cosh(_STEPS) / np.cosh(math.pi / 2 * np.sinh(_STEPS)) ** 2

#: From here the series for the ratio of gamma functions is exact, and below it their logarithms.
_LARGE = 50.0

#: With less than this share beyond each end, rounding is larger than what Newton's method still misses, and scipy is used.
_LEAST_TAIL = 1e-6

#: From this many degrees of freedom the distribution is the normal one, to the last digits.
_NORMAL = 1e15


def student_quantile(confidence: float, freedom: float) -> float:
    """Return the t with P(|T| < t) = confidence, for a confidence in [0, 1) and degrees of freedom ≥ 1; nan for nan.

    Naive equivalent: `scipy.special.stdtrit(freedom, 0.5 + 0.5 * confidence)`.

    >>> round(student_quantile(0.95, 4), 6)
    2.776445
    """
    if math.isnan(confidence) or math.isnan(freedom):
        return math.nan
    tail = 0.5 - 0.5 * confidence
    if tail < _LEAST_TAIL:
        from scipy.special import ndtri, stdtrit

        # Below −t is the tail. The share below t would be 1 in floating point.
        return -float(ndtri(tail) if freedom >= _NORMAL else stdtrit(freedom, tail))
    # The share `confidence` of the normal distribution is between −t and t. Half of the rest is below −t, so that the share
    # below t is 1/2 + confidence/2.
    quantile = NormalDist().inv_cdf(0.5 + 0.5 * confidence)
    is_zero = quantile == 0
    if freedom >= _NORMAL or is_zero:
        return quantile
    # With ν degrees of freedom and θ = arctan(t/√ν), the density at t is Γ((ν + 1)/2) / (√(νπ) Γ(ν/2)) · cos(θ)^(ν + 1), and
    # the probability between −t and t is 2 Γ((ν + 1)/2) / (√π Γ(ν/2)) · the integral of cos(u)^(ν − 1) from 0 to θ.
    scale = _gamma_ratio(freedom / 2) / math.sqrt(math.pi)
    # Newton's method from the normal quantile. The probability is a concave function of t, and less than that of the normal
    # distribution: each step goes up, until it is lost in rounding.
    step = math.inf
    while step > 1e-14 * quantile:
        angle = math.atan(quantile / math.sqrt(freedom))
        missing_probability = confidence - 2 * scale * _integral(angle, freedom)
        density = scale / math.sqrt(freedom) * math.cos(angle) ** (freedom + 1)
        # With t, the probability between −t and t grows by two densities.
        step = missing_probability / (2 * density)
        quantile += step
    return quantile


def _integral(angle: float, freedom: float) -> float:
    """Return the integral of cos(u) to the power freedom − 1, from 0 to the angle."""
    # cos(u) = (1 − sin²(u))^(1/2), whose power ν − 1 is the exponential of (ν − 1)/2 · log(1 − sin²(u)). `log1p` keeps the
    # digits where the cosine is near 1.
    sines = np.sin(angle * _SHARES)
    powers = np.exp((freedom - 1) / 2 * np.log1p(-sines * sines))
    return float(angle * (_WEIGHTS @ powers))


def _gamma_ratio(half: float) -> float:
    """Return Γ(half + 1/2) / Γ(half)."""
    if half < _LARGE:
        return math.exp(math.lgamma(half + 0.5) - math.lgamma(half))
    # Differences of large logarithms would lose digits. These are the first terms of the series in 1 / half.
    terms = (1, -1 / 8, 1 / 128, 5 / 1024, -21 / 32768, -399 / 262144, 869 / 4194304)
    return math.sqrt(half) * sum(term / half**power for power, term in enumerate(terms))
