"""Lists: two small lists in memory are read, compared and counted at once.

All else (files, streams, threads, several predictions, documents, a doubt about the form, an utterance to leave out or to
align, an error) is for `map_pieces`, which names the utterance and the remedy. So this module writes no message.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..kernel.segmentation import Segmentation
from ..options.table import LISTS
from ..reading.doubts import may_be_doubtful
from ..reading.form import LABEL_LISTS, STRINGS, WORD_LISTS, Form
from ..reading.formats.registry import FORMATS, PLAIN, check_form, reader_for, text_reader
from ..reading.inputs import Column, read_column
from ..reading.preparation import stages_of
from ..reading.reading import Reading
from ..reading.trouble import Trouble
from .plan import Plan
from .tally import Tally, tally_comparison

#: With more utterances the threads of `map_pieces` are faster.
_MOST = 1000


@dataclass(frozen=True)
class CountedLists:
    """The counts of two lists."""

    tally: Tally
    reference: Segmentation
    form: Form  #: the form of the references


def tally_lists(references: Any, predictions: Any, plan: Plan) -> CountedLists | None:
    """Return the tally of two lists of strings, of lists of words, or of labels; None where `map_pieces` must look at them.

    The naive equivalent is `sum_tallies` of their sides.
    """
    are_lists = type(references) is list and type(predictions) is list
    if not are_lists or not 0 < len(references) == len(predictions) <= _MOST:
        return None
    if plan.waiting is not None or not plan.reading.is_simple:
        return None
    try:
        if isinstance(references[0], str):
            form = STRINGS
            segmentations = _read_strings(references, predictions, plan.reading)
        else:
            column = read_column(references, "")
            form = Form.of(column)
            segmentations = _read_columns(column, read_column(predictions, ""), plan.reading)
        reference, prediction = segmentations
        for stage in stages_of(plan.reading, joins_units=False):
            reference = stage(reference)
            prediction = stage(prediction)
        counted = tally_comparison(plan.compare(reference, prediction), None, plan)
    except (TypeError, ValueError):
        return None
    return CountedLists(counted, reference, form)


def _read_strings(references: list[str], predictions: list[str], reading: Reading) -> tuple[Segmentation, Segmentation]:
    if reading.label_scheme is not None:
        raise ValueError
    reading.check_formats([reading.text_format])
    blocks = _block(references), _block(predictions)
    mark = FORMATS[reading.text_format].mark
    if mark is not None and mark(reading).encode() not in b"".join(blocks):
        raise ValueError
    if reading.text_format == PLAIN.name and any(map(may_be_doubtful, blocks)):
        raise ValueError
    read = text_reader(reading)
    return read(blocks[0]), read(blocks[1])


def _block(utterances: list[str]) -> bytes:
    """Join utterances to lines; a newline within one of them becomes a space."""
    block = "\n".join([*utterances, ""])
    if block.count("\n") != len(utterances):
        block = "\n".join([utterance.replace("\n", " ") for utterance in utterances] + [""])
    return block.encode()


def _read_columns(references: Column, predictions: Column, reading: Reading) -> tuple[Segmentation, Segmentation]:
    form = Form.of(references)
    if form not in (WORD_LISTS, LABEL_LISTS) or Form.of(predictions) != form:
        raise TypeError
    check_form(form, reading)
    reading.check_formats(["labels" if reading.label_scheme is not None else LISTS])
    trouble = Trouble(reading)
    trouble.collect_signs(references)
    trouble.collect_signs(predictions)
    trouble.reject_tags()
    read = reader_for(form, reading)
    return read(references.chunk(0)), read(predictions.chunk(0))
