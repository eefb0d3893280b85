"""Comparisons equal intersections of sets of spans and boundaries, and differing units are rejected."""

import random
from itertools import chain, takewhile
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from segscores.kernel.comparison import Comparison
from segscores.kernel.segmentation import Segmentation
from segscores.options.errors import UtteranceError
from segscores.reading.inputs import LABELS
from segscores.reading.labels import from_labels
from segscores.scoring.mismatch import compare_segmentations

from ..corpora import Corpus, Word, corpus_pairs, cut, tokens
from ..naive import spans
from ..tallies import READERS, compared


def check_comparison(comparison: Comparison, references: Corpus, predictions: Corpus) -> None:
    """Every attribute is what the naive equivalent gives."""
    first_words = [0, 0]
    shared: list[Any] = []
    counts: list[Any] = []
    for reference, prediction in zip(references, predictions, strict=True):
        ends = [sorted(end for _, end in spans(words)) for words in (reference, prediction)]
        common = sorted(set(ends[0]) & set(ends[1]))
        matched = spans(reference) & spans(prediction)
        for end in common:
            places = (first + side.index(end) for first, side in zip(first_words, ends, strict=True))
            shared.append((*places, any(end == matched_end for _, matched_end in matched)))
        counts.append((len(common), len(matched), len(reference), len(prediction)))
        first_words = [first_words[0] + len(reference), first_words[1] + len(prediction)]

    def rows_of(*names: str) -> list[Any]:
        return list(zip(*(getattr(comparison, name).tolist() for name in names), strict=True))

    assert rows_of("shared_reference", "shared_prediction", "matched") == shared
    assert rows_of(*(f"utterance_{kind}" for kind in ("shared", "matched", "reference", "prediction"))) == counts


@pytest.mark.parametrize("form", READERS)
@given(pair=corpus_pairs(min_utterances=0))
@example(pair=([], []))
@example(pair=([[]], [[]]))
@example(pair=([[], [("a",)], []], [[], [("a",)], []]))
@example(pair=([[("a",), ("b",)], [], [("a", "b")]], [[("a", "b")], [], [("a",), ("b",)]]))
def test_shared_boundaries_and_matched_words_are_intersections_of_sets(
    form: str, pair: tuple[list[list[Word]], list[list[Word]]]
) -> None:
    check_comparison(compared(*pair, form), *pair)


@pytest.mark.parametrize("words", [(700,), (300, 0, 400), (1, 500, 1)], ids=str)
def test_few_long_utterances_are_compared_as_many_short_ones_are(words: tuple[int, ...]) -> None:
    """Where utterances or shared boundaries are few among words, the comparison takes other ways."""
    source = random.Random(len(words))
    references = [[("a",) * source.randint(1, 3) for _ in range(count)] for count in words]
    text = [[unit for word in utterance for unit in word] for utterance in references]
    for share in (0.01, 0.3, 0.9):
        predictions = [cut(units, [source.random() < share for _ in units[1:]]) for units in text]
        check_comparison(compared(references, predictions, "units_text"), references, predictions)
        check_comparison(compared(predictions, references, "units_text"), predictions, references)


@pytest.mark.parametrize("form", ["units_text", "labels"])
@given(pair=corpus_pairs(tokens))
def test_units_may_be_longer_than_a_character(form: str, pair: tuple[list[list[Word]], list[list[Word]]]) -> None:
    check_comparison(compared(*pair, form), *pair)


KINDS = {"words_text": "character", "word_lists": "character", "units_text": "token", "labels": "label"}


@pytest.mark.parametrize(
    ("left", "right"), [(left, right) for left in KINDS for right in KINDS if KINDS[left] != KINDS[right]]
)
def test_different_kinds_of_units_are_refused(left: str, right: str) -> None:
    corpus = [[("a", "b")]]
    message = f"the references are read in units of one {KINDS[left]}, the predictions in units of one {KINDS[right]}: "
    with pytest.raises(ValueError, match=message):
        compare_segmentations(READERS[left](corpus), READERS[right](corpus))


def first_difference(left: Corpus, right: Corpus) -> tuple[int, int]:
    """The first utterance whose units differ, and the first unit at which they do."""
    for utterance, (left_words, right_words) in enumerate(zip(left, right, strict=True)):
        left_units = list(chain.from_iterable(left_words))
        right_units = list(chain.from_iterable(right_words))
        if left_units != right_units:
            same = takewhile(lambda pair: pair[0] == pair[1], zip(left_units, right_units, strict=False))
            return utterance, len(list(same))
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
    predictions = [*predictions[:start], *rest]
    # As many as the references: cut the prediction, or add blank utterances.
    blanks: list[list[Word]] = [[] for _ in references]
    predictions = [*predictions, *blanks][: len(references)]
    utterance, offset = first_difference(references, predictions)
    assume(utterance >= 0)
    with pytest.raises(UtteranceError, match=f"^utterance {utterance}: ") as caught:
        compared(references, predictions, name)
    if not references[utterance]:
        assert "the reference is blank" in str(caught.value)
    elif not predictions[utterance]:
        assert "the prediction is blank" in str(caught.value)
    else:
        assert f"the units differ at offset {offset} (in " in str(caught.value)


@pytest.mark.parametrize(
    ("left", "right", "shown"),
    [
        ("a" * 5000, "b", f"has '{'a' * 30}…', the prediction 'b' ("),
        ("a" * 40 + "b", "a" * 40 + "c", f"has '…{'a' * 10}b', the prediction '…{'a' * 10}c';"),
        ("a" * 40, "a" * 41, f"has '…{'a' * 10}', the prediction '…{'a' * 11}';"),
        # Both look the same; the code points, of what is shown, tell them apart.
        ("a" * 25 + "é", "a" * 25 + "e\N{COMBINING ACUTE ACCENT}", " U+0061 U+00E9), the prediction "),
        ("狗" * 40 + "a", "狗" * 40 + "b", f"has '…{'狗' * 10}a' ({'U+72D7 ' * 10}U+0061), the prediction "),
    ],
)
def test_of_long_units_the_message_shows_where_they_differ(left: str, right: str, shown: str) -> None:
    with pytest.raises(UtteranceError, match=r"^utterance 0: the units differ at offset 0 ") as caught:
        compared([[(left,)]], [[(right,)]], "units_text")
    assert shown in str(caught.value)


def of_lengths(lengths: list[int]) -> Segmentation:
    """Read labels, so many in each utterance."""
    return from_labels(pa.array([[1] * length for length in lengths], LABELS), "start")


@given(st.lists(st.integers(0, 4), min_size=1, max_size=6), st.lists(st.integers(0, 4), min_size=1, max_size=6))
def test_the_first_utterance_with_another_number_of_labels_is_named(left: list[int], right: list[int]) -> None:
    # As many as on the left: a missing number is the same as there.
    right = [*right, *left[len(right) :]][: len(left)]
    assume(left != right)
    differs = [one != other for one, other in zip(left, right, strict=True)]
    index = differs.index(True)
    message = (
        f"^utterance {index}: the reference has {left[index]} labels and the prediction {right[index]}: .* padding"
    )
    with pytest.raises(UtteranceError, match=message):
        compare_segmentations(of_lengths(left), of_lengths(right))
