"""Blocks of whole lines: their lines as arrays, and errors that name the first line that is wrong."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa

from ...kernel import arrow_functions as pc
from ...kernel.arrays import Mask, binary_slices, bools_of, bytes_of, first_true, offsets_of
from ...kernel.segmentation import NEWLINE
from ...options.errors import UtteranceError
from ...options.quoting import shortened
from ..readers import ASCII_WHITESPACE

_WITHIN_LINES = ASCII_WHITESPACE.replace(b"\n", b"")
#: Translation tables: ASCII whitespace except newline → NUL, which separates words, or space.
MARK_SPACES = bytes.maketrans(_WITHIN_LINES, bytes(len(_WITHIN_LINES)))
TO_SPACES = bytes.maketrans(_WITHIN_LINES, b" " * len(_WITHIN_LINES))


def lines_of(block: bytes) -> pa.LargeBinaryArray:
    """Return the lines of a block, each with its end."""
    codes = np.frombuffer(block, np.uint8)
    return binary_slices(codes, np.flatnonzero(codes == NEWLINE) + 1)


def block_of(utterances: pa.LargeBinaryArray) -> bytes:
    """Return the block of lines, each with its end."""
    offsets = offsets_of(utterances)
    return bytes(memoryview(bytes_of(utterances))[offsets[0] : offsets[-1]])


def matches(utterances: pa.Array, pattern: str | bytes) -> Mask:
    """Return a mask of the utterances in which the pattern matches somewhere."""
    return bools_of(pc.match_substring_regex(utterances, pattern))


def refuse_lines(utterances: pa.Array, is_bad: Mask, expected: str) -> None:
    """Reject the first bad line; `expected` says what a line should be."""
    utterance = first_true(is_bad)
    if utterance >= 0:
        text = utterances[utterance].as_py()
        if isinstance(text, bytes):
            text = text.decode(errors="replace")
        raise UtteranceError(utterance, f"received {shortened(text.rstrip())}; expected {expected}.")


def refuse_tokens(utterances: pa.Array, token: str, expected: str, separator: bytes = b"") -> None:
    """Reject utterances with a token that the pattern `token` does not match; NULs in it stand for the separator.

    The message names the first such token: "received 'a_'; expected words and tags, such as dog_NN."
    """
    utterance = first_true(~matches(utterances, rf"^\s*({token}(\s+|$))*$"))
    if utterance >= 0:
        text = utterances[utterance].as_py()
        good_tokens = re.match(rf"\s*({token}(\s+|$))*".encode(), text)
        rest = text
        if good_tokens is not None:
            rest = text[good_tokens.end() :]
        bad_token, *_ = rest.split()
        received = bad_token.replace(b"\0", separator).decode(errors="replace")
        raise UtteranceError(utterance, f"received {shortened(received)}; expected {expected}.")
