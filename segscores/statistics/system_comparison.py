"""System comparison: several predictions of one reference, what they score, and whether their differences are real.

Conventions
-----------
- One system is the baseline; every other is compared with it, utterance by utterance. A difference is the system's score
  less the baseline's.
- p-values are two-sided: of the paired bootstrap, and of the paired approximate randomisation, which swaps the two systems'
  outputs for utterances at random. With several systems they are corrected by Holm's method, for each score.
- The best system of a score is compared with every other in the same way, by randomisation and with Holm's correction. Those
  that do not differ from it at the level 1 − confidence are not significantly worse. That the best was chosen by its score is
  not corrected for.
- Utterances that `on_mismatch="skip"` leaves out of any system are left out of all, in scores too.
- See `significance` for the tests and `resampling` for the intervals.
"""

from __future__ import annotations

__all__ = ["SystemComparison", "check_systems", "compare_predictions", "compare_tallies"]

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..kernel.json_text import as_json
from ..measures.registry import compute_scores
from ..reading.inputs import read_column, read_pair
from ..reading.parts import check_form
from ..scoring.options import Plan, ScoringOptions
from ..scoring.pipeline import warn_of_scores, with_window_size
from ..scoring.utterance_tally import UtteranceTally, tally_utterances
from .clusters import read_clusters, warn_of_few, with_clusters
from .resampling import intervals
from .significance import Difference, compare_systems, holm, keep_common, paired_randomisation
from .utterance_scores import Resampling, goodness

if TYPE_CHECKING:
    from typing_extensions import Unpack


@dataclass(frozen=True)
class SystemComparison:
    """What systems score on one reference, and how they differ from the baseline.

    Attributes:
        baseline: its name.
        scores: by system, the baseline first, the scores by key.
        intervals: by system and key, the low and the high end.
        differences: by system but the baseline, by key, the `significance.Difference`.
        against_best: by key, for every system but the best the p-value of its difference from the best, by randomisation
            and with Holm's correction; empty where there is no best.
        confidence: of the intervals.
        utterances: how many were compared.
        skipped: by system, how many utterances it could not be scored on.
    """

    baseline: str
    scores: dict[str, dict[str, float]]
    intervals: dict[str, dict[str, tuple[float, float]]]
    differences: dict[str, dict[str, Difference]]
    against_best: dict[str, dict[str, float]]
    confidence: float
    utterances: int
    skipped: dict[str, int]

    def best(self, key: str) -> str | None:
        """The system with the best value of a score, of equal ones the first; None where no value is better, or all are nan."""
        return _best({name: scores[key] for name, scores in self.scores.items()}, key)

    def not_worse(self, key: str) -> list[str]:
        """The best system and those that are not significantly worse, at the level 1 − confidence; none without a best."""
        best, level = self.best(key), 1 - self.confidence
        return [name for name in self.scores if name == best or self.against_best[key].get(name, 0.0) > level]

    def to_dict(self) -> dict[str, Any]:
        """The comparison as JSON has it."""
        return {
            "baseline": self.baseline,
            "confidence": self.confidence,
            "utterances": self.utterances,
            "best": {
                key: {"system": self.best(key), "not_worse": self.not_worse(key), "p_values": dict(p_values)}
                for key, p_values in self.against_best.items()
            },
            "systems": {
                name: {
                    "skipped": self.skipped[name],
                    "scores": dict(scores),
                    "intervals": {key: list(ends) for key, ends in self.intervals[name].items()},
                    "differences": {key: asdict(found) for key, found in self.differences.get(name, {}).items()},
                }
                for name, scores in self.scores.items()
            },
        }

    def to_json(self) -> str:
        """`to_dict` as JSON, with null for nan."""
        return as_json(self.to_dict())


def compare_predictions(
    references: Any,
    systems: Mapping[str, Any],
    *,
    baseline: str | None = None,
    confidence: float = 0.95,
    n_resamples: int = 1000,
    seed: int = 0,
    average: str = "micro",
    clusters: Any = None,
    **options: Unpack[ScoringOptions],
) -> SystemComparison:
    """Compare systems on one reference.

    Args:
        references: utterances, in any form that `inputs` lists.
        systems: by name the predictions of at least two systems, in the same form.
        baseline: the name of the system that the others are compared with; the first if None.
        confidence, n_resamples, seed, average, clusters: as in `utterance_scores.Resampling`.
        **options: those of `ScoringOptions`; an unknown one is a TypeError.

    Raises:
        TypeError, ValueError: as `segscores.score`, with the system's name; or fewer than two systems, an unknown baseline, or
            fewer than two utterances.

    >>> found = compare_predictions(
    ...     ["a b c", "d e f", "g h"],
    ...     {"old": ["ab c", "de f", "g h"], "new": ["a b c", "d e f", "gh"]},
    ...     text_format="words", scores="token", n_resamples=200,
    ... )
    >>> round(found.differences["new"]["token_recall"].difference, 3)
    0.25
    """
    plan = Plan.of(**options)
    Resampling(average=average, confidence=confidence, n_resamples=n_resamples, seed=seed)
    check_systems(systems, baseline)
    # Once for all systems, as it may be an iterator.
    column = read_column(references, "references")
    check_form(column.type, plan.reading)
    plan = with_window_size(plan, column)
    numbers = None if clusters is None else read_clusters(clusters, len(column))
    tallies: dict[str, UtteranceTally] = {}
    for name, predictions in systems.items():
        try:
            tallies[name] = with_clusters(tally_utterances(*read_pair(column, predictions), plan), numbers)
        except (TypeError, ValueError) as error:
            kind = TypeError if isinstance(error, TypeError) else ValueError
            raise kind(f"system {name!r}: {error}") from None
    return compare_tallies(
        tallies,
        plan,
        baseline=baseline,
        confidence=confidence,
        n_resamples=n_resamples,
        seed=seed,
        average=average,
    )


def compare_tallies(
    tallies: Mapping[str, UtteranceTally],
    plan: Plan,
    *,
    baseline: str | None = None,
    confidence: float = 0.95,
    n_resamples: int = 1000,
    seed: int = 0,
    average: str = "micro",
) -> SystemComparison:
    """`compare_predictions` for what has been tallied.

    Args:
        tallies: by name, of the same utterances in the same clusters, made with `plan`.
        plan: that they were made with.
        baseline, confidence, n_resamples, seed, average: as in `compare_predictions`.

    Raises:
        TypeError, ValueError: a bad option, fewer than two systems or utterances, an unknown baseline, or tallies of different
            references.

    Warns:
        UserWarning: as `pipeline.warn_of_scores`; or there are few utterances or clusters.
    """
    check_systems(tallies, baseline)
    name = next(iter(tallies)) if baseline is None else baseline
    ordered = {name: tallies[name]} | dict(tallies)
    common = dict(zip(ordered, keep_common(list(ordered.values())), strict=True))
    warn_of_scores(common[name].totals(), plan)
    warn_of_few(common[name])
    # How many were skipped is no score of those that all have.
    keys = [key for key in plan.keys if key != "skipped_utterances"]
    settings: dict[str, Any] = {
        "n_resamples": n_resamples,
        "seed": seed,
        "average": average,
        "zero_division": plan.zero_division,
    }
    differences = compare_systems(
        common[name],
        {system: tally for system, tally in common.items() if system != name},
        keys,
        confidence=confidence,
        **settings,
    )
    scores = {system: _scores(tally, keys, average, plan.zero_division) for system, tally in common.items()}
    return SystemComparison(
        baseline=name,
        scores=scores,
        intervals={
            system: intervals(tally, keys, confidence=confidence, **settings) for system, tally in common.items()
        },
        differences=differences,
        against_best=_compare_with_best(common, scores, name, differences, settings),
        confidence=confidence,
        utterances=len(common[name]),
        skipped={system: int((~tally.is_scored).sum()) for system, tally in ordered.items()},
    )


def check_systems(systems: Mapping[str, Any], baseline: str | None) -> None:
    """Check that there are systems to compare, and the baseline among them.

    Raises:
        TypeError: no dict, or a name that is no string.
        ValueError: fewer than two systems, or an unknown baseline.
    """
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


def _scores(tally: UtteranceTally, keys: Sequence[str], average: str, zero_division: float) -> dict[str, float]:
    if average == "macro":
        return tally.macro(keys, zero_division)
    scores = compute_scores(tally.totals(), keys, zero_division)
    return {key: float(score) for key, score in scores.items()}


def _best(values: Mapping[str, float], key: str) -> str | None:
    """The name of the best of several values of a score."""
    good = goodness(key, np.fromiter(values.values(), np.float64, len(values)))
    if good is None or np.isnan(good).all():
        return None
    return list(values)[int(np.nanargmax(good))]


def _compare_with_best(
    tallies: Mapping[str, UtteranceTally],
    scores: Mapping[str, Mapping[str, float]],
    baseline: str,
    differences: Mapping[str, Mapping[str, Difference]],
    settings: Mapping[str, Any],
) -> dict[str, dict[str, float]]:
    """The corrected p-values of the differences from the best system of each score."""
    keys = list(scores[baseline])
    bests = {key: _best({name: values[key] for name, values in scores.items()}, key) for key in keys}
    found: dict[str, dict[str, float]] = {key: {} for key in keys}
    for best in {best: None for best in bests.values() if best is not None}:
        others = [name for name in tallies if name != best]
        its_keys = [key for key in keys if bests[key] == best]
        if best == baseline:
            p_values = {name: {key: differences[name][key].p_randomisation for key in its_keys} for name in others}
        else:
            p_values = {
                name: paired_randomisation(tallies[best], tallies[name], its_keys, **settings) for name in others
            }
        for key in its_keys:
            found[key] = holm({name: p_values[name][key] for name in others})
    return found
