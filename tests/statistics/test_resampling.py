"""Intervals: equal to scipy's within Monte-Carlo error, to naive loops exactly, and they cover."""

from __future__ import annotations

import inspect
import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from statistics import NormalDist
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from scipy import special, stats

from segscores.measures.registry import GROUPS, compute_scores, group_of
from segscores.reading.inputs import read_pair
from segscores.scoring.options import Plan
from segscores.scoring.utterance_tally import (
    PREDICTION,
    REFERENCE,
    TypeIncidence,
    UtteranceTally,
    tally_utterances,
)
from segscores.statistics.resampling import (
    METHODS,
    bootstrap_scores,
    freedom_of,
    intervals,
    log_odds_interval,
    resampled_sums,
    type_standard_errors,
)
from segscores.statistics.utterance_scores import Resampling

from ..naive import DEFAULT_KEYS, Corpus, naive_scores, random_corpus_pair, units_text

SUM_KEYS = tuple(key for key in DEFAULT_KEYS if not key.startswith("type_"))
TYPE_KEYS = tuple(key for key in DEFAULT_KEYS if key.startswith("type_"))

# scipy took the generator under another name before its version 1.15.
RNG = "rng" if "rng" in inspect.signature(stats.bootstrap).parameters else "random_state"


def tally_of(references: Corpus, predictions: Corpus, **options: Any) -> UtteranceTally:
    return tally_utterances(*read_pair(units_text(references), units_text(predictions)), Plan.of(**options))


def small_pair(count: int = 60, seed: int = 3) -> tuple[list[Any], list[Any]]:
    return random_corpus_pair(count, seed, units="abc", max_units=9)


def type_scores(sizes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return compute_scores(sizes[0], TYPE_KEYS)


def weights_of(count: int, n_resamples: int, seed: int) -> np.ndarray:
    """How often each resample has each utterance: the sums of columns that mark one utterance each."""
    marks = {str(index): row for index, row in enumerate(np.eye(count, dtype=np.int64))}
    return np.stack(list(resampled_sums(marks, n_resamples, seed).values()), axis=1).astype(np.int64)


def test_replicates_are_the_scores_of_corpora_with_the_utterances_drawn() -> None:
    references, predictions = small_pair()
    found = bootstrap_scores(tally_of(references, predictions), SUM_KEYS, n_resamples=40, seed=5)
    for index, weights in enumerate(weights_of(60, 40, seed=5)):
        drawn = np.repeat(np.arange(60), weights)
        expected = naive_scores([references[at] for at in drawn], [predictions[at] for at in drawn])
        assert {key: found[key][index] for key in SUM_KEYS} == {key: expected[key] for key in SUM_KEYS}


def group_tally(name: str) -> tuple[UtteranceTally, Plan]:
    needed = {"dictionary": ["a", "b c"], "vocabulary": ["a", "bc"]}.get(GROUPS[name].needs_option)
    options = Plan.of(scores=name, **({} if needed is None else {GROUPS[name].needs_option: needed}))
    return tally_utterances(*read_pair(*map(units_text, small_pair(50, seed=21))), options), options


@pytest.mark.parametrize("name", [name for name, group in GROUPS.items() if not group.needs_words])
def test_replicates_of_every_group_are_the_scores_of_the_utterances_drawn(name: str) -> None:
    tally, options = group_tally(name)
    found = bootstrap_scores(tally, GROUPS[name].keys, n_resamples=10, seed=3)
    for index, weights in enumerate(weights_of(50, 10, seed=3)):
        expected = tally.take(np.repeat(np.arange(50), weights)).scores(options)
        assert {key: float(found[key][index]) for key in expected} == pytest.approx(expected, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize("name", GROUPS)
def test_intervals_of_every_group_are_around_the_score_in_its_range(name: str, method: str) -> None:
    tally, options = group_tally(name)
    scores, found = tally.scores(options), intervals(tally, GROUPS[name].keys, method=method)
    for key in GROUPS[name].keys:
        least, greatest = GROUPS[name].range_of(key)
        assert least <= found[key][0] <= scores[key] <= found[key][1] <= greatest


# More resamples than are made at a time, and fewer.
@pytest.mark.parametrize(("count", "n_resamples"), [(7, 50_000), (600, 1000), (3000, 3)])
def test_weights_are_those_of_drawing_with_replacement(count: int, n_resamples: int) -> None:
    weights = weights_of(count, n_resamples, seed=6)
    assert weights.shape == (n_resamples, count)
    assert (weights.sum(axis=1) == count).all()
    expected = stats.binom.pmf(np.arange(8), count, 1 / count)
    observed = np.bincount(np.minimum(weights, 8).ravel(), minlength=9)[:8] / weights.size
    assert observed == pytest.approx(expected, abs=6 / math.sqrt(weights.size))


def skewed_tally(count: int, seed: int) -> UtteranceTally:
    """Few utterances of lengths that differ a lot, so that BCa is far from the percentile method."""
    source = np.random.default_rng(seed)
    lengths = np.ceil(source.lognormal(1.0, 1.0, count)).astype(np.int64)
    matched = source.binomial(lengths, source.beta(5, 1, count))
    columns = {"token_matched": matched, "token_predicted": lengths, "token_reference": lengths}
    return UtteranceTally({"utterances": np.ones(count, np.int64), **columns})


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_intervals_equal_those_of_scipy_within_monte_carlo_error(method: str, confidence: float) -> None:
    tally = skewed_tally(25, seed=2)
    matched, reference = tally.columns["token_matched"], tally.columns["token_reference"]

    def recall(matched: np.ndarray, reference: np.ndarray, axis: int) -> Any:
        return matched.sum(axis=axis) / reference.sum(axis=axis)

    theirs = stats.bootstrap(
        (matched, reference), recall, paired=True, vectorized=True, n_resamples=20_000, confidence_level=confidence,
        method={"bca": "BCa"}.get(method, method), **{RNG: np.random.default_rng(2)},
    )  # fmt: skip
    ours = {
        name: intervals(tally, ["token_recall"], confidence=confidence, n_resamples=20_000, method=name)["token_recall"]
        for name in ("percentile", "bca")
    }
    # The standard error of a quantile at 0.025 of 20,000 replicates is 0.02 of their deviation; BCa's z₀ adds to it.
    tolerance = 0.12 * float(theirs.standard_error)
    assert ours[method] == pytest.approx(tuple(theirs.confidence_interval), abs=tolerance)
    assert abs(ours["bca"][0] - ours["percentile"][0]) > 1.5 * tolerance, "the methods would not be distinguished"


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_intervals_of_a_macro_average_equal_those_of_scipy_for_a_mean(method: str) -> None:
    # Blank utterances are in no macro average.
    references, predictions = map(
        list, zip(*(both for both in zip(*small_pair(40, seed=19), strict=True) if both[0]), strict=True)
    )
    tally, key = tally_of(references, predictions), "type_fscore"
    alone = [naive_scores([left], [right])[key] for left, right in zip(references, predictions, strict=True)]
    theirs = stats.bootstrap(
        (alone,), np.mean, n_resamples=20_000, method={"bca": "BCa"}.get(method, method),
        **{RNG: np.random.default_rng(9)},
    )  # fmt: skip
    ours = intervals(tally, [key], n_resamples=20_000, method=method, average="macro")[key]
    assert ours == pytest.approx(tuple(theirs.confidence_interval), abs=0.12 * float(theirs.standard_error))


@pytest.mark.parametrize("zero_division", [0.0, math.nan])
def test_replicates_of_a_macro_average_are_means_over_the_utterances_drawn(zero_division: float) -> None:
    references, predictions = small_pair(30, seed=20)
    found = bootstrap_scores(
        tally_of(references, predictions),
        DEFAULT_KEYS,
        n_resamples=20,
        seed=5,
        average="macro",
        zero_division=zero_division,
    )
    alone = [naive_scores([left], [right], zero_division) for left, right in zip(references, predictions, strict=True)]
    for index, weights in enumerate(weights_of(30, 20, seed=5)):
        for key in DEFAULT_KEYS:
            drawn = np.repeat(np.arange(30), weights)
            values = [alone[at][key] for at in drawn if references[at]]  # a blank utterance is in no macro average
            assert found[key][index] == pytest.approx(np.nanmean(values), rel=1e-12)


def test_bca_is_its_formula_with_a_loop_over_left_out_utterances() -> None:
    references, predictions = small_pair(40, seed=8)
    tally, key, normal = tally_of(references, predictions), "token_fscore", NormalDist()
    replicates = bootstrap_scores(tally, [key], n_resamples=999, seed=4)[key]
    score = naive_scores(references, predictions)[key]
    without = [
        naive_scores(references[:at] + references[at + 1 :], predictions[:at] + predictions[at + 1 :])[key]
        for at in range(40)
    ]
    deviations = [sum(without) / 40 - value for value in without]
    acceleration = sum(d**3 for d in deviations) / (6 * sum(d**2 for d in deviations) ** 1.5)
    bias = normal.inv_cdf((sum(replicates < score) + sum(replicates <= score)) / (2 * 999))
    levels = []
    for level in (0.05, 0.95):
        deviation = bias + normal.inv_cdf(level)
        levels.append(normal.cdf(bias + deviation / (1 - acceleration * deviation)))
    expected = tuple(np.quantile(replicates, levels))
    found = intervals(tally, [key], confidence=0.9, n_resamples=999, seed=4, method="bca")[key]
    assert found == pytest.approx(expected, rel=1e-9)


def naive_jackknife_error(value: Callable[[list[int]], float], count: int) -> float:
    """√((n − 1)/n Σ (θ₍ᵢ₎ − θ̄)²), with `value` called on the indices that are left."""
    without = [value([at for at in range(count) if at != left_out]) for left_out in range(count)]
    mean = sum(without) / count
    return math.sqrt((count - 1) / count * sum((value - mean) ** 2 for value in without))


@pytest.mark.parametrize("seed", range(5))
def test_the_closed_jackknife_of_types_equals_leaving_out_each_utterance(seed: int) -> None:
    references, predictions = small_pair(30, seed)
    types = tally_of(references, predictions).types
    assert types is not None
    found = type_standard_errors(types, (PREDICTION,), type_scores, corrected=False)

    def scores(left: list[int], key: str) -> float:
        return naive_scores([references[at] for at in left], [predictions[at] for at in left])[key]

    for key in TYPE_KEYS:
        expected = naive_jackknife_error(lambda left, key=key: scores(left, key), 30)  # type: ignore[misc]
        assert found[key] == pytest.approx(expected, rel=1e-9)
        assert found[key] > 0


# P(Binomial(8, ½) ≥ k), by counting subsets.
SMOOTHING = [sum(math.comb(8, successes) for successes in range(k, 9)) / 2**8 for k in range(10)]


def naive_correction(utterances: Sequence[set[tuple[Any, str]]], weights: Mapping[frozenset[str], float]) -> float:
    """The terms from k = 2 on: for every set of utterances, the types that are on a side in just these."""
    on_set: dict[frozenset[int], float] = defaultdict(float)
    for kind in {kind for utterance in utterances for kind, _ in utterance}:
        for sides, weight in weights.items():
            places = frozenset(
                at for at, utterance in enumerate(utterances) if any((kind, side) in utterance for side in sides)
            )
            on_set[places] += weight
    return sum(
        (-1) ** (len(places) + 1) * SMOOTHING[len(places)] * part**2
        for places, part in on_set.items()
        if 2 <= len(places) <= 8
    )


@pytest.mark.parametrize("seed", range(4))
def test_the_correction_sums_over_all_sets_of_utterances(seed: int) -> None:
    references, predictions = small_pair(40, seed)
    types = tally_of(references, predictions).types
    assert types is not None
    columns = types.lexicon_sizes()
    matched, predicted = columns["type_matched"], columns["type_predicted"]
    # The slopes of M / P: 1/P for a matched type, −M/P² for a predicted one; M = all − A(R) − A(P) + A(R ∪ P).
    in_matched, in_predicted = 1 / predicted, -matched / predicted**2
    weights = {
        frozenset("R"): -in_matched,
        frozenset("P"): -in_matched - in_predicted,
        frozenset("RP"): in_matched,
    }
    utterances = [
        {(tuple(word), "R") for word in left} | {(tuple(word), "P") for word in right}
        for left, right in zip(references, predictions, strict=True)
    ]
    correction = naive_correction(utterances, weights)
    plain, found = (
        type_standard_errors(types, (PREDICTION,), type_scores, corrected=corrected)["type_precision"]
        for corrected in (False, True)
    )
    assert correction != 0
    assert plain**2 + correction > 0
    # The slopes there are differences, right except for terms of third order.
    assert found**2 == pytest.approx(plain**2 + correction, rel=0.01)


def incidence_of(utterances: Sequence[Sequence[int]], sides: int = REFERENCE) -> TypeIncidence:
    """Utterances of the types 0, 1, …, all on the same sides."""
    ids = np.array([index for utterance in utterances for index in utterance], np.int32)
    names = pa.array([str(index).encode() for index in range(int(ids.max()) + 1)], pa.large_binary())
    ends = np.cumsum([len(utterance) for utterance in utterances])
    return TypeIncidence(names, ends, ids, np.full(len(ids), sides, np.uint8))


def lexicon_size(sizes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {"size": sizes[0]["type_reference"]}


def test_a_lexicon_has_the_alternating_sum_of_good_and_toulmin() -> None:
    # One type in the first two utterances, one in the first three, …, two in the first four; and 3, 4, …, 14 in one alone.
    alone = [*range(3, 15)]
    shared = [2, 3, 4, 4, 5, 6, 7, 8, 9, 12]
    singles = iter(range(len(shared), len(shared) + sum(alone)))
    incidence = incidence_of(
        [
            [*(index for index, size in enumerate(shared) if place < size), *(next(singles) for _ in range(count))]
            for place, count in enumerate(alone)
        ]
    )
    plain = type_standard_errors(incidence, (PREDICTION,), lexicon_size, corrected=False)["size"]
    found = type_standard_errors(incidence, (PREDICTION,), lexicon_size)["size"]
    assert plain**2 == pytest.approx(11 / 12 * sum((count - 8.5) ** 2 for count in alone))
    sets = {size: shared.count(size) ** 2 for size in range(2, 9)}
    terms = [(-1) ** (size + 1) * SMOOTHING[size] * count for size, count in sets.items()]
    assert found**2 == pytest.approx(plain**2 + sum(terms), rel=1e-12)


def test_the_corrected_variance_is_that_of_samples_and_the_jackknifes_is_larger() -> None:
    source = np.random.default_rng(12)
    sizes, plain, corrected = [], [], []
    for _ in range(400):
        drawn = source.integers(0, 1000, (250, 5))
        incidence = incidence_of([sorted(set(utterance)) for utterance in drawn.tolist()])
        sizes.append(incidence.lexicon_sizes()["type_reference"])
        for errors, is_corrected in ((plain, False), (corrected, True)):
            found = type_standard_errors(incidence, (PREDICTION,), lexicon_size, corrected=is_corrected)
            errors.append(found["size"] ** 2)
    variance = float(np.var(sizes))
    # The variance of 400 samples has itself a standard error of 7 %.
    assert np.mean(corrected) == pytest.approx(variance, rel=0.2)
    assert np.mean(plain) > 1.8 * variance


def test_intervals_of_a_small_population_cover() -> None:
    references, predictions = random_corpus_pair(4000, seed=13, units="abcdefgh", max_units=14)
    population = tally_of(references, predictions)
    truth = population.scores(Plan.of())
    source, samples = np.random.default_rng(14), 250
    drawn = [population.take(source.integers(0, 4000, 120)) for _ in range(samples)]
    expected = {key: np.mean([tally.scores(Plan.of())[key] for tally in drawn]) for key in TYPE_KEYS}
    truth |= expected
    for method in METHODS:
        inside = dict.fromkeys(DEFAULT_KEYS, 0)
        for seed, tally in enumerate(drawn):
            for key, (low, high) in intervals(tally, DEFAULT_KEYS, n_resamples=300, seed=seed, method=method).items():
                inside[key] += low <= truth[key] <= high
        for key, count in inside.items():
            # Three standard errors of a share of 0.95, and one point for so few utterances.
            assert 0.90 <= count / samples <= 0.99, (method, key)


@pytest.mark.parametrize("method", METHODS)
def test_an_interval_holds_the_score_and_stays_in_its_range(method: str) -> None:
    tally = tally_of(*small_pair(80, seed=15))
    scores = tally.scores(Plan.of())
    found = intervals(tally, DEFAULT_KEYS, method=method)
    assert tuple(found) == DEFAULT_KEYS
    for key, (low, high) in found.items():
        assert 0 <= low < scores[key] < high <= 1


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_a_seed_fixes_an_interval_in_any_company(method: str) -> None:
    tally = tally_of(*small_pair(80, seed=16))
    together = intervals(tally, DEFAULT_KEYS, method=method, seed=3)
    for key in DEFAULT_KEYS:
        assert intervals(tally, [key], method=method, seed=3) == {key: together[key]}
    assert intervals(tally, DEFAULT_KEYS, method=method, seed=4) != together


@pytest.mark.parametrize("method", METHODS)
def test_more_confidence_makes_a_wider_interval(method: str) -> None:
    tally = tally_of(*small_pair(80, seed=17))
    narrow, wide = (intervals(tally, DEFAULT_KEYS, method=method, confidence=level) for level in (0.8, 0.99))
    for key in DEFAULT_KEYS:
        assert wide[key][0] < narrow[key][0] < narrow[key][1] < wide[key][1]


@pytest.mark.parametrize("method", METHODS)
def test_a_perfect_prediction_has_no_width(method: str) -> None:
    references, _ = small_pair(50, seed=18)
    found = intervals(tally_of(references, references), DEFAULT_KEYS, method=method)
    assert found == dict.fromkeys(DEFAULT_KEYS, (1.0, 1.0))


@pytest.mark.parametrize("method", METHODS)
def test_an_undefined_score_has_no_interval(method: str) -> None:
    blank = tally_of([[], []], [[], []])
    found = intervals(blank, DEFAULT_KEYS, method=method, zero_division=math.nan)
    assert all(math.isnan(bound) for bounds in found.values() for bound in bounds)
    assert intervals(blank, DEFAULT_KEYS, method=method) == dict.fromkeys(DEFAULT_KEYS, (0.0, 0.0))


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_resamples_without_a_score_are_left_out(method: str) -> None:
    # One utterance in three has an inner boundary, so that many resamples have none.
    tally = tally_of([["a", "b"], ["a"], ["b"]], [["a", "b"], ["a"], ["b"]])
    key = "boundary_noedge_recall"
    replicates = bootstrap_scores(tally, [key], zero_division=math.nan)[key]
    assert 0 < np.isnan(replicates).sum() < len(replicates)
    assert intervals(tally, [key], method=method, zero_division=math.nan) == {key: (1.0, 1.0)}


@pytest.mark.parametrize(("score", "expected"), [(0.0, (0.0, 0.0)), (1.0, (1.0, 1.0)), (0.5, (math.nan, math.nan))])
def test_no_error_is_no_width(score: float, expected: tuple[float, float]) -> None:
    """A score between 0 and 1 has an error; that it cannot be estimated does not make it 0."""
    assert log_odds_interval(score, 0.0, 0.95) == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("method", METHODS)
def test_a_score_beyond_1_that_never_varies_has_no_interval(method: str) -> None:
    # In every utterance 8 edits for 2 words, and 7 predicted inner boundaries for 1.
    keys = ["word_error_rate", "over_segmentation"]
    tally = tally_of([["abcd", "efgh"]] * 8, [list("abcdefgh")] * 8, scores=keys)
    assert tally.scores(Plan.of(scores=keys)) == {"word_error_rate": 4.0, "over_segmentation": 6.0}
    found = intervals(tally, keys, method=method)
    assert all(math.isnan(end) for ends in found.values() for end in ends)


@pytest.mark.parametrize("score", [1e-9, 1 - 1e-9])
def test_a_huge_error_stays_within_0_and_1(score: float) -> None:
    low, high = log_odds_interval(score, 0.5, 0.95)
    assert 0 <= low < score < high <= 1


BAD_OPTIONS = {
    "confidence_0": ({"confidence": 0}, "confidence: expected a number between 0 and 1, such as 0.95, received 0"),
    "confidence_1": ({"confidence": 1.0}, "confidence: expected a number between 0 and 1, such as 0.95, received 1.0"),
    "confidence_95": ({"confidence": 95}, "received 95. Did you mean 0.95"),
    "confidence_nan": ({"confidence": math.nan}, "confidence: expected a number between 0 and 1"),
    "confidence_text": ({"confidence": "0.95"}, "confidence: expected a number between 0 and 1, received '0.95'"),
    "confidence_true": ({"confidence": True}, "confidence: expected a number between 0 and 1, received True"),
    "n_resamples_0": ({"n_resamples": 0}, "n_resamples: expected an integer from 1 to 1000000, received 0"),
    "n_resamples_float": ({"n_resamples": 10.0}, "n_resamples: expected an integer from 1 to 1000000, received 10.0"),
    "n_resamples_true": ({"n_resamples": True}, "n_resamples: expected an integer from 1 to 1000000, received True"),
    "n_resamples_30_digits": (
        {"n_resamples": 10**30},
        "n_resamples: expected an integer from 1 to 1000000, received 10",
    ),
    "seed_wide": (
        {"seed": 1 << 64},
        "seed: expected an integer from 0 to 18446744073709551615, received 18446744073709551616",
    ),
    "seed_negative": ({"seed": -1}, "seed: expected an integer from 0 to 18446744073709551615, received -1"),
    "seed_none": ({"seed": None}, "seed: expected an integer from 0 to 18446744073709551615, received None"),
    "method": ({"method": "BCa"}, "unknown method 'BCa': expected 'percentile' or 'bca' or 'jackknife'"),
    "average": ({"average": "weighted"}, "unknown average 'weighted': expected 'micro' or 'macro'"),
    "method_none": ({"method": None}, "unknown method None"),
    "zero_division": ({"zero_division": 3}, "zero_division: expected a number in"),
}


@pytest.mark.parametrize(("options", "message"), BAD_OPTIONS.values(), ids=BAD_OPTIONS)
def test_a_bad_option_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        intervals(tally_of(*small_pair()), ["token_recall"], **options)


@pytest.mark.parametrize("function", [intervals, bootstrap_scores])
def test_the_defaults_are_those_of_the_options(function: Callable[..., Any]) -> None:
    options = vars(Resampling()) | {"method": "percentile", "confidence": 0.95, "zero_division": 0.0}
    defaults = {name: option.default for name, option in inspect.signature(function).parameters.items()}
    given = {name: value for name, value in defaults.items() if value is not inspect.Parameter.empty}
    assert given == {name: options[name] for name in given}
    assert options["n_resamples"] == 1000


@pytest.mark.parametrize("function", [intervals, bootstrap_scores])
def test_one_utterance_is_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(
        ValueError, match=r"^an interval needs at least two utterances, received 1: .* one utterance\.$"
    ):
        function(tally_of([["a"]], [["a"]]), ["token_recall"])


@pytest.mark.parametrize("function", [intervals, bootstrap_scores])
@pytest.mark.parametrize("average", ["micro", "macro"])
@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("boundary_all_recall", "the tally has no counts for the scores of 'boundary_all': name the group"),
        ("type_recall", "the tally has no counts for the scores of 'type': name the group"),
        ("recall", "unknown score 'recall': expected such as 'token_fscore'"),
    ],
)
def test_a_score_without_counts_is_refused(function: Callable[..., Any], average: str, key: str, message: str) -> None:
    columns = read_pair(["a b"] * 3, ["a b"] * 3)
    tally = tally_utterances(*columns, Plan.of(text_format="words", scores="token"))
    with pytest.raises(ValueError, match=message):
        function(tally, ["token_recall", key], average=average)


def test_resamples_have_no_type_scores() -> None:
    with pytest.raises(ValueError, match="type_recall is not a score of sums, and a resample has a smaller lexicon"):
        bootstrap_scores(tally_of(*small_pair()), ["token_recall", "type_recall"])


def test_every_pair_of_two_utterances_gives_an_interval() -> None:
    utterances = [([], []), (["a", "b"], ["ab"]), (["ab"], ["ab"])]
    for left, right in combinations(utterances, 2):
        tally = tally_of([left[0], right[0]], [left[1], right[1]])
        for method in METHODS:
            for low, high in intervals(tally, DEFAULT_KEYS, method=method).values():
                assert 0 <= low <= high <= 1 or math.isnan(low)


@pytest.mark.parametrize("average", ["micro", "macro"])
def test_the_jackknifes_interval_is_students_of_the_log_odds(average: str) -> None:
    """Its parts anew: each utterance left out by hand, Satterthwaite's degrees of freedom, and scipy's t."""
    references, predictions = random_corpus_pair(40, seed=3, units="abc")
    tally = tally_of(references, predictions)
    key = "token_fscore"
    left_out = np.array(
        [
            float(tally.take(np.delete(np.arange(40), index)).macro([key])[key])
            if average == "macro"
            else naive_scores(*(side[:index] + side[index + 1 :] for side in (references, predictions)))[key]
            for index in range(40)
        ]
    )
    squares = (left_out - left_out.mean()) ** 2
    freedom = min(39, 2 * squares.sum() ** 2 / (np.sum(squares**2) - squares.sum() ** 2 / 40))
    score = tally.macro([key])[key] if average == "macro" else naive_scores(references, predictions)[key]
    margin = stats.t.ppf(0.95, freedom) * math.sqrt(39 / 40 * squares.sum()) / (score * (1 - score))
    expected = special.expit(special.logit(score) + np.array([-margin, margin]))
    found = intervals(tally, [key], confidence=0.9, method="jackknife", average=average)[key]
    assert found == pytest.approx(expected, abs=1e-9)


def test_the_jackknifes_interval_ends_where_the_range_does() -> None:
    references, predictions = random_corpus_pair(3, seed=3, units="abc")
    plan = Plan.of(scores="all", window_size=2)
    tally = tally_utterances(*read_pair(units_text(references), units_text(predictions)), plan)
    for key, (low, high) in intervals(tally, plan.keys, method="jackknife").items():
        least, most = group_of(key).range_of(key)
        assert math.isnan(low) or least <= low <= high <= most, key
    constant = tally.take(np.zeros(5, np.int64))
    found = intervals(constant, ["token_fscore", "word_error_rate"], method="jackknife")
    score = constant.scores(plan)["token_fscore"]
    assert math.isnan(found["token_fscore"][0]) == (0 < score < 1)


@pytest.mark.parametrize("method", ["percentile", "bca", "jackknife"])
def test_a_mean_over_utterances_of_equal_length_has_the_interval_of_the_corpus_score(method: str) -> None:
    # Sums of thirds are rounded, so that equal means of different resamples differ in their last digits.
    tally = tally_of([["a", "b", "c"]] * 10, [["a", "bc"] if at in (0, 1, 2, 5, 7, 9) else ["abc"] for at in range(10)])
    options: dict[str, Any] = {"method": method, "n_resamples": 10_000}
    micro, macro = (intervals(tally, ["token_recall"], average=average, **options) for average in ("micro", "macro"))
    assert macro["token_recall"] == pytest.approx(micro["token_recall"], abs=1e-9)


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_the_interval_of_a_confidence_next_to_1_has_all_replicates(method: str) -> None:
    tally = skewed_tally(25, seed=2)
    replicates = bootstrap_scores(tally, ["token_recall"], n_resamples=200)["token_recall"]
    found = intervals(tally, ["token_recall"], confidence=math.nextafter(1, 0), method=method, n_resamples=200)
    assert found["token_recall"] == pytest.approx((replicates.min(), replicates.max()), abs=1e-5)


def test_rounding_takes_no_degrees_of_freedom() -> None:
    values = np.full(50, 1 / 3)
    values[:2] += 1e-15
    assert freedom_of(values) == 49
