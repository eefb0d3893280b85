"""Tallies of two sides, for tests of what is counted."""

from __future__ import annotations

from typing import Any

from segscores.scoring.options import Plan
from segscores.scoring.pipeline import Tally
from segscores.scoring.utterance_tally import UtteranceTally
from segscores.sources.passes import sum_tallies, tally_each, with_window_size
from segscores.sources.sides import sides_of


def tally_columns(references: Any, predictions: Any, plan: Plan) -> Tally:
    sides = sides_of(plan.reading, references, predictions)
    return sum_tallies(sides, with_window_size(sides[0], plan)[0])[0][0]


def tally_utterances(references: Any, predictions: Any, plan: Plan) -> UtteranceTally:
    """The naive equivalent tallies every utterance by itself."""
    sides = sides_of(plan.reading, references, predictions)
    return tally_each(sides, with_window_size(sides[0], plan)[0])[0][0]
