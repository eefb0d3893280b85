"""Score predictions against a reference. Prints a row for each score and a column for each prediction."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from ...options.errors import UtteranceError
from ...options.messages import OptionError
from ...options.table import OPTIONS
from ...reading.sources.names import Files
from .baselines import baseline_columns
from .bounds import broken, read_bounds, report_failures
from .ids import edges_of_bands, ids_for, name_of, placed_id, warn_of_documents
from .printing import print_out, print_result, say
from .records import record_of
from .sides import add_side_arguments, note_identical, read_files, read_sides
from .text import announce_resampling, read_resampling, score_options
from .values import check_value, print_values, score_value_alone

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ...results.scored import Scored
    from ...scoring.plan import Plan
    from ...scoring.utterance_tally import UtteranceTally
    from ...statistics.confusion import Confusion
    from ...statistics.resampling import Resampling


add_arguments = partial(add_side_arguments, text="a file with a prediction, and optionally its name")


def run(arguments: argparse.Namespace) -> int:
    files = read_sides(arguments, arguments.predictions)
    if arguments.format == "hub" and len(files) > 2:
        problem = (
            f": its file belongs to the repository of one model; expected one prediction, received {len(files) - 1}."
        )
        raise OptionError(OPTIONS["format"].set("hub"), problem)

    from ...results.scored import result_of

    score_value_alone(arguments)
    plan, resampling = read_scoring(arguments)
    check_value(arguments, plan.keys)
    bounds = read_bounds(arguments, plan.keys)
    record = record_of(arguments, files)
    file_scores = score_files(files, plan, resampling, arguments)
    scored = file_scores.scored
    signature = file_scores.signature
    if arguments.baselines:
        from ...analysis.baselines import BaselineScores

        columns = baseline_columns(arguments, files, plan, file_scores.clusters)
        result = BaselineScores(scored, columns, signature).result(arguments.reference)
    elif arguments.by is None:
        result = result_of(scored, arguments.reference, signature)
    else:
        from ...results.pictures import write_picture
        from ...scoring.measures.registry import main_score
        from ...statistics.subsets import SubsetScores

        subset_scores = SubsetScores(name_of(arguments.by), scored, signature, file_scores.confusion)
        result = subset_scores.result(arguments.reference)
        if arguments.plot:
            key = main_score(plan.keys)
            write_picture(subset_scores.plot(key), arguments.plot)
            if len(plan.keys) > 1:
                say(f"{arguments.plot}: shows {key}, one of {len(plan.keys)} scores; --scores NAME draws another.")
    if arguments.value is not None:
        print_values(scored, arguments.value)
    elif arguments.format == "hub":
        from ...results.publishing import hub_results

        print_out(hub_results(scored[0], arguments.reference, signature))
    elif arguments.format == "hub-card":
        from ...results.publishing import hub_card

        print_out(hub_card(scored, arguments.reference, signature))
    else:
        print_result(result, arguments, record)
    # A check may score a reference against itself on purpose.
    if not bounds:
        note_identical(files)
    return report_failures(broken(scored, bounds))


@dataclass(frozen=True)
class FileScores:
    """The scores of the predictions of some files."""

    scored: list[Scored]
    signature: str
    clusters: npt.NDArray[np.int64] | None  #: the cluster of each utterance that was read; None without clusters
    confusion: Mapping[str, Sequence[Confusion]] = field(default_factory=dict)  #: as in `SubsetScores`


def read_scoring(arguments: argparse.Namespace) -> tuple[Plan, Resampling | None]:
    """Return the plan, and how scores are averaged and resampled: None if sums over the files are enough."""
    from ...scoring.plan import Plan

    plan = Plan.of(**score_options(arguments))
    is_summed = arguments.confidence is None and arguments.average == "micro"
    if is_summed and arguments.per_utterance is None and getattr(arguments, "by", None) is None:
        return plan, None
    from ...statistics.utterance_scores import check_worst

    if arguments.worst is not None:
        check_worst(plan, arguments.worst)
    return plan, read_resampling(arguments)


def score_files(
    files: Sequence[Files], plan: Plan, resampling: Resampling | None, arguments: argparse.Namespace
) -> FileScores:
    """Score each prediction, and write the scores of utterances, if they are requested."""
    from ...results.scored import Scored
    from ...scoring.passes import sum_tallies
    from ...scoring.tally import score_tally
    from ...statistics.signing import sign_files

    predictions = files[1:]
    clusters = None
    n_clusters = None
    confusion: Mapping[str, Sequence[Confusion]] = {}
    tallies: Sequence[Any]
    scored_subsets: list[list[Scored]] = [[] for _ in predictions]
    if resampling is None:
        plan, (tallies, observed) = read_files(arguments, files, plan, partial(sum_tallies, signs=True))
        scores = [score_tally(tally, plan) for tally in tallies]
    else:
        from ...scoring.parts import LABEL, tally_with_parts
        from ...statistics.clusters import read_clusters, with_clusters
        from ...statistics.utterance_scores import score_utterances

        by = getattr(arguments, "by", None)
        tally_files = partial(tally_with_parts, divides=str(by) == LABEL, signs=True)
        plan, (tallies, parts, observed) = read_files(arguments, files, plan, tally_files)
        ids = ids_for("clusters", arguments, files[0], observed)
        if ids is not None:
            clusters = read_clusters(ids, observed.utterances)
            n_clusters = int(clusters.max()) + 1
            tallies = [with_clusters(tally, clusters) for tally in tallies]
        _announce_intervals(resampling, arguments, files[0], tallies)
        scores = [
            score_utterances(tally, plan, resampling, prediction=side.name)
            for side, tally in zip(predictions, tallies, strict=True)
        ]
        if by is not None:
            from ...statistics.confusion import confusion_of
            from ...statistics.subsets import SubsetScoring, score_by_values

            names = [side.name for side in predictions]
            scoring = SubsetScoring(plan, resampling, arguments.counts, edges_of_bands(arguments))
            try:
                ids = ids_for("by", arguments, files[0], observed)
                scored_subsets = score_by_values(ids, tallies, parts, names, scoring)
            except UtteranceError as error:
                raise placed_id("by", arguments, observed, error) from None
            confusion = confusion_of(parts, names, plan)
        if arguments.per_utterance:
            from .utterance_rows import write_utterances

            tables = _tables(zip(predictions, tallies, strict=True), plan, arguments.worst)
            write_utterances(arguments.per_utterance, observed, "prediction", plan.keys, tables)
    scored = []
    for side, values, tally, subsets in zip(predictions, scores, tallies, scored_subsets, strict=True):
        totals = tally.totals()
        counts = _shown_counts(totals, plan, arguments)
        others: dict[str, Any] = {"counts": counts, "path": side.argument, "subsets": subsets}
        scored.append(Scored.of(side.name, values, plan.keys, totals, average=arguments.average, **others))
    signed: dict[str, Any] = {"resampling": resampling, "clusters": n_clusters}
    signature = sign_files(files, plan, observed, arguments.text_format, **signed)
    return FileScores(scored, signature, clusters, confusion)


def _announce_intervals(
    resampling: Resampling, arguments: argparse.Namespace, reference: Files, tallies: Sequence[UtteranceTally]
) -> None:
    """Warn of documents that are no clusters, and say that resampling takes its time, if intervals are requested."""
    if resampling.confidence is None:
        return
    warn_of_documents(arguments, reference)
    if resampling.interval_method == "percentile":
        announce_resampling(resampling.n_resamples, len(tallies[0]), len(tallies))


def _shown_counts(totals: Mapping[str, int], plan: Plan, arguments: argparse.Namespace) -> dict[str, int]:
    """Return the counts to show; a table of subsets needs the number of utterances."""
    from ...scoring.measures.group import SKIPPED

    counts: dict[str, int] = {}
    if arguments.counts:
        counts |= plan.shown_counts(totals)
    elif getattr(arguments, "by", None) is not None:
        counts["utterances"] = totals["utterances"]
    if plan.reading.skips:
        counts[SKIPPED] = totals[SKIPPED]
    return counts


def _tables(
    scored: Iterable[tuple[Files, UtteranceTally]], plan: Plan, worst: str | None
) -> Iterator[tuple[str, npt.NDArray[np.int64], list[npt.NDArray[np.float64]]]]:
    """Yield for each prediction its name, the indices of its scored utterances among all, and a column for each score.

    `scored` has the files of each prediction, its tally, and the indices of the utterances of the tally.
    """
    import numpy as np

    from ...statistics.utterance_scores import worst_first

    for side, tally in scored:
        scores = tally.per_utterance(plan.keys, plan.zero_division_of_utterances)
        if worst is None:
            chosen = np.flatnonzero(tally.is_scored)
        else:
            chosen = worst_first(tally, plan, worst)
        yield side.name, chosen, [scores[key][chosen] for key in plan.keys]
