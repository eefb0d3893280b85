"""The tally of an evaluation, batch by batch: sums, or the counts of each utterance where intervals need them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np

from ...kernel.arrays import Mask
from ...kernel.comparison import find_mismatches
from ...kernel.segmentation import Segmentation, select_utterances
from ...reading.readers import from_words_text
from ...reading.sources.source import Side
from ...scoring.map_pieces import map_pieces
from ...scoring.measures.types import Types
from ...scoring.mismatch import compare_segmentations
from ...scoring.observations import Observations
from ...scoring.piece import Piece
from ...scoring.plan import Plan
from ...scoring.tally import Tally, score_tally, tally_comparison
from ...scoring.utterance_tally import (
    PREDICTION,
    REFERENCE,
    TallyBuilder,
    UtteranceTally,
    concatenate,
    tally_utterances,
)
from ...statistics.resampling import Resampling
from ...statistics.utterance_scores import score_utterances

#: The counts of a piece, and the number of its faulty utterances.
Counted: TypeAlias = "tuple[Tally | UtteranceTally, int]"


@dataclass
class EvaluationTally:
    """The counts of one or more batches."""

    plan: Plan
    resampling: Resampling
    utterances: int = 0
    #: the number of utterances with positions without a class, or of generated text with units that differ
    faulty: int = 0
    _sums: Tally = field(default_factory=Tally)
    _builder: TallyBuilder = field(default_factory=TallyBuilder)

    def add(self, sides: Sequence[Side], count: Callable[[Piece], Counted], piece_bytes: int | None = None) -> None:
        """Add a batch; `count` counts a piece of it, and `piece_bytes` is for `map_pieces`."""
        before, observed = self.utterances, Observations()
        options: Any = {"observed": observed, "concludes": False, "piece_bytes": piece_bytes}
        for counts, faulty in map_pieces(sides, count, explain=lambda error, _: error.at(before), **options):
            self._add(counts)
            self.faulty += faulty
        self.utterances += observed.utterances

    def _add(self, counts: Tally | UtteranceTally) -> None:
        if isinstance(counts, Tally):
            self._sums.update(counts)
        else:
            self._builder.add(counts)

    def count(self, reference: Segmentation, prediction: Segmentation) -> Tally | UtteranceTally:
        """Count utterances with the same units on both sides."""
        tally = tally_utterances if self.resampling.needs_utterances else tally_comparison
        return tally(compare_segmentations(reference, prediction), None, self.plan)

    def count_text(self, reference: Segmentation, prediction: Segmentation) -> Counted:
        """Count generated text, some of whose utterances may have other units than the reference.

        Nothing is matched in these utterances, and they have no true negatives: the words of each side count as if the other side
        were blank.
        """
        differs = find_mismatches(reference, prediction)
        if not differs.any():
            return self.count(reference, prediction), 0
        same = [select_utterances(side, ~differs) for side in (reference, prediction)]
        left, right = (select_utterances(side, differs) for side in (reference, prediction))
        sides = _of_one_side(self.count(left, left), REFERENCE), _of_one_side(self.count(right, right), PREDICTION)
        tallies: list[Any] = [self.count(*same), *sides]
        if self.resampling.needs_utterances:
            return _by_utterance(tallies, differs), int(differs.sum())
        total = Tally()
        for tally in tallies:
            total.update(tally)
        return total, int(differs.sum())

    def scores(self) -> dict[str, float]:
        """Return the scores, each followed by its interval if `confidence` is set."""
        if not self.utterances:
            nothing = from_words_text(b"")
            self._add(self.count(nothing, nothing))
        if not self.resampling.needs_utterances:
            return score_tally(self._sums, self.plan)
        return score_utterances(self._builder.tally(), self.plan, self.resampling)


def _of_one_side(counts: Tally | UtteranceTally, side: int) -> Tally | UtteranceTally:
    """Return the counts of one side, from the counts of its comparison with itself."""
    of_other = ("_predicted",) if side == REFERENCE else ("_reference", "utterances")

    def column(name: str, columns: Mapping[str, Any]) -> Any:
        if name == "token_spans":
            # Count only the reference words as spans: so there are no true negatives.
            return columns["token_reference"]
        return 0 * columns[name] if name.endswith(("_matched", *of_other)) else columns[name]

    if isinstance(counts, Tally):
        types: Any = counts.statistics.get("type")
        of_side = types and (Types(types.reference) if side == REFERENCE else Types(prediction=types.prediction))
        return Tally({name: column(name, counts.counts) for name in counts.counts}, {"type": of_side} if types else {})
    types = counts.types and replace(counts.types, sides=np.full_like(counts.types.sides, side))
    return UtteranceTally({name: column(name, counts.columns) for name in counts.columns}, types)


def _by_utterance(tallies: Sequence[UtteranceTally], differs: Mask) -> UtteranceTally:
    """Join the tally of utterances with the same units, and the tallies of each side of the others, in the order of the piece.

    Because of this order, resamples do not depend on how an evaluation is divided.
    """
    differing = np.flatnonzero(differs)
    clusters = np.concatenate([np.flatnonzero(~differs), differing, differing])
    whole = replace(concatenate(tallies), clusters=clusters)
    columns = {name: whole.sum_by_cluster(values) for name, values in whole.columns.items()}
    return UtteranceTally(columns, whole.types and whole.cluster_types())
