"""Types: the distinct words of both sides, which the group `type` counts; they are no sum over utterances, but a union."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ...kernel.arrays import Mask, Positions, lengths_of, sum_by_utterance, text_array
from ...kernel.comparison import Comparison
from ...kernel.formulas import Counts, Tallied
from ...kernel.incidence import Incidence, join_bits
from ...kernel.lexicon import Lexicon
from ...kernel.record import record
from ...options.quoting import described
from .statistic import SideName, Statistic, UtteranceStatistic

#: The bits of the sides that have a type.
_REFERENCE = 1
_PREDICTION = 2
_BITS = {"reference": _REFERENCE, "prediction": _PREDICTION}


@record
class TypesOfUtterances(UtteranceStatistic):
    """The word types of each utterance, each with the bits of the sides that have it there, uint8."""

    incidence: Incidence

    @classmethod
    def of(cls, comparison: Comparison, **arguments: Any) -> TypesOfUtterances:  # noqa: ARG003
        """Collect the types of each utterance."""
        words = pa.concat_arrays([comparison.reference.words(), comparison.prediction.words()])
        # For each word of the reference, and then of the prediction, its utterance and its side: utterances of 2 and 1 words on
        # the one side, and of 1 and 2 on the other, are the utterances 0 0 1 and 0 1 1.
        indexes = np.arange(len(comparison.utterance_reference))
        utterances_of_reference = np.repeat(indexes, comparison.utterance_reference)
        utterances_of_prediction = np.repeat(indexes, comparison.utterance_prediction)
        utterances = np.concatenate([utterances_of_reference, utterances_of_prediction])
        sides = np.concatenate(
            [
                np.full(len(utterances_of_reference), _REFERENCE, np.uint8),
                np.full(len(utterances_of_prediction), _PREDICTION, np.uint8),
            ]
        )
        return cls(Incidence.of(words, utterances, sides, len(indexes), join_bits))

    def with_incidence(self, incidence: Incidence) -> TypesOfUtterances:
        """Return the types of other utterances."""
        return TypesOfUtterances(incidence)

    def of_side(self, side: SideName) -> TypesOfUtterances:
        """Return the types as types of one side alone."""
        sides = np.full_like(self.incidence.values, _BITS[side])
        return TypesOfUtterances(replace(self.incidence, values=sides))

    def totals(self) -> dict[str, int]:
        """Return the sizes of both lexicons, and of their intersection."""
        return dict(self._sizes)

    @cached_property
    def _sizes(self) -> dict[str, int]:
        """Return the sizes for all utterances together: a type is of a side if one of them has it there."""
        sides = np.zeros(len(self.incidence.things), np.uint8)
        for block in self.incidence.slices():
            for bit in _BITS.values():
                sides[block.ids[(block.values & bit) != 0]] |= bit
        return {column: int(mask.sum()) for column, mask in _masks_of(sides).items()}

    def count_types(self) -> float:
        """Return the size of the smaller lexicon."""
        return float(min(self._sizes["type_predicted"], self._sizes["type_reference"]))

    def by_utterance(self) -> Tallied:
        """Return the sizes of the lexicons of each utterance."""
        sizes: dict[str, list[Positions]] = defaultdict(list)
        for block in self.incidence.slices():
            # A block has the types of some neighbouring utterances; its ends 2 5 are utterances of 2 and 3 types.
            lengths = lengths_of(block.ends)
            for column, mask in _masks_of(block.values).items():
                sizes[column].append(sum_by_utterance(mask, lengths))
        return {column: np.concatenate(of_blocks) for column, of_blocks in sizes.items()}

    def without_each(self) -> Tallied:
        """Return the sizes of the lexicons without each utterance."""
        blocks = list(self.incidence.slices())
        reference_counts = self._count_utterances(_REFERENCE, blocks)
        prediction_counts = self._count_utterances(_PREDICTION, blocks)
        in_both = (reference_counts > 0) & (prediction_counts > 0)
        sizes = self._sizes
        without: dict[str, list[Positions]] = {column: [] for column in sizes}
        for block in blocks:
            # Mark the pairs of an utterance and a type in which no other utterance has the type on a side: without the utterance
            # the lexicon of the side loses the type.
            lost_reference = ((block.values & _REFERENCE) != 0) & (reference_counts == 1)[block.ids]
            lost_prediction = ((block.values & _PREDICTION) != 0) & (prediction_counts == 1)[block.ids]
            lost_matched = in_both[block.ids] & (lost_reference | lost_prediction)
            lost = Counts(matched=lost_matched, predicted=lost_prediction, reference=lost_reference).columns("type")
            for column, is_lost in lost.items():
                # With the ends 2 5, the lost pairs 1 and 2 are of the utterances 0 and 1.
                utterances = np.searchsorted(block.ends, np.flatnonzero(is_lost), side="right")
                without[column].append(sizes[column] - np.bincount(utterances, minlength=len(block.ends)))
        return {column: np.concatenate(of_blocks) for column, of_blocks in without.items()}

    def _count_utterances(self, side_bit: int, blocks: Sequence[Incidence]) -> Positions:
        """Count the utterances that have each type on a side, int64 (n_types,)."""
        counts = np.zeros(len(self.incidence.things), np.int64)
        for block in blocks:
            is_on_side = (block.values & side_bit) != 0
            counts += np.bincount(block.ids[is_on_side], minlength=len(counts))
        return counts


def _masks_of(sides: npt.NDArray[np.uint8]) -> dict[str, Mask]:
    """Return for each column of the scores a mask of the types that it counts.

    `sides` has the bits of each type: 1 for a type of the reference, 2 of the prediction, and 3 of both sides.
    """
    is_reference = (sides & _REFERENCE) != 0
    is_predicted = (sides & _PREDICTION) != 0
    return Counts(matched=is_reference & is_predicted, predicted=is_predicted, reference=is_reference).columns("type")


@dataclass
class Types(Statistic):
    """The word types of both sides."""

    fields: ClassVar = ("reference_lexicon", "prediction_lexicon")
    utterance_statistic: ClassVar = TypesOfUtterances

    reference: Lexicon = field(default_factory=Lexicon)
    prediction: Lexicon = field(default_factory=Lexicon)
    is_shared: bool = False  #: True if the lexicon of the reference is another prediction's, whose tally lets it grow

    @classmethod
    def of(cls, comparison: Comparison, beside: Any = None, **arguments: Any) -> Types:  # noqa: ARG003
        """Collect the types of a comparison; `beside`, of another prediction, has those of the reference already."""
        reference = Lexicon(comparison.reference.words()) if beside is None else beside.reference
        return cls(reference, Lexicon(comparison.prediction.words()), is_shared=beside is not None)

    def update(self, other: Types) -> None:
        """Add the types of another part of the corpus."""
        # The other prediction's tally adds to a shared lexicon.
        if not self.is_shared:
            self.reference.update(other.reference)
        self.prediction.update(other.prediction)

    def of_side(self, side: SideName) -> Types:
        """Return the types of one side alone."""
        if side == "reference":
            return Types(self.reference)
        return Types(prediction=self.prediction)

    def copy(self) -> Types:
        """Return independent lexicons with the same types."""
        return Types(self.reference.copy(), self.prediction.copy())

    def totals(self) -> dict[str, int]:
        """Return the sizes of both lexicons, and of their intersection."""
        shared = self.reference.count_shared(self.prediction)
        return Counts(matched=shared, predicted=len(self.prediction), reference=len(self.reference)).columns("type")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Types):
            return NotImplemented
        return _are_equal(self.reference, other.reference) and _are_equal(self.prediction, other.prediction)

    # A lexicon is mutable, as a set is.
    __hash__ = None  # type: ignore[assignment]

    def stored(self) -> dict[str, Any]:
        """Return the types in the order of their code points."""
        return {
            "reference_lexicon": _sorted_types(self.reference),
            "prediction_lexicon": _sorted_types(self.prediction),
        }

    @classmethod
    def read(cls, values: Mapping[str, Any], _: Mapping[str, Any]) -> Types:
        """Return the types that `stored` gave."""
        reference, prediction = (_read_lexicon(name, values[name]) for name in cls.fields)
        return cls(reference, prediction)


def _are_equal(left: Lexicon, right: Lexicon) -> bool:
    """Return whether two lexicons have the same types."""
    return len(left) == len(right) == left.count_shared(right)


def _sorted_types(lexicon: Lexicon) -> list[str]:
    """Return the types of a lexicon in the order of their code points."""
    return sorted(lexicon.types.cast(pa.large_string()).to_pylist())


def _read_lexicon(name: str, values: Any) -> Lexicon:
    """Return the lexicon of the types in a field of a stored tally, which may be damaged."""
    if not isinstance(values, list) or not all(isinstance(word, str) and word for word in values):
        raise ValueError(f"{name}: received {described(values)}; expected a list of words.")
    try:
        return Lexicon(text_array(values, pa.large_binary()))
    except UnicodeEncodeError as error:
        raise ValueError(f"{name}: a word is no Unicode text: {error}.") from None
