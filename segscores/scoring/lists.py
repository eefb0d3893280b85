"""Lists: two small lists in memory are read, compared and counted at once.

All else (files, streams, threads, several predictions, documents, options that leave out or align, a doubt about the form, an
error) is for `map_pieces`, which names the utterance and the remedy. So this module writes no message.
"""

from __future__ import annotations

from typing import Any

from ..reading.inputs import LABELS, TEXT, read_column
from ..reading.preparation import stages_of
from ..reading.readers import check_form, reader_for
from .mismatch import compare_segmentations
from .plan import Plan
from .tally import Tally, tally_comparison

#: With more utterances the threads of `map_pieces` are faster.
_MOST = 1000


def tally_lists(references: Any, predictions: Any, plan: Plan) -> Tally | None:
    """Return the tally of two lists of strings, or of labels; None where `map_pieces` must look at them.

    The naive equivalent is `sum_tallies` of their sides.
    """
    are_lists = type(references) is list and type(predictions) is list
    if not are_lists or not 0 < len(references) == len(predictions) <= _MOST:
        return None
    if plan.on_mismatch != "error" or plan.needs_window_size or not plan.reading.is_simple:
        return None
    try:
        columns = read_column(references, "references"), read_column(predictions, "predictions")
        form = columns[0].type
        if form not in (TEXT, LABELS) or columns[1].type != form:
            return None
        check_form(form, plan.reading)
        reader, stages = reader_for(form, plan.reading), stages_of(plan.reading, joins_units=False)
        both = [reader(column.chunk(0)) for column in columns]
        for stage in stages:
            both = [stage(side) for side in both]
        return tally_comparison(compare_segmentations(*both), None, plan)
    except (TypeError, ValueError):
        return None
