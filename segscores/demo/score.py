"""The tab Score: a reference and a prediction, their scores, and the two drawn one over the other."""

from __future__ import annotations

__all__ = ["Scored", "add_score_tab", "metric_source", "score_texts"]

import csv
import io
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import gradio as gr

from .. import __version__
from ..analysis.differences import find_differences
from ..analysis.drawing import draw_differences, draw_scores
from ..measures.registry import GROUPS
from ..reading.texts import read_texts
from ..scoring.corpus_tally import tally
from ..statistics.corpus_scores import score
from ..statistics.signing import sign_scoring
from .examples import PAIRS
from .groups import DEFAULT_GROUPS, describe
from .page import COPY_SCRIPT, DRAWN
from .reading import FORMS, BoxError, check_resampled, counted, find_form, note, text_of
from .tabs import Inputs, Tab, add_link_row, add_text_box, run
from .takeaway import command_options, copyable, downloads

#: The confidence of intervals on the page, and how many resamples they come from, as by default.
CONFIDENCE, RESAMPLES = 0.95, 1000
#: The longest texts that stand in the lines of Python to copy, in characters; longer ones are read from files there.
_QUOTED = 400


@dataclass(frozen=True)
class Scored:
    """What one scoring gave.

    Attributes:
        scores, counts: by key and by column.
        form: how the texts were read, a `texts.TextForm`.
        references, predictions: as they were read.
        options: those of the scoring.
        signature: how the scores came about.
        intervals: by key the low and the high end; empty where they were not asked for.
    """

    scores: dict[str, float]
    counts: dict[str, int]
    form: Any
    references: list[Any]
    predictions: list[Any]
    options: dict[str, Any]
    signature: str
    intervals: dict[str, tuple[float, float]]


def score_texts(
    reference: str,
    prediction: str,
    form: str = "recognise",
    scores: Sequence[str] = (),
    *,
    word_boundary: str = "",
    ignored_tokens: str = "",
    confidence: float | None = None,
) -> Scored:
    """Score one text against another.

    Args:
        reference, prediction: texts.
        form: one of FORMS.
        scores: names of groups.
        word_boundary, ignored_tokens: for units text, as typed.
        confidence: of intervals; None for none.

    Raises:
        TypeError, ValueError: as the functions of the package; a `BoxError` where intervals would be too much work for a page.
    """
    if not scores:
        raise BoxError("scores", "choose at least one group of scores.")
    found = find_form(form, [reference, prediction], word_boundary, ignored_tokens)
    references, predictions = read_texts([reference, prediction], found)
    options = {**found.options(), "scores": list(scores)}
    tallied = tally(references=references, predictions=predictions, **options)
    if not references:
        raise BoxError("reference", "there is nothing to score: type or upload a reference, one utterance a line.")
    intervals = {}
    if confidence is not None:
        words = tally(references, predictions, scores="token", **found.options()).counts()["token_predicted"]
        check_resampled("scores", len(references), words, n_resamples=RESAMPLES)
        options["confidence"] = confidence
        intervals = _intervals(references, predictions, options)
    signature = sign_scoring(references=references, **options)
    return Scored(tallied.scores(), tallied.counts(), found, references, predictions, options, signature, intervals)


def _intervals(
    references: list[Any], predictions: list[Any], options: dict[str, Any]
) -> dict[str, tuple[float, float]]:
    """The ends of the interval of each score."""
    if len(references) < 2:
        raise BoxError("scores", "intervals need at least two utterances: add one, or leave them out.")
    scored = score(references, predictions, n_resamples=RESAMPLES, **options)
    keys = [key for key in scored if f"{key}_low" in scored]
    return {key: (scored[f"{key}_low"], scored[f"{key}_high"]) for key in keys}


def add_score_tab() -> Tab:
    """Add the tab."""
    groups, source = list(DEFAULT_GROUPS), metric_source()
    described = describe(GROUPS)

    def show(*values: Any) -> tuple[str, ...]:
        reference_text, prediction_text, reference_file, prediction_file, form, boundary, ignored, scores, intervals = (
            values
        )
        reference = text_of("reference", reference_text, reference_file)
        prediction = text_of("prediction", prediction_text, prediction_file)
        scored = score_texts(
            reference,
            prediction,
            form,
            scores,
            word_boundary=boundary,
            ignored_tokens=ignored,
            confidence=CONFIDENCE if intervals else None,
        )
        total = len(scored.references)
        differences = find_differences(
            references=scored.references, predictions=scored.predictions, first=DRAWN, **scored.form.options()
        )
        table = draw_scores(described, scored.scores, scored.counts, intervals=scored.intervals)
        return (
            note(_read_note(scored, "reference")),
            note(_read_note(scored, "predicted")),
            "",
            f"<h2>Scores</h2>{table}{copyable({'signature': scored.signature})}",
            f"<h2>Differences</h2>{draw_differences(differences, total if total > DRAWN else None)}",
            _take_away(scored, source),
        )

    with gr.Tab("Score", id="score") as component:
        with gr.Row():
            examples = [gr.Button(name, size="sm", min_width=90) for name in PAIRS]
        with gr.Row():
            reference = add_text_box("Reference", PAIRS["English"][0])
            prediction = add_text_box("Prediction", PAIRS["English"][1])
        with gr.Row():
            with gr.Column(min_width=320):
                form = gr.Radio(FORMS, value="recognise", label="Form", info="How words are separated.")
                with gr.Accordion("Tokens of units text", open=False):
                    boundary = gr.Textbox("", label="Word boundary", placeholder="WORD_BOUNDARY", max_lines=1)
                    ignored = gr.Textbox("", label="Ignored tokens", placeholder=";esyll", max_lines=1)
            with gr.Column(min_width=320):
                scores = gr.CheckboxGroup(groups, value=groups, label="Scores")
                intervals = gr.Checkbox(False, label=f"{100 * CONFIDENCE:g} % intervals")
                scores_note = gr.HTML(elem_classes="note-line")
        go, share, link = add_link_row("Score")
        with gr.Row():
            with gr.Column(min_width=320, scale=2):
                table = gr.HTML(elem_classes="results", js_on_load=COPY_SCRIPT)
            with gr.Column(min_width=320, scale=3):
                drawing = gr.HTML(elem_classes="results")
        take_away = gr.HTML(elem_classes="results", js_on_load=COPY_SCRIPT)

    tab = Tab(
        label="Score",
        tab=component,
        fields={
            "reference": reference.text,
            "prediction": prediction.text,
            "form": form,
            "word_boundary": boundary,
            "ignored_tokens": ignored,
            "scores": scores,
            "intervals": intervals,
        },
        inputs=[
            reference.text,
            prediction.text,
            reference.file,
            prediction.file,
            form,
            boundary,
            ignored,
            scores,
            intervals,
        ],
        outputs=[reference.note, prediction.note, scores_note, table, drawing, take_away],
        show=Inputs(("reference", "prediction", "scores")).guarded(show, results=3),
    )
    # Not when the tab is opened: it is the first, whose results come with the page.
    run(tab, [go.click, *reference.file_events, *prediction.file_events], (share, link))
    for button, pair in zip(examples, PAIRS.values(), strict=True):
        filled = (*pair, None, None, "recognise", "", "")
        # At once: what follows an event may still see the boxes as they were.
        button.click(
            lambda *chosen, filled=filled: (*filled, *tab.show(*filled, *chosen)),
            tab.inputs[len(filled) :],
            [*tab.inputs[: len(filled)], *tab.outputs],
            api_visibility="private",
            show_progress="minimal",
        )
    return tab


def _read_note(scored: Scored, side: str) -> str:
    utterances, units = scored.counts["utterances"], scored.counts["units"]
    words = scored.counts.get(f"token_{side}")
    numbers = [counted(utterances, "utterance")]
    numbers += [] if words is None else [counted(words, "word")]
    return f"Read as {scored.form}: {', '.join([*numbers, counted(units, scored.form.unit)])}."


def _take_away(scored: Scored, source: str) -> str:
    """What a visitor takes along: the lines that do the same, and the numbers in two files."""
    record = {
        "metric": "segmentation_scores",
        "version": __version__,
        "signature": scored.signature,
        "options": scored.options,
        "scores": scored.scores,
        **({"intervals": scored.intervals} if scored.intervals else {}),
        "counts": scored.counts,
    }
    files = {
        "segmentation_scores.json": ("application/json", json.dumps(record, indent=2, ensure_ascii=False)),
        "segmentation_scores.csv": ("text/csv", _table(scored)),
    }
    lines = {"Python": _python(scored, source), "command": _command(scored)}
    return f"<h2>Take it along</h2>{downloads(files)}{copyable(lines)}"


def _table(scored: Scored) -> str:
    """The numbers as CSV."""
    ends = ["low", "high"] if scored.intervals else []
    rows = [[key, value, *scored.intervals.get(key, [""] * len(ends))] for key, value in scored.scores.items()]
    rows += [[column, count, *[""] * len(ends)] for column, count in scored.counts.items()]
    table = io.StringIO()
    csv.writer(table).writerows([["score", "value", *ends], *rows])
    return table.getvalue()


def _python(scored: Scored, source: str) -> str:
    if scored.form.text_format == "conllu":
        return "# CoNLL-U is read by the command."
    sides = {"references": scored.references, "predictions": scored.predictions}
    if sum(map(len, scored.references)) + sum(map(len, scored.predictions)) > _QUOTED:
        read = 'open("{}.txt", encoding="utf-8").read().removesuffix("\\n").split("\\n")'
        values = {side: read.format(side.removesuffix("s")) for side in sides}
    else:
        values = {side: json.dumps(lines, ensure_ascii=False) for side, lines in sides.items()}
    passed = "".join(f"    {name}={value},\n" for name, value in values.items())
    options = "".join(f"    {name}={value!r},\n" for name, value in scored.options.items())
    return f'import evaluate\n\nmetric = evaluate.load("{source}")\nprint(metric.compute(\n{passed}{options}))'


def _command(scored: Scored) -> str:
    options = command_options(scored.form, scored.options)
    return " ".join(["segmentation-scores score reference.txt prediction.txt", *options])


def metric_source() -> str:
    """What `evaluate.load` takes: in a Space the name of the Space, elsewhere the file."""
    return os.environ.get("SPACE_ID", "segmentation_scores.py")
