"""Significance: whether systems differ on one reference, by paired tests on the counts of each utterance.

Conventions
-----------
- A difference is the system's score minus the baseline's. Tests are two-sided: a p-value is the probability of a difference at
  least as large, in either direction, if the two systems are equal. It is in (0, 1], and 1 for systems with equal predictions.
- A difference is significant if p ≤ 1 − confidence; only `is_significant` decides this.
- With n trials no p-value is below 1 / (n + 1): the observed difference counts as one of them, so the test keeps its level
  (Phipson & Smyth). If all 2ⁿ exchanges of n utterances or clusters are tried, the p-value is exact (see `randomisation`).
- The seed determines all results, and the order of systems does not matter: each is compared with the baseline by the same
  resamples and the same exchanges. Swapping a system and the baseline changes only the sign of a difference.

How
---
The p-value of a score of sums is that of paired approximate randomisation: p = (1 + #{|dᵢ*| ≥ |d|}) / (1 + n). It keeps its
level if the two systems are exchangeable: if it does not matter which of them predicted an utterance. Of systems with equal
means, one of which seldom wins by much, it finds a difference too often where utterances are few. So below LEAST_UNITS
utterances or clusters the p-value is the larger of that of randomisation and that of Student's t (see `jackknife`). Type
scores, and systems with several runs, have the p-value of Student's t alone.

Several systems, several scores
-------------------------------
One score decides, which the user declares. The more systems are compared with a baseline, the more likely one of them seems to
differ by chance. Holm's procedure corrects for this: of m p-values in ascending order, the i-th is multiplied by m − i + 1;
none may be smaller than its predecessor or larger than 1. The p-values of other scores are not corrected, and there is no
verdict on them.

All pairs of systems, from which the best is found, are corrected by the step-down max-T procedure of Westfall & Young, because
their trials exchange the same utterances. Let tᵢ = |dᵢ| / sᵢ, where sᵢ² is the mean of dᵢ*² over the trials. The adjusted
p-value of the pair with the largest t is the share of trials whose largest t* is at least as large. The p-values of the other
pairs, in descending order of t, use the largest t* of the remaining pairs. Like Holm's, this procedure controls the probability
of any wrong rejection.

Sources
-------
Approximate randomisation: Noreen (1989), Computer-Intensive Methods for Testing Hypotheses; Yeh (2000), COLING. Phipson & Smyth
(2010), Statistical Applications in Genetics and Molecular Biology 9:39. Holm (1979), Scandinavian Journal of Statistics 6:65-70.
Westfall & Young (1993), Resampling-Based Multiple Testing, Algorithm 4.1; Romano & Wolf (2005), Econometrica 73:1237-1282.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn, TypeVar

import numpy as np
import numpy.typing as npt

from ..measures.registry import compute_scores, group_of
from ..results.result import Values
from ..scoring.utterance_tally import REFERENCE, TypeIncidence, UtteranceTally, join_types
from .jackknife import ROUNDING, Estimate
from .randomisation import Trials
from .resampling import Resampling, Sampled, check_utterances, intervals, quantile_interval, tails_of, width_of

Name = TypeVar("Name", bound=Hashable)
Floats = npt.NDArray[np.float64]

#: From so many utterances or clusters on, randomisation decides alone.
LEAST_UNITS = 30


@dataclass(frozen=True, eq=False)
class ScoreDifference(Values):
    """The difference of a system's score from the baseline's. All values are nan if either score is nan.

    Attributes:
        score, baseline_score: the two scores.
        difference: the first minus the second.
        low, high: the interval of the difference, not corrected for several systems.
        p_value: the p-value of the difference.
        p_corrected: the same, corrected over the compared systems; nan for scores that do not decide.
        detectable: the difference that would be found in 80 % of such samples; nan from fewer than MIN_CLUSTERS units.
        won, tied, lost: the number of utterances or clusters that are for the system, for none and for the baseline; None where
            no value is better, and for several runs.
        against_margin: with a margin `"equivalent"`, `"not inferior"`, `"inferior"`, `"inconclusive"` or `"undefined"`; empty
            without, and for scores that do not decide.
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
    against_margin: str


def is_significant(p_value: float, confidence: float) -> bool:
    """Whether a p-value is at most 1 − confidence; nan is not.

    >>> is_significant(0.05, 0.95), is_significant(0.1, 0.9), is_significant(0.051, 0.95)
    (True, True, False)
    """
    # In floating point 1 − 0.9 is a little less than 0.1.
    return p_value <= 1 - confidence + ROUNDING


def estimate_score(runs: Sequence[Sampled], key: str) -> Estimate:
    """The mean score of a system's runs, and its error."""
    return _estimate([runs], [1], key)


def estimate_difference(first: Sequence[Sampled], second: Sequence[Sampled], key: str) -> Estimate:
    """The second system's score less the first's, and its error."""
    return _estimate([first, second], [-1, 1], key)


def _estimate(systems: Sequence[Sequence[Sampled]], signs: Sequence[int], key: str) -> Estimate:
    sides = [
        (np.array([run.scores[key] for run in runs]), np.stack([run.without[key] for run in runs])) for runs in systems
    ]
    return Estimate.of_runs(sides, signs, min(run.units[key] for runs in systems for run in runs))


def system_intervals(runs: Sequence[Sampled], resampling: Resampling) -> dict[str, tuple[float, float]]:
    """The interval of each score of a system."""
    if len(runs) == 1:
        return intervals(runs[0], resampling)
    confidence = resampling.level
    return {key: estimate_score(runs, key).interval(confidence, group_of(key).range_of(key)) for key in runs[0].scores}


def difference_intervals(
    first: Sequence[Sampled], second: Sequence[Sampled], resampling: Resampling
) -> dict[str, tuple[float, float]]:
    """The ends of the interval of the difference of two systems, by score."""
    confidence = resampling.level
    estimates = {key: estimate_difference(first, second, key) for key in first[0].scores}
    found = {key: each.difference_interval(confidence, width_of(key)) for key, each in estimates.items()}
    # The same utterances are drawn for both.
    sides = [each[0].replicates(resampling) for each in (first, second)]
    for key, replicates in sides[1].items():
        if estimates[key].error > 0:
            found[key] = quantile_interval(estimates[key].value, replicates - sides[0][key], tails_of(confidence))
    return found


def unit_gains(first: Sampled, second: Sampled) -> dict[str, Floats]:
    """By key, how much of the difference of two systems is due to each unit, float64 (n_units,).

    Of a score of sums, what the difference loses if only this unit's predictions are exchanged; of a type score, the difference
    of the scores of the unit's own types.
    """
    sides = [[each.of_sums.columns for each in pair] for pair in ((first, second), (second, first))]
    mixed = [
        own.of_sums.formulas({name: column.sum() - column + other[name] for name, column in columns.items()}, math.nan)
        for own, (columns, other) in zip((first, second), sides, strict=True)
    ]
    gains = {key: second.scores[key] - first.scores[key] - (mixed[1][key] - mixed[0][key]) for key in mixed[0]}
    if first.types is not None and second.types is not None:
        keys = [key for key in first.scores if key not in gains]
        own, other = (compute_scores(each.utterance_lexicon_sizes(), keys) for each in (first.types, second.types))
        gains |= {key: other[key] - own[key] for key in keys}
    return {key: np.where(np.abs(values) > ROUNDING, values, 0.0) for key, values in gains.items()}


def holm(p_values: Mapping[Name, float]) -> dict[Name, float]:
    """p-values corrected for their number by Holm's procedure; nan stays nan and does not count.

    >>> holm({"a": 0.01, "b": 0.04, "c": 0.03})
    {'a': 0.03, 'b': 0.06, 'c': 0.06}
    """
    defined = sorted((name for name, p_value in p_values.items() if not math.isnan(p_value)), key=p_values.__getitem__)
    corrected = dict.fromkeys(p_values, math.nan)
    least = 0.0
    for rank, name in enumerate(defined):
        least = max(least, min(1.0, p_values[name] * (len(defined) - rank)))
        corrected[name] = least
    return corrected


def max_t(trials: Mapping[Name, Trials]) -> dict[Name, float]:
    """p-values of differences with the same trials, corrected by the step-down max-T procedure of Westfall & Young.

    None is below the p-value that is not adjusted. A difference of nan has the p-value nan and does not count; a trial of nan
    counts as 0.

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


def keep_common(tallies: Sequence[UtteranceTally]) -> Sequence[UtteranceTally]:
    """The tallies of the utterances that all systems have scored."""
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
    """Check that tallies have counts for the scores, enough utterances or clusters, and the same references."""
    for tally in tallies:
        check_utterances(tally, keys)
    for tally in tallies[1:]:
        for column in ("units", "token_reference", "boundary_all_reference"):
            if column in tallies[0].columns and column in tally.columns:
                differs = tallies[0].columns[column] != tally.columns[column]
                if differs.any():
                    _raise_other_reference(int(np.argmax(differs)), column)
    _check_words([tally.types for tally in tallies if tally.types is not None])


def _check_words(incidences: Sequence[TypeIncidence]) -> None:
    types, new_ids = join_types(incidences) if len(incidences) > 1 else ((), [])
    # The pairs of utterance and type, each as one number, in order.
    pairs = []
    for incidence, new in zip(incidences, new_ids, strict=False):
        in_reference = incidence.sides & REFERENCE > 0
        utterances = incidence.utterances[in_reference].astype(np.int64)
        pairs.append(np.sort(utterances * len(types) + new[incidence.ids[in_reference]]))
    for other in pairs[1:]:
        if not np.array_equal(pairs[0], other):
            unshared = np.setxor1d(pairs[0], other, assume_unique=True)
            _raise_other_reference(int(unshared[0]) // len(types), "words")


def _raise_other_reference(utterance: int, what: str) -> NoReturn:
    raise ValueError(
        f"utterance {utterance}: the references of the baseline and of the system differ ({what}); expected predictions for "
        f"the same reference."
    )
