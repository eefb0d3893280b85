"""The report of the tabs Score and Compare: the page that `segmentation-scores report` writes, and that command."""

from __future__ import annotations

import glob
from collections.abc import Mapping, Sequence
from typing import Any

from ..report.contents import Names, analyse_texts
from ..report.page import Report, build_page
from ..sources.names import short_names
from ..statistics import signing
from ..statistics.corpus_scores import split_options
from .reading import Sides
from .takeaway import command_of, file_names, is_conllu


def write_report(sides: Sides, systems: Mapping[str, str], options: Mapping[str, Any]) -> str:
    """The report as an HTML page: that of the command for the files that `file_names` names.

    Args:
        systems: the box of each system, by the name that its section gets, the baseline first.
    """
    references = sides.utterances["reference"]
    plan, resampling, _ = split_options(options)
    predictions = {name: sides.utterances[box] for name, box in systems.items()}
    found = analyse_texts(references, predictions, plan, resampling)
    signature = (
        signing.signature(references, **options)
        if found.comparison is None
        else signing.sign_comparison(references, found.comparison, **options)
    )
    files = file_names(sides)
    paths = {name: files[box] for name, box in systems.items()}
    file = files["reference"]
    noun = "sentence" if is_conllu(sides, "reference") else "line"
    names = Names(short_names([file, *paths.values()])[0], file, paths, noun, 1)
    return build_page(Report(found, names, sides.signed(signature)))


def report_command(sides: Sides, systems: Mapping[str, str], scores: Sequence[str], **options: Any) -> str:
    """The command that writes the report."""
    files = file_names(sides)
    predictions = [_named(name, files[box]) for name, box in systems.items()]
    inputs = {"reference": files["reference"], "predictions": predictions}
    return command_of(sides, "report", inputs, output="report.html", scores=scores, **options)


def _named(name: str, file: str) -> str:
    """A prediction as an argument; without a name that the command would take for a part of the path, or for an option."""
    is_plain = not (name.startswith("-") or "=" in name or "/" in name or glob.has_magic(name))
    return f"{name}={file}" if is_plain and name != file else file
