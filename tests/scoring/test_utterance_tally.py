"""Utterance tallies: their sums are the counts of the corpus, and each utterance has the scores of a corpus of its
own.
"""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscores.reading.form import read_pair
from segscores.scoring.measures.registry import GROUPS
from segscores.scoring.plan import Plan

from ..corpora import corpus_pairs, random_corpus_pair, units_text
from ..naive import naive_scores
from ..naive_groups import GROUP_OPTIONS, TEXT_GROUPS
from ..tallies import tally_columns, tally_of, tally_utterances

pairs = corpus_pairs(st.sampled_from(["a", "b", "狗", "\x01"]))


@pytest.mark.parametrize("group", TEXT_GROUPS)
def test_a_group_has_its_columns_alone(group: str) -> None:
    options = Plan.of(scores=group, **GROUP_OPTIONS.get(group, {}))
    columns = read_pair(*map(units_text, random_corpus_pair(100, seed=7, units="ab")))
    tally = tally_utterances(*columns, options)
    assert tally.totals() == tally_columns(*columns, options).totals()
    assert set(tally.totals()) == {"utterances", "units", *GROUPS[group].columns}
    assert [*tally.statistics] == [group] * (group in ("type", "token_use"))
    for values in tally.columns.values():
        assert values.shape == (100,)


@given(pair=pairs, data=st.data())
def test_any_utterances_taken_score_as_their_corpus(pair: tuple[Any, Any], data: st.DataObject) -> None:
    taken = data.draw(st.lists(st.integers(0, len(pair[0]) - 1), max_size=8))
    found = tally_of(*pair).take(np.array(taken, np.int64))
    expected = naive_scores(*([side[index] for index in taken] for side in pair))
    assert found.scores(Plan.of()) == expected


SKIPPING = {"text_format": "words", "on_error": "skip", "scores": ("token", "type")}


@pytest.mark.filterwarnings("ignore:1 of 3 utterances could not be scored:UserWarning")
def test_an_utterance_that_is_left_out_keeps_its_place_without_a_score() -> None:
    columns = read_pair(["a b", "a bc", "b c"], ["a b", "a xc", "bc"])
    options = Plan.of(**SKIPPING)  # type: ignore[arg-type]
    tally = tally_utterances(*columns, options)
    assert tally.totals() == tally_columns(*columns, options).totals()
    assert (len(tally), tally.is_scored.tolist()) == (3, [True, False, True])
    found = tally.per_utterance(["token_recall", "type_recall"], zero_division=1.0)
    for values in found.values():
        np.testing.assert_array_equal(values, [1.0, math.nan, 0.0])
    assert tally.macro(["token_recall"]) == {"token_recall": 0.5}
    assert tally.take(np.array([1, 2])).totals()["skipped_utterances"] == 1


def test_labels_have_no_types() -> None:
    columns = read_pair([[1, 0, 1]], [[1, 1, 1]])
    assert tally_utterances(*columns, Plan.of(label_scheme="start")).statistics == {}
    with pytest.raises(TypeError, match="received lists of integers without id2label"):
        tally_utterances(*columns, Plan.of())
