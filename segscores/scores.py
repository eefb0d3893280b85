"""The front door: `score` of references and predictions, `score_dataset` of two columns of a dataset, and `signature`.

The way of a score: options become a plan, both sides become segmentations, which are compared. Each score group counts, and its
formulas divide the sums once. Two small lists or files take this way at once (`scoring.at_once`), all else piece by
piece.

Conventions
-----------
- The micro average needs only the sums over the corpus. The macro average and intervals need the counts of each utterance.
- A row of a dataset is a pair of utterances. It is read batch by batch, as stored: a format or transform that was set on the
  dataset is not applied. Only a few pieces are in memory at a time, except for the word types, and for intervals and macro
  averages the counts of every row: about 330 bytes for the default scores, and 6 for each word type of the row.
- If the window size comes from the whole reference, the dataset is read twice, and a stream must give the same rows both times.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from .options.keywords import ComputeOptions, DatasetOptions, SignatureOptions, Unpack
from .options.option import check_needs
from .options.table import options_in
from .reading.inputs import Column, warn_of_indices
from .reading.sources.memory import dataset_source
from .reading.sources.sides import open_inputs
from .reading.sources.source import Side, in_formats
from .scoring.at_once import tally_at_once
from .scoring.functions import with_options
from .scoring.map_pieces import map_pieces
from .scoring.observations import Observations
from .scoring.passes import check_same, concatenate_tallies, ids_of, sum_tallies, with_reference
from .scoring.plan import Plan, require_values
from .scoring.tally import score_tally
from .statistics.clusters import count_clusters, read_clusters
from .statistics.randomisation import sign_trials
from .statistics.resampling import Resampling, split_keys, split_options
from .statistics.signing import sign_sides
from .statistics.utterance_scores import score_utterances


@with_options
def score(references: Any, predictions: Any, **options: Unpack[ComputeOptions]) -> dict[str, float]:
    """Score predictions against references.

    Args:
        references, predictions: utterances, each a string, a list of words or a list of labels, in a list, an array or another
            form of the README's Inputs; or files: a `pathlib.Path` or `open_source(path)`.
        **options: those of `ScoringOptions` and of `Resampling`.

    Returns:
        Plain floats by score key; with `confidence`, each followed by `<key>_low` and `<key>_high`.

    Raises:
        TypeError: an input of no known form, an option of the wrong type, or an unknown option.
        ValueError: sides that differ in number or in units, or a bad option.

    >>> scores = score(["the dog is on the boat"], ["thedog is on the boat"], text_format="words", scores="token")
    >>> {key: round(value, 2) for key, value in scores.items()}
    {'token_precision': 0.8, 'token_recall': 0.67, 'token_fscore': 0.73}
    """
    plan, resampling, _values = split_options(options)  # plan and resampling have all values that this function reads
    check_needs(options, options_in(ComputeOptions))
    if not resampling.needs_utterances:
        # None for inputs that do not take the short way: large ones or of other kinds, and those with an error or a doubt.
        counted = tally_at_once(references, predictions, plan)
        if counted is not None:
            return score_tally(counted.tally, plan)
    warn_of_indices([references, resampling.clusters])
    return _score_sides(open_inputs(plan.reading, references, predictions), plan, resampling)


@with_options
def score_dataset(dataset: Any, **options: Unpack[DatasetOptions]) -> dict[str, float]:
    """Score two columns of a dataset.

    Args:
        dataset: a `datasets.Dataset`, a `datasets.IterableDataset` or an Arrow table.
        **options: how to score, and which columns; a column has strings, lists of strings, or lists of integers.

    Returns:
        Plain floats by score key; with `confidence`, each followed by `<key>_low` and `<key>_high`. The naive equivalent is
        `segscores.score` of the two columns, with the column of clusters.

    Raises:
        TypeError: the argument is not a dataset, columns have another type, or an option has the wrong type.
        ValueError: an unknown column, no row, no row that can be scored, or a bad option; or the dataset can be read
            only once, and the window size needs it as a whole; or a row has no cluster.
        UtteranceError: a row cannot be scored; the error has the row's number, from 0.

    Errors of the dataset itself are raised unchanged, from Python 3.11 with a note of the number of rows read before.

    Warns:
        UserWarning: rows were left out; as `tally.warn_of_scores`; there are few rows or clusters, or a large one; or a score
            has no interval.

    >>> table = pa.table({"gold": ["the dog is on", "the boat"], "system": ["thedog is on", "the boat"]})
    >>> columns = {"reference_column": "gold", "prediction_column": "system"}
    >>> scores = score_dataset(table, **columns, text_format="words", scores="token")
    >>> {key: round(value, 2) for key, value in scores.items()}
    {'token_precision': 0.8, 'token_recall': 0.67, 'token_fscore': 0.73}
    """
    plan, resampling, values = split_options(options, DatasetOptions)
    check_needs(options, options_in(DatasetOptions))
    # The roles of the columns and their names. Side i reads column i of the source.
    columns = {"references": values["reference_column"], "predictions": values["prediction_column"]}
    has_clusters = values["clusters"] is not None
    if has_clusters:
        columns["clusters"] = values["clusters"]
    source = dataset_source(dataset, list(columns.values()), values["batch_size"])
    all_sides = [Side(role, (source,), plan.reading, column) for column, role in enumerate(columns)]
    reference, prediction, *ids = in_formats(all_sides, plan.reading)
    is_read_once = isinstance(dataset, pa.RecordBatchReader)
    if is_read_once:
        # A default from the whole reference would take a pass of its own.
        require_values(plan)
    return _score_sides([reference, prediction], plan, resampling, ids=ids)


@with_options
def signature(references: Any, **options: Unpack[SignatureOptions]) -> str:
    """Return the signature of a scoring against these references, for any predictions.

    It lacks what depends on the predictions: the fields `skipped` and `compared`, which `CorpusTally.signature` and the result of
    `compare` have, and `runs`.

    Args:
        references: utterances, in any form of the README's Inputs.
        **options: those of `score`, and `n_trials` for a comparison; an unknown one is a TypeError.

    Raises:
        TypeError, ValueError: an input of no known form, or a bad option.

    >>> signature(["the dog"], text_format="words", scores="windows", confidence=0.95)
    'segscores|text:words|avg:micro|zero:0|win:2-segeval|ci:95-jackknife|ref:db2e0635|n:1|v:0.4.0'
    >>> signature(["the dog"] * 20, text_format="words", confidence=0.95, n_trials=10_000)
    'segscores|text:words|avg:micro|zero:0|ci:95-jackknife|trials:10000-0|ref:1f987c34|n:20|v:0.4.0'
    """
    plan, resampling, values = split_options(options, SignatureOptions)
    check_needs(options, options_in(SignatureOptions))
    if values["n_trials"] is None:
        # `seed` is also of trials, so that the check above lets it pass without percentile intervals. Without trials it is of
        # these intervals alone, as for `score`: check the options as those of `score`.
        score_options = options_in(ComputeOptions)
        given_to_score = {name: value for name, value in options.items() if name in score_options}
        check_needs(given_to_score, score_options)
    (side,) = open_inputs(plan.reading, references)
    # The pass over the reference checks it, and adds its digest to the record; its results are of no use.
    observed = Observations.for_signature()
    for _ in map_pieces([side], lambda piece: piece.reference, observed=observed, concludes=False):
        pass
    cluster_count = count_clusters(resampling.clusters, observed.utterances)
    # The default window size comes from the reference. The record of the pass that finds it is for a check of two passes.
    plan, _observed_for_defaults = with_reference(side, plan)
    further = {}
    # The tests of a comparison have trials only for scores that are formulas of sums, and so not for type scores.
    sum_keys, _type_keys = split_keys(plan.keys, resampling.average)
    if values["n_trials"] is not None and sum_keys:
        units = observed.utterances if cluster_count is None else cluster_count
        further["trials"] = sign_trials(units, values["n_trials"], resampling.seed)
    return sign_sides([side], plan, observed, resampling=resampling, clusters=cluster_count, further=further)


def score_columns(references: Column, predictions: Column, plan: Plan, resampling: Resampling) -> dict[str, float]:
    """Score two columns of the same length and form, as `score` does."""
    return _score_sides(open_inputs(plan.reading, references, predictions), plan, resampling)


def _score_sides(
    sides: Sequence[Side], plan: Plan, resampling: Resampling, ids: Sequence[Side] = ()
) -> dict[str, float]:
    """Score the reference and the prediction in `sides` piece by piece; `ids` has the side with the clusters, if there is one."""
    reference, _prediction = sides
    # For some options there is a pass over the reference alone first. That a dataset gave other rows the second time is an error
    # before any warning: so the second pass does not conclude by itself.
    plan, first_pass = with_reference(reference, plan)
    if not resampling.needs_utterances:
        (total,), observed = sum_tallies(sides, plan, concludes=False)
        check_same(first_pass, observed, plan)
        observed.trouble.conclude(sides, observed.utterances)
        return score_tally(total, plan)
    (tally,), observed = concatenate_tallies(sides, plan, ids=ids, concludes=False)
    check_same(first_pass, observed, plan)
    observed.trouble.conclude(sides, observed.utterances)
    if ids:
        resampling = replace(resampling, clusters=read_clusters(ids_of(observed), observed.utterances))
    return score_utterances(tally, plan, resampling)
