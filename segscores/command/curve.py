"""`segmentation-scores curve`: a learning curve, the scores of predictions over the size of the training set."""

from __future__ import annotations

import argparse
import math
from pathlib import Path

from ..kernel.json_text import as_json
from .printing import print_out
from .sides import add_side_arguments, open_inputs, read_sides
from .sweep import PLOTTED
from .tables import Result, add_format_argument, format_results
from .text import add_score_arguments, add_text_arguments, check_inputs, check_outputs, score_options, sign_files


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
    curve = {
        size: (name, score_tally(tally, plan, prediction=name))
        for (size, name), tally in zip(sized.items(), tallies, strict=True)
    }
    keys = plan.keys
    if arguments.plot:
        _plot(arguments, {size: scores for size, (_, scores) in curve.items()})
    skipped = signed_skipped(tally.skipped for tally in tallies)
    signature = sign_files(read, plan, facts, arguments, further=skipped)
    undefined = {size: undefined_keys(tally.totals(), keys) for size, tally in zip(sized, tallies, strict=True)}
    shown = _format_curve(curve, undefined, arguments.reference, arguments.format, signature)
    print_out(shown, arguments.format)


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


def _plot(arguments: argparse.Namespace, curve: dict[int | float, dict[str, float]]) -> None:
    import numpy as np

    from .plots import plot_scores

    lines = {label: np.array([scores[key] for scores in curve.values()]) for key, label in PLOTTED.items()}
    plot_scores(arguments.plot, list(curve), lines, Path(arguments.reference).name, "training size")


def _format_curve(
    curve: dict[int | float, tuple[str, dict[str, float]]],
    undefined: dict[int | float, list[str]],
    reference: str,
    form: str,
    signature: str,
) -> str:
    if form == "json":
        predictions = [
            {"size": size, "prediction": name, "scores": scores, "undefined": list(undefined[size])}
            for size, (name, scores) in curve.items()
        ]
        found = {"reference": reference, "signature": signature, "predictions": predictions}
        return as_json(found)
    results = [Result(str(size), scores, undefined=undefined[size]) for size, (_, scores) in curve.items()]
    return format_results(results, reference, form, signature)
