"""Boxes: from the values of a tab's fields to files in memory and options, as the command reads and checks them.

Conventions
-----------
- Values are strings by the names of fields. A box NAME has its text, and may have NAME.file, the name of the file that was
  opened, NAME.bytes, a file in base64 that is no plain UTF-8, and NAME.column, the column of JSON lines, CSV or TSV to read.
- A box is a file in memory under the name that the exported command gives it, so messages and results equal the command's.
- Parquet and Arrow are not read: their readers do not withstand forged files.
"""

from __future__ import annotations

import base64
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePath
from typing import Any

from ...analysis.bitext.bitexts import BisegmentError
from ...options.errors import FileError, UtteranceError
from ...options.kinds import ListOf
from ...options.messages import message_of
from ...options.option import Option, check_needs
from ...options.table import SELECTIONS, with_implied
from ...options.tasks import Task
from ...reading.json_values import json_object
from ...reading.reading import READING_OPTION_NAMES
from ...reading.sources.delimited import as_table, delimited_of, doubtful_columns, first_lines, text_column
from ...reading.sources.form_options import forms_as_options, recognise_by_options
from ...reading.sources.names import ARROW, PARQUET, Files, Held, is_json, is_table, short_names, unpacked_name
from ...reading.sources.opening import BYTE_ORDER_MARK, open_file
from ...scoring.functions import options_of
from ...scoring.measures.registry import GROUPS

#: The limit of a box, in bytes.
MAX_BYTES = 10_000_000
#: The limit of baselines, in words: each of them is scored for a hundred random segmentations.
MAX_WORDS = 300_000
#: The limit of aligning, in pairs of units.
MAX_ALIGNED = 100_000_000
#: The order of score groups in commands; the page has another.
_ORDER = [*GROUPS, *SELECTIONS]


class BoxError(ValueError):
    """An error in a box or a control, by its name."""

    def __init__(self, box: str, message: str, columns: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.box = box
        self.columns = columns  #: of the table, if one of them is to be chosen


class EmptyBoxError(ValueError):
    """Results need a text in a box that is empty."""


@dataclass(frozen=True)
class Box:
    """A field for a text."""

    name: str
    label: str
    placeholder: str = ""
    argument: str = ""  #: the argument that has the text, in functions of the package
    option: str = ""  #: the option of the command that has its file; empty if the file is named without an option
    column: str = ""  #: the column of JSON lines that is read unless another is chosen
    nouns: str = ""  #: the name of its contents, if they are no utterances
    read: Callable[[Held], Any] | None = None  #: the function that reads its file, if it has no utterances
    is_required: bool = True
    is_named: bool = False  #: whether a field NAME.name beside it has the name of its system
    shown_at: str = ""  #: the field of the page, if the field has the texts of several boxes

    @property
    def is_expected(self) -> bool:
        """Return whether the command has a file of the box."""
        return self.is_required or self.is_named

    def error(self, message: str, columns: Sequence[str] = ()) -> BoxError:
        """An error in the box; `columns` are offered to be read."""
        return BoxError(self.shown_at or self.name, message, columns)


TEXT = "One utterance a line, spaces between words; or CoNLL-U, JSON lines."
REFERENCE = Box("reference", "Reference", TEXT, "references", column="reference")
PREDICTION = replace(REFERENCE, name="prediction", label="Prediction", argument="predictions", column="prediction",
                     placeholder="The same text, segmented differently.")  # fmt: skip


@dataclass(frozen=True)
class Inputs:
    """The texts and options of a visitor."""

    boxes: Mapping[str, Box]  #: the boxes that have a text, the reference first
    held: Mapping[str, Held]  #: the files of the boxes, by the names that the exported command gives them
    files: Mapping[str, Files]  #: the files of utterances, as the functions of the package take them
    parsed: Mapping[str, Any]  #: the contents of the other files
    explicit: Mapping[str, Any]  #: the options that differ from their defaults, as the command has them
    values: Mapping[str, str]  #: the values of all fields, for the fields that one tab alone has

    @property
    def names(self) -> dict[str, str]:
        """The names of the files of the boxes, in results and commands."""
        return {box: held.name for box, held in self.held.items()}

    @property
    def formats(self) -> list[str]:
        """The formats of the texts, each once."""
        return [*dict.fromkeys(file.format_in("") for file in self.files.values())]

    @property
    def text_format(self) -> str:
        """The format of all texts; several are read as words."""
        return self.formats[0] if len(self.formats) == 1 else "words"

    @cached_property
    def options(self) -> dict[str, Any]:
        """The options of the functions of the package, with the forms that were recognised."""
        options = {name: value for name, value in self.explicit.items() if name != "text_format"}
        return {**options, **forms_as_options([*self.files.values()])}

    def options_of(self, function: Callable[..., Any], **more: Any) -> dict[str, Any]:
        """The options that a function has."""
        known = options_of(function)
        return {name: value for name, value in {**self.options, **more}.items() if name in known}

    @property
    def are_lines(self) -> bool:
        """Return whether each text has an utterance a line, with a space at each boundary."""
        return all(
            file.form and file.form.text_format == "words" and not is_table(file.paths[0])
            for file in self.files.values()
        )

    @property
    def can_edit(self) -> bool:
        """Return whether the drawing has the units of the prediction as its box has them. A packed file has no text there."""
        reads = ({*READING_OPTION_NAMES} - {"text_format"}) & {*self.explicit}
        is_changed = reads or self.explicit.get("on_mismatch") == "align"
        # Characters that are drawn as several, or that divide words for Python alone.
        signs = "[\x1c-\x1f\x80-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u25cc\ufeff]"
        last = [*self.boxes][-1]
        has_signs = re.search(signs, self.values.get(last, ""))
        return self.are_lines and not (is_changed or has_signs or self.values.get(f"{last}.bytes"))

    @property
    def notes(self) -> dict[str, str]:
        """A note on the reading of each box, by its name."""
        notes = {}
        for name, file in self.files.items():
            notes[name] = str(file.form)
            if delimited_of(file.paths[0]) is not None:
                notes[name] = f"table, {file.column}: {file.form}"
            if is_json(file.paths[0]):
                notes[name] = f"JSON lines, {file.column}: {file.form}"
        for name, content in self.parsed.items():
            notes[name] = f"{len(content):,} {self.boxes[name].nouns}"
        return notes

    @property
    def columns(self) -> dict[str, Sequence[str]]:
        """The columns of each table, by the name of its box; also of text whose lines look like rows of a table."""
        columns: dict[str, Sequence[str]] = {}
        for name, file in self.files.items():
            held = self.held.get(name)
            if held is None or file.paths[0] is not held:
                continue
            table = delimited_of(held)
            if table is None and not is_json(held):
                head = first_lines(held, file.encoding)
                if head is not None:
                    table = doubtful_columns(head.text, is_whole=head.is_whole)
            columns[name] = columns_of(held.contents) if table is None else table.names([file.column])
        return columns

    def placed(self, error: Exception) -> Exception:
        """Return an error of a line of a box without utterances at the box, and any other error as it is."""
        cause = error.of_utterance if isinstance(error, FileError) else error
        for box in (self.boxes[name] for name in self.parsed):
            if isinstance(cause, (UtteranceError, BisegmentError)) and cause.side == box.argument:
                return box.error(str(cause.in_file(self.names[box.name])))
        return error

    @property
    def words(self) -> int:
        """The number of words of the longest text, as its spaces tell."""
        return max(1 + len(re.findall(rb"\s+", file.contents.strip())) for file in self.held.values())


def read_boxes(boxes: Sequence[Box], options: Sequence[str], task: Task, values: Mapping[str, str]) -> Inputs:
    """Read the inputs of a tab; raise an EmptyBoxError if a box that it needs is empty."""
    chosen = {name: _parse(task.options[name], values[name]) for name in options if values.get(name, "").strip()}
    explicit = {name: value for name, value in chosen.items() if value != task.options[name].default}
    check_needs(explicit, {name: option.default for name, option in task.options.items()} | explicit, task.options)
    filled: dict[str, Box] = {}
    held: dict[str, Held] = {}
    for box in boxes:
        file = _held_of(box, usage(task, boxes), values, [file.name for file in held.values()])
        if file is not None:
            filled[box.name] = box
            held[box.name] = file
    required = [box for box in boxes if box.is_required]
    empty = dict.fromkeys(box.label for box in required if box.name not in filled)
    if empty:
        raise EmptyBoxError(f"Waiting for {' and '.join(empty).lower()}.")
    of_utterances = []
    parsed = {}
    for name, box in filled.items():
        if box.read is None:
            of_utterances.append(box)
            continue
        try:
            parsed[name] = box.read(held[name])
        except FileError as error:
            raise box.error(str(error)) from None
    files: dict[str, Files] = {}
    for box, short_name in zip(of_utterances, short_names([held[box.name] for box in of_utterances]), strict=True):
        file = held[box.name] = _as_table(box, held[box.name], values, explicit)
        name = _system_of(box, file, values) if box.is_named else short_name
        # If one table is opened in several boxes, each box has another column.
        same = [read.column for other, read in files.items() if held[other].contents == file.contents]
        column = _column_of(box, file, values, beside=same[0] if same else "")
        files[box.name] = Files(name, (file,), column, file.name)
    if files:
        files = dict(zip(files, recognise_by_options([*files.values()], explicit), strict=True))
    explicit = with_implied(explicit, task.options)
    return Inputs(filled, held, files, parsed, explicit, values)


def is_filled(box: Box, values: Mapping[str, str]) -> bool:
    """Return whether a box has a text or a file."""
    return bool(values.get(box.name, "").strip() or values.get(f"{box.name}.bytes"))


def _system_of(box: Box, file: Held, values: Mapping[str, str]) -> str:
    """Return the name of a system: the visitor's name, the name of the file, or the letter of the box."""
    chosen = values.get(f"{box.name}.name", "").strip()
    if chosen:
        return chosen
    has_file = values.get(f"{box.name}.file")
    return file.name if has_file else box.label[-1]


def usage(task: Task, boxes: Sequence[Box]) -> str:
    """The command that reads the files of the boxes."""
    words = ["segscores", task.name]
    for box in boxes[:3]:
        if box.is_expected:
            if box.option:
                words.append(f"--{box.option}")
            words.append(box.name.upper())
    return " ".join(words)


def _parse(option: Option, text: str) -> Any:
    """Parse a value; the values of a repeatable flag stand in one field with spaces between them."""
    try:
        is_repeated = isinstance(option.kind, ListOf) and option.kind.is_repeatable and not option.kind.separator
        value = option.check(tuple(text.split())) if is_repeated else option.parse(text)
        # Groups come in the order of listings, not of the clicks.
        if option.name == "scores" and {*value} <= {*_ORDER}:
            value = tuple(sorted(value, key=_ORDER.index))
        return value
    except ValueError as error:
        raise BoxError(option.name, message_of(error)) from None


def _held_of(box: Box, usage: str, values: Mapping[str, str], taken: Sequence[str]) -> Held | None:
    """Return the file in a box; None if the box is empty."""
    name = _file_name(values.get(f"{box.name}.file", ""))
    system = _file_name(values.get(f"{box.name}.name", ""))
    command = usage
    if name:
        command = usage.replace(box.name.upper(), shlex.quote(name))
    if name.lower().endswith((*PARQUET, *ARROW)):
        problem = "is a table of Parquet or Arrow; this page reads text, CoNLL-U and JSON lines. The command reads it"
        raise box.error(f"{name} {problem}: {command}")
    encoded = values.get(f"{box.name}.bytes", "")
    try:
        if encoded:
            content = base64.b64decode(encoded, validate=True)
        else:
            content = values.get(box.name, "").encode()
    except ValueError:
        raise box.error(f"{box.label}: it has half a surrogate pair or is damaged, which no text is.") from None
    if encoded:
        with open_file(Held(name or box.name, content)) as file:
            content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        problem = f"more than the {MAX_BYTES:,} bytes that this page takes. The command reads it: {command}"
        raise box.error(f"{box.label}: {problem}")
    if not content.removeprefix(BYTE_ORDER_MARK).strip():
        return None
    has_columns = (not name or is_json(name)) and bool(columns_of(content))
    ending = "jsonl" if has_columns else "txt"
    if not name or has_columns != is_json(name):
        name = f"{system}.{ending}"
    if encoded and unpacked_name(name) != name.lower():
        name = unpacked_name(name)
    if name == f".{ending}":
        name = f"{box.name}.{ending}"
    if name in taken:
        # The ending says how the file is read.
        name = f"{box.name}{PurePath(name).suffix or '.txt'}"
    return Held(name, content)


def _as_table(box: Box, held: Held, values: Mapping[str, str], explicit: Mapping[str, Any]) -> Held:
    """Return a file, as a table if it is one of delimited text, or if the visitor names a column of it."""
    # One format is for both sides; of two, the second is for the predictions.
    format_of_reference, *format_of_predictions = explicit.get("text_format") or ("",)
    text_format = format_of_reference
    if box.column != "reference" and format_of_predictions:
        text_format = format_of_predictions[0]
    # JSON lines are a table already, and have columns of their own.
    is_asked = bool(values.get(f"{box.name}.column")) and not is_json(held)
    try:
        file = as_table(held, text_format or "", is_asked=is_asked)
    except FileError as error:
        raise box.error(str(error)) from None
    assert isinstance(file, Held), "a file in memory stays one"
    return file


def _file_name(text: str) -> str:
    """Return the end of a name without folders, as a file can have it."""
    return text.replace("\\", "/").rpartition("/")[2][-120:].strip().strip("-")


def columns_of(text: bytes) -> tuple[str, ...]:
    """The columns of JSON lines that hold texts or lists, judged by the first line; empty for any other text."""
    text = text.removeprefix(BYTE_ORDER_MARK).lstrip()
    first = json_object(text.partition(b"\n")[0]) or {}
    return tuple(name for name, value in first.items() if isinstance(value, (str, list)))


def _column_of(box: Box, held: Held, values: Mapping[str, str], *, beside: str = "") -> str:
    table = delimited_of(held)
    if table is not None:
        column = values.get(f"{box.name}.column") or text_column(table, box.column, beside)
        if not column or table.column(column, [column]) is None:
            problem = f"a table with the columns {table.shown()}: choose the one to read."
            raise box.error(f"{box.label}: {problem}", table.names())
        return column
    columns = columns_of(held.contents) if is_json(held) else ()
    if not columns:
        return ""
    chosen = values.get(f"{box.name}.column")
    if not chosen and box.column in columns:
        return box.column
    if not chosen and len(columns) == 1:
        return columns[0]
    if chosen not in columns:
        raise box.error(
            f"{box.label}: JSON lines with the columns {', '.join(columns)}: choose the one to read.", columns
        )
    return chosen
