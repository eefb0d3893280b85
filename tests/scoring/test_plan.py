"""The options that type checkers and editors know are those of the table, and a misspelled one is an error in both."""

from __future__ import annotations

from typing import Any

import pytest

from segscores import compare, per_utterance, score, tally
from segscores.measures.registry import GROUPS
from segscores.scoring.options import Plan


@pytest.mark.parametrize("entry", [score, tally, per_utterance], ids=lambda function: function.__name__)
def test_a_misspelled_option_suggests_the_nearest(entry: Any) -> None:
    with pytest.raises(TypeError, match=r"unknown option 'textformat'\. Did you mean 'text_format'"):
        entry(["a"], ["a"], textformat="words")
    with pytest.raises(TypeError, match="Did you mean 'text_format'"):
        compare(["a"], {"x": ["a"], "y": ["a"]}, textformat="words")


def test_all_is_every_group_whose_options_are_given() -> None:
    needed = {group.name for group in GROUPS.values() if group.needs_option}
    assert set(Plan.of(scores="all").scores) == set(GROUPS) - needed - {"unit_error"}
    assert set(Plan.of(scores="all", vocabulary=["a"]).scores) == set(GROUPS) - needed - {"unit_error"} | {"oov"}
    assert "type" not in Plan.of(scores="all", label_scheme="start").scores


def test_the_key_of_a_score_is_scored_alone() -> None:
    assert list(score(["a b"], ["a b"], text_format="words", scores="token_fscore")) == ["token_fscore"]
    with pytest.raises(ValueError, match='vocabulary: scores="oov_recall" needs it'):
        Plan.of(scores="oov_recall")
