"""Confusion of labels: how long a label of the reference and one of the prediction are at the same place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from ..kernel.record import record
from ..reading.world import length_unit
from ..results.result import Cell, Column, Table
from ..scoring.parts import Parts
from ..scoring.plan import Plan

#: The sign of silence in a table of labels.
_SILENCE = "(silence)"
#: The most pairs of labels that a table has.
_MOST = 10


@record
class Confusion:
    """The time in which the two sides have these labels; a blank one is silence."""

    reference: str
    prediction: str
    seconds: float

    @property
    def is_confused(self) -> bool:
        """Return whether the two sides have different labels."""
        return self.reference != self.prediction


def confusion_of(parts: Sequence[Parts], names: Sequence[str], plan: Plan) -> dict[str, list[Confusion]]:
    """Return the labels that are at the same place, by the names of predictions, the longest time first; empty without parts."""
    if not parts:
        return {}
    units_a_second = length_unit(plan.reading)  # only recordings have labels, and their lengths count in seconds
    confusion = {}
    for name, of_prediction in zip(names, parts, strict=True):
        pairs = []
        for (reference, prediction), time in of_prediction.confusion.items():
            pairs.append(Confusion(reference, prediction, time / units_a_second))
        confusion[name] = sorted(pairs, key=lambda pair: (-pair.seconds, pair.reference, pair.prediction))
    return confusion


def confusion_tables(pairs: Sequence[Confusion], title: str) -> list[Table]:
    """Return a table of the longest confusions of different labels, or no table if there are none.

    `pairs` has the longest first; `title` is the name of the prediction if there are several, else empty.
    """
    confused = [pair for pair in pairs if pair.is_confused]
    if not confused:
        return []
    # The time for which the reference has each label.
    seconds_of_label: dict[str, float] = defaultdict(float)
    for pair in pairs:
        seconds_of_label[pair.reference] += pair.seconds
    rows = []
    for pair in confused[:_MOST]:
        share = pair.seconds / seconds_of_label[pair.reference]
        names = [pair.reference or _SILENCE, pair.prediction or _SILENCE]
        rows.append([*names, Cell(pair.seconds, form=".3f"), Cell(share, is_share=True)])
    predicted = f"label of {title}" if title else "predicted label"
    columns = [Column("label"), Column(predicted, is_text=True), Column("seconds"), Column("share of the label's time")]
    return [Table(columns, rows)]
