"""Runs command lines in this process, and writes the files that they read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from segscores.command.cli import build_parser
from segscores.command.flags import Flags
from segscores.support.messages import OptionError


def run_command(*arguments: object) -> None:
    """Run a command line; errors are raised with the words that the script prints."""
    try:
        options = build_parser().parse_args(list(map(str, arguments)))
        options.run(options)
    except OptionError as error:
        raise OptionError(error.message.shown(Flags())) from None


def write(files: Mapping[str, str | bytes | Iterable[str]]) -> None:
    """Write files, each of which is given as its text, its bytes or its lines."""
    for name, content in files.items():
        text = content if isinstance(content, (str, bytes)) else "".join(f"{line}\n" for line in content)
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(text.encode() if isinstance(text, str) else text)
