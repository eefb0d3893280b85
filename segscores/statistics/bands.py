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
    """Return the values of utterances as numbers; raise an error for the first value that is no finite number."""
    numbers = np.zeros(len(values))
    for utterance, value in enumerate(values):
        try:
            numbers[utterance] = float(value)
        except ValueError:
            numbers[utterance] = np.nan
        if not np.isfinite(numbers[utterance]):
            problem = f"received {shortened(value)}; bands are of numbers: expected one for each utterance."
            raise UtteranceError(utterance, problem, side="by")
    return numbers


def divide_by_edges(numbers: Floats, edges: Sequence[float]) -> tuple[list[str], Positions]:
    """Return the names of the bands that have numbers, and the band of each number.

    >>> divide_by_edges(np.array([11.0, 12.0, 30.0, 17.0]), [12, 18, 24])
    (['<12', '12-17', '24+'], array([0, 1, 2, 1]))
    >>> divide_by_edges(np.array([0.5, 1.5, 2.0]), [1, 2])
    (['<1', '1-<2', '2+'], array([0, 1, 2]))
    """
    # With the edges 12, 18 and 24 the bands are 0 below 12, 1 and 2 between edges, and 3 from 24 on.
    bands = np.searchsorted(edges, numbers, side="right")
    occurring, members = np.unique(bands, return_inverse=True)
    are_whole = not (numbers % 1).any() and not any(edge % 1 for edge in edges)
    names = [_name_of(band, edges, are_whole=are_whole) for band in occurring.tolist()]
    return names, members


def _name_of(band: int, edges: Sequence[float], *, are_whole: bool) -> str:
    """Return the name of a band; `are_whole` says that all numbers and edges are whole.

    >>> [_name_of(band, [12, 18], are_whole=True) for band in range(3)]
    ['<12', '12-17', '18+']
    """
    # Band 0 is below the first edge; band 1 begins at the first edge, and the last band at the last one.
    if band == 0:
        return f"<{_shown(edges[0])}"
    low = edges[band - 1]
    if band == len(edges):
        return f"{_shown(low)}+"
    high = edges[band]
    if not are_whole:
        return f"{_shown(low)}-<{_shown(high)}"
    is_one_number = high - low == 1
    if is_one_number:
        return _shown(low)
    return f"{_shown(low)}-{_shown(high - 1)}"


def _shown(edge: float) -> str:
    """Return an edge with all its digits, so that different bands have different names.

    >>> _shown(18.0), _shown(20261129), _shown(0.12345678)
    ('18', '20261129', '0.12345678')
    """
    return str(edge).removesuffix(".0")
