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

from ..kernel.arrays import Bytes, Mask, Positions, lengths_of, starts_of
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
        if candidate in SPACES:  # repeated, it stands for several spaces
            bare = subword.lstrip(candidate)
            may_be_empty = True
        else:
            bare = subword.removeprefix(candidate) if candidate in BEFORE else subword.removesuffix(candidate)
            may_be_empty = False
        if bare != subword and (bare or may_be_empty):
            return bare
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
    byte_of = {byte: byte for byte in printable}
    byte_of.update(enumerate(others, 0x100))
    try:
        return bytes(byte_of[ord(character)] for character in text).decode()
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
    is_dropped = _find_marks(text, ends, mark)
    if not is_dropped.any():
        return segmentation
    dropped_before = np.concatenate(([0], np.cumsum(is_dropped)))
    kept = text[~is_dropped]
    # Words "##ing" and "##ed", of which "##" is dropped: ends 5 9; dropped_before[ends] 2 4; word_ends 3 5.
    word_ends = ends - dropped_before[ends]
    utterance_ends = segmentation.utterance_ends - dropped_before[segmentation.utterance_ends]
    characters_before = np.concatenate(([0], np.cumsum(begins_character(kept))))
    is_word = lengths_of(word_ends) > 0
    # A word that is only a mark is empty now, and dropped below. If it ends a sentence, the word before it, whose end is the
    # same, does so instead.
    sentences = segmentation.of_words.get("ends_sentence")
    if sentences is not None:
        segmentation = segmentation.with_word_columns(ends_sentence=np.isin(word_ends, word_ends[sentences]))
    return select_words(
        segmentation,
        is_word,
        text=kept,
        word_ends=word_ends[is_word],
        utterance_ends=utterance_ends,
        utterance_units=lengths_of(characters_before[utterance_ends]),
    )


def _find_marks(text: Bytes, ends: Positions, mark: str) -> Mask:
    """Return a mask of the bytes of a text that are marks of its words.

    `ends` has the number of bytes up to the end of each word. `mark` is as in `strip_marks`.
    """
    starts = starts_of(ends)
    is_marked = np.zeros(len(ends), bool)  # for each word
    is_dropped = np.zeros(len(text), bool)  # for each byte
    for candidate in _candidates(mark):
        mark_bytes = np.frombuffer(candidate.encode(), np.uint8)
        # A mark of a space may be repeated, and may be the whole word. Beside another mark a word has text.
        is_space = candidate in SPACES
        least_length = len(mark_bytes) if is_space else len(mark_bytes) + 1
        # The numbers of the words that may have this mark: a word has one kind of mark at most.
        words = np.flatnonzero(~is_marked)
        rest_starts = starts.copy()  # where the rest of each word begins, after the marks that were found
        while len(words):
            words = words[ends[words] - rest_starts[words] >= least_length]
            # Words "##ing" and "##ed" with the mark "##": mark_starts 0 5; mark_offsets 0 1 and 5 6.
            mark_starts = rest_starts[words] if candidate in BEFORE else ends[words] - len(mark_bytes)
            mark_offsets = mark_starts[:, None] + np.arange(len(mark_bytes))
            has_mark = (text[mark_offsets] == mark_bytes).all(axis=1)
            words = words[has_mark]
            is_marked[words] = True
            is_dropped[mark_offsets[has_mark].ravel()] = True
            if not is_space:
                break
            # Look for the next mark behind this one, in the words that had it, until none has another one.
            rest_starts[words] += len(mark_bytes)
    return is_dropped
