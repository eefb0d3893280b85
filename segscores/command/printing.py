"""Output of the command, in any encoding of standard output, with an error if it can't be written.

Conventions
-----------
- JSON has the same data in every encoding: characters that standard output cannot encode, and characters that control a
  terminal or reorder its text, are written as escapes.
- CSV and JSON lines are UTF-8. An apostrophe precedes a cell that a spreadsheet would treat as a formula.
"""

from __future__ import annotations

import codecs
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from ..kernel.json_text import ascii_json

#: The name of standard output in errors.
STANDARD_OUTPUT = "standard output"

#: The formats that programs read.
_FOR_PROGRAMS = ("json", "csv")


def print_out(text: str, form: str = "table") -> None:
    """Print a result and a newline."""
    stdout = sys.stdout
    if form in _FOR_PROGRAMS and codecs.lookup(stdout.encoding or "ascii").name != "utf-8":
        if form == "json":
            text = ascii_json(text)
        elif isinstance(stdout, io.TextIOWrapper):
            stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    with _named():
        stdout.write(f"{text}\n")


def as_printed(text: str) -> str:
    """A text as standard output shows it, with an escape for each character that its encoding lacks."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def flush_output() -> None:
    """Write the buffered output."""
    if sys.stdout is not None:
        with _named():
            sys.stdout.flush()


def discard_output() -> None:
    """Redirect standard output after it failed, so that Python's flush at exit does not fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


@contextmanager
def _named() -> Iterator[None]:
    """Name standard output in errors, except if a reader has closed the pipe."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OSError(error.errno, error.strerror, STANDARD_OUTPUT) from None
