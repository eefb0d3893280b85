"""Randomisation: the scores of two systems after they exchange their predictions of random utterances.

Conventions
-----------
- Each trial exchanges each utterance, or cluster, with probability ½, the same for all pairs of systems. The seed and the number
  of rows fix the trials, whatever the systems and scores are.
- Where there are no more than n_trials ways to exchange rows, each way is one trial, the one without any exchange too, and the
  p-value is exact. Otherwise the observed difference counts as one more trial, so that the test keeps its level.
- The sums that move between two systems are a product of the matrix of exchanges and their counts. The product is computed once
  for all systems, from their counts less the counts of the first system. What moves between two other systems is the difference
  of two columns.

Sources
-------
Noreen (1989), Computer-Intensive Methods for Testing Hypotheses. Yeh (2000), COLING, 947-953. The trial that is added: Phipson &
Smyth (2010), Statistical Applications in Genetics and Molecular Biology 9:39.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ..kernel.arrays import Floats
from ..kernel.formulas import divide
from ..kernel.record import record
from ..scoring.parallel import map_in_order
from .jackknife import ROUNDING
from .resampling import SumScores, multiply

# The number of a random stream of its own: a caller may have drawn the utterances with the same seed.
_STREAM = 0x5357

#: Trials are drawn in words of this many bits for each row, a bit for each trial.
_TRIALS_A_WORD = 64
_BYTES_A_WORD = 8
#: At most this many words, and this many bytes for all rows, are drawn at a time. Others would change the trials of a seed.
_WORDS_AT_ONCE = 16
_BYTES_AT_ONCE = 1 << 22
#: The number of rows to multiply at a time.
_ROWS_AT_ONCE = 1024
#: Sums of integers below this are exact in single precision.
_EXACT_IN_SINGLE = 1 << 24


@record
class Exchanges:
    """The trials of all pairs of systems."""

    systems: Mapping[str, SumScores]
    #: by system and column: the sum over the exchanged rows less the sum of the first of all systems, float64 (n_trials,);
    #: none of a column that equals the first system's, which moves nothing
    moved: Mapping[str, Mapping[str, Floats]]
    n_trials: int
    is_exact: bool  #: True if the trials are all possible ones, the observed one among them
    zero_division: float

    @staticmethod
    def of(systems: Mapping[str, SumScores], n_trials: int, seed: int, zero_division: float = 0.0) -> Exchanges:
        """Return the exchanges between systems of the same rows."""
        first_columns = next(iter(systems.values())).columns
        # Every column has a row for each unit.
        any_column, *_ = first_columns.values()
        rows = len(any_column)
        trials = _Trials.of(rows, n_trials, seed)
        # One table of all columns that differ, (n_columns, n_rows), so that one product sums them. It may have no columns.
        differing: list[tuple[str, str]] = []
        tables = [np.zeros((0, rows))]
        for system, scores in systems.items():
            for name, column in scores.columns.items():
                if (column != first_columns[name]).any():
                    differing.append((system, name))
                    tables.append((column - first_columns[name]).astype(np.float64)[None])
        sums = trials.sum_exchanged(np.concatenate(tables))
        moved: dict[str, dict[str, Floats]] = {system: {} for system in systems}
        for (system, name), sums_of_trials in zip(differing, sums, strict=True):
            moved[system][name] = sums_of_trials
        return Exchanges(systems, moved, trials.count, trials.is_exact, zero_division)

    def differences(self, first: str, second: str, keys: Sequence[str]) -> dict[str, Floats]:
        """Return the second system's score less the first's in each trial, float64 (n_trials + 1,), the observed difference last.

        The naive equivalent exchanges predictions and scores both new systems anew.
        """
        nothing = np.zeros(self.n_trials)
        first_sums: dict[str, Floats] = {}
        second_sums: dict[str, Floats] = {}
        for name, column in self.systems[first].columns.items():
            # The first system loses its exchanged rows, and gains those of the second.
            change = self.moved[second].get(name, nothing) - self.moved[first].get(name, nothing)
            # The observed difference is one more trial, in which nothing moves.
            change = np.append(change, 0.0)
            first_sums[name] = column.sum() + change
            second_sums[name] = self.systems[second].columns[name].sum() - change
        first_scores = self.systems[first].formulas(first_sums, keys, self.zero_division)
        second_scores = self.systems[second].formulas(second_sums, keys, self.zero_division)
        differences = {key: np.asarray(second_scores[key] - first_scores[key], np.float64) for key in keys}
        # A score whose counts never move may be one number.
        return {key: np.broadcast_to(values, self.n_trials + 1) for key, values in differences.items()}

    def p_values(self, first: str, second: str, keys: Sequence[str]) -> dict[str, float]:
        """Return the two-sided p-value of each difference: the share of trials that differ at least as much as the observed one.

        nan where the score of a system is nan; trials with nan are left out.
        """
        p_values = {}
        for key, differences in self.differences(first, second, keys).items():
            # The observed difference stands behind the differences of the trials.
            observed = abs(differences[-1])
            if math.isnan(observed):
                p_values[key] = math.nan
                continue
            counted = differences
            if self.is_exact:
                # The trial without any exchange is the observed one, which must not count twice.
                counted = differences[:-1]
            sizes = np.abs(counted[~np.isnan(counted)])
            as_large = int((sizes >= observed - ROUNDING).sum())
            p_values[key] = float(divide(as_large, len(sizes), math.nan))
        return p_values


@record
class _Trials:
    """The rows that are exchanged in each trial."""

    rows: int  #: the number of rows, of utterances or clusters
    count: int  #: the number of trials
    is_exact: bool  #: True if the trials are all ways to exchange rows
    seed: int

    @classmethod
    def of(cls, rows: int, n_trials: int, seed: int) -> _Trials:
        """Return all ways to exchange rows if they are no more than `n_trials`, which is so for few rows; else random ones."""
        # n rows can be exchanged in 2^n ways. Of 10 trials, in binary 1010, up to 3 rows are all exchanged: in 8 ways.
        is_exact = rows < int(n_trials).bit_length()
        count = 2**rows if is_exact else int(n_trials)
        return cls(rows, count, is_exact, seed)

    def sum_exchanged(self, table: Floats) -> Floats:
        """Sum the exchanged rows of a table (n_columns, n_rows) in each trial: (n_columns, n_trials)."""
        # 130 trials need 3 words of 64 bits.
        words = math.ceil(self.count / _TRIALS_A_WORD)
        words_at_once = max(1, min(_WORDS_AT_ONCE, _BYTES_AT_ONCE // (self.rows * _BYTES_A_WORD)))

        def sum_words(first_word: int) -> Floats:
            """Sum the exchanged rows in the trials of the next words."""
            word_count = min(words_at_once, words - first_word)
            return _sum_exchanged(table, self._draw(first_word, word_count))

        sums = np.concatenate(list(map_in_order(sum_words, range(0, words, words_at_once))), axis=1)
        # The last word has more bits than there are trials.
        return sums[:, : self.count]

    def _draw(self, first_word: int, word_count: int) -> npt.NDArray[np.uint8]:
        """Draw the trials of some machine words, which have a bit for each of 64 trials.

        The result is 1 where a trial exchanges a row, else 0, (n_rows, word_count · 64). The same seed and `first_word` draw the
        same trials.
        """
        if self.is_exact:
            # Trial 5, in binary 101, exchanges the rows 0 and 2.
            trials = np.arange(first_word * _TRIALS_A_WORD, (first_word + word_count) * _TRIALS_A_WORD)
            return ((trials >> np.arange(self.rows)[:, None]) & 1).astype(np.uint8)
        random = np.random.default_rng([self.seed, _STREAM, first_word])
        drawn = np.frombuffer(random.bytes(self.rows * word_count * _BYTES_A_WORD), np.uint8)
        # Each row has the bits of its words: a bit for each trial.
        return np.unpackbits(drawn.reshape(self.rows, -1), axis=1)


def _sum_exchanged(table: Floats, exchanged: npt.NDArray[np.uint8]) -> Floats:
    """Sum the exchanged rows of a table (n_columns, n_rows): (n_columns, n_trials).

    `exchanged` is (n_rows, n_trials), 1 where a trial exchanges a row, else 0. The naive equivalent is `table @ exchanged`.
    """
    total = np.zeros((len(table), exchanged.shape[1]))
    rows_that_count = np.flatnonzero(table.any(axis=0))
    for start in range(0, len(rows_that_count), _ROWS_AT_ONCE):
        rows = rows_that_count[start : start + _ROWS_AT_ONCE]
        columns = table[:, rows]
        are_integers = bool((columns == np.rint(columns)).all())
        is_exact_in_single = are_integers and np.abs(columns).sum(axis=1).max() < _EXACT_IN_SINGLE
        # Single precision is faster, where it is exact.
        precision = np.float32 if is_exact_in_single else np.float64
        total += multiply(columns.astype(precision), exchanged[rows].astype(precision))
    return total


def sign_trials(rows: int, n_trials: int, seed: int) -> str:
    """Return the value of the field `trials` of a comparison of this many rows.

    >>> sign_trials(4, 10, seed=0), sign_trials(3, 10, seed=0)
    ('10-0', 'exact')
    """
    trials = _Trials.of(rows, n_trials, seed)
    return "exact" if trials.is_exact else f"{trials.count}-{trials.seed}"
