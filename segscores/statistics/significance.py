"""Significance: whether systems differ on one reference, by paired tests on the counts of each utterance.

Conventions
-----------
- A difference is the system's score less the baseline's. Tests are two-sided: a p-value is the probability, were the two
  alike, of a difference at least as large in either direction. It is in (0, 1], and 1 for systems that predict the same.
- Tests are paired: a resample draws utterances, with what both systems made of them.
- With n resamples or trials no p-value is below 1 / (n + 1): the observed difference counts as one of them, so that the test
  keeps its level (Phipson & Smyth).
- Utterances that any of the systems compared leaves out, with `on_mismatch="skip"`, are left out of all.
- A seed fixes everything, and the order of systems changes nothing: each is compared with the baseline by the same resamples
  and the same swaps. To exchange a system and the baseline changes the sign of a difference alone.

Paired bootstrap
----------------
Of n resamples, with the differences dᵢ*: p = (1 + #{|dᵢ* − d̄*| ≥ |d|}) / (1 + n), that is, the differences moved to where
systems alike would have them. The interval of the difference is the percentile one. For type scores, whose resamples are
biased (see `resampling`), p and the interval come from the normal distribution with the standard error given there.

Paired approximate randomisation
--------------------------------
Were two systems alike, it would not matter which of them an utterance's prediction came from. Each of n trials exchanges
the two predictions of every utterance with probability ½: p = (1 + #{|dᵢ*| ≥ |d|}) / (1 + n). This takes type scores as any
other: each trial gathers the lexicons of the two new systems. 64 trials are a word of bits, and a type is in a lexicon where
the bitwise OR over its utterances has a one.

Several systems
---------------
The more systems are compared with a baseline, the likelier one of them seems to differ by chance. Holm's procedure corrects
for it, for each score by itself: of m p-values in rising order the i-th is multiplied by m − i + 1, none becomes less than
one before it, nor more than 1.

Sources
-------
Paired bootstrap: Koehn (2004), EMNLP; moved to the mean as in Riezler & Maxwell (2005), ACL Workshop on Intrinsic and
Extrinsic Evaluation Measures. Approximate randomisation: Noreen (1989), Computer-Intensive Methods for Testing Hypotheses;
Yeh (2000), COLING. Phipson & Smyth (2010), Statistical Applications in Genetics and Molecular Biology 9:39. Holm (1979),
Scandinavian Journal of Statistics 6:65-70.
"""

from __future__ import annotations

__all__ = [
    "BootstrapTest",
    "Difference",
    "compare_systems",
    "holm",
    "keep_common",
    "paired_bootstrap",
    "paired_randomisation",
]

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..kernel.formulas import Count, Score, divide
from ..kernel.parallel import map_in_order
from ..measures.registry import compute_scores
from ..scoring.utterance_tally import PREDICTION, REFERENCE, TypeIncidence, UtteranceTally, join_types
from .resampling import (
    check_resampling,
    check_utterances,
    levels_of,
    quantile_interval,
    resampled_scores,
    split_keys,
    sum_scores,
    type_standard_errors,
)

Floats: TypeAlias = npt.NDArray[np.float64]
Swaps: TypeAlias = npt.NDArray[np.uint64]

#: The bit of a pair on the system's side, where PREDICTION is the baseline's.
_SYSTEM = 4

# Differences that are equal by the definition may differ by rounding: of quotients, and of sums of scores.
_ROUNDING = 1e-12

# A stream of its own, for a caller may have drawn the utterances themselves with the same seed.
_SWAPS_STREAM = 0x5357

_TRIALS_A_WORD = 64
# Utterances, and words of trials, that a thread takes at a time: a few megabytes.
_UTTERANCES_AT_ONCE, _WORDS_AT_ONCE = 1024, 4


@dataclass(frozen=True)
class BootstrapTest:
    """A difference, and what the paired bootstrap says of it.

    Attributes:
        difference: the system's score less the baseline's.
        low, high: the interval of the difference.
        p_value: two-sided.
    """

    difference: float
    low: float
    high: float
    p_value: float


@dataclass(frozen=True)
class Difference:
    """A score of a system against that of the baseline. All are nan where either score is.

    Attributes:
        score, baseline_score: the two scores.
        difference: the first less the second.
        low, high: the interval of the difference, not corrected for several systems.
        p_bootstrap, p_randomisation: p-values of the two tests.
        p_bootstrap_holm, p_randomisation_holm: the same, corrected over the systems compared.
    """

    score: float
    baseline_score: float
    difference: float
    low: float
    high: float
    p_bootstrap: float
    p_randomisation: float
    p_bootstrap_holm: float
    p_randomisation_holm: float


def compare_systems(
    baseline: UtteranceTally,
    systems: Mapping[str, UtteranceTally],
    keys: Sequence[str],
    *,
    confidence: float = 0.95,
    n_resamples: int = 1000,
    seed: int = 0,
    average: str = "micro",
    zero_division: float = 0.0,
) -> dict[str, dict[str, Difference]]:
    """Compare systems with a baseline on the same reference.

    Args:
        baseline: the tally of its predictions, of at least two utterances.
        systems: name → tally, with the same reference.
        keys: names of scores, of groups that were tallied in all.
        confidence: of the intervals, in (0, 1).
        n_resamples: how many resamples of the bootstrap, and trials of the randomisation.
        seed: an integer from 0.
        average: `"micro"` for scores of the corpus, `"macro"` for the mean over its utterances.
        zero_division: the value of 0/0, in [0, 1] or nan.

    Returns:
        Name → key → the difference.

    Raises:
        TypeError, ValueError: a bad option, fewer than two utterances, no system, or different references.
    """
    if not systems:
        raise ValueError("there is nothing to compare: expected at least one system besides the baseline.")
    tallies = keep_common([baseline, *systems.values()])
    baseline, systems = tallies[0], dict(zip(systems, tallies[1:], strict=True))
    bootstrapped, randomised = {}, {}
    for name, system in systems.items():
        bootstrapped[name] = paired_bootstrap(
            baseline,
            system,
            keys,
            confidence=confidence,
            n_resamples=n_resamples,
            seed=seed,
            average=average,
            zero_division=zero_division,
        )
        randomised[name] = paired_randomisation(
            baseline, system, keys, n_resamples=n_resamples, seed=seed, average=average, zero_division=zero_division
        )
    bootstrap_holm = {key: holm({name: bootstrapped[name][key].p_value for name in systems}) for key in keys}
    randomisation_holm = {key: holm({name: randomised[name][key] for name in systems}) for key in keys}
    baseline_scores = _scores(baseline, keys, average, zero_division)
    compared: dict[str, dict[str, Difference]] = {}
    for name, system in systems.items():
        scores = _scores(system, keys, average, zero_division)
        compared[name] = {
            key: Difference(
                score=float(scores[key]),
                baseline_score=float(baseline_scores[key]),
                difference=bootstrapped[name][key].difference,
                low=bootstrapped[name][key].low,
                high=bootstrapped[name][key].high,
                p_bootstrap=bootstrapped[name][key].p_value,
                p_randomisation=randomised[name][key],
                p_bootstrap_holm=bootstrap_holm[key][name],
                p_randomisation_holm=randomisation_holm[key][name],
            )
            for key in keys
        }
    return compared


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
        baseline, system: tallies with the same reference, of at least two utterances.
        keys: names of scores, of groups that were tallied in both.
        confidence: of the intervals, in (0, 1).
        n_resamples: how many resamples.
        seed: an integer from 0.
        average: `"micro"` for scores of the corpus, `"macro"` for the mean over its utterances.
        zero_division: the value of 0/0, in [0, 1] or nan. Resamples with nan are left out.

    Raises:
        TypeError, ValueError: a bad option, fewer than two utterances, or different references.
    """
    check_resampling(
        confidence=confidence, n_resamples=n_resamples, seed=seed, average=average, zero_division=zero_division
    )
    baseline, system = keep_common([baseline, system])
    _check_pair(baseline, system, keys)
    sum_keys, type_keys = split_keys(keys, average)
    levels = levels_of(confidence)
    tests: dict[str, BootstrapTest] = {}
    if sum_keys:
        of_sums = [sum_scores(tally, sum_keys, average, zero_division) for tally in (baseline, system)]
        observed = _subtract(*(side.scores() for side in of_sums))
        # The same seed draws the same utterances for both.
        replicates = _subtract(*(resampled_scores(side, n_resamples, seed) for side in of_sums))
        for key in sum_keys:
            difference, values = float(observed[key]), np.asarray(replicates[key])
            low, high = quantile_interval(difference, values, levels)
            defined = values[~np.isnan(values)]
            moved = defined - defined.mean() if len(defined) else defined
            tests[key] = BootstrapTest(difference, low, high, _p_value(difference, moved))
    if type_keys:
        incidence = _join_sides(baseline, system)

        def differences(sizes: Sequence[Mapping[str, Count | Score]]) -> dict[str, Score]:
            return _subtract(*(compute_scores(side, type_keys, zero_division) for side in sizes))  # type: ignore[arg-type]

        observed = differences([_lexicons(tally).lexicon_sizes() for tally in (baseline, system)])
        errors = type_standard_errors(incidence, (PREDICTION, _SYSTEM), differences)
        normal = NormalDist()
        for key in type_keys:
            difference, margin = float(observed[key]), normal.inv_cdf(levels[1]) * errors[key]
            if math.isnan(difference) or math.isnan(margin):
                tests[key] = BootstrapTest(difference, math.nan, math.nan, math.nan)
                continue
            deviation = float(divide(abs(difference), errors[key], math.inf if difference else 0.0))
            p_value = max(2 * normal.cdf(-deviation), float(divide(1, 1 + n_resamples, 0.0)))
            tests[key] = BootstrapTest(difference, difference - margin, difference + margin, p_value)
    return {key: tests[key] for key in keys}


def paired_randomisation(
    baseline: UtteranceTally,
    system: UtteranceTally,
    keys: Sequence[str],
    *,
    n_resamples: int = 1000,
    seed: int = 0,
    average: str = "micro",
    zero_division: float = 0.0,
) -> dict[str, float]:
    """The p-values of the differences of a system from a baseline, by exchanging predictions between the two.

    Args:
        baseline, system: tallies with the same reference, of at least two utterances.
        keys: names of scores, of groups that were tallied in both.
        n_resamples: how many trials.
        seed: an integer from 0.
        average: `"micro"` for scores of the corpus, `"macro"` for the mean over its utterances.
        zero_division: the value of 0/0, in [0, 1] or nan. Trials with nan are left out.

    Returns:
        Key → p-value. The naive equivalent exchanges the predictions of utterances with probability ½ and scores both new
        systems, n_resamples times.

    Raises:
        TypeError, ValueError: a bad option, fewer than two utterances, or different references.
    """
    check_resampling(n_resamples=n_resamples, seed=seed, average=average, zero_division=zero_division)
    baseline, system = keep_common([baseline, system])
    _check_pair(baseline, system, keys)
    sum_keys, type_keys = split_keys(keys, average)
    swaps = _swaps(baseline.cluster_count, n_resamples, seed)
    observed: dict[str, Score] = {}
    trials: dict[str, Score] = {}
    if sum_keys:
        of_sums = [sum_scores(tally, sum_keys, average, zero_division) for tally in (baseline, system)]
        observed |= _subtract(*(side.scores() for side in of_sums))
        sides = _swapped_sums(of_sums[0].columns, of_sums[1].columns, swaps)
        trials |= _subtract(*(side.formulas(sums) for side, sums in zip(of_sums, sides, strict=True)))
    if type_keys:
        sizes = [_lexicons(tally).lexicon_sizes() for tally in (baseline, system)]
        observed |= _subtract(*(compute_scores(side, type_keys, zero_division) for side in sizes))
        swapped = _swapped_lexicon_sizes(_join_sides(baseline, system), swaps)
        trials |= _subtract(*(compute_scores(side, type_keys, zero_division) for side in swapped))
    p_values = {}
    for key in keys:
        values = np.broadcast_to(np.asarray(trials[key], np.float64), swaps.shape[1] * _TRIALS_A_WORD)[:n_resamples]
        p_values[key] = _p_value(float(observed[key]), values[~np.isnan(values)])
    return p_values


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """p-values corrected for how many there are, by Holm's procedure; nan stays nan and does not count.

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


def _p_value(difference: float, values: Floats) -> float:
    """The share of differences, the observed one among them, that are at least as large."""
    if math.isnan(difference):
        return math.nan
    as_large = int(np.sum(np.abs(values) >= abs(difference) - _ROUNDING))
    return float(divide(1 + as_large, 1 + len(values), math.nan))


def _subtract(baseline: Mapping[str, Score], system: Mapping[str, Score]) -> dict[str, Score]:
    return {key: system[key] - baseline[key] for key in system}


def _scores(tally: UtteranceTally, keys: Sequence[str], average: str, zero_division: float) -> Mapping[str, Score]:
    if average == "macro":
        return tally.macro(keys, zero_division)
    return compute_scores(tally.totals(), keys, zero_division)


def _lexicons(tally: UtteranceTally) -> TypeIncidence:
    assert tally.types is not None, "check_utterances looks for them"
    return tally.types


def _swaps(utterances: int, trials: int, seed: int) -> Swaps:
    """Whether a trial exchanges an utterance's predictions, a bit for each: uint64 (n_utterances, ⌈trials / 64⌉)."""
    words = -(-trials // _TRIALS_A_WORD)
    drawn = np.random.default_rng([seed, _SWAPS_STREAM]).bytes(utterances * words * 8)
    return np.frombuffer(drawn, np.uint64).reshape(utterances, words)


def _bits(words: Swaps) -> npt.NDArray[np.uint8]:
    """The bits of each row, uint8 (n_rows, 64 · n_words)."""
    return np.unpackbits(np.ascontiguousarray(words).view(np.uint8), axis=1)


def _swapped_sums(
    baseline: Mapping[str, npt.NDArray[Any]], system: Mapping[str, npt.NDArray[Any]], swaps: Swaps
) -> tuple[dict[str, Floats], dict[str, Floats]]:
    """The sums of each column of the two new systems, (n_trials,)."""
    table = np.stack([system[column] - values for column, values in baseline.items()], axis=1).astype(np.float64)
    differing = np.flatnonzero(table.any(axis=1))

    def moved_in(start: int) -> Floats:
        some = differing[start : start + _UTTERANCES_AT_ONCE]
        moved: Floats = _bits(swaps[some]).T.astype(np.float64) @ table[some]
        return moved

    moved = np.zeros((swaps.shape[1] * _TRIALS_A_WORD, len(baseline)))
    for part in map_in_order(moved_in, range(0, len(differing), _UTTERANCES_AT_ONCE)):
        moved += part
    new_baseline = {column: values.sum() + moved[:, at] for at, (column, values) in enumerate(baseline.items())}
    new_system = {column: system[column].sum() - moved[:, at] for at, column in enumerate(baseline)}
    return new_baseline, new_system


def _swapped_lexicon_sizes(incidence: TypeIncidence, swaps: Swaps) -> tuple[dict[str, Count], dict[str, Count]]:
    """The columns of the type scores of the two new systems, int64 (n_trials,)."""
    in_reference = np.zeros(len(incidence.types), bool)
    in_reference[incidence.ids[incidence.sides & REFERENCE > 0]] = True
    predicted = incidence.sides & (PREDICTION | _SYSTEM)
    # What both predict in an utterance both have in every trial.
    always = np.zeros(len(incidence.types), bool)
    always[incidence.ids[predicted == PREDICTION | _SYSTEM]] = True
    pairs = np.flatnonzero((predicted > 0) & ~always[incidence.ids])
    pairs = pairs[np.argsort(incidence.ids[pairs], kind="stable")]
    ids, utterances = incidence.ids[pairs], incidence.utterances[pairs]
    firsts = np.flatnonzero(np.diff(ids, prepend=-1))
    shared = in_reference[ids[firsts]]
    # All ones where the new baseline has the pair in trials that do not exchange, so that XOR turns the bits.
    turned = np.where(predicted[pairs] == PREDICTION, ~np.uint64(0), np.uint64(0))[:, None]

    def count(start: int) -> npt.NDArray[np.int64]:
        words = swaps[:, start : start + _WORDS_AT_ONCE]
        counts = np.zeros((4, words.shape[1] * _TRIALS_A_WORD), np.int64)
        if len(firsts):
            in_baseline = words[utterances] ^ turned
            for side, in_side in enumerate((in_baseline, ~in_baseline)):
                bits = _bits(np.bitwise_or.reduceat(in_side, firsts, axis=0))
                counts[2 * side] = bits[shared].sum(axis=0, dtype=np.int64)
                counts[2 * side + 1] = bits.sum(axis=0, dtype=np.int64)
        return counts

    counts = np.concatenate(list(map_in_order(count, range(0, swaps.shape[1], _WORDS_AT_ONCE))), axis=1)
    counts += np.array([[int((always & in_reference).sum())], [int(always.sum())]] * 2)
    sizes: list[dict[str, Count]] = [
        {
            "type_matched": counts[2 * side],
            "type_predicted": counts[2 * side + 1],
            "type_reference": int(in_reference.sum()),
        }
        for side in range(2)
    ]
    return sizes[0], sizes[1]


def _join_sides(baseline: UtteranceTally, system: UtteranceTally) -> TypeIncidence:
    """The incidence of the reference and both predictions: sides are REFERENCE, PREDICTION and _SYSTEM.

    Raises:
        ValueError: the references have different words.
    """
    incidences = _lexicons(baseline), _lexicons(system)
    types, ids = join_types(incidences)
    keys = np.concatenate(
        [
            incidence.utterances.astype(np.int64) * max(1, len(types)) + some
            for incidence, some in zip(incidences, ids, strict=True)
        ]
    )
    # The system's two bits stand two further up, so that its reference can be compared with the baseline's.
    sides = np.concatenate((incidences[0].sides, incidences[1].sides << 2))
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    firsts = np.flatnonzero(np.diff(keys, prepend=-1))
    joined = np.bitwise_or.reduceat(sides[order], firsts) if len(firsts) else sides
    utterances, joined_ids = np.divmod(keys[firsts], max(1, len(types)))
    differs = (joined & REFERENCE > 0) != (joined & REFERENCE << 2 > 0)
    if differs.any():
        _raise_other_reference(int(utterances[np.argmax(differs)]), "words")
    kept = joined & np.uint8(REFERENCE | PREDICTION)
    kept[joined & PREDICTION << 2 > 0] |= _SYSTEM
    ends = np.cumsum(np.bincount(utterances, minlength=len(baseline)))
    incidence = TypeIncidence(types, ends, joined_ids.astype(np.int32), kept)
    return incidence if baseline.clusters is None else incidence.unite(baseline.clusters, baseline.cluster_count)


def keep_common(tallies: Sequence[UtteranceTally]) -> Sequence[UtteranceTally]:
    """The tallies of the utterances that all have scored.

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


def _check_pair(baseline: UtteranceTally, system: UtteranceTally, keys: Sequence[str]) -> None:
    for tally in (baseline, system):
        check_utterances(tally, keys)
    for column in ("units", "token_reference", "boundary_all_reference"):
        if column in baseline.columns and column in system.columns:
            differs = baseline.columns[column] != system.columns[column]
            if differs.any():
                _raise_other_reference(int(np.argmax(differs)), column)


def _raise_other_reference(utterance: int, what: str) -> None:
    raise ValueError(
        f"utterance {utterance}: the references of the baseline and of the system differ ({what}); expected predictions for "
        f"the same reference."
    )
