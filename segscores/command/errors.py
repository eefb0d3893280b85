"""`segmentation-scores errors`: the wrong reference words, their error classes, and the words predicted instead."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from ..sources.names import Files, printable
from .printing import print_out
from .sides import add_side_arguments, open_inputs, read_sides
from .tables import (
    TABLE_STYLES,
    UNDEFINED,
    add_format_argument,
    format_cells,
    format_csv,
    json_document,
    with_signature,
)
from .text import add_text_arguments, check_standard_input, joined_form, sign_files, text_options

if TYPE_CHECKING:
    from ..analysis.error_analysis import ClassCounts, ErrorAnalysis, ErrorPattern, Example

#: The names of the columns, and the rows.
Table: TypeAlias = tuple[list[str], list[list[str | int | float]]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the description and the arguments to the subcommand's parser."""
    parser.description = (
        "Classify each reference word as correct, over-segmented (split into several words), under-segmented (joined with "
        "its neighbours) or mis-segmented (split elsewhere). Prints the number of words in each class, the most frequent errors, "
        "and the classes by word, by word length in units, by frequency in the reference, and by vocabulary."
    )
    add_side_arguments(parser, "the file with the prediction, and optionally its name", several=False)
    add_text_arguments(parser)
    parser.add_argument(
        "--vocabulary",
        metavar="FILE",
        help="the training words: a word list, one per line, or a segmented corpus; in the format of the reference, or CoNLL-U "
        "if the name ends in .conllu",
    )
    parser.add_argument(
        "--top",
        metavar="N",
        type=int,
        default=10,
        help="the number of errors and of words to print (default: %(default)s)",
    )
    parser.add_argument(
        "--examples",
        metavar="N",
        type=int,
        default=1,
        help="the number of examples for each error (default: %(default)s)",
    )
    parser.add_argument(
        "--context",
        metavar="N",
        type=int,
        default=3,
        help="the number of words before and after each example (default: %(default)s)",
    )
    parser.add_argument(
        "--table",
        choices=tuple(_TABLES),
        action="append",
        help="print only this table; repeatable. CSV prints one table, JSON all of them",
    )
    add_format_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    """Analyse the files and print the tables."""
    from ..analysis.error_analysis import analyse_sides
    from ..measures.oov import Vocabulary
    from ..scoring.options import Plan
    from ..scoring.signature import shorten_digest
    from ..sources.parts import Facts
    from ..sources.source import place_in
    from ..sources.word_files import read_vocabulary

    read = _read_sides(arguments)
    _check_arguments(arguments, read)
    plan = Plan.of(scores="token", **text_options(arguments), label_scheme=arguments.label_scheme)
    vocabulary = None
    if arguments.vocabulary:
        vocabulary = Vocabulary(
            vocabulary=read_vocabulary(arguments.vocabulary, joined_form(arguments)),
            word_boundary=plan.reading.word_boundary,
            ignored_tokens=plan.reading.ignored_tokens,
        )

    facts = Facts()
    with open_inputs(arguments, read, plan) as (sides, _):
        analysis = analyse_sides(
            sides,
            facts,
            examples=arguments.examples,
            context=arguments.context,
            vocabulary=vocabulary,
            zero_division=arguments.zero_division,
        )
    where = partial(place_in, facts.extents)
    known = {} if vocabulary is None else {"vocab": shorten_digest(vocabulary.digest())}
    signature = sign_files(read, plan, facts, arguments, further=known)
    if arguments.format == "json":
        path = {"path": read[1].given} if read[1].given else {}
        found = _with_places(analysis.to_dict(arguments.top), where)
        predictions = [{"prediction": read[1].name, **path}]
        print_out(json_document(arguments.reference, signature, predictions, found), "json")
        return
    # Labels do not contain the words.
    known_tables = [name for name in _TABLES if name != "vocabulary" or vocabulary is not None]
    chosen = arguments.table or (["classes"] if plan.reading.label_scheme else known_tables)
    tables = [_TABLES[name](analysis, arguments.top, where) for name in dict.fromkeys(chosen)]
    if arguments.format == "csv":
        print_out(format_csv(*tables[0], signature), "csv")
    else:
        # A table without rows would be a header alone.
        shown = "\n\n".join(_as_cells(*table, arguments.format) for table in tables if table[1])
        print_out(with_signature(shown, signature, arguments.format))


def _read_sides(arguments: argparse.Namespace) -> list[Files]:
    columns = arguments.prediction_column or []
    if arguments.prediction is None and len(columns) > 1:
        raise ValueError(
            f"received {len(columns)} --prediction-column: expected one, because errors analyses one prediction at a time."
        )
    return read_sides(arguments, [] if arguments.prediction is None else [arguments.prediction])


def _check_arguments(arguments: argparse.Namespace, sides: Sequence[Files]) -> None:
    check_standard_input([*(path for side in sides for path in side.paths), arguments.vocabulary])
    if arguments.label_scheme and arguments.vocabulary:
        raise ValueError("--vocabulary needs the words, which labels do not contain.")
    if arguments.label_scheme and not {*(arguments.table or [])} <= {"classes"}:
        raise ValueError("labels do not contain the words: --table classes is the only table.")
    for option in ("top", "examples", "context"):
        if getattr(arguments, option) < 0:
            raise ValueError(f"--{option}: expected a number from 0, received {getattr(arguments, option)}.")
    tables = arguments.table or []
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


def _class_table(analysis: ErrorAnalysis, *_: object) -> Table:
    import numpy as np

    from ..analysis.error_tables import CLASSES
    from ..kernel.formulas import divide

    words = analysis.words.tolist()
    shares = np.atleast_1d(divide(analysis.words, int(analysis.words.sum()), analysis.zero_division)).tolist()
    rows: list[list[str | int | float]] = [
        [name, count, share, chunks]
        for name, count, share, chunks in zip(CLASSES, words, shares, analysis.chunks.tolist(), strict=True)
    ]
    return ["class", "words", "share", "chunks"], rows


def _error_table(analysis: ErrorAnalysis, top: int, where: Callable[[int], str]) -> Table:
    rows: list[list[str | int | float]] = [
        [
            _join(error.reference, analysis),
            _join(error.prediction, analysis),
            error.kind,
            error.count,
            "; ".join(_show(example, error, analysis, where) for example in error.examples),
        ]
        for error in analysis.errors(top)
    ]
    return ["reference", "prediction", "error", "count", "example"], rows


def _show(example: Example, error: ErrorPattern, analysis: ErrorAnalysis, where: Callable[[int], str]) -> str:
    """An example as `line 7: before [error] after`."""
    words = (*example.before, f"[{_join(error.reference, analysis)}]", *example.after)
    return f"{where(example.utterance)}: {_join(words, analysis)}"


def _join(words: Sequence[str], analysis: ErrorAnalysis) -> str:
    """Words in a row. A bar separates words of units text, because they contain spaces."""
    return (" | " if analysis.unit == "token" else " ").join(words)


def _count_table(name: str, rows: Sequence[ClassCounts]) -> Table:
    return (
        [name, "words", "correct", "over", "under", "mis", "recall"],
        [[row.name, row.words, row.correct, row.over, row.under, row.mis, row.recall] for row in rows],
    )


#: Every table by name, as a function of the analysis, the number of rows, and a function that locates an utterance.
_TABLES: dict[str, Callable[[ErrorAnalysis, int, Callable[[int], str]], Table]] = {
    "classes": _class_table,
    "errors": _error_table,
    "words": lambda analysis, top, _: _count_table(
        "word", [row for row in analysis.word_types(top) if row.correct < row.words]
    ),
    "length": lambda analysis, *_: _count_table("length", analysis.by_length()),
    "frequency": lambda analysis, *_: _count_table("frequency", analysis.by_frequency()),
    "vocabulary": lambda analysis, *_: _count_table("vocabulary", analysis.by_vocabulary()),
}


def _as_cells(names: Sequence[str], rows: Sequence[Sequence[str | int | float]], form: str) -> str:
    assert form in TABLE_STYLES
    cells = [list(map(_as_cell, row)) for row in rows]
    if "recall" in names:
        words, recall = names.index("words"), names.index("recall")
        for row, shown in zip(rows, cells, strict=True):
            shown[recall] = shown[recall] if row[words] else UNDEFINED
    return format_cells(names, cells, form)


def _as_cell(value: str | float) -> str:
    if isinstance(value, float):
        return f"{value:.4f}"
    # Words may contain any characters, including those that move a terminal's cursor or break a row.
    return printable(str(value))
