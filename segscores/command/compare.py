"""`segmentation-scores compare`: several predictions of one reference, with tests of their differences."""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from .clusters import (
    add_cluster_arguments,
    check_cluster_arguments,
    cluster_inputs,
    clusters_of,
    id_column,
    warn_of_documents,
)
from .printing import print_out
from .sides import add_side_arguments, check_distinct, open_inputs, read_sides
from .tables import (
    UNDEFINED,
    Result,
    add_format_argument,
    emphasised,
    escape_markdown,
    format_cells,
    format_csv,
    format_results,
    with_signature,
)
from .text import (
    add_resampling_arguments,
    add_score_arguments,
    add_text_arguments,
    announce_resampling,
    check_inputs,
    resampling_options,
    score_options,
    sign_files,
)

if TYPE_CHECKING:
    from ..statistics.system_comparison import Standing, SystemComparison

#: The columns of differences in CSV, and the fields that they have.
_DIFFERENCES = {
    "difference": "difference",
    "difference_low": "low",
    "difference_high": "high",
    **{name: name for name in ("p_randomisation", "p_randomisation_holm", "p_randomisation_max_t")},
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the description and the arguments to the subcommand's parser."""
    parser.description = (
        "Compare predictions of one reference with each other. Prints the scores of each prediction with intervals, the "
        "differences from a baseline with intervals, and two p-values of paired randomisation for each difference: one with "
        "Holm's correction for several systems, one corrected for several scores (max-T). For each score it marks the best "
        "prediction, and the predictions that are not distinguishable from the best. For three or more predictions it prints "
        "their ranges of ranks. --format latex prints a narrow table that fits a page: a column for each system, with each score "
        "and half the width of its interval."
    )
    add_side_arguments(parser, "a file with the prediction of a system, and optionally the name of the system")
    parser.add_argument(
        "--baseline",
        metavar="NAME",
        help="the prediction to compare the others with, given by name, path or column (default: the first)",
    )
    add_text_arguments(parser)
    add_score_arguments(parser)
    add_resampling_arguments(parser, confidence=0.95)
    parser.add_argument(
        "--trials",
        dest="n_trials",
        metavar="NUMBER",
        type=int,
        default=10_000,
        help="the number of random exchanges; if there are no more possible exchanges than that, each is tried once (default: "
        "%(default)s)",
    )
    parser.add_argument(
        "--margin",
        metavar="NUMBER",
        type=float,
        help="the largest difference that does not matter, such as 0.005: reports which systems are equivalent or not "
        "inferior",
    )
    add_cluster_arguments(parser)
    add_format_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    """Compare the files and print the table."""
    from ..scoring.options import Plan
    from ..sources.passes import check_same, tally_each, with_window_size
    from ..statistics.clusters import with_clusters
    from ..statistics.system_comparison import check_comparison, compare_tallies
    from ..statistics.utterance_scores import Resampling

    read = read_sides(arguments, arguments.predictions)
    names = [side.name for side in read[1:]]
    # The baseline may be given by path, too.
    baseline = next((side.name for side in read[1:] if arguments.baseline == side.given), arguments.baseline)
    check_inputs(arguments, read, *cluster_inputs(arguments))
    check_cluster_arguments(arguments, read[0])
    check_distinct(read[1:])
    if len(names) < 2:
        raise ValueError(
            f"PREDICTION: expected at least two, or a table with a --prediction-column for each, received {len(names)}: one "
            f"prediction cannot be compared; use score."
        )
    check_comparison(dict.fromkeys(names), baseline, arguments.n_trials, arguments.margin)
    resampling = Resampling(**resampling_options(arguments))
    plan = Plan.of(**score_options(arguments), label_scheme=arguments.label_scheme)
    with open_inputs(arguments, read, plan, id_column(arguments)) as (sides, id_side):
        plan, first = with_window_size(sides[0], plan)
        tallies, _, facts = tally_each(sides, plan, ids=id_side)
        check_same(first, facts)
    # Intervals, differences and their tests.
    announce_resampling(resampling.n_resamples, len(tallies[0]), 3 * len(tallies))
    warn_of_documents(arguments, read[0])
    ids = clusters_of(arguments, read[0], facts)
    comparison = compare_tallies(
        {name: with_clusters(tally, ids) for name, tally in zip(names, tallies, strict=True)},
        plan,
        resampling,
        baseline=baseline,
        n_trials=arguments.n_trials,
        margin=arguments.margin,
    )
    signature = sign_files(
        read,
        plan,
        facts,
        arguments,
        average=arguments.average,
        intervals=str(resampling),
        clusters=comparison.clusters,
        further=comparison.signed,
    )
    given = {side.name: side.given for side in read[1:]}
    print_out(_format(comparison, given, arguments.reference, arguments.format, signature), arguments.format)


def _format(comparison: SystemComparison, paths: Mapping[str, str], reference: str, form: str, signature: str) -> str:
    """The comparison as text; `paths` has those of the predictions by name."""
    if form == "json":
        results = [
            Result(name, scores, {}, comparison.intervals[name], paths[name], comparison.undefined[name])
            for name, scores in comparison.scores.items()
        ]
        return format_results(results, reference, form, signature, comparison.to_dict())
    if form == "csv":
        return _as_csv(comparison, signature)
    if form == "latex":
        # For a page of print: the other columns are in the other formats.
        rows = [[key, *_narrow_cells(comparison, key)] for key in comparison.keys]
        table = format_cells(["score", *comparison.scores], rows, form)
        return with_signature(table, signature, form, [_legend(comparison, form)])
    several = len(comparison.scores) > 2
    header = ["score"]
    for name in comparison.scores:
        header += [name, "ranks"] if several else [name]
        if name != comparison.baseline:
            header += ["difference", "p", "p over scores"]
            header += [f"margin {comparison.margin:g}"] if comparison.margin is not None else []
    rows = [[key, *_cells(comparison, key, several=several)] for key in comparison.keys]
    return with_signature(format_cells(header, rows, form), signature, form, [_legend(comparison, form)])


def _cells(comparison: SystemComparison, key: str, *, several: bool) -> list[str]:
    """The cells of a score: for each system its value and ranks, and its difference unless it is the baseline."""
    cells = []
    for standing in comparison.standings(key):
        is_undefined = comparison.is_undefined(key, standing.system)
        cells.append(UNDEFINED if is_undefined else f"{_marked(standing)} [{standing.low:.4f}, {standing.high:.4f}]")
        if several:
            cells.append("" if standing.ranks is None else "–".join(map(str, dict.fromkeys(standing.ranks))))
        found = standing.difference
        if found is not None:
            if comparison.is_undefined(key, standing.system, comparison.baseline) or math.isnan(found.difference):
                cells += [UNDEFINED] * 3
            else:
                p_values = found.p_randomisation_holm, found.p_randomisation_max_t
                cells.append(f"{found.difference:+.4f} [{found.low:+.4f}, {found.high:+.4f}]")
                cells += [UNDEFINED if math.isnan(p) else f"{p:.2g}" for p in p_values]
            cells += [standing.against_margin] if standing.against_margin else []
    return cells


def _narrow_cells(comparison: SystemComparison, key: str) -> list[str]:
    """The cells of a score in a narrow table: for each system its value, with half the width of its interval."""
    return [
        UNDEFINED
        if comparison.is_undefined(key, standing.system)
        else f"{_marked(standing)} ± {(standing.high - standing.low) / 2:.4f}"
        for standing in comparison.standings(key)
    ]


def _marked(standing: Standing) -> str:
    """The value, marked where it is the best or not distinguishable from the best."""
    value = f"{standing.score:.4f}"
    return emphasised(value) if standing.is_best else f"{value}†" if standing.is_not_worse else value


def _legend(comparison: SystemComparison, form: str) -> str:
    """The legend of the table, in one line."""
    level = f"{1 - comparison.confidence:.3g}"
    noun = "utterances" if comparison.clusters is None else "clusters"
    over = "" if comparison.clusters is None else f" over {noun}"
    tried = (
        f"all {comparison.trials:,} exchanges of {noun}"
        if comparison.is_exact
        else f"{comparison.trials:,} trials{over}"
    )
    corrected = ", corrected for several systems (Holm)" if len(comparison.differences) > 1 else ""
    has_types = bool(comparison.of_types)
    tests = [f"paired randomisation ({tried})"] if comparison.trials else []
    tests += ["of type scores, Student's t"] if has_types else []
    over_scores = "corrected for several scores instead (max-T)" + (", without type scores" if has_types else "")
    by_pairs = "max-T" + ("; type scores by Holm" if has_types else "")
    best = "* best" if form == "table" else "bold: best"
    baseline, *skipped_names = (
        escape_markdown(name) if form == "markdown" else name for name in (comparison.baseline, *comparison.skipped)
    )
    is_narrow, interval = form == "latex", f"{100 * comparison.confidence:g} % interval"
    differences = [f"difference: from {baseline}", f"p: {'; '.join(tests)}{corrected}", f"p over scores: {over_scores}"]
    parts = [
        f"±: half the width of the {interval}" if is_narrow else f"[low, high]: {interval}",
        *([] if is_narrow else differences),
        best,
        f"† not distinguishable from the best (p > {level}, corrected over all pairs by {by_pairs})",
    ]
    if len(comparison.scores) > 2 and not is_narrow:
        parts.append("ranks: those that the significant differences leave possible")
    if comparison.margin is not None and not is_narrow:
        parts.append(
            f"margin: equivalent if the interval of the difference lies within {comparison.margin:g} of 0, not inferior if it "
            f"does not reach {comparison.margin:g} on the worse side"
        )
    if any(comparison.skipped.values()):
        skipped = ", ".join(
            f"{count} of {name}" for name, count in zip(skipped_names, comparison.skipped.values(), strict=True)
        )
        parts.append(
            f"all scores: of the {comparison.utterances} utterances that no prediction skips (skipped: {skipped})"
        )
    return " ".join("; ".join(parts).split()) + "."


def _as_csv(comparison: SystemComparison, signature: str) -> str:
    """A row for each score and system; the baseline has no difference from itself."""
    further = ["verdict", *(["against_margin"] if comparison.margin is not None else [])]
    names = [
        "score",
        "system",
        "value",
        "low",
        "high",
        "best",
        "not_worse",
        "rank_first",
        "rank_last",
        *_DIFFERENCES,
        *further,
    ]
    rows: list[list[object]] = []
    for key in comparison.keys:
        for standing in comparison.standings(key):
            ranks = ("", "") if standing.ranks is None else standing.ranks
            found = standing.difference
            cells = ["" if found is None else getattr(found, field) for field in _DIFFERENCES.values()]
            cells += [getattr(standing, name) for name in further]
            marks = standing.is_best, standing.is_not_worse
            rows.append([key, standing.system, standing.score, standing.low, standing.high, *marks, *ranks, *cells])
    return format_csv(names, rows, signature)
