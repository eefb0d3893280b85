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

#: The most units of the sentence, which is drawn as a whole.
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
        """Read the sentence of the visitor, or the sentence and the scores of a question."""
        name = values.get("question", "")
        scores: tuple[str, ...] = (*DEFAULT_SCORES, "windows")
        if name:
            if name not in QUESTIONS:
                raise ValueError(f"There is no question {name[:40]!r}: expected one of {', '.join(QUESTIONS)}.")
            question = QUESTIONS[name]
            values = {"question": name, "guess": values.get("guess", ""), **_fields_of(question, values)}
            # The groups of the scores that the question is about, each once.
            scores = tuple(dict.fromkeys(group_of(key).name for key in question.keys))
        inputs = super().read(values)
        return replace(inputs, explicit={"scores": scores, **inputs.explicit})

    def __init__(self, inputs: Inputs) -> None:
        super().__init__(inputs)
        #: None for a sentence of the visitor's own.
        self.question = QUESTIONS.get(inputs.values.get("question", ""))
        #: The question, if it is a challenge: it has a goal, which the visitor's prediction may reach.
        self.challenge: Question | None = None
        #: The text of each prediction by its name; "now" is what the visitor has cut so far.
        text_of: dict[str, str] = {}
        if self.question:
            text_of |= self.question.predictions
            if self.question.goal:
                self.challenge = self.question
                text_of["now"] = inputs.values["prediction"]
        # Without a question there are no texts here, and the report is of the prediction in the box.
        self.report = report_of(inputs, {name: [text] for name, text in text_of.items()})
        self.signature = self.report.signature
        self.scored = self.report.findings.scored()
        #: The difference of each prediction, in its first utterance, which must be the only one.
        self.differences = []
        for prediction in self.report.predictions:
            # A report shows one utterance or more.
            first_shown, *_ = prediction.analysis.shown
            self.differences.append(first_shown.difference)
        #: The number of the prediction that is drawn and has windows: of a challenge the visitor's.
        self.current = len(self.differences) - 1 if self.challenge else 0
        self.units = [*self.differences[self.current].units()]
        utterance_count = self.report.utterances
        if utterance_count != 1 or not 0 < len(self.units) <= _LONGEST:
            received = f"{utterance_count:,} utterances"
            if utterance_count == 1:
                received = f"one of {len(self.units):,} units"
            problem = (
                f"expected one sentence of up to {_LONGEST} units, received {received}: Score my files takes more."
            )
            raise inputs.boxes["reference"].error(problem)

    def variables(self) -> dict[str, Any]:
        """Return the drawing, the windows, the board, and what a question asks and answers."""
        question = self.question
        predictions = self.report.predictions
        # A text of n units has n - k windows of k gaps. All predictions have the same ones.
        first_scored, *_ = self.scored
        window_count = first_scored.counts.get("windows", 0)
        k = len(self.units) - window_count
        # The mark after each unit, such as MATCHED, which is empty where no side has a boundary and after the last unit. Then for
        # each side a value for each mark, True where the side has a boundary.
        marks = [mark for _, mark, _ in self.units]  # beside the unit, and True if its word is matched
        of_reference = [mark in (MATCHED, MISSED) for mark in marks]
        of_prediction = [mark in (MATCHED, WRONG) for mark in marks]
        # The numbers of boundaries of both sides in each window.
        windows = [
            [sum(side[start : start + k]) for side in (of_reference, of_prediction)] for start in range(window_count)
        ]
        first_difference, *_ = self.differences
        # A question has answers to compare: its predictions are drawn with their names. A challenge has one drawing.
        is_question = question is not None and self.challenge is None
        titles = None
        if question is not None and is_question:
            titles = [*question.predictions]
        answer = ""
        if question is not None:
            rounded = [{key: f"{score:.3f}" for key, score in scored.scores.items()} for scored in self.scored]
            answer = question.answer.format(*rounded)
        return {
            "question": question,
            "report": self.report,
            "predictions": predictions,
            "prediction": predictions[self.current],
            "drawn": draw_differences(self.differences[self.current :], titles=titles),
            "noun": "units" if first_difference.separator else "characters",
            "k": k,
            "windows": windows,
            "board": {} if question else board_of([*first_scored.scores]),
            "answer": answer,
            "questions": QUESTIONS,
            "goals": self._goals(self.challenge) if self.challenge else [],
            "guesses": self._guesses(question) if question is not None and is_question else {},
            "guess": self.inputs.values.get("guess", ""),
            "guessed_text": _guessed_text(question) if question else "",
        }

    def _guesses(self, question: Question) -> dict[str, bool]:
        """Return the guesses, each with True if it is right: `{"S1": True, "S2": False, "several are equal": False}`.

        A guess is a prediction, or a score of the only prediction, that may have the highest value.
        """
        keys = question.guessed_keys
        if len(question.predictions) > 1:
            (key,) = keys
            values = {scored.prediction: scored.scores[key] for scored in self.scored}
        else:
            (only,) = self.scored
            values = {heading_of(key): only.scores[key] for key in keys}
        # Compare values as the page shows them, with three digits: those that look equal are equal.
        values = {name: round(value, 3) for name, value in values.items()}
        highest_value = max(values.values())
        highest = [name for name, value in values.items() if value == highest_value]
        is_tie = len(highest) > 1
        is_right = {name: name in highest and not is_tie for name in values}
        return {**is_right, _TIE: is_tie}

    def _goals(self, challenge: Question) -> list[tuple[str, bool]]:
        """Return what a challenge wants and what the prediction has, each with True if it holds.

        An example is `("Pk the same: 0.250 at the start, 0.250 now", True)`.
        """
        # The first system is the challenge as it begins, the second is the text of the box.
        scores_at_start, scores_now = [
            {key: round(scored.scores[key], 3) for key in challenge.goal} for scored in self.scored
        ]
        # For each unit, True if the prediction cuts after it: the second item of `units` is the mark there.
        cuts_at_start, cuts_now = [
            [mark in (MATCHED, WRONG) for _, mark, _ in difference.units()] for difference in self.differences
        ]
        changed = sum(start != now for start, now in zip(cuts_at_start, cuts_now, strict=True))
        goals = [(f"{changed} of 1 gap changed", changed == 1)]
        for key, wanted in challenge.goal.items():
            start = scores_at_start[key]
            now = scores_now[key]
            order = {"lower": now < start, "the same": now == start, "higher": now > start}
            # A challenge wants a change of the score, or a value.
            holds = order[wanted] if isinstance(wanted, str) else now == wanted
            text = f"{heading_of(key)} {wanted}: {start:.3f} at the start, {now:.3f} now"
            goals.append((text, holds))
        return goals


def _guessed_text(question: Question) -> str:
    """Return the end of the sentence that asks for a guess: "which is higher, Word precision or Word recall?"."""
    if len(question.predictions) > 1:
        (key,) = question.guessed_keys
        return f"which has the highest {heading_of(key)}?"
    return f"which is higher, {' or '.join(map(heading_of, question.guessed_keys))}?"


def _fields_of(question: Question, values: Mapping[str, str]) -> dict[str, str]:
    """Return the fields of a question: its texts, and a size of its windows.

    For a challenge, the prediction is what the visitor has made of it, unless it has other letters.
    """
    fields = question.start()
    prediction = values.get("prediction", "")
    has_same_letters = "".join(prediction.split()) == "".join(question.reference.split())
    if question.goal and has_same_letters:
        fields["prediction"] = prediction
    size = values.get("window_size", "")
    if size not in question.window_sizes:
        size, *_ = question.window_sizes
    fields["window_size"] = size
    return fields
