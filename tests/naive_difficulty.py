"""A naive implementation of the scores balanced by difficulty."""

from __future__ import annotations

import math
import random
from itertools import pairwise

import numpy as np

from .naive import Corpus, Word


def spans(words: list[Word]) -> list[tuple[int, int]]:
    """The span of each word, in order."""
    ends = np.cumsum([0, *map(len, words)]).tolist()
    return list(pairwise(ends))


def naive_ratio(numerators: list[float], denominators: list[float], zero_division: float) -> float:
    return math.fsum(numerators) / math.fsum(denominators) if math.fsum(denominators) else zero_division


def naive_mean(left: float, right: float) -> float:
    return 2 * left * right / (left + right) if left + right else 0.0


def naive_balanced(
    references: Corpus, predictions: Corpus, difficulties: list[list[float]], zero_division: float = 0.0
) -> dict[str, float]:
    reference_weights, matched_weights, predicted_weights = [], [], []
    for reference, prediction, rated in zip(references, predictions, difficulties, strict=True):
        predicted = spans(prediction)
        reference_weights += rated
        matched_weights += [
            value for span, value in zip(spans(reference), rated, strict=True) if span in set(predicted)
        ]
        for _, end in predicted:
            covering = [
                value for (first, last), value in zip(spans(reference), rated, strict=True) if first < end <= last
            ]
            predicted_weights += covering
    scores = {}
    for kind, weigh in (("reward", lambda value: value), ("punishment", lambda value: 1 - value)):
        matched, whole, given_weights = (
            list(map(weigh, weights)) for weights in (matched_weights, reference_weights, predicted_weights)
        )
        scores[f"{kind}_precision"] = naive_ratio(matched, given_weights, zero_division)
        scores[f"{kind}_recall"] = naive_ratio(matched, whole, zero_division)
    for name in ("precision", "recall"):
        scores[f"balanced_{name}"] = naive_mean(scores[f"reward_{name}"], scores[f"punishment_{name}"])
    scores["balanced_fscore"] = naive_mean(scores["balanced_precision"], scores["balanced_recall"])
    return scores


def random_difficulties(references: Corpus, seed: int, values: list[float] | None = None) -> list[list[float]]:
    source = random.Random(seed)
    return [[source.choice(values) if values else source.random() for _ in words] for words in references]
