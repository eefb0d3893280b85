"""Missing boundaries: text in which the mark between words never occurs, so that every utterance is one word."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from ..kernel import arrow_functions as pc
from ..kernel.arrays import growing_slices
from ..options.messages import Hint, Message, Setting
from ..options.table import OPTIONS
from .boundary_tokens import likely_boundary
from .formats.registry import FORMATS, PLAIN
from .inputs import Column
from .readers import named_boundary
from .reading import Reading

#: The boundary tokens of wordseg.
_EWORD = ";eword"
_ESYLL = ";esyll"
#: Whitespace between tokens, which an utterance of several tokens has, as a pattern.
_SEVERAL_TOKENS = r"\S\s+\S"
_SIGNS = (_SEVERAL_TOKENS, _EWORD, _ESYLL)


class BoundarySigns:
    """The signs in strings that their mark between words is another one than the format has."""

    def __init__(self, reading: Reading) -> None:
        mark = FORMATS[reading.text_format].mark
        self._mark = "" if mark is None else mark(reading)
        #: True if the mark may be missing: the format has one, and no utterance yet.
        self._may_be_missing = self._mark != ""
        #: The patterns of _SIGNS that have matched, while the mark may be missing.
        self._found: set[str] = set()

    def collect(self, strings: Column) -> None:
        """Collect the signs that occur in strings, unless the mark between words occurs."""
        for looked_at in growing_slices(strings):
            if not self._may_be_missing:
                return
            if pc.any(pc.match_substring(looked_at, self._mark)).as_py():
                self._may_be_missing = False
                return
            for sign in _SIGNS:
                if pc.any(pc.match_substring_regex(looked_at, sign)).as_py():
                    self._found.add(sign)

    def add(self, other: BoundarySigns) -> None:
        """Add the signs of the next piece, or of another side."""
        self._may_be_missing &= other._may_be_missing
        self._found |= other._found

    def warning(self, lines: Sequence[str] = ()) -> Message | None:
        """Return the warning of text in which the mark never occurs; None if it occurs. `lines` are the first ones.

        Utterances of one token each, such as words of a list, need no mark.
        """
        if not self._may_be_missing or _SEVERAL_TOKENS not in self._found:
            return None
        return missing_boundaries(
            self._mark, has_eword=_EWORD in self._found, has_esyll=_ESYLL in self._found, likely=likely_boundary(lines)
        )


def missing_boundaries(
    word_boundary: str, name: str = "", *, has_eword: bool, has_esyll: bool, remedy: str = "", likely: str = ""
) -> Message:
    """Return the warning of units text without boundaries; `name` is a file, `remedy` the advice if it is words text.

    `likely` is another token, or whitespace, that likely stands between words; empty if nothing does.

    An example is "the boundary token ';eword' never occurs in gold.txt, so that every utterance is one word. Are the words
    separated by spaces? Then add --text-format words."
    """
    place = f" in {name}" if name else ""
    remedy = remedy or Message("pass ", PLAIN.setting)
    hint = Hint(" Are the words separated by spaces? Then ", remedy, ".")
    if likely:
        proposal = OPTIONS["word_boundary"].set(likely)
        hint = Hint(f" Do words end at {named_boundary(likely)}? Then pass ", proposal, ".")
    if has_eword:
        marks = [_EWORD]
        if has_esyll:
            marks.append(_ESYLL)
        hint = Hint(" The text has the format of wordseg: did you mean ", *of_wordseg(marks))
    problem = f"the boundary token {word_boundary!r} never occurs{place}, so that every utterance is one word."
    return Message(problem, hint)


def of_wordseg(marks: Collection[str], settings: Sequence[Setting] = ()) -> Iterator[object]:
    """Yield the fragments of a message that suggest the options for these tokens of wordseg, after other settings.

    The tokens ;eword and ;esyll suggest "--word-boundary ';eword' and --ignored-tokens ';esyll'?".
    """
    settings = list(settings)
    if _EWORD in marks:
        settings.append(OPTIONS["word_boundary"].set(_EWORD))
    ignored = [mark for mark in marks if mark != _EWORD]
    if ignored:
        settings.append(OPTIONS["ignored_tokens"].set(ignored))
    yield from listed(settings)
    yield "?"


def listed(settings: Sequence[Setting]) -> Iterator[object]:
    """Yield the settings with `and` between them, for a message."""
    for index, setting in enumerate(settings):
        if index > 0:
            yield " and "
        yield setting
