"""Class tags: the class ids that mark the start or the end of a word, and the reader of lists of class ids.

Each class id has the marks of its tag, by which words begin and end as `labels.from_labels` says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..kernel.arrays import first_true, numbers_of, start_of
from ..kernel.record import record
from ..kernel.segmentation import Segmentation
from ..options.errors import UtteranceError
from ..options.messages import Message, OptionError
from ..options.table import OPTIONS
from .labels import LABEL_MARKS, LABEL_SCHEMES, flat_labels, from_marks, plain_tag

#: Bit flag of a class id that has no tag; extends the flags in `labels`.
UNKNOWN = 4
#: The schemes that tags imply, where no option names the scheme.
_IMPLIED_SCHEMES = ("BI", "BMES", "BIES", "BIOES", "BILOU")
_ID2LABEL = OPTIONS["id2label"]
_LABEL_SCHEME = OPTIONS["label_scheme"]
#: The tags that a model may have, for messages.
_TAGS_OF_MODELS = (
    "B and I; B, M (or I), E and S; B, I, L and U (what follows a hyphen, as in B-X, is dropped); or 0 and 1"
)
#: By scheme and tag, what a unit with the tag does: STARTS a word, ENDS one, both, or 0 for neither.
_MARKS = {scheme: {str(label): bits for label, bits in marks.items()} for scheme, marks in LABEL_MARKS.items()}
#: The name of a class id in a model's config that names none.
_DEFAULT_NAME = r"LABEL_(?=\d+$)"


@record
class ClassTags:
    """The tags of a model's class ids."""

    scheme: str  #: a name from LABEL_SCHEMES
    #: by class id, what a unit of the class does: STARTS a word, ENDS one, both, or 0; UNKNOWN without a tag
    marks: npt.NDArray[np.uint8]

    @classmethod
    def of(cls, label_scheme: str | None, id2label: Sequence[str] | None) -> ClassTags:
        """Read the tags from checked options."""
        if id2label is None:
            scheme = _scheme_of_ids(label_scheme)
            tags = dict(enumerate(_MARKS[scheme]))
        else:
            tags = {class_id: _tag(name) for class_id, name in enumerate(id2label) if name}
            scheme = _scheme_of_tags(label_scheme, id2label, set(tags.values()))
        # Ids 0 and 2 with the tags B and I: the marks STARTS, UNKNOWN and 0.
        marks = np.full(max(tags) + 1, UNKNOWN, np.uint8)
        marks[list(tags)] = [_MARKS[scheme][tag] for tag in tags.values()]
        return cls(scheme, marks)

    def __len__(self) -> int:
        """Return the number of classes of logits."""
        return len(self.marks)

    @property
    def ids(self) -> list[int]:
        """The class ids that have a tag."""
        ids: list[int] = np.flatnonzero(self.marks != UNKNOWN).tolist()
        return ids

    def marks_of(self, ids: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.uint8]:
        """Return the marks of each class id; UNKNOWN for one without a tag."""
        are_all_known = not len(ids) or (ids.min() >= 0 and ids.max() < len(self.marks))
        if are_all_known:
            return np.asarray(self.marks[ids])
        is_outside = (ids < 0) | (ids >= len(self.marks))
        ids_within = np.where(is_outside, 0, ids).astype(np.int64)  # any id within, whose mark is replaced
        marks = self.marks[ids_within]
        marks[is_outside] = UNKNOWN
        return marks


def from_class_ids(utterances: pa.LargeListArray, tags: ClassTags) -> Segmentation:
    """Read lists of class ids, one per unit.

    >>> tags = ClassTags.of(None, ("B", "I"))
    >>> from_class_ids(pa.array([[0, 1, 0], [1, 1]], pa.large_list(pa.int64())), tags).word_ends
    array([2, 3, 5])
    """
    values, utterance_ends = flat_labels(utterances)
    # Empty lists alone have no type.
    ids = numbers_of(values.cast(pa.int64()))
    marks = tags.marks_of(ids)
    unknown = first_true(marks == UNKNOWN)
    if unknown >= 0:
        # Utterances of 3 and 2 units end at 3 and 5: the unit 4 of all is the unit 1 of the utterance 1.
        utterance = int(np.searchsorted(utterance_ends, unknown, side="right"))
        unit = unknown - start_of(utterance_ends, utterance)
        problem = Message(f"unit {unit} has the class id {ids[unknown]}; ", _ID2LABEL, f" has {listed(tags.ids)}.")
        raise UtteranceError(utterance, problem)
    return from_marks(marks, utterance_ends)


def _tag(name: str) -> str:
    """Return the tag of a class by its name in a config: `B` of `B-NOUN`, and `1` of `LABEL_1`."""
    return plain_tag(re.sub(_DEFAULT_NAME, "", name))


def _scheme_of_ids(label_scheme: str | None) -> str:
    """Return the label scheme of class ids without tags: the option, of which the ids are the labels."""
    if label_scheme is None:
        raise OptionError(
            "the meaning of class ids is unknown: pass ",
            _ID2LABEL,
            f", such as model.config, with the tags {_TAGS_OF_MODELS}, or ",
            *_if_one_marks(),
        )
    first_label, *_ = LABEL_SCHEMES[label_scheme]
    # The labels of other schemes are tags, and any id may have any tag.
    if not isinstance(first_label, int):
        undefined = " does not define which class id has which tag: pass "
        raise OptionError(_LABEL_SCHEME.set(label_scheme), undefined, _ID2LABEL, ", such as model.config.")
    return label_scheme


def _scheme_of_tags(label_scheme: str | None, names: Sequence[str], tags: set[str]) -> str:
    """Return the label scheme of the option, or the scheme that the tags imply; `names` are those of a model's classes."""
    if label_scheme is not None:
        _check_tags(label_scheme, tags)
        return label_scheme
    # The tags must be all of a scheme, or all but O.
    for scheme in _IMPLIED_SCHEMES:
        labels = _MARKS[scheme].keys()
        if tags in (labels, labels - {"O"}):
            return scheme
    has_default_names = all(re.match(_DEFAULT_NAME, name) for name in names if name)
    are_zero_and_one = tags == {"0", "1"}
    if has_default_names:
        example = names[0] or names[-1]  # the first class may have no name
        default = f" has {example} and the like, the names of a config that names no tags. Pass the tags, such as "
        ending: Sequence[object] = _or_marks() if are_zero_and_one else ["."]
        raise OptionError(_ID2LABEL, default, *example_of_tags(), *ending)
    if are_zero_and_one:
        raise OptionError(_ID2LABEL, " has 0 and 1: say what 1 marks, by ", *_if_one_marks())
    received = f" has {listed(sorted(tags))}: expected the tags {_TAGS_OF_MODELS}."
    raise OptionError(_ID2LABEL, received, *_hint_at_outside_scheme(tags))


def _check_tags(label_scheme: str, tags: set[str]) -> None:
    """Check that a label scheme has all tags of a model."""
    if tags <= _MARKS[label_scheme].keys():
        return
    takes = f" takes {listed(_MARKS[label_scheme])}; "
    has = f" has {listed(sorted(tags))}."
    fragments = [_LABEL_SCHEME.set(label_scheme), takes, _ID2LABEL, has]
    if label_scheme in ("start", "end"):
        fragments += [" Without ", _ID2LABEL, ", the class ids 0 and 1 are read."]
    raise OptionError(*fragments)


def example_of_tags() -> list[object]:
    """Return the fragments of a message that show the option with the tags of two class ids, and what they say."""
    return [_ID2LABEL.set(["B", "I"]), " if the id 0 begins a word and 1 continues it"]


def _or_marks() -> list[object]:
    """Return the fragments of a message that name the schemes of 0 and 1 as another way out."""
    return [", or ", *_if_one_marks()]


def _if_one_marks() -> list[object]:
    """Return the fragments of a message that say which scheme has which meaning of 1."""
    start = _LABEL_SCHEME.set("start")
    end = _LABEL_SCHEME.set("end")
    return [start, " if the id 1 starts a word, or ", end, " if it ends one."]


def _hint_at_outside_scheme(tags: set[str]) -> list[object]:
    """Return the fragments of a message for tags with `O`, which name the scheme that has all tags; none if there is no such one.

    An example is "If O is a word of one unit, add label_scheme='BIO'."
    """
    fitting = [scheme for scheme in LABEL_SCHEMES if tags <= _MARKS[scheme].keys()]
    if "O" not in tags or not fitting:
        return []
    smallest, *_ = fitting  # schemes with fewer tags come first
    return [" If O is a word of one unit, add ", _LABEL_SCHEME.set(smallest), "."]


def listed(values: Iterable[object]) -> str:
    """List values in words, as in `0, 1 and 2`."""
    *others, last = [str(value) for value in values]
    if not others:
        return last
    return f"{', '.join(others)} and {last}"
