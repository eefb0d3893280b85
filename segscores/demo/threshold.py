"""The tab Threshold: boundary scores, cut at a share of the gaps that a slider sets, and the curves over all shares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gradio as gr
import numpy as np

from ..analysis.differences import find_differences
from ..analysis.drawing import draw_curves, draw_differences
from ..analysis.thresholds import segment_at, sweep
from ..measures.registry import GROUPS
from ..reading.texts import parse_numbers
from ..sources.tallies import tally
from ..statistics import signing
from ..support.json_text import finite
from .examples import BOUNDARY_SCORES
from .page import DRAWN
from .reading import BoxError, Sides, counted, message_of, read_sides
from .score import draw_cards
from .tabs import Inputs, Shown, Tab, add_actions, add_export, add_results, add_text_box, connect
from .takeaway import Takeaway, command_of, csv_of, file_names, python_of, record_of, standalone
from .templating import render

#: The curves of the paper's Figure 1, by the names under them.
CURVES = {
    "precision": "token_precision",
    "recall": "token_recall",
    "F-score": "token_fscore",
    "true negative rate": "token_tnr",
}
#: The number of drawn points of a curve, besides the best ones.
POINTS = 400
_NO_TABLES = (
    "No command reads these files: sweep takes a reference of text, not JSON lines. Save the texts of the column as a text "
    "file, one utterance per line, or use the Python code."
)
SHOWN = ("boundary_noedge", "token", "tnr")


def add_threshold_tab() -> Tab:
    """Add the tab."""
    with gr.Tab("Threshold", id="threshold") as component:
        gr.Markdown(
            "A segmenter gives a score to every gap between two units. The gaps with the highest scores become boundaries: a "
            "share λ of all gaps (Shao et al. 2017, Figure 1). Move the slider to change λ."
        )
        with gr.Row():
            reference = add_text_box(
                "reference", "Reference", BOUNDARY_SCORES[0], columns=("reference", "references"), lines=3
            )
            scores = add_text_box(
                "scores",
                "Boundary scores",
                BOUNDARY_SCORES[1],
                placeholder="One line per utterance, with a number for each gap between two of its units.",
                lines=3,
            )
        slider = gr.Slider(0, 1, 0.25, step=0.01, label="λ, the share of gaps that are boundaries")
        actions = add_actions("threshold", "Show")
        problems = gr.HTML(elem_classes="note-line")
        with gr.Row():
            with gr.Column(min_width=300, scale=3):
                curves = add_results()
            with gr.Column(min_width=300, scale=2):
                table = add_results()
        drawing = add_results()
        take_away = add_export()

    results = [curves, table, drawing, take_away]
    return connect(Tab(component, [reference, scores], {"ratio": slider}, results, show, actions, problems))


def show(inputs: Inputs) -> Shown:
    """The results that the tab shows."""
    ratio = inputs.settings["ratio"]
    sides = read_sides([inputs.boxes["reference"]])
    references, reading = sides.utterances["reference"], sides.reading
    try:
        numbers = parse_numbers(inputs.boxes["scores"].text, "a score for each gap between two units")
    except ValueError as error:
        raise BoxError("scores", message_of(error)) from None
    try:
        curve = sweep(references, numbers, **reading)
        at = sweep(references, numbers, ratios=[ratio], **reading)
    except ValueError as error:
        # Problems between the two boxes are reported under the scores.
        raise error if getattr(error, "side", "") else BoxError("scores", message_of(error)) from None
    predictions = segment_at(references, numbers, ratio=ratio, **reading)
    tallied = tally(references, predictions, scores=SHOWN, **reading)
    differences = find_differences(references, predictions, first=DRAWN, **reading)
    points = _drawn_points(curve)
    drawn = draw_curves(
        curve["ratio"][points].tolist(),
        {name: curve[key][points].tolist() for name, key in CURVES.items()},
        x_title="λ, the share of gaps that are boundaries",
        at=ratio,
    )
    total, gaps = len(references), sum(map(len, numbers))
    threshold = float(at["threshold"][0])
    cut = "no boundary at all" if threshold == float("inf") else f"a boundary from a score of {threshold:.4g}"
    cards = draw_cards(
        [GROUPS[name] for name in SHOWN],
        tallied.scores(),
        tallied.counts(),
        {},
        "threshold",
        undefined=tallied.undefined(),
    )
    return Shown(
        [
            f"<h2>Curves</h2>{drawn}<p class=note>Over every distinct threshold, {len(curve['ratio']):,} points.</p>",
            render("at.html", ratio=f"{ratio:g}", cards=cards),
            f"<h2>Differences</h2>{draw_differences(differences, total if total > DRAWN else None)}",
            _take_away(sides, curve, numbers, drawn).draw(),
        ],
        {
            "reference": f"Read as {sides.forms['reference']}: {counted(total, 'utterance')}.",
            "scores": f"Read as numbers: {counted(gaps, 'score')}. At λ = {ratio:g}: {cut}.",
        },
    )


def _drawn_points(curve: Mapping[str, Any]) -> Any:
    """The points of a curve to draw: some hundred, and the best of every score."""
    ratios = curve["ratio"]
    spread = np.searchsorted(ratios, np.linspace(0, 1, POINTS))
    best = [int(np.flatnonzero(curve["threshold"] == curve["best"][key]["threshold"])[0]) for key in CURVES.values()]
    return np.unique(np.clip([*spread, *best, 0, len(ratios) - 1], 0, len(ratios) - 1))


def _take_away(sides: Sides, curve: Mapping[str, Any], numbers: list[list[float]], drawn: str) -> Takeaway:
    keys = [key for key in curve if key != "best"]
    scores = ["boundary_all", "boundary_noedge", "token", "tnr"]
    signature = sides.signed(signing.signature(sides.utterances["reference"], scores=scores, **sides.reading))
    names = file_names(sides)
    rows: list[list[object]] = [
        list[object](keys),
        *map(list, zip(*(curve[key].tolist() for key in keys), strict=True)),
    ]
    passed = {"references": ["reference"]}
    python = python_of(sides, "sweep", passed, {"boundary_scores": numbers, **sides.reading}, names)
    if sum(map(len, numbers)) > 100:
        read = 'parse_numbers(pathlib.Path("scores.jsonl").read_bytes().decode("utf-8-sig"), "scores")'
        python = python_of(sides, "sweep", passed, sides.reading, names)
        python = python.replace("segscores.sweep(\n", f"segscores.sweep(\n    boundary_scores={read},\n")
        imports = "from segscores.reading.texts import parse_numbers\n"
        python = ("" if "import pathlib\n" in python else "import pathlib\n") + imports + python
    if sides.given["reference"].chosen:
        commands, no_command = {}, _NO_TABLES
    else:
        inputs = {"reference": names["reference"], "scores": "scores.jsonl"}
        commands, no_command = {"command": command_of(sides, "sweep", inputs)}, ""
    return Takeaway(
        "boundary_score_curve",
        {
            "csv": csv_of(rows),
            "json": record_of(
                signature=signature,
                best=finite(curve["best"]),
                curve={key: finite(curve[key].tolist()) for key in keys},
            ),
            "svg": standalone(drawn),
        },
        {"signature": signature, "Python": python, **commands},
        no_command,
    )
