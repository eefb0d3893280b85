"""Simulations: how often 95 % intervals contain the true value, and how often verdicts are wrong.

    python benchmarks/coverage.py --samples 400 --text reference.txt system.txt other.txt

Samples are drawn with replacement from a population, whose scores are the true ones; the true value of a type score is the mean
over other samples of that size. What is drawn are clusters: a line, a block, a document. A share p of n samples has a standard
error of √(p (1 − p) / n). The output is Markdown: by kind and number of clusters the mean over populations and scores, with its
range, and then each cell that is not as it should be.

Populations: lines of the People's Daily, of which 1.5 % are lists of names (`lines`), those of at most 40 words (`short`), blocks
of 20, documents of very different lengths (`log-normal`, deviation 1.2; `Pareto`, exponent 1), and words text with a system and a
worse one (`--text`). The part `closed` draws from closed lexicons, whose type scores often no cluster changes. Systems segment by
forward maximum matching. Those with a random half of the vocabulary are runs of one learner; the last has a third of it, and is
worse.
"""

from __future__ import annotations

import argparse
import random
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from speed import news

from segscores.reading.sources.sides import open_inputs
from segscores.scoring.measures.registry import group_of
from segscores.scoring.passes import concatenate_tallies
from segscores.scoring.plan import Plan
from segscores.scoring.utterance_tally import UtteranceTally
from segscores.statistics.randomisation import Exchanges
from segscores.statistics.resampling import Resampling, Sampled, estimate, interval, sample
from segscores.statistics.significance import unit_gains
from segscores.statistics.system_comparison import compare_tallies

KEYS = ("token_fscore", "boundary_noedge_fscore", "pk", "type_fscore")
PLAN = Plan.of(scores=KEYS, text_format="words", window_size=2)
TOKENS = replace(PLAN, keys=KEYS[:1])
#: The scores of sums of counts: all but those of types.
SUMS = KEYS[:3]
#: The numbers of clusters of a sample.
COUNTS = (5, 8, 12, 30, 100)
#: The number of systems that are runs of one learner; the worse system comes after them.
RUNS = 12
TRIALS = 999
RESAMPLES = 400
#: The kind of the share, the number of clusters, the population and score, and the share of samples.
Cell = tuple[str, int, str, float]


class Drawn(NamedTuple):
    """A sample of clusters."""

    lines: np.ndarray  #: the numbers of its lines in the population
    clusters: np.ndarray  #: for each line the number of its cluster in the sample
    source: np.random.Generator  #: what to go on drawing with


class Population:
    """Clusters of utterances, with the predictions of several systems in one tally, system after system.

    Attributes:
        tally: the counts of line l by system s are in row s · (number of lines) + l.
        lines: the numbers of the lines.
        members: the lines of each cluster.
        clusters: the number of the cluster of each line.
        worst: the number of the last system, which is worse.
    """

    def __init__(self, tally: UtteranceTally, clusters: Sequence[Any]) -> None:
        self.tally = tally
        self.lines = np.arange(len(clusters))
        _, self.clusters = np.unique(np.asarray(clusters), return_inverse=True)
        cluster_ends = np.cumsum(np.bincount(self.clusters))
        self.members = np.split(np.argsort(self.clusters, kind="stable"), cluster_ends[:-1])
        self.worst = len(tally) // len(clusters) - 1

    def draws(self, count: int, samples: int, seed: int = 0) -> Iterator[Drawn]:
        """Yield samples, each of `count` clusters, drawn with replacement."""
        for number in range(samples):
            source = np.random.default_rng([seed, count, number])
            chosen = [self.members[cluster] for cluster in source.integers(0, len(self.members), count)]
            yield Drawn(np.concatenate(chosen), np.repeat(np.arange(count), list(map(len, chosen))), source)

    def of(self, drawn: Drawn, system: int | np.ndarray, types: bool = False) -> UtteranceTally:
        """Return the tally of a sample by one system, or by the system of each line; types take most of the time."""
        tally = self.tally if types else replace(self.tally, statistics={})
        return replace(tally.take(system * len(self.lines) + drawn.lines), clusters=drawn.clusters)

    def truth(self, system: int | np.ndarray, average: str = "micro") -> dict[str, float]:
        """Return the scores of a system, or of the system of each line, on all lines."""
        return self.tally.take(system * len(self.lines) + self.lines).scores(PLAN, average)


def sampled(runs: Sequence[UtteranceTally], keys: Sequence[str] = SUMS, **options: Any) -> Sampled:
    """Return what the intervals of a system follow from, by its runs."""
    return sample(runs, keys, replace(PLAN, keys=tuple(keys)), Resampling(confidence=0.95, **options))


def contains(ends: tuple[float, float], value: float) -> bool:
    """Return whether an interval contains a value."""
    low, high = ends
    return low <= value <= high


def coverage(populations: dict[str, Population], samples: int) -> Iterator[Cell]:
    """Yield the shares of intervals with the true value, of scores of the systems 0 and 1 and of their difference."""
    for name, population in populations.items():
        # The true scores of both systems. Those of types depend on the size of a sample, and are set below.
        micro, macro = ([population.truth(at, average) for at in (0, 1)] for average in ("micro", "macro"))
        for count in COUNTS:
            others = list(population.draws(count, samples, seed=1))
            for at, truth in enumerate(micro):
                scores = [population.of(each, at, types=True).scores(PLAN)["type_fscore"] for each in others]
                truth["type_fscore"] = float(np.mean(scores))
            # By the way of an interval and the score: whether the intervals of the score and of the difference have the true
            # value.
            hits: dict[tuple[str, str], list[tuple[bool, bool]]] = {}
            for drawn in population.draws(count, samples):
                pair = [[population.of(drawn, at, types=True)] for at in (0, 1)]
                drawn_too = [sampled(each, KEYS, interval_method="percentile", n_resamples=RESAMPLES) for each in pair]
                plain = [replace(each, replicates={}) for each in drawn_too]
                means = [sampled(each, KEYS[:1], average="macro") for each in pair]
                ways = [("macro", KEYS[0], means), ("types", KEYS[3], plain)]
                ways += [(way, key, each) for way, each in (("sums", plain), ("percentile", drawn_too)) for key in SUMS]
                for way, key, systems in ways:
                    first, second = (each[key] for each in (macro if way == "macro" else micro))
                    intervals = interval(key, 0.95, systems[0]), interval(key, 0.95, *systems[::-1])
                    both = contains(intervals[0], first), contains(intervals[1], second - first)
                    hits.setdefault((way, key), []).append(both)
            for (way, key), each in hits.items():
                for kind, share in zip(("score", "difference"), np.mean(each, axis=0), strict=True):
                    yield f"coverage of {way}, {kind}", count, f"{name}, {key}", share


def levels(populations: dict[str, Population], samples: int) -> Iterator[Cell]:
    """Yield the shares of small p-values, by test, where systems are equal and where one is worse."""
    # The share of clusters that are not exchanged, times the root of their number.
    for real, kind in ((0.0, "equal"), (1.5, "power")):
        for name, population in populations.items():
            for count in COUNTS:
                pairs = (exchanged(population, each, real / count**0.5) for each in population.draws(count, samples, 2))
                yield from rejections(kind, count, name, pairs)
    for name, deviation in (("even", 0.0), ("uneven", 1.2)):
        for count in COUNTS:
            sources = (np.random.default_rng([3, count, number]) for number in range(samples))
            yield from rejections("rare wins", count, name, (rare_wins(each, count, deviation) for each in sources))


def rejections(kind: str, count: int, name: str, pairs: Iterator[Sequence[UtteranceTally]]) -> Iterator[Cell]:
    """Yield the shares of pairs with p ≤ .05, by randomisation, by Student's t, and by both."""
    key, *_ = KEYS
    rejections: list[list[bool]] = []
    for pair in pairs:
        first, second = (sampled([each], [key]) for each in pair)
        exchanges = Exchanges.of({"first": first.sums[0], "second": second.sums[0]}, TRIALS, len(rejections))
        p_values = exchanges.p_values("first", "second", [key])[key], estimate(key, second, first).p_value()
        rejections.append([each <= 0.05 for each in (*p_values, max(p_values))])
    for test, share in zip(("randomisation", "t", "both"), np.mean(rejections, axis=0), strict=True):
        yield f"{kind}, {test}", count, name, share


def exchanged(population: Population, drawn: Drawn, real: float) -> list[UtteranceTally]:
    """Return a system and a worse one, exchanged at random in all clusters but a share of them, `real`."""
    cluster_count = drawn.clusters[-1] + 1
    # Half of the clusters that may be exchanged are.
    is_swapped = drawn.source.random(cluster_count) < (1 - min(1.0, real)) / 2
    swaps = is_swapped[drawn.clusters]
    return [population.of(drawn, population.worst * is_worse) for is_worse in (swaps, ~swaps)]


def rare_wins(source: np.random.Generator, count: int, deviation: float) -> list[UtteranceTally]:
    """Return systems of equal means: the second loses 5 % of the words of half of the units, and wins all in one of 40."""
    words = 20 * np.ceil(source.lognormal(0, deviation, count)).astype(np.int64)
    wins, loses = source.random((2, count)) < np.array([[1 / 40], [20 / 39]])
    same = {"token_predicted": words, "token_reference": words, "units": words, "utterances": np.ones_like(words)}
    matched = np.where(wins, 0, words), np.where(wins | ~loses, words, words - words // 20)
    return [UtteranceTally({"token_matched": each, **same}) for each in matched]


def margins(populations: dict[str, Population], samples: int) -> Iterator[Cell]:
    """Yield the shares of wrong verdicts, where the worse system is as much worse as the margin."""
    for name, population in populations.items():
        for kind, share in (("everywhere", 1.0), ("in 10 %", 0.1), ("in 2 %", 0.02)):
            is_worse = np.random.default_rng(4).random(len(population.members)) < share
            worse = population.worst * is_worse[population.clusters]
            truths = population.truth(0), population.truth(worse)
            for count in (*COUNTS, 500):
                said: dict[str, list[str]] = {"token_fscore": [], "pk": []}
                for drawn in population.draws(count, samples, 5):
                    first, second = (sampled([population.of(drawn, each)]) for each in (0, worse[drawn.lines]))
                    gains = unit_gains(first, second, 0, 0)
                    for key, verdicts in said.items():
                        margin, better = abs(truths[1][key] - truths[0][key]), group_of(key).keys[key].better
                        of_key = estimate(key, second, first), np.count_nonzero(gains[key])
                        verdicts.append(of_key[0].against_margin(margin, 0.95, of_key[1], better, 1.0))
                for key, verdicts in said.items():
                    for mean, wrong in (("harmless", ("equivalent", "not inferior")), ("inferior", ("inferior",))):
                        yield f"differ {kind}, {mean}", count, f"{name}, {key}", np.mean(np.isin(verdicts, wrong))


def runs(populations: dict[str, Population], samples: int) -> Iterator[Cell]:
    """Yield what holds for the mean over runs of a learner, and for its difference from itself."""
    for name, population in populations.items():
        truth = {key: np.mean([population.truth(at)[key] for at in range(RUNS)]) for key in SUMS}
        for number in (1, 2, 3, 5):
            for count in (*COUNTS[2:], 500):
                hits: list[list[tuple[bool, bool]]] = []
                for drawn in population.draws(count, samples, 6):
                    chosen = drawn.source.integers(0, RUNS, (2, number)).tolist()
                    first, second = (sampled([population.of(drawn, at) for at in its]) for its in chosen)
                    small = [estimate(key, second, first).p_value() <= 0.05 for key in SUMS]
                    hits.append(
                        [
                            (contains(interval(key, 0.95, first), truth[key]), p)
                            for key, p in zip(SUMS, small, strict=True)
                        ]
                    )
                for kind, shares in zip(("coverage", "equal differ"), np.mean(hits, axis=0).T, strict=True):
                    for key, share in zip(SUMS, shares, strict=True):
                        yield f"{number} runs, {kind}", count, f"{name}, {key}", share


def several(populations: dict[str, Population], samples: int) -> Iterator[Cell]:
    """Yield the shares of samples in which one of several equal systems differs from the baseline, or is worse than the best."""
    for name, population in populations.items():
        for number in (3, 6):
            for count in COUNTS:
                outcomes = []
                for drawn in population.draws(count, samples, 7):
                    # In each cluster the systems change places: a row for each of them, with the system that each line has.
                    places = np.tile(np.arange(number), (count, 1))
                    order = drawn.source.permuted(places, axis=1)[drawn.clusters].T
                    tallies = {str(at): [population.of(drawn, each)] for at, each in enumerate(order)}
                    compared = compare_tallies(tallies, TOKENS, Resampling(confidence=0.95), n_trials=TRIALS)
                    verdicts = {each[KEYS[0]].verdict for each in compared.differences.values()}
                    outcomes.append((not verdicts.isdisjoint({"better", "worse"}), len(compared.not_worse()) < number))
                for kind, share in zip(("from the baseline", "from the best"), np.mean(outcomes, axis=0), strict=True):
                    yield f"{number} equal systems, {kind}", count, name, share


def closed(_: dict[str, Population], samples: int) -> Iterator[Cell]:
    """Yield the shares of intervals of type scores with the true value, of closed lexicons.

    So the shares for samples whose score is the same without each cluster, and how many these are.
    """
    keys = ("type_precision", "type_recall", "type_fscore")
    plan = Plan.of(scores=keys, text_format="words")
    for size, least in ((30, 0.5), (60, 0.3), (60, 0.1), (200, 0.1), (200, 0.3)):
        population = closed_lexicon(size, least, plan)
        for count in COUNTS:
            others = [population.of(each, 0, types=True).scores(plan) for each in population.draws(count, samples, 8)]
            hits: dict[str, list[tuple[bool, bool]]] = {key: [] for key in keys}
            for drawn in population.draws(count, samples, 9):
                system = sample([population.of(drawn, 0, types=True)], keys, plan, Resampling(confidence=0.95))
                for key in keys:
                    truth = np.mean([scores[key] for scores in others])
                    is_inside = 0 < system.mean(key) < 1
                    is_bound = is_inside and estimate(key, system).error == 0
                    hits[key].append((contains(interval(key, 0.95, system), float(truth)), is_bound))
            for key, of_key in hits.items():
                good, is_bound = np.array(of_key).T
                name = f"{size} types from {least}, {key}"
                yield "coverage of types of a closed lexicon", count, name, good.mean()
                if is_bound.sum() >= samples / 20:
                    yield "coverage where no cluster changes the score", count, name, good[is_bound].mean()
                    yield "samples in which no cluster changes it", count, name, is_bound.mean()


def closed_lexicon(size: int, least: float, plan: Plan, lines: int = 3000) -> Population:
    """Lines with some of so many types, each with a probability of at least `least`; the system cuts some types into two."""
    source = np.random.default_rng(size)
    present = source.random((lines, size)) < np.exp(source.uniform(np.log(least), 0, size))
    # The share of each type that the system finds: one type never, and one nearly never.
    recovered = source.beta(1, 0.35, size)
    recovered[:2] = 0, 0.02
    found = source.random((lines, size)) < recovered
    words = [chr(0x4E00 + 2 * number) + chr(0x4E01 + 2 * number) for number in range(size)]
    references, predictions = [], []
    for is_present, is_found in zip(present, found, strict=True):
        chosen = np.flatnonzero(is_present)
        references.append(" ".join(words[at] for at in chosen))
        predictions.append(" ".join(words[at] if is_found[at] else " ".join(words[at]) for at in chosen))
    sides = open_inputs(plan.reading, references, predictions)
    (tally,), _ = concatenate_tallies(sides, plan)
    return Population(tally, range(lines))


def cut(sentences: Sequence[Sequence[str]], seed: int, part: float = 0.5) -> list[str]:
    """Segment the text by forward maximum matching with a part of the vocabulary."""
    types = sorted({word for words in sentences for word in words})
    known = set(random.Random(seed).sample(types, int(len(types) * part)))
    longest = min(12, max(map(len, known)))
    predictions = []
    for words in sentences:
        text = "".join(words)
        start = 0
        found = []
        while start < len(text):
            stops = range(min(len(text), start + longest), start, -1)
            # A character that begins no known word is a word.
            end = next((stop for stop in stops if text[start:stop] in known), start + 1)
            found.append(text[start:end])
            start = end
        predictions.append(" ".join(found))
    return predictions


def tallied(references: Sequence[str], systems: Sequence[Sequence[str]]) -> UtteranceTally:
    """Return the tally of all systems, one after the other."""
    stacked = list(chain.from_iterable(systems))
    sides = open_inputs(PLAN.reading, list(references) * len(systems), stacked)
    (tally,), _ = concatenate_tallies(sides, PLAN)
    return tally


def populations(text: Sequence[Path], lines: int = 3000) -> Iterator[tuple[str, Population]]:
    """Make the populations, by name; first those with runs."""
    sentences, source = [words for words, _ in news(lines)], np.random.default_rng(9)
    systems = [*(cut(sentences, seed) for seed in range(RUNS)), cut(sentences, -1, 1 / 3)]
    tally = tallied(list(map(" ".join, sentences)), systems)
    sizes = {
        "lines": np.ones(lines),
        "blocks": np.full(lines, 20),
        "log-normal": np.ceil(3 * source.lognormal(0, 1.2, lines)),
        "Pareto": np.ceil(1 + source.pareto(1, lines)),
    }
    for name, each in sizes.items():
        yield name, Population(tally, np.repeat(np.arange(lines), each.astype(int))[:lines])
    short = np.flatnonzero([len(words) <= 40 for words in sentences])
    rows = (np.arange(RUNS + 1)[:, None] * lines + short).ravel()
    yield "short", Population(tally.take(rows), range(len(short)))
    if text:
        references, *systems = (path.read_text("utf-8").splitlines() for path in text)
        yield "text", Population(tallied(references, systems), range(len(references)))


PARTS: dict[str, Callable[..., Iterator[Cell]]] = {
    each.__name__: each for each in (coverage, levels, margins, runs, several, closed)
}


def is_odd(kind: str, share: float, samples: int) -> bool:
    """Return whether a share of samples is not as it should be, beyond two standard errors of a share of errors."""
    # Percentile intervals and power are shown, and nothing is promised about them.
    if "percentile" in kind or kind.startswith(("power", "rare wins")):
        return False
    nominal = 0.025 if kind.startswith("differ") else 0.05
    return share < 0.9 if "coverage" in kind else share > nominal + 2 * (share * (1 - share) / samples) ** 0.5


def show(title: str, cells: Iterator[Cell], samples: int) -> None:
    """Print the table of a part, and its odd cells."""
    shares: dict[str, dict[int, dict[str, float]]] = {}
    odd = []
    for kind, count, name, share in cells:
        shares.setdefault(kind, {}).setdefault(count, {})[name] = share
        line = f"- {kind}, {count}, {name}: {share:.1%}"
        odd += [line] if is_odd(kind, share, samples) else []
        print(line, file=sys.stderr, flush=True)
    counts = sorted({count for by_count in shares.values() for count in by_count})
    print(f"\n| {title}, % | {' | '.join(map(str, counts))} |\n|---|{'---|' * len(counts)}")
    for kind, by_count in shares.items():
        shares = [100 * np.array(list(by_count.get(count, {"": np.nan}).values())) for count in counts]
        print(f"| {kind} | {' | '.join(f'{each.mean():.1f} ({each.min():.0f}–{each.max():.0f})' for each in shares)} |")
    print("\n".join(odd), flush=True)


def main() -> int:
    """Simulate, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=400, help="of a cell (default: %(default)s)")
    parser.add_argument("--text", type=Path, nargs=3, default=(), help="words text, and two systems' predictions")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS), help="(default: all)")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    made = {} if options.only == ["closed"] else dict(populations(options.text))
    with_runs = {name: each for name, each in made.items() if each.worst == RUNS}
    for name in options.only:
        show(name, PARTS[name](with_runs if name in ("runs", "several") else made, options.samples), options.samples)
    return 0


if __name__ == "__main__":
    sys.exit(main())
