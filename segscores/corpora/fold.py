"""The one loop over files: the results of the parts of all files, added up.

With `skips=False` the first bad utterance or file in order is the error. With `skips=True` bad utterances are left out; and where
the sides have equal numbers of files, several on each side, files that can't be read or don't pair are left out completely.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from ..kernel.errors import FileError
from ..measures.windows import default_window_size
from ..sources.progress import Progress, ProgressBar, is_pipe
from .file_tallies import window_lengths
from .side_sources import hint_at_numbers, open_side
from .sides import Sides
from .sources import ChainedSource, Source

#: Such as `file_tallies.tally_parts`: called with the reference, the predictions, the plan and `skips`, it yields the result for
#: each part. A result has `update`, which adds the next one.
Work = Callable[..., Iterator[Any]]


@dataclass
class Folded:
    """The sum of the results for all parts.

    Attributes:
        found: the sum; None without any part, and never from `fold_files`.
        reference: the source of the reference, closed; that of the last files if each pair of files is read by itself.
        extents: the files of the reference in order, each with its number of utterances.
        form: the form of the reference's utterances, a type of `inputs`; None without any.
        failures: why files were left out, an entry for each.
    """

    found: Any
    reference: Source
    extents: list[tuple[str, int]]
    form: pa.DataType | None
    failures: Sequence[str] = ()

    @property
    def utterances(self) -> int:
        """The number of utterances, including bad ones."""
        return sum(count for _, count in self.extents)

    def update(self, other: Folded) -> None:
        """Add the results for the next files."""
        self.found = _sum(self.found, other.found)
        self.reference = other.reference
        self.extents += other.extents
        self.form = other.form if self.form is None else self.form


def _sum(found: Any, part: Any) -> Any:
    """The results of parts with those of the next; None adds nothing."""
    if found is None or part is None:
        return part if found is None else found
    found.update(part)
    return found


def fold_files(work: Work, sides: Sides, *, skips: bool = False) -> Folded:
    """Call `work` for all files, and add up its results.

    Raises:
        FileError: a file can't be read, the sides don't pair, an utterance is bad, or there is none; with `skips`, no file can
            be scored.
    """
    groups = sides.groups() if skips else [sides]
    whole: Folded | None = None
    failures: list[str] = []
    with ProgressBar(sides.paths) as progress, hint_at_numbers(sides):
        for group in groups:
            try:
                folded = _fold_group(work, group, progress, skips=skips)
            except FileError as error:
                if len(groups) == 1:
                    raise
                failures.append(str(error))
                continue
            if whole is None:
                whole = folded
            else:
                whole.update(folded)
    if whole is None:
        raise FileError(f"nothing could be scored. The first problem: {failures[0]}")
    if not whole.utterances:
        name = whole.reference.name if len(groups) == 1 else sides.sides[0].label
        raise FileError(f"{name}: the file is empty; expected at least one {whole.reference.noun}.")
    whole.failures = failures
    return whole


def _fold_group(work: Work, sides: Sides, progress: Progress, *, skips: bool) -> Folded:
    """The results for files that are read together."""
    found = None
    with ExitStack() as stack:
        reference, *predictions = [
            stack.enter_context(closing(open_side(side, sides, progress))) for side in sides.sides
        ]
        for part in work(reference, predictions, sides.plan, skips=skips):
            found = _sum(found, part)
    read = reference.opened if isinstance(reference, ChainedSource) else [reference]
    extents = [(path, source.taken) for path, source in zip(sides.sides[0].paths, read, strict=True)]
    return Folded(found, reference, extents, reference.form if reference.taken else None)


def with_window_size(sides: Sides, *, skips: bool = False) -> Sides:
    """The sides with the window size computed from the reference, if no option gives it.

    Args:
        sides: what is read.
        skips: as in `fold_files`; the window size then comes from the utterances that are scored for every prediction.

    Raises:
        ValueError: what is read is standard input or a pipe, which can't be read twice.
        FileError: it can't be read.
    """
    if not sides.plan.needs_window_size:
        return sides
    read = sides if skips else replace(sides, sides=sides.sides[:1])
    for path in read.paths:
        if path == "-" or is_pipe(path):
            name = "standard input" if path == "-" else path
            whole = "all utterances that can be scored" if skips else "the whole reference"
            raise ValueError(
                f"the default window size needs {whole} first, and {name} can be read only once: pass "
                f"--window-size with a number "
                'of gaps, or "utterance".'
            )
    counts = fold_files(window_lengths, read, skips=skips).found.counts
    size = int(default_window_size(**counts, window_convention=sides.plan.values["window_convention"]))
    return replace(sides, plan=sides.plan.with_window_size(size))
