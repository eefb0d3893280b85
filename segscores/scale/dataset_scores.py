"""Dataset scores: the scores of two columns of a dataset, read batch by batch without copying it.

Conventions
-----------
- A row is a pair of utterances: one column has the reference and one the prediction, as strings, lists of words, or
  lists of labels. Rows are numbered from 0 in the dataset's order, over all batches.
- A dataset is a `datasets.Dataset`, a streaming `datasets.IterableDataset`, or an object that exports a stream of Arrow
  batches, such as a `pyarrow.Table`. This module does not import `datasets`.
- Columns are read as stored: a format or transform that was set on the dataset is not applied, and stays set.
- The calling thread reads, while parts of `PART_BYTES` are counted on all cores. Only a few parts are in memory at a
  time. So memory is constant except for the word types, and nothing is written to a cache. Intervals and macro averages need
  the counts of every row in memory: for the default scores about 100 bytes, and 5 bytes for each of its word types.

Streams
-------
An `IterableDataset` of Arrow data is read as Arrow batches, and one of Python examples as lists:
`datasets` would convert each example to a table, slowly and each with its own types. If the window size comes from the
whole reference, the dataset is read twice, and a stream must give the same rows both times.

Bad rows
--------
With `on_error="raise"` the first bad row is the error; with `"skip"` bad rows are left out (see
`skipping`), and the scores are those of the others. Columns of unknown form are always an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..kernel.comparison import Comparison
from ..kernel.errors import UtteranceError, warn
from ..kernel.parallel import map_in_order
from ..kernel.segmentation import Segmentation
from ..measures.windows import reference_window_size
from ..reading.inputs import EXPECTED, FORM_NAMES, Column, read_pair
from ..reading.inputs import check_rows as check_values
from ..reading.parts import PART_BYTES, FormDoubts, check_form, parts_of, read_sides, reader_for
from ..scoring.option_docs import with_options
from ..scoring.options import Plan, ScoringOptions
from ..scoring.pipeline import compare_sides, normalized, require_window_size, score_tally
from ..scoring.skipping import LeftOut, check_on_error, compare_good
from ..scoring.tally import Tally, tally_comparison
from ..scoring.utterance_tally import UtteranceTally, concatenate, tally_compared
from ..statistics.utterance_scores import Resampling, score_utterances

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: The number of rows to read from a dataset at a time, equal to the batches that `datasets` writes.
BATCH_SIZE = 1000

Result = TypeVar("Result")
#: A column of a batch: Arrow, or a list of Python's values.
Values: TypeAlias = "Column | list[Any]"
#: Computes a result from the reference of some rows, the comparison, and which rows it has.
Work: TypeAlias = Callable[[Segmentation, Comparison, "npt.NDArray[np.bool_] | None"], Result]


@with_options
def score_dataset(
    dataset: Any,
    *,
    reference_column: str = "reference",
    prediction_column: str = "prediction",
    on_error: str = "raise",
    batch_size: int = BATCH_SIZE,
    average: str = "micro",
    confidence: float | None = None,
    n_resamples: int = 1000,
    seed: int = 0,
    interval_method: str = "percentile",
    clusters: str | None = None,
    **options: Unpack[ScoringOptions],
) -> dict[str, float]:
    """Score two columns of a dataset.

    Args:
        dataset: a `datasets.Dataset`, a `datasets.IterableDataset` or an Arrow table.
        reference_column, prediction_column: names of columns of strings, of lists of strings, or of lists of integers.
        on_error: `"raise"` or `"skip"`: what to do with rows that cannot be scored.
        batch_size: the number of rows to read at a time; small batches are joined before they are scored.
        average, confidence, n_resamples, seed, interval_method: as in `segscores.score`.
        clusters: name of a column of strings or integers with the id of the document, speaker or session of each row; rows
            with the same id are resampled together. None resamples rows.
        **options: those of `ScoringOptions`; an unknown one is a TypeError.

    Returns:
        Plain floats by score key; with `confidence`, each followed by `<key>_low` and `<key>_high`. The naive equivalent is
        `segscores.score` of the two columns, with the column of clusters.

    Raises:
        TypeError: the argument is not a dataset, columns have another type, or an option has the wrong type.
        ValueError: an unknown column, no row, no row that can be scored, or a bad option; or the dataset can be read
            only once, and the window size needs it as a whole.
        UtteranceError: a row cannot be scored, or has no cluster; it has the row's number.

    Errors of the dataset itself are raised unchanged, from Python 3.11 with a note of the number of rows read before.

    Warns:
        UserWarning: rows were left out; or as `utterance_scores.score_utterances`.

    >>> table = pa.table({"gold": ["the dog is on", "the boat"], "system": ["thedog is on", "the boat"]})
    >>> columns = {"reference_column": "gold", "prediction_column": "system"}
    >>> scores = score_dataset(table, **columns, text_format="words", scores="token")
    >>> {key: round(value, 2) for key, value in scores.items()}
    {'token_precision': 0.8, 'token_recall': 0.67, 'token_fscore': 0.73}
    """
    plan = Plan.of(**options)
    resampling = Resampling(average, confidence, n_resamples, seed, interval_method, clusters)
    if clusters is not None and not isinstance(clusters, str):
        raise TypeError(f"clusters: expected the name of a column, received {clusters!r}.")
    source = RowSource(dataset, reference_column, prediction_column, on_error, batch_size)
    before = None
    if plan.needs_window_size:
        if isinstance(dataset, pa.RecordBatchReader):
            require_window_size(plan)
        first_pass = RowPass(source, plan, partial(_reference_of, plan))
        plan = plan.with_window_size(reference_window_size(first_pass, plan.values["window_convention"]))
        before = first_pass.left_out
    if resampling.needs_utterances:
        by_row = RowPass(replace(source, clusters=clusters), plan, partial(_tally_each_row, plan))
        tallies = list(by_row)
        check_rows(by_row.left_out, before)
        by_row.warn()
        ids = None if clusters is None else pa.concat_arrays(_of_one_type(by_row.clusters))
        return score_utterances(concatenate(tallies), plan, replace(resampling, clusters=ids))
    counting = RowPass(source, plan, partial(tally_rows, plan))
    total = Tally()
    for tally in counting:
        total.update(tally)
    check_rows(counting.left_out, before)
    counting.warn()
    return score_tally(total, plan)


def _reference_of(plan: Plan, reference: Segmentation, *_: Any) -> Segmentation:
    return normalized(reference, plan.reading)


def tally_rows(plan: Plan, _: Segmentation, comparison: Comparison, kept: npt.NDArray[np.bool_] | None) -> Tally:
    """The tally of some rows, as a `Work`."""
    return tally_comparison(comparison, kept, plan)


def _tally_each_row(
    plan: Plan, _: Segmentation, comparison: Comparison, kept: npt.NDArray[np.bool_] | None
) -> UtteranceTally:
    return tally_compared(comparison, kept, plan)


def check_rows(now: LeftOut, before: LeftOut | None = None) -> None:
    """Check that a pass over a dataset had rows, the same as a pass before for the window size.

    Raises:
        ValueError: there is no row, or there are others.
    """
    total = now.total
    if before is not None and (before.utterances, before.total) != (now.utterances, now.total):
        raise ValueError(
            f"the dataset gave {before.total} rows when it was read for the window size, and {total} when it "
            f'was read again; expected the same: pass window_size, a number of gaps or "utterance", for it to be read once.'
        )
    if not total:
        raise ValueError("there is nothing to score: expected at least one row, received none.")


def _of_one_type(ids: Sequence[pa.Array]) -> Sequence[pa.Array]:
    """The ids of all parts, which must have one type."""
    kinds = {array.type for array in ids}
    if len(kinds) > 1:
        received = " and ".join(sorted(map(str, kinds)))
        raise TypeError(f"clusters: expected ids that are all strings or all integers, received {received}.")
    return ids


def _read_ids(values: Values, column: str) -> pa.Array:
    """The ids of some rows, as large_string or an integer type."""
    try:
        ids = pa.array(values) if isinstance(values, list) else _one_array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError) as error:
        raise TypeError(f"clusters: expected ids that are all strings or all integers of 64 bits ({error}).") from None
    if pa.types.is_dictionary(ids.type):
        # Its values may be null too.
        ids = ids.dictionary_decode()
    if ids.null_count:
        row = int(np.argmax(ids.is_null().to_numpy(zero_copy_only=False)))
        problem = f"there is no id in the column {column!r}; expected one for each row."
        raise UtteranceError(row, problem, hint="Give a row that belongs to no cluster a unique id.")
    if pa.types.is_nested(ids.type) or pa.types.is_floating(ids.type):
        raise TypeError(f"clusters: expected ids that are strings or integers, received {ids.type}.")
    return ids if pa.types.is_integer(ids.type) else ids.cast(pa.large_string())


@dataclass(frozen=True)
class RowSource:
    """A dataset, and how to read it.

    Raises:
        TypeError, ValueError: not a dataset, or a bad option.
    """

    dataset: Any
    reference_column: str
    prediction_column: str
    on_error: str
    batch_size: int = BATCH_SIZE
    clusters: str | None = None

    def __post_init__(self) -> None:
        check_on_error(self.on_error)
        for option in ("reference_column", "prediction_column"):
            if not isinstance(getattr(self, option), str):
                raise TypeError(f"{option}: expected the name of a column, received {getattr(self, option)!r}.")
        if type(self.batch_size) is not int:
            raise TypeError(f"batch_size: expected an integer, received {self.batch_size!r}.")
        if self.batch_size < 1:
            raise ValueError(f"batch_size: expected a number from 1, received {self.batch_size}.")
        expected = "expected a datasets.Dataset, a datasets.IterableDataset or an Arrow table"
        if isinstance(self.dataset, Mapping):
            raise TypeError(
                f"received a {type(self.dataset).__name__}; {expected}: pass one of its splits: "
                f"{', '.join(map(str, self.dataset))}."
            )
        if not self._is_of_datasets and not hasattr(self.dataset, "__arrow_c_stream__"):
            raise TypeError(f"received a value of type {type(self.dataset).__name__}; {expected}.")

    @property
    def _is_of_datasets(self) -> bool:
        return hasattr(self.dataset, "with_format") and hasattr(self.dataset, "iter")

    @property
    def _names(self) -> tuple[str, ...]:
        further = () if self.clusters is None else (self.clusters,)
        return self.reference_column, self.prediction_column, *further

    def parts(self) -> Iterator[Rows]:
        """The rows: Arrow data in parts of `PART_BYTES`, other data in its own batches."""
        first = 0
        for columns in _join_batches(self._read()):
            rows = len(columns[0])
            for part in [slice(0, rows)] if isinstance(columns[0], list) else parts_of(columns[0]):
                yield Rows(first + part.start, *(column[part] for column in columns))
            first += rows

    def _read(self) -> Iterator[tuple[Values, ...]]:
        """The columns, batch by batch."""
        for batch in self._read_datasets() if self._is_of_datasets else self._read_arrow():
            self._check_names(batch.column_names if isinstance(batch, pa.Table) else list(batch))
            yield tuple(batch[name] for name in self._names)

    def _read_arrow(self) -> Iterator[pa.Table]:
        reader = pa.RecordBatchReader.from_stream(self.dataset)
        self._check_names(reader.schema.names)
        return _counted(pa.Table.from_batches([batch]) for batch in reader)

    def _read_datasets(self) -> Iterator[pa.Table | dict[str, list[Any]]]:
        # None if only a batch shows the columns.
        known = self.dataset.column_names
        if known is not None:
            self._check_names(known)
        # Only the internals of an IterableDataset show whether Python code makes its examples.
        examples = getattr(self.dataset, "_ex_iterable", None)
        is_arrow = examples is None or getattr(examples, "iter_arrow", None) is not None
        plain = self.dataset.with_format("arrow" if is_arrow else None)
        if known is not None:
            plain = plain.select_columns(list(dict.fromkeys(self._names)))
        return _counted(plain.iter(self.batch_size))

    def _check_names(self, known: Sequence[str]) -> None:
        for name in self._names:
            if name not in known:
                raise ValueError(f"there is no column {name!r}: the dataset has {', '.join(map(repr, known))}.")
            if known.count(name) > 1:
                raise ValueError(f"there are {known.count(name)} columns {name!r}; expected one.")


Batch = TypeVar("Batch", bound="pa.Table | dict[str, list[Any]]")


def _counted(batches: Iterable[Batch]) -> Iterator[Batch]:
    """The batches; an error gets a note of the number of rows before it."""
    rows = 0
    try:
        for batch in batches:
            yield batch
            rows += len(batch) if isinstance(batch, pa.Table) else len(next(iter(batch.values())))
    except Exception as error:
        if hasattr(error, "add_note"):
            error.add_note(f"{rows} rows of the dataset were read before.")
        raise


def _join_batches(batches: Iterable[tuple[Values, ...]]) -> Iterator[tuple[Values, ...]]:
    """Join small batches of Arrow as long as they fit into a part. Each part becomes one chunk, because rows that `datasets` has
    gathered are a chunk each, which makes every access slow. Empty batches are dropped.
    """
    held: list[tuple[Any, ...]] = []
    held_bytes = 0
    for batch in batches:
        if not len(batch[0]):
            continue
        size = PART_BYTES if isinstance(batch[0], list) else batch[0].nbytes
        if held and (held_bytes + size >= PART_BYTES or _types(batch) != _types(held[0])):
            yield _joined(held)
            held, held_bytes = [], 0
        if size >= PART_BYTES:
            yield batch
        else:
            held.append(batch)
            held_bytes += size
    if held:
        yield _joined(held)


def _types(batch: tuple[Any, ...]) -> list[pa.DataType]:
    return [column.type for column in batch]


def _joined(batches: Sequence[tuple[Any, ...]]) -> tuple[Values, ...]:
    return tuple(
        pa.chunked_array([_one_array(pa.chunked_array([_one_array(column) for column in side]))])
        for side in zip(*batches, strict=True)
    )


def _one_array(column: Column) -> pa.Array:
    chunks = column.combine_chunks()
    return chunks if isinstance(chunks, pa.Array) else pa.concat_arrays(chunks.chunks)


@dataclass(frozen=True)
class Rows:
    """Consecutive rows of a dataset.

    Attributes:
        first: the number of the first one.
        references, predictions: the values.
        clusters: the ids of clusters, if they are read.
    """

    first: int
    references: Values
    predictions: Values
    clusters: Values | None = None

    def __len__(self) -> int:
        return len(self.references)

    def slice(self, start: int, stop: int) -> Rows:
        """The rows from `start` to before `stop`, counted in these."""
        return Rows(self.first + start, self.references[start:stop], self.predictions[start:stop])


@dataclass
class RowPass(Generic[Result]):
    """One pass over a dataset: iteration yields the results of `work` for consecutive rows that can be scored.

    Attributes:
        source: the dataset.
        plan: how to read and compare rows.
        work: called for each part.
        map_parts: as `map`; by default in threads on all cores.
        form: the form of utterances, a name of FORM_NAMES; None until it is known.
        left_out: the number of rows, and the rows that were left out.
        clusters: the ids of the rows that were not left out, by part.
        doubts: signs of another form.

    Raises:
        TypeError: rows have an unknown form, a form that differs from earlier rows, or one that contradicts the options.
        UtteranceError: a row cannot be scored.
        ValueError: none can be scored, or Arrow data is damaged.
    """

    source: RowSource
    plan: Plan
    work: Work[Result]
    map_parts: Callable[..., Iterator[Any]] = map_in_order
    form: str | None = None
    left_out: LeftOut = field(default_factory=LeftOut)
    clusters: list[pa.Array] = field(default_factory=list)
    doubts: FormDoubts = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.doubts = FormDoubts(self.plan.reading)

    def __iter__(self) -> Iterator[Result]:
        try:
            yield from self.results()
        except UtteranceError:
            # The tags of both sides differ, as units do.
            self.doubts.reject_tags()
            raise
        self.doubts.reject_tags()
        self.left_out.check()

    def results(self) -> Iterator[Result]:
        """As iteration, without the checks at its end."""
        for forms, result, left_out, ids in self.map_parts(self._count_part, self.source.parts()):
            for first, form in forms:
                if self.form and form and form != self.form:
                    raise TypeError(
                        f"mixed forms: the rows from {first} are {form}, earlier rows are {self.form}; expected the same form "
                        f"for every row."
                    )
                self.form = self.form or form
            yield result
            self.left_out.update(left_out)
            self.clusters += ids

    def warn(self) -> None:
        """Warn of rows that were left out, and of units text without boundaries."""
        self.doubts.warn()
        if self.left_out.utterances:
            warn(self.left_out.message())

    def _read(self, rows: Rows) -> tuple[str | None, Segmentation, Segmentation]:
        """The form of some rows, and both sides."""
        sides = [_checked(rows.references, "references"), _checked(rows.predictions, "predictions")]
        try:
            references, predictions = read_pair(*sides)
        except TypeError as error:
            raise TypeError(f"counted from row {rows.first}: {error}" if rows.first else str(error)) from None
        check_form(references.type, self.plan.reading)
        for column in (references, predictions):
            self.doubts.look_at(column)
        read, whole = reader_for(references.type, self.plan.reading), slice(0, len(rows))
        columns = {"references": references, "predictions": predictions}
        reference, prediction = read_sides(
            columns, whole, self.plan.reading, read, may_differ=self.plan.on_mismatch == "skip"
        )
        return FORM_NAMES.get(references.type), reference, prediction

    def _count_part(self, rows: Rows) -> tuple[list[tuple[int, str | None]], Result, LeftOut, list[pa.Array]]:
        """The first row of a known form, the results of the work for rows that can be scored, the rows that were left out, and
        the clusters of the others.
        """
        forms: dict[str | None, int] = {}

        def read(start: int, stop: int) -> tuple[Segmentation, Segmentation]:
            form, *sides = self._read(rows.slice(start, stop))
            forms.setdefault(form, rows.first + start)
            return sides[0], sides[1]

        good: npt.NDArray[np.bool_] | None = None
        try:
            ids = [] if rows.clusters is None else [_read_ids(rows.clusters, str(self.source.clusters))]
            if self.source.on_error == "raise":
                reference, prediction = read(0, len(rows))
                result = self.work(reference, *compare_sides(reference, prediction, self.plan))
                left_out = LeftOut(total=len(rows))
            else:
                found = compare_good(read, len(rows), self.plan)
                good = found.good
                result = self.work(found.reference, found.comparison, found.kept)
                first = "" if found.first_error is None else str(found.first_error.at(rows.first))
                left_out = LeftOut(found.count_bad, len(rows), first)
        except pa.ArrowInvalid as error:
            raise ValueError(f"the dataset is damaged in the rows from {rows.first}: {error}") from error
        except UtteranceError as error:
            raise error.at(rows.first) from None
        if good is not None:
            ids = [array.filter(pa.array(good)) for array in ids]
        return [(first_row, form) for form, first_row in forms.items()], result, left_out, ids


def _checked(values: Values, side: str) -> pa.Array | list[Any]:
    """A column without missing values or bytes that are not text."""
    if not isinstance(values, list):
        array = _one_array(values)
        check_values(array, side)
        return array
    for row, value in enumerate(values):
        if value is None:
            raise UtteranceError(row, f"received None; {EXPECTED}.", side=side)
        if isinstance(value, list) and None in value:
            raise UtteranceError(row, f"received a list with None in it; {EXPECTED}.", side=side)
    return values
