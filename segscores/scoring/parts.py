"""Parts: the tallies of what a world divides its utterances into, such as the words of each label of recordings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..kernel.arrays import Positions
from ..kernel.record import record
from ..options.messages import OptionError
from ..options.table import OPTIONS, WORLDS
from ..reading.sources.source import Side
from ..reading.world import World, world_of
from .map_pieces import map_pieces
from .observations import Observations
from .passes import concatenate_tallies
from .piece import GoodUtterances, Piece
from .plan import Plan
from .utterance_tally import UtteranceTally, concatenate, tally_utterances

#: The value of the option `by` that stands for the parts of a world.
LABEL = "label"


@record
class PartTally:
    """The tally of the utterances that have a part, such as the words with a label."""

    utterances: Positions  #: int64 (n_utterances,), the index of each of them in the whole corpus
    tally: UtteranceTally

    def with_clusters(self, whole: UtteranceTally) -> UtteranceTally:
        """Return the tally in the clusters of the tally of all utterances; the same tally if this has none."""
        if whole.clusters is None:
            return self.tally
        # Renumber clusters, so that those without one of the utterances leave no gap.
        _, clusters = np.unique(whole.clusters[self.utterances], return_inverse=True)
        return UtteranceTally(self.tally.columns, self.tally.statistics, clusters)


@dataclass
class Parts:
    """The parts of the comparisons of one prediction.

    Attributes:
        tallies: by the name of a part, one tally for each piece of the corpus in which it occurs; `joined` makes one of them.
        confusion: by the name in the reference and the name in the prediction, how long both are at the same place, in the units
            of the world; a name is empty where that side has none.
    """

    tallies: dict[str, list[PartTally]] = field(default_factory=dict)
    confusion: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, other: Parts) -> None:
        """Add the parts of the next piece."""
        for name, tallies in other.tallies.items():
            self.tallies[name] = self.tallies.get(name, []) + tallies
        self.confusion.update(other.confusion)

    def joined(self) -> dict[str, PartTally]:
        """Return the tally of each part, by its name, in order."""
        joined = {}
        for name in sorted(self.tallies):
            tallies = self.tallies[name]
            utterances = np.concatenate([tally.utterances for tally in tallies])
            joined[name] = PartTally(utterances, concatenate(tally.tally for tally in tallies))
        return joined


def dividing_world(plan: Plan) -> World:
    """Return the world of utterances that can be divided; raise an error if they are text or labels."""
    world = world_of(plan.reading)
    if world is None:
        names = " or ".join(WORLDS.values())
        problem = f": only {names} have labels for their words: add "
        raise OptionError(OPTIONS["by"].set(LABEL), problem, OPTIONS["text_format"].set(next(iter(WORLDS))), ".")
    return world


def tally_with_parts(
    sides: Sequence[Side], plan: Plan, *, divides: bool, **arguments: Any
) -> tuple[list[UtteranceTally], list[Parts], Observations]:
    """Return the tally of each prediction, its parts if the sides are to be divided, and the record of the pass."""
    parts = divide_sides(sides, plan) if divides else []
    tallies, observed = concatenate_tallies(sides, plan, **arguments)
    return tallies, parts, observed


def divide_sides(sides: Sequence[Side], plan: Plan) -> list[Parts]:
    """Return the parts of each prediction, in a pass that says nothing of utterances that are left out."""
    world = dividing_world(plan)

    def work(piece: Piece) -> list[Parts]:
        """Return the parts of each prediction in a piece."""
        parts = []
        for side_number in range(1, len(sides)):
            compared = piece.compare(side_number, plan)
            parts.append(_parts_of(compared, world, plan, piece.utterances_before))
        return parts

    totals = [Parts() for _ in sides[1:]]
    for parts_of_piece in map_pieces(sides, work, concludes=False):
        for total, parts in zip(totals, parts_of_piece, strict=True):
            total.add(parts)
    return totals


def _parts_of(compared: GoodUtterances, world: World, plan: Plan, utterances_before: int) -> Parts:
    """Return the parts of a comparison of a piece, which `utterances_before` utterances precede."""
    parts = Parts(confusion=world.confuse(compared.comparison))
    for part in world.divide(compared.comparison):
        if not part.name:
            problem = f": the words of {world.noun} have no labels. Leave it out."
            raise OptionError(OPTIONS["by"].set(LABEL), problem)
        # Indices in the comparison become indices in the piece, which has utterances that were left out too, then in the corpus.
        utterances = part.utterances
        if compared.good is not None:
            utterances = np.flatnonzero(compared.good)[utterances]
        tally = tally_utterances(part.comparison, good=None, plan=plan)
        parts.tallies[part.name] = [PartTally(utterances + utterances_before, tally)]
    return parts
