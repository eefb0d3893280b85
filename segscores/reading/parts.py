"""Parts: columns of utterances cut into pieces that stay in the processor's cache, read and worked on by all cores.

A part of a megabyte or so is read by itself. The errors of a part count utterances from its first one; `map_parts` is the one
place that turns them into errors of the whole input.
"""

from __future__ import annotations

__all__ = ["PART_BYTES", "check_form", "map_parts", "parts_of", "read_part", "reader_for"]

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias, TypeVar

import pyarrow as pa

from ..kernel.errors import UtteranceError
from ..kernel.parallel import map_in_order
from ..kernel.segmentation import Segmentation
from .inputs import BLANKS, LABELS, TEXT, WORDS, Column, form_name
from .options import Reading
from .readers import (
    DEFAULT_WORD_BOUNDARY,
    LABEL_SCHEMES,
    from_labels,
    from_units_text,
    from_word_lists,
    from_words_text,
    lines,
)

#: Bytes of one side that a part holds, about.
PART_BYTES = 1 << 20

Reader: TypeAlias = Callable[[pa.Array], Segmentation]
Result = TypeVar("Result")


def check_form(form: pa.DataType, reading: Reading) -> None:
    """Check that the form of the input goes with the options.

    Args:
        form: the type of a column, one of those in `inputs`.
        reading: how it is to be read.

    Raises:
        TypeError, ValueError: it does not.
    """
    scheme = reading.label_scheme
    if form in (BLANKS, pa.null()):
        return
    if scheme is not None and form == TEXT:
        raise TypeError(
            f"label_scheme={scheme!r} is for lists of labels, one per unit; received {form_name(form)}. To score text, leave "
            f"label_scheme out."
        )
    if scheme is None and form == LABELS:
        raise TypeError(
            f"received lists of integers without label_scheme: say how labels mark words ({', '.join(LABEL_SCHEMES)}), such "
            f'as label_scheme="start" if 1 starts a word.'
        )
    if form == WORDS and (reading.ignored_tokens or reading.word_boundary != DEFAULT_WORD_BOUNDARY):
        raise ValueError("word_boundary and ignored_tokens are for strings; received lists of words.")


def reader_for(form: pa.DataType, reading: Reading) -> Reader:
    """The reader for a form under the options; the two go together."""
    scheme = reading.label_scheme
    if scheme is not None:
        return lambda part: from_labels(part, scheme)
    if form in (WORDS, BLANKS):
        return from_word_lists
    if reading.text_format == "words":
        return lambda part: from_words_text(lines(part))
    return lambda part: from_units_text(lines(part), reading.word_boundary, reading.ignored_tokens)


def read_part(read: Reader, column: Column, part: slice, side: str) -> Segmentation:
    """Read a slice of a column.

    Raises:
        UtteranceError: an utterance that can't be read, counted from the slice's first.
    """
    column = column.slice(part.start, part.stop - part.start)
    chunks = (column.cast(WORDS) if column.type == BLANKS else column).combine_chunks()
    array = chunks if isinstance(chunks, pa.Array) else pa.concat_arrays(chunks.chunks)
    try:
        return read(array)
    except UtteranceError as error:
        raise error.at(side=side) from None


def parts_of(column: Column) -> Iterator[slice]:
    """Slices of a column that hold PART_BYTES each, about."""
    count = max(1, len(column) * PART_BYTES // max(1, column.nbytes))
    for start in range(0, len(column), count):
        yield slice(start, min(start + count, len(column)))


def map_parts(
    columns: Mapping[str, Column],
    reading: Reading,
    work: Callable[[slice, list[Segmentation]], Result],
    read: Reader | None = None,
) -> Iterator[Result]:
    """What some work gives for each part of several columns, in order.

    Args:
        columns: of the same length and form, by the name of the side that messages say.
        reading: how they are read.
        work: is given a part and its segmentation on each side. Workers call it, on all cores. An UtteranceError that it raises
            counts from the part's first utterance.
        read: the reader; that of the form and the options if None.

    Raises:
        TypeError: the form does not go with the options.
        ValueError: there is no utterance.
        UtteranceError: one cannot be read or worked on, counted in the whole column.
    """
    first = next(iter(columns.values()))
    if not len(first):
        raise ValueError("there is nothing to score: expected at least one utterance, received none.")
    check_form(first.type, reading)
    reader = reader_for(first.type, reading) if read is None else read

    def work_on(part: slice) -> Result:
        try:
            return work(part, [read_part(reader, column, part, side) for side, column in columns.items()])
        except UtteranceError as error:
            raise error.at(part.start) from None

    return map_in_order(work_on, list(parts_of(first)))
