"""Uploads: the temporary folder of a server for the files that visitors upload."""

from __future__ import annotations

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
    """A new folder for uploads, in which gradio looks for them; deletes it at the end, and the folders of killed servers.

    It is in the folder that GRADIO_TEMP_DIR names, or else in the system's folder for temporary files. A server holds a lock
    on a file in its folder, so a folder without a lock has no server.
    """
    base = Path(os.environ.get(_FOLDER) or tempfile.gettempdir())
    base.mkdir(parents=True, exist_ok=True)
    _delete_left_behind(base)
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=base))
    previous = os.environ.get(_FOLDER)
    with (folder / _LOCK).open("w") as lock:
        _try_lock(lock)
        os.environ[_FOLDER] = str(folder)
        # By default a server that receives SIGTERM does not clean up.
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
    for folder in base.glob(f"{_PREFIX}*"):
        try:
            with (folder / _LOCK).open("r+") as lock:
                is_free = _try_lock(lock)
        except OSError:
            # The folder of another user, or one that a server is just creating.
            continue
        if is_free:
            shutil.rmtree(folder, ignore_errors=True)


def _try_lock(file: IO[str]) -> bool:
    """Lock a file until it is closed; False if another process holds the lock, or the system has no locks."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
