"""Syntactic words of CoNLL-U, aligned as the evaluation of Universal Dependencies aligns them.

Conventions
-----------
- A multiword token (`1-2`) counts as the words that it stands for, every other token as one word. In text of another format, each
  token is one word.
- Outside multiword tokens a word is matched if it is the same span on both sides.
- A multiword token of either side begins a multiword span, which ends where no multiword token of either side continues. A word
  outside multiword tokens is in the span as a whole, or not at all. The matches of a span are the longest common subsequence of
  the two sides' words in lower case.
- The two sides are read together from the left, and at a multiword token the other side may be behind, within text that
  differs. Its next word is skipped, and the words after it belong to the span. So they can match words of the token.

The alignment begins anew with each utterance. Words of different utterances are never in one span.

Source
------
Zeman et al. (2018), CoNLL 2018 Shared Task, CoNLL, 1-21, section 5. The counts are those of `udeval` of the UD tools, whose
alignment has the last of these rules without naming it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, pairwise
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from ...kernel import arrow_functions as pc
from ...kernel.arrays import Mask, Positions, bools_of, int64_array, numbers_of, sum_by_utterance
from ...kernel.comparison import Comparison
from ...kernel.formulas import Counts, Tallied
from ...kernel.segmentation import Segmentation
from ...scoring.measures.group import precision_recall_fscore_group

#: The columns of the words of multiword tokens, and of their tags: null for other tokens.
_COLUMN = "syntactic_words"
_TAGS = "syntactic_tags"


class _Token(NamedTuple):
    start: int
    end: int
    words: Sequence[str]
    tags: Sequence[str]  #: of the words; empty if tags are not asked for
    is_multiword: bool


def tally_syntactic_word(comparison: Comparison) -> Tallied:
    """Count words: all as tokens, but for the pieces of text with multiword tokens, whose words are aligned."""
    return count_words(comparison, comparison.matched).columns("syntactic_word")


def has_multiword_tokens(comparison: Comparison) -> bool:
    """Return whether a side has multiword tokens."""
    return any(_COLUMN in side.of_words for side in (comparison.reference, comparison.prediction))


def count_words(comparison: Comparison, is_matched: Mask, *, with_tags: bool = False) -> Counts[Positions]:
    """Return the counts of words of each utterance; with tags, a match has the same tag on both sides.

    `is_matched` says which pieces of text are a token that matches: bool (n_pieces,). A piece is the text between two shared
    boundaries that are neighbours. The naive equivalent aligns all words of an utterance, from the left, by the rules above. This
    loops over the words of the pieces with multiword tokens.
    """
    sides = comparison.reference, comparison.prediction
    shared = comparison.shared_reference, comparison.shared_prediction
    tokens = comparison.utterance_reference, comparison.utterance_prediction
    multiword = [_multiword(side) for side in sides]
    matched = is_matched.astype(np.int64)
    has_multiword = np.zeros(len(matched), bool)
    for (is_multiword, _), ends in zip(multiword, shared, strict=True):
        has_multiword |= np.diff(np.cumsum(is_multiword)[ends], prepend=0) > 0
    if has_multiword.any():
        begins = np.zeros(len(matched) + 1, bool)
        # Utterances of 2 and 3 pieces begin with the pieces 0 and 2.
        begins[np.cumsum(comparison.utterance_shared) - comparison.utterance_shared] = True
        # If the piece before is no token on both sides, one side may still be within it.
        is_behind = ~begins[:-1] & np.concatenate(([False], ~comparison.matched[:-1]))
        is_aligned = has_multiword.copy()
        is_aligned[:-1] |= has_multiword[1:] & is_behind[1:]
        matched[is_aligned] = 0
        # Aligned pieces 1 1 0 1 of an utterance are two runs, which begin at 0 and 3.
        firsts = np.flatnonzero(is_aligned & (begins[:-1] | np.concatenate(([True], ~is_aligned[:-1]))))
        runs = [
            _tokens(side, ends, is_aligned, firsts, with_tags=with_tags)
            for side, ends in zip(sides, shared, strict=True)
        ]
        count_span = _count_tags if with_tags else _count_forms
        matched[firsts] = [_count_aligned(left, right, count_span) for left, right in zip(*runs, strict=True)]
    reference, predicted = (sum_by_utterance(words, count) for (_, words), count in zip(multiword, tokens, strict=True))
    return Counts(sum_by_utterance(matched, comparison.utterance_shared), predicted, reference)


def _multiword(side: Segmentation) -> tuple[Mask, Positions]:
    """Return which tokens are multiword tokens, and the number of words of each token."""
    syntactic_words = side.of_words.get(_COLUMN)
    if syntactic_words is None:
        return np.zeros(len(side.word_ends), bool), np.ones(len(side.word_ends), np.int64)
    counts = numbers_of(pc.fill_null(pc.list_value_length(syntactic_words), 1))
    return bools_of(syntactic_words.is_valid()), counts


def _tokens(
    side: Segmentation, shared: Positions, is_aligned: Mask, firsts: Positions, *, with_tags: bool
) -> Iterator[list[_Token]]:
    """Return the tokens of each run of pieces; `firsts` are the first pieces of the runs."""
    pieces = np.searchsorted(shared, np.arange(len(side.word_ends)))
    aligned = np.flatnonzero(is_aligned[pieces])
    ends = side.word_ends[aligned].tolist()
    starts = np.concatenate(([0], side.word_ends))[aligned].tolist()
    places = int64_array(aligned)
    forms = pc.take(side.words(), places).cast(pa.large_string()).to_pylist()
    lists = _rows(side, _COLUMN, places)
    tags: list[list[str]] = [[]] * len(aligned)
    if with_tags:
        of_tokens = _rows(side, "tags", places)
        tags = [several or [tag] for several, tag in zip(_rows(side, _TAGS, places), of_tokens, strict=True)]
    all_tokens = [
        _Token(start, end, [word.lower() for word in words or [form]], tags_of_words, words is not None)
        for start, end, form, words, tags_of_words in zip(starts, ends, forms, lists, tags, strict=True)
    ]
    cuts = np.searchsorted(pieces[aligned], firsts).tolist()
    return (all_tokens[start:stop] for start, stop in pairwise([*cuts, len(all_tokens)]))


def _rows(side: Segmentation, name: str, places: pa.Array) -> list[Any]:
    """Return the rows of a column of words; None for each if the side has no such column."""
    column = side.of_words.get(name)
    if column is None:
        return [None] * len(places)
    rows: list[Any] = pc.take(column, places).to_pylist()
    return rows


def _count_aligned(
    left: Sequence[_Token], right: Sequence[_Token], count_span: Callable[[Sequence[_Token], Sequence[_Token]], int]
) -> int:
    """Count the matched words of two sides; `count_span` counts those of a multiword span."""
    count = i = j = 0
    while i < len(left) and j < len(right):
        one = left[i]
        other = right[j]
        if not one.is_multiword and not other.is_multiword:
            if one[:2] == other[:2]:
                count += one.tags == other.tags
                i += 1
                j += 1
            elif one.start <= other.start:
                i += 1
            else:
                j += 1
            continue
        # A word that begins before the multiword token does not belong to it.
        if one.is_multiword:
            end = one.end
            if not other.is_multiword and other.start < one.start:
                j += 1
        else:
            end = other.end
            if one.start < other.start:
                i += 1
        first = i, j
        # The tokens of both sides, in the order of their starts, up to the end of the last multiword token that they overlap.
        while _is_within(left, i, end) or _is_within(right, j, end):
            if i < len(left) and (j == len(right) or left[i].start <= right[j].start):
                token = left[i]
                i += 1
            else:
                token = right[j]
                j += 1
            if token.is_multiword:
                end = max(end, token.end)
        count += count_span(left[first[0] : i], right[first[1] : j])
    return count


def _count_forms(left: Sequence[_Token], right: Sequence[_Token]) -> int:
    """Return the length of the longest common subsequence of the words of two sides."""
    from rapidfuzz.distance import LCSseq

    return LCSseq.similarity(_words(left), _words(right))


def _count_tags(left: Sequence[_Token], right: Sequence[_Token]) -> int:
    """Count the words of a longest common subsequence that have the same tag on both sides.

    Of several subsequences it is the one of the evaluation, which takes equal words from the left, and else skips a word of the
    left side where that loses none.
    """
    words = _words(left), _words(right)
    tags = [[*chain.from_iterable(token.tags for token in tokens)] for tokens in (left, right)]
    longest = _longest_common(*words)
    count = i = j = 0
    while i < len(words[0]) and j < len(words[1]):
        if words[0][i] == words[1][j]:
            count += tags[0][i] == tags[1][j]
            i += 1
            j += 1
        elif longest[i][j] == longest[i + 1][j]:
            i += 1
        else:
            j += 1
    return count


def _longest_common(left: Sequence[str], right: Sequence[str]) -> list[list[int]]:
    """Return the length of the longest common subsequence of the words from i of the left and from j of the right side."""
    longest = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for i in reversed(range(len(left))):
        for j in reversed(range(len(right))):
            skipping = max(longest[i + 1][j], longest[i][j + 1])
            longest[i][j] = max(skipping, longest[i + 1][j + 1] + (left[i] == right[j]))
    return longest


def _words(tokens: Sequence[_Token]) -> list[str]:
    return [*chain.from_iterable(token.words for token in tokens)]


def _is_within(tokens: Sequence[_Token], index: int, end: int) -> bool:
    """Return whether a token belongs to the multiword span that ends at `end` so far."""
    if index == len(tokens):
        return False
    if tokens[index].is_multiword:
        return tokens[index].start < end
    return tokens[index].end <= end


GROUP = precision_recall_fscore_group(
    "syntactic_word",
    title="syntactic words",
    definition="Words of CoNLL-U, where a multiword token counts as its words. A match is a word with the same span on both "
    "sides; in multiword spans, a word of the longest common subsequence.",
    source="Zeman et al. (2018)",
    tally=tally_syntactic_word,
    needs=frozenset({"units", "documents", "equal_units"}),
    equal_to="UD evaluation",
)
