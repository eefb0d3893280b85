"""A progress bar on standard error, if that is a terminal."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

Progress = Callable[[int], object]


def is_pipe(path: str) -> bool:
    """Whether a name is that of a pipe or a device, which can be read only once."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


@contextmanager
def progress_bar(paths: Sequence[str]) -> Iterator[Progress]:
    """A progress bar over the bytes of the files, on a terminal, if the work takes more than a moment."""
    if not (sys.stderr and sys.stderr.isatty()):
        yield lambda _: None
        return
    from tqdm import tqdm

    # Not Path's methods, which raise errors for impossible names.
    total = sum(map(os.path.getsize, paths)) if all(map(os.path.isfile, paths)) else None
    with tqdm(total=total, unit="B", unit_scale=True, delay=1.0, leave=False, desc="scoring") as bar:
        yield bar.update
