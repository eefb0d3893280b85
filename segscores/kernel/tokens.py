"""Tokens: what a tokenizer made of a text, behind the words of a segmentation.

Conventions
-----------
- A word of such a segmentation is a *piece*: the characters between two cuts, without whitespace. A piece is one token, or
  several tokens that share a character, as those of a byte-level tokenizer do.
- A token of whitespace alone is in no piece. It counts as a token of its utterance.
- A partial token begins or ends within a character.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .arrays import Integers, Mask, Positions

#: The counts of an utterance, in the order of the columns of `Tokens.counts`.
TOKEN_COUNTS = ("tokens", "partial", "unknown", "characters", "bytes")


@dataclass(frozen=True)
class Tokens:
    """The tokens of a segmentation."""

    of_words: Positions  #: int64, for every piece the number of its tokens
    #: int64 of shape (n_utterances, 5): the tokens, the partial and the unknown ones among them; and the characters and bytes
    #: of the text, with whitespace
    counts: npt.NDArray[np.int64]
    ids: Integers | None  #: the id of every token, in order; None if the tokenizer has none
    size: int  #: the number of ids that the tokenizer has; 0 if it is unknown

    def count(self, name: str) -> Positions:
        """Return one of TOKEN_COUNTS for each utterance."""
        return self.counts[:, TOKEN_COUNTS.index(name)]

    def take(self, words: Mask, utterances: Mask) -> Tokens:
        """Return the tokens of some utterances, which have these words."""
        ids = None if self.ids is None else self.ids[np.repeat(utterances, self.count("tokens"))]
        return Tokens(self.of_words[words], self.counts[utterances], ids, self.size)


def join_tokens(parts: Sequence[Tokens | None]) -> Tokens | None:
    """Join the tokens of several segmentations, in order; return None if a segmentation has no tokens."""
    known = [tokens for tokens in parts if tokens is not None]
    if not known or len(known) < len(parts):
        return None
    ids = [tokens.ids for tokens in known if tokens.ids is not None]
    return Tokens(
        np.concatenate([tokens.of_words for tokens in known]),
        np.concatenate([tokens.counts for tokens in known]),
        np.concatenate(ids) if len(ids) == len(known) else None,
        known[0].size,
    )
