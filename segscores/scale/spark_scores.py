"""Spark scores: the scores of a DataFrame of Apache Spark, counted by Spark's workers.

Conventions
-----------
- A row is a pair of utterances: one column has the reference and one the prediction, as strings, lists of words, or
  lists of labels. Counts and formulas are those of `scoring`.
- `mapInArrow` passes batches of rows to Python workers (`spark_workers`), which run the same kernel as a single process
  and return numbers and word types, which Spark adds up (`spark_sums`). All counts are integers, so that they equal those of
  a single process, however the rows are distributed.
- One job does everything, except that a window size computed from the reference takes another job before it.
- The workers import this package, numpy and pyarrow; pyspark itself needs pandas for `mapInArrow`.

Rows and their numbers
----------------------
Rows of a DataFrame have no order. `index_column` names a column with a distinct integer for each row. Messages name the row by
this number, and resamples depend on it. Without such a column, messages name the index of the row in `df.collect()`, from 0.

Clusters
--------
`clusters` names a column with the id of the document, speaker or session of each row. Resamples then depend on the ids alone:
on an integer itself, on the 64-bit hash of a string (Spark's `xxhash64`). So the rows of a cluster have the same weight in
every partition, and no row moves. Of more than a million clusters, some two have the same hash with a probability below
10⁻⁶. Spark counts the clusters in the job that adds up the counts.

Bad rows
--------
With `on_error="raise"` the error names the bad row with the smallest number. With `on_error="skip"`
bad rows are left out, and a warning or the tally gives their number. With another `on_mismatch` than `"error"`, rows
whose units differ are not bad.

Intervals are those of `poisson_bootstrap`.
"""

from __future__ import annotations

__all__ = ["DataframeTally", "per_utterance_dataframe", "score_dataframe", "tally_dataframe"]

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..kernel.errors import OptionError, UtteranceError
from ..measures.oov import warn_of_implausible_rate
from ..measures.registry import compute_scores
from ..measures.windows import default_window_size
from ..reading.inputs import FORM_NAMES, LABELS, TEXT, WORDS
from ..reading.parts import FormDoubts, check_form
from ..scoring.option_docs import with_options
from ..scoring.options import Plan, ScoringOptions
from ..scoring.pipeline import warn_of_scores, warn_of_skipped
from ..scoring.skipping import LeftOut, check_on_error
from ..scoring.utterance_tally import PREDICTION, REFERENCE
from ..statistics.clusters import check_count, warn_of_few
from ..statistics.resampling import (
    check_resampling,
    lacks_variance,
    levels_of,
    quantile_interval,
    split_keys,
    whole_ranges,
)
from ..statistics.utterance_scores import warn_of_missing
from .spark_errors import explained
from .spark_sums import Failure, Totals, add_up, map_in_arrow
from .spark_workers import SparkWork, row_in

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from typing_extensions import Unpack

Floats: TypeAlias = npt.NDArray[np.float64]


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
        clusters, scored_clusters: the number of clusters with a row, and with a scored row; None if rows were resampled.
    """

    counts: dict[str, int]
    plan: Plan
    form: str
    rows: int
    left_out: int = 0
    first_left_out: UtteranceError | None = None
    resampled: Mapping[str, Floats] = field(default_factory=dict)
    clusters: int | None = None
    scored_clusters: int | None = None

    def scores(self) -> dict[str, float]:
        """The scores, as plain floats."""
        scores = compute_scores(self.counts, self.plan.keys, self.plan.zero_division)
        return {key: float(value) for key, value in scores.items()}

    def intervals(self, confidence: float = 0.95) -> dict[str, tuple[float, float]]:
        """The percentile interval of each score that is a formula of sums; type scores have no interval.

        An interval is nan if the score is the same in all resamples, and not −1, 0 or 1.

        Args:
            confidence: the share of such intervals that contain the true score, in (0, 1).

        Raises:
            ValueError: the tally has no resamples, or fewer than two utterances or clusters.
        """
        check_resampling(confidence=confidence, n_resamples=1, seed=0)
        if not self.resampled:
            raise ValueError("the tally has no resamples: pass n_resamples to tally_dataframe.")
        check_count(*self._drawn())
        keys, _ = split_keys(self.plan.keys)
        scores = self.scores()
        replicates = compute_scores(self.resampled, keys, self.plan.zero_division)  # type: ignore[arg-type]
        is_empty = self.resampled["utterances"] == 0
        found = {}
        for key in keys:
            values = np.where(is_empty, np.nan, replicates[key])
            found[key] = (
                (math.nan, math.nan)
                if lacks_variance(scores[key], values)
                else quantile_interval(scores[key], values, levels_of(confidence))
            )
        return found

    def warn_of_intervals(self, found: Mapping[str, tuple[float, float]], confidence: float) -> None:
        """Warn of intervals that say little.

        Args:
            found: the intervals.
            confidence: their level.

        Warns:
            UserWarning: there are few utterances or clusters, or a score has no interval.
        """
        count, noun = self._drawn()
        warn_of_few(count, whole_ranges(found, confidence), noun=noun)
        warn_of_missing({key: self.scores()[key] for key in found}, found, is_clustered=self.clusters is not None)

    def _drawn(self) -> tuple[int, str]:
        """The number of scored utterances or clusters that were resampled, and which of the two."""
        if self.scored_clusters is None:
            return self.counts["utterances"], "utterance"
        return self.scored_clusters, "cluster"


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
    clusters: str | None = None,
    **options: Unpack[ScoringOptions],
) -> dict[str, float]:
    """Score a DataFrame of Spark.

    Args:
        df: a DataFrame with a row for each pair of utterances.
        reference_column, prediction_column: names of columns of strings, of arrays of strings, or of arrays of integers.
        index_column: name of a column with a distinct integer for each row; None if there is no such column.
        on_error: `"raise"` or `"skip"`: what to do with rows that cannot be scored.
        confidence: the confidence of the intervals, in (0, 1); None for no intervals. Intervals need `index_column` or
            `clusters`.
        n_resamples, seed: the options of the bootstrap.
        clusters: name of a column of strings or integers with the id of the document, speaker or session of each row; rows
            with the same id are resampled together. None resamples rows.
        **options: those of `ScoringOptions`; an unknown one is a TypeError.

    Returns:
        Plain floats by score key; with `confidence`, each key of a score of sums followed by `<key>_low` and `<key>_high`.
        The naive equivalent is `segscores.score` of the two columns.

    Raises:
        TypeError: columns of another type, or an option of the wrong type.
        ValueError: an unknown column, no row, a bad option, clusters without confidence, or fewer than two utterances or
            clusters for intervals.
        UtteranceError: a row cannot be scored, or has no cluster; it has the row's number.
        SparkJobError: the job failed for another reason, such as the death of a worker; an `UnreadableFileError` names
            a damaged file.

    Warns:
        UserWarning: rows were left out; type scores have no interval; there are fewer than 30 utterances or clusters; a score
            has no interval; or as `scoring.score_tally`.
    """
    if confidence is None and clusters is not None:
        raise OptionError("clusters", "it is for intervals: add confidence=0.95.")
    if confidence is not None:
        check_resampling(confidence=confidence, n_resamples=n_resamples, seed=seed)
    tally = tally_dataframe(
        df,
        reference_column=reference_column,
        prediction_column=prediction_column,
        index_column=index_column,
        on_error=on_error,
        n_resamples=0 if confidence is None else n_resamples,
        seed=seed,
        clusters=clusters,
        **options,
    )
    if tally.left_out:
        warnings.warn(LeftOut(tally.left_out, tally.rows, str(tally.first_left_out)).message(), stacklevel=2)
    scores = tally.scores()
    if confidence is None:
        return scores
    intervals = tally.intervals(confidence)
    tally.warn_of_intervals(intervals, confidence)
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
    clusters: str | None = None,
    **options: Unpack[ScoringOptions],
) -> DataframeTally:
    """Tally a DataFrame of Spark.

    Args:
        df, reference_column, prediction_column, index_column, on_error, options: as in `score_dataframe`.
        n_resamples: the number of resamples, whose sums take n_resamples × columns × 8 bytes in each worker; 0 for
            none.
        seed: the seed of the resamples, an integer from 0.
        clusters: as in `score_dataframe`; only with n_resamples.

    Raises:
        TypeError, ValueError, UtteranceError, SparkJobError: as `score_dataframe`.

    Warns:
        UserWarning: as `scoring.score_tally`.

    The naive equivalent is `scoring.tally_columns` of the two columns; for resample r, of columns that contain row i
    `poisson_weights(…)[i, r]` times; with clusters, those of the number of its cluster.
    """
    if n_resamples:
        check_resampling(n_resamples=n_resamples, seed=seed)
        if index_column is None and clusters is None:
            raise ValueError(
                "resamples need the number of each row: name the column that has it with index_column, or one with documents or "
                "speakers with clusters."
            )
    elif clusters is not None:
        raise OptionError("clusters", "it is for resamples: add n_resamples=1000.")
    names = (index_column, reference_column, prediction_column)
    work, rows = _prepare(df, names, on_error, options)
    cluster = None if clusters is None else _cluster_column(df, clusters)
    work = _with_window_size(work, rows, index_column)
    work = replace(work, n_resamples=n_resamples, seed=seed)
    if cluster is not None:
        rows = df.select(*_columns_read(df, names), cluster)
    totals = add_up(rows, work.numbers)
    if totals.without_cluster:
        problem = f"there is no id in the column {clusters!r}; expected one for each row"
        hint = "Give a row that belongs to no cluster a unique id."
        raise _numbered((min(totals.without_cluster), f"{problem}.", hint, ""), rows, index_column)
    doubts = _check_totals(totals, rows, index_column, work)
    doubts.warn()
    counts = totals.counts
    if work.plan.needs_lexicons:
        counts |= {
            "type_matched": totals.types.get(REFERENCE | PREDICTION, 0),
            "type_predicted": sum(count for sides, count in totals.types.items() if sides & PREDICTION),
            "type_reference": sum(count for sides, count in totals.types.items() if sides & REFERENCE),
        }
    skipped = counts.get("skipped_utterances", 0)
    warn_of_scores(work.plan, counts)
    warn_of_skipped(skipped, counts["utterances"] + skipped)
    if work.plan.known_words is not None:
        # Only the workers have read the text, so that the driver does not know its units.
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
        clusters=None if cluster is None else totals.clusters,
        scored_clusters=None if cluster is None else totals.scored_clusters,
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
    return map_in_arrow(both, work.scored_rows, StructType([*df.schema.fields, *types]))


def _with_window_size(work: SparkWork, rows: DataFrame, index_column: str | None) -> SparkWork:
    """The work, with the size of windows computed from the whole reference if the options do not give it."""
    if not work.plan.needs_window_size:
        return work
    totals = add_up(rows, work.window_lengths)
    _check_totals(totals, rows, index_column, work)
    counts, convention = totals.counts, work.plan.values["window_convention"]
    size = int(default_window_size(counts["units"], counts["words"], counts["utterances"], convention))
    return replace(work, plan=work.plan.with_window_size(size))


def _check_totals(totals: Totals, rows: DataFrame, index_column: str | None, work: SparkWork) -> FormDoubts:
    """Raise the error of rows in another form, of the first bad row, or of a DataFrame without rows.

    Returns:
        The signs of another form, of which to warn.
    """
    doubts = FormDoubts(work.plan.reading)
    for found in totals.doubts:
        doubts.add(found)
    doubts.reject_tags()
    if totals.failures and not work.skips:
        raise _numbered(min(totals.failures), rows, index_column)
    if not totals.rows:
        raise ValueError("there is nothing to score: expected at least one row, received none.")
    if totals.left_out == totals.rows:
        first = _numbered(min(totals.failures), rows, index_column)
        problem = f"none of the {totals.rows} utterances can be scored. The first problem: {first.problem}"
        raise UtteranceError(first.utterance, problem, hint=first.hint, side=first.side)
    return doubts


def _numbered(failure: Failure, rows: DataFrame, index_column: str | None) -> UtteranceError:
    """The error of a row with its number; without an index column, with its position in the whole DataFrame."""
    from pyspark.sql import functions as F  # noqa: N812, PLC0415 - its usual name; an extra

    number, problem, hint, side = failure
    if index_column is None:
        partition = number >> 33
        with explained():
            before = rows.filter(F.spark_partition_id() < partition).count() if partition else 0
        number = before + row_in(number)
    return UtteranceError(number, problem, hint=hint, side=side)


def _prepare(
    df: DataFrame, names: tuple[str | None, str, str], on_error: str, options: ScoringOptions
) -> tuple[SparkWork, DataFrame]:
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
    work = SparkWork(plan, forms[0], on_error == "skip", index_column is not None)
    return work, df.select(*_columns_read(df, names))


def _columns_read(df: DataFrame, names: tuple[str | None, str, str]) -> list[Any]:
    """The columns that the workers read, under unique names."""
    from pyspark.sql import functions as F  # noqa: N812, PLC0415 - its usual name; an extra

    index_column, *sides = names
    index = F.monotonically_increasing_id() if index_column is None else _column(df, index_column).cast("bigint")
    columns = [index, *(_column(df, name) for name in sides)]
    return [column.alias(f"segscores {place}") for place, column in enumerate(columns)]


def _column(df: DataFrame, name: str) -> Any:
    """A column, also one whose name has dots or backticks."""
    return df["`" + name.replace("`", "``") + "`"]


def _cluster_column(df: DataFrame, name: str) -> Any:
    """The number of the cluster of each row, null if it has no id: the id itself, or the hash of a string.

    Raises:
        TypeError, ValueError: there is no such column, or its type is not that of ids.
    """
    from pyspark.sql import functions as F  # noqa: N812, PLC0415 - its usual name; an extra
    from pyspark.sql.types import IntegralType, StringType  # noqa: PLC0415 - an extra

    if not isinstance(name, str):
        raise TypeError(f"clusters: expected the name of a column, received {name!r}.")
    if name not in df.columns:
        raise ValueError(f"there is no column {name!r} with clusters; the columns are {', '.join(df.columns)}.")
    kind, column = df.schema[name].dataType, _column(df, name)
    if isinstance(kind, StringType):
        # The hash of null is a number too.
        column = F.when(column.isNotNull(), F.xxhash64(column))
    elif not isinstance(kind, IntegralType):
        raise TypeError(f"the column {name!r} is of {kind.simpleString()}; expected ids that are strings or integers.")
    return column.cast("bigint").alias("segscores 3")


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
