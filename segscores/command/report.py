"""`segmentation-scores report`: scores with intervals, errors and utterances of predictions, as one HTML page."""

from __future__ import annotations

__all__ = ["add_arguments", "run"]

import argparse
import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..corpora.names import short_names
from ..corpora.outputs import open_whole
from ..corpora.sides import Sides
from .clusters import (
    add_cluster_arguments,
    check_cluster_arguments,
    cluster_inputs,
    clusters_of,
    warn_of_documents,
)
from .printing import print_out
from .sides import add_side_arguments, read_sides
from .text import (
    add_resampling_arguments,
    add_score_arguments,
    add_text_arguments,
    check_inputs,
    check_output,
    resampling_options,
    score_options,
    sign_files,
)

if TYPE_CHECKING:
    from ..analysis.error_analysis import ErrorAnalysis
    from ..corpora.pairs import Compared
    from ..corpora.sources import Source
    from ..scoring.options import Plan
    from ..scoring.utterance_tally import UtteranceTally
    from ..statistics.utterance_scores import Resampling
    from .report_page import Report, ShownUtterance

#: Examples of each error, and words around them on each side.
_EXAMPLES, _CONTEXT = 3, 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the description and the arguments to the subcommand's parser."""
    parser.description = (
        "Write a self-contained HTML page with the scores of each prediction and their intervals, the wrong words by class, "
        "length and frequency, the most frequent errors, and the utterances as both sides segment them. If there are several "
        "predictions, the page compares the others with the first."
    )
    add_side_arguments(parser, "a file with a prediction, and optionally the title of its section")
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="the page to write, such as report.html")
    add_text_arguments(parser, is_recognised=True)
    add_score_arguments(parser)
    add_resampling_arguments(parser, confidence=0.95)
    add_cluster_arguments(parser)
    parser.add_argument(
        "--top",
        metavar="N",
        type=int,
        default=200,
        help="the number of rows in the tables of errors and words (default: %(default)s)",
    )
    parser.add_argument(
        "--utterances",
        metavar="N",
        type=int,
        default=2000,
        help="the number of utterances to show of each prediction, the worst first (default: %(default)s)",
    )
    parser.add_argument(
        "--worst",
        metavar="SCORE",
        help="the score that ranks the utterances (default: token_fscore if it is computed)",
    )


def run(arguments: argparse.Namespace) -> None:
    """Analyse the files, write the page and print its size."""
    from ..corpora.memory import keep_freed_memory
    from ..corpora.shards import with_window_size
    from ..corpora.side_sources import open_sources
    from ..scoring.options import Plan
    from ..statistics.clusters import with_clusters
    from ..statistics.utterance_scores import Resampling, check_worst
    from .report_page import build_page

    read = read_sides(arguments, arguments.predictions)
    if arguments.label_scheme:
        raise ValueError(
            "--label-scheme: a report shows words, which labels do not contain; compare and score take labels."
        )
    inputs = check_inputs(arguments, read, *cluster_inputs(arguments))
    check_cluster_arguments(arguments, read[0])
    _check_output(arguments.output, inputs)
    for option in ("top", "utterances"):
        if getattr(arguments, option) < 0:
            raise ValueError(f"--{option}: expected a number from 0, received {getattr(arguments, option)}.")
    keep_freed_memory()
    resampling = Resampling(**resampling_options(arguments))
    plan = Plan.of(**score_options(arguments))
    worst = _worst_key(plan) if arguments.worst is None else arguments.worst
    check_worst(plan, worst)
    sides = with_window_size(Sides.of(read, plan, arguments.text_format))
    with open_sources(sides) as (reference, *predictions):
        analysed = _analyse_files(reference, predictions, sides.plan, worst, arguments.utterances)
    warn_of_documents(arguments, read[0])
    ids = clusters_of(arguments, read[0], reference.taken)
    for each in analysed:
        each.tally = with_clusters(each.tally, ids)
    report = _report(analysed, reference, arguments, sides, resampling, worst=worst)
    page = build_page(report).encode()
    with open_whole(arguments.output) as file:
        file.write(page)
    count = report.utterances
    print_out(f"{arguments.output}: {count:,} {report.noun}{'' if count == 1 else 's'}, {_size(len(page))}")


@dataclass
class _Analysed:
    """The contents of the page for one prediction, for a part of the corpus or all of it."""

    tally: UtteranceTally
    errors: ErrorAnalysis
    shown: list[ShownUtterance]


def _worst_key(plan: Plan) -> str:
    """The score that ranks the utterances, unless the user names another."""
    from ..measures.registry import group_of

    keys = plan.keys
    ordered = [key for key in keys if group_of(key).better_of(key) in ("higher", "lower")]
    fscores = [key for key in ordered if key.endswith("_fscore")]
    return "token_fscore" if "token_fscore" in fscores else (*fscores, *ordered, *keys)[0]


def _analyse_files(
    reference: Source, predictions: Sequence[Source], plan: Plan, worst: str, most: int
) -> list[_Analysed]:
    """Analyse every prediction, in one pass over the files.

    Raises:
        FileError: the files do not pair, or an utterance can't be scored.
    """
    from ..corpora.opening import FileError
    from ..corpora.pairs import PartPair, map_pairs
    from ..scoring.utterance_tally import concatenate

    def work(pairs: list[PartPair]) -> list[_Analysed]:
        return [_analyse(pair.compare_sides(plan), plan, worst, most) for pair in pairs]

    tallies: list[list[UtteranceTally]] = [[] for _ in predictions]
    totals: list[_Analysed] = []
    first = 0
    for parts in map_pairs(reference, predictions, work):
        for tallied, part in zip(tallies, parts, strict=True):
            tallied.append(part.tally)
            part.shown = [replace(shown, utterance=first + shown.utterance) for shown in part.shown]
        first += len(parts[0].tally)
        if not totals:
            totals = parts
            continue
        for total, part in zip(totals, parts, strict=True):
            total.errors.update(part.errors)
            total.shown += part.shown
            # Only now and then, so that many small files take linear time.
            if len(total.shown) > 2 * most:
                total.shown = heapq.nsmallest(most, total.shown)
    if not totals:
        raise FileError(f"{reference.name}: the file is empty; expected at least one {reference.noun}.")
    for total, tallied in zip(totals, tallies, strict=True):
        total.tally = concatenate(tallied)
        total.shown = heapq.nsmallest(most, total.shown)
    return totals


def _analyse(compared: Compared, plan: Plan, worst: str, most: int) -> _Analysed:
    """Analyse a part of one prediction."""
    import numpy as np

    from ..analysis.differences import differences_of
    from ..analysis.error_analysis import analyse_comparison
    from ..kernel.comparison import compare
    from ..kernel.mismatch import project_boundaries
    from ..kernel.segmentation import select_utterances
    from ..measures.registry import goodness
    from ..scoring.utterance_tally import tally_compared
    from ..statistics.utterance_scores import worst_first
    from .report_page import ShownUtterance

    tally = tally_compared(compared.comparison, compared.kept, plan)
    # Classes and differences are of chunks of the same units on both sides.
    comparison = project_boundaries(compared.comparison)
    errors = analyse_comparison(
        comparison,
        examples=_EXAMPLES,
        context=_CONTEXT,
        vocabulary=plan.known_words,
        zero_division=plan.zero_division,
    )
    chosen = np.sort(worst_first(tally, plan, worst)[:most])
    is_chosen = np.zeros(len(tally), bool)
    is_chosen[chosen] = True
    among_kept = is_chosen if compared.kept is None else is_chosen[compared.kept]
    sides = (select_utterances(side, among_kept) for side in (comparison.reference, comparison.prediction))
    scores = np.asarray(tally.per_utterance([worst], math.nan)[worst], np.float64)[chosen]
    ranks = goodness(worst, scores)
    assert ranks is not None, "check_worst looks for it"
    shown = [
        ShownUtterance(rank, -units, utterance, score, difference)
        for rank, units, utterance, score, difference in zip(
            np.where(np.isnan(ranks), math.inf, ranks).tolist(),
            tally.columns["units"][chosen].tolist(),
            chosen.tolist(),
            scores.tolist(),
            differences_of(compare(*sides)),
            strict=True,
        )
    ]
    return _Analysed(tally, errors, sorted(shown))


def _report(
    analysed: Sequence[_Analysed],
    reference: Source,
    arguments: argparse.Namespace,
    sides: Sides,
    resampling: Resampling,
    *,
    worst: str,
) -> Report:
    """The contents of the page."""
    import numpy as np

    from ..scoring.signature import signed_skipped
    from ..statistics.system_comparison import compare_tallies
    from ..statistics.utterance_scores import score_utterances
    from .report_page import Prediction, Report

    plan = sides.plan
    names = [_printable(side.name) for side in sides.sides[1:]]
    paths = [_printable(side.given or f"{arguments.reference}, column {side.column}") for side in sides.sides[1:]]
    common = np.logical_and.reduce([each.tally.is_scored for each in analysed])
    if common.sum() < 2:
        # Variability cannot be estimated from one utterance.
        resampling = replace(resampling, confidence=None)
    comparison = None
    if resampling.confidence is not None and len(names) > 1:
        tallies = {name: each.tally for name, each in zip(names, analysed, strict=True)}
        comparison = compare_tallies(tallies, plan, **resampling_options(arguments))
    predictions = []
    for name, path, each in zip(names, paths, analysed, strict=True):
        # The comparison has intervals of the same utterances already: do not resample again.
        is_compared = comparison is not None and plan.on_mismatch == "error"
        scores = score_utterances(
            each.tally, plan, replace(resampling, confidence=None) if is_compared else resampling, prediction=name
        )
        if comparison is not None and is_compared:
            for key, (low, high) in comparison.intervals[name].items():
                scores |= {f"{key}_low": low, f"{key}_high": high}
        places = np.flatnonzero(each.tally.is_scored)
        counts = each.tally.totals()
        predictions.append(Prediction(name, path, scores, counts, each.errors, places, each.shown))
    # Line numbers restart in each file, so utterances of several files are numbered as one text.
    is_one_file = len(sides.sides[0].paths) == 1
    return Report(
        reference=_printable(short_names([side.given for side in sides.sides])[0]),
        reference_path=_printable(arguments.reference),
        noun=reference.noun if is_one_file else "utterance",
        first_number=reference.first_number if is_one_file else 1,
        where=None if is_one_file else lambda utterance: _printable(reference.where(utterance)),
        utterances=reference.taken,
        keys=plan.keys,
        signature=sign_files(
            sides,
            reference.taken,
            reference.form,
            average=arguments.average,
            intervals=str(resampling),
            clusters=None if analysed[0].tally.clusters is None else analysed[0].tally.cluster_count,
            further=signed_skipped(each.tally.skipped for each in analysed),
        ),
        confidence=resampling.confidence,
        predictions=predictions,
        comparison=comparison,
        worst=worst,
        top=arguments.top,
        on_mismatch=plan.on_mismatch,
        is_clustered=analysed[0].tally.clusters is not None,
    )


def _printable(name: str) -> str:
    """The name of a file, with characters that UTF-8 cannot encode replaced."""
    shown = "standard input" if name == "-" else name
    return shown.encode(errors="surrogateescape").decode(errors="replace")


def _check_output(name: str, inputs: Sequence[str | None]) -> None:
    """Check that the page can be written, before any work is done.

    Raises:
        ValueError: it can't.
    """
    if not name or name == "-":
        raise ValueError(f"--output {name!r}: expected the name of a file, such as report.html.")
    check_output(name, inputs)
    if Path(name).exists() and not Path(name).is_file():
        raise ValueError(f"{name}: this is not a regular file; expected the name of a file to write.")


def _size(count: int) -> str:
    return f"{count / 1e6:.1f} MB" if count >= 1e6 else f"{math.ceil(count / 1e3)} kB"
