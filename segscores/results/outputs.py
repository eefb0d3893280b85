"""Outputs: files that are written completely or not at all, and cells of CSV that a spreadsheet does not run."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from ..options.quoting import is_number, without_controls

if sys.platform != "win32":
    import fcntl

#: The ending of a file that is not complete.
_PARTIAL = ".partial"

#: The beginning of a formula; some spreadsheets read the wide signs as the others.
_FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")


@contextmanager
def open_whole(path: str) -> Iterator[BinaryIO]:
    """Open a file to write, which replaces an existing file only when all of it is written.

    The target of a link is replaced, not the link, and keeps its permissions. A device or a pipe is written directly.
    """
    try:
        if _is_device_or_pipe(path):
            # Links are not followed: those of /dev/stdout, and of >(…) in a shell, may lead to no name.
            with open(path, "wb") as file:
                yield file
            return
        target = _target_of(path)
        with _partial_of(target) as partial:
            with partial.open("wb") as file:
                yield file
            if target.exists():
                partial.chmod(stat.S_IMODE(target.stat().st_mode))
            partial.replace(target)
    except OSError as error:
        # An error of this file names the partial file, or none. Others have a message of their own, or name another file.
        is_of_this_file = error.filename is None or str(error.filename).endswith(_PARTIAL)
        if error.errno is None or not is_of_this_file:
            raise
        raise OSError(error.errno, error.strerror, path) from None


def _is_device_or_pipe(path: str) -> bool:
    """Return True for what exists and is no file; also for a folder, which cannot be opened."""
    return os.path.exists(path) and not os.path.isfile(path)


def _target_of(path: str) -> Path:
    """Return the path of the file to which links lead; raise an OSError for a loop of links, and for the name of a folder."""
    if not os.path.basename(path):
        # `realpath` would drop the separator at the end.
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    target = Path(os.path.realpath(path))
    if target.is_symlink():
        # `realpath` follows all links but those of a loop.
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
    return target


@contextmanager
def _partial_of(target: Path) -> Iterator[Path]:
    """Yield the path of a new file beside the target. Except on Windows, the file is locked while it is written.

    A killed run leaves the file without a lock. The next run removes it, if it has the usual name and there are locks.
    """
    import hashlib

    digest = hashlib.sha256(os.fsencode(target.name)).hexdigest()[:16]
    partial = target.with_name(f".{digest}{_PARTIAL}")
    # Remove what a killed run left. If another run is writing the file, `_lock` raises an OSError, and the file stays. What is no
    # regular file, such as a link, stays too.
    with suppress(OSError):
        if stat.S_ISREG(partial.lstat().st_mode):
            with partial.open("rb") as left_over:
                _lock(left_over)
                partial.unlink()
    opened = _create_locked(partial)
    if opened is None:
        # Another run writes the same target: take a name that no run looks for.
        partial = target.with_name(f".{os.urandom(8).hex()}{_PARTIAL}")
        opened = partial.open("xb")
    # The lock lasts as long as the file is open, which is to the end of this block.
    with opened:
        if sys.platform == "win32":
            # Windows replaces no open file. There is no lock to keep.
            opened.close()
        try:
            yield partial
        except BaseException:
            partial.unlink(missing_ok=True)
            raise


def _create_locked(path: Path) -> BinaryIO | None:
    """Create and lock a file; return None if another run has it."""
    try:
        file = path.open("xb")
    except FileExistsError:
        return None
    try:
        _lock(file)
    except BlockingIOError:
        # Another run has locked it, to remove it as left over.
        file.close()
        return None
    except OSError:
        # Without locks no run removes files of others.
        return file
    # Between its creation and its lock, another run may have removed the file, and may have made one of its own.
    is_still_there = path.exists() and os.path.samestat(os.fstat(file.fileno()), path.stat())
    if is_still_there:
        return file
    file.close()
    return None


def _lock(file: BinaryIO) -> None:
    """Lock a file until it is closed; raise OSError if it is locked, or there are no locks."""
    if sys.platform != "win32":
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    else:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))


def csv_cell(value: object) -> object:
    """Return a cell for CSV: numbers unchanged, text without control characters and without formulas, tuples with spaces between.

    A single sign is not a formula, so punctuation among words is unchanged. Where a comma is the decimal sign, spreadsheets begin
    a cell after each semicolon.

    >>> [csv_cell(value) for value in (-0.5, "-0.5", "=1+1", "-", "a;=1+1", "a\\x1b[31m")]
    [-0.5, '-0.5', "'=1+1", '-', "a;'=1+1", 'a\\\\x1b[31m']
    """
    if isinstance(value, tuple):
        value = " ".join(map(str, value))
    if not isinstance(value, str):
        return value
    return ";".join(map(_without_formula, without_controls(value).split(";")))


def _without_formula(text: str) -> str:
    """Return a text with an apostrophe before it if a spreadsheet would run it; a number stays as it is."""
    is_formula = text.startswith(_FORMULA) and len(text) > 1 and not is_number(text)
    return f"'{text}" if is_formula else text
