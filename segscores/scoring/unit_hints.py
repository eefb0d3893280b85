"""Unit hints: what would make the units of both sides equal, from the units and words of an utterance.

Hints that advise options are proposals: `Piece.with_tried_hint` reads the utterance with each of them, and keeps the first with
which both sides have the same units.

Conventions
-----------
- `unit` is the kind of the units: "character" in words text and lists, TOKEN in units text.
- `words` has the words of the reference and those of the prediction; without boundary tokens, units text is one word.
- Functions of marks take the strings of each side that may have a mark: the words where units are characters, else the tokens.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import chain

from ..kernel.segmentation import TOKEN
from ..options.messages import Hint, Message, Setting, Settings
from ..options.option import Option
from ..options.quoting import shortened
from ..options.table import OPTIONS
from ..reading.boundary_tokens import may_be_boundary
from ..reading.formats.format import Format
from ..reading.formats.registry import FORMATS, PLAIN, UNITS
from ..reading.missing_boundaries import listed, of_wordseg
from ..reading.subwords import ANY, SPECIAL, from_byte_level, without_mark

#: Names that may stand between words, such as `<sep>`.
_NAMES_IN_BRACKETS = re.compile(r"<\w+>|\[\w+\]|\\\w")
#: The marks between words that units hardly have.
_MARKS_OF_UNITS = "|/_"
#: The mark that usually joins the pieces of a word.
_USUAL_JOINER = "_"
#: The most tokens that are tried as the token between words.
_MOST_BOUNDARIES = 4
#: The most signs and names in brackets that are tried as marks of words.
_MOST_MARKS = 16
#: Tags of the Thai BEST corpora, such as `<NE>`.
_MARKUP = re.compile("</?[A-Z]+>")


def hints_at_units(reference: list[str], prediction: list[str], words: Sequence[list[str]], unit: str) -> list[str]:
    """Return hints at what would make the units of both sides equal, the likeliest first.

    `reference` and `prediction` are the units, and `words` the words of both sides.
    """
    # The strings that may have marks: the words if units are characters; the tokens of units text, which are the units.
    reference_marked = reference
    prediction_marked = prediction
    if unit == "character":
        reference_marked, prediction_marked = words
    sides = [reference_marked, prediction_marked]
    advice = _text_hint(reference_marked, prediction_marked)
    lacking: list[str] = [*_boundary_hints(sides, unit, is_lacking=True)]
    if lacking:
        lacking.insert(0, advice)  # it says the same of punctuation
    hints = (
        _wordseg_hint([*reference, *prediction], words, unit),
        subword_hint(reference_marked, prediction_marked, unit),
        *_markup_hints("".join(reference), "".join(prediction), unit),
        _unit_hint(reference, prediction, words, unit),
        *_boundary_hints(sides, unit),
        *lacking,
        *_mark_hints(reference_marked, prediction_marked, unit),
        advice,
    )
    return [hint for hint in hints if hint]


def _format_option(*, of_reference: bool, of_prediction: bool) -> Option:
    """Return the option that sets the format of one side; of both, if the format of both or of neither is meant."""
    if of_reference == of_prediction:
        return OPTIONS["text_format"]
    return OPTIONS["reference_format" if of_reference else "prediction_format"]


def _format_option_by_marks(marks: Collection[str], words: Sequence[list[str]]) -> Option:
    """Return the option that sets the format of the side that has marks of units text, such as a boundary token.

    It is the option for both sides if they are the same without the marks: then both are units text, and one of them may have no
    mark because its utterance is one word.
    """
    reference, prediction = words
    unmarked_reference = [word for word in reference if word not in marks]
    unmarked_prediction = [word for word in prediction if word not in marks]
    if unmarked_reference == unmarked_prediction:
        return OPTIONS["text_format"]
    return _format_option(of_reference=unmarked_reference != reference, of_prediction=unmarked_prediction != prediction)


def _wordseg_hint(units: list[str], words: Sequence[list[str]], unit: str) -> str:
    """Return a hint at the options that read the tokens of wordseg; empty if the text has none.

    An example is "The text has ';eword', the format of wordseg: did you mean word_boundary=";eword"?"
    """
    text = "".join(chain(*words))
    if unit == TOKEN:
        marks = sorted({token for token in units if token.startswith(";")})
    else:
        # Where units are characters, a word may have marks within it: "ab;eword".
        marks = [mark for mark in (";esyll", ";eword") if mark in text]
    if not marks:
        return ""
    if "WORD_BOUNDARY" in text:
        return f"The text has {_quoted(marks)} and WORD_BOUNDARY: write the same boundary token on both sides."
    # Marks that are words of words text say that the text is units text.
    are_words = unit != TOKEN and not set(chain(*words)).isdisjoint(marks)
    settings = []
    if are_words:
        settings = [_format_option_by_marks(marks, words).set(UNITS.name)]
    return Message(f"The text has {_quoted(marks)}, the format of wordseg: did you mean ", *of_wordseg(marks, settings))


def _unit_hint(reference: list[str], prediction: list[str], words: Sequence[list[str]], unit: str) -> str:
    """Return a hint at how the text of both sides, whose units are given, was cut into units; empty if nothing fits.

    It is at another format, at Unicode forms, at invisible characters, or at spaces within words.
    """
    reference_text = "".join(reference)
    prediction_text = "".join(prediction)
    return (
        _hint_at_other_format(reference_text, prediction_text, words, unit)
        or _hint_at_characters(reference_text, prediction_text)
        or _hint_at_spaces(reference_text, prediction_text, words, unit)
    )


def _hint_at_other_format(reference_text: str, prediction_text: str, words: Sequence[list[str]], unit: str) -> str:
    """Return a hint at words text that was read as units text, or the reverse; empty if neither is likely.

    An example is "The text has WORD_BOUNDARY in it: did you mean text_format="units"?"
    """
    reference_is_at_most_one_word, prediction_is_at_most_one_word = [len(words_of_side) < 2 for words_of_side in words]
    has_one_word = reference_is_at_most_one_word or prediction_is_at_most_one_word
    # Words text that is read as units text has no boundary tokens: its words are taken for the units of one word.
    if unit == TOKEN and reference_text == prediction_text and has_one_word:
        option = _format_option(
            of_reference=reference_is_at_most_one_word, of_prediction=prediction_is_at_most_one_word
        )
        return Message("Without spaces both sides are the same: did you mean ", option.set(PLAIN.name), "?")
    if unit == "character" and "WORD_BOUNDARY" in reference_text + prediction_text:
        option = _format_option_by_marks(["WORD_BOUNDARY"], words)
        return Message("The text has WORD_BOUNDARY in it: did you mean ", option.set(UNITS.name), "?")
    return ""


def _hint_at_characters(reference_text: str, prediction_text: str) -> str:
    """Return a hint at two ways to write one text: in different Unicode forms, or with invisible characters; or empty."""
    for form in ("NFC", "NFKC"):
        are_same_in_form = unicodedata.normalize(form, reference_text) == unicodedata.normalize(form, prediction_text)
        if reference_text != prediction_text and are_same_in_form:
            remedy = Hint(", by ", OPTIONS["normalize"].set(form))
            return Message(f"Both sides are the same text in Unicode {form}: normalise them", remedy, ".")
    if any(unicodedata.category(character) == "Cf" for character in reference_text + prediction_text):
        return "One side has invisible characters (category Cf, such as U+200B or U+FEFF): remove them from both."
    return ""


def _hint_at_spaces(reference_text: str, prediction_text: str, words: Sequence[list[str]], unit: str) -> str:
    """Return a hint at spaces within the words of lists, which are units of characters; empty if they explain nothing."""
    has_spaces = " " in reference_text or " " in prediction_text
    # If both sides have the same characters, and so as many spaces, they differ in the order, which spaces do not explain.
    has_same_characters = sorted(reference_text) == sorted(prediction_text)
    if unit != "character" or not has_spaces or has_same_characters:
        return ""
    problem = "Spaces within the words of a list are units too"
    if _are_texts(words):
        return f"{problem}. If each item is an utterance, pass a list of strings, which are read as text."
    if "".join(reference_text.split()) == "".join(prediction_text.split()):
        return Message(problem, ": did you mean ", OPTIONS["spaces"].set("drop"), "?")
    return f"{problem}."


def _are_texts(words: Sequence[list[str]]) -> bool:
    """Return whether the words of lists are whole texts: all have spaces on one side, and are the same without them."""
    reference, prediction = words
    have_spaces = all(len(word.split()) > 1 for word in reference) or all(len(word.split()) > 1 for word in prediction)
    reference_without = ["".join(word.split()) for word in reference]
    prediction_without = ["".join(word.split()) for word in prediction]
    return have_spaces and reference_without == prediction_without


def subword_hint(reference: list[str], prediction: list[str], unit: str) -> str:
    """Return a hint at what tokenizers leave in words: subword marks, bytes in place of characters, or special tokens.

    Empty if nothing fits.
    """
    return _hint_at_subword_marks(reference, prediction, unit) or _hint_at_bytes_or_special(reference, prediction)


def _hint_at_subword_marks(reference: list[str], prediction: list[str], unit: str) -> str:
    """Return a hint at subword marks, if both sides have the same text without them, perhaps in another Unicode form.

    An example is "The words have the mark '##' of a tokenizer: did you mean subword_marks="strip"?"
    """
    # A mark alone is no mark of a subword, but may stand between words.
    marked_word = next((word for word in (*prediction, *reference) if without_mark(word) not in (word, "")), "")
    reference_without = "".join(without_mark(word) for word in reference)
    prediction_without = "".join(without_mark(word) for word in prediction)
    are_same_without = unicodedata.normalize("NFKC", reference_without) == unicodedata.normalize(
        "NFKC", prediction_without
    )
    if marked_word and are_same_without:
        # The word "##ing" less "ing" is the mark.
        mark = marked_word.replace(without_mark(marked_word), "")
        settings = [OPTIONS["subword_marks"].set(ANY)]
        if unit == TOKEN:
            # Words have marks, so the text is words text, and was read as units text.
            settings.append(OPTIONS["text_format"].set(PLAIN.name))
        if reference_without != prediction_without:
            # Without marks both sides are the same only after normalisation.
            settings.append(OPTIONS["normalize"].set("NFKC"))
        problem = f"The words have the mark {mark!r} of a tokenizer"
        return Message(problem, Hint(": did you mean ", *listed(settings), "?"))
    return ""


def _hint_at_bytes_or_special(reference: list[str], prediction: list[str]) -> str:
    """Return a hint at the tokens of a prediction that are no text: bytes in place of characters, or special ones, as `[CLS]`."""
    reference_text = "".join(reference)
    prediction_text = "".join(prediction)
    # Equal texts differ in their words alone, which bytes in place of characters do not explain.
    may_be_bytes = reference_text not in ("", prediction_text)
    if may_be_bytes and from_byte_level(prediction_text).replace(" ", "") == reference_text:
        problem = "The prediction has the bytes of a byte-level tokenizer in place of characters"
        return f"{problem}: cut the text at the offsets of the tokens instead."
    special = next((word for word in prediction if word in SPECIAL), "")
    if special:
        problem = f"The prediction has the special token {special!r}"
        return f"{problem}: leave such tokens out, and cut the text at the offsets of the others."
    return ""


def _markup_hints(reference: str, prediction: str, unit: str) -> Iterator[Message]:
    """Yield hints at the options that drop tags such as `<NE>`, if without tags the sides differ at most in spaces."""
    reference_without = _MARKUP.sub("", reference)
    prediction_without = _MARKUP.sub("", prediction)
    reference_has_tags = reference_without != reference
    prediction_has_tags = prediction_without != prediction
    has_tags = reference_has_tags or prediction_has_tags
    differ_in_spaces_at_most = reference_without.replace(" ", "") == prediction_without.replace(" ", "")
    if unit == TOKEN or not has_tags or not differ_in_spaces_at_most:
        return
    settings = [OPTIONS["markup"].set("drop")]
    if reference_without != prediction_without:
        settings.append(OPTIONS["spaces"].set("drop"))
    format_option = _format_option(of_reference=reference_has_tags, of_prediction=prediction_has_tags)
    with_format = [format_option.set(_format_with_separator().name), *settings]
    # First the hint with the format of the side that has tags: `markup` alone implies this format for both sides.
    for proposed in (with_format, settings):
        yield Message("The words have tags, such as <NE>: did you mean ", *listed(proposed), "?")


def _boundary_hints(sides: Sequence[list[str]], unit: str, *, is_lacking: bool = False) -> Iterator[Message]:
    """Yield hints at tokens of units text that may stand between words, such as `#`.

    `is_lacking` asks for tokens on one side alone, without which both sides are the same.
    """
    reference, prediction = sides
    counts: Counter[str] = Counter()
    for side in sides:
        counts.update(token for token in side if may_be_boundary(token))
    for token, _ in counts.most_common(_MOST_BOUNDARIES):
        reference_others = [other for other in reference if other != token]
        prediction_others = [other for other in prediction if other != token]
        is_on_both = token in reference and token in prediction
        # A token on one side alone, without which both sides are the same, may be a word that the other side lacks, or stand
        # between words of which the other side makes one.
        if is_lacking != (reference_others == prediction_others and not is_on_both):
            continue
        settings = [OPTIONS["word_boundary"].set(token)]
        if unit != TOKEN:
            # The text was read as words text, in which each unit counts as a word.
            has_format_of_both = is_on_both or is_lacking
            option = OPTIONS["text_format"] if has_format_of_both else _format_option_by_marks([token], sides)
            settings.insert(0, option.set(UNITS.name))
        yield Message(
            f"Does {token!r} stand between words, whose units have spaces between them? Then use ",
            *listed(settings),
            ".",
        )


def _mark_hints(reference: list[str], prediction: list[str], unit: str) -> Iterator[Message]:
    """Yield hints if a side marks its words in another way: with tags, such as `词/n`, a separator, or a joiner."""
    for words, other_words in ((reference, prediction), (prediction, reference)):
        text = "".join(words)
        other_text = "".join(other_words)
        # In units text other signs, such as length marks, may be units or belong to units.
        marks = _marks_in(text) if unit == "character" else [mark for mark in _MARKS_OF_UNITS if mark in text]
        for mark in marks:
            # A mark is on one side alone, or there more often.
            if text.count(mark) <= other_text.count(mark):
                continue
            if "".join(_before_last(mark, word) for word in words) == other_text:
                yield _tag_hint(words, mark, of_reference=words is reference)
            # A sign at the ends of words alone, such as a bracket, separates nothing.
            is_between = set(words[1::2]) == {mark} or any(_is_within(mark, word) for word in words)
            if is_between and text.replace(mark, "") == other_text.replace(mark, ""):
                yield _separator_hint([reference, prediction], mark, unit)
                # The side without the mark may have one word here.
                yield _separator_hint([words, words], mark, unit)


def _marks_in(text: str) -> list[str]:
    """Return what may be marks in a text: the signs and the names in brackets that it has most often, in order.

    >>> _marks_in("a<sep>b|c d")
    ['<sep>', '<', '>', '|']
    """
    names = _NAMES_IN_BRACKETS.findall(text)
    # Whitespace is no mark, which words of lists may have.
    signs = re.findall(r"[^\w\s]|_", text)
    counts = Counter([*names, *signs])
    # Each mark is tried in all words: in a text of many names this would take time for the names times the words.
    most_frequent = {mark for mark, _ in counts.most_common(_MOST_MARKS)}
    return [mark for mark in counts if mark in most_frequent]


def _is_within(mark: str, word: str) -> bool:
    """Return whether a mark is in a word elsewhere than at its ends.

    >>> _is_within("<sep>", "pes<sep>see"), _is_within("(", "((dog")
    (True, False)
    """
    # With a NUL in place of each mark, `strip` takes off whole marks, of which one may have several characters.
    return "\0" in word.replace(mark, "\0").strip("\0")


def _before_last(mark: str, word: str) -> str:
    """Return what is before the last mark in a word, or the word if nothing is.

    >>> _before_last("/", "a/b/n"), _before_last("/", "ab"), _before_last("/", "/")
    ('a/b', 'ab', '/')
    """
    before, _, _ = word.rpartition(mark)
    return before or word


def _text_hint(reference: list[str], prediction: list[str]) -> str:
    """Return the advice for sides with the same words in another order, or the same text in other tokens, case or punctuation."""
    if sorted(reference) == sorted(prediction):
        return "Both sides have the same words in another order: expected the same text on both sides."
    reference_text = "".join(reference)
    prediction_text = "".join(prediction)
    if reference_text == prediction_text:
        return "Both sides are the same text, cut into different tokens: cut it in the same way on both sides."
    if reference_text.casefold() == prediction_text.casefold():
        return "Both sides are the same text but for capital letters: write it in the same way on both sides."
    reference_without = _without_punctuation(reference_text)
    if reference_without and reference_without == _without_punctuation(prediction_text):
        return "Both sides are the same text but for punctuation: write it on both sides, or on neither."
    return ""


def _without_punctuation(text: str) -> str:
    """Return a text without punctuation in any script."""
    # The categories of punctuation are Pc, Pd, Pe, Pf, Pi, Po and Ps.
    return "".join(character for character in text if not unicodedata.category(character).startswith("P"))


def _tag_hint(words: list[str], mark: str, *, of_reference: bool) -> Message:
    """Return the hint at the format of a side whose words have tags after a mark, such as `词/n`.

    An example is "The words of the prediction have tags, as '词_n': did you mean prediction_format="tagged" and separator="_"?"
    """
    # A word that begins with the mark, such as "/", may be the mark itself, and has no tag.
    tagged_word = shortened(next(word for word in words if mark in word[1:]))
    side = "reference" if of_reference else "prediction"
    tagged_format = _format_with_separator(of_tags=True)
    format_option = _format_option(of_reference=of_reference, of_prediction=not of_reference)
    settings = [format_option.set(tagged_format.name)]
    if mark != tagged_format.usual["separator"]:
        settings.append(OPTIONS["separator"].set(mark))
    return Message(f"The words of the {side} have tags, as {tagged_word}: did you mean ", *listed(settings), "?")


def _separator_hint(sides: Sequence[list[str]], mark: str, unit: str) -> Message:
    """Return the hint at the options for a mark between words, such as `|`, or between the pieces of a word, `_`.

    An example is "There is '|' between words or within: did you mean text_format="separated", separator="|"?"
    """
    # Several marks in the only word of a side stand between its words.
    stands_for_spaces = any(len(words) == 1 and words[0].count(mark) > 1 for words in sides)
    if mark == _USUAL_JOINER and not stands_for_spaces:
        settings = [OPTIONS["joiner"].set(mark)]
        # Only words text has joiners. If the sides differ in more than these, this text is read in another format.
        is_of_other_format = unit == TOKEN or not _differ_in_joiners_alone(sides, mark)
        if is_of_other_format:
            settings.insert(0, OPTIONS["text_format"].set(PLAIN.name))
    else:
        settings = _settings_of_separator(sides, mark, unit)
    return Message(f"There is {mark!r} between words or within: did you mean ", Settings(settings), "?")


def _settings_of_separator(sides: Sequence[list[str]], mark: str, unit: str) -> list[Setting]:
    """Return the settings with which a mark separates words, on the side that has it or on both."""
    is_in_reference, is_in_prediction = [any(mark in word for word in words) for words in sides]
    format_option = _format_option(of_reference=is_in_reference, of_prediction=is_in_prediction)
    settings: list[Setting] = []
    if unit == TOKEN and format_option.name != "text_format":
        # The other side has words too.
        settings.append(OPTIONS["text_format"].set(PLAIN.name))
    settings.append(format_option.set(_format_with_separator().name))
    settings.append(OPTIONS["separator"].set(mark))
    if any(mark in words and len(words) > 1 for words in sides):
        # Spaces stand around the mark.
        settings.append(OPTIONS["spaces"].set("drop"))
    return settings


def _differ_in_joiners_alone(sides: Sequence[list[str]], joiner: str) -> bool:
    """Return whether both sides have the same words if joiners are spaces, so that their format is as it should be."""
    reference, prediction = (" ".join(words).replace(joiner, " ").split() for words in sides)
    return reference == prediction


def _format_with_separator(*, of_tags: bool = False) -> Format:
    """Return the format in which a separator stands between words, or between a word and its tag."""
    with_separator = [text_format for text_format in FORMATS.values() if "separator" in text_format.usual]
    return next(text_format for text_format in with_separator if text_format.tags_each_word == of_tags)


def _quoted(values: list[str]) -> str:
    """Return values in quotes, joined by "and": `';esyll' and ';eword'`."""
    return " and ".join(map(repr, values))
