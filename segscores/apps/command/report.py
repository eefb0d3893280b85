"""Write a self-contained HTML page with the scores of each prediction and their intervals, the wrong words by class, length and
frequency, the most frequent errors, and the utterances as both sides segment them. If there are several predictions, the page
compares the others with the first.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...options.messages import OptionError
from ...options.table import OPTIONS
from ...reading.sources.names import Files, short_names, shown_name
from ...results.outputs import open_whole
from .baselines import baseline_columns
from .ids import ids_for, warn_of_documents
from .printing import print_out
from .sides import add_side_arguments, read_files, read_sides
from .text import read_resampling, score_options

if TYPE_CHECKING:
    from ...reading.sources.source import Side
    from ...scoring.observations import Observations
    from ..report.contents import Analysed, Names


add_arguments = partial(add_side_arguments, text="a file with a prediction, and optionally the title of its section")


def run(arguments: argparse.Namespace) -> None:
    from ...scoring.observations import Observations
    from ...scoring.plan import Plan
    from ...statistics.clusters import with_clusters
    from ...statistics.utterance_scores import check_worst
    from ..report.contents import Findings, analyse_predictions, worst_key
    from ..report.page import Report, build_page

    files = read_sides(arguments, arguments.predictions)
    labels = next((name for name in ("label_scheme", "id2label") if getattr(arguments, name)), "")
    if labels:
        problem = ": a report shows words, which labels do not contain; compare and score take labels."
        raise OptionError(OPTIONS[labels], problem)
    if Path(arguments.output).exists() and not Path(arguments.output).is_file():
        raise ValueError(f"{arguments.output}: this is not a regular file; expected the name of a file to write.")
    resampling = read_resampling(arguments)
    plan = Plan.of(**score_options(arguments))
    tests = {name: getattr(arguments, name) for name in ("primary", "n_trials", "margin")}
    if len(files) == 2 and tests.keys() & arguments.explicit.keys():
        option = next(OPTIONS[name] for name in tests if name in arguments.explicit)
        raise OptionError(
            option, " is for the comparison of several predictions: leave it out, or name another prediction."
        )
    worst = arguments.worst
    if worst is None:
        worst = worst_key(plan)
    check_worst(plan, worst)
    observed = Observations(digest=0)
    ranking = {"worst": worst, "most": arguments.utterances}

    def analyse(sides: Sequence[Side], plan: Plan, **options: Any) -> tuple[list[Analysed], Observations]:
        return analyse_predictions(sides, plan, observed, **ranking, **options), observed

    plan, (analysed, _) = read_files(arguments, files, plan, analyse)
    warn_of_documents(arguments, files[0])
    ids = ids_for("clusters", arguments, files[0], observed)
    for prediction in analysed:
        prediction.tally = with_clusters(prediction.tally, ids)
    names = _names(arguments, files, observed)
    findings = Findings.of(dict(zip(names.paths, analysed, strict=True)), plan, observed, resampling, worst, **tests)
    signature = findings.sign(files, arguments.text_format)
    columns = baseline_columns(arguments, files, plan, ids)
    page = build_page(Report(findings, names, signature, arguments.top, columns)).encode()
    with open_whole(arguments.output) as file:
        file.write(page)
    noun = names.noun if observed.utterances == 1 else f"{names.noun}s"
    print_out(f"{arguments.output}: {observed.utterances:,} {noun}, {_size(len(page))}")


def _size(n_bytes: int) -> str:
    if n_bytes >= 1e6:
        return f"{n_bytes / 1e6:.1f} MB"
    return f"{math.ceil(n_bytes / 1e3)} kB"


def _names(arguments: argparse.Namespace, sides: Sequence[Files], observed: Observations) -> Names:
    from ...scoring.observations import place_in
    from ..report.contents import Names

    paths: dict[str, str] = {}
    for side in sides[1:]:
        name = _printable(side.name)
        while name in paths:
            # Different names may be equal after `_printable` has replaced characters.
            name += "′"
        paths[name] = _printable(side.argument or f"{arguments.reference}, column {side.column}")
    reference = _printable(short_names([side.argument for side in sides])[0]), _printable(arguments.reference)
    source, _ = observed.extents[0]
    noun = "utterance"
    if source.names:
        noun = source.noun
    elif len(sides[0].paths) == 1:
        return Names(*reference, paths, source.noun, source.first_number)
    # Line numbers restart in each file, so utterances of several files are numbered as one text.
    return Names(*reference, paths, noun, where=lambda index: _printable(place_in(observed.extents, index)))


def _printable(name: str) -> str:
    """Return the name of a file, with characters that UTF-8 cannot encode replaced."""
    return shown_name(name).encode(errors="surrogateescape").decode(errors="replace")
