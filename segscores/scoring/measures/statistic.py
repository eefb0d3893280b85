"""Statistics: what groups count that is no sum over utterances, such as a set of types.

A group names its `Statistic`, which grows part by part. Tallies hold statistics by group, and ask them alone. Results that need
each utterance have a `UtteranceStatistic` instead. Its columns are those of the group: of all utterances, of each, and of all but
one.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

from ...kernel.arrays import Mask, Positions
from ...kernel.formulas import Tallied
from ...kernel.incidence import Incidence

if TYPE_CHECKING:
    from typing_extensions import Self

    from ...kernel.comparison import Comparison

#: A side of a comparison.
SideName: TypeAlias = Literal["reference", "prediction"]


class UtteranceStatistic(ABC):
    """The things of each utterance of a corpus, which add up to a statistic."""

    incidence: Incidence

    @classmethod
    @abstractmethod
    def of(cls, comparison: Comparison, **arguments: Any) -> Self:
        """Count the utterances of a comparison."""

    @abstractmethod
    def of_side(self, side: SideName) -> Self:
        """Return the things of one side alone, as if the other were blank. The comparison must be of one text with itself."""

    @abstractmethod
    def totals(self) -> dict[str, Any]:
        """Return the columns of the group for all utterances together."""

    @abstractmethod
    def by_utterance(self) -> Tallied:
        """Return the columns of the group for each utterance by itself, (n_utterances,)."""

    @abstractmethod
    def without_each(self) -> Tallied:
        """Return the columns of the group for all utterances but one, (n_utterances,).

        The naive equivalent counts all utterances but one, for each utterance.
        """

    def count_types(self) -> float:
        """Return the number of types that the scores are shares of, on the side with fewer; nan if they are no such shares."""
        return math.nan

    @abstractmethod
    def with_incidence(self, incidence: Incidence) -> Self:
        """Return the same statistic of other utterances."""

    def take(self, utterances: Positions) -> Self:
        """Return the statistic of the utterances with these indices, which may repeat."""
        return self.with_incidence(self.incidence.take(utterances))

    def unite(self, clusters: Positions, cluster_count: int) -> Self:
        """Return the statistic of clusters, each in place of its utterances; `clusters` has the cluster of each utterance."""
        return self.with_incidence(self.incidence.unite(clusters, cluster_count))

    def spread(self, is_present: Mask) -> Self:
        """Return the statistic of more utterances: with one that adds nothing wherever `is_present` is False."""
        return self.with_incidence(self.incidence.spread(is_present))


class Statistic(ABC):
    """The counts of a group that are no sum over utterances."""

    fields: ClassVar[tuple[str, ...]]  #: its names in stored tallies
    utterance_statistic: ClassVar[type[UtteranceStatistic]]  #: the class that counts the same for each utterance

    @classmethod
    @abstractmethod
    def of(cls, comparison: Comparison, beside: Any = None, **arguments: Any) -> Self:
        """Count a comparison; `beside` is the statistic of another prediction with the same reference."""

    @classmethod
    def empty(cls, **arguments: Any) -> Self:
        """Return the statistic of no utterance."""
        return cls(**arguments)

    @abstractmethod
    def update(self, other: Any) -> None:
        """Add another part of the corpus."""

    @abstractmethod
    def of_side(self, side: SideName) -> Self:
        """Return the statistic of one side alone, as if the other were blank. The comparison must be of one text with itself."""

    @abstractmethod
    def copy(self) -> Self:
        """Return an independent statistic with the same counts."""

    @abstractmethod
    def totals(self) -> dict[str, Any]:
        """Return the columns of the group."""

    @abstractmethod
    def stored(self) -> dict[str, Any]:
        """Return the values of its fields in a stored tally."""

    @classmethod
    @abstractmethod
    def read(cls, values: Mapping[str, Any], options: Mapping[str, Any]) -> Self:
        """Return the statistic of the values that `stored` gave; they may be damaged, which is an error."""
