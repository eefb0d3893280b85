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

_FORMATS = ("conllu", "tagged", "vlsp", "kytea", "mecab")


class WordsOfTokens(NamedTuple):
    """The words that multiword tokens stand for, with their tags."""

    lengths: Positions  #: the number of words of each token, 0 if it is no multiword token
    words: pa.Array
    tags: pa.Array

    @property
    def is_multiword(self) -> Mask:
        """Which tokens are multiword tokens."""
        return np.asarray(self.lengths > 0)

    def columns(self) -> dict[str, pa.Array]:
        """Return the columns of tokens: a list of words and a list of tags of multiword tokens, null for others."""
        # The lists of the tokens a b c, of which b has two words: null, a list of two, null.
        offsets = np.concatenate(([0], np.cumsum(self.lengths[self.is_multiword])))
        places = int64_array(np.where(self.is_multiword, np.cumsum(self.is_multiword), 0))
        values = {"syntactic_words": self.words, "syntactic_tags": self.tags}
        return {
            name: pc.take(pa.concat_arrays([pa.nulls(1, WORDS), large_lists(offsets, column, WORDS)]), places)
            for name, column in values.items()
        }

    def joined_tags(self) -> pa.Array:
        """Return the tag of each multiword token: the tags of its words with `+` between them."""
        offsets = np.concatenate(([0], np.cumsum(self.lengths[self.is_multiword])))
        return pc.binary_join(large_lists(offsets, self.tags, WORDS), pa.scalar("+", TEXT))


def pairs_of(
    offsets: Positions, words: pa.Array, tags: pa.Array | None, of_tokens: WordsOfTokens | None = None
) -> pa.LargeListArray:
    """Return lists of pairs of a word and its tag, or of words if there are no tags; utterances end at the offsets.

    A multiword token has an empty tag, and behind it its words with their tags.

    >>> pairs_of(np.array([0, 2]), pa.array(["他", "爱"], "large_string"), pa.array(["PN", "VV"], "large_string")).to_pylist()
    [[['他', 'PN'], ['爱', 'VV']]]
    """
    if tags is None:
        return large_lists(offsets, words, WORDS)
    sizes = np.full(len(words), 2)
    starts = 2 * np.arange(len(words))
    sources = [words, tags]
    order = _alternating(len(words), 0)
    if of_tokens is not None:
        # Tokens a and b, of which b has the words c and d: a A b B c C d D, of the strings a b, A B, c d, C D
        tags = pc.if_else(pa.array(of_tokens.is_multiword), pa.scalar("", TEXT), tags)
        sources = [words, tags, of_tokens.words, of_tokens.tags]
        sizes += 2 * of_tokens.lengths
        starts = np.cumsum(sizes) - sizes
        is_inner = np.ones(int(sizes.sum()), bool)
        is_inner[starts] = False
        is_inner[starts + 1] = False
        order = np.empty(len(is_inner), np.int64)
        order[~is_inner] = _alternating(len(words), 0)
        order[is_inner] = _alternating(len(of_tokens.words), 2 * len(words))
    strings = pc.take(pa.concat_arrays(sources), int64_array(order))
    return large_lists(offsets, large_lists(np.concatenate(([0], np.cumsum(sizes))), strings, WORDS), ANALYSES)


def _alternating(count: int, first: int) -> Positions:
    """Return the places of `count` words and, behind all of them, their tags, in the order word, tag, word, tag."""
    order: Positions = first + np.arange(2 * count).reshape(2, -1).T.ravel()
    return order


def from_pairs(utterances: pa.LargeListArray, *, keeps_spaces: bool) -> Segmentation:
    """Read lists of pairs of a word and its tag; the words as `from_word_lists` reads them.

    >>> pairs = pairs_of(np.array([0, 1]), pa.array(["New York"], "large_string"), pa.array(["NNP"], "large_string"))
    >>> read = from_pairs(pairs, keeps_spaces=True)
    >>> read.word_ends, read.of_words["tags"].to_pylist()
    (array([8]), ['NNP'])
    """
    offsets = offsets_of(utterances)
    pairs = utterances.values.slice(offsets[0], offsets[-1] - offsets[0])
    offsets = offsets - offsets[0]
    bounds = offsets_of(pairs)
    sizes = np.diff(bounds)
    firsts = bounds[:-1]
    is_pair = sizes == 2
    if not is_pair.all():
        # A multiword token has an empty tag, and behind it pairs of its words and their tags.
        seconds = pc.take(pairs.values, int64_array(np.minimum(firsts + 1, len(pairs.values) - 1)))
        has_empty_tag = np.diff(offsets_of(seconds)) == 0
        is_pair |= (sizes > 2) & (sizes % 2 == 0) & has_empty_tag
    if (at := first_true(~is_pair)) >= 0:
        utterance = int(np.searchsorted(offsets[1:], at, side="right"))
        received = shortened(pairs[at].as_py())
        problem = f"item {at - offsets[utterance]} is {received}; expected a word and its tag, such as ('爱', 'VV')."
        raise UtteranceError(utterance, problem)
    words, tags = (pc.take(pairs.values, int64_array(firsts + place)) for place in (0, 1))
    of_tokens = None
    if (sizes > 2).any():
        lengths = sizes // 2 - 1
        # Bounds 0 2 8: the token from 2 has words at 4 and 6, which follow it by 2 and 4.
        inner = np.repeat(firsts + 2, lengths) + 2 * (
            np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        )
        of_tokens = WordsOfTokens(lengths, *(pc.take(pairs.values, int64_array(inner + place)) for place in (0, 1)))
    if not keeps_spaces:
        words = pc.replace_substring_regex(words, WHITESPACE, "")
    return with_tags(from_word_lists(large_lists(offsets, words, WORDS)), words, tags, of_tokens)


def with_tags(
    segmentation: Segmentation, words: pa.Array, tags: pa.Array, of_tokens: WordsOfTokens | None = None
) -> Segmentation:
    """Return the segmentation of these words with their tags; empty words, which it does not have, lose theirs."""
    columns = {}
    if of_tokens is not None:
        columns = of_tokens.columns()
        tags = pc.replace_with_mask(tags, pa.array(of_tokens.is_multiword), of_tokens.joined_tags())
    is_word = np.diff(offsets_of(words)) > 0
    if not is_word.all():
        kept = int64_array(np.flatnonzero(is_word))
        tags = pc.take(tags, kept)
        columns = {name: pc.take(column, kept) for name, column in columns.items()}
    if (at := first_true(np.diff(offsets_of(tags)) == 0)) >= 0:
        word = shortened(segmentation.words()[at].as_py().decode())
        utterance = int(segmentation.utterances_of_words()[at])
        raise UtteranceError(utterance, f"the word {word} has no tag; expected one for each word.")
    return segmentation.with_word_columns(tags=tags, **columns)


def check_tags(segmentation: Segmentation, place: str) -> None:
    """Check that the words of a side have tags; `place` begins the message."""
    if "tags" not in segmentation.of_words and len(segmentation.word_ends):
        formats: list[object] = []
        for name in _FORMATS:
            formats += [", ", OPTIONS["text_format"].set(name)]
        problem = f"{place}the words have no tags, which ", OPTIONS["scores"].set("tagged_token")
        hint = ", or in Python lists of pairs, such as [[('他', 'PN'), ('爱', 'VV')]]."
        raise OptionError(*problem, " compares; expected ", *formats[1:], hint)
