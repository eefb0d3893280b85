"""Significance: whether systems differ on one reference, by paired tests on the counts of each utterance.

Conventions
-----------
- A difference is the system's score minus the baseline's. Tests are two-sided: a p-value is the probability of a difference at
  least as large, in either direction, if the two systems are equal. It is in (0, 1], and 1 for systems with equal predictions.
- A difference is significant if p ≤ 1 − confidence; only `is_significant` decides this.
- Tests are paired: resamples and trials keep the predictions of both systems for an utterance together. If the tallies have
  clusters, whole clusters are drawn and exchanged (see `clusters`).
- With n trials no p-value is below 1 / (n + 1): the observed difference counts as one of them, so the test keeps its level
  (Phipson & Smyth). If all 2ⁿ exchanges of n utterances or clusters are tried, the p-value is exact.
- With `on_mismatch="skip"`, an utterance that any of the compared systems leaves out is left out of all.
- The seed determines all results, and the order of systems does not matter: each is compared with the baseline by the same
  resamples and the same exchanges. Swapping a system and the baseline changes only the sign of a difference.

Paired approximate randomisation
--------------------------------
If two systems were equal, it would not matter which of them predicted an utterance. Each of n trials exchanges the two
predictions of every utterance with probability ½: p = (1 + #{|dᵢ*| ≥ |d|}) / (1 + n). The test keeps its level for any number of
utterances, and treats type scores like any other: each trial collects the lexicons of the two new systems (see `randomisation`).
This is the p-value that tables show.

Paired bootstrap
----------------
The ends of the interval of a difference are quantiles of the differences of resamples. Resamples of type scores are biased (see
`resampling`). Their interval is symmetric, with the standard error given there and quantiles of Student's t, and limited to the
range of possible differences, because with one degree of freedom the 95 % quantile is 12.7.

On request there is a p-value of the bootstrap: p = (1 + #{|dᵢ* − d̄*| ≥ |d|}) / (1 + n). The differences of resamples are centred
on their mean, as they would be for equal systems (Riezler & Maxwell). For few utterances this p is too small: equal systems
differ at .05 in 13 to 20 % of samples of 5 utterances, and in 8 to 14 % of samples of 10.

If every utterance or cluster gives the same difference, its variance cannot be estimated. The interval and the bootstrap's p are
then nan, unless the two systems have equal predictions, or one is perfect and the other has nothing correct.

Several systems, several scores
-------------------------------
The more systems are compared with a baseline, the more likely one of them seems to differ by chance. Holm's procedure corrects
for this, for each score separately: of m p-values in ascending order, the i-th is multiplied by m − i + 1; none may be smaller
than its predecessor or larger than 1.

The more scores are compared, the more likely one of them seems to differ by chance. Scores depend on each other, so Holm's
correction would be too strict. The trials exchange the same utterances for all scores, and so reflect this dependence. Let
tᵢ = |dᵢ| / sᵢ, where sᵢ² is the mean of dᵢ*² over the trials. The adjusted p-value of the score with the largest t is the share
of trials whose largest t* is at least as large. The p-values of the other scores, in descending order of t, use the largest t* of
the remaining scores (the step-down max-T procedure of Westfall & Young). Like Holm's, this procedure controls the probability of
any wrong rejection.

The same procedure over all pairs of systems shows which systems can be distinguished (see `system_comparison`).

Sources
-------
Paired bootstrap: Koehn (2004), EMNLP; centred as in Riezler & Maxwell (2005), ACL Workshop on Intrinsic and Extrinsic Evaluation
Measures. Approximate randomisation: Noreen (1989), Computer-Intensive Methods for Testing Hypotheses; Yeh (2000), COLING.
Phipson & Smyth (2010), Statistical Applications in Genetics and Molecular Biology 9:39. Holm (1979), Scandinavian Journal of
Statistics 6:65-70. Westfall & Young (1993), Resampling-Based Multiple Testing, Algorithm 4.1; Romano & Wolf (2005),
Econometrica 73:1237-1282.
"""

from __future__ import annotations

__all__ = [
    "BootstrapTest",
    "Difference",
    "check_pairs",
    "check_trials",
    "compare_systems",
    "holm",
    "is_significant",
    "keep_common",
    "max_t",
    "paired_bootstrap",
    "paired_randomisation",
    "scores_of",
]

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from ..kernel.formulas import Count, Score, divide
from ..kernel.integers import check_integer
from ..measures.registry import compute_scores
from ..scoring.utterance_tally import PREDICTION, UtteranceTally
from .distributions import student_quantile, student_two_sided
from .joined_types import JoinedTypes, join_systems, raise_other_reference
from .randomisation import ROUNDING, Trials, randomise
from .resampling import (
    Resampled,
    check_resampling,
    check_utterances,
    is_constant,
    levels_of,
    quantile_interval,
    resample,
    split_keys,
    type_standard_errors,
    width_of,
)

Name = TypeVar("Name", bound=Hashable)
Floats = npt.NDArray[np.float64]

#: More trials change no digit of a p-value that matters.
MOST_TRIALS = 1_000_000

#: The bit of a pair's second system.
_SYSTEM = PREDICTION << 1


@dataclass(frozen=True)
class BootstrapTest:
    """A difference with the results of the paired bootstrap.

    Attributes:
        difference: the system's score minus the baseline's.
        low, high: the interval of the difference.
        p_value: two-sided.
    """

    difference: float
    low: float
    high: float
    p_value: float


@dataclass(frozen=True)
class Difference:
    """The difference of a system's score from the baseline's. All values are nan if either score is nan.

    Attributes:
        score, baseline_score: the two scores.
        difference: the first minus the second.
        low, high: the interval of the difference, not corrected for several systems.
        p_randomisation: the p-value of the paired randomisation.
        p_randomisation_holm: the same, corrected over the compared systems.
        p_randomisation_max_t: the same, corrected over the compared scores instead.
        p_bootstrap, p_bootstrap_holm: those of the paired bootstrap; None if not requested.
    """

    score: float
    baseline_score: float
    difference: float
    low: float
    high: float
    p_randomisation: float
    p_randomisation_holm: float
    p_randomisation_max_t: float
    p_bootstrap: float | None = None
    p_bootstrap_holm: float | None = None


def is_significant(p_value: float, confidence: float) -> bool:
    """Whether a p-value is at most 1 − confidence; nan is not.

    >>> is_significant(0.05, 0.95), is_significant(0.1, 0.9), is_significant(0.051, 0.95)
    (True, True, False)
    """
    # In floating point 1 − 0.9 is a little less than 0.1.
    return p_value <= 1 - confidence + ROUNDING


def compare_systems(
    baseline: UtteranceTally,
    systems: Mapping[str, UtteranceTally],
    keys: Sequence[str],
    *,
    confidence: float = 0.95,
    n_resamples: int = 1000,
    n_trials: int = 10_000,
    seed: int = 0,
    average: str = "micro",
    zero_division: float = 0.0,
    bootstrap_p: bool = False,
) -> dict[str, dict[str, Difference]]:
    """Compare systems with a baseline on the same reference.

    Args:
        baseline: the tally of its predictions, of at least two utterances or clusters.
        systems: name → tally, with the same reference, in the same clusters.
        keys: names of scores, of groups that were tallied in all.
        confidence: of the intervals, in (0, 1).
        n_resamples: the number of resamples of the bootstrap, for intervals.
        n_trials: the number of trials of the randomisation, for p-values.
        seed: an integer from 0.
        average: `"micro"` for scores of the corpus, `"macro"` for the mean over its utterances.
        zero_division: the value of 0/0, in [0, 1] or nan.
        bootstrap_p: whether to give the bootstrap's p-values too.

    Returns:
        Name → key → the difference.

    Raises:
        TypeError, ValueError: a bad option, fewer than two utterances or clusters, no system, or different references.
    """
    if not systems:
        raise ValueError("there is nothing to compare: expected at least one system besides the baseline.")
    check_resampling(
        confidence=confidence, n_resamples=n_resamples, seed=seed, average=average, zero_division=zero_division
    )
    check_trials(n_trials)
    tallies = keep_common([baseline, *systems.values()])
    check_pairs(tallies, keys)
    joined = join_systems(tallies) if split_keys(keys, average)[1] else None
    pairs = [(0, index) for index in range(1, len(tallies))]
    resampled = resample(
        tallies, keys, n_resamples=n_resamples, seed=seed, average=average, zero_division=zero_division
    )
    bootstrapped = bootstrap_pairs(
        tallies, pairs, keys, resampled, joined=joined, confidence=confidence, zero_division=zero_division
    )
    trials = randomise(
        tallies,
        pairs,
        keys,
        n_trials=n_trials,
        seed=seed,
        average=average,
        zero_division=zero_division,
        joined=joined,
    )
    scores = [scores_of(tally, keys, average, zero_division) for tally in tallies]
    return differences_of(list(systems), keys, scores, bootstrapped, trials, bootstrap_p=bootstrap_p)


def differences_of(
    systems: Sequence[str],
    keys: Sequence[str],
    scores: Sequence[Mapping[str, float]],
    bootstrapped: Sequence[Mapping[str, BootstrapTest]],
    trials: Sequence[Mapping[str, Trials]],
    *,
    bootstrap_p: bool,
) -> dict[str, dict[str, Difference]]:
    """The differences of systems from a baseline, with all corrections.

    Args:
        systems: names.
        keys: of the scores.
        scores: of the baseline, and of each system.
        bootstrapped, trials: of each system against the baseline.
        bootstrap_p: whether to give the bootstrap's p-values too.
    """
    raw = [{key: found.p_value() for key, found in each.items()} for each in trials]
    over_scores = [max_t(each) for each in trials]
    holm_of = {key: holm({name: found[key] for name, found in zip(systems, raw, strict=True)}) for key in keys}
    bootstrap_holm = {
        key: holm({name: found[key].p_value for name, found in zip(systems, bootstrapped, strict=True)}) for key in keys
    }
    return {
        name: {
            key: Difference(
                score=scores[1 + place][key],
                baseline_score=scores[0][key],
                # Not that of the test, which may be of sums that are rounded in other places.
                difference=scores[1 + place][key] - scores[0][key],
                low=bootstrapped[place][key].low,
                high=bootstrapped[place][key].high,
                p_randomisation=raw[place][key],
                p_randomisation_holm=holm_of[key][name],
                p_randomisation_max_t=over_scores[place][key],
                p_bootstrap=bootstrapped[place][key].p_value if bootstrap_p else None,
                p_bootstrap_holm=bootstrap_holm[key][name] if bootstrap_p else None,
            )
            for key in keys
        }
        for place, name in enumerate(systems)
    }


def paired_bootstrap(
    baseline: UtteranceTally,
    system: UtteranceTally,
    keys: Sequence[str],
    *,
    confidence: float = 0.95,
    n_resamples: int = 1000,
    seed: int = 0,
    average: str = "micro",
    zero_division: float = 0.0,
) -> dict[str, BootstrapTest]:
    """The differences of a system from a baseline, by resampling the utterances of both together.

    Args:
        baseline, system: tallies with the same reference and clusters, of at least two utterances or clusters.
        keys: names of scores, of groups that were tallied in both.
        confidence: of the intervals, in (0, 1).
        n_resamples: the number of resamples.
        seed: an integer from 0.
        average: `"micro"` for scores of the corpus, `"macro"` for the mean over its utterances.
        zero_division: the value of 0/0, in [0, 1] or nan. Resamples with nan are left out.

    Raises:
        TypeError, ValueError: a bad option, fewer than two utterances, or different references.
    """
    check_resampling(
        confidence=confidence, n_resamples=n_resamples, seed=seed, average=average, zero_division=zero_division
    )
    tallies = keep_common([baseline, system])
    check_pairs(tallies, keys)
    joined = join_systems(tallies) if split_keys(keys, average)[1] else None
    resampled = resample(
        tallies, keys, n_resamples=n_resamples, seed=seed, average=average, zero_division=zero_division
    )
    (found,) = bootstrap_pairs(
        tallies, [(0, 1)], keys, resampled, joined=joined, confidence=confidence, zero_division=zero_division
    )
    return found


def bootstrap_pairs(
    tallies: Sequence[UtteranceTally],
    pairs: Sequence[tuple[int, int]],
    keys: Sequence[str],
    resampled: Sequence[Resampled],
    *,
    joined: JoinedTypes | None,
    confidence: float,
    zero_division: float,
) -> list[dict[str, BootstrapTest]]:
    """`paired_bootstrap` for several pairs of systems, from resamples that were drawn once.

    Args:
        tallies: of the systems, with the same reference and clusters, of the same utterances.
        pairs: the indices of two systems each; the difference is that of the second from the first.
        keys: names of scores.
        resampled: the resampled scores that are formulas of sums; the other keys are type scores.
        joined: the types of the tallies; needed if a key is a type score.
        confidence, zero_division: as in `paired_bootstrap`.
    """
    levels = levels_of(confidence)
    tests: list[dict[str, BootstrapTest]] = [{} for _ in pairs]
    for found, (first, second) in zip(tests, pairs, strict=True):
        for key, score in resampled[second].scores.items():
            values = resampled[second].replicates[key] - resampled[first].replicates[key]
            found[key] = _bootstrap_test(score - resampled[first].scores[key], values, levels)
    type_keys = [key for key in keys if key not in resampled[0].scores]
    if joined is not None:
        of_types = [
            compute_scores(tally.types.lexicon_sizes(), type_keys, zero_division) if tally.types else {}
            for tally in tallies
        ]

        def differences(sizes: Sequence[Mapping[str, Count | Score]]) -> dict[str, Score]:
            sides = [compute_scores(side, type_keys, zero_division) for side in sizes]  # type: ignore[arg-type]
            return {key: sides[1][key] - sides[0][key] for key in type_keys}

        freedom = tallies[0].scored_clusters() - 1
        for found, (first, second) in zip(tests, pairs, strict=True):
            errors = type_standard_errors(joined.pair(first, second), (PREDICTION, _SYSTEM), differences)
            for key in type_keys:
                difference = float(of_types[second][key] - of_types[first][key])
                found[key] = _student_test(difference, errors[key], levels, freedom, width_of(key))
    return [{key: found[key] for key in keys} for found in tests]


def _bootstrap_test(difference: float, values: Floats, levels: tuple[float, float]) -> BootstrapTest:
    defined = values[~np.isnan(values)]
    if _lacks_variance(difference, is_constant(defined)):
        return BootstrapTest(difference, math.nan, math.nan, math.nan)
    low, high = quantile_interval(difference, values, levels)
    p_value = math.nan
    if not math.isnan(difference) and len(defined):
        p_value = Trials(difference, defined - defined.mean(), is_exact=False).p_value()
    return BootstrapTest(difference, low, high, p_value)


def _student_test(
    difference: float, error: float, levels: tuple[float, float], freedom: int, most: float
) -> BootstrapTest:
    """The test of a difference with a standard error; no difference is larger than `most`."""
    if math.isnan(difference) or math.isnan(error) or _lacks_variance(difference, error == 0):
        return BootstrapTest(difference, math.nan, math.nan, math.nan)
    margin = student_quantile(levels[1], freedom) * error
    deviation = float(divide(abs(difference), error, math.inf if difference else 0.0))
    p_value = student_two_sided(deviation, freedom)
    return BootstrapTest(difference, max(difference - margin, -most), min(difference + margin, most), p_value)


def _lacks_variance(difference: float, is_constant: bool) -> bool:
    """Whether the error of a difference cannot be estimated: the estimate is 0, but the difference is neither 0 nor ±1."""
    return is_constant and min(abs(difference), abs(abs(difference) - 1)) > ROUNDING


def paired_randomisation(
    baseline: UtteranceTally,
    system: UtteranceTally,
    keys: Sequence[str],
    *,
    n_trials: int = 10_000,
    seed: int = 0,
    average: str = "micro",
    zero_division: float = 0.0,
) -> dict[str, float]:
    """The p-values of the differences of a system from a baseline, by exchanging predictions between the two.

    Args:
        baseline, system: tallies with the same reference and clusters, of at least two utterances or clusters.
        keys: names of scores, of groups that were tallied in both.
        n_trials: the number of trials; if there are no more possible exchanges, each is tried once.
        seed: an integer from 0.
        average: `"micro"` for scores of the corpus, `"macro"` for the mean over its utterances.
        zero_division: the value of 0/0, in [0, 1] or nan. Trials with nan are left out.

    Returns:
        Key → p-value. The naive equivalent exchanges the predictions of utterances with probability ½ and scores both new
        systems, n_trials times.

    Raises:
        TypeError, ValueError: a bad option, fewer than two utterances, or different references.
    """
    check_resampling(n_resamples=1, seed=seed, average=average, zero_division=zero_division)
    check_trials(n_trials)
    tallies = keep_common([baseline, system])
    check_pairs(tallies, keys)
    joined = join_systems(tallies) if split_keys(keys, average)[1] else None
    (found,) = randomise(
        tallies,
        [(0, 1)],
        keys,
        n_trials=n_trials,
        seed=seed,
        average=average,
        zero_division=zero_division,
        joined=joined,
    )
    return {key: trials.p_value() for key, trials in found.items()}


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """p-values corrected for their number by Holm's procedure; nan stays nan and does not count.

    >>> holm({"a": 0.01, "b": 0.04, "c": 0.03})
    {'a': 0.03, 'b': 0.06, 'c': 0.06}
    """
    defined = sorted((p_value, name) for name, p_value in p_values.items() if not math.isnan(p_value))
    corrected = dict.fromkeys(p_values, math.nan)
    least = 0.0
    for rank, (p_value, name) in enumerate(defined):
        least = max(least, min(1.0, p_value * (len(defined) - rank)))
        corrected[name] = least
    return corrected


def max_t(trials: Mapping[Name, Trials]) -> dict[Name, float]:
    """p-values corrected over several differences, by the step-down max-T procedure of Westfall & Young.

    Args:
        trials: the differences, all with the same trials.

    Returns:
        The adjusted p-values by name, none below the p-value that is not adjusted. A difference of nan has the p-value nan and
        does not count; a trial of nan counts as 0.

    >>> signs = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])
    >>> found = {"a": Trials(5.0, signs @ [3, 2.0], True), "b": Trials(1.0, signs @ [1, 0.0], True)}
    >>> max_t(found)
    {'a': 0.5, 'b': 1.0}
    """
    names = [name for name, each in trials.items() if not math.isnan(each.observed)]
    adjusted = dict.fromkeys(trials, math.nan)
    if not names:
        return adjusted
    further = 0 if trials[names[0]].is_exact else 1
    sizes = {name: np.abs(np.nan_to_num(trials[name].values)) for name in names}
    scaled: dict[Name, tuple[float, Floats]] = {}
    for name in names:
        observed = abs(trials[name].observed)
        squares = float(np.square(sizes[name]).sum()) + further * observed**2
        scale = math.sqrt(squares / (len(sizes[name]) + further))
        # As in `Trials.p_value`, what is smaller by rounding alone is as large.
        scaled[name] = (
            (max(0.0, observed - ROUNDING) / scale, sizes[name] / scale)
            if scale > ROUNDING
            else (0.0, np.zeros_like(sizes[name]))
        )
    order = sorted(names, key=lambda name: -scaled[name][0])
    largest = np.zeros(len(sizes[names[0]]))
    steps: dict[Name, float] = {}
    for name in reversed(order):
        statistic, values = scaled[name]
        largest = np.maximum(largest, values)
        steps[name] = float((further + np.sum(largest >= statistic * (1 - 1e-9))) / (further + len(largest)))
    least = 0.0
    for name in order:
        # Trials of nan are no trials of the p-value that is not adjusted.
        adjusted[name] = least = max(least, steps[name], trials[name].p_value())
    return adjusted


def check_trials(n_trials: int) -> None:
    """Check the number of trials.

    Raises:
        TypeError, ValueError: it is not an integer from 1 to MOST_TRIALS.
    """
    check_integer("n_trials", n_trials, least=1, most=MOST_TRIALS, what="an integer")


def scores_of(tally: UtteranceTally, keys: Sequence[str], average: str, zero_division: float) -> dict[str, float]:
    """The scores of a system, of the corpus or as means over its utterances, as plain floats."""
    if average == "macro":
        return tally.macro(keys, zero_division)
    scores = compute_scores(tally.totals(), keys, zero_division)
    return {key: float(score) for key, score in scores.items()}


def keep_common(tallies: Sequence[UtteranceTally]) -> Sequence[UtteranceTally]:
    """The tallies of the utterances that all systems have scored.

    Raises:
        ValueError: they have different numbers of utterances.
    """
    for tally in tallies[1:]:
        if len(tally) != len(tallies[0]):
            raise ValueError(
                f"the baseline has {len(tallies[0])} utterances and the system {len(tally)}: expected predictions for the "
                f"same reference."
            )
    is_common = np.logical_and.reduce([tally.is_scored for tally in tallies])
    if is_common.all():
        return tallies
    return [tally.take(np.flatnonzero(is_common)) for tally in tallies]


def check_pairs(tallies: Sequence[UtteranceTally], keys: Sequence[str]) -> None:
    """Check that tallies can be compared.

    Raises:
        ValueError: fewer than two utterances or clusters, a score without counts, or references that differ.
    """
    for tally in tallies:
        check_utterances(tally, keys)
    for tally in tallies[1:]:
        for column in ("units", "token_reference", "boundary_all_reference"):
            if column in tallies[0].columns and column in tally.columns:
                differs = tallies[0].columns[column] != tally.columns[column]
                if differs.any():
                    raise_other_reference(int(np.argmax(differs)), column)
