"""Error analysis: the wrong reference words, their error classes, and the words predicted in their place.

Conventions
-----------
- A chunk is the text between two neighbouring shared boundaries; the two ends of an utterance are shared. Both sides
  have the same units in a chunk, and share no boundary inside it.
- A chunk of one word on both sides is correct. One reference word divided into several is over-segmented (`over`);
  several reference words joined into one are under-segmented (`under`); several words on both sides are mis-segmented
  (`mis`). Every reference word has the class of its chunk, so that the four classes add up to the reference words.
- An error is a chunk that is not correct, identified by its reference words and its predicted words: `the | dog` → `thedog`.
- Correct words are the matched words of the token scores. So `recall`, the share of correct words, is the token recall
  of the words of a row; for words out of the vocabulary it is the OOV recall.
- Utterances, and words within them, are counted from 0. A word is a string; in units text its units are separated by spaces.
- Rows with equal counts are in the order of their code points. In an error, a boundary of the prediction alone sorts
  after all characters, and a boundary of the reference alone after both.

Counts add up over parts of a corpus, and tables of words and of errors merge. Labels do not say what the words are, so
that only the counts of the classes are available.

Sources
-------
The classes are those of `wordseg-eval --summary` (wordseg 0.7.1 and later, wordseg/evaluate.py; the
package: Bernard et al. 2020, Behavior Research Methods 52:264-278), with the same counts and the same order of words.
wordseg-eval differs in two ways. It uses one level of recursion per chunk, so that an utterance with more chunks than Python's
recursion limit raises an error. And it drops the blank lines of each side separately; here utterances pair by position.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ..kernel.arrays import Mask, bools_of, int64_array, numbers_of
from ..kernel.comparison import CORRECT, NO_CLASS, Comparison
from ..kernel.formulas import divide
from ..options.keywords import ErrorOptions, Unpack
from ..options.option import check_options
from ..options.table import OPTIONS, options_in
from ..reading.sources.sides import open_inputs
from ..reading.sources.source import Side
from ..results.json_text import as_json
from ..results.rendering import Tabular
from ..results.result import Cell, Result, Table
from ..scoring.functions import with_options
from ..scoring.map_pieces import map_pieces
from ..scoring.measures.oov import Vocabulary, vocabulary_of
from ..scoring.observations import Observations
from ..scoring.piece import Piece
from ..scoring.plan import Plan
from ..statistics.signing import sign_sides
from .error_results import (
    ClassCounts,
    ErrorPattern,
    as_dicts,
    available_tables,
    check_kind,
    check_top,
    count_table,
    error_pattern,
    error_table,
)
from .error_tables import (
    CLASSES,
    Tables,
    by_count,
    decode,
    find_places,
    first_of_each,
    kinds_of,
    merge,
    no_tables,
    sum_rows,
    tabulate_errors,
    tabulate_label_errors,
    tabulate_types,
)
from .tag_errors import TagErrors, added, count_tags, with_tags

#: A merge of fewer waiting rows would free too little memory.
_WORTH_MERGING = 1 << 18


@dataclass(eq=False, repr=False)
class ErrorAnalysis(Tabular):
    """The errors of a corpus or a part of it. `update` adds another part. It prints the tables of the subcommand `errors`.

    Attributes:
        unit: the unit, as in `Segmentation`; None without utterances.
        n_examples: the greatest number of examples of an error.
        context: the greatest number of words of an example on each side.
        zero_division: the recall of a row without words.
        vocabulary: the known words, or None.
        utterances: the number of utterances.
        words, chunks: int64, shape (4,), the numbers of reference words and of chunks of each class of CLASSES.
        altered: the number of reference words that are aligned with a word of other units, and are in no class.
        tag_errors: the tags of correct words, of formats with a tag for each word; None for other text.
        tables: the tables of the parts that are merged; `settled` merges the waiting ones.
        signature: how the sides were read; empty of a part of a corpus.

    >>> analysis = analyse_errors(["the dog is on"], ["thedog i s on"], text_format="words")
    >>> dict(zip(CLASSES, analysis.words.tolist(), strict=True))
    {'correct': 1, 'over': 1, 'under': 2, 'mis': 0}
    >>> [(error.reference, error.prediction, error.count) for error in analysis.errors()]
    [(('is',), ('i', 's'), 1), (('the', 'dog'), ('thedog',), 1)]
    """

    unit: str | None = None
    n_examples: int = 3
    context: int = 3
    zero_division: float = 0.0
    vocabulary: Vocabulary | None = None
    utterances: int = 0
    words: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(len(CLASSES), np.int64))
    chunks: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(len(CLASSES), np.int64))
    altered: int = 0
    tag_errors: TagErrors | None = None
    tables: Tables = field(default_factory=no_tables)
    signature: str = ""
    #: the tables of parts that are not merged yet, and how many rows these have together
    _waiting: list[Tables] = field(default_factory=list, init=False)
    _waiting_rows: int = field(default=0, init=False)

    def update(self, other: ErrorAnalysis) -> None:
        """Add another part of the corpus, whose utterances come after the utterances so far.

        Waiting tables are merged when they have more rows than `tables`, and not for a few, so that all merges together take
        linear time.

        Raises:
            ValueError: the parts differ in their units or in an option.
        """
        self._check_adds_up(other)
        tables = other.settled()
        places = tables.places
        moved = replace(places, utterances=places.utterances + self.utterances)
        self._waiting.append(replace(tables, places=moved))
        self._waiting_rows += len(tables.types.keys) + len(tables.errors.keys)
        # A signature is of one corpus: the sum of two has none.
        self.signature = ""
        self.unit = self.unit or other.unit
        self.utterances += other.utterances
        self.altered += other.altered
        self.tag_errors = added(self.tag_errors, other.tag_errors)
        self.words = self.words + other.words
        self.chunks = self.chunks + other.chunks
        if self._waiting_rows > len(self.tables.types.keys) + len(self.tables.errors.keys) + _WORTH_MERGING:
            self._merge_waiting()

    def _check_adds_up(self, other: ErrorAnalysis) -> None:
        """Check that another part of the corpus has the same units and options."""
        for option in ("unit", "n_examples", "context", "zero_division", "vocabulary"):
            value = getattr(self, option)
            other_value = getattr(other, option)
            # As text, because nan is not equal to nan.
            is_same = value == other_value or _shown(value) == _shown(other_value)
            # A part without utterances has no unit.
            is_unknown = option == "unit" and None in (value, other_value)
            if not is_same and not is_unknown:
                raise ValueError(
                    f"error analyses with different options do not add up: {option} is {_shown(value)} in one and "
                    f"{_shown(other_value)} in the other; expected the same for every part of a corpus."
                )

    def total(self) -> ClassCounts:
        """Return all reference words, as one row."""
        (row,) = self._rows(["all"], self.words[np.newaxis])
        return row

    @property
    def shares(self) -> list[float]:
        """The share of the reference words in each class of CLASSES."""
        shares: list[float] = np.atleast_1d(divide(self.words, int(self.words.sum()), self.zero_division)).tolist()
        return shares

    def errors(self, top: int | None = None, kind: str | None = None) -> list[ErrorPattern]:
        """List the errors, the most frequent first.

        Args:
            top: the greatest number of rows; None for all.
            kind: one of `"over"`, `"under"` and `"mis"`; None for all three.

        Raises:
            ValueError: there are only labels, or a bad argument.
        """
        check_top(top)
        self.check_words()
        _correct, *classes_of_errors = CLASSES
        check_kind(kind, classes_of_errors)
        tables = self.settled()
        # The table of errors has one column of counts, while that of word types has one for each class.
        (counts,) = tables.errors.counts.T
        classes = kinds_of(tables.errors.keys)
        rows = by_count(tables.errors.keys, counts)
        if kind is not None:
            rows = rows[classes[rows] == CLASSES.index(kind)]
        patterns = []
        for row in rows[:top].tolist():
            patterns.append(error_pattern(tables, row, CLASSES[classes[row]], int(counts[row]), self.unit))
        return patterns

    def word_types(self, top: int | None = None, kind: str | None = None) -> list[ClassCounts]:
        """List the distinct reference words, the most often wrong ones first.

        Args:
            top: the greatest number of rows; None for all.
            kind: one of CLASSES, for the words that occur with this class, most often first.

        Raises:
            ValueError: there are only labels, or a bad argument.
        """
        check_top(top)
        self.check_words()
        check_kind(kind, CLASSES)
        types = self.settled().types
        if kind is None:
            # Count in all classes but the first, which is of correct words.
            counts = types.counts[:, 1:].sum(axis=1)
        else:
            counts = types.counts[:, CLASSES.index(kind)]
        rows = by_count(types.keys, counts)
        if kind is not None:
            rows = rows[counts[rows] > 0]
        rows = rows[:top]
        words = types.keys.take(int64_array(rows)).to_pylist()
        return self._rows([decode(word, self.unit) for word in words], types.counts[rows])

    def wrong_words(self, top: int | None = None) -> list[ClassCounts]:
        """Return the rows of `word_types` without the words that are always correct; of the `top` words alone, or of all."""
        return [row for row in self.word_types(top) if row.correct < row.words]

    def by_length(self) -> list[ClassCounts]:
        """Group the reference words by their length in units, the shortest first.

        Raises:
            ValueError: there are only labels.
        """
        self.check_words()
        types = self.settled().types
        if self.unit == "token":
            # A space follows each unit.
            lengths = numbers_of(pc.count_substring(types.keys, b" "))
        else:
            # Keys are bytes, and characters are counted in a string.
            lengths = numbers_of(pc.utf8_length(types.keys.cast(pa.large_string())))
        # The lengths 3 1 3 are the distinct lengths 1 3, and the groups 1 0 1.
        distinct, groups = np.unique(lengths, return_inverse=True)
        return self._rows([str(length) for length in distinct.tolist()], sum_rows(groups, types.counts, len(distinct)))

    def by_frequency(self) -> list[ClassCounts]:
        """Group the reference words by the frequency of the word in the reference: once, 2-3 times, 4-7 times, and so on.

        Raises:
            ValueError: there are only labels.
        """
        self.check_words()
        types = self.settled().types
        # An integer in [2^(b-1), 2^b) has the binary exponent b: 4 to 7 have 3.
        _mantissas, exponents = np.frexp(types.counts.sum(axis=1).astype(np.float64))
        distinct, groups = np.unique(exponents, return_inverse=True)
        names = ["1" if band == 1 else f"{2 ** (band - 1)}-{2**band - 1}" for band in distinct.tolist()]
        return self._rows(names, sum_rows(groups, types.counts, len(distinct)))

    def by_vocabulary(self) -> list[ClassCounts]:
        """Group the reference words by the vocabulary: the rows `"in"` and `"out"`.

        Their recalls are R_iv and R_oov of the SIGHAN bakeoff.

        Raises:
            ValueError: there are only labels, or no vocabulary was given.
        """
        self.check_words()
        if self.vocabulary is None:
            raise ValueError("no vocabulary was given: pass vocabulary=, the known words.")
        types = self.settled().types
        # Without an utterance there is no unit: any will do, as there is no word to look up.
        is_known = bools_of(pc.is_in(types.keys, value_set=self.vocabulary.words(self.unit or "character")))
        return self._rows(["in", "out"], sum_rows(np.where(is_known, 0, 1), types.counts, 2))

    def result(
        self,
        tables: Sequence[str] | None = None,
        top: int | None = 10,
        where: Callable[[int], str] = "utterance {}".format,
    ) -> Result:
        """Return the result: its tables, with errors and word types.

        Args:
            tables: the names of the tables, as in TABLES; None for all that are available.
            top: the most errors, and the most word types; None for all.
            where: maps the index of an utterance to its place.
        """
        shares = [Cell(share, is_share=True, is_defined=bool(self.words.any())) for share in self.shares]
        classes = list(zip(CLASSES, self.words.tolist(), shares, self.chunks.tolist(), strict=True))
        # Words of units text have spaces in them.
        joint = " | " if self.unit == "token" else " "
        # Only the tables that are shown are made.
        make = {
            "classes": lambda: Table(["class", "words", "share", "chunks"], classes),
            "errors": lambda: error_table(self.errors(top), joint, where),
            "words": lambda: count_table("word", self.wrong_words(top)),
            "length": lambda: count_table("length", self.by_length()),
            "frequency": lambda: count_table("frequency", self.by_frequency()),
            "vocabulary": lambda: count_table("vocabulary", self.by_vocabulary()),
        }
        available = available_tables(self.unit, has_vocabulary=self.vocabulary is not None)
        names = OPTIONS["table"].check(tables or available)
        # A sentence beside the tables.
        answer = None if self.tag_errors is None else self.tag_errors.note
        return Result([make[name]() for name in dict.fromkeys(names)], signature=self.signature, answer=answer)

    def to_frame(self, table: str = "errors", top: int | None = None) -> Any:
        """Return a table, one of TABLES, as a data frame of pandas."""
        return self.result([table], top).to_frame()

    def to_dict(self, top: int | None = 20) -> dict[str, Any]:
        """Return the analysis as a dict of plain values, for JSON.

        Args:
            top: the greatest number of errors and of word types; None for all.

        Returns:
            `utterances`; `words` and `chunks`, count by class; `errors`, `word_types`, `by_length` and `by_frequency`,
            lists of `ErrorPattern` and `ClassCounts` as dicts, None for labels; `by_vocabulary`, also None without a
            vocabulary; `undefined`, the recalls of no words at all, such as `"by_vocabulary.out.recall"`.
        """
        check_top(top)
        plain: dict[str, Any] = {"signature": self.signature} if self.signature else {}
        plain |= {
            "utterances": self.utterances,
            "words": dict(zip(CLASSES, self.words.tolist(), strict=True)),
            "chunks": dict(zip(CLASSES, self.chunks.tolist(), strict=True)),
            # These are set below, if there are words; the last one needs a vocabulary too.
            **dict.fromkeys(("errors", "word_types", "by_length", "by_frequency", "by_vocabulary")),
            "undefined": [],
        }
        if self.tag_errors is not None:
            plain["tag_errors"] = self.tag_errors.to_dicts()
        has_words = self.unit != "label"
        if has_words:
            plain["errors"] = as_dicts(self.errors(top))
            plain["word_types"] = as_dicts(self.word_types(top))
            plain["by_length"] = as_dicts(self.by_length())
            plain["by_frequency"] = as_dicts(self.by_frequency())
        if has_words and self.vocabulary is not None:
            by_vocabulary = self.by_vocabulary()
            plain["by_vocabulary"] = as_dicts(by_vocabulary)
            # Rows of the other tables have words, so their recalls are defined.
            plain["undefined"] = [f"by_vocabulary.{row.name}.recall" for row in by_vocabulary if not row.words]
        return plain

    def to_json(self, top: int | None = 20) -> str:
        """Return `to_dict` as JSON, with null for nan."""
        return as_json(self.to_dict(top))

    def settled(self) -> Tables:
        """Return the tables, after merging all waiting rows."""
        self._merge_waiting()
        return self.tables

    def _merge_waiting(self) -> None:
        """Merge the waiting tables into `tables`."""
        if self._waiting:
            self.tables = merge([self.tables, *self._waiting], self.n_examples)
            self._waiting = []
            self._waiting_rows = 0

    def check_words(self) -> None:
        """Raise a ValueError if there are only labels."""
        if self.unit == "label":
            raise ValueError(
                "labels alone do not say what the words are, so that only the counts of the classes are known: pass the words "
                "themselves."
            )

    def _rows(self, names: Sequence[str], counts: npt.NDArray[np.int64]) -> list[ClassCounts]:
        """Return rows with these names, and the counts of each; `counts` has a column for each class of CLASSES."""
        words = counts.sum(axis=1)
        recalls = np.atleast_1d(divide(counts[:, CORRECT], words, self.zero_division))
        rows = []
        for name, total, of_classes, recall in zip(
            names, words.tolist(), counts.tolist(), recalls.tolist(), strict=True
        ):
            correct, over, under, mis = of_classes
            rows.append(ClassCounts(name, total, correct, over, under, mis, recall))
        return rows


@with_options
def analyse_errors(references: Any, predictions: Any, **options: Unpack[ErrorOptions]) -> ErrorAnalysis:
    """Analyse the errors of predictions.

    Args:
        references, predictions: utterances, in any form of the README's Inputs.
        **options: those of `ErrorOptions`.

    Raises:
        TypeError: an input has no known form, or an option has the wrong type.
        ValueError: the sides differ in number or in units, there is no utterance, or a bad option. The message has
            the utterance's index.

    >>> analysis = analyse_errors(["the dog"] * 2, ["thedog", "the dog"], text_format="words", vocabulary=["the"])
    >>> [(row.name, row.words, row.under, row.recall) for row in analysis.by_vocabulary()]
    [('in', 2, 1, 0.5), ('out', 2, 1, 0.5)]
    """
    checked = check_options(options, options_in(ErrorOptions))
    # These two options say what is shown. All others are options of the plan.
    of_display = {name: checked.pop(name, OPTIONS[name].default) for name in ("examples", "context")}
    plan = error_plan(checked)
    sides = open_inputs(plan.reading, references, predictions)
    observed = Observations.for_signature()
    analysis = analyse_sides(sides, plan, observed, **of_display)
    analysis.signature = sign_sides(sides, plan, observed)
    return analysis


def error_plan(options: Mapping[str, Any]) -> Plan:
    """Return the plan of an analysis, by checked options. It reads tags where the formats have them.

    The scores of the plan are not computed. They are chosen by what they read: a vocabulary, if there is one.
    """
    scores = "token" if options.get("vocabulary") is None else "oov"
    return with_tags(Plan.of_checked({**options, "scores": scores}))


def analyse_sides(
    sides: Sequence[Side], plan: Plan, observed: Observations, *, examples: int, context: int
) -> ErrorAnalysis:
    """Analyse a prediction, with the vocabulary of the plan; `observed` is the record of the pass."""

    def analyse_piece(piece: Piece) -> ErrorAnalysis:
        """Analyse the only prediction, which is side 1."""
        compared = piece.compare(1, plan)
        return analyse_comparison(compared.comparison, compared.good, plan, examples=examples, context=context)

    return add_pieces(map_pieces(sides, analyse_piece, observed=observed))


def add_pieces(analysed: Iterator[ErrorAnalysis]) -> ErrorAnalysis:
    """Add up the analyses of pieces, of which there is at least one."""
    total = next(analysed)
    for analysis in analysed:
        total.update(analysis)
    return total


def analyse_comparison(
    comparison: Comparison, good: Mask | None, plan: Plan, *, examples: int, context: int
) -> ErrorAnalysis:
    """Analyse the errors in a comparison, in time linear in the text.

    The comparison has the utterances of a part of a corpus that `good` marks; all of them if it is None. The naive
    equivalent, for one utterance: divide both lists of words at the shared boundaries, pair the pieces, and classify every
    pair by whether each side has one word or several.
    """
    # The comparison of a recording also has silent segments, which are no words.
    words = comparison.in_words()
    # Chunks of 1 and 2 reference words with the classes 0 and 2 have words of the classes 0 2 2.
    words_of_chunks, chunk_classes = words.chunk_classes()
    word_classes = np.repeat(chunk_classes, words_of_chunks)
    analysis = ErrorAnalysis(
        unit=words.reference.unit,
        n_examples=examples,
        context=context,
        zero_division=plan.zero_division,
        vocabulary=vocabulary_of(plan.settings),
        utterances=len(words.reference.utterance_ends if good is None else good),
        # NO_CLASS, the number after the four classes, is of words and chunks in none of them, which are not counted.
        words=np.bincount(word_classes, minlength=NO_CLASS)[:NO_CLASS],
        chunks=np.bincount(chunk_classes, minlength=NO_CLASS)[:NO_CLASS],
        altered=int(np.count_nonzero(word_classes == NO_CLASS)),
        tag_errors=count_tags(comparison),
    )
    if words.reference.text is not None:
        types = tabulate_types(words, word_classes)
        wrong = np.flatnonzero((chunk_classes > CORRECT) & (chunk_classes < NO_CLASS))
        # Words of a recording are labels, which differ between the sides, while text has the same units on both.
        tabulate = tabulate_label_errors if words.reference.unit == "time" else tabulate_errors
        # `rows` has for each wrong chunk the row of its error in the table `errors`.
        errors, rows = tabulate(words, wrong)
        # Only the first places of each error become examples: other wrong chunks need no place.
        kept = first_of_each(rows, examples)
        places = find_places(words, wrong[kept], rows[kept], context)
        if good is not None:
            # Where utterance 1 of a piece is left out, utterance 1 of the comparison is utterance 2 of the piece.
            places = replace(places, utterances=np.flatnonzero(good)[places.utterances])
        analysis.tables = Tables(types, errors, places)
    return analysis


def _shown(option: object) -> str:
    """Return a text that is the same for equal options, also for nan."""
    if isinstance(option, Vocabulary):
        return option.digest()
    return repr(option)
