"""Meta-evaluation: correlations against scipy and by hand, halves against scoring each half anew."""

from __future__ import annotations

import csv
import io
import json
import math
import random
import statistics
import sys
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from segscores import score
from segscores.command.tables import format_rows
from segscores.measures.registry import DEFAULT_SCORES, GROUPS
from segscores.statistics.correlation import Agreement, agreement_of_tallies, correlate, half_agreement

ADDITIVE_KEYS = [key for name in DEFAULT_SCORES if name != "type" for key in GROUPS[name].keys]


def pearson(left: list[float], right: list[float]) -> float:
    """Pearson's r by its definition, nan if a side is constant."""
    means = statistics.fmean(left), statistics.fmean(right)
    products = [(x - means[0]) * (y - means[1]) for x, y in zip(left, right, strict=True)]
    squares = [sum((x - mean) ** 2 for x in values) for values, mean in zip((left, right), means, strict=True)]
    return sum(products) / math.sqrt(squares[0] * squares[1]) if all(squares) else math.nan


@pytest.mark.parametrize(
    ("values", "criterion", "r", "rho"),
    [
        # Σxy = 4, Σx² = Σy² = 5; ranks are the values.
        ([1, 2, 4, 3], [1, 2, 3, 4], 0.8, 0.8),
        # A straight line upside down.
        ([0.9, 0.7, 0.5], [10, 20, 30], -1, -1),
        # In order but not in line: Σxy = 7, Σx² = 26, Σy² = 2.
        ([0, 2, 7], [1, 2, 3], 7 / math.sqrt(52), 1),
        # Ties share ranks 1.5 and 1.5: Σxy = 1.5, Σx² = 1.5, Σy² = 2.
        ([5, 5, 9], [1, 2, 3], 3 / math.sqrt(12), 1.5 / math.sqrt(3)),
    ],
)
def test_small_cases_by_hand(values, criterion, r, rho):
    (row,) = correlate({"score": values}, criterion)
    assert (row.pearson, row.spearman, row.n) == (pytest.approx(r), pytest.approx(rho), len(values))


def test_p_value_of_a_case_by_hand():
    # n = 4 and r = 0.8: r is uniform on [-1, 1] under the hypothesis, so that p = 1 - 0.8.
    (row,) = correlate({"score": [1, 2, 4, 3]}, [1, 2, 3, 4])
    assert row.pearson_p == pytest.approx(0.2)


@given(
    st.lists(st.tuples(st.integers(-50, 50), st.integers(-50, 50)), min_size=3, max_size=12).filter(
        lambda pairs: all(len(set(column)) > 1 for column in zip(*pairs, strict=True))
    )
)
def test_equals_the_definitions(pairs):
    values, criterion = map(list, zip(*pairs, strict=True))
    (row,) = correlate({"score": values}, criterion)
    assert row.pearson == pytest.approx(pearson(values, criterion), abs=1e-12)
    ranks = [list(stats.rankdata(column)) for column in (values, criterion)]
    assert row.spearman == pytest.approx(pearson(*ranks), abs=1e-12)
    assert 0 <= row.pearson_p <= 1
    assert 0 <= row.spearman_p <= 1


def test_largest_correlation_of_either_sign_comes_first_and_constants_last():
    scores = {"constant": [1, 1, 1, 1], "weak": [1, 3, 2, 2], "down": [4, 3, 2, 1], "strong": [1, 2, 4, 3]}
    rows = correlate(scores, [1, 2, 3, 4])
    assert [row.score for row in rows] == ["down", "strong", "weak", "constant"]


@pytest.mark.parametrize("constant", [[0.3, 0.3, 0.3], [0.1 * 3, 0.3, 0.3], [0, 0, 0]])
@pytest.mark.parametrize("swap", [False, True])
def test_constants_have_no_correlation(constant, swap):
    sides = [[1, 2, 4], constant] if swap else [constant, [1, 2, 4]]
    (row,) = correlate({"score": sides[0]}, sides[1])
    assert all(math.isnan(value) for value in (row.pearson, row.pearson_p, row.spearman, row.spearman_p))


@pytest.mark.parametrize(
    ("scores", "criterion", "message"),
    [
        ({}, [1, 2, 3], "nothing to correlate"),
        ({"a": [1, 2]}, [1, 2], "2 systems: expected at least 3"),
        ({"a": [1]}, [1], "1 system: expected at least 3"),
        ({"a": [1, 2, 3, 4]}, [1, 2, 3], "the score 'a' has 4 values and the criterion 3"),
        ({"a": [1, math.nan, 3]}, [1, 2, 3], "the score 'a' is nan for system 1"),
        ({"a": [1, 2, 3]}, [1, 2, math.inf], "the criterion is inf for system 2"),
        ({"a": ["x", 2, 3]}, [1, 2, 3], "the score 'a': expected a number per system"),
        ({"a": [[1], [2], [3]]}, [1, 2, 3], r"the score 'a': .* shape \(3, 1\)"),
    ],
)
def test_bad_tables_are_refused(scores, criterion, message):
    with pytest.raises(ValueError, match=message):
        correlate(scores, criterion)


def test_scipy_is_not_needed(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy", None)
    assert correlate({"a": [1, 2, 4]}, [1, 2, 3])[0].spearman == 1


@pytest.mark.parametrize("n", [3, 4, 5, 6, 7])
def test_p_values_of_few_systems_are_those_of_scipys_permutations(n):
    source = random.Random(n)
    values, criterion = ([source.choice(range(2 * n)) for _ in range(n)] for _ in range(2))
    (row,) = correlate({"score": values}, criterion)
    for function, found, p_value in (
        (stats.spearmanr, row.spearman, row.spearman_p),
        (stats.kendalltau, row.kendall, row.kendall_p),
    ):
        theirs = stats.permutation_test(
            (values,),
            lambda x, function=function: abs(function(x, criterion).statistic),
            permutation_type="pairings",
            n_resamples=10_000,
            alternative="greater",
        )
        assert found == pytest.approx(function(values, criterion).statistic)
        assert p_value == pytest.approx(theirs.pvalue)


def test_p_values_by_hand():
    # A perfect order of three systems and its reverse, of six; of five with two neighbours exchanged: 10 of 120 are as large.
    assert correlate({"score": [1, 2, 3]}, [1, 2, 3])[0].spearman_p == pytest.approx(2 / 6)
    assert correlate({"score": [1, 2, 3, 5, 4]}, [1, 2, 3, 4, 5])[0].spearman_p == pytest.approx(10 / 120)


def test_without_ties_kendalls_p_value_is_scipys_exact_one():
    values = [3, 1, 2, 5, 4, 8, 6, 9, 7]
    (row,) = correlate({"score": values}, range(9))
    assert row.kendall_p == pytest.approx(stats.kendalltau(values, range(9), method="exact").pvalue)


def test_many_systems_are_permuted_at_random():
    source = random.Random(3)
    values = [source.gauss(0, 1) for _ in range(14)]
    criterion = [value + source.gauss(0, 2) for value in values]
    (row,) = correlate({"score": values}, criterion)
    assert row.spearman_p == pytest.approx(stats.spearmanr(values, criterion).pvalue, abs=0.02)
    assert row.kendall_p == pytest.approx(stats.kendalltau(values, criterion).pvalue, abs=0.02)
    assert row.pearson_p == pytest.approx(stats.pearsonr(values, criterion).pvalue, rel=1e-9)


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
) -> dict[str, tuple[float, float, int]]:
    """Mean and deviation of Pearson's r and the number of splits that have one, with every half scored anew.

    The splits are drawn as the kernel says that it draws them: a mask is shuffled for each, from one generator.
    """
    generator = np.random.default_rng(seed)
    mask = [1.0] * (len(references) // 2) + [0.0] * (len(references) - len(references) // 2)
    correlations: dict[str, list[float]] = {}
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
    defined = {key: [r for r in values if not math.isnan(r)] for key, values in correlations.items()}
    return {key: (statistics.fmean(values), statistics.stdev(values), len(values)) for key, values in defined.items()}


@pytest.mark.parametrize("utterances", [24, 31])
@pytest.mark.parametrize("options", [{}, {"dictionary": ["a", "ab", "bc", "cd", "de", "ef", "f"]}])
def test_halves_equal_scoring_each_half_anew(utterances, options):
    references, systems = make_corpus(utterances, seed=utterances)
    rows = half_agreement(references, systems, n_splits=7, seed=3, **options)
    expected = naive_agreement(references, systems, 7, 3, **options)
    assert [row.score for row in rows] == [key for key in expected if not key.startswith("type_")]
    for row in rows:
        assert (row.mean, row.deviation, row.splits) == pytest.approx(expected[row.score], abs=1e-9)
        assert row.systems == 4


def test_halves_in_several_parts_and_blocks_are_the_same(monkeypatch):
    references, systems = make_corpus(30, seed=1)
    whole = half_agreement(references, systems, n_splits=5)
    monkeypatch.setattr("segscores.reading.parts.PART_BYTES", 40)
    monkeypatch.setattr("segscores.statistics.correlation._CELLS_AT_ONCE", 60)
    assert half_agreement(references, systems, n_splits=5) == whole


def test_seed_decides_and_the_default_leaves_out_types():
    references, systems = make_corpus(30, seed=2)
    first = half_agreement(references, systems, n_splits=4, seed=5)
    assert [row.score for row in first] == ADDITIVE_KEYS
    assert half_agreement(references, systems, n_splits=4, seed=5) == first
    assert half_agreement(references, systems, n_splits=4, seed=6) != first


def test_selection_leaves_out_types():
    references, systems = make_corpus(20, seed=2)
    keys = [row.score for row in half_agreement(references, systems, n_splits=2, scores="recall")]
    assert keys == ["boundary_all_recall", "boundary_noedge_recall", "token_recall"]


def test_equal_systems_have_no_agreement():
    references, _ = make_corpus(10, seed=0)
    rows = half_agreement(references, dict.fromkeys("abc", references), n_splits=3, scores="token")
    assert all(math.isnan(row.mean) and math.isnan(row.deviation) and row.splits == 0 for row in rows)


def test_one_split_has_no_deviation():
    references, systems = make_corpus(30, seed=4)
    (row, *_) = half_agreement(references, systems, n_splits=1, scores="token")
    assert -1 <= row.mean <= 1
    assert math.isnan(row.deviation)
    assert row.splits == 1


def test_formulas_of_other_families_do():
    # Two utterances a system: every split puts one into each half. Halves rise together over the systems.
    tallies = [{"right": np.array([k, 2 * k]), "all": np.array([10, 20])} for k in (1, 2, 4)]
    (row,) = agreement_of_tallies(tallies, lambda sums: {"share": sums["right"] / sums["all"]}, n_splits=3)
    assert row == Agreement("share", pytest.approx(1.0), pytest.approx(0.0, abs=1e-12), splits=3, systems=3)


@pytest.mark.parametrize("selection", ["all", "recall"])
def test_selections_of_scores_leave_type_scores_out(selection):
    utterances = ["a b", "c d e", "fg h"]
    systems = {"x": ["ab", "c d e", "fg h"], "y": ["a b", "cde", "f gh"], "z": ["ab", "cd e", "f g h"]}
    rows = half_agreement(utterances, systems, scores=selection, window_size=2, text_format="words", n_splits=3)
    keys = score(utterances, systems["x"], scores=selection, window_size=2, text_format="words")
    assert [row.score for row in rows] == [key for key in keys if not key.startswith("type_")]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"systems": {"a": ["ab"], "b": ["ab"]}}, "2 systems: expected at least 3"),
        ({"n_splits": 0}, "n_splits: expected an integer from 1 to 1000000, received 0"),
        ({"n_splits": 10**9}, "n_splits: expected an integer from 1 to 1000000, received 1000000000"),
        ({"seed": -1}, "seed: expected an integer from 0 to 18446744073709551615, received -1"),
        ({"scores": "type"}, "scores='type': type scores are not sums"),
        ({"scores": ("token", "type")}, "scores='type': type scores are not sums"),
        ({"scores": "type_fscore"}, "scores='type_fscore': type scores are not sums"),
        ({"scores": ["token_fscore", "type_recall"]}, "scores='type_recall': type scores are not sums"),
        ({"scores": "tokens"}, "unknown score group 'tokens'"),
        ({"references": ["a b"], "systems": {name: ["ab"] for name in "xyz"}}, "1 utterance: expected at least 2"),
        ({"references": [], "systems": {name: [] for name in "xyz"}}, "nothing to score"),
        ({"systems": {"x": ["ab", "c"], "y": ["ab"], "z": ["ab", "c"]}}, "system 'y': 2 references and 1 predictions"),
        (
            {"systems": {"x": ["ab", "c"], "y": ["ab", "d"], "z": ["ab", "c"]}},
            "system 'y': utterance 1: the units differ",
        ),
    ],
)
def test_bad_halves_are_refused(change, message):
    given = {
        "references": ["a b", "c"],
        "systems": {name: ["ab", "c"] for name in "xyz"},
        "text_format": "words",
    } | change
    with pytest.raises(ValueError, match=message):
        half_agreement(given.pop("references"), given.pop("systems"), **given)


@dataclass(frozen=True)
class Row:
    """Some fields of a row."""

    score: str
    pearson: float
    pearson_p: float
    spearman: float
    spearman_p: float
    n: int


ROWS = [Row("a|b_c", 0.123456, 0.00000123, -0.5, 0.04, 5), Row("d", *[math.nan] * 4, 5)]


def test_table_rounds():
    header, _, *rows = format_rows(ROWS, "table").splitlines()
    assert header.split() == ["score", "pearson", "pearson_p", "spearman", "spearman_p", "n"]
    assert rows[0].split() == ["a|b_c", "0.1235", "1.2e-06", "-0.5000", "0.04", "5"]
    assert rows[1].split() == ["d", *["nan"] * 4, "5"]


def test_json_and_csv_give_every_digit():
    first, second = json.loads(format_rows(ROWS, "json"))
    assert first == {
        "score": "a|b_c",
        "pearson": 0.123456,
        "pearson_p": 0.00000123,
        "spearman": -0.5,
        "spearman_p": 0.04,
        "n": 5,
    }
    assert second["pearson"] is None
    rows = list(csv.DictReader(io.StringIO(format_rows(ROWS, "csv"))))
    assert float(rows[0]["pearson"]) == 0.123456
    assert rows[1]["spearman"] == "nan"


def test_markdown_and_latex_escape():
    assert "a\\|b_c" in format_rows(ROWS, "markdown")
    assert "b\\_c" in format_rows(ROWS, "latex")


@pytest.mark.parametrize("swap", [False, True])
def test_values_that_differ_by_rounding_are_ties_of_the_ranks(swap):
    values, rounded, criterion = [0.3, 0.3, 0.5, 0.6, -0.2], [0.1 + 0.2, 0.3, 0.5, 0.6, -0.2], [1, 2, 3, 4, 5]
    (row,) = correlate({"score": criterion}, rounded) if swap else correlate({"score": rounded}, criterion)
    assert row.spearman == pytest.approx(stats.spearmanr(values, criterion).statistic, abs=1e-12)
    assert row.kendall == pytest.approx(stats.kendalltau(values, criterion).statistic, abs=1e-12)
    (exact,) = correlate({"score": values}, criterion)
    assert (row.spearman_p, row.kendall_p) == (exact.spearman_p, exact.kendall_p)


def test_half_agreement_takes_an_iterator_of_references():
    references = ["a b c", "d ef", "g h i", "jk l", "m n"]
    systems = {
        "a": references,
        "b": ["abc", "d e f", "g hi", "j k l", "mn"],
        "c": ["ab c", "de f", "ghi", "jkl", "m n"],
    }
    options = {"text_format": "words", "scores": "token", "n_splits": 5}
    assert half_agreement(iter(references), systems, **options) == half_agreement(references, systems, **options)
