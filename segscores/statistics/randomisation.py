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
A trial has one bit for each row; 64 trials make a word. Exchanged rows move the difference of the two systems' counts from one
to the other: the sums that moved are a product of the matrix of bits and that of the differences from the first system, in double
precision or in single where sums of integers stay below 2²⁴, so that they are exact. It is made once for all systems: what
moves between two systems is the difference of two of its columns. Equal columns are multiplied once.

Type scores are not sums: their differences have Student's t instead (see `jackknife`).

Source
------
Noreen (1989), Computer-Intensive Methods for Testing Hypotheses. Yeh (2000), COLING, 947-953.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..kernel.formulas import Score, divide
from ..support.parallel import map_in_order
from .jackknife import ROUNDING
from .resampling import SumScores, multiply

Floats: TypeAlias = npt.NDArray[np.float64]
Words: TypeAlias = npt.NDArray[np.uint64]

# A stream of its own, for a caller may have drawn the utterances themselves with the same seed.
_STREAM = 0x5357

_TRIALS_A_WORD = 64
# Words of trials that a thread takes at a time, as long as they have so many bits; and rows that it multiplies at a time.
_WORDS_AT_ONCE, _CELLS_AT_ONCE, _ROWS_AT_ONCE = 16, 1 << 22, 1024
#: Sums of integers below this are exact in single precision.
_EXACT_IN_SINGLE = 1 << 24


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
    systems: Sequence[SumScores],
    pairs: Sequence[tuple[int, int]],
    *,
    n_trials: int,
    seed: int,
    limits: Sequence[int] | None = None,
) -> list[dict[str, Trials]]:
    """The trials of pairs of systems by key; the naive equivalent exchanges predictions and scores both new systems anew.

    Args:
        limits: for each pair how many of the trials it takes, where it needs fewer; all if None. Exact trials are all taken.
    """
    rows = len(next(iter(systems[0].columns.values())))
    n_trials = int(n_trials)
    is_exact = rows < n_trials.bit_length()
    count = 1 << rows if is_exact else n_trials
    words = -(-count // _TRIALS_A_WORD)
    at_once = max(1, min(_WORDS_AT_ONCE, _CELLS_AT_ONCE // (rows * 8)))
    moving = _Moving.of(systems, rows)

    def try_some(start: int) -> Floats:
        return _sum_exchanged(moving.table, _draw(rows, start, min(at_once, words - start), seed, is_exact))

    moved = np.concatenate(list(map_in_order(try_some, range(0, words, at_once))), axis=1)[:, :count]
    found: list[dict[str, Trials]] = []
    for place, (first, second) in enumerate(pairs):
        limit = count if limits is None or is_exact else min(limits[place], count)
        observed = _subtract(systems[first].scores(), systems[second].scores())
        differences = _subtract(*moving.scores(systems, first, second, moved[:, :limit]))
        found.append(
            {
                key: Trials(float(observed[key]), np.broadcast_to(np.asarray(values, np.float64), limit), is_exact)
                for key, values in differences.items()
            }
        )
    return found


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


def _sum_exchanged(table: Floats, words: Words) -> Floats:
    """The sums over the rows that are exchanged, (n_columns, n_trials), of a table (n_columns, n_rows)."""
    total = np.zeros((len(table), words.shape[1] * _TRIALS_A_WORD))
    rows = np.flatnonzero(table.any(axis=0))
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        chosen = rows[start : start + _ROWS_AT_ONCE]
        part = table[:, chosen]
        single = np.abs(part).sum(axis=1).max() < _EXACT_IN_SINGLE and (part == np.rint(part)).all()
        kind = np.float32 if single else np.float64
        bits = np.unpackbits(np.ascontiguousarray(words[chosen]).view(np.uint8), axis=1)
        total += multiply(part.astype(kind), bits.astype(kind))
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
        return systems[first].scores_of(sides[0]), systems[second].scores_of(sides[1])
