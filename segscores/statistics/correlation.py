"""Meta-evaluation: the agreement of scores with an external criterion, such as human judgement or retrieval quality.

Conventions
-----------
- Systems are segmenters, and count as drawn independently. Utterances, and checkpoints of one segmenter, are no systems.
- The correlation with a constant is undefined: nan. Values that differ by no more than rounding count as equal.
- Pearson's r has the interval of Fisher's z, tanh(artanh r ± q / √(n − 3)), q the normal quantile. It holds for normal data: one
  outlier can make r, and the interval does not show it.
- Spearman's ρ has the same interval with the variance (1 + ρ²/2) / (n − 3), from LEAST_FOR_RANKS systems on, because few ranks
  often agree by chance. From there on it is the correlation to report. A correlation of 1 or −1 has no interval.
- p-values are two-sided, for no correlation: of Student's t for r; for ρ of all orders of fewer than LEAST_FOR_RANKS systems, of
  t for more; for Kendall's τ-b exact without ties, otherwise of the normal distribution.
- Williams' test of |r₁₂| = |r₁₃|, two correlations with one criterion over the same n systems, is T₂ of Steiger (1980):

      t = (r₁₂ − r₁₃) √( (n − 1)(1 + r₂₃) / (2K (n − 1)/(n − 3) + (r₁₂ + r₁₃)²/4 · (1 − r₂₃)³) ),
      K = 1 − r₁₂² − r₁₃² − r₂₃² + 2 r₁₂ r₁₃ r₂₃,  with n − 3 degrees of freedom.

Sources
-------
Fisher (1921), Metron 1:3-32. Interval of ρ: Bonett & Wright (2000), Psychometrika 65:23-28. Williams (1959), JRSS B
21:396-399; Steiger (1980), Psychological Bulletin 87:245-251; for metrics Graham & Baldwin (2014), EMNLP, 172-176.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from ..kernel.arrays import Floats, Mask
from ..kernel.formulas import divide
from ..options.errors import warn
from ..options.functions import with_inputs
from ..options.messages import OptionError
from ..options.option import check_options
from ..options.quoting import described, shortened
from ..options.suggestions import suggestion
from ..options.table import OPTIONS
from ..results.result import Values
from .jackknife import ROUNDING, student_p
from .significance import holm

MIN_SYSTEMS = 3
#: The least number of systems for an interval of Spearman's rho.
LEAST_FOR_RANKS = 8
#: The least number of systems for a correlation without a warning.
LEAST_WITHOUT_WARNING = 10

#: Values whose relative difference is at most this count as equal.
_CONSTANT = 1e-11


@dataclass(frozen=True, eq=False)
class Correlation(Values):
    """The agreement of a score with a criterion over n systems: Pearson's r, Spearman's rho, Kendall's tau-b.

    p-values are two-sided. `williams_p` is the p-value of Williams' test against the score `against`, corrected by Holm over the
    other scores; it is nan for the score `against`, and if none is named.
    """

    score: str
    pearson: float
    pearson_low: float
    pearson_high: float
    pearson_p: float
    spearman: float
    spearman_low: float
    spearman_high: float
    spearman_p: float
    kendall: float
    kendall_p: float
    williams_p: float
    n: int


@with_inputs
def correlate(
    scores: Mapping[str, Sequence[float]],
    criterion: Sequence[float],
    *,
    against: str | None = None,
    confidence: float = 0.95,
) -> list[Correlation]:
    """Correlate scores with a criterion over systems.

    Args:
        scores: the values of each score, by name, one per system.
        criterion: a value per system, in the same order.
        against: the score that Williams' test compares the others with. Choose it before you see the correlations.
        confidence: the confidence level of the intervals.

    Returns:
        One row per score, the largest absolute value of Pearson's r first, undefined correlations last, ties in the order of
        `scores`.

    Raises:
        TypeError: scores without names, or an option of the wrong type.
        ValueError: no score, fewer than MIN_SYSTEMS systems, lengths that differ, a value that is not finite, or a bad option.

    >>> rows = correlate({"a": [1, 2, 4, 3] * 3, "b": [4, 3, 2, 1] * 3, "c": [5, 5, 5, 5] * 3}, [1, 2, 3, 4] * 3)
    >>> [(row.score, round(row.pearson, 2), round(row.spearman, 2)) for row in rows]
    [('b', -1.0, -1.0), ('a', 0.8, 0.8), ('c', nan, nan)]
    """
    if not isinstance(scores, Mapping):
        raise TypeError(f"scores: expected a dict from names to values, received {described(scores)}.")
    if not scores:
        raise ValueError("there is nothing to correlate: expected at least one score, received none.")
    check_options({"confidence": confidence, "against": against}, OPTIONS)
    target = _read_values("the criterion", criterion)
    check_system_count(len(target))
    columns = {name: _read_values(f"the score {name!r}", values, len(target)) for name, values in scores.items()}
    if against is not None and against not in columns:
        raise OptionError(
            OPTIONS["against"],
            f": expected one of the scores {', '.join(columns)}; received {against!r}.{suggestion(against, columns)}",
        )
    if len(target) < LEAST_WITHOUT_WARNING:
        warn(
            f"{len(target)} systems: a correlation over fewer than {LEAST_WITHOUT_WARNING} is very uncertain; add systems before "
            f"you draw a conclusion."
        )
    rows = [_correlation(name, column, target, confidence) for name, column in columns.items()]
    # Undefined correlations come last.
    rows.sort(key=lambda row: math.inf if math.isnan(row.pearson) else -abs(row.pearson))
    if against is None:
        return rows
    p_values = {}
    for name, column in columns.items():
        if name != against:
            _t, p_values[name] = williams(columns[against], column, target)
    corrected = holm(p_values)
    # The score `against` has no p-value.
    return [replace(row, williams_p=corrected.get(row.score, math.nan)) for row in rows]


def williams(first: Any, second: Any, criterion: Any) -> tuple[float, float]:
    """Apply Williams' test to two scores and one criterion, with values of at least four systems; return t and its p-value.

    A score with a negative correlation changes its sign. t is positive if the first score has the larger |r|. Both results are
    nan if a correlation is undefined.
    """
    # The rows are both scores and the criterion, (3, n): the order of the columns of `deviations` too.
    rows = np.array([first, second, criterion], np.float64)
    n = rows.shape[-1]
    # One system more than a correlation needs: the test has n - 3 degrees of freedom.
    if rows.ndim != 2 or n <= MIN_SYSTEMS:
        raise ValueError(f"Williams' test: expected a value for each of at least 4 systems, received {rows.shape[1:]}.")
    scores = rows[:2]  # a view: what changes the scores changes the rows
    target = rows[2]
    # A score with a negative correlation changes its sign.
    scores *= np.copysign(1.0, pearson(scores, target))[:, None]
    r_first, r_second = pearson(scores, target).tolist()
    r_between = float(pearson(*scores))
    difference = r_first - r_second
    if math.isnan(difference):
        return math.nan, math.nan
    if abs(difference) <= ROUNDING:
        return 0.0, 1.0
    deviations = (rows - rows.mean(axis=1, keepdims=True)).T
    # K is the determinant of the three correlations, which is the square of the product of the diagonal of R of the QR
    # decomposition of the standardised rows. Near correlations of 1 it keeps digits that the formula of K loses.
    standardised = deviations / np.sqrt(np.square(deviations).sum(axis=0))
    k = np.prod(np.diag(np.linalg.qr(standardised, mode="r"))) ** 2
    variance = 2 * k * (n - 1) / (n - 3) + (r_first + r_second) ** 2 / 4 * (1 - r_between) ** 3
    statistic = difference * math.sqrt(float(divide((n - 1) * (1 + r_between), variance, math.inf)))
    return statistic, student_p(statistic, n - 3)


def pearson(left: Floats, right: Floats) -> Floats:
    """Compute Pearson's r along the last axis; nan if a side is constant (up to rounding) or has nan."""
    left_deviations = left - left.mean(axis=-1, keepdims=True)
    right_deviations = right - right.mean(axis=-1, keepdims=True)
    scale = np.sqrt(np.square(left_deviations).sum(axis=-1) * np.square(right_deviations).sum(axis=-1))
    # A scale of 0 makes the correlation with a constant 0/0.
    is_constant = _is_constant(left) | _is_constant(right)
    products = (left_deviations * right_deviations).sum(axis=-1)
    correlations = np.asarray(divide(products, np.where(is_constant, 0.0, scale), math.nan))
    # Rounding may carry a correlation beyond 1.
    within: Floats = np.clip(correlations, -1.0, 1.0)
    return within


def _is_constant(values: Floats) -> Mask:
    """Return for each row of values if they are equal up to rounding, along the last axis."""
    mean = values.mean(axis=-1, keepdims=True)
    return np.asarray(np.abs(values - mean).max(axis=-1) <= _CONSTANT * np.abs(mean[..., 0]))


def check_system_count(count: int) -> None:
    """Check that there are enough systems for a correlation."""
    if count < MIN_SYSTEMS:
        noun = "system" if count == 1 else "systems"
        raise ValueError(
            f"{count} {noun}: expected at least {MIN_SYSTEMS}, because any two have a correlation of 1 or -1."
        )


def _correlation(name: str, values: Floats, criterion: Floats, confidence: float) -> Correlation:
    """Return the correlations of the score `name` with the criterion; all nan if a side is constant."""
    from scipy import stats

    n = len(values)
    r = float(pearson(values, criterion))
    if math.isnan(r):
        # All fields are nan but the name and the number of systems.
        undefined = {field.name: math.nan for field in fields(Correlation)}
        return Correlation(**{**undefined, "score": name, "n": n})  # type: ignore[arg-type]
    r_low, r_high = _interval(r, variance=1.0, n=n, confidence=confidence)
    # Spearman's ρ is Pearson's r of the ranks.
    value_ranks = _ranks(values)
    criterion_ranks = _ranks(criterion)
    rho = float(pearson(value_ranks, criterion_ranks))
    if n < LEAST_FOR_RANKS:
        rho_low = rho_high = math.nan
        rho_p = _p_of_all_orders(value_ranks, criterion_ranks)
    else:
        rho_low, rho_high = _interval(rho, variance=1 + rho**2 / 2, n=n, confidence=confidence)
        rho_p = float(stats.pearsonr(value_ranks, criterion_ranks).pvalue)
    tau = stats.kendalltau(value_ranks, criterion_ranks)
    return Correlation(
        score=name,
        pearson=r,
        pearson_low=r_low,
        pearson_high=r_high,
        pearson_p=float(stats.pearsonr(values, criterion).pvalue),
        spearman=rho,
        spearman_low=rho_low,
        spearman_high=rho_high,
        spearman_p=rho_p,
        kendall=float(tau.statistic),
        kendall_p=float(tau.pvalue),
        williams_p=math.nan,
        n=n,
    )


def _p_of_all_orders(ranks: Floats, criterion_ranks: Floats) -> float:
    """Return the share of all orders of the ranks whose correlation with the criterion is at least as large, up to its sign."""
    from scipy import stats

    test = stats.permutation_test(
        (ranks,),
        lambda order, axis: np.abs(pearson(order, criterion_ranks)),
        permutation_type="pairings",
        vectorized=True,
        n_resamples=np.inf,
        alternative="greater",
    )
    return float(test.pvalue)


def _interval(r: float, variance: float, n: int, confidence: float) -> tuple[float, float]:
    """Return the interval of a correlation; `variance` is the variance of its Fisher's z, times n − 3."""
    from scipy.special import ndtri

    # The variance of Fisher's z has n - 3 in its denominator, and z of 1 is infinite.
    if n <= MIN_SYSTEMS or abs(r) >= 1 - ROUNDING:
        return math.nan, math.nan
    reach = float(ndtri(0.5 + 0.5 * confidence)) * math.sqrt(variance / (n - 3))
    z = math.atanh(r)
    return math.tanh(z - reach), math.tanh(z + reach)


def _ranks(values: Floats) -> Floats:
    """Rank values; values that differ by rounding alone are ties."""
    from scipy.stats import rankdata

    order = np.argsort(values)
    rising = values[order]
    # A step begins where a value is larger than the value before: 0.2 0.2 0.5 has the steps 0 0 1.
    is_larger = np.diff(rising, prepend=rising[:1]) > _CONSTANT * np.abs(rising)
    steps = np.cumsum(is_larger, dtype=np.float64)
    # `order` has the index of each rising value. Its own order takes the ranks back to the places of the values.
    return np.asarray(rankdata(steps))[np.argsort(order)]


def _read_values(name: str, values: Sequence[float], count: int | None = None) -> Floats:
    """Return values as floats of at most 1; raise an error that begins with `name` if they are not `count` finite numbers.

    `count` is the number of values of the criterion; None for the criterion itself.
    """
    try:
        column = np.asarray(values, np.float64)
    except (TypeError, ValueError, OverflowError):
        column = np.empty((0, 0))  # has two dimensions, which are refused below
    if column.ndim != 1:
        raise ValueError(f"{name}: expected a number per system, received {shortened(values)}.")
    if not np.isfinite(column).all():
        first_odd = int(np.argmin(np.isfinite(column)))
        raise ValueError(
            f"{name} is {column[first_odd]} for system {first_odd}: expected finite numbers; leave the system or the score out."
        )
    if count is not None and len(column) != count:
        raise ValueError(f"{name} has {len(column)} values and the criterion {count}: expected one per system.")
    # A correlation does not depend on the scale. Squares of very large or small numbers would be infinite or 0. A division by a
    # power of 2 is exact.
    _, exponent = np.frexp(np.abs(column).max(initial=0.0))
    return np.asarray(np.ldexp(column, -exponent))
