"""Near: boundaries that are shared where they are at most a tolerance apart, one to one, in text and in recordings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..kernel.arrays import Integers, Mask, Positions
from ..kernel.comparison import Comparison
from ..kernel.nearest import match_nearest


def compare_within(comparison: Comparison, tolerance: int) -> Comparison:
    """Return the comparison in which boundaries at most `tolerance` units apart are shared, as in recordings."""
    ends = _spread(comparison, tolerance)
    # In text every segment is a word.
    are_words = [np.ones(len(ends_of_side), bool) for ends_of_side in ends]
    counts = comparison.utterance_reference, comparison.utterance_prediction
    return replace(comparison, **match_boundaries(ends, counts, are_words, tolerance))


def inner_boundaries(comparison: Comparison, tolerance: int) -> Iterator[Positions]:
    """Return the boundaries of each side within utterances, in units; `_spread` moves utterances out of each other's reach."""
    counts = comparison.utterance_reference, comparison.utterance_prediction
    for ends, word_counts in zip(_spread(comparison, tolerance), counts, strict=True):
        yield ends[~marks_last(word_counts)]


def _spread(comparison: Comparison, tolerance: int) -> list[Positions]:
    """Return the ends of the words of each side in units, with utterances moved apart, out of each other's reach.

    The reach of a boundary is `tolerance` to its left and to its right.
    """
    counts = comparison.utterance_reference, comparison.utterance_prediction
    # The reaches of two boundaries do not meet if more than twice the tolerance is between them. With a tolerance of 1, utterance
    # 0 stays, utterance 1 is moved by 4 units, and utterance 2 by 8.
    shifts = np.arange(len(comparison.utterance_reference)) * (2 * tolerance + 2)
    spread = []
    for ends, word_counts in zip(comparison.boundary_units(), counts, strict=True):
        spread.append(ends + np.repeat(shifts, word_counts))
    return spread


def match_boundaries(
    ends: Sequence[Positions], counts: Sequence[Positions], are_words: Sequence[Mask], tolerance: int
) -> dict[str, Any]:
    """Return the attributes of a comparison that say which boundaries are shared, and which segments are matched.

    Args:
        ends: the ends of the segments of the reference and of the prediction; utterances are out of each other's reach.
        counts: for each side, the number of segments of each utterance.
        are_words: for each side, which segments are words; others are silence.
        tolerance: the largest distance of boundaries that are shared.
    """
    reference_ends, prediction_ends = ends
    reference_counts, prediction_counts = counts
    words_of_reference, words_of_prediction = are_words
    # Both sides share the end of an utterance, where its last segment ends. The other ends, which are inner ones, are shared if
    # they have a partner.
    is_shared_in_reference = marks_last(reference_counts)
    is_shared_in_prediction = marks_last(prediction_counts)
    inner_in_reference = np.flatnonzero(~is_shared_in_reference)
    inner_in_prediction = np.flatnonzero(~is_shared_in_prediction)
    # For each inner end of the reference the index of its partner among the inner ends of the prediction, or -1.
    partners = match_nearest(reference_ends[inner_in_reference], prediction_ends[inner_in_prediction], tolerance)
    has_partner = partners >= 0
    is_shared_in_reference[inner_in_reference[has_partner]] = True
    is_shared_in_prediction[inner_in_prediction[partners[has_partner]]] = True
    shared_reference = np.flatnonzero(is_shared_in_reference)
    shared_prediction = np.flatnonzero(is_shared_in_prediction)
    # A word matches a word, and silence matches silence.
    matched = words_of_reference[shared_reference] == words_of_prediction[shared_prediction]
    # A match also begins at a shared boundary on both sides, where the segment before it ends. If the segments 0 1 3 of a side
    # end at shared boundaries, 3 is no match, because 2 does not. -1 stands for the start of the text, which is shared.
    for indices in (shared_reference, shared_prediction):
        matched &= np.diff(indices, prepend=-1) == 1
    utterance_count = len(reference_counts)
    # The utterance of each shared boundary.
    utterances = np.repeat(np.arange(utterance_count), reference_counts)[shared_reference]
    return {
        "shared_reference": shared_reference,
        "shared_prediction": shared_prediction,
        "matched": matched,
        "utterance_shared": np.bincount(utterances, minlength=utterance_count),
        "utterance_matched": np.bincount(utterances[matched], minlength=utterance_count),
    }


def marks_last(counts: Positions) -> Mask:
    """Return which segments are the last of an utterance."""
    # Utterances of 2, 0 and 3 segments have their last segments at 1 and 4.
    marks = np.zeros(int(counts.sum()), bool)
    marks[np.cumsum(counts)[counts > 0] - 1] = True
    return marks


def match_first(first: Integers, after: Integers) -> Mask:
    """Return which items are matched if, in their order, each takes the first partner in its reach that is still free.

    The reach of an item is from its value in `first` to before its value in `after`, indices of possible partners. Neither
    decreases from item to item, so this is a maximum matching. Proof: take a maximum matching in which the first item has another
    partner or none. Give it the first one in reach. The item that had this partner can take the partner that was given up,
    because its reach ends no earlier. So the matching stays as large.
    """
    # Items with an empty reach are not matched. The arrays below are of the others.
    is_matched = first < after
    items = np.flatnonzero(is_matched)
    starts = first[items]
    stops = after[items]
    # Reaches [0, 2) [1, 3) [5, 6): the first two compete, and the third takes its own.
    overlaps_next = starts[1:] < stops[:-1]
    competing = np.flatnonzero(np.append(overlaps_next, False) | np.append(False, overlaps_next))
    first_free = 0
    losers = []
    for item, start, stop in zip(
        competing.tolist(), starts[competing].tolist(), stops[competing].tolist(), strict=True
    ):
        # The first of its reach that is free; `max` takes longer in this loop.
        partner = start if start > first_free else first_free
        if partner < stop:
            first_free = partner + 1
        else:
            losers.append(item)
    is_matched[items[losers]] = False
    return is_matched
