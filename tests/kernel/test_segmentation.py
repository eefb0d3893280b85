"""Segmentations that are joined or selected are those of the texts that are joined or selected."""

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscores.kernel.segmentation import Segmentation, concatenate, select_utterances

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
