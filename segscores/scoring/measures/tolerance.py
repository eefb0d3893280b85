"""Tolerance: boundaries that are found at their position or near it.

Conventions
-----------
- Boundaries are within an utterance, as in the group `boundary_noedge`. Positions count units.
- A reference boundary and a predicted one of the same utterance are in reach of each other if they are at most `tolerance` units
  apart. Boundaries in reach are matched one to one: the matched count is the size of a maximum matching. With a tolerance of 0
  all counts equal the counts of `boundary_noedge`; but where the units differ (`on_mismatch="align"`), a boundary needs a place
  among the reference's units, which only one of the two around an invented word has.

Scorers of speech segmentation differ in how they treat a boundary in reach of two others (Strgar & Harwath 2022,
arXiv:2211.01461). Some count every boundary that has another in reach, without a one-to-one matching; their precision
and recall are never lower than here.

Sources
-------
Speech segmentation, with reaches in ms: Räsänen, Laine & Altosaar (2009), Interspeech, pp. 1851-1854.
The same matching, with times in place of units: `mir_eval.segment.detection` (with `trim=True`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...kernel.arrays import sum_by_utterance
from ...kernel.comparison import Comparison
from ...kernel.formulas import Counts, Tallied
from ...kernel.nearest import reaches
from ...options.messages import OptionError
from ...options.table import OPTIONS
from ..near import inner_boundaries, match_first
from .group import precision_recall_fscore_group


def tally_tolerance(comparison: Comparison, *, tolerance: float) -> Tallied:
    """Count boundaries within an utterance, matched one to one within a tolerance.

    The naive equivalent gives each reference boundary, from left to right, the first predicted boundary in reach that
    is still free. That is a maximum matching (`match_first`).
    """
    units = int(tolerance)  # of text it is a whole number: see `check_tolerance`
    reference, prediction = inner_boundaries(comparison, units)
    # An utterance of k words has k - 1 boundaries, and a blank one none. A projected prediction is blank where the reference is.
    is_filled = comparison.utterance_reference > 0
    reference_counts = comparison.utterance_reference - is_filled
    prediction_counts = comparison.utterance_prediction - is_filled
    first_in_reach, after_reach = reaches(reference, prediction, units)
    matched = sum_by_utterance(match_first(first_in_reach, after_reach), reference_counts)
    return Counts(matched=matched, predicted=prediction_counts, reference=reference_counts).columns("tolerance")


def check_tolerance(values: Mapping[str, Any]) -> None:
    """Check that the tolerance of text among the values of options is a number of units."""
    tolerance = values["tolerance"]
    is_in_units = tolerance is None or isinstance(tolerance, int)
    if not is_in_units:
        problem = f": expected a whole number of units, received {tolerance}; seconds are for "
        raise OptionError(OPTIONS["tolerance"], problem, OPTIONS["text_format"].set("times"), ".")


GROUP = precision_recall_fscore_group(
    "tolerance",
    title="boundaries within a tolerance",
    heading="Boundary {} (within a tolerance)",
    definition="Boundaries without edges, in a maximum one-to-one matching of boundaries at most `tolerance` units apart.",
    source="speech segmentation; Räsänen et al. (2009)",
    tally=tally_tolerance,
    reads_positions=True,
    equal_to="mir_eval.segment.detection",
)
