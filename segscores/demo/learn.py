"""The tab Learn: the segmenters of a paper's table, and their scores."""

from __future__ import annotations

import math

import gradio as gr

from ..analysis.differences import find_differences
from ..analysis.drawing import draw_differences, draw_scores
from ..measures.group import describe
from ..measures.registry import GROUPS
from ..sources.tallies import tally
from ..statistics import signing
from .examples import PRINTED, SEGMENTERS
from .groups import DEFAULT_GROUPS
from .reading import Given, read_sides
from .tabs import Inputs, Shown, Tab, add_actions, add_export, add_results, connect
from .takeaway import Takeaway, chart, command_of, csv_of, python_of, record_of
from .templating import render

KEYS = ("token_precision", "token_recall", "token_fscore", "token_tnr")
TITLES = ("precision", "recall", "F-score", "true negative rate")
REMARKS = {
    "T1": "cuts everywhere and finds no word. Precision and recall are the same as for T2; the true negative rate is lower.",
    "T2": "cuts nowhere and finds no word, but its true negative rate is nearly perfect: only one of its words is wrong.",
    "S1": "splits too little: its precision is higher than its recall.",
    "S2": "splits too much: its recall is that of S1, its precision lower.",
    "S3": "finds two of three words; splitting the third too much costs precision, not recall.",
}


def add_learn_tab() -> Tab:
    """Add the tab."""
    with gr.Tab("Learn", id="learn") as component:
        gr.Markdown(
            "Five segmenters, good and bad, on one sentence. Choose one to see its scores. "
            "`|` is a boundary on both sides, `+` a missed one, `−` a wrong one."
        )
        with gr.Row():
            language = gr.Radio(list(SEGMENTERS), value="English", label="Language", min_width=300)
            segmenter = gr.Radio(list(REMARKS), value="S1", label="Segmenter", min_width=300)
        actions = add_actions("learn", "Show")
        problems = gr.HTML(elem_classes="note-line")
        with gr.Row():
            with gr.Column(min_width=300):
                drawing = add_results()
                table = add_results()
            with gr.Column(min_width=300):
                definitions = add_results()
        take_away = add_export()

    settings = {"language": language, "segmenter": segmenter}
    results = [drawing, table, definitions, take_away]
    return connect(Tab(component, [], settings, results, show, actions, problems))


def show(inputs: Inputs) -> Shown:
    """The results that the tab shows."""
    language, segmenter = inputs.settings["language"], inputs.settings["segmenter"]
    reference, outputs = SEGMENTERS[language]
    sides = read_sides([Given("reference", reference), Given("prediction", outputs[segmenter])], "words")
    references, predictions = sides.utterances.values()
    tallied = tally(references, predictions, scores=DEFAULT_GROUPS, **sides.reading)
    differences = find_differences(references, predictions, **sides.reading)
    scores = {
        name: tally([reference], [output], text_format="words", scores=["token", "tnr"]).scores()
        for name, output in outputs.items()
    }
    rows = [
        {
            "name": name,
            "output": output,
            "is_chosen": name == segmenter,
            "cells": _cells(scores[name], PRINTED[language][name]),
        }
        for name, output in outputs.items()
    ]
    known = tallied.scores() | dict.fromkeys(tallied.undefined(), math.nan)
    drawn = draw_scores(describe(GROUPS), known, tallied.counts(), definitions=True)
    options = {**sides.reading, "scores": list(DEFAULT_GROUPS)}
    signature = signing.signature(references, **options)
    files = {"reference": "reference.txt", "predictions": ["prediction.txt"]}
    command = command_of(sides, "score", files, scores=DEFAULT_GROUPS)
    passed = {"references": ["reference"], "predictions": ["prediction"]}
    take_away = Takeaway(
        "five_segmenters",
        {
            "csv": csv_of([["segmenter", *KEYS], *([name, *(scores[name][key] for key in KEYS)] for name in outputs)]),
            "json": record_of(signature=signature, reference=reference, segmenters=outputs, scores=scores),
            "svg": chart(
                f"{language}: five segmenters",
                [(f"{name}, {key}", scores[name][key], None, None) for name in outputs for key in KEYS],
            ),
        },
        {"signature": signature, "Python": python_of(sides, "score", passed, options), "command": command},
    )
    return Shown(
        [
            render("segmenter.html", name=segmenter, remark=REMARKS[segmenter], drawn=draw_differences(differences)),
            render("five.html", titles=TITLES, rows=rows),
            f"<h2>Definitions of the scores</h2>{drawn}",
            take_away.draw(),
        ]
    )


def _cells(scores: dict[str, float], printed: tuple[str, ...]) -> list[str]:
    cells = []
    for key, shown in zip(KEYS, printed, strict=True):
        differs = f"{scores[key]:.2f}" != f"{float(shown):.2f}"
        cells.append(f"{scores[key]:.2f}{f' ({shown})' if differs else ''}")
    return cells
