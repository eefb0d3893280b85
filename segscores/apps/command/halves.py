"""Measure how reliably a test set ranks systems. Splits the utterances (or whole clusters) at random into two halves, scores
every prediction on both halves, and compares the two. Prints in a row per score, as means over many splits: Pearson's r and
Spearman's rho, over the predictions, of the scores on one half with those on the other; and the share of pairs of predictions
that are swapped, with one better on the first half and the other on the second. The standard deviation of r over the splits is
no standard error. Needs at least three predictions. Leaves type scores out, because lexicons cannot be added.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from functools import partial

from .ids import ids_for
from .printing import print_result
from .sides import add_side_arguments, read_files, read_sides
from .text import score_options

add_arguments = partial(add_side_arguments, text="a file with the prediction of a system, and optionally its name")


def run(arguments: argparse.Namespace) -> None:
    from ...results.result import Column, Note, Result, Table
    from ...scoring.passes import concatenate_tallies
    from ...statistics.clusters import with_clusters
    from ...statistics.correlation import MIN_SYSTEMS
    from ...statistics.halves import agreement_of_tallies, agreement_plan
    from ...statistics.signing import sign_files

    files = read_sides(arguments, arguments.predictions)
    count = len(files) - 1
    if count < MIN_SYSTEMS:
        raise ValueError(f"received {count} predictions: expected at least {MIN_SYSTEMS}, one per system.")
    plan = agreement_plan(**score_options(arguments))
    plan, (tallies, _, observed) = read_files(arguments, files, plan, partial(concatenate_tallies, signs=True))
    ids = ids_for("clusters", arguments, files[0], observed)
    tallies = [with_clusters(tally, ids) for tally in tallies]
    rows = agreement_of_tallies(tallies, plan, n_splits=arguments.n_splits, seed=arguments.seed)
    clusters = None if ids is None else tallies[0].cluster_count
    further = {"splits": arguments.n_splits, "seed": arguments.seed}
    signature = sign_files(files, plan, observed, arguments.text_format, clusters=clusters, further=further)
    note = Note(
        "means over random splits; swapped: share of pairs of systems in opposite order on the two halves; deviation: of r over "
        "the splits, no standard error"
    )
    table = Table.of(rows)
    table = replace(table, columns=[Column("score", has_keys=True), *table.columns[1:]])
    print_result(Result([table], [note], signature=signature), arguments)
