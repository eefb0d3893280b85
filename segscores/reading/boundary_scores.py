"""Boundary scores: a segmenter's score for each gap, checked against the utterances.

An utterance of N units has N − 1 inner gaps, each with a finite score (a logit, a probability), higher where a boundary is more
likely. Under a label scheme it has one score per unit instead: its score as the start or the end of a word. Then the score of the
first unit (start) or of the last (end) belongs to no inner gap, and may be any value.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernel.arrays import Floats, Mask, Positions, first_true, start_of, starts_of
from ..options.errors import UtteranceError
from ..options.messages import Message, OptionError
from ..options.table import OPTIONS
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
        expected = 'one per inner gap (None), or one per unit, as the "start" or the "end" of a word.'
        raise OptionError(OPTIONS["label_scheme"].set(label_scheme), f": boundary scores are {expected}")


def inner_scores(units: Positions, scores: Numbers, label_scheme: str | None) -> Floats:
    """Return the scores of the inner gaps of a corpus, checked.

    `units` are the numbers of units of the utterances. `label_scheme` is a unit scheme, or None if there is a score for each gap.
    """
    lengths = scores.lengths
    if len(units) != len(lengths):
        raise ValueError(
            f"{len(units)} references and {len(lengths)} lists of boundary scores: expected one list for each reference, [] "
            f"for one without gaps."
        )
    if not len(units):
        raise ValueError("there is nothing to score: expected at least one utterance, received none.")
    expected = np.maximum(units - 1, 0) if label_scheme is None else units
    other_length = first_true(expected != lengths)
    if other_length >= 0:
        raise _length_error(other_length, int(lengths[other_length]), int(units[other_length]), label_scheme)
    values = scores.values
    is_inner = _are_inner(lengths, label_scheme)
    bad = first_true(~np.isfinite(values) & is_inner)
    if bad >= 0:
        # The score 4 of all, of utterances of 2, 0 and 3 units, is the score 2 of the utterance 2.
        ends = np.cumsum(lengths)
        utterance = int(np.searchsorted(ends, bad, side="right"))
        index = bad - start_of(ends, utterance)
        noun = "gap" if label_scheme is None else "unit"
        problem = f"the score of {noun} {index} is {float(values[bad])!r}; expected a finite number."
        hint = "" if np.isnan(values[bad]) else "Is it the logarithm of 0? Clip it, or pass probabilities."
        raise UtteranceError(utterance, problem, hint, "boundary_scores")
    if label_scheme is None:
        return values
    return values[is_inner]


def _are_inner(lengths: Positions, label_scheme: str | None) -> Mask:
    """Return which scores are of inner gaps: all, or all but that of the first or the last unit of each utterance."""
    is_inner = np.ones(int(lengths.sum()), bool)
    if label_scheme is None:
        return is_inner
    # Utterances of 2, 0 and 3 units: ends 2, 2, 5; filled 0, 2; their first units 0, 2 and last units 1, 4
    ends = np.cumsum(lengths)
    filled = np.flatnonzero(lengths)
    if label_scheme == "start":
        is_inner[starts_of(ends)[filled]] = False
    else:
        is_inner[ends[filled] - 1] = False
    return is_inner


def _length_error(utterance: int, received: int, units: int, label_scheme: str | None) -> UtteranceError:
    """Return the error that the number of received scores does not fit the units of the utterance, with a likely reason."""
    hint = "Drop padding before scoring." if received > units else ""
    if label_scheme is None:
        expected = f"expected {max(units - 1, 0)}, one for each inner gap of its {units} units."
        if received == units:
            hint = Message("Is there one per unit? Then pass ", OPTIONS["label_scheme"].set("start"), ' or "end".')
        elif received == units + 1:
            hint = "Do the scores include the two ends of the utterance? Drop those."
    else:
        expected = f"expected {units}, one for each unit."
        if received == units - 1:
            hint = Message("Is there one per inner gap? Then leave ", OPTIONS["label_scheme"], " out.")
    return UtteranceError(utterance, f"received {received} boundary scores; {expected}", hint, "boundary_scores")
