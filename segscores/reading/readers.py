"""Readers: from text, lists of words, or labels to a segmentation.

Conventions
-----------
- In words text a unit is a character and whitespace is not a unit. In units text a unit is a token. In lists of words a unit is
  a character, whitespace inside a word included.
- Whitespace is as in `str.split()`, which includes U+3000. A text block has one utterance per line. Only `\\n` ends a
  line; the `\\r` of `\\r\\n` is whitespace.
- Repeated, leading and trailing separators make no empty words; an empty string in a list of words is ignored.

The readers take blocks of bytes or Arrow arrays. They loop over neither words nor characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..kernel.segmentation import NEWLINE, NUL, SPACE, Segmentation
from ..options.table import OPTIONS
from ..support import arrow_functions as pc
from ..support.arrays import Bytes, Positions, binary_slices, lengths_of, offsets_of
from ..support.errors import UtteranceError
from ..support.messages import Hint, Message, literal

DEFAULT_WORD_BOUNDARY = "WORD_BOUNDARY"

ASCII_WHITESPACE = b"\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f "

_IS_WHITESPACE = np.zeros(256, bool)

_IS_WHITESPACE[list(ASCII_WHITESPACE)] = True

# Not pa.scalar, which imports pandas where it is installed; that takes longer than scoring a small file.
_NEWLINE = pa.LargeStringArray.from_buffers(1, pa.py_buffer(np.array([0, 1])), pa.py_buffer(b"\n"))[0]
# Fewer strings than this are joined in Python.
_FEW = 16
# Bytes of a block that is faster searched as a string for each whitespace character, and these.
_SHORT = 1 << 14
_WIDE_WHITESPACE = (
    "\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)

_TO_SPACE = bytes.maketrans(ASCII_WHITESPACE, b" " * len(ASCII_WHITESPACE))

#: The bits for what a label marks: the start of a word, and its end.
STARTS, ENDS = 1, 2

#: The meaning of the tags or integers of each label scheme. In BIOES, `O` is a word of one unit, like `S`.
LABEL_MARKS: dict[str, dict[int | str, int]] = {
    "start": {0: 0, 1: STARTS},
    "end": {0: 0, 1: ENDS},
    "BI": {"B": STARTS, "I": 0},
    "BMES": {"B": STARTS, "M": 0, "E": ENDS, "S": STARTS | ENDS},
    "BIES": {"B": STARTS, "I": 0, "E": ENDS, "S": STARTS | ENDS},
    "BIOES": {"B": STARTS, "I": 0, "O": STARTS | ENDS, "E": ENDS, "S": STARTS | ENDS},
}

#: The tags or integers of each label scheme.
LABEL_SCHEMES: dict[str, tuple[int | str, ...]] = {scheme: tuple(marks) for scheme, marks in LABEL_MARKS.items()}


def lines(strings: pa.LargeStringArray) -> bytes:
    """The strings as a text block, one per line; newlines within them become spaces, which separate words too.

    >>> lines(pa.array(["a b", "c\\nd", ""], pa.large_string()))
    b'a b\\nc d\\n\\n'
    """
    if len(strings) < _FEW:
        held = memoryview(strings.buffers()[2] or b"")
        return b"".join(
            [bytes(held[a:b]).replace(b"\n", b" ") + b"\n" for a, b in pairwise(offsets_of(strings).tolist())]
        )
    block = _joined(strings)
    # A newline within an utterance is rare: count first, and search the strings only if the count is wrong.
    newlines = np.count_nonzero(np.frombuffer(block, np.uint8) == NEWLINE)
    return block if newlines == len(strings) else _joined(pc.replace_substring(strings, "\n", " "))


def _joined(strings: pa.LargeStringArray) -> bytes:
    # An empty string after the last one puts a newline at the end, without copying the text.
    offsets = offsets_of(strings)
    ended = np.append(offsets, offsets[-1])
    strings = pa.LargeStringArray.from_buffers(len(strings) + 1, pa.py_buffer(ended), strings.buffers()[2])
    whole = pa.py_buffer(np.array([0, len(strings)], np.int32))
    column = pa.ListArray.from_buffers(pa.list_(strings.type), 1, [None, whole], children=[strings])
    return pc.binary_join(column, _NEWLINE)[0].as_buffer().to_pybytes()  # type: ignore[no-any-return]


def from_words_text(block: bytes) -> Segmentation:
    """Read words text, which ends with a newline: one utterance per line, words separated by whitespace, units are characters.

    The naive equivalent is `[line.split() for line in block.decode().split("\\n")[:-1]]`.

    >>> from_words_text("the dog\\n\\n狗 叫\\n".encode()).word_ends
    array([ 3,  6,  9, 12])
    """
    block = _narrow_whitespace(block)
    separators, kinds, is_unit = _separators(block)
    # The naive equivalent is `codes[is_unit]`, which takes twice the time.
    text = np.frombuffer(block, np.uint8).take(is_unit.nonzero()[0], mode="clip")
    separators -= np.arange(len(separators))
    utterance_ends = separators[kinds == NEWLINE]
    return Segmentation(
        text=text,
        word_ends=_distinct(separators),
        utterance_ends=utterance_ends,
        utterance_units=lengths_of(utterance_ends) if block.isascii() else _count_characters(text, utterance_ends),
        unit="character",
    )


def from_units_text(
    block: bytes, word_boundary: str, ignored_tokens: Sequence[str] = (), coarser_boundaries: Sequence[str] = ()
) -> Segmentation:
    """Read units text: one utterance per line, units separated by whitespace, `word_boundary` tokens between words.

    Only a whole token is a boundary token. At either end of an utterance, or repeated, it makes no empty words.

    Args:
        block: valid UTF-8 that is empty or ends with a newline.
        coarser_boundaries: other tokens that also separate words, as the end of a word ends its last syllable.

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
    separators, kinds, _ = _separators(block, nul_separates=True)
    ends = separators - np.arange(len(separators))
    unit_counts = np.cumsum(lengths_of(ends) > 0)
    positions = ends + unit_counts  # plus one space for every unit before the position
    newlines = np.flatnonzero(kinds == NEWLINE)
    spaced = block.translate(_TO_SPACE, b"\0")
    while b"  " in spaced:
        spaced = _replace(spaced, b"  ", b" ")
    return Segmentation(
        text=np.frombuffer(spaced.lstrip(b" "), np.uint8),
        word_ends=_distinct(positions[np.flatnonzero((kinds == NEWLINE) | (kinds == NUL))]),
        utterance_ends=positions[newlines],
        utterance_units=lengths_of(unit_counts[newlines]),
        unit="token",
    )


def from_word_lists(utterances: pa.LargeListArray) -> Segmentation:
    """Read lists of words: units are characters, including whitespace within a word.

    >>> from_word_lists(pa.array([["New York", "is"], []], pa.large_list(pa.large_string()))).word_ends
    array([ 8, 10])
    """
    offsets = offsets_of(utterances)
    words = utterances.values.slice(offsets[0], offsets[-1] - offsets[0])
    word_offsets = offsets_of(words)
    text = np.frombuffer(words.buffers()[2] or b"", np.uint8)[word_offsets[0] : word_offsets[-1]]
    boundaries = word_offsets - word_offsets[0]
    utterance_ends = boundaries[offsets[1:] - offsets[0]]
    if not text.all():
        _raise_nul(int(np.searchsorted(utterance_ends, np.argmin(text), side="right")))
    return Segmentation(
        text=text,
        word_ends=_distinct(boundaries[1:]),
        utterance_ends=utterance_ends,
        utterance_units=_count_characters(text, utterance_ends),
        unit="character",
    )


def from_labels(utterances: pa.LargeListArray, scheme: str) -> Segmentation:
    """Read labels, one per unit.

    The two ends of an utterance are word edges, whatever its labels are. Within it, a word begins at a unit labelled 1
    (`"start"`), `B` or `S`, and ends at one labelled 1 (`"end"`), `E` or `S`. The inside of a word is `I` (`"BI"`,
    `"BIES"`) or `M` (`"BMES"`). In `"BIOES"` an `O` is a word of one unit, as `S` is. Tags may be in lower case, and
    have a type (`B-NOUN`). This is the whole rule, and it applies to inconsistent sequences too: `B S` is two words, `B
    M M` at the end of an utterance is one, and an initial `I`, `M` or `E` begins the first word.

    >>> from_labels(pa.array([[1, 0, 1], [0, 1]], pa.large_list(pa.int64())), "start").word_ends
    array([2, 3, 4, 5])
    """
    offsets = offsets_of(utterances)
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
        utterance_units=lengths_of(utterance_ends),
        unit="label",
    )


def plain_tag(tag: str) -> str:
    """A tag as the schemes define it: in upper case, without the type after a hyphen.

    >>> plain_tag("b-NOUN"), plain_tag("S")
    ('B', 'S')
    """
    return tag.partition("-")[0].upper()


def looks_like_tags(tags: Iterable[str]) -> str:
    """The label scheme that these tags belong to; an empty string if they are words.

    >>> looks_like_tags(["B-X", "I-X"]), looks_like_tags(["b", "e", "s"]), looks_like_tags(["the", "B"])
    ('BI', 'BMES', '')
    """
    plain = set(map(plain_tag, tags))
    if plain == {"0", "1"}:
        return "start"
    # A single letter may be a word.
    if len(plain) < 2 or ("B" not in plain and "S" not in plain):
        return ""
    return next((scheme for scheme, marks in LABEL_MARKS.items() if plain <= marks.keys()), "")


def _labelled_edges(
    values: pa.Array, scheme: str, utterance_ends: Positions
) -> tuple[npt.NDArray[np.bool_] | None, npt.NDArray[np.bool_] | None]:
    """Which units begin a word, and which units end a word, according to the labels."""
    known = LABEL_SCHEMES[scheme]
    if not len(values):
        return None, None
    integers = pa.types.is_integer(values.type)
    if not integers and isinstance(known[0], int):
        digits = _codes_of_tags(values, list(map(str, known)))
        if (digits >= 0).all():
            values, integers = digits, True
    if integers != isinstance(known[0], int):
        raise UtteranceError(
            int(np.searchsorted(utterance_ends, 0, side="right")),
            Message(
                f"the labels are {'integers' if integers else 'tags'}, as {values[0].as_py()!r}; ",
                OPTIONS["label_scheme"].set(scheme),
                f" takes {_listed(known)}.",
            ),
            hint='Integers go with "start" or "end", tags with "BI", "BMES", "BIES" or "BIOES".',
        )
    if integers:
        codes = np.asarray(values)
        bad = (codes != 0) & (codes != 1)
    else:
        codes = np.asarray(pc.fill_null(pc.index_in(values, pa.array(known, values.type)), -1))
        if (codes < 0).any():
            codes = _codes_of_tags(values, known)
        bad = codes < 0
    if bad.any():
        at = int(np.argmax(bad))
        utterance = int(np.searchsorted(utterance_ends, at, side="right"))
        start = int(utterance_ends[utterance - 1]) if utterance else 0
        raise UtteranceError(
            utterance,
            Message(
                f"unit {at - start} has the label {values[at].as_py()!r}; ",
                OPTIONS["label_scheme"].set(scheme),
                f" takes {_listed(known)}.",
            ),
            hint=_label_hint(values[at].as_py(), scheme),
        )
    marks = np.array(list(LABEL_MARKS[scheme].values()), np.uint8)
    found = marks[codes]
    begins = found & STARTS > 0 if (marks & STARTS).any() else None
    ends = found & ENDS > 0 if (marks & ENDS).any() else None
    return begins, ends


def _codes_of_tags(values: pa.Array, known: Sequence[object]) -> npt.NDArray[np.int64]:
    """The index of each tag among those of the scheme, -1 for others; case and types are ignored."""
    encoded = values.dictionary_encode()
    places = {tag: place for place, tag in enumerate(known)}
    table = np.array([places.get(plain_tag(tag), -1) for tag in encoded.dictionary.to_pylist()], np.int64)
    codes: npt.NDArray[np.int64] = table[np.asarray(encoded.indices)]
    return codes


def _label_hint(label: object, scheme: str) -> str:
    if isinstance(label, int):
        add = Hint("add ", OPTIONS["ignore_index"].set(-100), ", or ")
        return Message("Is it padding? Then ", add, "drop masked positions.") if label == -100 else ""
    others = [name for name, marks in LABEL_MARKS.items() if plain_tag(str(label)) in marks and name != scheme]
    if not others:
        return ""
    more = "".join(f" or {literal(name)}" for name in others[1:])
    return Message("Did you mean ", OPTIONS["label_scheme"].set(others[0]), more, "?")


def _listed(values: Sequence[object]) -> str:
    return ", ".join(map(str, values[:-1])) + f" and {values[-1]}"


def _narrow_whitespace(block: bytes) -> bytes:
    if block.isascii():
        return block
    for character in _wide_whitespace_in(block):
        block = _replace(block, character, b" ")
    return block


def _wide_whitespace_in(block: bytes) -> list[bytes]:
    """The non-ASCII whitespace characters of a block that ends with a newline.

    The naive equivalent is `{c.encode() for c in block.decode() if c.isspace() and not c.isascii()}`.
    """
    if len(block) < _SHORT:
        text = block.decode()
        return [character.encode() for character in _WIDE_WHITESPACE if character in text]
    codes = np.frombuffer(block, np.uint8)
    # Search for the last two bytes of U+3000, because the full stop and the comma of Chinese begin with the same bytes.
    # The two bytes are compared as one integer, at even and at odd offsets.
    found = []
    for odd in (0, 1) if b"\xe3" in block else ():
        ends = codes[odd : odd + (len(codes) - odd) // 2 * 2].view("<u2") == 0x8080
        if ends.any() and (codes[2 * ends.nonzero()[0] + (odd - 1)] == 0xE3).any():
            found = ["\u3000".encode()]
    # Search for the others by their first bytes, which are rare in most texts.
    leads = [lead for lead in (0xC2, 0xE1, 0xE2) if bytes([lead]) in block]
    if not leads:
        return found
    is_lead = codes == leads[0]
    for lead in leads[1:]:
        is_lead |= codes == lead
    places = is_lead.nonzero()[0]
    first, second, third = (codes.take(places + offset, mode="clip") for offset in range(3))
    general = (third <= 0x8A) | (third == 0xA8) | (third == 0xA9) | (third == 0xAF)
    of_three = (first == 0xE2) & (((second == 0x80) & general) | ((second == 0x81) & (third == 0x9F)))
    of_three |= (first == 0xE1) & (second == 0x9A) & (third == 0x80)
    of_two = (first == 0xC2) & ((second == 0x85) | (second == 0xA0))
    for size, is_space in ((3, of_three), (2, of_two)):
        if is_space.any():
            kinds = np.unique(np.stack((first, second, third)[:size])[:, is_space], axis=1)
            found += [kind.tobytes() for kind in kinds.T]
    return found


def _replace(block: bytes, old: bytes, new: bytes) -> bytes:
    """`block.replace(old, new)`. With many matches Arrow takes a third of the time, and it lets other threads run."""
    whole = binary_slices(np.frombuffer(block, np.uint8), np.array([len(block)]))
    return pc.replace_substring(whole, old, new)[0].as_buffer().to_pybytes()  # type: ignore[no-any-return]


def _separators(block: bytes, nul_separates: bool = False) -> tuple[Positions, Bytes, npt.NDArray[np.bool_]]:
    """The positions of the separators of a block, their bytes, and for each byte of the block whether it is not one."""
    codes = np.frombuffer(block, np.uint8)
    is_unit = codes > SPACE
    separators = (~is_unit).nonzero()[0]
    kinds = codes.take(separators)
    if not ((kinds == SPACE) | (kinds == NEWLINE)).all():
        is_separator = _IS_WHITESPACE.take(kinds)
        if nul_separates:
            is_separator |= kinds == NUL
        if not is_separator.all():
            _refuse_nul(b"" if nul_separates else block)
            is_unit[separators[~is_separator]] = True  # other control characters are units
            separators, kinds = separators[is_separator], kinds[is_separator]
    return separators, kinds, is_unit


def _mark_token(block: bytes, token: bytes) -> bytes:
    """Replace every whole token `token` by a NUL; NULs that the block already has are earlier such marks."""
    marked = _replace(block, token, b"\0")
    codes = np.frombuffer(marked, np.uint8)
    marks = np.flatnonzero(codes == NUL)
    # The block ends with a newline, so that index -1, before position 0, is whitespace too.
    if _IS_WHITESPACE[codes[marks - 1]].all() and _IS_WHITESPACE[codes[marks + 1]].all():
        return marked
    whitespace = re.escape(ASCII_WHITESPACE)
    return re.sub(rb"(?<![^%b])%b(?![^%b])" % (whitespace, re.escape(token), whitespace), b"\0", block)


def _distinct(ends: Positions) -> Positions:
    """The ends of words that are not empty: an end equal to the one before it ends an empty word."""
    closes_word = ends[1:] > ends[:-1]
    if closes_word.all() and (not len(ends) or ends[0]):
        return ends
    return ends[np.flatnonzero(np.concatenate((ends[:1] > 0, closes_word)))]


def _count_characters(text: Bytes, utterance_ends: Positions) -> Positions:
    """The number of characters of each utterance.

    The naive equivalent is `[len(utterance.decode()) for utterance in np.split(text, utterance_ends[:-1])]`.
    """
    if not len(text) or text.max() < 0x80:
        return lengths_of(utterance_ends)
    buffers = pa.py_buffer(np.concatenate(([0], utterance_ends))), pa.py_buffer(text)
    counts = pc.utf8_length(pa.LargeStringArray.from_buffers(len(utterance_ends), *buffers))
    return np.frombuffer(counts.buffers()[1], np.int64, len(counts))


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
