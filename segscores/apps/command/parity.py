"""Count the tokens that tokenizers make of each language of a parallel text, beside those of a pivot language (Petrov et al.
2023). A file has a language, and line i of each says the same. Prints the tokens, the bytes per token, the parity (tokens of the
language for each of the pivot) with its interval, and the measured speed in bytes per second.
"""

from __future__ import annotations

import argparse
from itertools import chain

from ...options.messages import OptionError
from ...options.table import OPTIONS
from ...reading.sources.names import Files, stem_of
from .printing import print_result
from .sides import split_name
from .text import check_files, encoding_of, paths_on_disk


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "texts", metavar="[LANGUAGE=]FILE", nargs="+", help="the text in a language, and optionally its name"
    )


def run(arguments: argparse.Namespace) -> None:
    from ...analysis.parity import parity, parity_result
    from ...reading.sources.opening import all_lines

    texts = _named_files(arguments.texts, "FILE")
    tokenizers = _named_files(arguments.tokenizers, "--tokenizers")
    for files in tokenizers.values():
        if files.tokenizer is None:
            expected = "expected a JSON file of tokenizers, its folder, or a .model of SentencePiece."
            raise OptionError(OPTIONS["tokenizers"], f": {files.argument} is no tokenizer; {expected}")
    check_files(arguments, paths_on_disk([*texts.values(), *tokenizers.values()]))
    encoding = encoding_of(arguments)
    lines = {}
    for name, files in texts.items():
        lines[name] = [*chain.from_iterable(all_lines(path, encoding=encoding) for path in files.paths)]
    opened = {name: files.tokenizer.tokenizer for name, files in tokenizers.items() if files.tokenizer is not None}
    rows = parity(lines, opened, pivot=arguments.pivot, confidence=arguments.confidence)
    print_result(parity_result(rows), arguments)


def _named_files(arguments: list[str], what: str) -> dict[str, Files]:
    """Return the files by the names before them, or by their own names without endings.

    `what` is the argument or the flag that names them, for the message: `FILE: two are called de: …`.
    """
    files: dict[str, Files] = {}
    for argument in arguments:
        name, path = split_name(argument)
        name = name or stem_of(path)
        if name in files:
            raise ValueError(f"{what}: two are called {name}: expected a name for each, as NAME={path}.")
        files[name] = Files.of(path)
    return files
