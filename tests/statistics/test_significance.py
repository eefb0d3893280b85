"""Comparison of systems: tests equal to enumeration, to scipy's and to naive loops, uniform where systems are alike."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from segscores.scoring.measures.registry import group_of
from segscores.scoring.plan import Plan
from segscores.statistics.significance import holm

from ..naive import DEFAULT_KEYS
from .helpers import (
    SUM_KEYS,
    TYPE_KEYS,
    compared,
    difference_of,
    intervals,
    naive_holm,
    naive_t,
    p_values,
    systems_of,
    tallies_of,
    tally_of,
    weights_of,
)


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
    # Of fewer than 30 utterances the p-value is the larger of two.
    by_t = naive_t(references, systems["a"], systems["b"])
    assert found == pytest.approx({key: max(as_large[key] / 2**9, by_t[key]) for key in SUM_KEYS}, rel=1e-9)
    assert {as_large[key] / 2**9 > by_t[key] for key in SUM_KEYS} == {True, False}
    # With fewer trials than exchanges they are drawn.
    drawn = p_values(tallies, n_trials=511)
    for key in SUM_KEYS:
        exact = found[key]
        assert drawn[key] == pytest.approx(exact, abs=5 * math.sqrt(max(exact * (1 - exact), 1e-2) / 511)), key


@pytest.mark.parametrize("count", [29, 30])
def test_randomisation_alone_decides_for_thirty_utterances(count: int) -> None:
    references, systems = systems_of(count, {"a": 0.3, "b": 0.25}, seed=20)
    found = p_values([tally_of(references, side) for side in systems.values()], n_trials=199)
    by_t = naive_t(references, systems["a"], systems["b"])
    are_shares = {key: found[key] * 200 == pytest.approx(round(found[key] * 200), abs=1e-9) for key in SUM_KEYS}
    for key in SUM_KEYS:
        assert are_shares[key] or (count < 30 and found[key] == pytest.approx(by_t[key], rel=1e-9))
    assert all(are_shares.values()) == (count == 30)


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


@pytest.mark.slow
def test_p_values_of_systems_alike_are_uniform() -> None:
    found: dict[str, list[float]] = {"token_fscore": [], "type_fscore": []}
    for seed in range(250):
        pair = list(tallies_of(60, {"a": 0.2, "b": 0.2}, seed=1000 + 10 * seed).values())
        for key, p_value in p_values(pair, list(found), n_trials=199).items():
            found[key].append(p_value)
    # A variance of type scores that is too large on average makes few p-values small.
    for key, values in found.items():
        assert stats.kstest(values, "uniform", alternative="greater").pvalue > 0.01, key
        assert 0.01 <= np.mean(np.array(values) <= 0.05) <= 0.10, key


# pingouin's documentation of `holm`; nan does not count there either.
PINGOUIN = {"a": 0.50, "b": 0.003, "c": 0.32, "d": 0.054, "e": 0.0003}
PINGOUIN_CORRECTED = {"a": 0.64, "b": 0.012, "c": 0.64, "d": 0.162, "e": 0.0015}


def test_holm_of_pingouins_example() -> None:
    assert holm(PINGOUIN) == pytest.approx(PINGOUIN_CORRECTED)
    with_nan = holm({"nan": math.nan, **PINGOUIN})
    assert math.isnan(with_nan.pop("nan"))
    assert with_nan == pytest.approx(PINGOUIN_CORRECTED)


@given(p_values=st.lists(st.floats(0, 1), max_size=8))
def test_holm_is_its_definition(p_values: list[float]) -> None:
    named = dict(enumerate(p_values))
    assert holm(named) == naive_holm(named)


@pytest.mark.filterwarnings("ignore:.* have the same counts:UserWarning")
def test_scores_without_a_value_have_no_p_value() -> None:
    blank = tally_of([[], []], [[], []])
    found = compared({"a": blank, "same": blank}, zero_division=math.nan).differences["same"]
    for each in found.values():
        values = each.p_value, each.p_corrected, each.low, each.high
        assert all(map(math.isnan, values))


def test_a_score_without_counts_is_refused() -> None:
    tally = tally_of([["a"], ["b"]], [["a"], ["b"]], scores="token")
    with pytest.raises(ValueError, match="the tally has no counts for the scores of 'type'"):
        p_values([tally, tally], ["token_recall", "type_recall"])


@pytest.mark.parametrize("average", ["micro", "macro"])
@pytest.mark.parametrize("count", [2, 3, 5])
def test_intervals_of_few_utterances_end_where_the_ranges_do(count: int, average: str) -> None:
    plan = Plan.of(scores="all", window_size=2)
    widths = {key: float(np.diff(group_of(key).keys[key].range)[0]) for key in plan.keys}
    for seed in range(5):
        references, systems = systems_of(count, {"old": 0.4, "new": 0.2}, seed)
        old, new = (tally_of(references, each, scores="all", window_size=2) for each in systems.values())
        found = compared({"old": old, "new": new}, plan, average=average).differences["new"]
        for key, test in found.items():
            assert not test.low < -widths[key], (key, test)
            assert not test.high > widths[key], (key, test)
        for key, (low, high) in intervals(new, plan, average=average).items():
            least, most = group_of(key).keys[key].range
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
