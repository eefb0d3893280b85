"""Learn: one sentence, with the windows of Pk and WindowDiff and each formula filled in; and questions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from ....analysis.drawing import draw_differences
from ....kernel.marks import MATCHED, MISSED, WRONG
from ....scoring.measures.registry import DEFAULT_SCORES, group_of, heading_of
from ..board import board_of
from ..boxes import PREDICTION, REFERENCE, Inputs
from ..lessons import QUESTIONS, Question
from ..tab import Tab, report_of

_LONGEST = 200
#: The guess that no value is the highest.
_TIE = "several are equal"


class Learn(Tab):
    name = "learn"
    label = "Learn"
    lead = "Type a sentence of your own, or click the gaps of the drawing, and see what each score counts."
    boxes = (
        replace(REFERENCE, placeholder="One sentence, with spaces between words.", column=""),
        replace(PREDICTION, placeholder="The same sentence, segmented differently.", column=""),
    )
    hidden: ClassVar[Mapping[str, str]] = {"question": "", "guess": ""}
    controls = ("window_size",)
    exports = (*Tab.exports, "html")
    has_endpoint = False

    @classmethod
    def read(cls, values: Mapping[str, str]) -> Inputs:
        name = values.get("question", "")
        scores: tuple[str, ...] = (*DEFAULT_SCORES, "windows")
        if name:
            if name not in QUESTIONS:
                raise ValueError(f"There is no question {name[:40]!r}: expected one of {', '.join(QUESTIONS)}.")
            question = QUESTIONS[name]
            values = {"question": name, "guess": values.get("guess", ""), **_fields_of(question, values)}
            scores = tuple(dict.fromkeys(group_of(key).name for key in question.keys))
        inputs = super().read(values)
        return replace(inputs, explicit={"scores": scores, **inputs.explicit})

    def __init__(self, inputs: Inputs) -> None:
        super().__init__(inputs)
        self.question = QUESTIONS.get(inputs.values.get("question", ""))
        #: The challenge, if the question is one.
        self.challenge: Question | None = None
        predictions: dict[str, str] = {}
        if self.question:
            predictions |= self.question.predictions
            if self.question.goal:
                self.challenge = self.question
                predictions["now"] = inputs.values["prediction"]
        self.report = report_of(inputs, {name: [text] for name, text in predictions.items()})
        self.signature = self.report.signature
        self.scored = self.report.findings.scored()
        self.differences = [prediction.analysis.shown[0].difference for prediction in self.report.predictions]
        #: The number of the prediction that is drawn and has windows: of a challenge the visitor's.
        self.current = len(self.differences) - 1 if self.challenge else 0
        self.units = [*self.differences[self.current].units()]
        count = self.report.utterances
        if count != 1 or not 0 < len(self.units) <= _LONGEST:
            received = f"{count:,} utterances"
            if count == 1:
                received = f"one of {len(self.units):,} units"
            problem = (
                f"expected one sentence of up to {_LONGEST} units, received {received}: Score my files takes more."
            )
            raise inputs.boxes["reference"].error(problem)

    def variables(self) -> dict[str, Any]:
        question = self.question
        predictions = self.report.predictions
        # A text of n units has n - k windows of k gaps.
        windows = self.scored[0].counts.get("windows", 0)
        k = len(self.units) - windows
        # For each side, a value for each gap, True where the side has a boundary.
        sides = [[mark in (MATCHED, one_sided) for _, mark, _ in self.units] for one_sided in (MISSED, WRONG)]
        titles = None
        if question and not self.challenge:
            titles = [*question.predictions]
        rounded = [{key: f"{score:.3f}" for key, score in scored.scores.items()} for scored in self.scored]
        return {
            "question": question,
            "report": self.report,
            "predictions": predictions,
            "prediction": predictions[self.current],
            "drawn": draw_differences(self.differences[self.current :], titles=titles),
            "noun": "units" if self.differences[0].separator else "characters",
            "k": k,
            "windows": [[sum(side[start : start + k]) for side in sides] for start in range(windows)],
            "board": {} if question else board_of([*self.scored[0].scores]),
            "answer": question and question.answer.format(*rounded),
            "questions": QUESTIONS,
            "goals": self._goals(self.challenge) if self.challenge else [],
            "guesses": self._guesses(question) if question and not self.challenge else {},
            "guess": self.inputs.values.get("guess", ""),
            "guessed_text": _guessed_text(question) if question else "",
        }

    def _guesses(self, question: Question) -> dict[str, bool]:
        """Return what may have the highest value, a prediction or a score, each with True if it has."""
        keys = question.guessed_keys
        if len(question.predictions) > 1:
            values = {scored.prediction: scored.scores[keys[0]] for scored in self.scored}
        else:
            values = {heading_of(key): self.scored[0].scores[key] for key in keys}
        values = {name: round(value, 3) for name, value in values.items()}
        highest = [name for name, value in values.items() if value == max(values.values())]
        if len(highest) > 1:
            return {**dict.fromkeys(values, False), _TIE: True}
        return {**{name: name in highest for name in values}, _TIE: False}

    def _goals(self, challenge: Question) -> list[tuple[str, bool]]:
        """Say what a challenge wants and what the prediction has, each with True if it holds."""
        # The first system is the challenge as it begins, the second is the text of the box.
        before, after = [{key: round(scored.scores[key], 3) for key in challenge.goal} for scored in self.scored]
        # The gaps that each prediction cuts.
        cuts = [[mark in (MATCHED, WRONG) for _, mark, _ in difference.units()] for difference in self.differences]
        changed = sum(start != now for start, now in zip(*cuts, strict=True))
        goals = [(f"{changed} of 1 gap changed", changed == 1)]
        for key, wanted in challenge.goal.items():
            start = before[key]
            now = after[key]
            order = {"lower": now < start, "the same": now == start, "higher": now > start}
            holds = order[wanted] if isinstance(wanted, str) else now == wanted
            text = f"{heading_of(key)} {wanted}: {start:.3f} at the start, {now:.3f} now"
            goals.append((text, holds))
        return goals


def _guessed_text(question: Question) -> str:
    """Ask for the highest value of a question."""
    if len(question.predictions) > 1:
        return f"which has the highest {heading_of(question.guessed_keys[0])}?"
    return f"which is higher, {' or '.join(map(heading_of, question.guessed_keys))}?"


def _fields_of(question: Question, values: Mapping[str, str]) -> dict[str, str]:
    """Return the fields of a question: its texts, but a visitor's segmentation for a challenge, and a size of its windows."""
    fields = question.start()
    prediction = values.get("prediction", "")
    has_same_letters = "".join(prediction.split()) == "".join(question.reference.split())
    if question.goal and has_same_letters:
        fields["prediction"] = prediction
    size = values.get("window_size", "")
    fields["window_size"] = size if size in question.window_sizes else question.window_sizes[0]
    return fields
