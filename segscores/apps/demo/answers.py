"""Answers: from the values of a tab's fields to the HTML that the page shows. Page, exports and tests call this alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...options.errors import FileError
from ...reading.sources.delimited import is_named_delimited
from .boxes import Box, BoxError, EmptyBoxError
from .bundle import bundle_of
from .examples import EXAMPLES
from .remedies import label_of, shown_with_remedies
from .tab import Tab, templates
from .tabs import TABS


@dataclass(frozen=True)
class Answer:
    """The results of a tab, or its problem."""

    html: str | None  #: the results; None to keep the last ones, dimmed
    problem: str = ""  #: the HTML of an error; empty without one
    notes: Mapping[str, str] = field(default_factory=dict)  #: a note on the reading of each box, by its name
    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)  #: the columns of tables, by the names of boxes
    formats: Sequence[str] = ()  #: the text formats that the boxes have


def answer(name: str, values: Mapping[str, str]) -> Answer:
    """The results of a tab, or the problem of its fields."""
    tab = tab_named(name)
    problem = templates().get_template("problem.html")
    try:
        answered = tab.of(values)
        inputs = answered.inputs
        return Answer(answered.html(), notes=inputs.notes, columns=inputs.columns, formats=inputs.formats)
    except EmptyBoxError as error:
        return Answer(None, problem.render(waiting=str(error), examples=EXAMPLES.get(tab.name, EXAMPLES["desk"])))
    except (TypeError, ValueError, OverflowError) as error:
        box = error.box if isinstance(error, BoxError) else ""
        message, remedies = shown_with_remedies(error, tab.controls)
        marked = _places(error, tab, values)
        if box in tab.controls:
            remedies[f"{box}="] = f"{label_of(box)}: the default"
        columns: dict[str, Sequence[str]] = {}
        if isinstance(error, BoxError) and error.columns:
            columns[box] = error.columns
            remedies |= {f"{box}.column={name}": f"Column: {name}" for name in error.columns}
        if marked and "on_error" in tab.controls:
            remedies["on_error=skip"] = "Leave out lines that differ"
        context = {"message": message, "box": box, "marked": marked, "remedies": remedies}
        return Answer(None, problem.render(waiting="", **context), columns=columns)


def export(name: str, form: str, values: Mapping[str, str]) -> str:
    """A file with the results."""
    answered = tab_named(name).of(values)
    if form not in answered.exports:
        raise ValueError(f"{form}: expected one of {', '.join(answered.exports)}.")
    return answered.export(form)


def bundle(name: str, values: Mapping[str, str]) -> bytes:
    """An archive with the texts, the command and the results."""
    return bundle_of(tab_named(name).of(values))


def tab_named(name: str) -> type[Tab]:
    """The tab of a name."""
    if name not in TABS:
        raise ValueError(f"There is no tab {name[:40]!r}: expected one of {', '.join(TABS)}.")
    return TABS[name]


def _places(error: Exception, tab: type[Tab], values: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return both lines with the places where their units differ; none for another error."""
    boxes = [box for box in tab.boxes if values.get(box.name)]
    if not isinstance(error, FileError) or error.of_utterance is None or not 0 < error.number < len(boxes):
        return []
    if any(is_named_delimited(values.get(f"{box.name}.file", "")) or values.get(f"{box.name}.column") for box in boxes):
        return []  # a row of a table may have several lines
    mismatch = error.of_utterance
    offsets = ((boxes[0], mismatch.reference_offset), (boxes[error.number], mismatch.prediction_offset))
    return [_place(box, values[box.name], mismatch.utterance, offset) for box, offset in offsets]


def _place(box: Box, text: str, number: int, offset: int | None) -> dict[str, Any]:
    """Return a line and the place in it, which is the whole line if the offset is in a part of the line, as in JSON."""
    line = "".join(text.split("\n")[number : number + 1])
    if offset is None or line.startswith("{"):
        start = 0
        end = len(line)
    else:
        start = offset
        end = min(offset + 1, len(line))
    return {
        "box": box.name,
        "label": box.label,
        "line": number,
        "cut": start > 40,
        "start": _utf16_length(line[:start]),
        "end": _utf16_length(line[:end]),
        "before": line[max(0, start - 40) : start],
        "at": line[start:end][:80],
        "after": line[end : end + 40],
    }


def _utf16_length(text: str) -> int:
    """Return the number of UTF-16 code units of a text, in which a browser counts."""
    return len(text.encode("utf-16-le")) // 2
