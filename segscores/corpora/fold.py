"""The one loop over files: the results of the parts of all files, added up.

With `skips=False` the first bad utterance or file in order is the error. With `skips=True` bad utterances are left out; and where
the sides have equal numbers of files, several on each side, files that can't be read or don't pair are left out completely.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa

from ..kernel.errors import FileError
from ..measures.windows import default_window_size
from .file_tallies import window_lengths
from .progress import Progress, ProgressBar, is_pipe
from .side_sources import hint_at_numbers, open_side
from .sides import Sides
from .sources import ChainedSource

#: Such as `file_tallies.tally_parts`: called with the reference, the predictions, the plan and `skips`, it yields the result for
#: each part. A result has `update`, which adds the next one.
Work = Callable[..., Iterator[Any]]


@dataclass
class Folded:
    """The sum of the results for all parts.

    Attributes:
        found: the sum; None without any part, and never from `fold_files`.
        extents: the files of the reference in order, each with its number of utterances.
        noun, first_number: the name of an utterance in the reference's files, and the number of the first.
        form: the form of the reference's utterances, a type of `inputs`; None without any.
        failures: why files were left out, an entry for each.
    """

    found: Any = None
    extents: list[tuple[str, int]] = field(default_factory=list)
    noun: str = "line"
    first_number: int = 1
    form: pa.DataType | None = None
    failures: list[str] = field(default_factory=list)

    @property
    def utterances(self) -> int:
        """The number of utterances, including bad ones."""
        return sum(count for _, count in self.extents)

    def add(self, part: Any) -> None:
        """Add the result for the next part; None adds nothing."""
        if self.found is None:
            self.found = part
        elif part is not None:
            self.found.update(part)

    def update(self, other: Folded) -> None:
        """Add the results for the next files."""
        self.add(other.found)
        self.extents += other.extents
        self.noun, self.first_number = other.noun, other.first_number
        self.form = other.form if self.form is None else self.form


def fold_files(work: Work, sides: Sides, *, skips: bool = False) -> Folded:
    """Call `work` for all files, and add up its results.

    Args:
        work: called in this thread.
        sides: the sides to read.
        skips: whether to leave out bad utterances and files.

    Raises:
        FileError: a file can't be read, the sides don't pair, an utterance is bad, or there is none; with `skips`, no file can
            be scored.
    """
    groups = sides.groups() if skips else [sides]
    whole = Folded()
    with ProgressBar(sides.paths) as progress, hint_at_numbers(sides):
        for group in groups:
            try:
                whole.update(_fold_group(work, group, progress, skips=skips))
            except FileError as error:
                if len(groups) == 1:
                    raise
                whole.failures.append(str(error))
    if not whole.extents:
        raise FileError(f"nothing could be scored. The first problem: {whole.failures[0]}")
    if not whole.utterances:
        raise FileError(f"{sides.sides[0].label}: the file is empty; expected at least one {whole.noun}.")
    return whole


def _fold_group(work: Work, sides: Sides, progress: Progress, *, skips: bool) -> Folded:
    """The results for files that are read together."""
    folded = Folded()
    with ExitStack() as stack:
        reference, *predictions = [
            stack.enter_context(closing(open_side(side, sides, progress))) for side in sides.sides
        ]
        for part in work(reference, predictions, sides.plan, skips=skips):
            folded.add(part)
    read = reference.opened if isinstance(reference, ChainedSource) else [reference]
    folded.extents = [(path, source.taken) for path, source in zip(sides.sides[0].paths, read, strict=True)]
    folded.noun, folded.first_number = reference.noun, reference.first_number
    folded.form = reference.form if folded.utterances else None
    return folded


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
