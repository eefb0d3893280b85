"""Observations: the record of a pass over utterances beside its results, and the checks and warnings at its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from ..options.errors import FileError, warn
from ..options.messages import Message
from ..reading.doubts import FormDoubts
from ..reading.sources.forms import Forms
from ..reading.sources.source import Side, Source
from .digest import add_digests
from .skipping import LeftOut


@dataclass
class Observations:
    """The record of a piece, or a pass, beside its results."""

    utterances: int = 0  #: the number of utterances that were read, including those left out
    forms: Forms = field(default_factory=Forms)  #: the form of the values of each side
    #: the utterances that were left out, by the number of a side
    left_out: dict[int, LeftOut] = field(default_factory=dict)
    ids: list[list[pa.Array]] = field(default_factory=list)  #: for each piece, the columns of ids of its utterances
    digest: int | None = None  #: the digest of the references, for a signature; None if no signature is written
    doubts: FormDoubts | None = None  #: signs that options are wrong
    #: the files of the reference in order, each with the number of its utterances
    extents: list[tuple[Source, int]] = field(default_factory=list)

    def update(self, other: Observations, sides: Sequence[Side]) -> None:
        """Add the observations of the next piece."""
        for number, form in sorted(other.forms.items(), key=lambda item: item[1][1]):
            self.forms.add(number, sides[number], *form)
            self.forms.check(sides)
        for number, left_out in other.left_out.items():
            self.left_out.setdefault(number, LeftOut()).update(left_out)
        self.utterances += other.utterances
        self.ids += other.ids
        self.digest = add_digests(self.digest, other.digest)
        if self.doubts is not None and other.doubts is not None:
            self.doubts.add(other.doubts.signs())


def place_in(extents: Sequence[tuple[Source, int]], utterance: int) -> str:
    """Return the place of an utterance in sources with numbers of utterances; it names the source if there are several."""
    before = 0
    for source, count in extents:
        if utterance < before + count:
            where = source.where(utterance - before)
            return where if len(extents) == 1 else f"{source.name}, {where}"
        before += count
    raise IndexError(utterance)


def conclude(sides: Sequence[Side], observed: Observations) -> None:
    """Check that something was scored, and warn of what was left out, and of options that seem wrong."""
    source = sides[0].sources[0]
    if not observed.utterances and source.is_file:
        name = sides[0].name or source.label(sides[0].column)
        raise FileError(f"{name}: the file is empty; expected at least one {source.noun}.")
    if not observed.utterances:
        raise ValueError(f"there is nothing to score: expected at least one {source.noun}, received none.")
    observed.forms.check(sides)
    for left_out in observed.left_out.values():
        left_out.check()
    if observed.doubts is not None:
        observed.doubts.warn()
    for number, left_out in observed.left_out.items():
        if left_out.utterances:
            is_named = sides[number].name and not sides[number].is_file
            warn(Message(f"{sides[number].name}: " if is_named else "", left_out.message()))
