"""Pairs of parts: files that are read as streams, side by side, and compared part by part.

Conventions
-----------
The reference decides how many utterances a part has; each prediction is then asked for as many,
so that memory does not grow with the files. Threads read and compare the parts. An error names the file and the line;
it is the first error in the order of the files, whichever thread finds one first.

Bad utterances
--------------
A bad utterance is an error, or is left out if the caller records it: both sides of a part
are then read without it. The utterances that are left out differ between predictions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, NoReturn, TypeVar

import numpy as np
import numpy.typing as npt

from ..kernel.comparison import Comparison, compare
from ..kernel.errors import FileError, UtteranceError
from ..kernel.parallel import map_in_order
from ..kernel.segmentation import Segmentation
from ..scoring.options import Plan
from ..scoring.pipeline import compare_sides
from ..scoring.skipping import LeftOut, compare_good
from .sources import Part, Source, Utterances, read_part

Result = TypeVar("Result")
Mask = npt.NDArray[np.bool_]


class Compared(NamedTuple):
    """A part of the reference compared with a part of a prediction.

    Attributes:
        comparison: the comparison of the kept utterances.
        kept: which of the good utterances are in the comparison; None if all are.
        good: which utterances of the part are good; None if all are.
        left_out: the bad utterances.
        reference: the reference of the good utterances; None if bad ones are an error.
    """

    comparison: Comparison
    kept: Mask | None
    good: Mask | None
    left_out: LeftOut
    reference: Segmentation | None = None


@dataclass
class _ReferencePart:
    """A part of the reference, which is read once for all predictions."""

    source: Utterances
    part: Part

    @cached_property
    def segmentation(self) -> Segmentation:
        """Its segmentation, read on first use."""
        return read_part(self.source, self.part)


@dataclass(frozen=True)
class PartPair:
    """A part of the reference and the same utterances of a prediction."""

    reference: _ReferencePart
    source: Source
    part: Part

    def compare(self, compare_part: Callable[[Segmentation, Segmentation], Result]) -> Result:
        """Read both sides and compare them.

        Raises:
            FileError: an utterance can't be read or compared.
            ValueError: the sides have different forms.
        """
        sides = self.reference.segmentation, read_part(self.source, self.part)
        self.check_units(*sides)
        try:
            return compare_part(*sides)
        except UtteranceError as error:
            raise _DifferenceError(self, error) from None

    def compare_sides(self, plan: Plan, *, skips: bool = False) -> Compared:
        """Read both sides and compare them with the options of a plan."""
        if skips:
            return self._compare_good(plan)
        comparison, kept = self.compare(lambda reference, prediction: compare_sides(reference, prediction, plan))
        return Compared(comparison, kept, good=None, left_out=LeftOut(total=self.part.count))

    def _compare_good(self, plan: Plan) -> Compared:
        """Compare the utterances that can be read and compared."""
        references = self.reference.part

        def read(start: int, stop: int) -> tuple[Segmentation, Segmentation]:
            sides = []
            for name, part in (("references", references), ("predictions", self.part)):
                try:
                    sides.append(part.slice(start, stop).read())
                except UtteranceError as error:
                    raise error.at(side=name) from None
            self.check_units(*sides)
            return sides[0], sides[1]

        found = compare_good(read, self.part.count, plan)
        error, first = found.first_error, ""
        if error is not None and error.side:
            is_reference = error.side == "references"
            source, part = (self.reference.source, references) if is_reference else (self.source, self.part)
            first = f"{source.place(part.first + error.utterance)}: {error.detail}"
        elif error is not None:
            first = str(self.at(error))
        left_out = LeftOut(found.count_bad, self.part.count, first)
        return Compared(found.comparison, found.kept, found.good, left_out, found.reference)

    def places(self, utterance: int) -> str:
        """The place of an utterance, counted in the part: one number if it is the same in a single file on each
        side.
        """
        left, right = self.reference.part.first + utterance, self.part.first + utterance
        reference = self.reference.source
        place = reference.name if self._is_alike(left, right) else reference.place(left)
        return f"{place} and {self.source.place(right)}"

    def where(self, utterance: int) -> str:
        """As `places`, without the names of single files."""
        left, right = self.reference.part.first + utterance, self.part.first + utterance
        return self.source.where(right) if self._is_alike(left, right) else self.places(utterance)

    def _is_alike(self, left: int, right: int) -> bool:
        reference = self.reference.source
        has_files = reference.has_files or self.source.has_files
        return not has_files and reference.where(left) == self.source.where(right)

    def at(self, error: UtteranceError) -> FileError:
        """The error for two utterances, with their places."""
        return FileError(f"{self.places(error.utterance)}: {error.detail}")

    def check_units(self, segmentation: Segmentation, prediction: Segmentation) -> None:
        """Check that both sides were read in the same form.

        Raises:
            ValueError: they were not.
        """
        # Not a FileError, which may be skipped: all utterances have this error.
        if segmentation.unit != prediction.unit:
            raise ValueError(
                f"{self.places(0)}: the reference is read in units of one {segmentation.unit}, the prediction in units of one "
                f"{prediction.unit}: expected the same form on both sides."
            )


class _DifferenceError(FileError):
    """Two utterances, one of each side, whose units differ.

    Attributes:
        pair: the parts that they are in.
        difference: the utterance, counted in the part, and the problem.
    """

    def __init__(self, pair: PartPair, difference: UtteranceError) -> None:
        super().__init__(str(pair.at(difference)))
        self.pair = pair
        self.difference = difference


def map_pairs(
    reference: Utterances,
    predictions: Sequence[Source],
    work: Callable[[list[PartPair]], Result],
) -> Iterator[Result]:
    """The results of `work` for each part of the reference, in order, in one pass over the files.

    Args:
        reference: read to its end; it decides the parts.
        predictions: read along with it.
        work: called in threads with the pairs of a part and each prediction, in their order.

    Raises:
        FileError: the files do not pair, or an utterance can't be compared. The first in order is raised.
        ValueError: the sides have different forms.
    """
    pairing = _Pairing(reference, predictions)
    try:
        yield from map_in_order(work, pairing.pairs())
    except _DifferenceError as error:
        pairing.check_counts(error)
        raise FileError(str(error)) from None


class _Pairing:
    """The parts of the reference, each with those of the predictions."""

    def __init__(self, reference: Utterances, predictions: Sequence[Source]) -> None:
        self._reference = reference
        self._predictions = predictions
        #: The file of the reference that is being read; None before the first and after the last.
        self._open: Utterances | None = None

    def pairs(self) -> Iterator[list[PartPair]]:
        """Each part of the reference with those of the predictions."""
        files = zip(*(source.files() for source in self._predictions), strict=True)
        for reference, sources in zip(self._reference.files(), files, strict=True):
            self._open = reference
            while part := reference.next_part():
                held = _ReferencePart(reference, part)
                pairs = [PartPair(held, source, source.next_utterances(part.count)) for source in sources]
                for pair in pairs:
                    if pair.part.count < part.count:
                        _raise_short(pair)
                yield pairs
            for source in sources:
                if rest := source.next_part():
                    read_part(source, rest)
                    _raise_unpaired(reference, source)
            self._open = None

    def check_counts(self, error: _DifferenceError) -> None:
        """Check that the files of two utterances with different units have equal numbers of utterances.

        A line that is missing in one file shows first as a difference between lines; the numbers show the cause.
        """
        reference, source = error.pair.reference.source, error.pair.source
        # The numbers of earlier files are equal, and those files are closed.
        if reference is self._open and reference.count_rest() != source.count_rest():
            difference = f"{error.pair.where(error.difference.utterance)}: {error.difference.detail}"
            _raise_unpaired(reference, source, difference)


def _raise_short(pair: PartPair) -> NoReturn:
    """Raise the error for a prediction that ends within a part, with the first utterance whose units differ."""
    # Bytes that are not text may have no lines: report that error first.
    segmentation = pair.reference.segmentation
    difference = ""
    # An empty part has no form.
    if pair.part.count:
        prediction = read_part(pair.source, pair.part)
        pair.check_units(segmentation, prediction)
        try:
            compare(_first_utterances(segmentation, pair.part.count), prediction)
        except UtteranceError as error:
            difference = f"{pair.where(error.utterance)}: {error.detail}"
    _raise_unpaired(pair.reference.source, pair.source, difference)


def _first_utterances(segmentation: Segmentation, count: int) -> Segmentation:
    end = int(segmentation.utterance_ends[count - 1]) if count else 0
    return replace(
        segmentation,
        text=None if segmentation.text is None else segmentation.text[:end],
        word_ends=segmentation.word_ends[: np.searchsorted(segmentation.word_ends, end, side="right")],
        utterance_ends=segmentation.utterance_ends[:count],
        utterance_units=segmentation.utterance_units[:count],
    )


def _raise_unpaired(reference: Utterances, prediction: Source, difference: str = "") -> NoReturn:
    """Raise the error for two files with different numbers of utterances, after reading both to their ends."""
    counts = [
        f"{utterances.name} has {count} {utterances.noun}{'' if count == 1 else 's'}"
        for utterances, count in ((reference, reference.count_rest()), (prediction, prediction.count_rest()))
    ]
    first = f" The first that differs is {difference}" if difference else ""
    raise FileError(f"{' and '.join(counts)}: expected equal numbers. Blank lines count too, also at the end.{first}")
