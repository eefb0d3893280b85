"""The agreement of scores with themselves on two random halves of a test set: the parallel-test experiment.

Many random splits divide the utterances into halves, on which all systems are scored; the first half of an odd number is smaller.
The agreement of a score is the mean over the splits of Pearson's r and Spearman's rho of its values on the two halves, and of the
share of swapped pairs: pairs of systems of which one is better on the first half, and the other on the second.

One bad system suffices for an r near 1, whatever the others do. Of equally good systems, about half of the pairs are swapped. The
splits divide one test set, so their deviation is no standard error of the agreement. Type scores are left out: lexicons are sets
and cannot be added.

Sources
-------
Qian, Qiu & Huang (2016), ACL, Section 5.3, who split once. Swapped pairs: Voorhees & Buckley (2002), SIGIR, 316-323.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..kernel.arrays import Floats
from ..options.keywords import ScoringOptions, Unpack
from ..options.messages import OptionError
from ..options.option import check_options
from ..options.table import OPTIONS, SELECTIONS
from ..results.result import Values
from ..scoring.functions import with_options
from ..scoring.measures.registry import GROUPS, compute_scores, group_of
from ..scoring.passes import concatenate_tallies, open_systems
from ..scoring.plan import Plan
from ..scoring.utterance_tally import UtteranceTally
from .clusters import with_clusters
from .correlation import check_system_count, pearson
from .resampling import split_keys
from .system_comparison import check_systems

#: The number of cells of the matrix of splits in memory at a time: 32 MB.
_CELLS_AT_ONCE = 1 << 22


@dataclass(frozen=True, eq=False)
class HalfAgreement(Values):
    """The agreement of a score of `systems` systems with itself on another half of a test set."""

    score: str
    pearson: float  #: the mean of r over the splits; nan if undefined for every split
    spearman: float  #: the mean of rho
    swapped: float  #: the mean share of pairs of systems whose order differs on the halves; nan if a score is undefined
    deviation: float  #: the standard deviation of r over the splits (n − 1); nan if r is defined for fewer than two
    splits: int  #: splits for which r is defined (r is undefined if all systems tie on one half)
    systems: int


@with_options
def split_half(
    references: Any,
    systems: Mapping[str, Any],
    *,
    clusters: Any = None,
    n_splits: int = 100,
    seed: int = 0,
    **options: Unpack[ScoringOptions],
) -> list[HalfAgreement]:
    """Compute the agreement of scores with themselves on two random halves of a test set.

    Args:
        references: utterances, in any form that `inputs` lists.
        systems: by name the predictions of at least three systems, in the same form.
        clusters: an id for each utterance; a split keeps the utterances of a cluster together. None for single utterances.
        n_splits: the number of random splits.
        seed: the seed of the splits. The same seed gives the same splits, and more splits begin with the fewer.
        **options: those of `ScoringOptions`; type scores may not be requested, because lexicons cannot be added.

    Returns:
        A row per score: Pearson's r and Spearman's rho of the systems' scores on the two halves, the share of swapped pairs of
        systems, as means over the splits, and the standard deviation of r over the splits.

    Raises:
        TypeError, ValueError: as `compare`; or fewer than three systems, or fewer than two utterances or clusters.

    >>> systems = {"a": ["a b c", "d e"] * 9, "b": ["ab c", "d e"] * 9, "c": ["abc", "de"] * 9}
    >>> (row,) = split_half(["a b c", "d e"] * 9, systems, text_format="words", scores="token_recall")
    >>> row.score, row.systems, row.spearman, row.swapped
    ('token_recall', 3, 1.0, 0.0)
    """
    check_systems(systems)
    check_system_count(len(systems))
    plan = agreement_plan(**options)
    sides, plan = open_systems(plan, references, *systems.values(), names=[f"system {name!r}" for name in systems])
    tallies = [with_clusters(tally, clusters) for tally in concatenate_tallies(sides, plan)[0]]
    return agreement_of_tallies(tallies, plan, n_splits=n_splits, seed=seed)


def agreement_plan(**options: Unpack[ScoringOptions]) -> Plan:
    """Return the plan of a scoring without type scores, which may not be requested by name."""
    plan = Plan.of(**options)
    scores = options.get("scores", ())
    for name in (scores,) if isinstance(scores, str) else scores:
        # A selection may have type scores beside others, and loses them without an error.
        group = None if name in (*SELECTIONS, "all") else GROUPS.get(name) or group_of(name)
        if group and group.statistic is not None:
            why = f": type scores are not sums over utterances, so halves have none; leave {name!r} out."
            raise OptionError(OPTIONS["scores"].set(name), why)
    if plan.on_mismatch == "skip":
        why = ' would leave out different utterances for each system: use "error" or "align".'
        raise OptionError(OPTIONS["on_mismatch"].set("skip"), why)
    return replace(plan, keys=tuple(split_keys(plan.keys, "micro")[0]))


def agreement_of_tallies(
    tallies: Sequence[UtteranceTally], plan: Plan, *, n_splits: int, seed: int
) -> list[HalfAgreement]:
    """Compute the agreement of two random halves from the tally of each system, as `split_half` does."""
    check_system_count(len(tallies))
    check_options({"n_splits": n_splits, "seed": seed}, OPTIONS)
    columns, count = tallies[0].columns, tallies[0].cluster_count
    if count < 2:
        noun = tallies[0].sampled_unit
        raise ValueError(f"{count} {noun}{'s' * (count != 1)}: expected at least 2, one for each half.")
    # Floats represent integers below 2⁵³ exactly, and multiply much faster.
    counts = np.stack(
        [np.stack([tally.sum_by_cluster(tally.columns[name]) for name in columns], 1) for tally in tallies]
    ).astype(np.float64)
    halves: list[list[Floats]] = [[], []]
    for splits in _draw_splits(count, n_splits, seed):
        for half, members in zip(halves, (splits, 1 - splits), strict=True):
            half.append(np.moveaxis(members @ counts, -1, 0))
    sums = (dict(zip(columns, np.concatenate(half, axis=-1), strict=True)) for half in halves)
    left, right = (compute_scores(counts_of_half, plan.keys, plan.zero_division) for counts_of_half in sums)
    return [_agreement(key, np.asarray(left[key]), np.asarray(right[key])) for key in left]


def _draw_splits(count: int, n_splits: int, seed: int) -> Iterator[Floats]:
    """Yield random splits of `count` utterances, in batches: rows with 1 for the first half and 0 for the second."""
    random = np.random.default_rng(seed)
    half = np.repeat([1.0, 0.0], [count // 2, count - count // 2])
    at_once = max(1, _CELLS_AT_ONCE // count)
    for start in range(0, n_splits, at_once):
        yield np.stack([random.permutation(half) for _ in range(min(at_once, n_splits - start))])


def _agreement(key: str, left: Floats, right: Floats) -> HalfAgreement:
    """Compute the agreement of the scores of all systems on two halves, two arrays (n_systems, n_splits)."""
    from scipy.stats import rankdata

    r = pearson(left.T, right.T)
    # Compute the order of each pair of systems on each half: 1, 0 or -1.
    pairs = np.triu_indices(len(left), 1)
    orders = [np.sign(side[pairs[0]] - side[pairs[1]]) for side in (left, right)]
    ranks = [rankdata(side, axis=0).T for side in (left, right)]
    return HalfAgreement(
        key,
        pearson=_mean(r),
        spearman=_mean(pearson(*ranks)),
        swapped=_mean(np.where(np.isnan(orders[0] * orders[1]), np.nan, orders[0] * orders[1] < 0).mean(axis=0)),
        deviation=float(np.std(r[~np.isnan(r)], ddof=1)) if np.sum(~np.isnan(r)) > 1 else math.nan,
        splits=int(np.sum(~np.isnan(r))),
        systems=len(left),
    )


def _mean(values: Floats) -> float:
    """Return the mean of the defined values; nan if there is none."""
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else math.nan
