"""Sides of files: the reference and the predictions, each of one or more files.

A side is one file, or the files of a pattern in the order of their names. Of a table one column is read: without files of
predictions, they are columns of the reference's tables.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from ...kernel.arrays import check_counts
from ...options.errors import FileError
from ...options.functions import with_inputs
from ...options.messages import OptionError, placed
from ...options.table import LISTS, OPTIONS
from ..form import LABEL_LISTS, WORD_LISTS, Form, fill_blanks
from ..formats.registry import FORMATS, PLAIN, joins_units, read_as, sentence_reader
from ..inputs import TEXT_APART, Column, is_tokenizer, read_column, warn_of_indices
from ..proposals import options_given
from ..reading import DEFAULT_WORD_BOUNDARY, Reading
from ..world import cutter_of, world_of, worlds_in
from .delimited import with_columns
from .files import file_source
from .forms import Forms, NotedForm
from .names import DOCUMENT, SENTENCE_TEXT, Files, Held, Tokenized
from .progress import Progress
from .recognition import recognise_formats
from .row_pairs import warn_of_rows
from .source import Side, Source, collection_source
from .swapped import warn_of_swapped

#: The paths of a side, or its files in memory.
_Paths: TypeAlias = tuple[str | Held, ...]
#: The columns of CoNLL-U, which have no names: the words, and then the document of each sentence, if documents are asked for. The
#: text of each sentence is the column after these, if a tokenizer needs it.
_WORDS_COLUMN = 0
_DOCUMENT_COLUMN = 1
_TEXT_AFTER_WORDS = 1
_TEXT_AFTER_DOCUMENTS = 2
#: The name of the reference where each prediction has the name of a system.
_NO_NAME = ""
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
    # No encoding is None as the value of the option, and an empty string in `Files`.
    checked_encoding = OPTIONS["encoding"].check(encoding or None)
    return Files.of(os.fspath(path), column, encoding=checked_encoding or "")


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
        problem = "it is for the text of the references; received other texts too: leave one of them out."
        raise ValueError(f"joined: {problem}")
    return Tokenized(tokenizer, texts, space=space, joined=joined)


def open_files(
    files: Sequence[Files],
    reading: Reading,
    text_format: str,
    *,
    ids: Sequence[str] = (),
    progress: Progress = lambda _: None,
) -> list[Side]:
    """Open the sides of files for `map_pieces`. Columns of the same tables share their sources, so that each is read once.

    `text_format` is the format of sides that have none of their own. `ids` are columns of the reference with ids of its
    utterances, or DOCUMENT; each is one more side at the end. A world, such as recordings, opens its sides itself, without ids.
    """
    reference_files, *prediction_files = files
    if reference_files.tokenizer is not None:
        raise FileError(f"{reference_files.label}: {_NO_REFERENCE}")
    if DOCUMENT in ids:
        _check_marks_documents(reference_files, text_format)
    world = world_of(reading)
    if world is not None:
        systems = [_NO_NAME, *(side.name for side in prediction_files)]
        return world.open(reading, files, systems, progress=progress)
    warn_of_rows(files, ids)
    further_columns = list(ids)
    has_tokenizer = any(files_of_side.tokenizer is not None for files_of_side in prediction_files)
    # CoNLL-U, the format that marks documents, has the text of each sentence too: a tokenizer reads this, and not the words.
    reads_sentence_text = has_tokenizer and reference_files.marks_documents(text_format)
    if reads_sentence_text:
        further_columns.append(SENTENCE_TEXT)
    opener = _Opener(reading, text_format, _columns_of(files, further_columns), progress)
    reference = opener.read(reference_files, "references")
    text_column = reference.column
    if reads_sentence_text:
        text_column = _TEXT_AFTER_DOCUMENTS if DOCUMENT in ids else _TEXT_AFTER_WORDS
    sides = [reference]
    sides += [opener.prediction(files_of_side, reference, text_column) for files_of_side in prediction_files]
    for name in ids:
        # In a table ids are a column of their name. CoNLL-U, without names, has documents.
        id_column = _number_of(name, reference.first_source.columns, if_nameless=_DOCUMENT_COLUMN)
        sides.append(replace(reference, column=id_column))
    return sides


def _check_marks_documents(reference: Files, text_format: str) -> None:
    """Check that each file of the reference marks where a document begins."""
    for path in reference.paths:
        if not replace(reference, paths=(path,)).marks_documents(text_format):
            remedy = "name a file with an id per line, or every:N, in place of newdoc."
            raise FileError(f"{path}: this is not CoNLL-U, which marks documents; {remedy}")


def _columns_of(files: Sequence[Files], further_columns: Sequence[str]) -> dict[_Paths, list[str]]:
    """Return the columns to read of all sides with the same paths, by these paths; the further ones are of the reference.

    With the reference in the column `gold` and a prediction in `crf` of one table, it is {("t.csv",): ["gold", "crf"]}.
    """
    columns: defaultdict[_Paths, list[str]] = defaultdict(list)
    for side in files:
        if side.tokenizer is None:
            columns[side.paths].append(side.column)
    reference, *_ = files
    columns[reference.paths] += further_columns
    # Each column once, in the order in which they are asked for.
    return {paths: list(dict.fromkeys(names)) for paths, names in columns.items()}


@dataclass
class _Opener:
    """Opens the sides of files one after the other; sides of the same files in the same format share their sources."""

    reading: Reading
    text_format: str  #: the format of sides that have none of their own
    columns: Mapping[_Paths, Sequence[str]]  #: the columns to read, by the paths of a side
    progress: Progress
    #: the sources that are open, by the paths of a side and its text format
    sources: dict[tuple[_Paths, str], tuple[Source, ...]] = field(default_factory=dict)

    def prediction(self, side: Files, reference: Side, text_column: int) -> Side:
        """Return the side of files or of a tokenizer.

        A tokenizer cuts texts of its own, or a text of the reference, which is in the column of this number.
        """
        if side.tokenizer is None:
            return self.read(side, "predictions")
        if side.tokenizer.texts is not None:
            return _cut_texts(side, side.tokenizer, self.reading, self.progress)
        return _cut_reference(side, side.tokenizer, reference, text_column)

    def read(self, side: Files, role: str) -> Side:
        """Return the side that reads the files."""
        text_format = side.format_in(self.text_format)
        key = side.paths, text_format
        if key not in self.sources:
            # Sides that share the sources have one format: messages about it name the option of the first side.
            self.sources[key] = tuple(self._source(path, side, role) for path in side.paths)
        sources = self.sources[key]
        first_source, *_ = sources
        return Side(
            role,
            sources,
            _reading_of(side, self.reading),
            column=_number_of(side.column, first_source.columns, if_nameless=_WORDS_COLUMN),
            name=side.label,
            reader=sentence_reader(side.sentence_format(self.text_format)),
            joins_units=side.joins_units,
            # The hint of the error if units differ, such as to read another format, and the reading that tries whether it helps.
            remedy=side.remedy,
            remedy_reading=_remedy_reading_of(side, self.reading),
        )

    def _source(self, path: str | Held, side: Files, role: str) -> Source:
        """Return the source of one file of a side."""
        # Messages name the option that has the format of the side.
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
    """Return the side of a tokenizer that cuts the text of the reference, in the column of this number."""
    return replace(
        reference,
        role="predictions",
        name=side.label,
        reader=cutter_of(tokenizer, reference.reading),
        reads_spaces=not tokenizer.joined,  # a joined tokenizer reads the words without spaces between
        remedy=side.remedy,
        column=text_column,
    )


def _cut_texts(side: Files, tokenizer: Tokenized, reading: Reading, progress: Progress) -> Side:
    """Return the side of a tokenizer that cuts the lines of a file of its own."""
    plain = replace(reading, text_format=PLAIN.name)
    source = file_source(tokenizer.texts, reading=plain, progress=progress)
    return Side("predictions", (source,), plain, name=side.label, reader=cutter_of(tokenizer, plain))


def _number_of(column: str, names: Sequence[str], *, if_nameless: int) -> int:
    """Return the number of a column by its name; `if_nameless` is the number where columns have no names.

    >>> _number_of("crf", ("gold", "crf"), if_nameless=0), _number_of("", (), if_nameless=0)
    (1, 0)
    """
    if column in names:
        return names.index(column)
    return if_nameless


def _reading_of(side: Files, reading: Reading) -> Reading:
    """Return the reading with the form of a side, if the side has its own."""
    if side.form is None:
        return reading
    form = side.form
    text_format = form.text_format
    if not reading.documents:
        # The source parses a format of several lines per utterance: the reading has the format of what it yields. The source of
        # documents leaves the parsing to the reader, `from_documents`.
        text_format = read_as(text_format)
    return replace(
        reading, text_format=text_format, word_boundary=form.word_boundary, ignored_tokens=form.ignored_tokens
    )


def _remedy_reading_of(side: Files, reading: Reading) -> Reading | None:
    """Return the reading that the remedy of a side proposes for its lines; None if there is no such proposal."""
    form = side.remedy_form
    # Lines cannot be read in a format of several lines per utterance: the file would have to be read again.
    if form is None or FORMATS[form.text_format].sentences is not None:
        return None
    return _reading_of(replace(side, form=form), reading)


def open_inputs(
    reading: Reading, references: Any, *predictions: Any, names: Sequence[str] = (), role: str = "references"
) -> list[Side]:
    """Open the sides of references and predictions for `map_pieces`; each is a collection or a file.

    `names` are the systems of the predictions, in messages; none if each prediction is called by its role. `role` is what
    messages call the references.
    """
    names_of_sides = [_NO_NAME, *(names or [_NO_NAME] * len(predictions))]
    files = [*map(_files_of, (references, *predictions))]
    if isinstance(files[0], Files):
        warn_of_swapped([value for value in files if isinstance(value, Files)])
    world = world_of(reading)
    if world is not None:
        # Utterances of a world, such as recordings, are no text: the world opens their sides.
        return world.open(reading, [references, *predictions], names_of_sides, role=role)
    reference_format, prediction_format = reading.formats
    formats = [reference_format] + [prediction_format] * len(predictions)
    reference = _input_of(references, "reference", reference_format)
    if isinstance(reference, Tokenized):
        raise TypeError(f"{role}: {_NO_REFERENCE}")
    values = [reference, *(_input_of(value, "prediction", prediction_format) for value in predictions)]
    roles = [role] + ["predictions"] * len(predictions)
    inputs = _Inputs(reading, values, roles, names_of_sides, formats)
    inputs.open_files()
    inputs.open_collections()
    inputs.open_tokenizers()
    return inputs.paired()


@dataclass
class _Inputs:
    """The references and the predictions of a call, and the sides that were opened of them.

    The number of a side is its index in all of the lists, and its key in the dicts: 0 for the references, and from 1 for the
    predictions.
    """

    reading: Reading
    values: Sequence[Any]  #: the files of each side, its tokenizer with what that reads, or its collection
    roles: Sequence[str]  #: `"references"` or `"predictions"`, in messages
    names: Sequence[str]  #: of the systems, in messages; empty where the role says enough
    formats: list[str]  #: the text format of each side, which is settled when the side is opened
    sides: dict[int, Side] = field(default_factory=dict)  #: the sides that are open, by their numbers
    columns: dict[int, Column] = field(default_factory=dict)  #: the columns of the collections

    def open_files(self) -> None:
        """Open the files. Tokenizers without texts of their own read the lines of the reference, if it is a file."""
        files = {number: value for number, value in enumerate(self.values) if isinstance(value, Files)}
        if not files:
            return
        reference = files.get(0)
        if reference is not None:
            for number, value in enumerate(self.values):
                if isinstance(value, Tokenized) and value.texts is None:
                    # Without an argument, messages call the side by its name, and not by the path of the reference.
                    files[number] = replace(reference, name=self.names[number], argument="", tokenizer=value)
        numbers = sorted(files)
        formats = [self.formats[number] for number in numbers]
        with_forms = _with_forms([files[number] for number in numbers], formats, self.reading)
        opened = open_files(with_forms, self.reading, self.reading.text_format)
        for number, files_of_side, side in zip(numbers, with_forms, opened, strict=True):
            # Each has a form of its own by now: the format of all sides, which is for files without one, is not used.
            self.formats[number] = files_of_side.format_in(text_format="")
            self.sides[number] = side

    def open_collections(self) -> None:
        """Open the collections, and the texts of tokenizers that have texts of their own."""
        collections: dict[int, Any] = {}
        for number, value in enumerate(self.values):
            if number in self.sides:
                continue  # of files, which are open
            if not isinstance(value, Tokenized):
                collections[number] = value
            elif value.texts is not None:
                collections[number] = value.texts
        self.columns = _read_columns(collections, self.roles, self.names)
        for number, column in self.columns.items():
            value = self.values[number]
            reader = None
            # Lists of words have no format. If a side has a format of its own, it is the other side, which has strings.
            are_lists_beside_strings = Form.of(column) == WORD_LISTS and self.reading.has_formats
            if are_lists_beside_strings:
                self.formats[number] = PLAIN.name
            if isinstance(value, Tokenized):
                reader = cutter_of(value, self.reading)
                self.formats[number] = PLAIN.name  # its texts are plain
            role = self.roles[number]
            reading = replace(self.reading, text_format=self.formats[number])
            source = collection_source(column, role)
            self.sides[number] = Side(role, (source,), reading, name=self.names[number], reader=reader)

    def open_tokenizers(self) -> None:
        """Open the tokenizers that read the texts of a reference in memory."""
        reference = self.sides[0]
        for number, tokenizer in enumerate(self.values):
            if number in self.sides:
                continue
            # All else is open. This is a tokenizer without texts of its own, and the reference is a collection: see `open_files`.
            if Form.of(self.columns[0]) == WORD_LISTS:
                raise TypeError(f"references: lists of words {TEXT_APART}")
            self.formats[number] = self.formats[0]
            self.sides[number] = replace(
                reference,
                name=self.names[number],
                reader=cutter_of(tokenizer, reference.reading),
                reads_spaces=not tokenizer.joined,  # a joined tokenizer reads the words without spaces between
            )

    def paired(self) -> list[Side]:
        """Return the sides in order, after a check that their forms and formats go together."""
        # Only the reader of a file, such as a table, sees whether it has lists: allow the options of lists here.
        self.reading.check_formats([*self.formats, LISTS])
        joined = joins_units(self.formats)
        ordered = []
        for number, role in enumerate(self.roles):
            ordered.append(replace(self.sides[number], role=role, joins_units=joined[number]))
        forms = Forms()
        for number, column in self.columns.items():
            forms[number] = NotedForm(Form.of(column), since=0)
        forms.check(ordered)
        return ordered


def _with_forms(sides: list[Files], formats: Sequence[str], reading: Reading) -> list[Files]:
    """Return sides of text with their forms; raise an error for a side of a world, which these options do not read."""
    # The boundary token is recognised unless an option names one.
    named_boundary = reading.word_boundary if reading.word_boundary != DEFAULT_WORD_BOUNDARY else None
    if any(side.form is None for side in sides):
        sides = recognise_formats(
            sides,
            formats,
            word_boundary=named_boundary,
            ignored_tokens=reading.ignored_tokens,
            separator=reading.separator,
            given=options_given(reading),
            scores=reading.scores,
        )
    for side in sides:
        row = FORMATS[side.format_in(PLAIN.name)]
        worlds = worlds_in([row.name])
        if worlds:
            (world,) = worlds
            problem = f"{side.label}: it has {row.name} of {world.noun}, and is no text: add "
            raise OptionError(problem, row.setting, ".")
    return sides


def _files_of(value: Any) -> Any:
    """Return the files that a path names; another value as it is."""
    return Files.of(os.fspath(value)) if isinstance(value, os.PathLike) else value


def _input_of(value: Any, role: str, text_format: str) -> Any:
    """Return the files that a value names, or the tokenizer that it is or names; a collection as it is.

    `role` is "reference" or "prediction".
    """
    value = _files_of(value)
    tokenizer = _tokenized(value)
    if tokenizer is not None:
        return tokenizer
    if not isinstance(value, Files):
        return value
    # The role is the name of the column of a table, unless the user names another.
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
    warn_of_indices([*collections.values()])
    columns: dict[int, Column] = {}
    for number, values in collections.items():
        try:
            column = read_column(values, roles[number])
            columns[number] = column
            # The reference comes first, if it is a collection; the utterances of a file are not counted yet.
            is_reference_read = 0 in columns
            if is_reference_read:
                check_counts(len(columns[0]), len(column))
        except (TypeError, ValueError) as error:
            if not names[number]:
                raise
            raise placed(error, names[number]) from None
    with_items = [column for column in columns.values() if Form.of(column) in (WORD_LISTS, LABEL_LISTS)]
    if not with_items:
        return columns
    first_with_items, *_ = with_items
    return {number: fill_blanks(column, first_with_items) for number, column in columns.items()}
