"""A progress bar on standard error, where someone watches."""

from __future__ import annotations

__all__ = ["ProgressBar"]

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

Progress = Callable[[int], object]


class ProgressBar:
    """A progress bar over the bytes of the files, where someone watches and the work takes more than a moment."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._paths = paths

    def __enter__(self) -> Progress:
        self._close: Callable[[], object] = lambda: None
        if not (sys.stderr and sys.stderr.isatty()):
            return lambda _: None
        from tqdm import tqdm

        sizes = [Path(path).stat().st_size if Path(path).is_file() else None for path in self._paths]
        total = None if None in sizes else sum(size for size in sizes if size)
        bar = tqdm(total=total, unit="B", unit_scale=True, delay=1.0, leave=False, desc="scoring")
        self._close = bar.close
        update: Progress = bar.update
        return update

    def __exit__(self, *exception: object) -> None:
        self._close()
