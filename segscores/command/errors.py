"""`segmentation-scores errors`: the wrong reference words, their error classes, and the words predicted instead."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from ..sources.names import Files
from .printing import print_result
from .sides import add_side_arguments, read_files, read_sides
from .text import score_options, sign_files

#: As `analysis.error_results.TABLES`, whose module imports numpy.
_TABLES = ("classes", "errors", "words", "length", "frequency", "vocabulary")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the description and the positional arguments to the subcommand's parser."""
    parser.description = (
        "Classify each reference word as correct, over-segmented (split into several words), under-segmented (joined with "
        "its neighbours) or mis-segmented (split elsewhere). Prints the number of words in each class, the most frequent errors, "
        "and the classes by word, by word length in units, by frequency in the reference, and by vocabulary."
    )
    add_side_arguments(parser, "the file with the prediction, and optionally its name", several=False)


def run(arguments: argparse.Namespace) -> None:
    """Analyse the files and print the tables."""
    from ..analysis.error_analysis import analyse_sides
    from ..results.result import Result
    from ..scoring.pipeline import Plan
    from ..sources.source import Facts, place_in

    read = _read_sides(arguments)
    _check_arguments(arguments)
    chosen = "oov" if arguments.vocabulary else "token"
    plan, facts = Plan.of(**score_options(arguments), scores=chosen), Facts()
    shown = {"examples": arguments.examples, "context": arguments.context}
    plan, (analysis, _) = read_files(
        arguments, read, plan, lambda sides, plan, **_: (analyse_sides(sides, plan, facts, **shown), facts)
    )
    where = partial(place_in, facts.extents)
    signature = sign_files(read, plan, facts, arguments)
    if arguments.format == "json":
        path = {"path": read[1].given} if read[1].given else {}
        predictions = [{"prediction": read[1].name, **path}]
        found = _with_places(analysis.to_dict(arguments.top), where)
        result = Result([], record={"reference": arguments.reference, "predictions": predictions, **found})
    else:
        result = analysis.result(arguments.table, arguments.top, where)
    print_result(replace(result, signature=signature), arguments)


def _read_sides(arguments: argparse.Namespace) -> list[Files]:
    columns = (arguments.columns or ())[1:]
    if arguments.prediction is None and len(columns) > 1:
        raise ValueError(
            f"--columns names {len(columns)} predictions: expected one, because errors analyses one prediction at a time."
        )
    return read_sides(arguments, [] if arguments.prediction is None else [arguments.prediction])


def _check_arguments(arguments: argparse.Namespace) -> None:
    if arguments.label_scheme and arguments.vocabulary:
        raise ValueError("--vocabulary needs the words, which labels do not contain.")
    if arguments.label_scheme and not {*arguments.table} <= {"classes"}:
        raise ValueError("labels do not contain the words: --table classes is the only table.")
    tables = arguments.table
    if arguments.format == "json" and tables:
        raise ValueError("--format json has all tables: leave --table out.")
    if arguments.format == "csv" and len(set(tables)) != 1:
        raise ValueError(f"--format csv takes one table: add --table with one of {', '.join(_TABLES)}.")
    if "vocabulary" in tables and not arguments.vocabulary:
        raise ValueError("--table vocabulary needs the known words: add --vocabulary FILE.")


def _with_places(analysis: dict[str, Any], where: Callable[[int], str]) -> dict[str, Any]:
    """The output of `ErrorAnalysis.to_dict`, with the place of each example in the files, as in the table."""
    for error in analysis["errors"] or ():
        for example in error["examples"]:
            example["place"] = where(example["utterance"])
    return analysis
