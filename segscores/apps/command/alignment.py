"""Score predicted alignments of two texts (a bitext) against a reference alignment. A file has one bisegment per line, such as
[0]:[0,1]: the numbers of its source segments and of its target segments, counted from 0. A cost after a second colon is
ignored.
"""

from __future__ import annotations

import argparse
from functools import partial

from ...reading.sources.names import shown_name
from .printing import print_result
from .text import check_files, encoding_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("reference", metavar="REFERENCE", help="the file with the reference; - reads standard input")
    parser.add_argument("predictions", metavar="PREDICTION", nargs="+", help="a file with a prediction")


def run(arguments: argparse.Namespace) -> None:
    from ...analysis.bitext.alignment import compute_alignment_scores, select_levels, tally_alignment
    from ...analysis.bitext.bitexts import BisegmentError, read_bisegments
    from ...reading.sources.opening import all_lines
    from ...results.scored import Scored, result_of
    from ...scoring.signature import sign_plainly

    check_files(arguments, [arguments.reference, *arguments.predictions])
    scores = arguments.explicit.get("scores")
    levels = select_levels(scores, texts_known=arguments.sources is not None)
    encoding = encoding_of(arguments)
    sources = None if arguments.sources is None else [all_lines(arguments.sources, encoding=encoding)]
    targets = None if arguments.targets is None else [all_lines(arguments.targets, encoding=encoding)]
    reference = read_bisegments(arguments.reference)
    scored = []
    for path in arguments.predictions:
        predicted = read_bisegments(path)
        try:
            columns = tally_alignment([reference], [predicted], sources=sources, targets=targets, scores=scores)
        except BisegmentError as error:
            wrong = arguments.reference if error.side == "references" else path
            raise error.in_file(shown_name(wrong)) from None
        counts = {column: int(values.sum()) for column, values in columns.items()}
        compute = partial(compute_alignment_scores, counts, levels)
        shown_counts = counts if arguments.counts else {}
        scored.append(Scored.computed_by(path, compute, arguments.zero_division, counts=shown_counts))
    signature = sign_plainly(text="alignment", zero=arguments.zero_division, n=len(reference))
    print_result(result_of(scored, arguments.reference, signature), arguments)
