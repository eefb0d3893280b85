"""System comparison: several predictions of one reference, what they score, and whether their differences are real.

Conventions
-----------
- One system is the baseline; every other is compared with it, utterance by utterance. A difference is the system's score
  less the baseline's.
- One score decides (`decide_by`): only it has corrected p-values, verdicts, marks and ranks (see `significance`).
- Utterances that `on_mismatch="skip"` leaves out of any system are left out of all, in scores too.

Which systems can be distinguished
-------------------------------
All pairs of systems are tested by the score that decides with the same exchanges, and their p-values corrected over all pairs
by max-T; those of Student's t by Holm's method. So the probability that any two systems alike are distinguished is at most 1 −
confidence, however the best was found. A system is not distinguishable from the best where their corrected p-value is greater.
A system's rank lies between one more than the number of systems that are significantly better and the number of systems less
those that are significantly worse: the rank ranges of WMT (Bojar et al. 2013 ff.). Pairs without the baseline take fewer trials
the more systems there are, so that the work is linear in systems.

Equivalence
-----------
That a difference is not significant does not say that it is small. With a margin δ, the largest difference that would not
matter, the interval of the difference says so: where it lies within (−δ, δ) the two are equivalent, and where it lies above
−δ the system is not inferior (turned, where lower is better). An interval of 95 % makes these tests at the level .025 on each
side (Schuirmann's two one-sided tests).

Several runs
------------
A system may have several runs, such as trainings with other seeds: `runs(first, second, …)`. Its score is their mean, and the
error has the variance of runs beside that of utterances, so that the tests are about the learner. With one run they hold for
this run. Runs have a type of their own because a list of lists of strings is already a prediction, of utterances as lists of
words.

Sources
-------
Westfall & Young (1993), Resampling-Based Multiple Testing. All pairs of systems by randomisation: Carterette (2012), ACM TOIS
30:4; Sakai (2018), Laboratory Experiments in Information Retrieval, ch. 4. Rank ranges: Bojar et al. (2013), WMT, 1-44.
Equivalence: Schuirmann (1987), Journal of Pharmacokinetics and Biopharmaceutics 15:657-680; Wellek (2010), Testing Statistical
Hypotheses of Equivalence and Noninferiority.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..measures.registry import goodness, group_of, undefined_keys
from ..options.keywords import CompareOptions
from ..options.table import OPTIONS, check_options, options_in
from ..scoring.keyword_arguments import with_options
from ..scoring.options import Plan
from ..scoring.pipeline import check_skipped, warn_of_scores, warn_of_skipped
from ..scoring.utterance_tally import SKIPPED, UtteranceTally
from ..sources.passes import tally_each, with_window_size
from ..sources.sides import check_units, sides_of
from ..support.errors import warn
from ..support.messages import Message, OptionError
from .clusters import MIN_CLUSTERS, read_clusters, warn_of_few, with_clusters
from .comparison_results import SystemComparison
from .corpus_scores import split_options
from .jackknife import Estimate
from .randomisation import Trials, randomise
from .resampling import Resampling, Sampled, sample, split_keys, warn_of_few_resamples, whole_ranges, width_of
from .significance import (
    LEAST_UNITS,
    ScoreDifference,
    check_pairs,
    difference_intervals,
    estimate_difference,
    holm,
    is_significant,
    keep_common,
    max_t,
    system_intervals,
    unit_gains,
)
from .utterance_scores import warn_of_left_out, warn_of_missing

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: Pairs without the baseline take at least so many trials. More than the most change no digit of a p-value that matters.
_LEAST_TRIALS_OF_A_PAIR = 1000


class Runs(tuple[Any, ...]):
    """The predictions of several runs of one system, as `runs` makes them."""


def runs(*predictions: Any) -> Runs:
    """Several runs of one system, for `compare`, such as trainings with other seeds.

    Args:
        *predictions: the predictions of each run, in any form that one prediction may have.

    Returns:
        The runs, as a system for `compare`.

    Raises:
        ValueError: there is no run.

    >>> len(runs(["a b"], ["ab"]))
    2
    """
    if not predictions:
        raise ValueError("runs: expected the predictions of at least one run, received none.")
    return Runs(predictions)


def _with_runs(given: Any) -> Any:
    # A path is no utterance, so that a list of paths can only be runs.
    are_paths = isinstance(given, (list, tuple)) and given and all(isinstance(each, Path) for each in given)
    return Runs(given) if are_paths else given


@with_options
def compare(
    references: Any,
    systems: Mapping[str, Any],
    **options: Unpack[CompareOptions],
) -> SystemComparison:
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
        UserWarning: as `pipeline.warn_of_scores`; there are few utterances or clusters, or a large one; no difference can be
            significant with so few trials; or a score has no interval, and why.

    >>> found = compare(
    ...     ["a b c", "d e f", "g h"],
    ...     {"old": ["ab c", "de f", "g h"], "new": ["a b c", "d e f", "gh"]},
    ...     text_format="words", scores="token",
    ... )
    >>> round(found.differences["new"]["token_recall"].difference, 3), found.decide_by, found.is_exact
    (0.25, 'token_fscore', True)
    """
    plan, resampling, values = split_options(options, CompareOptions)
    tests = {name: values[name] for name in ("baseline", "decide_by", "n_trials", "margin")}
    check_comparison(systems, **tests)
    each = [
        (name, f"system {name!r}" + (f", run {number}" if isinstance(given, Runs) else ""), prediction)
        for name, given in ((name, _with_runs(given)) for name, given in systems.items())
        for number, prediction in enumerate(given if isinstance(given, Runs) else [given], 1)
    ]
    sides = sides_of(plan.reading, references, *(side for _, _, side in each), names=[label for _, label, _ in each])
    check_units(sides)
    plan, _ = with_window_size(sides[0], plan)
    found, _, facts = tally_each(sides, plan)
    numbers = None if resampling.clusters is None else read_clusters(resampling.clusters, facts.utterances)
    tallies: dict[str, list[UtteranceTally]] = {}
    for (name, _, _), tally in zip(each, found, strict=True):
        tallies.setdefault(name, []).append(with_clusters(tally, numbers))
    return compare_tallies(tallies, plan, resampling, **tests)


def compare_tallies(
    tallies: Mapping[str, Sequence[UtteranceTally]],
    plan: Plan,
    resampling: Resampling,
    *,
    baseline: str | None = None,
    decide_by: str | None = None,
    n_trials: int = 10_000,
    margin: float | None = None,
) -> SystemComparison:
    """`compare` for the tallies of each system's runs, of the same utterances in the same clusters.

    Raises:
        TypeError, ValueError: a bad option, fewer than two systems, utterances or clusters, an unknown baseline, or tallies of
            different references.

    Warns:
        UserWarning: as `compare`.
    """
    check_comparison(tallies, baseline, decide_by, n_trials, margin)
    options_in(CompareOptions)["confidence"].check(resampling.confidence)
    # How many were skipped is not a score of those that all have.
    keys = tuple(key for key in plan.keys if key != SKIPPED)
    if not keys:
        why = " is a count that no test compares: expected other scores too."
        raise OptionError(OPTIONS["scores"].set(SKIPPED), why)
    decide_by = _deciding(keys, decide_by)
    plan = replace(plan, keys=keys)
    name = next(iter(tallies)) if baseline is None else baseline
    ordered = {name: tallies[name]} | dict(tallies)
    has_runs = any(len(each) > 1 for each in ordered.values())
    if has_runs and resampling.interval_method == "percentile":
        raise OptionError(
            OPTIONS["interval_method"].set("percentile"),
            ": it has no variance of runs: leave it out, or pass one run of each.",
        )
    for system, each in tallies.items():
        for tally in each:
            check_skipped(tally.skipped, len(tally), system)
            warn_of_skipped(tally.skipped, len(tally), system)
    flat = keep_common([tally for each in ordered.values() for tally in each])
    first = tallies[name][0]
    check_skipped(len(first) - len(flat[0]), len(first), "the systems together")
    check_pairs(flat, keys)
    rest = iter(flat)
    common = {system: [next(rest) for _ in each] for system, each in ordered.items()}
    if resampling.average == "macro":
        for system, each in common.items():
            warn_of_left_out(each[0], plan, system)
    totals = {system: [tally.totals() for tally in each] for system, each in common.items()}
    warn_of_scores(plan, *(total for each in totals.values() for total in each))
    sampled = [[sample(tally, keys, plan, resampling.average) for tally in each] for each in common.values()]
    trials = {} if has_runs else _try_pairs([each for (each,) in sampled], n_trials, resampling)
    by_run = {system: [tally.scores(plan, resampling.average) for tally in each] for system, each in common.items()}
    scores = {system: {key: _mean([each[key] for each in found]) for key in keys} for system, found in by_run.items()}
    one = next((next(iter(each.values())) for each in trials.values() if each), None)
    found = SystemComparison(
        baseline=name,
        decide_by=decide_by,
        scores=scores,
        intervals={system: system_intervals(each, resampling) for system, each in zip(ordered, sampled, strict=True)},
        differences=_differences(
            dict(zip(ordered, sampled, strict=True)),
            trials,
            scores,
            decide_by=decide_by,
            margin=margin,
            resampling=resampling,
        ),
        pairs=_by_names(_correct_pairs(sampled, trials, decide_by), list(ordered)),
        confidence=resampling.level,
        utterances=len(flat[0]),
        skipped={system: sum(tally.skipped for tally in each) for system, each in ordered.items()},
        runs={system: len(each) for system, each in ordered.items()},
        trials=0 if one is None else len(one.values),
        is_exact=one is not None and one.is_exact,
        clusters=None if flat[0].clusters is None else flat[0].cluster_count,
        margin=margin,
        seed=resampling.seed,
        undefined={
            system: [key for key in keys if any(key in undefined_keys(total, keys) for total in each)]
            if resampling.average == "micro"
            else []
            for system, each in totals.items()
        },
        of_types=split_keys(keys, resampling.average)[1],
    )
    warn_of_few_resamples(resampling)
    warn_of_few(flat[0], _whole_ranges(found))
    if problem := describe_few_trials(found):
        warn(Message(problem, "."))
    for system, (one_run, *_) in zip(ordered, sampled, strict=True):
        warn_of_missing(found.intervals[system], one_run, flat[0].sampled_unit)
    return found


def _mean(values: Sequence[float]) -> float:
    # One value is itself, to the last digit.
    return values[0] if len(values) == 1 else math.fsum(values) / len(values)


def _deciding(keys: Sequence[str], decide_by: str | None) -> str:
    """The score that decides: by default the first, or the F-score of its group."""
    if decide_by is None:
        return next((key for key in group_of(keys[0]).keys if key.endswith("_fscore") and key in keys), keys[0])
    if decide_by not in keys:
        raise OptionError(
            OPTIONS["decide_by"].set(decide_by), f": expected one of the compared scores, {', '.join(keys)}."
        )
    return decide_by


def _try_pairs(
    sampled: Sequence[Sampled], n_trials: int, resampling: Resampling
) -> dict[tuple[int, int], dict[str, Trials]]:
    """The trials of every two systems by the scores of sums: those with the baseline take all, the others fewer."""
    pairs = list(combinations(range(len(sampled)), 2))
    if not sampled[0].of_sums.columns:
        return {}
    # So many that the work is linear in systems.
    others = max(_LEAST_TRIALS_OF_A_PAIR, 2 * n_trials // len(sampled), math.ceil(10 / (1 - resampling.level)))
    limits = [n_trials if first == 0 else min(n_trials, others) for first, _ in pairs]
    of_sums = [each.of_sums for each in sampled]
    return dict(
        zip(pairs, randomise(of_sums, pairs, n_trials=n_trials, seed=resampling.seed, limits=limits), strict=True)
    )


def _p_value(estimate: Estimate, trials: Trials | None, units: int) -> float:
    """The p-value of a difference (see `significance`)."""
    if trials is None:
        return estimate.p_value()
    return trials.p_value() if units >= LEAST_UNITS else _larger(trials.p_value(), estimate.p_value())


def _larger(tried: float, by_t: float) -> float:
    # Where the jackknife has no error, randomisation is all there is.
    return tried if math.isnan(by_t) else max(tried, by_t)


def _differences(
    sampled: Mapping[str, Sequence[Sampled]],
    trials: Mapping[tuple[int, int], Mapping[str, Trials]],
    scores: Mapping[str, Mapping[str, float]],
    *,
    decide_by: str,
    margin: float | None,
    resampling: Resampling,
) -> dict[str, dict[str, ScoreDifference]]:
    """By system but the baseline, by key, the differences from the baseline."""
    (baseline, runs_of_first), *others = sampled.items()
    units = len(runs_of_first[0].without[decide_by])
    differences: dict[str, dict[str, ScoreDifference]] = {}
    decided: dict[str, float] = {}
    for place, (system, runs_of_system) in enumerate(others, 1):
        ends = difference_intervals(runs_of_first, runs_of_system, resampling)
        gains = [unit_gains(first, second) for first in runs_of_first for second in runs_of_system]
        differences[system] = {}
        for key, score in scores[system].items():
            estimate = estimate_difference(runs_of_first, runs_of_system, key)
            p_value = _p_value(estimate, trials.get((0, place), {}).get(key), units)
            good = (
                goodness(key, gains[0][key]) if group_of(key).better_of(key) != "near 0" and len(gains) == 1 else None
            )
            won, lost = (None, None) if good is None else (int((good > 0).sum()), int((good < 0).sum()))
            against = ""
            if key == decide_by:
                decided[system] = p_value
                if margin is not None:
                    differing = min(int(np.count_nonzero(each[key])) for each in gains)
                    better, most = group_of(key).better_of(key), width_of(key)
                    against = estimate.against_margin(margin, resampling.level, differing, better, most)
            differences[system][key] = ScoreDifference(
                score=score,
                baseline_score=scores[baseline][key],
                difference=score - scores[baseline][key],
                low=ends[key][0],
                high=ends[key][1],
                p_value=p_value,
                p_corrected=math.nan,
                detectable=estimate.detectable(resampling.level) if units >= MIN_CLUSTERS else math.nan,
                won=won,
                tied=None if won is None or lost is None else units - won - lost,
                lost=lost,
                against_margin=against,
            )
    for system, p_corrected in holm(decided).items():
        differences[system][decide_by] = replace(differences[system][decide_by], p_corrected=p_corrected)
    return differences


def _correct_pairs(
    sampled: Sequence[Sequence[Sampled]], trials: Mapping[tuple[int, int], Mapping[str, Trials]], key: str
) -> dict[tuple[int, int], float]:
    """The p-values of all pairs of systems, corrected over all pairs."""
    pairs = list(combinations(range(len(sampled)), 2))
    by_t = holm({(at, to): estimate_difference(sampled[at], sampled[to], key).p_value() for at, to in pairs})
    of_key = {pair: each[key] for pair, each in trials.items() if key in each}
    if not of_key:
        return by_t
    count = min(len(each.values) for each in of_key.values())
    tried = max_t({pair: replace(each, values=each.values[:count]) for pair, each in of_key.items()})
    if len(sampled[0][0].without[key]) >= LEAST_UNITS:
        return tried
    return {pair: _larger(p_value, by_t[pair]) for pair, p_value in tried.items()}


def _by_names(p_values: Mapping[tuple[int, int], float], names: Sequence[str]) -> dict[tuple[str, str], float]:
    named = {(names[first], names[second]): p_value for (first, second), p_value in p_values.items()}
    return dict(sorted(((min(pair), max(pair)), p_value) for pair, p_value in named.items()))


def check_comparison(
    systems: Mapping[str, Any], baseline: str | None, decide_by: str | None, n_trials: int, margin: float | None
) -> None:
    """Check that there are systems to compare, and the baseline among them, and the options of the tests."""
    if not isinstance(systems, Mapping):
        raise TypeError(f"systems: expected a dict from names to predictions, received {type(systems).__name__}.")
    if len(systems) < 2:
        raise ValueError(
            f"systems: expected at least two, received {len(systems)}: with one there is nothing to compare."
        )
    for name in systems:
        if not isinstance(name, str):
            raise TypeError(f"systems: expected names as strings, received {name!r}.")
    if baseline is not None and baseline not in systems:
        raise ValueError(f"unknown baseline {baseline!r}: the systems are {', '.join(map(repr, systems))}.")
    check_options({"decide_by": decide_by, "n_trials": n_trials, "margin": margin}, OPTIONS)


def _whole_ranges(found: SystemComparison) -> list[str]:
    """What has an interval that says nothing: scores of any system, then differences."""
    scores = [whole_ranges(ends, found.confidence) for ends in found.intervals.values()]
    differences = [
        whole_ranges(
            {key: (each.low, each.high) for key, each in of_system.items()}, found.confidence, of_differences=True
        )
        for of_system in found.differences.values()
    ]
    named = [key for keys in scores for key in keys]
    return list(dict.fromkeys([*named, *(f"the difference of {key}" for keys in differences for key in keys)]))


def describe_few_trials(found: SystemComparison) -> str:
    """Why no difference can be significant, whatever the systems predict, and what would help; empty where one can."""
    systems = len(found.differences)
    if not found.trials:
        return ""
    # Of all exchanges, the one observed and its mirror image are always as large.
    least = min(1.0, 2 / found.trials if found.is_exact else 1 / (1 + found.trials))
    if is_significant(min(1.0, least * systems), found.confidence):
        return ""
    level = f"{1 - found.confidence:.3g}"
    if found.is_exact:
        noun = "utterances" if found.clusters is None else "clusters"
        help_text = Message(f"{found.units} {noun} are too few for a p-value below {least:.2g}")
    else:
        needed = math.ceil(systems / (1 - found.confidence)) - 1
        trials = f"{found.trials} trials are too few for a p-value below {least:.2g}: take "
        help_text = Message(trials, OPTIONS["n_trials"].set(needed), " or more")
    corrected = f", and Holm's correction multiplies it by up to {systems}" if systems > 1 else ""
    return Message(f"no difference can be significant at {level}: ", help_text, corrected)
