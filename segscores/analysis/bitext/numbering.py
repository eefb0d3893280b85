"""Numbering: alignments of which one side counts the segments of a bitext from 1, and the other from 0."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from ...options.errors import warn
from .bitexts import Bisegment

_ROLES = ("references", "predictions")


def warn_of_numbering(references: Sequence[list[Bisegment]], predictions: Sequence[list[Bisegment]]) -> None:
    """Warn if one side never has segment 0, and more bisegments would be the same if its numbers were smaller by 1."""
    sides = (references, predictions)
    lowest = [_lowest(side) for side in sides]
    if sorted(lowest) != [0, 1]:
        return
    from_1 = lowest.index(1)
    same = _count_same(*sides)
    moved = [_moved(side, by=low) for side, low in zip(sides, lowest, strict=True)]
    same_if_moved = _count_same(*moved)
    if same_if_moved > same:
        counting = f"the {_ROLES[from_1]} count segments from 1, and the {_ROLES[1 - from_1]} from 0"
        counts = f"{same} bisegments are the same on both sides, and {same_if_moved} if both count from 0"
        warn(f"{counting}: {counts}. Subtract 1 from each number of the {_ROLES[from_1]}.")


def _lowest(side: Sequence[list[Bisegment]]) -> int:
    bisegments = chain.from_iterable(side)
    numbers = chain.from_iterable(chain.from_iterable(bisegments))
    return min(numbers, default=0)


def _moved(side: Sequence[list[Bisegment]], *, by: int) -> list[list[Bisegment]]:
    return [[_smaller(bisegment, by) for bisegment in bisegments] for bisegments in side]


def _smaller(bisegment: Bisegment, by: int) -> Bisegment:
    source, target = bisegment
    return [number - by for number in source], [number - by for number in target]


def _count_same(references: Sequence[list[Bisegment]], predictions: Sequence[list[Bisegment]]) -> int:
    pairs = zip(references, predictions, strict=True)
    return sum(len(_distinct(reference) & _distinct(prediction)) for reference, prediction in pairs)


def _distinct(bisegments: list[Bisegment]) -> set[tuple[tuple[int, ...], tuple[int, ...]]]:
    return {(tuple(source), tuple(target)) for source, target in bisegments}
