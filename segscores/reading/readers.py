"""Readers: from text or lists of words to a segmentation.

Conventions
-----------
- In words text a unit is a character and whitespace is not a unit. In units text a unit is a token. In lists of words a unit is
  a character, whitespace inside a word included.
- Whitespace is as in `str.split()`, which includes U+3000. A text block has one utterance per line. Only `\\n` ends a
  line; the `\\r` of `\\r\\n` is whitespace.
- Repeated, leading and trailing separators make no empty words; an empty string in a list of words is ignored.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple, NoReturn

import numpy as np
import pyarrow as pa

from ..kernel import arrow_functions as pc
from ..kernel.arrays import Bytes, Mask, Positions, binary_slices, bytes_of, lengths_of, numbers_of, offsets_of
from ..kernel.segmentation import NEWLINE, NUL, SPACE, TOKEN, Segmentation
from ..options.errors import UtteranceError

#: Whitespace for Arrow's regular expressions.
WHITESPACE = r"[\s\pZ\x0b\x1c-\x1f\x{85}]+"

ASCII_WHITESPACE = b"\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f "
_IS_WHITESPACE = np.isin(np.arange(256), list(ASCII_WHITESPACE))

# Not pa.scalar, which imports pandas where it is installed; that takes longer than scoring a small file.
_NEWLINE = pa.LargeStringArray.from_buffers(1, pa.py_buffer(np.array([0, 1])), pa.py_buffer(b"\n"))[0]
# Fewer strings than this are joined in Python.
_FEW_STRINGS = 16
# A shorter block, in bytes, is faster searched as a string for each of these characters.
_SHORT_BLOCK = 1 << 14
_WIDE_WHITESPACE = (
    "\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
_TO_SPACE = bytes.maketrans(ASCII_WHITESPACE, b" " * len(ASCII_WHITESPACE))


def lines(strings: pa.LargeStringArray) -> bytes:
    """Join strings to a text block, one per line; newlines within them become spaces, which separate words too.

    >>> lines(pa.array(["a b", "c\\nd", ""], pa.large_string()))
    b'a b\\nc d\\n\\n'
    """
    if len(strings) < _FEW_STRINGS:
        data = memoryview(bytes_of(strings))
        spans = pairwise(offsets_of(strings).tolist())
        return b"".join([bytes(data[start:end]).replace(b"\n", b" ") + b"\n" for start, end in spans])
    block = _joined(strings)
    # A newline within an utterance is rare: count first, and search the strings only if the count is wrong.
    newline_count = np.count_nonzero(np.frombuffer(block, np.uint8) == NEWLINE)
    if newline_count == len(strings):
        return block
    return _joined(pc.replace_substring(strings, "\n", " "))


def _joined(strings: pa.LargeStringArray) -> bytes:
    """Return the strings with a newline after each."""
    # Arrow joins the strings of a list with a newline between them. An additional empty string makes the join end with a newline,
    # without copying the text: "a" "bc" have the offsets 0 1 3, and with "" 0 1 3 3.
    offsets = offsets_of(strings)
    ended = pa.py_buffer(np.append(offsets, offsets[-1]))
    with_end = pa.LargeStringArray.from_buffers(len(strings) + 1, ended, bytes_of(strings))
    one_list = [None, pa.py_buffer(np.array([0, len(with_end)], np.int32))]
    lists = pa.ListArray.from_buffers(pa.list_(with_end.type), 1, one_list, children=[with_end])
    joined, *_ = pc.binary_join(lists, _NEWLINE)
    return joined.as_buffer().to_pybytes()  # type: ignore[no-any-return]


def from_words_text(block: bytes) -> Segmentation:
    """Read words text, which ends with a newline: one utterance per line, words separated by whitespace, units are characters.

    The naive equivalent is `[line.split() for line in block.decode().split("\\n")[:-1]]`.

    >>> from_words_text("the dog\\n\\n狗 叫\\n".encode()).word_ends
    array([ 3,  6,  9, 12])
    """
    block = narrow_whitespace(block)
    separators = _Separators.of(block)
    # The naive equivalent is `codes[is_unit]`, which takes twice the time for a long block.
    if len(block) < _SHORT_BLOCK:
        # The separators are whitespace. To delete it takes a third of the time for a few lines; but with a long block other
        # threads would wait meanwhile.
        text = np.frombuffer(block.translate(None, ASCII_WHITESPACE), np.uint8)
    else:
        # "clip" leaves out the check that each offset is within the block.
        (unit_offsets,) = separators.is_unit.nonzero()
        text = np.frombuffer(block, np.uint8).take(unit_offsets, mode="clip")
    # `ab c` and a newline: the separators at 2 and 4 follow 2 and 3 bytes of units.
    ends = separators.places - np.arange(len(separators.places))
    utterance_ends = ends[separators.kinds == NEWLINE]
    return Segmentation(
        text=text,
        word_ends=_distinct(ends),
        utterance_ends=utterance_ends,
        utterance_units=lengths_of(utterance_ends) if block.isascii() else _count_characters(text, utterance_ends),
        unit="character",
    )


def from_units_text(block: bytes, word_boundary: str, ignored_tokens: Sequence[str] = ()) -> Segmentation:
    """Read units text: one utterance per line, units separated by whitespace, `word_boundary` tokens between words.

    Only a whole token is a boundary token. At either end of an utterance, or repeated, it makes no empty words.

    >>> phones = from_units_text(b"dh ax ;esyll ;eword d ao g ;eword\\n", ";eword", [";esyll"])
    >>> phones.text.tobytes(), phones.word_ends, phones.utterance_units
    (b'dh ax d ao g ', array([ 6, 13]), array([5]))
    """
    block = narrow_whitespace(block)
    refuse_nul(block)
    for token in ignored_tokens:
        # One space is left of "a ; b" with the token ";": a wider one could be a boundary.
        marked = _mark_token(block, token.encode())
        block = _replace(marked, b" \0", b"")
        block = block.translate(None, b"\0")  # tokens at the beginnings of lines
    if word_boundary.isspace():
        # A run of more spaces makes several marks, between which no word is.
        return from_marked_units(_replace(block, word_boundary.encode(), b" \0 "))
    return from_marked_units(_mark_token(block, word_boundary.encode()))


def has_boundary(text: str, word_boundary: str) -> bool:
    """Return whether the boundary of units text occurs in a text: as a whole token, or as whitespace.

    >>> has_boundary("d uː | j", "|"), has_boundary("d uː| j", "|"), has_boundary("d uː  j", "  ")
    (True, False, True)
    """
    if word_boundary.isspace():
        return word_boundary in text
    return word_boundary in text.split()


def named_boundary(word_boundary: str) -> str:
    """Return the boundary of units text as messages show it.

    >>> named_boundary("|"), named_boundary("  ")
    ('|', 'two spaces')
    """
    return {"  ": "two spaces", "\t": "a tab"}.get(word_boundary, word_boundary)


def from_marked_units(block: bytes) -> Segmentation:
    """Read units text whose words are separated by NULs with spaces around them: "a b \\\\0 c" has the words `a b` and `c`."""
    separators = _Separators.of(block, nul_separates=True)
    kinds = separators.kinds
    # `ab c` and a newline: the separators at 2 and 4 follow 2 and 3 bytes of units, and 1 and 2 units. In the text, where a space
    # follows each unit, they are at 3 and 5.
    bytes_before = separators.places - np.arange(len(separators.places))
    units_before = np.cumsum(lengths_of(bytes_before) > 0)
    positions = bytes_before + units_before
    newlines = np.flatnonzero(kinds == NEWLINE)
    word_separators = np.flatnonzero((kinds == NEWLINE) | (kinds == NUL))
    # The text has one space after each unit, and none before the first one.
    spaced = block.translate(_TO_SPACE, b"\0")
    while b"  " in spaced:
        spaced = _replace(spaced, b"  ", b" ")
    return Segmentation(
        text=np.frombuffer(spaced.lstrip(b" "), np.uint8),
        word_ends=_distinct(positions[word_separators]),
        utterance_ends=positions[newlines],
        utterance_units=lengths_of(units_before[newlines]),
        unit=TOKEN,
    )


def from_word_lists(utterances: pa.LargeListArray, *, keeps_spaces: bool = True) -> Segmentation:
    """Read lists of words: units are characters, including whitespace within a word if `keeps_spaces`.

    >>> from_word_lists(pa.array([["New York", "is"], []], pa.large_list(pa.large_string()))).word_ends
    array([ 8, 10])
    """
    # Example: a slice of two utterances, `["New York", "is"]` and `[]`, of an array in which 4 words of 9 bytes are before them.
    # The values of the example are behind the lines.
    word_offsets = offsets_of(utterances)  # 4 6 6
    first_word = word_offsets[0]
    words = utterances.values.slice(first_word, word_offsets[-1] - first_word)
    if not keeps_spaces:
        words = pc.replace_substring_regex(words, WHITESPACE, "")
    byte_offsets = offsets_of(words)  # 9 17 19
    _, _, data = words.buffers()  # without data if there is no word
    text = np.frombuffer(data or b"", np.uint8)[byte_offsets[0] : byte_offsets[-1]]  # New Yorkis
    positions = byte_offsets - byte_offsets[0]  # 0 8 10
    utterance_ends = positions[word_offsets[1:] - first_word]  # after 2 and 2 words: 10 10
    has_nul = not text.all()
    if has_nul:
        place_of_nul = np.argmin(text)
        _raise_nul(int(np.searchsorted(utterance_ends, place_of_nul, side="right")))
    return Segmentation(
        text=text,
        word_ends=_distinct(positions[1:]),
        utterance_ends=utterance_ends,
        utterance_units=_count_characters(text, utterance_ends),
        unit="character",
    )


def narrow_whitespace(block: bytes) -> bytes:
    """Replace whitespace that is not ASCII by spaces."""
    if block.isascii():
        return block
    for character in _wide_whitespace_in(block):
        block = _replace(block, character, b" ")
    return block


def without_spaces(block: bytes) -> bytes:
    """Return lines of text without whitespace.

    >>> without_spaces("我 爱\\u3000你\\n".encode()).decode()
    '我爱你\\n'
    """
    return narrow_whitespace(block).translate(None, ASCII_WHITESPACE.replace(b"\n", b""))


def _wide_whitespace_in(block: bytes) -> list[bytes]:
    """Find the non-ASCII whitespace characters of a block that ends with a newline.

    The naive equivalent is `{c.encode() for c in block.decode() if c.isspace() and not c.isascii()}`.
    """
    if len(block) < _SHORT_BLOCK:
        text = block.decode()
        return [character.encode() for character in _WIDE_WHITESPACE if character in text]
    codes = np.frombuffer(block, np.uint8)
    characters = []
    if b"\xe3" in block and _has_ideographic_space(codes):
        characters = ["\u3000".encode()]
    # Search for the others by their first bytes, which are rare in most texts.
    leads = [lead for lead in (0xC2, 0xE1, 0xE2) if bytes([lead]) in block]
    if leads:
        characters += _spaces_that_begin_with(leads, codes)
    return characters


def _spaces_that_begin_with(leads: Sequence[int], codes: Bytes) -> list[bytes]:
    """Return the distinct whitespace characters in a text whose first byte is one of `leads`, which are of C2, E1 and E2."""
    first_lead, *other_leads = leads
    is_lead = codes == first_lead
    for lead in other_leads:
        is_lead |= codes == lead
    places = np.flatnonzero(is_lead)
    # The bytes of the characters that begin with these leads; beyond the end, the last byte stands for another one.
    first = codes[places]
    second = codes.take(places + 1, mode="clip")
    third = codes.take(places + 2, mode="clip")
    # U+2000 to U+200A, U+2028, U+2029 and U+202F; U+205F; U+1680
    is_general = (first == 0xE2) & (second == 0x80)
    is_general &= (third <= 0x8A) | (third == 0xA8) | (third == 0xA9) | (third == 0xAF)
    is_mathematical = (first == 0xE2) & (second == 0x81) & (third == 0x9F)
    is_ogham = (first == 0xE1) & (second == 0x9A) & (third == 0x80)
    has_three_bytes = is_general | is_mathematical | is_ogham
    # U+0085 and U+00A0
    has_two_bytes = (first == 0xC2) & ((second == 0x85) | (second == 0xA0))
    characters: list[bytes] = []
    # Most texts have none of them: to look for distinct ones takes longer than to look for any.
    if has_three_bytes.any():
        characters += _distinct_columns(np.stack((first, second, third))[:, has_three_bytes])
    if has_two_bytes.any():
        characters += _distinct_columns(np.stack((first, second))[:, has_two_bytes])
    return characters


def _distinct_columns(characters: Bytes) -> list[bytes]:
    """Return the distinct characters of an array, of which each column has the bytes of one."""
    return [character.tobytes() for character in np.unique(characters, axis=1).T]


def _has_ideographic_space(codes: Bytes) -> bool:
    """Return whether U+3000, of the bytes E3 80 80, is in a text that ends with a newline."""
    # Search for the last two bytes, because the full stop and the comma of Chinese begin with the same bytes.
    # The two bytes are compared as one integer, at even and at odd offsets.
    for start in (0, 1):
        # Bytes 61 E3 80 80 0A from 0 on: pairs 61E3 and 8080, of which the pair 1 follows the byte 2 * 1 + 0 - 1 = 1. Before the
        # pair 0 is the byte -1, the last one: a newline, which is not E3.
        length = (len(codes) - start) // 2 * 2
        pairs = codes[start : start + length].view("<u2")
        found = np.flatnonzero(pairs == 0x8080)
        if (codes[2 * found + start - 1] == 0xE3).any():
            return True
    return False


def _replace(block: bytes, old: bytes, new: bytes) -> bytes:
    """Return `block.replace(old, new)`. With many matches Arrow takes a third of the time, and it lets other threads run."""
    whole = binary_slices(np.frombuffer(block, np.uint8), np.array([len(block)]))
    replaced, *_ = pc.replace_substring(whole, old, new)
    return replaced.as_buffer().to_pybytes()  # type: ignore[no-any-return]


class _Separators(NamedTuple):
    """The separators of a block."""

    places: Positions  #: their offsets in the block, in bytes
    kinds: Bytes  #: the byte at each place
    is_unit: Mask  #: bool (n_bytes,), which bytes of the block are no separators

    @classmethod
    def of(cls, block: bytes, *, nul_separates: bool = False) -> _Separators:
        """Find the separators of a block: whitespace, and perhaps NUL, which is an error otherwise.

        Whitespace beyond ASCII has been replaced by spaces before.
        """
        codes = np.frombuffer(block, np.uint8)
        is_unit = codes > SPACE  # a control character may be one too: see below
        (places,) = (~is_unit).nonzero()
        kinds = codes.take(places)
        usual_count = np.count_nonzero(kinds == SPACE) + np.count_nonzero(kinds == NEWLINE)
        if usual_count == len(kinds):
            return cls(places, kinds, is_unit)
        is_separator = _IS_WHITESPACE.take(kinds)
        if nul_separates:
            is_separator |= kinds == NUL
        if is_separator.all():
            return cls(places, kinds, is_unit)
        if not nul_separates:
            refuse_nul(block)
        is_unit[places[~is_separator]] = True  # other control characters are units
        return cls(places[is_separator], kinds[is_separator], is_unit)


def _mark_token(block: bytes, token: bytes) -> bytes:
    """Replace every whole token `token` of a block, which has no NUL, by a NUL.

    With the token `|`, "a | b||\\\\n" becomes "a \\\\0 b||\\\\n".
    """
    marked = _replace(block, token, b"\0")
    codes = np.frombuffer(marked, np.uint8)
    marks = np.flatnonzero(codes == NUL)
    # The block ends with a newline, so that index -1, before position 0, is whitespace too.
    are_whole_tokens = _IS_WHITESPACE[codes[marks - 1]].all() and _IS_WHITESPACE[codes[marks + 1]].all()
    if are_whole_tokens:
        return marked
    # Elsewhere the token is a part of others: replace it between whitespace alone, which takes longer.
    whitespace = re.escape(ASCII_WHITESPACE)
    return re.sub(rb"(?<![^%b])%b(?![^%b])" % (whitespace, re.escape(token), whitespace), b"\0", block)


def _distinct(ends: Positions) -> Positions:
    """Return the ends of words that are not empty: an end equal to the one before it ends an empty word."""
    # ends 0 3 3 5: the first and the third end empty words, and 3 5 are distinct.
    closes_word = ends[1:] > ends[:-1]
    if not len(ends) or (ends[0] > 0 and closes_word.all()):
        return ends
    return ends[np.flatnonzero(np.concatenate((ends[:1] > 0, closes_word)))]


def _count_characters(text: Bytes, utterance_ends: Positions) -> Positions:
    """Count the characters of each utterance.

    The naive equivalent is `[len(utterance.decode()) for utterance in np.split(text, utterance_ends[:-1])]`.
    """
    if not len(text) or text.max() < 0x80:
        return lengths_of(utterance_ends)
    offsets = pa.py_buffer(np.concatenate(([0], utterance_ends)))
    utterances = pa.LargeStringArray.from_buffers(len(utterance_ends), offsets, pa.py_buffer(text))
    return numbers_of(pc.utf8_length(utterances))


def refuse_nul(block: bytes) -> None:
    """Reject a block with a NUL, and name its line."""
    offset = block.find(b"\0")
    if offset >= 0:
        _raise_nul(block.count(b"\n", 0, offset))


def _raise_nul(utterance: int) -> NoReturn:
    """Raise the error of an utterance with a NUL."""
    hint = "Is the input binary, or UTF-16? Expected UTF-8 text."
    raise UtteranceError(utterance, "there is a NUL character (U+0000), which no text has.", hint)
