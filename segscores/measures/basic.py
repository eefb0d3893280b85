"""Boundaries, tokens and true negatives: what they count."""

from __future__ import annotations

__all__ = ["tally_boundary_all", "tally_boundary_noedge", "tally_tnr", "tally_token"]

from ..kernel.comparison import Comparison
from ..kernel.formulas import Tallied


def tally_boundary_all(comparison: Comparison) -> Tallied:
    """Boundaries with both edges: an utterance of k words has k + 1, a blank one none."""
    reference, prediction = comparison.utterance_reference > 0, comparison.utterance_prediction > 0
    return {
        "boundary_all_matched": comparison.utterance_shared + (reference & prediction),
        "boundary_all_predicted": comparison.utterance_prediction + prediction,
        "boundary_all_reference": comparison.utterance_reference + reference,
    }


def tally_boundary_noedge(comparison: Comparison) -> Tallied:
    """Boundaries without edges: an utterance of k words has k − 1, a blank one none."""
    reference, prediction = comparison.utterance_reference > 0, comparison.utterance_prediction > 0
    return {
        "boundary_noedge_matched": comparison.utterance_shared - (reference & prediction),
        "boundary_noedge_predicted": comparison.utterance_prediction - prediction,
        "boundary_noedge_reference": comparison.utterance_reference - reference,
    }


def tally_token(comparison: Comparison) -> Tallied:
    """Words, matched where both sides have the same span."""
    return {
        "token_matched": comparison.utterance_matched,
        "token_predicted": comparison.utterance_prediction,
        "token_reference": comparison.utterance_reference,
    }


def tally_tnr(comparison: Comparison) -> Tallied:
    """Words, and all spans of an utterance of N units, N(N+1)/2.

    Where the units differ, a predicted word with an edit in it is a further span: it is none of the reference's units.
    """
    units = comparison.reference.utterance_units
    return tally_token(comparison) | {"token_spans": units * (units + 1) // 2 + comparison.utterance_edited}
