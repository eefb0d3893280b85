"""What a tab of the page is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from jinja2 import Environment

from ..options.tasks import COMMANDS
from ..report.page import Report, report_environment
from ..results.result import Result
from .boxes import Box, Inputs, read_boxes

#: The formats of exports, with their types.
EXPORTS = {
    "csv": "text/csv",
    "json": "application/json",
    "md": "text/markdown",
    "tex": "text/x-tex",
    "svg": "image/svg+xml",
    "html": "text/html",
}


@dataclass(frozen=True)
class Tab:
    """A tab of the page. The shell draws its fields from this; `show` answers.

    Attributes:
        show: the results as HTML.
        controls: the options of the task that it has controls for; `visible` of them outside "More options".
        groups: the score groups to choose from.
        examples: texts by the name of the box, by the name of the example; the first is there at the beginning.
        result: for CSV, JSON, Markdown and LaTeX. picture: for SVG. report: for HTML.
        lines: by title the commands and the code that compute the same, if `function` is not all.
        fields: the template of fields of its own, which are in `Inputs.values`.
        waits_for: what the results wait for, if not for every box that is required.
        function: of the package, for the Python code; `passed` has the box of each of its arguments.
    """

    name: str
    label: str
    boxes: Sequence[Box]
    show: Callable[[Inputs], str]
    task: str = "score"
    function: str = "score"
    passed: Mapping[str, str] = field(default_factory=lambda: {"references": "reference", "predictions": "prediction"})
    controls: Sequence[str] = ()
    visible: Sequence[str] = ()
    groups: Sequence[str] = ()
    examples: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    result: Callable[[Inputs], Result] | None = None
    picture: Callable[[Inputs], str] | None = None
    report: Callable[[Inputs], Report] | None = None
    lines: Callable[[Inputs], Mapping[str, str]] | None = None
    fields: str = ""
    waits_for: str = ""
    lead: str = ""

    @property
    def exports(self) -> list[str]:
        """The formats that can be downloaded."""
        return [form for form in EXPORTS if {"html": self.report, "svg": self.picture}.get(form, self.result)]

    def read(self, values: Mapping[str, str]) -> Inputs | None:
        """The inputs; None while a box is empty."""
        return read_boxes(self.boxes, [*self.visible, *self.controls], COMMANDS[self.task], values)


def templates() -> Environment:
    """The templates of the page, and the parts of the report."""
    return report_environment("segscores.demo")
