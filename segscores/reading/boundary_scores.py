"""Boundary scores: a segmenter's score for each gap, checked against the utterances.

Conventions
-----------
- An utterance of N units has N − 1 inner gaps, the positions between two neighbouring units. It has one boundary score per inner
  gap, in order. Under a label scheme it has one score per unit instead: its score as the start or the end of a word. Then the
  score of the first unit (start) or of the last (end) belongs to no inner gap, and may be any value.
- The scores of inner gaps are finite: logits, probabilities or any other numbers, higher where a boundary is more likely.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..options.errors import UtteranceError
from ..options.messages import Message, OptionError
from ..options.table import OPTIONS
from .arrays import Floats, Positions
from .numbers import Numbers, read_numbers

UNIT_SCHEMES = ("start", "end")


def read_boundary_scores(values: Any) -> Numbers:
    """Read boundary scores.

    >>> read_boundary_scores([[0.5, 2], []]).lengths
    array([2, 0])
    """
    return read_numbers(values, "boundary_scores", "inner gap")


def check_unit_scheme(label_scheme: str | None) -> None:
    """Check the option `label_scheme` of boundary scores."""
    if label_scheme is not None and label_scheme not in UNIT_SCHEMES:
        raise OptionError(
            OPTIONS["label_scheme"].set(label_scheme),
            ': boundary scores are one per inner gap (None), or one per unit, as the "start" or the "end" of a word.',
        )


def inner_scores(units: Positions, scores: Numbers, label_scheme: str | None) -> Floats:
    """Return the scores of the inner gaps of a corpus, checked."""
    lengths = scores.lengths
    if len(units) != len(lengths):
        raise ValueError(
            f"{len(units)} references and {len(lengths)} lists of boundary scores: expected one list for each reference, [] "
            f"for one without gaps."
        )
    if not len(units):
        raise ValueError("there is nothing to score: expected at least one utterance, received none.")
    expected = np.maximum(units - 1, 0) if label_scheme is None else units
    if not np.array_equal(expected, lengths):
        at = int(np.argmax(expected != lengths))
        raise _length_error(at, int(lengths[at]), int(units[at]), label_scheme)
    values = scores.values
    ends = np.cumsum(lengths)
    is_inner = np.ones(len(values), bool)
    if label_scheme is not None:
        filled = np.flatnonzero(lengths)
        is_inner[(ends - lengths)[filled] if label_scheme == "start" else ends[filled] - 1] = False
    bad = ~np.isfinite(values) & is_inner
    if bad.any():
        at = int(np.argmax(bad))
        utterance = int(np.searchsorted(ends, at, side="right"))
        index = at - int(ends[utterance] - lengths[utterance])
        place = "gap" if label_scheme is None else "unit"
        raise UtteranceError(
            utterance,
            f"the score of {place} {index} is {float(values[at])!r}; expected a finite number.",
            hint="" if np.isnan(values[at]) else "Is it the logarithm of 0? Clip it, or pass probabilities.",
            side="boundary_scores",
        )
    return values if label_scheme is None else values[is_inner]


def _length_error(utterance: int, received: int, units: int, label_scheme: str | None) -> UtteranceError:
    hint: str
    if label_scheme is None:
        expected = f"expected {max(units - 1, 0)}, one for each inner gap of its {units} units."
        hint = (
            Message("Is there one per unit? Then pass ", OPTIONS["label_scheme"].set("start"), ' or "end".')
            if received == units
            else "Do the scores include the two ends of the utterance? Drop those."
            if received == units + 1
            else ""
        )
    else:
        expected = f"expected {units}, one for each unit."
        leave_out = Message("Is there one per inner gap? Then leave ", OPTIONS["label_scheme"], " out.")
        hint = leave_out if received == units - 1 else ""
    if not hint and received > units:
        hint = "Drop padding before scoring."
    return UtteranceError(
        utterance, f"received {received} boundary scores; {expected}", hint=hint, side="boundary_scores"
    )
