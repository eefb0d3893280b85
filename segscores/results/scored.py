"""The scores of predictions as a result: a row for each score, a column for each prediction."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..scoring.measures.group import SKIPPED
from ..scoring.measures.registry import count_name, is_share
from .result import Cell, Column, Result, Table

#: From this number on subsets are rows of a table, because their columns would not fit in a line.
_MANY = 5


@dataclass(frozen=True)
class Scored:
    """The scores of one prediction."""

    prediction: str
    scores: Mapping[str, float]
    counts: Mapping[str, int] = field(default_factory=dict)  #: by column; empty if not requested
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)  #: by key; empty if not requested
    path: str = ""  #: the path of its file, or a pattern; empty for a column of a table, and without a prediction
    undefined: Sequence[str] = ()  #: the keys of scores whose denominator is 0
    value: str = ""  #: the value that the utterances of a subset have in common; empty for the scores of all
    number: float | None = None  #: the value as a number, for pictures and order; None if it is none
    subsets: Sequence[Scored] = ()  #: the scores of subsets of the utterances

    @classmethod
    def of(cls, prediction: str, scores: Mapping[str, float], keys: Sequence[str], **others: Any) -> Scored:
        """Make the object of the scores `keys`, with their intervals, from `<key>`, `<key>_low` and `<key>_high` in `scores`.

        `others` are further attributes.
        """
        intervals = {}
        for key in keys:
            if f"{key}_low" in scores:
                intervals[key] = (scores[f"{key}_low"], scores[f"{key}_high"])
        return cls(prediction, {key: scores[key] for key in keys}, intervals=intervals, **others)

    @classmethod
    def computed_by(
        cls, prediction: str, compute: Callable[[float], Mapping[str, Any]], zero_division: float, **others: Any
    ) -> Scored:
        """Compute scores by a function of the value of 0/0, which is called twice: with `zero_division`, and with nan.

        Scores that are nan the second time are undefined.
        """
        scores = {key: float(score) for key, score in compute(zero_division).items()}
        undefined = [key for key, score in compute(math.nan).items() if math.isnan(score)]
        return cls(prediction, scores, undefined=undefined, **others)

    def with_ends(self) -> dict[str, float]:
        """Return the scores, each score with an interval followed by `<key>_low` and `<key>_high`."""
        scores = {}
        for key, value in self.scores.items():
            scores[key] = value
            if key in self.intervals:
                scores[f"{key}_low"], scores[f"{key}_high"] = self.intervals[key]
        return scores

    def named_counts(self) -> dict[str, int]:
        """Return the counts by the names that they have beside scores."""
        return {count_name(column): count for column, count in self.counts.items()}

    def score_of(self, key: str) -> float:
        """Return a score; nan if it is undefined."""
        if key in self.undefined:
            return math.nan
        return self.scores[key]

    def cell(self, key: str) -> Cell:
        """Return the cell of a score, with its interval if it has one."""
        is_defined = key not in self.undefined
        return Cell(self.scores[key], self.intervals.get(key), is_defined=is_defined, is_share=is_share(key))

    def record(self) -> dict[str, Any]:
        """Return the prediction as plain values, for JSON."""
        record: dict[str, Any] = {}
        if self.value:
            # A subset stands within the record of its prediction.
            record["value"] = self.value
        else:
            record["prediction"] = self.prediction
        if self.path:
            record["path"] = self.path
        record["scores"] = self.with_ends()
        record["undefined"] = list(self.undefined)
        if self.counts:
            record["counts"] = dict(self.counts)
            if SKIPPED in self.counts:
                record["counts"]["left_out"] = self.counts[SKIPPED]  # the old name, for one minor release
        if self.subsets:
            record["subsets"] = [subset.record() for subset in self.subsets]
        return record


def result_of(
    scored: Sequence[Scored], reference: str, signature: str = "", *, heading_of_systems: str = "prediction"
) -> Result:
    """Return the result of scores: a row for each score, for programs also for each end of an interval, then the counts.

    Subsets are columns behind their prediction, or rows if there are many; for programs every score of every subset is a row.
    `heading_of_systems` stands above the names of the predictions, or of the values of the subsets, where they are rows.
    """
    # Each of these is a column of the table.
    shown: list[Scored] = []
    for whole in scored:
        shown += [whole, *whole.subsets]
    # The columns of the subsets of the only prediction need not name it.
    is_alone = len(scored) == 1
    names = [_column_name(column_scored, is_alone=is_alone) for column_scored in shown]
    columns: list[str | Column] = [Column("score", has_keys=True), *names]
    # All predictions have the same scores, counts and subsets.
    first, *_ = scored
    rows_of_scores = [[key, *(column_scored.cell(key) for column_scored in shown)] for key in first.scores]
    counts_of_columns = [column_scored.named_counts() for column_scored in shown]
    rows_of_counts = [[name, *(counts.get(name) for counts in counts_of_columns)] for name in first.named_counts()]
    table = Table(columns, [*rows_of_scores, *rows_of_counts], heading_of_systems, is_wide=len(first.subsets) >= _MANY)
    has_subsets = len(shown) > len(scored)
    if has_subsets:
        data = _rows_of(shown)
    else:
        data = Table(columns, [*_rows_with_ends(scored), *rows_of_counts])
    record = {"reference": reference, "predictions": [whole.record() for whole in scored]}
    return Result([table], record=record, data=data, signature=signature)


def _column_name(scored: Scored, *, is_alone: bool) -> str:
    """Return the heading of a prediction or of its subset; `is_alone` says that there is one prediction."""
    if not scored.value:
        return scored.prediction
    return scored.value if is_alone else f"{scored.prediction}: {scored.value}"


def _rows_with_ends(scored: Sequence[Scored]) -> list[list[Any]]:
    """Return a row for each score and each end of an interval; the cell of a prediction without an interval is empty."""
    with_ends = [prediction.with_ends() for prediction in scored]
    rows: list[list[Any]] = []
    first, *_ = scored  # all predictions have the same scores
    for key in first.scores:
        for name in (key, f"{key}_low", f"{key}_high"):
            values = [scores.get(name) for scores in with_ends]
            is_of_a_prediction = any(name in scores for scores in with_ends)
            if is_of_a_prediction:
                rows.append([name, *values])
    return rows


def _rows_of(shown: Sequence[Scored]) -> Table:
    """Return the table for programs: a row for each score and count of each prediction, over all utterances and each subset.

    `shown` has the scores of all utterances of a prediction, then those of its subsets, and so on.
    """
    columns = ["score", "prediction", "subset", "utterances", "value", "low", "high"]
    values = [{**scored.scores, **scored.named_counts()} for scored in shown]
    # The first one, a prediction with all utterances, has all scores and counts; the number of utterances is a column.
    first_values, *_ = values
    keys = [key for key in first_values if key != count_name("utterances")]
    rows = []
    for key in keys:
        for scored, values_of_scored in zip(shown, values, strict=True):
            # A subset may lack a count.
            if key in values_of_scored:
                # Counts have no intervals: the cells of their ends are empty.
                low, high = scored.intervals.get(key, (None, None))
                utterances = scored.counts["utterances"]
                rows.append([key, scored.prediction, scored.value, utterances, values_of_scored[key], low, high])
    return Table(columns, rows)
