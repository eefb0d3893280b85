"""`segmentation-scores score`: predictions against a reference, a column each."""

from __future__ import annotations

__all__ = ["add_parser"]

import argparse
import csv
import json
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from .tables import FORMATS, Result, format_results, without_nan
from .text import (
    add_resampling_arguments,
    add_score_arguments,
    add_text_arguments,
    check_output,
    check_standard_input,
    resampling_options,
    score_options,
    sign_files,
)

if TYPE_CHECKING:
    from argparse import _SubParsersAction

    from ..scoring import Options
    from ..utterance_scores import Resampling
    from ..utterance_tally import UtteranceTally
    from .files import Source

_ENDINGS = (".csv", ".jsonl")
# Rows that are made at a time: Python's numbers take far more room than the columns that they come from.
_ROWS_AT_ONCE = 10_000


def add_parser(commands: _SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand to the command's parser."""
    parser = commands.add_parser("score", help="score predictions against a reference", allow_abbrev=False)
    parser.description = (
        "Score predictions against a reference. Files are UTF-8, one utterance a line, or CoNLL-U if their name ends in "
        ".conllu. Utterances pair by position and must have the same characters (or units) on both sides."
    )
    parser.add_argument("reference", metavar="REFERENCE", help="file with the reference; - is standard input")
    parser.add_argument("predictions", metavar="PREDICTION", nargs="+", help="files with predictions, a column each")
    add_text_arguments(parser)
    add_score_arguments(parser)
    parser.add_argument("--counts", action="store_true", help="print what was counted too")
    add_resampling_arguments(parser, confidence=None)
    parser.add_argument(
        "--interval-method", choices=("percentile", "bca"), help="of the bootstrap (default: percentile)"
    )
    parser.add_argument(
        "--per-utterance",
        metavar="FILE.csv|FILE.jsonl",
        help="write the scores of each utterance: the prediction, the number of the line (of the sentence in CoNLL-U), scores",
    )
    parser.add_argument(
        "--worst", metavar="SCORE", help="a score, such as token_fscore, by which the worst utterances come first there"
    )
    parser.add_argument("--format", choices=tuple(FORMATS), default="table", help="(default: %(default)s)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Score the files and print the results."""
    from ..scoring import Options
    from .files import keep_freed_memory, open_sources, with_window_size

    _check_arguments(arguments)
    keep_freed_memory()
    paths = [arguments.reference, *arguments.predictions]
    options = Options(**score_options(arguments))
    resampling = _read_resampling(arguments, options)
    options = with_window_size(options, paths, arguments.text_format)
    with open_sources(paths, options, arguments.text_format) as (reference, *predictions):
        if resampling is None:
            results = _score_sums(reference, predictions, options, arguments)
        else:
            results = _score_utterances(reference, predictions, options, resampling, arguments)
    signature = sign_files(
        options,
        paths,
        arguments.text_format,
        reference.taken,
        average=arguments.average,
        intervals="" if resampling is None else str(resampling),
    )
    print(format_results(results, arguments.reference, arguments.format, signature))


def _check_arguments(arguments: argparse.Namespace) -> None:
    """Refuse options that do not go together, before any work is done."""
    inputs = [
        arguments.reference,
        *arguments.predictions,
        arguments.dictionary,
        arguments.acceptable,
        arguments.vocabulary,
    ]
    check_standard_input(inputs)
    if arguments.confidence is None:
        for option in ("resamples", "seed", "interval_method"):
            if getattr(arguments, option) is not None:
                raise ValueError(f"--{option.replace('_', '-')} is for intervals: add --confidence 0.95.")
    path = arguments.per_utterance
    if path is None:
        if arguments.worst is not None:
            raise ValueError("--worst orders the scores of utterances: add --per-utterance FILE.csv.")
        return
    if not path.lower().endswith(_ENDINGS):
        raise ValueError(f"--per-utterance: expected a name that ends in {' or '.join(_ENDINGS)}, received {path!r}.")
    check_output(path, inputs)


def _read_resampling(arguments: argparse.Namespace, options: Options) -> Resampling | None:
    """How scores are averaged and resampled; None where sums over the files are enough.

    Raises:
        ValueError: a bad option, or utterances can't be ordered by the score asked for.
    """
    if arguments.confidence is None and arguments.average == "micro" and arguments.per_utterance is None:
        return None
    from ..utterance_scores import Resampling, check_worst

    if arguments.worst is not None:
        check_worst(options, arguments.worst)
    method = {"interval_method": arguments.interval_method} if arguments.interval_method else {}
    return Resampling(**resampling_options(arguments), **method)


def _score_sums(
    reference: Source, predictions: Sequence[Source], options: Options, arguments: argparse.Namespace
) -> list[Result]:
    """The scores of the files; memory does not grow with them."""
    from ..scoring import score_tally
    from .files import tally_files

    return [
        Result(name, score_tally(tally, options), tally.totals() if arguments.counts else {})
        for name, tally in zip(arguments.predictions, tally_files(reference, predictions, options), strict=True)
    ]


def _score_utterances(
    reference: Source,
    predictions: Sequence[Source],
    options: Options,
    resampling: Resampling,
    arguments: argparse.Namespace,
) -> list[Result]:
    """The scores of the files from the counts of each utterance; writes the scores of utterances if they are wanted."""
    from ..utterance_scores import score_utterances
    from .files import tally_utterances

    tallies = tally_utterances(reference, predictions, options)
    keys = options.keys()
    results = []
    for name, tally in zip(arguments.predictions, tallies, strict=True):
        scores = score_utterances(tally, options, resampling)
        intervals = {key: (scores[f"{key}_low"], scores[f"{key}_high"]) for key in keys if f"{key}_low" in scores}
        counts = tally.totals() if arguments.counts else {}
        results.append(Result(name, {key: scores[key] for key in keys}, counts, intervals))
    if arguments.per_utterance:
        _write_utterances(arguments, reference.noun, tallies, options)
    return results


def _write_utterances(
    arguments: argparse.Namespace, noun: str, tallies: Sequence[UtteranceTally], options: Options
) -> None:
    """Write the scores of each utterance, prediction by prediction."""
    keys = options.keys()
    names = ["prediction", noun, *keys]
    with _open_whole(arguments.per_utterance) as file:
        writer = csv.writer(file, lineterminator="\n")
        as_json = arguments.per_utterance.lower().endswith(".jsonl")
        if not as_json:
            writer.writerow(names)
        for prediction, tally in zip(arguments.predictions, tallies, strict=True):
            for row in _utterance_rows(tally, options, arguments.worst):
                if as_json:
                    scored = without_nan(dict(zip(names, (prediction, *row), strict=True)))
                    file.write(json.dumps(scored, ensure_ascii=False) + "\n")
                else:
                    writer.writerow((prediction, *row))


def _utterance_rows(tally: UtteranceTally, options: Options, worst: str | None) -> Iterator[tuple[int | float, ...]]:
    """For each utterance its number from 1 and its scores."""
    import numpy as np

    from ..utterance_scores import worst_first

    keys = options.keys()
    scores = tally.per_utterance(keys, options.zero_division)
    chosen = np.flatnonzero(tally.is_scored) if worst is None else worst_first(tally, options, worst)
    for start in range(0, len(chosen), _ROWS_AT_ONCE):
        some = chosen[start : start + _ROWS_AT_ONCE]
        yield from zip((some + 1).tolist(), *(scores[key][some].tolist() for key in keys), strict=True)


@contextmanager
def _open_whole(path: str) -> Iterator[TextIO]:
    """A file to write that is there when all of it is written, and not before.

    Raises:
        OSError: it can't be written.
    """
    target = Path(path).resolve()
    partial = target.with_name(f".{os.getpid()}.partial")
    try:
        with partial.open("x", encoding="utf-8", newline="") as file:
            yield file
        if target.exists():
            partial.chmod(stat.S_IMODE(target.stat().st_mode))
        partial.replace(target)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
