"""Mismatch: what happens to utterances whose units differ: an error that says where and why, or they are left out, or aligned."""

from __future__ import annotations

import numpy as np

from ..kernel.arrays import Mask
from ..kernel.comparison import Comparison, compare_same, find_mismatches
from ..kernel.segmentation import Segmentation, select_utterances


def compare_by_rule(
    reference: Segmentation, prediction: Segmentation, on_mismatch: str
) -> tuple[Comparison, Mask | None]:
    """Compare a prediction with a reference, with the value of the option `on_mismatch` for utterances whose units differ.

    Also return a mask of the compared utterances among all: bool (n_utterances,), or None if all are. An UtteranceError names the
    first utterance and unit that differ.

    >>> from segscores.reading.readers import from_words_text
    >>> sides = from_words_text(b"the dog\\nis on\\n"), from_words_text(b"thedog\\nisnt on\\n")
    >>> both, is_compared = compare_by_rule(*sides, "skip")
    >>> both.utterance_reference, is_compared
    (array([2]), array([ True, False]))
    >>> compare_by_rule(*sides, "align")[0].utterance_matched
    array([0, 1])
    """
    mismatches = find_mismatches(reference, prediction)
    if not mismatches.any():
        return compare_same(reference, prediction), None
    from ..kernel.aligned import compare_aligned
    from .diagnosis import mismatch_error, warn_of_marks

    first = int(np.argmax(mismatches))
    if on_mismatch == "error":
        raise mismatch_error(reference, prediction, first)
    warn_of_marks(reference, prediction, first)
    if on_mismatch == "align":
        return compare_aligned(reference, prediction, mismatches), None
    same = ~mismatches
    return compare_same(select_utterances(reference, same), select_utterances(prediction, same)), same


def compare_segmentations(reference: Segmentation, prediction: Segmentation) -> Comparison:
    """Compare a prediction with a reference over the same units; other units are an `UtteranceError`."""
    return compare_by_rule(reference, prediction, "error")[0]
