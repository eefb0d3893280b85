"""Dataset scores: the scores of two columns of a dataset, read batch by batch without copying it.

Conventions
-----------
- A row is a pair of utterances: one column has the reference and one the prediction, as strings, lists of words, or
  lists of labels. Rows are numbered from 0 in the dataset's order, over all batches.
- A dataset is a `datasets.Dataset`, a streaming `datasets.IterableDataset`, or an object that exports a stream of Arrow
  batches, such as a `pyarrow.Table`. This module does not import `datasets`.
- Columns are read as stored: a format or transform that was set on the dataset is not applied, and stays set.
- Only a few parts are in memory at a time (see `sources.fold`). So memory is constant except for the word types, and nothing is
  written to a cache. Intervals and macro averages need the counts of every row in memory: about 330 bytes for
  the default scores without those of types, and 6 bytes for each word type of the row.
- If the window size comes from the whole reference, the dataset is read twice, and a stream must give the same rows both times.
- With `on_error="raise"` the first bad row is the error; with `"skip"` bad rows are left out (see `skipping`), and the scores are
  those of the others. Columns of unknown form are always an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ..options.keywords import DatasetOptions
from ..options.table import check_needs, options_in
from ..scoring.keyword_arguments import with_options
from ..scoring.options import Plan
from ..scoring.pipeline import require_window_size, score_tally
from ..sources.fold import conclude
from ..sources.memory import dataset_source
from ..sources.passes import check_same, cluster_ids, sum_tallies, tally_each, with_window_size
from ..sources.source import Side, in_formats
from .clusters import read_clusters
from .corpus_scores import split_options
from .utterance_scores import score_utterances

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: The number of rows to read from a dataset at a time, equal to the batches that `datasets` writes.


@with_options
def score_dataset(
    dataset: Any,
    **options: Unpack[DatasetOptions],
) -> dict[str, float]:
    """Score two columns of a dataset.

    Args:
        dataset: a `datasets.Dataset`, a `datasets.IterableDataset` or an Arrow table.
        **options: how to score, and which columns; they have strings, lists of strings, or lists of integers.

    Returns:
        Plain floats by score key; with `confidence`, each followed by `<key>_low` and `<key>_high`. The naive equivalent is
        `segscores.score` of the two columns, with the column of clusters.

    Raises:
        TypeError: the argument is not a dataset, columns have another type, or an option has the wrong type.
        ValueError: an unknown column, no row, no row that can be scored, or a bad option; or the dataset can be read
            only once, and the window size needs it as a whole; or a row has no cluster.
        UtteranceError: a row cannot be scored; it has the row's number.

    Errors of the dataset itself are raised unchanged, from Python 3.11 with a note of the number of rows read before.

    Warns:
        UserWarning: rows were left out; as `pipeline.warn_of_scores`; there are few rows or clusters (the warning names useless
            intervals); clusters are uneven; or a score has no interval.

    >>> table = pa.table({"gold": ["the dog is on", "the boat"], "system": ["thedog is on", "the boat"]})
    >>> columns = {"reference_column": "gold", "prediction_column": "system"}
    >>> scores = score_dataset(table, **columns, text_format="words", scores="token")
    >>> {key: round(value, 2) for key, value in scores.items()}
    {'token_precision': 0.8, 'token_recall': 0.67, 'token_fscore': 0.73}
    """
    plan, resampling, values = split_options(options, DatasetOptions)
    check_needs(options, options, options_in(DatasetOptions))
    skips = values["on_error"] == "skip"
    columns = [values[name] for name in ("reference_column", "prediction_column", "clusters")]
    sides = _sides(dataset, [name for name in columns if name is not None], values["batch_size"], plan)
    ids = sides.pop() if values["clusters"] is not None else None
    if isinstance(dataset, pa.RecordBatchReader):
        require_window_size(plan)
    plan, first_pass = with_window_size(sides[0], plan, skips=skips)
    if not resampling.needs_utterances:
        totals, facts = sum_tallies(sides, plan, skips=skips, concludes=False)
        check_same(first_pass, facts)
        conclude(sides, facts)
        return score_tally(totals[0], plan)
    tallies, places, facts = tally_each(sides, plan, skips=skips, ids=ids, concludes=False)
    check_same(first_pass, facts)
    conclude(sides, facts)
    if ids is not None:
        numbers = read_clusters(cluster_ids(facts), facts.utterances)[places[0]]
        resampling = replace(resampling, clusters=numbers)
    return score_utterances(tallies[0], plan, resampling)


def _sides(dataset: Any, columns: Sequence[str], batch_size: int, plan: Plan) -> list[Side]:
    source = dataset_source(dataset, columns, batch_size)
    roles = ("references", "predictions", "clusters")
    sides = [Side(role, (source,), plan.reading, at) for at, (role, _) in enumerate(zip(roles, columns, strict=False))]
    return in_formats(sides, plan.reading)
