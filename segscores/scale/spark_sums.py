"""Sums of Spark: the rows of numbers that workers return, and what Spark adds up from them.

Conventions
-----------
Spark adds the numbers up as decimals of 38 digits. It groups the word types by their bytes, with a bit for each side, and
counts the types of each side; it counts clusters of utterances in the same way. The driver receives only sums, never words
or ids.
"""

from __future__ import annotations

__all__ = [
    "Failure",
    "Totals",
    "add_up",
    "clusters_seen",
    "doubts_seen",
    "map_in_arrow",
    "numbers_of",
    "resample_rows",
    "row_without_cluster",
    "rows_seen",
]

import json
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..kernel.lexicon import Lexicon
from ..reading.parts import FormDoubts
from ..scoring.tally import Tally
from ..scoring.utterance_tally import PREDICTION, REFERENCE
from .spark_errors import explained

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Integers: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]
#: A bad row: its number, and the problem, hint and side of its error.
Failure: TypeAlias = tuple[int, str, str, str]

# The ids of rows of numbers; an id from 0 is that of a resample.
_COUNT, _TYPE, _FAILURE, _ROWS, _CLUSTER, _NO_CLUSTER, _DOUBTS = -1, -2, -3, -4, -5, -6, -7
_NUMBERS = "id int, key binary, value bigint"
_ID, _KEY, _VALUE = "id", "key", "value"
_ALL, _LEFT_OUT = b"rows", b"left out"
# The bits of a cluster.
_SEEN, _SCORED = 1, 2


def numbers_of(tally: Tally) -> Iterator[pa.RecordBatch]:
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
class Totals:
    """The sums that Spark computed.

    Attributes:
        counts: by column.
        types: the number of types on these sides, by the bits of the sides.
        failures: the number, problem, hint and side of a bad row, for each partition with bad rows.
        rows, left_out: the number of rows, and the number of bad rows.
        clusters, scored_clusters: the number of clusters with a row, and with a scored row; 0 without clusters.
        without_cluster: the numbers of rows without a cluster, one for each batch of rows that has some.
        doubts: what `FormDoubts.found` returned in the workers.
        resamples: by column, by resample.
    """

    counts: dict[str, int] = field(default_factory=dict)
    types: dict[int, int] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    rows: int = 0
    left_out: int = 0
    clusters: int = 0
    scored_clusters: int = 0
    without_cluster: list[int] = field(default_factory=list)
    doubts: list[list[list[str] | None]] = field(default_factory=list)
    resamples: dict[str, dict[int, int]] = field(default_factory=dict)

    def resampled(self, n_resamples: int) -> dict[str, Floats]:
        """The sums of the resamples by column, float64 (n_resamples,)."""
        return {
            column: np.array([float(by_resample.get(index, 0)) for index in range(n_resamples)])
            for column, by_resample in self.resamples.items()
        }


def add_up(rows: DataFrame, numbers: Any) -> Totals:
    """Run the workers and add up their results."""
    from pyspark.sql import functions as F  # noqa: N812, PLC0415 - its usual name; an extra

    partial = map_in_arrow(rows, numbers, _NUMBERS)
    # Spark groups types by their bytes in a shuffle. In a large enough corpus a sum of type bigint would overflow.
    by_key = partial.groupBy(_ID, _KEY).agg(
        F.sum(F.col(_VALUE).cast("decimal(20,0)")).alias("total"), F.expr(f"bit_or({_VALUE})").alias("sides")
    )
    is_counted = F.col(_ID).isin(_TYPE, _CLUSTER)
    totals = by_key.groupBy(
        F.col(_ID), F.when(~is_counted, F.col(_KEY)).alias(_KEY), F.when(is_counted, F.col("sides")).alias("sides")
    ).agg(F.sum("total").alias("total"), F.count("*").alias("count"))
    found = Totals()
    with explained():
        collected = totals.collect()
    for row in sorted(collected, key=lambda row: (row[_ID], bytes(row[_KEY] or b""))):
        kind = row[_ID]
        if kind == _TYPE:
            found.types[row["sides"]] = row["count"]
        elif kind == _CLUSTER:
            found.clusters += row["count"]
            found.scored_clusters += row["count"] if row["sides"] & _SCORED else 0
        elif kind == _NO_CLUSTER:
            found.without_cluster.append(int(bytes(row[_KEY])))
        elif kind == _DOUBTS:
            found.doubts.append(json.loads(bytes(row[_KEY])))
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


def map_in_arrow(df: DataFrame, function: Any, schema: Any) -> DataFrame:
    """`df.mapInArrow`, without pyspark's warning about versions of pandas, which this module does not use."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        return df.mapInArrow(function, schema)


def rows_seen(seen: int, left_out: int, first: Failure | None) -> Iterator[pa.RecordBatch]:
    """The number of rows, that of bad rows, and the bad row with the smallest number."""
    yield _rows_of([_ROWS] * 2, [_ALL, _LEFT_OUT], [seen, left_out])
    if first is not None:
        yield _rows_of([_FAILURE], [json.dumps(first).encode()], [0])


def resample_rows(names: Sequence[str], sums: Integers) -> Iterator[pa.RecordBatch]:
    """The sums of resamples, (n_resamples, n_columns), whose columns have these names."""
    for index, name in enumerate(names):
        yield _rows_of(np.arange(len(sums)), [name.encode()] * len(sums), sums[:, index])


def clusters_seen(clusters: Integers, scored: Integers) -> Iterator[pa.RecordBatch]:
    """The distinct clusters of a batch of rows, and whether any of their rows was scored.

    Args:
        clusters: int64 (n_rows,), the number of the cluster of each row.
        scored: those of the rows that were scored.
    """
    numbers = np.unique(clusters)
    if len(numbers):
        keys = pa.FixedSizeBinaryArray.from_buffers(pa.binary(8), len(numbers), [None, pa.py_buffer(numbers)])
        bits = np.where(np.isin(numbers, scored), _SEEN | _SCORED, _SEEN)
        yield _rows_of(np.full(len(numbers), _CLUSTER), keys.cast(pa.binary()), bits)


def doubts_seen(doubts: FormDoubts) -> pa.RecordBatch:
    """The signs that rows do not have the form that the options say."""
    return _rows_of([_DOUBTS], [json.dumps(doubts.found()).encode()], [0])


def row_without_cluster(number: int) -> pa.RecordBatch:
    """The number of a row that has no cluster."""
    return _rows_of([_NO_CLUSTER], [str(number).encode()], [0])
