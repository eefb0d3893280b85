"""The tab Alignment: bisegments of a text and its translation as links, and their scores at every level."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import gradio as gr

from ..analysis.drawing import draw_links
from ..bitext.alignment import LEVELS, score_alignment
from ..bitext.bitexts import parse_bisegments
from ..scoring.signature import sign_plainly
from ..support.json_text import finite
from .examples import BITEXT
from .reading import BoxError
from .score import draw_cards
from .tabs import Inputs, Shown, Tab, add_actions, add_export, add_results, add_text_box, connect
from .takeaway import Takeaway, chart, csv_of, record_of, standalone
from .templating import render

#: The largest number of drawn segments of one side; links among more segments are hard to follow.
SEGMENTS_DRAWN = 60
#: The largest number of pairs of source and target segments on one side, so that other visitors need not wait.
MAX_PAIRS = 1_000_000


@dataclass(frozen=True)
class Aligned:
    """Scores of one alignment against another."""

    scores: dict[str, float]
    references: list[Any]
    predictions: list[Any]


def align_texts(reference: str, prediction: str, sources: str, targets: str) -> Aligned:
    """Scores of one alignment against another."""
    parsed = {}
    for side, text in (("references", reference), ("predictions", prediction)):
        parsed[side] = parse_bisegments([line for line in text.split("\n") if line.strip()], side)
    if not parsed["references"]:
        raise BoxError("reference", "there is nothing to score: type bisegments, one a line, such as [0]:[0,1].")
    for box, bisegments in zip(("reference", "prediction"), parsed.values(), strict=True):
        pairs = sum(len(source) * len(target) for source, target in bisegments)
        if pairs > MAX_PAIRS:
            raise BoxError(
                box, f"the {box} joins {pairs:,} pairs of segments; this page takes {MAX_PAIRS:,}. Use the command."
            )
    if bool(sources.strip()) != bool(targets.strip()):
        missing = "sources" if targets.strip() else "targets"
        raise BoxError(missing, f"the {missing} are missing: give the segments of both texts, or of neither.")
    texts: dict[str, Any] = (
        {name: [text.removesuffix("\n").split("\n")] for name, text in (("sources", sources), ("targets", targets))}
        if sources.strip()
        else {}
    )
    scores = score_alignment(references=[parsed["references"]], predictions=[parsed["predictions"]], **texts)
    return Aligned(scores, **parsed)


def add_alignment_tab() -> Tab:
    """Add the tab."""
    with gr.Tab("Alignment", id="alignment") as component:
        gr.Markdown(
            "Which sentences of a translation belong to which sentences of the text? Each line joins source and target "
            "segments, counted from 0 (ARCADE). If you add the sentences, pairs are also weighted by words and by characters."
        )
        with gr.Row():
            reference = add_text_box("reference", "Reference", BITEXT[0], placeholder="[0]:[0,1]")
            prediction = add_text_box("prediction", "Prediction", BITEXT[1], placeholder="[0]:[0,1]")
        with gr.Row():
            sources = add_text_box("sources", "Source segments", BITEXT[2])
            targets = add_text_box("targets", "Target segments", BITEXT[3])
        actions = add_actions("alignment", "Score")
        problems = gr.HTML(elem_classes="note-line")
        with gr.Row():
            with gr.Column(min_width=300, scale=2):
                drawing = add_results()
            with gr.Column(min_width=300, scale=3):
                table = add_results()
        take_away = add_export()

    boxes, optional = [reference, prediction, sources, targets], ("sources", "targets")
    return connect(Tab(component, boxes, {}, [drawing, table, take_away], show, actions, problems, optional=optional))


def show(inputs: Inputs) -> Shown:
    """The results that the tab shows."""
    texts = {name: given.text for name, given in inputs.boxes.items()}
    aligned = align_texts(*texts.values())
    sides = aligned.references, aligned.predictions
    highest = max((number for side in sides for both in side for half in both for number in half), default=0)
    drawn = draw_links(*sides) if highest < SEGMENTS_DRAWN else ""
    known = [level for level in LEVELS.values() if set(level.keys) & aligned.scores.keys()]
    told = f"Links are drawn for up to {SEGMENTS_DRAWN} segments; these texts have {highest + 1:,}. All are scored."
    return Shown(
        [
            f"<h2>Links</h2>{drawn or render('note.html', text=told)}",
            draw_cards(known, aligned.scores, {}, {}, "alignment"),
            _take_away(aligned, texts, drawn).draw(),
        ],
        {
            "reference": f"Read as bisegments: {len(sides[0]):,}.",
            "prediction": f"Read as bisegments: {len(sides[1]):,}.",
        },
    )


def _take_away(aligned: Aligned, texts: dict[str, str], drawn: str) -> Takeaway:
    signature = sign_plainly(text="alignment", zero=0.0, n=len(aligned.references))
    written = {side: [line for line in texts[side].split("\n") if line.strip()] for side in ("reference", "prediction")}
    parsed = {"references": written["reference"], "predictions": written["prediction"]}
    python = (
        "import segscores\nfrom segscores.bitext.bitexts import parse_bisegments\n\nprint(segscores.score_alignment(\n"
    )
    python += "".join(
        f"    {side}=[parse_bisegments({json.dumps(lines, ensure_ascii=False)}, {side!r})],\n"
        for side, lines in parsed.items()
    )
    command = "segmentation-scores alignment reference.txt prediction.txt"
    if texts["sources"].strip():
        for name in ("sources", "targets"):
            lines = json.dumps(texts[name].removesuffix("\n").split("\n"), ensure_ascii=False)
            python += f"    {name}=[{lines}],\n"
            command += f" --{name} {name}.txt"
    bars = [(key, value, None, None) for key, value in aligned.scores.items()]
    return Takeaway(
        "alignment_scores",
        {
            "csv": csv_of([["score", "value"], *aligned.scores.items()]),
            "json": record_of(signature=signature, scores=finite(aligned.scores)),
            "svg": standalone(drawn) or chart("Alignment", bars),
        },
        {"signature": signature, "Python": f"{python}))", "command": command},
    )
