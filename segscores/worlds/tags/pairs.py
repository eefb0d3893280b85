"""Tags: words with a tag each, such as its part of speech, which a score reads beside the words.

Formats with tags, and lists of pairs in memory, keep them only where the reading names tags: otherwise they are dropped.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from ...kernel import arrow_functions as pc
from ...kernel.arrays import Positions, first_true, int64_array, large_lists, offsets_of
from ...kernel.segmentation import Segmentation
from ...options.errors import UtteranceError
from ...options.messages import OptionError
from ...options.quoting import shortened
from ...options.table import OPTIONS
from ...reading.inputs import ANALYSES, WORDS
from ...reading.readers import WHITESPACE, from_word_lists

_FORMATS = ("conllu", "tagged", "kytea", "mecab")


def pairs_of(offsets: Positions, words: pa.Array, tags: pa.Array | None) -> pa.LargeListArray:
    """Return lists of pairs of a word and its tag, or of words if there are no tags; utterances end at the offsets.

    >>> pairs_of(np.array([0, 2]), pa.array(["他", "爱"], "large_string"), pa.array(["PN", "VV"], "large_string")).to_pylist()
    [[['他', 'PN'], ['爱', 'VV']]]
    """
    if tags is None:
        return large_lists(offsets, words, WORDS)
    order = np.arange(2 * len(words)).reshape(2, -1).T.ravel()
    strings = pc.take(pa.concat_arrays([words, tags]), int64_array(order))
    return large_lists(offsets, large_lists(np.arange(0, len(strings) + 1, 2), strings, WORDS), ANALYSES)


def from_pairs(utterances: pa.LargeListArray, *, keeps_spaces: bool = True) -> Segmentation:
    """Read lists of pairs of a word and its tag; the words as `from_word_lists` reads them.

    >>> read = from_pairs(pairs_of(np.array([0, 1]), pa.array(["New York"], "large_string"), pa.array(["NNP"], "large_string")))
    >>> read.word_ends, read.of_words["tags"].to_pylist()
    (array([8]), ['NNP'])
    """
    offsets = offsets_of(utterances)
    pairs = utterances.values.slice(offsets[0], offsets[-1] - offsets[0])
    offsets = offsets - offsets[0]
    bounds = offsets_of(pairs)
    if (at := first_true(np.diff(bounds) != 2)) >= 0:
        utterance = int(np.searchsorted(offsets[1:], at, side="right"))
        received = shortened(pairs[at].as_py())
        problem = f"item {at - offsets[utterance]} is {received}; expected a word and its tag, such as ('爱', 'VV')."
        raise UtteranceError(utterance, problem)
    firsts = np.arange(int(bounds[0]), int(bounds[-1]), 2)
    words, tags = (pc.take(pairs.values, int64_array(firsts + place)) for place in (0, 1))
    if not keeps_spaces:
        words = pc.replace_substring_regex(words, WHITESPACE, "")
    return with_tags(from_word_lists(large_lists(offsets, words, WORDS)), words, tags)


def with_tags(segmentation: Segmentation, words: pa.Array, tags: pa.Array) -> Segmentation:
    """Return the segmentation of these words with their tags; empty words, which it does not have, lose theirs."""
    is_word = np.diff(offsets_of(words)) > 0
    if not is_word.all():
        tags = pc.take(tags, int64_array(np.flatnonzero(is_word)))
    if (at := first_true(np.diff(offsets_of(tags)) == 0)) >= 0:
        word = shortened(segmentation.words()[at].as_py().decode())
        utterance = int(segmentation.utterances_of_words()[at])
        raise UtteranceError(utterance, f"the word {word} has no tag; expected one for each word.")
    return segmentation.with_word_columns(tags=tags)


def check_tags(segmentation: Segmentation, place: str) -> None:
    """Check that the words of a side have tags; `place` begins the message."""
    if "tags" not in segmentation.of_words and len(segmentation.word_ends):
        formats: list[object] = []
        for name in _FORMATS:
            formats += [", ", OPTIONS["text_format"].set(name)]
        problem = f"{place}the words have no tags, which ", OPTIONS["scores"].set("tagged_token")
        hint = ", or in Python lists of pairs, such as [[('他', 'PN'), ('爱', 'VV')]]."
        raise OptionError(*problem, " compares; expected ", *formats[1:], hint)
