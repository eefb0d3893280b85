"""Comparisons equal intersections of sets of spans and boundaries, and differing units are rejected."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from segscores.kernel.comparison import Comparison, _marked, compare
from segscores.kernel.errors import UtteranceError
from segscores.kernel.segmentation import Segmentation
from segscores.reading.inputs import LABELS, TEXT, WORDS
from segscores.reading.readers import from_labels, from_units_text, from_word_lists, from_words_text, lines

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
    check_comparison(compare(read(references), read(predictions)), references, predictions)


@pytest.mark.parametrize("read", [read_units_text, read_labels], ids=["units_text", "labels"])
@given(pair=corpus_pairs(tokens))
def test_units_may_be_longer_than_a_character(read: Read, pair: tuple[list[list[Word]], list[list[Word]]]) -> None:
    references, predictions = pair
    check_comparison(compare(read(references), read(predictions)), references, predictions)


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
@given(pair=corpus_pairs())
def test_counts_of_an_utterance_do_not_depend_on_its_neighbours(
    read: Read, pair: tuple[list[list[Word]], list[list[Word]]]
) -> None:
    whole = compare(*map(read, pair))
    for index, (reference, prediction) in enumerate(zip(*pair, strict=True)):
        alone = compare(read([reference]), read([prediction]))
        for name in ("utterance_shared", "utterance_matched", "utterance_reference", "utterance_prediction"):
            assert getattr(whole, name)[index] == getattr(alone, name)[0]


def test_the_sides_are_kept_in_their_order() -> None:
    reference, prediction = read_words_text([["ab", "c"]]), read_words_text([["a", "b", "c"]])
    comparison = compare(reference, prediction)
    assert comparison.reference is reference
    assert comparison.prediction.word_ends is prediction.word_ends
    assert comparison.prediction.text is reference.text
    assert [boundaries(words, edges=False) for words in (["ab", "c"], ["a", "b", "c"])] == [{2}, {1, 2}]
    assert comparison.shared_reference.tolist() == [0, 1]
    assert comparison.shared_prediction.tolist() == [1, 2]


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
@pytest.mark.parametrize(("references", "predictions"), [(2, 1), (0, 1), (3, 0)])
def test_different_numbers_of_utterances_are_refused_with_both(read: Read, references: int, predictions: int) -> None:
    message = f"^{references} references and {predictions} predictions: expected one prediction for each reference.$"
    with pytest.raises(ValueError, match=message):
        compare(read([[("a",)]] * references), read([[("a",)]] * predictions))


KINDS = {"words_text": "character", "word_lists": "character", "units_text": "token", "labels": "label"}


@pytest.mark.parametrize(
    ("left", "right"), [(left, right) for left in KINDS for right in KINDS if KINDS[left] != KINDS[right]]
)
def test_different_kinds_of_units_are_refused(left: str, right: str) -> None:
    corpus = [[("a", "b")]]
    message = f"the references are read in units of one {KINDS[left]}, the predictions in units of one {KINDS[right]}: "
    with pytest.raises(ValueError, match=message):
        compare(READERS[left](corpus), READERS[right](corpus))


def test_words_text_and_lists_of_words_compare() -> None:
    assert compare(read_words_text([["ab", "c"]]), read_word_lists([["ab", "c"]])).matched.all()


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
        compare(read(references), read(predictions))
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
        compare(*(from_labels(pa.array([[1] * count for count in side], LABELS), "start") for side in (left, right)))


def message_of(read: Callable[[str], Segmentation], reference: str, prediction: str) -> str:
    """The error for two differing utterances that follow a blank one and one that is alike."""
    with pytest.raises(UtteranceError, match=r"^utterance 2: ") as caught:
        compare(read(f"\na 狗\n{reference}\n"), read(f"\na狗\n{prediction}\n"))
    return str(caught.value)


def as_words(block: str) -> Segmentation:
    return from_words_text(block.encode())


@pytest.mark.parametrize(
    ("reference", "prediction", "parts"),
    [
        ("the dog", "thedig", ["offset 4 (in characters)", "the reference has 'o' (U+006F", "the prediction 'i' (U+0069"]),
        ("the dog", "the do", ["offset 5 (in characters)", "'g' (U+0067 LATIN SMALL LETTER G), the prediction nothing"]),
        ("the do", "the dog", ["offset 5 (in characters)", "the reference has nothing, the prediction 'g' (U+0067"]),
        ("狗 叫", "狗 吠", ["offset 1 (in characters)", "U+53EB", "U+5420"]),
        ("e a", "е a", ["offset 0", "LATIN SMALL LETTER E", "CYRILLIC SMALL LETTER IE"]),
        ("ﬁ x", "fi x", ["offset 0", "U+FB01", 'in Unicode NFKC: normalise them, by normalize="NFKC" where']),
        ("caf\u00e9", "cafe\u0301", ["offset 3", "U+00E9", "U+0065", "the same text in Unicode NFC"]),
        ("cafe\u0301", "caf\u00e9", ["offset 3", "U+0065", "U+00E9", "the same text in Unicode NFC"]),
        ("ab", "a\u200bb", ["offset 1", r"'\u200b' (U+200B ZERO WIDTH SPACE)", "invisible characters"]),
        ("\ufeffab", "ab", ["offset 0", r"'\ufeff' (U+FEFF ZERO WIDTH NO-BREAK SPACE)", "invisible characters"]),
        ("ab", "a\x01b", ["offset 1", r"'\x01' (U+0001 no name)"]),
        ("", "a b", ["the reference is blank and the prediction is not", "Is a line missing or added above?"]),
        ("a b", " \u3000", ["the prediction is blank and the reference is not", "Is a line missing or added above?"]),
    ],
)  # fmt: skip
def test_characters_that_differ_are_named_with_code_points_and_a_hint(
    reference: str, prediction: str, parts: list[str]
) -> None:
    message = message_of(as_words, reference, prediction)
    assert [part for part in parts if part not in message] == []


def message_of_units(reference: str, prediction: str) -> str:
    def read(text: str) -> Segmentation:
        return from_units_text(f"\n{text}\n".encode(), "WORD_BOUNDARY")

    with pytest.raises(UtteranceError, match=r"^utterance 1: ") as caught:
        compare(read(reference), read(prediction))
    return str(caught.value)


@pytest.mark.parametrize(
    ("reference", "prediction", "parts"),
    [
        ("dh ax", "dh ah", ["offset 1 (in tokens)", "the reference has 'ax', the prediction 'ah'"]),
        ("dh ax", "dh", ["offset 1 (in tokens)", "the reference has 'ax', the prediction nothing"]),
        ("ɪɾ a", "ɪr a", ["'ɪɾ' (U+026A U+027E)", "'ɪr' (U+026A U+0072)"]),
        ("the dog", "thedog", ['Without spaces both sides are the same: did you mean text_format="words"?']),
        ("d ;eword", "d", ["the format of wordseg", 'did you mean word_boundary=";eword"?']),
        ("d ;esyll", "d", ["the format of wordseg", "did you mean ignored_tokens=[';esyll']?"]),
        ("d ;esyll ;eword", "d", ['did you mean word_boundary=";eword" and ignored_tokens=[\';esyll\']?']),
    ],
)  # fmt: skip
def test_tokens_that_differ_are_named_with_a_hint(reference: str, prediction: str, parts: list[str]) -> None:
    message = message_of_units(reference, prediction)
    assert [part for part in parts if part not in message] == []


def test_a_space_within_a_word_of_a_list_is_hinted_at() -> None:
    with pytest.raises(UtteranceError, match=re.escape("Spaces within the words of a list are units too.")):
        compare(read_word_lists([["New York"]]), read_word_lists([["New", "York"]]))


def test_nothing_is_left_of_a_refused_comparison() -> None:
    reference, prediction = as_words("a b\n"), as_words("a c\n")
    before = [array.copy() for array in (reference.word_ends, prediction.word_ends)]
    with pytest.raises(UtteranceError, match=r"^utterance 0: the units differ at offset 1"):
        compare(reference, prediction)
    assert np.array_equal(before[0], reference.word_ends)
    assert np.array_equal(before[1], prediction.word_ends)
    assert compare(reference, reference).matched.all()


increasing = st.sets(st.integers(0, 40)).map(lambda places: np.array(sorted(places), np.int64))


@given(increasing, increasing)
def test_values_that_are_wanted_are_found_as_numpy_finds_them(
    values: np.ndarray[Any, Any], wanted: np.ndarray[Any, Any]
) -> None:
    wanted = wanted[wanted <= (values[-1] if len(values) else 0)]
    assert _marked(values, wanted).tolist() == np.flatnonzero(np.isin(values, wanted)).tolist()
