"""The jackknife: lexicons and sums collected anew without each utterance or cluster, and scipy's t."""

import math
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from segscores.statistics.jackknife import Estimate, Term, share_bound, standard_error
from segscores.statistics.student import student_quantile
from segscores.statistics.system_comparison import compare

from ..corpora import random_corpus_pair
from ..naive import DEFAULT_KEYS, naive_scores
from .helpers import (
    TYPE_KEYS,
    compared,
    intervals,
    naive_error,
    naive_holm,
    naive_interval,
    students_quantile,
    systems_of,
    tally_of,
    without_each,
)

CLUSTERS = {
    "none": None,
    "in order": [at // 5 for at in range(60)],
    "mixed, of two sizes": [at % 11 if at < 40 else 3 for at in range(60)],
}


@pytest.mark.parametrize("clusters", CLUSTERS.values(), ids=CLUSTERS)
def test_an_interval_is_students_of_the_log_odds(clusters: list[int] | None) -> None:
    references, predictions = random_corpus_pair(60, seed=3, units="abc", max_units=9)
    tally, whole = tally_of(references, predictions, clusters), naive_scores(references, predictions)
    left = without_each(references, predictions, clusters)
    for confidence in (0.8, 0.95):
        found = intervals(tally, confidence=confidence, interval_method="jackknife")
        for key in DEFAULT_KEYS:
            without = [scores[key] for scores in left]
            error, freedom = naive_error(without)
            assert standard_error(np.array(without)) == pytest.approx((error, freedom), rel=1e-12)
            assert found[key] == pytest.approx(naive_interval(whole[key], without, confidence), abs=1e-12)
        # Those of type scores are the same by every method.
        of_types = intervals(tally, TYPE_KEYS, confidence=confidence, interval_method="percentile")
        assert of_types == {key: found[key] for key in TYPE_KEYS}


@pytest.mark.parametrize("clusters", CLUSTERS.values(), ids=CLUSTERS)
def test_a_difference_has_students_interval_and_one_of_types_its_p_value(clusters: list[int] | None) -> None:
    references, systems = systems_of(60, {"a": 0.25, "b": 0.15, "c": 0.24}, seed=10)
    tallies = {name: tally_of(references, side, clusters) for name, side in systems.items()}
    of_all = compared(tallies)
    left = {name: without_each(references, side, clusters) for name, side in systems.items()}
    whole = {name: naive_scores(references, side) for name, side in systems.items()}
    for key in DEFAULT_KEYS:
        p_of_pair = {}
        for first, second in combinations(systems, 2):
            difference = whole[second][key] - whole[first][key]
            error, freedom = naive_error([b[key] - a[key] for a, b in zip(left[first], left[second], strict=True)])
            p_of_pair[first, second] = 2 * stats.t.sf(abs(difference) / error, freedom)
            if first == "a":
                each = of_all.differences[second][key]
                reach = students_quantile(0.975, freedom) * error
                assert (each.low, each.high) == pytest.approx((difference - reach, difference + reach), abs=1e-12)
                assert (each.score, each.baseline_score) == (whole[second][key], whole[first][key])
                if key in TYPE_KEYS:
                    assert each.p_value == pytest.approx(p_of_pair[first, second], rel=1e-9)
                    assert (each.p_value <= 0.05) == (each.low > 0 or each.high < 0)
        if key not in TYPE_KEYS:
            continue
        found = compared(tallies, primary=key)
        assert found.pairs == pytest.approx(naive_holm(p_of_pair), rel=1e-9)
        against = naive_holm({pair: p for pair, p in p_of_pair.items() if pair[0] == "a"})
        assert [each[key].p_corrected for each in found.differences.values()] == pytest.approx(
            list(against.values()), rel=1e-9
        )
    assert of_all.of_types == list(TYPE_KEYS)


def test_the_means_of_type_scores_are_tested_by_randomisation() -> None:
    references, systems = systems_of(40, {"a": 0.25, "b": 0.15})
    tallies = {name: tally_of(references, side) for name, side in systems.items()}
    found = compared(tallies, TYPE_KEYS, average="macro", n_trials=99)
    assert (found.trials, found.of_types) == (99, [])
    assert all(round(100 * each.p_value) >= 1 for each in found.differences["b"].values())


def test_the_interval_of_a_mean_leaves_out_each_utterance() -> None:
    references, predictions = random_corpus_pair(40, seed=3, units="abc")
    tally, key = tally_of(references, predictions), "token_fscore"
    left = [float(tally.take(np.delete(np.arange(40), at)).macro([key])[key]) for at in range(40)]
    found = intervals(tally, [key], confidence=0.9, interval_method="jackknife", average="macro")[key]
    assert found == pytest.approx(naive_interval(tally.macro([key])[key], left, 0.9), abs=1e-12)


def test_a_difference_of_types_of_two_utterances_is_not_beyond_1() -> None:
    """Student's t with one degree of freedom has the quantile 12.7."""
    old, new = (
        tally_of([["a", "b", "c"], ["d", "e", "f"]], each)
        for each in ([["ab", "c"], ["de", "f"]], [["a", "b", "c"], ["d", "ef"]])
    )
    found = compared({"old": old, "new": new}, TYPE_KEYS).differences["new"]
    assert {(test.low, test.high) for test in found.values()} == {(-1.0, 1.0)}


def test_a_difference_of_types_that_never_varies_is_undefined_and_not_told_apart() -> None:
    # Every type is in twenty utterances.
    references = [["a", "b", "c"], ["d", "e", "f"]] * 20
    tallies = {"a": tally_of(references, [["ab", "c"], ["de", "f"]] * 20), "b": tally_of(references, references)}
    for key in TYPE_KEYS:
        found = compared(tallies, TYPE_KEYS, primary=key)
        each = found.differences["b"][key]
        assert all(math.isnan(value) for value in (each.low, each.high, each.p_value, each.p_corrected))
        assert each.verdict == "undefined"
        assert found.not_worse() == ["a", "b"]


def test_an_utterance_that_holds_everything_leaves_no_interval() -> None:
    tally = tally_of([["a", "b"], []], [["a", "b"], []])
    found = intervals(tally, TYPE_KEYS)
    assert all(math.isnan(end) for ends in found.values() for end in ends)


@pytest.mark.parametrize(
    ("score", "ends", "expected"),
    [
        (1.0, (0.0, 1.0), (0.025 ** (1 / 9), 1.0)),
        (0.0, (0.0, 1.0), (0.0, 1 - 0.025 ** (1 / 9))),
        (-1.0, (-1.0, 1.0), (-1.0, 1 - 2 * 0.025 ** (1 / 9))),
        (0.0, (0.0, math.inf), (0.0, 1 - 0.025 ** (1 / 9))),
        (0.5, (0.0, 1.0), (0.025 ** (1 / 9) - 0.5, 1.5 - 0.025 ** (1 / 9))),
        (0.9, (0.0, 1.0), (0.025 ** (1 / 9) - 0.1, 1.0)),
        (0.5, (-1.0, 1.0), (2 * 0.025 ** (1 / 9) - 1.5, 1.0)),
        (0.0, (-1.0, math.inf), (math.nan, math.nan)),
    ],
)
def test_the_interval_without_errors_has_the_bound_of_the_units(
    score: float, ends: tuple[float, float], expected: tuple[float, float]
) -> None:
    """That the error of a score between 0 and 1 cannot be estimated does not make it 0."""
    assert Estimate.of([Term(1, np.array([score]), np.full((1, 9), score))], 9).interval(0.95, ends) == pytest.approx(
        expected, nan_ok=True
    )


@pytest.mark.filterwarnings("ignore:.* have the same counts:UserWarning")
def test_the_difference_of_equal_systems_has_the_bound_of_the_units() -> None:
    systems = {"a": ["a b", "cd"] * 15, "b": ["a b", "cd"] * 15}
    found = compare(["a b", "c d"] * 15, systems, text_format="words", scores="utterance_accuracy")
    difference = found.differences["b"]["utterance_accuracy"]
    bound = 1 - 0.025 ** (1 / 30)
    assert (difference.low, difference.high) == pytest.approx((-bound, bound))


def test_units_of_a_perfect_score_count_by_their_size() -> None:
    # Words: 6, 1, 1, 1, 1. Inner boundaries: 5 in the first utterance, and none in the others.
    references = [["a", "b", "c", "d", "e", "f"], *[["a"]] * 4]
    found = intervals(tally_of(references, references), ["token_fscore"])
    assert found["token_fscore"] == pytest.approx((0.025 ** (40 / 100), 1.0))
    wrong = tally_of([["a", "b"]] * 20, [["ab"]] * 20)
    assert intervals(wrong, ["token_recall"])["token_recall"] == pytest.approx((0.0, 1 - 0.025 ** (1 / 20)))


@pytest.mark.parametrize(("count", "units"), [(0, 30), (3, 40), (9, 12.5)])
def test_the_bound_of_a_share_is_clopper_and_pearsons(count: int, units: float) -> None:
    assert share_bound(count, units, 0.95) == pytest.approx(stats.beta.ppf(0.975, count + 1, units - count))


@pytest.mark.parametrize("confidence", [0.01, 0.5, 0.8, 0.95, 0.999, 0.9999])
@pytest.mark.parametrize("freedom", [1, 1.06, 1.5, 2, 3.7, 9, 40, 99.9, 100.1, 3000, 1e7, 1e12, 1e15, 1e300, math.inf])
def test_a_quantile_is_that_of_students_t(confidence: float, freedom: float) -> None:
    expected = students_quantile(0.5 + 0.5 * confidence, freedom)
    assert student_quantile(confidence, freedom) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("power", [20, 36, 53])
@pytest.mark.parametrize("freedom", [1, 1.3, 2, 30, 1e300])
def test_a_level_near_1_has_a_quantile(power: int, freedom: float) -> None:
    # Below −t is half of the rest, whose digits are lost in 1 − rest.
    expected = -students_quantile(0.5 * 0.5**power, freedom)
    assert student_quantile(1 - 0.5**power, freedom) == pytest.approx(expected, rel=1e-8)


def test_a_quantile_of_nothing_is_nothing() -> None:
    assert student_quantile(0, 3) == 0
    assert math.isnan(student_quantile(0.95, math.nan))
    assert math.isnan(student_quantile(math.nan, 3))


@pytest.mark.parametrize("score", [1e-9, 1 - 1e-9])
def test_a_huge_error_stays_within_0_and_1(score: float) -> None:
    low, high = Estimate.of([Term(1, np.array([score]), np.linspace(0, 1, 9)[None])], 9).interval(0.95)
    assert 0 <= low < score < high <= 1


def test_rounding_takes_no_degrees_of_freedom() -> None:
    values = np.full(50, 1 / 3)
    values[:2] += 1e-15
    assert standard_error(values) == (0.0, 49.0)
