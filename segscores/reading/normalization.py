"""Normalisation: the units of a side in a Unicode normalisation form, with the word boundaries kept.

Conventions
-----------
- The forms and their results are as in `unicodedata.normalize`: NFC, NFD, NFKC and NFKD.
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

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..kernel.arrays import Bytes, Positions, lengths_of, slices_differ, start_of, starts_of, sum_by_utterance
from ..kernel.segmentation import NUL, SPACE, TOKEN, Segmentation, begins_character, select_words

Form: TypeAlias = Literal["NFC", "NFD", "NFKC", "NFKD"]

#: Possible runs of combining marks, or of characters that become marks; the last two of these are letters.
_RUN = "[\\W\uff9e\uff9f]{8,}"


def normalize_units(segmentation: Segmentation, form: str) -> tuple[Segmentation, Positions]:
    """Normalise the units of every utterance, and count the word boundaries that each lost: int64 of shape (n_utterances,).

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
    # A NUL, which no text has, composes with no character, and no character moves across it: one call normalises all.
    block = _decode(np.insert(text, segmentation.utterance_ends, NUL))
    none_lost = np.zeros(len(segmentation.utterance_ends), np.int64)
    # First, because syntactic words may need it where the text does not.
    segmentation = _normalize_syntactic_words(segmentation, form)
    if block.isascii() or unicodedata.is_normalized(cast(Form, form), block):
        return segmentation, none_lost
    if segmentation.unit == TOKEN:
        return _normalize_tokens(segmentation, text, form), none_lost
    normalized, utterance_ends = _split(_normalized(block, form))
    # The number of words up to the end of each utterance: of utterances of 2 and 1 words, whose words end at 3 5 9, it is 2 3.
    words_up_to = np.searchsorted(segmentation.word_ends, segmentation.utterance_ends, side="right")
    ends = _ends_in_normalized(segmentation, form, normalized, utterance_ends, words_up_to)
    # A boundary without a place in the normalised text is lost; its end is −1.
    has_place = ends >= 0
    characters_before = np.concatenate(([0], np.cumsum(begins_character(normalized))))
    selected = select_words(
        segmentation,
        has_place,
        text=normalized,
        word_ends=ends[has_place],
        utterance_ends=utterance_ends,
        utterance_units=lengths_of(characters_before[utterance_ends]),
    )
    return selected, sum_by_utterance(~has_place, lengths_of(words_up_to))


def _ends_in_normalized(
    segmentation: Segmentation, form: str, normalized: Bytes, utterance_ends: Positions, words_up_to: Positions
) -> Positions:
    """Return where each word of a segmentation ends in the normalised text of all utterances, in bytes; -1 where it has no place.

    `normalized` is this text, in which utterances have the ends `utterance_ends`. `words_up_to` counts the words up to these.
    """
    text = segmentation.require_text()
    # The same text normalised word by word: it may have other bytes, with other ends.
    text_by_word, word_ends_by_word = _split(_normalized(_decode(np.insert(text, segmentation.word_ends, NUL)), form))
    # The end of the last word of each utterance, or 0 if no word is before it: 5 9 if 2 and 1 words end at 3 5 9.
    utterance_ends_by_word = np.concatenate(([0], word_ends_by_word))[words_up_to]
    starts = starts_of(utterance_ends)
    starts_by_word = starts_of(utterance_ends_by_word)
    utterance_of_word = np.repeat(np.arange(len(starts)), lengths_of(words_up_to))
    # Where the normalised words concatenate to the normalised utterance, every boundary is as far from the beginning of its
    # utterance in both texts. The ends of the other utterances are replaced below.
    ends: Positions = word_ends_by_word + (starts - starts_by_word)[utterance_of_word]
    all_words = segmentation.words()
    differs = slices_differ(normalized, utterance_ends, text_by_word, utterance_ends_by_word)
    for utterance in np.flatnonzero(differs).tolist():
        first_word = start_of(words_up_to, utterance)
        stop_word = int(words_up_to[utterance])
        words = [word.decode() for word in all_words[first_word:stop_word].to_pylist()]
        ends_within = normalized_ends(words, form)
        ends[first_word:stop_word] = [end if end < 0 else starts[utterance] + end for end in ends_within]
    return ends


def _normalize_syntactic_words(segmentation: Segmentation, form: str) -> Segmentation:
    """Normalise the syntactic words of a segmentation that has them, which are a list for each word."""
    lists = segmentation.of_words.get("syntactic_words")
    if lists is None:
        return segmentation
    # One call for all words, with a NUL after each.
    normalized = normalize_text("\0".join([*lists.values.to_pylist(), ""]), form)
    words = pa.array(normalized.split("\0")[:-1], lists.values.type)
    # The same lists, of the new words: `values` also has the words before the offset.
    validity, offsets, *_ = lists.buffers()
    lists = pa.Array.from_buffers(lists.type, len(lists), [validity, offsets], offset=lists.offset, children=[words])
    return segmentation.with_word_columns(syntactic_words=lists)


def _normalize_tokens(segmentation: Segmentation, text: Bytes, form: str) -> Segmentation:
    """Normalise each token, of which none is lost; `text` is that of the segmentation, with a space after each token."""
    spaces = np.flatnonzero(text == SPACE)
    # A NUL in place of the space after each token. Spaces of the normalised text are within tokens, from a compatibility form.
    normalized = _normalized(_decode(np.where(text == SPACE, np.uint8(NUL), text)), form)
    normalized = normalized[np.flatnonzero(normalized != SPACE)]
    # The text `a bc d ` has the spaces 1 4 6. An end at 5 is after 2 tokens, and goes to `token_ends[2]`, the end of these.
    token_ends = np.concatenate(([0], np.flatnonzero(normalized == NUL) + 1))
    return replace(
        segmentation,
        text=np.where(normalized == NUL, np.uint8(SPACE), normalized),
        word_ends=token_ends[np.searchsorted(spaces, segmentation.word_ends)],
        utterance_ends=token_ends[np.searchsorted(spaces, segmentation.utterance_ends)],
    )


def normalized_ends(words: list[str], form: str) -> list[int]:
    """Return where each word of an utterance ends in its normalised text, in bytes; -1 where the end has no place.

    Decomposition takes the characters of a text apart, and puts marks in order. So the decomposed words, and the decomposed
    characters of the normalised text, are the same characters in two orders, in which equal ones keep their order. A word's
    end has a place if a character of the normalised text ends after as many of them, and these are the same ones. Beside
    sorting, the time is linear.
    """
    decomposed = _decomposed_form(form)
    whole = normalize_text("".join(words), form)
    of_characters = [unicodedata.normalize(decomposed, character) for character in whole]
    of_words = [normalize_text(word, decomposed) for word in words]
    # For each decomposed character of the whole, its index among the decomposed characters of the words: equal characters pair in
    # their order. The words `e` and U+0301 `t` are `é` and `t` in the whole: the indices 0 1 2.
    order_in_words = np.argsort(_codes("".join(of_words)), kind="stable")
    order_in_whole = np.argsort(_codes("".join(of_characters)), kind="stable")
    index_in_words = np.empty_like(order_in_words)
    index_in_words[order_in_whole] = order_in_words
    # For each number of decomposed characters, the byte at which a character of the whole ends after so many; or -1.
    byte_ends = np.full(len(index_in_words) + 1, -1)
    byte_ends[_ends_of(of_characters)] = _ends_of([character.encode() for character in whole])
    ends = _ends_of(of_words)
    # Up to the end of a word, the decomposed characters of the whole are all of this word and of those before it.
    are_same = np.maximum.accumulate(index_in_words)[ends - 1] < ends
    return np.where(are_same, byte_ends[ends], -1).tolist()  # type: ignore[no-any-return]


def normalize_text(text: str, form: str) -> str:
    """Return `unicodedata.normalize(form, text)`, which by itself takes quadratic time for a run of combining marks."""
    # Search a sample of the text first: a long run has several characters in it.
    if re.search(_RUN, text[::16]):
        text = re.sub(_RUN, lambda run: _in_order(run[0], _decomposed_form(form)), text)
    return unicodedata.normalize(cast(Form, form), text)


def _in_order(run: str, form: Form) -> str:
    """Return a text with its characters decomposed, and the marks after each sorted by their class."""
    decomposed = "".join(unicodedata.normalize(form, character) for character in run)
    # Marks have classes over 0. Each other character, of class 0, begins a group, in which the marks are sorted by their classes.
    classes = np.fromiter(map(unicodedata.combining, decomposed), np.uint8, len(decomposed))
    order = np.lexsort((classes, np.cumsum(classes == 0)))
    return _codes(decomposed)[order].tobytes().decode("utf-32-le")


def _decomposed_form(form: str) -> Form:
    """Return the form that takes the characters of a form apart: NFD of NFC and NFD, NFKD of NFKC and NFKD."""
    return cast(Form, f"{form[:-1]}D")


def _ends_of(texts: Sequence[str | bytes]) -> Positions:
    """Return where each text ends in all of them together: 1 3 for "a" and "bc"."""
    return np.cumsum([len(text) for text in texts], dtype=np.int64)


def _codes(text: str) -> npt.NDArray[np.uint32]:
    """Return the code points of a text."""
    return np.frombuffer(text.encode("utf-32-le"), "<u4")


def _decode(block: npt.NDArray[Any]) -> str:
    """Return the text of bytes of UTF-8."""
    return block.tobytes().decode()


def _normalized(block: str, form: str) -> Bytes:
    """Return the bytes of a normalised text."""
    return np.frombuffer(normalize_text(block, form).encode(), np.uint8)


def _split(block: Bytes) -> tuple[Bytes, Positions]:
    """Return the bytes without the NULs, and the position of each NUL among them."""
    marks = np.flatnonzero(block == NUL)
    return block[np.flatnonzero(block)], marks - np.arange(len(marks))
