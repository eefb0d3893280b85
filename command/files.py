"""Files of utterances, read as a stream in parts that pair.

Conventions
-----------
A source yields parts of whole utterances, in order. The reference decides how many utterances a part has; each prediction
is then asked for as many, so that memory does not grow with the files. In text an utterance is a line, in CoNLL-U a sentence.
Text is UTF-8, with or without a byte-order mark; the last line needs no newline.
"""

from __future__ import annotations

__all__ = [
    "FileError",
    "HeldUtterances",
    "Part",
    "Source",
    "Utterances",
    "check_line_ends",
    "decode_file",
    "is_conllu",
    "keep_freed_memory",
    "map_files",
    "open_file",
    "open_source",
    "open_sources",
    "read_lines",
    "read_part",
    "tally_files",
    "tally_utterances",
    "with_window_size",
]

import ctypes
import sys
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NoReturn, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ..comparison import Comparison, compare
from ..conllu import parse_conllu
from ..errors import UtteranceError
from ..lexicon import Lexicon
from ..scores import groups_of
from ..scoring import PART_BYTES, Options, compare_sides, normalized, usable_cores
from ..segmentation import Segmentation, from_units_text, from_word_lists, from_words_text
from ..tally import Tally
from ..windows import reference_window_size
from .progress import Progress, ProgressBar

if TYPE_CHECKING:
    from ..utterance_tally import UtteranceTally

# From malloc.h, see mallopt(3).
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# The longer mark first: it begins like the shorter one.
_OTHER_MARKS = {
    b"\xff\xfe\0\0": "UTF-32",
    b"\0\0\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}


Pair = TypeVar("Pair")
Result = TypeVar("Result")
#: What `scoring.compare_sides` gives.
Compared: TypeAlias = tuple[Comparison, npt.NDArray[np.bool_] | None]


class FileError(ValueError):
    """Bad input in a file: the message names the file, and the line where there is one."""


@dataclass(frozen=True)
class Part:
    """Consecutive utterances of a source.

    Attributes:
        first: index of the first one in the source.
        count: how many.
        read: gives their segmentation; it does the work, so that a worker can call it.
    """

    first: int
    count: int
    read: Callable[[], Segmentation]


class Utterances(ABC):
    """A stream of utterances.

    Attributes:
        name: for messages and tables.
        noun: what an utterance is in the file.
        taken: how many utterances were handed out.
    """

    noun = "line"

    def __init__(self, name: str) -> None:
        self.name = name
        self.taken = 0

    def place(self, utterance: int) -> str:
        """Where an utterance stands, for messages."""
        return f"{self.name}, {self.noun} {utterance + 1}"

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
        self.noun = utterances.noun
        self.segmentations: list[Segmentation] = []
        self.slices: list[slice] = []
        while part := utterances.next_part():
            self.segmentations.append(read_part(utterances, part))
            self.slices.append(slice(part.first, part.first + part.count))
        if not self.slices:
            raise FileError(f"{self.name}: the file is empty; expected at least one {self.noun}.")
        self._next = 0

    def rewind(self) -> HeldUtterances:
        """Begin anew."""
        self._next = self.taken = 0
        return self

    def next_part(self) -> Part | None:
        """The next part, as it was read."""
        if self._next == len(self.slices):
            return None
        segmentation, utterances = self.segmentations[self._next], self.slices[self._next]
        self._next += 1
        self.taken = utterances.stop
        return Part(utterances.start, utterances.stop - utterances.start, lambda: segmentation)


class Source(Utterances):
    """A stream of utterances from a file or from standard input."""

    def __init__(self, file: BinaryIO, name: str, progress: Progress) -> None:
        super().__init__(name)
        self._file = file
        self._progress = progress
        self._pending = self._read(4)
        for mark, encoding in _OTHER_MARKS.items():
            if self._pending.startswith(mark):
                self.close()
                raise FileError(
                    f"{name}: the file is {encoding}; expected UTF-8: convert it with iconv -f {encoding} -t UTF-8."
                )
        self._pending = self._pending.removeprefix(_BYTE_ORDER_MARK)

    def close(self) -> None:
        """Close the file."""
        if self._file is not getattr(sys.stdin, "buffer", None):
            self._file.close()

    @abstractmethod
    def next_utterances(self, count: int) -> Part:
        """The next `count` utterances, or as many as are left."""

    def _read(self, size: int) -> bytes:
        try:
            data = self._file.read(size)
        except OSError as error:
            self.close()
            raise FileError(f"{self.name}: the file can't be read ({error.strerror or error}).") from None
        self._progress(len(data))
        return data


class LineSource(Source):
    """Words text or units text: one utterance a line."""

    def __init__(self, file: BinaryIO, name: str, progress: Progress, read: Callable[[bytes], Segmentation]) -> None:
        super().__init__(file, name, progress)
        self._read_block = read

    def next_part(self) -> Part | None:
        size = PART_BYTES
        while (cut := self._pending.rfind(b"\n") + 1) == 0 or len(self._pending) < PART_BYTES:
            data = self._read(size)
            if not data:
                cut = self._close_last_line()
                break
            self._pending += data
            size *= 2
        block, self._pending = self._pending[:cut], self._pending[cut:]
        return self._part(block) if block else None

    def next_utterances(self, count: int) -> Part:
        size = PART_BYTES
        while (cut := _end_of_line(self._pending, count)) < 0:
            data = self._read(size)
            if not data:
                cut = self._close_last_line()
                break
            self._pending += data
            size *= 2
        block, self._pending = self._pending[:cut], self._pending[cut:]
        return self._part(block)

    def _close_last_line(self) -> int:
        if self._pending and not self._pending.endswith(b"\n"):
            if not self.taken:
                check_line_ends(self._pending, self.name)
            self._pending += b"\n"
        return len(self._pending)

    def _part(self, block: bytes) -> Part:
        count = int(np.count_nonzero(np.frombuffer(block, np.uint8) == 0x0A))
        part = Part(self.taken, count, lambda: self._read_block(checked_utf8(block)))
        self.taken += count
        return part


def _end_of_line(data: bytes, count: int) -> int:
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


class ConlluSource(Source):
    """CoNLL-U: one utterance a sentence, its words the surface tokens.

    Args:
        keep_spaces: whether a space within a word is a unit. It cannot be one where the other side is words text.
    """

    noun = "sentence"

    def __init__(self, file: BinaryIO, name: str, progress: Progress, keep_spaces: bool) -> None:
        super().__init__(file, name, progress)
        self._keep_spaces = keep_spaces
        self._line = 0
        self._sentences: pa.LargeListArray = parse_conllu(b"")

    def next_part(self) -> Part | None:
        while not len(self._sentences):
            if not self._parse_more():
                return None
        return self.next_utterances(len(self._sentences))

    def next_utterances(self, count: int) -> Part:
        while len(self._sentences) < count and self._parse_more():
            pass
        sentences, self._sentences = self._sentences.slice(0, count), self._sentences.slice(count)
        part = Part(self.taken, len(sentences), lambda: from_word_lists(sentences))
        self.taken += len(sentences)
        return part

    def _parse_more(self) -> bool:
        """Parse the next block of whole sentences; False at the end of the file."""
        size = 4 * PART_BYTES
        while True:
            data = self._read(size)
            self._pending = (self._pending + data).replace(b"\r\n", b"\n")
            cut = self._pending.rfind(b"\n\n") + 2
            if cut > 1 or not data:
                break
            size *= 2
        block, self._pending = (self._pending[:cut], self._pending[cut:]) if data else (self._pending, b"")
        if not block:
            return False
        if not self._line:
            check_line_ends(block, self.name)
        try:
            sentences = parse_conllu(block if block.endswith(b"\n") else block + b"\n")
        except UtteranceError as error:
            problem = self._explained(error)
            raise FileError(f"{self.name}, line {self._line + error.utterance + 1}: {problem}") from None
        self._line += block.count(b"\n")
        if not self._keep_spaces:
            words = pc.replace_substring_regex(sentences.values, r"[\s\pZ\x1c-\x1f\x{85}]+", "")
            sentences = pa.LargeListArray.from_arrays(sentences.offsets, words)
        self._sentences = pa.concat_arrays([self._sentences, sentences])
        return True

    def _explained(self, error: UtteranceError) -> str:
        """What is wrong with a line; if it looks like words text, with what made the file be read as CoNLL-U."""
        if not error.hint:
            return error.detail
        by_name = self.name.lower().endswith(".conllu")
        remedy = "its name should not end in .conllu" if by_name else "use --text-format words"
        return f"{error.detail} Then {remedy}."


def checked_utf8(block: bytes) -> bytes:
    """The block, if it is valid UTF-8.

    Raises:
        UtteranceError: for the first line that is not.
    """
    if block.isascii():
        return block
    offsets = pa.py_buffer(np.array([0, len(block)]))
    try:
        pa.LargeStringArray.from_buffers(1, offsets, pa.py_buffer(block)).validate(full=True)
    except pa.ArrowInvalid:
        try:
            block.decode()
        except UnicodeDecodeError as error:
            start = block.rfind(b"\n", 0, error.start) + 1
            raise UtteranceError(
                block.count(b"\n", 0, error.start),
                f"the byte 0x{block[error.start]:02x} at offset {error.start - start} is not valid UTF-8 ({error.reason}).",
                hint="Expected UTF-8 text: convert the file with iconv, or is it binary?",
            ) from None
        raise
    return block


def check_line_ends(text: bytes, name: str) -> None:
    """Refuse the text of a whole file whose lines end in CR alone: it would be one long line.

    Raises:
        FileError: it is such a text; a single line that ends in CR is none.
    """
    if b"\n" not in text and b"\r" in text.strip():
        raise FileError(
            f"{name}: its lines end in CR alone, as on old Macs; expected LF or CRLF: convert it with "
            f"tr '\\r' '\\n' < OLD > NEW."
        )


def open_file(path: str) -> BinaryIO:
    """Open a file, or standard input for `-`.

    Raises:
        FileError: there is no such file, or it can't be read.
    """
    try:
        if path == "-":
            if sys.stdin is None:
                raise FileError("standard input is closed: name a file.")
            return sys.stdin.buffer
        if not path:
            raise FileNotFoundError
        return Path(path).open("rb")
    except FileNotFoundError:
        raise FileError(f"{path}: there is no such file.") from None
    except IsADirectoryError:
        raise FileError(f"{path}: this is a folder; expected a file.") from None
    except (OSError, ValueError) as error:
        raise FileError(f"{path}: the file can't be opened ({getattr(error, 'strerror', None) or error}).") from None


def decode_file(path: str) -> str:
    """The text of a small file, without a byte-order mark.

    Raises:
        FileError: the file can't be read, is not UTF-8, or its lines end in CR alone.
    """
    name = "standard input" if path == "-" else path
    with open_file(path) as file:
        block = file.read().removeprefix(_BYTE_ORDER_MARK)
    try:
        text = checked_utf8(block).decode()
    except UtteranceError as error:
        raise FileError(f"{name}, line {error.utterance + 1}: {error.detail}") from None
    check_line_ends(block, name)
    return text


def read_lines(path: str) -> list[str]:
    """The lines of a small file, without their ends; blank lines at its end are left out.

    Raises:
        FileError: as `decode_file`.
    """
    lines = [line.removesuffix("\r") for line in decode_file(path).split("\n")]
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


@contextmanager
def open_sources(
    paths: Sequence[str], options: Options, text_format: str, *, may_keep_spaces: bool = True
) -> Iterator[list[Source]]:
    """Open files that are compared, with a progress bar over all of them.

    Args:
        paths, options, text_format: as in `open_source`.
        may_keep_spaces: whether spaces within the words of CoNLL-U are units where every file can have them.

    Raises:
        FileError: there is no such file, or it can't be read.
    """
    keep_spaces = may_keep_spaces and all(is_conllu(path, text_format) for path in paths)
    with ProgressBar(paths) as progress, ExitStack() as stack:
        yield [
            stack.enter_context(closing(open_source(path, options, text_format, keep_spaces, progress)))
            for path in paths
        ]


def with_window_size(options: Options, paths: Sequence[str], text_format: str) -> Options:
    """The options with the size of windows that the reference gives, where it is to be found from that.

    Args:
        options: as parsed.
        paths: the reference and the predictions.
        text_format: as in `open_source`.

    Raises:
        ValueError: the reference is standard input, which can't be read twice.
        FileError: it can't be read.
    """
    if not options.needs_window_size:
        return options
    if paths[0] == "-":
        raise ValueError(
            "the size of windows comes from the whole reference, and standard input is read once: pass --window-size with a "
            'number of gaps, or "utterance".'
        )
    keep_spaces = all(is_conllu(path, text_format) for path in paths)
    with (
        ProgressBar(paths[:1]) as progress,
        closing(open_source(paths[0], options, text_format, keep_spaces, progress)) as source,
    ):
        parts = (normalized(read_part(source, part), options) for part in iter(source.next_part, None))
        return options.with_window_size(reference_window_size(parts, options.window_convention))


def open_source(path: str, options: Options, text_format: str, keep_spaces: bool, progress: Progress) -> Source:
    """Open a file, or standard input for `-`.

    Args:
        path: a path or `-`.
        options: how text is read.
        text_format: `"words"`, `"units"` or `"conllu"`; a name that ends in `.conllu` is CoNLL-U whatever this says.
        keep_spaces: as in `ConlluSource`.
        progress: called with the number of bytes of every read.

    Raises:
        FileError: there is no such file, or it can't be read.
    """
    name = "standard input" if path == "-" else path
    file = open_file(path)
    if is_conllu(path, text_format):
        return ConlluSource(file, name, progress, keep_spaces)
    if text_format == "words":
        return LineSource(file, name, progress, from_words_text)
    return LineSource(
        file, name, progress, lambda block: from_units_text(block, options.word_boundary, options.ignored_tokens)
    )


def keep_freed_memory() -> None:
    """Tell the C library to keep the arrays of one part for the next.

    By default glibc hands blocks of megabytes back to the system, which clears every page before it gives it out again:
    a third of the time on short lines. Other C libraries have no such call, and need none.
    """
    if sys.platform == "linux":
        libc = ctypes.CDLL(None)
        if hasattr(libc, "mallopt") and hasattr(libc, "gnu_get_libc_version"):
            libc.mallopt(_M_MMAP_THRESHOLD, 32 << 20)
            libc.mallopt(_M_TRIM_THRESHOLD, 1 << 30)


def is_conllu(path: str, text_format: str) -> bool:
    """Whether a file is read as CoNLL-U."""
    return text_format == "conllu" or path.lower().endswith(".conllu")


def read_part(utterances: Utterances, part: Part) -> Segmentation:
    """Read a part of a stream.

    Raises:
        FileError: an utterance can't be read.
    """
    try:
        return part.read()
    except UtteranceError as error:
        raise FileError(f"{utterances.place(part.first + error.utterance)}: {error.detail}") from None


def tally_files(reference: Utterances, predictions: Sequence[Source], options: Options) -> list[Tally]:
    """Tally every prediction against the reference, in one pass over the files.

    Raises:
        FileError: the files do not pair, or an utterance can't be scored.
    """
    needs_words = any(group.needs_words for group in groups_of(options.keys()))

    # What is skipped differs from one prediction to the other, and with it the reference's lexicon.
    shares_lexicon = needs_words and options.on_mismatch != "skip"

    def tally_part(compared: Iterator[Compared]) -> list[Tally]:
        lexicon = None
        tallies = []
        for comparison, kept in compared:
            if shares_lexicon and lexicon is None:
                lexicon = Lexicon(comparison.reference.words())
            skipped = 0 if kept is None else int((~kept).sum())
            tallies.append(options.tally(comparison, skipped=skipped, reference_lexicon=lexicon))
        return tallies

    def compare_part(segmentation: Segmentation, prediction: Segmentation) -> Compared:
        return compare_sides(segmentation, prediction, options)

    totals = [Tally() for _ in predictions]
    for tallies in map_files(reference, predictions, tally_part, compare_part):
        for total, tally in zip(totals, tallies, strict=True):
            total.update(tally)
    if not reference.taken:
        raise FileError(f"{reference.name}: the file is empty; expected at least one {reference.noun}.")
    return totals


def tally_utterances(reference: Utterances, predictions: Sequence[Source], options: Options) -> list[UtteranceTally]:
    """Tally every prediction against the reference, utterance by utterance, in one pass over the files.

    Raises:
        FileError: the files do not pair, or an utterance can't be scored.
    """
    from ..utterance_tally import concatenate, tally_compared

    def tally_part(compared: Iterator[Compared]) -> list[UtteranceTally]:
        return [tally_compared(comparison, kept, options) for comparison, kept in compared]

    def compare_part(segmentation: Segmentation, prediction: Segmentation) -> Compared:
        return compare_sides(segmentation, prediction, options)

    tallied = list(map_files(reference, predictions, tally_part, compare_part))
    if not reference.taken:
        raise FileError(f"{reference.name}: the file is empty; expected at least one {reference.noun}.")
    return [concatenate(parts) for parts in zip(*tallied, strict=True)]


def map_files(
    reference: Utterances,
    predictions: Sequence[Source],
    work: Callable[[Iterator[Pair]], Result],
    compare_part: Callable[[Segmentation, Segmentation], Pair],
) -> Iterator[Result]:
    """What some work gives for each part of the reference, in order, in one pass over the files.

    Args:
        reference: read to its end; it decides the parts.
        predictions: read along with it.
        work: is given what `compare_part` gives for a part and each prediction, in their order, one at a time as they are
            made. Workers call it, on all cores.
        compare_part: compares a part of the reference with one of a prediction.

    Raises:
        FileError: the files do not pair, or an utterance can't be compared. The first in order is raised.
    """

    def work_on(reference_part: Part, parts: list[Part]) -> Result:
        segmentation = read_part(reference, reference_part)
        sides = zip(predictions, parts, strict=True)
        return work(_compare(reference, segmentation, source, part, compare_part) for source, part in sides)

    workers = usable_cores()
    running: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(workers) as executor:
        try:
            while reference_part := reference.next_part():
                parts = [source.next_utterances(reference_part.count) for source in predictions]
                short = [index for index, part in enumerate(parts) if part.count < reference_part.count]
                if short:
                    while running:
                        yield running.popleft().result()
                    _raise_short(reference, reference_part, predictions[short[0]], parts[short[0]])
                running.append(executor.submit(work_on, reference_part, parts))
                while len(running) > 2 * workers:
                    yield running.popleft().result()
            while running:
                yield running.popleft().result()
        except BaseException:
            executor.shutdown(wait=False, cancel_futures=True)
            raise
    for source in predictions:
        if rest := source.next_part():
            read_part(source, rest)
            _raise_unpaired(reference, source)


def _compare(
    reference: Utterances,
    segmentation: Segmentation,
    source: Source,
    part: Part,
    compare_part: Callable[[Segmentation, Segmentation], Pair],
) -> Pair:
    try:
        return compare_part(segmentation, read_part(source, part))
    except UtteranceError as error:
        place = source.place(part.first + error.utterance)
        raise FileError(f"{reference.name} and {place}: {error.detail}") from None


def _raise_short(reference: Utterances, reference_part: Part, source: Source, part: Part) -> NoReturn:
    """Raise the error for a prediction that ends within a part, with the first utterance whose units differ."""
    # Bytes that are no text make no lines either: that is what to be told of first.
    segmentation, prediction = read_part(reference, reference_part), read_part(source, part)
    difference = ""
    try:
        compare(_first_utterances(segmentation, part.count), prediction)
    except UtteranceError as error:
        difference = f"{source.noun} {part.first + error.utterance + 1}: {error.problem}"
    _raise_unpaired(reference, source, difference)


def _first_utterances(segmentation: Segmentation, count: int) -> Segmentation:
    end = int(segmentation.utterance_ends[count - 1]) if count else 0
    return replace(
        segmentation,
        text=None if segmentation.text is None else segmentation.text[:end],
        word_ends=segmentation.word_ends[: np.searchsorted(segmentation.word_ends, end, side="right")],
        utterance_ends=segmentation.utterance_ends[:count],
        utterance_units=segmentation.utterance_units[:count],
    )


def _raise_unpaired(reference: Utterances, prediction: Source, difference: str = "") -> NoReturn:
    """Raise the error for two files with different numbers of utterances, after reading both to their ends."""
    counts = [
        f"{utterances.name} has {count} {utterances.noun}{'' if count == 1 else 's'}"
        for utterances, count in ((reference, reference.count_rest()), (prediction, prediction.count_rest()))
    ]
    first = f" The first that differs is {difference}" if difference else ""
    raise FileError(
        f"{' and '.join(counts)}: expected as many in both. Blank lines count too, at the end as well.{first}"
    )
