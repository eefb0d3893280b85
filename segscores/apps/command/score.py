"""Score predictions against a reference. Prints a row for each score and a column for each prediction."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ...kernel.record import record
from ...options.errors import UtteranceError
from ...options.messages import OptionError
from ...options.table import OPTIONS
from ...reading.sources.names import Files
from .baselines import baseline_columns
from .bounds import broken, read_bounds, report_failures
from .identical import note_identical, warn_of_vocabulary
from .ids import edges_of_bands, ids_for, name_of, placed_id, warn_of_documents
from .printing import print_out, print_result, say
from .records import record_of
from .sides import add_side_arguments, read_files, read_sides
from .text import announce_resampling, read_resampling, score_options
from .values import check_value, limit_scores_to_value, print_values

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ...results.result import Result
    from ...results.scored import Scored
    from ...scoring.observations import Observations
    from ...scoring.parts import Parts
    from ...scoring.plan import Plan
    from ...scoring.utterance_tally import UtteranceTally
    from ...statistics.confusion import Confusion
    from ...statistics.resampling import Resampling
    from ...statistics.subsets import SubsetScoring
    from .utterance_rows import UtteranceTable


add_arguments = partial(add_side_arguments, text="a file with a prediction, and optionally its name")

#: The heading of the names of the predictions in the file of utterances.
_PREDICTION = "prediction"


def run(arguments: argparse.Namespace) -> int:
    files = read_sides(arguments, arguments.predictions)
    _, *predictions = files
    if arguments.format == "hub" and len(predictions) > 1:
        expected = f"expected one prediction, received {len(predictions)}."
        problem = f": its file belongs to the repository of one model; {expected}"
        raise OptionError(OPTIONS["format"].set("hub"), problem)
    limit_scores_to_value(arguments)
    plan, resampling = read_scoring(arguments)
    check_value(arguments, plan.keys)
    bounds = read_bounds(arguments, plan.keys)
    # The record has the digests of the files before they are read; it is None if the output is not JSON.
    record = record_of(arguments, files)
    file_scores = score_files(files, plan, resampling, arguments)
    scored = file_scores.scored
    # The result draws and writes what the arguments name besides, whatever is printed.
    result = _result(file_scores, files, plan, arguments)
    if arguments.value is not None:
        print_values(scored, arguments.value)
    elif arguments.format == "hub":
        from ...results.publishing import hub_results

        (only,) = scored
        print_out(hub_results(only, arguments.reference, file_scores.signature))
    elif arguments.format == "hub-card":
        from ...results.publishing import hub_card

        print_out(hub_card(scored, arguments.reference, file_scores.signature))
    else:
        print_result(result, arguments, record)
    # Whoever sets bounds, as a check in CI does, may score a reference against itself on purpose.
    if not bounds:
        note_identical(files)
    warn_of_vocabulary(files[0], arguments.vocabulary)
    return report_failures(broken(scored, bounds, is_value_named="zero_division" in arguments.explicit))


def _result(file_scores: FileScores, files: Sequence[Files], plan: Plan, arguments: argparse.Namespace) -> Result:
    """Return the result: with baselines, or with subsets, which are also drawn if the arguments say so."""
    from ...results.scored import result_of

    scored = file_scores.scored
    signature = file_scores.signature
    if arguments.baselines:
        from ...analysis.baselines import BaselineScores

        columns = baseline_columns(arguments, files, plan, file_scores.clusters)
        return BaselineScores(scored, columns, signature).result(arguments.reference)
    if arguments.by is None:
        return result_of(scored, arguments.reference, signature)
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
    return result


@record
class FileScores:
    """The scores of the predictions of some files."""

    scored: list[Scored]
    signature: str
    clusters: npt.NDArray[np.int64] | None  #: the cluster of each utterance that was read; None without clusters
    #: by prediction, the time of each pair of labels, of the reference and of the prediction; empty unless labels divide words
    confusion: Mapping[str, Sequence[Confusion]] = field(default_factory=dict)


@record
class _Counted:
    """The counts of predictions, and their scores."""

    plan: Plan  #: with the options that depend on the reference
    observed: Observations
    tallies: Sequence[Any]  #: a tally of each prediction, a `Tally` of sums or an `UtteranceTally`
    scores: list[Any]  #: for each prediction its scores by key, with the ends of intervals if they are requested
    undefined: Sequence[Sequence[str]]  #: for each prediction the keys of scores that are 0/0
    clusters: npt.NDArray[np.int64] | None = None  #: as of `FileScores`
    subsets: Sequence[list[Scored]] = ()  #: the scores of each prediction by subsets; none without the option `by`
    confusion: Mapping[str, Sequence[Confusion]] = field(default_factory=dict)  #: as of `FileScores`


def read_scoring(arguments: argparse.Namespace) -> tuple[Plan, Resampling | None]:
    """Return the plan, and how scores are averaged and resampled; None for the latter if sums over the files are enough.

    Sums are enough unless means over utterances, intervals, subsets or a file of the scores of utterances are asked for.
    """
    from ...scoring.plan import Plan

    plan = Plan.of(**score_options(arguments))
    is_summed = arguments.confidence is None and arguments.average == "micro"
    # Other subcommands that score files have no option `by`.
    by = getattr(arguments, "by", None)
    if is_summed and arguments.per_utterance is None and by is None:
        return plan, None
    from ...statistics.utterance_scores import check_worst

    if arguments.worst is not None:
        check_worst(plan, arguments.worst)
    return plan, read_resampling(arguments)


def score_files(
    files: Sequence[Files], plan: Plan, resampling: Resampling | None, arguments: argparse.Namespace
) -> FileScores:
    """Score each prediction. If `--per-utterance` names a file, write the scores of the utterances to this file.

    `resampling` is None if sums over the files are enough: see `read_scoring`.
    """
    from ...results.scored import Scored
    from ...statistics.signing import sign_files

    if resampling is None:
        counted = _count_sums(files, plan, arguments)
    else:
        counted = _count_utterances(files, plan, resampling, arguments)
    # The pass over the files has set the defaults that come from the reference, such as the window size.
    plan = counted.plan
    _, *predictions = files
    # Without the option `by`, no prediction has subsets.
    subsets = counted.subsets or [[] for _ in predictions]
    scored = []
    by_prediction = zip(predictions, counted.scores, counted.undefined, counted.tallies, subsets, strict=True)
    for file, scores, undefined, tally, scored_subsets in by_prediction:
        totals = tally.totals()
        scored.append(
            Scored.of(
                file.name,
                scores,
                plan.keys,
                undefined=undefined,
                counts=_shown_counts(totals, plan, arguments),
                path=file.argument,
                subsets=scored_subsets,
            )
        )
    # Clusters are numbered from 0.
    cluster_count = None if counted.clusters is None else int(counted.clusters.max()) + 1
    signature = sign_files(
        files, plan, counted.observed, arguments.text_format, resampling=resampling, clusters=cluster_count
    )
    return FileScores(scored, signature, counted.clusters, counted.confusion)


def _count_sums(files: Sequence[Files], plan: Plan, arguments: argparse.Namespace) -> _Counted:
    """Count and score the predictions by sums over the files alone."""
    from ...scoring.measures.registry import undefined_keys
    from ...scoring.passes import sum_tallies
    from ...scoring.tally import score_tally

    plan, (tallies, observed) = read_files(arguments, files, plan, partial(sum_tallies, with_digest=True))
    scores = [score_tally(tally, plan) for tally in tallies]
    undefined = [undefined_keys(tally.totals(), plan.keys) for tally in tallies]
    return _Counted(plan, observed, tallies, scores, undefined)


def _count_utterances(
    files: Sequence[Files], plan: Plan, resampling: Resampling, arguments: argparse.Namespace
) -> _Counted:
    """Count and score the predictions utterance by utterance, for means, intervals and subsets; write the file of utterances."""
    from ...scoring.parts import LABEL, tally_with_parts
    from ...statistics.clusters import read_clusters, with_clusters
    from ...statistics.utterance_scores import score_utterances

    reference, *predictions = files
    # A file of ids, or a rule such as `category`. Other subcommands that score files have no subsets.
    by = getattr(arguments, "by", None)
    # As a text, a rule is its word. The rule `label` divides the words of an utterance; files and other rules divide utterances.
    divides_words = str(by) == LABEL
    tally_files = partial(tally_with_parts, divides=divides_words, with_digest=True)
    tallies: Sequence[UtteranceTally]
    # `parts` has for each prediction the tallies of its words by label, and is empty if words are not divided. The plan gets the
    # defaults that come from the reference.
    plan, (tallies, parts, observed) = read_files(arguments, files, plan, tally_files)
    clusters = None
    cluster_ids = ids_for("clusters", arguments, reference, observed)
    if cluster_ids is not None:
        clusters = read_clusters(cluster_ids, observed.utterances)
        tallies = [with_clusters(tally, clusters) for tally in tallies]
    # By option, the ids that it defines, for the file of utterances.
    ids = {"clusters": cluster_ids}
    _announce_intervals(resampling, arguments, reference, tallies)
    names = [file.name for file in predictions]
    scores = []
    for file, tally in zip(predictions, tallies, strict=True):
        scores.append(score_utterances(tally, plan, resampling, prediction=file.name))
    undefined = [tally.undefined(plan.keys, resampling.average) for tally in tallies]
    counted = _Counted(plan, observed, tallies, scores, undefined, clusters)
    if by is not None:
        from ...statistics.subsets import SubsetScoring

        scoring = SubsetScoring(plan, resampling, arguments.counts, edges_of_bands(arguments))
        try:
            ids["by"] = ids_for("by", arguments, reference, observed)
            counted = _with_subsets(counted, ids["by"], parts, names, scoring)
        except UtteranceError as error:
            raise placed_id("by", arguments, observed, error) from None
    if arguments.per_utterance:
        _write_utterances(arguments, observed, dict(zip(names, tallies, strict=True)), plan, ids)
    return counted


def _with_subsets(
    counted: _Counted, values: Any, parts: Sequence[Parts], names: Sequence[str], scoring: SubsetScoring
) -> _Counted:
    """Return the counts with the scores of subsets: by the values of utterances, or by the parts into which these are divided.

    `values` has the value of each utterance, or is a word, `length` or `label`. `names` are the names of the predictions. There
    are no parts if whole utterances are divided.
    """
    from ...statistics.confusion import confusion_of
    from ...statistics.subsets import score_by_values

    subsets = score_by_values(values, counted.tallies, parts, names, scoring)
    return replace(counted, subsets=subsets, confusion=confusion_of(parts, names, counted.plan))


def _announce_intervals(
    resampling: Resampling, arguments: argparse.Namespace, reference: Files, tallies: Sequence[UtteranceTally]
) -> None:
    """Warn of documents that are no clusters, and say that resampling takes its time, if intervals are requested."""
    if resampling.confidence is None:
        return
    warn_of_documents(arguments, reference)
    if resampling.interval_method == "percentile":
        # The tallies of all predictions have the same utterances.
        first_tally, *_ = tallies
        announce_resampling(resampling.n_resamples, utterance_count=len(first_tally), prediction_count=len(tallies))


def _shown_counts(totals: Mapping[str, int], plan: Plan, arguments: argparse.Namespace) -> dict[str, int]:
    """Return the counts to show: all if they are asked for, else those without which a table is misread."""
    from ...scoring.measures.group import SKIPPED

    counts: dict[str, int] = {}
    if arguments.counts:
        counts |= plan.shown_counts(totals)
    elif getattr(arguments, "by", None) is not None:
        # A table of subsets shows how many utterances each has.
        counts["utterances"] = totals["utterances"]
    if plan.reading.skips:
        # Scores say beside them how many utterances they leave out.
        counts[SKIPPED] = totals[SKIPPED]
    return counts


def _write_utterances(
    arguments: argparse.Namespace,
    observed: Observations,
    tallies: Mapping[str, UtteranceTally],
    plan: Plan,
    ids: Mapping[str, Any],
) -> None:
    """Write the rows of utterances of each prediction; `ids` has the ids of utterances by the options that name them."""
    from .utterance_rows import headings_of_places, write_utterances

    columns = _UtteranceColumns(plan, arguments.worst, metadata={}, has_counts=arguments.counts)
    # The tallies of all predictions have the same columns.
    first_tally, *_ = tallies.values()
    others = [_PREDICTION, *headings_of_places(observed), *columns.headings(first_tally)]
    columns = replace(columns, metadata=_metadata(arguments, ids, others))
    headings = columns.headings(first_tally)
    tables = (columns.table(name, tally) for name, tally in tallies.items())
    write_utterances(
        arguments.per_utterance, observed, prediction_heading=_PREDICTION, headings=headings, tables=tables
    )


def _metadata(arguments: argparse.Namespace, ids: Mapping[str, Any], others: Sequence[str]) -> dict[str, list[Any]]:
    """Return the ids of the utterances by what they are, such as `{"document": ["d1", "d1", "d2"]}`.

    `ids` has them by the options, `clusters` and `by`. `others` are the headings of the other columns: ids of such a name have
    the option in their own heading, as `line (by)`.
    """
    import numpy as np

    metadata: dict[str, list[Any]] = {}
    for option, values in ids.items():
        # Bands of lengths, and labels of words, are a word alone, and no ids of utterances.
        if values is None or isinstance(values, str):
            continue
        heading = name_of(getattr(arguments, option))
        column = np.asarray(values).tolist()
        is_repeated = heading in metadata and metadata[heading] != column
        if is_repeated or heading in others:
            heading = f"{heading} ({option})"
        metadata[heading] = column
    return metadata


@record
class _UtteranceColumns:
    """The columns of the file of `--per-utterance`: what is known of each utterance, its scores, and its counts."""

    plan: Plan
    worst: str | None  #: the score whose worst utterances come first; None for the order of the files
    metadata: Mapping[str, list[Any]]  #: by name a value for each utterance
    has_counts: bool

    def headings(self, tally: UtteranceTally) -> list[str]:
        """Return the headings of the columns after the place."""
        from ...scoring.measures.registry import count_name

        return [*self.metadata, *self.plan.keys, *map(count_name, self._counts_in(tally))]

    def _counts_in(self, tally: UtteranceTally) -> list[str]:
        """Return the names of the counts of each utterance that are shown; types, which do not add up, have none."""
        if not self.has_counts:
            return []
        # The count of utterances would be 1 in each row.
        shown = self.plan.shown_counts(tally.totals()).keys() - {"utterances"}
        return [column for column in tally.columns if column in shown]

    def table(self, prediction: str, tally: UtteranceTally) -> UtteranceTable:
        """Return the columns for the scored utterances of a prediction."""
        import numpy as np

        from ...statistics.utterance_scores import worst_first
        from .utterance_rows import UtteranceTable

        scores = tally.per_utterance(self.plan.keys, self.plan.zero_division_of_utterances)
        if self.worst is None:
            utterances = np.flatnonzero(tally.is_scored)
        else:
            utterances = worst_first(tally, self.plan, self.worst)
        # All columns have the rows of these utterances, in this order.
        columns = [np.array(values, dtype=object)[utterances] for values in self.metadata.values()]
        columns += [scores[key][utterances] for key in self.plan.keys]
        columns += [tally.columns[column][utterances] for column in self._counts_in(tally)]
        return UtteranceTable(prediction, utterances, columns)
