"""Learn: one sentence, with the windows of Pk and WindowDiff, each formula filled in, and six questions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from ...analysis.differences import MATCHED, MISSED, WRONG, Difference
from ...analysis.drawing import draw_differences
from ...measures.registry import DEFAULT_SCORES, group_of, heading_of
from ...report.contents import Names, analyse_texts
from ...report.page import Prediction, Report
from ...results.result import Result
from ...results.scored import Scored, result_of
from ...scoring.options import Plan
from ...statistics.resampling import Resampling
from ..boxes import Box, BoxError, Inputs
from ..examples import PRINTED, SEGMENTERS
from ..lessons import QUESTIONS
from ..pictures import scores_svg
from ..reports import report_of
from ..tab import Tab, templates

#: The columns of Table 1 of Shao, Hardmeier & Nivre (2017).
KEYS = ("token_precision", "token_recall", "token_fscore", "token_tnr")
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


class LearnTab(Tab):
    """The tab: it has scores of its own, and the sentences of its questions."""

    def read(self, values: Mapping[str, str]) -> Inputs | None:
        """The inputs; None while a box is empty."""
        question = QUESTIONS.get(values.get("question", ""))
        if question:
            sides = {"reference": question.reference, "prediction": next(iter(question.predictions.values()))}
            size = {name: str(value) for name, value in question.options.items()}
            values = {"question": values["question"], **sides, **size}
        inputs = super().read(values)
        return inputs and replace(inputs, given={"scores": _SCORES, **inputs.given})


def show(inputs: Inputs) -> str:
    """The results as HTML."""
    if inputs.values.get("question"):
        return answer_of(inputs.values["question"])
    report = sentence_of(inputs)
    prediction = report.predictions[0]
    difference = prediction.found.shown[0].difference
    units, marks = units_of(difference)
    k = _window_size(report)
    windows = []
    for start in range(len(units) - k):
        inside = marks[start : start + k]
        counts = [sum(mark in (MATCHED, own) for mark in inside) for own in (MISSED, WRONG)]
        windows.append({"counts": counts, "pk": any(counts) != all(counts), "window_diff": counts[0] != counts[1]})
    reference, outputs = language_of(inputs)
    five = _report([reference], outputs, ("token", "tnr"))
    chosen = next((name for name, text in outputs.items() if text == _text(inputs, "prediction")), "")
    return (
        templates()
        .get_template("learn.html")
        .render(
            prediction=prediction,
            drawn=draw_differences([difference]),
            editable=inputs.are_lines,
            units=list(zip(units, [*marks, ""], strict=True)),
            k=k,
            windows=windows,
            formulas=[(key, formula) for key in prediction.scored.scores if (formula := formula_of(key))],
            shares={key: prediction.fraction(key) for key in ("pk", "window_diff")},
            heading=heading_of,
            three=_three,
            five=[(each, outputs[each.name], _printed(each, reference)) for each in five.predictions],
            reference=reference,
            chosen=chosen if reference == _text(inputs, "reference") else "",
            remarks=_REMARKS,
            keys=KEYS,
            signature=report.signature,
        )
    )


def sentence_of(inputs: Inputs) -> Report:
    """The report of the sentence."""
    report = report_of(inputs)
    units = len(units_of(report.predictions[0].found.shown[0].difference)[0]) if report.utterances == 1 else 0
    if not 0 < units <= _LONGEST:
        found = f"{report.utterances:,} utterances" if report.utterances != 1 else f"one of {units:,} units"
        raise BoxError(
            "reference", f"expected one sentence of up to {_LONGEST} units, received {found}: the tab Score takes more."
        )
    return report


def units_of(difference: Difference) -> tuple[list[str], list[str]]:
    """The units, and the mark of each gap between two of them, empty where no side has a boundary."""
    parts = [list(part.split(" ") if difference.separator else part) for part in difference.segments]
    ends = [[""] * (len(part) - 1) + [end] for part, end in zip(parts, (*difference.marks, ""), strict=True)]
    return [*chain(*parts)], [*chain(*ends)][:-1]


def _window_size(report: Report) -> int:
    return int(report.found.plan.plain()["window_size"])


def formula_of(key: str) -> str:
    """What is divided, in words; empty for a score that is not in the lesson."""
    name = key.rpartition("_")[2]
    return (_FORMULAS.get(key) or _FORMULAS.get(name, "")).format(_NOUNS.get(group_of(key).name, ""))


def answer_of(name: str) -> str:
    """A question with its answer."""
    if name not in QUESTIONS:
        raise ValueError(f"There is no question {name[:40]!r}: expected one of {', '.join(QUESTIONS)}.")
    question = QUESTIONS[name]
    groups = tuple(dict.fromkeys(group_of(key).name for key in question.keys))
    report = _report([question.reference], question.predictions, groups, **question.options)
    values = {each.name: dict(each.scored.scores) for each in report.predictions}
    drawn = {each.name: draw_differences([each.found.shown[0].difference]) for each in report.predictions}
    return (
        templates()
        .get_template("question.html")
        .render(
            question=question,
            report=report,
            drawn=drawn,
            answer=question.answer.format(**values),
            heading=heading_of,
            three=_three,
            formula=formula_of,
        )
    )


def result(inputs: Inputs) -> Result:
    """The scores of the sentence; of a sentence of Table 1 those of all its segmenters."""
    report = sentence_of(inputs)
    return result_of(scored_of(inputs, report), inputs.paths["reference"], report.signature)


def picture(inputs: Inputs) -> str:
    """The scores of Table 1 as an SVG."""
    return scores_svg(scored_of(inputs, sentence_of(inputs)), KEYS)


def scored_of(inputs: Inputs, report: Report) -> list[Scored]:
    """The scores of the sentence; of a sentence of Table 1 those of all its segmenters."""
    reference, outputs = language_of(inputs)
    if reference != _text(inputs, "reference"):
        return [replace(each, path=inputs.paths["prediction"]) for each in report.found.scored()]
    return _report([reference], outputs, _SCORES, window_size=_window_size(report)).found.scored()


def language_of(inputs: Inputs) -> tuple[str, dict[str, str]]:
    """The sentence of Table 1 and its segmenters: in the language of the reference, or in English."""
    known = dict(SEGMENTERS.values())
    reference = _text(inputs, "reference")
    return (reference, known[reference]) if reference in known else SEGMENTERS["English"]


def _text(inputs: Inputs, box: str) -> str:
    return inputs.contents[box].decode(errors="replace").strip()


def _report(references: Sequence[str], predictions: Mapping[str, str], scores: Sequence[str], **options: Any) -> Report:
    plan = Plan.of(scores=scores, text_format="words", **options)
    texts = {name: [text] for name, text in predictions.items()}
    found = analyse_texts(references, texts, plan, Resampling(confidence=None))
    return Report(found, Names("reference", "reference", dict.fromkeys(texts, "")), "")


def _three(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.3f}"


def _printed(prediction: Prediction, reference: str) -> dict[str, str]:
    """What the paper prints, where it is another number."""
    language = next(name for name, (sentence, _) in SEGMENTERS.items() if sentence == reference)
    printed = dict(zip(KEYS, PRINTED[language][prediction.name], strict=True))
    return {key: text for key, text in printed.items() if f"{prediction.value(key):.2f}" != f"{float(text):.2f}"}


TAB = LearnTab(
    "learn",
    "Learn",
    (
        Box("reference", "Reference", "One sentence, with spaces between words."),
        Box("prediction", "Prediction", "The same sentence, segmented differently."),
    ),
    show,
    visible=("window_size",),
    examples={
        "English": {"reference": "the dog is on the boat", "prediction": "thedog is on the bo at"},
        "中文": {"reference": "我们 明天 去 北京 看 朋友", "prediction": "我们 明天 去北京 看 朋 友"},
    },
    result=result,
    picture=picture,
    report=sentence_of,
    fields="learn_fields.html",
    lead="Type a sentence of your own, or click the gaps of the drawing, and see what each score counts.",
)  # fmt: skip
