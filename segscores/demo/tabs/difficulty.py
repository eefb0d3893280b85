"""Difficulty: scores that are balanced by the difficulty of each word, and the words coloured by difficulty."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any

import numpy as np
from markupsafe import Markup

from ...analysis.by_difficulty import result_by_difficulty
from ...analysis.difficulty import BALANCED_KEYS, rate_difficulty, recovered_by_decile, score_difficulty
from ...analysis.drawing import draw_difficulties, draw_scores
from ...options.requests import python_call
from ...options.tasks import COMMANDS
from ...results.result import Result
from ...results.scored import Scored
from ...scoring.signature import shorten_digest
from ...statistics.signing import signature
from ..boxes import PREDICTION, REFERENCE, Box, BoxError, Inputs, numbers, read_boxes
from ..reports import first_differences, sign
from ..tab import Tab
from ..takeaway import code_of

MAX_MEMBERS = 100
_DRAWN = 100
#: The title, the definition and the formula of each kind of score.
_KINDS = {
    "balanced": ("balanced by difficulty", "Harmonic means of the reward and the punishment scores.",
                 "balanced = 2 · reward · punishment / (reward + punishment); fscore of the balanced precision and recall"),
    "reward": ("reward for hard words", "Words weighted by their difficulty d.", "recall Σ d·m / Σ d, precision Σ d·m / Σ d', "
               "m 1 for a recovered word, d' of the reference word under the end"),
    "punishment": ("punishment for easy words", "Words weighted by 1 − d.",
                   "recall Σ (1−d)·m / Σ (1−d), precision Σ (1−d)·m / Σ (1−d')"),
}  # fmt: skip
_GROUPS = {
    kind: {"title": title, "definition": definition, "formula": formula, "source": "Qian et al. (2016)", "columns": (),
           "keys": [key for key in BALANCED_KEYS if key.startswith(kind)]}
    for kind, (title, definition, formula) in _KINDS.items()
}  # fmt: skip


class Difficulty(Tab):
    """The tab: a box has the texts of several segmenters, or another has numbers."""

    name = "difficulty"
    label = "Difficulty"
    lead = ("A word is hard if many segmenters of a committee miss it, and easy if all find it. Finding hard words is rewarded, "
            "missing easy words is punished (Qian et al. 2016).")  # fmt: skip
    boxes = (
        REFERENCE,
        replace(PREDICTION, option="score"),
        Box("committee", "Committee", "The text as several segmenters segment it, separated by lines ---.",
            "committee", "committee", is_required=False),
        Box("difficulties", "Difficulties", "Instead of a committee: numbers from 0 to 1, one for each word.",
            "difficulties", "difficulties", is_required=False,
            lines=numbers("difficulties", "a difficulty for each word of the reference")),
    )  # fmt: skip
    waits_for = "reference, prediction, and a committee or difficulties"
    task = "difficulty"
    function = "score_difficulty"
    controls = ("text_format", "word_boundary", "ignored_tokens", "zero_division")

    @classmethod
    def read(cls, values: Mapping[str, str]) -> Inputs | None:
        """The inputs; None while there are no texts, or nothing that rates their words."""
        has_numbers = bool(values.get("difficulties", "").strip() or values.get("difficulties.bytes"))
        lines = values.get("reference", "").rstrip("\n").count("\n") + 1
        texts = [] if has_numbers else _members(values.get("committee", ""), lines)
        if not texts and not has_numbers and "committee.bytes" in values:
            texts, values = [""], {**values, "member_1.bytes": values["committee.bytes"]}
        return cls.read_committee(values, texts) if texts or has_numbers else None

    @classmethod
    def read_committee(cls, values: Mapping[str, str], texts: Sequence[str]) -> Inputs | None:
        """The inputs with the texts of a committee; without texts, difficulties."""
        reference, prediction, committee, difficulties = cls.boxes
        if len(texts) > MAX_MEMBERS:
            raise committee.error(f"expected a committee of up to {MAX_MEMBERS}, received {len(texts):,}.")
        members = {f"member_{number}": text for number, text in enumerate(texts, 1)}
        others = [
            replace(committee, name=name, label=f"Committee, text {name[7:]}", shown_at="committee", is_required=True)
            for name in members
        ]
        boxes = (reference, prediction, *(others or [difficulties]))
        return read_boxes(boxes, cls.controls, COMMANDS[cls.task], {**values, **members})

    def __init__(self, inputs: Inputs) -> None:
        super().__init__(inputs)
        reference, prediction, *others = inputs.files.values()
        reading = inputs.options_of(rate_difficulty)
        try:
            self.rated = inputs.parsed.get("difficulties") or rate_difficulty(reference, others, **reading)
        except ValueError as error:
            raise BoxError("committee", str(error)) from None
        rated, zero = (reference, prediction, self.rated), inputs.given.get("zero_division", 0.0)
        scores, with_nan = (score_difficulty(*rated, zero_division=each, **reading) for each in (zero, math.nan))
        undefined = [key for key, value in with_nan.items() if math.isnan(value)]
        self.deciles = recovered_by_decile(*rated, zero_division=zero, **reading)
        self.scored = [Scored(prediction.name, scores, path=prediction.given, undefined=undefined)]
        digest = sha256(np.concatenate([np.asarray(each, np.float64) for each in self.rated]).tobytes()).hexdigest()
        signed = {"difficulties": shorten_digest(digest)}
        self.signature = sign(inputs, None, signed, **{**inputs.options_of(signature), "scores": "token"})

    def shown(self) -> dict[str, Any]:
        """The words, coloured, and the scores."""
        words = [difference.reference for difference in first_differences(self.inputs, _DRAWN)]
        drawn = draw_difficulties(
            [[word for word, _ in utterance] for utterance in words],
            [list(rates) for rates in self.rated[: len(words)]],
            [[found for _, found in utterance] for utterance in words],
            len(self.rated) if len(self.rated) > _DRAWN else None,
        )
        members = len(self.inputs.files) - 2
        return {
            "drawn": Markup(drawn),
            "scores": Markup(draw_scores(_GROUPS, self.values(), {}, definitions=True)),
            "members": members,
            "is_unused": not members and self.inputs.values.get("committee", "").strip(),
        }

    def result(self) -> Result:
        """The result of the command."""
        return result_by_difficulty([(self.scored[0], self.deciles)], self.inputs.paths["reference"], self.signature)

    def code(self) -> dict[str, str]:
        """Python code for the texts and the difficulties, which a call computes from a committee."""
        code = super().code()
        if code.pop("committee", ""):
            members = [code_of(self.inputs, name) for name in [*self.inputs.files][2:]]
            named = {"references": code["references"], "committee": f"[{', '.join(members)}]"}
            code["difficulties"] = python_call("rate_difficulty", named, self.inputs.options_of(rate_difficulty))
        return code


def _members(committee: str, lines: int) -> list[str]:
    """The segmentations of a text with lines `---` between them, without blank lines around them that the text has not."""
    members = [part.split("\n") for part in re.split(r"(?m)^---[^\S\n]*$", committee)] if committee.strip() else []
    for part in members:
        for end in (-1, 0):
            while len(part) > lines and not part[end].strip():
                del part[end]
    return ["".join(f"{line}\n" for line in part) for part in members]
