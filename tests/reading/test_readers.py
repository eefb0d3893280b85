"""The readers equal readers in plain Python."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from segscores.kernel.segmentation import Segmentation
from segscores.reading.inputs import LABELS, TEXT, WORDS
from segscores.reading.labels import LABEL_SCHEMES, from_labels
from segscores.reading.readers import from_units_text, from_word_lists, from_words_text, lines

from ..corpora import WHITESPACE, characters
from ..tallies import words_of

# Some look like spaces, some share all bytes but the first or the last with whitespace: none is whitespace.
NO_WHITESPACE = (
    "\u200b\u200c\u200d\u2060\ufeff\u180e\u2800\u3164\u00ad\u3001\u1681\u6000\u9000\u2010\u202e\u2060\x84\x86\x1b\x7f"
)

# A line ends with a newline alone, so that a newline is whitespace within a block only.
separators = st.text(st.sampled_from(WHITESPACE.replace("\n", "")), min_size=1, max_size=3)
text_characters = st.one_of(st.sampled_from("ab \n"), st.sampled_from(WHITESPACE + NO_WHITESPACE), characters)
blocks = st.text(text_characters).map(lambda text: f"{text}\n")


def label_counts(segmentation: Segmentation) -> list[list[int]]:
    """The number of labels of every word of every utterance."""
    lengths = np.diff(segmentation.word_ends, prepend=0).tolist()
    counts = np.searchsorted(segmentation.word_ends, segmentation.utterance_ends, side="right").tolist()
    return [lengths[start:stop] for start, stop in zip([0, *counts], counts, strict=False)]


def check_arrays(segmentation: Segmentation, unit: str) -> None:
    """Check what the attributes' descriptions promise, whatever was read."""
    assert segmentation.unit == unit
    for positions in (segmentation.word_ends, segmentation.utterance_ends, segmentation.utterance_units):
        assert positions.dtype == np.int64
    assert (np.diff(segmentation.word_ends, prepend=0) > 0).all()
    assert (np.diff(segmentation.utterance_ends, prepend=0) >= 0).all()
    assert len(segmentation.utterance_units) == len(segmentation.utterance_ends)
    assert set(segmentation.utterance_ends.tolist()) - {0} <= set(segmentation.word_ends.tolist())
    if segmentation.text is not None:
        assert segmentation.text.dtype == np.uint8
        assert len(segmentation.text) == max([0, *segmentation.utterance_ends.tolist()])


@given(blocks)
@example("")
@example("\n")
@example("\n\n \n")
def test_words_text_is_split_as_str_split_does(block: str) -> None:
    segmentation = from_words_text(block.encode())
    naive = [line.split() for line in block.split("\n")[:-1]]
    assert words_of(segmentation) == naive
    assert segmentation.utterance_units.tolist() == [sum(map(len, words)) for words in naive]
    check_arrays(segmentation, "character")


# Short blocks are searched for whitespace in another way than long ones.
short_and_long = pytest.mark.parametrize("copies", [1, 1 << 13])


@short_and_long
@pytest.mark.parametrize("character", sorted(set(NO_WHITESPACE)), ids=lambda character: f"U+{ord(character):04X}")
def test_characters_that_only_look_like_whitespace_are_units(character: str, copies: int) -> None:
    segmentation = from_words_text(f"a{character}b \u3000\n".encode() * copies)
    assert words_of(segmentation) == [[f"a{character}b"]] * copies
    assert segmentation.utterance_units.tolist() == [3] * copies


def test_every_whitespace_character_of_unicode_is_whitespace_for_str_split() -> None:
    every = [chr(code) for code in range(1, 0x110000) if not 0xD800 <= code < 0xE000 and code != 0x0A]
    segmentation = from_words_text("".join(f"a{character}b\n" for character in every).encode())
    counts = np.diff(np.searchsorted(segmentation.word_ends, segmentation.utterance_ends, side="right"), prepend=0)
    separating = [character for character, count in zip(every, counts.tolist(), strict=True) if count == 2]
    assert "".join(separating) == WHITESPACE.replace("\n", "")
    assert set(counts.tolist()) == {1, 2}


def naive_units(line: str, word_boundary: str, ignored_tokens: Sequence[str]) -> list[list[str]]:
    words: list[list[str]] = [[]]
    for token in line.split():
        if token == word_boundary:
            words.append([])
        elif token not in ignored_tokens:
            words[-1].append(token)
    return [word for word in words if word]


def check_units(block: str, word_boundary: str, ignored_tokens: Sequence[str]) -> None:
    segmentation = from_units_text(block.encode(), word_boundary, ignored_tokens)
    naive = [naive_units(line, word_boundary, ignored_tokens) for line in block.split("\n")[:-1]]
    assert words_of(segmentation) == [["".join(f"{unit} " for unit in word) for word in words] for words in naive]
    assert segmentation.utterance_units.tolist() == [sum(map(len, words)) for words in naive]
    for index, words in enumerate(naive):
        assert segmentation.units(index) == [unit for word in words for unit in word]
    check_arrays(segmentation, "token")


# Tokens that contain one another and themselves, so that whole tokens must be told from parts.
NESTED_TOKENS = ["a", "aa", "aaa", "ba", "aab", "b", "狗", "a狗", "狗狗", "\x01a"]


@given(
    st.lists(st.tuples(separators, st.sampled_from(NESTED_TOKENS) | st.just("\n")), max_size=20),
    st.sampled_from(NESTED_TOKENS),
    st.lists(st.sampled_from(NESTED_TOKENS), max_size=2),
)
def test_units_text_is_split_at_whole_tokens(
    tokens: list[tuple[str, str]], word_boundary: str, ignored_tokens: list[str]
) -> None:
    block = "".join(separator + token for separator, token in tokens) + "\n"
    check_units(block, word_boundary, [token for token in ignored_tokens if token != word_boundary])


@given(st.text(st.sampled_from(" \ta狗\n;")), st.sampled_from(["  ", "\t"]), st.sampled_from([[], [";"]]))
@example("a ;  狗", "  ", [";"])
@example("a ; 狗   a", "  ", [";"])
def test_units_text_is_split_at_wide_whitespace(text: str, word_boundary: str, ignored_tokens: list[str]) -> None:
    lines = text.split("\n")
    if ignored_tokens:
        # An ignored token goes with the space before it, so that it makes no wider space.
        lines = [re.sub(r" ?(?<!\S);(?!\S)", "", line) for line in lines]
    words = [[part.split() for part in line.split(word_boundary) if part.split()] for line in lines]
    segmentation = from_units_text(f"{text}\n".encode(), word_boundary, ignored_tokens)
    assert words_of(segmentation) == [["".join(f"{unit} " for unit in word) for word in line] for line in words]


@given(blocks, st.text(characters, min_size=1, max_size=2))
@example("", "a")
@example("\n", "a")
@example("a\n", "a")
@example("a a\n\n  a\n", "a")
def test_any_units_text_is_split_as_in_plain_python(block: str, word_boundary: str) -> None:
    check_units(block, word_boundary, ["b"] if word_boundary != "b" else [])


@pytest.mark.parametrize(
    "token",
    [".", ".*", "|", "$", "^", "(", "[b]", "\\", "\\1", "\\n", "{2}", "?", "+", "</w>", "WORD_BOUNDARY", "▁", "\x01"],
)
@pytest.mark.parametrize("pattern", ["b {0} c\n", "{0}\n", "b{0} {0}c {0}{0}\n", "{0} b {0} {0} c {0}\nd {0}\n"])
def test_a_boundary_token_is_taken_literally_and_whole(token: str, pattern: str) -> None:
    check_units(pattern.format(token), token, ["c"])
    check_units(pattern.format(token), "c", [token])


list_words = st.text(text_characters, max_size=4)


@given(st.lists(st.lists(list_words, max_size=4), max_size=6), st.data())
def test_lists_of_words_are_kept_whole(utterances: list[list[str]], data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(utterances)))
    stop = data.draw(st.integers(start, len(utterances)))
    segmentation = from_word_lists(pa.array(utterances, WORDS).slice(start, stop - start))
    naive = [[word for word in words if word] for words in utterances[start:stop]]
    assert words_of(segmentation) == naive
    assert segmentation.utterance_units.tolist() == [sum(map(len, words)) for words in naive]
    assert [segmentation.units(index) for index in range(len(naive))] == [list("".join(words)) for words in naive]
    check_arrays(segmentation, "character")


def test_parts_of_parts_of_lists_of_words_are_read_from_where_they_begin() -> None:
    words = pa.array(["outside", "the", "dog", "", "barks", "outside"], TEXT).slice(1, 4)
    whole = pa.LargeListArray.from_arrays(pa.array([0, 1, 1, 4], pa.int64()), words)
    assert words_of(from_word_lists(whole)) == [["the"], [], ["dog", "barks"]]
    assert words_of(from_word_lists(whole.slice(1))) == [[], ["dog", "barks"]]
    assert words_of(from_word_lists(whole.slice(2))) == [["dog", "barks"]]


def test_lists_without_buffers_are_no_utterances() -> None:
    empty = pa.Array.from_buffers(WORDS, 0, [None, None], children=[pa.array([], WORDS.value_type)])
    assert words_of(from_word_lists(empty)) == []


# Of each scheme: the labels after which a word ends, and those before which one begins.
ENDING = {
    "start": (),
    "end": (1,),
    "BI": (),
    "BMES": ("E", "S"),
    "BIES": ("E", "S"),
    "BIOES": ("E", "O", "S"),
    "BIO": ("O",),
    "IOE": ("O", "E"),
    "BILOU": ("L", "O", "U"),
}
BEGINNING = {
    "start": (1,),
    "end": (),
    "BI": ("B",),
    "BMES": ("B", "S"),
    "BIES": ("B", "S"),
    "BIOES": ("B", "O", "S"),
    "BIO": ("B", "O"),
    "IOE": ("O",),
    "BILOU": ("B", "O", "U"),
}


def naive_label_counts(labels: Sequence[object], scheme: str) -> list[int]:
    lengths: list[int] = []
    for position, label in enumerate(labels):
        if position == 0 or label in BEGINNING[scheme] or labels[position - 1] in ENDING[scheme]:
            lengths.append(0)
        lengths[-1] += 1
    return lengths


def labels_array(utterances: Sequence[Sequence[Any]], scheme: str) -> pa.LargeListArray:
    return pa.array(utterances, LABELS if isinstance(LABEL_SCHEMES[scheme][0], int) else WORDS)


@pytest.mark.parametrize("scheme", LABEL_SCHEMES)
@given(data=st.data())
def test_any_sequence_of_labels_is_read_by_the_rule(scheme: str, data: st.DataObject) -> None:
    labels = st.lists(st.sampled_from(LABEL_SCHEMES[scheme]), max_size=7)
    utterances = data.draw(st.lists(labels, max_size=6))
    start = data.draw(st.integers(0, len(utterances)))
    segmentation = from_labels(labels_array(utterances, scheme).slice(start), scheme)
    assert label_counts(segmentation) == [naive_label_counts(labels, scheme) for labels in utterances[start:]]
    assert segmentation.utterance_units.tolist() == [len(labels) for labels in utterances[start:]]
    check_arrays(segmentation, "label")


@pytest.mark.parametrize(
    ("scheme", "labels", "lengths"),
    [
        ("start", [1, 0, 0, 1, 0], [3, 2]), ("start", [0], [1]), ("end", [0, 0, 1, 0, 1], [3, 2]),
        ("end", [1, 0, 0], [1, 2]), ("BI", "IIB", [2, 1]), ("BMES", "BMEBESS", [3, 2, 1, 1]), ("BMES", "MMB", [2, 1]),
        ("BMES", "EE", [1, 1]), ("BMES", "EM", [1, 1]), ("BMES", "ME", [2]), ("BMES", "bmebess", [3, 2, 1, 1]),
        ("BMES", ["B-X", "E-X", "s"], [2, 1]), ("BI", ["B-NOUN", "I-NOUN", "b-"], [2, 1]),
        ("BIES", "bieBESs", [3, 2, 1, 1]), ("BIOES", "BIEOOBES", [3, 1, 1, 2, 1]),
    ],
)  # fmt: skip
def test_possible_and_impossible_labels_mark_the_words_that_the_rule_says(
    scheme: str, labels: Sequence[object], lengths: list[int]
) -> None:
    assert label_counts(from_labels(labels_array([[], list(labels), []], scheme), scheme)) == [[], lengths, []]


@pytest.mark.parametrize(("scheme", "lengths"), [("start", [3, 2]), ("end", [1, 3, 1])])
def test_digits_as_strings_are_read_as_integers(scheme: str, lengths: list[int]) -> None:
    assert label_counts(from_labels(pa.array([list("10010")], WORDS), scheme)) == [lengths]


def test_labels_have_neither_words_nor_units() -> None:
    segmentation = from_labels(pa.array([[1, 0]], LABELS), "start")
    with pytest.raises(ValueError, match="labels alone do not say what the words are: pass the words themselves"):
        segmentation.words()
    with pytest.raises(ValueError, match="labels alone do not say what the units are"):
        segmentation.units(0)


@given(st.lists(st.text(text_characters), max_size=6), st.data())
def test_lines_are_strings_joined_by_newlines(strings: list[str], data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(strings)))
    stop = data.draw(st.integers(start, len(strings)))
    naive = "".join(string.replace("\n", " ") + "\n" for string in strings[start:stop])
    assert lines(pa.array(strings, TEXT).slice(start, stop - start)) == naive.encode()


def test_units_are_code_points_and_not_grapheme_clusters() -> None:
    word = "e\u0301👩\u200d🚀"
    assert unicodedata.normalize("NFC", word) != word
    segmentation = from_words_text(f"{word}\n".encode())
    assert segmentation.utterance_units.tolist() == [5]
    assert segmentation.units(0) == list(word)
