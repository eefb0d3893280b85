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
            argument="committee", option="committee"),
    )  # fmt: skip
    task = "difficulty"
    function = "score_difficulty"
    controls = controls_of("difficulty")

    @classmethod
    def read(cls, values: Mapping[str, str]) -> Inputs:
        """Read the inputs, with a box for each member of the committee: `member_1`, `member_2` and so on."""
        *boxes, committee_box = cls.boxes
        line_count = values.get("reference", "").rstrip("\n").count("\n") + 1
        packed = values.get("committee.bytes", "")
        if packed:
            # A packed file is one member, with columns, and no text stands in the box.
            texts = [""]
        else:
            texts = _members(values.get("committee", ""), line_count)
        if len(texts) > MAX_MEMBERS:
            raise committee_box.error(f"expected a committee of up to {MAX_MEMBERS}, received {len(texts):,}.")
        text_of = {f"member_{number}": text for number, text in enumerate(texts, 1)}
        boxes += [replace(committee_box, name=name, shown_at="committee") for name in text_of]
        if not text_of:
            # An empty box, which the error names.
            boxes.append(committee_box)
        # The column that the visitor chose is that of each member.
        column_of = {f"{name}.column": values.get("committee.column", "") for name in text_of}
        values = {**values, **text_of, **column_of, "member_1.bytes": packed}
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
        """Return the drawing of the first utterances, the board, and the number of members."""
        # Draw utterances that have fewer than _WORDS words before them, and the first one always. If _WORDS were 3,000, then of
        # utterances with 2,000, 1,500 and 5 words, the second has 2,000 words before it and is drawn, and the third has 3,500 and
        # is not. Of a long utterance, only SEGMENTS_DRAWN words are drawn and count.
        words_before_next = self.difficulties.counts.clip(max=SEGMENTS_DRAWN).cumsum()[: _DRAWN - 1]
        drawn_count = 1 + int((words_before_next < _WORDS).sum())
        number_of_prediction = 1  # among the sides
        differences_of_pieces = map_pieces(
            self._sides, lambda piece: list(differences_of(piece.comparison(number_of_prediction)))
        )
        shown = list(islice(chain.from_iterable(differences_of_pieces), drawn_count))
        count = len(self.difficulties.counts)
        drawn = draw_difficulties(
            [[word for word, _ in difference.reference] for difference in shown],
            self.difficulties.to_arrow()[: len(shown)].to_pylist(),
            [[is_found for _, is_found in difference.reference] for difference in shown],
            total=count if count > len(shown) else None,
        )
        (scored,) = self.scored
        board = board_of([*scored.scores], BALANCED_GROUPS)
        return {"drawn": Markup(drawn), "board": board, "members": len(self._member_names())}

    def _member_names(self) -> list[str]:
        """Return the names of the boxes of the committee."""
        _, _, *members = self.inputs.files  # after the reference and the prediction
        return members

    def result(self) -> Result:
        return result_by_difficulty(self.systems, self.inputs.names["reference"], self.signature)

    def code(self) -> dict[str, str]:
        """Return the arguments of the call that scores the prediction, as code by name.

        `difficulties` is itself a call, which rates the words of the reference: `segscores.rate_difficulty(…)`.
        """
        code = super().code()
        members = [code_of(self.inputs, name) for name in self._member_names()]
        committee = f"[{', '.join(members)}]"
        rated = {"references": code["references"], "committee": committee}
        difficulties = python_call("rate_difficulty", rated, self.inputs.options_of(rate_difficulty))
        # The committee is an argument of the call within, and of no other.
        return {"references": code["references"], "predictions": code["predictions"], "difficulties": difficulties}


def _members(committee: str, line_count: int) -> list[str]:
    """Return the text of each member of the committee, which lines `---` separate.

    The reference has `line_count` lines. A member that has more loses blank lines at its ends, the last ones first.
    """
    if not committee.strip():
        return []
    # Spaces may follow the `---`.
    members = [text.split("\n") for text in re.split(r"(?m)^---[^\S\n]*$", committee)]
    for member in members:
        for end in (-1, 0):  # the last line, then the first
            while len(member) > line_count and not member[end].strip():
                del member[end]
    return ["".join(f"{line}\n" for line in member) for member in members]
