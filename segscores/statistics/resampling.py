"""Resampling: scores of a sample of utterances, of resamples of it, and without each utterance; intervals from these.

Conventions
-----------
- Utterances are taken for a sample, drawn independently from a population of utterances: from the speakers, the books or the
  newspapers that the corpus stands for. Where they are not independent, clusters of them are drawn (see `clusters`). What an
  interval is for is the expected score of a sample of as many utterances.
- A seed fixes everything. The same utterances are drawn whatever scores are asked for, so that a score has the same
  interval in any company, and differences between scores of one seed are paired.
- A segmenter that learns as it goes makes utterances depend on the ones before; nothing here allows for that.

Scores of sums
--------------
A resample has as many utterances as the corpus, drawn with replacement; how often it has each is a row of multinomial
weights. The sums of all resamples are the product of these weights with the columns, and the formulas turn them into
scores. The percentile interval lies between the quantiles (1 ∓ confidence)/2 of those. The jackknife's interval draws nothing
(see `jackknife`).

The macro average is a score of sums too: of the utterances' scores, and of how many have one.

Type scores
-----------
A resample has 63 % of the utterances, and so a smaller lexicon: the replicates lie around the score of a smaller corpus, and the
bootstrap's interval often excludes the score itself. The score is unbiased for the expected score of a corpus of as many
utterances, so its standard error is enough: the intervals of type scores are always the jackknife's.

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
from ..options.table import check_needs, check_options, options_in
from ..scoring.utterance_tally import SKIPPED, UtteranceTally
from ..support.parallel import map_in_order
from .jackknife import ROUNDING, is_extreme, lexicon_sizes_without, student_interval

Floats: TypeAlias = npt.NDArray[np.float64]


# Rows that are drawn from together, and weights made at a time: they stay in the processor's cache. Both are a part of what
# a seed stands for.
_ROWS_A_BLOCK, _WEIGHTS_AT_ONCE = 1 << 13, 1 << 17

# OpenBLAS uses one thread for products of at most this many multiplications (65,536 · 4, in its interface/gemm.c).
_MULTIPLICATIONS, _ROWS_MULTIPLIED = 1 << 18, 16


#: The options of a `Resampling`.
RESAMPLING = options_in(ResamplingOptions)


@dataclass(frozen=True)
class Resampling:
    """How scores are averaged, and how their intervals are computed.

    Attributes:
        average: `"micro"` for scores of the corpus, `"macro"` for the mean over utterances.
        confidence: the level of an interval for every score, in (0, 1), such as 0.95; None for no intervals.
        n_resamples: the number of resamples.
        seed: the seed of the resamples.
        interval_method: `"percentile"`, of the bootstrap, or `"jackknife"`.
        clusters: the id of the cluster of each utterance, such as its document; utterances with the same id are resampled
            together (see `clusters`). None if utterances are independent.
    """

    average: str = "micro"
    confidence: float | None = None
    n_resamples: int = 1000
    seed: int = 0
    interval_method: str = "percentile"
    clusters: Any = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name, value in check_options(vars(self), RESAMPLING).items():
            object.__setattr__(self, name, value)
        check_needs({"clusters": self.clusters}, vars(self))

    @property
    def needs_utterances(self) -> bool:
        """Whether the counts of each utterance are needed, not only their sums."""
        return self.confidence is not None or self.average != "micro"

    def __str__(self) -> str:
        """The field of the signature for the intervals; empty if there are no intervals.

        >>> str(Resampling(confidence=0.95))
        '95-percentile-1000-0'
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
        formulas: from the sums of the columns, numbers or arrays, to the scores by key.
    """

    columns: Mapping[str, npt.NDArray[Any]]
    formulas: Callable[[Mapping[str, Any]], dict[str, Score]]

    def scores(self) -> dict[str, float]:
        """The scores of all utterances, as plain floats."""
        scores = self.formulas({column: values.sum() for column, values in self.columns.items()})
        return {key: float(score) for key, score in scores.items()}

    def jackknife(self) -> dict[str, Floats]:
        """The scores without each row, float64 (n_clusters,)."""
        scores = self.formulas({column: values.sum() - values for column, values in self.columns.items()})
        return {key: np.asarray(score, np.float64) for key, score in scores.items()}


def sum_scores(tally: UtteranceTally, keys: Sequence[str], average: str, zero_division: float) -> SumScores:
    """The columns and formulas of scores of sums: with `"micro"` none of types, with `"macro"` means of utterances' scores."""
    columns: dict[str, npt.NDArray[Any]]
    if average == "micro":
        names = dict.fromkeys(column for group in groups_of(keys) for column in group.columns)
        columns = {name: tally.sum_by_cluster(tally.columns[name]) for name in names}
        return SumScores(columns, lambda sums: compute_scores(sums, keys, zero_division))
    columns = {}
    averaged = tally.averaged(keys, zero_division)
    for key, values in averaged.items():
        columns[f"{key} sum"] = tally.sum_by_cluster(np.nan_to_num(values))
        columns[f"{key} count"] = tally.sum_by_cluster((~np.isnan(values)).astype(np.int64))
    # A count, of which there is no mean.
    counted = [SKIPPED] if SKIPPED in keys else []
    columns |= {key: tally.sum_by_cluster(tally.columns[key]) for key in counted}

    def means(sums: Mapping[str, Any]) -> dict[str, Score]:
        found = {key: divide(sums[f"{key} sum"], sums[f"{key} count"], zero_division) for key in averaged}
        found |= {key: sums[key] for key in counted}
        return {key: found[key] for key in keys}

    return SumScores(columns, means)


@dataclass(frozen=True)
class Sampled:
    """The scores of a system on a sample of utterances or clusters, and on others like it.

    Attributes:
        without: by key, the scores without each unit, float64 (n_units,).
        of_sums: those that are formulas of sums.
        replicates: by key, of these, the scores of resamples, float64 (n_resamples,); empty for a jackknife.
    """

    scores: Mapping[str, float]
    without: Mapping[str, Floats]
    of_sums: SumScores
    replicates: Mapping[str, Floats]


def sample(
    tallies: Sequence[UtteranceTally], keys: Sequence[str], zero_division: float, resampling: Resampling
) -> list[Sampled]:
    """The scores of systems on the same utterances or clusters; the same are drawn for all, none for a jackknife."""
    sum_keys, type_keys = split_keys(keys, resampling.average)
    of_sums = [sum_scores(tally, sum_keys, resampling.average, zero_division) for tally in tallies]
    replicates: list[dict[str, Floats]] = [{} for _ in tallies]
    if sum_keys and resampling.interval_method != "jackknife":
        replicates = _resampled_scores(of_sums, resampling.n_resamples, resampling.seed)
    sampled = []
    for tally, sums, drawn in zip(tallies, of_sums, replicates, strict=True):
        scores, without = sums.scores(), sums.jackknife()
        if type_keys:
            types = tally.cluster_types()
            scores |= plain_scores(types.lexicon_sizes(), type_keys, zero_division)
            left = compute_scores(lexicon_sizes_without(types), type_keys, zero_division)
            without |= {key: np.broadcast_to(np.asarray(values), len(types.ends)) for key, values in left.items()}
        sampled.append(Sampled({key: scores[key] for key in keys}, without, sums, drawn))
    return sampled


def intervals(sampled: Sampled, confidence: float) -> dict[str, tuple[float, float]]:
    """The interval of each score, in its range: the jackknife's for scores without replicates.

    nan where the score is nan, and where it is neither −1, 0 nor 1 and nothing varies: where all utterances or clusters score
    the same, or no word type occurs in one of them alone.
    """
    found = {}
    for key, score in sampled.scores.items():
        replicates = sampled.replicates.get(key)
        if replicates is None:
            found[key] = student_interval(score, sampled.without[key], confidence, group_of(key).range_of(key))
        elif lacks_variance(score, replicates):
            found[key] = math.nan, math.nan
        else:
            found[key] = quantile_interval(score, replicates, tails_of(confidence))
    return found


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


def _resampled_scores(systems: Sequence[SumScores], n_resamples: int, seed: int) -> list[dict[str, Floats]]:
    """The scores of resamples of the utterances of each system, float64 (n_resamples,); the same utterances are drawn for all."""
    # Columns that are the same for all, those of the reference, are summed once.
    table: dict[str, npt.NDArray[Any]] = {}
    names: list[dict[str, str]] = []
    for index, system in enumerate(systems):
        names.append({})
        for column, values in system.columns.items():
            is_shared = index > 0 and np.array_equal(values, systems[0].columns[column])
            names[index][column] = f"0 {column}" if is_shared else f"{index} {column}"
            table[names[index][column]] = values
    sums = resampled_sums(table, n_resamples, seed)
    found = []
    for system, columns in zip(systems, names, strict=True):
        scores = system.formulas({column: sums[name] for column, name in columns.items()})
        found.append({key: np.asarray(score, np.float64) for key, score in scores.items()})
    return found


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


def lacks_variance(score: float, replicates: Floats) -> bool:
    """Whether a score that is not extreme is the same in all replicates that are not nan, so that it has no interval."""
    defined = replicates[~np.isnan(replicates)]
    return not is_extreme(score) and bool(len(defined)) and float(np.ptp(defined)) <= ROUNDING


def quantile_interval(score: float, replicates: Floats, levels: tuple[float, float]) -> tuple[float, float]:
    """The quantiles of the replicates that are not nan; nan where there is none, or where the score is nan."""
    defined = replicates[~np.isnan(replicates)]
    if not len(defined) or math.isnan(score):
        return math.nan, math.nan
    low, high = np.quantile(defined, levels).tolist()
    return low, high
