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
from dataclasses import replace
from functools import cached_property
from pathlib import PurePath
from typing import Any

from ...analysis.bitext.bitexts import BisegmentError
from ...kernel.record import record
from ...options.errors import FileError, UtteranceError
from ...options.kinds import ListOf
from ...options.messages import message_of
from ...options.option import Option, check_needs
from ...options.table import SELECTIONS, with_implied
from ...options.tasks import Task
from ...reading.json_values import json_object
from ...reading.reading import READING_OPTION_NAMES
from ...reading.sources.delimited import as_table, delimited_of, first_lines, text_column
from ...reading.sources.form_options import forms_as_options, recognise_by_options
from ...reading.sources.likely_tables import doubtful_columns
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
#: The boxes that a usage of the command shows: of ten systems, two are enough.
_BOXES_IN_USAGE = 3
#: Characters that are drawn as several, or that divide words for Python alone.
_NOT_DRAWN_ALONE = re.compile("[\x1c-\x1f\x80-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u25cc\ufeff]")
#: The order of score groups in commands; the page has another.
_ORDER = [*GROUPS, *SELECTIONS]


class BoxError(ValueError):
    """An error in a box or a control, by its name."""

    def __init__(self, box: str, message: str, columns: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.box = box
        #: The columns of the table in the box, if one of them is to be chosen.
        self.columns = columns


class EmptyBoxError(ValueError):
    """Results need a text in a box that is empty."""


@record
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
        """Return whether the box must be filled, or is one of the boxes of systems, of which some must be."""
        return self.is_required or self.is_named

    def error(self, message: str, columns: Sequence[str] = ()) -> BoxError:
        """Return an error in the box; `columns` are offered to be read."""
        return BoxError(self.shown_at or self.name, message, columns)


TEXT = "One utterance a line, spaces between words; or CoNLL-U, JSON lines."
REFERENCE = Box("reference", "Reference", TEXT, argument="references", column="reference")
PREDICTION = replace(REFERENCE, name="prediction", label="Prediction", argument="predictions", column="prediction",
                     placeholder="The same text, segmented differently.")  # fmt: skip


@record
class Inputs:
    """The texts and options of a visitor."""

    boxes: Mapping[str, Box]  #: the boxes that have a text, the reference first
    held: Mapping[str, Held]  #: the files of the boxes, by the names that the exported command gives them
    files: Mapping[str, Files]  #: the files of utterances, as the functions of the package take them
    parsed: Mapping[str, Any]  #: the contents of the boxes without utterances, such as a word list, as values of Python
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
        formats = self.formats
        if len(formats) != 1:
            # Each text is read in a format of its own, or no box has utterances.
            return "words"
        (only_format,) = formats
        return only_format

    @cached_property
    def options(self) -> dict[str, Any]:
        """The options of the functions of the package, with the forms that were recognised."""
        options = {name: value for name, value in self.explicit.items() if name != "text_format"}
        return {**options, **forms_as_options([*self.files.values()])}

    def options_of(self, function: Callable[..., Any], **more: Any) -> dict[str, Any]:
        """Return the options that a function has, of those of the visitor and of `more`."""
        known = options_of(function)
        return {name: value for name, value in {**self.options, **more}.items() if name in known}

    @property
    def are_lines(self) -> bool:
        """Return whether each text has an utterance a line, with a space at each boundary."""
        return all(map(_is_words_text, self.files.values()))

    @property
    def can_edit(self) -> bool:
        """Return whether the drawing has the units of the prediction as its box has them, so that a click can change the box."""
        *_, box_of_prediction = self.boxes
        # A click changes a space of a line. A file in base64 has no text in its box.
        is_packed = bool(self.values.get(f"{box_of_prediction}.bytes"))
        if not self.are_lines or is_packed:
            return False
        # Options of reading, such as normalize, change the units that are drawn, and so does aligning.
        changes_units = not self.explicit.keys().isdisjoint({*READING_OPTION_NAMES} - {"text_format"})
        if changes_units or self.explicit.get("on_mismatch") == "align":
            return False
        # With a control character, a mark of direction or the like, units and what is drawn do not pair one by one.
        return _NOT_DRAWN_ALONE.search(self.values.get(box_of_prediction, "")) is None

    @property
    def notes(self) -> dict[str, str]:
        """A note on the reading of each box, by its name."""
        notes = {}
        for name, file in self.files.items():
            (path,) = file.paths
            kind = ""
            if is_json(path):
                kind = "JSON lines"
            elif delimited_of(path) is not None:
                kind = "table"
            notes[name] = f"{kind}, {file.column}: {file.form}" if kind else str(file.form)
        for name, content in self.parsed.items():
            notes[name] = f"{len(content):,} {self.boxes[name].nouns}"
        return notes

    @property
    def columns(self) -> dict[str, Sequence[str]]:
        """The columns of each table, by the name of its box; also of text whose lines look like rows of a table."""
        columns: dict[str, Sequence[str]] = {}
        for name, file in self.files.items():
            held = self.held.get(name)
            (path,) = file.paths
            if held is None or path is not held:
                continue  # a column of the table in the box of the reference
            table = delimited_of(held)
            if table is None and not is_json(held):
                head = first_lines(held, file.encoding)
                if head is not None:
                    table = doubtful_columns(head.text, is_whole=head.is_whole)
            if table is None:
                # JSON lines; any other text has no columns.
                columns[name] = columns_of(held.contents)
            else:
                columns[name] = table.names(asked=[file.column])
        return columns

    def placed(self, error: Exception) -> Exception:
        """Return an error at its box, if it is of a line in a box without utterances; any other error as it is.

        An error of a sentence of several lines, as in CoNLL-U, is of no line that the page could show.
        """
        if isinstance(error, FileError) and any(file.sentence_format("") for file in self.files.values()):
            number = error.number
            error = FileError(error.plain, counting=error.counting)
            error.number = number
        cause = error.of_utterance if isinstance(error, FileError) else error
        # The boxes without utterances, such as boundary scores.
        for name in self.parsed:
            box = self.boxes[name]
            if isinstance(cause, (UtteranceError, BisegmentError)) and cause.side == box.argument:
                return box.error(str(cause.in_file(self.names[box.name])))
        return error

    @property
    def words(self) -> int:
        """The number of words of the longest text, as its spaces tell."""
        space_counts = [len(re.findall(rb"\s+", file.contents.strip())) for file in self.held.values()]
        return 1 + max(space_counts)


def read_boxes(boxes: Sequence[Box], options: Sequence[str], task: Task, values: Mapping[str, str]) -> Inputs:
    """Read the inputs of a tab; raise an EmptyBoxError if a box that it needs is empty."""
    explicit = _explicit_options(options, task, values)
    held: dict[str, Held] = {}
    for box in boxes:
        file = _held_of(box, usage(task, boxes), values, taken=[file.name for file in held.values()])
        if file is not None:
            held[box.name] = file
    filled = {box.name: box for box in boxes if box.name in held}
    # The boxes of a committee have one label.
    required = [box for box in boxes if box.is_required]
    empty = dict.fromkeys(box.label for box in required if box.name not in filled)
    if empty:
        raise EmptyBoxError(f"Waiting for {' and '.join(empty).lower()}.")
    parsed = {name: _parsed(box, held[name]) for name, box in filled.items() if box.read is not None}
    of_utterances = [box for box in filled.values() if box.read is None]
    files: dict[str, Files] = {}
    short_names_of_files = short_names([held[box.name] for box in of_utterances])
    for box, short_name in zip(of_utterances, short_names_of_files, strict=True):
        # A file that is a table is held as one from here on.
        file = _as_table(box, held[box.name], values, explicit)
        held[box.name] = file
        name = _system_of(box, file, values) if box.is_named else short_name
        column = _column_of(box, file, values, beside=_column_in_use(file, files, held))
        files[box.name] = Files(name, paths=(file,), column=column, argument=file.name)
    if files:
        # The same files, each with the form in which it is read.
        files = dict(zip(files, recognise_by_options([*files.values()], explicit), strict=True))
    explicit = with_implied(explicit, task.options)
    return Inputs(filled, held, files, parsed, explicit, values)


def _parsed(box: Box, file: Held) -> Any:
    """Return the contents of a box whose file has no utterances, such as bisegments."""
    assert box.read is not None, "a box of utterances"
    try:
        return box.read(file)
    except FileError as error:
        raise box.error(str(error)) from None


def _column_in_use(file: Held, files: Mapping[str, Files], held: Mapping[str, Held]) -> str:
    """Return the column that a box reads of the same table; empty if no box has the table.

    If one table is opened in several boxes, each box has another column. `files` and `held` have the boxes before this one.
    """
    for name, files_of_box in files.items():
        if held[name].contents == file.contents:
            return files_of_box.column
    return ""


def _explicit_options(names: Sequence[str], task: Task, values: Mapping[str, str]) -> dict[str, Any]:
    """Return the values of these options that fields have, without those that are the default, checked."""
    explicit = {}
    for name in names:
        if not values.get(name, "").strip():
            continue
        value = _parse(task.options[name], values[name])
        if value != task.options[name].default:
            explicit[name] = value
    defaults = {name: option.default for name, option in task.options.items()}
    check_needs(explicit, task.options, values={**defaults, **explicit})
    return explicit


def _is_words_text(file: Files) -> bool:
    """Return whether a file is words text, and no table with a column of it."""
    (path,) = file.paths
    return file.form is not None and file.form.text_format == "words" and not is_table(path)


def is_filled(box: Box, values: Mapping[str, str]) -> bool:
    """Return whether a box has a text or a file."""
    return bool(values.get(box.name, "").strip() or values.get(f"{box.name}.bytes"))


def _system_of(box: Box, file: Held, values: Mapping[str, str]) -> str:
    """Return the name of a system: the visitor's name, the name of the file, or the letter of the box."""
    chosen = values.get(f"{box.name}.name", "").strip()
    if chosen:
        return chosen
    has_file = values.get(f"{box.name}.file")
    # The letter is the last one of "Prediction B".
    return file.name if has_file else box.label[-1]


def usage(task: Task, boxes: Sequence[Box]) -> str:
    """Return the command that reads the files of the boxes, such as `segscores compare REFERENCE PREDICTION PREDICTION_B`."""
    words = ["segscores", task.name]
    for box in boxes[:_BOXES_IN_USAGE]:
        # An optional box, such as the sources of an alignment, is left out.
        if box.is_expected:
            if box.option:
                words.append(f"--{box.option}")
            words.append(box.name.upper())
    return " ".join(words)


def _parse(option: Option, text: str) -> Any:
    """Parse a value; the values of a repeatable flag stand in one field with spaces between them."""
    try:
        is_repeated = isinstance(option.kind, ListOf) and option.kind.is_repeatable and not option.kind.separator
        if is_repeated:
            value = option.check(tuple(text.split()))
        else:
            value = option.parse(text)
        # Groups come in the order of listings, not of the clicks.
        if option.name == "scores" and {*value} <= {*_ORDER}:
            value = tuple(sorted(value, key=_ORDER.index))
        return value
    except ValueError as error:
        raise BoxError(option.name, message_of(error)) from None


def _held_of(box: Box, usage: str, values: Mapping[str, str], taken: Sequence[str]) -> Held | None:
    """Return the file in a box, under the name that the exported command gives it; None if the box is empty.

    `usage` is the command that reads all boxes, with their names in capitals: `segscores score REFERENCE PREDICTION`. `taken` are
    the names of the files in other boxes.
    """
    opened_name = _file_name(values.get(f"{box.name}.file", ""))
    words = usage.split(" ")
    if opened_name and box.name.upper() in words:
        # For gold.parquet in the box of the reference: segscores score gold.parquet PREDICTION.
        words[words.index(box.name.upper())] = shlex.quote(opened_name)
    command = " ".join(words)
    if opened_name.lower().endswith((*PARQUET, *ARROW)):
        problem = "is a table of Parquet or Arrow; this page reads text, CoNLL-U and JSON lines. The command reads it"
        raise box.error(f"{opened_name} {problem}: {command}")
    content = _content_of(box, opened_name, values)
    if len(content) > MAX_BYTES:
        problem = f"more than the {MAX_BYTES:,} bytes that this page takes. The command reads it: {command}"
        raise box.error(f"{box.label}: {problem}")
    if not content.removeprefix(BYTE_ORDER_MARK).strip():
        return None
    name = _name_in_commands(box, opened_name, content, values)
    if name in taken:
        # The ending says how the file is read.
        name = _free_name(box.name, PurePath(name).suffix or ".txt", taken)
    return Held(name, content)


def _free_name(stem: str, ending: str, taken: Sequence[str]) -> str:
    """Return a name that is not taken: `prediction.txt`, or else `prediction_2.txt` and so on."""
    name = f"{stem}{ending}"
    number = 2
    while name in taken:
        name = f"{stem}_{number}{ending}"
        number += 1
    return name


def _content_of(box: Box, opened_name: str, values: Mapping[str, str]) -> bytes:
    """Return the text in a box, or the file that was opened there, unpacked, up to a byte more than the page takes."""
    encoded = values.get(f"{box.name}.bytes", "")
    try:
        if not encoded:
            return values.get(box.name, "").encode()
        packed = base64.b64decode(encoded, validate=True)
    except ValueError:
        raise box.error(f"{box.label}: it has half a surrogate pair or is damaged, which no text is.") from None
    # The name says how the file is packed.
    with open_file(Held(opened_name or box.name, packed)) as file:
        return file.read(MAX_BYTES + 1)


def _name_in_commands(box: Box, opened_name: str, content: bytes, values: Mapping[str, str]) -> str:
    """Return the name for the file of a box: its own, or one of the system or the box, whose ending says what the text is.

    Pasted JSON lines of the system CRF are `CRF.jsonl`, a pasted text without a name is `prediction.txt`.
    """
    may_have_columns = not opened_name or is_json(opened_name)
    has_columns = may_have_columns and bool(columns_of(content))
    ending = "jsonl" if has_columns else "txt"
    keeps_name = bool(opened_name) and has_columns == is_json(opened_name)
    if not keeps_name:
        # Pasted text has no name of a file, and a file called .json that has no columns is read as text.
        system = _file_name(values.get(f"{box.name}.name", ""))
        return f"{system or box.name}.{ending}"
    name = opened_name
    is_packed = bool(values.get(f"{box.name}.bytes"))
    if is_packed and unpacked_name(name) != name.lower():
        # The archive holds unpacked contents.
        name = unpacked_name(name)
    if name == f".{ending}":
        # The name is an ending alone.
        return f"{box.name}.{ending}"
    return name


def _as_table(box: Box, held: Held, values: Mapping[str, str], explicit: Mapping[str, Any]) -> Held:
    """Return a file, as a table if it is one of delimited text, or if the visitor names a column of it."""
    # One format is for both sides; of two, the second is for the predictions. None or "" is a format that is to be recognised.
    formats = explicit.get("text_format") or ("",)
    if box.column == "reference":
        text_format, *_ = formats
    else:
        *_, text_format = formats
    # JSON lines are a table already, and have columns of their own.
    is_asked = bool(values.get(f"{box.name}.column")) and not is_json(held)
    try:
        file = as_table(held, text_format or "", is_asked=is_asked)
    except FileError as error:
        raise box.error(str(error)) from None
    assert isinstance(file, Held), "a file in memory stays one"
    return file


def _file_name(text: str) -> str:
    """Return a name without folders, and so short that a file can have it; its ending stays.

    A name must not begin like a flag of the command.
    """
    _, _, name = text.replace("\\", "/").rpartition("/")
    return name[-120:].strip().strip("-")


def columns_of(text: bytes) -> tuple[str, ...]:
    """Return the columns of JSON lines that hold texts or lists, judged by the first line; none for any other text."""
    first_line, _, _ = text.removeprefix(BYTE_ORDER_MARK).lstrip().partition(b"\n")
    first_row = json_object(first_line) or {}  # None for a line that is no object
    return tuple(name for name, value in first_row.items() if isinstance(value, (str, list)))


def _column_of(box: Box, held: Held, values: Mapping[str, str], *, beside: str) -> str:
    """Return the column of a table to read, which the visitor chose or which is plain by its name; empty for other files.

    `beside` is the column of the same table that another box reads; empty if there is none.
    """
    table = delimited_of(held)
    if table is not None:
        # The usual column of a box has the name of its side.
        side = box.column
        column = values.get(f"{box.name}.column") or text_column(table, side, beside)
        # If its first row names the column, the row is a header.
        if not column or table.column(column, asked=[column]) is None:
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
        (only_column,) = columns
        return only_column
    if chosen not in columns:
        raise box.error(
            f"{box.label}: JSON lines with the columns {', '.join(columns)}: choose the one to read.", columns
        )
    return chosen
