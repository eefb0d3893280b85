"""Word lists as other programs write them: with frequencies and tags, as of jieba, MeCab or `uniq -c`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ..options.errors import warn
from ..options.messages import Message
from ..options.quoting import shortened
from ..options.table import OPTIONS

_NUMBER = r"[-+]?\d+(?:[.,]\d+)?(?:[eE][-+]?\d+)?"
#: The characters of the longest line with columns. The time to look at a line may grow with the square of its length.
_LONGEST = 300
#: A share of lines with columns from which the list is read as columns.
_MOST = 0.8
#: A number that counts something, and is no tone or index: of two digits, or with a sign or a fraction.
_FREQUENCY = re.compile(r"\d{2,}|.*[-+.,eE].*")
#: A letter of a script from Thai on, after which no number is a tone.
_EASTERN = re.compile("[\u0e00-\u1cff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")


class _Layout(NamedTuple):
    """The columns of the lines of a word list."""

    title: str
    line: str  #: fits a line; its group `word` is the word, and `number` a frequency, if one shows the layout
    column: str = "first column"

    def matches(self, entries: Sequence[str]) -> list[re.Match[str] | None]:
        return [re.fullmatch(self.line, entry) if len(entry) <= _LONGEST else None for entry in entries]


_LAYOUTS = (
    _Layout("a word, a frequency and a tag", rf"\s*(?P<word>\S[^\t]*?\t\s*|\S+ +){_NUMBER}[ \t]+\S+\s*"),
    _Layout("a word and a frequency", rf"\s*(?P<word>\S[^\t]*?)\t\s*{_NUMBER}\s*"),
    _Layout("a word and a frequency", rf"\s*(?P<word>\S+) +(?P<number>{_NUMBER})\s*"),
    _Layout("a number, a word and a frequency", r"\d+\t(?P<word>[^\t]*[^\d\t][^\t]*)\t\d+(\t.*)?", "second column"),
    _Layout("a frequency and a word", r"\s*(?P<number>\d+)[ \t]+(?P<word>\S+)\s*", "second column"),
    _Layout("columns between commas", rf'\s*"?(?P<word>[^,;"]*[^,;"\d][^,;"]*)"?[,;]\s*{_NUMBER}\s*([,;].*)?'),
    _Layout("a word and a tag after /", r"\s*(?P<word>\S*[^\s/])/[A-Za-z]{1,5}\s*"),
)


def words_alone(entries: Sequence[str], option: str) -> list[str]:
    """Return the entries of a word list, without the numbers and tags of most of them; a warning says so.

    >>> words_alone(["the dog", "a"], "vocabulary")
    ['the dog', 'a']
    """
    filled = [entry for entry in entries if entry.strip()]
    for layout in _LAYOUTS:
        # The first line may be a header.
        if not any(layout.matches(filled[:2])):
            continue
        fitting = sum(match is not None for match in layout.matches(filled[1:]))
        if fitting < _MOST * len(filled[1:]):
            continue
        found = [match for match in layout.matches(entries) if match]
        if not _are_columns(layout, found):
            continue
        example = shortened(found[0][0].strip())
        received = f"{len(found)} of {len(filled)} lines have {layout.title}, such as {example}"
        warn(Message(OPTIONS[option], f": {received}. The {layout.column} is read as the words."))
        pairs = zip(entries, layout.matches(entries), strict=True)
        return [match["word"].strip() if match else entry for entry, match in pairs]
    return list(entries)


def _are_columns(layout: _Layout, found: Sequence[re.Match[str]]) -> bool:
    """Return whether numbers between spaces are frequencies, and no tones or words."""
    if "number" not in re.compile(layout.line).groupindex:
        return True
    if any(_FREQUENCY.fullmatch(match["number"]) for match in found):
        return True
    are_aligned = layout.column == "second column" and all(match[0][0].isspace() for match in found)
    are_beside_tabs = all("\t" in match[0] for match in found)
    are_eastern = all(_EASTERN.search(match["word"]) for match in found)
    return are_aligned or are_beside_tabs or are_eastern
