"""The desk: a reference and the outputs of segmenters. One output is scored, several are compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import ClassVar

from ....options.option import Option
from ..boxes import REFERENCE, Box, EmptyBoxError
from ..lines import FIELDS
from ..tab import Tab
from .compare import Compare
from .score import Score


class Desk(Tab):
    name = "desk"
    label = "Score my files"
    lead = "Drop or paste a reference and what a segmenter made of it. Add the output of another segmenter to compare them."
    boxes = Compare.boxes
    #: The controls that only a comparison has.
    of_several = tuple(name for name in Compare.controls if name not in Score.controls)
    controls = (*Score.controls, *of_several)
    groups = Score.groups
    hidden: ClassVar[Mapping[str, str]] = {**FIELDS, "sections": "", "primary": "", "only": "", "intervals": "auto"}
    has_endpoint = False

    @classmethod
    def option(cls, name: str) -> Option:
        """Return the option of a control, as the tab has it that answers."""
        if name in cls.of_several:
            return Compare.option(name)
        return Score.option(name)

    @classmethod
    def usage(cls) -> str:
        return Score.usage()

    @classmethod
    def boxes_read(cls, values: Mapping[str, str]) -> Sequence[Box]:
        """Return the boxes with a text or a file; of predictions the one alone that a visitor looks at, if there is one."""
        filled = super().boxes_read(values)
        systems = [box.name for box in filled if box.name != REFERENCE.name]
        only = values.get("only", "")
        if only in systems:
            return [box for box in filled if box.name in (REFERENCE.name, only)]
        return filled

    @classmethod
    def of(cls, values: Mapping[str, str]) -> Tab:
        """Answer the values of fields: compare several predictions, unless a visitor looks at `only` one of them."""
        systems = [box.name for box in cls.boxes_read(values) if box.name != REFERENCE.name]
        if len(systems) > 1:
            return Compare.of(values)
        if not systems:
            # The reference may be a table that has the predictions too. If it is none, Score says which box is empty.
            with suppress(EmptyBoxError):
                return Compare.of(values)
        return Score.of(values)
