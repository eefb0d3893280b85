"""Learn: one sentence, with the windows of Pk and WindowDiff and each formula filled in; and questions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import chain
from typing import Any

from ....analysis.differences import MATCHED, MISSED, WRONG, Difference
from ....analysis.drawing import draw_differences
from ....scoring.measures.registry import DEFAULT_SCORES, group_of
from ..boxes import PREDICTION, REFERENCE, Inputs
from ..lessons import QUESTIONS
from ..reports import report_of
from ..tab import Tab

_LONGEST = 200
_NOUNS = {"boundary_noedge": "inner boundaries", "boundary_all": "boundaries", "token": "words",
          "type": "distinct words"}  # fmt: skip
_FORMULAS = {
    "precision": "{0} right / {0} predicted",
    "recall": "{0} right / {0} of the reference",
    "fscore": "2 · {0} right / ({0} predicted + {0} of the reference)",
    "tnr": "spans rightly left alone / spans that are no word of the reference; N units in a row have N(N + 1) / 2 spans",
    "pk": "windows with a boundary in only one of reference and prediction / windows; lower is better",
    "window_diff": "windows with different numbers of boundaries in reference and prediction / windows; lower is better",
}


class Learn(Tab):
    """The tab: a sentence, or a question with its sentence and several predictions."""

    name = "learn"
    label = "Learn"
    lead = "Type a sentence of your own, or click the gaps of the drawing, and see what each score counts."
    boxes = (
        replace(REFERENCE, placeholder="One sentence, with spaces between words.", column=""),
        replace(PREDICTION, placeholder="The same sentence, segmented differently.", column=""),
    )
    fields = "learn_fields.html"
    visible = ("window_size",)
    exports = (*Tab.exports, "html")

    @classmethod
    def read(cls, values: Mapping[str, str]) -> Inputs | None:
        """The inputs; None while a box is empty."""
        name = values.get("question", "")
        scores: tuple[str, ...] = (*DEFAULT_SCORES, "windows")
        if name:
            if name not in QUESTIONS:
                raise ValueError(f"There is no question {name[:40]!r}: expected one of {', '.join(QUESTIONS)}.")
            question = QUESTIONS[name]
            texts = {"reference": question.reference, "prediction": next(iter(question.predictions.values()))}
            values = {"question": name, **texts, "window_size": question.window_size}
            scores = tuple(dict.fromkeys(group_of(key).name for key in question.keys))
        inputs = super().read(values)
        return inputs and replace(inputs, explicit={"scores": scores, **inputs.explicit})

    def __init__(self, inputs: Inputs) -> None:
        super().__init__(inputs)
        self.question = QUESTIONS.get(inputs.values.get("question", ""))
        predictions = self.question.predictions if self.question else {}
        self.report = report_of(inputs, {name: [text] for name, text in predictions.items()})
        self.signature = self.report.signature
        self.scored = self.report.findings.scored()
        self.differences = [prediction.analysis.shown[0].difference for prediction in self.report.predictions]
        self.units = _units_of(self.differences[0])
        count = self.report.utterances
        if count != 1 or not 0 < len(self.units) <= _LONGEST:
            received = f"one of {len(self.units):,} units" if count == 1 else f"{count:,} utterances"
            problem = f"expected one sentence of up to {_LONGEST} units, received {received}: the tab Score takes more."
            raise inputs.boxes["reference"].error(problem)

    def variables(self) -> dict[str, Any]:
        """The sentence, or the question with its answer."""
        question, predictions = self.question, self.report.predictions
        windows = self.scored[0].counts.get("windows", 0)
        k = len(self.units) - windows
        sides = [[mark in (MATCHED, one_sided) for _, mark in self.units] for one_sided in (MISSED, WRONG)]
        rounded = [{key: f"{score:.3f}" for key, score in scored.scores.items()} for scored in self.scored]
        return {
            "question": question,
            "report": self.report,
            "predictions": predictions,
            "drawn": draw_differences(self.differences, titles=[*question.predictions] if question else None),
            "units": self.units,
            "noun": "units" if self.differences[0].separator else "characters",
            "k": k,
            "windows": [[sum(side[start : start + k]) for side in sides] for start in range(windows)],
            "keys": question.keys if question else [*filter(_formula_of, self.scored[0].scores)],
            "formula": _formula_of,
            "answer": question and question.answer.format(*rounded),
            "questions": QUESTIONS,
        }


def _units_of(difference: Difference) -> list[tuple[str, str]]:
    """Return the units, each with the mark of the gap after it, empty where neither side has a boundary."""
    segments = [list(text.split(" ") if difference.separator else text) for text in difference.segments]
    marks = [[""] * (len(units) - 1) + [mark] for units, mark in zip(segments, (*difference.marks, ""), strict=False)]
    return [*zip(chain(*segments), chain(*marks), strict=True)]


def _formula_of(key: str) -> str:
    """Describe the division in words; empty for a score that is not in the lesson."""
    measure = key if key in _FORMULAS else key.rpartition("_")[2]
    return _FORMULAS.get(measure, "").format(_NOUNS.get(group_of(key).name, ""))
