"""Tabs: a class declares the fields of the page, and an instance of the class is the answer to a visitor's inputs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

from jinja2 import Environment

from ...analysis.difficulty import rate_difficulty
from ...analysis.drawing import draw_dots
from ...options.option import Option
from ...options.tasks import COMMANDS
from ...reading.reading import Reading
from ...reading.sources.names import Files
from ...reading.sources.sides import open_inputs
from ...results.rendering import render
from ...results.result import Result
from ...results.scored import Scored, result_of
from ...scores import score
from ...scoring.passes import pairs_to_align
from ...scoring.plan import Plan
from ...statistics.resampling import split_options
from ..report.contents import Names, analyse_texts
from ..report.page import Report, build_page, report_environment
from .board import formula_of
from .boxes import MAX_ALIGNED, Box, Inputs, is_filled, read_boxes, usage
from .paper import PaperTable
from .takeaway import code_of, command_of, python_of


class Export(NamedTuple):
    """A format of the files that a tab offers."""

    label: str  #: its name on the page
    output_format: str  #: the format of results in the package; empty for what is no result, such as a picture
    media_type: str


#: The formats of exports, by the endings of their files.
EXPORTS = {
    "csv": Export("CSV", "csv", "text/csv"),
    "json": Export("JSON", "json", "application/json"),
    "md": Export("Markdown", "markdown", "text/markdown"),
    "tex": Export("LaTeX", "latex", "text/x-tex"),
    "svg": Export("SVG", "", "image/svg+xml"),
    "txt": Export("Text", "", "text/plain"),
    "html": Export("Report (HTML)", "", "text/html"),
}

#: The reasons why tabs have no control for options of subcommands, each with the names of these options. Options of the
#: section "output" are for printing and files, for which the page has exports.
_REASONS = {
    "an utterance is a line of the drawing": "documents whole_files",
    "the page has no box for a list of words": "dictionary acceptable vocabulary ignore_words",
    "the page has no box for ids": "clusters by bands",
    "the page has the intervals that need no random numbers": "n_resamples interval_method seed",
    "training takes longer than a visitor waits": "train members processes",
    "the page has a box for it": "difficulties committee score sources targets",
    "each box has its column": "columns committee_column",
    "the boxes are UTF-8, and an error names the likely encoding of a file": "encoding",
    "the slider is the ratio": "ratios thresholds types",
    "recordings on the page have the usual labels": "silence sample_rate time_unit label_map missing overlap",
    "the page takes no tokenizers": "space text renyi_order vocabulary_size",
    "the boxes have texts": "label_scheme id2label",
    "the table of systems has a button in each row": "primary",
    "the tab shows all scores": "scores",
}
WITHOUT_CONTROL: dict[str, str] = {}
for _reason, _names in _REASONS.items():
    WITHOUT_CONTROL |= dict.fromkeys(_names.split(), _reason)


def controls_of(task: str, *also: str) -> tuple[str, ...]:
    """Return the options of a subcommand for which its tab has controls.

    `also` are options for which other tabs have no control, and this one has.
    """
    options = COMMANDS[task].options
    for_printing = {name for name, option in options.items() if option.section == "output"}
    left_out = for_printing | (WITHOUT_CONTROL.keys() - {*also})
    return tuple(name for name in options if name not in left_out)


class Tab:
    """A tab of the page. The shell draws its fields from the declarations; NAME.html shows an instance."""

    name: ClassVar[str]
    label: ClassVar[str]
    lead: ClassVar[str] = ""
    boxes: ClassVar[Sequence[Box]] = ()
    task: ClassVar[str] = "score"  #: the subcommand that computes the same
    function: ClassVar[str] = "score"  #: the function of the package that does
    controls: ClassVar[Sequence[str]] = ()  #: the options with controls
    of_several: ClassVar[Sequence[str]] = ()  #: those of them that need several predictions
    lacks: ClassVar[Sequence[str]] = ()  #: the other options that it has no control for, for a reason of its own
    groups: ClassVar[Sequence[str]] = ()  #: the score groups to choose from
    #: the meanings of the fields in NAME_fields.html that endpoints have too
    own_fields: ClassVar[Mapping[str, str]] = {}
    #: the fields that are set in the results or by the address, and their values
    hidden: ClassVar[Mapping[str, str]] = {}
    exports: ClassVar[Sequence[str]] = ("csv", "json", "md", "tex", "svg")
    has_endpoint: ClassVar[bool] = True  #: whether programs may call it
    heading: ClassVar[str] = ""  #: what stands above the tab, if anything does
    is_rare: ClassVar[bool] = False  #: whether it stands behind "More"

    scored: Sequence[Scored]  #: the scores to export, if they are the result
    utterances: Iterable[str]  #: the lines to export, if there are any
    signature: str
    report: Report

    def __init__(self, inputs: Inputs) -> None:
        self.inputs = inputs

    @classmethod
    def option(cls, name: str) -> Option:
        """Return the option of a control."""
        return COMMANDS[cls.task].options[name]

    @classmethod
    def usage(cls) -> str:
        """Return the command that reads the files of the boxes: `segscores score REFERENCE PREDICTION`."""
        return usage(COMMANDS[cls.task], cls.boxes)

    @classmethod
    def boxes_read(cls, values: Mapping[str, str]) -> Sequence[Box]:
        """Return the boxes that are read for these values of fields, in the order of the sides: those with a text or a file."""
        return [box for box in cls.boxes if is_filled(box, values)]

    @classmethod
    def read(cls, values: Mapping[str, str]) -> Inputs:
        """Read the inputs."""
        return read_boxes(cls.boxes, cls.controls, COMMANDS[cls.task], values)

    @classmethod
    def of(cls, values: Mapping[str, str]) -> Tab:
        """Answer the values of fields, with errors at their boxes."""
        inputs = cls.read(values)
        try:
            check_alignment(inputs, command_of(inputs, cls.task))
            return cls(inputs)
        except ValueError as error:
            raise inputs.placed(error) from None

    def variables(self) -> Mapping[str, Any]:
        """Return the variables of the template that this tab alone has."""
        return {}

    def html(self) -> str:
        """Return the results, with exports, commands and code."""
        context = {"tab": self, "inputs": self.inputs, "formats": EXPORTS, "formula": formula_of, **self.variables()}
        names = (f"{self.name}.html", "takeaway.html")
        return "".join(templates().get_template(name).render(context) for name in names)

    @cached_property
    def lines(self) -> Mapping[str, str]:
        """The commands and the code that compute the same, by title."""
        code = python_of(self.inputs, self.code(), self.function)
        return {"Command": command_of(self.inputs, self.task), "Python": code}

    @property
    def paper(self) -> PaperTable | None:
        """The table for a paper; None if the tab scores no systems."""
        return None

    def code(self) -> dict[str, str]:
        """Return Python code for the inputs, by the arguments of the function: `{"references": "['a b']"}`."""
        return {box.argument: code_of(self.inputs, name) for name, box in self.inputs.boxes.items()}

    def result(self) -> Result:
        """Return the result for CSV, JSON, Markdown and LaTeX."""
        return result_of(self.scored, self.inputs.names["reference"], self.signature)

    def picture(self) -> str:
        """Return the picture for SVG."""
        return draw_dots(self.scored)

    def export(self, form: str) -> str:
        """Return the results in a format of `EXPORTS`."""
        if form == "html":
            return build_page(self.report)
        if form == "txt":
            return "".join(f"{utterance}\n" for utterance in self.utterances)
        if form == "svg":
            return self.picture()
        return render(self.result(), EXPORTS[form].output_format) + "\n"


def report_of(
    inputs: Inputs,
    predictions: Mapping[str, Any] | None = None,
    further: Mapping[str, object] | None = None,
    fewest: int = 0,
    **options: Any,
) -> Report:
    """Return the report of `predictions`, segmentations by name; if there are none, of the predictions in the boxes.

    `further` are more fields of its signature, and `options` are options that no control has. Fewer than `fewest` utterances
    have no intervals.
    """
    options = inputs.options_of(score) | options
    reference, *others = inputs.files.values()
    systems = predictions or {file.name: file for file in others}
    plan, resampling, _values = split_options(options)
    # The options of tests are no options of `score`: take them from the visitor's.
    tests = {name: inputs.explicit[name] for name in ("primary", "n_trials", "margin") if name in inputs.explicit}
    findings = analyse_texts(reference, systems, plan, resampling, **tests)
    # All predictions have the same utterances.
    first_analysed, *_ = findings.analysed.values()
    if len(first_analysed.tally) < fewest:
        # Without a confidence level, `scored` computes no intervals.
        findings = replace(findings, resampling=replace(findings.resampling, confidence=None))
    reference_path, *other_paths = inputs.names.values()
    if predictions:
        # They are made of what the last box holds, such as boundary scores.
        *_, last_path = other_paths
        path_of = dict.fromkeys(predictions, last_path)
    else:
        path_of = {file.name: _path_of(file, reference_path) for file in others}
    names = Names(reference.name, reference_path, path_of, _noun_of_utterance(reference, plan))
    signature = findings.sign([reference, *others], inputs.text_format, **(further or {}))
    return Report(findings, names, signature)


def _path_of(prediction: Files, reference_path: str) -> str:
    """Return the path of a prediction, such as `prediction.txt` or `reference.jsonl, column CRF`."""
    if prediction.argument:
        return prediction.argument
    # Only a column of the table of the reference has no argument: nobody named a file of it.
    return f"{reference_path}, column {prediction.column}"


def _noun_of_utterance(reference: Files, plan: Plan) -> str:
    """Return what an utterance of the reference is called."""
    # The text of a box has the format that was recognised in it, so that no format of all sides is needed.
    if reference.sentence_format(text_format=""):
        return "sentence"
    if plan.reading.world == "times":
        return "recording"
    return "line"


def check_alignment(inputs: Inputs, command: str) -> None:
    """Raise an error if the lines that differ would take too long to align; `command` takes them."""
    if inputs.explicit.get("on_mismatch") != "align":
        return
    # A function without scores has the options of reading alone, but for the one that leaves utterances out.
    reading = Reading.of(**inputs.options_of(rate_difficulty))
    reading = replace(reading, skips=inputs.explicit.get("on_error") == "skip")
    sides = open_inputs(reading, *inputs.files.values())
    reference, *_ = sides
    # For each utterance, the number of units on one side times that on the other; 0 if they are equal.
    pairs = pairs_to_align(sides)
    if pairs.sum() > MAX_ALIGNED:
        place = reference.first_source.where(int(pairs.argmax()))
        problem = f"{place}: {pairs.max():,} pairs of units to align, in all {pairs.sum():,}; this page takes"
        raise ValueError(f"{problem} {MAX_ALIGNED:,}. The command takes more: {command}")


def templates() -> Environment:
    """Return the templates of the page, and the parts of the report that they use."""
    return report_environment("segscores.apps.demo")
