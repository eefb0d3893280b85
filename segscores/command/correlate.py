"""`segmentation-scores correlate`: correlations of scores with an outside criterion, one row per score."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..support.errors import warn
from .printing import print_result

if TYPE_CHECKING:
    from ..statistics.correlation import Correlation
    from .score_tables import Rows, UtteranceTable

#: The options that are only for tables of utterances.
_OF_UTTERANCES = ("criterion_table", "n_trials", "on_error")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the description and the positional arguments to the subcommand's parser."""
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


def run(arguments: argparse.Namespace) -> None:
    """Correlate the columns and print a row for each."""
    from ..results.result import Result, Table

    _check_arguments(arguments)
    rows = _read_file(arguments.table)
    correlated = _correlate_utterances(rows, arguments) if arguments.system else _correlate_systems(rows, arguments)
    print_result(Result([Table.of(correlated)]), arguments)


def _check_arguments(arguments: argparse.Namespace) -> None:
    from ..options.table import OPTIONS
    from ..support.messages import OptionError
    from .text import check_standard_input

    if (arguments.system is None) != (arguments.utterance is None):
        missing = "--system" if arguments.system is None else "--utterance"
        raise ValueError(
            f"--system and --utterance go together, for a table with a row per system and utterance: add {missing}."
        )
    if arguments.system is None:
        for name in _OF_UTTERANCES:
            if name in arguments.given:
                columns = [OPTIONS[each].set("COLUMN") for each in ("system", "utterance")]
                raise OptionError(
                    OPTIONS[name], " is for a table of utterances: add ", columns[0], " ", columns[1], "."
                )
    check_standard_input([arguments.table, arguments.criterion_table])


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
        correlated = correlate_utterances(
            table.scores, table.criterion, n_trials=arguments.n_trials, **_resampling(arguments)
        )
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
    from ..support.errors import FileError

    try:
        yield
    except ValueError as error:
        raise FileError(f"{'standard input' if path == '-' else path}: {error}") from None


def _resampling(arguments: argparse.Namespace) -> dict[str, Any]:
    return {"confidence": arguments.confidence, "n_resamples": arguments.n_resamples, "seed": arguments.seed}
