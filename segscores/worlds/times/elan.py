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
from itertools import chain
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np

from ...kernel.record import record
from ...options.quoting import is_number, shortened
from .intervals import Intervals
from .tiers import choose_tiers
from .timed_file import TimedFile

_ROOT = "ANNOTATION_DOCUMENT"
#: Slots count milliseconds.
_PER_SECOND = 1000
#: The characters among which the root begins.
_HEAD = 4096


@record
class _Annotation:
    """An annotation: the label of an interval of a tier."""

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
    header = root.find("HEADER")
    unit = "milliseconds" if header is None else header.get("TIME_UNITS", "milliseconds")
    if unit != "milliseconds":
        raise ValueError(f"ELAN with times in {unit}; expected milliseconds. Save the file with a newer ELAN.")
    tiers = {element.get("TIER_ID", ""): element for element in root.iter("TIER")}
    if not any([*_annotations(element)] for element in tiers.values()):
        raise ValueError("ELAN without annotations; expected a tier with annotations that have times.")
    names = [*tiers]
    # No tier of ELAN has points: its annotations last.
    chosen = choose_tiers(tier, names, have_intervals=[True] * len(names))
    timed = TimedFile({}, unit="s", speakers=chosen.speakers, has_tiers=True)
    reader = _Reader(root)
    shared_count = 0
    for speaker, index in chosen.index_of_speaker.items():
        annotations = sorted(reader.annotations_of(tiers[names[index]]), key=lambda annotation: annotation.start)
        starts = [annotation.start for annotation in annotations]
        ends = [annotation.end for annotation in annotations]
        timed.recordings[speaker] = Intervals(starts, ends, [annotation.label for annotation in annotations])
        shared_count += sum(annotation.is_shared for annotation in annotations)
    timed.has_labels = any(any(intervals.labels) for intervals in timed.recordings.values())
    if shared_count:
        timed.notes.append(
            f"ELAN: {shared_count} annotations share the time of others equally: these times are not measured."
        )
    return timed


class _Reader:
    """The annotations of a file of ELAN, by the ids of annotations and slots."""

    def __init__(self, root: Element) -> None:
        self.slots: dict[str, float | None] = {}
        for slot in root.iter("TIME_SLOT"):
            self.slots[slot.get("TIME_SLOT_ID", "")] = _time_of(slot)
        self.tier_of_annotation: dict[str, Element] = {}
        for tier in root.iter("TIER"):
            for element in _annotations(tier):
                self.tier_of_annotation[_id_of(element)] = tier
        #: the annotations by their ids, of the tiers that were read, by `id(tier)`
        self.read_tiers: dict[int, dict[str, _Annotation]] = {}

    def annotations_of(self, tier: Element) -> Sequence[_Annotation]:
        """Return the annotations of a tier."""
        return [*self._by_id(tier).values()]

    def _by_id(self, tier: Element) -> Mapping[str, _Annotation]:
        """Return the annotations of a tier by their ids; the tiers that it refers to are read first."""
        if id(tier) not in self.read_tiers:
            # In a broken file tiers may refer to each other: without annotations, this one ends the circle.
            self.read_tiers[id(tier)] = {}
            aligned = self._aligned([*tier.iter("ALIGNABLE_ANNOTATION")])
            referring = self._referring([*tier.iter("REF_ANNOTATION")])
            self.read_tiers[id(tier)] = {**aligned, **referring}
        return self.read_tiers[id(tier)]

    def _aligned(self, elements: Sequence[Element]) -> dict[str, _Annotation]:
        """Return annotations between slots, of which some may have no time."""
        # Two annotations from ts1 to ts2 and on to ts3: {"ts1": "ts2", "ts2": "ts3"}.
        end_slot_of = {_start_slot_of(element): _end_slot_of(element) for element in elements}
        times = dict(self.slots)
        for slot, time in self.slots.items():
            if time is not None and slot in end_slot_of:
                times.update(_times_of_slots_after(slot, end_slot_of, self.slots))
        annotations = {}
        for element in elements:
            slots = (_start_slot_of(element), _end_slot_of(element))
            start, end = (times.get(slot) for slot in slots)
            if start is None or end is None:
                name = f"{_id_of(element)} ({_label_of(element)!r})"
                raise ValueError(f"ELAN: the annotation {name} has no time; expected time slots with times.")
            is_shared = any(self.slots.get(slot) is None for slot in slots)
            annotations[_id_of(element)] = _Annotation(_label_of(element), start, end, is_shared)
        return annotations

    def _referring(self, elements: Sequence[Element]) -> dict[str, _Annotation]:
        """Return annotations that refer to others, whose time they have, or share with others that refer to the same one."""
        groups: dict[str, list[Element]] = {}
        for element in elements:
            groups.setdefault(element.get("ANNOTATION_REF", ""), []).append(element)
        annotations = {}
        for owner_id, group in groups.items():
            owner = None
            if owner_id in self.tier_of_annotation:
                owner = self._by_id(self.tier_of_annotation[owner_id]).get(owner_id)
            if owner is None:
                raise ValueError(f"ELAN: an annotation refers to {owner_id}, which the file lacks.")
            # Two annotations of an owner from 1.0 to 2.0 are from 1.0 to 1.5 and from 1.5 to 2.0.
            edges = np.linspace(owner.start, owner.end, len(group) + 1).tolist()
            is_shared = owner.is_shared or len(group) > 1
            for element, start, end in zip(_in_order(group), edges[:-1], edges[1:], strict=True):
                annotations[_id_of(element)] = _Annotation(_label_of(element), start, end, is_shared)
        return annotations


def _time_of(slot: Element) -> float | None:
    """Return the time of a slot in seconds; None if it has none."""
    value = slot.get("TIME_VALUE")
    if value is None:
        return None
    if not is_number(value):
        raise ValueError(f"ELAN: received the time slot {shortened(value)}; expected milliseconds.")
    return float(value) / _PER_SECOND


def _annotations(tier: Element) -> chain[Element]:
    """Return the elements of all annotations of a tier."""
    return chain(tier.iter("ALIGNABLE_ANNOTATION"), tier.iter("REF_ANNOTATION"))


def _id_of(annotation: Element) -> str:
    return annotation.get("ANNOTATION_ID", "")


def _label_of(annotation: Element) -> str:
    return (annotation.findtext("ANNOTATION_VALUE") or "").strip()


def _start_slot_of(annotation: Element) -> str:
    return annotation.get("TIME_SLOT_REF1", "")


def _end_slot_of(annotation: Element) -> str:
    return annotation.get("TIME_SLOT_REF2", "")


def _times_of_slots_after(
    first_slot: str, end_slot_of: Mapping[str, str], slots: Mapping[str, float | None]
) -> dict[str, float | None]:
    """Return the times of the slots without a time between a slot that has one and the next that has one.

    >>> _times_of_slots_after("a", {"a": "b", "b": "c"}, {"a": 1.0, "b": None, "c": 2.0})
    {'b': 1.5}
    """
    run = [first_slot]
    while run[-1] in end_slot_of:
        run.append(end_slot_of[run[-1]])
        if slots.get(run[-1]) is not None:
            break
        if len(run) > len(end_slot_of) + 1:
            # The slots of a broken file go in a circle.
            return {}
    start = slots[first_slot]
    end = slots.get(run[-1])
    if start is None or end is None:
        return {}
    times = np.linspace(start, end, len(run)).tolist()
    return dict(zip(run[1:-1], times[1:-1], strict=True))


def _in_order(group: Sequence[Element]) -> list[Element]:
    """Return annotations of one owner in the order in which each names the one before it; as they are if that is no order."""
    by_previous = {element.get("PREVIOUS_ANNOTATION", ""): element for element in group}
    ordered: list[Element] = []
    previous_id = ""  # The first annotation names none.
    while previous_id in by_previous and len(ordered) < len(group):
        ordered.append(by_previous[previous_id])
        previous_id = _id_of(ordered[-1])
    if len(ordered) < len(group):
        return list(group)
    return ordered
