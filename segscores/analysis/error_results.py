"""The rows of an error analysis, and their tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ..options.table import OPTIONS
from ..results.result import Cell, Table
from .error_tables import PREDICTION_MARK, REFERENCE_MARK, SIDE_MARK, Tables, split_marked

#: The tables, in the order in which they are shown.
TABLES = ("classes", "errors", "words", "length", "frequency", "vocabulary")


def available_tables(unit: str | None, *, has_vocabulary: bool) -> tuple[str, ...]:
    """Return the names of the tables to show for a kind of units, as in `Segmentation.unit`; None where there is no utterance."""
    if unit == "label":
        # Labels do not contain the words.
        return ("classes",)
    lacking = set()
    if not has_vocabulary:
        lacking.add("vocabulary")
    if unit == "time":
        # The length of a recording's label says nothing.
        lacking.add("length")
    return tuple(name for name in TABLES if name not in lacking)


def check_top(top: int | None) -> None:
    """Raise an error for a bad number of rows; None stands for all."""
    OPTIONS["top"].check(0 if top is None else top)


def check_kind(kind: str | None, kinds: Sequence[str]) -> None:
    """Raise an error for a class of errors that is not among `kinds`; None stands for all classes."""
    if kind is not None and kind not in kinds:
        raise ValueError(f"kind: expected one of {', '.join(kinds)}, received {kind!r}.")


@dataclass(frozen=True)
class ClassCounts:
    """The counts of the classes among the reference words of one row.

    Attributes:
        name: the name of the row: a word, a length, a band of frequencies.
        words: the number of words.
        correct, over, under, mis: the number of words of each class.
        recall: correct / words.
    """

    name: str
    words: int
    correct: int
    over: int
    under: int
    mis: int
    recall: float


@dataclass(frozen=True)
class ErrorExample:
    """A place where an error occurs.

    Attributes:
        utterance: the index of the utterance.
        word: the index of the error's first reference word in the utterance.
        before, after: the reference words around the error, within the utterance.
    """

    utterance: int
    word: int
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True)
class ErrorPattern:
    """An error, with its count and examples.

    Attributes:
        kind: the class, `"over"`, `"under"` or `"mis"`.
        reference, prediction: the words of the chunk on each side.
        count: the number of chunks with this error.
        examples: the first places of the error.
    """

    kind: str
    reference: tuple[str, ...]
    prediction: tuple[str, ...]
    count: int
    examples: tuple[ErrorExample, ...]


def error_pattern(tables: Tables, row: int, kind: str, count: int, unit: str | None) -> ErrorPattern:
    """Return the error in a row of the table of errors; `kind` is its class, and `unit` that of the text."""
    # `the | dog` → `thedog` has the key `the`, REFERENCE_MARK, `dog`, and no mark of the prediction.
    key: bytes = tables.errors.keys[row].as_py()
    # Words of recordings are labels, and each side has its own, with the mark of sides between them.
    reference, side_mark, prediction = key.partition(SIDE_MARK)
    if not side_mark:
        # The key of text is the same for both sides, with the marks of both.
        prediction = reference
    # Remove the marks of the other side. Those of the own side stand between its words; `split_marked` takes one after the last
    # word too.
    reference = reference.replace(PREDICTION_MARK, b"") + REFERENCE_MARK
    prediction = prediction.replace(REFERENCE_MARK, b"") + PREDICTION_MARK
    places = tables.places
    # Places are in the order of the rows of their errors.
    first_place, stop = np.searchsorted(places.errors, [row, row + 1]).tolist()
    examples = []
    for place in range(first_place, stop):
        example = ErrorExample(
            utterance=int(places.utterances[place]),
            word=int(places.words[place]),
            before=split_marked(places.before[place].as_py(), REFERENCE_MARK, unit),
            after=split_marked(places.after[place].as_py(), REFERENCE_MARK, unit),
        )
        examples.append(example)
    return ErrorPattern(
        kind=kind,
        reference=split_marked(reference, REFERENCE_MARK, unit),
        prediction=split_marked(prediction, PREDICTION_MARK, unit),
        count=count,
        examples=tuple(examples),
    )


def error_table(errors: Sequence[ErrorPattern], joint: str, where: Callable[[int], str]) -> Table:
    """Return the errors, with examples such as `line 7: before [error] after`.

    `joint` stands between two words, and `where` maps the index of an utterance to its place.
    """
    rows = []
    for error in errors:
        reference = joint.join(error.reference)
        prediction = joint.join(error.prediction)
        examples = []
        for example in error.examples:
            words = joint.join([*example.before, f"[{reference}]", *example.after])
            examples.append(f"{where(example.utterance)}: {words}")
        rows.append([reference, prediction, error.kind, error.count, "; ".join(examples)])
    return Table(["reference", "prediction", "error", "count", "example"], rows)


def count_table(name: str, rows: Sequence[ClassCounts]) -> Table:
    """Return the counts of the classes by kinds of words; `name` is the heading of the kinds."""
    cells = []
    for row in rows:
        recall = Cell(row.recall, is_defined=row.words > 0, is_share=True)
        cells.append([row.name, row.words, row.correct, row.over, row.under, row.mis, recall])
    return Table([name, "words", "correct", "over", "under", "mis", "recall"], cells)


def as_dicts(rows: Sequence[ClassCounts] | Sequence[ErrorPattern]) -> list[dict[str, Any]]:
    """Return the rows as dicts of plain values."""

    def plain(value: Any) -> Any:
        """Return a value with lists in place of tuples."""
        if isinstance(value, (list, tuple)):
            return [plain(item) for item in value]
        if isinstance(value, dict):
            return {key: plain(item) for key, item in value.items()}
        return value

    return [plain(asdict(row)) for row in rows]
