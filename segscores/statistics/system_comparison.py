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
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..kernel.record import record
from ..options.errors import warn
from ..options.keywords import CompareOptions, Unpack
from ..options.messages import Message, OptionError
from ..options.option import check_needs, check_options
from ..options.table import OPTIONS, options_in
from ..reading.sources.source import Side
from ..reading.trouble import LeftOut
from ..scoring.functions import with_options
from ..scoring.measures.group import SKIPPED
from ..scoring.observations import Observations
from ..scoring.passes import concatenate_tallies, open_systems
from ..scoring.plan import Plan
from ..scoring.tally import warn_of_scores
from ..scoring.utterance_tally import UtteranceTally
from .clusters import read_clusters, with_clusters
from .comparison_results import SystemComparison, tested_units
from .difference_tests import DifferenceTests, check_margin, choose_primary
from .jackknife import ROUNDING
from .randomisation import Exchanges
from .resampling import (
    Resampling,
    Sampled,
    check_utterances,
    interval,
    sample,
    split_keys,
    split_options,
    warn_of_sample,
)
from .significance import is_significant
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
        references: utterances, in any form of the README's Inputs.
        systems: by name the predictions of at least two systems, in the same form; of several runs as `runs(first, second)`,
            or as a list of `pathlib.Path`.
        **options: how to score, resample and test.

    Raises:
        TypeError, ValueError: as `scoring.score`, with the system's name; or fewer than two systems, an unknown baseline, or
            fewer than two utterances or clusters.

    Warns:
        UserWarning: as `tally.warn_of_scores`; two systems have the same counts in each utterance; there are few utterances or
            clusters, or a large one; no difference can be significant with so few trials; or a score has no interval, and why.

    >>> comparison = compare(
    ...     ["a b c", "d e f", "g h"],
    ...     {"old": ["ab c", "de f", "g h"], "new": ["a b c", "d e f", "gh"]},
    ...     text_format="words", scores="token",
    ... )
    >>> round(comparison.differences["new"]["token_recall"].difference, 3), comparison.primary, comparison.is_exact
    (0.25, 'token_fscore', True)
    """
    plan, resampling, values = split_options(options, CompareOptions)
    check_needs(options, options_in(CompareOptions), values=values)
    tests = {name: values[name] for name in ("baseline", "primary", "n_trials", "margin")}
    tallied = tally_systems(references, systems, plan, resampling, tests)
    comparison = compare_tallies(tallied.tallies, tallied.plan, resampling, **tests)
    signature = sign_sides(
        tallied.sides,
        tallied.plan,
        tallied.observed,
        resampling=resampling,
        clusters=comparison.clusters,
        further=comparison.signed,
    )
    return replace(comparison, signature=signature)


@record
class TalliedSystems:
    """The tallies of the runs of systems, with what signs them."""

    tallies: Mapping[str, Sequence[UtteranceTally]]
    sides: Sequence[Side]
    plan: Plan  #: with what the reference decides, such as the window size
    observed: Observations


def tally_systems(
    references: Any,
    systems: Mapping[str, Any],
    plan: Plan,
    resampling: Resampling,
    tests: Mapping[str, Any],
    *,
    with_reference_lines: bool = False,
) -> TalliedSystems:
    """Check the systems and the options of the tests, and tally each run.

    If `with_reference_lines`, `observed.ids` has the text of each line of the references, which may have the values of `by`.
    """
    check_comparison(systems, **tests)
    all_runs: list[_Run] = []
    for name, predictions in systems.items():
        all_runs += _runs_of(name, predictions)
    # A side for each run, whose tallies are then sorted by systems.
    labels = [run.label for run in all_runs]
    sides, plan = open_systems(plan, references, *(run.prediction for run in all_runs), names=labels)
    reference, *_ = sides
    # Ids are what a pass records of further sides as it stands, without reading it as words: here the lines of the reference.
    sides_of_ids = [reference] if with_reference_lines else []
    run_tallies, observed = concatenate_tallies(sides, plan, with_digest=True, ids=sides_of_ids)
    clusters = None if resampling.clusters is None else read_clusters(resampling.clusters, observed.utterances)
    tallies: dict[str, list[UtteranceTally]] = {name: [] for name in systems}
    for run, tally in zip(all_runs, run_tallies, strict=True):
        tallies[run.system].append(with_clusters(tally, clusters))
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
        return [_Run(name, f"{label}, run {number}", run) for number, run in enumerate(predictions, start=1)]
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
    # Checks, and what is compared: the scores, on the utterances that no system skips.
    check_comparison(tallies, baseline, primary, n_trials, margin)
    # The confidence of a resampling is None if no intervals are wanted. A comparison needs one: `check` raises an error for None.
    confidence: float = options_in(CompareOptions)["confidence"].check(resampling.confidence)
    primary = choose_primary(plan.keys, primary)
    check_margin(margin, primary)
    # A comparison is of the utterances that no system skips: the number of skipped ones is no score of it.
    keys = tuple(key for key in plan.keys if key != SKIPPED)
    plan = replace(plan, keys=keys)
    if baseline is None:
        baseline = next(iter(tallies))
    # The baseline comes first: a dict keeps the first place of a key that comes twice.
    ordered = {baseline: tallies[baseline], **tallies}
    _check_interval_method(ordered, resampling)
    common = CommonUtterances.of(ordered)
    check_utterances(common.first_tally, keys)
    totals = common.totals()
    _warn_of_tallies(common, totals, plan, resampling)

    # The samples and the tests.
    sampled = {system: sample(run_tallies, keys, plan, resampling) for system, run_tallies in common.tallies.items()}
    sum_keys, type_keys = split_keys(keys, resampling.average)
    exchanges = _exchanges_of(sampled, sum_keys, n_trials, resampling.seed, plan.zero_division)
    tests = DifferenceTests(sampled, exchanges, primary, confidence, margin)
    undefined = _undefined_scores(common.tallies, keys, resampling)

    first_tally = common.first_tally
    comparison = SystemComparison(
        baseline=baseline,
        primary=primary,
        scores=_scores_of(sampled, keys),
        intervals=_intervals_of(sampled, keys, confidence),
        differences=tests.differences(undefined),
        pairs=tests.pairs(),
        confidence=confidence,
        utterances=len(first_tally),
        # The numbers of all utterances: the common ones are those that no system skips.
        skipped={system: sum(tally.skipped for tally in run_tallies) for system, run_tallies in ordered.items()},
        runs={system: len(run_tallies) for system, run_tallies in ordered.items()},
        # Without exchanges, all tests are of Student's t.
        trials=0 if exchanges is None else exchanges.n_trials,
        is_exact=exchanges is not None and exchanges.is_exact,
        clusters=None if first_tally.clusters is None else first_tally.cluster_count,
        margin=margin,
        seed=resampling.seed,
        undefined=undefined,
        of_types=type_keys,
        # The indexes of the common utterances among all utterances.
        compared=common.indexes,
        utterance_scores=_utterance_scores(common, primary, plan),
        noun=first_tally.noun,
    )
    _warn_of_tests(comparison, sampled, first_tally, resampling)
    return comparison


def _warn_of_tallies(
    common: CommonUtterances, totals: Mapping[str, Sequence[Mapping[str, int]]], plan: Plan, resampling: Resampling
) -> None:
    """Warn of utterances without a score, of systems that are alike, and of scores that are 0/0.

    `totals` has by system the counts of each run.
    """
    for system, run_tallies in common.tallies.items():
        # A warning for each system is enough: that of its first run.
        first_run, *_ = run_tallies
        warn_of_left_out(first_run, plan, resampling, system)
    _warn_of_copies(common)
    warn_of_scores(plan, *chain.from_iterable(totals.values()))


def _warn_of_copies(common: CommonUtterances) -> None:
    """Warn of each system that has the counts of one before it in every utterance: their predictions may be copies."""
    rows = f"{len(common.indexes)} {common.first_tally.noun}s"
    systems = [*common.tallies]
    for number, system in enumerate(systems):
        alike = [name for name in systems[:number] if _have_same_counts(common.tallies[name], common.tallies[system])]
        if alike:
            warn(f"{alike[0]} and {system} have the same counts in each of the {rows}: are they the same predictions?")


def _have_same_counts(first_runs: Sequence[UtteranceTally], second_runs: Sequence[UtteranceTally]) -> bool:
    """Return whether two systems have equally many runs, and the n-th runs of both have the same counts."""
    if len(first_runs) != len(second_runs):
        return False
    return all(first.has_counts_of(second) for first, second in zip(first_runs, second_runs, strict=True))


def _warn_of_tests(
    comparison: SystemComparison, sampled: Mapping[str, Sampled], tally: UtteranceTally, resampling: Resampling
) -> None:
    """Warn of a sample or of trials that are too few, and of scores without an interval.

    `tally` is of the compared utterances, with their clusters.
    """
    warn_of_sample(tally, resampling)
    problem = describe_few_trials(comparison)
    if problem:
        warn(Message(problem, "."))
    for system, of_system in sampled.items():
        warn_of_missing(comparison.intervals[system], of_system, tally.sampled_unit)


def _scores_of(sampled: Mapping[str, Sampled], keys: Sequence[str]) -> dict[str, dict[str, float]]:
    """Return by system and key the scores, means over runs."""
    return {system: {key: of_system.mean(key) for key in keys} for system, of_system in sampled.items()}


def _intervals_of(
    sampled: Mapping[str, Sampled], keys: Sequence[str], confidence: float
) -> dict[str, dict[str, tuple[float, float]]]:
    """Return by system and key the low and the high end of the interval."""
    intervals = {}
    for system, of_system in sampled.items():
        intervals[system] = {key: interval(key, confidence, of_system) for key in keys}
    return intervals


def _check_interval_method(tallies: Mapping[str, Sequence[UtteranceTally]], resampling: Resampling) -> None:
    """Check that no system has several runs if intervals are percentiles."""
    has_runs = any(len(run_tallies) > 1 for run_tallies in tallies.values())
    if has_runs and resampling.interval_method == "percentile":
        raise OptionError(
            OPTIONS["interval_method"].set("percentile"),
            ": it has no variance of runs: leave it out, or pass one run of each.",
        )


class CommonUtterances(NamedTuple):
    """The utterances that no system skips."""

    tallies: Mapping[str, Sequence[UtteranceTally]]  #: by system, the tallies of its runs, of these utterances alone
    indexes: npt.NDArray[np.int64]  #: the index of each of them among all utterances

    @classmethod
    def of(cls, systems: Mapping[str, Sequence[UtteranceTally]]) -> CommonUtterances:
        """Select these utterances from tallies of all utterances; raise an error if there are none."""
        is_common = np.logical_and.reduce([tally.is_scored for tally in chain(*systems.values())])
        skipped = int((~is_common).sum())
        LeftOut(skipped, len(is_common)).check("the systems together")
        indexes = np.flatnonzero(is_common)
        if is_common.all():
            return cls(systems, indexes)
        common = {system: [tally.take(indexes) for tally in run_tallies] for system, run_tallies in systems.items()}
        return cls(common, indexes)

    @property
    def first_tally(self) -> UtteranceTally:
        """The tally of the first run of the first system: all tallies have its utterances and clusters."""
        first_run, *_ = next(iter(self.tallies.values()))
        return first_run

    def totals(self) -> dict[str, list[dict[str, int]]]:
        """Return by system the total counts of each run."""
        return {system: [tally.totals() for tally in run_tallies] for system, run_tallies in self.tallies.items()}


def _undefined_scores(
    tallies: Mapping[str, Sequence[UtteranceTally]], keys: Sequence[str], resampling: Resampling
) -> dict[str, list[str]]:
    """Return by system the scores that are 0/0 in at least one run; `tallies` has by system the tally of each run."""
    undefined = {}
    for system, run_tallies in tallies.items():
        of_runs = [tally.undefined(keys, resampling.average) for tally in run_tallies]
        undefined[system] = [key for key in keys if any(key in of_run for of_run in of_runs)]
    return undefined


def _exchanges_of(
    sampled: Mapping[str, Sampled], sum_keys: Sequence[str], n_trials: int, seed: int, zero_division: float
) -> Exchanges | None:
    """Return the trials of paired randomisation; None if no score is of sums, or a system has several runs."""
    has_runs = any(len(of_system.sums) > 1 for of_system in sampled.values())
    if has_runs or not sum_keys:
        return None
    sums = {system: of_system.sums_of_only_run for system, of_system in sampled.items()}
    return Exchanges.of(sums, n_trials, seed, zero_division)


def _utterance_scores(common: CommonUtterances, key: str, plan: Plan) -> dict[str, npt.NDArray[np.float64]]:
    """Return by system the score of each common utterance, the mean over runs."""
    means = {}
    for system, run_tallies in common.tallies.items():
        of_runs = [tally.per_utterance([key], plan.zero_division_of_utterances)[key] for tally in run_tallies]
        means[system] = np.mean(of_runs, axis=0)
    return means


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
    _check_names(systems, "systems")


def systems_of(predictions: Any) -> Mapping[str, Any]:
    """Return the predictions of systems by name, from a dict of several, or from the predictions of one: `{"prediction": …}`."""
    if not isinstance(predictions, Mapping):
        return {"prediction": predictions}
    if not predictions:
        raise ValueError("predictions: expected at least one system in the dict, received none.")
    _check_names(predictions, "predictions")
    return predictions


def _check_names(systems: Mapping[Any, Any], argument: str) -> None:
    """Check that the names of systems are strings; `argument` is the name of the argument."""
    for name in systems:
        if not isinstance(name, str):
            raise TypeError(f"{argument}: expected names as strings, received {name!r}.")


def describe_few_trials(comparison: SystemComparison) -> str:
    """Say why no difference can be significant, whatever the systems predict, and what to do; empty if one can be.

    An example is "no difference can be significant at 0.05: 10 trials are too few for a p-value below 0.091: take n_trials=19 or
    more".
    """
    difference_count = len(comparison.differences)
    trials = comparison.trials
    if not trials:
        # The p-values of Student's t have no smallest value.
        smallest_p = 0.0
    elif comparison.is_exact:
        # The observed exchange and its mirror image, two of all exchanges, always have the observed difference.
        smallest_p = 2 / trials
    else:
        smallest_p = 1 / (1 + trials)
    # Holm's correction multiplies the smallest of several p-values by their number.
    if is_significant(min(1.0, smallest_p * difference_count), comparison.confidence):
        return ""
    if comparison.is_exact:
        units, noun = tested_units(comparison)
        # More trials do not help: these are all.
        help_text = Message(f"{units} {noun} are too few for a p-value below {smallest_p:.2g}")
    else:
        # The least n with 1/(1 + n) · difference_count ≤ 1 − confidence. Rounding must not make 9 trials 10: 1 − 0.9 is a little
        # less than 0.1.
        least_trials = math.ceil(difference_count / (1 - comparison.confidence) - ROUNDING) - 1
        needed = OPTIONS["n_trials"].set(least_trials)
        few = f"{trials} trials are too few for a p-value below {smallest_p:.2g}: take "
        help_text = Message(few, needed, " or more")
    corrected = ""
    if difference_count > 1:
        corrected = f", and Holm's correction multiplies it by up to {difference_count}"
    return Message(f"no difference can be significant at {1 - comparison.confidence:.3g}: ", help_text, corrected)
