"""Token units: input ids as units, with names from a tokenizer.

A unit's name is the token without the mark of word pieces, followed by the later pieces of the same unit, which are
masked, up to the next special token.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pyarrow as pa

from ..options.table import OPTIONS
from ..support.arrays import Bytes, Mask, Positions, numbers_of
from ..support.errors import UtteranceError
from ..support.messages import OptionError
from .evaluation_arrays import Ids

#: Marks of word pieces, which are not a part of words: those of WordPiece, SentencePiece and byte-level BPE.
_PIECE_MARKS = ("##", "▁", "Ġ")


class TokenUnits:
    """Names of input ids as units. Without a tokenizer a unit's name is its id.

    Args:
        joined: whether a word is written as its names without spaces, as the words of a vocabulary are.
    """

    def __init__(self, tokenizer: Any, *, joined: bool = False) -> None:
        self._tokenizer = tokenizer
        #: As in `Segmentation`.
        self.unit: Literal["character", "token"] = "character" if joined else "token"
        self.special = _special_ids(tokenizer)

    def text_of(self, inputs: Ids, kept: Mask) -> tuple[Bytes, Positions]:
        """The names of units as `Segmentation.text`, the byte at which each begins, and the end of the last."""
        pieces = kept
        if self._tokenizer is not None:
            pieces = _with_later_pieces(kept, (inputs >= 0) & ~np.isin(inputs, self.special))
        chosen = inputs[pieces]
        if len(chosen) and chosen.min() < 0:
            at = int(np.argmax(inputs[kept] < 0))
            row, position = place_of(kept, at)
            raise UtteranceError(
                row,
                f"position {position} has a label, and the input id {inputs[row, position]}; expected an id from 0.",
                hint="Do inputs and labels have the same padding?",
            )
        encoded = pa.array(chosen).dictionary_encode()
        names, index = self._names(encoded.dictionary.to_pylist()), numbers_of(encoded.indices).astype(np.int64)
        ends_unit = np.append(kept[pieces][1:], True)[: len(chosen)]
        # Every name twice: without and with the space that ends a unit.
        end = b" " if self.unit == "token" else b""
        table = pa.array([*names, *(name + end for name in names)], pa.large_binary())
        taken = table.take(pa.array(index + len(names) * ends_unit))
        _, offsets, data = taken.buffers()
        ends = np.frombuffer(offsets, np.int64, len(chosen) + 1) if len(chosen) else np.zeros(1, np.int64)
        positions = np.concatenate(([0], ends[1:][ends_unit]))
        return np.frombuffer(data or b"", np.uint8, int(positions[-1])), positions

    def _names(self, ids: list[int]) -> list[bytes]:
        if self._tokenizer is None:
            return [str(number).encode() for number in ids]
        tokens = self._tokenizer.convert_ids_to_tokens(ids)
        for number, token in zip(ids, tokens, strict=True):
            if not isinstance(token, str):
                asked = f" has no token for the input id {number}: is it the tokenizer of these inputs?"
                raise OptionError(OPTIONS["processing_class"], asked)
        # The space separates units.
        return [_without_mark(token).replace(" ", "▁").encode(errors="backslashreplace") for token in tokens]


def _special_ids(tokenizer: Any) -> Positions:
    """The ids of tokens that are not units. The unknown token is a unit, unless it is also another special token."""
    special = set(getattr(tokenizer, "all_special_ids", ()))
    other_special = [
        getattr(tokenizer, f"{name}_token_id", None) for name in ("bos", "eos", "sep", "cls", "pad", "mask")
    ]
    unknown = getattr(tokenizer, "unk_token_id", None)
    if unknown not in other_special:
        special.discard(unknown)
    return np.array(sorted(special), np.int64)


def _with_later_pieces(kept: Mask, is_piece: Mask) -> Mask:
    """The positions that name units: the kept ones, and the pieces that follow one without a gap."""
    later = is_piece & ~kept
    if not later.any():
        return kept
    # For every position, the last position up to it that is not a later piece; -1 if there is no such position.
    anchor = np.maximum.accumulate(np.where(later, -1, np.arange(kept.shape[1])), axis=1)
    follows = np.take_along_axis(kept, np.maximum(anchor, 0), axis=1) & (anchor >= 0)
    return kept | (later & follows)


def _without_mark(token: str) -> str:
    """A token without the mark of word pieces; a token that is only a mark is unchanged."""
    for mark in _PIECE_MARKS:
        if token.startswith(mark) and token != mark:
            return token[len(mark) :]
    return token


def place_of(kept: Mask, unit: int) -> tuple[int, int]:
    """The row and the position of a unit."""
    row, position = divmod(int(np.flatnonzero(kept)[unit]), kept.shape[1])
    return row, position
