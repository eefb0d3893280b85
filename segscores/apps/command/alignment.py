"""Score predicted alignments of two texts (a bitext) against a reference alignment. A file has one bisegment per line, such as
[0]:[0,1]: the numbers of its source segments and of its target segments, counted from 0. A cost after a second colon is
ignored. A quoted pattern, such as 'gold/*.txt', stands for a file of each bitext. Bitexts pair by name, intervals and tests
resample them, and --baseline compares the predictions with one of them.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ...options.messages import OptionError
from ...options.table import OPTIONS
from ...reading.sources.names import Files, shown_name
from .ids import own_parts
from .printing import print_result
from .sides import split_name, with_distinct_names
from .text import check_files, encoding_of, paths_on_disk

if TYPE_CHECKING:
    from ...analysis.bitext.bitexts import Bitexts
    from ...results.result import Result
    from ...scoring.plan import Plan
    from ...scoring.utterance_tally import UtteranceTally

#: The options with the texts of the segments.
_TEXTS = ("sources", "targets")
#: The level of the intervals of a comparison, if the user names none.
_CONFIDENCE_OF_TESTS = 0.95


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "reference", metavar="REFERENCE", help="the file with the reference, or a pattern; - reads standard input"
    )
    text = "a file with a prediction, or a pattern, and optionally its name"
    parser.add_argument("predictions", metavar="[NAME=]PREDICTION", nargs="+", help=text)


def run(arguments: argparse.Namespace) -> None:
    from ...analysis.bitext.alignment import plan_of_levels, tally_bitexts

    reference = Files.of(arguments.reference)
    named_paths = map(split_name, arguments.predictions)
    predictions = with_distinct_names(reference, [Files.of(path, name=name) for name, path in named_paths])
    files = [reference, *predictions]
    if arguments.baseline is not None and len(predictions) < 2:
        raise OptionError(OPTIONS["baseline"], ": expected at least two predictions to compare, received one.")
    check_files(arguments, paths_on_disk(files), [side.argument for side in files])
    texts: dict[str, Files] = {}
    for name in _TEXTS:
        argument = getattr(arguments, name)
        if argument is not None:
            texts[name] = Files.of(argument)
    for side in (*predictions, *texts.values()):
        _check_pairs(reference, side)
    scores = arguments.explicit.get("scores")  # None if the user names none
    plan = plan_of_levels(scores, texts_known=bool(texts), zero_division=arguments.zero_division)
    segments = {name: _segments_in(side, encoding_of(arguments)) for name, side in texts.items()}
    tallies = {side.name: tally_bitexts(_read_bitexts(reference, side, segments), plan) for side in predictions}
    if arguments.baseline is None:
        result = _score_all(arguments, predictions, tallies, plan)
    else:
        result = _compare_all(arguments, predictions, tallies, plan)
    print_result(result, arguments)


def _check_pairs(reference: Files, side: Files) -> None:
    """Check that a side has a file for each file of the reference, and of the same name if there are several."""
    if len(side.paths) != len(reference.paths):
        counts = f"{len(reference.paths)} files of {reference.label} and {len(side.paths)} of {side.label}"
        raise ValueError(f"{counts}: expected a file of each bitext on each side.")
    if len(side.paths) == 1:
        return
    pairs = zip(own_parts(reference.on_disk), own_parts(side.on_disk), strict=True)
    for of_reference, of_side in pairs:
        if of_reference != of_side:
            problem = f"received {of_reference!r} of {reference.label} beside {of_side!r} of {side.label}"
            raise ValueError(f"{problem}: the files of bitexts pair by name; expected the same names on both sides.")


def _segments_in(side: Files, encoding: str) -> list[list[str]]:
    """Return the texts of the segments in each file of a side, one a line."""
    from ...reading.sources.opening import all_lines

    return [all_lines(path, encoding=encoding) for path in side.paths]


def _read_bitexts(reference: Files, prediction: Files, segments: Mapping[str, list[list[str]]]) -> Bitexts:
    """Read the bisegments of both sides; an error names the file and the line."""
    from ...analysis.bitext.bitexts import BisegmentError, read_bisegments, read_bitexts

    sides = {"references": reference, "predictions": prediction}
    alignments = {name: list(map(read_bisegments, side.paths)) for name, side in sides.items()}
    texts = {name: segments.get(name) for name in _TEXTS}
    try:
        return read_bitexts(**alignments, **texts)
    except BisegmentError as error:
        # Each file of a side has one bitext.
        path = sides[error.side].paths[error.bitext]
        raise error.in_file(shown_name(path)) from None


def _score_all(
    arguments: argparse.Namespace, predictions: Sequence[Files], tallies: Mapping[str, UtteranceTally], plan: Plan
) -> Result:
    """Return the scores of each prediction, with intervals if the arguments say so."""
    from ...analysis.bitext.alignment import sign_bitexts
    from ...results.scored import Scored, result_of
    from ...scoring.tally import UNITS, UTTERANCES
    from ...statistics.resampling import Resampling
    from ...statistics.utterance_scores import score_utterances

    resampling = Resampling(confidence=arguments.confidence)
    scored = []
    for side in predictions:
        tally = tallies[side.name]
        scores = score_utterances(tally, plan, resampling, prediction=side.name)
        totals = tally.totals()
        counts = {}
        if arguments.counts:
            # Show the counts of scores. The other two columns count the reference bisegments and the bitexts.
            counts = {column: count for column, count in totals.items() if column not in (UNITS, UTTERANCES)}
        undefined = tally.undefined(plan.keys)
        scored.append(Scored.of(side.name, scores, plan.keys, undefined=undefined, counts=counts, path=side.argument))
    # A signature has the number of reference bisegments, which is the same in all tallies.
    any_tally, *_ = tallies.values()
    signature = sign_bitexts(any_tally, plan, resampling)
    return result_of(scored, arguments.reference, signature)


def _compare_all(
    arguments: argparse.Namespace, predictions: Sequence[Files], tallies: Mapping[str, UtteranceTally], plan: Plan
) -> Result:
    """Return the comparison of the predictions with one of them, the baseline."""
    from ...analysis.bitext.alignment import compare_bitexts
    from ...statistics.resampling import Resampling

    confidence = _CONFIDENCE_OF_TESTS if arguments.confidence is None else arguments.confidence
    resampling = Resampling(confidence=confidence, seed=arguments.seed)
    paths = {side.name: side.argument for side in predictions}
    # --baseline may have the path of a prediction instead of its name.
    system_of = {path: name for name, path in paths.items()}
    tests = {name: getattr(arguments, name) for name in ("primary", "n_trials", "margin")}
    tests["baseline"] = system_of.get(arguments.baseline, arguments.baseline)
    comparison = compare_bitexts(tallies, plan, resampling, **tests)
    return comparison.result_of_files(arguments.reference, paths, comparison.signature)
