"""Lists: two small lists in memory are read, compared and counted at once.

All else (files, streams, threads, several predictions, documents, options that leave out or align, a doubt about the form, an
error) is for `map_pieces`, which names the utterance and the remedy. So this module writes no message.
"""

from __future__ import annotations

from typing import Any

from ..reading.inputs import LABELS, read_column
from ..reading.labels import from_labels
from ..reading.preparation import stages_of
from ..reading.readers import Reading, from_words_text
from ..reading.segmentation import Segmentation
from .mismatch import compare_segmentations
from .plan import Plan
from .tally import Tally, tally_comparison

#: With more utterances the threads of `map_pieces` are faster.
_MOST = 1000


def tally_lists(references: Any, predictions: Any, plan: Plan) -> tuple[Tally, Segmentation] | None:
    """Return the tally of two lists of strings, or of labels, and the reference; None where `map_pieces` must look at them.

    The naive equivalent is `sum_tallies` of their sides.
    """
    are_lists = type(references) is list and type(predictions) is list
    if not are_lists or not 0 < len(references) == len(predictions) <= _MOST:
        return None
    if plan.on_mismatch != "error" or plan.needs_window_size or not plan.reading.is_simple:
        return None
    try:
        both = [_segment(utterances, plan.reading) for utterances in (references, predictions)]
        return tally_comparison(compare_segmentations(*both), None, plan), both[0]
    except (TypeError, ValueError):
        return None


def _segment(utterances: list[Any], reading: Reading) -> Segmentation:
    if reading.label_scheme is None:
        block = "\n".join([*utterances, ""])
        if block.count("\n") != len(utterances):
            block = "\n".join([utterance.replace("\n", " ") for utterance in utterances] + [""])
        segmentation = from_words_text(block.encode())
    else:
        column = read_column(utterances, "")
        if column.type != LABELS:
            raise TypeError
        segmentation = from_labels(column.chunk(0), reading.label_scheme)
    for stage in stages_of(reading, joins_units=False):
        segmentation = stage(segmentation)
    return segmentation
