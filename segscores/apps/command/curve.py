"""Score predictions of a segmenter by size: of its training text (Shao et al. 2017, Figure 2), of its vocabulary, and the like.
Prints a column for each size.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ...options.quoting import is_number
from .printing import print_result
from .score import read_scoring, score_files
from .sides import add_side_arguments, read_sides

if TYPE_CHECKING:
    from ...results.scored import Scored


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_side_arguments(parser, "the size, and the file with the prediction of that size", prediction="SIZE=PREDICTION")
    # `read_scoring` and `score_files` ask for these options of score, which curve does not have.
    parser.set_defaults(per_utterance=None, worst=None)


def run(arguments: argparse.Namespace) -> None:
    from ...results.pictures import CURVE_KEYS
    from ...results.scored import result_of
    from ...scoring.measures.registry import is_share

    if arguments.predictions:
        sized = _parse_sizes(arguments.predictions)
        files = read_sides(arguments, list(sized.values()))
    else:
        # Without files, SIZE=NAME stands in --columns after the column of the reference, and names columns.
        columns: Sequence[str] = ()
        if arguments.columns:
            _reference_column, *columns = arguments.columns
        sized = _parse_sizes(columns)
        files = read_sides(arguments, paths=[], columns=list(sized.values()))
    plan, resampling = read_scoring(arguments)
    drawn_keys: Sequence[str] = CURVE_KEYS
    if "scores" in arguments.explicit:
        # One axis fits only scores of one scale: those that can be in percent.
        drawn_keys = [key for key in plan.keys if is_share(key)]
    if arguments.plot and not drawn_keys:
        raise ValueError(f"--plot: no score of {', '.join(plan.keys)} is a share: their scales differ.")
    file_scores = score_files(files, plan, resampling, arguments)
    scored = file_scores.scored
    if arguments.plot:
        _plot(list(sized), scored, drawn_keys, arguments.plot)
    # In tables the sizes take the place of the names of predictions; the record for programs has both.
    by_size = [replace(system, prediction=str(size)) for size, system in zip(sized, scored, strict=True)]
    predictions = [{"size": size, **system.record()} for size, system in zip(sized, scored, strict=True)]
    record = {"reference": arguments.reference, "predictions": predictions}
    result = result_of(by_size, arguments.reference, file_scores.signature, heading_of_systems="size")
    print_result(replace(result, record=record), arguments)


def _plot(sizes: Sequence[float], scored: Sequence[Scored], keys: Sequence[str], path: str) -> None:
    """Draw a line for each of the scores over the sizes, with intervals if the predictions have them."""
    import numpy as np

    from ...results.pictures import draw_lines, write_picture
    from ...scoring.measures.registry import heading_of

    lines = {}
    intervals = {}
    for key in keys:
        heading = heading_of(key)
        lines[heading] = np.array([system.score_of(key) for system in scored])
        # Without the option `confidence`, no prediction has intervals, and the list is empty.
        intervals[heading] = [system.intervals[key] for system in scored if system.intervals]
    write_picture(draw_lines(sizes, lines, "size", intervals=intervals, is_logarithmic=True), path)


def _parse_sizes(arguments: Sequence[str]) -> dict[int | float, str]:
    """Return the files or columns of `SIZE=PREDICTION` by their sizes, the smallest first."""
    if not arguments:
        raise ValueError(
            "expected SIZE=PREDICTION after REFERENCE, or a table with both sides and --columns REFERENCE,SIZE=NAME."
        )
    sized: dict[int | float, str] = {}
    for argument in arguments:
        text, separator, path = argument.partition("=")
        number = float(text) if is_number(text) else math.nan
        is_size = math.isfinite(number) and number >= 0
        if not (separator and path and is_size):
            raise ValueError(f"expected SIZE=PREDICTION, such as 200=out200.txt, received {argument!r}.")
        # 200.0 is shown as 200.
        size = int(number) if number.is_integer() else number
        if size in sized:
            raise ValueError(f"the size {text} is given twice: expected one prediction for each size.")
        sized[size] = path
    return dict(sorted(sized.items()))
