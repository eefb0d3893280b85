"""Segmentation: a segmented corpus in columnar form, and the reader of each input form.

Conventions
-----------
- Positions count bytes of `text`, the UTF-8 of the units alone, all utterances end to end. Position 0 is before the first
  unit; a word is the half-open span between two neighbouring ends. Positions in bytes and positions in units order and
  match alike where both sides have the same units, so nothing converts one into the other.
- In words text a unit is a character and whitespace is no unit. In units text a unit is a token, and `text` holds every
  unit followed by one space, so that the words `a b` and `ab` differ in bytes as they differ in units.
  In lists of words a unit is a character, whitespace inside a word included. Labels have no text; their positions count units.
- Whitespace is what `str.split()` takes for it, U+3000 included. A text block holds one utterance a line; only `\\n` ends
  a line, so that `\\r\\n` needs no care.
- Repeated, leading and trailing separators make no empty words; an empty string in a list of words is no word.

The readers take blocks of bytes or Arrow arrays and loop over neither words nor characters.
"""

from __future__ import annotations

__all__ = [
    "LABEL_SCHEMES",
    "Segmentation",
    "concatenate",
    "from_labels",
    "from_units_text",
    "from_word_lists",
    "from_words_text",
    "lines",
]

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from .errors import UtteranceError

Bytes = npt.NDArray[np.uint8]
Positions = npt.NDArray[np.int64]

NUL, NEWLINE, SPACE = 0x00, 0x0A, 0x20

ASCII_WHITESPACE = b"\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f "
_IS_WHITESPACE = np.zeros(256, bool)
_IS_WHITESPACE[list(ASCII_WHITESPACE)] = True
_TO_SPACE = bytes.maketrans(ASCII_WHITESPACE, b" " * len(ASCII_WHITESPACE))

# Whitespace beyond ASCII: the bytes that end it, by the bytes before.
_WIDE_WHITESPACE = (
    "\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
_WIDE_BY_PREFIX: dict[bytes, bytes] = {}
for _character in _WIDE_WHITESPACE:
    _prefix = _character.encode()[:-1]
    _WIDE_BY_PREFIX[_prefix] = _WIDE_BY_PREFIX.get(_prefix, b"") + _character.encode()[-1:]

#: The tags or integers of each label scheme.
LABEL_SCHEMES: dict[str, tuple[int | str, ...]] = {
    "start": (0, 1),
    "end": (0, 1),
    "BI": ("B", "I"),
    "BMES": ("B", "M", "E", "S"),
}


@dataclass(frozen=True)
class Segmentation:
    """One segmented corpus, or a part of it, as arrays.

    Attributes:
        text: uint8, the bytes of the units; None where there are only labels.
        word_ends: int64, the position at which each word ends, strictly increasing.
        utterance_ends: int64, the position at which each utterance ends; two equal ones enclose a blank utterance.
        utterance_units: int64, the number of units of each utterance.
        unit: what a unit is.
    """

    text: Bytes | None
    word_ends: Positions
    utterance_ends: Positions
    utterance_units: Positions
    unit: Literal["character", "token", "label"]

    def words(self) -> pa.LargeBinaryArray:
        """Every word as bytes, in order, without copying the text.

        Raises:
            ValueError: there are only labels, and so no words.
        """
        if self.text is None:
            raise ValueError("labels alone do not say what the words are: pass the words themselves")
        offsets = np.concatenate(([0], self.word_ends))
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(self.text)]
        return pa.LargeBinaryArray.from_buffers(pa.large_binary(), len(self.word_ends), buffers)

    def units_before(self, positions: Positions) -> Positions:
        """How many units stand before each position.

        Args:
            positions: int64, ends of units, so that none is 0.

        Returns:
            int64, of the same shape.
        """
        text = self.text
        if text is None or not len(positions) or int(self.utterance_units.sum()) == len(text):
            return positions
        # Each unit has one byte that begins a character or, in units text, the one space that ends it.
        marks = text == SPACE if self.unit == "token" else text.view(np.int8) >= -64
        # The narrow sum takes a tenth of the time.
        counts = np.cumsum(marks, dtype=np.int32 if len(text) < 1 << 31 else np.int64)
        return counts[positions - 1].astype(np.int64)

    def units(self, utterance: int) -> list[str]:
        """The units of one utterance, for messages and displays.

        Raises:
            ValueError: there are only labels.
        """
        if self.text is None:
            raise ValueError("labels alone do not say what the units are")
        start = self.utterance_ends[utterance - 1] if utterance else 0
        text = self.text[start : self.utterance_ends[utterance]].tobytes().decode(errors="replace")
        return text.split(" ")[:-1] if self.unit == "token" else list(text)


def concatenate(segmentations: Sequence[Segmentation]) -> Segmentation:
    """The segmentation of one corpus after the other.

    Args:
        segmentations: of the same unit; if there is none, it is one of no utterance, in characters.

    Raises:
        ValueError: they are of different units.

    >>> both = concatenate([from_words_text(b"the dog\\n"), from_words_text(b"is on\\n")])
    >>> both.word_ends, both.utterance_ends
    (array([ 3,  6,  8, 10]), array([ 6, 10]))
    """
    if not segmentations:
        return from_words_text(b"")
    units = {segmentation.unit for segmentation in segmentations}
    if len(units) > 1:
        raise ValueError(f"mixed forms: some utterances have units of one {' and some of one '.join(sorted(units))}.")
    sizes = [int(part.utterance_ends[-1]) if len(part.utterance_ends) else 0 for part in segmentations]
    starts = np.cumsum([0, *sizes[:-1]])
    texts = [part.text for part in segmentations if part.text is not None]
    return Segmentation(
        text=np.concatenate(texts) if texts else None,
        word_ends=np.concatenate([start + part.word_ends for start, part in zip(starts, segmentations, strict=True)]),
        utterance_ends=np.concatenate(
            [start + part.utterance_ends for start, part in zip(starts, segmentations, strict=True)]
        ),
        utterance_units=np.concatenate([part.utterance_units for part in segmentations]),
        unit=segmentations[0].unit,
    )


def lines(strings: pa.LargeStringArray) -> bytes:
    """The strings as a text block, one a line; newlines within them become spaces, which separate words just as well.

    Args:
        strings: utterances, without nulls.

    >>> lines(pa.array(["a b", "c\\nd", ""], pa.large_string()))
    b'a b\\nc d\\n\\n'
    """
    block = _joined(strings)
    # A newline within an utterance is rare: count first, and look into the strings only if the count is off.
    return block if block.count(b"\n") == len(strings) else _joined(pc.replace_substring(strings, "\n", " "))


def _joined(strings: pa.LargeStringArray) -> bytes:
    if not len(strings):
        return b""
    column = pa.ListArray.from_arrays(pa.array([0, len(strings)], pa.int32()), strings)
    return pc.binary_join(column, pa.scalar("\n", strings.type))[0].as_buffer().to_pybytes() + b"\n"  # type: ignore[no-any-return]


def from_words_text(block: bytes) -> Segmentation:
    """Read words text: one utterance a line, words separated by whitespace, units are characters.

    Args:
        block: valid UTF-8 that is empty or ends with a newline.

    Raises:
        UtteranceError: a NUL character.

    The naive equivalent is `[line.split() for line in block.decode().split("\\n")[:-1]]`.

    >>> from_words_text("the dog\\n\\n狗 叫\\n".encode()).word_ends
    array([ 3,  6,  9, 12])
    """
    block = _narrow_whitespace(block)
    separators, kinds = _separators(block)
    stripped = block.translate(None, ASCII_WHITESPACE)
    ends = separators - np.arange(len(separators))
    utterance_ends = ends[np.flatnonzero(kinds == NEWLINE)]
    return Segmentation(
        text=np.frombuffer(stripped, np.uint8),
        word_ends=_distinct(ends),
        utterance_ends=utterance_ends,
        utterance_units=_count_characters(stripped, utterance_ends),
        unit="character",
    )


def from_units_text(
    block: bytes, word_boundary: str, ignored_tokens: Sequence[str] = (), coarser_boundaries: Sequence[str] = ()
) -> Segmentation:
    """Read units text: one utterance a line, units separated by whitespace, `word_boundary` tokens between words.

    A boundary token counts only as a whole token; at either end of an utterance, or repeated, it adds nothing.

    Args:
        block: valid UTF-8 that is empty or ends with a newline.
        word_boundary: a token without whitespace.
        ignored_tokens: tokens to drop, none of them `word_boundary`.
        coarser_boundaries: other tokens that end a word too, as the end of a word ends its last syllable.

    Raises:
        UtteranceError: a NUL character.

    >>> phones = from_units_text(b"dh ax ;esyll ;eword d ao g ;eword\\n", ";eword", [";esyll"])
    >>> phones.text.tobytes(), phones.word_ends, phones.utterance_units
    (b'dh ax d ao g ', array([ 6, 13]), array([5]))
    """
    block = _narrow_whitespace(block)
    _refuse_nul(block)
    for token in ignored_tokens:
        block = _mark_token(block, token.encode()).translate(None, b"\0")
    for token in (word_boundary, *coarser_boundaries):
        block = _mark_token(block, token.encode())
    separators, kinds = _separators(block, nul_separates=True)
    ends = separators - np.arange(len(separators))
    unit_counts = np.cumsum(np.diff(ends, prepend=0) > 0)
    positions = ends + unit_counts  # every unit before a position has added one space to it
    newlines = np.flatnonzero(kinds == NEWLINE)
    spaced = block.translate(_TO_SPACE, b"\0")
    while b"  " in spaced:
        spaced = _replace(spaced, b"  ", b" ")
    return Segmentation(
        text=np.frombuffer(spaced.lstrip(b" "), np.uint8),
        word_ends=_distinct(positions[np.flatnonzero((kinds == NEWLINE) | (kinds == NUL))]),
        utterance_ends=positions[newlines],
        utterance_units=np.diff(unit_counts[newlines], prepend=0),
        unit="token",
    )


def from_word_lists(utterances: pa.LargeListArray) -> Segmentation:
    """Read lists of words: units are characters, and whitespace within a word is one.

    Args:
        utterances: large_list<large_string> without nulls.

    Raises:
        UtteranceError: a NUL character.

    >>> from_word_lists(pa.array([["New York", "is"], []], pa.large_list(pa.large_string()))).word_ends
    array([ 8, 10])
    """
    offsets = _list_offsets(utterances)
    words = utterances.values.slice(offsets[0], offsets[-1] - offsets[0])
    _, word_buffer, text_buffer = words.buffers()
    if len(words):
        word_offsets = np.frombuffer(word_buffer, np.int64)[words.offset : words.offset + len(words) + 1]
        text = np.frombuffer(text_buffer or b"", np.uint8)[word_offsets[0] : word_offsets[-1]]
    else:
        word_offsets, text = np.zeros(1, np.int64), np.zeros(0, np.uint8)
    boundaries = word_offsets - word_offsets[0]
    utterance_ends = boundaries[offsets[1:] - offsets[0]]
    if not text.all():
        _raise_nul(int(np.searchsorted(utterance_ends, np.argmin(text), side="right")))
    return Segmentation(
        text=text,
        word_ends=_distinct(boundaries[1:]),
        utterance_ends=utterance_ends,
        utterance_units=_count_characters(text.tobytes(), utterance_ends),
        unit="character",
    )


def from_labels(utterances: pa.LargeListArray, scheme: str) -> Segmentation:
    """Read labels, one a unit.

    An utterance's two ends are word edges whatever its labels say. Within it, a word begins at a unit labelled 1
    (`"start"`), `B` (`"BI"`), `B` or `S` (`"BMES"`), and ends at one labelled 1 (`"end"`), `E` or `S` (`"BMES"`).
    That is the whole rule, so it decides impossible sequences too: `B S` is two words, `B M M` at the end of an
    utterance is one, a first `I`, `M` or `E` begins the first word.

    Args:
        utterances: large_list<int64> or large_list<large_string> without nulls.
        scheme: a name from LABEL_SCHEMES.

    Raises:
        UtteranceError: a label outside the scheme.

    >>> from_labels(pa.array([[1, 0, 1], [0, 1]], pa.large_list(pa.int64())), "start").word_ends
    array([2, 3, 4, 5])
    """
    offsets = _list_offsets(utterances)
    values = utterances.values.slice(offsets[0], offsets[-1] - offsets[0])
    utterance_ends = offsets[1:] - offsets[0]
    is_end = np.zeros(len(values) + 1, bool)
    begins, ends = _labelled_edges(values, scheme, utterance_ends)
    if begins is not None:
        is_end[:-1] |= begins
    if ends is not None:
        is_end[1:] |= ends
    is_end[utterance_ends] = True
    is_end[0] = False
    return Segmentation(
        text=None,
        word_ends=np.flatnonzero(is_end),
        utterance_ends=utterance_ends,
        utterance_units=np.diff(utterance_ends, prepend=0),
        unit="label",
    )


def _list_offsets(lists: pa.LargeListArray) -> Positions:
    """Where each list begins among the values, and the last one ends.

    The naive equivalent, `np.asarray(lists.offsets)`, imports pandas: longer than reading a small file takes.
    """
    buffer = lists.buffers()[1]
    return (
        np.frombuffer(buffer, np.int64)[lists.offset : lists.offset + len(lists) + 1]
        if buffer
        else np.zeros(1, np.int64)
    )


def _labelled_edges(
    values: pa.Array, scheme: str, utterance_ends: Positions
) -> tuple[npt.NDArray[np.bool_] | None, npt.NDArray[np.bool_] | None]:
    """Which units begin a word and which end one, as far as the scheme says."""
    known = LABEL_SCHEMES[scheme]
    if not len(values):
        return None, None
    integers = pa.types.is_integer(values.type)
    if integers != isinstance(known[0], int):
        raise UtteranceError(
            int(np.searchsorted(utterance_ends, 0, side="right")),
            f"the labels are {'integers' if integers else 'tags'}, as {values[0].as_py()!r}; "
            f"label_scheme={scheme!r} takes {_listed(known)}.",
            hint='Integers go with "start" or "end", tags with "BI" or "BMES".',
        )
    if integers:
        codes = np.asarray(values)
        bad = (codes != 0) & (codes != 1)
    else:
        codes = np.asarray(pc.fill_null(pc.index_in(values, pa.array(known, values.type)), -1))
        bad = codes < 0
    if bad.any():
        at = int(np.argmax(bad))
        utterance = int(np.searchsorted(utterance_ends, at, side="right"))
        start = int(utterance_ends[utterance - 1]) if utterance else 0
        raise UtteranceError(
            utterance,
            f"unit {at - start} has the label {values[at].as_py()!r}; label_scheme={scheme!r} takes {_listed(known)}.",
            hint="Drop padding and masked positions before scoring." if values[at].as_py() == -100 else "",
        )
    if scheme == "start":
        return codes == 1, None
    if scheme == "end":
        return None, codes == 1
    if scheme == "BI":
        return codes == 0, None
    return (codes == 0) | (codes == 3), codes >= 2


def _listed(values: Sequence[object]) -> str:
    return ", ".join(map(str, values[:-1])) + f" and {values[-1]}"


def _narrow_whitespace(block: bytes) -> bytes:
    """Put a space in place of every whitespace character beyond ASCII."""
    if block.isascii():
        return block
    codes = np.frombuffer(block, np.uint8)
    for prefix, last_bytes in _WIDE_BY_PREFIX.items():
        if prefix[:1] not in block:
            continue
        size = len(prefix)
        found = codes[:-size] == prefix[0]
        if size == 2:
            found &= codes[1:-1] == prefix[1]
        lasts = codes[size:][np.flatnonzero(found)]
        if _is_any(lasts, last_bytes):
            for last in last_bytes:
                block = _replace(block, prefix + bytes([last]), b" ")
            codes = np.frombuffer(block, np.uint8)
    return block


def _replace(block: bytes, old: bytes, new: bytes) -> bytes:
    """`block.replace(old, new)`; where matches are many Arrow takes a third of the time, and lets other threads run."""
    return pc.replace_substring(_one_value(block), old, new)[0].as_buffer().to_pybytes()  # type: ignore[no-any-return]


def _one_value(block: bytes) -> pa.LargeBinaryArray:
    buffers = [None, pa.py_buffer(np.array([0, len(block)])), pa.py_buffer(block)]
    return pa.LargeBinaryArray.from_buffers(pa.large_binary(), 1, buffers)


def _is_any(codes: Bytes, wanted: bytes) -> bool:
    table = np.zeros(256, bool)
    table[list(wanted)] = True
    return bool(table[codes].any())


def _separators(block: bytes, nul_separates: bool = False) -> tuple[Positions, Bytes]:
    """Where the separating bytes of a block are, and which bytes those are."""
    codes = np.frombuffer(block, np.uint8)
    separators = np.flatnonzero(codes <= SPACE)
    kinds = codes[separators]
    usual = (kinds == SPACE) | (kinds == NEWLINE)
    if usual.all():
        return separators, kinds
    is_separator = _IS_WHITESPACE[kinds]
    if nul_separates:
        is_separator |= kinds == NUL
    if not is_separator.all():
        _refuse_nul(b"" if nul_separates else block)
        separators, kinds = separators[is_separator], kinds[is_separator]  # other control characters are units
    return separators, kinds


def _mark_token(block: bytes, token: bytes) -> bytes:
    """Put a NUL in place of every whole token `token`; the block holds none before, or only marks made here."""
    marked = _replace(block, token, b"\0")
    codes = np.frombuffer(marked, np.uint8)
    marks = np.flatnonzero(codes == NUL)
    # The block ends with a newline, so that what stands before position 0 is found at -1.
    if _IS_WHITESPACE[codes[marks - 1]].all() and _IS_WHITESPACE[codes[marks + 1]].all():
        return marked
    whitespace = re.escape(ASCII_WHITESPACE)
    return re.sub(rb"(?<![^%b])%b(?![^%b])" % (whitespace, re.escape(token), whitespace), b"\0", block)


def _distinct(ends: Positions) -> Positions:
    """The ends that close a word: an end equal to the one before it closes an empty one."""
    closes_word = ends[1:] > ends[:-1]
    if closes_word.all() and (not len(ends) or ends[0]):
        return ends
    return ends[np.flatnonzero(np.concatenate((ends[:1] > 0, closes_word)))]


def _count_characters(text: bytes, utterance_ends: Positions) -> Positions:
    """The number of characters of each utterance: of bytes that do not continue a character."""
    lengths = np.diff(utterance_ends, prepend=0)
    filled = np.flatnonzero(lengths)
    if text.isascii() or not len(filled):
        return lengths
    begins = np.frombuffer(text, np.int8) >= -64
    counts = np.zeros_like(lengths)
    counts[filled] = np.add.reduceat(begins.view(np.uint8), (utterance_ends - lengths)[filled], dtype=np.int64)
    return counts


def _refuse_nul(block: bytes) -> None:
    at = block.find(b"\0")
    if at >= 0:
        _raise_nul(block.count(b"\n", 0, at))


def _raise_nul(utterance: int) -> Any:
    raise UtteranceError(
        utterance,
        "there is a NUL character (U+0000), which no text has.",
        hint="Is the input binary, or UTF-16? Expected UTF-8 text.",
    )
