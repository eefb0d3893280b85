"""Uploads: the folder in which a server keeps what visitors upload, and which goes with the server."""

from __future__ import annotations

__all__ = ["keep_uploads"]

import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows, where an open file can't be deleted
    fcntl = None  # type: ignore[assignment]

_PREFIX, _LOCK = "segmentation-scores-", "server.lock"
_FOLDER = "GRADIO_TEMP_DIR"


@contextmanager
def keep_uploads() -> Iterator[Path]:
    """A new folder for uploads, in which gradio looks for them, deleted at the end; also those of servers that were killed.

    It stands in the folder that GRADIO_TEMP_DIR names, else where the system keeps such. A server holds a lock on a file in
    its folder, so that one without a lock has no server.
    """
    base = Path(os.environ.get(_FOLDER) or tempfile.gettempdir())
    base.mkdir(parents=True, exist_ok=True)
    _delete_left_behind(base)
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=base))
    previous = os.environ.get(_FOLDER)
    with (folder / _LOCK).open("w") as lock:
        _try_lock(lock)
        os.environ[_FOLDER] = str(folder)
        # A server that is asked to end would not clean up.
        with suppress(ValueError):
            signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        try:
            yield folder
        finally:
            if previous is None:
                del os.environ[_FOLDER]
            else:
                os.environ[_FOLDER] = previous
            shutil.rmtree(folder, ignore_errors=True)


def _delete_left_behind(base: Path) -> None:
    """Delete the folders of servers that are no more."""
    for folder in base.glob(f"{_PREFIX}*"):
        try:
            with (folder / _LOCK).open("r+") as lock:
                is_free = _try_lock(lock)
        except OSError:
            # Another user's, or one that a server is just making.
            continue
        if is_free:
            shutil.rmtree(folder, ignore_errors=True)


def _try_lock(file: IO[str]) -> bool:
    """Lock a file until it is closed; False where another process has, or there are no locks."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
