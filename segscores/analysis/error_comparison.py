"""Errors of two systems side by side: the words that one of them has and the other misses.

A system has a reference word if its prediction has a word with the same span, as in the token scores. Utterances that are
left out of one system are left out of both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ..kernel.aligned import project_boundaries
from ..kernel.arrays import Mask, Positions
from ..kernel.comparison import NO_CLASS, Comparison
from ..options.keywords import Unpack, WordErrorOptions
from ..options.option import check_options
from ..options.table import OPTIONS, options_in
from ..reading.sources.source import Side
from ..results.json_text import as_json
from ..results.rendering import Tabular
from ..results.result import Cell, Result, Table
from ..scoring.functions import with_options
from ..scoring.map_pieces import map_pieces
from ..scoring.measures.oov import vocabulary_of
from ..scoring.observations import Observations
from ..scoring.passes import open_systems
from ..scoring.piece import GoodUtterances, Piece
from ..scoring.plan import Plan
from ..statistics.signing import sign_sides
from .error_analysis import ErrorAnalysis, add_pieces, error_plan
from .error_results import ClassCounts, available_tables
from .error_tables import by_count, decode, no_tables, tabulate_types


class WordDifference(NamedTuple):
    """The numbers of reference words of one kind: all, and the words that both systems, only one, or neither has."""

    name: str
    words: int
    both: int
    only_first: int
    only_second: int
    neither: int


@dataclass(eq=False, repr=False)
class ErrorComparison(Tabular):
    """The words that one of two systems has and the other misses, from `compare_errors`. Printed, it is the tables of `errors`.

    Attributes:
        names: the names of the systems.
        outcomes: an analysis whose four classes are the outcomes both, only the first, only the second, and neither.
        signature: how the sides were read; empty of a part of a corpus.
    """

    names: tuple[str, str]
    outcomes: ErrorAnalysis
    signature: str = ""

    def words(self, top: int | None = None) -> tuple[list[WordDifference], list[WordDifference]]:
        """List the words that the first system has more often, and the words that the second has; the largest difference first.

        Args:
            top: the greatest number of words in each list; None for all.

        Raises:
            ValueError: there are only labels.
        """
        self.outcomes.check_words()
        if top is not None:
            OPTIONS["top"].check(top)
        types = self.outcomes.settled().types
        _both, only_first, only_second, _neither = types.counts.T
        more_in_first = only_first - only_second
        return self._most_different(more_in_first, top), self._most_different(-more_in_first, top)

    def _most_different(self, differences: Positions, top: int | None) -> list[WordDifference]:
        """Return the `top` words with a positive difference, or all if it is None, the largest first.

        `differences` has one for each word.
        """
        types = self.outcomes.settled().types
        rows = by_count(types.keys, differences)
        words = []
        for row in rows[differences[rows] > 0][:top].tolist():
            word = decode(types.keys[row].as_py(), self.outcomes.unit)
            both, only_first, only_second, neither = types.counts[row].tolist()
            total = both + only_first + only_second + neither
            words.append(WordDifference(word, total, both, only_first, only_second, neither))
        return words

    def result(self, tables: Sequence[str] | None = None, top: int | None = 10) -> Result:
        """Return tables: `"classes"`, `"words"` (two of up to `top` words), `"length"`, `"frequency"`, `"vocabulary"`.

        None stands for all tables that are available, and for all words.
        """
        available = available_tables(self.outcomes.unit, has_vocabulary=self.outcomes.vocabulary is not None)
        # A word that a system misses is no error with a pattern: there is no table of errors.
        chosen = dict.fromkeys(OPTIONS["table"].check(tables or [name for name in available if name != "errors"]))
        made: list[Table] = []
        for name in chosen:
            made += self._tables(name, top)
        data = None
        if list(chosen) == ["words"]:
            # For programs the two tables are one. They have the same columns, but for the heading of the words.
            of_first, of_second = made
            data = Table(["word", *of_first.names[1:]], [*of_first.rows, *of_second.rows])
        return Result(made, data=data, signature=self.signature)

    def _tables(self, name: str, top: int | None) -> list[Table]:
        """Return the tables of this name: two of `words`, with up to `top` words each, and one of others."""
        first, second = self.names
        if name == "classes":
            outcomes = ("both", f"only {first}", f"only {second}", "neither")
            columns = zip(outcomes, self.outcomes.words.tolist(), self.outcomes.shares, strict=True)
            has_words = bool(self.outcomes.words.any())
            rows = [
                [outcome, count, Cell(share, is_share=True, is_defined=has_words)] for outcome, count, share in columns
            ]
            return [Table(["right in", "words", "share"], rows)]
        if name == "words":
            of_first, of_second = self.words(top)
            return [
                self._table(f"more often right in {first}", of_first),
                self._table(f"more often right in {second}", of_second),
            ]
        if name == "errors":
            raise ValueError(f"tables: expected classes, words, length, frequency or vocabulary, received {name!r}.")
        # The method `by_length`, `by_frequency` or `by_vocabulary`. The four classes of the analysis are the outcomes, in the
        # order of the fields of WordDifference.
        counts: list[ClassCounts] = getattr(self.outcomes, f"by_{name}")()
        differences = [WordDifference(row.name, row.words, row.correct, row.over, row.under, row.mis) for row in counts]
        return [self._table(name, differences)]

    def _table(self, name: str, differences: Sequence[WordDifference]) -> Table:
        """Return a table with a row for each kind of words; `name` is the heading of the kinds."""
        first, second = self.names
        recalls = [f"recall of {first}", f"recall of {second}"]
        outcomes = [f"only {first}", f"only {second}"]
        columns = [name, "words", *recalls, *outcomes, "difference"]
        rows = []
        for row in differences:
            recall = self._recall(row.both + row.only_first, row.words)
            other_recall = self._recall(row.both + row.only_second, row.words)
            # As of scores, positive where the second system is better.
            difference = Cell(float(row.only_second - row.only_first), form="+.0f")
            rows.append([row.name, row.words, recall, other_recall, row.only_first, row.only_second, difference])
        return Table(columns, rows)

    def _recall(self, found: int, words: int) -> Cell:
        """Return the cell with the share of words that a system has; it is undefined without words."""
        value = found / words if words else self.outcomes.zero_division
        return Cell(value, is_defined=words > 0, is_share=True)

    def to_frame(self, table: str = "words", top: int | None = None) -> Any:
        """Return a table as a data frame of pandas."""
        return self.result([table], top).to_frame()

    def to_dict(self, top: int | None = 20) -> dict[str, Any]:
        """Return `signature`, `utterances`, `outcomes` (the count of each), and `word_differences`: `words` as dicts, or None.

        The signature is absent of a part of a corpus.
        """
        plain: dict[str, Any] = {}
        if self.signature:
            plain["signature"] = self.signature
        # A list for each system; labels have no words.
        word_differences = None
        if self.outcomes.unit != "label":
            word_differences = [[row._asdict() for row in rows] for rows in self.words(top)]
        outcomes = ("both", "only_first", "only_second", "neither")
        return plain | {
            "utterances": self.outcomes.utterances,
            "outcomes": dict(zip(outcomes, self.outcomes.words.tolist(), strict=True)),
            "word_differences": word_differences,
        }

    def to_json(self, top: int | None = 20) -> str:
        """Return `to_dict` as JSON."""
        return as_json(self.to_dict(top))


@with_options
def compare_errors(references: Any, systems: Mapping[str, Any], **options: Unpack[WordErrorOptions]) -> ErrorComparison:
    """Compare the errors of two systems: the words that one of them has and the other misses.

    Args:
        references: utterances, in any form of the README's Inputs.
        systems: by name, the predictions of two systems.
        **options: how the utterances are read, and the known words.

    Raises:
        TypeError, ValueError: as `analyse_errors`; or not two systems.

    >>> errors = compare_errors(
    ...     ["the dog", "a dog"], {"old": ["the dog", "adog"], "new": ["thedog", "a dog"]}, text_format="words"
    ... )
    >>> [(row.name, row.only_first) for row in errors.words()[0]], [(row.name, row.only_second) for row in errors.words()[1]]
    ([('the', 1)], [('a', 1)])
    """
    if not isinstance(systems, Mapping) or len(systems) != 2:
        received = f"{len(systems)} systems" if isinstance(systems, Mapping) else type(systems).__name__
        raise ValueError(f"systems: expected a dict with the predictions of two systems, received {received}.")
    checked = check_options(options, options_in(WordErrorOptions))
    first, second = systems
    names = [f"system {name!r}" for name in systems]
    sides, plan = open_systems(error_plan(checked), references, *systems.values(), names=names)
    observed = Observations.for_signature()
    comparison = compare_error_sides(sides, (first, second), plan, observed)
    comparison.signature = sign_sides(sides, plan, observed)
    return comparison


def compare_error_sides(
    sides: Sequence[Side], names: tuple[str, str], plan: Plan, observed: Observations
) -> ErrorComparison:
    """Compare the two predictions of sides, whose systems have these names, with the vocabulary of the plan."""

    def compare_piece(piece: Piece) -> ErrorAnalysis:
        """Tally the outcomes of the words of a piece. The sides are the reference, the first system and the second."""
        return tally_outcomes(piece.compare(1, plan), piece.compare(2, plan), len(piece), plan)

    return ErrorComparison(names, add_pieces(map_pieces(sides, compare_piece, observed=observed)))


def tally_outcomes(first: GoodUtterances, second: GoodUtterances, utterances: int, plan: Plan) -> ErrorAnalysis:
    """Tally the outcomes (see `ErrorComparison`) of the words of a piece of this number of utterances.

    The naive equivalent looks, for each word, for its span among the spans of each prediction.
    """
    good_first = _good(first, utterances)
    good_second = _good(second, utterances)
    good_for_both = good_first & good_second
    # Where units were aligned, the predicted boundaries are projected onto the reference, whose words are counted.
    of_first = project_boundaries(first.comparison)
    of_second = project_boundaries(second.comparison)
    # Select the reference words of the utterances that are good for both systems. Each comparison has the utterances that are
    # good for its system. Example: of the utterances 0 1 2, the first system has 0 1 and the second 1 2. So `good_for_both` is
    # F T F, and good_for_both[good_first] is F T.
    is_counted = _words_of(of_first, good_for_both[good_first])
    is_counted_in_second = _words_of(of_second, good_for_both[good_second])
    # The other mask is of predicted words.
    found_by_first, _ = of_first.matched_words()
    found_by_second, _ = of_second.matched_words()
    # Both arrays have the same words: those that are counted.
    misses_first = ~found_by_first[is_counted]
    misses_second = ~found_by_second[is_counted_in_second]
    # `outcomes` has all reference words of the first comparison. Those that are not counted keep NO_CLASS.
    outcomes = np.full(len(is_counted), NO_CLASS)
    # 0 if both systems have the word, 1 if only the first has it, 2 if only the second, and 3 if neither.
    outcomes[is_counted] = 2 * misses_first + misses_second
    words = of_first.in_words()
    analysis = ErrorAnalysis(words.reference.unit, utterances=utterances, vocabulary=vocabulary_of(plan.settings))
    analysis.zero_division = plan.zero_division
    # NO_CLASS is the number after the four outcomes.
    analysis.words = np.bincount(outcomes, minlength=NO_CLASS)[:NO_CLASS]
    if words.reference.text is not None:
        # An error has the words of one prediction. Here are two predictions, so that the table of errors stays empty.
        analysis.tables = replace(no_tables(), types=tabulate_types(words, outcomes))
    return analysis


def _good(compared: GoodUtterances, utterances: int) -> Mask:
    """Return a mask of the utterances of a piece, of this number, that a comparison has."""
    if compared.good is None:
        return np.ones(utterances, bool)
    return compared.good


def _words_of(comparison: Comparison, is_chosen: Mask) -> Mask:
    """Return a mask of the reference words of chosen utterances; `is_chosen` has a value for each utterance of the comparison."""
    return np.repeat(is_chosen, comparison.tokens().reference)
