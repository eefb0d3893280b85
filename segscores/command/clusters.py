"""The options of subcommands on clusters of utterances: documents, speakers, sessions."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..kernel.errors import warn

if TYPE_CHECKING:
    from ..corpora.sides import Side

_OPTIONS = ("clusters", "cluster_column", "cluster_lines")
_DOCUMENTS = "newdoc"


def add_cluster_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options that define the clusters of utterances."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--clusters",
        metavar="FILE|newdoc",
        help="a file with the id of the document, speaker or session of each utterance, one per line; or newdoc for the "
        "documents of a CoNLL-U reference. Resampling, tests and splits then keep each cluster together",
    )
    group.add_argument("--cluster-column", metavar="NAME", help="the column of the reference's table with the ids")
    group.add_argument(
        "--cluster-lines",
        metavar="N",
        type=int,
        help="take every N consecutive utterances as a cluster: an approximation if the documents are unknown",
    )


def check_cluster_arguments(arguments: argparse.Namespace, reference: Side, *, has_use: bool = True) -> None:
    """Check the options of `add_cluster_arguments`.

    Raises:
        ValueError: they contradict other options, or the reference is not a table.
    """
    from .sides import check_column_options
    from .text import check_no_resampling

    if not has_use:
        check_no_resampling(arguments, *_OPTIONS)
    if arguments.cluster_lines is not None and arguments.cluster_lines < 1:
        raise ValueError(f"--cluster-lines: expected a number from 1, received {arguments.cluster_lines}.")
    if arguments.clusters == "":
        raise ValueError("--clusters: expected the name of a file, or newdoc, received nothing.")
    check_column_options(arguments, cluster_column=[reference])


def clusters_of(arguments: argparse.Namespace, reference: Side, utterances: int) -> Any:
    """The id of the cluster of each utterance; None if no option defines clusters.

    Raises:
        FileError: ids can't be read, or their number is not that of the utterances.
    """
    from ..corpora.clusters import cluster_column, cluster_documents, cluster_file, cluster_lines
    from ..kernel.errors import FileError

    if arguments.cluster_lines is not None:
        return cluster_lines(utterances, arguments.cluster_lines)
    if arguments.cluster_column is not None:
        ids, told = (
            cluster_column(reference.paths, arguments.cluster_column),
            f"--cluster-column {arguments.cluster_column}",
        )
    elif arguments.clusters == _DOCUMENTS:
        ids, told = cluster_documents(reference.paths, _format_of(reference, arguments)), "--clusters newdoc"
    elif arguments.clusters is not None:
        return cluster_file(arguments.clusters, utterances)
    else:
        return None
    if len(ids) != utterances:
        raise FileError(
            f"{told}: {len(ids)} ids for {utterances} utterances of {reference.name}; expected one for each."
        )
    return ids


def _format_of(reference: Side, arguments: argparse.Namespace) -> str:
    """The text format of the reference, which may not be that of the predictions."""
    return str(arguments.text_format if reference.form is None else reference.form.text_format)


def cluster_inputs(arguments: argparse.Namespace) -> Sequence[str]:
    """The files that the options name."""
    return [arguments.clusters] if arguments.clusters not in (None, _DOCUMENTS) else []


def warn_of_documents(arguments: argparse.Namespace, reference: Side) -> None:
    """Warn if a CoNLL-U reference marks documents, and no option defines clusters."""
    from ..corpora.clusters import has_documents

    if all(getattr(arguments, option) is None for option in _OPTIONS) and has_documents(
        reference.paths, _format_of(reference, arguments)
    ):
        warn(
            f"{reference.name} consists of documents ('# newdoc'), whose sentences are not independent. Intervals that treat "
            f"them as independent are too narrow, and p-values too small. Add --clusters newdoc."
        )
