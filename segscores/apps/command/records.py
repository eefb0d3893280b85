"""The record of a run in JSON: when, with which version and command, and of which files; `verify` repeats it."""

from __future__ import annotations

import argparse
import hashlib
import os
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from ... import __version__
from ...options.tasks import Request, command_line
from ...reading.sources.names import Files


def record_of(arguments: argparse.Namespace, files: Sequence[Files]) -> dict[str, Any]:
    """Return the date, the version, the command and the SHA-256 digest of each file; `SOURCE_DATE_EPOCH` sets the date."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    now = datetime.now(timezone.utc) if epoch is None else datetime.fromtimestamp(int(epoch), timezone.utc)
    inputs = {name: getattr(arguments, name) for name in ("reference", "predictions")}
    paths = dict.fromkeys(path for side in files for path in side.paths)
    return {
        "date": now.isoformat(timespec="seconds"),
        "version": __version__,
        "command": command_line(Request(arguments.task, inputs, arguments.explicit)),
        "digests": {path: digest_of_file(path) for path in paths},
    }


def digest_of_file(path: str) -> str | None:
    """Return the SHA-256 digest of a file; None for standard input and pipes, which cannot be read again."""
    if not Path(path).is_file():
        return None
    with Path(path).open("rb") as file:
        digest = hashlib.sha256()
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return f"sha256:{digest.hexdigest()}"
