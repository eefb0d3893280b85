"""Errors that name the utterance they are about.

Conventions: utterances are counted from 0, as in a Python list; the command turns the number into a line of its file.
"""

from __future__ import annotations

import sys
import unicodedata
import warnings


class FileError(ValueError):
    """Bad input in a file: the message begins with the name of the file, and the line where there is one."""


class UtteranceError(ValueError):
    """Bad input in one utterance: its index, what was received, and what to try.

    Attributes:
        utterance: index from 0 in the whole input.
        problem: what was received and what was expected.
        hint: what to try, or an empty string.
        side: `"references"`, `"predictions"`, or an empty string where the problem is between the two.
    """

    def __init__(self, utterance: int, problem: str, hint: str = "", side: str = "") -> None:
        super().__init__(utterance, problem, hint, side)
        self.utterance = utterance
        self.problem = problem
        self.hint = hint
        self.side = side

    def __str__(self) -> str:
        where = f"{self.side}, utterance {self.utterance}" if self.side else f"utterance {self.utterance}"
        return f"{where}: {self.detail} (Utterances count from 0.)"

    @property
    def detail(self) -> str:
        """The message without the utterance, for callers that name the place in their own terms."""
        return f"{self.problem} {self.hint}" if self.hint else self.problem

    def at(self, first_utterance: int = 0, side: str = "") -> UtteranceError:
        """The same error, counted in a larger input whose part that began at `first_utterance` raised it."""
        return UtteranceError(first_utterance + self.utterance, self.problem, hint=self.hint, side=self.side or side)


def describe_character(character: str) -> str:
    """A character with its code point and name, which distinguish look-alikes and invisible characters.

    >>> describe_character("é")
    "'é' (U+00E9 LATIN SMALL LETTER E WITH ACUTE)"
    >>> describe_character("\\u200b")
    "'\\\\u200b' (U+200B ZERO WIDTH SPACE)"
    """
    return f"{character!r} (U+{ord(character):04X} {unicodedata.name(character, 'no name')})"


def text_problem(text: str) -> str:
    """Why a string is no text; empty if it is text.

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
    package, level = __name__.partition(".")[0], 2
    frame = sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] == package:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
