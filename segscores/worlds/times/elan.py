"""ELAN: the annotations of a tier of a file of ELAN (.eaf), by its XML.

Conventions
-----------
- An annotation of an aligned tier lasts from one time slot to another. Slots without a time stand between two slots with times,
  and share the time between these equally, as ELAN draws them.
- An annotation that refers to another one lasts as long. If several of a tier refer to the same one, they share its time equally,
  in their order. Shared times are not measured, which a note says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np

from .intervals import Intervals
from .tiers import choose_tiers
from .timed_file import TimedFile

_ROOT = "ANNOTATION_DOCUMENT"
#: Slots count milliseconds.
_PER_SECOND = 1000
#: The characters among which the root begins.
_HEAD = 4096


@dataclass(frozen=True)
class _Annotation:
    label: str
    start: float  #: in seconds
    end: float
    is_shared: bool  #: whether it has a part of the time of others


def is_elan(text: str) -> bool:
    """Return whether a text begins as a file of ELAN."""
    return f"<{_ROOT}" in text[:_HEAD]


def parse_elan(text: str, tier: str | None = None) -> TimedFile:
    """Read the annotations of the chosen tier."""
    try:
        root = ElementTree.fromstring(text.lstrip())
    except ElementTree.ParseError as error:
        raise ValueError(f"ELAN with broken XML ({error}). Is the file cut short?") from None
    if root.tag != _ROOT:
        raise ValueError(f"XML with the root {root.tag}; expected {_ROOT}, as in ELAN.")
    tiers = {element.get("TIER_ID", ""): element for element in root.iter("TIER")}
    if not any(len([*_annotations(element)]) for element in tiers.values()):
        raise ValueError("ELAN without annotations; expected a tier with annotations that have times.")
    names = [*tiers]
    chosen = choose_tiers(tier, names, [True] * len(names))
    timed = TimedFile({}, "s", speakers=chosen.speakers, has_tiers=True)
    read = _Reader(root)
    shared = 0
    for speaker, at in chosen.places.items():
        annotations = sorted(read.tier(tiers[names[at]]), key=lambda annotation: annotation.start)
        starts = [annotation.start for annotation in annotations]
        ends = [annotation.end for annotation in annotations]
        timed.recordings[speaker] = Intervals(starts, ends, [annotation.label for annotation in annotations])
        shared += sum(annotation.is_shared for annotation in annotations)
    timed.has_labels = any(any(intervals.labels) for intervals in timed.recordings.values())
    if shared:
        timed.notes.append(
            f"ELAN: {shared} annotations share the time of others equally: these times are not measured."
        )
    return timed


class _Reader:
    """The annotations of a file of ELAN, by the ids of annotations and slots."""

    def __init__(self, root: Element) -> None:
        self.slots: dict[str, float | None] = {}
        for slot in root.iter("TIME_SLOT"):
            value = slot.get("TIME_VALUE")
            self.slots[slot.get("TIME_SLOT_ID", "")] = None if value is None else int(value) / _PER_SECOND
        self.tiers = [*root.iter("TIER")]
        self.tier_of: dict[str, Element] = {}
        for tier in self.tiers:
            for element in _annotations(tier):
                self.tier_of[element.get("ANNOTATION_ID", "")] = tier
        self.known: dict[int, dict[str, _Annotation]] = {}

    def tier(self, tier: Element) -> Sequence[_Annotation]:
        """Return the annotations of a tier."""
        return [*self._by_id(tier).values()]

    def _by_id(self, tier: Element) -> Mapping[str, _Annotation]:
        """Return the annotations of a tier by their ids. A tier refers to tiers that have been read before, or are read here."""
        if id(tier) in self.known:
            return self.known[id(tier)]
        self.known[id(tier)] = {}
        aligned = [*tier.iter("ALIGNABLE_ANNOTATION")]
        referring = [*tier.iter("REF_ANNOTATION")]
        self.known[id(tier)] = {**self._aligned(aligned), **self._referring(referring)}
        return self.known[id(tier)]

    def _aligned(self, elements: Sequence[Element]) -> dict[str, _Annotation]:
        """Return annotations between slots, of which some may have no time."""
        pairs = {element.get("ANNOTATION_ID", ""): _slots_of(element) for element in elements}
        next_slots = dict(pairs.values())
        times = dict(self.slots)
        for first, time in self.slots.items():
            if time is not None and first in next_slots:
                times.update(_shared_between(first, next_slots, self.slots))
        annotations = {}
        for element in elements:
            name = element.get("ANNOTATION_ID", "")
            start, end = (times.get(slot) for slot in pairs[name])
            if start is None or end is None:
                raise ValueError(
                    f"ELAN: the annotation {name} ({_label_of(element)!r}) has no time; expected time slots with times."
                )
            is_shared = any(self.slots.get(slot) is None for slot in pairs[name])
            annotations[name] = _Annotation(_label_of(element), start, end, is_shared)
        return annotations

    def _referring(self, elements: Sequence[Element]) -> dict[str, _Annotation]:
        """Return annotations that refer to others."""
        groups: dict[str, list[Element]] = {}
        for element in elements:
            groups.setdefault(element.get("ANNOTATION_REF", ""), []).append(element)
        annotations = {}
        for name, group in groups.items():
            owner = self._by_id(self.tier_of[name]).get(name) if name in self.tier_of else None
            if owner is None:
                raise ValueError(f"ELAN: an annotation refers to {name}, which the file lacks.")
            times = np.linspace(owner.start, owner.end, len(group) + 1).tolist()
            is_shared = owner.is_shared or len(group) > 1
            for element, start, end in zip(_in_order(group), times[:-1], times[1:], strict=True):
                annotations[element.get("ANNOTATION_ID", "")] = _Annotation(_label_of(element), start, end, is_shared)
        return annotations


def _annotations(tier: Element) -> chain[Element]:
    return chain(tier.iter("ALIGNABLE_ANNOTATION"), tier.iter("REF_ANNOTATION"))


def _label_of(element: Element) -> str:
    return (element.findtext("ANNOTATION_VALUE") or "").strip()


def _slots_of(element: Element) -> tuple[str, str]:
    return element.get("TIME_SLOT_REF1", ""), element.get("TIME_SLOT_REF2", "")


def _shared_between(
    first: str, next_slots: Mapping[str, str], slots: Mapping[str, float | None]
) -> dict[str, float | None]:
    """Return the times of the slots after a slot with a time, up to the next one that has a time.

    >>> _shared_between("a", {"a": "b", "b": "c"}, {"a": 1.0, "b": None, "c": 2.0})
    {'b': 1.5}
    """
    run = [first]
    while run[-1] in next_slots and (len(run) == 1 or slots.get(run[-1]) is None):
        run.append(next_slots[run[-1]])
        if len(run) > len(next_slots) + 1:
            return {}
    last = slots.get(run[-1])
    start = slots[first]
    if last is None or start is None:
        return {}
    times = np.linspace(start, last, len(run)).tolist()
    return dict(zip(run[1:-1], times[1:-1], strict=True))


def _in_order(group: Sequence[Element]) -> list[Element]:
    """Return annotations of one owner in the order in which each names the one before it."""
    by_previous = {element.get("PREVIOUS_ANNOTATION", ""): element for element in group}
    ordered: list[Element] = []
    name = ""
    while name in by_previous and len(ordered) < len(group):
        ordered.append(by_previous[name])
        name = ordered[-1].get("ANNOTATION_ID", "")
    if len(ordered) < len(group):
        return list(group)
    return ordered
