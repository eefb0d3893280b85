"""Numbering: alignments of which one side counts the segments of a bitext from 1, and the other from 0."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from ...options.errors import warn
from ...scoring.measures.bisegments import AlignedSide
from .bitexts import Bisegment


def warn_of_numbering(references: Sequence[list[Bisegment]], predictions: Sequence[list[Bisegment]]) -> None:
    """Warn if one side never has segment 0, and more bisegments would be the same if its numbers were smaller by 1."""
    lowest = (_lowest(references), _lowest(predictions))
    if lowest == (1, 0):
        # The references count from 1, or they leave segment 0 out. They count from 1 if more bisegments are the same after each
        # number is made smaller by 1.
        from_1 = "references"
        from_0 = "predictions"
        same_if_moved = _count_same(_from_0(references), predictions)
    elif lowest == (0, 1):
        from_1 = "predictions"
        from_0 = "references"
        same_if_moved = _count_same(references, _from_0(predictions))
    else:
        return
    same = _count_same(references, predictions)
    if same_if_moved > same:
        counting = f"the {from_1} count segments from 1, and the {from_0} from 0"
        counts = f"{same} bisegments are the same on both sides, and {same_if_moved} if both count from 0"
        warn(f"{counting}: {counts}. Subtract 1 from each number of the {from_1}.")


def _lowest(side: Sequence[list[Bisegment]]) -> int:
    """Return the lowest segment number of a side, of both texts; 0 if there is none."""
    bisegments = chain.from_iterable(side)
    numbers = chain.from_iterable(chain.from_iterable(bisegments))
    return min(numbers, default=0)


def _from_0(side: Sequence[list[Bisegment]]) -> list[list[Bisegment]]:
    """Return the bisegments of a side that counts from 1 with numbers that count from 0."""
    moved = []
    for bisegments in side:
        moved.append(
            [([number - 1 for number in source], [number - 1 for number in target]) for source, target in bisegments]
        )
    return moved


def _count_same(references: Sequence[list[Bisegment]], predictions: Sequence[list[Bisegment]]) -> int:
    """Count the distinct bisegments that both sides have, bitext by bitext."""
    count = 0
    for reference, prediction in zip(references, predictions, strict=True):
        count += len(AlignedSide(reference).bisegments & AlignedSide(prediction).bisegments)
    return count
