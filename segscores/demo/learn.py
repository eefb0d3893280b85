"""The tab Learn: the segmenters of a paper's table, and what each score says of them."""

from __future__ import annotations

__all__ = ["add_learn_tab"]

from html import escape
from typing import Any

import gradio as gr

from ..analysis.differences import find_differences
from ..analysis.drawing import draw_differences, draw_scores
from ..measures.registry import GROUPS
from ..scoring.corpus_tally import tally
from .examples import PRINTED, SEGMENTERS
from .groups import DEFAULT_GROUPS, describe
from .tabs import Tab, add_link_row, run

KEYS = ("token_precision", "token_recall", "token_fscore", "token_tnr")
TITLES = ("precision", "recall", "F-score", "true negative rate")
#: What to see in each.
REMARKS = {
    "T1": "cuts everywhere: no word is found, and to precision and recall it is the same as T2; the true negative rate falls.",
    "T2": "cuts nowhere: no word is found, yet the true negative rate is nearly perfect, for it rewards long words.",
    "S1": "splits too little: its precision is higher than its recall.",
    "S2": "splits too much: the same recall as S1, a lower precision.",
    "S3": "finds two of three words; what it splits too much costs precision, not recall.",
}


def add_learn_tab() -> Tab:
    """Add the tab."""
    described = describe(GROUPS)

    def show(language: str, segmenter: str) -> tuple[str, str, str]:
        reference, outputs = SEGMENTERS[language]
        prediction = outputs[segmenter]
        options: dict[str, Any] = {"text_format": "words"}
        tallied = tally(references=[reference], predictions=[prediction], scores=DEFAULT_GROUPS, **options)
        differences = find_differences(references=[reference], predictions=[prediction], **options)
        rows = "".join(
            _row(name, output, name == segmenter, PRINTED[language][name], _token_scores(reference, output))
            for name, output in outputs.items()
        )
        heads = "".join(f"<th scope=col class=number>{title}</th>" for title in TITLES)
        return (
            f"<h2>{segmenter}</h2><p>{segmenter} {REMARKS[segmenter]}</p>{draw_differences(differences)}",
            f'<h2>All five</h2><div class="segscores wide five" tabindex=0 role=region aria-label="Table 1"><table><thead><tr>'
            f"<th scope=col>segmenter</th>{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
            f"<p class=note>Table 1 of Shao, Hardmeier &amp; Nivre (2017). Where the table prints another second decimal than "
            f"its formula gives, that stands in brackets.</p>",
            f"<h2>What each score is</h2>{draw_scores(described, tallied.scores(), tallied.counts(), definitions=True)}",
        )

    with gr.Tab("Learn", id="learn") as component:
        gr.Markdown(
            "Five segmenters, good and bad, on one sentence: choose one, and see what each score makes of it. "
            "`|` a boundary of both, `+` missed, `−` wrong."
        )
        with gr.Row():
            language = gr.Radio(list(SEGMENTERS), value="English", label="Language", min_width=320)
            segmenter = gr.Radio(list(REMARKS), value="S1", label="Segmenter", min_width=320)
        go, share, link = add_link_row("Show")
        with gr.Row():
            with gr.Column(min_width=320):
                drawing = gr.HTML(elem_classes="results")
                table = gr.HTML(elem_classes="results")
            with gr.Column(min_width=320):
                definitions = gr.HTML(elem_classes="results")

    tab = Tab(
        label="Learn",
        tab=component,
        fields={"language": language, "segmenter": segmenter},
        inputs=[language, segmenter],
        outputs=[drawing, table, definitions],
        show=show,
    )
    run(tab, [go.click, component.select, language.change, segmenter.change], (share, link))
    return tab


def _token_scores(reference: str, output: str) -> dict[str, float]:
    scores: dict[str, float] = tally(
        references=[reference], predictions=[output], text_format="words", scores=["token", "tnr"]
    ).scores()
    return scores


def _row(name: str, output: str, chosen: bool, printed: tuple[str, ...], scores: dict[str, float]) -> str:
    cells = []
    for key, shown in zip(KEYS, printed, strict=True):
        differs = f"{scores[key]:.2f}" != f"{float(shown):.2f}"
        cells.append(f"<td class=number>{scores[key]:.2f}{f' ({shown})' if differs else ''}</td>")
    mark = " aria-current=true style='font-weight:600'" if chosen else ""
    head = f"<th scope=row{mark}>{name}{' ◂' if chosen else ''}<small>{escape(output)}</small></th>"
    return f"<tr>{head}{''.join(cells)}</tr>"
