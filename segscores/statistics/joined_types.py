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
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..kernel import arrow_functions as pc
from ..kernel.parallel import map_in_order
from ..scoring.utterance_tally import PREDICTION, REFERENCE, TypeIncidence, UtteranceTally, join_types

#: A bit for each system and for the reference stand in 64.
MOST_SYSTEMS = 62

# Entries of all systems that are sorted at a time: they stay in the processor's cache.
_ENTRIES_AT_ONCE = 1 << 17


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
        systems: how many there are.
    """

    types: Any
    ends: npt.NDArray[np.int64]
    ids: npt.NDArray[np.int32]
    sides: npt.NDArray[Any]
    systems: int

    def pair(self, first: int, second: int) -> TypeIncidence:
        """The incidence of the reference (REFERENCE) and two systems (PREDICTION, and PREDICTION << 1)."""
        sides = (self.sides & REFERENCE).astype(np.uint8)
        for place, index in enumerate((first, second)):
            sides |= (self.sides & system_bit(index) > 0).astype(np.uint8) << (1 + place)
        kept = np.flatnonzero(sides)
        return TypeIncidence(self.types, np.searchsorted(kept, self.ends), self.ids[kept], sides[kept])

    def agreed(self) -> npt.NDArray[np.bool_]:
        """The types that all systems have in one and the same row, bool (n_types,)."""
        all_systems = system_bit(self.systems) - system_bit(0)
        return self.present(self.sides & all_systems == all_systems)

    def in_reference(self) -> npt.NDArray[np.bool_]:
        """The types of the reference, bool (n_types,)."""
        return self.present(self.sides & REFERENCE > 0)

    def present(self, entries: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """The types that some entries have, bool (n_entries,); bool (n_types,)."""
        found = np.zeros(len(self.types), bool)
        found[self.ids[entries]] = True
        return found

    def take(self, chosen: npt.NDArray[np.bool_]) -> JoinedTypes:
        """The entries of some types, bool (n_types,)."""
        kept = np.flatnonzero(chosen[self.ids])
        ids = (np.cumsum(chosen, dtype=np.int32) - 1)[self.ids[kept]]
        places = np.flatnonzero(chosen)
        types = pc.take(self.types, pa.Array.from_buffers(pa.int64(), len(places), [None, pa.py_buffer(places)]))
        return JoinedTypes(types, np.searchsorted(kept, self.ends), ids, self.sides[kept], self.systems)


def join_systems(tallies: Sequence[UtteranceTally]) -> JoinedTypes:
    """Join the types of systems of the same reference, each cluster's united.

    Args:
        tallies: at most MOST_SYSTEMS, of the same utterances, in the same clusters.

    Returns:
        The naive equivalent goes through the utterances of all tallies and keeps, in a dict from cluster and word, the sides
        that have it.

    Raises:
        ValueError: too many systems, or references that have different words; the message has the utterance.
    """
    if len(tallies) > MOST_SYSTEMS:
        raise ValueError(
            f"type scores of {len(tallies)} systems: expected at most {MOST_SYSTEMS}; leave some systems or the type scores out."
        )
    incidences = [_types_of(tally) for tally in tallies]
    types, new_ids = join_types(incidences)
    _check_references(incidences, new_ids, len(types))
    width = max(1, len(types))
    clusters, count = tallies[0].clusters, tallies[0].cluster_count
    rows = np.arange(count) if clusters is None else clusters

    def join_some(part: tuple[int, int]) -> tuple[npt.NDArray[np.int64], npt.NDArray[Any]]:
        """The entries of some utterances, as row · width + type, and their sides."""
        start, stop = part
        entries = []
        for index, (incidence, new) in enumerate(zip(incidences, new_ids, strict=True)):
            before = int(incidence.ends[start - 1]) if start else 0
            ends = incidence.ends[start:stop]
            some = slice(before, int(ends[-1]))
            # Entry, system and side in one number, so that one sort groups the entries of all systems.
            keys = np.repeat(rows[start:stop] * width, np.diff(ends, prepend=before)) + new[incidence.ids[some]]
            entries.append(keys << 8 | index << 2 | incidence.sides[some])
        keys = np.concatenate(entries)
        keys.sort()
        bits = (keys & REFERENCE) | (keys & PREDICTION) << (keys >> 2 & 63)
        keys >>= 8
        firsts = np.flatnonzero(np.diff(keys, prepend=-1))
        sides = np.bitwise_or.reduceat(bits, firsts) if len(firsts) else bits
        return keys[firsts], sides.astype(np.min_scalar_type(PREDICTION << len(tallies)))

    parts = list(map_in_order(join_some, _parts_of(incidences, clusters)))
    keys, sides = (np.concatenate(values) for values in zip(*parts, strict=True))
    owners, joined = np.divmod(keys, width)
    ends = np.cumsum(np.bincount(owners, minlength=count))
    return JoinedTypes(types, ends, joined.astype(np.int32), sides, len(tallies))


def _parts_of(incidences: Sequence[TypeIncidence], clusters: npt.NDArray[np.int64] | None) -> list[tuple[int, int]]:
    """The first and the last utterance but one of parts that can be joined apart: no cluster is in two."""
    count = len(incidences[0].ends)
    totals = np.sum([incidence.ends for incidence in incidences], axis=0)
    cuts = np.searchsorted(totals, np.arange(_ENTRIES_AT_ONCE, int(totals[-1]), _ENTRIES_AT_ONCE))
    if clusters is not None:
        steps = np.diff(clusters)
        changes = np.flatnonzero(steps) + 1 if (steps >= 0).all() else np.zeros(0, np.int64)
        places = np.searchsorted(changes, cuts)
        cuts = changes[places[places < len(changes)]]
    bounds = np.unique(np.concatenate(([0], cuts, [count]))).tolist()
    return list(pairwise(bounds))


def _types_of(tally: UtteranceTally) -> TypeIncidence:
    if tally.types is None:
        raise ValueError("the tally has no types: name the group 'type' when it is made.")
    return tally.types


def _check_references(
    incidences: Sequence[TypeIncidence], new_ids: Sequence[npt.NDArray[np.int32]], count: int
) -> None:
    """Check that all systems have the same words in the reference.

    Raises:
        ValueError: they have not.
    """
    # The types of an utterance are known by the sum of their random numbers, modulo 2⁶⁴.
    numbers = np.random.default_rng(0).integers(0, 1 << 64, count, np.uint64)
    first = None
    for incidence, new in zip(incidences, new_ids, strict=True):
        running = np.concatenate(
            ([np.uint64(0)], np.cumsum(numbers[new][incidence.ids] * (incidence.sides & REFERENCE)))
        )
        sums = np.diff(running[incidence.ends], prepend=np.uint64(0))
        first = sums if first is None else first
        if not np.array_equal(first, sums):
            raise_other_reference(int(np.argmax(first != sums)), "words")


def raise_other_reference(utterance: int, what: str) -> None:
    """Raise the error of two systems whose references differ.

    Raises:
        ValueError: always.
    """
    raise ValueError(
        f"utterance {utterance}: the references of the baseline and of the system differ ({what}); expected predictions for "
        f"the same reference."
    )
