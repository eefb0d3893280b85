"""Rate the difficulty of each reference word: the share of a committee of segmenters that does not recover it (Qian et al.
2016). One of --train, --committee and --difficulties is needed. Then score predictions with rewards for hard words and
penalties for missed easy ones. Without -o, --html and --score, the difficulties are printed as JSON lines: a list of numbers
per utterance.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from itertools import chain, islice
from typing import TYPE_CHECKING, BinaryIO

from ...reading.sources.names import Files, shown_name
from ...reading.sources.progress import progress_bar
from ...results.outputs import open_whole
from .printing import print_out, print_result
from .sides import (
    add_reference_argument,
    check_column_options,
    like_reference,
    named,
    read_predictions,
    read_reference,
    with_forms,
)
from .text import check_files, paths_on_disk, text_options

if TYPE_CHECKING:
    from ...analysis.committee import Utterance, Word
    from ...analysis.difficulty import Decile, Difficulties
    from ...kernel.arrays import Positions
    from ...kernel.segmentation import Segmentation
    from ...reading.sources.source import Side
    from ...scoring.observations import Observations
    from ...scoring.plan import Plan

#: The files of a run: lists of `reference` and `training`, at most one of each, `committee` and `scored`.
_Texts = Mapping[str, list[Files]]


add_arguments = add_reference_argument


def run(arguments: argparse.Namespace) -> None:
    from ...analysis.committee import check_installed
    from ...analysis.difficulty_results import result_by_difficulty, score_by_difficulty
    from ...scoring.observations import Observations
    from ...scoring.plan import Plan
    from ...statistics.signing import sign_files
    from ..allocation import keep_freed_memory

    texts = _read_texts(arguments)
    if arguments.output == "-" and texts["scored"]:
        raise ValueError("-o - and --score would both print to standard output: name a file for -o.")
    files = [*chain(*texts.values())]
    check_files(arguments, paths_on_disk(files), [side.argument for side in files if side.argument])
    if arguments.train:
        check_installed()
    # `files` has the sides of all kinds of text in turn: give each kind its own again, with their forms. The training text has
    # the format of the reference.
    like_the_reference = len(texts["reference"]) + len(texts["training"])
    recognised = iter(with_forms(arguments, files, like_the_reference))
    texts = {name: list(islice(recognised, len(sides))) for name, sides in texts.items()}
    plan = Plan.of(scores="token", **text_options(arguments), label_scheme=arguments.label_scheme)
    keep_freed_memory()
    observed = Observations(digest=0)
    reference, difficulties = _rate(texts, plan, observed, arguments)
    systems = []
    if texts["scored"]:
        with _open_sides(texts["scored"], plan, arguments, before=texts["reference"]) as predictions:
            sides = [reference, *predictions]
            systems = score_by_difficulty(sides, texts["scored"], difficulties, plan.zero_division)
    # Write files last, so that a run that fails leaves none.
    _write(difficulties, reference, arguments)
    if systems:
        if arguments.plot:
            _plot({scored.prediction: deciles for scored, deciles in systems}, arguments.plot)
        compared = [*texts["reference"], *texts["committee"], *texts["scored"]]
        signature = sign_files(
            compared, plan, observed, arguments.text_format, further={"difficulties": difficulties.digest}
        )
        result = result_by_difficulty(systems, arguments.reference, signature, with_counts=arguments.counts)
        print_result(result, arguments)


def _read_texts(arguments: argparse.Namespace) -> _Texts:
    reference = read_reference(arguments)
    training: list[Files] = []
    committee: list[Files] = []
    scored: list[Files] = []
    if arguments.train:
        training = [like_reference(arguments, Files.of(arguments.train, reference.column))]
    if arguments.committee is not None:
        columns = arguments.committee_column
        committee = read_predictions(
            arguments, reference, arguments.committee, columns, option="--committee", column_option="--committee-column"
        )
    if arguments.score is not None:
        columns = (arguments.columns or ())[1:]
        scored = named(reference, read_predictions(arguments, reference, arguments.score, columns, option="--score"))
    elif arguments.columns and arguments.columns[1:]:
        raise ValueError("--columns names predictions, which --score reads; a committee has --committee-column.")
    check_column_options(arguments, [reference, *training], scored, committee)
    return {"reference": [reference], "training": training, "committee": committee, "scored": scored}


@contextmanager
def _open_sides(
    files: Sequence[Files], plan: Plan, arguments: argparse.Namespace, before: Sequence[Files] = ()
) -> Iterator[list[Side]]:
    """Open files, after others that were opened before, and show a progress bar while the block reads them."""
    from ...reading.sources.sides import open_files

    with progress_bar(paths_on_disk(files)) as progress:
        sides = open_files([*before, *files], plan.reading, arguments.text_format, progress=progress)
        yield sides[len(before) :]


def _rate(
    texts: _Texts, plan: Plan, observed: Observations, arguments: argparse.Namespace
) -> tuple[Side, Difficulties]:
    from ...analysis.difficulty import rate_sides
    from ...reading.sources.source import held
    from ...scoring.passes import segment_side

    with _open_sides([*texts["reference"], *texts["committee"]], plan, arguments) as (first, *committee):
        # The reference is read several times, and standard input can be read once.
        reference = replace(first, sources=tuple(map(held, first.sources)))
        if committee:
            return reference, rate_sides([reference, *committee], observed)
        segmentation = segment_side(reference, observed=observed)
    if arguments.difficulties:
        return reference, _read_difficulties(arguments.difficulties, reference, segmentation.word_counts())
    with _open_sides(texts["training"], plan, arguments) as (side,):
        training = list(filter(None, _utterances(segment_side(side))))
    if not training:
        raise ValueError(f"{side.name}: no text to train on; expected segmented utterances.")
    return reference, _rate_by_training(segmentation, training, arguments)


def _utterances(segmentation: Segmentation) -> list[Utterance]:
    """Return the words of each utterance, as sequences of units."""
    texts = (word.decode() for word in segmentation.words().to_pylist())
    words: Iterator[Word] = texts
    if segmentation.unit == "token":
        words = (tuple(text.split()) for text in texts)
    return [list(islice(words, count)) for count in segmentation.word_counts().tolist()]


def _rate_by_training(
    reference: Segmentation, training: Sequence[Utterance], arguments: argparse.Namespace
) -> Difficulties:
    import numpy as np
    from tqdm import tqdm

    from ...analysis.committee import segment
    from ...analysis.difficulty import Difficulties, share_missed
    from ...scoring.mismatch import compare_segmentations
    from ...scoring.parallel import usable_cores

    utterances = _utterances(reference)
    processes = arguments.processes or usable_cores()
    outputs = segment(utterances, training, members=arguments.members, seed=arguments.seed, processes=processes)
    word_lengths = list(map(len, chain.from_iterable(utterances)))
    units = reference.utterance_units
    labelled = _labelled(np.cumsum(np.array(word_lengths, np.int64)), units)
    missed = np.zeros(len(word_lengths), np.int64)
    # Close the generator even after an error: that ends the training processes.
    with closing(outputs):
        for ends in tqdm(
            outputs, total=arguments.members, desc="training", unit="segmenter", leave=False, disable=None
        ):
            output = _labelled(np.flatnonzero(np.frombuffer(ends, np.uint8)) + 1, units)
            missed += ~compare_segmentations(labelled, output).matched_words()[0]
    return Difficulties(share_missed(missed, arguments.members), reference.word_counts())


def _labelled(word_ends: Positions, utterance_units: Positions) -> Segmentation:
    """Return a segmentation without units, as labels make it: both sides are known to have the same units."""
    import numpy as np

    from ...kernel.segmentation import Segmentation

    return Segmentation(None, word_ends, np.cumsum(utterance_units), utterance_units, "label")


def _read_difficulties(path: str, reference: Side, words: Positions) -> Difficulties:
    """Read the difficulties in a file, and check that the reference has as many words."""
    from ...analysis.difficulty import check_word_counts, read_difficulties
    from ...options.errors import FileError, UtteranceError
    from ...reading.sources.lists import read_lists

    name = shown_name(path)
    values = read_lists(path)
    noun = reference.sources[0].noun
    if len(values) != len(words):
        raise FileError(
            f"{_name(reference)} has {len(words)} {noun}s and {name} has {len(values)} lines: expected a list of difficulties "
            f"for each {noun}."
        )
    try:
        difficulties = read_difficulties(values)
        check_word_counts(difficulties, words)
    except UtteranceError as error:
        raise error.in_file(name) from None
    return difficulties


def _name(reference: Side) -> str:
    if len(reference.sources) == 1:
        return reference.sources[0].label(reference.column)
    return reference.name


def _plot(systems: Mapping[str, Sequence[Decile]], path: str) -> None:
    from ...results.pictures import draw_lines, write_picture

    # The ranges and their words are the same for all systems.
    first_system, *_ = systems.values()
    labels = [f"{decile.lower:.1f}–{decile.upper:.1f}\n{decile.words:,}" for decile in first_system]
    shares = {name: [row.share if row.words else math.nan for row in deciles] for name, deciles in systems.items()}
    across = "difficulty: share of the committee that misses the word\n(below each range: how many words it has)"
    recovered = "share of words recovered"
    write_picture(draw_lines(range(len(labels)), shares, across, recovered, labels=labels, limits=(0, 1)), path)


def _write(difficulties: Difficulties, reference: Side, arguments: argparse.Namespace) -> None:
    utterances = difficulties.split(slice(number, number + 1) for number in range(len(difficulties.counts)))
    lines = (json.dumps(utterance.values.tolist()) + "\n" for utterance in utterances)
    output = arguments.output
    if not (output or arguments.html or arguments.score is not None):
        output = "-"
    # Both files are open until both are written: where one can't be, neither is left.
    with ExitStack() as outputs:
        page = None
        if arguments.html:
            page = outputs.enter_context(open_whole(arguments.html))
        if output == "-":
            print_out("".join(lines).removesuffix("\n"))
        elif output:
            file = outputs.enter_context(open_whole(output))
            file.writelines(line.encode() for line in lines)
        if page is not None:
            _write_page(page, difficulties, reference)


def _shown(word: Word) -> str:
    """Return a word as the reference has it: with spaces between its units, if it is of units text."""
    return word if isinstance(word, str) else " ".join(word)


def _write_page(file: BinaryIO, difficulties: Difficulties, reference: Side) -> None:
    import numpy as np

    from ...analysis.difficulty import DECILES, find_deciles
    from ...analysis.drawing import STYLE, drawing_environment
    from ...scoring.passes import segment_side

    values = iter(difficulties.values.tolist())
    template = drawing_environment("segscores.apps.command").get_template("difficulty.html")
    page = template.stream(
        title=f"Difficulty: {_name(reference)}",
        style=STYLE,
        words_of_deciles=np.bincount(find_deciles(difficulties.values), minlength=DECILES).tolist(),
        utterances=(
            [(_shown(word), next(values)) for word in utterance] for utterance in _utterances(segment_side(reference))
        ),
    )
    page.enable_buffering(1000)
    page.dump(file, "utf-8")
