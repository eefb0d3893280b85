"""Unit error: the units that the prediction inserts, deletes or substitutes.

Conventions
-----------
- The edits are those of the minimal script that `kernel.edits` chooses with `on_mismatch="align"`. Equal units have no edits.
- The unit error rate is the character error rate where a unit is a character. It may exceed 1. Without reference units it is
  the number of inserted units.
- `skipped_utterances` is the number of utterances that `on_error="skip"` left out. No comparison has them, so the scoring
  adds the number.

Source
------
Levenshtein (1966), Soviet Physics Doklady 10:707-710.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...kernel.comparison import Comparison
from ...kernel.formulas import Count, Score, Tallied, as_score, error_rate
from .group import SKIPPED, UNBOUNDED, Key, ScoreGroup

#: The column of the units that the prediction inserts.
INSERTIONS = "unit_insertions"
UNIT_ERROR_COLUMNS = (INSERTIONS, "unit_deletions", "unit_substitutions", "unit_reference", SKIPPED)


def tally_unit_errors(comparison: Comparison) -> Tallied:
    """Return the edits of each utterance, which only an `AlignedComparison` has, and the units of its reference."""
    units = comparison.reference.utterance_units
    no_edits = np.zeros(len(units), np.int64)
    return {
        INSERTIONS: getattr(comparison, "insertions", no_edits),
        "unit_deletions": getattr(comparison, "deletions", no_edits),
        "unit_substitutions": getattr(comparison, "substitutions", no_edits),
        "unit_reference": units,
        # No comparison has skipped utterances: the scoring adds the number.
        SKIPPED: np.zeros_like(no_edits),
    }


def unit_error_scores(counts: Mapping[str, Count], zero_division: float) -> dict[str, Score]:
    """Compute the unit error rate (I + D + S) / N, and the number of utterances left out."""
    insertions, deletions, substitutions, reference, skipped = (counts[column] for column in UNIT_ERROR_COLUMNS)
    return {
        "unit_error_rate": error_rate(insertions + deletions + substitutions, reference, zero_division),
        SKIPPED: as_score(skipped),
    }


class _UnitErrorGroup(ScoreGroup):
    # In place of the properties.
    added_by = "on_mismatch"
    joins_any_scores = True


GROUP = _UnitErrorGroup(
    name="unit_error",
    title="differing units",
    definition='Edits of units with `on_mismatch="align"`: I insertions, D deletions and S substitutions for N reference '
    'units; and the number of utterances that `on_error="skip"` left out.',
    formula="unit_error_rate (I + D + S) / N, skipped_utterances a count",
    source="Levenshtein (1966)",
    columns=UNIT_ERROR_COLUMNS,
    keys={
        "unit_error_rate": Key(range=UNBOUNDED, better="lower"),
        SKIPPED: Key(range=UNBOUNDED, better="lower", is_share=False),
    },
    tally=tally_unit_errors,
    is_of_words=True,
    formulas=unit_error_scores,
    also_called=("cer",),
    equal_to="jiwer's cer",
)
