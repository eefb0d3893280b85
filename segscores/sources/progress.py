"""A progress bar on standard error, if that is a terminal."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Sequence

Progress = Callable[[int], object]


def file_size(path: str) -> int | None:
    """The bytes of a file; None if there is no regular file of that name."""
    # Not Path's methods, which raise errors for impossible names.
    return os.path.getsize(path) if os.path.isfile(path) else None


def is_pipe(path: str) -> bool:
    """Whether a name is that of a pipe or a device, which can be read only once."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


class ProgressBar:
    """A progress bar over the bytes of the files, on a terminal, if the work takes more than a moment."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._paths = paths

    def __enter__(self) -> Progress:
        self._close: Callable[[], object] = lambda: None
        if not (sys.stderr and sys.stderr.isatty()):
            return lambda _: None
        from tqdm import tqdm

        sizes = [file_size(path) for path in self._paths]
        total = None if None in sizes else sum(size for size in sizes if size)
        bar = tqdm(total=total, unit="B", unit_scale=True, delay=1.0, leave=False, desc="scoring")
        self._close = bar.close
        update: Progress = bar.update
        return update

    def __exit__(self, *exception: object) -> None:
        self._close()
