"""`segmentation-scores score`: scores of predictions against a reference, one column each."""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any

from ..kernel.json_text import as_json
from ..sources.names import Files
from ..sources.outputs import csv_cell, open_whole
from .bounds import add_bound_arguments, read_bounds, report_failures
from .clusters import (
    add_cluster_arguments,
    check_cluster_arguments,
    cluster_inputs,
    clusters_of,
    id_column,
    warn_of_documents,
)
from .printing import add_format_argument, print_result
from .sides import add_side_arguments, open_inputs, read_sides
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
)

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ..results.scored import Scored
    from ..scoring.options import Plan
    from ..scoring.utterance_tally import UtteranceTally
    from ..sources.parts import Facts
    from ..sources.source import Source
    from ..statistics.resampling import Resampling

_ENDINGS = (".csv", ".jsonl")
# Rows that are made at a time: Python's numbers take far more memory than the columns that they come from.
_ROWS_AT_ONCE = 10_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the description and the arguments to the subcommand's parser."""
    parser.description = (
        "Score predictions against a reference. Prints a row for each score and a column for each prediction."
    )
    add_side_arguments(parser, "a file with a prediction, and optionally the name of its column in the result")
    add_text_arguments(parser)
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

    from ..scoring.options import Plan

    plan = Plan.of(**score_options(arguments), label_scheme=arguments.label_scheme)
    resampling = _read_resampling(arguments, plan)
    bounds = read_bounds(arguments, plan.keys)
    return report_failures(_score(read, plan, resampling, arguments), bounds)


def _score(
    read: Sequence[Files], plan: Plan, resampling: Resampling | None, arguments: argparse.Namespace
) -> list[Scored]:
    """Score the files and print the results, which it gives too."""
    from ..measures.registry import undefined_keys
    from ..results.scored import Scored, result_of
    from ..scoring.pipeline import score_tally
    from ..scoring.signature import signed_skipped
    from ..sources.passes import check_same, sum_tallies, tally_each, with_window_size

    skips = arguments.on_error == "skip"
    predictions = read[1:]
    with open_inputs(arguments, read, plan, id_column(arguments)) as (sides, ids):
        plan, first = with_window_size(sides[0], plan, skips=skips)
        if resampling is None:
            sums, facts = sum_tallies(sides, plan, skips=skips)
        else:
            tallies, places, facts = tally_each(sides, plan, skips=skips, ids=ids)
        check_same(first, facts)
    clusters = None
    if resampling is None:
        scores = [score_tally(tally, plan, prediction=side.name) for side, tally in zip(predictions, sums, strict=True)]
        counted = [(tally.totals(), tally.skipped) for tally in sums]
    else:
        from ..statistics.utterance_scores import score_utterances

        if resampling.confidence is not None:
            warn_of_documents(arguments, read[0])
            tallies, clusters = _clustered(tallies, places, clusters_of(arguments, read[0], facts), facts.utterances)
            announce_resampling(resampling.n_resamples, len(tallies[0]), len(tallies))
        scores = [
            score_utterances(tally, plan, resampling, prediction=side.name)
            for side, tally in zip(predictions, tallies, strict=True)
        ]
        counted = [(tally.totals(), tally.skipped) for tally in tallies]
        if arguments.per_utterance:
            _write_utterances(arguments, plan, facts, list(zip(predictions, tallies, places, strict=True)))
    keys = plan.keys
    scored = [
        Scored(
            side.name,
            {key: found[key] for key in keys},
            {**(totals if arguments.counts else {}), **(_left_out(facts, at) if skips else {})},
            {key: (found[f"{key}_low"], found[f"{key}_high"]) for key in keys if f"{key}_low" in found},
            side.given,
            # A mean over utterances is defined even if a corpus score is not.
            undefined_keys(totals, keys) if arguments.average == "micro" else (),
        )
        for at, (side, found, (totals, _)) in enumerate(zip(predictions, scores, counted, strict=True), 1)
    ]
    signature = sign_files(
        read,
        plan,
        facts,
        arguments,
        average=arguments.average,
        intervals="" if resampling is None else str(resampling),
        clusters=clusters,
        further=signed_skipped(skipped for _, skipped in counted),
    )
    print_result(result_of(scored, arguments.reference, signature), arguments.format)
    return scored


def _clustered(
    tallies: Sequence[UtteranceTally], places: Sequence[npt.NDArray[np.int64]], ids: Any, utterances: int
) -> tuple[list[UtteranceTally], int | None]:
    """The tallies with the clusters of their utterances, and the number of clusters; None without ids."""
    import numpy as np

    from ..statistics.clusters import read_clusters

    if ids is None:
        return list(tallies), None
    clusters = read_clusters(ids, utterances)
    # The clusters of some of the utterances are numbered without gaps.
    numbers = [np.asarray(np.unique(clusters[some], return_inverse=True)[1], np.int64) for some in places]
    found = [replace(tally, clusters=each) for tally, each in zip(tallies, numbers, strict=True)]
    return found, int(clusters.max()) + 1


def _check_arguments(arguments: argparse.Namespace, sides: Sequence[Files]) -> None:
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
    from ..statistics.resampling import Resampling
    from ..statistics.utterance_scores import check_worst

    if arguments.worst is not None:
        check_worst(plan, arguments.worst)
    method = {"interval_method": arguments.interval_method} if arguments.interval_method else {}
    return Resampling(**resampling_options(arguments), **method)


def _left_out(facts: Facts, at: int) -> dict[str, int]:
    """The counts of what `--on-error skip` leaves out of the prediction of this place."""
    files = {"left_out_files": len(facts.failures)} if facts.failures else {}
    return {"left_out": facts.left_out[at].utterances} | files


def _write_utterances(
    arguments: argparse.Namespace,
    plan: Plan,
    facts: Facts,
    scored: Sequence[tuple[Files, UtteranceTally, npt.NDArray[np.int64]]],
) -> None:
    """Write the scores of each utterance, prediction by prediction.

    Places are those in the reference, so that an utterance has the same place for every prediction.
    """
    source, has_files = facts.extents[0][0], len(facts.extents) > 1
    names = ["prediction", *(["file"] if has_files else []), source.noun, *plan.keys]
    with (
        open_whole(arguments.per_utterance) as whole,
        TextIOWrapper(whole, "utf-8", "backslashreplace", newline="") as file,
    ):
        writer = csv.writer(file, lineterminator="\n")
        is_json = arguments.per_utterance.lower().endswith(".jsonl")
        if not is_json:
            writer.writerow(names)
        for side, tally, some in scored:
            numbered = _file_numbers(facts.extents, some)
            for path, *cells in _utterance_rows(tally, numbered, plan, arguments.worst):
                row = [side.name, *([path] if has_files else []), *cells]
                if is_json:
                    file.write(as_json(dict(zip(names, row, strict=True)), indent=None) + "\n")
                else:
                    writer.writerow(map(csv_cell, row))


def _file_numbers(
    files: Sequence[tuple[Source, int]], places: npt.NDArray[np.int64]
) -> Callable[[npt.NDArray[np.int64]], tuple[list[str], list[int]]]:
    """A function that maps indices of scored utterances to their files and their numbers there."""
    import numpy as np

    counts = np.array([count for _, count in files])
    ends = np.cumsum(counts)
    shifts = counts - ends + files[0][0].first_number

    def number(some: npt.NDArray[np.int64]) -> tuple[list[str], list[int]]:
        which = np.searchsorted(ends, places[some], side="right")
        return [files[index][0].name for index in which.tolist()], (places[some] + shifts[which]).tolist()

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
