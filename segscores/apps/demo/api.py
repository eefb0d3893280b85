"""Endpoints: what the tabs export, for programs, by `gradio_client`, HTTP and MCP.

Conventions
-----------
- An endpoint has the name of a tab's subcommand. An argument is the text of a box or of a control; an empty one is the default.
- The answer is the record that the tab exports as JSON and the subcommand prints with `--format json`, or the text of another
  export.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
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
            # Calls wait for a worker, beside the answers of the page.
            server.api(endpoint_of(tab, workers), name=tab.task, concurrency_limit=None)


def endpoint_of(tab: type[Tab], workers: Workers) -> Callable[..., Any]:
    """Return the function that exports what a tab computes, with a parameter for each box and control."""
    boxes: dict[str, list[Box]] = {}
    for box in tab.boxes:
        boxes.setdefault(box.argument, []).append(box)
    options = COMMANDS[tab.task].options
    meanings = {name: f"{first.label}. {first.placeholder}" for name, (first, *_) in boxes.items()}
    meanings |= {**tab.own_fields, **{name: f"{options[name].help}." for name in tab.controls}}
    if tab.groups:
        meanings["scores"] += f" The groups of the page are {', '.join(tab.groups)}."
    texts = ", ".join(form for form in tab.exports if form != "json")
    meanings["form"] = f"what to return: json, or the text of {texts}."

    async def call(*arguments: Any) -> Any:
        values: dict[str, str] = {}
        try:
            for name, argument in zip(meanings, arguments, strict=False):
                values |= _fields(name, boxes.get(name, []), argument)
            form = values.pop("form", "json")
            text = await workers.compute("export", tab.name, form, values)
        except ValueError as error:
            raise gr.Error(str(error), print_exception=False) from None
        record = json.loads(text) if form == "json" else {}
        # Gradio's client takes an object with a path for a file.
        for prediction in record.get("predictions", ()):
            prediction.pop("path", None)
        return record or text

    call.__name__ = tab.task
    listed = "".join(f"\n    {name}: {meaning}" for name, meaning in meanings.items())
    call.__doc__ = f"{tab.lead}\n\nArgs:{listed}\n\nReturns:\n    the record of segscores {tab.task} --format json."
    call.__annotations__ = {name: dict[str, str] if len(boxes.get(name, [])) > 1 else str for name in meanings}
    defaults: dict[str, Any] = {"form": "json"}
    for box in tab.boxes:
        if box.is_expected:
            defaults[box.argument] = Parameter.empty
    parameters = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=defaults.get(name, "")) for name in meanings]
    call.__signature__ = Signature(parameters, return_annotation=Any)  # type: ignore[attr-defined]
    return call


def _fields(name: str, boxes: list[Box], argument: Any) -> Mapping[str, str]:
    """Return the fields of an argument: of a control or a box its text, of several boxes the texts of systems by name."""
    if len(boxes) < 2:
        if not isinstance(argument, (str, int, float)):
            raise ValueError(f"{name}: expected a text, received {shortened(argument)}.")
        return {boxes[0].name if boxes else name: str(argument)}
    texts = argument.values() if isinstance(argument, dict) else [None]
    if len(texts) > len(boxes) or not all(isinstance(text, str) for text in texts):
        expected = f"an object with the texts of two to {len(boxes)} systems by name"
        raise ValueError(f"{name}: expected {expected}, received {shortened(argument)}.")
    fields = dict(zip((box.name for box in boxes), texts, strict=False))
    return fields | dict(zip((f"{box.name}.name" for box in boxes), argument, strict=False))
