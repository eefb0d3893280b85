"""The command `segmentation-scores`, as the console script calls it.

It handles Ctrl-C before it imports other modules, because imports take a third of a run on small files.
"""

from __future__ import annotations

import signal
import sys

# Not imported from typing, which is slow to import.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command."""
    # There is nothing to clean up yet: Ctrl-C ends the process instead of raising an error in the middle of an import.
    is_default = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    try:
        if is_default:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
    except ValueError:
        # Python handles signals only in its main thread.
        is_default = False
    try:
        from .cli import run_command
    finally:
        if is_default:
            signal.signal(signal.SIGINT, signal.default_int_handler)
    return run_command(arguments)


if __name__ == "__main__":
    sys.exit(main())
