"""Tabs: their common parts, which are boxes for texts and files, and the events that compute results from them.

Conventions
-----------
A tab computes everything that it shows from its boxes and settings in one function, which its button calls. The script of
the page presses that button when a visitor types, so there is one way from inputs to results. The script also keeps the
inputs, and makes links to them.
"""

from __future__ import annotations

import gzip
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import gradio as gr

from .files import text_of_file
from .page import SCRIPT_OF_RESULTS
from .reading import BoxError, Given, Sides, check_text, problem_of, read_sides
from .templating import render

#: Up to this many characters, a text is shown in its box and scored as the visitor types.
LIVE_CHARACTERS = 50_000

Settings = Mapping[str, Any]


@dataclass(frozen=True)
class TextBox:
    """A box for text, the file that may replace the text, and the line that reports what was read or what is wrong.

    Attributes:
        text, file, column, note: the components; the file is empty unless its text is too long to show.
        chip: the name and the size of the file, and its button.
        usual_columns: the columns of JSON lines that are read unless the visitor chooses another.
    """

    name: str
    label: str
    text: gr.Textbox
    file: gr.UploadButton
    column: gr.Dropdown | None
    note: gr.HTML
    chip: gr.HTML
    remove: gr.Button
    usual_columns: tuple[str, ...] = ()

    @property
    def inputs(self) -> list[gr.components.Component]:
        """The components for the content of the box."""
        return [self.text, self.file, *([self.column] if self.column else [])]

    @property
    def outputs(self) -> list[gr.components.Component]:
        """The components that report how the content was read."""
        return [self.note, *([self.column] if self.column else [])]

    def read(self, text: str, file: str | None, column: str | None = None) -> Given:
        """The content of the box."""
        if not file:
            return Given(self.name, check_text(self.name, text), "", column or "", self.usual_columns)
        path = Path(file)
        return Given(self.name, text_of_file(self.name, path), path.name, column or "", self.usual_columns)


@dataclass(frozen=True)
class Inputs:
    """The inputs of a tab."""

    boxes: dict[str, Given]
    settings: Settings

    @property
    def blank(self) -> list[str]:
        """The names of boxes that are blank."""
        return [name for name, given in self.boxes.items() if given.is_blank]

    def read(self, *boxes: str) -> Sides:
        """Boxes that belong together, the reference first, as the settings say."""
        form = (self.settings[name] for name in ("form", "word_boundary", "ignored_tokens"))
        return read_sides([self.boxes[box] for box in boxes], *form)


@dataclass(frozen=True)
class Shown:
    """The outputs of a tab.

    Attributes:
        results: HTML, in the order of the tab's results.
        notes: what was read from each box, by its name.
    """

    results: Sequence[str]
    notes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ReportParts:
    """The report of a tab."""

    write: Callable[[Inputs], str]
    button: gr.Button
    page: gr.Textbox


class Actions(NamedTuple):
    """The buttons of a tab, and the box for its link."""

    button: gr.Button
    share: gr.Button
    link: gr.Textbox
    others: list[gr.Button]


@dataclass(frozen=True)
class Tab:
    """A tab, with the parts of it that the page needs.

    Attributes:
        problems: the line for problems with a setting.
        waiting: the text that the tab shows while a required box is blank.
        optional: the boxes that may be blank.
        report: the report of its results, if it has one.
    """

    component: gr.Tab
    boxes: Sequence[TextBox]
    settings: Mapping[str, gr.components.Component]
    results: Sequence[gr.HTML]
    show: Callable[[Inputs], Shown]
    actions: Actions
    problems: gr.HTML
    waiting: str = ""
    optional: Sequence[str] = ()
    report: ReportParts | None = None

    @property
    def name(self) -> str:
        """Its name for the script."""
        return str(self.component.id)

    @property
    def fields(self) -> dict[str, gr.components.Component]:
        """The components whose values a link keeps, by name, in the order of the inputs."""
        fields: dict[str, gr.components.Component] = {}
        for box in self.boxes:
            fields[box.name] = box.text
            fields[f"{box.name}_file"] = box.file
            if box.column:
                fields[f"{box.name}_column"] = box.column
        return fields | dict(self.settings)

    @property
    def inputs(self) -> list[gr.components.Component]:
        """The components of the fields."""
        return list(self.fields.values())

    @property
    def outputs(self) -> list[gr.components.Component]:
        """The components that `answer` changes."""
        return [*(part for box in self.boxes for part in box.outputs), self.problems, *self.results]

    def answer(self, *values: Any) -> list[Any]:
        """The contents of the result components for the values of the inputs."""
        boxes: dict[str, Given] = {}
        try:
            inputs = self._read(values, boxes)
            missing = [name for name in inputs.blank if name not in self.optional]
            shown = self._wait(missing) if missing else self.show(inputs)
            notes = {name: render("note.html", text=text) for name, text in shown.notes.items()}
            results = list(shown.results)
        except (TypeError, ValueError) as error:
            problem = self._problem_of(error)
            notes = {problem.box: render("problem.html", text=str(problem))}
            results = [""] * len(self.results)
        outputs: list[Any] = []
        for box in self.boxes:
            outputs.append(notes.get(box.name, ""))
            if box.column:
                outputs.append(_shown_column(boxes.get(box.name)))
        return [*outputs, notes.get("settings", ""), *results]

    def write_report(self, *values: Any) -> list[str]:
        """The line for problems, and the page of the report for the values of the inputs, in gzip and base64.

        A page of megabytes compresses to a tenth, and no browser takes it for markup on its way to the script.
        """
        assert self.report
        try:
            page = self.report.write(self._read(values, {}))
        except (TypeError, ValueError) as error:
            return [render("problem.html", text=str(self._problem_of(error))), ""]
        return ["", b64encode(gzip.compress(page.encode())).decode()]

    def _read(self, values: Sequence[Any], boxes: dict[str, Given]) -> Inputs:
        by_name = dict(zip(self.fields, values, strict=True))
        for box in self.boxes:
            fields = (box.name, f"{box.name}_file", f"{box.name}_column")
            boxes[box.name] = box.read(*(by_name[field] for field in fields if field in by_name))
        return Inputs(boxes, {name: by_name[name] for name in self.settings})

    def _problem_of(self, error: Exception) -> BoxError:
        return problem_of(error, [*(box.name for box in self.boxes), "settings"])

    def _wait(self, missing: Sequence[str]) -> Shown:
        labels = [box.label for box in self.boxes if box.name in missing]
        results = [render("waiting.html", labels=labels, text=self.waiting), *[""] * (len(self.results) - 1)]
        return Shown(results)


def _shown_column(given: Given | None) -> Any:
    """The choice of a column, if the text has columns."""
    if given is None or not given.columns:
        return gr.update(visible=False)
    try:
        chosen = given.chosen
    except BoxError:
        chosen = None
    # What is chosen already is not sent: the visitor may have chosen another column while the answer was on its way.
    changed = {} if chosen == given.column else {"value": chosen}
    return gr.update(visible=True, choices=list(given.columns), **changed)


def add_text_box(
    name: str, label: str, value: str, *, lines: int = 4, placeholder: str = "", columns: tuple[str, ...] = ()
) -> TextBox:
    """Add a box for text, and a button for a file.

    Args:
        columns: the columns of JSON lines that are read unless the visitor chooses another; empty if the box is not for
            utterances.
    """
    with gr.Column(min_width=300, elem_classes="text-box"):
        # gradio lays a growing box out several times for each new line; thousands of lines would take minutes.
        text = gr.Textbox(
            value, label=label, lines=lines, max_lines=lines, placeholder=placeholder, elem_classes="text"
        )
        chip = gr.HTML("", elem_classes="chip", visible=False)
        with gr.Row(elem_classes="box-tools"):
            file = gr.UploadButton(
                "Open a file", size="sm", type="filepath", elem_classes="quiet", min_width=60, scale=0
            )
            remove = gr.Button(
                "✕ Remove the file", size="sm", elem_classes="quiet", min_width=60, scale=0, visible=False
            )
            note = gr.HTML(elem_classes="note-line", min_height=None)
        column = None
        if columns:
            column = gr.Dropdown(
                [], label=f"Column of {label}", visible=False, allow_custom_value=True, elem_classes="column-choice"
            )
    return TextBox(name, label, text, file, column, note, chip, remove, columns)


def add_actions(name: str, button: str, *quiet: str, examples: Iterable[str] = ()) -> Actions:
    """Add the buttons of a tab, and the box for its link."""
    with gr.Row(elem_classes="actions"):
        go = gr.Button(button, variant="primary", size="sm", min_width=90, scale=0, elem_id=f"go-{name}")
        share = gr.Button("Copy a link", size="sm", min_width=90, scale=0, elem_id=f"share-{name}")
        if examples:
            gr.HTML("<span>Examples</span>", elem_classes="examples-label")
        others = [
            gr.Button(label, size="sm", min_width=40, scale=0, elem_classes="quiet") for label in (*examples, *quiet)
        ]
        gr.HTML("", elem_classes="state", elem_id=f"state-{name}")
    # With a button inside, the label would name the button; and the keyboard can't reach a box that is not interactive.
    link = gr.Textbox(label="Link", visible="hidden", interactive=True, max_lines=3, elem_id=f"link-{name}")
    return Actions(go, share, link, others)


def add_results(**options: Any) -> gr.HTML:
    """Add a component for results; its buttons copy the text before them."""
    return gr.HTML(elem_classes="results", js_on_load=SCRIPT_OF_RESULTS, **options)


def add_export(title: str = "Export: CSV, JSON, SVG, HTML, Python, command, signature") -> gr.HTML:
    """Add a component for the export, folded under a title."""
    with gr.Accordion(title, open=False):
        return add_results()


def add_report(name: str, write: Callable[[Inputs], str]) -> ReportParts:
    """Add the hidden parts of a tab's report; the visitor's button stands among the downloads."""
    button = gr.Button("Report", elem_id=f"report-{name}", visible="hidden")
    return ReportParts(write, button, gr.Textbox(label="Report", visible="hidden"))


def connect(tab: Tab) -> Tab:
    """Connect the visitor's actions with the function that computes the results."""
    name = tab.name
    private: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}
    call = f"async (...values) => window.segscores.{{}}({name!r}, values)"
    pressed = tab.actions.button.click(
        tab.answer, tab.inputs, tab.outputs, js=call.format("sent"), trigger_mode="always_last", **private
    )
    pressed.success(None, tab.inputs, None, js=call.format("done"), **private)
    pressed.failure(None, None, None, js=f"() => window.segscores.failed({name!r})", **private)
    for component in tab.inputs:
        # The event `input` of a text box reports typing only, not pasting or cutting.
        if isinstance(component, gr.Textbox):
            component.change(None, tab.inputs, None, js=call.format("changed"), **private)
        elif not isinstance(component, gr.UploadButton):
            component.input(None, tab.inputs, None, js=call.format("changed"), **private)
    for box in tab.boxes:
        held = [box.text, box.file, box.chip, box.remove, box.note]
        waits = f"async (file) => await window.segscores.opening({name!r}, file)"
        box.file.upload(_fill(box), [box.file], held, js=waits, **private).success(
            None,
            [box.note, *tab.inputs],
            tab.inputs,
            js=f"(problem, ...values) => window.segscores.filled({name!r}, {box.name!r}, values, problem)",
            **private,
        )
        box.remove.click(lambda: _empty(""), None, held, **private).then(
            None, tab.inputs, None, js=call.format("changed"), **private
        )
    if tab.report:
        page = tab.report.page
        asked = tab.report.button.click(
            tab.write_report, tab.inputs, [tab.problems, page], js=call.format("reportable"), **private
        )
        saved = f"async (page) => await window.segscores.reported({name!r}, page)"
        # gradio keeps the values of a session on the server: keep none of the page.
        asked.success(None, page, None, js=saved, **private).then(lambda: "", None, page, **private)
        asked.failure(None, None, None, js=f"() => window.segscores.unreported({name!r})", **private)
    tab.component.select(None, tab.inputs, None, js=call.format("opened"), **private)
    tab.actions.share.click(
        None, None, tab.actions.link, js=f"async () => await window.segscores.link({name!r})", **private
    ).then(lambda: gr.update(visible=True), None, tab.actions.link, **private)
    return tab


def _fill(box: TextBox) -> Callable[[str | None], list[Any]]:
    """A function that puts the text of an uploaded file into the box, or the file in place of the text."""

    def fill(file: str | None) -> list[Any]:
        if not file:
            return _empty("")
        path = Path(file)
        try:
            text = text_of_file(box.name, path)
        except BoxError as error:
            return [gr.skip(), None, gr.skip(), gr.skip(), render("problem.html", text=str(error))]
        if len(text) <= LIVE_CHARACTERS:
            # The newline after a last blank utterance counts.
            return _empty(text if text.endswith("\n\n") else text.removesuffix("\n"))
        chip = render("chip.html", label=box.label, name=path.name, bytes=path.stat().st_size, characters=len(text))
        shown = gr.update(visible=True)
        return [gr.update(value="", visible=False), gr.skip(), gr.update(value=chip, visible=True), shown, ""]

    return fill


def _empty(text: str) -> list[Any]:
    """The updates for a box with a text and without a file."""
    hidden = gr.update(visible=False)
    return [gr.update(value=text, visible=True), None, gr.update(value="", visible=False), hidden, ""]
