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

from collections.abc import Iterator, Sequence
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from ...kernel import arrow_functions as pc
from ...kernel.arrays import Mask, Positions, bools_of, int64_array, numbers_of, sum_by_utterance
from ...kernel.comparison import Comparison
from ...kernel.formulas import Tallied, columns_of
from ...kernel.segmentation import Segmentation
from ...scoring.measures.group import precision_recall_fscore_group


class _Token(NamedTuple):
    start: int
    end: int
    words: Sequence[str]
    is_multiword: bool


def tally_syntactic_word(comparison: Comparison) -> Tallied:
    """Count words: all as tokens, but for the pieces of text with multiword tokens, whose words are aligned.

    A piece is the text between two neighbouring shared boundaries. The naive equivalent aligns all words of an utterance, from
    the left, by the rules above; this loops over the words of such pieces.
    """
    sides = comparison.reference, comparison.prediction
    shared = comparison.shared_reference, comparison.shared_prediction
    tokens = comparison.utterance_reference, comparison.utterance_prediction
    multiword = [_multiword(side) for side in sides]
    matched = comparison.matched.astype(np.int64)
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
        runs = [_tokens(side, ends, is_aligned, firsts) for side, ends in zip(sides, shared, strict=True)]
        matched[firsts] = [_count_aligned(left, right) for left, right in zip(*runs, strict=True)]
    reference, predicted = (sum_by_utterance(words, count) for (_, words), count in zip(multiword, tokens, strict=True))
    return columns_of("syntactic_word", sum_by_utterance(matched, comparison.utterance_shared), predicted, reference)


def _multiword(side: Segmentation) -> tuple[Mask, Positions]:
    """Return which tokens are multiword tokens, and the number of words of each token."""
    syntactic_words = side.of_words.get("syntactic_words")
    if syntactic_words is None:
        return np.zeros(len(side.word_ends), bool), np.ones(len(side.word_ends), np.int64)
    counts = numbers_of(pc.fill_null(pc.list_value_length(syntactic_words), 1))
    return bools_of(syntactic_words.is_valid()), counts


def _tokens(side: Segmentation, shared: Positions, is_aligned: Mask, firsts: Positions) -> Iterator[list[_Token]]:
    """Return the tokens of each run of pieces; `firsts` are the first pieces of the runs."""
    pieces = np.searchsorted(shared, np.arange(len(side.word_ends)))
    aligned = np.flatnonzero(is_aligned[pieces])
    ends = side.word_ends[aligned].tolist()
    starts = np.concatenate(([0], side.word_ends))[aligned].tolist()
    places = int64_array(aligned)
    forms = pc.take(side.words(), places).cast(pa.large_string()).to_pylist()
    lists = [None] * len(aligned)
    if "syntactic_words" in side.of_words:
        lists = pc.take(side.of_words["syntactic_words"], places).to_pylist()
    all_tokens = [
        _Token(start, end, [word.lower() for word in words or [form]], words is not None)
        for start, end, form, words in zip(starts, ends, forms, lists, strict=True)
    ]
    cuts = np.searchsorted(pieces[aligned], firsts).tolist()
    return (all_tokens[start:stop] for start, stop in pairwise([*cuts, len(all_tokens)]))


def _count_aligned(left: Sequence[_Token], right: Sequence[_Token]) -> int:
    from rapidfuzz.distance import LCSseq

    count = i = j = 0
    while i < len(left) and j < len(right):
        one = left[i]
        other = right[j]
        if not one.is_multiword and not other.is_multiword:
            is_same = one[:2] == other[:2]
            count += is_same
            i += is_same or one.start <= other.start
            j += is_same or one.start > other.start
            continue
        if one.is_multiword:
            end = one.end
            j += not other.is_multiword and other.start < one.start
        else:
            end = other.end
            i += one.start < other.start
        first = i, j
        while _is_within(left, i, end) or _is_within(right, j, end):
            if i < len(left) and (j == len(right) or left[i].start <= right[j].start):
                token = left[i]
                i += 1
            else:
                token = right[j]
                j += 1
            if token.is_multiword:
                end = max(end, token.end)
        count += LCSseq.similarity(_words(left[first[0] : i]), _words(right[first[1] : j]))
    return count


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
