"""Observations: the record of a pass over utterances beside its results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import pyarrow as pa

from ..reading.reading import Reading
from ..reading.sources.source import Side, Source
from ..reading.trouble import Trouble
from .digest import NO_UTTERANCES, add_digests


class Extent(NamedTuple):
    """A file, or another source, of the reference, and how many utterances it has."""

    source: Source
    utterance_count: int


@dataclass
class Observations:
    """The record of a piece, or a pass, beside its results."""

    utterances: int = 0  #: the number of utterances that were read, including those left out
    ids: list[list[pa.Array]] = field(default_factory=list)  #: for each piece, the columns of ids of its utterances
    digest: int | None = None  #: the digest of the references, for a signature; None if no signature is written
    extents: list[Extent] = field(default_factory=list)  #: the files of the reference, in order
    #: the forms of the values, signs that options are wrong, and utterances that were left out
    trouble: Trouble = field(default_factory=lambda: Trouble(Reading()))

    @classmethod
    def for_signature(cls) -> Observations:
        """Return the record of a pass whose results get a signature, which has the digest of the references."""
        return cls(digest=NO_UTTERANCES)

    def update(self, other: Observations, sides: Sequence[Side]) -> None:
        """Add the observations of the next piece."""
        self.trouble.add(other.trouble, sides)
        self.utterances += other.utterances
        self.ids += other.ids
        # Either all pieces of a pass have a digest, or none has.
        if self.digest is not None and other.digest is not None:
            self.digest = add_digests(self.digest, other.digest)


def place_in(extents: Sequence[Extent], utterance: int) -> str:
    """Return the place of an utterance of the pass in its source; the place names the source if there are several.

    Examples are "line 3" and "gold-2.txt, line 3".
    """
    utterances_before = 0
    for source, utterance_count in extents:
        if utterance < utterances_before + utterance_count:
            where = source.where(utterance - utterances_before)
            if len(extents) > 1:
                where = f"{source.name}, {where}"
            return where
        utterances_before += utterance_count
    raise IndexError(utterance)
