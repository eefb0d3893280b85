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

from ...kernel.arrays import lengths_of, sum_by_utterance
from ...kernel.comparison import Comparison
from ...kernel.formulas import Tallied, quotients
from .group import COUNT, Key, ScoreGroup

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
_COLUMNS = tuple(column for column, _ in _QUOTIENTS.values())


def tally_subword(comparison: Comparison) -> Tallied:
    """Count tokens, words by the number of their tokens, and the size of the text.

    The naive equivalent, for a word, counts the tokens that overlap with it.
    """
    # Aligned units are the reference's, and the tokens are of the prediction's own text.
    original = getattr(comparison.prediction, "original", comparison.prediction)
    ends = comparison.reference.word_ends
    pieces = comparison.prediction.word_ends
    words = comparison.utterance_reference
    # Words that end at 3, 7 and pieces that end at 2, 5, 7: the second word, from 3 to 7, has the pieces 1 and 2, [1, 3).
    first = np.searchsorted(pieces, ends - lengths_of(ends), side="right")
    last = np.minimum(np.searchsorted(pieces, ends, side="left") + 1, len(pieces))
    if "tokens" not in original.of_words:
        of_words = np.maximum(last - first, 0)
        tokens = comparison.utterance_prediction
        characters = original.utterance_units
        sizes = lengths_of(original.utterance_ends)
        if original.unit == "token":
            sizes = sizes - original.utterance_units  # without the space that ends each unit
        partial = unknown = np.zeros_like(words)
    else:
        before = np.concatenate(([0], np.cumsum(original.of_words["tokens"])))
        of_words = before[last] - before[np.minimum(first, last)]
        tokens, partial, unknown, characters, sizes = original.of_utterances["tokens"].counts.T
    is_single = comparison.matched_words()[0] & (of_words == 1)
    by_word = [sum_by_utterance(chosen, words) for chosen in (of_words > 1, is_single)]
    columns = (tokens, *by_word, characters, sizes, partial, unknown)
    return {**dict(zip(_COLUMNS, columns, strict=True)), "subword_words": words}


GROUP = ScoreGroup(
    name="subword",
    title="tokens of words",
    definition="T tokens of a text, and W words of the reference: words of two tokens or more, words that are one token; "
    "characters and bytes of the text; tokens that begin or end within a character, and unknown tokens.",
    formula="fertility T / W, continued_words and single_token_words shares of W, characters_per_token, bytes_per_token, "
    "partial_tokens and unknown_tokens shares of T",
    source="Ács (2019); Rust et al. (2021)",
    columns=(*_COLUMNS, "subword_words"),
    keys={
        "fertility": Key(range=COUNT, better="lower", is_share=False),
        "continued_words": Key(better="lower"),
        "single_token_words": Key(),
        "characters_per_token": Key(range=COUNT, is_share=False),
        "bytes_per_token": Key(range=COUNT, is_share=False),
        "partial_tokens": Key(better="lower"),
        "unknown_tokens": Key(better="lower"),
    },
    tally=tally_subword,
    formulas=partial(quotients, _QUOTIENTS),
)
