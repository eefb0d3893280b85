"""The kinds of values that files have: what options name that read or write files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from .kinds import Kind, Text, UnfitError

#: Rules that define ids by a column, or by a number. Python reads no integer of more than 4,300 digits.
_ID_RULE = r"(?s)column:.+|every:[1-9][0-9]{,999}"


class File(str):
    """The name of a file that stands for its contents on a command line; of a table perhaps with a column, after a colon."""

    column: str = ""  #: the column of the table; empty if the command line names none

    @property
    def text(self) -> str:
        """The text of the command line."""
        return f"{self}:{self.column}" if self.column else str(self)


class InputFile(Text):
    """The name of a file to read."""

    def parse(self, text: str) -> File:
        return File(super().parse(text))


#: Stands for the text of the reference without whitespace.
JOINED = "joined"


class FileOrWord(InputFile):
    """The name of a file to read, or the word JOINED; a file of such a name is ./joined."""

    def __init__(self) -> None:
        super().__init__(f"the name of a file, or {JOINED}", f"FILE|{JOINED}")

    def parse(self, text: str) -> Any:
        """Parse the word, or the name of a file."""
        if text == JOINED:
            return text
        return super().parse(text)


class OutputFile(Text):
    """The name of a file to write."""


#: The formats of outputs by the endings of their names.
_FORMATS_BY_ENDING = {
    ".txt": "table",
    ".json": "json",
    ".csv": "csv",
    ".md": "markdown",
    ".tex": "latex",
    ".html": "html",
    ".yaml": "hub",
    ".yml": "hub",
}
#: The forms that endings of other files promise, and that no format is.
_NOT_WRITTEN = frozenset({".tsv", ".xlsx", ".xls", ".ods", ".docx", ".odt", ".pdf", ".parquet"})


class PrintedFile(OutputFile):
    """The name of a file to write in place of standard output, or -; its ending names a format."""

    def __init__(self) -> None:
        super().__init__("the name of a file", "FILE")

    def format_of(self, name: str) -> str:
        """Return the format that a name ends in, such as "csv", or "xlsx", which is none; or an empty string."""
        _, ending = os.path.splitext(name.lower())
        return ending[1:] if ending in _NOT_WRITTEN else _FORMATS_BY_ENDING.get(ending, "")

    def endings_of(self, formats: Sequence[str]) -> list[str]:
        """Return the endings that name some formats."""
        return [ending for ending, named in _FORMATS_BY_ENDING.items() if named in formats]


class Words(Kind):
    """Words or segments: an iterable in Python, a file on the command line."""

    metavar = "FILE"
    is_word_list = True
    annotation = "Iterable[Any] | None"
    expected = "a list of words"
    expected_text = "the name of a file"

    def check(self, value: Any) -> Any:
        """Return the words as they are: the functions that read them check them, and know the units of the text."""
        if isinstance(value, Iterator):
            # Keep the items of an iterator, which can be read only once.
            return list(value)
        return value

    def parse(self, text: str) -> File:
        """Parse the name of a file, which is not empty."""
        if not text:
            raise UnfitError
        return File(text)


@dataclass(frozen=True)
class IdRule:
    """A rule that gives each utterance an id."""

    #: "newdoc" (documents of a CoNLL-U reference), "speaker" (those that files of recordings name), "column" (a column of the
    #: reference's table), "every" (runs of consecutive utterances), or another word of the option
    word: str
    argument: str = ""  #: the name of the column, or the number of utterances

    def __str__(self) -> str:
        if self.argument:
            return f"{self.word}:{self.argument}"
        return self.word


class Ids(Kind):
    """An id of each utterance: a list in Python; on the command line a file of ids, or a rule, which may be another word."""

    expected = "ids, one for each utterance"

    def __init__(self, *words: str) -> None:
        self.words = ("newdoc", "speaker", *words)
        *others, last = [*self.words, "column:NAME", "every:N"]
        self.metavar = "|".join(["FILE[:COLUMN]", *others, last])
        self.expected_text = f"the name of a file, {', '.join(others)} or {last}"

    def parse(self, text: str) -> Any:
        """Parse a rule, the name of a file, or the name of a table and a column, such as table.csv:speaker."""
        if not text:
            raise UnfitError
        word, _, argument = text.partition(":")
        if text in self.words or re.fullmatch(_ID_RULE, text):
            return IdRule(word, argument)
        if word in ("every", "column"):
            # A bad rule. With an argument, such as every:x, it may be meant as the name of a file.
            raise UnfitError(" A file of such a name is ./NAME." if argument else "")
        path, _, column = text.rpartition(":")
        names_column = path and column and os.path.isfile(path)
        # A path that is the whole text, as of a pipe, goes before a table with a column.
        exists = os.path.exists(text)
        if names_column and not exists:
            file = File(path)
            file.column = column
            return file
        return File(text)

    def write(self, value: Any) -> list[str]:
        """Write a rule, or the name of a file with its column."""
        if isinstance(value, File):
            return [value.text]
        return super().write(value)
