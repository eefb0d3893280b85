"""The command `segmentation-scores`, as the console script calls it. Ctrl-C ends it quietly while it imports, too."""

from __future__ import annotations

import signal
import sys

# Not imported from typing, which is slow to import.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, and return the exit status."""
    try:
        from .cli import run_command

        return run_command(arguments)
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


if __name__ == "__main__":
    sys.exit(main())
