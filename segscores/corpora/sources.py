"""Sources: utterances of files as a stream, in parts.

Conventions
-----------
A source yields parts of whole utterances, in order. In text an utterance is a line, in CoNLL-U a sentence, in a table a row.
A part knows how it is read and does not read itself, so that a worker can do it. Text is UTF-8, with or without a byte-order
mark; the last line needs no newline.
"""

from __future__ import annotations

__all__ = [
    "ArraySource",
    "ChainedSource",
    "ConlluSource",
    "HeldUtterances",
    "LineSource",
    "Part",
    "Source",
    "Utterances",
    "end_of_line",
    "read_part",
]

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..kernel.errors import UtteranceError
from ..kernel.segmentation import Segmentation, concatenate
from ..reading.conllu import parse_conllu
from ..reading.parts import PART_BYTES
from ..reading.readers import from_word_lists
from .names import unpacked_name
from .opening import BYTE_ORDER_MARK, FileError, OpenFile, check_line_ends, checked_utf8, refuse_encodings


@dataclass(frozen=True)
class Part:
    """Consecutive utterances of a source.

    Attributes:
        first: index of the first one in the source.
        count: how many.
        content: lines of text, an Arrow array, parts of several files, or what was read already.
        reader: gives the segmentation of such content.
    """

    first: int
    count: int
    content: Any
    reader: Callable[[Any], Segmentation]

    def read(self) -> Segmentation:
        """The segmentation; it does the work, so that a worker can call it.

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
        """Where each line of the content begins, and the last one ends."""
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
        noun, first_number: what an utterance is in the file, and how the first one is numbered.
        first: how many utterances stand before those that it hands out.
        taken: how many utterances were handed out, those before them included.
        has_files: whether it is several files, so that a place is not a number alone.
    """

    noun = "line"
    has_files = False
    #: The number of the first one, as programs that show such files count.
    first_number = 1

    def __init__(self, name: str, first: int = 0) -> None:
        self.name = name
        self.first = self.taken = first

    def place(self, utterance: int) -> str:
        """Where an utterance stands, for messages."""
        return f"{self.name}, {self.where(utterance)}"

    def where(self, utterance: int) -> str:
        """Where an utterance stands in the file; of several files, in which one."""
        return f"{self.noun} {utterance + self.first_number}"

    def files(self) -> Iterator[Utterances]:
        """What pairs with that of another stream: itself, or one file after the other."""
        yield self

    @abstractmethod
    def next_part(self) -> Part | None:
        """The next utterances, as many as fill a part; None at the end."""

    def count_rest(self) -> int:
        """Read to the end, and say how many utterances there are in all."""
        while self.next_part():
            pass
        return self.taken


class HeldUtterances(Utterances):
    """The utterances of another stream, read once and held, to be compared with one file after the other.

    Attributes:
        segmentations: of the parts.
        slices: which utterances each part has.

    Raises:
        FileError: there is no utterance, or one can't be read.
    """

    def __init__(self, utterances: Utterances) -> None:
        super().__init__(utterances.name)
        self._held = [_HeldFile(file) for file in utterances.files()]
        self.noun, self.first_number = utterances.noun, utterances.first_number
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
        """What was held, from its beginning."""
        return map(_HeldFile.rewind, self._held)

    def next_part(self) -> Part | None:
        """The next part of a file, numbered as there."""
        return next(filter(None, (file.next_part() for file in self._held)), None)


class _HeldFile(Utterances):
    """The utterances of a file, or of several that pair as one.

    Attributes:
        parts: all of them, read.
    """

    def __init__(self, utterances: Utterances) -> None:
        super().__init__(utterances.name)
        self._utterances = utterances
        self.parts: list[Part] = []
        while part := utterances.next_part():
            self.parts.append(Part(part.first, part.count, read_part(utterances, part), lambda read: read))
        self.noun, self.first_number, self.has_files = utterances.noun, utterances.first_number, utterances.has_files
        self._left = iter(self.parts)

    def place(self, utterance: int) -> str:
        """Where an utterance stands, with the file that it is in."""
        return self._utterances.place(utterance)

    def where(self, utterance: int) -> str:
        """Where an utterance stands in the file; of several files, in which one."""
        return self._utterances.where(utterance)

    def rewind(self) -> _HeldFile:
        """Begin anew."""
        self._left = iter(self.parts)
        self.taken = 0
        return self

    def next_part(self) -> Part | None:
        """The next part, as it was read."""
        part = next(self._left, None)
        if part is not None:
            self.taken += part.count
        return part


class Source(Utterances):
    """A stream of utterances that are compared with another one's, part by part."""

    def files(self) -> Iterator[Source]:
        """What pairs with that of another stream: itself, or one file after the other."""
        yield self

    @abstractmethod
    def next_utterances(self, count: int) -> Part:
        """The next `count` utterances, or as many as are left."""

    @abstractmethod
    def close(self) -> None:
        """Close the file."""


class LineSource(Source):
    """Lines: one utterance each.

    Args:
        file: where it begins, or where `start` is.
        name: for messages.
        read: gives the segmentation of whole lines.
        start, stop: the bytes of the file that are read, whole lines; to its end if None.
        first: how many lines stand before them.
    """

    def __init__(
        self,
        file: OpenFile,
        name: str,
        read: Callable[[bytes], Segmentation],
        *,
        start: int = 0,
        stop: int | None = None,
        first: int = 0,
    ) -> None:
        super().__init__(name, first)
        self._file = file
        self._read_block = read
        self._left = None if stop is None else stop - start
        # A mark may have been cut off.
        self._begins_file = start <= len(BYTE_ORDER_MARK)
        self._pending = b""
        if not start:
            self._pending = _without_mark(self._read(4), file, name)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def next_part(self) -> Part | None:
        """The next lines, of PART_BYTES or somewhat more."""
        block = self._take(lambda pending: (pending.rfind(b"\n") + 1 or -1) if len(pending) >= PART_BYTES else -1)
        return self._part(block) if block else None

    def next_utterances(self, count: int) -> Part:
        """The next `count` lines, or as many as are left."""
        return self._part(self._take(lambda pending: end_of_line(pending, count)))

    def _take(self, find_end: Callable[[bytes], int]) -> bytes:
        """Lines up to where `find_end` says in what was read; it is asked again with more as long as it says -1."""
        size = PART_BYTES
        while (cut := find_end(self._pending)) < 0:
            data = self._read(size)
            if not data:
                cut = self._close_last_line()
                break
            self._pending += data
            size *= 2
        block, self._pending = self._pending[:cut], self._pending[cut:]
        if self._begins_file and self.taken == self.first and block.endswith(b"\n") and b"\r" in block:
            self._check_only_line(block)
        return block

    def _check_only_line(self, block: bytes) -> None:
        """Check the first line, where it is the only one of the file, for CR in place of LF.

        Raises:
            FileError: it has them.
        """
        if block.find(b"\n") == len(block) - 1 and not self._pending:
            self._pending = self._read(1)
            # A piece may end where the file goes on.
            if not self._pending and not (self._left == 0 and self._file.read(1)):
                check_line_ends(block, self.name)

    def _read(self, size: int) -> bytes:
        if self._left is not None:
            size = min(size, self._left)
        data = self._file.read(size) if size else b""
        if self._left is not None:
            self._left -= len(data)
        return data

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
    """The first bytes of a file of UTF-8, without a byte-order mark.

    Raises:
        FileError: they are those of another encoding; the file is closed then.
    """
    try:
        refuse_encodings(beginning, name)
    except FileError:
        file.close()
        raise
    return beginning.removeprefix(BYTE_ORDER_MARK)


def end_of_line(data: bytes, count: int) -> int:
    """Where the first `count` lines end; -1 if there are fewer.

    The naive equivalent is `np.flatnonzero(newlines)[count - 1] + 1`; counting in halves does not list them all.
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
    """Utterances that come as Arrow arrays.

    Args:
        name: for messages.
        empty: an array of their type with none.
        first: how many utterances stand before them.
    """

    def __init__(self, name: str, empty: pa.Array, first: int = 0) -> None:
        super().__init__(name, first)
        self._waiting = empty

    def next_part(self) -> Part | None:
        """The next utterances, those that came together."""
        while not len(self._waiting):
            if not self._take_more():
                return None
        return self.next_utterances(len(self._waiting))

    def next_utterances(self, count: int) -> Part:
        """The next `count` utterances, or as many as are left."""
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
        """What comes next; None at the end."""

    @abstractmethod
    def _read_array(self, array: pa.Array) -> Segmentation:
        """The segmentation of such utterances."""


class ConlluSource(ArraySource):
    """CoNLL-U: one utterance a sentence, its words the surface tokens.

    Args:
        file: at its beginning.
        name: for messages.
    """

    noun = "sentence"

    def __init__(self, file: OpenFile, name: str) -> None:
        super().__init__(name, parse_conllu(b""))
        self._file = file
        self._line = 0
        self._pending = _without_mark(file.read(4), file, name)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _next_array(self) -> pa.Array | None:
        """The sentences of the next block of whole ones."""
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
        """What is wrong with a line; if it looks like words text, with what made the file be read as CoNLL-U."""
        if not error.hint:
            return error.detail
        by_name = unpacked_name(self.name).endswith(".conllu")
        remedy = "its name should not end in .conllu" if by_name else "use --text-format words"
        return f"{error.detail} Then {remedy}."


class ChainedSource(Source):
    """Several sources, one after the other.

    Args:
        name: for messages that are about all of them.
        openers: the path of each file, and what opens it.
        first: how many utterances stand before them.
        pairs_by_file: whether each file pairs with one of another chain, and not all of them as one text.

    Attributes:
        opened: those that were opened so far.
    """

    has_files = True

    def __init__(
        self,
        name: str,
        openers: Sequence[tuple[str, Callable[[], Source]]],
        first: int = 0,
        *,
        pairs_by_file: bool = False,
    ) -> None:
        super().__init__(name, first)
        self.opened: list[Source] = []
        self._paths = [path for path, _ in openers]
        self._next = [opener for _, opener in openers][::-1]
        self._pairs_by_file = pairs_by_file
        self._current: Source | None = None
        # How many utterances came here before each of those that were opened.
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
        """Which of the files an utterance is in, and its index there."""
        at = bisect_right(self._before, utterance) - 1
        return at, utterance - self._before[at] + self.opened[at].first

    def files(self) -> Iterator[Source]:
        """One file after the other if they pair with those of another chain; itself if they do not."""
        if not self._pairs_by_file:
            yield self
            return
        while self._current is not None:
            yield self._current
            self.taken += self._current.taken
            self._advance()

    def next_part(self) -> Part | None:
        """The next utterances, all of one file."""
        while self._current is not None:
            part = self._current.next_part()
            if part is not None:
                return self._here(part)
            self._advance()
        return None

    def next_utterances(self, count: int) -> Part:
        """The next `count` utterances, or as many as are left, of however many files."""
        parts: list[Part] = []
        while self._current is not None:
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
        """The segmentation of one part after the other.

        Raises:
            UtteranceError: an utterance can't be read; it is counted in all of them.
            ValueError: they are of different units.
        """
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

    def _here(self, part: Part) -> Part:
        """A part of the current source, numbered as here."""
        first = self.taken
        self.taken += part.count
        return Part(first, part.count, part.content, part.reader)

    def _advance(self) -> None:
        """Go on to the next source."""
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
