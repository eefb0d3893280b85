"""Write a self-contained HTML page with the scores of each prediction and their intervals, the wrong words by class, length and
frequency, the most frequent errors, and the utterances as both sides segment them. If there are several predictions, the page
compares the others with the first.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...options.messages import OptionError
from ...options.table import OPTIONS
from ...reading.sources.names import Files, short_names
from ...results.outputs import open_whole
from .baselines import baseline_columns
from .ids import datasets_of, ids_for, warn_of_documents
from .printing import print_out
from .sides import add_side_arguments, read_files, read_sides
from .text import name_on_page, read_resampling, score_options

if TYPE_CHECKING:
    from ...reading.sources.source import Side
    from ...scoring.observations import Observations
    from ..report.contents import Analysed, Names


add_arguments = partial(add_side_arguments, text="a file with a prediction, and optionally the title of its section")

#: The options of the comparison of several predictions, by their names in `compare_tallies`.
_TESTS = ("primary", "n_trials", "margin")


def run(arguments: argparse.Namespace) -> None:
    from ...scoring.observations import Observations
    from ...scoring.plan import Plan
    from ...statistics.clusters import with_clusters
    from ...statistics.utterance_scores import check_worst
    from ..report.contents import Findings, analyse_predictions, worst_key
    from ..report.page import Report, build_page

    files = read_sides(arguments, arguments.predictions)
    reference, *predictions = files
    _check_arguments(arguments, compares=len(predictions) > 1)
    resampling = read_resampling(arguments)
    plan = Plan.of(**score_options(arguments))
    worst = arguments.worst
    if worst is None:
        worst = worst_key(plan)
    check_worst(plan, worst)
    observed = Observations.for_signature()

    def analyse(sides: Sequence[Side], plan: Plan, **options: Any) -> tuple[list[Analysed], Observations]:
        """Analyse the predictions; `options` are arguments of `map_pieces`."""
        analysed = analyse_predictions(sides, plan, observed, worst=worst, most=arguments.utterances, **options)
        return analysed, observed

    # `analyse` adds to `observed`, and returns it because `read_files` compares it with what a first pass has observed.
    plan, (analysed, _observed) = read_files(arguments, files, plan, analyse)
    warn_of_documents(arguments, reference)
    # None without clusters: each tally stays as it is.
    cluster_ids = ids_for("clusters", arguments, reference, observed)
    for prediction in analysed:
        prediction.tally = with_clusters(prediction.tally, cluster_ids)
    # `paths` has the predictions by name, in the order of `analysed`.
    names = _names(arguments, files, observed)
    tests = {name: getattr(arguments, name) for name in _TESTS}
    findings = Findings.of(dict(zip(names.paths, analysed, strict=True)), plan, observed, resampling, worst, **tests)
    signature = findings.sign(files, arguments.text_format)
    columns = baseline_columns(arguments, files, plan, cluster_ids)
    report = Report(findings, names, signature, top=arguments.top, baselines=columns, datasets=datasets_of(observed))
    page = build_page(report).encode()
    with open_whole(arguments.output) as file:
        file.write(page)
    noun = names.noun if observed.utterances == 1 else f"{names.noun}s"
    print_out(f"{arguments.output}: {observed.utterances:,} {noun}, {_size(len(page))}")


def _check_arguments(arguments: argparse.Namespace, *, compares: bool) -> None:
    """Raise an error for labels, for an output that is no file, and for options of a comparison if the page compares nothing."""
    for name in ("label_scheme", "id2label"):
        if getattr(arguments, name):
            problem = ": a report shows words, which labels do not contain; compare and score take labels."
            raise OptionError(OPTIONS[name], problem)
    output = Path(arguments.output)
    if output.exists() and not output.is_file():
        raise ValueError(f"{arguments.output}: this is not a regular file; expected the name of a file to write.")
    for name in _TESTS:
        if name in arguments.explicit and not compares:
            problem = " is for the comparison of several predictions: leave it out, or name another prediction."
            raise OptionError(OPTIONS[name], problem)


def _size(n_bytes: int) -> str:
    """Return a number of bytes for people: `1.2 MB`, or `25 kB`."""
    if n_bytes >= 1e6:
        return f"{n_bytes / 1e6:.1f} MB"
    return f"{math.ceil(n_bytes / 1e3)} kB"


def _names(arguments: argparse.Namespace, files: Sequence[Files], observed: Observations) -> Names:
    """Return the names of texts and utterances on the page."""
    from ...scoring.observations import place_in
    from ..report.contents import Names

    reference, *predictions = files
    paths: dict[str, str] = {}
    for prediction in predictions:
        name = name_on_page(prediction.name)
        while name in paths:
            # Different names may be equal after `name_on_page` has replaced characters.
            name += "′"
        # A prediction without a file is a column of the reference's table.
        paths[name] = name_on_page(prediction.argument or f"{arguments.reference}, column {prediction.column}")
    reference_name, *_ = short_names([file.argument for file in files])
    names = Names(name_on_page(reference_name), name_on_page(arguments.reference), paths)
    first_extent, *_ = observed.extents
    first_source = first_extent.source
    if not first_source.names and len(reference.paths) == 1:
        return replace(names, noun=first_source.noun, first_number=first_source.first_number)
    # Recordings have names. Line numbers restart in each file, so utterances of several files are numbered as one text.
    noun = first_source.noun if first_source.names else "utterance"
    return replace(names, noun=noun, where=lambda index: name_on_page(place_in(observed.extents, index)))
