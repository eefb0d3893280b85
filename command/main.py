"""The command `segmentation-scores`: arguments in, results on standard output, errors on standard error with status 2.

Each subcommand is a module that adds its own parser. It imports what takes time to import when it runs, so that `--help`
answers at once.
"""

from __future__ import annotations

__all__ = ["main"]

import argparse
import os
import sys
from collections.abc import Sequence

from . import alignment, correlate, groups, halves, score


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        arguments: those of the command line, without the command's name; None reads `sys.argv`.

    Returns:
        The exit status: 0, or 2 after an error.
    """
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader of a pipe has left. Point standard output elsewhere, or its last flush would complain again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130
    except (ValueError, TypeError, OSError) as error:
        print(f"segmentation-scores: error: {error}", file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="segmentation-scores", description="Scores for word segmentation.", allow_abbrev=False
    )
    parser.add_argument("--version", action=_Version)
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for subcommand in (score, alignment, correlate, halves, groups):
        subcommand.add_parser(commands)
    return parser


class _Version(argparse.Action):
    """`--version`, that looks the version up only when asked."""

    def __init__(self, option_strings: Sequence[str], dest: str) -> None:
        super().__init__(option_strings, dest, nargs=0, help="print the version")

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from ..scores import VERSION

        parser.exit(message=f"segmentation-scores {VERSION}\n")


if __name__ == "__main__":
    sys.exit(main())
