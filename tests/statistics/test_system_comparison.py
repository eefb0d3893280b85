"""Several systems on one reference: their scores, what is best, and p-values against an enumeration of all exchanges."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import asdict
from itertools import product
from typing import Any

import pytest

from segscores import score
from segscores.reading.inputs import read_pair
from segscores.scoring.options import Plan
from segscores.statistics.comparison_results import VERDICTS, SystemComparison
from segscores.statistics.resampling import Resampling
from segscores.statistics.significance import ScoreDifference
from segscores.statistics.system_comparison import compare, compare_tallies

from ..naive import DEFAULT_KEYS, Corpus, naive_scores, random_corpus_pair, words_text
from ..tallies import tally_utterances
from .helpers import naive_holm

REFERENCE, RANDOM = random_corpus_pair(80, seed=1, units="abc")
WHOLE: Corpus = [["".join(unit for word in utterance for unit in word)] if utterance else [] for utterance in REFERENCE]
#: One unit a word.
UNITS: Corpus = [[unit for word in utterance for unit in word] for utterance in REFERENCE]
#: The reference, except for the last utterance with several words.
_LAST = max(index for index, utterance in enumerate(REFERENCE) if len(utterance) > 1)
NEAR: Corpus = [*REFERENCE[:_LAST], WHOLE[_LAST], *REFERENCE[_LAST + 1 :]]
SYSTEMS = {"whole": WHOLE, "near": NEAR, "perfect": REFERENCE, "random": RANDOM, "units": UNITS}


def compared(names: Sequence[str], **options: Any) -> SystemComparison:
    """A comparison of systems above, in words text."""
    systems = {name: words_text(SYSTEMS[name]) for name in names}
    return compare(words_text(REFERENCE), systems, text_format="words", **{"n_trials": 200} | options)


def test_scores_and_differences_are_naive() -> None:
    found = compared(["random", "units", "whole"])
    expected = {name: naive_scores(REFERENCE, SYSTEMS[name]) for name in ("random", "units", "whole")}
    assert found.scores == expected
    assert list(found.differences) == ["units", "whole"]
    for name, differences in found.differences.items():
        for key, difference in differences.items():
            assert difference.difference == pytest.approx(expected[name][key] - expected["random"][key], abs=1e-12)
            assert (difference.score, difference.baseline_score) == (expected[name][key], expected["random"][key])
    for name, intervals in found.intervals.items():
        assert list(intervals) == list(DEFAULT_KEYS)
        for key, (low, high) in intervals.items():
            assert low <= expected[name][key] <= high or math.isnan(low)


def test_p_values_are_corrected_for_several_systems() -> None:
    found = compared(["near", "perfect", "random", "units", "whole"])
    for key in DEFAULT_KEYS:
        differences = [each[key] for each in found.differences.values()]
        expected = naive_holm({at: each.p_randomisation for at, each in enumerate(differences)})
        assert [each.p_randomisation_holm for each in differences] == pytest.approx(list(expected.values()))


def enumerated_pairs(references: Corpus, systems: dict[str, Corpus], key: str) -> dict[tuple[str, str], float]:
    """Step-down max-T over all pairs of systems, with every exchange of utterances, each the same for all pairs."""
    names = sorted(systems)
    pairs = [(a, b) for index, a in enumerate(names) for b in names[index + 1 :]]

    def differences(exchanges: Sequence[bool]) -> list[float]:
        found = []
        for a, b in pairs:
            sides = zip(systems[a], systems[b], exchanges, strict=True)
            left, right = zip(*((y, x) if exchanged else (x, y) for x, y, exchanged in sides), strict=True)
            found.append(naive_scores(references, right)[key] - naive_scores(references, left)[key])
        return found

    every = [differences(exchanges) for exchanges in product([False, True], repeat=len(references))]
    scales = [math.sqrt(sum(trial[at] ** 2 for trial in every) / len(every)) for at in range(len(pairs))]
    sizes = [
        [abs(value) / scale if scale else 0.0 for value, scale in zip(trial, scales, strict=True)] for trial in every
    ]
    order, adjusted, least = sorted(range(len(pairs)), key=lambda at: -sizes[0][at]), {}, 0.0
    for rank, at in enumerate(order):
        share = sum(max(trial[other] for other in order[rank:]) >= sizes[0][at] - 1e-9 for trial in sizes) / len(every)
        adjusted[pairs[at]] = least = max(least, share)
    return adjusted


@pytest.mark.parametrize("key", ["token_fscore", "boundary_all_recall"])
def test_pairs_are_corrected_over_all_pairs(key: str) -> None:
    references, first = random_corpus_pair(7, seed=11, units="abc")
    systems: dict[str, Corpus] = {
        "first": first,
        "units": [[unit for word in utterance for unit in word] for utterance in references],
        "near": [first[at] if at % 3 else words for at, words in enumerate(references)],
        "perfect": references,
    }
    found = compare(
        words_text(references), {name: words_text(side) for name, side in systems.items()}, text_format="words"
    )
    assert found.pairs[key] == pytest.approx(enumerated_pairs(references, systems, key))


def test_ranks_are_counted_from_the_systems_told_apart() -> None:
    found = compared(["whole", "near", "perfect", "units", "random"], scores="token", n_trials=2000)
    for key in found.keys:
        values = {name: scores[key] for name, scores in found.scores.items()}
        for name, (first, last) in found.ranks(key).items():
            apart = [other for other in values if other != name and found.p_of_pair(key, name, other) <= 0.05]
            assert first == 1 + sum(values[other] > values[name] for other in apart)
            assert last == len(values) - sum(values[other] < values[name] for other in apart)
        assert found.ranks(key)["perfect"] == found.ranks(key)["near"] == (1, 2)


def test_the_best_and_what_is_not_significantly_worse() -> None:
    found = compared(["whole", "near", "perfect", "units"], scores="token", n_trials=1000)
    for key in ("token_precision", "token_recall", "token_fscore"):
        assert found.best(key) == "perfect"
        assert found.not_worse(key) == ["near", "perfect"]


def test_the_level_is_that_of_the_intervals() -> None:
    def p_and_marked(confidence: float) -> tuple[float, list[str]]:
        found = compared(["random", "perfect"], scores="token", confidence=confidence, n_trials=99)
        return found.against_best("token_fscore")["random"], found.not_worse("token_fscore")

    # With 99 trials no p-value is below 0.01, and one that is equal to the level is significant.
    assert p_and_marked(0.95) == (0.01, ["perfect"])
    assert p_and_marked(0.99) == (0.01, ["perfect"])
    with pytest.warns(
        UserWarning, match=r"no difference can be significant at 0\.005: 99 trials are too few for a p-value below"
    ):
        assert p_and_marked(0.995) == (0.01, ["random", "perfect"])


@pytest.mark.parametrize(
    ("key", "best"),
    [
        ("word_error_rate", "perfect"),
        # As many boundaries as the reference has; fewer and more are worse.
        ("over_segmentation", "perfect"),
        ("token_recall", "perfect"),
        ("under_segmented", "units"),
        ("oov_rate", None),
    ],
)
def test_the_best_is_the_highest_the_lowest_or_the_nearest_to_0(key: str, best: str | None) -> None:
    options = {"scores": ["token", "word_error", "rates", "oov"], "vocabulary": words_text(REFERENCE[:60])}
    found = compared(["whole", "units", "perfect"], **options)
    assert found.best(key) == best
    if best is None:
        assert (found.not_worse(key), found.against_best(key), found.ranks(key)) == ([], {}, {})


def test_of_equal_systems_the_first_is_the_best_and_none_is_worse() -> None:
    references = words_text(REFERENCE)
    systems = {"a": words_text(RANDOM), "b": words_text(RANDOM), "c": words_text(RANDOM)}
    found = compare(references, systems, text_format="words", baseline="b")
    for key in DEFAULT_KEYS:
        assert found.best(key) == "b"
        assert found.not_worse(key) == ["b", "a", "c"]
        assert {found.differences[name][key].p_randomisation_holm for name in ("a", "c")} == {1.0}
        assert found.ranks(key) == {"b": (1, 3), "a": (1, 3), "c": (1, 3)}
        assert {found.differences[name][key].difference for name in ("a", "c")} == {0.0}


def test_undefined_scores_have_no_best() -> None:
    systems = {"a": ["x", "y z"], "b": ["x", "yz"], "c": ["x", "yz"]}
    found = compare(["x", "yz"], systems, text_format="words", scores="boundary_noedge", zero_division=math.nan)
    assert found.best("boundary_noedge_recall") is None
    assert found.not_worse("boundary_noedge_recall") == []
    # Only one of the three predicts an inner boundary.
    assert (found.best("boundary_noedge_precision"), found.not_worse("boundary_noedge_precision")) == ("a", ["a"])


@pytest.mark.filterwarnings("default::UserWarning")
def test_a_score_that_is_undefined_for_any_system_is_warned_of() -> None:
    references = ["x y", "y z"] * 20
    systems = {"baseline": ["x y", "yz"] * 20, "unsegmented": ["xy", "yz"] * 20}
    with pytest.warns(UserWarning, match=r"^undefined \(0/0\), and so 0\.0: boundary_noedge_precision\."):
        compare(references, systems, text_format="words", scores="boundary_noedge")


def test_the_number_of_skipped_utterances_alone_is_not_compared() -> None:
    options = {"text_format": "words", "on_mismatch": "skip", "scores": "skipped_utterances"}
    with pytest.raises(ValueError, match=r'^scores="skipped_utterances" is a count that no test compares'):
        compare(["x", "y"], {"a": ["x", "y"], "b": ["x", "z"]}, **options)


def test_the_baseline_is_the_first_unless_named() -> None:
    assert compared(["units", "whole"], scores="token").baseline == "units"
    assert list(compared(["units", "whole"], scores="token", baseline="whole").scores) == ["whole", "units"]


@pytest.mark.parametrize("average", ["micro", "macro"])
@pytest.mark.filterwarnings("ignore:.*have different units on the two sides:UserWarning")
def test_what_one_system_skips_is_compared_in_none(average: str) -> None:
    references = words_text(REFERENCE)
    systems = {name: words_text(SYSTEMS[name]) for name in ("random", "units")}
    systems["random"][3] = "xx"
    systems["units"][5] = systems["units"][7] = "xx"
    options: dict[str, Any] = {"text_format": "words", "average": average, "seed": 4}
    found = compare(references, systems, on_mismatch="skip", **options)
    kept = [index for index in range(len(references)) if index not in {3, 5, 7}]
    expected = compare(
        [references[index] for index in kept],
        {name: [words_text(SYSTEMS[name])[index] for index in kept] for name in systems},
        **options,
    )
    assert (found.utterances, found.skipped) == (77, {"random": 1, "units": 2})
    assert (expected.utterances, expected.skipped) == (77, {"random": 0, "units": 0})
    for key in DEFAULT_KEYS:
        for name in systems:
            assert found.scores[name][key] == expected.scores[name][key]
            assert found.intervals[name][key] == pytest.approx(expected.intervals[name][key], rel=1e-12)
        left, right = (asdict(each.differences["units"][key]) for each in (found, expected))
        assert left == pytest.approx(right, rel=1e-9, nan_ok=True)
    assert "skipped_utterances" not in found.scores["random"]


def test_align_compares_every_utterance() -> None:
    references = words_text(REFERENCE)
    systems = {name: words_text(SYSTEMS[name]) for name in ("random", "units")}
    systems["units"][5] = "x" + systems["units"][5]
    found = compare(references, systems, text_format="words", on_mismatch="align")
    expected = score(references, systems["units"], text_format="words", on_mismatch="align")
    assert found.utterances == 80
    assert found.scores["units"] == {key: value for key, value in expected.items() if key != "skipped_utterances"}


def test_references_may_be_read_once() -> None:
    expected = compared(["random", "units"], scores=["token", "windows"])
    systems = {name: iter(words_text(SYSTEMS[name])) for name in ("random", "units")}
    found = compare(
        iter(words_text(REFERENCE)),
        systems,
        text_format="words",
        scores=["token", "windows"],
        n_trials=200,
    )
    assert found == expected


def test_labels_have_no_type_scores() -> None:
    references = [[1, 0, 1], [1, 1]]
    systems = {"a": [[1, 0, 0], [1, 1]], "b": [[1, 0, 1], [1, 0]]}
    found = compare(references, systems, label_scheme="start")
    assert list(found.scores["a"]) == [key for key in DEFAULT_KEYS if not key.startswith("type_")]


def test_tallies_give_what_predictions_give() -> None:
    options = Plan.of(text_format="words", scores=["token", "type"])
    columns = {name: read_pair(*map(words_text, (REFERENCE, SYSTEMS[name]))) for name in ("random", "units")}
    tallies = {name: tally_utterances(*column, options) for name, column in columns.items()}
    found = compare_tallies(tallies, options, Resampling(confidence=0.95), n_trials=200)
    assert found.to_json() == compared(["random", "units"], scores=["token", "type"]).to_json()


def test_a_dict_is_what_json_has() -> None:
    found = compared(["random", "units", "perfect"], scores="token")
    read = json.loads(json.dumps(found.to_dict()))
    assert (read["baseline"], read["confidence"], read["utterances"]) == ("random", 0.95, 80)
    assert list(read["systems"]) == ["random", "units", "perfect"]
    assert read["systems"]["random"]["differences"] == {}
    assert read["systems"]["units"]["differences"]["token_recall"]["p_randomisation"] == (
        found.differences["units"]["token_recall"].p_randomisation
    )
    assert read["best"]["token_recall"] == {
        "system": "perfect",
        "not_worse": ["perfect"],
        "p_values": found.against_best("token_recall"),
        "ranks": {name: list(ends) for name, ends in found.ranks("token_recall").items()},
    }
    assert (read["trials"], read["exact"]) == (200, False)
    assert read["systems"]["units"]["differences"]["token_recall"]["verdict"] in VERDICTS


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"systems": ["ab c", "de"]}, TypeError, "systems: expected a dict from names to predictions, received list"),
        ({"systems": {}}, ValueError, "systems: expected at least two, received 0"),
        ({"systems": {"a": ["ab c", "de"]}}, ValueError, "received 1: with one there is nothing to compare"),
        ({"systems": {1: ["abc", "de"], "b": ["abc", "de"]}}, TypeError, "expected names as strings, received 1"),
        ({"baseline": "c"}, ValueError, "unknown baseline 'c': the systems are 'a', 'b'"),
        ({"systems": {"a": ["abc", "de"], "b": ["abc", "dx"]}}, ValueError, "system 'b': .*utterance 1: the units differ"),
        ({"systems": {"a": ["abc"], "b": ["abc", "de"]}}, ValueError, "system 'a': 2 references and 1 predictions"),
        ({"systems": {"a": ["abc", "de"], "b": [["abc"], ["de"]]}}, TypeError, "system 'b': mixed forms"),
        ({"systems": {"a": ["abc", "de"], "b": None}}, TypeError, "system 'b': predictions: received None"),
        ({"references": None}, TypeError, "references: received None"),
        ({"references": [[1, 0]], "systems": {"a": [[1, 1]], "b": [[1, 0]]}}, TypeError, "lists of integers without label_"),
        ({"references": ["abc"], "systems": {"a": ["abc"], "b": ["a bc"]}}, ValueError, "needs at least two utterances"),
        ({"references": [], "systems": {"a": [], "b": []}}, ValueError, "there is nothing to score"),
        ({"confidence": 95}, ValueError, r"confidence: .* Did you mean 0\.95"),
        ({"confidence": None}, TypeError, "confidence: expected a number between 0 and 1, .*received None"),
        ({"seed": 0.5}, TypeError, r"seed: expected an integer from 0 to 18446744073709551615, received 0\.5"),
        ({"score": "token"}, TypeError, "unknown option 'score'"),
        ({"scores": "tokens"}, ValueError, "unknown score group 'tokens'"),
    ],
)  # fmt: skip
def test_bad_input(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    given: dict[str, Any] = {
        "references": ["ab c", "de"],
        "systems": {"a": ["a bc", "de"], "b": ["abc", "d e"]},
        "text_format": "words",
    } | arguments
    with pytest.raises(error, match=message):
        compare(given.pop("references"), given.pop("systems"), **given)


def test_an_implausible_vocabulary_is_warned_of() -> None:
    systems = {"a": ["ab c", "d e"], "b": ["abc", "de"]}
    with pytest.warns(UserWarning, match=r"100\.0% of the reference words are outside the vocabulary"):
        compare(["ab c", "de"], systems, text_format="words", vocabulary=["x", "y"])


def test_a_standing_is_all_that_a_table_shows() -> None:
    found = compared(["random", "units", "perfect"], scores=["token", "word_error"], margin=0.02)
    for key in found.keys:
        for standing in found.standings(key):
            name = standing.system
            assert (standing.key, standing.score) == (key, found.scores[name][key])
            assert (standing.low, standing.high) == found.intervals[name][key]
            assert standing.is_best == (standing.score == found.scores[found.best(key) or ""][key])
            assert standing.is_not_worse == (name in found.not_worse(key))
            assert standing.ranks == found.ranks(key)[name]
            assert (
                standing.is_baseline == (name == "random") == (standing.difference is None) == (standing.verdict == "")
            )
    assert found.standing("token_fscore", "perfect").verdict == "better"
    assert found.standing("word_error_rate", "perfect").verdict == "better"
    assert found.standing("word_error_rate", "units").verdict == "worse"


@pytest.mark.parametrize(
    ("p_value", "difference", "key", "verdict"),
    [
        (0.05, 0.1, "token_fscore", "better"),
        (0.05, -0.1, "token_fscore", "worse"),
        (0.05, -0.1, "word_error_rate", "better"),
        (0.05, 0.1, "oov_rate", "higher"),
        (0.05, -0.1, "oov_rate", "lower"),
        (0.0501, 0.1, "token_fscore", "not distinguishable"),
        (math.nan, 0.1, "token_fscore", "undefined"),
    ],
)
def test_the_one_rule_of_verdict(p_value: float, difference: float, key: str, verdict: str) -> None:
    assert with_difference(key, difference, p_value=p_value).standing(key, "b").verdict == verdict


def with_difference(
    key: str,
    difference: float,
    *,
    low: float = 0.0,
    high: float = 0.0,
    p_value: float = 1.0,
    margin: float | None = None,
) -> SystemComparison:
    """A comparison of two systems with this difference."""
    found = ScoreDifference(0.5 + difference, 0.5, difference, low, high, p_value, p_value, p_value)
    return SystemComparison(
        baseline="a", scores={"a": {key: 0.5}, "b": {key: 0.5 + difference}},
        intervals={"a": {key: (0.4, 0.6)}, "b": {key: (0.4, 0.6)}}, differences={"b": {key: found}},
        pairs={key: {("a", "b"): p_value}}, confidence=0.95, utterances=100, skipped={"a": 0, "b": 0}, trials=10_000,
        is_exact=False, margin=margin,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("key", "low", "high", "expected"),
    [
        ("token_fscore", -0.01, 0.01, "equivalent"),
        ("token_fscore", -0.01, 0.03, "not inferior"),
        ("token_fscore", -0.03, 0.01, "inconclusive"),
        ("token_fscore", -0.05, -0.03, "inferior"),
        ("token_fscore", -0.02, 0.01, "inconclusive"),
        ("word_error_rate", -0.03, 0.01, "not inferior"),
        ("word_error_rate", 0.03, 0.05, "inferior"),
        ("over_segmentation", -0.01, 0.01, "equivalent"),
        ("over_segmentation", -0.01, 0.05, "inconclusive"),
        ("token_fscore", math.nan, math.nan, "undefined"),
    ],
)
def test_a_margin_is_compared_with_the_interval(key: str, low: float, high: float, expected: str) -> None:
    assert with_difference(key, 0.0, low=low, high=high, margin=0.02).standing(key, "b").against_margin == expected
    assert with_difference(key, 0.0, low=low, high=high).standing(key, "b").against_margin == ""


def test_exact_trials_that_are_too_few_are_warned_of() -> None:
    references, first = random_corpus_pair(5, seed=11, units="abc")
    systems = {"a": words_text(first), "b": words_text(references)}
    with pytest.warns(UserWarning, match=r"significant at 0\.05: 5 utterances are too few for a p-value below 0\.062"):
        compare(words_text(references), systems, text_format="words", scores="token")


def test_holm_that_cannot_reach_the_level_is_warned_of() -> None:
    with pytest.warns(UserWarning, match=r"take n_trials=79 or more, and Holm's correction multiplies it by up to 4"):
        compared(["near", "perfect", "random", "units", "whole"], scores="token", n_trials=78)
    compared(["near", "perfect", "random", "units", "whole"], scores="token", n_trials=79)


@pytest.mark.parametrize(
    ("margin", "error", "message"),
    [
        (0, ValueError, "margin: expected a positive number such as 0.005, received 0"),
        (math.nan, ValueError, "margin: expected a positive number such as 0.005, received nan"),
        ("0.1", TypeError, "margin: expected a positive number such as 0.005, received '0.1'"),
        (True, TypeError, "margin: expected a positive number such as 0.005, received True"),
    ],
)
def test_a_bad_margin_is_an_error(margin: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=re.escape(message)):
        compared(["random", "units"], margin=margin)


@pytest.mark.parametrize("average", ["micro", "macro"])
def test_a_difference_is_that_of_the_scores_to_the_last_digit(average: str) -> None:
    # Blank utterances and clusters change where sums of means are rounded.
    references, predictions = random_corpus_pair(120, seed=3, units="abc")
    systems = {
        "joined": ["".join(line.split()) for line in words_text(references)],
        "random": words_text(predictions),
        "units": [" ".join("".join(line.split())) for line in words_text(references)],
    }
    found = compare(
        words_text(references), systems, clusters=[at % 7 for at in range(120)], average=average,
        n_trials=10, text_format="words", scores=["token", "type", "word_error"],
    )  # fmt: skip
    for system in ("random", "units"):
        for key, difference in found.differences[system].items():
            assert difference.difference == found.scores[system][key] - found.scores["joined"][key]
