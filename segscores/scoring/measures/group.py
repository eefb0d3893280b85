"""The definition of a score group: scores that share their counts, with the options that change them.

Each measure's file ends with its group. `registry` lists the groups.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ...kernel.formulas import Formulas, Tallied, precision_recall_fscore
from ...kernel.record import record
from ...options.option import Option
from ...options.quoting import described, shortened
from ...options.table import GROUP_OPTIONS
from .needs import OPTION_THAT_GIVES, Needs
from .statistic import Statistic

if TYPE_CHECKING:
    from ...reading.reading import Reading


def listed(values: Any, option: str, expected: str) -> list[Any]:
    """Return the items of an option that is a list; a string is an error, because its characters would be the items."""
    if isinstance(values, (str, bytes)):
        raise TypeError(
            f"{option}: received one {type(values).__name__}; {expected}: did you mean {shortened([values])}? Read a file with "
            f"read().splitlines()."
        )
    if isinstance(values, (pa.Array, pa.ChunkedArray)):
        values = values.to_pylist()
    if not isinstance(values, Iterable):
        raise TypeError(f"{option}: received {described(values)}; {expected}.")
    return list(values)


def keep_last(read: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function with a cache of its last result, for arguments that are lists of strings.

    A program that scores often passes the same list each time, and to read the list may take longer than to score.
    """
    read_cached = lru_cache(maxsize=1)(read)

    def read_or_take_last(**options: Any) -> Any:
        """Return the last result if the options are the same, else call the function."""
        # A cache needs arguments with a hash, which a list has not.
        hashable = {name: tuple(value) if type(value) is list else value for name, value in options.items()}
        if all(map(_may_be_cached, hashable.values())):
            return read_cached(**hashable)
        return read(**options)

    return read_or_take_last


def _may_be_cached(value: Any) -> bool:
    """Return whether a value always stands for the same: True, False, None, a string, or a tuple of strings or of stages.

    A stage of reading is a `partial`. Another value, such as an iterator, may have other items the next time.
    """
    if isinstance(value, tuple):
        return all(type(item) in (str, partial) for item in value)
    return type(value) in (bool, str, type(None))


@record
class CorpusSize:
    """The size of a reference, from which defaults of options may come."""

    units: int = 0
    words: int = 0
    utterances: int = 0  #: without blank ones


#: The kind of a score that does not depend on the prediction.
OF_TEXT = "of the text"
#: The possible answers to the question which values of a score are better.
BETTER = ("higher", "lower", "near 0", OF_TEXT)
#: The range of counts, of distances, and of rates such as edits per word, which may be more than 1.
UNBOUNDED = (0.0, math.inf)
#: The number of utterances that are left out: the name of a score, and of the column that it sums.
SKIPPED = "skipped_utterances"


@record
class Key:
    """The heading, the range and the direction of a score, and whether it is a share."""

    heading: str = ""  #: its name in tables for people, where `registry.heading_of` makes no good one from the key
    range: tuple[float, float] = (0.0, 1.0)  #: the smallest and the largest value
    better: str = "higher"  #: the values that are better: one of BETTER
    is_share: bool = True  #: whether percent can stand for it; not for counts and seconds
    is_in_seconds: bool = False

    def __post_init__(self) -> None:
        if self.better not in BETTER:
            raise ValueError(f"better: expected one of {', '.join(BETTER)}; received {self.better!r}.")


@record
class ScoreGroup:
    """Scores that share their counts."""

    name: str  #: the name in the option `scores`
    title: str  #: a few words for tables
    definition: str  #: the things that it counts
    formula: str  #: the formulas in one line, in the symbols of the module's docstring
    source: str  #: who defined it
    columns: tuple[str, ...]  #: the counts that the formulas read
    keys: Mapping[str, Key]  #: the scores, in order
    #: a comparison's columns, one value per utterance; none where a statistic has the columns
    tally: Callable[..., Tallied]
    formulas: Formulas  #: computes the scores from counts and the value of 0/0
    statistic: type[Statistic] | None = None  #: counts what is no sum over utterances
    needs: Needs = frozenset({"units"})  #: what utterances must have, as in `needs`
    #: whether it counts words and their ends alone, so that `ignore_words` may leave out words
    is_of_words: bool = False
    #: whether it reads positions of boundaries, and not only the counts of a comparison. Where the units differ, it then reads
    #: the projection of the prediction onto the reference's units.
    reads_positions: bool = False
    equal_to: str = ""  #: the tools that compute the same values
    #: its other common names, in lower case without underscores, for suggestions
    also_called: tuple[str, ...] = ()

    @cached_property
    def options(self) -> tuple[Option, ...]:
        """The keyword options of `tally`."""
        return tuple(option for option in GROUP_OPTIONS.values() if self.name in option.groups)

    @property
    def option_names(self) -> tuple[str, ...]:
        """The names of its options."""
        return tuple(option.name for option in self.options)

    @cached_property
    def needs_option(self) -> str:
        """The option without which it cannot be scored, or an empty string."""
        for need, name in OPTION_THAT_GIVES.items():
            if need in self.needs:
                return name
        return next((option.name for option in self.options if option.adds), "")

    @cached_property
    def needs_corpus(self) -> str:
        """The option whose default comes from the whole reference, or an empty string."""
        return next((option.name for option in self.options if option.from_reference), "")

    @property
    def added_by(self) -> str:
        """The option that adds it to the default scores; empty if it has none."""
        return next((option.name for option in self.options if option.adds), "")

    # The class of a group that differs overrides some of these.

    @property
    def joins_any_scores(self) -> bool:
        """Return whether the option in `added_by` adds it to named scores too, and not only to the default scores."""
        return False

    def arguments(self, values: Mapping[str, Any], reading: Reading) -> Mapping[str, Any]:  # noqa: ARG002
        """Return the keyword arguments of `tally` from the values of its options; raise an error if it can't score a reading."""
        return values

    def with_corpus(self, values: Mapping[str, Any], size: CorpusSize) -> Mapping[str, Any]:  # noqa: ARG002
        """Return the values of options with the defaults that come from the size of a reference."""
        return values

    @property
    def shown_columns(self) -> tuple[str, ...]:
        """Return the columns that people are shown as counts."""
        return self.columns

    def warn(self, counts: Mapping[str, int], arguments: Mapping[str, Any]) -> None:
        """Warn of counts that are probably a mistake, from the arguments of `tally`."""


def columns_named(name: str) -> tuple[str, ...]:
    """Return the names of the columns of precision, recall and F-score, as `formulas.Counts` writes them."""
    return tuple(f"{name}_{kind}" for kind in ("matched", "predicted", "reference"))


def precision_recall_fscore_group(name: str, *, heading: str = "", **attributes: Any) -> ScoreGroup:
    """Return a group of precision, recall and F-score, with its columns, keys and formulas.

    The heading of the scores has `{}` for "precision", "recall" and "F-score"; by default it is the name and `{}`.
    """
    heading = heading or f"{name.replace('_', ' ').capitalize()} {{}}"
    names_in_heading = {"precision": "precision", "recall": "recall", "fscore": "F-score"}
    # A group may describe the formulas in symbols of its own.
    attributes.setdefault("formula", "precision TP / PP, recall TP / RP, fscore 2·TP / (PP + RP)")
    return ScoreGroup(
        name=name,
        columns=columns_named(name),
        keys={f"{name}_{score}": Key(heading.format(shown)) for score, shown in names_in_heading.items()},
        formulas=partial(precision_recall_fscore, name),
        **attributes,
    )


def describe(kinds: Mapping[str, Any]) -> dict[str, dict[str, object]]:
    """Return the descriptions, keys and counts of each group or level, by name."""
    described_kinds: dict[str, dict[str, object]] = {}
    for name, kind in kinds.items():
        described_kinds[name] = {
            "title": kind.title,
            "definition": kind.definition,
            "formula": kind.formula,
            "source": kind.source,
            "keys": tuple(kind.keys),
            "columns": kind.columns,
        }
    return described_kinds
