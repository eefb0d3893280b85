"""The options that the subcommands share: how text is read, what is scored, and standard input once."""

from __future__ import annotations

__all__ = ["add_score_arguments", "add_text_arguments", "check_standard_input", "score_options", "text_options"]

import argparse
from collections.abc import Iterable
from typing import Any


def add_text_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options on how text is read, and on the value of 0/0."""
    parser.add_argument(
        "--text-format",
        choices=("words", "units", "conllu"),
        default="words",
        help="words: words separated by whitespace; units: units separated by spaces and boundary tokens between words; "
        "conllu: surface tokens, which a name that ends in .conllu always means (default: %(default)s)",
    )
    parser.add_argument(
        "--word-boundary", metavar="TOKEN", help="the token between words in units text (default: WORD_BOUNDARY)"
    )
    parser.add_argument(
        "--ignored-tokens",
        metavar="TOKEN",
        action="append",
        default=[],
        help="a token of units text to drop; repeatable",
    )
    parser.add_argument(
        "--zero-division", metavar="VALUE", type=float, default=0.0, help="the value of 0/0; may be nan (default: 0.0)"
    )


def text_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """The options of `add_text_arguments`, as `scoring.Options` takes them.

    Raises:
        ValueError: they do not go together.
    """
    from ..scoring import DEFAULT_WORD_BOUNDARY

    if arguments.text_format != "units" and (arguments.word_boundary or arguments.ignored_tokens):
        raise ValueError("--word-boundary and --ignored-tokens are for units text: add --text-format units.")
    return {
        "text_format": "units" if arguments.text_format == "units" else "words",
        "word_boundary": DEFAULT_WORD_BOUNDARY if arguments.word_boundary is None else arguments.word_boundary,
        "ignored_tokens": arguments.ignored_tokens,
        "zero_division": arguments.zero_division,
    }


def add_score_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options on what is scored."""
    parser.add_argument(
        "--scores",
        metavar="GROUP[,GROUP]",
        action="append",
        help="score groups, as the command groups lists them; repeatable",
    )
    parser.add_argument(
        "--dictionary",
        metavar="FILE",
        help="segments that could be words, one a line, for the scores of negative segments",
    )
    parser.add_argument(
        "--acceptable", metavar="FILE", help="segments that are no negatives, one a line; goes with --dictionary"
    )
    parser.add_argument(
        "--vocabulary",
        metavar="FILE",
        help="the training words, one a line, or the segmented training text, for OOV scores",
    )
    parser.add_argument(
        "--window-size",
        metavar="NUMBER",
        help='gaps in a window, or "utterance" for half the mean word length of each utterance (default: half that of the '
        "reference)",
    )
    parser.add_argument(
        "--window-convention",
        choices=("segeval", "nltk", "nltk_units"),
        default="segeval",
        help="(default: %(default)s)",
    )
    parser.add_argument(
        "--tolerance",
        metavar="NUMBER",
        type=int,
        default=1,
        help="units that a boundary may be off (default: %(default)s)",
    )
    parser.add_argument(
        "--transposition-span",
        metavar="NUMBER",
        type=int,
        default=2,
        help="gaps that a near miss of a boundary spans (default: %(default)s)",
    )
    parser.add_argument(
        "--normalize", choices=("NFC", "NFD", "NFKC", "NFKD"), help="the Unicode normalisation form that both sides get"
    )
    parser.add_argument(
        "--on-mismatch",
        choices=("error", "skip", "align"),
        default="error",
        help="what becomes of utterances whose units differ: an error, left out, or aligned by a minimal edit script "
        "(default: %(default)s)",
    )


def score_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """The options of `add_score_arguments` and `add_text_arguments`, as `scoring.Options` takes them; the files are read.

    Raises:
        FileError: a file of segments can't be read.
        ValueError: options on text that do not go together.
    """
    from .files import read_lines

    options = text_options(arguments)
    if arguments.scores:
        options["scores"] = [name.strip() for names in arguments.scores for name in names.split(",")]
    if arguments.dictionary:
        options["dictionary"] = read_lines(arguments.dictionary)
    if arguments.acceptable:
        options["acceptable"] = read_lines(arguments.acceptable)
    if arguments.vocabulary:
        options["vocabulary"] = read_lines(arguments.vocabulary)
    if arguments.window_size is not None:
        number = arguments.window_size
        options["window_size"] = int(number) if number.isascii() and number.isdigit() else number
    for name in ("window_convention", "tolerance", "transposition_span", "normalize", "on_mismatch"):
        options[name] = getattr(arguments, name)
    return options


def check_standard_input(paths: Iterable[str | None]) -> None:
    """Check that `-` stands for one file at most.

    Raises:
        ValueError: it stands for several.
    """
    if list(paths).count("-") > 1:
        raise ValueError("standard input (-) can be read once only: name a file for the others.")
