"""The command `segmentation-scores`, as the console script calls it.

It imports next to nothing before Ctrl-C is taken care of: a third of a run on small files is imports.
"""

from __future__ import annotations

__all__ = ["main"]

import signal
import sys

# Not from typing, which takes a while to import.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        arguments: those of the command line, without the command's name; None reads `sys.argv`.

    Returns:
        The exit status, as `cli.run_command` gives it.
    """
    # There is nothing to tidy up yet: Ctrl-C ends the process rather than raise an error in the middle of an import.
    is_default = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    try:
        if is_default:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
    except ValueError:
        # Python handles signals in its main thread alone.
        is_default = False
    try:
        from .cli import run_command
    finally:
        if is_default:
            signal.signal(signal.SIGINT, signal.default_int_handler)
    return run_command(arguments)


if __name__ == "__main__":
    sys.exit(main())
