"""Difficulty: scores that are balanced by the difficulty of each word, and the words coloured by difficulty."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import chain, islice
from typing import Any

from markupsafe import Markup

from ....analysis.differences import differences_of
from ....analysis.difficulty import BALANCED_GROUPS, rate_difficulty, rate_sides
from ....analysis.difficulty_results import result_by_difficulty, score_by_difficulty
from ....analysis.drawing import SEGMENTS_DRAWN, draw_difficulties
from ....options.tasks import COMMANDS, python_call
from ....reading.sources.sides import open_inputs
from ....results.result import Result
from ....scoring.map_pieces import map_pieces
from ....scoring.observations import Observations
from ....scoring.plan import Plan
from ....statistics.signing import sign_files
from ..board import board_of
from ..boxes import PREDICTION, REFERENCE, Box, BoxError, Inputs, read_boxes
from ..tab import Tab, controls_of
from ..takeaway import code_of

MAX_MEMBERS = 100
#: The largest number of drawn utterances, and of words before the last of them.
_DRAWN = 100
_WORDS = 10_000


class Difficulty(Tab):
    name = "difficulty"
    label = "Difficulty"
    is_rare = True
    lead = ("A word is hard if many segmenters of a committee miss it, and easy if all find it. Finding hard words is rewarded, "
            "missing easy words is punished (Qian et al. 2016). Lines --- divide the texts of the committee.")  # fmt: skip
    boxes = (
        REFERENCE,
        replace(PREDICTION, option="score"),
        Box("committee", "Committee", "The text as several segmenters segment it, separated by lines ---.",
            "committee", "committee"),
    )  # fmt: skip
    task = "difficulty"
    function = "score_difficulty"
    controls = controls_of("difficulty")

    @classmethod
    def read(cls, values: Mapping[str, str]) -> Inputs:
        # The box of the committee becomes a box for each member; a packed file is one member, with columns.
        *boxes, committee = cls.boxes
        lines = values.get("reference", "").rstrip("\n").count("\n") + 1
        packed = values.get("committee.bytes", "")
        texts = [""]
        if not packed:
            texts = _members(values.get("committee", ""), lines)
        if len(texts) > MAX_MEMBERS:
            raise committee.error(f"expected a committee of up to {MAX_MEMBERS}, received {len(texts):,}.")
        members = {f"member_{number}": text for number, text in enumerate(texts, 1)}
        boxes += [replace(committee, name=name, shown_at="committee") for name in members] or [committee]
        values = {**values, **members, "member_1.bytes": packed}
        return read_boxes(boxes, cls.controls, COMMANDS[cls.task], values)

    def __init__(self, inputs: Inputs) -> None:
        super().__init__(inputs)
        files = [*inputs.files.values()]
        scored_files = [inputs.files["prediction"]]
        zero = inputs.explicit.get("zero_division", 0.0)
        plan = Plan.of(**inputs.options_of(rate_difficulty), scores="token", zero_division=zero)
        observed = Observations.for_signature()
        reference, prediction, *committee = open_inputs(plan.reading, *files)
        try:
            self.difficulties = rate_sides([reference, *committee], observed)
        except ValueError as error:
            raise BoxError("committee", str(error)) from None
        self._sides = [reference, prediction]
        self.systems = score_by_difficulty(self._sides, scored_files, self.difficulties, zero)
        self.scored = [scored for scored, _ in self.systems]
        self.signature = sign_files(
            files, plan, observed, inputs.text_format, further={"difficulties": self.difficulties.digest}
        )

    def variables(self) -> dict[str, Any]:
        words_before = self.difficulties.counts.clip(max=SEGMENTS_DRAWN).cumsum()[: _DRAWN - 1]
        pieces = map_pieces(self._sides, lambda piece: list(differences_of(piece.comparison(1))))
        first = islice(chain.from_iterable(pieces), 1 + int((words_before < _WORDS).sum()))
        words = [difference.reference for difference in first]
        count = len(self.difficulties.counts)
        drawn = draw_difficulties(
            [[word for word, _ in utterance] for utterance in words],
            self.difficulties.to_arrow()[: len(words)].to_pylist(),
            [[is_found for _, is_found in utterance] for utterance in words],
            count if count > len(words) else None,
        )
        board = board_of([*self.scored[0].scores], BALANCED_GROUPS)
        return {"drawn": Markup(drawn), "board": board, "members": len(self.inputs.files) - 2}

    def result(self) -> Result:
        return result_by_difficulty(self.systems, self.inputs.names["reference"], self.signature)

    def code(self) -> dict[str, str]:
        code = super().code()
        members = [code_of(self.inputs, name) for name in [*self.inputs.files][2:]]
        code["committee"] = f"[{', '.join(members)}]"
        named = {name: code[name] for name in ("references", "committee")}
        difficulties = python_call("rate_difficulty", named, self.inputs.options_of(rate_difficulty))
        return {"references": code["references"], "predictions": code["predictions"], "difficulties": difficulties}


def _members(committee: str, line_count: int) -> list[str]:
    """Split segmentations at lines `---`.

    A segmentation that has more than `line_count` lines, as the text has, loses blank lines at its ends, the last ones first.
    """
    if not committee.strip():
        return []
    members = [text.split("\n") for text in re.split(r"(?m)^---[^\S\n]*$", committee)]
    for member in members:
        for end in (-1, 0):
            while len(member) > line_count and not member[end].strip():
                del member[end]
    return ["".join(f"{line}\n" for line in member) for member in members]
