"""The command `segmentation-scores`, as the console script calls it.

It imports next to nothing before Ctrl-C is taken care of: a third of a run on small files is imports.
"""

from __future__ import annotations

__all__ = ["main"]

import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        arguments: those of the command line, without the command's name; None reads `sys.argv`.

    Returns:
        The exit status, as `cli.run_command` gives it.
    """
    with _ends_at_once():
        from .cli import run_command
    return run_command(arguments)


@contextmanager
def _ends_at_once() -> Iterator[None]:
    """Have Ctrl-C end the process in the block, where there is nothing to tidy up, rather than raise an error there."""
    is_default = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not is_default or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


if __name__ == "__main__":
    sys.exit(main())
