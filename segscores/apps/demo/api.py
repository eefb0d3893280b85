"""Endpoints: what the tabs compute, for programs, by `gradio_client`, HTTP and MCP.

Conventions
-----------
- An endpoint has the name of a tab's subcommand. An argument is the text of a box or of a control; an empty one is the default.
- The answer is the record that the tab exports as JSON and the subcommand prints with `--format json`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import wraps
from inspect import Parameter, Signature, getdoc
from typing import Any

import gradio as gr

from ...options.quoting import shortened
from ...options.tasks import COMMANDS
from ...scoring.measures.group import describe
from ...scoring.measures.registry import GROUPS
from .answers import export
from .boxes import Box
from .reports import first_differences
from .tab import Tab
from .tabs.alignment import Alignment
from .tabs.compare import Compare
from .tabs.difficulty import Difficulty
from .tabs.score import Score
from .tabs.threshold import Threshold

#: The most lines of an answer; the command has no limit.
_DRAWN = 2000


def differences(references: str, predictions: str) -> list[str]:
    """Show where two segmentations differ: | a boundary of both, + missed, − wrong.

    Args:
        references: the reference, one utterance a line.
        predictions: the prediction, the same lines with other word boundaries.

    Returns:
        a line for each utterance, up to 2,000.
    """
    tab = Score.of(Score.inputs_of({"reference": references, "prediction": predictions}))
    return [str(difference) for difference in first_differences(tab.inputs, _DRAWN)]


def segment(references: str, boundary_scores: str, ratio: str) -> list[str]:
    """Segment a text at the gaps with the highest boundary scores, a share λ of all gaps.

    Args:
        references: the text, one utterance a line.
        boundary_scores: a line for each utterance, with a number for each gap between two of its units.
        ratio: the share of all gaps that become boundaries, from 0 to 1.

    Returns:
        the segmented utterances.
    """
    values = {"reference": references, "scores": boundary_scores, "ratio": str(ratio)}
    tab = Threshold(Threshold.inputs_of(values))
    return [line if isinstance(line, str) else " ".join(line) for line in tab.segmentation]


def groups() -> dict[str, dict[str, Any]]:
    """List the score groups: title, definition, formula, source, keys, and the counts that they read.

    Returns:
        the description of each group, by name.
    """
    return describe({name: GROUPS[name] for name in Score.groups})


def add_endpoints(server: gr.Server) -> None:
    """Add every endpoint, which answers errors of the metric with their messages."""
    functions: list[Callable[..., Any]] = [differences, segment, groups]
    functions += [endpoint_of(tab) for tab in (Score, Compare, Threshold, Difficulty, Alignment)]
    for function in functions:
        server.api(_answering(function), name=function.__name__, concurrency_limit=4, concurrency_id="endpoints")


def endpoint_of(tab: type[Tab]) -> Callable[..., dict[str, Any]]:
    """Return the function that computes what a tab does, with a parameter for each box and control."""
    boxes: dict[str, list[Box]] = {}
    for box in tab.boxes:
        boxes.setdefault(box.argument, []).append(box)
    options = COMMANDS[tab.task].options
    meanings = {name: f"{first.label}. {first.placeholder}" for name, (first, *_) in boxes.items()}
    meanings |= {**tab.own_fields, **{name: f"{options[name].help}." for name in tab.controls}}

    def call(*arguments: Any) -> dict[str, Any]:
        values: dict[str, str] = {}
        for name, argument in zip(meanings, arguments, strict=False):
            values |= _fields(name, boxes.get(name, []), argument)
        record = json.loads(export(tab.name, "json", values))
        # Gradio's client takes an object with a path for a file.
        for prediction in record.get("predictions", ()):
            prediction.pop("path", None)
        return dict(record)

    call.__name__ = tab.task
    listed = "".join(f"\n    {name}: {meaning}" for name, meaning in meanings.items())
    call.__doc__ = f"{tab.lead}\n\nArgs:{listed}\n\nReturns:\n    the record of segscores {tab.task} --format json."
    types = {name: dict[str, str] if len(boxes.get(name, [])) > 1 else str for name in meanings}
    required = {box.argument for box in tab.boxes if box.is_required or box.is_named}
    parameters = [
        Parameter(
            name, Parameter.POSITIONAL_OR_KEYWORD, default=Parameter.empty if name in required else "", annotation=kind
        )
        for name, kind in types.items()
    ]
    call.__annotations__ = types
    call.__signature__ = Signature(parameters, return_annotation=dict)  # type: ignore[attr-defined]
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


def _answering(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def answer(*arguments: Any) -> Any:
        try:
            return function(*arguments)
        except (TypeError, ValueError, OverflowError) as error:
            raise gr.Error(str(error), print_exception=False) from None

    # Gradio reads each line as another value.
    summary, _, returned = (getdoc(function) or "").partition("Returns:")
    answer.__doc__ = f"{summary}Returns:\n    {' '.join(returned.split())}"
    return answer
