"""The means over subsets of the scores of systems, and the tests of their differences, which `subset_comparison` describes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

import numpy as np
import numpy.typing as npt

from ..kernel.formulas import Score
from ..kernel.record import record
from ..results.result import Values
from ..scoring.measures.registry import group_of
from .comparison_results import SystemComparison
from .jackknife import Estimate
from .randomisation import Exchanges
from .resampling import Sampled, SumScores, estimate
from .significance import holm


@dataclass(frozen=True, eq=False)
class MacroMean(Values):
    """The mean of a system's primary score over subsets, with the same weight for each.

    Attributes:
        value, low, high: the mean, and its interval.
        difference, difference_low, difference_high: the mean difference from the baseline; nan for the baseline itself.
        p_value: two-sided; nan for the baseline.
        p_corrected: the same, corrected over the systems (Holm).
        rank: the mean of the ranks in the subsets; nan where no value of the score is better.
    """

    value: float
    low: float
    high: float
    difference: float
    difference_low: float
    difference_high: float
    p_value: float
    p_corrected: float
    rank: float


def ranks_of(comparison: SystemComparison) -> dict[str, float]:
    """Return the rank of each system by the primary score, 1 for the best.

    It is empty if a value is undefined, and for a score of which no value is better than another.
    """
    good = comparison.goodness_of(comparison.primary)
    if len(good) < len(comparison.scores):
        return {}
    ranks = {}
    for system, goodness in good.items():
        better = sum(other > goodness for other in good.values())
        # The system itself is among the equal ones.
        equal = sum(other == goodness for other in good.values())
        # Two equal systems behind one have the ranks 2 and 3: each gets their mean.
        ranks[system] = better + (1 + equal) / 2
    return ranks


@record
class TestsOfMeans:
    """The means over subsets of the scores of systems, and the tests of their differences from the baseline."""

    subsets: Sequence[SystemComparison]
    sampled: Sequence[Mapping[str, Sampled]]  #: for each subset, the samples by system
    whole: SystemComparison
    zero_division: float

    def means(self, n_trials: int, seed: int) -> dict[str, MacroMean]:
        """Return the mean of each system."""
        key = self.whole.primary
        range_of_score = group_of(key).keys[key].range
        lowest_score, highest_score = range_of_score
        largest_difference = highest_score - lowest_score
        ranks = [ranks_of(comparison) for comparison in self.subsets]
        # A subset has no ranks if a score of a system is undefined.
        has_ranks = all(ranks)
        differences = {system: self._difference(system) for system in self.whole.differences}
        p_values = self._p_values(differences, n_trials, seed)
        p_corrected = holm(p_values)
        means = {}
        for system in self.whole.scores:
            score = self._score(system)
            low, high = score.interval(self.whole.confidence, range_of_score)
            difference = math.nan
            ends_of_difference = (math.nan, math.nan)
            # The baseline has no difference.
            if system in differences:
                estimated = differences[system]
                difference = estimated.value
                ends_of_difference = estimated.difference_interval(self.whole.confidence, largest_difference)
            difference_low, difference_high = ends_of_difference
            means[system] = MacroMean(
                value=score.value,
                low=low,
                high=high,
                difference=difference,
                difference_low=difference_low,
                difference_high=difference_high,
                p_value=p_values.get(system, math.nan),
                p_corrected=p_corrected.get(system, math.nan),
                rank=fmean(of_subset[system] for of_subset in ranks) if has_ranks else math.nan,
            )
        return means

    def _score(self, system: str) -> Estimate:
        """Estimate the mean of a system; its value is nan if it is undefined in a subset."""
        key = self.whole.primary
        estimates = []
        for comparison, sampled in zip(self.subsets, self.sampled, strict=True):
            score = estimate(key, sampled[system])
            if comparison.is_undefined(key, system):
                score = replace(score, value=math.nan)
            estimates.append(score)
        return mean_of(estimates)

    def _difference(self, system: str) -> Estimate:
        """Estimate the mean difference of a system from the baseline."""
        key = self.whole.primary
        estimates = []
        for comparison, sampled in zip(self.subsets, self.sampled, strict=True):
            difference = estimate(key, sampled[system], sampled[comparison.baseline])
            if comparison.is_undefined(key, system, comparison.baseline):
                difference = replace(difference, value=math.nan)
            estimates.append(difference)
        return mean_of(estimates)

    def _p_values(self, differences: Mapping[str, Estimate], n_trials: int, seed: int) -> dict[str, float]:
        """Return the p-value of each mean difference, of the tests that `system_comparison` chooses."""
        key = self.whole.primary
        # The value of Student's t test.
        of_student = {system: difference.p_value() for system, difference in differences.items()}
        if self.whole.has_runs or key in self.whole.of_types:
            # Utterances of two systems are exchanged only if each has one run, and if the score is one of sums: types are none.
            return of_student
        sums = {}
        for system in self.whole.scores:
            sums[system] = _mean_of_sums([of_subset[system].sums_of_only_run for of_subset in self.sampled])
        exchanges = Exchanges.of(sums, n_trials, seed, self.zero_division)
        p_values = {}
        for system, difference in differences.items():
            p_values[system] = math.nan
            if not math.isnan(difference.value):
                p_values[system] = exchanges.p_values(self.whole.baseline, system, [key])[key]
            if self.whole.has_few_units:
                # The larger p-value decides; where one is nan, the other.
                p_values[system] = float(np.fmax(p_values[system], of_student[system]))
        return p_values


def _mean_of_sums(parts: Sequence[SumScores]) -> SumScores:
    """Return the mean of the scores of parts as a score of sums, whose rows are those of all parts.

    Each part keeps its columns, under a name with its number: "0 token_matched", "1 token_matched". They are 0 in the rows of
    other parts. So an exchange of rows exchanges those of every part, and the sum of a column is of its own part alone.
    """
    sizes = []
    for part in parts:
        # All columns of a part have a row for each of its units.
        first_column, *_ = part.columns.values()
        sizes.append(len(first_column))
    starts = [sum(sizes[:number]) for number in range(len(parts))]
    columns: dict[str, npt.NDArray[Any]] = {}
    for number, (part, start, size) in enumerate(zip(parts, starts, sizes, strict=True)):
        for name, column in part.columns.items():
            # Parts of two and three rows: the columns of the second part are 0 0 | a b c.
            padded = np.zeros(sum(sizes), column.dtype)
            padded[start : start + size] = column
            columns[f"{number} {name}"] = padded

    def means(sums: Mapping[str, Any], keys: Sequence[str], zero_division: float) -> dict[str, Score]:
        """Apply the formulas of each part to its sums, and return the means of the scores by key."""
        scores: dict[str, list[Any]] = {key: [] for key in keys}
        for number, part in enumerate(parts):
            sums_of_part = {name: sums[f"{number} {name}"] for name in part.columns}
            scores_of_part = part.formulas(sums_of_part, keys, zero_division)
            for key in keys:
                scores[key].append(scores_of_part[key])
        # The score of one part may be a number where those of others are arrays.
        return {key: np.mean(np.broadcast_arrays(*of_parts), axis=0) for key, of_parts in scores.items()}

    return SumScores(columns, means)


def mean_of(estimates: Sequence[Estimate]) -> Estimate:
    """Return the mean of independent estimates, with its error.

    >>> mean = mean_of([Estimate(0.4, 0.03, 10.0, 11.0), Estimate(0.6, 0.04, 10.0, 11.0)])
    >>> mean.value, mean.error, round(mean.freedom, 3), mean.units
    (0.5, 0.025, 18.546, 22.0)
    """
    count = len(estimates)
    variances = np.array([estimated.error**2 for estimated in estimates])
    total = float(variances.sum())
    # Satterthwaite's degrees of freedom are (Σv)² / Σ(v²/f).
    squares_by_freedom = variances**2 / np.array([estimated.freedom for estimated in estimates])
    # Without any variance Satterthwaite's formula would be 0/0.
    freedom = float(sum(estimated.freedom for estimated in estimates))
    if total > 0:
        freedom = total**2 / float(squares_by_freedom.sum())
    # Each of the n units of one of k subsets weighs 1/(kn) in the mean. By Kish's formula, (Σw)²/Σw², these are as many units of
    # equal weight as 1 / Σ(n/(kn)²), which is k² / Σ(1/n).
    units = count**2 / sum(1 / estimated.units for estimated in estimates)
    return Estimate(fmean(estimated.value for estimated in estimates), math.sqrt(total) / count, freedom, units)
