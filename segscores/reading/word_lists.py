"""Word lists as other programs write them: with frequencies, tags or pronunciations, as of jieba, Kaldi or `uniq -c`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ..options.messages import Message
from ..options.quoting import shortened
from ..options.table import OPTIONS

_NUMBER = r"[-+]?\d+(?:[.,]\d+)?(?:[eE][-+]?\d+)?"
#: The characters of the longest line with columns. The time to look at a line may grow with the square of its length.
_LONGEST_LINE = 300
#: The share of lines with columns from which the list is read as columns.
_ENOUGH_LINES = 0.8
#: A number that counts something, and is no tone or index: of two digits, or with a sign or a fraction.
_FREQUENCY = re.compile(r"\d{2,}|.*[-+.,eE].*")
#: A letter of a script from Thai on, after which no number is a tone.
_EASTERN = re.compile("[\u0e00-\u1cff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")


class _Layout(NamedTuple):
    """The columns of the lines of a word list."""

    title: str
    #: fits a line; its group `word` is the word. A group `number` may be no frequency: see `_are_frequencies`
    line: str
    number_is_first: bool = False  #: whether the word is the second column
    fewest_lines: int = 1  #: the fewest lines that show the columns

    def match(self, entry: str) -> re.Match[str] | None:
        """Return the match of a line that has these columns; else None."""
        if len(entry) > _LONGEST_LINE:
            return None
        return re.fullmatch(self.line, entry)


_LAYOUTS = (
    _Layout("a word, a frequency and a tag", rf"\s*(?P<word>\S[^\t]*?\t\s*|\S+ +){_NUMBER}[ \t]+\S+\s*"),
    _Layout("a word and a frequency", rf"\s*(?P<word>\S[^\t]*?)\t\s*{_NUMBER}\s*"),
    _Layout("a word and a frequency", rf"\s*(?P<word>\S+) +(?P<number>{_NUMBER})\s*"),
    _Layout(
        "a number, a word and a frequency", r"\d+\t(?P<word>[^\t]*[^\d\t][^\t]*)\t\d+(\t.*)?", number_is_first=True
    ),
    _Layout("a frequency and a word", r"\s*(?P<number>\d+)[ \t]+(?P<word>\S+)\s*", number_is_first=True),
    _Layout("columns between commas", rf'\s*"?(?P<word>[^,;"]*[^,;"\d][^,;"]*)"?[,;]\s*{_NUMBER}\s*([,;].*)?'),
    # Lexicons of Kaldi and HTK: dog 0.9 D AO G, dog [dog] d ao g sp
    _Layout(
        "a word and its pronunciation", r"\s*(?P<word>\S+)[ \t]+([01]\.\d+|\[[^\s\]]*\])([ \t]+\S+)+\s*", fewest_lines=3
    ),
    # Words such as and/or and km/h may stand in short lists.
    _Layout("a word and a tag after /", r"\s*(?P<word>\S*[^\s/])/[A-Za-z]{1,5}\s*", fewest_lines=3),
)


class WordsAlone(NamedTuple):
    """The words of a word list, without the numbers and tags of its lines."""

    words: list[str]
    note: str = ""  #: the warning that says which column is read as the words; empty if the lines have no columns


def words_alone(entries: Sequence[str], option: str) -> WordsAlone:
    """Return the words of a word list, without the numbers and tags of its lines, if most lines have some.

    `option` is the name of the option whose value the list is. Lines without columns stay as they are.

    >>> words_alone(["the dog", "a"], "vocabulary").words
    ['the dog', 'a']
    """
    filled = [entry for entry in entries if entry.strip()]
    for layout in _LAYOUTS:
        # Ask two lines before all: most lists have no columns. The first line may be a header.
        if not any(map(layout.match, filled[:2])):
            continue
        below_header = [entry for entry in filled[1:] if layout.match(entry)]
        if len(below_header) < _ENOUGH_LINES * len(filled[1:]):
            continue
        matches = [layout.match(entry) for entry in entries]
        with_columns = [match for match in matches if match]
        if len(with_columns) < layout.fewest_lines or not _are_frequencies(layout, with_columns):
            continue
        first_match, *_ = with_columns
        example = shortened(first_match.group().strip())
        received = f"{len(with_columns)} of {len(filled)} lines have {layout.title}, such as {example}"
        column = "second" if layout.number_is_first else "first"
        words = [match["word"].strip() if match else entry for entry, match in zip(entries, matches, strict=True)]
        return WordsAlone(words, Message(OPTIONS[option], f": {received}. The {column} column is read as the words."))
    return WordsAlone(list(entries))


def _are_frequencies(layout: _Layout, matches: Sequence[re.Match[str]]) -> bool:
    """Return whether the numbers of the lines are frequencies, and no tones (`ma 3`) or words (`chapter 3`)."""
    # Only the layouts of a number with spaces around it are in doubt, and have the group `number`.
    is_certain = "number" not in re.compile(layout.line).groupindex
    if is_certain:
        return True
    # Tones and indices have one digit: `120` counts something, as does `0.5`.
    if any(_FREQUENCY.fullmatch(match["number"]) for match in matches):
        return True
    # `uniq -c` sets numbers to the right, with spaces before them.
    are_aligned = layout.number_is_first and all(match.group()[0].isspace() for match in matches)
    are_beside_tabs = all("\t" in match.group() for match in matches)
    are_eastern = all(_EASTERN.search(match["word"]) for match in matches)
    return are_aligned or are_beside_tabs or are_eastern
