"""Run another scorer over small cases, and find the definitions of the numbers that it prints. Prints a row for each number:
the score that it is or is nearest to, in how many cases they agree, and the smallest case in which they differ. Exits with
status 1 if a number agrees with no definition in every case.
"""

from __future__ import annotations

import argparse

from .printing import print_result


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "scorer",
        metavar="COMMAND",
        help="its command line, in quotes; {reference} and {prediction} stand for the two files",
    )


def run(arguments: argparse.Namespace) -> int:
    from ...analysis.conformity import conform, result_of_rows

    rows = conform(arguments.scorer, pattern=arguments.pattern, write=arguments.write)
    print_result(result_of_rows(rows), arguments)
    return int(any(row.case for row in rows))
