"""The adapter for data frames of Apache Spark: its workers tally the rows of each partition, the driver adds up and scores.

Conventions
-----------
- A row is a pair of utterances. `mapInArrow` passes the rows of a partition to a Python worker, which tallies them as
  `score_dataset` does, in one thread, as Spark runs a task on each core. All counts are integers, so the scores equal those of
  one process, however the rows are distributed, and however often Spark repeats the work of a worker that is lost.
- The answer of a partition is its tally, pickled: counts, and the word types if they are scored. Spark brings the answers
  together in `_GROUPS` groups, each of which a worker adds up, so that the driver adds up few answers. The driver needs memory
  for the word types of the corpus.
- A default window size takes a pass over all rows before the scoring.
- The workers need this package in the driver's version, numpy and pyarrow; pyspark needs pandas for `mapInArrow`.
"""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import pyarrow as pa

from ..options.errors import UtteranceError
from ..options.keywords import ScoringOptions, Unpack
from ..options.messages import Message
from ..options.quoting import shortened
from ..reading.reading import Reading
from ..reading.sources.memory import dataset_source
from ..reading.sources.source import Side, Source, in_formats
from ..reading.trouble import Trouble
from ..scoring.functions import with_options
from ..scoring.measures.group import CorpusSize
from ..scoring.measures.oov import vocabulary_of, warn_of_implausible_rate
from ..scoring.observations import Observations
from ..scoring.passes import check_same, size_of, sum_tallies
from ..scoring.piece import Piece
from ..scoring.plan import Plan
from ..scoring.tally import Tally, score_tally

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: The number of groups of answers that workers add up, so that the driver adds up this many.
_GROUPS = 4
_ROLES = ("references", "predictions")
#: The sides that messages about a whole data frame name; nothing is read from them.
_FRAME = [Side(role, (Source("the data frame", lambda: iter(()), "row"),), Reading()) for role in _ROLES]


class _Problem(NamedTuple):
    """A problem of the rows of a partition."""

    partition: int  #: the number of the partition
    problem: Any  #: an error; or of a row that was left out its place and its problem, as text


@dataclass
class _Answer:
    """The answer of a partition, or the sum of several."""

    observed: Observations
    tally: Tally = field(default_factory=Tally)
    units: set[str] = field(default_factory=set)  #: the kinds of units of a text that was compared with a vocabulary
    first_left_out: _Problem | None = None  #: of the first row that was left out; None if none was
    error: _Problem | None = None  #: the error of rows that cannot be scored; None if all can

    @classmethod
    def of(cls, plan: Plan) -> _Answer:
        """Return the answer of no rows, which are read as the plan says."""
        return cls(observed=Observations(trouble=Trouble(plan.reading)))

    def update(self, other: _Answer) -> None:
        """Add another answer; of two problems, that of the partition with the lower number stays, whichever ends first."""
        self.tally.update(other.tally)
        self.observed.update(other.observed, _FRAME)
        self.units |= other.units
        self.first_left_out = _of_earlier_partition(self.first_left_out, other.first_left_out)
        self.error = _of_earlier_partition(self.error, other.error)


def _of_earlier_partition(left: _Problem | None, right: _Problem | None) -> _Problem | None:
    """Return the problem of the partition with the lower number; None stands for no problem."""
    if left is None:
        return right
    if right is None:
        return left
    if right.partition < left.partition:
        return right
    return left


#: The work on a partition, `_tally_sizes` or `_tally_rows`: from its sides, the plan and options of a pass to counts and
#: observations.
_Pass: TypeAlias = Callable[..., tuple[Tally, Observations]]


@with_options
def score_dataframe(
    frame: DataFrame,
    *,
    reference_column: str = "reference",
    prediction_column: str = "prediction",
    **options: Unpack[ScoringOptions],
) -> dict[str, float]:
    """Score two columns of a data frame of Spark.

    Args:
        frame: a `pyspark.sql.DataFrame` with a row for each pair of utterances.
        reference_column, prediction_column: names of columns of strings, of arrays of strings, or of arrays of integers.
        **options: those of `ScoringOptions`; an unknown one is a TypeError.

    Returns:
        Plain floats by score key. The naive equivalent is `segscores.score` of the two columns.

    Raises:
        TypeError: the argument is not a data frame of Spark, columns have another type, or an option has the wrong type.
        ValueError: an unknown column, no row, a bad option; or a row cannot be scored: the message names its partition and shows
            its utterances.

    Errors of Spark itself are raised unchanged.

    Warns:
        UserWarning: rows were left out; or as `tally.score_tally`.
    """
    plan = Plan.of(**options)
    rows = _select(frame, reference_column=reference_column, prediction_column=prediction_column)
    observed_before = None
    if plan.option_needing_reference is not None:
        # An option, such as the window size, has its default from the size of the reference: a pass of its own.
        sizes = _add_up(rows, plan, _tally_sizes)
        observed_before = sizes.observed
        plan = plan.with_reference(CorpusSize(**sizes.tally.counts))
    total = _add_up(rows, plan, _tally_rows)
    # Raise an error if the second pass had another number of rows: the data frame changes.
    check_same(observed_before, total.observed, plan)
    # Raise an error if nothing was scored, and warn of rows that were left out.
    total.observed.trouble.conclude(_FRAME, total.observed.utterances)
    vocabulary = vocabulary_of(plan.settings)
    # Kinds of units are noted only where text was compared with a vocabulary.
    for unit in total.units:
        assert vocabulary is not None
        warn_of_implausible_rate(total.tally.totals(), vocabulary, unit)
    return score_tally(total.tally, plan)


def _select(frame: Any, **columns: str) -> DataFrame:
    """Return two columns of a data frame, named as the sides are; `columns` are the options that name them, with their values."""
    if not hasattr(frame, "mapInArrow"):
        package = type(frame).__module__.partition(".")[0]
        kind = type(frame).__name__
        raise TypeError(
            f"received a value of type {package}.{kind}; expected a DataFrame of Spark. score_dataset scores a "
            "datasets.Dataset, an Arrow table or a pandas frame in this process."
        )
    for option, name in columns.items():
        if not isinstance(name, str):
            raise TypeError(f"{option}: expected the name of a column, received {name!r}.")
        if name not in frame.columns:
            raise ValueError(f"{option}: there is no column {name!r}; the columns are {', '.join(frame.columns)}.")
    renamed = []
    for name, role in zip(columns.values(), _ROLES, strict=True):
        # Quote names, which may have dots or backticks.
        quoted = "`" + name.replace("`", "``") + "`"
        renamed.append(frame[quoted].alias(role))
    selected: DataFrame = frame.select(*renamed)
    return selected


def _add_up(rows: DataFrame, plan: Plan, work: _Pass) -> _Answer:
    """Return the sum of the answers of all partitions, whose rows `work` counts; raise the error of the first that has one."""
    answers = _map_in_arrow(rows, partial(_tally_partition, plan, work))
    collected = _map_in_arrow(answers.repartition(_GROUPS), partial(_merge, plan)).collect()
    total = _sum(plan, (row.answer for row in collected))
    trouble = total.observed.trouble
    # Tags that are read as words make the units of the sides differ: raise the error about tags first.
    trouble.item_signs.reject_tags()
    if total.error is not None:
        raise total.error.problem
    if total.first_left_out is not None:
        partition, problem = total.first_left_out
        # The message on rows that were left out shows the first of them. The prediction is side 1.
        trouble.left_out[1].first = f"in partition {partition}: {problem}"
    return total


def _map_in_arrow(frame: DataFrame, function: Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]) -> Any:
    """Return the data frame of the answers that a function makes of the rows of each partition, in workers."""
    with warnings.catch_warnings():
        # Hide the warning of pyspark about newer versions of pandas.
        warnings.simplefilter("ignore", FutureWarning)
        return frame.mapInArrow(function, "answer binary")


def _sum(plan: Plan, answers: Iterable[bytes]) -> _Answer:
    """Add up pickled answers."""
    total = _Answer.of(plan)
    for answer in answers:
        total.update(pickle.loads(answer))
    return total


def _merge(plan: Plan, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the sum of the answers of a group, in a worker; `batches` have one column, of pickled answers."""
    answers = chain.from_iterable(batch.column(0).to_pylist() for batch in batches)
    yield _batch_of(_sum(plan, answers))


def _batch_of(answer: _Answer) -> pa.RecordBatch:
    """Return a batch of one row with a pickled answer."""
    return pa.RecordBatch.from_pydict({"answer": pa.array([pickle.dumps(answer)], pa.binary())})


def _tally_partition(plan: Plan, work: _Pass, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the answer of a partition, in a worker; none for a partition without rows.

    An error is an answer too: Spark would repeat a task that fails.
    """
    from pyspark import TaskContext  # noqa: PLC0415 - an extra

    # The first batch has the schema, and is read with the others.
    first_batch = next(batches, None)
    if first_batch is None:
        return
    partition = TaskContext.get().partitionId()
    answer = _Answer.of(plan)
    sides = _sides_of(pa.RecordBatchReader.from_batches(first_batch.schema, chain([first_batch], batches)), plan)
    # The driver warns, and raises the error that nothing was scored, for all partitions together.
    options = {"concludes": False, "workers": 1, "explain": partial(_explain, partition)}
    try:
        answer.tally, answer.observed = work(sides, plan, **options)
    except (TypeError, ValueError) as error:
        answer.error = _Problem(partition, error)
    for left_out in answer.observed.trouble.left_out.values():
        if left_out.first:
            # Partitions answer in any order, and the sum of answers would keep the first text that arrives. So the text is taken
            # out here, and the driver puts back the text of the partition with the lowest number.
            answer.first_left_out = _Problem(partition, left_out.first)
            left_out.first = ""
    # The driver does not need the sources, which belong to this worker.
    answer.observed.extents = []
    vocabulary = vocabulary_of(plan.settings)
    if vocabulary is not None:
        # A vocabulary records the kinds of units of the text that it is compared with, and this worker has a copy of it.
        answer.units.update(vocabulary.units)
    yield _batch_of(answer)


def _sides_of(reader: pa.RecordBatchReader, plan: Plan) -> list[Side]:
    """Return the sides of a partition, each of which is a column of its batches."""
    # The batches are cut already, so that their size is of no use.
    source = dataset_source(reader, _ROLES, batch_size=0)
    sides = [Side(role, (source,), plan.reading, column) for column, role in enumerate(_ROLES)]
    return in_formats(sides, plan.reading)


def _tally_rows(sides: Sequence[Side], plan: Plan, **options: Any) -> tuple[Tally, Observations]:
    """Count the pairs of a partition."""
    (tally,), observed = sum_tallies(sides, plan, **options)
    return tally, observed


def _tally_sizes(sides: Sequence[Side], _plan: Plan, **options: Any) -> tuple[Tally, Observations]:
    """Count the words and units of the references of a partition, as counts that add up."""
    reference, _prediction = sides
    size, observed = size_of(reference, **options)
    return Tally(asdict(size)), observed


def _explain(partition: int, error: UtteranceError, row: Piece) -> ValueError:
    """Return an error that names the partition and shows the utterances: `row 3 of partition 1 (from 0): …`.

    `row` is a piece of one utterance, the one with the error.
    """
    place = f"row {error.utterance} of partition {partition} (from 0): "
    if error.side:
        place += f"{error.side}: "
    (reference,) = row.raw(0)
    utterances = f"the reference {_shown(reference)}"
    # `_tally_sizes` reads no prediction.
    if len(row.sides) > 1:
        (prediction,) = row.raw(1)
        utterances += f" and the prediction {_shown(prediction)}"
    return ValueError(Message(place, error.detail, f" The row has {utterances}."))


def _shown(value: pa.Scalar) -> str:
    """Return an utterance for a message; its bytes if it is no UTF-8."""
    try:
        return shortened(value.as_py())
    except UnicodeDecodeError:
        # A string has a buffer; a list has none.
        if hasattr(value, "as_buffer"):
            return shortened(value.as_buffer().to_pybytes())
        return shortened("(not text)")
