"""Sources: parts of any size have the lines or sentences of the files, in order."""

from __future__ import annotations

import io
import random
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import pairwise

import pytest

from segscores.corpora import sources
from segscores.corpora.sources import (
    ChainedSource,
    HeldUtterances,
    LineSource,
    Part,
    Source,
    Utterances,
)
from segscores.kernel.segmentation import Segmentation
from segscores.reading.readers import from_words_text
from segscores.sources.opening import OpenFile

LINES = [["the", "dog"], [], ["狗", "叫"], ["a\u0301"], ["x" * 40, "y"], [], ["ends"]]


def text_of(corpus: Sequence[Sequence[str]]) -> bytes:
    return "".join(f"{' '.join(words)}\n" for words in corpus).encode()


def corpus_of(read: Segmentation) -> list[list[str]]:
    """The words of each utterance."""
    words = [word.decode() for word in read.words().to_pylist()]
    stops = [bisect_right(read.word_ends.tolist(), end) for end in read.utterance_ends.tolist()]
    return [words[start:stop] for start, stop in pairwise([0, *stops])]


def open_lines(content: bytes, name: str = "r.txt") -> LineSource:
    return LineSource(OpenFile(io.BytesIO(content), name), name, from_words_text)


def chained(*files: Sequence[Sequence[str]], pairs_by_file: bool = False) -> ChainedSource:
    openers: list[tuple[str, Callable[[], Source]]] = [
        (f"{place}.txt", lambda place=place, file=file: open_lines(text_of(file), f"{place}.txt"))
        for place, file in enumerate(files)
    ]
    return ChainedSource("all", openers, pairs_by_file=pairs_by_file)


def parts_of(utterances: Utterances) -> list[Part]:
    return list(iter(utterances.next_part, None))


def test_files_are_opened_one_after_the_other() -> None:
    opened: list[int] = []

    def opener(place: int) -> Callable[[], Source]:
        def open_one() -> Source:
            opened.append(place)
            return open_lines(text_of(LINES[place : place + 1]))

        return open_one

    chain = ChainedSource("all", [(str(place), opener(place)) for place in range(3)])
    assert opened == [0]
    chain.next_part()
    assert opened == [0]
    chain.next_part()
    assert opened == [0, 1]
    assert chain.count_rest() == 3


@pytest.mark.parametrize("size", [1, 1 << 20])
def test_held_utterances_can_be_read_again_from_the_beginning(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(sources, "PART_BYTES", size)
    held = HeldUtterances(chained(LINES[:3], LINES[3:], pairs_by_file=True))
    assert held.taken == len(LINES)
    assert [words for read in held.segmentations for words in corpus_of(read)] == LINES
    assert [index for piece in held.slices for index in range(piece.start, piece.stop)] == list(range(len(LINES)))
    for _ in range(2):
        files = [list(map(Part.read, parts_of(file))) for file in held.files()]
        assert [[words for read in file for words in corpus_of(read)] for file in files] == [LINES[:3], LINES[3:]]


def test_parts_of_many_short_lines_are_few() -> None:
    """The size of what is read doubles while a line goes on, and a part has no more than a block."""
    source = random.Random(0)
    corpus = [[source.choice("abc")] for _ in range(100_000)]
    parts = parts_of(open_lines(text_of(corpus)))
    assert sum(part.count for part in parts) == 100_000
    assert len(parts) == -(-200_000 // sources.PART_BYTES)
