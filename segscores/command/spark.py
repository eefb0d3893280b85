"""`segmentation-scores spark`: scores on Apache Spark, on this machine or on a cluster."""

from __future__ import annotations

__all__ = ["add_arguments", "run"]

import argparse
import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..corpora.names import short_names
from .printing import print_out
from .spark_files import Pairs, TableFiles, TextFiles, is_table
from .spark_sessions import check_java, check_packages, open_session
from .tables import Result, add_format_argument, format_results
from .text import (
    add_resampling_arguments,
    add_score_arguments,
    add_text_arguments,
    check_no_resampling,
    check_standard_input,
    option_files,
    score_options,
    signed_left_out,
    warn_of_failures,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from ..scale.spark_scores import DataframeTally


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the description and the arguments to the subcommand's parser."""
    parser.description = (
        "Score predictions against a reference with Apache Spark, on this machine or on a cluster. Each side is a file, a "
        "folder or a pattern of UTF-8 text files with one utterance per line, which may be compressed. Lines pair by number, "
        "in the order of the names of the files. Instead, one table (Parquet, ORC or JSON lines) may hold both sides."
    )
    parser.add_argument(
        "reference", metavar="REFERENCE", help="the text of the reference, or a table that holds both sides"
    )
    predictions = parser.add_argument(
        "predictions",
        metavar="PREDICTION",
        nargs="+",
        default=[],
        help="the text of a prediction; leave it out if REFERENCE is a table",
    )
    # As in `sides`: a table has both sides.
    predictions.required = False
    parser.add_argument(
        "--reference-column", metavar="NAME", help="the column of the table with the reference (default: reference)"
    )
    parser.add_argument(
        "--prediction-column",
        metavar="NAME",
        action="append",
        help="the column of the table with a prediction (default: prediction); repeatable",
    )
    parser.add_argument(
        "--index-column", metavar="NAME", help="the column of the table with distinct integers that number the rows"
    )
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--cluster-column",
        metavar="NAME",
        help="the column of the table with the id of the document, speaker or session of each row: a string or an integer. "
        "Resampling then keeps each cluster together, and needs no --index-column",
    )
    group.add_argument(
        "--clusters",
        metavar="FILE",
        help="for text: a file (or files, as for the text) with the id of the document, speaker or session of each line",
    )
    group.add_argument(
        "--cluster-lines",
        metavar="N",
        type=int,
        help="for text: take every N consecutive lines as a cluster, an approximation if the documents are unknown",
    )
    add_text_arguments(parser)
    add_score_arguments(parser)
    parser.add_argument("--counts", action="store_true", help="also print the counts behind the scores")
    parser.add_argument(
        "--on-error",
        choices=("raise", "skip"),
        default="raise",
        help="what to do with utterances that cannot be scored, and files that are damaged or do not pair: raise stops with an "
        "error, skip leaves them out and reports them (default: %(default)s)",
    )
    add_resampling_arguments(parser, confidence=None, averages=False)
    parser.add_argument(
        "--per-utterance",
        metavar="FOLDER",
        help="write the scores of each utterance to this new folder as Parquet; only with one prediction",
    )
    parser.add_argument(
        "--master",
        metavar="URL",
        help="the address of the cluster (default: that of spark-submit, or else local[*], all cores of this machine)",
    )
    parser.add_argument(
        "--conf", metavar="NAME=VALUE", action="append", default=[], help="a setting of Spark; repeatable"
    )
    parser.add_argument("--verbose", action="store_true", help="show Spark's log and progress on standard error")
    add_format_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    """Score the files and print the results."""
    from ..scoring.options import Plan

    _check_arguments(arguments)
    settings = _read_settings(arguments)
    given = score_options(arguments)
    Plan.of(**given)
    check_packages()
    check_java()
    with open_session(arguments.master, settings, verbose=arguments.verbose) as spark:
        files = _open_files(spark, arguments)
        tallies = _tally(spark, files, arguments, given)
    _warn(files, arguments, tallies)
    is_text = isinstance(files, TextFiles)
    names = short_names([arguments.reference, *tallies])[1:] if is_text else list(tallies)
    results = [
        replace(_result(name, tally, files, arguments), path=path if is_text else "")
        for name, (path, tally) in zip(names, tallies.items(), strict=True)
    ]
    signature = _signature(arguments, tallies, files)
    print_out(format_results(results, arguments.reference, arguments.format, signature), arguments.format)


def _check_arguments(arguments: argparse.Namespace) -> None:
    """Reject options that do not go together, before any work is done."""
    paths = [arguments.reference, *arguments.predictions]
    if "-" in (*paths, arguments.clusters):
        raise ValueError("Spark's workers read files separately, so they cannot read standard input (-); use score.")
    check_standard_input(option_files(arguments))
    for given in (arguments.predictions, arguments.prediction_column or []):
        twice = next((name for name in given if given.count(name) > 1), None)
        if twice is not None:
            raise ValueError(f"{twice} is named twice: expected every prediction once.")
    if arguments.text_format == "conllu" or any(path.lower().endswith(".conllu") for path in paths):
        raise ValueError(
            "Spark cannot read CoNLL-U, because it reads single lines and a sentence has several lines; use score."
        )
    if arguments.confidence is None:
        check_no_resampling(arguments, "n_resamples", "seed", "clusters", "cluster_column", "cluster_lines")
    if arguments.cluster_lines is not None and arguments.cluster_lines < 1:
        raise ValueError(f"--cluster-lines: expected a number from 1, received {arguments.cluster_lines}.")
    if arguments.predictions:
        if arguments.cluster_column is not None:
            raise ValueError(
                "--cluster-column is for a table with both sides, without PREDICTION, because text has no columns: add "
                "--clusters FILE with an id per line, or --cluster-lines N."
            )
        for option in ("reference_column", "prediction_column", "index_column"):
            if getattr(arguments, option) is not None:
                raise ValueError(f"--{option.replace('_', '-')} is for a table with both sides, without PREDICTION.")
        tables = [path for path in paths if is_table(path)]
        if tables:
            raise ValueError(
                f"{tables[0]}: this is a table, by its name; a table holds both sides and takes no PREDICTION."
            )
    elif not is_table(arguments.reference):
        raise ValueError(
            f"{arguments.reference}: expected a PREDICTION after it, or a table with both sides, whose name ends in .parquet, "
            f".orc or .jsonl."
        )
    elif arguments.cluster_lines is not None or arguments.clusters is not None:
        flag = "--clusters" if arguments.cluster_lines is None else "--cluster-lines"
        raise ValueError(
            f"{flag} is for text, because the rows of a table have no order: name a column of ids with --cluster-column."
        )
    elif arguments.confidence is not None and arguments.index_column is None and arguments.cluster_column is None:
        raise ValueError(
            "intervals need the number of each row: name the column that has it with --index-column, or one with documents or "
            "speakers with --cluster-column."
        )
    if arguments.per_utterance and len(arguments.predictions or arguments.prediction_column or ()) > 1:
        raise ValueError("--per-utterance is for one prediction at a time.")


def _read_settings(arguments: argparse.Namespace) -> dict[str, str]:
    """The settings of Spark.

    Raises:
        ValueError: one has no value.
    """
    settings = {}
    for setting in arguments.conf:
        name, separator, value = setting.partition("=")
        if not separator or not name:
            raise ValueError(f"--conf: expected NAME=VALUE, such as spark.executor.memory=4g, received {setting!r}.")
        settings[name] = value
    return settings


def _open_files(spark: SparkSession, arguments: argparse.Namespace) -> TableFiles | TextFiles:
    """The files to score, not read yet."""
    skips = arguments.on_error == "skip"
    if arguments.predictions:
        paths = [arguments.reference, *arguments.predictions]
        return TextFiles(spark, paths, skips=skips, clusters=arguments.clusters)
    columns = {
        "reference_column": arguments.reference_column or "reference",
        "index_column": arguments.index_column,
    }
    predictions = arguments.prediction_column or ["prediction"]
    return TableFiles(spark, arguments.reference, columns, predictions, skips)


def _tally(
    spark: SparkSession, files: TableFiles | TextFiles, arguments: argparse.Namespace, given: dict[str, Any]
) -> dict[str, DataframeTally]:
    """The tally of each prediction, by name; writes the scores of utterances if the user wants them."""
    from ..scale.spark_errors import UnreadableFileError

    while True:
        try:
            return {pairs.name: _tally_pairs(spark, pairs, files, arguments, given) for pairs in files.pairs()}
        except UnreadableFileError as error:
            files.leave_out(error)


def _tally_pairs(
    spark: SparkSession,
    pairs: Pairs,
    files: TableFiles | TextFiles,
    arguments: argparse.Namespace,
    given: dict[str, Any],
) -> DataframeTally:
    from ..kernel.errors import UtteranceError
    from ..scale.spark_errors import SparkJobError
    from ..scale.spark_scores import tally_dataframe

    n_resamples = (
        0 if arguments.confidence is None else 1000 if arguments.n_resamples is None else arguments.n_resamples
    )
    common: dict[str, Any] = {"on_error": arguments.on_error, **given}
    df, clusters = _clustered(pairs, arguments)
    drawn: dict[str, Any] = {"n_resamples": n_resamples, "seed": arguments.seed or 0, "clusters": clusters}
    try:
        tally = tally_dataframe(df, **pairs.columns, **drawn, **common)
    except UtteranceError as error:
        raise ValueError(f"{files.place(error, pairs.name)}: {error.detail}") from None
    if tally.rows < pairs.count:
        raise SparkJobError(f"{pairs.count - tally.rows} lines are missing: did the files change during the run?")
    if arguments.per_utterance:
        # The first pass has computed the size of windows.
        size = {"window_size": tally.plan.values["window_size"]}
        _write_utterances(spark, pairs, files, common | size, arguments.per_utterance)
    return tally


def _clustered(pairs: Pairs, arguments: argparse.Namespace) -> tuple[DataFrame, str | None]:
    """The rows, and the name of their column of clusters; None if rows are resampled."""
    if pairs.ids is not None:
        return pairs.df.join(pairs.ids, "line"), arguments.clusters
    if arguments.cluster_lines is None:
        return pairs.df, arguments.cluster_column
    from pyspark.sql import functions as F  # noqa: N812

    # A number that no line has makes one cluster too.
    return pairs.df.withColumn("cluster", F.expr(f"line div {min(arguments.cluster_lines, 1 << 62)}L")), "cluster"


def _write_utterances(
    spark: SparkSession,
    pairs: Pairs,
    files: TableFiles | TextFiles,
    options: dict[str, Any],
    folder: str,
) -> None:
    """Write the scores of each utterance as Parquet: all of them, or no folder at all."""
    from ..scale.spark_errors import explained
    from ..scale.spark_scores import per_utterance_dataframe

    scored = files.placed(per_utterance_dataframe(pairs.df, **pairs.columns, **options), pairs.name)
    jvm: Any = spark.sparkContext._jvm
    path = jvm.org.apache.hadoop.fs.Path(folder)
    with explained():
        system = path.getFileSystem(spark.sparkContext._jsc.hadoopConfiguration())
        if system.exists(path):
            raise ValueError(f"--per-utterance: {folder} exists already; name a folder that does not.")
    try:
        with explained():
            scored.write.mode("error").parquet(folder)
    except BaseException:
        system.delete(path, True)
        raise


def _result(name: str, tally: DataframeTally, files: TableFiles | TextFiles, arguments: argparse.Namespace) -> Result:
    """The result of a prediction; its counts always include the input that was left out."""
    from ..measures.registry import undefined_keys

    counts = dict(tally.counts) if arguments.counts else {}
    if arguments.on_error == "skip":
        counts["left_out"] = tally.left_out
        if files.failures:
            counts["left_out_files"] = len(files.failures)
    intervals = {}
    if arguments.confidence is not None:
        intervals = tally.intervals(arguments.confidence)
        tally.warn_of_intervals(intervals, arguments.confidence)
    return Result(name, tally.scores(), counts, intervals, undefined=undefined_keys(tally.counts, tally.plan.keys))


def _warn(files: TableFiles | TextFiles, arguments: argparse.Namespace, tallies: Mapping[str, DataframeTally]) -> None:
    """Report the text and the intervals that were left out."""
    from ..scoring.skipping import LeftOut

    warn_of_failures(files.failures)
    for name, tally in tallies.items():
        error = tally.first_left_out
        if error is not None:
            first = f"{files.place(error, name)}: {error.detail}"
            warnings.warn(LeftOut(tally.left_out, tally.rows, first).message(), stacklevel=2)
    sizes = list(dict.fromkeys(tally.plan.values["window_size"] for tally in tallies.values()))
    if len(sizes) > 1:
        warnings.warn(
            f"the windows of the predictions have different sizes ({', '.join(map(str, sizes))}), because other utterances were "
            f"left out of each, and the signature has the first: pass --window-size for one size.",
            stacklevel=2,
        )
    keys = next(iter(tallies.values())).plan.keys
    if arguments.confidence is not None and any(key.startswith("type_") for key in keys):
        warnings.warn("type scores have no interval on Spark; segmentation-scores score computes one.", stacklevel=2)


def _signature(
    arguments: argparse.Namespace, tallies: Mapping[str, DataframeTally], files: TableFiles | TextFiles
) -> str:
    from ..scoring.signature import signature_of, signed_skipped

    first = next(iter(tallies.values()))
    intervals = ""
    if arguments.confidence is not None:
        resamples = 1000 if arguments.n_resamples is None else arguments.n_resamples
        intervals = f"{100 * arguments.confidence:.12g}-poisson-{resamples}-{arguments.seed or 0}"
    skipped = signed_skipped(tally.counts.get("skipped_utterances", 0) for tally in tallies.values())
    further = signed_left_out([tally.left_out for tally in tallies.values()], len(files.failures)) | skipped
    return signature_of(
        first.plan.plain(),
        first.form,
        first.rows,
        intervals=intervals,
        type_intervals=False,
        clusters=first.clusters,
        further=further,
    )
