"""The text of units: input ids with names from a tokenizer, or the tokens of the evaluated dataset.

The name of an input id is the token without the mark of word pieces, followed by the later pieces of the same unit, which are
masked, up to the next special token.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pyarrow as pa

from ...kernel import arrow_functions as pc
from ...kernel.arrays import Bytes, Mask, Positions, bytes_of, numbers_of, offsets_of
from ...options.errors import UtteranceError
from ...options.messages import OptionError, OptionTypeError
from ...options.table import OPTIONS
from ...reading.form import Form
from ...reading.inputs import BLANKS, WORDS, read_column
from ...reading.subwords import BEFORE
from .evaluation_arrays import Ids


class TokenUnits:
    """Names of input ids as units; `joined` without spaces, as in a vocabulary. Without a tokenizer a unit's name is its id."""

    def __init__(self, tokenizer: Any, *, joined: bool) -> None:
        self._tokenizer = tokenizer
        self.unit: Literal["character", "token"] = "character" if joined else "token"
        self.special = _special_ids(tokenizer)

    def text_of(self, inputs: Ids, is_unit: Mask) -> tuple[Bytes, Positions]:
        """Return the names of units as `Segmentation.text`, and the positions at which units begin and the last one ends.

        The units `play` and `now` are the text `play now ` and the positions 0 5 9; joined, they are `playnow` and 0 4 7.
        `inputs` are rows of input ids, and `is_unit` marks the positions that have a label. A piece is an id that is part of a
        name.
        """
        is_piece = is_unit
        if self._tokenizer is not None:
            is_piece = _with_later_pieces(is_unit, (inputs >= 0) & ~np.isin(inputs, self.special))
        # The ids of all pieces, row by row.
        pieces = inputs[is_piece]
        if not len(pieces):
            return np.zeros(0, np.uint8), np.zeros(1, np.int64)
        _check_ids(inputs, is_unit)
        encoded = pa.array(pieces).dictionary_encode()
        names = self._names(encoded.dictionary.to_pylist())
        # The pieces `play ##ing now` begin a unit at T F T, and end one at F T T.
        begins_unit = is_unit[is_piece]
        ends_unit = np.append(begins_unit[1:], True)
        # A space follows the last piece of a unit; none if units are joined.
        end = b" " if self.unit == "token" else b""
        # After the names stand the same names with the space: `play`, `ing`, `now`, `play `, `ing `, `now `. The pieces of the
        # example have the forms 0 4 5: the number of the name, and 3 more at the end of a unit.
        both_forms = pa.array([*names, *(name + end for name in names)], pa.large_binary())
        form_numbers = numbers_of(encoded.indices).astype(np.int64)
        form_numbers[ends_unit] += len(names)
        names_in_text = both_forms.take(pa.array(form_numbers))
        # The last piece ends a unit, so that the last position is the end of the text.
        piece_ends = offsets_of(names_in_text)[1:]
        positions = np.concatenate(([0], piece_ends[ends_unit]))
        text = np.frombuffer(bytes_of(names_in_text), np.uint8, count=int(positions[-1]))
        return text, positions

    def _names(self, ids: list[int]) -> list[bytes]:
        """Return the name of each input id, without the mark of word pieces: `ing` of `##ing`."""
        if self._tokenizer is None:
            return [str(number).encode() for number in ids]
        tokens = self._tokenizer.convert_ids_to_tokens(ids)
        for number, token in zip(ids, tokens, strict=True):
            if not isinstance(token, str):
                asked = f" has no token for the input id {number}: is it the tokenizer of these inputs?"
                raise OptionError(OPTIONS["processing_class"], asked)
        # A space within a name would separate units.
        return [_without_mark(token).replace(" ", "▁").encode(errors="backslashreplace") for token in tokens]


class ExampleTokens:
    """The tokens of each example of an evaluation, in its order, as units: one for each label that is not masked."""

    #: the ids that are no units: none, as examples are named by their numbers
    special = np.zeros(0, np.int64)

    def __init__(self, tokens: Any, *, joined: bool) -> None:
        column = read_column(tokens, "tokens")
        if column.type not in (WORDS, BLANKS, pa.null()):
            expected = f": expected a list of strings for each example, received {Form.of(column).noun}."
            raise OptionTypeError(OPTIONS["tokens"], expected)
        lists = column.cast(WORDS).combine_chunks()
        tokens = lists.flatten()
        if pc.any(pc.equal(tokens, "")).as_py():
            raise OptionError(OPTIONS["tokens"], ": a token is an empty string; expected text.")
        # A space within a token would separate units.
        tokens = pc.replace_substring(tokens, " ", "▁")
        self.unit: Literal["character", "token"] = "character" if joined else "token"
        if not joined:
            # The last argument stands between the others: the token `dog` and an empty string become `dog `.
            empty = pa.scalar("", tokens.type)
            space = pa.scalar(" ", tokens.type)
            tokens = pc.binary_join_element_wise(tokens, empty, space)
        self._tokens = tokens
        #: where each example begins among the tokens, and where the last one ends
        self._offsets = offsets_of(lists)

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def text_of(self, rows: Ids, is_unit: Mask) -> tuple[Bytes, Positions]:
        """Return names and positions as `TokenUnits.text_of` does; `rows` are consecutive numbers of examples, a column."""
        # Numbers of examples: of the column 4 5 6, the first is 4, and 7 comes after the last.
        first = int(rows[0, 0])
        after = int(rows[-1, 0]) + 1
        if after > len(self):
            problem = f": received {len(self)} lists, and the evaluation has more examples; expected one for each."
            raise OptionError(OPTIONS["tokens"], problem)
        token_counts = np.diff(self._offsets[first : after + 1])
        label_counts = np.count_nonzero(is_unit, axis=1)
        differs = token_counts != label_counts
        if differs.any():
            row = int(np.argmax(differs))
            received = f"received {label_counts[row]} labels that are not masked, and {token_counts[row]} tokens"
            raise UtteranceError(
                row,
                f"{received}; expected a label for each token.",
                hint="Are these the tokens of the dataset that is evaluated? Truncated examples have fewer labels.",
            )
        tokens = self._tokens.slice(self._offsets[first], int(token_counts.sum()))
        # If the bytes of these tokens begin at 7 within those of all, offsets 7 9 12 become the positions 0 2 5.
        byte_offsets = offsets_of(tokens)
        text = np.frombuffer(bytes_of(tokens), np.uint8)[byte_offsets[0] : byte_offsets[-1]]
        return text, byte_offsets - byte_offsets[0]


def _check_ids(inputs: Ids, is_unit: Mask) -> None:
    """Check that every position with a label has an input id, and not the negative number of padding."""
    is_bad = inputs[is_unit] < 0
    if is_bad.any():
        row, position = place_of(is_unit, int(np.argmax(is_bad)))
        raise UtteranceError(
            row,
            f"position {position} has a label, and the input id {inputs[row, position]}; expected an id from 0.",
            hint="Do inputs and labels have the same padding?",
        )


def _special_ids(tokenizer: Any) -> Positions:
    """Return the ids of tokens that are no units. The unknown token is a unit, unless it is also another special token."""
    special = set(getattr(tokenizer, "all_special_ids", ()))
    others = ("bos", "eos", "sep", "cls", "pad", "mask")
    unknown = getattr(tokenizer, "unk_token_id", None)
    if unknown not in [getattr(tokenizer, f"{name}_token_id", None) for name in others]:
        special.discard(unknown)
    return np.array(sorted(special), np.int64)


def _with_later_pieces(is_unit: Mask, is_piece: Mask) -> Mask:
    """Return the positions that name units: the units, and the word pieces that follow a unit without a gap.

    Both masks are of shape (N, L). In `[CLS] play ##ing [SEP] ##x`, with a label for `play` alone, these are `play` and `##ing`.
    """
    later = is_piece & ~is_unit
    if not later.any():
        return is_unit
    # For every position, the last position up to it that is not a later piece; -1 if there is none. If only the positions 2 and
    # 3 of five are later pieces, these are 0 1 1 1 4.
    anchor = np.maximum.accumulate(np.where(later, -1, np.arange(is_unit.shape[1])), axis=1)
    follows = np.take_along_axis(is_unit, np.maximum(anchor, 0), axis=1) & (anchor >= 0)
    return is_unit | (later & follows)


def _without_mark(token: str) -> str:
    """Remove the mark of word pieces from a token; a token that is only a mark is unchanged."""
    for mark in BEFORE:
        if token.startswith(mark) and token != mark:
            return token[len(mark) :]
    return token


def place_of(is_unit: Mask, unit: int) -> tuple[int, int]:
    """Return the row and the position of a unit, by its number among all units, which `is_unit` marks in rows of labels."""
    # Example: in two rows of 4 labels, the place 6 is position 2 of row 1.
    place = int(np.flatnonzero(is_unit)[unit])
    _rows, row_length = is_unit.shape
    row, position = divmod(place, row_length)
    return row, position
