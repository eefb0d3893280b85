"""Bands of numbers, such as ages, between edges that the user chooses.

Conventions
-----------
- A band begins at its lower edge and ends before its upper edge. The first band has all numbers below the first edge, and the
  last one all numbers from the last edge on.
- Where all numbers and edges are whole, a band is named by its first and last number.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ..kernel.arrays import Floats, Positions
from ..options.errors import UtteranceError
from ..options.messages import OptionError
from ..options.quoting import shortened
from ..options.table import OPTIONS


def check_edges(edges: Sequence[float]) -> tuple[float, ...]:
    """Return the edges of bands, which must rise."""
    checked: tuple[float, ...] = OPTIONS["bands"].check(edges)
    if not checked or any(after <= before for before, after in pairwise(checked)):
        raise OptionError(OPTIONS["bands"].set(checked), ": expected numbers in rising order, such as 12,18,24.")
    return checked


def numbers_of(values: Sequence[str]) -> Floats:
    """Return the numbers that the values of utterances are; raise an error for the first that is none."""
    numbers = np.zeros(len(values))
    for at, value in enumerate(values):
        try:
            numbers[at] = float(value)
        except ValueError:
            numbers[at] = np.nan
        if not np.isfinite(numbers[at]):
            problem = f"received {shortened(value)}; bands are of numbers: expected one for each utterance."
            raise UtteranceError(at, problem, side="by")
    return numbers


def divide_by_edges(numbers: Floats, edges: Sequence[float]) -> tuple[list[str], Positions]:
    """Return the names of the bands that have numbers, and the band of each number.

    >>> divide_by_edges(np.array([11.0, 12.0, 30.0, 17.0]), [12, 18, 24])
    (['<12', '12-17', '24+'], array([0, 1, 2, 1]))
    >>> divide_by_edges(np.array([0.5, 1.5, 2.0]), [1, 2])
    (['<1', '1-<2', '2+'], array([0, 1, 2]))
    """
    occurring, members = np.unique(np.searchsorted(edges, numbers, side="right"), return_inverse=True)
    are_whole = not (numbers % 1).any() and not any(edge % 1 for edge in edges)
    names = [_name_of(at, edges, are_whole=are_whole) for at in occurring.tolist()]
    return names, members


def _name_of(at: int, edges: Sequence[float], *, are_whole: bool) -> str:
    if at == 0:
        return f"<{edges[0]:g}"
    low = edges[at - 1]
    if at == len(edges):
        return f"{low:g}+"
    high = edges[at]
    if not are_whole:
        return f"{low:g}-<{high:g}"
    if high - low == 1:
        return f"{low:g}"
    return f"{low:g}-{high - 1:g}"
