"""Comparison of files, which are read as streams in pairs of parts.

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

__all__ = [
    "Compared",
    "FileTallies",
    "UtteranceParts",
    "check_filled",
    "hint_at_numbers",
    "keep_freed_memory",
    "map_files",
    "open_side",
    "open_source",
    "open_sources",
    "shares_reference_lexicon",
    "tally_files",
    "tally_parts",
    "tally_utterances",
    "utterance_parts",
    "window_lengths",
]

import ctypes
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, NoReturn, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from ..kernel.comparison import Comparison, compare
from ..kernel.errors import UtteranceError
from ..kernel.lexicon import Lexicon
from ..kernel.parallel import map_in_order
from ..kernel.segmentation import Segmentation, concatenate, join_units
from ..reading.inputs import TEXT
from ..reading.readers import DEFAULT_WORD_BOUNDARY, from_units_text, from_words_text
from ..scoring.options import Plan
from ..scoring.pipeline import compare_sides, normalized
from ..scoring.skipping import LeftOut, bad_utterances, compare_good, good_runs
from ..scoring.tally import Tally
from .columns import JsonColumn, TableSource, check_form_of
from .names import ARROW, PARQUET, is_conllu, is_json, is_table, unpacked_name
from .opening import FileError, open_file
from .progress import Progress, ProgressBar
from .sources import ChainedSource, ConlluSource, LineSource, Part, Source, Utterances, read_part

if TYPE_CHECKING:
    from ..scoring.utterance_tally import UtteranceTally
    from .sides import Side, Sides

# From malloc.h, see mallopt(3).
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3

Pair = TypeVar("Pair")
Result = TypeVar("Result")
Mask = npt.NDArray[np.bool_]


class Compared(NamedTuple):
    """A part of the reference compared with a part of a prediction.

    Attributes:
        comparison: the comparison of the kept utterances.
        kept: which of the good utterances are in the comparison; None if all are.
        good: which utterances of the part are good; None if all are.
        left_out: the bad utterances.
    """

    comparison: Comparison
    kept: Mask | None
    good: Mask | None
    left_out: LeftOut

    @property
    def skipped(self) -> int:
        """The number of utterances that `on_mismatch="skip"` leaves out."""
        return 0 if self.kept is None else int((~self.kept).sum())


@contextmanager
def open_sources(sides: Sides) -> Iterator[list[Source]]:
    """Open the sides of a comparison, with a progress bar over all of their files.

    Raises:
        FileError: there is no such file, or it can't be read.
    """
    with ProgressBar(sides.paths) as progress, ExitStack() as stack, hint_at_numbers(sides):
        yield [stack.enter_context(closing(open_side(side, sides, progress))) for side in sides.sides]


@contextmanager
def hint_at_numbers(sides: Sides) -> Iterator[None]:
    """Add to errors that the sides have different numbers of files, if they have.

    Raises:
        FileError: in place of another error.
    """
    try:
        yield
    except FileError as error:
        if sides.pair_by_file:
            raise
        numbers = " and ".join(f"{side.label} {len(side.paths)}" for side in sides.sides)
        raise FileError(
            f"{error} The sides were read as one text each, for they have different numbers of files ({numbers}): is one missing?"
        ) from None


def open_side(side: Side, sides: Sides, progress: Progress) -> Source:
    """Open a side as one source.

    Args:
        side: of the sides.
        sides, progress: as in `open_source`.

    Raises:
        FileError: a file can't be opened.
    """
    openers = [(path, partial(open_source, path, side, sides, progress)) for path in side.paths]
    if len(openers) == 1:
        return openers[0][1]()
    return ChainedSource(side.label, openers, pairs_by_file=sides.pair_by_file)


def open_source(
    path: str,
    side: Side,
    sides: Sides,
    progress: Progress,
    *,
    start: int = 0,
    stop: int | None = None,
    first: int = 0,
) -> Source:
    """Open a text, standard input for `-`, or a column of a table.

    Args:
        path: a path or `-`.
        side: the side that it belongs to.
        sides: how files are read.
        progress: called with the number of bytes of every read.
        start, stop: the bytes of lines, or the rows of a table, to read; to the end if None.
        first: the number of lines before them.

    Raises:
        FileError: there is no such file, or it can't be read.
        TypeError, ValueError: its form does not fit the options.
    """
    reading, column, text_format = sides.plan.reading, side.column, sides.format_of(side)
    if side.form is not None:
        boundary, ignored = side.form.word_boundary, side.form.ignored_tokens
        units = text_format == "units"
        reading = replace(
            reading,
            text_format="units" if units else "words",
            word_boundary=boundary if units else DEFAULT_WORD_BOUNDARY,
            ignored_tokens=ignored if units else (),
        )
    if is_table(path) and not is_json(path):
        return TableSource(path, column, reading, progress, start=start, stop=stop)
    if unpacked_name(path).endswith((*PARQUET, *ARROW)):
        raise FileError(
            f"{path}: Parquet and Arrow files, which have their own compression, can't be read packed: unpack it."
        )
    name = "standard input" if path == "-" else path
    read: Callable[[bytes], Segmentation] = from_words_text
    if is_table(path):
        read = JsonColumn(path, column, reading)
    else:
        check_form_of(name, TEXT, reading)
        if text_format == "units":
            read = partial(from_units_text, word_boundary=reading.word_boundary, ignored_tokens=reading.ignored_tokens)
            read = partial(_read_joined, read) if side.joins_units else read
    file = open_file(path, progress)
    if not is_table(path) and is_conllu(path, text_format):
        return ConlluSource(file, name)
    if start:
        file.seek(start)
    return LineSource(file, name, read, start=start, stop=stop, first=first)


def _read_joined(read: Callable[[bytes], Segmentation], block: bytes) -> Segmentation:
    return join_units(read(block))


def keep_freed_memory() -> None:
    """Make the C library keep the memory of one part for the next.

    By default glibc returns blocks of megabytes to the system, which clears every page before it allocates it again;
    that takes a third of the time on short lines. Other C libraries have no such call and do not need it.
    """
    if sys.platform == "linux":
        libc = ctypes.CDLL(None)
        if hasattr(libc, "mallopt") and hasattr(libc, "gnu_get_libc_version"):
            libc.mallopt(_M_MMAP_THRESHOLD, 32 << 20)
            libc.mallopt(_M_TRIM_THRESHOLD, 1 << 30)


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


def tally_files(reference: Utterances, predictions: Sequence[Source], plan: Plan) -> list[Tally]:
    """The tally of every prediction, in one pass over the files.

    Raises:
        FileError: as `tally_parts`, or there is no utterance.
    """
    total = FileTallies([Tally() for _ in predictions], left_out=[LeftOut() for _ in predictions])
    for part in tally_parts(reference, predictions, plan):
        total.update(part)
    check_filled(reference)
    return total.whole()


def tally_parts(
    reference: Utterances,
    predictions: Sequence[Source],
    plan: Plan,
    *,
    skips: bool = False,
    workers: int | None = None,
) -> Iterator[FileTallies]:
    """The tallies of every prediction against the reference, part by part, in one pass over the files.

    Args:
        reference, predictions: at their beginning.
        plan: what is counted.
        skips: whether to leave out bad utterances.
        workers: as in `map_files`.

    Raises:
        FileError: the files do not pair, or an utterance can't be scored.
    """
    shares_lexicon = shares_reference_lexicon(plan, skips=skips)

    def tally_part(compared: Iterator[Compared]) -> FileTallies:
        found = FileTallies([])
        for both in compared:
            if shares_lexicon and found.reference_lexicon is None:
                found.reference_lexicon = Lexicon(both.comparison.reference.words())
            tally = plan.tally(both.comparison, skipped=both.skipped, reference_lexicon=found.reference_lexicon)
            found.tallies.append(replace(tally, reference_lexicon=None) if shares_lexicon else tally)
            found.left_out.append(both.left_out)
        return found

    return _map_compared(reference, predictions, tally_part, plan, skips=skips, workers=workers)


def shares_reference_lexicon(plan: Plan, *, skips: bool) -> bool:
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
    workers: int | None = None,
) -> Iterator[UtteranceParts]:
    """The tallies of every prediction against the reference, utterance by utterance, in one pass over the files.

    Args:
        reference, predictions, plan, skips, workers: as in `tally_parts`.

    Raises:
        FileError: the files do not pair, or an utterance can't be scored.
    """
    from ..scoring.utterance_tally import tally_compared

    def tally_part(compared: Iterator[Compared]) -> UtteranceParts:
        found = UtteranceParts()
        for both in compared:
            found.tallies.append([tally_compared(both.comparison, both.kept, plan)])
            found.places.append([np.arange(both.left_out.total) if both.good is None else np.flatnonzero(both.good)])
            found.left_out.append(both.left_out)
        return found

    return _map_compared(reference, predictions, tally_part, plan, skips=skips, workers=workers)


def tally_utterances(reference: Utterances, predictions: Sequence[Source], plan: Plan) -> list[UtteranceTally]:
    """The tally of every prediction, utterance by utterance.

    Raises:
        FileError: as `utterance_parts`, or there is no utterance.
    """
    total = UtteranceParts([[] for _ in predictions], [[] for _ in predictions], [LeftOut() for _ in predictions])
    for part in utterance_parts(reference, predictions, plan):
        total.update(part)
    check_filled(reference)
    return total.whole()


def check_filled(reference: Utterances) -> None:
    """Check that a file that was read had an utterance.

    Raises:
        FileError: it had none.
    """
    if not reference.taken:
        raise FileError(f"{reference.name}: the file is empty; expected at least one {reference.noun}.")


def window_lengths(
    reference: Utterances,
    predictions: Sequence[Source],
    plan: Plan,
    *,
    skips: bool = False,
    workers: int | None = None,  # noqa: ARG001 - it is work for `shards`, as the others
) -> Iterator[FileTallies]:
    """The units, words and filled utterances of each part of the reference, for the window size.

    Args:
        reference, plan, skips: as in `tally_parts`.
        predictions: none.
        workers: ignored; this thread does the work.

    Raises:
        FileError: an utterance can't be read.
    """
    assert not predictions
    while part := reference.next_part():
        segmentation = normalized(_read_good(part) if skips else read_part(reference, part), plan.reading)
        counts = {
            "units": int(segmentation.utterance_units.sum()),
            "words": len(segmentation.word_ends),
            "utterances": int(np.count_nonzero(segmentation.utterance_units)),
        }
        yield FileTallies([Tally(counts)], left_out=[LeftOut(total=part.count)])


class _ReferencePart:
    """A part of the reference, read on first use."""

    def __init__(self, reference: Utterances, part: Part) -> None:
        self.source = reference
        self.part = part
        self._segmentation: Segmentation | None = None

    def read(self) -> Segmentation:
        """The segmentation.

        Raises:
            FileError: an utterance can't be read.
        """
        if self._segmentation is None:
            self._segmentation = read_part(self.source, self.part)
        return self._segmentation


def map_files(
    reference: Utterances,
    predictions: Sequence[Source],
    work: Callable[[Iterator[Pair]], Result],
    compare_part: Callable[[Segmentation, Segmentation], Pair],
    workers: int | None = None,
) -> Iterator[Result]:
    """The results of `work` for each part of the reference, in order, in one pass over the files.

    Args:
        reference: read to its end; it decides the parts.
        predictions: read along with it.
        work: called in threads with an iterator of the results of `compare_part` for a part and each prediction, in
            their order.
        compare_part: compares a part of the reference with one of a prediction.
        workers: as in `scoring.map_in_order`.

    Raises:
        FileError: the files do not pair, or an utterance can't be compared. The first in order is raised.
        ValueError: the sides have different forms.
    """

    def compare_read(reference_part: _ReferencePart, source: Source, part: Part) -> Pair:
        both = _Both(reference_part.source, reference_part.part, source, part)
        sides = reference_part.read(), read_part(source, part)
        both.check_units(*sides)
        try:
            return compare_part(*sides)
        except UtteranceError as error:
            raise _DifferenceError(both, error) from None

    return _map_parts(reference, predictions, work, compare_read, workers)


def _map_compared(
    reference: Utterances,
    predictions: Sequence[Source],
    work: Callable[[Iterator[Compared]], Result],
    plan: Plan,
    *,
    skips: bool,
    workers: int | None,
) -> Iterator[Result]:
    """`map_files` with the comparisons of `compare_sides`, without bad utterances if those are skipped."""
    if not skips:

        def compare_part(segmentation: Segmentation, prediction: Segmentation) -> Compared:
            compared = compare_sides(segmentation, prediction, plan)
            return Compared(*compared, good=None, left_out=LeftOut(total=len(segmentation.utterance_ends)))

        return map_files(reference, predictions, work, compare_part, workers)

    def compare_good(reference_part: _ReferencePart, source: Source, part: Part) -> Compared:
        return _compare_good(reference_part, source, part, plan)

    return _map_parts(reference, predictions, work, compare_good, workers)


def _map_parts(
    reference: Utterances,
    predictions: Sequence[Source],
    work: Callable[[Iterator[Pair]], Result],
    pair: Callable[[_ReferencePart, Source, Part], Pair],
    workers: int | None,
) -> Iterator[Result]:
    def work_on(paired: _Paired) -> Result:
        held, parts = paired
        return work(pair(held, source, part) for source, part in parts)

    pairing = _Pairing(reference, predictions)
    try:
        yield from map_in_order(work_on, pairing.parts(), workers)
    except _DifferenceError as error:
        pairing.check_counts(error)
        raise FileError(str(error)) from None


#: A part of the reference, and that of each prediction with its source.
_Paired: TypeAlias = tuple[_ReferencePart, list[tuple[Source, Part]]]


class _Pairing:
    """The parts of the reference, each with those of the predictions.

    Args:
        reference, predictions: as in `map_files`.
    """

    def __init__(self, reference: Utterances, predictions: Sequence[Source]) -> None:
        self._reference = reference
        self._predictions = predictions
        #: The file of the reference that is being read; None before the first and after the last.
        self._open: Utterances | None = None

    def parts(self) -> Iterator[_Paired]:
        """Each part of the reference with those of the predictions.

        Raises:
            FileError: a prediction, or a file of one, has more or fewer utterances.
        """
        files = zip(*(source.files() for source in self._predictions), strict=True)
        for reference_file, sources in zip(self._reference.files(), files, strict=True):
            self._open = reference_file
            while reference_part := reference_file.next_part():
                parts = [(source, source.next_utterances(reference_part.count)) for source in sources]
                for source, part in parts:
                    if part.count < reference_part.count:
                        _raise_short(reference_file, reference_part, source, part)
                yield _ReferencePart(reference_file, reference_part), parts
            for source in sources:
                if rest := source.next_part():
                    read_part(source, rest)
                    _raise_unpaired(reference_file, source)
            self._open = None

    def check_counts(self, error: _DifferenceError) -> None:
        """Check that the files of two utterances with different units have equal numbers of utterances.

        A line that is missing in one file shows first as a difference between lines; the numbers show the cause.

        Raises:
            FileError: they have different numbers, or can't be read to their ends.
        """
        both = error.both
        # The numbers of earlier files are equal, and those files are closed.
        if both.reference is self._open and both.reference.count_rest() != both.source.count_rest():
            difference = f"{both.where(error.difference.utterance)}: {error.difference.detail}"
            _raise_unpaired(both.reference, both.source, difference)


def _compare_good(reference_part: _ReferencePart, source: Source, part: Part, plan: Plan) -> Compared:
    """A part of the reference beside one of a prediction, without the utterances that can't be read or compared."""
    reference = reference_part.part
    both = _Both(reference_part.source, reference, source, part)

    def read(start: int, stop: int) -> tuple[Segmentation, Segmentation]:
        sides = []
        for name, side in (("references", reference), ("predictions", part)):
            try:
                sides.append(side.slice(start, stop).read())
            except UtteranceError as error:
                raise error.at(side=name) from None
        both.check_units(*sides)
        return sides[0], sides[1]

    found = compare_good(read, part.count, plan)
    error, first = found.first_error, ""
    if error is not None and error.side:
        start, side = (reference.first, reference_part.source) if error.side == "references" else (part.first, source)
        first = f"{side.place(start + error.utterance)}: {error.detail}"
    elif error is not None:
        first = str(both.at(error))
    return Compared(found.comparison, found.kept, found.good, LeftOut(found.count_bad, part.count, first))


def _read_good(part: Part) -> Segmentation:
    """The utterances of a part that can be read."""
    try:
        return part.read()
    except UtteranceError:
        bad = bad_utterances(lambda start, stop: part.slice(start, stop).read(), part.count)
        return concatenate([part.slice(*run).read() for run in good_runs(bad, part.count)])


class _Both(NamedTuple):
    """A part of the reference and a part of a prediction, for errors about both.

    Attributes:
        reference, reference_part: the reference and its part.
        source, part: the prediction and its part.
    """

    reference: Utterances
    reference_part: Part
    source: Source
    part: Part

    def places(self, utterance: int) -> str:
        """The place of an utterance, counted in the part: one number if it is the same in a single file on each
        side.
        """
        left, right = self.reference_part.first + utterance, self.part.first + utterance
        reference = self.reference.name if self._is_alike(left, right) else self.reference.place(left)
        return f"{reference} and {self.source.place(right)}"

    def where(self, utterance: int) -> str:
        """As `places`, without the names of single files."""
        left, right = self.reference_part.first + utterance, self.part.first + utterance
        return self.source.where(right) if self._is_alike(left, right) else self.places(utterance)

    def _is_alike(self, left: int, right: int) -> bool:
        has_files = self.reference.has_files or self.source.has_files
        return not has_files and self.reference.where(left) == self.source.where(right)

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
        both: the parts that they are in.
        difference: the utterance, counted in the part, and the problem.
    """

    def __init__(self, both: _Both, difference: UtteranceError) -> None:
        super().__init__(str(both.at(difference)))
        self.both = both
        self.difference = difference


def _raise_short(reference: Utterances, reference_part: Part, source: Source, part: Part) -> NoReturn:
    """Raise the error for a prediction that ends within a part, with the first utterance whose units differ."""
    # Bytes that are not text may have no lines: report that error first.
    segmentation = read_part(reference, reference_part)
    difference = ""
    # An empty part has no form.
    if part.count:
        both = _Both(reference, reference_part, source, part)
        prediction = read_part(source, part)
        both.check_units(segmentation, prediction)
        try:
            compare(_first_utterances(segmentation, part.count), prediction)
        except UtteranceError as error:
            difference = f"{both.where(error.utterance)}: {error.detail}"
    _raise_unpaired(reference, source, difference)


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
