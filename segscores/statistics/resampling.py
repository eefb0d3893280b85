"""Intervals: scores of a sample of utterances, without each of them, and of resamples.

Conventions
-----------
- An interval is for the expected score of a sample of as many utterances, or clusters, drawn independently.
- It is the jackknife's (see `jackknife`), unless `interval_method="percentile"` requests the bootstrap's: the quantiles
  (1 ∓ confidence)/2 of the scores of resamples, drawn with replacement. A seed fixes the resamples, whatever the scores are.
  A resample has a smaller lexicon than the corpus, so type scores have the jackknife's interval by both methods.
- The macro average is a score of sums too: of the utterances' scores, and of the number of utterances with a score. So is the
  mean over clusters.

Source: Efron & Tibshirani (1993), An Introduction to the Bootstrap, ch. 13.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from statistics import fmean
from typing import Any

import numpy as np
import numpy.typing as npt

from ..kernel.arrays import Floats
from ..kernel.formulas import Score, divide
from ..kernel.record import record
from ..options.errors import warn
from ..options.keywords import ComputeOptions, ResamplingOptions
from ..options.messages import Hint, Message
from ..options.option import check_needs, check_options
from ..options.table import OPTIONS, options_in
from ..options.values import ResamplingValues
from ..scoring.measures.group import SKIPPED
from ..scoring.measures.registry import compute_scores, group_of, groups_of
from ..scoring.measures.statistic import UtteranceStatistic
from ..scoring.parallel import map_in_order
from ..scoring.plan import SCORING, Plan
from ..scoring.utterance_tally import UtteranceTally
from .clusters import warn_of_few
from .jackknife import ROUNDING, Estimate, Term, effective_units

# The number of weights that a thread makes at a time. Another number would change the resamples of a seed.
_WEIGHTS_AT_ONCE = 1 << 17

#: OpenBLAS uses one thread for products of at most this many multiplications (65,536 · 4, in its interface/gemm.c).
_MULTIPLICATIONS = 1 << 18
#: The rows of such a product.
_ROWS_MULTIPLIED = 16

#: The number of resamples that should lie beyond each end of an interval.
_LEAST_OUTSIDE = 5
#: A lower level of confidence is likely that of a test, such as 0.05.
_LEAST_CONFIDENCE = 0.5

#: The options of a `Resampling`.
RESAMPLING = options_in(ResamplingOptions)


@dataclass(frozen=True)
class Resampling(ResamplingValues):
    """The average of scores, and the method of their intervals: the options of `ResamplingOptions`."""

    def __post_init__(self) -> None:
        for name, value in check_options(vars(self), RESAMPLING).items():
            object.__setattr__(self, name, value)
        if isinstance(self.clusters, Iterator):
            # Scores and signatures read the ids, each for itself.
            object.__setattr__(self, "clusters", list(self.clusters))
        # Clusters without an interval or a mean over clusters would change nothing.
        check_needs({"clusters": self.clusters}, RESAMPLING, values=vars(self))

    @cached_property
    def needs_utterances(self) -> bool:
        """True if the counts of each utterance are needed, not only their sums."""
        return self.confidence is not None or self.average != "micro"

    def __str__(self) -> str:
        """Return the field of the signature for the intervals; empty if there are no intervals.

        >>> str(Resampling(confidence=0.95)), str(Resampling(confidence=0.95, interval_method="percentile"))
        ('95-jackknife', '95-percentile-1000-0')
        """
        if self.confidence is None:
            return ""
        drawn = "" if self.interval_method == "jackknife" else f"-{self.n_resamples}-{self.seed}"
        return f"{100 * self.confidence:.12g}-{self.interval_method}{drawn}"


#: All options of resampling at their defaults: neither intervals nor means of utterances, so that a corpus needs sums alone.
SUMS_ARE_ENOUGH = Resampling()


@record
class SumScores:
    """Scores that are formulas of sums over the utterances, or over clusters of them."""

    columns: Mapping[str, npt.NDArray[Any]]  #: by name: the values of the units, (n_units,)
    #: a function from sums by the name of their column, keys, and the value of 0/0 to scores by key
    formulas: Callable[[Mapping[str, Any], Sequence[str], float], dict[str, Score]]
    #: by key, the effective number of utterances or clusters; empty of means over subsets, which are only exchanged
    effective_sizes: Mapping[str, float] = field(default_factory=dict)


def sum_scores(tally: UtteranceTally, keys: Sequence[str], average: str, plan: Plan) -> SumScores:
    """Return what scores add up over utterances or clusters, and the formulas of these sums.

    With `"micro"`, counts are added up, and no key is of a score of types. With `"macro"` and `"cluster"`, which are means, the
    scores themselves are added up: of utterances, or of clusters.
    """
    if average == "micro":
        return _sums_of_counts(tally, keys)
    if average == "cluster":
        tally = tally.by_cluster()
    return _sums_of_scores(tally, keys, plan)


def _sums_of_counts(tally: UtteranceTally, keys: Sequence[str]) -> SumScores:
    """Return, for corpus scores, the counts of units and the formulas of their sums."""
    columns: dict[str, npt.NDArray[Any]] = {}
    sizes_of_group: dict[str, float] = {}
    for group in groups_of(tuple(keys)):
        columns |= {name: tally.sum_by_cluster(tally.columns[name]) for name in group.columns}
        # A unit weighs as much as its largest count, the denominator of a score if all its predictions are right.
        sizes_of_group[group.name] = effective_units(np.max([columns[name] for name in group.columns], axis=0))
    return SumScores(columns, compute_scores, {key: sizes_of_group[group_of(key).name] for key in keys})


def _sums_of_scores(tally: UtteranceTally, keys: Sequence[str], plan: Plan) -> SumScores:
    """Return, for means, the sum of the scores of utterances, and the number of utterances with a score."""
    columns = {key: tally.sum_by_cluster(tally.columns[key]) for key in keys if key == SKIPPED}
    # "token_recall sum" is the sum of the scores, and "token_recall" their number: nan, an undefined score, is in neither.
    for key, values in tally.averaged(keys, plan.zero_division_of_utterances).items():
        columns[f"{key} sum"] = tally.sum_by_cluster(np.nan_to_num(values))
        columns[key] = tally.sum_by_cluster((~np.isnan(values)).astype(np.int64))

    def means(sums: Mapping[str, Any], keys: Sequence[str], zero_division: float) -> dict[str, Score]:
        """Divide the sum of each score by the number of utterances with a score."""
        scores: dict[str, Score] = {}
        for key in keys:
            if key == SKIPPED:
                # The number of skipped utterances is a count, not a mean.
                scores[key] = sums[key]
            else:
                scores[key] = divide(sums[f"{key} sum"], sums[key], zero_division)
        return scores

    return SumScores(columns, means, {key: effective_units(columns[key]) for key in keys})


@record
class Sampled:
    """The scores of a system's runs on a sample of utterances or clusters, and without each unit."""

    scores: Mapping[str, Floats]  #: by key: the score of each run, float64 (n_runs,)
    without: Mapping[str, Floats]  #: by key, the scores without each unit, float64 (n_runs, n_units)
    effective_sizes: Mapping[str, float]  #: by key, the effective number of utterances or clusters
    type_counts: Mapping[str, float]  #: by key of a score of types, the number of types of the smaller lexicon
    #: by key: the scores of resamples, float64 (n_resamples,); none without percentiles, and for types
    replicates: Mapping[str, Floats]
    sums: Sequence[SumScores]  #: an item for each run
    #: for each run and group, what units have that does not add up, such as types; empty if all scores are of sums
    statistics: Sequence[Mapping[str, UtteranceStatistic]]

    @property
    def sums_of_only_run(self) -> SumScores:
        """The sums of a system that has one run."""
        (sums,) = self.sums
        return sums

    def mean(self, key: str) -> float:
        """Return the system's score, the mean over its runs."""
        return fmean(self.scores[key])

    def unit_count(self, key: str) -> int:
        """Return the number of utterances or clusters in the sample of a score."""
        first_run, *_ = self.without[key]
        return len(first_run)


def sample(tallies: Sequence[UtteranceTally], keys: Sequence[str], plan: Plan, resampling: Resampling) -> Sampled:
    """Compute the scores of a system's runs on its utterances or clusters, and without each of them.

    `tallies` has an item for each run.
    """
    sum_keys, type_keys = split_keys(keys, resampling.average)
    sums = [sum_scores(tally, sum_keys, resampling.average, plan) for tally in tallies]
    statistics: list[Mapping[str, UtteranceStatistic]] = []
    if type_keys:
        statistics = [tally.cluster_statistics() for tally in tallies]
    scores_of_runs = [tally.scores(replace(plan, keys=tuple(keys)), resampling.average) for tally in tallies]
    without_of_runs = []
    for run, sums_of_run in enumerate(sums):
        statistics_of_run = statistics[run] if statistics else {}
        without_of_runs.append(_scores_without_each(sums_of_run, statistics_of_run, keys))
    # All runs have the same utterances, in the same clusters.
    first_run, *_ = tallies
    n_units = first_run.cluster_count
    scores = {}
    without = {}
    effective_sizes = {}
    for key in keys:
        scores[key] = np.array([scores_of_run[key] for scores_of_run in scores_of_runs])
        # A row for each run, with a score without each unit. A score of 0/0 without any of them may be one number.
        rows = [np.broadcast_to(np.asarray(without_of_run[key]), n_units) for without_of_run in without_of_runs]
        without[key] = np.stack(rows)
        # Where few utterances have nearly all the counts, they count as fewer. The smallest run gives the widest interval. A
        # score of types has no sums, so its units all count.
        effective_sizes[key] = min(sums_of_run.effective_sizes.get(key, float(n_units)) for sums_of_run in sums)
    type_counts = {}
    for key in type_keys:
        name = group_of(key).name
        type_counts[key] = min(statistics_of_run[name].count_types() for statistics_of_run in statistics)
    return Sampled(
        scores=scores,
        without=without,
        effective_sizes=effective_sizes,
        type_counts=type_counts,
        replicates=_replicates(sums, sum_keys, resampling),
        sums=sums,
        statistics=statistics,
    )


def _scores_without_each(
    sums: SumScores, statistics: Mapping[str, UtteranceStatistic], keys: Sequence[str]
) -> dict[str, Score]:
    """Compute the scores of a run without each unit of the sample, from the sums without its counts.

    `statistics` are those of scores of types. They give the columns that the formulas of these scores read.
    """
    sums_without: dict[str, Any] = {name: column.sum() - column for name, column in sums.columns.items()}
    for statistic in statistics.values():
        sums_without |= statistic.without_each()
    return sums.formulas(sums_without, keys, math.nan)


def _replicates(sums: Sequence[SumScores], keys: Sequence[str], resampling: Resampling) -> dict[str, Floats]:
    """Return the scores of resamples by key, for intervals of percentiles; none for other intervals."""
    if resampling.interval_method != "percentile" or not keys:
        return {}
    # Percentiles of several runs are refused.
    (only_run,) = sums
    drawn = resampled_sums(only_run.columns, resampling.n_resamples, resampling.seed)
    return {key: np.asarray(scores) for key, scores in only_run.formulas(drawn, keys, math.nan).items()}


def estimate(key: str, system: Sampled, baseline: Sampled | None = None) -> Estimate:
    """Estimate a system's score, or its difference from a baseline, with its error."""
    terms = [Term(sign=1, scores=system.scores[key], without=system.without[key])]
    effective_unit_count = system.effective_sizes[key]
    # Only scores of types have a number of types. For another score both numbers are nan, and so is the smaller one.
    type_count = system.type_counts.get(key, math.nan)
    if baseline is not None:
        terms.append(Term(sign=-1, scores=baseline.scores[key], without=baseline.without[key]))
        # A difference is as uncertain as the system with fewer units, or types, makes it.
        effective_unit_count = min(effective_unit_count, baseline.effective_sizes[key])
        type_count = min(type_count, baseline.type_counts.get(key, math.nan))
    return Estimate.of(terms, effective_unit_count, type_count)


def interval(key: str, confidence: float, system: Sampled, baseline: Sampled | None = None) -> tuple[float, float]:
    """Return the interval of a system's score, or of its difference from a baseline; nan if there is none (see `jackknife`)."""
    estimated = estimate(key, system, baseline)
    # A system has replicates only if the interval is of percentiles. If no unit changes the score, all its quantiles are equal:
    # the interval is then the jackknife's.
    if key in system.replicates and estimated.error > 0:
        if math.isnan(estimated.value):
            # The score is undefined, even if some resamples have one.
            return math.nan, math.nan
        replicates = system.replicates[key]
        if baseline is not None:
            replicates = replicates - baseline.replicates[key]
        return _percentiles(replicates, confidence)
    declared = group_of(key).keys[key]
    # No share of units bounds a count or seconds: see `jackknife`.
    if estimated.is_zero_everywhere and not declared.is_share:
        return 0.0, 0.0
    if baseline is None:
        return estimated.interval(confidence, declared.range)
    lowest, highest = declared.range
    return estimated.difference_interval(confidence, largest=highest - lowest)


def _percentiles(replicates: Floats, confidence: float) -> tuple[float, float]:
    """Return the two quantiles between which the share `confidence` of the replicates lies.

    Replicates of nan, in which the score is undefined, are left out; the quantiles are nan if all are.
    """
    defined = replicates[~np.isnan(replicates)]
    if not len(defined):
        return math.nan, math.nan
    low, high = np.quantile(defined, [0.5 - 0.5 * confidence, 0.5 + 0.5 * confidence]).tolist()
    return low, high


def warn_of_sample(tally: UtteranceTally, resampling: Resampling) -> None:
    """Warn of a low level, of percentiles whose ends depend on the seed, of few units, and of a unit with much of the text."""
    assert resampling.confidence is not None
    if resampling.confidence < _LEAST_CONFIDENCE:
        received = (
            f": an interval has the true value with this probability alone; did you mean {1 - resampling.confidence:g}?"
        )
        warn(Message(OPTIONS["confidence"].set(resampling.confidence), received))
    # Beyond each end of an interval of 95 % are 2.5 % of the resamples: 5 of 200. Rounding must not make this 201.
    share_beyond_end = 0.5 - 0.5 * resampling.confidence
    needed = math.ceil(_LEAST_OUTSIDE / share_beyond_end - ROUNDING)
    if resampling.interval_method == "percentile" and resampling.n_resamples < needed:
        warn(
            Message(
                f"{resampling.n_resamples} resamples are few for this confidence: with another seed the intervals would differ.",
                Hint(" Pass ", OPTIONS["n_resamples"].set(needed), " or more."),
            )
        )
    warn_of_few(tally)


def check_utterances(tally: UtteranceTally, keys: Sequence[str]) -> None:
    """Check that there are counts for the scores, and more than one utterance or cluster."""
    tally.check_keys(keys)
    count = tally.scored_clusters()  # without clusters, the number of scored utterances
    unit = tally.sampled_unit
    if count < 2:
        is_one_cluster = unit == "cluster" and count == 1
        hint = " Without clusters its utterances count as independent." if is_one_cluster else ""
        raise ValueError(
            f"an interval needs at least two {unit}s, received {count}: variability cannot be estimated from one {unit}.{hint}"
        )


def split_keys(keys: Sequence[str], average: str) -> tuple[list[str], list[str]]:
    """Return the keys of scores that are formulas of sums, such as means over utterances, and the keys of type scores."""
    if average != "micro":
        return list(keys), []
    type_keys = [key for key in keys if group_of(key).statistic is not None]
    return [key for key in keys if key not in type_keys], type_keys


def resampled_sums(columns: Mapping[str, npt.NDArray[Any]], n_resamples: int, seed: int) -> dict[str, Floats]:
    """Return the sums of each column in resamples of the rows, float64 (n_resamples,); of integers they are exact below 2⁵³.

    The naive equivalent is `column[source.integers(0, n, n)].sum()`, with the same rows for all columns, n_resamples times.
    """
    # (n_rows, n_columns)
    table = np.stack(list(columns.values()), axis=1).astype(np.float64)
    row_count = len(table)
    resamples_at_once = max(1, _WEIGHTS_AT_ONCE // row_count)

    def sum_resamples(first_resample: int) -> Floats:
        """Return the sums of the next resamples, (n_resamples_at_once, n_columns)."""
        count = min(resamples_at_once, n_resamples - first_resample)
        drawn = np.random.default_rng([seed, first_resample]).integers(0, row_count, (count, row_count))
        # One bincount counts each row of each resample. If there are three rows, those of the second resample get the
        # numbers 3 to 5: the resamples [0 0 2] and [1 1 1] become [0 0 2] and [4 4 4].
        drawn += np.arange(0, count * row_count, row_count)[:, None]
        times_drawn = np.bincount(drawn.ravel(), minlength=count * row_count).reshape(count, row_count)
        return multiply(times_drawn.astype(np.float64), table)

    sums = np.concatenate(list(map_in_order(sum_resamples, range(0, n_resamples, resamples_at_once))))
    return dict(zip(columns, sums.T, strict=True))


def multiply(left: npt.NDArray[Any], right: npt.NDArray[Any]) -> Floats:
    """Compute `left @ right` of floats in the calling thread, in blocks that are added in double precision.

    BLAS divides a large product among its own threads. If several threads multiply at the same time, the threads of BLAS wait
    for each other, and take ten times as much processor time.
    """
    row_count, inner_count = left.shape
    column_count = right.shape[1]
    product = np.zeros((row_count, column_count))
    # A block is some rows and some of the inner items, whose product has few enough multiplications for one thread.
    rows_at_once = max(1, min(_ROWS_MULTIPLIED, row_count))
    inner_at_once = max(1, _MULTIPLICATIONS // (rows_at_once * max(1, column_count)))
    for first_row in range(0, row_count, rows_at_once):
        rows = slice(first_row, first_row + rows_at_once)
        for first_inner in range(0, inner_count, inner_at_once):
            inner = slice(first_inner, first_inner + inner_at_once)
            product[rows] += left[rows, inner] @ right[inner]
    return product


@cache
def _defaults_of(keywords: type) -> dict[str, Any]:
    return {name: option.default for name, option in options_in(keywords).items()}


def split_options(
    options: Mapping[str, Any], keywords: type = ComputeOptions
) -> tuple[Plan, Resampling, dict[str, Any]]:
    """Check the options of a function; return the plan of the scoring, the resampling, and the value of every option.

    `keywords` is the class with the options of the function.
    """
    table = options_in(keywords)
    checked = check_options(options, table)
    values = {**_defaults_of(keywords), **checked}
    plan = Plan.of_checked({name: value for name, value in checked.items() if name in SCORING})
    changed = {}
    for name, option in RESAMPLING.items():
        # A function may lack an option of resampling.
        value = values.get(name, option.default)
        # Compare by identity: `clusters` may be an array, whose comparison is one of each item.
        if value is not option.default:
            changed[name] = value
    if not changed:
        # Most calls ask for neither intervals nor means: they share one object, whose values were checked when it was made.
        return plan, SUMS_ARE_ENOUGH, values
    return plan, Resampling(**changed), values
