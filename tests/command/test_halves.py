"""`segmentation-scores halves`: agreement against scoring each half anew, and bad files."""

from __future__ import annotations

import json
import math
import random
import statistics
from collections.abc import Callable
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from segscores import score
from segscores.measures.registry import DEFAULT_SCORES, GROUPS

from ..naive import words_text
from .running import run_command

ADDITIVE_KEYS = [key for name in DEFAULT_SCORES if name != "type" for key in GROUPS[name].keys]


def run(*arguments: str) -> None:
    run_command("halves", *arguments)


@pytest.fixture
def agreement(tmp_path, monkeypatch, capsys) -> Callable[..., dict[str, dict[str, Any]]]:
    """What the command prints for sentences of words, by score; options are its flags."""
    monkeypatch.chdir(tmp_path)

    def agree(references: Any, systems: dict[str, Any], **options: Any) -> dict[str, dict[str, Any]]:
        for name, sentences in {"reference": references, **systems}.items():
            Path(name).write_text("\n".join(words_text(sentences)) + "\n", encoding="utf-8")
        flags = [str(each) for name, value in options.items() for each in (f"--{name}", value)]
        run("reference", *systems, "--format", "json", *flags)
        return {row["score"]: row for row in json.loads(capsys.readouterr().out)}

    return agree


def pearson(left: list[float], right: list[float]) -> float:
    """Pearson's r by its definition, nan if a side is constant."""
    constant = len(set(left)) == 1 or len(set(right)) == 1
    return math.nan if constant else statistics.correlation(left, right)


def ranks(values: list[float]) -> list[float]:
    """Ranks from 1; equal values share their mean rank."""
    return [(sum(each < value for each in values) + sum(each <= value for each in values) + 1) / 2 for value in values]


def make_corpus(utterances: int, seed: int) -> tuple[list[list[str]], dict[str, list[list[str]]]]:
    """References, and systems that cut elsewhere at their own rates."""
    chance = random.Random(seed)

    def cut(text: str, ends: set[int], rate: float) -> list[str]:
        words = [""]
        for index, character in enumerate(text):
            words[-1] += character
            if (index in ends) != (chance.random() < rate):
                words.append("")
        return [word for word in words if word]

    texts = ["".join(chance.choice("abcdef") for _ in range(chance.randint(1, 9))) for _ in range(utterances)]
    ends = [{index for index in range(len(text)) if chance.random() < 0.4} for text in texts]
    references = [cut(*pair, rate=0) for pair in zip(texts, ends, strict=True)]
    rates = {"a": 0.05, "b": 0.15, "c": 0.3, "d": 0.4}
    systems = {name: [cut(*pair, rate=rate) for pair in zip(texts, ends, strict=True)] for name, rate in rates.items()}
    return references, systems


def naive_agreement(
    references: list[list[str]], systems: dict[str, list[list[str]]], n_splits: int, seed: int, **options
) -> dict[str, tuple[float, ...]]:
    """Mean r and rho, swapped pairs, deviation of r, and the number of splits that have one, with every half scored anew.

    The splits are drawn as the kernel says that it draws them: a mask is shuffled for each, from one generator.
    """
    generator = np.random.default_rng(seed)
    mask = [1.0] * (len(references) // 2) + [0.0] * (len(references) - len(references) // 2)
    correlations: dict[str, list[float]] = {}
    others: dict[str, list[tuple[float, float]]] = {}
    for _ in range(n_splits):
        split = generator.permutation(np.array(mask))
        halves = []
        for side in (1, 0):
            chosen = [index for index, member in enumerate(split) if member == side]
            halves.append(
                [
                    score([references[index] for index in chosen], [system[index] for index in chosen], **options)
                    for system in systems.values()
                ]
            )
        for key in halves[0][0]:
            left, right = ([scores[key] for scores in half] for half in halves)
            correlations.setdefault(key, []).append(pearson(left, right))
            pairs = list(combinations(range(len(left)), 2))
            swapped = sum((left[a] - left[b]) * (right[a] - right[b]) < 0 for a, b in pairs) / len(pairs)
            others.setdefault(key, []).append((pearson(*map(ranks, (left, right))), swapped))
    defined = {key: [r for r in values if not math.isnan(r)] for key, values in correlations.items()}
    return {
        key: (
            statistics.fmean(values),
            statistics.fmean(rho for rho, _ in others[key] if not math.isnan(rho)),
            statistics.fmean(swapped for _, swapped in others[key]),
            statistics.stdev(values),
            len(values),
        )
        for key, values in defined.items()
    }


@pytest.mark.parametrize(("utterances", "part_bytes"), [(24, 1 << 20), (31, 16)])
@pytest.mark.parametrize("dictionary", [None, ["a", "ab", "bc", "cd", "de", "ef", "f"]])
def test_halves_equal_scoring_each_half_anew(agreement, monkeypatch, utterances, part_bytes, dictionary):
    monkeypatch.setattr("segscores.sources.source.PART_BYTES", part_bytes)
    references, systems = make_corpus(utterances, seed=utterances)
    options = {}
    if dictionary is not None:
        Path("segments").write_text("\n".join(dictionary) + "\n", encoding="utf-8")
        options["dictionary"] = "segments"
    rows = agreement(references, systems, resamples=7, seed=3, **options)
    expected = naive_agreement(references, systems, 7, 3, **({} if dictionary is None else {"dictionary": dictionary}))
    assert list(rows) == [key for key in expected if not key.startswith("type_")]
    for key, row in rows.items():
        found = [row[name] for name in ("pearson", "spearman", "swapped", "deviation", "splits")]
        assert found == pytest.approx(expected[key], abs=1e-9)
        assert row["systems"] == 4


def test_seed_decides_and_type_scores_are_left_out(agreement):
    references, systems = make_corpus(30, seed=2)
    first = agreement(references, systems, resamples=4, seed=5)
    assert list(first) == ADDITIVE_KEYS
    assert agreement(references, systems, resamples=4, seed=5) == first
    assert agreement(references, systems, resamples=4, seed=6) != first
    for selection in ("all", "recall"):
        keys = score(references, systems["a"], scores=selection, window_size=2)
        found = agreement(references, systems, resamples=2, scores=selection, **{"window-size": 2})
        assert list(found) == [key for key in keys if not key.startswith("type_")]


def test_equal_systems_have_no_agreement_and_one_split_no_deviation(agreement):
    references, systems = make_corpus(30, seed=4)
    equal = agreement(references, dict.fromkeys("abc", references), resamples=3, scores="token")
    for row in equal.values():
        assert all(row[name] is None for name in ("pearson", "spearman", "deviation"))
        assert (row["swapped"], row["splits"]) == (0, 0)
    for row in agreement(references, systems, resamples=1, scores="token").values():
        assert -1 <= row["pearson"] <= 1
        assert (row["deviation"], row["splits"]) == (None, 1)


def test_halves_are_of_whole_clusters(agreement):
    references, systems = make_corpus(60, seed=9)
    del systems["d"]
    ids = [at * at % 11 % 10 for at in range(60)]
    Path("ids").write_text("\n".join(map(str, ids)) + "\n", encoding="utf-8")
    found = agreement(references, systems, clusters="ids", resamples=1, seed=3, scores="exact")["utterance_accuracy"]
    assert (
        found["pearson"]
        != agreement(references, systems, resamples=1, seed=3, scores="exact")["utterance_accuracy"]["pearson"]
    )
    # Some half of the clusters gives the correlation that was found.
    numbers, correlations = sorted(set(ids)), []
    for chosen in product([False, True], repeat=len(numbers)):
        if sum(chosen) != len(numbers) // 2:
            continue
        first = {number for number, taken in zip(numbers, chosen, strict=True) if taken}
        halves = [
            [
                statistics.fmean(side[at] == references[at] for at in range(60) if (ids[at] in first) is wanted)
                for side in systems.values()
            ]
            for wanted in (True, False)
        ]
        correlations.append(pearson(*halves))
    assert min(abs(value - found["pearson"]) for value in correlations if not math.isnan(value)) < 1e-12
