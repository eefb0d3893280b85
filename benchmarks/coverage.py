"""Coverage of intervals, and uniformity of the p-values of equal systems, by simulation.

Conventions
-----------
The population is a large list of utterances; samples are drawn from it with replacement, so the true scores are known.
Words are drawn by Zipf's law, so many types are rare. Each utterance has a latent difficulty: the more difficult it is, the
rarer are its words, and the more likely are missed and false boundaries. So counts within an utterance depend on each
other, and only utterances are independent, as in a corpus.

- `baseline` and `system` have different error rates, for the coverage of scores and of their difference.
- `baseline` and `twin` have the same rates and independent errors: they are equal, and their differences are chance.

The true value of a score of sums is that of the population. The true value of a type score is its expected value in a
sample of the same size, estimated as the mean of further samples.

What is measured
----------------
- Coverage: the share of 95 % intervals that contain the true score, with a standard error of about half a point.
- The same for type scores by three methods; two of them are shown to demonstrate their defects.
- The Kolmogorov-Smirnov distance of p-values of `twin` from the uniform distribution, and the share below 0.05.
- Seconds and peak memory of all default scores with 1,000 resamples of 20,000 utterances.

The output is Markdown. With the defaults everything takes about two minutes on two idle cores.
"""

from __future__ import annotations

import argparse
import math
import os
import resource
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

import numpy as np

from segscores.measures.registry import compute_scores
from segscores.reading.inputs import read_pair
from segscores.scoring.options import Plan
from segscores.scoring.utterance_tally import PREDICTION, UtteranceTally, concatenate, tally_utterances
from segscores.statistics.resampling import intervals, log_odds_interval, type_standard_errors
from segscores.statistics.significance import paired_bootstrap, paired_randomisation

OPTIONS = Plan.of(text_format="words")
KEYS = OPTIONS.keys
TYPE_KEYS = tuple(key for key in KEYS if key.startswith("type_"))

UTTERANCES, TYPES = 100_000, 20_000
SIZES = (500, 2000)
CONFIDENCE = 0.95
RESAMPLES = 1000
BUDGET_UTTERANCES = 20_000

#: The rates of missed and of false boundaries of each system; the difficulty of an utterance scales them.
RATES = {"baseline": (1.0, 0.3), "twin": (1.0, 0.3), "system": (0.85, 0.25)}


@dataclass(frozen=True)
class Task:
    """Simulations for one process: the function, the number of utterances, the number of simulations, and the first seed."""

    what: str
    size: int
    count: int
    seed: int


def make_population(seed: int) -> dict[str, UtteranceTally]:
    """The tally of each system's predictions of the whole population."""
    source = np.random.default_rng(seed)
    ranks = np.arange(1, TYPES + 1)
    letters = np.array(list("abcdefghijklmnop"))
    lengths = np.clip(source.poisson(1 + 0.6 * np.log(ranks)), 1, 9)
    words = ["".join(source.choice(letters, length)) for length in lengths]
    shares = np.cumsum(1 / (ranks + 2))
    shares /= shares[-1]
    counts = 1 + source.poisson(6, UTTERANCES)
    difficulties = source.beta(1.2, 5, UTTERANCES)
    drawn = source.random(int(counts.sum())) ** (1 - 0.5 * np.repeat(difficulties, counts))
    chosen = np.minimum(np.searchsorted(shares, drawn), TYPES - 1)
    references: list[str] = []
    predictions: dict[str, list[str]] = {name: [] for name in RATES}
    for end, count, difficulty in zip(np.cumsum(counts).tolist(), counts.tolist(), difficulties.tolist(), strict=True):
        utterance = [words[index] for index in chosen[end - count : end]]
        references.append(" ".join(utterance))
        text = "".join(utterance)
        is_end = np.zeros(len(text), bool)
        is_end[np.cumsum([len(word) for word in utterance]) - 1] = True
        for name, (missed, false) in RATES.items():
            chance = source.random(len(text))
            predicted = np.where(is_end, chance >= missed * difficulty, chance < false * difficulty)
            cuts = [0, *(np.flatnonzero(predicted[:-1]) + 1).tolist(), len(text)]
            predictions[name].append(" ".join(map(text.__getitem__, map(slice, cuts, cuts[1:]))))
    return {name: tally_utterances(*read_pair(references, sides), OPTIONS) for name, sides in predictions.items()}


_population: dict[str, UtteranceTally] = {}


def start_process(seed: int) -> None:
    """Make the population that a process samples from."""
    _population.update(make_population(seed))


def draw(size: int, seed: int) -> dict[str, UtteranceTally]:
    """A sample of utterances, as each system predicts them."""
    chosen = np.random.default_rng([seed, 1]).integers(0, UTTERANCES, size)
    return {name: tally.take(chosen) for name, tally in _population.items()}


def simulate(task: Task) -> np.ndarray:
    """The numbers of each simulation of a task, (count, …)."""
    seeds = range(task.seed, task.seed + task.count)
    return np.array([SIMULATIONS[task.what](task.size, seed) for seed in seeds])


def simulate_truth(size: int, seed: int) -> list[list[float]]:
    """The type scores of a sample, of the baseline and of the system."""
    sample = draw(size, seed)
    return [_values(sample[name], TYPE_KEYS) for name in ("baseline", "system")]


def simulate_coverage(size: int, seed: int) -> list[list[tuple[float, float]]]:
    """The intervals of every score by both methods, of the differences, and of type scores by the uncorrected jackknife."""
    sample = draw(size, seed)
    found = [
        intervals(sample["baseline"], KEYS, confidence=CONFIDENCE, n_resamples=RESAMPLES, seed=seed, method=method)
        for method in ("percentile", "bca")
    ]
    tests = paired_bootstrap(
        sample["baseline"], sample["system"], KEYS, confidence=CONFIDENCE, n_resamples=RESAMPLES, seed=seed
    )
    found.append({key: (test.low, test.high) for key, test in tests.items()})
    types = sample["baseline"].types
    assert types is not None
    errors = type_standard_errors(
        types, (PREDICTION,), lambda sizes: compute_scores(sizes[0], TYPE_KEYS), corrected=False
    )
    values = dict(zip(TYPE_KEYS, _values(sample["baseline"], TYPE_KEYS), strict=True))
    found.append({key: log_odds_interval(values[key], errors[key], CONFIDENCE) for key in TYPE_KEYS})
    return [[bounds.get(key, (math.nan, math.nan)) for key in KEYS] for bounds in found]


def simulate_resampled_types(size: int, seed: int) -> list[tuple[float, float]]:
    """The intervals of type scores by the plain bootstrap."""
    tally = draw(size, seed)["baseline"]
    source = np.random.default_rng([seed, 3])
    resamples = [_values(tally.take(source.integers(0, size, size)), TYPE_KEYS) for _ in range(100)]
    bounds = np.quantile(resamples, [0.5 - CONFIDENCE / 2, 0.5 + CONFIDENCE / 2], axis=0)
    return [(low, high) for low, high in bounds.T.tolist()]


def simulate_null(size: int, seed: int) -> list[list[float]]:
    """The p-values of the twin's differences from the baseline, by both tests."""
    sample = draw(size, seed)
    # Exchange at random again, because in a finite population even twins differ a little.
    both = concatenate([sample["baseline"], sample["twin"]])
    own, other = np.arange(size), np.arange(size, 2 * size)
    exchanged = np.random.default_rng([seed, 2]).random(size) < 0.5
    pair = both.take(np.where(exchanged, other, own)), both.take(np.where(exchanged, own, other))
    bootstrapped = paired_bootstrap(*pair, KEYS, n_resamples=RESAMPLES - 1, seed=seed)
    randomised = paired_randomisation(*pair, KEYS, n_trials=RESAMPLES - 1, seed=seed)
    return [[bootstrapped[key].p_value for key in KEYS], [randomised[key] for key in KEYS]]


SIMULATIONS: dict[str, Callable[[int, int], list[Any]]] = {
    "truth": simulate_truth,
    "coverage": simulate_coverage,
    "resampled_types": simulate_resampled_types,
    "null": simulate_null,
}


def measure(executor: ProcessPoolExecutor, what: str, size: int, count: int, seed: int) -> np.ndarray:
    """The results of `count` simulations, in tasks of about twenty."""
    starts = range(0, count, 20)
    tasks = [Task(what, size, min(20, count - start), seed + start) for start in starts]
    return np.concatenate(list(executor.map(simulate, tasks)))


def print_coverage(bounds: np.ndarray, size: int, truths: np.ndarray, resampled: np.ndarray) -> None:
    """Tables of the shares of intervals that contain the true score.

    Args:
        bounds: (n, 4, n_keys, 2), the results of `simulate_coverage`.
        size: the number of utterances of a sample.
        truths: (2, n_keys), the true scores of the baseline and of the system.
        resampled: (n, n_type_keys, 2), intervals of type scores by the plain bootstrap.
    """
    expected = np.stack((truths[0], truths[0], truths[1] - truths[0], truths[0]))
    inside = _share_inside(bounds, expected)
    print(f"\n### {size} utterances, {len(bounds)} samples\n")
    print("| score | truth | percentile | BCa | difference |\n|---|---:|---:|---:|---:|")
    for index, key in enumerate(KEYS):
        shares = [f"{100 * share:.1f} %" for share in inside[:3, index]]
        if key in TYPE_KEYS:
            shares[:2] = [f"{shares[0]} (jackknife)", ""]
        print(f"| `{key}` | {truths[0, index]:.4f} | {' | '.join(shares)} |")
    print(f"\nLeast {100 * inside[:3].min():.1f} %, greatest {100 * inside[:3].max():.1f} %.")
    of_types = [KEYS.index(key) for key in TYPE_KEYS]
    plain = _share_inside(resampled, truths[0, of_types])
    print(
        f"\n| score | corrected jackknife | jackknife | plain bootstrap ({len(resampled)} samples) |\n|---|---:|---:|---:|"
    )
    for index, key, share in zip(of_types, TYPE_KEYS, plain, strict=True):
        shares = [f"{100 * share:.1f} %" for share in (inside[0, index], inside[3, index], share)]
        print(f"| `{key}` | {' | '.join(shares)} |", flush=True)


def _share_inside(bounds: np.ndarray, truth: np.ndarray) -> np.ndarray:
    return ((bounds[..., 0] <= truth) & (truth <= bounds[..., 1])).mean(axis=0)


def print_null(p_values: np.ndarray, size: int) -> None:
    """A table of the distances of p-values (n, 2, n_keys) from the uniform distribution."""
    count = len(p_values)
    ordered = np.sort(p_values, axis=0)
    ranks = np.arange(1, count + 1)[:, None, None] / count
    distances = np.maximum(ranks - ordered, ordered - (ranks - 1 / count)).max(axis=0)
    rejected = (p_values < 0.05).mean(axis=0)
    print(f"\n### p-values of systems alike, {size} utterances, {count} samples\n")
    print("| score | bootstrap: KS | below 0.05 | randomisation: KS | below 0.05 |\n|---|---:|---:|---:|---:|")
    for index, key in enumerate(KEYS):
        cells = [f"{distances[test, index]:.3f} | {100 * rejected[test, index]:.1f} %" for test in range(2)]
        print(f"| `{key}` | {' | '.join(cells)} |")
    # A uniform sample exceeds this distance once in twenty times. Differences of recall are integers over the same
    # denominator, so some are 0, for which the exact test must give 1.
    ones = (p_values[:, 1] == 1).mean(axis=0).max()
    print(
        f"\nOf samples of uniform p-values, 95 % have a KS distance below {1.358 / math.sqrt(count):.3f}. Differences of "
        f"exactly 0, with p = 1, make up to {100 * ones:.1f} % of a column, and the distance as large.",
        flush=True,
    )


def print_budget(seed: int) -> None:
    """Seconds and memory of the intervals of all default scores."""
    start_process(seed)
    sample = draw(BUDGET_UTTERANCES, seed)["baseline"]
    start = time.perf_counter()
    intervals(sample, KEYS, n_resamples=1000)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    print(
        f"\n1,000 resamples of {BUDGET_UTTERANCES:,} utterances, {len(KEYS)} scores: {seconds:.2f} s on {os.cpu_count()} "
        f"cores; peak memory of the process, the population of {UTTERANCES:,} utterances included: {peak / 1e6:.0f} MB."
    )


def _values(tally: UtteranceTally, keys: tuple[str, ...]) -> list[float]:
    return [float(value) for value in compute_scores(tally.totals(), keys).values()]


def main() -> int:
    """Simulate and print."""
    parser = argparse.ArgumentParser(description="Measure the coverage of intervals and the level of p-values.")
    parser.add_argument(
        "--samples", type=int, default=2000, help="approximate number of samples per table (default: %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the population and the samples (default: %(default)s)")
    parser.add_argument(
        "--processes", type=int, default=os.cpu_count() or 1, help="how many to use (default: all cores, %(default)s)"
    )
    options = parser.parse_args()
    if options.samples < 1 or options.seed < 0 or options.processes < 1:
        parser.error("--samples and --processes: expected an integer from 1; --seed: one from 0.")
    start = time.perf_counter()
    # There is one process per core; without this each would also start a thread per core for products of matrices.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    with ProcessPoolExecutor(options.processes, get_context("spawn"), start_process, (options.seed,)) as executor:
        start_process(options.seed)
        for size in SIZES:
            count = options.samples if size == SIZES[0] else -(-options.samples // 2)
            other = measure(executor, "truth", size, 2 * count, 10**9).mean(axis=0)
            truths = np.array([_values(_population[name], KEYS) for name in ("baseline", "system")])
            truths[:, [KEYS.index(key) for key in TYPE_KEYS]] = other
            bounds = measure(executor, "coverage", size, count, 0)
            print_coverage(bounds, size, truths, measure(executor, "resampled_types", size, -(-count // 20), 0))
        print_null(measure(executor, "null", SIZES[0], options.samples, 0), SIZES[0])
    print_budget(options.seed)
    print(f"\n{time.perf_counter() - start:.0f} seconds.", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
