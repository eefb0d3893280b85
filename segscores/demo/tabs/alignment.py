"""Alignment: bisegments of a text and its translation as links, and their scores at every level."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from ...analysis.drawing import draw_links, draw_scores
from ...bitext.alignment import LEVELS, score_alignment
from ...bitext.bitexts import BisegmentError, parse_bisegments
from ...measures.group import describe
from ...options.requests import Request, command_line
from ...options.tasks import COMMANDS
from ...results.result import Result
from ...results.scored import Scored, result_of
from ...scoring.signature import sign_plainly
from ..boxes import Box, BoxError, Inputs
from ..examples import BITEXT
from ..pictures import scores_svg, standalone
from ..tab import Tab, templates
from ..takeaway import QUOTED

#: The largest number of drawn segments of one side, beyond which links are hard to follow.
_DRAWN = 60
#: The largest number of pairs of source and target segments on one side, so that other visitors need not wait.
MAX_PAIRS = 1_000_000


@dataclass(frozen=True)
class Aligned:
    """Two alignments of one bitext, its texts, and its scores."""

    inputs: Inputs
    alignments: dict[str, list[Any]]
    texts: dict[str, list[str]]
    scored: Scored

    @property
    def segments(self) -> int:
        """The number of segments of the longer text, as far as they are joined."""
        sides = self.alignments.values()
        return 1 + max((number for side in sides for both in side for half in both for number in half), default=-1)

    @property
    def links(self) -> str:
        """The drawing of the links; empty if there are too many segments."""
        return draw_links(*self.alignments.values()) if self.segments <= _DRAWN else ""

    @property
    def signature(self) -> str:
        """The signature that the command prints."""
        zero = self.inputs.given.get("zero_division", 0.0)
        return sign_plainly(text="alignment", zero=zero, n=len(self.alignments["reference"]))


class Bitext(Inputs):
    """Two alignments, and the texts that they align."""

    def note(self, box: str) -> str:
        """How a box was read."""
        return f"{len(lines_of(self, box)):,} {'bisegments' if box in ('reference', 'prediction') else 'segments'}"


class AlignmentTab(Tab):
    """The tab: its boxes have bisegments and segments."""

    def read(self, values: Mapping[str, str]) -> Inputs | None:
        """The inputs; None while a box is empty."""
        inputs = super().read(values)
        return inputs and Bitext(inputs.files, inputs.given, values)


def lines_of(inputs: Inputs, box: str) -> list[str]:
    """The lines of a box."""
    try:
        text = inputs.contents[box].decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BoxError(box, f"{inputs.paths[box]}: this is no text in UTF-8.") from None
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]


def align(inputs: Inputs) -> Aligned:
    """The scores of one alignment against another."""
    alignments = {}
    for box in ("reference", "prediction"):
        try:
            alignments[box] = parse_bisegments(lines_of(inputs, box), f"{box}s")
        except BisegmentError as error:
            raise BoxError(box, f"{inputs.paths[box]}, line {error.bisegment + 1}: {error.problem}") from None
        pairs = sum(len(source) * len(target) for source, target in alignments[box])
        if pairs > MAX_PAIRS:
            message = f"the {box} joins {pairs:,} pairs of segments; this page takes {MAX_PAIRS:,}. Use the command."
            raise BoxError(box, message)
    texts = {box: lines_of(inputs, box) for box in ("sources", "targets") if box in inputs.files}
    if len(texts) == 1:
        missing = "sources" if "targets" in texts else "targets"
        raise BoxError(missing, f"the {missing} are missing: give the segments of both texts, or of neither.")
    zero = inputs.given.get("zero_division", 0.0)
    sides: Any = [[alignments["reference"]], [alignments["prediction"]]]
    segments: Any = {box: [lines] for box, lines in texts.items()}
    try:
        scores, with_nan = (score_alignment(*sides, **segments, zero_division=each) for each in (zero, math.nan))
    except BisegmentError as error:
        box = error.side.removesuffix("s")
        raise BoxError(box, f"{inputs.paths[box]}, line {error.bisegment + 1}: {error.problem}") from None
    undefined = [key for key, value in with_nan.items() if math.isnan(value)]
    path = inputs.paths["prediction"]
    return Aligned(inputs, alignments, texts, Scored(path, scores, undefined=undefined))


def show(inputs: Inputs) -> str:
    """The results as HTML."""
    found = align(inputs)
    scored = found.scored
    return (
        templates()
        .get_template("alignment.html")
        .render(
            drawn=Markup(found.links),
            most=_DRAWN,
            segments=found.segments,
            scores=Markup(
                draw_scores(
                    describe(LEVELS),
                    {**scored.scores, **dict.fromkeys(scored.undefined, math.nan)},
                    {},
                    definitions=True,
                )
            ),
            signature=found.signature,
        )
    )


def result(inputs: Inputs) -> Result:
    """The result of the command."""
    found = align(inputs)
    return result_of([found.scored], inputs.paths["reference"], found.signature)


def picture(inputs: Inputs) -> str:
    """The links as an SVG; the scores if there are too many segments."""
    found = align(inputs)
    return standalone(found.links) if found.links else scores_svg([found.scored], [*found.scored.scores])


def lines(inputs: Inputs) -> dict[str, str]:
    """The command and the Python code that compute the same."""
    found = align(inputs)
    named = {"reference": inputs.paths["reference"], "predictions": [inputs.paths["prediction"]]}
    texts = {box: inputs.paths[box] for box in found.texts}
    command = command_line(Request(COMMANDS["alignment"], named, {**texts, **inputs.given}))
    is_short = sum(map(len, inputs.contents.values())) <= 2 * QUOTED
    code = {
        box: repr(lines_of(inputs, box))
        if is_short
        else f'pathlib.Path({path!r}).read_text("utf-8-sig").removesuffix("\\n").split("\\n")'
        for box, path in inputs.paths.items()
    }
    arguments = [f'{box}s=[parse_bisegments({code[box]}, "{box}s")]' for box in found.alignments]
    arguments += [f"{box}=[{code[box]}]" for box in found.texts]
    arguments += [f"zero_division={inputs.given['zero_division']}"] if "zero_division" in inputs.given else []
    call = "".join(f"    {argument},\n" for argument in arguments)
    imports = "" if is_short else "import pathlib\n\n"
    imports += "import segscores\nfrom segscores.bitext.bitexts import parse_bisegments\n\n"
    return {"Command": command, "Python": f"{imports}print(segscores.score_alignment(\n{call}))"}


TAB = AlignmentTab(
    "alignment",
    "Alignment",
    (
        Box("reference", "Reference", "[0]:[0,1]"),
        Box("prediction", "Prediction", "[0]:[0,1]"),
        Box("sources", "Source segments", "The sentences of the text, one a line.", is_required=False),
        Box("targets", "Target segments", "The sentences of its translation, one a line.", is_required=False),
    ),
    show,
    task="alignment",
    controls=("zero_division",),
    examples={"English": dict(zip(("reference", "prediction", "sources", "targets"), BITEXT, strict=True))},
    result=result,
    picture=picture,
    lines=lines,
    lead="Which sentences of a translation belong to which sentences of the text? Each line joins source and target segments, "
    "counted from 0 (ARCADE). If you add the sentences, pairs are also weighted by words and by characters.",
)  # fmt: skip
