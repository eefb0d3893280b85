"""Tally: the counts of a comparison, sums of counts, and the scores of a sum.

Each group counts with its own function, the token scores with `measures.basic.tally_token`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

import numpy as np

from ..kernel.arrays import Mask
from ..kernel.comparison import Comparison
from ..kernel.formulas import Tallied
from ..options.errors import warn
from ..options.messages import Message
from ..options.table import OPTIONS
from .measures.group import SKIPPED, ScoreGroup
from .measures.registry import plain_scores, undefined_keys
from .measures.statistic import Statistic
from .plan import Plan

#: The columns of every tally.
UTTERANCES = "utterances"
UNITS = "units"
# Columns of fewer utterances are summed in one call, in a third of the time; longer columns would take longer to copy.
_FEW = 1000


@dataclass
class Tally:
    """The counts of a part of a corpus."""

    #: column name → sum over the utterances, including `utterances` and `units`
    counts: dict[str, int] = field(default_factory=dict)
    statistics: dict[str, Statistic] = field(default_factory=dict)  #: by group, what it counts that is no sum

    def update(self, other: Tally) -> None:
        """Add the counts of another part of the corpus."""
        for column, count in other.counts.items():
            self.counts[column] = self.counts.get(column, 0) + count
        for name, statistic in other.statistics.items():
            if name in self.statistics:
                self.statistics[name].update(statistic)
            else:
                self.statistics[name] = statistic.copy()  # `other` stays as it is when more is added here

    def copy(self) -> Tally:
        """Return an independent tally with the same counts and types."""
        return Tally(dict(self.counts), {name: statistic.copy() for name, statistic in self.statistics.items()})

    @property
    def skipped(self) -> int:
        """The number of utterances that were left out."""
        return self.counts.get(SKIPPED, 0)

    def totals(self) -> dict[str, int]:
        """Return every count that the formulas read: the sums, and the columns of statistics, such as sizes of lexicons."""
        totals = dict(self.counts)
        for statistic in self.statistics.values():
            totals |= statistic.totals()
        return totals


def tally_columns(
    comparison: Comparison, groups: Sequence[ScoreGroup], settings: Mapping[str, Mapping[str, Any]]
) -> Tallied:
    """Return the counts of `groups` in a comparison, per utterance, including `utterances` (ones) and `units`."""
    units = comparison.reference.utterance_units
    columns: Tallied = {UTTERANCES: np.ones(len(units), np.int64), UNITS: units}
    # Groups may share columns, of which the first group's are kept. Groups that read no positions come first (False before True):
    # they count in the original comparison, so that shared columns are right where units differ, too.
    reads_positions = attrgetter("reads_positions")
    ordered = sorted(groups, key=reads_positions)
    projected = comparison
    if any(map(reads_positions, groups)):
        from ..kernel.aligned import project_boundaries

        projected = project_boundaries(comparison)
    for group in ordered:
        compared = projected if group.reads_positions else comparison
        for column, values in group.tally(compared, **settings.get(group.name, {})).items():
            if column not in columns:  # no group before it counts the same
                columns[column] = values
    return columns


def tally_comparison(comparison: Comparison, good: Mask | None, plan: Plan, *, beside: Tally | None = None) -> Tally:
    """Return the counts for the scores of a plan, summed over the utterances of a comparison.

    `good` is a mask of the compared utterances among all; None if none was left out. What depends on the reference alone may
    come from the tally of another prediction of the same reference, `beside` this one.
    """
    if plan.ignored_words is not None:
        comparison = plan.ignored_words.leave_out(comparison)
    columns = tally_columns(comparison, plan.groups, plan.settings)
    if len(columns[UTTERANCES]) < _FEW:
        # One call sums all: the columns of the tally are the rows of a table.
        counts = dict(zip(columns, np.add.reduce([*columns.values()], axis=1).tolist(), strict=True))
    else:
        counts = {column: int(values.sum()) for column, values in columns.items()}
    if plan.reading.skips:  # utterances that cannot be scored are left out
        counts[SKIPPED] = 0 if good is None else int((~good).sum())
    statistics = {}
    for group in plan.groups:
        if group.statistic is not None:
            statistic_beside = None if beside is None else beside.statistics[group.name]
            settings = plan.settings[group.name]
            statistics[group.name] = group.statistic.of(comparison, statistic_beside, **settings)
    return Tally(counts, statistics)


def score_tally(tally: Tally, plan: Plan) -> dict[str, float]:
    """Return the scores of a tally, as plain floats."""
    totals = tally.totals()
    # Nan as the value of 0/0 shows which scores are undefined. Mostly none is, and these scores are the result.
    scores = plain_scores(totals, plan.keys, math.nan)
    undefined = [key for key, score in scores.items() if math.isnan(score)]
    if undefined:
        scores = plain_scores(totals, plan.keys, plan.zero_division)
    _warn_of_scores(totals, undefined, plan)
    return scores


def warn_of_scores(plan: Plan, *totals: Mapping[str, int]) -> None:
    """Warn of scores that are 0/0 if the user did not set `zero_division`, and of a vocabulary that lacks most words.

    `totals` has the counts of each prediction.
    """
    undefined = set().union(*(undefined_keys(counts, plan.keys) for counts in totals))
    # Groups warn of counts of the reference and of lists, which are the same for all predictions: the first ones do.
    first_totals, *_ = totals
    _warn_of_scores(first_totals, [key for key in plan.keys if key in undefined], plan)


def _warn_of_scores(totals: Mapping[str, int], undefined: Sequence[str], plan: Plan) -> None:
    """Warn of what groups find in the counts, and of the scores that are undefined."""
    for group in plan.groups:
        group.warn(totals, plan.settings[group.name])
    if undefined and plan.warns_of_undefined:
        scores = "them" if len(undefined) > 1 else "it"
        problem = f"undefined (0/0), and so {plan.zero_division}: {', '.join(undefined)}. There is nothing for {scores} to count"
        warn(Message(problem, "; pass ", OPTIONS["zero_division"], ", a number in [0, 1] or nan, to choose the value."))
