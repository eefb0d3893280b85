"""The tab Difficulty: scores balanced by how many of a committee miss each word, and the words in their colours."""

from __future__ import annotations

__all__ = ["DESCRIBED", "MAX_MEMBERS", "add_difficulty_tab", "rate_texts"]

from typing import Any

import gradio as gr

from ..analysis.differences import find_differences
from ..analysis.difficulty import rate_difficulty, score_difficulty
from ..analysis.drawing import draw_difficulties, draw_scores
from ..reading.texts import parse_numbers, read_texts
from .examples import COMMITTEE
from .page import DRAWN
from .reading import BoxError, counted, find_form, note, text_of
from .tabs import Inputs, Tab, add_link_row, add_text_box, run

#: Members of a committee that a page takes.
MAX_MEMBERS = 100

_SOURCE = "Qian et al. (2016)"

#: The scores in groups, as the metric describes its own.
DESCRIBED: dict[str, dict[str, object]] = {
    "balanced": {
        "title": "balanced by difficulty",
        "definition": "Reward and punishment together.",
        "formula": "harmonic means of reward and punishment; fscore of the balanced precision and recall",
        "source": _SOURCE,
        "keys": ("balanced_precision", "balanced_recall", "balanced_fscore"),
        "columns": (),
    },
    "reward": {
        "title": "reward for hard words",
        "definition": "Words weighed by their difficulty d.",
        "formula": "recall Σ d·m / Σ d, precision Σ d·m / Σ d', m 1 for a recovered word, d' of the reference word under the end",
        "source": _SOURCE,
        "keys": ("reward_precision", "reward_recall"),
        "columns": (),
    },
    "punishment": {
        "title": "punishment for easy words",
        "definition": "Words weighed by 1 − d.",
        "formula": "recall Σ (1−d)·m / Σ (1−d), precision Σ (1−d)·m / Σ (1−d')",
        "source": _SOURCE,
        "keys": ("punishment_precision", "punishment_recall"),
        "columns": (),
    },
}


def rate_texts(reference: str, prediction: str, committee: str, difficulties: str) -> dict[str, Any]:
    """Balanced scores of texts.

    Args:
        reference, prediction: texts.
        committee: segmentations of the same text, one after the other with a line of --- between them; or empty.
        difficulties: instead of a committee, for each utterance a line of numbers, one a word.

    Returns:
        `scores`, `difficulties`, `differences`, `form` and `total`.

    Raises:
        TypeError, ValueError: as the functions of the package.
    """
    members = [member.strip("\n") for member in f"\n{committee}\n".split("\n---\n")] if committee.strip() else []
    if len(members) > MAX_MEMBERS:
        raise BoxError("difficulty", f"expected a committee of up to {MAX_MEMBERS}, received {len(members):,}.")
    form = find_form("recognise", [reference, prediction])
    references, predictions, *others = read_texts([reference, prediction, *members], form)
    if not references:
        raise BoxError("reference", "there is nothing to score: type or upload a reference, one utterance a line.")
    reading = form.options()
    try:
        if difficulties.strip():
            rated = _given(difficulties)
        elif members:
            rated = [rates.tolist() for rates in rate_difficulty(references=references, committee=others, **reading)]
        else:
            raise BoxError("difficulty", "give a committee or difficulties.")
    except BoxError:
        raise
    except ValueError as error:
        raise BoxError("difficulty", str(error)) from None
    # What is wrong with numbers that were given is told under them.
    scores = score_difficulty(references=references, predictions=predictions, difficulties=rated, **reading)
    differences = find_differences(references=references, predictions=predictions, first=DRAWN, **reading)
    return {
        "scores": scores,
        "difficulties": rated,
        "differences": differences,
        "form": form,
        "members": len(members),
        "total": len(references),
    }


def _given(difficulties: str) -> list[list[float]]:
    try:
        rated: list[list[float]] = parse_numbers(difficulties, "a difficulty for each word of the reference")
    except ValueError as error:
        raise BoxError("difficulties", str(error)) from None
    return rated


def add_difficulty_tab() -> Tab:
    """Add the tab."""

    def show(*values: Any) -> tuple[str, ...]:
        texts, files, numbers = values[:3], values[3:6], values[6]
        names = ("reference", "prediction", "difficulty")
        reference, prediction, committee = map(text_of, names, texts, files)
        rated = rate_texts(reference, prediction, committee, numbers)
        differences, total = rated["differences"], rated["total"]
        words = [difference.reference for difference in differences]
        drawn = draw_difficulties(
            [[word for word, _ in utterance] for utterance in words],
            rated["difficulties"][: len(words)],
            [[found for _, found in utterance] for utterance in words],
            total if total > DRAWN else None,
        )
        read = ("", note("Difficulties from your numbers."))
        if not numbers.strip():
            read = (note(f"Difficulties from a committee of {rated['members']}."), "")
        return (
            *[note(f"Read as {rated['form']}: {counted(total, 'utterance')}.")] * 2,
            *read,
            f"<h2>Scores</h2>{draw_scores(DESCRIBED, rated['scores'], {}, definitions=True)}",
            f"<h2>Words by difficulty</h2>{drawn}",
        )

    with gr.Tab("Difficulty", id="difficulty") as component:
        gr.Markdown(
            "A word that many segmenters of a committee miss is hard: to find it is rewarded; a word that all find is easy: to "
            "miss it is punished (Qian et al. 2016)."
        )
        with gr.Row():
            reference = add_text_box("Reference", COMMITTEE[0], lines=4)
            prediction = add_text_box("Prediction", COMMITTEE[1], lines=4)
        with gr.Row():
            committee = add_text_box(
                "Committee",
                COMMITTEE[2],
                lines=11,
                info="Segmentations by several segmenters, a line of --- between them.",
            )
            with gr.Column(min_width=320):
                numbers = gr.Textbox(
                    "",
                    label="Difficulties",
                    lines=11,
                    max_lines=11,
                    info="Instead of a committee: a line for each utterance, a number from 0 to 1 for each word.",
                )
                numbers_note = gr.HTML(elem_classes="note-line")
        go, share, link = add_link_row("Score")
        with gr.Row():
            with gr.Column(min_width=320, scale=2):
                table = gr.HTML(elem_classes="results")
            with gr.Column(min_width=320, scale=3):
                drawing = gr.HTML(elem_classes="results")

    boxes = (reference, prediction, committee)
    tab = Tab(
        label="Difficulty",
        tab=component,
        fields={
            "reference": reference.text,
            "prediction": prediction.text,
            "committee": committee.text,
            "difficulties": numbers,
        },
        inputs=[*(box.text for box in boxes), *(box.file for box in boxes), numbers],
        outputs=[*(box.note for box in boxes), numbers_note, table, drawing],
        show=Inputs(("reference", "prediction", "difficulty", "difficulties")).guarded(show, results=2),
    )
    run(tab, [go.click, component.select, *(event for box in boxes for event in box.file_events)], (share, link))
    return tab
