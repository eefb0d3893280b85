"""Tabs: a class declares the fields of the page, and an instance of the class is the answer to a visitor's inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

from jinja2 import Environment

from ...analysis.drawing import draw_dots
from ...options.tasks import COMMANDS
from ...results.rendering import render
from ...results.result import Result
from ...results.scored import Scored, result_of
from ..report.page import Report, build_page, report_environment
from .board import formula_of
from .boxes import Box, Inputs, read_boxes
from .reports import check_alignment
from .takeaway import code_of, command_of, python_of

#: The formats of exports: the name on the page, the name in the package, and the media type.
EXPORTS = {
    "csv": ("CSV", "csv", "text/csv"),
    "json": ("JSON", "json", "application/json"),
    "md": ("Markdown", "markdown", "text/markdown"),
    "tex": ("LaTeX", "latex", "text/x-tex"),
    "svg": ("SVG", "", "image/svg+xml"),
    "txt": ("Text", "", "text/plain"),
    "html": ("Report (HTML)", "", "text/html"),
}

#: Options of subcommands that tabs have no control for, each with the reason. Options of the section "output" are for
#: printing and files, for which the page has exports.
WITHOUT_CONTROL = {
    name: reason
    for reason, names in {
        "an utterance is a line of the drawing": "documents whole_files",
        "the page has no box for a list of words": "dictionary acceptable vocabulary ignore_words",
        "the page has no box for ids": "clusters by",
        "the page has the intervals that need no random numbers": "n_resamples interval_method seed",
        "training takes longer than a visitor waits": "train members processes",
        "the page has a box for it": "difficulties committee score sources targets",
        "each box has its column": "columns committee_column",
        "the slider is the ratio": "ratios thresholds types",
        "recordings on the page have the usual labels and seconds": "silence sample_rate",
        "the page takes no tokenizers": "space renyi_order vocabulary_size",
        "the boxes have texts": "label_scheme",
        "the table of systems has a button in each row": "primary",
        "every error is shown at its box": "on_error",
        "the tab shows all scores": "scores",
    }.items()
    for name in names.split()
}


def controls_of(task: str, *also: str) -> tuple[str, ...]:
    """Return the options of a subcommand for which its tab has controls, of those without a control the named ones too."""
    options = COMMANDS[task].options.items()
    left_out = WITHOUT_CONTROL.keys() - {*also}
    return tuple(name for name, option in options if name not in left_out and option.section != "output")


class Tab:
    """A tab of the page. The shell draws its fields from the declarations; NAME.html shows an instance.

    Attributes:
        task: the subcommand that computes the same. function: the function of the package that does.
        controls: the options with controls.
        groups: the score groups to choose from.
        fields: the template of the fields of this tab alone, whose values are in `Inputs.values`.
        own_fields: the meanings of those that endpoints have too.
        hidden: the fields that are set in the results or by the address.
        scored: the scores to export, if they are the result.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    lead: ClassVar[str] = ""
    boxes: ClassVar[Sequence[Box]] = ()
    task: ClassVar[str] = "score"
    function: ClassVar[str] = "score"
    controls: ClassVar[Sequence[str]] = ()
    groups: ClassVar[Sequence[str]] = ()
    fields: ClassVar[str] = ""
    own_fields: ClassVar[Mapping[str, str]] = {}
    hidden: ClassVar[Sequence[str]] = ()
    exports: ClassVar[Sequence[str]] = ("csv", "json", "md", "tex", "svg")

    scored: Sequence[Scored]
    signature: str
    report: Report

    def __init__(self, inputs: Inputs) -> None:
        self.inputs = inputs

    @classmethod
    def read(cls, values: Mapping[str, str]) -> Inputs:
        """Read the inputs."""
        return read_boxes(cls.boxes, cls.controls, COMMANDS[cls.task], values)

    @classmethod
    def of(cls, inputs: Inputs) -> Tab:
        """Answer inputs, with errors at their boxes."""
        try:
            check_alignment(inputs, command_of(inputs, cls.task))
            return cls(inputs)
        except ValueError as error:
            raise inputs.placed(error) from None

    def variables(self) -> Mapping[str, Any]:
        """The variables of the template."""
        return {}

    def html(self) -> str:
        """The results, with exports, commands and code."""
        context = {"tab": self, "inputs": self.inputs, "formats": EXPORTS, "formula": formula_of, **self.variables()}
        names = (f"{self.name}.html", "takeaway.html")
        return "".join(templates().get_template(name).render(context) for name in names)

    @cached_property
    def lines(self) -> Mapping[str, str]:
        """The commands and the code that compute the same, by title."""
        code = python_of(self.inputs, self.code(), self.function)
        return {"Command": command_of(self.inputs, self.task), "Python": code}

    def code(self) -> dict[str, str]:
        """Python code for the inputs, by the arguments of the function."""
        return {box.argument: code_of(self.inputs, name) for name, box in self.inputs.boxes.items()}

    def result(self) -> Result:
        """The result for CSV, JSON, Markdown and LaTeX."""
        return result_of(self.scored, self.inputs.held["reference"], self.signature)

    def picture(self) -> str:
        """The picture for SVG."""
        return draw_dots(self.scored)

    def utterances(self) -> Sequence[str]:
        """The utterances for plain text."""
        raise NotImplementedError

    def export(self, form: str) -> str:
        """The results in a format of `EXPORTS`."""
        if form == "html":
            return build_page(self.report)
        if form == "txt":
            return "".join(f"{utterance}\n" for utterance in self.utterances())
        return self.picture() if form == "svg" else render(self.result(), EXPORTS[form][1]) + "\n"


def templates() -> Environment:
    """The templates of the page, and the parts of the report."""
    return report_environment("segscores.apps.demo")
