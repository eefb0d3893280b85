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
from ...kernel.record import record
from ...kernel.segmentation import Segmentation
from ...scoring.measures.group import precision_recall_fscore_group

#: The columns of the words of multiword tokens, and of their tags: null for other tokens.
_COLUMN = "syntactic_words"
_TAGS = "syntactic_tags"


class _Token(NamedTuple):
    """A token of one side, with the words that it counts as."""

    start: int  #: its position in the text, as `end`
    end: int
    words: Sequence[str]  #: in lower case
    tags: Sequence[str]  #: of the words; empty if tags are not asked for
    is_multiword: bool


def tally_syntactic_word(comparison: Comparison) -> Tallied:
    """Count words: all as tokens, but for the chunks of text with multiword tokens, whose words are aligned."""
    return count_words(comparison, comparison.matched).columns("syntactic_word")


def has_multiword_tokens(comparison: Comparison) -> bool:
    """Return whether a side has multiword tokens."""
    return any(_COLUMN in side.of_words for side in (comparison.reference, comparison.prediction))


def count_words(comparison: Comparison, is_matched: Mask, *, with_tags: bool = False) -> Counts[Positions]:
    """Return the counts of words of each utterance; with tags, a match has the same tag on both sides.

    `is_matched` says which chunks of text are a token that matches: bool (n_chunks,). A chunk is the text between two shared
    boundaries that are neighbours. The naive equivalent aligns all words of an utterance, from the left, by the rules above. This
    loops over the words of the chunks with multiword tokens.
    """
    reference = _Multiword.of(comparison.reference)
    prediction = _Multiword.of(comparison.prediction)
    matched = is_matched.astype(np.int64)
    in_reference = reference.chunks_with_multiword(comparison.shared_reference)
    in_prediction = prediction.chunks_with_multiword(comparison.shared_prediction)
    has_multiword = in_reference | in_prediction
    if has_multiword.any():
        is_aligned, firsts = _aligned_runs(comparison, has_multiword)
        left_runs = _tokens(comparison.reference, comparison.shared_reference, is_aligned, firsts, with_tags=with_tags)
        right_runs = _tokens(
            comparison.prediction, comparison.shared_prediction, is_aligned, firsts, with_tags=with_tags
        )
        count_span = _count_tags if with_tags else _count_forms
        # The first chunk of a run has all matches of the run.
        matched[is_aligned] = 0
        matched[firsts] = [
            _count_aligned(left, right, count_span) for left, right in zip(left_runs, right_runs, strict=True)
        ]
    return Counts(
        # An utterance has as many chunks as shared boundaries.
        matched=sum_by_utterance(matched, comparison.utterance_shared),
        predicted=sum_by_utterance(prediction.word_counts, comparison.utterance_prediction),
        reference=sum_by_utterance(reference.word_counts, comparison.utterance_reference),
    )


class _Runs(NamedTuple):
    """The chunks of text whose words are aligned, in runs of neighbours within an utterance."""

    is_aligned: Mask  #: which chunks are aligned
    firsts: Positions  #: the first chunk of each run


def _aligned_runs(comparison: Comparison, has_multiword: Mask) -> _Runs:
    """Return the chunks with a multiword token, and a chunk before such a one if its words may reach into it.

    `has_multiword` has a value for each chunk of all utterances, as `comparison.matched` has.
    Aligned chunks 1 1 0 1 of an utterance are two runs, which begin at 0 and 3.
    """
    begins_utterance = np.zeros(len(has_multiword) + 1, bool)
    # Utterances of 2, 3 and 0 chunks begin with the chunks 0 2 5, of which 5 is behind the last one.
    begins_utterance[np.cumsum(comparison.utterance_shared) - comparison.utterance_shared] = True
    begins_utterance = begins_utterance[:-1]
    # If the chunk before is not matched, a side has several tokens there: words of the other side may reach into this one.
    is_behind = ~begins_utterance & np.concatenate(([False], ~comparison.matched[:-1]))
    is_aligned = has_multiword.copy()
    is_aligned[:-1] |= has_multiword[1:] & is_behind[1:]
    begins_run = is_aligned & (begins_utterance | np.concatenate(([True], ~is_aligned[:-1])))
    return _Runs(is_aligned, np.flatnonzero(begins_run))


@record
class _Multiword:
    """The words that the tokens of a side stand for."""

    is_multiword: Mask  #: which tokens are multiword tokens
    word_counts: Positions  #: the number of words of each token

    @classmethod
    def of(cls, side: Segmentation) -> _Multiword:
        """Return what the tokens of a side stand for; without the column, each for itself."""
        syntactic_words = side.of_words.get(_COLUMN)
        if syntactic_words is None:
            return cls(np.zeros(len(side.word_ends), bool), np.ones(len(side.word_ends), np.int64))
        counts = numbers_of(pc.fill_null(pc.list_value_length(syntactic_words), 1))
        return cls(bools_of(syntactic_words.is_valid()), counts)

    def chunks_with_multiword(self, shared: Positions) -> Mask:
        """Return which chunks have a multiword token; `shared` are the last tokens of the chunks."""
        # Multiword tokens 0 1 0 1, and chunks that end with the tokens 0 1 3: up to these are 0 1 2, so the chunks 1 2 have one.
        multiword_up_to = np.cumsum(self.is_multiword)[shared]
        return np.asarray(np.diff(multiword_up_to, prepend=0) > 0)


def _tokens(
    side: Segmentation, shared: Positions, is_aligned: Mask, firsts: Positions, *, with_tags: bool
) -> Iterator[list[_Token]]:
    """Yield the tokens of each run of aligned chunks.

    `shared` are the last tokens of the chunks, `is_aligned` says which chunks are aligned, and `firsts` are the first chunks of
    the runs.
    """
    # Chunks that end with the tokens 0 and 2: the tokens are in the chunks 0 1 1.
    chunk_of_token = np.searchsorted(shared, np.arange(len(side.word_ends)))
    aligned = np.flatnonzero(is_aligned[chunk_of_token])
    starts = np.concatenate(([0], side.word_ends))[aligned].tolist()
    ends = side.word_ends[aligned].tolist()
    places = int64_array(aligned)
    texts = pc.take(side.words(), places).cast(pa.large_string()).to_pylist()
    # The words of multiword tokens; None of other tokens.
    syntactic_words = _rows(side, _COLUMN, places)
    tags: list[list[str]] = [[]] * len(aligned)
    if with_tags:
        tags_of_tokens = _rows(side, "tags", places)
        tags_of_words = _rows(side, _TAGS, places)
        tags = [several or [tag] for several, tag in zip(tags_of_words, tags_of_tokens, strict=True)]
    tokens = []
    for start, end, text, several_words, token_tags in zip(starts, ends, texts, syntactic_words, tags, strict=True):
        words = [word.lower() for word in several_words or [text]]
        tokens.append(_Token(start, end, words, token_tags, is_multiword=several_words is not None))
    # Aligned tokens in the chunks 1 1 3, and runs that begin with the chunks 1 and 3: their first tokens are 0 and 2.
    first_tokens = np.searchsorted(chunk_of_token[aligned], firsts).tolist()
    for first, stop in pairwise([*first_tokens, len(tokens)]):
        yield tokens[first:stop]


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
    """Count the matched words of two sides; `count_span` counts those of a multiword span.

    Both sides are read from the left, token by token: `i` is the index of the next token of `left`, and `j` of `right`.
    """
    count = 0
    i = 0
    j = 0
    while i < len(left) and j < len(right):
        left_token = left[i]
        right_token = right[j]
        if left_token.is_multiword or right_token.is_multiword:
            # A word of the other side that begins before the multiword token is skipped: it does not belong to it. Only one is,
            # as in the script of the UD evaluation: of several words the others count as words of the span.
            if not right_token.is_multiword and right_token.start < left_token.start:
                j += 1
            elif not left_token.is_multiword and left_token.start < right_token.start:
                i += 1
            # A token that is skipped is no multiword token, so that the end is that of the other one.
            # If both tokens are multiword tokens, the span may be longer than the left one: `_stops_of_span` looks at both.
            end = left_token.end if left_token.is_multiword else right_token.end
            left_stop, right_stop = _stops_of_span(left, right, i, j, end)
            count += count_span(left[i:left_stop], right[j:right_stop])
            i = left_stop
            j = right_stop
        elif (left_token.start, left_token.end) == (right_token.start, right_token.end):
            # Without tags both lists are empty.
            if left_token.tags == right_token.tags:
                count += 1
            i += 1
            j += 1
        elif left_token.start <= right_token.start:
            i += 1
        else:
            j += 1
    return count


def _stops_of_span(left: Sequence[_Token], right: Sequence[_Token], i: int, j: int, end: int) -> tuple[int, int]:
    """Return the indices of the first tokens of both sides after a multiword span.

    The span begins with the tokens left[i] and right[j], and with a multiword token that ends at the position `end`. Each
    multiword token that overlaps the span makes it longer.
    """
    while _is_within(left, i, end) or _is_within(right, j, end):
        # Take the tokens of both sides in the order of their starts.
        is_left_next = j == len(right) or (i < len(left) and left[i].start <= right[j].start)
        if is_left_next:
            token = left[i]
            i += 1
        else:
            token = right[j]
            j += 1
        if token.is_multiword:
            end = max(end, token.end)
    return i, j


def _count_forms(left: Sequence[_Token], right: Sequence[_Token]) -> int:
    """Return the length of the longest common subsequence of the words of two sides."""
    from rapidfuzz.distance import LCSseq

    return LCSseq.similarity(_words(left), _words(right))


def _count_tags(left: Sequence[_Token], right: Sequence[_Token]) -> int:
    """Count the words of a longest common subsequence that have the same tag on both sides.

    Of several subsequences it is the one of the evaluation, which takes equal words from the left, and else skips a word of the
    left side where that loses none.
    """
    left_words = _words(left)
    right_words = _words(right)
    left_tags = [*chain.from_iterable(token.tags for token in left)]
    right_tags = [*chain.from_iterable(token.tags for token in right)]
    longest = _longest_common(left_words, right_words)
    count = 0
    i = 0
    j = 0
    while i < len(left_words) and j < len(right_words):
        if left_words[i] == right_words[j]:
            if left_tags[i] == right_tags[j]:
                count += 1
            i += 1
            j += 1
        elif longest[i][j] == longest[i + 1][j]:
            # As many words are common without word i of the left side.
            i += 1
        else:
            j += 1
    return count


def _longest_common(left: Sequence[str], right: Sequence[str]) -> list[list[int]]:
    """Return a table: longest[i][j] is the length of the longest common subsequence of left[i:] and right[j:]."""
    longest = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for i in reversed(range(len(left))):
        for j in reversed(range(len(right))):
            if left[i] == right[j]:
                longest[i][j] = longest[i + 1][j + 1] + 1
            else:
                longest[i][j] = max(longest[i + 1][j], longest[i][j + 1])
    return longest


def _words(tokens: Sequence[_Token]) -> list[str]:
    """Return the words that tokens count as."""
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
