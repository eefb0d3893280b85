"""Tables of an error analysis: the word types by class, the errors with their counts, and the places of errors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ..kernel.arrays import Bytes, Positions, binary_slices, int64_array, large_lists, last_of, numbers_of
from ..kernel.comparison import NO_CLASS, Comparison
from ..kernel.record import record
from ..kernel.segmentation import Segmentation

#: The names of the classes of a reference word, which are those of its chunk (`Comparison.chunk_classes`), from 0.
CLASSES = ("correct", "over", "under", "mis")

# Marks in the text of a chunk for boundaries of one side only; no byte of a mark occurs in UTF-8.
REFERENCE_MARK = b"\xff"
PREDICTION_MARK = b"\xfe"
#: The mark between the labels of the two sides in a key of a recording.
SIDE_MARK = b"\xfd"


@record
class KeyCounts:
    """Distinct keys, each with one row of counts."""

    keys: pa.LargeBinaryArray  #: large_binary
    counts: npt.NDArray[np.int64]  #: int64, shape (n_keys, n_columns)


@record
class Places:
    """Places of errors, grouped by error and in the order of the text."""

    errors: Positions  #: int64, the row of the error in its table, non-decreasing
    utterances: Positions  #: int64, the index of the utterance
    words: Positions  #: int64, the index of the error's first reference word in the utterance
    before: pa.LargeBinaryArray  #: large_binary, the reference words before the error, each followed by REFERENCE_MARK
    after: pa.LargeBinaryArray  #: large_binary, the reference words after the error, each followed by REFERENCE_MARK

    def take(self, indexes: Positions) -> Places:
        """Return the places at the indexes."""
        rows = int64_array(indexes)
        return Places(
            errors=self.errors[indexes],
            utterances=self.utterances[indexes],
            words=self.words[indexes],
            before=self.before.take(rows),
            after=self.after.take(rows),
        )


@record
class Tables:
    """The word types by class, the errors by count, and places of errors; all empty for labels."""

    types: KeyCounts
    errors: KeyCounts
    places: Places


def no_tables() -> Tables:
    """Return the tables of a corpus without errors."""
    keys = pa.nulls(0, pa.large_binary())
    indexes = np.zeros(0, np.int64)
    return Tables(
        types=KeyCounts(keys, np.zeros((0, len(CLASSES)), np.int64)),
        errors=KeyCounts(keys, np.zeros((0, 1), np.int64)),
        places=Places(errors=indexes, utterances=indexes, words=indexes, before=keys, after=keys),
    )


def tabulate_types(comparison: Comparison, word_classes: Positions) -> KeyCounts:
    """Count the occurrences of each distinct reference word in each class.

    `word_classes` has the class of each word in the text: an index of CLASSES, or NO_CLASS.
    """
    encoded = comparison.reference.words().dictionary_encode()
    type_count = len(encoded.dictionary)
    # A matrix of counts has a row for each distinct word, and 5 columns: NO_CLASS = 4 is the last. Its cells are numbered row by
    # row, so that word 2 with class 1 is in the cell 2 · 5 + 1 = 11.
    column_count = NO_CLASS + 1
    cells = numbers_of(encoded.indices).astype(np.int64) * column_count + word_classes
    every_count = np.bincount(cells, minlength=type_count * column_count).reshape(type_count, column_count)
    counts = every_count[:, :NO_CLASS]
    # A word that never has a class has no row.
    rows = np.flatnonzero(counts.any(axis=1))
    return KeyCounts(encoded.dictionary.take(int64_array(rows)), counts[rows])


def tabulate_errors(comparison: Comparison, wrong: Positions) -> tuple[KeyCounts, Positions]:
    """Count the distinct errors in the wrong chunks; return the counts, and for each wrong chunk the row of its error in these.

    `wrong` are numbers of chunks. An error's key is its text with a mark at every boundary that is not shared, one mark for each
    side.
    """
    reference = comparison.reference
    prediction = comparison.prediction
    assert reference.text is not None
    # Boundaries of one side alone; the shared ones divide the text into chunks.
    reference_cuts = np.delete(reference.word_ends, comparison.shared_reference)
    prediction_cuts = np.delete(prediction.word_ends, comparison.shared_prediction)
    marks = REFERENCE_MARK * len(reference_cuts) + PREDICTION_MARK * len(prediction_cuts)
    marked = np.insert(
        reference.text, np.concatenate((reference_cuts, prediction_cuts)), np.frombuffer(marks, np.uint8)
    )
    # Before the last words of chunk i, i words of each side end at a shared boundary, and all other words end at a mark.
    # Example: `the | dog` and `thedog` are the chunk 0. Its last words are the words 1 and 0, so that there are
    # 1 + 0 - 2 · 0 = 1 marks: the one after `the`.
    chunks = np.arange(len(comparison.shared_reference))
    marks_before = comparison.shared_reference + comparison.shared_prediction - 2 * chunks
    chunk_ends = reference.word_ends[comparison.shared_reference] + marks_before
    return _count_keys(binary_slices(marked, chunk_ends).take(int64_array(wrong)))


def tabulate_label_errors(comparison: Comparison, wrong: Positions) -> tuple[KeyCounts, Positions]:
    """Count errors as `tabulate_errors` does, for recordings: a key has the labels of each side, with the side's mark between."""
    reference = _joined_labels(comparison.reference, comparison.shared_reference, REFERENCE_MARK)
    prediction = _joined_labels(comparison.prediction, comparison.shared_prediction, PREDICTION_MARK)
    rows = int64_array(wrong)
    side_mark = pa.scalar(SIDE_MARK, pa.large_binary())
    # The last argument stands between the others.
    return _count_keys(pc.binary_join_element_wise(reference.take(rows), prediction.take(rows), side_mark))


def _joined_labels(side: Segmentation, shared: Positions, mark: bytes) -> pa.LargeBinaryArray:
    """Return the labels of each chunk of a side, joined by a mark; the labels are empty where the side has none.

    `shared` are the numbers of the words of the side that end at shared boundaries.
    """
    words = side.words() if side.text is not None else pa.array([b""] * len(side.word_ends), pa.large_binary())
    # Shared boundaries after the words 0 and 2: the chunks are the words 0:1 and 1:3.
    chunks = large_lists(np.concatenate(([0], shared + 1)), words, pa.large_list(pa.large_binary()))
    return pc.binary_join(chunks, pa.scalar(mark, pa.large_binary()))


def _count_keys(keys: pa.LargeBinaryArray) -> tuple[KeyCounts, Positions]:
    """Count the distinct keys; return the counts and the row of each key."""
    # Each key is a table of one row, with the count 1.
    return _merge_tables([KeyCounts(keys, np.ones((len(keys), 1), np.int64))])


def find_places(comparison: Comparison, chunks: Positions, rows: Positions, context: int) -> Places:
    """Find the places of chunks, with up to `context` reference words before and after.

    `chunks` are numbers of chunks, and `rows` the rows of their errors in the table of errors.
    """
    reference = comparison.reference
    assert reference.text is not None
    word_count = len(reference.word_ends)
    context = min(context, word_count)  # a greater number, as of an option, may be too large for an array
    # Each shared boundary ends a chunk. If two utterances have 2 and 1 shared boundaries, chunk 2 is in utterance 1.
    utterances = np.searchsorted(np.cumsum(comparison.utterance_shared), chunks, side="right")
    # Starts and stops are numbers of words from the beginning of the comparison. A stop is the word after the last one.
    utterance_stops = np.cumsum(comparison.utterance_reference)[utterances]
    utterance_starts = utterance_stops - comparison.utterance_reference[utterances]
    # Chunks end after the words 0 and 2, so the words of the second one begin at 1 and stop at 3.
    chunk_stops = comparison.shared_reference[chunks] + 1
    chunk_starts = np.concatenate(([0], comparison.shared_reference + 1))[chunks]
    # The context ends at the ends of the utterance.
    before_starts = np.maximum(utterance_starts, chunk_starts - context)
    after_stops = np.minimum(utterance_stops, chunk_stops + context)
    # `the dog` with a mark of one byte after each word: the words begin at the bytes 0 and 4, and the last one ends at 8.
    marked = np.insert(reference.text, reference.word_ends, np.frombuffer(REFERENCE_MARK, np.uint8))
    byte_of_word = np.concatenate(([0], reference.word_ends + np.arange(1, word_count + 1)))
    return Places(
        errors=rows,
        utterances=utterances,
        words=chunk_starts - utterance_starts,
        before=_slices(marked, byte_of_word[before_starts], byte_of_word[chunk_starts]),
        after=_slices(marked, byte_of_word[chunk_stops], byte_of_word[after_stops]),
    )


def merge(parts: Sequence[Tables], examples: int) -> Tables:
    """Merge the tables of consecutive parts of a corpus; each error keeps its first places, as many as `examples`."""
    types, _rows = _merge_tables([tables.types for tables in parts])
    errors, rows = _merge_tables([tables.errors for tables in parts])
    # `rows` has the new row of each old row, table by table. Of tables of 3 and 2 errors, the old rows 3 and 4 are the errors of
    # the second one, which are its rows 0 and 1.
    rows_of_places = []
    rows_before = 0
    for tables in parts:
        rows_of_places.append(rows[tables.places.errors + rows_before])
        rows_before += len(tables.errors.keys)
    places_of_parts = [tables.places for tables in parts]
    places = Places(
        errors=np.concatenate(rows_of_places),
        utterances=np.concatenate([part.utterances for part in places_of_parts]),
        words=np.concatenate([part.words for part in places_of_parts]),
        before=pa.concat_arrays([part.before for part in places_of_parts]),
        after=pa.concat_arrays([part.after for part in places_of_parts]),
    )
    return Tables(types, errors, places.take(first_of_each(places.errors, examples)))


def _merge_tables(tables: Sequence[KeyCounts]) -> tuple[KeyCounts, Positions]:
    """Merge tables into one with the sums of all counts; return it, and the new row of every old row, table by table.

    Tables with the keys `a b` and `b c` become one with `a b c`, and the old rows have the new rows 0 1 1 2.
    """
    encoded = pa.concat_arrays([table.keys for table in tables]).dictionary_encode()
    rows = numbers_of(encoded.indices).astype(np.int64)
    counts = np.concatenate([table.counts for table in tables])
    return KeyCounts(encoded.dictionary, sum_rows(rows, counts, len(encoded.dictionary))), rows


def sum_rows(groups: Positions, counts: npt.NDArray[np.int64], size: int) -> npt.NDArray[np.int64]:
    """Add up the rows of each group; `groups` has the group of each row, one of `size`.

    Sums are exact, because counts of words stay below 2^53.

    >>> sum_rows(np.array([0, 1, 0]), np.array([[1, 2], [3, 4], [5, 6]]), 2).tolist()
    [[6, 8], [3, 4]]
    """
    sums = [np.bincount(groups, weights=column, minlength=size) for column in counts.T]
    return np.stack(sums, axis=1).astype(np.int64)


def first_of_each(groups: Positions, count: int) -> Positions:
    """Return the indexes of the first `count` members of each group, group by group, in order within each."""
    # The groups 1 0 1 1 in order are 0 1 1 1, where the groups begin at 0 and 1. The rank of a member is its place in its group:
    # 0 0 1 2.
    order = np.argsort(groups, kind="stable")
    in_order = groups[order]
    # A group begins where the number differs from the one before. No group has the number -1, so that one begins at 0.
    begins = np.flatnonzero(np.diff(in_order, prepend=-1))
    sizes = np.diff(begins, append=len(groups))
    ranks = np.arange(len(groups)) - np.repeat(begins, sizes)
    return order[ranks < count]


def by_count(keys: pa.LargeBinaryArray, counts: npt.NDArray[np.int64]) -> Positions:
    """Return the rows of keys, the highest counts first; rows with equal counts in the order of the bytes of their keys."""
    by_key = numbers_of(pc.array_sort_indices(keys)).astype(np.int64)
    return by_key[np.argsort(-counts[by_key], kind="stable")]


def kinds_of(keys: pa.LargeBinaryArray) -> npt.NDArray[np.int64]:
    """Return the class of each error, as an index of CLASSES, from the marks in its key, which stand between words of a side."""
    has_reference_mark = numbers_of(pc.count_substring(keys, REFERENCE_MARK)) > 0
    has_prediction_mark = numbers_of(pc.count_substring(keys, PREDICTION_MARK)) > 0
    # Several predicted words are class 1 (over), several reference words 2 (under), several on both sides 3 (mis).
    classes = 2 * has_reference_mark.astype(np.int64) + has_prediction_mark
    # A displaced word of a recording has one label on each side, and no mark: it is in the class of several on both sides.
    return np.where(classes == 0, CLASSES.index("mis"), classes)


def _slices(text: Bytes, starts: Positions, stops: Positions) -> pa.LargeBinaryArray:
    """Return slices of a text, which may overlap."""
    # The slices 0:2 and 1:4 have the bytes 0 1 and 1 2 3. The copy has them at 0:2 and 2:5. A byte of the copy comes from its
    # place plus the shift of its slice, 0 and -1: the bytes 2 3 4 of the copy come from 1 2 3.
    lengths = stops - starts
    copied_ends = np.cumsum(lengths)
    shifts = starts - (copied_ends - lengths)
    places = np.arange(last_of(copied_ends)) + np.repeat(shifts, lengths)
    return binary_slices(text[places], copied_ends)


def split_marked(marked: bytes, mark: bytes, unit: str | None) -> tuple[str, ...]:
    """Split text with a mark after each word: `the`, mark, `dog`, mark is ("the", "dog")."""
    # Nothing is after the last mark.
    return tuple(decode(word, unit) for word in marked.split(mark)[:-1])


def decode(word: bytes, unit: str | None) -> str:
    """Decode a word; if its units are tokens, drop the space after the last one."""
    text = word.decode()
    return text[:-1] if unit == "token" else text
