"""The tab Alignment: bisegments of a text and its translation as links, and the scores at every granularity."""

from __future__ import annotations

__all__ = ["add_alignment_tab", "align_texts"]

from typing import Any

import gradio as gr

from ..analysis.drawing import draw_links, draw_scores
from ..bitext.alignment import LEVELS, score_alignment
from ..bitext.bitexts import parse_bisegments
from .examples import BITEXT
from .groups import describe
from .reading import BoxError, note, text_of
from .tabs import Inputs, Tab, add_link_row, add_text_box, run

#: Segments of one side that are drawn; links among more of them can't be followed.
SEGMENTS_DRAWN = 60
#: Pairs of a source and a target segment that one side may join: a page has other visitors.
MAX_PAIRS = 1_000_000


def align_texts(reference: str, prediction: str, sources: str, targets: str) -> dict[str, Any]:
    """Scores of one alignment against another.

    Args:
        reference, prediction: bisegments, one a line, such as [0]:[0,1].
        sources, targets: the segments of both texts, one a line; both or neither.

    Returns:
        `scores`, `references` and `predictions`.

    Raises:
        TypeError, ValueError: as the functions of the package.
    """
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
    return {"scores": scores, **parsed}


def add_alignment_tab() -> Tab:
    """Add the tab."""
    described = describe(LEVELS)

    def show(*values: Any) -> tuple[str, ...]:
        names = ("reference", "prediction", "sources", "targets")
        texts = [text_of(name, text, file) for name, text, file in zip(names, values[:4], values[4:], strict=True)]
        aligned = align_texts(*texts)
        sides = aligned["references"], aligned["predictions"]
        highest = max((number for side in sides for both in side for half in both for number in half), default=0)
        drawn = (
            draw_links(*sides)
            if highest < SEGMENTS_DRAWN
            else f"<p class=note>Links are drawn up to {SEGMENTS_DRAWN} segments; here are {highest + 1:,}. All are scored.</p>"
        )
        return (
            note(f"Read as bisegments: {len(sides[0]):,}."),
            note(f"Read as bisegments: {len(sides[1]):,}."),
            "",
            "",
            f"<h2>Scores</h2>{draw_scores(described, aligned['scores'], {}, definitions=True)}",
            f"<h2>Links</h2>{drawn}",
        )

    with gr.Tab("Alignment", id="alignment") as component:
        gr.Markdown(
            "Which sentences of a translation belong to which sentences of the text? Each line joins source and target "
            "segments, counted from 0 (ARCADE). With the sentences, pairs are also weighed by words and by characters."
        )
        with gr.Row():
            reference = add_text_box("Reference", BITEXT[0], lines=4)
            prediction = add_text_box("Prediction", BITEXT[1], lines=4)
        with gr.Row():
            sources = add_text_box("Source segments", BITEXT[2], lines=4)
            targets = add_text_box("Target segments", BITEXT[3], lines=4)
        go, share, link = add_link_row("Score")
        with gr.Row():
            with gr.Column(min_width=320, scale=3):
                table = gr.HTML(elem_classes="results")
            with gr.Column(min_width=320, scale=2):
                drawing = gr.HTML(elem_classes="results")

    boxes = (reference, prediction, sources, targets)
    tab = Tab(
        label="Alignment",
        tab=component,
        fields={
            "reference": reference.text,
            "prediction": prediction.text,
            "sources": sources.text,
            "targets": targets.text,
        },
        inputs=[*(box.text for box in boxes), *(box.file for box in boxes)],
        outputs=[*(box.note for box in boxes), table, drawing],
        show=Inputs(("reference", "prediction", "sources", "targets")).guarded(show, results=2),
    )
    run(tab, [go.click, component.select, *(event for box in boxes for event in box.file_events)], (share, link))
    return tab
