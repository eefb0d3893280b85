"""Comparisons equal intersections of sets of spans and boundaries, and differing units are rejected."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from segscores.kernel.comparison import Comparison, compare_segmentations
from segscores.kernel.segmentation import Segmentation
from segscores.reading.inputs import LABELS, TEXT, WORDS
from segscores.reading.labels import from_labels
from segscores.reading.readers import from_units_text, from_word_lists, from_words_text, lines
from segscores.support.errors import UtteranceError

from ..naive import (
    Corpus,
    Word,
    boundaries,
    corpus_pairs,
    spans,
    start_labels,
    tokens,
    units_text,
    word_lists,
    words_text,
)

Read = Callable[[Corpus], Segmentation]


def read_words_text(corpus: Corpus) -> Segmentation:
    return from_words_text(lines(pa.array(words_text(corpus), TEXT)))


def read_units_text(corpus: Corpus) -> Segmentation:
    return from_units_text(lines(pa.array(units_text(corpus), TEXT)), "WORD_BOUNDARY")


def read_word_lists(corpus: Corpus) -> Segmentation:
    return from_word_lists(pa.array(word_lists(corpus), WORDS))


def read_labels(corpus: Corpus) -> Segmentation:
    return from_labels(pa.array(start_labels(corpus), LABELS), "start")


READERS = {
    "words_text": read_words_text,
    "units_text": read_units_text,
    "word_lists": read_word_lists,
    "labels": read_labels,
}


def check_comparison(comparison: Comparison, references: Corpus, predictions: Corpus) -> None:
    """Every attribute is what the naive equivalent gives."""
    first_words = [0, 0]
    shared: list[tuple[int, int, bool]] = []
    counts = []
    for reference, prediction in zip(references, predictions, strict=True):
        ends = [sorted(end for _, end in spans(words)) for words in (reference, prediction)]
        common = sorted(set(ends[0]) & set(ends[1]))
        matched = spans(reference) & spans(prediction)
        shared += [
            (
                first_words[0] + ends[0].index(end),
                first_words[1] + ends[1].index(end),
                end in {end for _, end in matched},
            )
            for end in common
        ]
        counts.append((len(common), len(matched), len(reference), len(prediction)))
        first_words = [first_words[0] + len(reference), first_words[1] + len(prediction)]
    found = zip(
        comparison.shared_reference.tolist(),
        comparison.shared_prediction.tolist(),
        comparison.matched.tolist(),
        strict=True,
    )
    assert list(found) == shared
    columns = (
        comparison.utterance_shared,
        comparison.utterance_matched,
        comparison.utterance_reference,
        comparison.utterance_prediction,
    )
    assert list(zip(*(column.tolist() for column in columns), strict=True)) == counts


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
@given(pair=corpus_pairs(min_utterances=0))
@example(pair=([], []))
@example(pair=([[]], [[]]))
@example(pair=([[], [("a",)], []], [[], [("a",)], []]))
@example(pair=([[("a",), ("b",)], [], [("a", "b")]], [[("a", "b")], [], [("a",), ("b",)]]))
def test_shared_boundaries_and_matched_words_are_intersections_of_sets(
    read: Read, pair: tuple[list[list[Word]], list[list[Word]]]
) -> None:
    references, predictions = pair
    check_comparison(compare_segmentations(read(references), read(predictions)), references, predictions)


@pytest.mark.parametrize("read", [read_units_text, read_labels], ids=["units_text", "labels"])
@given(pair=corpus_pairs(tokens))
def test_units_may_be_longer_than_a_character(read: Read, pair: tuple[list[list[Word]], list[list[Word]]]) -> None:
    references, predictions = pair
    check_comparison(compare_segmentations(read(references), read(predictions)), references, predictions)


def test_the_sides_are_kept_in_their_order() -> None:
    reference, prediction = read_words_text([["ab", "c"]]), read_words_text([["a", "b", "c"]])
    comparison = compare_segmentations(reference, prediction)
    assert comparison.reference is reference
    assert comparison.prediction.word_ends is prediction.word_ends
    assert comparison.prediction.text is reference.text
    assert [boundaries(words, edges=False) for words in (["ab", "c"], ["a", "b", "c"])] == [{2}, {1, 2}]
    assert comparison.shared_reference.tolist() == [0, 1]
    assert comparison.shared_prediction.tolist() == [1, 2]


KINDS = {"words_text": "character", "word_lists": "character", "units_text": "token", "labels": "label"}


@pytest.mark.parametrize(
    ("left", "right"), [(left, right) for left in KINDS for right in KINDS if KINDS[left] != KINDS[right]]
)
def test_different_kinds_of_units_are_refused(left: str, right: str) -> None:
    corpus = [[("a", "b")]]
    message = f"the references are read in units of one {KINDS[left]}, the predictions in units of one {KINDS[right]}: "
    with pytest.raises(ValueError, match=message):
        compare_segmentations(READERS[left](corpus), READERS[right](corpus))


def test_words_text_and_lists_of_words_compare() -> None:
    assert compare_segmentations(read_words_text([["ab", "c"]]), read_word_lists([["ab", "c"]])).matched.all()


def first_difference(left: Corpus, right: Corpus) -> tuple[int, int]:
    """The first utterance whose units differ, and the first unit at which they do."""
    for utterance, pair in enumerate(zip(left, right, strict=True)):
        units = [[unit for word in words for unit in word] for words in pair]
        if units[0] != units[1]:
            length = min(map(len, units))
            same = [index for index in range(length) if units[0][index] != units[1][index]]
            return utterance, same[0] if same else length
    return -1, -1


# Units of one, two, three and four bytes, so that what differs in units may have the same bytes before and the same length.
few_units = st.sampled_from(["a", "b", "å", "é", "狗", "🐕", "🐈"])


@pytest.mark.parametrize("name", ["words_text", "units_text", "word_lists"])
@given(pair=corpus_pairs(few_units), other=corpus_pairs(few_units), data=st.data())
def test_the_first_difference_is_named(name: str, pair: Any, other: Any, data: st.DataObject) -> None:
    references, predictions = pair
    # From some utterance on, the prediction is that of other text, or of the same text shifted by an utterance.
    start = data.draw(st.integers(0, len(references) - 1))
    rest = other[1] if data.draw(st.booleans()) else predictions[start + 1 :]
    predictions = [*predictions[:start], *rest, *[[]] * len(references)][: len(references)]
    utterance, offset = first_difference(references, predictions)
    assume(utterance >= 0)
    read = READERS[name]
    with pytest.raises(UtteranceError, match=f"^utterance {utterance}: ") as caught:
        compare_segmentations(read(references), read(predictions))
    blank = [side for side, corpus in (("reference", references), ("prediction", predictions)) if not corpus[utterance]]
    if blank:
        assert f"the {blank[0]} is blank" in str(caught.value)
    else:
        assert f"the units differ at offset {offset} (in " in str(caught.value)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=6), st.lists(st.integers(0, 4), min_size=1, max_size=6))
def test_the_first_utterance_with_another_number_of_labels_is_named(left: list[int], right: list[int]) -> None:
    right = [*right, *left[len(right) :]][: len(left)]
    assume(left != right)
    index = next(index for index, pair in enumerate(zip(left, right, strict=True)) if pair[0] != pair[1])
    message = (
        f"^utterance {index}: the reference has {left[index]} labels and the prediction {right[index]}: .* padding"
    )
    with pytest.raises(UtteranceError, match=message):
        compare_segmentations(
            *(from_labels(pa.array([[1] * count for count in side], LABELS), "start") for side in (left, right))
        )
