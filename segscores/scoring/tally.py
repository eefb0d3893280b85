"""Tally: the counts of a comparison, which add up over the parts of a corpus.

Counts of utterances are added; the two lexicons are sets and are merged. The tally of a corpus is the sum of the
tallies of its parts, such as chunks of a file, batches or processes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ..kernel.comparison import Comparison
from ..kernel.formulas import Tallied
from ..kernel.lexicon import Lexicon
from ..kernel.mismatch import project_boundaries
from ..measures.group import ScoreGroup
from .options import Plan

# The columns of fewer utterances than this are summed together, in a third of the time; of many, copying them takes longer.
_FEW = 1000


@dataclass
class Tally:
    """The counts of a part of a corpus.

    Attributes:
        counts: column name → sum over the utterances, including `utterances` and `units`.
        reference_lexicon, prediction_lexicon: the word types of each side; None if no group reads them.
    """

    counts: dict[str, int] = field(default_factory=dict)
    reference_lexicon: Lexicon | None = None
    prediction_lexicon: Lexicon | None = None

    def update(self, other: Tally) -> None:
        """Add the counts of another part of the corpus."""
        for column, count in other.counts.items():
            self.counts[column] = self.counts.get(column, 0) + count
        for side in ("reference_lexicon", "prediction_lexicon"):
            theirs: Lexicon | None = getattr(other, side)
            if theirs is not None:
                if getattr(self, side) is None:
                    setattr(self, side, Lexicon())
                getattr(self, side).update(theirs)

    def copy(self) -> Tally:
        """An independent tally with the same counts and types."""
        lexicons = (self.reference_lexicon, self.prediction_lexicon)
        return Tally(dict(self.counts), *(None if lexicon is None else lexicon.copy() for lexicon in lexicons))

    @property
    def skipped(self) -> int:
        """How many utterances `on_mismatch="skip"` left out."""
        return self.counts.get("skipped_utterances", 0)

    def totals(self) -> dict[str, int]:
        """Every count that the formulas read: the sums, and the sizes of the lexicons and of their intersection."""
        totals = dict(self.counts)
        if self.reference_lexicon is not None and self.prediction_lexicon is not None:
            totals["type_matched"] = self.reference_lexicon.count_shared(self.prediction_lexicon)
            totals["type_predicted"] = len(self.prediction_lexicon)
            totals["type_reference"] = len(self.reference_lexicon)
        return totals


def tally_columns_of(
    comparison: Comparison, groups: list[ScoreGroup], settings: Mapping[str, Mapping[str, Any]]
) -> Tallied:
    """The counts of `groups` in a comparison, per utterance.

    Args:
        settings: by group the keyword arguments of its `tally`; a group without any may be missing.

    Returns:
        int64 of shape (n_utterances,) by column, including `utterances` (ones) and `units`.
    """
    units = comparison.reference.utterance_units
    columns: Tallied = {"utterances": np.ones(len(units), np.int64), "units": units}
    projected = comparison
    if any(group.reads_positions for group in groups):
        projected = project_boundaries(comparison)
    # Groups that read the original comparison come first: their columns are also correct where the units differ.
    for group in sorted(groups, key=lambda group: group.reads_positions):
        tallied = group.tally(projected if group.reads_positions else comparison, **settings.get(group.name, {}))
        columns |= {column: values for column, values in tallied.items() if column not in columns}
    return columns


def tally_comparison(
    comparison: Comparison, kept: npt.NDArray[np.bool_] | None, plan: Plan, *, reference_lexicon: Lexicon | None = None
) -> Tally:
    """The counts for the scores of a plan, summed over the utterances of a comparison.

    Each group counts with its `tally`, the token scores with `measures.basic.tally_token`.

    Args:
        comparison, kept: the result of `pipeline.compare_sides` for a part of a corpus.
        reference_lexicon: the lexicon of the reference, if it is already known (from another prediction).
    """
    columns = tally_columns_of(comparison, plan.groups, plan.settings)
    if len(columns["utterances"]) < _FEW:
        counts = dict(zip(columns, np.add.reduce([*columns.values()], axis=1).tolist(), strict=True))
    else:
        counts = {column: int(values.sum()) for column, values in columns.items()}
    if kept is not None and "skipped_utterances" in counts:
        counts["skipped_utterances"] += int((~kept).sum())
    if not plan.needs_lexicons:
        return Tally(counts)
    if reference_lexicon is None:
        reference_lexicon = Lexicon(comparison.reference.words())
    return Tally(counts, reference_lexicon, Lexicon(comparison.prediction.words()))
