"""Doubts: signs that utterances do not have the form that the options say, and the warnings and errors about them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import compress

from ..kernel import arrow_functions as pc
from ..options.errors import warn
from ..options.messages import Hint, Message, OptionTypeError, Setting
from ..options.table import OPTIONS
from .inputs import TEXT, WORDS, Column
from .labels import LABEL_SCHEMES, looks_like_tags, plain_tag
from .reading import Reading

# The number of utterances to inspect first; in most corpora they settle the form.
_FIRST_LOOK = 64
_LONGEST_TAG, _MOST_TAGS = 40, 200
_TAGS = {str(label) for labels in LABEL_SCHEMES.values() for label in labels}
# Patterns: whitespace between units, and the tokens of wordseg.
_SIGNS = _SEVERAL, _EWORD, _ESYLL = r"\S\s+\S", ";eword", ";esyll"


class FormDoubts:
    """Signs that utterances do not have the form that the options say, collected over the parts of a corpus."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        #: The distinct items of lists of strings; None if some item is no tag, or labels are read.
        self._tags: set[str] | None = None if reading.label_scheme else set()
        self._mark = _mark_of(reading)
        #: The signs in units text or separated text without boundaries; None if one was found, or another format is read.
        self._signs: set[str] | None = set() if self._mark else None

    def look_at(self, column: Column) -> None:
        """Collect the signs in the utterances of one side."""
        start, size = 0, _FIRST_LOOK
        while start < len(column):
            looked_at = column.slice(start, size)
            if column.type == WORDS and self._tags is not None:
                self._tags.update(*(chunk.flatten().unique().to_pylist() for chunk in looked_at.chunks))
                are_short = all(len(tag) <= _LONGEST_TAG for tag in self._tags) and len(self._tags) <= _MOST_TAGS
                if not are_short or not _TAGS.issuperset(map(plain_tag, self._tags)):
                    self._tags = None
            elif column.type == TEXT and self._signs is not None:
                if pc.any(pc.match_substring(looked_at, self._mark)).as_py():
                    self._signs = None
                else:
                    occurs = [pc.any(pc.match_substring_regex(looked_at, sign)).as_py() for sign in _SIGNS]
                    self._signs.update(compress(_SIGNS, occurs))
            else:
                return
            start, size = start + size, size * 4

    def signs(self) -> list[list[str] | None]:
        """Return the collected signs as plain values, which another process may add."""
        return [None if signs is None else sorted(signs) for signs in (self._tags, self._signs)]

    def add(self, collected: Sequence[Sequence[str] | None]) -> None:
        """Add what `signs` returned."""
        tags, signs = collected
        self._tags = None if self._tags is None or tags is None else self._tags.union(tags)
        self._signs = None if self._signs is None or signs is None else self._signs.union(signs)

    def reject_tags(self) -> None:
        """Reject lists of strings that are tags, where `label_scheme` is missing."""
        if scheme := looks_like_tags(self._tags or ()):
            option, tags = OPTIONS["label_scheme"], ", ".join(sorted(self._tags or ()))
            meant = ": did you mean ", option.set(scheme), ' or "end"?' if scheme == "start" else "?"
            words = OPTIONS["text_format"].set("words"), "."
            remedy = " If they are words, pass strings with spaces between them and "
            raise OptionTypeError(f"received lists of tags ({tags}) without ", option, *meant, remedy, *words)

    def warn(self) -> None:
        """Warn of text in which the boundary token or the separator never occurs, so that every utterance is one word."""
        if self._signs and _SEVERAL in self._signs:
            eword, esyll = (sign in self._signs for sign in (_EWORD, _ESYLL))
            warn(missing_boundaries(self._mark, has_eword=eword, has_esyll=esyll))


def has_mark(utterances: Sequence[str], reading: Reading) -> bool:
    """Return whether the mark between words occurs in some utterance, or the format has none, so that there is no doubt.

    >>> has_mark(["t h e WORD_BOUNDARY d o g"], Reading()), has_mark(["the dog"], Reading())
    (True, False)
    """
    mark = _mark_of(reading)
    return not mark or any(mark in utterance for utterance in utterances)


def _mark_of(reading: Reading) -> str:
    """Return what stands between words in a text, if that is not whitespace."""
    marks = {"units": reading.word_boundary, "separated": reading.separator or "|"}
    return marks.get(reading.text_format, "")


def missing_boundaries(
    word_boundary: str, name: str = "", *, has_eword: bool, has_esyll: bool, remedy: str = ""
) -> Message:
    """Return the warning of units text without boundaries; `name` is a file, `remedy` the advice if it is words text."""
    place = f" in {name}" if name else ""
    remedy = remedy or Message("pass ", OPTIONS["text_format"].set("words"))
    hint = Hint(" Are the words separated by spaces? Then ", remedy, ".")
    if has_eword:
        marks = [";eword", ";esyll"] if has_esyll else [";eword"]
        hint = Hint(" The text has the format of wordseg: did you mean ", *of_wordseg(marks))
    problem = f"the boundary token {word_boundary!r} never occurs{place}, so that every utterance is one word."
    return Message(problem, hint)


def of_wordseg(marks: Collection[str], settings: Sequence[Setting] = ()) -> Iterator[object]:
    """Yield the fragments of a message that suggest the options for these tokens of wordseg, after other settings."""
    boundary, ignored = OPTIONS["word_boundary"].set(";eword"), [mark for mark in marks if mark != ";eword"]
    settings = [*settings, boundary] if ";eword" in marks else settings
    yield from listed([*settings, OPTIONS["ignored_tokens"].set(ignored)] if ignored else settings)
    yield "?"


def listed(settings: Sequence[Setting]) -> Iterator[object]:
    """Yield the settings with `and` between them, for a message."""
    for number, setting in enumerate(settings):
        yield from (" and ", setting) if number else (setting,)
