"""Diagnosis: why the units of an utterance differ, and which option would make them equal; it runs only if they do.

Hints that advise options are proposals: `Piece.tried` reads the utterance with each of them, and keeps the first that is good.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import chain, pairwise, zip_longest

import numpy as np

from ..kernel.arrays import Bytes, first_true
from ..kernel.segmentation import SPACE, TOKEN, Segmentation, marks_of_units
from ..options.errors import UtteranceError, describe_character, warn
from ..options.messages import Hint, Message, Setting, Settings
from ..options.option import Option
from ..options.quoting import shortened
from ..options.table import OPTIONS
from ..reading.formats.format import Format
from ..reading.formats.registry import FORMATS, PLAIN, UNITS
from ..reading.subwords import ANY, SPECIAL, from_byte_level, without_mark
from ..reading.trouble import listed, of_wordseg

#: The bytes around the first difference of a long utterance that hints look at.
_LOOKED_AT = 1 << 14
#: The bytes on each side of the first difference of a long utterance that a message shows.
_SHOWN = 40
#: The characters with which a token between words may begin, if it is no word: `#`, `|`, `</w>`, `;eword`.
_BEGIN_BOUNDARIES = frozenset("#|/\\+=~^*&%@_-$<>[{;·‖¦")
#: The most tokens that are tried as the token between words.
_MOST_BOUNDARIES = 4
#: Tags of the Thai BEST corpora, such as `<NE>`.
_MARKUP = re.compile("</?[A-Z]+>")


def mismatch_error(reference: Segmentation, prediction: Segmentation, utterance: int) -> UtteranceError:
    """Return the error of an utterance whose units differ: the place, both units, and what would make them equal."""
    if reference.text is None:
        lengths = int(reference.utterance_units[utterance]), int(prediction.utterance_units[utterance])
        received = f"the reference has {lengths[0]} labels and the prediction {lengths[1]}"
        hint = "Drop padding and masked positions before scoring."
        return UtteranceError(utterance, f"{received}: expected one label per unit on both sides.", hint)
    sides = [_cut(side, *side.span(utterance)) for side in (reference, prediction)]
    before = 0
    contexts = ["", ""]
    if "ends_sentence" in reference.of_words or max(len(side.require_text()) for side in sides) > _LOOKED_AT:
        difference = _first_difference(*sides)
        if "ends_sentence" in reference.of_words:
            contexts = [f" in {_context(side, difference)!r}" for side in sides]
        low = _unit_start(sides[0], max(0, difference - _LOOKED_AT // 2))
        before = int(marks_of_units(sides[0].require_text()[:low], reference.unit).sum())
        sides = [_cut(side, low, _unit_start(side, difference + _LOOKED_AT // 2)) for side in sides]
    return _unit_error(utterance, sides, before, contexts)


def warn_of_marks(reference: Segmentation, prediction: Segmentation, utterance: int) -> None:
    """Warn of subword marks, with which the units of an utterance differ, where that is no error."""
    if reference.text is None or prediction.text is None:
        return
    sides = (_cut(side, *side.span(utterance)) for side in (reference, prediction))
    words = [side.units(0) if side.unit == TOKEN else _words(side) for side in sides]
    if hint := _subword_hint(words[0], words[1], reference.unit):
        warn(Message("Units differ by the marks of subwords. ", hint))


def _cut(segmentation: Segmentation, start: int, stop: int) -> Segmentation:
    """Return the text between two positions as an utterance; its number of units stays 0."""
    first, after = np.searchsorted(segmentation.word_ends, [start, stop], side="right")
    ends = segmentation.word_ends[first:after] - start
    text = segmentation.require_text()[start:stop]
    return Segmentation(text, ends, np.array([len(text)]), np.zeros(1, np.int64), segmentation.unit)


def _first_difference(left: Segmentation, right: Segmentation) -> int:
    texts = left.require_text(), right.require_text()
    size = min(map(len, texts))
    position = first_true(texts[0][:size] != texts[1][:size])
    if position < 0:
        position = size
    longer = left if len(texts[0]) > size else right
    return _unit_start(longer, position)


def _unit_start(segmentation: Segmentation, position: int) -> int:
    """Return the last position up to this one at which a unit begins, or the end of the text."""
    text = segmentation.require_text()
    position = min(position, len(text))
    while 0 < position < len(text) and not _begins_unit(text, position, segmentation.unit):
        position -= 1
    return position


def _begins_unit(text: Bytes, position: int, unit: str) -> bool:
    if unit == TOKEN:
        return bool(text[position - 1] == SPACE)
    # The first byte of a character differs from 10xxxxxx, and every other byte has this form.
    return bool(text[position] & 0xC0 != 0x80)


def _context(segmentation: Segmentation, position: int) -> str:
    """Return the text around a position, with spaces between words of characters."""
    start = _unit_start(segmentation, max(0, position - _SHOWN))
    stop = _unit_start(segmentation, position + _SHOWN)
    around = _cut(segmentation, start, stop)
    text = around.require_text()
    if around.unit == "character":
        text = np.insert(text, around.word_ends, SPACE)
    return text.tobytes().decode(errors="replace").strip(" ")


def _words(utterance: Segmentation) -> list[str]:
    text = utterance.require_text()
    ends = [*utterance.word_ends.tolist(), len(text)]
    return [text[a:b].tobytes().decode(errors="replace") for a, b in pairwise([0, *ends]) if a < b]


def _unit_error(utterance: int, sides: Sequence[Segmentation], before: int, contexts: Sequence[str]) -> UtteranceError:
    """Return the error of units that differ; `before` counts the earlier units of the utterance."""
    reference, prediction = [side.units(0) for side in sides]
    words = [*map(_words, sides)]
    unit = sides[0].unit
    expected = "expected the same units on both sides."
    if not reference or not prediction:
        blank = "prediction" if reference else "reference"
        other = "reference" if reference else "prediction"
        hint = "Is a line missing or added above? Utterances pair by position, blank ones too."
        return UtteranceError(utterance, f"the {blank} is blank and the {other} is not: {expected}", hint)
    pairs = list(zip_longest(reference, prediction))
    offset = next(index for index, (left, right) in enumerate(pairs) if left != right)
    shown = ["nothing" if at is None else _describe_unit(at) for at in pairs[offset]]
    received = f"the reference has {shown[0]}{contexts[0]}, the prediction {shown[1]}{contexts[1]}"
    marked = words if unit == "character" else [reference, prediction]
    proposals = (
        _wordseg_hint([*reference, *prediction], words, unit),
        _subword_hint(marked[0], marked[1], unit),
        *_markup_hints("".join(reference), "".join(prediction), unit),
        _unit_hint(reference, prediction, words, unit),
        *_boundary_hints(marked, unit),
        *_mark_hints(marked[0], marked[1], unit),
        _text_hint(marked[0], marked[1]),
    )
    hints = [*filter(None, proposals)]
    return UtteranceError(
        utterance,
        f"the units differ at offset {before + offset} (in {unit}s): {received}; {expected}",
        hint=hints[0] if hints else "",
        offset=before + offset,
    ).but(proposals=tuple(hints))


def _describe_unit(unit: str) -> str:
    """Return a unit, with its code points where it is not printable ASCII."""
    if len(unit) == 1:
        return describe_character(unit)
    if unit.isascii() and unit.isprintable():
        return repr(unit)
    return f"{unit!r} ({' '.join(f'U+{ord(character):04X}' for character in unit[:20])})"


def _format_of(applies: Sequence[bool]) -> Option:
    """Return the option that sets the format of one side, or of both, for which `applies` is true."""
    of_reference, of_prediction = applies
    if of_reference == of_prediction:
        return OPTIONS["text_format"]
    return OPTIONS["reference_format" if of_reference else "prediction_format"]


def _format_with(marks: Collection[str], words: Sequence[list[str]]) -> Option:
    """Return the option that sets the format of the side that has marks of units text.

    It is the option for both sides if they differ in the marks alone.
    """
    have_marks = [not set(marks).isdisjoint(side) for side in words]
    reference, prediction = ([word for word in side if word not in marks] for side in words)
    if reference == prediction:
        return OPTIONS["text_format"]
    return _format_of(have_marks)


def _wordseg_hint(units: list[str], words: Sequence[list[str]], unit: str) -> str:
    """Return a hint at the options that read the tokens of wordseg, which are within words where units were joined."""
    text = "".join(chain(*words))
    if unit == TOKEN:
        marks = sorted({token for token in units if token.startswith(";")})
    else:
        marks = [mark for mark in (";esyll", ";eword") if mark in text]
    if not marks:
        return ""
    if "WORD_BOUNDARY" in text:
        return f"The text has {_quoted(marks)} and WORD_BOUNDARY: write the same boundary token on both sides."
    is_within = unit == TOKEN or set(chain(*words)).isdisjoint(marks)
    settings = []
    if not is_within:
        settings = [_format_with(marks, words).set(UNITS.name)]
    return Message(f"The text has {_quoted(marks)}, the format of wordseg: did you mean ", *of_wordseg(marks, settings))


def _unit_hint(reference: list[str], prediction: list[str], words: Sequence[list[str]], unit: str) -> str:
    texts = "".join(reference), "".join(prediction)
    # Units text that is read as words text, or the reverse, has one word.
    are_one_word = [len(side) < 2 for side in words]
    if unit == TOKEN and texts[0] == texts[1] and any(are_one_word):
        option = _format_of(are_one_word)
        return Message("Without spaces both sides are the same: did you mean ", option.set(PLAIN.name), "?")
    if unit == "character" and "WORD_BOUNDARY" in texts[0] + texts[1]:
        option = _format_with(["WORD_BOUNDARY"], words)
        return Message("The text has WORD_BOUNDARY in it: did you mean ", option.set(UNITS.name), "?")
    for form in ("NFC", "NFKC"):
        if texts[0] != texts[1] and unicodedata.normalize(form, texts[0]) == unicodedata.normalize(form, texts[1]):
            remedy = Hint(", by ", OPTIONS["normalize"].set(form))
            return Message(f"Both sides are the same text in Unicode {form}: normalise them", remedy, ".")
    invisible = [text for text in texts if any(unicodedata.category(character) == "Cf" for character in text)]
    if invisible:
        return "One side has invisible characters (category Cf, such as U+200B or U+FEFF): remove them from both."
    if unit == "character" and sorted(texts[0]) != sorted(texts[1]) and " " in (*reference, *prediction):
        problem = "Spaces within the words of a list are units too"
        if "".join(texts[0].split()) == "".join(texts[1].split()):
            return Message(problem, ": did you mean ", OPTIONS["spaces"].set("drop"), "?")
        return f"{problem}."
    return ""


def _subword_hint(reference: list[str], prediction: list[str], unit: str) -> str:
    """Return a hint at subword marks, if both sides have the same text without them, perhaps in another Unicode form."""
    texts = "".join(reference), "".join(prediction)
    marked = next((word for word in (*prediction, *reference) if without_mark(word) != word), "")
    bare = ["".join(map(without_mark, words)) for words in (reference, prediction)]
    if marked and unicodedata.normalize("NFKC", bare[0]) == unicodedata.normalize("NFKC", bare[1]):
        # A token that is a mark alone has no other text.
        mark = marked.replace(without_mark(marked), "")
        settings = [OPTIONS["subword_marks"].set(ANY)]
        if unit == TOKEN:
            settings.append(OPTIONS["text_format"].set(PLAIN.name))
        if bare[0] != bare[1]:
            settings.append(OPTIONS["normalize"].set("NFKC"))
        problem = f"The words have the mark {mark!r} of a tokenizer"
        return Message(problem, Hint(": did you mean ", *listed(settings), "?"))
    if texts[0] not in ("", texts[1]) and from_byte_level(texts[1]).replace(" ", "") == texts[0]:
        problem = "The prediction has the bytes of a byte-level tokenizer in place of characters"
        return f"{problem}: cut the text at the offsets of the tokens instead."
    special = next((word for word in prediction if word in SPECIAL), "")
    if special:
        problem = f"The prediction has the special token {special!r}"
        return f"{problem}: leave such tokens out, and cut the text at the offsets of the others."
    return ""


def _markup_hints(reference: str, prediction: str, unit: str) -> Iterator[Message]:
    """Yield hints at the options that drop tags such as `<NE>`, if without tags the sides differ at most in spaces."""
    bare = [_MARKUP.sub("", text) for text in (reference, prediction)]
    have_tags = [text != without for text, without in zip((reference, prediction), bare, strict=True)]
    differ_in_spaces_at_most = bare[0].replace(" ", "") == bare[1].replace(" ", "")
    if unit == TOKEN or not any(have_tags) or not differ_in_spaces_at_most:
        return
    settings = [OPTIONS["markup"].set("drop")]
    if bare[0] != bare[1]:
        settings.append(OPTIONS["spaces"].set("drop"))
    # With a format of its own first: without it, the option implies that of the tags for the other side too.
    for further in ([_format_of(have_tags).set(_format_with_separator().name)], []):
        yield Message("The words have tags, such as <NE>: did you mean ", *listed([*further, *settings]), "?")


def _boundary_hints(sides: Sequence[list[str]], unit: str) -> Iterator[Message]:
    """Yield hints at tokens of units text that may stand between words, such as `#`."""
    counts: Counter[str] = Counter()
    for side in sides:
        counts.update(token for token in side if token[:1] in _BEGIN_BOUNDARIES)
    for token, _ in counts.most_common(_MOST_BOUNDARIES):
        others = [[other for other in side if other != token] for side in sides]
        is_on_both = all(token in side for side in sides)
        # If the other tokens are the same, one side lacks a word.
        if others[0] == others[1] and not is_on_both:
            continue
        settings = [OPTIONS["word_boundary"].set(token)]
        if unit != TOKEN:
            option = OPTIONS["text_format"] if is_on_both else _format_with([token], sides)
            settings.insert(0, option.set(UNITS.name))
        yield Message(
            f"Does {token!r} stand between words, whose units have spaces between them? Then use ",
            *listed(settings),
            ".",
        )


def _mark_hints(reference: list[str], prediction: list[str], unit: str) -> Iterator[Message]:
    """Yield hints if a side marks its words in another way: with tags, such as `词/n`, a separator, or a joiner."""
    sides = [reference, prediction]
    texts = "".join(reference), "".join(prediction)
    for number, words in enumerate(sides):
        text = texts[number]
        other = texts[1 - number]
        # In units text other signs, such as length marks, may be units or belong to units.
        candidates = "|/_"
        if unit == "character":
            candidates = text
        for mark in dict.fromkeys(text):
            may_be_mark = not mark.isalnum() and mark in candidates
            if not may_be_mark or text.count(mark) <= other.count(mark):
                continue
            if "".join(word.rpartition(mark)[0] or word for word in words) == other:
                yield _tag_hint(words, mark, of_reference=number == 0)
            is_within = mark in text.strip(mark)
            if is_within and text.replace(mark, "") == other.replace(mark, ""):
                yield _separator_hint(sides, mark, unit)


def _text_hint(reference: list[str], prediction: list[str]) -> str:
    """Return the advice for sides with the same words in another order, in another case, or without punctuation."""
    if sorted(reference) == sorted(prediction):
        return "Both sides have the same words in another order: expected the same text on both sides."
    texts = "".join(reference), "".join(prediction)
    if texts[0].casefold() == texts[1].casefold():
        return "Both sides are the same text but for capital letters: write it in the same way on both sides."
    bare = [_without_punctuation(text) for text in texts]
    if bare[0] and bare[0] == bare[1]:
        return "Both sides are the same text but for punctuation: write it on both sides, or on neither."
    return ""


def _without_punctuation(text: str) -> str:
    return "".join(character for character in text if unicodedata.category(character)[0] != "P")


def _tag_hint(words: list[str], mark: str, *, of_reference: bool) -> Message:
    """Return the hint at the format of a side whose words have tags after a mark, such as `词/n`."""
    tagged = shortened(next(word for word in words if mark in word[1:]))
    side = "reference" if of_reference else "prediction"
    row = _format_with_separator(of_tags=True)
    settings = [_format_of([of_reference, not of_reference]).set(row.name)]
    if mark != row.usual["separator"]:
        settings.append(OPTIONS["separator"].set(mark))
    return Message(f"The words of the {side} have tags, as {tagged}: did you mean ", *listed(settings), "?")


def _separator_hint(sides: Sequence[list[str]], mark: str, unit: str) -> Message:
    """Return the hint at the options for a mark between words, such as `|`, or between the pieces of a word, `_`."""
    is_joiner = mark == "_"
    have_mark = [any(mark in word for word in words) for words in sides]
    if is_joiner:
        mark_option = OPTIONS["joiner"]
        format_option = OPTIONS["text_format"]
        text_format = PLAIN.name
    else:
        mark_option = OPTIONS["separator"]
        format_option = _format_of(have_mark)
        text_format = _format_with_separator().name
    settings: list[Setting] = []
    if unit == TOKEN and format_option.name != "text_format":
        settings.append(OPTIONS["text_format"].set(PLAIN.name))
    if not _is_enough(sides, mark, have_mark, unit):
        settings.append(format_option.set(text_format))
    settings.append(mark_option.set(mark))
    return Message(f"There is {mark!r} between words or within: did you mean ", Settings(settings), "?")


def _format_with_separator(*, of_tags: bool = False) -> Format:
    """Return the format in which a separator stands between words, or between a word and its tag."""
    with_separator = [row for row in FORMATS.values() if "separator" in row.usual]
    return next(row for row in with_separator if row.tags_each_word == of_tags)


def _is_enough(sides: Sequence[list[str]], mark: str, have_mark: Sequence[bool], unit: str) -> bool:
    """Return whether the option that names the mark is enough, and the format is as it should be."""
    if unit != "character":
        return False
    if mark != "_":
        return all(have_mark)
    reference, prediction = (" ".join(words).replace(mark, " ").split() for words in sides)
    return reference == prediction


def _quoted(values: list[str]) -> str:
    return " and ".join(map(repr, values))
