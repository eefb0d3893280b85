"""Boundaries with one of the two edges, and accuracy over the gaps between units: counts and formulas.

Conventions
-----------
Tools differ in the edges of an utterance that they count as boundaries. For an utterance of k words:

| group | positions | boundaries | counted so by |
|---|---|---|---|
| `boundary_all` | 0 … N | k + 1 | wordseg |
| `boundary_start` | 0 … N − 1, where a word begins | k | PyThaiNLP, attacut, DISRPT |
| `boundary_end` | 1 … N, where a word ends | k | wtpsplit |
| `boundary_noedge` | 1 … N − 1 | k − 1 | ersatz, Korean spacing |

Both sides have the edge that is counted, so `boundary_start` and `boundary_end` have equal values for the same utterances. The
names say which positions were labelled.

Accuracy is over the N − 1 gaps between neighbouring units of an utterance of N units. Most gaps are no boundaries, so a
segmenter that finds no boundary has a high accuracy.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ...kernel.comparison import WITH_ONE_EDGE, WITHOUT_EDGES, Comparison
from ...kernel.formulas import Tallied, quotients
from .basic import tally_boundaries
from .group import Key, ScoreGroup, precision_recall_fscore_group


def tally_boundary_accuracy(comparison: Comparison) -> Tallied:
    """Return the gaps between units, and the right gaps among them.

    The naive equivalent, for one utterance, is
    `sum((gap in reference) == (gap in prediction) for gap in range(1, len(units)))`, of sets of boundaries.
    """
    boundaries = comparison.boundaries(WITHOUT_EDGES)
    gaps = np.maximum(comparison.reference.utterance_units - 1, 0)
    wrong = boundaries.predicted - boundaries.matched
    missed = boundaries.reference - boundaries.matched
    return {"boundary_right": gaps - wrong - missed, "boundary_gaps": gaps}


def _group_with(edge: str, begins_or_ends: str, source: str, tools: str) -> ScoreGroup:
    """Return the group of boundaries with one edge of the utterance, which the tools compute."""
    return precision_recall_fscore_group(
        f"boundary_{edge}",
        title=f"boundaries with the {edge} edge",
        heading=f"Boundary {{}} (with the {edge})",
        definition=f"Positions at which a word {begins_or_ends}, including the {edge} of the utterance: k for k words.",
        source=source,
        tally=partial(tally_boundaries, f"boundary_{edge}", WITH_ONE_EDGE),
        needs=frozenset(),
        is_of_words=True,
        equal_to=tools,
    )


GROUPS = (
    _group_with("start", "begins", "Zeldes et al. (2019), DISRPT", "PyThaiNLP, attacut, DISRPT"),
    _group_with("end", "ends", "Minixhofer et al. (2023), wtpsplit", "wtpsplit"),
    ScoreGroup(
        name="boundary_accuracy",
        title="accuracy over gaps",
        definition="Gaps between two neighbouring units; a gap is right if both sides have a boundary there, or neither has.",
        formula="right gaps / gaps",
        source="Wicks & Post (2021), ersatz",
        columns=("boundary_right", "boundary_gaps"),
        keys={"boundary_accuracy": Key()},
        tally=tally_boundary_accuracy,
        formulas=partial(quotients, {"boundary_accuracy": ("boundary_right", "boundary_gaps")}),
        reads_positions=True,
        equal_to="ersatz, PyKoSpacing",
    ),
)
