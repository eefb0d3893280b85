"""Tabs: what all of them are made of."""

from __future__ import annotations

__all__ = ["Inputs", "Tab", "TextBox", "add_link_row", "add_text_box", "run"]

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import gradio as gr

from .reading import BoxError, problem_note

#: Kinds of files that a visitor may choose; a browser shows others as grey.
TEXT_FILES = [".txt", ".tsv", ".csv", ".conllu", ".json", ".jsonl", ".text"]


@dataclass(frozen=True)
class TextBox:
    """A box for text, a file that may stand for it, and the line between them that says what was read or what is wrong."""

    text: gr.Textbox
    file: gr.File
    note: gr.HTML

    @property
    def file_events(self) -> list[Any]:
        """What a visitor does with files; `change` is also what the page does, while other boxes still are as they were."""
        return [self.file.upload, self.file.clear]


@dataclass(frozen=True)
class Tab:
    """A tab with what the page needs of it.

    Attributes:
        label: as the visitor reads it.
        tab: the component.
        fields: what a link keeps, by name.
        inputs, outputs: of `show`.
        show: what computes the tab's results from the inputs.
    """

    label: str
    tab: gr.Tab
    fields: dict[str, gr.components.Component]
    inputs: list[gr.components.Component]
    outputs: list[gr.components.Component]
    show: Callable[..., Any]

    @property
    def names(self) -> list[str | None]:
        """For each input the name of its field; None where a link does not keep it."""
        return [next((name for name, field in self.fields.items() if field is given), None) for given in self.inputs]


def add_text_box(label: str, value: str, *, lines: int = 5, info: str | None = None) -> TextBox:
    """Add a box for text, with a place for a file."""
    with gr.Column(min_width=320):
        # A box that may grow is laid out anew, several times, for each line that comes; with thousands that takes minutes.
        text = gr.Textbox(value, label=label, lines=lines, max_lines=lines, info=info)
        read = gr.HTML(elem_classes="note-line")
        with gr.Accordion(f"{label} from a file", open=False):
            file = gr.File(label=f"File for: {label}", file_types=TEXT_FILES, type="filepath", height=110)
        return TextBox(text, file, read)


def add_link_row(button: str) -> tuple[gr.Button, gr.Button, gr.Textbox]:
    """Add the buttons of a tab, and the box in which its link appears."""
    with gr.Row():
        go = gr.Button(button, variant="primary", min_width=160)
        share = gr.Button("Copy a link to this", min_width=160)
    # A button in it would be what its label stands for, and a box that is not interactive can't be reached with the keyboard.
    link = gr.Textbox(label="Link", visible="hidden", interactive=True, max_lines=3)
    return go, share, link


def run(tab: Tab, triggers: Sequence[Any], link: tuple[gr.Button, gr.Textbox]) -> None:
    """Connect what computes the results with what triggers it, and the button that makes a link."""
    for trigger in triggers:
        trigger(tab.show, tab.inputs, tab.outputs, api_visibility="private", show_progress="minimal")
    button, box = link
    button.click(
        None,
        list(tab.fields.values()),
        box,
        js=f"async (...values) => await window.segscores.link({tab.label!r}, values)",
        api_visibility="private",
    ).then(lambda: gr.update(visible=True), None, box, api_visibility="private", show_progress="hidden")


@dataclass(frozen=True)
class Inputs:
    """Boxes of a tab by name, for lines under them."""

    boxes: tuple[str, ...]

    def guarded(self, show: Callable[..., tuple[Any, ...]], results: int) -> Callable[..., tuple[Any, ...]]:
        """`show`, with an error of the metric under the box that it is about and nothing in the results."""

        def guarded(*values: Any) -> tuple[Any, ...]:
            try:
                return show(*values)
            except (BoxError, TypeError, ValueError) as error:
                notes = problem_note(error, self.boxes)
                return (*(notes[box] for box in self.boxes), *("",) * results)

        return guarded
