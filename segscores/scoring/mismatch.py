"""Mismatch: what happens to utterances whose units differ: an error that says where and why, or they are aligned, or left out."""

from __future__ import annotations

import numpy as np

from ..kernel.arrays import Mask
from ..kernel.comparison import Comparison, compare_same, find_mismatches
from ..kernel.segmentation import Segmentation, select_utterances


def compare_segmentations(reference: Segmentation, prediction: Segmentation) -> Comparison:
    """Compare a prediction with a reference over the same units; an UtteranceError names the first place with another unit."""
    mismatches = find_mismatches(reference, prediction)
    if mismatches.any():
        from .diagnosis import mismatch_error

        first_mismatch = int(np.argmax(mismatches))
        raise mismatch_error(reference, prediction, first_mismatch)
    return compare_same(reference, prediction)


def align_segmentations(reference: Segmentation, prediction: Segmentation) -> Comparison:
    """Compare a prediction with a reference, and align the units of utterances in which they differ.

    >>> from segscores.reading.readers import from_words_text
    >>> sides = from_words_text(b"the dog\\nis on\\n"), from_words_text(b"thedog\\nisnt on\\n")
    >>> align_segmentations(*sides).utterance_matched
    array([0, 1])
    """
    mismatches = find_mismatches(reference, prediction)
    if not mismatches.any():
        return compare_same(reference, prediction)
    from ..kernel.aligned import compare_aligned
    from .diagnosis import warn_of_marks

    first_mismatch = int(np.argmax(mismatches))
    warn_of_marks(reference, prediction, first_mismatch)
    return compare_aligned(reference, prediction, mismatches)


def compare_matching(reference: Segmentation, prediction: Segmentation) -> tuple[Comparison, Mask]:
    """Compare the utterances with the same units on both sides, and return a mask of them, bool (n_utterances,).

    >>> from segscores.reading.readers import from_words_text
    >>> sides = from_words_text(b"the dog\\nis on\\n"), from_words_text(b"thedog\\nisnt on\\n")
    >>> both, is_same = compare_matching(*sides)
    >>> both.utterance_reference, is_same
    (array([2]), array([ True, False]))
    """
    is_same = ~find_mismatches(reference, prediction)
    comparison = compare_same(select_utterances(reference, is_same), select_utterances(prediction, is_same))
    return comparison, is_same
