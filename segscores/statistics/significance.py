"""Significance: whether two systems differ on one reference.

Conventions
-----------
- A difference is the system's score minus the baseline's. A p-value is the probability of a difference at least as large, in
  either direction, if the two systems are equal. A difference is significant if p ≤ 1 − confidence.
- The p-value is the larger of that of paired randomisation and that of Student's t (see `randomisation`, `jackknife`). The
  first alone keeps its level only if it does not matter which of the systems predicted an utterance: of systems with equal
  means, one of which seldom wins by much, it finds a difference too often. Type scores, and systems with several runs, have
  that of Student's t alone; where the jackknife has no error, randomisation decides.
- One score decides, which the user declares. Its p-values are corrected by Holm's procedure: of m p-values in ascending order,
  the i-th is multiplied by m − i + 1; none may be smaller than its predecessor or larger than 1. Those of the differences from
  the baseline are corrected for their number, and those between all systems, from which the best is found, for the number of
  pairs. The p-values of other scores are not corrected, and there is no verdict on them.

Sources
-------
Holm (1979), Scandinavian Journal of Statistics 6:65-70. All pairs of systems by randomisation: Carterette (2012), ACM TOIS 30:4.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from ..measures.registry import compute_scores, group_of
from ..results.result import Values
from .jackknife import ROUNDING
from .resampling import Sampled

Name = TypeVar("Name", bound=Hashable)


@dataclass(frozen=True, eq=False)
class ScoreDifference(Values):
    """The difference of a system's score from the baseline's. All values are nan if either score is nan.

    Attributes:
        score, baseline_score: the two scores.
        difference: the first minus the second.
        low, high: the interval of the difference, not corrected for several systems.
        p_value: the p-value of the difference.
        p_corrected: the same, corrected over the compared systems; nan for scores that do not decide.
        detectable: the difference that would be found in 80 % of such samples; nan from fewer than MIN_CLUSTERS units.
        won, tied, lost: the number of utterances or clusters that are for the system, for none and for the baseline; None where
            no value is better, and for several runs.
        against_margin: with a margin `"equivalent"`, `"not inferior"`, `"inferior"`, `"inconclusive"` or `"undefined"`; empty
            without, and for scores that do not decide.
    """

    score: float
    baseline_score: float
    difference: float
    low: float
    high: float
    p_value: float
    p_corrected: float
    detectable: float
    won: int | None
    tied: int | None
    lost: int | None
    against_margin: str


def is_significant(p_value: float, confidence: float) -> bool:
    """Whether a p-value is at most 1 − confidence; nan is not.

    >>> is_significant(0.05, 0.95), is_significant(0.1, 0.9), is_significant(0.051, 0.95)
    (True, True, False)
    """
    # In floating point 1 − 0.9 is a little less than 0.1.
    return p_value <= 1 - confidence + ROUNDING


def unit_gains(first: Sampled, second: Sampled, run: int = 0, other_run: int = 0) -> dict[str, npt.NDArray[np.float64]]:
    """By key, how much of the difference of two runs of two systems is due to each unit, float64 (n_units,).

    Of a score of sums, what the difference loses if only this unit's predictions are exchanged; of a type score, the difference
    of the scores of the unit's own types.
    """
    keys = list(first.scores)
    type_keys = [key for key in keys if first.types and group_of(key).needs_words]
    sum_keys = [key for key in keys if key not in type_keys]
    both = first.sums[run], second.sums[other_run]
    mixed = [
        own.formulas(
            {name: column.sum() - column + other.columns[name] for name, column in own.columns.items()},
            sum_keys,
            math.nan,
        )
        for own, other in (both, both[::-1])
    ]
    gains = {
        key: second.scores[key][other_run] - first.scores[key][run] - (mixed[1][key] - mixed[0][key])
        for key in sum_keys
    }
    if type_keys:
        types = first.types[run], second.types[other_run]
        own, other = (compute_scores(each.utterance_lexicon_sizes(), type_keys) for each in types)
        gains |= {key: other[key] - own[key] for key in type_keys}
    return {key: np.where(np.abs(gains[key]) > ROUNDING, gains[key], 0.0) for key in keys}


def holm(p_values: Mapping[Name, float]) -> dict[Name, float]:
    """p-values corrected for their number by Holm's procedure; nan stays nan and does not count.

    >>> holm({"a": 0.01, "b": 0.04, "c": 0.03})
    {'a': 0.03, 'b': 0.06, 'c': 0.06}
    """
    defined = sorted((name for name, p_value in p_values.items() if not math.isnan(p_value)), key=p_values.__getitem__)
    corrected = dict.fromkeys(p_values, math.nan)
    least = 0.0
    for rank, name in enumerate(defined):
        corrected[name] = least = max(least, min(1.0, p_values[name] * (len(defined) - rank)))
    return corrected
