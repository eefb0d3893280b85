"""Form: the kind of value that stands for an utterance, and how messages, stored tallies and signatures name that kind.

A form is recognised from the type of a column, to which `inputs` reads Python values and rows of tables; lines of a file are
strings. A format of files with several lines per utterance is a form too (`Format.form`), and `formats.registry.FORMS` has all
forms that stored tallies name. Utterances of one side have one form, and as a rule both sides have the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from ..kernel.arrays import check_counts
from .inputs import ANALYSES, BLANKS, LABELS, RECORDINGS, TEXT, WORDS, Column, read_column


@dataclass(frozen=True)
class Form:
    """A form of utterances."""

    noun: str  #: the utterances, in messages
    name: str | None = None  #: in stored tallies and batches; None for values that fit other forms
    signed: str = ""  #: in signatures; empty where they have the text format or the label scheme

    @staticmethod
    def of(values: bytes | pa.Array | Column) -> Form:
        """Return the form of decoded utterances: of lines of a file, or of a column that `read_column` made.

        >>> Form.of(read_column(["the dog"], "references")).noun
        'strings'
        """
        if isinstance(values, bytes):
            return STRINGS
        return _OF_TYPES[values.type]

    def common(self, other: Form) -> Form | None:
        """Return the form of utterances of two forms, of which empty lists may be words or labels; None if there is none.

        >>> EMPTY_LISTS.common(WORD_LISTS) == WORD_LISTS, STRINGS.common(WORD_LISTS)
        (True, None)
        """
        if other in (self, NOTHING):
            return self
        if self == NOTHING:
            return other
        # Empty lists may be of words, of labels or of analyses, and are no strings.
        if self == EMPTY_LISTS and other != STRINGS:
            return other
        if other == EMPTY_LISTS and self != STRINGS:
            return self
        return None


STRINGS = Form("strings", "text")
WORD_LISTS = Form("lists of strings", "words", signed="lists")
LABEL_LISTS = Form("lists of integers", "labels")
#: Lists of the analyses of words, or of pairs of a word and its tag.
NESTED_LISTS = Form("lists of lists of strings", "analyses", signed="lists")
RECORDED = Form("recordings", "times")
EMPTY_LISTS = Form("empty lists")
NOTHING = Form("nothing")
#: Strings before which a tokenizer read a space.
SPACED = Form("strings", "spaced")

_OF_TYPES = {
    TEXT: STRINGS,
    WORDS: WORD_LISTS,
    LABELS: LABEL_LISTS,
    ANALYSES: NESTED_LISTS,
    RECORDINGS: RECORDED,
    BLANKS: EMPTY_LISTS,
    pa.null(): NOTHING,
}
#: The forms of values that have names, by these.
FORMS_OF_VALUES = {form.name: form for form in (STRINGS, WORD_LISTS, LABEL_LISTS, NESTED_LISTS, RECORDED, SPACED)}


def read_pair(references: Any, predictions: Any) -> tuple[Column, Column]:
    """Read both sides, and check that they pair."""
    left = read_column(references, "references")
    right = read_column(predictions, "predictions")
    check_counts(len(left), len(right))
    left_form = Form.of(left)
    right_form = Form.of(right)
    # The words of one side may have analyses, and those of the other side none.
    has_analyses = NESTED_LISTS in (left_form, right_form)
    if left_form.common(right_form) is None and not has_analyses:
        received = f"the references are {left_form.noun} and the predictions {right_form.noun}"
        raise TypeError(f"mixed forms: {received}; expected the same form on both sides.")
    return fill_blanks(left, right), fill_blanks(right, left)


def fill_blanks(column: Column, other: Column) -> Column:
    """Return a column whose lists are all empty with the type of another side, if that is words or labels."""
    if column.type == BLANKS and other.type in (WORDS, LABELS):
        return column.cast(other.type)
    return column
