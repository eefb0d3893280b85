"""Score: the scores of a prediction, its differences from the reference, and its errors."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from markupsafe import Markup, escape

from ....analysis.baselines import baselines
from ....options.tasks import COMMANDS
from ....results.rendering import render
from ....scoring.measures.registry import GROUPS, heading_of
from ....statistics.clusters import MIN_CLUSTERS
from ..board import board_of, further
from ..boxes import MAX_WORDS, PREDICTION, REFERENCE, Box, Inputs, is_filled, read_boxes
from ..lines import Lines, lines_of
from ..paper import PaperTable
from ..tab import Tab, controls_of, report_of
from ..takeaway import command_of

#: The letters of systems, as many as the page compares.
LETTERS = "ABCDEFGHIJ"
#: The boxes of predictions; the desk has one for each system, and the tab alone has the first.
NAMES = (PREDICTION.name, *(f"{PREDICTION.name}_{letter.lower()}" for letter in LETTERS[1:]))
#: The confidence of intervals that are switched on, as of those of several systems.
_CONFIDENCE = COMMANDS["compare"].options["confidence"].default
#: The groups that the page does not offer.
_WITHOUT_CHOICE = {"unit_error", *(name for name, group in GROUPS.items() if group.needs_option)}


class Score(Tab):
    name = "score"
    label = "Score"
    lead = "How well does a segmenter find words? Paste two texts, or click a gap of the drawing."
    boxes = (REFERENCE, PREDICTION)
    controls = controls_of("score", "scores")
    groups = tuple(name for name in GROUPS if name not in _WITHOUT_CHOICE)
    exports = (*Tab.exports, "txt", "html")

    @classmethod
    def boxes_read(cls, values: Mapping[str, str]) -> Sequence[Box]:
        """Return the reference, and of several predictions the one that a visitor looks at, or else the first."""
        filled = [name for name in NAMES if is_filled(replace(PREDICTION, name=name), values)]
        shown = values.get("only", "")
        if shown not in filled:
            # If no box is filled, take the first one, which the error then names.
            shown = filled[0] if filled else NAMES[0]
        return (REFERENCE, replace(PREDICTION, name=shown))

    @classmethod
    def read(cls, values: Mapping[str, str]) -> Inputs:
        return read_boxes(cls.boxes_read(values), cls.controls, COMMANDS[cls.task], values)

    def __init__(self, inputs: Inputs) -> None:
        super().__init__(inputs)
        #: The switch of intervals: "auto" for texts of many utterances, "yes", or "no".
        self.intervals = inputs.values.get("intervals", "no")
        options: dict[str, Any] = {}
        fewest = 0  # the fewest utterances with intervals: any number has some
        if self.intervals != "no" and "confidence" not in inputs.explicit:
            options["confidence"] = _CONFIDENCE
            if self.intervals == "auto":
                fewest = MIN_CLUSTERS
        self.report = report_of(inputs, fewest=fewest, **options)
        if options and self.report.confidence is not None:
            # The commands and the code below the results have the intervals too.
            self.inputs = replace(inputs, explicit={**inputs.explicit, **options})
        self.signature = self.report.signature
        paths = self.report.names.paths
        (prediction,) = self.report.predictions
        in_text_order = sorted(prediction.analysis.shown, key=lambda shown: shown.utterance)
        self.utterances = (str(shown.difference) for shown in in_text_order)
        self.scored = [replace(prediction.scored, path=paths[prediction.name])]

    @property
    def paper(self) -> PaperTable:
        return PaperTable(self.scored, self.signature)

    def variables(self) -> dict[str, Any]:
        """Return the report and its prediction, the board, the lines in view, and what the visitor may change."""
        (prediction,) = self.report.predictions
        scored = prediction.scored
        # The scores that are defined, although their intervals are not.
        without_interval = [key for key, (low, _) in scored.intervals.items() if math.isnan(low)]
        without = [heading_of(key) for key in without_interval if not math.isnan(scored.score_of(key))]
        board = board_of(self.report.findings.plan.keys)
        _, shown_box = self.inputs.boxes
        return {
            "report": self.report,
            "prediction": prediction,
            "board": board,
            "without": without,
            "more": further(self.groups, self.report.findings.plan),
            "shown_box": shown_box,
            "lines": self._lines(),
            "views": self._views(),
            "switch": self._switch(),
            "confidence": _CONFIDENCE,
        }

    def _lines(self) -> Lines | None:
        """Return the lines in view; None for recordings and for what compares no words."""
        plan = self.report.findings.plan
        if plan.reading.world or not plan.compares_words:
            return None
        return lines_of(self.report, self.inputs.values)

    def _views(self) -> dict[str, str]:
        """Return the labels of what a visitor may look at, by the box: `{"": "All systems", "prediction": "CRF", …}`.

        It is empty if there is one prediction.
        """
        labels = {"": "All systems"}
        for letter, name in zip(LETTERS, NAMES, strict=True):
            box = replace(PREDICTION, name=name)
            if is_filled(box, self.inputs.values):
                labels[name] = self.inputs.values.get(f"{name}.name", "").strip() or letter
        has_several = len(labels) > 2  # with that of all systems
        return labels if has_several else {}

    def _switch(self) -> str:
        """Return the setting of a field that switches intervals on or off; empty if there can be none.

        It is `intervals=yes`, `intervals=no` or, where the visitor chose a level, `confidence=`, which empties that field.
        """
        if self.report.utterances < 2:
            return ""
        if self.report.confidence is None:
            return "intervals=yes"
        return "confidence=" if self.inputs.values.get("confidence") else "intervals=no"

    def baselines(self) -> Markup:
        """Return the table of baselines, or the reason why there is none."""
        if self.inputs.words > MAX_WORDS:
            problem = f"{self.inputs.words:,} words are too many for random segmentations here. The command takes them:"
            return escape(f"{problem} {command_of(self.inputs, self.task, baselines=True)}")
        try:
            scored = baselines(*self.inputs.files.values(), **self.inputs.options_of(baselines))
        except ValueError as error:
            return escape(str(error))
        return Markup(render(scored.result(), "html"))
