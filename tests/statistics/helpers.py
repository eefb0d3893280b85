"""Tallies of small corpora, and their intervals and comparisons as users get them."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import special, stats

from segscores.scoring.plan import Plan
from segscores.scoring.utterance_tally import UtteranceTally
from segscores.statistics.clusters import with_clusters
from segscores.statistics.comparison_results import SystemComparison
from segscores.statistics.resampling import Resampling, resampled_sums
from segscores.statistics.system_comparison import compare_tallies
from segscores.statistics.utterance_scores import score_utterances

from .. import tallies
from ..corpora import Corpus, cut, random_corpus_pair
from ..naive import DEFAULT_KEYS, naive_scores

SUM_KEYS = tuple(key for key in DEFAULT_KEYS if not key.startswith("type_"))
TYPE_KEYS = tuple(key for key in DEFAULT_KEYS if key.startswith("type_"))

RESAMPLING = ("average", "confidence", "interval_method", "n_resamples", "seed")


def tally_of(references: Corpus, predictions: Corpus, clusters: Any = None, **options: Any) -> UtteranceTally:
    return with_clusters(tallies.tally_of(references, predictions, **options), clusters)


def plan_of(keys: Plan | Sequence[str], zero_division: float | None = None) -> Plan:
    given = {} if zero_division is None else {"zero_division": zero_division}
    return keys if isinstance(keys, Plan) else Plan.of(scores=list(keys), **given)


def intervals(
    tally: UtteranceTally,
    keys: Plan | Sequence[str] = DEFAULT_KEYS,
    *,
    zero_division: float | None = None,
    **options: Any,
) -> dict[str, tuple[float, float]]:
    """The intervals of scores, by default of 95 %, with resamples those of percentiles."""
    plan = plan_of(keys, zero_division)
    method = {"interval_method": "percentile"} if "n_resamples" in options else {}
    found = score_utterances(tally, plan, Resampling(**{"confidence": 0.95} | method | options))
    return {key: (found[f"{key}_low"], found[f"{key}_high"]) for key in plan.keys}


def compared(
    tallies: Mapping[str, UtteranceTally],
    keys: Plan | Sequence[str] = DEFAULT_KEYS,
    *,
    zero_division: float | None = None,
    **options: Any,
) -> SystemComparison:
    """A comparison with the first system."""
    chosen = {name: options.pop(name) for name in RESAMPLING if name in options}
    resampling = Resampling(**{"confidence": 0.95} | chosen)
    tests = {"n_trials": 10_000} | options
    return compare_tallies(
        {name: [tally] for name, tally in tallies.items()}, plan_of(keys, zero_division), resampling, **tests
    )


def p_values(tallies: Sequence[UtteranceTally], keys: Sequence[str] = SUM_KEYS, **options: Any) -> dict[str, float]:
    """The p-values of the difference of two systems."""
    found = compared(dict(zip("ab", tallies, strict=True)), keys, **options).differences["b"]
    return {key: difference.p_value for key, difference in found.items()}


def weights_of(count: int, n_resamples: int, seed: int) -> np.ndarray:
    """Return how often each resample has each utterance: the sums of columns that mark one utterance each."""
    marks = {str(index): row for index, row in enumerate(np.eye(count, dtype=np.int64))}
    return np.stack(list(resampled_sums(marks, n_resamples, seed).values()), axis=1).astype(np.int64)


def noisy(references: Corpus, rate: float, seed: int) -> list[list[Any]]:
    """Predictions with each possible boundary changed at a rate."""
    source = np.random.default_rng(seed)
    predictions = []
    for words in references:
        units = [unit for word in words for unit in word]
        ends = np.zeros(len(units), bool)
        if units:
            ends[np.cumsum([len(word) for word in words]) - 1] = True
        predictions.append(cut(units, (ends ^ (source.random(len(units)) < rate)).tolist()))
    return predictions


def systems_of(count: int, rates: Mapping[str, float], seed: int = 1) -> tuple[Corpus, dict[str, list[list[Any]]]]:
    references, _ = random_corpus_pair(count, seed, units="abcd", max_units=10)
    return references, {name: noisy(references, rate, seed + at) for at, (name, rate) in enumerate(rates.items(), 2)}


def tallies_of(count: int, rates: Mapping[str, float], seed: int = 1) -> dict[str, UtteranceTally]:
    references, systems = systems_of(count, rates, seed)
    return {name: tally_of(references, predictions) for name, predictions in systems.items()}


def difference_of(references: Corpus, baseline: Corpus, system: Corpus) -> dict[str, float]:
    scores = naive_scores(references, baseline), naive_scores(references, system)
    return {key: scores[1][key] - scores[0][key] for key in DEFAULT_KEYS}


def naive_holm(p_values: dict[Any, float]) -> dict[Any, float]:
    """Holm's correction.

    Sorted, the k-th of n p-values counts (n − k + 1) times. A p-value takes the largest product up to its own place, at most 1.
    """
    ordered = sorted(p_values.values())
    corrected = {}
    for name, value in p_values.items():
        products = [(len(ordered) - place) * other for place, other in enumerate(ordered) if other <= value]
        corrected[name] = min(1.0, max(products))
    return corrected


def naive_error(values: list[float]) -> tuple[float, float]:
    """The standard error and Satterthwaite's degrees of freedom, by loops."""
    n, mean = len(values), math.fsum(values) / len(values)
    squares = [(value - mean) ** 2 for value in values]
    total = math.fsum(squares)
    freedom = 2 * total**2 / (math.fsum(square**2 for square in squares) - total**2 / n)
    return math.sqrt((n - 1) / n * total), min(n - 1, freedom)


def without_each(
    references: Corpus, predictions: Corpus, clusters: Sequence[Any] | None = None
) -> list[dict[str, float]]:
    """The scores of the corpus without each utterance, or without each cluster."""
    ids = list(range(len(references))) if clusters is None else clusters
    found = []
    for left_out in dict.fromkeys(ids):
        kept = [at for at, number in enumerate(ids) if number != left_out]
        found.append(naive_scores([references[at] for at in kept], [predictions[at] for at in kept]))
    return found


def students_quantile(probability: float, freedom: float) -> float:
    """The t below which Student's distribution has this probability, to 1e-14.

    That of older versions of scipy is right to 4e-9 alone; a step of Newton's method with scipy's probability mends it. With
    more degrees of freedom than these versions take, the distribution is the normal one.
    """
    if freedom > 1e15:
        return float(stats.norm.ppf(probability))
    t = stats.t.ppf(probability, freedom)
    return float(t - (stats.t.cdf(t, freedom) - probability) / stats.t.pdf(t, freedom))


def naive_interval(whole: float, without: list[float], confidence: float) -> tuple[float, float]:
    """Student's, of the log odds of a score, from those without each utterance or cluster."""
    error, freedom = naive_error(without)
    reach = students_quantile(0.5 + confidence / 2, freedom) * error / (whole * (1 - whole))
    low, high = special.expit(special.logit(whole) + np.array([-reach, reach]))
    return float(low), float(high)


def naive_t(references: Corpus, baseline: Corpus, system: Corpus) -> dict[str, float]:
    """The p-values of Student's t by the definition, from the scores without each utterance; 0 without an error."""
    left = zip(without_each(references, baseline), without_each(references, system), strict=True)
    without = [{key: after[key] - before[key] for key in before} for before, after in left]
    whole, found = difference_of(references, baseline, system), {}
    for key, difference in whole.items():
        values = [each[key] for each in without]
        if max(values) - min(values) > 1e-12:
            error, freedom = naive_error(values)
            found[key] = float(2 * stats.t.sf(abs(difference) / error, freedom))
        else:
            found[key] = 0.0
    return found
