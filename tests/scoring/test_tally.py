"""Tallies and lexicons of parts add up to those of the whole."""

from __future__ import annotations

import pickle
import random
from itertools import pairwise

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscores.kernel.comparison import compare
from segscores.kernel.lexicon import Lexicon
from segscores.measures.registry import GROUPS
from segscores.reading.inputs import TEXT
from segscores.reading.readers import from_words_text, lines
from segscores.scoring.options import Plan
from segscores.scoring.pipeline import tally_columns
from segscores.scoring.tally import Tally, tally_comparison

from ..naive import GROUP_OPTIONS, Corpus, corpus_pairs, naive_counts, words_text

few_characters = st.sampled_from("ab狗")
words = st.lists(st.text(few_characters, min_size=1, max_size=3), max_size=12)
PLAN = Plan.of(text_format="words")


def lexicon_of(strings: list[str]) -> Lexicon:
    return Lexicon(pa.array([string.encode() for string in strings], pa.large_binary()))


def in_order(strings: list[str]) -> list[bytes]:
    return sorted({string.encode() for string in strings})


def tally_of(references: Corpus, predictions: Corpus) -> Tally:
    sides = (from_words_text(lines(pa.array(words_text(corpus), TEXT))) for corpus in (references, predictions))
    return tally_comparison(compare(*sides), None, PLAN)


def merged(tallies: list[Tally]) -> Tally:
    whole = Tally()
    for tally in tallies:
        whole.update(tally)
    return whole


@given(words, words)
def test_a_lexicon_is_the_set_of_its_words(left: list[str], right: list[str]) -> None:
    first, second = lexicon_of(left), lexicon_of(right)
    assert len(first) == len(set(left))
    assert sorted(first.types.to_pylist()) == in_order(left)
    assert first.count_shared(second) == second.count_shared(first) == len(set(left) & set(right))
    assert first.count_shared(first) == len(first)


@given(parts=st.lists(words, max_size=6), other=words)
def test_lexicons_of_parts_merge_to_that_of_the_whole(parts: list[list[str]], other: list[str]) -> None:
    whole = Lexicon()
    for part in parts:
        whole.update(lexicon_of(part))
    every = [word for part in parts for word in part]
    assert sorted(whole.types.to_pylist()) == in_order(every)
    assert whole.count_shared(lexicon_of(other)) == len(set(every) & set(other))


def test_an_empty_lexicon_has_no_type() -> None:
    empty = Lexicon()
    assert len(empty) == 0
    assert sorted(empty.types.to_pylist()) == []
    assert empty.count_shared(lexicon_of(["a"])) == lexicon_of(["a"]).count_shared(empty) == 0


def test_updating_a_lexicon_leaves_the_other_and_may_be_with_itself() -> None:
    left, right = lexicon_of(["a", "b"]), lexicon_of(["b", "c"])
    left.update(right)
    left.update(left)
    assert sorted(left.types.to_pylist()) == [b"a", b"b", b"c"]
    assert sorted(right.types.to_pylist()) == [b"b", b"c"]


def test_words_of_other_bytes_are_other_types() -> None:
    look_alikes = ["é", "e\u0301", "е", "e", "e\u200b", "E"]
    assert len(lexicon_of(look_alikes)) == len(look_alikes)


@given(corpus_pairs(few_characters, max_utterances=8), st.lists(st.integers(0, 8), max_size=3))
def test_tallies_of_parts_add_up_to_that_of_the_whole(pair: tuple[Corpus, Corpus], cuts: list[int]) -> None:
    edges = [0, *sorted(cuts), len(pair[0])]
    parts = [tally_of(*(side[start:stop] for side in pair)) for start, stop in pairwise(edges)]
    expected = naive_counts(*pair)
    assert merged(parts).totals() == expected
    assert merged(parts[::-1]).totals() == expected
    # By twos and then together, as processes would.
    pairs = [merged(parts[start : start + 2]) for start in range(0, len(parts), 2)]
    assert merged(pairs).totals() == expected


def test_updating_a_tally_leaves_the_other() -> None:
    left, right = tally_of([["ab"]], [["a", "b"]]), tally_of([["c"]], [["c"]])
    before = left.totals(), right.totals()
    merged([left, right])
    whole = Tally()
    whole.update(left)
    whole.update(right)
    whole.update(right)
    assert (left.totals(), right.totals()) == before
    assert whole.totals() == naive_counts([["ab"], ["c"], ["c"]], [["a", "b"], ["c"], ["c"]])


def test_a_copy_of_a_tally_grows_apart_from_it() -> None:
    first = tally_of([["a", "b"]], [["a", "b"]])
    second = first.copy()
    first.update(tally_of([["c"]], [["c"]]))
    assert second.totals() == naive_counts([["a", "b"]], [["a", "b"]])
    assert first.totals() == naive_counts([["a", "b"], ["c"]], [["a", "b"], ["c"]])


def test_a_lexicon_that_was_gathered_already_gives_the_same_tally() -> None:
    reference, prediction = from_words_text(b"a b a\n\n"), from_words_text(b"ab a\n\n")
    comparison = compare(reference, prediction)
    given_lexicon = tally_comparison(comparison, None, PLAN, reference_lexicon=Lexicon(reference.words()))
    assert given_lexicon.totals() == tally_comparison(comparison, None, PLAN).totals()


@pytest.mark.parametrize("name", GROUPS)
def test_only_the_counts_of_selected_groups_are_computed(name: str) -> None:
    group = GROUPS[name]
    segmentation = from_words_text(b"a b\n")
    plan = Plan.of(scores=name, **GROUP_OPTIONS.get(name, {}))
    tally = tally_comparison(compare(segmentation, segmentation), None, plan)
    assert set(tally.totals()) == {"utterances", "units", *group.columns}
    assert (tally.reference_lexicon is None) is not group.needs_words
    assert (tally.prediction_lexicon is None) is not group.needs_words


def tally_mismatched(pairs: list[tuple[str, str]], rule: str, scores: str) -> Tally:
    options = {key: value for name in GROUPS for key, value in GROUP_OPTIONS.get(name, {}).items()}
    chosen = options if scores == "all" else GROUP_OPTIONS.get(scores, {})
    plan = Plan.of(text_format="words", on_mismatch=rule, scores=scores, **chosen)
    return tally_columns(*(pa.chunked_array([pa.array(side, TEXT)]) for side in zip(*pairs, strict=True)), plan)


@pytest.mark.parametrize("rule", ["skip", "align"])
@pytest.mark.parametrize("name", GROUPS)
def test_where_units_differ_counts_depend_neither_on_other_utterances_nor_on_other_groups(name: str, rule: str) -> None:
    if rule == "align":
        pytest.importorskip("rapidfuzz", reason="aligning needs rapidfuzz, which the extra align brings")
    source = random.Random(4)

    def write(units: list[str]) -> str:
        return "".join(unit + " " * (source.random() < 0.4) for unit in units)

    pairs = []
    for _ in range(60):
        units = source.choices("ab狗", k=source.randrange(7))
        other = source.choice([units, units, [], units[1:], ["b", *units], [*units, "a"], source.choices("ab狗", k=4)])
        pairs.append((write(units), write(other)))
    whole = tally_mismatched(pairs, rule, name).totals()
    assert merged([tally_mismatched([pair], rule, name) for pair in pairs]).totals() == whole
    together = tally_mismatched(pairs, rule, "all").totals()
    assert {column: together[column] for column in whole} == whole


def test_counts_are_plain_integers_that_do_not_overflow() -> None:
    tally = tally_of([["ab"]], [["ab"]])
    whole = Tally(dict.fromkeys(tally.counts, 1 << 62))
    whole.update(whole)
    assert {type(count) for count in tally.totals().values()} == {int}
    assert set(whole.totals().values()) == {1 << 63}


def test_a_tally_survives_pickling_as_between_processes() -> None:
    tallies = [tally_of([["ab"], ["c"]], [["a", "b"], ["c"]]), tally_of([["c", "d"]], [["cd"]])]
    expected = naive_counts([["ab"], ["c"], ["c", "d"]], [["a", "b"], ["c"], ["cd"]])
    assert merged([pickle.loads(pickle.dumps(tally)) for tally in tallies]).totals() == expected
