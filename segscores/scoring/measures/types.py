"""Types: the distinct words of both sides, which the group `type` counts; they are no sum over utterances, but a union."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import pyarrow as pa

from ...kernel.arrays import text_array
from ...kernel.comparison import Comparison
from ...kernel.formulas import columns_of
from ...kernel.lexicon import Lexicon
from ...options.quoting import described
from .group import Statistic


@dataclass
class Types(Statistic):
    """The word types of both sides."""

    fields: ClassVar = ("reference_lexicon", "prediction_lexicon")

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

    def copy(self) -> Types:
        """Return independent lexicons with the same types."""
        return Types(self.reference.copy(), self.prediction.copy())

    def totals(self) -> dict[str, int]:
        """Return the sizes of both lexicons, and of their intersection."""
        shared = self.reference.count_shared(self.prediction)
        return columns_of("type", shared, len(self.prediction), len(self.reference))

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
