"""Types: the distinct words of both sides, which the group `type` counts; they are no sum over utterances, but a union."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ...kernel.arrays import Mask, Positions, lengths_of, sum_by_utterance, text_array
from ...kernel.comparison import Comparison
from ...kernel.formulas import Counts, Tallied
from ...kernel.incidence import Incidence, join_bits
from ...kernel.lexicon import Lexicon
from ...options.quoting import described
from .statistic import SideName, Statistic, UtteranceStatistic

#: The bits of the sides that have a type.
_REFERENCE = 1
_PREDICTION = 2
_BITS = {"reference": _REFERENCE, "prediction": _PREDICTION}


@dataclass(frozen=True, eq=False)
class TypesOfUtterances(UtteranceStatistic):
    """The word types of each utterance, each with the bits of the sides that have it there, uint8."""

    incidence: Incidence

    @classmethod
    def of(cls, comparison: Comparison, **arguments: Any) -> TypesOfUtterances:  # noqa: ARG003
        """Collect the types of each utterance."""
        words = pa.concat_arrays([comparison.reference.words(), comparison.prediction.words()])
        # For each word of the reference, and then of the prediction, its utterance and its side: utterances of 2 and 1 words on
        # the one side, and of 1 and 2 on the other, are the owners 0 0 1 and 0 1 1.
        counts = comparison.utterance_reference, comparison.utterance_prediction
        owners = np.concatenate([np.repeat(np.arange(len(count)), count) for count in counts])
        sides = np.repeat(np.array([_REFERENCE, _PREDICTION], np.uint8), [int(count.sum()) for count in counts])
        return cls(Incidence.of(words, owners, sides, len(counts[0]), join_bits))

    def with_incidence(self, incidence: Incidence) -> TypesOfUtterances:
        """Return the types of other utterances."""
        return TypesOfUtterances(incidence)

    def of_side(self, side: SideName) -> TypesOfUtterances:
        """Return the types as types of one side alone."""
        sides = np.full_like(self.incidence.values, _BITS[side])
        return TypesOfUtterances(replace(self.incidence, values=sides))

    def totals(self) -> dict[str, int]:
        """Return the sizes of both lexicons, and of their intersection."""
        sides = np.zeros(len(self.incidence.things), np.uint8)
        for block in self.incidence.slices():
            for bit in _BITS.values():
                sides[block.ids[block.values & bit > 0]] |= bit
        return {column: int(mask.sum()) for column, mask in _masks_of(sides).items()}

    def count_types(self) -> float:
        """Return the size of the smaller lexicon."""
        sizes = self.totals()
        return float(min(sizes["type_predicted"], sizes["type_reference"]))

    def by_utterance(self) -> Tallied:
        """Return the sizes of the lexicons of each utterance."""
        sizes: list[Tallied] = []
        for block in self.incidence.slices():
            lengths = lengths_of(block.ends)
            sizes.append({name: sum_by_utterance(mask, lengths) for name, mask in _masks_of(block.values).items()})
        return {column: np.concatenate([columns[column] for columns in sizes]) for column in sizes[0]}

    def without_each(self) -> Tallied:
        """Return the sizes of the lexicons without each utterance."""
        blocks = list(self.incidence.slices())
        reference_counts = self._count_utterances(_REFERENCE, blocks)
        prediction_counts = self._count_utterances(_PREDICTION, blocks)
        in_both = (reference_counts > 0) & (prediction_counts > 0)
        sizes = self.totals()
        without: dict[str, list[Positions]] = {column: [] for column in sizes}
        for block in blocks:
            # Mark the pairs whose utterance is the only one with the type on a side.
            reference = (block.values & _REFERENCE > 0) & (reference_counts == 1)[block.ids]
            prediction = (block.values & _PREDICTION > 0) & (prediction_counts == 1)[block.ids]
            matched = in_both[block.ids] & (reference | prediction)
            for column, lost in Counts(matched, prediction, reference).columns("type").items():
                utterances = np.searchsorted(block.ends, np.flatnonzero(lost), side="right")
                without[column].append(sizes[column] - np.bincount(utterances, minlength=len(block.ends)))
        return {column: np.concatenate(values) for column, values in without.items()}

    def _count_utterances(self, side: int, blocks: Sequence[Incidence]) -> Positions:
        """Count the utterances that have each type on a side."""
        count = np.zeros(len(self.incidence.things), np.int64)
        for block in blocks:
            count += np.bincount(block.ids[block.values & side > 0], minlength=len(count))
        return count


def _masks_of(sides: npt.NDArray[np.uint8]) -> dict[str, Mask]:
    """Return, for each column of the scores, a mask of the types that count, by the sides that have them."""
    is_reference = sides & _REFERENCE > 0
    is_predicted = sides & _PREDICTION > 0
    return Counts(is_reference & is_predicted, is_predicted, is_reference).columns("type")


@dataclass
class Types(Statistic):
    """The word types of both sides."""

    fields: ClassVar = ("reference_lexicon", "prediction_lexicon")
    of_utterances: ClassVar = TypesOfUtterances

    reference: Lexicon = field(default_factory=Lexicon)
    prediction: Lexicon = field(default_factory=Lexicon)
    is_shared: bool = False  #: whether the lexicon of the reference grows in the tally of another prediction

    @classmethod
    def of(cls, comparison: Comparison, beside: Any = None, **arguments: Any) -> Types:  # noqa: ARG003
        """Collect the types of a comparison; another prediction has those of the reference already."""
        reference = Lexicon(comparison.reference.words()) if beside is None else beside.reference
        return cls(reference, Lexicon(comparison.prediction.words()), beside is not None)

    def update(self, other: Types) -> None:
        """Add the types of another part of the corpus."""
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
        return Counts(shared, len(self.prediction), len(self.reference)).columns("type")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Types):
            return NotImplemented
        pairs = (self.reference, other.reference), (self.prediction, other.prediction)
        return all(len(left) == len(right) == left.count_shared(right) for left, right in pairs)

    # A lexicon is mutable, as a set is.
    __hash__ = None  # type: ignore[assignment]

    def stored(self) -> dict[str, Any]:
        """Return the types in the order of their code points."""
        lexicons = zip(self.fields, (self.reference, self.prediction), strict=True)
        return {name: sorted(lexicon.types.cast(pa.large_string()).to_pylist()) for name, lexicon in lexicons}

    @classmethod
    def read(cls, values: Mapping[str, Any], _: Mapping[str, Any]) -> Types:
        """Return the types that `stored` gave."""
        reference, prediction = (_read_lexicon(name, values[name]) for name in cls.fields)
        return cls(reference, prediction)


def _read_lexicon(name: str, values: Any) -> Lexicon:
    if not isinstance(values, list) or not all(isinstance(word, str) and word for word in values):
        raise ValueError(f"{name}: received {described(values)}; expected a list of words.")
    try:
        return Lexicon(text_array(values, pa.large_binary()))
    except UnicodeEncodeError as error:
        raise ValueError(f"{name}: a word is no Unicode text: {error}.") from None
