"""Learn: one sentence, with the windows of Pk and WindowDiff, each formula filled in, and six questions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from typing import Any

from ...analysis.differences import MATCHED, MISSED, WRONG, Difference
from ...analysis.drawing import draw_differences
from ...measures.registry import DEFAULT_SCORES, group_of
from ...report.contents import Names, analyse_texts
from ...report.page import Report
from ...scoring.pipeline import Plan
from ...statistics.resampling import Resampling
from ..boxes import PREDICTION, REFERENCE, Inputs
from ..examples import PRINTED, SEGMENTERS
from ..lessons import QUESTIONS, Question
from ..reports import report_of
from ..tab import Tab

#: The columns of Table 1 of Shao, Hardmeier & Nivre (2017).
_KEYS = ("token_precision", "token_recall", "token_fscore", "token_tnr")
_LONGEST = 200
_SCORES = (*DEFAULT_SCORES, "windows")
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
_REMARKS = {
    "T1": "cuts everywhere and finds no word. Precision and recall are the same as for T2; the true negative rate is lower.",
    "T2": "cuts nowhere and finds no word, but its true negative rate is nearly perfect: only one of its words is wrong.",
    "S1": "splits too little: its precision is higher than its recall.",
    "S2": "splits too much: its recall is that of S1, its precision lower.",
    "S3": "finds two of three words; splitting the third too much costs precision, not recall.",
}  # fmt: skip


class Learn(Tab):
    """The tab: it has scores of its own, and the sentences of its questions."""

    name = "learn"
    label = "Learn"
    lead = "Type a sentence of your own, or click the gaps of the drawing, and see what each score counts."
    boxes = (
        replace(REFERENCE, placeholder="One sentence, with spaces between words.", usual=()),
        replace(PREDICTION, placeholder="The same sentence, segmented differently.", usual=()),
    )
    fields = "learn_fields.html"
    visible = ("window_size",)
    exports = (*Tab.exports, "html")

    @classmethod
    def read(cls, values: Mapping[str, str]) -> Inputs | None:
        """The inputs; None while a box is empty."""
        name = values.get("question", "")
        if name:
            question = _question(name)
            texts = {"reference": question.reference, "prediction": next(iter(question.predictions.values()))}
            values = {"question": name, **texts, **{option: str(value) for option, value in question.options.items()}}
        inputs = super().read(values)
        return inputs and replace(inputs, given={"scores": _SCORES, **inputs.given})

    def __init__(self, inputs: Inputs) -> None:
        super().__init__(inputs)
        self.report = report_of(inputs)
        self.signature = self.report.signature
        self.difference = self.report.predictions[0].found.shown[0].difference
        self.units, self.marks = _units_of(self.difference)
        if self.report.utterances != 1 or not 0 < len(self.units) <= _LONGEST:
            several = f"{self.report.utterances:,} utterances"
            found = several if self.report.utterances != 1 else f"one of {len(self.units):,} units"
            problem = f"expected one sentence of up to {_LONGEST} units, received {found}: the tab Score takes more."
            raise inputs.boxes["reference"].error(problem)
        self.texts = {name: text.decode(errors="replace").strip() for name, text in inputs.contents.items()}
        # The sentence of Table 1 in its language, or in English.
        known = dict(SEGMENTERS.values())
        self.is_known = self.texts["reference"] in known
        self.sentence = self.texts["reference"] if self.is_known else SEGMENTERS["English"][0]
        self.outputs = known[self.sentence]
        self.k = int(self.report.found.plan.plain()["window_size"])
        self.five = _table_1(self.sentence, self.k)
        own = [replace(each, path=inputs.paths["prediction"]) for each in self.report.found.scored()]
        self.scored = self.five.found.scored() if self.is_known else own

    def shown(self) -> dict[str, Any]:
        """The sentence, or the question with its answer."""
        common = {"three": _three, "formula": _formula_of}
        if self.inputs.values.get("question"):
            return common | _answer(_question(self.inputs.values["question"]))
        prediction, k = self.report.predictions[0], self.k
        windows = []
        for start in range(len(self.units) - k):
            inside = self.marks[start : start + k]
            counts = [sum(mark in (MATCHED, own) for mark in inside) for own in (MISSED, WRONG)]
            windows.append({"counts": counts, "pk": any(counts) != all(counts), "window_diff": counts[0] != counts[1]})
        names = [name for name, text in self.outputs.items() if self.is_known and text == self.texts["prediction"]]
        return common | {
            "prediction": prediction,
            "drawn": draw_differences([self.difference]),
            "units": list(zip(self.units, [*self.marks, ""], strict=True)),
            "k": k,
            "windows": windows,
            "formulas": [(key, formula) for key in prediction.scored.scores if (formula := _formula_of(key))],
            "shares": {key: prediction.fraction(key) for key in ("pk", "window_diff")},
            "five": self.five.predictions,
            "printed": PRINTED.get(self.sentence, {}),
            "chosen": "".join(names),
            "remarks": _REMARKS,
            "keys": _KEYS,
        }


def _question(name: str) -> Question:
    if name not in QUESTIONS:
        raise ValueError(f"There is no question {name[:40]!r}: expected one of {', '.join(QUESTIONS)}.")
    return QUESTIONS[name]


def _answer(question: Question) -> dict[str, Any]:
    groups = tuple(dict.fromkeys(group_of(key).name for key in question.keys))
    report = _report(question.reference, question.predictions, groups, **question.options)
    values = {each.name: dict(each.scored.scores) for each in report.predictions}
    drawn = {each.name: draw_differences([each.found.shown[0].difference]) for each in report.predictions}
    answer = question.answer.format(**values)
    return {"template": "question.html", "question": question, "report": report, "drawn": drawn, "answer": answer}


def _units_of(difference: Difference) -> tuple[list[str], list[str]]:
    """The units, and the mark of each gap between two of them, empty where no side has a boundary."""
    parts = [list(part.split(" ") if difference.separator else part) for part in difference.segments]
    ends = [[""] * (len(part) - 1) + [end] for part, end in zip(parts, (*difference.marks, ""), strict=True)]
    return [*chain(*parts)], [*chain(*ends)][:-1]


def _formula_of(key: str) -> str:
    """What is divided, in words; empty for a score that is not in the lesson."""
    name = key.rpartition("_")[2]
    return (_FORMULAS.get(key) or _FORMULAS.get(name, "")).format(_NOUNS.get(group_of(key).name, ""))


def _report(reference: str, predictions: Mapping[str, str], scores: Sequence[str], **options: Any) -> Report:
    plan = Plan.of(scores=scores, text_format="words", **options)
    texts = {name: [text] for name, text in predictions.items()}
    found = analyse_texts([reference], texts, plan, Resampling(confidence=None))
    return Report(found, Names("reference", "reference", dict.fromkeys(texts, "")), "")


@lru_cache
def _table_1(sentence: str, window_size: int) -> Report:
    return _report(sentence, dict(SEGMENTERS.values())[sentence], _SCORES, window_size=window_size)


def _three(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.3f}"
