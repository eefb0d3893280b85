"""What the command does: arguments in, results on standard output, errors on standard error with status 2.

Each subcommand is a module that adds its own parser. It imports what takes time to import when it runs, so that `--help`
answers at once.
"""

from __future__ import annotations

__all__ = ["build_parser", "run_command"]

import io
import os
import re
import shlex
import signal
import sys
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import Timer
from types import FrameType
from typing import Any

from ..corpora.names import printable
from . import alignment, compare, correlate, curve, difficulty, errors, groups, halves, report, score, spark, sweep
from .parsing import Parser, Version
from .printing import STANDARD_OUTPUT, discard_output, flush_output


def run_command(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        arguments: those of the command line, without the command's name; None reads `sys.argv`.

    Returns:
        The exit status: 0, 1 where a bound of `--min` is missed or the reader of a pipe has left, 2 after an error, or 128 and
        the number of the signal that ended the run.

    Raises:
        SystemExit: after `--help`, `--version`, and bad arguments.
    """
    # Names of files may have what the terminal's encoding has not.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    if sys.stdout is None:
        return _fail("standard output is closed: there is nowhere to print the result.")
    try:
        with _ends_in_order():
            status = _run(arguments)
            flush_output()
    except BrokenPipeError:
        # The reader of a pipe has left.
        discard_output()
        return 1
    except _EndedError as ended:
        return 128 + ended.signal_number
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except MemoryError:
        return _fail("out of memory: is a line very long, or are there many --jobs?")
    except (ValueError, TypeError, OSError) as error:
        if isinstance(error, OSError) and error.filename == STANDARD_OUTPUT:
            discard_output()
        return _fail(_in_options(_described(error)))
    return status


def _run(arguments: Sequence[str] | None) -> int:
    """Run the subcommand and print its warnings; gives the exit status."""
    try:
        options = build_parser().parse_args(arguments)
    finally:
        # What --help and --version print may not be writable.
        flush_output()
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", UserWarning)
        status = options.run(options)
    # Of a reference that was scored with several predictions the same is said once.
    for message in dict.fromkeys(str(warning.message) for warning in warned):
        _say(f"warning: {_in_options(message)}")
    return int(status or 0)


def _say(message: str) -> None:
    """Print a line to standard error, where there is one that can be written."""
    if sys.stderr:
        with suppress(OSError):
            print(f"segmentation-scores: {message}", file=sys.stderr)


def _fail(message: str) -> int:
    _say(f"error: {message}")
    return 2


def _described(error: Exception) -> str:
    """The message of an error; of the system's errors without their numbers."""
    if isinstance(error, OSError) and error.strerror and error.filename:
        return f"{os.fsdecode(error.filename)}: {error.strerror}."
    return str(error)


class _EndedError(BaseException):
    """The process was asked to end."""

    def __init__(self, signal_number: int) -> None:
        super().__init__(signal_number)
        self.signal_number = signal_number


@contextmanager
def _ends_in_order() -> Iterator[None]:
    """Have signals that end a process, Ctrl-C's too, end the block by an error, so that workers and folders go with it.

    Raises:
        _EndedError: there was one.
    """

    received: list[int] = []
    is_raised = False

    def end(signal_number: int, _: FrameType | None) -> None:
        nonlocal is_raised
        # Once is enough: a second one would stop the tidying.
        if not is_raised:
            is_raised = True
            received.append(signal_number)
            raise _EndedError(signal_number)

    def raise_again(unraisable: Any) -> None:
        """Python drops an error that comes within a destructor or the like, which may be anywhere: send the signal again."""
        nonlocal is_raised
        if unraisable.exc_type is not _EndedError:
            hook(unraisable)
            return
        is_raised = False
        Timer(0.01, os.kill, (os.getpid(), received[0])).start()

    hook = sys.unraisablehook
    numbers = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}
    # Where a signal is ignored, as under nohup, or the program that calls this has plans of its own, that holds.
    replaced = [number for number in numbers if before[number] in (signal.SIG_DFL, signal.default_int_handler)]
    if threading.current_thread() is not threading.main_thread():
        replaced = []  # Python handles signals there alone
    try:
        if replaced:
            sys.unraisablehook = raise_again
        for number in replaced:
            signal.signal(number, end)
        yield
    except Exception:
        # On its way the error meets others, such as of a process that was asked to end too.
        if received:
            raise _EndedError(received[0]) from None
        raise
    finally:
        for number in replaced:
            signal.signal(number, before[number])
        sys.unraisablehook = hook


#: Options that have two words, which messages name as Python does.
_OPTIONS = "|".join(
    (
        "text_format",
        "word_boundary",
        "zero_division",
        "ignored_tokens",
        "window_size",
        "window_convention",
        "transposition_span",
        "on_mismatch",
        "interval_method",
        "n_resamples",
        "on_error",
        "index_column",
    )
)
#: What is called otherwise there.
_OTHER_NAMES = {"n_resamples": "resamples"}


def _in_options(message: str) -> str:
    """A message with Python's options as those of the command line: `text_format="words"` is `--text-format words`."""
    named = re.sub(
        rf"\b({_OPTIONS}|label_scheme)=\[?(['\"])(.*?)\2\]?",
        lambda match: f"{_as_option(match[1])} {shlex.quote(match[3])}",
        message,
    )
    return printable(re.sub(rf"\b({_OPTIONS})\b", lambda match: _as_option(match[0]), named))


def _as_option(name: str) -> str:
    return f"--{_OTHER_NAMES.get(name, name).replace('_', '-')}"


def build_parser() -> Parser:
    """The parser of all arguments."""
    parser = Parser(prog="segmentation-scores", description="Scores for word segmentation.")
    parser.add_argument("--version", action=Version)
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for subcommand in (
        score,
        compare,
        errors,
        report,
        sweep,
        curve,
        difficulty,
        alignment,
        correlate,
        halves,
        spark,
        groups,
    ):
        subcommand.add_parser(commands)
    return parser
