"""Tags: words with a tag each, such as its part of speech, which a score reads beside the words.

Formats with tags, and lists of pairs in memory, keep them only where the reading names tags: otherwise they are dropped.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from ...kernel import arrow_functions as pc
from ...kernel.arrays import Mask, Positions, first_true, int64_array, large_lists, offsets_of
from ...kernel.segmentation import Segmentation
from ...options.errors import UtteranceError
from ...options.messages import OptionError
from ...options.quoting import shortened
from ...options.table import OPTIONS
from ...reading.inputs import ANALYSES, TEXT, WORDS
from ...reading.readers import WHITESPACE, from_word_lists

#: The formats with a tag for each word, for a message.
_FORMATS = ("conllu", "tagged", "vlsp", "kytea", "mecab")


class WordsOfTokens(NamedTuple):
    """The words that multiword tokens stand for, with their tags."""

    lengths: Positions  #: the number of words of each token, 0 if it is no multiword token
    words: pa.Array  #: the words of all multiword tokens, one token after the other
    tags: pa.Array  #: the tags of these words

    @property
    def is_multiword(self) -> Mask:
        """The mask of tokens that are multiword tokens."""
        return np.asarray(self.lengths > 0)

    def columns(self) -> dict[str, pa.Array]:
        """Return the columns of tokens: a list of words and a list of tags of multiword tokens, null for others."""
        # If b alone of the tokens a b c has two words, the list 0 is null, the list 1 is that of b, and the tokens have 0 1 0.
        list_numbers = int64_array(np.where(self.is_multiword, np.cumsum(self.is_multiword), 0))
        null = pa.nulls(1, WORDS)
        return {
            "syntactic_words": pc.take(pa.concat_arrays([null, self._lists_of(self.words)]), list_numbers),
            "syntactic_tags": pc.take(pa.concat_arrays([null, self._lists_of(self.tags)]), list_numbers),
        }

    def joined_tags(self) -> pa.Array:
        """Return the tag of each multiword token: the tags of its words with `+` between them."""
        return pc.binary_join(self._lists_of(self.tags), pa.scalar("+", TEXT))

    def _lists_of(self, values: pa.Array) -> pa.LargeListArray:
        """Return the words or tags of each multiword token as a list."""
        offsets = np.concatenate(([0], np.cumsum(self.lengths[self.is_multiword])))
        return large_lists(offsets, values, WORDS)


def pairs_of(
    offsets: Positions, words: pa.Array, tags: pa.Array | None, of_tokens: WordsOfTokens | None = None
) -> pa.LargeListArray:
    """Return lists of pairs of a word and its tag, or of words if there are no tags; the offsets of utterances count words.

    A multiword token, which `of_tokens` describes, has an empty tag, and behind it, in the same list, its words with their tags:
    `["du", "", "de", "ADP", "le", "DET"]`.

    >>> pairs_of(np.array([0, 2]), pa.array(["他", "爱"], "large_string"), pa.array(["PN", "VV"], "large_string")).to_pylist()
    [[['他', 'PN'], ['爱', 'VV']]]
    """
    if tags is None:
        return large_lists(offsets, words, WORDS)
    if of_tokens is None:
        strings = pc.take(pa.concat_arrays([words, tags]), int64_array(_alternating(len(words))))
        offsets_of_pairs = 2 * np.arange(len(words) + 1)  # each pair has two strings
        pairs = large_lists(offsets_of_pairs, strings, WORDS)
    else:
        pairs = _pairs_with_words(words, tags, of_tokens)
    return large_lists(offsets, pairs, ANALYSES)


def _pairs_with_words(words: pa.Array, tags: pa.Array, of_tokens: WordsOfTokens) -> pa.LargeListArray:
    """Return a list of strings for each token: its word and its tag; of a multiword token an empty tag, and behind it pairs.

    The token `a` with the tag A, and the multiword token `cd` of the words `c` and `d` with the tags C and D, have the lists
    `["a", "A"]` and `["cd", "", "c", "C", "d", "D"]`.
    """
    tags = pc.if_else(pa.array(of_tokens.is_multiword), pa.scalar("", TEXT), tags)
    # In the example a cd, A "", c d, C D.
    strings = pa.concat_arrays([words, tags, of_tokens.words, of_tokens.tags])
    # sizes 2 6 and starts 0 2: the strings 4 to 7 stand behind the word and the tag of their token.
    sizes = 2 + 2 * of_tokens.lengths
    starts = np.cumsum(sizes) - sizes
    is_behind_tag = np.ones(int(sizes.sum()), bool)
    is_behind_tag[starts] = False
    is_behind_tag[starts + 1] = False
    # The places among `strings`: 0 2 | 1 3 4 6 5 7.
    order = np.empty(len(is_behind_tag), np.int64)
    order[~is_behind_tag] = _alternating(len(words))
    order[is_behind_tag] = 2 * len(words) + _alternating(len(of_tokens.words))
    return large_lists(np.concatenate(([0], np.cumsum(sizes))), pc.take(strings, int64_array(order)), WORDS)


def _alternating(count: int) -> Positions:
    """Return the places of `count` words and, behind all of them, their tags, in the order word, tag, word, tag.

    >>> _alternating(3)
    array([0, 3, 1, 4, 2, 5])
    """
    order: Positions = np.arange(2 * count).reshape(2, -1).T.ravel()
    return order


def from_pairs(utterances: pa.LargeListArray, *, keeps_spaces: bool) -> Segmentation:
    """Read lists of pairs of a word and its tag; the words as `from_word_lists` reads them.

    >>> pairs = pairs_of(np.array([0, 1]), pa.array(["New York"], "large_string"), pa.array(["NNP"], "large_string"))
    >>> read = from_pairs(pairs, keeps_spaces=True)
    >>> read.word_ends, read.of_words["tags"].to_pylist()
    (array([8]), ['NNP'])
    """
    # A slice of a column begins within its items: take those of the slice, and let the offsets count from its first item.
    offsets = offsets_of(utterances)
    items = utterances.values.slice(offsets[0], offsets[-1] - offsets[0])
    offsets = offsets - offsets[0]
    # An item is a word and its tag, or a multiword token. Items of 2 and 6 strings begin at the strings 0 and 2. These places
    # count all strings of the column, `items.values`, also those before a slice.
    string_offsets = offsets_of(items)
    sizes = np.diff(string_offsets)
    word_places = string_offsets[:-1]
    is_right = sizes == 2
    longer = np.flatnonzero((sizes > 2) & (sizes % 2 == 0))
    if len(longer):
        # A multiword token has an empty tag, and behind it pairs of its words and their tags.
        second_strings = pc.take(items.values, int64_array(word_places[longer] + 1))
        is_right[longer] = _are_empty(second_strings)
    bad = first_true(~is_right)
    if bad >= 0:
        utterance = int(np.searchsorted(offsets[1:], bad, side="right"))
        received = shortened(items[bad].as_py())
        problem = f"item {bad - offsets[utterance]} is {received}; expected a word and its tag, such as ('爱', 'VV')."
        raise UtteranceError(utterance, problem)
    words = pc.take(items.values, int64_array(word_places))
    tags = pc.take(items.values, int64_array(word_places + 1))
    of_tokens = _words_of_items(items) if (sizes > 2).any() else None
    if not keeps_spaces:
        words = pc.replace_substring_regex(words, WHITESPACE, "")
    return with_tags(from_word_lists(large_lists(offsets, words, WORDS)), words, tags, of_tokens)


def _words_of_items(items: pa.LargeListArray) -> WordsOfTokens:
    """Return the words and tags behind the first two strings of items; an item of two strings has none."""
    string_offsets = offsets_of(items)
    lengths = np.diff(string_offsets) // 2 - 1
    # Items of 2 and 6 strings: string_offsets 0 2 8, lengths 0 2. The second item has the words 0 and 1, at the strings 4 and 6.
    numbers_in_items = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    word_places = np.repeat(string_offsets[:-1] + 2, lengths) + 2 * numbers_in_items
    return WordsOfTokens(
        lengths,
        words=pc.take(items.values, int64_array(word_places)),
        tags=pc.take(items.values, int64_array(word_places + 1)),
    )


def _are_empty(strings: pa.Array) -> Mask:
    """Return which strings are empty."""
    # The strings "ab" and "" have the offsets 0 2 2.
    return np.asarray(np.diff(offsets_of(strings)) == 0)


def with_tags(
    segmentation: Segmentation, words: pa.Array, tags: pa.Array, of_tokens: WordsOfTokens | None = None
) -> Segmentation:
    """Return the segmentation with the tags of its words.

    `words` are the strings from which it was read. The segmentation has no empty words, so that the tags of empty strings are
    dropped.
    """
    columns = {}
    if of_tokens is not None:
        columns = of_tokens.columns()
        # A multiword token has the tags of its words in place of an empty one.
        tags = pc.replace_with_mask(tags, pa.array(of_tokens.is_multiword), of_tokens.joined_tags())
    is_word = ~_are_empty(words)
    if not is_word.all():
        kept = int64_array(np.flatnonzero(is_word))
        tags = pc.take(tags, kept)
        columns = {name: pc.take(column, kept) for name, column in columns.items()}
    untagged = first_true(_are_empty(tags))
    if untagged >= 0:
        word = shortened(segmentation.words()[untagged].as_py().decode())
        utterance = int(segmentation.utterances_of_words()[untagged])
        raise UtteranceError(utterance, f"the word {word} has no tag; expected one for each word.")
    return segmentation.with_word_columns(tags=tags, **columns)


def check_tags(segmentation: Segmentation, place: str) -> None:
    """Check that the words of a side have tags; `place` begins the message.

    `references: the words have no tags, which scores="tagged_token" compares; expected text_format="conllu", …`
    """
    if "tags" not in segmentation.of_words and len(segmentation.word_ends):
        first_format, *other_formats = _FORMATS
        formats: list[object] = [OPTIONS["text_format"].set(first_format)]
        for name in other_formats:
            formats += [", ", OPTIONS["text_format"].set(name)]
        problem = f"{place}the words have no tags, which "
        hint = ", or in Python lists of pairs, such as [[('他', 'PN'), ('爱', 'VV')]]."
        scores = OPTIONS["scores"].set("tagged_token")
        raise OptionError(problem, scores, " compares; expected ", *formats, hint)
