"""Randomisation: what two systems would score if the predictions of some utterances were exchanged between them.

Conventions
-----------
- A row is an utterance, or a cluster of them. Each trial exchanges each row with probability ½, the same rows for all pairs
  of systems, so that trials of several scores and of several pairs belong together.
- Where there are no more than n_trials ways to exchange rows, 2ⁿ of n rows, each of them is one trial and the p-value is
  exact. The trial without any exchange is among them.
- A seed fixes the trials of so many rows, in any company of systems and scores.

How
---
A trial is a bit a row, and 64 trials a word. Exchanged rows move the difference of the two systems' counts from one to the
other: the sums that moved are a product of the matrix of bits and that of the differences from the first system, in double
precision or in single where sums of integers stay below 2²⁴, so that they are exact. It is made once for all systems: what
moves between two systems is the difference of two of its columns. Equal columns are multiplied once.

The lexicon of a new system has a type where any row has it after the exchange. A type that one row alone decides is in one of
the two new lexicons, and their numbers are one more column of the product. For the others the bits of the rows are joined: the
bitwise OR says whether the one new system has the type, the AND whether the other lacks it. Of a type with more than 64 such
rows the first 64 are read: one of the new systems lacks a type in all of them in one of 2⁶³ trials.

Source
------
Noreen (1989), Computer-Intensive Methods for Testing Hypotheses. Yeh (2000), COLING, 947-953.
"""

from __future__ import annotations

__all__ = ["Trials", "randomise"]

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..kernel.formulas import Count, Score, divide
from ..kernel.parallel import map_in_order
from ..measures.registry import compute_scores
from ..scoring.utterance_tally import UtteranceTally
from .joined_types import JoinedTypes, system_bit
from .products import multiply
from .resampling import SumScores, split_keys, sum_scores

Floats: TypeAlias = npt.NDArray[np.float64]
Words: TypeAlias = npt.NDArray[np.uint64]

# Differences that are equal by the definition may differ by rounding: of quotients, and of sums of scores.
ROUNDING = 1e-12

# A stream of its own, for a caller may have drawn the utterances themselves with the same seed.
_STREAM = 0x5357

_TRIALS_A_WORD = 64
# Words of trials that a thread takes at a time, as long as they have so many bits; and rows that it multiplies at a time.
_WORDS_AT_ONCE, _CELLS_AT_ONCE, _ROWS_AT_ONCE = 16, 1 << 22, 1024
#: Sums of integers below this are exact in single precision.
_EXACT_IN_SINGLE = 1 << 24
# Rows of bits that are summed in bytes: no more fit.
_BYTE = 255
# Rows that decide on a type; see the text above.
_MOST_ENTRIES = 64


@dataclass(frozen=True)
class Trials:
    """The difference of two systems by a score, and what it is in each trial.

    Attributes:
        observed: the second system's score less the first's.
        values: float64 (n_trials,), may have nan.
        is_exact: whether the trials are all there are, the observed one among them.
    """

    observed: float
    values: Floats
    is_exact: bool

    def p_value(self) -> float:
        """The two-sided p-value: the share of trials, the observed one among them, that differ at least as much.

        nan where the score of a system is; trials with nan are left out.
        """
        if math.isnan(self.observed):
            return math.nan
        defined = self.values[~np.isnan(self.values)]
        as_large = int(np.sum(np.abs(defined) >= abs(self.observed) - ROUNDING))
        further = 0 if self.is_exact else 1
        return float(divide(further + as_large, further + len(defined), math.nan))


def randomise(
    tallies: Sequence[UtteranceTally],
    pairs: Sequence[tuple[int, int]],
    keys: Sequence[str],
    *,
    n_trials: int,
    seed: int,
    average: str,
    zero_division: float,
    joined: JoinedTypes | None = None,
    limits: Sequence[int] | None = None,
) -> list[dict[str, Trials]]:
    """The differences of pairs of systems, as they are and in each trial.

    Args:
        tallies: of the systems, with the same reference and clusters.
        pairs: the indices of two systems each.
        keys: names of scores.
        n_trials: how many; all there are where these are no more.
        seed: an integer from 0.
        average, zero_division: as in `resampling.intervals`.
        joined: the types of the tallies, in their order; needed where a key is a type score.
        limits: for each pair how many of the trials it takes, where it needs fewer; all if None. Exact trials are all taken.

    Returns:
        For each pair the trials by key. The naive equivalent exchanges predictions and scores both new systems anew.
    """
    sum_keys, type_keys = split_keys(keys, average)
    rows = tallies[0].cluster_count
    n_trials = int(n_trials)
    is_exact = rows < n_trials.bit_length()
    count = 1 << rows if is_exact else n_trials
    taken = [count if limits is None or is_exact else min(limits[place], count) for place in range(len(pairs))]
    words = -(-count // _TRIALS_A_WORD)
    at_once = max(1, min(_WORDS_AT_ONCE, _CELLS_AT_ONCE // (rows * 8)))
    of_sums = [sum_scores(tally, sum_keys, average, zero_division) for tally in tallies] if sum_keys else []
    moving = _Moving.of(of_sums, rows)
    exchanges = _TypeExchange.of_pairs(joined, pairs) if type_keys and joined is not None else []

    def try_some(start: int) -> tuple[Floats, list[npt.NDArray[np.int64] | None]]:
        drawn = _draw(rows, start, min(at_once, words - start), seed, is_exact)
        tried = [start * _TRIALS_A_WORD < limit for limit in taken[: len(exchanges)]]
        tables = [moving.table, *(each.alone for each, is_tried in zip(exchanges, tried, strict=True) if is_tried)]
        of_columns, *alone = np.split(
            _sum_exchanged(np.concatenate(tables), drawn), np.cumsum([len(t) for t in tables])
        )
        left = iter(alone)
        types = [
            each.counts(drawn, next(left)) if is_tried else None
            for each, is_tried in zip(exchanges, tried, strict=True)
        ]
        return of_columns, types

    parts = list(map_in_order(try_some, range(0, words, at_once)))
    moved = np.concatenate([sums for sums, _ in parts], axis=1)[:, :count]
    found: list[dict[str, Trials]] = []
    for place, ((first, second), limit) in enumerate(zip(pairs, taken, strict=True)):
        trials: dict[str, Trials] = {}
        if sum_keys:
            observed = _subtract(of_sums[first].scores(), of_sums[second].scores())
            differences = _subtract(*moving.scores(of_sums, first, second, moved[:, :limit]))
            trials |= _trials(observed, differences, limit, is_exact)
        if exchanges:
            of_pair = [types[place] for _, types in parts]
            sizes = np.concatenate([counts for counts in of_pair if counts is not None], axis=1)[:, :limit]
            observed = _subtract(
                *(compute_scores(side, type_keys, zero_division) for side in exchanges[place].observed())
            )
            differences = _subtract(
                *(compute_scores(side, type_keys, zero_division) for side in exchanges[place].sizes(sizes))
            )
            trials |= _trials(observed, differences, limit, is_exact)
        found.append({key: trials[key] for key in keys})
    return found


def _trials(
    observed: Mapping[str, Score], differences: Mapping[str, Score], count: int, is_exact: bool
) -> dict[str, Trials]:
    return {
        key: Trials(float(observed[key]), np.broadcast_to(np.asarray(values, np.float64), count), is_exact)
        for key, values in differences.items()
    }


def _subtract(first: Mapping[str, Score], second: Mapping[str, Score]) -> dict[str, Score]:
    return {key: second[key] - first[key] for key in second}


def _draw(rows: int, start: int, count: int, seed: int, is_exact: bool) -> Words:
    """Whether trials exchange rows, a bit for each, uint64 (n_rows, count): the trials from word `start` on."""
    if not is_exact:
        drawn = np.random.default_rng([seed, _STREAM, start]).bytes(rows * count * 8)
        return np.frombuffer(drawn, np.uint64).reshape(rows, count)
    numbers = np.arange(start * _TRIALS_A_WORD, (start + count) * _TRIALS_A_WORD)
    bits = (numbers >> np.arange(rows)[:, None]) & 1
    return np.packbits(bits.astype(np.uint8), axis=1).view(np.uint64)


def _bits(words: Words) -> npt.NDArray[np.uint8]:
    """The bits of each row, uint8 (n_rows, 64 · n_words)."""
    return np.unpackbits(np.ascontiguousarray(words).view(np.uint8), axis=1)


def _sum_exchanged(table: Floats, words: Words) -> Floats:
    """The sums over the rows that are exchanged.

    Args:
        table: float64 (n_columns, n_rows).
        words: uint64 (n_rows, n_words), the bits.

    Returns:
        float64 (n_columns, n_trials).
    """
    total = np.zeros((len(table), words.shape[1] * _TRIALS_A_WORD))
    rows = np.flatnonzero(table.any(axis=0))
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        chosen = rows[start : start + _ROWS_AT_ONCE]
        part = table[:, chosen]
        single = np.abs(part).sum(axis=1).max() < _EXACT_IN_SINGLE and (part == np.rint(part)).all()
        kind = np.float32 if single else np.float64
        total += multiply(part.astype(kind), _bits(words[chosen]).astype(kind))
    return total


@dataclass(frozen=True)
class _Moving:
    """What moves between systems.

    Attributes:
        places: for each system and column the row of `table`, except for those that are as in the first system.
        table: float64 (n_columns, n_rows), the counts less those of the first system; no two rows are equal.
    """

    places: Mapping[tuple[int, str], int]
    table: Floats

    @staticmethod
    def of(systems: Sequence[SumScores], rows: int) -> _Moving:
        places: dict[tuple[int, str], int] = {}
        columns: list[Floats] = []
        known: dict[bytes, int] = {}
        for index, system in enumerate(systems):
            for name, values in system.columns.items():
                difference = (values - systems[0].columns[name]).astype(np.float64)
                if difference.any():
                    place = known.setdefault(difference.tobytes(), len(columns))
                    if place == len(columns):
                        columns.append(difference)
                    places[index, name] = place
        return _Moving(places, np.stack(columns) if columns else np.zeros((0, rows)))

    def scores(
        self, systems: Sequence[SumScores], first: int, second: int, moved: Floats
    ) -> tuple[dict[str, Score], dict[str, Score]]:
        """The scores of two systems after the exchanges between them."""
        sides: list[dict[str, Any]] = [{}, {}]
        for name, values in systems[first].columns.items():
            change: Any = 0
            for index, sign in ((second, 1), (first, -1)):
                if (index, name) in self.places:
                    change = change + sign * moved[self.places[index, name]]
            sides[0][name] = values.sum() + change
            sides[1][name] = systems[second].columns[name].sum() - change
        return systems[first].formulas(sides[0]), systems[second].formulas(sides[1])


@dataclass(frozen=True)
class _TypeExchange:
    """The word types that change hands between two systems.

    Attributes:
        constant: int64 (4,): for each of the new systems how many types it has, of those in the reference and of all, where no
            row is exchanged: those that both have in every trial and those that a row alone decides; for the second system also
            all others, from which those that it lacks are taken.
        reference: how many types the reference has.
        before: int64 (4,), the numbers of types of the two systems as they are, those in the reference and all.
        alone: float64 (2, n_rows), by how many types the first system grows where a row is exchanged, of those in the reference
            and of all, which it alone decides.
        is_shared: which of the other types are in the reference, those of more entries first.
        steps: for the first entries of these types, then the second of those that have one, and so on: the row of each, and
            uint64 (n_entries, 1), ones where the first system has the entry in trials that do not exchange its row.
    """

    constant: npt.NDArray[np.int64]
    reference: int
    before: npt.NDArray[np.int64]
    alone: Floats
    is_shared: npt.NDArray[np.bool_]
    steps: Sequence[tuple[npt.NDArray[np.int64], Words]]

    @staticmethod
    def of_pairs(joined: JoinedTypes, pairs: Sequence[tuple[int, int]]) -> list[_TypeExchange]:
        """The exchanges between each two systems."""
        # What all systems have in a row they have in every trial of every pair.
        agreed, in_reference = joined.agreed(), joined.in_reference()
        sizes = [int((agreed & in_reference).sum()), int(agreed.sum())]
        contested, reference = joined.take(~agreed), int(in_reference.sum())
        return [_TypeExchange.of(contested, *pair, agreed=sizes, reference=reference) for pair in pairs]

    @staticmethod
    def of(joined: JoinedTypes, first: int, second: int, *, agreed: Sequence[int], reference: int) -> _TypeExchange:
        """The exchanges between two systems.

        Args:
            joined: the types.
            first, second: the indices of the systems.
            agreed: how many further types both have in every trial, of those in the reference and of all.
            reference: how many types the reference has.
        """
        bits = [joined.sides & system_bit(index) > 0 for index in (first, second)]

        def both(values: npt.NDArray[Any], chosen: npt.NDArray[np.bool_]) -> list[npt.NDArray[Any]]:
            """Of those in the reference, and of all."""
            return [values[chosen & in_reference[ids]], values[chosen]]

        in_reference = joined.in_reference()
        # What both predict in a row both have in every trial.
        always = joined.present(bits[0] & bits[1])
        before = [joined.present(side) for side in bits]
        entries = np.flatnonzero((bits[0] ^ bits[1]) & ~always[joined.ids])
        ids = joined.ids[entries]
        order = np.lexsort((ids, ~in_reference[ids]))
        entries, ids = entries[order], ids[order]
        rows = np.searchsorted(joined.ends, entries, side="right")
        of_first = bits[0][entries]
        firsts = np.flatnonzero(np.diff(ids, prepend=-1))
        lengths = np.diff(firsts, append=len(ids))
        is_alone = np.repeat(lengths == 1, lengths)
        signs = np.where(of_first, -1.0, 1.0)
        alone = [
            np.bincount(places, weights, minlength=len(joined.ends))
            for places, weights in zip(both(rows, is_alone), both(signs, is_alone), strict=True)
        ]
        # Without any exchange: what both have in every trial, and what a row alone gives to one of them. The second system lacks
        # what it lacks, so that the number of other types is added to it.
        kept = [agreed[0] + int((always & in_reference).sum()), agreed[1] + int(always.sum())]
        own = [[int(side.sum()) for side in both(owner, is_alone)] for owner in (of_first, ~of_first)]
        read = ~is_alone & (np.arange(len(ids)) - np.repeat(firsts, lengths) < _MOST_ENTRIES)
        ids, rows, of_first = ids[read], rows[read], of_first[read]
        firsts = np.flatnonzero(np.diff(ids, prepend=-1))
        lengths = np.diff(firsts, append=len(ids))
        firsts = firsts[np.argsort(-lengths, kind="stable")]
        lengths = -np.sort(-lengths)
        is_shared = in_reference[ids[firsts]]
        others = [[0, 0], [int(is_shared.sum()), len(firsts)]]
        turned = np.where(of_first, ~np.uint64(0), np.uint64(0))[:, None]
        steps = []
        for step in range(int(lengths.max(initial=0))):
            places = firsts[lengths > step] + step
            steps.append((rows[places], turned[places]))
        return _TypeExchange(
            constant=np.array(
                [sum(each) for side in (0, 1) for each in zip(kept, own[side], others[side], strict=True)]
            ),
            reference=reference,
            before=np.array(
                [
                    more + int(side.sum())
                    for system in before
                    for more, side in zip(agreed, (system & in_reference, system), strict=True)
                ]
            ),
            alone=np.stack(alone),
            is_shared=is_shared,
            steps=steps,
        )

    def counts(self, words: Words, alone: Floats) -> npt.NDArray[np.int64]:
        """How many types each new system has, int64 (4, n_trials), in the order of `constant`.

        Args:
            words: the bits of all rows.
            alone: the sums of `alone` over the rows that are exchanged.
        """
        moved = alone.astype(np.int64)
        counts = np.concatenate((moved, -moved)) + self.constant[:, None]
        if self.steps:
            rows, turned = self.steps[0]
            has = words[rows] ^ turned
            # The second system has it in the rows in which the first does not.
            lacks = has.copy()
            for rows, turned in self.steps[1:]:
                in_first = words[rows]
                in_first ^= turned
                has[: len(rows)] |= in_first
                lacks[: len(rows)] &= in_first
            for side, (types, sign) in enumerate(((has, 1), (lacks, -1))):
                shared, others = _count_bits(types[self.is_shared]), _count_bits(types[~self.is_shared])
                counts[2 * side] += sign * shared
                counts[2 * side + 1] += sign * (shared + others)
        return counts

    def observed(self) -> tuple[dict[str, Count], dict[str, Count]]:
        """The columns of the type scores of both systems."""
        return self.sizes(self.before)

    def sizes(self, counts: npt.NDArray[np.int64]) -> tuple[dict[str, Count], dict[str, Count]]:
        """The columns of the type scores, of numbers in the order of `constant`."""
        first, second = (
            {"type_matched": matched, "type_predicted": predicted, "type_reference": self.reference}
            for matched, predicted in (counts[:2], counts[2:])
        )
        return first, second


def _count_bits(words: Words) -> npt.NDArray[np.int64]:
    """How many rows have a one, for each bit, int64 (64 · n_words,)."""
    total = np.zeros(words.shape[1] * _TRIALS_A_WORD, np.int64)
    for start in range(0, len(words), _BYTE):
        total += _bits(words[start : start + _BYTE]).sum(axis=0, dtype=np.uint8)
    return total
