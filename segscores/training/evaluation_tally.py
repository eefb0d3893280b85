"""The tally of an evaluation, batch by batch: sums, or the counts of each utterance where intervals need them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..kernel.comparison import compare
from ..kernel.segmentation import Segmentation
from ..scoring.options import Plan
from ..scoring.pipeline import score_tally
from ..scoring.tally import Tally, tally_comparison
from ..scoring.utterance_tally import PREDICTION, REFERENCE, TypeIncidence, UtteranceTally, concatenate, tally_compared
from ..statistics.utterance_scores import Resampling, score_utterances


@dataclass
class EvaluationTally:
    """The counts of one or more batches.

    Attributes:
        without_class, mismatched: the numbers of utterances with positions without a class, and with units that differ.
        sums, parts: the sums of the counts, or the counts of each utterance, part by part, if these are needed.
    """

    plan: Plan
    resampling: Resampling
    utterances: int = 0
    without_class: int = 0
    mismatched: int = 0
    sums: Tally = field(default_factory=Tally)
    parts: list[UtteranceTally] = field(default_factory=list)

    def add(self, reference: Segmentation, prediction: Segmentation, *, without_class: int = 0) -> None:
        """Add utterances with the same units on both sides."""
        comparison = compare(reference, prediction)
        if self.resampling.needs_utterances:
            self.parts.append(tally_compared(comparison, None, self.plan))
        else:
            self.sums.update(tally_comparison(comparison, None, self.plan))
        self.utterances += len(reference.utterance_ends)
        self.without_class += without_class

    def add_mismatched(
        self, reference: Segmentation, prediction: Segmentation, is_mismatched: npt.NDArray[np.bool_]
    ) -> None:
        """Add utterances whose units differ: nothing is matched, and there are no true negatives.

        The counts of each side are those of its comparison with itself.
        """
        sides = [compare(side, side) for side in (reference, prediction)]
        if self.resampling.needs_utterances:
            right, wrong = (tally_compared(side, None, self.plan) for side in sides)
            columns = {name: _unmatched(name, right.columns, wrong.columns) for name in right.columns}
            # An utterance of which only the prediction has units is not blank.
            columns["units"] = np.maximum(right.columns["units"], wrong.columns["units"])
            mismatched = UtteranceTally(columns, _types_apart(right.types, wrong.types))
            # In the order of the part, so that resamples do not depend on how an evaluation is divided.
            places = np.argsort(is_mismatched, kind="stable")
            self.parts.append(concatenate([self.parts.pop(), mismatched]).take(np.argsort(places)))
        else:
            first, second = (tally_comparison(side, None, self.plan) for side in sides)
            counts = {name: _unmatched(name, first.counts, second.counts) for name in first.counts}
            self.sums.update(Tally(counts, first.reference_lexicon, second.prediction_lexicon))
        self.utterances += len(reference.utterance_ends)
        self.mismatched += len(reference.utterance_ends)

    def update(self, other: EvaluationTally) -> None:
        """Add another batch."""
        self.sums.update(other.sums)
        self.parts += other.parts
        self.utterances += other.utterances
        self.without_class += other.without_class
        self.mismatched += other.mismatched

    def scores(self) -> dict[str, float]:
        """The scores, each followed by its interval if `confidence` is set."""
        if not self.resampling.needs_utterances:
            return score_tally(self.sums, self.plan)
        return score_utterances(concatenate(self.parts), self.plan, self.resampling)


def _unmatched(column: str, right: Mapping[str, Any], wrong: Mapping[str, Any]) -> Any:
    """A count of utterances without matches, from the counts of each side compared with itself."""
    if column.endswith("_matched"):
        return 0 * right[column]
    if column.endswith("_predicted"):
        return wrong[column]
    if column == "token_spans":
        # The spans are the words of both sides, so that every span that is not a reference word is a wrong prediction.
        return right["token_reference"] + wrong["token_predicted"]
    return right[column]


def _types_apart(reference: TypeIncidence | None, prediction: TypeIncidence | None) -> TypeIncidence | None:
    """The types of two sides that were each compared with themselves."""
    if reference is None or prediction is None:
        return None
    count = len(reference.ends)
    one_sided = [
        UtteranceTally({"utterances": types.ends}, replace(types, sides=np.full_like(types.sides, side)))
        for types, side in ((reference, REFERENCE), (prediction, PREDICTION))
    ]
    together = concatenate(one_sided).types
    assert together is not None
    return together.unite(np.tile(np.arange(count), 2), count)
