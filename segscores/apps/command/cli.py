"""The command: arguments in, results on standard output, errors on standard error with status 2.

Each subcommand is a module, which is imported when it is named. Its docstring is the description in the help, `add_arguments`
adds the positional arguments to its parser, and `run` does the work, and may return an exit status. It imports slow modules only
when it runs, so that `--help` answers at once.
"""

from __future__ import annotations

import io
import os
import sys
import warnings
from argparse import Namespace
from collections.abc import Sequence
from functools import cache, partial
from importlib import import_module

from ... import DEFINITIONS_VERSION, __version__
from ...options.file_kinds import PrintedFile
from ...options.messages import Message, message_of
from ...options.tasks import CODE, COMMANDS, Task
from .flags import Flags, add_flags
from .parsing import Parser, Print
from .printing import STANDARD_OUTPUT, discard_output, flush_output, printed_to, say


def run_command(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status of the command, except after `--help`, `--version` and bad arguments, which exit at once.

    The status is 0 after success, 1 if a score fails a check or the reader of a pipe has closed it, and 2 after an error.
    """
    # Names of files may contain characters that the encoding of the terminal lacks.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    if sys.stdout is None:
        return _fail("standard output is closed: the result cannot be printed.")
    # `_run` replaces this task as soon as it has parsed the name of a subcommand. An error before that is shown with this task:
    # it has no options of its own, so that all options are named by their flags.
    options = Namespace(task=Task(name="", purpose=""))
    try:
        status = _run(arguments, options)
        flush_output()
    except BrokenPipeError:
        discard_output()
        return 1
    except MemoryError:
        return _fail("out of memory: is a line very long?")
    except (ValueError, TypeError, OSError) as error:
        if isinstance(error, OSError) and error.filename == STANDARD_OUTPUT:
            # It cannot be written, for example because a disk is full.
            discard_output()
        return _fail(_show(_describe(error), options.task))
    return status


def _run(arguments: Sequence[str] | None, options: Namespace) -> int:
    """Parse the arguments into `options`, run the subcommand, and print its warnings; return its exit status."""
    try:
        command_parser().parse_args(arguments, options)
    finally:
        # --help and --version print too, and the output may not be writable.
        flush_output()
    with warnings.catch_warnings(record=True) as recorded:
        warnings.simplefilter("always", UserWarning)
        with printed_to(_output_of(options)):
            status = options.run(options)
    # Several predictions of one reference cause the same warning: print it once.
    for message in dict.fromkeys(message_of(warning.message) for warning in recorded):  # type: ignore[arg-type]
        say(f"warning: {_show(message, options.task)}")
    # Subcommands that cannot fail a check return None.
    return int(status or 0)


def _output_of(options: Namespace) -> str | None:
    """Return the file that takes the place of standard output; None if the task has no such option, or the user named none."""
    option = options.task.options.get("output")
    if option is None or not isinstance(option.kind, PrintedFile):
        return None
    path: str | None = options.output
    if path is not None and path != "-":
        from .text import check_output

        # `check_files` checks later that it is no input.
        check_output(path, inputs=[])
    return path


def _fail(message: str) -> int:
    """Print an error, and return its exit status."""
    say(f"error: {message}")
    return 2


def _describe(error: Exception) -> str:
    """Return the message of an error; errors of the operating system lose their numbers."""
    if isinstance(error, OSError) and error.strerror and error.filename:
        return f"{os.fsdecode(error.filename)}: {error.strerror}."
    if isinstance(error, FileNotFoundError) and error.filename is None:
        # os.getcwd raises the only error of this kind without a file name.
        return "the working directory does not exist any more: change to another one."
    return message_of(error)


def _show(message: str, task: Task) -> str:
    """Write the options of a message in the form of the command line."""
    if isinstance(message, Message):
        return message.shown(Flags(task))
    return message


def subcommand_parsers() -> dict[str, Parser]:
    """Build the parser of each subcommand, with its arguments."""
    return {name: parser.complete() for name, parser in build_parser().subcommands.items()}


@cache
def command_parser() -> Parser:
    """Return the parser of all arguments that a process shares: to build one takes longer than to score a small file."""
    return build_parser()


def build_parser() -> Parser:
    """Build the parser of all arguments."""
    parser = Parser(
        prog="segscores",
        description="Scores for word segmentation.",
        epilog="Begin with `segscores score REFERENCE PREDICTION`. `segscores COMMAND --help` describes a command. The guides "
        f"are at {CODE}",
    )
    version = f"segscores {__version__} (definitions {DEFINITIONS_VERSION})"
    parser.add_argument("--version", action=Print, const=version, nargs=0, help="print the version")
    commands = parser.add_subparsers(title="commands", prog="segscores", required=True, metavar="COMMAND")
    for task in COMMANDS.values():
        commands.add_parser(task.name, help=task.purpose, arguments=partial(_add_arguments, task))
    return parser


def _add_arguments(task: Task, parser: Parser) -> None:
    """Add the arguments and flags of a subcommand to its parser; its short help only names those that are rarely needed."""
    subcommand = import_module(f".{task.name}", __package__)
    parser.description = subcommand.__doc__
    if hasattr(subcommand, "add_arguments"):
        subcommand.add_arguments(parser)
    rarely_needed = add_flags(parser, task)
    parser.rare = rarely_needed
    parser.set_defaults(run=subcommand.run, task=task)
