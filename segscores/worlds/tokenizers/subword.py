"""Subwords: how many tokens the words of a text take, and how much text a token holds.

Conventions
-----------
- W are the words of the reference, T the tokens of the text, with the tokens of whitespace alone. A word has every token that has
  a character of the word: a token over two words counts for both.
- Where the prediction is no tokenizer, each predicted word is a token, and the text is the words without the spaces between them.
  Where labels have no text, each unit is a character of one byte.

Scores
------
- Fertility is T / W. Continued words are the share of the words that have two tokens or more, single-token words the share that
  are exactly one token, perhaps with whitespace beside it. Other words are parts of one larger token.
- Characters and bytes per token are of the text with its whitespace. They need no words.
- Partial tokens begin or end within a character. The unknown token may be a single token of a word.

A word is what the reference says. Where text has no spaces between words, as in Chinese, fertility has a meaning only if the
reference has words that people marked. None of these scores predicts how good a model is (Arnett, Hudspeth & O'Connor 2025).

Deviations: tools that tokenize each word by itself (TokLens, tokka-bench) count more tokens than a model sees. In tokka-bench
`continued_word_rate` is a share of the tokens.

Sources
-------
Ács (2019), Exploring BERT's Vocabulary; Rust et al. (2021), ACL, 3118-3135: fertility and continued words. Nayeem et al. (2025):
single-token retention.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ...kernel.arrays import Positions, lengths_of, starts_of, sum_by_utterance
from ...kernel.comparison import Comparison
from ...kernel.formulas import Tallied, quotients
from ...kernel.record import record
from ...kernel.segmentation import Segmentation
from ...scoring.measures.group import UNBOUNDED, Key, ScoreGroup

#: The two columns of each score.
_QUOTIENTS = {
    "fertility": ("subword_tokens", "subword_words"),
    "continued_words": ("subword_continued", "subword_words"),
    "single_token_words": ("subword_single", "subword_words"),
    "characters_per_token": ("subword_characters", "subword_tokens"),
    "bytes_per_token": ("subword_bytes", "subword_tokens"),
    "partial_tokens": ("subword_partial", "subword_tokens"),
    "unknown_tokens": ("subword_unknown", "subword_tokens"),
}
_COLUMNS = (*(column for column, _ in _QUOTIENTS.values()), "subword_words")


@record
class _Tokens:
    """The tokens of a text: how many each reference word has, and the counts of each utterance."""

    of_words: Positions  #: the tokens of each reference word
    of_utterances: Positions  #: the tokens of each utterance; all that follows is of utterances, too
    partial: Positions
    unknown: Positions
    characters: Positions
    bytes: Positions


def tally_subword(comparison: Comparison) -> Tallied:
    """Count tokens, words by the number of their tokens, and the size of the text.

    The naive equivalent, for a word, counts the tokens that overlap with it.
    """
    # Where units are aligned, the prediction has the reference's units, and `original` is the text of the tokens.
    original = getattr(comparison.prediction, "original", comparison.prediction)
    ends = comparison.reference.word_ends
    piece_ends = comparison.prediction.word_ends
    # Words that end at 3, 7 and pieces that end at 2, 5, 7: the second word, from 3 to 7, has the pieces 1 and 2, [1, 3).
    first = np.searchsorted(piece_ends, starts_of(ends), side="right")
    stop = np.minimum(np.searchsorted(piece_ends, ends, side="left") + 1, len(piece_ends))
    if "tokens" in original.of_words:
        tokens = _tokens_of_tokenizer(original, first, stop)
    else:
        tokens = _tokens_of_words(original, stop - first, comparison.utterance_prediction)
    words = comparison.utterance_reference
    # A word that is one token is a piece too; other words of one token are parts of a larger one.
    matched, _ = comparison.matched_words()
    return {
        "subword_tokens": tokens.of_utterances,
        "subword_continued": sum_by_utterance(tokens.of_words > 1, words),
        "subword_single": sum_by_utterance(matched & (tokens.of_words == 1), words),
        "subword_characters": tokens.characters,
        "subword_bytes": tokens.bytes,
        "subword_partial": tokens.partial,
        "subword_unknown": tokens.unknown,
        "subword_words": words,
    }


def _tokens_of_tokenizer(text: Segmentation, first: Positions, stop: Positions) -> _Tokens:
    """Return the tokens that a tokenizer made; a word has the pieces from `first` to before `stop`, each of several tokens."""
    # Pieces of 1, 2 and 1 tokens have 0 1 3 4 tokens before them: the pieces 1 and 2 have 4 - 1.
    tokens_before = np.concatenate(([0], np.cumsum(text.of_words["tokens"])))
    # The columns of TOKEN_COUNTS.
    tokens, partial, unknown, characters, sizes = text.of_utterances["tokens"].counts.T
    return _Tokens(
        of_words=tokens_before[stop] - tokens_before[first],
        of_utterances=tokens,
        partial=partial,
        unknown=unknown,
        characters=characters,
        bytes=sizes,
    )


def _tokens_of_words(text: Segmentation, of_words: Positions, of_utterances: Positions) -> _Tokens:
    """Return the predicted words as tokens, none of which is partial or unknown."""
    none = np.zeros_like(of_utterances)
    sizes = lengths_of(text.utterance_ends)
    if text.unit == "token":
        # A space ends each unit, and belongs to no token.
        sizes = sizes - text.utterance_units
    return _Tokens(
        of_words=of_words,
        of_utterances=of_utterances,
        partial=none,
        unknown=none,
        characters=text.utterance_units,
        bytes=sizes,
    )


GROUP = ScoreGroup(
    name="subword",
    title="tokens of words",
    definition="T tokens of a text, and W words of the reference: words of two tokens or more, words that are one token; "
    "characters and bytes of the text; tokens that begin or end within a character, and unknown tokens.",
    formula="fertility T / W, continued_words and single_token_words shares of W, characters_per_token, bytes_per_token, "
    "partial_tokens and unknown_tokens shares of T",
    source="Ács (2019); Rust et al. (2021)",
    also_called=("compression",),
    columns=_COLUMNS,
    keys={
        "fertility": Key(range=UNBOUNDED, better="lower", is_share=False),
        "continued_words": Key(better="lower"),
        "single_token_words": Key(),
        "characters_per_token": Key(range=UNBOUNDED, is_share=False),
        "bytes_per_token": Key(range=UNBOUNDED, is_share=False),
        "partial_tokens": Key(better="lower"),
        "unknown_tokens": Key(better="lower"),
    },
    tally=tally_subword,
    formulas=partial(quotients, _QUOTIENTS),
)
