"""The options of subcommands on clusters of utterances: documents, speakers, sessions."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..kernel.errors import warn

if TYPE_CHECKING:
    from ..sources.names import Files
    from ..sources.parts import Facts

_OPTIONS = ("clusters", "cluster_column", "cluster_lines")
_DOCUMENTS = "newdoc"
_NEW_DOCUMENT = b"# newdoc"
#: The number of bytes of a file in which the first document is looked for.
_HEAD_BYTES = 1 << 20


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


def check_cluster_arguments(arguments: argparse.Namespace, reference: Files, *, has_use: bool = True) -> None:
    """Check the options of `add_cluster_arguments`."""
    from .sides import check_column_options
    from .text import check_no_resampling

    if not has_use:
        check_no_resampling(arguments, *_OPTIONS)
    if arguments.cluster_lines is not None and arguments.cluster_lines < 1:
        raise ValueError(f"--cluster-lines: expected a number from 1, received {arguments.cluster_lines}.")
    if arguments.clusters == "":
        raise ValueError("--clusters: expected the name of a file, or newdoc, received nothing.")
    check_column_options(arguments, cluster_column=[reference])


def id_column(arguments: argparse.Namespace) -> str:
    """The column of the reference with the ids, which is read along; empty if there is none."""
    if arguments.cluster_column is not None:
        return str(arguments.cluster_column)
    return _DOCUMENTS if arguments.clusters == _DOCUMENTS else ""


def clusters_of(arguments: argparse.Namespace, reference: Files, facts: Facts) -> Any:
    """The id of the cluster of each utterance; None if no option defines clusters."""
    import numpy as np

    from ..kernel.errors import FileError
    from ..sources.passes import cluster_ids

    if arguments.cluster_lines is not None:
        # A number that no array holds makes one cluster too.
        return np.arange(facts.utterances) // max(1, min(arguments.cluster_lines, facts.utterances))
    if arguments.clusters is not None and arguments.clusters != _DOCUMENTS:
        return _read_ids(arguments.clusters, facts.utterances)
    if not id_column(arguments):
        return None
    ids = cluster_ids(facts)
    # Each file begins a document.
    if arguments.clusters == _DOCUMENTS and len(ids.unique()) == len(reference.paths):
        raise FileError(
            f"{reference.paths[0]}: no comment '# newdoc' marks documents; pass --clusters FILE with an id per line, or "
            f"--cluster-lines N."
        )
    return ids


def _read_ids(path: str, utterances: int) -> list[str]:
    from ..kernel.errors import FileError
    from ..sources.opening import read_lines

    ids = [line.strip() for line in read_lines(path)]
    if len(ids) != utterances:
        raise FileError(f"{path}: {len(ids)} ids for {utterances} utterances; expected one line for each.")
    if "" in ids:
        raise FileError(f"{path}, line {ids.index('') + 1}: there is no id; expected one line for each utterance.")
    return ids


def cluster_inputs(arguments: argparse.Namespace) -> Sequence[str]:
    """The files that the options name."""
    return [arguments.clusters] if arguments.clusters not in (None, _DOCUMENTS) else []


def warn_of_documents(arguments: argparse.Namespace, reference: Files) -> None:
    """Warn if a CoNLL-U reference marks documents, and no option defines clusters."""
    if all(getattr(arguments, option) is None for option in _OPTIONS) and _has_documents(
        reference, arguments.text_format
    ):
        warn(
            f"{reference.name} consists of documents ('# newdoc'), whose sentences are not independent. Intervals that treat "
            f"them as independent are too narrow, and p-values too small. Add --clusters newdoc."
        )


def _has_documents(reference: Files, text_format: str) -> bool:
    """Whether a CoNLL-U file marks documents near its beginning; standard input is not read."""
    from ..sources.opening import BYTE_ORDER_MARK, open_file

    for path in reference.paths:
        if path != "-" and replace(reference, paths=(path,)).is_conllu(text_format):
            with open_file(path) as file:
                head = file.read(_HEAD_BYTES).removeprefix(BYTE_ORDER_MARK)
            if head.startswith(_NEW_DOCUMENT) or b"\n" + _NEW_DOCUMENT in head:
                return True
    return False
