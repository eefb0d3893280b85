"""Class tags: the class ids that mark the start or the end of a word.

A word begins at a unit labelled `B` or `S`, or 1 (`"start"`); a word ends at one labelled `E` or `S`, or 1 (`"end"`).
The two ends of an utterance are word edges, whatever its labels are. This is the rule of `readers.from_labels`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ...kernel.arrays import Positions
from ...options.messages import OptionError, OptionTypeError
from ...options.table import OPTIONS
from ...reading.labels import ENDS, LABEL_MARKS, LABEL_SCHEMES, STARTS, plain_tag

#: Bit flag of a class id that has no tag; extends the flags in `reading.labels`.
UNKNOWN = 4
_ID2LABEL = OPTIONS["id2label"]
_LABEL_SCHEME = OPTIONS["label_scheme"]
#: The tags that a model may have, for messages.
_FORMS = "B and I; B, M (or I), E and S (what follows a hyphen, as in B-X, is dropped); or 0 and 1"
#: By scheme and tag, what a unit with the tag does: STARTS a word, ENDS one, both, or 0 for neither.
_MARKS = {scheme: {str(label): bits for label, bits in marks.items()} for scheme, marks in LABEL_MARKS.items()}


@dataclass(frozen=True)
class ClassTags:
    """The tags of a model's class ids."""

    scheme: str  #: a name from LABEL_SCHEMES
    #: by class id, what a unit of the class does: STARTS a word, ENDS one, both, or 0; UNKNOWN without a tag
    marks: npt.NDArray[np.uint8]

    @classmethod
    def of(cls, label_scheme: str | None, id2label: Any) -> ClassTags:
        """Read the tags from the user's options."""
        tags = _read_id2label(id2label)
        if tags is None:
            scheme = _scheme_of_ids(label_scheme)
            tags = dict(enumerate(_MARKS[scheme]))
        else:
            scheme = _scheme_of_tags(label_scheme, set(tags.values()))
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
        outside = (ids < 0) | (ids >= len(self.marks))
        marks = self.marks[np.where(outside, 0, ids).astype(np.int64)]
        marks[outside] = UNKNOWN
        return marks


def word_ends(marks: npt.NDArray[np.uint8], utterance_ends: Positions) -> Positions:
    """Return the number of units before the end of each word, by the rule of `readers.from_labels`."""
    # The units `S B E` start words before the units 0 and 1, and end words after the units 0 and 2: words end at 1 and 3.
    is_end = np.zeros(len(marks) + 1, bool)
    is_end[:-1] = (marks & STARTS) > 0
    is_end[1:] |= (marks & ENDS) > 0
    is_end[utterance_ends] = True
    is_end[0] = False
    return np.flatnonzero(is_end)


def _read_id2label(id2label: Any) -> dict[int, str] | None:
    if id2label is None:
        return None
    labels = getattr(id2label, "id2label", id2label)
    if isinstance(labels, (list, tuple)):
        labels = dict(enumerate(labels))
    if not isinstance(labels, Mapping):
        expected = ": expected a dict from class ids to tags, or a model's config, received "
        raise OptionTypeError(_ID2LABEL, expected, type(id2label).__name__, ".")
    tags: dict[int, str] = {}
    for key, name in labels.items():
        if isinstance(key, bool) or not re.fullmatch("[0-9]{1,6}", str(key)):
            raise OptionError(_ID2LABEL, f": expected class ids from 0, received {key!r}.")
        if isinstance(name, bool) or not isinstance(name, (str, int, np.integer)):
            raise OptionTypeError(_ID2LABEL, f": expected tags, received {name!r} for the class id {key}.")
        if int(key) in tags:
            raise OptionError(_ID2LABEL, f" has the class id {int(key)} twice.")
        tags[int(key)] = plain_tag(re.sub(r"^LABEL_(?=\d+$)", "", str(name)))
    if not tags:
        raise OptionError(_ID2LABEL, " is empty: expected a tag for every class id.")
    return tags


def _scheme_of_ids(label_scheme: str | None) -> str:
    """Return the label scheme of class ids without tags: the option, of which the ids are the labels."""
    if label_scheme is None:
        raise OptionError(
            "the meaning of class ids is unknown: pass ",
            _ID2LABEL,
            f", such as model.config, with the tags {_FORMS}, or ",
            _LABEL_SCHEME.set("start"),
            " if the id 1 starts a word, ",
            _LABEL_SCHEME.set("end"),
            " if it ends one.",
        )
    if not isinstance(LABEL_SCHEMES[label_scheme][0], int):
        undefined = " does not define which class id has which tag: pass "
        raise OptionError(_LABEL_SCHEME.set(label_scheme), undefined, _ID2LABEL, ", such as model.config.")
    return label_scheme


def _scheme_of_tags(label_scheme: str | None, tags: set[str]) -> str:
    """Return the label scheme of the option, or the scheme that the tags imply."""
    if label_scheme is not None:
        if not tags <= _MARKS[label_scheme].keys():
            takes = f" takes {listed(_MARKS[label_scheme])}; "
            has = f" has {listed(sorted(tags))}."
            parts = [_LABEL_SCHEME.set(label_scheme), takes, _ID2LABEL, has]
            if label_scheme in ("start", "end"):
                parts += [" Without ", _ID2LABEL, ", the class ids 0 and 1 are read."]
            raise OptionError(*parts)
        return label_scheme
    if tags == {"0", "1"}:
        raise OptionError(
            _ID2LABEL,
            " has 0 and 1: say what 1 marks, by ",
            _LABEL_SCHEME.set("start"),
            " if it starts a word, ",
            _LABEL_SCHEME.set("end"),
            " if it ends one.",
        )
    for scheme in ("BI", "BMES", "BIES", "BIOES"):
        if tags == _MARKS[scheme].keys():
            return scheme
    raise OptionError(_ID2LABEL, f" has {listed(sorted(tags))}: expected the tags {_FORMS}.")


def listed(values: Iterable[object]) -> str:
    """List values in words, as in `0, 1 and 2`."""
    shown = [str(value) for value in values]
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))
