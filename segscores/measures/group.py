"""What a score group is."""

from __future__ import annotations

__all__ = ["ScoreGroup"]

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ..kernel.formulas import Formulas, Tallied


@dataclass(frozen=True)
class ScoreGroup:
    """Scores that share their counts.

    Attributes:
        name: as the option `scores` takes it.
        title: a few words for tables.
        definition: what is counted.
        formula: the formulas in a line, in the terms of the module's conventions.
        source: who defined it.
        columns: the counts that the formulas read.
        keys: the scores, in order.
        tally: the columns that a comparison gives, one value an utterance. Type counts come from the lexicons instead.
        formulas: from counts and the value of 0/0 to the scores.
        options: names of the options that `tally` takes by keyword, after the comparison.
        needs_option: the one of them that has no default, so that the group is scored only where it is given.
        needs_corpus: the one of them whose default is found from the whole reference.
        needs_words: whether the lexicons are needed, so that labels do not do.
        reads_positions: whether it reads where boundaries are, beyond what a comparison counts; where the units differ it
            then reads the projection of the prediction onto the reference's units.
        ranges: of scores that are not in [0, 1], the smallest and the largest value, by key.
        better: of scores for which higher is not better, what is, by key.
        equal_to: the tools that print the same.
    """

    name: str
    title: str
    definition: str
    formula: str
    source: str
    columns: tuple[str, ...]
    keys: tuple[str, ...]
    tally: Callable[..., Tallied]
    formulas: Formulas
    options: tuple[str, ...] = ()
    needs_option: str = ""
    needs_corpus: str = ""
    needs_words: bool = False
    reads_positions: bool = False
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    better: Mapping[str, str] = field(default_factory=dict)
    equal_to: str = ""

    def range_of(self, key: str) -> tuple[float, float]:
        """The smallest and the largest value of a score."""
        return self.ranges.get(key, (0.0, 1.0))

    def better_of(self, key: str) -> str:
        """Which values of a score are better: `"higher"`, `"lower"`, or in words."""
        return self.better.get(key, "higher")
