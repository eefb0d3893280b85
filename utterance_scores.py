"""Utterance scores: scores with intervals, averages over utterances, and the scores of each utterance.

Conventions
-----------
- The micro average is the score of the corpus: the formulas on the sums over its utterances. The macro average is the mean of
  the utterances' scores.
- An utterance that `on_mismatch="skip"` leaves out has no scores.
- `<key>_low` and `<key>_high` are the ends of the interval of `<key>`; see `resampling` for what they say.
"""

from __future__ import annotations

__all__ = ["Resampling", "per_utterance", "score_utterances", "worst_first"]

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .inputs import read_pair
from .resampling import METHODS, check_resampling, intervals
from .scores import group_of
from .scoring import Options, refuse_unknown, with_window_size
from .utterance_tally import UtteranceTally, tally_utterances


@dataclass(frozen=True)
class Resampling:
    """How scores are averaged, and how their intervals are found.

    Attributes:
        average: `"micro"` or `"macro"`.
        confidence: of the intervals, in (0, 1); None for no intervals.
        n_resamples: of the bootstrap.
        seed: of the resamples.
        interval_method: `"percentile"` or `"bca"`.

    Raises:
        TypeError, ValueError: a bad option.
    """

    average: str = "micro"
    confidence: float | None = None
    n_resamples: int = 1000
    seed: int = 0
    interval_method: str = "percentile"

    def __post_init__(self) -> None:
        check_resampling(
            n_resamples=self.n_resamples,
            seed=self.seed,
            average=self.average,
            zero_division=0.0,
            confidence=0.95 if self.confidence is None else self.confidence,
        )
        if not isinstance(self.interval_method, str) or self.interval_method not in METHODS:
            raise ValueError(
                f"unknown interval_method {self.interval_method!r}: expected {' or '.join(map(repr, METHODS))}."
            )

    @property
    def needs_utterances(self) -> bool:
        """Whether the sums over the corpus are not enough."""
        return self.confidence is not None or self.average != "micro"

    def __str__(self) -> str:
        """What a signature says of the intervals; empty where there are none.

        >>> str(Resampling(confidence=0.95))
        '95-percentile-1000-0'
        """
        if self.confidence is None:
            return ""
        return f"{100 * self.confidence:g}-{self.interval_method}-{self.n_resamples}-{self.seed}"


def score_utterances(tally: UtteranceTally, options: Options, resampling: Resampling) -> dict[str, float]:
    """The scores of a corpus, each followed by the ends of its interval where intervals are wanted.

    Args:
        tally: of the corpus.
        options: those that it was tallied with.
        resampling: the average and the intervals.

    Returns:
        Plain floats by key.

    Raises:
        ValueError: intervals are wanted of fewer than two utterances.
    """
    keys = options.keys()
    is_macro = resampling.average == "macro"
    scores = tally.macro(keys, options.zero_division) if is_macro else tally.scores(options)
    if resampling.confidence is None:
        return scores
    found = intervals(
        tally,
        keys,
        confidence=resampling.confidence,
        n_resamples=resampling.n_resamples,
        seed=resampling.seed,
        method=resampling.interval_method,
        average=resampling.average,
        zero_division=options.zero_division,
    )
    with_ends: dict[str, float] = {}
    for key in keys:
        low, high = found[key]
        with_ends |= {key: scores[key], f"{key}_low": float(low), f"{key}_high": float(high)}
    return with_ends


def per_utterance(
    references: Any, predictions: Any, *, worst: str | None = None, first: int | None = None, **options: Any
) -> list[dict[str, float]]:
    """The scores of each utterance.

    Args:
        references, predictions: utterances, in any form that `inputs` lists.
        worst: the name of a score, by which the worst come first; None for the order of the corpus.
        first: how many utterances; None for all.
        **options: those of `scoring.Options`; an unknown one is a TypeError.

    Returns:
        For each utterance a dict with `utterance`, its index from 0, and plain floats by key. Type scores are those of the
        utterance's own types. What is skipped is left out.

    Raises:
        TypeError, ValueError: as `scoring.score`, or `worst` is none of the scores.

    >>> rows = per_utterance(["a b", "c d"], ["a b", "cd"], text_format="words", scores="token", worst="token_recall")
    >>> [(row["utterance"], row["token_recall"]) for row in rows]
    [(1, 0.0), (0, 1.0)]
    """
    refuse_unknown(options)
    checked = Options(**options)
    columns = read_pair(references, predictions)
    checked = with_window_size(checked, columns[0])
    tally = tally_utterances(*columns, checked)
    keys = checked.keys()
    scores = tally.per_utterance(keys, checked.zero_division)
    chosen = np.flatnonzero(tally.is_scored) if worst is None else worst_first(tally, checked, worst)
    rows = zip(*(scores[key][chosen[:first]].tolist() for key in keys), strict=True)
    return [
        {"utterance": int(index), **dict(zip(keys, row, strict=True))} for index, row in zip(chosen, rows, strict=False)
    ]


def worst_first(tally: UtteranceTally, options: Options, key: str) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The indices of the utterances by a score, the worst first; of equal scores the longer utterance first, then the earlier.

    Undefined scores come last.

    Raises:
        ValueError: `key` is none of the scores.
    """
    keys: Sequence[str] = options.keys()
    if key not in keys:
        raise ValueError(f"worst: there is no score {key!r} here; expected one of {', '.join(keys)}.")
    values = np.asarray(tally.per_utterance([key], math.nan)[key], np.float64)
    if group_of(key).better_of(key) == "lower":
        values = -values
    chosen = np.flatnonzero(tally.is_scored)
    order = np.lexsort((-tally.columns["units"][chosen], values[chosen]))
    return chosen[order]
