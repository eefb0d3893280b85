"""Delete-one jackknife: standard errors, intervals and tests from a score without each utterance, or without each cluster.

Conventions
-----------
- θ is the score of all n units (utterances, or clusters), θ₍ᵢ₎ the score without unit i, and dᵢ = θ₍ᵢ₎ − mean θ₍.₎.
- The standard error is √((n − 1)/n Σ dᵢ²). How many degrees of freedom this variance has depends on how evenly it is spread
  over the units: 2 (Σ dᵢ²)² / (Σ dᵢ⁴ − (Σ dᵢ²)²/n), at most n − 1. They are those of a χ² with the mean and the variance of
  Σ dᵢ². Where a few long documents weigh most, they are few.
- The interval of a score in [0, 1] is symmetric in the log-odds; that of another score, or of a difference, is symmetric. Both
  have quantiles of Student's t. The p-value of a difference has the same error and degrees of freedom: it is at most
  1 − confidence exactly where the interval excludes 0.
- Where θ₍ᵢ₎ is undefined for some i, one unit holds everything: there is no interval (nan).
- Where all θ₍ᵢ₎ are equal, the error cannot be estimated, and there is no interval. An exception is a score of −1, 0 or 1: if
  every unit has it, the score does not vary in the population either.
- Deleting a unit from a lexicon deletes the types that only this unit has. The variance is never too small on average (Efron &
  Stein), and too large by a tenth to a half where many types are rare.

Sources
-------
Efron & Tibshirani (1993), An Introduction to the Bootstrap, ch. 11. Efron & Stein (1981), Annals of Statistics 9:586-596.
Degrees of freedom of an estimate of variance: Satterthwaite (1946), Biometrics Bulletin 2:110-114. Intervals in log-odds:
Brown, Cai & DasGupta (2001), Statistical Science 16:101-133.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ..kernel.formulas import divide
from ..scoring.utterance_tally import PREDICTION, REFERENCE, TypeIncidence

Floats: TypeAlias = npt.NDArray[np.float64]

#: Scores that are equal by the definition may differ by so much.
ROUNDING = 1e-12


def lexicon_sizes_without(types: TypeIncidence) -> dict[str, npt.NDArray[np.int64]]:
    """The columns of the type scores without each row, int64 (n_rows,).

    The naive equivalent collects the lexicons of all rows but one, for each row.
    """
    counts = np.zeros((2, len(types.types)), np.int64)
    for part in types.parts():
        for at, side in enumerate((REFERENCE, PREDICTION)):
            counts[at] += np.bincount(part.ids[part.sides & side > 0], minlength=len(types.types))
    in_both = (counts[0] > 0) & (counts[1] > 0)
    sizes = types.lexicon_sizes()
    without: dict[str, list[npt.NDArray[np.int64]]] = {column: [] for column in sizes}
    for part in types.parts():
        # The pairs with the only row of a type on a side.
        reference, prediction = (
            (part.sides & side > 0) & (count == 1)[part.ids]
            for count, side in zip(counts, (REFERENCE, PREDICTION), strict=True)
        )
        lost = {
            "type_matched": in_both[part.ids] & (reference | prediction),
            "type_predicted": prediction,
            "type_reference": reference,
        }
        for column, pairs in lost.items():
            rows = np.searchsorted(part.ends, np.flatnonzero(pairs), side="right")
            without[column].append(sizes[column] - np.bincount(rows, minlength=len(part.ends)))
    return {column: np.concatenate(parts) for column, parts in without.items()}


def standard_error(without: Floats) -> tuple[float, float]:
    """The standard error of a score, and its degrees of freedom, from the scores without each unit; where one is nan, it is.

    >>> error, freedom = standard_error(np.arange(20) / 20)
    >>> round(error, 2), freedom
    (1.26, 19.0)
    >>> round(standard_error(np.append(np.arange(20) / 20, 3.0))[1], 1)
    3.9
    """
    n = len(without)
    if np.ptp(without) <= ROUNDING:
        return 0.0, n - 1.0
    squares = np.square(without - without.mean())
    total = float(squares.sum())
    spread = float(np.square(squares).sum()) - total**2 / n
    freedom = 2 * total**2 / spread if spread > ROUNDING * total**2 else math.inf
    return math.sqrt((n - 1) / n * total), min(n - 1.0, freedom)


def student_interval(
    score: float, without: Floats, confidence: float, ends: tuple[float, float] = (0.0, 1.0)
) -> tuple[float, float]:
    """The interval of a score from the scores without each unit, within the range of the score."""
    error, freedom = standard_error(without)
    if error == 0 and is_extreme(score):
        return score, score
    if error == 0 or math.isnan(score) or math.isnan(error):
        return math.nan, math.nan
    reach = _quantile(confidence, freedom) * error
    if ends != (0.0, 1.0):
        return max(ends[0], score - reach), min(ends[1], score + reach)
    # By what the odds are multiplied; the log-odds of 0 and 1 have no error that is finite.
    factor = math.exp(min(700.0, float(divide(reach, score * (1 - score), 0.0))))
    return score / (score + (1 - score) * factor), score * factor / (score * factor + 1 - score)


def student_test(
    difference: float, without: Floats, confidence: float, most: float = math.inf
) -> tuple[float, float, float]:
    """The interval and the two-sided p-value of a difference, none larger than `most`, from those without each unit.

    nan where all units have the same difference, except for no difference at all, which has p = 1.
    """
    error, freedom = standard_error(without)
    if error == 0 and abs(difference) <= ROUNDING:
        return difference, difference, 1.0
    if error == 0 or math.isnan(difference) or math.isnan(error):
        return math.nan, math.nan, math.nan
    reach = _quantile(confidence, freedom) * error
    low, high = max(difference - reach, -most), min(difference + reach, most)
    return low, high, student_p(difference / error, freedom)


def student_p(statistic: float, freedom: float) -> float:
    """P(|T| ≥ |statistic|) for Student's t with these degrees of freedom; nan for nan.

    >>> round(student_p(2.776445, 4), 6)
    0.05
    """
    from scipy.special import stdtr

    return float(2 * stdtr(freedom, -abs(statistic)))


def is_extreme(score: float) -> bool:
    """Whether a score is −1, 0 or 1."""
    return min(abs(score), abs(abs(score) - 1)) <= ROUNDING


def _quantile(confidence: float, freedom: float) -> float:
    """The quantile of Student's t at the upper end of an interval."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, 0.5 + 0.5 * confidence))
