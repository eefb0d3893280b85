"""The tab Compare: systems on one reference, what they score, whether their differences are real, and where they differ most."""

from __future__ import annotations

__all__ = ["Compared", "add_compare_tab", "compare_texts", "plain_comparison"]

import csv
import io
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import Any

import gradio as gr

from .. import __version__
from ..analysis.differences import find_differences
from ..analysis.drawing import draw_differences
from ..measures.registry import GROUPS
from ..reading.texts import read_texts
from ..scoring.corpus_tally import tally
from ..statistics.signing import sign_scoring
from ..statistics.system_comparison import compare_predictions
from ..statistics.utterance_scores import per_utterance
from .examples import SYSTEMS
from .groups import DEFAULT_GROUPS, describe
from .page import COPY_SCRIPT
from .reading import FORMS, BoxError, check_resampled, check_text, counted, find_form, note, text_of
from .score import metric_source
from .tabs import Inputs, Tab, TextBox, add_link_row, add_text_box, run
from .takeaway import command_options, copyable, downloads, plain

#: The places for systems, and the longest name of one.
PLACES = ("A", "B", "C")
MAX_NAME = 60
#: How many of the utterances in which systems differ are drawn.
UTTERANCES_DRAWN = 20

BEST, NOT_WORSE = "best", "not significantly worse"
SIGNS = {BEST: "★", NOT_WORSE: "≈"}


@dataclass(frozen=True)
class Compared:
    """What one comparison gave.

    Attributes:
        found: the comparison.
        form: how the texts were read, a `texts.TextForm`.
        references, systems: as they were read, the systems by name.
        counts: by system, of words and units.
        options: those of the comparison.
        signature: how the scores came about.
    """

    found: Any
    form: Any
    references: list[Any]
    systems: dict[str, list[Any]]
    counts: dict[str, dict[str, int]]
    options: dict[str, Any]
    signature: str

    @property
    def keys(self) -> list[str]:
        """The names of the scores."""
        return list(self.found.scores[self.found.baseline])

    @property
    def level(self) -> float:
        """The p-value below which a difference is significant."""
        level: float = round(1 - self.found.confidence, 12)
        return level

    @property
    def reading(self) -> dict[str, Any]:
        """The options on how utterances are read."""
        return self.form.options()  # type: ignore[no-any-return]


def compare_texts(
    reference: str,
    systems: Mapping[str, str],
    form: str = "recognise",
    scores: Sequence[str] = (),
    *,
    baseline: str | None = None,
    confidence: float = 0.95,
    n_resamples: int = 1000,
    word_boundary: str = "",
    ignored_tokens: str = "",
    boxes: Mapping[str, str] | None = None,
) -> Compared:
    """Compare what systems make of one text.

    Args:
        reference: a text.
        systems: by name what each makes of it.
        form: one of FORMS.
        scores: names of groups.
        baseline: the name of the system with which the others are compared; the first if None.
        confidence, n_resamples: of the intervals and tests.
        word_boundary, ignored_tokens: for units text, as typed.
        boxes: by name of a system the box that errors in its text are about; else they name the system.

    Raises:
        TypeError, ValueError: as the functions of the package; a `BoxError` where the work would be too much for a page.
    """
    if not scores:
        raise BoxError("settings", "choose at least one group of scores.")
    texts = [reference, *systems.values()]
    found_form = find_form(form, texts, word_boundary, ignored_tokens)
    reading = found_form.options()

    def blame(name: str, error: ValueError) -> BoxError:
        return BoxError(boxes[name], str(error)) if boxes else BoxError("systems", f"system {name!r}: {error}")

    references, predictions = _read(reference, systems, found_form, blame)
    if len(references) < 2:
        raise BoxError(
            "reference", "chance needs at least two utterances: type or upload a reference, one utterance a line."
        )
    counts = {}
    for name, utterances in predictions.items():
        try:
            counts[name] = tally(references=references, predictions=utterances, scores="token", **reading).counts()
        except ValueError as error:
            raise error if getattr(error, "side", "") == "references" else blame(name, error) from None
    words = sum(count["token_predicted"] for count in counts.values())
    check_resampled("settings", len(references), words, n_resamples=n_resamples, systems=len(systems))
    options = {**reading, "scores": list(scores), "confidence": confidence, "n_resamples": n_resamples}

    found = compare_predictions(references=references, systems=predictions, baseline=baseline, **options)
    signature = sign_scoring(references=references, **options)
    return Compared(found, found_form, references, predictions, counts, options, signature)


def _read(
    reference: str,
    systems: Mapping[str, str],
    form: Any,
    blame: Callable[[str, ValueError], BoxError],
) -> tuple[list[Any], dict[str, list[Any]]]:
    """The utterances of the reference and of each system.

    Raises:
        UtteranceError: something in the reference is not in the form.
        BoxError: something in a system's text is not.
    """
    try:
        references, *predictions = read_texts([reference, *systems.values()], form)
    except ValueError as error:
        for name, text in systems.items() if getattr(error, "side", "") == "predictions" else ():
            try:
                read_texts([reference, text], form)
            except ValueError as its_own:
                raise blame(name, its_own) from None
        raise
    return references, dict(zip(systems, predictions, strict=True))


def plain_comparison(compared: Compared) -> dict[str, Any]:
    """The comparison as JSON has it."""
    return {**plain(compared.found.to_dict()), "signature": compared.signature}


def add_compare_tab() -> Tab:
    """Add the tab."""
    groups, source = list(DEFAULT_GROUPS), metric_source()
    described = describe(GROUPS)
    ranking = [key for group in groups for key in GROUPS[group].keys if key.endswith("_fscore")]

    with gr.Tab("Compare", id="compare") as component:
        gr.Markdown(
            "Which system is better, and is the difference more than chance? Two or three systems segment the text of one "
            "reference, and the utterances tell. C may stay empty."
        )
        with gr.Row():
            reference = add_text_box("Reference", SYSTEMS[0], lines=8)
            with gr.Column(min_width=320):
                form = gr.Radio(FORMS, value="recognise", label="Form", info="How words are separated.")
                with gr.Accordion("Tokens of units text", open=False):
                    boundary = gr.Textbox("", label="Word boundary", placeholder="WORD_BOUNDARY", max_lines=1)
                    ignored = gr.Textbox("", label="Ignored tokens", placeholder=";esyll", max_lines=1)
                scores = gr.CheckboxGroup(groups, value=groups, label="Scores")
                settings_note = gr.HTML(elem_classes="note-line")
        systems: list[tuple[gr.Textbox, TextBox]] = []
        with gr.Row():
            for place, (name, text) in zip(PLACES, SYSTEMS[1].items(), strict=True):
                with gr.Column(min_width=320):
                    named = gr.Textbox(name, label=f"Name of {place}", max_lines=1, max_length=MAX_NAME)
                    systems.append((named, add_text_box(f"Prediction {place}", text, lines=6)))
        with gr.Row():
            with gr.Column(min_width=320):
                baseline = gr.Radio(
                    list(PLACES), value=PLACES[0], label="Baseline", info="The others are compared with it."
                )
                by = gr.Radio(
                    ranking,
                    value="token_fscore" if "token_fscore" in ranking else ranking[0],
                    label="Utterances by",
                    info="Those in which systems differ most by this score are drawn.",
                )
            with gr.Column(min_width=320):
                confidence = gr.Slider(
                    0.8,
                    0.99,
                    0.95,
                    step=0.01,
                    label="Confidence",
                    info="Of the intervals; 1 − it is the level of the tests.",
                )
                resamples = gr.Slider(
                    100, 2000, 1000, step=100, label="Resamples", info="More are more exact, and slower."
                )
        go, share, link = add_link_row("Compare")
        table = gr.HTML(elem_classes="results", js_on_load=COPY_SCRIPT)
        drawing = gr.HTML(elem_classes="results")
        take_away = gr.HTML(elem_classes="results", js_on_load=COPY_SCRIPT)

    names = [name for name, _ in systems]
    boxes = [reference, *(box for _, box in systems)]
    settings = {
        "form": form,
        "word_boundary": boundary,
        "ignored_tokens": ignored,
        "scores": scores,
        "baseline": baseline,
        "by": by,
        "confidence": confidence,
        "n_resamples": resamples,
    }
    tab = Tab(
        label="Compare",
        tab=component,
        fields={
            "reference": reference.text,
            **{f"name_{place}": name for place, name in zip(PLACES, names, strict=True)},
            **{f"prediction_{place}": box.text for place, (_, box) in zip(PLACES, systems, strict=True)},
            **settings,
        },
        inputs=[*(box.text for box in boxes), *(box.file for box in boxes), *names, *settings.values()],
        outputs=[*(box.note for box in boxes), settings_note, table, drawing, take_away],
        show=Inputs(("reference", "a", "b", "c", "settings")).guarded(partial(_show, described, source), results=3),
    )
    run(tab, [go.click, component.select, *(event for box in boxes for event in box.file_events)], (share, link))
    return tab


def _show(described: Mapping[str, Mapping[str, Any]], source: str, *values: Any) -> tuple[str, ...]:
    """What the tab shows for what stands in it: lines under its boxes, the table, the utterances and what to take along."""
    texts, files, names = values[:4], values[4:8], values[8:11]
    form, boundary, ignored, scores, baseline, by, confidence, n_resamples = values[11:]
    reference = text_of("reference", texts[0], files[0])
    given: dict[str, str] = {}
    boxes: dict[str, str] = {}
    for place, name, text, file in zip(PLACES, names, texts[1:], files[1:], strict=True):
        box = place.lower()
        content = text_of(box, text, file)
        # The first two are always compared, so that an empty one is told from the reference.
        if content.strip() or place != PLACES[-1]:
            boxes[_check_name(box, name.strip() or place, boxes)] = box
            given[name.strip() or place] = content
    wanted = [name for name, box in boxes.items() if box == baseline.lower()]
    if not wanted:
        raise BoxError("settings", f"there is no text {baseline} to be the baseline: choose another baseline.")
    compared = compare_texts(
        reference,
        given,
        form,
        scores,
        baseline=wanted[0],
        confidence=confidence,
        n_resamples=round(n_resamples),
        word_boundary=boundary,
        ignored_tokens=ignored,
        boxes=boxes,
    )
    notes = dict.fromkeys(("reference", *(place.lower() for place in PLACES)), "")
    for name, box in boxes.items():
        notes["reference"] = _read_note(compared, name, "reference")
        notes[box] = _read_note(compared, name, "predicted")
    return (
        *map(note, notes.values()),
        "",
        f"<h2>Comparison</h2>{_draw_comparison(described, compared, by)}{copyable({'signature': compared.signature})}",
        f"<h2>Where they differ most by {by}</h2>{_draw_utterances(compared, by)}",
        _take_away(compared, source),
    )


def _check_name(box: str, name: str, names: Mapping[str, str]) -> str:
    """The name of a system, if it can be told from the others.

    Raises:
        BoxError: it is too long, or another system has it.
    """
    check_text(box, name)
    if len(name) > MAX_NAME:
        raise BoxError(box, f"the name has {len(name):,} characters: expected up to {MAX_NAME}.")
    if name in names:
        raise BoxError(box, f"two systems have the name {name!r}: give them different names.")
    return name


def _read_note(compared: Compared, name: str, side: str) -> str:
    counts = compared.counts[name]
    numbers = [
        counted(counts["utterances"], "utterance"),
        counted(counts[f"token_{side}"], "word"),
        counted(counts["units"], compared.form.unit),
    ]
    return f"Read as {compared.form}: {', '.join(numbers)}."


def _draw_comparison(described: Mapping[str, Mapping[str, Any]], compared: Compared, by: str) -> str:
    """What each system scores, in the manner of `drawing.draw_scores`."""
    found = compared.found
    systems = list(found.scores)
    bodies = []
    for group in described.values():
        present = [key for key in group["keys"] if key in compared.keys]
        rows = "".join(
            f"<tr><th scope=row>{escape(key).replace('_', '_<wbr>')}</th>"
            f"{''.join(_cell(compared, key, name) for name in systems)}</tr>"
            for key in present
        )
        if rows:
            head = f"<th colspan={1 + len(systems)} scope=rowgroup>{escape(str(group['title']))}</th>"
            bodies.append(f"<tbody><tr class=group>{head}</tr>{rows}</tbody>")
    heads = "".join(
        f"<th scope=col class=number><bdi>{escape(name)}</bdi>{'<small>baseline</small>' if name == found.baseline else ''}</th>"
        for name in systems
    )
    percent = f"{100 * found.confidence:g} %"
    return (
        f"{_verdicts(compared, by)}<div class=segscores><p class=legend>{SIGNS[BEST]} the best; {SIGNS[NOT_WORSE]} {NOT_WORSE} "
        f"than the best, p > {compared.level:g}. Below a value its {percent} interval; below that the difference from the "
        f"baseline, its interval, and the p-value of a paired approximate randomisation test, by Holm’s method corrected for the "
        f'number of systems.</p></div><div class="segscores wide comparison" tabindex=0 role=region aria-label="Comparison" '
        f"style='--systems:{len(systems)}'><table><thead><tr>"
        f"<th scope=col>score</th>{heads}</tr></thead>{''.join(bodies)}</table></div>"
    )


def _cell(compared: Compared, key: str, name: str) -> str:
    found = compared.found
    mark = _mark(found, key, name)
    low, high = found.intervals[name][key]
    written = [_number(found.scores[name][key]), f"<span>[{_number(low)}, {_number(high)}]</span>"]
    if name != found.baseline:
        tested = found.differences[name][key]
        interval = f"[{_signed(tested.low)}, {_signed(tested.high)}]"
        # A narrow screen breaks between the two.
        written.append(f"<span>{_signed(tested.difference)}</span> <span>{interval}</span>")
        written.append(_p_value(tested.p_randomisation_holm))
    if mark:
        written.append(mark)
    value, *lines = written
    sign = f"{SIGNS[mark]} " if mark else ""
    return f"<td class=number>{sign}{value}{''.join(f'<small>{line}</small>' for line in lines)}</td>"


def _mark(found: Any, key: str, name: str) -> str:
    """What is to be said of a system's place by a score; nothing where it is worse than the best."""
    best = found.best(key)
    if best is None:
        return ""
    if found.scores[name][key] == found.scores[best][key]:
        return BEST
    return NOT_WORSE if name in found.not_worse(key) else ""


def _verdicts(compared: Compared, by: str) -> str:
    """For each system a sentence on whether it differs by a score; nothing if that was not asked for."""
    if by not in compared.keys:
        return ""
    found, verdicts = compared.found, []
    for name, differences in found.differences.items():
        tested = differences[by]
        kind = "not significantly different from"
        if tested.p_randomisation_holm <= compared.level:
            kind = "significantly better than" if tested.difference > 0 else "significantly worse than"
        verdicts.append(
            f"<p>By {by} <bdi>{escape(name)}</bdi> ({_number(tested.score)}) is <strong>{kind}</strong> "
            f"<bdi>{escape(found.baseline)}</bdi> ({_number(tested.baseline_score)}): {_signed(tested.difference)}, "
            f"{_p_value(tested.p_randomisation_holm)}.</p>"
        )
    return "".join(verdicts)


def _draw_utterances(compared: Compared, by: str) -> str:
    """The utterances in which the systems' scores lie furthest apart, as each system cuts them."""
    rows = {
        name: per_utterance(
            references=compared.references,
            predictions=predictions,
            scores=by.removesuffix("_fscore"),
            **compared.reading,
        )
        for name, predictions in compared.systems.items()
    }
    scores = {name: [row[by] for row in of_system] for name, of_system in rows.items()}
    spreads = [max(values) - min(values) for values in zip(*scores.values(), strict=True)]
    differing = [index for index, spread in enumerate(spreads) if spread > 0]
    chosen = sorted(differing, key=lambda index: -spreads[index])[:UTTERANCES_DRAWN]
    if not chosen:
        return f"<p class=note>By {by} no utterance differs.</p>"
    drawn: dict[str, list[Any]] = {
        name: find_differences(
            references=[compared.references[index] for index in chosen],
            predictions=[predictions[index] for index in chosen],
            **compared.reading,
        )
        for name, predictions in compared.systems.items()
    }
    places = [(order, index, name) for order, index in enumerate(chosen) for name in drawn]
    told = (
        f"{len(differing):,} of {counted(len(spreads), 'utterance')} {'differs' if len(differing) == 1 else 'differ'}"
    )
    shown = f"; the {len(chosen)} that differ most are drawn" if len(chosen) < len(differing) else ""
    cut = draw_differences(
        [drawn[name][order] for order, _, name in places],
        numbers=[1 + index for _, index, _ in places],
        titles=[f"{name}: {by} {_number(scores[name][index])}" for _, index, name in places],
    )
    return f"<p>{told}{shown}.</p><div class=compared style='--systems:{len(drawn)}'>{cut}</div>"


def _take_away(compared: Compared, source: str) -> str:
    """What a visitor takes along: the lines that do the same, and the numbers in two files."""
    record = {
        "metric": "segmentation_scores",
        "version": __version__,
        "options": compared.options,
        **plain_comparison(compared),
    }
    files = {
        "segmentation_comparison.json": ("application/json", json.dumps(record, indent=2, ensure_ascii=False)),
        "segmentation_comparison.csv": ("text/csv", _table(compared)),
    }
    lines = {"Python": _python(compared, source), "command": _command(compared)}
    return f"<h2>Take it along</h2>{downloads(files)}{copyable(lines)}"


def _table(compared: Compared) -> str:
    """The comparison as CSV, a row for each score of each system."""
    found = compared.found
    tests = ("difference", "low", "high", "p_randomisation", "p_randomisation_holm", "p_randomisation_max_t")
    # Of a difference.
    titles = [f"difference_{test}" if test in ("low", "high") else test for test in tests]
    table = io.StringIO()
    writer = csv.writer(table)
    writer.writerow(["score", "system", "value", "low", "high", *titles, "mark"])
    for key in compared.keys:
        for name, scores in found.scores.items():
            difference = found.differences.get(name, {}).get(key)
            tested = [getattr(difference, test) for test in tests] if difference else [""] * len(tests)
            writer.writerow([key, name, scores[key], *found.intervals[name][key], *tested, _mark(found, key, name)])
    return table.getvalue()


def _python(compared: Compared, source: str) -> str:
    if compared.form.text_format == "conllu":
        return "# CoNLL-U is read by the command."
    read = 'open({}, encoding="utf-8").read().removesuffix("\\n").split("\\n")'
    systems = "".join(
        f"        {name!r}: {read.format(repr(f'{place}.txt'))},\n"
        for place, name in zip(PLACES, compared.systems, strict=False)
    )
    options = "".join(f"    {name}={value!r},\n" for name, value in compared.options.items())
    return (
        f'import evaluate\n\nmetric = evaluate.load("{source}")\nfound = metric.compare(\n'
        f"    references={read.format(repr('reference.txt'))},\n    systems={{\n{systems}    }},\n"
        f"    baseline={compared.found.baseline!r},\n{options})\nprint(found.to_dict())"
    )


def _command(compared: Compared) -> str:
    files = {name: f"{place}.txt" for place, name in zip(PLACES, compared.systems, strict=False)}
    return " ".join(
        [
            "segmentation-scores compare reference.txt",
            *files.values(),
            f"--baseline {files[compared.found.baseline]}",
            *command_options(compared.form, compared.options),
        ]
    )


def _number(score: float) -> str:
    return "undefined" if math.isnan(score) else f"{score:.4f}"


def _signed(difference: float) -> str:
    if math.isnan(difference):
        return "undefined"
    written = f"{abs(difference):.4f}"
    return written if not float(written) else f"{'−' if difference < 0 else '+'}{written}"


def _p_value(p_value: float) -> str:
    return "p undefined" if math.isnan(p_value) else f"p = {p_value:.4f}"
