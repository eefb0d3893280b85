"""Sources: parts of any size have the lines or sentences of the files, in order."""

from __future__ import annotations

import io
import random
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import pairwise

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscores.corpora import sources
from segscores.corpora.opening import OpenFile
from segscores.corpora.sources import (
    ArraySource,
    ChainedSource,
    ConlluSource,
    HeldUtterances,
    LineSource,
    Part,
    Source,
    Utterances,
)
from segscores.kernel.segmentation import Segmentation
from segscores.reading.readers import from_word_lists, from_words_text

LINES = [["the", "dog"], [], ["狗", "叫"], ["a\u0301"], ["x" * 40, "y"], [], ["ends"]]


def text_of(corpus: Sequence[Sequence[str]]) -> bytes:
    return "".join(f"{' '.join(words)}\n" for words in corpus).encode()


def conllu_of(corpus: Sequence[Sequence[str]]) -> bytes:
    return "".join("".join(f"{i}\t{word}\t_\n" for i, word in enumerate(words, 1)) + "\n" for words in corpus).encode()


def corpus_of(read: Segmentation) -> list[list[str]]:
    """The words of each utterance."""
    words = [word.decode() for word in read.words().to_pylist()]
    stops = [bisect_right(read.word_ends.tolist(), end) for end in read.utterance_ends.tolist()]
    return [words[start:stop] for start, stop in pairwise([0, *stops])]


def open_lines(content: bytes, name: str = "r.txt") -> LineSource:
    return LineSource(OpenFile(io.BytesIO(content), name), name, from_words_text)


def open_conllu(content: bytes, name: str = "r.conllu") -> ConlluSource:
    return ConlluSource(OpenFile(io.BytesIO(content), name), name)


class Arrays(ArraySource):
    """Lists of words that come in arrays of these lengths."""

    def __init__(self, corpus: Sequence[Sequence[str]], lengths: Sequence[int]) -> None:
        kind = pa.large_list(pa.large_string())
        super().__init__("rows", pa.array([], kind))
        left = iter(corpus)
        self._arrays = [
            pa.array([words for _, words in zip(range(length), left, strict=False)], kind) for length in lengths
        ]

    def _next_array(self) -> pa.Array | None:
        return self._arrays.pop(0) if self._arrays else None

    def _read_array(self, array: pa.Array) -> Segmentation:
        return from_word_lists(array)

    def close(self) -> None:
        """Nothing is open."""


def chained(*files: Sequence[Sequence[str]], pairs_by_file: bool = False) -> ChainedSource:
    openers: list[tuple[str, Callable[[], Source]]] = [
        (f"{place}.txt", lambda place=place, file=file: open_lines(text_of(file), f"{place}.txt"))
        for place, file in enumerate(files)
    ]
    return ChainedSource("all", openers, pairs_by_file=pairs_by_file)


SOURCES: dict[str, Callable[[], Source]] = {
    "lines": lambda: open_lines(text_of(LINES)),
    "lines without the last newline": lambda: open_lines(text_of(LINES)[:-1]),
    "lines with a byte-order mark": lambda: open_lines(b"\xef\xbb\xbf" + text_of(LINES)),
    "sentences": lambda: open_conllu(conllu_of(LINES).replace(b"\n\n\n\n", b"\n\n")),
    "arrays": lambda: Arrays(LINES, [2, 0, 3, 1, 9]),
    "chain": lambda: chained(LINES[:3], LINES[3:4], [], LINES[4:]),
}
#: Sentences are never blank.
EXPECTED = {name: [words for words in LINES if words or name != "sentences"] for name in SOURCES}


def parts_of(utterances: Utterances) -> list[Part]:
    return list(iter(utterances.next_part, None))


@pytest.mark.parametrize("size", [1, 7, 1 << 20])
@pytest.mark.parametrize("name", SOURCES)
def test_parts_are_the_utterances_in_order(monkeypatch: pytest.MonkeyPatch, name: str, size: int) -> None:
    monkeypatch.setattr(sources, "PART_BYTES", size)
    source = SOURCES[name]()
    parts = parts_of(source)
    assert [words for part in parts for words in corpus_of(part.read())] == EXPECTED[name]
    assert [part.first for part in parts] == [sum(part.count for part in parts[:place]) for place in range(len(parts))]
    assert source.taken == len(EXPECTED[name])
    assert source.next_part() is None
    source.close()


@pytest.mark.parametrize("size", [1, 7, 1 << 20])
@pytest.mark.parametrize("name", SOURCES)
@given(counts=st.lists(st.integers(0, 4), max_size=8))
def test_as_many_utterances_as_are_asked_for(name: str, size: int, counts: list[int]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "PART_BYTES", size)
        source, start = SOURCES[name](), 0
        for count in [*counts, len(LINES)]:
            part = source.next_utterances(count)
            expected = EXPECTED[name][start : start + count]
            assert (part.first, part.count) == (start, len(expected))
            if expected:
                assert corpus_of(part.read()) == expected
            start += len(expected)


@pytest.mark.parametrize("name", SOURCES)
def test_a_slice_of_a_part_is_a_part(name: str) -> None:
    part = SOURCES[name]().next_utterances(len(LINES))
    expected = EXPECTED[name]
    for start in range(len(expected)):
        for stop in range(start + 1, len(expected) + 1):
            piece = part.slice(start, stop)
            assert (piece.first, piece.count) == (start, stop - start)
            assert corpus_of(piece.read()) == expected[start:stop]


@pytest.mark.parametrize("name", SOURCES)
def test_counting_reads_to_the_end(name: str) -> None:
    source = SOURCES[name]()
    source.next_part()
    assert source.count_rest() == len(EXPECTED[name])


def test_a_chain_numbers_utterances_by_file() -> None:
    chain = chained(LINES[:3], LINES[3:5], LINES[5:])
    assert chain.count_rest() == len(LINES)
    assert [chain.where(index) for index in range(len(LINES))] == [
        *("0.txt, line 1", "0.txt, line 2", "0.txt, line 3"),
        *("1.txt, line 1", "1.txt, line 2"),
        *("2.txt, line 1", "2.txt, line 2"),
    ]
    assert chain.place(4) == "1.txt, line 2"


def test_a_chain_that_pairs_by_file_yields_one_source_per_file() -> None:
    chain = chained(LINES[:3], LINES[3:], pairs_by_file=True)
    found = [[words for part in parts_of(file) for words in corpus_of(part.read())] for file in chain.files()]
    assert found == [LINES[:3], LINES[3:]]
    assert chain.taken == len(LINES)
    together = chained(LINES[:3], LINES[3:])
    assert list(together.files()) == [together]


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
