"""Tallies of files: the counts of predictions against a reference, in one pass over the files.

`pairs` reads and compares the parts; this module counts in the comparisons and adds the counts up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..kernel.lexicon import Lexicon
from ..kernel.segmentation import Segmentation, select_utterances
from ..scoring.options import Plan
from ..scoring.pipeline import normalized
from ..scoring.skipping import LeftOut
from ..scoring.tally import Tally, tally_comparison
from .pairs import PartPair, map_pairs
from .sources import Source, Utterances, read_part

if TYPE_CHECKING:
    from ..scoring.utterance_tally import UtteranceTally


@dataclass
class FileTallies:
    """The tallies of files with predictions against one with the reference.

    Attributes:
        tallies: one per prediction, without the reference's lexicon if all share it.
        reference_lexicon: the shared lexicon; None if no score reads it, or each tally has its own.
        left_out: one per prediction.
    """

    tallies: list[Tally]
    reference_lexicon: Lexicon | None = None
    left_out: list[LeftOut] = field(default_factory=list)

    def update(self, other: FileTallies) -> None:
        """Add the tallies of the next files, or of the next part of the same files."""
        for tally, added in zip(self.tallies, other.tallies, strict=True):
            tally.update(added)
        for left_out, more in zip(self.left_out, other.left_out, strict=True):
            left_out.update(more)
        if other.reference_lexicon is not None:
            if self.reference_lexicon is None:
                self.reference_lexicon = Lexicon()
            self.reference_lexicon.update(other.reference_lexicon)

    def whole(self) -> list[Tally]:
        """The tally of each prediction, with the lexicons of both sides."""
        if self.reference_lexicon is None:
            return self.tallies
        return [replace(tally, reference_lexicon=self.reference_lexicon) for tally in self.tallies]


def tally_parts(
    reference: Utterances,
    predictions: Sequence[Source],
    plan: Plan,
    *,
    skips: bool = False,
) -> Iterator[FileTallies]:
    """The tallies of every prediction against the reference, part by part, in one pass over the files.

    Raises:
        FileError: the files do not pair, or an utterance can't be scored.
    """
    shares_lexicon = _shares_reference_lexicon(plan, skips=skips)

    def tally_part(pairs: list[PartPair]) -> FileTallies:
        found = FileTallies([])
        for pair in pairs:
            both = pair.compare_sides(plan, skips=skips)
            if shares_lexicon and found.reference_lexicon is None:
                found.reference_lexicon = Lexicon(both.comparison.reference.words())
            tally = tally_comparison(both.comparison, both.kept, plan, reference_lexicon=found.reference_lexicon)
            found.tallies.append(replace(tally, reference_lexicon=None) if shares_lexicon else tally)
            found.left_out.append(both.left_out)
        return found

    return map_pairs(reference, predictions, tally_part)


def _shares_reference_lexicon(plan: Plan, *, skips: bool) -> bool:
    """Whether types are scored, and all predictions share the reference's lexicon."""
    # The utterances that are left out, and so the lexicon, differ between predictions.
    return plan.needs_lexicons and plan.on_mismatch != "skip" and not skips


@dataclass
class UtteranceParts:
    """The tallies of utterances, part by part.

    Attributes:
        tallies: for each prediction, the tallies of its parts, in order, without bad utterances.
        places: for each prediction and part, the indexes of its utterances among all, including bad ones; int64.
        left_out: one per prediction.
    """

    tallies: list[list[UtteranceTally]] = field(default_factory=list)
    places: list[list[npt.NDArray[np.int64]]] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)

    def update(self, other: UtteranceParts) -> None:
        """Add the tallies of the next files, or of the next part of the same files."""
        for parts, added in zip(self.tallies, other.tallies, strict=True):
            parts.extend(added)
        for places, further, before in zip(self.places, other.places, self.left_out, strict=True):
            places.extend(before.total + some for some in further)
        for left_out, more in zip(self.left_out, other.left_out, strict=True):
            left_out.update(more)

    def whole(self) -> list[UtteranceTally]:
        """The tally of each prediction."""
        from ..scoring.utterance_tally import concatenate as concatenate_tallies

        return [concatenate_tallies(parts) for parts in self.tallies]

    def whole_places(self) -> list[npt.NDArray[np.int64]]:
        """The indexes of the utterances of each prediction's tally among all, int64 (n_utterances,)."""
        return [np.concatenate(parts) for parts in self.places]


def utterance_parts(
    reference: Utterances,
    predictions: Sequence[Source],
    plan: Plan,
    *,
    skips: bool = False,
) -> Iterator[UtteranceParts]:
    """The tallies of every prediction against the reference, utterance by utterance, in one pass over the files.

    Raises:
        FileError: the files do not pair, or an utterance can't be scored.
    """
    from ..scoring.utterance_tally import tally_compared

    def tally_part(pairs: list[PartPair]) -> UtteranceParts:
        found = UtteranceParts()
        for pair in pairs:
            both = pair.compare_sides(plan, skips=skips)
            found.tallies.append([tally_compared(both.comparison, both.kept, plan)])
            found.places.append([np.arange(both.left_out.total) if both.good is None else np.flatnonzero(both.good)])
            found.left_out.append(both.left_out)
        return found

    return map_pairs(reference, predictions, tally_part)


def window_lengths(
    reference: Utterances,
    predictions: Sequence[Source],
    plan: Plan,
    *,
    skips: bool = False,
) -> Iterator[Tally]:
    """The units, words and filled utterances of each part of the reference, for the window size.

    Args:
        reference, plan: as in `tally_parts`.
        predictions: with `skips` those that are scored, none otherwise.
        skips: whether to leave out bad utterances; only those that are scored for every prediction then count.

    Raises:
        FileError: an utterance can't be read.
    """
    assert skips or not predictions

    def count(segmentation: Segmentation) -> Tally:
        return Tally(
            {
                "units": int(segmentation.utterance_units.sum()),
                "words": len(segmentation.word_ends),
                "utterances": int(np.count_nonzero(segmentation.utterance_units)),
            }
        )

    def count_good(pairs: list[PartPair]) -> Tally:
        found = [pair.compare_sides(plan, skips=True) for pair in pairs]
        are_good = [np.ones(both.left_out.total, bool) if both.good is None else both.good for both in found]
        first = found[0].reference
        assert first is not None
        of_all = np.logical_and.reduce(are_good)[are_good[0]]
        return count(select_utterances(normalized(first, plan.reading), of_all))

    if skips:
        yield from map_pairs(reference, predictions, count_good)
        return
    while part := reference.next_part():
        yield count(normalized(read_part(reference, part), plan.reading))
