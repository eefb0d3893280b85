"""The command `segmentation-scores`: arguments in, results on standard output, errors on standard error with status 2.

Each subcommand is a module that adds its own parser. It imports what takes time to import when it runs, so that `--help`
answers at once.
"""

from __future__ import annotations

__all__ = ["main"]

import argparse
import io
import os
import re
import shlex
import signal
import sys
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

from .. import __version__
from ..corpora.names import printable
from . import alignment, compare, correlate, curve, difficulty, errors, groups, halves, report, score, spark, sweep


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        arguments: those of the command line, without the command's name; None reads `sys.argv`.

    Returns:
        The exit status: 0, 2 after an error, or 128 and the number of the signal that ended the run.
    """
    # Names of files may have what the terminal's encoding has not.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    options = _parser().parse_args(arguments)
    try:
        with _ends_in_order(), warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always", UserWarning)
            options.run(options)
        # Of a reference that was scored with several predictions the same is said once.
        for message in dict.fromkeys(str(warning.message) for warning in warned):
            if sys.stderr:
                print(f"segmentation-scores: warning: {_in_options(message)}", file=sys.stderr)
        if sys.stdout:
            sys.stdout.flush()
    except BrokenPipeError:
        # The reader of a pipe has left. Point standard output elsewhere, or its last flush would complain again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130
    except _EndedError as ended:
        return 128 + ended.signal_number
    except MemoryError:
        if sys.stderr:
            print(
                "segmentation-scores: error: out of memory: is a line very long, or are there many --jobs?",
                file=sys.stderr,
            )
        return 2
    except (ValueError, TypeError, OSError) as error:
        if sys.stderr:
            print(f"segmentation-scores: error: {_in_options(str(error))}", file=sys.stderr)
        return 2
    return 0


class _EndedError(BaseException):
    """The process was asked to end."""

    def __init__(self, signal_number: int) -> None:
        super().__init__(signal_number)
        self.signal_number = signal_number


@contextmanager
def _ends_in_order() -> Iterator[None]:
    """Have signals that end a process end the block as Ctrl-C does: by an error, so that workers and folders go with it.

    Raises:
        _EndedError: there was one.
    """

    received = []

    def end(signal_number: int, _: FrameType | None) -> NoReturn:
        # Once is enough: a second one would stop the tidying.
        signal.signal(signal_number, signal.SIG_IGN)
        received.append(signal_number)
        raise _EndedError(signal_number)

    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    # Where a signal is ignored, as under nohup, or the program that calls this has plans of its own, that holds.
    replaced = [number for number in numbers if signal.getsignal(number) is signal.SIG_DFL]
    if threading.current_thread() is not threading.main_thread():
        replaced = []  # Python handles signals there alone
    try:
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
            signal.signal(number, signal.SIG_DFL)


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


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="segmentation-scores", description="Scores for word segmentation.", allow_abbrev=False
    )
    parser.add_argument("--version", action=_Version)
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


class _Version(argparse.Action):
    """`--version`, that looks the version up only when asked."""

    def __init__(self, option_strings: Sequence[str], dest: str) -> None:
        super().__init__(option_strings, dest, nargs=0, help="print the version")

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:

        print(f"segmentation-scores {__version__}")
        parser.exit()


if __name__ == "__main__":
    sys.exit(main())
