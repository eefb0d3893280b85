"""System comparison: several predictions of one reference, their scores, and the significance of their differences.

Conventions
-----------
- One system is the baseline; every other is compared with it, unit by unit (utterances, or clusters of them). Utterances that
  `on_mismatch="skip"` leaves out of any system are left out of all, in scores too.
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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..options.errors import warn
from ..options.keywords import CompareOptions, Unpack
from ..options.messages import Message, OptionError
from ..options.option import check_needs, check_options
from ..options.table import OPTIONS, options_in
from ..scoring.functions import with_options
from ..scoring.measures.group import OF_TEXT
from ..scoring.measures.registry import check_scored, group_of, main_score, undefined_keys
from ..scoring.passes import concatenate_tallies, open_systems
from ..scoring.plan import Plan
from ..scoring.tally import check_skipped, warn_of_scores, warn_of_skipped
from ..scoring.utterance_tally import SKIPPED, UtteranceTally
from .clusters import MIN_CLUSTERS, read_clusters, with_clusters
from .comparison_results import FEW_UNITS, SystemComparison
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
from .significance import ScoreDifference, holm, is_significant, unit_gains, verdict_of, won_tied_lost
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
    check_comparison(systems, **tests)
    labelled = []
    for name, system in systems.items():
        # A path is no utterance, so that a list of paths can only be runs.
        are_paths = isinstance(system, (list, tuple)) and system and all(isinstance(run, Path) for run in system)
        has_runs = are_paths or isinstance(system, Runs)
        for number, prediction in enumerate(system if has_runs else [system], 1):
            labelled.append((name, f"system {name!r}" + (f", run {number}" if has_runs else ""), prediction))
    names, labels, predictions = zip(*labelled, strict=True)
    sides, plan = open_systems(plan, references, *predictions, names=labels)
    run_tallies, _, observed = concatenate_tallies(sides, plan)
    ids = None if resampling.clusters is None else read_clusters(resampling.clusters, observed.utterances)
    tallies: dict[str, list[UtteranceTally]] = {}
    for name, tally in zip(names, run_tallies, strict=True):
        tallies.setdefault(name, []).append(with_clusters(tally, ids))
    return compare_tallies(tallies, plan, resampling, **tests)


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
    name = next(iter(tallies)) if baseline is None else baseline
    ordered = {name: tallies[name]} | dict(tallies)
    has_runs = any(len(run_tallies) > 1 for run_tallies in ordered.values())
    if has_runs and resampling.interval_method == "percentile":
        raise OptionError(
            OPTIONS["interval_method"].set("percentile"),
            ": it has no variance of runs: leave it out, or pass one run of each.",
        )
    skipped = {system: sum(tally.skipped for tally in run_tallies) for system, run_tallies in ordered.items()}
    common, places = _scored_by_all(ordered)
    first = common[name][0]
    check_utterances(first, keys)
    for system, (one_run, *_) in common.items():
        warn_of_left_out(one_run, plan, resampling, system)
    totals = {system: [tally.totals() for tally in run_tallies] for system, run_tallies in common.items()}
    warn_of_scores(plan, *chain.from_iterable(totals.values()))
    undefined: dict[str, list[str]] = {system: [] for system in common}
    if resampling.average == "micro":
        for system, run_totals in totals.items():
            of_runs = {key for total in run_totals for key in undefined_keys(total, keys)}
            undefined[system] = [key for key in keys if key in of_runs]
    sampled = {system: sample(run_tallies, keys, plan, resampling) for system, run_tallies in common.items()}
    sum_keys, type_keys = split_keys(keys, resampling.average)
    exchanges = None
    if sum_keys and not has_runs:
        columns = {system: of_system.sums[0] for system, of_system in sampled.items()}
        exchanges = Exchanges.of(columns, n_trials, resampling.seed, plan.zero_division)
    tests, zero = _Tests(sampled, exchanges, primary, confidence, margin), plan.zero_division_of_utterances
    comparison = SystemComparison(
        baseline=name,
        primary=primary,
        scores={name: {key: system.mean(key) for key in keys} for name, system in sampled.items()},
        intervals={name: {key: interval(key, confidence, system) for key in keys} for name, system in sampled.items()},
        differences=tests.differences(undefined),
        pairs=tests.pairs(),
        confidence=confidence,
        utterances=len(first),
        skipped=skipped,
        runs={system: len(run_tallies) for system, run_tallies in common.items()},
        trials=0 if exchanges is None else exchanges.n_trials,
        is_exact=exchanges is not None and exchanges.is_exact,
        clusters=None if first.clusters is None else first.cluster_count,
        margin=margin,
        seed=resampling.seed,
        undefined=undefined,
        of_types=type_keys,
        compared=places,
        utterance_scores={
            system: np.mean([tally.per_utterance([primary], zero)[primary] for tally in run_tallies], axis=0)
            for system, run_tallies in common.items()
        },
    )
    warn_of_sample(first, resampling)
    if problem := describe_few_trials(comparison):
        warn(Message(problem, "."))
    for system, of_system in sampled.items():
        warn_of_missing(comparison.intervals[system], of_system, first.sampled_unit)
    return comparison


def _scored_by_all(
    systems: Mapping[str, Sequence[UtteranceTally]],
) -> tuple[dict[str, list[UtteranceTally]], npt.NDArray[np.int64]]:
    """Select the utterances that no system skips from all tallies, and return their indexes too."""
    for system, run_tallies in systems.items():
        for tally in run_tallies:
            check_skipped(tally.skipped, len(tally), system)
            warn_of_skipped(tally.skipped, len(tally), system)
    is_common = np.logical_and.reduce([tally.is_scored for tally in chain(*systems.values())])
    check_skipped(int((~is_common).sum()), len(is_common), "the systems together")
    places = np.flatnonzero(is_common)
    return {
        system: [tally if is_common.all() else tally.take(places) for tally in run_tallies]
        for system, run_tallies in systems.items()
    }, places


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
    if why := _why_untested(primary):
        raise OptionError(OPTIONS["primary"].set(primary), f": {why}: expected another score, such as token_fscore.")
    return primary


def _why_untested(key: str) -> str:
    """Return why no test compares a score, in words; empty for one that tests compare."""
    if key == SKIPPED:
        return "it is a count, which no test compares"
    of_text = group_of(key).better_of(key) == OF_TEXT
    return "it depends on the reference alone, so all systems have the same value" if of_text else ""


@dataclass(frozen=True)
class _Tests:
    """The tests of all differences; the first system is the baseline."""

    sampled: Mapping[str, Sampled]
    exchanges: Exchanges | None
    primary: str
    confidence: float
    margin: float | None

    def of(self, first: str, second: str, keys: Iterable[str]) -> dict[str, tuple[Estimate, float]]:
        """Estimate the differences of the second system from the first, with their p-values."""
        exchanged = {}
        if self.exchanges is not None:
            of_sums = self.exchanges.systems[first].units
            exchanged = self.exchanges.p_values(first, second, [key for key in keys if key in of_sums])
        tested = {}
        for key in keys:
            difference, p_value = estimate(key, self.sampled[second], self.sampled[first]), exchanged.get(key, math.nan)
            if math.isnan(p_value) or self.sampled[first].without[key].shape[1] < FEW_UNITS:
                # Where one p-value is nan, the other decides.
                p_value = float(np.fmax(difference.p_value(), p_value))
            tested[key] = difference, p_value
        return tested

    def pairs(self) -> dict[tuple[str, str], float]:
        """Compute the p-values of all pairs of systems by the primary score, corrected over all pairs."""
        key = self.primary
        pairs = combinations(sorted(self.sampled), 2)
        return holm({pair: self.of(*pair, [key])[key][1] for pair in pairs})

    def differences(self, undefined: Mapping[str, Sequence[str]]) -> dict[str, dict[str, ScoreDifference]]:
        """Compute the differences from the baseline, by system and key; `undefined` are the scores that are 0/0."""
        baseline, *others = self.sampled
        keys = [key for key in self.sampled[baseline].scores if not _why_untested(key)]
        tested = {system: self.of(baseline, system, keys) for system in others}
        corrected = holm({system: of_system[self.primary][1] for system, of_system in tested.items()})
        differences: dict[str, dict[str, ScoreDifference]] = {}
        for system, of_system in tested.items():
            sides = self.sampled[baseline], self.sampled[system]
            gains = [unit_gains(*sides, *pair) for pair in product(*(range(len(side.sums)) for side in sides))]
            differences[system] = {}
            for key, (difference, p_value) in of_system.items():
                group, is_primary = group_of(key), key == self.primary
                before, after = (side.mean(key) for side in sides)
                verdict = against = ""
                if is_primary:
                    is_defined = key not in (*undefined[baseline], *undefined[system])
                    p_defined = corrected[system] if is_defined else math.nan
                    verdict = verdict_of(key, after, before, p_defined, self.confidence)
                    if self.margin is not None:
                        differing = min(int(np.count_nonzero(gain[key])) for gain in gains)
                        least, most = group.range_of(key)
                        against = difference.against_margin(
                            self.margin, self.confidence, differing, group.better_of(key), most - least
                        )
                        against = against if is_defined else "undefined"
                has_error = len(gains[0][key]) >= MIN_CLUSTERS and difference.error
                detectable = difference.detectable(self.confidence) if has_error else math.nan
                ends, counts = interval(key, self.confidence, *sides[::-1]), won_tied_lost(key, gains)
                p_corrected = corrected[system] if is_primary else math.nan
                differences[system][key] = ScoreDifference(
                    after, before, after - before, *ends, p_value, p_corrected, detectable, *counts, verdict, against
                )
        return differences


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
    systems, trials = len(comparison.differences), comparison.trials
    # The observed exchange and its mirror image, two of all exchanges, always have the observed difference.
    least = 0.0 if not trials else 2 / trials if comparison.is_exact else 1 / (1 + trials)
    if is_significant(min(1.0, least * systems), comparison.confidence):
        return ""
    if comparison.is_exact:
        noun = "utterances" if comparison.clusters is None else "clusters"
        units = comparison.utterances if comparison.clusters is None else comparison.clusters
        help_text = Message(f"{units} {noun} are too few for a p-value below {least:.2g}")
    else:
        needed = OPTIONS["n_trials"].set(math.ceil(systems / (1 - comparison.confidence)) - 1)
        help_text = Message(f"{trials} trials are too few for a p-value below {least:.2g}: take ", needed, " or more")
    corrected = f", and Holm's correction multiplies it by up to {systems}" if systems > 1 else ""
    return Message(f"no difference can be significant at {1 - comparison.confidence:.3g}: ", help_text, corrected)
