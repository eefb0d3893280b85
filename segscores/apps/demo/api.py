"""Endpoints: what the tabs export, for programs, by `gradio_client`, HTTP and MCP.

Conventions
-----------
- An endpoint has the name of a tab's subcommand. An argument is the text of a box or of a control; an empty one is the default.
- The answer is the record that the tab exports as JSON and the subcommand prints with `--format json`, or the text of another
  export.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from inspect import Parameter, Signature
from typing import Any

import gradio as gr

from ...options.quoting import shortened
from ...options.tasks import COMMANDS
from .boxes import Box
from .tab import Tab
from .tabs import TABS
from .workers import Workers


def add_endpoints(server: gr.Server, workers: Workers) -> None:
    """Add every endpoint, which answers errors of the metric with their messages."""
    for tab in TABS.values():
        if tab.has_endpoint:
            # No limit of gradio's own: calls wait for a worker, as the answers of the page do.
            server.api(endpoint_of(tab, workers), name=tab.task, concurrency_limit=None)


def endpoint_of(tab: type[Tab], workers: Workers) -> Callable[..., Any]:
    """Return the function that exports what a tab computes, with a parameter for each box and control."""
    boxes_of = _boxes_by_argument(tab)
    meanings = _meanings_of_arguments(tab, boxes_of)

    async def call(*arguments: Any) -> Any:
        """Return the record of an answer, or its text in another form; gradio passes the arguments in the order of `meanings`."""
        values: dict[str, str] = {}
        try:
            # A caller may leave the last arguments out.
            for name, argument in zip(meanings, arguments, strict=False):
                values |= _fields(name, boxes_of.get(name, []), argument)
            form = values.pop("form", "json")
            text = await workers.compute("export", tab.name, form, values)
        except ValueError as error:
            raise gr.Error(str(error), print_exception=False) from None
        if form != "json":
            return text
        record = json.loads(text)
        # Gradio's client takes an object with a path for a file.
        for prediction in record.get("predictions", ()):
            prediction.pop("path", None)
        return record

    # Gradio reads the name, the parameters and their meanings of the function.
    call.__name__ = tab.task
    listed = "".join(f"\n    {name}: {meaning}" for name, meaning in meanings.items())
    call.__doc__ = f"{tab.lead}\n\nArgs:{listed}\n\nReturns:\n    the record of segscores {tab.task} --format json."
    # An argument of several boxes has the texts of systems by name.
    call.__annotations__ = {name: dict[str, str] if len(boxes_of.get(name, [])) > 1 else str for name in meanings}
    defaults: dict[str, Any] = {"form": "json"}
    for box in tab.boxes:
        if box.is_expected:
            defaults[box.argument] = Parameter.empty  # without a default, the argument is required
    parameters = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=defaults.get(name, "")) for name in meanings]
    call.__signature__ = Signature(parameters, return_annotation=Any)  # type: ignore[attr-defined]
    return call


def _boxes_by_argument(tab: type[Tab]) -> dict[str, list[Box]]:
    """Return the boxes of each argument; those of all systems are of one."""
    boxes: dict[str, list[Box]] = {}
    for box in tab.boxes:
        boxes.setdefault(box.argument, []).append(box)
    return boxes


def _meanings_of_arguments(tab: type[Tab], boxes_of: Mapping[str, Sequence[Box]]) -> dict[str, str]:
    """Return the meaning of each argument of an endpoint, in their order: boxes, fields of the tab, options, and the form."""
    meanings: dict[str, str] = {}
    for name, (first_box, *_) in boxes_of.items():
        meanings[name] = f"{first_box.label}. {first_box.placeholder}"
    meanings |= tab.own_fields
    options = COMMANDS[tab.task].options
    meanings |= {name: f"{options[name].help}." for name in tab.controls}
    if tab.groups:
        meanings["scores"] += f" The groups of the page are {', '.join(tab.groups)}."
    other_forms = ", ".join(form for form in tab.exports if form != "json")
    meanings["form"] = f"what to return: json, or the text of {other_forms}."
    return meanings


def _fields(name: str, boxes: Sequence[Box], argument: Any) -> dict[str, str]:
    """Return the fields of the page that an argument sets; `boxes` are those of the argument, none if it is of a control.

    An argument of several boxes has the texts of systems by name: `{"CRF": "a b"}` becomes
    `{"prediction": "a b", "prediction.name": "CRF"}`.
    """
    if len(boxes) < 2:
        if not isinstance(argument, (str, int, float)):
            raise ValueError(f"{name}: expected a text, received {shortened(argument)}.")
        field = name
        if boxes:
            (box,) = boxes
            field = box.name
        return {field: str(argument)}
    are_texts = isinstance(argument, dict) and all(isinstance(text, str) for text in argument.values())
    if not are_texts or len(argument) > len(boxes):
        expected = f"an object with the texts of two to {len(boxes)} systems by name"
        raise ValueError(f"{name}: expected {expected}, received {shortened(argument)}.")
    fields = {}
    # The boxes after those of the systems stay empty.
    for box, (system, text) in zip(boxes, argument.items(), strict=False):
        fields[box.name] = text
        fields[f"{box.name}.name"] = system
    return fields
