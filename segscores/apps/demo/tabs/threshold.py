"""Threshold: boundary scores cut at a share of the gaps that a slider sets, and the curves over all shares."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ....analysis.drawing import draw_curves, standalone
from ....analysis.thresholds import segment_at, sweep
from ....reading.sources.lists import read_lists
from ....reading.sources.names import is_table
from ....results.result import Result
from ...report.page import Report
from ..board import board_of
from ..boxes import REFERENCE, Box, Inputs
from ..lines import FIELDS, lines_of
from ..tab import Tab, controls_of, report_of
from ..takeaway import command_of, python_of

#: The curves of the paper's Figure 1, by their names.
_CURVES = {"word precision": "token_precision", "word recall": "token_recall", "word F-score": "token_fscore",
           "true negative rate": "token_tnr"}  # fmt: skip
#: The number of points of a curve that the page draws, besides the best ones.
_POINTS = 400
#: The groups of scores at λ.
_SHOWN = ("boundary_noedge", "token", "tnr")


class Threshold(Tab):
    """The tab of thresholds: λ is `ratio`, the share of gaps that the slider chooses, and `at` has the scores at λ."""

    name = "threshold"
    label = "Threshold"
    is_rare = True
    lead = ("A segmenter gives a score to every gap between two units. The gaps with the highest scores become boundaries: a "
            "share λ of all gaps (Shao et al. 2017, Figure 1). Move the slider to change λ.")  # fmt: skip
    boxes = (
        REFERENCE,
        Box("scores", "Boundary scores", "A line for each utterance, with a number for each gap between two of its units.",
            argument="boundary_scores", nouns="lines of scores", read=read_lists),
    )  # fmt: skip
    own_fields: ClassVar[Mapping[str, str]] = {"ratio": "the share of all gaps that become boundaries, from 0 to 1."}
    task = "sweep"
    hidden: ClassVar[Mapping[str, str]] = FIELDS
    # `label_scheme` is an option of the numbers, not of the text.
    controls = ("label_scheme", *controls_of("sweep"))
    exports = (*Tab.exports, "txt", "html")

    def __init__(self, inputs: Inputs) -> None:
        super().__init__(inputs)
        self.ratio = _ratio(inputs.values.get("ratio", ""))
        # All digits: a rounded ratio may choose another number of gaps.
        self._ratio_text = str(self.ratio).removesuffix(".0")
        self._sides = (inputs.files["reference"], inputs.parsed["scores"])
        self.curve = sweep(*self._sides, **inputs.options_of(sweep))
        #: By score, the point of the curve where it is highest: its `score`, `ratio` and `threshold`.
        self.best = self.curve["best"]
        self.at = self._point()
        segmentation = segment_at(*self._sides, ratio=self.ratio, **inputs.options_of(segment_at))
        # Units text has a list of words for each utterance.
        self.utterances = [line if isinstance(line, str) else " ".join(line) for line in segmentation]
        self.report = self._report_on(segmentation)
        self.signature = self.report.signature

    def _point(self) -> dict[str, float]:
        """Return the threshold, the ratio and the scores at the point that the visitor chose."""
        curve = sweep(*self._sides, ratios=[self.ratio], **self.inputs.options_of(sweep))
        point = {}
        for key in ("threshold", "ratio", *self.best):
            (value,) = curve[key]
            point[key] = float(value)
        return point

    def _report_on(self, segmentation: list[Any]) -> Report:
        """Return the report on the segmentation at the point that the visitor chose."""
        explicit = dict(self.inputs.explicit)
        # The scheme is of the boundary scores, and the report reads text.
        fields = {}
        if "label_scheme" in explicit:
            fields["label"] = explicit.pop("label_scheme")
        fields["ratios"] = self._ratio_text
        predictions = {f"λ = {self.ratio:.4g}": segmentation}
        return report_of(replace(self.inputs, explicit=explicit), predictions, fields, scores=_SHOWN)

    def variables(self) -> dict[str, Any]:
        """Return the number of thresholds, the best points, the board at λ, and the lines in view."""
        (prediction,) = self.report.predictions
        # A score that is undefined everywhere has no best point.
        bests = {name: self.best[key] for name, key in _CURVES.items() if not math.isnan(self.best[key]["score"])}
        return {
            "count": len(self.curve["ratio"]),
            "bests": bests,
            "report": self.report,
            "prediction": prediction,
            "lines": lines_of(self.report, self.inputs.values),
            "board": board_of(self.report.findings.plan.keys),
        }

    @cached_property
    def drawn(self) -> str:
        """The curves, of some hundred points and the best of every score, with a line at λ."""
        # The index of the first point of the curve with the best threshold of each score.
        best = [np.argmax(self.curve["threshold"] == self.best[key]["threshold"]) for key in _CURVES.values()]
        last_point = len(self.curve["ratio"]) - 1
        evenly_spaced = np.linspace(0, last_point, _POINTS).astype(int)
        points = np.unique([*evenly_spaced, *best])  # in order, each once
        curves = {name: self.curve[key][points].tolist() for name, key in _CURVES.items()}
        ratios = self.curve["ratio"][points].tolist()
        return draw_curves(ratios, curves, x_title="λ, the share of gaps that are boundaries", at=self.ratio)

    def result(self) -> Result:
        """Return the whole curve, with the scores at λ beside the best ones."""
        curve = {key: values.tolist() for key, values in self.curve.items() if key != "best"}
        record = {**self.inputs.names, "best": self.best, "at": self.at, "curve": curve}
        # The whole curve does not depend on λ, which the signature of the report, of the text at λ, has as `ratios`.
        signature = self.signature.replace(f"|ratios:{self._ratio_text}", "")
        return self.curve.result(record, signature, at=self.at)

    def picture(self) -> str:
        return standalone(self.drawn)

    @cached_property
    def lines(self) -> Mapping[str, str]:
        """The commands for the whole curve and for λ, and the code for both, by title."""
        commands = {"Command: the best point of each score": command_of(self.inputs, self.task),
                    "Command: at λ": command_of(self.inputs, self.task, ratios=self._ratio_text)}  # fmt: skip
        if is_table(self.inputs.held["reference"]):
            problem = "sweep takes a reference of text. Save the texts of the column, one utterance a line."
            commands = {"Command": f"# None: {problem}"}
        return {**commands, "Python": python_of(self.inputs, self.code(), "sweep", "segment_at", ratio=self.ratio)}


def _ratio(text: str) -> float:
    """Return the share of gaps that a field has, or a quarter if it is empty."""
    try:
        ratio = float(text or 0.25)
    except ValueError:
        ratio = math.nan
    if not 0 <= ratio <= 1:
        raise ValueError(f"λ: expected a share from 0 to 1, received {text!r}.")
    return ratio
