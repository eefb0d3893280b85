"""Normalisation: the units of a side in a Unicode normalisation form, with the word boundaries kept.

Conventions
-----------
- The forms are those of `unicodedata.normalize`, with the same results: NFC, NFD, NFKC and NFKD.
- Where a unit is a character, each utterance is normalised as one text without its word boundaries, which are put back
  afterwards. So two sides that are the same text up to normalisation get the same units, wherever their boundaries are.
  Normalising word by word would not ensure that: `e` followed by U+0301 is one unit in NFC, but two units if a word
  ends between them.
- A boundary is put back where it leaves the same normalised text on either side: after normalize(text before it), which
  must be a prefix of normalize(utterance). A boundary has no such place if it is within text that becomes one
  character, or between two combining marks that change places. It is then dropped, and the two words become one. The
  number of dropped boundaries is counted.
- A combining mark that begins an utterance stays there; it does not combine with the utterance before.
- Where a unit is a token, each token is normalised separately, and stays one unit: no boundary is dropped. A
  compatibility form may produce a space within a token (U+00A8 becomes a space and U+0308); the space is left out,
  because tokens have none. Where a unit is a character, such a space is a unit.
- `word_boundary` and `ignored_tokens` are matched before normalisation, as they are written.

Source: Unicode Standard Annex #15, Unicode Normalization Forms. Canonical equivalence allows cancelling equal prefixes.
So where a boundary has a place, the text after that place is the normalised text after the boundary.
"""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from typing import Any, Literal, TypeAlias, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from . import arrow_functions as pc
from .arrays import Bytes, Positions, lengths_of, slices_differ
from .segmentation import Segmentation, begins_character, select_words

Form: TypeAlias = Literal["NFC", "NFD", "NFKC", "NFKD"]


_NUL, _SPACE = 0x00, 0x20


def normalize_units(segmentation: Segmentation, form: str) -> tuple[Segmentation, Positions]:
    """Normalise the units of every utterance.

    Returns:
        The segmentation of the normalised text, or the same object if nothing changes; and the number of word
        boundaries that each utterance lost, int64 of shape (n_utterances,).

    The naive equivalent, for one utterance of characters: `whole = normalize(form, "".join(words))`, and for every number
    `k` of words from the front `before = normalize(form, "".join(words[:k]))`, which is a boundary of `whole` after
    `len(before)` characters if `whole.startswith(before)`, and lost otherwise.

    >>> from segscores.reading.readers import from_words_text
    >>> composed, lost = normalize_units(from_words_text("cafe\\u0301 e \\u0301t\\n".encode()), "NFC")
    >>> [word.decode() for word in composed.words().to_pylist()], lost
    (['café', 'ét'], array([1]))
    """
    text = segmentation.text
    assert text is not None
    lost = np.zeros(len(segmentation.utterance_ends), np.int64)
    # A NUL, which no text has, composes with no character, and no character moves across it: one call normalises all.
    block = _decode(np.insert(text, segmentation.utterance_ends, _NUL))
    if segmentation.syntactic_words is not None:
        lists = segmentation.syntactic_words
        words = pc.utf8_normalize(lists.values, form)
        lists = pa.Array.from_buffers(
            lists.type, len(lists), lists.buffers()[:2], offset=lists.offset, children=[words]
        )
        segmentation = replace(segmentation, syntactic_words=lists)
    if block.isascii() or unicodedata.is_normalized(cast(Form, form), block):
        return segmentation, lost
    if segmentation.unit == "token":
        return _normalize_tokens(segmentation, text, form), lost
    units, utterance_ends = _split(_normalized(block, form))
    by_word, word_ends = _split(_normalized(_decode(np.insert(text, segmentation.word_ends, _NUL)), form))
    # The number of words up to the end of each utterance.
    word_counts = np.searchsorted(segmentation.word_ends, segmentation.utterance_ends, side="right")
    by_word_ends = np.concatenate(([0], word_ends))[word_counts]
    starts = utterance_ends - lengths_of(utterance_ends)
    by_word_starts = by_word_ends - lengths_of(by_word_ends)
    utterances = np.repeat(np.arange(len(starts)), lengths_of(word_counts))
    ends = word_ends + (starts - by_word_starts)[utterances]
    all_words = segmentation.words()
    # Where the normalised words concatenate to the normalised utterance, every boundary has a place.
    for utterance in np.flatnonzero(slices_differ(units, utterance_ends, by_word, by_word_ends)).tolist():
        last = int(word_counts[utterance])
        first = int(word_counts[utterance - 1]) if utterance else 0
        words = [word.decode() for word in all_words[first:last].to_pylist()]
        kept = normalized_ends(words, form)
        ends[first:last] = [end if end < 0 else starts[utterance] + end for end in kept]
        lost[utterance] = kept.count(-1)
    unit_counts = np.concatenate(([0], np.cumsum(begins_character(units))))[utterance_ends]
    kept = ends >= 0
    return (
        select_words(
            segmentation,
            kept,
            text=units,
            word_ends=ends[kept],
            utterance_ends=utterance_ends,
            utterance_units=lengths_of(unit_counts),
        ),
        lost,
    )


def normalize_segment(segment: str, form: str, unit: str) -> str:
    """Normalise a single word or segment, with the units that `normalize_units` gives it as an utterance.

    >>> normalize_segment("cafe\\u0301", "NFC", "character"), normalize_segment("\\u00a8 x", "NFKD", "token")
    ('café', '̈ x')
    """
    if unit == "character":
        return unicodedata.normalize(cast(Form, form), segment)
    tokens = (unicodedata.normalize(cast(Form, form), token) for token in segment.split())
    return " ".join(token.replace(" ", "") for token in tokens)


def _normalize_tokens(segmentation: Segmentation, text: Bytes, form: str) -> Segmentation:
    separators = np.flatnonzero(text == _SPACE)
    normalized = _normalized(_decode(np.where(text == _SPACE, np.uint8(_NUL), text)), form)
    normalized = normalized[np.flatnonzero(normalized != _SPACE)]
    token_ends = np.concatenate(([0], np.flatnonzero(normalized == _NUL) + 1))
    word_ends, utterance_ends = (
        token_ends[np.searchsorted(separators, ends)] for ends in (segmentation.word_ends, segmentation.utterance_ends)
    )
    spaced = np.where(normalized == _NUL, np.uint8(_SPACE), normalized)
    return replace(segmentation, text=spaced, word_ends=word_ends, utterance_ends=utterance_ends)


def normalized_ends(words: list[str], form: str) -> list[int]:
    """Where each word of an utterance ends in its normalised text, in bytes; -1 where that end has no place.

    Text that is appended to a normalised text changes nothing before its last character of combining class 0, so that
    all words together take linear time.
    """
    normalized: list[str] = []
    ends = [-1] * len(words)
    open_ends: list[tuple[int, int]] = []
    for index, word in enumerate(words):
        last = len(normalized) - 1
        while last > 0 and unicodedata.combining(normalized[last]):
            last -= 1
        last = max(last, 0)
        tail = "".join(normalized[last:])
        changed = unicodedata.normalize(cast(Form, form), tail + word)
        pairs = enumerate(zip(tail, changed, strict=False))
        common = next((at for at, (old, new) in pairs if old != new), min(len(tail), len(changed)))
        while open_ends and open_ends[-1][1] > last + common:
            open_ends.pop()
        normalized[last:] = changed
        open_ends.append((index, len(normalized)))
    sizes = np.cumsum([len(character.encode()) for character in normalized])
    for index, length in open_ends:
        ends[index] = int(sizes[length - 1])
    return ends


def _decode(block: npt.NDArray[Any]) -> str:
    return block.tobytes().decode()


def _normalized(block: str, form: str) -> Bytes:
    return np.frombuffer(unicodedata.normalize(cast(Form, form), block).encode(), np.uint8)


def _split(block: Bytes) -> tuple[Bytes, Positions]:
    """The bytes without the NULs, and the position of each NUL among them."""
    marks = np.flatnonzero(block == _NUL)
    return block[np.flatnonzero(block)], marks - np.arange(len(marks))
