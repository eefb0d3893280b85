"""`segmentation-scores score`: predictions against a reference, a column each."""

from __future__ import annotations

__all__ = ["add_parser"]

import argparse
from typing import TYPE_CHECKING

from .tables import FORMATS, Result, format_results
from .text import add_score_arguments, add_text_arguments, check_standard_input, score_options

if TYPE_CHECKING:
    from argparse import _SubParsersAction


def add_parser(commands: _SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand to the command's parser."""
    parser = commands.add_parser("score", help="score predictions against a reference", allow_abbrev=False)
    parser.description = (
        "Score predictions against a reference. Files are UTF-8, one utterance a line, or CoNLL-U if their name ends in "
        ".conllu. Utterances pair by position and must have the same characters (or units) on both sides."
    )
    parser.add_argument("reference", metavar="REFERENCE", help="file with the reference; - is standard input")
    parser.add_argument("predictions", metavar="PREDICTION", nargs="+", help="files with predictions, a column each")
    add_text_arguments(parser)
    add_score_arguments(parser)
    parser.add_argument("--counts", action="store_true", help="print what was counted too")
    parser.add_argument("--format", choices=tuple(FORMATS), default="table", help="(default: %(default)s)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Score the files and print the results."""
    from ..scoring import Options, score_tally
    from .files import keep_freed_memory, open_sources, tally_files, with_window_size

    keep_freed_memory()
    paths = [arguments.reference, *arguments.predictions]
    check_standard_input([*paths, arguments.dictionary, arguments.acceptable, arguments.vocabulary])
    options = with_window_size(Options(**score_options(arguments)), paths, arguments.text_format)
    with open_sources(paths, options, arguments.text_format) as (reference, *predictions):
        tallies = tally_files(reference, predictions, options)
    results = [
        Result(name, score_tally(tally, options), tally.totals() if arguments.counts else {})
        for name, tally in zip(arguments.predictions, tallies, strict=True)
    ]
    print(format_results(results, arguments.reference, arguments.format))
