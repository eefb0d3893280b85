"""Hints of labels: the option with which the labels of an utterance that cannot be read are readable on both sides."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain

from ..options.messages import Hint, Message, literal
from ..options.table import OPTIONS
from .labels import LABEL_MARKS, LABEL_SCHEMES, PADDING, plain_tag
from .reading import Reading


def label_hint(reference: Sequence[object], prediction: Sequence[object], reading: Reading) -> str:
    """Return the option with which the labels of both sides of an utterance can be read, for a message; empty if none is known.

    What the message proposes has read the labels of both sides.
    """
    scheme = reading.label_scheme
    ignore_index = reading.ignore_index
    has_ids = reading.id2label is not None
    if scheme is None or len(reference) != len(prediction):
        return ""
    if ignore_index is not None:
        return _swapped_hint(reference, prediction, ignore_index)
    labels = [*reference, *prediction]
    if PADDING in reference:
        kept = [pair for pair in zip(reference, prediction, strict=True) if pair[0] != PADDING]
        if all(map(_fits(scheme), chain.from_iterable(kept))):
            add = Hint("add ", OPTIONS["ignore_index"].set(PADDING), ", or ")
            return Message("Is it padding? Then ", add, "drop masked positions. ", *_ids_hint(labels, has_ids=has_ids))
    if PADDING in prediction:
        return _swapped_hint(reference, prediction, PADDING)
    if all(isinstance(label, int) for label in labels):
        parts = [Message(*part) for part in (_ids_hint(labels, has_ids=has_ids), _schemes_hint(labels, scheme)) if part]
        return Message(*parts[:1], *(Message(" ", part) for part in parts[1:]))
    return Message(*_schemes_hint(labels, scheme))


def _fits(scheme: str) -> Callable[[object], bool]:
    """Return what says whether a label belongs to a scheme."""
    marks = _marks_of(scheme)
    return lambda label: plain_tag(str(label)) in marks


def _marks_of(scheme: str) -> dict[str, int]:
    return {str(label): mark for label, mark in LABEL_MARKS[scheme].items()}


def _schemes_hint(labels: Sequence[object], scheme: str) -> list[object]:
    """Return the fragments of a message that propose the other schemes that these labels fit: one for each way to read them."""
    fitting: dict[tuple[int, ...], str] = {}
    for name in LABEL_SCHEMES:
        if name != scheme and all(map(_fits(name), labels)):
            marks = _marks_of(name)
            fitting.setdefault(tuple(marks[plain_tag(str(label))] for label in labels), name)
    if not fitting:
        return []
    first, *others = fitting.values()
    more = "".join(f" or {literal(name)}" for name in others)
    return ["Did you mean ", OPTIONS["label_scheme"].set(first), f"{more}?"]


def _swapped_hint(reference: Sequence[object], prediction: Sequence[object], ignore_index: int) -> str:
    """Return the question whether the sides are swapped, if only the prediction has ignored positions."""
    if ignore_index in prediction and ignore_index not in reference:
        return "Positions to ignore are those of the references: are predictions and references swapped?"
    return ""


def _ids_hint(labels: Iterable[object], *, has_ids: bool) -> list[object]:
    """Return the fragments of a message that ask for the tags of class ids."""
    if has_ids:
        return []
    tags: object = OPTIONS["id2label"]
    if {0, 1, PADDING}.issuperset(labels):
        tags = OPTIONS["id2label"].set(["B", "I"])
    leave = ", in place of ", OPTIONS["label_scheme"], "."
    return ["Are the labels class ids of a model? Then pass the tag of each, as by ", tags, *leave]
