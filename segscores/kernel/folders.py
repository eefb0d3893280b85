"""Temporary folders that are removed after a run, even after an interrupt."""

from __future__ import annotations

import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def temporary_folder(prefix: str) -> Iterator[Path]:
    """An empty folder, which is removed with its contents at the end of the block.

    `tempfile.TemporaryDirectory` leaves the folder behind if an interrupt comes after it is made and before the block
    begins.

    Args:
        prefix: the first part of its name.
    """
    folder = Path(tempfile.gettempdir(), prefix + secrets.token_hex(8))
    try:
        folder.mkdir(0o700)
        yield folder
    finally:
        try:
            shutil.rmtree(folder, ignore_errors=True)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
