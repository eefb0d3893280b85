"""Learn: one sentence, with the windows of Pk and WindowDiff and each formula filled in; and questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from ...analysis.differences import MATCHED, MISSED, WRONG, Difference
from ...analysis.drawing import draw_differences
from ...measures.registry import DEFAULT_SCORES, group_of
from ..boxes import PREDICTION, REFERENCE, Inputs
from ..lessons import QUESTIONS
from ..reports import report_of
from ..tab import Tab

_LONGEST = 200
_NOUNS = {
    "boundary_noedge": "inner boundaries",
    "boundary_all": "boundaries",
    "token": "words",
    "type": "distinct words",
}
_FORMULAS = {
    "precision": "{0} right / {0} predicted",
    "recall": "{0} right / {0} of the reference",
    "fscore": "2 · {0} right / ({0} predicted + {0} of the reference)",
    "tnr": "spans rightly left alone / spans that are no word of the reference",
    "pk": "windows in which only one side has a boundary / windows",
    "window_diff": "windows with different numbers of boundaries / windows",
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
            asked = QUESTIONS[name]
            texts = {"reference": asked.reference, "prediction": next(iter(asked.predictions.values()))}
            values = {"question": name, **texts, **{option: str(value) for option, value in asked.options.items()}}
            scores = tuple(dict.fromkeys(group_of(key).name for key in asked.keys))
        inputs = super().read(values)
        return inputs and replace(inputs, given={"scores": scores, **inputs.given})

    def __init__(self, inputs: Inputs) -> None:
        super().__init__(inputs)
        self.question = QUESTIONS.get(inputs.values.get("question", ""))
        asked = self.question.predictions if self.question else {}
        self.report = report_of(inputs, {name: [text] for name, text in asked.items()})
        self.signature = self.report.signature
        self.scored = self.report.found.scored()
        self.units, self.marks = _units_of(self.report.predictions[0].found.shown[0].difference)
        if self.report.utterances != 1 or not 0 < len(self.units) <= _LONGEST:
            several = f"{self.report.utterances:,} utterances"
            found = several if self.report.utterances != 1 else f"one of {len(self.units):,} units"
            problem = f"expected one sentence of up to {_LONGEST} units, received {found}: the tab Score takes more."
            raise inputs.boxes["reference"].error(problem)

    def shown(self) -> dict[str, Any]:
        """The sentence, or the question with its answer."""
        # A question without scores of windows has no window size.
        predictions, k = self.report.predictions, self.report.found.plan.plain()["window_size"] or len(self.units)
        shown = {
            "formula": _formula_of,
            "predictions": predictions,
            "drawn": [draw_differences([each.found.shown[0].difference]) for each in predictions],
            "keys": self.question.keys if self.question else [*filter(_formula_of, self.scored[0].scores)],
            "units": list(zip(self.units, [*self.marks, ""], strict=True)),
            "k": k,
            "windows": [_window(self.marks[start : start + k]) for start in range(len(self.units) - k)],
        }
        if not self.question:
            return shown
        answer = self.question.answer.format(**{each.name: dict(each.scored.scores) for each in predictions})
        following = dict(zip(QUESTIONS, [*QUESTIONS][1:], strict=False)).get(self.inputs.values["question"], "")
        told = {"question": self.question, "answer": answer, "following": following, "questions": QUESTIONS}
        return {**shown, **told, "template": "question.html"}


def _window(marks: Sequence[str]) -> dict[str, Any]:
    """The numbers of boundaries in a window, and for which scores it is wrong."""
    counts = [sum(mark in (MATCHED, own) for mark in marks) for own in (MISSED, WRONG)]
    return {"counts": counts, "pk": any(counts) != all(counts), "window_diff": counts[0] != counts[1]}


def _units_of(difference: Difference) -> tuple[list[str], list[str]]:
    """The units, and the mark of each gap between two of them, empty where no side has a boundary."""
    parts = [list(part.split(" ") if difference.separator else part) for part in difference.segments]
    ends = [[""] * (len(part) - 1) + [end] for part, end in zip(parts, (*difference.marks, ""), strict=True)]
    return [*chain(*parts)], [*chain(*ends)][:-1]


def _formula_of(key: str) -> str:
    """What is divided, in words; empty for a score that is not in the lesson."""
    kind = key if key in _FORMULAS else key.rpartition("_")[2]
    return _FORMULAS.get(kind, "").format(_NOUNS.get(group_of(key).name, ""))
