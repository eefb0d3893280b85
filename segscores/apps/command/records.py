"""The record of a run in JSON: when, with which version and command, and of which files; `verify` repeats it."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from ... import DEFINITIONS_VERSION, __version__
from ...options.tasks import Request, command_line
from ...reading.sources.names import Files, state_of
from .text import files_read, paths_on_disk


def record_of(arguments: argparse.Namespace, files: Sequence[Files]) -> dict[str, Any] | None:
    """Return the date, the version, the command and the SHA-256 digest of each file that is read; None if the output is not JSON.

    The environment variable SOURCE_DATE_EPOCH sets the date, for builds that must be equal. The files are read later, and are
    checked then to be the same.
    """
    if arguments.format != "json":
        return None
    # The arguments of the command line in their order.
    inputs = {name: getattr(arguments, name) for name in ("reference", "predictions")}
    paths = files_read(arguments, paths_on_disk(files))
    request = Request(arguments.task, inputs, arguments.explicit)
    return {
        "date": _date().isoformat(timespec="seconds"),
        "version": __version__,
        "definitions": DEFINITIONS_VERSION,
        "command": command_line(request),
        "digests": {path: digest_of_file(path) for path in paths},
    }


def _date() -> datetime:
    """Return the date of the run: the present, or the date that SOURCE_DATE_EPOCH sets."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    if epoch is None:
        return datetime.now(timezone.utc)
    try:
        return datetime.fromtimestamp(int(epoch), timezone.utc)
    except (ValueError, OverflowError, OSError):  # no number, or a date beyond the calendar
        problem = f"SOURCE_DATE_EPOCH: expected the seconds since 1970, such as 1700000000, received {epoch!r}."
        raise ValueError(problem) from None


def digest_of_file(path: str) -> str | None:
    """Return the SHA-256 digest of a file; None for pipes, which cannot be read again, and for what cannot be read."""
    import hashlib

    digest = hashlib.sha256()
    try:
        if state_of(path) is None:
            return None
        with Path(path).open("rb") as file:
            while chunk := file.read(1 << 20):
                digest.update(chunk)
    except OSError:
        return None
    return f"sha256:{digest.hexdigest()}"
