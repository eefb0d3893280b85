"""A progress bar on standard error, if it is a terminal, and the type of function that reports progress."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ...kernel.steps import on_steps
from .names import Held

Progress = Callable[[int], object]


def is_pipe(path: str | Held) -> bool:
    """Return whether a path is a pipe or a device, which can be read only once."""
    if isinstance(path, Held):
        return False
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def is_once(path: str | Held) -> bool:
    """Return whether a path can be read only once: standard input, a pipe or a device."""
    return path == "-" or is_pipe(path)


@contextmanager
def progress_bar(paths: Sequence[str]) -> Iterator[Progress]:
    """Return a progress bar over the bytes of the files, on a terminal, if the work takes more than a moment."""
    if not (sys.stderr and sys.stderr.isatty()):
        yield lambda _: None
        return
    from tqdm import tqdm

    # Functions of os.path, because the methods of Path raise errors for impossible names. A pipe has no size: the total is
    # unknown.
    total = sum(map(os.path.getsize, paths)) if all(map(os.path.isfile, paths)) else None
    options: Any = {"unit_scale": True, "delay": 1.0, "leave": False}
    with (
        tqdm(total=total, unit="B", desc="scoring", **options) as bar,
        tqdm(total=0, unit=" cells", desc="aligning", **options) as cells,
    ):

        def advance(done: int, new: int) -> None:
            """Move the bar of alignments, by the steps that are done, and by new ones that are announced."""
            cells.total += new
            cells.update(done)

        outer = on_steps.set(advance)
        try:
            yield bar.update
        finally:
            on_steps.reset(outer)
