"""Score comparison: which of two scores agrees better with a criterion, and the uncertainty of correlations over systems.

Conventions
-----------
- Scores and the criterion are float (n_systems,), or float (n_systems, n_utterances) with a score for each utterance of each
  system; the score of a system is then the mean over its utterances.
- Correlations are Pearson's r over systems. p-values are two-sided.
- Options and shapes that do not go together are a TypeError or a ValueError.

What is computed
----------------
`williams`: Williams' test of r₁₂ = r₁₃, two correlations with one criterion over the same n systems (Williams 1959; T₂ of
Steiger 1980; for metrics Graham & Baldwin 2014):

    t = (r₁₂ − r₁₃) √( (n − 1)(1 + r₂₃) / (2K (n − 1)/(n − 3) + (r₁₂ + r₁₃)²/4 · (1 − r₂₃)³) ),
    K = 1 − r₁₂² − r₁₃² − r₂₃² + 2 r₁₂ r₁₃ r₂₃,  with n − 3 degrees of freedom.

`boot_both`: the percentile interval of r with systems and utterances resampled, both with replacement (BOOT-BOTH of
Deutsch, Dror & Roth 2021). If there are only scores of systems, it resamples systems.

`perm_both`: the p-value of the difference of two correlations, by exchanging the two scores of each system and utterance with
probability ½, independently (PERM-BOTH, as in the authors' sacrerouge and in mt-metrics-eval of WMT; the authors' later nlpstats
exchanges whole systems and whole utterances instead). Scores are first standardised: their mean is subtracted, and they are
divided by their standard deviation.

Sources
-------
Williams (1959), JRSS B 21:396-399. Steiger (1980), Psychological Bulletin 87:245-251. Graham & Baldwin (2014), EMNLP, 172-176.
Deutsch, Dror & Roth (2021), TACL 9:1132-1146.
"""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..kernel.formulas import divide
from ..options.table import OPTIONS, check_options
from .jackknife import ROUNDING, student_p
from .resampling import levels_of, multiply, quantile_interval

Floats: TypeAlias = npt.NDArray[np.float64]

#: Values whose relative distance from their mean is at most this count as constant.
_CONSTANT = 1e-11
_LEAST_SYSTEMS, _FREEDOM_LOST = 4, 3

#: Exchanges that are drawn at a time, so that they stay in the processor's cache.
_DRAWN_AT_ONCE = 1 << 18


def pearson(left: Floats, right: Floats) -> Floats:
    """Pearson's r along the last axis; nan if a side is constant (up to rounding) or has nan."""
    sides = []
    constant = np.zeros(np.broadcast_shapes(left.shape, right.shape)[:-1], bool)
    for side in (left, right):
        mean = side.mean(axis=-1, keepdims=True)
        constant |= np.abs(side - mean).max(axis=-1) <= _CONSTANT * np.abs(mean[..., 0])
        sides.append(side - mean)
    scale = np.sqrt(np.square(sides[0]).sum(axis=-1) * np.square(sides[1]).sum(axis=-1))
    products = (sides[0] * sides[1]).sum(axis=-1)
    found: Floats = np.clip(np.asarray(divide(products, np.where(constant, 0.0, scale), math.nan)), -1.0, 1.0)
    return found


def williams(first: Any, second: Any, criterion: Any) -> tuple[float, float]:
    """Williams' test of two scores against one criterion, each float (n_systems,), of at least four systems.

    t is positive if the first score has the higher correlation; t and its p-value are nan if a correlation is undefined.
    """
    sides = [np.asarray(side, np.float64) for side in (first, second, criterion)]
    if {side.shape for side in sides} != {(len(sides[0]),)} or len(sides[0]) < _LEAST_SYSTEMS:
        shapes = ", ".join(str(side.shape) for side in sides)
        raise ValueError(f"Williams' test: expected a value for each of at least 4 systems, received shapes {shapes}.")
    of_first, of_second = (float(pearson(sides[index], sides[2])) for index in (0, 1))
    table = np.stack([side - side.mean() for side in sides], axis=1)
    table = np.asarray(divide(table, np.sqrt(np.square(table).sum(axis=0)), 0.0))
    # The product of squared residuals keeps the digits that the formula of correlations next to 1 loses.
    determinant = float(np.prod(np.diag(np.linalg.qr(table, mode="r"))) ** 2)
    return williams_of(of_first, of_second, float(pearson(sides[0], sides[1])), len(sides[0]), determinant)


def williams_of(
    r_first: float, r_second: float, r_between: float, n: int, determinant: float | None = None
) -> tuple[float, float]:
    """Williams' t and p-value from the correlations of two scores with the criterion and with each other, over n systems.

    The determinant K of their matrix is computed from them if it is None.

    >>> statistic, p_value = williams_of(0.4, 0.5, 0.1, 103)
    >>> round(statistic, 2), round(p_value, 2)
    (-0.89, 0.37)
    """
    if any(map(math.isnan, (r_first, r_second, r_between))):
        return math.nan, math.nan
    if determinant is None:
        determinant = 1 - r_first**2 - r_second**2 - r_between**2 + 2 * r_first * r_second * r_between
    mean_square = (r_first + r_second) ** 2 / 4
    freedom = n - _FREEDOM_LOST
    variance = 2 * max(0.0, determinant) * (n - 1) / freedom + mean_square * (1 - r_between) ** 3
    difference = r_first - r_second
    if abs(difference) <= ROUNDING and variance <= ROUNDING:
        # The two scores are linear functions of each other.
        return 0.0, 1.0
    if 1 + r_between <= ROUNDING:
        # One score is a falling linear function of the other: 0/0, whose limit for r_second = -r_first is this.
        variance, rest = 0.0, 1 - r_first**2
        if rest > ROUNDING:
            statistic = r_first * math.sqrt(freedom / rest)
            return statistic, student_p(statistic, freedom)
    if variance == 0:
        return math.copysign(math.inf, difference), 0.0
    statistic = difference * math.sqrt((n - 1) * (1 + r_between) / variance)
    return statistic, student_p(statistic, freedom)


def boot_both(
    scores: Any, criterion: Any, *, confidence: float = 0.95, n_resamples: int = 1000, seed: int = 0
) -> tuple[float, float]:
    """The interval of Pearson's r over systems, with systems and (if there are any) utterances resampled.

    Resamples without a correlation are left out.
    """
    check_options({"confidence": confidence, "n_resamples": n_resamples, "seed": seed}, OPTIONS)
    sides = _read_sides(scores, criterion)
    source = np.random.default_rng(seed)
    systems = len(sides[0])
    columns = max(side.shape[1] for side in sides)
    at_once = max(1, _DRAWN_AT_ONCE // columns)
    replicates = []
    for start in range(0, n_resamples, at_once):
        count = min(at_once, n_resamples - start)
        rows, drawn = np.empty((count, systems), np.int64), np.empty((count, columns))
        for index in range(count):
            rows[index] = source.integers(0, systems, systems)
            drawn[index] = np.bincount(source.integers(0, columns, columns), minlength=columns) / columns
        means = [
            multiply(drawn, side.T) if side.shape[1] > 1 else side[:, :1].T.repeat(count, axis=0) for side in sides
        ]
        replicates.append(pearson(*(np.take_along_axis(each, rows, axis=1) for each in means)))
    observed = float(pearson(*(side.mean(axis=1) for side in sides)))
    return quantile_interval(observed, np.concatenate(replicates), levels_of(confidence))


def perm_both(first: Any, second: Any, criterion: Any, *, n_trials: int = 1000, seed: int = 0) -> float:
    """The p-value of the difference of the correlations with a criterion of two scores of one shape.

    It is the share of trials, the observed order included, whose correlations differ at least as much; nan if a correlation is
    undefined. The naive equivalent exchanges scores with `np.where` and correlates the means of both again.
    """
    check_options({"n_trials": n_trials, "seed": seed}, OPTIONS)
    left, target = _read_sides(first, criterion)
    right, _ = _read_sides(second, criterion)
    if left.shape != right.shape:
        raise ValueError(f"scores of shapes {left.shape} and {right.shape}: expected one shape.")
    left, right = (side - side.mean() for side in (left, right))
    left, right = (np.asarray(divide(side, side.std(), 0.0)) for side in (left, right))
    goal = target.mean(axis=1)

    means = left.mean(axis=1), right.mean(axis=1)
    observed = float(pearson(means[0], goal) - pearson(means[1], goal))
    if math.isnan(observed):
        return math.nan
    # By what each system's first mean grows in a trial; its second mean shrinks by as much.
    moved = _exchanged_means(right - left, n_trials, seed)
    differences = pearson(means[0] + moved, goal) - pearson(means[1] - moved, goal)
    as_large = np.isnan(differences) | (np.abs(differences) >= abs(observed) - ROUNDING)
    return (1 + int(as_large.sum())) / (1 + n_trials)


def _exchanged_means(differences: Floats, n_trials: int, seed: int) -> Floats:
    """Means over utterances of the differences that a trial exchanges, each with probability ½, (n_trials, n_systems)."""
    source = np.random.default_rng(seed)
    systems, utterances = differences.shape
    means = np.empty((n_trials, systems))
    n_bytes = -(-utterances // 8)
    at_once = max(1, _DRAWN_AT_ONCE // utterances)
    for system in range(systems):
        for start in range(0, n_trials, at_once):
            count = min(at_once, n_trials - start)
            drawn = np.frombuffer(source.bytes(count * n_bytes), np.uint8).reshape(count, n_bytes)
            bits = np.unpackbits(drawn, axis=1, count=utterances).astype(np.float64)
            means[start : start + count, system] = multiply(bits, differences[system][:, None])[:, 0] / utterances
    return means


def _read_sides(scores: Any, criterion: Any) -> list[Floats]:
    """Scores and criterion as float (n_systems, n_utterances or 1)."""
    sides = [np.asarray(side, np.float64) for side in (scores, criterion)]
    sides = [side[:, None] if side.ndim == 1 else side for side in sides]
    columns = {side.shape[1] for side in sides if side.ndim == 2} - {1}
    if any(side.ndim != 2 for side in sides) or len({len(side) for side in sides}) > 1 or len(columns) > 1:
        shapes = " and ".join(str(np.shape(side)) for side in (scores, criterion))
        raise ValueError(
            f"scores and criterion of shapes {shapes}: expected (n_systems,) or (n_systems, n_utterances)."
        )
    if len(sides[0]) < _FREEDOM_LOST:
        raise ValueError(f"{len(sides[0])} systems: expected at least 3.")
    if not all(np.isfinite(side).all() for side in sides):
        raise ValueError("expected finite numbers; leave the system or the utterance out.")
    return sides
