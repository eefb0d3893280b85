"""Segmentations that are joined or selected are those of the texts that are joined or selected."""

from itertools import permutations
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscores.kernel.aligned import compare_aligned, project_boundaries
from segscores.kernel.comparison import find_mismatches
from segscores.kernel.segmentation import Segmentation, concatenate, select_utterances, select_words
from segscores.kernel.tokens import TOKEN_COUNTS, Tokens

from ..corpora import Corpus, corpus_pairs
from ..tallies import READERS

FORMS = ("words_text", "units_text", "labels")


def held(segmentation: Segmentation) -> list[Any]:
    text = segmentation.text
    arrays = segmentation.word_ends, segmentation.utterance_ends, segmentation.utterance_units
    return [None if text is None else text.tolist(), *(array.tolist() for array in arrays), segmentation.unit]


@pytest.mark.parametrize("form", FORMS)
@given(parts=st.lists(corpus_pairs().map(lambda pair: pair[0]), min_size=1, max_size=4))
def test_parts_make_the_segmentation_of_the_whole(form: str, parts: list[Corpus]) -> None:
    read = READERS[form]
    whole = [utterance for part in parts for utterance in part]
    assert held(concatenate([read(part) for part in parts])) == held(read(whole))


@pytest.mark.parametrize("form", FORMS)
@given(data=st.data(), corpus=corpus_pairs().map(lambda pair: pair[0]))
def test_chosen_utterances_make_the_segmentation_of_their_text(form: str, data: st.DataObject, corpus: Corpus) -> None:
    kept = data.draw(st.lists(st.booleans(), min_size=len(corpus), max_size=len(corpus)))
    chosen = [utterance for utterance, is_kept in zip(corpus, kept, strict=True) if is_kept]
    assert held(select_utterances(READERS[form](corpus), np.array(kept))) == held(READERS[form](chosen))


@given(corpus=corpus_pairs().map(lambda pair: pair[0]))
def test_each_word_is_in_the_utterance_that_has_it(corpus: Corpus) -> None:
    expected = [index for index, utterance in enumerate(corpus) for _ in utterance]
    assert READERS["words_text"](corpus).utterances_of_words().tolist() == expected


def test_nothing_makes_a_segmentation_without_utterances() -> None:
    assert held(concatenate([])) == [[], [], [], [], "character"]


@pytest.mark.parametrize("forms", list(permutations(FORMS, 2)), ids=" and ".join)
def test_parts_of_different_units_are_rejected(forms: tuple[str, str]) -> None:
    parts = [READERS[form]([["a", "b"]]) for form in forms]
    known = "|".join(part.unit for part in parts)
    message = rf"^mixed forms: some utterances have units of one ({known}) and some of one ({known})\.$"
    with pytest.raises(ValueError, match=message):
        concatenate(parts)


def with_columns(corpus: Corpus) -> Segmentation:
    """A corpus with columns of each kind: their rows are the words and the utterances as they are written."""
    words = ["".join(word) for utterance in corpus for word in utterance]
    sizes = np.array([len(utterance) for utterance in corpus], np.int64)
    tokens = Tokens(np.repeat(sizes[:, None], len(TOKEN_COUNTS), axis=1), np.arange(len(words)), size=0)
    read = READERS["words_text"](corpus)
    read = read.with_word_columns(arrow=pa.array(words, pa.large_string()), numpy=np.array(list(map(len, words))))
    return read.with_utterance_columns(numpy=sizes, tokens=tokens)


def rows(segmentation: Segmentation) -> list[Any]:
    of_words, of_utterances = segmentation.of_words, segmentation.of_utterances
    tokens = of_utterances["tokens"]
    return [
        of_words["arrow"].to_pylist(),
        of_words["numpy"].tolist(),
        of_utterances["numpy"].tolist(),
        tokens.counts.tolist(),
    ]


CORPUS: Corpus = [["the", "dog"], [], ["is", "on", "it"]]


def test_columns_are_cut_and_joined_with_their_rows() -> None:
    whole = with_columns(CORPUS)
    parts = [select_utterances(whole, np.array(kept)) for kept in ([True, True, False], [False, False, True])]
    assert rows(parts[1]) == [["is", "on", "it"], [2, 2, 2], [3], [[3] * 5]]
    assert [part.of_utterances["tokens"].ids.tolist() for part in parts] == [[0, 1], [2, 3, 4]]
    joined = concatenate(parts)
    assert rows(joined) == rows(whole)
    assert joined.of_utterances["tokens"].ids.tolist() == [0, 1, 2, 3, 4]
    chosen = select_words(whole, np.array([True, False, False, True, False]))
    assert chosen.of_words["arrow"].to_pylist() == ["the", "on"]


def test_rows_of_a_part_without_a_column_are_null_or_leave_it_out() -> None:
    both = concatenate([with_columns(CORPUS[:1]), READERS["words_text"](CORPUS[2:])])
    assert both.of_words.keys() == {"arrow"}
    assert both.of_words["arrow"].to_pylist() == ["the", "dog", None, None, None]
    assert both.of_utterances.keys() == set()


def test_columns_of_a_prediction_with_other_units_are_its_own() -> None:
    reference, prediction = with_columns([["the", "dog"]]), with_columns([["the", "hot", "dog"]])
    compared = compare_aligned(reference, prediction, find_mismatches(reference, prediction))
    assert rows(compared.prediction) == rows(prediction)
    projected = project_boundaries(compared).prediction
    assert not projected.of_words, "the columns are of other words"
    assert not projected.of_utterances
