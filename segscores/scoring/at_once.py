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
from ..reading.inputs import Column, read_column
from ..reading.label_hints import doubt_of_labels
from ..reading.list_doubts import first_lines_of
from ..reading.moved_labels import MovedLabels
from ..reading.odd_utterances import FEWEST_WITHOUT_BOUNDARY, OddUtterances, lack_boundaries
from ..reading.preparation import stages_of
from ..reading.quick_look import may_be_doubtful
from ..reading.reading import Reading
from ..reading.sources.small_files import small_blocks
from ..reading.trouble import Trouble
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


def tally_at_once(references: Any, predictions: Any, plan: Plan) -> CountedAtOnce | None:
    """Return the tally of two lists or two files; None where `map_pieces` must look at them.

    The naive equivalent is `sum_tallies` of their sides.
    """
    # A reading is simple if each utterance is read by itself, and both sides in the same way.
    needs_whole_reference = plan.option_needing_reference is not None
    if needs_whole_reference or not plan.reading.is_simple:
        return None
    try:
        sides = _read(references, predictions, plan.reading)
        if sides is None:
            return None
        reference = sides.reference
        odd = OddUtterances.of(reference)
        # References whose utterances or words are single characters are perhaps the characters of a string: `map_pieces` warns of
        # them. A prediction may cut between all characters.
        are_characters = not (odd.has_several_units and odd.has_long_words)
        if odd.missing or are_characters:
            return None
        prediction = sides.prediction
        are_many = len(reference.utterance_ends) >= FEWEST_WITHOUT_BOUNDARY
        if are_many and lack_boundaries(reference) and lack_boundaries(prediction):
            return None
        if reference.unit == "label" and MovedLabels.of(reference, prediction) is not None:
            return None
        for stage in stages_of(plan.reading, joins_units=False):
            reference = stage(reference)
            prediction = stage(prediction)
        counted = tally_comparison(plan.compare(reference, prediction), good=None, plan=plan)
    except (OSError, TypeError, ValueError):
        # `map_pieces` finds the same error again, and says where it is.
        return None
    return CountedAtOnce(counted, reference, sides.form)


def _read(references: Any, predictions: Any, reading: Reading) -> _Sides | None:
    """Return both sides, read in the form of the first reference; None for values of other kinds, or for too many of them.

    This function, and those that it calls, raise an error where `map_pieces` must look at the values: the caller catches it.
    """
    are_lists = type(references) is list and type(predictions) is list
    if not are_lists:
        # The text of small files; None for large files and for values of other kinds.
        blocks = small_blocks(references, predictions, reading)
        if blocks is None:
            return None
    elif not 0 < len(references) == len(predictions) <= _MOST:
        return None
    elif isinstance(references[0], str):
        blocks = _blocks_of_strings(references, predictions, reading)
    else:
        # Tags are capitals too, and are no words.
        are_words = reading.label_scheme is None
        if are_words:
            beginning = first_lines_of(references)
            if may_be_doubtful(beginning):
                raise ValueError
            if reading.named_marks:
                _find_named_marks(reading, beginning)
        # The names of the sides are for errors, which nobody sees here.
        return _read_columns(read_column(references, side=""), read_column(predictions, side=""), reading)
    # Lists of words or labels have returned. Strings and files are left, and each block is text, which has no labels.
    if reading.label_scheme is not None:
        raise ValueError
    # An option that is for other formats of text alone is an error.
    reading.check_formats([reading.text_format])
    read = text_reader(reading)
    reference, prediction = blocks
    if reading.named_marks:
        _find_named_marks(reading, reference + prediction)
    return _Sides(read(reference), read(prediction), STRINGS)


def _find_named_marks(reading: Reading, block: bytes) -> None:
    """Raise an error if a text lacks a mark that an option names."""
    for mark in reading.named_marks.values():
        if mark.encode() not in block:
            raise ValueError


def _blocks_of_strings(references: list[str], predictions: list[str], reading: Reading) -> tuple[bytes, bytes]:
    """Return the strings of each side as lines; raise an error if something raises a doubt."""
    reference = _block(references)
    prediction = _block(predictions)
    mark = FORMATS[reading.text_format].mark
    if mark is not None:
        # Text without the mark of its format, such as the token between words, is likely of another format.
        mark_bytes = mark(reading).encode()
        if mark_bytes not in reference and mark_bytes not in prediction:
            raise ValueError
    # Text without a mark between its words may have any other form, as words text may.
    needs_look = may_be_doubtful if mark is None else may_end_with_message
    if needs_look(reference) or needs_look(prediction):
        raise ValueError
    return reference, prediction


def _block(utterances: list[str]) -> bytes:
    """Join utterances to lines; raise an error if one has several lines."""
    block = "\n".join([*utterances, ""])  # a newline ends each line, the last one too
    has_newline_within = block.count("\n") != len(utterances)
    if has_newline_within:
        # As the lines of a file have it, one may stand at the end.
        block = "\n".join([utterance.rstrip("\n") for utterance in utterances] + [""])
        if block.count("\n") != len(utterances):
            raise ValueError
    return block.encode()


def _read_columns(references: Column, predictions: Column, reading: Reading) -> _Sides:
    """Return lists of words, or of labels, as they are read; raise an error for other forms, and if something raises a doubt."""
    form = Form.of(references)
    if form not in (WORD_LISTS, LABEL_LISTS) or Form.of(predictions) != form:
        raise TypeError
    check_form(form, reading)
    # The names that labels and lists have among formats, for options of some formats.
    reading.check_formats(["labels" if reading.label_scheme is not None else LISTS])
    # Lists of words have no scheme, and so no doubt.
    if doubt_of_labels(references, reading, is_reference=True) or doubt_of_labels(predictions, reading):
        raise ValueError
    # Raise an error if the words of both sides look like the tags of units, such as B and I.
    trouble = Trouble(reading)
    trouble.collect_signs(references)
    trouble.collect_signs(predictions)
    trouble.reject_tags()
    if trouble.have_marks:
        raise ValueError
    read = reader_for(form, reading)
    # A column that was read from a list has one chunk.
    return _Sides(reference=read(references.chunk(0)), prediction=read(predictions.chunk(0)), form=form)
