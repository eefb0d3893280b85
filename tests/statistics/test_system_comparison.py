"""Several systems on one reference: their scores, what is best, and p-values against an enumeration of all exchanges."""

import math
import statistics
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import asdict, replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy import stats

from segscores import score
from segscores.statistics.comparison_results import SystemComparison
from segscores.statistics.jackknife import Estimate, Term
from segscores.statistics.significance import verdict_of
from segscores.statistics.subset_comparison import compare_by
from segscores.statistics.subsets import score_by
from segscores.statistics.system_comparison import compare, runs

from ..corpora import Corpus, random_corpus_pair, words_text
from ..naive import DEFAULT_KEYS, naive_scores
from .helpers import naive_error, naive_holm

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


def test_p_values_are_corrected_for_several_systems_and_for_all_pairs() -> None:
    found = compared(["near", "perfect", "random", "units", "whole"])
    for key in DEFAULT_KEYS:
        differences = [each[key] for each in found.differences.values()]
        if key == found.primary:
            expected = naive_holm({at: each.p_value for at, each in enumerate(differences)})
            assert [each.p_corrected for each in differences] == pytest.approx(list(expected.values()))
        else:
            assert all(math.isnan(each.p_corrected) for each in differences)
    of_pairs = {
        pair: compared(pair).differences[pair[1]][found.primary].p_value for pair in combinations(sorted(SYSTEMS), 2)
    }
    assert found.pairs == pytest.approx(naive_holm(of_pairs))


@pytest.mark.parametrize("key", ["token_precision", "token_recall", "token_fscore"])
def test_ranks_are_counted_from_the_systems_told_apart(key: str) -> None:
    found = compared(["whole", "near", "perfect", "units", "random"], scores="token", n_trials=2000, primary=key)
    values = {name: scores[key] for name, scores in found.scores.items()}
    for name, (first, last) in found.ranks().items():
        apart = [other for other in values if other != name and found.p_of_pair(name, other) <= 0.05]
        assert first == 1 + sum(values[other] > values[name] for other in apart)
        assert last == len(values) - sum(values[other] < values[name] for other in apart)
    assert found.ranks()["perfect"] == found.ranks()["near"] == (1, 2)
    assert found.best(key) == "perfect"
    assert found.not_worse() == ["near", "perfect"]


@pytest.mark.parametrize(
    ("scores", "primary"),
    [
        (None, "token_fscore"),
        ("sighan", "token_fscore"),
        (["token_recall", "type"], "token_recall"),
        (["type_recall", "type"], "type_fscore"),
        (["windows", "tnr"], "pk"),
        (["oov_rate", "oov_recall"], "oov_recall"),
    ],
)
def test_the_fscore_of_words_or_of_the_first_group_or_the_first_score_decides(scores: Any, primary: str) -> None:
    known = {"vocabulary": words_text(REFERENCE[:60])} if scores == "sighan" or "oov_rate" in (scores or ()) else {}
    found = compared(["random", "units"], **({} if scores is None else {"scores": scores}), **known)
    assert found.primary == primary
    assert list(found.to_dict()["best"]) == [primary]


def test_the_level_of_the_intervals_is_used() -> None:
    def p_and_marked(confidence: float) -> tuple[float, list[str]]:
        found = compared(["random", "perfect"], scores="token", confidence=confidence, n_trials=99)
        return found.against_best()["random"], found.not_worse()

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
    ],
)
def test_the_best_is_the_highest_the_lowest_or_the_nearest_to_0(key: str, best: str) -> None:
    assert (
        compared(["whole", "units", "perfect"], primary=key, scores=["token", "word_error", "rates"]).best(key) == best
    )


def test_a_score_of_the_reference_alone_has_no_test() -> None:
    """Its value and interval are there; tables leave the cells of tests blank, and say why."""
    words = ["".join(word) for utterance in REFERENCE for word in utterance]
    known = {*words[:200]}
    rate = sum(word not in known for word in words) / len(words)
    options = {"scores": ["oov_rate", "token"], "vocabulary": [*known], "margin": 0.1}
    found = compared(["units", "perfect"], **options)
    assert [scores["oov_rate"] for scores in found.scores.values()] == pytest.approx([rate] * 2)
    low, high = found.intervals["perfect"]["oov_rate"]
    assert low < rate < high
    assert [*found.differences["perfect"]] == ["token_precision", "token_recall", "token_fscore"]
    header, _, row, *_ = found.render().splitlines()
    assert row.split()[0] == "oov_rate"
    assert len(row) < len(header)
    assert "not tested, as no prediction changes it: oov_rate" in found.render()
    assert [len(each) for each in found.result().rows.values()] == [len(found.result().rows.names)] * 8
    with pytest.raises(ValueError, match='primary="oov_rate": it depends on the reference alone'):
        compared(["units", "perfect"], primary="oov_rate", **options)


def test_the_first_of_equal_systems_is_the_best_and_none_is_worse() -> None:
    references = words_text(REFERENCE)
    systems = {"a": words_text(RANDOM), "b": words_text(RANDOM), "c": words_text(RANDOM)}
    with pytest.warns(UserWarning, match="have the same counts") as warned:
        found = compare(references, systems, text_format="words", baseline="b")
    assert [str(warning.message).split(" have ")[0] for warning in warned] == ["b and a", "b and c"]
    for key in DEFAULT_KEYS:
        assert found.best(key) == "b"
        assert {found.differences[name][key].p_value for name in ("a", "c")} == {1.0}
        assert {found.differences[name][key].difference for name in ("a", "c")} == {0.0}
    assert found.not_worse() == ["b", "a", "c"]
    assert found.ranks() == {"b": (1, 3), "a": (1, 3), "c": (1, 3)}


def test_a_run_that_is_that_of_another_system_makes_no_copy_of_two_runs() -> None:
    references = words_text(REFERENCE)
    prediction = words_text(RANDOM)
    systems = {"one": prediction, "two": runs(prediction, references)}
    assert compare(references, systems, text_format="words").runs == {"one": 1, "two": 2}


def test_equal_comparisons_are_equal_in_every_utterance() -> None:
    size = 2000

    def found(wrong: int) -> SystemComparison:
        predictions = ["a b" if at != wrong else "ab" for at in range(size)]
        systems = {"a": ["a b"] * size, "b": predictions}
        return compare(["a b"] * size, systems, text_format="words", scores="token_recall", n_trials=99)

    assert found(1000) == found(1000)
    # Only the utterance differs: all sums are the same.
    assert found(1000) != found(1001)
    # nan is equal to nan.
    undefined = score_by(["a"], ["a"], ["x"], text_format="words", scores="boundary_noedge", zero_division=math.nan)
    assert undefined == deepcopy(undefined)


def test_the_best_may_have_an_empty_name() -> None:
    found = compare(["x y"] * 9, {"": ["x y"] * 9, "b": ["xy"] * 9}, text_format="words", scores="token_recall")
    assert found.not_worse() == [found.best("token_recall")] == [""]
    assert list(found.against_best()) == ["b"]


@pytest.mark.filterwarnings("ignore:undefined")
@pytest.mark.parametrize("zero_division", [0.0, 1.0, math.nan])
def test_an_undefined_score_keeps_no_margin(zero_division: float) -> None:
    """The baseline predicts no inner boundary: its precision is 0/0, whatever takes its place."""
    found = compare(
        ["x y", "y z"] * 20, {"none": ["xy", "yz"] * 20, "half": ["x y", "yz"] * 20}, text_format="words", margin=0.9,
        scores="boundary_noedge", primary="boundary_noedge_precision", zero_division=zero_division,
    )  # fmt: skip
    difference = found.differences["half"]["boundary_noedge_precision"]
    assert (difference.verdict, difference.against_margin) == ("undefined", "undefined")


@pytest.mark.filterwarnings("default::UserWarning")
def test_a_score_that_is_undefined_for_any_system_is_warned_of() -> None:
    references = ["x y", "y z"] * 20
    systems = {"baseline": ["x y", "yz"] * 20, "unsegmented": ["xy", "yz"] * 20}
    with pytest.warns(UserWarning, match=r"^undefined \(0/0\), and so 0\.0: boundary_noedge_precision\."):
        compare(references, systems, text_format="words", scores="boundary_noedge")


@pytest.mark.parametrize("clusters", [None, [at // 3 for at in range(80)]], ids=["utterances", "clusters"])
@pytest.mark.parametrize("average", ["micro", "macro"])
@pytest.mark.filterwarnings("ignore:.*could not be scored:UserWarning")
def test_an_utterance_that_one_system_skips_is_compared_in_no_system(average: str, clusters: list[int] | None) -> None:
    references = words_text(REFERENCE)
    systems = {name: words_text(SYSTEMS[name]) for name in ("random", "units")}
    systems["random"][3] = "xx"
    systems["units"][5] = systems["units"][7] = "xx"
    options: dict[str, Any] = {"text_format": "words", "average": average, "seed": 4}
    found = compare(references, systems, on_error="skip", clusters=clusters, **options)
    kept = [index for index in range(len(references)) if index not in {3, 5, 7}]
    expected = compare(
        [references[index] for index in kept],
        {name: [words_text(SYSTEMS[name])[index] for index in kept] for name in systems},
        clusters=clusters and [clusters[index] for index in kept],
        **options,
    )
    assert (found.utterances, found.skipped) == (77, {"random": 1, "units": 2})
    assert (expected.utterances, expected.skipped) == (77, {"random": 0, "units": 0})
    for key in DEFAULT_KEYS:
        for name in systems:
            assert found.scores[name][key] == expected.scores[name][key]
            assert found.intervals[name][key] == pytest.approx(expected.intervals[name][key], rel=1e-12)
        left, right = (list(asdict(each.differences["units"][key]).values())[:-2] for each in (found, expected))
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
        ({"references": [[1, 0]], "systems": {"a": [[1, 1]], "b": [[1, 0]]}}, TypeError, "lists of integers without id2label"),
        ({"references": ["abc"], "systems": {"a": ["abc"], "b": ["a bc"]}}, ValueError, "needs at least two utterances"),
        ({"confidence": None}, TypeError, "confidence: expected a number between 0 and 1, .*received None. The tests need"),
        ({"score": "token"}, TypeError, "unknown option 'score'"),
        ({"n_resamples": 5}, ValueError, 'n_resamples: it is for percentile intervals: add interval_method="percentile"'),
        ({"scores": "token", "primary": "pk"}, ValueError,
         "primary: pk is of the group windows, which is not scored: add windows to scores"),
        ({"on_error": "skip", "scores": "skipped_utterances"}, ValueError, "is a count, which no test compares"),
        ({"scores": ["token", "unit_error"], "primary": "skipped_utterances"}, ValueError,
         "primary=.* a count, which no test compares"),
        ({"vocabulary": ["a"], "scores": "oov_rate"}, ValueError, "oov_rate.*the reference alone.*name at least one other score"),
        *(({"margin": value}, ValueError, f"^margin: expected a positive number such as 0.005, received {value}")
          for value in (0, math.nan)),
        ({"margin": "0.1"}, TypeError, "^margin: expected a positive number such as 0.005, received '0.1'"),
        ({"margin": 1.0}, ValueError, r"^margin=1\.0: token_fscore is a share, .*in percent\? Then pass 0\.01"),
        ({"margin": 5, "primary": "word_error_rate", "scores": "word_error"}, ValueError, "^margin=5.0: .* Then pass 0.05"),
        *(({"n_trials": value}, (TypeError, ValueError), f"n_trials: expected an integer from 1 to 1000000, received {value}")
          for value in (0, 10**12, 10.0, True)),
        ({"systems": {"a": runs(["abc", "de"], ["abx", "de"]), "b": ["abc", "de"]}}, ValueError, "'a', run 2: .*utterance 0"),
        ({"systems": {"a": runs(["abc", "de"], ["abc"]), "b": ["abc", "de"]}}, ValueError, "'a', run 2: .*2 references and 1"),
        ({"systems": {"a": runs(["abc", "de"], ["a bc", "de"]), "b": ["abc", "de"]}, "interval_method": "percentile"},
         ValueError, 'interval_method="percentile": it has no variance of runs'),
    ],
)  # fmt: skip
def test_bad_input(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    given: dict[str, Any] = {
        "references": ["ab c", "de"],
        "systems": {"a": ["a bc", "de"], "b": ["abc", "d e"]},
        "text_format": "words",
    } | arguments
    sides = given.pop("references"), given.pop("systems")
    for call in (compare, partial(compare_by, by=["x"] * len(sides[0]))):
        with pytest.raises(error, match=message):
            call(*sides, **given)


@pytest.mark.filterwarnings("ignore:.* have the same counts:UserWarning")
@pytest.mark.parametrize(
    "options", [{"scores": "boundary_edit_distance", "margin": 2}, {"scores": "token", "margin": 0.99}]
)
def test_a_margin_is_below_1_or_of_edits(options: dict[str, Any]) -> None:
    systems = {name: ["ab c d", "abc d", "ab cd"] * 4 for name in "ab"}
    found = compare(["ab c d"] * 12, systems, text_format="words", **options)
    assert found.differences["b"][found.primary].against_margin == "equivalent"


def test_only_the_score_that_decides_has_marks_ranks_and_verdicts() -> None:
    found = compared(["random", "units", "perfect"], scores=["token", "word_error"], margin=0.02)
    for key in found.keys:
        decides = key == "token_fscore"
        for name in found.scores:
            mark = "best" if name == "perfect" else "tied" if name in found.not_worse() else ""
            assert found.mark(key, name) == (mark if decides else "")
        for each in found.differences.values():
            assert bool(each[key].verdict) == bool(each[key].against_margin) == decides
    frame = found.to_frame().set_index(["score", "system"])
    for name, (first, last) in found.ranks().items():
        row = frame.loc[("token_fscore", name)]
        assert (row["rank_first"], row["rank_last"], row["best"]) == (first, last, name == "perfect")
        assert row["not_worse"] == (name == "perfect" or name in found.not_worse())
    assert frame.loc["word_error_rate", "rank_first"].isna().all()
    found = compared(["random", "units", "perfect"], scores=["token", "word_error"], primary="word_error_rate")
    verdicts = {name: each["word_error_rate"].verdict for name, each in found.differences.items()}
    assert verdicts == {"perfect": "better", "units": "worse"}


@pytest.mark.parametrize(
    ("p_value", "difference", "key", "verdict"),
    [
        (0.05, 0.1, "token_fscore", "better"),
        (0.05, -0.1, "token_fscore", "worse"),
        (0.05, -0.1, "word_error_rate", "better"),
        (0.0501, 0.1, "token_fscore", "not distinguishable"),
        (math.nan, 0.1, "token_fscore", "undefined"),
    ],
)
def test_the_one_rule_of_verdict(p_value: float, difference: float, key: str, verdict: str) -> None:
    assert verdict_of(key, 0.5 + difference, 0.5, p_value, 0.95) == verdict


#: Of 100 units 25 differ, so that the reach is 1.2 times t · SE.
_T = float(stats.t.ppf(0.975, 99))


@pytest.mark.parametrize(
    ("better", "low", "high", "expected"),
    [
        ("higher", -0.01, 0.01, "equivalent"), ("higher", -0.01, 0.03, "not inferior"),
        ("higher", -0.03, 0.01, "inconclusive"), ("higher", -0.05, -0.03, "inferior"),
        ("lower", -0.03, 0.01, "not inferior"), ("lower", 0.03, 0.05, "inferior"),
        ("near 0", -0.01, 0.01, "equivalent"), ("near 0", -0.01, 0.05, "inconclusive"),
        ("higher", math.nan, math.nan, "undefined"),
    ],
)  # fmt: skip
def test_a_margin_is_compared_with_the_wider_interval(better: str, low: float, high: float, expected: str) -> None:
    found = Estimate((low + high) / 2, (high - low) / 2 / 1.2 / _T, 99, 100)
    assert found.against_margin(0.02, 0.95, 25, better, 1.0) == expected
    assert replace(found, error=math.nan).against_margin(0.02, 0.95, 5, better, 1.0) == "undefined"


@pytest.mark.parametrize(("differing", "units", "margin", "expected"), [
    (0, 73, 0.05, "equivalent"), (0, 71, 0.05, "inconclusive"), (0, 2, 0.5, "inconclusive"), (0, 736, 0.005, "equivalent"),
    # Clopper & Pearson's interval of 9 of 100 ends at .1640.
    (9, 100, 0.165, "equivalent"), (9, 100, 0.163, "inconclusive"),
])  # fmt: skip
def test_only_the_share_of_few_differing_units_is_bounded(
    differing: int, units: int, margin: float, expected: str
) -> None:
    assert Estimate(0.0, 1e-6, 1.0, units).against_margin(margin, 0.95, differing, "higher", 1.0) == expected
    if expected == "inconclusive":
        assert Estimate(-0.9, 1e-6, 1.0, units).against_margin(margin, 0.95, differing, "higher", 1.0) == expected


def test_units_are_won_tied_and_lost() -> None:
    references = ["a b c"] * 10 + ["d e f"] * 10
    systems = {"old": ["a bc"] * 10 + ["d e f"] * 10}
    systems["new"] = ["a b c"] * 7 + ["abc"] * 3 + ["d e f"] * 5 + ["def"] * 5

    def of(*names: str, **options: Any) -> SystemComparison:
        given = {name: systems[name] for name in names}
        return compare(references, given, text_format="words", scores=["token", "type", "word_error"], **options)

    found = of("old", "new")
    for key in ("token_fscore", "type_recall", "word_error_rate"):
        difference = found.differences["new"][key]
        assert (difference.won, difference.tied, difference.lost) == (7, 5, 8), key
    assert "7–5–8" in str(found)
    turned = of("new", "old").differences["old"]["token_recall"]
    assert (turned.won, turned.lost) == (8, 7)
    assert of("old", "new", clusters=[at // 5 for at in range(20)]).differences["new"]["token_fscore"].won == 2


def normal_runs(seed: int, runs_of: Sequence[int], units: int = 40) -> list[tuple[np.ndarray, np.ndarray]]:
    """Scores and delete-one values of runs: means over units, with effects of units, of runs and of both."""
    source = np.random.default_rng(seed)
    systems = []
    for count in runs_of:
        values = source.normal(0, 1, units) + source.normal(0, 0.2, (count, 1)) + source.normal(0, 0.5, (count, units))
        without = (values.sum(axis=1, keepdims=True) - values) / (units - 1)
        systems.append((values.mean(axis=1), without))
    return systems


@pytest.mark.parametrize("runs_of", [(3, 2), (5, 1), (1, 1), (4,)])
def test_the_error_of_runs_equals_crossed_random_effects(runs_of: tuple[int, ...]) -> None:
    """By loops: V = V(units) + s²/R − V(both), at least each of the first two, with Satterthwaite's degrees of freedom."""
    systems = normal_runs(sum(runs_of), runs_of)
    signs = [1, -1][: len(systems)]
    found = Estimate.of([Term(sign, *each) for sign, each in zip(signs, systems, strict=True)], 40)
    means = [each.mean(axis=0) for _, each in systems]
    total = [sum(sign * mean[at] for sign, mean in zip(signs, means, strict=True)) for at in range(40)]
    error, freedom = naive_error(total)
    of_runs, both, weight = 0.0, 0.0, error**4 / freedom
    for (scores, each), mean in zip(systems, means, strict=True):
        count = len(scores)
        if count > 1:
            of_run = statistics.variance(scores.tolist()) / count
            of_runs, weight = of_runs + of_run, weight + of_run**2 / (count - 1)
            both += sum(naive_error((row - mean).tolist())[0] ** 2 for row in each) / (count * (count - 1))
    variance = max(error**2 + of_runs - both, error**2, of_runs)
    assert found.value == pytest.approx(
        sum(sign * statistics.fmean(scores) for sign, (scores, _) in zip(signs, systems, strict=True))
    )
    assert (found.error, found.freedom) == pytest.approx((math.sqrt(variance), variance**2 / weight))


def test_runs_are_one_system() -> None:
    references = words_text(REFERENCE)
    first, second = (words_text(SYSTEMS[name]) for name in ("random", "units"))
    found = compare(
        references, {"a": runs(first, second), "b": references}, text_format="words", scores=["token", "type"]
    )
    alone = [score(references, side, text_format="words", scores=["token", "type"]) for side in (first, second)]
    for key, value in found.scores["a"].items():
        assert value == pytest.approx((alone[0][key] + alone[1][key]) / 2, rel=1e-12)
    assert (found.runs, found.trials, found.signed) == ({"a": 2, "b": 1}, 0, {"runs": "2+1"})
    difference = found.differences["b"]["token_fscore"]
    assert (difference.won, difference.p_value) == (None, difference.p_corrected)
    assert "means over runs: 2 of a, 1 of b (of a system with 1 run, the tests hold for this run only)" in str(found)
    one = compare(references, {"a": runs(first), "b": references}, text_format="words", scores="token", n_trials=99)
    assert one == compare(references, {"a": first, "b": references}, text_format="words", scores="token", n_trials=99)
    assert "one run of each system: the tests hold for these runs only" in str(one)


def test_no_runs_are_an_error() -> None:
    with pytest.raises(ValueError, match="runs: expected the predictions of at least one run, received none"):
        runs()


def test_a_difference_is_within_its_interval_whatever_the_range_of_the_score() -> None:
    for difference in compared(["random", "units"], scores=["rand", "agreement"]).differences["units"].values():
        assert difference.low < difference.difference < difference.high


def test_the_detectable_difference_follows_from_the_error() -> None:
    found = compared(["random", "units"], scores="token").differences["units"]["token_fscore"]
    rest = [
        naive_scores(*([side[at] for at in range(80) if at != left] for side in (REFERENCE, system)))["token_fscore"]
        for system in (RANDOM, UNITS)
        for left in range(80)
    ]
    error, freedom = naive_error([after - before for before, after in zip(rest[:80], rest[80:], strict=True)])
    assert found.detectable == pytest.approx((stats.t.ppf(0.975, freedom) + stats.t.ppf(0.8, freedom)) * error)
    few = compare(["a b"] * 6, {"a": ["ab", "a b"] * 3, "b": ["a b"] * 6}, text_format="words", scores="token")
    assert math.isnan(few.differences["b"]["token_fscore"].detectable)


@pytest.mark.filterwarnings("ignore:.* have the same counts:UserWarning")
@pytest.mark.parametrize("zero_division", [0.0, 0.5, 1.0, math.nan])
def test_an_undefined_score_is_never_the_best_whatever_its_value(zero_division: float) -> None:
    """The first system has no inner boundary. Of the other two, the second has fewer wrong ones."""
    references = ["ab cd e", "fg hi", "k lm"] * 8
    nothing = [text.replace(" ", "") for text in references]
    good = [*references[:-1], "k l m"]
    bad = [text.replace("ab", "a b").replace("hi", "h i") for text in references]
    options: dict[str, Any] = {"text_format": "words", "scores": "boundary_noedge", "zero_division": zero_division}
    key = "boundary_noedge_precision"
    found = compare(references, {"nothing": nothing, "good": good, "bad": bad}, primary=key, **options)
    assert found.undefined["nothing"] == [key]
    assert [found.mark(key, system) for system in found.scores] == ["", "best", ""]
    assert (found.best(key), found.not_worse()) == ("good", ["good"])
    assert found.ranks() == {"good": (1, 1), "bad": (2, 2)}
    # With 1 for 0/0, both have the same value.
    perfect = compare(references, {"nothing": nothing, "perfect": references}, primary=key, **options)
    assert [perfect.mark(key, system) for system in perfect.scores] == ["", "best"]
    alone = compare(references, {"nothing": nothing, "again": nothing}, primary=key, **options)
    assert (alone.best(key), alone.not_worse(), alone.ranks()) == (None, [], {})


def test_exact_trials_that_are_too_few_are_warned_of() -> None:
    references, first = random_corpus_pair(5, seed=11, units="abc")
    systems = {"a": words_text(first), "b": words_text(references)}
    with pytest.warns(UserWarning, match=r"significant at 0\.05: 5 utterances are too few for a p-value below 0\.062"):
        compare(words_text(references), systems, text_format="words", scores="token")


def test_holm_that_cannot_reach_the_level_is_warned_of() -> None:
    with pytest.warns(UserWarning, match=r"take n_trials=79 or more, and Holm's correction multiplies it by up to 4"):
        compared(["near", "perfect", "random", "units", "whole"], scores="token", n_trials=78)
    compared(["near", "perfect", "random", "units", "whole"], scores="token", n_trials=79)


def test_no_more_trials_are_asked_for_than_reach_the_level() -> None:
    # 1/(1 + 9) is 0.1, and in floating point 1 / (1 - 0.9) is a little more than 10.
    with pytest.warns(UserWarning, match=r"take n_trials=9 or more"):
        compared(["random", "perfect"], scores="token", confidence=0.9, n_trials=8)
    compared(["random", "perfect"], scores="token", confidence=0.9, n_trials=9)


@pytest.mark.parametrize("average", ["micro", "macro"])
def test_a_difference_equals_the_scores_to_the_last_digit(average: str) -> None:
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


def test_systems_with_and_without_the_units_of_the_reference_are_not_compared() -> None:
    systems = {"a": ["a b WORD_BOUNDARY c", "a"], "b": [["ab", "c"], ["a"]]}
    message = r"^system 'a' has the units of the references, and system 'b' has words without units"
    with pytest.raises(ValueError, match=message):
        compare(systems["a"], systems, prediction_format="units")
