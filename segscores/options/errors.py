"""Errors that name the utterance they are about.

Conventions: utterances are counted from 0, as in a Python list; the command turns the number into a line of its file.
"""

from __future__ import annotations

import sys
import unicodedata
import warnings
from copy import copy
from typing import Any

from .messages import Hint, Message, MessageError


class FileError(MessageError, ValueError):
    """Bad input in a file: the message begins with the name of the file, and the line where there is one.

    Attributes:
        of_utterance: the error of an utterance, counted in the whole input; None if the error is of no utterance.
        number: the number of the side with the error: 0 is the reference.
        plain: the message without the note on how lines are counted.
        counting: this note, such as "(Lines count from 1.)"; may be empty.
    """

    of_utterance: UtteranceError | None = None
    number: int = 0

    def __init__(self, *fragments: object, counting: str = "") -> None:
        super().__init__(*fragments, counting)
        self.plain = Message(*fragments)
        self.counting = counting

    def with_addition(self, addition: str) -> FileError:
        """Return the error with more to say before the note on how lines are counted."""
        extended = FileError(self.plain, addition, counting=self.counting)
        extended.of_utterance = self.of_utterance
        extended.number = self.number
        return extended


class UtteranceError(MessageError, ValueError):
    """Bad input in one utterance: its index, what was received, and what to try.

    Attributes:
        utterance: the index in the whole input, from 0.
        problem: what was received and what was expected.
        hint: what to try, or an empty string.
        side: `"references"`, `"predictions"`, or an empty string where the problem is between the two.
        prediction: the number of the prediction that was compared, from 1; 0 where only the reference was read.
        offset: the offset that the problem names, from 0, in units if units differ; None if it names none.
        proposals: if units differ, the hints from which one is chosen that makes the units equal, the likeliest first.
        reference_offset, prediction_offset: if units differ, the offset in code points at which the differing unit begins in the
            text of the side, or its last unit ends if the side has no more; None where the side has no text.
    """

    prediction: int = 0
    proposals: tuple[str, ...] = ()
    reference_offset: int | None = None
    prediction_offset: int | None = None

    def __init__(
        self, utterance: int, problem: str, hint: str = "", side: str = "", *, offset: int | None = None
    ) -> None:
        # A pickle makes the error from these arguments. So the `__init__` of MessageError, which joins fragments, is left out.
        super(MessageError, self).__init__(utterance, problem, hint, side)
        self.utterance = utterance
        self.problem = problem
        self.hint = hint
        self.side = side
        self.offset = offset

    def __str__(self) -> str:
        return str(self.message)

    @property
    def message(self) -> Message:
        """The message, which each surface shows with its own names."""
        where = f"utterance {self.utterance}"
        if self.side:
            where = f"{self.side}, {where}"
        return Message(where, ": ", self.detail, " (Utterances count from 0.)")

    @property
    def detail(self) -> str:
        """The message without the utterance, for callers that name the place in their own terms."""
        if not self.hint:
            return self.problem
        return Message(self.problem, Hint(" ", self.hint))

    def at(self, first_utterance: int = 0, side: str = "") -> UtteranceError:
        """Return the error with its index in a larger input, in which the failing input begins at `first_utterance`.

        `side` is the side of an error that names none.
        """
        return self.but(utterance=first_utterance + self.utterance, side=self.side or side)

    def in_file(self, name: str, *hints: object, before: int = 0) -> FileError:
        """Return the error with the name and the line of its file, in which `before` lines precede the first utterance.

        An example is "gold.txt, line 3: there is a NUL character (U+0000), which no text has. … (Lines count from 1.)"
        """
        place = f"{name}, line {before + self.utterance + 1}: "
        return FileError(place, self.detail, *hints, counting=counting_from("line", self))

    def but(self, **changes: Any) -> UtteranceError:
        """Return a copy of the error with changed attributes."""
        changed = copy(self)
        vars(changed).update(changes)
        # A pickle makes the error from its arguments.
        changed.args = changed.utterance, changed.problem, changed.hint, changed.side
        return changed


def counting_from(noun: str, error: UtteranceError | None = None) -> str:
    """Return a note on the number of the first line, sentence or row, and on offsets if the error names one.

    >>> counting_from("line")
    ' (Lines count from 1.)'
    """
    first = 0 if noun == "row" else 1
    has_offset = error is not None and error.offset is not None
    offsets = ", offsets from 0" if has_offset else ""
    return f" ({noun.capitalize()}s count from {first}{offsets}.)"


def describe_character(character: str) -> str:
    """Describe a character with its code point and name, which distinguish look-alikes and invisible characters.

    >>> describe_character("é")
    "'é' (U+00E9 LATIN SMALL LETTER E WITH ACUTE)"
    >>> describe_character("\\u200b")
    "'\\\\u200b' (U+200B ZERO WIDTH SPACE)"
    """
    return f"{character!r} (U+{ord(character):04X} {unicodedata.name(character, 'no name')})"


def text_problem(text: str) -> str:
    """Return the reason why a string is not text; empty if it is text.

    >>> text_problem("a\\ud800")
    'has a lone surrogate (U+D800), which is not text'
    """
    if "\0" in text:
        return "has a NUL character (U+0000), which no text has"
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return f"has a lone surrogate (U+{ord(text[error.start]):04X}), which is not text"
    return ""


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn, with the line outside this package that led to the warning."""
    package, *_ = __name__.split(".")
    # Go from the caller of this function to the callers of callers. Level 1 is this function, and 2 its caller.
    level = 2
    frame = sys._getframe(1)
    while frame.f_back is not None:
        package_of_frame, *_ = str(frame.f_globals.get("__name__")).split(".")
        if package_of_frame != package:
            break
        frame = frame.f_back
        level += 1
    warnings.warn(message, category, stacklevel=level)
