"""A progress bar on standard error, where someone watches."""

from __future__ import annotations

__all__ = ["Progress", "ProgressBar", "file_size", "is_pipe"]

import os.path
import sys
from collections.abc import Callable, Sequence

Progress = Callable[[int], object]


def file_size(path: str) -> int | None:
    """The bytes of a file; None if there is not one of that name, or it is no regular one."""
    # Not Path's methods, which raise errors for names that no file can have.
    return os.path.getsize(path) if os.path.isfile(path) else None


def is_pipe(path: str) -> bool:
    """Whether a name stands for a pipe or a device, which is read once."""
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)


class ProgressBar:
    """A progress bar over the bytes of the files, where someone watches and the work takes more than a moment."""

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
