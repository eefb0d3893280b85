"""Sides of files: the reference and the predictions, each of one or more files.

A side is one file, or the files of a pattern in the order of their names. From a table one column is read; if no files of
predictions are named, predictions are columns of the reference's tables.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...kernel.arrays import check_counts
from ...kernel.segmentation import Segmentation
from ...options.errors import FileError
from ...options.functions import with_inputs
from ...options.messages import OptionError, placed
from ...options.table import LISTS, OPTIONS
from ..form import LABEL_LISTS, WORD_LISTS, Form, fill_blanks
from ..formats.registry import FORMATS, PLAIN, joins_units, read_as
from ..inputs import TEXT_APART, Column, is_tokenizer, read_column
from ..reading import DEFAULT_WORD_BOUNDARY, Reading
from ..world import cutter_of, world_of, worlds_in
from .delimited import with_columns
from .files import file_source
from .forms import Forms
from .names import DOCUMENT, SENTENCE_TEXT, Files, Held, Tokenized
from .progress import Progress
from .recognition import recognise_formats
from .source import Side, Source, collection_source

#: The error of a tokenizer in the place of the reference.
_NO_REFERENCE = "a tokenizer is no reference: name the text or the gold words first."


@with_inputs
def open_source(path: str | os.PathLike[str], *, column: str = "", encoding: str = "") -> Files:
    """Name a file, or the files of a pattern, as references or predictions for the functions of this package.

    Text has an utterance a line. A name that ends in `.conllu` means CoNLL-U; one that ends in `.jsonl`, `.parquet` or `.arrow`
    means a table. Files may be packed (gzip, zstd, bz2). A `pathlib.Path` in place of references or predictions means the same.

    Args:
        path: the path of the file, or a pattern such as `part-*.txt`.
        column: the column of a table; by default `reference` and `prediction`.
        encoding: the encoding of text or JSON lines, such as `"cp950"`; by default UTF-8.

    Raises:
        ValueError: no file matches the pattern, the path is empty, or Python has no such encoding.

    >>> open_source("test.parquet", column="gold").column
    'gold'
    """
    return Files.of(os.fspath(path), column, encoding=OPTIONS["encoding"].check(encoding or None) or "")


@with_inputs
def tokenized(tokenizer: Any, texts: Any = None, *, space: bool = False, joined: bool = False) -> Tokenized:
    """Return the tokenizer in place of predictions, if it does not read the text of the references as it is.

    Args:
        tokenizer: a `tokenizers.Tokenizer`, a fast tokenizer of `transformers`, a `tiktoken.Encoding`, a
            `sentencepiece.SentencePieceProcessor`, or a function: it gets a list of texts, and returns for each text a list with
            the (start, end) of each token, in characters.
        texts: strings, one for each reference; by default the text of the references, which lists of words do not have.
        space: whether a space comes before each text, as before words of a list that are meant within a sentence.
        joined: whether the tokenizer reads the words of the reference without the spaces between them, as in text of scripts
            that have none.

    Returns:
        What every function that takes predictions takes too.

    >>> from segscores import score
    >>> one_token = tokenized(lambda texts: [[(0, len(text))] for text in texts], ["the dog"])
    >>> score([["the", "dog"]], one_token, scores="fertility")
    {'fertility': 0.5}
    """
    if joined and texts is not None:
        raise ValueError(
            "joined: it is for the text of the references; received other texts too: leave one of them out."
        )
    return Tokenized(tokenizer, texts, space, joined)


def open_files(
    files: Sequence[Files],
    reading: Reading,
    text_format: str,
    *,
    ids: Sequence[str] = (),
    progress: Progress = lambda _: None,
) -> list[Side]:
    """Open the sides of files for `map_pieces`. Columns of the same tables share their sources, so that each is read once.

    `ids` are columns of the reference with ids of its utterances, or DOCUMENT; each is one more side at the end.
    """
    if files[0].tokenizer is not None:
        raise FileError(f"{files[0].label}: {_NO_REFERENCE}")
    if DOCUMENT in ids:
        _check_marks_documents(files[0], text_format)
    world = world_of(reading)
    if world is not None:
        systems = ["", *(side.name for side in files[1:])]
        return world.open(reading, files, systems, progress=progress)
    text_column = 0
    if files[0].marks_documents(text_format):
        # The first of the further columns of CoNLL-U holds the documents.
        text_column = 1 + (DOCUMENT in ids)
    further = list(ids)
    if text_column and any(side.tokenizer is not None for side in files):
        further.append(SENTENCE_TEXT)
    opener = _Opener(reading, text_format, _columns_of(files, further), progress)
    reference = opener.read(files[0], "references")
    sides = [reference]
    for side in files[1:]:
        if side.tokenizer is None:
            sides.append(opener.read(side, "predictions"))
        elif side.tokenizer.texts is not None:
            sides.append(_cut_texts(side, side.tokenizer, reading, progress))
        else:
            sides.append(_cut_reference(side, side.tokenizer, reference, text_column))
    names = reference.sources[0].columns
    return sides + [replace(reference, column=_number_of(name, names, nameless=1)) for name in ids]


def _check_marks_documents(reference: Files, text_format: str) -> None:
    """Check that each file of the reference marks where a document begins."""
    for path in reference.paths:
        if not replace(reference, paths=(path,)).marks_documents(text_format):
            remedy = "name a file with an id per line, or every:N, in place of newdoc."
            raise FileError(f"{path}: this is not CoNLL-U, which marks documents; {remedy}")


def _columns_of(files: Sequence[Files], further: Sequence[str]) -> dict[tuple[str | Held, ...], list[str]]:
    """Return the columns to read of all sides with the same paths, by these paths; `further` are of the reference."""
    columns: dict[tuple[str | Held, ...], dict[str, None]] = {}
    for side in files:
        if side.tokenizer is None:
            columns.setdefault(side.paths, {})[side.column] = None
    columns[files[0].paths] |= dict.fromkeys(further)
    return {paths: list(names) for paths, names in columns.items()}


@dataclass
class _Opener:
    """Opens the sides of files one after the other; sides of the same files in the same format share their sources."""

    reading: Reading
    text_format: str  #: of the sides whose form is that of all
    columns: Mapping[tuple[str | Held, ...], Sequence[str]]  #: the columns to read, by the paths of a side
    progress: Progress
    sources: dict[tuple[tuple[str | Held, ...], str], tuple[Source, ...]] = field(default_factory=dict)

    def read(self, side: Files, role: str) -> Side:
        """Return the side that reads the files."""
        text_format = side.format_in(self.text_format)
        key = side.paths, text_format
        if key not in self.sources:
            self.sources[key] = tuple(self._source(path, side, role) for path in side.paths)
        sources = self.sources[key]
        return Side(
            role,
            sources,
            _reading_of(side, self.reading),
            _number_of(side.column, sources[0].columns, nameless=0),
            side.label,
            reader=_parsed_reader(side.sentence_format(self.text_format)),
            joins_units=side.joins_units,
            remedy=side.remedy,
            remedy_reading=_remedy_reading_of(side, self.reading),
        )

    def _source(self, path: str | Held, side: Files, role: str) -> Source:
        # A message names the option of the side, unless the format of both sides was used.
        format_option = "text_format"
        if side.form is not None:
            format_option = "reference_format" if role == "references" else "prediction_format"
        return file_source(
            path,
            self.columns[side.paths],
            side.format_in(self.text_format),
            reading=self.reading,
            format_option=format_option,
            progress=self.progress,
            encoding=side.encoding,
        )


def _cut_reference(side: Files, tokenizer: Tokenized, reference: Side, text_column: int) -> Side:
    """Return the side of a tokenizer that cuts the text of the reference, which may have a column of its own."""
    return replace(
        reference,
        role="predictions",
        name=side.label,
        reader=cutter_of(tokenizer, reference.reading),
        reads_spaces=not tokenizer.joined,
        remedy=side.remedy,
        column=text_column or reference.column,
    )


def _cut_texts(side: Files, tokenizer: Tokenized, reading: Reading, progress: Progress) -> Side:
    """Return the side of a tokenizer that cuts the lines of a file."""
    plain = replace(reading, text_format=PLAIN.name)
    source = file_source(tokenizer.texts, reading=plain, progress=progress)
    return Side("predictions", (source,), plain, name=side.label, reader=cutter_of(tokenizer, plain))


def _number_of(column: str, names: Sequence[str], *, nameless: int) -> int:
    """Return the number of a column among the names; `nameless` if the columns have no names."""
    if column in names:
        return names.index(column)
    return nameless


def _parsed_reader(sentences: str) -> Callable[[bytes], Segmentation] | None:
    """Return the reader of what the parser of a format of several lines per utterance makes, if the format has its own."""
    row = FORMATS.get(sentences)
    if row is None or row.sentences is None:
        return None
    return row.sentences.read


def _reading_of(side: Files, reading: Reading) -> Reading:
    if side.form is None:
        return reading
    form = side.form
    text_format = form.text_format
    if not reading.documents:
        # The source of sentences parses CoNLL-U itself; the source of documents leaves that to `from_documents`.
        text_format = read_as(text_format)
    return replace(
        reading, text_format=text_format, word_boundary=form.word_boundary, ignored_tokens=form.ignored_tokens
    )


def _remedy_reading_of(side: Files, reading: Reading) -> Reading | None:
    """Return how the remedy has lines read; None if it is none, or finds a format with several lines per utterance."""
    form = side.remedy_form
    if form is None or FORMATS[form.text_format].sentences is not None:
        return None
    return _reading_of(replace(side, form=form), reading)


def check_units(sides: Sequence[Side] | Sequence[Files]) -> None:
    """Check that, if the reference has units, all predictions have units or none has: mixed ones would change the scores."""
    reference, *predictions = sides
    kinds = {side.joins_units: _label_of(side) for side in predictions}
    if reference.joins_units and len(kinds) > 1:
        name = _label_of(reference)
        raise ValueError(
            f"{kinds[True]} has the units of {name}, and {kinds[False]} has words without units: scores would count "
            f"different units. Score them separately, or write a copy of {name} as words text, with nothing between the "
            f"units of a word and a space between words, and pass the copy as the reference: then all are joined."
        )


def _label_of(side: Side | Files) -> str:
    """Return the name of a side in messages."""
    if isinstance(side, Files):
        return side.label
    return side.name or f"the {side.role}"


def open_inputs(
    reading: Reading, references: Any, *predictions: Any, names: Sequence[str] = (), role: str = "references"
) -> list[Side]:
    """Open the sides of references and predictions for `map_pieces`; each is a collection or a file."""
    names = ["", *(names or [""] * len(predictions))]
    world = world_of(reading)
    if world is not None:
        return world.open(reading, [references, *predictions], names, role=role)
    formats = [reading.formats[min(at, 1)] for at in range(1 + len(predictions))]
    values = [_input_of(value, at, formats[at]) for at, value in enumerate((references, *predictions))]
    if isinstance(values[0], Tokenized):
        raise TypeError(f"{role}: {_NO_REFERENCE}")
    inputs = _Inputs(reading, values, [role, *["predictions"] * len(predictions)], names, formats)
    inputs.open_files()
    inputs.open_collections()
    inputs.open_tokenizers()
    return inputs.paired()


@dataclass
class _Inputs:
    """The references and the predictions of a call by their numbers, and the sides that were opened of them."""

    reading: Reading
    values: Sequence[Any]  #: files, a tokenizer with what it reads, or a collection
    roles: Sequence[str]
    names: Sequence[str]
    formats: list[str]  #: the text format of each, which is settled where it is opened
    sides: dict[int, Side] = field(default_factory=dict)
    columns: dict[int, Column] = field(default_factory=dict)  #: the columns of the collections

    def open_files(self) -> None:
        """Open the files. Tokenizers without texts of their own read the lines of the reference, if it is a file."""
        files = {at: value for at, value in enumerate(self.values) if isinstance(value, Files)}
        if not files:
            return
        if 0 in files:
            for at, value in enumerate(self.values):
                if isinstance(value, Tokenized) and value.texts is None:
                    files[at] = replace(files[0], name=self.names[at], argument="", tokenizer=value)
        numbers = sorted(files)
        sides = _with_forms([files[at] for at in numbers], [self.formats[at] for at in numbers], self.reading)
        opened = open_files(sides, self.reading, self.reading.text_format)
        for at, side, opened_side in zip(numbers, sides, opened, strict=True):
            self.formats[at] = side.format_in("")
            self.sides[at] = opened_side

    def open_collections(self) -> None:
        """Open the collections, and the texts of tokenizers that have texts of their own."""
        collections: dict[int, Any] = {}
        for at, value in enumerate(self.values):
            if at in self.sides:
                continue
            if not isinstance(value, Tokenized):
                collections[at] = value
            elif value.texts is not None:
                collections[at] = value.texts
        self.columns = _read_columns(collections, self.roles, self.names)
        for at, column in self.columns.items():
            value = self.values[at]
            reader = None
            if isinstance(value, Tokenized):
                reader = cutter_of(value, self.reading)
            if reader is not None or (Form.of(column) == WORD_LISTS and self.reading.has_formats):
                self.formats[at] = PLAIN.name
            reading = replace(self.reading, text_format=self.formats[at])
            source = collection_source(column, self.roles[at])
            self.sides[at] = Side(self.roles[at], (source,), reading, name=self.names[at], reader=reader)

    def open_tokenizers(self) -> None:
        """Open the tokenizers that read the texts of a reference in memory."""
        reference = self.sides[0]
        for at, value in enumerate(self.values):
            if at in self.sides:
                continue
            if Form.of(self.columns[0]) == WORD_LISTS:
                raise TypeError(f"references: lists of words {TEXT_APART}")
            self.formats[at] = self.formats[0]
            reader = cutter_of(value, reference.reading)
            self.sides[at] = replace(reference, name=self.names[at], reader=reader, reads_spaces=not value.joined)

    def paired(self) -> list[Side]:
        """Return the sides in order, after a check that their forms and formats go together."""
        # A file shows only when it is read if it has lists: allow the options of lists.
        self.reading.check_formats([*self.formats, LISTS])
        joined = joins_units(self.formats)
        ordered = []
        for at, role in enumerate(self.roles):
            ordered.append(replace(self.sides[at], role=role, joins_units=joined[at]))
        Forms({at: (Form.of(column), 0) for at, column in self.columns.items()}).check(ordered)
        return ordered


def _with_forms(sides: list[Files], formats: Sequence[str], reading: Reading) -> list[Files]:
    """Return sides of text with their forms; raise an error for a side of a world."""
    if any(side.form is None for side in sides):
        sides = recognise_formats(
            sides,
            formats,
            word_boundary=None if reading.word_boundary == DEFAULT_WORD_BOUNDARY else reading.word_boundary,
            ignored_tokens=reading.ignored_tokens,
            separator=reading.separator,
        )
    for side in sides:
        row = FORMATS[side.format_in(PLAIN.name)]
        for world in worlds_in([row.name]):
            problem = f"{side.label}: it has {row.name} of {world.noun}, and is no text: add "
            raise OptionError(problem, row.setting, ".")
    return sides


def _input_of(value: Any, at: int, text_format: str) -> Any:
    """Return the files that a value names, or the tokenizer that it is or names; a collection as it is."""
    if isinstance(value, os.PathLike):
        value = Files.of(os.fspath(value))
    tokenizer = _tokenized(value)
    if tokenizer is not None:
        return tokenizer
    if not isinstance(value, Files):
        return value
    role = "prediction" if at else "reference"
    files = replace(value, column=value.column or role)
    return with_columns(files, value.column, role, text_format)


def _tokenized(value: Any) -> Tokenized | None:
    """Return a tokenizer with what it reads; None for another value."""
    if isinstance(value, Files):
        return value.tokenizer
    if isinstance(value, Tokenized):
        return value
    return Tokenized(value) if is_tokenizer(value) else None


def reads_space(value: Any) -> bool:
    """Return whether predictions are of a tokenizer that reads a space before each text."""
    tokenizer = _tokenized(value)
    return tokenizer is not None and tokenizer.space


def _read_columns(collections: Mapping[int, Any], roles: Sequence[str], names: Sequence[str]) -> dict[int, Column]:
    """Read the collections among the sides, by their numbers. Lists that are all empty get the form of the others."""
    columns: dict[int, Column] = {}
    for at, values in collections.items():
        try:
            columns[at] = column = read_column(values, roles[at])
            check_counts(len(columns.get(0, column)), len(column))
        except (TypeError, ValueError) as error:
            if not names[at]:
                raise
            raise placed(error, names[at]) from None
    lists = [column for column in columns.values() if Form.of(column) in (WORD_LISTS, LABEL_LISTS)]
    if not lists:
        return columns
    return {at: fill_blanks(column, lists[0]) for at, column in columns.items()}
