"""Difficulty: scores that are balanced by the difficulty of each word, and the words coloured by difficulty."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import chain, islice
from typing import Any

import numpy as np
from markupsafe import Markup

from ...analysis.by_difficulty import result_by_difficulty
from ...analysis.differences import differences_of
from ...analysis.difficulty import rate_difficulty, recovered_by_decile, score_difficulty
from ...analysis.drawing import draw_difficulties, draw_scores
from ...options.requests import Request, command_line, python_call
from ...options.tasks import COMMANDS
from ...reading.options import Reading
from ...reading.texts import parse_numbers
from ...results.result import Result
from ...results.scored import Scored
from ...scoring.signature import shorten_digest
from ...sources.fold import fold
from ...sources.names import is_json, short_names
from ...sources.sides import sides_of
from ...statistics.signing import signature
from ...support.errors import FileError, UtteranceError
from ..boxes import Box, BoxError, Inputs, read_boxes
from ..examples import COMMITTEE
from ..pictures import scores_svg
from ..reports import of_files
from ..tab import Tab, templates
from ..takeaway import QUOTED, code_of

MAX_MEMBERS = 100
_DRAWN = 100
_READING = ("text_format", "reference_format", "prediction_format", "word_boundary", "ignored_tokens")
_SOURCE = "Qian et al. (2016)"
GROUPS = {
    "balanced": {
        "title": "balanced by difficulty",
        "definition": "Harmonic means of the reward and the punishment scores.",
        "formula": "balanced = 2 · reward · punishment / (reward + punishment); fscore of the balanced precision and recall",
        "keys": ("balanced_precision", "balanced_recall", "balanced_fscore"),
    },
    "reward": {
        "title": "reward for hard words",
        "definition": "Words weighted by their difficulty d.",
        "formula": "recall Σ d·m / Σ d, precision Σ d·m / Σ d', m 1 for a recovered word, d' of the reference word under the end",
        "keys": ("reward_precision", "reward_recall"),
    },
    "punishment": {
        "title": "punishment for easy words",
        "definition": "Words weighted by 1 − d.",
        "formula": "recall Σ (1−d)·m / Σ (1−d), precision Σ (1−d)·m / Σ (1−d')",
        "keys": ("punishment_precision", "punishment_recall"),
    },
}


@dataclass(frozen=True)
class Rated(Inputs):
    """A reference, a prediction, the members of a committee, and the difficulties of the reference words."""

    numbers: tuple[list[float], ...] = ()

    @property
    def members(self) -> list[str]:
        """The boxes of the committee; empty if the difficulties were given."""
        return [box for box in self.files if box.startswith("member_")]

    @property
    def reading(self) -> dict[str, Any]:
        """The options on the texts."""
        return {name: value for name, value in self.options.items() if name in _READING}

    @property
    def difficulties(self) -> list[Any]:
        """The difficulties of the reference words."""
        if not self.members:
            return [*self.numbers]
        try:
            return rate_difficulty(self.files["reference"], [self.files[box] for box in self.members], **self.reading)
        except ValueError as error:
            raise BoxError("committee", str(error)) from None

    def scored(self, difficulties: list[Any], zero_division: float) -> dict[str, float]:
        """The balanced scores."""
        sides = self.files["reference"], self.files["prediction"]
        try:
            return score_difficulty(*sides, difficulties, zero_division=zero_division, **self.reading)
        except (FileError, UtteranceError) as error:
            found = error.found if isinstance(error, FileError) else error
            if found is None or found.side != "difficulties":
                raise
            raise _bad_numbers(found) from None


class DifficultyTab(Tab):
    """The tab: a box has the texts of several segmenters, or another has numbers."""

    def read(self, values: Mapping[str, str]) -> Inputs | None:
        """The inputs; None while there are no texts, or nothing that rates their words."""
        texts, rest = values.get("committee", ""), values.get("difficulties", "")
        lines = values.get("reference", "").rstrip("\n").count("\n") + 1
        members = [] if rest.strip() else _members(texts, lines)
        if len(members) > MAX_MEMBERS:
            raise BoxError("committee", f"expected a committee of up to {MAX_MEMBERS}, received {len(members):,}.")
        names = {f"member_{number}": member for number, member in enumerate(members, 1)}
        if not names and not rest.strip() and values.get("committee.bytes"):
            names = {"member_1": ""}
            values = {**values, "member_1.bytes": values["committee.bytes"]}
        if not names and not rest.strip():
            return None
        boxes = [*self.boxes[:2], *(Box(name, f"Committee, text {name[7:]}") for name in names)]
        try:
            inputs = read_boxes(boxes, self.controls, COMMANDS[self.task], {**values, **names})
            numbers = parse_numbers(rest, "a difficulty for each word of the reference")
        except BoxError as error:
            raise BoxError("committee" if error.box in names else error.box, str(error)) from None
        except UtteranceError as error:
            raise _bad_numbers(error) from None
        return inputs and Rated(inputs.files, inputs.given, values, tuple(numbers))


def _bad_numbers(error: UtteranceError) -> BoxError:
    return BoxError("difficulties", f"difficulties, line {error.utterance + 1}: {error.detail}")


def _members(committee: str, lines: int) -> list[str]:
    """The segmentations of a text with lines `---` between them, without blank lines around them that the text has not."""
    members = [part.split("\n") for part in re.split(r"(?m)^---[^\S\n]*$", committee)] if committee.strip() else []
    for part in members:
        for end in (-1, 0):
            while len(part) > lines and not part[end].strip():
                del part[end]
    return ["".join(f"{line}\n" for line in part) for part in members]


def show(inputs: Inputs) -> str:
    """The results as HTML."""
    assert isinstance(inputs, Rated)
    rated = inputs.difficulties
    scored, _ = scored_of(inputs, rated)
    sides = sides_of(Reading.of(**inputs.reading), inputs.files["reference"], inputs.files["prediction"])
    every = chain.from_iterable(fold(sides, lambda part: list(differences_of(part.comparison(1)))))
    differences = list(islice(every, _DRAWN))
    words = [difference.reference for difference in differences]
    drawn = draw_difficulties(
        [[word for word, _ in utterance] for utterance in words],
        [list(rates) for rates in rated[: len(words)]],
        [[found for _, found in utterance] for utterance in words],
        len(rated) if len(rated) > _DRAWN else None,
    )
    groups = {name: {**group, "source": _SOURCE, "columns": ()} for name, group in GROUPS.items()}
    values = {**scored.scores, **dict.fromkeys(scored.undefined, math.nan)}
    return (
        templates()
        .get_template("difficulty.html")
        .render(
            drawn=Markup(drawn),
            scores=Markup(draw_scores(groups, values, {}, definitions=True)),
            members=len(inputs.members),
            is_unused=not inputs.members and inputs.values.get("committee", "").strip(),
            signature=signature_of(inputs, rated),
        )
    )


def scored_of(inputs: Rated, rated: list[Any]) -> tuple[Scored, list[Any]]:
    """The scores of the prediction, and the words that it recovers in each tenth of difficulty."""
    zero = inputs.given.get("zero_division", 0.0)
    sides = inputs.files["reference"], inputs.files["prediction"]
    scores, with_nan = inputs.scored(rated, zero), inputs.scored(rated, math.nan)
    undefined = [key for key, value in with_nan.items() if math.isnan(value)]
    deciles = recovered_by_decile(*sides, rated, zero_division=zero, **inputs.reading)
    path = inputs.paths["prediction"]
    name = short_names([inputs.paths["reference"], path])[1]
    return Scored(name, scores, path=path, undefined=undefined), deciles


def signature_of(inputs: Rated, rated: list[Any]) -> str:
    """The signature that the command prints."""
    zero = {name: value for name, value in inputs.given.items() if name == "zero_division"}
    numbers = np.concatenate([np.asarray(each, np.float64) for each in rated])
    digest = shorten_digest(sha256(numbers.tobytes()).hexdigest())
    signed = signature(inputs.files["reference"], scores="token", **inputs.reading, **zero)
    before, _, after = of_files(inputs, signed).rpartition("|n:")
    return f"{before}|difficulties:{digest}|n:{after}"


def result(inputs: Inputs) -> Result:
    """The result of the command."""
    assert isinstance(inputs, Rated)
    rated = inputs.difficulties
    return result_by_difficulty([scored_of(inputs, rated)], inputs.paths["reference"], signature_of(inputs, rated))


def picture(inputs: Inputs) -> str:
    """The scores as an SVG."""
    assert isinstance(inputs, Rated)
    scored, _ = scored_of(inputs, inputs.difficulties)
    return scores_svg([scored], [*scored.scores])


def lines(inputs: Inputs) -> dict[str, str]:
    """The command and the Python code that compute the same."""
    assert isinstance(inputs, Rated)
    pair = replace(inputs, files={box: inputs.files[box] for box in ("reference", "prediction")})
    members = [inputs.files[box] for box in inputs.members]
    source: dict[str, Any] = {"difficulties": "difficulties.txt"}
    if members:
        source = {"committee": tuple(str(member.paths[0]) for member in members)}
        columns = [member.column for member in members if is_json(member.paths[0])]
        source |= {"committee_column": tuple(columns)} if set(columns) - {"prediction"} else {}
    options = {**source, "score": (inputs.paths["prediction"],), **pair.columns(), **inputs.given}
    command = command_line(Request(COMMANDS["difficulty"], {"reference": inputs.paths["reference"]}, options))
    code = {box: code_of(inputs, box) for box in inputs.files}
    zero = {name: value for name, value in inputs.given.items() if name == "zero_division"}
    imports = ["import pathlib\n"]
    if members:
        listed = f"[{', '.join(code[box] for box in inputs.members)}]"
        rates = python_call("rate_difficulty", {"references": "references", "committee": listed}, inputs.reading)
    elif len(inputs.values["difficulties"]) <= QUOTED:
        rates = repr([*inputs.numbers])
    else:
        rates = 'parse_numbers(pathlib.Path("difficulties.txt").read_text("utf-8"), "difficulties")'
    named = {"references": "references", "predictions": code["prediction"], "difficulties": "difficulties"}
    call = python_call("score_difficulty", named, {**inputs.reading, **zero})
    text = f"references = {code['reference']}\ndifficulties = {rates}\nprint({call})"
    imports = ["import pathlib\n"] * ("pathlib" in text) + ["import segscores"]
    imports += ["from segscores.reading.texts import parse_numbers"] * ("parse_numbers" in text)
    return {"Command": command, "Python": "\n".join([*imports, "", text])}


TAB = DifficultyTab(
    "difficulty",
    "Difficulty",
    (
        Box("reference", "Reference", "One utterance a line, spaces between words; or CoNLL-U, JSON lines.", ("reference",)),
        Box("prediction", "Prediction", "The same text, segmented differently.", ("prediction",)),
        Box("committee", "Committee", "The text as several segmenters segment it, separated by lines ---.", is_required=False),
        Box("difficulties", "Difficulties", "Instead of a committee: numbers from 0 to 1, one for each word.", is_required=False),
    ),
    show,
    task="difficulty",
    controls=("text_format", "word_boundary", "ignored_tokens", "zero_division"),
    examples={"English": dict(zip(("reference", "prediction", "committee"), COMMITTEE, strict=True)) | {"difficulties": ""}},
    result=result,
    picture=picture,
    lines=lines,
    waits_for="reference, prediction, and a committee or difficulties",
    lead="A word is hard if many segmenters of a committee miss it, and easy if all find it. Finding hard words is rewarded, "
    "missing easy words is punished (Qian et al. 2016).",
)  # fmt: skip
