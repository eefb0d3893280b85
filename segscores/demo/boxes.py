"""Boxes: from the values of a tab's fields to files in memory and options, as the command reads and checks them.

Conventions
-----------
- Values are strings by the names of fields. A box NAME has its text, and may have NAME.file, the name of the file that was
  opened, NAME.bytes, a file in base64 that is no plain UTF-8, and NAME.column, the column of JSON lines to read.
- A box is a file in memory under the name that the exported command gives it, so messages and results are those of the command.
- Parquet and Arrow are not read: their readers do not withstand forged files.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ..options.kinds import Many
from ..options.requests import Request, command_line
from ..options.table import Option, check_needs
from ..options.tasks import COMMANDS, Task
from ..reading.readers import DEFAULT_WORD_BOUNDARY
from ..sources.names import ARROW, PARQUET, Files, is_json, is_table, unpacked_name
from ..sources.opening import BYTE_ORDER_MARK, Held, open_file
from ..sources.recognition import recognise_sides

#: The limits of a box, and those of resampling: words of all predictions, and utterances times systems times resamples.
MAX_BYTES = 10_000_000
MAX_WORDS, MAX_RESAMPLED = 1_000_000, 150_000_000

_TABLES = {b"PAR1": PARQUET, b"PARE": PARQUET, b"ARROW1": ARROW, b"\xff\xff\xff\xff": ARROW}


class BoxError(ValueError):
    """An error in a box."""

    def __init__(self, box: str, message: str) -> None:
        super().__init__(message)
        self.box = box


@dataclass(frozen=True)
class Box:
    """A field for a text.

    Attributes:
        usual: the columns of JSON lines that are read unless another is chosen.
        is_named: whether a field NAME.name beside it has the name of what is in it.
    """

    name: str
    label: str
    placeholder: str = ""
    usual: tuple[str, ...] = ()
    is_required: bool = True
    is_named: bool = False


@dataclass(frozen=True)
class Inputs:
    """What a visitor gave: files, the reference first, and options.

    Attributes:
        given: the options that differ from their defaults, as the command has them.
        values: all fields, for those of a tab of its own.
    """

    files: Mapping[str, Files]
    given: Mapping[str, Any] = field(default_factory=dict)
    values: Mapping[str, str] = field(default_factory=dict)

    @property
    def options(self) -> dict[str, Any]:
        """The options of a function of the package, with the forms that were recognised."""
        forms = [file.form for file in self.files.values() if file.form is not None]
        of_reference, *others = (form.text_format for form in forms)
        formats = {"text_format": of_reference}
        if set(others) - {of_reference}:
            formats = {"reference_format": of_reference, "prediction_format": others[0]}
        units = next((form for form in forms if form.text_format == "units"), None)
        tokens: dict[str, Any] = {}
        if units and units.word_boundary != DEFAULT_WORD_BOUNDARY:
            tokens["word_boundary"] = units.word_boundary
        if units and units.ignored_tokens:
            tokens["ignored_tokens"] = list(units.ignored_tokens)
        given = {name: value for name, value in self.given.items() if name != "text_format"}
        return {**given, **formats, **tokens}

    @property
    def paths(self) -> dict[str, str]:
        """The names of the files."""
        return {box: str(file.paths[0]) for box, file in self.files.items()}

    @property
    def are_lines(self) -> bool:
        """Whether each box has an utterance a line, with a space at each boundary."""
        return all(
            file.form and file.form.text_format == "words" and not is_table(file.paths[0])
            for file in self.files.values()
        )

    @cached_property
    def contents(self) -> dict[str, bytes]:
        """The contents of the files."""
        return {box: file.paths[0].contents for box, file in self.files.items()}  # type: ignore[attr-defined]

    def note(self, box: str) -> str:
        """How a box was read."""
        file = self.files[box]
        column = f"JSON lines, {file.column}: " if is_json(file.paths[0]) else ""
        return f"{column}{file.form}"

    def columns(self) -> dict[str, Any]:
        """The option of the command for the columns of JSON lines; None stands for the usual name."""
        reference, *predictions = self.files.values()
        first = None if reference.column in ("", "reference") else reference.column
        others = tuple(dict.fromkeys(file.column for file in predictions if file.column))
        others = () if others == ("prediction",) else others
        return {"columns": (first, *others)} if first or others else {}

    def check_resampling(self, systems: int = 1, n_resamples: int = 1000) -> None:
        """Reject intervals that would take too long for the page."""
        words, lines = (
            max(len(re.findall(mark, text)) for text in self.contents.values()) for mark in (rb"\s+", rb"\n")
        )
        if words > MAX_WORDS or (lines + 1) * systems * n_resamples > MAX_RESAMPLED:
            raise ValueError(
                f"{words:,} words in {lines + 1:,} lines are too many for intervals here: use the command."
            )


def read_boxes(boxes: Sequence[Box], options: Sequence[str], task: Task, values: Mapping[str, str]) -> Inputs | None:
    """The inputs of a tab; None while a box that it needs is empty.

    Raises:
        BoxError, ValueError: what the visitor gave cannot be read.
    """
    given = read_options(options, task, values)
    files: dict[str, Files] = {}
    for box in boxes:
        found = _file_of(box, values, [file.paths[0] for file in files.values()])
        if found is not None:
            files[box.name] = found
        elif box.is_required:
            return None
    of_reference, *of_predictions = given.get("text_format", (None,))
    formats = [of_reference, *[[of_reference, *of_predictions][-1]] * len(files)][: len(files)]
    tokens = {"word_boundary": given.get("word_boundary"), "ignored_tokens": given.get("ignored_tokens", ())}
    return Inputs(dict(zip(files, recognise_sides([*files.values()], formats, **tokens), strict=True)), given, values)


def read_options(names: Sequence[str], task: Task, values: Mapping[str, str]) -> dict[str, Any]:
    """The checked values of options that differ from their defaults."""
    parsed = {name: _parsed(task.options[name], values[name]) for name in names if values.get(name, "").strip()}
    given = {name: value for name, value in parsed.items() if value != task.options[name].default}
    check_needs(given, {name: option.default for name, option in task.options.items()} | given, task.options)
    return given


def _parsed(option: Option, text: str) -> Any:
    """A value; those of a repeatable flag stand in one field with spaces between them."""
    is_repeated = isinstance(option.kind, Many) and option.kind.is_repeatable and not option.kind.separator
    return option.check(tuple(text.split())) if is_repeated else option.parse(text)


def _file_of(box: Box, values: Mapping[str, str], taken: Sequence[str]) -> Files | None:
    given = values.get(f"{box.name}.file", "")
    name = given.replace("\\", "/").rpartition("/")[2][-120:].strip().strip("-") if given else ""
    try:
        encoded = values.get(f"{box.name}.bytes", "")
        content = base64.b64decode(encoded, validate=True) if encoded else values.get(box.name, "").encode()
    except ValueError:
        raise BoxError(
            box.name, f"{box.label}: it has half a surrogate pair or is damaged, which no text is."
        ) from None
    _refuse_table(box, name, content)
    if encoded:
        with open_file(Held.of(name or box.name, content)) as file:
            content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise BoxError(
            box.name, f"{box.label}: more than the {MAX_BYTES:,} bytes that this page takes. {_use_command(box, name)}"
        )
    text = content.removeprefix(BYTE_ORDER_MARK)
    if not text.strip():
        return None
    columns = columns_of(text) if not name or is_json(name) else ()
    if not name or name in taken or bool(columns) != is_json(name):
        name = f"{box.name}.jsonl" if columns else f"{box.name}.txt"
    name = unpacked_name(name) if encoded and unpacked_name(name) != name.lower() else name
    held = Held.of(name, content)
    return Files(box.label.lower(), (held,), _column_of(box, columns, values.get(f"{box.name}.column", "")), str(held))


def columns_of(text: bytes) -> tuple[str, ...]:
    """The columns of JSON lines that hold texts or lists, judged by the first line; empty for any other text."""
    try:
        first = json.loads(text.lstrip().partition(b"\n")[0]) if text.lstrip().startswith(b"{") else {}
    except (ValueError, RecursionError):
        return ()
    return tuple(name for name, value in first.items() if isinstance(value, (str, list)))


def _column_of(box: Box, columns: Sequence[str], chosen: str) -> str:
    if not columns:
        return ""
    found = [name for name in ((chosen,) if chosen else box.usual) if name in columns] or (
        list(columns) if not chosen else []
    )
    if not found or (len(found) > 1 and found[0] not in box.usual):
        raise BoxError(
            box.name, f"{box.label}: JSON lines with the columns {', '.join(columns)}: choose the one to read."
        )
    return found[0]


def _refuse_table(box: Box, name: str, content: bytes) -> None:
    endings = next((endings for mark, endings in _TABLES.items() if content.startswith(mark)), ())
    if endings or name.lower().endswith((*PARQUET, *ARROW)):
        name = name if name.lower().endswith((*PARQUET, *ARROW)) else f"{name or box.name}{(endings or PARQUET)[0]}"
        told = "is a table of Parquet or Arrow; this page reads text, CoNLL-U and JSON lines."
        raise BoxError(box.name, f"{name} {told} {_use_command(box, name)}")


def _use_command(box: Box, name: str) -> str:
    is_reference = box.name == "reference"
    inputs = {
        "reference": name if is_reference else "REFERENCE",
        "predictions": ["PREDICTION" if is_reference else name or "PREDICTION"],
    }
    return f"The command reads it: {command_line(Request(COMMANDS['score'], inputs))}"
