"""Sources, their batches, and sides: named streams of utterances, and the columns of them that are compared.

A batch has one or more columns of equal length, as a table has. Neighbouring batches of equal `kind` can be joined.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol, TypeAlias

import pyarrow as pa

from ...kernel.arrays import byte_count
from ...kernel.segmentation import Segmentation
from ...options.table import LISTS
from ..form import LABEL_LISTS, STRINGS, WORD_LISTS, Form
from ..formats.registry import joins_units
from ..inputs import Column, check_rows, read_column
from ..preparation import Stage, stages_of
from ..reading import Reading

#: The approximate number of bytes of one side in a piece, which fits in the processor's cache.
PIECE_BYTES = 1 << 19

#: The bytes that a row takes at least, of whatever it is: blank rows are not without cost.
_ROW_BYTES = 8

#: A decoded column: whole lines of valid UTF-8, or a column of one of the types of `reading.inputs`.
Values: TypeAlias = "bytes | Column"


class Batch(Protocol):
    """Some utterances. They are cheap to cut; a thread decodes them."""

    @property
    def kind(self) -> object:
        """Equal for batches that can be joined."""

    @property
    def nbytes(self) -> int:
        """About how many bytes one side of them takes."""

    def __len__(self) -> int: ...
    def cut(self, start: int, stop: int) -> Batch:
        """Return the utterances from `start` to before `stop`."""

    def decode(self, column: int, side: str, first_utterance: int) -> Values:
        """Return a decoded column, by its number; messages use the name of its side and the number of its first utterance."""

    def raw(self, column: int) -> pa.Array:
        """Return a column without decoding it, by its number."""

    def join(self, others: Sequence[Any]) -> Batch:
        """Return one batch of this one and others of its kind."""


@dataclass(eq=False)
class Rows:
    """Columns of Arrow. Columns of files and other libraries are validated when they are decoded; `is_checked` ones were."""

    arrays: tuple[pa.Array, ...]
    is_checked: bool = False

    def __len__(self) -> int:
        return len(self.arrays[0])

    @property
    def kind(self) -> object:
        return (self.is_checked, *(array.type for array in self.arrays))

    @cached_property
    def nbytes(self) -> int:
        # The size is that of the largest column: a piece is measured by one side.
        return _ROW_BYTES * len(self) + max(map(byte_count, self.arrays))

    def cut(self, start: int, stop: int) -> Rows:
        """Return the rows from `start` to before `stop`."""
        if (start, stop) == (0, len(self)):
            return self
        return Rows(tuple(array.slice(start, stop - start) for array in self.arrays), self.is_checked)

    def decode(self, column: int, side: str, first_utterance: int) -> Column:
        """Return a column, by its number, in one of the types of `reading.inputs`; checked columns have such a type."""
        array = self.arrays[column]
        if self.is_checked:
            return pa.chunked_array([array])
        check_rows(array, side)
        return read_column(array, side, first_utterance)

    def raw(self, column: int) -> pa.Array:
        """Return a column as it was received, by its number."""
        return self.arrays[column]

    def join(self, others: Sequence[Any]) -> Rows:
        """Return these rows and others in order, as one batch."""
        batches = [self, *others]
        if not self.is_checked:
            # Check the first and the last offset, between which joining reads; `decode` checks the others.
            for rows in batches:
                for array in rows.arrays:
                    array.validate()
        joined = []
        for column in range(len(self.arrays)):
            joined.append(pa.concat_arrays([rows.arrays[column] for rows in batches]))
        return Rows(tuple(joined), self.is_checked)


@dataclass(eq=False)
class Source:
    """A file, a table, a collection or a dataset: a stream of batches that can be opened for several passes."""

    name: str  #: the name in messages
    #: begins a pass; the iterator closes the files that it opens, at its end or when it is closed
    batches: Callable[[], Iterator[Batch]]
    #: `noun`, `first_number`: the name of an utterance, and the number of the first
    noun: str = "utterance"
    first_number: int = 0
    columns: tuple[str, ...] = ()  #: the names of the columns, where they have names
    is_file: bool = False  #: whether errors name the place in a file
    #: `names`, `paths`, `speakers`: for each utterance its name, if utterances have no numbers; its file, if the source has
    #: several, as a folder of recordings has; and its speaker
    names: Sequence[str] = ()
    paths: Sequence[str] = ()
    speakers: Sequence[str] = ()
    is_once: bool = False  #: whether a second pass finds nothing, as with a pipe
    #: the format of a file with several lines per utterance, such as `"conllu"`; empty for other sources
    sentence_format: str = ""
    marks_documents: bool = False  #: whether the format marks where a document begins
    check: Callable[[], object] = lambda: None  #: raises an error if the file has changed since the pass began

    def label(self, column: int) -> str:
        """Return the name of the source and of a column, by its number, for messages: `gold.csv, column text`."""
        if self.columns:
            return f"{self.name}, column {self.columns[column]}"
        return self.name

    def where(self, utterance: int) -> str:
        """Return the place of an utterance, by its index."""
        return f"{self.noun} {self.name_of(utterance)}"

    def name_of(self, utterance: int) -> str | int:
        """Return the name of an utterance, or its number, by its index."""
        if self.names:
            return self.names[utterance]
        return utterance + self.first_number


def collection_source(column: Column, name: str) -> Source:
    """Return the source of a column that `read_column` has read."""
    batches = [Rows((chunk,), is_checked=True) for chunk in column.chunks]
    return Source(name, lambda: iter(batches))


def in_formats(sides: Sequence[Side], reading: Reading) -> list[Side]:
    """Give each side the reading of its own format; the reference is first."""
    reference_format, prediction_format = reading.formats
    formats = [reference_format] + [prediction_format] * (len(sides) - 1)
    changed = []
    for side, text_format, joins in zip(sides, formats, joins_units(formats), strict=True):
        own_reading = replace(reading, text_format=text_format)
        changed.append(replace(side, reading=own_reading, joins_units=joins))
    return changed


def held(source: Source) -> Source:
    """Return a source whose first complete pass keeps the batches for the next ones."""
    kept: list[Batch] | None = None

    def batches() -> Iterator[Batch]:
        """Yield the kept batches; in the first pass the batches of the source, which are kept at its end."""
        nonlocal kept
        if kept is not None:
            yield from kept
            return
        complete = []
        for batch in source.batches():
            complete.append(batch)
            yield batch
        kept = complete

    return replace(source, batches=batches, is_once=False)


@dataclass(eq=False)
class Side:
    """The reference, or a prediction: a column of one or more sources. Sides of the same sources are read in one pass."""

    role: str  #: `"references"` or `"predictions"`, in messages about utterances
    sources: tuple[Source, ...]  #: where it is, in order
    reading: Reading  #: how its utterances are read
    column: int = 0  #: the number of its column
    name: str = ""  #: the name of the system or the files; empty where the role says which side it is
    #: the reader of blocks of lines of units text, if it is not the reader of `reading`
    reader: Callable[[bytes], Segmentation] | None = None
    #: the reader of recordings, with the names of their labels
    recording_reader: Callable[[pa.Array], Segmentation] | None = None
    reads_spaces: bool = False  #: whether it is a tokenizer that reads the reference with its spaces between words
    joins_units: bool = False  #: whether units of a word are joined, because another side has no such units
    #: the hint of the error if its units differ from the reference's; empty for a hint from the units themselves
    remedy: str = ""
    remedy_reading: Reading | None = None  #: how the remedy has its utterances read; None if that cannot be tried

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        """The stages that prepare its segmentations, in order."""
        return stages_of(self.reading, joins_units=self.joins_units)

    @property
    def first_source(self) -> Source:
        """The source of its first utterances."""
        return self.sources[0]

    @property
    def has_own_reader(self) -> bool:
        """True if the options of text do not say how it is read: a tokenizer, or the parser of a format, reads it."""
        return self.reader is not None

    @property
    def is_file(self) -> bool:
        """True if errors name places in files."""
        return self.first_source.is_file

    @property
    def sentence_format(self) -> str:
        """The format of its first file, if it has several lines per utterance; else empty."""
        return self.first_source.sentence_format

    def formats_of(self, form: Form) -> set[str]:
        """Return the text formats that values of this form may have here, or LISTS or "labels".

        Values whose form shows neither lists nor strings, such as empty lists, may have either.
        """
        if form == LABEL_LISTS or self.reading.label_scheme is not None:
            return {"labels"}
        if form == WORD_LISTS:
            return {LISTS}  # also of files of CoNLL-U and MeCab, which are parsed into lists
        # Files of CoNLL's units with labels are parsed into strings, and have a format that is not that of the reading.
        text_format = self.sentence_format or self.reading.text_format
        if form == STRINGS:
            return {text_format}
        return {LISTS, text_format}


def one_array(column: Column) -> pa.Array:
    """Return a column as one array."""
    if column.num_chunks == 1:
        return column.chunk(0)
    combined = column.combine_chunks()
    if isinstance(combined, pa.Array):
        return combined
    # Arrow keeps several chunks where the texts are too long for offsets of 32 bits.
    return pa.concat_arrays(combined.chunks)
