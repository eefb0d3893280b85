"""System comparison: several predictions of one reference, what they score, and whether their differences are real.

Conventions
-----------
- One system is the baseline; every other is compared with it, utterance by utterance. A difference is the system's score
  less the baseline's.
- p-values are two-sided, of the paired randomisation, which exchanges the two systems' outputs for utterances (or clusters)
  at random; of type scores, of Student's t. With several systems they are corrected by Holm's method, for each score; beside
  that those of randomisation are corrected over the scores by max-T (see `significance`). A difference is significant where the
  first is at most 1 − confidence.
- Utterances that `on_mismatch="skip"` leaves out of any system are left out of all, in scores too.

Which systems can be distinguished
-------------------------------
All pairs of systems are tested with the same exchanges, and their p-values corrected over all pairs by max-T; those of type
scores by Holm's method. So the probability that any two systems alike are distinguished is at most 1 − confidence, however the
best was found. A system is not distinguishable from the best where their corrected p-value is greater. A system's rank lies
between one more than the number of systems that are significantly better and the number of systems less those that are
significantly worse: the rank ranges of WMT (Bojar et al. 2013 ff.). Pairs without the baseline take fewer trials the more systems
there are, so that the work is linear in systems.

Equivalence
-----------
That a difference is not significant does not say that it is small. With a margin δ, the largest difference that would not
matter, the interval of the difference says so: where it lies within (−δ, δ) the two are equivalent, and where it lies above
−δ the system is not inferior (turned, where lower is better). An interval of 95 % makes these tests at the level .025 on each
side (Schuirmann's two one-sided tests).

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
from typing import TYPE_CHECKING, Any

from ..measures.registry import undefined_keys
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
from .clusters import read_clusters, warn_of_few, with_clusters
from .comparison_results import SystemComparison
from .corpus_scores import split_options
from .randomisation import Trials, randomise
from .resampling import Resampling, Sampled, intervals, sample, split_keys, warn_of_few_resamples, whole_ranges
from .significance import (
    ScoreDifference,
    check_pairs,
    difference_intervals,
    estimate_difference,
    holm,
    is_significant,
    keep_common,
    max_t,
)
from .utterance_scores import warn_of_left_out, warn_of_missing

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: Pairs without the baseline take at least so many trials. More than the most change no digit of a p-value that matters.
_LEAST_TRIALS_OF_A_PAIR = 1000


@with_options
def compare(
    references: Any,
    systems: Mapping[str, Any],
    **options: Unpack[CompareOptions],
) -> SystemComparison:
    """Compare systems on one reference.

    Args:
        references: utterances, in any form that `inputs` lists.
        systems: by name the predictions of at least two systems, in the same form.
        **options: how to score, resample and test.

    Raises:
        TypeError, ValueError: as `scoring.score`, with the system's name; or fewer than two systems, an unknown baseline, or
            fewer than two utterances or clusters.

    Warns:
        UserWarning: as `pipeline.warn_of_scores`; there are few utterances or clusters, or uneven ones; no difference can be
            significant with so few trials; or a score has no interval, and why.

    >>> found = compare(
    ...     ["a b c", "d e f", "g h"],
    ...     {"old": ["ab c", "de f", "g h"], "new": ["a b c", "d e f", "gh"]},
    ...     text_format="words", scores="token",
    ... )
    >>> round(found.differences["new"]["token_recall"].difference, 3), found.is_exact
    (0.25, True)
    """
    plan, resampling, values = split_options(options, CompareOptions)
    tests = {name: values[name] for name in ("baseline", "n_trials", "margin")}
    check_comparison(systems, **tests)
    sides = sides_of(plan.reading, references, *systems.values(), names=[f"system {name!r}" for name in systems])
    check_units(sides)
    plan, _ = with_window_size(sides[0], plan)
    found, _, facts = tally_each(sides, plan)
    numbers = None if resampling.clusters is None else read_clusters(resampling.clusters, facts.utterances)
    tallies = {name: with_clusters(tally, numbers) for name, tally in zip(systems, found, strict=True)}
    return compare_tallies(tallies, plan, resampling, **tests)


def compare_tallies(
    tallies: Mapping[str, UtteranceTally],
    plan: Plan,
    resampling: Resampling,
    *,
    baseline: str | None = None,
    n_trials: int = 10_000,
    margin: float | None = None,
) -> SystemComparison:
    """`compare` for tallies of the same utterances in the same clusters.

    Raises:
        TypeError, ValueError: a bad option, fewer than two systems, utterances or clusters, an unknown baseline, or tallies of
            different references.

    Warns:
        UserWarning: as `pipeline.warn_of_scores`; there are few utterances or clusters, or uneven ones; no difference can be
            significant with so few trials; or a score has no interval, and why.
    """
    check_comparison(tallies, baseline, n_trials, margin)
    confidence: float = options_in(CompareOptions)["confidence"].check(resampling.confidence)
    # How many were skipped is not a score of those that all have.
    keys = tuple(key for key in plan.keys if key != SKIPPED)
    if not keys:
        why = " is a count that no test compares: expected other scores too."
        raise OptionError(OPTIONS["scores"].set(SKIPPED), why)
    plan = replace(plan, keys=keys)
    name = next(iter(tallies)) if baseline is None else baseline
    ordered = {name: tallies[name]} | dict(tallies)
    for system, tally in tallies.items():
        check_skipped(tally.skipped, len(tally), system)
        warn_of_skipped(tally.skipped, len(tally), system)
    common = keep_common(list(ordered.values()))
    check_skipped(len(tallies[name]) - len(common[0]), len(tallies[name]), "the systems together")
    check_pairs(common, keys)
    totals = [tally.totals() for tally in common]
    if resampling.average == "macro":
        for system, tally in zip(ordered, common, strict=True):
            warn_of_left_out(tally, plan, system)
    warn_of_scores(plan, *totals)
    names = list(ordered)
    sampled = [sample(tally, keys, plan, resampling.average) for tally in common]
    trials = _try_pairs(sampled, n_trials, resampling.seed, confidence)
    differences, corrected = _test(sampled, trials, keys, resampling)
    scores = [tally.scores(plan, resampling.average) for tally in common]
    one = next(iter(trials[0, 1].values()), None)
    found = SystemComparison(
        baseline=name,
        scores=dict(zip(names, scores, strict=True)),
        intervals={system: intervals(each, resampling) for system, each in zip(names, sampled, strict=True)},
        differences={
            system: {
                # The difference is not that of the test, which may be of sums that are rounded in other places.
                key: ScoreDifference(found[key], scores[0][key], found[key] - scores[0][key], *each[key])
                for key in keys
            }
            for system, found, each in zip(names[1:], scores[1:], differences, strict=True)
        },
        pairs={key: _by_names(corrected[key], names) for key in keys},
        confidence=confidence,
        utterances=len(common[0]),
        skipped={system: tally.skipped for system, tally in ordered.items()},
        trials=0 if one is None else len(one.values),
        is_exact=one is not None and one.is_exact,
        clusters=None if common[0].clusters is None else common[0].cluster_count,
        margin=margin,
        seed=resampling.seed,
        undefined={
            system: undefined_keys(counts, keys) if resampling.average == "micro" else ()
            for system, counts in zip(names, totals, strict=True)
        },
        of_types=split_keys(keys, resampling.average)[1],
    )
    warn_of_few_resamples(resampling)
    warn_of_few(common[0], _whole_ranges(found))
    if problem := describe_few_trials(found):
        warn(Message(problem, "."))
    for system, each in zip(names, sampled, strict=True):
        warn_of_missing(found.intervals[system], each, common[0].sampled_unit)
    return found


def _try_pairs(
    sampled: Sequence[Sampled], n_trials: int, seed: int, confidence: float
) -> dict[tuple[int, int], dict[str, Trials]]:
    """The trials of every two systems by the scores of sums: those with the baseline take all, the others fewer."""
    pairs = list(combinations(range(len(sampled)), 2))
    if not sampled[0].of_sums.columns:
        return {pair: {} for pair in pairs}
    # So many that the work is linear in systems.
    others = max(_LEAST_TRIALS_OF_A_PAIR, 2 * n_trials // len(sampled), math.ceil(10 / (1 - confidence)))
    limits = [n_trials if first == 0 else min(n_trials, others) for first, _ in pairs]
    of_sums = [each.of_sums for each in sampled]
    return dict(zip(pairs, randomise(of_sums, pairs, n_trials=n_trials, seed=seed, limits=limits), strict=True))


def _test(
    sampled: Sequence[Sampled],
    trials: Mapping[tuple[int, int], Mapping[str, Trials]],
    keys: Sequence[str],
    resampling: Resampling,
) -> tuple[list[dict[str, tuple[float, ...]]], dict[str, dict[tuple[int, int], float]]]:
    """Of each system but the baseline, by key, the interval and p, by Holm, by max-T; by key, the corrected p of all pairs."""
    ends = [difference_intervals(sampled[0], system, resampling) for system in sampled[1:]]
    over_scores = [max_t(trials[0, system]) for system in range(1, len(sampled))]
    differences: list[dict[str, tuple[float, ...]]] = [{} for _ in over_scores]
    of_pairs: dict[str, dict[tuple[int, int], float]] = {}
    for key in keys:
        if key in trials[0, 1]:
            of_key = {pair: each[key] for pair, each in trials.items()}
            p_values = {pair: each.p_value() for pair, each in of_key.items()}
            count = min(len(each.values) for each in of_key.values())
            of_pairs[key] = max_t({pair: replace(each, values=each.values[:count]) for pair, each in of_key.items()})
        else:
            p_values = {pair: estimate_difference(sampled[pair[0]], sampled[pair[1]], key).p_value() for pair in trials}
            of_pairs[key] = holm(p_values)
        over_systems = holm({pair: p_value for pair, p_value in p_values.items() if pair[0] == 0})
        for place, (pair, p_holm) in enumerate(over_systems.items()):
            differences[place][key] = *ends[place][key], p_values[pair], p_holm, over_scores[place].get(key, math.nan)
    return differences, of_pairs


def _by_names(p_values: Mapping[tuple[int, int], float], names: Sequence[str]) -> dict[tuple[str, str], float]:
    named = {(names[first], names[second]): p_value for (first, second), p_value in p_values.items()}
    return dict(sorted(((min(pair), max(pair)), p_value) for pair, p_value in named.items()))


def check_comparison(systems: Mapping[str, Any], baseline: str | None, n_trials: int, margin: float | None) -> None:
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
    check_options({"n_trials": n_trials, "margin": margin}, OPTIONS)


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
        count = found.utterances if found.clusters is None else found.clusters
        help_text = Message(f"{count} {noun} are too few for a p-value below {least:.2g}")
    else:
        needed = math.ceil(systems / (1 - found.confidence)) - 1
        trials = f"{found.trials} trials are too few for a p-value below {least:.2g}: take "
        help_text = Message(trials, OPTIONS["n_trials"].set(needed), " or more")
    corrected = f", and Holm's correction multiplies it by up to {systems}" if systems > 1 else ""
    return Message(f"no difference can be significant at {level}: ", help_text, corrected)
