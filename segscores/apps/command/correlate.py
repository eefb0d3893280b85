"""Correlate scores with an external criterion, such as human judgement or retrieval quality. The table has a header and a row
per system; columns of numbers are scores, other columns are names. Prints a row per score, the largest |r| first: Pearson's r
and Spearman's rho with their intervals, and Kendall's tau, each with a two-sided p-value. From 8 systems on, report rho: it
does not depend on outliers. --against names the score that Williams' test compares the others with; its p-values are corrected
over the others by Holm. A constant column has no correlation.
"""

from __future__ import annotations

import argparse

from .printing import print_result
from .text import check_files


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "table",
        metavar="TABLE",
        help="a CSV file, TSV if its header has a tab, or JSON lines if its name ends in .jsonl, .ndjson or .json; "
        "- reads standard input",
    )


def run(arguments: argparse.Namespace) -> None:
    from ...options.errors import FileError
    from ...options.messages import OptionError, message_of
    from ...reading.sources.names import is_json, shown_name
    from ...reading.sources.opening import decode_file
    from ...results.result import Result, Table
    from ...statistics.correlation import correlate
    from .score_tables import read_scores

    path = arguments.table
    check_files(arguments, [path])
    text = decode_file(path)
    try:
        # The parsers of tables take bytes of UTF-8.
        scores, criterion = read_scores(text.encode(), arguments.criterion, is_json=is_json(path))
        rows = correlate(scores, criterion, against=arguments.against, confidence=arguments.confidence)
    except OptionError:
        raise  # it is about an option, not about the file
    except ValueError as error:
        raise FileError(shown_name(path), ": ", message_of(error)) from None
    print_result(Result([Table.of(rows)]), arguments)
