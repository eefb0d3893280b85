"""Passes over sources that few tasks need: the tally of every utterance, the form of a side, and the ids of clusters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from ..reading.arrays import Positions
from ..reading.sources.sides import check_units
from ..reading.sources.source import Side
from .fold import Part, fold, sides_of, with_window_size
from .plan import Plan
from .streams import Facts, conclude
from .utterance_tally import Gathered, UtteranceTally, tally_compared


def compared_sides(
    plan: Plan, references: Any, *predictions: Any, names: Sequence[str] = ()
) -> tuple[list[Side], Plan]:
    """The sides of predictions that are compared with each other, and the plan with its window size."""
    sides = sides_of(plan.reading, references, *predictions, names=names)
    check_units(sides)
    plan, _ = with_window_size(sides[0], plan)
    return sides, plan


def tally_each(sides: Sequence[Side], plan: Plan, **how: Any) -> tuple[list[UtteranceTally], list[Positions], Facts]:
    """The tally of each prediction, utterance by utterance, and the indexes of its utterances among all."""

    def work(part: Part) -> list[tuple[UtteranceTally, Positions]]:
        found = []
        for at in range(1, len(sides)):
            both = part.compare(at, plan)
            good = np.arange(part.count) if both.good is None else np.flatnonzero(both.good)
            found.append((tally_compared(both.comparison, both.kept, plan), good))
        return found

    facts = Facts()
    tallies = [Gathered() for _ in sides[1:]]
    places: list[list[Positions]] = [[] for _ in sides[1:]]
    before = 0
    for found in fold(sides, work, facts=facts, **how):
        for own, some, (tally, good) in zip(tallies, places, found, strict=True):
            own.add(tally)
            some.append(before + good)
        before = facts.utterances
    if not before:
        conclude(sides, facts)
    return [own.tally() for own in tallies], [np.concatenate(some) for some in places], facts


def form_of(side: Side) -> pa.DataType:
    """The type of the first values of a side, one of those in `reading.inputs`; null if there are none."""
    return next(fold([side], lambda part: part.form(0), concludes=False), pa.null())


def ids_of(facts: Facts, at: int = 0, name: str = "clusters") -> pa.Array:
    """A column of ids of all utterances; `name` is that of the option, for messages."""
    arrays = [columns[at] for columns in facts.ids if len(columns[at])]
    kinds = {array.type for array in arrays}
    if len(kinds) > 1:
        received = " and ".join(sorted(map(str, kinds)))
        raise TypeError(f"{name}: expected ids that are all strings or all integers, received {received}.")
    return pa.concat_arrays(arrays) if arrays else pa.nulls(0)
