"""Layers: what text may have beside its words, such as tags: each a folder of `worlds`, with its readers and measures.

General code asks `layers_of`, and names no layer.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from ..kernel.segmentation import Segmentation
from .form import Form

if TYPE_CHECKING:
    from .reading import Reading

#: The layers on text, each a package in `worlds`, by the attribute of `Reading` that says that utterances have one. Of several
#: layers with a reader for a form, the first one reads it.
LAYERS = {"documents": "documents", "tags": "tags", "analyses": "morphs"}


class Layer(NamedTuple):
    """The addition of a world to text: a reader and a check."""

    nested: str = ""  #: what its utterances are as lists of lists of strings, in messages; empty if it reads none
    scores: tuple[str, ...] = ()  #: the groups that read such lists

    #: returns the reader of columns of a form, None for the forms that are read as without the layer
    reader: Callable[[Form, Reading], Callable[[Any], Segmentation] | None] = lambda form, reading: None
    #: raises an error for a side that lacks what the layer adds; a place begins the message
    check: Callable[[Segmentation, str], None] = lambda segmentation, place: None


def load_world(name: str) -> Any:
    """Return the module of a world, which is loaded where a request is of it: a world imports general code."""
    return import_module(f"segscores.worlds.{name}.world")


@cache
def _layer(name: str) -> Layer:
    """Return the layer of a world, by the name of its package."""
    layer: Layer = load_world(name).LAYER
    return layer


def layers_of(reading: Reading) -> list[Layer]:
    """Return the layers of text that is read so."""
    return [_layer(name) for attribute, name in LAYERS.items() if getattr(reading, attribute)]


def nested_layers() -> list[Layer]:
    """Return the layers whose utterances may be lists of lists of strings."""
    return [layer for layer in map(_layer, LAYERS.values()) if layer.nested]
