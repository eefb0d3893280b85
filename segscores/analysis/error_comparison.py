"""Errors of two systems side by side: the words that one of them has and the other misses, and the errors that one of them makes.

Conventions
-----------
- A system has a reference word if its prediction has a word with the same span, as in the token scores. Of the words of a row,
  `only` one system has some; the difference is of the second system from the first, in words that only one of them has.
- The difference of an error is in the number of times that it is made.
- Tables of words and of errors have the rows in which the first system has more, then those in which the second has, those with
  the largest differences first; rows without a difference are left out.
- Utterances that `on_mismatch="skip"` leaves out of one system are left out of both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..kernel.comparison import Comparison, compare_segmentations
from ..kernel.mismatch import project_boundaries
from ..kernel.segmentation import select_utterances
from ..options.keywords import ErrorOptions
from ..options.option import check_options
from ..options.table import OPTIONS, options_in
from ..results.rendering import Tabular
from ..results.result import Cell, Result, Table
from ..scoring.pipeline import Plan, check_skipped, warn_of_skipped, with_options
from ..scoring.skipping import GoodUtterances
from ..sources.fold import Part, fold, sides_of
from ..sources.sides import check_units
from ..sources.source import Facts, Side
from ..support.arrays import Mask
from .error_analysis import ErrorAnalysis, analyse_comparison
from .error_results import TABLES, ClassCounts, ErrorPattern, shown_example
from .error_tables import (
    CLASSES,
    KeyCounts,
    Tables,
    by_count,
    decode,
    kinds_of,
    merge_counts,
    no_tables,
    tabulate_types,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: What two systems do with a word. They stand for the classes of an `ErrorAnalysis`, whose counts by word add up and merge.
OUTCOMES = ("both", "only_first", "only_second", "neither")


@dataclass(frozen=True)
class WordDifference:
    """The reference words of a row: a word, a length, a band of frequencies.

    Attributes:
        words: how many there are.
        both, only_first, only_second, neither: how many the two systems have.
    """

    name: str
    words: int
    both: int
    only_first: int
    only_second: int
    neither: int

    @property
    def difference(self) -> int:
        """How many more the second system has."""
        return self.only_second - self.only_first

    @classmethod
    def of(cls, row: ClassCounts) -> WordDifference:
        """The row of an analysis of outcomes."""
        return cls(row.name, row.words, row.correct, row.over, row.under, row.mis)


@dataclass(frozen=True)
class ErrorDifference:
    """An error, with the number of times that each system makes it; `pattern` has its words, and where it occurs first."""

    pattern: ErrorPattern
    first: int
    second: int


@dataclass(eq=False, repr=False)
class ErrorComparison(Tabular):
    """The errors of two systems, from `compare_errors`. Printed, it is the tables of the subcommand `errors`.

    Attributes:
        names: of the systems.
        first, second: the analysis of each.
        outcomes: the words by what the two do with them: OUTCOMES in place of the classes.
    """

    names: tuple[str, str]
    first: ErrorAnalysis
    second: ErrorAnalysis
    outcomes: ErrorAnalysis

    def update(self, other: ErrorComparison) -> None:
        """Add another part of the corpus, as `ErrorAnalysis.update` does."""
        self.first.update(other.first)
        self.second.update(other.second)
        self.outcomes.update(other.outcomes)

    def words(self, top: int | None = None) -> tuple[list[WordDifference], list[WordDifference]]:
        """The words that the first system has more often, and those that the second has; at most `top` of each."""
        return word_differences(self.outcomes, top)

    def errors(self, top: int | None = None) -> tuple[list[ErrorDifference], list[ErrorDifference]]:
        """The errors that the first system makes more often, and those that the second makes; at most `top` of each."""
        analyses = self.first, self.second
        tables = [
            KeyCounts(each.settled().errors.keys, each.settled().errors.counts * np.eye(2, dtype=np.int64)[at])
            for at, each in enumerate(analyses)
        ]
        joined, rows = merge_counts(tables)
        kinds = kinds_of(joined.keys)
        # The row of each error in the table of each system; −1 where it has none.
        own = np.full((2, len(joined.keys)), -1)
        for at, of_system in enumerate(np.split(rows, [len(tables[0].keys)])):
            own[at, of_system] = np.arange(len(of_system))

        def difference(row: int) -> ErrorDifference:
            first, second = joined.counts[row].tolist()
            at = 0 if first > second else 1
            pattern = analyses[at].pattern(int(own[at, row]), CLASSES[kinds[row]], max(first, second))
            return ErrorDifference(pattern, first, second)

        first, second = _halves(joined, joined.counts[:, 0] - joined.counts[:, 1], top)
        return [*map(difference, first)], [*map(difference, second)]

    def result(
        self,
        tables: Sequence[str] | None = None,
        top: int | None = 10,
        where: Callable[[int], str] = "utterance {}".format,
    ) -> Result:
        """The tables; the arguments are those of `ErrorAnalysis.result`. Of words and of errors there are two."""
        # Labels do not contain the words.
        known = TABLES[:1] if self.first.unit == "label" else TABLES if self.outcomes.vocabulary else TABLES[:-1]
        make: dict[str, Callable[[], list[Table]]] = {
            "classes": self._class_tables,
            "errors": lambda: [
                self._error_table(f"more often in {name}", rows, where)
                for name, rows in zip(self.names, self.errors(top), strict=True)
            ],
            "words": lambda: [
                self._word_table(f"more often right in {name}", rows)
                for name, rows in zip(self.names, self.words(top), strict=True)
            ],
            "length": lambda: [self._word_table("length", [*map(WordDifference.of, self.outcomes.by_length())])],
            "frequency": lambda: [
                self._word_table("frequency", [*map(WordDifference.of, self.outcomes.by_frequency())])
            ],
            "vocabulary": lambda: [
                self._word_table("vocabulary", [*map(WordDifference.of, self.outcomes.by_vocabulary())])
            ],
        }
        made = [make[name]() for name in dict.fromkeys(tables or known)]
        first, *others = made[0]
        noun = {"errors": "reference", "words": "word"}.get((tables or known)[0], "")
        data = Table([noun, *first.names[1:]], [*first.rows, *others[0].rows]) if noun else first
        return Result([table for each in made for table in each], data=data)

    def to_frame(self, table: str = "words", top: int | None = None) -> Any:
        """A table as a data frame of pandas; `table`: one of TABLES."""
        return self.result([table], top).to_frame()

    def to_dict(self, top: int | None = 20) -> dict[str, Any]:
        """The comparison as a dict of plain values, for JSON.

        Returns:
            `utterances`; `outcomes`, count by outcome; `word_differences` and `error_differences`, each two lists; None for
            labels.
        """
        has_words = self.first.unit != "label"

        def plain(value: Any) -> Any:
            if isinstance(value, dict):
                return {key: plain(item) for key, item in value.items()}
            return [*map(plain, value)] if isinstance(value, (list, tuple)) else value

        def with_pattern(found: ErrorDifference) -> dict[str, Any]:
            pattern = asdict(found.pattern)
            del pattern["count"]
            return pattern | {"first": found.first, "second": found.second}

        return {
            "utterances": self.outcomes.utterances,
            "outcomes": dict(zip(OUTCOMES, self.outcomes.words.tolist(), strict=True)),
            "word_differences": [[asdict(row) for row in rows] for rows in self.words(top)] if has_words else None,
            "error_differences": plain([[*map(with_pattern, rows)] for rows in self.errors(top)])
            if has_words
            else None,
        }

    def _class_tables(self) -> list[Table]:
        counts = zip(CLASSES, self.first.words.tolist(), self.second.words.tolist(), strict=True)
        classes = [[name, first, second, _signed(second - first)] for name, first, second in counts]
        names = ["both", *(f"only {name}" for name in self.names), "neither"]
        shares = [Cell(share, is_share=True) for share in self.outcomes.shares]
        outcomes = zip(names, self.outcomes.words.tolist(), shares, strict=True)
        return [
            Table(["class", *self.names, "difference"], classes),
            Table(["right in", "words", "share"], [*map(list, outcomes)]),
        ]

    def _word_table(self, name: str, rows: Sequence[WordDifference]) -> Table:
        cells = [
            [
                row.name,
                row.words,
                *(self._recall(row.both + only, row.words) for only in (row.only_first, row.only_second)),
                row.only_first,
                row.only_second,
                _signed(row.difference),
            ]
            for row in rows
        ]
        only = [f"only {system}" for system in self.names]
        return Table([name, "words", *(f"recall of {system}" for system in self.names), *only, "difference"], cells)

    def _recall(self, has: int, words: int) -> Cell:
        value = has / words if words else self.outcomes.zero_division
        return Cell(value, is_defined=words > 0, is_share=True)

    def _error_table(self, name: str, rows: Sequence[ErrorDifference], where: Callable[[int], str]) -> Table:
        joint = " | " if self.first.unit == "token" else " "
        cells = [
            [
                joint.join(row.pattern.reference),
                joint.join(row.pattern.prediction),
                row.pattern.kind,
                row.first,
                row.second,
                _signed(row.second - row.first),
                "; ".join(shown_example(example, row.pattern, joint, where) for example in row.pattern.examples),
            ]
            for row in rows
        ]
        return Table([name, "prediction", "error", *self.names, "difference", "example"], cells)


def word_differences(
    outcomes: ErrorAnalysis, top: int | None = None
) -> tuple[list[WordDifference], list[WordDifference]]:
    """The words that the first of two systems has more often, and those that the second has; at most `top` of each."""
    if top is not None:
        OPTIONS["top"].check(top)
    types = outcomes.settled().types
    first, second = _halves(types, types.counts[:, 1] - types.counts[:, 2], top)

    def difference(row: int) -> WordDifference:
        counts = types.counts[row].tolist()
        return WordDifference(decode(types.keys[row].as_py(), outcomes.unit), sum(counts), *counts)

    return [*map(difference, first)], [*map(difference, second)]


def _halves(table: KeyCounts, more: Any, top: int | None) -> tuple[list[int], list[int]]:
    """The rows in which the first system has more, the largest difference first, and those in which the second has."""
    found = [by_count(table.keys, sign * more) for sign in (1, -1)]
    first, second = (order[sign * more[order] > 0][:top].tolist() for order, sign in zip(found, (1, -1), strict=True))
    return first, second


def _signed(difference: int) -> Cell:
    return Cell(float(difference), form="+.0f")


@with_options
def compare_errors(references: Any, systems: Mapping[str, Any], **options: Unpack[ErrorOptions]) -> ErrorComparison:
    """Compare the errors of two systems: the words that one of them has and the other misses, and the errors that one makes.

    Args:
        references: utterances, in any form that `inputs` lists.
        systems: by name, the predictions of two systems.
        **options: those of `analyse_errors`.

    Raises:
        TypeError, ValueError: as `analyse_errors`; or not two systems.

    >>> found = compare_errors(
    ...     ["the dog", "a dog"], {"old": ["the dog", "adog"], "new": ["thedog", "a dog"]}, text_format="words"
    ... )
    >>> [(row.name, row.only_first) for row in found.words()[0]], [(row.name, row.only_second) for row in found.words()[1]]
    ([('the', 1)], [('a', 1)])
    """
    if not isinstance(systems, Mapping) or len(systems) != 2:
        received = f"{len(systems)}" if isinstance(systems, Mapping) else type(systems).__name__
        raise ValueError(f"systems: expected a dict with the predictions of two systems, received {received}.")
    given = check_options(options, options_in(ErrorOptions))
    counts = {name: given.pop(name, OPTIONS[name].default) for name in ("examples", "context")}
    plan = Plan.of_checked({**given, "scores": "token" if given.get("vocabulary") is None else "oov"})
    first, second = systems
    sides = sides_of(plan.reading, references, *systems.values(), names=[f"system {name!r}" for name in systems])
    check_units(sides)
    return compare_error_sides(sides, (first, second), plan, Facts(), **counts)


def compare_error_sides(
    sides: Sequence[Side], names: tuple[str, str], plan: Plan, facts: Facts, *, examples: int, context: int
) -> ErrorComparison:
    """The comparison of two predictions, with the vocabulary of the plan."""

    def compare_part(part: Part) -> tuple[ErrorComparison, list[int]]:
        both = [part.compare(at, plan) for at in (1, 2)]
        compared, kept = in_common(both[0], both[1], part.count)
        how: dict[str, Any] = {"vocabulary": plan.known_words, "zero_division": plan.zero_division}
        analyses = [analyse_comparison(each, kept, examples=examples, context=context, **how) for each in compared]
        found = ErrorComparison(names, analyses[0], analyses[1], tally_outcomes(*compared, part.count, **how))
        return found, [0 if each.kept is None else int((~each.kept).sum()) for each in both]

    total, skipped = None, np.zeros(2, np.int64)
    for found, counts in fold(sides, compare_part, facts=facts):
        skipped += counts
        if total is None:
            total = found
        else:
            total.update(found)
    assert total is not None, "fold rejects empty input"
    for name, count in zip(names, skipped.tolist(), strict=True):
        check_skipped(count, total.outcomes.utterances, name)
        warn_of_skipped(count, total.outcomes.utterances, name)
    return total


def in_common(first: GoodUtterances, second: GoodUtterances, count: int) -> tuple[tuple[Comparison, Comparison], Mask]:
    """The comparisons of two predictions, of the utterances of a part that neither skips, and which these are.

    Boundaries of aligned predictions are on the units of the reference.
    """
    kept = [np.ones(count, bool) if each.kept is None else each.kept for each in (first, second)]
    is_common = kept[0] & kept[1]

    def chosen(both: GoodUtterances, own: Mask) -> Comparison:
        comparison, some = project_boundaries(both.comparison), is_common[own]
        if some.all():
            return comparison
        sides = comparison.reference, comparison.prediction
        return compare_segmentations(*(select_utterances(side, some) for side in sides))

    return (chosen(first, kept[0]), chosen(second, kept[1])), is_common


def tally_outcomes(first: Comparison, second: Comparison, utterances: int, **how: Any) -> ErrorAnalysis:
    """What two systems do with the words of the same utterances: an analysis with OUTCOMES in place of the classes.

    Args:
        utterances: the number of utterances of the part.
        how: `vocabulary` and `zero_division`.

    The naive equivalent counts, for each word, whether its span is among those of each prediction.
    """
    has = [each.matched_words()[0] for each in (first, second)]
    outcomes = 2 * ~has[0] + ~has[1].astype(bool)
    counts = np.bincount(outcomes, minlength=len(OUTCOMES))
    found = ErrorAnalysis(first.reference.unit, utterances=utterances, words=counts, **how)
    if first.reference.text is not None:
        found.tables = Tables(tabulate_types(first, outcomes), no_tables().errors, no_tables().places)
    return found
