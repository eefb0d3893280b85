"""Parts: consecutive utterances of a column, read separately. Their errors count utterances from the first one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from ..kernel.comparison import of_wordseg
from ..kernel.segmentation import Segmentation
from ..options.table import OPTIONS
from ..support import arrow_functions as pc
from ..support.arrays import Positions, int64_array, large_lists, offsets_of, sum_by_utterance
from ..support.errors import UtteranceError, warn
from ..support.messages import Hint, Message, OptionError, OptionTypeError
from .inputs import BLANKS, LABELS, TEXT, WORDS, Column, form_name
from .options import Reading
from .readers import (
    DEFAULT_WORD_BOUNDARY,
    LABEL_SCHEMES,
    from_labels,
    from_units_text,
    from_word_lists,
    from_words_text,
    lines,
    looks_like_tags,
    plain_tag,
)

# The number of utterances in which the form is looked for first; it is enough for most corpora.
_FIRST_LOOK = 64
_LONGEST_TAG, _MOST_TAGS = 40, 200
_TAGS = {str(label) for labels in LABEL_SCHEMES.values() for label in labels}
# Several units in an utterance, and the tokens of wordseg.
_SIGNS = _SEVERAL, _EWORD, _ESYLL = r"\S\s+\S", ";eword", ";esyll"

Reader: TypeAlias = Callable[[pa.Array], Segmentation]


def check_form(form: pa.DataType, reading: Reading) -> None:
    """Check that the form of the input fits the options."""
    scheme = reading.label_scheme
    if form in (BLANKS, pa.null()):
        return
    if scheme is not None and form == TEXT:
        raise OptionTypeError(
            OPTIONS["label_scheme"].set(scheme),
            f" is for lists of labels, one list per utterance and one label per unit, such as [{[*LABEL_SCHEMES[scheme][:2]]}]; "
            f"received {form_name(form)}. To score text, leave ",
            OPTIONS["label_scheme"],
            " out.",
        )
    if scheme is None and form == LABELS:
        raise OptionTypeError(
            "received lists of integers without ",
            OPTIONS["label_scheme"],
            f": say how labels mark words ({', '.join(LABEL_SCHEMES)}), such as ",
            OPTIONS["label_scheme"].set("start"),
            " if 1 starts a word.",
        )
    if form in (WORDS, LABELS) and (reading.ignored_tokens or reading.word_boundary != DEFAULT_WORD_BOUNDARY):
        received = "lists of words" if form == WORDS and scheme is None else "lists of labels"
        options = OPTIONS["word_boundary"], " and ", OPTIONS["ignored_tokens"]
        raise OptionError(*options, f" are for strings; received {received}.")


def reader_for(form: pa.DataType, reading: Reading) -> Reader:
    """The reader for a form under the options, which `check_form` has checked."""
    scheme = reading.label_scheme
    if scheme is not None:
        return lambda part: from_labels(part, scheme)
    if form in (WORDS, BLANKS):
        return from_word_lists
    read = text_reader(reading)
    return lambda part: read(lines(part))


def text_reader(reading: Reading) -> Callable[[bytes], Segmentation]:
    """The reader of blocks of whole lines."""
    if reading.text_format == "conllu":
        raise OptionError(OPTIONS["text_format"].set("conllu"), ' is for files; strings are "units" or "words".')
    if reading.text_format == "words":
        return from_words_text
    return partial(from_units_text, word_boundary=reading.word_boundary, ignored_tokens=reading.ignored_tokens)


def drop_ignored(columns: Sequence[Column], ignore_index: int, *, may_differ: bool = False) -> list[Column]:
    """Columns of labels without the positions at which the first one has `ignore_index`.

    Args:
        columns: of the same length; those that are not lists of integers stay as they are.
        may_differ: whether the numbers of labels of an utterance may differ. Its positions have no partners then, and it
            becomes one that is blank in the first column and has one label in the others, so that it still differs.

    >>> from segscores.reading.inputs import read_pair
    >>> columns = read_pair([[1, 0, -100], [-100]], [[1, 1, 0], [0]])
    >>> [column.to_pylist() for column in drop_ignored(columns, -100)]
    [[[1, 0], []], [[1, 1], []]]
    """
    if any(column.type != LABELS for column in columns):
        return list(columns)
    flat = [_lists(column) for column in columns]
    lengths, values = flat[0]
    differs = np.any([lengths != other for other, _ in flat], axis=0)
    if differs.any() and not may_differ:
        at = int(np.argmax(differs))
        other = next(other[at] for other, _ in flat if other[at] != lengths[at])
        raise UtteranceError(
            at,
            Message(
                f"the reference has {lengths[at]} labels and the prediction {other}: expected one label per position on both "
                f"sides, where ",
                OPTIONS["ignore_index"].set(ignore_index),
                " drops positions.",
            ),
        )
    if differs.any():
        flat = [(np.where(differs, 0, own), labels[np.repeat(~differs, own)]) for own, labels in flat]
        lengths, values = flat[0]
    kept = values != ignore_index
    kept_lengths = sum_by_utterance(kept, lengths)
    places = np.cumsum(kept_lengths)[differs]
    first, *others = (labels[kept] for _, labels in flat)
    return [
        _label_lists(kept_lengths, first),
        *(_label_lists(kept_lengths + differs, np.insert(labels, places, 1)) for labels in others),
    ]


def _lists(column: Column) -> tuple[Positions, Positions]:
    """The length of each list of labels, and the labels."""
    lengths = [np.diff(offsets_of(chunk)) for chunk in column.chunks]
    labels = [chunk.flatten().to_numpy(zero_copy_only=False) for chunk in column.chunks]
    none = np.zeros(0, np.int64)
    return np.concatenate([none, *lengths]), np.concatenate([none, *labels])


def _label_lists(lengths: Positions, labels: Positions) -> Column:
    return pa.chunked_array([large_lists(np.concatenate(([0], np.cumsum(lengths))), int64_array(labels), LABELS)])


class FormDoubts:
    """Signs that utterances do not have the form that the options say, collected over the parts of a corpus."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        #: The distinct items of lists of strings; None if some item is no tag, or labels are read.
        self._tags: set[str] | None = None if reading.label_scheme else set()
        #: The signs in units text without boundaries; None if a boundary was found, or another format is read.
        self._signs: set[str] | None = set() if reading.text_format == "units" else None

    def look_at(self, column: Column) -> None:
        """Collect the signs in the utterances of one side."""
        if self._tags is not None and column.type == WORDS:
            look = self._look_for_words
        elif self._signs is not None and column.type == TEXT:
            look = self._look_for_boundaries
        else:
            return
        start, size = 0, _FIRST_LOOK
        while start < len(column) and look(column.slice(start, size)):
            start, size = start + size, size * 4

    def _look_for_words(self, column: Column) -> bool:
        if self._tags is not None:
            self._tags.update(*(chunk.flatten().unique().to_pylist() for chunk in column.chunks))
            if len(self._tags) > _MOST_TAGS or not all(map(_may_be_tag, self._tags)):
                self._tags = None
        return self._tags is not None

    def _look_for_boundaries(self, column: Column) -> bool:
        if self._signs is not None:
            if pc.any(pc.match_substring(column, self._reading.word_boundary)).as_py():
                self._signs = None
                return False
            self._signs |= {sign for sign in _SIGNS if pc.any(pc.match_substring_regex(column, sign)).as_py()}
        return self._signs is not None

    def found(self) -> list[list[str] | None]:
        """What was collected, as plain values for `add`."""
        return [None if signs is None else sorted(signs) for signs in (self._tags, self._signs)]

    def add(self, found: Sequence[Sequence[str] | None]) -> None:
        """Add what was collected in another process."""
        tags, signs = found
        self._tags = None if self._tags is None or tags is None else self._tags.union(tags)
        self._signs = None if self._signs is None or signs is None else self._signs.union(signs)

    def reject_tags(self) -> None:
        """Reject lists of strings that are tags, where `label_scheme` is missing."""
        scheme = looks_like_tags(self._tags or ())
        if scheme:
            hint = ' or "end"' if scheme == "start" else ""
            raise OptionTypeError(
                f"received lists of tags ({', '.join(sorted(self._tags or ()))}) without ",
                OPTIONS["label_scheme"],
                ": did you mean ",
                OPTIONS["label_scheme"].set(scheme),
                f"{hint}? If they are words, pass strings with spaces between them and ",
                OPTIONS["text_format"].set("words"),
                ".",
            )

    def warn(self) -> None:
        """Warn of units text in which the boundary token never occurs, so that every utterance is one word."""
        if self._signs and _SEVERAL in self._signs:
            eword, esyll = (sign in self._signs for sign in (_EWORD, _ESYLL))
            warn(missing_boundaries(self._reading.word_boundary, has_eword=eword, has_esyll=esyll))


def _may_be_tag(item: str) -> bool:
    return len(item) <= _LONGEST_TAG and plain_tag(item) in _TAGS


def missing_boundaries(
    word_boundary: str, name: str = "", *, has_eword: bool, has_esyll: bool, remedy: str = ""
) -> Message:
    """The warning of units text in which no word ends; `name` is that of a file, and `remedy` is for words text."""
    place = f" in {name}" if name else ""
    remedy = remedy or Message("pass ", OPTIONS["text_format"].set("words"))
    hint = Hint(" Are the words separated by spaces? Then ", remedy, ".")
    if has_eword:
        marks = [";eword", ";esyll"] if has_esyll else [";eword"]
        hint = Hint(" The text has the format of wordseg: did you mean ", *of_wordseg(marks))
    problem = f"the boundary token {word_boundary!r} never occurs{place}, so that every utterance is one word."
    return Message(problem, hint)
