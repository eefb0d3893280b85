"""The command `segmentation-scores`: arguments in, results on standard output, errors on standard error with status 2.

What takes time to import is imported by the subcommand that needs it, so that `--help` answers at once.
"""

from __future__ import annotations

__all__ = ["main"]

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .files import Progress

FORMAT_NAMES = ("table", "json", "csv", "markdown", "latex")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        arguments: those of the command line, without the command's name; None reads `sys.argv`.

    Returns:
        The exit status: 0, or 2 after an error.
    """
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader of a pipe has left. Point standard output elsewhere, or its last flush would complain again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130
    except (ValueError, TypeError, OSError) as error:
        print(f"segmentation-scores: error: {error}", file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="segmentation-scores", description="Scores for word segmentation.", allow_abbrev=False
    )
    parser.add_argument("--version", action=_Version)
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    _add_score(commands.add_parser("score", help="score predictions against a reference", allow_abbrev=False))
    groups = commands.add_parser("groups", help="list the score groups", allow_abbrev=False)
    groups.set_defaults(run=_run_groups)
    return parser


def _add_score(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Score predictions against a reference. Files are UTF-8, one utterance a line, or CoNLL-U if their name ends in "
        ".conllu. Utterances pair by position and must have the same characters (or units) on both sides."
    )
    parser.add_argument("reference", metavar="REFERENCE", help="file with the reference; - is standard input")
    parser.add_argument("predictions", metavar="PREDICTION", nargs="+", help="files with predictions, a column each")
    parser.add_argument(
        "--text-format",
        choices=("words", "units", "conllu"),
        default="words",
        help="words: words separated by whitespace; units: units separated by spaces and boundary tokens between words "
        "(default: %(default)s)",
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
        "--scores",
        metavar="GROUP[,GROUP]",
        action="append",
        help="score groups, as the command groups lists them; repeatable",
    )
    parser.add_argument(
        "--zero-division", metavar="VALUE", type=float, default=0.0, help="the value of 0/0; may be nan (default: 0.0)"
    )
    parser.add_argument("--counts", action="store_true", help="print what was counted too")
    parser.add_argument("--format", choices=FORMAT_NAMES, default="table", help="(default: %(default)s)")
    parser.set_defaults(run=_run_score)


def _run_score(arguments: argparse.Namespace) -> None:
    from ..scores import DEFAULT_SCORES
    from ..scoring import DEFAULT_WORD_BOUNDARY, Options, score_tally
    from .files import is_conllu, keep_freed_memory, open_source, tally_files
    from .tables import Result, format_results

    keep_freed_memory()
    paths = [arguments.reference, *arguments.predictions]
    if paths.count("-") > 1:
        raise ValueError("standard input (-) can be read once only: name a file for the others.")
    if arguments.text_format != "units" and (arguments.word_boundary or arguments.ignored_tokens):
        raise ValueError("--word-boundary and --ignored-tokens are for units text: add --text-format units.")
    options = Options(
        scores=[name for names in arguments.scores for name in names.split(",")]
        if arguments.scores
        else DEFAULT_SCORES,
        text_format="units" if arguments.text_format == "units" else "words",
        word_boundary=DEFAULT_WORD_BOUNDARY if arguments.word_boundary is None else arguments.word_boundary,
        ignored_tokens=arguments.ignored_tokens,
        zero_division=arguments.zero_division,
    )
    # Spaces within the words of CoNLL-U are units only where every side can have them.
    keep_spaces = all(is_conllu(path, arguments.text_format) for path in paths)
    with _ProgressBar(paths) as progress:
        reference, *predictions = (
            open_source(path, options, arguments.text_format, keep_spaces, progress) for path in paths
        )
        tallies = tally_files(reference, predictions, options)
    results = [
        Result(name, score_tally(tally, options), tally.totals() if arguments.counts else {})
        for name, tally in zip(arguments.predictions, tallies, strict=True)
    ]
    print(format_results(results, arguments.reference, arguments.format))


def _run_groups(_: argparse.Namespace) -> None:
    from ..scores import GROUPS, SELECTIONS

    for group in GROUPS.values():
        print(f"{group.name}\n  {group.definition}\n  keys:    {', '.join(group.keys)}")
        print(f"  formula: {group.formula}\n  source:  {group.source}")
    for name, keys in SELECTIONS.items():
        print(f"{name}\n  keys:    {', '.join(keys)}")


class _ProgressBar:
    """A progress bar over the bytes of the files, where someone watches and the work takes more than a moment."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._paths = paths

    def __enter__(self) -> Progress:
        self._close: Callable[[], object] = lambda: None
        if not sys.stderr.isatty():
            return lambda _: None
        from tqdm import tqdm

        sizes = [Path(path).stat().st_size if Path(path).is_file() else None for path in self._paths]
        total = None if None in sizes else sum(size for size in sizes if size)
        bar = tqdm(total=total, unit="B", unit_scale=True, delay=1.0, leave=False, desc="scoring")
        self._close = bar.close
        update: Progress = bar.update
        return update

    def __exit__(self, *exception: object) -> None:
        self._close()


class _Version(argparse.Action):
    """`--version`, that looks the version up only when asked."""

    def __init__(self, option_strings: Sequence[str], dest: str) -> None:
        super().__init__(option_strings, dest, nargs=0, help="print the version")

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from ..scores import VERSION

        parser.exit(message=f"segmentation-scores {VERSION}\n")


if __name__ == "__main__":
    sys.exit(main())
