"""`segmentation-scores alignment`: scores of predicted alignments of a bitext, one column each."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from contextlib import contextmanager

from .printing import print_result
from .text import check_standard_input

Bisegment = tuple[list[int], list[int]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the description and the positional arguments to the subcommand's parser."""
    parser.description = (
        "Score predicted alignments of two texts (a bitext) against a reference alignment. A file has one bisegment per line, "
        "such as [0]:[0,1]: the numbers of its source segments and of its target segments, counted from 0. A cost after a "
        "second colon is ignored."
    )
    parser.add_argument("reference", metavar="REFERENCE", help="the file with the reference; - reads standard input")
    parser.add_argument("predictions", metavar="PREDICTION", nargs="+", help="a file with a prediction")


def run(arguments: argparse.Namespace) -> None:
    """Score the files and print the results."""
    from ..bitext.alignment import compute_alignment_scores, select_levels, tally_alignment
    from ..results.scored import Scored, result_of
    from ..scoring.signature import sign_plainly

    text_paths = [arguments.sources, arguments.targets]
    if text_paths.count(None) == 1:
        raise ValueError("--sources and --targets go together: name both files, or neither.")
    paths = [arguments.reference, *arguments.predictions, *text_paths]
    check_standard_input(paths)
    scores = arguments.given.get("scores")
    levels = select_levels(scores, texts_known=arguments.sources is not None)
    sources, targets = (path if path is None else [_read_lines(path)] for path in text_paths)
    reference = _read_alignment(arguments.reference)
    scored = []
    for path in arguments.predictions:
        predicted = _read_alignment(path)
        with _located(arguments.reference, path):
            columns = tally_alignment([reference], [predicted], sources=sources, targets=targets, scores=scores)
        counts = {column: int(values.sum()) for column, values in columns.items()}
        computed = compute_alignment_scores(counts, levels, arguments.zero_division)
        plain = {key: float(value) for key, value in computed.items()}
        with_nan = compute_alignment_scores(counts, levels, math.nan)
        undefined = [key for key, value in with_nan.items() if math.isnan(float(value))]
        scored.append(Scored(path, plain, counts if arguments.counts else {}, undefined=undefined))
    signature = sign_plainly(text="alignment", zero=arguments.zero_division, n=len(reference))
    print_result(result_of(scored, arguments.reference, signature), arguments)


def _read_alignment(path: str) -> list[Bisegment]:
    from ..bitext.bitexts import parse_bisegments
    from ..support.errors import FileError

    with _located(path):
        bisegments = parse_bisegments(_read_lines(path), "references")
    if not bisegments:
        raise FileError(f"{_name(path)}: the file is empty; expected at least one line, such as [0]:[0,1].")
    return bisegments


@contextmanager
def _located(reference: str, prediction: str = "") -> Iterator[None]:
    """Name the file and the line of a bad bisegment."""
    from ..bitext.bitexts import BisegmentError
    from ..support.errors import FileError, counting_from

    try:
        yield
    except BisegmentError as error:
        name = _name(reference if error.side == "references" else prediction)
        place = f"{name}, line {error.bisegment + 1}: "
        raise FileError(place, error.problem, counting=counting_from("line")) from None


def _read_lines(path: str) -> list[str]:
    """The lines of a file, or of standard input for `-`; only a newline ends one, with or without a carriage return."""
    from ..sources.opening import decode_file

    lines = decode_file(path).split("\n")
    if not lines[-1]:
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def _name(path: str) -> str:
    return "standard input" if path == "-" else path
