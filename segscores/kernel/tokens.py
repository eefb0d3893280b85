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

import numpy as np
import numpy.typing as npt

from .arrays import Integers, Mask, Positions
from .record import record

#: The counts of an utterance, in the order of the columns of `Tokens.counts`.
TOKEN_COUNTS = ("tokens", "partial", "unknown", "characters", "bytes")


@record
class Tokens:
    """The tokens of utterances: the column `tokens`. The column `tokens` of words has the number of tokens of each piece."""

    #: int64 of shape (n_utterances, 5): the tokens, the partial and the unknown ones among them; and the characters and bytes
    #: of the text, with whitespace
    counts: npt.NDArray[np.int64]
    ids: Integers | None  #: the id of every token, in order; None if the tokenizer has none
    size: int  #: the number of ids that the tokenizer has; 0 if it is unknown

    def count(self, name: str) -> Positions:
        """Return one of TOKEN_COUNTS for each utterance."""
        return self.counts[:, TOKEN_COUNTS.index(name)]

    def take(self, kept: Mask) -> Tokens:
        """Return the tokens of the kept utterances."""
        ids = None if self.ids is None else self.ids[np.repeat(kept, self.count("tokens"))]
        return Tokens(self.counts[kept], ids, self.size)

    def join(self, others: Sequence[Tokens]) -> Tokens:
        """Return the tokens of these utterances and of others, in order."""
        parts = [self, *others]
        ids = [tokens.ids for tokens in parts if tokens.ids is not None]
        counts = np.concatenate([tokens.counts for tokens in parts])
        # All parts come from one tokenizer, which gives ids everywhere or nowhere.
        all_have_ids = len(ids) == len(parts)
        return Tokens(counts, np.concatenate(ids) if all_have_ids else None, self.size)
