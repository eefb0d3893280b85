"""`segmentation-scores difficulty`: the difficulty of each reference word, and scores that are balanced by it."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, BinaryIO, TypeVar

from ..sources.names import Files
from ..sources.outputs import open_whole
from ..sources.progress import progress_bar
from .printing import print_out, print_result
from .sides import (
    add_reference_argument,
    check_column_options,
    check_distinct,
    read_predictions,
    read_reference,
    with_forms,
    with_short_names,
)
from .text import check_outputs, check_standard_input, read_lists, sign_files, text_options

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ..analysis.committee import Utterance
    from ..analysis.difficulty import Decile, Difficulties
    from ..kernel.comparison import Comparison
    from ..kernel.formulas import Score
    from ..kernel.segmentation import Segmentation
    from ..results.scored import Scored
    from ..scoring.options import Plan
    from ..sources.parts import Facts, Part
    from ..sources.progress import Progress
    from ..sources.source import Side
    from ..support.arrays import Positions

_Item = TypeVar("_Item")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the description and the positional arguments to the subcommand's parser."""
    parser.description = (
        "Rate the difficulty of each reference word: the share of a committee of segmenters that does not recover it (Qian et "
        "al. 2016). Then score predictions with rewards for hard words and penalties for missed easy ones. Without -o, "
        "--html and --score, the difficulties are printed as JSON lines: a list of numbers per utterance."
    )
    add_reference_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    """Rate or read difficulties, and write, draw or score with them."""
    import hashlib

    from ..analysis.by_difficulty import result_by_difficulty
    from ..analysis.committee import check_installed
    from ..scoring.options import Plan
    from ..scoring.signature import shorten_digest
    from ..sources.sides import open_sides
    from .allocation import keep_freed_memory

    read = _read_texts(arguments)
    _check_arguments(arguments, read)
    if arguments.train:
        check_installed()
    read = read.with_forms(arguments)
    plan = Plan.of(scores="token", **text_options(arguments), label_scheme=arguments.label_scheme)

    def open_text(files: Files, progress: Progress) -> Side:
        # A prediction follows the reference, so that messages name the option on its format.
        before = [] if files in (read.reference, read.training) else [read.reference]
        *_, side = open_sides([*before, files], plan.reading, arguments.text_format, progress=progress)
        return side

    keep_freed_memory()
    with progress_bar([path for side in read.rating for path in side.paths]) as progress:
        reference = _Reference(open_text(read.reference, progress))
        if read.training:
            training = _read_training(open_text(read.training, progress))
        elif read.committee:
            difficulties = _rate_files(reference, (open_text(side, progress) for side in read.committee))
        else:
            difficulties = _read_difficulties(arguments.difficulties, reference)
    if read.training:
        difficulties = _rate_by_training(reference, training, arguments)
    with progress_bar([path for side in read.scored for path in side.paths]) as progress:
        systems = [_score(reference, side, open_text(side, progress), difficulties, plan) for side in read.scored]
    # A run that fails leaves no output.
    _write(difficulties, reference, arguments)
    if systems:
        if arguments.plot:
            _plot({scored.prediction: deciles for scored, deciles in systems}, arguments.plot)
        digest = shorten_digest(hashlib.sha256(difficulties.values.tobytes()).hexdigest())
        signature = sign_files(read.compared, plan, reference.facts, arguments, further={"difficulties": digest})
        result = result_by_difficulty(systems, arguments.reference, signature, with_counts=arguments.counts)
        print_result(result, arguments)


@dataclass(frozen=True)
class _Texts:
    """The texts that are read."""

    reference: Files
    training: Files | None
    committee: tuple[Files, ...]
    scored: tuple[Files, ...]

    @property
    def rating(self) -> tuple[Files, ...]:
        """The texts that the difficulties are computed from."""
        return (self.reference, *([self.training] if self.training else []), *self.committee)

    @property
    def all(self) -> tuple[Files, ...]:
        """All texts."""
        return (*self.rating, *self.scored)

    @property
    def compared(self) -> tuple[Files, ...]:
        """The reference, and the texts that are compared with it."""
        return (self.reference, *self.committee, *self.scored)

    def with_forms(self, arguments: argparse.Namespace) -> _Texts:
        """The same texts, each with its form; changes the arguments as `sides.with_forms` does."""
        sides = iter(with_forms(arguments, self.all, 2 if self.training else 1))
        reference, training = next(sides), self.training and next(sides)
        return _Texts(reference, training, tuple(islice(sides, len(self.committee))), tuple(sides))


def _read_texts(arguments: argparse.Namespace) -> _Texts:
    sources = [name for name in ("train", "committee", "difficulties") if name in arguments.given]
    if len(sources) != 1:
        raise ValueError(
            f"expected one of --train FILE, --committee FILE … and --difficulties FILE, received "
            f"{' and '.join(f'--{name}' for name in sources) or 'none'}."
        )
    reference = read_reference(arguments)
    training = Files.of(arguments.train, reference.column) if arguments.train else None
    committee: list[Files] = []
    scored: list[Files] = []
    if arguments.committee is not None:
        columns = arguments.committee_column
        committee = read_predictions(reference, arguments.committee, columns, "--committee", "--committee-column")
    elif arguments.committee_column:
        raise ValueError("--committee-column is for --committee.")
    if arguments.score is not None:
        scored = read_predictions(reference, arguments.score, (arguments.columns or ())[1:], "--score")
        check_distinct(scored)
        scored = with_short_names([reference, *scored])[1:]
    elif arguments.columns and arguments.columns[1:]:
        raise ValueError("--columns names predictions, which --score reads; a committee has --committee-column.")
    texts = _Texts(reference, training, tuple(committee), tuple(scored))
    references = [reference, *([training] if training else [])]
    check_column_options(arguments, references, scored, committee)
    return texts


class _Reference:
    """The reference, held whole, because it is compared with one file after the other.

    Attributes:
        word_counts: int64, the number of words of each utterance.
    """

    def __init__(self, side: Side) -> None:
        import numpy as np

        from ..analysis.difficulty import count_words
        from ..sources.parts import Facts
        from ..sources.source import held

        self.side = replace(side, sources=tuple(map(held, side.sources)))
        self.facts = Facts()
        self.word_counts: Positions = np.concatenate(list(map(count_words, self.segmentations(self.facts))))

    @property
    def name(self) -> str:
        """For messages."""
        return self.side.sources[0].label(self.side.at) if len(self.side.sources) == 1 else self.side.name

    def segmentations(self, facts: Facts | None = None) -> Iterator[Segmentation]:
        """Its parts."""
        from ..sources.fold import fold

        return fold([self.side], lambda part: part.reference, facts=facts)

    def map(self, side: Side, work: Callable[[Comparison, slice], _Item]) -> Iterator[_Item]:
        """Compare each part with the same utterances of another side; yield the results of `work`, in order."""
        from ..sources.fold import fold

        def compare_part(part: Part) -> _Item:
            return work(part.comparison(1), slice(part.first, part.first + part.count))

        return fold([self.side, replace(side, role="predictions")], compare_part)


def _check_arguments(arguments: argparse.Namespace, texts: _Texts) -> None:
    from ..results.pictures import check_picture

    if arguments.difficulties and arguments.output:
        raise ValueError("--difficulties reads a file that -o wrote: leave -o out.")
    if arguments.difficulties and not (arguments.html or texts.scored):
        raise ValueError("--difficulties alone has no output: add --score PREDICTION or --html FILE.")
    if arguments.output == "-" and texts.scored:
        raise ValueError("-o - and --score would both print to standard output: name a file for -o.")
    if arguments.label_scheme and (arguments.train or arguments.html):
        raise ValueError("--train and --html need the words, which labels do not contain.")
    paths = [path for side in texts.all for path in side.paths]
    inputs = [*paths, *([arguments.difficulties] if arguments.difficulties else [])]
    check_standard_input(inputs)
    for option in ("plot", "counts"):
        if getattr(arguments, option) and not texts.scored:
            raise ValueError(f"--{option} shows the results of --score: add --score PREDICTION.")
    if arguments.plot:
        check_picture(arguments.plot)
    named = {"-o": arguments.output, "--html": arguments.html, "--plot": arguments.plot}
    if arguments.html == "-":
        raise ValueError("--html -: expected the name of a file; -o - prints the difficulties.")
    check_outputs(named, inputs)


def _utterances(segmentation: Segmentation) -> list[Utterance]:
    """The words of each utterance, each a sequence of units."""
    from ..analysis.difficulty import count_words

    texts = (word.decode() for word in segmentation.words().to_pylist())
    words = iter(tuple(text.split()) if segmentation.unit == "token" else text for text in texts)
    return [[next(words) for _ in range(count)] for count in count_words(segmentation).tolist()]


def _read_training(side: Side) -> list[Utterance]:
    from ..sources.fold import fold

    training: list[Utterance] = []
    for utterances in fold([side], lambda part: _utterances(part.reference)):
        training += filter(None, utterances)
    if not training:
        raise ValueError(f"{side.name}: no text to train on; expected segmented utterances.")
    return training


def _rate_files(reference: _Reference, sides: Iterable[Side]) -> Difficulties:
    import numpy as np

    from ..analysis.difficulty import Difficulties, recovered_words, share_missed

    missed = np.zeros(int(reference.word_counts.sum()), np.int64)
    members = 0
    for side in sides:
        missed += np.concatenate(list(reference.map(side, lambda comparison, _: ~recovered_words(comparison))))
        members += 1
    return Difficulties(share_missed(missed, members), reference.word_counts)


def _rate_by_training(
    reference: _Reference, training: Sequence[Utterance], arguments: argparse.Namespace
) -> Difficulties:
    import numpy as np
    from tqdm import tqdm

    from ..analysis.committee import segment
    from ..analysis.difficulty import Difficulties, recovered_words, share_missed
    from ..kernel.comparison import compare_segmentations
    from ..support.parallel import usable_cores

    segmentations = list(reference.segmentations())
    utterances = [words for segmentation in segmentations for words in _utterances(segmentation)]
    outputs = segment(
        utterances,
        training,
        members=arguments.members,
        seed=arguments.seed,
        processes=arguments.processes or usable_cores(),
    )
    units = np.concatenate([segmentation.utterance_units for segmentation in segmentations])
    word_lengths = [len(word) for words in utterances for word in words]
    labelled = _labelled(np.cumsum(np.array(word_lengths, np.int64)), units)
    missed = np.zeros(len(word_lengths), np.int64)
    # The processes end with this block even after an error.
    with closing(outputs):
        for ends in tqdm(
            outputs, total=arguments.members, desc="training", unit="segmenter", leave=False, disable=None
        ):
            output = _labelled(np.flatnonzero(np.frombuffer(ends, np.uint8)) + 1, units)
            missed += ~recovered_words(compare_segmentations(labelled, output))
    return Difficulties(share_missed(missed, arguments.members), reference.word_counts)


def _labelled(word_ends: Positions, utterance_units: Positions) -> Segmentation:
    """A segmentation without its units, like one of labels: the units are known to be the same on both sides."""
    import numpy as np

    from ..kernel.segmentation import Segmentation

    return Segmentation(
        text=None,
        word_ends=word_ends,
        utterance_ends=np.cumsum(utterance_units),
        utterance_units=utterance_units,
        unit="label",
    )


def _read_difficulties(path: str, reference: _Reference) -> Difficulties:
    from ..analysis.difficulty import check_word_counts, read_difficulties
    from ..support.errors import FileError, UtteranceError, counting_from

    name = "standard input" if path == "-" else path
    values = read_lists(path, name, int, float, may_be_plain=True)
    noun = reference.side.sources[0].noun
    if len(values) != len(reference.word_counts):
        raise FileError(
            f"{reference.name} has {len(reference.word_counts)} {noun}s and {name} has {len(values)} lines: expected a list of "
            f"difficulties for each {noun}."
        )
    try:
        difficulties = read_difficulties(values)
        check_word_counts(difficulties, reference.word_counts)
    except UtteranceError as error:
        place = f"{name}, line {error.utterance + 1}: "
        raise FileError(place, error.detail, counting=counting_from("line", error)) from None
    return difficulties


def _score(
    reference: _Reference, files: Files, side: Side, difficulties: Difficulties, plan: Plan
) -> tuple[Scored, list[Decile]]:
    """The balanced scores of a prediction, and the words that it recovers in each tenth of difficulty."""
    import numpy as np

    from ..analysis.difficulty import DECILES, balanced_scores, decile_shares, tally_deciles, tally_difficulty
    from ..results.scored import Scored

    def tally(comparison: Comparison, part: slice) -> tuple[dict[str, npt.NDArray[np.float64]], Positions]:
        (rated,) = difficulties.parts([part])
        return tally_difficulty(comparison, rated.values), tally_deciles(comparison, rated.values)

    tallies = list(reference.map(side, tally))
    decile_counts = np.sum([counts for _, counts in tallies], axis=0)
    columns = {column: [found[column] for found, _ in tallies] for column in tallies[0][0]}
    # Summed at once: sums of parts would be rounded in other places than those of `score_difficulty`.
    sums: dict[str, Score] = {column: np.concatenate(parts).sum() for column, parts in columns.items()}
    scores = {key: float(value) for key, value in balanced_scores(sums, plan.zero_division).items()}
    undefined = [key for key, value in balanced_scores(sums, math.nan).items() if math.isnan(float(value))]
    deciles = decile_shares(decile_counts, plan.zero_division)
    assert len(deciles) == DECILES
    return Scored(files.name, scores, path=files.given, undefined=undefined), deciles


def _plot(systems: Mapping[str, Sequence[Decile]], path: str) -> None:
    from ..results.pictures import draw_shares, write_picture

    labels = [f"{decile.lower:.1f}–{decile.upper:.1f}\n{decile.words:,}" for decile in next(iter(systems.values()))]
    shares = {name: [each.share if each.words else math.nan for each in tenths] for name, tenths in systems.items()}
    across = "difficulty: share of the committee that misses the word\n(below each range: how many words it has)"
    write_picture(draw_shares(labels, shares, across, "share of words recovered"), path)


def _write(difficulties: Difficulties, reference: _Reference, arguments: argparse.Namespace) -> None:
    each = difficulties.parts(slice(number, number + 1) for number in range(len(difficulties.counts)))
    lines = (json.dumps(part.values.tolist()) + "\n" for part in each)
    # Both files are open until both are written: where one can't be, neither is left.
    with ExitStack() as outputs:
        if arguments.html:
            page = outputs.enter_context(open_whole(arguments.html))
        if arguments.output and arguments.output != "-":
            file = outputs.enter_context(open_whole(arguments.output))
            file.writelines(line.encode() for line in lines)
        elif arguments.output or not (arguments.html or arguments.score is not None):
            print_out("".join(lines).removesuffix("\n"))
        if arguments.html:
            _write_page(page, difficulties, reference)


def _write_page(file: BinaryIO, difficulties: Difficulties, reference: _Reference) -> None:
    import numpy as np

    from ..analysis.difficulty import DECILES, find_deciles
    from ..analysis.drawing import STYLE, drawing_environment

    words = (words for segmentation in reference.segmentations() for words in _utterances(segmentation))
    values = iter(difficulties.values.tolist())
    page = (
        drawing_environment("segscores.command")
        .get_template("difficulty.html")
        .stream(
            title=f"Difficulty: {reference.name}",
            style=STYLE,
            words_of_deciles=np.bincount(find_deciles(difficulties.values), minlength=DECILES).tolist(),
            utterances=(
                [(word if isinstance(word, str) else " ".join(word), next(values)) for word in utterance]
                for utterance in words
            ),
        )
    )
    page.enable_buffering(1000)
    page.dump(file, "utf-8")
