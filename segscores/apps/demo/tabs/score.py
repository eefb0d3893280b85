"""The tab Score: the scores of a prediction, its differences from the reference, and its errors."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from markupsafe import Markup, escape

from ....analysis.baselines import baselines
from ....results.rendering import render
from ....scoring.measures.registry import GROUPS, heading_of
from ..board import board_of
from ..boxes import MAX_WORDS, PREDICTION, REFERENCE, Inputs
from ..paper import PaperTable
from ..tab import Tab, controls_of, report_of
from ..takeaway import command_of

#: The groups that the page does not offer.
_WITHOUT_CHOICE = {"unit_error", *(name for name, group in GROUPS.items() if group.needs_option)}


class Score(Tab):
    name = "score"
    label = "Score"
    lead = "How well does a segmenter find words? Paste two texts, or click a gap of the drawing."
    boxes = (REFERENCE, PREDICTION)
    controls = controls_of("score", "scores")
    groups = tuple(name for name in GROUPS if name not in _WITHOUT_CHOICE)
    hidden = ("sections",)
    exports = (*Tab.exports, "txt", "html")

    def __init__(self, inputs: Inputs) -> None:
        super().__init__(inputs)
        self.report = report_of(inputs)
        self.signature = self.report.signature
        paths = self.report.names.paths
        shown = sorted(self.report.predictions[0].analysis.shown, key=lambda each: each.utterance)
        self.utterances = (str(each.difference) for each in shown)
        self.scored = [replace(scored, path=paths[scored.prediction]) for scored in self.report.findings.scored()]

    def variables(self) -> dict[str, Any]:
        (prediction,) = self.report.predictions
        scored = prediction.scored
        missing = [key for key, (low, _) in scored.intervals.items() if math.isnan(low)]
        without = [heading_of(key) for key in missing if not math.isnan(scored.score_of(key))]
        board = board_of(self.report.findings.plan.keys)
        paper = PaperTable(self.scored, self.signature)
        return {"report": self.report, "prediction": prediction, "board": board, "without": without, "paper": paper}

    @property
    def has_all_lines(self) -> bool:
        """Return whether the page draws all lines: its tools search them, and the tables of errors lead to them."""
        opened = self.inputs.values.get("sections", "").split(",")
        return not {"lines", "errors"}.isdisjoint(opened)

    def baselines(self) -> Markup:
        """The table of baselines, or the reason why there is none."""
        if self.inputs.words > MAX_WORDS:
            problem = f"{self.inputs.words:,} words are too many for random segmentations here. The command takes them:"
            return escape(f"{problem} {command_of(self.inputs, self.task, baselines=True)}")
        try:
            scored = baselines(*self.inputs.files.values(), **self.inputs.options_of(baselines))
        except ValueError as error:
            return escape(str(error))
        return Markup(render(scored.result(), "html"))
