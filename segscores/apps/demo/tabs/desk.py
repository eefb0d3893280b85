"""The desk: a reference and the outputs of segmenters. One output is scored, several are compared."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import ClassVar

from ....options.option import Option
from ..boxes import EmptyBoxError, is_filled
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
    def of(cls, values: Mapping[str, str]) -> Tab:
        """Answer the values of fields: compare several predictions, unless a visitor looks at `only` one of them."""
        _, *boxes_of_systems = cls.boxes  # after the reference
        systems = [box.name for box in boxes_of_systems if is_filled(box, values)]
        if len(systems) > 1 and values.get("only") not in systems:
            return Compare.of(values)
        if not systems:
            # The reference may be a table that has the predictions too. If it is none, Score says which box is empty.
            with suppress(EmptyBoxError):
                return Compare.of(values)
        return Score.of(values)
