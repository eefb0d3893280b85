"""Try it: one sentence as an instrument. A click cuts it, and a sentence says what the scores count."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ....analysis.baselines import baselines
from ....analysis.drawing import draw_differences
from ....kernel.record import record
from ..board import formula_of
from ..boxes import PREDICTION, REFERENCE, Inputs
from ..tab import Tab, report_of, templates

#: The most units of the sentence, which is drawn as a whole.
_LONGEST = 80
#: The groups of scores by what they ask, in the words of the tab.
_ASKED = {"Are the cuts right?": "boundary_noedge", "Are the words right?": "token", "Is the lexicon right?": "type"}
_COLUMNS = {"precision": "Precision", "recall": "Recall", "fscore": "F-score"}
#: The classes of the marks of baselines, in the order in which the library returns them.
_MARKS = ("all", "none", "random")


@record
class Bar:
    """A score as a bar, with a mark at the score of each baseline."""

    key: str
    column: str  #: the heading, such as Precision
    marks: Mapping[str, float]  #: the scores of the baselines, by the classes of `_MARKS`


class Try(Tab):
    name = "try"
    label = "Try it"
    heading = "How good is a word segmenter?"
    lead = (
        "A segmenter finds the words in text that has no spaces. Click between letters to cut or join, and watch what each "
        "score counts."
    )
    boxes = (
        replace(REFERENCE, label="The right words", placeholder="A sentence, with spaces between words.", column=""),
        replace(PREDICTION, label="Your words", placeholder="The same sentence, cut differently.", column=""),
    )
    has_endpoint = False

    @classmethod
    def read(cls, values: Mapping[str, str]) -> Inputs:
        inputs = super().read(values)
        return replace(inputs, explicit={**inputs.explicit, "scores": tuple(_ASKED.values())})

    def __init__(self, inputs: Inputs) -> None:
        super().__init__(inputs)
        self.report = report_of(inputs)
        (self.prediction,) = self.report.predictions
        shown = self.prediction.analysis.shown
        unit_count = 0  # as of a blank line
        if shown:
            first_shown, *_ = shown
            self.difference = first_shown.difference
            unit_count = len([*self.difference.units()])
        line_count = self.report.utterances
        if line_count != 1 or not 0 < unit_count <= _LONGEST:
            received = f"{line_count:,} lines" if line_count != 1 else f"{unit_count:,}"
            problem = (
                f"expected one sentence of up to {_LONGEST} characters, received {received}: Score my files takes more."
            )
            raise inputs.boxes["reference"].error(problem)

    def variables(self) -> dict[str, Any]:
        """Return the variables of the template: the bars of each question, the drawing, and the prediction."""
        scored_baselines = baselines(*self.inputs.files.values(), **self.inputs.options_of(baselines)).baselines
        bars_of: dict[str, list[Bar]] = {}
        for question, group in _ASKED.items():
            bars_of[question] = []
            for column, heading in _COLUMNS.items():
                key = f"{group}_{column}"
                marks = {mark: scored.score_of(key) for mark, scored in zip(_MARKS, scored_baselines, strict=True)}
                bars_of[question].append(Bar(key, heading, marks))
        return {"asked": bars_of, "drawn": draw_differences([self.difference]), "prediction": self.prediction}

    def html(self) -> str:
        """Return the sentence and its scores."""
        context = {"inputs": self.inputs, "formula": formula_of, "joint": self.difference.separator, **self.variables()}
        return templates().get_template("try.html").render(context)
