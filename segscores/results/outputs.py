"""Outputs: files that are written completely or not at all, and cells of CSV that a spreadsheet does not run."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from ..options.quoting import without_controls

#: The beginning of a formula; some spreadsheets read the wide signs as the others.
_FORMULA = re.compile("[=+\\-@\uff1d\uff0b\uff0d\uff20].", re.DOTALL)


@contextmanager
def open_whole(path: str) -> Iterator[BinaryIO]:
    """Open a file to write, which replaces an existing file only when all of it is written.

    The target of a link is replaced, not the link, and keeps its permissions. A device or a pipe is written directly.
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


def csv_cell(value: object) -> object:
    """A cell of CSV: numbers unchanged, text without control characters, and nothing that looks like a formula.

    A single sign is not a formula, so punctuation among words is unchanged. Where a comma is the decimal sign, spreadsheets begin
    a cell after each semicolon.

    >>> [csv_cell(value) for value in (-0.5, "-0.5", "=1+1", "-", "a;=1+1", "a\\x1b[31m")]
    [-0.5, '-0.5', "'=1+1", '-', "a;'=1+1", 'a\\\\x1b[31m']
    """
    if not isinstance(value, str):
        return value
    parts = without_controls(value).split(";")
    return ";".join(f"'{part}" if _FORMULA.match(part) and not _is_number(part) else part for part in parts)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
