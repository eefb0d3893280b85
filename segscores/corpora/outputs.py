"""Files that are written completely or not at all."""

from __future__ import annotations

__all__ = ["open_whole"]

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def open_whole(path: str) -> Iterator[BinaryIO]:
    """Open a file to write, which replaces an existing file only when all of it is written.

    The target of a link is replaced, not the link, and keeps its permissions. A device or a pipe is written directly.

    Raises:
        OSError: it can't be written.
    """
    target = Path(os.path.realpath(path))
    if target.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
    if target.exists() and not target.is_file():
        with target.open("wb") as file:
            yield file
        return
    # A name that no earlier run can have used.
    partial = target.with_name(f".{os.urandom(8).hex()}.partial")
    try:
        with partial.open("xb") as file:
            yield file
        if target.exists():
            partial.chmod(stat.S_IMODE(target.stat().st_mode))
        partial.replace(target)
    except BaseException as error:
        partial.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno is not None:
            raise OSError(error.errno, error.strerror, path) from None
        raise
