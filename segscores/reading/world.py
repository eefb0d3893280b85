"""Worlds: kinds of utterances that are opened, compared and identified in a way of their own.

Text, units and labels need none. General code asks `world_of` for the world of a request, and knows no world by name.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..kernel.comparison import Comparison
from ..kernel.segmentation import Segmentation

if TYPE_CHECKING:
    from .reading import Reading
    from .sources.source import Side

#: The worlds, each a package in `worlds` with the name of the format of its utterances.
WORLDS = ("times",)


@dataclass(frozen=True, eq=False)
class World:
    """The answers of a world to the questions of general code."""

    name: str  #: the format of the utterances, and the name of what they have for measures
    noun: str  #: the utterances, for messages
    default_scores: tuple[str, ...]  #: the groups that are scored if `scores` is not given
    open: Callable[..., list[Side]]  #: the sides of a request, from its reading, its inputs and their names
    compare: Callable[
        [Segmentation, Segmentation, Mapping[str, Any]], Comparison
    ]  #: two sides, by the options of groups
    #: the number that identifies a reference, from the function that digests text
    digest: Callable[[Segmentation, Callable[[Segmentation], int]], int]
    #: raises an error for a value of `on_mismatch` that has no meaning, and returns the options of groups with the defaults
    check: Callable[[Mapping[str, Any], str], dict[str, Any]]
    warn: Callable[[Mapping[str, Any]], None]  #: warns of values that are probably a mistake


@cache
def _world(name: str) -> World:
    # The only import by name besides that of the measures: a world imports general code, and general code no world.
    world: World = import_module(f"segscores.worlds.{name}.world").WORLD
    return world


def worlds_in(names: Collection[str]) -> list[World]:
    """Return the worlds with these names: of formats, or of what measures need."""
    return [_world(name) for name in WORLDS if name in names]


def world_of(reading: Reading) -> World | None:
    """Return the world of utterances that are read so; None for text and labels."""
    name = reading.formats[0]
    if name in WORLDS and set(reading.formats) == {name}:
        return _world(name)
    return None
