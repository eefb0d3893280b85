"""The row of a format: what it is, how it is read, and the signs by which a text is recognised."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import field
from functools import cached_property
from typing import NamedTuple, Protocol, TypeAlias

import pyarrow as pa

from ...kernel.record import record
from ...kernel.segmentation import Segmentation
from ...options.messages import Setting
from ...options.table import FORMATS, OPTIONS
from ..form import STRINGS, Form
from ..reading import DEFAULT_WORD_BOUNDARY, Reading

#: Turns a block of whole lines into the lines of their text, with its spaces.
TextReader: TypeAlias = Callable[[bytes], bytes]


class Evidence(NamedTuple):
    """The evidence for the format of a text, and the tokens of units text that the evidence shows."""

    sign: str  #: in words, after "recognised by"; of a known form a clause, such as "line 1 is '@UTF8'"
    word_boundary: str = DEFAULT_WORD_BOUNDARY
    ignored_tokens: tuple[str, ...] = ()
    #: whether words text may have the sign too, so that it leads to a warning, and not to an error
    is_weak: bool = False


class Patterns(NamedTuple):
    """Signs of a format that regular expressions describe."""

    occurs: str  #: matches somewhere in the text
    every_line: str  #: fits every line, except blank ones; empty for any line
    sign: str  #: as in `Evidence`
    has: str = ""  #: a plain string, which every text has in which `occurs` matches; empty if there is none
    has_some_of: str = ""  #: characters of which one stands in every such text; empty if there are none

    def find(self, text: str) -> Evidence | None:
        """Return the evidence, if the text has these signs.

        >>> Patterns(r"^EOS$", r"EOS|\\S+\\t.*", "the lines EOS").find("に\\t助詞\\nEOS\\n").sign
        'the lines EOS'
        """
        # A plain string is found at once: only a text that has it needs the expression, which is slow to compile.
        if self.has not in text:
            return None
        if self.has_some_of and not any(character in text for character in self.has_some_of):
            return None
        if not re.search(self.occurs, text, re.MULTILINE):
            return None
        if self.every_line and not self.fits(text):
            return None
        return Evidence(self.sign)

    def fits(self, text: str) -> bool:
        """Return whether every line that is not blank has the shape of the format, whatever occurs in it.

        >>> Patterns(r" @@", r"\\S+\\t.*", "@@").fits("dog\\tdog\\nno\\t\\n")
        True
        """
        lines = (line for line in text.split("\n") if line.strip())
        return all(re.fullmatch(self.every_line, line) for line in lines)


class Sentences(NamedTuple):
    """The reading of a file in which an utterance has several lines."""

    end: bytes  #: ends an utterance
    #: parses a block of whole utterances into a column, with pairs of words and tags if the column of tags is not empty
    parse: Callable[[bytes, str], pa.Array]
    read_as: str  #: the format as which parsed text is read
    read: Callable[[bytes], Segmentation] | None = None  #: reads parsed text, if not the reader of `read_as`
    #: reads a block of whole utterances, which may be a document; None if the format has no documents
    read_documents: Callable[[bytes, str], Segmentation] | None = None
    #: returns the text of each sentence of a block, with its spaces; None if the format does not have it
    texts: Callable[[bytes], list[str]] | None = None
    checks_utf8: bool = False  #: whether `parse` names the line of bytes that are not UTF-8


class Folder(NamedTuple):
    """The endings of the files of a format whose sides may be folders."""

    endings: tuple[str, ...]  #: of the files that are read of a folder
    shown_by: tuple[str, ...]  #: of these, the files that show that a folder has the format
    files: tuple[str, ...]  #: of these, the files that have the format alone too


def _find_nothing(_: str) -> None:
    """Return that nothing shows the format."""


class ReadBlock(Protocol):
    """A reader of a block of whole lines, an utterance each."""

    def __call__(self, block: bytes, reading: Reading) -> Segmentation:
        """Return the segmentation of the lines."""


@record
class Format:
    """A format of text, which is a row of `options.table.FORMATS` too, for help. It has one reader, or a remedy."""

    name: str
    title: str = ""  #: in messages; by default the beginning of the meaning
    read: ReadBlock | None = None
    sentences: Sentences | None = None  #: if an utterance has several lines
    world_form: Form | None = None  #: the form of utterances of a world of its own, which opens them
    folder: Folder | None = None  #: if a side may be a folder
    remedy: str = ""  #: the way out of a form that is known and not read
    example: str = ""  #: a text of a form that is known and not read
    is_json: bool = False  #: whether files of JSON by their names may have the form, which is known and not read
    marks_tokens: bool = False  #: whether its signs are in the tokens, so that lists of words may have them too
    #: whether its signs are whole tokens at the ends of each line, so that lists of words may have them too
    is_at_ends: bool = False
    takes_any_line: bool = False  #: whether no line of text is an error, so that text of any other form is read too
    tokens_are_units: bool = False  #: whether a unit is a token of the text, and no character
    gives: frozenset[str] = frozenset()  #: what its words or utterances may have that lines of other text have not
    tags_each_word: bool = False  #: whether a word without a tag is an error
    mark: Callable[[Reading], str] | None = None  #: returns what stands between words; None if that is whitespace
    #: the values that None stands for in options on its marks, by name
    usual: Mapping[str, str] = field(default_factory=dict)
    #: finds the signs of the format in a text; a format that nothing shows is read where an option names it
    evidence: Callable[[str], Evidence | None] = _find_nothing
    #: returns whether a text that shows no format may have this one: it has it where the scores or the other side say so
    fits: Callable[[str], bool] = lambda _: False
    has_tabs: bool = False  #: whether its lines have columns of their own, so that a file of them is no table
    pairs_with_words: bool = True  #: whether the other side may be words text, where nothing but an option says so
    endings: tuple[str, ...] = ()  #: of the names of files that have the format, whatever an option says
    #: returns what turns lines into their text, with its spaces; None if the format does not say where they are
    text: Callable[[Reading], TextReader | None] = lambda _: None

    @property
    def meaning(self) -> str:
        """The title, or the beginning of the meaning in the command's help: its part before the first semicolon."""
        if self.title:
            return self.title
        meaning, *_ = FORMATS[self.name]
        beginning, _, _ = meaning.partition(";")
        return beginning

    @cached_property
    def form(self) -> Form:
        """The form of utterances of a file: the format itself, if an utterance has several lines."""
        if self.world_form is not None:
            return self.world_form
        if self.sentences is None:
            return STRINGS
        return Form(f"sentences of {self.meaning}", self.name, signed=self.name)

    @property
    def setting(self) -> Setting:
        """The option that names the format, for messages."""
        return OPTIONS["text_format"].set(self.name)

    @property
    def has_boundary_token(self) -> bool:
        """Return whether a boundary token separates the words."""
        return self.takes("word_boundary")

    @property
    def is_in_cells(self) -> bool:
        """Return whether utterances of the format may stand in the cells of a table."""
        return self.sentences is None and self.world_form is None and not self.has_tabs

    def takes(self, option: str) -> bool:
        """Return whether an option is for this format."""
        return self.name in OPTIONS[option].formats
