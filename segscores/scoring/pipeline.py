"""Scoring: options and two columns of utterances in, a flat dict of scores out.

Conventions
-----------
The work is cut into parts of a megabyte or so, that stay in the processor's cache and are shared among its cores. Each
part is read, compared and tallied by itself; the tally of the corpus is the sum of theirs, and the formulas come last
and once. Every caller comes through here: the metric with whole columns, the command with chunks of files.
"""

from __future__ import annotations

__all__ = [
    "PART_BYTES",
    "check_form",
    "compare_sides",
    "map_comparisons",
    "normalized",
    "parts_of",
    "read_part",
    "reader_for",
    "require_window_size",
    "score_tally",
    "tally_columns",
    "with_window_size",
]

from collections.abc import Callable, Iterator
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..kernel.comparison import Comparison
from ..kernel.errors import UtteranceError
from ..kernel.parallel import map_in_order
from ..kernel.segmentation import Segmentation
from ..kernel.unit_alignment import compare_mismatched
from ..measures.oov import warn_of_implausible_rate
from ..measures.registry import compute_scores
from ..measures.windows import reference_window_size
from ..reading.inputs import BLANKS, LABELS, TEXT, WORDS, Column, form_name
from ..reading.normalization import normalize_units
from ..reading.readers import (
    DEFAULT_WORD_BOUNDARY,
    LABEL_SCHEMES,
    from_labels,
    from_units_text,
    from_word_lists,
    from_words_text,
    lines,
)
from .options import Options
from .tally import Tally

#: Bytes of one side that a part holds, about.
PART_BYTES = 1 << 20


Result = TypeVar("Result")


def score_tally(tally: Tally, options: Options) -> dict[str, float]:
    """The scores of a tally, as plain floats.

    Warns:
        UserWarning: most words are outside the vocabulary, which is then probably not the one that was meant.
    """
    if options.known_words is not None:
        for unit in options.known_words.units:
            warn_of_implausible_rate(tally.counts, options.known_words, unit)
    scores = compute_scores(tally.totals(), options.keys(), options.zero_division)
    return {key: float(value) for key, value in scores.items()}


def tally_columns(references: Column, predictions: Column, options: Options) -> Tally:
    """Tally two columns of the same length and form.

    Raises:
        TypeError: the form does not go with the options.
        ValueError: there is no utterance, or one cannot be scored; the message has its index.
    """
    options = with_window_size(options, references)

    def tally_part(comparison: Comparison, kept: npt.NDArray[np.bool_] | None) -> Tally:
        return options.tally(comparison, skipped=0 if kept is None else int((~kept).sum()))

    total = Tally()
    for tally in map_comparisons(references, predictions, options, tally_part):
        total.update(tally)
    return total


def map_comparisons(
    references: Column,
    predictions: Column,
    options: Options,
    work: Callable[[Comparison, npt.NDArray[np.bool_] | None], Result],
    read: Callable[[pa.Array], Segmentation] | None = None,
) -> Iterator[Result]:
    """What some work gives for the comparison of each part of two columns, in order.

    Args:
        references, predictions: of the same length and form.
        options: how they are read and compared.
        work: is given what `compare_sides` gives. Workers call it, on all cores.
        read: the reader; that of the form and the options if None.

    Raises:
        TypeError: the form does not go with the options.
        ValueError: there is no utterance, or one cannot be scored; the message has its index.
    """
    if not len(references):
        raise ValueError("there is nothing to score: expected at least one utterance, received none.")
    check_form(references.type, options)
    reader = reader_for(references.type, options) if read is None else read

    def work_on(part: slice) -> Result:
        try:
            reference = read_part(reader, references, part, "references")
            prediction = read_part(reader, predictions, part, "predictions")
            return work(*compare_sides(reference, prediction, options))
        except UtteranceError as error:
            raise error.at(part.start) from None

    return map_in_order(work_on, list(parts_of(references)))


def compare_sides(
    reference: Segmentation, prediction: Segmentation, options: Options
) -> tuple[Comparison, npt.NDArray[np.bool_] | None]:
    """Compare a part of both sides, after `options.normalize` and as `options.on_mismatch` says.

    Returns:
        The comparison, and for each utterance whether it is in it; None where all are.

    Raises:
        UtteranceError: the units differ, and `on_mismatch` is `"error"`.
    """
    return compare_mismatched(normalized(reference, options), normalized(prediction, options), options.on_mismatch)


def normalized(segmentation: Segmentation, options: Options) -> Segmentation:
    """A segmentation with its units as `options.normalize` says."""
    return segmentation if options.normalize is None else normalize_units(segmentation, options.normalize)[0]


def require_window_size(options: Options) -> None:
    """Refuse options whose size of windows is to be found from the whole reference, where it is not at hand.

    Raises:
        ValueError: with what to pass.
    """
    if options.needs_window_size:
        raise ValueError(
            'scores="windows" needs window_size here, for parts are counted before the whole reference is known: pass a number '
            'of gaps, or "utterance" for half the mean word length of each utterance.'
        )


def with_window_size(options: Options, references: Column) -> Options:
    """The options with the size of windows that the whole reference gives, where it is to be found from that.

    Raises:
        ValueError: an utterance can't be read.
    """
    if not options.needs_window_size:
        return options
    check_form(references.type, options)
    read = reader_for(references.type, options)

    def read_slice(part: slice) -> Segmentation:
        try:
            return normalized(read_part(read, references, part, "references"), options)
        except UtteranceError as error:
            raise error.at(part.start) from None

    parts = map_in_order(read_slice, list(parts_of(references)))
    return options.with_window_size(reference_window_size(parts, options.window_convention))


def check_form(form: pa.DataType, options: Options) -> None:
    """Check that the form of the input goes with the options.

    Args:
        form: the type of a column, one of those in `inputs`.

    Raises:
        TypeError, ValueError: it does not.
    """
    scheme = options.label_scheme
    if form in (BLANKS, pa.null()):
        return
    if scheme is not None and form == TEXT:
        raise TypeError(
            f"label_scheme={scheme!r} is for lists of labels, one a unit; received {form_name(form)}. To score text, leave "
            f"label_scheme out."
        )
    if scheme is None and form == LABELS:
        raise TypeError(
            f"received lists of integers without label_scheme: say how labels mark words ({', '.join(LABEL_SCHEMES)}), such "
            f'as label_scheme="start" if 1 starts a word.'
        )
    if scheme is not None and options.vocabulary is not None:
        raise ValueError(
            "vocabulary needs the words, and labels do not say what they are: pass strings or lists of words."
        )
    if scheme is not None and options.dictionary is not None:
        raise ValueError("dictionary needs the text, and labels do not say what it is: pass strings or lists of words.")
    if form == WORDS and (options.ignored_tokens or options.word_boundary != DEFAULT_WORD_BOUNDARY):
        raise ValueError("word_boundary and ignored_tokens are for strings; received lists of words.")


def reader_for(form: pa.DataType, options: Options) -> Callable[[pa.Array], Segmentation]:
    """The reader for a form under the options; the two go together."""
    scheme = options.label_scheme
    if scheme is not None:
        return lambda part: from_labels(part, scheme)
    if form in (WORDS, BLANKS):
        return from_word_lists
    if options.text_format == "words":
        return lambda part: from_words_text(lines(part))
    return lambda part: from_units_text(lines(part), options.word_boundary, options.ignored_tokens)


def read_part(read: Callable[[pa.Array], Segmentation], column: Column, part: slice, side: str) -> Segmentation:
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
