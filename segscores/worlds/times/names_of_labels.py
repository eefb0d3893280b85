"""Names of labels: the labels with which labels of recordings are compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...kernel.record import record
from ...options.errors import text_problem
from ...options.messages import OptionError
from ...options.quoting import shortened
from ...options.table import OPTIONS
from ...reading.json_values import json_object
from ...reading.reading import Reading
from ...reading.sources.opening import open_file
from .formats import decode
from .intervals import Intervals
from .label_doubts import LOWER

#: The labels that a message shows.
_SHOWN = 5


@record
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
        if path in ("", LOWER):
            return cls(path="", classes={}, is_lower=path == LOWER)
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
