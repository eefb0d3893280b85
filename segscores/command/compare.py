"""`segmentation-scores compare`: several predictions of one reference, and whether their differences are real."""

from __future__ import annotations

__all__ = ["add_parser"]

import argparse
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..corpora.sides import Sides
from .printing import print_out
from .sides import add_side_arguments, check_distinct, read_sides
from .tables import FORMATS, Result, emphasised, format_cells, format_csv, format_results, with_signature
from .text import (
    add_resampling_arguments,
    add_score_arguments,
    add_text_arguments,
    check_standard_input,
    resampling_options,
    score_options,
    sign_files,
)

if TYPE_CHECKING:
    from argparse import _SubParsersAction

    from ..statistics.system_comparison import SystemComparison

#: The columns of differences in CSV, and the fields that they have.
_DIFFERENCES = {
    "difference": "difference",
    "difference_low": "low",
    "difference_high": "high",
    **{name: name for name in ("p_bootstrap", "p_randomisation", "p_bootstrap_holm", "p_randomisation_holm")},
}


def add_parser(commands: _SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand to the command's parser."""
    parser = commands.add_parser("compare", help="compare predictions, and test their differences")
    parser.description = (
        "Compare predictions of one reference: the scores of each with intervals, the difference of each from a baseline, and "
        "p-values, by paired approximate randomisation (JSON and CSV have those of the paired bootstrap too), with Holm's "
        "correction for several systems. The best value of each score is marked, and those that are not significantly worse."
    )
    add_side_arguments(parser, "files with predictions, one a system")
    parser.add_argument(
        "--baseline",
        metavar="NAME",
        help="the prediction that the others are compared with: its name, its path or its column (default: the first)",
    )
    add_text_arguments(parser)
    add_score_arguments(parser)
    add_resampling_arguments(parser, confidence=0.95)
    parser.add_argument("--format", choices=tuple(FORMATS), default="table", help="(default: %(default)s)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Compare the files and print the table."""
    from ..corpora.files import keep_freed_memory, open_sources, tally_utterances
    from ..corpora.shards import with_window_size
    from ..scoring.options import Plan
    from ..statistics.system_comparison import check_systems, compare_tallies
    from ..statistics.utterance_scores import Resampling

    keep_freed_memory()
    read = read_sides(arguments, arguments.predictions)
    names = [side.name for side in read[1:]]
    # The path will do as well as the name.
    baseline = next((side.name for side in read[1:] if arguments.baseline == side.given), arguments.baseline)
    paths = [path for side in read for path in side.paths]
    check_standard_input([*paths, arguments.dictionary, arguments.acceptable, arguments.vocabulary])
    check_distinct(read[1:])
    check_systems(dict.fromkeys(names), baseline)
    settings = resampling_options(arguments)
    resampling = Resampling(**settings)
    plan = Plan.of(**score_options(arguments), label_scheme=arguments.label_scheme)
    sides = with_window_size(Sides.of(read, plan, arguments.text_format))
    with open_sources(sides) as (reference, *predictions):
        tallies = tally_utterances(reference, predictions, sides.plan)
    comparison = compare_tallies(dict(zip(names, tallies, strict=True)), sides.plan, baseline=baseline, **settings)
    signature = sign_files(sides, reference.taken, average=arguments.average, intervals=str(resampling))
    given = {side.name: side.given for side in read[1:]}
    print_out(_format(comparison, given, arguments.reference, arguments.format, signature), arguments.format)


def _format(comparison: SystemComparison, paths: Mapping[str, str], reference: str, form: str, signature: str) -> str:
    """The comparison as text; `paths` has those of the predictions by name."""
    if form == "json":
        results = [
            Result(name, scores, intervals=comparison.intervals[name], path=paths[name])
            for name, scores in comparison.scores.items()
        ]
        return format_results(results, reference, form, signature, comparison.to_dict())
    if form == "csv":
        return _as_csv(comparison, signature)
    header = ["score"]
    for name in comparison.scores:
        header += [name] if name == comparison.baseline else [name, "difference", "p"]
    keys = comparison.scores[comparison.baseline]
    return with_signature(
        format_cells(header, [_row(comparison, key) for key in keys], form),
        signature,
        form,
        [_legend(comparison, form)],
    )


def _row(comparison: SystemComparison, key: str) -> list[str]:
    """A score's cells: for each system its value, and unless it is the baseline its difference and the p-value."""
    cells = [key]
    best, not_worse = _marked(comparison, key)
    for name, scores in comparison.scores.items():
        value = f"{scores[key]:.4f}"
        shown = emphasised(value) if name in best else f"{value}†" if name in not_worse else value
        low, high = comparison.intervals[name][key]
        cells.append(f"{shown} [{low:.4f}, {high:.4f}]")
        if name in comparison.differences:
            difference = comparison.differences[name][key]
            shown = "nan" if math.isnan(difference.difference) else f"{difference.difference:+.4f}"
            cells += [shown, f"{difference.p_randomisation_holm:.2g}"]
    return cells


def _marked(comparison: SystemComparison, key: str) -> tuple[list[str], Sequence[str]]:
    """The systems with the best value of a score, and those that are not significantly worse, the best among them."""
    best = comparison.best(key)
    values = {name: scores[key] for name, scores in comparison.scores.items()}
    return [name for name in values if best and values[name] == values[best]], comparison.not_worse(key)


def _legend(comparison: SystemComparison, form: str) -> str:
    """What the table shows, in a line."""
    level = f"{1 - comparison.confidence:.3g}"
    corrected = ", corrected for several systems (Holm)" if len(comparison.differences) > 1 else ""
    best = "* best" if form == "table" else "bold: best"
    parts = [
        f"[low, high]: {100 * comparison.confidence:g} % interval",
        f"difference: from {comparison.baseline}",
        f"p: paired randomisation{corrected}",
        best,
        f"† not significantly worse than the best (p > {level})",
    ]
    if any(comparison.skipped.values()):
        skipped = ", ".join(f"{count} of {name}" for name, count in comparison.skipped.items())
        parts.append(f"{comparison.utterances} utterances, without those skipped: {skipped}")
    return " ".join("; ".join(parts).split()) + "."


def _as_csv(comparison: SystemComparison, signature: str) -> str:
    """A row for each score and system; the baseline has no difference from itself."""
    names = ["score", "system", "value", "low", "high", "best", "not_worse", *_DIFFERENCES]
    rows: list[list[object]] = []
    for key in comparison.scores[comparison.baseline]:
        best, not_worse = _marked(comparison, key)
        for name, scores in comparison.scores.items():
            cells: list[object] = ["" for _ in _DIFFERENCES]
            if name in comparison.differences:
                difference = comparison.differences[name][key]
                cells = [getattr(difference, field) for field in _DIFFERENCES.values()]
            ends = comparison.intervals[name][key]
            rows.append([key, name, scores[key], *ends, name in best, name in not_worse, *cells])
    return format_csv(names, rows, signature)
