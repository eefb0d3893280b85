"""Joined types: which word types a reference and several predictions of it have, utterance by utterance or by cluster.

Conventions
-----------
An entry is a row (an utterance, or a cluster) and a type that any side has there, with a bit for each side: REFERENCE, and
`system_bit(index)` for each system. Entries are joined once for all systems, so that the work is linear in systems.
"""

from __future__ import annotations

__all__ = ["MOST_SYSTEMS", "JoinedTypes", "join_systems", "system_bit"]

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..scoring.utterance_tally import PREDICTION, REFERENCE, TypeIncidence, UtteranceTally, join_types

#: A bit for each system and for the reference stand in 64.
MOST_SYSTEMS = 62


def system_bit(index: int) -> int:
    """The bit of a system; that of the first is PREDICTION."""
    return PREDICTION << index


@dataclass(frozen=True)
class JoinedTypes:
    """The types of the reference and of several systems.

    Attributes:
        types: the distinct words, as `TypeIncidence` has them.
        ends: int64 (n_rows,), the number of entries up to and with each row.
        ids: int32 (n_entries,), the type of each entry; ordered by row, then type.
        sides: unsigned (n_entries,), the bits of the sides.
    """

    types: Any
    ends: npt.NDArray[np.int64]
    ids: npt.NDArray[np.int32]
    sides: npt.NDArray[Any]

    def pair(self, first: int, second: int) -> TypeIncidence:
        """The incidence of the reference (REFERENCE) and two systems (PREDICTION, and PREDICTION << 1)."""
        sides = (self.sides & REFERENCE).astype(np.uint8)
        for place, index in enumerate((first, second)):
            sides |= (self.sides & system_bit(index) > 0).astype(np.uint8) << (1 + place)
        kept = np.flatnonzero(sides)
        ends = np.concatenate(([0], np.cumsum(sides > 0)))[self.ends]
        return TypeIncidence(self.types, ends, self.ids[kept], sides[kept])


def join_systems(tallies: Sequence[UtteranceTally]) -> JoinedTypes:
    """Join the types of systems of the same reference, each cluster's united.

    Args:
        tallies: at most MOST_SYSTEMS, of the same utterances, in the same clusters.

    Raises:
        ValueError: too many systems, or references that have different words; the message has the utterance.
    """
    if len(tallies) > MOST_SYSTEMS:
        raise ValueError(
            f"type scores of {len(tallies)} systems: expected at most {MOST_SYSTEMS}; leave some systems or the type scores out."
        )
    incidences = [_types_of(tally) for tally in tallies]
    types, ids = join_types(incidences)
    width = max(1, len(types))
    keys = np.zeros(0, np.int64)
    sides = np.zeros(0, np.min_scalar_type(PREDICTION << len(tallies)))
    for index, incidence in enumerate(incidences):
        new_keys = incidence.utterances.astype(np.int64) * width + ids[index]
        order = np.argsort(new_keys)
        new_sides = (incidence.sides & REFERENCE).astype(sides.dtype)
        new_sides |= (incidence.sides & PREDICTION > 0).astype(sides.dtype) * sides.dtype.type(system_bit(index))
        new_keys, new_sides = new_keys[order], new_sides[order]
        if index:
            _check_reference(keys, sides, new_keys, new_sides, width)
        keys, sides = _merged(keys, sides, new_keys, new_sides)
    rows, joined = np.divmod(keys, width)
    ends = np.cumsum(np.bincount(rows, minlength=len(tallies[0])))
    clusters = tallies[0].clusters
    found = TypeIncidence(types, ends, joined.astype(np.int32), sides)
    if clusters is not None:
        found = found.unite(clusters, tallies[0].cluster_count)
    return JoinedTypes(found.types, found.ends, found.ids, found.sides)


def _types_of(tally: UtteranceTally) -> TypeIncidence:
    if tally.types is None:
        raise ValueError("the tally has no types: name the group 'type' when it is made.")
    return tally.types


def _merged(
    keys: npt.NDArray[np.int64], sides: npt.NDArray[Any], new_keys: npt.NDArray[np.int64], new_sides: npt.NDArray[Any]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[Any]]:
    """The union of two ordered lists of entries, with the bits of both where they have the same entry."""
    both = np.concatenate((keys, new_keys))
    # Two ordered runs: the stable sort merges them.
    order = np.argsort(both, kind="stable")
    both = both[order]
    firsts = np.flatnonzero(np.diff(both, prepend=-1))
    bits = np.concatenate((sides, new_sides))[order]
    return both[firsts], np.bitwise_or.reduceat(bits, firsts) if len(firsts) else bits


def _check_reference(
    keys: npt.NDArray[np.int64],
    sides: npt.NDArray[Any],
    new_keys: npt.NDArray[np.int64],
    new_sides: npt.NDArray[Any],
    width: int,
) -> None:
    """Check that two systems have the same words in the reference.

    Raises:
        ValueError: they have not.
    """
    before, after = keys[sides & REFERENCE > 0], new_keys[new_sides & REFERENCE > 0]
    if not np.array_equal(before, after):
        differing = int(np.setxor1d(before, after)[0])
        raise_other_reference(differing // width, "words")


def raise_other_reference(utterance: int, what: str) -> None:
    """Raise the error of two systems whose references differ.

    Raises:
        ValueError: always.
    """
    raise ValueError(
        f"utterance {utterance}: the references of the baseline and of the system differ ({what}); expected predictions for "
        f"the same reference."
    )
