"""Workers of Spark: what they do with batches of rows, with the same kernel as a single process."""

from __future__ import annotations

__all__ = ["SparkWork", "row_in"]

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..kernel.comparison import Comparison
from ..kernel.errors import UtteranceError
from ..kernel.segmentation import Segmentation
from ..reading.inputs import check_rows, read_pair
from ..reading.parts import FormDoubts, parts_of, read_sides, reader_for
from ..scoring.options import Plan
from ..scoring.pipeline import compare_sides, normalized
from ..scoring.skipping import bad_utterances, good_runs
from ..scoring.tally import Tally, tally_columns_of, tally_comparison
from ..scoring.utterance_tally import tally_compared
from .poisson_bootstrap import add_resamples
from .spark_sums import clusters_seen, doubts_seen, numbers_of, resample_rows, row_without_cluster, rows_seen

Integers: TypeAlias = npt.NDArray[np.int64]
Mask: TypeAlias = npt.NDArray[np.bool_]
#: A compared part: the places of its rows in the batch, the reference, and the result of `compare_sides`.
Compared: TypeAlias = tuple[slice, Segmentation, Comparison, "Mask | None"]

# A worker returns its counts after this many utterances or units, so that its lexicon stays small and its sums fit in
# 63 bits.
_MOST_UTTERANCES, _MOST_UNITS = 1 << 17, 1 << 24


@dataclass(frozen=True)
class SparkWork:
    """The work of a worker on batches of rows with three columns: a number, the reference and the prediction.

    A fourth column may have the number of the cluster, with which the bootstrap then draws instead of that of the row.

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
        """The counts of all rows, the word types, the clusters, the sums of resamples, and errors, as rows that Spark adds up."""
        groups = [group for group in self.plan.groups if not group.needs_words]
        names: list[str] = []
        sums = np.zeros((self.n_resamples, 0), np.int64)

        def count(drawn: Integers, part: Compared) -> Tally:
            nonlocal names, sums
            _, _, comparison, kept = part
            tally = tally_comparison(comparison, kept, self.plan)
            if self.n_resamples:
                columns = tally_columns_of(comparison, groups, self.plan.settings)
                if not names:
                    names, sums = list(columns), np.zeros((self.n_resamples, len(columns)), np.int64)
                add_resamples(sums, columns, drawn, kept, self.seed)
            return tally

        yield from self._summed(batches, count)
        yield from resample_rows(names, sums)

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
        """The sum of `count` over the parts of all batches, and the error of the bad row with the smallest number.

        `count` takes the clusters of the rows, or the numbers of the rows if there are no clusters, and the part.
        """
        total, rows_count, left_out = Tally(), 0, 0
        first: tuple[int, UtteranceError] | None = None
        doubts = FormDoubts(self.plan.reading)
        for batch in batches:
            numbers, references, predictions, *clusters = batch.columns
            if numbers.null_count:
                raise ValueError("the index column has no number for a row; expected one for each")
            rows = drawn = _integers(numbers)
            rows_count += len(rows)
            if clusters:
                if clusters[0].null_count:
                    yield row_without_cluster(int(rows[clusters[0].is_null().to_numpy(zero_copy_only=False)].min()))
                drawn = _integers(clusters[0].fill_null(0))
            scored: list[Integers] = [drawn[:0]]
            if first is not None and not self.skips:
                # Only a bad row with a smaller number matters.
                places = np.flatnonzero(rows < first[0])
                rows, drawn, references, predictions = _taken(rows, drawn, references, predictions, places)
            if (np.diff(rows) < 0).any():
                places = np.argsort(rows, kind="stable")
                rows, drawn, references, predictions = _taken(rows, drawn, references, predictions, places)
            for part in self._compare(references, predictions, doubts):
                if isinstance(part, UtteranceError):
                    left_out += 1
                    number = int(rows[part.utterance])
                    if first is None or number < first[0]:
                        first = number, part
                    continue
                total.update(count(drawn[part[0]], part))
                scored.append(drawn[part[0]] if part[3] is None else drawn[part[0]][part[3]])
            if clusters:
                yield from clusters_seen(drawn, np.concatenate(scored))
            if total.counts.get("utterances", 0) > _MOST_UTTERANCES or total.counts.get("units", 0) > _MOST_UNITS:
                yield from numbers_of(total)
                total = Tally()
        yield from numbers_of(total)
        failure = None if first is None else (first[0], first[1].problem, first[1].hint, first[1].side)
        yield from rows_seen(rows_count, left_out, failure)
        yield doubts_seen(doubts)

    def _compare(
        self, references: pa.Array, predictions: pa.Array, doubts: FormDoubts | None = None
    ) -> Iterator[Compared | UtteranceError]:
        """The parts of a batch that can be compared, and the errors of bad rows, whose `utterance` is the index in the
        batch. `doubts` looks at both sides; None for rows of which each has its own scores, as no partition has all of them.

        If bad rows are skipped, all are yielded; otherwise iteration ends with the first bad row.
        """
        for part in parts_of(references):
            rows = slice(part.start, part.stop)

            def compare(start: int, stop: int, first: int = rows.start) -> Compared:
                return self._compare_rows(references, predictions, slice(first + start, first + stop), doubts)

            try:
                yield compare(0, rows.stop - rows.start)
            except UtteranceError as error:
                if not self.skips:
                    yield self._first_error(compare, error).at(rows.start)
                    return
                bad = bad_utterances(compare, rows.stop - rows.start)
                yield from (each.at(rows.start) for each in bad.values())
                yield from (compare(*run) for run in good_runs(bad, rows.stop - rows.start))

    def _first_error(self, compare: Callable[[int, int], Compared], error: UtteranceError) -> UtteranceError:
        """The error of the first bad row: both sides are read before they are compared, so that a row before may be bad too."""
        try:
            if error.utterance:
                compare(0, error.utterance)
        except UtteranceError as earlier:
            return self._first_error(compare, earlier)
        return error

    def _compare_rows(
        self, references: pa.Array, predictions: pa.Array, rows: slice, doubts: FormDoubts | None
    ) -> Compared:
        sides = []
        for name, column in (("references", references), ("predictions", predictions)):
            side = column.slice(rows.start, rows.stop - rows.start)
            check_rows(side, name)
            sides.append(side)
        columns = read_pair(*sides)
        if doubts:
            for column in columns:
                doubts.look_at(column)
        read = reader_for(self.form, self.plan.reading)
        part = slice(0, rows.stop - rows.start)
        names = dict(zip(("references", "predictions"), columns, strict=True))
        reference, prediction = read_sides(names, part, self.plan.reading, read)
        comparison, kept = compare_sides(reference, prediction, self.plan)
        return rows, reference, comparison, kept

    def _placed(self, number: int, error: UtteranceError) -> str:
        """The message of an error, with the place of its row."""
        side = f"{error.side}, " if error.side else ""
        place = f"utterance {number}" if self.is_numbered else f"row {row_in(number)} of partition {number >> 33}"
        return f"{side}{place}: {error.detail}"


def row_in(number: int) -> int:
    """The number of a row in its partition, from `monotonically_increasing_id`, whose upper bits (from 33) are the partition."""
    return number & ((1 << 33) - 1)


def _integers(column: pa.Array) -> Integers:
    """The values of a column of integers without nulls, not copied."""
    return np.frombuffer(column.buffers()[1], np.int64)[column.offset : column.offset + len(column)]


def _taken(
    rows: Integers, drawn: Integers, references: pa.Array, predictions: pa.Array, places: npt.NDArray[np.intp]
) -> tuple[Integers, Integers, pa.Array, pa.Array]:
    indices = pa.array(places)
    return rows[places], drawn[places], references.take(indices), predictions.take(indices)
