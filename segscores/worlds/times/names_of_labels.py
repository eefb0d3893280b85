"""Names of labels: the labels with which labels of recordings are compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...options.errors import text_problem
from ...options.messages import Message, OptionError
from ...options.quoting import shortened
from ...options.table import OPTIONS
from ...reading.json_values import json_object
from ...reading.reading import Reading
from ...reading.sources.opening import open_file
from .formats import decode
from .intervals import Intervals

#: The labels that a message shows.
_SHOWN = 5
#: The value of `label_map` that is no file.
_LOWER = "lower"


@dataclass(frozen=True)
class Renaming:
    """The function from a label to the label with which it is compared: its class in a map of labels, or its lower case.

    The option `label_map` is the path of a file with the map, or `lower`. Without it, each label stays as it is.
    """

    path: str  #: the file with the map; empty if there is none
    classes: Mapping[str, str]  #: the class of each label of the map; other labels stay
    is_lower: bool

    @classmethod
    def of(cls, reading: Reading) -> Renaming:
        """Return the renaming of the options of reading, whose map of labels is read here."""
        path = reading.label_map or ""
        if path in ("", _LOWER):
            return cls(path="", classes={}, is_lower=path == _LOWER)
        return cls(path=path, classes=_read_map(path), is_lower=False)

    def __call__(self, label: str) -> str:
        """Return the label with which a label is compared."""
        name = self.classes.get(label.strip(), label)
        return name.lower() if self.is_lower else name

    def check(self, recordings: Iterable[Intervals | str]) -> None:
        """Raise an error if the map of labels has no label of the recordings of both sides."""
        if not self.path:
            return
        labels: set[str] = set()
        for recording in recordings:
            # A string in place of a recording says why it can't be scored.
            if isinstance(recording, Intervals):
                labels |= set(map(str.strip, recording.labels))
        if labels and self.classes.keys().isdisjoint(labels):
            shown = ", ".join(map(repr, sorted(labels)[:_SHOWN]))
            problem = f": it has no label of the recordings, such as {shown}. Does each line begin with a label?"
            raise OptionError(OPTIONS["label_map"].set(self.path), problem)


def _read_map(path: str) -> dict[str, str]:
    """Read a file with a label and its class on each line, or a JSON object; a label without a class gets a blank one.

    The encoding is one of those of files of times.
    """
    with open_file(path) as opened:
        text = decode(opened.read())
    option = OPTIONS["label_map"].set(path)
    values = json_object(text)
    if values is not None:
        if not all(isinstance(name, str) for name in values.values()):
            raise OptionError(option, ": expected a JSON object with a class, which is a string, for each label.")
        for name in values.values():
            problem = text_problem(name)
            if problem:
                raise OptionError(option, f": the class {name!r} {problem}; expected Unicode text.")
        return {label.strip(): name.strip() for label, name in values.items()}
    classes: dict[str, str] = {}
    for number, line in enumerate(text.split("\n"), 1):
        # With tabs, a label may have spaces.
        fields = [field.strip() for field in line.split("\t")] if "\t" in line else line.split()
        if not any(fields):
            continue
        if len(fields) > 2:
            received = f", line {number}: received {shortened(line)}; expected a label and its class."
            raise OptionError(option, received)
        label, *class_fields = fields
        name = "".join(class_fields)  # the one field, or "" where there is none
        if label in classes and classes[label] != name:
            problem = f"the label {label!r} has two classes, {classes[label]!r} and {name!r}."
            raise OptionError(option, f", line {number}: {problem}")
        classes[label] = name
    return classes


def doubt_of_case(columns: Sequence[Any], labels: Sequence[str], places: Sequence[str]) -> Message | None:
    """Return the doubt about the first prediction whose labels are mostly those of the reference in another case; else None.

    `columns` has a column of recordings for each side, `labels` the labels by the numbers in these columns, and `places` the
    names of the sides. The doubt is `a and b: labels differ in case, as 'Dog', and do not pair: add --label-map lower.`
    """
    labels_of_sides = []
    for column in columns:
        numbers = np.unique(np.asarray(column.field("labels").values))
        # Silence has the number -1.
        labels_of_sides.append({labels[number] for number in numbers[numbers >= 0].tolist()})
    reference, *predictions = labels_of_sides
    place_of_reference, *places_of_predictions = places
    reference_in_lower_case = {label.lower() for label in reference}
    for place, prediction in zip(places_of_predictions, predictions, strict=True):
        shared = reference & prediction
        shared_in_lower_case = reference_in_lower_case & {label.lower() for label in prediction}
        # "Dog" and "cat" beside "dog" and "cat": two are shared in lower case, and one as they are, which is enough.
        if len(shared) < len(shared_in_lower_case) / 2:
            differing = [label for label in reference - prediction if label.lower() in shared_in_lower_case]
            problem = (
                f"{place_of_reference} and {place}: labels differ in case, as {min(differing)!r}, and do not pair: add "
            )
            return Message(problem, OPTIONS["label_map"].set(_LOWER), ".")
    return None
