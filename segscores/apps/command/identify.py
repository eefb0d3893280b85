"""Find the definitions of scores that give a number which a paper or another tool prints for these files: which score, average,
value of 0/0, tolerance, window, format or convention of a tool. Definitions that agree with the number, as far as it is
printed, come first, in the order of their number of options; the nearest other definitions follow.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

from .printing import print_result
from .sides import add_reference_of_any_world, read_sides
from .text import score_options


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_reference_of_any_world(parser)
    text = "the file with the prediction; leave it out if REFERENCE is a table that holds both sides"
    parser.add_argument("prediction", metavar="PREDICTION", nargs="?", help=text)
    parser.add_argument(
        "value", metavar="VALUE", help="the number, with as many decimals as it has there: 0.741, 74.1 or 74.1%%"
    )


def run(arguments: argparse.Namespace) -> None:
    from ...analysis.identification import ranked_definitions, result_of

    if "-" in (arguments.reference, arguments.prediction):
        raise ValueError("standard input (-) can be read only once, and every definition reads the sides: name a file.")
    files = read_sides(arguments, [arguments.prediction] if arguments.prediction else [])
    # Each definition reads the files in its own format.
    reference, prediction = [replace(side, form=None, joins_units=False) for side in files]
    definitions = ranked_definitions(reference, prediction, arguments.value, score_options(arguments))
    print_result(result_of(definitions, arguments.top), arguments)
