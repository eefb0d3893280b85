"""Diagnosis: the error of an utterance whose units differ, with what would make them equal (`unit_hints`).

It runs only if units differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, zip_longest

import numpy as np

from ..kernel.arrays import Bytes, first_true
from ..kernel.segmentation import SPACE, TOKEN, Segmentation, marks_of_units
from ..options.errors import UtteranceError, describe_character, warn
from ..options.messages import Message
from .unit_hints import hints_at_units, subword_hint

#: The bytes around the first difference of a long utterance that hints look at.
_LOOKED_AT = 1 << 14
#: The bytes on each side of the first difference of a long utterance that a message shows.
_SHOWN = 40
#: The characters of a long unit that a message shows, and how many of them stand before its first difference.
_SHOWN_OF_UNIT = 30
_SHOWN_BEFORE = 10
#: The contexts of the units of both sides in a message that shows none.
_NO_CONTEXTS: Sequence[str] = ("", "")


def mismatch_error(reference: Segmentation, prediction: Segmentation, utterance: int) -> UtteranceError:
    """Return the error of an utterance whose units differ: the place, both units, and what would make them equal."""
    if reference.text is None:
        # Labels, whose utterances differ only in the number of units.
        reference_labels = int(reference.utterance_units[utterance])
        prediction_labels = int(prediction.utterance_units[utterance])
        received = f"the reference has {reference_labels} labels and the prediction {prediction_labels}"
        hint = "Drop padding and masked positions before scoring."
        return UtteranceError(utterance, f"{received}: expected one label per unit on both sides.", hint)
    sides = [_utterance_of(side, utterance) for side in (reference, prediction)]
    is_document = "ends_sentence" in reference.of_words  # a column that only documents have
    is_long = max(len(side.require_text()) for side in sides) > _LOOKED_AT
    if not is_document and not is_long:
        return _unit_error(utterance, sides)
    # Only the text around the first difference is looked at. Places in it are bytes.
    difference_byte = _first_difference(*sides)
    contexts = _NO_CONTEXTS
    if is_document:
        # A document is one utterance of many lines, in which nobody finds an offset.
        contexts = [f" in {_context(side, difference_byte)!r}" for side in sides]
    reference_utterance, _ = sides
    # Before the difference both sides have the same text: the same byte is the start for both, after as many units. After the
    # difference each side is cut where a unit of its own begins.
    start_byte = _unit_start(reference_utterance, max(0, difference_byte - _LOOKED_AT // 2))
    units_before = int(marks_of_units(reference_utterance.require_text()[:start_byte], reference.unit).sum())
    around = [_cut(side, start_byte, _unit_start(side, difference_byte + _LOOKED_AT // 2)) for side in sides]
    return _unit_error(utterance, around, units_before, contexts)


def warn_of_marks(reference: Segmentation, prediction: Segmentation, utterance: int) -> None:
    """Warn of subword marks, with which the units of an utterance differ, where that is no error."""
    if reference.text is None or prediction.text is None:
        return  # labels have no words
    reference_marked = _units_with_marks(_utterance_of(reference, utterance))
    prediction_marked = _units_with_marks(_utterance_of(prediction, utterance))
    hint = subword_hint(reference_marked, prediction_marked, reference.unit)
    if hint:
        warn(Message("Units differ by the marks of subwords. ", hint))


def _units_with_marks(utterance: Segmentation) -> list[str]:
    """Return what may have a mark of subwords: the words of characters, or the tokens of units text."""
    if utterance.unit == TOKEN:
        return utterance.units(0)  # it is the only utterance
    return _words(utterance)


def _utterance_of(side: Segmentation, utterance: int) -> Segmentation:
    """Return one utterance of a side, by its index."""
    start, stop = side.span(utterance)
    return _cut(side, start, stop)


def _cut(segmentation: Segmentation, start: int, stop: int) -> Segmentation:
    """Return the text between two byte positions as an utterance; its number of units stays 0.

    The text "ab|cde|f" between 1 and 4 is "bcd", whose word ends are [1].
    """
    # Words that end after `start`, and at `stop` at the latest.
    first, after = np.searchsorted(segmentation.word_ends, [start, stop], side="right")
    ends = segmentation.word_ends[first:after] - start
    text = segmentation.require_text()[start:stop]
    return Segmentation(
        text=text,
        word_ends=ends,
        utterance_ends=np.array([len(text)]),
        utterance_units=np.zeros(1, np.int64),
        unit=segmentation.unit,
    )


def _first_difference(reference: Segmentation, prediction: Segmentation) -> int:
    """Return the byte position of the first unit that differs in two utterances; the shorter length if only one goes on."""
    reference_text = reference.require_text()
    prediction_text = prediction.require_text()
    size = min(len(reference_text), len(prediction_text))
    position = first_true(reference_text[:size] != prediction_text[:size])
    if position < 0:
        position = size
    # The shorter text may end at the position, within a unit of the longer one: look for the start of a unit in the longer one.
    longer = reference if len(reference_text) > size else prediction
    return _unit_start(longer, position)


def _unit_start(segmentation: Segmentation, position: int) -> int:
    """Return the last byte position up to this one at which a unit begins, or the end of the text."""
    text = segmentation.require_text()
    position = min(position, len(text))
    while 0 < position < len(text) and not _begins_unit(text, position, segmentation.unit):
        position -= 1
    return position


def _begins_unit(text: Bytes, position: int, unit: str) -> bool:
    """Return whether a unit begins at a byte position above 0."""
    if unit == TOKEN:
        # A space follows each token.
        return bool(text[position - 1] == SPACE)
    # The first byte of a character differs from 10xxxxxx, and every other byte has this form.
    return bool(text[position] & 0xC0 != 0x80)


def _context(segmentation: Segmentation, position: int) -> str:
    """Return the text around a byte position, with spaces between words of characters."""
    start = _unit_start(segmentation, max(0, position - _SHOWN))
    stop = _unit_start(segmentation, position + _SHOWN)
    around = _cut(segmentation, start, stop)
    text = around.require_text()
    if around.unit == "character":
        text = np.insert(text, around.word_ends, SPACE)
    return text.tobytes().decode(errors="replace").strip(" ")


def _words(utterance: Segmentation) -> list[str]:
    """Return the words of an utterance, and of a cut one also the beginning of the word at its end."""
    text = utterance.require_text()
    bounds = [0, *utterance.word_ends.tolist(), len(text)]
    words = [text[start:stop].tobytes().decode(errors="replace") for start, stop in pairwise(bounds)]
    # Nothing is between the last word end and the end of the text, if these are one.
    return [word for word in words if word]


def _unit_error(
    utterance: int, sides: Sequence[Segmentation], units_before: int = 0, contexts: Sequence[str] = _NO_CONTEXTS
) -> UtteranceError:
    """Return the error of units that differ, in `sides`: the utterance in the reference and the prediction, or parts of these.

    `units_before` counts the units of the utterance before its part. `contexts` are added to the units of both sides, such as
    " in 'the dog'". An example is "the units differ at offset 3 (in characters): the reference has 'd', the prediction nothing".
    """
    reference, prediction = [side.units(0) for side in sides]
    reference_side, _ = sides
    unit = reference_side.unit  # both sides have the same kind of units
    expected = "expected the same units on both sides."
    if not reference or not prediction:
        blank = "prediction" if reference else "reference"
        other = "reference" if reference else "prediction"
        hint = "Is a line missing or added above? Utterances pair by position, blank ones too."
        return UtteranceError(utterance, f"the {blank} is blank and the {other} is not: {expected}", hint)
    pairs = list(zip_longest(reference, prediction))
    first_difference = next(index for index, (left, right) in enumerate(pairs) if left != right)
    offset = units_before + first_difference
    reference_unit, prediction_unit = pairs[first_difference]
    reference_context, prediction_context = contexts
    in_reference = _describe_unit(reference_unit, prediction_unit) + reference_context
    in_prediction = _describe_unit(prediction_unit, reference_unit) + prediction_context
    received = f"the reference has {in_reference}, the prediction {in_prediction}"
    hints = hints_at_units(reference, prediction, [_words(side) for side in sides], unit)
    return UtteranceError(
        utterance,
        f"the units differ at offset {offset} (in {unit}s): {received}; {expected}",
        hint=next(iter(hints), ""),  # the likeliest, where nobody can try the others
        offset=offset,
    ).but(proposals=tuple(hints))


def _describe_unit(unit: str | None, other: str | None) -> str:
    """Return a unit, with its code points where it is not printable ASCII; None stands for a side that has no more units.

    `other` is the unit of the other side. Of a long unit, only the part around its first difference from `other` is returned.

    >>> _describe_unit("aː", "a")
    "'aː' (U+0061 U+02D0)"
    >>> _describe_unit("a" * 40 + "b", "a" * 40 + "c")
    "'…aaaaaaaaaab'"
    """
    if unit is None:
        return "nothing"
    if len(unit) == 1:
        return describe_character(unit)
    part = unit
    before = ""
    after = ""
    if len(unit) > _SHOWN_OF_UNIT:
        pairs_of_characters = enumerate(zip_longest(unit, other or ""))
        first_difference = next(index for index, (left, right) in pairs_of_characters if left != right)
        start = max(0, first_difference - _SHOWN_BEFORE)
        stop = start + _SHOWN_OF_UNIT
        part = unit[start:stop]
        before = "…" if start > 0 else ""
        after = "…" if stop < len(unit) else ""
    shown = repr(before + part + after)
    if part.isascii() and part.isprintable():
        return shown
    code_points = " ".join(f"U+{ord(character):04X}" for character in part)
    return f"{shown} ({code_points})"
