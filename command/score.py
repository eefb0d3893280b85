"""`segmentation-scores score`: predictions against a reference, a column each."""

from __future__ import annotations

__all__ = ["add_parser"]

import argparse
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

from .progress import ProgressBar
from .tables import FORMATS, Result, format_results
from .text import add_text_arguments, text_options

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
    parser.add_argument(
        "--scores",
        metavar="GROUP[,GROUP]",
        action="append",
        help="score groups, as the command groups lists them; repeatable",
    )
    parser.add_argument(
        "--dictionary",
        metavar="FILE",
        help="segments that could be words, one a line, for the scores of negative segments",
    )
    parser.add_argument(
        "--acceptable", metavar="FILE", help="segments that are no negatives, one a line; goes with --dictionary"
    )
    parser.add_argument("--counts", action="store_true", help="print what was counted too")
    parser.add_argument("--format", choices=tuple(FORMATS), default="table", help="(default: %(default)s)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Score the files and print the results."""
    from ..scores import DEFAULT_SCORES
    from ..scoring import Options, score_tally
    from .files import is_conllu, keep_freed_memory, open_source, read_lines, tally_files

    keep_freed_memory()
    paths = [arguments.reference, *arguments.predictions]
    if [*paths, arguments.dictionary, arguments.acceptable].count("-") > 1:
        raise ValueError("standard input (-) can be read once only: name a file for the others.")
    text = text_options(arguments)
    options = Options(
        scores=[name.strip() for names in arguments.scores for name in names.split(",")]
        if arguments.scores
        else DEFAULT_SCORES,
        **text,
        dictionary=read_lines(arguments.dictionary) if arguments.dictionary else None,
        acceptable=read_lines(arguments.acceptable) if arguments.acceptable else (),
    )
    # Spaces within the words of CoNLL-U are units only where every side can have them.
    keep_spaces = all(is_conllu(path, arguments.text_format) for path in paths)
    with ProgressBar(paths) as progress, ExitStack() as stack:
        reference, *predictions = (
            stack.enter_context(closing(open_source(path, options, arguments.text_format, keep_spaces, progress)))
            for path in paths
        )
        tallies = tally_files(reference, predictions, options)
    results = [
        Result(name, score_tally(tally, options), tally.totals() if arguments.counts else {})
        for name, tally in zip(arguments.predictions, tallies, strict=True)
    ]
    print(format_results(results, arguments.reference, arguments.format))
