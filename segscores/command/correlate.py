"""`segmentation-scores correlate`: correlations of scores with an outside criterion, one row per score."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..kernel.errors import warn
from .printing import add_format_argument, print_result

if TYPE_CHECKING:
    from ..statistics.correlation import Correlation
    from .score_tables import Rows, UtteranceTable

#: The options that are only for tables of utterances, with their defaults.
_OF_UTTERANCES = {"criterion_table": None, "n_trials": None, "on_error": "raise"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the description and the arguments to the subcommand's parser."""
    parser.description = (
        "Correlate scores with an external criterion, such as human judgement or retrieval quality. The table has a header and "
        "a row per system; columns of numbers are scores, other columns are names. Prints a row per score, the largest |r| "
        "first: Pearson's r with its interval, Spearman's rho and Kendall's tau, each with a two-sided p-value (by "
        "permutation for rho and tau), and the p-value of Williams' test, which compares the score with the first row. A "
        "constant column has no correlation. With --system and --utterance, the table has a row per system and utterance, as "
        "score --per-utterance writes it; the score of a system is the mean over its utterances, the interval is over systems "
        "and utterances, and a last column has the p-value of PERM-BOTH, which compares the score with the first row by "
        "exchanging scores of utterances."
    )
    parser.add_argument(
        "table",
        metavar="TABLE",
        help="a CSV file, TSV if its header has a tab, or JSON lines if its name ends in .jsonl, .ndjson or .json; "
        "- reads standard input",
    )
    parser.add_argument("--criterion", metavar="COLUMN", required=True, help="the column with the criterion")
    parser.add_argument(
        "--system",
        metavar="COLUMN",
        help="for a table of utterances: the column that names the system, such as prediction",
    )
    parser.add_argument(
        "--utterance",
        metavar="COLUMN",
        action="append",
        help="for a table of utterances: the column that names the utterance, such as line; repeatable, if several columns name "
        "it together",
    )
    parser.add_argument(
        "--criterion-table",
        metavar="FILE",
        help="for a table of utterances: another table with the criterion, which has the same --system column; it judges "
        "utterances if it has the --utterance column too, otherwise whole systems",
    )
    parser.add_argument(
        "--on-error",
        choices=("raise", "skip"),
        default="raise",
        help="what to do with utterances that lack a number for a system, a score or the criterion: raise stops with an error, "
        "skip leaves them out for every system and reports their number (default: %(default)s)",
    )
    parser.add_argument(
        "--confidence", metavar="NUMBER", type=float, default=0.95, help="level of the intervals (default: %(default)s)"
    )
    parser.add_argument(
        "--resamples",
        dest="n_resamples",
        metavar="NUMBER",
        type=int,
        default=1000,
        help="the number of resamples for the intervals (default: %(default)s)",
    )
    parser.add_argument(
        "--trials",
        dest="n_trials",
        metavar="NUMBER",
        type=int,
        help="for a table of utterances: the number of trials of PERM-BOTH (default: 1000)",
    )
    parser.add_argument(
        "--seed",
        metavar="NUMBER",
        type=int,
        default=0,
        help="seed of the resamples and the trials (default: %(default)s)",
    )
    add_format_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    """Correlate the columns and print a row for each."""
    from ..results.result import Result, Table

    _check_arguments(arguments)
    rows = _read_file(arguments.table)
    correlated = _correlate_utterances(rows, arguments) if arguments.system else _correlate_systems(rows, arguments)
    print_result(Result([Table.of(correlated)]), arguments.format)


def _check_arguments(arguments: argparse.Namespace) -> None:
    from ..statistics.resampling import Resampling
    from .text import check_standard_input

    if (arguments.system is None) != (arguments.utterance is None):
        missing = "--system" if arguments.system is None else "--utterance"
        raise ValueError(
            f"--system and --utterance go together, for a table with a row per system and utterance: add {missing}."
        )
    if arguments.system is None:
        for option, default in _OF_UTTERANCES.items():
            if getattr(arguments, option) != default:
                flag = "--trials" if option == "n_trials" else f"--{option.replace('_', '-')}"
                raise ValueError(f"{flag} is for a table of utterances: add --system COLUMN --utterance COLUMN.")
    check_standard_input([arguments.table, arguments.criterion_table])
    Resampling(confidence=arguments.confidence, n_resamples=arguments.n_resamples, seed=arguments.seed)


def _correlate_systems(rows: Rows, arguments: argparse.Namespace) -> Sequence[Correlation]:
    from ..statistics.correlation import correlate
    from .score_tables import missing_criterion, read_table

    with _named(arguments.table):
        table = read_table(rows)
        scores = dict(table.numbers)
        if arguments.criterion not in scores:
            raise ValueError(missing_criterion(arguments.criterion, table.names, list(scores)))
        criterion = scores.pop(arguments.criterion)
        correlated = correlate(scores, criterion, **_resampling(arguments))
    _warn_of_utterances(rows, table.names)
    return correlated


def _correlate_utterances(rows: Rows, arguments: argparse.Namespace) -> Sequence[Correlation]:
    from ..statistics.correlation import correlate_utterances

    table = _read_utterances(rows, arguments)
    with _named(arguments.table):
        n_trials = 1000 if arguments.n_trials is None else arguments.n_trials
        correlated = correlate_utterances(table.scores, table.criterion, n_trials=n_trials, **_resampling(arguments))
    left_out = table.utterances - correlated[0].utterances
    if left_out:
        warn(
            f"left out for every system: {left_out} of {table.utterances} utterances, because a system, a score or the criterion "
            f"has no number."
        )
    return correlated


def _read_utterances(rows: Rows, arguments: argparse.Namespace) -> UtteranceTable:
    from .score_tables import read_criteria, read_utterances

    columns = {"system": arguments.system, "utterance": arguments.utterance, "criterion": arguments.criterion}
    criteria = None
    if arguments.criterion_table is not None:
        judged = _read_file(arguments.criterion_table)
        with _named(arguments.criterion_table):
            criteria = read_criteria(judged, **columns)
    with _named(arguments.table):
        return read_utterances(rows, criteria, **columns, skips=arguments.on_error == "skip")


def _warn_of_utterances(rows: Rows, names: Sequence[str]) -> None:
    column = rows.header[0]
    counts = Counter(rows.column(column).values()) if column in names else Counter()
    repeated = next((cell for cell, count in counts.items() if count > 1), None)
    if repeated is not None:
        warn(
            f"several rows are called {repeated!r}, and each counts as a system. If the rows are utterances, add "
            f"--system {column} --utterance COLUMN."
        )


def _read_file(path: str) -> Rows:
    """The cells of a table. A cell at the end of the last line may be blank, and a tab before it counts."""
    from ..sources.names import is_json
    from ..sources.opening import decode_file
    from .score_tables import read_rows

    text = decode_file(path)
    with _named(path):
        lines = text.replace("\r\n", "\n").split("\n") if text.strip() else []
        return read_rows(lines, is_json=is_json(path))


@contextmanager
def _named(path: str) -> Iterator[None]:
    from ..kernel.errors import FileError

    try:
        yield
    except ValueError as error:
        raise FileError(f"{'standard input' if path == '-' else path}: {error}") from None


def _resampling(arguments: argparse.Namespace) -> dict[str, Any]:
    return {"confidence": arguments.confidence, "n_resamples": arguments.n_resamples, "seed": arguments.seed}
