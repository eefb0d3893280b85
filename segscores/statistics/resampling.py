"""Resampling: intervals for scores, from the counts of each utterance.

Conventions
-----------
- Utterances are taken for a sample, drawn independently from a population of utterances: from the speakers, the books or the
  newspapers that the corpus stands for. Where they are not independent, clusters of them are drawn (see `clusters`). What an
  interval is for is the expected score of a sample of as many utterances.
- A seed fixes everything. The same utterances are drawn whatever scores are asked for, so that a score has the same
  interval in any company, and differences between scores of one seed are paired.

Scores of sums
--------------
A resample has as many utterances as the corpus, drawn with replacement; how often it has each is a row of multinomial
weights. The sums of all resamples are the product of these weights with the columns, and the formulas turn them into
scores. The percentile interval lies between the quantiles (1 ∓ confidence)/2 of those. BCa moves the quantiles for bias, by
z₀ from the share of resamples below the score, and for skew, by the acceleration a = Σ dᵢ³ / (6 (Σ dᵢ²)^1.5) with
dᵢ = θ̄ − θ₍ᵢ₎, where θ₍ᵢ₎ is the score without utterance i: the formulas on the sums less each row.

The jackknife interval draws nothing. Its standard error is the root of (n − 1)/n Σ dᵢ², its quantiles those of Student's t, and
it is symmetric in the log-odds for scores in [0, 1]. How many degrees of freedom this variance has depends on how evenly it is
spread over the rows: 2 (Σ dᵢ²)² / (Σ dᵢ⁴ − (Σ dᵢ²)²/n), at most n − 1, which are those of a χ² with the mean and the variance of
Σ dᵢ² (Satterthwaite). Where a few long documents weigh most, or there are few utterances, it holds the truth more often than the
percentiles.

The macro average is a score of sums too: of the utterances' scores, and of how many have one.

Type scores
-----------
Their truth is the expected score of a corpus of as many utterances: it goes on changing with the size, so without a size
there is none. A resample has 63 % of the utterances, and so a smaller lexicon: the replicates lie around the score of a
smaller corpus, and the bootstrap's interval often excludes the score itself. The score is unbiased for that truth, so its
standard error is enough, and that has a closed form.

The jackknife's variance is (n − 1)/n Σ dᵢ², where a type counts in the utterance that alone has it. In the mean it is never
too small (Efron & Stein), but too large by up to a half where many types are rare. For a number L that is linear in the
numbers of types that are absent from a side or from both (a score is one, except for terms of second order in its errors), and
a Poisson number of utterances, the variance is exactly the mean of

    Σ_U (−1)^(k+1) L_U²,   over the sets U of k ≥ 1 utterances,

where L_U is the part in L of the types that occur in the utterances U and in no other. The terms with k = 1 are the
jackknife's; those from k = 2 on correct it. For a single lexicon whose types occur apart from each other they are the
numbers f_k of types in k utterances, f₁ − f₂ + f₃ − …, which is Good and Toulmin's estimate of how many types as many more
utterances would add. (A type in x utterances in the mean is there with the variance e⁻ˣ(1 − e⁻ˣ) = e⁻ˣ(x − x²/2! + …), and
xᵏe⁻ˣ/k! is the probability of k utterances.) Terms of many utterances are noise; Efron and Thisted's weights,
P(Binomial(8, ½) ≥ k), keep them small.

The interval is symmetric in the log-odds, so that it stays within 0 and 1. A score of 0 or 1 has no width. Nor is an
interval to be trusted where a score is so close to 1 that it hangs on fewer than some five types.

The series is an application of the Fock-space representation of the variance of a functional of a Poisson process (Last &
Penrose): its terms are the squares of iterated differences, here those of taking out k utterances, an iterated jackknife.
Quantiles are of Student's t with one degree of freedom less than there are utterances or clusters. Where no type that counts
occurs in one of them alone, the error cannot be estimated and there is no interval. A segmenter that learns as it goes makes
utterances depend on the ones before; neither resampling nor this allows for that.

Sources
-------
Last & Penrose (2011), Probability Theory and Related Fields 150:663-690 (arXiv 0909.3205, Theorem 1.1). Efron & Tibshirani
(1993), An Introduction to the Bootstrap, ch. 13 and 14. Efron & Stein (1981), Annals of Statistics 9:586-596. Good &
Toulmin (1956), Biometrika 43:45-63. Efron & Thisted (1976), Biometrika 63:435-447. That the bootstrap of a number of kinds
is biased: Smith & van Belle (1984), Biometrics 40:119-129. Intervals in log-odds: Brown, Cai & DasGupta (2001), Statistical
Science 16:101-133. Degrees of freedom of an estimate of variance: Satterthwaite (1946), Biometrics Bulletin 2:110-114.
"""

from __future__ import annotations

__all__ = [
    "AVERAGES",
    "METHODS",
    "Resampled",
    "SumScores",
    "bootstrap_scores",
    "check_resampling",
    "check_utterances",
    "freedom_of",
    "intervals",
    "intervals_of",
    "is_constant",
    "lacks_variance",
    "levels_of",
    "log_odds_interval",
    "quantile_interval",
    "resample",
    "resampled_scores",
    "resampled_sums",
    "split_keys",
    "sum_scores",
    "type_standard_errors",
    "whole_ranges",
    "width_of",
]

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..kernel.errors import OptionError
from ..kernel.formulas import Count, Score, check_zero_division, divide
from ..kernel.integers import check_integer
from ..kernel.parallel import map_in_order
from ..measures.registry import compute_scores, group_of, groups_of
from ..scoring.utterance_tally import PREDICTION, REFERENCE, SKIPPED, TypeIncidence, UtteranceTally
from .clusters import check_count
from .distributions import student_quantile
from .products import multiply

Floats: TypeAlias = npt.NDArray[np.float64]
#: The sizes of one system's lexicons, by column.
Sizes: TypeAlias = Mapping[str, Count | Score]
#: From the sizes of each system's lexicons to what is estimated, by key.
TypeStatistic: TypeAlias = Callable[[Sequence[Sizes]], Mapping[str, Score]]

METHODS = ("percentile", "bca", "jackknife")
AVERAGES = ("micro", "macro")

#: More resamples change no digit that is printed; their scores, at eight bytes each, still fit into memory.
MOST_RESAMPLES = 1_000_000
#: Seeds are of 64 bits, as those of other libraries.
LARGEST_SEED = (1 << 64) - 1

# Rows that are drawn from together, and weights made at a time: they stay in the processor's cache. Both are a part of what
# a seed stands for.
_ROWS_A_BLOCK, _WEIGHTS_AT_ONCE = 1 << 13, 1 << 17

# Pairs of utterance and type that are counted at a time: so many numbers of eight bytes are some tens of megabytes.
_PAIRS_AT_ONCE = 1 << 22

# Scores that are equal by the definition may differ by so much.
_ROUNDING = 1e-12

# The largest level below 1; that of a confidence next to 1 is rounded to 1, whose quantile is infinite.
_LARGEST_LEVEL = 1 - 2.0**-53

#: P(Binomial(8, ½) ≥ k) for k = 0 … 8, and 0 for any more.
_SMOOTHING = np.array([256, 255, 247, 219, 163, 93, 37, 9, 1, 0]) * 0.5**8


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
    """The columns and formulas of scores of sums.

    Args:
        tally: has the counts for them.
        keys: names of scores; with `"micro"` none of types.
        average: `"micro"`, the formulas on the sums of the counts, or `"macro"`, the mean of the utterances' scores.
        zero_division: the value of 0/0.
    """
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


def bootstrap_scores(
    tally: UtteranceTally,
    keys: Sequence[str],
    *,
    n_resamples: int = 1000,
    seed: int = 0,
    average: str = "micro",
    zero_division: float = 0.0,
) -> dict[str, Floats]:
    """The scores of resamples of the utterances.

    Args:
        tally: of at least two utterances.
        keys: names of scores that are formulas of sums, so none of types, except with `average="macro"`.
        n_resamples: how many.
        seed: an integer from 0.
        average: `"micro"` for scores of the corpus, `"macro"` for the mean over its utterances.
        zero_division: the value of 0/0, in [0, 1] or nan.

    Returns:
        Key → float64 (n_resamples,). The naive equivalent is `tally.take(drawn).scores(…)`, with `drawn` as many utterances
        drawn with replacement, n_resamples times.

    Raises:
        TypeError, ValueError: a bad option, fewer than two utterances, or scores of types.
    """
    check_resampling(n_resamples=n_resamples, seed=seed, average=average, zero_division=zero_division)
    check_utterances(tally, keys)
    type_keys = split_keys(keys, average)[1]
    if type_keys:
        raise ValueError(
            f"{type_keys[0]} is not a score of sums, and a resample has a smaller lexicon than the corpus: use intervals."
        )
    return resampled_scores([sum_scores(tally, keys, average, zero_division)], n_resamples, seed)[0]


def intervals(
    tally: UtteranceTally,
    keys: Sequence[str],
    *,
    confidence: float = 0.95,
    n_resamples: int = 1000,
    seed: int = 0,
    method: str = "percentile",
    average: str = "micro",
    zero_division: float = 0.0,
) -> dict[str, tuple[float, float]]:
    """The interval of each score.

    Args:
        tally: of at least two utterances.
        keys: names of scores, of groups that were tallied.
        confidence: the share of such intervals that hold the truth, in (0, 1).
        n_resamples: how many resamples the intervals of scores of sums are taken from.
        seed: an integer from 0.
        method: `"percentile"`, `"bca"` or `"jackknife"`, for scores of sums; the intervals of type scores are always the
            jackknife's.
        average: `"micro"` for scores of the corpus, `"macro"` for the mean over its utterances.
        zero_division: the value of 0/0, in [0, 1] or nan. Resamples with nan are left out.

    Returns:
        Key → (low, high), in the range of the score; nan where the score is nan, and where it is neither −1, 0 nor 1 and
        nothing varies: where all utterances or clusters score the same, or no word type occurs in one of them alone.

    Raises:
        TypeError, ValueError: a bad option, or fewer than two utterances.

    >>> from segscores.scoring.utterance_tally import UtteranceTally
    >>> counts = {"token_matched": [3, 1, 4, 2], "token_reference": [4, 4, 5, 2], "token_predicted": [4, 4, 4, 4]}
    >>> columns = {"utterances": np.ones(4, np.int64)} | {column: np.array(values) for column, values in counts.items()}
    >>> low, high = intervals(UtteranceTally(columns), ["token_recall"])["token_recall"]
    >>> bool(0.25 <= low < 10 / 15 < high <= 1)
    True
    """
    check_resampling(
        confidence=confidence, n_resamples=n_resamples, seed=seed, average=average, zero_division=zero_division
    )
    if not isinstance(method, str) or method not in METHODS:
        raise ValueError(f"unknown method {method!r}: expected {' or '.join(map(repr, METHODS))}.")
    check_utterances(tally, keys)
    count = 0 if method == "jackknife" else n_resamples
    sums = resample([tally], keys, n_resamples=count, seed=seed, average=average, zero_division=zero_division)
    return intervals_of(
        tally, keys, sums[0], confidence=confidence, method=method, average=average, zero_division=zero_division
    )


@dataclass(frozen=True)
class Resampled:
    """Scores of sums, and what they are in resamples.

    Attributes:
        of_sums: the columns and formulas.
        scores: by key, of the corpus.
        replicates: by key, of the resamples, float64 (n_resamples,).
    """

    of_sums: SumScores
    scores: Mapping[str, float]
    replicates: Mapping[str, Floats]


def resample(
    tallies: Sequence[UtteranceTally],
    keys: Sequence[str],
    *,
    n_resamples: int,
    seed: int,
    average: str,
    zero_division: float,
) -> list[Resampled]:
    """The scores of sums of several systems in resamples of the utterances, which are drawn once for all.

    Args:
        tallies: of the systems, with as many utterances or clusters each.
        keys: names of scores; those of types are left out.
        n_resamples, seed, average, zero_division: as in `intervals`.
    """
    sum_keys, _ = split_keys(keys, average)
    if not sum_keys:
        return [Resampled(SumScores({}, lambda _: {}), {}, {}) for _ in tallies]
    of_sums = [sum_scores(tally, sum_keys, average, zero_division) for tally in tallies]
    replicates = resampled_scores(of_sums, n_resamples, seed)
    return [Resampled(side, side.scores(), values) for side, values in zip(of_sums, replicates, strict=True)]


def intervals_of(
    tally: UtteranceTally,
    keys: Sequence[str],
    resampled: Resampled,
    *,
    confidence: float,
    method: str,
    average: str,
    zero_division: float,
) -> dict[str, tuple[float, float]]:
    """`intervals`, from resamples that were drawn."""
    sum_keys, type_keys = split_keys(keys, average)
    found: dict[str, tuple[float, float]] = {}
    jackknife = resampled.of_sums.jackknife() if method != "percentile" else {}
    for key in sum_keys:
        score = resampled.scores[key]
        if method == "jackknife":
            found[key] = _jackknife_interval(score, jackknife[key], confidence, group_of(key).range_of(key))
            continue
        replicates = resampled.replicates[key]
        if lacks_variance(score, replicates):
            found[key] = math.nan, math.nan
            continue
        levels = levels_of(confidence)
        if method == "bca":
            levels = _bca_levels(levels, score, replicates, jackknife[key])
        found[key] = quantile_interval(score, replicates, levels)
    if type_keys and tally.types is not None:
        values = compute_scores(tally.types.lexicon_sizes(), type_keys, zero_division)
        errors = type_standard_errors(
            tally.cluster_types(),
            (PREDICTION,),
            lambda sizes: compute_scores(sizes[0], type_keys, zero_division),  # type: ignore[arg-type]
        )
        for key in type_keys:
            found[key] = log_odds_interval(float(values[key]), errors[key], confidence, tally.scored_clusters() - 1)
    return {key: found[key] for key in keys}


def check_resampling(
    *, n_resamples: int, seed: int, average: str, zero_division: float, confidence: float = 0.95
) -> None:
    """Check the options of a resampling.

    Raises:
        TypeError: an option of the wrong type.
        ValueError: confidence outside (0, 1), no resample, a seed below 0, or an unknown average.
    """
    check_zero_division(zero_division)
    if not isinstance(average, str) or average not in AVERAGES:
        raise ValueError(f"unknown average {average!r}: expected 'micro' or 'macro'.")
    check_integer("n_resamples", n_resamples, least=1, most=MOST_RESAMPLES, what="an integer")
    check_integer("seed", seed, least=0, most=LARGEST_SEED, what="an integer")
    if isinstance(confidence, bool) or not isinstance(confidence, (int, float, np.integer, np.floating)):
        raise TypeError(f"confidence: expected a number between 0 and 1, received {confidence!r}.")
    if not 0 < confidence < 1:
        hint = f" Did you mean {confidence / 100!r}?" if 1 < confidence < 100 else ""
        raise OptionError(
            "confidence", f"expected a number between 0 and 1, such as 0.95, received {confidence!r}.{hint}"
        )


def check_utterances(tally: UtteranceTally, keys: Sequence[str]) -> None:
    """Check that there are utterances enough, and counts for the scores.

    Raises:
        ValueError: there are fewer than two, or the tally lacks the counts of a score.
    """
    tally.check_keys(keys)
    check_count(tally.scored_clusters(), "utterance" if tally.clusters is None else "cluster")


def levels_of(confidence: float) -> tuple[float, float]:
    """The levels of the quantiles at the two ends of an interval.

    >>> levels_of(0.5)
    (0.25, 0.75)
    """
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

    Args:
        found: intervals by key.
        confidence: of the intervals, and the share of the range.
        of_differences: whether they are those of differences of scores, whose range is twice as wide.

    >>> whole_ranges({"token_fscore": (0.01, 0.99), "type_fscore": (0.1, 0.9)}, 0.95)
    ['token_fscore']
    """
    factor = 2 * confidence if of_differences else confidence
    return [key for key, (low, high) in found.items() if high - low >= factor * width_of(key)]


def log_odds_interval(score: float, error: float, confidence: float, freedom: float = math.inf) -> tuple[float, float]:
    """The interval of a score in [0, 1] that is symmetric in the log-odds.

    Args:
        score: nan gives nan.
        error: the standard error of the score; where it is 0, a score other than -1, 0 and 1 has no interval: nan.
        confidence: in (0, 1).
        freedom: degrees of freedom of Student's t, one less than there are utterances or clusters.

    >>> [round(bound, 3) for bound in log_odds_interval(0.9, 0.05, 0.95)]
    [0.752, 0.964]
    """
    if math.isnan(score) or math.isnan(error) or (error == 0 and not _is_extreme(score)):
        return math.nan, math.nan
    deviation = student_quantile(levels_of(confidence)[1], freedom)
    # By what the odds are multiplied; where the log-odds have no error that is finite, the score is 0 or 1.
    factor = math.exp(min(700.0, float(divide(deviation * error, score * (1 - score), 0.0))))
    low = divide(score, score + (1 - score) * factor, score)
    high = divide(score * factor, score * factor + 1 - score, score)
    return float(low), float(high)


def freedom_of(values: Floats) -> float:
    """The degrees of freedom of the jackknife's variance of a score, as the module's text gives them.

    Args:
        values: (n,), the scores without each row; those that are nan are left out.

    Returns:
        At most n − 1; n − 1 where nothing varies.

    >>> freedom_of(np.arange(20) / 20), round(freedom_of(np.append(np.arange(20) / 20, 3.0)), 1)
    (19.0, 3.9)
    """
    defined = values[~np.isnan(values)]
    squares = np.square(defined - defined.mean()) if len(defined) else defined
    most = max(1.0, len(defined) - 1.0)
    total = float(squares.sum())
    spread = float(np.square(squares).sum()) - total * total / max(1, len(defined))
    if spread <= 0 or total <= 0 or float(np.ptp(defined)) <= _ROUNDING:
        return most
    return min(most, max(1.0, 2 * total * total / spread))


def _jackknife_interval(
    score: float, values: Floats, confidence: float, ends: tuple[float, float]
) -> tuple[float, float]:
    """The interval of a score from the scores without each row, within the range of the score."""
    defined = values[~np.isnan(values)]
    if math.isnan(score) or len(defined) < 2:
        return math.nan, math.nan
    error = math.sqrt((len(defined) - 1) * float(defined.var()))
    error = 0.0 if float(np.ptp(defined)) <= _ROUNDING else error
    freedom = freedom_of(defined)
    if ends == (0.0, 1.0):
        return log_odds_interval(score, error, confidence, freedom)
    if error == 0 and not _is_extreme(score):
        return math.nan, math.nan
    margin = student_quantile(levels_of(confidence)[1], freedom) * error
    return max(ends[0], score - margin), min(ends[1], score + margin)


def _is_extreme(score: float) -> bool:
    """Whether a score is −1, 0 or 1: if every utterance has such a score, it does not vary in the population either."""
    return min(abs(score), abs(abs(score) - 1)) <= _ROUNDING


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


def resampled_scores(systems: Sequence[SumScores], n_resamples: int, seed: int) -> list[dict[str, Floats]]:
    """The scores of resamples of the utterances of each system, float64 (n_resamples,); the same utterances are drawn for all.

    Args:
        systems: with the same number of rows.
        n_resamples: how many.
        seed: an integer from 0.
    """
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


def is_constant(replicates: Floats) -> bool:
    """Whether all replicates (none of them nan) are the same, except for rounding; False if there are none."""
    return bool(len(replicates)) and float(np.ptp(replicates)) <= _ROUNDING


def lacks_variance(score: float, replicates: Floats) -> bool:
    """Whether a score that is not extreme is the same in all replicates that are not nan, so that it has no interval."""
    return not _is_extreme(score) and is_constant(replicates[~np.isnan(replicates)])


def quantile_interval(score: float, replicates: Floats, levels: tuple[float, float]) -> tuple[float, float]:
    """The quantiles of the replicates that are not nan; nan where there is none, or where the score is nan."""
    defined = replicates[~np.isnan(replicates)]
    if not len(defined) or math.isnan(score):
        return math.nan, math.nan
    low, high = np.quantile(defined, levels).tolist()
    return low, high


def type_standard_errors(
    incidence: TypeIncidence, systems: Sequence[int], statistic: TypeStatistic, *, corrected: bool = True
) -> dict[str, float]:
    """The standard errors of statistics of lexicon sizes, as the module's text describes them.

    Args:
        incidence: its sides have the bit REFERENCE, and a bit for each system.
        systems: the bits of the systems.
        statistic: from the columns of type scores of each system, which may be arrays, to values by key.
        corrected: whether to correct the jackknife's variance for its bias.

    Returns:
        Plain floats by key, the roots of the variances. Where the jackknife has no variance, or the correction would leave
        none, there is no correction.
    """
    counts = _count_patterns(incidence, 1 << (1 + len(systems)))
    incidence = _without_frequent(incidence, counts, (REFERENCE, *systems))
    variances = {
        key: 0.0 if is_constant(values) else float(values.var()) * (len(values) - 1)
        for key, values in _type_jackknife(incidence, counts, systems, statistic).items()
    }
    if corrected:
        sets, slopes = _slopes_of_absences(counts, systems, statistic)
        form = _higher_terms(incidence, counts, sets)
        for key, variance in variances.items():
            less = variance + float(slopes[key] @ form @ slopes[key])
            variances[key] = less if variance > 0 and less > 0 else variance
    return {key: math.sqrt(variance) for key, variance in variances.items()}


def _count_patterns(incidence: TypeIncidence, patterns: int) -> npt.NDArray[np.int64]:
    """In how many utterances a type is on just these sides, int64 (n_types, n_patterns)."""
    counts = np.zeros(len(incidence.types) * patterns, np.int64)
    for start in range(0, len(incidence.ids), _PAIRS_AT_ONCE):
        some = slice(start, start + _PAIRS_AT_ONCE)
        counts += np.bincount(incidence.ids[some] * np.int64(patterns) + incidence.sides[some], minlength=len(counts))
    return counts.reshape(-1, patterns)


def _without_frequent(incidence: TypeIncidence, counts: npt.NDArray[np.int64], sides: Sequence[int]) -> TypeIncidence:
    """The pairs of types that are in few utterances of a side: no other changes a term of the variances."""
    is_few = np.zeros(len(counts), bool)
    for side in sides:
        on_side = _count_utterances(counts, side)
        is_few |= (on_side > 0) & (on_side < len(_SMOOTHING))
    kept = np.flatnonzero(is_few[incidence.ids])
    return TypeIncidence(
        incidence.types, np.searchsorted(kept, incidence.ends), incidence.ids[kept], incidence.sides[kept]
    )


def _utterances_of(incidence: TypeIncidence, pairs: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The utterances of a few pairs, by index."""
    found: npt.NDArray[np.int64] = np.searchsorted(incidence.ends, pairs, side="right")
    return found


def _type_jackknife(
    incidence: TypeIncidence, counts: npt.NDArray[np.int64], systems: Sequence[int], statistic: TypeStatistic
) -> dict[str, Floats]:
    """The statistics of the corpus without each utterance, (n_utterances,)."""
    size = len(incidence.ends)

    def on(side: int) -> npt.NDArray[np.int64]:
        return _count_utterances(counts, side)

    def lost(side: int) -> npt.NDArray[np.bool_]:
        """The pairs with the only utterance of a type on a side."""
        is_only: npt.NDArray[np.bool_] = on(side) == 1
        pairs: npt.NDArray[np.bool_] = is_only[incidence.ids] & (incidence.sides & side > 0)
        return pairs

    def total_without(total: int, pairs: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        return total - np.bincount(_utterances_of(incidence, np.flatnonzero(pairs)), minlength=size)

    in_reference, lost_reference = on(REFERENCE) > 0, lost(REFERENCE)
    reference = total_without(int(in_reference.sum()), lost_reference)
    sizes = []
    for system in systems:
        in_system, lost_system = on(system) > 0, lost(system)
        matched = in_reference & in_system
        sizes.append(
            {
                "type_matched": total_without(
                    int(matched.sum()), matched[incidence.ids] & (lost_reference | lost_system)
                ),
                "type_predicted": total_without(int(in_system.sum()), lost_system),
                "type_reference": reference,
            }
        )
    return {key: np.broadcast_to(np.asarray(value, np.float64), size) for key, value in statistic(sizes).items()}


def _slopes_of_absences(
    counts: npt.NDArray[np.int64], systems: Sequence[int], statistic: TypeStatistic
) -> tuple[list[int], dict[str, Floats]]:
    """The sets of sides, and by how much a statistic changes when one more type is absent from all sides of a set.

    With A(S) = 1 where a type is on no side of S, it is in the reference as 1 − A(R), predicted as 1 − A(P), and matched as
    1 − A(R) − A(P) + A(R ∪ P).
    """
    present = {side: _count_utterances(counts, side) > 0 for side in (REFERENCE, *systems)}
    sizes = {(REFERENCE, "type_reference"): float(present[REFERENCE].sum())}
    for system in systems:
        sizes[system, "type_predicted"] = float(present[system].sum())
        sizes[system, "type_matched"] = float((present[system] & present[REFERENCE]).sum())
    # Half up and half down: the difference is the slope, except for terms of third order.
    steps = np.concatenate((np.eye(len(sizes)), -np.eye(len(sizes)))) * 0.5
    moved = {name: size + steps[:, index] for index, (name, size) in enumerate(sizes.items())}
    values = statistic(
        [
            {
                "type_matched": moved[system, "type_matched"],
                "type_predicted": moved[system, "type_predicted"],
                "type_reference": moved[REFERENCE, "type_reference"],
            }
            for system in systems
        ]
    )
    sets = [REFERENCE, *systems, *(REFERENCE | system for system in systems)]
    slopes = {}
    for key, value in values.items():
        up, down = np.split(np.broadcast_to(np.asarray(value, np.float64), 2 * len(sizes)), 2)
        by_name = dict(zip(sizes, up - down, strict=True))
        of_set = dict.fromkeys(sets, 0.0)
        of_set[REFERENCE] -= by_name[REFERENCE, "type_reference"]
        for system in systems:
            matched = by_name[system, "type_matched"]
            of_set[REFERENCE] -= matched
            of_set[system] -= by_name[system, "type_predicted"] + matched
            of_set[REFERENCE | system] += matched
        slopes[key] = np.array([of_set[sides] for sides in sets])
    return sets, slopes


def _higher_terms(incidence: TypeIncidence, counts: npt.NDArray[np.int64], sets: Sequence[int]) -> Floats:
    """The terms from k = 2 on of the estimate of the covariances of the numbers of types absent from each set of sides.

    Args:
        incidence: the pairs.
        counts: as `_count_patterns` gives them.
        sets: sets of sides, as bits.

    Returns:
        float64 (n_sets, n_sets): Σ_U (−1)^(k+1) P(Binomial(8, ½) ≥ k) N(S, U) N(T, U) over the sets U of k ≥ 2 utterances,
        where N(S, U) is the number of types that are on a side of S in the utterances U and in no other.
    """
    # A set of utterances is known by the sum of their random numbers, modulo 2⁶⁴.
    numbers = np.random.default_rng(0).integers(0, 1 << 64, len(incidence.ends), np.uint64)
    found = []
    for index, some in enumerate(sets):
        on_side = _count_utterances(counts, some)
        is_few = (on_side >= 2) & (on_side < len(_SMOOTHING))
        pairs = np.flatnonzero(is_few[incidence.ids] & (incidence.sides & some > 0))
        ids = incidence.ids[pairs]
        order = np.argsort(ids, kind="stable")
        few = on_side[is_few]
        running = np.cumsum(numbers[_utterances_of(incidence, pairs[order])], dtype=np.uint64)
        sums = np.diff(running[np.cumsum(few) - 1], prepend=np.uint64(0))
        found.append((sums, few, np.full(len(few), index)))
    sums_found, counts_found, set_found = (np.concatenate(values) for values in zip(*found, strict=True))
    _, firsts, which = np.unique(sums_found, return_index=True, return_inverse=True)
    numbers_of_types = np.bincount(which * len(sets) + set_found, minlength=len(firsts) * len(sets))
    table = numbers_of_types.reshape(-1, len(sets)).astype(np.float64)
    sizes = counts_found[firsts]
    weights = np.where(sizes % 2, 1.0, -1.0) * _SMOOTHING[sizes]
    form: Floats = table.T @ (table * weights[:, None])
    return form


def _count_utterances(counts: npt.NDArray[np.int64], sides: int) -> npt.NDArray[np.int64]:
    """The number of utterances that have each type on any of these sides."""
    numbers: npt.NDArray[np.int64] = counts[:, np.arange(counts.shape[1]) & sides > 0].sum(axis=1)
    return numbers


def _bca_levels(
    levels: tuple[float, float], score: float, replicates: Floats, jackknife: Floats
) -> tuple[float, float]:
    """The levels of the quantiles that BCa takes in the place of the percentile method's."""
    normal = NormalDist()
    defined = replicates[~np.isnan(replicates)]
    # Half of those that are equal except for rounding; kept off 0 and 1, where the deviation is infinite.
    is_equal = np.abs(defined - score) <= _ROUNDING
    below = float(np.sum((defined < score) & ~is_equal)) + 0.5 * float(np.sum(is_equal))
    share = float(divide(min(max(below, 0.5), len(defined) - 0.5), len(defined), 0.5))
    bias = normal.inv_cdf(share)
    kept = jackknife[~np.isnan(jackknife)]
    deviations = kept.mean() - kept if len(kept) else kept
    acceleration = divide(float((deviations**3).sum()), 6 * float((deviations**2).sum()) ** 1.5, 0.0)

    def moved(level: float) -> float:
        deviation = bias + normal.inv_cdf(min(level, _LARGEST_LEVEL))
        return normal.cdf(bias + float(divide(deviation, 1 - acceleration * deviation, 0.0)))

    return moved(levels[0]), moved(levels[1])
