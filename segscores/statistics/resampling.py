"""Intervals: scores of a sample of utterances, without each of them, and of resamples.

Conventions
-----------
- Utterances are taken for a sample, drawn independently from a population of utterances: from the speakers, the books or the
  newspapers that the corpus stands for. Where they are not independent, clusters of them are drawn (see `clusters`). What an
  interval is for is the expected score of a sample of as many utterances.
- A segmenter that learns as it goes makes utterances depend on the ones before; nothing here allows for that.
- The interval of a score is the jackknife's (see `jackknife`), unless `interval_method="percentile"` asks for the bootstrap's.
- The macro average is a score of sums too: of the utterances' scores, and of how many have one.

Percentiles
-----------
A resample has as many utterances as the corpus, drawn with replacement; how often it has each is a row of multinomial weights.
The sums of all resamples are the product of these weights with the columns, and the formulas turn them into scores. The interval
lies between the quantiles (1 ∓ confidence)/2 of those. A seed fixes the utterances that are drawn, whatever scores are asked for.

A resample has 63 % of the utterances, and so a smaller lexicon: the bootstrap's interval of a type score often excludes the
score itself. Type scores have the jackknife's interval by both methods.

Sources
-------
Efron & Tibshirani (1993), An Introduction to the Bootstrap, ch. 13. That the bootstrap of a number of kinds is biased:
Smith & van Belle (1984), Biometrics 40:119-129.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..kernel.formulas import Score, divide
from ..measures.registry import compute_scores, group_of, groups_of, plain_scores
from ..options.keywords import ResamplingOptions
from ..options.table import OPTIONS, check_needs, check_options, options_in
from ..scoring.options import Plan
from ..scoring.utterance_tally import SKIPPED, TypeIncidence, UtteranceTally
from ..support.errors import warn
from ..support.messages import Hint, Message
from ..support.parallel import map_in_order
from .jackknife import ROUNDING, Estimate, effective_units, lexicon_sizes_without

Floats: TypeAlias = npt.NDArray[np.float64]


# Rows that are drawn from together, and weights made at a time: they stay in the processor's cache. Both are a part of what
# a seed stands for.
_ROWS_A_BLOCK, _WEIGHTS_AT_ONCE = 1 << 13, 1 << 17

# OpenBLAS uses one thread for products of at most this many multiplications (65,536 · 4, in its interface/gemm.c).
_MULTIPLICATIONS, _ROWS_MULTIPLIED = 1 << 18, 16

#: Resamples that should lie beyond each end of an interval.
_LEAST_OUTSIDE = 5

#: The options of a `Resampling`.
RESAMPLING = options_in(ResamplingOptions)


@dataclass(frozen=True)
class Resampling:
    """How scores are averaged, and how their intervals are computed.

    Attributes:
        average: `"micro"` for scores of the corpus, `"macro"` for the mean over utterances.
        confidence: the level of an interval for every score, in (0, 1), such as 0.95; None for no intervals.
        n_resamples, seed: the number of resamples and their seed.
        interval_method: `"jackknife"`, or `"percentile"` of the bootstrap, which alone has resamples and a seed.
        clusters: the id of the cluster of each utterance, such as its document; utterances with the same id are resampled
            together (see `clusters`). None if utterances are independent.
    """

    average: str = "micro"
    confidence: float | None = None
    n_resamples: int = 1000
    seed: int = 0
    interval_method: str = "jackknife"
    clusters: Any = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name, value in check_options(vars(self), RESAMPLING).items():
            object.__setattr__(self, name, value)
        check_needs({"clusters": self.clusters}, vars(self))

    @property
    def level(self) -> float:
        """The confidence, where intervals are asked for."""
        assert self.confidence is not None, "intervals are asked for"
        return self.confidence

    @property
    def needs_utterances(self) -> bool:
        """Whether the counts of each utterance are needed, not only their sums."""
        return self.confidence is not None or self.average != "micro"

    def __str__(self) -> str:
        """The field of the signature for the intervals; empty if there are no intervals.

        >>> str(Resampling(confidence=0.95)), str(Resampling(confidence=0.95, interval_method="percentile"))
        ('95-jackknife', '95-percentile-1000-0')
        """
        if self.confidence is None:
            return ""
        drawn = "" if self.interval_method == "jackknife" else f"-{self.n_resamples}-{self.seed}"
        return f"{100 * self.confidence:.12g}-{self.interval_method}{drawn}"


@dataclass(frozen=True)
class SumScores:
    """Scores that are formulas of sums over the utterances, or over clusters of them.

    Attributes:
        columns: column name → (n_clusters,), without clusters (n_utterances,).
        formulas: from the sums of the columns, numbers or arrays, and the value of 0/0, to the scores by key.
        zero_division: the value of 0/0 in scores; a score without a unit or of a resample is then nan.
        sizes: from a key to the size of each row, by which it counts.
    """

    columns: Mapping[str, npt.NDArray[Any]]
    formulas: Callable[[Mapping[str, Any], float], dict[str, Score]]
    zero_division: float = 0.0
    sizes: Callable[[str], npt.NDArray[Any]] = field(default=lambda _: np.ones(1))

    def scores_of(self, sums: Mapping[str, Any]) -> dict[str, Score]:
        """The scores of sums."""
        return self.formulas(sums, self.zero_division)

    def scores(self) -> dict[str, float]:
        """The scores of all utterances, as plain floats."""
        scores = self.scores_of({column: values.sum() for column, values in self.columns.items()})
        return {key: float(score) for key, score in scores.items()}

    def jackknife(self) -> dict[str, Floats]:
        """The scores without each row, float64 (n_clusters,)."""
        rest = {column: values.sum() - values for column, values in self.columns.items()}
        return {key: np.asarray(score, np.float64) for key, score in self.formulas(rest, math.nan).items()}

    def resampled(self, n_resamples: int, seed: int) -> dict[str, Floats]:
        """The scores of resamples of the rows, float64 (n_resamples,)."""
        sums = resampled_sums(self.columns, n_resamples, seed)
        return {key: np.asarray(score, np.float64) for key, score in self.formulas(sums, math.nan).items()}


def sum_scores(tally: UtteranceTally, keys: Sequence[str], average: str, plan: Plan) -> SumScores:
    """The columns and formulas of scores of sums: with `"micro"` none of types, with `"macro"` means of utterances' scores."""
    columns: dict[str, npt.NDArray[Any]]
    if average == "micro":
        names = dict.fromkeys(column for group in groups_of(keys) for column in group.columns)
        columns = {name: tally.sum_by_cluster(tally.columns[name]) for name in names}

        def formulas(sums: Mapping[str, Any], zero_division: float) -> dict[str, Score]:
            return compute_scores(sums, keys, zero_division)

        # Of a perfect unit the largest count is the denominator.
        return SumScores(
            columns,
            formulas,
            plan.zero_division,
            lambda key: np.max([columns[name] for name in group_of(key).columns], axis=0),
        )
    columns = {}
    averaged = tally.averaged(keys, plan.zero_division_of_utterances)
    for key, values in averaged.items():
        columns[f"{key} sum"] = tally.sum_by_cluster(np.nan_to_num(values))
        columns[f"{key} count"] = tally.sum_by_cluster((~np.isnan(values)).astype(np.int64))
    # A count, of which there is no mean.
    counted = [SKIPPED] if SKIPPED in keys else []
    columns |= {key: tally.sum_by_cluster(tally.columns[key]) for key in counted}

    def means(sums: Mapping[str, Any], zero_division: float) -> dict[str, Score]:
        found = {key: divide(sums[f"{key} sum"], sums[f"{key} count"], zero_division) for key in averaged}
        found |= {key: sums[key] for key in counted}
        return {key: found[key] for key in keys}

    return SumScores(columns, means, plan.zero_division, lambda key: columns[key if key in counted else f"{key} count"])


@dataclass(frozen=True)
class Sampled:
    """The scores of a system on a sample of utterances or clusters, and without each unit.

    Attributes:
        without: by key, the scores without each unit, float64 (n_units,).
        units: by key, the effective number of units.
        of_sums: those that are formulas of sums.
        types: the types of each unit, if there are type scores.
    """

    scores: Mapping[str, float]
    without: Mapping[str, Floats]
    units: Mapping[str, float]
    of_sums: SumScores
    types: TypeIncidence | None

    def estimate(self, key: str) -> Estimate:
        """A score and its error."""
        return Estimate.of(self.scores[key], self.without[key], self.units[key])

    def replicates(self, resampling: Resampling) -> dict[str, Floats]:
        """By key the scores of resamples, the same for all systems; empty without percentile intervals, and for type scores."""
        if resampling.interval_method != "percentile" or not self.of_sums.columns:
            return {}
        return self.of_sums.resampled(resampling.n_resamples, resampling.seed)


def sample(tally: UtteranceTally, keys: Sequence[str], plan: Plan, average: str) -> Sampled:
    """The scores of a system on its utterances or clusters."""
    sum_keys, type_keys = split_keys(keys, average)
    of_sums = sum_scores(tally, sum_keys, average, plan)
    scores, without = of_sums.scores(), of_sums.jackknife()
    units = {key: effective_units(of_sums.sizes(key)) for key in sum_keys}
    types = tally.cluster_types() if type_keys else None
    if types is not None:
        scores |= plain_scores(types.lexicon_sizes(), type_keys, plan.zero_division)
        left = compute_scores(lexicon_sizes_without(types), type_keys, math.nan)
        without |= {key: np.broadcast_to(np.asarray(values), len(types.ends)) for key, values in left.items()}
        units |= dict.fromkeys(type_keys, float(len(types.ends)))
    return Sampled({key: scores[key] for key in keys}, without, units, of_sums, types)


def intervals(sampled: Sampled, resampling: Resampling) -> dict[str, tuple[float, float]]:
    """The interval of each score, in its range; nan where there is none (see `jackknife`)."""
    estimates = {key: sampled.estimate(key) for key in sampled.scores}
    found = {key: each.interval(resampling.level, group_of(key).range_of(key)) for key, each in estimates.items()}
    for key, replicates in sampled.replicates(resampling).items():
        # Of a score that no unit changes, quantiles say nothing.
        if estimates[key].error > 0:
            found[key] = quantile_interval(sampled.scores[key], replicates, tails_of(resampling.level))
    return found


def warn_of_few_resamples(resampling: Resampling) -> None:
    """Warn of percentiles whose ends depend on the seed."""
    needed = math.ceil(_LEAST_OUTSIDE / tails_of(resampling.level)[0] - ROUNDING)
    if resampling.interval_method == "percentile" and resampling.n_resamples < needed:
        warn(
            Message(
                f"{resampling.n_resamples} resamples are few for this confidence: with another seed the intervals would differ.",
                Hint(" Pass ", OPTIONS["n_resamples"].set(needed), " or more."),
            )
        )


def check_utterances(tally: UtteranceTally, keys: Sequence[str]) -> None:
    """Check that there are counts for the scores, and more than one utterance or cluster."""
    tally.check_keys(keys)
    count, unit = tally.scored_clusters(), tally.sampled_unit
    if count < 2:
        hint = " Without clusters its utterances count as independent." if unit == "cluster" and count else ""
        raise ValueError(
            f"an interval needs at least two {unit}s, received {count}: variability cannot be estimated from one {unit}.{hint}"
        )


def tails_of(confidence: float) -> tuple[float, float]:
    """The probabilities of the quantiles at the two ends of an interval."""
    return 0.5 - 0.5 * confidence, 0.5 + 0.5 * confidence


def width_of(key: str) -> float:
    """The width of the range of a score: no difference of two of its values is larger.

    >>> width_of("token_fscore"), width_of("over_segmentation")
    (1.0, inf)
    """
    low, high = group_of(key).range_of(key)
    return high - low


def whole_ranges(
    found: Mapping[str, tuple[float, float]], confidence: float, *, of_differences: bool = False
) -> list[str]:
    """The scores whose intervals cover so large a share of their range that one drawn blindly would say as much.

    The range of a difference is twice as wide.

    >>> whole_ranges({"token_fscore": (0.01, 0.99), "type_fscore": (0.1, 0.9)}, 0.95)
    ['token_fscore']
    """
    factor = 2 * confidence if of_differences else confidence
    return [key for key, (low, high) in found.items() if high - low >= factor * width_of(key)]


def split_keys(keys: Sequence[str], average: str = "micro") -> tuple[list[str], list[str]]:
    """The keys of scores that are formulas of sums, and those of type scores; each in order.

    A mean over utterances is a formula of sums for type scores too.
    """
    if average == "macro":
        return list(keys), []
    of_types = {key for group in groups_of(keys) if group.needs_words for key in group.keys}
    return [key for key in keys if key not in of_types], [key for key in keys if key in of_types]


def resampled_sums(columns: Mapping[str, npt.NDArray[Any]], n_resamples: int, seed: int) -> dict[str, Floats]:
    """The sums of each column in resamples of the rows, float64 (n_resamples,); of integers they are exact below 2⁵³.

    The naive equivalent is `column[source.integers(0, n, n)].sum()`, with the same rows for all columns, n_resamples times.

    Rows are drawn in blocks that fit the processor's cache: first how many of each resample come from each block, which is
    multinomial, then which of the block's rows.
    """
    size = len(next(iter(columns.values())))
    blocks = [slice(start, min(start + _ROWS_A_BLOCK, size)) for start in range(0, size, _ROWS_A_BLOCK)]
    lengths = np.array([block.stop - block.start for block in blocks])
    of_blocks, *seeds = np.random.SeedSequence(seed).spawn(1 + len(blocks))
    shares = np.random.default_rng(of_blocks).multinomial(size, lengths / size, n_resamples)
    total = np.zeros((n_resamples, len(columns)))

    def sum_block(index: int) -> Floats:
        source, length = np.random.default_rng(seeds[index]), int(lengths[index])
        table = np.stack([values[blocks[index]] for values in columns.values()], axis=1).astype(np.float64)
        at_once = max(1, _WEIGHTS_AT_ONCE // length)
        sums = np.empty((n_resamples, len(columns)))
        for start in range(0, n_resamples, at_once):
            counts = shares[start : start + at_once, index]
            drawn = _draw_below(length, int(counts.sum()), source)
            drawn += np.repeat(np.arange(0, len(counts) * length, length), counts)
            weights = np.bincount(drawn, minlength=len(counts) * length).reshape(-1, length)
            sums[start : start + at_once] = multiply(weights.astype(np.float64), table)
        return sums

    for sums in map_in_order(sum_block, range(len(blocks))):
        total += sums
    return dict(zip(columns, total.T, strict=True))


def _draw_below(length: int, count: int, source: np.random.Generator) -> npt.NDArray[np.intp]:
    """So many numbers in [0, length), drawn uniformly; `source.integers` at less than half the time where bits are enough."""
    if length & (length - 1):
        return np.asarray(source.integers(0, length, count, np.intp))
    drawn: npt.NDArray[np.intp] = (np.frombuffer(source.bytes(2 * count), np.uint16) & np.uint16(length - 1)).astype(
        np.intp
    )
    return drawn


def multiply(left: npt.NDArray[Any], right: npt.NDArray[Any]) -> Floats:
    """`left @ right` of floats in the calling thread, in parts that are added in double precision.

    BLAS divides a large product among its own threads. Where several threads multiply at the same time, those wait for each
    other, and take ten times as much processor time.
    """
    product = np.zeros((len(left), right.shape[1]))
    rows = max(1, min(_ROWS_MULTIPLIED, len(left)))
    step = max(1, _MULTIPLICATIONS // (rows * max(1, right.shape[1])))
    for row in range(0, len(left), rows):
        for start in range(0, left.shape[1], step):
            product[row : row + rows] += left[row : row + rows, start : start + step] @ right[start : start + step]
    return product


def quantile_interval(score: float, replicates: Floats, levels: tuple[float, float]) -> tuple[float, float]:
    """The quantiles of the replicates that are not nan; nan where there is none, or where the score is nan."""
    defined = replicates[~np.isnan(replicates)]
    if not len(defined) or math.isnan(score):
        return math.nan, math.nan
    low, high = np.quantile(defined, levels).tolist()
    return low, high
