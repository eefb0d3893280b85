"""Print a script with which a shell completes subcommands, options and their values (extra: completion). Save it where the
shell looks for such scripts, as in segscores completion bash -o ~/.local/share/bash-completion/completions/segscores.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ...options.kinds import Choice
from ...options.optional import require
from .printing import print_out

if TYPE_CHECKING:
    from .parsing import Parser

_SHELLS = ("bash", "zsh", "tcsh")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", metavar="SHELL", help=f"the shell: {', '.join(_SHELLS)}")


def run(arguments: argparse.Namespace) -> None:
    if arguments.shell not in _SHELLS:
        raise ValueError(f"SHELL: expected {', '.join(_SHELLS[:-1])} or {_SHELLS[-1]}, received {arguments.shell!r}.")
    require("shtab", "segscores completion")
    import shtab

    print_out(shtab.complete(_parser_with_choices(), shell=arguments.shell))


def _parser_with_choices() -> Parser:
    """Return the parser of all arguments, whose options know their values; `read_flags` checks these otherwise."""
    from .cli import build_parser

    parser = build_parser()
    for subcommand in parser.subcommands.values():
        options = subcommand.complete().get_default("task").options
        for action in subcommand._actions:
            # Positional arguments and --help are no options of the task.
            option = options.get(action.dest)
            if option is not None and isinstance(option.kind, Choice):
                action.choices = option.kind.choices
    return parser
