"""`segscores halves`: agreement against scoring each half anew."""

import math
import random
import statistics
from dataclasses import asdict
from itertools import combinations, product

import numpy as np
import pytest

from segscores import score, split_half
from segscores.scoring.measures.registry import DEFAULT_SCORES, GROUPS, group_of

from ...command_runs import write_files
from ...corpora import cut, words_text

ADDITIVE_KEYS = [key for name in DEFAULT_SCORES if name != "type" for key in GROUPS[name].keys]
Corpus = list[list[str]]


@pytest.fixture
def agreement(found):
    """What the command prints for sentences of words, by score."""

    def agree(references: Corpus, systems: dict[str, Corpus], flags: str = "") -> dict[str, dict]:
        write_files({name: words_text(sentences) for name, sentences in {"reference": references, **systems}.items()})
        return {row["score"]: row for row in found(f"halves reference {' '.join(systems)} {flags}")}

    return agree


def pearson(left: list[float], right: list[float]) -> float:
    """Pearson's r by its definition, nan if a side is constant."""
    constant = len(set(left)) == 1 or len(set(right)) == 1
    return math.nan if constant else statistics.correlation(left, right)


def ranks(values: list[float]) -> list[float]:
    """Ranks from 1; equal values share their mean rank."""
    return [(sum(each < value for each in values) + sum(each <= value for each in values) + 1) / 2 for value in values]


def make_corpus(utterances: int, seed: int) -> tuple[Corpus, dict[str, Corpus]]:
    """References, and systems that cut elsewhere at their own rates."""
    chance = random.Random(seed)
    texts = ["".join(chance.choice("abcdef") for _ in range(chance.randint(1, 9))) for _ in range(utterances)]
    ends = [[chance.random() < 0.4 for _ in text[1:]] for text in texts]
    rates = {"reference": 0, "a": 0.05, "b": 0.15, "c": 0.3, "d": 0.4}
    sides = {
        name: [
            ["".join(word) for word in cut(text, [end != (chance.random() < rate) for end in gaps])]
            for text, gaps in zip(texts, ends, strict=True)
        ]
        for name, rate in rates.items()
    }
    return sides.pop("reference"), sides


def naive_agreement(references: Corpus, systems: dict[str, Corpus], n_splits: int, seed: int, **options):
    """Mean r and rho, swapped pairs, deviation of r, and the number of splits that have one, with every half scored anew.

    The splits are drawn as the kernel says that it draws them: a mask is shuffled for each, from one generator.
    """
    generator = np.random.default_rng(seed)
    mask = [1.0] * (len(references) // 2) + [0.0] * (len(references) - len(references) // 2)
    splits: dict[str, list[tuple[float, float, float]]] = {}
    for _ in range(n_splits):
        split = generator.permutation(np.array(mask))
        halves = [
            [
                score([references[at] for at in chosen], [system[at] for at in chosen], **options)
                for system in systems.values()
            ]
            for chosen in (np.flatnonzero(split == side) for side in (1, 0))
        ]
        for key in halves[0][0]:
            left, right = ([scores[key] for scores in half] for half in halves)
            pairs = list(combinations(range(len(left)), 2))
            swapped = sum((left[a] - left[b]) * (right[a] - right[b]) < 0 for a, b in pairs) / len(pairs)
            found = (pearson(left, right), pearson(ranks(left), ranks(right)), swapped)
            splits.setdefault(key, []).append(found)
    means = {}
    for key, found in splits.items():
        r, rho, swapped = zip(*found, strict=True)
        r, rho = ([value for value in values if not math.isnan(value)] for values in (r, rho))
        means[key] = *map(statistics.fmean, (r, rho, swapped)), statistics.stdev(r), len(r)
    return means


@pytest.mark.parametrize(("utterances", "splits"), [(24, 2), (31, 7)])
@pytest.mark.parametrize("options", [{}, {"dictionary": ["a", "ab", "bc", "cd", "de", "ef", "f"]}], ids=str)
def test_halves_equal_scoring_each_half_anew(agreement, monkeypatch, utterances, splits, options):
    monkeypatch.setattr("segscores.reading.sources.source.PIECE_BYTES", 16)
    references, systems = make_corpus(utterances, seed=utterances)
    write_files(options)
    flags = "".join(f" --{name} {name}" for name in options)
    rows = agreement(references, systems, f"--resamples {splits} --seed 3{flags}")
    expected = naive_agreement(references, systems, splits, 3, **options)
    assert list(rows) == [key for key in expected if not key.startswith("type_")]
    for key, row in rows.items():
        found = [row[name] for name in ("pearson", "spearman", "swapped", "deviation", "splits")]
        assert found == pytest.approx(expected[key], abs=1e-9)
        assert row["systems"] == 4
    sides = (words_text(references), {name: words_text(system) for name, system in systems.items()})
    in_python = split_half(*sides, text_format="words", n_splits=splits, seed=3, **options)
    assert [{**asdict(row), "signature": rows[row.score]["signature"]} for row in in_python] == [*rows.values()]


def test_seed_decides_and_type_scores_are_left_out(agreement):
    references, systems = make_corpus(30, seed=2)
    first, again, other = (agreement(references, systems, f"--resamples 4 --seed {seed}") for seed in (5, 5, 6))
    assert list(first) == ADDITIVE_KEYS
    assert (again == first, other == first) == (True, False)
    for selection in ("all", "recall"):
        keys = score(references, systems["a"], scores=selection)
        found = agreement(references, systems, f"--resamples 2 --scores {selection}")
        assert list(found) == [key for key in keys if group_of(key).statistic is None]


def test_equal_systems_have_no_agreement_and_one_split_no_deviation(agreement):
    references, systems = make_corpus(30, seed=4)
    for row in agreement(references, dict.fromkeys("abc", references), "--resamples 3 --scores token").values():
        assert [row[name] for name in ("pearson", "spearman", "deviation", "swapped", "splits")] == [None] * 3 + [0, 0]
    for row in agreement(references, systems, "--resamples 1 --scores token").values():
        assert -1 <= row["pearson"] <= 1
        assert (row["deviation"], row["splits"]) == (None, 1)


def test_halves_are_of_whole_clusters(agreement):
    references, systems = make_corpus(60, seed=9)
    del systems["d"]
    ids = [at * at % 11 % 10 for at in range(60)]
    write_files({"ids": map(str, ids)})
    flags = "--resamples 1 --seed 3 --scores exact"
    found, plain = (agreement(references, systems, f"{flags}{more}") for more in (" --clusters ids", ""))
    value = found["utterance_accuracy"]["pearson"]
    sides = (words_text(references), {name: words_text(system) for name, system in systems.items()})
    (row,) = split_half(*sides, clusters=ids, n_splits=1, seed=3, scores="exact", text_format="words")
    assert row.pearson == value
    assert value != plain["utterance_accuracy"]["pearson"]
    # Some half of the clusters gives the correlation that was found.
    numbers, correlations = sorted(set(ids)), []
    for chosen in product([False, True], repeat=len(numbers)):
        if sum(chosen) == len(numbers) // 2:
            is_first = dict(zip(numbers, chosen, strict=True))
            halves = [
                [
                    statistics.fmean(side[at] == references[at] for at in range(60) if is_first[ids[at]] is wanted)
                    for side in systems.values()
                ]
                for wanted in (True, False)
            ]
            correlations.append(pearson(*halves))
    assert min(abs(each - value) for each in correlations if not math.isnan(each)) < 1e-12
