"""Output of the command, in any encoding of standard output, with an error if it can't be written.

CSV is UTF-8 in every environment; other formats have escapes for the characters that standard output cannot encode.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...options.quoting import printable

if TYPE_CHECKING:
    from ...results.result import Result

#: The name of standard output in errors.
STANDARD_OUTPUT = "standard output"


@contextmanager
def printed_to(path: str | None) -> Iterator[None]:
    """Write what is printed to a file, as a whole, at the end; None or - for standard output."""
    if path is None or path == "-":
        yield
        return
    from ...results.outputs import open_whole

    printed = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="\n")
    with redirect_stdout(printed):
        yield
    printed.flush()
    with open_whole(path) as file:
        file.write(printed.buffer.getvalue())


def print_result(result: Result, arguments: argparse.Namespace, record: Mapping[str, Any] | None = None) -> None:
    """Print a result, with the record of the run if there is one, in the format and layout of the arguments."""
    from ...results.rendering import render

    if record:
        result = replace(result, record={**(result.record or {}), "record": record})
    # The options of the layout that the task has and the user wrote; `render` has the defaults of the others.
    layout = {name: arguments.explicit[name] for name in ("percent", "systems") if name in arguments.explicit}
    # A program that calls the command may have replaced standard output by another stream.
    if arguments.format == "csv" and isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    print_out(render(result, arguments.format, sys.stdout.encoding or "utf-8", **layout))


def print_out(text: str) -> None:
    """Print a text and a newline."""
    with _named():
        sys.stdout.write(f"{text}\n")


def say(message: str) -> None:
    """Print a line about the run to standard error, if it can be written."""
    if sys.stderr:
        with suppress(OSError):
            print(f"segscores: {printable(message)}", file=sys.stderr)


def flush_output() -> None:
    """Write the buffered output."""
    if sys.stdout is not None:
        with _named():
            sys.stdout.flush()


def discard_output() -> None:
    """Redirect standard output after it failed, so that Python's flush at exit does not fail again."""
    standard_output = 1
    os.dup2(os.open(os.devnull, os.O_WRONLY), standard_output)


@contextmanager
def _named() -> Iterator[None]:
    """Name standard output in errors, except if a reader has closed the pipe."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OSError(error.errno, error.strerror, STANDARD_OUTPUT) from None
