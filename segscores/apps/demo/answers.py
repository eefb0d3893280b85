"""Answers: from the values of a tab's fields to the HTML that the page shows. Page, exports and tests call this alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...options.errors import FileError
from .boxes import Box, BoxError
from .tab import Tab, templates
from .tabs import TABS


@dataclass(frozen=True)
class Answer:
    """What a tab shows.

    Attributes:
        html: the results; None to keep the last ones, dimmed.
        problem: HTML of what is wrong; empty if nothing is.
        notes: how each box was read, by its name.
    """

    html: str | None
    problem: str = ""
    notes: Mapping[str, str] = field(default_factory=dict)


def answer(tab: str, values: Mapping[str, str]) -> Answer:
    """The results of a tab, or what is wrong with its fields."""
    chosen = tab_named(tab)
    try:
        inputs = chosen.read(values)
        if inputs is not None:
            return Answer(chosen.of(inputs).html(), notes=inputs.notes)
        return Answer(None, _problem(waits=chosen))
    except (TypeError, ValueError, OverflowError) as error:
        box = error.box if isinstance(error, BoxError) else ""
        shown = {"marked": _places(error, chosen, values), "can_skip": "on_mismatch" in chosen.controls}
        return Answer(None, _problem(message=str(error), box=box, **shown))


def export(tab: str, form: str, values: Mapping[str, str]) -> str:
    """A file with the results."""
    chosen = tab_named(tab)
    if form not in chosen.exports:
        raise ValueError(f"{form}: expected one of {', '.join(chosen.exports)}.")
    inputs = chosen.read(values)
    if inputs is None:
        raise ValueError("There is nothing to export.")
    return chosen.of(inputs).export(form)


def tab_named(name: str) -> type[Tab]:
    """A tab by its name."""
    if name not in TABS:
        raise ValueError(f"There is no tab {name[:40]!r}: expected one of {', '.join(TABS)}.")
    return TABS[name]


def _problem(**shown: Any) -> str:
    return templates().get_template("problem.html").render({"waits": None, **shown})


def _places(error: Exception, tab: type[Tab], values: Mapping[str, str]) -> list[dict[str, Any]]:
    """Where the units of two lines differ: both lines, with the places."""
    boxes = [box for box in tab.boxes if values.get(box.name)]
    if not isinstance(error, FileError) or error.of_utterance is None or not 0 < error.number < len(boxes):
        return []
    differs = error.of_utterance
    offsets = ((boxes[0], differs.reference_offset), (boxes[error.number], differs.prediction_offset))
    return [_place(box, values[box.name], differs.utterance, offset) for box, offset in offsets]


def _place(box: Box, text: str, number: int, offset: int | None) -> dict[str, Any]:
    """A line and the place in it; the whole line where the offset is that of a part of it, as in JSON."""
    lines = text.split("\n")
    line = lines[number] if number < len(lines) else ""
    start, end = (0, len(line)) if offset is None or line.startswith("{") else (offset, min(offset + 1, len(line)))
    # A browser counts UTF-16.
    places = {name: len(line[:at].encode("utf-16-le")) // 2 for name, at in (("start", start), ("end", end))}
    shown = {"before": line[max(0, start - 40) : start], "at": line[start:end][:80], "after": line[end : end + 40]}
    return {"box": box.name, "label": box.label, "line": number, "cut": start > 40, **places, **shown}
