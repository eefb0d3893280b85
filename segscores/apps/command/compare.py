"""Compare predictions of one reference with each other. Prints the scores of each prediction with intervals, and the
differences from a baseline with intervals, p-values, the smallest detectable differences, and the utterances won, tied and
lost. For the primary score alone, the best prediction and those not distinguishable from it are marked, and p-values are
corrected for several systems. Predictions of the same name are runs of one system, such as a=run1.txt a=run2.txt or
'a=run*.txt'. --format latex prints a narrow table.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ...reading.sources.names import Files
from ...reading.sources.swapped import warn_of_newer_baseline
from .bounds import report_failures
from .ids import ids_for, name_of, subsets_for, warn_of_documents
from .printing import print_result
from .records import record_of
from .sides import add_side_arguments, read_files, read_sides, runs_of_patterns
from .text import read_resampling, score_options

if TYPE_CHECKING:
    from ...scoring.observations import Observations
    from ...scoring.utterance_tally import UtteranceTally
    from ...statistics.comparison_results import SystemComparison
    from ...statistics.subset_comparison import SubsetComparison


add_arguments = partial(
    add_side_arguments, text="a file with the prediction of a system, and optionally the name of the system"
)


def run(arguments: argparse.Namespace) -> int:
    from ...results.pictures import write_picture
    from ...scoring.passes import concatenate_tallies
    from ...scoring.plan import Plan
    from ...statistics.clusters import with_clusters
    from ...statistics.difference_tests import choose_primary
    from ...statistics.signing import sign_files
    from ...statistics.subset_comparison import compare_subsets
    from ...statistics.system_comparison import check_comparison, compare_tallies

    predictions = runs_of_patterns(arguments.reference, arguments.predictions)
    files = read_sides(arguments, predictions, has_runs=True)
    reference, *predicted = files
    # Predictions of one name are runs of one system.
    names = list(dict.fromkeys(file.name for file in predicted))
    _check_several(names)
    tests = _options_of_tests(arguments, predicted)
    # It takes systems by name; their predictions are not needed for the checks.
    check_comparison(dict.fromkeys(names), **tests)
    resampling = read_resampling(arguments)
    plan = Plan.of(**score_options(arguments))
    # Choose the score only to check the option: a bad one is an error before the files are read.
    choose_primary(plan.keys, arguments.primary)
    record = record_of(arguments, files)
    plan, (tallies, observed) = read_files(arguments, files, plan, partial(concatenate_tallies, with_digest=True))
    warn_of_documents(arguments, reference)
    # None without clusters: each tally stays as it is.
    cluster_ids = ids_for("clusters", arguments, reference, observed)
    runs = _runs_of_systems(predicted, [with_clusters(tally, cluster_ids) for tally in tallies])
    # `comparison` is of all utterances. `compared` is what the user sees: the same, or with subsets the comparison on each too.
    compared: SystemComparison | SubsetComparison
    if arguments.by is None:
        comparison = compare_tallies(runs, plan, resampling, **tests)
        compared = comparison
    else:
        subsets = subsets_for(arguments, reference, observed, tallies, plan)
        compared = compare_subsets(runs, subsets, name_of(arguments.by), plan, resampling, **tests)
        comparison = compared.whole
    if arguments.fail_if_worse and arguments.baseline is None:
        warn_of_newer_baseline(names)
    # The systems that are worse, each with the reason: a system that cannot be judged is an error before files are written.
    rejected = comparison.worse_than_baseline() if arguments.fail_if_worse else {}
    if arguments.per_utterance:
        _write_utterances(arguments.per_utterance, comparison, observed)
    if arguments.plot:
        write_picture(compared.plot(), arguments.plot)
    signature = sign_files(
        files,
        plan,
        observed,
        arguments.text_format,
        resampling=resampling,
        clusters=comparison.clusters,
        further=comparison.signed,
    )
    # The files of all runs of a system: "run1.txt, run2.txt".
    paths = {name: ", ".join(file.argument for file in predicted if file.name == name) for name in names}
    print_result(compared.result_of_files(arguments.reference, paths, signature), arguments, record)
    return report_failures([f"{name}: {reason}" for name, reason in rejected.items()])


def _check_several(names: Sequence[str]) -> None:
    """Raise an error if there are fewer than two systems."""
    if len(names) < 2:
        raise ValueError(
            f"PREDICTION: expected at least two, or a table with both sides and --columns REFERENCE,A,B, received {len(names)}: "
            f"one prediction cannot be compared; use score."
        )


def _runs_of_systems(
    predictions: Sequence[Files], tallies: Sequence[UtteranceTally]
) -> dict[str, list[UtteranceTally]]:
    """Return the tallies of predictions by the systems of which they are runs: predictions of one name are of one system."""
    runs: dict[str, list[UtteranceTally]] = {}
    for prediction, tally in zip(predictions, tallies, strict=True):
        runs.setdefault(prediction.name, []).append(tally)
    return runs


def _options_of_tests(arguments: argparse.Namespace, predictions: Sequence[Files]) -> dict[str, Any]:
    """Return the options of tests, as functions take them."""
    # --baseline may have the path of a prediction instead of its name. Of equal paths, the first one counts.
    system_of = {file.argument: file.name for file in reversed(predictions)}
    return {
        "baseline": system_of.get(arguments.baseline, arguments.baseline),
        "primary": arguments.primary,
        "n_trials": arguments.n_trials,
        "margin": arguments.margin,
    }


def _write_utterances(path: str, comparison: SystemComparison, observed: Observations) -> None:
    """Write the utterances of each system but the baseline, those first in which it is worst in comparison with the baseline."""
    from .utterance_rows import UtteranceTable, write_utterances

    tables = []
    for name in comparison.differences:
        utterances, columns = comparison.worst_first(name)
        tables.append(UtteranceTable(name, utterances, [*columns.values()]))
    headings = [comparison.primary, "baseline", "difference"]
    write_utterances(path, observed, prediction_heading="system", headings=headings, tables=tables)
