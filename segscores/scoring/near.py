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
    """Return the comparison of the same sides in which boundaries at most `tolerance` units apart are shared, as with times."""
    ends = _spread(comparison, tolerance)
    words = [np.ones(len(positions), bool) for positions in ends]
    counts = comparison.utterance_reference, comparison.utterance_prediction
    return replace(comparison, **match_boundaries(ends, counts, words, tolerance))


def inner_boundaries(comparison: Comparison, tolerance: int) -> Iterator[Positions]:
    """Return the boundaries of each side within utterances, in units; utterances are out of each other's reach."""
    counts = comparison.utterance_reference, comparison.utterance_prediction
    return (ends[~marks_last(count)] for ends, count in zip(_spread(comparison, tolerance), counts, strict=True))


def _spread(comparison: Comparison, tolerance: int) -> list[Positions]:
    """Return the ends of the words of each side in units, with utterances out of each other's reach."""
    counts = comparison.utterance_reference, comparison.utterance_prediction
    # With a tolerance of 1, each utterance begins 4 units later than it would after the shifted one before it.
    shifts = np.arange(len(counts[0])) * (2 * tolerance + 2)
    return [ends + np.repeat(shifts, count) for ends, count in zip(comparison.boundary_units(), counts, strict=True)]


def match_boundaries(
    ends: Sequence[Positions], counts: Sequence[Positions], words: Sequence[Mask], tolerance: int
) -> dict[str, Any]:
    """Return the attributes of a comparison that say which boundaries are shared, and which segments are matched."""
    # The last segment of an utterance ends at a shared boundary; of the others, those do whose end has a partner.
    is_shared = [marks_last(count) for count in counts]
    inner = [np.flatnonzero(~is_last) for is_last in is_shared]
    partners = match_nearest(ends[0][inner[0]], ends[1][inner[1]], tolerance)
    has_partner = partners >= 0
    is_shared[0][inner[0][has_partner]] = True
    is_shared[1][inner[1][partners[has_partner]]] = True
    shared = [np.flatnonzero(mask) for mask in is_shared]
    matched = words[0][shared[0]] == words[1][shared[1]]
    # The segments 0 1 3 of a side end at shared boundaries: 3 is no match, because 2 is in the same chunk.
    for indices in shared:
        matched &= np.diff(indices, prepend=-1) == 1
    utterances = np.repeat(np.arange(len(counts[0])), counts[0])[shared[0]]
    return {
        "shared_reference": shared[0],
        "shared_prediction": shared[1],
        "matched": matched,
        "utterance_shared": np.bincount(utterances, minlength=len(counts[0])),
        "utterance_matched": np.bincount(utterances[matched], minlength=len(counts[0])),
    }


def marks_last(counts: Positions) -> Mask:
    """Return which segments are the last of an utterance."""
    # Utterances of 2, 0 and 3 segments have their last segments at 1 and 4.
    marks = np.zeros(int(counts.sum()), bool)
    marks[np.cumsum(counts)[counts > 0] - 1] = True
    return marks


def match_first(first: Integers, after: Integers) -> Mask:
    """Return which items are matched if, in their order, each takes the first one of its reach that is still free.

    The ends of the reaches never decrease, so this is a maximum matching. Proof: take a maximum matching in which the first item
    has another partner or none. Give it the first one in reach. The item that had this partner can take the partner that was
    given up, because its reach ends later. So the matching stays as large.
    """
    is_matched = first < after
    items = np.flatnonzero(is_matched)
    first = first[items]
    after = after[items]
    # Reaches [0, 2) [1, 3) [5, 6): the first two compete, and the third takes its own.
    reaches_same = first[1:] < after[:-1]
    compete = np.flatnonzero(np.append(reaches_same, False) | np.append(False, reaches_same))
    free = 0
    lost = []
    for item, begin, end in zip(compete.tolist(), first[compete].tolist(), after[compete].tolist(), strict=True):
        partner = begin if begin > free else free
        if partner < end:
            free = partner + 1
        else:
            lost.append(item)
    is_matched[items[lost]] = False
    return is_matched
