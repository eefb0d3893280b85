"""System comparison: several predictions of one reference, their scores, and the significance of their differences.

Conventions
-----------
- One system is the baseline; every other is compared with it, unit by unit (utterances, or clusters of them). Utterances that are
  left out of any system are left out of all, in scores too.
- The p-value of a difference is from paired randomisation (see `randomisation`); with fewer than FEW_UNITS units, it is the
  larger of this and Student's t (see `jackknife`). For type scores, and systems with several runs, it is from Student's t alone.
- The best is found from the data, so a system is not distinguishable from it where their p-value, corrected over all pairs of
  systems, is greater than 1 − confidence. A system's rank lies between one more than the number of significantly better systems,
  and the number of systems less the number of significantly worse systems: the rank ranges of WMT.
- A system may have several runs: `runs(first, second, …)`. Runs have a separate type because a list of lists of strings is
  already a prediction, of utterances as lists of words.

Sources
-------
Rank ranges: Bojar et al. (2013), WMT, 1-44. All pairs of systems by randomisation: Carterette (2012), ACM TOIS 30:4.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations, product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..options.errors import warn
from ..options.keywords import CompareOptions, Unpack
from ..options.messages import Message, OptionError
from ..options.option import check_needs, check_options
from ..options.table import OPTIONS, options_in
from ..reading.sources.source import Side
from ..reading.trouble import LeftOut
from ..scoring.functions import with_options
from ..scoring.measures.group import OF_TEXT
from ..scoring.measures.registry import check_scored, group_of, main_score, undefined_keys
from ..scoring.measures.unit_error import SKIPPED
from ..scoring.observations import Observations
from ..scoring.passes import concatenate_tallies, open_systems
from ..scoring.plan import Plan
from ..scoring.tally import warn_of_scores
from ..scoring.utterance_tally import UtteranceTally
from .clusters import MIN_CLUSTERS, read_clusters, with_clusters
from .comparison_results import FEW_UNITS, SystemComparison, tested_units
from .jackknife import Estimate
from .randomisation import Exchanges
from .resampling import (
    Resampling,
    Sampled,
    check_utterances,
    estimate,
    interval,
    sample,
    split_keys,
    split_options,
    warn_of_sample,
)
from .significance import Gains, ScoreDifference, holm, is_significant, unit_gains, verdict_of, won_tied_lost
from .signing import sign_sides
from .utterance_scores import warn_of_left_out, warn_of_missing


class Runs(tuple[Any, ...]):
    """The predictions of several runs of one system, as `runs` makes them."""


def runs(*predictions: Any) -> Runs:
    """Join the predictions of several runs, such as trainings with other seeds, to one system for `compare`.

    Args:
        *predictions: the predictions of each run, in any form that one prediction may have; at least one.

    Returns:
        The runs, as a system for `compare`.

    >>> len(runs(["a b"], ["ab"]))
    2
    """
    if not predictions:
        raise ValueError("runs: expected the predictions of at least one run, received none.")
    return Runs(predictions)


@with_options
def compare(references: Any, systems: Mapping[str, Any], **options: Unpack[CompareOptions]) -> SystemComparison:
    """Compare systems on one reference.

    Args:
        references: utterances, in any form that `inputs` lists.
        systems: by name the predictions of at least two systems, in the same form; of several runs as `runs(first, second)`,
            or as a list of `pathlib.Path`.
        **options: how to score, resample and test.

    Raises:
        TypeError, ValueError: as `scoring.score`, with the system's name; or fewer than two systems, an unknown baseline, or
            fewer than two utterances or clusters.

    Warns:
        UserWarning: as `tally.warn_of_scores`; there are few utterances or clusters, or a large one; no difference can be
            significant with so few trials; or a score has no interval, and why.

    >>> comparison = compare(
    ...     ["a b c", "d e f", "g h"],
    ...     {"old": ["ab c", "de f", "g h"], "new": ["a b c", "d e f", "gh"]},
    ...     text_format="words", scores="token",
    ... )
    >>> round(comparison.differences["new"]["token_recall"].difference, 3), comparison.primary, comparison.is_exact
    (0.25, 'token_fscore', True)
    """
    plan, resampling, values = split_options(options, CompareOptions)
    check_needs(options, values, options_in(CompareOptions))
    tests = {name: values[name] for name in ("baseline", "primary", "n_trials", "margin")}
    tallied = tally_systems(references, systems, plan, resampling, tests)
    comparison = compare_tallies(tallied.tallies, tallied.plan, resampling, **tests)
    signed: dict[str, Any] = {"clusters": comparison.clusters, "further": comparison.signed}
    signature = sign_sides(tallied.sides, tallied.plan, tallied.observed, resampling=resampling, **signed)
    return replace(comparison, signature=signature)


@dataclass(frozen=True)
class TalliedSystems:
    """The tallies of the runs of systems, with what signs them."""

    tallies: Mapping[str, Sequence[UtteranceTally]]
    sides: Sequence[Side]
    plan: Plan
    observed: Observations


def tally_systems(
    references: Any,
    systems: Mapping[str, Any],
    plan: Plan,
    resampling: Resampling,
    tests: Mapping[str, Any],
    *,
    with_lines: bool = False,
) -> TalliedSystems:
    """Check the systems and the options of the tests, and tally each run; `with_lines` observes the references as ids."""
    check_comparison(systems, **tests)
    all_runs: list[_Run] = []
    for name, predictions in systems.items():
        all_runs += _runs_of(name, predictions)
    labels = [run.label for run in all_runs]
    sides, plan = open_systems(plan, references, *(run.prediction for run in all_runs), names=labels)
    lines = [sides[0]] if with_lines else []
    run_tallies, observed = concatenate_tallies(sides, plan, signs=True, ids=lines)
    ids = None if resampling.clusters is None else read_clusters(resampling.clusters, observed.utterances)
    tallies: dict[str, list[UtteranceTally]] = {name: [] for name in systems}
    for run, tally in zip(all_runs, run_tallies, strict=True):
        tallies[run.system].append(with_clusters(tally, ids))
    return TalliedSystems(tallies, sides, plan, observed)


class _Run(NamedTuple):
    """The prediction of one run of a system, and the name of the run in messages."""

    system: str
    label: str
    prediction: Any


def _runs_of(name: str, predictions: Any) -> list[_Run]:
    """Return the runs of a system, from the value that `compare` takes for it."""
    label = f"system {name!r}"
    # A path is no utterance, so that a list of paths can only be runs.
    is_list = isinstance(predictions, (list, tuple)) and len(predictions) > 0
    are_paths = is_list and all(isinstance(run, Path) for run in predictions)
    if are_paths or isinstance(predictions, Runs):
        return [_Run(name, f"{label}, run {number}", run) for number, run in enumerate(predictions, 1)]
    return [_Run(name, label, predictions)]


def compare_tallies(
    tallies: Mapping[str, Sequence[UtteranceTally]],
    plan: Plan,
    resampling: Resampling,
    *,
    baseline: str | None = None,
    primary: str | None = None,
    n_trials: int = 10_000,
    margin: float | None = None,
) -> SystemComparison:
    """Compare systems, as `compare` does, by the tallies of their runs, of the same utterances in the same clusters."""
    check_comparison(tallies, baseline, primary, n_trials, margin)
    confidence: float = options_in(CompareOptions)["confidence"].check(resampling.confidence)
    primary = choose_primary(plan.keys, primary)
    # A comparison is of the utterances that no system skips: the number of skipped ones is no score of it.
    keys = tuple(key for key in plan.keys if key != SKIPPED)
    plan = replace(plan, keys=keys)
    if baseline is None:
        baseline = next(iter(tallies))
    # The baseline comes first.
    ordered = {baseline: tallies[baseline], **tallies}
    has_runs = any(len(run_tallies) > 1 for run_tallies in ordered.values())
    if has_runs and resampling.interval_method == "percentile":
        raise OptionError(
            OPTIONS["interval_method"].set("percentile"),
            ": it has no variance of runs: leave it out, or pass one run of each.",
        )
    skipped = {system: sum(tally.skipped for tally in run_tallies) for system, run_tallies in ordered.items()}
    common, indexes = _scored_by_all(ordered)
    first_tally = common[baseline][0]
    check_utterances(first_tally, keys)
    for system, run_tallies in common.items():
        warn_of_left_out(run_tallies[0], plan, resampling, system)
    totals = {system: [tally.totals() for tally in run_tallies] for system, run_tallies in common.items()}
    warn_of_scores(plan, *chain.from_iterable(totals.values()))
    undefined: dict[str, list[str]] = {system: [] for system in common}
    if resampling.average == "micro":
        undefined = {system: _undefined_in_a_run(run_totals, keys) for system, run_totals in totals.items()}
    sampled = {system: sample(run_tallies, keys, plan, resampling) for system, run_tallies in common.items()}
    sum_keys, type_keys = split_keys(keys, resampling.average)
    exchanges = None
    if sum_keys and not has_runs:
        sums = {system: of_system.sums[0] for system, of_system in sampled.items()}
        exchanges = Exchanges.of(sums, n_trials, resampling.seed, plan.zero_division)
    tests = _Tests(sampled, exchanges, primary, confidence, margin)
    scores: dict[str, dict[str, float]] = {}
    intervals: dict[str, dict[str, tuple[float, float]]] = {}
    for system, of_system in sampled.items():
        scores[system] = {key: of_system.mean(key) for key in keys}
        intervals[system] = {key: interval(key, confidence, of_system) for key in keys}
    utterance_scores = {}
    for system, run_tallies in common.items():
        of_runs = [tally.per_utterance([primary], plan.zero_division_of_utterances)[primary] for tally in run_tallies]
        utterance_scores[system] = np.mean(of_runs, axis=0)
    comparison = SystemComparison(
        baseline=baseline,
        primary=primary,
        scores=scores,
        intervals=intervals,
        differences=tests.differences(undefined),
        pairs=tests.pairs(),
        confidence=confidence,
        utterances=len(first_tally),
        skipped=skipped,
        runs={system: len(run_tallies) for system, run_tallies in common.items()},
        trials=0 if exchanges is None else exchanges.n_trials,
        is_exact=exchanges is not None and exchanges.is_exact,
        clusters=None if first_tally.clusters is None else first_tally.cluster_count,
        margin=margin,
        seed=resampling.seed,
        undefined=undefined,
        of_types=type_keys,
        compared=indexes,
        utterance_scores=utterance_scores,
    )
    warn_of_sample(first_tally, resampling)
    problem = describe_few_trials(comparison)
    if problem:
        warn(Message(problem, "."))
    for system, of_system in sampled.items():
        warn_of_missing(comparison.intervals[system], of_system, first_tally.sampled_unit)
    return comparison


def _undefined_in_a_run(run_totals: Sequence[Mapping[str, int]], keys: Sequence[str]) -> list[str]:
    """Return the scores that are 0/0 in at least one run, from the total counts of each run."""
    undefined: set[str] = set()
    for totals in run_totals:
        undefined.update(undefined_keys(totals, keys))
    return [key for key in keys if key in undefined]


def _scored_by_all(
    systems: Mapping[str, Sequence[UtteranceTally]],
) -> tuple[dict[str, list[UtteranceTally]], npt.NDArray[np.int64]]:
    """Select the utterances that no system skips from all tallies; return these tallies and the indexes of the utterances."""
    is_common = np.logical_and.reduce([tally.is_scored for tally in chain(*systems.values())])
    LeftOut(int((~is_common).sum()), len(is_common)).check("the systems together")
    indexes = np.flatnonzero(is_common)
    common: dict[str, list[UtteranceTally]] = {}
    for system, run_tallies in systems.items():
        if is_common.all():
            common[system] = list(run_tallies)
        else:
            common[system] = [tally.take(indexes) for tally in run_tallies]
    return common, indexes


def choose_primary(keys: Sequence[str], primary: str | None) -> str:
    """Return the primary score: by default the `main_score` of the scores that tests compare."""
    if primary is None:
        tested = [key for key in keys if not _why_untested(key)]
        if not tested:
            raise OptionError(
                OPTIONS["scores"].set(keys), f": {_why_untested(keys[0])}: name at least one other score."
            )
        return main_score(tested)
    check_scored(OPTIONS["primary"], primary, keys)
    why = _why_untested(primary)
    if why:
        raise OptionError(OPTIONS["primary"].set(primary), f": {why}: expected another score, such as token_fscore.")
    return primary


def _why_untested(key: str) -> str:
    """Return why no test compares a score, in words; empty for one that tests compare."""
    if key == SKIPPED:
        return "it is a count, which no test compares"
    if group_of(key).keys[key].better == OF_TEXT:
        return "it depends on the reference alone, so all systems have the same value"
    return ""


class _Tested(NamedTuple):
    """A difference of two systems, with the p-value of the test that the conventions choose."""

    difference: Estimate
    p_value: float


@dataclass(frozen=True)
class _Tests:
    """The tests of all differences; the first system is the baseline."""

    sampled: Mapping[str, Sampled]
    exchanges: Exchanges | None
    primary: str
    confidence: float
    margin: float | None

    def of(self, first: str, second: str, keys: Sequence[str]) -> dict[str, _Tested]:
        """Estimate the differences of the second system from the first, by key, with their p-values."""
        p_of_exchanges = {}
        if self.exchanges is not None:
            sum_keys = self.exchanges.systems[first].units
            p_of_exchanges = self.exchanges.p_values(first, second, [key for key in keys if key in sum_keys])
        tested = {}
        for key in keys:
            difference = estimate(key, self.sampled[second], self.sampled[first])
            p_value = p_of_exchanges.get(key, math.nan)
            units = self.sampled[first].without[key].shape[1]
            if math.isnan(p_value) or units < FEW_UNITS:
                # Where one p-value is nan, the other decides.
                p_value = float(np.fmax(difference.p_value(), p_value))
            tested[key] = _Tested(difference, p_value)
        return tested

    def pairs(self) -> dict[tuple[str, str], float]:
        """Compute the p-values of all pairs of systems by the primary score, corrected over all pairs."""
        p_values = {}
        for first, second in combinations(sorted(self.sampled), 2):
            p_values[first, second] = self.of(first, second, [self.primary])[self.primary].p_value
        return holm(p_values)

    def differences(self, undefined: Mapping[str, Sequence[str]]) -> dict[str, dict[str, ScoreDifference]]:
        """Compute the differences from the baseline, by system and key; `undefined` are the scores that are 0/0."""
        baseline, *others = self.sampled
        keys = [key for key in self.sampled[baseline].scores if not _why_untested(key)]
        tested = {system: self.of(baseline, system, keys) for system in others}
        corrected = holm({system: of_system[self.primary].p_value for system, of_system in tested.items()})
        differences: dict[str, dict[str, ScoreDifference]] = {}
        for system, of_system in tested.items():
            pair = _SystemPair.of(self.sampled[baseline], self.sampled[system])
            differences[system] = {key: self._difference(pair, key, of_key) for key, of_key in of_system.items()}
            is_defined = self.primary not in (*undefined[baseline], *undefined[system])
            differences[system][self.primary] = self._with_verdict(
                differences[system][self.primary],
                pair,
                of_system[self.primary].difference,
                p_corrected=corrected[system],
                is_defined=is_defined,
            )
        return differences

    def _difference(self, pair: _SystemPair, key: str, tested: _Tested) -> ScoreDifference:
        """Return the difference of a score, without a verdict."""
        before = pair.baseline.mean(key)
        after = pair.system.mean(key)
        low, high = interval(key, self.confidence, pair.system, pair.baseline)
        has_detectable = len(pair.gains[0][key]) >= MIN_CLUSTERS and tested.difference.error != 0
        counts = won_tied_lost(key, pair.gains)
        return ScoreDifference(
            score=after,
            baseline_score=before,
            difference=after - before,
            low=low,
            high=high,
            p_value=tested.p_value,
            p_corrected=math.nan,
            detectable=tested.difference.detectable(self.confidence) if has_detectable else math.nan,
            won=counts.won,
            tied=counts.tied,
            lost=counts.lost,
            verdict="",
            against_margin="",
        )

    def _with_verdict(
        self,
        difference: ScoreDifference,
        pair: _SystemPair,
        estimated: Estimate,
        *,
        p_corrected: float,
        is_defined: bool,
    ) -> ScoreDifference:
        """Return the difference of the primary score with its corrected p-value, and the verdicts on it."""
        p_defined = p_corrected if is_defined else math.nan
        verdict = verdict_of(self.primary, difference.score, difference.baseline_score, p_defined, self.confidence)
        against_margin = ""
        if self.margin is not None:
            key = group_of(self.primary).keys[self.primary]
            least, most = key.range
            differing = pair.least_differing(self.primary)
            against_margin = estimated.against_margin(self.margin, self.confidence, differing, key.better, most - least)
            if not is_defined:
                against_margin = "undefined"
        return replace(difference, p_corrected=p_corrected, verdict=verdict, against_margin=against_margin)


@dataclass(frozen=True)
class _SystemPair:
    """A system beside the baseline, with the gains of each pair of their runs."""

    baseline: Sampled
    system: Sampled
    gains: Sequence[Gains]

    @staticmethod
    def of(baseline: Sampled, system: Sampled) -> _SystemPair:
        runs = product(range(len(baseline.sums)), range(len(system.sums)))
        gains = [unit_gains(baseline, system, run, other_run) for run, other_run in runs]
        return _SystemPair(baseline, system, gains)

    def least_differing(self, key: str) -> int:
        """Return the number of units that differ in a score, of the pair of runs with the fewest."""
        return min(int(np.count_nonzero(gains[key])) for gains in self.gains)


def check_comparison(
    systems: Mapping[str, Any], baseline: str | None, primary: str | None, n_trials: int, margin: float | None
) -> None:
    """Check that there are systems to compare, and the baseline among them, and the options of the tests."""
    check_systems(systems)
    if len(systems) < 2:
        raise ValueError(
            f"systems: expected at least two, received {len(systems)}: with one there is nothing to compare."
        )
    if baseline is not None and baseline not in systems:
        raise ValueError(f"unknown baseline {baseline!r}: the systems are {', '.join(map(repr, systems))}.")
    check_options({"primary": primary, "n_trials": n_trials, "margin": margin}, OPTIONS)


def check_systems(systems: Mapping[str, Any]) -> None:
    """Check that the systems have names."""
    if not isinstance(systems, Mapping):
        raise TypeError(f"systems: expected a dict from names to predictions, received {type(systems).__name__}.")
    for name in systems:
        if not isinstance(name, str):
            raise TypeError(f"systems: expected names as strings, received {name!r}.")


def describe_few_trials(comparison: SystemComparison) -> str:
    """Say why no difference can be significant, whatever the systems predict, and what to do; empty if one can be."""
    systems = len(comparison.differences)
    trials = comparison.trials
    if not trials:
        smallest_p = 0.0
    elif comparison.is_exact:
        # The observed exchange and its mirror image, two of all exchanges, always have the observed difference.
        smallest_p = 2 / trials
    else:
        smallest_p = 1 / (1 + trials)
    if is_significant(min(1.0, smallest_p * systems), comparison.confidence):
        return ""
    if comparison.is_exact:
        units, noun = tested_units(comparison)
        help_text = Message(f"{units} {noun} are too few for a p-value below {smallest_p:.2g}")
    else:
        needed = OPTIONS["n_trials"].set(math.ceil(systems / (1 - comparison.confidence)) - 1)
        few = f"{trials} trials are too few for a p-value below {smallest_p:.2g}: take "
        help_text = Message(few, needed, " or more")
    corrected = f", and Holm's correction multiplies it by up to {systems}" if systems > 1 else ""
    return Message(f"no difference can be significant at {1 - comparison.confidence:.3g}: ", help_text, corrected)
