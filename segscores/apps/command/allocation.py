"""Memory that the C library keeps from one part of a corpus to the next."""

from __future__ import annotations

import ctypes
import sys

# From malloc.h, see mallopt(3).
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3


def keep_freed_memory() -> None:
    """Make the C library keep the memory of one part for the next.

    By default glibc returns blocks of megabytes to the system, which clears every page before it allocates it again;
    that takes a third of the time on short lines. Other C libraries have no such call and do not need it.
    """
    if sys.platform == "linux":
        libc = ctypes.CDLL(None)
        if hasattr(libc, "mallopt") and hasattr(libc, "gnu_get_libc_version"):
            libc.mallopt(_M_MMAP_THRESHOLD, 32 << 20)
            libc.mallopt(_M_TRIM_THRESHOLD, 1 << 30)
