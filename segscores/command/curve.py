"""`segmentation-scores curve`: a learning curve, the scores of predictions over the size of the training set."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from .printing import add_format_argument, print_result
from .sides import add_side_arguments, open_inputs, read_sides
from .sweep import PLOTTED
from .text import add_score_arguments, add_text_arguments, check_inputs, check_outputs, score_options, sign_files

if TYPE_CHECKING:
    from ..results.scored import Scored


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the description and the arguments to the subcommand's parser."""
    parser.description = (
        "Score predictions of a segmenter that was trained on increasing amounts of text. Prints a column for each size (Shao "
        "et al. 2017, Figure 2)."
    )
    add_side_arguments(
        parser,
        "the training size, and the file with the prediction of that size",
        prediction="SIZE=PREDICTION",
        column="NAME|SIZE=NAME",
    )
    add_text_arguments(parser)
    add_score_arguments(parser)
    parser.add_argument(
        "--plot", metavar="FILE.png|svg", help="draw the token scores by size (needs matplotlib: extra plot)"
    )
    add_format_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    """Score the predictions, print a column for each, and write the curve."""
    from ..measures.registry import undefined_keys
    from ..results.scored import Scored, result_of
    from ..scoring.options import Plan
    from ..scoring.pipeline import score_tally
    from ..scoring.signature import signed_skipped
    from ..sources.passes import check_same, sum_tallies, with_window_size

    sized = _parse_sizes(arguments.predictions or arguments.prediction_column or [])
    names = list(sized.values())
    # If no files are given, the sizes belong to columns.
    read = read_sides(arguments, names) if arguments.predictions else read_sides(arguments, [], names)
    inputs = check_inputs(arguments, read)
    check_outputs({"--plot": arguments.plot}, inputs)
    if arguments.plot:
        from .plots import check_picture

        check_picture(arguments.plot)
    plan = Plan.of(**score_options(arguments), label_scheme=arguments.label_scheme)
    if arguments.plot and not PLOTTED.keys() <= set(plan.keys):
        raise ValueError("--plot draws the token scores: --scores must have token and tnr, or be left out.")
    with open_inputs(arguments, read, plan) as (sides, _):
        plan, first = with_window_size(sides[0], plan)
        tallies, facts = sum_tallies(sides, plan)
        check_same(first, facts)
    scored = [
        Scored(
            name,
            score_tally(tally, plan, prediction=name),
            path=side.given,
            undefined=undefined_keys(tally.totals(), plan.keys),
        )
        for name, side, tally in zip(names, read[1:], tallies, strict=True)
    ]
    if arguments.plot:
        _plot(arguments, list(sized), scored)
    skipped = signed_skipped(tally.skipped for tally in tallies)
    signature = sign_files(read, plan, facts, arguments, further=skipped)
    by_size = [replace(each, prediction=str(size)) for size, each in zip(sized, scored, strict=True)]
    predictions = [{"size": size, **each.record()} for size, each in zip(sized, scored, strict=True)]
    record = {"reference": arguments.reference, "predictions": predictions}
    print_result(replace(result_of(by_size, arguments.reference, signature), record=record), arguments.format)


def _parse_sizes(arguments: list[str]) -> dict[int | float, str]:
    if not arguments:
        raise ValueError(
            "expected SIZE=PREDICTION after REFERENCE, or a table with both sides and --prediction-column SIZE=NAME."
        )
    sized: dict[int | float, str] = {}
    for argument in arguments:
        text, separator, path = argument.partition("=")
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not separator or not path or not (math.isfinite(number) and number >= 0):
            raise ValueError(f"expected SIZE=PREDICTION, such as 200=out200.txt, received {argument!r}.")
        size = int(number) if number.is_integer() else number
        if size in sized:
            raise ValueError(f"the size {text} is given twice: expected one prediction for each size.")
        sized[size] = path
    return dict(sorted(sized.items()))


def _plot(arguments: argparse.Namespace, sizes: Sequence[float], scored: Sequence[Scored]) -> None:
    import numpy as np

    from .plots import plot_scores

    lines = {label: np.array([each.scores[key] for each in scored]) for key, label in PLOTTED.items()}
    plot_scores(arguments.plot, sizes, lines, Path(arguments.reference).name, "training size")
