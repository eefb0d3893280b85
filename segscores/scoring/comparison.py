"""Comparison: the boundaries and words that a reference and a prediction over the same units share.

Conventions
-----------
- Arguments and results name the reference before the prediction. Both are `Segmentation`s, which define positions.
- A boundary is shared where a word ends on both sides. The end of an utterance is always shared, its beginning is
  position 0 or the end of the utterance before it.
- A word is matched where a reference word and a predicted word are the same span. Both ends of a matched word are
  shared boundaries, and neither side has a boundary between them.

A comparison is built once, and every score group reads it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise, zip_longest

import numpy as np
import numpy.typing as npt

from ..options.errors import UtteranceError, describe_character, warn
from ..options.messages import Hint, Message, Setting
from ..options.option import Option
from ..options.quoting import shortened
from ..options.table import OPTIONS
from ..reading.arrays import Mask, Positions, lengths_of, slices_differ
from ..reading.segmentation import SPACE, Segmentation, marks_of_units
from ..reading.subwords import ANY, SPECIAL, from_byte_level, without_mark

#: Bytes of a longer utterance around the first difference that hints look at, and on each side of it that a message shows.
_LOOKED_AT, _SHOWN = 1 << 14, 40
#: Words of a long utterance that are compared at a time.
_WINDOW = 1 << 16


@dataclass(frozen=True)
class Comparison:
    """A reference and a prediction over the same units.

    Where the units of a prediction were aligned (`mismatch.AlignedPrediction`), `prediction` has the reference's units, and
    `prediction.own` those that were predicted.

    Attributes:
        shared_reference, shared_prediction: for every shared boundary, the index of the word that ends there on that
            side.
        matched: bool, for every shared boundary, whether the word that ends there is matched.
        utterance_shared, utterance_matched, utterance_reference, utterance_prediction: int64, per utterance, the number
            of shared boundaries (its last included, its first not), matched words, reference words and predicted words.
        utterance_edited: int64, per utterance, the number of predicted words that are not a span of the reference's units; 0
            where both sides have the same units.
    """

    reference: Segmentation
    prediction: Segmentation
    shared_reference: Positions
    shared_prediction: Positions
    matched: npt.NDArray[np.bool_]
    utterance_shared: Positions
    utterance_matched: Positions
    utterance_reference: Positions
    utterance_prediction: Positions
    utterance_edited: Positions

    def boundary_units(self) -> tuple[Positions, Positions]:
        """The position, in units, at which each word of the reference and each of the prediction ends.

        The naive equivalent is `np.cumsum([len(word) for utterance in corpus for word in utterance])`.
        """
        ends = self.reference.word_ends, self.prediction.word_ends
        # Count once for both sides.
        both = self.reference.units_before(np.concatenate(ends))
        return both[: len(ends[0])], both[len(ends[0]) :]

    def matched_words(self) -> tuple[Mask, Mask]:
        """Which words of the reference, and which of the prediction, are matched."""
        masks = np.zeros(len(self.reference.word_ends), bool), np.zeros(len(self.prediction.word_ends), bool)
        for mask, shared in zip(masks, (self.shared_reference, self.shared_prediction), strict=True):
            mask[shared] = self.matched
        return masks


def compare_segmentations(reference: Segmentation, prediction: Segmentation) -> Comparison:
    """Compare a prediction with a reference, in time linear in the text.

    Raises:
        UtteranceError: the units differ; it names the first utterance and the first unit at which they do.
        ValueError: the numbers of utterances differ.

    The naive equivalent, for one utterance, is the intersection of two sets of spans:
    `set(spans(reference_words)) & set(spans(predicted_words))`, and likewise of two sets of boundaries.

    >>> from segscores.reading.readers import from_words_text
    >>> both = compare_segmentations(from_words_text(b"the dog is on\\n"), from_words_text(b"thedog is on\\n"))
    >>> both.utterance_shared, both.utterance_matched
    (array([3]), array([2]))
    """
    mismatches = find_mismatches(reference, prediction)
    if mismatches.any():
        raise _mismatch_error(reference, prediction, int(np.argmax(mismatches)))
    # Both sides have the same bytes: hold them once.
    prediction = replace(prediction, text=reference.text)
    shared_reference = _marked(reference.word_ends, prediction.word_ends)
    shared_prediction = _marked(prediction.word_ends, reference.word_ends)
    matched = np.empty(len(shared_reference), bool)
    if len(matched):
        matched[0] = shared_reference[0] == shared_prediction[0] == 0
    # Temporary arrays of a window stay in the processor's cache.
    for start in range(1, len(matched), _WINDOW):
        window, before = slice(start, start + _WINDOW), slice(start - 1, min(start + _WINDOW, len(matched)) - 1)
        np.equal(shared_reference[window] - shared_reference[before], 1, out=matched[window])
        matched[window] &= shared_prediction[window] - shared_prediction[before] == 1

    # Every utterance ends at a shared boundary, where the running counts are looked up. A blank utterance repeats the
    # last count.
    ends = reference.utterance_ends
    is_filled = lengths_of(ends) > 0
    all_filled = bool(is_filled.all())
    last_words = _places_of(ends if all_filled else ends[is_filled], reference.word_ends)
    last_shared = _places_of(last_words, shared_reference)

    def per_utterance(running: Positions) -> Positions:
        return lengths_of(running if all_filled else np.concatenate(([0], running))[np.cumsum(is_filled)])

    return Comparison(
        reference=reference,
        prediction=prediction,
        shared_reference=shared_reference,
        shared_prediction=shared_prediction,
        matched=matched,
        utterance_shared=per_utterance(last_shared + 1),
        utterance_matched=per_utterance(_counts_up_to(last_shared, matched)),
        utterance_reference=per_utterance(last_words + 1),
        utterance_prediction=per_utterance(shared_prediction[last_shared] + 1),
        utterance_edited=np.zeros(len(ends), np.int64),
    )


def _marked(values: Positions, wanted: Positions) -> Positions:
    """The indices of the values that are among the wanted ones.

    Both arrays increase; no wanted one exceeds the last value.

    The naive equivalent is `np.flatnonzero(np.isin(values, wanted))`. Each mark takes one byte, so that the marks of a
    part fit in the processor's cache.
    """
    if len(values) > 2 * _WINDOW:
        starts = range(0, len(values), _WINDOW)
        found, count = np.empty(len(values), np.int64), 0
        for start, low in zip(starts, values[::_WINDOW], strict=True):
            some = values[start : start + _WINDOW]
            first, after = np.searchsorted(wanted, [low, some[-1] + 1])
            places = _marked(some - low, wanted[first:after] - low)
            found[count : count + len(places)] = places + start
            count += len(places)
        return found[:count]
    is_wanted = np.zeros(int(values[-1]) + 1 if len(values) else 1, bool)
    is_wanted[wanted] = True
    return is_wanted.take(values).nonzero()[0]


def _counts_up_to(places: Positions, mask: Mask) -> Positions:
    """How many are True up to each place; the places increase, and the last is the end of the mask."""
    if 100 * len(places) >= len(mask):
        return mask.cumsum()[places]
    starts = np.concatenate(([0], places[:-1] + 1))
    return np.cumsum(np.add.reduceat(mask, starts, dtype=np.int64))


def _places_of(wanted: Positions, values: Positions) -> Positions:
    """The indices of values; those of a few are searched for."""
    return np.searchsorted(values, wanted) if 100 * len(wanted) < len(values) else _marked(values, wanted)


def find_mismatches(reference: Segmentation, prediction: Segmentation) -> Mask:
    """Which utterances differ in their units: bool of shape (n_utterances,). Of labels only the number is compared."""
    if len(reference.utterance_ends) != len(prediction.utterance_ends):
        raise ValueError(
            f"{len(reference.utterance_ends)} references and {len(prediction.utterance_ends)} predictions: "
            f"expected one prediction for each reference."
        )
    if reference.unit != prediction.unit:
        raise ValueError(
            f"the references are read in units of one {reference.unit}, the predictions in units of one "
            f"{prediction.unit}: expected the same form on both sides."
        )
    if reference.text is None or prediction.text is None:
        return np.asarray(reference.utterance_units != prediction.utterance_units)
    return slices_differ(reference.text, reference.utterance_ends, prediction.text, prediction.utterance_ends)


def _mismatch_error(reference: Segmentation, prediction: Segmentation, utterance: int) -> UtteranceError:
    if reference.text is None:
        lengths = int(reference.utterance_units[utterance]), int(prediction.utterance_units[utterance])
        return UtteranceError(
            utterance,
            f"the reference has {lengths[0]} labels and the prediction {lengths[1]}: expected one label per unit on both "
            f"sides.",
            hint="Drop padding and masked positions before scoring.",
        )
    sides = [_cut(side, *side.span(utterance)) for side in (reference, prediction)]
    at, before, shown = 0, 0, ["", ""]
    if reference.ends_sentence is not None or max(len(side.require_text()) for side in sides) > _LOOKED_AT:
        at = _first_difference(*sides)
        shown = [f" in {_context(side, at)!r}" if reference.ends_sentence is not None else "" for side in sides]
        low = _unit_start(sides[0], max(0, at - _LOOKED_AT // 2))
        before = int(marks_of_units(sides[0].require_text()[:low], reference.unit).sum())
        sides = [_cut(side, low, _unit_start(side, at + _LOOKED_AT // 2)) for side in sides]
    left, right = sides
    words = _words(left), _words(right)
    return _unit_error(utterance, left.units(0), right.units(0), words, left.unit, before, shown)


def warn_of_marks(reference: Segmentation, prediction: Segmentation, utterance: int) -> None:
    """Warn of subword marks, with which the units of an utterance differ, where that is no error."""
    if reference.text is None or prediction.text is None:
        return
    sides = (_cut(side, *side.span(utterance)) for side in (reference, prediction))
    words = [side.units(0) if side.unit == "token" else _words(side) for side in sides]
    if hint := _subword_hint(words[0], words[1], reference.unit):
        warn(Message("Units differ by the marks of subwords. ", hint))


def _cut(segmentation: Segmentation, start: int, stop: int) -> Segmentation:
    """The text between two positions as an utterance; its units are not counted."""
    first, after = np.searchsorted(segmentation.word_ends, [start, stop], side="right")
    ends = segmentation.word_ends[first:after] - start
    text = segmentation.require_text()[start:stop]
    return Segmentation(text, ends, np.array([len(text)]), np.zeros(1, np.int64), segmentation.unit)


def _first_difference(left: Segmentation, right: Segmentation) -> int:
    """The position of the first unit that differs."""
    texts = left.require_text(), right.require_text()
    size = min(map(len, texts))
    differs = np.flatnonzero(texts[0][:size] != texts[1][:size])
    return _unit_start(left if len(texts[0]) > size else right, int(differs[0]) if len(differs) else size)


def _unit_start(segmentation: Segmentation, position: int) -> int:
    """The last position up to this one at which a unit begins, or the end of the text."""
    text, is_token = segmentation.require_text(), segmentation.unit == "token"
    position = min(position, len(text))
    while 0 < position < len(text) and (text[position - 1] != SPACE if is_token else text[position] & 0xC0 == 0x80):
        position -= 1
    return position


def _context(segmentation: Segmentation, at: int) -> str:
    """The text around a position, with spaces between words of characters."""
    start, stop = (_unit_start(segmentation, max(0, at + shift)) for shift in (-_SHOWN, _SHOWN))
    around = _cut(segmentation, start, stop)
    text = around.require_text()
    spaced = text if around.unit == "token" else np.insert(text, around.word_ends, SPACE)
    return spaced.tobytes().decode(errors="replace").strip(" ")


def _words(utterance: Segmentation) -> list[str]:
    text = utterance.require_text()
    ends = [*utterance.word_ends.tolist(), len(text)]
    return [text[a:b].tobytes().decode(errors="replace") for a, b in pairwise([0, *ends]) if a < b]


def _unit_error(  # noqa: PLR0917
    utterance: int,
    reference: list[str],
    prediction: list[str],
    words: tuple[list[str], list[str]],
    unit: str,
    before: int,
    context: Sequence[str],
) -> UtteranceError:
    """The error of units that differ; `before` counts those that are not looked at."""
    blank = [side for side, units in (("reference", reference), ("prediction", prediction)) if not units]
    if blank:
        other = "prediction" if blank == ["reference"] else "reference"
        return UtteranceError(
            utterance,
            f"the {blank[0]} is blank and the {other} is not: expected the same units on both sides.",
            hint="Is a line missing or added above? Utterances pair by position, blank ones too.",
        )
    pairs = list(zip_longest(reference, prediction))
    offset = next(index for index, (left, right) in enumerate(pairs) if left != right)
    shown = [_describe_unit(units[offset]) if offset < len(units) else "nothing" for units in (reference, prediction)]
    return UtteranceError(
        utterance,
        f"the units differ at offset {before + offset} (in {unit}s): the reference has {shown[0]}{context[0]}, the prediction "
        f"{shown[1]}{context[1]}; "
        f"expected the same units on both sides.",
        hint=_wordseg_hint([*reference, *prediction], words, unit)
        or _subword_hint(*(words if unit == "character" else (reference, prediction)), unit)
        or _unit_hint(reference, prediction, words, unit)
        or _mark_hint(*(words if unit == "character" else (reference, prediction)), unit),
        offset=before + offset,
    )


def _describe_unit(unit: str) -> str:
    """A unit, with its code points where it is not printable ASCII."""
    if len(unit) == 1:
        return describe_character(unit)
    if unit.isascii() and unit.isprintable():
        return repr(unit)
    return f"{unit!r} ({' '.join(f'U+{ord(character):04X}' for character in unit[:20])})"


def _format_of(applies: Sequence[bool]) -> Option:
    """The option on the format of the side to which something applies, or of both."""
    name = "text_format" if applies[0] == applies[1] else "reference_format" if applies[0] else "prediction_format"
    return OPTIONS[name]


def _format_with(marks: Collection[str], words: Sequence[list[str]]) -> Option:
    """The option on the format of the side with tokens of units text; of both sides if they have the same units without them."""
    reference, prediction = ([word for word in own if word not in marks] for own in words)
    have_marks = [not set(marks).isdisjoint(own) for own in words]
    return OPTIONS["text_format"] if reference == prediction else _format_of(have_marks)


def _wordseg_hint(units: list[str], words: Sequence[list[str]], unit: str) -> str:
    """The options that read the tokens of wordseg; in units that were joined into words they are within the words."""
    text = "".join(chain(*words))
    if unit == "token":
        marks = sorted({token for token in units if token.startswith(";")})
    else:
        marks = [mark for mark in (";esyll", ";eword") if mark in text]
    if not marks:
        return ""
    if "WORD_BOUNDARY" in text:
        return f"The text has {_quoted(marks)} and WORD_BOUNDARY: write the same boundary token on both sides."
    is_within = unit == "token" or set(chain(*words)).isdisjoint(marks)
    settings = [] if is_within else [_format_with(marks, words).set("units")]
    return Message(f"The text has {_quoted(marks)}, the format of wordseg: did you mean ", *of_wordseg(marks, settings))


def of_wordseg(marks: Collection[str], settings: Sequence[Setting] = ()) -> Iterator[object]:
    """The parts of a message that ask for the options that read some tokens of wordseg, after other settings."""
    ignored = [mark for mark in marks if mark != ";eword"]
    settings = [
        *settings,
        *([OPTIONS["word_boundary"].set(";eword")] if ";eword" in marks else []),
        *([OPTIONS["ignored_tokens"].set(ignored)] if ignored else []),
    ]
    yield from _listed(settings)
    yield "?"


def _listed(settings: Sequence[Setting]) -> Iterator[object]:
    for number, setting in enumerate(settings):
        yield from (" and ", setting) if number else (setting,)


def _unit_hint(reference: list[str], prediction: list[str], words: Sequence[list[str]], unit: str) -> str:
    texts = "".join(reference), "".join(prediction)
    # A side with boundaries is units text.
    are_one_word = [len(own) < 2 for own in words]
    if unit == "token" and texts[0] == texts[1] and any(are_one_word):
        option = _format_of(are_one_word)
        return Message("Without spaces both sides are the same: did you mean ", option.set("words"), "?")
    if unit == "character" and "WORD_BOUNDARY" in texts[0] + texts[1]:
        option = _format_with(["WORD_BOUNDARY"], words)
        return Message("The text has WORD_BOUNDARY in it: did you mean ", option.set("units"), "?")
    for form in ("NFC", "NFKC"):
        if texts[0] != texts[1] and unicodedata.normalize(form, texts[0]) == unicodedata.normalize(form, texts[1]):
            how = Hint(", by ", OPTIONS["normalize"].set(form))
            return Message(f"Both sides are the same text in Unicode {form}: normalise them", how, ".")
    invisible = [text for text in texts if any(unicodedata.category(character) == "Cf" for character in text)]
    if invisible:
        return "One side has invisible characters (category Cf, such as U+200B or U+FEFF): remove them from both."
    if unit == "character" and sorted(texts[0]) != sorted(texts[1]) and " " in (*reference, *prediction):
        same = "".join(texts[0].split()) == "".join(texts[1].split())
        meant = (": did you mean ", OPTIONS["spaces"].set("drop"), "?") if same else (".",)
        return Message("Spaces within the words of a list are units too", *meant)
    return ""


def _subword_hint(reference: list[str], prediction: list[str], unit: str) -> str:
    """What removes subword marks, if both sides have the same text without them, perhaps in another Unicode form."""
    texts = "".join(reference), "".join(prediction)
    marked = next((word for word in (*prediction, *reference) if without_mark(word) != word), "")
    bare = ["".join(map(without_mark, words)) for words in (reference, prediction)]
    if marked and unicodedata.normalize("NFKC", bare[0]) == unicodedata.normalize("NFKC", bare[1]):
        mark = marked.replace(without_mark(marked), "") if without_mark(marked) else marked
        settings = [OPTIONS["subword_marks"].set(ANY)]
        settings += [OPTIONS["text_format"].set("words")] * (unit == "token")
        settings += [OPTIONS["normalize"].set("NFKC")] * (bare[0] != bare[1])
        have = f"The words have the mark {mark!r} of a tokenizer"
        return Message(have, Hint(": did you mean ", *_listed(settings), "?"))
    if texts[0] not in ("", texts[1]) and from_byte_level(texts[1]).replace(" ", "") == texts[0]:
        return (
            "The prediction has the bytes of a byte-level tokenizer in place of characters: cut the text at the offsets of the "
            "tokens instead."
        )
    if special := next((word for word in prediction if word in SPECIAL), ""):
        return (
            f"The prediction has the special token {special!r}: leave such tokens out, and cut the text at the offsets of the "
            f"others."
        )
    return ""


def _mark_hint(reference: list[str], prediction: list[str], unit: str) -> str:
    """A hint if a side marks its words in another way: with tags, such as `词/n`, a separator, or a joiner."""
    texts = "".join(reference), "".join(prediction)
    for words, others, own in ((reference, texts[1], [True, False]), (prediction, texts[0], [False, True])):
        text = "".join(words)
        # Units text has marks of its own, such as those of length, as units or in them.
        known = text if unit == "character" else "|/_"
        signs = [sign for sign in dict.fromkeys(text) if not sign.isalnum() and sign in known]
        marks = [sign for sign in signs if text.count(sign) > others.count(sign)]
        for mark in marks:
            if "".join(word.rpartition(mark)[0] or word for word in words) == others:
                tag = shortened(next(word for word in words if mark in word[1:]))
                separator = [] if mark == "/" else [" and ", OPTIONS["separator"].set(mark)]
                start = f"The words of the {'reference' if own[0] else 'prediction'} have tags, as {tag}: did you mean "
                return Message(start, _format_of(own).set("tagged"), *separator, "?")
            if text.replace(mark, "") == others.replace(mark, ""):
                have = [mark in each for each in texts]
                option, text_format = ("joiner", "words") if mark == "_" else ("separator", "separated")
                pieces = [" ".join(side).replace(mark, " ").split() for side in (reference, prediction)]
                is_enough = unit == "character" and (pieces[0] == pieces[1] if mark == "_" else all(have))
                which = OPTIONS["text_format"] if mark == "_" else _format_of(have)
                meant = [*([] if is_enough else [which.set(text_format), " and "]), OPTIONS[option].set(mark)]
                if unit == "token" and which.name != "text_format":
                    meant = [OPTIONS["text_format"].set("words"), ", ", *meant]
                return Message(f"There is {mark!r} between words or within: did you mean ", *meant, "?")
    return ""


def _quoted(values: list[str]) -> str:
    return " and ".join(map(repr, values))
