"""Comparison of systems on subsets of the utterances, such as data sets, genres or ages, and on the mean over them.

Conventions
-----------
- Each subset is compared as a corpus of its own. The p-values of the differences by the primary score are corrected over all
  subsets and systems (Holm), so that one of many subsets is not significant by chance.
- The mean over subsets gives each subset the same weight, whatever its size. Its interval and its p-value are for these subsets:
  they allow for the choice of utterances within each, and not for the choice of the subsets. The variance of the mean of k
  subsets is the sum of their variances over k², and has the degrees of freedom of Satterthwaite, Σv_i² / Σ(v_i²/f_i) over the
  variances v_i with f_i degrees of freedom. The p-value is that of `system_comparison`, for which paired randomisation exchanges
  the predictions of utterances within each subset. The p-values are corrected over the systems.
- A system's rank in a subset is that of its score; equal scores share the mean of their ranks.

Source
------
Satterthwaite (1946), Biometrics Bulletin 2:110-114.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from statistics import fmean
from typing import Any

import numpy as np
import numpy.typing as npt

from ..kernel.formulas import Score
from ..options.keywords import CompareOptions, Unpack
from ..options.messages import Message, OptionError, message_of
from ..options.option import check_needs
from ..options.table import OPTIONS, options_in
from ..reading.world import length_unit
from ..results.json_text import as_json
from ..results.rendering import Tabular
from ..results.result import Cell, Column, Note, Result, Table, Values
from ..scoring.functions import with_options
from ..scoring.measures.registry import group_of, heading_of, is_share
from ..scoring.passes import ids_of
from ..scoring.plan import Plan
from ..scoring.utterance_tally import UtteranceTally
from .bands import check_edges
from .clusters import MIN_CLUSTERS
from .comparison_results import SystemComparison
from .jackknife import Estimate
from .randomisation import Exchanges
from .resampling import Resampling, Sampled, SumScores, estimate, sample, split_options
from .significance import holm
from .signing import sign_sides
from .subsets import CATEGORY, Subsets, categories_of, name_of_values, subsets_of, warn_of_small
from .system_comparison import choose_primary, compare_tallies, tally_systems

#: The columns of a difference, for programs.
_DIFFERENCES = ("difference", "difference_low", "difference_high", "p_value", "p_corrected")


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


@dataclass(frozen=True, eq=False, repr=False)
class SubsetComparison(Tabular, Values):
    """The comparison of systems on subsets, from `compare_by`. Printed, it is the table of `compare --by`.

    Attributes:
        by: the name of the values, such as `age`.
        whole: the comparison on all utterances.
        subsets: the comparison on the utterances of each value.
        p_values: by value and system, the p-value of the difference from the baseline by the primary score, corrected over all
            values and systems.
        means: by system the mean over the subsets.
        signature: how the scores were computed.
    """

    by: str
    whole: SystemComparison
    subsets: Mapping[str, SystemComparison]
    p_values: Mapping[tuple[str, str], float]
    means: Mapping[str, MacroMean]
    signature: str = ""

    @property
    def primary(self) -> str:
        """The score of the means, the ranks and the tables."""
        return self.whole.primary

    def result(self) -> Result:
        """Return the tables: a row for each subset, for the mean over them, for the mean ranks, and for all utterances."""
        systems = list(self.whole.scores)
        columns: list[str | Column] = [Column(self.by), "utterances"]
        for system in systems:
            columns.append(system)
            if system != self.whole.baseline:
                columns += [Column("difference", is_detail=True), Column("p", is_detail=True)]
        rows = [self._row(value, comparison) for value, comparison in self.subsets.items()]
        rows.append(self._row_of_means())
        if not any(math.isnan(mean.rank) for mean in self.means.values()):
            ranks: list[Any] = ["mean rank", None]
            for system in systems:
                ranks.append(Cell(self.means[system].rank, form=".2f"))
                if system != self.whole.baseline:
                    ranks += [None, None]
            rows.append(ranks)
        rows.append(self._row("all utterances", self.whole))
        record = self.to_dict()
        return Result([Table(columns, rows)], self._notes(), record, self._data(), signature=self.signature)

    def result_of_files(self, reference: str, paths: Mapping[str, str], signature: str) -> Result:
        """Return the result with a record that names the files."""
        of_whole = self.whole.result_of_files(reference, paths, signature).record or {}
        result = self.result()
        return replace(result, record={**of_whole, **(result.record or {})}, signature=signature)

    def _row(self, value: str, comparison: SystemComparison) -> list[Any]:
        key = self.primary
        row: list[Any] = [value, comparison.utterances]
        for system, scores in comparison.scores.items():
            is_defined = not comparison.is_undefined(key, system)
            ends = comparison.intervals[system][key]
            mark = comparison.mark(key, system)
            row.append(Cell(scores[key], ends, mark, is_defined, is_share=is_share(key)))
            if system == comparison.baseline:
                continue
            difference = comparison.differences[system][key]
            is_defined = not comparison.is_undefined(key, system, comparison.baseline)
            row.append(Cell(difference.difference, None, "", is_defined, form="+.4f", is_share=is_share(key)))
            p_value = self.p_values.get((value, system), difference.p_corrected)
            row.append(Cell(p_value, is_defined=is_defined, form=".2g"))
        return row

    def _row_of_means(self) -> list[Any]:
        row: list[Any] = ["mean", None]
        for system, mean in self.means.items():
            row.append(Cell(mean.value, (mean.low, mean.high), is_share=is_share(self.primary)))
            if system != self.whole.baseline:
                row.append(Cell(mean.difference, form="+.4f", is_share=is_share(self.primary)))
                row.append(Cell(mean.p_corrected, form=".2g"))
        return row

    def _notes(self) -> list[Note]:
        count = len(self.subsets)
        level = f"{1 - self.whole.confidence:.3g}"
        return [
            Note(
                f"{heading_of(self.primary)}, the primary score; [low, high]: {100 * self.whole.confidence:g} % interval"
            ),
            Note("difference: from {}", [self.whole.baseline], is_detail=True),
            Note(f"p: of the {count} subsets corrected over all of them and over systems (Holm)", is_detail=True),
            Note("mean: each subset has the same weight; its interval and p are for these subsets"),
            Note(
                f"{{best}} of the row; † not distinguishable from it (p > {level}, corrected over all pairs in the row)"
            ),
        ]

    def _data(self) -> Table:
        """Return a row for each subset and system; the column `of` tells the mean and all utterances from subsets."""
        columns = ["of", self.by, "utterances", "system", "score", "value", "low", "high", *_DIFFERENCES, "rank"]
        rows: list[list[Any]] = []
        parts = [("subset", value, comparison) for value, comparison in self.subsets.items()]
        for of, value, comparison in [*parts, ("all", "", self.whole)]:
            rows += self._rows_for_programs(of, value, comparison)
        for system, mean in self.means.items():
            has_difference = system != self.whole.baseline
            differences = [getattr(mean, name) if has_difference else None for name in _DIFFERENCES]
            start = ["mean", "", None, system, self.primary, mean.value, mean.low, mean.high]
            rows.append([*start, *differences, mean.rank])
        return Table(columns, rows)

    def _rows_for_programs(self, of: str, value: str, comparison: SystemComparison) -> list[list[Any]]:
        key = self.primary
        ranks = ranks_of(comparison)
        rows = []
        for system, scores in comparison.scores.items():
            row = [of, value, comparison.utterances, system, key, scores[key], *comparison.intervals[system][key]]
            differences: list[Any] = [None] * len(_DIFFERENCES)
            if system != comparison.baseline:
                difference = comparison.differences[system][key]
                p_corrected = self.p_values.get((value, system), difference.p_corrected)
                ends = [difference.low, difference.high]
                differences = [difference.difference, *ends, difference.p_value, p_corrected]
            rows.append([*row, *differences, ranks.get(system, math.nan)])
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Return the comparisons as plain values, for JSON."""
        signed = {}
        if self.signature:
            signed["signature"] = self.signature
        subsets = []
        for value, comparison in self.subsets.items():
            p_values = {system: self.p_values[value, system] for system in comparison.differences}
            subsets.append({"value": value, "p_corrected": p_values, **comparison.to_dict()})
        means = {system: dict(vars(mean)) for system, mean in self.means.items()}
        return {**self.whole.to_dict(), **signed, "by": self.by, "subsets": subsets, "means": means}

    def to_json(self) -> str:
        """Return `to_dict` as JSON, with null for nan."""
        return as_json(self.to_dict())


@with_options
def compare_by(
    references: Any,
    systems: Mapping[str, Any],
    by: Any,
    *,
    bands: Sequence[float] | None = None,
    **options: Unpack[CompareOptions],
) -> SubsetComparison:
    """Compare systems on subsets of the utterances, such as data sets or genres, and on the mean over them.

    Args:
        references: utterances, in any form that `inputs` lists.
        systems: by name the predictions of at least two systems, as in `compare`.
        by: a value for each utterance, as in `score_by`, such as the name of its data set.
        bands: the edges of bands of numbers, as in `score_by`.
        **options: those of `compare`.

    Returns:
        The comparisons, with p-values corrected over the subsets, and the means over them. Printed, it is a table.

    Raises:
        TypeError, ValueError: as `compare`; an utterance has no value; or a subset has fewer than two utterances or clusters.

    Warns:
        UserWarning: as `compare` of all utterances; or subsets are too small for reliable intervals.

    >>> references = ["the dog", "a cat"] * 12
    >>> systems = {"old": ["thedog", "a cat"] * 12, "new": ["the dog", "acat"] * 12}
    >>> compared = compare_by(references, systems, ["dogs", "cats"] * 12, text_format="words", scores="token_recall")
    >>> {system: (mean.value, mean.rank) for system, mean in compared.means.items()}
    {'old': (0.5, 1.5), 'new': (0.5, 1.5)}
    """
    plan, resampling, values = split_options(options, CompareOptions)
    check_needs(options, values, options_in(CompareOptions))
    tests = {name: values[name] for name in ("baseline", "primary", "n_trials", "margin")}
    edges = () if bands is None else check_edges(bands)
    is_category = isinstance(by, str) and by == CATEGORY
    tallied = tally_systems(references, systems, plan, resampling, tests, with_lines=is_category)
    plan = tallied.plan
    of_utterances = categories_of(ids_of(tallied.observed, name="by")) if is_category else by
    first_tallies = [runs[0] for runs in tallied.tallies.values()]
    subsets = subsets_of(of_utterances, first_tallies, length_unit=length_unit(plan.reading), bands=edges)
    compared = compare_subsets(tallied.tallies, subsets, name_of_values(by), plan, resampling, **tests)
    signed: dict[str, Any] = {"clusters": compared.whole.clusters, "further": compared.whole.signed}
    signature = sign_sides(tallied.sides, plan, tallied.observed, resampling=resampling, **signed)
    return replace(compared, signature=signature)


def compare_subsets(
    tallies: Mapping[str, Sequence[UtteranceTally]],
    subsets: Subsets,
    by: str,
    plan: Plan,
    resampling: Resampling,
    **tests: Any,
) -> SubsetComparison:
    """Compare systems on subsets, by the tallies of their runs, of the same utterances in the same clusters."""
    whole = compare_tallies(tallies, plan, resampling, **tests)
    primary = choose_primary(plan.keys, tests["primary"])
    plan_of_primary = replace(plan, keys=(primary,))
    compared: dict[str, SystemComparison] = {}
    sampled: list[dict[str, Sampled]] = []
    small = []
    for value, members in subsets.split().items():
        chosen = {system: [tally.take(members) for tally in runs] for system, runs in tallies.items()}
        try:
            # The whole has warned of the same; sizes are named below for all subsets at once.
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                compared[value] = compare_tallies(chosen, plan, resampling, **tests)
        except ValueError as error:
            raise OptionError(OPTIONS["by"], f", subset {value}: {message_of(error)}") from None
        if chosen[whole.baseline][0].scored_clusters() < MIN_CLUSTERS:
            small.append(value)
        sampled.append(_sample(chosen, plan_of_primary, resampling))
    unit = tallies[whole.baseline][0].sampled_unit
    level = "Their intervals contain the true score less often than their level says."
    warn_of_small(small, MIN_CLUSTERS, unit, Message(level))
    p_values = {}
    for value, comparison in compared.items():
        for system, differences in comparison.differences.items():
            p_values[value, system] = differences[primary].p_value
    tests_of_means = _TestsOfMeans(list(compared.values()), sampled, whole, plan.zero_division)
    means = tests_of_means.means(tests["n_trials"], resampling.seed)
    return SubsetComparison(by, whole, compared, holm(p_values), means)


def _sample(tallies: Mapping[str, Sequence[UtteranceTally]], plan: Plan, resampling: Resampling) -> dict[str, Sampled]:
    """Return the samples of the systems in a subset, of the utterances that no system skips there."""
    # The error of a mean is that of the jackknife, whatever the intervals of subsets are.
    resampling = replace(resampling, interval_method="jackknife")
    is_scored = np.logical_and.reduce([tally.is_scored for tally in chain(*tallies.values())])
    common = np.flatnonzero(is_scored)
    sampled = {}
    for system, runs in tallies.items():
        sampled[system] = sample([tally.take(common) for tally in runs], plan.keys, plan, resampling)
    return sampled


def ranks_of(comparison: SystemComparison) -> dict[str, float]:
    """Return the rank of each system by the primary score, 1 for the best; empty where a value is undefined or none is better."""
    good = comparison.goodness_of(comparison.primary)
    is_defined = not any(comparison.is_undefined(comparison.primary, system) for system in comparison.scores)
    if len(good) < len(comparison.scores) or not is_defined:
        return {}
    ranks = {}
    for system, value in good.items():
        better = sum(other > value for other in good.values())
        equal = sum(other == value for other in good.values())
        # Two equal systems behind one have the ranks 2 and 3: each gets their mean.
        ranks[system] = better + (1 + equal) / 2
    return ranks


@dataclass(frozen=True)
class _TestsOfMeans:
    """The means over subsets of the scores of systems, and the tests of their differences from the baseline."""

    subsets: Sequence[SystemComparison]
    sampled: Sequence[Mapping[str, Sampled]]  #: by system, for each subset
    whole: SystemComparison
    zero_division: float

    def means(self, n_trials: int, seed: int) -> dict[str, MacroMean]:
        """Return the mean of each system."""
        key = self.whole.primary
        low, high = group_of(key).keys[key].range
        ranks = [ranks_of(comparison) for comparison in self.subsets]
        has_ranks = all(ranks)
        differences = {system: self._difference(system) for system in self.whole.differences}
        p_values = self._p_values(differences, n_trials, seed)
        p_corrected = holm(p_values)
        means = {}
        for system in self.whole.scores:
            score = self._score(system)
            ends = score.interval(self.whole.confidence, (low, high))
            difference = math.nan
            difference_ends = (math.nan, math.nan)
            if system in differences:
                difference = differences[system].value
                difference_ends = differences[system].difference_interval(self.whole.confidence, high - low)
            means[system] = MacroMean(
                value=score.value,
                low=ends[0],
                high=ends[1],
                difference=difference,
                difference_low=difference_ends[0],
                difference_high=difference_ends[1],
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
        of_student = {system: difference.p_value() for system, difference in differences.items()}
        if self.whole.has_runs or key in self.whole.of_types:
            return of_student
        sums = {}
        for system in self.whole.scores:
            sums[system] = _mean_of_sums([of_subset[system].sums[0] for of_subset in self.sampled])
        exchanges = Exchanges.of(sums, n_trials, seed, self.zero_division)
        p_values = {}
        for system, difference in differences.items():
            p_values[system] = math.nan
            if not math.isnan(difference.value):
                p_values[system] = exchanges.p_values(self.whole.baseline, system, [key])[key]
            if self.whole.has_few_units:
                p_values[system] = float(np.fmax(p_values[system], of_student[system]))
        return p_values


def _mean_of_sums(parts: Sequence[SumScores]) -> SumScores:
    """Return the mean of the scores of parts as a score of sums, whose rows are those of all parts."""
    sizes = [max(map(len, part.columns.values())) for part in parts]
    ends = np.cumsum(sizes).tolist()
    columns: dict[str, npt.NDArray[Any]] = {}
    for at, part in enumerate(parts):
        for name, column in part.columns.items():
            # Parts of two and three rows: the columns of the second part are 0 0 | a b c.
            padded = np.zeros(ends[-1], column.dtype)
            padded[ends[at] - sizes[at] : ends[at]] = column
            columns[f"{at} {name}"] = padded

    def means(sums: Mapping[str, Any], keys: Sequence[str], zero_division: float) -> dict[str, Score]:
        scores: dict[str, list[Any]] = {key: [] for key in keys}
        for at, part in enumerate(parts):
            of_part = part.formulas({name: sums[f"{at} {name}"] for name in part.columns}, keys, zero_division)
            for key in keys:
                scores[key].append(of_part[key])
        return {key: np.mean(np.broadcast_arrays(*of_parts), axis=0) for key, of_parts in scores.items()}

    return SumScores(columns, means, {})


def mean_of(estimates: Sequence[Estimate]) -> Estimate:
    """Return the mean of independent estimates, with its error.

    >>> mean = mean_of([Estimate(0.4, 0.03, 10.0, 11.0), Estimate(0.6, 0.04, 10.0, 11.0)])
    >>> mean.value, mean.error, round(mean.freedom, 3), mean.units
    (0.5, 0.025, 18.546, 22.0)
    """
    count = len(estimates)
    variances = np.array([one.error**2 for one in estimates])
    total = float(variances.sum())
    weights = variances**2 / np.array([one.freedom for one in estimates])
    freedom = float(sum(one.freedom for one in estimates))
    if total > 0:
        freedom = total**2 / float(weights.sum())
    # Units of equal weight have as much information as these, of which those of small subsets weigh more.
    units = count**2 / sum(1 / one.units for one in estimates)
    return Estimate(fmean(one.value for one in estimates), math.sqrt(total) / count, freedom, units)
