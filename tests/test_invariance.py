"""What every score group must keep to, whatever the corpus.

The registry below says of each group of `scores.GROUPS` which invariances it has; a group without an entry fails.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st
from segscores import score
from segscores.inputs import read_pair
from segscores.scores import DEFAULT_SCORES, GROUPS, ScoreGroup
from segscores.scoring import Options, score_tally, tally_columns
from segscores.tally import Tally

from .naive import (
    FORMS,
    Corpus,
    Word,
    corpus_pairs,
    naive_dictionary_scores,
    naive_scores,
    random_corpus_pair,
    units_text,
)

Pair = tuple[list[list[Word]], list[list[Word]]]
Check = Callable[[ScoreGroup, Pair, random.Random], None]


# What a group is scored with besides the sides: segments of the units that the corpora below have.
SEGMENTS = ["a", "b", "狗", "a b", "b a", "a b a", "狗 狗", "b 狗 a 狗"]
ACCEPTABLE = ["b", "b a", "狗 狗"]
OPTIONS: Mapping[str, dict[str, Any]] = {"dictionary": {"dictionary": SEGMENTS, "acceptable": ACCEPTABLE}}


def options_of(group: ScoreGroup, zero_division: float = 0.0) -> dict[str, Any]:
    return {"scores": group.name, "zero_division": zero_division, **OPTIONS.get(group.name, {})}


def tally_of(group: ScoreGroup, references: Corpus, predictions: Corpus) -> Tally:
    columns = read_pair(units_text(references), units_text(predictions))
    return tally_columns(*columns, Options(**options_of(group)))


def scores_of(
    group: ScoreGroup, references: Corpus, predictions: Corpus, zero_division: float = 0.0
) -> dict[str, float]:
    return score(units_text(references), units_text(predictions), **options_of(group, zero_division))


def naive_of(group: ScoreGroup, pair: Pair, zero_division: float) -> dict[str, float]:
    if group.name == "dictionary":
        segments, acceptable = ([segment.split() for segment in listed] for listed in (SEGMENTS, ACCEPTABLE))
        return naive_dictionary_scores(*pair, segments, acceptable, zero_division)
    naive = naive_scores(*pair, zero_division)
    return {key: naive[key] for key in group.keys}


def agrees_with_naive(group: ScoreGroup, pair: Pair, _: random.Random) -> None:
    for zero_division in (0.0, 1.0):
        found, expected = scores_of(group, *pair, zero_division), naive_of(group, pair, zero_division)
        assert found == expected, f"{group.name} disagrees with the naive scorer"


def perfect_on_itself(group: ScoreGroup, pair: Pair, _: random.Random) -> None:
    for side in pair:
        found = scores_of(group, side, side, zero_division=1.0)
        assert found == dict.fromkeys(group.keys, 1.0), f"{group.name} is not perfect on a corpus against itself"


COUNTERPARTS = {"precision": "recall", "recall": "precision", "tpr": "ppv", "ppv": "tpr", "tnr": "npv", "npv": "tnr"}


def swaps_with_the_sides(group: ScoreGroup, pair: Pair, _: random.Random) -> None:
    forward, backward = scores_of(group, *pair), scores_of(group, *pair[::-1])
    for key, value in forward.items():
        name, kind = key.rsplit("_", 1)
        swapped = backward[f"{name}_{COUNTERPARTS.get(kind, kind)}"]
        assert value == swapped, f"{group.name} does not swap with its sides"


def ignores_the_order(group: ScoreGroup, pair: Pair, source: random.Random) -> None:
    order = source.sample(range(len(pair[0])), len(pair[0]))
    shuffled = [[side[index] for index in order] for side in pair]
    assert scores_of(group, *shuffled) == scores_of(group, *pair), f"{group.name} depends on the order of utterances"


def adds_up(group: ScoreGroup, pair: Pair, source: random.Random) -> None:
    whole, shards = Tally(), [[], [], []]  # type: ignore[var-annotated]
    for utterances in zip(*pair, strict=True):
        source.choice(shards).append(utterances)
    for shard in shards:
        if shard:
            whole.update(tally_of(group, [left for left, _ in shard], [right for _, right in shard]))
    message = f"the shards of {group.name} do not add up to the whole"
    assert whole.totals() == tally_of(group, *pair).totals(), message
    assert score_tally(whole, Options(**options_of(group))) == scores_of(group, *pair), message


def stays_in_range(group: ScoreGroup, pair: Pair, _: random.Random) -> None:
    for value in scores_of(group, *pair, zero_division=math.nan).values():
        assert math.isnan(value) or 0.0 <= value <= 1.0, f"{group.name} leaves its range"


def is_undefined_only_for_want_of_counts(group: ScoreGroup, pair: Pair, _: random.Random) -> None:
    naive = naive_of(group, pair, math.nan)
    undefined = {key for key, value in scores_of(group, *pair, zero_division=math.nan).items() if math.isnan(value)}
    assert undefined == {key for key in group.keys if math.isnan(naive[key])}, f"{group.name} is undefined elsewhere"


def keeps_when_doubled(group: ScoreGroup, pair: Pair, _: random.Random) -> None:
    references, predictions = pair
    doubled = scores_of(group, references * 2, predictions * 2)
    assert doubled == scores_of(group, *pair), f"{group.name} changes when the corpus is doubled"


def counts_double(group: ScoreGroup, pair: Pair, _: random.Random) -> None:
    once, twice = (tally_of(group, *(side * times for side in pair)).totals() for times in (1, 2))
    assert twice == {column: 2 * count for column, count in once.items()}, f"a count of {group.name} does not add up"


def ignores_blank_utterances(group: ScoreGroup, pair: Pair, source: random.Random) -> None:
    at = source.randrange(len(pair[0]) + 1)
    longer = [[*side[:at], [], *side[at:]] for side in pair]
    assert scores_of(group, *longer) == scores_of(group, *pair), f"{group.name} counts blank utterances"


def ignores_what_the_units_are(group: ScoreGroup, pair: Pair, _: random.Random) -> None:
    units = sorted({unit for utterance in pair[0] for word in utterance for unit in word})
    renamed = {unit: chr(0x4E00 + index) * (index % 3 + 1) for index, unit in enumerate(units)}
    translated = [[[tuple(renamed[unit] for unit in word) for word in words] for words in side] for side in pair]
    assert scores_of(group, *translated) == scores_of(group, *pair), f"{group.name} depends on what the units are"


COMMON: tuple[Check, ...] = (
    agrees_with_naive,
    perfect_on_itself,
    ignores_the_order,
    adds_up,
    stays_in_range,
    is_undefined_only_for_want_of_counts,
    keeps_when_doubled,
    ignores_blank_utterances,
)
#: Counts of types do not double with the corpus, the true negative rate has no counterpart to swap with, and a dictionary
#: names units.
INVARIANCES: Mapping[str, tuple[Check, ...]] = {
    "boundary_all": (*COMMON, ignores_what_the_units_are, swaps_with_the_sides, counts_double),
    "boundary_noedge": (*COMMON, ignores_what_the_units_are, swaps_with_the_sides, counts_double),
    "token": (*COMMON, ignores_what_the_units_are, swaps_with_the_sides, counts_double),
    "type": (*COMMON, ignores_what_the_units_are, swaps_with_the_sides),
    "tnr": (*COMMON, ignores_what_the_units_are, counts_double),
    "dictionary": (*COMMON, swaps_with_the_sides, counts_double),
}

CASES = [
    pytest.param(name, check, id=f"{name}-{check.__name__}") for name, checks in INVARIANCES.items() for check in checks
]
# Few units, so that words recur.
pairs = corpus_pairs(st.sampled_from(["a", "b", "狗", "\x01"]))
randoms = st.randoms(use_true_random=False)


def unregistered(groups: Mapping[str, object]) -> set[str]:
    return set(groups) ^ set(INVARIANCES)


def test_every_score_group_has_its_invariances_in_the_registry() -> None:
    assert unregistered(GROUPS) == set()


def test_a_new_score_group_would_be_missed_in_the_registry() -> None:
    assert unregistered({**GROUPS, "new": GROUPS["token"]}) == {"new"}


@pytest.mark.parametrize(("name", "check"), CASES)
@settings(max_examples=25)
@given(pair=pairs, source=randoms)
@example(pair=([[]], [[]]), source=random.Random(0))
@example(pair=([[("a",)]], [[("a",)]]), source=random.Random(0))
def test_invariance(name: str, check: Check, pair: Pair, source: random.Random) -> None:
    check(GROUPS[name], pair, source)


@pytest.mark.parametrize(("name", "check"), CASES)
def test_invariance_on_a_larger_corpus(name: str, check: Check) -> None:
    check(GROUPS[name], random_corpus_pair(500, seed=1999), random.Random(1999))


@pytest.mark.parametrize("form", FORMS)
def test_all_forms_give_the_same_scores(form: str) -> None:
    pair = random_corpus_pair(200, seed=34)
    found = score(*map(FORMS[form].write, pair), **FORMS[form].options)
    for name in DEFAULT_SCORES:
        if FORMS[form].has_words or not GROUPS[name].needs_words:
            group_scores = scores_of(GROUPS[name], *pair)
            assert {key: found[key] for key in group_scores} == group_scores


def swapped(name: str) -> ScoreGroup:
    group = GROUPS[name]
    precision, recall, fscore = group.keys

    def formulas(counts: Any, zero_division: float) -> dict[str, Any]:
        right = group.formulas(counts, zero_division)
        return {precision: right[recall], recall: right[precision], fscore: right[fscore]}

    return replace(group, formulas=formulas)


def averaged(name: str) -> ScoreGroup:
    group = GROUPS[name]
    precision, recall, fscore = group.keys

    def formulas(counts: Any, zero_division: float) -> dict[str, Any]:
        right = group.formulas(counts, zero_division)
        return {**right, fscore: (right[precision] + right[recall]) / 2}

    return replace(group, formulas=formulas)


def off_by_one(name: str, column: str) -> ScoreGroup:
    """A tally that counts a blank utterance too."""
    group = GROUPS[name]

    def tally(comparison: Any) -> dict[str, Any]:
        columns = group.tally(comparison)
        return {**columns, column: columns[column] + (comparison.utterance_reference == 0)}

    return replace(group, tally=tally)


def negatives_of_predictions() -> ScoreGroup:
    """The true negative rate with PP in the place of RP."""

    def formulas(counts: Any, zero_division: float) -> dict[str, Any]:
        return GROUPS_TNR.formulas({**counts, "token_reference": counts["token_predicted"]}, zero_division)

    return replace(GROUPS_TNR, formulas=formulas)


GROUPS_TNR = GROUPS["tnr"]
WRONG = {
    "precision_and_recall_swapped": lambda: swapped("token"),
    "arithmetic_mean": lambda: averaged("type"),
    "edges_of_blank_utterances": lambda: off_by_one("boundary_all", "boundary_all_predicted"),
    "matches_in_blank_utterances": lambda: off_by_one("boundary_noedge", "boundary_noedge_matched"),
    "edges_not_left_out": lambda: replace(GROUPS["boundary_noedge"], tally=edges_as_inner),
    "tnr_of_predictions": negatives_of_predictions,
}


def edges_as_inner(comparison: Any) -> dict[str, Any]:
    columns = GROUPS["boundary_all"].tally(comparison)
    return {column.replace("_all_", "_noedge_"): values for column, values in columns.items()}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_group_is_caught_by_the_naive_scorer(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    group = WRONG[wrong]()
    monkeypatch.setitem(GROUPS, group.name, group)

    @settings(database=None, report_multiple_bugs=False, phases=[Phase.generate])
    @given(pair=pairs, source=randoms)
    def search(pair: Pair, source: random.Random) -> None:
        agrees_with_naive(group, pair, source)

    with pytest.raises(AssertionError, match=f"^{group.name} disagrees with the naive scorer"):
        search()


@pytest.mark.parametrize(
    ("check", "broken"),
    [
        (swaps_with_the_sides, {"token_predicted": lambda columns: columns["token_predicted"] * 2}),
        (stays_in_range, {"token_matched": lambda columns: columns["token_matched"] * 9}),
        (perfect_on_itself, {"token_matched": lambda columns: columns["token_matched"] // 2}),
        (ignores_the_order, {"token_matched": lambda columns: columns["token_matched"] * range(len(columns["token_matched"]))}),
        (adds_up, {"token_matched": lambda columns: columns["token_matched"] * len(columns["token_matched"])}),
        (counts_double, {"token_matched": lambda columns: columns["token_matched"] * len(columns["token_matched"])}),
        (keeps_when_doubled, {"token_matched": lambda columns: columns["token_matched"] * len(columns["token_matched"])}),
        (ignores_blank_utterances, {"token_matched": lambda columns: columns["token_matched"] + 1}),
        (is_undefined_only_for_want_of_counts, {"token_reference": lambda columns: columns["token_reference"] + 1}),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)  # fmt: skip
def test_each_check_catches_a_tally_that_breaks_it(
    check: Check, broken: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    right = GROUPS["token"]

    def tally(comparison: Any) -> dict[str, Any]:
        columns = right.tally(comparison)
        return {**columns, **{column: change(columns) for column, change in broken.items()}}

    group = replace(right, tally=tally)
    monkeypatch.setitem(GROUPS, "token", group)

    @settings(database=None, report_multiple_bugs=False, phases=[Phase.generate])
    @given(pair=pairs, source=randoms)
    def search(pair: Pair, source: random.Random) -> None:
        check(group, pair, source)

    with pytest.raises(AssertionError, match="token"):
        search()
