"""Comparison of systems: tests equal to enumeration, to scipy's and to naive loops, uniform where systems are alike."""

from __future__ import annotations

import inspect
import math
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from segscores.measures.registry import group_of
from segscores.reading.inputs import read_pair
from segscores.scoring.options import Plan
from segscores.statistics.randomisation import Trials
from segscores.statistics.significance import holm, is_significant, max_t

from ..naive import DEFAULT_KEYS, naive_scores
from ..tallies import tally_utterances
from .helpers import (
    SUM_KEYS,
    TYPE_KEYS,
    compared,
    difference_of,
    intervals,
    naive_t,
    p_values,
    systems_of,
    tallies_of,
    tally_of,
    weights_of,
)

# scipy took the generator under another name before its version 1.15.
RNG = "rng" if "rng" in inspect.signature(stats.bootstrap).parameters else "random_state"


@pytest.mark.parametrize("average", ["micro", "macro"])
def test_systems_that_predict_the_same_have_a_p_value_of_1(average: str) -> None:
    tallies = tallies_of(60, {"a": 0.2})
    found_of = compared({"a": tallies["a"], "same": tallies["a"]}, n_trials=30, average=average).differences["same"]
    for key, found in found_of.items():
        assert (found.difference, found.low) == (0.0, -found.high)
        assert 0.05 < found.high < 0.3
        assert found.p_value == 1.0
        assert (found.won, found.tied, found.lost) == (0, 60, 0), key


def test_randomisation_equals_the_enumeration_of_all_exchanges() -> None:
    references, systems = systems_of(9, {"a": 0.3, "b": 0.2}, seed=20)
    observed = difference_of(references, systems["a"], systems["b"])
    as_large = dict.fromkeys(DEFAULT_KEYS, 0)
    for swaps in product([False, True], repeat=9):
        sides = [
            [pair[swap != second] for pair, swap in zip(zip(*systems.values(), strict=True), swaps, strict=True)]
            for second in (False, True)
        ]
        for key, value in difference_of(references, *sides).items():
            as_large[key] += abs(value) >= abs(observed[key]) - 1e-12
    tallies = [tally_of(references, predictions) for predictions in systems.values()]
    found = p_values(tallies, n_trials=512)
    assert len({round(value, 3) for value in found.values()}) > 5, "a case in which the scores differ"
    # Of few utterances the p-value is the larger of two.
    by_t = naive_t(references, systems["a"], systems["b"])
    assert found == pytest.approx({key: max(as_large[key] / 2**9, by_t[key]) for key in SUM_KEYS}, rel=1e-9)
    assert {as_large[key] / 2**9 > by_t[key] for key in SUM_KEYS} == {True, False}
    # With fewer trials than exchanges they are drawn.
    drawn = p_values(tallies, n_trials=511)
    for key in SUM_KEYS:
        exact = found[key]
        assert drawn[key] == pytest.approx(exact, abs=5 * math.sqrt(max(exact * (1 - exact), 1e-2) / 511)), key


@pytest.mark.parametrize("key", ["token_fscore", "boundary_noedge_precision", "token_tnr"])
def test_randomisation_equals_scipys_permutation_test_within_monte_carlo_error(key: str) -> None:
    tallies = tallies_of(40, {"a": 0.25, "b": 0.2}, seed=6)
    both = [np.stack([tally.columns[column] for tally in tallies.values()]) for column in columns_of(key)]

    def score(places: np.ndarray) -> Any:
        """Of utterances known by their place among those of both systems."""
        sums = [values.reshape(-1)[places].sum(axis=-1) for values in both]
        if key == "token_tnr":
            matched, predicted, reference, spans = sums
            return 1 - (predicted - matched) / (spans - reference)
        matched, predicted, *rest = sums
        return 2 * matched / (predicted + rest[0]) if rest else matched / predicted

    theirs = stats.permutation_test(
        (np.arange(40, 80), np.arange(40)), lambda x, y, axis: np.abs(score(x) - score(y)), vectorized=True, axis=-1,
        permutation_type="samples", n_resamples=9999, alternative="greater", **{RNG: np.random.default_rng(5)},
    )  # fmt: skip
    ours = p_values(list(tallies.values()), [key], n_trials=9999, seed=3)[key]
    assert 0.01 < ours < 0.99
    assert ours == pytest.approx(theirs.pvalue, abs=4 * math.sqrt(2 * 0.25 / 9999))


def test_randomisation_of_a_macro_average_equals_scipys_within_monte_carlo_error() -> None:
    references, systems = systems_of(40, {"a": 0.25, "b": 0.2}, seed=17)
    alone = [
        [
            naive_scores([left], [right])["type_fscore"]
            for left, right in zip(references, predictions, strict=True)
            if left
        ]
        for predictions in systems.values()  # blank utterances are in no macro average
    ]
    theirs = stats.permutation_test(
        alone, lambda x, y, axis: np.abs(np.mean(x, axis=axis) - np.mean(y, axis=axis)), vectorized=True,
        permutation_type="samples", n_resamples=9999, alternative="greater", **{RNG: np.random.default_rng(5)},
    )  # fmt: skip
    tallies = [tally_of(references, predictions) for predictions in systems.values()]
    found = compared(dict(zip("ab", tallies, strict=True)), ["type_fscore"], n_trials=9999, average="macro")
    difference = found.differences["b"]["type_fscore"]
    assert 0.01 < difference.p_value < 0.99
    assert difference.p_value == pytest.approx(theirs.pvalue, abs=4 * math.sqrt(2 * 0.25 / 9999))
    assert difference.difference == pytest.approx(np.mean(alone[1]) - np.mean(alone[0]), rel=1e-12)
    assert difference.score == pytest.approx(np.mean(alone[1]), rel=1e-12)


def columns_of(key: str) -> list[str]:
    group = "token" if key == "token_tnr" else key.rsplit("_", 1)[0]
    kinds = {"precision": ["matched", "predicted"], "fscore": ["matched", "predicted", "reference"]}
    return [
        f"{group}_{kind}" for kind in kinds.get(key.rsplit("_", 1)[1], ["matched", "predicted", "reference", "spans"])
    ]


def test_percentiles_of_a_difference_are_quantiles_over_the_utterances_drawn() -> None:
    references, systems = systems_of(60, {"a": 0.22, "b": 0.2}, seed=9)
    tallies = {name: tally_of(references, side) for name, side in systems.items()}
    found = compared(tallies, SUM_KEYS, interval_method="percentile", n_resamples=60, seed=2).differences["b"]
    drawn = [np.repeat(np.arange(60), weights) for weights in weights_of(60, 60, seed=2)]
    replicates = [
        difference_of(*([side[at] for at in some] for side in (references, *systems.values()))) for some in drawn
    ]
    for key in SUM_KEYS:
        expected = np.quantile([each[key] for each in replicates], [0.025, 0.975])
        assert (found[key].low, found[key].high) == pytest.approx(tuple(expected), abs=1e-12)


def test_a_large_difference_has_the_least_p_value_that_the_trials_allow() -> None:
    pair = list(tallies_of(200, {"a": 0.4, "b": 0.02}, seed=11).values())
    assert set(p_values(pair, n_trials=99).values()) == {0.01}
    assert all(p_value < 1e-9 for p_value in p_values(pair, TYPE_KEYS).values())


def test_exchanging_system_and_baseline_changes_signs_alone() -> None:
    tallies = tallies_of(70, {"a": 0.22, "b": 0.2}, seed=12)
    forward, backward = (
        compared({left: tallies[left], right: tallies[right]}).differences[right] for left, right in ("ab", "ba")
    )
    for key in DEFAULT_KEYS:
        assert backward[key].difference == -forward[key].difference
        assert (backward[key].low, backward[key].high) == pytest.approx((-forward[key].high, -forward[key].low))
        assert backward[key].p_value == forward[key].p_value


def test_neither_the_order_nor_the_company_of_systems_changes_a_p_value() -> None:
    tallies = tallies_of(70, {"a": 0.2, "b": 0.18, "c": 0.1}, seed=13)
    together = compared(tallies, SUM_KEYS, n_trials=100).differences
    turned = {name: tallies[name] for name in "acb"}
    assert compared(turned, SUM_KEYS, n_trials=100).differences == together
    for name in "bc":
        alone = compared({"a": tallies["a"], name: tallies[name]}, SUM_KEYS, n_trials=100).differences[name]
        for key in SUM_KEYS:
            assert alone[key].p_value == together[name][key].p_value


def test_a_seed_fixes_a_p_value_in_any_company_of_scores() -> None:
    tallies = list(tallies_of(70, {"a": 0.2, "b": 0.18}, seed=14).values())
    found = p_values(tallies, DEFAULT_KEYS, n_trials=300, seed=5)
    for key in DEFAULT_KEYS:
        assert p_values(tallies, [key], n_trials=300, seed=5) == {key: found[key]}
    assert p_values(tallies, DEFAULT_KEYS, n_trials=300, seed=6) != found


@pytest.mark.parametrize("n_trials", [1, 63, 64, 65, 300, np.int64(200)])
def test_p_values_are_multiples_for_any_number_of_trials(n_trials: int) -> None:
    tallies = tallies_of(30, {"a": 0.2, "b": 0.18}, seed=15)
    for p_value in p_values(list(tallies.values()), n_trials=n_trials).values():
        assert 1 <= round(p_value * (n_trials + 1), 9) <= n_trials + 1
        assert p_value * (n_trials + 1) == pytest.approx(round(p_value * (n_trials + 1)))


def test_p_values_of_systems_alike_are_uniform() -> None:
    found: dict[str, list[float]] = {"token_fscore": [], "type_fscore": []}
    for seed in range(250):
        pair = list(tallies_of(60, {"a": 0.2, "b": 0.2}, seed=1000 + 10 * seed).values())
        for key, p_value in p_values(pair, list(found), n_trials=199).items():
            found[key].append(p_value)
    # The jackknife's variance is on average too large, so that few p-values of type scores are small.
    for key, alternative in (("token_fscore", "two-sided"), ("type_fscore", "greater")):
        assert stats.kstest(found[key], "uniform", alternative=alternative).pvalue > 0.01, key
        assert 0.01 <= np.mean(np.array(found[key]) <= 0.05) <= 0.10, key


# pingouin's documentation of `holm`; nan does not count there either.
PINGOUIN = {"a": 0.50, "b": 0.003, "c": 0.32, "d": 0.054, "e": 0.0003}
PINGOUIN_CORRECTED = {"a": 0.64, "b": 0.012, "c": 0.64, "d": 0.162, "e": 0.0015}
# Benjamini & Hochberg (1995), section 4.1: fifteen p-values, of which procedures that control the family-wise error at 0.05
# reject the three smallest.
BENJAMINI_HOCHBERG = (
    *(0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344),
    *(0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000),
)


def test_holm_of_pingouins_example() -> None:
    assert holm(PINGOUIN) == pytest.approx(PINGOUIN_CORRECTED)
    with_nan = holm({"nan": math.nan, **PINGOUIN})
    assert math.isnan(with_nan.pop("nan"))
    assert with_nan == pytest.approx(PINGOUIN_CORRECTED)


def test_holm_of_the_example_of_benjamini_and_hochberg() -> None:
    corrected = holm({str(index): value for index, value in enumerate(BENJAMINI_HOCHBERG)})
    assert [name for name, value in corrected.items() if value <= 0.05] == ["0", "1", "2"]


@given(p_values=st.lists(st.floats(0, 1), max_size=8))
def test_holm_is_its_definition(p_values: list[float]) -> None:
    ordered = sorted(p_values)
    expected = {
        value: min(1.0, max((len(ordered) - at) * other for at, other in enumerate(ordered) if other <= value))
        for value in p_values
    }
    found = holm({str(index): value for index, value in enumerate(p_values)})
    assert list(found.values()) == [expected[value] for value in p_values]


def test_scores_without_a_value_have_no_p_value() -> None:
    blank = tally_of([[], []], [[], []])
    found = compared({"a": blank, "same": blank}, zero_division=math.nan).differences["same"]
    for each in found.values():
        values = each.p_value, each.p_corrected, each.low, each.high
        assert all(map(math.isnan, values))


@pytest.mark.filterwarnings("ignore:.*have different units on the two sides:UserWarning")
def test_utterances_that_one_system_leaves_out_are_left_out_of_all() -> None:
    references = ["a b c", "a bc", "b c a", "c b", "ab c"] * 4
    systems = {
        "a": ["a b c", "a bc", "bc a", "cb", "abc"] * 4,
        "b": ["a b c", "a xc", "b c a", "cb", "ab c"] * 4,
        "c": ["x b c", "a bc", "b c a", "c b", "a b c"] * 4,
    }
    options = Plan.of(text_format="words", on_mismatch="skip")
    tallies = {name: tally_utterances(*read_pair(references, texts), options) for name, texts in systems.items()}
    common = [index for index in range(20) if index % 5 >= 2]
    kept = {name: tally.take(np.array(common)) for name, tally in tallies.items()}
    found, expected = (compared(some, options).differences for some in (tallies, kept))
    assert repr(found) == repr(expected), "nan is equal to nan"


REFUSED = {
    "numbers of utterances": ([["a"]] * 2, [["a"]] * 3, "the baseline has 2 utterances and the system 3"),
    "units": ([["a"], ["a", "b"]], [["a"], ["a", "bc"]], r"utterance 1: the references of .* differ \(units\)"),
    "words": ([["a"], ["a", "bc"]], [["a"], ["ab", "c"]], r"utterance 1: the references of .* differ \(words\)"),
    "one utterance": ([["a"]], [["a"]], "at least two utterances, received 1"),
}


@pytest.mark.parametrize(("left", "right", "message"), REFUSED.values(), ids=REFUSED)
def test_tallies_that_do_not_pair_are_refused(left: Any, right: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        p_values([tally_of(side, side) for side in (left, right)], ["token_recall", "type_recall"])


def test_a_score_without_counts_is_refused() -> None:
    tally = tally_of([["a"], ["b"]], [["a"], ["b"]], scores="token")
    with pytest.raises(ValueError, match="the tally has no counts for the scores of 'type'"):
        p_values([tally, tally], ["token_recall", "type_recall"])


@pytest.mark.parametrize("n_trials", [0, 10**12, 10.0, True])
def test_a_bad_number_of_trials_is_refused(n_trials: Any) -> None:
    tally = tally_of([["a"], ["b"]], [["a"], ["b"]])
    with pytest.raises(
        (TypeError, ValueError), match=f"n_trials: expected an integer from 1 to 1000000, received {n_trials}"
    ):
        p_values([tally, tally], n_trials=n_trials)


def naive_max_t(observed: Sequence[float], trials: Sequence[Sequence[float]]) -> list[float]:
    """Westfall & Young (1993), Algorithm 4.1, with the observed differences as the first trial."""
    every = [list(observed), *map(list, trials)]
    scales = [math.sqrt(sum(trial[at] ** 2 for trial in every) / len(every)) for at in range(len(observed))]
    statistics = [[abs(value) / scale for value, scale in zip(trial, scales, strict=True)] for trial in every]
    order = sorted(range(len(observed)), key=lambda at: -statistics[0][at])
    adjusted, least = [0.0] * len(observed), 0.0
    for rank, at in enumerate(order):
        left = order[rank:]
        share = sum(max(trial[other] for other in left) >= statistics[0][at] - 1e-9 for trial in statistics) / len(
            every
        )
        adjusted[at] = least = max(least, share)
    return adjusted


@pytest.mark.parametrize("seed", range(5))
def test_max_t_is_its_algorithm(seed: int) -> None:
    source = np.random.default_rng(seed)
    differences = source.normal(0.3, 1, (12, 4)) * [1, 5, 0.1, 2]
    signs = source.choice([-1, 1], (300, 12))
    trials = (signs @ differences).tolist()
    observed = differences.sum(axis=0).tolist()
    found = max_t(
        {
            at: Trials(value, np.array([trial[at] for trial in trials]), is_exact=False)
            for at, value in enumerate(observed)
        }
    )
    assert [found[at] for at in range(4)] == pytest.approx(naive_max_t(observed, trials), abs=1e-12)


def test_a_difference_beyond_1_that_never_varies_has_no_interval() -> None:
    references, pieces = [["abcd", "efgh"]] * 8, [list("abcdefgh")] * 8
    tallies = {"a": tally_of(references, references, scores="word_error_rate")}
    tallies["b"] = tally_of(references, pieces, scores="word_error_rate")
    test = compared(tallies, ["word_error_rate"]).differences["b"]["word_error_rate"]
    assert test.difference == 4.0
    assert all(math.isnan(value) for value in (test.low, test.high))


def test_max_t_is_at_least_the_p_value_where_trials_are_undefined() -> None:
    trials = Trials(0.5, np.array([0.5, math.nan, math.nan, -0.1, 0.2, 0.7]), is_exact=False)
    # Of the four trials with a difference two are as large, and the observed one counts: 3 of 5.
    assert trials.p_value() == 3 / 5
    assert max_t({"a": trials}) == {"a": 3 / 5}


# Differences of nine utterances by four scores. mne.stats.permutation_t_test of MNE-Python 1.13.2, n_permutations="all", gives
# for all four p = 12/255 of the first; for the last three without it 70/255 of the fourth; then 65/255 of the second, and 1.
# It leaves out one of the 256 patterns of signs, which is not as large. The t statistic there orders trials as ours does.
MNE_DIFFERENCES = (
    *((3, 1, -2, 0), (1, 4, 1, 2), (2, -1, 0, 5), (4, 2, -1, 1), (-1, 3, 2, 2)),
    *((2, 0, 1, -3), (5, 1, -1, 4), (1, 2, 0, 1), (3, -2, 1, 2)),
)


def test_max_t_has_the_counts_of_mne() -> None:
    differences = np.array(MNE_DIFFERENCES, float)
    trials = np.array(list(product([1, -1], repeat=9))) @ differences
    found = max_t({at: Trials(differences[:, at].sum(), trials[:, at], is_exact=True) for at in range(4)})
    assert {at: 256 * value for at, value in found.items()} == {0: 12, 3: 70, 1: 70, 2: 256}


@pytest.mark.parametrize("average", ["micro", "macro"])
@pytest.mark.parametrize("count", [2, 3, 5])
def test_intervals_of_few_utterances_end_where_the_ranges_do(count: int, average: str) -> None:
    plan = Plan.of(scores="all", window_size=2)
    widths = {key: float(np.diff(group_of(key).range_of(key))[0]) for key in plan.keys}
    for seed in range(10):
        references, systems = systems_of(count, {"old": 0.4, "new": 0.2}, seed)
        old, new = (tally_of(references, each, scores="all", window_size=2) for each in systems.values())
        found = compared({"old": old, "new": new}, plan, average=average).differences["new"]
        for key, test in found.items():
            assert not test.low < -widths[key], (key, test)
            assert not test.high > widths[key], (key, test)
        for key, (low, high) in intervals(new, plan, average=average).items():
            least, most = group_of(key).range_of(key)
            assert not low < least, (key, low)
            assert not high > most, (key, high)


def test_a_difference_that_is_everywhere_the_same_has_no_interval() -> None:
    # Every utterance gains one word of two.
    references = [["a", "b", "c"], ["d", "e", "f"]] * 20
    tallies = {"a": tally_of(references, [["ab", "c"], ["de", "f"]] * 20), "b": tally_of(references, references)}
    for key, each in compared(tallies, SUM_KEYS).differences["b"].items():
        if each.difference:
            assert math.isnan(each.low), key
            assert each.p_value == 1 / 10_001


@pytest.mark.parametrize(
    ("p_value", "confidence", "expected"),
    [(0.05, 0.95, True), (0.1, 0.9, True), (0.01, 0.99, True), (0.0501, 0.95, False), (math.nan, 0.5, False)],
)
def test_a_p_value_at_the_level_is_significant(p_value: float, confidence: float, expected: bool) -> None:
    assert is_significant(p_value, confidence) is expected


@pytest.mark.parametrize("is_exact", [True, False])
def test_max_t_of_one_difference_is_its_p_value(is_exact: bool) -> None:
    # The first difference is 0 but for rounding, as that of two means of the same numbers in another order.
    for observed in (-(2.0**-53), 0.25, 0.5):
        trials = Trials(observed, np.array([observed, 0.0, 0.25, -0.25, -observed, 0.5]), is_exact)
        assert max_t({"a": trials}) == {"a": trials.p_value()}
