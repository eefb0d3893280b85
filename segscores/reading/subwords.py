"""Subwords: the marks with which tokenizers say where a word of the text begins, continues or ends.

| mark | where | tokenizers |
|---|---|---|
| `Ġ` | before a subword after a space | byte-level BPE, as of GPT-2 |
| `▁` | before a subword after a space | SentencePiece |
| `##` | before a subword that continues a word | WordPiece |
| `@@` | after a subword that is continued | subword-nmt |
| `</w>` | after a subword that ends a word | BPE |

Conventions
-----------
- A subword without its mark is a word of the segmentation. At most one kind of mark is removed from a subword. A repeated
  `Ġ` or `▁` stands for several spaces.
- A subword that is only `Ġ` or `▁` is a space of the text, and is left out. One that is only another mark is text.
"""

from __future__ import annotations

import numpy as np

from ..kernel.arrays import lengths_of
from ..kernel.segmentation import Segmentation, begins_character, select_words

SPACES = ("Ġ", "▁")
BEFORE = (*SPACES, "##")
MARKS = (*BEFORE, "@@", "</w>")
#: Tokens that stand for other text, or for none.
SPECIAL = frozenset({"[UNK]", "[CLS]", "[SEP]", "<unk>", "<s>", "</s>"})
#: The value of the option for all marks.
ANY = "strip"


def without_mark(subword: str, mark: str = ANY) -> str:
    """Return a subword without its mark; the arguments are as in `strip_marks`.

    >>> [without_mark(subword) for subword in ("Ġplay", "##ing", "lo@@", "▁▁", "##")]
    ['play', 'ing', 'lo', '', '##']
    """
    for candidate in _candidates(mark):
        bare = subword.removeprefix(candidate) if candidate in BEFORE else subword.removesuffix(candidate)
        if bare != subword and (bare or candidate in SPACES):
            return bare.lstrip(candidate) if candidate in SPACES else bare
    return subword


def _candidates(mark: str) -> tuple[str, ...]:
    """Return the marks that the option names."""
    if mark == ANY:
        return MARKS
    return (mark,)


def from_byte_level(text: str) -> str:
    """Return the text that tokens of a byte-level tokenizer stand for; empty if the tokens are of another kind.

    Each byte is a printable character: itself in Latin-1, or a character from U+0100 on for the others, in their order.

    >>> from_byte_level("çĭĹĠÃ©")
    '狗 é'
    """
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    table = {byte: byte for byte in printable} | {0x100 + at: byte for at, byte in enumerate(others)}
    try:
        return bytes(table[ord(character)] for character in text).decode()
    except (KeyError, UnicodeDecodeError):
        return ""


def strip_marks(segmentation: Segmentation, mark: str) -> Segmentation:
    """Return a segmentation of subwords, whose units are characters, without a mark: one of `MARKS`, or `ANY`.

    The naive equivalent is `[without_mark(word) for word in utterance]` without the empty words.

    >>> from segscores.reading.readers import from_words_text
    >>> stripped = strip_marks(from_words_text("▁play ing ▁ ▁it\\n".encode()), ANY)
    >>> [word.decode() for word in stripped.words().to_pylist()], stripped.utterance_units
    (['play', 'ing', 'it'], array([9]))
    """
    text = segmentation.require_text()
    ends = segmentation.word_ends
    starts = ends - lengths_of(ends)
    marked = np.zeros(len(ends), bool)
    is_dropped = np.zeros(len(text), bool)
    for candidate in _candidates(mark):
        pattern = np.frombuffer(candidate.encode(), np.uint8)
        # `left` are the words that may have the mark, and `rest` is where each begins without the marks that were found. A mark
        # of spaces is dropped as often as it occurs, and a word may be such marks alone; of another mark something remains.
        least = len(pattern) if candidate in SPACES else len(pattern) + 1
        left = np.flatnonzero(~marked)
        rest = starts.copy()
        while len(left):
            left = left[ends[left] - rest[left] >= least]
            # Words "##ing" and "##ed" with the mark "##": first 0, 5; places 0 1 and 5 6
            first = rest[left] if candidate in BEFORE else ends[left] - len(pattern)
            places = first[:, None] + np.arange(len(pattern))
            fits = (text[places] == pattern).all(axis=1)
            left = left[fits]
            marked[left] = True
            is_dropped[places[fits].ravel()] = True
            rest[left] += len(pattern)
            if candidate not in SPACES:
                break
    if not marked.any():
        return segmentation
    before = np.concatenate(([0], np.cumsum(is_dropped)))
    kept = text[~is_dropped]
    # Words "##ing" and "##ed", of which "##" is dropped: ends 5, 9; before[ends] 2, 4; word_ends 3, 5
    word_ends = ends - before[ends]
    utterance_ends = segmentation.utterance_ends - before[segmentation.utterance_ends]
    units = np.concatenate(([0], np.cumsum(begins_character(kept))))[utterance_ends]
    is_word = lengths_of(word_ends) > 0
    # Move ends of sentences before empty words are dropped: the last word of a sentence may be only a mark.
    sentences = segmentation.of_words.get("ends_sentence")
    if sentences is not None:
        segmentation = segmentation.with_word_columns(ends_sentence=np.isin(word_ends, word_ends[sentences]))
    return select_words(
        segmentation,
        is_word,
        text=kept,
        word_ends=word_ends[is_word],
        utterance_ends=utterance_ends,
        utterance_units=lengths_of(units),
    )
