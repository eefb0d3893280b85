"""Meta-evaluation: the agreement of scores with an external criterion, and with themselves on another test set.

Conventions
-----------
- A system is a segmenter. Scores of systems are sequences of numbers in the same order of systems.
- A correlation needs at least MIN_SYSTEMS systems: for two systems it is always 1 or −1.
- The correlation with a constant is undefined: nan. Values that differ by no more than rounding count as constant.
- References come before the systems' predictions in arguments.

What is computed
----------------
`correlate`: Pearson's r, Spearman's rho and Kendall's tau-b between each score and a criterion (human judgement, retrieval
quality), with two-sided p-values for the hypothesis of no correlation. The p-value of r uses Student's t. The p-values of
rho and tau use permutations of the criterion: all of them for up to MOST_EXACT systems, so the p-values are exact, and
RANDOM_PERMUTATIONS random ones for more, including the observed order. (For a perfect ranking of 3 systems the t
approximation gives p = 0; the exact p is 1/3.) `score_comparison` defines the interval of r, and Williams' test of each
score's |r| against that of the score that correlates best.

`correlate_utterances`: the same from scores of utterances, with BOOT-BOTH and PERM-BOTH. Williams' test knows only n systems;
PERM-BOTH has more power if utterances agree about a difference.

`agreement_of_tallies`: the parallel-test experiment. The utterances are split at random into two halves of equal size (for an odd
number, the first half has one fewer), and all systems are scored on both. The agreement of a score is Pearson's r, over the
systems, of its values on the two halves. This is repeated for many splits. The counts of a half are sums over utterances,
so a matrix of splits times a matrix of counts gives the counts of every half at once, and no utterance is compared twice.
Type scores are left out, because lexicons are sets and cannot be added.

Sources
-------
Jiang et al. (2011), PACLIC, Table 4: the correlation with retrieval quality. Qian, Qiu & Huang (2016), ACL, Sections 5.1
and 5.3: correlations with human judgement, and of two halves. They split once and do not say what they split; this module
splits utterances.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations, permutations
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..kernel.formulas import Score, divide
from ..measures.registry import DEFAULT_SCORES, GROUPS, SELECTIONS, group_of
from ..options.keywords import ScoringOptions
from ..options.table import OPTIONS, check_options
from ..scoring.options import Plan
from .clusters import read_clusters
from .jackknife import student_p
from .score_comparison import boot_both, pearson, perm_both, williams

if TYPE_CHECKING:
    from typing_extensions import Unpack

Floats: TypeAlias = npt.NDArray[np.float64]
Tallies: TypeAlias = Mapping[str, npt.NDArray[np.int64]]

MIN_SYSTEMS = 3
#: The largest number of systems for which all permutations are tried, and the number of random permutations for more systems.
MOST_EXACT, RANDOM_PERMUTATIONS = 9, 10_000

#: Values whose relative difference is at most this are ties.
_ROUNDING = 1e-11

#: Cells of the matrix of splits in memory at a time: 32 MB.
_CELLS_AT_ONCE = 1 << 22


@dataclass(frozen=True)
class Correlation:
    """The agreement of a score with a criterion over n systems; the p-values are two-sided.

    Attributes:
        score: its name.
        pearson, pearson_low, pearson_high, pearson_p: Pearson's r, its interval over systems, and its p-value.
        spearman, spearman_p: Spearman's rho.
        kendall, kendall_p: Kendall's tau-b.
        williams_p: of Williams' test against the score with the largest |r|; nan for that score itself, and for three systems.
        n: the number of systems.
    """

    score: str
    pearson: float
    pearson_low: float
    pearson_high: float
    pearson_p: float
    spearman: float
    spearman_p: float
    kendall: float
    kendall_p: float
    williams_p: float
    n: int


@dataclass(frozen=True)
class UtteranceCorrelation(Correlation):
    """The agreement of a score of utterances with a criterion; the interval is over systems and utterances.

    Attributes:
        utterances: their number.
        perm_both_p: of PERM-BOTH against the score with the largest |r|; nan for that score itself.
    """

    utterances: int
    perm_both_p: float


@dataclass(frozen=True)
class Agreement:
    """The agreement of a score with itself on another half of a test set.

    Attributes:
        score: its key.
        mean: the mean of Pearson's r over the splits, in [−1, 1]; nan if r is undefined for every split.
        deviation: the standard deviation of r over the splits (of a sample, n − 1); nan if r is defined for fewer than two.
        splits: the number of splits with a defined r; r is undefined if all systems have the same score on a half.
        systems: the number of systems.
    """

    score: str
    mean: float
    deviation: float
    splits: int
    systems: int


def correlate(
    scores: Mapping[str, Sequence[float]],
    criterion: Sequence[float],
    *,
    confidence: float = 0.95,
    n_resamples: int = 1000,
    seed: int = 0,
) -> list[Correlation]:
    """Correlate scores with a criterion over systems.

    Args:
        scores: the values of each score, by name, one per system.
        criterion: a value per system, in the same order.
        confidence, n_resamples, seed: of the intervals, as in `resampling.intervals`.

    Returns:
        One row per score, the largest |Pearson's r| first, undefined ones last, ties in the given order.

    Raises:
        TypeError: an option of the wrong type.
        ValueError: no score, fewer than MIN_SYSTEMS systems, lengths that differ, a value that is not finite, or a bad option.

    >>> rows = correlate({"a": [1, 2, 4, 3], "b": [4, 3, 2, 1], "c": [5, 5, 5, 5]}, [1, 2, 3, 4])
    >>> [(row.score, round(row.pearson, 2), round(row.spearman, 2)) for row in rows]
    [('b', -1.0, -1.0), ('a', 0.8, 0.8), ('c', nan, nan)]
    """
    if not scores:
        raise ValueError("there is nothing to correlate: expected at least one score, received none.")
    target = _read_values("the criterion", criterion)
    _check_system_count(len(target))
    columns: dict[str, Floats] = {}
    for name, values in scores.items():
        column = _read_values(f"the score {name!r}", values)
        if len(column) != len(target):
            raise ValueError(
                f"the score {name!r} has {len(column)} values and the criterion {len(target)}: expected one per system."
            )
        columns[name] = column
    orders = _permutations(len(target))
    resampling = {"confidence": confidence, "n_resamples": n_resamples, "seed": seed}
    rows = [_correlation(name, column, target, orders, resampling) for name, column in columns.items()]
    rows.sort(key=lambda row: math.inf if math.isnan(row.pearson) else -abs(row.pearson))
    return [rows[0], *(_against_best(row, rows[0], columns, target) for row in rows[1:])]


def correlate_utterances(
    scores: Mapping[str, Any],
    criterion: Any,
    *,
    confidence: float = 0.95,
    n_resamples: int = 1000,
    n_trials: int = 1000,
    seed: int = 0,
) -> list[UtteranceCorrelation]:
    """Correlate scores of utterances with a criterion over systems.

    Args:
        scores: by name, float (n_systems, n_utterances).
        criterion: float (n_systems, n_utterances), or (n_systems,) if it judges whole systems.
        confidence, n_resamples: of the intervals over systems and utterances, as in `score_comparison.boot_both`.
        n_trials: of PERM-BOTH.
        seed: of both, an integer from 0.

    Returns:
        As `correlate` of the means over utterances.

    >>> scores = {"a": [[1, 2], [2, 2], [4, 3]], "b": [[1, 0], [3, 1], [0, 2]]}
    >>> [(row.score, round(row.pearson, 2), row.utterances) for row in correlate_utterances(scores, [1, 2, 3])]
    [('a', 0.96, 2), ('b', 0.33, 2)]
    """
    target = np.asarray(criterion, np.float64)
    tables = {name: np.asarray(values, np.float64) for name, values in scores.items()}
    for name, table in tables.items():
        if table.ndim != 2 or table.shape[:1] != target.shape[:1] or target.shape[1:] not in ((), table.shape[1:]):
            raise ValueError(
                f"the score {name!r} has the shape {table.shape} and the criterion {target.shape}: expected (n_systems, "
                f"n_utterances), for the criterion also (n_systems,)."
            )
    means = {name: table.mean(axis=1) for name, table in tables.items()}
    goal: Any = target.mean(axis=1) if target.ndim > 1 else target
    # Its intervals over systems are replaced, so that one resample is enough.
    rows = correlate(means, goal, n_resamples=1)
    found = []
    for row in rows:
        low, high, p_value = math.nan, math.nan, math.nan
        if not math.isnan(row.pearson):
            table = tables[row.score]
            low, high = boot_both(table, target, confidence=confidence, n_resamples=n_resamples, seed=seed)
            if row is not rows[0]:
                p_value = perm_both(*_rising(tables, rows[0], row), target, n_trials=n_trials, seed=seed)
        fields = asdict(row) | {"pearson_low": low, "pearson_high": high}
        found.append(UtteranceCorrelation(**fields, utterances=tables[row.score].shape[1], perm_both_p=p_value))
    return found


def _correlation(
    name: str, values: Floats, criterion: Floats, orders: npt.NDArray[np.int64], resampling: Mapping[str, Any]
) -> Correlation:
    n, nan = len(values), math.nan
    r = float(pearson(values, criterion))
    if math.isnan(r):
        return Correlation(name, nan, nan, nan, nan, nan, nan, nan, nan, nan, n)
    t = math.copysign(math.inf, r) if abs(r) >= 1 else r * math.sqrt((n - 2) / (1 - r * r))
    low, high = boot_both(values, criterion, **resampling)
    # By rank, values that differ only by rounding are ties.
    ranks = _ranks(values), _ranks(criterion)
    rho, tau = float(pearson(*ranks)), _kendall(ranks[0], ranks[1][None, :]).item()
    return Correlation(
        score=name,
        pearson=r,
        pearson_low=low,
        pearson_high=high,
        pearson_p=student_p(t, n - 2),
        spearman=rho,
        spearman_p=_permutation_p(rho, pearson(ranks[0], ranks[1][orders]), n),
        kendall=tau,
        kendall_p=_permutation_p(tau, _kendall(ranks[0], ranks[1][orders]), n),
        williams_p=nan,
        n=n,
    )


def _against_best(row: Correlation, best: Correlation, columns: Mapping[str, Floats], criterion: Floats) -> Correlation:
    """The row with the p-value of Williams' test against the best score."""
    if row.n <= MIN_SYSTEMS or math.isnan(row.pearson):
        return row
    return replace(row, williams_p=williams(*_rising(columns, best, row), criterion)[1])


def _rising(columns: Mapping[str, Floats], best: Correlation, row: Correlation) -> tuple[Floats, Floats]:
    """The scores of both rows; those with negative r change their sign."""
    first, second = (columns[each.score] * math.copysign(1.0, each.pearson) for each in (best, row))
    return first, second


def _permutations(n: int) -> npt.NDArray[np.int64]:
    """All orders of n systems, or RANDOM_PERMUTATIONS random ones if n is above MOST_EXACT, (n_orders, n)."""
    if n <= MOST_EXACT:
        return np.array(list(permutations(range(n))))
    source = np.random.default_rng(0)
    return np.argsort(source.random((RANDOM_PERMUTATIONS, n)), axis=1)


def _permutation_p(observed: float, values: Floats, n: int) -> float:
    """The share of orders with a correlation at least as large; random orders do not include the observed order."""
    as_large, drawn = int(np.sum(np.abs(values) >= abs(observed) - 1e-9)), int(n > MOST_EXACT)
    return (drawn + as_large) / (drawn + len(values))


def _ranks(values: Floats) -> Floats:
    """Ranks from 1; equal values share their mean rank. Values that differ only by rounding count as equal."""
    order = np.argsort(values)
    ascending = values[order]
    groups = np.empty(len(values), np.int64)
    groups[order] = np.cumsum(np.diff(ascending, prepend=ascending[:1]) > _ROUNDING * np.abs(ascending))
    counts = np.bincount(groups)
    return np.asarray(((2 * np.cumsum(counts) - counts + 1) / 2)[groups])


def _kendall(values: Floats, criteria: Floats) -> Floats:
    """Kendall's tau-b of values (n,) with each row of criteria (n_rows, n)."""
    total, untied, untied_criteria = np.zeros(len(criteria)), 0, np.zeros(len(criteria))
    for left, right in combinations(range(len(values)), 2):
        sign, signs = np.sign(values[left] - values[right]), np.sign(criteria[:, left] - criteria[:, right])
        total += sign * signs
        untied += int(sign != 0)
        untied_criteria += signs != 0
    return np.asarray(divide(total, np.sqrt(untied * untied_criteria), math.nan))


def _read_values(name: str, values: Sequence[float]) -> Floats:
    try:
        column = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name}: expected a number per system, received {values!r}.") from None
    if column.ndim != 1:
        raise ValueError(f"{name}: expected a number per system, received an array of shape {column.shape}.")
    odd = np.flatnonzero(~np.isfinite(column))
    if len(odd):
        raise ValueError(
            f"{name} is {column[odd[0]]} for system {odd[0]}: expected finite numbers; leave the system or the score out."
        )
    return column


def _check_system_count(count: int) -> None:
    if count < MIN_SYSTEMS:
        raise ValueError(
            f"{count} system{'s' * (count != 1)}: expected at least {MIN_SYSTEMS}, since between two every correlation is 1 "
            f"or -1."
        )


def agreement_plan(**options: Unpack[ScoringOptions]) -> Plan:
    """The plan of a scoring without type scores, which may not be requested by name."""
    additive = [name for name in DEFAULT_SCORES if not GROUPS[name].needs_words]
    for name in ("dictionary", "vocabulary"):
        if options.get(name) is not None:
            additive += [group.name for group in GROUPS.values() if group.needs_option == name]
    options.setdefault("scores", additive)
    plan = Plan.of(**options)
    scores = options["scores"]
    for name in (scores,) if isinstance(scores, str) else scores:
        # A selection of several groups has its other scores.
        group = None if name in (*SELECTIONS, "all") else GROUPS.get(name) or group_of(name)
        if group and group.needs_words:
            raise ValueError(
                f"scores={name!r}: type scores are not sums over utterances, so halves have none; leave {name!r} out."
            )
    if plan.on_mismatch == "skip":
        raise ValueError(
            "on_mismatch='skip' would leave out different utterances for each system: use 'error' or 'align'."
        )
    return plan


def additive_keys(plan: Plan) -> tuple[str, ...]:
    """The selected scores, without type scores."""
    left_out = {key for group in GROUPS.values() if group.needs_words for key in group.keys}
    return tuple(key for key in plan.keys if key not in left_out)


def agreement_of_tallies(
    tallies: Sequence[Tallies],
    formulas: Callable[[Mapping[str, Any]], Mapping[str, Score]],
    *,
    n_splits: int = 100,
    seed: int = 0,
    clusters: Any = None,
) -> list[Agreement]:
    """The agreement of two random halves, from counts; one row per score.

    Args:
        formulas: from sums of shape (n_splits,) to scores of that shape.
        seed: of the splits; the same seed gives the same splits, and a larger number of splits begins with the smaller.
        clusters: the id of the cluster of each utterance; splits keep clusters together. None if utterances are independent.
    """
    _check_system_count(len(tallies))
    check_options({"n_splits": n_splits, "seed": seed}, OPTIONS)
    noun, count = "utterance", len(next(iter(tallies[0].values())))
    counts = [np.column_stack(list(columns.values())) for columns in tallies]
    if clusters is not None:
        numbers = read_clusters(clusters, count)
        noun, count = "cluster", int(numbers.max(initial=-1)) + 1
        order = np.argsort(numbers, kind="stable")
        firsts = np.flatnonzero(np.diff(numbers[order], prepend=-1))
        counts = [np.add.reduceat(table[order], firsts) if count else table for table in counts]
    if count < 2:
        raise ValueError(f"{count} {noun}{'s' * (count != 1)}: expected at least 2, one for each half.")
    halves: list[list[Floats]] = [[], []]
    for splits in _draw_splits(count, n_splits, seed):
        for half, members in zip(halves, (splits, 1 - splits), strict=True):
            # Floats represent integers below 2⁵³ exactly, and multiply much faster.
            half.append(np.stack([members @ matrix.astype(np.float64) for matrix in counts]))
    sums = [np.concatenate(half, axis=1) for half in halves]
    left, right = (formulas({column: half[:, :, index] for index, column in enumerate(tallies[0])}) for half in sums)
    return [_agreement(key, np.asarray(left[key]), np.asarray(right[key])) for key in left]


def _draw_splits(count: int, n_splits: int, seed: int) -> Iterator[Floats]:
    """Random splits of `count` utterances, in batches: rows with 1 for the first half and 0 for the second."""
    random = np.random.default_rng(seed)
    half = np.repeat([1.0, 0.0], [count // 2, count - count // 2])
    at_once = max(1, _CELLS_AT_ONCE // count)
    for start in range(0, n_splits, at_once):
        yield np.stack([random.permutation(half) for _ in range(min(at_once, n_splits - start))])


def _agreement(key: str, left: Floats, right: Floats) -> Agreement:
    correlations = pearson(left.T, right.T)
    defined = correlations[~np.isnan(correlations)]
    mean = float(divide(defined.sum(), len(defined), math.nan))
    variance = divide(np.square(defined - mean).sum(), len(defined) - 1, math.nan) if len(defined) else math.nan
    return Agreement(key, mean, float(np.sqrt(variance)), splits=len(defined), systems=len(left))
