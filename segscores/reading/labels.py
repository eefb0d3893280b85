"""Labels, one per unit: what the labels of each scheme mean, their reader, and the positions that they mark as ignored."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..kernel.arrays import (
    Mask,
    Positions,
    first_true,
    int64_array,
    large_lists,
    lengths_of,
    numbers_of,
    offsets_of,
    places_in,
    start_of,
    sum_by_utterance,
    text_array,
)
from ..kernel.segmentation import Segmentation
from ..options.errors import UtteranceError
from ..options.messages import Message
from ..options.table import OPTIONS
from .inputs import LABELS, Column

#: The bits for what a label marks: the start of a word, and its end. A label of a word of one unit has both bits.
STARTS = 1
ENDS = 2

#: The label of positions that are not units, as models have it, where no option says another one.
PADDING = -100

#: The meaning of the tags or integers of each label scheme. `O` is a word of one unit, like `S` (Zhang, Kikui & Sumita, 2006).
LABEL_MARKS: dict[str, dict[int | str, int]] = {
    "start": {0: 0, 1: STARTS},
    "end": {0: 0, 1: ENDS},
    "BI": {"B": STARTS, "I": 0},
    "BIO": {"B": STARTS, "I": 0, "O": STARTS | ENDS},
    "IOE": {"I": 0, "O": STARTS | ENDS, "E": ENDS},
    "BMES": {"B": STARTS, "M": 0, "E": ENDS, "S": STARTS | ENDS},
    "BIES": {"B": STARTS, "I": 0, "E": ENDS, "S": STARTS | ENDS},
    "BIOES": {"B": STARTS, "I": 0, "O": STARTS | ENDS, "E": ENDS, "S": STARTS | ENDS},
    "BILOU": {"B": STARTS, "I": 0, "L": ENDS, "O": STARTS | ENDS, "U": STARTS | ENDS},
}

#: The tags or integers of each label scheme.
LABEL_SCHEMES: dict[str, tuple[int | str, ...]] = {scheme: tuple(marks) for scheme, marks in LABEL_MARKS.items()}


def from_labels(utterances: pa.LargeListArray, scheme: str) -> Segmentation:
    """Read labels, one per unit.

    The two ends of an utterance are word edges, whatever its labels are. Within it, a word begins and ends where LABEL_MARKS
    says. Tags may be in lower case, and have a type (`B-NOUN`). This is the whole rule, and it applies to inconsistent sequences
    too: `B S` is two words, `B M M` at the end of an utterance is one, and an initial `I`, `M` or `E` begins the first word.

    >>> from_labels(pa.array([[1, 0, 1], [0, 1]], pa.large_list(pa.int64())), "start").word_ends
    array([2, 3, 4, 5])
    """
    values, utterance_ends = flat_labels(utterances)
    return from_marks(_marks_of_labels(values, scheme, utterance_ends), utterance_ends)


def flat_labels(utterances: pa.LargeListArray) -> tuple[pa.Array, Positions]:
    """Return the labels of all utterances, and the number of labels before the end of each utterance."""
    # Utterances of 2 and 1 labels, after 4 labels that a slice leaves out: the offsets 4 6 7, and the ends 2 3.
    offsets = offsets_of(utterances)
    return utterances.values.slice(offsets[0], offsets[-1] - offsets[0]), offsets[1:] - offsets[0]


def from_marks(marks: npt.NDArray[np.uint8], utterance_ends: Positions) -> Segmentation:
    """Return the segmentation of units without text whose labels have these marks."""
    return Segmentation(
        text=None,
        word_ends=word_ends(marks, utterance_ends),
        utterance_ends=utterance_ends,
        utterance_units=lengths_of(utterance_ends),
        unit="label",
    )


def word_ends(marks: npt.NDArray[np.uint8], utterance_ends: Positions) -> Positions:
    """Return the number of units before the end of each word, by the marks of the units: STARTS, ENDS, both or neither."""
    # The units `S B E` start words before the units 0 and 1, and end words after the units 0 and 2: words end at 1 and 3.
    is_end = np.zeros(len(marks) + 1, bool)
    is_end[:-1] = (marks & STARTS) > 0
    is_end[1:] |= (marks & ENDS) > 0
    is_end[utterance_ends] = True
    is_end[0] = False  # no unit is before it
    return np.flatnonzero(is_end)


def plain_tag(tag: str) -> str:
    """Return a tag as the schemes define it: in upper case, without the type after a hyphen.

    >>> plain_tag("b-NOUN"), plain_tag("S")
    ('B', 'S')
    """
    return tag.partition("-")[0].upper()


def looks_like_tags(tags: Iterable[str]) -> str:
    """Return the label scheme that these tags belong to; an empty string if they are words.

    >>> looks_like_tags(["B-X", "I-X"]), looks_like_tags(["b", "e", "s"]), looks_like_tags(["the", "B"])
    ('BI', 'BMES', '')
    """
    plain = set(map(plain_tag, tags))
    if plain == {"0", "1"}:
        return "start"  # or "end", which only a person knows
    # A single kind of letter may be a word, and several letters without B and S too.
    if len(plain) < 2 or ("B" not in plain and "S" not in plain):
        return ""
    for scheme, marks in LABEL_MARKS.items():
        if plain <= marks.keys():
            return scheme
    return ""


def _marks_of_labels(values: pa.Array, scheme: str, utterance_ends: Positions) -> npt.NDArray[np.uint8]:
    """Return what the label of each unit marks: STARTS, ENDS, both or neither.

    An error is 'unit 1 has the label "X"; label_scheme="BI" takes B and I.'
    """
    known = LABEL_SCHEMES[scheme]
    *first_labels, last_label = known
    # The fragments at the end of each message: the option, and the labels that it takes.
    takes = OPTIONS["label_scheme"].set(scheme), f" takes {', '.join(map(str, first_labels))} and {last_label}."
    if not len(values):
        return np.zeros(0, np.uint8)
    takes_integers = isinstance(last_label, int)
    are_integers = pa.types.is_integer(values.type)
    # The code of a label is its index in `known`; of another label it is no index, such as -1.
    codes: npt.NDArray[np.signedinteger[Any]]
    if are_integers:
        codes = numbers_of(values)  # 0 and 1 are their own indices
    else:
        codes = _codes_of_tags(values, [*map(str, known)])
    # Integers may be text, such as "0" and "1". If no text is one of them, all are tags.
    are_digits = takes_integers and bool((codes >= 0).any())
    if are_integers != takes_integers and not are_digits:
        received = f"the labels are {'integers' if are_integers else 'tags'}, as {values[0].as_py()!r}; "
        # Utterances of 0 and 3 units end at 0 and 3: the first with labels is the first that ends beyond 0.
        first_with_labels = int(np.searchsorted(utterance_ends, 0, side="right"))
        raise UtteranceError(first_with_labels, Message(received, *takes))
    bad_label = first_true((codes < 0) | (codes >= len(known)))
    if bad_label >= 0:
        # Utterances of 3 and 2 units end at 3 and 5: the unit 4 of all is the unit 1 of the utterance 1.
        utterance = int(np.searchsorted(utterance_ends, bad_label, side="right"))
        unit = bad_label - start_of(utterance_ends, utterance)
        problem = Message(f"unit {unit} has the label {values[bad_label].as_py()!r}; ", *takes)
        raise UtteranceError(utterance, problem)
    marks_of_codes = np.array([*LABEL_MARKS[scheme].values()], np.uint8)
    marks: npt.NDArray[np.uint8] = marks_of_codes[codes]
    return marks


def _codes_of_tags(values: pa.Array, known: Sequence[str]) -> npt.NDArray[np.int32]:
    """Return the index of each tag among the known ones, -1 for others; case and types are ignored."""
    codes = places_in(values, text_array(known, values.type))
    are_written_as_known = bool((codes >= 0).all())
    if are_written_as_known:
        return codes
    # Some are in small letters, or have a type, as b and B-NOUN.
    index_of = {tag: index for index, tag in enumerate(known)}
    encoded = values.dictionary_encode()
    codes_of_distinct = [index_of.get(plain_tag(tag), -1) for tag in encoded.dictionary.to_pylist()]
    return np.array(codes_of_distinct, np.int32).take(numbers_of(encoded.indices))


def drop_ignored(columns: Sequence[Column], ignore_index: int, *, may_differ: bool = False) -> list[Column]:
    """Drop from columns of labels the positions at which the first column has `ignore_index`; other columns stay as they are.

    If utterances may have different numbers of labels, these become blank in the first column and get one label in the others,
    so that they still differ.

    >>> from segscores.reading.form import read_pair
    >>> columns = read_pair([[1, 0, -100], [-100]], [[1, 1, 0], [0]])
    >>> [column.to_pylist() for column in drop_ignored(columns, -100)]
    [[[1, 0], []], [[1, 1], []]]
    """
    if any(column.type != LABELS for column in columns):
        return list(columns)
    sides = [_LabelLists.of(column) for column in columns]
    reference, *others = sides
    differs = np.any([side.lengths != reference.lengths for side in sides], axis=0)
    if differs.any() and not may_differ:
        raise _unequal_labels(first_true(differs), sides, ignore_index)
    if differs.any():
        # Without the labels of these utterances, all sides have equally many, and one mask is for all of them.
        reference = reference.made_blank(differs)
        others = [side.made_blank(differs) for side in others]
    is_kept = reference.labels != ignore_index
    kept_lengths = sum_by_utterance(is_kept, reference.lengths)
    dropped = [_LabelLists(kept_lengths, reference.labels[is_kept]).column()]
    # Three utterances keep 2, 0 and 1 labels: the second differs, and ends at 2. On the other sides one label is inserted
    # before the label 2, so that the utterances have 2, 1 and 1.
    ends_of_differing = np.cumsum(kept_lengths)[differs]
    any_label = 1
    for side in others:
        labels = np.insert(side.labels[is_kept], ends_of_differing, any_label)
        dropped.append(_LabelLists(kept_lengths + differs, labels).column())
    return dropped


def _unequal_labels(utterance: int, sides: Sequence[_LabelLists], ignore_index: int) -> UtteranceError:
    """Return the error of an utterance of which a side, the first to differ, has another number of labels than the reference."""
    reference_length, *other_lengths = [int(side.lengths[utterance]) for side in sides]
    differing_length = next(length for length in other_lengths if length != reference_length)
    problem = Message(
        f"the reference has {reference_length} labels and the prediction {differing_length}: ",
        "expected one label per position on both sides, where ",
        OPTIONS["ignore_index"].set(ignore_index),
        " drops positions.",
    )
    return UtteranceError(utterance, problem)


class _LabelLists(NamedTuple):
    """The labels of a column of lists, and the length of each list."""

    lengths: Positions
    labels: Positions

    @classmethod
    def of(cls, column: Column) -> _LabelLists:
        """Return the lists of a column."""
        none = np.zeros(0, np.int64)  # makes the type certain if the column has no chunk
        lengths = [np.diff(offsets_of(chunk)) for chunk in column.chunks]
        labels = [numbers_of(chunk.flatten()) for chunk in column.chunks]
        return cls(np.concatenate([none, *lengths]), np.concatenate([none, *labels]))

    def made_blank(self, is_blank: Mask) -> _LabelLists:
        """Return the lists, of which those for which the mask is true are empty."""
        has_label_kept = np.repeat(~is_blank, self.lengths)
        return _LabelLists(np.where(is_blank, 0, self.lengths), self.labels[has_label_kept])

    def column(self) -> Column:
        """Return a column of the lists."""
        offsets = np.concatenate(([0], np.cumsum(self.lengths)))
        return pa.chunked_array([large_lists(offsets, int64_array(self.labels), LABELS)])
