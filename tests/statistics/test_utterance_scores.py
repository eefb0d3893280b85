"""Scores with intervals, averages over utterances, and each utterance's own scores."""

import math
import statistics
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscores.scores import score
from segscores.scoring.plan import Plan
from segscores.statistics.resampling import Resampling
from segscores.statistics.system_comparison import compare
from segscores.statistics.utterance_scores import per_utterance, score_utterances

from ..corpora import FORMS, corpus_pairs, expected_scores, random_corpus_pair, units_text
from ..naive import DEFAULT_KEYS, naive_scores
from ..tallies import tally_of

pairs = corpus_pairs(st.sampled_from(["a", "b", "狗"]))


@pytest.mark.parametrize("form", FORMS)
def test_each_utterance_scores_as_if_it_were_alone(form: str) -> None:
    written = FORMS[form]
    references, predictions = random_corpus_pair(60, seed=2)
    rows = per_utterance(written.write(references), written.write(predictions), **written.options)
    assert [row.pop("utterance") for row in rows] == list(range(60))
    for row, reference, prediction in zip(rows, references, predictions, strict=True):
        alone = expected_scores(written, naive_scores([reference], [prediction], math.nan))
        assert row == pytest.approx(alone, rel=1e-15, nan_ok=True)
        assert {type(value) for value in row.values()} == {float}


@given(pair=pairs, key=st.sampled_from(DEFAULT_KEYS))
def test_the_worst_come_first_the_longer_before_the_shorter(pair: tuple[Any, Any], key: str) -> None:
    found = per_utterance(*map(units_text, pair), worst=key)
    alone = [naive_scores([left], [right], math.nan)[key] for left, right in zip(*pair, strict=True)]
    units = [sum(map(len, utterance)) for utterance in pair[0]]
    expected = sorted(
        range(len(alone)),
        key=lambda index: (math.isnan(alone[index]), np.nan_to_num(alone[index]), -units[index], index),
    )
    assert [row["utterance"] for row in found] == expected


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("token_recall", [0, 1, 2]),
        # 6 errors of 2 words, 2 of 2, none.
        ("word_error_rate", [1, 0, 2]),
        # 5, −1, and 0/0 where the reference has no boundary.
        ("over_segmentation", [1, 0, 2]),
    ],
)
def test_the_worst_value_is_the_lowest_the_highest_or_that_farthest_from_0(key: str, expected: list[int]) -> None:
    references = ["ab cd", "ab cdefgh", "abc"]
    predictions = ["abcd", "ab c d e f g h", "abc"]
    options: dict[str, Any] = {"text_format": "words", "scores": ["token", "word_error", "rates"]}
    found = per_utterance(references, predictions, worst=key, **options)
    assert [row["utterance"] for row in found] == expected


@pytest.mark.parametrize("first", [0, 1, 3, 99, np.int64(2)])
def test_as_many_as_wanted(first: int) -> None:
    pair = random_corpus_pair(5, seed=3)
    every = per_utterance(*map(units_text, pair), worst="token_fscore")
    found = per_utterance(*map(units_text, pair), worst="token_fscore", first=first)
    assert repr(found) == repr(every[:first]), "nan is equal to nan"


@pytest.mark.filterwarnings("ignore:1 of 3 utterances could not be scored")
def test_skipped_utterances_are_left_out() -> None:
    pair, options = (["a b", "c d", "e f"], ["a b", "xy", "ef"]), {"text_format": "words", "on_error": "skip"}
    rows = per_utterance(*pair, scores="token", **options)
    assert [(row["utterance"], row["token_recall"]) for row in rows] == [(0, 1.0), (2, 0.0)]
    assert [row["utterance"] for row in per_utterance(*pair, worst="token_recall", **options)] == [2, 0]


def test_references_may_be_read_once() -> None:
    references, predictions = map(units_text, random_corpus_pair(5, seed=3))
    expected = per_utterance(references, predictions, scores="windows")
    assert per_utterance(iter(references), iter(predictions), scores="windows") == expected


def test_windows_are_computed_from_the_whole_reference() -> None:
    # Half the mean word length is 7 / 3 over both, and 1 and 5 in each alone.
    options = {"text_format": "words", "scores": "windows"}
    pair = ["ab cd", "abcdefghij"], ["abcd", "abcde fghij"]
    assert per_utterance(*pair, **options) == per_utterance(*pair, window_size=2, **options)
    assert per_utterance(*pair, **options) != per_utterance(*pair, window_size=5, **options)


@pytest.mark.parametrize("zero_division", [0.0, 1.0, math.nan])
@given(pair=pairs)
def test_the_macro_average_is_the_mean_of_the_utterances(zero_division: float, pair: tuple[Any, Any]) -> None:
    tally, options = tally_of(*pair), Plan.of(zero_division=zero_division)
    found = score_utterances(tally, options, Resampling(average="macro"))
    alone = [naive_scores([left], [right], zero_division) for left, right in zip(*pair, strict=True) if left]
    for key in DEFAULT_KEYS:
        defined = [scores[key] for scores in alone if not math.isnan(scores[key])]
        expected = statistics.fmean(defined) if defined else zero_division
        assert found[key] == pytest.approx(expected, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"worst": "token"}, ValueError, "worst: there is no score 'token'. Did you mean 'token_"),
        ({"worst": "word_error_rate"}, ValueError, "is of the group word_error, which is not scored: add"),
        ({"worst": "oov_rate", "vocabulary": ["ab"]}, ValueError, "worst: no value of oov_rate is worse than another"),
        ({"first": -1}, ValueError, "first: expected a number of utterances from 0, received -1"),
        ({"first": 1.5}, TypeError, r"first: expected a number of utterances or None, received 1\.5"),
        ({"first": True}, TypeError, "first: expected a number of utterances or None, received True"),
        ({"confidence": 0.9}, TypeError, "unknown option 'confidence'"),
        ({"references": [], "predictions": []}, ValueError, "there is nothing to score"),
    ],
)
def test_bad_input(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    given = {"references": ["ab c", "de"], "predictions": ["abc", "de"], "text_format": "words"} | arguments
    with pytest.raises(error, match=message):
        per_utterance(given.pop("references"), given.pop("predictions"), **given)


def test_one_utterance_has_no_interval() -> None:
    tally, options = tally_of([["a"]], [["a"]]), Plan.of()
    with pytest.raises(ValueError, match="an interval needs at least two utterances, received 1"):
        score_utterances(tally, options, Resampling(confidence=0.9))


@pytest.mark.parametrize("clusters", [None, [*range(29), 28]])
def test_a_score_that_is_undefined_without_one_utterance_is_named_with_the_reason(clusters: Any) -> None:
    # Only the first utterance has inner boundaries in the reference.
    references, predictions = ["a b c", *["d"] * 29], ["a bc", *["d"] * 29]
    options: dict[str, Any] = {"text_format": "words", "scores": "boundary_noedge_recall", "zero_division": math.nan}
    noun = "cluster" if clusters else "utterance"
    message = f"^no interval for boundary_noedge_recall: the score is undefined without one of the {noun}s"
    with pytest.warns(UserWarning, match=message):
        found = score(
            references, predictions, confidence=0.9, interval_method="jackknife", clusters=clusters, **options
        )
    with pytest.warns(UserWarning, match=message):
        compare(references, {"a": predictions, "b": ["a b c", *["d"] * 29]}, clusters=clusters, **options)
    assert found["boundary_noedge_recall"] == 0.5
    assert math.isnan(found["boundary_noedge_recall_low"])


def test_a_score_that_no_utterance_changes_has_a_bound_and_a_warning() -> None:
    """A range without an end has no bound."""
    scores = ["token_precision", "word_error_rate"]
    with pytest.warns(UserWarning, match="no utterance changes the score. Is some text repeated") as warned:
        found = score(["a b c"] * 60, ["a bc"] * 60, text_format="words", scores=scores, confidence=0.9)
    what = ["no interval for word_error_rate", "the interval is only a bound of token_precision"]
    assert sorted(str(warning.message).partition(":")[0] for warning in warned) == what
    # With a share of b = 1 - 0.05^(1/60) that differ, 60 utterances without one have the probability 0.05.
    bound = 1 - 0.05 ** (1 / 60)
    assert (found["token_precision_low"], found["token_precision_high"]) == pytest.approx((0.5 - bound, 0.5 + bound))
    assert math.isnan(found["word_error_rate_low"])


@pytest.mark.filterwarnings("error::UserWarning")
def test_the_bound_of_type_scores_is_of_the_smaller_lexicon() -> None:
    found = score(
        ["ab cd ef gh"] * 30, ["a b c d e f gh"] * 30,
        text_format="words", scores="type_precision", confidence=0.95,
    )  # fmt: skip
    # The prediction has 7 types, the reference 4.
    bound = 1 - 0.025 ** (1 / 4)
    assert found["type_precision"] == pytest.approx(1 / 7)
    assert (found["type_precision_low"], found["type_precision_high"]) == pytest.approx((0.0, 1 / 7 + bound))
