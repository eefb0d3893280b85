"""Threshold: boundary scores cut at a share of the gaps that a slider sets, and the curves over all shares."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from markupsafe import Markup

from ...analysis.drawing import STYLE, draw_curves
from ...analysis.thresholds import segment_at, sweep
from ...measures.registry import is_share
from ...options.requests import Request, command_line, python_call
from ...options.tasks import COMMANDS
from ...reading.texts import parse_numbers
from ...report.contents import Names, analyse_texts
from ...report.page import Report
from ...results.result import Cell, Column, Result, Table
from ...scoring.options import Plan
from ...sources.names import is_table
from ...statistics.resampling import Resampling
from ...statistics.signing import signature
from ...support.errors import UtteranceError
from ..boxes import Box, BoxError, Inputs, read_boxes
from ..examples import BOUNDARY_SCORES
from ..reports import of_files
from ..tab import Tab, templates
from ..takeaway import QUOTED, code_of

#: The curves of the paper's Figure 1, by the names under them.
CURVES = {
    "word precision": "token_precision",
    "word recall": "token_recall",
    "word F-score": "token_fscore",
    "true negative rate": "token_tnr",
}
#: The number of points of a curve that the page draws, besides the best ones, and the scores at λ.
_POINTS, _SHOWN = 400, ("boundary_noedge", "token", "tnr")
#: The options of a text that a segmentation is made of.
_READING = ("text_format", "word_boundary", "ignored_tokens")


@dataclass(frozen=True)
class Cut(Inputs):
    """A reference, its boundary scores, and the share λ of the gaps that are boundaries."""

    numbers: tuple[list[float], ...] = ()
    ratio: float = 0.25

    def note(self, box: str) -> str:
        """How a box was read."""
        return super().note(box) if box == "reference" else f"{sum(map(len, self.numbers)):,} scores"

    @property
    def reading(self) -> dict[str, Any]:
        """The options on the text of the reference."""
        return {name: value for name, value in self.options.items() if name in _READING}


class ThresholdTab(Tab):
    """The tab: its second box has numbers."""

    def read(self, values: Mapping[str, str]) -> Inputs | None:
        """The inputs; None while a box is empty."""
        task = COMMANDS[self.task]
        given = read_boxes(self.boxes[:1], self.controls, task, values)
        scores = read_boxes(self.boxes[1:], (), task, values)
        if given is None or scores is None:
            return None
        file = replace(scores.files["scores"], form=None)
        try:
            text = scores.contents["scores"].decode("utf-8-sig")
            numbers = parse_numbers(text, "a score for each gap between two units")
        except UtteranceError as error:
            raise BoxError("scores", f"{file.given}, line {error.utterance + 1}: {error.detail}") from None
        except UnicodeDecodeError:
            raise BoxError("scores", f"{file.given}: this is no text in UTF-8.") from None
        return Cut(
            {**given.files, "scores": file}, given.given, values, tuple(numbers), _ratio(values.get("ratio", ""))
        )


def _ratio(text: str) -> float:
    try:
        ratio = float(text or 0.25)
    except ValueError:
        ratio = math.nan
    if not 0 <= ratio <= 1:
        raise ValueError(f"λ: expected a share from 0 to 1, received {text!r}.")
    return ratio


def _written(ratio: float) -> str:
    return f"{ratio:.6g}"


def curve_of(inputs: Inputs, ratios: list[float] | None = None) -> dict[str, Any]:
    """The scores at every threshold, or at some ratios."""
    assert isinstance(inputs, Cut)
    try:
        return sweep(inputs.files["reference"], list(inputs.numbers), ratios=ratios, **inputs.options)
    except UtteranceError as error:
        raise BoxError("scores", f"{inputs.paths['scores']}, line {error.utterance + 1}: {error.detail}") from None


def show(inputs: Inputs) -> str:
    """The results as HTML."""
    assert isinstance(inputs, Cut)
    curve, at = curve_of(inputs), curve_of(inputs, [inputs.ratio])
    points = _drawn(curve)
    report = report_of(inputs)
    bests = {name: curve["best"][key] for name, key in CURVES.items()}
    threshold = float(at["threshold"][0])
    hovered = {
        "ratio": curve["ratio"],
        "threshold": curve["threshold"],
        **{name: curve[key] for name, key in CURVES.items()},
    }
    return (
        templates()
        .get_template("threshold.html")
        .render(
            drawn=Markup(draw(curve, inputs.ratio)),
            points=json.dumps({name: _plain(values[points]) for name, values in hovered.items()}),
            count=len(curve["ratio"]),
            bests={name: best for name, best in bests.items() if not math.isnan(best["score"])},
            cut="no gap is a boundary"
            if math.isinf(threshold)
            else f"a gap is a boundary from a score of {threshold:.4g}",
            ratio=inputs.ratio,
            at={name: float(at[key][0]) for name, key in CURVES.items()},
            report=report,
            prediction=report.predictions[0],
            signature=report.signature,
        )
    )


def draw(curve: Mapping[str, Any], ratio: float) -> str:
    """The curves, with a line at λ."""
    points = _drawn(curve)
    curves = {name: curve[key][points].tolist() for name, key in CURVES.items()}
    return draw_curves(
        curve["ratio"][points].tolist(), curves, x_title="λ, the share of gaps that are boundaries", at=ratio
    )


def _drawn(curve: Mapping[str, Any]) -> Any:
    """The points of a curve to draw: some hundred, and the best of every score."""
    ratios = curve["ratio"]
    spread = np.searchsorted(ratios, np.linspace(0, 1, _POINTS))
    best = [int(np.flatnonzero(curve["threshold"] == curve["best"][key]["threshold"])[0]) for key in CURVES.values()]
    return np.unique(np.clip([*spread, *best, 0, len(ratios) - 1], 0, len(ratios) - 1))


def _plain(values: Any) -> list[float | None]:
    return [round(value, 4) if math.isfinite(value) else None for value in values.tolist()]


def report_of(inputs: Inputs) -> Report:
    """The report of the segmentation at λ."""
    assert isinstance(inputs, Cut)
    reference, reading, how = inputs.files["reference"], inputs.reading, {}
    if "label_scheme" in inputs.options:
        how = {"label_scheme": inputs.options["label_scheme"]}
    predictions = segment_at(reference, list(inputs.numbers), ratio=inputs.ratio, **how, **reading)
    name, path = f"λ = {inputs.ratio:.4g}", inputs.paths["reference"]
    zero = {each: value for each, value in inputs.given.items() if each == "zero_division"}
    plan = Plan.of(scores=_SHOWN, **reading, **zero)
    found = analyse_texts(reference, {name: predictions}, plan, Resampling(confidence=None))
    noun = "sentence" if reference.is_conllu("") else "line"
    names = Names(path, path, {name: inputs.paths["scores"]}, noun)
    return Report(found, names, signature_of(inputs, at=True))


def signature_of(inputs: Cut, *, at: bool = False) -> str:
    """The signature that the command prints for the curve, or for λ."""
    zero = {each: value for each, value in inputs.given.items() if each == "zero_division"}
    signed = signature(inputs.files["reference"], scores=_SHOWN, **inputs.reading, **zero)
    before, _, after = of_files(replace(inputs, files={"reference": inputs.files["reference"]}), signed).rpartition(
        "|n:"
    )
    labels = f"|label:{inputs.given['label_scheme']}" if "label_scheme" in inputs.given else ""
    return f"{before}{labels}{f'|ratios:{_written(inputs.ratio)}' if at else ''}|n:{after}"


def result(inputs: Inputs) -> Result:
    """The best point of each score and those at λ; for programs the curve."""
    assert isinstance(inputs, Cut)
    curve, at = curve_of(inputs), curve_of(inputs, [inputs.ratio])
    best = curve.pop("best")
    of_ratio = {key: float(at[key][0]) for key in ("threshold", "ratio", *best)}
    rows = [
        [key, *(Cell(value, is_share=is_share(key)) for value in (point["score"],)), point["ratio"], point["threshold"],
         Cell(of_ratio[key], is_share=is_share(key))]
        for key, point in best.items()
    ]  # fmt: skip
    columns: list[str | Column] = [
        Column("score", has_keys=True),
        "best",
        "ratio",
        "threshold",
        f"at λ = {inputs.ratio:.4g}",
    ]
    paths = {"reference": inputs.paths["reference"], "scores": inputs.paths["scores"]}
    data = Table(list(curve), list(zip(*(values.tolist() for values in curve.values()), strict=True)))
    record = {**paths, "best": best, "at": of_ratio, "curve": {key: values.tolist() for key, values in curve.items()}}
    return Result([Table(columns, rows)], record=record, data=data, signature=signature_of(inputs))


def picture(inputs: Inputs) -> str:
    """The curves as an SVG."""
    assert isinstance(inputs, Cut)
    drawn = draw(curve_of(inputs), inputs.ratio)
    svg = drawn[drawn.index("<svg") : drawn.index("</svg>") + len("</svg>")]
    # In the file the element itself is what the rules speak of.
    style = STYLE.replace(".segscores svg", ".segscores")
    return svg.replace(
        '<svg class="curves"', '<svg xmlns="http://www.w3.org/2000/svg" class="segscores curves"', 1
    ).replace(">", f"><style>{style.replace('<', '&lt;')} svg {{ background: #fff; }}</style>", 1)


def lines(inputs: Inputs) -> dict[str, str]:
    """The commands and the Python code that compute the same."""
    assert isinstance(inputs, Cut)
    reference, scores = inputs.paths["reference"], inputs.paths["scores"]
    named, ratio = {"reference": reference, "scores": scores}, _written(inputs.ratio)
    if is_table(reference):
        told = "# None: sweep takes a reference of text, not JSON lines. Save the texts of the column, one utterance a line."
        commands = {"Command": told}
    else:
        commands = {
            "Command: the best point of each score": command_line(Request(COMMANDS["sweep"], named, inputs.given)),
            "Command: at λ": command_line(Request(COMMANDS["sweep"], named, {**inputs.given, "ratios": ratio})),
        }
    is_short = sum(map(len, inputs.contents.values())) <= QUOTED
    numbers = (
        repr(list(inputs.numbers))
        if is_short
        else f'parse_numbers(pathlib.Path({scores!r}).read_text("utf-8-sig"), "scores")'
    )
    passed = {
        "references": code_of(Inputs({"reference": inputs.files["reference"]}), "reference"),
        "boundary_scores": "scores",
    }
    reading = {name: value for name, value in inputs.options.items() if name in (*_READING, "label_scheme")}
    swept = python_call("sweep", passed, inputs.options)
    cut = python_call("segment_at", passed, {"ratio": float(ratio), **reading})
    imports = ["import pathlib\n"] if "pathlib" in passed["references"] + numbers else []
    imports += ["import segscores"] + ["from segscores.reading.texts import parse_numbers"] * (not is_short)
    text = "\n".join(imports)
    return {**commands, "Python": f"{text}\n\nscores = {numbers}\ncurve = {swept}\nprint(curve['best'])\nprint({cut})"}


TAB = ThresholdTab(
    "threshold",
    "Threshold",
    (
        Box("reference", "Reference", "One utterance a line, spaces between words; or CoNLL-U, JSON lines.", ("reference",)),
        Box("scores", "Boundary scores", "A line for each utterance, with a number for each gap between two of its units."),
    ),
    show,
    task="sweep",
    controls=("text_format", "word_boundary", "ignored_tokens", "label_scheme", "zero_division"),
    examples={"English": dict(zip(("reference", "scores"), BOUNDARY_SCORES, strict=True))},
    result=result,
    picture=picture,
    report=report_of,
    lines=lines,
    fields="threshold_fields.html",
    lead="A segmenter gives a score to every gap between two units. The gaps with the highest scores become boundaries: a "
    "share λ of all gaps (Shao et al. 2017, Figure 1). Move the slider to change λ.",
)  # fmt: skip
