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

from ...kernel.record import record
from ...reading.sources.names import Files, shown_name
from ...reading.sources.progress import progress_bar
from ...results.outputs import open_whole
from .printing import print_out, print_result
from .sides import (
    add_reference_argument,
    check_column_options,
    like_reference,
    read_predictions,
    read_reference,
    with_distinct_names,
    with_forms,
)
from .text import check_files, check_once, name_on_page, paths_on_disk, text_options

if TYPE_CHECKING:
    from ...analysis.committee import Utterance, Word
    from ...analysis.difficulty import Decile, Difficulties
    from ...kernel.arrays import Positions
    from ...kernel.segmentation import Segmentation
    from ...reading.sources.source import Side
    from ...scoring.observations import Observations
    from ...scoring.plan import Plan

add_arguments = add_reference_argument


@record
class _Texts:
    """The files of a run."""

    reference: Files
    training: list[Files]  #: one file of segmented text, or none
    committee: list[Files]  #: the outputs of the members
    scored: list[Files]  #: the predictions to score

    def all(self) -> list[Files]:
        """Return all files."""
        return [self.reference, *self.training, *self.committee, *self.scored]

    def recognised(self, arguments: argparse.Namespace) -> _Texts:
        """Return the texts with their forms; the training text has the format of the reference."""
        reference, *others = with_forms(arguments, self.all(), references=1 + len(self.training))
        # In the order of `all`.
        committee_start = len(self.training)
        scored_start = committee_start + len(self.committee)
        return _Texts(
            reference,
            training=others[:committee_start],
            committee=others[committee_start:scored_start],
            scored=others[scored_start:],
        )


def run(arguments: argparse.Namespace) -> None:
    from ...analysis.committee import check_installed
    from ...analysis.difficulty_results import result_by_difficulty, score_by_difficulty
    from ...scoring.observations import Observations
    from ...scoring.plan import Plan
    from ...statistics.signing import sign_files
    from ..allocation import keep_freed_memory

    texts = _read_texts(arguments)
    if arguments.output == "-" and texts.scored:
        raise ValueError("-o - and --score would both print to standard output: name a file for -o.")
    files = texts.all()
    check_files(arguments, paths_on_disk(files), [side.argument for side in files if side.argument])
    if arguments.train:
        # Training needs an optional package: without it, this is an error before the files are read.
        check_installed()
    texts = texts.recognised(arguments)
    plan = Plan.of(scores="token", **text_options(arguments), label_scheme=arguments.label_scheme)
    keep_freed_memory()
    observed = Observations.for_signature()
    reference, difficulties = _rate(texts, plan, observed, arguments)
    systems = []
    if texts.scored:
        with _open_sides(texts.scored, plan, arguments, opened=[texts.reference]) as predictions:
            sides = [reference, *predictions]
            systems = score_by_difficulty(sides, texts.scored, difficulties, plan.zero_division)
    # Write files last, so that a run that fails leaves none.
    _write(difficulties, reference, arguments)
    if systems:
        if arguments.plot:
            _plot({scored.prediction: deciles for scored, deciles in systems}, arguments.plot)
        # The training text is no side of a comparison.
        compared = [texts.reference, *texts.committee, *texts.scored]
        signature = sign_files(
            compared, plan, observed, arguments.text_format, further={"difficulties": difficulties.digest}
        )
        result = result_by_difficulty(systems, arguments.reference, signature, with_counts=arguments.counts)
        print_result(result, arguments)


def _read_texts(arguments: argparse.Namespace) -> _Texts:
    """Return the files that a command line names, checked."""
    reference = read_reference(arguments)
    # The first column is that of the reference. `(None,)` stands for an option that is left out, which names no columns.
    _, *prediction_columns = arguments.columns or (None,)
    training: list[Files] = []
    committee: list[Files] = []
    scored: list[Files] = []
    if arguments.train:
        training = [like_reference(arguments, Files.of(arguments.train, reference.column))]
    if arguments.committee is not None:
        committee = read_predictions(
            arguments,
            reference,
            arguments.committee,
            arguments.committee_column,
            option="--committee",
            column_option="--committee-column",
        )
        check_once(committee, "member of the committee")
    if arguments.score is not None:
        predictions = read_predictions(arguments, reference, arguments.score, prediction_columns, option="--score")
        # Results have a row for each of them. The members of the committee are in no result.
        scored = with_distinct_names(reference, predictions)
    elif prediction_columns:
        raise ValueError("--columns names predictions, which --score reads; a committee has --committee-column.")
    check_column_options(arguments, [reference, *training], scored, committee)
    return _Texts(reference, training, committee, scored)


@contextmanager
def _open_sides(
    files: Sequence[Files], plan: Plan, arguments: argparse.Namespace, opened: Sequence[Files] = ()
) -> Iterator[list[Side]]:
    """Open files, and show a progress bar while the block reads them.

    The first side that `open_files` takes is the reference. Where the reference was opened already, it is in `opened`.
    """
    from ...reading.sources.sides import open_files

    with progress_bar(paths_on_disk(files)) as progress:
        sides = open_files([*opened, *files], plan.reading, arguments.text_format, progress=progress)
        yield sides[len(opened) :]


def _rate(
    texts: _Texts, plan: Plan, observed: Observations, arguments: argparse.Namespace
) -> tuple[Side, Difficulties]:
    """Return the reference, and the difficulties of its words: by the outputs of a committee, from a file, or by training."""
    from ...analysis.difficulty import rate_sides
    from ...reading.sources.source import held
    from ...scoring.passes import segment_side

    with _open_sides([texts.reference, *texts.committee], plan, arguments) as (opened_reference, *committee):
        # The reference is read several times, and standard input can be read once.
        reference = replace(opened_reference, sources=tuple(map(held, opened_reference.sources)))
        if committee:
            return reference, rate_sides([reference, *committee], observed)
        segmentation = segment_side(reference, observed=observed)
    if arguments.difficulties:
        return reference, _read_difficulties(arguments.difficulties, reference, segmentation.word_counts())
    with _open_sides(texts.training, plan, arguments) as (training_side,):
        # Segmenters learn nothing from blank lines.
        training = [utterance for utterance in _utterances(segment_side(training_side)) if utterance]
    if not training:
        raise ValueError(f"{training_side.name}: no text to train on; expected segmented utterances.")
    return reference, _rate_by_training(segmentation, training, arguments)


def _utterances(segmentation: Segmentation) -> list[Utterance]:
    """Return the words of each utterance, as sequences of units: a string, or a tuple of tokens."""
    texts = (word.decode() for word in segmentation.words().to_pylist())
    words: Iterator[Word] = texts
    if segmentation.unit == "token":
        words = (tuple(text.split()) for text in texts)
    # With counts 2 and 1, the first two words and then one more.
    return [list(islice(words, count)) for count in segmentation.word_counts().tolist()]


def _rate_by_training(
    reference: Segmentation, training: Sequence[Utterance], arguments: argparse.Namespace
) -> Difficulties:
    """Return the difficulties of the words of the reference for a committee that is trained here, with a progress bar."""
    import numpy as np
    from tqdm import tqdm

    from ...analysis.committee import segment
    from ...analysis.difficulty import Difficulties, share_missed
    from ...scoring.mismatch import compare_segmentations
    from ...scoring.parallel import usable_cores

    utterances = _utterances(reference)
    processes = arguments.processes or usable_cores()
    outputs = segment(utterances, training, members=arguments.members, seed=arguments.seed, processes=processes)
    # Words of 2 and 1 units end after 2 and 3 units.
    word_lengths = [len(word) for word in chain.from_iterable(utterances)]
    units = reference.utterance_units
    labelled = _labelled(np.cumsum(np.array(word_lengths, np.int64)), units)
    missed = np.zeros(len(word_lengths), np.int64)
    # Close the generator even after an error: that ends the training processes.
    with closing(outputs):
        for output in tqdm(
            outputs, total=arguments.members, desc="training", unit="segmenter", leave=False, disable=None
        ):
            # The bytes 0 1 1 of three units are words that end after 2 and 3 units.
            word_ends = np.flatnonzero(np.frombuffer(output, np.uint8)) + 1
            # The words of the reference that this segmenter finds; which of its own words match is not needed.
            is_recovered, _ = compare_segmentations(labelled, _labelled(word_ends, units)).matched_words()
            missed += ~is_recovered
    return Difficulties(share_missed(missed, arguments.members), reference.word_counts())


def _labelled(word_ends: Positions, utterance_units: Positions) -> Segmentation:
    """Return a segmentation without units, as labels make it: both sides are known to have the same units."""
    import numpy as np

    from ...kernel.segmentation import Segmentation

    return Segmentation(
        text=None,
        word_ends=word_ends,
        utterance_ends=np.cumsum(utterance_units),
        utterance_units=utterance_units,
        unit="label",
    )


def _read_difficulties(path: str, reference: Side, words: Positions) -> Difficulties:
    """Read the difficulties in a file, and check that the reference has as many words."""
    from ...analysis.difficulty import check_word_counts, read_difficulties
    from ...options.errors import FileError, UtteranceError
    from ...reading.sources.lists import read_lists

    name = shown_name(path)
    values = read_lists(path)
    noun = reference.first_source.noun
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
    """Return the name of the reference for messages: that of its file, or of the pattern of several."""
    if len(reference.sources) == 1:
        return reference.first_source.label(reference.column)
    return reference.name


def _plot(systems: Mapping[str, Sequence[Decile]], path: str) -> None:
    """Draw the share of words that each system recovers over their difficulty."""
    from ...results.pictures import draw_lines, write_picture

    # The ranges and their words are the same for all systems.
    first_system, *_ = systems.values()
    labels = [f"{decile.lower:.1f}–{decile.upper:.1f}\n{decile.words:,}" for decile in first_system]
    shares = {}
    for name, deciles in systems.items():
        # The line of a system has a gap at a range without words.
        shares[name] = [decile.share if decile.words else math.nan for decile in deciles]
    x_title = "difficulty: share of the committee that misses the word\n(below each range: how many words it has)"
    y_title = "share of words recovered"
    write_picture(draw_lines(range(len(labels)), shares, x_title, y_title, labels=labels, limits=(0, 1)), path)


def _write(difficulties: Difficulties, reference: Side, arguments: argparse.Namespace) -> None:
    """Write the difficulties as JSON lines and as a page, as the arguments say; print the lines if they say nothing."""
    # A slice for each utterance: its words are a line.
    utterances = difficulties.split(slice(number, number + 1) for number in range(len(difficulties.counts)))
    lines = (json.dumps(utterance.values.tolist()) + "\n" for utterance in utterances)
    output = arguments.output
    has_other_output = arguments.html or arguments.score is not None
    if not output and not has_other_output:
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
    """Write the page with the words of the reference by their difficulty, utterance by utterance."""
    import numpy as np

    from ...analysis.difficulty import DECILES, find_deciles
    from ...analysis.drawing import STYLE, drawing_environment
    from ...scoring.passes import segment_side

    utterances = _utterances(segment_side(reference))

    def rated_utterances() -> Iterator[list[tuple[str, float]]]:
        """Yield the words of each utterance, each with its difficulty."""
        for words, values in zip(utterances, difficulties.to_arrow().to_pylist(), strict=True):
            yield [(_shown(word), value) for word, value in zip(words, values, strict=True)]

    template = drawing_environment("segscores.apps.command").get_template("difficulty.html")
    page = template.stream(
        title=f"Difficulty: {name_on_page(_name(reference))}",
        style=STYLE,
        words_of_deciles=np.bincount(find_deciles(difficulties.values), minlength=DECILES).tolist(),
        utterances=rated_utterances(),
    )
    # The template makes many short pieces of the page: write a thousand at once.
    page.enable_buffering(1000)
    page.dump(file, "utf-8")
