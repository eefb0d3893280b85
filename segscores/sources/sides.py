"""Sides of files: the reference and the predictions, each of one or more files.

A side is one file, or the files of a pattern in the order of their names. From a table one column is read; if no files of
predictions are named, predictions are columns of the reference's tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..kernel.errors import FileError
from ..reading.options import Reading
from ..reading.readers import DEFAULT_WORD_BOUNDARY
from .files import DOCUMENT, file_source
from .names import Files
from .progress import Progress
from .source import Side, Source


def open_sides(
    files: Sequence[Files], reading: Reading, text_format: str, *, ids: str = "", progress: Progress = lambda _: None
) -> list[Side]:
    """The sides, as `fold` takes them. Sides that are columns of the same tables share their sources, so that each is read once.

    Args:
        files: of the reference and of the predictions.
        reading: how those without a form of their own are read.
        text_format: `"words"`, `"units"` or `"conllu"`; a name that ends in `.conllu` always means CoNLL-U.
        ids: the column of the reference with the ids of clusters, or DOCUMENT, which is one more side at the end.
        progress: called with the number of bytes of every read.

    Raises:
        FileError: a file that is not CoNLL-U has no documents.
    """
    columns: dict[tuple[str, ...], list[str]] = {}
    for side in files:
        columns.setdefault(side.paths, []).append(side.column)
    if ids:
        columns[files[0].paths].append(ids)
        odd = next(
            (path for path in files[0].paths if not replace(files[0], paths=(path,)).is_conllu(text_format)), None
        )
        if ids == DOCUMENT and odd is not None:
            raise FileError(
                f"{odd}: this is not CoNLL-U, which marks documents; pass --clusters FILE with an id per line, or "
                f"--cluster-lines N."
            )
    opened: dict[tuple[tuple[str, ...], str], tuple[Source, ...]] = {}
    sides: list[Side] = []
    for side in files:
        key = side.paths, side.format_in(text_format)
        if key not in opened:
            sided = "reference_format" if side is files[0] else "prediction_format"
            opened[key] = tuple(
                file_source(
                    path,
                    list(dict.fromkeys(columns[side.paths])),
                    key[1],
                    # The option of a side is stronger than that of both.
                    format_option="text_format" if side.form is None else sided,
                    has_labels=reading.label_scheme in ("start", "end"),
                    progress=progress,
                )
                for path in side.paths
            )
        sources, names = opened[key], opened[key][0].columns
        sides.append(
            Side(
                "predictions" if sides else "references",
                sources,
                _reading_of(side, reading),
                names.index(side.column) if side.column in names else 0,
                side.label,
                joins_units=side.joins_units,
            )
        )
    if ids:
        names = sides[0].sources[0].columns
        sides.append(replace(sides[0], at=names.index(ids) if ids in names else 1))
    return sides


def _reading_of(side: Files, reading: Reading) -> Reading:
    if side.form is None:
        return reading
    is_units = side.form.text_format == "units"
    return replace(
        reading,
        text_format="units" if is_units else "words",
        word_boundary=side.form.word_boundary if is_units else DEFAULT_WORD_BOUNDARY,
        ignored_tokens=side.form.ignored_tokens if is_units else (),
    )
