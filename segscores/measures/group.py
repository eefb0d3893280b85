"""What a score group is: scores that share their counts, with the options that change them.

Each file of this folder ends with its group. `registry` lists the groups; options, signatures, the command's flags and tables,
and the invariance tests read them from there.
"""

from __future__ import annotations

__all__ = ["GroupOption", "ScoreGroup", "precision_recall_fscore_group"]

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..kernel.formulas import Formulas, Tallied, precision_recall_fscore

if TYPE_CHECKING:
    from ..reading.options import Reading


@dataclass(frozen=True)
class GroupOption:
    """An option that a group adds to those of every scoring.

    Attributes:
        name: as keyword argument; the command's flag has hyphens.
        default: where it is not given.
        check: raises TypeError or ValueError for a value that it cannot have; None where preparing the group checks it.
        help: one line, for the command and the tables of the documentation.
        signature_key: of its field in the signature; options with the same key share the field. Empty: it has none.
        metavar: what stands for the value in the command's help; `FILE` for a list that the command reads from a file.
        choices: the only values, if they can be listed.
        needed: whether the group is scored only where the option is given, and then by default.
        goes_with: the option without which it means nothing.
        from_reference: whether the whole reference gives the value where it is None.
    """

    name: str
    default: Any
    help: str
    signature_key: str = ""
    check: Callable[[Any], object] | None = None
    metavar: str = "NUMBER"
    choices: tuple[str, ...] = ()
    needed: bool = False
    goes_with: str = ""
    from_reference: bool = False

    @property
    def is_list(self) -> bool:
        """Whether it is a list, of which signatures and tallies hold a digest."""
        return self.metavar == "FILE"


def _as_given(values: Mapping[str, Any], _: Reading) -> Mapping[str, Any]:
    return values


@dataclass(frozen=True)
class ScoreGroup:
    """Scores that share their counts.

    Attributes:
        name: as the option `scores` takes it.
        title: a few words for tables.
        definition: what is counted.
        formula: the formulas in one line, in the terms of the module's conventions.
        source: who defined it.
        columns: the counts that the formulas read.
        keys: the scores, in order.
        tally: a comparison's columns, one value per utterance. Type counts come from the lexicons instead.
        formulas: from counts and the value of 0/0 to the scores.
        options: those that `tally` takes by keyword, after the comparison.
        prepare: from the values of the options, and how text is read, to the keyword arguments of `tally`.
        needs_words: whether it needs the lexicons, and so more than labels.
        reads_positions: whether it reads where boundaries are, beyond what a comparison counts; where the units differ it
            then reads the projection of the prediction onto the reference's units.
        ranges: the smallest and the largest value of scores that are not in [0, 1], by key.
        better: which values are better where that is not the higher ones, by key.
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
    options: tuple[GroupOption, ...] = ()
    prepare: Callable[[Mapping[str, Any], Reading], Mapping[str, Any]] = _as_given
    needs_words: bool = False
    reads_positions: bool = False
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    better: Mapping[str, str] = field(default_factory=dict)
    equal_to: str = ""

    @property
    def option_names(self) -> tuple[str, ...]:
        """The names of its options."""
        return tuple(option.name for option in self.options)

    @property
    def needs_option(self) -> str:
        """The option without which it cannot be scored, or an empty string."""
        return next((option.name for option in self.options if option.needed), "")

    @property
    def needs_corpus(self) -> str:
        """The option whose default comes from the whole reference, or an empty string."""
        return next((option.name for option in self.options if option.from_reference), "")

    def range_of(self, key: str) -> tuple[float, float]:
        """The smallest and the largest value of a score."""
        return self.ranges.get(key, (0.0, 1.0))

    def better_of(self, key: str) -> str:
        """Which values of a score are better: `"higher"`, `"lower"`, or in words."""
        return self.better.get(key, "higher")


def precision_recall_fscore_group(name: str, **attributes: Any) -> ScoreGroup:
    """A group of precision, recall and F-score, with its columns, keys and formulas.

    Args:
        name: of the group; columns are `<name>_matched`, `<name>_predicted` and `<name>_reference`.
        **attributes: the others of `ScoreGroup`.
    """
    return ScoreGroup(
        name=name,
        formula="precision TP / PP, recall TP / RP, fscore 2·TP / (PP + RP)",
        columns=tuple(f"{name}_{kind}" for kind in ("matched", "predicted", "reference")),
        keys=tuple(f"{name}_{score}" for score in ("precision", "recall", "fscore")),
        formulas=lambda counts, zero_division: precision_recall_fscore(counts, name, zero_division),
        **attributes,
    )
