"""Alignment: bisegments of a text and its translation as links, and their scores at every level."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from ....analysis.bitext.alignment import score_alignment
from ....analysis.bitext.bitexts import read_bisegments
from ....analysis.drawing import draw_links, standalone
from ....reading.sources.opening import all_lines
from ....results.scored import Scored
from ....scoring.measures.bisegments import LEVELS
from ....scoring.measures.group import describe
from ....scoring.signature import sign_plainly
from ..board import board_of
from ..boxes import Box, Inputs
from ..tab import Tab

#: The largest number of drawn segments of one side, beyond which links are hard to follow.
_DRAWN = 60
#: The largest number of pairs of source and target segments on one side, so that other visitors need not wait.
_PAIRS = 1_000_000


class Alignment(Tab):
    name = "alignment"
    label = "Alignment"
    is_rare = True
    lead = ("Which sentences of a translation belong to which sentences of the text? Each line joins source and target segments, "
            "counted from 0 (ARCADE). If you add the sentences, pairs are also weighted by words and by characters.")  # fmt: skip
    boxes = (
        Box("reference", "Reference", "[0]:[0,1]", argument="references", nouns="bisegments", read=read_bisegments),
        Box("prediction", "Prediction", "[0]:[0,1]", argument="predictions", nouns="bisegments", read=read_bisegments),
        Box("sources", "Source segments", "The sentences of the text, one a line.", argument="sources",
            option="sources", nouns="segments", read=all_lines, is_required=False),
        Box("targets", "Target segments", "The sentences of its translation, one a line.", argument="targets",
            option="targets", nouns="segments", read=all_lines, is_required=False),
    )  # fmt: skip
    task = "alignment"
    function = "score_alignment"
    controls = ("zero_division",)
    lacks = ("confidence", "baseline", "n_trials", "margin")  # they are of several bitexts, and the boxes hold one

    def __init__(self, inputs: Inputs) -> None:
        super().__init__(inputs)
        self._check_texts()
        self._check_sizes()
        # The boxes hold one bitext, of those that the function takes.
        arguments: Any = {inputs.boxes[name].argument: [contents] for name, contents in inputs.parsed.items()}
        zero = inputs.explicit.get("zero_division", 0.0)
        score = partial(score_alignment, **arguments)
        # Computed twice, with another value of 0/0 the second time, which shows the undefined scores.
        scored = Scored.computed_by(inputs.names["prediction"], lambda value: score(zero_division=value), zero)
        self.scored = [scored]
        self.signature = sign_plainly(text="alignment", zero=zero, n=len(inputs.parsed["reference"]))
        alignments = [inputs.parsed["reference"], inputs.parsed["prediction"]]
        #: The number of segments of a text, at most, as the numbers in the bisegments tell: with [0]:[0,1] it is 2.
        self.segments = 1 + _greatest_number(alignments)
        #: The drawing; empty if it would have too many segments.
        self.links = ""
        if self.segments <= _DRAWN:
            self.links = draw_links(*alignments)

    def _check_texts(self) -> None:
        """Raise an error if the segments of one text are given without those of the other."""
        parsed = self.inputs.parsed
        # Both alignments are required, so that a third content is one of the two texts.
        has_one_text = len(parsed) == 3
        for box in self.boxes:
            if has_one_text and not box.is_required and box.name not in parsed:
                raise box.error(f"the {box.name} are missing: give the segments of both texts, or of neither.")

    def _check_sizes(self) -> None:
        """Raise an error for an alignment that joins too many pairs of segments."""
        reference_box, prediction_box, *_ = self.boxes
        for box in (reference_box, prediction_box):
            pairs = sum(len(source) * len(target) for source, target in self.inputs.parsed[box.name])
            if pairs > _PAIRS:
                problem = f"joins {pairs:,} pairs of segments; this page takes {_PAIRS:,}. Use the command."
                raise box.error(f"the {box.name} {problem}")

    def variables(self) -> dict[str, Any]:
        """Return the most segments that are drawn, and the board of the levels."""
        (scored,) = self.scored
        return {"most": _DRAWN, "board": board_of([*scored.scores], describe(LEVELS))}

    def picture(self) -> str:
        """Return the drawing of the links or, if they are too many, the picture of the scores."""
        if self.links:
            return standalone(self.links)
        return super().picture()


def _greatest_number(alignments: Iterable[Iterable[Any]]) -> int:
    """Return the greatest number of a segment in alignments of bisegments, such as [0]:[0,1]; -1 without segments."""
    greatest = -1
    for alignment in alignments:
        for source, target in alignment:
            greatest = max([greatest, *source, *target])
    return greatest
