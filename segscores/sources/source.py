"""Sources and sides: named streams of utterances, and what of them is compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from ..kernel.segmentation import Segmentation
from ..reading.inputs import Column
from ..reading.readers import Reading, joins_units
from .batches import Batch, Rows


@dataclass(eq=False)
class Source:
    """A file, a table, a collection or a dataset: a stream of batches that can be opened for several passes.

    Attributes:
        name: for messages.
        batches: begins a pass; what it opens it closes, at its end or when it is closed.
        noun, first_number: the name of an utterance, and the number of the first.
        columns: their names, where they have some.
        is_file: whether errors name the place in a file.
        is_once: whether a second pass finds nothing, as with a pipe.
        check: raises an error if a file is not the one of which a pass has begun.
        whole: its only batch, which is not empty; None if there are others, or if a pass has to find out.
    """

    name: str
    batches: Callable[[], Iterator[Batch]]
    noun: str = "utterance"
    first_number: int = 0
    columns: tuple[str, ...] = ()
    is_file: bool = False
    is_once: bool = False
    check: Callable[[], object] = lambda: None
    whole: Batch | None = None

    def label(self, at: int) -> str:
        """The name, for messages, with that of a column."""
        return f"{self.name}, column {self.columns[at]}" if self.columns else self.name

    def where(self, utterance: int) -> str:
        """The place of an utterance, by its index."""
        return f"{self.noun} {utterance + self.first_number}"


def collection_source(column: Column, name: str) -> Source:
    """The source of a column that `read_column` has read."""
    batches = [Rows((chunk,), is_checked=True) for chunk in column.chunks]
    return Source(name, lambda: iter(batches), whole=batches[0] if len(batches) == 1 and len(column) else None)


def place_in(extents: Sequence[tuple[Source, int]], utterance: int) -> str:
    """The place of an utterance in sources with numbers of utterances; with the name of its source if there are several."""
    before = 0
    for source, count in extents:
        if utterance < before + count:
            where = source.where(utterance - before)
            return where if len(extents) == 1 else f"{source.name}, {where}"
        before += count
    raise IndexError(utterance)


def in_formats(sides: Sequence[Side], reading: Reading) -> list[Side]:
    """The sides, the reference first, each read in its own format."""
    formats = [reading.formats[min(at, 1)] for at in range(len(sides))]
    return [
        replace(side, reading=reading.of_side(text_format), joins_units=joins)
        for side, text_format, joins in zip(sides, formats, joins_units(formats), strict=True)
    ]


def held(source: Source) -> Source:
    """A source whose first complete pass keeps the batches for the next ones."""
    kept: list[Batch] | None = None

    def batches() -> Iterator[Batch]:
        nonlocal kept
        if kept is not None:
            yield from kept
            return
        found = []
        for batch in source.batches():
            found.append(batch)
            yield batch
        kept = found

    return replace(source, batches=batches, is_once=False)


@dataclass(eq=False)
class Side:
    """The reference, or a prediction: a column of one or more sources. Sides of the same sources are read in one pass over them.

    Attributes:
        role: `"references"` or `"predictions"`, in messages about utterances.
        sources: where it is, in order.
        reading: how its utterances are read.
        at: the number of its column.
        name: of one of several systems, or of several files; empty where the role says which side it is.
        reader: of blocks of lines of units text, in place of the one for its reading.
        joins_units: whether units of a word are joined, because another side has no such units.
        remedy: what to try where its units differ from the reference's; empty for what the units themselves suggest.
    """

    role: str
    sources: tuple[Source, ...]
    reading: Reading
    at: int = 0
    name: str = ""
    reader: Callable[[bytes], Segmentation] | None = None
    joins_units: bool = False
    remedy: str = ""

    @property
    def is_file(self) -> bool:
        """Whether errors name places in files."""
        return self.sources[0].is_file

    @property
    def is_conllu(self) -> bool:
        """Whether it is CoNLL-U, in which utterances are sentences."""
        return self.sources[0].noun == "sentence"
