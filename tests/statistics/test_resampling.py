"""Intervals by resampling: equal to naive loops, and in the ranges of the scores."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from segscores.reading.form import read_pair
from segscores.scoring.measures.registry import GROUPS
from segscores.scoring.plan import Plan

from ..corpora import random_corpus_pair, units_text
from ..naive import DEFAULT_KEYS, naive_scores
from ..naive_groups import GROUP_OPTIONS, TEXT_GROUPS
from ..tallies import tally_utterances
from .helpers import intervals, tally_of, weights_of

METHODS = ("percentile", "jackknife")

EVERY_METHOD = pytest.mark.parametrize("method", METHODS)


def small_pair(count: int = 60, seed: int = 3) -> tuple[list[Any], list[Any]]:
    return random_corpus_pair(count, seed, units="abc", max_units=9)


def quantiles(replicates: list[float], confidence: float = 0.95) -> tuple[float, float]:
    defined = [value for value in replicates if not math.isnan(value)]
    low, high = np.quantile(defined, [0.5 - confidence / 2, 0.5 + confidence / 2]).tolist()
    return low, high


@pytest.mark.parametrize("zero_division", [0.0, math.nan])
def test_ends_of_a_macro_average_are_quantiles_of_means_over_the_utterances_drawn(zero_division: float) -> None:
    references, predictions = small_pair(30, seed=20)
    tally = tally_of(references, predictions)
    found = intervals(tally, n_resamples=20, seed=5, average="macro", zero_division=zero_division)
    alone = [naive_scores([left], [right], zero_division) for left, right in zip(references, predictions, strict=True)]
    drawn = [np.repeat(np.arange(30), weights) for weights in weights_of(30, 20, seed=5)]
    for key in DEFAULT_KEYS:
        # A blank utterance is in no macro average.
        means = [float(np.nanmean([alone[at][key] for at in some if references[at]])) for some in drawn]
        assert found[key] == pytest.approx(quantiles(means), rel=1e-12)


@pytest.mark.filterwarnings("ignore:.* are outside the vocabulary:UserWarning")
@pytest.mark.parametrize("name", [name for name, group in TEXT_GROUPS.items() if group.needs_option != "documents"])
def test_intervals_of_every_group_follow_the_drawn_utterances_and_stay_in_range(name: str) -> None:
    options = Plan.of(scores=name, **GROUP_OPTIONS.get(name, {}))
    tally = tally_utterances(*read_pair(*map(units_text, small_pair(50, seed=21))), options)
    scores = tally.scores(options)
    drawn = [np.repeat(np.arange(50), weights) for weights in weights_of(50, 100, seed=3)]
    for method in METHODS:
        found = intervals(tally, options, n_resamples=100, seed=3, interval_method=method)
        for key, (low, high) in found.items():
            least, greatest = GROUPS[name].keys[key].range
            # Words have no vocabulary of a known size.
            assert key == "vocabulary_use" or least <= low <= scores[key] <= high <= greatest
        if method == "percentile" and GROUPS[name].statistic is None:
            replicates = [tally.take(some).scores(options) for some in drawn]
            for key in found:
                expected = quantiles([each[key] for each in replicates])
                # What no utterance has is the same in every resample.
                assert scores[key] == 0 or found[key] == pytest.approx(expected, rel=1e-9, abs=1e-12)


# More resamples than are made at a time, and fewer.
@pytest.mark.parametrize(("count", "n_resamples"), [(7, 50_000), (600, 1000), (3000, 3)])
def test_weights_equal_drawing_with_replacement(count: int, n_resamples: int) -> None:
    weights = weights_of(count, n_resamples, seed=6)
    assert weights.shape == (n_resamples, count)
    assert (weights.sum(axis=1) == count).all()
    expected = stats.binom.pmf(np.arange(8), count, 1 / count)
    observed = np.bincount(np.minimum(weights, 8).ravel(), minlength=9)[:8] / weights.size
    assert observed == pytest.approx(expected, abs=6 / math.sqrt(weights.size))


def test_a_seed_fixes_an_interval_in_any_company() -> None:
    tally = tally_of(*small_pair(80, seed=16))
    together = intervals(tally, n_resamples=200, seed=3)
    for key in DEFAULT_KEYS:
        assert intervals(tally, [key], n_resamples=200, seed=3) == {key: together[key]}
    assert intervals(tally, n_resamples=200, seed=4) != together


@EVERY_METHOD
def test_an_undefined_score_has_no_interval(method: str) -> None:
    blank = tally_of([[], []], [[], []])
    found = intervals(blank, interval_method=method)
    assert all(math.isnan(bound) for bounds in found.values() for bound in bounds)


def test_resamples_without_a_score_are_left_out() -> None:
    # Two utterances in four have an inner boundary, so that some resamples have none.
    tally = tally_of([["a", "b"], ["a", "b"], ["a"], ["b"]], [["a", "b"], ["ab"], ["a"], ["b"]])
    weights = weights_of(4, 1000, seed=0)
    drawn = weights[:, :2].sum(axis=1)
    assert (drawn == 0).sum() > 0
    recalls = weights[:, 0][drawn > 0] / drawn[drawn > 0]
    key = "boundary_noedge_recall"
    assert intervals(tally, [key], n_resamples=1000)[key] == pytest.approx(quantiles(recalls.tolist()))


@EVERY_METHOD
def test_a_score_beyond_1_that_never_varies_has_no_interval(method: str) -> None:
    # In every utterance 8 edits for 2 words, and 7 predicted inner boundaries for 1.
    keys = ["word_error_rate", "over_segmentation"]
    tally = tally_of([["abcd", "efgh"]] * 8, [list("abcdefgh")] * 8, scores=keys)
    assert tally.scores(Plan.of(scores=keys)) == {"word_error_rate": 4.0, "over_segmentation": 6.0}
    found = intervals(tally, keys, interval_method=method)
    assert all(math.isnan(end) for ends in found.values() for end in ends)
