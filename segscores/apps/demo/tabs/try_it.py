"""Try it: one sentence as an instrument. A click cuts it, and a sentence says what the scores count."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ....analysis.baselines import baselines
from ....analysis.drawing import draw_differences
from ..board import formula_of
from ..boxes import PREDICTION, REFERENCE, Inputs
from ..tab import Tab, report_of, templates

_LONGEST = 80
#: The groups of scores by what they ask, in the words of the tab.
_ASKED = {"Are the cuts right?": "boundary_noedge", "Are the words right?": "token", "Is the lexicon right?": "type"}
_COLUMNS = {"precision": "Precision", "recall": "Recall", "fscore": "F-score"}
#: The classes of the marks of baselines, in the order in which the library returns them.
_MARKS = ("all", "none", "random")


@dataclass(frozen=True)
class Bar:
    """A score as a bar, with a mark at the score of each baseline."""

    key: str
    column: str
    marks: Mapping[str, float]


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
        units = len([*shown[0].difference.units()]) if shown else 0
        if self.report.utterances != 1 or not 0 < units <= _LONGEST:
            received = f"{self.report.utterances:,} lines" if self.report.utterances != 1 else f"{units:,}"
            problem = (
                f"expected one sentence of up to {_LONGEST} characters, received {received}: Score my files takes more."
            )
            raise inputs.boxes["reference"].error(problem)
        self.difference = shown[0].difference

    def variables(self) -> dict[str, Any]:
        """The variables of the template."""
        computed = baselines(*self.inputs.files.values(), **self.inputs.options_of(baselines)).baselines
        asked: dict[str, list[Bar]] = {}
        for question, group in _ASKED.items():
            asked[question] = []
            for column, heading in _COLUMNS.items():
                key = f"{group}_{column}"
                marks = {mark: scored.score_of(key) for mark, scored in zip(_MARKS, computed, strict=True)}
                asked[question].append(Bar(key, heading, marks))
        return {"asked": asked, "drawn": draw_differences([self.difference]), "prediction": self.prediction}

    def html(self) -> str:
        """The sentence and its scores."""
        context = {"inputs": self.inputs, "formula": formula_of, "joint": self.difference.separator, **self.variables()}
        return templates().get_template("try.html").render(context)
