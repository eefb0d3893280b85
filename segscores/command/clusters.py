"""The clusters of utterances that the option `clusters` defines: documents, speakers, sessions."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..options.option import ClusterRule, File
from ..options.table import OPTIONS
from ..sources.names import is_table
from ..support.errors import warn
from ..support.messages import OptionError

if TYPE_CHECKING:
    from ..sources.names import Files
    from ..sources.parts import Facts

_NEW_DOCUMENT = b"# newdoc"
#: The number of bytes of a file in which the first document is looked for.
_HEAD_BYTES = 1 << 20


def check_clusters(arguments: argparse.Namespace, reference: Files) -> None:
    """Check that the reference has what the option `clusters` names."""
    if _form_of(arguments) == "column" and not any(map(is_table, reference.paths)):
        raise OptionError(
            OPTIONS["clusters"].set(arguments.clusters), f": {reference.label} is not a table, and has no columns."
        )


def id_column(arguments: argparse.Namespace) -> str:
    """The column of the reference with the ids, which is read along; empty if there is none."""
    form = _form_of(arguments)
    if form == "column":
        return str(arguments.clusters.given)
    return form if form == "newdoc" else ""


def _form_of(arguments: argparse.Namespace) -> str:
    """The form of the rule that defines clusters; empty if there is none."""
    clusters = arguments.given.get("clusters")
    return clusters.form if isinstance(clusters, ClusterRule) else ""


def clusters_of(arguments: argparse.Namespace, reference: Files, facts: Facts) -> Any:
    """The id of the cluster of each utterance; None if no option defines clusters."""
    import numpy as np

    from ..sources.passes import cluster_ids
    from ..support.errors import FileError

    clusters = arguments.clusters
    if clusters is None:
        return None
    if isinstance(clusters, File):
        return _read_ids(clusters.path, facts.utterances)
    if clusters.form == "every":
        # A number that no array holds makes one cluster too.
        return np.arange(facts.utterances) // max(1, min(int(clusters.given), facts.utterances))
    ids = cluster_ids(facts)
    # Each file begins a document.
    if clusters.form == "newdoc" and len(ids.unique()) == len(reference.paths):
        raise FileError(
            f"{reference.paths[0]}: no comment '# newdoc' marks documents; pass --clusters FILE with an id per line, or "
            f"--clusters every:N."
        )
    return ids


def _read_ids(path: str, utterances: int) -> list[str]:
    from ..sources.opening import read_lines
    from ..support.errors import FileError, counting_from

    ids = [line.strip() for line in read_lines(path)]
    if len(ids) != utterances:
        raise FileError(f"{path}: {len(ids)} ids for {utterances} utterances; expected one line for each.")
    if "" in ids:
        problem = f"{path}, line {ids.index('') + 1}: there is no id; expected one line for each utterance."
        raise FileError(problem, counting=counting_from("line"))
    return ids


def warn_of_documents(arguments: argparse.Namespace, reference: Files) -> None:
    """Warn if a CoNLL-U reference marks documents, and no option defines clusters."""
    if arguments.clusters is None and _has_documents(reference, arguments.text_format):
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
