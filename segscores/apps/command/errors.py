"""Classify each reference word as correct, over-segmented (split into several words), under-segmented (joined with its
neighbours) or mis-segmented (split elsewhere). Prints the number of words in each class, the most frequent errors, and the
classes by word, by word length in units, by frequency in the reference, and by vocabulary. Of two predictions it prints the
words that one of them has and the other misses.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from .printing import print_result
from .sides import add_side_arguments, read_files, read_sides
from .text import score_options

if TYPE_CHECKING:
    from ...reading.sources.names import Files
    from ...reading.sources.source import Side


add_arguments = partial(add_side_arguments, text="a file with a prediction, and optionally its name; one or two")


def run(arguments: argparse.Namespace) -> None:
    from ...analysis.error_analysis import analyse_sides
    from ...analysis.error_comparison import compare_error_sides
    from ...analysis.tag_errors import with_tags
    from ...results.result import Result
    from ...scoring.observations import Observations, place_in
    from ...scoring.plan import Plan
    from ...statistics.signing import sign_files

    files = read_sides(arguments, arguments.predictions)
    if len(files) > 3:
        raise ValueError(f"PREDICTION: expected one, or two to compare, received {len(files) - 1}.")
    _check_arguments(arguments, compares=len(files) == 3)
    scores = "oov" if arguments.vocabulary else "token"
    plan = with_tags(Plan.of(**score_options(arguments), scores=scores))
    observed = Observations(digest=0)
    example_options = {"examples": arguments.examples, "context": arguments.context}

    def analyse(sides: Sequence[Side], plan: Plan, **_: Any) -> tuple[Any, Observations]:
        if len(sides) == 2:
            return analyse_sides(sides, plan, observed, **example_options), observed
        return compare_error_sides(sides, (files[1].name, files[2].name), plan, observed), observed

    plan, (analysis, _) = read_files(arguments, files, plan, analyse)
    where = partial(place_in, observed.extents)
    signature = sign_files(files, plan, observed, arguments.text_format)
    if arguments.format == "json":
        predictions = [_record(side) for side in files[1:]]
        record = analysis.to_dict(arguments.top)
        # The place in the files, as in the table.
        for error in record.get("errors") or ():
            for example in error["examples"]:
                example["place"] = where(example["utterance"])
        result = Result([], record={"reference": arguments.reference, "predictions": predictions, **record})
    else:
        has_all_rows = arguments.format == "csv" and "top" not in arguments.explicit
        top = None if has_all_rows else arguments.top
        if len(files) == 2:
            result = analysis.result(arguments.table, top, where)
        else:
            result = analysis.result(arguments.table, top)
    print_result(replace(result, signature=signature), arguments)


def _record(prediction: Files) -> dict[str, str]:
    record = {"prediction": prediction.name}
    if prediction.argument:
        record["path"] = prediction.argument
    return record


def _check_arguments(arguments: argparse.Namespace, *, compares: bool) -> None:
    shows_errors = {"examples", "context"} & {*arguments.explicit} or "errors" in arguments.table
    if compares and shows_errors:
        raise ValueError(
            "--table errors, --examples and --context show the errors of one prediction: leave them out, or name one."
        )
    has_labels = arguments.label_scheme or arguments.id2label
    if has_labels and not {*arguments.table} <= {"classes"}:
        raise ValueError("labels do not contain the words: --table classes is the only table.")
    tables = arguments.table
    if arguments.format == "json" and tables:
        raise ValueError("--format json has all tables: leave --table out.")
    if arguments.format == "csv" and len(set(tables)) != 1:
        from ...analysis.error_results import TABLES

        raise ValueError(f"--format csv takes one table: add --table with one of {', '.join(TABLES)}.")
    if "vocabulary" in tables and not arguments.vocabulary:
        raise ValueError("--table vocabulary needs the known words: add --vocabulary FILE.")
