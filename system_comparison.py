"""System comparison: several predictions of one reference, what they score, and whether their differences are real.

Conventions
-----------
- One system is the baseline; every other is compared with it, utterance by utterance. A difference is the system's score
  less the baseline's.
- p-values are two-sided: of the paired bootstrap, and of the paired approximate randomisation, which swaps the two systems'
  outputs for utterances at random. With several systems they are corrected by Holm's method, for each score.
- See `significance` for the tests and `resampling` for the intervals.
"""

from __future__ import annotations

__all__ = ["SystemComparison", "compare_predictions", "compare_tallies"]

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from .inputs import read_pair
from .resampling import intervals
from .scores import group_of
from .scoring import Options, refuse_unknown, with_window_size
from .significance import Difference, compare_systems, keep_common
from .utterance_scores import Resampling
from .utterance_tally import UtteranceTally, tally_utterances


@dataclass(frozen=True)
class SystemComparison:
    """What systems score on one reference, and how they differ from the baseline.

    Attributes:
        baseline: its name.
        scores: by system, the baseline first, the scores by key.
        intervals: by system and key, the low and the high end.
        differences: by system but the baseline, by key, the `significance.Difference`.
        confidence: of the intervals.
    """

    baseline: str
    scores: dict[str, dict[str, float]]
    intervals: dict[str, dict[str, tuple[float, float]]]
    differences: dict[str, dict[str, Difference]]
    confidence: float

    def best(self, key: str) -> str | None:
        """The system with the best value of a score; None where no value is better, or all are undefined."""
        better = group_of(key).better_of(key)
        values = {name: scores[key] for name, scores in self.scores.items() if scores[key] == scores[key]}
        if better not in ("higher", "lower") or not values:
            return None
        return (max if better == "higher" else min)(values, key=lambda name: values[name])

    def to_dict(self) -> dict[str, Any]:
        """The comparison as JSON has it."""
        return {
            "baseline": self.baseline,
            "confidence": self.confidence,
            "systems": {
                name: {
                    "scores": scores,
                    "intervals": {key: list(ends) for key, ends in self.intervals[name].items()},
                    "differences": {key: asdict(found) for key, found in self.differences.get(name, {}).items()},
                }
                for name, scores in self.scores.items()
            },
        }


def compare_predictions(
    references: Any,
    systems: Mapping[str, Any],
    *,
    baseline: str | None = None,
    confidence: float = 0.95,
    n_resamples: int = 1000,
    seed: int = 0,
    average: str = "micro",
    **options: Any,
) -> SystemComparison:
    """Compare systems on one reference.

    Args:
        references: utterances, in any form that `inputs` lists.
        systems: by name the predictions of at least two systems, in the same form.
        baseline: the name of the system that the others are compared with; the first if None.
        confidence, n_resamples, seed, average: as in `utterance_scores.Resampling`.
        **options: those of `scoring.Options`; an unknown one is a TypeError.

    Raises:
        TypeError, ValueError: as `scoring.score`, with the system's name; or fewer than two systems, or an unknown baseline.

    >>> found = compare_predictions(
    ...     ["a b c", "d e f", "g h"],
    ...     {"old": ["ab c", "de f", "g h"], "new": ["a b c", "d e f", "gh"]},
    ...     text_format="words", scores="token", n_resamples=200,
    ... )
    >>> round(found.differences["new"]["token_recall"].difference, 3)
    0.25
    """
    refuse_unknown(options)
    checked = Options(**options)
    Resampling(average=average, confidence=confidence, n_resamples=n_resamples, seed=seed)
    _check_systems(systems, baseline)
    tallies: dict[str, UtteranceTally] = {}
    for name, predictions in systems.items():
        try:
            columns = read_pair(references, predictions)
            checked = with_window_size(checked, columns[0])
            tallies[name] = tally_utterances(*columns, checked)
        except (TypeError, ValueError) as error:
            kind = TypeError if isinstance(error, TypeError) else ValueError
            raise kind(f"system {name!r}: {error}") from None
    return compare_tallies(
        tallies,
        checked,
        baseline=baseline,
        confidence=confidence,
        n_resamples=n_resamples,
        seed=seed,
        average=average,
    )


def compare_tallies(
    tallies: Mapping[str, UtteranceTally],
    options: Options,
    *,
    baseline: str | None = None,
    confidence: float = 0.95,
    n_resamples: int = 1000,
    seed: int = 0,
    average: str = "micro",
) -> SystemComparison:
    """`compare_predictions` for what has been tallied.

    Args:
        tallies: by name, of the same utterances, made with `options`.
        options: with the size of windows that was used.
        baseline, confidence, n_resamples, seed, average: as in `compare_predictions`.
    """
    _check_systems(tallies, baseline)
    name = next(iter(tallies)) if baseline is None else baseline
    keys = options.keys()
    ordered = {name: tallies[name]} | dict(tallies)
    # What one system has skipped is left out of all, so that all are scored on the same utterances.
    ordered = dict(zip(ordered, keep_common(list(ordered.values())), strict=True))
    settings: dict[str, Any] = {
        "n_resamples": n_resamples,
        "seed": seed,
        "average": average,
        "zero_division": options.zero_division,
        "confidence": confidence,
    }
    return SystemComparison(
        baseline=name,
        scores={
            system: tally.macro(keys, options.zero_division) if average == "macro" else tally.scores(options)
            for system, tally in ordered.items()
        },
        intervals={system: intervals(tally, keys, **settings) for system, tally in ordered.items()},
        differences=compare_systems(
            ordered[name], {system: tally for system, tally in ordered.items() if system != name}, keys, **settings
        ),
        confidence=confidence,
    )


def _check_systems(systems: Mapping[str, Any], baseline: str | None) -> None:
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
