"""The pipeline: every input form has the scores of plain Python, in parts of any size."""

from typing import Any

import pytest
from hypothesis import example, given, settings

from segscores import score
from segscores.scoring.measures.oov import vocabulary_of
from segscores.scoring.plan import Plan

from ..corpora import FORMS, Form, Word, corpus_pairs, expected_scores
from ..naive import DEFAULT_KEYS, naive_scores

NO_TYPES = tuple(key for key in DEFAULT_KEYS if not key.startswith("type_"))


# Words of random characters may look like anything.
@pytest.mark.filterwarnings("ignore:.* looks like ")
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@settings(max_examples=settings.default.max_examples // 2)
@given(pair=corpus_pairs())
@example(pair=([[]], [[]]))
@example(pair=([[("a",)]], [[("a",)]]))
def test_every_form_gives_the_scores_of_plain_python(
    form: Form, pair: tuple[list[list[Word]], list[list[Word]]]
) -> None:
    scores = score(form.write(pair[0]), form.write(pair[1]), **form.options)
    assert scores == expected_scores(form, naive_scores(*pair))
    assert tuple(scores) == (DEFAULT_KEYS if form.has_words else NO_TYPES)
    assert {type(value) for value in scores.values()} == {float}


def test_a_plan_is_kept_for_its_own_options_alone() -> None:
    ignored, words = ["x"], ["a"]
    for _ in range(2):
        options = {"ignored_tokens": ignored, "vocabulary": words, "scores": ["oov"]}
        plan = Plan.of(**options, zero_division=0.0)
        assert plan.reading.ignored_tokens == tuple(ignored)
        vocabulary = vocabulary_of(plan.settings)
        assert vocabulary is not None
        assert len(vocabulary.words("character")) == len(words)
        assert str(Plan.of(**options, zero_division=-0.0).zero_division) == "0.0"
        ignored.append("y")
        words.append("b")


FREQUENCIES = ["dog 17", "cat 25"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"text_format": "times", "tolerance": 6}, "milliseconds"),
        ({"ignore_words": ["digit"]}, "is read as a word"),
        ({"vocabulary": FREQUENCIES}, "^vocabulary: 2 of 2 lines"),
        ({"dictionary": FREQUENCIES}, "^dictionary: 2 of 2 lines"),
        ({"dictionary": ["a"], "acceptable": FREQUENCIES}, "^acceptable: 2 of 2 lines"),
    ],
)
def test_options_that_come_again_are_warned_of_again(options: dict[str, Any], said: str) -> None:
    for _ in range(2):
        with pytest.warns(UserWarning, match=said) as caught:
            Plan.of(**options)
        assert len(caught) == 1
