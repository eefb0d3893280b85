"""Print BibTeX entries for segscores and for the works that define the scores, to paste into the bibliography of a paper. With
--signature it prints the paragraph on methods instead, in LaTeX, which cites them.
"""

from __future__ import annotations

import argparse

from .printing import print_out


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", metavar="SCORE", nargs="+", help="scores or groups, such as token_fscore or windows")


def run(arguments: argparse.Namespace) -> None:
    from ...results.methods import methods
    from ...scoring.descriptions import cite

    if arguments.signature is None:
        print_out(cite(arguments.names))
    else:
        print_out(methods(arguments.names, arguments.signature))
