"""Sources of sides: the files of a comparison, opened as its options say they are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from ..kernel.errors import FileError
from ..kernel.segmentation import Segmentation, join_units
from ..reading.inputs import TEXT
from ..reading.readers import DEFAULT_WORD_BOUNDARY, from_units_text, from_words_text
from ..sources.names import ARROW, PARQUET, is_conllu, is_json, is_table, unpacked_name
from ..sources.opening import open_file
from ..sources.progress import Progress
from .columns import JsonColumn, TableSource, check_form_of
from .sources import ChainedSource, ConlluSource, LineSource, Source

if TYPE_CHECKING:
    from .sides import Side, Sides


@contextmanager
def hint_at_numbers(sides: Sides) -> Iterator[None]:
    """Add to errors that the sides have different numbers of files, if they have.

    Raises:
        FileError: in place of another error.
    """
    try:
        yield
    except FileError as error:
        if sides.pair_by_file:
            raise
        numbers = " and ".join(f"{side.label} {len(side.paths)}" for side in sides.sides)
        raise FileError(
            f"{error} The sides have different numbers of files ({numbers}), so each was read as one text: is a file missing?"
        ) from None


def open_side(side: Side, sides: Sides, progress: Progress) -> Source:
    """Open a side as one source.

    Raises:
        FileError: a file can't be opened.
    """
    openers = [(path, partial(_open_source, path, side, sides, progress)) for path in side.paths]
    if len(openers) == 1:
        return openers[0][1]()
    return ChainedSource(side.label, openers, pairs_by_file=sides.pair_by_file)


def _open_source(path: str, side: Side, sides: Sides, progress: Progress) -> Source:
    """Open a text, standard input for `-`, or a column of a table."""
    reading, column, text_format = sides.plan.reading, side.column, sides.format_of(side)
    if side.form is not None:
        boundary, ignored = side.form.word_boundary, side.form.ignored_tokens
        units = text_format == "units"
        reading = replace(
            reading,
            text_format="units" if units else "words",
            word_boundary=boundary if units else DEFAULT_WORD_BOUNDARY,
            ignored_tokens=ignored if units else (),
        )
    if is_table(path) and not is_json(path):
        return TableSource(path, column, reading, progress, joins_units=side.joins_units)
    if unpacked_name(path).endswith((*PARQUET, *ARROW)):
        raise FileError(
            f"{path}: Parquet and Arrow files, which have their own compression, can't be read packed: unpack it."
        )
    name = "standard input" if path == "-" else path
    read: Callable[[bytes], Segmentation] = from_words_text
    if is_table(path):
        read = JsonColumn(path, column, reading, joins_units=side.joins_units)
    else:
        check_form_of(name, TEXT, reading)
        if text_format == "units":
            read = partial(from_units_text, word_boundary=reading.word_boundary, ignored_tokens=reading.ignored_tokens)
            read = partial(_read_joined, read) if side.joins_units else read
    file = open_file(path, progress)
    if not is_table(path) and is_conllu(path, text_format):
        # The option of a side is stronger than that of both.
        sided = "--reference-format" if side is sides.sides[0] else "--prediction-format"
        return ConlluSource(file, name, option="--text-format" if side.form is None else sided)
    source = LineSource(file, name, read)
    if isinstance(read, JsonColumn):
        source.form = read.form
    return source


def _read_joined(read: Callable[[bytes], Segmentation], block: bytes) -> Segmentation:
    return join_units(read(block))
