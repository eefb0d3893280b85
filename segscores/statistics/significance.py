"""Significance of the difference of two systems on one reference.

Conventions
-----------
- A difference is the system's score minus the baseline's. It is significant if p ≤ 1 − confidence.
- The user declares one primary score. Its p-values are corrected by Holm's procedure: for the number of differences from
  the baseline; and, to find the best system, for the number of pairs of systems. The p-values of other scores are not corrected,
  and there is no verdict on them.

Source: Holm (1979), Scandinavian Journal of Statistics 6:65-70.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from ..kernel.formulas import Count, Score
from ..results.result import Values
from ..scoring.measures.registry import compute_scores, goodness, group_of
from ..scoring.measures.statistic import UtteranceStatistic
from .jackknife import ROUNDING
from .resampling import Sampled, SumScores

Name = TypeVar("Name", bound=Hashable)
#: By key, the share of each unit in a difference, float64 (n_units,).
Gains: TypeAlias = Mapping[str, npt.NDArray[np.float64]]


@dataclass(frozen=True, eq=False)
class ScoreDifference(Values):
    """The difference of a system's score from the baseline's. All values are nan if either score is nan.

    Attributes:
        difference: `score` minus `baseline_score`.
        low, high: the interval of the difference, not corrected for several systems.
        p_value: two-sided (see `system_comparison`).
        p_corrected: the same, corrected over the compared systems; nan for scores that are not primary.
        detectable: the smallest detectable difference: significant in 80 % of such samples; nan from fewer than MIN_CLUSTERS
            units, and where systems differ in no unit.
        won, tied, lost: the numbers of units for the system, for neither and for the baseline; None where no value is better, and
            for several runs.
        verdict: `"better"`, `"worse"`, `"not distinguishable"` or `"undefined"`; empty for scores that are not primary.
        against_margin: with a margin, for the primary score, `"equivalent"`, `"not inferior"`, `"inferior"`,
            `"inconclusive"` or `"undefined"`; otherwise empty.
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
    verdict: str
    against_margin: str


def is_significant(p_value: float, confidence: float) -> bool:
    """Return True if a p-value is at most 1 − confidence; False for nan.

    >>> is_significant(0.05, 0.95), is_significant(0.1, 0.9), is_significant(0.051, 0.95)
    (True, True, False)
    """
    # Allow for rounding: in floating point 1 − 0.9 is a little less than 0.1.
    return p_value <= 1 - confidence + ROUNDING


def verdict_of(key: str, score: float, baseline_score: float, p_value: float, confidence: float) -> str:
    """Return the verdict on a score against the baseline's, from the corrected p-value."""
    if math.isnan(p_value):
        return "undefined"
    if not is_significant(p_value, confidence):
        return "not distinguishable"
    good = goodness(key, np.array([score, baseline_score]))
    assert good is not None, "no test compares a score without better values"
    good_of_system, good_of_baseline = good
    return "better" if good_of_system > good_of_baseline else "worse"


def unit_gains(first: Sampled, second: Sampled, run: int, other_run: int) -> Gains:
    """Return the share of each unit in the difference of two runs of two systems, by key, float64 (n_units,).

    The difference is the score of the second system's run `other_run` less the score of the first system's run `run`. Of a score
    of sums, the share is what the difference loses if only this unit's predictions are exchanged; of a type score, the difference
    of the scores of the unit's types.
    """
    type_keys = []
    # Means over utterances are scores of sums, those of type scores too: they have no statistics.
    if first.statistics:
        type_keys = [key for key in first.scores if group_of(key).statistic is not None]
    sum_keys = [key for key in first.scores if key not in type_keys]
    # The scores of both systems after they exchange the predictions of one unit, for each unit.
    first_mixed = _exchange_each_unit(first.sums[run], second.sums[other_run], sum_keys)
    second_mixed = _exchange_each_unit(second.sums[other_run], first.sums[run], sum_keys)
    gains = {}
    for key in sum_keys:
        difference = second.scores[key][other_run] - first.scores[key][run]
        gains[key] = difference - (second_mixed[key] - first_mixed[key])
    if type_keys:
        first_scores = compute_scores(_columns_of_units(first.statistics[run]), type_keys)
        second_scores = compute_scores(_columns_of_units(second.statistics[other_run]), type_keys)
        gains |= {key: second_scores[key] - first_scores[key] for key in type_keys}
    # A difference by rounding is none.
    return {key: np.where(np.abs(gain) > ROUNDING, gain, 0.0) for key, gain in gains.items()}


def _columns_of_units(statistics: Mapping[str, UtteranceStatistic]) -> dict[str, Count]:
    """Return the columns of statistics, such as the numbers of types, for each unit by itself, (n_units,)."""
    columns: dict[str, Count] = {}
    for statistic in statistics.values():
        columns |= statistic.by_utterance()
    return columns


def _exchange_each_unit(system: SumScores, other: SumScores, keys: Sequence[str]) -> dict[str, Score]:
    """Return the scores of a system, (n_units,), if the other system's predictions of one unit replace its own."""
    columns = {name: column.sum() - column + other.columns[name] for name, column in system.columns.items()}
    return system.formulas(columns, keys, math.nan)


class UnitCounts(NamedTuple):
    """The numbers of units for the system, for neither and for the baseline; None where they are not defined."""

    won: int | None = None
    tied: int | None = None
    lost: int | None = None


def won_tied_lost(key: str, gains: Sequence[Gains]) -> UnitCounts:
    """Count the units for each system by their gains; none are counted if systems have several runs.

    `gains` has an item for each run of the baseline with each run of the system.
    """
    better = group_of(key).keys[key].better
    # Where 0 is best, the sign of a gain does not say which system is better.
    if len(gains) > 1 or better not in ("higher", "lower"):
        return UnitCounts()
    (gains_of_only_runs,) = gains
    gain = gains_of_only_runs[key]
    if better == "lower":
        gain = -gain
    won = int((gain > 0).sum())
    lost = int((gain < 0).sum())
    return UnitCounts(won, len(gain) - won - lost, lost)


def holm(p_values: Mapping[Name, float]) -> dict[Name, float]:
    """Correct p-values for their number by Holm's procedure; nan stays nan and does not count.

    >>> holm({"a": 0.01, "b": 0.04, "c": 0.03})
    {'a': 0.03, 'b': 0.06, 'c': 0.06}
    """
    defined = [name for name, p_value in p_values.items() if not math.isnan(p_value)]
    defined.sort(key=p_values.__getitem__)
    corrected = dict.fromkeys(p_values, math.nan)
    largest_before = 0.0
    for rank, name in enumerate(defined):
        # The smallest of three is multiplied by 3, the next by 2.
        multiplied = min(1.0, p_values[name] * (len(defined) - rank))
        # A corrected p-value is never less than the one before, as p-values rise.
        largest_before = max(largest_before, multiplied)
        corrected[name] = largest_before
    return corrected
