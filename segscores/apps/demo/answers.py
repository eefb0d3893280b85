"""Answers: from the values of a tab's fields to the HTML that the page shows. Page, exports and tests call this alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from jinja2 import Template

from ...options.errors import FileError
from ...reading.sources.delimited import is_named_delimited
from .boxes import Box, BoxError, EmptyBoxError
from .bundle import bundle_of
from .examples import EXAMPLES
from .remedies import label_of, shown_with_remedies
from .tab import Tab, templates
from .tabs import TABS

#: The characters of a line that are shown before a place and after it, and of the place itself at most.
_CONTEXT = 40
_LONGEST_PLACE = 80


@dataclass(frozen=True)
class Answer:
    """The results of a tab, or its problem."""

    html: str | None  #: the results; None to keep the last ones, dimmed
    problem: str = ""  #: the HTML of an error; empty without one
    notes: Mapping[str, str] = field(default_factory=dict)  #: a note on the reading of each box, by its name
    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)  #: the columns of tables, by the names of boxes
    formats: Sequence[str] = ()  #: the text formats that the boxes have


def answer(name: str, values: Mapping[str, str]) -> Answer:
    """Return the results of a tab, or the problem of its fields."""
    tab = tab_named(name)
    try:
        answered = tab.of(values)
        inputs = answered.inputs
        return Answer(answered.html(), notes=inputs.notes, columns=inputs.columns, formats=inputs.formats)
    except EmptyBoxError as error:
        # Tabs without examples of their own take the same texts as the desk.
        examples = EXAMPLES.get(tab.name, EXAMPLES["desk"])
        return Answer(html=None, problem=_problem_template().render(waiting=str(error), examples=examples))
    except (TypeError, ValueError, OverflowError) as error:
        return _answer_to_error(error, tab, values)


def _problem_template() -> Template:
    """Return the template of a problem: of an error, or of boxes that are still empty."""
    return templates().get_template("problem.html")


def _answer_to_error(error: Exception, tab: type[Tab], values: Mapping[str, str]) -> Answer:
    """Return the problem with its message, the places that it is about, and remedies as buttons.

    A remedy has the field that it sets, and a label: `{"on_error=skip": "Leave out lines that differ"}`.
    """
    # The box or the control with the error; empty if the error is about none alone.
    box = error.box if isinstance(error, BoxError) else ""
    message, remedies = shown_with_remedies(error, tab.controls)
    marked = _places(error, tab, values)
    if box in tab.controls:
        remedies[f"{box}="] = f"{label_of(box)}: the default"
    columns: dict[str, Sequence[str]] = {}
    if isinstance(error, BoxError) and error.columns:
        columns[box] = error.columns
        remedies |= {f"{box}.column={name}": f"Column: {name}" for name in error.columns}
    is_of_prediction = isinstance(error, FileError) and error.number > 0
    if is_of_prediction and "on_error" in tab.controls:
        remedies["on_error=skip"] = "Leave out lines that differ"
    context = {"message": message, "box": box, "marked": marked, "remedies": remedies}
    # No box is waited for.
    problem = _problem_template().render(waiting="", **context)
    return Answer(html=None, problem=problem, columns=columns, formats=_formats_of(tab, values))


def _formats_of(tab: type[Tab], values: Mapping[str, str]) -> list[str]:
    """Return the formats of texts that cannot be scored: the error may name an option of one, whose control must be in view."""
    try:
        return tab.read(values).formats
    except (TypeError, ValueError, OverflowError):
        # The texts cannot even be read.
        return []


def export(name: str, form: str, values: Mapping[str, str]) -> str:
    """Return a file with the results; `form` is one of the exports of the tab, such as csv."""
    answered = tab_named(name).of(values)
    if form not in answered.exports:
        raise ValueError(f"{form}: expected one of {', '.join(answered.exports)}.")
    return answered.export(form)


def bundle(name: str, values: Mapping[str, str]) -> bytes:
    """Return an archive with the texts, the command and the results."""
    return bundle_of(tab_named(name).of(values))


def tab_named(name: str) -> type[Tab]:
    """Return the tab of a name."""
    if name not in TABS:
        raise ValueError(f"There is no tab {name[:40]!r}: expected one of {', '.join(TABS)}.")
    return TABS[name]


def _places(error: Exception, tab: type[Tab], values: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return both lines with the places where their units differ; none for another error."""
    if not isinstance(error, FileError) or error.of_utterance is None:
        return []
    # The number of a side is the place of its box among these; 0 is the reference.
    boxes = tab.boxes_read(values)
    is_of_prediction = 0 < error.number < len(boxes)
    if not is_of_prediction or any(_may_be_table(box, values) for box in boxes):
        return []  # a row of a table may have several lines
    reference_box, *_ = boxes
    prediction_box = boxes[error.number]
    have_texts = bool(values.get(reference_box.name) and values.get(prediction_box.name))
    if not have_texts:
        return []  # a box that holds a packed file has no text to show
    mismatch = error.of_utterance
    line_index = mismatch.utterance
    return [
        _place(reference_box, values[reference_box.name], line_index, mismatch.reference_offset),
        _place(prediction_box, values[prediction_box.name], line_index, mismatch.prediction_offset),
    ]


def _may_be_table(box: Box, values: Mapping[str, str]) -> bool:
    """Return whether the name of the file in a box says that it is a table, or the visitor does, by the name of a column."""
    return is_named_delimited(values.get(f"{box.name}.file", "")) or bool(values.get(f"{box.name}.column"))


def _place(box: Box, text: str, line_index: int, offset: int | None) -> dict[str, Any]:
    """Return a line, and the place in it that begins at an offset in code points, as the template of a problem takes them.

    The place is the whole line if the offset is unknown, or is in a part of the line, as in JSON.
    """
    # The text may have fewer lines: blank ones at its end may be cut off.
    line = "".join(text.split("\n")[line_index : line_index + 1])
    if offset is None or line.startswith("{"):
        start = 0
        end = len(line)
    else:
        # One character; none at the end of the line.
        start = offset
        end = min(offset + 1, len(line))
    return {
        "box": box.name,
        "label": box.label,
        "line": line_index,
        "cut": start > _CONTEXT,  # the beginning of the line is not shown
        "start": _utf16_length(line[:start]),
        "end": _utf16_length(line[:end]),
        "before": line[max(0, start - _CONTEXT) : start],
        "at": line[start:end][:_LONGEST_PLACE],
        "after": line[end : end + _CONTEXT],
    }


def _utf16_length(text: str) -> int:
    """Return the number of UTF-16 code units of a text, in which a browser counts."""
    return len(text.encode("utf-16-le")) // 2
