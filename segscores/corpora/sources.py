"""Sources: utterances of files as a stream, in parts.

Conventions
-----------
A source yields parts of whole utterances, in order. In text an utterance is a line, in CoNLL-U
a sentence, in a table a row. A part is read only when its `read` is called, so that a worker can do it. Text is UTF-8,
with or without a byte-order mark; the last line needs no newline.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..kernel.errors import FileError, UtteranceError
from ..kernel.segmentation import Segmentation, concatenate
from ..reading.conllu import parse_conllu
from ..reading.inputs import TEXT
from ..reading.readers import from_word_lists
from ..sources.fold import PART_BYTES
from ..sources.names import unpacked_name
from ..sources.opening import BYTE_ORDER_MARK, OpenFile, check_line_ends, checked_utf8, refuse_encodings


@dataclass(frozen=True)
class Part:
    """Consecutive utterances of a source.

    Attributes:
        first: the index of the first utterance in the source.
        count: the number of utterances.
        content: lines of text, an Arrow array, parts of several files, or a segmentation.
        reader: reads the content into a segmentation.
    """

    first: int
    count: int
    content: Any
    reader: Callable[[Any], Segmentation]

    def read(self) -> Segmentation:
        """Read the segmentation; a worker can call it.

        Raises:
            UtteranceError: an utterance can't be read; it is counted in the part.
        """
        return self.reader(self.content)

    def slice(self, start: int, stop: int) -> Part:
        """The utterances from `start` to before `stop`, counted in the part."""
        content = self.content
        if isinstance(content, bytes):
            content = content[self._line_ends[start] : self._line_ends[stop]]
        elif isinstance(content, list):
            content = [
                part.slice(max(start - before, 0), min(stop - before, part.count))
                for before, part in _with_counts(content)
                if before < stop and start < before + part.count
            ]
        else:
            content = content.slice(start, stop - start)
        return Part(self.first + start, stop - start, content, self.reader)

    @cached_property
    def _line_ends(self) -> npt.NDArray[np.int64]:
        """The beginning of each line of the content, and the end of the last."""
        return np.concatenate(([0], np.flatnonzero(np.frombuffer(self.content, np.uint8) == 0x0A) + 1))


def _with_counts(parts: Sequence[Part]) -> Iterator[tuple[int, Part]]:
    """Each part, after the number of utterances before it."""
    before = 0
    for part in parts:
        yield before, part
        before += part.count


class Utterances(ABC):
    """A stream of utterances.

    Attributes:
        name: for messages and tables.
        noun, first_number: the name of an utterance in the file, and the number of the first.
        taken: the number of utterances so far.
        form: the form of its utterances, a type of `inputs`; of several files, that of the first that is not empty.
        has_files: whether it has several files, so that a place includes the file.
    """

    noun = "line"
    has_files = False
    #: The number of the first utterance, as in programs that show such files.
    first_number = 1

    def __init__(self, name: str) -> None:
        self.name = name
        self.taken = 0
        self.form: pa.DataType = TEXT

    def place(self, utterance: int) -> str:
        """The place of an utterance, for messages."""
        return f"{self.name}, {self.where(utterance)}"

    def where(self, utterance: int) -> str:
        """The place of an utterance in the file, with the name of the file if there are several."""
        return f"{self.noun} {utterance + self.first_number}"

    def files(self) -> Iterator[Utterances]:
        """The streams that pair with those of another side: itself, or one stream per file."""
        yield self

    @abstractmethod
    def next_part(self) -> Part | None:
        """The next part; None at the end."""

    def count_rest(self) -> int:
        """Read to the end, and return the number of all utterances."""
        while self.next_part():
            pass
        return self.taken


class HeldUtterances(Utterances):
    """The utterances of another stream, read once and held, to compare them with several predictions.

    Attributes:
        segmentations: the segmentations of the parts.
        slices: the utterances of each part.

    Raises:
        FileError: there is no utterance, or one can't be read.
    """

    def __init__(self, utterances: Utterances) -> None:
        super().__init__(utterances.name)
        self._held = [_HeldFile(file) for file in utterances.files()]
        self.noun, self.first_number, self.form = utterances.noun, utterances.first_number, utterances.form
        self.segmentations: list[Segmentation] = []
        self.slices: list[slice] = []
        for file in self._held:
            for part in file.parts:
                self.segmentations.append(part.content)
                self.slices.append(slice(self.taken, self.taken + part.count))
                self.taken += part.count
        if not self.slices:
            raise FileError(f"{self.name}: the file is empty; expected at least one {self.noun}.")

    def files(self) -> Iterator[Utterances]:
        """The held utterances, from the beginning."""
        return map(_HeldFile.rewind, self._held)

    def next_part(self) -> Part | None:
        """The next part of a file, with its numbers there."""
        return next(filter(None, (file.next_part() for file in self._held)), None)


class _HeldFile(Utterances):
    """The utterances of a file, or of several that pair as one."""

    def __init__(self, utterances: Utterances) -> None:
        super().__init__(utterances.name)
        self._utterances = utterances
        self.parts: list[Part] = []
        while part := utterances.next_part():
            self.parts.append(Part(part.first, part.count, read_part(utterances, part), lambda read: read))
        self.noun, self.first_number, self.has_files = utterances.noun, utterances.first_number, utterances.has_files
        self.rewind()

    def place(self, utterance: int) -> str:
        return self._utterances.place(utterance)

    def where(self, utterance: int) -> str:
        return self._utterances.where(utterance)

    def rewind(self) -> _HeldFile:
        """Restart at the beginning."""
        self._left = iter(self.parts)
        self.taken = 0
        return self

    def next_part(self) -> Part | None:
        part = next(self._left, None)
        self.taken += part.count if part else 0
        return part


class Source(Utterances):
    """A stream of utterances that are compared with those of another stream, part by part."""

    def files(self) -> Iterator[Source]:
        """The streams that pair with those of another side: itself, or one stream per file."""
        yield self

    @abstractmethod
    def next_utterances(self, count: int) -> Part:
        """The next `count` utterances, or the remaining ones if there are fewer."""

    @abstractmethod
    def close(self) -> None:
        """Close the file."""


class LineSource(Source):
    """Lines: one utterance each.

    Args:
        file: at its beginning.
        name: for messages.
        read: reads whole lines into a segmentation.
    """

    def __init__(self, file: OpenFile, name: str, read: Callable[[bytes], Segmentation]) -> None:
        super().__init__(name)
        self._file = file
        self._read_block = read
        self._pending = _without_mark(file.read(4), file, name)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def next_part(self) -> Part | None:
        """The next lines, about PART_BYTES."""
        block = self._take(lambda pending: (pending.rfind(b"\n") + 1 or -1) if len(pending) >= PART_BYTES else -1)
        return self._part(block) if block else None

    def next_utterances(self, count: int) -> Part:
        """The next `count` lines, or as many as are left."""
        return self._part(self._take(lambda pending: end_of_line(pending, count)))

    def _take(self, find_end: Callable[[bytes], int]) -> bytes:
        """Lines up to the position that `find_end` returns; while it returns -1, more is read."""
        size = PART_BYTES
        while (cut := find_end(self._pending)) < 0:
            data = self._file.read(size)
            if not data:
                cut = self._close_last_line()
                break
            self._pending += data
            size *= 2
        block, self._pending = self._pending[:cut], self._pending[cut:]
        if not self.taken and block.endswith(b"\n") and b"\r" in block:
            self._check_only_line(block)
        return block

    def _check_only_line(self, block: bytes) -> None:
        """If the first line is the only one of the file, check it for CR in place of LF."""
        if block.find(b"\n") == len(block) - 1 and not self._pending:
            self._pending = self._file.read(1)
            if not self._pending:
                check_line_ends(block, self.name)

    def _close_last_line(self) -> int:
        if self._pending and not self._pending.endswith(b"\n"):
            self._pending += b"\n"
        return len(self._pending)

    def _part(self, block: bytes) -> Part:
        count = int(np.count_nonzero(np.frombuffer(block, np.uint8) == 0x0A))
        part = Part(self.taken, count, block, self._read_checked)
        self.taken += count
        return part

    def _read_checked(self, block: bytes) -> Segmentation:
        return self._read_block(checked_utf8(block))


def _without_mark(beginning: bytes, file: OpenFile, name: str) -> bytes:
    """The first bytes of a file of UTF-8, without a byte-order mark."""
    try:
        refuse_encodings(beginning, name)
    except FileError:
        file.close()
        raise
    return beginning.removeprefix(BYTE_ORDER_MARK)


def end_of_line(data: bytes, count: int) -> int:
    """The end of the first `count` lines; -1 if there are fewer.

    The naive equivalent is `np.flatnonzero(newlines)[count - 1] + 1`; counting in halves avoids a list of all newlines.
    """
    newlines = np.frombuffer(data, np.uint8) == 0x0A
    if np.count_nonzero(newlines) < count:
        return -1
    start, stop = 0, len(data)
    while stop - start > 1:
        middle = (start + stop) // 2
        found = int(np.count_nonzero(newlines[start:middle]))
        if found < count:
            start, count = middle, count - found
        else:
            stop = middle
    return stop if count else 0


class ArraySource(Source):
    """Utterances in Arrow arrays."""

    def __init__(self, name: str, empty: pa.Array) -> None:
        super().__init__(name)
        self._waiting = empty

    def next_part(self) -> Part | None:
        """The next utterances, from one array."""
        while not len(self._waiting):
            if not self._take_more():
                return None
        return self.next_utterances(len(self._waiting))

    def next_utterances(self, count: int) -> Part:
        """The next `count` utterances, or the remaining ones if there are fewer."""
        while len(self._waiting) < count and self._take_more():
            pass
        array, self._waiting = self._waiting.slice(0, count), self._waiting.slice(count)
        part = Part(self.taken, len(array), array, self._read_array)
        self.taken += len(array)
        return part

    def _take_more(self) -> bool:
        array = self._next_array()
        if array is None:
            return False
        self._waiting = pa.concat_arrays([self._waiting, array]) if len(self._waiting) else array
        return True

    @abstractmethod
    def _next_array(self) -> pa.Array | None:
        """The next array; None at the end."""

    @abstractmethod
    def _read_array(self, array: pa.Array) -> Segmentation:
        """The segmentation of an array."""


class ConlluSource(ArraySource):
    """CoNLL-U: one utterance per sentence; its words are the surface tokens.

    Args:
        file: at its beginning.
        name: for messages.
        option: the one that sets the format of the file, for messages.
    """

    noun = "sentence"

    def __init__(self, file: OpenFile, name: str, option: str = "--text-format") -> None:
        super().__init__(name, parse_conllu(b""))
        self._file = file
        self._option = option
        self._line = 0
        self._pending = _without_mark(file.read(4), file, name)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _next_array(self) -> pa.Array | None:
        """The sentences of the next block."""
        size = 4 * PART_BYTES
        while True:
            data = self._file.read(size)
            self._pending = (self._pending + data).replace(b"\r\n", b"\n")
            cut = self._pending.rfind(b"\n\n") + 2
            if cut > 1 or not data:
                break
            size *= 2
        block, self._pending = (self._pending[:cut], self._pending[cut:]) if data else (self._pending, b"")
        if not block:
            return None
        if not self._line:
            check_line_ends(block, self.name)
        try:
            sentences = parse_conllu(block if block.endswith(b"\n") else block + b"\n")
        except UtteranceError as error:
            problem = self._explained(error)
            raise FileError(f"{self.name}, line {self._line + error.utterance + 1}: {problem}") from None
        self._line += block.count(b"\n")
        return sentences

    def _read_array(self, array: pa.Array) -> Segmentation:
        return from_word_lists(array)

    def _explained(self, error: UtteranceError) -> str:
        """The problem of a line; if it looks like words text, with the reason why the file was read as CoNLL-U."""
        if not error.hint:
            return error.detail
        by_name = unpacked_name(self.name).endswith(".conllu")
        remedy = "its name should not end in .conllu" if by_name else f"use {self._option} words"
        return f"{error.detail} Then {remedy}."


class ChainedSource(Source):
    """Several sources, one after the other.

    Args:
        name: for messages about all of them.
        openers: the path of each file, and the function that opens it.
        pairs_by_file: whether each file pairs with one of another chain; otherwise all pair as one text.
    """

    has_files = True

    def __init__(
        self, name: str, openers: Sequence[tuple[str, Callable[[], Source]]], *, pairs_by_file: bool = False
    ) -> None:
        super().__init__(name)
        self.opened: list[Source] = []
        self._paths = [path for path, _ in openers]
        self._next = [opener for _, opener in openers][::-1]
        self._pairs_by_file = pairs_by_file
        self._current: Source | None = None
        # The number of utterances before each opened source.
        self._before: list[int] = []
        self._advance()

    def close(self) -> None:
        """Close the file that is open."""
        if self._current is not None:
            self._current.close()

    def place(self, utterance: int) -> str:
        """Where an utterance stands, with the file that it is in."""
        at, index = self._find(utterance)
        return self.opened[at].place(index)

    def where(self, utterance: int) -> str:
        """Where an utterance stands, with the file that it is in."""
        at, index = self._find(utterance)
        return f"{self._paths[at]}, {self.opened[at].where(index)}"

    def _find(self, utterance: int) -> tuple[int, int]:
        """The file of an utterance, and its index there."""
        at = bisect_right(self._before, utterance) - 1
        return at, utterance - self._before[at]

    def files(self) -> Iterator[Source]:
        """One source per file if the files pair with those of another chain; otherwise itself."""
        if not self._pairs_by_file:
            yield self
            return
        while self._current is not None:
            yield self._current
            self._set_form(self._current)
            self.taken += self._current.taken
            self._advance()

    def next_part(self) -> Part | None:
        """The next utterances, all of one file."""
        while self._current is not None:
            part = self._current.next_part()
            if part is not None:
                self._set_form(self._current)
                return self._here(part)
            self._advance()
        return None

    def next_utterances(self, count: int) -> Part:
        """The next `count` utterances, or the remaining ones if there are fewer, from one or more files."""
        parts: list[Part] = []
        while self._current is not None:
            self._set_form(self._current)
            part = self._here(self._current.next_utterances(count))
            if part.count:
                parts.append(part)
            count -= part.count
            if not count:
                break
            self._advance()
        if len(parts) == 1:
            return parts[0]
        first = parts[0].first if parts else self.taken
        return Part(first, sum(part.count for part in parts), parts, self._read_joined)

    def _read_joined(self, parts: Sequence[Part]) -> Segmentation:
        """The joined segmentation of several parts."""
        segmentations: list[Segmentation] = []
        for before, part in _with_counts(parts):
            try:
                segmentations.append(part.read())
            except UtteranceError as error:
                raise error.at(before) from None
            units = segmentations[0].unit, segmentations[-1].unit
            if units[0] != units[1]:
                raise ValueError(
                    f"{self.place(parts[0].first)} and {self.place(part.first)}: mixed forms: units of one {units[0]} in the "
                    f"first, of one {units[1]} in the second; expected the same form in all files."
                )
        return concatenate(segmentations)

    def _set_form(self, source: Source) -> None:
        """Take over the form of a source, unless one before it has utterances."""
        if not self.taken:
            self.form = source.form

    def _here(self, part: Part) -> Part:
        """A part of the current source, numbered in the chain."""
        first = self.taken
        self.taken += part.count
        return Part(first, part.count, part.content, part.reader)

    def _advance(self) -> None:
        """Advance to the next source."""
        self.close()
        self._current = self._next.pop()() if self._next else None
        if self._current is not None:
            self.opened.append(self._current)
            self._before.append(self.taken)
            self.noun, self.first_number = self._current.noun, self._current.first_number


def read_part(utterances: Utterances, part: Part) -> Segmentation:
    """Read a part of a stream.

    Raises:
        FileError: an utterance can't be read.
    """
    try:
        return part.read()
    except UtteranceError as error:
        raise FileError(f"{utterances.place(part.first + error.utterance)}: {error.detail}") from None
