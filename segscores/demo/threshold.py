"""The tab Threshold: boundary scores, cut at a share of the gaps that a slider sets, and the curves over all shares."""

from __future__ import annotations

__all__ = ["add_threshold_tab"]

from typing import Any

import gradio as gr

from ..analysis.differences import find_differences
from ..analysis.drawing import draw_curves, draw_differences, draw_scores
from ..analysis.thresholds import segment_at, sweep
from ..measures.registry import GROUPS
from ..reading.texts import parse_numbers, read_texts
from ..scoring.corpus_tally import tally
from .examples import BOUNDARY_SCORES
from .groups import describe
from .page import DRAWN
from .reading import BoxError, counted, find_form, note, text_of
from .tabs import Inputs, Tab, add_link_row, add_text_box, run

#: The curves of the paper's Figure 1, by the names under them.
CURVES = {
    "precision": "token_precision",
    "recall": "token_recall",
    "F-score": "token_fscore",
    "true negative rate": "token_tnr",
}
#: The shares at which the curves are drawn.
RATIOS = [step / 100 for step in range(101)]
#: Scores under the slider.
SHOWN = ["boundary_noedge", "token", "tnr"]


def add_threshold_tab() -> Tab:
    """Add the tab."""
    described = describe(GROUPS)

    def show(*values: Any) -> tuple[str, ...]:
        reference_text, scores_text, reference_file, scores_file, ratio = values
        reference = text_of("reference", reference_text, reference_file)
        given = text_of("scores", scores_text, scores_file)
        form = find_form("recognise", [reference])
        (references,) = read_texts([reference], form)
        if not references:
            raise BoxError("reference", "there is nothing to score: type or upload a reference, one utterance a line.")
        try:
            numbers = parse_numbers(given, "a score for each gap between two units")
        except ValueError as error:
            raise BoxError("scores", str(error)) from None
        reading = form.options()
        try:
            curve = sweep(references=references, boundary_scores=numbers, ratios=RATIOS, **reading)
        except ValueError as error:
            # What is wrong between the two is told under the scores.
            raise error if getattr(error, "side", "") else BoxError("scores", str(error)) from None
        predictions = segment_at(references=references, boundary_scores=numbers, ratio=ratio, **reading)
        at = sweep(references=references, boundary_scores=numbers, ratios=[ratio], **reading)
        tallied = tally(references=references, predictions=predictions, scores=SHOWN, **reading)
        differences = find_differences(references=references, predictions=predictions, first=DRAWN, **reading)
        drawn = draw_curves(
            RATIOS,
            {name: curve[key].tolist() for name, key in CURVES.items()},
            x_title="λ, the share of gaps that are boundaries",
            at=ratio,
        )
        total, gaps = len(references), sum(map(len, numbers))
        threshold = float(at["threshold"][0])
        cut = "no boundary at all" if threshold == float("inf") else f"a boundary from a score of {threshold:.4g}"
        return (
            note(f"Read as {form}: {counted(total, 'utterance')}."),
            note(f"Read as numbers: {counted(gaps, 'score')}. At λ = {ratio:g}: {cut}."),
            f"<h2>Curves</h2>{drawn}",
            f"<h2>At λ = {ratio:g}</h2>{draw_scores(described, tallied.scores(), tallied.counts())}",
            f"<h2>Differences</h2>{draw_differences(differences, total if total > DRAWN else None)}",
        )

    with gr.Tab("Threshold", id="threshold") as component:
        gr.Markdown(
            "A segmenter scores every gap between two units, and the best share λ of all gaps become boundaries "
            "(Shao et al. 2017, Figure 1). Move λ."
        )
        with gr.Row():
            reference = add_text_box("Reference", BOUNDARY_SCORES[0], info="One utterance a line.")
            scores = add_text_box(
                "Boundary scores",
                BOUNDARY_SCORES[1],
                info="A line for each utterance: one number for each gap between two of its units.",
            )
        slider = gr.Slider(0, 1, 0.25, step=0.01, label="λ, the share of gaps that are boundaries")
        go, share, link = add_link_row("Show")
        with gr.Row():
            with gr.Column(min_width=320, scale=3):
                curves = gr.HTML(elem_classes="results")
            with gr.Column(min_width=320, scale=2):
                table = gr.HTML(elem_classes="results")
        drawing = gr.HTML(elem_classes="results")

    tab = Tab(
        label="Threshold",
        tab=component,
        fields={"reference": reference.text, "scores": scores.text, "ratio": slider},
        inputs=[reference.text, scores.text, reference.file, scores.file, slider],
        outputs=[reference.note, scores.note, curves, table, drawing],
        show=Inputs(("reference", "scores")).guarded(show, results=3),
    )
    run(tab, [go.click, component.select, *reference.file_events, *scores.file_events], (share, link))
    slider.change(
        tab.show, tab.inputs, tab.outputs, api_visibility="private", show_progress="hidden", trigger_mode="always_last"
    )
    return tab
