"""The options on how text is read, that the subcommands share."""

from __future__ import annotations

__all__ = ["add_text_arguments", "text_options"]

import argparse
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
