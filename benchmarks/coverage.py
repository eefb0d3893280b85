"""Simulations: how often intervals contain the true score, and how often equal systems differ significantly.

    python benchmarks/coverage.py --samples 400
    python benchmarks/coverage.py --only lines blocks --conllu en_ewt-ud-test.conllu

Each sample is drawn with replacement from a large population, whose scores are the true ones. The true value of a type score
is the mean over other samples of the same size. What is drawn are clusters: an utterance alone, a block of lines, a document.

Populations
-----------
- `synthetic`: made-up utterances. Words follow Zipf's law, so many types are rare. Each utterance has its own difficulty: the
  more difficult it is, the rarer are its words, and the likelier are errors.
- `lines`, `blocks`: the People's Daily, by single lines, and by blocks of 20 and of 50 consecutive lines.
- `documents`: the documents of a CoNLL-U file with `# newdoc`.

Systems segment the real text by forward maximum matching, each with its own random half of the vocabulary, so they are equally
good. For the tests their predictions are dealt out anew in each cluster, so that no difference is real.

Tables
------
1. The share of 95 % intervals that contain the true score, and the true difference of two systems: by each method, and by the
   jackknife of utterances that are taken as independent. Intervals of type scores are the jackknife's in all columns.
2. The share of samples in which two equal systems differ at the level .05: by each score, and by any of ten scores.
3. The share of samples in which one of k equal systems is found worse than the best.

A share p of n samples has a standard error of √(p (1 − p) / n): 1.1 points for 95 % of 400. The output is Markdown.
"""

from __future__ import annotations

import argparse
import random
import sys
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from speed import news

import segscores
from segscores.sources.files import DOCUMENT, file_source

KEYS = ("token_fscore", "boundary_noedge_fscore", "type_fscore")
TEN = ("boundary_all", "boundary_noedge", "token", "tnr")
#: The options of each interval, and whether it has the clusters.
WAYS: dict[str, tuple[dict[str, Any], bool]] = {
    "jackknife": ({}, True),
    "percentile": ({"interval_method": "percentile", "n_resamples": 500}, True),
    "jackknife, independent": ({}, False),
}
TRIALS = 999
#: The clusters that are drawn, by population.
COUNTS = {
    "synthetic": (500, 2000),
    "lines": (5, 12, 30, 100),
    "blocks of 20": (50,),
    "blocks of 50": (20,),
    "documents": (30, 100, 300),
}
#: The numbers of systems of the third table, and the lines of its samples.
SYSTEMS, LINES_OF_SYSTEMS = (3, 10, 20), 200


class Population:
    """Clusters of utterances, with the predictions of several systems."""

    def __init__(
        self, references: Sequence[str], systems: Sequence[Sequence[str]], clusters: Sequence[int | str]
    ) -> None:
        self.texts = np.array([references, *systems], dtype=object)
        self.members = [np.flatnonzero(np.array(clusters) == number) for number in dict.fromkeys(clusters)]
        self.truth = [score(references, system) for system in systems[:2]]

    def draw(self, count: int, seed: int, deal: bool = False) -> tuple[list[str], list[list[str]], list[int]]:
        """Draw clusters: the references, each system's predictions, and the cluster of each utterance."""
        source = np.random.default_rng([seed, count])
        lines = [self.members[index] for index in source.integers(0, len(self.members), count)]
        clusters = np.repeat(np.arange(count), [len(each) for each in lines])
        rows = np.concatenate(lines)
        systems = len(self.texts) - 1
        places = np.tile(np.arange(systems), (count, 1))
        dealt = (source.permuted(places, axis=1) if deal else places)[clusters]
        predictions = [self.texts[1 + dealt[:, system], rows].tolist() for system in range(systems)]
        return self.texts[0, rows].tolist(), predictions, clusters.tolist()

    def expected(self, count: int, samples: int) -> list[dict[str, float]]:
        """The true scores of the first two systems in samples of that size."""
        drawn = [self.draw(count, 10**6 + seed) for seed in range(samples)]
        found = []
        for system, truth in enumerate(self.truth):
            scores = [score(references, systems[system], scores="type_fscore") for references, systems, _ in drawn]
            found.append(truth | {"type_fscore": float(np.mean([each["type_fscore"] for each in scores]))})
        return found


def score(references: Sequence[str], predictions: Sequence[str], **options: Any) -> dict[str, float]:
    """Score words text."""
    options = {"scores": KEYS, "text_format": "words"} | options
    return segscores.score(references, predictions, **options)


def compare(references: Sequence[str], systems: Sequence[Sequence[str]], **options: Any) -> segscores.SystemComparison:
    """Compare systems, which are called by their numbers."""
    named = {f"{number:02d}": system for number, system in enumerate(systems)}
    options = {"scores": KEYS, "n_trials": TRIALS} | options
    return segscores.compare(references, named, text_format="words", **options)


def coverage(population: Population, count: int, samples: int) -> dict[str, list[float]]:
    """By score: the share of intervals with the truth and of differences with theirs, by each way."""
    truth, other = population.expected(count, 2 * samples)
    hits = {key: np.zeros((len(WAYS), 2)) for key in KEYS}
    for seed in range(samples):
        references, systems, clusters = population.draw(count, seed)
        for place, (options, has_clusters) in enumerate(WAYS.values()):
            ids = clusters if has_clusters else None
            found = compare(references, systems[:2], **options, n_trials=20, clusters=ids, seed=seed)
            for key, each in found.differences["01"].items():
                low, high = found.intervals["00"][key]
                is_within = low <= truth[key] <= high, each.low <= other[key] - truth[key] <= each.high
                hits[key][place] += is_within
    return {key: (values / samples).ravel().tolist() for key, values in hits.items()}


def levels(population: Population, count: int, samples: int) -> dict[str, float]:
    """The share of samples in which two equal systems differ: by each score, and by any of ten."""
    hits = dict.fromkeys((*KEYS, "any of ten"), 0)
    for seed in range(samples):
        references, systems, clusters = population.draw(count, seed, deal=True)
        found = compare(references, systems[:2], scores=(*TEN, "type_fscore"), clusters=clusters, seed=seed)
        p_values = {key: each.p_value for key, each in found.differences["01"].items()}
        for key in KEYS:
            hits[key] += p_values[key] <= 0.05
        hits["any of ten"] += any(p <= 0.05 for key, p in p_values.items() if not key.startswith("type_"))
    return {key: value / samples for key, value in hits.items()}


def wrong_daggers(population: Population, systems: int, samples: int) -> float:
    """The share of samples in which one of several equal systems is found worse than the best."""
    wrong = 0
    for seed in range(samples):
        references, predictions, _ = population.draw(LINES_OF_SYSTEMS, seed, deal=True)
        found = compare(references, predictions[:systems], scores="token_fscore", seed=seed)
        wrong += len(found.not_worse()) < systems
    return wrong / samples


def cut(sentences: Sequence[Sequence[str]], seed: int) -> list[str]:
    """Segment the text by forward maximum matching with half of the vocabulary."""
    types = sorted({word for words in sentences for word in words})
    known = set(random.Random(seed).sample(types, len(types) // 2))
    longest = min(12, max(map(len, known)))
    predictions = []
    for words in sentences:
        text, start, found = "".join(words), 0, []
        while start < len(text):
            stops = range(min(len(text), start + longest), start, -1)
            end = next((stop for stop in stops if text[start:stop] in known), start + 1)
            found.append(text[start:end])
            start = end
        predictions.append(" ".join(found))
    return predictions


def of_sentences(sentences: Sequence[Sequence[str]], clusters: Sequence[int | str], systems: int = 2) -> Population:
    """Real text, segmented by several systems."""
    return Population(
        [" ".join(words) for words in sentences], [cut(sentences, 1 + n) for n in range(systems)], clusters
    )


def synthetic(utterances: int = 100_000, types: int = 20_000) -> Population:
    """Make up utterances, and the predictions of two systems with different rates of errors."""
    source = np.random.default_rng(1)
    ranks = np.arange(1, types + 1)
    lengths = np.clip(source.poisson(1 + 0.6 * np.log(ranks)), 1, 9)
    words = ["".join(source.choice(list("abcdefghijklmnop"), length)) for length in lengths]
    shares = np.cumsum(1 / (ranks + 2))
    counts = 1 + source.poisson(6, utterances)
    difficulties = source.beta(1.2, 5, utterances)
    drawn = source.random(int(counts.sum())) ** (1 - 0.5 * np.repeat(difficulties, counts))
    chosen = np.minimum(np.searchsorted(shares / shares[-1], drawn), types - 1)
    references, systems = [], [[], []]
    for end, count, difficulty in zip(np.cumsum(counts).tolist(), counts.tolist(), difficulties.tolist(), strict=True):
        utterance = [words[index] for index in chosen[end - count : end]]
        references.append(" ".join(utterance))
        text = "".join(utterance)
        is_end = np.zeros(len(text), bool)
        is_end[np.cumsum([len(word) for word in utterance]) - 1] = True
        for system, (missed, false) in zip(systems, ((1.0, 0.3), (0.85, 0.25)), strict=True):
            chance = source.random(len(text))
            predicted = np.where(is_end, chance >= missed * difficulty, chance < false * difficulty)
            cuts = [0, *(np.flatnonzero(predicted[:-1]) + 1).tolist(), len(text)]
            system.append(" ".join(map(text.__getitem__, map(slice, cuts, cuts[1:]))))
    return Population(references, systems, range(utterances))


def read_documents(path: Path) -> tuple[list[list[str]], list[str]]:
    """Read the sentences of a CoNLL-U file as word lists, and the document of each."""
    batches = list(file_source(str(path), (DOCUMENT,)).batches())
    sentences, documents = ([value for batch in batches for value in batch.raw(at).to_pylist()] for at in (0, 1))
    return sentences, documents


def populations(only: Sequence[str], lines: int, conllu: Path | None) -> Iterator[tuple[str, Population]]:
    """Make the populations, by name."""
    if "synthetic" in only:
        yield "synthetic", synthetic()
    if {"lines", "blocks"} & set(only):
        sentences = [words for words, _ in news(lines)]
        for size in (1, 20, 50):
            name = "lines" if size == 1 else f"blocks of {size}"
            if name.partition(" ")[0] in only:
                yield name, of_sentences(sentences, [index // size for index in range(len(sentences))])
    if conllu:
        yield "documents", of_sentences(*read_documents(conllu))


def table(*header: str) -> None:
    """Print the head of a table."""
    print(f"\n| {' | '.join(header)} |\n|---|{'---:|' * (len(header) - 1)}", flush=True)


def print_shares(name: str, shares: Sequence[float]) -> None:
    """Print a row of a table."""
    print(f"| {name} | {' | '.join(f'{100 * share:.1f} %' for share in shares)} |", flush=True)


def main() -> int:
    """Simulate, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=400, help="of a row (default: %(default)s)")
    parser.add_argument("--lines", type=int, default=6000, help="of the People's Daily (default: %(default)s)")
    parser.add_argument("--conllu", type=Path, help="a file with '# newdoc'")
    parts = ("synthetic", "lines", "blocks", "systems")
    parser.add_argument("--only", nargs="+", choices=parts, default=parts, help="(default: all)")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    made = dict(populations(options.only, options.lines, options.conllu))
    table("95 % intervals with the true value", *(head for way in WAYS for head in (way, "difference")))
    for name, population in made.items():
        for count in COUNTS[name]:
            for key, shares in coverage(population, count, options.samples).items():
                print_shares(f"{name}, {count}, `{key}`", shares)
    table("equal systems that differ at .05", *KEYS, "any of ten")
    for name, population in made.items():
        for count in COUNTS[name]:
            if name != "synthetic":
                print_shares(f"{name}, {count}", list(levels(population, count, options.samples).values()))
    if "systems" in options.only:
        table("systems", "one is found worse than the best, token F")
        sentences = [words for words, _ in news(options.lines)]
        population = of_sentences(sentences, range(len(sentences)), max(SYSTEMS))
        for systems in SYSTEMS:
            print_shares(str(systems), [wrong_daggers(population, systems, options.samples)])
    return 0


if __name__ == "__main__":
    sys.exit(main())
