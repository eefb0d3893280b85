"""Tokens as words: the pieces of lines of text that the offsets of tokens cut; the conventions are those of `encoders`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...kernel.arrays import Integers, Mask, Positions, first_true, lengths_of
from ...kernel.segmentation import NEWLINE, Segmentation
from ...kernel.tokens import TOKEN_COUNTS, Tokens
from ...options.errors import UtteranceError
from ...reading.readers import from_words_text

#: By code point, whether a character is a space; the last of these stands for all after it.
_IS_SPACE = np.array([chr(code).isspace() for code in range(0x3002)])


class Encoded(NamedTuple):
    """The tokens of some texts: how many each text has, where each token begins and ends, in characters of its text, and its id.

    `partial` says which tokens begin or end within a character. None: the offsets say it, because tokens that share a character
    overlap.
    """

    counts: Positions  #: for each text
    starts: Positions  #: for each token, as are the following
    ends: Positions
    ids: Integers | None = None  #: None: the tokenizer shows none
    partial: Mask | None = None


def from_offsets(
    block: bytes, encoded: Encoded, is_space: Mask | None = None, *, size: int = 0, unknown: int = -1
) -> Segmentation:
    """Read lines of text, cut at the offsets of tokens; `is_space` says which tokens are whitespace alone.

    `size` is the number of ids of the tokenizer, 0 if it shows none. `unknown` is the id of its unknown token, −1 without one.

    The naive equivalent, for a line without whitespace whose first character is in a token, cuts it where a token begins
    and all tokens before it have ended.

    >>> two = Encoded(*map(np.array, ([2], [0, 7], [7, 10], [5, 6])))
    >>> read = from_offsets(b"the dog is\\n", two)
    >>> read.word_ends, read.of_words["tokens"]
    (array([6, 8]), array([1, 1]))
    >>> dict(zip(TOKEN_COUNTS, read.of_utterances["tokens"].counts[0].tolist()))
    {'tokens': 2, 'partial': 0, 'unknown': 0, 'characters': 10, 'bytes': 10}
    """
    plain = from_words_text(block)
    characters = _Characters.of(block)
    _check(encoded, characters.lengths)
    spans = _UnitSpans.of(encoded, characters, is_space)
    spans.check_order()
    units_before = characters.units_before
    # The positions with whitespace, newlines among it, counted in units.
    spaces = np.unique(units_before[:-1][characters.is_white])
    is_end = _piece_ends(spans.first, spans.last, spaces, int(units_before[-1]))
    # Counted in units.
    piece_ends = np.flatnonzero(is_end)
    # A token belongs to the piece in which it begins, whose index is the number of pieces that end up to there.
    token_counts = np.bincount(np.cumsum(is_end)[spans.first], minlength=len(piece_ends)).astype(np.int64)
    table = _count_tokens(encoded, spans, characters, unknown)
    read = Segmentation(
        text=plain.text,
        word_ends=characters.bytes_before_units(piece_ends),
        utterance_ends=plain.utterance_ends,
        utterance_units=plain.utterance_units,
        unit="character",
    )
    read = read.with_word_columns(tokens=token_counts)
    return read.with_utterance_columns(tokens=Tokens(table, encoded.ids, size))


class _Characters(NamedTuple):
    """The characters of lines of text, with their newlines. Units are characters that are no whitespace."""

    codes: npt.NDArray[Any]  #: the code point of each character
    is_white: Mask
    units_before: Positions  #: the number of units before each character, and of all: `a b` has 0 1 1 2
    line_ends: Positions  #: the place of each newline among the characters
    lengths: Positions  #: the number of characters of each line, without its newline

    @classmethod
    def of(cls, block: bytes) -> _Characters:
        """Return the characters of a block of lines."""
        codes: npt.NDArray[Any] = np.frombuffer(block, np.uint8)
        if not block.isascii():
            codes = np.frombuffer(block.decode().encode("utf-32-le"), "<u4")
        # Code points past the end of the table take its last value: none of them is a space.
        is_white = _IS_SPACE.take(codes, mode="clip")
        line_ends = np.flatnonzero(codes == NEWLINE)
        return cls(
            codes=codes,
            is_white=is_white,
            units_before=np.concatenate(([0], np.cumsum(~is_white))),
            line_ends=line_ends,
            lengths=lengths_of(line_ends + 1) - 1,  # a line ends after its newline, which is not counted
        )

    @property
    def are_bytes(self) -> bool:
        """True if each character is a byte, as in ASCII."""
        return self.codes.dtype == np.uint8

    def bytes_before_units(self, units: Positions) -> Positions:
        """Return positions that count units as positions that count the bytes of units."""
        if self.are_bytes:
            return units
        return _bytes_before(self.codes[~self.is_white])[units]

    def byte_lengths(self) -> Positions:
        """Return the number of bytes of each line, without its newline."""
        if self.are_bytes:
            return self.lengths
        return lengths_of(_bytes_before(self.codes)[self.line_ends] + 1) - 1


class _UnitSpans(NamedTuple):
    """The tokens of some lines of text as spans of their units.

    `utterances` and `has_units` have a value for each token, `first` and `last` one for each token that has units.
    """

    utterances: Positions  #: the utterance of the token
    has_units: Mask  #: whether the token has a unit, or a part of one; others are whitespace, or no text
    first: Positions  #: the number of units before the token
    last: Positions  #: the number of units up to its end, one more than `first` at least

    @classmethod
    def of(cls, encoded: Encoded, characters: _Characters, is_space: Mask | None) -> _UnitSpans:
        """Return the spans of tokens; `is_space` says which are whitespace alone, and is None if nothing is known of them."""
        # Lines "a b" and "c d", whose newlines are the characters 3 and 7, start with the characters 0 and 4.
        line_starts = np.repeat(characters.line_ends - characters.lengths, encoded.counts)
        starts_in_block = encoded.starts + line_starts
        ends_in_block = encoded.ends + line_starts
        starts = characters.units_before[starts_in_block]
        ends = characters.units_before[ends_in_block]
        has_units = ends > starts
        if is_space is not None:
            # Only the token says whether an empty span, as of the first bytes of a character in SentencePiece, is whitespace.
            has_units |= ~characters.is_white[starts_in_block]
            has_units &= ~is_space
        first = starts[has_units]
        return cls(
            utterances=np.repeat(np.arange(len(characters.lengths)), encoded.counts),
            has_units=has_units,
            first=first,
            # An empty span has the first bytes of a character: it begins within this unit.
            last=np.maximum(ends[has_units], first + 1),
        )

    @property
    def utterances_with_units(self) -> Positions:
        """The utterance of each token that has units, as `first` and `last` are of these alone."""
        return self.utterances[self.has_units]

    def check_order(self) -> None:
        """Check that the tokens are in the order of their beginnings."""
        before_disorder = first_true(self.first[1:] < self.first[:-1])
        if before_disorder >= 0:
            problem = "the tokenizer's tokens are not in the order of the text."
            utterance = int(self.utterances_with_units[before_disorder + 1])
            raise UtteranceError(utterance, problem, "Sort them by their start.")


def _count_tokens(encoded: Encoded, spans: _UnitSpans, characters: _Characters, unknown: int) -> Positions:
    """Return the counts of each utterance, (n_utterances, n_columns), with the columns TOKEN_COUNTS.

    `unknown` is the id of the unknown token; −1 if there is none.
    """
    utterance_count = len(characters.lengths)
    is_partial = encoded.partial
    if is_partial is None:
        # A token that has a part of a character shares it with a neighbour. Tokens without units have no part of any.
        is_partial = np.zeros(len(spans.has_units), bool)
        is_partial[spans.has_units] = _share_characters(spans.utterances_with_units, spans.first, spans.last)
    is_unknown = np.zeros(len(spans.has_units), bool)
    if encoded.ids is not None and unknown >= 0:
        is_unknown = encoded.ids == unknown
    counts_of_utterances = {
        "tokens": encoded.counts,
        "partial": np.bincount(spans.utterances[is_partial], minlength=utterance_count),
        "unknown": np.bincount(spans.utterances[is_unknown], minlength=utterance_count),
        "characters": characters.lengths,
        "bytes": characters.byte_lengths(),
    }
    return np.stack([counts_of_utterances[name] for name in TOKEN_COUNTS], axis=1).astype(np.int64)


def _share_characters(utterances: Positions, first: Positions, last: Positions) -> Mask:
    """Return which tokens share a character with a neighbour of their utterance; they are from `first` to before `last`."""
    is_shared = np.zeros(len(utterances), bool)
    overlaps = (utterances[1:] == utterances[:-1]) & (first[1:] < last[:-1])
    is_shared[1:] |= overlaps
    is_shared[:-1] |= overlaps
    return is_shared


def _piece_ends(first: Positions, last: Positions, spaces: Positions, n_units: int) -> Mask:
    """Return a mask of the positions, of 0 to `n_units`, at which a piece ends.

    `first` and `last` are the positions at which tokens begin and end, in the order of their beginnings, `spaces` those with
    whitespace or the end of a line, in order.
    """
    # Text "ab éc dé":    a 0, b 1, é 2, c 3, d 4, é 5; spaces 2, 4, 6
    # Tokens ab, c and d: first 0, 3, 4; last 2, 4, 5; reached before each 0, 2, 4, and after all 5
    # Pieces ab, éc, dé:  c begins no piece, because no token before it reaches beyond 2, where its word begins
    reached = np.maximum.accumulate(np.append(0, last))
    reached_before = reached[:-1]
    starts = np.append(0, spaces)
    word_starts = starts[np.searchsorted(starts, first, side="right") - 1]
    begins_piece = (first >= reached_before) & (reached_before > word_starts)
    # A space within a token ends no piece.
    is_within_token = reached[np.searchsorted(first, spaces)] > spaces
    is_end = np.zeros(n_units + 1, bool)
    is_end[first[begins_piece]] = True
    is_end[spaces[~is_within_token]] = True
    is_end[0] = False
    return is_end


def _bytes_before(codes: npt.NDArray[Any]) -> Positions:
    """Return the number of bytes before each character, and of all."""
    # The sizes of the characters in UTF-8, with a 0 before them: `aé` has 0 1 2, so that 0 1 3 bytes are before.
    sizes = np.ones(len(codes) + 1, np.int64)
    sizes[0] = 0
    # From each of these code points on, a character has one byte more.
    for least in (0x80, 0x800, 0x10000):
        sizes[1:] += codes >= least
    return np.cumsum(sizes)


def _check(encoded: Encoded, lengths: Positions) -> None:
    """Check that there are tokens for each text, within the text; `lengths` are those of the texts, in characters."""
    starts = encoded.starts
    ends = encoded.ends
    counts = encoded.counts
    returned = "the tokenizer returned the"
    if len(counts) != len(lengths):
        raise ValueError(f"{returned} tokens of {len(counts)} texts for {len(lengths)}: expected one each.")
    text_lengths = np.repeat(lengths, counts)
    bad = first_true((starts < 0) | (ends > text_lengths) | (starts > ends))
    if bad >= 0:
        utterance = int(np.searchsorted(np.cumsum(counts), bad, side="right"))
        problem = f"{returned} offsets {starts[bad]} to {ends[bad]} in a text of {text_lengths[bad]} characters."
        hint = "Offsets count characters of the text that the tokenizer gets, not bytes."
        raise UtteranceError(utterance, problem, hint)
