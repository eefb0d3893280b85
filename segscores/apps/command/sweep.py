"""Evaluate a segmenter's boundary scores against a reference at every distinct threshold, or at given ones, and print where
each evaluation score is best; with --format csv print the curve, one row per point. A gap between two units is a boundary if
its boundary score is at least the threshold. The ratio is the share of all inner gaps that are boundaries (Shao et al. 2017,
Figure 1).
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from ...reading.sources.delimited import as_table
from ...reading.sources.names import Files, is_table, shown_name
from .printing import print_result
from .sides import read_files, with_forms
from .text import check_files, text_options

if TYPE_CHECKING:
    from ...analysis.thresholds import Sweep
    from ...kernel.segmentation import Segmentation
    from ...reading.sources.source import Side
    from ...scoring.observations import Observations


#: The most steps of a range of points, such as the 20 steps of `--thresholds 0:1:0.05`.
_MOST_STEPS = 1_000_000
#: The note on the best points.
_ON_BEST = (
    "best: with the threshold chosen on this test set, so higher than expected on other text; choose the threshold on "
    "development data, and report the score at it"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("reference", metavar="REFERENCE", help="the file with the reference; - reads standard input")
    parser.add_argument(
        "scores",
        metavar="SCORES",
        help="a file with the numbers of an utterance per line, as a JSON list or separated by spaces: one for each gap between "
        "two units, so one fewer than the units; [] for an utterance without gaps",
    )


def run(arguments: argparse.Namespace) -> None:
    from ...results.pictures import write_picture
    from ...results.result import Note
    from ...scoring.observations import Observations
    from ...scoring.passes import segment_side
    from ...scoring.plan import Plan
    from ...statistics.signing import sign_files

    check_files(arguments, [arguments.reference, arguments.scores])
    # A file with the name of a table, such as a.csv, may have text: `as_table` looks into it, and marks the path of a table.
    if is_table(as_table(arguments.reference)):
        raise ValueError(f"{arguments.reference}: this is a table, by its name; expected text: sweep reads no tables.")
    # The file as it is named: sweep takes no patterns of several files.
    reference_file = Files(arguments.reference, paths=(arguments.reference,))
    files = with_forms(arguments, [reference_file])
    plan = Plan.of(**text_options(arguments))
    thresholds = _parse_points("--thresholds", arguments.thresholds)
    ratios = _parse_points("--ratios", arguments.ratios)
    observed = Observations.for_signature()

    def read_reference(sides: Sequence[Side], _plan: Plan, **_of_map_pieces: Any) -> tuple[Segmentation, Observations]:
        """Read the only side. `read_files` calls it with more than the sides, which a sweep does not need."""
        (side,) = sides
        return segment_side(side, observed=observed), observed

    # The plan comes back with the defaults that come from the reference, if it has any.
    plan, (reference, _observed) = read_files(arguments, files, plan, read_reference)
    curve = _curve(reference, arguments, thresholds, ratios)
    if arguments.plot:
        write_picture(curve.plot(), arguments.plot)
    # Fields of the signature for the options that are not in the plan.
    fields = {"label": arguments.label_scheme, "ratios": arguments.ratios, "thresholds": arguments.thresholds}
    further = {name: value for name, value in fields.items() if value is not None}
    signature = sign_files(files, plan, observed, arguments.text_format, further=further)
    record = {"reference": arguments.reference, "scores": arguments.scores}
    print_result(curve.result(record, signature, [Note(_ON_BEST)]), arguments)


def _curve(
    reference: Segmentation,
    arguments: argparse.Namespace,
    thresholds: Sequence[float] | None,
    ratios: Sequence[float] | None,
) -> Sweep:
    """Evaluate the boundary scores of the file that the arguments name; an error names the line. Both None: every threshold."""
    from ...analysis.thresholds import sweep_segmentation
    from ...options.errors import UtteranceError
    from ...reading.boundary_scores import read_boundary_scores
    from ...reading.sources.lists import read_lists

    try:
        return sweep_segmentation(
            reference,
            read_boundary_scores(read_lists(arguments.scores)),
            thresholds=thresholds,
            ratios=ratios,
            types=arguments.types,
            label_scheme=arguments.label_scheme,
            zero_division=arguments.zero_division,
        )
    except UtteranceError as error:
        raise error.in_file(shown_name(arguments.scores)) from None


def _parse_points(option: str, text: str | None) -> list[float] | None:
    """Read the numbers of `a,b,…` or of `start:stop:step`, the stop included; None for None, an option that was not given."""
    if text is None:
        return None
    expected = f"{option}: expected numbers such as 0.2,0.5 or a range such as 0:1:0.05, received {text!r}"
    try:
        if ":" not in text:
            return [float(number) for number in text.split(",")]
        # Count in decimals: with floats, 0:1:0.05 would miss 1 and have 0.15000000000000002.
        start, stop, step = map(Decimal, text.split(":"))
        are_finite = all(math.isfinite(float(number)) for number in (start, stop, step))
        # A decimal may be too small for a float.
        goes_up = are_finite and float(step) > 0 and stop >= start
    except (ValueError, InvalidOperation):
        raise ValueError(f"{expected}.") from None
    if not goes_up:
        raise ValueError(f"{expected}: a range goes up from its start by its step.")
    steps = (stop - start) / step
    if steps > _MOST_STEPS:
        raise ValueError(f"{expected}: that is more than a million points; leave it out for every threshold.")
    return [float(start + index * step) for index in range(int(steps) + 1)]
