"""Spark scores: the scores of a DataFrame of Apache Spark, counted by Spark's workers.

Conventions
-----------
- A row is a pair of utterances: one column has the reference and one the prediction, as strings, lists of words, or
  lists of labels. Counts and formulas are those of `scoring`.
- `mapInArrow` passes batches of rows to Python workers, which run the same kernel as a single process and return
  numbers and word types. Spark adds the numbers up as decimals of 38 digits. It groups the types by their bytes, with a
  bit for each side, and counts the types of each side. The driver receives only sums, never words. All counts are
  integers, so they equal those of a single process for any distribution of the rows.
- One job does everything, except that a window size computed from the reference takes another job before it.
- The workers import this package, numpy and pyarrow; pyspark itself needs pandas for `mapInArrow`.

Rows and their numbers
----------------------
Rows of a DataFrame have no order. `index_column` names a column with a distinct integer for each row. Messages name the row by
this number, and resamples depend on it. Without such a column, messages name the index of the row in `df.collect()`, from 0.

Bad rows
--------
With `on_error="raise"` the error names the bad row with the smallest number. With `on_error="skip"`
bad rows are left out, and a warning or the tally gives their number. With another `on_mismatch` than `"error"`, rows
whose units differ are not bad.

Bootstrap
---------
A resample contains each utterance Poisson(1) times, so the number of utterances varies. Each worker can then draw its rows
in the same pass, with a generator for each row that is seeded by `seed` and the number of the row. The sums are the same
integers for any distribution of the rows. The varying number of utterances hardly affects ratios, but scores that are
counts have intervals for a Poisson number of utterances. Resamples without any utterance are left out. Type scores are not
sums (see `resampling`) and have no interval on Spark.

Sources
-------
Hanley & MacGibbon (2006), Computer Methods and Programs in Biomedicine 83:57-62; Chamandy, Muralidharan, Najmi & Naidu (2012),
Estimating Uncertainty for Massive Data Streams, Google. The generator is SplitMix64: Steele, Lea & Flood (2014), OOPSLA.
"""

from __future__ import annotations

__all__ = [
    "DataframeTally",
    "SparkJobError",
    "UnreadableFileError",
    "explained",
    "per_utterance_dataframe",
    "poisson_weights",
    "score_dataframe",
    "shown_file",
    "tally_dataframe",
]

import json
import math
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import unquote

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..kernel.comparison import Comparison
from ..kernel.errors import UtteranceError
from ..kernel.lexicon import Lexicon
from ..kernel.segmentation import Segmentation
from ..measures.oov import warn_of_implausible_rate
from ..measures.registry import compute_scores
from ..measures.windows import default_window_size
from ..reading.inputs import FORM_NAMES, LABELS, TEXT, WORDS, check_rows, read_pair
from ..reading.parts import check_form, parts_of, read_sides, reader_for
from ..scoring.option_docs import with_options
from ..scoring.options import Plan, ScoringOptions
from ..scoring.pipeline import compare_sides, normalized, warn_of_skipped
from ..scoring.skipping import check_on_error
from ..scoring.tally import Tally, tally_columns_of
from ..scoring.utterance_tally import PREDICTION, REFERENCE, tally_compared
from ..statistics.resampling import check_resampling, levels_of, quantile_interval, split_keys

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from typing_extensions import Unpack

Integers: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]
Mask: TypeAlias = npt.NDArray[np.bool_]
#: A compared part: the places of its rows in the batch, the reference, and the result of `compare_sides`.
Compared: TypeAlias = tuple[slice, Segmentation, Comparison, "Mask | None"]

# The ids of rows of numbers; an id from 0 is that of a resample.
_COUNT, _TYPE, _FAILURE, _ROWS = -1, -2, -3, -4
_NUMBERS = "id int, key binary, value bigint"
_ID, _KEY, _VALUE = "id", "key", "value"
_ALL, _LEFT_OUT = b"rows", b"left out"

# A worker returns its counts after this many utterances or units, so that its lexicon stays small and its sums fit in
# 63 bits.
_MOST_UTTERANCES, _MOST_UNITS = 1 << 17, 1 << 24

# The number of weights to draw at a time, which fit in the processor's cache.
_WEIGHTS_AT_ONCE = 1 << 18

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
#: How Spark names a file that it can't read, with its hint; the name has no spaces but in some of Spark's messages.
_UNREADABLE = re.compile(
    r"Encountered error while reading file (?P<name>.+?)\.\s+(?P<hint>.*?)\s*(?:SQLSTATE: \w+|Details:|$)", re.MULTILINE
)
#: P(Poisson(1) ≤ k) for k = 0, 1, …, of 2³².
_POISSON = np.rint(np.cumsum([math.exp(-1) / math.factorial(k) for k in range(12)]) * 2.0**32).astype(np.uint32)


class SparkJobError(OSError):
    """A job of Spark failed; the message has the reason in one line."""


class UnreadableFileError(SparkJobError):
    """A file that Spark could not read.

    Attributes:
        file: Spark's name of the file.
    """

    def __init__(self, file: str, problem: str) -> None:
        super().__init__(f"{shown_file(file)}: Spark cannot read the file: {problem.rstrip('.')}.")
        self.file = file


@dataclass(frozen=True)
class DataframeTally:
    """The counts of a DataFrame.

    Attributes:
        counts: every count that the formulas read, equal to `Tally.totals` in one process.
        plan: the plan with which it was made, with the window size that was used.
        form: the form of utterances, `"text"`, `"words"` or `"labels"`.
        rows: the number of rows.
        left_out: the number of rows that `on_error="skip"` left out.
        first_left_out: the error of the left-out row with the smallest number.
        resampled: for each column of counts, the sums of the resamples, float64 (n_resamples,); empty without
            resampling.
    """

    counts: dict[str, int]
    plan: Plan
    form: str
    rows: int
    left_out: int = 0
    first_left_out: UtteranceError | None = None
    resampled: Mapping[str, Floats] = field(default_factory=dict)

    def scores(self) -> dict[str, float]:
        """The scores, as plain floats."""
        scores = compute_scores(self.counts, self.plan.keys, self.plan.zero_division)
        return {key: float(value) for key, value in scores.items()}

    def intervals(self, confidence: float = 0.95) -> dict[str, tuple[float, float]]:
        """The percentile interval of each score that is a formula of sums; type scores have no interval.

        Args:
            confidence: the share of such intervals that contain the true score, in (0, 1).

        Raises:
            ValueError: the tally has no resamples, or fewer than two utterances.
        """
        check_resampling(confidence=confidence, n_resamples=1, seed=0, average="micro", zero_division=0.0)
        if not self.resampled:
            raise ValueError("the tally has no resamples: pass n_resamples to tally_dataframe.")
        if self.counts["utterances"] < 2:
            raise ValueError(
                f"an interval needs at least two utterances, received {self.counts['utterances']}: variability "
                f"cannot be estimated from one utterance."
            )
        keys, _ = split_keys(self.plan.keys)
        scores = self.scores()
        replicates = compute_scores(self.resampled, keys, self.plan.zero_division)  # type: ignore[arg-type]
        is_empty = self.resampled["utterances"] == 0
        return {
            key: quantile_interval(scores[key], np.where(is_empty, np.nan, replicates[key]), levels_of(confidence))
            for key in keys
        }


@with_options
def score_dataframe(
    df: DataFrame,
    *,
    reference_column: str = "reference",
    prediction_column: str = "prediction",
    index_column: str | None = None,
    on_error: str = "raise",
    confidence: float | None = None,
    n_resamples: int = 1000,
    seed: int = 0,
    **options: Unpack[ScoringOptions],
) -> dict[str, float]:
    """Score a DataFrame of Spark.

    Args:
        df: a DataFrame with a row for each pair of utterances.
        reference_column, prediction_column: names of columns of strings, of arrays of strings, or of arrays of integers.
        index_column: name of a column with a distinct integer for each row; None if there is no such column.
        on_error: `"raise"` or `"skip"`: what to do with rows that cannot be scored.
        confidence: the confidence of the intervals, in (0, 1); None for no intervals. Intervals need `index_column`.
        n_resamples, seed: the options of the bootstrap.
        **options: those of `ScoringOptions`; an unknown one is a TypeError.

    Returns:
        Plain floats by score key; with `confidence`, each key of a score of sums followed by `<key>_low` and `<key>_high`.
        The naive equivalent is `segscores.score` of the two columns.

    Raises:
        TypeError: columns of another type, or an option of the wrong type.
        ValueError: an unknown column, no row, or a bad option.
        UtteranceError: a row cannot be scored; it has the row's number.
        SparkJobError: the job failed for another reason, such as the death of a worker; an `UnreadableFileError` names
            a damaged file.

    Warns:
        UserWarning: rows were left out; type scores have no interval; or as `scoring.score_tally`.
    """
    if confidence is not None:
        check_resampling(confidence=confidence, n_resamples=n_resamples, seed=seed, average="micro", zero_division=0.0)
    tally = tally_dataframe(
        df,
        reference_column=reference_column,
        prediction_column=prediction_column,
        index_column=index_column,
        on_error=on_error,
        n_resamples=0 if confidence is None else n_resamples,
        seed=seed,
        **options,
    )
    if tally.left_out:
        warnings.warn(
            f"{tally.left_out} of {tally.rows} utterances could not be scored and were left out. The first is "
            f"{tally.first_left_out}",
            stacklevel=2,
        )
    scores = tally.scores()
    if confidence is None:
        return scores
    intervals = tally.intervals(confidence)
    if len(intervals) < len(scores):
        warnings.warn(
            "type scores have no interval on Spark, because resamples have smaller lexicons: segscores.score computes one in one "
            "process.",
            stacklevel=2,
        )
    with_ends: dict[str, float] = {}
    for key, value in scores.items():
        with_ends[key] = value
        if key in intervals:
            with_ends[f"{key}_low"], with_ends[f"{key}_high"] = intervals[key]
    return with_ends


def tally_dataframe(
    df: DataFrame,
    *,
    reference_column: str = "reference",
    prediction_column: str = "prediction",
    index_column: str | None = None,
    on_error: str = "raise",
    n_resamples: int = 0,
    seed: int = 0,
    **options: Unpack[ScoringOptions],
) -> DataframeTally:
    """Tally a DataFrame of Spark.

    Args:
        df, reference_column, prediction_column, index_column, on_error, options: as in `score_dataframe`.
        n_resamples: the number of resamples, whose sums take n_resamples × columns × 8 bytes in each worker; 0 for
            none.
        seed: the seed of the resamples, an integer from 0.

    Raises:
        TypeError, ValueError, UtteranceError, SparkJobError: as `score_dataframe`.

    Warns:
        UserWarning: as `scoring.score_tally`.

    The naive equivalent is `scoring.tally_columns` of the two columns; for resample r, of columns that contain row i
    `poisson_weights(…)[i, r]` times.
    """
    if n_resamples:
        check_resampling(n_resamples=n_resamples, seed=seed, average="micro", zero_division=0.0)
        if index_column is None:
            raise ValueError("resamples need the number of each row: name the column that has it with index_column.")
    names = (index_column, reference_column, prediction_column)
    work, rows = _prepare(df, names, on_error, options)
    work = _with_window_size(work, rows, index_column)
    work = replace(work, n_resamples=n_resamples, seed=seed)
    totals = _reduced(rows, work.numbers)
    _check_totals(totals, rows, index_column, work.skips)
    counts = totals.counts
    if work.plan.needs_lexicons:
        counts |= {
            "type_matched": totals.types.get(REFERENCE | PREDICTION, 0),
            "type_predicted": sum(count for sides, count in totals.types.items() if sides & PREDICTION),
            "type_reference": sum(count for sides, count in totals.types.items() if sides & REFERENCE),
        }
    skipped = counts.get("skipped_utterances", 0)
    warn_of_skipped(skipped, counts["utterances"] + skipped)
    if work.plan.known_words is not None:
        unit = "token" if work.form == TEXT and work.plan.reading.text_format == "units" else "character"
        warn_of_implausible_rate(counts, work.plan.known_words, unit)
    first = _numbered(min(totals.failures), rows, index_column) if totals.left_out else None
    return DataframeTally(
        counts=counts,
        plan=work.plan,
        form=FORM_NAMES[work.form],
        rows=totals.rows,
        left_out=totals.left_out,
        first_left_out=first,
        resampled=totals.resampled(n_resamples),
    )


def per_utterance_dataframe(
    df: DataFrame,
    *,
    reference_column: str = "reference",
    prediction_column: str = "prediction",
    index_column: str | None = None,
    on_error: str = "raise",
    **options: Unpack[ScoringOptions],
) -> DataFrame:
    """The scores of every row.

    Args:
        df, reference_column, prediction_column, index_column, on_error, options: as in `score_dataframe`.

    Returns:
        A DataFrame with the rows and columns of `df`, and a column of doubles for each score: nan if
        `on_mismatch="skip"` leaves the row out. Type scores are those of the row's own types. With `on_error="skip"` an
        additional column `error` has the message for rows that cannot be scored, whose scores are null; it is null for
        other rows. With `on_error="raise"` the job that reads the DataFrame fails at such a row. Nothing is computed
        before the DataFrame is used, except for a window size that comes from the reference. The naive equivalent is
        `utterance_scores.per_utterance`.

    Raises:
        TypeError, ValueError: as `score_dataframe`, or a column has the name of a score.
    """
    from pyspark.sql.types import DoubleType, StringType, StructField, StructType  # noqa: PLC0415 - an extra

    names = (index_column, reference_column, prediction_column)
    work, rows = _prepare(df, names, on_error, options)
    keys = work.plan.keys
    added = [*keys, *(["error"] if work.skips else [])]
    taken = [name for name in added if name in df.columns]
    if taken:
        raise ValueError(f"the DataFrame has a column {taken[0]!r} already: rename it, or leave it out with drop.")
    work = _with_window_size(work, rows, index_column)
    types = [StructField(name, StringType() if name == "error" else DoubleType()) for name in added]
    # The three columns that the workers read come first, and the workers drop them.
    both = df.select(*_columns_read(df, names), *(df[f"`{name}`"] for name in df.columns))
    return _map_in_arrow(both, work.scored_rows, StructType([*df.schema.fields, *types]))


def poisson_weights(seed: int, rows: Integers, n_resamples: int) -> npt.NDArray[np.uint8]:
    """The number of times that each resample has each row: independent Poisson(1) numbers.

    Args:
        seed: an integer from 0.
        rows: int64 (n_rows,), the numbers of the rows.
        n_resamples: the number of resamples.

    Returns:
        uint8 (n_rows, n_resamples). A row's values depend only on the seed and its own number; the first ones do not
        depend on n_resamples. Each value is the quantile of 32 random bits.

    >>> weights = poisson_weights(0, np.arange(1000), 100)
    >>> weights.shape, round(float(weights.mean()), 1), round(float(weights.var()), 1)
    ((1000, 100), 1.0, 1.0)
    """
    # Mix a number of the seed and the number of the row: together they seed the stream of the row.
    key = np.random.SeedSequence(seed).generate_state(1, np.uint64)
    starts = _mixed(key + rows.astype(np.int64).view(np.uint64) * _GAMMA)
    steps = np.arange(1, (n_resamples + 1) // 2 + 1, dtype=np.uint64) * _GAMMA
    uniform = _mixed(starts[:, None] + steps).astype("<u8").view("<u4")[:, :n_resamples]
    weights = np.zeros(uniform.shape, np.uint8)
    for threshold in _POISSON:
        weights += uniform >= threshold
    return weights


def _mixed(numbers: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """The finalizer of SplitMix64."""
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: npt.NDArray[np.uint64] = numbers ^ (numbers >> np.uint64(31))
    return mixed


@dataclass(frozen=True)
class _Work:
    """The work of a worker on batches of rows with three columns: a number, the reference and the prediction.

    Attributes:
        plan: how rows are read and scored.
        form: of both columns.
        skips: whether bad rows are left out.
        is_numbered: whether the column of numbers is the user's, or holds partition and row.
        n_resamples, seed: of the bootstrap.
    """

    plan: Plan
    form: pa.DataType
    skips: bool
    is_numbered: bool
    n_resamples: int = 0
    seed: int = 0

    def numbers(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The counts of all rows, the word types, the sums of resamples, and errors, as rows that Spark adds up."""
        groups = [group for group in self.plan.groups if not group.needs_words]
        names: list[str] = []
        sums = np.zeros((self.n_resamples, 0), np.int64)

        def count(rows: Integers, part: Compared) -> Tally:
            nonlocal names, sums
            _, _, comparison, kept = part
            tally = self.plan.tally(comparison, skipped=0 if kept is None else int((~kept).sum()))
            if self.n_resamples:
                columns = tally_columns_of(comparison, groups, self.plan.settings)
                if not names:
                    names, sums = list(columns), np.zeros((self.n_resamples, len(columns)), np.int64)
                _add_resamples(sums, columns, rows, kept, self.seed)
            return tally

        yield from self._summed(batches, count)
        for index, name in enumerate(names):
            yield _rows_of(np.arange(self.n_resamples), [name.encode()] * self.n_resamples, sums[:, index])

    def window_lengths(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The numbers of units, words and filled utterances of the reference."""

        def count(_: Integers, part: Compared) -> Tally:
            reference = normalized(part[1], self.plan.reading)
            return Tally(
                {
                    "units": int(reference.utterance_units.sum()),
                    "words": len(reference.word_ends),
                    "utterances": int(np.count_nonzero(reference.utterance_units)),
                }
            )

        yield from self._summed(batches, count)

    def scored_rows(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The rows with their scores, in the same order."""
        keys = self.plan.keys
        for batch in batches:
            numbers, references, predictions, *others = batch.columns
            scores = np.full((len(keys), len(batch)), np.nan)
            errors: dict[int, str] = {}
            first: UtteranceError | None = None
            for part in self._compare(references, predictions):
                if isinstance(part, UtteranceError):
                    errors[part.utterance] = f"{part.side}: {part.detail}" if part.side else part.detail
                    first = part
                    continue
                rows, _, comparison, kept = part
                tally = tally_compared(comparison, kept, self.plan)
                values = tally.per_utterance(keys, self.plan.zero_division)
                for index, key in enumerate(keys):
                    scores[index, rows] = values[key]
            if first is not None and not self.skips:
                raise ValueError(self._placed(numbers[first.utterance].as_py(), first))
            is_bad = np.zeros(len(batch), bool)
            is_bad[list(errors)] = True
            columns = [*others, *(pa.array(row, mask=is_bad) for row in scores)]
            names = [*batch.schema.names[3:], *keys]
            if self.skips:
                columns.append(pa.array([errors.get(row) for row in range(len(batch))], pa.string()))
                names.append("error")
            yield pa.RecordBatch.from_arrays(columns, names)

    def _summed(self, batches: Iterable[pa.RecordBatch], count: Any) -> Iterator[pa.RecordBatch]:
        """The sum of `count` over the parts of all batches, and the error of the bad row with the smallest number."""
        total, rows_seen, left_out = Tally(), 0, 0
        first: tuple[int, UtteranceError] | None = None
        for batch in batches:
            numbers, references, predictions = batch.columns
            if numbers.null_count:
                raise ValueError("the index column has no number for a row; expected one for each")
            rows = np.frombuffer(numbers.buffers()[1], np.int64)[numbers.offset : numbers.offset + len(numbers)]
            rows_seen += len(rows)
            if first is not None and not self.skips:
                # Only a bad row with a smaller number matters.
                rows, references, predictions = _taken(rows, references, predictions, np.flatnonzero(rows < first[0]))
            if (np.diff(rows) < 0).any():
                rows, references, predictions = _taken(rows, references, predictions, np.argsort(rows, kind="stable"))
            for part in self._compare(references, predictions):
                if isinstance(part, UtteranceError):
                    left_out += 1
                    number = int(rows[part.utterance])
                    if first is None or number < first[0]:
                        first = number, part
                    continue
                total.update(count(rows[part[0]], part))
            if total.counts.get("utterances", 0) > _MOST_UTTERANCES or total.counts.get("units", 0) > _MOST_UNITS:
                yield from _numbers_of(total)
                total = Tally()
        yield from _numbers_of(total)
        yield _rows_of([_ROWS] * 2, [_ALL, _LEFT_OUT], [rows_seen, left_out])
        if first is not None:
            number, error = first
            described = json.dumps([number, error.problem, error.hint, error.side]).encode()
            yield _rows_of([_FAILURE], [described], [0])

    def _compare(self, references: pa.Array, predictions: pa.Array) -> Iterator[Compared | UtteranceError]:
        """The parts of a batch that can be compared, and the errors of bad rows, whose `utterance` is the index in the
        batch.

        If bad rows are skipped, all are yielded; otherwise iteration ends with the first bad row.
        """
        waiting = [slice(part.start, part.stop) for part in parts_of(references)][::-1]
        while waiting:
            rows = waiting.pop()
            try:
                yield self._compare_rows(references, predictions, rows)
            except UtteranceError as error:
                if self.skips and rows.stop - rows.start > 1:
                    # Bisection: few bad rows need few calls; in the worst case there are two calls per row.
                    middle = (rows.start + rows.stop) // 2
                    waiting += [slice(middle, rows.stop), slice(rows.start, middle)]
                    continue
                yield error.at(rows.start)
                if not self.skips:
                    # Later rows don't matter. Earlier ones may be bad too, because both sides are read before they are
                    # compared.
                    waiting = [slice(rows.start, rows.start + error.utterance)] if error.utterance else []

    def _compare_rows(self, references: pa.Array, predictions: pa.Array, rows: slice) -> Compared:
        sides = []
        for name, column in (("references", references), ("predictions", predictions)):
            side = column.slice(rows.start, rows.stop - rows.start)
            check_rows(side, name)
            sides.append(side)
        columns = read_pair(*sides)
        read = reader_for(self.form, self.plan.reading)
        part = slice(0, rows.stop - rows.start)
        names = dict(zip(("references", "predictions"), columns, strict=True))
        reference, prediction = read_sides(names, part, self.plan.reading, read)
        comparison, kept = compare_sides(reference, prediction, self.plan)
        return rows, reference, comparison, kept

    def _placed(self, number: int, error: UtteranceError) -> str:
        """The message of an error, with the place of its row."""
        side = f"{error.side}, " if error.side else ""
        place = f"utterance {number}" if self.is_numbered else f"row {_row_in(number)} of partition {number >> 33}"
        return f"{side}{place}: {error.detail}"


def _row_in(number: int) -> int:
    """The number of a row in its partition, from `monotonically_increasing_id`, whose upper bits (from 33) are the partition."""
    return number & ((1 << 33) - 1)


def _taken(
    rows: Integers, references: pa.Array, predictions: pa.Array, places: npt.NDArray[np.intp]
) -> tuple[Integers, pa.Array, pa.Array]:
    indices = pa.array(places)
    return rows[places], references.take(indices), predictions.take(indices)


def _add_resamples(
    sums: Integers, columns: Mapping[str, Integers], rows: Integers, kept: Mask | None, seed: int
) -> None:
    """Add the utterances of a part to the sums of resamples, (n_resamples, n_columns).

    Args:
        sums: the sums, changed in place.
        columns: the columns of the kept utterances.
        rows: the numbers of all utterances.
        kept: which utterances were kept.
        seed: the seed of the resamples.
    """
    table = np.stack(list(columns.values()), axis=1).astype(np.float64)
    if kept is not None:
        spread = np.zeros((len(kept), table.shape[1]))
        spread[kept] = table
        spread[~kept, list(columns).index("skipped_utterances")] = 1
        table = spread
    at_once = max(1, _WEIGHTS_AT_ONCE // len(sums))
    for start in range(0, len(rows), at_once):
        weights = poisson_weights(seed, rows[start : start + at_once], len(sums)).astype(np.float64)
        # Sums of products of integers over so few rows are exact, because they are below 2⁵³.
        sums += (weights.T @ table[start : start + at_once]).astype(np.int64)


def _numbers_of(tally: Tally) -> Iterator[pa.RecordBatch]:
    """The counts of a tally, and its types, each with the bits of the sides that contain it."""
    counts = tally.counts
    if counts:
        # Add the positions, because Spark returns rows in any order.
        names = [f"{place:04} {column}".encode() for place, column in enumerate(counts)]
        yield _rows_of([_COUNT] * len(counts), names, list(counts.values()))
    if tally.reference_lexicon is not None and tally.prediction_lexicon is not None:
        types, sides = _types_with_sides(tally.reference_lexicon, tally.prediction_lexicon)
        for start in range(0, len(types), 1 << 16):
            some = types[start : start + (1 << 16)]
            yield _rows_of(np.full(len(some), _TYPE), some.cast(pa.binary()), sides[start : start + (1 << 16)])


def _types_with_sides(reference: Lexicon, prediction: Lexicon) -> tuple[pa.LargeBinaryArray, Integers]:
    encoded = pa.concat_arrays([reference.types, prediction.types]).dictionary_encode()
    indices = encoded.indices.to_numpy()
    sides = np.zeros(len(encoded.dictionary), np.int64)
    # No type comes twice on a side.
    sides[indices[: len(reference)]] = REFERENCE
    sides[indices[len(reference) :]] |= PREDICTION
    return encoded.dictionary, sides


def _rows_of(ids: Any, keys: Any, values: Any) -> pa.RecordBatch:
    arrays = [pa.array(ids, pa.int32()), pa.array(keys, pa.binary()), pa.array(values, pa.int64())]
    return pa.RecordBatch.from_arrays(arrays, [_ID, _KEY, _VALUE])


@dataclass
class _Totals:
    """The sums that Spark computed.

    Attributes:
        counts: by column.
        types: the number of types on these sides, by the bits of the sides.
        failures: the number, problem, hint and side of a bad row, for each partition with bad rows.
        rows, left_out: the number of rows, and the number of bad rows.
        resamples: by column, by resample.
    """

    counts: dict[str, int] = field(default_factory=dict)
    types: dict[int, int] = field(default_factory=dict)
    failures: list[tuple[int, str, str, str]] = field(default_factory=list)
    rows: int = 0
    left_out: int = 0
    resamples: dict[str, dict[int, int]] = field(default_factory=dict)

    def resampled(self, n_resamples: int) -> dict[str, Floats]:
        return {
            column: np.array([float(by_resample.get(index, 0)) for index in range(n_resamples)])
            for column, by_resample in self.resamples.items()
        }


def _reduced(rows: DataFrame, numbers: Any) -> _Totals:
    """Run the workers and add up their results."""
    from pyspark.sql import functions as F  # noqa: N812, PLC0415 - its usual name; an extra

    partial = _map_in_arrow(rows, numbers, _NUMBERS)
    # Spark groups types by their bytes in a shuffle. In a large enough corpus a sum of type bigint would overflow.
    by_key = partial.groupBy(_ID, _KEY).agg(
        F.sum(F.col(_VALUE).cast("decimal(20,0)")).alias("total"), F.expr(f"bit_or({_VALUE})").alias("sides")
    )
    is_type = F.col(_ID) == _TYPE
    totals = by_key.groupBy(
        F.col(_ID), F.when(~is_type, F.col(_KEY)).alias(_KEY), F.when(is_type, F.col("sides")).alias("sides")
    ).agg(F.sum("total").alias("total"), F.count("*").alias("count"))
    found = _Totals()
    with explained():
        collected = totals.collect()
    for row in sorted(collected, key=lambda row: (row[_ID], bytes(row[_KEY] or b""))):
        kind = row[_ID]
        if kind == _TYPE:
            found.types[row["sides"]] = row["count"]
        elif kind == _FAILURE:
            found.failures.append(tuple(json.loads(bytes(row[_KEY]))))
        elif kind == _ROWS and bytes(row[_KEY]) == _ALL:
            found.rows = int(row["total"])
        elif kind == _ROWS:
            found.left_out = int(row["total"])
        elif kind == _COUNT:
            found.counts[bytes(row[_KEY]).decode().split(" ")[1]] = int(row["total"])
        else:
            found.resamples.setdefault(bytes(row[_KEY]).decode(), {})[kind] = int(row["total"])
    return found


def _with_window_size(work: _Work, rows: DataFrame, index_column: str | None) -> _Work:
    """The work, with the size of windows computed from the whole reference if the options do not give it."""
    if not work.plan.needs_window_size:
        return work
    totals = _reduced(rows, work.window_lengths)
    _check_totals(totals, rows, index_column, work.skips)
    counts, convention = totals.counts, work.plan.values["window_convention"]
    size = int(default_window_size(counts["units"], counts["words"], counts["utterances"], convention))
    return replace(work, plan=work.plan.with_window_size(size))


def _check_totals(totals: _Totals, rows: DataFrame, index_column: str | None, skips: bool) -> None:
    """Raise the error of the first bad row, or the error for a DataFrame without rows."""
    if totals.failures and not skips:
        raise _numbered(min(totals.failures), rows, index_column)
    if not totals.rows:
        raise ValueError("there is nothing to score: expected at least one row, received none.")
    if totals.left_out == totals.rows:
        first = _numbered(min(totals.failures), rows, index_column)
        problem = f"none of the {totals.rows} utterances can be scored. The first problem: {first.problem}"
        raise UtteranceError(first.utterance, problem, hint=first.hint, side=first.side)


def _numbered(failure: tuple[int, str, str, str], rows: DataFrame, index_column: str | None) -> UtteranceError:
    """The error of a row with its number; without an index column, with its position in the whole DataFrame."""
    from pyspark.sql import functions as F  # noqa: N812, PLC0415 - its usual name; an extra

    number, problem, hint, side = failure
    if index_column is None:
        partition = number >> 33
        with explained():
            before = rows.filter(F.spark_partition_id() < partition).count() if partition else 0
        number = before + _row_in(number)
    return UtteranceError(number, problem, hint=hint, side=side)


def _prepare(
    df: DataFrame, names: tuple[str | None, str, str], on_error: str, options: ScoringOptions
) -> tuple[_Work, DataFrame]:
    """The work of the workers, and the DataFrame of the three columns that they read, with all options checked."""
    index_column, reference_column, prediction_column = names
    plan = Plan.of(**options)
    check_on_error(on_error)
    forms = [
        _form_of(df, name, option)
        for name, option in ((reference_column, "reference_column"), (prediction_column, "prediction_column"))
    ]
    if forms[0] != forms[1]:
        raise TypeError(
            f"mixed forms: {reference_column!r} is of {df.schema[reference_column].dataType.simpleString()} and "
            f"{prediction_column!r} of {df.schema[prediction_column].dataType.simpleString()}; expected the same on both sides."
        )
    check_form(forms[0], plan.reading)
    _check_index(df, index_column)
    work = _Work(plan, forms[0], on_error == "skip", index_column is not None)
    return work, df.select(*_columns_read(df, names))


def _columns_read(df: DataFrame, names: tuple[str | None, str, str]) -> list[Any]:
    """The columns that the workers read, under unique names."""
    from pyspark.sql import functions as F  # noqa: N812, PLC0415 - its usual name; an extra

    index_column, *sides = names
    index = F.monotonically_increasing_id() if index_column is None else df[f"`{index_column}`"].cast("bigint")
    columns = [index, *(df[f"`{name}`"] for name in sides)]
    return [column.alias(f"segscores {place}") for place, column in enumerate(columns)]


def _form_of(df: DataFrame, name: str, option: str) -> pa.DataType:
    from pyspark.sql.types import ArrayType, BooleanType, IntegralType, StringType  # noqa: PLC0415 - an extra

    if name not in df.columns:
        raise ValueError(f"{option}: there is no column {name!r}; the columns are {', '.join(df.columns)}.")
    kind = df.schema[name].dataType
    if isinstance(kind, StringType):
        return TEXT
    if isinstance(kind, ArrayType) and isinstance(kind.elementType, StringType):
        return WORDS
    if isinstance(kind, ArrayType) and isinstance(kind.elementType, (IntegralType, BooleanType)):
        return LABELS
    raise TypeError(
        f"{option}: the column {name!r} is of {kind.simpleString()}; expected string, array<string> (words or tags) or arrays "
        f"of integers (labels)."
    )


def _check_index(df: DataFrame, index_column: str | None) -> None:
    from pyspark.sql.types import IntegralType  # noqa: PLC0415 - an extra

    if index_column is None:
        return
    if index_column not in df.columns:
        raise ValueError(f"index_column: there is no column {index_column!r}; the columns are {', '.join(df.columns)}.")
    kind = df.schema[index_column].dataType
    if not isinstance(kind, IntegralType):
        raise TypeError(f"index_column: {index_column!r} is of {kind.simpleString()}; expected integers.")


def _map_in_arrow(df: DataFrame, function: Any, schema: Any) -> DataFrame:
    """`df.mapInArrow`, without pyspark's warning about versions of pandas, which this module does not use."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        return df.mapInArrow(function, schema)


@contextmanager
def explained() -> Iterator[None]:
    """Convert the errors of Spark's jobs, which have stack traces in two languages, to one line.

    Raises:
        SparkJobError: in place of any error of pyspark or of its bridge to Java; an `UnreadableFileError` if Spark could not
            read a file.
    """
    from py4j.protocol import Py4JError  # noqa: PLC0415 - an extra
    from pyspark.errors import PySparkException  # noqa: PLC0415 - an extra

    try:
        yield
    except (Py4JError, PySparkException, ConnectionError) as error:
        text = str(error)
        file = _UNREADABLE.search(text)
        if file is not None:
            raise UnreadableFileError(file["name"], _cause(text) or file["hint"]) from None
        raise SparkJobError(_reason(error)) from None


def shown_file(uri: str) -> str:
    """The name of a file in messages: a path if the file is on this machine.

    >>> shown_file("file:///data/a%20b.gz"), shown_file("hdfs://host/a.gz")
    ('/data/a b.gz', 'hdfs://host/a.gz')
    """
    return re.sub("^file:/+", "/", unquote(uri, errors="surrogateescape"))


def _cause(text: str) -> str:
    """The first line of the first Java error that is not Spark's own, without its class; empty if there is no such error.

    >>> _cause("No\\n\\tat a.b\\nCaused by: org.apache.spark.SparkException: no\\nCaused by: java.io.EOFException: the end\\n")
    'the end'
    """
    causes = re.findall(
        r"^Caused by: (?!org\.apache\.spark\.)(?:[\w.$]+(?:Exception|Error): )*(.*)$", text, re.MULTILINE
    )
    return causes[0].strip() if causes else ""


def _reason(error: Exception) -> str:
    """The reason of a failed job, in one line.

    >>> _reason(ValueError("Traceback (most recent call last):\\n  File ...\\nKeyError: 'a'\\n\\tat org.apache"))
    "a worker failed with KeyError: 'a'"
    """
    text = str(error)
    if "Traceback (most recent call last):" in text:
        trace = text.rpartition("Traceback (most recent call last):")[2].split("\n\tat ")[0].splitlines()
        raised = next((line.strip() for line in trace if line.strip() and not line.startswith(" ")), "an error")
        hint = ""
        if raised.startswith("ModuleNotFoundError"):
            hint = (
                ": the workers need this package, numpy, pyarrow and pandas in the Python that runs them (PYSPARK_PYTHON); "
                "spark.submit.pyFiles=PACKAGE.zip sends them this package"
            )
        return f"a worker failed with {raised}{hint}"
    # Java detects a dead worker when it reads from the worker or writes to it.
    is_cut_off = ".python." in text and any(
        said in text for said in ("Broken pipe", "Connection reset", "java.io.EOFException")
    )
    is_told = any(
        said in text for said in ("Python worker exited unexpectedly", "Python daemon failed to launch worker")
    )
    if is_cut_off or is_told:
        tries = re.search(r"failed (\d+) times", text)
        again = (
            ", and was not tried again" if tries is None or tries[1] == "1" else f" {tries[1]} times over the same rows"
        )
        return f"a Python worker of Spark died{again}: was it killed, or out of memory?"
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    # The line of Py4J comes first, then the line of the Java error with its class.
    said = next((line for line in lines if not line.startswith("An error occurred while calling")), "")
    said = said.removeprefix(": ").split(" SQLSTATE: ")[0]
    if not said or type(error).__name__ in {"Py4JNetworkError", "ConnectionRefusedError", "ConnectionResetError"}:
        return "the connection to Spark's Java process was lost: was it killed, or out of memory?"
    return f"Spark failed: {said}"
