"""The tab Compare: the scores of systems on one reference, the best system, and where systems differ most."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import gradio as gr
import numpy as np

from ..analysis.differences import find_differences
from ..analysis.drawing import draw_differences
from ..measures.registry import GROUPS, goodness, group_of
from ..results.rendering import render as render_result
from ..sources.tallies import tally
from ..statistics.comparison_results import SystemComparison
from ..statistics.significance import ScoreDifference
from ..statistics.signing import sign_comparison
from ..statistics.system_comparison import compare, describe_few_trials
from ..statistics.utterance_scores import per_utterance
from ..support.json_text import finite
from .examples import SYSTEMS
from .groups import GROUPS_OF_TEXTS
from .reading import BoxError, Sides, check_resampled, check_text, counted, problem_of
from .report import report_command, write_report
from .score import UNDEFINED, add_group_choice, add_reading_options, caution_of, number
from .tabs import (
    Inputs,
    Settings,
    Shown,
    Tab,
    TextBox,
    add_actions,
    add_export,
    add_report,
    add_results,
    add_text_box,
    connect,
)
from .takeaway import Takeaway, chart, command_of, file_names, missing_command, python_of, record_of
from .templating import render

#: The number of systems that a page or a call compares at most, and the number of boxes at first.
MAX_SYSTEMS, FIRST_PLACES = 10, 3
PLACES = tuple("ABCDEFGHIJ"[:MAX_SYSTEMS])
MAX_NAME = 60
UTTERANCES_DRAWN = 20

BEST, NOT_WORSE = "best", "not distinguishable from the best"
SIGNS = {BEST: "★", NOT_WORSE: "≈"}


@dataclass(frozen=True)
class Compared:
    """The result of a comparison."""

    found: SystemComparison
    sides: Sides
    boxes: dict[str, str]
    counts: dict[str, dict[str, int]]
    options: dict[str, Any]
    signature: str

    @property
    def references(self) -> list[Any]:
        """The utterances of the reference."""
        return self.sides.utterances["reference"]

    @property
    def systems(self) -> dict[str, list[Any]]:
        """The utterances of each system, by name."""
        return {name: self.sides.utterances[box] for name, box in self.boxes.items()}

    @property
    def level(self) -> float:
        """The p-value up to which a difference is significant."""
        return round(1 - self.found.confidence, 12)

    def written(self, key: str, name: str) -> str:
        """A score of a system, as tables show it."""
        return UNDEFINED if self.found.is_undefined(key, name) else number(self.found.scores[name][key])

    def mark(self, key: str, name: str) -> str:
        """The mark of a system for a score: best, or not distinguishable from the best; empty if it is worse or undefined."""
        if self.found.is_undefined(key, name):
            return ""
        standing = self.found.standing(key, name)
        return BEST if standing.is_best else NOT_WORSE if standing.is_not_worse else ""


def compare_sides(
    sides: Sides,
    boxes: Mapping[str, str],
    scores: Sequence[str],
    *,
    baseline: str | None = None,
    confidence: float = 0.95,
    n_resamples: int = 1000,
) -> Compared:
    """Compare the segmentations of one text by several systems.

    Args:
        baseline: the name of the system that the others are compared with; the first if None.
    """
    counts, options = _check_comparison(sides, boxes, scores, confidence=confidence, n_resamples=n_resamples)
    references = sides.utterances["reference"]
    systems = {name: sides.utterances[box] for name, box in boxes.items()}
    found = compare(references, systems, baseline=baseline, **options)
    scoring = {name: value for name, value in options.items() if name != "n_trials"}
    signature = sides.signed(sign_comparison(references, found, **scoring))
    return Compared(found, sides, dict(boxes), counts, options, signature)


def _check_comparison(
    sides: Sides, boxes: Mapping[str, str], scores: Sequence[str], *, confidence: float, n_resamples: int
) -> tuple[dict[str, dict[str, int]], dict[str, Any]]:
    """The counts of each system, and the options of a comparison that the page can do."""
    if not scores:
        raise BoxError("settings", "choose at least one group of scores.")
    references = sides.utterances["reference"]
    if len(references) < 2:
        raise BoxError(
            "reference", "a comparison needs at least two utterances: type or open a reference, one utterance per line."
        )
    counts = {}
    for name, box in boxes.items():
        try:
            counts[name] = tally(references, sides.utterances[box], scores="token", **sides.reading).counts()
        except ValueError as error:
            if getattr(error, "side", "") == "references":
                raise
            raise problem_of(BoxError(box, str(problem_of(error, [box]))), [box]) from None
    words = sum(count["token_predicted"] for count in counts.values())
    check_resampled("settings", len(references), words, n_resamples=n_resamples, systems=len(boxes))
    options = {**sides.reading, "scores": list(scores), "confidence": confidence, "n_trials": n_resamples}
    return counts, options


def plain_comparison(compared: Compared) -> dict[str, Any]:
    """The comparison as data for JSON."""
    return {**finite(compared.found.to_dict()), "signature": compared.signature}


def add_compare_tab() -> Tab:
    """Add the tab."""
    ranking = [key for name in GROUPS_OF_TEXTS for key in GROUPS[name].keys if key.endswith("_fscore")]
    columns = ("prediction", "predictions")
    examples = dict(zip(PLACES, SYSTEMS[1].items(), strict=False))
    names: dict[str, gr.components.Component] = {}
    places: list[TextBox] = []
    blocks: list[gr.Column] = []
    with gr.Tab("Compare", id="compare") as component:
        gr.Markdown(
            "Which system is best, and is the difference more than chance? Enter a reference and the predictions of two to "
            f"{MAX_SYSTEMS} systems for the same text. Empty boxes are ignored."
        )
        reference = add_text_box("reference", "Reference", SYSTEMS[0], lines=4, columns=("reference", "references"))
        with gr.Row(elem_classes="places"):
            for index, place in enumerate(PLACES):
                name, text = examples.get(place, ("", ""))
                with gr.Column(min_width=300, visible=index < FIRST_PLACES) as block:
                    names[f"name_{place}"] = gr.Textbox(
                        name, label=f"Name of {place}", max_lines=1, max_length=MAX_NAME, placeholder=place
                    )
                    places.append(add_text_box(f"prediction_{place}", f"Prediction {place}", text, columns=columns))
                blocks.append(block)
        actions = add_actions("compare", "Compare", "Add a system")
        with gr.Accordion("Options: form, tokens, scores, baseline, confidence", open=False, elem_classes="options"):
            settings = add_reading_options()
            settings["scores"] = add_group_choice()
            with gr.Row():
                settings["baseline"] = gr.Radio(
                    list(PLACES), value=PLACES[0], label="Baseline", info="The other systems are compared with it."
                )
                settings["by"] = gr.Dropdown(
                    ranking,
                    value="token_fscore",
                    label="Rank by",
                    info="The utterances that differ most in this score are drawn.",
                )
            with gr.Row():
                settings["confidence"] = gr.Slider(
                    0.8,
                    0.99,
                    0.95,
                    step=0.01,
                    label="Confidence",
                    info="The confidence of the intervals. The level of the tests is 1 minus this.",
                )
                settings["n_resamples"] = gr.Slider(
                    100,
                    2000,
                    1000,
                    step=100,
                    label="Resamples",
                    info="More resamples give more exact intervals, but take longer.",
                )
        problems = gr.HTML(elem_classes="note-line")
        first = add_results()
        table = add_results()
        with gr.Accordion("Details: differences from the baseline, their intervals and p-values", open=False):
            details = add_results()
        drawing = add_results()
        take_away = add_export("Export: report, CSV, JSON, SVG, LaTeX, Markdown, Python, command, signature")
        report = add_report("compare", write_report_of)

    tab = Tab(
        component,
        [reference, *places],
        {**names, **settings},
        [first, table, details, drawing, take_away],
        show,
        actions,
        problems,
        waiting="A comparison needs at least two systems.",
        optional=[box.name for box in places],
        report=report,
    )
    connect(tab)
    (more,) = actions.others
    more.click(_show_more, [box.text for box in places], blocks, api_visibility="private", show_progress="hidden")
    actions.button.click(
        _show_filled, [part for box in places for part in (box.text, box.file)], blocks, api_visibility="private"
    )
    return tab


def _show_more(*texts: str) -> list[Any]:
    """Every box up to the first empty one after the last filled one."""
    last = max((index for index, text in enumerate(texts) if text.strip()), default=0)
    most = max(last + 2, FIRST_PLACES + 1)
    return [gr.update(visible=index < most) for index in range(len(texts))]


def _show_filled(*held: Any) -> list[Any]:
    """Every box that holds something, because a link may have filled it."""
    filled = [index // 2 for index, value in enumerate(held) if value and (not isinstance(value, str) or value.strip())]
    return [gr.update(visible=True) if index in filled else gr.skip() for index in range(len(held) // 2)]


def show(inputs: Inputs) -> Shown:
    """The results that the tab shows."""
    settings = inputs.settings
    boxes = _boxes(inputs)
    if len(boxes) < 2:
        return Shown([render("waiting.html", labels=["two predictions"], text="Name and paste them above."), *[""] * 4])
    baseline = _baseline(boxes, settings)
    compared = compare_sides(
        inputs.read("reference", *boxes.values()), boxes, settings["scores"], baseline=baseline, **_resampling(settings)
    )
    by = settings["by"] if settings["by"] in compared.found.keys else ""
    notes = {box: _read_note(compared, name, box) for name, box in boxes.items()}
    notes["reference"] = _read_note(compared, next(iter(boxes)), "reference")
    key = by or compared.found.keys[0]
    return Shown(
        [
            _ranking(compared, key),
            _table(compared, key),
            _details(compared),
            _utterances(compared, settings["by"]),
            _take_away(compared).draw(),
        ],
        notes,
    )


def write_report_of(inputs: Inputs) -> str:
    """The report of the results that the tab shows."""
    settings = inputs.settings
    boxes = _boxes(inputs)
    sides = inputs.read("reference", *boxes.values())
    _, options = _check_comparison(sides, boxes, settings["scores"], **_resampling(settings))
    return write_report(sides, _sections(boxes, _baseline(boxes, settings)), options)


def _boxes(inputs: Inputs) -> dict[str, str]:
    """The boxes that are not blank, by the names of their systems."""
    boxes: dict[str, str] = {}
    for place in PLACES:
        box = f"prediction_{place}"
        if not inputs.boxes[box].is_blank:
            name = inputs.settings[f"name_{place}"].strip() or place
            boxes[_check_name(box, name, boxes)] = box
    return boxes


def _baseline(boxes: Mapping[str, str], settings: Settings) -> str:
    wanted = [name for name, box in boxes.items() if box == f"prediction_{settings['baseline']}"]
    if not wanted:
        missing = settings["baseline"]
        raise BoxError("settings", f"Prediction {missing} is blank and can't be the baseline: choose another baseline.")
    return wanted[0]


def _resampling(settings: Settings) -> dict[str, Any]:
    return {"confidence": settings["confidence"], "n_resamples": round(settings["n_resamples"])}


def _sections(boxes: Mapping[str, str], baseline: str) -> dict[str, str]:
    """The boxes by the names of their systems, the baseline first, as the report has them."""
    return {baseline: boxes[baseline]} | dict(boxes)


def _check_name(box: str, name: str, names: Mapping[str, str]) -> str:
    check_text(box, name)
    if len(name) > MAX_NAME:
        raise BoxError(box, f"the name has {len(name):,} characters: expected up to {MAX_NAME}.")
    if name in names:
        raise BoxError(box, f"two systems have the name {name!r}: give them different names.")
    return name


def _read_note(compared: Compared, name: str, box: str) -> str:
    counts = compared.counts[name]
    words = counts["token_reference" if box == "reference" else "token_predicted"]
    numbers = [
        counted(counts["utterances"], "utterance"),
        counted(words, "word"),
        counted(counts["units"], compared.sides.form.unit),
    ]
    return f"Read as {compared.sides.forms[box]}: {', '.join(numbers)}."


def _ranking(compared: Compared, key: str) -> str:
    """Which system is best by a score, and which are not distinguishable from it."""
    found = compared.found
    values = np.array([scores[key] for scores in found.scores.values()])
    ranks = goodness(key, values)
    order = np.argsort(-values if ranks is None else -ranks, kind="stable")
    placed: dict[str, list[tuple[str, str]]] = {BEST: [], NOT_WORSE: [], "": []}
    undefined = [name for name in found.scores if found.is_undefined(key, name)]
    for name in np.array(list(found.scores), object)[order]:
        if name in undefined:
            continue
        placed[compared.mark(key, name)].append((name, compared.written(key, name)))
    tried = f"all {found.trials:,} exchanges of utterances" if found.is_exact else f"{found.trials:,} trials"
    return render(
        "ranking.html",
        key=key,
        winners=placed[BEST],
        alike=placed[NOT_WORSE],
        worse=placed[""],
        undefined=undefined,
        level=f"{compared.level:g}",
        tests="Student’s t" if key in found.of_types else f"paired randomisation ({tried})",
        sizes=f"{counted(found.utterances, 'utterance')}, {compared.options['n_trials']:,} trials."
        + caution_of(found.utterances),
        caution=describe_few_trials(found),
    )


def _table(compared: Compared, chosen: str) -> str:
    """The scores of each system, with half the width of their intervals."""
    found = compared.found
    groups = []
    for name in compared.options["scores"]:
        rows = [
            {"key": key, "is_chosen": key == chosen, "cells": [_cell(compared, key, system) for system in found.scores]}
            for key in GROUPS[name].keys
            if key in compared.found.keys
        ]
        groups.append({"title": GROUPS[name].title, "rows": rows})
    return "<h2>Scores</h2>" + render(
        "comparison.html",
        systems=[{"name": name, "is_baseline": name == found.baseline} for name in found.scores],
        groups=groups,
        best=SIGNS[BEST],
        alike=SIGNS[NOT_WORSE],
        level=f"{compared.level:g}",
        percent=f"{100 * found.confidence:g} %",
        has_undefined=any(found.is_undefined(key, *found.scores) for key in compared.found.keys),
    )


def _cell(compared: Compared, key: str, name: str) -> dict[str, str]:
    low, high = compared.found.intervals[name][key]
    mark = compared.mark(key, name)
    has_none = compared.found.is_undefined(key, name) or math.isnan(low) or math.isnan(high)
    half = "" if has_none else f"± {(high - low) / 2:.4f}"
    return {"value": compared.written(key, name), "half": half, "mark": mark, "sign": SIGNS.get(mark, "")}


def _details(compared: Compared) -> str:
    found = compared.found
    rows = []
    for key in compared.found.keys:
        for name, differences in found.differences.items():
            tested = differences[key]
            low, high = found.intervals[name][key]
            rows.append(
                {
                    "key": key,
                    "name": name,
                    "value": compared.written(key, name),
                    "interval": UNDEFINED if found.is_undefined(key, name) else f"[{number(low)}, {number(high)}]",
                    **_difference_cells(tested, lacks=found.is_undefined(key, name, found.baseline)),
                    "verdict": found.standing(key, name).verdict,
                }
            )
    percent = f"{100 * found.confidence:g} %"
    return render(
        "differences_from_baseline.html",
        rows=rows,
        baseline=found.baseline,
        percent=percent,
        has_types=bool(found.of_types),
    )


def _difference_cells(tested: ScoreDifference, *, lacks: bool) -> dict[str, str]:
    """The cells of a difference from the baseline; dashes if there is none."""
    if lacks:
        return dict.fromkeys(("difference", "ends", "p"), UNDEFINED)
    p = tested.p_randomisation_holm
    return {
        "difference": _signed(tested.difference),
        "ends": f"[{_signed(tested.low)}, {_signed(tested.high)}]",
        "p": UNDEFINED if math.isnan(p) else f"{p:.4f}",
    }


def _utterances(compared: Compared, by: str) -> str:
    """The utterances in which the scores of the systems differ most, as each system segments them."""
    scores = {
        name: [
            row[by]
            for row in per_utterance(
                compared.references,
                predictions,
                **compared.sides.reading,
                scores=by.removesuffix("_fscore"),
                zero_division=math.nan,
            )
        ]
        for name, predictions in compared.systems.items()
    }
    # A score is undefined where neither side has anything to count: nothing is wrong there.
    known = ([1.0 if math.isnan(value) else value for value in values] for values in zip(*scores.values(), strict=True))
    spreads = [max(values) - min(values) for values in known]
    differing = [index for index, spread in enumerate(spreads) if spread > 0]
    chosen = sorted(differing, key=lambda index: -spreads[index])[:UTTERANCES_DRAWN]
    if not chosen:
        return render("utterances.html", key=by, drawn="")
    drawn = {
        name: find_differences(
            [compared.references[index] for index in chosen],
            [predictions[index] for index in chosen],
            **compared.sides.reading,
        )
        for name, predictions in compared.systems.items()
    }
    places = [(order, index, name) for order, index in enumerate(chosen) for name in drawn]
    differ = "differs" if len(differing) == 1 else "differ"
    shown = f"; the {len(chosen)} that differ most are drawn" if len(chosen) < len(differing) else ""
    return render(
        "utterances.html",
        key=by,
        told=f"{len(differing):,} of {counted(len(spreads), 'utterance')} {differ}{shown}",
        systems=min(len(drawn), 3),
        drawn=draw_differences(
            [drawn[name][order] for order, _, name in places],
            numbers=[1 + index for _, index, _ in places],
            titles=[f"{name}: {by} {number(scores[name][index])}" for _, index, name in places],
        ),
    )


def _take_away(compared: Compared) -> Takeaway:
    found, sides = compared.found, compared.sides
    names = file_names(sides)
    inputs = {"reference": names["reference"], "predictions": [names[box] for box in compared.boxes.values()]}
    chosen = {name: compared.options[name] for name in ("scores", "confidence")}
    command = command_of(
        sides,
        "compare",
        inputs,
        baseline=names[compared.boxes[found.baseline]],
        n_trials=compared.options["n_trials"],
        **chosen,
    )
    passed: dict[str, Any] = {"references": ["reference"], "systems": compared.boxes}
    options = {"baseline": found.baseline, **compared.options}
    no_command = missing_command(sides)
    report = report_command(sides, _sections(compared.boxes, found.baseline), **chosen)
    commands = {} if no_command else {"command": command, "command for the report": report}
    shares = [key for key in compared.found.keys if group_of(key).range_of(key)[1] == 1]
    bars = [
        (f"{name}, {key}", scores[key], *found.intervals[name][key])
        for key in [key for key in shares if key.endswith("_fscore") or key == "token_tnr"] or shares
        for name, scores in found.scores.items()
    ]
    result = replace(found.result(), signature=compared.signature)
    return Takeaway(
        "segmentation_comparison",
        {
            "csv": render_result(result, "csv"),
            "json": record_of(options=compared.options, **plain_comparison(compared)),
            "svg": chart(f"Comparison, {compared.signature}", bars),
        },
        {
            "Markdown": render_result(result, "markdown"),
            "LaTeX": render_result(result, "latex"),
            "signature": compared.signature,
            "Python": python_of(sides, "compare", passed, options).replace("print(found)", "print(found.to_dict())"),
            **commands,
        },
        no_command,
        has_report=True,
    )


def _signed(difference: float) -> str:
    if math.isnan(difference):
        return "–"
    written = f"{abs(difference):.4f}"
    return written if not float(written) else f"{'−' if difference < 0 else '+'}{written}"
