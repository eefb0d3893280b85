"""Clusters: utterances that are not independent of each other, and samples that are too small.

A cluster is a sampled unit: a document, a speaker, a session. Utterances with equal ids form one; they need not be neighbours.
Every procedure that resamples, exchanges or splits utterances keeps clusters whole: the counts of a cluster are the sums over its
utterances, and its types are their union.

Sources
-------
Davison & Hinkley (1997), Bootstrap Methods and their Application. Number of clusters: Cameron, Gelbach & Miller (2008), Review
of Economics and Statistics 90:414-427.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..options.errors import warn
from ..options.quoting import shortened
from ..reading.inputs import has_views
from ..scoring.utterance_tally import UtteranceTally

#: Fewer utterances or clusters than this cause a warning.
MIN_CLUSTERS = 12

#: A unit with more than this share of the text and this many times the mean size causes a warning.
_LARGE_SHARE = 0.1
_TIMES_THE_MEAN = 3


def read_clusters(clusters: Any, utterances: int) -> npt.NDArray[np.int64]:
    """Read the cluster of each utterance, numbered from 0 in order of appearance.

    Ids are strings or integers, in a list, an array, an Arrow column or a Series; `utterances` is the number of utterances.

    >>> read_clusters(["b", "a", "b"], 3)
    array([0, 1, 0])
    """
    # The ids of a set or a mapping are in no order of utterances.
    is_table = hasattr(clusters, "columns")
    is_no_list = isinstance(clusters, (str, bytes, Mapping, Set)) or is_table or not isinstance(clusters, Iterable)
    if is_no_list:
        raise TypeError(f"clusters: expected an id for each utterance, received {shortened(clusters)}.")
    # Each error of bad ids is named: their common base, ArrowException, would take lack of memory for a bad id too.
    try:
        ids = _column_of(clusters)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, UnicodeError, OverflowError) as error:
        raise TypeError(f"clusters: expected ids that are all strings or all integers of 64 bits ({error}).") from None
    if pa.types.is_nested(ids.type) or pa.types.is_floating(ids.type):
        raise TypeError(f"clusters: expected ids that are strings or integers, received {ids.type}.")
    if len(ids) != utterances:
        raise ValueError(f"clusters: received {len(ids)} ids for {utterances} utterances: expected one for each.")
    if ids.null_count:
        missing = ids.is_null().to_numpy(zero_copy_only=False)
        raise ValueError(
            f"clusters: utterance {int(np.argmax(missing))} has no id: expected one for each; give an utterance that "
            f"belongs to no cluster a unique id."
        )
    # A dictionary numbers its values in order of appearance.
    return np.asarray(ids.dictionary_encode().indices.to_numpy(zero_copy_only=False), np.int64)


def _column_of(clusters: Any) -> pa.Array:
    """Return ids as one array of Arrow, without a dictionary."""
    ids = clusters
    if not isinstance(ids, (pa.Array, pa.ChunkedArray)):
        is_array = hasattr(clusters, "__array__")
        # `from_pandas` makes nan, a missing id, null.
        ids = pa.array(clusters if is_array else list(clusters), from_pandas=True)
    if isinstance(ids, pa.ChunkedArray):
        ids = ids.combine_chunks()
    # Arrow cannot encode views.
    if has_views(ids.type):
        ids = pa.array(ids.to_pylist())
    # A dictionary may repeat an id, or contain null.
    if pa.types.is_dictionary(ids.type):
        ids = ids.dictionary_decode()
    return ids


def count_clusters(clusters: Any, utterances: int) -> int | None:
    """Return the number of clusters of the utterances; None without clusters.

    >>> count_clusters(["b", "a", "b"], 3)
    2
    """
    if clusters is None:
        return None
    # Clusters are numbered from 0; without utterances there is none.
    return int(read_clusters(clusters, utterances).max(initial=-1)) + 1


def with_clusters(tally: UtteranceTally, clusters: Any) -> UtteranceTally:
    """Return the tally with the cluster of each utterance; the same tally if `clusters` is None."""
    if clusters is None:
        return tally
    return replace(tally, clusters=read_clusters(clusters, len(tally)))


def warn_of_few(tally: UtteranceTally) -> None:
    """Warn of fewer than MIN_CLUSTERS units; if there are enough, warn of a unit that is much larger than the others.

    There are at least two, which `resampling.check_utterances` checks.
    """
    count = tally.scored_clusters()
    if tally.clusters is not None and count == tally.is_scored.sum():
        warn("each utterance has a cluster of its own: intervals and tests are the same as without clusters.")
    if count < MIN_CLUSTERS:
        warn(
            f"{count} {tally.sampled_unit}s: intervals from fewer than {MIN_CLUSTERS} contain the true score less often than "
            f"their level says."
        )
        return
    # The size of each cluster; without clusters, of each utterance.
    sizes = tally.sum_by_cluster(tally.columns["units"])
    largest = int(np.argmax(sizes))
    share = sizes[largest] / max(1, sizes.sum())
    mean_share = 1 / count
    if share > max(_LARGE_SHARE, _TIMES_THE_MEAN * mean_share):
        name = f"utterance {largest}"
        if tally.clusters is not None:
            first_utterance = int(np.argmax(tally.clusters == largest))
            name = f"the cluster of utterance {first_utterance}"
        warn(f"{name} has {100 * share:.0f} % of the text: intervals and tests depend on it more than on all others.")
