"""Delete-one jackknife: standard errors, intervals and tests from a score without each utterance, or without each cluster.

Conventions
-----------
- θ is the score of all n units (utterances, or clusters), θ₍ᵢ₎ the score without unit i, and dᵢ = θ₍ᵢ₎ − mean θ₍.₎.
- The standard error is √((n − 1)/n Σ dᵢ²). Its degrees of freedom, 2 (Σ dᵢ²)² / (Σ dᵢ⁴ − (Σ dᵢ²)²/n), at most n − 1, are those of
  a χ² with the mean and the variance of Σ dᵢ² (Satterthwaite). Where a θ₍ᵢ₎ is undefined there is no error (nan).
- The interval of a score in [0, 1] is symmetric in the log-odds, other intervals are symmetric, with quantiles of Student's t.
  The p-value of a difference is at most 1 − confidence exactly where its interval excludes 0.
- Where all units are perfect, the interval is [1 − b, 1]: b is the largest share of units that may err if none of the sample
  does, 1 − α^(1/m) for the one-sided level α. Units of different sizes w count as m = (Σw)²/Σw². It is [0, b] if all are wrong,
  and [−b, b] for the difference of systems that differ in none. No share of units bounds seconds and counts: if these, or their
  differences, are 0 in every unit, the interval is [0, 0].
- Where no unit changes a score between the ends of its range, the interval is [θ − b·w, θ + b·w], for a range of the width w:
  every score of the share b of units may be another one. For a score of types, m is the number of types of the smaller lexicon:
  no type is of one unit alone, and so of few types this can be expected. Differences, and scores of no bounded range, have no
  interval then.
- A score of R runs is their mean m. Its variance is V(units) of m + s²/R of the scores of runs − V(both), which both terms
  contain; at least V(units), and at least s²/R. V(both) = Σᵣ eᵣ²/(R (R − 1)), for the standard error eᵣ of θ₍ᵣ,ᵢ₎ − m₍ᵢ₎ over the
  units: Σᵣ eᵣ²/(R − 1) is the variance among runs of what units change, and a division by R makes it that of the mean. The
  degrees of freedom are Satterthwaite's of the first two terms. A difference has the s²/R and V(both) of both systems.
- Deleting a unit from a lexicon deletes the types that only this unit has. The variance is never too small on average (Efron &
  Stein), and too large by a tenth to a half where many types are rare.

Sources
-------
Efron & Tibshirani (1993), An Introduction to the Bootstrap, ch. 11. Efron & Stein (1981), Annals of Statistics 9:586-596.
Satterthwaite (1946), Biometrics Bulletin 2:110-114. Log-odds, and bounds of a share: Brown, Cai & DasGupta (2001), Statistical
Science 16:101-133. Effective number of units: Kish (1965), Survey Sampling. Equivalence: Schuirmann (1987), Journal of
Pharmacokinetics and Biopharmaceutics 15:657-680.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..kernel.arrays import Floats
from ..kernel.formulas import divide
from ..kernel.record import record
from .student import student_quantile

#: The largest difference, by rounding, of scores that are equal by definition.
ROUNDING = 1e-12

#: The power of the smallest detectable difference.
_POWER = 0.8

#: With fewer differing units t intervals are not compared with a margin: in simulations 4 to 82 % of verdicts were wrong.
_LEAST_DIFFERING = 10

#: A little below the exponent from which `math.exp` overflows, 709.8.
_LARGEST_EXPONENT = 700.0


@record
class Term:
    """A system's part in an estimate: its score, which is added, or subtracted for a difference."""

    sign: int
    scores: Floats  #: the score of each run, (n_runs,)
    without: Floats  #: the scores without each unit, (n_runs, n_units)


@record
class Estimate:
    """A score or a difference, with its standard error.

    `error` has `freedom` degrees of freedom, and is nan if it cannot be estimated. `units` is the effective number of units,
    `types` for a score of types the number of types of the smaller lexicon, else nan.

    >>> estimate = Estimate.of([Term(1, np.array([0.5]), np.arange(20)[None] / 200)], 20)
    >>> round(estimate.error, 3), estimate.freedom
    (0.126, 19.0)
    """

    value: float
    error: float
    freedom: float
    units: float
    types: float = math.nan

    @staticmethod
    def of(terms: Sequence[Term], units: float, types: float = math.nan) -> Estimate:
        """Estimate the sum of systems' mean scores over runs; the docstring of the module has the variance."""
        value = sum(term.sign * float(term.scores.mean()) for term in terms)
        # The means over runs without each unit; of a difference, the differences of these: (n_units,).
        without = np.sum([term.sign * term.without.mean(axis=0) for term in terms], axis=0)
        error, freedom = standard_error(without)
        terms_with_runs = [term for term in terms if len(term.scores) > 1]
        if terms_with_runs:
            error, freedom = _with_variance_of_runs(error, freedom, terms_with_runs)
        return Estimate(value, error, freedom, units, types)

    @property
    def is_zero_everywhere(self) -> bool:
        """Return whether the value is 0, and would be 0 without any of the units."""
        return self.error == 0 and abs(self.value) <= ROUNDING

    def interval(self, confidence: float, ends: tuple[float, float] = (0.0, 1.0)) -> tuple[float, float]:
        """Return the interval of a score; `ends` are the lowest and the highest value that the score may have."""
        low_end, high_end = ends
        width = high_end - low_end
        for end in ends:
            is_at_end = abs(self.value - end) <= ROUNDING
            if is_at_end:
                # All units are perfect, or all wrong: none differs from the others. Each may change the score by the whole width.
                bound = self._bound(differing_units=0, confidence=confidence, largest=width)
                return _within(end - bound, end + bound, ends)
        if self.error == 0 and math.isfinite(width):
            # No unit changes the score. The number of types limits what a score of types shows.
            units = self.units if math.isnan(self.types) else self.types
            # In units of the score: a share of the units, each with a change of the whole width.
            bound = share_bound(count=0, units=units, confidence=confidence) * width
            return _within(self.value - bound, self.value + bound, ends)
        reach = self._reach(confidence)
        if ends != (0.0, 1.0) or math.isnan(reach):
            return _within(self.value - reach, self.value + reach, ends)
        # A score p between 0 and 1 has the log-odds log(p/(1 − p)). They change 1/(p(1 − p)) times as much as p, so that their
        # interval, which multiplies and divides the odds by a factor, has a reach of so many times the reach of p.
        score = self.value
        factor = math.exp(min(_LARGEST_EXPONENT, reach / (score * (1 - score))))
        low = score / (score + (1 - score) * factor)
        high = score * factor / (score * factor + 1 - score)
        return low, high

    def difference_interval(self, confidence: float, largest: float = math.inf) -> tuple[float, float]:
        """Return the interval of a difference of two systems, whose largest possible value is `largest`."""
        if self.is_zero_everywhere:
            # The systems differ in no unit.
            reach = self._bound(differing_units=0, confidence=confidence, largest=largest)
        else:
            reach = self._reach(confidence)
        return _within(self.value - reach, self.value + reach, (-largest, largest))

    def _reach(self, confidence: float) -> float:
        """Return half the width of a symmetric interval; nan if the error cannot be estimated."""
        # An error of 0 says nothing about the units outside the sample; and nan is not above 0.
        if not self.error > 0:
            return math.nan
        return student_quantile(confidence, self.freedom) * self.error

    def _bound(self, differing_units: int, confidence: float, largest: float) -> float:
        """Return the largest plausible difference if so many units of the sample differ, each by at most `largest`.

        If `largest` is infinite, return the largest plausible share of units that differ.
        """
        if math.isnan(self.error):
            return math.nan
        share = share_bound(differing_units, self.units, confidence)
        return share * largest if math.isfinite(largest) else share

    def p_value(self) -> float:
        """Return the two-sided p-value of a difference: 1 for none in any unit, nan if the error cannot be estimated."""
        if self.error == 0:
            return 1.0 if abs(self.value) <= ROUNDING else math.nan
        return student_p(self.value / self.error, self.freedom)

    def against_margin(
        self, margin: float, confidence: float, differing_units: int, better: str, largest: float
    ) -> str:
        """Return the verdict on a difference against `margin`, the largest difference that does not matter.

        The reach is larger by 1/√k for the k units that differ, because the distribution of a small number of differences is
        skewed. Below _LEAST_DIFFERING only the share of the units that differ is bounded, as if each had the difference
        `largest`. `better` says which values of the score are better. If it is neither `"higher"` nor `"lower"`, the only
        verdict is equivalence.
        """
        if math.isnan(self.error):
            return "undefined"
        if differing_units < _LEAST_DIFFERING:
            return "equivalent" if self._bound(differing_units, confidence, largest) < margin else "inconclusive"
        reach = student_quantile(confidence, self.freedom) * self.error * (1 + differing_units**-0.5)
        low = self.value - reach
        high = self.value + reach
        if -margin < low and high < margin:
            return "equivalent"
        if better not in ("higher", "lower"):
            return "inconclusive"
        if better == "lower":
            # A difference of -0.1 is then a gain of 0.1.
            lowest_gain = -high
            highest_gain = -low
        else:
            lowest_gain = low
            highest_gain = high
        if lowest_gain > -margin:
            return "not inferior"
        if highest_gain < -margin:
            return "inferior"
        return "inconclusive"

    def detectable(self, confidence: float) -> float:
        """Return the difference that is significant in 80 % of samples like this one.

        An observed difference is significant from q·error on, for the quantile q. A true difference of that size would be
        observed below it in half of the samples. In 80 % the observed difference is at least the true one less p·error, for the
        quantile p below which 80 % of the distribution lie. So the true difference has to be (q + p)·error.
        """
        quantile_of_test = student_quantile(confidence, self.freedom)
        # `student_quantile` takes the share between −t and t. If 80 % lie below t, 60 % lie between −t and t.
        quantile_of_power = student_quantile(2 * _POWER - 1, self.freedom)
        return (quantile_of_test + quantile_of_power) * self.error


def _with_variance_of_runs(error: float, freedom: float, terms: Sequence[Term]) -> tuple[float, float]:
    """Return the standard error of means over runs, and its degrees of freedom, from those of fixed runs.

    `terms` are the systems with several runs. The conventions of the module have the formula.
    """
    of_units = error**2  # V(units)
    of_runs = 0.0  # s²/R, of all systems
    in_both = 0.0  # V(both), of all systems
    # Satterthwaite's formula is (Σv)² / Σ(v²/f), of variances v with f degrees of freedom. This is its denominator.
    denominator = of_units**2 / freedom
    for term in terms:
        runs = len(term.scores)
        variance_of_mean = float(term.scores.var(ddof=1)) / runs
        of_runs += variance_of_mean
        denominator += variance_of_mean**2 / (runs - 1.0)
        # θ₍ᵣ,ᵢ₎ − m₍ᵢ₎, a row for each run and a column for each unit: what a unit changes in a run, beyond what it changes in
        # the mean over runs.
        beyond_mean = term.without - term.without.mean(axis=0)
        errors = []
        for without_of_run in beyond_mean:
            error_of_run, _ = standard_error(without_of_run)
            errors.append(error_of_run)
        in_both += float(np.square(errors).sum()) / (runs * (runs - 1))
    # V(both) is a part of `of_units` and of `of_runs`, but its estimate may be larger than either.
    variance = max(of_units + of_runs - in_both, of_units, of_runs)
    # Without any variance the formula would be 0/0. V(both) is subtracted from the variance and not from the denominator, so that
    # the formula may give less than one degree of freedom.
    if denominator > 0:
        freedom = max(variance**2 / denominator, 1.0)
    return math.sqrt(variance), freedom


def standard_error(without: Floats) -> tuple[float, float]:
    """Return the standard error of a score, and its degrees of freedom, from the scores without each unit.

    If a score is nan, the error is nan.

    >>> error, freedom = standard_error(np.append(np.arange(20) / 20, 3.0))
    >>> round(freedom, 1)
    3.9
    """
    n = len(without)
    # With nan both comparisons of this function are False, so that the error is nan, with n - 1 degrees of freedom.
    if np.ptp(without) <= ROUNDING:
        return 0.0, n - 1.0
    squares = np.square(without - without.mean())
    total = float(squares.sum())
    spread = float(np.square(squares).sum()) - total**2 / n
    # Squares that are equal up to rounding have no spread.
    has_spread = spread > ROUNDING * total**2
    freedom = 2 * total**2 / spread if has_spread else math.inf
    return math.sqrt((n - 1) / n * total), min(n - 1.0, freedom)


def effective_units(sizes: npt.NDArray[Any]) -> float:
    """Return the number of units of equal size that have as much information as units of these sizes.

    >>> effective_units(np.array([10, 10, 10])), round(effective_units(np.array([100, 1, 1])), 2)
    (3.0, 1.04)
    """
    total = float(sizes.sum())
    return float(divide(total * total, float(np.square(sizes, dtype=np.float64).sum()), math.nan))


def share_bound(count: int, units: float, confidence: float) -> float:
    """Return the upper end of Clopper & Pearson's interval of the share of units that differ, if `count` of `units` do.

    >>> round(share_bound(0, 30, 0.95), 4)
    0.1157
    """
    if count >= units:
        return 1.0
    tail = 0.5 - 0.5 * confidence
    if count == 0:
        # If a share of all units differ, no unit of the sample does with the probability (1 − share) to the power of `units`.
        # The end is the share with which this probability is `tail`.
        return -math.expm1(math.log(tail) / units)
    from scipy.special import betaincinv

    # The end is a quantile of the beta distribution, whose function of probability `betaincinv` inverts.
    return float(betaincinv(count + 1, units - count, 1 - tail))


def student_p(statistic: float, freedom: float) -> float:
    """Return P(|T| ≥ |statistic|) for Student's t with these degrees of freedom; nan for nan.

    >>> round(student_p(2.776445, 4), 6)
    0.05
    """
    from scipy.special import stdtr

    return float(2 * stdtr(freedom, -abs(statistic)))


def _within(low: float, high: float, ends: tuple[float, float]) -> tuple[float, float]:
    """Return the part of the interval from `low` to `high` that is between the ends of a range; nan stays nan.

    >>> _within(-0.1, 0.3, (0.0, 1.0))
    (0.0, 0.3)
    """
    # `max` and `min` would return the end for nan.
    if math.isnan(low):
        return math.nan, math.nan
    low_end, high_end = ends
    return max(low_end, low), min(high_end, high)
