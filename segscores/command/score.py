"""`segmentation-scores score`: scores of predictions against a reference, one column each."""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from io import TextIOWrapper
from operator import attrgetter
from typing import TYPE_CHECKING

from ..corpora.outputs import csv_cell, open_whole
from ..corpora.sides import Side, Sides
from ..kernel.errors import warn
from ..kernel.json_text import as_json
from .bounds import add_bound_arguments, read_bounds, report_failures
from .clusters import add_cluster_arguments, check_cluster_arguments, cluster_inputs, clusters_of, warn_of_documents
from .printing import print_out
from .sides import add_side_arguments, read_sides
from .tables import Result, add_format_argument, format_results
from .text import (
    add_resampling_arguments,
    add_score_arguments,
    add_text_arguments,
    announce_resampling,
    check_inputs,
    check_no_resampling,
    check_output,
    resampling_options,
    score_options,
    sign_files,
    signed_left_out,
    warn_of_failures,
)

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ..corpora.fold import Folded
    from ..scoring.options import Plan
    from ..scoring.tally import Tally
    from ..scoring.utterance_tally import UtteranceTally
    from ..statistics.utterance_scores import Resampling

_ENDINGS = (".csv", ".jsonl")
# Rows that are made at a time: Python's numbers take far more memory than the columns that they come from.
_ROWS_AT_ONCE = 10_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the description and the arguments to the subcommand's parser."""
    parser.description = (
        "Score predictions against a reference. Prints a row for each score and a column for each prediction."
    )
    add_side_arguments(parser, "a file with a prediction, and optionally the name of its column in the result")
    add_text_arguments(parser, is_recognised=True)
    add_score_arguments(parser)
    parser.add_argument("--counts", action="store_true", help="also print the counts behind the scores")
    add_bound_arguments(parser)
    add_resampling_arguments(parser, confidence=None)
    add_cluster_arguments(parser)
    parser.add_argument(
        "--interval-method", choices=("percentile", "bca", "jackknife"), help="kind of interval (default: percentile)"
    )
    parser.add_argument(
        "--per-utterance",
        metavar="FILE.csv|FILE.jsonl",
        help="write the scores of each utterance to this file, with the name of the prediction and the place in the reference: "
        "the number of the line, sentence or row, after the name of the file if there are several",
    )
    parser.add_argument(
        "--worst",
        metavar="SCORE",
        help="sort the file of --per-utterance by this score, such as token_fscore, with the worst utterances first",
    )
    parser.add_argument(
        "--on-error",
        choices=("raise", "skip"),
        default="raise",
        help="what to do with utterances that cannot be scored and files that cannot be read: raise stops with an error, "
        "skip leaves them out and reports their number (default: %(default)s)",
    )
    add_format_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Score the files and print the results; gives the exit status."""
    read = read_sides(arguments, arguments.predictions)
    _check_arguments(arguments, read)
    check_cluster_arguments(arguments, read[0], has_use=arguments.confidence is not None)

    from ..corpora.fold import with_window_size
    from ..corpora.memory import keep_freed_memory
    from ..scoring.options import Plan

    keep_freed_memory()
    plan = Plan.of(**score_options(arguments), label_scheme=arguments.label_scheme)
    resampling = _read_resampling(arguments, plan)
    bounds = read_bounds(arguments, plan.keys)
    sides = Sides.of(read, plan, arguments.text_format)
    sides = with_window_size(sides, skips=arguments.on_error == "skip")
    return report_failures(_score(sides, resampling, arguments), bounds)


def _score(sides: Sides, resampling: Resampling | None, arguments: argparse.Namespace) -> list[Result]:
    """Score the files and print the results, which it gives too."""
    from ..corpora.file_tallies import tally_parts, utterance_parts
    from ..corpora.fold import fold_files
    from ..scoring.signature import signed_skipped

    work = tally_parts if resampling is None else utterance_parts
    folded = fold_files(work, sides, skips=arguments.on_error == "skip")
    left_out = folded.found.left_out
    predictions = sides.sides[1:]
    for bad in left_out:
        bad.check()
    tallies = folded.found.whole()
    clusters = None
    if arguments.confidence is not None:
        from ..statistics.clusters import read_clusters

        warn_of_documents(arguments, sides.sides[0])
        total = left_out[0].total
        ids = clusters_of(arguments, sides.sides[0], total)
        if ids is not None:
            ids = read_clusters(ids, total)
            clusters = int(ids.max()) + 1
            tallies = [
                replace(tally, clusters=_renumbered(ids[places]))
                for tally, places in zip(tallies, folded.found.whole_places(), strict=True)
            ]
    if resampling is None:
        results = _results(predictions, tallies, sides.plan, arguments)
    else:
        results = _results_of_utterances(predictions, tallies, sides.plan, resampling, arguments)
    if arguments.per_utterance:
        _write_utterances(arguments, folded, sides, tallies)
    if arguments.on_error == "skip":
        warn_of_failures(folded.failures)
        for bad in filter(attrgetter("utterances"), left_out):
            warn(bad.message())
        for result, bad in zip(results, left_out, strict=True):
            result.counts["left_out"] = bad.utterances
            if folded.failures:
                result.counts["left_out_files"] = len(folded.failures)
    signature = sign_files(
        sides,
        left_out[0].total,
        folded.form,
        average=arguments.average,
        intervals="" if resampling is None else str(resampling),
        clusters=clusters,
        further={
            **signed_left_out([bad.utterances for bad in left_out], len(folded.failures)),
            **signed_skipped(tally.skipped for tally in tallies),
        },
    )
    print_out(format_results(results, arguments.reference, arguments.format, signature), arguments.format)
    return results


def _renumbered(clusters: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The clusters of some of the utterances, numbered without gaps."""
    import numpy as np

    return np.asarray(np.unique(clusters, return_inverse=True)[1], np.int64)


def _check_arguments(arguments: argparse.Namespace, sides: Sequence[Side]) -> None:
    """Reject options that do not go together, before any work is done."""
    inputs = check_inputs(arguments, sides, *cluster_inputs(arguments))
    if arguments.confidence is None:
        check_no_resampling(arguments, "n_resamples", "seed", "interval_method")
    path = arguments.per_utterance
    if path is None:
        if arguments.worst is not None:
            raise ValueError("--worst orders the scores of utterances: add --per-utterance FILE.csv.")
        return
    if not path.lower().endswith(_ENDINGS):
        raise ValueError(f"--per-utterance: expected a name that ends in {' or '.join(_ENDINGS)}, received {path!r}.")
    check_output(path, inputs)


def _read_resampling(arguments: argparse.Namespace, plan: Plan) -> Resampling | None:
    """How scores are averaged and resampled; None if sums over the files are enough."""
    if arguments.confidence is None and arguments.average == "micro" and arguments.per_utterance is None:
        return None
    from ..statistics.utterance_scores import Resampling, check_worst

    if arguments.worst is not None:
        check_worst(plan, arguments.worst)
    method = {"interval_method": arguments.interval_method} if arguments.interval_method else {}
    return Resampling(**resampling_options(arguments), **method)


def _results(
    sides: Sequence[Side], tallies: Sequence[Tally], plan: Plan, arguments: argparse.Namespace
) -> list[Result]:
    """The scores of each prediction."""
    from ..measures.registry import undefined_keys
    from ..scoring.pipeline import score_tally

    results = []
    for side, tally in zip(sides, tallies, strict=True):
        totals = tally.totals()
        counts = totals if arguments.counts else {}
        undefined = undefined_keys(totals, plan.keys)
        scores = score_tally(tally, plan, prediction=side.name)
        results.append(Result(side.name, scores, counts, path=side.given, undefined=undefined))
    return results


def _results_of_utterances(
    sides: Sequence[Side],
    tallies: Sequence[UtteranceTally],
    plan: Plan,
    resampling: Resampling,
    arguments: argparse.Namespace,
) -> list[Result]:
    """The scores of each prediction from the counts of each utterance."""
    from ..measures.registry import undefined_keys
    from ..statistics.utterance_scores import score_utterances

    keys = plan.keys
    if resampling.confidence is not None:
        announce_resampling(resampling.n_resamples, len(tallies[0]), len(tallies))
    results = []
    for side, tally in zip(sides, tallies, strict=True):
        scores = score_utterances(tally, plan, resampling, prediction=side.name)
        intervals = {key: (scores[f"{key}_low"], scores[f"{key}_high"]) for key in keys if f"{key}_low" in scores}
        totals = tally.totals()
        counts = totals if arguments.counts else {}
        # A mean over utterances is defined even if a corpus score is not.
        undefined = undefined_keys(totals, keys) if resampling.average == "micro" else ()
        scored = {key: scores[key] for key in keys}
        results.append(Result(side.name, scored, counts, intervals, side.given, undefined))
    return results


def _write_utterances(
    arguments: argparse.Namespace, folded: Folded, sides: Sides, tallies: Sequence[UtteranceTally]
) -> None:
    """Write the scores of each utterance, prediction by prediction.

    Places are those in the reference, so that an utterance has the same place for every prediction.
    """
    plan, has_files = sides.plan, len(sides.sides[0].paths) > 1
    names = ["prediction", *(["file"] if has_files else []), folded.reference.noun, *plan.keys]
    with (
        open_whole(arguments.per_utterance) as whole,
        TextIOWrapper(whole, "utf-8", "backslashreplace", newline="") as file,
    ):
        writer = csv.writer(file, lineterminator="\n")
        is_json = arguments.per_utterance.lower().endswith(".jsonl")
        if not is_json:
            writer.writerow(names)
        for side, tally, places in zip(sides.sides[1:], tallies, folded.found.whole_places(), strict=True):
            numbered = _file_numbers(folded.extents, places, folded.reference.first_number)
            for path, *cells in _utterance_rows(tally, numbered, plan, arguments.worst):
                row = [side.name, *([path] if has_files else []), *cells]
                if is_json:
                    file.write(as_json(dict(zip(names, row, strict=True)), indent=None) + "\n")
                else:
                    writer.writerow(map(csv_cell, row))


def _file_numbers(
    files: Sequence[tuple[str, int]], places: npt.NDArray[np.int64], first_number: int
) -> Callable[[npt.NDArray[np.int64]], tuple[list[str], list[int]]]:
    """A function that maps indices of scored utterances to their files and their numbers there."""
    import numpy as np

    counts = np.array([count for _, count in files])
    ends = np.cumsum(counts)
    shifts = counts - ends + first_number

    def number(some: npt.NDArray[np.int64]) -> tuple[list[str], list[int]]:
        which = np.searchsorted(ends, places[some], side="right")
        return [files[index][0] for index in which.tolist()], (places[some] + shifts[which]).tolist()

    return number


def _utterance_rows(
    tally: UtteranceTally,
    numbered: Callable[[npt.NDArray[np.int64]], tuple[list[str], list[int]]],
    plan: Plan,
    worst: str | None,
) -> Iterator[tuple[str | int | float, ...]]:
    """For each utterance the file, its number there, and its scores."""
    import numpy as np

    from ..statistics.utterance_scores import worst_first

    keys = plan.keys
    scores = tally.per_utterance(keys, plan.zero_division)
    chosen = np.flatnonzero(tally.is_scored) if worst is None else worst_first(tally, plan, worst)
    for start in range(0, len(chosen), _ROWS_AT_ONCE):
        some = chosen[start : start + _ROWS_AT_ONCE]
        yield from zip(*numbered(some), *(scores[key][some].tolist() for key in keys), strict=True)
