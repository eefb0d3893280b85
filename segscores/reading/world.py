"""Worlds: kinds of utterances with formats, readers and measures of their own, each a folder of `worlds`.

Text, units and labels need none. A `World` opens, compares and identifies its utterances in a way of its own; what is added to
text is a `Layer` (`reading.layers`). General code asks `world_of` for the world of a request, and knows no world by name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from ..kernel.arrays import Mask, Positions
from ..kernel.comparison import Comparison
from ..kernel.record import record
from ..kernel.segmentation import Segmentation
from ..options.messages import OptionError
from ..options.table import OPTIONS, WORLDS
from .layers import load_world

if TYPE_CHECKING:
    from .reading import Reading
    from .sources.names import Tokenized
    from .sources.source import Side

#: The world that cuts the text of the reference, where a side is `Tokenized`.
_CUTTING = "tokenizers"


class Part(NamedTuple):
    """A part of a comparison, such as the words with one label."""

    name: str  #: empty for what has no name
    utterances: Positions  #: the indices of the utterances that have a part of this name
    comparison: Comparison  #: these utterances, with nothing but this part


@record
class World:
    """The answers of a world to the questions of general code."""

    name: str  #: the format of the utterances
    #: what its utterances have, of which each measure says what it needs: the name of the world, and more
    gives: frozenset[str]
    default_scores: tuple[str, ...]  #: the groups that are scored if `scores` is not given
    open: Callable[..., list[Side]]  #: opens the sides of a request, by its reading, its inputs and their names
    #: compares two sides, by the options of groups
    compare: Callable[[Segmentation, Segmentation, Mapping[str, Any]], Comparison]
    length_unit: int  #: the units of utterances in one unit of their length, for bands of lengths
    divide: Callable[[Comparison], Iterator[Part]]  #: returns the parts of a comparison, by the labels of words
    #: returns the length for which a label of the reference and a label of the prediction are at the same place, by both labels;
    #: a blank label is that of silence
    confuse: Callable[[Comparison], Counter[tuple[str, str]]]
    #: returns the drawings of the utterances of a comparison for which a mask is true
    draw: Callable[[Comparison, Mask], list[Any]]
    most_drawn: int  #: the most utterances that a page draws
    #: the fields of a signature that it adds, from all options
    sign: Callable[[Mapping[str, Any]], dict[str, object]]
    #: the number that identifies a reference, from the function that digests text
    digest: Callable[[Segmentation, Callable[[Segmentation], int]], int]
    #: takes the options of groups, and whether units are aligned; raises an error for what the world lacks, and returns the
    #: options with the defaults
    check: Callable[[Mapping[str, Any], bool], dict[str, Any]]
    reach: Callable[
        [Mapping[str, Any]], float
    ]  #: returns how far a matching boundary may be off, by the options of groups
    warn: Callable[[Mapping[str, Any]], None]  #: warns of values that are probably a mistake

    @property
    def noun(self) -> str:
        """The utterances, for messages."""
        return WORLDS[self.name]


@cache
def _world(name: str) -> World:
    """Return a world by its name."""
    world: World = load_world(name).WORLD
    return world


def worlds_in(names: Collection[str]) -> list[World]:
    """Return the worlds with these names: of formats, or of what measures need."""
    return [_world(name) for name in WORLDS if name in names]


def world_of(reading: Reading) -> World | None:
    """Return the world of utterances that are read so; None for text and labels."""
    return _world(reading.world) if reading.world else None


def check_counts_units(reading: Reading) -> None:
    """Raise an error for a world, whose utterances have no units that can be counted; ordinary text is of no world."""
    if reading.world:
        problem = f": this counts units, which {WORLDS[reading.world]} do not have."
        raise OptionError(OPTIONS["text_format"].set(reading.world), problem)


def length_unit(reading: Reading) -> int:
    """Return the number of units in one unit of the lengths of utterances; 1 for text and labels."""
    world = world_of(reading)
    return 1 if world is None else world.length_unit


def cutter_of(tokenized: Tokenized, reading: Reading) -> Callable[[bytes], Segmentation]:
    """Return the reader that cuts lines of references with a tokenizer."""
    reader: Callable[[bytes], Segmentation] = load_world(_CUTTING).reader_of(tokenized, reading)
    return reader


def token_counter_of(tokenizer: Any) -> Callable[[list[str]], Positions]:
    """Return the function from texts to their numbers of tokens, int64 (n_texts,), by a tokenizer or its path."""
    count_tokens: Callable[[list[str]], Positions] = load_world(_CUTTING).counter_of(tokenizer)
    return count_tokens
