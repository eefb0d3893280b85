"""Classify each reference word as correct, over-segmented (split into several words), under-segmented (joined with its
neighbours) or mis-segmented (split elsewhere). Prints the number of words in each class, the most frequent errors, and the
classes by word, by word length in units, by frequency in the reference, and by vocabulary. Of two predictions it prints the
words that one of them has and the other misses.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from .printing import print_result
from .sides import add_side_arguments, read_files, read_sides
from .text import score_options

if TYPE_CHECKING:
    from ...reading.sources.names import Files
    from ...reading.sources.source import Side
    from ...results.result import Result


add_arguments = partial(add_side_arguments, text="a file with a prediction, and optionally its name; one or two")


def run(arguments: argparse.Namespace) -> None:
    from ...analysis.error_analysis import analyse_sides
    from ...analysis.error_comparison import compare_error_sides
    from ...analysis.tag_errors import with_tags
    from ...scoring.observations import Observations, place_in
    from ...scoring.plan import Plan
    from ...statistics.signing import sign_files

    files = read_sides(arguments, arguments.predictions)
    _, *predictions = files
    names = [prediction.name for prediction in predictions]
    if len(names) > 2:
        raise ValueError(f"PREDICTION: expected one, or two to compare, received {len(names)}.")
    compares = len(names) == 2
    _check_arguments(arguments, compares=compares)
    # These scores are not computed: they only say what the plan reads, such as the vocabulary.
    scores = "oov" if arguments.vocabulary else "token"
    plan = with_tags(Plan.of(**score_options(arguments), scores=scores))
    observed = Observations.for_signature()

    def analyse(sides: Sequence[Side], plan: Plan, **_of_map_pieces: Any) -> tuple[Any, Observations]:
        """Analyse the errors of one prediction, or compare those of two; no ids of utterances are needed."""
        if compares:
            first, second = names
            return compare_error_sides(sides, (first, second), plan, observed), observed
        analysis = analyse_sides(sides, plan, observed, examples=arguments.examples, context=arguments.context)
        return analysis, observed

    plan, (analysis, _observed) = read_files(arguments, files, plan, analyse)
    where = partial(place_in, observed.extents)
    signature = sign_files(files, plan, observed, arguments.text_format)
    # Programs read CSV, and want all rows, unless the user says how many.
    has_all_rows = arguments.format == "csv" and "top" not in arguments.explicit
    top = None if has_all_rows else arguments.top
    if arguments.format == "json":
        result = _result_for_json(analysis.to_dict(top), arguments.reference, predictions, where)
    elif compares:
        result = analysis.result(arguments.table, top)
    else:
        result = analysis.result(arguments.table, top, where)
    print_result(replace(result, signature=signature), arguments)


def _result_for_json(
    analysed: dict[str, Any], reference: str, predictions: Sequence[Files], where: Callable[[int], str]
) -> Result:
    """Return the result of an analysis as a record: the inputs, then its values, in which examples get their places.

    `where` returns the place of an utterance in the files, such as "line 3".
    """
    from ...results.result import Result

    # A comparison of two predictions has no errors, and no examples.
    for error in analysed.get("errors") or ():
        for example in error["examples"]:
            example["place"] = where(example["utterance"])
    return Result([], record={"reference": reference, "predictions": list(map(_record, predictions)), **analysed})


def _record(prediction: Files) -> dict[str, str]:
    """Return the name and the path of a prediction, for JSON; a column of the reference's table has no path."""
    record = {"prediction": prediction.name}
    if prediction.argument:
        record["path"] = prediction.argument
    return record


def _check_arguments(arguments: argparse.Namespace, *, compares: bool) -> None:
    """Raise an error for tables and options that do not go together; `compares` says that there are two predictions."""
    tables = set(arguments.table)
    # The options that the user has given.
    given = arguments.explicit.keys()
    asks_for_errors = "errors" in tables or "examples" in given or "context" in given
    if compares and asks_for_errors:
        raise ValueError(
            "--table errors, --examples and --context show the errors of one prediction: leave them out, or name one."
        )
    has_labels = arguments.label_scheme or arguments.id2label
    if has_labels and tables - {"classes"}:
        raise ValueError("labels do not contain the words: --table classes is the only table.")
    if arguments.format == "json" and tables:
        raise ValueError("--format json has all tables: leave --table out.")
    if arguments.format == "csv" and len(tables) != 1:
        from ...analysis.error_results import TABLES

        raise ValueError(f"--format csv takes one table: add --table with one of {', '.join(TABLES)}.")
    if "vocabulary" in tables and not arguments.vocabulary:
        raise ValueError("--table vocabulary needs the known words: add --vocabulary FILE.")
