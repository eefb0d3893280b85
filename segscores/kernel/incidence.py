"""Incidence: the things that each utterance has, such as its word types, each with a value, such as its count.

What utterances have does not add up where things are united. From the incidence follow the things of any utterances, also of
repeated ones, at a few bytes for each pair of an utterance and a thing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from . import arrow_functions as pc
from .arrays import ArrayJoiner, Floats, Mask, Positions, int64_array, last_of, lengths_of, numbers_of, starts_of
from .record import record

Values: TypeAlias = npt.NDArray[Any]
#: Return the distinct places in order, and a value for each, from the places of values, which may repeat. A place is one number
#: for an utterance and a thing (`_places`).
Combine: TypeAlias = Callable[[Positions, Values], tuple[Positions, Values]]

#: The number of pairs in a slice.
_PAIRS_AT_ONCE = 1 << 20
#: The number of things from which `IncidenceBuilder` unifies them.
_FEWEST_THINGS = 1 << 18


@record
class Incidence:
    """The things of each utterance.

    >>> words = pa.array([b"the", b"dog", b"the", b"the"], pa.large_binary())
    >>> counted = Incidence.of(words, np.array([0, 0, 1, 1]), np.ones(4, np.int64), 2, add_counts)
    >>> counted.things.to_pylist(), counted.ends.tolist(), counted.ids.tolist(), counted.values.tolist()
    ([b'the', b'dog'], [2, 3], [0, 1, 0], [1, 1, 2])
    """

    things: pa.LargeBinaryArray  #: large_binary, the distinct things, as bytes
    ends: Positions  #: int64 (n_utterances,), the number of pairs up to and including each utterance
    #: int32 (n_pairs,), the index in `things` of each pair's thing; the things of an utterance are distinct
    ids: npt.NDArray[np.int32]
    values: Values  #: (n_pairs,), the value of each pair
    combine: Combine  #: unites the values of one thing

    @classmethod
    def of(
        cls, things: pa.LargeBinaryArray, utterances: Positions, values: Values, utterance_count: int, combine: Combine
    ) -> Incidence:
        """Return the incidence of so many utterances, from each occurrence of a thing, its utterance and its value."""
        encoded = pc.dictionary_encode(things)
        places = _places(utterances, numbers_of(encoded.indices), encoded.dictionary)
        distinct_places, united_values = combine(places, values)
        return _of_places(encoded.dictionary, distinct_places, united_values, utterance_count, combine)

    @property
    def utterances(self) -> npt.NDArray[np.int32]:
        """The utterance of each pair, int32 (n_pairs,)."""
        return np.repeat(np.arange(len(self.ends), dtype=np.int32), lengths_of(self.ends))

    def sum_pairs(self, values: Values) -> Floats:
        """Sum a value of each pair by utterance, float64 (n_utterances,)."""
        return np.bincount(self.utterances, values, len(self.ends)).astype(np.float64)

    def slices(self) -> Iterator[Incidence]:
        """Yield the incidence of consecutive utterances, so that work on pairs takes little memory."""
        pair_count = len(self.ids)
        # The utterances that begin a further slice: with the ends 2 5 9 and 4 pairs at once, 1 and 2, which reach 4 and 8 pairs.
        # An utterance may reach several multiples. A set of the few cuts, as `np.unique` would import numpy.ma.
        reaching = np.searchsorted(self.ends, np.arange(_PAIRS_AT_ONCE, pair_count, _PAIRS_AT_ONCE))
        cuts = sorted(set(reaching.tolist()))
        for start, stop in pairwise([0, *cuts, len(self.ends)]):
            # With the ends 2 5 9 the utterances from 1 to before 3 have the pairs from 2 to before 9, and the ends 3 7.
            first_pair = last_of(self.ends[:start])
            stop_pair = last_of(self.ends[:stop])
            yield replace(
                self,
                ends=self.ends[start:stop] - first_pair,
                ids=self.ids[first_pair:stop_pair],
                values=self.values[first_pair:stop_pair],
            )

    def take(self, utterances: Positions) -> Incidence:
        """Return the incidence of these utterances, in this order, with their things."""
        starts = starts_of(self.ends)[utterances]
        lengths = lengths_of(self.ends)[utterances]
        ends = np.cumsum(lengths)
        # With the ends 2 5 9, the utterances 2 and 0 begin at 5 and 0, and have 4 and 2 pairs. The places of these pairs within
        # their utterances are 0 1 2 3 and 0 1, and their indexes are 5 6 7 8 and 0 1.
        places = np.arange(int(lengths.sum())) - np.repeat(starts_of(ends), lengths)
        pairs = np.repeat(starts, lengths) + places
        # Number the things that are left anew: the ids 7 3 7 are of the things 3 7, and become 1 0 1.
        old_ids, new_ids = np.unique(self.ids[pairs], return_inverse=True)
        things = self.things.take(int64_array(old_ids.astype(np.int64)))
        return replace(self, things=things, ends=ends, ids=new_ids.astype(np.int32), values=self.values[pairs])

    def unite(self, clusters: Positions, cluster_count: int) -> Incidence:
        """Return the incidence of clusters, which have the things of all their utterances.

        `clusters` has the number of the cluster of each utterance, from 0 to before `cluster_count`.
        """
        cluster_of_pairs = np.repeat(clusters, lengths_of(self.ends))
        places = _places(cluster_of_pairs, self.ids, self.things)
        distinct_places, united_values = self.combine(places, self.values)
        return _of_places(self.things, distinct_places, united_values, cluster_count, self.combine)

    def spread(self, is_present: Mask) -> Incidence:
        """Return the incidence of more utterances: these where `is_present` is True, and elsewhere utterances without things.

        `is_present` has a value for each utterance of the result.
        """
        lengths = np.zeros(len(is_present), self.ends.dtype)
        lengths[is_present] = lengths_of(self.ends)
        return replace(self, ends=np.cumsum(lengths))


def _places(utterances: Positions, ids: Values, things: pa.LargeBinaryArray) -> Positions:
    """Return one number for utterance and thing, by which one sort orders both: 2 * 10 + 7 for utterance 2 and thing 7 of 10."""
    places: Positions = utterances * max(1, len(things)) + ids
    return places


def _of_places(
    things: pa.LargeBinaryArray, places: Positions, values: Values, utterance_count: int, combine: Combine
) -> Incidence:
    """Return the incidence with a pair for each place, which are distinct and in order, with its value."""
    # With 10 things, the place 27 is the thing 7 of the utterance 2, as `_places` has it. Without things there is no place.
    utterances, ids = np.divmod(places, max(1, len(things)))
    ends = np.cumsum(np.bincount(utterances, minlength=utterance_count))
    return Incidence(things, ends, ids.astype(np.int32), values, combine)


def join_bits(places: Positions, bits: Values) -> tuple[Positions, npt.NDArray[np.uint8]]:
    """Unite the sets of each place; a set is the bits of a uint8.

    >>> join_bits(np.array([7, 3, 7]), np.array([1, 2, 2], np.uint8))
    (array([3, 7]), array([2, 3], dtype=uint8))
    """
    # One number for the place and, in its lowest 8 bits, its set, so that one sort groups the values to unite.
    keys = (places << 8) | bits
    keys.sort()
    places = keys >> 8
    sets = (keys & 0xFF).astype(np.uint8)
    firsts = _firsts(places)
    return places[firsts], _reduce(np.bitwise_or, sets, firsts)


def add_counts(places: Positions, counts: Values) -> tuple[Positions, Positions]:
    """Add up the counts of each place.

    >>> add_counts(np.array([7, 3, 7]), np.array([1, 2, 2]))
    (array([3, 7]), array([2, 3]))
    """
    order = np.argsort(places)
    places = places[order]
    firsts = _firsts(places)
    return places[firsts], _reduce(np.add, counts[order], firsts)


def _firsts(places: Positions) -> Positions:
    """Return the index of the first of each group of equal places: 0 2 3 for the sorted places 3 3 4 8 8 8."""
    return np.flatnonzero(np.diff(places, prepend=-1))


def _reduce(function: np.ufunc, values: Values, firsts: Positions) -> Values:
    """Reduce groups of values that follow each other; `firsts` has the index of the first value of each group."""
    if not len(firsts):  # `reduceat` refuses an empty array
        return values
    reduced: Values = function.reduceat(values, firsts)
    return reduced


class IncidenceBuilder:
    """A joiner of incidences of consecutive utterances, whose arrays wait until all are there."""

    def __init__(self, combine: Combine) -> None:
        self._combine = combine
        self._arrays = ArrayJoiner()
        self._pair_count = 0
        #: Tables of things, the unified one first. An id counts over all tables: with 10 things in the first table, the id 12 is
        #: the thing 2 of the second.
        self._tables: list[pa.LargeBinaryArray] = []
        #: The number of waiting arrays of ids, the first ones, whose ids are all of the first table.
        self._unified_count = 0

    def add(self, incidence: Incidence) -> None:
        """Add the next incidence."""
        self._arrays.add("ends", incidence.ends + self._pair_count)
        self._arrays.add("ids", incidence.ids + np.int32(self._count_things()))
        self._arrays.add("values", incidence.values)
        self._pair_count += len(incidence.ids)
        self._tables.append(incidence.things)
        # Unifying takes time for all things, so it waits until there are three times as many as after the last time.
        unified_table, *_ = self._tables
        if self._count_things() > max(_FEWEST_THINGS, 3 * len(unified_table)):
            self._unify()

    def _count_things(self) -> int:
        """Return the number of things in all tables, in which a thing may be repeated."""
        return sum(map(len, self._tables))

    def incidence(self) -> Incidence:
        """Return the incidence of all added utterances."""
        self._unify()
        ends = self._arrays.join("ends")
        ids = self._arrays.join("ids")
        values = self._arrays.join("values")
        self._unified_count = 1  # the joined array waits in place of the others
        things, *_ = self._tables
        return Incidence(things, ends, ids, values, self._combine)

    def _unify(self) -> None:
        """Make one table of the things. The things of the first table keep their numbers."""
        things = pa.chunked_array(self._tables)
        if len(self._tables) < 2 or not len(things):
            # One table is there already. Of tables of nothing the first is kept: Arrow 18 does not combine their dictionaries.
            self._tables = self._tables[:1]
            return
        # Tables "the" "is" and "is" "dog": the old ids 0 1 2 3 become the new ids 0 1 1 2 of the table "the" "is" "dog".
        encoded = pc.dictionary_encode(things).combine_chunks()
        new_ids = numbers_of(encoded.indices)
        waiting = self._arrays.waiting["ids"]
        waiting[self._unified_count :] = [new_ids[old_ids] for old_ids in waiting[self._unified_count :]]
        self._tables = [encoded.dictionary]
        self._unified_count = len(waiting)
        # The memory of the old tables goes back to the system.
        pa.default_memory_pool().release_unused()
