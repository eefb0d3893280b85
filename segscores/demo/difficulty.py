"""The tab Difficulty: scores that are balanced by the difficulty of each word, and the words coloured by difficulty."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import gradio as gr
import numpy as np

from ..analysis.differences import Difference, find_differences
from ..analysis.difficulty import rate_difficulty, score_difficulty
from ..analysis.drawing import draw_difficulties
from ..reading.inputs import FORM_NAMES, read_column
from ..reading.texts import parse_numbers
from ..scoring.options import Plan
from ..scoring.signature import shorten_digest, signature_of
from ..support.json_text import finite
from .examples import COMMITTEE
from .page import DRAWN
from .reading import BoxError, Given, Sides, counted, message_of, read_sides
from .score import draw_cards
from .tabs import Inputs, Shown, Tab, add_actions, add_export, add_results, add_text_box, connect
from .takeaway import Takeaway, chart, command_of, csv_of, file_names, missing_command, record_of

MAX_MEMBERS = 100

_SOURCE = "Qian et al. (2016)"


@dataclass(frozen=True)
class _Group:
    """A group of scores, described like the groups of the registry."""

    name: str
    title: str
    definition: str
    formula: str
    keys: tuple[str, ...]
    source: str = _SOURCE
    columns: tuple[str, ...] = ()


GROUPS_BY_DIFFICULTY = (
    _Group(
        "balanced",
        "balanced by difficulty",
        "Harmonic means of the reward and the punishment scores.",
        "balanced = 2 · reward · punishment / (reward + punishment); fscore of the balanced precision and recall",
        ("balanced_precision", "balanced_recall", "balanced_fscore"),
    ),
    _Group(
        "reward",
        "reward for hard words",
        "Words weighted by their difficulty d.",
        "recall Σ d·m / Σ d, precision Σ d·m / Σ d', m 1 for a recovered word, d' of the reference word under the end",
        ("reward_precision", "reward_recall"),
    ),
    _Group(
        "punishment",
        "punishment for easy words",
        "Words weighted by 1 − d.",
        "recall Σ (1−d)·m / Σ (1−d), precision Σ (1−d)·m / Σ (1−d')",
        ("punishment_precision", "punishment_recall"),
    ),
)


@dataclass(frozen=True)
class Rated:
    """Balanced scores of texts.

    Attributes:
        members: the size of the committee; 0 if difficulties were given.
    """

    sides: Sides
    scores: dict[str, float]
    difficulties: list[list[float]]
    differences: list[Difference]
    members: int


def rate_texts(reference: Given, prediction: Given, committee: str | Sequence[str], difficulties: str) -> Rated:
    """Balanced scores of texts.

    Args:
        committee: segmentations of the same text, one by one, or in one text separated by lines `---`; or empty.
        difficulties: in place of those of the committee, a line of numbers for each utterance, one per word; or empty.
    """
    if difficulties.strip():
        members = []
    elif isinstance(committee, str):
        members = _members(committee, len(read_sides([reference]).utterances["reference"]))
    else:
        members = list(committee)
    if len(members) > MAX_MEMBERS:
        raise BoxError("committee", f"expected a committee of up to {MAX_MEMBERS}, received {len(members):,}.")
    others = [Given(f"member_{number}", member) for number, member in enumerate(members, 1)]
    try:
        sides = read_sides([reference, prediction, *others])
    except BoxError as error:
        raise BoxError("committee", str(error)) if error.box.startswith("member_") else error from None
    references, predictions, *outputs = sides.utterances.values()
    if not references:
        raise BoxError("reference", "there is nothing to score: type or open a reference, one utterance a line.")
    rated = _rates(references, outputs, difficulties, sides)
    # Problems with the given numbers are reported under them.
    scores = score_difficulty(references, predictions, rated, **sides.reading)
    differences = find_differences(references, predictions, first=DRAWN, **sides.reading)
    return Rated(sides, scores, rated, differences, len(members))


def _members(committee: str, utterances: int) -> list[str]:
    """The segmentations of a text with lines `---` between them."""
    if not committee.strip():
        return []
    members: list[list[str]] = [[]]
    for line in committee.split("\n"):
        if line.rstrip() == "---":
            members.append([])
        else:
            members[-1].append(line)
    for lines in members:
        for end in (-1, 0):
            while len(lines) > utterances and not lines[end].strip():
                del lines[end]
    return ["".join(f"{line}\n" for line in lines) for lines in members]


def _rates(references: list[Any], outputs: list[Any], difficulties: str, sides: Sides) -> list[list[float]]:
    if difficulties.strip():
        try:
            return parse_numbers(difficulties, "a difficulty for each word of the reference")
        except ValueError as error:
            raise BoxError("difficulties", message_of(error)) from None
    if not outputs:
        raise BoxError("committee", "give a committee or difficulties.")
    try:
        return [rates.tolist() for rates in rate_difficulty(references, outputs, **sides.reading)]
    except ValueError as error:
        raise BoxError("committee", message_of(error)) from None


def add_difficulty_tab() -> Tab:
    """Add the tab."""
    with gr.Tab("Difficulty", id="difficulty") as component:
        gr.Markdown(
            "A word is hard if many segmenters of a committee miss it, and easy if all find it. Finding hard words is rewarded, "
            "missing easy words is punished (Qian et al. 2016)."
        )
        columns = ("reference", "references"), ("prediction", "predictions")
        with gr.Row():
            reference = add_text_box("reference", "Reference", COMMITTEE[0], lines=3, columns=columns[0])
            prediction = add_text_box("prediction", "Prediction", COMMITTEE[1], lines=3, columns=columns[1])
        with gr.Row():
            committee = add_text_box(
                "committee",
                "Committee",
                COMMITTEE[2],
                lines=5,
                placeholder="The text as several segmenters segment it, separated by lines ---.",
            )
            difficulties = add_text_box(
                "difficulties",
                "Difficulties",
                "",
                lines=5,
                placeholder="Instead of a committee: one line per utterance, with a number from 0 to 1 for each word.",
            )
        actions = add_actions("difficulty", "Score")
        problems = gr.HTML(elem_classes="note-line")
        with gr.Row():
            with gr.Column(min_width=300, scale=3):
                drawing = add_results()
            with gr.Column(min_width=300, scale=2):
                table = add_results()
        take_away = add_export()

    boxes = [reference, prediction, committee, difficulties]
    optional = ("committee", "difficulties")
    return connect(Tab(component, boxes, {}, [drawing, table, take_away], show, actions, problems, optional=optional))


def show(inputs: Inputs) -> Shown:
    """The results that the tab shows."""
    boxes = inputs.boxes
    rated = rate_texts(boxes["reference"], boxes["prediction"], boxes["committee"].text, boxes["difficulties"].text)
    total = len(rated.difficulties)
    words = [difference.reference for difference in rated.differences]
    drawn = draw_difficulties(
        [[word for word, _ in utterance] for utterance in words],
        rated.difficulties[: len(words)],
        [[found for _, found in utterance] for utterance in words],
        total if total > DRAWN else None,
    )
    notes = {
        box: f"Read as {rated.sides.forms[box]}: {counted(total, 'utterance')}." for box in ("reference", "prediction")
    }
    if rated.members:
        notes["committee"] = f"Difficulties from a committee of {rated.members}."
    else:
        notes["difficulties"] = "Difficulties from your numbers."
        notes |= {} if boxes["committee"].is_blank else {"committee": "Not used, because difficulties are given."}
    cards = draw_cards(GROUPS_BY_DIFFICULTY, rated.scores, {}, {}, "difficulty")
    results = [f"<h2>Words by difficulty</h2>{drawn}", f'<div class="narrow">{cards}</div>', _take_away(rated).draw()]
    return Shown(results, notes)


def _take_away(rated: Rated) -> Takeaway:
    sides = rated.sides
    references, predictions, *members = sides.utterances.values()
    numbers = np.array([rate for rates in rated.difficulties for rate in rates], np.float64)
    signature = signature_of(
        Plan.of(scores="token", **sides.reading).plain(),
        FORM_NAMES.get(read_column(references, "references").type),
        len(references),
        further={"difficulties": shorten_digest(sha256(numbers.tobytes()).hexdigest())},
    )
    signature = sides.signed(signature)
    values = {"references": references, "predictions": predictions}
    rates = (
        f"segscores.rate_difficulty(references, {json.dumps(members, ensure_ascii=False)}, **reading)"
        if rated.members
        else repr(rated.difficulties)
    )
    assigned = "".join(f"{name} = {json.dumps(value, ensure_ascii=False)}\n" for name, value in values.items())
    python = (
        f"import segscores\n\nreading = {sides.reading!r}\n{assigned}difficulties = {rates}\n"
        "print(segscores.score_difficulty(references, predictions, difficulties, **reading))"
    )
    names = file_names(sides)
    files = [name for box, name in names.items() if box.startswith("member_")]
    source: dict[str, Any] = {"committee": files} if rated.members else {"difficulties": "difficulties.jsonl"}
    command = command_of(sides, "difficulty", {"reference": names["reference"]}, **source, score=[names["prediction"]])
    no_command = missing_command(sides)
    commands = {} if no_command else {"command": command}
    rows: list[list[object]] = [["score", "value"], *map(list, rated.scores.items())]
    return Takeaway(
        "segmentation_difficulty",
        {
            "csv": csv_of(rows),
            "json": record_of(
                signature=signature, scores=finite(rated.scores), difficulties=finite(rated.difficulties)
            ),
            "svg": chart(
                "Scores balanced by difficulty", [(key, value, None, None) for key, value in rated.scores.items()]
            ),
        },
        {"signature": signature, "Python": python, **commands},
        no_command,
    )
