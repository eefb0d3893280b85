"""A committee of segmenters: character CRFs, each trained on its own sample.

Conventions
-----------
- An utterance is a list of words, and a word a sequence of units: a string of characters, or a tuple of tokens.
- A segmenter tags every unit with its place in a word: B begins a word, M is inside, E ends a word, S is a word of one
  unit.
- A member (a template, a share of the training set, a sample) depends only on the seed and its number. So a larger
  committee begins with the members of a smaller one, and neither the order of training nor the number of processes
  matters.

Source
------
Qian, Qiu & Huang (2016), section 4.1 and Table 1. The paper leaves open, and this module chooses:
positions beyond the utterance have an empty unit; training is L-BFGS with crfsuite's default L2 penalty, for at most
MAX_ITERATIONS iterations.
"""

from __future__ import annotations

__all__ = [
    "RATIOS",
    "TEMPLATES",
    "Member",
    "check_installed",
    "draw_member",
    "segment",
    "unit_features",
    "unit_tags",
    "word_ends",
]

import random
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeAlias

from ..kernel.folders import temporary_folder
from ..kernel.optional import require
from ..kernel.workers import WorkerDeath, map_in_workers

Word: TypeAlias = Sequence[str]
Utterance: TypeAlias = Sequence[Word]
Window: TypeAlias = tuple[int, int]

_NEIGHBOURS: tuple[Window, ...] = ((-2, -2), (-1, -1), (0, 0), (1, 1), (2, 2))
_PAIRS: tuple[Window, ...] = ((-2, -1), (-1, 0), (0, 1), (1, 2))
_TRIPLES: tuple[Window, ...] = ((-2, 0), (-1, 1), (0, 2))

#: The feature templates of Table 1, as windows from the first to the last unit, counted from the unit to be tagged. The
#: feature of the tag before, which all three have, is the CRF's own.
TEMPLATES: dict[str, tuple[Window, ...]] = {
    "F1": (*_NEIGHBOURS[1:4], *_PAIRS[1:3]),
    "F2": (*_NEIGHBOURS, *_PAIRS),
    "F3": (*_NEIGHBOURS, *_PAIRS, *_TRIPLES),
}

#: The shares of the training set on which members are trained.
RATIOS = (0.1, 0.2, 0.3)

MAX_ITERATIONS = 100

_REACH = 2


@dataclass(frozen=True)
class Member:
    """The random choices that define one segmenter.

    Attributes:
        template: a name from TEMPLATES.
        ratio: one of RATIOS.
        sample: indices of the training utterances, in the order of training.
    """

    template: str
    ratio: float
    sample: tuple[int, ...]


def draw_member(number: int, seed: int, training_size: int) -> Member:
    """Draw a member of a committee.

    Args:
        number: the index of the member, from 0.
        seed: the seed of the committee.
        training_size: the number of training utterances, at least one.

    >>> draw_member(3, seed=0, training_size=20) == draw_member(3, seed=0, training_size=20)
    True
    """
    source = random.Random(f"{seed} {number}")
    template = source.choice(tuple(TEMPLATES))
    ratio = source.choice(RATIOS)
    return Member(template, ratio, tuple(source.sample(range(training_size), max(1, round(ratio * training_size)))))


def unit_tags(words: Utterance) -> list[str]:
    """A tag for every unit of an utterance.

    >>> "".join(unit_tags(["白藜芦醇", "是", "物质"]))
    'BMMESBE'
    """
    return [tag for word in words for tag in ("S" if len(word) == 1 else f"B{'M' * (len(word) - 2)}E")]


def word_ends(tags: Sequence[str]) -> bytes:
    """For every unit of an utterance, 1 where a word ends, else 0, under the rule of `readers.from_labels`.

    A CRF may predict inconsistent sequences: a word ends at E or S, before B or S, and at the end of the utterance.

    >>> list(word_ends("BMMBSM"))
    [0, 0, 1, 1, 1, 1]
    """
    following = [*tags[1:], "B"] if tags else []
    return bytes(tag in "ES" or after in "BS" for tag, after in zip(tags, following, strict=True))


def unit_features(units: Sequence[str], template: str) -> list[list[str]]:
    """The features of every unit of an utterance.

    >>> unit_features("物质", "F1")[0]
    ['-1:-1=', '0:0=物', '1:1=质', '-1:0= 物', '0:1=物 质']
    """
    padded = ["", "", *units, "", ""]
    return [
        [
            f"{first}:{last}={' '.join(padded[position + first : position + last + 1])}"
            for first, last in TEMPLATES[template]
        ]
        for position in range(_REACH, _REACH + len(units))
    ]


def check_installed() -> None:
    """Check that the CRF library is installed.

    Raises:
        ValueError: it is not installed.
    """
    require("pycrfsuite", "training a committee", ", or pass the outputs of your own segmenters with --committee.")


class _Corpora(NamedTuple):
    """The texts that every member is trained on and segments, sent to each process once.

    Attributes:
        training: the training utterances.
        unsegmented: the units of each utterance to segment.
        folder: the folder for the files of models.
    """

    training: Sequence[Utterance]
    unsegmented: Sequence[Sequence[str]]
    folder: Path


def segment(
    references: Sequence[Utterance], training: Sequence[Utterance], *, members: int, seed: int, processes: int
) -> Generator[bytes, None, None]:
    """Train a committee and segment the units of the references with every member.

    Close the generator, or read it to its end: that ends the processes and removes their files.

    Args:
        references: utterances to segment; only their units are read.
        training: the training utterances, at least one, none of them blank.
        members: the number of segmenters, at least one.
        seed: the same seed gives the same committee.
        processes: the number of segmenters to train at a time.

    Yields:
        For each member, in order, one byte per unit: 1 where a word ends, else 0.

    Raises:
        ValueError: a training process was killed.
    """
    unsegmented = [[unit for word in utterance for unit in word] for utterance in references]
    numbers = range(members)
    drawn = [(number, draw_member(number, seed, len(training))) for number in numbers]
    with temporary_folder("segmentation-scores-committee-") as folder:
        corpora = _Corpora(training, unsegmented, folder)
        if min(processes, members) == 1:
            yield from (_train_and_segment(corpora, member) for member in drawn)
            return
        with closing(map_in_workers(_train_and_segment, drawn, min(processes, members), corpora)) as results:
            for _, ends in results:
                if isinstance(ends, WorkerDeath):
                    raise ValueError(
                        f"a training process {ends}, perhaps for want of memory: try fewer at a time with --processes."
                    )
                if isinstance(ends, Exception):
                    raise ends
                yield ends


def _train_and_segment(corpora: _Corpora, member: tuple[int, Member]) -> bytes:
    import pycrfsuite

    number, drawn = member
    trainer = pycrfsuite.Trainer(verbose=False, params={"max_iterations": MAX_ITERATIONS})
    for index in drawn.sample:
        words = corpora.training[index]
        features = unit_features([unit for word in words for unit in word], drawn.template)
        trainer.append(features, unit_tags(words))
    model = corpora.folder / str(number)
    trainer.train(str(model))
    tagger = pycrfsuite.Tagger()
    tagger.open(str(model))
    model.unlink()
    ends = bytearray()
    for units in corpora.unsegmented:
        ends += word_ends(tagger.tag(unit_features(units, drawn.template)) if units else [])
    tagger.close()
    return bytes(ends)
