"""The tab Score: the scores of a prediction, its differences from the reference, and its wrong words."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import gradio as gr

from ..analysis.differences import find_differences
from ..analysis.drawing import describe_counts, draw_differences
from ..analysis.error_analysis import analyse_errors
from ..measures.group import ScoreGroup
from ..measures.registry import GROUPS, group_of
from ..sources.tallies import tally
from ..statistics import signing
from ..statistics.clusters import MIN_CLUSTERS
from ..statistics.corpus_scores import score
from ..statistics.utterance_scores import per_utterance
from ..support.json_text import finite
from .examples import PAIRS
from .groups import DEFAULT_GROUPS, GROUPS_OF_TEXTS
from .page import DRAWN
from .reading import FORMS, BoxError, Sides, check_resampled, counted
from .report import report_command, write_report
from .tabs import Inputs, Settings, Shown, Tab, add_actions, add_export, add_report, add_results, add_text_box, connect
from .takeaway import Takeaway, chart, command_of, csv_of, file_names, python_of, record_of
from .templating import render

#: The confidence of intervals on the page, and the number of resamples, the defaults of the package.
CONFIDENCE, RESAMPLES = 0.95, 1000
WORDS_SHOWN = 10
_HEADLINE = {"word F": "token_fscore", "boundary F": "boundary_noedge_fscore", "type F": "type_fscore"}

UNDEFINED = "–"

ORDERS = ["as in the text", "worst first"]


@dataclass(frozen=True)
class Scored:
    """The result of a scoring."""

    sides: Sides
    scores: dict[str, float]
    counts: dict[str, int]
    undefined: list[str]
    options: dict[str, Any]
    signature: str
    intervals: dict[str, tuple[float, float]]

    @property
    def references(self) -> list[Any]:
        """The utterances of the reference."""
        return self.sides.utterances["reference"]

    @property
    def predictions(self) -> list[Any]:
        """The utterances of the prediction."""
        return self.sides.utterances["prediction"]


def score_sides(sides: Sides, scores: Sequence[str], confidence: float | None = None) -> Scored:
    """Score a prediction against a reference."""
    options = _check_scoring(sides, scores, confidence)
    references, predictions = sides.utterances["reference"], sides.utterances["prediction"]
    tallied = tally(references, predictions, **sides.reading, scores=scores, **_window(scores, references, sides))
    intervals = {}
    if confidence is not None:
        found = score(references, predictions, **options)
        intervals = {key: (found[f"{key}_low"], found[f"{key}_high"]) for key in found if f"{key}_low" in found}
    signature = sides.signed(signing.signature(references, **options))
    return Scored(sides, tallied.scores(), tallied.counts(), tallied.undefined(), options, signature, intervals)


def _check_scoring(sides: Sides, scores: Sequence[str], confidence: float | None) -> dict[str, Any]:
    if not scores:
        raise BoxError("settings", "choose at least one group of scores.")
    references, predictions = sides.utterances["reference"], sides.utterances["prediction"]
    if not references:
        raise BoxError("reference", "there is nothing to score: type or open a reference, one utterance a line.")
    options = {**sides.reading, "scores": list(scores)}
    if confidence is None:
        return options
    words = tally(references, predictions, scores="token", **sides.reading).counts()["token_predicted"]
    check_resampled("settings", len(references), words, n_resamples=RESAMPLES)
    if len(references) < 2:
        raise BoxError("settings", "intervals need at least two utterances: add one, or turn the intervals off.")
    return options | {"confidence": confidence}


def _window(scores: Sequence[str], references: Sequence[Any], sides: Sides) -> dict[str, Any]:
    """The size of windows, which a tally needs as an option."""
    if "windows" not in scores:
        return {}
    signature = signing.signature(references, scores=["windows"], **sides.reading)
    found = next(part for part in signature.split("|") if part.startswith("win:"))
    size = found.removeprefix("win:").partition("-")[0]
    return {"window_size": int(size)}


def add_reading_options() -> dict[str, gr.components.Component]:
    """Add the settings for reading texts."""
    with gr.Row():
        form = gr.Radio(FORMS, value="recognise", label="Form", info="How words are separated.", min_width=300)
        boundary = gr.Textbox(
            "", label="Word boundary", info="For units text.", placeholder="WORD_BOUNDARY", max_lines=1
        )
        ignored = gr.Textbox("", label="Ignored tokens", info="For units text.", placeholder=";esyll", max_lines=1)
    return {"form": form, "word_boundary": boundary, "ignored_tokens": ignored}


def add_group_choice() -> gr.CheckboxGroup:
    """Add the choice of score groups; hover and focus show the definition of each."""
    return gr.CheckboxGroup(
        [(GROUPS[name].title, name) for name in GROUPS_OF_TEXTS],
        value=list(DEFAULT_GROUPS),
        label="Scores",
        elem_classes="groups",
    )


def add_score_tab() -> Tab:
    """Add the tab."""
    with gr.Tab("Score", id="score") as component:
        with gr.Row():
            placeholder = "One utterance per line, with spaces between words; or CoNLL-U, or JSON lines."
            reference = add_text_box(
                "reference",
                "Reference",
                PAIRS["English"][0],
                placeholder=placeholder,
                columns=("reference", "references"),
            )
            prediction = add_text_box(
                "prediction",
                "Prediction",
                PAIRS["English"][1],
                placeholder="The same text, segmented differently.",
                columns=("prediction", "predictions"),
            )
        actions = add_actions("score", "Score", examples=PAIRS)
        with gr.Accordion("Options: form, tokens, scores, intervals", open=False, elem_classes="options"):
            settings = add_reading_options()
            settings["scores"] = add_group_choice()
            settings["intervals"] = gr.Checkbox(False, label=f"{100 * CONFIDENCE:g} % intervals")
        problems = gr.HTML(elem_classes="note-line")
        headline = add_results()
        with gr.Row(elem_classes="tools"):
            settings["order"] = gr.Radio(ORDERS, value=ORDERS[0], label="Order", show_label=False, container=False)
            settings["errors_only"] = gr.Checkbox(False, label="errors only", container=False, min_width=110, scale=0)
            settings["search"] = gr.Textbox(
                "", label="Search", show_label=False, container=False, placeholder="Search", max_lines=1, min_width=120
            )
            settings["line"] = gr.Textbox(
                "",
                label="From line",
                show_label=False,
                container=False,
                placeholder="From line",
                max_lines=1,
                min_width=90,
            )
        drawing = add_results(elem_id="drawing-score")
        table = add_results()
        words = add_results()
        take_away = add_export("Export: report, CSV, JSON, SVG, Python, command, signature")
        report = add_report("score", write_report_of)

    boxes, results = [reference, prediction], [headline, drawing, table, words, take_away]
    waiting = "Scores appear as you type."
    tab = Tab(component, boxes, settings, results, show, actions, problems, waiting=waiting, report=report)
    connect(tab)
    held = [part for box in tab.boxes for part in (box.text, box.file, box.chip, box.remove)]
    for example, name in zip(actions.others, PAIRS, strict=True):
        example.click(
            None,
            tab.inputs,
            [*held, *(settings[name] for name in ("form", "word_boundary", "ignored_tokens", "search", "line"))],
            js=f"(...values) => window.segscores.example({json.dumps(PAIRS[name])}, values)",
            api_visibility="private",
        )
    return tab


def show(inputs: Inputs) -> Shown:
    """The results that the tab shows."""
    settings = inputs.settings
    scored = score_sides(inputs.read(*inputs.boxes), settings["scores"], _confidence(settings))
    notes = {"reference": read_note(scored, "reference"), "prediction": read_note(scored, "prediction")}
    results = [
        _headline(scored),
        _differences(scored, settings),
        draw_cards(
            [GROUPS[name] for name in scored.options["scores"]],
            scored.scores,
            scored.counts,
            scored.intervals,
            "score",
            confidence=scored.options.get("confidence"),
            undefined=scored.undefined,
        ),
        _words(scored),
        _take_away(scored).draw(),
    ]
    return Shown(results, notes)


def write_report_of(inputs: Inputs) -> str:
    """The report of the results that the tab shows."""
    sides = inputs.read(*inputs.boxes)
    options = _check_scoring(sides, inputs.settings["scores"], _confidence(inputs.settings))
    return write_report(sides, _section(sides), options)


def _confidence(settings: Settings) -> float | None:
    return CONFIDENCE if settings["intervals"] else None


def _section(sides: Sides) -> dict[str, str]:
    """The prediction by the name that the command gives it."""
    return {file_names(sides)["prediction"]: "prediction"}


def read_note(scored: Scored, box: str) -> str:
    """A line that describes what was read from a box."""
    utterances, units = scored.counts["utterances"], scored.counts["units"]
    words = scored.counts.get(f"token_{'reference' if box == 'reference' else 'predicted'}")
    numbers = [counted(utterances, "utterance")]
    numbers += [] if words is None else [counted(words, "word")]
    return f"Read as {scored.sides.forms[box]}: {', '.join([*numbers, counted(units, scored.sides.form.unit)])}."


def _headline(scored: Scored) -> str:
    found = tally(
        scored.references, scored.predictions, scores=["token", "boundary_noedge", "type"], **scored.sides.reading
    )
    scores, counts, undefined = found.scores(), found.counts(), found.undefined()
    return render(
        "headline.html",
        matched=f"{counts['token_matched']:,}",
        total=f"{counts['token_reference']:,}",
        scores=[(name, UNDEFINED if key in undefined else _rounded(scores[key])) for name, key in _HEADLINE.items()],
        found_all=counts["token_matched"] == counts["token_predicted"] == counts["token_reference"],
    )


def _rounded(score: float) -> str:
    """A score with two decimals, rounded half up."""
    return str(Decimal(repr(score)).quantize(Decimal("0.01"), ROUND_HALF_UP))


def _differences(scored: Scored, settings: Mapping[str, Any]) -> str:
    """The utterances that the visitor selects, in the selected order."""
    total = len(scored.references)
    is_whole = not (settings["errors_only"] or settings["search"].strip() or settings["line"].strip())
    if is_whole and settings["order"] == ORDERS[0]:
        chosen: Sequence[int] = range(total)
    else:
        chosen = _chosen(scored, settings)
    shown = chosen[:DRAWN]
    differences = (
        find_differences(
            [scored.references[index] for index in shown],
            [scored.predictions[index] for index in shown],
            **scored.sides.reading,
        )
        if shown
        else []
    )
    drawn = draw_differences(
        differences, total if is_whole and total > DRAWN else None, numbers=[index + 1 for index in shown]
    )
    told = "" if is_whole else f"{len(chosen):,} of {counted(total, 'utterance')}"
    if not is_whole and len(shown) < len(chosen):
        told += f"; the first {len(shown):,} are drawn"
    return render("differences.html", told=told, drawn=drawn, is_empty=not shown)


def _chosen(scored: Scored, settings: Mapping[str, Any]) -> list[int]:
    line = settings["line"].strip()
    if line and not (line.isdecimal() and 1 <= int(line[:12]) <= len(scored.references)):
        last = len(scored.references)
        raise BoxError(
            "settings", f"From line: expected the number of a line from 1 to {last:,}, received {line[:40]!r}."
        )
    rows = per_utterance(
        scored.references,
        scored.predictions,
        # A blank utterance has no error.
        **scored.sides.reading,
        scores="token",
        zero_division=1.0,
        worst="token_fscore" if settings["order"] == ORDERS[1] else None,
    )
    first = int(line) - 1 if line else 0
    wanted = _text_of(settings["search"], scored.sides)
    return [
        index
        for row in rows
        if (index := int(row["utterance"])) >= first
        and (not settings["errors_only"] or row["token_fscore"] < 1)
        and (
            not wanted
            or any(wanted in _text_of(side[index], scored.sides) for side in (scored.references, scored.predictions))
        )
    ]


def _text_of(utterance: str | list[str], sides: Sides) -> str:
    """The units of an utterance in a row, in lower case for searching."""
    if not isinstance(utterance, str):
        return "".join("".join(utterance).split()).casefold()
    tokens = utterance.casefold().split()
    if sides.form.text_format != "units":
        return "".join(tokens)
    left_out = {sides.form.word_boundary.casefold(), *(token.casefold() for token in sides.form.ignored_tokens)}
    return " ".join(token for token in tokens if token not in left_out)


def draw_cards(
    groups: Sequence[Any],
    scores: Mapping[str, float],
    counts: Mapping[str, int],
    intervals: Mapping[str, tuple[float, float]],
    prefix: str,
    *,
    confidence: float | None = None,
    undefined: Collection[str] = (),
) -> str:
    """Scores, a card for each group, with the definition of the group behind its title."""
    cards = []
    for group in groups:
        values = {key: math.nan if key in undefined else scores[key] for key in group.keys if key in scores}
        rows = [_row(group, key, value, intervals.get(key)) for key, value in values.items()]
        cards.append(
            {
                "name": group.name,
                "title": group.title,
                "definition": group.definition,
                "formula": group.formula,
                "source": group.source,
                "counts": describe_counts(group.name, group.columns, counts),
                "rows": rows,
            }
        )
    return render(
        "scores.html",
        groups=cards,
        prefix=prefix,
        confidence=confidence,
        resamples=f"{RESAMPLES:,}",
        has_types=any(group.name == "type" for group in groups),
        caution=caution_of(counts.get("utterances", 0)),
        without=[key for key, ends in intervals.items() if math.isnan(ends[0]) and key not in undefined],
        undefined=[key for key in scores if key in undefined],
    )


def caution_of(utterances: int) -> str:
    """The caution for intervals from few utterances."""
    few = (
        f" Intervals from fewer than {MIN_CLUSTERS} utterances contain the true score less often than their level says."
    )
    return few if utterances < MIN_CLUSTERS else ""


def _row(group: Any, key: str, value: float, ends: tuple[float, float] | None) -> dict[str, object]:
    is_share = not isinstance(group, ScoreGroup) or group.range_of(key) == (0.0, 1.0)
    better = group.better_of(key) if isinstance(group, ScoreGroup) else "higher"
    return {
        "name": key,
        "value": number(value),
        "interval": f"[{number(ends[0])}, {number(ends[1])}]" if ends else "",
        "share": 100 * value if is_share and not math.isnan(value) else None,
        "better": {"lower": "lower is better", "near 0": "best near 0"}.get(better, ""),
    }


def number(value: float) -> str:
    """A score with four decimals; a dash where it is undefined."""
    if math.isnan(value):
        return UNDEFINED
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    written = f"{value:.4f}".replace("-", "−")
    return written.removesuffix(".0000") if abs(value) > 1 and written.endswith(".0000") else written


def _words(scored: Scored) -> str:
    reading = scored.sides.reading
    missed = analyse_errors(scored.references, scored.predictions, examples=0, **reading)
    wrong = analyse_errors(scored.predictions, scored.references, examples=0, **reading)

    missed_words, wrong_words = missed.wrong_words(WORDS_SHOWN), wrong.wrong_words(WORDS_SHOWN)
    return render("errors.html", missed=missed_words, wrong=wrong_words, patterns=missed.errors(WORDS_SHOWN))


def _take_away(scored: Scored) -> Takeaway:
    record = record_of(
        signature=scored.signature,
        options=scored.options,
        scores=finite(scored.scores),
        **({"intervals": finite(scored.intervals)} if scored.intervals else {}),
        counts=scored.counts,
        undefined=scored.undefined,
    )
    ends = ["low", "high"] if scored.intervals else []
    rows: list[list[object]] = [["score", "value", *ends]]
    rows += [[key, value, *scored.intervals.get(key, [""] * len(ends))] for key, value in scored.scores.items()]
    rows += [[column, count, *[""] * len(ends)] for column, count in scored.counts.items()]
    # Counts and rates without a limit have no place on a scale up to 1.
    bars = [
        (key, value, *scored.intervals.get(key, (None, None)))
        for key, value in scored.scores.items()
        if group_of(key).range_of(key)[1] == 1
    ]
    names = file_names(scored.sides)
    chosen, confidence = scored.options["scores"], scored.options.get("confidence")
    intervals = {} if confidence is None else {"confidence": confidence}
    inputs = {"reference": names["reference"], "predictions": [names["prediction"]]}
    passed = {"references": ["reference"], "predictions": ["prediction"]}
    return Takeaway(
        "segmentation_scores",
        {"csv": csv_of(rows), "json": record, "svg": chart(f"Segmentation scores, {scored.signature}", bars)},
        {
            "signature": scored.signature,
            "Python": python_of(scored.sides, "score", passed, scored.options),
            "command": command_of(scored.sides, "score", inputs, scores=chosen, **intervals),
            "command for the report": report_command(
                scored.sides, _section(scored.sides), chosen, confidence=confidence
            ),
        },
        has_report=True,
    )
