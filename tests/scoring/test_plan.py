"""The pipeline: every input form has the scores of plain Python, in parts of any size."""

import threading
from typing import Any

import pytest
from hypothesis import example, given

from segscores import score
from segscores.reading.inputs import read_pair
from segscores.scoring.measures.registry import groups_of
from segscores.scoring.plan import Plan

from ..corpora import (
    CHARACTER_FORMS,
    FORMS,
    Corpus,
    Form,
    Word,
    corpus_pairs,
    expected_scores,
    random_corpus_pair,
    tokens,
)
from ..naive import DEFAULT_KEYS, naive_counts, naive_scores, naive_utterance_counts
from ..tallies import compared, tally_columns

NO_TYPES = tuple(key for key in DEFAULT_KEYS if not key.startswith("type_"))


def totals_of(form: Form, references: Corpus, predictions: Corpus) -> dict[str, int]:
    columns = read_pair(form.write(references), form.write(predictions))
    return tally_columns(*columns, Plan.of(**form.options)).totals()


def expected_totals(form: Form, counts: dict[str, int]) -> dict[str, int]:
    return {column: count for column, count in counts.items() if form.has_words or not column.startswith("type_")}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
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


@pytest.mark.parametrize("form", [FORMS[name] for name in FORMS if name not in CHARACTER_FORMS])
@given(pair=corpus_pairs(tokens))
def test_units_longer_than_a_character_give_the_scores_of_plain_python(
    form: Form, pair: tuple[list[list[Word]], list[list[Word]]]
) -> None:
    assert totals_of(form, *pair) == expected_totals(form, naive_counts(*pair))


def test_many_random_pairs_each_have_the_counts_of_plain_python() -> None:
    many_pairs = random_corpus_pair(1000, seed=20_170_801)
    comparison = compared(*many_pairs, "words_text")
    tallied: dict[str, Any] = {"units": comparison.reference.utterance_units}
    for group in groups_of(NO_TYPES):
        tallied |= group.tally(comparison)
    naive = [naive_utterance_counts(*pair) for pair in zip(*many_pairs, strict=True)]
    for column in naive[0]:
        if column != "utterances":
            assert tallied[column].tolist() == [counts[column] for counts in naive], column


def test_scoring_from_several_threads_at_once_gives_each_its_own() -> None:
    pairs = [random_corpus_pair(500, seed=seed) for seed in range(8)]
    form = FORMS["words_text"]
    results: dict[int, dict[str, float]] = {}

    def run(index: int) -> None:
        results[index] = score(*map(form.write, pairs[index]), **form.options)

    threads = [threading.Thread(target=run, args=(index,)) for index in range(len(pairs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {index: naive_scores(*pair) for index, pair in enumerate(pairs)}


def test_a_plan_is_kept_for_its_own_options_alone() -> None:
    ignored, words = ["x"], ["a"]
    for _ in range(2):
        options = {"ignored_tokens": ignored, "vocabulary": words, "scores": ["oov"]}
        plan = Plan.of(**options, zero_division=0.0)
        assert plan.reading.ignored_tokens == tuple(ignored)
        assert plan.vocabulary is not None
        assert len(plan.vocabulary.words("character")) == len(words)
        assert str(Plan.of(**options, zero_division=-0.0).zero_division) == "0.0"
        ignored.append("y")
        words.append("b")
    timed = {"text_format": "times", "tolerance": 6}
    for _ in range(2):
        with pytest.warns(UserWarning, match="milliseconds"):
            Plan.of(**timed)
