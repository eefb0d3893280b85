"""Error analysis: the wrong reference words, their error classes, and the words predicted in their place.

Conventions
-----------
- A chunk is the text between two neighbouring shared boundaries; the two ends of an utterance are shared. Both sides
  have the same units in a chunk, and share no boundary inside it.
- A chunk of one word on both sides is correct. One reference word divided into several is over-segmented (`over`);
  several reference words joined into one are under-segmented (`under`); several words on both sides are mis-segmented
  (`mis`). Every reference word has the class of its chunk, so that the four classes add up to the reference words.
- An error is a chunk that is not correct, identified by its reference words and its predicted words: `the | dog` →
  `thedog`.
- Correct words are the matched words of the token scores. So `recall`, the share of correct words, is the token recall
  of the words of a row; for words out of the vocabulary it is the OOV recall.
- Utterances, and words within them, are counted from 0. A word is a string; in units text its units are separated by spaces.
- Rows with equal counts are in the order of their code points. In an error, a boundary that only one side has sorts
  after all characters, that of the reference after that of the prediction.

Counts add up over parts of a corpus, and tables of words and of errors merge. Labels do not say what the words are, so
that only the counts of the classes are available.

Sources
-------
The classes are those of `wordseg-eval --summary` (wordseg 0.7.1 and later, wordseg/evaluate.py; the
package: Bernard et al. 2020, Behavior Research Methods 52:264-278), with the same counts and the same order of words.
wordseg-eval differs in two ways. It uses one level of recursion per chunk, so that an utterance with more chunks than
Python's recursion limit raises an error. And it drops the blank lines of each side separately; here utterances pair by
position.
"""

from __future__ import annotations

__all__ = [
    "CLASSES",
    "ClassCounts",
    "ErrorAnalysis",
    "ErrorPattern",
    "Example",
    "analyse_comparison",
    "analyse_errors",
]

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ..kernel.comparison import Comparison, compare
from ..kernel.formulas import check_zero_division, divide
from ..kernel.json_text import as_json
from ..kernel.names import check_names
from ..kernel.quoting import described
from ..kernel.segmentation import Bytes, Positions, Segmentation
from ..measures.oov import Vocabulary
from ..reading.inputs import read_pair
from ..reading.options import Reading, TextOptions
from ..reading.parts import check_form, map_parts
from ..scoring.option_docs import options_of, with_options

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: The classes of a reference word. A class's number has bit 0 set where several words are predicted, bit 1 where several
#: reference words share the chunk.
CLASSES = ("correct", "over", "under", "mis")

# Marks in the text of a chunk for boundaries of one side only; neither byte occurs in UTF-8.
_REFERENCE_MARK, _PREDICTION_MARK = b"\xff", b"\xfe"

# Fewer waiting rows are not merged: a merge would free too little memory.
_WORTH_MERGING = 1 << 18


@dataclass(frozen=True)
class ClassCounts:
    """The counts of the classes among the reference words of one row.

    Attributes:
        name: the name of the row: a word, a length, a band of frequencies.
        words: the number of words.
        correct, over, under, mis: the number of words of each class.
        recall: correct / words.
    """

    name: str
    words: int
    correct: int
    over: int
    under: int
    mis: int
    recall: float


@dataclass(frozen=True)
class Example:
    """A place where an error occurs.

    Attributes:
        utterance: its index.
        word: the index of the error's first reference word in the utterance.
        before, after: the reference words around the error, within the utterance.
    """

    utterance: int
    word: int
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True)
class ErrorPattern:
    """An error, with its count and examples.

    Attributes:
        kind: the class, `"over"`, `"under"` or `"mis"`.
        reference, prediction: the words of the chunk on each side.
        count: the number of chunks with this error.
        examples: the first places where it occurs.
    """

    kind: str
    reference: tuple[str, ...]
    prediction: tuple[str, ...]
    count: int
    examples: tuple[Example, ...]


@dataclass(frozen=True)
class _Table:
    """Distinct keys, each with one row of counts.

    Attributes:
        keys: large_binary.
        counts: int64, shape (n_keys, n_columns).
    """

    keys: pa.LargeBinaryArray
    counts: npt.NDArray[np.int64]


@dataclass(frozen=True)
class _Places:
    """Places of errors, grouped by error and in the order of the text.

    Attributes:
        errors: int64, the row of the error in its table, non-decreasing.
        utterances, words: int64, as in `Example`.
        before, after: large_binary, as in `Example`, each word followed by a mark.
    """

    errors: Positions
    utterances: Positions
    words: Positions
    before: pa.LargeBinaryArray
    after: pa.LargeBinaryArray

    def take(self, indexes: Positions) -> _Places:
        rows = _int64_array(indexes)
        return _Places(
            errors=self.errors[indexes],
            utterances=self.utterances[indexes],
            words=self.words[indexes],
            before=self.before.take(rows),
            after=self.after.take(rows),
        )


@dataclass(frozen=True)
class _Tables:
    """The word types by class, the errors by count, and places of errors; all empty for labels."""

    types: _Table
    errors: _Table
    places: _Places


def _no_tables() -> _Tables:
    nothing, none = pa.nulls(0, pa.large_binary()), np.zeros(0, np.int64)
    return _Tables(
        types=_Table(nothing, np.zeros((0, len(CLASSES)), np.int64)),
        errors=_Table(nothing, np.zeros((0, 1), np.int64)),
        places=_Places(none, none, none, nothing, nothing),
    )


@dataclass(eq=False, repr=False)
class ErrorAnalysis:
    """The errors of a corpus or a part of it, from `analyse_errors` or `analyse_comparison`. `update` adds another
    part.

    Attributes:
        unit: the unit, as in `Segmentation`; None without utterances.
        n_examples: the greatest number of examples of an error.
        context: the greatest number of words of an example on each side.
        zero_division: the recall of a row without words.
        vocabulary: the known words, or None.
        utterances: the number of utterances.
        words, chunks: int64, shape (4,), the numbers of reference words and of chunks of each class of CLASSES.

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
    _tables: _Tables = field(default_factory=_no_tables, init=False)
    _waiting: list[_Tables] = field(default_factory=list, init=False)
    _waiting_rows: int = field(default=0, init=False)

    def __repr__(self) -> str:
        counts = ", ".join(f"{count} {name}" for name, count in zip(CLASSES, self.words.tolist(), strict=True))
        return f"<ErrorAnalysis: {self.utterances} utterances, words {counts}>"

    def update(self, other: ErrorAnalysis) -> None:
        """Add another part of the corpus; its utterances come after those of this one.

        Parts are merged once as many rows wait as are held, so that all merges together take linear time.

        Raises:
            ValueError: the parts differ in their units or in an option.
        """
        for option in ("unit", "n_examples", "context", "zero_division", "vocabulary"):
            left, right = getattr(self, option), getattr(other, option)
            if not _is_same(left, right) and not (option == "unit" and None in (left, right)):
                raise ValueError(
                    f"error analyses with different options do not add up: {option} is {_shown(left)} in one and "
                    f"{_shown(right)} in the other; expected the same for every part of a corpus."
                )
        tables = other._settled()
        places = tables.places
        moved = _Places(places.errors, places.utterances + self.utterances, places.words, places.before, places.after)
        self._waiting.append(_Tables(tables.types, tables.errors, moved))
        self._waiting_rows += len(tables.types.keys) + len(tables.errors.keys)
        self.unit = self.unit or other.unit
        self.utterances += other.utterances
        self.words = self.words + other.words
        self.chunks = self.chunks + other.chunks
        if self._waiting_rows > len(self._tables.types.keys) + len(self._tables.errors.keys) + _WORTH_MERGING:
            self._settled()

    def total(self) -> ClassCounts:
        """All reference words, as one row."""
        return self._rows(["all"], self.words[np.newaxis])[0]

    def errors(self, top: int | None = None, kind: str | None = None) -> list[ErrorPattern]:
        """The errors, the most frequent first.

        Args:
            top: the greatest number of rows; None for all.
            kind: one of `"over"`, `"under"` and `"mis"`; None for all three.

        Raises:
            ValueError: there are only labels, or a bad argument.
        """
        _check_top(top)
        self._check_words()
        if kind is not None and kind not in CLASSES[1:]:
            raise ValueError(f"kind: expected one of {', '.join(CLASSES[1:])}, received {kind!r}.")
        tables = self._settled()
        counts = tables.errors.counts[:, 0]
        kinds = _kinds_of(tables.errors.keys)
        order = _by_count(tables.errors.keys, counts)
        if kind is not None:
            order = order[kinds[order] == CLASSES.index(kind)]
        return [
            self._pattern(tables, row, CLASSES[number], count)
            for row, number, count in zip(
                order[:top].tolist(), kinds[order[:top]].tolist(), counts[order[:top]].tolist(), strict=True
            )
        ]

    def word_types(self, top: int | None = None, kind: str | None = None) -> list[ClassCounts]:
        """The distinct reference words, the most often wrong ones first.

        Args:
            top: the greatest number of rows; None for all.
            kind: one of CLASSES, for the words that occur with this class, most often first.

        Raises:
            ValueError: there are only labels, or a bad argument.
        """
        _check_top(top)
        self._check_words()
        if kind is not None and kind not in CLASSES:
            raise ValueError(f"kind: expected one of {', '.join(CLASSES)}, received {kind!r}.")
        types = self._settled().types
        counts = types.counts[:, 1:].sum(axis=1) if kind is None else types.counts[:, CLASSES.index(kind)]
        order = _by_count(types.keys, counts)
        if kind is not None:
            order = order[counts[order] > 0]
        order = order[:top]
        words = types.keys.take(_int64_array(order)).to_pylist()
        return self._rows([_decode(word, self.unit) for word in words], types.counts[order])

    def by_length(self) -> list[ClassCounts]:
        """Reference words by their length in units, one row per occurring length, the shortest first.

        Raises:
            ValueError: there are only labels.
        """
        self._check_words()
        types = self._settled().types
        if self.unit == "token":
            lengths = _values(pc.count_substring(types.keys, b" "))
        else:
            lengths = _values(pc.utf8_length(types.keys.cast(pa.large_string())))
        distinct, groups = np.unique(lengths, return_inverse=True)
        return self._rows([str(length) for length in distinct.tolist()], _sum_rows(groups, types.counts, len(distinct)))

    def by_frequency(self) -> list[ClassCounts]:
        """Reference words by the frequency of the word in the reference: once, 2-3 times, 4-7 times, and so on.

        Raises:
            ValueError: there are only labels.
        """
        self._check_words()
        types = self._settled().types
        # An integer in [2^(b-1), 2^b) has the binary exponent b.
        exponents = np.frexp(types.counts.sum(axis=1).astype(np.float64))[1]
        distinct, groups = np.unique(exponents, return_inverse=True)
        names = ["1" if band == 1 else f"{1 << (band - 1)}-{(1 << band) - 1}" for band in distinct.tolist()]
        return self._rows(names, _sum_rows(groups, types.counts, len(distinct)))

    def by_vocabulary(self) -> list[ClassCounts]:
        """Reference words in the vocabulary and out of it, two rows, `"in"` and `"out"`; their recalls are the SIGHAN
        bakeoff's R_iv and R_oov.

        Raises:
            ValueError: there are only labels, or no vocabulary was given.
        """
        self._check_words()
        if self.vocabulary is None:
            raise ValueError("no vocabulary was given: pass vocabulary=, the known words.")
        types = self._settled().types
        known = pc.is_in(types.keys, value_set=self.vocabulary.words(self.unit or "character"))
        # As integers: Arrow cannot export booleans without a copy.
        groups = 1 - _values(known.cast(pa.int64()))
        return self._rows(["in", "out"], _sum_rows(groups, types.counts, 2))

    def to_dict(self, top: int | None = 20) -> dict[str, Any]:
        """The analysis as a dict of plain values, for JSON.

        Args:
            top: the greatest number of errors and of word types; None for all.

        Returns:
            `utterances`; `words` and `chunks`, count by class; `errors`, `word_types`, `by_length` and `by_frequency`,
            lists of `ErrorPattern` and `ClassCounts` as dicts, None for labels; `by_vocabulary`, also None without a
            vocabulary; `undefined`, the recalls of no words at all, such as `"by_vocabulary.out.recall"`.
        """
        _check_top(top)
        has_words = self.unit != "label"
        errors = [
            asdict(error)
            | {"reference": list(error.reference), "prediction": list(error.prediction)}
            | {
                "examples": [
                    asdict(example) | {"before": list(example.before), "after": list(example.after)}
                    for example in error.examples
                ]
            }
            for error in (self.errors(top) if has_words else ())
        ]
        by_vocabulary = self.by_vocabulary() if has_words and self.vocabulary is not None else None
        return {
            "utterances": self.utterances,
            "words": dict(zip(CLASSES, self.words.tolist(), strict=True)),
            "chunks": dict(zip(CLASSES, self.chunks.tolist(), strict=True)),
            "errors": errors if has_words else None,
            "word_types": _as_dicts(self.word_types(top)) if has_words else None,
            "by_length": _as_dicts(self.by_length()) if has_words else None,
            "by_frequency": _as_dicts(self.by_frequency()) if has_words else None,
            "by_vocabulary": None if by_vocabulary is None else _as_dicts(by_vocabulary),
            # The other tables have a row only for words that there are.
            "undefined": [f"by_vocabulary.{row.name}.recall" for row in by_vocabulary or () if not row.words],
        }

    def to_json(self, top: int | None = 20) -> str:
        """`to_dict` as JSON, with null for nan.

        Args:
            top: as in `to_dict`.
        """
        return as_json(self.to_dict(top))

    def _settled(self) -> _Tables:
        """The tables, after merging all waiting rows."""
        if self._waiting:
            self._tables = _merge([self._tables, *self._waiting], self.n_examples)
            self._waiting, self._waiting_rows = [], 0
        return self._tables

    def _check_words(self) -> None:
        if self.unit == "label":
            raise ValueError(
                "labels alone do not say what the words are, so that only the counts of the classes are known: pass "
                "the words "
                "themselves."
            )

    def _rows(self, names: Sequence[str], counts: npt.NDArray[np.int64]) -> list[ClassCounts]:
        words = counts.sum(axis=1)
        recalls = np.atleast_1d(divide(counts[:, 0], words, self.zero_division))
        return [
            ClassCounts(name, total, correct, over, under, mis, recall)
            for name, total, (correct, over, under, mis), recall in zip(
                names, words.tolist(), counts.tolist(), recalls.tolist(), strict=True
            )
        ]

    def _pattern(self, tables: _Tables, row: int, kind: str, count: int) -> ErrorPattern:
        key: bytes = tables.errors.keys[row].as_py()
        places = tables.places
        start, stop = np.searchsorted(places.errors, [row, row + 1]).tolist()
        return ErrorPattern(
            kind=kind,
            reference=_split(key.replace(_PREDICTION_MARK, b"") + _REFERENCE_MARK, _REFERENCE_MARK, self.unit),
            prediction=_split(key.replace(_REFERENCE_MARK, b"") + _PREDICTION_MARK, _PREDICTION_MARK, self.unit),
            count=count,
            examples=tuple(
                Example(
                    utterance=int(places.utterances[index]),
                    word=int(places.words[index]),
                    before=_split(places.before[index].as_py(), _REFERENCE_MARK, self.unit),
                    after=_split(places.after[index].as_py(), _REFERENCE_MARK, self.unit),
                )
                for index in range(start, stop)
            ),
        )


@with_options
def analyse_errors(
    references: Any,
    predictions: Any,
    *,
    examples: int = 3,
    context: int = 3,
    vocabulary: Iterable[Any] | None = None,
    zero_division: float = 0.0,
    **options: Unpack[TextOptions],
) -> ErrorAnalysis:
    """Analyse the errors of predictions.

    Args:
        references, predictions: utterances, in any form that `inputs` lists.
        examples: the greatest number of examples to keep for each error.
        context: the greatest number of words of an example to keep on each side.
        vocabulary: the words of a training set, in the forms that `oov.Vocabulary` takes.
        zero_division: the value of 0/0, in [0, 1] or nan.
        **options: those of `ReadingOptions`.

    Raises:
        TypeError: an input has no known form, or an option has the wrong type.
        ValueError: the sides differ in number or in units, there is no utterance, or a bad option. The message has
            the utterance's index.

    >>> analysis = analyse_errors(["the dog"] * 2, ["thedog", "the dog"], text_format="words", vocabulary=["the"])
    >>> [(row.name, row.words, row.under, row.recall) for row in analysis.by_vocabulary()]
    [('in', 2, 1, 0.5), ('out', 2, 1, 0.5)]
    """
    check_names(options, options_of(analyse_errors))
    check_zero_division(zero_division)
    reading = Reading.of(**options)
    _check_count("examples", examples)
    _check_count("context", context)
    left, right = read_pair(references, predictions)
    if not len(left):
        raise ValueError("there is nothing to analyse: expected at least one utterance, received none.")
    check_form(left.type, reading)
    if vocabulary is not None and not reading.words_known:
        raise ValueError("vocabulary needs the words, which labels do not contain: pass strings or lists of words.")
    known = None
    if vocabulary is not None:
        known = Vocabulary(
            vocabulary=vocabulary, word_boundary=reading.word_boundary, ignored_tokens=reading.ignored_tokens
        )

    def analyse_part(_: slice, sides: list[Segmentation]) -> ErrorAnalysis:
        return analyse_comparison(
            compare(*sides), examples=examples, context=context, vocabulary=known, zero_division=zero_division
        )

    analyses = map_parts({"references": left, "predictions": right}, reading, analyse_part)
    total = next(analyses)
    for analysis in analyses:
        total.update(analysis)
    return total


def analyse_comparison(
    comparison: Comparison,
    *,
    examples: int = 3,
    context: int = 3,
    vocabulary: Vocabulary | None = None,
    zero_division: float = 0.0,
) -> ErrorAnalysis:
    """Analyse the errors in a comparison, in time linear in the text.

    Args:
        comparison: of a part of a corpus.
        examples, context: as in `analyse_errors`, not negative.
        vocabulary: the known words.
        zero_division: the recall of a row without words.

    The naive equivalent, for one utterance: divide both lists of words at the shared boundaries, pair the pieces, and
    classify every pair by whether each side has one word or several.
    """
    shared = comparison.shared_reference, comparison.shared_prediction
    reference_words, predicted_words = (np.diff(indexes, prepend=-1) for indexes in shared)
    classes = 2 * (reference_words > 1) + (predicted_words > 1)
    word_classes = np.repeat(classes, reference_words)
    analysis = ErrorAnalysis(
        unit=comparison.reference.unit,
        n_examples=examples,
        context=context,
        zero_division=zero_division,
        vocabulary=vocabulary,
        utterances=len(comparison.reference.utterance_ends),
        words=np.bincount(word_classes, minlength=len(CLASSES)),
        chunks=np.bincount(classes, minlength=len(CLASSES)),
    )
    if comparison.reference.text is not None:
        types = _tabulate_types(comparison, word_classes)
        wrong = np.flatnonzero(classes)
        errors, rows = _tabulate_errors(comparison, wrong)
        kept = _first_of_each(rows, examples)
        analysis._tables = _Tables(types, errors, _find_places(comparison, wrong[kept], rows[kept], context))
    return analysis


def _tabulate_types(comparison: Comparison, word_classes: Positions) -> _Table:
    """The distinct reference words, with the number of occurrences in each class."""
    encoded = comparison.reference.words().dictionary_encode()
    size = len(encoded.dictionary)
    codes = _values(encoded.indices).astype(np.int64) * len(CLASSES) + word_classes
    counts = np.bincount(codes, minlength=size * len(CLASSES))
    return _Table(encoded.dictionary, counts.reshape(size, len(CLASSES)))


def _tabulate_errors(comparison: Comparison, wrong: Positions) -> tuple[_Table, Positions]:
    """The distinct errors with their counts, and the row of each error.

    An error's key is its text with a mark at every boundary that is not shared, one mark for each side.

    Args:
        wrong: the numbers of the chunks that are errors.
    """
    reference, prediction = comparison.reference, comparison.prediction
    assert reference.text is not None
    reference_cuts = np.delete(reference.word_ends, comparison.shared_reference)
    prediction_cuts = np.delete(prediction.word_ends, comparison.shared_prediction)
    marks = _REFERENCE_MARK * len(reference_cuts) + _PREDICTION_MARK * len(prediction_cuts)
    marked = np.insert(
        reference.text, np.concatenate((reference_cuts, prediction_cuts)), np.frombuffer(marks, np.uint8)
    )
    chunks = np.arange(len(comparison.shared_reference))
    # The number of marks before a shared boundary: words of either side that end before it, except at shared
    # boundaries.
    before = comparison.shared_reference + comparison.shared_prediction - 2 * chunks
    ends = reference.word_ends[comparison.shared_reference] + before
    encoded = _binary(ends, marked).take(_int64_array(wrong)).dictionary_encode()
    rows = _values(encoded.indices).astype(np.int64)
    return _Table(encoded.dictionary, np.bincount(rows, minlength=len(encoded.dictionary))[:, np.newaxis]), rows


def _find_places(comparison: Comparison, chunks: Positions, rows: Positions, context: int) -> _Places:
    """The places of chunks, and the reference words around them.

    Args:
        chunks: their numbers.
        rows: the row of each chunk's error, non-decreasing.
        context: the number of words on each side.
    """
    context = min(context, len(comparison.reference.word_ends))  # a greater number may be too large for an array
    reference = comparison.reference
    assert reference.text is not None
    utterances = np.searchsorted(np.cumsum(comparison.utterance_shared), chunks, side="right")
    utterance_stops = np.cumsum(comparison.utterance_reference)[utterances]
    utterance_starts = utterance_stops - comparison.utterance_reference[utterances]
    # The first word of a chunk follows the last one of the chunk before it.
    starts = np.concatenate(([-1], comparison.shared_reference))[chunks] + 1
    stops = comparison.shared_reference[chunks] + 1
    words = np.insert(reference.text, reference.word_ends, _REFERENCE_MARK[0])
    word_starts = np.concatenate(([0], reference.word_ends + np.arange(1, len(reference.word_ends) + 1)))
    return _Places(
        errors=rows,
        utterances=utterances,
        words=starts - utterance_starts,
        before=_slices(words, word_starts[np.maximum(utterance_starts, starts - context)], word_starts[starts]),
        after=_slices(words, word_starts[stops], word_starts[np.minimum(utterance_stops, stops + context)]),
    )


def _merge(parts: Sequence[_Tables], examples: int) -> _Tables:
    """Merge the tables of consecutive parts of a corpus, which are in the order of the text."""
    types, _ = _merge_tables([part.types for part in parts])
    errors, rows = _merge_tables([part.errors for part in parts])
    offsets = np.cumsum([0, *(len(part.errors.keys) for part in parts[:-1])])
    places = _Places(
        errors=rows[
            np.concatenate([part.places.errors + offset for part, offset in zip(parts, offsets.tolist(), strict=True)])
        ],
        utterances=np.concatenate([part.places.utterances for part in parts]),
        words=np.concatenate([part.places.words for part in parts]),
        before=pa.concat_arrays([part.places.before for part in parts]),
        after=pa.concat_arrays([part.places.after for part in parts]),
    )
    return _Tables(types, errors, places.take(_first_of_each(places.errors, examples)))


def _merge_tables(tables: Sequence[_Table]) -> tuple[_Table, Positions]:
    """One table with the sums of all counts, and the new row of every old row."""
    encoded = pa.concat_arrays([table.keys for table in tables]).dictionary_encode()
    rows = _values(encoded.indices).astype(np.int64)
    counts = np.concatenate([table.counts for table in tables])
    return _Table(encoded.dictionary, _sum_rows(rows, counts, len(encoded.dictionary))), rows


def _sum_rows(groups: Positions, counts: npt.NDArray[np.int64], size: int) -> npt.NDArray[np.int64]:
    """The sum of the rows of each group; exact, as counts of words stay below 2^53."""
    sums = [np.bincount(groups.ravel(), weights=column, minlength=size) for column in counts.T]
    return np.stack(sums, axis=1).astype(np.int64)


def _first_of_each(groups: Positions, count: int) -> Positions:
    """The indexes of the first `count` members of each group, group by group, in order within each."""
    order = np.argsort(groups, kind="stable")
    in_order = groups[order]
    begins = np.flatnonzero(np.diff(in_order, prepend=-1))
    sizes = np.diff(begins, append=len(groups))
    return order[np.arange(len(groups)) - np.repeat(begins, sizes) < count]


def _by_count(keys: pa.LargeBinaryArray, counts: npt.NDArray[np.int64]) -> Positions:
    """The rows, the highest counts first; rows with equal counts in the order of their bytes."""
    by_key = _values(pc.array_sort_indices(keys)).astype(np.int64)
    return by_key[np.argsort(-counts[by_key], kind="stable")]


def _kinds_of(keys: pa.LargeBinaryArray) -> npt.NDArray[np.int64]:
    """The class of each error, from the marks in its key."""
    in_reference, in_prediction = (
        _values(pc.count_substring(keys, mark)) > 0 for mark in (_REFERENCE_MARK, _PREDICTION_MARK)
    )
    return 2 * in_reference.astype(np.int64) + in_prediction


def _slices(text: Bytes, starts: Positions, stops: Positions) -> pa.LargeBinaryArray:
    """Slices of a text; they may overlap."""
    lengths = stops - starts
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    return _binary(ends, text[np.arange(total) + np.repeat(starts - (ends - lengths), lengths)])


def _binary(ends: Positions, text: Bytes) -> pa.LargeBinaryArray:
    """Consecutive values of a text, by their ends, without copying the text."""
    buffers = [None, pa.py_buffer(np.concatenate(([0], ends))), pa.py_buffer(text)]
    return pa.LargeBinaryArray.from_buffers(pa.large_binary(), len(ends), buffers)


def _int64_array(values: Positions) -> pa.Int64Array:
    return pa.Int64Array.from_buffers(pa.int64(), len(values), [None, pa.py_buffer(np.ascontiguousarray(values))])


def _values(array: pa.Array) -> npt.NDArray[Any]:
    """The numbers of an Arrow array without nulls.

    The naive equivalent, `np.asarray(array)`, imports pandas where it is installed.
    """
    kind = np.dtype(str(array.type))
    if not len(array):
        return np.zeros(0, kind)
    return np.frombuffer(array.buffers()[1], kind)[array.offset : array.offset + len(array)]


def _split(marked: bytes, mark: bytes, unit: str | None) -> tuple[str, ...]:
    """Words from text with a mark after each."""
    return tuple(_decode(word, unit) for word in marked.split(mark)[:-1])


def _decode(word: bytes, unit: str | None) -> str:
    text = word.decode()
    return text[:-1] if unit == "token" else text


def _as_dicts(rows: Sequence[ClassCounts]) -> list[dict[str, Any]]:
    return [asdict(row) for row in rows]


def _is_same(left: object, right: object) -> bool:
    """Whether two options are equal; nan equals nan."""
    if isinstance(left, Vocabulary) and isinstance(right, Vocabulary):
        return left is right or left.digest() == right.digest()
    return left == right or (str(left) == str(right) == "nan")


def _check_count(option: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{option}: expected a whole number, received {described(value)}.")
    if value < 0:
        raise ValueError(f"{option}: expected a number from 0, received {value}.")


def _check_top(top: int | None) -> None:
    if top is not None:
        _check_count("top", top)


def _shown(option: object) -> str:
    return option.digest() if isinstance(option, Vocabulary) else repr(option)
