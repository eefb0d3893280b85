"""At once: two small lists in memory, or two small plain files, are read, compared and counted at once.

All else (streams, threads, several predictions, documents, a doubt about the form, an utterance to leave out or to align, an
error) is for `map_pieces`, which names the utterance and the remedy. So this module writes no message.
"""

from __future__ import annotations

from typing import Any

from ..kernel.record import record
from ..kernel.segmentation import Segmentation
from ..options.table import LISTS
from ..reading.form import LABEL_LISTS, STRINGS, WORD_LISTS, Form
from ..reading.formats.messages import may_end_with_message
from ..reading.formats.registry import FORMATS, check_form, reader_for, text_reader
from ..reading.inputs import read_column
from ..reading.item_signs import ItemSigns
from ..reading.label_hints import doubt_of_labels
from ..reading.list_doubts import first_lines_of
from ..reading.moved_labels import MovedLabels
from ..reading.odd_utterances import FEWEST_WITHOUT_BOUNDARY, OddUtterances, lack_boundaries
from ..reading.preparation import stages_of
from ..reading.quick_look import Spaces, may_be_doubtful
from ..reading.reading import Reading
from ..reading.sources.small_files import small_blocks
from .plan import Plan
from .tally import Tally, tally_comparison

#: With more utterances the threads of `map_pieces` are faster.
_MOST = 1000


@record
class CountedAtOnce:
    """The counts of two sides."""

    tally: Tally
    reference: Segmentation
    form: Form  #: the form of the references


@record
class _Sides:
    """Both sides as they are read, before the stages of preparation."""

    reference: Segmentation
    prediction: Segmentation
    form: Form  #: the form of the references


class _PiecesNeededError(Exception):
    """An error that nobody sees: `map_pieces` must look at the sides."""


def tally_at_once(references: Any, predictions: Any, plan: Plan) -> CountedAtOnce | None:
    """Return the tally of two lists or two files; None where `map_pieces` must look at them.

    The naive equivalent is `sum_tallies` of their sides.
    """
    # A reading is simple if each utterance is read by itself, and both sides in the same way.
    needs_whole_reference = plan.option_needing_reference is not None
    if needs_whole_reference or not plan.reading.is_simple:
        return None
    are_lists = type(references) is list and type(predictions) is list
    are_few = are_lists and 0 < len(references) == len(predictions) <= _MOST
    if are_lists and not are_few:
        return None
    try:
        if are_lists and not isinstance(references[0], str):
            sides = _read_lists(references, predictions, plan.reading)
        else:
            sides = _read_texts(references, predictions, plan.reading)
        reference = sides.reference
        prediction = sides.prediction
        signs = OddUtterances.of(reference)
        # References whose utterances or words are single characters are perhaps the characters of a string: `map_pieces` warns of
        # them. A prediction may cut between all characters.
        are_characters = not (signs.has_several_units and signs.has_long_words)
        has_missing_values = signs.missing > 0
        if has_missing_values or are_characters:
            return None
        are_many = len(reference.utterance_ends) >= FEWEST_WITHOUT_BOUNDARY
        if are_many and lack_boundaries(reference) and lack_boundaries(prediction):
            return None
        if reference.unit == "label" and MovedLabels.of(reference, prediction) is not None:
            return None
        for stage in stages_of(plan.reading, joins_units=False):
            reference = stage(reference)
            prediction = stage(prediction)
        if plan.ignored_words is not None and plan.ignored_words.look_at(reference).doubts():
            return None
        counted = tally_comparison(plan.compare(reference, prediction), good=None, plan=plan)
    except (_PiecesNeededError, OSError, TypeError, ValueError):
        # `map_pieces` finds the same error again, and says where it is.
        return None
    return CountedAtOnce(counted, reference, sides.form)


def _read_texts(references: Any, predictions: Any, reading: Reading) -> _Sides:
    """Return two lists of strings or two small files as they are read.

    Raise _PiecesNeededError for large files, for values of other kinds, and for text that raises a doubt. Any other error is
    about the values.
    """
    if type(references) is list and type(predictions) is list:
        blocks = _blocks_of_strings(references, predictions, reading)
    else:
        blocks_of_files = small_blocks(references, predictions, reading)
        if blocks_of_files is None:
            raise _PiecesNeededError
        blocks = blocks_of_files
    # Text has no labels.
    if reading.label_scheme is not None:
        raise _PiecesNeededError
    # An option that is for other formats of text alone is an error.
    reading.check_formats([reading.text_format])
    read = text_reader(reading)
    reference, prediction = blocks
    if reading.named_marks:
        _check_named_marks(reading, reference + prediction)
    return _Sides(read(reference), read(prediction), STRINGS)


def _check_named_marks(reading: Reading, block: bytes) -> None:
    """Raise _PiecesNeededError if a text lacks a mark that an option names."""
    for mark in reading.named_marks.values():
        if mark.encode() not in block:
            raise _PiecesNeededError


def _blocks_of_strings(references: list[str], predictions: list[str], reading: Reading) -> tuple[bytes, bytes]:
    """Return the strings of each side as lines; raise _PiecesNeededError if something raises a doubt."""
    reference = _block(references)
    prediction = _block(predictions)
    mark = FORMATS[reading.text_format].mark
    if mark is not None:
        # Text without the mark of its format, such as the token between words, is likely of another format.
        mark_bytes = mark(reading).encode()
        if mark_bytes not in reference and mark_bytes not in prediction:
            raise _PiecesNeededError
        needs_look = may_end_with_message(reference) or may_end_with_message(prediction)
    elif may_be_doubtful(reference):
        # Text without a mark between its words may have any other form, as words text may.
        needs_look = True
    elif prediction.translate(None, b" ") == reference.translate(None, b" "):
        # The spaces alone of a prediction with the same characters can show a form that the reference does not show.
        needs_look = Spaces.of(prediction).are_unusual()
    else:
        needs_look = may_be_doubtful(prediction)
    if needs_look:
        raise _PiecesNeededError
    return reference, prediction


def _block(utterances: list[str]) -> bytes:
    """Join utterances to lines; raise _PiecesNeededError if one has several lines."""
    block = "\n".join([*utterances, ""])  # a newline ends each line, the last one too
    has_newline_within = block.count("\n") != len(utterances)
    if has_newline_within:
        # As the lines of a file have it, one may stand at the end.
        block = "\n".join([utterance.rstrip("\n") for utterance in utterances] + [""])
        if block.count("\n") != len(utterances):
            raise _PiecesNeededError
    return block.encode()


def _read_lists(references: list[Any], predictions: list[Any], reading: Reading) -> _Sides:
    """Return lists of words, or of labels, as they are read; raise _PiecesNeededError as `_read_texts` does."""
    are_labels = reading.label_scheme is not None
    # The look at words would take labels such as B and I, which are capitals, for signs.
    if not are_labels:
        beginning = first_lines_of(references)
        if may_be_doubtful(beginning):
            raise _PiecesNeededError
        if reading.named_marks:
            _check_named_marks(reading, beginning)
    # The names of the sides are for errors, which nobody sees here.
    reference_column = read_column(references, side="")
    prediction_column = read_column(predictions, side="")
    form = Form.of(reference_column)
    if form not in (WORD_LISTS, LABEL_LISTS) or Form.of(prediction_column) != form:
        raise _PiecesNeededError
    check_form(form, reading)
    # Raise an error for an option that is for text of some formats alone.
    reading.check_formats(["labels" if are_labels else LISTS])
    # There is no doubt of labels about words.
    if doubt_of_labels(reference_column, reading, is_reference=True) or doubt_of_labels(prediction_column, reading):
        raise _PiecesNeededError
    # Raise an error if the words of both sides look like the tags of units, such as B and I.
    if form == WORD_LISTS:
        item_signs = ItemSigns(reading)
        item_signs.collect(reference_column)
        item_signs.collect(prediction_column)
        item_signs.reject_tags()
        if item_signs.look_odd:
            raise _PiecesNeededError
    read = reader_for(form, reading)
    # A column that was read from a list has one chunk.
    return _Sides(reference=read(reference_column.chunk(0)), prediction=read(prediction_column.chunk(0)), form=form)
