"""Run another scorer over small cases, and find the definitions of the numbers that it prints. Prints a row for each number:
the score that it is or is nearest to, in how many cases they agree, and the smallest case in which they differ. Exits with
status 1 if a number agrees with no definition in every case. With --export, writes the test vectors of the definitions instead.
"""

from __future__ import annotations

import argparse

from .printing import print_result


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "scorer",
        metavar="COMMAND",
        nargs="?",
        help="its command line, in quotes; {reference} and {prediction} stand for the two files",
    )


def run(arguments: argparse.Namespace) -> int:
    if arguments.export is not None:
        if arguments.scorer is not None:
            raise ValueError(f"--export runs no program, received {arguments.scorer!r}: leave one of them out.")
        _write_vectors(arguments.export)
        return 0
    if arguments.scorer is None:
        raise ValueError(
            'expected the COMMAND of a scorer, such as "scorer {reference} {prediction}", or --export vectors.json.'
        )
    from ...analysis.conformity import conform, result_of_rows

    rows = conform(arguments.scorer, pattern=arguments.pattern, write=arguments.write)
    print_result(result_of_rows(rows), arguments)
    # A number that agrees with its definition differs in no case.
    differs = any(row.case for row in rows)
    return 1 if differs else 0


def _write_vectors(path: str) -> None:
    """Write the test vectors to a file, if it can be written."""
    from ...analysis.vectors import written_vectors
    from ...results.outputs import open_whole
    from .text import check_output

    check_output(path, inputs=[])
    with open_whole(path) as file:
        file.write(written_vectors().encode())
