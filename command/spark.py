"""`segmentation-scores spark`: predictions against a reference on Apache Spark, on this machine or on a cluster.

Lines of files pair by number, and Spark promises no order: it cuts files into blocks, reads the longest first, and numbers
partitions, not lines. Within a block lines come in order, and each row knows the file and the byte at which its block begins.
So a first, short job counts the lines of each block; the blocks in the order of their names and bytes then say with which
number each begins. That holds whatever the partitions are, with numbers alone on the driver, and without Python touching a
line, as it would for the RDD's `zipWithIndex`. The two sides are joined by line number.
"""

from __future__ import annotations

__all__ = ["add_parser"]

import argparse
import io
import os
import shutil
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, redirect_stderr, suppress
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import TYPE_CHECKING, Any

from .tables import FORMATS, Result, format_results
from .text import add_score_arguments, add_text_arguments, check_standard_input, score_options, signed_left_out

if TYPE_CHECKING:
    from argparse import _SubParsersAction

    from pyspark.sql import DataFrame, SparkSession

    from ..errors import UtteranceError
    from ..spark_scores import DataframeTally

#: The tables that Spark reads, by how their names end.
_TABLES = {".parquet": "parquet", ".orc": "orc", ".json": "json", ".jsonl": "json"}

_JAVA = (
    "Spark needs a Java runtime, 17 or later for Spark 4: apt-get install default-jre-headless on Debian and Ubuntu, "
    "brew install openjdk on macOS, or set JAVA_HOME to the folder of one."
)
#: Set by spark-submit, which has started Java and chosen the master.
_GATEWAY = "PYSPARK_GATEWAY_PORT"


def add_parser(commands: _SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand to the command's parser."""
    parser = commands.add_parser("spark", help="score large corpora on Apache Spark", allow_abbrev=False)
    parser.description = (
        "Score predictions against a reference with Apache Spark, on this machine or on a cluster. Files, or folders and "
        "patterns of files, are UTF-8 text, one utterance a line, plain or compressed; their lines pair by number, those of "
        "several files in the order of the files' names. A table (Parquet, ORC or JSON lines) holds both sides."
    )
    parser.add_argument("reference", metavar="REFERENCE", help="text with the reference; or a table with both sides")
    parser.add_argument("predictions", metavar="PREDICTION", nargs="*", help="texts with predictions, a column each")
    parser.add_argument("--reference-column", metavar="NAME", help="of a table (default: reference)")
    parser.add_argument("--prediction-column", metavar="NAME", action="append", help="of a table (default: prediction)")
    parser.add_argument("--index-column", metavar="NAME", help="of a table: integers that number the rows, each once")
    add_text_arguments(parser)
    add_score_arguments(parser)
    parser.add_argument("--counts", action="store_true", help="print what was counted too")
    parser.add_argument(
        "--on-error",
        choices=("raise", "skip"),
        default="raise",
        help="what becomes of utterances that cannot be scored (default: %(default)s)",
    )
    parser.add_argument(
        "--confidence", metavar="NUMBER", type=float, help="of the intervals, such as 0.95; without it there are none"
    )
    parser.add_argument("--resamples", metavar="NUMBER", type=int, help="of the utterances (default: 1000)")
    parser.add_argument("--seed", metavar="NUMBER", type=int, help="of the resamples (default: 0)")
    parser.add_argument(
        "--per-utterance",
        metavar="FOLDER",
        help="write the scores of each utterance there as Parquet; one prediction only",
    )
    parser.add_argument(
        "--master",
        metavar="URL",
        help="of the cluster (default: local[*], all cores of this machine, or spark-submit's)",
    )
    parser.add_argument(
        "--conf", metavar="NAME=VALUE", action="append", default=[], help="a setting of Spark; repeatable"
    )
    parser.add_argument(
        "--verbose", action="store_true", help="let Spark write its log and its progress to standard error"
    )
    parser.add_argument("--format", choices=tuple(FORMATS), default="table", help="(default: %(default)s)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Score the files and print the results."""
    from ..scoring import Options

    _check_arguments(arguments)
    settings = _read_settings(arguments)
    given = score_options(arguments)
    Options(**given)
    _check_packages()
    if _GATEWAY not in os.environ:
        _check_java()
    with _session(arguments.master, settings, verbose=arguments.verbose) as spark:
        tallies = _tally(spark, arguments, given)
    _warn(arguments, tallies)
    results = [_result(name, tally, arguments) for name, tally in tallies.items()]
    print(format_results(results, arguments.reference, arguments.format, _signature(arguments, tallies)))


def _check_arguments(arguments: argparse.Namespace) -> None:
    """Refuse options that do not go together, before any work is done."""
    paths = [arguments.reference, *arguments.predictions]
    if "-" in paths:
        raise ValueError("Spark reads files, each of its workers for itself: standard input (-) is none; use score.")
    check_standard_input([arguments.dictionary, arguments.acceptable, arguments.vocabulary])
    if arguments.text_format == "conllu" or any(path.lower().endswith(".conllu") for path in paths):
        raise ValueError("CoNLL-U is read by score alone: Spark reads a line by itself, and a sentence has several.")
    if arguments.confidence is None:
        for option in ("resamples", "seed"):
            if getattr(arguments, option) is not None:
                raise ValueError(f"--{option} is for intervals: add --confidence 0.95.")
    if arguments.predictions:
        for option in ("reference_column", "prediction_column", "index_column"):
            if getattr(arguments, option) is not None:
                raise ValueError(f"--{option.replace('_', '-')} is for a table with both sides, without PREDICTION.")
    elif not _table_format(arguments.reference):
        raise ValueError(
            f"{arguments.reference}: expected a PREDICTION after it, or a table with both sides, whose name ends in "
            f"{', '.join(_TABLES)}."
        )
    elif arguments.confidence is not None and arguments.index_column is None:
        raise ValueError(
            "resamples are drawn by the number of each row: name the column that has it with --index-column."
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


def _check_packages() -> None:
    """Check that what Spark needs of Python is there.

    Raises:
        ValueError: it is not.
    """
    for package in ("pyspark", "pandas"):
        if find_spec(package) is None:
            raise ValueError(f'Spark needs {package}, which is not installed: pip install "segmentation-scores[spark]"')


def _check_java() -> None:
    """Check that there is a Java runtime, as Spark's own scripts look for it.

    Raises:
        ValueError: there is none.
    """
    home = os.environ.get("JAVA_HOME")
    if home and shutil.which("java", path=str(Path(home) / "bin")) is None:
        raise ValueError(f"JAVA_HOME is {home}, which has no bin/java. {_JAVA}")
    if not home and shutil.which("java") is None:
        raise ValueError(f"no Java runtime is found. {_JAVA}")


@contextmanager
def _session(master: str | None, settings: Mapping[str, str], *, verbose: bool) -> Iterator[SparkSession]:
    """A session of Spark, which ends with the block if it began with it.

    Raises:
        SparkJobError: it does not start.
    """
    from pyspark.sql import SparkSession

    running = SparkSession.getActiveSession()
    if running is not None:
        yield running
        return
    if master is None and _GATEWAY not in os.environ:
        master = settings.get("spark.master", "local[*]")
    builder = SparkSession.builder.appName("segmentation-scores")
    chosen = {"spark.sql.session.timeZone": "UTC"}
    is_local = master is not None and master.startswith("local")
    if master is not None:
        chosen["spark.master"] = master
    if is_local:
        # Nothing of a run on one machine is for others to see; and its workers run in this very Python.
        chosen |= {"spark.ui.enabled": "false", "spark.driver.bindAddress": "127.0.0.1"}
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    with ExitStack() as stack:
        if not verbose:
            # pyspark prints there, with stack traces, what is told in one line in the end.
            stack.enter_context(redirect_stderr(io.StringIO()))
        if is_local:
            # Java removes its own files, unless it is killed.
            folder = stack.enter_context(
                TemporaryDirectory(prefix="segmentation-scores-spark-", ignore_cleanup_errors=True)
            )
            chosen["spark.local.dir"] = folder
            java_options = settings.get("spark.driver.extraJavaOptions", "")
            settings = {
                **settings,
                "spark.driver.extraJavaOptions": f'"-Djava.io.tmpdir={folder}" {java_options}'.rstrip(),
            }
        for name, value in {**chosen, **settings}.items():
            builder = builder.config(name, value)
        spark = None
        try:
            with _java_killed_when_interrupted(), _started(builder, verbose=verbose) as spark:
                yield spark
        finally:
            if spark is not None:
                with suppress(Exception):  # the Java process may be gone, and with it the session
                    spark.stop()


@contextmanager
def _java_killed_when_interrupted() -> Iterator[None]:
    """Kill the Java process that pyspark starts in the block, where that is ended by an interrupt and not by an error.

    Java ends when it is no longer listened to: after what it is doing, and never if it had not told its port by then.
    """
    from pyspark import java_gateway

    started = []
    popen = java_gateway.Popen

    def start(*arguments: Any, **options: Any) -> Any:
        process = popen(*arguments, **options)
        started.append(process)
        return process

    java_gateway.Popen = start
    try:
        yield
    except Exception:
        raise
    except BaseException:
        for process in started:
            process.kill()
            process.wait()
        raise
    finally:
        java_gateway.Popen = popen


@contextmanager
def _started(builder: Any, *, verbose: bool) -> Iterator[SparkSession]:
    """The session that a builder makes; the standard error of its Java process goes to a file that nobody reads.

    Raises:
        SparkJobError: it does not start; with what Java said last.
    """
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    from ..spark_scores import SparkJobError

    with TemporaryFile() as log, warnings.catch_warnings():
        # pyspark warns of newer versions of pandas, of which nothing is used.
        warnings.simplefilter("ignore", FutureWarning)
        try:
            with _redirected(None if verbose else log.fileno()):
                spark = builder.getOrCreate()
        except (PySparkException, Py4JError, OSError) as error:
            log.seek(0)
            said = [line for line in log.read().decode(errors="replace").splitlines() if line.strip()]
            reasons = [line for line in said if "rror" in line or "xception" in line] or said or [str(error)]
            raise SparkJobError(f"Spark does not start: {reasons[0].strip()}. {_JAVA}") from None
        yield spark


@contextmanager
def _redirected(target: int | None) -> Iterator[None]:
    """Standard error, as processes that start meanwhile inherit it, goes to another file."""
    if target is None or sys.stderr is None:
        yield
        return
    sys.stderr.flush()
    kept = os.dup(2)
    os.dup2(target, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def _tally(spark: SparkSession, arguments: argparse.Namespace, given: dict[str, Any]) -> dict[str, DataframeTally]:
    """The tally of each prediction, by name; writes the scores of utterances if they are wanted."""
    from ..errors import UtteranceError
    from ..spark_scores import SparkJobError, tally_dataframe

    n_resamples = 0 if arguments.confidence is None else 1000 if arguments.resamples is None else arguments.resamples
    common: dict[str, Any] = {"on_error": arguments.on_error, **given}
    tallies = {}
    for name, df, expected, columns in _dataframes(spark, arguments):
        try:
            tallies[name] = tally_dataframe(df, **columns, n_resamples=n_resamples, seed=arguments.seed or 0, **common)
        except UtteranceError as error:
            raise ValueError(f"{_place(error, arguments, name)}: {error.detail}") from None
        if tallies[name].rows < expected:
            raise SparkJobError(f"{expected - tallies[name].rows} lines are gone: were the files changed meanwhile?")
        if arguments.per_utterance:
            # The size of windows is known by now.
            size = {"window_size": tallies[name].options.window_size}
            _write_utterances(spark, df, columns, common | size, arguments.per_utterance)
    return tallies


def _dataframes(
    spark: SparkSession, arguments: argparse.Namespace
) -> Iterator[tuple[str, DataFrame, int, dict[str, Any]]]:
    """For each prediction its name, a DataFrame with both sides, how many rows it has at least, and the names of columns."""
    if not arguments.predictions:
        table = _read_table(spark, arguments.reference)
        for name in arguments.prediction_column or ["prediction"]:
            columns = {
                "reference_column": arguments.reference_column or "reference",
                "prediction_column": name,
                "index_column": arguments.index_column,
            }
            yield name, table, 0, columns
        return
    # The blocks must be the same in both jobs, and their size depends on how many cores there are at the time.
    spark.conf.set("spark.sql.files.minPartitionNum", str(spark.sparkContext.defaultParallelism))
    reference, count = _read_lines(spark, arguments.reference, "reference")
    if not count:
        raise ValueError(f"{arguments.reference}: the file is empty; expected at least one line.")
    for path in arguments.predictions:
        prediction, other = _read_lines(spark, path, "prediction")
        if other != count:
            raise ValueError(
                f"{_lines(arguments.reference, count)} and {_lines(path, other)}: expected as many in both. Blank lines "
                f"count too, at the end as well."
            )
        yield path, reference.join(prediction, "line"), count, {"index_column": "line"}


def _lines(path: str, count: int) -> str:
    return f"{path} has {count} line{'' if count == 1 else 's'}"


def _read_lines(spark: SparkSession, path: str, column: str) -> tuple[DataFrame, int]:
    """The lines of a text, and how many there are.

    Args:
        spark: the session.
        path: of a file, a folder, or a pattern.
        column: the name for the text; `line` has the number, from 0.

    Raises:
        SparkJobError: it cannot be read.
    """
    from pyspark.sql import functions as F  # noqa: N812

    from ..spark_scores import explained

    with explained():
        # Only LF ends a line, as everywhere here; Spark drops a byte-order mark.
        text = spark.read.option("lineSep", "\n").text(path)
        rows = text.select(
            F.col("value").alias(column),
            F.col("_metadata.file_path").alias("file"),
            F.col("_metadata.file_block_start").alias("block"),
            F.monotonically_increasing_id().alias("row"),
        )
        blocks = rows.groupBy("file", "block").agg(F.min("row").alias("first"), F.count("*").alias("count")).collect()
        starts, lines = [], 0
        for block in sorted(blocks, key=lambda block: (block["file"], block["block"])):
            starts.append((block["file"], block["block"], lines - block["first"]))
            lines += block["count"]
        offsets = spark.createDataFrame(starts, "file string, block bigint, offset bigint")
        numbered = rows.join(F.broadcast(offsets), ["file", "block"], "left")
        return numbered.select((F.col("row") + F.col("offset")).alias("line"), column), lines


def _table_format(path: str) -> str:
    """How Spark calls the format of a table, by its name; empty for what is none."""
    return _TABLES.get(Path(path).suffix.lower(), "")


def _read_table(spark: SparkSession, path: str) -> DataFrame:
    from ..spark_scores import explained

    with explained():
        return spark.read.format(_table_format(path)).load(path)


def _place(error: UtteranceError, arguments: argparse.Namespace, name: str) -> str:
    """Where a bad utterance stands, with line numbers from 1 as editors have them."""
    if not arguments.predictions:
        column = {"references": arguments.reference_column or "reference", "predictions": name}.get(error.side)
        row = (
            f"row {error.utterance}"
            if arguments.index_column is None
            else f"{arguments.index_column} {error.utterance}"
        )
        return f"{arguments.reference}, {row}" + (f", column {column}" if column else "")
    line = f"line {error.utterance + 1}"
    if error.side == "references":
        return f"{arguments.reference}, {line}"
    return f"{name}, {line}" if error.side else f"{arguments.reference} and {name}, {line}"


def _write_utterances(
    spark: SparkSession,
    df: DataFrame,
    columns: dict[str, Any],
    options: dict[str, Any],
    folder: str,
) -> None:
    """Write the scores of each utterance as Parquet: all of them, or no folder at all."""
    from pyspark.sql import functions as F  # noqa: N812

    from ..spark_scores import explained, per_utterance_dataframe

    scored = per_utterance_dataframe(df, **columns, **options)
    if columns["index_column"] == "line":
        scored = scored.drop("reference", "prediction").withColumn("line", F.col("line") + 1)
    jvm: Any = spark.sparkContext._jvm
    path = jvm.org.apache.hadoop.fs.Path(folder)
    with explained():
        files = path.getFileSystem(spark.sparkContext._jsc.hadoopConfiguration())
        if files.exists(path):
            raise ValueError(f"--per-utterance: {folder} exists already; name a folder that does not.")
    try:
        with explained():
            scored.write.mode("error").parquet(folder)
    except BaseException:
        files.delete(path, True)
        raise


def _result(name: str, tally: DataframeTally, arguments: argparse.Namespace) -> Result:
    """What a prediction scored; rows that were left out are among the counts, whether those were asked for or not."""
    counts = dict(tally.counts) if arguments.counts else {}
    if arguments.on_error == "skip":
        counts["left_out"] = tally.left_out
    intervals = {} if arguments.confidence is None else tally.intervals(arguments.confidence)
    return Result(name, tally.scores(), counts, intervals)


def _warn(arguments: argparse.Namespace, tallies: Mapping[str, DataframeTally]) -> None:
    """Say what was left out, of the text and of the intervals."""
    for name, tally in tallies.items():
        error = tally.first_left_out
        if error is not None:
            warnings.warn(
                f"{tally.left_out} of {tally.rows} utterances could not be scored and were left out. The first is "
                f"{_place(error, arguments, name)}: {error.detail}",
                stacklevel=2,
            )
    keys = next(iter(tallies.values())).options.keys()
    if arguments.confidence is not None and any(key.startswith("type_") for key in keys):
        warnings.warn("type scores have no interval here; score has one, on one machine.", stacklevel=2)


def _signature(arguments: argparse.Namespace, tallies: Mapping[str, DataframeTally]) -> str:
    from ..signature import plain_options, signature_of

    first = next(iter(tallies.values()))
    intervals = ""
    if arguments.confidence is not None:
        resamples = 1000 if arguments.resamples is None else arguments.resamples
        intervals = f"{100 * arguments.confidence:g}-poisson-{resamples}-{arguments.seed or 0}"
    further = signed_left_out([tally.left_out for tally in tallies.values()])
    return signature_of(plain_options(first.options), first.form, first.rows, intervals=intervals, further=further)
